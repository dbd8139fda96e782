/* See untangle.h.
 *
 * The line of intersection near a crossing: the edge with the direction E goes through a triangle with the normal N at
 * the point P. In each triangle beside the edge the line runs on from P with the unit direction R_i. When the edge
 * moves by u, P moves by u - E (N . u) / (N . E), and the line becomes shorter by sum_i R_i . dP. So it becomes shorter
 * along
 *
 *   G = R - N (E . R) / (E . N),   R = sum_i R_i
 *
 * A line that runs straight from rim to rim only becomes shorter when the sheet is squeezed. So the sheets are also cut
 * along the lines: of the two parts that a crossing edge joins, the smaller one is on the wrong side of the triangle
 * (after D. Baraff, A. Witkin, M. Kass, Untangling cloth, 2003), and N towards the side of the larger part is added. */
#include "untangle.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "box_tree_query.h"
#include "ccd.h"

enum { ROUNDS = 600, PATIENCE = 80, SWEEPS = 30, RINGS = 2, STOPS = 12, APART = 300, GRAIN = 512 };
static const double STEP = 0.1;     /* of the mean edge: the largest motion of a round */
static const double SPREAD = 4;     /* weight of a neighbour against the motion that a vertex wants */
static const double CLEAR = 0.1;    /* of the mean edge: how far cloth that is parted from a solid stays away from it */
static const double STEEPEST = 0.2; /* E . N counts at least so much */

typedef struct untangling {
    sn_barrier *barrier;
    sn_near_features *near;
    int vertices;
    bool *movable;    /* per vertex */
    uint8_t *zone;    /* per vertex: near a crossing, where features may pass each other */
    double *position; /* vertices x 3, as all below */
    double *want, *way, *next;
    double *share; /* per vertex: how much of its way it may go; how many motions it wants; how many neighbours */
    sn_near_crossings crossings;
    sn_box_tree **tree; /* per surface; NULL: cloth, or not met yet */
    int32_t *parent,
        *size;      /* per vertex: the parts of the sheets as a forest, and at a root the vertices of its part */
    uint8_t *cut;   /* per edge: it crosses something */
    int32_t *first; /* per surface + 1: its first triangle */
    int surfaces;
} untangling;

static bool is_cloth(const untangling *u, int32_t triangle) { return u->near->thickness[u->near->body[triangle]] > 0; }

/* ---- Life ---- */
static void end(untangling *u) {
    sn_context *context = u->near->context;
    void *const array[] = {u->movable, u->zone,   u->position, u->want,
                           u->way,     u->next,   u->share,    u->crossings.crossing,
                           u->first,   u->parent, u->size,     u->cut};
    for (int i = 0; i < u->surfaces && u->tree; ++i) sn_box_tree_destroy(u->tree[i]);
    sn_release(context, u->tree);
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
}

/* A vertex of cloth is a node. */
static void find_movable(untangling *u, const sn_filter *filter) {
    const sn_touch_surface *s = u->near->surface;
    for (int v = 0; v < u->vertices; ++v) {
        const int32_t c = s->carrier_first[v];
        u->movable[v] = is_cloth(u, u->near->vertex_place[v] / 3) && s->carrier_first[v + 1] == c + 1 &&
                        !sn_filter_holds(filter, s->carrier_node[c]);
    }
}

