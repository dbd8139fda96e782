/* Contacts between bodies that never intersect: the response "exact" (contact/barrier.h) with friction
 * (contact/barrier_friction.h).
 *
 * The world must start without intersections. From there every motion of a step goes through `limit`: it stops before
 * surfaces meet. `settle` looks at the end of each step once more; a step that ends with an intersection is refused, so
 * that the step control divides it. */
#include "contact/barrier.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "contact/barrier_friction.h"
#include "contact/untangle.h"
#include "inside.h"
#include "touching.h"

typedef struct guarding {
    sn_touching *touching;
    sn_touch_surface **built; /* the surfaces of which the barrier was made; NULL: there is no barrier */
    sn_barrier barrier;
    sn_barrier_friction friction, next; /* of the present solve; of the next one, if there is one */
    double *before, *after;             /* 3 per node: scratch, forces of friction */
    double *taken;                      /* 3 per node: where the rows of `friction` were made */
    double *safe_x, *safe_d;            /* 3 per node: a motion that is known to be safe, if `safe` */
    bool safe;
    bool rough;       /* friction acts in the present step */
    bool clean;       /* the present state is known to be without intersections */
    int rounds;       /* how often this step has renewed the normal forces */
    sn_status status; /* of a function that cannot fail itself; `settle` returns it */
    sn_error error;
} guarding;

static bool used(const guarding *own) { return sn_contact_responds(&own->touching->options, "exact"); }

static bool may(const void *user, int a, int b) { return sn_touching_may(user, a, b); }

/* Keeps the first failure. Returns whether there was none. */
static bool fine(guarding *own, sn_status status) {
    if (!own->status) own->status = status;
    return own->status == SN_OK;
}

/* ---- Life ---- */
static void forget(const sn_world *world, guarding *own) {
    (void)world;
    sn_barrier_release(&own->barrier);
    own->barrier = (sn_barrier){0};
    own->built = NULL;
}

/* k of a body: its modulus, and that of its inertia in a step, rho (l / h)^2. l is the volume over the area. Behind a
 * place of a solid lies a body as deep as the place is wide; cloth has only its thickness there. So cloth takes the
 * part thickness / width of its modulus. */
static double stiffness_of(const sn_world *world, const sn_touch_surface *surface) {
    const sn_parameters *p = &world->parameters;
    const sn_body *b = &world->model->body[surface->body];
    double area = 0;
    for (int v = 0; v < surface->vertex_count; ++v) area += surface->area[v];
    const double width = surface->vertex_count > 0 ? sqrt(area / surface->vertex_count) : 0,
                 part = surface->thickness > 0 && width > 0 ? fmin(surface->thickness / width, 1) : 1;
    double modulus = 0, density = 0, mass = 0;
    for (int i = b->material_first; i < b->material_first + b->material_count; ++i) {
        modulus = fmax(modulus, sn_parameters_modulus(world->context, &p->material[i]));
        density = fmax(density, p->material[i].density);
    }
    for (int i = 0; i < b->mesh->node_count; ++i)
        mass += fabs(world->solid->weight[world->model->compiled[b->node_first + i]]);
    const double l = density > 0 && area > 0 ? mass / (density * area) : 0;
    return part * modulus + (p->no_inertia ? 0 : density * l * l / (p->time.step * p->time.step));
}

/* Makes the barrier when it is missing or belongs to other surfaces, and sets its stiffness. */
static sn_status fit(sn_world *world, guarding *own, sn_error *error) {
    sn_touching *touching = own->touching;
    sn_status status = SN_OK;
    if (own->built != touching->surface || !used(own)) forget(world, own);
    if (!used(own)) return SN_OK;
    if (!own->built) {
        status = sn_barrier_create(world->context, touching->surface, touching->surface_count, may, touching,
                                   touching->options.thickness, &own->barrier, error);
        own->built = touching->surface;
        own->clean = false;
    }
    if (status) return sn_within(error, status, "contact");
    const size_t count = 3 * (size_t)world->model->node_count;
    if (!own->before) own->before = sn_allocate_zero(world->context, count, sizeof *own->before);
    if (!own->after) own->after = sn_allocate_zero(world->context, count, sizeof *own->after);
    if (!own->taken) own->taken = sn_allocate_zero(world->context, count, sizeof *own->taken);
    if (!own->safe_x) own->safe_x = sn_allocate_zero(world->context, count, sizeof *own->safe_x);
    if (!own->safe_d) own->safe_d = sn_allocate_zero(world->context, count, sizeof *own->safe_d);
    if (!own->before || !own->after || !own->taken || !own->safe_x || !own->safe_d) return sn_no_memory(error);
    for (int i = 0; i < touching->surface_count; ++i)
        own->barrier.stiffness[i] = stiffness_of(world, touching->surface[i]);
    own->barrier.known = false;
    own->friction.coefficient = own->next.coefficient = touching->options.friction;
    own->friction.slip = own->next.slip = 1e-4 * world->model->size;
    return SN_OK;
}

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    (void)options;
    guarding *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    own->touching = sn_world_touching(world);
    own->friction.rows.context = own->next.rows.context = world->context;
    return fit(world, own, error);
}

