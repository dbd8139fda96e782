/* Adaptive bodies beside others: several of them, plain bodies of all kinds, contact and links between them. */
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
#include "intersections.h"
#include "text_world.h"
#include "world/inside.h"

#define SOLVER "\"solver\": {\"method\": \"cg\", \"tolerance\": 1e-11, \"precision\": \"double\", \"iterations\": 5000}"

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
    "{\"name\": \"" name "\", \"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"move\": [0, "   \
    "0, " move "], " adapt " \"material\": {\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.3, "                \
    "\"density\": 1000, \"rayleigh\": {\"mass\": 0.5}}, \"fix\": [{\"select\": {\"group\": \"x-\"}}]}"
#define FINE "\"refine\": 2},"
#define ALL "\"refine\": 1}, \"adapt\": {\"levels\": 1, \"select\": \"all\"},"
#define CHANGING                                                                                                       \
    "\"refine\": 1}, \"adapt\": {\"levels\": 1, \"measure\": \"shear\", \"refine\": 0.05, \"coarsen\": 0.04, "         \
    "\"every\": 2, \"wait\": 1, "                                                                                      \
    "\"detail\": 1},"
#define OTHERS                                                                                                         \
    "{\"name\": \"ten\", \"element\": \"tet10\", \"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, "   \
    "1]}, \"move\": [0, 0, 0.6]}, \"material\": {\"law\": \"neo-hookean\", \"young\": 1e4, \"poisson\": 0.3, "         \
    "\"density\": 1000}, \"fix\": [{\"select\": {\"group\": \"x-\"}}]}, {\"name\": \"springs\", \"element\": "         \
    "\"springs\", \"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"move\": [0, 0, 0.9]}, "     \
    "\"material\": {\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.25, \"density\": 1000}, \"fix\": "          \
    "[{\"select\": {\"group\": \"x-\"}}]}, {\"name\": \"cloth\", \"thickness\": 0.0005, \"mesh\": {\"rectangle\": "    \
    "{\"size\": [0.4, 0.4], \"cells\": [4, 4]}, \"move\": [0, 0, 1.2]}, \"material\": {\"law\": \"cloth-stvk\", "      \
    "\"young\": 1e6, \"poisson\": 0.3, \"density\": 400, \"bending\": {\"stiffness\": 1e-5}}, \"fix\": [{\"select\": " \
    "{\"group\": \"x-\"}}]}, {\"name\": \"rock\", \"rigid\": true, \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.2], "   \
    "\"cells\": [1, 1, 2]}, \"move\": [0, 0, 2]}, \"material\": {\"density\": 1000}, \"initial\": {\"spin\": [0, 1, "  \
    "2]}}"
#define WORLD(bodies)                                                                                                  \
    "{\"sinew\": 1, \"time\": {\"step\": 0.01, \"newton\": {\"tolerance\": 1e-9}}, " SOLVER ", \"bodies\": [" bodies   \
    "]}"

