/* The system of a world: what the integrators see.
 *
 *   f = elements (elastic, viscous, Rayleigh stiffness) + s w g - sym(a M) v + loads + contact + grabs
 *
 * with s the load fraction in statics and 1 otherwise, w the weights of gravity, a Rayleigh's mass damping per node. The linearisation
 * is exact but for the unsymmetric parts: viscous stress leaves out its change with x, loads that follow give the symmetric part of each
 * face's matrix, friction leaves out its change with the normal force, so that CG and Cholesky serve. Methods that need the exact
 * Jacobian (Rosenbrock's) get it with these parts. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "base/vector.h"
#include "world.h"

static sn_world *world_of(sn_system *system) { return ((sn_world_system *)system)->world; }

sn_element_view sn_world_view(const sn_world *world, const double *x, const double *v) {
    return (sn_element_view){.x = x,
                             .v = v,
                             .x_before = world->workspace.x_before,
                             .rotation_state = world->state.rotation,
                             .vertex_rotation = world->workspace.vertex_rotation};
}

const sn_filter *sn_world_filter(const sn_world *world) {
    const sn_workspace *work = &world->workspace;
    return work->projection.row_count > 0 ? &work->projection.filter : &work->filter;
}

static double norm(const sn_world *world, const double *u) { return sn_vector_norm(world->context, 3 * world->model.node_count, u); }

/* ---- Forces ---- */
static void add_gravity(const sn_world *world, double t, double *f) {
    const sn_parameters *p = &world->parameters;
    const double *weight = p->no_inertia ? world->model.solid->weight_exact : world->model.solid->weight, s = p->is_static ? t : 1;
    if (p->gravity[0] == 0 && p->gravity[1] == 0 && p->gravity[2] == 0) return;
    for (int i = 0; i < world->model.node_count; ++i)
        for (int a = 0; a < 3; ++a) f[3 * (size_t)i + (size_t)a] += s * weight[i] * p->gravity[a];
}

