/* The plane linear triangle, in plane strain: its rest shape lies in a plane z = constant, and its nodes are held in z.
 */
#include <string.h>

#include "base/math3.h"
#include "element.h"
#include "names.h"

#define THIRD (1.0 / 3.0)
static const double point[1][4] = {{THIRD, THIRD, THIRD, 0}};
/* The edge midpoints: degree 2 on a triangle. */
static const double mass_point[3][4] = {{0.5, 0.5, 0, 0}, {0, 0.5, 0.5, 0}, {0.5, 0, 0.5, 0}};
static const double mass_weight[3] = {THIRD, THIRD, THIRD};

static void shape(const double L[4], double *value, double *derivative) { sn_shape_linear(3, L, value, derivative); }

static sn_status fits(const sn_mesh *mesh, sn_error *error) {
    if (mesh->triangle_count < 1 || mesh->tet_count > 0)
        return sn_fail_at(error, SN_BAD_INPUT, "mesh",
                          "the mesh has %d tets and %d triangles; element tri3 needs only triangles", mesh->tet_count,
                          mesh->triangle_count);
    for (int i = 0; i < 3 * mesh->triangle_count; ++i)
        if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->node_count)
            return sn_fail_at(error, SN_BAD_INPUT, "mesh", "triangle %d names node %d of %d nodes", i / 3,
                              mesh->triangle[i], mesh->node_count);
    return SN_OK;
}

/* The elements of a plane body are its triangles, all counter-clockwise. */
static sn_status take_triangles(sn_mesh *mesh, sn_error *error) {
    const size_t count = (size_t)mesh->triangle_count;
    int32_t *cell = sn_allocate(mesh->context, 3 * count, sizeof *cell);
    int64_t *label = mesh->triangle_label ? sn_allocate(mesh->context, count, sizeof *label) : NULL;
    if (!cell || (mesh->triangle_label && !label)) {
        sn_release(mesh->context, cell);
        return sn_no_memory(error);
    }
    for (size_t t = 0; t < count; ++t) {
        int32_t *node = mesh->triangle + 3 * t;
        double n[3];
        sn_area_vector3(mesh->position + 3 * (size_t)node[0], mesh->position + 3 * (size_t)node[1],
                        mesh->position + 3 * (size_t)node[2], n);
        if (n[2] < 0) {
            const int32_t other = node[1];
            node[1] = node[2], node[2] = other;
        }
    }
    memcpy(cell, mesh->triangle, 3 * count * sizeof *cell);
    if (label) memcpy(label, mesh->triangle_label, count * sizeof *label);
    sn_release(mesh->context, mesh->tet);
    mesh->tet = cell, mesh->tet_label = label;
    mesh->tet_count = (int)count, mesh->tet_nodes = 3;
    return SN_OK;
}

static sn_status take(const sn_mesh *mesh, sn_mesh **own, sn_error *error) {
    sn_status status = sn_mesh_copy(mesh, own, error);
    if (!status) status = take_triangles(*own, error);
    if (status) {
        sn_mesh_destroy(*own);
        *own = NULL;
    }
    return status;
}

const sn_element sn_element_tri3 = {SN_ELEMENT_tri3,
                                    .nodes = 3,
                                    .points = 1,
                                    .corners = 3,
                                    .dimension = 2,
                                    .held = 1u << 2,
                                    .point = point,
                                    .weight = sn_rule_one_weight,
                                    .mass_points = 3,
                                    .mass_point = mass_point,
                                    .mass_weight = mass_weight,
                                    .shape = shape,
                                    .row_sums = true,
                                    .fits = fits,
                                    .take = take};
