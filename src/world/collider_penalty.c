/* Colliders that push: the penalty response (contact/penalty.h) of the world's colliders. During a step, friction uses
 * normal forces that it remembers from the last solve (contact/friction.h). */
#include "contact/penalty.h"

#include <string.h>

#include "colliders.h"
#include "inside.h"

typedef struct pushing {
    sn_colliders *colliders;
    uint8_t *held;         /* colliders x most points: nodes that a solve of the present step met ahead (penalty.h) */
    sn_friction *friction; /* colliders x most points: the memory of friction in the present step */
    bool frictional;       /* the memory is in use: a step of a method with symmetric matrices is under way */
    int rounds;            /* how often this step has renewed the normal forces */
    int touching;          /* how many nodes touched at the last call of `force` */
} pushing;

/* How many points a collider meets at most. */
static size_t most(const sn_colliders *c) {
    return (size_t)(c->point.count > c->bare.count ? c->point.count : c->bare.count);
}
static size_t pairs(const pushing *own) { return (size_t)own->colliders->count * most(own->colliders); }

static sn_status fit(const sn_world *world, pushing *own, sn_error *error) {
    sn_friction *friction = sn_allocate_zero(world->context, pairs(own), sizeof *friction);
    uint8_t *held = sn_allocate_zero(world->context, pairs(own), sizeof *held);
    if (!friction || !held) {
        sn_release(world->context, friction);
        sn_release(world->context, held);
        return sn_no_memory(error);
    }
    sn_release(world->context, own->friction);
    sn_release(world->context, own->held);
    own->friction = friction, own->held = held;
    return SN_OK;
}

sn_status sn_penalty_fit(sn_world *world, sn_error *error) {
    const sn_status status = fit(world, sn_interaction_of(world, &sn_kind_penalty)->data, error);
    return status ? status : sn_workspace_fit(world, error);
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    pushing *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    const sn_status status = sn_colliders_create(world, options, &own->colliders, error);
    return status ? status : fit(world, own, error);
}

static void destroy(sn_world *world, sn_interaction *self) {
    pushing *own = self->data;
    if (!own) return;
    sn_colliders_destroy(world, own->colliders);
    sn_release(world->context, own->friction);
    sn_release(world->context, own->held);
    sn_release(world->context, own);
}

static void adapt(sn_world *world, sn_interaction *self) {
    sn_colliders_adapt(world, ((pushing *)self->data)->colliders);
}

/* The memory of the friction on a collider; NULL when none is in use. */
static sn_friction *memory(const pushing *own, int collider) {
    return own->frictional ? own->friction + (size_t)collider * most(own->colliders) : NULL;
}

/* The penalty of a collider for a solve that looks ahead. */
static sn_penalty looking(const pushing *own, int collider, double ahead) {
    sn_penalty penalty = own->colliders->penalty[collider];
    penalty.ahead = penalty.per_node ? 0 : ahead;
    if (ahead > 0) penalty.held = own->held + (size_t)collider * most(own->colliders);
    return penalty;
}

/* ---- Forces ---- */
static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)world;
    pushing *own = self->data;
    const sn_colliders *c = own->colliders;
    own->touching = 0;
    for (int i = 0; i < c->count; ++i) {
        const sn_penalty penalty = looking(own, i, place->ahead);
        const sn_contact_nodes pushed = sn_colliders_pushed(c, i);
        own->touching +=
            sn_penalty_force(&c->collider[i], &penalty, &pushed, place->t, place->x, place->v, memory(own, i), f);
    }
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    (void)world;
    const sn_colliders *c = ((const pushing *)self->data)->colliders;
    for (int i = 0; i < c->count; ++i) {
        const sn_contact_nodes pushed = sn_colliders_pushed(c, i);
        *energy += sn_penalty_energy(&c->collider[i], &c->penalty[i], &pushed, place->t, place->x);
    }
}

/* df/dt of colliders that move, as a difference quotient. At a key it belongs to the piece of the path that begins
 * there. */
static void rate(sn_world *world, sn_interaction *self, const sn_place *place, double *out) {
    const sn_colliders *c = ((const pushing *)self->data)->colliders;
    const int n = 3 * world->model->node_count;
    const double e = 1e-5 * world->parameters.time.step;
    double *moved = world->workspace.product;
    for (int i = 0; i < c->count; ++i) {
        const sn_contact_nodes pushed = sn_colliders_pushed(c, i);
        if (!sn_collider_moves(&c->collider[i]) || pushed.count == 0) continue;
        for (int side = 0; side < 2; ++side) {
            memset(moved, 0, (size_t)n * sizeof *moved);
            sn_penalty_force(&c->collider[i], &c->penalty[i], &pushed, place->t + (side + 1) * e, place->x, place->v,
                             NULL, moved);
            for (int k = 0; k < n; ++k) out[k] += (side ? 1 : -1) * moved[k] / e;
        }
    }
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world, (void)damping;
    const sn_colliders *c = ((const pushing *)self->data)->colliders;
    const int64_t point = sn_penalty_block_count(&c->point), bare = sn_penalty_block_count(&c->bare);
    return c->count * (point > bare ? point : bare);
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)world;
    const pushing *own = self->data;
    const sn_colliders *c = own->colliders;
    for (int i = 0; i < c->count; ++i) {
        const size_t k = (size_t)K->count, d = (size_t)D->count;
        const sn_penalty penalty = looking(own, i, place->ahead);
        const sn_contact_nodes pushed = sn_colliders_pushed(c, i);
        const int count =
            sn_penalty_blocks(&c->collider[i], &penalty, &pushed, place->t, place->x, place->v, !exact, memory(own, i),
                              K->row + k, K->column + k, K->value + 9 * k, D->value + 9 * d);
        memcpy(D->row + d, K->row + k, (size_t)count * sizeof *K->row);
        memcpy(D->column + d, K->column + k, (size_t)count * sizeof *K->row);
        K->count += count, D->count += count;
    }
}

