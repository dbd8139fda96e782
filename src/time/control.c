/* Step control: reaches the end of a frame, or reports the failure and keeps the state.
 *
 * Time inside the frame is counted in ticks of h / 1024. A step that fails is retried with half its ticks. Two
 * successes in a row double the ticks again.
 *
 * When elements are inside out, the force may jump. There is then no solution to converge to, for any step length. A
 * part of a sixteenth of the frame or less may therefore end with Newton's best iterate when its residual is at most a
 * tenth of the forces; the smallest parts may keep half. These parts are counted.
 *
 * Statics may have no solution beyond a limit load. It gives up after 20 refusals, or when it refuses an increment of a
 * sixty-fourth of the load that is already carried. All decisions depend only on statuses and counts. */
#include <math.h>

#include <string.h>

#include "base/vector.h"
#include "implicit.h"
#include "judge.h"
#include "system.h"

enum { TICKS = 1024, SUCCESSES = 2, LOOSE = 64, LOOSEST = 4, REFUSALS = 20, BRACKET = 64 };

sn_status sn_step_finish(sn_step *step, double *x, double *v) {
    sn_system *system = step->system;
    const int n = system->count;
    system->table->constrain(system, step->t + step->h, x, v, NULL);
    if (!isfinite(sn_vector_largest(system->context, n, x)) || !isfinite(sn_vector_largest(system->context, n, v)))
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

/* Scratch for the start of the frame, the start of a substep, and the method. */
int sn_control_scratch(const sn_method *method, int count) {
    return 5 * count + 2 * method->history(count) + method->scratch(count);
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

/* The state at the start of a part, and the force inside the bodies there: 3 count + history doubles. */
typedef struct start {
    double *x, *v, *force, *history;
} start;

static start start_in(const sn_step *step, double *room) {
    const int n = step->system->count;
    return (start){room, room + n, room + 2 * n, room + 3 * n};
}

static void keep(const sn_method *method, const sn_step *step, const start *at) {
    const int n = step->system->count;
    sn_vector_copy(step->system->context, n, step->x, at->x);
    sn_vector_copy(step->system->context, n, step->v, at->v);
    sn_vector_copy(step->system->context, method->history(n), step->history, at->history);
}

static void go_back(const sn_method *method, const sn_step *step, const start *at) {
    const int n = step->system->count;
    sn_vector_copy(step->system->context, n, at->x, step->x);
    sn_vector_copy(step->system->context, n, at->v, step->v);
    sn_vector_copy(step->system->context, method->history(n), at->history, step->history);
}

/* Takes a step, and takes it again while the system changes its constraints. */
static sn_status settle_step(const sn_method *method, sn_step *step, const start *at) {
    sn_system *system = step->system;
    for (;;) {
        bool settled = true;
        sn_status status = method->step(step);
        if (!status)
            status =
                system->table->settle(system, step->t, step->h, at->x, at->v, step->x, step->v, &settled, step->error);
        if (status || settled) return status;
        go_back(method, step, at);
    }
}

/* Takes a step from `at`, and judges it. On failure the state is that of `at` again. */
static sn_status judged_step(const sn_method *method, sn_step *step, const start *at) {
    sn_system *system = step->system;
    const bool settles = system->table->begin && system->table->begin(system, step->t, step->x, step->v);
    sn_judge judge;
    keep(method, step, at);
    sn_status status = sn_judge_start(step, at->x, at->v, at->force, &judge);
    if (!status) status = settles ? settle_step(method, step, at) : method->step(step);
    if (!status) status = sn_judge_end(step, &judge);
    if (status) go_back(method, step, at);
    return status;
}

static sn_status try_step(const sn_method *method, sn_step *step, double *room) {
    sn_system *system = step->system;
    const start at = start_in(step, room);
    const sn_status status = judged_step(method, step, &at);
    if (status) {
        if (system->table->reject) system->table->reject(system);
        ++step->info->retries;
    } else if (system->table->accept) {
        system->table->accept(system, step->t + step->h, step->x, step->v);
    }
    return status;
}

static bool is_static(const sn_step *step) { return strcmp(step->options->mode, "static") == 0; }

/* Whether there is probably no equilibrium ahead, after this many refusals of an increment of statics. */
static bool at_limit(const sn_step *part, int refusals) {
    return is_static(part) && (refusals >= REFUSALS || part->h * BRACKET <= part->t);
}

/* Sets the message for a load that statics could not carry. */
static sn_status name_limit(const sn_step *part, int refusals, sn_status status) {
    if (!part->error || !is_static(part)) return status;
    const sn_error inner = *part->error;
    return sn_fail(part->error, status,
                   "no equilibrium was found between load fractions %.4g and %.4g, in %d attempts; perhaps there is "
                   "none, because the "
                   "material gives way or the body buckles. %.300s",
                   part->t, part->t + part->h, refusals, inner.text);
}

sn_status sn_step_controlled(const sn_method *method, sn_step *step) {
    const int n = step->system->count, past = method->history(n);
    double *x = step->scratch, *v = x + n, *history = v + n;
    sn_step part = *step;
    double *start = history + past;
    part.scratch = start + 3 * n + past;
    int done = 0, ticks = TICKS, successes = 0, refusals = 0;
    while (done < TICKS) {
        part.t = step->t + step->h * done / TICKS;
        part.h = ticks == TICKS ? step->h : step->h * ticks / TICKS;
        part.loose = loose(step->options, ticks);
        sn_status status = try_step(method, &part, start);
        const bool stopped = (status || done + ticks < TICKS) && step->go_on && !step->go_on(step->user, &part);
        if (stopped)
            status = sn_fail(step->error, SN_STOPPED, "stopped by the caller at t = %g s: the step had to be divided",
                             part.t);
        if (!status) {
            done += ticks;
            if (++successes >= SUCCESSES && 2 * ticks <= TICKS) ticks *= 2, successes = 0;
            if (ticks > TICKS - done) ticks = TICKS - done;
            continue;
        }
        successes = 0;
        if (ticks == TICKS) { /* keep the start of the frame while parts of the step go on */
            sn_vector_copy(step->system->context, n, step->x, x);
            sn_vector_copy(step->system->context, n, step->v, v);
            sn_vector_copy(step->system->context, past, step->history, history);
        }
        ++refusals;
        if (stopped || !can_retry(method, status) || ticks == 1 || at_limit(&part, refusals)) {
            if (!stopped && can_retry(method, status)) status = name_limit(&part, refusals, status);
            sn_vector_copy(step->system->context, n, x, step->x);
            sn_vector_copy(step->system->context, n, v, step->v);
            sn_vector_copy(step->system->context, past, history, step->history);
            return status;
        }
        ticks = (ticks + 1) / 2;
        step->info->suggested_step = step->h * ticks / TICKS;
    }
    return SN_OK;
}
