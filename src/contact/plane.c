/* The half-space below a plane: gap = (x - point) . normal. */
#include <math.h>

#include "base/math3.h"
#include "collider.h"

static sn_status check(const sn_collider *c, sn_error *error) {
    const double length = sn_norm3(c->normal);
    if (!(length > 0) || isinf(length))
        return sn_fail_at(error, SN_BAD_INPUT, "plane.normal", "the normal [%g, %g, %g] has no direction", c->normal[0], c->normal[1],
                          c->normal[2]);
    return SN_OK;
}

static double gap(const sn_collider *c, const double offset[3], const double x[3], double n[3], double *curvature) {
    double distance = 0;
    for (int a = 0; a < 3; ++a) {
        n[a] = c->normal[a];
        distance += (x[a] - c->point[a] - offset[a]) * n[a];
    }
    *curvature = 0;
    return distance;
}

const sn_shape sn_shape_plane = {"plane", check, gap, NULL};
