/* Colliders for the tests of shapes: one or more of each shape, of a size around 1, near the origin; and the meshes
 * that they need. */
#ifndef SN_TEST_SHAPE_TRIALS_H
#define SN_TEST_SHAPE_TRIALS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/math3.h"
#include "contact/penalty.h"

static sn_context *context;

static inline void close_to(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) {
        print_message("%.17g, expected %.17g (+- %g)\n", a, b, tolerance);
        fail();
    }
}

static inline sn_collider shape(const char *name) {
    sn_collider c = sn_collider_default();
    snprintf(c.shape, sizeof c.shape, "%s", name);
    return c;
}

static inline void set(sn_collider *c, const char *name, int count, double x, double y, double z, double w) {
    const double value[4] = {x, y, z, w};
    assert_int_equal(sn_collider_set(c, name, value, count, NULL), SN_OK);
}

/* ---- The trials: one collider or more for each shape, of a size around 1, near the origin ---- */

static sn_mesh *torus, *roof, *fine;

static inline sn_collider plane(void) {
    sn_collider c = shape("plane");
    set(&c, "point", 3, 0.1, 0.2, -0.3, 0), set(&c, "normal", 3, 1, 2, -0.5, 0);
    return c;
}
static inline sn_collider centred(const char *name) {
    sn_collider c = shape(name);
    set(&c, "center", 3, 0.1, 0.2, -0.3, 0);
    return c;
}
static inline sn_collider ball(void) {
    sn_collider c = centred("sphere");
    set(&c, "radius", 1, 0.8, 0, 0, 0);
    return c;
}
static inline sn_collider capsule(void) {
    sn_collider c = shape("capsule");
    set(&c, "from", 3, -0.5, 0.2, -0.3, 0), set(&c, "to", 3, 0.6, 0.5, 0.1, 0), set(&c, "radius", 1, 0.4, 0, 0, 0);
    return c;
}
static inline sn_collider short_capsule(void) {
    sn_collider c = capsule();
    set(&c, "to", 3, -0.5, 0.2, -0.3, 0), set(&c, "radius", 1, 0.7, 0, 0, 0);
    return c;
}
static inline sn_collider sharp_box(void) {
    sn_collider c = centred("box");
    set(&c, "size", 3, 1.2, 0.7, 1.6, 0);
    return c;
}
static inline sn_collider round_box(void) {
    sn_collider c = sharp_box();
    set(&c, "radius", 1, 0.2, 0, 0, 0), set(&c, "rotate", 4, 1, 2, 3, 40);
    return c;
}
static inline sn_collider solid_mesh(void) {
    sn_collider c = shape("mesh");
    c.mesh = torus;
    set(&c, "scale", 1, 1.5, 0, 0, 0), set(&c, "rotate", 4, 1, 0, 1, 30), set(&c, "move", 3, 0.1, 0.2, -0.3, 0);
    return c;
}
static inline sn_collider thick_mesh(void) {
    sn_collider c = solid_mesh();
    set(&c, "thickness", 1, 0.1, 0, 0, 0);
    return c;
}
/* So many triangles that coarse cells tell how far it is. */
static inline sn_collider fine_mesh(void) {
    sn_collider c = solid_mesh();
    c.mesh = fine;
    return c;
}
static inline sn_collider sheet(void) {
    sn_collider c = shape("mesh");
    c.mesh = roof;
    set(&c, "thickness", 1, 0.2, 0, 0, 0);
    return c;
}

static const double hills[4][5] = {
    {0.1, 0.3, -0.1, 0.2, 0}, {0, 0.4, 0.5, 0.1, -0.2}, {0.2, -0.3, 0.3, 0.6, 0.1}, {0, 0.1, -0.2, 0.2, 0.3}};
