/* Bad scenes: each gets its own message with line, column and key, and never a world. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "failing_allocator.h"
#include "sinew/sinew.h"

/* A right scene in pieces; a case replaces one of them. */
#define BOX "\"mesh\": { \"box\": { \"size\": [1, 1, 1], \"cells\": [2, 2, 2] } }"
#define MATERIAL "\"material\": { \"law\": \"corotated\", \"young\": 1e5, \"poisson\": 0.3, \"density\": 1000 }"
#define FIX "\"fix\": [ { \"select\": { \"box\": [[-1, -1, -1], [1e-6, 2, 2]] } } ]"
#define SCENE(top, body) "{ \"sinew\": 1,\n  " top "\"bodies\": [ {\n    " body " } ] }"

typedef struct bad {
    const char *text, *position; /* position "" : any */
    const char *says[3];
} bad;

static const bad table[] = {
    {SCENE("", BOX ",\n    \"material\": { \"yung\": 1e5 }"), "t.json:4:19:", {"bodies[0].material.yung", "unknown", "young"}},
    {SCENE("\"tme\": {},\n", BOX), "t.json:2:3:", {"'tme'", "unknown", "'time'"}},
    {SCENE("\"gallery\": 3,\n", BOX), "t.json:2:14:", {"'gallery'", "", ""}},
    {SCENE("\"gallery\": {},\n", BOX), "t.json:2:14:", {"'gallery'", "has no 'place'", ""}},
    {SCENE("\"gallery\": { \"place\": 0 },\n", BOX), "", {"gallery.place", "is 0", ""}},
    {SCENE("\"gallery\": { \"place\": 1, \"color\": \"none\" },\n", BOX), "", {"gallery.color", "unknown", "colour"}},
    {SCENE("\"time\": { \"step\": \"fast\" },\n", BOX), "t.json:2:21:", {"time.step", "'fast'", "number"}},
    {SCENE("\"time\": { \"step\": 0 },\n", BOX), "t.json:2:21:", {"time.step", "is 0", "above 0"}},
    {SCENE("\"time\": { \"step\": -0.1 },\n", BOX), "t.json:2:21:", {"time.step", "-0.1", "above 0"}},
    {SCENE("\"time\": { \"newton\": { \"kid\": \"full\" } },\n", BOX), "t.json:2:25:", {"time.newton.kid", "unknown", "kind"}},
    {SCENE("\"solver\": { \"method\": \"gc\" },\n", BOX), "t.json:2:25:", {"solver.method", "'gc'", "'cg'"}},
    {SCENE("\"solver\": { \"method\": \"gc\" },\n", BOX), "", {"did you mean 'cg'?", "known are auto, cg", "eisenstat"}},
    {SCENE("\"solver\": { \"method\": \"\" },\n", BOX), "", {"is ''", "unknown; known are auto, cg", ""}},
    {SCENE("\"colliders\": [ { \"plane\": {}, \"response\": \"Projektion\" } ],\n", BOX),
     "",
     {"colliders[0].response", "mean 'projection'", "penalty"}},
    {SCENE("", BOX ", \"material\": { \"young\": 1e5, \"poisson\": 0.5 }"), "", {"poisson", "0.5", "below 0.5"}},
    {SCENE("", BOX ", \"material\": { \"young\": 1e5, \"poisson\": 0.7 }"), "", {"poisson", "0.7", "below 0.5"}},
    {SCENE("", BOX ", \"material\": { \"young\": -1, \"poisson\": 0.3 }"), "", {"young", "-1", "at least 0"}},
    {SCENE("", BOX ", \"material\": { \"density\": 0 }"), "", {"bodies[0].material.density", "is 0", "above 0"}},
    {SCENE("", BOX ", \"material\": { \"density\": -5 }"), "", {"bodies[0].material.density", "-5", "above 0"}},
    {SCENE("", BOX ", \"material\": { \"young\": 1, \"poisson\": 0.1, \"lame\": [1, 2] }"), "", {"lame", "young", "not"}},
    {SCENE("", BOX ", \"material\": { \"law\": \"stvkk\" }"), "", {"material.law", "'stvkk'", "'stvk'"}},
    {SCENE("", "\"mesh\": { \"file\": \"no/such.msh\" }"), "", {"mesh.file", "such.msh", ""}},
    {SCENE("", "\"mesh\": { \"bx\": {} }"), "", {"mesh.bx", "unknown", "'box'"}},
    {SCENE("", "\"mesh\": { \"box\": { \"sice\": 1 } }"), "", {"box", "sice", "'size'"}},
    {SCENE("", BOX ", \"fix\": [ { \"select\": { \"box\": [[5, 5, 5], [6, 6, 6]] } } ]"), "", {"bodies[0].fix[0].select", "nothing", ""}},
    {SCENE("", BOX ", \"fix\": [ { \"select\": { \"boks\": [] } } ]"), "", {"select.boks", "unknown", "'box'"}},
    {SCENE("", BOX ", \"fix\": [ { \"select\": \"all\", \"axes\": \"xw\" } ]"), "", {"fix[0].axes", "xyz", ""}},
    {SCENE("", BOX ", \"loads\": [ { \"select\": \"all\" } ]"), "", {"loads[0]", "traction", "pressure"}},
    {SCENE("", BOX ", \"loads\": [ { \"select\": { \"nodes\": [0] }, \"pressure\": 1 } ]"), "", {"loads[0].select", "face", ""}},
    {SCENE("", BOX ", \"loads\": [ { \"select\": \"surface\", \"pressure\": 1, \"ramp\": [2, 1] } ]"), "", {"ramp", "before", ""}},
    {SCENE("\"probes\": [ { \"node\": 99 } ],\n", BOX), "t.json:2:25:", {"probes[0].node", "99", ""}},
    {SCENE("\"probes\": [ { \"node\": 1, \"body\": \"bdy\" } ],\n", BOX), "", {"probes[0].body", "'bdy'", "'body'"}},
    {SCENE("\"colliders\": [ { \"sphere\": { \"radius\": 0 } } ],\n", BOX), "", {"colliders[0].sphere.radius", "above 0", ""}},
    {SCENE("\"output\": { \"formats\": [\"vtk\"] },\n", BOX), "", {"output.formats[0]", "'vtk'", "'vtu'"}},
    {SCENE("\"gravity\": [0, 1],\n", BOX), "t.json:2:14:", {"gravity", "list of 2", "3 numbers"}},
    {SCENE("\"time\": { \"mode\": \"static\" },\n", BOX ", " MATERIAL), "", {"body", "", ""}},
    {SCENE("\"name\": \"a\", \"name\": \"b\",\n", BOX), "t.json:2:", {"duplicate", "name", ""}},
    {SCENE("\"gravity\": [0, 1e999, 0],\n", BOX), "t.json:2:", {"JSON", "", ""}},
    {"{ \"bodies\": [", "t.json:1:", {"JSON", "", ""}},
    {"{ \"sinew\": 2, \"bodies\": [] }", "t.json:1:12:", {"'sinew'", "is 2", ""}},
    {"{ \"sinew\": 1 }", "t.json:1:1:", {"bodies", "", ""}},
    {"[]", "t.json:1:1:", {"object", "", ""}},
    {"", "t.json:1:", {"JSON", "", ""}},
};

