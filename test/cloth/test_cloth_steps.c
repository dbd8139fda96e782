/* Steps of cloth, of particles and of gas: the same bits for any threads and vector width, no allocation, saved and
 * restored states, memory that runs out, and edits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out_of_memory.h"
#include "simd_sets.h"

#define PARTICLES                                                                                                      \
    "{\"bodies\": [{\"mesh\": {\"grid\": {\"size\": [1, 1], \"cells\": [14, 14]}, \"move\": [0, 0.32, 0]}, "           \
    "\"thickness\": 0.001, \"material\": {\"law\": \"cloth-particles\", \"stretch\": [5e4, 6e4], \"shear\": 2e3, "     \
    "\"damping\": 50, \"density\": 300, \"bending\": {\"stiffness\": 1e-5, \"damping\": 1e-7}}, \"fix\": "             \
    "[{\"select\": {\"group\": \"z-\"}}]}], \"colliders\": [{\"sphere\": {\"radius\": 0.3}, \"friction\": 0.3}], "     \
    "\"time\": {\"step\": 0.01, "

#define DRAPE_ON(response, more, newton)                                                                               \
    "{\"bodies\": [{\"mesh\": {\"grid\": {\"size\": [1, 1], \"cells\": [16, 16]}, \"move\": [0, 0.32, 0]}, "           \
    "\"thickness\": 0.001, \"material\": {\"law\": \"cloth-stvk\", \"young\": 5e4, \"poisson\": 0.3, \"density\": "    \
    "300, \"bending\": {\"stiffness\": 1e-5, \"damping\": 1e-7}, \"rayleigh\": {\"stiffness\": 0.002}}}], "            \
    "\"colliders\": [{\"sphere\": {\"radius\": 0.3}, \"friction\": 0.3, \"response\": \"" response "\"}], " more       \
    "\"time\": {\"step\": 0.01" newton "}}"
#define DRAPE(response) DRAPE_ON(response, "", "")

static const char *const text[] = {
    PARTICLES "\"newton\": {\"kind\": \"inexact\", \"iterations\": 30}}}",
    PARTICLES "\"newton\": {\"kind\": \"inexact\", \"tolerance\": 0.1, \"iterations\": 200, \"jacobian\": "
              "\"approximate\"}}, \"solver\": {\"preconditioner\": \"ic0\"}}",
    PARTICLES "\"newton\": {\"kind\": \"fixed\", \"iterations\": 3, \"jacobian\": \"approximate\"}}, \"solver\": "
              "{\"preconditioner\": \"ssor\"}}",
    PARTICLES "\"method\": \"imex-euler\", \"updates\": 2}, \"solver\": {\"preconditioner\": \"diagonal\"}}",
    PARTICLES "\"method\": \"imex-midpoint\", \"updates\": 1}}",
    DRAPE("penalty"),
    DRAPE("projection"),
    DRAPE_ON("penalty",
             "\"contact\": {\"response\": \"exact\", \"self\": true}, \"solver\": {\"preconditioner\": "
             "\"ic0-lumps\"}, ",
             ", \"newton\": {\"kind\": \"one-step\"}"),
    "{\"bodies\": [{\"mesh\": {\"sphere\": {\"radius\": 0.3, \"cells\": 5}, \"shell\": true, \"move\": [0, 0.31, 0]}, "
    "\"thickness\": 0.001, \"gas\": {\"pressure\": 500}, \"material\": {\"law\": \"cloth-stvk\", \"young\": 2e5, "
    "\"poisson\": 0.3, \"density\": 300, \"bending\": {\"stiffness\": 1e-5}, \"rayleigh\": {\"mass\": 2}}}], "
    "\"colliders\": [{\"plane\": {\"point\": [0, 0, 0]}}], \"time\": {\"step\": 0.01, \"newton\": {\"kind\": "
    "\"one-step\"}}}"};
enum { CASES = sizeof text / sizeof *text, FIRST_DRAPE = 5, LAST_DRAPE = 6 };

static void run(sn_world *world, int steps, int which) {
    sn_error error = {0};
    for (int i = 0; i < steps; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("case %d, step %d: %s", which, i, error.text);
}

/* Long waves of a stiff sheet take ic0 many iterations; its lumps take most of them away. */
static void lumps_help(void **state) {
    (void)state;
    int iterations[2] = {0};
    for (int i = 0; i < 2; ++i) {
        char scene[700];
        snprintf(scene, sizeof scene,
                 "{\"bodies\": [{\"mesh\": {\"grid\": {\"size\": [1, 1], \"cells\": [40, 40]}}, \"thickness\": 0.001, "
                 "\"material\": {\"law\": \"cloth-stvk\", \"young\": 5e6, \"poisson\": 0.3, \"density\": 200, "
                 "\"bending\": {\"stiffness\": 1e-5}}, \"fix\": [{\"select\": {\"group\": \"z-\"}}]}], \"time\": "
                 "{\"step\": 0.02, \"newton\": {\"kind\": \"one-step\"}}, \"solver\": {\"tolerance\": 0.01, "
                 "\"preconditioner\": \"%s\"}}",
                 i ? "ic0-lumps" : "ic0");
        sn_context *own = NULL;
        assert_int_equal(sn_context_create(NULL, &own, NULL), SN_OK);
        sn_world *world = world_of_text(own, scene);
        for (int step = 0; step < 20; ++step) {
            sn_step_report report;
            assert_int_equal(sn_world_step(world, &report, NULL), SN_OK);
            iterations[i] += report.linear_iterations;
        }
        sn_world_destroy(world);
        sn_context_destroy(own);
    }
    print_message("a stiff sheet: %d iterations with ic0, %d with lumps\n", iterations[0], iterations[1]);
    assert_true(3 * iterations[1] < 2 * iterations[0]);
}

