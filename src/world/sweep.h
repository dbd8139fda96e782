/* The motion of a touching surface in a step. */
#ifndef SN_WORLD_SWEEP_H
#define SN_WORLD_SWEEP_H

#include "contact/broad_phase.h"
#include "contact/touch_surface.h"

typedef struct sn_sweep {
    sn_broad_box box;     /* around its start and its end */
    double mean[3], most; /* m: mean way of its vertices, and the largest difference from it */
    double size;          /* m: smallest extent at rest */
} sn_sweep;

/* The smallest extent of a surface at rest, m. */
double sn_sweep_size(const sn_touch_surface *surface);
/* Sets everything but the size for the way of `count` vertices from `start` to `end` (count x 3). */
void sn_sweep_take(int count, const double *start, const double *end, sn_sweep *sweep);
/* The most that points of two surfaces move relative to each other, m. */
double sn_sweep_way(const sn_sweep *a, const sn_sweep *b);

#endif
