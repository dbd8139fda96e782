/* The judge of a step. See judge.h. */
#include "judge.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

/* LEAP: a step may add as much energy as there is and as was moved. LEVEL: the unexplained part of the energy that is
 * allowed. Relative to the kinetic energy: TINY, gains that are booked without a search for their cause; SMALL, gains
 * that need no closer look. SMALL is also, relative to the largest kinetic energy, an account that is not worth a
 * refusal. STILL: speeds below this many sizes per second are rounding. */
static const double LEAP = 1, LEVEL = 0.5, SMALL = 1e-3, TINY = 1e-6, STILL = 1e-6;

/* The energies at (t + h, x, v), and the force of the elements there unless `force` is NULL. All are taken at the end
 * of the step: what a material forgets while it stays in one place is not work. */
static sn_status look(const sn_step *step, const double *x, const double *v, bool stored, sn_energy *energy,
                      const double **force) {
    const sn_request request = {
        .t = step->t + step->h, .x = x, .v = v, .energies = energy, .stored = stored, .inside = force != NULL};
    sn_result result = {0};
    const sn_status status = step->system->table->evaluate(step->system, &request, &result, step->error);
    if (force) *force = result.inside;
    return status;
}

sn_status sn_judge_start(const sn_method *method, const sn_step *step, const double *x, const double *v, double *force,
                         sn_judge *judge) {
    sn_system *system = step->system;
    const sn_time_options *options = step->options;
    const bool dynamic = method != sn_method_equilibrium(),
               corrects = dynamic && options->correction.use && method->corrects;
    *judge = (sn_judge){.sits = options->judge && dynamic && step->account && system->table->work,
                        .books = !corrects,
                        .x = x,
                        .v = v,
                        .force = force};
    if (!judge->sits) return SN_OK;
    const double *f = NULL;
    const sn_status status = look(step, x, v, false, &judge->energy, &f);
    if (!status) sn_vector_copy(system->context, system->count, f, force);
    return status;
}

/* The advice of a refusal. It names no choice that the step has already. */
static const char *advice(const sn_step *step) {
    const sn_time_options *options = step->options;
    if (strcmp(sn_method_choose(options)->name, "implicit-euler") != 0)
        return "take a smaller step, or time.method 'implicit-euler'";
    if (!sn_newton_converges(options->newton.kind)) return "take a smaller step, or time.newton.kind 'full'";
    return "take a smaller step, or another material law: a law without an energy, such as 'corotated-updated', can "
           "gain "
           "energy with every method";
}

static sn_status refuse_leap(const sn_step *step, double had, double has, double explained) {
    return sn_fail(step->error, SN_NOT_CONVERGED,
                   "the step of %g s to t = %g s leaps from %.3g J of motion and strain to %.3g J, and all forces "
                   "explain %.3g J; %s",
                   step->h, step->t + step->h, had, has, explained, advice(step));
}

/* Replaces *gain by the gain with the energy of the elements. `work`: of the outside and of prescribed motion. */
static sn_status look_closely(const sn_step *step, const sn_judge *judge, double work, double *gain) {
    sn_energy before, after;
    sn_status status = look(step, judge->x, judge->v, true, &before, NULL);
    if (!status) status = look(step, step->x, step->v, true, &after, NULL);
    if (status) return status;
    const double had = before.kinetic + before.stored, has = after.kinetic + after.stored,
                 moved = after.outside - before.outside;
    *gain = has - had + moved - work;
    if (*gain <= LEAP * (before.kinetic + fabs(before.stored) + fabs(moved) + work)) return SN_OK;
    return refuse_leap(step, had, has, work - moved);
}

/* The work of the forces inside the bodies, by the trapezoidal rule. */
static double work_inside(const sn_step *step, const sn_judge *judge, const double *f) {
    return 0.5 * sn_vector_work(step->system->context, step->system->count, judge->force, f, judge->x, step->x);
}

/* The gain of the step that nothing explains. */
static sn_status weigh(const sn_step *step, const sn_judge *judge, const sn_energy *after, double inside,
                       double *gain) {
    sn_system *system = step->system;
    const double moved = after->outside - judge->energy.outside;
    double work = 0;
    *gain = after->kinetic - judge->energy.kinetic + moved - inside;
    /* The trapezoidal rule is rough in a violent motion: it must not pay back what is really owed. */
    const bool owes = step->account[0] > SMALL * step->account[1];
    if (!owes && *gain <= TINY * (judge->energy.kinetic + fabs(moved))) return SN_OK;
    const sn_trial trial = {step->t, step->h, judge->x, judge->v, step->x, step->v};
    const sn_status status = system->table->work(system, &trial, moved, &work, step->error);
    *gain -= work;
    if (status || (!owes && *gain <= SMALL * (judge->energy.kinetic + fabs(moved)))) return status;
    return look_closely(step, judge, work, gain);
}

/* Books the gain. Refuses the step when too much of the energy is unexplained. A step that adds nothing to the debt is
 * not refused: a motion that comes to rest must not fail because of what it owed before. */
static sn_status book(const sn_step *step, const sn_energy *after, double gain) {
    const double debt = fmax(step->account[0] + gain, 0), most = fmax(step->account[1], after->kinetic);
    if (gain > 0 && debt > SMALL * most && debt > LEVEL * after->kinetic) {
        sn_energy full;
        const sn_status status = look(step, step->x, step->v, true, &full, NULL);
        if (status) return status;
        const double has = full.kinetic + fabs(full.stored);
        if (debt > LEVEL * has)
            return sn_fail(step->error, SN_NOT_CONVERGED,
                           "motion and strain grew to %.3g J until t = %g s, and no force explains %.3g J of it: the "
                           "motion is not stable here; %s",
                           has, step->t + step->h, debt, advice(step));
    }
    step->account[0] = debt, step->account[1] = most;
    return SN_OK;
}

sn_status sn_judge_end(const sn_step *step, const sn_judge *judge) {
    if (!judge->sits || step->speed < STILL * step->system->size) return SN_OK;
    sn_energy after;
    double gain = 0;
    const double *f = NULL;
    sn_status status = look(step, step->x, step->v, false, &after, &f);
    if (!status) status = weigh(step, judge, &after, work_inside(step, judge, f), &gain);
    return status || !judge->books ? status : book(step, &after, gain);
}
