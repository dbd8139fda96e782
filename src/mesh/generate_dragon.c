/* Dragon: a young one on four feet, with horns, folded-out wings, a spined back and a curling tail. Looks along +x,
 * rests on y = 0, about 1.8 long and 1.1 high at size 1. */
#include <math.h>
#include <string.h>

#include "creature.h"

enum { TRIANGLES, SIZE };

/* The spine from the tail's tip to the neck: chest, back and tail hang on it, and the spikes stand on it. */
enum { SPINE = 12 };
static const double spine[SPINE][3] = {{-0.60, 0.13, 0.62}, {-0.82, 0.085, 0.50}, {-0.93, 0.09, 0.28},
                                       {-0.86, 0.13, 0.09}, {-0.68, 0.22, 0.0},   {-0.48, 0.34, 0.0},
                                       {-0.28, 0.43, 0.0},  {-0.06, 0.46, 0.0},   {0.14, 0.50, 0.0},
                                       {0.27, 0.62, 0.0},   {0.34, 0.76, 0.0},    {0.42, 0.87, 0.0}};
static const double girth[SPINE] = {0.016, 0.034, 0.05, 0.068, 0.092, 0.13, 0.165, 0.18, 0.165, 0.125, 0.10, 0.09};

static void add_trunk(sn_creature *d) {
    const int tail = sn_creature_part(d, "tail"), trunk = sn_creature_part(d, "body"),
              belly = sn_creature_part(d, "body");
    sn_creature_limb(d, tail, spine, girth, 6, 6);
    sn_creature_limb(d, trunk, spine + 5, girth + 5, SPINE - 5, 5);
    sn_creature_ellipsoid(d, belly, (const double[]){-0.07, 0.38, 0}, (const double[]){0.27, 0.16, 0.165});
    /* Spade at the tip. */
    const int spade = sn_creature_part(d, "tail");
    sn_creature_plate(d, spade, (const double[]){-0.62, 0.13, 0.61}, (const double[]){-0.55, 0.21, 0.67},
                      (const double[]){-0.38, 0.16, 0.72}, 0.018);
    sn_creature_plate(d, spade, (const double[]){-0.62, 0.13, 0.61}, (const double[]){-0.57, 0.06, 0.66},
                      (const double[]){-0.38, 0.16, 0.72}, 0.018);
}

