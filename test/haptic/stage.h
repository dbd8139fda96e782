/* A soft block that is held below, and a tool above it: for tests of servos and devices. The top of the block is at
 * y = 0.1; its middle is at x = z = 0. Include cmocka.h before this file. */
#ifndef TEST_HAPTIC_STAGE_H
#define TEST_HAPTIC_STAGE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scene_text.h"

#define STAGE                                                                                                          \
    "{ \"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": { \"method\": \"bdf3\", \"step\": 0.015, \"end\": 1 },\n"       \
    "  \"bodies\": [ { \"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], \"cells\": [3, 3, 3] }, "                     \
    "\"move\": [-0.05, 0, -0.05] },\n"                                                                                 \
    "    \"material\": { \"law\": \"corotated\", \"young\": 5000, \"poisson\": 0.3, \"rayleigh\": { \"stiffness\": "   \
    "0.01 } },\n"                                                                                                      \
    "    \"fix\": [ { \"select\": { \"normal\": [0, -1, 0] } } ] } ],\n"                                               \
    "  \"tools\": [ { \"name\": \"finger\" } ] }"

/* Pressed 2 cm, held, released. */
static const double stage_path[][5] = {{0, 0, 0.13, 0.004, 0},   {0.1, 0, 0.11, 0.004, 0}, {0.3, 0, 0.08, 0.004, 0},
                                       {0.5, 0, 0.08, 0.004, 0}, {0.6, 0, 0.12, 0.004, 0}, {0.9, 0, 0.12, 0.004, 0}};
enum { STAGE_ROWS = sizeof stage_path / sizeof *stage_path };

static inline sn_context *stage_context(int threads) {
    sn_context_options options = sn_context_options_default();
    sn_context *context = NULL;
    options.threads = threads;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

static inline sn_device_options stage_recorded(void) {
    sn_device_options device = sn_device_options_default();
    snprintf(device.kind, sizeof device.kind, "recorded");
    device.row = stage_path[0], device.row_count = STAGE_ROWS;
    return device;
}

static inline sn_device_options stage_device(const char *kind) {
    sn_device_options device = sn_device_options_default();
    snprintf(device.kind, sizeof device.kind, "%s", kind);
    return device;
}

static inline void stage_step(sn_world *world) {
    sn_error error = {0};
    if (sn_world_step(world, NULL, &error)) fail_msg("%s", error.text);
}

/* Steps and ticks in simulated time. */
static inline void stage_run(sn_world *world, sn_servo *servo, double end) {
    sn_error error = {0};
    if (sn_servo_advance(servo, sn_world_time(world), &error)) fail_msg("%s", error.text);
    while (sn_world_time(world) < end - 1e-9) {
        stage_step(world);
        if (sn_servo_advance(servo, sn_world_time(world), &error)) fail_msg("%s", error.text);
    }
}

static inline sn_servo *stage_servo(sn_world *world, const sn_device_options *device, const char *protocol) {
    sn_servo_options options = sn_servo_options_default();
    sn_servo *servo = NULL;
    sn_error error = {0};
    if (protocol) snprintf(options.protocol, sizeof options.protocol, "%s", protocol);
    if (sn_servo_create(world, 0, device, &options, &servo, &error)) fail_msg("%s", error.text);
    return servo;
}

/* The text of a file, which the caller frees. */
static inline char *stage_text(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = NULL;
    size_t used = 0, got;
    do {
        text = realloc(text, used + 65537);
        got = fread(text + used, 1, 65536, file);
        used += got;
    } while (got);
    fclose(file);
    text[used] = 0;
    return text;
}

#endif
