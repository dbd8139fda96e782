/* Isotropic laws as functions psi(I1, I2, J) of the invariants of C = F^T F:
 *   I1 = tr C,   I2 = (tr^2 C - tr C^2) / 2,   J = det F
 *
 * A law gives psi and its first and second derivatives. This header makes energy, stress and differential from them:
 *   P  = psi_1 G1 + psi_2 G2 + psi_J GJ,   with the gradients G1 = 2 F, G2 = 2 (I1 F - F C), GJ = cof F
 *   dP = sum psi_ab Ga (x) Gb + psi_1 H1 + psi_2 H2 + psi_J HJ,   with the second derivatives H of the invariants
 * At the singular values s, without division (i, j, k different; see modes.h):
 *   shear_k = 2 psi_1 + psi_2 (2 s_k^2 - 2 s_i s_j) - psi_J s_k
 *   turn_k  = 2 psi_1 + psi_2 (2 s_k^2 + 2 s_i s_j) + psi_J s_k
 *
 * Energies are second order in the strain while the invariants change in first order, so near rest a law must not
 * subtract large numbers: it also sees the invariants' changes from rest, computed from F - I.
 *
 * A law's file defines
 *   static inline void density(const vd *c, const invariants *i, vd *psi);
 *   static inline void derivatives(const vd *c, const invariants *i, derivative *d);   (d starts as zero)
 * and then SN_INVARIANT_KERNELS makes its kernels, SN_INVARIANT_LAW fills its table. */
#ifndef SN_FEM_KERNEL_INVARIANTS_H
#define SN_FEM_KERNEL_INVARIANTS_H

#include "fem/law.h"
#include "modes.h"
#include "svd3.h"

typedef struct invariants {
    vd I1, I2, J;
    vd k1; /* I1 - 3 = tr H, H = C - I */
    vd h2; /* second invariant of H, (tr^2 H - tr H^2) / 2: I2 - 3 = 2 k1 + h2, tr H^2 = k1^2 - 2 h2 */
    vd j;  /* J - 1 */
    vd q;  /* k1 - 2 j, second order in the strain */
} invariants;

/* First and second derivatives of psi. */
typedef struct derivative {
    vd p1, p2, pJ, p11, p12, p1J, p22, p2J, pJJ;
} derivative;

static inline derivative no_derivative(void) {
    derivative d;
    memset(&d, 0, sizeof d);
    return d;
}

/* With `positive`, lanes with J <= 0 are evaluated as if J were 1: finite, and reported by the caller. */
static inline invariants invariants_of(const vd F[9], int positive) {
    invariants i;
    vd A[9], H[9];
    const vd two = vd_set(2), three = vd_set(3);
    for (int k = 0; k < 9; ++k) A[k] = F[k] - vd_set(k % 4 == 0);
    vm_transpose_multiply(A, A, H); /* H = A + A^T + A^T A */
    const vd square = vm_trace(H), trace = vm_trace(A);
    for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s) H[3 * r + s] += A[3 * r + s] + A[3 * s + r];
    i.k1 = two * trace + square;
    i.h2 = (H[0] * H[4] - H[1] * H[1]) + (H[4] * H[8] - H[5] * H[5]) + (H[8] * H[0] - H[2] * H[2]);
    const vd second = (A[0] * A[4] - A[1] * A[3]) + (A[4] * A[8] - A[5] * A[7]) + (A[8] * A[0] - A[6] * A[2]);
    const vd beyond = second + vm_determinant(A);
    i.j = trace + beyond;
    i.q = square - two * beyond;
    /* Far below rest 3 + k1 and the like would cancel: there the invariants come from F itself. */
    const vd change2 = two * i.k1 + i.h2, half = vd_set(-0.5);
    vd cof[9];
    vm_cofactor(F, cof);
    i.I1 = vd_select((vi)(i.k1 > three * half), three + i.k1, vm_dot(F, F));
    i.I2 = vd_select((vi)(change2 > three * half), three + change2, vm_dot(cof, cof));
    i.J = vd_select((vi)(i.j > half), vd_set(1) + i.j, vm_determinant(F));
    if (positive) {
        const vi valid = (vi)(i.J > vd_set(0));
        i.q = vd_select(valid, i.q, i.k1);
        i.j = vd_select(valid, i.j, vd_set(0));
        i.J = vd_select(valid, i.J, vd_set(1));
    }
    return i;
}

/* 2 (I1 F - F C) */
static inline void second_gradient(const vd F[9], const vd C[9], vd I1, vd G2[9]) {
    vd FC[9];
    vm_multiply(F, C, FC);
    for (int k = 0; k < 9; ++k) G2[k] = vd_set(2) * (I1 * F[k] - FC[k]);
}

static inline void invariant_stress(const derivative *d, vd I1, const vd F[9], vd P[9]) {
    vd C[9], G2[9], cof[9];
    vm_transpose_multiply(F, F, C);
    second_gradient(F, C, I1, G2);
    vm_cofactor(F, cof);
    const vd twice = vd_set(2) * d->p1;
    for (int k = 0; k < 9; ++k) P[k] = twice * F[k] + d->p2 * G2[k] + d->pJ * cof[k];
}

