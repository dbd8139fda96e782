/* "simplified": the linearisation is kept while |r| falls by half or better in each iteration, across steps too (Hauth 3.3). */
#include <math.h>

#include "newton.h"

/* The correction of an old linearisation leaves rate / (1 - rate) of itself. */
static bool sure(const sn_newton *w, double correction, double rate) {
    return rate < 1 && correction * fmax(1, rate / (1 - rate)) <= w->problem->options->tolerance * w->system->size;
}

sn_newton_result sn_newton_simplified(sn_newton *w, double *y) {
    static const sn_newton_rules rules = {.sure = sure};
    return sn_newton_converge(w, y, &rules);
}
