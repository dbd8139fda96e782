/* See tool_proxy.h. */
#include "tool_proxy.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "contact/closest.h"

static const double BORDER = 1e-9;      /* a share so little below 0 is still inside */
static const double NEARER = 1 - 1e-12; /* a distance counts as smaller below this part of the other */
enum { FAN = 64 };                      /* triangles around a vertex that are looked at */

void sn_tool_weigh_corner(const double *const x[3], int k, double out[3]) {
    double u[3], v[3], n[3];
    sn_subtract3(x[(k + 1) % 3], x[k], u);
    sn_subtract3(x[(k + 2) % 3], x[k], v);
    sn_cross3(u, v, n);
    const double size = sn_dot3(u, u) * sn_dot3(v, v);
    for (int a = 0; a < 3; ++a) out[a] = size > 0 ? n[a] / size : 0;
}

static bool unit(double v[3]) {
    const double length = sn_norm3(v);
    if (!(length > 0)) return false;
    for (int a = 0; a < 3; ++a) v[a] /= length;
    return true;
}

static void facet_normal(const sn_tool_face *f, double side, double n[3]) {
    sn_area_vector3(f->x[0], f->x[1], f->x[2], n);
    unit(n);
    for (int a = 0; a < 3; ++a) n[a] *= side;
}

static void mix(const double value[3][3], const double share[3], double out[3]) {
    for (int a = 0; a < 3; ++a) out[a] = share[0] * value[0][a] + share[1] * value[1][a] + share[2] * value[2][a];
}

/* ---- The foot of the interpolated normal ---- */

/* Solves for (b, s) by Newton's method. Returns false when it finds no solution on this side of the focal points. */
static bool foot(const sn_tool_face *f, double side, const double q[3], double share[3], double *s) {
    enum { ITERATIONS = 12 };
    double flat[3], from[3], e[2][3], turn[2][3], first = 0;
    facet_normal(f, side, flat);
    sn_subtract3(f->x[0], q, from);
    for (int k = 0; k < 2; ++k) {
        sn_subtract3(f->x[k + 1], f->x[0], e[k]);
        for (int a = 0; a < 3; ++a) turn[k][a] = side * (f->n[k + 1][a] - f->n[0][a]);
    }
    const double size = sn_dot3(e[0], e[0]) + sn_dot3(e[1], e[1]);
    double u = 1.0 / 3, v = 1.0 / 3;
    *s = sn_dot3(from, flat);
    for (int i = 0; i < ITERATIONS; ++i) {
        double J[9], inverse[9], F[3], d[3], n[3];
        for (int a = 0; a < 3; ++a) {
            n[a] = side * f->n[0][a] + u * turn[0][a] + v * turn[1][a];
            F[a] = from[a] + u * e[0][a] + v * e[1][a] - *s * n[a];
            J[3 * a] = e[0][a] - *s * turn[0][a];
            J[3 * a + 1] = e[1][a] - *s * turn[1][a];
            J[3 * a + 2] = -n[a];
        }
        const double volume = sn_inverse3(J, inverse);
        if (i == 0) first = volume;
        if (!(volume * first > 0)) return false;
        sn_multiply_vector3(inverse, F, d);
        u -= d[0], v -= d[1], *s -= d[2];
        if (!(fabs(u) + fabs(v) < 1e3)) return false;
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] / size < 1e-26) {
            share[0] = 1 - u - v, share[1] = u, share[2] = v;
            return true;
        }
    }
    return false;
}

static void take_foot(const sn_tool_face *f, const sn_tool_faces *faces, int32_t triangle, double share[3], double s,
                      sn_tool_spot *spot) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) share[k] = fmax(share[k], 0), sum += share[k];
    for (int k = 0; k < 3; ++k) spot->share[k] = share[k] / sum;
    spot->triangle = triangle;
    mix(f->x, spot->share, spot->point);
    mix(f->n, spot->share, spot->normal);
    spot->distance = -s * sn_norm3(spot->normal);
    unit(spot->normal);
    for (int a = 0; a < 3; ++a) spot->normal[a] *= faces->side;
}

/* The edge by which the foot leaves the triangle: the one with the least share of those that are not sharp. -1: the
 * foot is inside; -2: it leaves by sharp edges only. */
static int way_out(const sn_tool_face *f, const double share[3]) {
    int edge = -1;
    double least = -BORDER;
    bool outside = false;
    for (int k = 0; k < 3; ++k) {
        const int behind = (k + 1) % 3; /* the edge opposite to corner k */
        if (!(share[k] < -BORDER)) continue;
        outside = true;
        if (share[k] < least && !f->sharp[behind] && f->neighbour[behind] >= 0) least = share[k], edge = behind;
    }
    return edge >= 0 ? edge : outside ? -2 : -1;
}

/* ---- The nearest point ---- */

