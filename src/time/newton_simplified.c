/* "simplified": a linearisation is kept, also across steps, as long as it serves (Hauth 3.3.3, 3.3.4; Hairer and
 * Wanner, Solving Ordinary Differential Equations II, IV.8).
 *
 * The corrections s_k shrink by Theta = |s_k| / |s_(k-1)|, so after s_k an error of at most Theta / (1 - Theta) |s_k|
 * remains. The iteration ends when this error is below the goal. The first correction of a step has no Theta of its
 * own. It takes the last one that was measured with the same linearisation, to the power of 0.8 (Hairer and Wanner).
 *
 * A linearisation is renewed
 *   - in the next iteration, when the line search cut the correction, when the corrections do not shrink (Theta >= 1),
 * or so slowly that the iterations that are left will not reach the goal; in statics, where no inertia keeps the
 *     corrections short, also when |r| was not halved;
 *   - in the next step, when this step needed 4 corrections or more and its last Theta was 1e-3 or more. */
#include <math.h>

#include "base/vector.h"
#include "newton.h"

enum { MANY = 4 };
static const double FAST = 1e-3;

static bool monitor(sn_newton *w, double largest, double s, int number) {
    const sn_newton_options *options = w->problem->options;
    const double goal = options->tolerance * w->system->size, before = w->correction;
    const bool halved = w->residual <= 0.5 * w->last;
    if (s < 1 || (w->problem->m == 0 && !halved)) sn_newton_forget(w);
    w->correction = s * sn_vector_norm(w->system->context, w->n, w->d);
    double theta = pow(w->linearisation->contraction, 0.8);
    if (before > 0) theta = w->linearisation->contraction = w->correction / before;
    if (s < 1 || theta >= 1) {
        if (before > 0) sn_newton_forget(w);
        return false;
    }
    const double error = theta / (1 - theta) * largest;
    const int left = options->iterations - number - 1;
    if (!(error <= goal) && !(error * pow(theta, left) <= goal)) sn_newton_forget(w);
    return error <= goal;
}

sn_newton_result sn_newton_simplified(sn_newton *w, double *y) {
    static const sn_newton_rules rules = {.monitor = monitor};
    const int before = w->problem->info->newton_iterations;
    const sn_newton_result result = sn_newton_converge(w, y, &rules);
    const int corrections = w->problem->info->newton_iterations - before;
    if (corrections >= MANY && w->linearisation && w->linearisation->contraction >= FAST) sn_newton_forget(w);
    return result;
}