static sn_status begin(sn_barrier *barrier, const sn_filter *filter, const double *x, untangling *u, sn_error *error) {
    sn_near_features *near = &barrier->near;
    const sn_touch_surface *s = near->surface;
    const size_t n = (size_t)s->vertex_count;
    *u = (untangling){.barrier = barrier, .near = near, .vertices = s->vertex_count};
    for (int t = 0; t < s->triangle_count; ++t)
        if (near->body[t] >= u->surfaces) u->surfaces = near->body[t] + 1;
    const sn_array array[] = {SN_ARRAY(u->movable, n),
                              SN_ARRAY(u->zone, n),
                              SN_ARRAY(u->position, 3 * n),
                              SN_ARRAY(u->want, 3 * n),
                              SN_ARRAY(u->way, 3 * n),
                              SN_ARRAY(u->next, 3 * n),
                              SN_ARRAY(u->share, n),
                              SN_ARRAY(u->parent, n),
                              SN_ARRAY(u->size, n),
                              SN_ARRAY(u->cut, (size_t)s->edge_count),
                              SN_ARRAY(u->first, (size_t)u->surfaces + 1),
                              SN_ARRAY(u->tree, (size_t)u->surfaces)};
    const sn_status status = sn_allocate_arrays(near->context, array, sizeof array / sizeof *array, error);
    if (status) return status;
    for (int t = 0; t < s->triangle_count; ++t) ++u->first[near->body[t] + 1];
    for (int i = 0; i < u->surfaces; ++i) u->first[i + 1] += u->first[i]; /* triangles follow their surfaces */
    find_movable(u, filter);
    sn_touch_surface_carry(s, x, u->position);
    return SN_OK;
}

/* ---- Crossings ---- */
static void add_to(untangling *u, int32_t vertex, double weight, const double d[3]) {
    for (size_t a = 0; a < 3 && u->movable[vertex]; ++a) u->want[3 * (size_t)vertex + a] += weight * d[a];
}

static void unit_normal(const untangling *u, int32_t triangle, double n[3]) {
    const int32_t *c = u->near->surface->triangle + 3 * (size_t)triangle;
    sn_area_vector3(u->position + 3 * (size_t)c[0], u->position + 3 * (size_t)c[1], u->position + 3 * (size_t)c[2], n);
    const double size = sn_norm3(n);
    for (int a = 0; a < 3; ++a) n[a] = size > 0 ? n[a] / size : 0;
}

/* The triangles of an edge; -1: none. */
static void triangles_of(const sn_near_features *near, int32_t edge, int32_t out[2]) {
    out[0] = near->edge_place[edge] / 3;
    out[1] = near->surface->neighbour[near->edge_place[edge]];
}

/* The direction in which the line of intersection runs from the edge p + E into triangle A, which lies across N. */
static void add_line(const untangling *u, int32_t A, const int32_t ends[2], const double E[3], const double N[3],
                     double R[3]) {
    const int32_t *c = u->near->surface->triangle + 3 * (size_t)A;
    const int32_t far = c[0] != ends[0] && c[0] != ends[1] ? c[0] : c[1] != ends[0] && c[1] != ends[1] ? c[1] : c[2];
    double n[3], along[3], inward[3];
    unit_normal(u, A, n);
    sn_cross3(n, N, along);
    const double size = sn_norm3(along);
    if (!(size > 1e-6)) return;
    sn_subtract3(u->position + 3 * (size_t)far, u->position + 3 * (size_t)ends[0], inward);
    const double part = sn_dot3(inward, E);
    for (int a = 0; a < 3; ++a) inward[a] -= part * E[a];
    const double sign = sn_dot3(along, inward) < 0 ? -1 : 1;
    for (int a = 0; a < 3; ++a) R[a] += sign * along[a] / size;
}

/* ---- Parts ---- */
static int32_t root_of(const untangling *u, int32_t vertex) {
    while (u->parent[vertex] != vertex) vertex = u->parent[vertex] = u->parent[u->parent[vertex]];
    return vertex;
}

/* The parts of all surfaces that remain when the edges that cross something are cut. */
static void find_parts(untangling *u) {
    const sn_touch_surface *s = u->near->surface;
    memset(u->cut, 0, (size_t)s->edge_count);
    for (int i = 0; i < u->crossings.count; ++i) u->cut[u->crossings.crossing[i][0]] = 1;
    for (int32_t v = 0; v < u->vertices; ++v) u->parent[v] = v, u->size[v] = 1;
    for (size_t e = 0; e < (size_t)s->edge_count; ++e) {
        const int32_t a = root_of(u, s->edge[2 * e]), b = root_of(u, s->edge[2 * e + 1]);
        if (u->cut[e] || a == b) continue;
        u->parent[b] = a, u->size[a] += u->size[b];
    }
}

