/* Clipping at tets; see touch_clip.h. A triangle is cut by the four faces of a tet, one after the other (Sutherland and
 * Hodgman 1974). */
#include "touch_clip.h"

#include <math.h>

#include "base/math3.h"
#include "embed/locate_point.h"
#include "orientation.h"

/* What makes a corner: kind 0: vertex a; kind 1: edge ab and face cde; kind 2: triangle a and tet edge bc. Vertices and
 * nodes of edges and faces ascend. */
typedef struct maker {
    int32_t kind, part[5];
} maker;

/* A corner of a polygon. `line` is where the polygon goes on to its next corner: 0 to 2: that edge of the triangle; 3 +
 * k: in the face of the tet that leaves out its corner k. */
typedef struct corner {
    maker made;
    double x[3];
    int line;
} corner;

enum { MOST = 12 }; /* corners of a polygon: 3, and one more for each face, with room for rounding */

typedef struct clipping {
    const sn_mesh *carrier;
    const double *position;
    const int32_t *triangle;
    int first_node;
    sn_context *context;
    /* The new surface. */
    int vertex_count, vertex_capacity, triangle_count, triangle_capacity, maker_capacity, carrier_count;
    int first_capacity, node_capacity, weight_capacity;
    maker *maker;
    double *x, *weight;
    int32_t *new_triangle, *first, *node;
    /* Numbers of corners by their makers. */
    int32_t *table;
    int64_t table_size;
} clipping;

/* ---- Corners by their makers ---- */

static uint64_t hash(const maker *m) {
    uint64_t h = (uint64_t)(uint32_t)m->kind + 0x9E3779B97F4A7C15u;
    for (int i = 0; i < 5; ++i) h = (h ^ (uint32_t)m->part[i]) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    return h;
}

static bool same(const maker *a, const maker *b) {
    for (int i = 0; i < 5; ++i)
        if (a->part[i] != b->part[i]) return false;
    return a->kind == b->kind;
}

static int32_t *place_of(const clipping *c, const maker *m) {
    for (int64_t place = (int64_t)(hash(m) & (uint64_t)(c->table_size - 1));; place = (place + 1) & (c->table_size - 1))
        if (c->table[place] < 0 || same(&c->maker[c->table[place]], m)) return &c->table[place];
}

static sn_status grow_table(clipping *c, sn_error *error) {
    if (2 * (int64_t)c->vertex_count < c->table_size) return SN_OK;
    const int64_t size = c->table_size ? 2 * c->table_size : 1024;
    int32_t *table = sn_allocate(c->context, (size_t)size, sizeof *table);
    if (!table) return sn_no_memory(error);
    sn_release(c->context, c->table);
    c->table = table, c->table_size = size;
    for (int64_t i = 0; i < size; ++i) table[i] = -1;
    for (int32_t i = 0; i < c->vertex_count; ++i) *place_of(c, &c->maker[i]) = i;
    return SN_OK;
}

static const double *node_of(const clipping *c, int32_t node) { return c->carrier->position + 3 * (size_t)node; }
static const double *vertex_of(const clipping *c, int32_t vertex) { return c->position + 3 * (size_t)vertex; }

/* Weights of the nodes that carry a corner. Returns how many. */
static int carry(const clipping *c, int tet, const corner *p, int32_t node[4], double weight[4]) {
    if (p->made.kind == 0) {
        for (int k = 0; k < 4; ++k) node[k] = c->carrier->tet[4 * (size_t)tet + (size_t)k];
        return sn_tet_weights(c->carrier, tet, p->x, weight) ? 4 : 0;
    }
    const int count = p->made.kind == 1 ? 3 : 2;
    for (int k = 0; k < count; ++k) node[k] = p->made.part[k + (count == 3 ? 2 : 1)];
    double n[3], u[3], v[3], whole = 0;
    if (count == 2) {
        sn_subtract3(node_of(c, node[1]), node_of(c, node[0]), u);
        sn_subtract3(p->x, node_of(c, node[0]), v);
        weight[1] = sn_dot3(u, v) / sn_dot3(u, u), weight[0] = 1 - weight[1];
        return 2;
    }
    sn_area_vector3(node_of(c, node[0]), node_of(c, node[1]), node_of(c, node[2]), n);
    whole = sn_dot3(n, n);
    for (int k = 1; k < 3; ++k) {
        sn_area_vector3(p->x, node_of(c, node[(k + 1) % 3]), node_of(c, node[(k + 2) % 3]), u);
        weight[k] = sn_dot3(n, u) / whole;
    }
    weight[0] = 1 - weight[1] - weight[2];
    return 3;
}

