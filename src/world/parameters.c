/* Parameters: what may be edited between steps. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "world.h"

/* ---- Materials: own copies of keys ---- */
static void release_material(sn_context *context, sn_material *material) {
    for (int i = 0; i < material->constant_count; ++i) {
        sn_release(context, (void *)(uintptr_t)material->constant[i].key);
        material->constant[i].key = NULL;
    }
}

static sn_status copy_material(sn_context *context, const sn_material *source, sn_material *material, sn_error *error) {
    *material = *source;
    for (int i = 0; i < material->constant_count; ++i) material->constant[i].key = NULL;
    for (int i = 0; i < source->constant_count; ++i) {
        const int count = source->constant[i].key_count;
        if (count <= 0) continue;
        double *key = sn_allocate(context, (size_t)count * 2, sizeof *key);
        if (!key) {
            release_material(context, material);
            return sn_no_memory(error);
        }
        memcpy(key, source->constant[i].key, (size_t)count * 2 * sizeof *key);
        material->constant[i].key = key;
    }
    return SN_OK;
}

static sn_status take_materials(sn_world *world, const sn_world_options *options, sn_error *error) {
    sn_parameters *p = &world->parameters;
    int count = 0;
    for (int b = 0; b < options->body_count; ++b) count += options->body[b].material_count > 0 ? options->body[b].material_count : 1;
    p->material = sn_allocate_zero(world->context, (size_t)count, sizeof *p->material);
    if (!p->material) return sn_no_memory(error);
    const sn_material fallback = sn_material_default();
    for (int b = 0; b < options->body_count; ++b) {
        const sn_body_options *body = &options->body[b];
        const int own = body->material_count > 0 ? body->material_count : 1;
        for (int m = 0; m < own; ++m) {
            const sn_material *source = body->material_count > 0 ? &body->material[m] : &fallback;
            sn_status status = sn_material_check(world->context, source, error);
            if (status) return sn_prefix(error, status, body->name ? body->name : "body", "material", m);
            if (source->prony_count > 0)
                return sn_fail(error, SN_UNSUPPORTED, "body '%s': material.%d has prony terms, which this version cannot integrate",
                               body->name ? body->name : "body", m);
            status = copy_material(world->context, source, &p->material[p->material_count], error);
            if (status) return status;
            ++p->material_count;
        }
    }
    return SN_OK;
}

static sn_status take_colliders(sn_world *world, const sn_world_options *options, sn_error *error) {
    sn_parameters *p = &world->parameters;
    p->collider = sn_allocate_zero(world->context, (size_t)options->collider_count, sizeof *p->collider);
    p->penalty = sn_allocate_zero(world->context, (size_t)options->collider_count, sizeof *p->penalty);
    if (!p->collider || !p->penalty) return sn_no_memory(error);
    for (int i = 0; i < options->collider_count; ++i) {
        sn_status status = sn_collider_check(&options->collider[i], i, error);
        if (!status) status = sn_collider_copy(world->context, &options->collider[i], &p->collider[i], error);
        if (status) return status;
        ++p->collider_count;
    }
    return SN_OK;
}

static sn_status take_time(sn_parameters *p, const sn_time_options *options, sn_error *error) {
    const sn_status status = sn_time_options_check(options, error);
    if (status) return status;
    const sn_method *method = sn_method_choose(options);
    if (!method) return sn_fail(error, SN_BAD_INPUT, "mode '%.31s' with method '%.31s' is unknown", options->mode, options->method);
    p->time = *options;
    p->method = method;
    p->is_static = strcmp(options->mode, "static") == 0;
    p->no_inertia = p->is_static || strcmp(options->mode, "quasi-static") == 0;
    return SN_OK;
}

sn_status sn_parameters_create(sn_world *world, const sn_world_options *options, sn_error *error) {
    sn_parameters *p = &world->parameters;
    memcpy(p->gravity, options->gravity, sizeof p->gravity);
    p->solver = options->solver;
    sn_status status = take_time(p, &options->time, error);
    if (!status) status = take_materials(world, options, error);
    if (!status) status = take_colliders(world, options, error);
    return status;
}

