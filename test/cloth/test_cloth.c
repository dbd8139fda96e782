/* Bodies of cloth in a world: the sag of a hanging sheet, the drop of a strip, a balloon, memory, no allocation
 * in a step, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_text.h"
#include "strips.h"

static sn_context *context;

static void run(sn_world *world, int steps) {
    sn_error error = {0};
    for (int i = 0; i < steps; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("step %d: %s", i, error.text);
}

static double *positions(sn_world *world) {
    double *x = malloc(3 * (size_t)sn_world_node_count(world) * sizeof *x);
    assert_non_null(x);
    assert_int_equal(sn_world_get(world, 0, x, NULL), SN_OK);
    return x;
}

/* ---- A sheet between two held edges ---- */
/* The stretch of a thread of cloth-stvk with the tension t over its stiffness: l (l^2 - 1) / 2 = t. */
static double stretch_of(double t) {
    double l = 1;
    for (int i = 0; i < 60; ++i) l -= (l * (l * l - 1) / 2 - t) / ((3 * l * l - 1) / 2);
    return l;
}

/* Span and sag of a heavy thread of length 1: its horizontal tension H and weight, over the stiffness. */
static void catenary(double H, double weight, double *span, double *sag) {
    enum { N = 20000 };
    *span = *sag = 0;
    for (int i = 0; i < N; ++i) { /* the right half, from the middle */
        const double V = weight * (i + 0.5) / N / 2, T = sqrt(H * H + V * V), l = stretch_of(T) / (2 * N);
        *span += 2 * l * H / T, *sag += l * V / T;
    }
}

static void hanging_sheet(void **state) {
    (void)state;
    const double density = 400, young = 4e5;
    sn_world *world = world_of_text(
        context, "{\"bodies\": [{\"mesh\": {\"grid\": {\"size\": [1, 0.2], \"cells\": [80, 16]}}, \"thickness\": 0.001,"
                 " \"material\": {\"law\": \"cloth-stvk\", \"young\": 4e5, \"poisson\": 0, \"density\": 400,"
                 " \"rayleigh\": {\"mass\": 4}}, \"fix\": [{\"select\": {\"group\": \"x-\"}}, {\"select\": {\"group\": "
                 "\"x+\"}}]}],"
                 " \"time\": {\"step\": 0.1, \"newton\": {\"tolerance\": 1e-8}}}");
    run(world, 60);
    double *x = positions(world), lowest = 0;
    for (int i = 0; i < sn_world_node_count(world); ++i) lowest = fmin(lowest, x[3 * i + 1]);
    const double weight = density * 9.81 / young; /* of a length of 1 m, over E times the section */
    double low = 1e-6, high = 1, span, sag;
    for (int i = 0; i < 60; ++i) {
        const double H = 0.5 * (low + high);
        catenary(H, weight, &span, &sag);
        *(span > 1 ? &high : &low) = H; /* more tension, more length */
    }
    print_message("  sag %.5f m, of the heavy thread %.5f m (%.2f %%)\n", -lowest, sag, 100 * (-lowest / sag - 1));
    assert_true(sag > 0.05 && fabs(-lowest / sag - 1) < 0.01);
    free(x);
    sn_world_destroy(world);
}

/* ---- A strip that is clamped at one end ---- */
/* The drop of the tip of an elastica of length 1 under its weight, w = weight per length x length^3 / D. */
static double elastica(double w) {
    enum { N = 4000 };
    double low = 0, high = w, drop = 0;
    for (int trial = 0; trial < 80; ++trial) {
        const double start = 0.5 * (low + high), h = 1.0 / N;
        double angle = 0, rate = start;
        drop = 0;
        for (int i = 0; i < N; ++i) { /* midpoint rule for angle'' = -w (1 - s) cos(angle) */
            const double s = i * h, middle = angle + 0.5 * h * rate, slope = rate - 0.5 * h * w * (1 - s) * cos(angle);
            drop += h * sin(middle);
            rate -= h * w * (1 - s - 0.5 * h) * cos(middle);
            angle += h * slope;
        }
        *(rate > 0 ? &high : &low) = start;
    }
    return drop;
}

/* The drop of the tip of a strip over its length, 0.1 m, on a mesh. It is thin enough to stay straight across: hinges
 * alone would curve it there, as a plate with Poisson's ratio -1/3. */