static inline sn_collider ground(void) {
    sn_collider c = shape("heightfield");
    c.height = hills[0], c.rows = 4, c.columns = 5;
    set(&c, "size", 2, 3, 2.4, 0, 0), set(&c, "center", 3, 0.1, 0.2, -0.3, 0), set(&c, "scale", 1, 0.8, 0, 0, 0);
    return c;
}
/* Smaller than the places where the tests look, which are then beyond its border. */
static inline sn_collider small_ground(void) {
    sn_collider c = ground();
    set(&c, "size", 2, 0.7, 0.5, 0, 0), set(&c, "rotate", 4, 1, 0.3, 0.2, 20);
    return c;
}

typedef struct trial {
    const char *shape;
    sn_collider (*make)(void);
    double through[2][3]; /* a way through it, none for a plane */
    bool hollow;          /* bodies may be inside */
} trial;

static const trial trials[] = {
    {"plane", plane, {{0}}, false},
    {"sphere", ball, {{-2, 0.3, -0.2}, {2, 0.1, -0.3}}, true},
    {"capsule", capsule, {{0, -2, -0.1}, {0.1, 2, -0.1}}, true},
    {"capsule", short_capsule, {{-0.5, -2, -0.3}, {-0.5, 2, -0.3}}, true},
    {"box", sharp_box, {{0.2, -2, -0.2}, {0.1, 2, -0.1}}, true},
    {"box", round_box, {{0.2, -2, -0.2}, {0.1, 2, -0.1}}, true},
    {"mesh", solid_mesh, {{-3, 0.2, -0.3}, {3, 0.2, -0.3}}, true},
    {"mesh", thick_mesh, {{-3, 0.2, -0.3}, {3, 0.2, -0.3}}, true},
    {"mesh", sheet, {{0.3, -2, 0.1}, {0.3, 2, 0.1}}, false},
    {"heightfield", ground, {{0}}, false},
    {"heightfield", small_ground, {{0}}, false},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static const double move_key[8] = {0, 0, 0, 0, 2, 0.4, -0.3, 0.2}, turn_key[4] = {0, 0, 2, 130};

/* kind & 1: moved and turned; kind & 2: inside out; kind & 4: about a point elsewhere. */
static inline void build(const trial *t, int kind, sn_collider_model *model) {
    sn_collider c = t->make();
    c.inside = kind & 2;
    if (kind & 1) {
        c.key = move_key, c.key_count = 2;
        c.turn.axis[0] = 0.3, c.turn.axis[2] = -0.5;
        c.turn.key = turn_key, c.turn.key_count = 2;
        if (kind & 4) c.turn.has_point = true, c.turn.point[0] = 0.7, c.turn.point[1] = -0.4;
    }
    sn_error error = {0};
    if (sn_collider_model_create(context, &c, model, &error)) print_message("%s: %s\n", error.path, error.text), fail();
}

static inline double unit_noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

static inline double distance3(const double a[3], const double b[3]) {
    double d[3];
    sn_subtract3(a, b, d);
    return sn_norm3(d);
}

static inline int start(void **state) {
    (void)state;
    if (sn_context_create(NULL, &context, NULL)) return 1;
    const sn_generator_value value[3] = {{"radius", 1, {0.5}}, {"minor", 1, {0.2}}, {"cells", 2, {10, 1}}};
    if (sn_mesh_generate(context, "torus", value, 3, &torus, NULL)) return 1;
    const sn_generator_value many[3] = {{"radius", 1, {0.5}}, {"minor", 1, {0.2}}, {"cells", 2, {80, 8}}};
    if (sn_mesh_generate(context, "torus", many, 3, &fine, NULL)) return 1;
    /* Two triangles with a fold. */
    static const double place[12] = {0, 0, -1, 0, 0, 1, 1, -0.0, 0, -1, -0.5, 0};
    static const int32_t corner[6] = {0, 1, 2, 1, 0, 3};
    if (sn_mesh_create(context, 4, 0, 4, 2, &roof, NULL)) return 1;
    memcpy(roof->position, place, sizeof place);
    memcpy(roof->triangle, corner, sizeof corner);
    return 0;
}

static inline int end(void **state) {
    (void)state;
    sn_mesh_destroy(torus);
    sn_mesh_destroy(roof);
    sn_mesh_destroy(fine);
    sn_context_destroy(context);
    return 0;
}

#endif
