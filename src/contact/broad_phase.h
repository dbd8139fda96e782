/* The broad phase: which of many boxes overlap, by sweep and prune (Baraff 1992).
 *
 * The boxes are sorted by their low ends along the axis in which their middles are most spread. A sweep compares each
 * box with those that begin before it ends. So the cost follows the number of boxes plus the number of those that lie
 * side by side on the axis, not the number of pairs. The order of the last call is kept: boxes that move little need
 * few exchanges.
 *
 * The pairs are sorted by their numbers, so they do not depend on the axis or on earlier calls. */
#ifndef SN_CONTACT_BROAD_PHASE_H
#define SN_CONTACT_BROAD_PHASE_H

#include <stdbool.h>

#include "base/context.h"

typedef struct sn_broad_box {
    double low[3], high[3]; /* m; low above high: an empty box, which overlaps none */
} sn_broad_box;

/* All zero but the context: nothing is allocated yet. The lists grow to a new maximum only. */
typedef struct sn_broad_phase {
    sn_context *context;
    int count, capacity;
    int32_t (*pair)[2]; /* the first number is the smaller one; in growing order */
    int box_count, box_capacity;
    sn_broad_box *box; /* filled by the caller after sn_broad_phase_resize */
    int order_count, order_capacity;
    int32_t *order; /* boxes by their low ends */
    int64_t tests;  /* how many pairs of boxes the last call compared */
} sn_broad_phase;

/* Makes room for `count` boxes. */
sn_status sn_broad_phase_resize(sn_broad_phase *phase, int count, sn_error *error);
/* Finds the pairs of boxes that overlap or touch. */
sn_status sn_broad_phase_find(sn_broad_phase *phase, sn_error *error);
void sn_broad_phase_release(sn_broad_phase *phase);

#endif
