/* "one-step": one linear solve per step, the semi-implicit method. Contacts that the solve met ahead of time must not
 * pull: a step with such contacts is solved once more without them. A correction that the system limits is taken up to
 * the limit, and then the step is mostly divided (sn_newton_take_correction). */
#include "base/vector.h"
#include "newton.h"

enum { SOLVES = 3 };

sn_newton_result sn_newton_first_step(sn_newton *w, double *y, bool last) {
    const sn_newton_problem *p = w->problem;
    const sn_system_table *table = w->system->table;
    const double a = p->a;
    sn_newton_result result = {.residual = p->info->newton_residual};
    sn_vector_copy(w->system->context, w->n, y, w->best);
    for (int solves = 1;; ++solves) {
        w->ahead = a > 0 ? 1 / a : 0;
        w->again = solves > 1; /* at the same place */
        result.status = sn_newton_expand(w, y, false);
        w->ahead = 0, w->again = false;
        if (result.status) break;
        result.residual = sn_newton_relative(w);
        result.status = sn_newton_take_correction(w, y, last);
        if (result.status || !(a > 0) || solves == SOLVES || !table->release || !table->release(w->system, p->t1, y))
            break;
        sn_vector_subtract(w->system->context, w->n, y, w->best, w->room);
        sn_vector_copy(w->system->context, w->n, w->best, y);
        w->tried = w->room;
    }
    w->tried = NULL;
    return result;
}

sn_newton_result sn_newton_one_step(sn_newton *w, double *y) { return sn_newton_first_step(w, y, true); }
