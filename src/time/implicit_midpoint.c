/* Implicit midpoint: M (v1 - v) / h = f(t + h/2, (x + x1)/2, (v + v1)/2),  x1 = x + h (v + v1)/2.
 *
 * The unknown is the middle y = (x + x1)/2:
 *   v_m = 2 (y - x)/h,   (4/h^2) M (y - x - h/2 v) = f(t + h/2, y, v_m),   then x1 = 2 y - x, v1 = 2 v_m - v.
 * Order 2, A-stable, symplectic. The method conserves linear and angular momentum (Hauth 3.2.4). It does not damp stiff
 * modes. */
#include "implicit.h"
#include "loop.h"
#include "methods.h"

int sn_implicit_midpoint_history(int count) {
    (void)count;
    return 0;
}

int sn_implicit_midpoint_scratch(int count) { return 2 * count + sn_midpoint_scratch(count); }

int sn_midpoint_scratch(int count) { return 3 * count + sn_newton_scratch(count); }

/* From the middle a and the start (b, c), with the step p, to the end (other, out). */
SN_LOOP(finish, const double move = 2 * (l.a[i] - l.b[i]); l.out[i] = 2 * move / l.p - l.c[i];
        l.other[i] = l.b[i] + move)

sn_status sn_midpoint(sn_step *step, double t, double h, const double *x, const double *v, double *x1, double *v1,
                      double *scratch) {
    sn_system *system = step->system;
    const int n = system->count;
    double *y = scratch, *base = y + n, *guess = base + n;
    sn_vector_copy(system->context, n, x, y);
    sn_vector_mix(system->context, n, 1, x, 0.5 * h, v, 0, NULL, base);
    sn_vector_mix(system->context, n, 0.5 * h, v, 0, NULL, 0, NULL, guess);
    sn_newton_problem problem = sn_step_problem(step, guess, guess + n);
    problem.t1 = t + 0.5 * h;
    problem.m = 4 / (h * h), problem.a = 2 / h;
    problem.base = base, problem.origin = x, problem.velocity = v;
    const sn_status status = sn_newton_solve(&problem, y);
    if (status) return status;
    sn_loop(system->context, n, finish, (sn_operands){.p = h, .a = y, .b = x, .c = v, .out = v1, .other = x1});
    system->table->constrain(system, t + h, x1, v1, NULL);
    if (!system->table->limit) return SN_OK;
    sn_vector_subtract(system->context, n, x1, y, guess); /* the second half of the way was not limited */
    if (system->table->limit(system, t + h, y, guess, NULL) >= 1) return SN_OK;
    return sn_fail(step->error, SN_NOT_CONVERGED,
                   "the second half of the step runs into a contact at t = %g s; take a smaller step", t + h);
}

sn_status sn_implicit_midpoint_step(sn_step *step) {
    const int n = step->system->count;
    double *x1 = step->scratch, *v1 = x1 + n;
    const sn_status status = sn_midpoint(step, step->t, step->h, step->x, step->v, x1, v1, v1 + n);
    return status ? status : sn_step_finish(step, x1, v1);
}
