/* Selectors: trees of conditions on rest positions, boundary faces, labels and groups.
 *
 * Box, sphere and half-space compare exactly, bounds included. For tet10 the nodes of a face are its three corners and
 * its three mid-edge nodes. A tree "speaks of faces" when it holds a `normal` or a group of triangles; then `and` keeps
 * the faces that every child picks, `or` those that any child picks, `not` the others. All other trees pick a face when
 * all its nodes are picked. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/math3.h"
#include "base/words.h"
#include "mesh_internal.h"

typedef struct picker {
    const sn_mesh *mesh;
    int face_count;
    int32_t *face, *owner;
    uint8_t *opposite;
    sn_error *error;
} picker;

static const char *const kind_name[] = {"all",   "surface", "box", "sphere", "halfspace", "normal",
                                        "nodes", "group",   "and", "or",     "not"};

enum { DEEPEST = 64 };

/* ---- Faces and their nodes ---- */
static sn_status need_boundary(picker *p) {
    if (p->face) return SN_OK;
    return sn_mesh_boundary(p->mesh, &p->face_count, &p->face, &p->owner, &p->opposite, p->error);
}

/* The mid-edge nodes of boundary face f of a tet10: 3 of them, or 0. */
static int face_middles(const picker *p, int f, int32_t node[3]) {
    if (p->mesh->tet_nodes != 10 || p->mesh->tet_count == 0) return 0;
    const int32_t *tet = p->mesh->tet + (size_t)p->owner[f] * 10;
    int count = 0;
    for (int e = 0; e < 6; ++e)
        if (sn_tet_edge[e][0] != p->opposite[f] && sn_tet_edge[e][1] != p->opposite[f]) node[count++] = tet[4 + e];
    return count;
}

static void mark_face(const picker *p, int f, uint8_t *mask) {
    int32_t middle[3];
    for (int k = 0; k < 3; ++k) mask[p->face[(size_t)f * 3 + (size_t)k]] = 1;
    for (int k = 0, count = face_middles(p, f, middle); k < count; ++k) mask[middle[k]] = 1;
}

static bool face_is_covered(const picker *p, int f, const uint8_t *mask) {
    int32_t middle[3];
    bool all = true;
    for (int k = 0; k < 3; ++k) all = all && mask[p->face[(size_t)f * 3 + (size_t)k]];
    for (int k = 0, count = face_middles(p, f, middle); k < count; ++k) all = all && mask[middle[k]];
    return all;
}

/* ---- Leaves: every one sets the nodes it picks in a cleared mask ---- */
static void pick_by_position(const sn_mesh *mesh, const sn_selector *s, uint8_t *mask) {
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *x = mesh->position + (size_t)i * 3;
        double d[3];
        sn_subtract3(x, s->point, d);
        bool in = true;
        if (s->kind == SN_SELECT_SPHERE)
            in = sn_dot3(d, d) <= s->radius * s->radius;
        else if (s->kind == SN_SELECT_HALFSPACE)
            in = sn_dot3(d, s->normal) >= 0;
        else if (s->kind == SN_SELECT_BOX)
            for (int a = 0; a < 3; ++a) in = in && s->box[0][a] <= x[a] && x[a] <= s->box[1][a];
        mask[i] = in;
    }
}

static sn_status check_shape(const sn_selector *s, sn_error *error) {
    if (s->kind == SN_SELECT_SPHERE && !(s->radius >= 0))
        return sn_fail(error, SN_BAD_INPUT, "sphere radius is %g; it must be 0 or more", s->radius);
    if ((s->kind == SN_SELECT_HALFSPACE || s->kind == SN_SELECT_NORMAL) && !(sn_norm3(s->normal) > 0))
        return sn_fail(error, SN_BAD_INPUT, "the normal of selector '%s' is zero", kind_name[s->kind]);
    if (s->kind == SN_SELECT_NORMAL && !(s->angle >= 0 && s->angle <= 180))
        return sn_fail(error, SN_BAD_INPUT, "angle is %g; it must be from 0 to 180 degrees", s->angle);
    if (s->kind == SN_SELECT_NODES && (s->node_count < 0 || (s->node_count > 0 && !s->nodes)))
        return sn_fail(error, SN_BAD_INPUT, "selector 'nodes' has %d labels, but %s", s->node_count,
                       s->node_count < 0 ? "a count cannot be negative" : "no list");
    return SN_OK;
}