/* Bodies that do not touch do not know of each other. */
static void test_beside(void **state) {
    (void)state;
    sn_world *alone = world_of_text(context, WORLD(BEAM("a", "0", CHANGING))),
             *plain = world_of_text(context, WORLD(BEAM("b", "0.3", "\"refine\": 1},") ", " OTHERS)),
             *both = world_of_text(
                 context, WORLD(BEAM("b", "0.3", "\"refine\": 1},") ", " BEAM("a", "0", CHANGING) ", " OTHERS));
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

/* The same with memories: of tets that change, with dropped and with frozen details, of a body of quadratic tets and of
 * cloth. A restored world goes on as it was. */
#define PRONY                                                                                                          \
    "\"prony\": {\"on\": \"shear\", \"terms\": [{\"ratio\": 1, \"time\": 0.1}, {\"ratio\": 0.5, \"time\": 1}]}, "
#define REMEMBERING(name, move, adapt)                                                                                 \
    "{\"name\": \"" name "\", \"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"move\": [0, "   \
    "0, " move "], " adapt " \"material\": {\"law\": \"corotated\", " PRONY                                            \
    "\"young\": 1e4, \"poisson\": 0.3, \"density\": 1000}, \"fix\": [{\"select\": {\"group\": \"x-\"}}]}"
#define FREEZING                                                                                                       \
    "\"refine\": 1}, \"adapt\": {\"levels\": 1, \"measure\": \"shear\", \"refine\": 0.05, \"coarsen\": 0.04, "         \
    "\"every\": 2, \"wait\": 1, \"detail\": 1, \"details\": \"freeze\"},"
#define TEN                                                                                                            \
    "{\"name\": \"ten\", \"element\": \"tet10\", \"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, "   \
    "1]}, \"move\": [0, 0, 0.6]}, \"material\": {\"law\": \"stvk\", " PRONY                                            \
    "\"young\": 1e4, \"poisson\": 0.3, \"density\": 1000}, \"fix\": [{\"select\": {\"group\": \"x-\"}}]}, {\"name\": " \
    "\"cloth\", \"thickness\": 0.0005, \"mesh\": {\"rectangle\": {\"size\": [0.4, 0.4], \"cells\": [4, 4]}, "          \
    "\"move\": "                                                                                                       \
    "[0, 0, 1.2]}, \"material\": {\"law\": \"cloth-stvk\", " PRONY                                                     \
    "\"young\": 1e6, \"poisson\": 0.3, \"density\": 400, \"bending\": {\"stiffness\": 1e-5}}, \"fix\": [{\"select\": " \
    "{\"group\": \"x-\"}}]}"

static void test_remembering(void **state) {
    (void)state;
    sn_error error = {0};
    sn_world *drops = world_of_text(context, WORLD(REMEMBERING("a", "0", CHANGING))),
             *freezes = world_of_text(context, WORLD(REMEMBERING("b", "0.3", FREEZING))),
             *ten = world_of_text(context, WORLD(TEN)),
             *all = world_of_text(
                 context, WORLD(REMEMBERING("a", "0", CHANGING) ", " TEN ", " REMEMBERING("b", "0.3", FREEZING)));
    run(drops, 15), run(freezes, 15), run(ten, 15), run(all, 15);
    const size_t size = sn_world_state_size(all);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(all, bytes, size, &error), SN_OK);
    run(drops, 25), run(freezes, 25), run(ten, 25), run(all, 25);
    assert_true(changes_of(all, 0) > 2 && changes_of(all, 3) > 2);
    assert_int_equal(changes_of(all, 0), changes_of(drops, 0));
    assert_int_equal(changes_of(all, 3), changes_of(freezes, 0));
    const double far[4] = {gap(drops, 0, all, 0), gap(freezes, 0, all, 3), gap(ten, 0, all, 1), gap(ten, 1, all, 2)};
    for (int b = 0; b < 4; ++b)
        if (!(far[b] < 1e-8)) fail_msg("body %d: %g m", b, far[b]);
    char hash[17], again[17];
    sn_world_hash(all, hash);
    assert_int_equal(sn_world_restore_state(all, bytes, size, &error), SN_OK);
    run(all, 25);
    sn_world_hash(all, again);
    assert_string_equal(again, hash);
    free(bytes);
    sn_world_destroy(drops), sn_world_destroy(freezes), sn_world_destroy(ten), sn_world_destroy(all);
}

/* When all tets are split, everything is that of the plain refined world, bit by bit. */
static void test_split(void **state) {
    (void)state;
    sn_world *adaptive = world_of_text(context, WORLD(BEAM("a", "0", ALL) ", " BEAM("b", "0", ALL) ", " OTHERS)),
             *fine = world_of_text(context, WORLD(BEAM("a", "0", FINE) ", " BEAM("b", "0", FINE) ", " OTHERS));
    run(adaptive, 10), run(fine, 10);
    assert_int_equal(adaptive->solid->active->hanging.count, 0);
    for (int b = 0; b < fine->model->body_count; ++b) assert_true(gap(fine, b, adaptive, b) == 0);
    sn_world_destroy(adaptive), sn_world_destroy(fine);
}

/* ---- Contact ---- */
/* Two free boxes that hit each other. The left one is adaptive. */
static const char hit[] =
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005, \"newton\": {\"tolerance\": 1e-8}}, " SOLVER
    ", \"contact\": {\"between\": \"all\", \"response\": \"%s\", \"friction\": 0.3}, \"bodies\": [{\"name\": \"left\", "
    "\"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2]}}, \"adapt\": {\"levels\": 2, \"measure\": "
    "\"gradient\", \"refine\": 0.01, \"coarsen\": 0.00125, \"every\": 2, \"wait\": 2, \"detail\": 1, \"budget\": "
    "3000}, \"material\": {\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.3, \"density\": 1000}, \"initial\": "
    "{\"velocity\": [0.5, 0, 0], \"spin\": [0, 1, 0]}}, {\"name\": \"right\", \"mesh\": {\"box\": {\"size\": [0.1, "
    "0.1, 0.1], \"cells\": [3, 3, 3]}, \"move\": [0.13, 0.03, 0.01]}, \"material\": {\"law\": \"corotated\", "
    "\"young\": 2e4, \"poisson\": 0.3, \"density\": 1000}, \"initial\": {\"velocity\": [-0.5, 0, 0]}}]}";
