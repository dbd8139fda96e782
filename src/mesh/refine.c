/* New nodes in the middle of edges: tet4 -> tet10, and octasection.
 *
 * Octasection cuts off the four corners and splits the octahedron that is left around its shortest diagonal, which
 * keeps the children's shape bounded (Bey, Tetrahedral grid refinement, Computing 55, 1995). The children of a tet10
 * follow its curved map x(l) = sum_i l_i (2 l_i - 1) x_i + sum_ij 4 l_i l_j x_ij.
 *
 * The mesh remembers its new nodes as a level, each with the two ends of its edge as parents (docs/levels.md). The
 * mid-edge nodes of tet10 are a level as well: what they add to the mean of the ends is the quadratic part. */
#include <string.h>

#include "base/math3.h"
#include "mesh_internal.h"

const uint8_t sn_octahedron_tet[3][4][4] = {{{4, 9, 6, 7}, {4, 9, 7, 8}, {4, 9, 8, 5}, {4, 9, 5, 6}},
                                            {{6, 8, 4, 5}, {6, 8, 5, 9}, {6, 8, 9, 7}, {6, 8, 7, 4}},
                                            {{7, 5, 4, 6}, {7, 5, 6, 9}, {7, 5, 9, 8}, {7, 5, 8, 4}}};
static const uint8_t corner_tet[4][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3}};

int sn_shortest_diagonal(const double *const x[10]) {
    double square[3];
    for (int d = 0; d < 3; ++d) {
        double e[3];
        sn_subtract3(x[sn_octahedron_tet[d][0][0]], x[sn_octahedron_tet[d][0][1]], e);
        square[d] = sn_dot3(e, e);
    }
    int best = 1;
    for (int d = 0; d < 3; d += 2)
        if (square[d] < square[best] * (1 - 1e-9)) best = d; /* rounding decides nothing */
    return best;
}

/* ---- New nodes ---- */
typedef struct middles {
    const sn_context *context;
    sn_edge_map map; /* edge -> mid node */
    int32_t *parent; /* the two ends of each new node's edge */
    int capacity;    /* in new nodes */
    int first, count;
    sn_error *error;
} middles;

static sn_status middles_create(middles *m, const sn_mesh *mesh, int first, sn_error *error) {
    *m = (middles){.context = mesh->context, .first = first, .error = error};
    return sn_edge_map_create(&m->map, mesh->context,
                              (int64_t)mesh->tet_count * 5 / 4 + (int64_t)mesh->triangle_count * 3 / 2, error);
}

static void middles_destroy(middles *m) {
    sn_edge_map_destroy(&m->map);
    sn_release(m->context, m->parent);
}

/* The mid node of edge ab, numbered in the order of first appearance. */
static sn_status middle_of(middles *m, int32_t a, int32_t b, int32_t *node) {
    if (m->count >= INT32_MAX - m->first)
        return sn_fail(m->error, SN_BAD_INPUT, "the mesh would have more than %d nodes", INT32_MAX);
    const int32_t fresh = m->first + m->count;
    const int32_t *at = sn_edge_map_at(&m->map, a, b, fresh);
    if (!at) return sn_no_memory(m->error);
    *node = *at;
    if (*at != fresh) return SN_OK;
    void *grown = m->parent;
    const sn_status status = sn_grow(m->context, &grown, &m->capacity, m->count + 1, 2 * sizeof *m->parent, m->error);
    m->parent = grown;
    if (status) return status;
    m->parent[2 * (size_t)m->count] = a;
    m->parent[2 * (size_t)m->count + 1] = b;
    ++m->count;
    return SN_OK;
}

static void place_middles(const middles *m, double *x) {
    for (size_t i = 0; i < (size_t)m->count; ++i)
        for (size_t a = 0; a < 3; ++a)
            x[3 * ((size_t)m->first + i) + a] =
                0.5 * (x[3 * (size_t)m->parent[2 * i] + a] + x[3 * (size_t)m->parent[2 * i + 1] + a]);
}

