/* The plane linear triangle, in plane strain: its rest shape lies in a plane z = constant, and its nodes are held in z.
 */
#include "base/math3.h"
#include "batch.h"
#include "element.h"
#include "names.h"

static void shape(const double L[4], double *value, double *derivative) { sn_shape_linear(3, L, value, derivative); }

static sn_status fits(const sn_mesh *mesh, sn_error *error) { return sn_element_fits_triangles("tri3", mesh, error); }

/* The elements of a plane body are its triangles, all counter-clockwise. */
static sn_status take(const sn_mesh *mesh, sn_mesh **own, sn_error *error) {
    const sn_status status = sn_element_take_triangles(mesh, own, error);
    for (int t = 0; !status && t < (*own)->triangle_count; ++t) {
        int32_t *node[2] = {(*own)->triangle + 3 * (size_t)t, (*own)->tet + 3 * (size_t)t};
        const double *x = (*own)->position;
        double n[3];
        sn_area_vector3(x + 3 * (size_t)node[0][0], x + 3 * (size_t)node[0][1], x + 3 * (size_t)node[0][2], n);
        for (int k = 0; k < 2 && n[2] < 0; ++k) {
            const int32_t other = node[k][1];
            node[k][1] = node[k][2], node[k][2] = other;
        }
    }
    return status;
}

const sn_element sn_element_tri3 = {SN_ELEMENT_tri3,
                                    .nodes = 3,
                                    .points = 1,
                                    .corners = 3,
                                    .dimension = 2,
                                    .held = 1u << 2,
                                    .kernels = sn_element_kernels_for,
                                    .point = sn_rule_triangle_point,
                                    .weight = sn_rule_one_weight,
                                    .mass_points = 3,
                                    .mass_point = sn_rule_edges_point,
                                    .mass_weight = sn_rule_edges_weight,
                                    .shape = shape,
                                    .row_sums = true,
                                    .fits = fits,
                                    .take = take};
