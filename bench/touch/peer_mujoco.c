/* Runs peer_mujoco_touch.mjs on a scene. */
#include "peer_mujoco.h"

#include <stdio.h>

#include "peers/node.h"

bool peer_mujoco_touch(const char *folder, const touch_scene *scene, double step, touch_run *run) {
    char path[PEER_PATH];
    const size_t numbers = 3 * (size_t)scene->node_count * (size_t)scene->body_count * (size_t)touch_frame_count(scene);
    peer_node_scene(folder, scene->name, path);
    run->step = step;
    if (touch_scene_write(scene, path)) {
        perror(path);
        return false;
    }
    return peer_node_run(folder, "peer_mujoco_touch.mjs", NULL, scene->name, step, run->frame, numbers, &run->processor,
                         &run->real);
}
