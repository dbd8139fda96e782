/* See hinge_weights.h. */
#include "hinge_weights.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"

enum { DIRECTIONS = 8 }; /* theta^2 has harmonics up to the fourth: eight directions in half a turn show all of it */

/* Steps of 22.5 degrees. */
#define C1 0.92387953251128675613
#define C2 0.70710678118654752440
#define C3 0.38268343236508977173
static const double direction[DIRECTIONS][2] = {{1, 0}, {C1, C3},  {C2, C2},  {C3, C1},
                                                {0, 1}, {-C3, C1}, {-C2, C2}, {-C1, C3}};

/* A hinge may be weaker than its neighbours, but not free: at least this part of Grinspun's weight. */
static const double least = 0.05;

void sn_hinge_corner(const double *a, const double *b, const double *c, double *l, double *p, double *h) {
    double e[3], f[3], n[3];
    sn_subtract3(b, a, e);
    sn_subtract3(c, a, f);
    sn_cross3(e, f, n);
    *l = sn_norm3(e);
    *p = sn_dot3(e, f) / *l - 0.5 * *l, *h = sn_norm3(n) / *l;
}

/* One hinge as its triangle sees it: theta^2 of each direction, and Grinspun's weight over two. */
typedef struct bent {
    bool there;
    double square[DIRECTIONS], usual;
} bent;

/* The hinge opposite to corner k of triangle t, which shares its edge with the corner `other` of its neighbour. */
static void bend(const int32_t *node, int k, int32_t other, const double *rest, bent *out) {
    const double *a = rest + 3 * (size_t)node[(k + 1) % 3], *b = rest + 3 * (size_t)node[(k + 2) % 3],
                 *c = rest + 3 * (size_t)node[k], *first = rest + 3 * (size_t)node[0];
    double l, p0, h0, p1, h1, x[3], y[3], n[3], e[3];
    sn_hinge_corner(a, b, c, &l, &p0, &h0);
    sn_hinge_corner(a, b, rest + 3 * (size_t)other, &l, &p1, &h1);
    /* The triangle's own axes x, y: x along its first edge. */
    sn_area_vector3(first, rest + 3 * (size_t)node[1], rest + 3 * (size_t)node[2], n);
    sn_subtract3(rest + 3 * (size_t)node[1], first, x);
    sn_cross3(n, x, y);
    sn_subtract3(b, a, e);
    const double tx = sn_dot3(e, x) / (l * sn_norm3(x)), ty = sn_dot3(e, y) / (l * sn_norm3(y));
    out->there = true;
    out->usual = l / (h0 + h1);
    for (int i = 0; i < DIRECTIONS; ++i) {
        /* n is to the left of t, where the corner lies */
        const double t = direction[i][0] * tx + direction[i][1] * ty, s = direction[i][1] * tx - direction[i][0] * ty;
        const double theta = 0.5 * t * t * ((p0 * p0 - l * l / 4) / h0 + (p1 * p1 - l * l / 4) / h1) +
                             t * s * (p0 - p1) + 0.5 * s * s * (h0 + h1);
        out->square[i] = theta * theta;
    }
}

/* Least squares over the hinges of a subset; false when they are not independent or a weight is negative. */
static bool solve(const bent *hinge, unsigned subset, const double *goal, double w[3], double *off) {
    double M[9] = {0}, right[3] = {0}, inverse[9] = {0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            for (int d = 0; d < DIRECTIONS; ++d)
                if (subset >> i & subset >> j & 1) M[3 * i + j] += hinge[i].square[d] * hinge[j].square[d];
        for (int d = 0; d < DIRECTIONS && subset >> i & 1; ++d) right[i] += hinge[i].square[d] * goal[d];
    }
    double scale = 1;
    for (int i = 0; i < 3; ++i) {
        if (!(subset >> i & 1)) M[4 * i] = 1;
        scale *= M[4 * i];
    }
    if (!(fabs(sn_determinant3(M)) > 1e-9 * scale)) return false;
    sn_inverse3(M, inverse);
    sn_multiply_vector3(inverse, right, w);
    *off = 0;
    for (int i = 0; i < 3; ++i)
        if (w[i] < 0) return false;
    for (int d = 0; d < DIRECTIONS; ++d) {
        double sum = -goal[d];
        for (int i = 0; i < 3; ++i) sum += w[i] * hinge[i].square[d];
        *off += sum * sum;
    }
    return true;
}

/* The weights of one triangle: the best of all subsets of its hinges beyond the least weight of each. */
static void fit(const bent *hinge, double area, double *weight) {
    double goal[DIRECTIONS], best = INFINITY;
    for (int d = 0; d < DIRECTIONS; ++d) {
        goal[d] = area;
        for (int i = 0; i < 3; ++i) goal[d] -= least * hinge[i].usual * hinge[i].square[d];
    }
    for (int i = 0; i < 3; ++i) weight[i] = hinge[i].usual; /* when nothing can be solved */
    for (unsigned subset = 1; subset < 8; ++subset) {
        double w[3], off;
        bool possible = true;
        for (int i = 0; i < 3; ++i) possible = possible && (hinge[i].there || !(subset >> i & 1));
        if (!possible || !solve(hinge, subset, goal, w, &off) || !(off < best)) continue;
        best = off;
        for (int i = 0; i < 3; ++i) weight[i] = hinge[i].there ? w[i] + least * hinge[i].usual : 0;
    }
}

void sn_hinge_weights(int triangle_count, const int32_t *triangle, const double *rest, const sn_cloth_edge *edge,
                      double *weight) {
    const int count = 3 * triangle_count;
    /* First the neighbour's corner behind each edge, as a number in `weight`; -1 at the rim. */
    for (int i = 0; i < count; ++i) weight[i] = -1;
    for (int i = 0, run; i < count; i += run) {
        run = sn_cloth_edge_run(edge, count, i);
        for (int k = 0; k < 2 && run == 2; ++k) {
            const sn_cloth_edge *own = &edge[i + k], *other = &edge[i + 1 - k];
            weight[3 * own->triangle + own->corner] = triangle[3 * other->triangle + other->corner];
        }
    }
    for (int t = 0; t < triangle_count; ++t) {
        const int32_t *node = triangle + 3 * (size_t)t;
        double *own = weight + 3 * (size_t)t, n[3];
        bent hinge[3];
        memset(hinge, 0, sizeof hinge);
        for (int k = 0; k < 3; ++k)
            if (own[k] >= 0) bend(node, k, (int32_t)own[k], rest, &hinge[k]);
        sn_area_vector3(rest + 3 * (size_t)node[0], rest + 3 * (size_t)node[1], rest + 3 * (size_t)node[2], n);
        fit(hinge, 0.5 * sn_norm3(n), own);
    }
}
