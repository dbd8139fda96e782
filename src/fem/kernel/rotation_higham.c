/* The rotation `higham`: the plain polar decomposition F = R S with S positive semi-definite (what Higham's iteration converges to). R
 * follows the sign of det F: an inverted element gets a reflection, and its forces keep it inverted. */
#include "fem/law.h"
#include "fem/names.h"

#include "polar3.h"

static void extract(const sn_rotation_view *view, vd *R) {
    const vd *F = view->F;
    vd turned[9], scaled[9], back[2];
    scale_matrix(F, scaled, back); /* so that the determinant neither overflows nor vanishes */
    /* The nearest orthogonal matrix of negative determinant to F is minus the nearest rotation to -F. */
    const vd sign = vd_select((vi)(vm_determinant(scaled) < vd_set(0)), vd_set(-1), vd_set(1));
    for (int i = 0; i < 9; ++i) turned[i] = sign * F[i];
    polar3(turned, R);
    for (int i = 0; i < 9; ++i) R[i] *= sign;
}

static void differential(const sn_rotation_view *view, const vd *R, vd *dR) { polar_differential(view->F, R, dR); }

const sn_rotation SN_ISA(sn_rotation_higham) = {
    SN_ROTATION_higham,
    .extract = extract,
    .differential = differential,
};