static void destroy(sn_world *world, sn_interaction *self) {
    guarding *own = self->data;
    if (!own) return;
    forget(world, own);
    sn_barrier_friction_release(&own->friction);
    sn_barrier_friction_release(&own->next);
    sn_release(world->context, own->before);
    sn_release(world->context, own->after);
    sn_release(world->context, own->taken);
    sn_release(world->context, own->safe_x);
    sn_release(world->context, own->safe_d);
    sn_release(world->context, own);
}

static void adapt(sn_world *world, sn_interaction *self) {
    guarding *own = self->data;
    own->status = SN_OK;
    fine(own, fit(world, own, &own->error));
    world->workspace.system.base.steep = own->built != NULL;
}

static void refresh(sn_world *world, sn_interaction *self) {
    (void)world;
    ((guarding *)self->data)->clean = false;
}

static sn_status allows(const sn_world *world, const sn_interaction *self, const sn_method *method, sn_error *error) {
    if (!used(self->data)) return SN_OK;
    if (world->adaptive && world->adaptive->offset)
        return sn_fail_at(
            error, SN_UNSUPPORTED, "contact.response",
            "response 'exact' does not go with adapt.details 'freeze' of a body, whose details turn after "
            "each step");
    if (method->newton) return SN_OK;
    return sn_fail_at(error, SN_UNSUPPORTED, "contact.response",
                      "response 'exact' needs a method that calls Newton's method; '%s' does not", method->name);
}

/* SN_BAD_INPUT with the names of the bodies that intersect at x. */
static sn_status check_clean(sn_world *world, guarding *own, const double *x, sn_error *error) {
    enum { ROOM = 4 };
    int32_t pair[ROOM][2];
    int count = 0;
    sn_status status = sn_barrier_intersect(&own->barrier, x, pair, ROOM, &count, error);
    if (status || count == 0) return status;
    char names[ROOM * 140] = "";
    for (int i = 0, at = 0; i < count; ++i)
        at += snprintf(names + at, sizeof names - (size_t)at, "%s'%s' and '%s'", i ? ", " : "",
                       world->model->body[own->touching->surface[pair[i][0]]->body].name,
                       world->model->body[own->touching->surface[pair[i][1]]->body].name);
    return sn_fail_at(error, SN_BAD_INPUT, "contact.response",
                      "response 'exact' needs a start without intersections, but these intersect%s: %s%s%s",
                      own->barrier.near.gap_most > 0 ? " or are nearer than the thickness" : "", names,
                      count == ROOM ? ", ..." : "",
                      own->touching->options.untangle ? "" : "; 'untangle' can part cloth");
}

/* Parts cloth that is tangled. On failure the state stays as it was. */
static sn_status untangle(sn_world *world, guarding *own, double *moved, sn_error *error) {
    const int n = 3 * world->model->node_count;
    double *x = world->state.x;
    int32_t pair[1][2];
    int count;
    *moved = 0;
    sn_status status = sn_barrier_intersect(&own->barrier, x, pair, 1, &count, error);
    if (status || count == 0) return status;
    sn_vector_copy(world->context, n, x, own->before);
    status = sn_untangle(&own->barrier, sn_interactions_filter(world, NULL), x, moved, error);
    sn_active_follow(world->solid->active, x);
    if (!status) status = check_clean(world, own, x, error);
    if (status) {
        sn_vector_copy(world->context, n, own->before, x);
        return status;
    }
    sn_vector_copy(world->context, n, x, world->workspace.x_before);
    sn_world_rotations(world);
    sn_memory_start(world);
    return SN_OK;
}

