/* "one-step": exactly one linear solve per step, the semi-implicit method. */
#include "newton.h"

sn_newton_result sn_newton_one_step(sn_newton *w, double *y) {
    const double a = w->problem->a;
    sn_newton_result result = {.residual = w->problem->info->newton_residual};
    w->ahead = a > 0 ? 1 / a : 0;
    result.status = sn_newton_expand(w, y, false);
    w->ahead = 0;
    if (result.status) return result;
    result.residual = sn_newton_relative(w);
    result.status = sn_newton_take_correction(w, y);
    return result;
}
