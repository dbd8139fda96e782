/* Step control: reaches the end of a step, or reports the failure and keeps the state.
 *
 * Time inside the step is counted in ticks of h / 1024. A step that fails goes on in parts of half its ticks. Two
 * successes in a row double the ticks again.
 *
 * When elements are inside out, the force may jump. There is then no solution to converge to, for any step length. A
 * part of a sixteenth of the step or less may therefore end with Newton's best iterate when its residual is at most a
 * tenth of the forces; the smallest parts may keep half. These parts are counted. Such a part that fails all the same
 * is solved in another way (try_otherwise).
 *
 * Statics may have no solution beyond a limit load. It gives up after 20 refusals, or when it refuses an increment of a
 * sixty-fourth of the load that is already carried. A step of dynamics fails after 64 refusals: its parts would be so
 * small, all along the step, that it would seem to hang. All decisions depend only on statuses and counts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "explicit.h"
#include "implicit.h"
#include "judge.h"
#include "methods.h"
#include "system.h"

enum { TICKS = 1024, SUCCESSES = 2, LOOSE = 64, LOOSEST = 4, REFUSALS = 20, BRACKET = 64, PATIENCE = 64 };

bool sn_step_arrive(sn_step *step, double *x, double *v) {
    sn_system *system = step->system;
    system->table->constrain(system, step->t + step->h, x, v, NULL);
    step->speed = sn_vector_largest(system->context, system->count, v);
    return isfinite(step->speed) && isfinite(sn_vector_largest(system->context, system->count, x));
}

sn_status sn_step_finish(sn_step *step, double *x, double *v) {
    sn_system *system = step->system;
    const int n = system->count;
    if (!sn_step_arrive(step, x, v))
        return sn_fail(step->error, SN_NOT_FINITE, "the state is not finite at t = %g s after a step of %g s",
                       step->t + step->h, step->h);
    sn_vector_copy(system->context, n, x, step->x);
    sn_vector_copy(system->context, n, v, step->v);
    return SN_OK;
}

sn_status sn_step_check(sn_step *step, double t, const double *x) {
    sn_result result = {0};
    return step->system->table->evaluate(step->system, &(sn_request){.t = t, .x = x, .check = true}, &result,
                                         step->error);
}

sn_status sn_step_alive(sn_step *step, double t) {
    sn_step now = *step;
    now.t = t;
    if (!step->go_on || step->go_on(step->user, &now)) return SN_OK;
    return sn_fail(step->error, SN_STOPPED, "stopped by the caller at t = %g s", t);
}

sn_newton_problem sn_step_problem(sn_step *step, const double *guess, double *scratch) {
    return (sn_newton_problem){.system = step->system,
                               .velocity = step->v,
                               .options = &step->options->newton,
                               .linear_tolerance = step->tolerance,
                               .loose = step->loose,
                               .guess = step->warm_start ? guess : NULL,
                               .scratch = scratch,
                               .info = step->info,
                               .error = step->error};
}

/* Whether steps with contact are taken by implicit Euler instead. Methods of higher order assume smooth forces. A
 * contact that begins or ends within a step then feeds energy: the step extrapolates the force of a stiff spring, or
 * the jump of the velocity. */
static bool meets_apart(const sn_method *method) { return method->implicit && method->order > 1; }

/* Scratch for the start of the step, the start of a part, and the method; implicit Euler may need it instead, with
 * its history. */
int sn_control_scratch(const sn_method *method, int count) {
    const int own = method->scratch(count),
              euler = meets_apart(method) ? sn_implicit_euler_history(count) + sn_implicit_euler_scratch(count) : 0;
    return 5 * count + 2 * method->history(count) + (own > euler ? own : euler);
}

/* Whether a smaller step may help. An explicit method that diverged has damaged its state several steps ago. Such a
 * failure is reported instead of hidden by smaller steps. */
static bool can_retry(const sn_method *method, sn_status status) {
    if (!method->implicit) return status == SN_INVERTED;
    return status == SN_NOT_CONVERGED || status == SN_NOT_FINITE || status == SN_INVERTED || status == SN_SINGULAR;
}

/* The residual, relative to the forces, that is allowed at the end of a part of `ticks` ticks. */
static double loose(const sn_time_options *options, int ticks) {
    if (ticks > LOOSE || strcmp(options->mode, "dynamic") != 0) return 0;
    return ticks <= LOOSEST ? 0.5 : 0.1;
}

