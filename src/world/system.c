/* The system of a world: the equations that the integrators solve (time/system.h).
 *
 *   f = elements (elastic, viscous, Rayleigh stiffness) - sym(a M) v + interactions,   a: Rayleigh's mass damping per
 * node
 *
 * The linearisation leaves out the unsymmetric parts, so that CG and Cholesky can solve it: the change of viscous
 * stress with x, and the unsymmetric parts of interactions. Otherwise it is exact. Methods that need the exact Jacobian
 * (Rosenbrock's) get it with these parts. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "base/vector.h"
#include "inside.h"

static sn_world *world_of(sn_system *system) { return ((sn_world_system *)system)->world; }
static sn_world *world_at(sn_linearisation *linearisation) { return ((sn_world_linearisation *)linearisation)->world; }

/* The place of a request, for the interactions. */
static sn_place place_of(const sn_world *world, const sn_request *request) {
    return (sn_place){.t = request->t,
                      .x = request->x,
                      .v = world->parameters.no_inertia ? NULL : request->v,
                      .ahead = request->ahead};
}

sn_element_view sn_world_same_view(const sn_world *world, const double *x) {
    return (sn_element_view){.settings = &world->parameters.elements,
                             .unsymmetric = world->parameters.method->exact,
                             .x = world->adaptive ? world->adaptive->x : x,
                             .x_before = world->adaptive ? NULL : world->workspace.x_before,
                             .rotation_state = world->state.rotation,
                             .frame = world->state.frame,
                             .vertex_rotation = world->state.vertex_frame,
                             .recalled = world->workspace.memory.recalled};
}

sn_element_view sn_world_view(const sn_world *world, const double *x, const double *v) {
    sn_element_view view = sn_world_same_view(world, x);
    const sn_adaptive *a = world->adaptive;
    view.v = v;
    if (!a) return view;
    if (x) sn_active_gather(world->solid->active, x, a->x);
    if (v) sn_active_gather(world->solid->active, v, a->v);
    view.x = x ? a->x : NULL, view.v = v ? a->v : NULL;
    return view;
}

/* Brings memory and activations to time t, for forces and energies at this time. In modes with time the activations
 * stay as they are during a step. */
static void reach(sn_world *world, double t) {
    sn_memory_reach(world, t);
    const sn_element_settings *settings = &world->parameters.elements;
    if (world->parameters.is_static && world->solid->elements.muscle && (settings->time != t || settings->share != t))
        sn_solid_activate(world, t);
}

static double norm(const sn_world *world, const double *u) {
    return sn_vector_norm(world->context, 3 * world->model->node_count, u);
}

/* ---- Forces ---- */
/* Adds -(a M + M a) v / 2 to f. Uses workspace.scaled and workspace.product as scratch when the mass is consistent. */
static void add_rayleigh(sn_world *world, const double *v, double *f) {
    const sn_solid *solid = world->solid;
    const int n = world->model->node_count;
    if (!solid->rayleigh || !v) return;
    if (!solid->linear.source) {
        for (int i = 0; i < 3 * n; ++i) f[i] -= solid->rayleigh[i / 3] * solid->mass[i / 3] * v[i];
        return;
    }
    double *scaled = world->workspace.scaled, *product = world->workspace.product;
    for (int i = 0; i < 3 * n; ++i) scaled[i] = solid->rayleigh[i / 3] * v[i];
    sn_linear_mass_product(world->workspace.linear, scaled, product);
    for (int i = 0; i < 3 * n; ++i) f[i] -= 0.5 * product[i];
    sn_linear_mass_product(world->workspace.linear, v, product);
    for (int i = 0; i < 3 * n; ++i) f[i] -= 0.5 * solid->rayleigh[i / 3] * product[i];
}

static bool same(const double *a, const double *b, int count) { return memcmp(a, b, (size_t)count * sizeof *a) == 0; }

static bool damped_at(const sn_world *world, const double *v) {
    return v && sn_elements_damped(&world->solid->elements, &world->parameters.elements);
}

