/* Equilibrium at the end of a step: f(t + h, x1, 0) = 0, starting from the last positions. Time has the role of the
 * load.
 *
 * There are no inertia and no viscous forces. Velocities are zero afterwards. */
#include "base/vector.h"
#include "implicit.h"

static int history(int count) {
    (void)count;
    return 0;
}

static int scratch(int count) { return 2 * count + sn_newton_scratch(count); }

static sn_status step_equilibrium(sn_step *step) {
    sn_system *system = step->system;
    const int n = system->count;
    double *y = step->scratch, *v = y + n;
    sn_vector_copy(system->context, n, step->x, y);
    sn_newton_problem problem = sn_step_problem(step, NULL, v + n);
    problem.t1 = step->t + step->h;
    problem.velocity = NULL;
    const sn_status status = sn_newton_solve(&problem, y);
    if (status) return status;
    sn_vector_zero(system->context, n, v);
    const sn_status finished = sn_step_finish(step, y, v);
    if (!finished) sn_vector_zero(system->context, n, step->v);
    return finished;
}

const sn_method *sn_method_equilibrium(void) {
    static const sn_method method = {.name = "equilibrium",
                                     .text = "no inertia: the forces balance at the end of each step",
                                     .implicit = true,
                                     .multipliers = true,
                                     .stability = "",
                                     .history = history,
                                     .scratch = scratch,
                                     .step = step_equilibrium};
    return &method;
}
