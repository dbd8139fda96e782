/* Newmark's method with beta = 1/4 and gamma = 1/2 (average acceleration; Newmark 1959):
 *
 *   x1 = x + h v + h^2 ((1/2 - beta) a + beta a1),   v1 = v + h ((1 - gamma) a + gamma a1),   M a1 = f(t + h, x1, v1)
 *
 * The acceleration is carried from step to step, so a step costs no force evaluation beyond Newton's. Order 2, A-stable, no damping of its
 * own. With m = 1/(beta h^2), base = x + h v + h^2 (1/2 - beta) a the equation is m M (x1 - base) = f, and v1 = gamma/(beta h) (x1 - base)
 * + v + h (1 - gamma) a. History: valid, its time, a. */
#include <math.h>

#include "base/vector.h"
#include "explicit.h"
#include "implicit.h"
#include "methods.h"

static const double beta = 0.25, gamma_ = 0.5;

int sn_newmark_history(int count) { return 2 + count; }

int sn_newmark_scratch(int count) { return 5 * count + sn_newton_scratch(count); }

sn_status sn_newmark_step(sn_step *step) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h;
    double *y = step->scratch, *base = y + n, *guess = base + n, *w = guess + n, *a = w + n, *past = step->history;
    sn_status status = SN_OK;
    if (past[0] != 0 && fabs(past[1] - step->t) <= 1e-6 * h)
        sn_vector_copy(system->context, n, past + 2, a);
    else
        status = sn_acceleration(step, step->t, step->x, step->v, a, a + n); /* the room of Newton serves */
    if (status) return status;
    sn_vector_copy(system->context, n, step->x, y);
    for (int i = 0; i < n; ++i) {
        base[i] = step->x[i] + h * step->v[i] + h * h * (0.5 - beta) * a[i];
        guess[i] = h * step->v[i];
        w[i] = step->v[i] + h * (1 - gamma_) * a[i];
    }
    sn_newton_problem problem = sn_step_problem(step, guess, a + n);
    problem.t1 = step->t + h;
    problem.m = 1 / (beta * h * h), problem.a = gamma_ / (beta * h);
    problem.base = problem.origin = base, problem.offset = w;
    status = sn_newton_solve(&problem, y);
    if (status) return status;
    for (int i = 0; i < n; ++i) {
        a[i] = (y[i] - base[i]) / (beta * h * h);
        w[i] += h * gamma_ * a[i];
    }
    system->table->constrain(system, step->t + h, NULL, NULL, a);
    status = sn_step_finish(step, y, w);
    if (status) return status;
    past[0] = 1, past[1] = step->t + h;
    sn_vector_copy(system->context, n, a, past + 2);
    return SN_OK;
}
