/* "simplified": the linearisation is kept, also across steps, while each iteration at least halves |r| (Hauth 3.3). */
#include <math.h>

#include "newton.h"

/* After a correction with an old linearisation, an error of rate / (1 - rate) times the correction remains. */
static bool sure(const sn_newton *w, double correction, double rate) {
    return rate < 1 && correction * fmax(1, rate / (1 - rate)) <= w->problem->options->tolerance * w->system->size;
}

sn_newton_result sn_newton_simplified(sn_newton *w, double *y) {
    static const sn_newton_rules rules = {.sure = sure};
    return sn_newton_converge(w, y, &rules);
}