/* Which end of an edge is in the smaller part: 0 or 1; -1: none. */
static int wrong_end(const untangling *u, const int32_t ends[2]) {
    const int32_t a = root_of(u, ends[0]), b = root_of(u, ends[1]);
    return a == b || u->size[a] == u->size[b] ? -1 : u->size[b] < u->size[a];
}

/* The motion of the edge against the triangle that parts them. */
static void direction_of(const untangling *u, int32_t edge, int32_t triangle, const double E[3], const double N[3],
                         double G[3]) {
    const sn_near_features *near = u->near;
    int32_t beside[2];
    double R[3] = {0, 0, 0};
    triangles_of(near, edge, beside);
    if (!is_cloth(u, triangle)) { /* out of a solid */
        memcpy(G, N, 3 * sizeof *G);
        return;
    }
    if (!is_cloth(u, beside[0])) { /* the cloth goes out, which is -G here */
        for (int i = 0; i < 2 && beside[i] >= 0; ++i) {
            unit_normal(u, beside[i], G);
            for (int a = 0; a < 3; ++a) R[a] -= G[a];
        }
        memcpy(G, R, 3 * sizeof *G);
        return;
    }
    for (int i = 0; i < 2; ++i)
        if (beside[i] >= 0) add_line(u, beside[i], near->surface->edge + 2 * (size_t)edge, E, N, R);
    const double steep = sn_dot3(E, N), bounded = copysign(fmax(fabs(steep), STEEPEST), steep),
                 part = sn_dot3(E, R) / bounded;
    const int wrong = wrong_end(u, near->surface->edge + 2 * (size_t)edge);
    const double back = wrong < 0 ? 0 : (wrong == 0) == (steep > 0) ? 1 : -1; /* along N from the wrong end */
    for (int a = 0; a < 3; ++a) G[a] = R[a] + (back - part) * N[a];
}

static void want_crossing(untangling *u, int32_t edge, int32_t triangle) {
    const sn_touch_surface *s = u->near->surface;
    const int32_t *ends = s->edge + 2 * (size_t)edge, *corner = s->triangle + 3 * (size_t)triangle;
    const double *p = u->position + 3 * (size_t)ends[0], *q = u->position + 3 * (size_t)ends[1],
                 *o = u->position + 3 * (size_t)corner[0];
    double E[3], N[3], G[3], from[3], to[3];
    unit_normal(u, triangle, N);
    sn_subtract3(q, p, E);
    sn_subtract3(p, o, from), sn_subtract3(q, o, to);
    const double length = sn_norm3(E), above = sn_dot3(from, N), below = sn_dot3(to, N),
                 apart = fabs(above) + fabs(below), part = apart > 0 ? fabs(above) / apart : 0.5;
    if (!(length > 0)) return;
    for (int a = 0; a < 3; ++a) E[a] /= length;
    direction_of(u, edge, triangle, E, N, G);
    add_to(u, ends[0], 1 - part, G);
    add_to(u, ends[1], part, G);
    for (int k = 0; k < 3; ++k) add_to(u, corner[k], -1.0 / 3, G); /* it moves as a whole */
    for (int k = 0; k < 2; ++k) u->zone[ends[k]] = 1;
    for (int k = 0; k < 3; ++k) u->zone[corner[k]] = 1;
}

/* ---- Inside solids ---- */
/* The direction in which a vertex leaves a solid: to the nearest point from inside, away from it just outside. Returns
 * its weight; 0: the vertex is clear of the solid. */
