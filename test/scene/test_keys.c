/* Fixed regions and colliders that move along keyframes of a scene, from the text to the nodes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene_text.h"

static void step_to(sn_world *world, double time) {
    sn_error error = {0};
    while (sn_world_time(world) < time - 1e-9)
        if (sn_world_step(world, NULL, &error)) fail_msg("%s", error.text);
}

static double probe(sn_world *world, int index, int axis) {
    double value[6];
    int count;
    assert_int_equal(sn_world_probe(world, index, value, &count, NULL), SN_OK);
    return value[axis];
}

/* A bar whose left face is led along a path: on the path at every time between, with the speed of the piece; the rest
 * follows. */
static void handle_follows_its_keys(void **state) {
    sn_context *context = *state;
    sn_world *world = world_of_text(
        context, "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01}, \"bodies\": [{\"mesh\": "
                 "{\"box\": {\"size\": [1, 0.2, 0.2],"
                 "\"cells\": [5, 1, 1]}}, \"material\": {\"young\": 1e6, \"poisson\": 0.3, \"rayleigh\": "
                 "{\"mass\": 5, \"stiffness\": 0.01}},"
                 "\"fix\": [{\"select\": {\"box\": [[-1, -1, -1], [1e-6, 1, 1]]},"
                 "\"keys\": [[0.1, 0, 0, 0], [0.3, 0.4, 0.2, 0], [0.5, 0.4, -0.2, 0.1]]}]}],"
                 "\"probes\": [{\"name\": \"held\", \"nearest\": [0, 0, 0], \"quantity\": \"displacement\"},"
                 "{\"name\": \"speed\", \"nearest\": [0, 0, 0], \"quantity\": \"velocity\"},"
                 "{\"name\": \"end\", \"nearest\": [1, 0, 0], \"quantity\": \"displacement\"}]}");
    step_to(world, 0.1);
    assert_float_equal(probe(world, 0, 0), 0, 1e-12);
    step_to(world, 0.2);
    assert_float_equal(probe(world, 0, 0), 0.2, 1e-9);
    assert_float_equal(probe(world, 0, 1), 0.1, 1e-9);
    assert_float_equal(probe(world, 1, 0), 2, 1e-9);
    step_to(world, 0.4);
    assert_float_equal(probe(world, 0, 1), 0, 1e-9);
    assert_float_equal(probe(world, 1, 1), -2, 1e-9);
    step_to(world, 6);
    assert_float_equal(probe(world, 0, 2), 0.1, 1e-12);
    assert_float_equal(probe(world, 1, 1), 0, 1e-12);
    for (int a = 0; a < 3; ++a) assert_float_equal(probe(world, 2, a), probe(world, 0, a), 1e-3);
    sn_world_destroy(world);
}

/* A plate comes down on a block on the ground, squeezes it, and goes up again: the block gets its height back. */
static double height_of(const sn_world *world, int collider) {
    const sn_collider now = sn_world_collider(world, collider);
    return sn_collider_get(&now, "point")[1];
}

static void plate_squeezes_a_block(void **state) {
    sn_context *context = *state;
    sn_world *world = world_of_text(
        context, "{\"sinew\": 1, \"gravity\": [0, -1, 0], \"time\": {\"step\": 0.01}, \"bodies\": [{\"mesh\": "
                 "{\"box\": {\"size\": [0.2, 0.2, 0.2],"
                 "\"cells\": [3, 3, 3]}}, \"material\": {\"young\": 1e5, \"poisson\": 0.3, \"rayleigh\": {\"mass\": 2, "
                 "\"stiffness\": 0.01}}}],"
                 "\"colliders\": [{\"plane\": {\"point\": [0, 0, 0]}, \"friction\": 0.5},"
                 "{\"plane\": {\"point\": [0, 0.25, 0], \"normal\": [0, -1, 0]},"
                 "\"keys\": [[0, 0, 0, 0], [0.5, 0, -0.12, 0], [1, 0, -0.12, 0], [1.5, 0, 0, 0]]}],"
                 "\"probes\": [{\"name\": \"top\", \"select\": {\"normal\": [0, 1, 0]}, \"quantity\": \"position\"}]}");
    step_to(world, 0.9);
    assert_float_equal(height_of(world, 1), 0.13, 1e-9);
    assert_float_equal(probe(world, 0, 1), 0.13, 0.01);
    step_to(world, 3);
    assert_float_equal(height_of(world, 1), 0.25, 1e-9);
    assert_float_equal(probe(world, 0, 1), 0.2, 2e-3);
    sn_world_destroy(world);
}

/* A moving ground with friction takes a resting block along. */
static void ground_drags_a_block(void **state) {
    sn_context *context = *state;
    sn_world *world = world_of_text(
        context,
        "{\"sinew\": 1, \"time\": {\"step\": 0.01}, \"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.2, 0.1, 0.2],"
        "\"cells\": [2, 1, 2]}}, \"material\": {\"young\": 1e6, \"poisson\": 0.3, \"rayleigh\": {\"stiffness\": "
        "0.01}}}],"
        "\"colliders\": [{\"plane\": {\"point\": [0, 0, 0]}, \"friction\": 1, \"keys\": [[0.5, 0, 0, 0], [1.5, 0.5, 0, "
        "0]]}],"
        "\"probes\": [{\"name\": \"all\", \"select\": \"all\", \"quantity\": \"displacement\"}]}");
    step_to(world, 0.5);
    assert_float_equal(probe(world, 0, 0), 0, 1e-3);
    step_to(world, 2);
    assert_float_equal(probe(world, 0, 0), 0.5, 0.05);
    sn_world_destroy(world);
}

static int start(void **state) {
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    return sn_context_create(&options, (sn_context **)state, NULL);
}
static int end(void **state) {
    sn_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(handle_follows_its_keys),
                                       cmocka_unit_test(plate_squeezes_a_block),
                                       cmocka_unit_test(ground_drags_a_block)};
    return cmocka_run_group_tests(tests, start, end);
}
