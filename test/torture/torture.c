/* The robustness suite: every law that survives inversion, from starts and through treatment that no solid would see,
 * on several meshes.
 *
 *     torture [--quick] [--verbose] [--only WORD]...
 *
 * --only: the methods, treatments or shapes whose name holds WORD (of several, those that hold all, each in one of the
 * three).
 *
 * Starts: random node positions, flattened, mirrored, collapsed to a point, three and ten times too large. Treatment: a
 * handle jerked through the body, steps of up to 1 s, gravity of 100 m/s^2 onto the ground (then none, so that the
 * shape can come back), a Poisson ratio of 0.49. A case is "recovered" when every node ends within 1e-3 of the body's
 * size of its rest place after the best rigid motion; "stuck" when it does not; "failed" when steps were refused, the
 * state before them being kept, or cut too often; "NON-FINITE" when any number of the state or the energies is. The
 * program fails when anything is non-finite, or when a method that promises it does not recover a flattened or a 3x
 * scaled start. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

typedef struct shape {
    const char *name, *text; /* the mesh of a scene; about 1 m across */
} shape;

typedef struct method {
    char name[64], material[160], element[16];
    const char *newton;
    bool promises; /* to come back from flat and from 3x */
} method;

typedef struct treatment {
    const char *name;
    const char *initial; /* of the body */
    const char *fix;     /* of the body, or "" */
    double gravity, step, poisson;
    double relaxed_after; /* s: gravity is taken away then */
    bool ground, promised;
} treatment;

typedef enum outcome { RECOVERED, STUCK, FAILED, NON_FINITE, OUTCOMES } outcome;
static const char *const outcome_name[OUTCOMES] = {"recovered", "stuck", "failed", "NON-FINITE"};

static const shape shapes[] = {
    {"box", "{\"box\": {\"size\": [1, 0.5, 0.5], \"cells\": [4, 2, 2], \"split\": 5}, \"move\": [-0.5, -0.25, -0.25]}"},
    {"sphere", "{\"sphere\": {\"radius\": 0.5, \"cells\": 2}}"},
    {"tube", "{\"tube\": {\"radius\": 0.3, \"inner\": 0.15, \"length\": 1, \"cells\": [8, 1, 4]}}"},
    {"torus", "{\"torus\": {\"radius\": 0.4, \"minor\": 0.15, \"cells\": [12, 1]}}"},
};

static const treatment treatments[] = {
    {"random", "\"scramble\": 7", "", 0, 0.02, 0.35, -1, false, false},
    {"flattened x", "\"flatten\": \"x\"", "", 0, 0.02, 0.35, -1, false, true},
    {"flattened y", "\"flatten\": \"y\"", "", 0, 0.02, 0.35, -1, false, true},
    {"mirrored", "\"mirror\": \"x\"", "", 0, 0.02, 0.35, -1, false, false},
    {"collapsed", "\"collapse\": true", "", 0, 0.02, 0.35, -1, false, false},
    {"scaled 3x", "\"scale\": 3", "", 0, 0.02, 0.35, -1, false, true},
    {"scaled 10x", "\"scale\": 10", "", 0, 0.02, 0.35, -1, false, false},
    {"scaled 3x, nu 0.49", "\"scale\": 3", "", 0, 0.02, 0.49, -1, false, false},
    {"random, nu 0.49", "\"scramble\": 3", "", 0, 0.02, 0.49, -1, false, false},
    {"jerked handle", "\"velocity\": [0, 0, 0]",
     "\"fix\": [{\"select\": {\"box\": [[-9, -9, -9], [-0.2, 9, 9]]}, \"keys\": [[0, 0, 0, 0], [0.06, 2, 0.5, 0], "
     "[0.12, -2, -1, 1], [0.2, "
     "0, 0, 0]]}],",
     0, 0.02, 0.35, -1, false, false},
    {"gravity 100", "\"velocity\": [0, -5, 0]", "", 100, 0.02, 0.35, 1, true, false},
    {"steps of 1 s", "\"flatten\": \"z\"", "", 0, 1, 0.35, -1, false, false},
    {"steps of 1 s, 3x", "\"scale\": 3", "", 0, 1, 0.35, -1, false, false},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, TREATMENTS = sizeof treatments / sizeof *treatments, METHODS = 40 };

