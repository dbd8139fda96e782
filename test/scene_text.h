/* Worlds from scene texts and files, for tests of several folders. Include cmocka.h before this file. */
#ifndef TEST_SCENE_TEXT_H
#define TEST_SCENE_TEXT_H

#include <string.h>

#include "sinew/sinew.h"

static inline sn_status world_of_scene(sn_status status, sn_scene *scene, sn_world **world, sn_error *error) {
    *world = NULL;
    if (!status) status = sn_scene_create_world(scene, world, error);
    sn_scene_destroy(scene);
    return status;
}

/* The world of a text with overrides. `name` stands in messages for the file. *world is NULL after a failure. */
static inline sn_status world_from_text(sn_context *context, const char *name, const char *text, const sn_override *set,
                                        int sets, sn_world **world, sn_error *error) {
    sn_scene *scene = NULL;
    const sn_status status = sn_scene_parse(context, text, strlen(text), name, "", set, sets, &scene, error);
    return world_of_scene(status, scene, world, error);
}

static inline sn_status world_from_file(sn_context *context, const char *path, const sn_override *set, int sets,
                                        sn_world **world, sn_error *error) {
    sn_scene *scene = NULL;
    const sn_status status = sn_scene_load(context, path, set, sets, &scene, error);
    return world_of_scene(status, scene, world, error);
}

/* The world of a text that is meant to be right. */
static inline sn_world *world_of_text(sn_context *context, const char *text) {
    sn_world *world;
    sn_error error = {0};
    if (world_from_text(context, "test", text, NULL, 0, &world, &error)) fail_msg("%s", error.text);
    return world;
}

#endif
