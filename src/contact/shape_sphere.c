/* A ball: gap = |x| - r, n = x / |x|, grad n = (I - n n^T) / |x|. */
#include <stdio.h>

#include "base/math3.h"
#include "shape.h"

typedef struct sphere {
    double radius;
} sphere;

static const sn_shape_parameter parameters[] = {
    {"center", "point", SN_ROLE_PLACE, 3, -1e300, 1e300, false, false, {0, 0, 0}, "m", "the centre"},
    {"radius", NULL, SN_ROLE_NUMBER, 1, 0, 1e300, true, true, {0}, "m", "the radius"},
};

static sn_status create(sn_context *context, const sn_collider *collider, void *data, double centre[3],
                        sn_error *error) {
    (void)context, (void)error;
    sphere *s = data;
    for (int a = 0; a < 3; ++a) centre[a] = sn_collider_get(collider, "center")[a];
    s->radius = *sn_collider_get(collider, "radius");
    return SN_OK;
}

static double gap(const void *data, const double x[3], double n[3], sn_bend *bend) {
    const sphere *s = data;
    const double r = sn_norm3(x);
    if (r > 0) {
        for (int a = 0; a < 3; ++a) n[a] = x[a] / r;
        if (bend) sn_bend_round(1 / r, n, bend);
    } else { /* at the centre all directions are equally good */
        n[0] = n[2] = 0, n[1] = 1;
        if (bend) bend->curvature = 0;
    }
    return r - s->radius;
}

/* A path has passed in two cases. It enters on one side and leaves on the other, and comes deeper than a quarter of the
 * radius. Or it ends inside, nearer to the far side. */
static bool passed(const void *data, const double a[3], const double b[3]) {
    const sphere *s = data;
    double p[3], way[3];
    sn_subtract3(b, a, way);
    if (sn_norm3(a) < s->radius) return false;
    if (sn_norm3(b) < s->radius) return sn_dot3(a, b) < 0;
    const double square = sn_dot3(way, way), part = square > 0 ? -sn_dot3(a, way) / square : 0;
    if (!(part > 0 && part < 1)) return false;
    for (int i = 0; i < 3; ++i) p[i] = a[i] + part * way[i];
    return sn_norm3(p) < 0.75 * s->radius;
}

static sn_status draw(const void *data, sn_drawing *drawing, sn_error *error) {
    static const double half[3] = {0}, axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return sn_drawing_rounded(drawing, half, ((const sphere *)data)->radius, axes, error);
}

const sn_shape sn_shape_sphere = {.parameter = parameters,
                                  .parameter_count = 2,
                                  .size = sizeof(sphere),
                                  .create = create,
                                  .gap = gap,
                                  .passed = passed,
                                  .draw = draw};

sn_collider sn_collider_sphere(const double center[3], double radius) {
    sn_collider collider = sn_collider_default();
    snprintf(collider.shape, sizeof collider.shape, "sphere");
    sn_collider_set(&collider, "center", center, 3, NULL);
    sn_collider_set(&collider, "radius", &radius, 1, NULL);
    return collider;
}
