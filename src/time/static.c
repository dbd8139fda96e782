/* Statics: the whole load, including gravity, is applied in equal fractions. step->t is the fraction of the load. The
 * step control halves a fraction that fails. */
#include "system.h"

sn_status sn_static_solve(sn_step *step, bool (*reached)(void *user, const sn_step *step), void *user) {
    const int steps = step->options->load_steps > 1 ? step->options->load_steps : 1;
    const double start = step->t;
    step->start = NULL; /* each fraction starts anew */
    for (int i = 1; i <= steps; ++i) {
        const double goal = i == steps ? 1.0 : start + (1 - start) * i / steps;
        step->h = goal - step->t;
        const sn_status status = sn_step_controlled(sn_method_equilibrium(), step);
        if (status) return status;
        step->t = goal;
        if (reached && !reached(user, step))
            return sn_fail(step->error, SN_STOPPED, "stopped by the caller at load fraction %g", goal);
    }
    return SN_OK;
}
