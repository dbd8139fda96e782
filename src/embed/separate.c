/* See separate.h. */
#include "separate.h"

#include <math.h>

#include "base/math3.h"
#include "mesh/mesh_internal.h"

/* Whether the projections on the axis, of any length, have a gap of more than the margin. The sum of the axis'
 * components is at least its length. */
static bool parts(const double axis[3], double tet[4][3], double triangle[3][3], double margin) {
    const double a = sn_dot3(axis, tet[0]), b = sn_dot3(axis, tet[1]), c = sn_dot3(axis, tet[2]),
                 d = sn_dot3(axis, tet[3]);
    const double p = sn_dot3(axis, triangle[0]), q = sn_dot3(axis, triangle[1]), r = sn_dot3(axis, triangle[2]);
    const double gap = margin * (fabs(axis[0]) + fabs(axis[1]) + fabs(axis[2]));
    const double low = fmin(fmin(a, b), fmin(c, d)), high = fmax(fmax(a, b), fmax(c, d));
    return fmin(fmin(p, q), r) > high + gap || fmax(fmax(p, q), r) < low - gap;
}

bool sn_tet_apart(const double *const tet[4], const double *const triangle[3], double margin) {
    double t[4][3], s[3][3], normal[3], axis[3], side[3][3];
    for (int k = 0; k < 3; ++k) { /* relative to a corner, so that the rounding errors are small */
        for (int i = 0; i < 4; ++i) t[i][k] = tet[i][k] - tet[0][k];
        for (int i = 0; i < 3; ++i) s[i][k] = triangle[i][k] - tet[0][k];
    }
    for (int k = 0; k < 3; ++k) {
        const double low = fmin(fmin(t[0][k], t[1][k]), fmin(t[2][k], t[3][k])) - margin,
                     high = fmax(fmax(t[0][k], t[1][k]), fmax(t[2][k], t[3][k])) + margin;
        if ((s[0][k] > high && s[1][k] > high && s[2][k] > high) || (s[0][k] < low && s[1][k] < low && s[2][k] < low))
            return true;
    }
    sn_area_vector3(s[0], s[1], s[2], normal);
    if (parts(normal, t, s, margin)) return true;
    for (int f = 0; f < 4; ++f) {
        sn_area_vector3(t[sn_tet_face[f][0]], t[sn_tet_face[f][1]], t[sn_tet_face[f][2]], axis);
        if (parts(axis, t, s, margin)) return true;
    }
    for (int i = 0; i < 3; ++i) {
        sn_subtract3(s[(i + 1) % 3], s[i], side[i]);
        sn_cross3(normal, side[i], axis); /* for flat tets in the plane of the triangle */
        if (parts(axis, t, s, margin)) return true;
    }
    for (int e = 0; e < 6; ++e) {
        double edge[3];
        sn_subtract3(t[sn_tet_edge[e][1]], t[sn_tet_edge[e][0]], edge);
        for (int i = 0; i < 3; ++i) {
            sn_cross3(edge, side[i], axis);
            if (parts(axis, t, s, margin)) return true;
        }
    }
    return false;
}