static sn_status start(sn_world *world, sn_interaction *self, sn_error *error) {
    guarding *own = self->data;
    if (!used(own)) return SN_OK;
    sn_status status = own->status;
    if (own->status && error) *error = own->error;
    double moved;
    if (!status && own->touching->options.untangle) status = untangle(world, own, &moved, error);
    if (!status) status = check_clean(world, own, world->state.x, error);
    own->clean = status == SN_OK;
    if (own->clean) sn_barrier_calm(&own->barrier);
    return status;
}

/* ---- Forces ---- */
static void arrive(sn_world *world, sn_interaction *self, const double *x) {
    (void)world;
    guarding *own = self->data;
    if (own->built) fine(own, sn_barrier_visit(&own->barrier, x, &own->error));
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    guarding *own = self->data;
    if (!own->built) return;
    arrive(world, self, place->x);
    if (own->status) return; /* for example a start with intersections, where the force is not finite */
    sn_barrier_force(&own->barrier, f);
    if (own->rough && place->v) sn_barrier_friction_force(&own->friction, place->v, f);
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    (void)world;
    guarding *own = self->data;
    if (!own->built || !fine(own, sn_barrier_visit(&own->barrier, place->x, &own->error))) return;
    *energy += sn_barrier_energy(&own->barrier);
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world;
    const guarding *own = self->data;
    if (!own->built) return 0;
    if (!damping) return sn_touch_rows_block_count(&own->barrier.rows);
    return own->rough ? sn_touch_rows_block_count(&own->friction.rows) : 0;
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)world, (void)exact;
    guarding *own = self->data;
    if (!own->built || own->status) return;
    sn_barrier_blocks(&own->barrier, K);
    if (own->rough && place->v) sn_barrier_friction_blocks(&own->friction, place->v, D);
}

/* ---- Steps ---- */
static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    (void)t, (void)v;
    guarding *own = self->data;
    if (!own->built && !own->status) return false;
    own->rounds = 0;
    own->rough = false;
    if (own->built) own->status = SN_OK;
    if (!own->built || !fine(own, own->clean ? SN_OK : check_clean(world, own, x, &own->error))) return true;
    own->clean = true;
    arrive(world, self, x);
    own->rough = own->friction.coefficient > 0 && !world->parameters.no_inertia;
    if (own->rough) fine(own, sn_barrier_friction_take(&own->friction, &own->barrier, NULL, &own->error));
    sn_vector_copy(world->context, 3 * world->model->node_count, x, own->taken);
    return true;
}

/* Looks at the normal forces at the solution. They have changed when the forces of friction differ by more than a part
 * in 50; the next solve then takes them. */
static bool renew(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    enum { ROUNDS = 6 };
    (void)t;
    guarding *own = self->data;
    if (!own->built || !own->rough || own->rounds++ >= ROUNDS) return false;
    const int n = 3 * world->model->node_count;
    arrive(world, self, x);
    sn_vector_zero(world->context, n, own->before);
    sn_vector_zero(world->context, n, own->after);
    sn_barrier_friction_force(&own->friction, v, own->before);
    if (!fine(own, sn_barrier_friction_take(&own->next, &own->barrier, v, &own->error))) return false;
    sn_barrier_friction_force(&own->next, v, own->after);
    sn_vector_subtract(world->context, n, own->after, own->before, own->before);
    if (!(sn_vector_norm(world->context, n, own->before) > 0.02 * sn_vector_norm(world->context, n, own->after)))
        return false;
    const sn_barrier_friction old = own->friction;
    own->friction = own->next, own->next = old;
    sn_vector_copy(world->context, n, x, own->taken);
    return true;
}

static bool stop(sn_world *world, sn_interaction *self, double t, const double *x, double *d) {
    (void)t;
    guarding *own = self->data;
    const int nodes = world->model->node_count;
    bool cut = false;
    own->safe = false;
    const sn_filter *filter = sn_interactions_filter(world, NULL);
    if (!own->built || !fine(own, sn_barrier_stop(&own->barrier, x, nodes, filter, d, &cut, &own->safe, &own->error)))
        return false;
    if (own->safe) {
        sn_vector_copy(world->context, 3 * nodes, x, own->safe_x);
        sn_vector_copy(world->context, 3 * nodes, d, own->safe_d);
    }
    return cut;
}