static const char *const response[] = {"area", "penalty", "exact"};

static sn_world *hit_with(sn_context *on, int r) {
    char text[2000];
    snprintf(text, sizeof text, hit, response[r]);
    return world_of_text(on, text);
}

/* A collision keeps the momentum, whatever changes in it. */
static void test_momentum(void **state) {
    (void)state;
    for (int r = 0; r < 3; ++r) {
        sn_world *world = hit_with(context, r);
        double P[2][3], L[2][3], lost = 0, turned = 0;
        int contacts = 0;
        sn_world_momentum(world, P[0], L[0]);
        for (int i = 0; i < 60; ++i) {
            run(world, 1);
            contacts += sn_world_contacts(world, NULL, 0);
        }
        sn_world_momentum(world, P[1], L[1]);
        for (int c = 0; c < 3; ++c) {
            lost = fmax(lost, fabs(P[1][c] - P[0][c]));
            turned = fmax(turned, fabs(L[1][c] - L[0][c]));
        }
        assert_true(contacts > 20 && changes_of(world, 0) > 5);
        if (!(lost < 1e-10 && turned < 1e-10)) fail_msg("%s: %g kg m/s, %g kg m^2/s", response[r], lost, turned);
        sn_world_destroy(world);
    }
}

/* With everything split, contacts have the bits of the plain world too. */
static void test_split_contact(void **state) {
    (void)state;
#define CUBES(first)                                                                                                   \
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.005}, \"contact\": {\"between\": \"all\", "         \
    "\"response\": \"%s\", \"friction\": 0.3}, \"bodies\": [{\"name\": \"left\", \"mesh\": {\"box\": {\"size\": "      \
    "[0.1, 0.1, 0.1], \"cells\": [2, 2, 2]}, " first " \"material\": {\"law\": \"corotated\", \"young\": 1e4, "        \
    "\"poisson\": 0.3, \"density\": 1000}, \"initial\": {\"velocity\": [0.5, 0, 0]}}, {\"name\": \"right\", "          \
    "\"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [3, 3, 3]}, \"move\": [0.11, 0.03, 0.01]}, "           \
    "\"material\": {\"law\": \"corotated\", \"young\": 2e4, \"poisson\": 0.3, \"density\": 1000}}]}"
    for (int r = 0; r < 3; ++r) {
        char text[2][2000];
        snprintf(text[0], sizeof text[0], CUBES("\"refine\": 1}, \"adapt\": {\"levels\": 1, \"select\": \"all\"},"),
                 response[r]);
        snprintf(text[1], sizeof text[1], CUBES("\"refine\": 2},"), response[r]);
        sn_world *adaptive = world_of_text(context, text[0]), *fine = world_of_text(context, text[1]);
        run(adaptive, 8), run(fine, 8);
        assert_true(sn_world_contacts(fine, NULL, 0) > 0);
        for (int b = 0; b < 2; ++b)
            if (gap(fine, b, adaptive, b) != 0) fail_msg("%s: %g m", response[r], gap(fine, b, adaptive, b));
        sn_world_destroy(adaptive), sn_world_destroy(fine);
    }
}

/* A ball falls on a pad, which becomes fine below it and coarse again when it has bounced off. Nothing intersects at
 * any time. */
static const char bounce[] =
    "{\"sinew\": 1, \"time\": {\"step\": 0.01}, \"contact\": {\"between\": \"all\", \"response\": \"exact\"}, "
    "\"bodies\": [{\"name\": \"pad\", \"mesh\": {\"box\": {\"size\": [0.2, 0.04, 0.2], \"cells\": [4, 1, 4]}, "
    "\"move\": [-0.1, -0.04, -0.1]}, \"adapt\": {\"levels\": 2, \"measure\": \"shear\", \"refine\": 0.1, "
    "\"coarsen\": 0.099, \"every\": 1, \"wait\": 1, \"detail\": 10, \"budget\": 3000}, \"material\": {\"law\": "
    "\"stable-neo-hookean\", \"young\": 3e3, \"poisson\": 0.3, \"density\": 1000}, \"fix\": [{\"select\": "
    "{\"normal\": [0, -1, 0]}}]}, {\"name\": \"ball\", \"mesh\": {\"sphere\": {\"radius\": 0.03, \"cells\": 4}, "
    "\"move\": [0.013, 0.04, 0.007]}, \"material\": {\"law\": \"stable-neo-hookean\", \"young\": 2e4, \"poisson\": "
    "0.3, \"density\": 1000}, \"initial\": {\"velocity\": [0.3, -0.8, 0]}}]}";

