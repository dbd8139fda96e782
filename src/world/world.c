/* Worlds: creation and release. */
#include "inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixes.h"

const sn_listing *sn_element_names(int *count) { return sn_elements(count); }

/* Each part needs those before it. */
static sn_status build(sn_world *world, const sn_world_options *options, sn_error *error) {
    sn_status status = sn_world_options_check(options, error);
    if (!status) status = sn_parameters_create(world->context, options, &world->parameters, error);
    if (!status) status = sn_model_create(world->context, options, &world->model, error);
    if (!status) status = sn_adaptive_create(world, options, error);
    if (!status) status = sn_solid_create(world, NULL, &world->solid, error);
    if (!status)
        status = sn_element_settings_create(world->context, &world->solid->elements, world->parameters.material, 0,
                                            &world->parameters.elements, error);
    if (!status) status = sn_interactions_create(world, options, error);
    if (!status) status = sn_probes_create(world, options, error);
    sn_state state = {0};
    if (!status) status = sn_state_create(world, &state, error);
    if (!status) sn_world_adopt(world, &state);
    if (!status) status = sn_workspace_create(world, error);
    return status;
}

/* Sets the state at time 0. */
static sn_status start(sn_world *world, const sn_world_options *options, sn_error *error) {
    const size_t bytes = (size_t)world->model->node_count * 3 * sizeof(double);
    sn_interactions_adapt(world);
    sn_interactions_arrive(world, world->model->rest);
    for (int b = 0; b < world->model->body_count; ++b) sn_initial_apply(world, b, &options->body[b].initial);
    if (world->adaptive) sn_adaptive_note(world);
    sn_active_follow(world->solid->active, world->state.v);
    sn_details_settle(world);
    sn_status status = sn_fixes_update(world, error);
    if (!status && world->parameters.method->implicit)
        status = sn_workspace_allows(world, &world->parameters.solver, world->parameters.method, error);
    if (!status) status = sn_adaptive_allows(world, &world->parameters.solver, error);
    if (!status && world->parameters.no_inertia) status = sn_rigid_check(world, error);
    if (!status && world->parameters.no_inertia) status = sn_parameters_stiff(world, error);
    if (status) return status;
    memcpy(world->workspace.x_before, world->state.x, bytes);
    sn_world_constrain(world, 0, world->state.x, world->state.v, NULL);
    memcpy(world->workspace.x_before, world->state.x, bytes);
    sn_world_rotations(world);
    sn_memory_start(world);
    return sn_interactions_start(world, error);
}

sn_status sn_world_create(sn_context *context, const sn_world_options *options, sn_world **world, sn_error *error) {
    *world = NULL;
    sn_world *w = sn_allocate_zero(context, 1, sizeof *w);
    if (!w) return sn_no_memory(error);
    w->context = context;
    sn_status status = build(w, options, error);
    if (!status) status = start(w, options, error);
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
    sn_probes_destroy(world);
    sn_interactions_destroy(world);
    sn_solid_destroy(world->context, world->solid);
    sn_adaptive_destroy(world);
    sn_model_destroy(world->context, world->model);
    sn_parameters_destroy(world->context, &world->parameters);
    sn_release(world->context, world);
}

void sn_world_watch(sn_world *world, bool (*progress)(void *user, double fraction), void *user) {
    world->progress = progress;
    world->user = user;
}

void sn_world_edited(sn_world *world) {
    sn_state_forget(&world->state, "history");
    sn_workspace_forget(world);
}