/* ---- Groups and labels ---- */
static sn_status carry_nodes(const sn_mesh *source, sn_mesh *mesh, const sn_group *g, const int32_t *parent,
                             sn_error *error) {
    uint8_t *mark = sn_allocate_zero(mesh->context, (size_t)mesh->node_count, 1);
    if (!mark) return sn_no_memory(error);
    for (int i = 0; i < g->count; ++i) mark[g->member[i]] = 1;
    for (size_t i = (size_t)source->node_count, k = 0; i < (size_t)mesh->node_count; ++i, k += 2)
        mark[i] = mark[parent[k]] && mark[parent[k + 1]];
    const sn_status status = sn_mesh_add_marked(mesh, g->name, mark, 1, error);
    sn_release(mesh->context, mark);
    return status;
}

static sn_status carry_cells(sn_mesh *mesh, const sn_group *g, int children, sn_error *error) {
    int32_t *member = sn_allocate(mesh->context, (size_t)g->count * (size_t)children, sizeof *member);
    if (!member) return sn_no_memory(error);
    for (int i = 0; i < g->count; ++i)
        for (int c = 0; c < children; ++c)
            member[(size_t)i * (size_t)children + (size_t)c] = g->member[i] * children + c;
    const sn_status status = sn_mesh_add_group(mesh, g->name, g->kind, member, g->count * children, error);
    sn_release(mesh->context, member);
    return status;
}

/* The children of a cell have its vectors. */
static sn_status carry_field(const sn_mesh *source, sn_mesh *mesh, const sn_mesh_field *field, int children,
                             sn_error *error) {
    const size_t cells = (size_t)(source->tet_count ? source->tet_count : source->triangle_count),
                 each = (size_t)children;
    double *value = sn_allocate(mesh->context, cells * each * 3, sizeof *value);
    if (!value) return sn_no_memory(error);
    for (size_t i = 0; i < cells * each; ++i) memcpy(value + 3 * i, field->value + 3 * (i / each), 3 * sizeof *value);
    const sn_status status = sn_mesh_add_field(mesh, field->name, value, error);
    sn_release(mesh->context, value);
    return status;
}

sn_status sn_mesh_carry_groups(const sn_mesh *source, sn_mesh *mesh, const int32_t *parent, int tet_children,
                               int triangle_children, sn_error *error) {
    sn_status status = SN_OK;
    for (int i = 0; i < source->field_count && !status; ++i)
        status =
            carry_field(source, mesh, &source->field[i], source->tet_count ? tet_children : triangle_children, error);
    for (int i = 0; i < source->group_count && !status; ++i) {
        const sn_group *g = &source->group[i];
        if (g->kind == SN_GROUP_NODES)
            status = carry_nodes(source, mesh, g, parent, error);
        else
            status = carry_cells(mesh, g, g->kind == SN_GROUP_TETS ? tet_children : triangle_children, error);
    }
    return status;
}

sn_status sn_mesh_carry_node_labels(const sn_mesh *source, sn_mesh *mesh, sn_error *error) {
    if (!source->node_label) return SN_OK;
    mesh->node_label = sn_allocate(mesh->context, (size_t)mesh->node_count, sizeof *mesh->node_label);
    if (!mesh->node_label) return sn_no_memory(error);
    int64_t last = -1;
    for (int i = 0; i < mesh->node_count; ++i) {
        mesh->node_label[i] = i < source->node_count ? source->node_label[i] : last + 1;
        if (mesh->node_label[i] > last) last = mesh->node_label[i];
    }
    return SN_OK;
}

static sn_status carry_labels(const int64_t *from, int count, const sn_mesh *mesh, int64_t **to, sn_error *error) {
    if (!from) return SN_OK;
    *to = sn_allocate(mesh->context, (size_t)count, sizeof **to);
    if (!*to) return sn_no_memory(error);
    memcpy(*to, from, (size_t)count * sizeof **to);
    return SN_OK;
}

