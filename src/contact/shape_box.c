/* A box with edges rounded by `radius`: everything within the radius of an inner box with half sizes h = size / 2 -
 * radius.
 *
 * In the axes of the box, with q = |x| - h by component and m = max(q, 0):
 *
 *   outside of the inner box   gap = |m| - r,       n = m / |m| with the signs of x,  grad n = (P - n n^T) / |m|
 *   in it                      gap = max(q) - r,    n = the axis of the largest q,     grad n = 0
 *
 * P is the projector on the axes with q > 0: one beside a face (nothing bends), two beside an edge, three beside a
 * corner. */
#include <math.h>

#include "base/math3.h"
#include "shape.h"

typedef struct box {
    double half[3]; /* of the inner box */
    double radius;
    double R[9]; /* from the axes of the box to those of the scene */
} box;

static const sn_shape_parameter parameters[] = {
    {"center", NULL, SN_ROLE_PLACE, 3, -1e300, 1e300, false, false, {0, 0, 0}, "m", "the centre"},
    {"size", NULL, SN_ROLE_NUMBER, 3, 0, 1e300, true, true, {0}, "m", "from face to face, along the box's own axes"},
    {"radius",
     NULL,
     SN_ROLE_NUMBER,
     1,
     0,
     1e300,
     false,
     false,
     {0},
     "m",
     "of the rounded edges; at most half of the smallest size"},
    SN_SHAPE_ROTATE("axis x, y, z and degrees, about the centre"),
};

static sn_status check(const sn_collider *collider, sn_error *error) {
    const double *size = sn_collider_get(collider, "size"), radius = *sn_collider_get(collider, "radius");
    const double most = 0.5 * fmin(size[0], fmin(size[1], size[2]));
    return radius <= most
               ? SN_OK
               : sn_fail_at(error, SN_BAD_INPUT, "radius",
                            "radius is %g m; it must be at most half of the smallest size, %g m", radius, most);
}

static sn_status create(sn_context *context, const sn_collider *collider, void *data, double centre[3],
                        sn_error *error) {
    (void)context, (void)error;
    box *b = data;
    const double *size = sn_collider_get(collider, "size"), *rotate = sn_collider_get(collider, "rotate");
    b->radius = *sn_collider_get(collider, "radius");
    for (int a = 0; a < 3; ++a) {
        centre[a] = sn_collider_get(collider, "center")[a];
        b->half[a] = fmax(0.5 * size[a] - b->radius, 0);
    }
    sn_axis_rotation3(rotate, rotate[3], b->R);
    return SN_OK;
}

static void own_axes(const box *b, const double x[3], double y[3]) {
    for (int i = 0; i < 3; ++i) y[i] = b->R[i] * x[0] + b->R[3 + i] * x[1] + b->R[6 + i] * x[2];
}

/* The distance of x from the inner box, negative inside; x and n are in the axes of the box. beside[i]: whether q_i is
 * above 0. */
static double own_gap(const box *b, const double y[3], double n[3], bool beside[3]) {
    double q[3], m[3];
    int widest = 0;
    for (int a = 0; a < 3; ++a) {
        q[a] = fabs(y[a]) - b->half[a];
        beside[a] = q[a] > 0;
        m[a] = beside[a] ? copysign(q[a], y[a]) : 0;
        if (q[a] > q[widest]) widest = a;
    }
    if (q[widest] > 0) {
        const double d = sn_norm3(m);
        for (int a = 0; a < 3; ++a) n[a] = m[a] / d;
        return d;
    }
    for (int a = 0; a < 3; ++a) n[a] = a == widest ? copysign(1, y[a]) : 0;
    return q[widest];
}

static double gap(const void *data, const double x[3], double n[3], sn_bend *bend) {
    const box *b = data;
    double y[3], own[3];
    bool beside[3];
    own_axes(b, x, y);
    const double d = own_gap(b, y, own, beside);
    sn_multiply_vector3(b->R, own, n);
    const int count = beside[0] + beside[1] + beside[2];
    if (bend && count < 2) bend->curvature = 0;
    if (bend && count == 3) sn_bend_round(1 / d, n, bend);
    if (bend && count == 2) {
        const int along = !beside[0] ? 0 : !beside[1] ? 1 : 2;
        const double e[3] = {b->R[along], b->R[3 + along], b->R[6 + along]};
        sn_bend_edge(1 / d, n, e, bend);
    }
    return d - b->radius;
}

/* Whether the path from a to b goes through a box of half sizes h. *side: the axis of the face by which it enters; -1
 * when it starts inside. */
static bool clip(const double h[3], const double a[3], const double b[3], int *side) {
    double low = 0, high = 1;
    *side = -1;
    for (int i = 0; i < 3; ++i) {
        const double way = b[i] - a[i];
        if (way == 0) {
            if (fabs(a[i]) > h[i]) return false;
            continue;
        }
        const double s = (-h[i] - a[i]) / way, t = (h[i] - a[i]) / way, in = fmin(s, t), out = fmax(s, t);
        if (in > low) low = in, *side = i;
        high = fmin(high, out);
    }
    return low < high;
}

/* The smallest distance of the path from p to q to the inner box. The distance from a convex solid is convex along a
 * path, so that thirds of the path with a larger distance can be left out. */
static double nearest(const box *b, const double p[3], const double q[3]) {
    enum { ROUNDS = 48 }; /* (2/3)^48 of the path is left */
    double low = 0, high = 1, n[3], y[3], least = INFINITY;
    bool beside[3];
    for (int i = 0; i < ROUNDS; ++i) {
        double d[2];
        for (int side = 0; side < 2; ++side) {
            const double s = low + (high - low) * (1 + side) / 3;
            for (int a = 0; a < 3; ++a) y[a] = p[a] + s * (q[a] - p[a]);
            d[side] = own_gap(b, y, n, beside);
            least = fmin(least, d[side]);
        }
        if (d[0] < d[1])
            high = low + (high - low) * 2 / 3;
        else
            low = low + (high - low) / 3;
    }
    return least;
}

/* A path that goes deeper than a quarter of the smallest half size has passed in two cases. It ends outside. Or it ends
 * inside, nearest to the face opposite to the one by which it entered. A node that slides around a rounded edge stays
 * near the surface: it has not passed. */
static bool passed(const void *data, const double a[3], const double b[3]) {
    const box *own = data;
    double p[3], q[3], n[3], outer[3], deep[3], least = INFINITY;
    bool beside[3];
    int side;
    own_axes(own, a, p);
    own_axes(own, b, q);
    if (own_gap(own, p, n, beside) < own->radius) return false;
    for (int i = 0; i < 3; ++i) outer[i] = own->half[i] + own->radius, least = fmin(least, outer[i]);
    for (int i = 0; i < 3; ++i) deep[i] = outer[i] - 0.25 * least;
    if (!clip(deep, p, q, &side) || !(nearest(own, p, q) < own->radius - 0.25 * least)) return false;
    if (!(own_gap(own, q, n, beside) < own->radius)) return true;
    return clip(outer, p, q, &side) && side >= 0 && n[side] * p[side] < 0;
}

static sn_status draw(const void *data, sn_drawing *drawing, sn_error *error) {
    const box *b = data;
    return sn_drawing_rounded(drawing, b->half, b->radius, b->R, error);
}

const sn_shape sn_shape_box = {.parameter = parameters,
                               .parameter_count = 4,
                               .size = sizeof(box),
                               .check = check,
                               .create = create,
                               .gap = gap,
                               .passed = passed,
                               .draw = draw};
