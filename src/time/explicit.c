/* See explicit.h. */
#include <math.h>

#include "base/vector.h"
#include "explicit.h"

#include "base/context.h"

sn_status sn_acceleration(sn_step *step, double t, const double *x, const double *v, double *a, double *work) {
    sn_system *system = step->system;
    const int n = system->count;
    double *f = work, *moved = work + n;
    const double start = sn_seconds();
    sn_result result = {0};
    sn_status status =
        system->table->evaluate(system, &(sn_request){.t = t, .x = x, .v = v, .force = f}, &result, step->error);
    step->info->assembly_seconds += sn_seconds() - start;
    ++step->info->force_evaluations;
    if (status) return status;
    sn_vector_zero(system->context, n, a);
    system->table->constrain(system, t, NULL, NULL, a);
    if (sn_vector_largest(system->context, n, a) != 0) { /* some motion is prescribed and accelerates */
        system->table->mass_product(system, a, moved);
        sn_vector_add(system->context, n, -1, moved, f);
    }
    status = system->table->mass_solve(system, f, a, step->error);
    if (!status) system->table->constrain(system, t, NULL, NULL, a);
    return status;
}

sn_status sn_step_spectrum(sn_step *step, const double *x, double *stiffness, double *damping, sn_error *error) {
    sn_system *system = step->system;
    sn_result result = {0};
    const sn_request request = {.t = step->t, .x = x, .v = step->v, .linearise = SN_LINEARISE_EXACT};
    const sn_status status = system->table->evaluate(system, &request, &result, error);
    if (status) return status;
    sn_linearisation *linearisation = result.linearisation;
    if (!linearisation->table->spectrum)
        return sn_fail(error, SN_UNSUPPORTED, "the system gives no bound on its highest frequency");
    return linearisation->table->spectrum(linearisation, stiffness, damping, error);
}

sn_status sn_explicit_diverged(sn_step *step, const char *name,
                               double (*limit)(const void *self, double omega, double delta), const void *self) {
    sn_system *system = step->system;
    const double t = step->t + step->h;
    double stiffness = 0, damping = 0;
    /* Use the rest positions: the state after a divergence is far stretched, and therefore far stiffer. */
    const double *x = system->rest ? system->rest : step->x;
    const bool known = sn_step_spectrum(step, x, &stiffness, &damping, NULL) == SN_OK;
    const double advice = !known ? 0 : limit(self, sqrt(fmax(stiffness, 0)), fmax(damping, 0));
    /* A limit above the present step explains nothing: the body became stiffer than at rest. */
    const bool explains = advice > 0 && 0.9 * advice < step->h;
    step->info->suggested_step = explains ? 0.9 * advice : 0;
    if (explains)
        return sn_fail(step->error, SN_NOT_CONVERGED,
                       "the explicit method '%s' diverged at t = %g s with a step of %g s; it is stable up to about "
                       "%.3g s here: take such "
                       "a step, or an implicit method",
                       name, t, step->h, 0.9 * advice);
    return sn_fail(
        step->error, SN_NOT_CONVERGED,
        "the explicit method '%s' diverged at t = %g s with a step of %g s; take a smaller step or an implicit method",
        name, t, step->h);
}

sn_status sn_explicit_finish(sn_step *step, const char *name,
                             double (*limit)(const void *self, double omega, double delta), const void *self, double *x,
                             double *v, const double *a) {
    const sn_system *system = step->system;
    const int n = system->count;
    step->limit = limit, step->limit_self = self;
    const double leap = a ? step->h * step->h * sn_vector_largest(system->context, n, a) : 0;
    if (!(leap <= 10 * system->size) || !sn_step_arrive(step, x, v))
        return sn_explicit_diverged(step, name, limit, self);
    const sn_status status = sn_step_check(step, step->t + step->h, x);
    if (status) return status;
    sn_vector_copy(system->context, n, x, step->x);
    sn_vector_copy(system->context, n, v, step->v);
    return SN_OK;
}
