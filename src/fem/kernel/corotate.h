/* The shear term that corotational laws share: Hooke's mu on the symmetric corotated strain D = sym(R^T F) - I
 * (Civit 4.23 to 4.26). psi = mu |D|^2,   P = 2 mu R D = mu (H + R H^T R),   H = F - R With a polar rotation S = R^T F
 * is symmetric, P = 2 mu (F - R) is the gradient of psi, and dP = 2 mu (dF - dR). With the others (qr, and project,
 * reflect, dapd while degenerate) P leaves out the change of R, so that it is the force that is linear in F for a given
 * R, and dP = mu (dH + dR H^T R + R dH^T R + R H^T dR),   dH = dF - dR. */
#ifndef SN_FEM_KERNEL_COROTATE_H
#define SN_FEM_KERNEL_COROTATE_H

#include "base/simd.h"

/* D. */
static inline void corotated_strain(const vd F[9], const vd R[9], vd D[9]) {
    vd H[9], S[9];
    for (int i = 0; i < 9; ++i) H[i] = F[i] - R[i];
    vm_transpose_multiply(R, H, S);
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) D[3 * i + j] = D[3 * j + i] = vd_set(0.5) * (S[3 * i + j] + S[3 * j + i]);
}

/* S of the law `corotated`, P = R S: 2 mu D + lambda tr(D) I. c: lambda, mu. */
static inline void corotated_hooke(const vd *c, const vd F[9], const vd R[9], vd S[9]) {
    corotated_strain(F, R, S);
    const vd twice = vd_set(2) * c[1], pressure = c[0] * vm_trace(S);
    for (int i = 0; i < 9; ++i) S[i] *= twice;
    for (int i = 0; i < 3; ++i) S[4 * i] += pressure;
}

/* The numbers xx, yy, zz, xy, yz, zx of a matrix that is symmetric to the last bit. */
static inline void corotated_six(const vd S[9], vd six[6]) {
    six[0] = S[0], six[1] = S[4], six[2] = S[8], six[3] = S[1], six[4] = S[5], six[5] = S[2];
}

/* The lanes where S is not symmetric. */
static inline vi asymmetric_lanes(const vd F[9], const vd R[9]) {
    vd S[9];
    vm_transpose_multiply(R, F, S);
    const vd skew = vd_max(vd_max(vd_abs(S[1] - S[3]), vd_abs(S[2] - S[6])), vd_abs(S[5] - S[7]));
    const vd size = vd_abs(S[0]) + vd_abs(S[4]) + vd_abs(S[8]) + vd_abs(S[1]) + vd_abs(S[2]) + vd_abs(S[5]);
    return (vi)(skew > vd_set(1e-9) * size);
}

/* The lanes where S is not symmetric, or where R stays (dR = 0; else a turn dF = W R makes the change dR = W R). */
static inline vi skewed_lanes(const vd F[9], const vd R[9], const vd dR[81]) {
    vd change = vd_set(0);
    for (int i = 0; i < 81; ++i) change += vd_abs(dR[i]);
    return asymmetric_lanes(F, R) | (vi)(change == vd_set(0));
}

/* dP of the shear term with the derivative of R. */
static inline void shear_differential(vd mu, const vd F[9], const vd R[9], const vd dR[81], vi skewed, vd dP[81]) {
    const vd twice = vd_set(2) * mu;
    for (int a = 0; a < 81; ++a) dP[a] = -twice * dR[a];
    for (int a = 0; a < 9; ++a) dP[10 * a] += twice;
    if (!vi_any(skewed)) return;
    vd H[9], M[9];
    for (int i = 0; i < 9; ++i) H[i] = F[i] - R[i];
    vm_transpose_multiply(H, R, M); /* H^T R */
    vd N[9];
    vm_multiply_transpose(R, H, N); /* R H^T */
    for (int b = 0; b < 9; ++b) {
        vd D[9], dH[9], E[9], one[9], two[9], three[9];
        for (int a = 0; a < 9; ++a) {
            D[a] = dR[9 * a + b];
            dH[a] = vd_set(a == b) - D[a];
        }
        vm_multiply(D, M, one);
        vm_transpose_multiply(dH, R, E);
        vm_multiply(R, E, two);
        vm_multiply(N, D, three);
        for (int a = 0; a < 9; ++a) {
            const vd full = mu * (dH[a] + one[a] + two[a] + three[a]);
            dP[9 * a + b] = vd_select(skewed, full, dP[9 * a + b]);
        }
    }
}

/* The energy psi(R^T F) changes with R too: its gradient is P + P', P'_b = sum_a (F P^T R)_a dR_ab, P at fixed R (Civit
 * 4.25 and A.1). P' vanishes where S = R^T F is symmetric and the law isotropic. */
static inline void add_turning_stress(const vd F[9], const vd R[9], const vd dR[81], vd P[9]) {
    vd FP[9], M[9];
    vm_multiply_transpose(F, P, FP);
    vm_multiply(FP, R, M);
    for (int a = 0; a < 9; ++a)
        for (int b = 0; b < 9; ++b) P[b] += M[a] * dR[9 * a + b];
}

#endif
