/* See explicit.h. */
#include "explicit.h"
#include "base/vector.h"

#include "base/context.h"
#include "vector.h"

sn_status sn_acceleration(sn_step *step, double t, const double *x, const double *v, double *a, double *work) {
    sn_system *system = step->system;
    const int n = system->count;
    double *f = work, *moved = work + n;
    const double start = sn_seconds();
    sn_status status = system->table->force(system, t, x, v, f, step->error);
    step->info->assembly_seconds += sn_seconds() - start;
    ++step->info->force_evaluations;
    if (status) return status;
    if (system->table->acceleration) {
        sn_vec_zero(n, a);
        system->table->acceleration(system, t, a);
        system->table->mass_product(system, a, moved);
        sn_vec_add(n, -1, moved, f);
    }
    status = system->table->mass_solve(system, f, a, step->error);
    if (!status && system->table->acceleration) system->table->acceleration(system, t, a);
    return status;
}

sn_status sn_explicit_diverged(sn_step *step, const char *name, double (*limit)(const void *self, double omega, double delta),
                               const void *self) {
    sn_system *system = step->system;
    const double t = step->t + step->h;
    double stiffness = 0, damping = 0;
    /* Where it diverged the state is spoiled already: far stretched, far stiffer. */
    const double *x = system->rest ? system->rest : step->x;
    sn_status status = system->table->spectrum ? system->table->linearise(system, step->t, x, step->v, NULL) : SN_UNSUPPORTED;
    system->kept = 0;
    if (!status) status = system->table->spectrum(system, &stiffness, &damping, NULL);
    const double advice = status ? 0 : limit(self, sqrt(fmax(stiffness, 0)), fmax(damping, 0));
    step->info->suggested_step = isfinite(advice) ? 0.9 * advice : 0;
    if (advice > 0 && isfinite(advice))
        return sn_fail(step->error, SN_NOT_CONVERGED,
                       "the explicit method '%s' diverged at t = %g s with a step of %g s; it is stable up to about %.3g s here: take such "
                       "a step, or an implicit method",
                       name, t, step->h, 0.9 * advice);
    return sn_fail(step->error, SN_NOT_CONVERGED,
                   "the explicit method '%s' diverged at t = %g s with a step of %g s; take a smaller step or an implicit method", name, t,
                   step->h);
}

sn_status sn_explicit_finish(sn_step *step, const char *name, double (*limit)(const void *self, double omega, double delta),
                             const void *self, double *x, double *v, const double *a) {
    const int n = step->system->count;
    const double size = step->system->size;
    const double run = (a ? step->h * step->h * sn_vector_largest(step->system->context, n, a) : 0) +
                       sn_vector_largest(step->system->context, n, x) + sn_vector_largest(step->system->context, n, v);
    if (!isfinite(run) || (a && step->h * step->h * sn_vector_largest(step->system->context, n, a) > 10 * size))
        return sn_explicit_diverged(step, name, limit, self);
    const sn_system_table *table = step->system->table;
    const sn_status status = table->check ? table->check(step->system, step->t + step->h, x, step->error) : SN_OK;
    return status ? status : sn_step_finish(step, x, v);
}