static void outside_ball(const sn_world *world) {
    const int nodes = sn_world_node_count(world);
    double *x = malloc(3 * (size_t)nodes * sizeof *x);
    assert_non_null(x);
    assert_int_equal(sn_world_get(world, 0, x, NULL), SN_OK);
    for (int i = 0; i < nodes; ++i)
        assert_true(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2] >
                    pow(0.3 - 0.01, 2));
    free(x);
}

static void same_bits(void **state) {
    (void)state;
    for (int c = 0; c < CASES; ++c) {
        char first[17] = "";
        for (int n = 1; n <= 4; ++n) {
            sn_context_options options = sn_context_options_default();
            options.threads = n, options.simd = n == 3 ? "baseline" : n == 4 ? simd_or_widest("avx2") : "auto";
            sn_context *own = NULL;
            assert_int_equal(sn_context_create(&options, &own, NULL), SN_OK);
            sn_world *world = world_of_text(own, text[c]);
            run(world, 15, c);
            char hash[17];
            sn_world_hash(world, hash);
            if (n == 1) strcpy(first, hash);
            if (strcmp(first, hash) != 0) fail_msg("case %d with %d threads: %s, not %s", c, n, hash, first);
            if (c >= FIRST_DRAPE && c <= LAST_DRAPE) outside_ball(world);
            sn_world_destroy(world);
            sn_context_destroy(own);
        }
    }
}

/* Without contacts, whose number may grow. */
static void no_allocation(void **state) {
    (void)state;
    for (int c = 0; c < CASES; ++c) {
        failing_allocator counting = failing_allocator_make();
        sn_context *own = failing_allocator_context(&counting);
        const sn_override none = {"colliders", "[]"};
        sn_world *world = NULL;
        sn_error error = {0};
        if (world_from_text(own, "test", text[c], &none, 1, &world, &error)) fail_msg("%s", error.text);
        run(world, 5, c);
        const int64_t before = counting.requests;
        run(world, 5, c);
        if (counting.requests != before)
            fail_msg("case %d: %lld allocations", c, (long long)(counting.requests - before));
        sn_world_destroy(world);
        sn_context_destroy(own);
        assert_int_equal(counting.live, 0);
    }
}