static sn_status pick_surface(picker *p, uint8_t *mask) {
    const sn_status status = need_boundary(p);
    for (int f = 0; f < p->face_count && !status; ++f) mark_face(p, f, mask);
    return status;
}

/* The angle comes from atan2, which is exact near 0, where an arc cosine is not. The slack only covers rounding. */
static sn_status pick_normal(picker *p, const sn_selector *s, uint8_t *mask, uint8_t *faces) {
    const sn_status status = need_boundary(p);
    if (status) return status;
    const double *x = p->mesh->position, limit = s->angle * 0.017453292519943295 + 1e-12;
    for (int f = 0; f < p->face_count; ++f) {
        const int32_t *face = p->face + (size_t)f * 3;
        double n[3], c[3];
        sn_area_vector3(x + 3 * (size_t)face[0], x + 3 * (size_t)face[1], x + 3 * (size_t)face[2], n);
        if (!(sn_norm3(n) > 0)) continue;
        sn_cross3(n, s->normal, c);
        if (atan2(sn_norm3(c), sn_dot3(n, s->normal)) > limit) continue;
        mark_face(p, f, mask);
        if (faces) faces[f] = 1;
    }
    return SN_OK;
}

/* Marks the nodes with the labels of the selector. A hash table of these labels makes one pass over the nodes enough.
 */
static sn_status pick_nodes(const picker *p, const sn_selector *s, uint8_t *mask) {
    const sn_mesh *mesh = p->mesh;
    if (!mesh->node_label) {
        for (int i = 0; i < s->node_count; ++i) {
            if (s->nodes[i] < 0 || s->nodes[i] >= mesh->node_count)
                return sn_fail(p->error, SN_BAD_INPUT, "there is no node %lld; the mesh has nodes 0 to %d",
                               (long long)s->nodes[i], mesh->node_count - 1);
            mask[s->nodes[i]] = 1;
        }
        return SN_OK;
    }
    /* Open addressing over the labels asked for; `found` counts the nodes that carry each. */
    int64_t capacity = 16;
    while (capacity < 2 * (int64_t)s->node_count) capacity *= 2;
    int32_t *slot = sn_allocate(mesh->context, (size_t)capacity, sizeof *slot);
    uint8_t *found = sn_allocate_zero(mesh->context, (size_t)s->node_count, 1);
    sn_status status = slot && found ? SN_OK : sn_no_memory(p->error);
    if (!status) memset(slot, 0xff, (size_t)capacity * sizeof *slot);
#define FIND(label)                                                                                                    \
    int64_t at = (int64_t)(((uint64_t)(label)*0x9e3779b97f4a7c15u) >> 20 & (uint64_t)(capacity - 1));                  \
    while (slot[at] >= 0 && s->nodes[slot[at]] != (label)) at = (at + 1) & (capacity - 1)
    for (int i = 0; i < s->node_count && !status; ++i) {
        FIND(s->nodes[i]);
        if (slot[at] < 0)
            slot[at] = i;
        else
            found[i] = 1; /* the label is listed twice: the first one counts */
    }
    for (int n = 0; n < mesh->node_count && !status; ++n) {
        FIND(mesh->node_label[n]);
        if (slot[at] >= 0) mask[n] = found[slot[at]] = 1;
    }
#undef FIND
    for (int i = 0; i < s->node_count && !status; ++i)
        if (!found[i])
            status =
                sn_fail(p->error, SN_BAD_INPUT, "the mesh has no node with the number %lld", (long long)s->nodes[i]);
    sn_release(mesh->context, slot);
    sn_release(mesh->context, found);
    return status;
}

