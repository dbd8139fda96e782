/* The surface of a triangle mesh. d(x) is the distance from the nearest point p of the triangles, t is the thickness:
 *
 *   a closed mesh is a solid        gap = +-d - t / 2, where the sign is minus inside
 *   an open mesh is a sheet         gap = d - t / 2 on both sides; it needs a thickness
 *
 *   n = grad gap
 *   grad n = 0                             when p is on a face
 *   grad n = +-(I - n n^T - e e^T) / d     when p is on an edge with direction e
 *   grad n = +-(I - n n^T) / d             when p is a corner
 *
 * A point x is outside when (x - p) . N > 0. N is the pseudo-normal of the part of the surface that has p: the normal
 * of a face, the sum of the normals of the two faces of an edge, or the sum of the normals of all faces of a corner,
 * weighted by their angles (Baerentzen and Aanaes 2005). For a closed mesh that does not cross itself the sign is
 * exact, and it costs nothing besides the search for p. A winding number would also work with holes. But it is a sum
 * over all triangles, and a solid with holes has no clear inside.
 *
 * Points with equal coordinates count as one point, so that a mesh that was cut along its edges is closed. Of a mesh
 * with tets the boundary is taken. When a closed mesh faces inwards, its triangles are reversed. The centre is the
 * middle of the bounding box.
 *
 * A mesh of a million triangles costs only where something is near it: coarse cells over its box tell how far the
 * surface is at least (`least`). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math3.h"
#include "embed/crease.h"
#include "mesh/mesh_internal.h"
#include "mesh/triangle_tree.h"
#include "mesh/weld.h"
#include "shape.h"

typedef struct mesh_shape {
    int nodes, triangles;
    double *position;  /* nodes x 3, relative to the centre */
    int32_t *triangle; /* triangles x 3 */
    int32_t *partner; /* triangles x 3, for the edge from corner k to k + 1: the same edge in the other triangle, as 3 x
                         triangle + k; -1: none */
    double *face_normal; /* triangles x 3, unit; zero of a triangle without area */
    double *node_normal; /* nodes x 3: pseudo-normals, weighted by angles */
    bool closed;
    double margin; /* t / 2 */
    double size;   /* m, diagonal of the bounding box */
    sn_triangle_tree tree;
    /* Gaps at the middles of coarse cells over the bounding box, for `least`; NULL: the mesh is small. */
    double *coarse;
    int cells[3];
    double low[3], cell[3]; /* corner of the box; sizes of a cell */
} mesh_shape;

static const sn_shape_parameter parameters[] = {
    {"thickness",
     NULL,
     SN_ROLE_NUMBER,
     1,
     0,
     1e300,
     false,
     false,
     {0},
     "m",
     "the solid reaches half of it beyond the triangles"},
    {"scale", NULL, SN_ROLE_NUMBER, 1, 0, 1e300, true, false, {1}, "", "first the mesh is scaled"},
    SN_SHAPE_ROTATE("then turned about the origin: axis x, y, z and degrees"),
    {"move", NULL, SN_ROLE_PLACE, 3, -1e300, 1e300, false, false, {0, 0, 0}, "m", "then moved"},
};

/* ---- Surface ---- */

/* Makes nodes, one per position that a face uses, and triangles. Triangles with two corners at one position are left
 * out. */
static sn_status weld(sn_context *context, const sn_mesh *mesh, const int32_t *face, int faces, mesh_shape *m,
                      sn_error *error) {
    int32_t *new_of_old = sn_allocate(context, (size_t)mesh->node_count, sizeof *new_of_old);
    m->position = sn_allocate(context, 9 * (size_t)faces, sizeof *m->position);
    m->triangle = sn_allocate(context, 3 * (size_t)faces, sizeof *m->triangle);
    const bool enough = new_of_old && m->position && m->triangle;
    sn_status status = enough ? SN_OK : sn_no_memory(error);
    if (!status) status = sn_weld(context, mesh->position, mesh->node_count, face, faces, new_of_old, &m->nodes, error);
    for (int i = 0; i < 3 * faces && !status; ++i)
        memcpy(m->position + 3 * (size_t)new_of_old[face[i]], mesh->position + 3 * (size_t)face[i], 3 * sizeof(double));
    for (int f = 0; f < faces && !status; ++f) {
        const int32_t a = new_of_old[face[3 * f]], b = new_of_old[face[3 * f + 1]], c = new_of_old[face[3 * f + 2]];
        if (a == b || b == c || c == a) continue;
        int32_t *own = m->triangle + 3 * (size_t)m->triangles++;
        own[0] = a, own[1] = b, own[2] = c;
    }
    sn_release(context, new_of_old);
    return status;
}

