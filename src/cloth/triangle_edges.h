/* The edges of triangles, sorted: the triangles of an edge stand next to each other. */
#ifndef SN_CLOTH_TRIANGLE_EDGES_H
#define SN_CLOTH_TRIANGLE_EDGES_H

#include "base/context.h"

typedef struct sn_cloth_edge {
    int32_t low, high;        /* its nodes */
    int32_t triangle, corner; /* the triangle, and which corner of it lies opposite */
} sn_cloth_edge;

/* The 3 * count edges of `count` triangles. Release with sn_release. NULL: out of memory. */
sn_cloth_edge *sn_cloth_edges(const sn_context *context, int count, const int32_t *triangle);

/* How many edges from edge[i] on are the same. */
static inline int sn_cloth_edge_run(const sn_cloth_edge *edge, int count, int i) {
    int end = i + 1;
    while (end < count && edge[end].low == edge[i].low && edge[end].high == edge[i].high) ++end;
    return end - i;
}

#endif
