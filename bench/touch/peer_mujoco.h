/* MuJoCo on a scene of bench_touch, in a process of its own (peers/node.h). */
#ifndef BENCH_TOUCH_PEER_MUJOCO_H
#define BENCH_TOUCH_PEER_MUJOCO_H

#include "frames.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `folder`: of peers/node.h. Fills the frames and times of the run. False when the process failed; it has said why on
 * standard error. */
bool peer_mujoco_touch(const char *folder, const touch_scene *scene, double step, touch_run *run);

#ifdef __cplusplus
}
#endif
#endif
