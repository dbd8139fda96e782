/* Knot: a rope that is tied into an open overhand knot; its ends leave the knot on opposite sides. The middle line is
 * the polynomial trefoil of Shastri (1992), stretched,
 *
 *   c(t) = (t^3 - 3 t,  0.6 (t^4 - 4 t^2),  0.2 (t^5 - 10 t)),   -2.1 <= t <= 2.1,   scaled to the given length.
 *
 * Discs of rings stand across the line at equal distances. Their axes turn along as little as possible (parallel
 * transport), so that the rope is not twisted. Nodes disc by disc. */
#include <math.h>

#include "base/math3.h"
#include "generate.h"

enum { RADIUS, LENGTH, CELLS, SAMPLES = 4096 };
static const double HALF = 2.1, THICKEST = 0.005; /* HALF: largest t. THICKEST: radius over length without contact */

static void curve(double t, double c[3]) {
    const double s = t * t;
    c[0] = t * (s - 3), c[1] = 0.6 * s * (s - 4), c[2] = 0.2 * t * (s * s - 10);
}

static double part_length(int i) {
    double a[3], b[3], way[3];
    curve(HALF * (2.0 * i / SAMPLES - 1), a);
    curve(HALF * (2.0 * (i + 1) / SAMPLES - 1), b);
    sn_subtract3(b, a, way);
    return sn_norm3(way);
}

/* The parameter at the part `part` (0 to 1) of the length. */
static double parameter_at(double part, double whole) {
    double sum = 0;
    int i = 0;
    for (; i < SAMPLES - 1 && sum + part_length(i) < part * whole; ++i) sum += part_length(i);
    return HALF * (2 * (i + (part * whole - sum) / part_length(i)) / SAMPLES - 1);
}

static void unit(double v[3]) {
    const double length = sn_norm3(v);
    for (int a = 0; a < 3; ++a) v[a] /= length;
}

/* The axes of the disc at t: `across` is the last disc's first axis on the way in, and this one's on the way out. */
static void frame_at(double t, double across[3], double other[3]) {
    const double s = t * t;
    double tangent[3] = {3 * s - 3, 0.6 * t * (4 * s - 8), 0.2 * (5 * s * s - 10)};
    unit(tangent);
    const double along = sn_dot3(across, tangent);
    for (int a = 0; a < 3; ++a) across[a] -= along * tangent[a];
    unit(across);
    sn_cross3(tangent, across, other);
}

static void place_nodes(sn_mesh *m, double radius, double length, int rings, int along) {
    const int64_t points = sn_disc_points(rings);
    double across[3] = {0, 0, 1}, other[3], whole = 0, centre[3];
    for (int i = 0; i < SAMPLES; ++i) whole += part_length(i);
    for (int64_t k = 0; k <= along; ++k) {
        const double t = parameter_at((double)k / along, whole);
        curve(t, centre);
        frame_at(t, across, other);
        for (int64_t p = 0; p < points; ++p) {
            double u, v, *x = m->position + 3 * (k * points + p);
            sn_disc_position(rings, p, &u, &v);
            for (int a = 0; a < 3; ++a) x[a] = centre[a] * length / whole + radius * (u * across[a] + v * other[a]);
        }
    }
}

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    static const char *const group[3] = {"start", "end", "side"};
    const int rings = (int)value[CELLS][0], along = (int)value[CELLS][1];
    if (value[RADIUS][0] > THICKEST * value[LENGTH][0])
        return sn_fail_at(error, SN_BAD_INPUT, "radius",
                          "knot.radius is %g; a thicker rope than %g (%g of its length) touches itself",
                          value[RADIUS][0], THICKEST * value[LENGTH][0], THICKEST);
    if (along < 60) return sn_fail_at(error, SN_BAD_INPUT, "cells", "knot.cells has %d along; at least 60", along);
    const sn_status status = sn_disc_stack(context, "knot", rings, along, group, mesh, error);
    if (!status) place_nodes(*mesh, value[RADIUS][0], value[LENGTH][0], rings, along);
    return status;
}

const sn_generator sn_generator_knot = {.parameter = {{"radius", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {0.005}},
                                                      {"length", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {1}},
                                                      {"cells", 2, true, 1, 1e5, {1, 150}}},
                                        .generate = generate};
