/* Checks how well the functions of an interaction agree. It takes central differences along fixed directions at the
 * present state. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "inside.h"
#include "linear/matrix/assembly.h"
#include "sinew/interaction.h"

enum { DIRECTIONS = 8, VECTORS = 5 };

typedef struct checker {
    sn_world *world;
    sn_interaction *self;
    int n;
    double *u, *moved, *low, *high, *product; /* n each */
} checker;

/* Fills u with fixed numbers between -1 and 1. */
static void direction(const checker *c, int index, double *u) {
    for (int i = 0; i < c->n; ++i) u[i] = ((i * 7919 + index * 104729) % 2003) / 1001.0 - 1;
}

static void force_at(const checker *c, const sn_place *place, double *f) {
    sn_vector_zero(c->world->context, c->n, f);
    if (c->self->kind->force) c->self->kind->force(c->world, c->self, place, f);
}

static double energy_at(const checker *c, const sn_place *place) {
    double energy = 0;
    c->self->kind->energy(c->world, c->self, place, &energy);
    return energy;
}

/* |a - b| over the larger of |a| and |b|. */
static double apart(double a, double b) { return fabs(a - b) / fmax(fmax(fabs(a), fabs(b)), 1e-300); }

/* The largest entry of |slope + product|, slope = (high - low) / 2e, over the largest entry of |slope| and
 * |product|. */
static double mismatch(const checker *c, double e) {
    double worst = 0, size = 0;
    for (int i = 0; i < c->n; ++i) {
        const double slope = (c->high[i] - c->low[i]) / (2 * e);
        worst = fmax(worst, fabs(slope + c->product[i]));
        size = fmax(size, fmax(fabs(slope), fabs(c->product[i])));
    }
    return size > 0 ? worst / size : 0;
}

/* Compares the force with the gradient of the energy. Velocities are left out, because dampers and friction have no
 * energy. */
static double check_energy(const checker *c, const sn_place *place, double e) {
    sn_place still = *place, there;
    double along = 0, value[2];
    still.v = NULL;
    there = still;
    there.x = c->moved;
    for (int side = 0; side < 2; ++side) {
        sn_vector_mix(c->world->context, c->n, 1, place->x, side ? e : -e, c->u, 0, NULL, c->moved);
        value[side] = energy_at(c, &there);
    }
    force_at(c, &still, c->low);
    for (int i = 0; i < c->n; ++i) along += c->low[i] * c->u[i];
    const double slope = (value[1] - value[0]) / (2 * e);
    return slope == 0 && along == 0 ? 0 : apart(-slope, along);
}

static double check_blocks(const checker *c, const sn_place *place, bool damping, double e, sn_block_list *K,
                           sn_block_list *D) {
    sn_place there = *place;
    *(damping ? &there.v : &there.x) = c->moved;
    for (int side = 0; side < 2; ++side) {
        sn_vector_mix(c->world->context, c->n, 1, damping ? place->v : place->x, side ? e : -e, c->u, 0, NULL,
                      c->moved);
        force_at(c, &there, side ? c->high : c->low);
    }
    sn_block_list_clear(K), sn_block_list_clear(D);
    c->self->kind->blocks(c->world, c->self, place, true, K, D);
    sn_vector_zero(c->world->context, c->n, c->product);
    sn_block_list_product(damping ? D : K, 1, c->u, c->product);
    if (!damping && c->self->kind->product) c->self->kind->product(c->world, c->self, 1, c->u, c->product);
    return mismatch(c, e);
}

static double check_rate(const checker *c, const sn_place *place, double e) {
    sn_place there = *place;
    for (int side = 0; side < 2; ++side) {
        there.t = place->t + (side ? e : -e);
        force_at(c, &there, side ? c->high : c->low);
    }
    sn_vector_zero(c->world->context, c->n, c->product);
    c->self->kind->rate(c->world, c->self, place, c->product);
    sn_vector_scale(c->world->context, c->n, -1, c->product);
    return mismatch(c, e);
}

static sn_status compare(const checker *c, sn_interaction_errors *errors, sn_error *error) {
    sn_world *world = c->world;
    const sn_interaction_kind *kind = c->self->kind;
    const sn_place place = {
        .t = world->state.time, .x = world->state.x, .v = world->parameters.no_inertia ? NULL : world->state.v};
    sn_block_list *K = &world->workspace.stiffness, *D = &world->workspace.damping;
    const double e = 1e-6 * world->model->size;
    if (kind->arrive) kind->arrive(world, c->self, place.x);
    const sn_status status = sn_interactions_reserve(world, K, D, error);
    if (status) return status;
    for (int i = 0; i < DIRECTIONS; ++i) {
        direction(c, i, c->u);
        if (kind->energy && kind->force) errors->energy = fmax(errors->energy, check_energy(c, &place, e));
        if (kind->blocks) errors->stiffness = fmax(errors->stiffness, check_blocks(c, &place, false, e, K, D));
        if (kind->blocks && place.v) errors->damping = fmax(errors->damping, check_blocks(c, &place, true, e, K, D));
    }
    if (kind->rate) errors->rate = check_rate(c, &place, 1e-6 * world->parameters.time.step);
    sn_block_list_clear(K), sn_block_list_clear(D);
    sn_workspace_forget(world);
    return SN_OK;
}

sn_status sn_world_check_interaction(sn_world *world, const char *name, sn_interaction_errors *errors,
                                     sn_error *error) {
    *errors = (sn_interaction_errors){0};
    checker c = {.world = world, .n = 3 * world->model->node_count};
    for (int i = 0; i < world->interaction_count; ++i)
        if (strcmp(world->interaction[i]->name, name) == 0) c.self = world->interaction[i];
    if (!c.self) return sn_fail(error, SN_NOT_FOUND, "the world has no interaction '%.31s'", name);
    double *room = sn_allocate(world->context, VECTORS * (size_t)c.n, sizeof *room);
    if (!room) return sn_no_memory(error);
    c.u = room, c.moved = room + c.n, c.low = room + 2 * c.n, c.high = room + 3 * c.n, c.product = room + 4 * c.n;
    const sn_status status = compare(&c, errors, error);
    sn_release(world->context, room);
    return status;
}
