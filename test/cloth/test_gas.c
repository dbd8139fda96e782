/* Gas in closed cloth: agreement of energy, force and stiffness, linear solves with the part of rank one, the radius of
 * a sphere in closed form, a bag of air that keeps its volume, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math3.h"
#include "scene_text.h"
#include "strips.h"
#include "world/inside.h"

static sn_context *context;

static const char ball[] = "{\"bodies\": [{\"mesh\": {\"sphere\": {\"radius\": 0.5, \"cells\": %d}, \"shell\": true},"
                           " \"thickness\": 0.001, \"gas\": %s, \"material\": {\"law\": \"cloth-stvk\", \"young\": 1e6,"
                           " \"poisson\": 0.3, \"area_density\": 0.5, \"rayleigh\": {\"mass\": %g}, \"bending\": "
                           "{\"stiffness\": 1e-5}}%s}], \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.05, \"newton\": "
                           "{\"tolerance\": 1e-8}}}";

static sn_world *balloon(int cells, const char *gas, double damping, const char *more) {
    char text[1200];
    snprintf(text, sizeof text, ball, cells, gas, damping, more);
    return world_of_text(context, text);
}

static void run(sn_world *world, int steps) {
    sn_error error = {0};
    for (int i = 0; i < steps; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("step %d: %s", i, error.text);
}

/* The volume that its triangles enclose. */
static double volume_of(sn_world *world) {
    const sn_mesh *mesh = world->model->body[0].mesh;
    double *x = malloc(3 * (size_t)mesh->node_count * sizeof *x), sum = 0;
    assert_int_equal(sn_world_get(world, 0, x, NULL), SN_OK);
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int32_t *n = mesh->triangle + 3 * (size_t)t;
        double c[3];
        sn_cross3(x + 3 * n[1], x + 3 * n[2], c);
        sum += sn_dot3(x + 3 * n[0], c) / 6;
    }
    free(x);
    return sum;
}

static void agreement(void **state) {
    (void)state;
    static const char *const gas[] = {"{\"pressure\": 3000}", "{\"pressure\": 2000, \"law\": \"constant\"}",
                                      "{\"law\": \"isothermal\"}", "{\"pressure\": 5000, \"ambient\": 0}"};
    for (int i = 0; i < 4; ++i) {
        sn_world *world = balloon(6, gas[i], 0, ", \"initial\": {\"velocity\": [1, 0, 0], \"scale\": 0.9}");
        sn_error error = {0};
        sn_interaction_errors errors;
        for (int n = 0; n < 3 * world->model->node_count; ++n) world->state.x[n] += 0.02 * sin(5 * n);
        assert_int_equal(sn_world_check_interaction(world, "gas", &errors, &error), SN_OK);
        print_message("  %s: energy %.1e, stiffness %.1e\n", gas[i], errors.energy, errors.stiffness);
        assert_true(errors.energy < 1e-6 && errors.stiffness < 1e-6);
        sn_world_destroy(world);
    }
}

/* The stiffness is symmetric, and a solve undoes the product. */
static void solves(void **state) {
    (void)state;
    sn_world *world = balloon(6, "{\"pressure\": 3000}", 0, ", \"initial\": {\"scale\": 1.1}");
    sn_error error = {0};
    sn_system *system = &world->workspace.system.base;
    const int n = system->count;
    double *force = calloc((size_t)n, sizeof *force), *u = malloc((size_t)n * sizeof *u),
           *w = malloc((size_t)n * sizeof *w), *Au = malloc((size_t)n * sizeof *Au),
           *Aw = malloc((size_t)n * sizeof *Aw), *x = calloc((size_t)n, sizeof *x);
    sn_result result;
    const sn_request request = {
        .x = world->state.x, .v = world->state.v, .force = force, .linearise = SN_LINEARISE_EXACT};
    assert_int_equal(system->table->evaluate(system, &request, &result, &error), SN_OK);
    for (int i = 0; i < n; ++i) u[i] = sin(i), w[i] = cos(3 * i);
    sn_linearisation_product(result.linearisation, 400, 0, 1, u, Au);
    sn_linearisation_product(result.linearisation, 400, 0, 1, w, Aw);
    double left = 0, right = 0, worst = 0;
    for (int i = 0; i < n; ++i) left += w[i] * Au[i], right += u[i] * Aw[i];
    assert_true(fabs(left - right) < 1e-10 * fabs(left));
    const sn_solve solve = {.m = 400, .d = 0, .k = 1, .b = Au, .x = x, .tolerance = 1e-12};
    sn_linear_report report = {0};
    if (sn_linearisation_solve(result.linearisation, &solve, &report, &error)) fail_msg("%s", error.text);
    for (int i = 0; i < n; ++i) worst = fmax(worst, fabs(x[i] - u[i]));
    print_message("  solve and product: apart by %.1e\n", worst);
    assert_true(worst < 1e-6);
    free(force), free(u), free(w), free(Au), free(Aw), free(x);
    sn_world_destroy(world);
}

