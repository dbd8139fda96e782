/* "inexact": the linear tolerance follows the progress (Eisenstat and Walker 1996, choice 2). */
#include "newton.h"

/* eta = 0.9 (|r| / |r last|)^2. It must not fall too fast, and the solve must not be more exact than Newton's tolerance
 * needs. */
static double forcing(sn_newton *w, int iteration) {
    const sn_newton_problem *p = w->problem;
    if (iteration == 0) return w->eta = 0.1;
    const double ratio = w->residual / w->last, memory = 0.9 * w->eta * w->eta;
    double eta = 0.9 * ratio * ratio;
    if (memory > 0.1 && memory > eta) eta = memory;
    if (eta < sn_newton_enough(w)) eta = sn_newton_enough(w);
    if (eta > 0.5) eta = 0.5;
    if (eta < p->linear_tolerance) eta = p->linear_tolerance;
    return w->eta = eta;
}

sn_newton_result sn_newton_inexact(sn_newton *w, double *y) {
    static const sn_newton_rules rules = {.tolerance = forcing};
    return sn_newton_converge(w, y, &rules);
}
