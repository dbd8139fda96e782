/* The report on a mesh: shape measures and everything that can be wrong with it.
 *
 * Quality of a tet: 3 r / R with inradius r = 3 V / A and circumradius R = P / (24 V), where P =
 * sqrt((a+b+c)(a+b-c)(a-b+c)(-a+b+c)) and a, b, c are the products of opposite edges: 216 V^2 / (A P), with the sign of
 * V. Of a triangle in a surface mesh: 2 r / R. A tet is flat when |6 V| <= 1e-10 times the cube of its longest edge. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "mesh_internal.h"

static const double FLAT = 1e-10, DEGREES = 57.29577951308232;

/* ---- Shape of one cell ---- */
typedef struct shape {
    double volume6, quality, longest, dihedral_low, dihedral_high;
} shape;

static void tet_dihedrals(const double *const x[4], shape *s) {
    double n[4][3], c[3];
    for (int k = 0; k < 4; ++k) sn_area_vector3(x[sn_tet_face[k][0]], x[sn_tet_face[k][1]], x[sn_tet_face[k][2]], n[k]);
    s->dihedral_low = 360;
    s->dihedral_high = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j) {
            sn_cross3(n[i], n[j], c);
            const double angle = DEGREES * atan2(sn_norm3(c), -sn_dot3(n[i], n[j]));
            s->dihedral_low = fmin(s->dihedral_low, angle);
            s->dihedral_high = fmax(s->dihedral_high, angle);
        }
}

static shape tet_shape(const double *const x[4]) {
    shape s = {.volume6 = sn_volume6(x[0], x[1], x[2], x[3])};
    double length[6], area = 0, n[3];
    for (int e = 0; e < 6; ++e) {
        double d[3];
        sn_subtract3(x[sn_tet_edge[e][1]], x[sn_tet_edge[e][0]], d);
        length[e] = sn_norm3(d);
        s.longest = fmax(s.longest, length[e]);
    }
    for (int k = 0; k < 4; ++k) {
        sn_area_vector3(x[sn_tet_face[k][0]], x[sn_tet_face[k][1]], x[sn_tet_face[k][2]], n);
        area += 0.5 * sn_norm3(n);
    }
    /* Scaled by the longest edge, so that tiny and huge tets neither underflow nor overflow. Opposite edges: 01-23,
     * 12-03, 20-13. */
    const double l = s.longest;
    if (l > 0) {
        const double a = length[0] / l * (length[5] / l), b = length[1] / l * (length[3] / l),
                     c = length[2] / l * (length[4] / l);
        const double square = (a + b + c) * (a + b - c) * (a - b + c) * (b + c - a), v = s.volume6 / (6 * l * l * l);
        const double below = area / (l * l) * sqrt(fmax(square, 0));
        s.quality = below > 0 ? copysign(216 * v * v / below, v) : 0;
    }
    tet_dihedrals(x, &s);
    return s;
}

/* 2 r / R = 8 (s-a)(s-b)(s-c) / (a b c), in lengths over the longest. */
static double triangle_quality(const double *const x[3]) {
    double l[3], longest = 0;
    for (int e = 0; e < 3; ++e) {
        double d[3];
        sn_subtract3(x[(e + 1) % 3], x[e], d);
        l[e] = sn_norm3(d);
        longest = fmax(longest, l[e]);
    }
    if (!(longest > 0)) return 0;
    const double a = l[0] / longest, b = l[1] / longest, c = l[2] / longest, below = a * b * c;
    return below > 0 ? fmax((b + c - a) * (c + a - b) * (a + b - c) / below, 0) : 0;
}

/* ---- Passes ---- */
static void bounds(const sn_mesh *mesh, sn_mesh_report *r) {
    for (int i = 0; i < mesh->node_count; ++i)
        for (int a = 0; a < 3; ++a) {
            const double x = mesh->position[(size_t)i * 3 + (size_t)a];
            r->low[a] = i ? fmin(r->low[a], x) : x;
            r->high[a] = i ? fmax(r->high[a], x) : x;
        }
}

