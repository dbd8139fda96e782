/* Proximity of surfaces; see touch_near.h. */
#include "touch_near.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "embed/winding.h"
#include "mesh/triangle_tree.h"

enum { GRAIN = 256 };             /* vertices in a piece of the search: fewer are not worth a second thread */
static const double FACES = -0.1; /* largest N_B . N_A of a triangle that faces a vertex */

/* What belongs to one surface. */
typedef struct side {
    const sn_touch_surface *surface;
    sn_triangle_tree tree;
    sn_winding winding;        /* of the tree; without parts until the surface meets itself */
    double *face;              /* triangles x 3: unit normals */
    double *normal;            /* vertices x 3: unit normals, faces weighted by their angles */
    double *velocity;          /* vertices x 3, m/s */
    double mean[3], most;      /* m/s: mean velocity, and the largest difference from it */
    double low[3], high[3];    /* m: the box around the surface */
    double rest_size;          /* m: the smallest extent of the rest shape */
    sn_nearest_point *nearest; /* vertices: results of the search; triangle -1: none */
} side;

struct sn_touch_near {
    sn_context *context;
    int count;
    side *side;
};

/* ---- Making ---- */

static void take_box(int count, const double *position, double low[3], double high[3]) {
    for (int k = 0; k < 3; ++k) low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], position[3 * (size_t)i + (size_t)k]);
            high[k] = fmax(high[k], position[3 * (size_t)i + (size_t)k]);
        }
}

static sn_status make_side(sn_context *context, const sn_touch_surface *surface, side *s, sn_error *error) {
    const size_t vertices = (size_t)surface->vertex_count;
    s->surface = surface;
    s->face = sn_allocate_zero(context, 3 * (size_t)surface->triangle_count, sizeof *s->face);
    s->normal = sn_allocate_zero(context, 3 * vertices, sizeof *s->normal);
    s->velocity = sn_allocate_zero(context, 3 * vertices, sizeof *s->velocity);
    s->nearest = sn_allocate_zero(context, vertices, sizeof *s->nearest);
    if (!s->face || !s->normal || !s->velocity || !s->nearest) return sn_no_memory(error);
    take_box(surface->vertex_count, surface->rest, s->low, s->high);
    s->rest_size = INFINITY;
    for (int k = 0; k < 3; ++k) s->rest_size = fmin(s->rest_size, s->high[k] - s->low[k]);
    /* The tree is sorted by the rest shape, so that it does not depend on the present positions. */
    const sn_status status =
        sn_triangle_tree_create(context, surface->rest, surface->triangle, surface->triangle_count, &s->tree, error);
    s->tree.position = surface->position;
    return status;
}

sn_status sn_touch_near_create(sn_context *context, sn_touch_surface *const *surface, int count, sn_touch_near **near,
                               sn_error *error) {
    sn_touch_near *n = *near = sn_allocate_zero(context, 1, sizeof *n);
    if (!n) return sn_no_memory(error);
    n->context = context;
    n->side = sn_allocate_zero(context, (size_t)count, sizeof *n->side);
    sn_status status = n->side ? SN_OK : sn_no_memory(error);
    for (int i = 0; i < count && !status; ++i) {
        ++n->count;
        status = make_side(context, surface[i], &n->side[i], error);
    }
    if (status) {
        sn_touch_near_destroy(n);
        *near = NULL;
    }
    return status;
}

void sn_touch_near_destroy(sn_touch_near *near) {
    if (!near) return;
    for (int i = 0; i < near->count; ++i) {
        side *s = &near->side[i];
        sn_triangle_tree_destroy(near->context, &s->tree);
        sn_winding_destroy(near->context, &s->winding);
        void *const array[] = {s->face, s->normal, s->velocity, s->nearest};
        for (size_t k = 0; k < sizeof array / sizeof *array; ++k) sn_release(near->context, array[k]);
    }
    sn_release(near->context, near->side);
    sn_release(near->context, near);
}

/* ---- Moving ---- */

static void normalise(double n[3]) {
    const double length = sn_norm3(n);
    for (int k = 0; k < 3; ++k) n[k] = length > 0 ? n[k] / length : 0;
}

/* The angle whose cosine is c, within 7e-5 (Abramowitz and Stegun 4.4.45). It uses no function of the C library that
 * rounds differently on other machines. */
