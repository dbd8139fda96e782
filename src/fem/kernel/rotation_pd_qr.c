/* The rotation `pd-qr` (Parker and O'Brien 2009; Civit 4.2): the polar decomposition while det F is at least 0.06,
 * Gram-Schmidt below. Never undefined, but it jumps at the switch. */
#include "fem/law.h"
#include "fem/names.h"

#include "plane2.h"
#include "polar3.h"

extern const sn_rotation SN_ISA(sn_rotation_qr);

static void extract(const sn_rotation_view *view, vd *R) {
    const vi regular = (vi)(vm_determinant(view->F) >= vd_set(0.06)); /* false for a NaN of infinities */
    if (view->dimension == 2)
        plane_polar(view->F, R);
    else
        polar3(view->F, R);
    if (vi_all(regular)) return;
    vd other[9];
    SN_ISA(sn_rotation_qr).extract(view, other);
    for (int i = 0; i < 9; ++i) R[i] = vd_select(regular, R[i], other[i]);
}

const sn_rotation SN_ISA(sn_rotation_pd_qr) = {
    SN_ROTATION_pd_qr,
    .extract = extract,
};
