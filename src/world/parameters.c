/* Parameters: gravity, options and materials, which may be edited between steps. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "fibres.h"
#include "inside.h"

/* ---- Materials: the parameters own copies of the keys ---- */
static void release_material(sn_context *context, sn_material *material) {
    for (int i = 0; i < material->constant_count; ++i) {
        sn_release(context, (void *)(uintptr_t)material->constant[i].key);
        material->constant[i].key = NULL;
    }
    sn_release(context, (void *)(uintptr_t)material->muscle.key);
    material->muscle.key = NULL;
}

/* A copy of `count` keys of two numbers each; NULL when memory is short. */
static const double *copy_keys(sn_context *context, const double *source, int count) {
    double *key = sn_allocate(context, (size_t)count * 2, sizeof *key);
    if (key) memcpy(key, source, (size_t)count * 2 * sizeof *key);
    return key;
}

static sn_status copy_material(sn_context *context, const sn_material *source, sn_material *material, sn_error *error) {
    *material = *source;
    material->muscle.key = NULL;
    for (int i = 0; i < material->constant_count; ++i) material->constant[i].key = NULL;
    bool complete = true;
    for (int i = 0; i < source->constant_count && complete; ++i) {
        const int count = source->constant[i].key_count;
        if (count <= 0) continue;
        material->constant[i].key = copy_keys(context, source->constant[i].key, count);
        complete = material->constant[i].key;
    }
    if (complete && source->muscle.key_count > 0) {
        material->muscle.key = copy_keys(context, source->muscle.key, source->muscle.key_count);
        complete = material->muscle.key;
    }
    if (!complete) release_material(context, material);
    return complete ? SN_OK : sn_no_memory(error);
}

bool sn_parameters_keyed(const sn_parameters *p) {
    for (int m = 0; m < p->material_count; ++m)
        for (int c = 0; c < p->material[m].constant_count; ++c)
            if (p->material[m].constant[c].key_count > 0) return true;
    return false;
}

bool sn_parameters_activated(const sn_parameters *p) {
    for (int m = 0; m < p->material_count; ++m)
        if (p->material[m].muscle.key_count > 0) return true;
    return false;
}

static sn_status take_materials(sn_context *context, const sn_world_options *options, sn_parameters *p,
                                sn_error *error) {
    int count = 0;
    for (int b = 0; b < options->body_count; ++b)
        count += options->body[b].material_count > 0 ? options->body[b].material_count : 1;
    p->material = sn_allocate_zero(context, (size_t)count, sizeof *p->material);
    if (!p->material) return sn_no_memory(error);
    const sn_material fallback = sn_material_default();
    for (int b = 0; b < options->body_count; ++b) {
        const sn_body_options *body = &options->body[b];
        const int own = body->material_count > 0 ? body->material_count : 1;
        for (int m = 0; m < own; ++m) {
            const sn_material *source = body->material_count > 0 ? &body->material[m] : &fallback;
            sn_status status = sn_material_check(context, source, error);
            if (status) return sn_within(error, status, "bodies.%d.material.%d", b, m);
            status = copy_material(context, source, &p->material[p->material_count], error);
            if (status) return status;
            ++p->material_count;
        }
    }
    return SN_OK;
}

static sn_status take_time(sn_parameters *p, const sn_time_options *options, sn_error *error) {
    const sn_status status = sn_within(error, sn_time_options_check(options, error), "time");
    if (status) return status;
    const sn_method *method = sn_method_choose(options);
    if (!method)
        return sn_fail_at(error, SN_BAD_INPUT, "time.method", "mode '%.31s' with method '%.31s' is unknown",
                          options->mode, options->method);
    p->time = *options;
    p->method = method;
    p->is_static = strcmp(options->mode, "static") == 0;
    p->no_inertia = p->is_static || strcmp(options->mode, "quasi-static") == 0;
    return SN_OK;
}

sn_status sn_parameters_create(sn_context *context, const sn_world_options *options, sn_parameters *p,
                               sn_error *error) {
    memcpy(p->gravity, options->gravity, sizeof p->gravity);
    p->solver = options->solver;
    const sn_status status = take_time(p, &options->time, error);
    return status ? status : take_materials(context, options, p, error);
}

void sn_parameters_destroy(sn_context *context, sn_parameters *p) {
    for (int i = 0; i < p->material_count; ++i) release_material(context, &p->material[i]);
    sn_release(context, p->material);
    sn_element_settings_release(context, &p->elements);
}

