/* The filter of touch_cut.h, built once per instruction set: which of eight pairs of triangles are certainly apart.
 *
 * A pair is apart when all corners of one triangle are on one side of the plane of the other, or when no edge of one
 * pierces the other. Edge i of A pierces B when its ends are on different sides of B and it passes the three edges of B
 * alike; the same holds for the edges of B. All signs must be certain: each volume is farther from 0 than the rounding
 * error, with the bound of touch_cut.c. So the filter drops only pairs that the exact signs drop too. */
#include "base/simd.h"
#include "contact/touch_cut.h"

static inline vd largest(const vd v[3]) { return vd_max(vd_max(vd_abs(v[0]), vd_abs(v[1])), vd_abs(v[2])); }

/* Lanes are triangles: corner by axis. */
typedef struct face {
    vd corner[3][3];
} face;

/* A volume: whether it is certainly above 0, and below 0. */
typedef struct sign {
    vi above, below;
} sign;

/* u . (v x w), with `scale` above 1e-14 times the largest factors. */
static inline sign sign_of(const vd u[3], const vd v[3], const vd w[3], vd scale) {
    const vd value =
        (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2];
    return (sign){(vi)(value > scale), (vi)(value < -scale)};
}

static inline void minus(const vd a[3], const vd b[3], vd out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}

/* On which side of q the corners of p are. Returns the lanes in which all are on one side. */
static inline vi sides(const face *q, const face *p, sign side[3]) {
    vd u[3], v[3], w[3];
    minus(q->corner[1], q->corner[0], u);
    minus(q->corner[2], q->corner[0], v);
    const vd size = vd_set(1e-14) * largest(u) * largest(v);
    for (int k = 0; k < 3; ++k) {
        minus(p->corner[k], q->corner[0], w);
        side[k] = sign_of(u, v, w, size * largest(w));
    }
    return (side[0].above & side[1].above & side[2].above) | (side[0].below & side[1].below & side[2].below);
}

/* How edge i of A passes the edges of B. */
static inline void passes(const face *a, int i, const face *b, sign pass[3]) {
    vd u[3], d[3][3], size[3];
    minus(a->corner[(i + 1) % 3], a->corner[i], u);
    for (int j = 0; j < 3; ++j) {
        minus(b->corner[j], a->corner[i], d[j]);
        size[j] = largest(d[j]);
    }
    const vd scale = vd_set(1e-14) * largest(u);
    for (int j = 0; j < 3; ++j) {
        const int next = (j + 1) % 3;
        pass[j] = sign_of(u, d[j], d[next], scale * size[j] * size[next]);
    }
}

/* The lanes in which edge k certainly does not pierce a triangle: its ends are on one side, or it passes two edges of
 * the triangle in different ways. */
static inline vi misses(const sign side[3], int k, sign a, sign b, sign c) {
    const int next = (k + 1) % 3;
    return (side[k].above & side[next].above) | (side[k].below & side[next].below) |
           ((a.above | b.above | c.above) & (a.below | b.below | c.below));
}

static inline vi lanes_apart(const face *a, const face *b) {
    sign side_a[3], side_b[3], pass[3][3];
    vi done = sides(b, a, side_a);
    done |= sides(a, b, side_b);
    if (vi_all(done)) return done;
    vi none = ~(vi){0};
    for (int i = 0; i < 3; ++i) passes(a, i, b, pass[i]);
    for (int k = 0; k < 3; ++k)
        none &= misses(side_a, k, pass[k][0], pass[k][1], pass[k][2]) &
                misses(side_b, k, pass[0][k], pass[1][k], pass[2][k]);
    return done | none;
}

static unsigned apart(const double *a, const int32_t *corner_a, const double *b, const int32_t *corner_b) {
    unsigned bits = 0;
    for (int part = 0; part < SN_LANES; part += SN_WIDTH) {
        face p, q;
        for (int k = 0; k < 3; ++k) {
            vd_gather3(a, corner_a + k * SN_LANES + part, p.corner[k]);
            vd_gather3(b, corner_b + k * SN_LANES + part, q.corner[k]);
        }
        bits |= vi_bits(lanes_apart(&p, &q)) << part;
    }
    return bits;
}

extern const sn_cut_filter SN_ISA(sn_cut_filter);
const sn_cut_filter SN_ISA(sn_cut_filter) = {apart};
