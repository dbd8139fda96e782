/* Worlds: creation and release. */
#include "world.h"

#include <string.h>

const sn_listing *sn_element_names(int *count) { return sn_elements(count); }

/* Each part needs those before it. */
static sn_status build(sn_world *world, const sn_world_options *options, sn_error *error) {
    sn_status status = sn_world_options_check(options, error);
    if (!status) status = sn_parameters_create(world, options, error);
    if (!status) status = sn_model_create(world, options, error);
    if (!status) status = sn_model_fixes(world, options, error);
    if (!status) status = sn_model_cores(world, options, error);
    if (!status) status = sn_model_loads(world, options, error);
    if (!status) status = sn_model_links(world, options, error);
    if (!status && options->collider_count > 0) status = sn_model_surface(world, error);
    if (!status) status = sn_solid_create(world, &world->model.solid, error);
    if (!status) status = sn_model_probes(world, options, error);
    if (!status) status = sn_state_create(world, &world->state, error);
    if (status) return status;
    sn_model_cores_mass(world);
    status = sn_workspace_create(world, error);
    if (status) return status;
    for (int b = 0; b < world->model.body_count; ++b) sn_initial_apply(world, b, &options->body[b].initial);
    status = sn_constraints_update(world, error);
    if (!status && world->parameters.no_inertia) status = sn_rigid_check(world, error);
    if (!status && world->parameters.no_inertia) status = sn_parameters_stiff(world, error);
    if (!status) status = sn_elements_parameters(&world->model.solid->elements, world->parameters.material, 0, error);
    if (status) return status;
    sn_parameters_contact(world);
    memcpy(world->workspace.x_before, world->state.x, (size_t)world->model.node_count * 3 * sizeof(double));
    sn_constraints_apply(world, 0, world->state.x, world->state.v);
    memcpy(world->workspace.x_before, world->state.x, (size_t)world->model.node_count * 3 * sizeof(double));
    sn_state_rotations(world);
    sn_world_warp(world, world->state.x);
    return SN_OK;
}

sn_status sn_world_create(sn_context *context, const sn_world_options *options, sn_world **world, sn_error *error) {
    *world = NULL;
    sn_world *w = sn_allocate_zero(context, 1, sizeof *w);
    if (!w) return sn_no_memory(error);
    w->context = context;
    const sn_status status = build(w, options, error);
    if (status) {
        sn_world_destroy(w);
        return status;
    }
    *world = w;
    return SN_OK;
}

void sn_world_destroy(sn_world *world) {
    if (!world) return;
    sn_workspace_destroy(world);
    sn_state_destroy(world->context, &world->state);
    sn_model_destroy(world);
    sn_parameters_destroy(world);
    sn_release(world->context, world);
}

void sn_world_watch(sn_world *world, bool (*progress)(void *user, double fraction), void *user) {
    world->progress = progress;
    world->user = user;
}