/* The new nodes are the next level of the mesh. A source without levels is level 0. */
static sn_status add_level(const sn_mesh *source, const int32_t *parent, sn_mesh *mesh, sn_error *error) {
    const int level = source->level_count ? source->level_count : 1;
    if (level > UINT8_MAX)
        return sn_fail(error, SN_BAD_INPUT, "the mesh has %d levels, and no more are possible", level);
    const sn_status status = sn_mesh_reserve_levels(mesh, level + 1, error);
    if (status) return status;
    const size_t first = (size_t)source->node_count, fresh = (size_t)mesh->node_count - first;
    sn_mesh_copy_levels(source, mesh);
    memset(mesh->node_level + first, level, fresh);
    if (fresh) memcpy(mesh->node_parent + 2 * first, parent, 2 * fresh * sizeof *parent);
    return SN_OK;
}

/* ---- tet4 -> tet10 ---- */
static sn_status fill_tet10(const sn_mesh *source, middles *m, int32_t *tet) {
    for (int t = 0; t < source->tet_count; ++t, tet += 10) {
        memcpy(tet, source->tet + (size_t)t * 4, 4 * sizeof *tet);
        for (int e = 0; e < 6; ++e) {
            const sn_status status = middle_of(m, tet[sn_tet_edge[e][0]], tet[sn_tet_edge[e][1]], &tet[4 + e]);
            if (status) return status;
        }
    }
    return SN_OK;
}

sn_status sn_mesh_to_tet10(const sn_mesh *source, sn_mesh **mesh, sn_error *error) {
    sn_status status = sn_mesh_check_tets(source, error);
    if (status) return status;
    if (source->tet_nodes == 10) return sn_mesh_copy(source, mesh, error);
    middles m;
    status = middles_create(&m, source, source->node_count, error);
    if (status) return status;
    sn_mesh *out = NULL;
    int32_t *tet = sn_allocate(source->context, (size_t)source->tet_count * 10, sizeof *tet);
    status = tet ? fill_tet10(source, &m, tet) : sn_no_memory(error);
    if (!status)
        status = sn_mesh_create(source->context, source->node_count + m.count, source->tet_count, 10,
                                source->triangle_count, &out, error);
    if (!status) {
        memcpy(out->position, source->position, (size_t)source->node_count * 3 * sizeof *out->position);
        memcpy(out->tet, tet, (size_t)source->tet_count * 10 * sizeof *tet);
        memcpy(out->triangle, source->triangle, (size_t)source->triangle_count * 3 * sizeof *out->triangle);
        place_middles(&m, out->position);
        status = sn_mesh_carry_groups(source, out, m.parent, 1, 1, error);
    }
    if (!status) status = add_level(source, m.parent, out, error);
    if (!status) status = sn_mesh_carry_node_labels(source, out, error);
    if (!status) status = carry_labels(source->tet_label, source->tet_count, out, &out->tet_label, error);
    if (!status)
        status = carry_labels(source->triangle_label, source->triangle_count, out, &out->triangle_label, error);
    sn_release(source->context, tet);
    middles_destroy(&m);
    if (status)
        sn_mesh_destroy(out);
    else
        *mesh = out;
    return status;
}

/* ---- Octasection ---- */
/* Numbers the mid nodes of the source's edges: those of a tet10 are there already. */
static sn_status number_middles(const sn_mesh *source, middles *m) {
    sn_status status = SN_OK;
    int32_t node;
    for (int t = 0; t < source->tet_count && !status; ++t) {
        const int32_t *tet = source->tet + (size_t)t * (size_t)source->tet_nodes;
        for (int e = 0; e < 6 && !status; ++e) {
            const int32_t a = tet[sn_tet_edge[e][0]], b = tet[sn_tet_edge[e][1]];
            if (source->tet_nodes == 4)
                status = middle_of(m, a, b, &node);
            else if (!sn_edge_map_at(&m->map, a, b, tet[4 + e]))
                status = sn_no_memory(m->error);
        }
    }
    for (int t = 0; t < source->triangle_count && !status; ++t) {
        const int32_t *v = source->triangle + (size_t)t * 3;
        for (int e = 0; e < 3 && !status; ++e) status = middle_of(m, v[e], v[(e + 1) % 3], &node);
    }
    return status;
}

