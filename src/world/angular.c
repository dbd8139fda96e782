/* Angular momentum of free bodies in steps of implicit Euler.
 *
 * With x1 = x0 + h v1 a step changes the angular momentum by h sum x0 x f. Forces that act at the places y and have no
 * torque together there change it by h sum (x0 - y) x f. The forces inside a body act at y = x1, so a body that turns
 * and is strained loses angular momentum in every step. The loss of each body is known. To make up for it, the body
 * gets the spin w = I^-1 h sum (y - x0) x f about its centre of mass. Linear momentum and positions do not change.
 *
 * This holds for the forces at the solution. A method that does not solve to the end, such as "one-step", moves the
 * body with other forces, those of its linearisation. When such steps got the same spin, bodies that turn fast turned
 * ever faster. So such steps get nothing back.
 *
 * A rigid body is held together by the forces m (v1 - v0) / h - f inside it, with the force f on its nodes. Newton's
 * method solves the equations of the body at x1 (cores.c), so that these forces have no torque there: y = x1 again.
 *
 * The responses "area" and "penalty" act at x0 (contact/touch_rows.h), so that they need nothing. The forces of "exact"
 * have y = x1 for its barrier, and for its friction the places where its rows were made. */
#include "inside.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "time/newton.h"
#include "touching.h"

/* Mass, centre and inertia of a body at x. False when a constraint holds one of its nodes. */
static bool weigh(const sn_world *world, const sn_body *body, const double *x, double centre[3], double inertia[9]) {
    const sn_filter *filter = sn_interactions_filter(world, NULL);
    const int end = body->node_first + body->mesh->node_count;
    double mass = 0, r[3];
    for (int k = 0; k < 9; ++k) inertia[k] = centre[k % 3] = 0;
    for (int i = body->node_first; i < end; ++i) {
        const double m = fabs(world->solid->carried[i]);
        if (sn_filter_find(filter, i)) return false;
        for (int k = 0; k < 3; ++k) centre[k] += m * x[3 * (size_t)i + (size_t)k];
        mass += m;
    }
    if (!(mass > 0)) return false;
    for (int k = 0; k < 3; ++k) centre[k] /= mass;
    for (int i = body->node_first; i < end; ++i) {
        const double m = fabs(world->solid->carried[i]);
        sn_subtract3(x + 3 * (size_t)i, centre, r);
        for (int k = 0; k < 9; ++k) inertia[k] += m * ((k % 4 == 0 ? sn_dot3(r, r) : 0) - r[k / 3] * r[k % 3]);
    }
    return true;
}

static void restore_body(const sn_world *world, const sn_body *body, const sn_trial *trial, const double *place,
                         const double *f) {
    const int end = body->node_first + body->mesh->node_count;
    double centre[3], inertia[9], inverse[9], lost[3] = {0}, spin[3], cross[3], r[3];
    for (int i = body->node_first; i < end; ++i) {
        sn_subtract3(place + 3 * (size_t)i, trial->x0 + 3 * (size_t)i, r);
        sn_cross3(r, f + 3 * (size_t)i, cross);
        for (int k = 0; k < 3; ++k) lost[k] += trial->h * cross[k];
    }
    if ((lost[0] == 0 && lost[1] == 0 && lost[2] == 0) || !weigh(world, body, trial->x, centre, inertia)) return;
    if (!(sn_inverse3(inertia, inverse) > 0)) return;
    sn_multiply_vector3(inverse, lost, spin);
    for (int i = body->node_first; i < end; ++i) {
        sn_subtract3(trial->x + 3 * (size_t)i, centre, r);
        sn_cross3(spin, r, cross);
        for (size_t k = 0; k < 3; ++k) trial->v[3 * (size_t)i + k] += cross[k];
    }
}

void sn_angular_give(const sn_world *world, const sn_trial *trial, const double *place, const double *f) {
    for (int b = 0; b < world->model->body_count; ++b) restore_body(world, &world->model->body[b], trial, place, f);
}

void sn_angular_give_rigid(const sn_world *world, const sn_trial *trial, const double *f) {
    double *held = world->workspace.force; /* the forces that hold the bodies together */
    for (int b = 0; b < world->model->body_count; ++b) {
        const sn_body *body = &world->model->body[b];
        if (!body->rigid) continue;
        const int begin = 3 * body->node_first, end = begin + 3 * body->mesh->node_count;
        for (int i = begin; i < end; ++i) {
            const double v1 = (trial->x[i] - trial->x0[i]) / trial->h;
            held[i] = world->solid->mass[i / 3] * (v1 - trial->v0[i]) / trial->h - f[i];
        }
        restore_body(world, body, trial, trial->x, held);
    }
}

sn_status sn_angular_restore(sn_world *world, const sn_trial *trial, sn_error *error) {
    sn_system *system = &world->workspace.system.base;
    const sn_request request = {.t = trial->t + trial->h, .x = trial->x, .v = trial->v, .inside = true};
    sn_result result = {0};
    const sn_status status = system->table->evaluate(system, &request, &result, error);
    if (!status) sn_angular_give(world, trial, trial->x, result.inside);
    return status;
}

bool sn_angular_lost(const sn_world *world) {
    const sn_parameters *p = &world->parameters;
    return !p->no_inertia && strcmp(p->method->name, "implicit-euler") == 0 && sn_newton_converges(p->time.newton.kind);
}
