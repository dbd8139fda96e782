/* See weld.h. Both functions sort, so that the result depends only on the mesh. */
#include "weld.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct place {
    double x[3];
    int32_t node;
} place;

static int compare_places(const place *p, const place *q) {
    for (int i = 0; i < 3; ++i)
        if (p->x[i] != q->x[i]) return p->x[i] < q->x[i] ? -1 : 1;
    return 0;
}

static int by_place(const void *a, const void *b) {
    const place *p = a, *q = b;
    const int order = compare_places(p, q);
    return order ? order : (p->node > q->node) - (p->node < q->node);
}

sn_status sn_weld(const sn_context *context, const double *position, int nodes, const int32_t *face, int faces,
                  int32_t *new_of_old, int *count, sn_error *error) {
    int used = 0;
    for (int i = 0; i < nodes; ++i) new_of_old[i] = -1;
    for (int i = 0; i < 3 * faces; ++i) used += new_of_old[face[i]] < 0, new_of_old[face[i]] = 0;
    place *at = sn_allocate(context, (size_t)used, sizeof *at);
    if (!at) return sn_no_memory(error);
    used = 0;
    for (int i = 0; i < nodes; ++i) {
        const double *x = position + 3 * (size_t)i;
        if (new_of_old[i] == 0) at[used++] = (place){{x[0], x[1], x[2]}, i};
    }
    qsort(at, (size_t)used, sizeof *at, by_place);
    *count = 0;
    for (int i = 0; i < used; ++i) {
        *count += i == 0 || compare_places(&at[i], &at[i - 1]) != 0;
        new_of_old[at[i].node] = *count - 1;
    }
    sn_release(context, at);
    return SN_OK;
}

typedef struct half_edge {
    int32_t low, high, edge; /* the nodes at its ends; its number, 3 x triangle + k */
} half_edge;

static int by_ends(const void *a, const void *b) {
    const half_edge *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return (p->edge > q->edge) - (p->edge < q->edge);
}

sn_status sn_pair_edges(const sn_context *context, const int32_t *triangle, int triangles, int32_t *partner,
                        sn_edge_counts *counts, sn_error *error) {
    const int edges = 3 * triangles;
    half_edge *all = sn_allocate(context, (size_t)edges, sizeof *all);
    if (!all) return sn_no_memory(error);
    *counts = (sn_edge_counts){0};
    for (int32_t i = 0; i < edges; ++i) {
        const int32_t a = triangle[i], b = triangle[sn_next_in_triangle(i)];
        all[i] = (half_edge){a < b ? a : b, a < b ? b : a, i};
        partner[i] = -1;
    }
    qsort(all, (size_t)edges, sizeof *all, by_ends);
    for (int i = 0, end; i < edges; i = end) {
        for (end = i + 1; end < edges && all[end].low == all[i].low && all[end].high == all[i].high;) ++end;
        const bool agree = end == i + 2 && triangle[all[i].edge] != triangle[all[i + 1].edge];
        counts->open += end == i + 1;
        counts->crowded += end > i + 2;
        counts->opposing += end == i + 2 && !agree;
        if (end == i + 2) partner[all[i].edge] = all[i + 1].edge, partner[all[i + 1].edge] = all[i].edge;
    }
    sn_release(context, all);
    return SN_OK;
}