/* Applies scale, rotate and move; then makes the positions relative to the centre. */
static void place_nodes(const sn_collider *collider, mesh_shape *m, double centre[3]) {
    const double scale = *sn_collider_get(collider, "scale"), *rotate = sn_collider_get(collider, "rotate"),
                 *move = sn_collider_get(collider, "move");
    double R[9], low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, diagonal[3];
    sn_axis_rotation3(rotate, rotate[3], R);
    for (int i = 0; i < m->nodes; ++i) {
        double *x = m->position + 3 * (size_t)i;
        const double scaled[3] = {scale * x[0], scale * x[1], scale * x[2]};
        sn_multiply_vector3(R, scaled, x);
        for (int a = 0; a < 3; ++a) x[a] += move[a], low[a] = fmin(low[a], x[a]), high[a] = fmax(high[a], x[a]);
    }
    for (int a = 0; a < 3; ++a) centre[a] = 0.5 * (low[a] + high[a]);
    sn_subtract3(high, low, diagonal);
    m->size = sn_norm3(diagonal);
    for (int i = 0; i < 3 * m->nodes; ++i) m->position[i] -= centre[i % 3];
}

/* Makes the triangles of a solid face outwards. */
static sn_status orient(mesh_shape *m, sn_error *error) {
    static const double origin[3] = {0};
    double volume = 0;
    for (int t = 0; t < m->triangles; ++t) {
        const int32_t *n = m->triangle + 3 * (size_t)t;
        volume += sn_volume6(origin, m->position + 3 * (size_t)n[0], m->position + 3 * (size_t)n[1],
                             m->position + 3 * (size_t)n[2]);
    }
    if (!(fabs(volume) > 1e-12 * m->size * m->size * m->size))
        return sn_fail_at(error, SN_BAD_INPUT, "", "the mesh is closed, but it holds no volume");
    for (int t = 0; t < m->triangles && volume < 0;
         ++t) { /* the corners become a, c, b: the first and the last edge are exchanged */
        int32_t *n = m->triangle + 3 * (size_t)t, *p = m->partner + 3 * (size_t)t, swap = n[1];
        n[1] = n[2], n[2] = swap;
        swap = p[0], p[0] = p[2], p[2] = swap;
        for (int k = 0; k < 3; ++k)
            if (p[k] >= 0 && p[k] % 3 != 1) p[k] += p[k] % 3 == 0 ? 2 : -2;
    }
    return SN_OK;
}

static sn_status fill_normals(sn_context *context, mesh_shape *m, sn_error *error) {
    m->face_normal = sn_allocate_zero(context, 3 * (size_t)m->triangles, sizeof *m->face_normal);
    m->node_normal = sn_allocate_zero(context, 3 * (size_t)m->nodes, sizeof *m->node_normal);
    if (!m->face_normal || !m->node_normal) return sn_no_memory(error);
    for (int t = 0; t < m->triangles; ++t) {
        const int32_t *node = m->triangle + 3 * (size_t)t;
        const double *x[3];
        for (int k = 0; k < 3; ++k) x[k] = m->position + 3 * (size_t)node[k];
        double *n = m->face_normal + 3 * (size_t)t, area[3];
        sn_area_vector3(x[0], x[1], x[2], area);
        const double twice = sn_norm3(area);
        if (!(twice > 0)) continue;
        for (int a = 0; a < 3; ++a) n[a] = area[a] / twice;
        for (int k = 0; k < 3; ++k) {
            double u[3], v[3];
            sn_subtract3(x[(k + 1) % 3], x[k], u);
            sn_subtract3(x[(k + 2) % 3], x[k], v);
            const double angle = atan2(twice, sn_dot3(u, v));
            for (int a = 0; a < 3; ++a) m->node_normal[3 * (size_t)node[k] + (size_t)a] += angle * n[a];
        }
    }
    return SN_OK;
}

