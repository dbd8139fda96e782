/* The triangle of cloth: a linear triangle in space with one point. Its rest shape is laid into the plane z = 0, with
 * the warp along x, so that F = sum (x_i - x_0) (x) g_i has the columns f1 (warp) and f2 (weft) and a third one of
 * zeros. Bending is in the hinges beside it (hinges.h). */
#include <math.h>

#include "base/math3.h"
#include "fem/batch.h"
#include "fem/names.h"
#include "hinges.h"
#include "limit.h"
#include "particles.h"
#include "triangle_edges.h"

static void shape(const double L[4], double *value, double *derivative) { sn_shape_linear(3, L, value, derivative); }

static int64_t label_of(const int64_t *label, int i) { return label ? label[i] : i; }

/* An area below 1e-12 of the square on the longest edge counts as none. */
static sn_status check_areas(const sn_mesh *mesh, sn_error *error) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const double *p[3];
        double n[3], longest = 0;
        for (int i = 0; i < 3; ++i) p[i] = mesh->position + 3 * (size_t)mesh->triangle[3 * (size_t)t + (size_t)i];
        for (int i = 0; i < 3; ++i) {
            double d[3];
            sn_subtract3(p[(i + 1) % 3], p[i], d);
            longest = fmax(longest, sn_dot3(d, d));
        }
        sn_area_vector3(p[0], p[1], p[2], n);
        if (!(sn_norm3(n) > 1e-12 * longest))
            return sn_fail_at(error, SN_BAD_INPUT, "mesh", "triangle %lld has no area; cloth needs triangles that do",
                              (long long)label_of(mesh->triangle_label, t));
    }
    return SN_OK;
}

/* Each edge of two equal triangles has two triangles, as if they were neighbours. */
static bool equal(const sn_mesh *mesh, const sn_cloth_edge edge[2]) {
    const int32_t *t = mesh->triangle;
    return t[3 * (int64_t)edge[0].triangle + edge[0].corner] == t[3 * (int64_t)edge[1].triangle + edge[1].corner];
}

static sn_status check_edges(const sn_mesh *mesh, sn_error *error) {
    sn_cloth_edge *edge = sn_cloth_edges(mesh->context, mesh->triangle_count, mesh->triangle);
    if (!edge) return sn_no_memory(error);
    sn_status status = SN_OK;
    const int count = 3 * mesh->triangle_count;
    for (int i = 0, run; i < count && !status; i += run) {
        run = sn_cloth_edge_run(edge, count, i);
        if (run > 2)
            status =
                sn_fail_at(error, SN_BAD_INPUT, "mesh",
                           "the edge between nodes %lld and %lld belongs to %d triangles; in cloth an edge has one "
                           "or two",
                           (long long)label_of(mesh->node_label, edge[i].low),
                           (long long)label_of(mesh->node_label, edge[i].high), run);
        else if (run == 2 && equal(mesh, edge + i))
            status = sn_fail_at(error, SN_BAD_INPUT, "mesh", "triangles %lld and %lld have the same nodes",
                                (long long)label_of(mesh->triangle_label, edge[i].triangle),
                                (long long)label_of(mesh->triangle_label, edge[i + 1].triangle));
    }
    sn_release(mesh->context, edge);
    return status;
}

static sn_status fits(const sn_mesh *mesh, sn_error *error) {
    sn_status status = sn_element_fits_triangles("cloth", mesh, error);
    if (!status) status = check_areas(mesh, error);
    return status ? status : check_edges(mesh, error);
}

/* The direction projected on the triangle; where it is normal to it, the next axis of space. */
static void warp_of(const double along[3], const double normal[3], double warp[3]) {
    const double size = sn_norm3(along);
    for (int trial = 0; trial < 4; ++trial) {
        double d[3];
        for (int a = 0; a < 3; ++a) d[a] = trial == 0 ? along[a] / size : trial - 1 == a;
        const double part = sn_dot3(d, normal);
        for (int a = 0; a < 3; ++a) warp[a] = d[a] - part * normal[a];
        const double length = sn_norm3(warp);
        for (int a = 0; a < 3; ++a) warp[a] /= length;
        if (length > 1e-3) return;
    }
}

static void lay(const double along[3], double *X) {
    double n[3], warp[3], weft[3], laid[9] = {0};
    sn_area_vector3(X, X + 3, X + 6, n);
    const double area = sn_norm3(n);
    if (!(area > 0)) return; /* no plane: compilation refuses it */
    for (int a = 0; a < 3; ++a) n[a] /= area;
    warp_of(along, n, warp);
    sn_cross3(n, warp, weft);
    for (int i = 1; i < 3; ++i) {
        double d[3];
        sn_subtract3(X + 3 * i, X, d);
        laid[3 * i] = sn_dot3(d, warp), laid[3 * i + 1] = sn_dot3(d, weft);
    }
    for (int i = 0; i < 9; ++i) X[i] = laid[i];
}

static const double share[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
static const sn_element *const hinges[] = {&sn_element_hinge, &sn_element_hinge_flat, &sn_element_limit, NULL};
static const sn_element *const differences[] = {&sn_element_corners, &sn_element_second_differences,
                                                &sn_element_limit_grid, NULL};

/* A quarter of a rectangle goes to each of its corners. Its two triangles have one right angle each, so half of a
 * triangle goes to that corner and a quarter to the ends of the diagonal. */
static void divide(const double *X, double *part) {
    const int corner = sn_right_corner(X);
    for (int i = 0; i < 3; ++i) part[i] = i == corner ? 0.5 : 0.25;
}

#define CLOTH_TRIANGLE                                                                                                 \
    .nodes = 3, .points = 1, .corners = 3, .dimension = 2, .kernels = sn_element_kernels_for,                          \
    .point = sn_rule_triangle_point, .weight = sn_rule_one_weight, .mass_points = 3,                                   \
    .mass_point = sn_rule_edges_point, .mass_weight = sn_rule_edges_weight, .shape = shape, .row_sums = true,          \
    .face_nodes = 3, .face_share = share, .fits = fits, .take = sn_element_take_triangles, .lay = lay

const sn_element sn_element_cloth = {SN_ELEMENT_cloth, CLOTH_TRIANGLE, .beside = hinges};
const sn_element sn_element_cloth_grid = {"cloth", "half a cell of a grid of particles", CLOTH_TRIANGLE,
                                          .beside = differences, .divide = divide};