static double angle_of(double c) {
    const double x = fabs(c) < 1 ? fabs(c) : 1,
                 angle = sqrt(1 - x) * (1.5707288 + x * (-0.2121144 + x * (0.0742610 - 0.0187293 * x)));
    return c < 0 ? 3.14159265358979324 - angle : angle;
}

/* The angle of a triangle at corner k. */
static double angle_at(const double *corner[3], int k) {
    double u[3], v[3];
    sn_subtract3(corner[(k + 1) % 3], corner[k], u);
    sn_subtract3(corner[(k + 2) % 3], corner[k], v);
    const double lengths = sn_norm3(u) * sn_norm3(v);
    return lengths > 0 ? angle_of(sn_dot3(u, v) / lengths) : 0;
}

static void take_normals(side *s) {
    const sn_touch_surface *surface = s->surface;
    memset(s->normal, 0, 3 * (size_t)surface->vertex_count * sizeof *s->normal);
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int32_t *vertex = surface->triangle + 3 * (size_t)t;
        const double *corner[3];
        double *face = s->face + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) corner[k] = surface->position + 3 * (size_t)vertex[k];
        sn_area_vector3(corner[0], corner[1], corner[2], face);
        normalise(face);
        for (int k = 0; k < 3; ++k) {
            const double angle = angle_at(corner, k);
            for (int a = 0; a < 3; ++a) s->normal[3 * (size_t)vertex[k] + (size_t)a] += angle * face[a];
        }
    }
    for (int v = 0; v < surface->vertex_count; ++v) normalise(s->normal + 3 * (size_t)v);
}

static void take_velocities(side *s, const double *v) {
    const sn_touch_surface *surface = s->surface;
    const size_t count = (size_t)surface->vertex_count;
    if (v) sn_touch_surface_carry(surface, v, s->velocity);
    if (!v) memset(s->velocity, 0, 3 * count * sizeof *s->velocity);
    for (int k = 0; k < 3; ++k) s->mean[k] = 0;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) s->mean[k] += s->velocity[3 * i + k] / (double)count;
    s->most = 0;
    for (size_t i = 0; i < count; ++i) {
        double u[3];
        sn_subtract3(s->velocity + 3 * i, s->mean, u);
        s->most = fmax(s->most, sn_norm3(u));
    }
}

typedef struct updating {
    sn_touch_near *near;
    const double *v;
} updating;

static void update_side(void *data, int index) {
    const updating *work = data;
    side *s = &work->near->side[index];
    take_normals(s);
    take_velocities(s, work->v);
    take_box(s->surface->vertex_count, s->surface->position, s->low, s->high);
    sn_triangle_tree_refit(&s->tree);
}

void sn_touch_near_update(sn_touch_near *near, const double *v) {
    enum { FEW = 1024 }; /* vertices */
    updating work = {near, v};
    int vertices = 0;
    for (int i = 0; i < near->count; ++i) vertices += near->side[i].surface->vertex_count;
    if (vertices < FEW)
        sn_parallel_runs(NULL, near->count, update_side, &work);
    else
        sn_parallel(near->context, near->count, update_side, &work);
}

/* ---- Searching ---- */

typedef struct search {
    side *a, *b;
    double thickness, ahead, depth; /* depth: the farthest that a vertex may be inside */
    int vertex;                     /* of A: the one that looks, for `faces` */
} search;

static bool faces(const void *user, int32_t triangle) {
    const search *s = user;
    const double *normal = s->a->normal + 3 * (size_t)s->vertex;
    if (!(sn_dot3(s->b->face + 3 * (size_t)triangle, normal) < FACES)) return false;
    if (s->a != s->b) return true;
    const int32_t *corner = s->b->surface->triangle + 3 * (size_t)triangle;
    return corner[0] != s->vertex && corner[1] != s->vertex && corner[2] != s->vertex;
}

/* How far outside of B a vertex of A counts. */
static double reach_of(const search *s, int vertex) {
    double u[3];
    sn_subtract3(s->a->velocity + 3 * (size_t)vertex, s->b->mean, u);
    return s->thickness + s->ahead * (sn_norm3(u) + s->b->most);
}

