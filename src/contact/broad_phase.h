/* The broad phase: which of many boxes overlap.
 *
 * A binary tree over the boxes is made anew in each call: the boxes of a node are divided in two halves along the axis
 * in which their middles are most apart. Then the tree is compared with itself. The cost is about n log n plus the
 * number of pairs, in a row of boxes as well as in a pile. The order of the last call is kept: boxes that move little
 * need few exchanges.
 *
 * The pairs are sorted by their numbers, so they do not depend on the tree. */
#ifndef SN_CONTACT_BROAD_PHASE_H
#define SN_CONTACT_BROAD_PHASE_H

#include <stdbool.h>

#include "base/context.h"
#include "base/sorted.h"

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
    int order_count, order_capacity, node_capacity;
    sn_keyed *order;    /* the boxes that are not empty, by the nodes of the tree */
    sn_broad_box *node; /* the tree */
    int64_t tests;      /* how many pairs of boxes and of nodes the last call compared */
} sn_broad_phase;

/* Makes room for `count` boxes. */
sn_status sn_broad_phase_resize(sn_broad_phase *phase, int count, sn_error *error);
/* Finds the pairs of boxes that overlap or touch. */
sn_status sn_broad_phase_find(sn_broad_phase *phase, sn_error *error);
void sn_broad_phase_release(sn_broad_phase *phase);

#endif
