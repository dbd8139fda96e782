/* The law `corrected-corotated`: the corotated law with its volume term replaced by a nonlinear one (Stomakhin et al.
 * 2012).
 *   psi = mu |D|^2 + lambda / 2 (J - 1)^2,   D = sym(R^T F) - I,   P = 2 mu R D + lambda (J - 1) cof F
 *   exact        dP = shear term of corotate.h + lambda (cof F : dF) cof F + lambda (J - 1) d(cof F)
 *   projected    the exact one of the polar rotation with negative eigenvalues set to zero, in the frame of R and
 *                sym(R^T F)
 * Constants: lambda, mu. */
#include "fem/law.h"
#include "fem/names.h"

#include "corotate.h"
#include "lame.h"
#include "modes.h"

static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    const vd j = volume_change(F);
    vd D[9];
    corotated_strain(F, R, D);
    *psi = c[1] * vm_dot(D, D) + vd_set(0.5) * c[0] * (j * j);
}

static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    vd cof[9], D[9];
    vm_cofactor(F, cof);
    corotated_strain(F, R, D);
    vm_multiply(R, D, P);
    const vd twice = vd_set(2) * c[1], pressure = c[0] * volume_change(F);
    for (int i = 0; i < 9; ++i) P[i] = twice * P[i] + pressure * cof[i];
}

static void exact(const vd *c, const vd *F, const vd *R, const vd *dR, vd *dP) {
    vd cof[9];
    vm_cofactor(F, cof);
    shear_differential(c[1], F, R, dR, skewed_lanes(F, R, dR), dP);
    for (int a = 0; a < 9; ++a)
        for (int b = 0; b < 9; ++b) dP[9 * a + b] += c[0] * (cof[a] * cof[b]);
    add_cofactor_differential(F, c[0] * volume_change(F), dP);
}

static void projected(const vd *c, const vd *F, const vd *R, vd *dP) {
    vd s[3], V[9], U[9], g[3];
    const vd least = corotated_frame(F, R, s, V, U);
    const vd two = vd_set(2), twice = two * c[1], pressure = c[0] * volume_change(F);
    const vd sign = vd_copysign(vd_set(1), vm_determinant(R)); /* of J / (s0 s1 s2): a reflection has -1 */
    principal p;
    for (int k = 0; k < 3; ++k) {
        const vd si = s[(k + 1) % 3], sj = s[(k + 2) % 3], turned = sign * pressure * s[k];
        g[k] = sign * (si * sj);
        p.A[k] = twice + c[0] * (g[k] * g[k]);
        p.shear[k] = twice - turned;
        p.turn[k] = twice - two * twice / vd_max(si + sj, least) + turned;
    }
    for (int e = 0; e < 3; ++e) p.A[3 + e] = c[0] * (g[e] * g[(e + 1) % 3]) + sign * pressure * s[(e + 2) % 3];
    principal_project(&p);
    principal_assemble(&p, U, V, dP);
}

static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F, const vd *R,
                         const vd *dR, vd *dP) {
    if (kind == SN_DIFFERENTIAL_EXACT)
        exact(c, F, R, dR, dP);
    else
        projected(c, F, R, dP);
}

const sn_law SN_ISA(sn_law_corrected_corotated) = {
    SN_LAW_corrected_corotated,
    .flags = SN_LAW_ROTATION | SN_LAW_INDEFINITE | SN_LAW_ISOTROPIC,
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_PROJECTED,
    .default_differential = SN_DIFFERENTIAL_PROJECTED,
    SN_LAW_OF_LAME,
    .energy = energy,
    .stress = stress,
    .differential = differential,
    .strain = SN_STRAIN_COROTATED,
};
