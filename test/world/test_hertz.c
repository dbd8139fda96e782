/* Contact against a closed form: the circle of contact of Hertz's law.
 *
 * Hertz (1882): a sphere of radius R that is pressed with the force F against a rigid plane flattens by d, and touches
 * in a circle of radius a:
 *
 *   a^3 = 3 F R / (4 E*),   d = a^2 / R,   E* = E / (1 - nu^2)
 *
 * Two equal spheres are mirror images of each other, so each is as if on a rigid plane. The law asks for a << R; here a
 * is 0.15 R. The pressure is p0 sqrt(1 - r^2 / a^2), so the mean of r^2 over the forces is 2 a^2 / 5: this gives a from
 * the list of contacts. d is measured in the body, from its centre of mass to its lowest vertex, so that the small
 * depth or distance that a response leaves between the surfaces does not count. */
#include "scene.h"

static const double RADIUS = 0.1, YOUNG = 1e6, POISSON = 0.3, PRESS = 0.15;

typedef struct stand {
    sn_context *context;
    sn_mesh *mesh[2];
    sn_material material, hard;
    sn_body_options body[2];
    sn_fix fix[2];
    sn_load load[2];
    sn_collider collider;
    sn_world_options options;
    sn_world *world;
    sn_error error;
} stand;

static void stand_start(stand *s, const char *response) {
    memset(s, 0, sizeof *s);
    sn_context_options o = sn_context_options_default();
    o.threads = 1;
    assert_int_equal(sn_context_create(&o, &s->context, NULL), SN_OK);
    s->options = sn_world_options_default();
    s->options.body = s->body;
    s->options.time.step = 0.01;
    memset(s->options.gravity, 0, sizeof s->options.gravity);
    s->options.contact.use = true;
    snprintf(s->options.contact.response, sizeof s->options.contact.response, "%s", response);
    s->material = sn_material_default();
    set_constant(&s->material, "young", YOUNG);
    set_constant(&s->material, "poisson", POISSON);
    s->material.rayleigh[0] = 10;
    s->material.rayleigh[1] = 0.01;
    for (int i = 0; i < 2; ++i) s->fix[i] = sn_fix_default(), s->load[i] = sn_load_default();
}

static sn_body_options *add(stand *s, sn_mesh *mesh, const char *name) {
    const int at = s->options.body_count++;
    s->mesh[at] = mesh;
    sn_body_options *body = &s->body[at];
    *body = sn_body_options_default();
    snprintf(body->name, sizeof body->name, "%s", name);
    body->mesh = mesh;
    body->material = &s->material;
    body->material_count = 1;
    body->load = &s->load[at], body->fix = &s->fix[at];
    return body;
}

static void stand_create(stand *s) {
    if (sn_world_create(s->context, &s->options, &s->world, &s->error)) print_message("%s\n", s->error.text);
    assert_non_null(s->world);
}

static void go(stand *s, int steps) {
    for (int i = 0; i < steps; ++i) {
        const sn_status status = sn_world_step(s->world, NULL, &s->error);
        if (status) print_message("step %d: %s\n", i, s->error.text);
        assert_int_equal(status, SN_OK);
    }
}

static void stand_end(stand *s) {
    sn_world_destroy(s->world);
    for (int i = 0; i < 2; ++i) sn_mesh_destroy(s->mesh[i]);
    sn_context_destroy(s->context);
}

/* ---- Hertz ---- */

/* A sphere whose lowest point is at the height `low`. Its mesh is fine there: the conformal map of the unit ball to
 * itself that takes the centre to p,
 *   x -> ((1 + 2 p . x + x^2) p + (1 - p^2) x) / (1 + 2 p . x + p^2 x^2),
 * makes tets smaller by (1 - |p|) / (1 + |p|) at the side of p. `up` -1: the sphere is upside down. */
static sn_mesh *fine_sphere(sn_context *context, double low, int up) {
    const sn_generator_value value[2] = {{"radius", 1, {1}}, {"cells", 1, {8}}};
    const double p = -0.6;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_generate(context, "sphere", value, 2, &mesh, NULL), SN_OK);
    for (int i = 0; i < mesh->node_count; ++i) {
        double *x = mesh->position + 3 * (size_t)i;
        const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], along = 1 + 2 * p * x[1];
        const double below = along + p * p * square;
        for (int a = 0; a < 3; ++a) x[a] = RADIUS * ((a == 1 ? (along + square) * p : 0) + (1 - p * p) * x[a]) / below;
        x[1] += RADIUS;
        if (up < 0) x[0] *= -1, x[1] *= -1; /* a half turn */
        x[1] += low;
    }
    return mesh;
}

/* The height of the centre of mass above the lowest point (`up` 1), or its depth below the highest one, at x. */
static double height(const sn_mesh *mesh, const double *x, int up) {
    double volume = 0, moment = 0, low = INFINITY;
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int32_t *n = mesh->tet + 4 * (size_t)t;
        const double *r = mesh->position, *o = r + 3 * n[0], *a = r + 3 * n[1], *b = r + 3 * n[2], *c = r + 3 * n[3];
        const double u[3] = {a[0] - o[0], a[1] - o[1], a[2] - o[2]}, v[3] = {b[0] - o[0], b[1] - o[1], b[2] - o[2]},
                     w[3] = {c[0] - o[0], c[1] - o[1], c[2] - o[2]};
        const double six = u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
                           u[2] * (v[0] * w[1] - v[1] * w[0]);
        volume += six;
        for (int k = 0; k < 4; ++k) moment += six * x[3 * n[k] + 1] / 4;
    }
    for (int i = 0; i < mesh->node_count; ++i) low = fmin(low, up * x[3 * i + 1]);
    return up * moment / volume - low;
}

