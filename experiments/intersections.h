/* A brute-force test whether the surfaces of a world intersect, independent of the library's contact code: every pair
 * of surface triangles, each edge of one against the other by the method of Moeller and Trumbore (1997), in long
 * double; and whether a corner of one body lies inside another one, by the winding number of its boundary (the sum of
 * solid angles, van Oosterom and Strackee 1983). Triangles that share a node are left out, and those outside of the box
 * around the other body. And how deep bodies are inside each other. */
#ifndef SINEW_EXPERIMENTS_INTERSECTIONS_H
#define SINEW_EXPERIMENTS_INTERSECTIONS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "sinew/sinew.h"

typedef struct skin {
    int body_count, count; /* of bodies and of all triangles */
    double *position;      /* vertices of all bodies x 3: of the detailed surface when a body has one, else its nodes */
    double *node;          /* scratch: nodes of the largest body x 3 */
    int32_t *corner, *owner;
    int *first;  /* vertex of each body; triangles in order of the bodies */
    bool *solid; /* body: it has an inside; cloth has none */
    int *first_triangle;
} skin;

/* Appends the triangles of a body with `vertices` vertices. */
static inline void skin_append(skin *s, int b, const int32_t *face, int count, int vertices) {
    s->corner = realloc(s->corner, 3 * (size_t)(s->count + count) * sizeof *s->corner);
    s->owner = realloc(s->owner, (size_t)(s->count + count) * sizeof *s->owner);
    for (int i = 0; i < 3 * count; ++i) s->corner[3 * s->count + i] = s->first[b] + face[i];
    for (int i = 0; i < count; ++i) s->owner[s->count + i] = b;
    s->count += count;
    s->first[b + 1] = s->first[b] + vertices;
    s->first_triangle[b + 1] = s->count;
}

static inline skin skin_make(const sn_world *world) {
    skin s = {.body_count = sn_world_body_count(world)};
    int most = 0;
    s.first = calloc((size_t)s.body_count + 1, sizeof *s.first);
    s.first_triangle = calloc((size_t)s.body_count + 1, sizeof *s.first_triangle);
    s.solid = calloc((size_t)s.body_count + 1, sizeof *s.solid);
    for (int b = 0; b < s.body_count; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(world, b);
        const sn_embedding *surface = sn_world_body_surface(world, b);
        int count;
        int32_t *face;
        s.solid[b] = mesh->tet_nodes > 3;
        if (mesh->node_count > most) most = mesh->node_count;
        if (surface) {
            skin_append(&s, b, surface->triangle, surface->triangle_count, surface->vertex_count);
            continue;
        }
        if (sn_mesh_boundary(mesh, &count, &face, NULL, NULL, NULL)) abort();
        skin_append(&s, b, face, count, mesh->node_count);
        sn_mesh_release(mesh, face);
    }
    s.node = calloc(3 * (size_t)most, sizeof *s.node);
    s.position = calloc(3 * (size_t)s.first[s.body_count], sizeof *s.position);
    return s;
}

static inline void skin_release(skin *s) {
    free(s->position), free(s->node), free(s->corner), free(s->owner), free(s->first), free(s->first_triangle),
        free(s->solid);
}

static inline void skin_move(skin *s, const sn_world *world) {
    for (int b = 0; b < s->body_count; ++b) {
        const sn_embedding *surface = sn_world_body_surface(world, b);
        double *x = s->position + 3 * s->first[b];
        if (sn_world_get(world, b, surface ? s->node : x, NULL)) abort();
        for (int v = 0; surface && v < surface->vertex_count; ++v)
            for (int a = 0; a < 3; ++a) {
                x[3 * v + a] = 0;
                for (int i = surface->carrier_first[v]; i < surface->carrier_first[v + 1]; ++i)
                    x[3 * v + a] += surface->carrier_weight[i] * s->node[3 * surface->carrier_node[i] + a];
            }
    }
}

