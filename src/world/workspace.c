/* The workspace: linear solver and scratch memory. See workspace.h. */
#include "workspace.h"

#include <string.h>

#include "inside.h"

sn_status sn_workspace_linear(const sn_world *world, const sn_solid *solid, sn_linear **linear, sn_error *error) {
    sn_linear_model model = solid->linear;
    const sn_linear *before = world->workspace.linear;
    const sn_kept *kept = solid->active && solid->active->kept.before ? &solid->active->kept : NULL;
    sn_kept_rows rows;
    if (kept)
        rows = (sn_kept_rows){sn_linear_pattern(before), kept->row, kept->node, sn_linear_map(before), kept->place};
    if (kept) model.kept = &rows;
    return sn_linear_create(world->context, &model, &world->parameters.solver, world->parameters.no_inertia, linear,
                            error);
}

sn_status sn_workspace_fit(sn_world *world, sn_error *error) {
    sn_workspace *work = &world->workspace;
    const int n = 3 * world->model->node_count;
    sn_status status = sn_interactions_reserve(world, &work->stiffness, &work->damping, error);
    if (status) return status;
    double *scratch =
        sn_allocate(world->context, (size_t)sn_control_scratch(world->parameters.method, n), sizeof *scratch);
    sn_state before = {0};
    status = scratch ? sn_state_create(world, &before, error) : sn_no_memory(error);
    if (!status)
        status = sn_grow(world->context, (void **)&work->own_before, &work->own_capacity, (int)before.own_count,
                         sizeof(double), error);
    if (status) {
        sn_release(world->context, scratch);
        sn_state_destroy(world->context, &before);
        return status;
    }
    sn_release(world->context, work->scratch);
    sn_state_destroy(world->context, &work->before);
    work->scratch = scratch;
    work->before = before;
    return SN_OK;
}

sn_status sn_workspace_create(sn_world *world, sn_error *error) {
    sn_workspace *work = &world->workspace;
    sn_context *context = world->context;
    const int n = 3 * world->model->node_count;
    double **const vector[] = {&work->inside,   &work->inside_x, &work->inside_v, &work->x_before,
                               &work->external, &work->force,    &work->scaled,   &work->product};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i) {
        *vector[i] = sn_allocate_zero(context, (size_t)n, sizeof(double));
        if (!*vector[i]) return sn_no_memory(error);
    }
    work->partial = sn_allocate_zero(context, (size_t)world->solid->elements.chunk_count, sizeof *work->partial);
    if (!work->partial) return sn_no_memory(error);
    work->system = (sn_world_system){.base = {.table = &sn_world_table,
                                              .context = context,
                                              .count = n,
                                              .size = world->model->size,
                                              .rest = world->model->rest},
                                     .world = world,
                                     .linearisation = {{.table = &sn_world_linearisation_table}, world}};
    sn_status status = sn_workspace_linear(world, world->solid, &work->linear, error);
    if (!status)
        status = sn_memory_create(context, &world->solid->elements, world->model->node_count, &work->memory, error);
    return status ? status : sn_workspace_fit(world, error);
}

/* Whether all elements have the linearised tension that the method needs, and the solver supports it. */
static sn_status check_split(const sn_world *world, const sn_solver_options *solver, const sn_method *method,
                             sn_error *error) {
    if (!world->solid->elements.splits)
        return method->tension
                   ? sn_fail_at(error, SN_UNSUPPORTED, "time.method",
                                "time.method '%s' needs the law 'cloth-particles' without a 'limit' in all "
                                "bodies: it treats their tension separately",
                                method->name)
                   : sn_fail_at(error, SN_UNSUPPORTED, "time.newton.jacobian",
                                "time.newton.jacobian 'approximate' needs the law 'cloth-particles' without "
                                "a 'limit' in all bodies; take 'exact'");
    return sn_within(error, sn_solver_options_split(solver, error), "solver");
}

sn_status sn_workspace_allows(const sn_world *world, const sn_solver_options *solver, const sn_method *method,
                              sn_error *error) {
    const bool grouped = sn_interactions_filter(world, NULL)->group_count > 0;
    const sn_status status = method->tension || sn_newton_splits(&world->parameters.time.newton)
                                 ? check_split(world, solver, method, error)
                                 : SN_OK;
    if (status) return status;
    return sn_within(error, sn_solver_options_allow(solver, grouped, method->exact, error), "solver");
}

void sn_workspace_forget(sn_world *world) {
    sn_linearisation_forget(&world->workspace.system.linearisation.base);
    world->workspace.inside_known = false;
}

void sn_workspace_refresh(sn_world *world) {
    sn_linear_refresh(world->workspace.linear);
    sn_workspace_forget(world);
    sn_interactions_refresh(world);
    memcpy(world->workspace.x_before, world->state.x, (size_t)world->model->node_count * 3 * sizeof(double));
    sn_memory_refresh(world);
}

void sn_workspace_destroy(sn_world *world) {
    sn_workspace *work = &world->workspace;
    sn_linear_destroy(work->linear);
    sn_memory_destroy(world->context, &work->memory);
    sn_block_list_release(world->context, &work->stiffness);
    sn_block_list_release(world->context, &work->damping);
    sn_state_destroy(world->context, &work->before);
    void *const array[] = {work->inside, work->inside_x, work->inside_v, work->x_before, work->external,  work->force,
                           work->scaled, work->product,  work->partial,  work->scratch,  work->own_before};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
}
