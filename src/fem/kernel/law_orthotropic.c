/* The law `orthotropic`: orthotropic stiffness C on the corotated strain e = sym(R^T F) - I. See orthotropic.h.
 *   psi = e : C e / 2,   sigma = C e
 *
 * In an isotropic law sigma and S = R^T F commute. Here they do not, so the turning of R adds to the stress:
 *   dR = R [w],   G w = axial(R^T dF - dF^T R),   G = tr(S) I - S
 *   P = R (sigma - [z]),   G z = y = axial(S sigma),   y_x = (S sigma)_yz - (S sigma)_zy and so on
 * P is the gradient of psi for the polar rotations.
 *
 *   exact        the derivative of P, direction by direction
 *   projected    the exact one with negative eigenvalues set to zero
 *   truncated-2  the warped stiffness dP = R C sym(R^T dF) */
#include "fem/names.h"

#include "orthotropic.h"
#include "polar3.h"
#include "project9.h"

static const sn_parameter parameter[] = {SN_ORTHOTROPIC_PARAMETERS};

static inline void corotated_strain(const vd *F, const vd *R, vd S[9], vd e[9]) {
    vm_transpose_multiply(R, F, S);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) e[3 * i + j] = vd_set(0.5) * (S[3 * i + j] + S[3 * j + i]) - vd_set(i == j);
}

/* y_p with w . y = sigma : [w] S. */
static inline void skew_vector(const vd m[9], vd y[3]) {
    y[0] = m[5] - m[7];
    y[1] = m[6] - m[2];
    y[2] = m[1] - m[3];
}

/* m -= [z] */
static inline void subtract_cross(vd m[9], const vd z[3]) {
    m[1] += z[2], m[3] -= z[2];
    m[2] -= z[1], m[6] += z[1];
    m[5] += z[0], m[7] -= z[0];
}

static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    vd S[9], e[9], sigma[9];
    corotated_strain(F, R, S, e);
    orthotropic_stress(c, e, sigma);
    *psi = vd_set(0.5) * vm_dot(e, sigma);
}

static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    vd S[9], e[9], sigma[9], product[9], inverse[6], y[3], z[3];
    corotated_strain(F, R, S, e);
    orthotropic_stress(c, e, sigma);
    vm_multiply(S, sigma, product);
    skew_vector(product, y);
    turning_inverse(S, inverse);
    symmetric_apply(inverse, y, z);
    subtract_cross(sigma, z);
    vm_multiply(R, sigma, P);
}

/* m[w] = [w] m, the matrix of w x from the left. */
static inline void cross_left(const vd w[3], const vd m[9], vd out[9]) {
    for (int j = 0; j < 3; ++j) {
        out[j] = w[1] * m[6 + j] - w[2] * m[3 + j];
        out[3 + j] = w[2] * m[j] - w[0] * m[6 + j];
        out[6 + j] = w[0] * m[3 + j] - w[1] * m[j];
    }
}

static void exact(const vd *c, const vd *F, const vd *R, vd *dP) {
    vd S[9], e[9], sigma[9], product[9], inverse[6], y[3], z[3], n[9][3];
    corotated_strain(F, R, S, e);
    orthotropic_stress(c, e, sigma);
    vm_multiply(S, sigma, product);
    skew_vector(product, y);
    turning_inverse(S, inverse);
    symmetric_apply(inverse, y, z);
    turning_axes(R, n);
    vd local[9]; /* sigma - [z] */
    memcpy(local, sigma, sizeof local);
    subtract_cross(local, z);
    for (int b = 0; b < 9; ++b) {
        const int k = b / 3, l = b % 3;
        vd w[3], turned[9], dS[9], dsigma[9], first[9], second[9], dy[3], dz[3], out[9];
        symmetric_apply(inverse, n[b], w);
        cross_left(w, S, turned); /* dS = R^T dF - [w] S */
        for (int i = 0; i < 9; ++i) dS[i] = -turned[i];
        for (int i = 0; i < 3; ++i) dS[3 * i + l] += R[3 * k + i];
        orthotropic_stress(c, dS, dsigma);
        vm_multiply(dS, sigma, first);
        vm_multiply(S, dsigma, second);
        for (int i = 0; i < 9; ++i) first[i] += second[i];
        skew_vector(first, dy); /* dz = G^-1 (dy - dG z), dG = tr(dS) I - dS */
        const vd trace = vm_trace(dS);
        for (int i = 0; i < 3; ++i)
            dy[i] -= trace * z[i] - (dS[3 * i] * z[0] + dS[3 * i + 1] * z[1] + dS[3 * i + 2] * z[2]);
        symmetric_apply(inverse, dy, dz);
        cross_left(w, local, turned);
        subtract_cross(dsigma, dz);
        for (int i = 0; i < 9; ++i) dsigma[i] += turned[i];
        vm_multiply(R, dsigma, out);
        for (int a = 0; a < 9; ++a) dP[9 * a + b] = out[a];
    }
}

static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F, const vd *R,
                         const vd *dR, vd *dP) {
    if (kind == SN_DIFFERENTIAL_TRUNCATED_2) {
        orthotropic_through(c, R, dP);
        return;
    }
    exact(c, F, R, dP);
    if (kind != SN_DIFFERENTIAL_PROJECTED) return;
    for (int a = 0; a < 9; ++a) /* symmetric but for rounding */
        for (int b = 0; b < a; ++b) dP[9 * a + b] = dP[9 * b + a] = vd_set(0.5) * (dP[9 * a + b] + dP[9 * b + a]);
    project9(dP);
}

const sn_law SN_ISA(sn_law_orthotropic) = {
    SN_LAW_orthotropic,
    .flags = SN_LAW_ROTATION | SN_LAW_INDEFINITE,
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_PROJECTED | 1u << SN_DIFFERENTIAL_TRUNCATED_2,
    .default_differential = SN_DIFFERENTIAL_TRUNCATED_2,
    .parameter = parameter,
    .parameter_count = sizeof parameter / sizeof *parameter,
    .constant_count = ORTHOTROPIC_CONSTANTS,
    .prepare = orthotropic_prepare,
    .scale = orthotropic_scale,
    .energy = energy,
    .stress = stress,
    .differential = differential,
    .rest_stiffness = orthotropic_rest_stiffness,
    .strain = SN_STRAIN_COROTATED,
};
