/* See peers.h. */
#include "peers.h"

#include <stdio.h>

#include "peers/node.h"

static bool in_node(const cloth_peer *peer, const char *folder, const cloth_scene *scene, cloth_run *run) {
    char path[PEER_PATH];
    const size_t numbers = 3 * (size_t)scene->node_count * (size_t)cloth_frame_count(scene);
    peer_node_scene(folder, scene->name, path);
    run->step = peer->step;
    if (cloth_scene_write(scene, path)) {
        perror(path);
        return false;
    }
    return peer_node_run(folder, peer->script, peer->argument, scene->name, peer->step, run->frame, numbers,
                         &run->processor, &run->real);
}

/* Jolt: 5 iterations are its default; 20 at 5 ms stretch the sheet about as little as Sinew does. MuJoCo at more than
 * 10 ms, and with self-contact at more than 5 ms, tears its sheet apart. */
const cloth_peer cloth_peers[] = {
    {"Jolt (wasm), 5 its", CLOTH_OTHER, false, 1. / 60, 0, "jolt-physics", "peer_jolt_cloth.mjs", "5", in_node},
    {"Jolt (wasm), 20 its", CLOTH_JOLT, false, 1. / 200, 0, "jolt-physics", "peer_jolt_cloth.mjs", "20", in_node},
    {"Bullet, positions", CLOTH_OTHER, false, 1. / 60, 2000, NULL, NULL, NULL, cloth_bullet_positions},
    {"Bullet, implicit", CLOTH_BULLET, false, 1. / 2000, 2000, NULL, NULL, NULL, cloth_bullet_implicit},
    {"MuJoCo (wasm), no self", CLOTH_OTHER, false, 1. / 100, 0, "@mujoco/mujoco", "peer_mujoco_cloth.mjs", "passive",
     in_node},
    {"MuJoCo (wasm)", CLOTH_MUJOCO, true, 1. / 200, 0, "@mujoco/mujoco", "peer_mujoco_cloth.mjs", "self", in_node},
};
const int cloth_peer_count = (int)(sizeof cloth_peers / sizeof *cloth_peers);
