/* The engines beside which bench_cloth measures. */
#ifndef BENCH_CLOTH_PEERS_H
#define BENCH_CLOTH_PEERS_H

#include <stdbool.h>

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CLOTH_OTHER: a row to look at, with which nothing is compared. */
typedef enum cloth_engine {
    CLOTH_JOLT,
    CLOTH_BULLET,
    CLOTH_MUJOCO,
    CLOTH_OTHER,
    CLOTH_PEERS = CLOTH_OTHER
} cloth_engine;

/* One way to run an engine. */
typedef struct cloth_peer {
    const char *name;
    cloth_engine engine;
    bool self; /* the sheet touches itself */
    double step;
    int most;                      /* vertices: more take minutes; 0: any */
    const char *module;            /* of node_modules; NULL: it runs in this process */
    const char *script, *argument; /* in node */
    /* Fills the frames and times of the run. `folder`: of peers/node.h. False when it failed. */
    bool (*run)(const struct cloth_peer *peer, const char *folder, const cloth_scene *scene, cloth_run *run);
} cloth_peer;

extern const cloth_peer cloth_peers[];
extern const int cloth_peer_count;

bool cloth_bullet_implicit(const cloth_peer *peer, const char *folder, const cloth_scene *scene, cloth_run *run);
bool cloth_bullet_positions(const cloth_peer *peer, const char *folder, const cloth_scene *scene, cloth_run *run);

#ifdef __cplusplus
}
#endif
#endif
