/* Bullet's deformable world on a scene of bench_touch. */
#ifndef BENCH_TOUCH_PEER_BULLET_H
#define BENCH_TOUCH_PEER_BULLET_H

#include "frames.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What Bullet lets one choose. */
typedef struct bullet_options {
    double step;      /* s; the frames of the scene are a multiple of it */
    double margin;    /* m: distance that its surfaces keep, half of it on each side */
    double repulsion; /* N/m: spring of a vertex that is nearer than the margin to a face */
    bool implicit;    /* elastic forces at the end of the step. Without, they act from its start; damping is implicit */
} bullet_options;

bullet_options bullet_options_default(void);

/* Fills the frames and times of the run. */
void peer_bullet_touch(const touch_scene *scene, const bullet_options *options, touch_run *run);

#ifdef __cplusplus
}
#endif
#endif
