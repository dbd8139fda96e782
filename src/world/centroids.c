/* Selectors on elements. A shape (box, sphere, half-space) picks the elements whose centroid is in it. A group of tets
 * picks its members. All other selectors, which speak of nodes or faces, pick an element when they pick all its
 * nodes. */
#include <stdio.h>
#include <string.h>

#include "base/math3.h"
#include "inside.h"

static void centroid(const sn_mesh *mesh, int e, double c[3]) {
    const int32_t *tet = mesh->tet + (size_t)e * (size_t)mesh->tet_nodes;
    const int corners = mesh->tet_nodes < 4 ? mesh->tet_nodes : 4;
    for (int a = 0; a < 3; ++a) {
        c[a] = 0;
        for (int i = 0; i < corners; ++i) c[a] += mesh->position[3 * (size_t)tet[i] + (size_t)a] / corners;
    }
}

static bool in_shape(const sn_selector *s, const double c[3]) {
    double d[3];
    bool in = true;
    sn_subtract3(c, s->point, d);
    if (s->kind == SN_SELECT_SPHERE) return sn_dot3(d, d) <= s->radius * s->radius;
    if (s->kind == SN_SELECT_HALFSPACE) return sn_dot3(d, s->normal) >= 0;
    for (int a = 0; a < 3; ++a) in = in && s->box[0][a] <= c[a] && c[a] <= s->box[1][a];
    return in;
}

static sn_status by_nodes(const sn_mesh *mesh, const sn_selector *s, uint8_t *mask, sn_error *error) {
    uint8_t *node = sn_allocate_zero(mesh->context, (size_t)mesh->node_count, 1);
    if (!node) return sn_no_memory(error);
    const sn_status status = sn_mesh_select(mesh, s, node, NULL, error);
    for (int e = 0; e < mesh->tet_count && !status; ++e) {
        mask[e] = 1;
        for (int i = 0; i < mesh->tet_nodes; ++i)
            mask[e] &= node[mesh->tet[(size_t)e * (size_t)mesh->tet_nodes + (size_t)i]];
    }
    sn_release(mesh->context, node);
    return status;
}

static sn_status pick(const sn_mesh *mesh, const sn_selector *s, uint8_t *mask, int depth, sn_error *error);

static sn_status by_children(const sn_mesh *mesh, const sn_selector *s, uint8_t *mask, int depth, sn_error *error) {
    if (depth > 64) return sn_fail(error, SN_BAD_INPUT, "selectors are nested more than 64 deep");
    if (s->child_count < 1 || !s->child)
        return sn_fail(error, SN_BAD_INPUT, "a selector 'and', 'or' or 'not' has nothing in it");
    uint8_t *child = sn_allocate(mesh->context, (size_t)mesh->tet_count, 1);
    if (!child) return sn_no_memory(error);
    memset(mask, s->kind == SN_SELECT_AND, (size_t)mesh->tet_count);
    sn_status status = SN_OK;
    for (int i = 0; i < s->child_count && !status; ++i) {
        status = pick(mesh, &s->child[i], child, depth + 1, error);
        for (int e = 0; e < mesh->tet_count && !status; ++e) {
            if (s->kind == SN_SELECT_AND) mask[e] &= child[e];
            if (s->kind == SN_SELECT_OR) mask[e] |= child[e];
            if (s->kind == SN_SELECT_NOT) mask[e] = !child[e];
        }
    }
    sn_release(mesh->context, child);
    return status;
}

static sn_status pick(const sn_mesh *mesh, const sn_selector *s, uint8_t *mask, int depth, sn_error *error) {
    const sn_group *group = s->kind == SN_SELECT_GROUP ? sn_mesh_find_group(mesh, s->group) : NULL;
    if (group && group->kind == SN_GROUP_TETS) {
        memset(mask, 0, (size_t)mesh->tet_count);
        for (int i = 0; i < group->count; ++i) mask[group->member[i]] = 1;
        return SN_OK;
    }
    switch (s->kind) {
    case SN_SELECT_ALL:
        memset(mask, 1, (size_t)mesh->tet_count);
        return SN_OK;
    case SN_SELECT_BOX:
    case SN_SELECT_SPHERE:
    case SN_SELECT_HALFSPACE:
        for (int e = 0; e < mesh->tet_count; ++e) {
            double c[3];
            centroid(mesh, e, c);
            mask[e] = in_shape(s, c);
        }
        return SN_OK;
    case SN_SELECT_AND:
    case SN_SELECT_OR:
    case SN_SELECT_NOT:
        return by_children(mesh, s, mask, depth, error);
    default:
        return by_nodes(mesh, s, mask, error);
    }
}

sn_status sn_select_centroids(const sn_mesh *mesh, const sn_selector *selector, uint8_t *mask, sn_error *error) {
    const sn_status status = pick(mesh, selector, mask, 0, error);
    if (status) return status;
    for (int e = 0; e < mesh->tet_count; ++e)
        if (mask[e]) return SN_OK;
    return sn_fail(error, SN_BAD_INPUT, "the selector holds no element's centroid");
}
