/* "fixed": at most `iterations` whole corrections without a line search. The result is accepted as it is, so the work
 * of a step is bounded (Civit 3.3). A correction that the system limits is taken up to the limit; prescribed motion
 * that is left over goes on in the next iteration. */
#include "newton.h"

sn_newton_result sn_newton_fixed(sn_newton *w, double *y) {
    const sn_newton_options *options = w->problem->options;
    sn_newton_result result = sn_newton_first_step(w, y, options->iterations == 1);
    for (int i = 1; i < options->iterations && !result.status; ++i) {
        result.status = sn_newton_evaluate(w, y, w->problem->error);
        const bool carries = w->system->table->limit && sn_newton_carries(w, sn_newton_prescribe(w, y));
        if (result.status || (w->residual <= options->tolerance * w->scale && !carries)) break;
        result.status = sn_newton_linearise(w, y);
        if (result.status) break;
        result.residual = sn_newton_relative(w);
        result.status = sn_newton_find_correction(w, y);
        if (!result.status) result.status = sn_newton_take_correction(w, y, i + 1 == options->iterations);
    }
    return result;
}
