/* The rotation `polar`: the nearest proper rotation, for every F. See polar3.h. */
#include "fem/law.h"
#include "fem/names.h"

#include "plane2.h"
#include "polar3.h"

static void extract(const sn_rotation_view *view, vd *R) {
    if (view->dimension == 2)
        plane_polar(view->F, R);
    else
        polar3(view->F, R);
}

static void differential(const sn_rotation_view *view, const vd *R, vd *dR) {
    if (view->dimension == 2)
        plane_polar_differential(view->F, dR);
    else
        polar_differential(view->F, R, dR);
}

const sn_rotation SN_ISA(sn_rotation_polar) = {
    SN_ROTATION_polar,
    .polar = 1,
    .extract = extract,
    .differential = differential,
};
