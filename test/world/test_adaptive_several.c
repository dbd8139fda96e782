/* Adaptive bodies beside others: several of them, plain bodies of all kinds, contact and links between them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "scene_text.h"
#include "world/inside.h"

#define SOLVER                                                                                                         \
    "\"solver\": {\"method\": \"cg\", \"tolerance\": 1e-11, \"precision\": \"double\", \"iterations\": 5000}"

static sn_context *context;
static int start(void **state) {
    (void)state;
    return sn_context_create(NULL, &context, NULL) ? -1 : 0;
}
static int end(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

static sn_world *make_on(sn_context *on, const char *text) {
    sn_world *world;
    sn_error error = {0};
    if (world_from_text(on, "test", text, NULL, 0, &world, &error)) fail_msg("%s", error.text);
    return world;
}

static void run(sn_world *world, int steps) {
    sn_error error = {0};
    for (int i = 0; i < steps; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("step %d: %s", i, error.text);
}

static int64_t changes_of(const sn_world *world, int body) {
    sn_adapt_report r = {0};
    assert_int_equal(sn_world_adapt_report(world, body, &r), SN_OK);
    return r.changes;
}

/* The largest distance between the nodes of a body of one world and a body of another. */
static double gap(const sn_world *a, int body_a, const sn_world *b, int body_b) {
    double most = 0;
    const int nodes = a->model->body[body_a].mesh->node_count;
    for (int i = 0; i < nodes; ++i) {
        const double *x = a->state.x + 3 * (size_t)sn_model_node(a->model, body_a, i),
                     *y = b->state.x + 3 * (size_t)sn_model_node(b->model, body_b, i);
        for (int c = 0; c < 3; ++c) most = fmax(most, fabs(x[c] - y[c]));
    }
    return most;
}

/* ---- Beside each other ---- */
#define BEAM(name, move, adapt)                                                                                        \
    "{\"name\": \"" name "\", \"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"move\": [0, "  \
    "0, " move "], " adapt " \"material\": {\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.3, "     \
    "\"density\": 1000, \"rayleigh\": {\"mass\": 0.5}}, \"fix\": [{\"select\": {\"group\": \"x-\"}}]}"
#define FINE "\"refine\": 2},"
#define ALL "\"refine\": 1}, \"adapt\": {\"levels\": 1, \"select\": \"all\"},"
#define CHANGING                                                                                                       \
    "\"refine\": 1}, \"adapt\": {\"levels\": 1, \"measure\": \"shear\", \"refine\": 0.05, \"coarsen\": 0.04, \"every\": 2, \"wait\": 1, "  \
    "\"detail\": 1},"
#define OTHERS                                                                                                         \
    "{\"name\": \"ten\", \"element\": \"tet10\", \"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, "        \
    "1]}, \"move\": [0, 0, 0.6]}, \"material\": {\"law\": \"neo-hookean\", \"young\": 1e4, \"poisson\": 0.3, "             \
    "\"density\": 1000}, \"fix\": [{\"select\": {\"group\": \"x-\"}}]}, {\"name\": \"springs\", \"element\": "             \
    "\"springs\", \"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"move\": [0, 0, 0.9]}, "         \
    "\"material\": {\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.25, \"density\": 1000}, \"fix\": "              \
    "[{\"select\": {\"group\": \"x-\"}}]}, {\"name\": \"cloth\", \"thickness\": 0.0005, \"mesh\": {\"rectangle\": "            \
    "{\"size\": [0.4, 0.4], \"cells\": [4, 4]}, \"move\": [0, 0, 1.2]}, \"material\": {\"law\": \"cloth-stvk\", "              \
    "\"young\": 1e6, \"poisson\": 0.3, \"density\": 400, \"bending\": {\"stiffness\": 1e-5}}, \"fix\": [{\"select\": "     \
    "{\"group\": \"x-\"}}]}, {\"name\": \"rock\", \"rigid\": true, \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.2], "        \
    "\"cells\": [1, 1, 2]}, \"move\": [0, 0, 2]}, \"material\": {\"density\": 1000}, \"initial\": {\"spin\": [0, 1, "      \
    "2]}}"
#define WORLD(bodies)                                                                                                  \
    "{\"sinew\": 1, \"time\": {\"step\": 0.01, \"newton\": {\"tolerance\": 1e-9}}, " SOLVER ", \"bodies\": [" bodies "]}"

/* Bodies that do not touch do not know of each other. */
static void test_beside(void **state) {
    (void)state;
    sn_world *alone = make_on(context, WORLD(BEAM("a", "0", CHANGING))),
             *plain = make_on(context, WORLD(BEAM("b", "0.3", "\"refine\": 1},") ", " OTHERS)),
             *both = make_on(context, WORLD(BEAM("b", "0.3", "\"refine\": 1},") ", " BEAM("a", "0", CHANGING) ", " OTHERS));
    run(alone, 30), run(plain, 30), run(both, 30);
    assert_true(changes_of(alone, 0) > 3);
    assert_int_equal(changes_of(both, 1), changes_of(alone, 0));
    assert_true(gap(alone, 0, both, 1) < 1e-8);
    for (int b = 0; b < 5; ++b) {
        const double far = gap(plain, b, both, b ? b + 1 : 0);
        if (!(far < 1e-8)) fail_msg("body %d: %g m", b, far);
    }
    sn_adapt_report r;
    assert_int_equal(sn_world_adapt_report(both, 0, &r), SN_NOT_FOUND);
    sn_world_destroy(alone), sn_world_destroy(plain), sn_world_destroy(both);
}

/* When all tets are split, everything is that of the plain refined world, bit by bit. */
static void test_split(void **state) {
    (void)state;
    sn_world *adaptive = make_on(context, WORLD(BEAM("a", "0", ALL) ", " BEAM("b", "0", ALL) ", " OTHERS)),
             *fine = make_on(context, WORLD(BEAM("a", "0", FINE) ", " BEAM("b", "0", FINE) ", " OTHERS));
    run(adaptive, 10), run(fine, 10);
    assert_int_equal(adaptive->solid->active->hanging.count, 0);
    for (int b = 0; b < fine->model->body_count; ++b) assert_true(gap(fine, b, adaptive, b) == 0);
    sn_world_destroy(adaptive), sn_world_destroy(fine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beside), cmocka_unit_test(test_split)};
    return cmocka_run_group_tests(tests, start, end);
}
