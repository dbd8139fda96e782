/* The law `corotated`: Hooke's law on the corotated strain S - I, F = R S (Civit 3.14 to 3.23).
 *   psi = mu |D|^2 + lambda / 2 t^2,   D = sym(R^T F) - I,   t = tr D,   P = R (2 mu D + lambda t I)
 *   exact        dP = 2 mu dF + lambda tr(R^T dF) R + (lambda t - 2 mu) dR when S is symmetric; else see corotate.h
 *   truncated-1  dP = 2 mu dF + lambda tr(R^T dF) R
 *   truncated-2  dP = 2 mu R sym(R^T dF) + lambda tr(R^T dF) R, the warped stiffness R K0 R^T
 *   hybrid       g truncated-1 + (1 - g) truncated-2, g = min(tr|S - I| / dimension, 1), |S - I| by the eigenvalues of
 * sym(S) projected    the exact one of the polar rotation, with its turning modes (see modes.h) cut at zero; in the
 * frame of R and sym(R^T F) P is the gradient of psi when R is a polar rotation (polar, isvd, higham). Constants:
 * lambda, mu. */
#include "fem/law.h"
#include "fem/names.h"

#include "corotate.h"
#include "lame.h"
#include "modes.h"

/* tr(R^T F) - 3 = R : (F - R), since R : R = 3. */
static inline vd stretch(const vd *F, const vd *R) {
    vd t = R[0] * (F[0] - R[0]);
    for (int i = 1; i < 9; ++i) t += R[i] * (F[i] - R[i]);
    return t;
}

static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    vd D[9];
    corotated_strain(F, R, D);
    const vd t = vm_trace(D);
    *psi = c[1] * vm_dot(D, D) + vd_set(0.5) * c[0] * (t * t);
}

static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    vd S[9];
    corotated_hooke(c, F, R, S);
    vm_multiply(R, S, P);
}

static void unrotated(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *S) {
    vd full[9];
    corotated_hooke(c, F, R, full);
    corotated_six(full, S);
}

/* full 2 mu dF + warped 2 mu R sym(R^T dF) + lambda tr(R^T dF) R. With R orthogonal R sym(R^T dF) = (dF + R dF^T R)
 * / 2. */
static inline void truncated(const vd *c, const vd *R, vd full, vd warped, vd *dP) {
    const vd same = vd_set(2) * c[1] * full + c[1] * warped, cross = c[1] * warped;
    for (int a = 0; a < 9; ++a)
        for (int b = a; b < 9; ++b) {
            const int i = a / 3, j = a % 3, k = b / 3, l = b % 3;
            dP[9 * a + b] = dP[9 * b + a] = c[0] * (R[a] * R[b]) + cross * (R[3 * i + l] * R[3 * k + j]);
        }
    for (int a = 0; a < 9; ++a) dP[10 * a] += same;
}

/* The mean over the axes of the element; a plane one has two. */
static vd hybrid_weight(int dimension, const vd *F, const vd *R) {
    vd S[9], s[3], V[9];
    const vd one = vd_set(1), axes = vd_set(dimension);
    vm_transpose_multiply(R, F, S);
    symmetric_eigen(S, s, V);
    return vd_min((vd_abs(s[0] - one) + vd_abs(s[1] - one) + vd_abs(s[2] - one)) / axes, one);
}

static void exact(const vd *c, const vd *F, const vd *R, const vd *dR, vd *dP) {
    const vi skewed = skewed_lanes(F, R, dR);
    const vd pressure = c[0] * stretch(F, R);
    shear_differential(c[1], F, R, dR, skewed, dP);
    for (int b = 0; b < 9; ++b) {
        vd change = R[b]; /* of t: tr(R^T dF) + tr(dR^T F), the latter zero when S is symmetric */
        if (vi_any(skewed)) {
            vd turned = change;
            for (int a = 0; a < 9; ++a) turned += dR[9 * a + b] * F[a];
            change = vd_select(skewed, turned, change);
        }
        for (int a = 0; a < 9; ++a) dP[9 * a + b] += c[0] * (R[a] * change) + pressure * dR[9 * a + b];
    }
}

static void projected(const vd *c, const vd *F, const vd *R, vd *dP) {
    vd s[3], V[9], U[9];
    const vd least = corotated_frame(F, R, s, V, U);
    const vd two = vd_set(2), twice = two * c[1], turning = two * (c[0] * stretch(F, R) - twice);
    principal p;
    for (int k = 0; k < 3; ++k) {
        p.A[k] = twice + c[0];
        p.A[3 + k] = c[0];
        p.shear[k] = twice;
        p.turn[k] = twice + turning / vd_max(s[(k + 1) % 3] + s[(k + 2) % 3], least);
    }
    principal_project(&p);
    principal_assemble(&p, U, V, dP);
}

static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F, const vd *R,
                         const vd *dR, vd *dP) {
    const vd zero = vd_set(0), one = vd_set(1);
    switch (kind) {
    case SN_DIFFERENTIAL_TRUNCATED_1:
        truncated(c, R, one, zero, dP);
        break;
    case SN_DIFFERENTIAL_HYBRID: {
        const vd weight = hybrid_weight(dimension, F, R);
        truncated(c, R, weight, one - weight, dP);
        break;
    }
    case SN_DIFFERENTIAL_EXACT:
        exact(c, F, R, dR, dP);
        break;
    case SN_DIFFERENTIAL_PROJECTED:
        projected(c, F, R, dP);
        break;
    default:
        truncated(c, R, zero, one, dP);
        break;
    }
}

const sn_law SN_ISA(sn_law_corotated) = {
    SN_LAW_corotated,
    .flags = SN_LAW_ROTATION | SN_LAW_INDEFINITE | SN_LAW_ISOTROPIC | SN_LAW_WARPED | SN_LAW_TURNED,
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_PROJECTED | 1u << SN_DIFFERENTIAL_TRUNCATED_1 |
                     1u << SN_DIFFERENTIAL_TRUNCATED_2 | 1u << SN_DIFFERENTIAL_HYBRID,
    .default_differential = SN_DIFFERENTIAL_TRUNCATED_2,
    SN_LAW_OF_LAME,
    .energy = energy,
    .stress = stress,
    .unrotated = unrotated,
    .differential = differential,
    .blend = hybrid_weight,
    .strain = SN_STRAIN_COROTATED,
};