void sn_parameters_destroy(sn_world *world) {
    sn_parameters *p = &world->parameters;
    for (int i = 0; i < p->material_count; ++i) release_material(world->context, &p->material[i]);
    for (int i = 0; i < p->collider_count; ++i) sn_collider_release(world->context, &p->collider[i]);
    sn_element_settings_release(world->context, &p->elements);
    sn_release(world->context, p->material);
    sn_release(world->context, p->collider);
    sn_release(world->context, p->penalty);
}

bool sn_parameters_keyed(const sn_parameters *p) {
    for (int m = 0; m < p->material_count; ++m)
        for (int c = 0; c < p->material[m].constant_count; ++c)
            if (p->material[m].constant[c].key_count > 0) return true;
    return false;
}

double sn_parameters_modulus(sn_context *context, const sn_material *material) {
    const double small = 1e-6;
    double largest = 0;
    for (int a = 0; a < 3; ++a) {
        double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, P[9];
        F[4 * a] += small;
        if (sn_material_evaluate(context, material, F, NULL, P, NULL, NULL) == SN_OK) largest = fmax(largest, P[4 * a] / small);
    }
    return largest;
}

sn_status sn_parameters_stiff(const sn_world *world, sn_error *error) {
    const double small = 1e-6;
    for (int b = 0; b < world->model.body_count; ++b)
        for (int m = 0; m < world->model.body[b].material_count; ++m) {
            const sn_material *material = sn_world_material(world, b, m);
            const double F[9] = {1, small, 0, 0, 1, small, small, 0, 1};
            double P[9] = {0};
            const sn_status status = sn_material_evaluate(world->context, material, F, NULL, P, NULL, error);
            if (status) return status;
            if (P[1] == 0 || P[5] == 0 || P[6] == 0)
                return sn_fail(error, SN_BAD_INPUT,
                               "body '%s': material.%d has no stiffness in shear; a modulus of 0 is for mode 'dynamic'",
                               world->model.body[b].name, m);
        }
    return SN_OK;
}

/* Default stiffness: ten times that of the material behind a surface node, (lambda + 2 mu) / l with l the root of the mean node area, and
 * at least so much that the weight of the largest body presses it in by less than a thousandth of its size; stiffening from a hundredth of
 * its size on. One that was asked for stays linear. */
void sn_parameters_contact(sn_world *world) {
    sn_parameters *p = &world->parameters;
    const sn_contact_nodes *surface = &world->model.surface;
    double area = 0, modulus = 0, density = 0;
    for (int i = 0; i < surface->count; ++i) {
        area += surface->area[i];
        surface->mass[i] = fabs(world->model.solid->weight[surface->node[i]]);
    }
    if (surface->count > 0) area /= surface->count;
    for (int i = 0; i < p->material_count; ++i) {
        modulus = fmax(modulus, sn_parameters_modulus(world->context, &p->material[i]));
        density = fmax(density, p->material[i].density);
    }
    for (int i = 0; i < p->collider_count; ++i) {
        const double stiff = area > 0 ? 10 * modulus / sqrt(area) : 0, heavy = 1000 * density * sn_norm3(p->gravity);
        p->penalty[i] = (sn_penalty){.stiffness = p->collider[i].stiffness > 0 ? p->collider[i].stiffness : fmax(stiff, heavy),
                                     .depth = p->collider[i].stiffness > 0 ? 0 : 0.01 * world->model.size,
                                     .damping = p->collider[i].damping,
                                     .friction = p->collider[i].friction,
                                     .slip = 1e-3 * world->model.size};
    }
}

void sn_world_set_gravity(sn_world *world, const double gravity[3]) {
    for (int a = 0; a < 3; ++a)
        if (!isfinite(gravity[a])) return;
    memcpy(world->parameters.gravity, gravity, sizeof world->parameters.gravity);
    world->workspace.system.base.kept = 0;
    sn_parameters_contact(world);
}