static inline void invariant_exact(const derivative *d, vd I1, const vd F[9], vd dP[81]) {
    const vd two = vd_set(2), four = vd_set(4);
    vd C[9], B[9], G1[9], G2[9], GJ[9];
    vm_transpose_multiply(F, F, C);
    vm_multiply_transpose(F, F, B);
    second_gradient(F, C, I1, G2);
    vm_cofactor(F, GJ);
    for (int k = 0; k < 9; ++k) G1[k] = two * F[k];
    const vd p2 = two * d->p2, outer = four * d->p2;
    for (int a = 0; a < 9; ++a) {
        const vd X1 = d->p11 * G1[a] + d->p12 * G2[a] + d->p1J * GJ[a];
        const vd X2 = d->p12 * G1[a] + d->p22 * G2[a] + d->p2J * GJ[a];
        const vd XJ = d->p1J * G1[a] + d->p2J * G2[a] + d->pJJ * GJ[a];
        const int i = a / 3, j = a % 3;
        for (int b = a; b < 9; ++b) {
            const int k = b / 3, l = b % 3;
            vd sum = X1 * G1[b] + X2 * G2[b] + XJ * GJ[b] + outer * (F[a] * F[b]) - p2 * (F[3 * i + l] * F[3 * k + j]);
            if (i == k) sum -= p2 * C[3 * l + j];
            if (j == l) sum -= p2 * B[3 * i + k];
            if (a == b) sum += two * d->p1 + p2 * I1;
            dP[9 * a + b] = dP[9 * b + a] = sum;
        }
    }
    add_cofactor_differential(F, d->pJ, dP);
}

static inline void invariant_projected(const derivative *d, vd I1, const vd F[9], vd dP[81]) {
    const vd two = vd_set(2), four = vd_set(4);
    vd U[9], s[3], V[9], g1[3], g2[3], gJ[3];
    svd3(F, U, s, V);
    principal p;
    for (int k = 0; k < 3; ++k) {
        const vd si = s[(k + 1) % 3], sj = s[(k + 2) % 3], sk = s[k];
        g1[k] = two * sk;
        g2[k] = two * sk * (si * si + sj * sj);
        gJ[k] = si * sj;
        p.shear[k] = two * d->p1 + two * d->p2 * (sk * sk - si * sj) - d->pJ * sk;
        p.turn[k] = two * d->p1 + two * d->p2 * (sk * sk + si * sj) + d->pJ * sk;
    }
    for (int e = 0; e < 6; ++e) {
        const int i = e % 3, j = e < 3 ? i : (i + 1) % 3, k = (i + 2) % 3;
        p.A[e] = (d->p11 * g1[i] + d->p12 * g2[i] + d->p1J * gJ[i]) * g1[j] +
                 (d->p12 * g1[i] + d->p22 * g2[i] + d->p2J * gJ[i]) * g2[j] +
                 (d->p1J * g1[i] + d->p2J * g2[i] + d->pJJ * gJ[i]) * gJ[j];
        if (e < 3)
            p.A[e] += two * d->p1 + two * d->p2 * (I1 - s[i] * s[i]);
        else
            p.A[e] += four * d->p2 * (s[i] * s[j]) + d->pJ * s[k];
    }
    principal_project(&p);
    principal_assemble(&p, U, V, dP);
}

/* energy, stress and differential of a law with the static functions density(c, i, psi) and derivatives(c, i, d). */
#define SN_INVARIANT_KERNELS(positive)                                                                                 \
    static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {                            \
        const invariants i = invariants_of(F, positive);                                                               \
        density(c, &i, psi);                                                                                           \
    }                                                                                                                  \
    static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {                              \
        const invariants i = invariants_of(F, positive);                                                               \
        derivative d = no_derivative();                                                                                \
        derivatives(c, &i, &d);                                                                                        \
        invariant_stress(&d, i.I1, F, P);                                                                              \
    }                                                                                                                  \
    static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F,         \
                             const vd *R, const vd *dR, vd *dP) {                                                      \
        const invariants i = invariants_of(F, positive);                                                               \
        derivative d = no_derivative();                                                                                \
        derivatives(c, &i, &d);                                                                                        \
        if (kind == SN_DIFFERENTIAL_EXACT)                                                                             \
            invariant_exact(&d, i.I1, F, dP);                                                                          \
        else                                                                                                           \
            invariant_projected(&d, i.I1, F, dP);                                                                      \
    }

#define SN_INVARIANT_LAW(more_flags, constants)                                                                        \
    .flags = SN_LAW_INDEFINITE | SN_LAW_ISOTROPIC | (more_flags),                                                      \
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_PROJECTED,                                    \
    .default_differential = SN_DIFFERENTIAL_PROJECTED, .parameter = parameter,                                         \
    .parameter_count = sizeof parameter / sizeof *parameter, .constant_count = (constants), .prepare = prepare,        \
    .scale = scale, .energy = energy, .stress = stress, .differential = differential, .strain = SN_STRAIN_GREEN

#endif