/* ---- Steps ---- */
/* Writes the present normal forces into the memory of friction. Returns whether they have changed by more than a part
 * in 50. */
static bool lag(const pushing *own, double t, const double *x, const double *v) {
    const sn_colliders *c = own->colliders;
    double square = 0, change = 0;
    for (int i = 0; i < c->count; ++i) {
        const sn_contact_nodes pushed = sn_colliders_pushed(c, i);
        if (c->penalty[i].friction > 0)
            sn_penalty_lag(&c->collider[i], &c->penalty[i], &pushed, t, x, v, memory(own, i), &square, &change);
    }
    return change > 4e-4 * square;
}

static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    pushing *own = self->data;
    const sn_colliders *c = own->colliders;
    const sn_parameters *p = &world->parameters;
    bool rough = false, solid = false;
    for (int i = 0; i < c->count; ++i) {
        rough = rough || (sn_colliders_pushed(c, i).count > 0 && c->penalty[i].friction > 0);
        solid = solid || sn_collider_can_pass(&c->collider[i]);
    }
    own->frictional = rough && p->method->implicit && !p->method->exact && !p->no_inertia;
    own->rounds = own->touching = 0;
    memset(own->held, SN_AHEAD_NONE, pairs(own) * sizeof *own->held);
    if (own->frictional) {
        memset(own->friction, 0, pairs(own) * sizeof *own->friction);
        lag(own, t, x, v);
    }
    return solid;
}

static bool renew(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    enum { ROUNDS = 6 };
    (void)world;
    pushing *own = self->data;
    return own->frictional && own->rounds++ < ROUNDS && lag(own, t, x, v);
}

static bool release(sn_world *world, sn_interaction *self, double t, const double *x) {
    (void)world;
    const pushing *own = self->data;
    bool any = false;
    for (int i = 0; i < own->colliders->count; ++i) {
        const sn_contact_nodes pushed = sn_colliders_pushed(own->colliders, i);
        const sn_penalty penalty = looking(own, i, 1);
        any = sn_penalty_release(&own->colliders->collider[i], &penalty, &pushed, t, x) || any;
    }
    return any;
}

/* Refuses a step that took a node through a collider. A shorter step will then see that they meet. */
static sn_status settle(sn_world *world, sn_interaction *self, const sn_trial *trial, bool *settled, sn_error *error) {
    (void)settled;
    const sn_colliders *own = ((const pushing *)self->data)->colliders;
    const double t1 = trial->t + trial->h;
    for (int c = 0; c < own->count && !world->parameters.no_inertia; ++c) {
        const sn_contact_nodes *met = sn_colliders_met(own, c);
        for (int i = 0; i < met->count; ++i) {
            double from[3], to[3];
            sn_contact_point_at(met, i, trial->x0, from);
            sn_contact_point_at(met, i, trial->x, to);
            if (sn_collider_passed(&own->collider[c], trial->t, from, t1, to))
                return sn_fail(error, SN_NOT_CONVERGED,
                               "a node passed through colliders.%d in the step from t = %g s to %g s", c, trial->t, t1);
        }
    }
    return SN_OK;
}

static bool touches(const sn_world *world, const sn_interaction *self, double t, const double *x) {
    (void)world;
    const pushing *own = self->data;
    const sn_colliders *c = own->colliders;
    bool found = own->touching > 0;
    for (int i = 0; i < c->count && !found; ++i) {
        const sn_contact_nodes pushed = sn_colliders_pushed(c, i);
        found = sn_penalty_touches(&c->collider[i], &pushed, t, x);
    }
    return found;
}

static void end(sn_world *world, sn_interaction *self, const sn_place *place) {
    (void)world, (void)place;
    ((pushing *)self->data)->frictional = false;
}

/* ---- Looking ---- */
static void report(const sn_world *world, const sn_interaction *self, sn_step_report *report) {
    (void)world;
    report->contacts += ((const pushing *)self->data)->touching;
}

static void support(const sn_world *world, const sn_interaction *self, const double *balance, double *force) {
    (void)balance;
    const sn_colliders *c = ((const pushing *)self->data)->colliders;
    for (int i = 0; i < c->count; ++i) {
        const sn_contact_nodes pushed = sn_colliders_pushed(c, i);
        sn_penalty_force(&c->collider[i], &c->penalty[i], &pushed, world->state.time, world->state.x,
                         world->parameters.no_inertia ? NULL : world->state.v, NULL, force);
    }
}

const sn_interaction_kind sn_kind_penalty = {.create = create,
                                             .destroy = destroy,
                                             .adapt = adapt,
                                             .force = force,
                                             .energy = energy,
                                             .rate = rate,
                                             .block_count = block_count,
                                             .blocks = blocks,
                                             .begin = begin,
                                             .renew = renew,
                                             .release = release,
                                             .settle = settle,
                                             .touches = touches,
                                             .end = end,
                                             .report = report,
                                             .support = support};
