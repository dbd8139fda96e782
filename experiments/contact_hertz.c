/* Trials of contact against closed forms: Hertz's law (1882).
 *
 * A sphere of radius R that is pressed with the force F against a rigid plane touches it in a circle of radius a, with
 * the pressure p:
 *
 *   a^3 = 3 F R / (4 E*),   p(r) = p0 sqrt(1 - r^2 / a^2),   p0 = 3 F / (2 pi a^2),   E* = E / (1 - nu^2)
 *
 * Two equal spheres are mirror images of each other, so each is as if on a rigid plane. The law asks for a << R; here a
 * is 0.15 R.
 *
 * The radius: the mean of r^2 over the forces is 2 a^2 / 5, so the list of contacts gives a.
 *
 * The force: Hertz's approach d = a^2 / R is that of a point infinitely far inside a half space. A sphere has no such
 * point: its centre is only R away, and at this depth z the half space still moves by (Boussinesq)
 *
 *   u(z) = (1 + nu) / (2 pi E) int p(r) [2 (1 - nu) / rho + z^2 / rho^3] dA,   rho^2 = r^2 + z^2
 *
 * Here this is 11 % of d. So the centre comes nearer to the plane by d - u(R), which grows with F^(2/3) up to terms of
 * a / R. The measured flattening gives the force of the law. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact_stage.h"
#include "contact_trials.h"

static const double RADIUS = 0.1, YOUNG = 1e6, POISSON = 0.3, PRESS = 0.15; /* PRESS: a, of the radius */
static const double LOW = 0.0004; /* m: height of the lowest point of a sphere at the start */
static const double PI = 3.14159265358979324;

/* The force of the law at the circle PRESS x RADIUS. */
static double law_force(void) {
    const double a = PRESS * RADIUS;
    return 4 * YOUNG / (1 - POISSON * POISSON) * a * a * a / (3 * RADIUS);
}

/* d - u(R): the flattening of the law between the surface and the centre. */
static double law_flattening(void) {
    enum { PARTS = 2000 };
    const double a = PRESS * RADIUS, z = RADIUS, p0 = 1.5 * law_force() / (PI * a * a);
    double u = 0;
    for (int i = 0; i < PARTS; ++i) {
        const double r = a * (i + 0.5) / PARTS, rho = sqrt(r * r + z * z), p = p0 * sqrt(1 - r * r / (a * a));
        u += p * (2 * (1 - POISSON) / rho + z * z / (rho * rho * rho)) * 2 * PI * r * a / PARTS;
    }
    return a * a / RADIUS - (1 + POISSON) / (2 * PI * YOUNG) * u;
}

/* ---- Meshes ---- */

/* A sphere whose lowest point is at the height `low`. Its mesh is fine there: the conformal map of the unit ball to
 * itself that takes the centre to p,
 *   x -> ((1 + 2 p . x + x^2) p + (1 - p^2) x) / (1 + 2 p . x + p^2 x^2),
 * makes tets smaller by (1 - |p|) / (1 + |p|) at the side of p. `up` -1: the sphere is upside down. */
