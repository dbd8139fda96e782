/* Trapezoidal rule (Crank-Nicolson): x1 = x + h/2 (v + v1),  M (v1 - v) = h/2 (f(t, x, v) + f(t + h, x1, v1)).
 *
 * With v1 = 2 (x1 - x)/h - v this is (4/h^2) M (x1 - x - h v) - f(t, x, v) - f(t + h, x1, v1) = 0. Order 2, A-stable.
 */
#include "base/context.h"
#include "implicit.h"
#include "loop.h"
#include "methods.h"

/* The velocity at the end, out = 2 (a - b) / p - c. */
SN_LOOP(finish, l.out[i] = 2 * (l.a[i] - l.b[i]) / l.p - l.c[i])

int sn_trapezoidal_history(int count) {
    (void)count;
    return 0;
}

int sn_trapezoidal_scratch(int count) { return 6 * count + sn_newton_scratch(count); }

sn_status sn_trapezoidal_step(sn_step *step) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h;
    double *y = step->scratch, *base = y + n, *guess = base + n, *f = guess + n, *w = f + n, *a = w + n;
    const double start = sn_seconds();
    sn_result result = {0};
    const sn_request request = {.t = step->t, .x = step->x, .v = step->v, .force = f};
    sn_status status = system->table->evaluate(system, &request, &result, step->error);
    step->info->assembly_seconds += sn_seconds() - start;
    ++step->info->force_evaluations;
    if (status) return status;
    sn_vector_mix(system->context, n, 1, step->x, h, step->v, 0, NULL, base);
    sn_vector_mix(system->context, n, h, step->v, 0, NULL, 0, NULL, guess);
    sn_vector_mix(system->context, n, -1, step->v, 0, NULL, 0, NULL, w);
    /* 4/h^2 (x1 - x - h v) is the sum of both accelerations. */
    sn_vector_zero(system->context, n, a);
    sn_vector_zero(system->context, n, y);
    system->table->constrain(system, step->t + h, NULL, NULL, y);
    system->table->constrain(system, step->t, NULL, NULL, a);
    sn_vector_add(system->context, n, 1, y, a);
    sn_vector_copy(system->context, n, step->x, y);
    sn_newton_problem problem = sn_step_problem(step, guess, a + n);
    problem.t1 = step->t + h;
    problem.m = 4 / (h * h), problem.a = 2 / h;
    problem.base = base, problem.origin = step->x, problem.offset = w;
    problem.extra = f, problem.inertia = a;
    status = sn_newton_solve(&problem, y);
    if (status) return status;
    sn_loop(system->context, n, finish, (sn_operands){.p = h, .a = y, .b = step->x, .c = step->v, .out = w});
    return sn_step_finish(step, y, w);
}
