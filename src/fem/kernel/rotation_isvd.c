/* The rotation `isvd`: R = U V^T of the invertible singular value decomposition F = U diag(s) V^T (Irving et al. 2004;
 * Civit 4.2), U and V proper, a negative sign on the smallest singular value: an inverted element is taken as inverted
 * along its shortest axis. */
#include "fem/law.h"
#include "fem/names.h"

#include "plane2.h"
#include "polar3.h"

static void extract(const sn_rotation_view *view, vd *R) {
    if (view->dimension == 2)
        plane_polar(view->F, R);
    else
        polar_slow(view->F, R);
}

static void differential(const sn_rotation_view *view, const vd *R, vd *dR) {
    if (view->dimension == 2)
        plane_polar_differential(view->F, dR);
    else
        polar_differential(view->F, R, dR);
}

const sn_rotation SN_ISA(sn_rotation_isvd) = {
    SN_ROTATION_isvd,
    .polar = 1,
    .extract = extract,
    .differential = differential,
};
