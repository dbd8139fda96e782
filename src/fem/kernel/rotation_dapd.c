/* The rotation `dapd`: degeneration-aware polar decomposition (Civit 4.4). The features that met when the element
 * collapsed are moved apart again, and the polar rotation is taken of that virtual shape, so that no element turns
 * beyond its collapse (see collapse.h):
 *   d(J) = beta alpha (2 r^2 - r^3)  for 0 <= J < alpha,   r = 1 - J / alpha
 *   d(J) = beta (alpha - J)          for J < 0
 *   R = polar(F_moved)
 * d is once continuously differentiable. det F_moved = J + d(J) is positive for beta >= 1. The larger beta is, the more
 * the forces of inverted elements point back along the direction of the collapse. Defaults: alpha 0.1, beta 3.
 *
 * The differential holds the witness. With m = cof(F) n and c = d / |m|^2:
 *   dR = dpolar(F_moved) : dF_moved,   dF_moved = dF + dc m (x) n + c dm (x) n
 *   dc = d'(J) (cof F : dF) / |m|^2 - 2 c (m . dm) / |m|^2,   dm = d(cof F) n
 *
 * S = R^T F is not symmetric while the element is degenerate. Corotated forces are then close to the gradient of an
 * energy, but not equal to it. The rotation `dapd-exact` is the same with the gradient of the energy as its force. */
#include "fem/names.h"

#include "collapse.h"

static inline vd depth(vd J, double alpha, double beta, vd *slope) {
    const vd zero = vd_set(0), a = vd_set(alpha > 0 ? alpha : 1), b = vd_set(beta);
    const vi inverted = (vi)(J < zero);
    const vd r = vd_set(1) - J / a, smooth = b * a * (r * r * (vd_set(2) - r)),
             steep = -b * (r * (vd_set(4) - vd_set(3) * r));
    *slope = vd_select(inverted, -b, steep);
    return vd_select(inverted, b * (vd_set(alpha) - J), smooth);
}

static void extract(const sn_rotation_view *view, vd *R) { extract_moved(view, depth, R); }

/* dF_moved / dF for lanes that move, the identity for the others. */
static void moved_differential(const sn_rotation_view *view, const moved *at, vd dF[81]) {
    const vi moves = at->degenerate & ~at->undefined;
    const vd zero = vd_set(0), one = vd_set(1), *F = view->F;
    vd cof[9], slope;
    vm_cofactor(F, cof);
    depth(at->J, view->alpha, view->beta, &slope);
    const vd c = at->d / at->mm;
    for (int b = 0; b < 9; ++b) {
        const int i = b / 3, j = b % 3, p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
        /* d cof / dF_ij: cof_pr gains F_qs, cof_qs gains F_pr, cof_ps loses F_qr, cof_qr loses F_ps */
        vd dm[3];
        dm[i] = zero;
        dm[p] = F[3 * q + s] * at->n[r] - F[3 * q + r] * at->n[s];
        dm[q] = F[3 * p + r] * at->n[s] - F[3 * p + s] * at->n[r];
        const vd dc = (slope * cof[b] - vd_set(2) * c * vector_dot(at->m, dm)) / at->mm;
        for (int a = 0; a < 9; ++a) {
            const vd change = (dc * at->m[a / 3] + c * dm[a / 3]) * at->n[a % 3];
            dF[9 * a + b] = vd_select(moves, change, zero) + (a == b ? one : zero);
        }
    }
}

static void differential(const sn_rotation_view *view, const vd *R, vd *dR) {
    moved at;
    move_features(view, depth, &at);
    if (view->dimension == 2)
        plane_polar_differential(at.F, dR);
    else
        polar_differential(at.F, R, dR);
    if (!vi_any(at.degenerate)) return;
    vd dF[81], row[9];
    moved_differential(view, &at, dF);
    const vd zero = vd_set(0);
    const vi lost = at.undefined;
    for (int a = 0; a < 9; ++a) {
        for (int b = 0; b < 9; ++b) {
            row[b] = dR[9 * a] * dF[b];
            for (int k = 1; k < 9; ++k) row[b] += dR[9 * a + k] * dF[9 * k + b];
        }
        for (int b = 0; b < 9; ++b) {
            const vd turned = vd_select(at.degenerate, row[b], dR[9 * a + b]);
            dR[9 * a + b] = vd_select(lost, zero, turned);
        }
    }
}

static void accept(const sn_rotation_view *view) { accept_moved(view, depth); }

const sn_rotation SN_ISA(sn_rotation_dapd) = {
    SN_ROTATION_dapd, .uses_history = 1,  .uses_alpha = 1,
    .uses_beta = 1,   .extract = extract, .differential = differential,
    .accept = accept,
};

/* The same R with the exact stress P = P^ + P' (Civit 4.25). P' has the first derivative of R, so that the exact
 * differential would need the second one: it is not offered. */
const sn_rotation SN_ISA(sn_rotation_dapd_exact) = {
    SN_ROTATION_dapd_exact, .uses_history = 1, .extract = extract, .turning = differential, .accept = accept,
};