static sn_status reserve_vertex(clipping *c, sn_error *error) {
    sn_status status = grow_table(c, error);
    if (!status && c->vertex_count + 1 > c->maker_capacity)
        status =
            sn_grow(c->context, (void **)&c->maker, &c->maker_capacity, c->vertex_count + 1, sizeof *c->maker, error);
    if (!status && 3 * (c->vertex_count + 1) > c->vertex_capacity)
        status =
            sn_grow(c->context, (void **)&c->x, &c->vertex_capacity, 3 * (c->vertex_count + 1), sizeof *c->x, error);
    if (!status && c->vertex_count + 2 > c->first_capacity)
        status =
            sn_grow(c->context, (void **)&c->first, &c->first_capacity, c->vertex_count + 2, sizeof *c->first, error);
    if (!status && c->carrier_count + 4 > c->node_capacity)
        status =
            sn_grow(c->context, (void **)&c->node, &c->node_capacity, c->carrier_count + 4, sizeof *c->node, error);
    if (!status && c->carrier_count + 4 > c->weight_capacity)
        status = sn_grow(c->context, (void **)&c->weight, &c->weight_capacity, c->carrier_count + 4, sizeof *c->weight,
                         error);
    return status;
}

/* The number of a corner; a new one is added. */
static sn_status number_of(clipping *c, int tet, const corner *p, int32_t *number, sn_error *error) {
    const sn_status status = reserve_vertex(c, error);
    if (status) return status;
    int32_t *place = place_of(c, &p->made);
    if (*place < 0) {
        int32_t node[4];
        double weight[4];
        const int count = carry(c, tet, p, node, weight);
        c->first[c->vertex_count] = c->carrier_count;
        for (int k = 0; k < count; ++k) {
            c->node[c->carrier_count] = c->first_node + node[k];
            c->weight[c->carrier_count++] = weight[k];
        }
        c->maker[c->vertex_count] = p->made;
        for (int k = 0; k < 3; ++k) c->x[3 * (size_t)c->vertex_count + (size_t)k] = p->x[k];
        *place = c->vertex_count++;
        c->first[c->vertex_count] = c->carrier_count;
    }
    *number = *place;
    return SN_OK;
}

/* ---- Polygons ---- */

static void sort3(int32_t v[3]) {
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < 2; ++i)
            if (v[i] > v[i + 1]) {
                const int32_t swap = v[i];
                v[i] = v[i + 1], v[i + 1] = swap;
            }
}

/* The nodes of the face that leaves out corner k, ascending. */
static void face_of(const clipping *c, int tet, int k, int32_t face[3]) {
    for (int i = 0, n = 0; i < 4; ++i)
        if (i != k) face[n++] = c->carrier->tet[4 * (size_t)tet + (size_t)i];
    sort3(face);
}

/* Whether x is on the same side of a face as the corner that the face leaves out. The sign is exact, and 0 counts as
 * positive for both tets at the face: one of them has the point inside. */
static bool is_inside(const clipping *c, int tet, int k, const double x[3]) {
    int32_t face[3];
    face_of(c, tet, k, face);
    const double *p = node_of(c, face[0]), *q = node_of(c, face[1]), *r = node_of(c, face[2]);
    const double *own = node_of(c, c->carrier->tet[4 * (size_t)tet + (size_t)k]);
    return (sn_orientation(p, q, r, x) >= 0) == (sn_orientation(p, q, r, own) >= 0);
}

/* The point of the line through a and b in the plane of p, q and r. It may lie outside of ab: a later face takes it
 * away then. */
