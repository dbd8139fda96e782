/* Trials of contact with bodies in motion: momentum, energy, intersections, depth. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact_stage.h"
#include "contact_trials.h"
#include "intersections.h"

/* ---- Momentum ---- */

/* Two free boxes meet off-centre, with spin and friction: the largest change of a component of the linear and of the
 * angular momentum, of the momentum of a body and of the largest component. NAN when they did not meet. */
sn_status contact_momentum(const contact_run *run, double figure[], sn_error *error) {
    contact_stage s;
    double p0[3], l0[3], p[3], l[3], size = 0;
    int touched = 0;
    stage_start(&s, run->context, run->response);
    memset(s.options.gravity, 0, sizeof s.options.gravity);
    s.options.contact.friction = 0.5;
    s.options.time.newton.tolerance = 1e-13;
    s.options.solver.tolerance = 1e-12;
    s.options.time.step = 0.005;
    sn_body_options *left = stage_cube(&s, 0, 0, 0, 0.2, 2);
    left->initial.velocity[0] = 1, left->initial.spin[2] = 1;
    stage_cube(&s, 0.22, 0.07, 0.05, 0.2, 2)->initial.velocity[0] = -1;
    stage_create(&s);
    figure[0] = figure[1] = 0;
    if (!s.status) sn_world_momentum(s.world, p0, l0);
    for (int i = 0; i < 40 && !s.status; ++i) {
        stage_step(&s, 1);
        touched += sn_world_contacts(s.world, NULL, 0) > 0;
        sn_world_momentum(s.world, p, l);
        for (int k = 0; k < 3; ++k) {
            figure[0] = fmax(figure[0], fabs(p[k] - p0[k]) / 8);
            figure[1] = fmax(figure[1], fabs(l[k] - l0[k]));
            size = fmax(size, fabs(l0[k]));
        }
    }
    figure[1] /= size;
    if (touched < 4) figure[0] = figure[1] = NAN;
    return stage_end(&s, error);
}

/* ---- Impacts ---- */

/* Two small free boxes, 0.3 m apart at rest. */
static void small_boxes(contact_stage *s, const contact_run *run) {
    stage_start(s, run->context, run->response);
    memset(s->options.gravity, 0, sizeof s->options.gravity);
    s->options.contact.friction = 0.5;
    stage_cube(s, 0, 0, 0, 0.1, 1);
    stage_cube(s, 0, 0.3, 0, 0.1, 2);
    stage_create(s);
}

/* Throws them at each other, each time in another way. */
static void throw_boxes(contact_stage *s, uint32_t *seed) {
    double way[3], velocity[3], random[5];
    const double still[3] = {0};
    for (int k = 0; k < 5; ++k) *seed = *seed * 1664525u + 1013904223u, random[k] = *seed / 2147483648.0 - 1;
    const double size = sqrt(random[0] * random[0] + random[1] * random[1] + random[2] * random[2]);
    for (int k = 0; k < 3; ++k) way[k] = 0.19 * random[k] / size, velocity[k] = -1.5 * random[k] / size;
    way[1] -= 0.3;
    stage_throw(s, 0, still, still, 5 * random[3]);
    stage_throw(s, 1, way, velocity, 5 * random[4]);
}

/* One impact in 15 steps: adds the frames with intersections to figure[1], and takes the gain of energy over that
 * before the contact to figure[0]. Returns whether the boxes touched. */
static bool impact(contact_stage *s, skin *skin, double figure[]) {
    bool touched = false;
    double start = stage_energy(s);
    for (int i = 0; i < 15 && !s->status; ++i) {
        stage_step(s, 1);
        touched = touched || sn_world_contacts(s->world, NULL, 0) > 0;
        const double now = stage_energy(s);
        if (!touched) start = now;
        figure[0] = fmax(figure[0], now / start - 1);
        figure[1] += count_intersections(skin, s->world, false) > 0;
    }
    return touched;
}

/* A hundred impacts of two free boxes from all sides. NAN when too few of them met. */
sn_status contact_impacts(const contact_run *run, double figure[], sn_error *error) {
    contact_stage s;
    int impacts = 0;
    uint32_t seed = 1;
    figure[0] = figure[1] = 0;
    small_boxes(&s, run);
    if (s.status) return stage_end(&s, error);
    skin skin = skin_make(s.world);
    for (int trial = 0; trial < 100; ++trial) {
        throw_boxes(&s, &seed);
        impacts += impact(&s, &skin, figure);
    }
    if (impacts < 90) figure[0] = figure[1] = NAN;
    skin_release(&skin);
    return stage_end(&s, error);
}

/* Four boxes fall on a held one: frames with intersections. */
sn_status contact_fall(const contact_run *run, double figure[], sn_error *error) {
    contact_stage s;
    figure[0] = 0;
    stage_start(&s, run->context, run->response);
    stage_box(&s, (double[3]){-0.1, -0.1, -0.1}, (double[3]){0.4, 0.1, 0.4}, (int[3]){3, 1, 3});
    stage_hold(&s, stage_all());
    for (int i = 0; i < 4; ++i) stage_cube(&s, 0.03 * (i % 2), 0.01 + 0.12 * i, 0.02 * (i % 3), 0.1, 2);
    stage_create(&s);
    if (s.status) return stage_end(&s, error);
    skin skin = skin_make(s.world);
    for (int i = 0; i < (run->quick ? 40 : 200) && !s.status; ++i) {
        stage_step(&s, 1);
        figure[0] += count_intersections(&skin, s.world, false) > 0;
    }
    skin_release(&skin);
    return stage_end(&s, error);
}

