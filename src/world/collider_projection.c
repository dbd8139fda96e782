/* Colliders that constrain: the projection response (contact/projection.h) of the world's colliders. The state keeps
 * two numbers for each pair of a projecting collider and a surface node: status and normal force. */
#include "contact/projection.h"

#include <string.h>

#include "colliders.h"
#include "inside.h"

typedef struct projecting {
    sn_projection projection;
    int touching; /* how many contacts there were at the last call of `force` */
} projecting;

static sn_status fit(const sn_world *world, projecting *own, sn_error *error) {
    const sn_colliders *c = sn_world_colliders(world);
    sn_projection made = {0};
    sn_status status = sn_projection_create(world->context, c->collider, c->penalty, c->count, &c->node,
                                            world->model->size, &made, error);
    if (!status) status = sn_projection_reserve(&made, world->model->node_count, error);
    if (status) {
        sn_projection_destroy(&made);
        return status;
    }
    if (own->projection.context) sn_projection_destroy(&own->projection);
    own->projection = made;
    return SN_OK;
}

void sn_projection_follow(sn_world *world) {
    const sn_interaction *self = sn_interaction_of(world, &sn_kind_projection);
    projecting *own = self ? self->data : NULL;
    if (!own) return;
    own->projection.collider = sn_world_colliders(world)->collider;
    own->projection.penalty = sn_world_colliders(world)->penalty;
}

sn_status sn_projection_fit(sn_world *world, sn_error *error) {
    const sn_status status = fit(world, sn_interaction_of(world, &sn_kind_projection)->data, error);
    return status ? status : sn_workspace_fit(world, error);
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    (void)options;
    projecting *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    return own ? fit(world, own, error) : sn_no_memory(error);
}

static void destroy(sn_world *world, sn_interaction *self) {
    projecting *own = self->data;
    if (own && own->projection.context) sn_projection_destroy(&own->projection);
    sn_release(world->context, own);
}

static int64_t numbers(const sn_world *world, const sn_interaction *self) {
    (void)world;
    return 2 * (int64_t)sn_projection_slots(&((const projecting *)self->data)->projection);
}

/* ---- Constraints ---- */
static const sn_filter *filter(const sn_world *world, const sn_interaction *self, const sn_filter *before) {
    (void)world;
    const sn_projection *p = &((const projecting *)self->data)->projection;
    return p->row_count > 0 ? &p->filter : before;
}

static void prescribe(sn_world *world, sn_interaction *self, double t, double *x, double *v, double *a) {
    (void)a;
    sn_projection_apply(&((const projecting *)self->data)->projection, t, x, world->parameters.no_inertia ? NULL : v);
}

/* ---- Friction ---- */
static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)world;
    projecting *own = self->data;
    own->touching = own->projection.count;
    sn_projection_force(&own->projection, self->number, place->t, place->v, f);
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world;
    return damping ? sn_projection_slots(&((const projecting *)self->data)->projection) : 0;
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)world, (void)exact, (void)K;
    sn_projection_blocks(&((projecting *)self->data)->projection, self->number, place->t, place->v, D);
}

/* ---- Steps ---- */
static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    (void)v;
    sn_projection *p = &((projecting *)self->data)->projection;
    sn_projection_begin(p, sn_interactions_filter(world, self), t, x, self->number);
    return p->projecting > 0;
}

/* Decides, from the reactions, which contacts stay. */
static sn_status settle(sn_world *world, sn_interaction *self, const sn_trial *trial, bool *settled, sn_error *error) {
    sn_projection *p = &((projecting *)self->data)->projection;
    const sn_parameters *parameters = &world->parameters;
    sn_projection_step step = {
        .t = trial->t, .h = trial->h, .x0 = trial->x0, .x = trial->x, .v = parameters->no_inertia ? NULL : trial->v};
    if (p->count > 0) {
        double scale;
        const sn_status status = sn_world_step_reactions(world, trial, &scale, error);
        if (status) return status;
        step.reaction = world->workspace.force;
        step.noise = (parameters->time.newton.tolerance + parameters->solver.tolerance) * scale;
    }
    *settled = sn_projection_settle(p, sn_interactions_filter(world, self), &step, self->number);
    return SN_OK;
}

static bool touches(const sn_world *world, const sn_interaction *self, double t, const double *x) {
    (void)world, (void)t, (void)x;
    return ((const projecting *)self->data)->projection.count > 0;
}

static void end(sn_world *world, sn_interaction *self, const sn_place *place) {
    (void)world, (void)place;
    sn_projection_end(&((projecting *)self->data)->projection);
}

/* ---- Looking ---- */
static void report(const sn_world *world, const sn_interaction *self, sn_step_report *report) {
    (void)world;
    report->contacts += ((const projecting *)self->data)->touching;
}

/* Normal force and friction on the nodes in contact. */
static void support(const sn_world *world, const sn_interaction *self, const double *balance, double *force) {
    const sn_projection *p = &((const projecting *)self->data)->projection;
    const sn_contact_nodes *node = &sn_world_colliders(world)->node;
    for (int s = 0; s < sn_projection_slots(p); ++s) {
        const size_t at = 3 * (size_t)node->node[s % node->count];
        if (self->number[s] != SN_CONTACT_FREE) memcpy(force + at, balance + at, 3 * sizeof *force);
    }
}

/* The hanging nodes of an adaptive body cannot be held. */
static sn_status allows(const sn_world *world, const sn_interaction *self, const sn_method *method, sn_error *error) {
    (void)self, (void)method;
    const sn_colliders *own = sn_world_colliders(world);
    for (int i = 0; i < own->count && world->adaptive; ++i)
        if (sn_collider_projects(&own->collider[i])) {
            const sn_status status =
                sn_fail_at(error, SN_UNSUPPORTED, "response",
                           "response 'projection' does not go with 'adapt' of a body; take 'penalty'");
            return sn_within(error, status, "colliders.%d", i);
        }
    return SN_OK;
}

const sn_interaction_kind sn_kind_projection = {.allows = allows,
                                                .create = create,
                                                .destroy = destroy,
                                                .numbers = numbers,
                                                .filter = filter,
                                                .prescribe = prescribe,
                                                .force = force,
                                                .block_count = block_count,
                                                .blocks = blocks,
                                                .begin = begin,
                                                .settle = settle,
                                                .touches = touches,
                                                .end = end,
                                                .report = report,
                                                .support = support};

int64_t sn_world_contact_repeats(const sn_world *world) {
    return ((const projecting *)sn_interaction_of(world, &sn_kind_projection)->data)->projection.repeats;
}