static double strip_drop(int kind, int cells, double w, const char *model) {
    sn_mesh *mesh = strip_mesh(context, kind, cells);
    const double length = 0.1;
    sn_mesh_scale(mesh, length);
    sn_material material = sn_material_default();
    strcpy(material.law, "cloth-stvk");
    const double young = 1e7, poisson = 0, thickness = 1e-3, density = 200;
    sn_material_set(&material, "young", &young, 1, NULL), sn_material_set(&material, "poisson", &poisson, 1, NULL);
    material.density = density;
    material.rayleigh[0] = 10;
    material.bending_stiffness = density * thickness * 9.81 * pow(length, 3) / w;
    strcpy(material.bending_model, model);
    sn_body_options body = sn_body_options_default();
    sn_fix fix = sn_fix_default();
    fix.select = (sn_selector){
        .kind = SN_SELECT_BOX, .box = {{-10, -10, -10}, {length * STRIP_CLAMP(cells), 10, 10}}, .angle = 1};
    body.mesh = mesh, body.material = &material, body.material_count = 1, body.fix = &fix, body.fix_count = 1;
    body.thickness = thickness;
    sn_world_options options = sn_world_options_default();
    options.body = &body, options.body_count = 1;
    options.time.step = 0.05, options.time.newton.tolerance = 1e-6;
    strcpy(options.solver.method, "ldlt"); /* stretch and bending differ by 1e6: conjugate gradients take long */
    sn_world *world = NULL;
    sn_error error = {0};
    if (sn_world_create(context, &options, &world, &error)) fail_msg("%s", error.text);
    run(world, 35);
    double *x = positions(world), drop = 0;
    int tips = 0;
    for (int i = 0; i < mesh->node_count; ++i)
        if (mesh->position[3 * i] > length - 1e-6) drop -= x[3 * i + 1] / length, ++tips;
    free(x);
    sn_world_destroy(world);
    sn_mesh_destroy(mesh);
    assert_true(tips > 0);
    return drop / tips;
}

static void strip(void **state) {
    (void)state;
    static const double number[3] = {2, 10, 50};
    static const char *const model[2] = {"dihedral", "quadratic"};
    for (int m = 0; m < 2; ++m)
        for (int i = m; i < (m ? 2 : 3); ++i) {
            const double drop = strip_drop(0, 32, number[i], model[m]), right = elastica(number[i]);
            print_message("  %s, bending number %g: drop %.4f, elastica %.4f (%.2f %%)\n", model[m], number[i], drop,
                          right, 100 * (drop / right - 1));
            assert_true(fabs(drop / right - 1) < 0.02);
        }
}

static void strip_mesh_directions(void **state) {
    (void)state;
    double low = INFINITY, high = 0;
    for (int kind = 0; kind < STRIPS; ++kind) {
        const double drop = strip_drop(kind, 28, 10, "dihedral");
        print_message("  %s: drop %.4f\n", strip_name[kind], drop);
        low = fmin(low, drop), high = fmax(high, drop);
    }
    assert_true(high / low < 1.05);
}

/* ---- A balloon ---- */
static void balloon(void **state) {
    (void)state;
    const double young = 1e6, nu = 0.3, thickness = 1e-3, radius = 0.5, l = 1.25;
    /* p r = 2 h S with S = E / (1 - nu) (l^2 - 1) / 2 at the stretch l, r = l R */
    const double pressure = 2 * thickness * young / (1 - nu) * (l * l - 1) / 2 / (l * radius);
    sn_mesh *mesh = ball_surface(context, radius, 16);
    sn_material material = sn_material_default();
    strcpy(material.law, "cloth-stvk");
    sn_material_set(&material, "young", &young, 1, NULL), sn_material_set(&material, "poisson", &nu, 1, NULL);
    material.area_density = 0.5, material.rayleigh[0] = 10;
    material.bending_stiffness = 1e-5;
    sn_load load = sn_load_default();
    load.kind = SN_LOAD_PRESSURE, load.scalar = -pressure, load.follow = true;
    load.ramp = (sn_ramp){0, 0.5, true};
    load.select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    sn_body_options body = sn_body_options_default();
    body.mesh = mesh, body.material = &material, body.material_count = 1, body.load = &load, body.load_count = 1;
    body.thickness = thickness;
    sn_world_options options = sn_world_options_default();
    options.body = &body, options.body_count = 1;
    memset(options.gravity, 0, sizeof options.gravity);
    options.time.step = 0.05, options.time.newton.tolerance = 1e-6;
    sn_world *world = NULL;
    sn_error error = {0};
    if (sn_world_create(context, &options, &world, &error)) fail_msg("%s", error.text);
    run(world, 60);
    double *x = positions(world), mean = 0;
    for (int i = 0; i < mesh->node_count; ++i)
        mean +=
            sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]) / mesh->node_count;
    print_message("  radius %.5f m, of the sphere %.5f m (%.2f %%)\n", mean, l * radius,
                  100 * (mean / (l * radius) - 1));
    assert_true(fabs(mean / (l * radius) - 1) < 0.01);
    free(x);
    sn_world_destroy(world);
    sn_mesh_destroy(mesh);
}

