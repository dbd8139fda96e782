/* Gravity: f = s w g, where w is the mass (kg) of a node and s is the load fraction in statics, otherwise 1.
 *
 * Modes without inertia take w from the exact integral int rho N dV. Dynamics takes the w that agrees with the mass
 * matrix, so that free fall is exact. */
#include "base/math3.h"
#include "base/vector.h"
#include "inside.h"

static const double *weights(const sn_world *world) {
    return world->parameters.no_inertia ? world->solid->weight_exact : world->solid->weight;
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)self;
    const double *g = world->parameters.gravity, *weight = weights(world),
                 s = world->parameters.is_static ? place->t : 1, gx = g[0], gy = g[1], gz = g[2];
    const int nodes = world->model->node_count;
    if (gx == 0 && gy == 0 && gz == 0) return;
    for (int i = 0; i < nodes; ++i, f += 3) {
        const double w = s * weight[i];
        f[0] += w * gx, f[1] += w * gy, f[2] += w * gz;
    }
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    (void)self;
    const double *g = world->parameters.gravity, s = world->parameters.is_static ? place->t : 1;
    if (g[0] == 0 && g[1] == 0 && g[2] == 0) return;
    double moment[3];
    sn_vector_moment(world->context, world->model->node_count, weights(world), place->x, moment);
    *energy -= s * sn_dot3(g, moment);
}

const sn_interaction_kind sn_kind_gravity = {.force = force, .energy = energy};