static bool in_box(const side *b, const double x[3], double reach) {
    for (int k = 0; k < 3; ++k)
        if (x[k] < b->low[k] - reach || x[k] > b->high[k] + reach) return false;
    return true;
}

/* The pseudonormal at the nearest point. */
static void pseudonormal(const side *b, const sn_nearest_point *at, double n[3]) {
    const size_t t = (size_t)at->triangle;
    const double *face = b->face + 3 * t;
    memcpy(n, face, 3 * sizeof *n);
    if (at->part == SN_PART_EDGE) {
        const int32_t other = b->surface->neighbour[3 * t + (size_t)at->k];
        for (int k = 0; k < 3 && other >= 0; ++k) n[k] += b->face[3 * (size_t)other + (size_t)k];
        normalise(n);
    } else if (at->part == SN_PART_CORNER) {
        memcpy(n, b->normal + 3 * (size_t)b->surface->triangle[3 * t + (size_t)at->k], 3 * sizeof *n);
    }
}

/* Normal and gap of a vertex at x. */
static double gap_at(const side *b, const sn_nearest_point *at, const double x[3], double n[3]) {
    double d[3];
    pseudonormal(b, at, n);
    sn_subtract3(x, at->point, d);
    const double along = sn_dot3(d, n), distance = sn_norm3(d);
    if (at->part == SN_PART_FACE || distance < 1e-9 * b->rest_size) return along;
    for (int k = 0; k < 3; ++k) n[k] = (along < 0 ? -d[k] : d[k]) / distance;
    return along < 0 ? -distance : distance;
}

/* Whether a vertex of A that is behind the nearest triangle that faces it, by `depth`, is outside of B all the same:
 * seen from a place above the roof of a house, the nearest wall that faces it may be a wall behind it. The nearest of
 * all triangles tells. A vertex that is flush with a wall of B would be on both sides of it; so a place in A, half the
 * depth behind the vertex, stands for it. */
static bool outside(const search *s, int vertex, double depth) {
    const double *x = s->a->surface->position + 3 * (size_t)vertex, *normal = s->a->normal + 3 * (size_t)vertex;
    double place[3], n[3];
    sn_nearest_point nearest;
    for (int k = 0; k < 3; ++k) place[k] = x[k] - 0.5 * depth * normal[k];
    return sn_triangle_tree_search(&s->b->tree, place, 2 * depth, NULL, NULL, &nearest) &&
           gap_at(s->b, &nearest, place, n) > 0;
}

/* Whether a vertex that is behind a triangle of its own surface has only its own matter there, which lies behind both
 * sides of each wall. Matter just above the vertex is that of another part of the body. */
static bool alone(const search *s, int vertex) {
    const double *x = s->a->surface->position + 3 * (size_t)vertex, *normal = s->a->normal + 3 * (size_t)vertex;
    double place[3];
    for (int k = 0; k < 3; ++k) place[k] = x[k] + 1e-6 * s->a->rest_size * normal[k];
    return sn_winding_number(&s->a->winding, place) < 0.5;
}

static void search_piece(void *data, int piece) {
    search s = *(const search *)data;
    const int count = s.a->surface->vertex_count, begin = piece * GRAIN,
              end = begin + GRAIN < count ? begin + GRAIN : count;
    for (s.vertex = begin; s.vertex < end; ++s.vertex) {
        const double *x = s.a->surface->position + 3 * (size_t)s.vertex, reach = reach_of(&s, s.vertex);
        sn_nearest_point *nearest = &s.a->nearest[s.vertex];
        nearest->triangle = -1;
        if (!in_box(s.b, x, reach)) continue;
        double n[3];
        if (!sn_triangle_tree_search(&s.b->tree, x, fmax(reach, s.depth), faces, &s, nearest)) continue;
        const double gap = gap_at(s.b, nearest, x, n);
        const bool wrong = gap < 0 && (s.a == s.b ? alone(&s, s.vertex) : outside(&s, s.vertex, -gap));
        if (gap > reach || gap < -s.depth || wrong) nearest->triangle = -1;
    }
}

/* ---- Rows ---- */