/* Compensated: the sum of a million volumes keeps all its digits (Neumaier, 1974). */
typedef struct exact_sum {
    double sum, rest;
} exact_sum;

static void add(exact_sum *s, double value) {
    const double total = s->sum + value;
    s->rest += fabs(s->sum) >= fabs(value) ? (s->sum - total) + value : (value - total) + s->sum;
    s->sum = total;
}

static void note(int *count, int64_t *first, int64_t label) {
    if ((*count)++ == 0) *first = label;
}

static void inspect_tets(const sn_mesh *mesh, sn_mesh_report *r) {
    double sum = 0;
    exact_sum volume = {0};
    r->quality_min = 2;
    r->dihedral_min = 360;
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int32_t *tet = mesh->tet + (size_t)t * (size_t)mesh->tet_nodes;
        const double *x[4];
        for (int k = 0; k < 4; ++k) x[k] = mesh->position + (size_t)tet[k] * 3;
        const shape s = tet_shape(x);
        const double limit = FLAT * s.longest * s.longest * s.longest;
        const int64_t label = sn_label(mesh->tet_label, t);
        if (fabs(s.volume6) <= limit)
            note(&r->flat, &r->first_flat, label);
        else if (s.volume6 < 0)
            note(&r->inverted, &r->first_inverted, label);
        add(&volume, s.volume6 / 6);
        sum += s.quality;
        if (s.quality < r->quality_min) r->quality_min = s.quality, r->worst_tet = label;
        r->dihedral_min = fmin(r->dihedral_min, s.dihedral_low);
        r->dihedral_max = fmax(r->dihedral_max, s.dihedral_high);
    }
    r->volume = volume.sum + volume.rest;
    r->quality_mean = sum / mesh->tet_count;
}

/* Volumes are taken about the middle of the box, where the sum loses the fewest digits. */
static void inspect_triangles(const sn_mesh *mesh, sn_mesh_report *r) {
    double sum = 0, centre[3];
    exact_sum volume = {0};
    for (int a = 0; a < 3; ++a) centre[a] = 0.5 * (r->low[a] + r->high[a]);
    r->quality_min = 2;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const double *x[3];
        for (int k = 0; k < 3; ++k) x[k] = mesh->position + (size_t)mesh->triangle[(size_t)t * 3 + (size_t)k] * 3;
        const double quality = triangle_quality(x);
        add(&volume, sn_volume6(centre, x[0], x[1], x[2]) / 6);
        r->quality_min = fmin(r->quality_min, quality);
        sum += quality;
    }
    r->volume = volume.sum + volume.rest;
    r->quality_mean = sum / mesh->triangle_count;
}

typedef struct edges {
    sn_edge_map map;
    int64_t count;
    double sum;
} edges;

static sn_status add_edge(const sn_mesh *mesh, edges *e, int32_t a, int32_t b, bool surface, sn_mesh_report *r,
                          sn_error *error) {
    int32_t *uses = sn_edge_map_at(&e->map, a, b, 0);
    if (!uses) return sn_no_memory(error);
    if (*uses < 3)
        ++*uses;
    else
        return SN_OK;
    if (surface) {
        r->open_edges += *uses == 1 ? 1 : *uses == 2 ? -1 : 0;
        r->nonmanifold_faces += *uses == 3;
    }
    if (*uses > 1) return SN_OK;
    double d[3];
    sn_subtract3(mesh->position + (size_t)a * 3, mesh->position + (size_t)b * 3, d);
    const double length = sn_norm3(d);
    r->edge_min = e->count ? fmin(r->edge_min, length) : length;
    r->edge_max = fmax(r->edge_max, length);
    e->sum += length;
    ++e->count;
    return SN_OK;
}