static void test_exact(void **state) {
    (void)state;
    sn_world *world = world_of_text(context, bounce);
    skin skin = skin_make(world);
    int64_t coarsened = 0, touching = 0;
    for (int i = 0; i < 60; ++i) {
        sn_adapt_report r;
        run(world, 1);
        sn_world_adapt_report(world, 0, &r);
        touching += r.coarsened > 0 && sn_world_contacts(world, NULL, 0) > 0;
        coarsened = r.all_coarsened;
        assert_int_equal(count_intersections(&skin, world, false), 0);
    }
    assert_true(coarsened > 100 && touching > 5);
    skin_release(&skin);
    sn_world_destroy(world);
}

/* Saved in the middle, with other threads: the same bits. The restored set is compiled in another way than the present
 * one, which took parts of others over. */
static void check_save(const char *text, int steps) {
    char hash[2][17];
    sn_world *world = world_of_text(context, text);
    run(world, steps);
    assert_true(changes_of(world, 0) > 0);
    const size_t size = sn_world_state_size(world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
    run(world, 20);
    sn_world_hash(world, hash[0]);
    for (int threads = 1; threads <= 4; threads *= 2) {
        sn_context_options o = sn_context_options_default();
        sn_context *other;
        o.threads = threads;
        assert_int_equal(sn_context_create(&o, &other, NULL), SN_OK);
        sn_world *again = world_of_text(other, text);
        assert_int_equal(sn_world_restore_state(again, bytes, size, NULL), SN_OK);
        run(again, 20);
        sn_world_hash(again, hash[1]);
        assert_string_equal(hash[0], hash[1]);
        sn_world_destroy(again);
        sn_context_destroy(other);
    }
    free(bytes);
    sn_world_destroy(world);
}

static void test_save(void **state) {
    (void)state;
    char text[2000];
    for (int r = 0; r < 3; ++r) {
        snprintf(text, sizeof text, hit, response[r]);
        check_save(text, 14);
    }
    check_save(WORLD(BEAM("a", "0", CHANGING) ", " BEAM("b", "0.3", CHANGING) ", " OTHERS), 15);
}

/* ---- Links ---- */
/* A plain box hangs on an adaptive beam by a link at a node that is a slave, and on a place. */
static void test_links(void **state) {
    (void)state;
    sn_world *world = world_of_text(
        context, WORLD(BEAM("a", "0", CHANGING) ", {\"name\": \"box\", \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], "
                                                "\"cells\": [1, 1, 1]}, \"move\": [0.31, -0.15, 0]}, \"material\": "
                                                "{\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.3, "
                                                "\"density\": 300}, \"links\": [{\"point\": [0.33, -0.05, 0.03], "
                                                "\"to\": {\"body\": \"a\", \"at\": [0.33, 0, 0.03]}}]}"));
    run(world, 40);
    assert_true(changes_of(world, 0) > 3);
    assert_true(world->solid->active->slave_count > 0);
    const sn_interaction *links = sn_interaction_of(world, &sn_kind_links);
    assert_true(fabs(links->number[1]) > 1); /* it carries the box */
    sn_glyph glyph[4];
    assert_int_equal(sn_world_glyphs(world, glyph, 4), 1);
    for (int c = 0; c < 3; ++c) assert_true(fabs(glyph[0].from[c] - glyph[0].to[c]) < 2e-3);
    sn_world_destroy(world);
}

/* ---- Memory ---- */
static void test_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *own = failing_allocator_context(&failing);
    const int64_t before = failing.live;
    for (int64_t n = 1;; n += 97) {
        sn_world *world;
        char text[2000];
        snprintf(text, sizeof text, hit, "exact");
        failing_allocator_arm(&failing, n);
        const sn_status status = world_from_text(own, "test", text, NULL, 0, &world, NULL);
        const int failed = failing.failed;
        failing_allocator_disarm(&failing);
        sn_world_destroy(world);
        assert_int_equal(failing.live, before);
        assert_int_equal(status, failed ? SN_NO_MEMORY : SN_OK);
        if (!failed) break;
    }
    sn_world *world = hit_with(own, 0);
    run(world, 30);
    assert_true(changes_of(world, 0) > 3);
    sn_world_destroy(world);
    assert_int_equal(failing.live, before);
    sn_context_destroy(own);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beside),   cmocka_unit_test(test_remembering),   cmocka_unit_test(test_split),
        cmocka_unit_test(test_momentum), cmocka_unit_test(test_split_contact), cmocka_unit_test(test_exact),
        cmocka_unit_test(test_save),     cmocka_unit_test(test_links),         cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, start, end);
}