/* The forces of the elements at the view, into workspace.inside. */
static sn_status force_of_elements(sn_world *world, const sn_element_view *view, sn_error *error) {
    sn_workspace *work = &world->workspace;
    const sn_elements_model *elements = &world->solid->elements;
    sn_vector_zero(world->context, 3 * world->model->node_count, work->inside);
    if (!world->adaptive) return sn_elements_force(world->context, elements, view, work->inside, error);
    double *force = world->adaptive->force;
    sn_vector_zero(world->context, 3 * elements->node_count, force);
    const sn_status status = sn_elements_force(world->context, elements, view, force, error);
    if (status) return status;
    sn_world_collect(world, force, work->inside);
    if (!view->next) return SN_OK;
    sn_vector_zero(world->context, 3 * world->model->node_count, work->memory.next_inside);
    sn_world_collect(world, view->next, work->memory.next_inside);
    return SN_OK;
}

sn_status sn_world_force_inside(sn_world *world, const double *x, const double *v, const sn_memory_arrays *remember,
                                sn_error *error) {
    sn_workspace *work = &world->workspace;
    const int n = 3 * world->model->node_count;
    const bool damped = damped_at(world, v);
    sn_element_view view = sn_world_view(world, x, v);
    sn_memory_arrays arrays;
    view.remember = remember;
    const bool ahead = !remember && sn_memory_look_ahead(world, &arrays, &view);
    if (!remember && !ahead) sn_memory_recall(world);
    if (world->parameters.method->implicit) view.kept = sn_linear_visit(work->linear);
    work->inside_known = false;
    const sn_status status = force_of_elements(world, &view, error);
    if (status) return status;
    sn_interactions_correct(world, x, work->inside);
    if (ahead) sn_interactions_correct(world, x, work->memory.next_inside);
    sn_vector_copy(world->context, n, x, work->inside_x);
    if (damped) sn_vector_copy(world->context, n, v, work->inside_v);
    work->inside_known = true;
    return SN_OK;
}

bool sn_world_inside_at(const sn_world *world, const double *x, const double *v) {
    const sn_workspace *work = &world->workspace;
    const int n = 3 * world->model->node_count;
    return work->inside_known && same(x, work->inside_x, n) && (!damped_at(world, v) || same(v, work->inside_v, n));
}

/* The same, unless they are there already. */
static sn_status force_inside(sn_world *world, const double *x, const double *v, sn_error *error) {
    return sn_world_inside_at(world, x, v) ? SN_OK : sn_world_force_inside(world, x, v, NULL, error);
}

static double size_of_forces(const sn_world *world) {
    return fmax(norm(world, world->workspace.inside), norm(world, world->workspace.external));
}

/* Adds the forces of the interactions to workspace.external. Slaves give theirs to their parents. */
static void force_outside(sn_world *world, const sn_place *place, bool steep) {
    sn_interactions_force(world, place, steep, world->workspace.external);
    sn_active_give(world->solid->active, world->workspace.external);
}

static sn_status force(sn_world *world, const sn_request *request, sn_error *error) {
    sn_workspace *work = &world->workspace;
    const int n = 3 * world->model->node_count;
    const sn_place place = place_of(world, request);
    reach(world, request->t);
    sn_interactions_arrive(world, place.x);
    if (world->parameters.no_inertia) sn_world_frames(world, place.t, place.t, place.x);
    const sn_status status = force_inside(world, place.x, place.v, error);
    if (status) return status;
    sn_vector_zero(world->context, n, work->external);
    force_outside(world, &place, false);
    if (request->scale) work->force_calm = work->force_scale = size_of_forces(world);
    if (work->system.base.steep) {
        force_outside(world, &place, true);
        if (request->scale) work->force_scale = size_of_forces(world);
    }
    sn_vector_mix(world->context, n, 1, work->inside, 1, work->external, 0, NULL, request->force);
    add_rayleigh(world, place.v, request->force);
    return SN_OK;
}

/* The force of the elements, for the judge. */
static sn_status inside(sn_world *world, const sn_request *request, sn_error *error) {
    reach(world, request->t);
    sn_interactions_arrive(world, request->x);
    /* An explicit method may have evaluated at x with a predicted velocity. The step is so short that this will do. */
    const bool known = !world->parameters.method->implicit && sn_world_inside_at(world, request->x, NULL);
    return known ? SN_OK : force_inside(world, request->x, request->v, error);
}

