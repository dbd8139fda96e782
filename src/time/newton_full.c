/* "full": a new linearisation in each iteration, and linear solves to the tolerance of the solver. */
#include "newton.h"

sn_newton_result sn_newton_full(sn_newton *w, double *y) {
    static const sn_newton_rules rules = {0};
    return sn_newton_converge(w, y, &rules);
}