double sn_parameters_modulus(sn_context *context, const sn_material *material) {
    const double small = 1e-6;
    double largest = 0;
    for (int a = 0; a < 3; ++a) {
        double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, P[9];
        F[4 * a] += small;
        if (sn_material_evaluate(context, material, F, NULL, P, NULL, NULL) == SN_OK)
            largest = fmax(largest, P[4 * a] / small);
    }
    return largest;
}

/* Without inertia there is no time that a frame could stay for. There are no velocities either. Statics has no time at
 * all: its answer is that of a damped body after a long time. */
static sn_status check_still(const sn_parameters *p, const sn_material *material, sn_error *error) {
    if (material->frames_every > 0)
        return sn_fail_at(error, SN_BAD_INPUT, "frames.every", "'frames.every' is for mode 'dynamic'");
    if (p->is_static) return SN_OK;
    if (material->viscous[0] != 0 || material->viscous[1] != 0)
        return sn_fail_at(
            error, SN_BAD_INPUT, "viscous",
            "'viscous' and the model 'kelvin-voigt' have no effect in time.mode '%s'; take mode 'dynamic'",
            p->time.mode);
    if (material->rayleigh[0] != 0 || material->rayleigh[1] != 0)
        return sn_fail_at(error, SN_BAD_INPUT, "rayleigh", "'rayleigh' has no effect in time.mode '%s'", p->time.mode);
    return SN_OK;
}

sn_status sn_parameters_stiff(const sn_world *world, sn_error *error) {
    const double small = 1e-6;
    for (int b = 0; b < world->model->body_count; ++b)
        for (int m = 0; m < world->model->body[b].material_count; ++m) {
            const sn_material *material = sn_world_material(world, b, m);
            const double F[9] = {1, small, 0, 0, 1, small, small, 0, 1};
            double P[9] = {0};
            sn_status status = check_still(&world->parameters, material, error);
            if (status) return sn_within(error, status, "bodies.%d.material.%d", b, m);
            status = sn_material_evaluate(world->context, material, F, NULL, P, NULL, error);
            if (status) return status;
            const sn_law *law = sn_law_find(world->context, material->law);
            if (P[1] == 0 || (!(law->flags & SN_LAW_CLOTH) && (P[5] == 0 || P[6] == 0)))
                return sn_within(
                    error,
                    sn_fail(error, SN_BAD_INPUT,
                            "the material has no stiffness in shear; a modulus of 0 is for mode 'dynamic'"),
                    "bodies.%d.material.%d", b, m);
        }
    return SN_OK;
}

sn_status sn_world_set_gravity(sn_world *world, const double gravity[3], sn_error *error) {
    for (int a = 0; a < 3; ++a)
        if (!isfinite(gravity[a]))
            return sn_fail_at(error, SN_BAD_INPUT, "gravity", "gravity [%g, %g, %g] is not finite", gravity[0],
                              gravity[1], gravity[2]);
    memcpy(world->parameters.gravity, gravity, sizeof world->parameters.gravity);
    sn_workspace_forget(world);
    sn_interactions_adapt(world);
    return SN_OK;
}

sn_time_options sn_world_time_options(const sn_world *world) { return world->parameters.time; }
sn_solver_options sn_world_solver_options(const sn_world *world) { return world->parameters.solver; }

/* ---- Changes that need a new solver or a new solid ---- */
/* Makes state, scratch and solver for a new method. The history of the method starts anew. */
static sn_status change_method(sn_world *world, sn_error *error) {
    sn_linear *linear = NULL;
    sn_status status = sn_workspace_linear(world, world->solid, &linear, error);
    if (!status) status = sn_world_relayout(world, error);
    if (status) {
        sn_linear_destroy(linear);
        return status;
    }
    sn_state_forget(&world->state, "history");
    sn_linear_destroy(world->workspace.linear);
    world->workspace.linear = linear;
    world->workspace.constraints_changed = true;
    return SN_OK;
}

/* A new solid and everything that must fit it. */
typedef struct compiled {
    const sn_solid *solid;
    sn_element_settings settings;
    sn_linear *linear;
    double *partial;
    sn_memory memory;
} compiled;

