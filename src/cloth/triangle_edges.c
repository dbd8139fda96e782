/* See triangle_edges.h. */
#include "triangle_edges.h"

#include <stdlib.h>

static int compare(const void *left, const void *right) {
    const sn_cloth_edge *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

sn_cloth_edge *sn_cloth_edges(const sn_context *context, int count, const int32_t *triangle) {
    sn_cloth_edge *edge = sn_allocate(context, 3 * (size_t)count, sizeof *edge);
    for (int i = 0; edge && i < 3 * count; ++i) {
        const int32_t *t = triangle + i / 3 * 3, a = t[(i + 1) % 3], b = t[(i + 2) % 3];
        edge[i] = (sn_cloth_edge){a < b ? a : b, a < b ? b : a, i / 3, i % 3};
    }
    if (edge) qsort(edge, 3 * (size_t)count, sizeof *edge, compare);
    return edge;
}