sn_time_options sn_world_time_options(const sn_world *world) { return world->parameters.time; }
sn_solver_options sn_world_solver_options(const sn_world *world) { return world->parameters.solver; }

/* A state and scratch of the new method's size; positions and velocities are kept, its history starts anew. */
static sn_status change_method(sn_world *world, sn_error *error) {
    sn_state state = {0};
    sn_linear *linear = NULL;
    sn_status status = sn_state_create(world, &state, error);
    if (!status) status = sn_workspace_linear(world, world->model.solid, &linear, error);
    if (!status) status = sn_workspace_method(world, error);
    if (status) {
        sn_state_destroy(world->context, &state);
        sn_linear_destroy(linear);
        return status;
    }
    memcpy(state.value, world->state.value, (size_t)(state.history - state.value) * sizeof *state.value);
    memcpy(state.rotation, world->state.rotation, (size_t)state.rotation_count * sizeof *state.rotation);
    state.time = world->state.time, state.steps = world->state.steps;
    sn_state_destroy(world->context, &world->state);
    sn_linear_destroy(world->workspace.linear);
    world->state = state;
    world->workspace.linear = linear;
    world->workspace.constraints_changed = true;
    return SN_OK;
}

/* Compiles the solid again and keeps positions and velocities, and the history unless the method changed; rotations start from rest. */
static sn_status recompile(sn_world *world, bool same_method, sn_error *error) {
    const sn_solid *solid = NULL, *old = world->model.solid;
    sn_linear *linear = NULL;
    sn_element_settings settings = {0};
    sn_state state = {0};
    double *partial = NULL, *vertex_rotation = NULL;
    sn_status status = sn_solid_create(world, &solid, error);
    if (!status)
        status =
            sn_element_settings_create(world->context, &solid->elements, world->parameters.material, world->state.time, &settings, error);
    if (!status) status = sn_workspace_linear(world, solid, &linear, error);
    if (!status) status = sn_world_warping_room(world, solid, &vertex_rotation, error);
    if (!status) {
        partial = sn_allocate_zero(world->context, (size_t)solid->elements.chunk_count, sizeof *partial);
        if (!partial) status = sn_no_memory(error);
    }
    world->model.solid = solid;
    if (!status) status = sn_state_create(world, &state, error);
    if (!status) status = sn_workspace_method(world, error);
    if (status) {
        world->model.solid = old;
        sn_state_destroy(world->context, &state);
        sn_release(world->context, partial);
        sn_release(world->context, vertex_rotation);
        sn_linear_destroy(linear);
        sn_element_settings_release(world->context, &settings);
        sn_solid_destroy(world->context, solid);
        return status;
    }
    const int64_t kept = 10 * (int64_t)state.nodes + (same_method ? state.history_count : 0);
    memcpy(state.value, world->state.value, (size_t)kept * sizeof *state.value);
    state.time = world->state.time, state.steps = world->state.steps;
    state.base_time = world->state.base_time, state.base_steps = world->state.base_steps;
    sn_state_destroy(world->context, &world->state);
    world->state = state;
    sn_release(world->context, world->workspace.partial);
    world->workspace.partial = partial;
    sn_release(world->context, world->workspace.vertex_rotation);
    world->workspace.vertex_rotation = vertex_rotation;
    sn_linear_destroy(world->workspace.linear);
    world->workspace.linear = linear;
    sn_element_settings_release(world->context, &world->parameters.elements);
    world->parameters.elements = settings;
    sn_solid_destroy(world->context, old);
    world->workspace.constraints_changed = true;
    sn_model_cores_mass(world);
    sn_state_rotations(world);
    sn_world_warp(world, world->state.x);
    return SN_OK;
}

bool sn_parameters_exact(const sn_parameters *parameters) { return parameters->method->exact || parameters->no_inertia; }

sn_status sn_world_set_time(sn_world *world, const sn_time_options *options, sn_error *error) {
    sn_parameters *p = &world->parameters;
    const sn_parameters before = *p;
    sn_status status = take_time(p, options, error);
    if (!status) status = sn_links_method(world, p->method, error);
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
    world->state.base_time = world->state.time;
    world->state.base_steps = world->state.steps;
    world->workspace.system.base.kept = 0;
    return SN_OK;
}

