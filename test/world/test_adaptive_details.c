/* Frozen details of adaptive bodies: the fine shape stays when the body becomes coarser, turns with it, and is there
 * again when it becomes finer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text_world.h"
#include "world/inside.h"

/* A free bar that turns and twists. */
static const char turning[] =
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"newton\": {\"kind\": \"one-step\"}}, "
    "\"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": 1}, \"adapt\": "
    "{\"levels\": 2, \"measure\": \"shear\", \"refine\": %g, \"coarsen\": %g, \"every\": 2, \"wait\": 1, "
    "\"detail\": 1, \"details\": \"%s\"}, \"material\": {\"law\": \"corotated\", \"young\": 2e3, \"poisson\": 0.3, "
    "\"density\": 1000%s}, \"initial\": {\"velocity\": [0.1, 0.2, 0], \"spin\": [0, 2, 3], \"twist\": %g}}]}";
static const char memory[] =
    ", \"prony\": {\"on\": \"shear\", \"terms\": [{\"ratio\": 1, \"time\": 0.05}, {\"ratio\": 0.5, \"time\": 1}]}";

static sn_world *make(double refine, const char *details, const char *prony, double twist) {
    char text[1600];
    sn_world *world;
    sn_error error = {0};
    snprintf(text, sizeof text, turning, refine, 0.8 * refine, details, prony, twist);
    if (world_from_text(context, "test", text, NULL, 0, &world, &error)) fail_msg("%s", error.text);
    return world;
}

static size_t size_of(const sn_world *world) { return 3 * (size_t)world->model->node_count * sizeof(double); }

static double *copy(const sn_world *world) {
    double *x = malloc(size_of(world));
    memcpy(x, world->state.x, size_of(world));
    return x;
}

static double gap(const sn_world *world, const double *x) {
    double most = 0;
    for (int i = 0; i < 3 * world->model->node_count; ++i) most = fmax(most, fabs(world->state.x[i] - x[i]));
    return most;
}

/* The largest detail of a slave, in space. */
static double largest(const sn_world *world) {
    double most = 0;
    for (int i = 0; i < 3 * world->model->node_count; ++i) most = fmax(most, fabs(world->adaptive->offset[i]));
    return most;
}

/* Joins every tet that the rule allows, or splits the roots and their children. */
static void change(sn_world *world, bool split) {
    sn_forest *f = &world->adaptive->body[0].forest;
    for (int tet = 0; tet < f->count && split; ++tet) assert_true(sn_forest_refine(f, tet, INT32_MAX));
    for (int tet = f->count - 1; tet >= 0 && !split; --tet)
        if (sn_forest_can_coarsen(f, tet)) sn_forest_coarsen(f, tet);
    assert_int_equal(sn_world_reactivate(world, true, NULL), SN_OK);
    memcpy(world->workspace.x_before, world->state.x, size_of(world));
    sn_memory_refresh(world);
}

/* A bar with a wavy shape that is all frozen. */
static sn_world *frozen(const char *prony) {
    sn_world *world = make(1e3, "freeze", prony, 50);
    const double *X = world->model->rest;
    change(world, true);
    run(world, 2);
    for (int i = 0; i < 3 * world->model->node_count; ++i)
        world->state.x[i] += 1e-3 * sin(40 * X[i] + 90 * X[i / 3 * 3] + 60 * X[i / 3 * 3 + 2]);
    sn_workspace_refresh(world);
    sn_memory_refresh(world);
    change(world, false);
    assert_int_equal(world->adaptive->body[0].forest.leaf_count, world->adaptive->body[0].forest.root_count);
    assert_true(largest(world) > 2e-4);
    return world;
}

/* Freezing and splitting again moves nothing. */
static void test_thaw(void **state) {
    (void)state;
    sn_world *world = frozen("");
    double *x = copy(world);
    for (int k = 0; k < 3; ++k) {
        change(world, k != 1);
        assert_true(gap(world, x) < 1e-15);
    }
    assert_true(largest(world) == 0);
    change(world, false);
    run(world, 3);
    assert_true(gap(world, x) > 1e-3); /* it moves on, with its details */
    free(x), x = copy(world);
    assert_true(largest(world) > 2e-4);
    change(world, true);
    assert_true(gap(world, x) < 1e-15);
    free(x);
    sn_world_destroy(world);
}