/* p r = 2 h S with S = E / (1 - nu) (l^2 - 1) / 2 at the stretch l, r = l R; p by Boyle's law at the volume l^3 V0. */
static double stretch_of(double p0, double ambient) {
    double low = 1, high = 3;
    for (int i = 0; i < 80; ++i) {
        const double l = 0.5 * (low + high), p = (ambient + p0) / (l * l * l) - ambient,
                     held = 2 * 1e-3 * 1e6 / 0.7 * (l * l - 1) / 2 / (l * 0.5);
        *(p > held ? &low : &high) = l;
    }
    return low;
}

static void radius(void **state) {
    (void)state;
    static const double p0[2] = {20000, 4000}, ambient[2] = {101325, 0};
    for (int i = 0; i < 2; ++i) {
        char gas[100];
        snprintf(gas, sizeof gas, "{\"pressure\": %g, \"ambient\": %g}", p0[i], ambient[i]);
        sn_world *world = balloon(16, gas, 10, "");
        const double before = volume_of(world);
        run(world, 60);
        const double l = cbrt(volume_of(world) / before), expected = stretch_of(p0[i], ambient[i]);
        print_message("  %s: radius %.5f, closed form %.5f (%.3f %%), %d triangles\n", gas, l, expected,
                      100 * (l / expected - 1), world->model->body[0].mesh->triangle_count);
        assert_true(expected > 1.03 && fabs(l / expected - 1) < 0.01);
        sn_world_destroy(world);
    }
}

/* Air hardly changes its volume, and a static balloon is the one that dynamics ends at. */
static void bag_of_air(void **state) {
    (void)state;
    sn_world *world = balloon(8, "{\"law\": \"isothermal\"}", 0, ", \"initial\": {\"velocity\": [0, -3, 0]}");
    sn_error error = {0};
    sn_collider floor = sn_collider_plane((double[3]){0, -0.5, 0}, (double[3]){0, 1, 0});
    assert_int_equal(sn_world_add_collider(world, &floor, NULL, &error), SN_OK);
    const double before = volume_of(world);
    double least = before;
    for (int i = 0; i < 20; ++i) {
        run(world, 1);
        least = fmin(least, volume_of(world));
    }
    print_message("  smallest volume %.4f of the first\n", least / before);
    assert_true(least / before > 0.9 && least / before < 0.9999);
    sn_world_destroy(world);
}

static void refuse(const char *mesh, const char *gas, const char *words) {
    char text[1000];
    sn_world *world = NULL;
    sn_error error = {0};
    snprintf(
        text, sizeof text,
        "{\"bodies\": [{\"mesh\": %s, \"gas\": %s, \"thickness\": 0.001, \"material\": {\"law\": \"cloth-stvk\"}}]}",
        mesh, gas);
    assert_true(world_from_text(context, "test", text, NULL, 0, &world, &error) != SN_OK);
    if (!strstr(error.text, words)) fail_msg("%s", error.text);
}

static void refused(void **state) {
    (void)state;
    const char *shell = "{\"sphere\": {\"cells\": 4}, \"shell\": true}";
    refuse("{\"grid\": {\"cells\": [3, 3]}}", "{\"pressure\": 1}", "is not closed");
    refuse(shell, "{\"pressure\": -2e5}", "it must be above 0");
    refuse(shell, "{\"pressure\": 1, \"law\": \"constant\", \"ambient\": 5}", "gas.ambient has no effect");
    refuse(shell, "{\"law\": \"constant\"}", "no effect without gas.pressure");
    refuse(shell, "{\"law\": \"warm\"}", "isothermal");
    sn_world *world = NULL;
    sn_error error = {0};
    assert_true(
        world_from_text(context, "test",
                        "{\"bodies\": [{\"mesh\": {\"box\": {\"cells\": [1, 1, 1]}}, \"gas\": {\"pressure\": 1}}]}",
                        NULL, 0, &world, &error) != SN_OK);
    assert_non_null(strstr(error.text, "is no cloth"));
    /* a triangle that is turned */
    sn_mesh *mesh = ball_surface(context, 0.5, 4);
    const int32_t keep = mesh->triangle[1];
    mesh->triangle[1] = mesh->triangle[2], mesh->triangle[2] = keep;
    sn_material material = sn_material_default();
    strcpy(material.law, "cloth-stvk");
    sn_body_options body = sn_body_options_default();
    body.mesh = mesh, body.material = &material, body.material_count = 1, body.thickness = 0.001;
    body.gas.pressure = 1;
    sn_world_options options = sn_world_options_default();
    options.body = &body, options.body_count = 1;
    assert_int_equal(sn_world_create(context, &options, &world, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "have different sides outside"));
    assert_string_equal(error.path, "bodies.0.gas");
    sn_mesh_destroy(mesh);
}

int main(void) {
    if (sn_context_create(NULL, &context, NULL)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(agreement), cmocka_unit_test(solves), cmocka_unit_test(radius),
                                       cmocka_unit_test(bag_of_air), cmocka_unit_test(refused)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sn_context_destroy(context);
    return failed;
}