/* A run that was never saved, one that was, and one that restores the state go on with the same bits. */
static void restored(void **state) {
    (void)state;
    sn_context *own = NULL;
    assert_int_equal(sn_context_create(NULL, &own, NULL), SN_OK);
    for (int c = 0; c < CASES; ++c) {
        sn_error error = {0};
        char hash[3][17];
        sn_world *plain = world_of_text(own, text[c]), *saved = world_of_text(own, text[c]),
                 *other = world_of_text(own, text[c]);
        run(plain, 10, c), run(saved, 5, c);
        const size_t size = sn_world_state_size(saved);
        void *bytes = malloc(size);
        if (sn_world_save_state(saved, bytes, size, &error)) fail_msg("%s", error.text);
        if (sn_world_restore_state(other, bytes, size, &error)) fail_msg("%s", error.text);
        run(saved, 5, c), run(other, 5, c);
        sn_world_hash(plain, hash[0]), sn_world_hash(saved, hash[1]), sn_world_hash(other, hash[2]);
        if (strcmp(hash[0], hash[1]) != 0 || strcmp(hash[1], hash[2]) != 0)
            fail_msg("case %d: %s %s %s", c, hash[0], hash[1], hash[2]);
        free(bytes);
        sn_world_destroy(plain), sn_world_destroy(saved), sn_world_destroy(other);
    }
    sn_context_destroy(own);
}

static void out_of_memory(void **state) {
    (void)state;
    static const int some[] = {1, FIRST_DRAPE, CASES - 1};
    for (int i = 0; i < 3; ++i) run_out_of_memory(text[some[i]], true);
}

/* Another modulus, damping or bending in a run changes the motion: no matrix of the old one stays. */
static void edited_particles(void **state) {
    (void)state;
    sn_context *own = NULL;
    assert_int_equal(sn_context_create(NULL, &own, NULL), SN_OK);
    char hash[5][17];
    for (int k = 0; k < 5; ++k) {
        sn_world *world = world_of_text(own, text[2]);
        run(world, 3, k);
        sn_material material = *sn_world_material(world, 0, 0);
        sn_error error = {0};
        const double stretch = 7e4, damping = 20;
        if (k == 1) sn_material_set(&material, "stretch", &stretch, 1, NULL);
        if (k == 2) sn_material_set(&material, "damping", &damping, 1, NULL);
        if (k == 3) material.bending_stiffness = 0, material.bending_damping = 0;
        if (k == 4) material.rayleigh[1] = 0.01;
        if (sn_world_set_material(world, 0, 0, &material, &error)) fail_msg("%s", error.text);
        run(world, 3, k);
        sn_world_hash(world, hash[k]);
        for (int i = 0; i < k; ++i) assert_string_not_equal(hash[i], hash[k]);
        sn_world_destroy(world);
    }
    sn_context_destroy(own);
}

/* Bending, direction and area density may change between steps. */
static void edited_sheet(void **state) {
    (void)state;
    char hash[4][17];
    sn_context *own = NULL;
    assert_int_equal(sn_context_create(NULL, &own, NULL), SN_OK);
    for (int k = 0; k < 4; ++k) {
        sn_world *world = world_of_text(own, text[FIRST_DRAPE]);
        run(world, 5, k);
        sn_material material = *sn_world_material(world, 0, 0);
        if (k == 1) material.bending_stiffness = 0, material.bending_damping = 0;
        if (k == 2) strcpy(material.bending_model, "quadratic");
        if (k == 3) material.density = 1000, material.area_density = 0.5;
        sn_error error = {0};
        if (sn_world_set_material(world, 0, 0, &material, &error)) fail_msg("%s", error.text);
        run(world, 3, k);
        sn_world_hash(world, hash[k]);
        for (int i = 0; i < k; ++i) assert_string_not_equal(hash[i], hash[k]);
        sn_world_destroy(world);
    }
    sn_context_destroy(own);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits),     cmocka_unit_test(lumps_help),
                                       cmocka_unit_test(no_allocation), cmocka_unit_test(restored),
                                       cmocka_unit_test(out_of_memory), cmocka_unit_test(edited_particles),
                                       cmocka_unit_test(edited_sheet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