static double way_out(const untangling *u, const sn_box_surface *solid, const double *x, double out[3]) {
    sn_box_hit hit;
    const bool inside = sn_box_tree_holds(solid, x);
    if (!sn_box_tree_nearest(solid, x, inside ? INFINITY : CLEAR * u->near->edge_length, &hit)) return 0;
    double place[3] = {0, 0, 0};
    const int32_t *corner = solid->triangle + 3 * (size_t)hit.triangle;
    for (int k = 0; k < 3; ++k)
        for (size_t a = 0; a < 3; ++a) place[a] += hit.share[k] * u->position[3 * (size_t)corner[k] + a];
    sn_subtract3(inside ? place : x, inside ? x : place, out);
    double size = sn_norm3(out);
    if (!(size > 1e-6 * u->near->edge_length)) { /* on the surface */
        sn_area_vector3(u->position + 3 * (size_t)corner[0], u->position + 3 * (size_t)corner[1],
                        u->position + 3 * (size_t)corner[2], out);
        size = sn_norm3(out);
    }
    for (int a = 0; a < 3; ++a) out[a] = size > 0 ? out[a] / size : 0;
    return inside ? 2 : 1;
}

/* Vertices of cloth `surface` that are inside `solid`, or almost, want to leave it. */
static sn_status want_out(untangling *u, int surface, int solid, sn_error *error) {
    sn_near_features *near = u->near;
    const int32_t *triangle = near->surface->triangle + 3 * (size_t)u->first[solid];
    sn_box_tree **tree = &u->tree[solid];
    if (!*tree) {
        const sn_status status = sn_box_tree_create(near->context, u->position, u->vertices, triangle,
                                                    u->first[solid + 1] - u->first[solid], tree, error);
        if (status) return status;
        sn_box_tree_refit(*tree, u->position, NULL, 0);
    }
    const sn_box_surface box = {*tree, u->position, triangle};
    for (int v = 0; v < u->vertices; ++v) {
        double out[3];
        if (!u->movable[v] || near->body[near->vertex_place[v] / 3] != surface) continue;
        const double weight = way_out(u, &box, u->position + 3 * (size_t)v, out);
        if (weight == 0) continue;
        add_to(u, v, weight, out);
        u->zone[v] = 1;
    }
    return SN_OK;
}

/* For each pair of a cloth and a solid that cross. */
static sn_status want_all_out(untangling *u, sn_error *error) {
    enum { ROOM = 64 };
    int32_t pair[ROOM][2];
    int count = 0;
    sn_status status = SN_OK;
    for (int i = 0; i < u->crossings.count; ++i) {
        int32_t beside[2];
        const int32_t triangle = u->crossings.crossing[i][1];
        triangles_of(u->near, u->crossings.crossing[i][0], beside);
        if (is_cloth(u, beside[0]) != is_cloth(u, triangle))
            sn_near_add_surfaces(u->near->body[beside[0]], u->near->body[triangle], pair, ROOM, &count);
    }
    for (int i = 0; i < count && !status; ++i) {
        const bool first = u->near->thickness[pair[i][0]] > 0;
        status = want_out(u, pair[i][!first], pair[i][first], error);
    }
    return status;
}

/* ---- Moving ---- */
/* way: the solution of (1 + SPREAD times the number of neighbours) way = want + SPREAD times the sum of theirs, nearly.
 * Its largest length becomes that of a step. */