sn_status sn_world_set_solver(sn_world *world, const sn_solver_options *options, sn_error *error) {
    sn_status status = sn_solver_options_check(options, error);
    if (!status) status = sn_linear_options(world->workspace.linear, options, error);
    if (status) return status;
    world->parameters.solver = *options;
    world->workspace.system.base.kept = 0;
    return SN_OK;
}

/* ---- Materials ---- */
const sn_material *sn_world_material(const sn_world *world, int body, int index) {
    if (body < 0 || body >= world->model.body_count || index < 0 || index >= world->model.body[body].material_count) return NULL;
    return &world->parameters.material[world->model.body[body].material_first + index];
}

/* Whether the batches, the mass and the state's layout stay. */
static bool same_kind(const sn_material *a, const sn_material *b) {
    return strcmp(a->law, b->law) == 0 && strcmp(a->rotation, b->rotation) == 0 && strcmp(a->differential, b->differential) == 0 &&
           a->density == b->density && a->rayleigh[0] == b->rayleigh[0] && a->alpha == b->alpha && a->beta == b->beta &&
           strcmp(a->warping, b->warping) == 0 && a->ghost_correction == b->ghost_correction;
}

sn_status sn_world_set_material(sn_world *world, int body, int index, const sn_material *material, sn_error *error) {
    if (!sn_world_material(world, body, index)) return sn_fail(error, SN_BAD_INPUT, "there is no material %d of body %d", index, body);
    sn_status status = sn_material_check(world->context, material, error);
    if (status) return sn_prefix(error, status, world->model.body[body].name, "material", index);
    if (material->prony_count > 0)
        return sn_fail(error, SN_UNSUPPORTED, "body '%s': prony terms cannot be integrated by this version", world->model.body[body].name);
    sn_material *own = &world->parameters.material[world->model.body[body].material_first + index], old = *own, copy;
    status = copy_material(world->context, material, &copy, error);
    if (status) return status;
    *own = copy;
    if (same_kind(&old, &copy))
        status = sn_solid_settings(world, world->state.time, error);
    else
        status = recompile(world, true, error);
    if (status) {
        release_material(world->context, own);
        *own = old;
        return status;
    }
    release_material(world->context, &old);
    world->workspace.system.base.kept = 0;
    sn_linear_refresh(world->workspace.linear);
    sn_parameters_contact(world);
    return SN_OK;
}

sn_status sn_world_pin(sn_world *world, int body, int32_t node, bool pinned, sn_error *error) {
    if (body < 0 || body >= world->model.body_count)
        return sn_fail(error, SN_BAD_INPUT, "body %d; the world has %d", body, world->model.body_count);
    const sn_body *b = &world->model.body[body];
    if (node < 0 || node >= b->mesh->node_count)
        return sn_fail(error, SN_BAD_INPUT, "body '%s' has nodes 0 to %d, not %d", b->name, b->mesh->node_count - 1, node);
    if (pinned && sn_cores_hold(world, world->model.compiled[b->node_first + node]))
        return sn_fail(error, SN_BAD_INPUT, "body '%s': node %d belongs to a rigid core and cannot be pinned", b->name, node);
    double *own = &world->state.pinned[world->model.compiled[b->node_first + node]], before = *own;
    *own = pinned ? 1 : 0;
    const sn_status status = sn_constraints_update(world, error);
    if (status) {
        *own = before;
        return status;
    }
    sn_constraints_apply(world, world->state.time, NULL, world->state.v);
    memset(world->state.history, 0, (size_t)world->state.history_count * sizeof *world->state.history);
    world->workspace.system.base.kept = 0;
    return SN_OK;
}

bool sn_world_pinned(const sn_world *world, int body, int32_t node) {
    if (body < 0 || body >= world->model.body_count || node < 0 || node >= world->model.body[body].mesh->node_count) return false;
    return world->state.pinned[world->model.compiled[world->model.body[body].node_first + node]] != 0;
}