static sn_status check_topology(const sn_collider *collider, mesh_shape *m, const sn_edge_counts *count,
                                sn_error *error) {
    m->closed = count->open + count->crowded + count->opposing == 0;
    if (m->closed) return orient(m, error);
    if (!(m->margin > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "thickness",
                          "the mesh is not closed: %d edges belong to one triangle, %d to more than two, %d to two "
                          "that face opposite sides; "
                          "close it, or give a thickness to make a sheet of it",
                          count->open, count->crowded, count->opposing);
    if (collider->inside)
        return sn_fail_at(error, SN_BAD_INPUT, "inside",
                          "the mesh is not closed (%d edges belong to one triangle): a sheet has no inside",
                          count->open);
    return SN_OK;
}

static double gap(const void *data, const double x[3], double n[3], sn_bend *bend);

/* Fills the coarse cells of a mesh with many triangles. The gap changes by at most 1 m per meter, so the gap in the
 * middle of a cell bounds the gaps around it. */
static sn_status fill_coarse(sn_context *context, mesh_shape *m, sn_error *error) {
    enum { MANY = 5000, LONGEST = 24 };
    double high[3], longest = 0, n[3];
    if (m->triangles < MANY) return SN_OK;
    memcpy(m->low, m->position, sizeof m->low), memcpy(high, m->position, sizeof high);
    for (int i = 0; i < 3 * m->nodes; ++i)
        m->low[i % 3] = fmin(m->low[i % 3], m->position[i]), high[i % 3] = fmax(high[i % 3], m->position[i]);
    for (int a = 0; a < 3; ++a) longest = fmax(longest, high[a] - m->low[a]);
    for (int a = 0; a < 3; ++a) {
        m->cells[a] = 1 + (int)((LONGEST - 1) * (high[a] - m->low[a]) / longest);
        m->cell[a] = (high[a] - m->low[a]) / m->cells[a];
    }
    const int count = m->cells[0] * m->cells[1] * m->cells[2];
    double *coarse = sn_allocate(context, (size_t)count, sizeof *coarse);
    if (!coarse) return sn_no_memory(error);
    for (int i = 0; i < count; ++i) {
        const int at[3] = {i % m->cells[0], i / m->cells[0] % m->cells[1], i / m->cells[0] / m->cells[1]};
        double middle[3];
        for (int a = 0; a < 3; ++a) middle[a] = m->low[a] + (at[a] + 0.5) * m->cell[a];
        coarse[i] = gap(m, middle, n, NULL);
    }
    m->coarse = coarse;
    return SN_OK;
}

static sn_status create(sn_context *context, const sn_collider *collider, void *data, double centre[3],
                        sn_error *error) {
    mesh_shape *m = data;
    int faces = 0;
    sn_edge_counts count = {0};
    int32_t *face = NULL;
    sn_status status = sn_mesh_check(collider->mesh, error);
    if (!status) status = sn_mesh_boundary(collider->mesh, &faces, &face, NULL, NULL, error);
    if (status) return sn_within(error, status, "%s", collider->shape);
    m->margin = 0.5 * *sn_collider_get(collider, "thickness");
    status = weld(context, collider->mesh, face, faces, m, error);
    sn_mesh_release(collider->mesh, face);
    if (!status && m->triangles == 0) status = sn_fail_at(error, SN_BAD_INPUT, "", "the mesh has no triangles");
    if (!status) {
        place_nodes(collider, m, centre);
        m->partner = sn_allocate(context, 3 * (size_t)m->triangles, sizeof *m->partner);
        status = m->partner ? sn_pair_edges(context, m->triangle, m->triangles, m->partner, &count, error)
                            : sn_no_memory(error);
    }
    if (!status) status = check_topology(collider, m, &count, error);
    if (!status) status = fill_normals(context, m, error);
    if (!status) status = sn_triangle_tree_create(context, m->position, m->triangle, m->triangles, &m->tree, error);
    if (!status) status = fill_coarse(context, m, error);
    return status ? sn_within(error, status, "%s", collider->shape) : SN_OK;
}

static void destroy(sn_context *context, void *data) {
    mesh_shape *m = data;
    sn_triangle_tree_destroy(context, &m->tree);
    void *const array[] = {m->position, m->triangle, m->partner, m->face_normal, m->node_normal, m->coarse};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
}

/* ---- Gap ---- */

/* The pseudo-normal, of any length, of the part of the surface that is nearest. It is zero when all its triangles have
 * no area. */
static void pseudo_normal(const mesh_shape *m, const sn_nearest_point *at, double N[3]) {
    const size_t edge = 3 * (size_t)at->triangle + (size_t)at->k;
    const double *own = m->face_normal + 3 * (size_t)at->triangle;
    if (at->part == SN_PART_CORNER) own = m->node_normal + 3 * (size_t)m->triangle[edge];
    memcpy(N, own, 3 * sizeof *N);
    if (at->part != SN_PART_EDGE || m->partner[edge] < 0) return;
    for (int a = 0; a < 3; ++a) N[a] += m->face_normal[3 * (size_t)(m->partner[edge] / 3) + (size_t)a];
}

static double gap(const void *data, const double x[3], double n[3], sn_bend *bend) {
    const mesh_shape *m = data;
    sn_nearest_point at;
    double d[3], N[3];
    sn_triangle_tree_nearest(&m->tree, x, &at);
    pseudo_normal(m, &at, N);
    sn_subtract3(x, at.point, d);
    const double distance = sqrt(at.square), side = sn_dot3(d, N) < 0 ? -1 : 1, sign = m->closed ? side : 1,
                 length = sn_norm3(N);
    const bool on_it = !(distance > 1e-12 * m->size), flat = at.part == SN_PART_FACE && length > 0;
    if (bend) bend->curvature = 0;
    if (flat || on_it) { /* beside a face, or almost on the surface: the pseudo-normal is the better direction */
        const double outward = m->closed ? 1 : side;
        for (int a = 0; a < 3; ++a) n[a] = length > 0 ? outward * N[a] / length : a == 1;
        return sign * distance - m->margin;
    }
    for (int a = 0; a < 3; ++a) n[a] = sign * d[a] / distance;
    if (bend && at.part == SN_PART_CORNER) sn_bend_round(sign / distance, n, bend);
    if (bend && at.part == SN_PART_EDGE) {
        const int32_t edge = 3 * at.triangle + at.k;
        double e[3];
        sn_subtract3(m->position + 3 * (size_t)m->triangle[sn_next_in_triangle(edge)],
                     m->position + 3 * (size_t)m->triangle[edge], e);
        const double along = sn_norm3(e);
        for (int a = 0; a < 3; ++a) e[a] /= along;
        sn_bend_edge(sign / distance, n, e, bend);
    }
    return sign * distance - m->margin;
}

static double least(const void *data, const double x[3]) {
    const mesh_shape *m = data;
    int at[3];
    double apart = 0, out = 0;
    if (!m->coarse) return -INFINITY;
    for (int a = 0; a < 3; ++a) {
        const double width = m->cells[a] * m->cell[a], d = x[a] - m->low[a];
        const double i = m->cell[a] > 0 ? floor(d / m->cell[a]) : 0;
        at[a] = i < 0 ? 0 : i < m->cells[a] ? (int)i : m->cells[a] - 1;
        const double aside = d - (at[a] + 0.5) * m->cell[a], beyond = d < 0 ? -d : d > width ? d - width : 0;
        apart += aside * aside, out += beyond * beyond;
    }
    const double near = m->coarse[at[0] + m->cells[0] * (at[1] + m->cells[1] * at[2])] - sqrt(apart);
    return fmax(near, out > 0 ? sqrt(out) - m->margin : -INFINITY) - 1e-12 * m->size;
}

/* A path has passed a sheet when it crosses it. A path has passed a solid when it enters through one face and leaves
 * through a face that looks the other way, or ends where the nearest face looks the other way. A part inside that is
 * shorter than a thousandth of the mesh does not count. */
static bool passed(const void *data, const double a[3], const double b[3]) {
    const mesh_shape *m = data;
    sn_crossings through;
    double way[3], n[3];
    const int crossings = sn_triangle_tree_cross(&m->tree, a, b, &through);
    if (crossings == 0) return false;
    if (!m->closed) return true;
    const double *in = m->face_normal + 3 * (size_t)through.first, *out = m->face_normal + 3 * (size_t)through.last;
    sn_subtract3(b, a, way);
    if (sn_dot3(in, way) > 0) return false; /* the path began inside */
    if (gap(m, b, n, NULL) < 0) return sn_dot3(in, n) < 0;
    return (through.last_part - through.first_part) * sn_norm3(way) > 1e-3 * m->size && sn_dot3(in, out) < 0;
}

static double bound(const void *data) {
    const mesh_shape *m = data;
    double most = 0;
    for (int i = 0; i < m->nodes; ++i) most = fmax(most, sn_norm3(m->position + 3 * (size_t)i));
    return most + m->margin;
}

/* ---- Drawing ---- */

/* Adds one side of the surface. Its vertices have the numbers from `first` on; they are moved by `offset` along their
 * normals. */
static void draw_side(const mesh_shape *m, const int32_t *corner, const int32_t *source, int vertices, double offset,
                      sn_drawing *drawing, int first, int first_triangle) {
    double *normal = drawing->normal + 3 * (size_t)first, *position = drawing->position + 3 * (size_t)first;
    const double side = offset < 0 ? -1 : 1;
    memset(normal, 0, 3 * (size_t)vertices * sizeof *normal);
    for (int i = 0; i < 3 * m->triangles; ++i)
        for (int a = 0; a < 3; ++a)
            normal[3 * (size_t)corner[i] + (size_t)a] += side * m->face_normal[3 * (size_t)(i / 3) + (size_t)a];
    for (int v = 0; v < vertices; ++v) {
        double *n = normal + 3 * (size_t)v;
        const double length = sn_norm3(n);
        for (int a = 0; a < 3; ++a) {
            n[a] = length > 0 ? n[a] / length : a == 1;
            position[3 * (size_t)v + (size_t)a] = m->position[3 * (size_t)source[v] + (size_t)a] + fabs(offset) * n[a];
        }
    }
    for (int i = 0; i < 3 * m->triangles; ++i) {
        const int32_t from = side > 0 ? i : 3 * (i / 3) + 2 - i % 3; /* the other side has the opposite orientation */
        drawing->triangle[3 * (size_t)first_triangle + (size_t)i] = first + corner[from];
    }
}

/* Adds the rim of a sheet, between its two sides. */
static void draw_rim(const mesh_shape *m, const int32_t *corner, int vertices, sn_drawing *drawing,
                     int first_triangle) {
    int32_t *out = drawing->triangle + 3 * (size_t)first_triangle;
    for (int32_t i = 0; i < 3 * m->triangles; ++i) {
        if (m->partner[i] >= 0) continue;
        const int32_t a = corner[i], b = corner[sn_next_in_triangle(i)];
        const int32_t strip[6] = {b, a, a + vertices, b, a + vertices, b + vertices};
        memcpy(out, strip, sizeof strip);
        out += 6;
    }
}

static sn_status draw(const void *data, sn_drawing *drawing, sn_error *error) {
    const mesh_shape *m = data;
    const size_t corners = 3 * (size_t)m->triangles;
    int32_t *corner = sn_allocate(drawing->context, corners, sizeof *corner),
            *source = sn_allocate(drawing->context, corners, sizeof *source);
    int vertices = 0, rim = 0;
    sn_status status = corner && source ? SN_OK : sn_no_memory(error);
    if (!status)
        status = sn_crease_split(drawing->context, m->position, m->triangle, m->triangles, 35, corner, source,
                                 &vertices, error);
    for (size_t i = 0; i < corners; ++i) rim += m->partner[i] < 0;
    const int sides = m->closed ? 1 : 2;
    if (!status)
        status = sn_drawing_room(drawing, sides * vertices, sides * m->triangles + (m->closed ? 0 : 2 * rim), error);
    if (!status) draw_side(m, corner, source, vertices, m->margin, drawing, 0, 0);
    if (!status && !m->closed) {
        draw_side(m, corner, source, vertices, -m->margin, drawing, vertices, m->triangles);
        draw_rim(m, corner, vertices, drawing, 2 * m->triangles);
    }
    sn_release(drawing->context, corner);
    sn_release(drawing->context, source);
    return status;
}

const sn_shape sn_shape_mesh = {.parameter = parameters,
                                .parameter_count = 4,
                                .takes_mesh = true,
                                .size = sizeof(mesh_shape),
                                .create = create,
                                .destroy = destroy,
                                .gap = gap,
                                .passed = passed,
                                .least = least,
                                .bound = bound,
                                .draw = draw};
