/* See levels.h. */
#include "levels.h"

#include <string.h>

#include "mesh_internal.h"

enum { GRAIN = 1024 }; /* nodes of a level that a thread takes at once */

void sn_levels_release(const sn_context *context, sn_levels *l) {
    void *const array[] = {l->begin,  l->node,        l->parent, l->place, l->target_begin,
                           l->target, l->child_begin, l->child,  l->loose};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    *l = (sn_levels){0};
}

/* ---- Compilation ---- */
static bool has_levels(const sn_levels_body *body) { return !body->loose && body->mesh->level_count > 1; }

/* Per node of the system: its level + 1, 0 for loose nodes; and its parents in the numbers of the system. */
static void collect(const sn_levels_body *body, int body_count, uint16_t *rank, int32_t *parent) {
    for (int b = 0; b < body_count; ++b) {
        const sn_mesh *mesh = body[b].mesh;
        for (int i = 0; i < mesh->node_count && has_levels(&body[b]); ++i) {
            const size_t at = (size_t)body[b].number[i];
            rank[at] = (uint16_t)(mesh->node_level[i] + 1);
            for (size_t k = 0; k < 2; ++k) {
                const int32_t p = mesh->node_parent[2 * (size_t)i + k];
                parent[2 * at + k] = p < 0 ? -1 : body[b].number[p];
            }
        }
    }
}

/* Sorts the nodes by level; a counting sort keeps them ascending. */
static void sort_nodes(sn_levels *l, const uint16_t *rank, const int32_t *parent) {
    for (int i = 0; i < l->nodes; ++i)
        if (rank[i]) ++l->begin[rank[i]];
    for (int k = 0; k < l->count; ++k) l->begin[k + 1] += l->begin[k];
    for (int i = 0; i < l->nodes; ++i) {
        l->place[i] = -1;
        if (!rank[i]) {
            l->loose[l->loose_count++] = i;
            continue;
        }
        const int32_t at = l->begin[rank[i] - 1]++;
        l->node[at] = i, l->place[i] = at;
        memcpy(l->parent + 2 * (size_t)at, parent + 2 * (size_t)i, 2 * sizeof *parent);
    }
    for (int k = l->count; k > 0; --k) l->begin[k] = l->begin[k - 1];
    l->begin[0] = 0;
}

/* Lists for each level the parents of its nodes, and for each of these the children. `count` has a number per node. */
static void list_children(sn_levels *l, int32_t *count) {
    int32_t target = 0, child = 0;
    l->target_begin[0] = 0;
    for (int k = 0; k < l->count; ++k) {
        memset(count, 0, (size_t)l->nodes * sizeof *count);
        for (int32_t at = k ? l->begin[k] : l->begin[1]; at < l->begin[k + 1]; ++at)
            ++count[l->parent[2 * (size_t)at]], ++count[l->parent[2 * (size_t)at + 1]];
        for (int i = 0; i < l->nodes; ++i) {
            if (!count[i]) continue;
            l->target[target] = i, l->child_begin[target++] = child;
            child += count[i];
            count[i] = l->child_begin[target - 1];
        }
        for (int32_t at = k ? l->begin[k] : l->begin[1]; at < l->begin[k + 1]; ++at)
            for (size_t e = 0; e < 2; ++e) l->child[count[l->parent[2 * (size_t)at + e]]++] = l->node[at];
        l->target_begin[k + 1] = target;
    }
    l->child_begin[target] = child;
}

static sn_status compile(sn_context *context, const sn_levels_body *body, int body_count, sn_levels *l, uint16_t *rank,
                         int32_t *parent, sn_error *error) {
    collect(body, body_count, rank, parent);
    size_t levelled = 0, fresh = 0;
    for (int i = 0; i < l->nodes; ++i) levelled += rank[i] > 0, fresh += rank[i] > 1;
    l->begin = sn_allocate_zero(context, (size_t)l->count + 2, sizeof *l->begin);
    l->target_begin = sn_allocate_zero(context, (size_t)l->count + 1, sizeof *l->target_begin);
    l->node = sn_allocate(context, levelled, sizeof *l->node);
    l->parent = sn_allocate(context, 2 * levelled, sizeof *l->parent);
    l->place = sn_allocate(context, (size_t)l->nodes, sizeof *l->place);
    l->loose = sn_allocate(context, (size_t)l->nodes - levelled, sizeof *l->loose);
    l->target = sn_allocate(context, 2 * fresh, sizeof *l->target);
    l->child_begin = sn_allocate(context, 2 * fresh + 1, sizeof *l->child_begin);
    l->child = sn_allocate(context, 2 * fresh, sizeof *l->child);
    if (!l->begin || !l->target_begin || !l->node || !l->parent || !l->place || !l->loose || !l->target ||
        !l->child_begin || !l->child)
        return sn_no_memory(error);
    sort_nodes(l, rank, parent);
    list_children(l, parent);
    return SN_OK;
}

