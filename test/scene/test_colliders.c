/* Colliders in scenes: each shape by its keys, meshes from files and generators, turning, and messages that name the
 * place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/sinew.h"

static sn_context *context;

#define SCENE(collider)                                                                                                \
    "{\"time\": {\"step\": 0.01}, \"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.2, 0.1, 0.2], \"cells\": [2, 1, "    \
    "2]}, \"move\": [-0.1, "                                                                                           \
    "0, -0.1]}}],\n"                                                                                                   \
    " \"colliders\": [" collider "]}"

static sn_world *world_of(const char *text, const char *folder, sn_error *error) {
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    if (sn_scene_parse(context, text, strlen(text), "scene.json", folder, NULL, 0, &scene, error)) return NULL;
    sn_world_create(context, sn_scene_world_options(scene), &world, error);
    sn_scene_destroy(scene); /* the world has copies */
    return world;
}

static void refused(const char *text, const char *word, const char *other) {
    sn_error error = {0};
    assert_null(world_of(text, "", &error));
    if (!strstr(error.text, word) || !strstr(error.text, other)) {
        print_message("'%s' should name '%s' and '%s'\n", error.text, word, other);
        fail();
    }
}

static void read_shapes(void **state) {
    (void)state;
    static const char *const text[] = {
        SCENE("{\"plane\": {\"point\": [0, -1, 0], \"normal\": [0, 2, 0]}, \"response\": \"projection\"}"),
        SCENE("{\"sphere\": {\"point\": [0, 0, 0], \"radius\": 2, \"inside\": true}}"),
        SCENE("{\"capsule\": {\"from\": [-1, -1, 0], \"to\": [1, -1, 0], \"radius\": 0.3}, \"friction\": 0.3, "
              "\"keys\": [[0, 0, 0, 0], [1, "
              "0, 0.1, 0]]}"),
        SCENE("{\"box\": {\"center\": [0, -1, 0], \"size\": [1, 1, 1], \"radius\": 0.1, \"rotate\": [0, 1, 0, 45]},"
              "\"turn\": {\"axis\": [0, 1, 0], \"point\": [0.1, 0, 0], \"keys\": [[0, 0], [1, 90]]}}"),
        SCENE("{\"mesh\": {\"torus\": {}, \"scale\": 0.5, \"rotate\": [1, 0, 0, 90], \"move\": [0, -1, 0]}}"),
        SCENE(
            "{\"heightfield\": {\"heights\": [[0, 0.1], [0, 0], [0.2, 0]], \"size\": [1, 2], \"center\": [0, -1, 0]}}"),
    };
    static const char *const shape[] = {"plane", "sphere", "capsule", "box", "mesh", "heightfield"};
    int count;
    sn_shapes(&count);
    assert_int_equal(count, sizeof text / sizeof *text); /* a shape that is new needs a scene here */
    for (int i = 0; i < count; ++i) {
        sn_error error = {0};
        sn_world *world = world_of(text[i], "", &error);
        if (!world) print_message("%s\n", error.text), fail();
        for (int k = 0; k < 5; ++k) assert_int_equal(sn_world_step(world, NULL, &error), SN_OK);
        const sn_collider now = sn_world_collider(world, 0);
        assert_string_equal(now.shape, shape[i]);
        sn_drawing *drawing = NULL;
        assert_int_equal(sn_world_collider_drawing(world, 0, &drawing, &error), SN_OK);
        assert_int_equal(drawing->inside, i == 1);
        sn_drawing_destroy(drawing);
        double pose[12];
        sn_world_collider_pose(world, 0, pose);
        if (i == 2)
            assert_float_equal(pose[7], 0.005, 1e-7), assert_float_equal(sn_collider_get(&now, "to")[1], -0.995, 1e-6);
        if (i == 3) {
            const double a = 4.5 * 0.017453292519943295;
            assert_float_equal(pose[0], cos(a), 1e-6);
            assert_float_equal(pose[3], 0.1 - 0.1 * cos(a), 1e-6);
            assert_float_equal(sn_collider_get(&now, "rotate")[3], 49.5, 1e-4);
        }
        sn_world_destroy(world);
    }
}

