/* A capsule: everything within `radius` of the segment from `from` to `to`. With c(x) the nearest point of the segment,
 *
 *   gap = |x - c| - r,   n = (x - c) / |x - c|
 *   grad n = (I - n n^T - e e^T) / |x - c|   beside the segment (e: its direction)
 *   grad n = (I - n n^T) / |x - c|           beyond its ends
 *
 * Its centre is the middle of the segment. */
#include <math.h>

#include "base/math3.h"
#include "shape.h"

typedef struct capsule {
    double e[3]; /* unit direction of the segment; any direction when the segment is a point */
    double half; /* length of the segment / 2 */
    double radius;
} capsule;

static const sn_shape_parameter parameters[] = {
    {"from", NULL, SN_ROLE_PLACE, 3, -1e300, 1e300, false, true, {0}, "m", "one end of the middle line"},
    {"to", NULL, SN_ROLE_PLACE, 3, -1e300, 1e300, false, true, {0}, "m", "the other end"},
    {"radius", NULL, SN_ROLE_NUMBER, 1, 0, 1e300, true, true, {0}, "m", "distance of the surface from the middle line"},
};

static sn_status create(sn_context *context, const sn_collider *collider, void *data, double centre[3],
                        sn_error *error) {
    (void)context, (void)error;
    capsule *c = data;
    const double *from = sn_collider_get(collider, "from"), *to = sn_collider_get(collider, "to");
    double way[3];
    sn_subtract3(to, from, way);
    const double length = sn_norm3(way);
    for (int a = 0; a < 3; ++a) {
        centre[a] = 0.5 * (from[a] + to[a]);
        c->e[a] = length > 0 ? way[a] / length : a == 1;
    }
    c->half = 0.5 * length;
    c->radius = *sn_collider_get(collider, "radius");
    return SN_OK;
}

static double clamp(double x, double most) { return x < -most ? -most : x > most ? most : x; }

/* A unit vector at a right angle to e. */
static void across(const double e[3], double out[3]) {
    const int a = fabs(e[0]) < 0.6 ? 0 : 1;
    double length;
    for (int i = 0; i < 3; ++i) out[i] = (i == a) - e[a] * e[i];
    length = sn_norm3(out);
    for (int i = 0; i < 3; ++i) out[i] /= length;
}

static double gap(const void *data, const double x[3], double n[3], sn_bend *bend) {
    const capsule *c = data;
    const double along = sn_dot3(x, c->e), near = clamp(along, c->half);
    double d[3];
    for (int a = 0; a < 3; ++a) d[a] = x[a] - near * c->e[a];
    const double r = sn_norm3(d);
    if (!(r > 0)) { /* x is on the segment */
        across(c->e, n);
        if (bend) bend->curvature = 0;
        return -c->radius;
    }
    for (int a = 0; a < 3; ++a) n[a] = d[a] / r;
    if (bend && near == along)
        sn_bend_edge(1 / r, n, c->e, bend);
    else if (bend)
        sn_bend_round(1 / r, n, bend);
    return r - c->radius;
}

/* The distance of the point a + part (b - a) from the segment; `off`: the vector from the segment to the point. */
static double distance_at(const capsule *c, const double a[3], const double b[3], double part, double off[3]) {
    double p[3];
    for (int i = 0; i < 3; ++i) p[i] = a[i] + part * (b[i] - a[i]);
    const double near = clamp(sn_dot3(p, c->e), c->half);
    for (int i = 0; i < 3; ++i) off[i] = p[i] - near * c->e[i];
    return sn_norm3(off);
}

/* The rule of the ball (shape_sphere.c), with the segment in the place of the centre. The distance from a segment is
 * convex along the path, so that its smallest value is found by cutting the path in thirds. */
static bool passed(const void *data, const double a[3], const double b[3]) {
    const capsule *c = data;
    double from[3], to[3], off[3], low = 0, high = 1;
    if (distance_at(c, a, b, 0, from) < c->radius) return false;
    if (distance_at(c, a, b, 1, to) < c->radius) return sn_dot3(from, to) < 0;
    for (int i = 0; i < 40; ++i) {
        const double third = (high - low) / 3;
        if (distance_at(c, a, b, low + third, off) < distance_at(c, a, b, high - third, off))
            high -= third;
        else
            low += third;
    }
    return distance_at(c, a, b, 0.5 * (low + high), off) < 0.75 * c->radius;
}

static sn_status draw(const void *data, sn_drawing *drawing, sn_error *error) {
    const capsule *c = data;
    const double half[3] = {0, c->half, 0};
    double side[3], front[3];
    across(c->e, side);
    sn_cross3(side, c->e, front);
    const double R[9] = {side[0], c->e[0], front[0], side[1], c->e[1], front[1], side[2], c->e[2], front[2]};
    return sn_drawing_rounded(drawing, half, c->radius, R, error);
}

const sn_shape sn_shape_capsule = {.parameter = parameters,
                                   .parameter_count = 3,
                                   .size = sizeof(capsule),
                                   .create = create,
                                   .gap = gap,
                                   .passed = passed,
                                   .draw = draw};
