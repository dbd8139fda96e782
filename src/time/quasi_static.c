/* Equilibrium at the end of a step: f(t + h, x1, 0) = 0, from the last positions. Time plays the part of the load.
 *
 * Inertia and viscous forces are left out; velocities are zero afterwards. */
#include "system.h"
#include "vector.h"

static int history(int count) {
    (void)count;
    return 0;
}

static int scratch(int count) { return 2 * count + sn_newton_scratch(count); }

static sn_status step_equilibrium(sn_step *step) {
    sn_system *system = step->system;
    const int n = system->count;
    double *y = step->scratch, *v = y + n;
    sn_vec_copy(n, step->x, y);
    const sn_newton_problem problem = {.system = system,
                                       .t1 = step->t + step->h,
                                       .options = &step->options->newton,
                                       .linear_tolerance = step->tolerance,
                                       .scratch = v + n,
                                       .info = step->info,
                                       .error = step->error};
    const sn_status status = sn_newton_solve(&problem, y);
    if (status) return status;
    sn_vec_zero(n, v);
    const sn_status finished = sn_step_finish(step, y, v);
    if (!finished) sn_vec_zero(n, step->v);
    return finished;
}

const sn_method *sn_method_equilibrium(void) {
    static const sn_method method = {
        "equilibrium",   "no inertia: the forces balance at the end of each step", 0, true, false, false, "", history, scratch,
        step_equilibrium};
    return &method;
}