static inline void skin_cross(const long double a[3], const long double b[3], long double out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}
static inline long double skin_dot(const long double a[3], const long double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Whether the segment from p to q goes through the triangle t. */
static inline bool segment_hits(const double *p, const double *q, const double *const t[3]) {
    long double way[3], e1[3], e2[3], from[3], h[3], g[3];
    for (int k = 0; k < 3; ++k) {
        way[k] = (long double)q[k] - p[k], from[k] = (long double)p[k] - t[0][k];
        e1[k] = (long double)t[1][k] - t[0][k], e2[k] = (long double)t[2][k] - t[0][k];
    }
    skin_cross(way, e2, h);
    const long double det = skin_dot(e1, h);
    if (det == 0) return false;
    const long double u = skin_dot(from, h) / det;
    skin_cross(from, e1, g);
    const long double v = skin_dot(way, g) / det, s = skin_dot(e2, g) / det;
    if (u < 0 || v < 0 || u + v > 1 || s < 0 || s > 1) return false;
    /* A segment in the plane of the triangle divides rounding errors by each other: the two points then differ. */
    long double gap = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
        gap = fmaxl(gap, fabsl(from[k] + s * way[k] - u * e1[k] - v * e2[k]));
        size = fmaxl(size, fmaxl(fabsl(way[k]), fmaxl(fabsl(e1[k]), fabsl(e2[k]))));
    }
    return gap <= 1e-6L * size;
}

static inline bool boxes_apart(const skin *s, int i, int j) {
    for (int k = 0; k < 3; ++k) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int c = 0; c < 6; ++c) {
            const double x = s->position[3 * s->corner[3 * (c < 3 ? i : j) + c % 3] + k];
            low[c / 3] = fmin(low[c / 3], x), high[c / 3] = fmax(high[c / 3], x);
        }
        if (low[0] > high[1] || low[1] > high[0]) return true;
    }
    return false;
}

static inline bool share_node(const skin *s, int i, int j) {
    for (int c = 0; c < 9; ++c)
        if (s->corner[3 * i + c / 3] == s->corner[3 * j + c % 3]) return true;
    return false;
}

/* Whether two triangles that share no node intersect. */
static inline bool triangles_intersect(const skin *s, int i, int j) {
    if (boxes_apart(s, i, j) || share_node(s, i, j)) return false;
    for (int e = 0; e < 6; ++e) {
        const int edges = e < 3 ? i : j, other = e < 3 ? j : i;
        const double *t[3];
        for (int c = 0; c < 3; ++c) t[c] = s->position + 3 * s->corner[3 * other + c];
        if (segment_hits(s->position + 3 * s->corner[3 * edges + e % 3],
                         s->position + 3 * s->corner[3 * edges + (e + 1) % 3], t))
            return true;
    }
    return false;
}

/* How often the boundary of body b winds around x: 1 inside, 0 outside. */
static inline double winding(const skin *s, int b, const double *x) {
    double sum = 0;
    for (int i = s->first_triangle[b]; i < s->first_triangle[b + 1]; ++i) {
        double r[3][3], l[3];
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 3; ++k) r[c][k] = s->position[3 * s->corner[3 * i + c] + k] - x[k];
            l[c] = sqrt(r[c][0] * r[c][0] + r[c][1] * r[c][1] + r[c][2] * r[c][2]);
        }
        const double det = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                           r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                           r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
        double below = l[0] * l[1] * l[2];
        for (int c = 0; c < 3; ++c) {
            const double *p = r[c], *q = r[(c + 1) % 3];
            below += (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]) * l[(c + 2) % 3];
        }
        sum += 2 * atan2(det, below);
    }
    return sum / (4 * 3.14159265358979323846);
}

/* The box of a body: its low and its high corner. */
static inline void skin_box(const skin *s, int b, double box[2][3]) {
    for (int k = 0; k < 3; ++k) box[0][k] = INFINITY, box[1][k] = -INFINITY;
    for (int i = 3 * s->first_triangle[b]; i < 3 * s->first_triangle[b + 1]; ++i)
        for (int k = 0; k < 3; ++k) {
            const double x = s->position[3 * s->corner[i] + k];
            box[0][k] = fmin(box[0][k], x), box[1][k] = fmax(box[1][k], x);
        }
}

