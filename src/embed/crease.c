/* See crease.h. Corners of triangles are joined by a union-find across every smooth edge; each class is a vertex.
 * Without creases the corners at a node are one vertex, also where triangles share a node but no edge. Vertices are
 * numbered by their first corner. */
#include "crease.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "joined.h"

/* An edge of a triangle, its ends in ascending order. */
typedef struct edge {
    int32_t low, high, corner; /* corner: 3 triangle + local number of the edge's first end */
} edge;

static int by_ends(const void *a, const void *b) {
    const edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->corner < q->corner ? -1 : p->corner > q->corner;
}

static void face_normal(const double *position, const int32_t *t, double n[3]) {
    const double *a = position + 3 * (size_t)t[0], *b = position + 3 * (size_t)t[1], *c = position + 3 * (size_t)t[2];
    double u[3], v[3];
    for (int k = 0; k < 3; ++k) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
    sn_cross3(u, v, n);
    const double length = sqrt(sn_dot3(n, n));
    for (int k = 0; k < 3 && length > 0; ++k) n[k] /= length;
}

/* The corner of triangle `corner / 3` that is at `node`. */
static int32_t corner_at(const int32_t *triangle, int32_t corner, int32_t node) {
    const int32_t first = corner / 3 * 3;
    for (int32_t k = 0; k < 3; ++k)
        if (triangle[first + k] == node) return first + k;
    return first;
}

static void join_smooth(const double *position, const int32_t *triangle, const edge *e, double limit, int32_t *parent) {
    double n[2][3];
    for (int i = 0; i < 2; ++i) face_normal(position, triangle + e[i].corner / 3 * 3, n[i]);
    if (sn_dot3(n[0], n[1]) < limit) return;
    sn_join(parent, corner_at(triangle, e[0].corner, e[0].low), corner_at(triangle, e[1].corner, e[0].low));
    sn_join(parent, corner_at(triangle, e[0].corner, e[0].high), corner_at(triangle, e[1].corner, e[0].high));
}

static sn_status number_nodes(sn_context *context, const int32_t *triangle, int corners, int32_t *corner,
                              int32_t *source, int *count, sn_error *error) {
    int32_t nodes = 0;
    for (int i = 0; i < corners; ++i)
        if (triangle[i] >= nodes) nodes = triangle[i] + 1;
    int32_t *vertex = sn_allocate(context, (size_t)nodes, sizeof *vertex);
    if (!vertex) return sn_no_memory(error);
    for (int32_t i = 0; i < nodes; ++i) vertex[i] = -1;
    *count = 0;
    for (int i = 0; i < corners; ++i) {
        int32_t *own = &vertex[triangle[i]];
        if (*own < 0) *own = *count, source[(*count)++] = triangle[i];
        corner[i] = *own;
    }
    sn_release(context, vertex);
    return SN_OK;
}

sn_status sn_crease_split(sn_context *context, const double *position, const int32_t *triangle, int triangles,
                          double crease, int32_t *corner, int32_t *source, int *count, sn_error *error) {
    const int corners = 3 * triangles;
    if (crease >= 180) return number_nodes(context, triangle, corners, corner, source, count, error);
    edge *list = sn_allocate(context, (size_t)corners, sizeof *list);
    int32_t *parent = sn_allocate(context, (size_t)corners, sizeof *parent);
    if (!list || !parent) {
        sn_release(context, list), sn_release(context, parent);
        return sn_no_memory(error);
    }
    for (int i = 0; i < corners; ++i) {
        const int32_t a = triangle[i], b = triangle[i / 3 * 3 + (i + 1 - i / 3 * 3) % 3];
        list[i] = (edge){a < b ? a : b, a < b ? b : a, i};
        parent[i] = i;
    }
    qsort(list, (size_t)corners, sizeof *list, by_ends);
    const double limit = cos(crease * 3.14159265358979323846 / 180);
    for (int i = 0; i + 1 < corners;) {
        int end = i + 1;
        while (end < corners && list[end].low == list[i].low && list[end].high == list[i].high) ++end;
        if (end - i == 2) join_smooth(position, triangle, list + i, limit, parent);
        i = end;
    }
    *count = 0;
    for (int i = 0; i < corners; ++i) {
        const int32_t root = sn_joined_root(parent, i);
        if (root == i)
            corner[i] = *count, source[(*count)++] = triangle[i];
        else
            corner[i] = corner[root]; /* roots come first: a class is named by its lowest corner */
    }
    sn_release(context, list), sn_release(context, parent);
    return SN_OK;
}
