/* The rotation `reflect` (Civit 4.3): polar decomposition of a virtual shape in which the features that met at the
 * element's collapse are mirrored at the threshold, det F_moved = 2 alpha - J (see collapse.h):
 *   d(J) = 2 (alpha - J)  for J < alpha
 * It is continuous, but not differentiable at J = alpha; `dapd` is its smooth relative. */
#include "fem/names.h"

#include "collapse.h"

static inline vd depth(vd J, double alpha, double beta, vd *slope) {
    (void)beta;
    *slope = vd_set(-2);
    return vd_set(2) * (vd_set(alpha) - J);
}

static void extract(const sn_rotation_view *view, vd *R) { extract_moved(view, depth, R); }
static void accept(const sn_rotation_view *view) { accept_moved(view, depth); }

const sn_rotation SN_ISA(sn_rotation_reflect) = {
    SN_ROTATION_reflect, .uses_history = 1, .uses_alpha = 1, .extract = extract, .accept = accept,
};
