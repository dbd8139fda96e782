/* A sphere to stay out of, gap = |x - c| - R, or inside of, gap = R - |x - c|. */
#include <math.h>

#include "base/math3.h"
#include "collider.h"

static sn_status check(const sn_collider *c, sn_error *error) {
    if (!(c->radius > 0) || isinf(c->radius))
        return sn_fail_at(error, SN_BAD_INPUT, "sphere.radius", "the radius is %g m; it must be above 0", c->radius);
    return SN_OK;
}

static double gap(const sn_collider *c, const double offset[3], const double x[3], double n[3], double *curvature) {
    double d[3];
    for (int a = 0; a < 3; ++a) d[a] = x[a] - c->point[a] - offset[a];
    const double r = sn_norm3(d), sign = c->inside ? -1 : 1;
    if (r > 0) {
        for (int a = 0; a < 3; ++a) n[a] = sign * d[a] / r;
        *curvature = sign / r;
    } else { /* the centre: any direction is as good */
        n[0] = n[2] = 0, n[1] = 1;
        *curvature = 0;
    }
    return sign * (r - c->radius);
}

/* In at one side and out at the other, by a chord deeper than a quarter of the radius; or still inside, but nearer to the far side. */
static bool passed(const sn_collider *c, const double a[3], const double b[3]) {
    if (c->inside) return false; /* a chord stays inside */
    double p[3], q[3], way[3];
    sn_subtract3(a, c->point, p);
    sn_subtract3(b, c->point, q);
    sn_subtract3(q, p, way);
    if (sn_norm3(p) < c->radius) return false;
    if (sn_norm3(q) < c->radius) return sn_dot3(p, q) < 0;
    const double square = sn_dot3(way, way), part = square > 0 ? -sn_dot3(p, way) / square : 0;
    if (!(part > 0 && part < 1)) return false;
    for (int i = 0; i < 3; ++i) p[i] += part * way[i];
    return sn_norm3(p) < 0.75 * c->radius;
}

const sn_shape sn_shape_sphere = {"sphere", check, gap, passed};
