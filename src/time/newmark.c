/* Newmark's method with beta = 1/4 and gamma = 1/2 (average acceleration; Newmark 1959):
 *
 *   x1 = x + h v + h^2 ((1/2 - beta) a + beta a1),   v1 = v + h ((1 - gamma) a + gamma a1),   M a1 = f(t + h, x1, v1)
 *
 * With m = 1/(beta h^2) and base = x + h v + h^2 (1/2 - beta) a:
 *   m M (x1 - base) = f,   v1 = gamma/(beta h) (x1 - base) + v + h (1 - gamma) a.
 *
 * Order 2, A-stable, without numerical damping. The acceleration is kept from step to step, so a step needs no force
 * evaluation besides those of Newton's method. History: whether it is valid, its time, a. */
#include <math.h>

#include "explicit.h"
#include "implicit.h"
#include "loop.h"
#include "methods.h"

static const double beta = 0.25, gamma_ = 0.5;

/* The new acceleration out = (a - b) / p, and other += q out. */
SN_LOOP(finish, l.out[i] = (l.a[i] - l.b[i]) / l.p; l.other[i] += l.q * l.out[i])

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
        status = sn_acceleration(step, step->t, step->x, step->v, a, a + n); /* Newton's scratch is free here */
    if (status) return status;
    sn_vector_copy(system->context, n, step->x, y);
    sn_vector_mix(system->context, n, 1, step->x, h, step->v, h * h * (0.5 - beta), a, base);
    sn_vector_mix(system->context, n, h, step->v, 0, NULL, 0, NULL, guess);
    sn_vector_mix(system->context, n, 1, step->v, h * (1 - gamma_), a, 0, NULL, w);
    sn_newton_problem problem = sn_step_problem(step, guess, a + n);
    problem.t1 = step->t + h;
    problem.m = 1 / (beta * h * h), problem.a = gamma_ / (beta * h);
    problem.base = problem.origin = base, problem.offset = w;
    status = sn_newton_solve(&problem, y);
    if (status) return status;
    const sn_operands end = {.p = beta * h * h, .q = h * gamma_, .a = y, .b = base, .out = a, .other = w};
    sn_loop(system->context, n, finish, end);
    system->table->constrain(system, step->t + h, NULL, NULL, a);
    status = sn_step_finish(step, y, w);
    if (status) return status;
    past[0] = 1, past[1] = step->t + h;
    sn_vector_copy(system->context, n, a, past + 2);
    return SN_OK;
}
