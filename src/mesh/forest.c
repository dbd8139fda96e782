/* See forest.h. */
#include "forest.h"

#include <string.h>

#include "mesh_internal.h"

/* Where the ten nodes of a tet are in its children: child, corner (refine.c). */
static const uint8_t place_of[10][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

/* ---- Creation ---- */
/* Takes the nodes of one level from the tets of the next finer one, whose corners are `stride` numbers apart. */
static void take_level(sn_forest *f, int level, const int32_t *child, size_t stride) {
    for (int t = f->first[level]; t < f->first[level + 1]; ++t) {
        const int32_t *own = child + 8 * stride * (size_t)(t - f->first[level]);
        for (int i = 0; i < 10; ++i)
            f->node[10 * (size_t)t + (size_t)i] = own[place_of[i][0] * stride + place_of[i][1]];
        f->level[t] = (uint8_t)level;
    }
}

/* Whether the mid nodes have the ends of the edges as parents: then the children are those of an octasection. */
static bool is_nested(const sn_mesh *mesh, const int32_t node[10]) {
    for (int e = 0; e < 6; ++e) {
        const int32_t a = node[sn_tet_edge[e][0]], b = node[sn_tet_edge[e][1]];
        const int32_t *parent = mesh->node_parent + 2 * (size_t)node[4 + e];
        if (!(parent[0] == a && parent[1] == b) && !(parent[0] == b && parent[1] == a)) return false;
    }
    return true;
}

static void list_middles(sn_forest *f) {
    for (int pass = 0; pass < 2; ++pass) {
        for (int t = 0; t < f->count; ++t)
            for (int e = 4; e < 10; ++e) {
                const int32_t node = f->node[10 * (size_t)t + (size_t)e];
                if (pass)
                    f->mid[f->mid_begin[node]++] = t;
                else
                    ++f->mid_begin[node + 1];
            }
        if (!pass)
            for (int i = 0; i < f->node_count; ++i) f->mid_begin[i + 1] += f->mid_begin[i];
    }
    for (int i = f->node_count; i > 0; --i) f->mid_begin[i] = f->mid_begin[i - 1];
    f->mid_begin[0] = 0;
}

static sn_status allocate(const sn_context *context, sn_forest *f, sn_error *error) {
    const size_t tets = (size_t)f->count, nodes = (size_t)f->node_count;
    f->node = sn_allocate(context, 10 * tets, sizeof *f->node);
    f->level = sn_allocate(context, tets, 1);
    f->mid_begin = sn_allocate_zero(context, nodes + 1, sizeof *f->mid_begin);
    f->mid = sn_allocate(context, 6 * tets, sizeof *f->mid);
    f->refined = sn_allocate_zero(context, tets, 1);
    f->split = sn_allocate_zero(context, nodes, sizeof *f->split);
    f->uses = sn_allocate_zero(context, nodes, sizeof *f->uses);
    f->journal = sn_allocate(context, tets, sizeof *f->journal);
    return f->node && f->level && f->mid_begin && f->mid && f->refined && f->split && f->uses && f->journal
               ? SN_OK
               : sn_no_memory(error);
}

sn_status sn_forest_create(const sn_context *context, const sn_mesh *mesh, const int32_t *number, int node_count,
                           int levels, sn_forest *f, sn_error *error) {
    *f = (sn_forest){.levels = levels, .node_count = node_count};
    const int has = mesh->level_count ? mesh->level_count - 1 : 0;
    if (levels < 1 || levels > SN_FOREST_LEVELS || levels > has || mesh->tet_nodes != 4)
        return sn_fail(error, SN_BAD_INPUT, "%d levels; the mesh was refined %d times", levels, has);
    f->root_count = mesh->tet_count >> 3 * levels;
    for (int k = 0, size = f->root_count; k < levels; ++k, size *= 8) f->first[k + 1] = f->first[k] + size;
    f->count = f->first[levels], f->leaf_count = f->root_count;
    const sn_status status = allocate(context, f, error);
    if (status) return status;
    take_level(f, levels - 1, mesh->tet, 4);
    for (int k = levels - 2; k >= 0; --k) take_level(f, k, f->node + 10 * (size_t)f->first[k + 1], 10);
    for (int t = 0; t < f->count; ++t) {
        if (!is_nested(mesh, f->node + 10 * (size_t)t))
            return sn_fail(error, SN_BAD_INPUT, "the tets of the mesh are not in the order of its refinement");
        for (int i = 0; i < 10; ++i) f->node[10 * (size_t)t + (size_t)i] = number[f->node[10 * (size_t)t + (size_t)i]];
    }
    list_middles(f);
    return SN_OK;
}

void sn_forest_release(const sn_context *context, sn_forest *f) {
    void *const array[] = {f->node, f->level, f->mid_begin, f->mid, f->refined, f->split, f->uses, f->journal};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    *f = (sn_forest){0};
}

/* ---- The active set ---- */
sn_node_kind sn_forest_kind(const sn_forest *f, int32_t node) {
    const int32_t around = f->mid_begin[node + 1] - f->mid_begin[node];
    return f->split[node] == around ? SN_NODE_FREE : f->split[node] ? SN_NODE_HANGING : SN_NODE_UNUSED;
}

static void mark(sn_forest *f, int tet, int change) {
    const int32_t *node = f->node + 10 * (size_t)tet;
    f->refined[tet] = change > 0;
    for (int i = 0; i < 4; ++i) f->uses[node[i]] += change;
    for (int e = 4; e < 10; ++e) f->split[node[e]] += change;
    f->leaf_count += 7 * change;
}

/* Goes down the levels: each call is for a coarser tet. */
static void refine(sn_forest *f, int tet) {
    if (f->refined[tet]) return;
    const int parent = sn_forest_parent(f, tet);
    if (parent >= 0) refine(f, parent);
    for (int i = 0; i < 4; ++i) {
        const int32_t corner = f->node[10 * (size_t)tet + (size_t)i];
        if (sn_forest_kind(f, corner) == SN_NODE_FREE) continue;
        for (int32_t k = f->mid_begin[corner]; k < f->mid_begin[corner + 1]; ++k) refine(f, f->mid[k]);
    }
    mark(f, tet, 1);
    f->journal[f->journal_count++] = tet;
}

bool sn_forest_refine(sn_forest *f, int tet, int most) {
    f->journal_count = 0;
    refine(f, tet);
    if (f->leaf_count <= most || f->journal_count == 0) return true;
    while (f->journal_count > 0) mark(f, f->journal[--f->journal_count], -1);
    return false;
}

bool sn_forest_can_coarsen(const sn_forest *f, int tet) {
    if (!f->refined[tet]) return false;
    for (int e = 4; e < 10; ++e)
        if (f->uses[f->node[10 * (size_t)tet + (size_t)e]]) return false;
    return true;
}

void sn_forest_coarsen(sn_forest *f, int tet) { mark(f, tet, -1); }

bool sn_forest_set(sn_forest *f, const uint8_t *refined) {
    for (int t = f->count - 1; t >= 0; --t)
        if (f->refined[t]) mark(f, t, -1);
    for (int t = 0; t < f->count; ++t) {
        if (!refined[t]) continue;
        const int parent = sn_forest_parent(f, t);
        if (parent >= 0 && !f->refined[parent]) return false;
        mark(f, t, 1);
    }
    for (int t = 0; t < f->count; ++t)
        for (int i = 0; i < 4 && f->refined[t]; ++i)
            if (sn_forest_kind(f, f->node[10 * (size_t)t + (size_t)i]) != SN_NODE_FREE) return false;
    return true;
}

static void descend(const sn_forest *f, int tet, int level, void (*visit)(void *data, int tet, int level), void *data) {
    if (level == f->levels || !f->refined[tet]) {
        visit(data, tet, level);
        return;
    }
    const int child = sn_forest_child(f, tet);
    for (int c = 0; c < 8; ++c) descend(f, child + c, level + 1, visit, data);
}

void sn_forest_leaves(const sn_forest *f, void (*visit)(void *data, int tet, int level), void *data) {
    for (int t = 0; t < f->root_count; ++t) descend(f, t, 0, visit, data);
}