/* The weights of the corners at a point of a triangle. */
static void shares_at(const sn_touch_surface *surface, const sn_nearest_point *at, double share[3]) {
    const int32_t *vertex = surface->triangle + 3 * (size_t)at->triangle;
    const double *corner[3];
    double whole[3], part[3];
    for (int k = 0; k < 3; ++k) corner[k] = surface->position + 3 * (size_t)vertex[k], share[k] = 0;
    if (at->part == SN_PART_CORNER) {
        share[at->k] = 1;
    } else if (at->part == SN_PART_EDGE) {
        double u[3], v[3];
        sn_subtract3(corner[(at->k + 1) % 3], corner[at->k], u);
        sn_subtract3(at->point, corner[at->k], v);
        share[(at->k + 1) % 3] = sn_dot3(u, v) / sn_dot3(u, u);
        share[at->k] = 1 - share[(at->k + 1) % 3];
    } else {
        sn_area_vector3(corner[0], corner[1], corner[2], whole);
        for (int k = 1; k < 3; ++k) {
            sn_area_vector3(at->point, corner[(k + 1) % 3], corner[(k + 2) % 3], part);
            share[k] = sn_dot3(part, whole) / sn_dot3(whole, whole);
        }
        share[0] = 1 - share[1] - share[2];
    }
}

/* Appends the rows of the vertices in the order of the triangles that own them. */
static sn_status append(const search *s, int a, int b, sn_touch_rows *rows, sn_error *error) {
    const sn_touch_surface *A = s->a->surface, *B = s->b->surface;
    sn_status status = SN_OK;
    for (int t = 0; t < A->triangle_count; ++t)
        for (int k = 0; k < 3 && !status; ++k) {
            const int32_t vertex = A->triangle[3 * (size_t)t + (size_t)k];
            const sn_nearest_point *nearest = &s->a->nearest[vertex];
            if (!(A->owns[t] & 1 << k) || nearest->triangle < 0) continue;
            const double *x = A->position + 3 * (size_t)vertex;
            sn_touch_row row = {.a = a,
                                .b = b,
                                .kind = SN_TOUCH_VERTEX_FACE,
                                .feature = {vertex, nearest->triangle},
                                .area = 0.5 * A->area[vertex],
                                .point = {x[0], x[1], x[2]}};
            row.gap = gap_at(s->b, nearest, x, row.n);
            sn_touch_point of_a = {.triangle = t}, of_b = {.triangle = nearest->triangle};
            of_a.share[k] = 1;
            shares_at(B, nearest, of_b.share);
            status = sn_touch_rows_append(rows, A, &of_a, B, &of_b, &row, error);
        }
    return status;
}

/* The winding numbers of a surface that meets itself. */
static sn_status wind(const sn_touch_near *near, side *s, sn_error *error) {
    if (!s->winding.part) return sn_winding_create(near->context, &s->tree, &s->winding, error);
    sn_winding_refit(&s->winding);
    return SN_OK;
}

/* Vertices of a against triangles of b. */
static sn_status meet(sn_touch_near *near, int a, int b, double thickness, double ahead, sn_touch_rows *rows,
                      sn_error *error) {
    side *A = &near->side[a], *B = &near->side[b];
    search s = {
        .a = A, .b = B, .thickness = thickness, .ahead = ahead, .depth = 0.5 * fmin(A->rest_size, B->rest_size)};
    if (a == b) s.depth *= 0.5;
    const sn_status status = a == b ? wind(near, A, error) : SN_OK;
    if (status) return status;
    sn_parallel_pieces(near->context, sn_pieces(A->surface->vertex_count, GRAIN), search_piece, &s);
    return append(&s, a, b, rows, error);
}

static bool boxes_meet(const side *a, const side *b, double reach) {
    for (int k = 0; k < 3; ++k)
        if (a->low[k] - reach > b->high[k] || b->low[k] - reach > a->high[k]) return false;
    return true;
}

sn_status sn_touch_near_rows(sn_touch_near *near, int a, int b, double thickness, double ahead, sn_touch_rows *rows,
                             sn_error *error) {
    const side *A = &near->side[a], *B = &near->side[b];
    double u[3];
    sn_subtract3(A->mean, B->mean, u);
    if (!boxes_meet(A, B, thickness + ahead * (sn_norm3(u) + A->most + B->most))) return SN_OK;
    const sn_status status = meet(near, a, b, thickness, ahead, rows, error);
    return status || a == b ? status : meet(near, b, a, thickness, ahead, rows, error);
}