/* Whether `stop` has made this motion safe. */
static bool is_safe(const sn_world *world, const guarding *own, const double *x, const double *d) {
    const size_t bytes = 3 * (size_t)world->model->node_count * sizeof *x;
    return own->safe && memcmp(x, own->safe_x, bytes) == 0 && memcmp(d, own->safe_d, bytes) == 0;
}

/* Marks the nodes of contacts at x that move. */
static void keep_rows(guarding *own, const double *x, const double *d, uint8_t *stay) {
    if (!fine(own, sn_barrier_visit(&own->barrier, x, &own->error))) return;
    for (int k = 0; k < own->barrier.rows.carrier_count; ++k) {
        const int32_t node = own->barrier.rows.node[k];
        const double *way = d + 3 * (size_t)node;
        if (way[0] != 0 || way[1] != 0 || way[2] != 0) stay[node] = 1;
    }
}

/* What touches now, what would touch then, and what meets on the way. So a coarsening changes no force of a contact. */
static void keep(sn_world *world, sn_interaction *self, const double *x, const double *d, uint8_t *stay) {
    guarding *own = self->data;
    const int nodes = world->model->node_count, n = 3 * nodes;
    const sn_filter none = {0};
    bool cut = false, safe = false;
    if (!own->built) return;
    own->safe = false;
    sn_vector_copy(world->context, n, d, own->before);
    sn_vector_mix(world->context, n, 1, x, 1, d, 0, NULL, own->after);
    keep_rows(own, own->after, d, stay);
    keep_rows(own, x, d, stay);
    if (!fine(own, sn_barrier_stop(&own->barrier, x, nodes, &none, own->before, &cut, &safe, &own->error)))
        safe = false;
    for (int i = 0; i < n; ++i)
        if (d[i] != 0 && (!safe || own->before[i] != d[i])) stay[i / 3] = 1;
}

static double limit(sn_world *world, sn_interaction *self, double t, const double *x, const double *d) {
    (void)t;
    guarding *own = self->data;
    double part = 1;
    if (!own->built || own->status || is_safe(world, own, x, d)) return 1; /* `settle` refuses a step with a status */
    if (!fine(own, sn_barrier_limit(&own->barrier, x, d, &part, &own->error))) return 0;
    /* The first correction of a step is about the motion without the contacts that begin in it. If it runs far into
     * another body, the solution would be refused as well (check_way): better refuse it now. */
    const int n = 3 * world->model->node_count;
    if (part == 1 || world->parameters.no_inertia || memcmp(x, world->workspace.x_before, (size_t)n * sizeof *x) != 0)
        return part;
    return sn_vector_largest(world->context, n, d) * (1 - part) > own->barrier.near.edge_length ? 0 : part;
}

/* Whether the step is one motion that `stop` has made safe. */
static bool went_safe(const sn_world *world, const guarding *own, const sn_trial *trial) {
    const int n = 3 * world->model->node_count;
    if (!own->safe || memcmp(trial->x0, own->safe_x, (size_t)n * sizeof *trial->x0) != 0) return false;
    for (int i = 0; i < n; ++i)
        if (trial->x[i] != own->safe_x[i] + own->safe_d[i]) return false;
    return true;
}

/* Refuses a long step that did not bump into what was in its way. The limits let nothing intersect, but a step that is
 * longer than a body may find its way around the body within one solve. So the straight way from the start to the end
 * must be free, up to half an edge. A shorter step then sees the bump. */
static sn_status check_way(sn_world *world, guarding *own, const sn_trial *trial, sn_error *error) {
    const int n = 3 * world->model->node_count;
    double part = 1;
    if (went_safe(world, own, trial)) return SN_OK;
    sn_vector_subtract(world->context, n, trial->x, trial->x0, own->before);
    const double way = sn_vector_largest(world->context, n, own->before);
    if (way <= 0.5 * own->barrier.near.edge_length) return SN_OK;
    const sn_status status = sn_barrier_limit(&own->barrier, trial->x0, own->before, &part, error);
    if (status || way * (1 - part) <= 0.5 * own->barrier.near.edge_length) return status;
    return sn_fail(error, SN_NOT_CONVERGED,
                   "bodies went around each other in the step from t = %g s to %g s; take a "
                   "smaller step",
                   trial->t, trial->t + trial->h);
}