static sn_status inspect_edges(const sn_mesh *mesh, sn_mesh_report *r, sn_error *error) {
    const bool surface = mesh->tet_count == 0;
    edges e = {0};
    sn_status status =
        sn_edge_map_create(&e.map, mesh->context,
                           surface ? (int64_t)mesh->triangle_count * 3 / 2 : (int64_t)mesh->tet_count * 5 / 4, error);
    for (int t = 0; t < mesh->tet_count && !status; ++t) {
        const int32_t *tet = mesh->tet + (size_t)t * (size_t)mesh->tet_nodes;
        for (int k = 0; k < 6 && !status; ++k)
            status = add_edge(mesh, &e, tet[sn_tet_edge[k][0]], tet[sn_tet_edge[k][1]], false, r, error);
    }
    for (int t = 0; t < mesh->triangle_count && surface && !status; ++t) {
        const int32_t *v = mesh->triangle + (size_t)t * 3;
        for (int k = 0; k < 3 && !status; ++k) status = add_edge(mesh, &e, v[k], v[(k + 1) % 3], true, r, error);
    }
    if (e.count) r->edge_mean = e.sum / (double)e.count;
    sn_edge_map_destroy(&e.map);
    return status;
}

/* Runs of equal faces: one tet is boundary, three or more are non-manifold. Equal tets are found on the face that
 * leaves out their largest corner, where they stand side by side. */
static void inspect_faces(const sn_mesh *mesh, const sn_face_table *table, sn_mesh_report *r) {
    int64_t first = INT64_MAX;
    for (int n = 0; n < mesh->node_count; ++n)
        for (int64_t i = table->begin[n], end = table->begin[n + 1], next; i < end; i = next) {
            const sn_face_entry *e = table->entry;
            for (next = i + 1; next < end && e[next].key == e[i].key; ++next) {
                if (e[next].opposite != e[next - 1].opposite || e[next].opposite < (int32_t)(e[i].key & UINT32_MAX))
                    continue;
                if (e[next].face >> 2 == e[next - 1].face >> 2)
                    continue; /* a tet with one node at two corners has the same face twice */
                ++r->duplicate_tets;
                if (e[next].face >> 2 < first) first = e[next].face >> 2;
            }
            r->boundary_faces += next == i + 1;
            r->nonmanifold_faces += next > i + 2;
        }
    if (first != INT64_MAX) r->first_duplicate = sn_label(mesh->tet_label, (int)first);
}

/* ---- Nodes: use, pieces, doubles ---- */
static int32_t root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Counts the pieces that tets make when they join by faces. */
static sn_status count_solid(const sn_mesh *mesh, const sn_face_table *table, int *pieces, sn_error *error) {
    int32_t *parent = sn_allocate(mesh->context, (size_t)mesh->tet_count, sizeof *parent);
    if (!parent) return sn_no_memory(error);
    for (int t = 0; t < mesh->tet_count; ++t) parent[t] = t;
    *pieces = mesh->tet_count;
    for (int n = 0; n < mesh->node_count; ++n)
        for (int64_t i = table->begin[n] + 1; i < table->begin[n + 1]; ++i) {
            const sn_face_entry *e = &table->entry[i];
            if (e->key != e[-1].key) continue;
            const int32_t a = root_of(parent, (int32_t)(e->face >> 2)), b = root_of(parent, (int32_t)(e[-1].face >> 2));
            if (a == b) continue;
            parent[a > b ? a : b] = a > b ? b : a;
            --*pieces;
        }
    sn_release(mesh->context, parent);
    return SN_OK;
}

static int count_roots(const int32_t *parent, const uint8_t *used, int nodes) {
    int count = 0;
    for (int i = 0; i < nodes; ++i) count += used[i] && parent[i] == i;
    return count;
}

static void join_cells(const int32_t *cell, int count, int per_cell, int32_t *parent, uint8_t *used) {
    for (int c = 0; c < count; ++c) {
        const int32_t *node = cell + (size_t)c * (size_t)per_cell;
        int32_t root = root_of(parent, node[0]);
        used[node[0]] = 1;
        for (int k = 1; k < per_cell; ++k) {
            const int32_t other = root_of(parent, node[k]);
            used[node[k]] = 1;
            if (other < root)
                parent[root] = other, root = other;
            else
                parent[other] = root;
        }
    }
}

