/* See closest.h. The regions of a triangle are found as in Ericson (2005), Real-Time Collision Detection, 5.1. */
#include "closest.h"

#include <string.h>

#include "base/math3.h"

extern const sn_closest_kernels sn_closest_kernels_baseline;
#if defined(SN_HAVE_X86_KERNELS)
extern const sn_closest_kernels sn_closest_kernels_avx2, sn_closest_kernels_avx512;
#endif

const sn_closest_kernels *sn_closest_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_closest_kernels);
}

/* Computes r and |r|^2 from the weights. The sum starts from differences to the last corner: their rounding errors are
 * those of the distance, not those of the place. */
static void finish(const double *const x[4], sn_closest *c) {
    for (int a = 0; a < 3; ++a) {
        c->r[a] = 0;
        for (int i = 0; i < 3; ++i) c->r[a] += c->weight[i] * (x[i][a] - x[3][a]);
    }
    c->square = sn_dot3(c->r, c->r);
}

static void set4(double out[4], double a, double b, double c, double d) {
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

/* The vertex x_0 and the point of the edge from corner i to corner j (1 to 3) with parameter s. */
static void on_edge(sn_closest *c, int i, int j, double s) {
    set4(c->weight, 1, 0, 0, 0);
    c->weight[i] = s - 1, c->weight[j] = -s;
    c->free = 1;
    set4(c->slope[0], 0, 0, 0, 0);
    c->slope[0][i] = 1, c->slope[0][j] = -1;
}

static void on_corner(sn_closest *c, int i) {
    set4(c->weight, 1, 0, 0, 0);
    c->weight[i] = -1;
    c->free = 0;
}

/* Finds the region of the triangle in which its closest point lies. */
static void choose_region(const double *const x[4], sn_closest *c) {
    double ab[3], ac[3], ap[3], bp[3], cp[3];
    sn_subtract3(x[2], x[1], ab), sn_subtract3(x[3], x[1], ac);
    sn_subtract3(x[0], x[1], ap), sn_subtract3(x[0], x[2], bp), sn_subtract3(x[0], x[3], cp);
    const double d1 = sn_dot3(ab, ap), d2 = sn_dot3(ac, ap), d3 = sn_dot3(ab, bp), d4 = sn_dot3(ac, bp),
                 d5 = sn_dot3(ab, cp), d6 = sn_dot3(ac, cp);
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4, sum = va + vb + vc;
    if (d1 <= 0 && d2 <= 0)
        on_corner(c, 1);
    else if (d3 >= 0 && d4 <= d3)
        on_corner(c, 2);
    else if (d6 >= 0 && d5 <= d6)
        on_corner(c, 3);
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        on_edge(c, 1, 2, d1 / (d1 - d3));
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        on_edge(c, 1, 3, d2 / (d2 - d6));
    else if ((va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) || !(sum > 0))
        on_edge(c, 2, 3, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    else {
        set4(c->weight, 1, -(1 - vb / sum - vc / sum), -vb / sum, -vc / sum);
        c->free = 2;
        set4(c->slope[0], 0, 1, -1, 0);
        set4(c->slope[1], 0, 1, 0, -1);
    }
}

void sn_closest_vertex_face(const double *const x[4], sn_closest *c) {
    choose_region(x, c);
    finish(x, c);
}

/* ---- Two edges ---- */
static void set_edges(sn_closest *c, double s, double t, int s_free, int t_free) {
    set4(c->weight, 1 - s, s, t - 1, -t);
    c->free = 0;
    if (s_free) set4(c->slope[c->free++], -1, 1, 0, 0);
    if (t_free) set4(c->slope[c->free++], 0, 0, 1, -1);
}

/* Takes an end of one edge and its closest point on the other edge when this is closer than *best. `first`: the end
 * belongs to the first edge. */
static void try_end(const double *const x[4], int first, int end, sn_closest *best) {
    const double *p = x[first ? end : 2 + end], *q = x[first ? 2 : 0];
    double e[3], w[3];
    sn_subtract3(x[first ? 3 : 1], q, e), sn_subtract3(p, q, w);
    const double length = sn_dot3(e, e), along = sn_dot3(e, w);
    const int inside = along > 0 && along < length;
    const double s = inside ? along / length : along >= length && length > 0;
    sn_closest c;
    set_edges(&c, first ? end : s, first ? s : end, !first && inside, first && inside);
    finish(x, &c);
    if (best->square < 0 || c.square < best->square) *best = c;
}

void sn_closest_edge_edge(const double *const x[4], sn_closest *out) {
    static const double PARALLEL = 1e-12; /* of the squared sine: no closest points inside both edges */
    double u[3], v[3], w[3];
    sn_subtract3(x[1], x[0], u), sn_subtract3(x[3], x[2], v), sn_subtract3(x[0], x[2], w);
    const double a = sn_dot3(u, u), b = sn_dot3(u, v), c = sn_dot3(v, v), d = sn_dot3(u, w), e = sn_dot3(v, w);
    double n[3];
    sn_cross3(u, v, n);
    const double D = sn_dot3(n, n), s = (b * e - c * d) / D, t = (a * e - b * d) / D;
    if (D > PARALLEL * a * c && s > 0 && s < 1 && t > 0 && t < 1) {
        set_edges(out, s, t, 1, 1);
        finish(x, out);
        return;
    }
    out->square = -1;
    for (int k = 0; k < 4; ++k) try_end(x, k < 2, k % 2, out);
}

/* ---- Derivatives ---- */
/* The inverse of the Gram matrix of the free directions t_a. */
static void invert_gram(const sn_closest *c, double t[2][3], double inverse[2][2]) {
    memset(inverse, 0, 4 * sizeof(double));
    if (c->free == 1) inverse[0][0] = 1 / sn_dot3(t[0], t[0]);
    if (c->free < 2) return;
    const double g00 = sn_dot3(t[0], t[0]), g01 = sn_dot3(t[0], t[1]), g11 = sn_dot3(t[1], t[1]);
    const double det = g00 * g11 - g01 * g01;
    inverse[0][0] = g11 / det, inverse[1][1] = g00 / det, inverse[0][1] = inverse[1][0] = -g01 / det;
}

void sn_closest_hessian(const sn_closest *c, const double *const x[4], double H[144]) {
    double t[2][3] = {{0}}, inverse[2][2], column[2][12];
    for (int k = 0; k < c->free; ++k)
        for (int i = 0; i < 4; ++i)
            for (int a = 0; a < 3; ++a) t[k][a] += c->slope[k][i] * x[i][a];
    invert_gram(c, t, inverse);
    for (int k = 0; k < c->free; ++k)
        for (int i = 0; i < 12; ++i) column[k][i] = c->slope[k][i / 3] * c->r[i % 3] + c->weight[i / 3] * t[k][i % 3];
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 12; ++j) {
            double h = i % 3 == j % 3 ? c->weight[i / 3] * c->weight[j / 3] : 0;
            for (int k = 0; k < c->free; ++k)
                for (int l = 0; l < c->free; ++l) h -= column[k][i] * inverse[k][l] * column[l][j];
            H[12 * i + j] = h;
        }
}

double sn_closest_mollifier(const double *const x[4], double limit, double *slope, double dc[4][3]) {
    double u[3], v[3], n[3];
    sn_subtract3(x[1], x[0], u), sn_subtract3(x[3], x[2], v);
    sn_cross3(u, v, n);
    const double c = sn_dot3(n, n), part = c / limit;
    *slope = 0;
    if (part >= 1) return 1;
    *slope = 2 * (1 - part) / limit;
    const double uu = sn_dot3(u, u), uv = sn_dot3(u, v), vv = sn_dot3(v, v);
    for (int a = 0; a < 3; ++a) {
        const double du = 2 * (vv * u[a] - uv * v[a]), dv = 2 * (uu * v[a] - uv * u[a]);
        dc[0][a] = -du, dc[1][a] = du, dc[2][a] = -dv, dc[3][a] = dv;
    }
    return part * (2 - part);
}