static void meet(const double a[3], const double b[3], const double p[3], const double q[3], const double r[3],
                 double x[3]) {
    const double below = sn_volume6(p, q, r, a), above = sn_volume6(p, q, r, b);
    const double part = below != above ? below / (below - above) : 0.5;
    for (int k = 0; k < 3; ++k) x[k] = a[k] + part * (b[k] - a[k]);
}

/* The corner where the side from p meets face k of the tet. */
static corner cross(const clipping *c, int32_t triangle, int tet, int k, const corner *p) {
    corner made = {.made = {.part = {-1, -1, -1, -1, -1}}, .line = 3 + k};
    const int32_t *vertex = &c->triangle[3 * (size_t)triangle];
    int32_t *part = made.made.part;
    if (p->line < 3) {
        const int32_t a = vertex[p->line], b = vertex[(p->line + 1) % 3];
        made.made.kind = 1;
        part[0] = a < b ? a : b, part[1] = a < b ? b : a;
        face_of(c, tet, k, part + 2);
        meet(vertex_of(c, part[0]), vertex_of(c, part[1]), node_of(c, part[2]), node_of(c, part[3]),
             node_of(c, part[4]), made.x);
        return made;
    }
    int32_t edge[2], n = 0; /* both faces have this edge of the tet */
    for (int i = 0; i < 4; ++i)
        if (i != k && i != p->line - 3 && n < 2) edge[n++] = c->carrier->tet[4 * (size_t)tet + (size_t)i];
    made.made.kind = 2, part[0] = triangle;
    part[1] = edge[0] < edge[1] ? edge[0] : edge[1], part[2] = edge[0] < edge[1] ? edge[1] : edge[0];
    meet(node_of(c, part[1]), node_of(c, part[2]), vertex_of(c, vertex[0]), vertex_of(c, vertex[1]),
         vertex_of(c, vertex[2]), made.x);
    return made;
}

/* Keeps the part of a polygon on the inner side of face k. */
static int clip(const clipping *c, int32_t triangle, int tet, int k, const corner *in, int count, corner *out) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const corner *p = &in[i], *q = &in[(i + 1) % count];
        const bool here = is_inside(c, tet, k, p->x), there = is_inside(c, tet, k, q->x);
        if (here && kept < MOST) out[kept++] = *p;
        if (here == there || kept >= MOST) continue;
        out[kept] = cross(c, triangle, tet, k, p);
        if (!here) out[kept].line = p->line; /* comes back on the same line */
        ++kept;
    }
    return kept;
}

static sn_status add_polygon(clipping *c, int tet, const corner *p, int count, sn_error *error) {
    int32_t number[MOST];
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const sn_status status = number_of(c, tet, &p[i], &number[kept], error);
        if (status) return status;
        if (kept == 0 || number[kept] != number[kept - 1]) ++kept;
    }
    while (kept > 1 && number[kept - 1] == number[0]) --kept;
    for (int i = 1; i + 1 < kept; ++i) {
        if (3 * (c->triangle_count + 1) > c->triangle_capacity) {
            const sn_status status = sn_grow(c->context, (void **)&c->new_triangle, &c->triangle_capacity,
                                             3 * (c->triangle_count + 1), sizeof *c->new_triangle, error);
            if (status) return status;
        }
        int32_t *t = &c->new_triangle[3 * (size_t)c->triangle_count++];
        t[0] = number[0], t[1] = number[i], t[2] = number[i + 1];
    }
    return SN_OK;
}

static sn_status clip_at_tet(clipping *c, int32_t triangle, int tet, sn_error *error) {
    corner polygon[2][MOST + 1];
    int count = 3;
    for (int k = 0; k < 3; ++k) {
        const int32_t v = c->triangle[3 * (size_t)triangle + (size_t)k];
        corner p = {.made = {0, {v, -1, -1, -1, -1}}, .line = k};
        for (int i = 0; i < 3; ++i) p.x[i] = vertex_of(c, v)[i];
        polygon[0][k] = p;
    }
    for (int k = 0; k < 4 && count > 0; ++k)
        count = clip(c, triangle, tet, k, polygon[k % 2], count, polygon[1 - k % 2]);
    return count < 3 ? SN_OK : add_polygon(c, tet, polygon[0], count, error);
}

