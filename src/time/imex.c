/* See imex.h. Updates are whole corrections of Newton's method with the matrix of tension, as Hauth 4.2 has it. */
#include "imex.h"

#include "newton.h"

sn_status sn_imex_solve(sn_step *step, const sn_newton_problem *problem, double *y) {
    sn_newton_options options = step->options->newton;
    options.iterations = 1 + step->options->updates, options.tolerance = 0;
    sn_newton_problem own = *problem;
    own.options = &options;
    sn_newton w = sn_newton_begin(&own);
    w.wanted = SN_LINEARISE_TENSION;
    const sn_newton_result result = sn_newton_fixed(&w, y);
    return sn_newton_end(&w, &result);
}