/* -(a M + M a) v / 2; uses the workspace's `force` as scratch when the mass is coupled. */
static void add_rayleigh(sn_world *world, const double *v, double *f) {
    const sn_solid *solid = world->model.solid;
    const int n = world->model.node_count;
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

/* Memory of the friction on a collider; NULL outside of the steps that keep one. */
static sn_friction *friction_of(const sn_world *world, int collider) {
    if (!world->workspace.frictional) return NULL;
    return world->workspace.friction + (size_t)collider * (size_t)world->model.surface.count;
}

/* The penalty of a collider for the forces that Newton's method wants now. */
static sn_penalty penalty_of(const sn_world *world, int collider, double ahead) {
    sn_penalty penalty = world->parameters.penalty[collider];
    penalty.ahead = ahead;
    return penalty;
}

static void external_force(sn_world *world, double t, const double *x, const double *v, double ahead, double *f) {
    const sn_parameters *p = &world->parameters;
    sn_vector_zero(world->context, 3 * world->model.node_count, f);
    add_gravity(world, t, f);
    for (int i = 0; i < world->model.load_count; ++i)
        sn_load_force(&world->model.load[i], sn_ramp_value(&world->model.load[i].ramp, t, p->is_static, NULL), x, f);
    world->workspace.contacts = 0;
    for (int i = 0; i < p->collider_count; ++i) {
        const sn_penalty penalty = penalty_of(world, i, ahead);
        const sn_contact_nodes pushed = sn_world_pushed(world, i);
        world->workspace.contacts += sn_penalty_force(&p->collider[i], &penalty, &pushed, t, x, v, friction_of(world, i), f);
    }
    world->workspace.contacts += world->workspace.projection.count;
    sn_projection_force(&world->workspace.projection, world->state.contact, t, v, f);
    sn_grab_forces(world, x, v, f);
    sn_links_force(world, t, x, f);
}

static sn_status force(sn_world *world, const sn_request *request, sn_error *error) {
    sn_workspace *work = &world->workspace;
    const size_t n = (size_t)world->model.node_count * 3;
    const double t = request->t, *x = request->x, *v = world->parameters.no_inertia ? NULL : request->v;
    double *f = request->force;
    sn_cores_modes(world, x);
    if (world->parameters.no_inertia) sn_world_warp(world, x);
    sn_element_view view = sn_world_view(world, x, v);
    if (world->parameters.method->implicit) view.kept = sn_linear_visit(work->linear);
    sn_vector_zero(world->context, (int)n, f);
    const sn_status status = sn_elements_force(world->context, &world->model.solid->elements, &view, f, error);
    if (status) return status;
    sn_world_balance(world, x, f);
    external_force(world, t, x, v, request->ahead, work->external);
    work->force_scale = fmax(norm(world, f), norm(world, work->external));
    sn_vector_add(world->context, (int)n, 1, work->external, f);
    add_rayleigh(world, v, f);
    return SN_OK;
}

/* Energy of everything that has one: elements, gravity, dead loads, springs of contact and grabs. */
static sn_status potential(sn_world *world, double t, const double *x, double *energy, sn_error *error) {
    const sn_parameters *p = &world->parameters;
    const sn_element_view view = sn_world_view(world, x, NULL);
    sn_status status = sn_elements_energy(world->context, &world->model.solid->elements, &view, world->workspace.partial, energy, error);
    if (status) return status;
    const double *weight = p->no_inertia ? world->model.solid->weight_exact : world->model.solid->weight, s = p->is_static ? t : 1;
    for (int i = 0; i < world->model.node_count; ++i) *energy -= s * weight[i] * sn_dot3(p->gravity, x + 3 * (size_t)i);
    for (int i = 0; i < world->model.load_count; ++i) {
        const sn_load_term *load = &world->model.load[i];
        *energy -= sn_load_work(load, sn_ramp_value(&load->ramp, t, p->is_static, NULL), x, world->model.rest);
    }
    for (int i = 0; i < p->collider_count; ++i) {
        const sn_contact_nodes pushed = sn_world_pushed(world, i);
        *energy += sn_penalty_energy(&p->collider[i], &p->penalty[i], &pushed, t, x);
    }
    *energy += sn_grab_energy(world, x);
    return SN_OK;
}

/* Ramps and colliders that move; at a kink, of the piece that begins. */
static void force_rate(sn_world *world, double t, const double *x, const double *v, double *dfdt) {
    const int n = 3 * world->model.node_count;
    const sn_parameters *p = &world->parameters;
    memset(dfdt, 0, (size_t)n * sizeof *dfdt);
    for (int i = 0; i < world->model.load_count; ++i) {
        double rate;
        sn_ramp_value(&world->model.load[i].ramp, nextafter(t, INFINITY), p->is_static, &rate);
        if (rate != 0) sn_load_force(&world->model.load[i], rate, x, dfdt);
    }
    const double e = 1e-5 * p->time.step;
    double *moved = world->workspace.product;
    for (int i = 0; i < p->collider_count; ++i) {
        const sn_contact_nodes pushed = sn_world_pushed(world, i);
        if (p->collider[i].key_count == 0 || pushed.count == 0) continue;
        for (int side = 0; side < 2; ++side) {
            memset(moved, 0, (size_t)n * sizeof *moved);
            sn_penalty_force(&p->collider[i], &p->penalty[i], &pushed, t + (side + 1) * e, x, v, NULL, moved);
            for (int k = 0; k < n; ++k) dfdt[k] += (side ? 1 : -1) * moved[k] / e;
        }
    }
}

/* ---- Linearisation ---- */
/* `here`: cores, warped frames and rotations are those of the place already. */
static void linearise(sn_world *world, const sn_request *request, bool here) {
    sn_workspace *work = &world->workspace;
    const sn_parameters *p = &world->parameters;
    const bool exact = p->method->exact;
    const double t = request->t, *x = request->x, *v = p->no_inertia ? NULL : request->v;
    sn_elements_project(&world->model.solid->elements, request->linearise == SN_LINEARISE_PROJECTED);
    sn_block_list *K = &work->stiffness, *D = &work->damping;
    K->count = D->count = 0;
    if (!here) sn_cores_modes(world, x);
    if (!here && p->no_inertia) sn_world_warp(world, x);
    for (int i = 0; i < world->model.load_count; ++i) {
        const sn_load_term *load = &world->model.load[i];
        const size_t at = (size_t)K->count;
        K->count += sn_load_blocks(load, sn_ramp_value(&load->ramp, t, p->is_static, NULL), x, !exact, K->row + at, K->column + at,
                                   K->value + 9 * at);
    }
    for (int i = 0; i < p->collider_count; ++i) {
        const size_t k = (size_t)K->count, d = (size_t)D->count;
        const sn_penalty penalty = penalty_of(world, i, request->ahead);
        const sn_contact_nodes pushed = sn_world_pushed(world, i);
        const int count = sn_penalty_blocks(&p->collider[i], &penalty, &pushed, t, x, v, !exact, friction_of(world, i), K->row + k,
                                            K->value + 9 * k, D->value + 9 * d);
        memcpy(K->column + k, K->row + k, (size_t)count * sizeof *K->row);
        memcpy(D->row + d, K->row + k, (size_t)count * sizeof *K->row);
        memcpy(D->column + d, K->row + k, (size_t)count * sizeof *K->row);
        K->count += count, D->count += count;
    }
    sn_projection_blocks(&work->projection, world->state.contact, t, v, D);
    sn_grab_blocks(world, K, D);
    sn_element_view view = sn_world_view(world, x, v);
    if (here && p->method->implicit) view.kept = sn_linear_kept(work->linear);
    sn_linear_linearise(work->linear, &view, K->count ? K : NULL, D->count ? D : NULL, world->model.solid->rayleigh);
    sn_linearisation_renew(&work->system.linearisation.base,
                           D->count || world->model.solid->rayleigh || sn_elements_damped(&world->model.solid->elements));
}

static sn_world *world_at(sn_linearisation *linearisation) { return ((sn_world_linearisation *)linearisation)->world; }

static void product(sn_linearisation *self, double m, double d, double k, const double *u, double *out) {
    sn_linear_product(world_at(self)->workspace.linear, m, d, k, u, out);
}

static sn_status solve(sn_linearisation *self, const sn_solve *s, sn_linear_report *report, sn_error *error) {
    sn_world *world = world_at(self);
    sn_linear *linear = world->workspace.linear;
    if (s->expected > 0) sn_linear_expect(linear, s->expected, s->direction);
    const sn_status status = sn_linear_solve(linear, s->m, s->d, s->k, sn_world_filter(world), s->b, s->x, s->tolerance, report, error);
    if (!world->model.link_count || (status && status != SN_NOT_CONVERGED)) return status;
    const sn_status linked = sn_links_solve(world, s->m, s->d, s->k, s->x, s->tolerance, report, error);
    return linked ? linked : status;
}

/* ---- Requests ---- */
/* Laws that need J > 0 say so when they are asked for their energy. */
static sn_status check(sn_world *world, const double *x, sn_error *error) {
    if (!world->model.solid->positive) return SN_OK;
    const sn_element_view view = sn_world_view(world, x, NULL);
    double energy;
    return sn_elements_energy(world->context, &world->model.solid->elements, &view, world->workspace.partial, &energy, error);
}

static sn_status evaluate(sn_system *system, const sn_request *request, sn_result *result, sn_error *error) {
    sn_world *world = world_of(system);
    result->linearisation = &world->workspace.system.linearisation.base;
    if (request->check) return check(world, request->x, error);
    sn_status status = request->force ? force(world, request, error) : SN_OK;
    result->scale = world->workspace.force_scale;
    if (!status && request->energy) status = potential(world, request->t, request->x, request->energy, error);
    if (status) return status;
    if (request->rate) force_rate(world, request->t, request->x, request->v, request->rate);
    if (request->linearise) linearise(world, request, request->here || request->force);
    return SN_OK;
}

sn_status sn_world_forces(sn_world *world, sn_error *error) {
    const sn_request request = {.t = world->state.time, .x = world->state.x, .v = world->state.v, .force = world->workspace.force};
    return force(world, &request, error);
}

/* ---- Mass, constraints ---- */
static void mass_product(sn_system *system, const double *v, double *out) {
    sn_linear_mass_product(world_of(system)->workspace.linear, v, out);
}

static sn_status mass_solve(sn_system *system, const double *f, double *out, sn_error *error) {
    sn_world *world = world_of(system);
    return sn_linear_mass_solve(world->workspace.linear, sn_world_filter(world), f, out, error);
}

static void constrain(sn_system *system, double t, double *x, double *v, double *a) {
    if (x || v) sn_constraints_apply(world_of(system), t, x, v);
    if (a) sn_constraints_acceleration(world_of(system), t, a);
}

static void retract(sn_system *system, double *x) { sn_cores_retract(world_of(system), x, NULL); }
static void filter(sn_system *system, double *u) { sn_filter_apply(sn_world_filter(world_of(system)), u); }

/* The largest eigenvalue of M^-1 A by the power method from a fixed start. Its estimates come from below; the margin makes up for it. */
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
        sn_linear_product(world->workspace.linear, 0, d, k, u, w);
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
/* The present normal forces into the memory of friction; whether they have changed by more than a part in 50. */
static bool lag(sn_world *world, double t, const double *x, const double *v) {
    const sn_parameters *p = &world->parameters;
    double square = 0, change = 0;
    for (int i = 0; i < p->collider_count; ++i) {
        const sn_contact_nodes pushed = sn_world_pushed(world, i);
        if (p->penalty[i].friction > 0)
            sn_penalty_lag(&p->collider[i], &p->penalty[i], &pushed, t, x, v, friction_of(world, i), &square, &change);
    }
    return change > 4e-4 * square;
}

static void begin_friction(sn_world *world, double t, const double *x, const double *v) {
    sn_workspace *work = &world->workspace;
    const sn_parameters *p = &world->parameters;
    bool rough = false;
    for (int i = 0; i < p->collider_count; ++i) rough = rough || (sn_world_pushed(world, i).count > 0 && p->penalty[i].friction > 0);
    work->frictional = rough && p->method->implicit && !p->method->exact && !p->no_inertia;
    work->friction_rounds = 0;
    if (!work->frictional) return;
    memset(work->friction, 0, (size_t)p->collider_count * (size_t)world->model.surface.count * sizeof *work->friction);
    lag(world, t, x, v);
}

static bool renew(sn_system *system, double t, const double *x, const double *v) {
    enum { ROUNDS = 6 };
    sn_workspace *work = &world_of(system)->workspace;
    return work->frictional && work->friction_rounds++ < ROUNDS && lag(work->system.world, t, x, v);
}

static bool begin(sn_system *system, double t, const double *x, const double *v) {
    sn_world *world = world_of(system);
    sn_world_warp(world, x);
    sn_vector_copy(world->context, system->count, x, world->workspace.x_before);
    begin_friction(world, t, x, v);
    sn_links_begin(world, t, x);
    sn_projection_begin(&world->workspace.projection, &world->workspace.filter, t, x, world->state.contact);
    return world->workspace.settles;
}

static void reject(sn_system *system) {
    sn_world *world = world_of(system);
    world->workspace.frictional = false;
    sn_projection_reject(&world->workspace.projection, world->state.contact);
    sn_links_reject(world);
}

static void accept(sn_system *system, double t, const double *x, const double *v) {
    (void)t, (void)v;
    sn_world *world = world_of(system);
    world->workspace.frictional = false;
    if (world->state.rotation_count > 0) {
        const sn_element_view view = sn_world_view(world, x, NULL);
        sn_elements_accept(world->context, &world->model.solid->elements, &view, world->state.rotation);
        /* The linearisation looks at the rotations' past. */
        sn_linearisation_forget(&world->workspace.system.linearisation.base);
    }
    sn_world_warp(world, x);
    sn_vector_copy(world->context, system->count, x, world->workspace.x_before);
    sn_projection_end(&world->workspace.projection);
    sn_links_end(world);
}

/* A step that took a node through a collider is refused, so that a smaller one sees them meet. */
static sn_status check_passed(const sn_world *world, double t, double h, const double *x0, const double *x, sn_error *error) {
    const sn_parameters *p = &world->parameters;
    const sn_contact_nodes *surface = &world->model.surface;
    for (int c = 0; c < p->collider_count && !p->no_inertia; ++c)
        for (int i = 0; i < surface->count; ++i) {
            const size_t at = 3 * (size_t)surface->node[i];
            if (sn_collider_passed(&p->collider[c], t, x0 + at, t + h, x + at))
                return sn_fail(error, SN_NOT_CONVERGED, "a node passed through colliders.%d in the step from t = %g s to %g s", c, t,
                               t + h);
        }
    return SN_OK;
}

/* The reactions R = M (v - v0) / h - f decide which contacts stay. */
static sn_status settle(sn_system *system, double t, double h, const double *x0, const double *v0, double *x, double *v, bool *settled,
                        sn_error *error) {
    sn_world *world = world_of(system);
    sn_workspace *work = &world->workspace;
    const sn_parameters *p = &world->parameters;
    const int n = system->count;
    double *reaction = work->force;
    const sn_status passed = check_passed(world, t, h, x0, x, error);
    if (passed) return passed;
    sn_projection_step step = {.t = t, .h = h, .x0 = x0, .x = x, .v = p->no_inertia ? NULL : v};
    if (work->projection.count > 0) {
        const sn_status status = force(world, &(sn_request){.t = t + h, .x = x, .v = v, .force = reaction}, error);
        if (status) return status;
        double scale = work->force_scale;
        memset(work->product, 0, (size_t)n * sizeof *work->product);
        if (!p->no_inertia) {
            for (int i = 0; i < n; ++i) work->scaled[i] = (v[i] - v0[i]) / h;
            mass_product(system, work->scaled, work->product);
            scale = fmax(scale, norm(world, work->product));
        }
        for (int i = 0; i < n; ++i) reaction[i] = work->product[i] - reaction[i];
        step.reaction = reaction;
        step.noise = (p->time.newton.tolerance + p->solver.tolerance) * scale;
    }
    *settled = sn_projection_settle(&work->projection, &work->filter, &step, world->state.contact);
    if (*settled) sn_links_settle(world, t + h, x);
    return SN_OK;
}

const sn_linearisation_table sn_world_linearisation_table = {.product = product, .solve = solve, .spectrum = spectrum};

const sn_system_table sn_world_table = {.mass_product = mass_product,
                                        .mass_solve = mass_solve,
                                        .evaluate = evaluate,
                                        .constrain = constrain,
                                        .retract = retract,
                                        .filter = filter,
                                        .begin = begin,
                                        .settle = settle,
                                        .accept = accept,
                                        .reject = reject,
                                        .renew = renew};
