/* What the tests of this folder share: a context, a box, a world. */
#ifndef TEST_WORLD_SCENE_H
#define TEST_WORLD_SCENE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/sinew.h"
#include "time/system.h"
#include "time/time_options.h"

typedef struct scene {
    sn_context *context;
    sn_mesh *mesh;
    sn_material material;
    sn_body_options body;
    sn_world_options options;
    sn_fix fix[4];
    sn_load load[4];
    sn_collider collider[2];
    sn_probe probe[6];
    sn_world *world;
    sn_error error;
} scene;

static inline sn_mesh *box_mesh(sn_context *context, double x, double y, double z, int nx, int ny, int nz, int split) {
    const sn_generator_value value[3] = {{"size", 3, {x, y, z}}, {"cells", 3, {nx, ny, nz}}, {"split", 1, {split}}};
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_generate(context, "box", value, 3, &mesh, &error)) print_message("%s\n", error.text);
    assert_non_null(mesh);
    return mesh;
}

static inline void set_constant(sn_material *material, const char *name, double value) {
    assert_int_equal(sn_material_set(material, name, &value, 1, NULL), SN_OK);
}

/* A parameter of a collider's shape with three numbers. */
static inline void set_place(sn_collider *collider, const char *name, double x, double y, double z) {
    const double value[3] = {x, y, z};
    assert_int_equal(sn_collider_set(collider, name, value, 3, NULL), SN_OK);
}

/* Makes a ball of a collider; friction, response and keys stay. */
static inline void make_ball(sn_collider *collider, double x, double y, double z, double radius) {
    snprintf(collider->shape, sizeof collider->shape, "sphere");
    collider->value_count = 0;
    set_place(collider, "center", x, y, z);
    assert_int_equal(sn_collider_set(collider, "radius", &radius, 1, NULL), SN_OK);
}

/* A world of one box with the given law; pointers of the scene are set so that the counts can be edited. */
static inline void scene_start(scene *s, const sn_context_options *context, double x, double y, double z, int nx,
                               int ny, int nz) {
    memset(s, 0, sizeof *s);
    sn_context_options o = context ? *context : sn_context_options_default();
    if (!context) o.threads = 1;
    assert_int_equal(sn_context_create(&o, &s->context, NULL), SN_OK);
    s->mesh = box_mesh(s->context, x, y, z, nx, ny, nz, 5);
    s->material = sn_material_default();
    s->body = sn_body_options_default();
    s->body.mesh = s->mesh;
    s->body.material = &s->material;
    s->body.material_count = 1;
    s->body.fix = s->fix;
    s->body.load = s->load;
    for (int i = 0; i < 4; ++i) s->fix[i] = sn_fix_default(), s->load[i] = sn_load_default();
    for (int i = 0; i < 2; ++i) s->collider[i] = sn_collider_default();
    s->options = sn_world_options_default();
    s->options.body = &s->body;
    s->options.body_count = 1;
    s->options.collider = s->collider;
    s->options.probe = s->probe;
}

/* Sets the options of Newton's method, unless the method of the scene does not use it. */
static inline void set_newton(scene *s, const char *kind, int iterations, double tolerance) {
    sn_newton_options *newton = &s->options.time.newton;
    snprintf(newton->kind, sizeof newton->kind, "%s", kind);
    newton->iterations = iterations, newton->tolerance = tolerance;
    if (sn_time_options_used(&s->options.time, NULL)) *newton = sn_time_options_default().newton;
}

/* Sets the options of the linear solver ("": the method of the scene stays), unless the method of time solves no linear
 * system. */
static inline void set_solver(scene *s, const char *method, double tolerance) {
    if (!sn_method_choose(&s->options.time)->implicit) return;
    if (*method) snprintf(s->options.solver.method, sizeof s->options.solver.method, "%s", method);
    s->options.solver.tolerance = tolerance;
}

static inline void scene_create(scene *s) {
    if (sn_world_create(s->context, &s->options, &s->world, &s->error)) print_message("%s\n", s->error.text);
    assert_non_null(s->world);
}

static inline void scene_end(scene *s) {
    sn_world_destroy(s->world);
    sn_mesh_destroy(s->mesh);
    sn_context_destroy(s->context);
}

static inline void step(scene *s, int steps) {
    for (int i = 0; i < steps; ++i) {
        const sn_status status = sn_world_step(s->world, NULL, &s->error);
        if (status) print_message("step %d: %s\n", i, s->error.text);
        assert_int_equal(status, SN_OK);
    }
}

static inline sn_selector box_selector(double x0, double y0, double z0, double x1, double y1, double z1) {
    return (sn_selector){.kind = SN_SELECT_BOX, .box = {{x0, y0, z0}, {x1, y1, z1}}, .angle = 1};
}
static inline sn_selector normal_selector(double x, double y, double z) {
    return (sn_selector){.kind = SN_SELECT_NORMAL, .normal = {x, y, z}, .angle = 1};
}

/* The face x = 0 held. */
static inline void clamp_left(scene *s) {
    s->fix[0].select = box_selector(-1e-9, -10, -10, 1e-9, 10, 10);
    s->body.fix_count = 1;
}

static inline sn_probe *add_probe(scene *s, sn_quantity quantity, double x, double y, double z) {
    sn_probe *p = &s->probe[s->options.probe_count++];
    *p = sn_probe_default();
    strcpy(p->name, "p");
    p->quantity = quantity;
    p->nearest[0] = x, p->nearest[1] = y, p->nearest[2] = z;
    return p;
}

static inline int probe(scene *s, int index, double value[6]) {
    int count = 0;
    const sn_status status = sn_world_probe(s->world, index, value, &count, &s->error);
    if (status) print_message("%s\n", s->error.text);
    assert_int_equal(status, SN_OK);
    return count;
}

/* A box of length x by y by y without weight. Three planes x = 0, y = 0 and z = 0 of its nodes may only slide, so that
 * it is free to contract. Probe 0 is the force on the plane x = 0. */
static inline void free_box(scene *s, const sn_context_options *context, double x, double y, int nx, int ny,
                            const char *law, const char *element) {
    scene_start(s, context, x, y, y, nx, ny, ny);
    strcpy(s->material.law, law);
    strcpy(s->body.element, element);
    s->options.solver.tolerance = 1e-12;
    memset(s->options.gravity, 0, sizeof s->options.gravity);
    for (int a = 0; a < 3; ++a) {
        s->fix[a].select = box_selector(-1, -1, -1, a == 0 ? 1e-9 : 1, a == 1 ? 1e-9 : 1, a == 2 ? 1e-9 : 1);
        for (int b = 0; b < 3; ++b) s->fix[a].axis[b] = a == b;
    }
    s->body.fix_count = 3;
    sn_probe *p = add_probe(s, SN_QUANTITY_REACTION, 0, 0, 0);
    p->at = SN_PROBE_SELECT;
    p->select = s->fix[0].select;
}

#define assert_near(a, b, tolerance)                                                                                   \
    do {                                                                                                               \
        const double a_ = (a), b_ = (b), t_ = (tolerance);                                                             \
        if (!(fabs(a_ - b_) <= t_)) {                                                                                  \
            print_message("%s = %.17g, expected %.17g (+- %g)\n", #a, a_, b_, t_);                                     \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

#endif