static sn_status compile(const sn_world *world, const sn_solid *before, compiled *c, sn_error *error) {
    sn_status status = sn_solid_create(world, before, &c->solid, error);
    if (!status)
        status = sn_element_settings_create(world->context, &c->solid->elements, world->parameters.material,
                                            world->state.time, &c->settings, error);
    if (!status) status = sn_workspace_linear(world, c->solid, &c->linear, error);
    if (!status)
        status = sn_memory_create(world->context, &c->solid->elements, world->model->node_count, &c->memory, error);
    if (status) return status;
    sn_solid_settle(world, c->solid);
    c->partial = sn_allocate_zero(world->context, (size_t)c->solid->elements.chunk_count, sizeof *c->partial);
    return c->partial ? SN_OK : sn_no_memory(error);
}

static compiled exchange(sn_world *world, compiled c) {
    const compiled old = {world->solid, world->parameters.elements, world->workspace.linear, world->workspace.partial,
                          world->workspace.memory};
    world->solid = c.solid, world->parameters.elements = c.settings, world->workspace.linear = c.linear;
    world->workspace.partial = c.partial, world->workspace.memory = c.memory;
    return old;
}

static void release_compiled(sn_context *context, compiled *c) {
    sn_linear_destroy(c->linear);
    sn_element_settings_release(context, &c->settings);
    sn_solid_destroy(context, c->solid);
    sn_release(context, c->partial);
    sn_memory_destroy(context, &c->memory);
}

sn_status sn_world_reactivate(sn_world *world, bool carry, sn_error *error) {
    compiled c = {0};
    const sn_status status = compile(world, world->solid, &c, error);
    if (!status) c = exchange(world, c);
    if (!status && carry) sn_adaptive_carry(world, c.solid, &c.settings);
    release_compiled(world->context, &c);
    if (!status) sn_workspace_forget(world);
    return status;
}

/* Compiles the solid again and keeps the state. Keeps the history too when the method is the same. Rotations start from
 * rest, and the memory of materials is forgotten. */
static sn_status recompile(sn_world *world, bool same_method, sn_error *error) {
    compiled c = {0};
    sn_status status = compile(world, NULL, &c, error);
    if (!status) {
        c = exchange(world, c);
        status = sn_world_relayout(world, error);
        if (status) c = exchange(world, c);
    }
    release_compiled(world->context, &c);
    if (status) return status;
    if (!same_method) sn_state_forget(&world->state, "history");
    world->workspace.constraints_changed = true;
    sn_interactions_adapt(world);
    sn_world_rotations(world);
    sn_memory_forget(world);
    return SN_OK;
}

bool sn_parameters_exact(const sn_parameters *parameters) {
    const sn_method *method = parameters->method;
    return method->exact || method->corrects || parameters->no_inertia ||
           (method->newton && sn_newton_converges(parameters->time.newton.kind));
}

sn_status sn_world_set_time(sn_world *world, const sn_time_options *options, sn_error *error) {
    sn_parameters *p = &world->parameters;
    const sn_parameters before = *p;
    sn_status status = take_time(p, options, error);
    if (!status) status = sn_interactions_allow(world, p->method, error);
    if (!status) status = sn_adaptive_allows(world, &p->solver, error);
    if (!status) status = sn_solid_allows(world, p->method, error);
    if (!status && p->method->implicit) status = sn_workspace_allows(world, &p->solver, p->method, error);
    if (!status && p->no_inertia && !before.no_inertia) status = sn_rigid_check(world, error);
    if (!status && p->no_inertia) status = sn_parameters_stiff(world, error);
    if (!status && sn_parameters_exact(p) != sn_parameters_exact(&before))
        status = recompile(world, false, error);
    else if (!status && (p->method != before.method || p->no_inertia != before.no_inertia))
        status = change_method(world, error);
    if (status) {
        *p = before;
        return status;
    }
    if (p->is_static != before.is_static) world->state.time = 0;
    if (p->is_static != before.is_static) sn_solid_activate(world, 0);
    world->state.base_time = world->state.time;
    world->state.base_steps = world->state.steps;
    sn_workspace_forget(world);
    return SN_OK;
}

sn_status sn_world_set_solver(sn_world *world, const sn_solver_options *options, sn_error *error) {
    sn_status status = sn_within(error, sn_solver_options_check(options, error), "solver");
    if (!status && world->parameters.method->implicit)
        status = sn_workspace_allows(world, options, world->parameters.method, error);
    if (!status) status = sn_adaptive_allows(world, options, error);
    if (!status) status = sn_linear_options(world->workspace.linear, options, error);
    if (status) return status;
    world->parameters.solver = *options;
    sn_workspace_forget(world);
    return SN_OK;
}

