/* A law of one's own in a scene: a slightly compressible neo-Hookean rubber,
 *   psi = mu/2 (F : F - 3 - 2 ln J) + kappa/2 (J - 1)^2,   P = mu F + (kappa (J - 1) - mu / J) cof F. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sinew/sinew.h>

static double volume(const double F[9]) {
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

static double rubber_energy(void *user, const double *constant, const double F[9]) {
    const double mu = constant[0], kappa = constant[1], J = volume(F);
    double square = 0;
    for (int i = 0; i < 9; ++i) square += F[i] * F[i];
    return 0.5 * mu * (square - 3 - 2 * log(J)) + 0.5 * kappa * (J - 1) * (J - 1);
}

static void rubber_stress(void *user, const double *constant, const double F[9], double P[9]) {
    const double mu = constant[0], kappa = constant[1], J = volume(F), pressure = kappa * (J - 1) - mu / J;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) { /* cof F = dJ / dF */
            const int r = (i + 1) % 3, s = (i + 2) % 3, a = (j + 1) % 3, b = (j + 2) % 3;
            P[3 * i + j] = mu * F[3 * i + j] + pressure * (F[3 * r + a] * F[3 * s + b] - F[3 * r + b] * F[3 * s + a]);
        }
}

static const sn_parameter rubber_parameter[] = {
    {"stiffness", "Pa", "shear modulus at rest", 0, INFINITY, 1, 1, 1, 1},
    {"bulk", "Pa", "modulus of the volume term", 0, INFINITY, 0, 1, 1, 1},
};

static sn_law_table rubber_table(void) {
    sn_law_table table = sn_law_table_default();
    table.name = "rubber";
    table.text = "neo-Hookean with a quadratic volume term";
    table.parameter = rubber_parameter;
    table.parameter_count = 2;
    table.needs_positive_volume = true;
    table.energy = rubber_energy;
    table.stress = rubber_stress;
    return table;
}

static const char scene_text[] =
    "{ \"sinew\": 1, \"time\": { \"step\": 0.01, \"end\": 0.2 }, \"bodies\": [ {"
    "  \"mesh\": { \"box\": { \"size\": [0.3, 0.1, 0.1], \"cells\": [6, 2, 2], \"split\": 6 } },"
    "  \"material\": { \"law\": \"rubber\", \"stiffness\": 1e5, \"bulk\": 1e6, \"density\": 1000 },"
    "  \"fix\": [ { \"select\": { \"box\": [[-1, -1, -1], [1e-6, 1, 1]] } } ] } ] }";

static sn_status run(sn_context *context, sn_error *error) {
    const sn_law_table rubber = rubber_table();
    sn_status status = sn_context_add_law(context, &rubber, error); /* before scenes and worlds */
    if (status) return status;

    sn_scene *scene = NULL;
    sn_world *world = NULL;
    status = sn_scene_parse(context, scene_text, strlen(scene_text), "rubber", ".", NULL, 0, &scene, error);
    if (!status)
        status = sn_law_check(context, sn_scene_world_options(scene)->body[0].material,
                              error); /* does the law hold water? */
    if (!status) status = sn_scene_create_world(scene, &world, error);
    while (!status && sn_world_time(world) < 0.2) status = sn_world_step(world, NULL, error);
    if (!status) printf("%d steps with law rubber\n", (int)sn_world_steps(world));
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

int main(void) {
    sn_context *context = NULL;
    sn_error error = {0};
    sn_status status = sn_context_create(NULL, &context, &error);
    if (!status) status = run(context, &error);
    if (status) fprintf(stderr, "%s: %s\n", sn_status_name(status), error.text);
    sn_context_destroy(context);
    return status != SN_OK;
}