static sn_status inspect_pieces(const sn_mesh *mesh, sn_mesh_report *r, sn_error *error) {
    int32_t *parent = sn_allocate(mesh->context, (size_t)mesh->node_count, sizeof *parent);
    uint8_t *used = sn_allocate_zero(mesh->context, (size_t)mesh->node_count, 1);
    sn_status status = parent && used ? SN_OK : sn_no_memory(error);
    if (!status) {
        for (int i = 0; i < mesh->node_count; ++i) parent[i] = i;
        join_cells(mesh->tet, mesh->tet_count, mesh->tet_nodes, parent, used);
        r->hinges -= count_roots(parent, used, mesh->node_count);
        join_cells(mesh->triangle, mesh->triangle_count, 3, parent, used);
        for (int i = 0; i < mesh->node_count; ++i) {
            if (!used[i])
                note(&r->isolated_nodes, &r->first_isolated, sn_label(mesh->node_label, i));
            else
                r->components += parent[i] == i;
        }
    }
    sn_release(mesh->context, parent);
    sn_release(mesh->context, used);
    return status;
}

/* Bits of a position with -0 taken as 0. */
static void position_bits(const sn_mesh *mesh, int i, uint64_t bits[3]) {
    double x[3];
    for (int a = 0; a < 3; ++a) x[a] = mesh->position[(size_t)i * 3 + (size_t)a] + 0.0;
    memcpy(bits, x, sizeof x);
}

static sn_status inspect_doubles(const sn_mesh *mesh, sn_mesh_report *r, sn_error *error) {
    int64_t capacity = 16;
    while (capacity < 2 * (int64_t)mesh->node_count) capacity *= 2;
    int32_t *slot = sn_allocate(mesh->context, (size_t)capacity, sizeof *slot);
    if (!slot) return sn_no_memory(error);
    memset(slot, 0xff, (size_t)capacity * sizeof *slot);
    for (int i = 0; i < mesh->node_count; ++i) {
        uint64_t bits[3], other[3], h = 0;
        position_bits(mesh, i, bits);
        for (int a = 0; a < 3; ++a) {
            h = (h ^ bits[a]) * 0x9e3779b97f4a7c15u;
            h ^= h >> 29;
        }
        h *= 0xbf58476d1ce4e5b9u;
        int64_t at = (int64_t)((h ^ h >> 32) & (uint64_t)(capacity - 1));
        for (; slot[at] >= 0; at = (at + 1) & (capacity - 1)) {
            position_bits(mesh, slot[at], other);
            if (memcmp(bits, other, sizeof bits) == 0) break;
        }
        if (slot[at] >= 0)
            ++r->duplicate_nodes;
        else
            slot[at] = i;
    }
    sn_release(mesh->context, slot);
    return SN_OK;
}

sn_status sn_mesh_inspect(const sn_mesh *mesh, sn_mesh_report *report, sn_error *error) {
    sn_mesh_report r = {.nodes = mesh->node_count, .tets = mesh->tet_count, .triangles = mesh->triangle_count};
    r.worst_tet = r.first_inverted = r.first_flat = r.first_duplicate = r.first_isolated = -1;
    sn_status status = sn_mesh_check_tets(mesh, error);
    if (status) return status;
    bounds(mesh, &r);
    if (mesh->tet_count) {
        inspect_tets(mesh, &r);
        sn_face_table table;
        status = sn_face_table_of_tets(mesh, &table, error);
        if (!status) {
            inspect_faces(mesh, &table, &r);
            status = count_solid(mesh, &table, &r.hinges, error);
            sn_face_table_destroy(mesh, &table);
        }
    } else if (mesh->triangle_count) {
        inspect_triangles(mesh, &r);
        r.boundary_faces = mesh->triangle_count;
    }
    if (!status) status = inspect_edges(mesh, &r, error);
    if (!status) status = inspect_pieces(mesh, &r, error);
    if (!status) status = inspect_doubles(mesh, &r, error);
    if (!status) *report = r;
    return status;
}
