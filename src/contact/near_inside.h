/* Declarations that the files of near_features.h share. */
#ifndef SN_CONTACT_NEAR_INSIDE_H
#define SN_CONTACT_NEAR_INSIDE_H

#include "near_features.h"

/* near_list.c: `beside` finds the pairs of triangles that share a corner, once. `list` makes the list for the tube from
 * near->from to near->to, after the boxes of the tree were fitted. moves: the two differ. */
sn_status sn_near_find_beside(sn_near_features *near, sn_error *error);
sn_status sn_near_list(sn_near_features *near, bool moves, sn_error *error);

/* Eight pairs of one kind that wait for a kernel. */
typedef struct sn_near_lanes {
    int count;
    int32_t corner[4][8];
    int index[8];
} sn_near_lanes;

/* Adds pair `index`. Returns whether the lanes are full. */
static inline bool sn_near_lanes_add(const sn_near_features *near, const sn_near_pair *pair, int index,
                                     sn_near_lanes *l) {
    int32_t corner[4];
    sn_near_corners(near, pair, corner);
    for (int k = 0; k < 4; ++k) l->corner[k][l->count] = corner[k];
    l->index[l->count++] = index;
    return l->count == 8;
}

/* Fills the empty lanes with the last pair. */
static inline void sn_near_lanes_pad(sn_near_lanes *l) {
    for (int i = l->count; i < 8; ++i)
        for (int k = 0; k < 4; ++k) l->corner[k][i] = l->corner[k][l->count - 1];
}

/* How many corners two triangles share. */
static inline int sn_near_shared(const sn_touch_surface *s, const int32_t t[2]) {
    const int32_t *p = s->triangle + 3 * (size_t)t[0], *q = s->triangle + 3 * (size_t)t[1];
    int count = 0;
    for (int k = 0; k < 3; ++k) count += (p[k] == q[0]) + (p[k] == q[1]) + (p[k] == q[2]);
    return count;
}

#endif
