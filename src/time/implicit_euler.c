/* Implicit (backward) Euler.
 *
 *   v1 = (x1 - x) / h,   M (v1 - v) / h = f(t + h, x1, v1)
 *
 * This is one equation for x1 (Hauth 3.2.2, 3.4.1):
 *   M (x1 - x - h v) / h^2 - f(t + h, x1, (x1 - x) / h) = 0   with Jacobian M / h^2 + D / h + K.
 *
 * Newton starts at x. Its first iteration is the semi-implicit step of Baraff and Witkin. The linear solver starts from
 * the best point in the span of v, the mean acceleration a of the last step, and the backward differences of a. The
 * history holds a and these differences. A smooth motion is thus predicted by a polynomial through the last steps.
 * Solvers that do not use the span start from h (v + h a). */
#include "base/vector.h"
#include "implicit.h"
#include "linear/krylov/krylov.h"
#include "linear/krylov/span.h"
#include "methods.h"

enum { PAST = SN_SPAN - 1 }; /* a, its difference, the difference of that, ... */

int sn_implicit_euler_history(int count) { return PAST * count; }

int sn_implicit_euler_scratch(int count) { return 3 * count + sn_newton_scratch(count); }

typedef struct shift {
    int n;
    double *a, *past;
} shift;

/* Replaces the old acceleration and its differences by the new ones. */
static void shift_piece(void *data, int piece) {
    const shift *s = data;
    const int begin = piece * SN_PIECE, end = begin + SN_PIECE < s->n ? begin + SN_PIECE : s->n;
    for (int k = 0; k < PAST; ++k) {
        double *past = s->past + (int64_t)k * s->n;
        for (int i = begin; i < end; ++i) {
            const double before = past[i];
            past[i] = s->a[i];
            s->a[i] -= before;
        }
    }
}

sn_status sn_implicit_euler_step(sn_step *step) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h, t1 = step->t + h;
    double *y = step->scratch, *base = y + n, *guess = base + n;
    sn_vector_copy(system->context, n, step->x, y);
    sn_vector_mix(system->context, n, 1, step->x, h, step->v, 0, NULL, base);
    sn_vector_mix(system->context, n, h, step->v, h * h, step->history, 0, NULL, guess);
    const double *direction[PAST + 1] = {step->v};
    for (int k = 0; k < PAST; ++k) direction[k + 1] = step->history + k * n;
    sn_newton_problem problem = sn_step_problem(step, guess, guess + n);
    problem.t1 = t1;
    problem.m = 1 / (h * h), problem.a = 1 / h;
    problem.base = base, problem.origin = step->x;
    problem.expected = PAST + 1, problem.direction = direction;
    sn_status status = sn_newton_solve(&problem, y);
    if (status) return status;
    sn_vector_difference(system->context, n, 1 / h, y, step->x, base);
    sn_vector_difference(system->context, n, 1 / h, base, step->v, guess);
    status = sn_step_finish(step, y, base);
    shift work = {n, guess, step->history};
    if (!status) sn_parallel_pieces(system->context, sn_pieces(n, SN_PIECE), shift_piece, &work);
    return status;
}
