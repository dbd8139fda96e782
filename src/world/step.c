/* One step. sn_world_step reads like a table of contents: remember the state, set the moduli for the end of the step,
 * integrate, check the result, count. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "inside.h"
#include "time/judge.h"

static sn_step start_step(sn_world *world, double h, sn_step_info *info, sn_error *error) {
    return (sn_step){.system = &world->workspace.system.base,
                     .options = &world->parameters.time,
                     .tolerance = world->parameters.solver.tolerance,
                     .warm_start = world->parameters.solver.warm_start,
                     .t = world->state.time,
                     .h = h,
                     .x = world->state.x,
                     .v = world->state.v,
                     .history = world->state.history,
                     .account = world->state.history + world->state.history_count - SN_JUDGE_NUMBERS,
                     .scratch = world->workspace.scratch,
                     .info = info,
                     .error = error};
}

/* Sets moduli and activations that change over time to their values at the end of the step. */
static sn_status update_moduli(sn_world *world, double t, sn_error *error) {
    sn_parameters *p = &world->parameters;
    const bool keyed = sn_parameters_keyed(p), activated = sn_parameters_activated(p);
    if (!keyed && !activated) return SN_OK;
    sn_workspace_forget(world);
    if (!keyed) sn_solid_activate(world, t);
    return keyed ? sn_solid_settings(world, t, error) : SN_OK;
}

static sn_status check_held(sn_world *world, sn_error *error) {
    if (!world->parameters.no_inertia || !world->workspace.constraints_changed) return SN_OK;
    const sn_status status = sn_rigid_check(world, error);
    if (!status) world->workspace.constraints_changed = false;
    return status;
}

static bool report_progress(void *user, const sn_step *step) {
    sn_world *world = user;
    return !world->progress || world->progress(world->user, step->t);
}

/* Statics: applies the rest of the load. At full load it solves once more, because something may have changed. */
static sn_status run_static(sn_world *world, sn_step *step, double *time) {
    *time = 1;
    if (step->t < 1) return sn_static_solve(step, report_progress, world);
    step->h = 0;
    return sn_step_controlled(sn_method_equilibrium(), step);
}

static bool go_on(void *user, const sn_step *part) {
    sn_world *world = user;
    return world->progress(world->user, part->t / world->parameters.time.end);
}

static sn_status run_dynamic(sn_world *world, sn_step *step) {
    if (world->progress) step->go_on = go_on, step->user = world;
    return sn_step_controlled(world->parameters.method, step);
}

static void take_acceleration(sn_world *world, double h) {
    const double rate = world->parameters.no_inertia ? 0 : 1 / h;
    sn_vector_difference(world->context, 3 * world->model->node_count, rate, world->state.v, world->workspace.before.v,
                         world->state.a);
}

static void fill_report(const sn_world *world, sn_status status, const sn_step_info *info, double seconds,
                        sn_step_report *report) {
    *report = (sn_step_report){.status = status,
                               .time = world->state.time,
                               .newton_iterations = info->newton_iterations,
                               .linear_iterations = info->linear_iterations,
                               .retries = info->retries,
                               .loose = info->loose,
                               .line_searches = info->line_searches,
                               .newton_residual = info->newton_residual,
                               .linear_residual = info->linear_residual,
                               .assembly_seconds = info->assembly_seconds,
                               .solve_seconds = info->solve_seconds,
                               .seconds = seconds,
                               .solver = info->solver ? info->solver : "",
                               .preconditioner = info->preconditioner ? info->preconditioner : "",
                               .linear_misses = info->linear_misses,
                               .correction = info->correction};
    for (int i = 0; world->adaptive && i < world->adaptive->count; ++i) {
        const sn_adaptive_body *own = &world->adaptive->body[i];
        report->active += own->forest.leaf_count;
        report->refined += own->report.refined;
        report->coarsened += own->report.coarsened;
    }
    sn_interactions_report(world, report);
    if (info->solver)
        report->linear_history = sn_linear_history(world->workspace.linear, &report->linear_history_count);
}

/* Changes the elements of adaptive bodies. Without memory for it the step is taken back. */
static sn_status finish(sn_world *world, sn_error *error) {
    const sn_status status = sn_adaptive_step(world, error);
    if (!status) return SN_OK;
    sn_state_copy_motion(world->context, &world->workspace.before, &world->state);
    sn_memory_restore(world);
    sn_details_restore(world);
    sn_workspace_refresh(world);
    return status;
}

sn_status sn_world_step(sn_world *world, sn_step_report *report, sn_error *error) {
    const double began = sn_seconds(), h = world->parameters.time.step;
    sn_state *state = &world->state;
    sn_step_info info = {0};
    sn_step step = start_step(world, h, &info, error);
    const sn_state *before = &world->workspace.before;
    const sn_motion start = {before->x, before->v, before->history};
    double time = state->base_time + (double)(state->steps + 1 - state->base_steps) * h;

    sn_state_copy_motion(world->context, state, &world->workspace.before);
    step.start = &start;
    sn_memory_guard(world);
    sn_status status = check_held(world, error);
    if (!status) status = update_moduli(world, world->parameters.is_static ? 1 : time, error);
    if (!status) status = world->parameters.is_static ? run_static(world, &step, &time) : run_dynamic(world, &step);
    if (!status && !sn_state_finite(world->context, state))
        status = sn_fail(error, SN_NOT_FINITE, "the state is not finite after the step to t = %g s", time);
    if (status) {
        sn_state_copy_motion(world->context, &world->workspace.before, state);
        sn_memory_restore(world);
        sn_workspace_refresh(world);
    } else {
        take_acceleration(world, h);
        state->time = time;
        ++state->steps;
        sn_memory_end(world);
        status = finish(world, error);
    }
    if (report) fill_report(world, status, &info, sn_seconds() - began, report);
    return status;
}