/* ---- Materials ---- */
const sn_material *sn_world_material(const sn_world *world, int body, int index) {
    if (sn_model_check_body(world->model, body, NULL) || index < 0 || index >= world->model->body[body].material_count)
        return NULL;
    return &world->parameters.material[world->model->body[body].material_first + index];
}

/* Of laws with a compact form that leaves a viscous stress out. */
static bool has_viscous_stress(const sn_material *material) {
    const sn_law *law = sn_law_find(NULL, material->law);
    return law && law->flags & (SN_LAW_UPDATED | SN_LAW_TURNED) &&
           (material->viscous[0] != 0 || material->viscous[1] != 0 || material->rayleigh[1] != 0);
}

/* What the hinges and limits of cloth and the rest shapes of its triangles follow from. */
static bool same_cloth(const sn_material *a, const sn_material *b) {
    const sn_constant *p = sn_material_constant(a, "direction"), *q = sn_material_constant(b, "direction");
    return (p == NULL) == (q == NULL) && (!p || memcmp(p->value, q->value, 3 * sizeof(double)) == 0) &&
           sn_material_bends(a) == sn_material_bends(b) && strcmp(a->bending_model, b->bending_model) == 0 &&
           (a->limit_strain > 0) == (b->limit_strain > 0) && a->area_density == b->area_density;
}

/* Whether batches, mass and the layout of the state stay the same. */
static bool same_kind(const sn_material *a, const sn_material *b) {
    return strcmp(a->law, b->law) == 0 && same_cloth(a, b) && has_viscous_stress(a) == has_viscous_stress(b) &&
           strcmp(a->rotation, b->rotation) == 0 && strcmp(a->differential, b->differential) == 0 &&
           a->density == b->density && a->rayleigh[0] == b->rayleigh[0] && a->prony_count == b->prony_count &&
           strcmp(a->prony_on, b->prony_on) == 0 && a->alpha == b->alpha && a->beta == b->beta &&
           a->frames_every == b->frames_every && a->frames_level == b->frames_level &&
           strcmp(a->warping, b->warping) == 0 && strcmp(a->warping_matrix, b->warping_matrix) == 0 &&
           a->ghost_correction == b->ghost_correction;
}

sn_status sn_world_set_material(sn_world *world, int body, int index, const sn_material *material, sn_error *error) {
    if (!sn_world_material(world, body, index))
        return sn_fail(error, SN_BAD_INPUT, "there is no material %d of body %d", index, body);
    sn_status status = sn_material_check(world->context, material, error);
    if (!status && world->parameters.no_inertia) status = check_still(&world->parameters, material, error);
    if (status) return sn_within(error, status, "bodies.%d.material.%d", body, index);
    sn_material *own = &world->parameters.material[world->model->body[body].material_first + index], old = *own, copy;
    status = sn_element_check_material(world->model->body[body].type, material, error);
    if (!status) status = sn_fibres_check(&world->model->body[body], index, material, error);
    status = sn_within(error, status, "bodies.%d.material.%d", body, index);
    if (!status) status = copy_material(world->context, material, &copy, error);
    if (status) return status;
    *own = copy;
    if (same_kind(&old, &copy))
        status = sn_solid_settings(world, world->state.time, error), sn_memory_refresh(world);
    else
        status = recompile(world, true, error);
    if (status) {
        release_material(world->context, own);
        *own = old;
        return status;
    }
    release_material(world->context, &old);
    sn_workspace_forget(world);
    sn_linear_refresh(world->workspace.linear);
    sn_interactions_adapt(world);
    return SN_OK;
}

sn_status sn_world_set_activation(sn_world *world, int body, int index, double activation, sn_error *error) {
    if (!sn_world_material(world, body, index))
        return sn_fail(error, SN_BAD_INPUT, "there is no material %d of body %d", index, body);
    const sn_body *owner = &world->model->body[body];
    if (!owner->muscle || !owner->muscle[index])
        return sn_fail(error, SN_BAD_INPUT, "material %d of body %d is no muscle: it has no fibres", index, body);
    const sn_status status = sn_muscle_check_activation(activation, error);
    if (status) return sn_within(error, status, "bodies.%d.material.%d", body, index);
    sn_muscle *muscle = &world->parameters.material[owner->material_first + index].muscle;
    sn_release(world->context, (void *)(uintptr_t)muscle->key);
    muscle->key = NULL, muscle->key_count = 0, muscle->period = 0;
    muscle->activation = activation;
    sn_solid_activate(world, world->state.time);
    sn_workspace_forget(world);
    return SN_OK;
}