static sn_mesh *fine_sphere(contact_stage *s, double low, int up, int cells) {
    const sn_generator_value value[2] = {{"radius", 1, {1}}, {"cells", 1, {cells}}};
    const double p = -0.6;
    sn_mesh *mesh = NULL;
    s->status = sn_mesh_generate(s->context, "sphere", value, 2, &mesh, &s->error);
    for (int i = 0; mesh && i < mesh->node_count; ++i) {
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

/* The height at x of the material point that was at `at` at rest: linear in the tet around it. */
static double height_at(const sn_mesh *mesh, const double *x, const double at[3]) {
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int32_t *n = mesh->tet + 4 * (size_t)t;
        double share[4], sum = 0, least = INFINITY, height = 0;
        for (int k = 0; k < 4; ++k) { /* six times the volume without corner k */
            const double *p[4];
            double e[3][3];
            for (int c = 0; c < 4; ++c) p[c] = c == k ? at : mesh->position + 3 * n[c];
            for (int i = 0; i < 9; ++i) e[i / 3][i % 3] = p[1 + i / 3][i % 3] - p[0][i % 3];
            share[k] = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                       e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                       e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
            sum += share[k], least = fmin(least, share[k]);
        }
        if (least < -1e-9 * sum) continue;
        for (int k = 0; k < 4; ++k) height += share[k] / sum * x[3 * n[k] + 1];
        return height;
    }
    return NAN;
}

/* What the contacts of a sphere say. */
typedef struct circle {
    double radius; /* m: of the circle of contact */
    double height; /* m: of its plane, the mean over the forces of the points of the sphere */
} circle;

static circle circle_of(contact_stage *s, int body) {
    circle out = {NAN, NAN};
    if (s->status) return out;
    const int count = sn_world_contacts(s->world, NULL, 0);
    sn_contact *contact = malloc((size_t)(count + 1) * sizeof *contact);
    double force = 0, square = 0, height = 0;
    sn_world_contacts(s->world, contact, count);
    for (int i = 0; i < count; ++i) {
        const double *p = contact[i].point, f = fabs(contact[i].force[1]);
        force += f, square += f * (p[0] * p[0] + p[2] * p[2]);
        height += f * (p[1] - (contact[i].body[0] == body ? 0 : contact[i].gap * contact[i].normal[1]));
    }
    free(contact);
    return (circle){sqrt(2.5 * square / force), height / force};
}

/* How much nearer the centre of a sphere has come to the plane of its contact. */
static double flattening(contact_stage *s, int body, int up, double plane) {
    double *x = stage_places(s, body);
    if (!x) return NAN;
    const double centre[3] = {0, up * (LOW + RADIUS), 0};
    const double flat = RADIUS - up * (height_at(s->mesh[body], x, centre) - plane);
    free(x);
    return flat;
}

/* ---- Trials ---- */

/* Adds a sphere that is pressed with the force of the law, spread over its volume. */
static void add_sphere(contact_stage *s, double low, int up, int cells) {
    const int at = s->options.body_count;
    stage_add(s, fine_sphere(s, low, up, cells))->load_count = 1;
    s->load[at].kind = SN_LOAD_BODY;
    s->load[at].value[1] = -up * law_force() / (4 * PI / 3 * RADIUS * RADIUS * RADIUS);
}

static void hertz_start(contact_stage *s, const contact_run *run, const char *response) {
    stage_start(s, run->context, response);
    stage_constant(s, "young", YOUNG);
    stage_constant(s, "poisson", POISSON);
    memset(s->options.gravity, 0, sizeof s->options.gravity);
    for (int i = 0; i < 2; ++i) s->material[i].rayleigh[0] = 10, s->material[i].rayleigh[1] = 0.01;
}

/* The contact radius and the force of the law at the measured flattening: their differences from the law, relative. */
static void judge(double radius, double flat, double figure[]) {
    figure[0] = fabs(radius / (PRESS * RADIUS) - 1);
    figure[1] = fabs(pow(flat / law_flattening(), 1.5) - 1);
}

/* A sphere on a held block, or two spheres. */
static sn_status press(const contact_run *run, bool two, double figure[], sn_error *error) {
    const int cells = !run->quick ? 12 : two ? 7 : 8;
    contact_stage s;
    hertz_start(&s, run, run->response);
    add_sphere(&s, LOW, 1, cells);
    if (two) add_sphere(&s, -LOW, -1, cells);
    if (!two) {
        stage_box(&s, (double[3]){-0.083, -0.04, -0.077}, (double[3]){0.16, 0.04, 0.16}, (int[3]){8, 1, 8});
        stage_hold(&s, stage_all());
    }
    stage_create(&s);
    stage_step(&s, run->quick ? 40 : 60);
    const circle circle = circle_of(&s, 0);
    double flat = flattening(&s, 0, 1, circle.height);
    if (two) flat = 0.5 * (flat + flattening(&s, 1, -1, circle_of(&s, 1).height));
    judge(circle.radius, flat, figure);
    return stage_end(&s, error);
}

/* The circle of contact from the reactions of a collider. */
static circle circle_on_collider(contact_stage *s) {
    double *x = stage_places(s, 0), *f = stage_places(s, 0), force = 0, square = 0, height = 0;
    if (f) s->status = sn_world_reactions(s->world, 0, f, &s->error);
    for (int i = 0; x && f && i < s->mesh[0]->node_count; ++i) {
        const double *at = x + 3 * i, up = f[3 * i + 1];
        force += up, square += up * (at[0] * at[0] + at[2] * at[2]), height += up * at[1];
    }
    free(x);
    free(f);
    return (circle){sqrt(2.5 * square / force), height / force};
}

sn_status contact_hertz_collider(const contact_run *run, double figure[], sn_error *error) {
    contact_stage s;
    sn_collider plane = sn_collider_default();
    hertz_start(&s, run, "area");
    s.options.contact.use = false;
    add_sphere(&s, LOW, 1, run->quick ? 8 : 12);
    snprintf(plane.response, sizeof plane.response, "%s", run->response);
    s.options.collider = &plane, s.options.collider_count = 1;
    stage_create(&s);
    stage_step(&s, run->quick ? 40 : 60);
    const circle circle = circle_on_collider(&s);
    judge(circle.radius, flattening(&s, 0, 1, circle.height), figure);
    return stage_end(&s, error);
}

sn_status contact_hertz_plane(const contact_run *run, double figure[], sn_error *error) {
    return press(run, false, figure, error);
}
sn_status contact_hertz_spheres(const contact_run *run, double figure[], sn_error *error) {
    return press(run, true, figure, error);
}
