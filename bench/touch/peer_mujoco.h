/* MuJoCo on a scene of bench_touch, in a process of its own (node with peer_mujoco.mjs). */
#ifndef BENCH_TOUCH_PEER_MUJOCO_H
#define BENCH_TOUCH_PEER_MUJOCO_H

#include "frames.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `folder` is where scripts/peers.sh installed MuJoCo: it has node_modules and takes the files between the processes.
 * True when node and MuJoCo are there. */
bool peer_mujoco_ready(const char *folder);

/* Fills the frames and times of the run. False when the process failed; it has said why on standard error. */
bool peer_mujoco_touch(const char *folder, const touch_scene *scene, double step, touch_run *run);

#ifdef __cplusplus
}
#endif
#endif
