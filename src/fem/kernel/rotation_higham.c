/* The rotation `higham`: the plain polar decomposition F = R S with S positive semi-definite (what Higham's iteration
 * converges to). R follows the sign of det F: an inverted element gets a reflection, and its forces keep it inverted.
 */
#include "fem/law.h"
#include "fem/names.h"

#include "plane2.h"
#include "polar3.h"

/* In the plane: the nearest reflection F -> diag(1, -1) times the rotation nearest to diag(1, -1) F. */
static void plane_extract(const vd *F, vd *R) {
    const vd sign = vd_select((vi)(plane_determinant(F) < vd_set(0)), vd_set(-1), vd_set(1));
    vd turned[9];
    for (int i = 0; i < 9; ++i) turned[i] = F[i];
    for (int i = 3; i < 6; ++i) turned[i] *= sign;
    plane_polar(turned, R);
    for (int i = 3; i < 6; ++i) R[i] *= sign;
}

static void plane_differential(const vd *F, vd *dR) {
    const vd sign = vd_select((vi)(plane_determinant(F) < vd_set(0)), vd_set(-1), vd_set(1));
    vd turned[9];
    for (int i = 0; i < 9; ++i) turned[i] = F[i];
    for (int i = 3; i < 6; ++i) turned[i] *= sign;
    plane_polar_differential(turned, dR);
    for (int a = 0; a < 9; ++a)
        for (int b = 0; b < 9; ++b)
            if ((a / 3 == 1) != (b / 3 == 1)) dR[9 * a + b] *= sign;
}

static void extract(const sn_rotation_view *view, vd *R) {
    const vd *F = view->F;
    if (view->dimension == 2) {
        plane_extract(F, R);
        return;
    }
    vd turned[9], scaled[9], back[2];
    scale_matrix(F, scaled, back); /* so that the determinant neither overflows nor vanishes */
    /* The nearest orthogonal matrix of negative determinant to F is minus the nearest rotation to -F. */
    const vd sign = vd_select((vi)(vm_determinant(scaled) < vd_set(0)), vd_set(-1), vd_set(1));
    for (int i = 0; i < 9; ++i) turned[i] = sign * F[i];
    polar3(turned, R);
    for (int i = 0; i < 9; ++i) R[i] *= sign;
}

static void differential(const sn_rotation_view *view, const vd *R, vd *dR) {
    if (view->dimension == 2)
        plane_differential(view->F, dR);
    else
        polar_differential(view->F, R, dR);
}

const sn_rotation SN_ISA(sn_rotation_higham) = {
    SN_ROTATION_higham,
    .polar = 1,
    .extract = extract,
    .differential = differential,
};