/* ---- Buckling ---- */
/* The held edges of a flat sheet come nearer by 40 % in half a second. The sheet buckles: it bends out of its plane.
 * Only the first steps, from the unstable balance of the flat sheet, are divided. It ends slow, and never has more than
 * a small part of the energy that it would have if it stayed flat. */
static void buckling(void **state) {
    (void)state;
    static const char *const constants[4] = {
        "\"law\": \"cloth-stvk\", \"young\": 1e6, \"poisson\": 0.3",
        "\"law\": \"cloth-orthotropic\", \"young\": [1e6, 5e5], \"poisson\": 0.2, \"shear\": 2e5",
        "\"law\": \"cloth-baraff-witkin\", \"stretch\": 1e6, \"shear\": 1e5",
        "\"law\": \"cloth-particles\", \"stretch\": 1e6, \"shear\": 1e5"};
    for (int l = 0; l < 4; ++l) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "{\"gravity\": [0, -0.1, 0], \"bodies\": [{\"mesh\": {\"grid\": {\"size\": [1, 0.5], \"cells\": [20, 10]}},"
            " \"thickness\": 0.001, \"material\": {%s, \"density\": 200, \"bending\": {\"stiffness\": 1e-4}, "
            "\"rayleigh\": {\"mass\": 4}}, \"fix\": [{\"select\": {\"group\": \"x-\"}}, {\"select\": {\"group\": "
            "\"x+\"}, \"keys\": [[0, 0, 0, 0], [0.5, -0.4, 0, 0]]}]}], \"time\": {\"step\": 0.01}}",
            constants[l]);
        sn_world *world = world_of_text(context, text);
        const double flat = 0.5 * 1e6 * 0.001 * 0.5 * 0.4 * 0.4; /* J, about */
        double *x = NULL, lowest = 0;
        sn_energies energy = {0};
        int divided = 0;
        for (int i = 0; i < 150; ++i) {
            sn_step_report report;
            sn_error error = {0};
            if (sn_world_step(world, &report, &error)) fail_msg("%s, step %d: %s", constants[l], i, error.text);
            divided += report.retries > 0;
            assert_int_equal(sn_world_energies(world, &energy, NULL), SN_OK);
            if (!(energy.elastic + energy.kinetic < 0.005 * flat))
                fail_msg("%s, step %d: %g J elastic, %g J kinetic", constants[l], i, energy.elastic, energy.kinetic);
        }
        x = positions(world);
        for (int i = 0; i < sn_world_node_count(world); ++i) lowest = fmin(lowest, x[3 * i + 1]);
        if (!(divided <= 10 && lowest < -0.03 && energy.kinetic < 1e-4 * flat))
            fail_msg("%s: %d divided steps, %g m, %g J kinetic", constants[l], divided, lowest, energy.kinetic);
        free(x);
        sn_world_destroy(world);
    }
}

/* ---- Memory ---- */
/* A sheet without contraction, pulled by a strain of 1e-4 and held: its tension relaxes as the series says. */
static void relaxation(void **state) {
    (void)state;
    static const char *const constants[3] = {
        "\"law\": \"cloth-stvk\", \"young\": 1e5, \"poisson\": 0",
        "\"law\": \"cloth-orthotropic\", \"young\": [1e5, 3e4], \"poisson\": 0, \"shear\": 2e4",
        "\"law\": \"cloth-baraff-witkin\", \"stretch\": 1e5, \"shear\": 2e4"};
    for (int l = 0; l < 3; ++l) {
        char text[1200];
        const double ratio = 2, time = 0.5, h = 0.01;
        snprintf(
            text, sizeof text,
            "{\"gravity\": [0, 0, 0], \"bodies\": [{\"mesh\": {\"grid\": {\"cells\": [4, 4]}}, \"thickness\": 0.001,"
            " \"material\": {%s, \"prony\": [{\"ratio\": 2, \"time\": 0.5}]}, \"fix\": [{\"select\": {\"all\": true}, "
            "\"axes\": \"y\"}, {\"select\": {\"group\": \"x-\"}}, {\"select\": {\"group\": \"x+\"}, \"keys\": [[0, 0, "
            "0, "
            "0], [0.01, 1e-4, 0, 0]]}]}], \"time\": {\"mode\": \"quasi-static\", \"step\": 0.01, \"newton\": "
            "{\"tolerance\": 1e-10}}, \"probes\": [{\"quantity\": \"reaction\", \"select\": {\"group\": \"x-\"}}]}",
            constants[l]);
        sn_world *world = world_of_text(context, text);
        for (int i = 1; i <= 100; ++i) {
            run(world, 1);
            double value[SN_PROBE_VALUES];
            int count;
            assert_int_equal(sn_world_probe(world, 0, value, &count, NULL), SN_OK);
            const double gain = time / h * (1 - exp(-h / time)),
                         right = 1e5 * 1e-4 * 1e-3 * (1 + ratio * gain * exp(-(i * h - h) / time));
            if (!(fabs(-value[0] / right - 1) < 2e-3))
                fail_msg("%s at %g s: %g N, not %g N", constants[l], i * h, -value[0], right);
        }
        sn_world_destroy(world);
    }
}