/* The start of a part of a step: the state, the account, and the force inside the bodies. */
typedef struct part_start {
    sn_motion at;
    double account[SN_JUDGE_NUMBERS], *force;
} part_start;

static void copy_start(const sn_method *method, const sn_step *step, const sn_motion *from, const sn_motion *to) {
    const sn_context *context = step->system->context;
    const int n = step->system->count;
    sn_vector_copy(context, n, from->x, to->x);
    sn_vector_copy(context, n, from->v, to->v);
    sn_vector_copy(context, method->history(n), from->history, to->history);
}

static sn_motion state_of(const sn_step *step) { return (sn_motion){step->x, step->v, step->history}; }

static void go_back(const sn_method *method, const sn_step *step, const part_start *start) {
    const sn_motion state = state_of(step);
    copy_start(method, step, &start->at, &state);
    if (step->account) memcpy(step->account, start->account, sizeof start->account);
}

/* Takes a step, and takes it again while the system changes its constraints. The judge looks at the step before the
 * system moves positions to settle it: what moves them there is no force. */
static sn_status settle_step(const sn_method *method, sn_step *step, const part_start *start, const sn_judge *judge,
                             bool settles) {
    sn_system *system = step->system;
    for (;;) {
        bool settled = true;
        sn_status status = method->step(step);
        if (status) return status;
        sn_status verdict = sn_judge_end(step, judge);
        if (verdict == SN_NOT_CONVERGED && step->limit)
            verdict = sn_explicit_diverged(step, method->name, step->limit, step->limit_self);
        if (settles)
            status =
                system->table->settle(system, &(sn_trial){step->t, step->h, start->at.x, start->at.v, step->x, step->v},
                                      &settled, step->error);
        if (status || settled) return status ? status : verdict;
        go_back(method, step, start);
    }
}

/* Takes a step with contact by implicit Euler. The method starts anew after it. */
static sn_status meet(const sn_method *method, sn_step *step, const part_start *start, const sn_judge *judge,
                      bool settles) {
    const int n = step->system->count;
    static const sn_method euler = {.history = sn_implicit_euler_history, .step = sn_implicit_euler_step};
    sn_step apart = *step;
    apart.history = step->scratch;
    apart.scratch = step->scratch + sn_implicit_euler_history(n);
    sn_vector_zero(step->system->context, sn_implicit_euler_history(n), apart.history);
    part_start euler_start = *start;
    euler_start.at.history = apart.history;
    const sn_status status = settle_step(&euler, &apart, &euler_start, judge, settles);
    if (!status) sn_vector_zero(step->system->context, method->history(n), step->history);
    return status;
}

static bool begin(const sn_step *step) {
    sn_system *system = step->system;
    return system->table->begin && system->table->begin(system, step->t, step->x, step->v);
}

static bool touches(const sn_step *step, double t) {
    sn_system *system = step->system;
    sn_result result = {0};
    const sn_request request = {.t = t, .x = step->x, .v = step->v, .touch = true};
    return !system->table->evaluate(system, &request, &result, NULL) && result.touches;
}

/* Takes a step from `start`, and judges it. On failure the state is that of `start` again. */
static sn_status judged_step(const sn_method *method, sn_step *step, const part_start *start) {
    sn_system *system = step->system;
    bool settles = begin(step);
    sn_judge judge;
    sn_status status = sn_judge_start(method, step, start->at.x, start->at.v, start->force, &judge);
    bool met = !status && meets_apart(method) && touches(step, step->t);
    if (!status && !met) {
        status = settle_step(method, step, start, &judge, settles);
        met = !status && meets_apart(method) && touches(step, step->t + step->h);
        if (met) { /* forget the attempt */
            go_back(method, step, start);
            if (system->table->end) system->table->end(system, NULL);
            settles = begin(step);
        }
    }
    if (!status && met) status = meet(method, step, start, &judge, settles);
    if (status) go_back(method, step, start);
    return status;
}

static sn_status try_step(const sn_method *method, sn_step *step, part_start *start) {
    sn_system *system = step->system;
    if (step->account) memcpy(start->account, step->account, sizeof start->account);
    const sn_status status = judged_step(method, step, start);
    const sn_trial trial = {step->t, step->h, start->at.x, start->at.v, step->x, step->v};
    if (system->table->end) system->table->end(system, status ? NULL : &trial);
    if (status) ++step->info->retries;
    return status;
}

