/* The rotation `polar`: the nearest proper rotation, for every F. See polar3.h. */
#include "fem/law.h"
#include "fem/names.h"

#include "polar3.h"

static void extract(const sn_rotation_view *view, vd *R) { polar3(view->F, R); }

static void differential(const sn_rotation_view *view, const vd *R, vd *dR) { polar_differential(view->F, R, dR); }

const sn_rotation SN_ISA(sn_rotation_polar) = {
    SN_ROTATION_polar,
    .extract = extract,
    .differential = differential,
};