static sn_status energies(sn_world *world, const sn_request *request, sn_error *error) {
    sn_workspace *work = &world->workspace;
    sn_energy *energy = request->energies;
    *energy = (sn_energy){0};
    sn_interactions_energy(world, &(sn_place){.t = request->t, .x = request->x}, &energy->outside);
    energy->kinetic = sn_world_kinetic(world, request->v, work->product);
    if (!request->stored) return SN_OK;
    reach(world, request->t);
    sn_memory_recall(world);
    const sn_element_view view = sn_world_view(world, request->x, NULL);
    return sn_elements_energy(world->context, &world->solid->elements, &view, work->partial, &energy->stored, error);
}

/* The energy of the elements and of all interactions that have an energy. */
static sn_status potential(sn_world *world, const sn_request *request, sn_error *error) {
    const sn_place place = {.t = request->t, .x = request->x};
    reach(world, request->t);
    sn_memory_recall(world);
    const sn_element_view view = sn_world_view(world, place.x, NULL);
    const sn_status status = sn_elements_energy(world->context, &world->solid->elements, &view,
                                                world->workspace.partial, request->energy, error);
    if (!status) sn_interactions_energy(world, &place, request->energy);
    return status;
}

static void force_rate(sn_world *world, const sn_request *request) {
    const sn_place place = {.t = request->t, .x = request->x, .v = request->v};
    sn_vector_zero(world->context, 3 * world->model->node_count, request->rate);
    sn_interactions_rate(world, &place, request->rate);
    if (world->adaptive) sn_active_give(world->solid->active, request->rate);
    sn_memory_rate(world, request->t, request->x, request->rate);
}

/* SN_INVERTED when a law that needs J > 0 meets J <= 0: the computation of the energy finds that out. */
static sn_status check(sn_world *world, const sn_request *request, sn_error *error) {
    if (!world->solid->elements.positive) return SN_OK;
    const sn_element_view view = sn_world_view(world, request->x, NULL);
    double energy;
    return sn_elements_energy(world->context, &world->solid->elements, &view, world->workspace.partial, &energy, error);
}

/* ---- Linearisation ---- */
/* `here`: interactions, rotations of warped nodes and rotations of elements already belong to this place. */
static sn_status linearise(sn_world *world, const sn_request *request, bool here, sn_error *error) {
    sn_workspace *work = &world->workspace;
    const sn_parameters *p = &world->parameters;
    const sn_place place = place_of(world, request);
    sn_block_list *K = &work->stiffness, *D = &work->damping;
    if (request->linearise == SN_LINEARISE_TENSION && !world->solid->elements.splits)
        return sn_fail(error, SN_UNSUPPORTED,
                       "the elements have forces besides those of edges: there is no tension alone");
    sn_block_list_clear(K), sn_block_list_clear(D);
    reach(world, request->t);
    if (!here) sn_interactions_arrive(world, place.x);
    if (!here && p->no_inertia) sn_world_frames(world, place.t, place.t, place.x);
    const sn_status status = sn_interactions_reserve(world, K, D, error);
    if (status) return status;
    sn_interactions_blocks(world, &place, p->method->exact, K, D);
    sn_element_view view = sn_world_view(world, place.x, place.v);
    view.projected = request->linearise == SN_LINEARISE_PROJECTED;
    view.tension = request->linearise == SN_LINEARISE_TENSION;
    if (here && p->method->implicit) view.kept = sn_linear_kept(work->linear);
    const sn_status listed = sn_world_linearise(world, &view, request->again, error);
    if (listed) return listed;
    const sn_elements_model *elements = &world->solid->elements;
    sn_linearisation_renew(&work->system.linearisation.base,
                           D->count || world->solid->rayleigh || sn_elements_damped(elements, &p->elements),
                           elements->projects && !view.projected && !view.tension);
    return SN_OK;
}

static void product(sn_linearisation *self, double m, double d, double k, const double *u, double *out) {
    sn_world_product(world_at(self), m, d, k, u, out);
    sn_interactions_product(world_at(self), k, u, out);
    sn_active_give(world_at(self)->solid->active, out);
}

static void product_inside(sn_linearisation *self, double d, double k, const double *u, double *out) {
    sn_world_elements_product(world_at(self), d, k, u, out);
}

static void trace(sn_linearisation *self, double m, double d, double k, double *out) {
    sn_world_trace(world_at(self), m, d, k, out);
}

