/* The law `linear`: Hooke's law on the linear (Cauchy) strain e = (F + F^T) / 2 - I.
 *   psi = mu e : e + lambda / 2 tr^2 e,   P = 2 mu e + lambda tr(e) I
 * Right for small displacements only: a rotation strains it. Constants: lambda, mu. */
#include "fem/law.h"
#include "fem/names.h"

#include "lame.h"

static inline void strain(const vd *F, vd e[9]) {
    const vd half = vd_set(0.5), one = vd_set(1);
    e[0] = F[0] - one, e[4] = F[4] - one, e[8] = F[8] - one;
    e[1] = e[3] = half * (F[1] + F[3]);
    e[2] = e[6] = half * (F[2] + F[6]);
    e[5] = e[7] = half * (F[5] + F[7]);
}

static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    vd e[9];
    strain(F, e);
    const vd trace = vm_trace(e);
    *psi = c[1] * vm_dot(e, e) + vd_set(0.5) * c[0] * (trace * trace);
}

static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    vd e[9];
    strain(F, e);
    const vd pressure = c[0] * vm_trace(e), twice = vd_set(2) * c[1];
    for (int i = 0; i < 9; ++i) P[i] = twice * e[i];
    for (int i = 0; i < 9; i += 4) P[i] += pressure;
}

static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F, const vd *R,
                         const vd *dR, vd *dP) {
    for (int i = 0; i < 81; ++i) dP[i] = vd_set(0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            dP[9 * (3 * i + j) + 3 * i + j] += c[1];
            dP[9 * (3 * i + j) + 3 * j + i] += c[1];
            dP[9 * (4 * i) + 4 * j] += c[0];
        }
}

const sn_law SN_ISA(sn_law_linear) = {
    SN_LAW_linear,
    .flags = SN_LAW_CONSTANT | SN_LAW_WARPED,
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_PROJECTED,
    .default_differential = SN_DIFFERENTIAL_EXACT,
    SN_LAW_OF_LAME,
    .energy = energy,
    .stress = stress,
    .differential = differential,
    .strain = SN_STRAIN_CAUCHY,
};
