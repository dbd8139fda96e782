/* The proper rotation nearest to a 3x3 matrix, one per lane: R maximises tr(R^T F) over the rotations, F = R S with S
 * symmetric.
 *
 * Let a = |F|^2, b = |cof F|^2, d = det F. The maximum l = s0 + s1 + s2 (singular values, the last one signed like d)
 * is the largest root of Davenport's characteristic polynomial p(l) = l^4 - 2 a l^2 - 8 d l + a^2 - 4 b, and R = dl/dF,
 * hence by the implicit function theorem R = ((l^2 + a) F - 2 F F^T F + 2 l cof F) / (l^3 - a l - 2 d), whose
 * denominator is 2 (s0 + s1) (s1 + s2) (s2 + s0). Newton's method finds l from above; one Newton-Schulz step of
 * orthonormalisation and one Newton step on the rotation remove the rounding. That is fast and right when the
 * denominator is not small; lanes where the error estimates say otherwise (F near a non-unique rotation, tiny or huge)
 * take the singular value decomposition. */
#ifndef SN_FEM_KERNEL_POLAR3_H
#define SN_FEM_KERNEL_POLAR3_H

#include "svd3.h"

enum { POLAR_NEWTON = 16 }; /* 3 to 7 are used */
#define POLAR_SHARP                                                                                                    \
    0.3 /* of the denominator by l^3, 0.59 at rest: above it the closed form has no rounding worth removing */

/* G = tr(S) I - S from the symmetric part of S: its adjugate (xx, yy, zz, xy, yz, zx) and determinant. */
static inline void turning_matrix(const vd S[9], vd adjugate[6], vd *determinant) {
    const vd half = vd_set(0.5);
    const vd xx = S[4] + S[8], yy = S[0] + S[8], zz = S[0] + S[4];
    const vd xy = -half * (S[1] + S[3]), yz = -half * (S[5] + S[7]), zx = -half * (S[2] + S[6]);
    adjugate[0] = yy * zz - yz * yz;
    adjugate[1] = zz * xx - zx * zx;
    adjugate[2] = xx * yy - xy * xy;
    adjugate[3] = yz * zx - xy * zz;
    adjugate[4] = zx * xy - yz * xx;
    adjugate[5] = xy * yz - zx * yy;
    *determinant = xx * adjugate[0] + xy * adjugate[3] + zx * adjugate[5];
}

static inline void symmetric_apply(const vd m[6], const vd a[3], vd out[3]) {
    out[0] = m[0] * a[0] + m[3] * a[1] + m[5] * a[2];
    out[1] = m[3] * a[0] + m[1] * a[1] + m[4] * a[2];
    out[2] = m[5] * a[0] + m[4] * a[1] + m[2] * a[2];
}

/* R <- R (I + [w]): w x as a matrix from the right. */
static inline void turn_by(vd R[9], const vd w[3]) {
    for (int r = 0; r < 9; r += 3) {
        const vd x = R[r], y = R[r + 1], z = R[r + 2];
        R[r] = x + (y * w[2] - z * w[1]);
        R[r + 1] = y + (z * w[0] - x * w[2]);
        R[r + 2] = z + (x * w[1] - y * w[0]);
    }
}

/* E = R^T R - I as xx, yy, zz, xy, yz, zx. */
static inline void orthogonality_error(const vd R[9], vd E[6]) {
    const vd one = vd_set(1);
    for (int k = 0; k < 3; ++k) {
        const int j = (k + 1) % 3;
        E[k] = column_dot(R, k, k) - one;
        E[3 + k] = column_dot(R, k, j);
    }
}

