/* From a scene to its world. What sn_world_create has to say gets the position of the key it speaks of. */

#include <stdio.h>
#include <string.h>

#include "scene_internal.h"

/* The part of the scene that a message speaks of: a body or probe by its quoted name, else whatever keys it mentions. */
static sn_status wrap(const sn_scene *scene, const sn_place *root, const sn_error *inner) {
    sn_place list, item;
    for (int pass = 0; pass < 2; ++pass) {
        if (!sn_place_get(root, pass ? "probes" : "bodies", &list)) continue;
        for (int i = 0; i < sn_place_count(&list); ++i) {
            char quoted[80];
            const char *name = pass ? scene->world.probe[i].name : scene->world.body[i].name;
            snprintf(quoted, sizeof quoted, "'%s'", name);
            if (!strstr(inner->text, quoted)) continue;
            item = sn_place_at(&list, i);
            return sn_place_wrap(&item, inner);
        }
    }
    return sn_place_wrap(root, inner);
}

sn_status sn_scene_create_world(const sn_scene *scene, sn_world **world, sn_error *error) {
    sn_reader reader = scene->reader;
    reader.error = error;
    const sn_place root = {&reader, NULL, NULL, 0, scene->root};
    sn_error inner = {0};
    const sn_status status = sn_world_create(scene->context, &scene->world, world, &inner);
    if (!status || status == SN_NO_MEMORY) return status ? sn_no_memory(error) : SN_OK;
    inner.status = status;
    return wrap(scene, &root, &inner);
}