static sn_status try_scene(sn_context *context, const char *text, const sn_override *set, int sets, sn_error *error) {
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_status status = sn_scene_parse(context, text, strlen(text), "t.json", "", set, sets, &scene, error);
    if (!status) status = sn_scene_create_world(scene, &world, error);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static sn_context *one_thread(void) {
    sn_context_options options = sn_context_options_default();
    sn_context *context = NULL;
    options.threads = 1;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

static void test_bad_scenes(void **state) {
    (void)state;
    sn_context *context = one_thread();
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        sn_error error = {0};
        const sn_status status = try_scene(context, table[i].text, NULL, 0, &error);
        bool good = status != SN_OK && error.status == status && strncmp(error.text, table[i].position, strlen(table[i].position)) == 0;
        for (int k = 0; k < 3; ++k) good = good && strstr(error.text, table[i].says[k]);
        if (!good) fail_msg("scene %zu gives '%s' (%s)\n%s", i, error.text, sn_status_name(status), table[i].text);
        if (*table[i].text) assert_int_equal(strncmp(error.text, "t.json:", 7), 0);
    }
    sn_context_destroy(context);
}

static void test_depth(void **state) {
    (void)state;
    sn_context *context = one_thread();
    char text[4096] = "{ \"bodies\": ";
    for (int i = 0; i < 2000; ++i) strcat(text, "[");
    sn_error error = {0};
    assert_int_equal(try_scene(context, text, NULL, 0, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "nest"));
    sn_context_destroy(context);
}

static void test_good_and_overrides(void **state) {
    (void)state;
    sn_context *context = one_thread();
    const char *text = SCENE("", BOX ", \"material\": { \"law\": \"corotated\", \"lame\": [3e5, 3e4] }, " FIX);
    sn_error error = {0};
    assert_int_equal(try_scene(context, text, NULL, 0, &error), SN_OK);
    const sn_override set[] = {{"time.step", "0.005"},          {"bodies.0.material.young", "1e6"},
                               {"bodies[0].name", "cube"},      {"bodies.cube.material.poisson", "0.2"},
                               {"time.newton.iterations", "3"}, {"probes.0", "{\"name\": \"p\", \"node\": 3}"}};
    sn_scene *scene;
    assert_int_equal(sn_scene_parse(context, text, strlen(text), "t.json", "", set, 6, &scene, &error), SN_OK);
    const sn_world_options *world = sn_scene_world_options(scene);
    assert_true(world->time.step == 0.005 && world->time.newton.iterations == 3);
    assert_string_equal(world->body[0].name, "cube");
    assert_int_equal(world->probe_count, 1);
    assert_int_equal(world->body[0].material[0].constant_count, 2);
    for (int i = 0; i < 2; ++i) {
        const sn_constant *c = &world->body[0].material[0].constant[i];
        assert_true(strcmp(c->name, "young") == 0 ? c->value[0] == 1e6 : strcmp(c->name, "poisson") == 0 && c->value[0] == 0.2);
    }
    sn_scene_destroy(scene);
    const sn_override wrong[][1] = {
        {{"time.step", "-1"}}, {{"time.stp", "1"}}, {{"bodies.7.name", "x"}}, {{"time.step", "nan"}}, {{"time.step.x", "1"}}};
    for (int i = 0; i < 5; ++i) {
        memset(&error, 0, sizeof error);
        const char *plain = SCENE("\"time\": { \"step\": 0.1 },\n", BOX);
        assert_int_equal(try_scene(context, plain, wrong[i], 1, &error), SN_BAD_INPUT);
        if (strncmp(error.text, "--set ", 6) != 0) fail_msg("override %d gives '%s'", i, error.text);
    }
    sn_context_destroy(context);
}

static void test_materials(void **state) {
    (void)state;
    sn_context *context = one_thread();
    const char *const good[] = {
        "{ \"law\": \"mooney-rivlin\", \"c10\": 1e5, \"c01\": 1e4, \"d1\": 1e-6 }",
        "{ \"law\": \"ogden\", \"mu\": [1e5, 2e4], \"alpha\": [2, -2], \"d1\": 1e-6 }",
        "{ \"law\": \"reduced-polynomial\", \"c\": [1e5, 1e3], \"d1\": 1e-6 }",
        "{ \"law\": \"orthotropic\", \"young\": [1e5, 2e5, 3e5], \"poisson\": [0.2, 0.2, 0.2], \"shear\": [4e4, 4e4, 4e4] }",
        "{ \"law\": \"corotated\", \"young\": { \"keys\": [[0, 1e5], [1, 2e5]] }, \"poisson\": 0.3 }",
        "{ \"law\": \"corotated\", \"young\": 0, \"poisson\": 0.3 }",
        "[ { \"law\": \"stvk\", \"young\": 1e5 }, { \"young\": 1e6, \"select\": { \"box\": [[0, 0, 0], [9, 9, 9]] } } ]",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        char text[1000];
        snprintf(text, sizeof text, SCENE("", BOX ", \"material\": %s"), good[i]);
        sn_error error = {0};
        if (try_scene(context, text, NULL, 0, &error)) fail_msg("material %zu: %s", i, error.text);
    }
    sn_context_destroy(context);
}

/* Every N-th allocation of loading fails once: a clean error, nothing left behind. */
static void test_no_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *context = failing_allocator_context(&failing);
    const char *text = SCENE("\"probes\": [ { \"node\": 1 } ], \"colliders\": [ { \"plane\": {} } ],\n",
                             BOX ", " MATERIAL ", " FIX ", \"loads\": [ { \"select\": { \"normal\": [1, 0, 0] }, \"pressure\": 1 } ]");
    const sn_override set[] = {{"time.step", "0.02"}};
    const int64_t before = failing.live;
    int n = 1;
    for (; n < 10000; ++n) {
        sn_scene *scene = NULL;
        sn_error error = {0};
        failing_allocator_arm(&failing, n);
        const sn_status status = sn_scene_parse(context, text, strlen(text), "t.json", "", set, 1, &scene, &error);
        failing_allocator_disarm(&failing);
        if (!status) {
            sn_scene_destroy(scene);
            break;
        }
        if (status != SN_NO_MEMORY) fail_msg("allocation %d: %s", n, error.text);
        assert_int_equal(failing.live, before);
    }
    assert_true(n > 20);
    assert_int_equal(failing.live, before);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bad_scenes), cmocka_unit_test(test_depth),
                                       cmocka_unit_test(test_good_and_overrides), cmocka_unit_test(test_materials),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