sn_status sn_levels_create(sn_context *context, const sn_levels_body *body, int body_count, int nodes,
                           sn_levels *levels, sn_error *error) {
    *levels = (sn_levels){.nodes = nodes};
    for (int b = 0; b < body_count; ++b) {
        if (!has_levels(&body[b])) continue;
        const sn_status status = sn_mesh_check(body[b].mesh, error);
        if (status) return status;
        if (body[b].mesh->level_count > levels->count) levels->count = body[b].mesh->level_count;
    }
    if (!levels->count) return SN_OK;
    uint16_t *rank = sn_allocate_zero(context, (size_t)nodes, sizeof *rank);
    int32_t *parent = sn_allocate(context, 2 * (size_t)nodes, sizeof *parent);
    const sn_status status =
        rank && parent ? compile(context, body, body_count, levels, rank, parent, error) : sn_no_memory(error);
    sn_release(context, rank);
    sn_release(context, parent);
    return status;
}

/* ---- The transformations ---- */
typedef struct map_work {
    const sn_levels *levels;
    double *x;
    double half; /* 1/2 or -1/2 */
    int32_t first, end;
} map_work;

/* x_i += half (x_p + x_q) for new nodes. */
static void collect_parents(void *data, int piece) {
    const map_work *w = data;
    const int32_t begin = w->first + piece * GRAIN, end = begin + GRAIN < w->end ? begin + GRAIN : w->end;
    for (int32_t at = begin; at < end; ++at) {
        const int32_t *parent = w->levels->parent + 2 * (size_t)at;
        const double *p = w->x + 3 * (size_t)parent[0], *q = w->x + 3 * (size_t)parent[1];
        double *x = w->x + 3 * (size_t)w->levels->node[at];
        for (int a = 0; a < 3; ++a) x[a] += w->half * (p[a] + q[a]);
    }
}

/* x_i = half (x_p + x_q) for new nodes. */
static void take_parents(void *data, int piece) {
    const map_work *w = data;
    const int32_t begin = w->first + piece * GRAIN, end = begin + GRAIN < w->end ? begin + GRAIN : w->end;
    for (int32_t at = begin; at < end; ++at) memset(w->x + 3 * (size_t)w->levels->node[at], 0, 3 * sizeof *w->x);
    collect_parents(data, piece);
}

/* x_p += half (the sum of x over the children of p) for targets. */
static void collect_children(void *data, int piece) {
    const map_work *w = data;
    const sn_levels *l = w->levels;
    const int32_t begin = w->first + piece * GRAIN, end = begin + GRAIN < w->end ? begin + GRAIN : w->end;
    for (int32_t t = begin; t < end; ++t) {
        double sum[3] = {0};
        for (int32_t c = l->child_begin[t]; c < l->child_begin[t + 1]; ++c) {
            const double *child = w->x + 3 * (size_t)l->child[c];
            for (int a = 0; a < 3; ++a) sum[a] += child[a];
        }
        double *x = w->x + 3 * (size_t)l->target[t];
        for (int a = 0; a < 3; ++a) x[a] += w->half * sum[a];
    }
}

void sn_levels_map_level(const sn_context *context, const sn_levels *levels, sn_level_map map, int level, double *x) {
    const bool transpose = map == SN_LEVEL_TRANSPOSE || map == SN_LEVEL_INVERSE_TRANSPOSE;
    const bool inverse = map == SN_LEVEL_INVERSE || map == SN_LEVEL_INVERSE_TRANSPOSE;
    const int32_t *begin = transpose ? levels->target_begin : levels->begin;
    map_work w = {levels, x, inverse ? -0.5 : 0.5, begin[level], begin[level + 1]};
    sn_parallel_pieces(context, sn_pieces(w.end - w.first, GRAIN), transpose ? collect_children : collect_parents, &w);
}

void sn_levels_map(const sn_context *context, const sn_levels *levels, sn_level_map map, double *x) {
    const bool up = map == SN_LEVEL_S || map == SN_LEVEL_INVERSE_TRANSPOSE;
    for (int k = 1; k < levels->count; ++k) sn_levels_map_level(context, levels, map, up ? k : levels->count - k, x);
}

void sn_levels_interpolate(const sn_context *context, const sn_levels *levels, int level, double *x) {
    for (int k = level + 1; k < levels->count; ++k) {
        map_work w = {levels, x, 0.5, levels->begin[k], levels->begin[k + 1]};
        sn_parallel_pieces(context, sn_pieces(w.end - w.first, GRAIN), take_parents, &w);
    }
}