/* The ten nodes of source tet t: 0..3 its corners, 4..9 the middles of its edges; and where they are. */
static void ten_nodes(const sn_mesh *source, const middles *m, int t, int32_t node[10]) {
    const int32_t *tet = source->tet + (size_t)t * (size_t)source->tet_nodes;
    memcpy(node, tet, (size_t)source->tet_nodes * sizeof *tet);
    if (source->tet_nodes == 4)
        for (int e = 0; e < 6; ++e)
            node[4 + e] = sn_edge_map_find(&m->map, tet[sn_tet_edge[e][0]], tet[sn_tet_edge[e][1]]);
}

/* Which local nodes (0..9) make child c: the corners first, then the octahedron's four. */
static const uint8_t *child_corners(int c, int diagonal) {
    return c < 4 ? corner_tet[c] : sn_octahedron_tet[diagonal][c - 4];
}

static void choose_diagonals(const sn_mesh *source, uint8_t *diagonal) {
    for (int t = 0; t < source->tet_count; ++t) {
        const int32_t *tet = source->tet + (size_t)t * (size_t)source->tet_nodes;
        double middle[6][3];
        const double *x[10] = {0};
        for (int k = 0; k < source->tet_nodes; ++k) x[k] = source->position + (size_t)tet[k] * 3;
        for (int e = 0; e < 6 && source->tet_nodes == 4; ++e) {
            for (int a = 0; a < 3; ++a) middle[e][a] = 0.5 * (x[sn_tet_edge[e][0]][a] + x[sn_tet_edge[e][1]][a]);
            x[4 + e] = middle[e];
        }
        diagonal[t] = (uint8_t)sn_shortest_diagonal(x);
    }
}

/* For tet10: numbers the middles of the children's edges. */
static sn_status number_child_middles(const sn_mesh *source, const uint8_t *diagonal, middles *m) {
    sn_status status = SN_OK;
    int32_t node;
    for (int t = 0; t < source->tet_count; ++t)
        for (int c = 0; c < 8; ++c) {
            const uint8_t *local = child_corners(c, diagonal[t]);
            const int32_t *tet = source->tet + (size_t)t * 10;
            for (int e = 0; e < 6 && !status; ++e)
                status = middle_of(m, tet[local[sn_tet_edge[e][0]]], tet[local[sn_tet_edge[e][1]]], &node);
        }
    return status;
}

/* The point of a tet10 half-way, in its own coordinates, between local nodes p and q. */
static void quadratic_point(const sn_mesh *mesh, const int32_t *tet, int p, int q, double out[3]) {
    double l[4] = {0}, weight[10];
    const int end[2] = {p, q};
    for (int k = 0; k < 2; ++k) {
        l[end[k] < 4 ? end[k] : sn_tet_edge[end[k] - 4][0]] += 0.25;
        l[end[k] < 4 ? end[k] : sn_tet_edge[end[k] - 4][1]] += 0.25;
    }
    for (int i = 0; i < 4; ++i) weight[i] = l[i] * (2 * l[i] - 1);
    for (int e = 0; e < 6; ++e) weight[4 + e] = 4 * l[sn_tet_edge[e][0]] * l[sn_tet_edge[e][1]];
    for (int a = 0; a < 3; ++a) {
        out[a] = 0;
        for (int i = 0; i < 10; ++i) out[a] += weight[i] * mesh->position[(size_t)tet[i] * 3 + (size_t)a];
    }
}