static void add_spikes(sn_creature *d) {
    const int spikes = sn_creature_part(d, "spikes");
    for (int i = 0; i < 24; ++i) {
        const double t = 0.8 + 9.9 * i / 23.0;
        double x[3], y[3], r, ignored;
        sn_catmull_rom(spine, girth, SPINE, t, x, &r);
        sn_catmull_rom(spine, girth, SPINE, t + 0.05, y, &ignored);
        double along[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, up[3] = {0, 1, 0};
        const double l2 = along[0] * along[0] + along[1] * along[1] + along[2] * along[2], rise = along[1] / l2;
        for (int a = 0; a < 3; ++a) up[a] -= rise * along[a];
        const double length = sqrt(up[0] * up[0] + up[1] * up[1] + up[2] * up[2]), l = sqrt(l2),
                     tall = 0.035 + 0.30 * r;
        double base[3], tip[3];
        for (int a = 0; a < 3; ++a) {
            base[a] = x[a] + up[a] / length * (r - 0.012);
            tip[a] = base[a] + up[a] / length * tall - along[a] / l * 0.55 * tall; /* swept towards the tail */
        }
        sn_creature_cone(d, spikes, base, 0.014 + 0.11 * r, tip, 0.008);
    }
}

static void add_head(sn_creature *d) {
    const int skull = sn_creature_part(d, "head"), snout = sn_creature_part(d, "head"),
              jaw = sn_creature_part(d, "head");
    sn_creature_ellipsoid(d, skull, (const double[]){0.47, 0.92, 0}, (const double[]){0.135, 0.108, 0.112});
    sn_creature_limb(d, snout, (const double[][3]){{0.52, 0.905, 0}, {0.62, 0.885, 0}, {0.71, 0.875, 0}},
                     (const double[]){0.08, 0.062, 0.052}, 3, 4);
    sn_creature_limb(d, jaw, (const double[][3]){{0.48, 0.845, 0}, {0.58, 0.815, 0}, {0.675, 0.81, 0}},
                     (const double[]){0.055, 0.042, 0.034}, 3, 4);
    for (int side = -1; side <= 1; side += 2) {
        const int eye = sn_creature_part(d, "eyes"), brow = sn_creature_part(d, "head"),
                  nostril = sn_creature_part(d, "head"), horn = sn_creature_part(d, "horns"),
                  ear = sn_creature_part(d, "ears");
        sn_creature_ellipsoid(d, eye, (const double[]){0.535, 0.945, side * 0.088},
                              (const double[]){0.034, 0.036, 0.028});
        sn_creature_limb(
            d, brow,
            (const double[][3]){{0.46, 0.985, side * 0.095}, {0.53, 0.995, side * 0.085}, {0.595, 0.965, side * 0.055}},
            (const double[]){0.014, 0.021, 0.013}, 3, 4);
        sn_creature_ellipsoid(d, nostril, (const double[]){0.735, 0.915, side * 0.027},
                              (const double[]){0.022, 0.018, 0.016});
        sn_creature_limb(d, horn,
                         (const double[][3]){{0.42, 0.985, side * 0.062},
                                             {0.34, 1.06, side * 0.10},
                                             {0.25, 1.10, side * 0.125},
                                             {0.16, 1.09, side * 0.12}},
                         (const double[]){0.034, 0.027, 0.019, 0.009}, 4, 6);
        sn_creature_plate(d, ear, (const double[]){0.43, 0.94, side * 0.10}, (const double[]){0.39, 0.87, side * 0.10},
                          (const double[]){0.29, 0.95, side * 0.24}, 0.014);
    }
}

static void add_foot(sn_creature *d, int part, const double ankle[3], double side) {
    const double heel[3] = {ankle[0] - 0.015, 0.042, ankle[2]};
    sn_creature_cone(d, part, heel, 0.048, (const double[]){ankle[0] + 0.05, 0.036, ankle[2]}, 0.036);
    double tip[3][3];
    for (int toe = 0; toe < 3; ++toe) {
        const double spread = toe - 1, z = ankle[2] + 0.036 * spread + 0.006 * side,
                     x = ankle[0] + 0.095 - 0.012 * spread * spread;
        tip[toe][0] = x, tip[toe][1] = 0.026, tip[toe][2] = z + 0.01 * spread;
        sn_creature_cone(d, part, (const double[]){ankle[0] + 0.03, 0.034, z}, 0.026, tip[toe], 0.022);
    }
    const int claws = sn_creature_part(d, "claws");
    for (int toe = 0; toe < 3; ++toe)
        sn_creature_cone(d, claws, (const double[]){tip[toe][0] + 0.005, 0.028, tip[toe][2]}, 0.0145,
                         (const double[]){tip[toe][0] + 0.055, 0.012, tip[toe][2] + 0.007 * (toe - 1)}, 0.006);
}

static void add_legs(sn_creature *d) {
    for (int side = -1; side <= 1; side += 2) {
        const double front[4][3] = {{0.15, 0.42, side * 0.10},
                                    {0.13, 0.29, side * 0.165},
                                    {0.20, 0.16, side * 0.17},
                                    {0.19, 0.06, side * 0.17}};
        const double back[4][3] = {{-0.30, 0.39, side * 0.09},
                                   {-0.22, 0.26, side * 0.185},
                                   {-0.36, 0.15, side * 0.18},
                                   {-0.31, 0.06, side * 0.18}};
        const int f = sn_creature_part(d, "legs");
        sn_creature_limb(d, f, front, (const double[]){0.10, 0.075, 0.052, 0.046}, 4, 5);
        add_foot(d, f, front[3], side);
        const int b = sn_creature_part(d, "legs");
        sn_creature_limb(d, b, back, (const double[]){0.12, 0.098, 0.056, 0.048}, 4, 5);
        add_foot(d, b, back[3], side);
    }
}

/* Arm and three fingers with a membrane between them, thick enough to be solid at every resolution. */
static void add_wings(sn_creature *d) {
    for (int side = -1; side <= 1; side += 2) {
        const double shoulder[3] = {0.06, 0.58, side * 0.10}, elbow[3] = {-0.03, 0.80, side * 0.24},
                     wrist[3] = {0.06, 1.00, side * 0.40};
        const double finger[3][3] = {
            {-0.18, 1.02, side * 0.78}, {-0.38, 0.84, side * 0.66}, {-0.44, 0.66, side * 0.42}};
        const double root[3] = {-0.22, 0.55, side * 0.09};
        const int bones = sn_creature_part(d, "wings"), skin = sn_creature_part(d, "wings");
        sn_creature_limb(d, bones,
                         (const double[][3]){{shoulder[0], shoulder[1], shoulder[2]},
                                             {elbow[0], elbow[1], elbow[2]},
                                             {wrist[0], wrist[1], wrist[2]}},
                         (const double[]){0.046, 0.034, 0.028}, 3, 6);
        for (int i = 0; i < 3; ++i) sn_creature_cone(d, bones, wrist, 0.024, finger[i], 0.014);
        sn_creature_cone(d, bones, wrist, 0.02, (const double[]){wrist[0] + 0.07, wrist[1] + 0.045, wrist[2]}, 0.008);
        const double thick = 0.0125;
        for (int i = 0; i < 2;
             ++i) { /* a membrane drawn in between fingers: two triangles to a point short of their ends */
            double middle[3];
            for (int a = 0; a < 3; ++a) middle[a] = 0.36 * (finger[i][a] + finger[i + 1][a]) + 0.28 * wrist[a];
            sn_creature_plate(d, skin, wrist, finger[i], middle, thick);
            sn_creature_plate(d, skin, wrist, middle, finger[i + 1], thick);
        }
        double middle[3];
        for (int a = 0; a < 3; ++a) middle[a] = 0.40 * (finger[2][a] + root[a]) + 0.20 * elbow[a];
        sn_creature_plate(d, skin, wrist, finger[2], elbow, thick);
        sn_creature_plate(d, skin, elbow, finger[2], middle, thick);
        sn_creature_plate(d, skin, elbow, middle, root, thick);
        sn_creature_plate(d, skin, elbow, root, shoulder, thick);
    }
}

static sn_status generate(sn_context *context, const double value[][3], sn_mesh **mesh, sn_error *error) {
    sn_creature *d = sn_allocate_zero(context, 1, sizeof *d);
    if (!d) return sn_no_memory(error);
    d->name = "dragon";
    d->blend = 0.012;
    d->detail_size = 0.032;
    d->detail_depth = 0.0035;
    add_trunk(d);
    add_spikes(d);
    add_head(d);
    add_legs(d);
    add_wings(d);
    const sn_status status = sn_creature_mesh(context, d, (int)value[TRIANGLES][0], value[SIZE][0], mesh, error);
    sn_release(context, d);
    return status;
}

const sn_generator sn_generator_dragon = {
    .parameter = {{"triangles", 1, true, 500, 4e6, {20000}}, {"size", 1, false, SN_LENGTH_LOW, SN_LENGTH_HIGH, {1}}},
    .generate = generate};