static sn_status unknown_group(const picker *p, const char *name) {
    const sn_mesh *mesh = p->mesh;
    if (mesh->group_count == 0)
        return sn_fail(p->error, SN_BAD_INPUT, "there is no group '%s'; the mesh has no groups", name);
    const char **names = sn_allocate(mesh->context, (size_t)mesh->group_count, sizeof *names);
    if (!names) return sn_no_memory(p->error);
    for (int i = 0; i < mesh->group_count; ++i) names[i] = mesh->group[i].name;
    char text[400];
    snprintf(text, sizeof text, "the mesh has no group '%s'", name);
    sn_suggest(text, (int)sizeof text, name, names, mesh->group_count, (int)sizeof *names);
    sn_release(mesh->context, names);
    return sn_fail(p->error, SN_BAD_INPUT, "%s", text);
}

/* Mid-edge nodes between corners of the group's triangles, which may lie inside the mesh. */
static sn_status mark_middles(const picker *p, const sn_group *g, uint8_t *mask) {
    const sn_mesh *mesh = p->mesh;
    sn_edge_map edges;
    sn_status status = sn_edge_map_create(&edges, mesh->context, (int64_t)g->count * 2, p->error);
    for (int i = 0; i < g->count && !status; ++i) {
        const int32_t *t = mesh->triangle + (size_t)g->member[i] * 3;
        for (int k = 0; k < 3 && !status; ++k)
            if (!sn_edge_map_at(&edges, t[k], t[(k + 1) % 3], 1)) status = sn_no_memory(p->error);
    }
    for (int t = 0; t < mesh->tet_count && !status; ++t) {
        const int32_t *tet = mesh->tet + (size_t)t * 10;
        for (int e = 0; e < 6; ++e) {
            const int32_t a = tet[sn_tet_edge[e][0]], b = tet[sn_tet_edge[e][1]];
            if (mask[a] && mask[b] && sn_edge_map_find(&edges, a, b) >= 0) mask[tet[4 + e]] = 1;
        }
    }
    sn_edge_map_destroy(&edges);
    return status;
}

static sn_status pick_triangles(picker *p, const sn_group *g, uint8_t *mask, uint8_t *faces) {
    const sn_mesh *mesh = p->mesh;
    for (int i = 0; i < g->count; ++i)
        for (int k = 0; k < 3; ++k) mask[mesh->triangle[(size_t)g->member[i] * 3 + (size_t)k]] = 1;
    sn_status status = mesh->tet_nodes == 10 && mesh->tet_count ? mark_middles(p, g, mask) : SN_OK;
    if (status || !faces) return status;
    status = need_boundary(p);
    if (status) return status;
    if (mesh->tet_count == 0) { /* the boundary is the triangles themselves */
        for (int i = 0; i < g->count; ++i) faces[g->member[i]] = 1;
        return SN_OK;
    }
    sn_face_table table;
    status = sn_face_table_of_triangles(mesh, p->face, p->face_count, &table, p->error);
    if (status) return status;
    for (int i = 0; i < g->count; ++i) {
        const int64_t at = sn_face_table_find(&table, mesh->triangle + (size_t)g->member[i] * 3);
        if (at >= 0) faces[table.entry[at].face] = 1;
    }
    sn_face_table_destroy(mesh, &table);
    return SN_OK;
}