/* ---- A pile ---- */

/* Adds a box of the pile, turned about the vertical and tilted about x. */
static void add_tilted(contact_stage *s, const double middle[3], double turn, double tilt) {
    static const double size[3] = {0.25, 0.2, 0.25};
    stage_box(s, (double[3]){-0.125, -0.1, -0.125}, size, (int[3]){5, 4, 5});
    sn_mesh *mesh = s->mesh[s->options.body_count - 1];
    for (int i = 0; mesh && i < mesh->node_count; ++i) {
        double *x = mesh->position + 3 * (size_t)i;
        const double p[3] = {cos(turn) * x[0] + sin(turn) * x[2], x[1], cos(turn) * x[2] - sin(turn) * x[0]};
        x[0] = middle[0] + p[0];
        x[1] = middle[1] + cos(tilt) * p[1] - sin(tilt) * p[2];
        x[2] = middle[2] + sin(tilt) * p[1] + cos(tilt) * p[2];
    }
}

/* Twenty soft boxes fall on the ground and on each other, in layers of 9, 6, 4 and 1, with one linear solve in a step
 * (`exact` needs more): the largest energy that the pile ever has and the kinetic energy at the end, of the energy that
 * it loses until then. */
sn_status contact_pile(const contact_run *run, double figure[], sn_error *error) {
    static const int wide[4] = {3, 2, 2, 1}, deep[4] = {3, 3, 2, 1};
    contact_stage s;
    sn_collider ground = sn_collider_default();
    double most = -INFINITY;
    stage_start(&s, run->context, run->response);
    stage_constant(&s, "poisson", 0.33);
    for (int i = 0; i < STAGE_BODIES; ++i) s.material[i].rayleigh[1] = 0.005;
    s.options.contact.friction = ground.friction = 0.5;
    s.options.collider = &ground, s.options.collider_count = 1;
    snprintf(s.options.time.newton.kind, sizeof s.options.time.newton.kind, "%s",
             strcmp(run->response, "exact") == 0 ? "inexact" : "one-step");
    for (int layer = 0, count = 0; layer < 4; ++layer)
        for (int i = 0; i < wide[layer] * deep[layer]; ++i, ++count) {
            const int x = i % wide[layer], z = i / wide[layer];
            const double middle[3] = {0.36 * (x - 0.5 * (wide[layer] - 1)), 0.125 + 0.27 * layer,
                                      0.36 * (z - 0.5 * (deep[layer] - 1))};
            add_tilted(&s, middle, 0.2 * sin(7.0 * count), 0.035 * (layer + 1) * (count % 2 ? 1 : -1));
        }
    stage_create(&s);
    const double start = stage_energy(&s);
    for (int i = 0; i < (run->quick ? 120 : 200) && !s.status; ++i) {
        stage_step(&s, 1);
        most = fmax(most, stage_energy(&s));
    }
    const double lost = start - stage_energy(&s);
    figure[0] = (most - start) / lost;
    figure[1] = stage_kinetic(&s) / lost;
    return stage_end(&s, error);
}

/* ---- Rough treatment ---- */

/* Two boxes of 0.2 m start 0.1 m inside each other: the time until no vertex is deeper than a hundredth of that, s. A
 * second when they do not part. */
sn_status contact_deep(const contact_run *run, double figure[], sn_error *error) {
    contact_stage s;
    stage_start(&s, run->context, run->response);
    memset(s.options.gravity, 0, sizeof s.options.gravity);
    stage_cube(&s, 0, 0, 0, 0.2, 3);
    stage_cube(&s, 0.1, 0.03, 0.02, 0.2, 3);
    stage_create(&s);
    figure[0] = 0;
    if (s.status) return stage_end(&s, error);
    skin skin = skin_make(s.world);
    for (int i = 0; i < 100 && !s.status; ++i) {
        stage_step(&s, 1);
        if (deepest_vertex(&skin, s.world) > 0.001) figure[0] = 0.01 * (i + 1);
    }
    skin_release(&skin);
    return stage_end(&s, error);
}

/* A box meets another one at 20 m/s: how far its middle is in front of the other one after 0.2 s, m. It is behind when
 * it has passed through. */
sn_status contact_fast(const contact_run *run, double figure[], sn_error *error) {
    contact_stage s;
    double hit[3], flew[3];
    stage_start(&s, run->context, run->response);
    memset(s.options.gravity, 0, sizeof s.options.gravity);
    stage_cube(&s, 0, 0, 0, 0.2, 3);
    stage_cube(&s, 0.5, 0.01, 0.02, 0.2, 3)->initial.velocity[0] = -20;
    stage_create(&s);
    stage_step(&s, 20);
    stage_middle(&s, 0, hit);
    stage_middle(&s, 1, flew);
    figure[0] = flew[0] - hit[0];
    return stage_end(&s, error);
}
