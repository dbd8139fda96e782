/* The half-space below a plane: gap = (x - point) . normal. */
#include <math.h>

#include "base/math3.h"
#include "collider.h"

static sn_status check(const sn_collider *c, int index, sn_error *error) {
    const double length = sn_norm3(c->normal);
    if (!(length > 0) || isinf(length))
        return sn_fail(error, SN_BAD_INPUT, "colliders.%d: the plane's normal [%g, %g, %g] has no direction", index, c->normal[0],
                       c->normal[1], c->normal[2]);
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
