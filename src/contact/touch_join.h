/* Curves of intersection: the segments of the cuts of two surfaces, joined (Civit 5.5.2).
 *
 * A segment ends where an edge pierces a triangle. The segment goes on in the triangle behind this edge. So the next
 * cut of (ta, tb) is (neighbour of ta, tb) or (ta, neighbour of tb): a look into a table of all cuts finds it. Points
 * need not be compared. Sets of joined cuts are merged with union-find. A curve is numbered by its first cut. */
#ifndef SN_CONTACT_TOUCH_JOIN_H
#define SN_CONTACT_TOUCH_JOIN_H

#include "touch_cut.h"

/* Sets by union-find: the root of a member, and the union of two sets. The smallest member becomes the root. */
static inline int32_t sn_touch_root(int32_t *parent, int32_t i) {
    while (parent[i] != i) parent[i] = parent[parent[i]], i = parent[i];
    return i;
}
static inline void sn_touch_merge(int32_t *parent, int32_t i, int32_t j) {
    i = sn_touch_root(parent, i), j = sn_touch_root(parent, j);
    if (i < j)
        parent[j] = i;
    else
        parent[i] = j;
}

typedef struct sn_touch_curve {
    int32_t first, count;  /* its first cut, and how many cuts it has */
    bool closed;           /* false: it ends at the rim of a surface */
    double vector_area[3]; /* m^2: 1/2 sum v x w over its segments vw, relative to a point of the curve (Civit 5.4). It
                              points out of A and into B */
    double length;         /* m */
} sn_touch_curve;

/* The curves of all pairs of surfaces. */
typedef struct sn_touch_curves {
    sn_context *context;
    int count, capacity;
    sn_touch_curve *curve;
    /* Scratch. */
    int32_t *table, *parent, *next;
    int table_capacity, parent_capacity, next_capacity;
} sn_touch_curves;

void sn_touch_curves_release(sn_touch_curves *curves);

/* Joins the cuts begin to end, of two surfaces (a == b for one surface with itself). Appends their curves, and fills
 * `curve` of the cuts. Within one surface, cuts are turned so that along a curve `triangle[0]` stays on one sheet.
 * curves->context must be set. */
sn_status sn_touch_join(const sn_touch_surface *a, const sn_touch_surface *b, sn_touch_cut *cut, int begin, int end,
                        sn_touch_curves *curves, sn_error *error);

#endif
