/* Rotations of plane elements: about the z axis only, from the upper left 2x2 part of F.
 *
 * The rotation nearest to a 2x2 matrix F, also to an inverted one, has the angle of (a, b) = (F00 + F11, F10 - F01):
 *   R = ((a, -b), (b, a)) / sqrt(a^2 + b^2),      dR = R_perp (a db - b da) / (a^2 + b^2).
 * Where a = b = 0, a reflection with equal stretches, all rotations are equally near, and R is the identity. */
#ifndef SN_FEM_KERNEL_PLANE2_H
#define SN_FEM_KERNEL_PLANE2_H

#include "base/simd.h"

/* The rotation about z by the angle of (a, b). */
static inline void plane_rotation(vd a, vd b, vd R[9]) {
    const vd zero = vd_set(0), one = vd_set(1), large = vd_max(vd_abs(a), vd_abs(b));
    const vi usable = (vi)(large > zero) & (vi)(large < vd_set(INFINITY));
    const vd low = vd_select((vi)(large < vd_set(1e-150)), vd_set(0x1p600), one);
    const vd scale = vd_select((vi)(large > vd_set(1e150)), vd_set(0x1p-600), low);
    const vd x = a * scale, y = b * scale;
    const vd length = vd_sqrt(x * x + y * y);
    const vd c = vd_select(usable, x, one) / vd_select(usable, length, one);
    const vd s = vd_select(usable, y, zero) / vd_select(usable, length, one);
    for (int i = 0; i < 9; ++i) R[i] = zero;
    R[0] = R[4] = c, R[1] = -s, R[3] = s, R[8] = one;
}

static inline vd plane_determinant(const vd F[9]) { return F[0] * F[4] - F[1] * F[3]; }

static inline void plane_polar(const vd F[9], vd R[9]) {
    const vd quarter = vd_set(0.25); /* no overflow of the sums */
    plane_rotation(quarter * F[0] + quarter * F[4], quarter * F[3] - quarter * F[1], R);
}

/* The first axis follows the first column, the second is at right angles to it. */
static inline void plane_qr(const vd F[9], vd R[9]) { plane_rotation(F[0], F[3], R); }

/* dR / dF of plane_polar; cut off where the angle is undefined. */
static inline void plane_polar_differential(const vd F[9], vd dR[81]) {
    const vd a = F[0] + F[4], b = F[3] - F[1], square = a * a + b * b;
    vd size = vd_abs(F[0]) + vd_abs(F[1]) + vd_abs(F[3]) + vd_abs(F[4]);
    const vd inverse = vd_set(1) / vd_max(square, vd_set(1e-16) * size * size + vd_set(1e-300));
    const vd root = vd_sqrt(inverse);
    const vd c = a * root, s = b * root;
    vd angle[9], slope[9]; /* d angle / dF, d R / d angle */
    for (int i = 0; i < 9; ++i) angle[i] = slope[i] = vd_set(0);
    angle[0] = angle[4] = -b * inverse;
    angle[3] = a * inverse, angle[1] = -a * inverse;
    slope[0] = slope[4] = -s, slope[1] = -c, slope[3] = c;
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9; ++j) dR[9 * i + j] = slope[i] * angle[j];
}

#endif
