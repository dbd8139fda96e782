/* Octopus: a tilted mantle, two eyes, eight curling arms with two rows of suckers. Looks along +z, rests on y = 0,
 * about 1.8 across at size 1. */
#include <math.h>
#include <string.h>

#include "creature.h"

enum { TRIANGLES, SIZE };

static const char *const arm_name[8] = {"arm1", "arm2", "arm3", "arm4", "arm5", "arm6", "arm7", "arm8"};

static void add_head(sn_creature *o) {
    const int mantle = sn_creature_part(o, "head"), web = sn_creature_part(o, "head");
    sn_creature_limb(o, mantle,
                     (const double[][3]){{0, 0.40, 0.02}, {0, 0.58, -0.03}, {0, 0.78, -0.13}, {0, 0.92, -0.25}},
                     (const double[]){0.15, 0.19, 0.225, 0.15}, 4, 6);
    sn_creature_ellipsoid(o, web, (const double[]){0, 0.25, 0}, (const double[]){0.21, 0.12, 0.21});
    for (int side = -1; side <= 1; side += 2) {
        const int socket = sn_creature_part(o, "eyes"), eye = sn_creature_part(o, "eyes"),
                  brow = sn_creature_part(o, "head");
        sn_creature_ellipsoid(o, socket, (const double[]){side * 0.125, 0.52, 0.105},
                              (const double[]){0.065, 0.075, 0.065});
        sn_creature_ellipsoid(o, eye, (const double[]){side * 0.15, 0.525, 0.155},
                              (const double[]){0.032, 0.036, 0.03});
        sn_creature_limb(
            o, brow,
            (const double[][3]){{side * 0.07, 0.585, 0.155}, {side * 0.13, 0.60, 0.155}, {side * 0.19, 0.575, 0.10}},
            (const double[]){0.016, 0.026, 0.014}, 3, 4);
    }
}

/* Arm i: out from the web, down to the floor, along it with a sway, and up into a curl at the tip. */
static void add_arm(sn_creature *o, int i) {
    static const double height[8] = {0.27, 0.20, 0.10, 0.055, 0.05, 0.06, 0.10, 0.13};
    static const double out[8] = {0.08, 0.22, 0.36, 0.50, 0.64, 0.76, 0.83, 0.80};
    static const double radius[8] = {0.095, 0.082, 0.07, 0.058, 0.047, 0.037, 0.028, 0.018};
    const double angle = 0.7853981633974483 * (i + 0.5), swing = i % 2 ? 1 : -1, lift = i % 3 == 0 ? 0.05 : 0;
    double point[8][3];
    for (int k = 0; k < 8; ++k) {
        const double s = k / 7.0, sway = swing * 0.30 * s * s * (1.4 - s) + 0.10 * swing * sin(7 * s), a = angle + sway,
                     reach = 1 + 0.08 * (i % 3 - 1);
        point[k][0] = reach * out[k] * cos(a);
        point[k][1] = height[k] + lift * s * s * 2;
        point[k][2] = reach * out[k] * sin(a);
    }
    const int arm = sn_creature_part(o, arm_name[i]), suckers = sn_creature_part(o, arm_name[i]);
    sn_creature_limb(o, arm, (const double(*)[3])point, radius, 8, 5);
    for (int k = 0; k < 26;
         ++k) { /* two rows on the inner side, which faces down on the floor and inwards in the curl */
        const double t = 1.2 + 5.7 * k / 25.0;
        double x[3], y[3], r, ignored;
        sn_catmull_rom((const double(*)[3])point, radius, 8, t, x, &r);
        sn_catmull_rom((const double(*)[3])point, radius, 8, fmin(t + 0.05, 7), y, &ignored);
        const double along[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]},
                     length = sqrt(along[0] * along[0] + along[2] * along[2]) + 1e-9;
        const double side[2] = {-along[2] / length, along[0] / length}, shift = (k % 2 ? 0.62 : -0.62) * r;
        const double centre[3] = {x[0] + side[0] * shift, x[1] - 0.72 * r, x[2] + side[1] * shift};
        sn_creature_cone(o, suckers, centre, 0.30 * r, (const double[]){centre[0] + 0.1 * r, centre[1], centre[2]},
                         0.30 * r);
    }
}

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    sn_creature *o = sn_allocate_zero(context, 1, sizeof *o);
    if (!o) return sn_no_memory(error);
    o->name = "octopus";
    o->blend = 0.016;
    o->detail_size = 0.028;
    o->detail_depth = 0.0022;
    add_head(o);
    for (int i = 0; i < 8; ++i) add_arm(o, i);
    const sn_status status = sn_creature_mesh(context, o, (int)value[TRIANGLES][0], value[SIZE][0], mesh, error);
    sn_release(context, o);
    return status;
}

const sn_generator sn_generator_octopus = {
    .parameter = {{"triangles", 1, true, 500, 4e6, {20000}}, {"size", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {1}}},
    .generate = generate};
