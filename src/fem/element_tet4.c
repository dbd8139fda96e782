/* The linear tet: N_i = L_i, one point. Its smooth form has the volume of its corners (patch.h). */
#include "batch.h"
#include "names.h"

static void shape(const double L[4], double *value, double *derivative) { sn_shape_linear(4, L, value, derivative); }

static sn_status fits(const sn_mesh *mesh, sn_error *error) {
    const sn_status status = sn_element_fits_tets(mesh, error);
    if (status || mesh->tet_nodes != 10) return status;
    return sn_fail_at(error, SN_BAD_INPUT, "element",
                      "linear tets do not fit a mesh of 10-node tets; use tet10, tet10-high or tet10-reduced");
}

static const double share[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};

#define LINEAR                                                                                                         \
    .nodes = 4, .points = 1, .corners = 4, .dimension = 3, .kernels = sn_element_kernels_for,                          \
    .point = sn_rule_one_point, .weight = sn_rule_one_weight, .mass_points = 4, .mass_point = sn_rule_four_point,      \
    .mass_weight = sn_rule_four_weight, .shape = shape, .row_sums = true, .face_nodes = 3, .face_share = share,        \
    .fits = fits, .take = sn_mesh_copy

const sn_element sn_element_tet4 = {SN_ELEMENT_tet4, LINEAR};
const sn_element sn_element_tet4_smooth = {SN_ELEMENT_tet4_smooth, LINEAR, .patches = 4, .patch_shear = 2.0 / 3.0};
