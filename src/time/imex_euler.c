/* IMEX Euler: the linearised tension of cloth is implicit, all other forces are explicit (Hauth 4.2; B. Eberhardt,
 * O. Etzmuss and M. Hauth, Implicit-explicit schemes for fast animation with particle systems, 2000).
 *
 *   f = -K (x - x*) - D v + g,   g: everything else; K and D are the scalar matrices of tension (SN_LINEARISE_TENSION)
 *   M (v1 - v) / h = -K (x1 - x) - D v1 + g(x, v),   x1 = x + h v1
 *
 * This is one linear solve with M / h^2 + D / h + K, which stays the same from step to step. The explicit part limits
 * the step.
 *
 * An update evaluates g again at the end of the step and solves again. With d the change of x1,
 *
 *   (M / h^2 + D / h + K) d = f(t + h, x1, v1) - M (x1 - x - h v) / h^2
 *
 * So updates go towards the solution of implicit Euler. */
#include "base/vector.h"
#include "imex.h"
#include "methods.h"

int sn_imex_euler_history(int count) {
    (void)count;
    return 0;
}

int sn_imex_euler_scratch(int count) { return 3 * count + sn_newton_scratch(count); }

sn_status sn_imex_euler_step(sn_step *step) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h;
    double *y = step->scratch, *base = y + n, *guess = base + n;
    sn_vector_copy(system->context, n, step->x, y);
    sn_vector_mix(system->context, n, 1, step->x, h, step->v, 0, NULL, base);
    sn_vector_mix(system->context, n, h, step->v, 0, NULL, 0, NULL, guess);
    sn_newton_problem problem = sn_step_problem(step, guess, guess + n);
    problem.t1 = step->t + h;
    problem.m = 1 / (h * h), problem.a = 1 / h;
    problem.base = base, problem.origin = step->x, problem.velocity = step->v;
    const sn_status status = sn_imex_solve(step, &problem, y);
    if (status) return status;
    sn_vector_difference(system->context, n, 1 / h, y, step->x, base);
    return sn_step_finish(step, y, base);
}