static sn_status solve(sn_linearisation *self, const sn_solve *s, sn_linear_report *report, sn_error *error) {
    sn_world *world = world_at(self);
    const sn_status status = sn_world_linear_solve(world, s, report, error);
    if (status && status != SN_NOT_CONVERGED) return status;
    const sn_bordered bordered = {s->m, s->d, s->k, s->x, s->tolerance};
    const sn_status rest = sn_interactions_solve(world, &bordered, report, error);
    return rest ? rest : status;
}

/* ---- Requests ---- */
static sn_status evaluate(sn_system *system, const sn_request *request, sn_result *result, sn_error *error) {
    sn_world *world = world_of(system);
    result->linearisation = &world->workspace.system.linearisation.base;
    if (request->check) return check(world, request, error);
    sn_status status = request->force ? force(world, request, error) : SN_OK;
    result->scale = world->workspace.force_scale, result->calm = world->workspace.force_calm;
    if (!status && request->inside) status = inside(world, request, error);
    result->inside = world->workspace.inside;
    if (!status && request->energy) status = potential(world, request, error);
    if (!status && request->energies) status = energies(world, request, error);
    if (status) return status;
    result->touches = request->touch && sn_interactions_touch(world, request->t, request->x);
    if (request->rate) force_rate(world, request);
    return request->linearise ? linearise(world, request, request->here || request->force, error) : SN_OK;
}

sn_status sn_world_forces(sn_world *world, sn_error *error) {
    return force(world,
                 &(sn_request){
                     .t = world->state.time, .x = world->state.x, .v = world->state.v, .force = world->workspace.force},
                 error);
}

/* ---- Mass, constraints ---- */
static void mass_product(sn_system *system, const double *v, double *out) {
    sn_world_mass_product(world_of(system), v, out);
}

static sn_status mass_solve(sn_system *system, const double *f, double *out, sn_error *error) {
    return sn_world_mass_solve(world_of(system), f, out, error);
}

static void constrain(sn_system *system, double t, double *x, double *v, double *a) {
    sn_world_constrain(world_of(system), t, x, v, a);
}

static double limit(sn_system *system, double t, const double *x, double *d, bool *cut) {
    sn_world *world = world_of(system);
    if (cut) *cut = sn_interactions_stop(world, t, x, d);
    sn_active_follow(world->solid->active, d);
    return sn_interactions_limit(world, t, x, d);
}

static void retract(sn_system *system, double *x) { sn_interactions_retract(world_of(system), x); }
static void filter(sn_system *system, double *u) { sn_filter_apply(sn_interactions_filter(world_of(system), NULL), u); }

/* The largest eigenvalue of M^-1 A, by the power method from a fixed start. The estimates are too small; a margin makes
 * up for it. */
static sn_status largest_eigenvalue(sn_world *world, double d, double k, double *value, sn_error *error) {
    enum { ITERATIONS = 40 };
    sn_system *system = &world->workspace.system.base;
    const int n = system->count;
    double *u = world->workspace.scaled, *w = world->workspace.product;
    for (int i = 0; i < n; ++i) u[i] = (i * 7919 % 101 - 50) / 50.0 + 0.005;
    filter(system, u);
    sn_linear_prepare_products(world->workspace.linear, d, k);
    *value = 0;
    for (int i = 0; i < ITERATIONS; ++i) {
        const double length = norm(world, u);
        if (!(length > 0)) return SN_OK;
        for (int j = 0; j < n; ++j) u[j] /= length;
        sn_world_product(world, 0, d, k, u, w);
        sn_interactions_product(world, k, u, w);
        const sn_status status = mass_solve(system, w, u, error);
        if (status) return status;
        *value = 1.1 * norm(world, u);
    }
    return SN_OK;
}

static sn_status spectrum(sn_linearisation *self, double *stiffness, double *damping, sn_error *error) {
    const sn_status status = largest_eigenvalue(world_at(self), 0, 1, stiffness, error);
    return status ? status : largest_eigenvalue(world_at(self), 1, 0, damping, error);
}

/* ---- Steps ---- */
static bool begin(sn_system *system, double t, const double *x, const double *v) {
    sn_world *world = world_of(system);
    sn_workspace *work = &world->workspace;
    work->began = t;
    sn_vector_copy(world->context, system->count, x, work->x_before);
    sn_memory_begin(world, t);
    sn_vector_copy(world->context, (int)world->state.own_count, world->state.value + world->state.own,
                   work->own_before);
    return sn_interactions_begin(world, t, x, v);
}

