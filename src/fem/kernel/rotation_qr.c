/* The rotation `qr`: Gram-Schmidt on the columns of F (Nesme et al. 2005; Civit 4.2). The first axis follows the first
 * column, the second stays in the plane of the first two, the third is their cross product: always proper, cheap, but
 * it depends on the order of the axes, and with it S = R^T F is upper triangular instead of symmetric: corotated forces
 * are then not the gradient of an energy, and there is no exact differential. */
#include "fem/law.h"
#include "fem/names.h"

#include "plane2.h"
#include "svd3.h"

static void extract(const sn_rotation_view *view, vd *R) {
    vd F[9], back[2];
    if (view->dimension == 2) {
        plane_qr(view->F, R);
        return;
    }
    scale_matrix(view->F, F, back);
    const vd a[3] = {F[0], F[3], F[6]}, b[3] = {F[1], F[4], F[7]};
    orthonormal_basis(a, b, R);
}

const sn_rotation SN_ISA(sn_rotation_qr) = {
    SN_ROTATION_qr,
    .extract = extract,
};
