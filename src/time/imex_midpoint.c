/* IMEX midpoint: the implicit midpoint rule for the linearised tension of cloth, the explicit one for all other forces
 * (Hauth 4.2; U. Ascher, S. Ruuth and R. Spiteri, Implicit-explicit Runge-Kutta methods, 1997, the scheme (1,2,2)).
 *
 *   middle  M (v_m - v) / (h/2) = -K (x_m - x) - D v_m + g(t, x, v),   x_m = x + h/2 v_m
 *   end     v1 = v + h M^-1 f(t + h/2, x_m, v_m),   x1 = x + h v_m
 *
 * Order 2. K, D and g are those of imex-euler. Updates solve again for the middle, with g at the middle; they go
 * towards the middle of the implicit midpoint rule. */
#include "base/vector.h"
#include "explicit.h"
#include "imex.h"
#include "methods.h"

int sn_imex_midpoint_history(int count) {
    (void)count;
    return 0;
}

int sn_imex_midpoint_scratch(int count) { return 4 * count + sn_newton_scratch(count); }

sn_status sn_imex_midpoint_step(sn_step *step) {
    sn_system *system = step->system;
    const sn_context *context = system->context;
    const int n = system->count;
    const double h = step->h, middle = step->t + 0.5 * h;
    double *y = step->scratch, *base = y + n, *guess = base + n, *a = guess + n;
    sn_vector_copy(context, n, step->x, y);
    sn_vector_mix(context, n, 1, step->x, 0.5 * h, step->v, 0, NULL, base);
    sn_vector_mix(context, n, 0.5 * h, step->v, 0, NULL, 0, NULL, guess);
    sn_newton_problem problem = sn_step_problem(step, guess, a + n);
    problem.t1 = middle;
    problem.m = 4 / (h * h), problem.a = 2 / h;
    problem.base = base, problem.origin = step->x, problem.velocity = step->v;
    sn_status status = sn_imex_solve(step, &problem, y);
    if (status) return status;
    double *v = guess;
    sn_vector_difference(context, n, 2 / h, y, step->x, v);
    system->table->constrain(system, middle, NULL, v, NULL);
    status = sn_acceleration(step, middle, y, v, a, a + n);
    if (status) return status;
    sn_vector_mix(context, n, 1, step->x, h, v, 0, NULL, y);
    sn_vector_mix(context, n, 1, step->v, h, a, 0, NULL, base);
    return sn_step_finish(step, y, base);
}