/* All groups of that name: a file may use one name for nodes, tets and triangles. */
static sn_status pick_group(picker *p, const sn_selector *s, uint8_t *mask, uint8_t *faces) {
    const sn_mesh *mesh = p->mesh;
    sn_status status = sn_mesh_find_group(mesh, s->group) ? SN_OK : unknown_group(p, s->group);
    for (int i = 0; i < mesh->group_count && !status; ++i) {
        const sn_group *g = &mesh->group[i];
        if (strcmp(g->name, s->group) != 0) continue;
        if (g->kind == SN_GROUP_TRIANGLES) {
            status = pick_triangles(p, g, mask, faces);
        } else if (g->kind == SN_GROUP_NODES) {
            for (int k = 0; k < g->count; ++k) mask[g->member[k]] = 1;
        } else {
            for (int k = 0; k < g->count; ++k)
                for (int c = 0; c < mesh->tet_nodes; ++c)
                    mask[mesh->tet[(size_t)g->member[k] * (size_t)mesh->tet_nodes + (size_t)c]] = 1;
        }
    }
    return status;
}

/* ---- Trees ---- */
static bool speaks_of_faces(const sn_mesh *mesh, const sn_selector *s) {
    if (s->kind == SN_SELECT_NORMAL) return true;
    if (s->kind == SN_SELECT_GROUP) {
        for (int i = 0; i < mesh->group_count; ++i)
            if (mesh->group[i].kind == SN_GROUP_TRIANGLES && strcmp(mesh->group[i].name, s->group) == 0) return true;
        return false;
    }
    bool any = false;
    if (s->kind >= SN_SELECT_AND)
        for (int i = 0; i < s->child_count; ++i) any = any || speaks_of_faces(mesh, &s->child[i]);
    return any;
}

static sn_status pick(picker *p, const sn_selector *s, uint8_t *mask, uint8_t *faces, int depth);

static void combine(sn_select_kind kind, bool first, uint8_t *mask, const uint8_t *other, int count) {
    for (int i = 0; i < count; ++i)
        mask[i] = first ? other[i] : kind == SN_SELECT_AND ? mask[i] && other[i] : mask[i] || other[i];
}

static sn_status pick_tree(picker *p, const sn_selector *s, uint8_t *mask, uint8_t *faces, int depth) {
    const int n = p->mesh->node_count, children = s->kind == SN_SELECT_NOT ? 1 : s->child_count;
    if (depth >= DEEPEST) return sn_fail(p->error, SN_BAD_INPUT, "selectors are nested deeper than %d", DEEPEST);
    if (s->child_count < 1 || !s->child || (s->kind == SN_SELECT_NOT && s->child_count != 1))
        return sn_fail(p->error, SN_BAD_INPUT, "selector '%s' has %d children; it takes %s", kind_name[s->kind],
                       s->child_count, s->kind == SN_SELECT_NOT ? "one" : "one or more");
    sn_status status = faces ? need_boundary(p) : SN_OK;
    if (status) return status;
    uint8_t *other = sn_allocate(p->mesh->context, (size_t)n, 1);
    uint8_t *other_faces = faces ? sn_allocate(p->mesh->context, (size_t)p->face_count, 1) : NULL;
    if (!other || (faces && !other_faces)) status = sn_no_memory(p->error);
    for (int c = 0; c < children && !status; ++c) {
        status = pick(p, &s->child[c], other, other_faces, depth + 1);
        if (status) break;
        combine(s->kind, c == 0, mask, other, n);
        if (faces) combine(s->kind, c == 0, faces, other_faces, p->face_count);
    }
    if (s->kind == SN_SELECT_NOT && !status) {
        for (int i = 0; i < n; ++i) mask[i] = !mask[i];
        for (int f = 0; f < p->face_count && faces; ++f) faces[f] = !faces[f];
    }
    sn_release(p->mesh->context, other);
    sn_release(p->mesh->context, other_faces);
    return status;
}