static double nearest(const sn_tool_face *f, const double q[3], double share[3]) {
    const double *const corner[4] = {q, f->x[0], f->x[1], f->x[2]};
    sn_closest closest;
    sn_closest_vertex_face(corner, &closest);
    for (int k = 0; k < 3; ++k) share[k] = -closest.weight[k + 1];
    return closest.square;
}

/* The faces at the nearest point: what they say about side and normal, and which of them is nearer to q. */
typedef struct around {
    const sn_tool_faces *faces;
    const double *q, *point;
    double best, sign; /* of the face that looks at q most directly */
    double sum[3];     /* of the normals */
    double square;     /* of the nearest face */
    int32_t nearest;
} around;

static void look(around *own, int32_t triangle, const sn_tool_face *f) {
    double n[3], to[3], share[3];
    facet_normal(f, own->faces->side, n);
    sn_subtract3(own->q, own->point, to);
    const double along = sn_dot3(n, to), square = nearest(f, own->q, share);
    if (fabs(along) > own->best) own->best = fabs(along), own->sign = along < 0 ? -1 : 1;
    for (int a = 0; a < 3; ++a) own->sum[a] += n[a];
    if (square < own->square * NEARER) own->square = square, own->nearest = triangle;
}

/* Goes around corner k of a face, over the edge that begins there (forward) or ends there. Returns whether it came back
 * to the start. */
static bool go_around(around *own, int32_t start, const sn_tool_face *first, int k, bool forward) {
    sn_tool_face f = *first;
    int32_t here = start;
    const int32_t vertex = first->vertex[k];
    for (int i = 0; i < FAN; ++i) {
        here = f.neighbour[forward ? k : (k + 2) % 3];
        if (here < 0 || here == start) return here == start;
        own->faces->face(own->faces->data, here, false, &f);
        for (k = 0; k < 2 && f.vertex[k] != vertex; ++k) continue;
        look(own, here, &f);
    }
    return true;
}

/* Looks at the faces that share the feature of the face on which the point with these shares lies. */
static void look_around(around *own, int32_t triangle, const sn_tool_face *f, const double share[3]) {
    look(own, triangle, f);
    for (int k = 0; k < 3; ++k) {
        const bool corner = share[(k + 1) % 3] == 0 && share[(k + 2) % 3] == 0;
        if (corner && !go_around(own, triangle, f, k, true)) go_around(own, triangle, f, k, false);
        const int32_t next = f->neighbour[(k + 1) % 3];
        const bool edge = share[k] == 0 && share[(k + 1) % 3] > 0 && share[(k + 2) % 3] > 0;
        sn_tool_face other;
        if (!edge || next < 0) continue;
        own->faces->face(own->faces->data, next, false, &other);
        look(own, next, &other);
    }
}

/* Takes the nearest point of a face. Returns the neighbour that is nearer; the face itself when none is. */
static int32_t take_nearest(const sn_tool_faces *faces, int32_t triangle, const sn_tool_face *f, const double q[3],
                            sn_tool_spot *spot) {
    spot->triangle = triangle;
    const double square = nearest(f, q, spot->share), distance = sqrt(square);
    mix(f->x, spot->share, spot->point);
    around own = {.faces = faces, .q = q, .point = spot->point, .best = -1, .square = square, .nearest = triangle};
    look_around(&own, triangle, f, spot->share);
    spot->distance = own.sign * distance;
    double span[3];
    sn_subtract3(f->x[1], f->x[0], span);
    sn_subtract3(q, spot->point, spot->normal);
    for (int a = 0; a < 3; ++a) spot->normal[a] *= own.sign;
    if (!(distance > 1e-7 * sn_norm3(span))) memcpy(spot->normal, own.sum, sizeof spot->normal);
    if (!unit(spot->normal)) facet_normal(f, faces->side, spot->normal);
    return own.nearest;
}

void sn_tool_descend(const sn_tool_faces *faces, int32_t start, const double q[3], int most, sn_tool_spot *spot) {
    sn_tool_face f;
    for (int i = 0; i <= most; ++i) {
        faces->face(faces->data, start, false, &f);
        const int32_t next = take_nearest(faces, start, &f, q, spot);
        if (next == start) return;
        start = next;
    }
}

/* ---- The search ---- */

void sn_tool_track(const sn_tool_faces *faces, int32_t start, const double q[3], int most, sn_tool_spot *spot) {
    sn_tool_face f;
    int32_t here = start, before = -1;
    for (int i = 0; i < most; ++i) {
        double share[3], s;
        faces->face(faces->data, here, true, &f);
        int edge = -2;
        if (foot(&f, faces->side, q, share, &s)) edge = way_out(&f, share);
        if (edge == -1 || (edge >= 0 && f.neighbour[edge] == before)) {
            take_foot(&f, faces, here, share, s, spot); /* two faces that both refuse it: it is on their border */
            return;
        }
        const int32_t next = edge >= 0 ? f.neighbour[edge] : take_nearest(faces, here, &f, q, spot);
        if (next == here) return;
        before = edge >= 0 ? here : -1;
        here = next;
    }
    sn_tool_descend(faces, here, q, most, spot);
}
