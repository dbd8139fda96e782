/* Joining numbers into sets. parent[i] is i itself, or a smaller number of the same set; the smallest stands for the
 * set. It begins with parent[i] = i. */
#ifndef SN_EMBED_JOINED_H
#define SN_EMBED_JOINED_H

#include <stdint.h>

static inline int32_t sn_joined_root(int32_t *parent, int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static inline void sn_join(int32_t *parent, int32_t a, int32_t b) {
    a = sn_joined_root(parent, a), b = sn_joined_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
