/* Velocity Verlet (leapfrog, Stoermer): x1 = x + h v + h^2/2 a, v1 = v + h/2 (a + a1) with a1 = M^-1 f(t + h, x1, v + h
 * a).
 *
 * Damping forces use the velocity v + h a, which is predicted to second order, so the method keeps order 2. Without
 * damping it is the symplectic scheme (Hauth 3.2.7). A step needs one force, because a1 is kept in the history for the
 * next step. History: whether it is valid, its time, a. */
#include <math.h>

#include "explicit.h"
#include "loop.h"
#include "methods.h"

/* out = a + p (b + c) */
SN_LOOP(finish, l.out[i] = l.a[i] + l.p * (l.b[i] + l.c[i]))

int sn_verlet_history(int count) { return 2 + count; }

int sn_verlet_scratch(int count) { return 6 * count; }

/* The undamped scheme is stable up to 2 / omega. With damping, the predictor is stable up to h delta = 1. */
static double limit(const void *self, double omega, double delta) {
    (void)self;
    const double wave = omega > 0 ? 2 / omega : INFINITY, damp = delta > 0 ? 1 / delta : INFINITY;
    return isinf(wave) || isinf(damp) ? fmin(wave, damp) : 1 / (1 / wave + 1 / damp);
}

sn_status sn_verlet_step(sn_step *step) {
    const int n = step->system->count;
    const double h = step->h;
    double *x = step->scratch, *v = x + n, *a = v + n, *a1 = a + n, *past = step->history;
    sn_status status = SN_OK;
    if (past[0] != 0 && fabs(past[1] - step->t) <= 1e-6 * h)
        sn_vector_copy(step->system->context, n, past + 2, a);
    else
        status = sn_acceleration(step, step->t, step->x, step->v, a, a1 + n);
    if (!status) {
        sn_vector_mix(step->system->context, n, 1, step->x, h, step->v, 0.5 * h * h, a, x);
        sn_vector_mix(step->system->context, n, 1, step->v, h, a, 0, NULL, v);
        step->system->table->constrain(step->system, step->t + h, x, v, NULL);
        status = sn_acceleration(step, step->t + h, x, v, a1, a1 + n);
    }
    if (status == SN_NOT_FINITE) return sn_explicit_diverged(step, "verlet", limit, NULL);
    if (status) return status;
    sn_loop(step->system->context, n, finish, (sn_operands){.p = 0.5 * h, .a = step->v, .b = a, .c = a1, .out = v});
    status = sn_explicit_finish(step, "verlet", limit, NULL, x, v, a1);
    if (status) return status;
    past[0] = 1, past[1] = step->t + h;
    sn_vector_copy(step->system->context, n, a1, past + 2);
    return SN_OK;
}
