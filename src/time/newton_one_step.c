/* "one-step": one linear solve per step, the semi-implicit method. Contacts that the solve met ahead of time must not
 * pull: a step with such contacts is solved once more without them. Only the last solve is taken, and only its
 * correction is followed to see what runs into what. A correction that the system limits is taken up to the limit, and
 * then the step is mostly divided (sn_newton_take_correction). */
#include "base/vector.h"
#include "newton.h"

enum { SOLVES = 3 };

/* Whether the correction ends where contacts that were met ahead pull. It releases them. */
static bool pulls(sn_newton *w, const double *y) {
    const sn_system_table *table = w->system->table;
    if (!(w->problem->a > 0) || !table->release) return false;
    sn_vector_mix(w->system->context, w->n, 1, y, 1, w->d, 0, NULL, w->trial);
    return table->release(w->system, w->problem->t1, w->trial);
}

sn_newton_result sn_newton_first_step(sn_newton *w, double *y, bool last) {
    const double a = w->problem->a;
    sn_newton_result result = {.residual = w->problem->info->newton_residual};
    for (int solves = 1;; ++solves) {
        w->ahead = a > 0 ? 1 / a : 0;
        w->again = solves > 1; /* at the same place */
        result.status = sn_newton_expand(w, y, false);
        w->ahead = 0, w->again = false;
        if (result.status) break;
        result.residual = sn_newton_relative(w);
        result.status = sn_newton_find_correction(w, y);
        if (result.status || solves == SOLVES || !pulls(w, y)) break;
        sn_vector_copy(w->system->context, w->n, w->d, w->room);
        w->tried = w->room;
    }
    w->tried = NULL;
    if (!result.status) result.status = sn_newton_take_correction(w, y, last);
    return result;
}

sn_newton_result sn_newton_one_step(sn_newton *w, double *y) { return sn_newton_first_step(w, y, true); }
