/* Backward differentiation formulas of order 2 to 6 with steps of any length (Hauth 3.2.5; Hairer, Norsett, Wanner I,
 * III.5).
 *
 * The derivative at t1 is replaced by that of the polynomial through the last k states and the new one:
 *   d_0 x1 + sum d_j x_(n+1-j) = v1,   M (d_0 v1 + sum d_j v_(n+1-j)) = f(t1, x1, v1),   j = 1..k
 * With p = -sum d_j x / d_0 and q = -sum d_j v / d_0 (j >= 1):
 *   v1 = d_0 (x1 - p),   d_0^2 M (x1 - p - q / d_0) = f.
 * This is one Newton problem of half size. The first k - 1 steps come from start.c and are at least as accurate. Order
 * 2 is L-stable. The orders 3 to 6 are A(alpha)-stable with alpha = 86, 73, 52, 18 degrees.
 *
 * History: the number of known states besides the present one, the times of the present state and of those, then (x, v)
 * of each, the youngest first. */
#include <string.h>

#include <math.h>

#include "base/vector.h"
#include "implicit.h"
#include "methods.h"

enum { MOST = 6 };

/* The head of the history: the count, then MOST times. */
enum { HEAD = 1 + MOST };

static int history(int order, int count) { return HEAD + 2 * (order - 1) * count; }

static int scratch(int count) {
    const int start = sn_start_scratch(count), newton = 3 * count + sn_newton_scratch(count);
    return 2 * count + (start > newton ? start : newton);
}

/* The weights of the derivative at node[0] of the polynomial through node[0..k]. */
static void derivative(int k, const double *node, double *d) {
    d[0] = 0;
    for (int j = 1; j <= k; ++j) {
        d[0] += 1 / (node[0] - node[j]);
        /* l_j'(t0) = prod_(i != 0, j) (t0 - ti) / prod_(i != j) (tj - ti) */
        double w = 1 / (node[j] - node[0]);
        for (int i = 1; i <= k; ++i)
            if (i != j) w *= (node[0] - node[i]) / (node[j] - node[i]);
        d[j] = w;
    }
}

/* Predicts x(t1) - x(t) by the polynomial through the last positions, at most three, with the present velocity (Hauth
 * 3.3.3):
 *   p(t1) = L(t1) + (v - L'(t)) w(t1) / w'(t),   L: Lagrange's polynomial,   w: the product of t1 - t_j
 * node[0] is t1, node[1] is t. */
static void extrapolate(const sn_step *step, int order, const double *node, double *guess) {
    const int n = step->system->count, points = order < 3 ? order : 3;
    double slope[MOST + 1], bend = node[0] - node[1];
    derivative(points - 1, node + 1, slope);
    for (int j = 2; j <= points; ++j) bend *= (node[0] - node[j]) / (node[1] - node[j]);
    sn_vector_mix(step->system->context, n, bend, step->v, 0, NULL, 0, NULL, guess);
    for (int j = 1; j <= points; ++j) {
        double weight = 1;
        for (int i = 1; i <= points; ++i)
            if (i != j) weight *= (node[0] - node[i]) / (node[j] - node[i]);
        const double *x = j == 1 ? step->x : step->history + HEAD + 2 * (j - 2) * n;
        sn_vector_add(step->system->context, n, weight - bend * slope[j - 1] - (j == 1), x, guess);
    }
}

static sn_status solve(sn_step *step, int order, double *x1, double *v1, double *room) {
    sn_system *system = step->system;
    const int n = system->count;
    const double *past = step->history;
    double *p = room, *base = p + n, *guess = base + n;
    double node[MOST + 1] = {step->t + step->h, step->t}, d[MOST + 1];
    for (int j = 2; j <= order; ++j) node[j] = past[j];
    derivative(order, node, d);
    sn_vector_zero(system->context, n, p);
    sn_vector_zero(system->context, n, base);
    for (int j = 1; j <= order; ++j) {
        const double *x = j == 1 ? step->x : past + HEAD + 2 * (j - 2) * n, *v = j == 1 ? step->v : x + n;
        sn_vector_add(system->context, n, -d[j] / d[0], x, p);
        sn_vector_add(system->context, n, -d[j] / (d[0] * d[0]), v, base);
    }
    sn_vector_add(system->context, n, 1, p, base);
    extrapolate(step, order, node, guess);
    sn_vector_copy(system->context, n, step->x, x1);
    sn_newton_problem problem = sn_step_problem(step, guess, guess + n);
    problem.t1 = node[0];
    problem.m = d[0] * d[0], problem.a = d[0];
    problem.base = base, problem.origin = p;
    const sn_status status = sn_newton_solve(&problem, x1);
    if (status) return status;
    sn_vector_difference(system->context, n, d[0], x1, p, v1);
    return SN_OK;
}

/* Puts the present state into the history; t is the time of that state. */
static void remember(sn_step *step, int order, int known) {
    const int n = step->system->count;
    double *past = step->history, *state = past + HEAD;
    const int kept = known + 1 < order - 1 ? known + 1 : order - 1;
    memmove(state + 2 * n, state, (size_t)(2 * n * (kept - 1)) * sizeof *state);
    for (int j = order; j >= 3; --j) past[j] = past[j - 1];
    sn_vector_copy(step->system->context, n, step->x, state);
    sn_vector_copy(step->system->context, n, step->v, state + n);
    past[2] = step->t;
    past[1] = step->t + step->h;
    past[0] = kept;
}

static sn_status step_bdf(sn_step *step, int order) {
    const int n = step->system->count;
    double *x1 = step->scratch, *v1 = x1 + n;
    /* A history that does not end at the present time is of no use: start again. */
    const bool follows = fabs(step->history[1] - step->t) <= 1e-6 * step->h;
    const int known = follows ? (int)step->history[0] : 0;
    sn_status status =
        known >= order - 1 ? solve(step, order, x1, v1, v1 + n) : sn_start(step, (order + 1) / 2, x1, v1, v1 + n);
    if (status) return status;
    /* sn_step_finish overwrites the present state, which the history still needs. A bad state must therefore be refused
     * before that. */
    step->system->table->constrain(step->system, step->t + step->h, x1, v1, NULL);
    if (isfinite(sn_vector_largest(step->system->context, n, x1)) &&
        isfinite(sn_vector_largest(step->system->context, n, v1)))
        remember(step, order, known);
    return sn_step_finish(step, x1, v1);
}

#define FAMILY(k)                                                                                                      \
    int sn_bdf##k##_history(int count) { return history(k, count); }                                                   \
    int sn_bdf##k##_scratch(int count) { return scratch(count); }                                                      \
    sn_status sn_bdf##k##_step(sn_step *step) { return step_bdf(step, k); }
FAMILY(2)
FAMILY(3)
FAMILY(4)
FAMILY(5)
FAMILY(6)