/* Laws that stay finite when inverted, with the default rotation; corotated with every rotation; one linear solve per
 * step. */
static int list_methods(method *out, bool quick) {
    int count = 0, laws, rotations;
    const sn_listing *law = sn_laws(&laws), *rotation = sn_rotations(&rotations);
    static const char *const needs_positive[] = {"neo-hookean", "mooney-rivlin", "ogden",       "reduced-polynomial",
                                                 "ciarlet",     "linear",        "orthotropic", "orthotropic-green"};
    for (int i = 0; i < laws; ++i) {
        bool skip = strcmp(law[i].name, "corotated") == 0 || strncmp(law[i].name, "cloth-", 6) == 0; /* no solids */
        for (size_t k = 0; k < sizeof needs_positive / sizeof *needs_positive; ++k)
            skip = skip || strcmp(law[i].name, needs_positive[k]) == 0;
        if (skip || quick) continue;
        method *m = &out[count++];
        snprintf(m->name, sizeof m->name, "%s", law[i].name);
        snprintf(m->material, sizeof m->material, "\"law\": \"%s\"", law[i].name);
        m->newton = "full", m->promises = strcmp(law[i].name, "stable-neo-hookean") == 0;
    }
    for (int i = 0; i < rotations && count < METHODS - 3; ++i) {
        if (quick && strcmp(rotation[i].name, "polar") != 0) continue;
        method *m = &out[count++];
        snprintf(m->name, sizeof m->name, "corotated, %s", rotation[i].name);
        snprintf(m->material, sizeof m->material, "\"law\": \"corotated\", \"rotation\": \"%s\"", rotation[i].name);
        m->newton = "full",
        m->promises = strcmp(rotation[i].name, "higham") != 0 && strcmp(rotation[i].name, "qr") != 0;
    }
    method *m = &out[count++];
    snprintf(m->name, sizeof m->name, "corotated, one-step");
    snprintf(m->material, sizeof m->material, "\"law\": \"corotated\"");
    m->newton = "one-step", m->promises = true;
    for (int i = 0; i < 2 && !quick; ++i) {
        m = &out[count++];
        snprintf(m->name, sizeof m->name, i ? "springs" : "warped, svd");
        snprintf(m->material, sizeof m->material,
                 i ? "\"law\": \"corotated\"" : "\"law\": \"linear\", \"warping\": \"svd\"");
        snprintf(m->element, sizeof m->element, i ? "springs" : "tet4");
        m->newton = "full";
    }
    return count;
}

static bool all_finite(sn_world *world, double *x, int n) {
    sn_world_get(world, 0, x, NULL);
    for (int i = 0; i < 3 * n; ++i)
        if (!isfinite(x[i])) return false;
    sn_world_get(world, 0, NULL, x);
    for (int i = 0; i < 3 * n; ++i)
        if (!isfinite(x[i])) return false;
    sn_energies energies;
    if (sn_world_energies(world, &energies, NULL)) return true;
    return isfinite(energies.kinetic) && isfinite(energies.elastic);
}

static sn_world *make_world(sn_context *context, const shape *s, const treatment *t, const method *m) {
    char text[2400];
    const int length =
        snprintf(text, sizeof text,
                 "{\"sinew\": 1, \"gravity\": [0, %g, 0], \"time\": {\"step\": %g, \"newton\": {\"kind\": \"%s\"}},"
                 " \"bodies\": [{\"mesh\": %s, \"element\": \"%s\", \"material\": {%s, \"young\": 1e5, \"poisson\": "
                 "%g, \"rayleigh\": {\"mass\": 1}, %s},"
                 " %s \"initial\": {%s}}], \"colliders\": [%s]}",
                 -t->gravity, t->step, m->newton, s->text, m->element[0] ? m->element : "tet4", m->material, t->poisson,
                 strcmp(m->element, "springs") == 0 ? "\"springs\": {\"quality\": 5}"
                                                    : "\"viscous\": {\"lambda\": 2500, \"mu\": 1100}",
                 t->fix, t->initial, t->ground ? "{\"plane\": {\"point\": [0, -1, 0]}, \"friction\": 0.5}" : "");
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_error error = {0};
    if (sn_scene_parse(context, text, (size_t)length, "torture", "", NULL, 0, &scene, &error) ||
        sn_scene_create_world(scene, &world, &error)) {
        fprintf(stderr, "torture: %s\n", error.text);
        exit(2);
    }
    sn_scene_destroy(scene);
    return world;
}

