/* Tools of a scene: their keys arrive, their devices and servos are made, and their probes measure them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared_context.h"
#include "sinew/sinew.h"

static const char *const text =
    "{ \"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": { \"step\": 0.01, \"end\": 0.2 },\n"
    "  \"bodies\": [ { \"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2] } },\n"
    "    \"material\": { \"law\": \"corotated\", \"young\": 5000, \"poisson\": 0.3 },\n"
    "    \"fix\": [ { \"select\": { \"normal\": [0, -1, 0] } } ] } ],\n"
    "  \"tools\": [ { \"name\": \"finger\", \"spring\": 300, \"radius\": 0.01, \"body\": \"body\", \"rate\": 500,\n"
    "      \"device\": { \"recorded\": { \"rows\": [[0, 0.05, 0.1, 0.05], [1, 0.05, 0.1, 0.05, 1]] } },\n"
    "      \"protocol\": \"finger.csv\" },\n"
    "    { \"device\": { \"udp\": { \"port\": 5000 } } }, { \"device\": \"mouse\" }, {},\n"
    "    { \"device\": { \"recorded\": { \"file\": \"path.csv\" } } } ],\n"
    "  \"probes\": [ { \"name\": \"f\", \"tool\": \"finger\", \"quantity\": \"force\" },\n"
    "    { \"name\": \"x\", \"tool\": \"finger\", \"quantity\": \"position\" } ] }";

static char folder[64];

static sn_scene *load(void) {
    char path[128];
    snprintf(folder, sizeof folder, "/tmp/sinew-tools-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/path.csv", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("t,x,y,z\n0,1,2,3\n1,4,5,6\n", file);
    fclose(file);
    sn_scene *scene = NULL;
    sn_error error = {0};
    if (sn_scene_parse(context, text, strlen(text), "tools", folder, NULL, 0, &scene, &error))
        fail_msg("%s", error.text);
    return scene;
}

static void clean(void) {
    char line[128];
    snprintf(line, sizeof line, "rm -r '%s'", folder);
    assert_int_equal(system(line), 0);
}

static void test_keys(void **state) {
    (void)state;
    sn_scene *scene = load();
    const sn_world_options *world = sn_scene_world_options(scene);
    assert_int_equal(world->tool_count, 5);
    assert_string_equal(world->tool[0].name, "finger");
    assert_string_equal(world->tool[3].name, "tool3");
    assert_true(world->tool[0].spring == 300 && world->tool[0].radius == 0.01 && world->tool[1].spring == 200);
    static const char *const kind[] = {"recorded", "udp", "mouse", NULL, "recorded"};
    for (int i = 0; i < 5; ++i) {
        const sn_device_options *device = sn_scene_device(scene, i);
        if (!kind[i]) assert_null(device);
        if (kind[i]) assert_string_equal(device->kind, kind[i]);
    }
    assert_null(sn_scene_device(scene, -1));
    assert_null(sn_scene_device(scene, 5));
    assert_null(sn_scene_servo(scene, 5));
    const double rows[] = {0, 0.05, 0.1, 0.05, 0, 1, 0.05, 0.1, 0.05, 1}, file[] = {0, 1, 2, 3, 0, 1, 4, 5, 6, 0};
    assert_int_equal(sn_scene_device(scene, 0)->row_count, 2);
    assert_memory_equal(sn_scene_device(scene, 0)->row, rows, sizeof rows);
    assert_int_equal(sn_scene_device(scene, 4)->row_count, 2);
    assert_memory_equal(sn_scene_device(scene, 4)->row, file, sizeof file);
    assert_int_equal(sn_scene_device(scene, 1)->port, 5000);
    assert_string_equal(sn_scene_servo(scene, 0)->protocol, "finger.csv");
    assert_true(sn_scene_servo(scene, 0)->rate == 500 && sn_scene_servo(scene, 1)->rate == 1000);
    sn_scene_destroy(scene);
    clean();
}

static void test_servo(void **state) {
    (void)state;
    sn_scene *scene = load();
    sn_world *world = NULL;
    sn_servo *servo = NULL;
    sn_error error = {0};
    assert_int_equal(sn_scene_create_world(scene, &world, NULL), SN_OK);
    assert_int_equal(sn_scene_create_servo(scene, world, 3, NULL, &servo, &error), SN_BAD_INPUT);
    assert_int_equal(sn_scene_create_servo(scene, world, 0, "/no/such/folder", &servo, &error), SN_IO);
    assert_string_equal(error.path, "tools.0.protocol");
    assert_non_null(strstr(error.text, "tools:7:19:"));
    if (sn_scene_create_servo(scene, world, 0, folder, &servo, &error)) fail_msg("%s", error.text);
    sn_scene_destroy(scene); /* the servo has its own copy */
    assert_int_equal(sn_servo_advance(servo, 0, NULL), SN_OK);
    for (int i = 1; i <= 20; ++i) {
        assert_int_equal(sn_world_step(world, NULL, NULL), SN_OK);
        assert_int_equal(sn_servo_advance(servo, sn_world_time(world), NULL), SN_OK);
    }
    sn_servo_report report;
    sn_servo_look(servo, &report);
    assert_int_equal(report.ticks, 101); /* 500 Hz */
    double value[SN_PROBE_VALUES];
    int count;
    assert_int_equal(sn_world_probe(world, 0, value, &count, NULL), SN_OK);
    assert_int_equal(count, 3);
    assert_true(value[1] > 0.1); /* the sphere reaches 1 cm into the block */
    assert_int_equal(sn_world_probe(world, 1, value, &count, NULL), SN_OK);
    assert_true(count == 3 && value[0] == 0.05 && value[1] == 0.1 && value[2] == 0.05);
    sn_servo_destroy(servo);
    sn_world_destroy(world);
    char path[128], line[64] = "";
    snprintf(path, sizeof path, "%s/finger.csv", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "t,x,y,z,button,fx,fy,fz,depth,touches\n");
    fclose(file);
    clean();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys), cmocka_unit_test(test_servo)};
    return cmocka_run_group_tests(tests, start, end);
}