/* In a rigid motion of the free nodes the slaves move rigidly, whatever the levels. */
static void test_rigid(void **state) {
    (void)state;
    sn_world *world = frozen("");
    const double c = cos(2.1), s = sin(2.1);
    for (int some = 0; some < 2; ++some) {
        if (some) { /* a part is split: some details hang */
            assert_true(sn_forest_refine(&world->adaptive->body[0].forest, 7, INT32_MAX));
            assert_int_equal(sn_world_reactivate(world, true, NULL), SN_OK);
            assert_true(world->solid->active->hanging.count > 0);
        }
        double *x = copy(world), *to = copy(world);
        for (int i = 0; i < world->model->node_count; ++i) {
            const double *p = x + 3 * (size_t)i;
            to[3 * i] = p[1] + 0.3, to[3 * i + 1] = c * p[2] + s * p[0], to[3 * i + 2] = c * p[0] - s * p[2];
            const bool slave = world->solid->active->slaved[i];
            for (int k = 0; k < 3; ++k) world->state.x[3 * i + k] = slave ? 99 : to[3 * i + k];
        }
        assert_true(sn_details_turn(world));
        assert_true(gap(world, to) < 1e-14);
        free(x), free(to);
    }
    sn_world_destroy(world);
}

static double part_of(const double *a, const double *b, double size) {
    return fmax(fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1])), fabs(a[2] - b[2])) / size;
}

/* While the set changes by itself: changes keep the momenta and move no node, and a saved run goes on with its bits. */
static void test_run(void **state) {
    (void)state;
    for (int with = 0; with < 2; ++with) {
        sn_world *world = make(0.05, "freeze", with ? memory : "", 300),
                 *again = make(0.05, "freeze", with ? memory : "", 300);
        sn_adapt_report r = {0};
        size_t size = 0;
        void *bytes = NULL;
        double mass = 0, most = 0;
        for (int i = 0; i < world->model->node_count; ++i) mass += world->solid->weight[i];
        for (int i = 0; i < 80; ++i) {
            const int64_t changes = r.changes;
            run(world, 1);
            most = fmax(most, largest(world));
            if (i == 38) { /* no check of the set follows this step */
                size = sn_world_state_size(world), bytes = malloc(size);
                assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
                assert_true(largest(world) > 1e-5);
            }
            assert_int_equal(sn_world_adapt_report(world, 0, &r), SN_OK);
            if (r.changes == changes) continue;
            assert_true(part_of(r.momentum_before, r.momentum_after, mass) < 1e-12);
            assert_true(part_of(r.angular_before, r.angular_after, mass) < 1e-12);
        }
        assert_true(r.all_refined > 20 && r.all_coarsened > 20 && most > 1e-4);
        assert_int_equal(sn_world_restore_state(again, bytes, size, NULL), SN_OK);
        run(again, 41);
        assert_memory_equal(world->state.value, again->state.value, world->state.own * (int64_t)sizeof(double));
        if (with)
            assert_memory_equal(world->state.memory, again->state.memory,
                                (size_t)world->state.memory_count * sizeof(double));
        /* Back in time: the world that saved it. */
        assert_int_equal(sn_world_restore_state(world, bytes, size, NULL), SN_OK);
        run(world, 41);
        assert_int_equal(gap(world, again->state.x) == 0, 1);
        /* Putting a world where it is changes nothing but by rounding. */
        double *x = copy(world), *place = malloc(size_of(world));
        assert_int_equal(sn_world_get(world, 0, place, NULL), SN_OK);
        assert_int_equal(sn_world_put(world, 0, place, NULL, NULL), SN_OK);
        assert_true(gap(world, x) < 1e-15 && largest(world) > 1e-5);
        free(x), free(place), free(bytes);
        sn_world_destroy(world), sn_world_destroy(again);
    }
}

/* Nothing is frozen by default, and freezing needs changes. */
static void test_choice(void **state) {
    (void)state;
    sn_world *world = make(0.05, "drop", "", 300), *fail = NULL;
    sn_error error = {0};
    assert_null(world->adaptive->offset);
    sn_world_destroy(world);
    static const sn_override set = {"bodies.0.adapt.measure", "none"};
    char text[1600];
    snprintf(text, sizeof text, turning, 0.05, 0.04, "freeze", "", 0.0);
    assert_int_equal(world_from_text(context, "test", text, &set, 1, &fail, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "bodies.0.adapt.details"));
    snprintf(text, sizeof text, turning, 0.05, 0.04, "frozen", "", 0.0);
    assert_int_equal(world_from_text(context, "test", text, NULL, 0, &fail, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "bodies.0.adapt.details"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thaw), cmocka_unit_test(test_rigid),
                                       cmocka_unit_test(test_run), cmocka_unit_test(test_choice)};
    return cmocka_run_group_tests(tests, start, end);
}