static void spread(untangling *u) {
    const sn_touch_surface *s = u->near->surface;
    const size_t n = 3 * (size_t)u->vertices;
    memset(u->share, 0, (size_t)u->vertices * sizeof *u->share);
    for (int e = 0; e < 2 * s->edge_count; ++e) ++u->share[s->edge[e]];
    memcpy(u->way, u->want, n * sizeof *u->way);
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        memcpy(u->next, u->want, n * sizeof *u->next);
        for (int e = 0; e < s->edge_count; ++e)
            for (int side = 0; side < 2; ++side)
                for (size_t a = 0; a < 3; ++a)
                    u->next[3 * (size_t)s->edge[2 * e + side] + a] +=
                        SPREAD * u->way[3 * (size_t)s->edge[2 * e + !side] + a];
        for (size_t i = 0; i < n; ++i) u->way[i] = u->movable[i / 3] ? u->next[i] / (1 + SPREAD * u->share[i / 3]) : 0;
    }
    double most = 0;
    for (size_t i = 0; i < n; i += 3) most = fmax(most, sn_norm3(u->way + i));
    const double scale = most > 0 ? STEP * u->near->edge_length / most : 0;
    for (size_t i = 0; i < n; ++i) u->way[i] *= scale;
}

/* The zone grows by rings of neighbours. */
static void widen(untangling *u) {
    const sn_touch_surface *s = u->near->surface;
    for (uint8_t ring = 1; ring <= RINGS; ++ring)
        for (int e = 0; e < s->edge_count; ++e)
            for (int side = 0; side < 2; ++side) {
                const int32_t a = s->edge[2 * e + side], b = s->edge[2 * e + !side];
                if (u->zone[a] == ring && !u->zone[b]) u->zone[b] = (uint8_t)(ring + 1);
            }
}

/* How far a pair can go along `way`. Pairs that are too near already keep half of their distance. */
static double pair_part(const untangling *u, const sn_near_pair *pair) {
    int32_t corner[4];
    const double *x[4], *d[4];
    sn_closest c;
    sn_near_corners(u->near, pair, corner);
    if (u->zone[corner[0]] && u->zone[corner[1]] && u->zone[corner[2]] && u->zone[corner[3]]) return 1;
    sn_near_places(corner, u->position, x);
    sn_near_places(corner, u->way, d);
    sn_near_closest(pair, x, &c);
    const double distance = sqrt(c.square), gap = fmin(pair->gap, 0.5 * distance);
    return (pair->edges ? sn_ccd_edge_edge : sn_ccd_vertex_face)(x, d, gap, 0.1 * distance, 1);
}

static void part_piece(void *data, int piece) {
    const untangling *u = data;
    const int end = (int)sn_piece_begin(u->near->count, GRAIN, piece + 1);
    for (int i = (int)sn_piece_begin(u->near->count, GRAIN, piece); i < end; ++i)
        u->barrier->square[i] = pair_part(u, &u->near->pair[i]);
}

/* Shortens the ways of vertices that would meet, then goes. The scratch of the barrier has the part of each pair. */
static sn_status go(untangling *u, sn_error *error) {
    const size_t n = 3 * (size_t)u->vertices;
    sn_barrier *barrier = u->barrier;
    for (size_t i = 0; i < n; ++i) u->next[i] = u->position[i] + u->way[i];
    sn_status status =
        sn_near_features_cover(u->near, u->position, u->next, u->near->gap_most, 0.02 * u->near->edge_length, error);
    if (!status)
        status = sn_grow(u->near->context, (void **)&barrier->square, &barrier->square_capacity, u->near->count,
                         sizeof *barrier->square, error);
    if (status) return status;
    for (int stop = 0, met = 1; met; ++stop) {
        double least = 1;
        met = 0;
        for (int v = 0; v < u->vertices; ++v) u->share[v] = 1;
        sn_parallel_pieces(u->near->context, sn_pieces(u->near->count, GRAIN), part_piece, u);
        for (int i = 0; i < u->near->count; ++i) {
            int32_t corner[4];
            const double part = barrier->square[i];
            if (part >= 1) continue;
            met = 1, least = fmin(least, part);
            sn_near_corners(u->near, &u->near->pair[i], corner);
            for (int k = 0; k < 4; ++k) u->share[corner[k]] = fmin(u->share[corner[k]], 0.9 * part);
        }
        for (size_t i = 0; i < n; ++i) u->way[i] *= stop < STOPS ? u->share[i / 3] : least;
        if (stop >= STOPS) break;
    }
    for (size_t i = 0; i < n; ++i) u->position[i] += u->way[i];
    return SN_OK;
}

