/* Squared distances of eight pairs of features at once (closest.h), built once per instruction set.
 *
 * The distance of a vertex from a triangle is that from the nearest side, or that from the plane where the vertex is
 * above the face. The distance of two edges is the smallest of their ends from the other edge, or that of their lines
 * where the closest points are inside both. Degenerate features have no face and no lines; their sides answer. */
#include "base/simd.h"
#include "contact/closest.h"

static inline void minus(const vd a[3], const vd b[3], vd out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}
static inline vd dot(const vd a[3], const vd b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void cross(const vd a[3], const vd b[3], vd out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The squared distance of the end of w from the segment of u; both start at one point. */
static inline vd from_segment(const vd u[3], const vd w[3]) {
    const vd along = dot(u, w), square = dot(u, u), zero = vd_set(0);
    const vd part = vd_min(vd_max(along / vd_max(square, vd_set(1e-300)), zero), vd_set(1));
    vd r[3];
    for (int k = 0; k < 3; ++k) r[k] = w[k] - part * u[k];
    return dot(r, r);
}

/* x_0 is the vertex. */
static inline vd vertex_face(vd x[4][3]) {
    vd side[3][3], way[3][3], n[3], turn[3], least = vd_set(1e300);
    for (int i = 0; i < 3; ++i) {
        minus(x[1 + (i + 1) % 3], x[1 + i], side[i]);
        minus(x[0], x[1 + i], way[i]);
        least = vd_min(least, from_segment(side[i], way[i]));
    }
    cross(side[0], side[1], n);
    vi above = (vi)(dot(n, n) > vd_set(0));
    for (int i = 0; i < 3; ++i) {
        cross(n, side[i], turn);
        above &= (vi)(dot(turn, way[i]) >= vd_set(0));
    }
    const vd height = dot(n, way[0]), plane = height * height / vd_max(dot(n, n), vd_set(1e-300));
    return vd_min(least, vd_select(above, plane, least));
}

static inline vd edge_edge(vd x[4][3]) {
    vd u[3], v[3], w[3], r[3], n[3], back[3], least;
    minus(x[1], x[0], u), minus(x[3], x[2], v), minus(x[0], x[2], w);
    for (int k = 0; k < 3; ++k) back[k] = -w[k];
    least = vd_min(from_segment(v, w), from_segment(u, back));
    minus(x[1], x[2], r);
    least = vd_min(least, from_segment(v, r));
    minus(x[3], x[0], r);
    least = vd_min(least, from_segment(u, r));
    cross(u, v, n);
    const vd a = dot(u, u), b = dot(u, v), c = dot(v, v), d = dot(u, w), e = dot(v, w), D = dot(n, n),
             s = b * e - c * d, t = a * e - b * d, height = dot(n, w);
    const vi inside =
        (vi)(D > vd_set(1e-12) * a * c) & (vi)(s > vd_set(0)) & (vi)(s < D) & (vi)(t > vd_set(0)) & (vi)(t < D);
    return vd_min(least, vd_select(inside, height * height / vd_max(D, vd_set(1e-300)), least));
}

static void squares(const double *position, const int32_t *corner, int edges, double *square) {
    for (int part = 0; part < SN_LANES; part += SN_WIDTH) {
        vd x[4][3];
        for (int i = 0; i < 4; ++i) vd_gather3(position, corner + i * SN_LANES + part, x[i]);
        const vd result = edges ? edge_edge(x) : vertex_face(x);
        for (int l = 0; l < SN_WIDTH; ++l) square[part + l] = result[l];
    }
}

/* By how much the features can approach on the ways of their corners: the longest way of each side, less the mean. */
static inline vd approach(const double *to, const int32_t *corner, int first, vd x[4][3]) {
    vd way[4][3], most[2] = {vd_set(0), vd_set(0)};
    for (int i = 0; i < 4; ++i) {
        vd end[3];
        vd_gather3(to, corner + i * SN_LANES, end);
        minus(end, x[i], way[i]);
    }
    for (int a = 0; a < 3; ++a) {
        const vd mean = vd_set(0.25) * (way[0][a] + way[1][a] + way[2][a] + way[3][a]);
        for (int i = 0; i < 4; ++i) way[i][a] -= mean;
    }
    for (int i = 0; i < 4; ++i) most[i >= first] = vd_max(most[i >= first], dot(way[i], way[i]));
    return vd_sqrt(most[0]) + vd_sqrt(most[1]);
}

static unsigned meets(const double *from, const double *to, const int32_t *corner, int edges, double within) {
    static const double ROUNDING = 1e-9;
    unsigned bits = 0;
    for (int part = 0; part < SN_LANES; part += SN_WIDTH) {
        vd x[4][3], reach = vd_set(within);
        for (int i = 0; i < 4; ++i) vd_gather3(from, corner + i * SN_LANES + part, x[i]);
        if (to) reach += approach(to, corner + part, edges ? 2 : 1, x);
        reach *= vd_set(1 + ROUNDING);
        const vd square = edges ? edge_edge(x) : vertex_face(x);
        const vi mask = (vi)(square <= reach * reach);
        for (int l = 0; l < SN_WIDTH; ++l) bits |= (unsigned)(mask[l] & 1) << (part + l);
    }
    return bits;
}

static unsigned overlap(const double *position, const int32_t *corner) {
    unsigned bits = 0;
    for (int part = 0; part < SN_LANES; part += SN_WIDTH) {
        vd x[5][3];
        for (int i = 0; i < 5; ++i) vd_gather3(position, corner + i * SN_LANES + part, x[i]);
        vi mask = ~(vi){0};
        for (int a = 0; a < 3; ++a) {
            const vd low = vd_min(vd_min(x[2][a], x[3][a]), x[4][a]), high = vd_max(vd_max(x[2][a], x[3][a]), x[4][a]);
            mask &= (vi)(vd_max(x[0][a], x[1][a]) >= low) & (vi)(vd_min(x[0][a], x[1][a]) <= high);
        }
        for (int l = 0; l < SN_WIDTH; ++l) bits |= (unsigned)(mask[l] & 1) << (part + l);
    }
    return bits;
}

extern const sn_closest_kernels SN_ISA(sn_closest_kernels);
const sn_closest_kernels SN_ISA(sn_closest_kernels) = {squares, meets, overlap};
