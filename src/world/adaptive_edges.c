/* The edges of active tets on the boundary of the finest mesh. Pictures and the page draw them.
 *
 * A node lies on a segment when it is one of its ends, or when both of its parents lie on the segment. So an edge of a
 * finest tet is a part of an edge of the active tet around it when both of its ends lie on that edge. */
#include "adaptive.h"
#include "inside.h"

/* The active tet that is refined no further and holds a finest tet; -1: the finest tet itself. */
static int leaf_of(const sn_forest *f, int finest) {
    int leaf = -1;
    for (int tet = f->first[f->levels - 1] + finest / 8; tet >= 0; tet = sn_forest_parent(f, tet))
        if (!f->refined[tet]) leaf = tet;
    return leaf;
}

static bool lies_on(const sn_levels *levels, int32_t node, int32_t p, int32_t q) {
    if (node == p || node == q) return true;
    const int32_t *parent = levels->parent + 2 * (size_t)levels->place[node];
    return parent[0] >= 0 && lies_on(levels, parent[0], p, q) && lies_on(levels, parent[1], p, q);
}

static bool is_active_edge(const sn_levels *levels, const int32_t *corner, int32_t a, int32_t b) {
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j)
            if (lies_on(levels, a, corner[i], corner[j]) && lies_on(levels, b, corner[i], corner[j])) return true;
    return false;
}

sn_status sn_world_active_edges(const sn_world *world, int body, int count, const int32_t *face, const int32_t *owner,
                                uint8_t *edge) {
    const sn_adaptive_body *own = sn_adaptive_find(world, body);
    if (!own) return SN_NOT_FOUND;
    const sn_forest *forest = &own->forest;
    const sn_levels *levels = &world->model->levels;
    for (int f = 0; f < count; ++f) {
        const int leaf = leaf_of(forest, owner[f]);
        edge[f] = 0;
        for (int k = 0; k < 3; ++k) {
            const int32_t a = sn_model_node(world->model, body, face[3 * (size_t)f + (size_t)k]),
                          b = sn_model_node(world->model, body, face[3 * (size_t)f + (size_t)((k + 1) % 3)]);
            const bool drawn = leaf < 0 || is_active_edge(levels, forest->node + 10 * (size_t)leaf, a, b);
            edge[f] = (uint8_t)(edge[f] | drawn << k);
        }
    }
    return SN_OK;
}