/* ---- The two parts ---- */
static sn_status part_surfaces(untangling *u, sn_error *error) {
    int best = 0;
    sn_status status = SN_OK;
    for (int round = 0, since = 0; round < ROUNDS && since < PATIENCE && !status; ++round, ++since) {
        status = sn_near_features_crossings(u->near, u->position, &u->crossings, error);
        if (status || u->crossings.count == 0) return status;
        if (round == 0 || u->crossings.count < best) best = u->crossings.count, since = 0;
        memset(u->want, 0, 3 * (size_t)u->vertices * sizeof *u->want);
        memset(u->zone, 0, (size_t)u->vertices);
        find_parts(u);
        for (int i = 0; i < u->crossings.count; ++i)
            want_crossing(u, u->crossings.crossing[i][0], u->crossings.crossing[i][1]);
        status = want_all_out(u, error);
        widen(u);
        spread(u);
        if (!status) status = go(u, error);
    }
    return status;
}

/* Adds what a pair wants that is nearer than it may be, plus a part of the reach. Returns whether it is. */
static bool want_apart(untangling *u, const sn_near_pair *pair) {
    int32_t corner[4];
    const double *x[4];
    double weight = 0;
    sn_closest c;
    sn_near_corners(u->near, pair, corner);
    sn_near_places(corner, u->position, x);
    sn_near_closest(pair, x, &c);
    const double distance = sqrt(c.square), wanted = pair->gap + 0.3 * u->barrier->reach;
    if (!(distance < wanted) || !(distance > 0)) return false;
    for (int i = 0; i < 4; ++i) weight += u->movable[corner[i]] ? c.weight[i] * c.weight[i] : 0;
    for (int i = 0; i < 4 && weight > 0; ++i) {
        if (c.weight[i] == 0) continue;
        add_to(u, corner[i], (wanted - distance) / distance * c.weight[i] / weight, c.r);
        ++u->share[corner[i]];
    }
    return distance < pair->gap + 0.1 * u->barrier->reach;
}

static sn_status part_features(untangling *u, sn_error *error) {
    const size_t n = 3 * (size_t)u->vertices;
    sn_status status = SN_OK;
    memset(u->zone, 0, (size_t)u->vertices);
    for (int round = 0, near = 1; round < APART && near && !status; ++round) {
        near = 0;
        memset(u->want, 0, n * sizeof *u->want);
        memset(u->share, 0, (size_t)u->vertices * sizeof *u->share);
        status = sn_barrier_cover(u->barrier, u->position, NULL, error);
        for (int i = 0; i < u->near->count && !status; ++i) near |= want_apart(u, &u->near->pair[i]);
        for (size_t i = 0; i < n; ++i) u->way[i] = u->share[i / 3] > 0 ? u->want[i] / u->share[i / 3] : 0;
        if (!status && near) status = go(u, error);
    }
    return status;
}

sn_status sn_untangle(sn_barrier *barrier, const sn_filter *filter, double *x, double *moved, sn_error *error) {
    untangling u;
    const sn_touch_surface *s = barrier->near.surface;
    *moved = 0;
    sn_status status = begin(barrier, filter, x, &u, error);
    if (!status) status = part_surfaces(&u, error);
    if (!status) status = part_features(&u, error);
    for (int v = 0; v < u.vertices && !status; ++v) {
        if (!u.movable[v]) continue;
        double *at = x + 3 * (size_t)s->carrier_node[s->carrier_first[v]], way[3];
        sn_subtract3(u.position + 3 * (size_t)v, at, way);
        *moved = fmax(*moved, sn_norm3(way));
        memcpy(at, u.position + 3 * (size_t)v, 3 * sizeof *at);
    }
    end(&u);
    return status;
}