static void fill_children(const sn_mesh *source, const middles *m, const middles *child, const uint8_t *diagonal,
                          sn_mesh *out) {
    int32_t node[10], *tet = out->tet, next = child->first;
    for (int t = 0; t < source->tet_count; ++t) {
        ten_nodes(source, m, t, node);
        for (int c = 0; c < 8; ++c, tet += out->tet_nodes) {
            const uint8_t *local = child_corners(c, diagonal[t]);
            for (int k = 0; k < 4; ++k) tet[k] = node[local[k]];
            for (int e = 0; e < 6 && out->tet_nodes == 10; ++e) {
                const int p = sn_tet_edge[e][0], q = sn_tet_edge[e][1];
                tet[4 + e] = sn_edge_map_find(&child->map, tet[p], tet[q]);
                if (tet[4 + e] != next) continue; /* the tet that numbered the node also places it */
                quadratic_point(source, node, local[p], local[q], out->position + (size_t)next * 3);
                ++next;
            }
        }
    }
    int32_t *triangle = out->triangle;
    for (int t = 0; t < source->triangle_count; ++t, triangle += 12) {
        const int32_t *v = source->triangle + (size_t)t * 3;
        int32_t w[3];
        for (int e = 0; e < 3; ++e) w[e] = sn_edge_map_find(&m->map, v[e], v[(e + 1) % 3]);
        const int32_t four[12] = {v[0], w[0], w[2], w[0], v[1], w[1], w[2], w[1], v[2], w[0], w[1], w[2]};
        memcpy(triangle, four, sizeof four);
    }
}

/* Parents of all new nodes in one list: those of the source's edges, then those of the children's. */
static sn_status join_parents(middles *m, const middles *child) {
    void *grown = m->parent;
    const sn_status status =
        sn_grow(m->context, &grown, &m->capacity, m->count + child->count, 2 * sizeof *m->parent, m->error);
    m->parent = grown;
    if (!status && child->count)
        memcpy(m->parent + 2 * (size_t)m->count, child->parent, 2 * (size_t)child->count * sizeof *m->parent);
    return status;
}

static sn_status refine(const sn_mesh *source, middles *m, middles *child, uint8_t *diagonal, sn_mesh **mesh,
                        sn_error *error) {
    sn_status status = number_middles(source, m);
    if (status) return status;
    child->first = m->first + m->count;
    choose_diagonals(source, diagonal);
    if (source->tet_nodes == 10) status = number_child_middles(source, diagonal, child);
    if (!status) status = join_parents(m, child);
    sn_mesh *out = NULL;
    if (!status)
        status = sn_mesh_create(source->context, child->first + child->count, source->tet_count * 8, source->tet_nodes,
                                source->triangle_count * 4, &out, error);
    if (status) return status;
    memcpy(out->position, source->position, (size_t)source->node_count * 3 * sizeof *out->position);
    place_middles(m, out->position);
    fill_children(source, m, child, diagonal, out);
    status = sn_mesh_carry_groups(source, out, m->parent, 8, 4, error);
    if (!status) status = add_level(source, m->parent, out, error);
    if (!status) status = sn_mesh_carry_node_labels(source, out, error);
    if (status)
        sn_mesh_destroy(out);
    else
        *mesh = out;
    return status;
}

sn_status sn_mesh_refine(const sn_mesh *source, sn_mesh **mesh, sn_error *error) {
    sn_status status = sn_mesh_check_tets(source, error);
    if (status) return status;
    if (source->tet_count > INT32_MAX / 8 || source->triangle_count > INT32_MAX / 4)
        return sn_fail(error, SN_BAD_INPUT, "refining %d tets and %d triangles would give more than %d",
                       source->tet_count, source->triangle_count, INT32_MAX);
    middles m, child = {0};
    status = middles_create(&m, source, source->node_count, error);
    if (status) return status;
    status = middles_create(&child, source, 0, error);
    uint8_t *diagonal = sn_allocate(source->context, (size_t)source->tet_count, 1);
    if (!status && !diagonal) status = sn_no_memory(error);
    if (!status) status = refine(source, &m, &child, diagonal, mesh, error);
    sn_release(source->context, diagonal);
    middles_destroy(&m);
    middles_destroy(&child);
    return status;
}