/* The fast way; returns the lanes where R is right. */
static inline vi polar_fast(const vd F[9], vd R[9]) {
    const vd one = vd_set(1), two = vd_set(2), four = vd_set(4);
    vd cof[9], C[9], FC[9];
    vm_cofactor(F, cof);
    vm_transpose_multiply(F, F, C);
    vm_multiply(F, C, FC);
    const vd a = vm_trace(C), b = vm_dot(cof, cof), d = F[0] * cof[0] + F[1] * cof[1] + F[2] * cof[2];
    vi good = (vi)(a > vd_set(1e-16)) & (vi)(a < vd_set(1e16));

    /* Newton from above on p; lanes that have converged stay put. */
    const vd d8 = vd_set(8) * d, p0 = a * a - four * b;
    vd l = vd_sqrt(vd_set(3) * a);
    vi moving = good;
    for (int i = 0; i < POLAR_NEWTON; ++i) {
        const vd ll = l * l;
        const vd p = ((ll - two * a) * l - d8) * l + p0, slope = four * (l * (ll - a)) - d8;
        const vd step = vd_select(moving & (vi)(slope > vd_set(0)), p / slope, vd_set(0));
        l -= step;
        moving &= (vi)(vd_abs(step) >
                       vd_set(1e-9) * l); /* convergence is quadratic: the next step would be below 1e-17 or rounding */
        if (!vi_any(moving)) break;
    }

    const vd D = l * (l * l - a) - two * d;
    good &= (vi)(D > vd_set(1e-5) * (l * l * l));
    const vd scale = one / vd_select(good, D, one), f = (l * l + a) * scale, g = -two * scale, h = two * l * scale;
    for (int i = 0; i < 9; ++i) R[i] = f * F[i] + g * FC[i] + h * cof[i];
    const vi sharp = good & (vi)(D > vd_set(POLAR_SHARP) * (l * l * l));
    if (vi_all(sharp)) return good;
    vd plain[9];
    for (int i = 0; i < 9; ++i) plain[i] = R[i];

    /* Newton-Schulz: R <- R (I - E / 2), E = R^T R - I. */
    vd E[6];
    orthogonality_error(R, E);
    const vd half = vd_set(0.5);
    for (int r = 0; r < 9; r += 3) {
        const vd row[3] = {R[r], R[r + 1], R[r + 2]};
        vd out[3];
        symmetric_apply(E, row, out);
        for (int j = 0; j < 3; ++j) R[r + j] = row[j] - half * out[j];
    }

    /* Newton on the rotation: G w = axial of S - S^T makes R (I + [w]) stationary. */
    vd S[9], G[6], determinant, w[3];
    vm_transpose_multiply(R, F, S);
    turning_matrix(S, G, &determinant);
    const vd axial[3] = {S[7] - S[5], S[2] - S[6], S[3] - S[1]};
    symmetric_apply(G, axial, w);
    const vd inverse = one / vd_select(good, determinant, one);
    for (int i = 0; i < 3; ++i) w[i] *= inverse;
    turn_by(R, w);

    /* Both steps are quadratic: what they leave is the square of what they changed. */
    vd error = vector_dot(w, w);
    for (int i = 0; i < 6; ++i) error += E[i] * E[i];
    for (int i = 0; i < 9; ++i) R[i] = vd_select(sharp, plain[i], R[i]);
    return good & (sharp | (vi)(error < vd_set(1e-16)));
}

static inline void polar_slow(const vd F[9], vd R[9]) {
    vd U[9], s[3], V[9];
    svd3(F, U, s, V);
    vm_multiply_transpose(U, V, R);
}

static inline void polar3(const vd F[9], vd R[9]) {
    const vi good = polar_fast(F, R);
    if (vi_all(good)) return;
    vd slow[9];
    polar_slow(F, slow);
    for (int i = 0; i < 9; ++i) R[i] = vd_select(good, R[i], slow[i]);
}

/* G^-1 of turning_matrix(S), cut off where two singular values nearly cancel, so that it stays finite. */
static inline void turning_inverse(const vd S[9], vd inverse[6]) {
    vd determinant;
    turning_matrix(S, inverse, &determinant);
    const vd size = vd_abs(S[0]) + vd_abs(S[4]) + vd_abs(S[8]);
    const vd least = vd_set(1e-10) * (size * size * size) + vd_set(1e-300);
    const vd scale = vd_set(1) / vd_max(determinant, least);
    for (int i = 0; i < 6; ++i) inverse[i] *= scale;
}

/* n_ij = e_j x (row i of R): the axial vectors of R^T dF - dF^T R for unit dF. */
static inline void turning_axes(const vd R[9], vd n[9][3]) {
    const vd zero = vd_set(0);
    for (int i = 0; i < 3; ++i) {
        const vd x = R[3 * i], y = R[3 * i + 1], z = R[3 * i + 2];
        n[3 * i][0] = zero, n[3 * i][1] = -z, n[3 * i][2] = y;
        n[3 * i + 1][0] = z, n[3 * i + 1][1] = zero, n[3 * i + 1][2] = -x;
        n[3 * i + 2][0] = -y, n[3 * i + 2][1] = x, n[3 * i + 2][2] = zero;
    }
}

/* dR / dF of the polar rotation (also of an improper one): with S = R^T F and dR = R [w], (tr(S) I - S) w = axial(R^T
 * dF - dF^T R), so dR_ij / dF_kl = n_ij . G^-1 n_kl,  n_ij = e_j x (row i of R). */
static inline void polar_differential(const vd F[9], const vd R[9], vd dR[81]) {
    vd S[9], inverse[6], n[9][3], m[9][3];
    vm_transpose_multiply(R, F, S);
    turning_inverse(S, inverse);
    turning_axes(R, n);
    for (int b = 0; b < 9; ++b) symmetric_apply(inverse, n[b], m[b]);
    for (int a = 0; a < 9; ++a)
        for (int b = a; b < 9; ++b) dR[9 * a + b] = dR[9 * b + a] = vector_dot(n[a], m[b]);
}

#endif