/* Heights from a text file: a slope of 1 : 2 that a point lies on. */
static void read_heights(void **state) {
    (void)state;
    FILE *file = fopen("collider_heights.csv", "w");
    assert_non_null(file);
    fputs("# a slope\n-0.5, 0; 0.5\n\n-0.5 0\t0.5\n", file);
    fclose(file);
    sn_error error = {0};
    sn_world *world =
        world_of(SCENE("{\"heightfield\": {\"file\": \"collider_heights.csv\", \"size\": [2, 2]}}"), "", &error);
    if (!world) print_message("%s\n", error.text), fail();
    const sn_collider c = sn_world_collider(world, 0);
    assert_int_equal(c.rows, 2);
    assert_int_equal(c.columns, 3);
    assert_float_equal(c.height[5], 0.5, 1e-15);
    sn_world_destroy(world);
    refused(SCENE("{\"heightfield\": {\"heights\": [[0, 1], [1]], \"size\": [1, 1]}}"), "heights.1", "list of 1");
    refused(SCENE("{\"heightfield\": {\"heights\": [[0, 1, 2], [1, 2]], \"size\": [1, 1]}}"), "heights.1", "3");
    refused(SCENE("{\"heightfield\": {\"size\": [1, 1]}}"), "heightfield", "'heights'");
    refused(SCENE("{\"heightfield\": {\"file\": \"no_such_file\", \"size\": [1, 1]}}"), "file", "no_such_file");
    refused(SCENE("{\"heightfield\": {\"heights\": [[0, 1], [1, 2]]}}"), "heightfield", "size");
    file = fopen("collider_heights.csv", "w");
    fputs("0 1\n0 one\n", file);
    fclose(file);
    refused(SCENE("{\"heightfield\": {\"file\": \"collider_heights.csv\", \"size\": [2, 2]}}"), "'one'", "line 2");
    remove("collider_heights.csv");
}

/* A file is looked for beside the scene; an open surface is a sheet that a body lies on. */
static void read_file(void **state) {
    (void)state;
    FILE *file = fopen("collider_sheet.obj", "w");
    assert_non_null(file);
    fputs("v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 3 2\nf 1 4 3\n", file);
    fclose(file);
    sn_error error = {0};
    sn_world *world =
        world_of(SCENE("{\"mesh\": {\"file\": \"collider_sheet.obj\", \"thickness\": 0.02, \"move\": [0, -0.1, 0]}}"),
                 ".", &error);
    if (!world) print_message("%s\n", error.text), fail();
    double x[3 * 18], low = 1;
    for (int k = 0; k < 100; ++k) assert_int_equal(sn_world_step(world, NULL, &error), SN_OK);
    sn_world_get(world, 0, x, NULL);
    for (int i = 0; i < 18; ++i) low = fmin(low, x[3 * i + 1]);
    assert_float_equal(low, -0.09, 2e-3);
    sn_world_destroy(world);
    remove("collider_sheet.obj");
}

static void messages(void **state) {
    (void)state;
    refused(SCENE("{}"), "colliders.0", "'capsule'");
    refused(SCENE("{\"plane\": {}, \"box\": {\"size\": [1, 1, 1]}}"), "colliders.0", "both 'plane' and 'box'");
    refused(SCENE("{\"capsul\": {}}"), "scene.json:2:", "'capsule'");
    refused(SCENE("{\"capsule\": {\"from\": [0, 0, 0], \"to\": [0, 1, 0]}}"), "colliders.0.capsule", "'radius'");
    refused(SCENE("{\"capsule\": {\"from\": [0, 0], \"to\": [0, 1, 0], \"radius\": 1}}"), "colliders.0.capsule.from",
            "3 numbers");
    refused(SCENE("{\"box\": {\"size\": [1, 0, 1]}}"), "colliders.0.box.size.1", "above 0");
    refused(SCENE("{\"box\": {\"size\": [1, 0.5, 1], \"radius\": 0.4}}"), "colliders.0.box.radius", "0.25");
    refused(SCENE("{\"box\": {\"size\": [1, 1, 1], \"rotate\": [0, 0, 0, 10]}}"), "colliders.0.box.rotate",
            "direction");
    refused(SCENE("{\"plane\": {\"inside\": true}}"), "colliders.0.plane.inside", "no inside");
    refused(SCENE("{\"mesh\": {\"thickness\": 1}}"), "colliders.0.mesh", "names no shape");
    refused(SCENE("{\"mesh\": {\"file\": \"nowhere.obj\"}}"), "colliders.0.mesh.file", "nowhere.obj");
    refused(SCENE("{\"plane\": {}, \"turn\": {\"axis\": [0, 1, 0]}}"), "colliders.0.turn", "'keys'");
    refused(SCENE("{\"plane\": {}, \"turn\": {\"axis\": [0, 0, 0], \"keys\": [[0, 0]]}}"), "colliders.0.turn.axis",
            "zero");
}

static int start(void **state) {
    (void)state;
    return sn_context_create(NULL, &context, NULL);
}

static int end(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(read_shapes), cmocka_unit_test(read_file),
                                       cmocka_unit_test(read_heights), cmocka_unit_test(messages)};
    return cmocka_run_group_tests(tests, start, end);
}