/* text: the last refusal, for --verbose. */
static outcome run_case(sn_context *context, const shape *s, const treatment *t, const method *m, double *distance,
                        sn_error *error) {
    enum { MOST = 400, FAILURES = 3, RETRIES = 4000 };
    sn_world *world = make_world(context, s, t, m);
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    double *x = malloc((size_t)mesh->node_count * 3 * sizeof *x);
    outcome result = STUCK;
    int failures = 0, retries = 0;
    *distance = INFINITY;
    const int first = t->step < 0.1 ? (t->relaxed_after > 0 ? 75 : 25) : 5;
    for (int i = 0; i < MOST && x && failures < FAILURES && result == STUCK; ++i) {
        if (t->relaxed_after > 0 && sn_world_time(world) >= t->relaxed_after)
            sn_world_set_gravity(world, (double[3]){0, 0, 0}, NULL);
        sn_step_report report = {0};
        if (sn_world_step(world, &report, error)) ++failures;
        retries += report.retries;
        if (retries > RETRIES) failures = FAILURES;
        if (!all_finite(world, x, mesh->node_count)) result = NON_FINITE;
        if (result == STUCK && i + 1 >= first && i % 5 == 4) {
            sn_world_get(world, 0, x, NULL);
            *distance = measure_distance(context, mesh, x);
            if (*distance <= 1e-3) result = RECOVERED;
        }
    }
    if (result == STUCK && failures > 0) result = FAILED;
    free(x);
    sn_world_destroy(world);
    return result;
}

int main(int count, char **word) {
    bool quick = false, verbose = false;
    const char *only[8];
    int only_count = 0;
    for (int i = 1; i < count; ++i) {
        quick = quick || strcmp(word[i], "--quick") == 0;
        verbose = verbose || strcmp(word[i], "--verbose") == 0;
        if (strcmp(word[i], "--only") == 0 && i + 1 < count && only_count < 8) only[only_count++] = word[++i];
    }
    sn_context *context;
    sn_context_options options = sn_context_options_default();
    options.threads = 1; /* the bodies are small */
    if (sn_context_create(&options, &context, NULL)) return 2;
    method methods[METHODS];
    memset(methods, 0, sizeof methods);
    const int method_count = list_methods(methods, quick), shape_count = quick ? 1 : SHAPES;
    int broken = 0, non_finite = 0;
    printf("%-20s %-24s", "method", "treatment");
    for (int s = 0; s < shape_count; ++s) printf(" %-10s", shapes[s].name);
    printf("\n");
    for (int m = 0; m < method_count; ++m) {
        int sum[OUTCOMES] = {0};
        for (int t = 0; t < TREATMENTS; ++t) {
            printf("%-20s %-24s", methods[m].name, treatments[t].name);
            for (int s = 0; s < shape_count; ++s) {
                double distance;
                sn_error error = {0};
                bool wanted = true;
                for (int k = 0; k < only_count; ++k)
                    wanted = wanted && (strstr(methods[m].name, only[k]) || strstr(treatments[t].name, only[k]) ||
                                        strstr(shapes[s].name, only[k]));
                if (!wanted) {
                    printf(" %-10s", "-");
                    continue;
                }
                const outcome result = run_case(context, &shapes[s], &treatments[t], &methods[m], &distance, &error);
                ++sum[result];
                non_finite += result == NON_FINITE;
                const bool missed = methods[m].promises && treatments[t].promised && result != RECOVERED;
                broken += missed;
                printf(" %-9s%s", outcome_name[result], missed ? "!" : " ");
                if (verbose) printf("(%.1e) %s", distance, error.text);
                fflush(stdout);
            }
            printf("\n");
        }
        printf("%-20s %-24s", methods[m].name, "in all");
        for (int o = 0; o < OUTCOMES; ++o) printf(" %d %s%s", sum[o], outcome_name[o], o + 1 < OUTCOMES ? "," : "\n");
    }
    printf("%d non-finite; %d promised recoveries missed (marked !)\n", non_finite, broken);
    sn_context_destroy(context);
    return non_finite || broken ? 1 : 0;
}