/* The last resort for a part that failed: the other way to solve it, which the judge accepts or not. A kind of Newton's
 * method that converges gives way to one linear solve, and a kind of a fixed number of solves gives way to "full". When
 * this fails too, the message stays that of the part: it speaks of the kind that the user chose. */
static sn_status try_otherwise(const sn_method *method, const sn_step *step, part_start *start) {
    sn_time_options options = *step->options;
    const bool converges = sn_newton_converges(options.newton.kind);
    snprintf(options.newton.kind, sizeof options.newton.kind, "%s", converges ? "one-step" : "full");
    sn_step other = *step;
    other.options = &options;
    sn_error ignored;
    if (step->error) other.error = &ignored;
    const sn_status status = try_step(method, &other, start);
    if (!status && converges) ++step->info->loose;
    return status;
}

static bool is_static(const sn_step *step) { return strcmp(step->options->mode, "static") == 0; }

/* Whether there is probably no equilibrium ahead, after this many refusals of an increment of statics. */
static bool at_limit(const sn_step *part, int refusals) {
    return is_static(part) && (refusals >= REFUSALS || part->h * BRACKET <= part->t);
}

/* Whether a step of dynamics was refused too often to go on. */
static bool tired(const sn_step *part, int refusals) { return !is_static(part) && refusals >= PATIENCE; }

/* Sets the message for a load that statics could not carry, and for a step that was refused too often. */
static sn_status name_limit(const sn_step *part, int refusals, sn_status status) {
    if (!part->error || (!is_static(part) && !tired(part, refusals))) return status;
    const sn_error inner = *part->error;
    if (tired(part, refusals))
        return sn_fail(part->error, status, "the step was refused %d times, at last in a part of %.3g s. %.400s",
                       refusals, part->h, inner.text);
    return sn_fail(part->error, status,
                   "no equilibrium was found between load fractions %.4g and %.4g, in %d attempts; perhaps there is "
                   "none, because the "
                   "material gives way or the body buckles. %.300s",
                   part->t, part->t + part->h, refusals, inner.text);
}

/* Takes the parts of a step, from `whole`, the start of the step. `room`: for the starts of later parts. */
static sn_status take_parts(const sn_method *method, const sn_step *step, const sn_motion *whole, const sn_motion *room,
                            sn_step *part, double *force) {
    int done = 0, ticks = TICKS, successes = 0, refusals = 0;
    while (done < TICKS) {
        part->t = step->t + step->h * done / TICKS;
        part->h = ticks == TICKS ? step->h : step->h * ticks / TICKS;
        part->loose = loose(step->options, ticks);
        part_start start = {.at = done == 0 ? *whole : *room, .force = force};
        const sn_motion state = state_of(part);
        if (done > 0) copy_start(method, part, &state, room);
        sn_status status = try_step(method, part, &start);
        if (status == SN_NOT_CONVERGED && part->loose > 0 && method->implicit)
            status = try_otherwise(method, part, &start);
        const bool stopped = (status || done + ticks < TICKS) && step->go_on && !step->go_on(step->user, part);
        if (stopped)
            status = sn_fail(step->error, SN_STOPPED, "stopped by the caller at t = %g s, within a step", part->t);
        if (!status) {
            done += ticks;
            if (++successes >= SUCCESSES && 2 * ticks <= TICKS) ticks *= 2, successes = 0;
            if (ticks > TICKS - done) ticks = TICKS - done;
            continue;
        }
        successes = 0, ++refusals;
        if (stopped || !can_retry(method, status)) return status;
        if (ticks == 1 || at_limit(part, refusals) || tired(part, refusals)) return name_limit(part, refusals, status);
        ticks = (ticks + 1) / 2;
        step->info->suggested_step = step->h * ticks / TICKS;
    }
    return SN_OK;
}

sn_status sn_step_controlled(const sn_method *method, sn_step *step) {
    const int n = step->system->count, past = method->history(n);
    double *memory = step->scratch;
    const sn_motion own = {memory, memory + n, memory + 2 * n}, state = state_of(step);
    memory += 2 * n + past;
    const sn_motion room = {memory, memory + n, memory + 2 * n};
    memory += 2 * n + past;
    sn_step part = *step;
    part.scratch = memory + n;
    if (!step->start) copy_start(method, step, &state, &own);
    const sn_motion *whole = step->start ? step->start : &own;
    const sn_status status = take_parts(method, step, whole, &room, &part, memory);
    if (status) copy_start(method, step, whole, &state);
    return status;
}
