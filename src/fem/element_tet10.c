/* The quadratic tet: corners N_i = L_i (2 L_i - 1), mid-edge nodes N_ij = 4 L_i L_j, edges in the order 01 12 20 03
 * 13 23. Two rules: 4 points, enough for straight edges, and 14. Its reduced form has one volume (patch.h). A mesh of
 * four-node tets gets straight mid-edge nodes.
 */
#include <string.h>

#include "batch.h"
#include "names.h"

static void shape(const double L[4], double *value, double *derivative) {
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    memset(derivative, 0, 40 * sizeof *derivative);
    for (int i = 0; i < 4; ++i) {
        value[i] = L[i] * (2 * L[i] - 1);
        derivative[4 * i + i] = 4 * L[i] - 1;
    }
    for (int e = 0; e < 6; ++e) {
        const int a = edge[e][0], b = edge[e][1];
        value[4 + e] = 4 * L[a] * L[b];
        derivative[4 * (4 + e) + a] = 4 * L[b];
        derivative[4 * (4 + e) + b] = 4 * L[a];
    }
}

static sn_status take(const sn_mesh *mesh, sn_mesh **own, sn_error *error) {
    return mesh->tet_nodes == 4 ? sn_mesh_to_tet10(mesh, own, error) : sn_mesh_copy(mesh, own, error);
}

/* A face counts as its four parts: 1/12 for each corner, 1/4 for each middle. */
static const double share[6] = {1.0 / 12, 1.0 / 12, 1.0 / 12, 0.25, 0.25, 0.25};
static const uint8_t middle[4][4] = {{0, 4, 6, 7}, {4, 0, 5, 8}, {6, 5, 0, 9}, {7, 8, 9, 0}};

#define QUADRATIC                                                                                                      \
    .nodes = 10, .corners = 4, .dimension = 3, .kernels = sn_element_kernels_for, .mass_points = 14,                   \
    .mass_point = sn_rule_fourteen_point, .mass_weight = sn_rule_fourteen_weight, .shape = shape, .face_nodes = 6,     \
    .face_share = share, .middle = middle, .fits = sn_element_fits_tets, .take = take

const sn_element sn_element_tet10 = {SN_ELEMENT_tet10, .points = 4, .point = sn_rule_four_point,
                                     .weight = sn_rule_four_weight, QUADRATIC};
const sn_element sn_element_tet10_high = {SN_ELEMENT_tet10_high, .points = 14, .point = sn_rule_fourteen_point,
                                          .weight = sn_rule_fourteen_weight, QUADRATIC};
const sn_element sn_element_tet10_reduced = {SN_ELEMENT_tet10_reduced,      .points = 4, .point = sn_rule_four_point,
                                             .weight = sn_rule_four_weight, QUADRATIC,   .patches = 1};
