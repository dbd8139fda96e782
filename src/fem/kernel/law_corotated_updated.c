/* The law `corotated-updated`: Hooke's law on the corotated strain, with the strain-displacement matrix of the present
 * shape instead of the rest shape (Nesme et al. 2005, 2.3 and 3.1; there with the rotation `qr`).
 *   e = sym(R^T F) - I,   s = lambda tr(e) I + 2 mu e
 *   P = T cof F,   T = R s R^T = lambda (R : F - 3) I + mu (F R^T + R F^T - 2 I)
 * The forces use the gradients cof(F) g of the present shape, times the rest volume.
 *
 * P F^T = det F T is symmetric for any rotation R, so an element exerts no torque on itself. With the gradients of the
 * rest shape it does, unless R^T F is symmetric. The price: P is the gradient of no energy (`energy` is that of the
 * strain alone), and in-plane stresses of an inverted element change sign with det F.
 *
 *   truncated-2  dP = (lambda tr(H) I + mu (H + H^T)) cof F,   H = dF cof(F)^T:
 *                Nesme's B^T D B with the updated B, positive semidefinite
 *   exact        the derivative of P, unsymmetric; needs dR
 * Constants: lambda, mu. */
#include "fem/law.h"
#include "fem/names.h"

#include "lame.h"

/* e = sym(R^T F) - I. */
static inline void strain(const vd *F, const vd *R, vd e[9]) {
    vd S[9];
    vm_transpose_multiply(R, F, S);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) e[3 * i + j] = vd_set(0.5) * (S[3 * i + j] + S[3 * j + i]);
    for (int i = 0; i < 9; i += 4) e[i] -= vd_set(1);
}

static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    vd e[9];
    strain(F, R, e);
    const vd trace = vm_trace(e);
    *psi = c[1] * vm_dot(e, e) + vd_set(0.5) * c[0] * (trace * trace);
}

/* T, by the strain, so that it vanishes at rest to rounding. */
static inline void turned_stress(const vd *c, const vd *F, const vd *R, vd *T) {
    vd e[9], Re[9];
    strain(F, R, e);
    const vd pressure = c[0] * vm_trace(e), twice = vd_set(2) * c[1];
    for (int i = 0; i < 9; ++i) e[i] *= twice;
    for (int i = 0; i < 9; i += 4) e[i] += pressure;
    vm_multiply(R, e, Re);
    vm_multiply_transpose(Re, R, T);
}

static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    vd T[9], C[9];
    turned_stress(c, F, R, T);
    vm_cofactor(F, C);
    vm_multiply(T, C, P);
}

static void truncated(const vd *c, const vd *F, vd *dP) {
    vd C[9], G[9];
    vm_cofactor(F, C);
    vm_transpose_multiply(C, C, G);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l) {
                    vd a = c[0] * (C[3 * i + j] * C[3 * k + l]) + c[1] * (C[3 * i + l] * C[3 * k + j]);
                    if (i == k) a += c[1] * G[3 * l + j];
                    dP[9 * (3 * i + j) + 3 * k + l] = a;
                }
}

/* Column by column: dT cof F + T dcof F along each entry of F. */
static void exact(const vd *c, const vd *F, const vd *R, const vd *dR, vd *dP) {
    vd T[9], C[9];
    turned_stress(c, F, R, T);
    vm_cofactor(F, C);
    for (int b = 0; b < 9; ++b) {
        vd D[9], Y[9], dT[9], dC[9], p[9], q[9];
        for (int a = 0; a < 9; ++a) D[a] = dR[9 * a + b];
        vm_multiply_transpose(F, D, Y); /* half of d(F R^T): F dR^T, then dF R^T */
        for (int j = 0; j < 3; ++j) Y[3 * (b / 3) + j] += R[3 * j + b % 3];
        const vd trace = c[0] * (R[b] + vm_dot(F, D));
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) dT[3 * i + j] = c[1] * (Y[3 * i + j] + Y[3 * j + i]);
        for (int i = 0; i < 9; i += 4) dT[i] += trace;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const int u = (i + 1) % 3, v = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
                vd d = vd_set(0);
                if (b == 3 * u + r) d += F[3 * v + s];
                if (b == 3 * v + s) d += F[3 * u + r];
                if (b == 3 * u + s) d -= F[3 * v + r];
                if (b == 3 * v + r) d -= F[3 * u + s];
                dC[3 * i + j] = d;
            }
        vm_multiply(dT, C, p);
        vm_multiply(T, dC, q);
        for (int a = 0; a < 9; ++a) dP[9 * a + b] = p[a] + q[a];
    }
}

static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F, const vd *R,
                         const vd *dR, vd *dP) {
    if (kind == SN_DIFFERENTIAL_EXACT)
        exact(c, F, R, dR, dP);
    else
        truncated(c, F, dP);
}

const sn_law SN_ISA(sn_law_corotated_updated) = {
    SN_LAW_corotated_updated,
    .flags = SN_LAW_ROTATION | SN_LAW_INDEFINITE | SN_LAW_NO_POTENTIAL | SN_LAW_UPDATED,
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_TRUNCATED_2,
    .default_differential = SN_DIFFERENTIAL_TRUNCATED_2,
    SN_LAW_OF_LAME,
    .energy = energy,
    .stress = stress,
    .differential = differential,
    .strain = SN_STRAIN_COROTATED,
};
