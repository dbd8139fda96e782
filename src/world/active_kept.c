/* What a change of the active set leaves as it was. A tet that is active before and after keeps the shape of its
 * element. A row of the matrix stays when all tets around its node stay, and with them the carriers of their corners: a
 * corner is carried by itself, or by its parents when it is a slave. So the rows of these nodes are made anew:
 *   - the corners of tets that come or go, and their carriers before and after;
 *   - the same of tets with a corner that became a slave, or is none any more. */
#include <string.h>

#include "adaptive.h"
#include "inside.h"

void sn_active_drop(const sn_context *context, sn_active *a) {
    sn_release(context, a->kept.place);
    sn_release(context, a->kept.row);
    sn_release(context, a->kept.node);
    a->kept = (sn_kept){0};
}

/* The leaf before that is the same element; -1: none. */
static int leaf_before(const sn_active *now, const sn_active *before, int leaf) {
    const int old = before->leaf[now->first[leaf]];
    return before->depth[old] == now->depth[leaf] ? old : -1;
}

/* The corners of leaf `leaf` of adaptive body b. */
static const int32_t *corners(const sn_active *of, int b, int leaf) {
    return of->node + of->corner[b] + 4 * (int64_t)(leaf - of->begin[b]);
}

/* Marks the corners of a leaf and their carriers, before and now. */
static void mark(const sn_world *world, const sn_active *of, int b, int leaf, uint8_t *marked) {
    const sn_levels *levels = &world->model->levels;
    const int32_t *corner = corners(of, b, leaf);
    for (int i = 0; i < 4; ++i) {
        const int32_t node = of->full[corner[i]];
        marked[node] = 1;
        if (!of->slaved[node]) continue;
        const int32_t *parent = levels->parent + 2 * (size_t)levels->place[node];
        marked[parent[0]] = marked[parent[1]] = 1;
    }
}

/* Marks what changed in adaptive body b. Nothing changes in other bodies. */
static void mark_changes(const sn_world *world, int b, const sn_active *before, const sn_active *now, uint8_t *marked) {
    for (int leaf = before->begin[b]; leaf < before->begin[b + 1]; ++leaf)
        if (leaf_before(before, now, leaf) < 0) mark(world, before, b, leaf, marked);
    for (int leaf = now->begin[b]; leaf < now->begin[b + 1]; ++leaf) {
        const int old = leaf_before(now, before, leaf);
        bool other = old < 0;
        const int32_t *corner = corners(now, b, leaf);
        for (int i = 0; i < 4 && !other; ++i) {
            const int32_t node = now->full[corner[i]];
            other = before->slaved[node] != now->slaved[node];
        }
        if (!other) continue;
        mark(world, now, b, leaf, marked);
        if (old >= 0) mark(world, before, b, old, marked);
    }
}

sn_status sn_active_keep(const sn_world *world, const sn_solid *before, sn_active *now, sn_error *error) {
    const sn_active *old = before->active;
    uint8_t *marked = sn_allocate_zero(world->context, (size_t)world->model->node_count, 1);
    now->kept.place = sn_allocate(world->context, (size_t)now->leaf_count, sizeof *now->kept.place);
    now->kept.row = sn_allocate(world->context, (size_t)now->count, sizeof *now->kept.row);
    now->kept.node = sn_allocate(world->context, (size_t)old->count, sizeof *now->kept.node);
    if (!marked || !now->kept.place || !now->kept.row || !now->kept.node) {
        sn_release(world->context, marked);
        return sn_no_memory(error);
    }
    now->kept.before = before;
    for (int i = 0; i < world->adaptive->count; ++i)
        mark_changes(world, world->adaptive->body[i].body, old, now, marked);
    for (int leaf = 0; leaf < now->leaf_count; ++leaf)
        now->kept.place[leaf] = leaf_before(now, old, leaf) < 0 ? -1 : before->place[now->first[leaf]];
    for (int i = 0; i < now->count; ++i) now->kept.row[i] = marked[now->full[i]] ? -1 : old->compact[now->full[i]];
    for (int i = 0; i < old->count; ++i) now->kept.node[i] = now->compact[old->full[i]];
    sn_release(world->context, marked);
    return SN_OK;
}
