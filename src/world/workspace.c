/* The workspace: the solver, scratch, and room for blocks outside the elements. Nothing in it is needed to go on from a saved state. */
#include <string.h>

#include "world.h"

static sn_status allocate_blocks(const sn_world *world, int count, sn_block_list *list, sn_error *error) {
    list->capacity = count;
    list->row = sn_allocate(world->context, (size_t)count, sizeof *list->row);
    list->column = sn_allocate(world->context, (size_t)count, sizeof *list->column);
    list->value = sn_allocate(world->context, (size_t)count * 9, sizeof *list->value);
    return list->row && list->column && list->value ? SN_OK : sn_no_memory(error);
}

static void release_blocks(sn_context *context, sn_block_list *list) {
    sn_release(context, list->row);
    sn_release(context, list->column);
    sn_release(context, list->value);
}

sn_status sn_workspace_linear(const sn_world *world, const sn_solid *solid, sn_linear **linear, sn_error *error) {
    return sn_linear_create(world->context, &solid->linear, &world->parameters.solver, world->parameters.no_inertia, linear, error);
}

sn_status sn_workspace_method(sn_world *world, sn_error *error) {
    sn_workspace *work = &world->workspace;
    const int n = 3 * world->model.node_count;
    double *scratch = sn_allocate(world->context, (size_t)sn_control_scratch(world->parameters.method, n), sizeof *scratch);
    sn_state before = {0};
    const sn_status status = scratch ? sn_state_create(world, &before, error) : sn_no_memory(error);
    if (status) {
        sn_release(world->context, scratch);
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
    const sn_model *model = &world->model;
    sn_context *context = world->context;
    const int n = 3 * model->node_count, contacts = world->parameters.collider_count * model->surface.count, grabs = 16 * SN_HANDLES;
    int64_t loads = 0;
    for (int i = 0; i < model->load_count; ++i)
        loads += (int64_t)model->load[i].face_count * model->load[i].face_nodes * model->load[i].face_nodes;
    if (loads + (int64_t)world->parameters.collider_count * model->surface.count + grabs > INT32_MAX)
        return sn_fail(error, SN_UNSUPPORTED, "loads that follow and colliders give more than %d blocks", INT32_MAX);
    sn_status status = allocate_blocks(world, (int)loads + contacts + grabs, &work->stiffness, error);
    if (!status) status = allocate_blocks(world, contacts + grabs, &work->damping, error);
    if (status) return status;
    double **const vector[] = {&work->x_before, &work->external, &work->force, &work->scaled, &work->product};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i) {
        *vector[i] = sn_allocate_zero(context, (size_t)n, sizeof(double));
        if (!*vector[i]) return sn_no_memory(error);
    }
    work->motion = sn_allocate_zero(context, (size_t)model->fix_count, sizeof *work->motion);
    work->partial = sn_allocate_zero(context, (size_t)model->solid->elements.chunk_count, sizeof *work->partial);
    work->dot = sn_allocate_zero(context, (size_t)sn_dot_scratch(n), sizeof *work->dot);
    work->friction = sn_allocate_zero(context, (size_t)contacts, sizeof *work->friction);
    if (!work->motion || !work->partial || !work->dot || !work->friction) return sn_no_memory(error);
    work->system =
        (sn_world_system){.base = {.table = &sn_world_table, .context = context, .count = n, .size = model->size, .rest = model->rest},
                          .world = world,
                          .linearisation = {{.table = &sn_world_linearisation_table}, world}};
    status = sn_cores_workspace(world, error);
    if (!status) status = sn_world_warping_room(world, model->solid, &work->vertex_rotation, error);
    if (status) return status;
    status = sn_projection_create(context, world->parameters.collider, world->parameters.penalty, world->parameters.collider_count,
                                  &model->surface, model->size, &work->projection, error);
    if (status) return status;
    bool settles = work->projection.projecting > 0 || model->link_count > 0;
    for (int i = 0; i < world->parameters.collider_count; ++i)
        settles = settles || (sn_shape_of(&world->parameters.collider[i])->passed && !world->parameters.collider[i].inside);
    work->settles = settles;
    const size_t rows = 3 * (size_t)model->link_count;
    work->link_goal = sn_allocate_zero(context, rows, sizeof(double));
    work->link_error = sn_allocate_zero(context, rows, sizeof(double));
    work->link_before = sn_allocate_zero(context, rows, sizeof(double));
    work->link_solution = sn_allocate_zero(context, rows * (size_t)n, sizeof(double));
    work->link_small = sn_allocate_zero(context, 2 * rows * rows, sizeof(double));
    if (!work->link_goal || !work->link_error || !work->link_before || !work->link_solution || !work->link_small)
        return sn_no_memory(error);
    status = sn_workspace_linear(world, model->solid, &work->linear, error);
    return status ? status : sn_workspace_method(world, error);
}

void sn_workspace_refresh(sn_world *world) {
    sn_linear_refresh(world->workspace.linear);
    sn_linearisation_forget(&world->workspace.system.linearisation.base);
    sn_world_warp(world, world->state.x);
    memset(world->workspace.link_solution, 0, 9 * (size_t)world->model.link_count * (size_t)world->model.node_count * sizeof(double));
    memcpy(world->workspace.x_before, world->state.x, (size_t)world->model.node_count * 3 * sizeof(double));
}

void sn_workspace_destroy(sn_world *world) {
    sn_workspace *work = &world->workspace;
    sn_linear_destroy(work->linear);
    sn_projection_destroy(&work->projection);
    release_blocks(world->context, &work->stiffness);
    release_blocks(world->context, &work->damping);
    sn_state_destroy(world->context, &work->before);
    void *const link[] = {work->link_goal, work->link_error, work->link_before, work->link_solution, work->link_small};
    for (size_t i = 0; i < sizeof link / sizeof *link; ++i) sn_release(world->context, link[i]);
    sn_cores_workspace_release(world);
    void *const array[] = {
        work->held,   work->filter.node, work->filter.projection, work->motion, work->x_before, work->external,        work->force,
        work->scaled, work->product,     work->partial,           work->dot,    work->scratch,  work->vertex_rotation, work->friction};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
}