/* Whether all corners of triangle i are beyond one side of a box. */
static inline bool outside_box(const skin *s, int i, double box[2][3]) {
    for (int k = 0; k < 3; ++k) {
        bool below = true, above = true;
        for (int c = 0; c < 3; ++c) {
            const double x = s->position[3 * s->corner[3 * i + c] + k];
            below = below && x < box[0][k], above = above && x > box[1][k];
        }
        if (below || above) return true;
    }
    return false;
}

/* The number of pairs of triangles of the bodies a and b that intersect. */
static inline int count_between(const skin *s, int a, int b) {
    int count = 0;
    double box[2][3];
    skin_box(s, b, box);
    for (int i = s->first_triangle[a]; i < s->first_triangle[a + 1]; ++i) {
        if (outside_box(s, i, box)) continue;
        for (int j = a == b ? i + 1 : s->first_triangle[b]; j < s->first_triangle[b + 1]; ++j)
            count += triangles_intersect(s, i, j);
    }
    return count;
}

/* The number of pairs of triangles that intersect, and of bodies whose first corner is inside another one. `self`:
 * also within one body. */
static inline int count_intersections(skin *s, const sn_world *world, bool self) {
    int count = 0;
    skin_move(s, world);
    for (int a = 0; a < s->body_count; ++a)
        for (int b = self ? a : a + 1; b < s->body_count; ++b) count += count_between(s, a, b);
    for (int a = 0; a < s->body_count; ++a)
        for (int b = 0; b < s->body_count; ++b)
            if (a != b && s->solid[b])
                count += fabs(winding(s, b, s->position + 3 * s->corner[3 * s->first_triangle[a]])) > 0.5;
    return count;
}

/* The squared distance of p from the triangle t (Ericson 2005, 5.1.5). */
static inline double square_from_triangle(const double *p, const double *const t[3]) {
    double least = INFINITY, e[3][3], n[3], out[3];
    for (int k = 0; k < 3; ++k) { /* the sides */
        const double *a = t[k], *b = t[(k + 1) % 3];
        double along = 0, square = 0, away = 0;
        for (int c = 0; c < 3; ++c)
            e[k][c] = b[c] - a[c], along += e[k][c] * (p[c] - a[c]), square += e[k][c] * e[k][c];
        const double part = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
        for (int c = 0; c < 3; ++c) away += pow(p[c] - a[c] - part * e[k][c], 2);
        least = fmin(least, away);
    }
    for (int c = 0; c < 3; ++c) n[c] = e[0][(c + 1) % 3] * e[1][(c + 2) % 3] - e[0][(c + 2) % 3] * e[1][(c + 1) % 3];
    double height = 0, square = 0;
    for (int c = 0; c < 3; ++c) height += n[c] * (p[c] - t[0][c]), square += n[c] * n[c];
    for (int k = 0; k < 3; ++k) { /* above the face? */
        for (int c = 0; c < 3; ++c) out[c] = n[(c + 1) % 3] * e[k][(c + 2) % 3] - n[(c + 2) % 3] * e[k][(c + 1) % 3];
        double side = 0;
        for (int c = 0; c < 3; ++c) side += out[c] * (p[c] - t[k][c]);
        if (side < 0) return least;
    }
    return square > 0 ? fmin(least, height * height / square) : least;
}

/* How deep the deepest vertex of a body is inside another body, m; 0 when none is. */
static inline double deepest_vertex(skin *s, const sn_world *world) {
    double deepest = 0;
    skin_move(s, world);
    for (int i = 0; i < 3 * s->count; ++i)
        for (int b = 0; b < s->body_count; ++b) {
            const double *p = s->position + 3 * s->corner[i];
            double least = INFINITY;
            if (b == s->owner[i / 3] || !s->solid[b] || fabs(winding(s, b, p)) < 0.5) continue;
            for (int j = s->first_triangle[b]; j < s->first_triangle[b + 1]; ++j) {
                const double *t[3];
                for (int c = 0; c < 3; ++c) t[c] = s->position + 3 * s->corner[3 * j + c];
                least = fmin(least, square_from_triangle(p, t));
            }
            deepest = fmax(deepest, sqrt(least));
        }
    return deepest;
}

#endif
