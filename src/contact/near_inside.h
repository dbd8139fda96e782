/* What the files of near_features.h share. */
#ifndef SN_CONTACT_NEAR_INSIDE_H
#define SN_CONTACT_NEAR_INSIDE_H

#include "near_features.h"

/* near_list.c: `beside` finds the pairs of triangles that share a corner, once. `list` makes the list for the tube from
 * near->from to near->to, after the boxes of the tree were fitted. moves: the two differ. */
sn_status sn_near_find_beside(sn_near_features *near, sn_error *error);
sn_status sn_near_list(sn_near_features *near, bool moves, sn_error *error);

/* How many corners two triangles share. */
static inline int sn_near_shared(const sn_touch_surface *s, const int32_t t[2]) {
    const int32_t *p = s->triangle + 3 * (size_t)t[0], *q = s->triangle + 3 * (size_t)t[1];
    int count = 0;
    for (int k = 0; k < 3; ++k) count += (p[k] == q[0]) + (p[k] == q[1]) + (p[k] == q[2]);
    return count;
}

#endif