static sn_status pick(picker *p, const sn_selector *s, uint8_t *mask, uint8_t *faces, int depth) {
    sn_status status = check_shape(s, p->error);
    if (!status && faces) status = need_boundary(p);
    if (status) return status;
    memset(mask, 0, (size_t)p->mesh->node_count);
    if (faces) memset(faces, 0, (size_t)p->face_count);
    switch (s->kind) {
    case SN_SELECT_ALL:
    case SN_SELECT_BOX:
    case SN_SELECT_SPHERE:
    case SN_SELECT_HALFSPACE:
        pick_by_position(p->mesh, s, mask);
        break;
    case SN_SELECT_SURFACE:
        status = pick_surface(p, mask);
        break;
    case SN_SELECT_NORMAL:
        status = pick_normal(p, s, mask, faces);
        break;
    case SN_SELECT_NODES:
        status = pick_nodes(p, s, mask);
        break;
    case SN_SELECT_GROUP:
        status = pick_group(p, s, mask, faces);
        break;
    case SN_SELECT_AND:
    case SN_SELECT_OR:
    case SN_SELECT_NOT:
        status = pick_tree(p, s, mask, faces, depth);
        break;
    default:
        return sn_fail(p->error, SN_BAD_INPUT, "selector kind %d is unknown", (int)s->kind);
    }
    if (!status && faces && !speaks_of_faces(p->mesh, s))
        for (int f = 0; f < p->face_count; ++f) faces[f] = face_is_covered(p, f, mask);
    return status;
}

/* ---- Nothing picked ---- */
static void describe(const sn_selector *s, char *text, size_t capacity) {
    const double *c = s->point, *n = s->normal, *l = s->box[0], *h = s->box[1];
    switch (s->kind) {
    case SN_SELECT_BOX:
        snprintf(text, capacity, "box [%g %g %g] to [%g %g %g]", l[0], l[1], l[2], h[0], h[1], h[2]);
        break;
    case SN_SELECT_SPHERE:
        snprintf(text, capacity, "sphere at [%g %g %g] of radius %g", c[0], c[1], c[2], s->radius);
        break;
    case SN_SELECT_HALFSPACE:
        snprintf(text, capacity, "halfspace at [%g %g %g] along [%g %g %g]", c[0], c[1], c[2], n[0], n[1], n[2]);
        break;
    case SN_SELECT_NORMAL:
        snprintf(text, capacity, "normal [%g %g %g] within %g degrees", n[0], n[1], n[2], s->angle);
        break;
    case SN_SELECT_GROUP:
        snprintf(text, capacity, "group '%s'", s->group);
        break;
    default:
        snprintf(text, capacity, "%s", kind_name[s->kind]);
        break;
    }
}

static sn_status nothing_picked(const sn_mesh *mesh, const sn_selector *s, sn_error *error) {
    char text[200];
    describe(s, text, sizeof text);
    if (mesh->node_count == 0)
        return sn_fail(error, SN_BAD_INPUT, "selector %s picks nothing: the mesh has no nodes", text);
    double low[3], high[3];
    for (int a = 0; a < 3; ++a) low[a] = high[a] = mesh->position[a];
    for (int i = 0; i < mesh->node_count; ++i)
        for (int a = 0; a < 3; ++a) {
            low[a] = fmin(low[a], mesh->position[(size_t)i * 3 + (size_t)a]);
            high[a] = fmax(high[a], mesh->position[(size_t)i * 3 + (size_t)a]);
        }
    return sn_fail(error, SN_BAD_INPUT, "selector %s picks nothing; the mesh reaches from [%g %g %g] to [%g %g %g]",
                   text, low[0], low[1], low[2], high[0], high[1], high[2]);
}

sn_status sn_mesh_select(const sn_mesh *mesh, const sn_selector *selector, uint8_t *mask, uint8_t *face_mask,
                         sn_error *error) {
    picker p = {.mesh = mesh, .error = error};
    sn_status status = sn_mesh_check(mesh, error);
    if (!status) status = pick(&p, selector, mask, face_mask, 0);
    sn_release(mesh->context, p.face);
    sn_release(mesh->context, p.owner);
    sn_release(mesh->context, p.opposite);
    if (status) return status;
    const uint8_t *any = mesh->node_count ? memchr(mask, 1, (size_t)mesh->node_count) : NULL;
    return any ? SN_OK : nothing_picked(mesh, selector, error);
}