static bool renew(sn_system *system, double t, const double *x, const double *v) {
    return sn_interactions_renew(world_of(system), t, x, v);
}

static bool release(sn_system *system, double t, const double *x) {
    return sn_interactions_release(world_of(system), t, x);
}

static sn_status settle(sn_system *system, const sn_trial *trial, bool *settled, sn_error *error) {
    return sn_interactions_settle(world_of(system), trial, settled, error);
}

static sn_status work_done(sn_system *system, const sn_trial *trial, double moved, double *done, sn_error *error) {
    sn_world *world = world_of(system);
    sn_workspace *work = &world->workspace;
    const int n = system->count;
    const sn_status status = sn_world_step_reactions(world, trial, NULL, error);
    if (status) return status;
    double *way = work->scaled, *held_by = work->product;
    sn_vector_copy(world->context, n, work->force, held_by);
    filter(system, held_by);
    sn_vector_subtract(world->context, n, work->force, held_by, held_by);
    sn_vector_subtract(world->context, n, trial->x, trial->x0, way);
    /* The work of the forces that have a potential is -moved. Explicit Euler moves a body one step after the force: the
     * way may also be that of the new velocity. */
    const double outside = fmax(sn_vector_dot(world->context, n, work->external, way) + moved,
                                trial->h * sn_vector_dot(world->context, n, work->external, trial->v) + fmin(moved, 0)),
                 held = sn_vector_dot(world->context, n, held_by, way);
    *done = fmax(outside, 0) + fmax(held, 0);
    return SN_OK;
}

static void reject(sn_world *world) {
    const sn_state *state = &world->state;
    sn_vector_copy(world->context, (int)state->own_count, world->workspace.own_before, state->value + state->own);
    sn_interactions_end(world, NULL);
}

static void accept(sn_world *world, double t, const double *x, const double *v) {
    const sn_place place = {.t = t, .x = x, .v = world->parameters.no_inertia ? NULL : v};
    if (world->state.rotation_count > 0) {
        const sn_element_view view = sn_world_view(world, x, NULL);
        sn_elements_accept(world->context, &world->solid->elements, &view, world->state.rotation);
        sn_workspace_forget(world); /* linearisation and forces depend on the past of the rotations */
    }
    if (sn_world_frames(world, world->workspace.began, t, x))
        sn_workspace_forget(world); /* the linearisation depends on the frames */
    sn_vector_copy(world->context, 3 * world->model->node_count, x, world->workspace.x_before);
    sn_memory_accept(world, t, x, place.v);
    sn_interactions_end(world, &place);
}

static void end(sn_system *system, const sn_trial *trial) {
    if (trial)
        accept(world_of(system), trial->t + trial->h, trial->x, trial->v);
    else
        reject(world_of(system));
}

sn_status sn_world_step_reactions(sn_world *world, const sn_trial *trial, double *scale, sn_error *error) {
    sn_workspace *work = &world->workspace;
    sn_system *system = &work->system.base;
    const int n = system->count;
    const sn_request request = {
        .t = trial->t + trial->h, .x = trial->x, .v = trial->v, .force = work->force, .scale = scale != NULL};
    const sn_status status = force(world, &request, error);
    if (status) return status;
    if (world->parameters.no_inertia) {
        sn_vector_zero(world->context, n, work->product);
    } else {
        const double *v = trial->v, *v0 = trial->v0, h = trial->h;
        double *a = work->scaled;
        for (int i = 0; i < n; ++i) a[i] = (v[i] - v0[i]) / h;
        mass_product(system, a, work->product);
    }
    if (scale) *scale = fmax(work->force_scale, norm(world, work->product));
    sn_vector_subtract(world->context, n, work->product, work->force, work->force);
    return SN_OK;
}

const sn_linearisation_table sn_world_linearisation_table = {
    .product = product, .solve = solve, .inside = product_inside, .trace = trace, .spectrum = spectrum};

const sn_system_table sn_world_table = {.mass_product = mass_product,
                                        .mass_solve = mass_solve,
                                        .evaluate = evaluate,
                                        .constrain = constrain,
                                        .retract = retract,
                                        .filter = filter,
                                        .begin = begin,
                                        .settle = settle,
                                        .end = end,
                                        .renew = renew,
                                        .limit = limit,
                                        .release = release,
                                        .work = work_done};
