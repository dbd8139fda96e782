/* The law `orthotropic-green`: orthotropic stiffness C on Green's strain E = (F^T F - I) / 2.
 *   psi = E : C E / 2,   S = C E,   P = F S,   dP = dF S + F C sym(F^T dF). See orthotropic.h. */
#include "fem/names.h"

#include "orthotropic.h"
#include "project9.h"

static const sn_parameter parameter[] = {SN_ORTHOTROPIC_PARAMETERS};

/* E from A = F - I: (A + A^T + A^T A) / 2, small near rest. */
static inline void green(const vd *F, vd E[9]) {
    vd A[9];
    for (int i = 0; i < 9; ++i) A[i] = F[i] - vd_set(i % 4 == 0);
    vm_transpose_multiply(A, A, E);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) E[3 * i + j] = vd_set(0.5) * (E[3 * i + j] + (A[3 * i + j] + A[3 * j + i]));
}

static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    vd E[9], S[9];
    green(F, E);
    orthotropic_stress(c, E, S);
    *psi = vd_set(0.5) * vm_dot(E, S);
}

static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    vd E[9], S[9];
    green(F, E);
    orthotropic_stress(c, E, S);
    vm_multiply(F, S, P);
}

static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F, const vd *R,
                         const vd *dR, vd *dP) {
    vd E[9], S[9];
    green(F, E);
    orthotropic_stress(c, E, S);
    orthotropic_through(c, F, dP);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int l = 0; l < 3; ++l) dP[9 * (3 * i + j) + 3 * i + l] += S[3 * j + l];
    if (kind == SN_DIFFERENTIAL_PROJECTED) project9(dP);
}

const sn_law SN_ISA(sn_law_orthotropic_green) = {
    SN_LAW_orthotropic_green,
    .flags = SN_LAW_INDEFINITE,
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_PROJECTED,
    .default_differential = SN_DIFFERENTIAL_PROJECTED,
    .parameter = parameter,
    .parameter_count = sizeof parameter / sizeof *parameter,
    .constant_count = ORTHOTROPIC_CONSTANTS,
    .prepare = orthotropic_prepare,
    .scale = orthotropic_scale,
    .energy = energy,
    .stress = stress,
    .differential = differential,
    .rest_stiffness = orthotropic_rest_stiffness,
    .strain = SN_STRAIN_GREEN,
};
