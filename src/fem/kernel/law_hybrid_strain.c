/* The law `hybrid-strain` (Hauth 5.3.5): pressure by Green's strain, shear by the corotated one, since the error of the
 * corotated strain is largest in the pressure.
 *   psi = mu |D|^2 + lambda / 2 e^2,   D = sym(R^T F) - I,   e = tr E = (|F|^2 - 3) / 2,   P = 2 mu R D + lambda e F
 *   exact        dP = shear term of corotate.h + lambda (F : dF) F + lambda e dF
 *   projected    the exact one of the polar rotation with negative eigenvalues set to zero, in the frame of R and
 *                sym(R^T F)
 * P is the gradient of psi when R is a polar rotation. Constants: lambda, mu. */
#include "fem/law.h"
#include "fem/names.h"

#include "corotate.h"
#include "lame.h"
#include "modes.h"

/* tr E = tr A + |A|^2 / 2 with A = F - I, which keeps its digits near rest. */
static inline vd green_trace(const vd *F) {
    vd square = vd_set(0), trace = vd_set(0);
    for (int i = 0; i < 9; ++i) {
        const vd a = F[i] - vd_set(i % 4 == 0);
        square += a * a;
        if (i % 4 == 0) trace += a;
    }
    return trace + vd_set(0.5) * square;
}

static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    vd D[9];
    const vd e = green_trace(F);
    corotated_strain(F, R, D);
    *psi = c[1] * vm_dot(D, D) + vd_set(0.5) * c[0] * (e * e);
}

static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    vd D[9];
    corotated_strain(F, R, D);
    vm_multiply(R, D, P);
    const vd twice = vd_set(2) * c[1], pressure = c[0] * green_trace(F);
    for (int i = 0; i < 9; ++i) P[i] = twice * P[i] + pressure * F[i];
}

static void projected(const vd *c, const vd *F, const vd *R, vd *dP) {
    vd s[3], V[9], U[9];
    const vd least = corotated_frame(F, R, s, V, U);
    const vd two = vd_set(2), twice = two * c[1], pressure = c[0] * green_trace(F);
    principal p;
    for (int k = 0; k < 3; ++k) {
        p.A[k] = twice + pressure + c[0] * (s[k] * s[k]);
        p.A[3 + k] = c[0] * (s[k] * s[(k + 1) % 3]);
        p.shear[k] = twice + pressure;
        p.turn[k] = twice + pressure - two * twice / vd_max(s[(k + 1) % 3] + s[(k + 2) % 3], least);
    }
    principal_project(&p);
    principal_assemble(&p, U, V, dP);
}

static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F, const vd *R,
                         const vd *dR, vd *dP) {
    if (kind != SN_DIFFERENTIAL_EXACT) {
        projected(c, F, R, dP);
        return;
    }
    shear_differential(c[1], F, R, dR, skewed_lanes(F, R, dR), dP);
    const vd pressure = c[0] * green_trace(F);
    for (int a = 0; a < 9; ++a) {
        for (int b = 0; b < 9; ++b) dP[9 * a + b] += c[0] * (F[a] * F[b]);
        dP[10 * a] += pressure;
    }
}

const sn_law SN_ISA(sn_law_hybrid_strain) = {
    SN_LAW_hybrid_strain,
    .flags = SN_LAW_ROTATION | SN_LAW_INDEFINITE | SN_LAW_ISOTROPIC,
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_PROJECTED,
    .default_differential = SN_DIFFERENTIAL_PROJECTED,
    SN_LAW_OF_LAME,
    .energy = energy,
    .stress = stress,
    .differential = differential,
    .strain = SN_STRAIN_COROTATED,
};
