/* Singular value decomposition of 3x3 matrices, one per lane: F = U diag(s) V^T with proper rotations U and V, s[0] >=
 * s[1] >= |s[2]|, and the sign of det F on s[2].
 *
 * One-sided Jacobi (Hestenes 1958; de Rijk 1989) on the columns of F scaled by a power of two: it works on F, not on
 * F^T F, so small singular values keep their digits. V collects the rotations. The columns F V, sorted by length, are
 * then made orthonormal by Gram-Schmidt, the third as a cross product: U is a proper rotation for every F, be it zero,
 * singular or inverted. A lane stops turning when its own columns are orthogonal, so its bits do not depend on its
 * neighbours. */
#ifndef SN_FEM_KERNEL_SVD3_H
#define SN_FEM_KERNEL_SVD3_H

#include "base/simd.h"

enum { SVD_SWEEPS = 16 }; /* 3 to 6 are used */

/* The exponent of |a| as a power of two, and its inverse, for normal a. */
static inline vd power_of_two(vd a) { return (vd)((vi)a & (vi)vd_set(INFINITY)); }
static inline vd inverse_power_of_two(vd power) {
    const int64_t twice_bias = (int64_t)0x7fe0000000000000;
    vi bits;
    for (int l = 0; l < SN_WIDTH; ++l) bits[l] = twice_bias;
    return (vd)(bits - (vi)power);
}

static inline vd largest_entry(const vd F[9]) {
    vd m = vd_abs(F[0]);
    for (int i = 1; i < 9; ++i) m = vd_max(vd_abs(F[i]), m);
    return m;
}

/* out = F with its largest entry between 1 and 2, exactly (but for a loss far below the rounding of the largest entry);
 * F = (out * back[0]) * back[1]. A zero matrix stays zero. */
static inline void scale_matrix(const vd F[9], vd out[9], vd back[2]) {
    const vd m = largest_entry(F), one = vd_set(1);
    /* First away from the ends of the range, where powers of two have no normal inverse. */
    const vi low = (vi)(m < vd_set(0x1p-500)), high = (vi)(m > vd_set(0x1p500));
    const vd first = vd_select(low, vd_set(0x1p520), vd_select(high, vd_set(0x1p-520), one));
    back[0] = vd_select(low, vd_set(0x1p-520), vd_select(high, vd_set(0x1p520), one));
    const vd rest = m * first;
    const vi usable = (vi)(rest > vd_set(0x1p-1000)) & (vi)(rest < vd_set(0x1p1000));
    back[1] = vd_select(usable, power_of_two(rest), one);
    const vd second = inverse_power_of_two(back[1]);
    for (int i = 0; i < 9; ++i) out[i] = (F[i] * first) * second;
}

static inline vd column_dot(const vd *a, int i, int j) {
    return a[i] * a[j] + a[3 + i] * a[3 + j] + a[6 + i] * a[6 + j];
}

static inline void turn_columns(vd *a, int i, int j, vd c, vd s) {
    for (int r = 0; r < 9; r += 3) {
        const vd x = a[r + i], y = a[r + j];
        a[r + i] = c * x - s * y;
        a[r + j] = s * x + c * y;
    }
}

/* Makes columns i and j of B orthogonal; returns the lanes that had to turn. */
static inline vi orthogonalise_columns(vd *B, vd *V, int i, int j) {
    const vd one = vd_set(1), zero = vd_set(0);
    const vd p = column_dot(B, i, i), q = column_dot(B, j, j), d = column_dot(B, i, j);
    const vi turns = (vi)(vd_abs(d) > vd_set(1e-15) * vd_max(p, q));
    if (!vi_any(turns)) return turns;
    const vd zeta = (q - p) / vd_select(turns, d + d, one);
    const vd t0 = one / (vd_abs(zeta) + vd_sqrt(one + zeta * zeta));
    const vd t = vd_select(turns, vd_copysign(t0, zeta), zero);
    const vd c = one / vd_sqrt(one + t * t), s = t * c;
    turn_columns(B, i, j, c, s);
    turn_columns(V, i, j, c, s);
    return turns;
}

/* Exchanges columns i and j (one with changed sign, so that V stays proper) where j is longer. */
static inline void order_columns(vd *B, vd *V, vd *length, int i, int j) {
    const vi swap = (vi)(length[j] > length[i]);
    for (int r = 0; r < 9; r += 3) {
        const vd x = B[r + i], y = B[r + j], u = V[r + i], v = V[r + j];
        B[r + i] = vd_select(swap, y, x);
        B[r + j] = vd_select(swap, -x, y);
        V[r + i] = vd_select(swap, v, u);
        V[r + j] = vd_select(swap, -u, v);
    }
    const vd a = length[i], b = length[j];
    length[i] = vd_select(swap, b, a);
    length[j] = vd_select(swap, a, b);
}

