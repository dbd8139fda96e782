/* The judge of a step. See judge.h. */
#include "judge.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

/* LEAP: a step may add as much energy as there is and as was moved. ROUNDING: of the potential of the outside, whose
 * zero may be far away. */
static const double LEAP = 1, ROUNDING = 1e-12;

sn_status sn_judge_start(const sn_step *step, const double *x, const double *v, double *force, sn_judge *judge) {
    sn_system *system = step->system;
    const char *mode = step->options->mode;
    *judge = (sn_judge){
        .sits = system->table->energies && (!*mode || strcmp(mode, "dynamic") == 0), .x = x, .v = v, .force = force};
    if (!judge->sits) return SN_OK;
    const sn_status status = system->table->inside(system, x, v, force, step->error);
    return status ? status
                  : system->table->energies(system, step->t + step->h, x, v, false, &judge->energy, step->error);
}

/* A step that looks like a leap: decides with the energy of the elements and the work of the outside. */
static sn_status look_closely(const sn_step *step, const sn_judge *judge) {
    sn_system *system = step->system;
    const double t1 = step->t + step->h;
    sn_energy before, after;
    sn_status status = system->table->energies(system, t1, judge->x, judge->v, true, &before, step->error);
    if (!status) status = system->table->energies(system, t1, step->x, step->v, true, &after, step->error);
    if (status) return status;
    const double had = before.kinetic + before.stored, has = after.kinetic + after.stored,
                 moved = after.outside - before.outside, gain = has - had + moved,
                 scale = before.kinetic + fabs(before.stored) + fabs(moved),
                 rounding = ROUNDING * (fabs(after.outside) + fabs(before.outside));
    if (gain <= LEAP * scale + rounding) return SN_OK;
    double work = 0;
    status = system->table->work(system, step->t, step->h, judge->x, judge->v, step->x, step->v, &work, step->error);
    if (status || gain - work <= LEAP * (scale + work) + rounding) return status;
    return sn_fail(step->error, SN_NOT_CONVERGED,
                   "the step of %g s to t = %g s leaps from %.3g J of motion and strain to %.3g J, and all forces "
                   "explain %.3g J; take a smaller step, or time.method 'implicit-euler' with time.newton.kind 'full'",
                   step->h, t1, had, has, work - moved);
}

sn_status sn_judge_end(const sn_step *step, const sn_judge *judge) {
    sn_system *system = step->system;
    const sn_context *context = system->context;
    const int n = system->count;
    if (!judge->sits) return SN_OK;
    sn_energy after;
    double *f = judge->force;
    const double from = sn_vector_dot(context, n, f, step->x) - sn_vector_dot(context, n, f, judge->x);
    sn_status status = system->table->inside(system, step->x, step->v, f, step->error);
    if (!status)
        status = system->table->energies(system, step->t + step->h, step->x, step->v, false, &after, step->error);
    if (status) return status;
    const double to = sn_vector_dot(context, n, f, step->x) - sn_vector_dot(context, n, f, judge->x);
    const double moved = after.outside - judge->energy.outside,
                 gain = after.kinetic - judge->energy.kinetic + moved - 0.5 * (from + to),
                 rounding = ROUNDING * (fabs(after.outside) + fabs(judge->energy.outside));
    if (gain <= LEAP * (judge->energy.kinetic + fabs(moved)) + rounding) return SN_OK;
    return look_closely(step, judge);
}