/* How much lower the centre of mass is than at rest. */
static double flattening(const stand *s, int body, int up) {
    const sn_mesh *mesh = s->mesh[body];
    double *x = malloc(3 * (size_t)mesh->node_count * sizeof *x);
    assert_int_equal(sn_world_get(s->world, body, x, NULL), SN_OK);
    const double flat = height(mesh, mesh->position, up) - height(mesh, x, up);
    free(x);
    return flat;
}

/* The radius of the circle of contact from the forces. */
static double contact_radius(const stand *s) {
    const int count = sn_world_contacts(s->world, NULL, 0);
    sn_contact *contact = malloc((size_t)count * sizeof *contact);
    assert_int_equal(sn_world_contacts(s->world, contact, count), count);
    double force = 0, moment = 0;
    for (int i = 0; i < count; ++i) {
        const double *p = contact[i].point, f = fabs(contact[i].force[1]);
        force += f, moment += f * (p[0] * p[0] + p[2] * p[2]);
    }
    free(contact);
    return sqrt(2.5 * moment / force);
}

/* The same from the reactions of a collider. */
static double reaction_radius(stand *s) {
    const int nodes = s->mesh[0]->node_count;
    double *f = malloc(3 * (size_t)nodes * sizeof *f), *x = malloc(3 * (size_t)nodes * sizeof *x);
    double force = 0, moment = 0;
    assert_int_equal(sn_world_reactions(s->world, 0, f, NULL), SN_OK);
    assert_int_equal(sn_world_get(s->world, 0, x, NULL), SN_OK);
    for (int i = 0; i < nodes; ++i) {
        force += f[3 * i + 1];
        moment += f[3 * i + 1] * (x[3 * i] * x[3 * i] + x[3 * i + 2] * x[3 * i + 2]);
    }
    free(f);
    free(x);
    return sqrt(2.5 * moment / force);
}

/* Presses a body with the force F of the law, spread over its volume. */
static double press(stand *s, int body, double direction) {
    const double a = PRESS * RADIUS, force = 4 * YOUNG / (1 - POISSON * POISSON) * a * a * a / (3 * RADIUS);
    const double pi = 3.14159265358979;
    s->load[body].kind = SN_LOAD_BODY;
    s->load[body].value[1] = direction * force / (4 * pi / 3 * RADIUS * RADIUS * RADIUS);
    s->body[body].load_count = 1;
    return force;
}

static void judge(const char *what, double flat, double radius) {
    const double a = PRESS * RADIUS, d = a * a / RADIUS;
    const double force = pow(flat / d, 1.5); /* of the law at the measured approach */
    print_message("%s: force of the law at the approach %.3f of the true one, contact radius %.3f of the law\n", what,
                  force, radius / a);
    /* The approach is 12 to 20 % below the law on this mesh, with every response; docs/contact-between-bodies.md. So
     * only the radius is asked to agree. */
    assert_true(fabs(radius / a - 1) < 0.1);
}

static void test_sphere_on_block(void **state) {
    const char *response = *state;
    stand s;
    stand_start(&s, response);
    add(&s, fine_sphere(s.context, 0.0005, 1), "sphere");
    press(&s, 0, -1);
    sn_mesh *block = box_mesh(s.context, 0.16, 0.04, 0.16, 8, 1, 8, 5);
    for (int i = 0; i < block->node_count; ++i)
        block->position[3 * i] -= 0.083, block->position[3 * i + 1] -= 0.04, block->position[3 * i + 2] -= 0.077;
    s.fix[1].select = (sn_selector){.kind = SN_SELECT_ALL};
    add(&s, block, "block")->fix_count = 1;
    stand_create(&s);
    go(&s, 60);
    judge(response, flattening(&s, 0, 1), contact_radius(&s));
    stand_end(&s);
}

static void test_two_spheres(void **state) {
    const char *response = *state;
    stand s;
    stand_start(&s, response);
    s.options.contact.friction = 0.3;
    add(&s, fine_sphere(s.context, 0.0003, 1), "upper");
    add(&s, fine_sphere(s.context, -0.0003, -1), "lower");
    press(&s, 0, -1);
    press(&s, 1, 1);
    stand_create(&s);
    go(&s, 60);
    judge(response, 0.5 * (flattening(&s, 0, 1) + flattening(&s, 1, -1)), contact_radius(&s));
    stand_end(&s);
}

static void test_sphere_on_plane(void **state) {
    const char *response = *state;
    stand s;
    stand_start(&s, "area");
    s.options.contact.use = false;
    add(&s, fine_sphere(s.context, 0.0005, 1), "sphere");
    press(&s, 0, -1);
    s.collider = sn_collider_default();
    strcpy(s.collider.response, response);
    s.options.collider = &s.collider, s.options.collider_count = 1;
    stand_create(&s);
    go(&s, 60);
    char what[64];
    snprintf(what, sizeof what, "collider, %s", response);
    judge(what, flattening(&s, 0, 1), reaction_radius(&s));
    stand_end(&s);
}

#define RESPONSE(test, name) cmocka_unit_test_prestate(test, (void *)(uintptr_t)(name))

int main(void) {
    const struct CMUnitTest tests[] = {
        RESPONSE(test_sphere_on_plane, "penalty"), RESPONSE(test_sphere_on_plane, "projection"),
        RESPONSE(test_sphere_on_block, "area"),    RESPONSE(test_sphere_on_block, "penalty"),
        RESPONSE(test_sphere_on_block, "exact"),   RESPONSE(test_two_spheres, "area"),
        RESPONSE(test_two_spheres, "penalty"),     RESPONSE(test_two_spheres, "exact"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