static inline vd vector_dot(const vd a[3], const vd b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline void vector_cross(const vd a[3], const vd b[3], vd out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* A unit vector at right angles to the unit vector u: crossed with the axis that it is farthest from. */
static inline void perpendicular(const vd u[3], vd out[3]) {
    const vd x = vd_abs(u[0]), y = vd_abs(u[1]), z = vd_abs(u[2]), zero = vd_set(0), one = vd_set(1);
    const vi first = (vi)(x <= y) & (vi)(x <= z), second = ~first & (vi)(y <= z);
    const vd axis[3] = {vd_select(first, one, zero), vd_select(second, one, zero),
                        vd_select(first | second, zero, one)};
    vector_cross(u, axis, out);
    const vd scale = vd_set(1) / vd_sqrt(vector_dot(out, out));
    for (int i = 0; i < 3; ++i) out[i] *= scale;
}

/* Orthonormal basis from the directions a and b: u0 along a, u1 in the plane of both, u2 = u0 x u1. A direction that is
 * missing (zero or in line with the first) is replaced by some other. Columns of U. Lengths of a and b about 1 or
 * below. */
static inline void orthonormal_basis(const vd a[3], const vd b[3], vd U[9]) {
    const vd one = vd_set(1), tiny = vd_set(1e-280);
    vd u[3][3];
    const vd aa = vector_dot(a, a);
    const vi no_a = ~(vi)(aa > tiny);
    const vd ia = one / vd_sqrt(vd_select(no_a, one, aa));
    for (int i = 0; i < 3; ++i) u[0][i] = vd_select(no_a, vd_set(i == 0), a[i] * ia);
    vd other[3];
    perpendicular(u[0], other);
    for (int i = 0; i < 3; ++i) u[1][i] = b[i];
    vd least = vd_max(vd_set(1e-30) * vector_dot(b, b), tiny); /* less is left of b by rounding alone */
    for (int pass = 0; pass < 3; ++pass, least = tiny) {       /* again, since the first may cancel nearly everything */
        const vd along = vector_dot(u[0], u[1]);
        for (int i = 0; i < 3; ++i) u[1][i] -= along * u[0][i];
        const vd bb = vector_dot(u[1], u[1]);
        const vi no_b = ~(vi)(bb > least);
        const vd ib = one / vd_sqrt(vd_select(no_b, one, bb));
        for (int i = 0; i < 3; ++i) u[1][i] = vd_select(no_b, other[i], u[1][i] * ib);
    }
    vector_cross(u[0], u[1], u[2]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) U[3 * i + j] = u[j][i];
}

/* U, s, V may not overlap F. */
static inline void svd3(const vd F[9], vd U[9], vd s[3], vd V[9]) {
    vd B[9], back[2];
    scale_matrix(F, B, back);
    for (int i = 0; i < 9; ++i) V[i] = vd_set(i % 4 == 0);
    for (int sweep = 0; sweep < SVD_SWEEPS; ++sweep) {
        vi turned = orthogonalise_columns(B, V, 0, 1);
        turned |= orthogonalise_columns(B, V, 0, 2);
        turned |= orthogonalise_columns(B, V, 1, 2);
        if (!vi_any(turned)) break;
    }
    /* A turn by nothing, for a neighbour's sake, may change the sign of a zero: make all zeros positive. */
    for (int i = 0; i < 9; ++i) B[i] += vd_set(0), V[i] += vd_set(0);
    vd length[3] = {column_dot(B, 0, 0), column_dot(B, 1, 1), column_dot(B, 2, 2)};
    order_columns(B, V, length, 0, 1);
    order_columns(B, V, length, 0, 2);
    order_columns(B, V, length, 1, 2);
    const vd b0[3] = {B[0], B[3], B[6]}, b1[3] = {B[1], B[4], B[7]};
    orthonormal_basis(b0, b1, U);
    for (int k = 0; k < 3; ++k) s[k] = ((U[k] * B[k] + U[3 + k] * B[3 + k] + U[6 + k] * B[6 + k]) * back[1]) * back[0];
    /* Where the second direction was made up its value is rounding of either sign: only the third may be negative. */
    const vd sign = vd_select((vi)(s[1] < vd_set(0)), vd_set(-1), vd_set(1));
    for (int k = 1; k < 3; ++k) {
        s[k] *= sign;
        for (int r = 0; r < 9; r += 3) U[r + k] *= sign;
    }
}

#endif