/* ---- Steps ---- */
static void no_allocation(void **state) {
    (void)state;
    failing_allocator counting = failing_allocator_make();
    sn_context *own = failing_allocator_context(&counting);
    sn_world *world = world_of_text(
        own,
        "{\"bodies\": [{\"mesh\": {\"grid\": {\"cells\": [16, 16]}}, \"thickness\": 0.001, \"material\": {\"law\": "
        "\"cloth-stvk\", \"young\": 5e4, \"poisson\": 0.3, \"bending\": {\"stiffness\": 1e-5, \"damping\": 1e-7}}, "
        "\"fix\": [{\"select\": {\"group\": \"x-\"}}]}], \"time\": {\"step\": 0.01}}");
    run(world, 5);
    const int64_t before = counting.requests;
    run(world, 5);
    assert_int_equal(counting.requests, before);
    sn_world_destroy(world);
    sn_context_destroy(own);
    assert_int_equal(counting.live, 0);
}

/* ---- Errors ---- */
static void refused(sn_mesh *mesh, const char *path, const char *words) {
    sn_material material = sn_material_default();
    strcpy(material.law, "cloth-stvk");
    sn_body_options body = sn_body_options_default();
    body.mesh = mesh, body.material = &material, body.material_count = 1, body.thickness = 0.001;
    sn_world_options options = sn_world_options_default();
    options.body = &body, options.body_count = 1;
    sn_world *world = NULL;
    sn_error error = {0};
    assert_int_not_equal(sn_world_create(context, &options, &world, &error), SN_OK);
    if (!strstr(error.text, words) || strcmp(error.path, path) != 0) fail_msg("%s: %s", error.path, error.text);
    sn_mesh_destroy(mesh);
}

static sn_mesh *triangles(int nodes, const double *x, int count, const int32_t *node) {
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(context, nodes, 0, 4, count, &mesh, NULL), SN_OK);
    memcpy(mesh->position, x, 3 * (size_t)nodes * sizeof *x);
    memcpy(mesh->triangle, node, 3 * (size_t)count * sizeof *node);
    return mesh;
}

static void bad_meshes(void **state) {
    (void)state;
    const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, -1, 0};
    const int32_t three[9] = {0, 1, 2, 1, 0, 3, 0, 1, 4}, flat[6] = {0, 1, 2, 0, 1, 1}, same[6] = {0, 1, 2, 1, 0, 2};
    const double line[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    const int32_t one[3] = {0, 1, 2};
    refused(triangles(5, x, 3, three), "bodies.0.mesh", "the edge between nodes 0 and 1 belongs to 3 triangles");
    refused(triangles(5, x, 2, flat), "bodies.0.mesh", "triangle 1 has no area");
    refused(triangles(5, x, 2, same), "bodies.0.mesh", "triangles 0 and 1 have the same nodes");
    refused(triangles(3, line, 1, one), "bodies.0.mesh", "triangle 0 has no area");
}

int main(void) {
    if (sn_context_create(NULL, &context, NULL)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging_sheet), cmocka_unit_test(strip),      cmocka_unit_test(strip_mesh_directions),
        cmocka_unit_test(balloon),       cmocka_unit_test(buckling),   cmocka_unit_test(relaxation),
        cmocka_unit_test(no_allocation), cmocka_unit_test(bad_meshes),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sn_context_destroy(context);
    return failed;
}
