/* Three runs end with the same bits: one without a stop, one that is saved half-way and goes on, and one that starts
 * from the saved state. */
#ifndef SN_TEST_SCENE_THREE_RUNS_H
#define SN_TEST_SCENE_THREE_RUNS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene_text.h"

static sn_context *context;
static int compared;

/* A step that fails leaves the state as it was, and both runs must fail alike. */
static inline void run(sn_world *world, int steps) {
    for (int i = 0; i < steps; ++i) (void)sn_world_step(world, NULL, NULL);
}

/* Compares the three runs of a scene. Overrides that do not suit the scene are left out. */
static inline void compare(const char *path, const sn_override *overrides, int count, int before, int after) {
    enum { WHOLE, SAVED, RESTORED, RUNS };
    sn_scene *scene = NULL;
    sn_world *world[RUNS] = {NULL};
    char hash[RUNS][17], label[400] = "";
    sn_error error = {0};
    if (sn_scene_load(context, path, overrides, count, &scene, &error)) return;
    sn_status status = SN_OK;
    for (int i = 0; i < RUNS && !status; ++i) status = sn_scene_create_world(scene, &world[i], &error);
    sn_scene_destroy(scene);
    if (status) return;
    for (int i = 0; i < count; ++i)
        snprintf(label + strlen(label), sizeof label - strlen(label), " %s=%s", overrides[i].key, overrides[i].value);
    run(world[WHOLE], before);
    run(world[SAVED], before);
    const size_t size = sn_world_state_size(world[SAVED]);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(sn_world_save_state(world[SAVED], bytes, size, &error), SN_OK);
    if (sn_world_restore_state(world[RESTORED], bytes, size, &error)) fail_msg("%s%s: %s", path, label, error.text);
    free(bytes);
    run(world[WHOLE], after);
    run(world[SAVED], after);
    run(world[RESTORED], after);
    for (int i = 0; i < RUNS; ++i) {
        sn_world_hash(world[i], hash[i]);
        sn_world_destroy(world[i]);
    }
    if (strcmp(hash[WHOLE], hash[SAVED]) != 0) fail_msg("%s%s: the run that was saved differs", path, label);
    if (strcmp(hash[WHOLE], hash[RESTORED]) != 0) fail_msg("%s%s: the run that was restored differs", path, label);
    ++compared;
}

static inline int start(void **state) {
    (void)state;
    return sn_context_create(NULL, &context, NULL) != SN_OK;
}

static inline int end(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

#endif