/* ---- All triangles ---- */

/* Clips a triangle at the tets of the cells of the locator that its box meets, in ascending order of the tets. `met`
 * has one place per tet, and `list` too. */
static sn_status clip_triangle(clipping *c, const sn_locator *locator, int32_t triangle, int32_t *met, int32_t *list,
                               sn_error *error) {
    int low[3], high[3], count = 0;
    for (int a = 0; a < 3; ++a) {
        double least = INFINITY, most = -INFINITY;
        for (int k = 0; k < 3; ++k) {
            const double x = vertex_of(c, c->triangle[3 * (size_t)triangle + (size_t)k])[a];
            least = fmin(least, x), most = fmax(most, x);
        }
        low[a] = (int)fmin(fmax(floor((least - locator->low[a]) / locator->size), 0), locator->count[a] - 1);
        high[a] = (int)fmin(fmax(floor((most - locator->low[a]) / locator->size), 0), locator->count[a] - 1);
    }
    for (int z = low[2]; z <= high[2]; ++z)
        for (int y = low[1]; y <= high[1]; ++y)
            for (int x = low[0]; x <= high[0]; ++x) {
                const int cell = (z * locator->count[1] + y) * locator->count[0] + x;
                for (int32_t i = locator->first[cell]; i < locator->first[cell + 1]; ++i) {
                    if (met[locator->tet[i]] == triangle + 1) continue;
                    met[locator->tet[i]] = triangle + 1, list[count++] = locator->tet[i];
                }
            }
    for (int i = 1; i < count; ++i) {
        const int32_t tet = list[i];
        int k = i;
        for (; k > 0 && list[k - 1] > tet; --k) list[k] = list[k - 1];
        list[k] = tet;
    }
    sn_status status = SN_OK;
    for (int i = 0; i < count && !status; ++i) status = clip_at_tet(c, triangle, list[i], error);
    return status;
}

static void release(clipping *c) {
    void *part[] = {c->maker, c->x, c->weight, c->new_triangle, c->first, c->node, c->table};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) sn_release(c->context, part[i]);
}

sn_status sn_touch_clip(const sn_mesh *carrier, const double *position, int vertex_count, const int32_t *triangle,
                        int triangle_count, int body, int first_node, sn_touch_surface **surface, sn_error *error) {
    *surface = NULL;
    for (int i = 0; i < 3 * triangle_count; ++i)
        if (triangle[i] < 0 || triangle[i] >= vertex_count)
            return sn_fail(error, SN_BAD_INPUT, "triangle %d has vertex %d; there are %d", i / 3, triangle[i],
                           vertex_count);
    if (carrier->tet_nodes != 4) return sn_fail(error, SN_UNSUPPORTED, "clipping needs tets of 4 nodes");
    sn_locator locator;
    sn_status status = sn_locator_create(carrier, &locator, error);
    if (status) return status;
    clipping c = {.carrier = carrier,
                  .position = position,
                  .triangle = triangle,
                  .first_node = first_node,
                  .context = carrier->context};
    int32_t *met = sn_allocate_zero(c.context, (size_t)carrier->tet_count, sizeof *met),
            *list = sn_allocate(c.context, (size_t)carrier->tet_count, sizeof *list);
    if (!met || !list) status = sn_no_memory(error);
    for (int32_t t = 0; t < triangle_count && !status; ++t) status = clip_triangle(&c, &locator, t, met, list, error);
    if (!status) status = reserve_vertex(&c, error);
    if (!status) {
        c.first[c.vertex_count] = c.carrier_count;
        const sn_touch_surface_source source = {.body = body,
                                                .vertex_count = c.vertex_count,
                                                .triangle_count = c.triangle_count,
                                                .position = c.x,
                                                .triangle = c.new_triangle,
                                                .carrier_first = c.first,
                                                .carrier_node = c.node,
                                                .carrier_weight = c.weight};
        status = sn_touch_surface_create(c.context, &source, surface, error);
    }
    sn_release(c.context, met);
    sn_release(c.context, list);
    sn_locator_destroy(&locator);
    release(&c);
    return status;
}