/* Gives the bodies back what they lost because the forces of the step acted at its end. */
static sn_status restore(sn_world *world, guarding *own, const sn_trial *trial, sn_error *error) {
    const int n = 3 * world->model->node_count;
    if (!sn_angular_lost(world)) return SN_OK;
    const sn_status status = sn_barrier_visit(&own->barrier, trial->x, error);
    if (status) return status;
    sn_vector_zero(world->context, n, own->after);
    sn_barrier_force(&own->barrier, own->after);
    sn_angular_give(world, trial, trial->x, own->after);
    if (!own->rough) return SN_OK;
    for (int i = 0; i < n; ++i)
        own->before[i] = (trial->x[i] - trial->x0[i]) / trial->h; /* the velocity of the solve */
    sn_vector_zero(world->context, n, own->after);
    sn_barrier_friction_force(&own->friction, own->before, own->after);
    sn_angular_give(world, trial, own->taken, own->after);
    return SN_OK;
}

static sn_status settle(sn_world *world, sn_interaction *self, const sn_trial *trial, bool *settled, sn_error *error) {
    (void)settled;
    guarding *own = self->data;
    if (own->status && error) *error = own->error;
    if (own->status || !own->built) return own->status;
    int32_t pair[1][2];
    int count = 0;
    sn_status status = sn_barrier_intersect(&own->barrier, trial->x, pair, 1, &count, error);
    if (!status && count == 0) status = check_way(world, own, trial, error);
    if (!status && count == 0) status = restore(world, own, trial, error);
    if (status || count == 0) return status;
    return sn_fail(error, SN_NOT_CONVERGED, "bodies '%s' and '%s' intersect after the step from t = %g s to %g s",
                   world->model->body[own->touching->surface[pair[0][0]]->body].name,
                   world->model->body[own->touching->surface[pair[0][1]]->body].name, trial->t, trial->t + trial->h);
}

static bool touches(const sn_world *world, const sn_interaction *self, double t, const double *x) {
    (void)world, (void)t;
    guarding *own = self->data;
    return own->built && (own->barrier.rows.count > 0 ||
                          (sn_barrier_visit(&own->barrier, x, NULL) == SN_OK && own->barrier.rows.count > 0));
}

/* Keeps the contacts of the step and their forces. */
static void end(sn_world *world, sn_interaction *self, const sn_place *place) {
    guarding *own = self->data;
    sn_touching *touching = own->touching;
    if (!own->built || !place) return;
    arrive(world, self, place->x);
    if (!fine(own, sn_touch_rows_copy(&own->barrier.rows, &touching->rows, &own->error)) ||
        !fine(own, sn_touching_forces(touching, &own->error)))
        return;
    for (int i = 0; i < touching->rows.count; ++i) {
        const sn_touch_row *row = &touching->rows.row[i];
        double *f = touching->force + 3 * (size_t)i;
        const double push = own->barrier.touch[i].push;
        if (own->rough) sn_barrier_friction_pull(&own->friction, &touching->rows, row, push, place->v, f);
        for (int a = 0; a < 3; ++a) f[a] += push * row->n[a];
    }
    sn_touching_finish(touching, NULL);
}

const sn_interaction_kind sn_kind_contact_exact = {.create = create,
                                                   .destroy = destroy,
                                                   .adapt = adapt,
                                                   .start = start,
                                                   .allows = allows,
                                                   .refresh = refresh,
                                                   .arrive = arrive,
                                                   .force = force,
                                                   .steep = true,
                                                   .energy = energy,
                                                   .block_count = block_count,
                                                   .blocks = blocks,
                                                   .begin = begin,
                                                   .renew = renew,
                                                   .limit = limit,
                                                   .stop = stop,
                                                   .keep = keep,
                                                   .settle = settle,
                                                   .touches = touches,
                                                   .end = end};

sn_status sn_world_untangle(sn_world *world, double *moved, sn_error *error) {
    double way = 0;
    guarding *own = NULL;
    for (int i = 0; i < world->interaction_count; ++i)
        if (world->interaction[i]->kind == &sn_kind_contact_exact) own = world->interaction[i]->data;
    if (!own || !own->built)
        return sn_fail_at(error, SN_UNSUPPORTED, "contact.response", "only worlds with the response 'exact' untangle");
    const sn_status status = untangle(world, own, &way, error);
    if (moved) *moved = way;
    if (status || !(way > 0)) return status;
    sn_state_forget(&world->state, "history");
    sn_state_forget(&world->state, "accelerations");
    sn_workspace_refresh(world);
    return SN_OK;
}
