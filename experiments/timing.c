/* See timing.h. */
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double thread_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- One thread ---- */
sn_status one_thread(const experiment_run *run, sn_context **context, sn_error *error) {
    sn_context_options options = sn_context_options_default();
    options.threads = 1, options.simd = sn_context_simd(run->context);
    return sn_context_create(&options, context, error);
}

sn_status run_on_one_thread(const experiment_run *run, sn_status (*body)(experiment_run *run, sn_error *error),
                            sn_error *error) {
    experiment_run own = *run;
    sn_status status = one_thread(run, &own.context, error);
    if (status) return status;
    status = body(&own, error);
    sn_context_destroy(own.context);
    return status;
}

/* ---- Stopwatch ---- */
static sn_status make_room(stopwatch *watch, sn_error *error) {
    if (watch->at < watch->capacity) return SN_OK;
    const int capacity = watch->capacity ? 2 * watch->capacity : 256;
    double *least = realloc(watch->least, (size_t)capacity * sizeof *least);
    if (!least) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    watch->least = least, watch->capacity = capacity;
    return SN_OK;
}

sn_status stopwatch_step(stopwatch *watch, sn_world *world, sn_step_report *report, sn_error *error) {
    sn_status status = make_room(watch, error);
    if (status) return status;
    const double start = thread_seconds();
    status = sn_world_step(world, report, error);
    const double seconds = thread_seconds() - start;
    double *least = &watch->least[watch->at];
    *least = watch->at < watch->count ? fmin(*least, seconds) : seconds;
    if (++watch->at > watch->count) watch->count = watch->at;
    return status;
}

void stopwatch_rewind(stopwatch *watch) { watch->at = 0; }

double stopwatch_sum(const stopwatch *watch, int steps) {
    double sum = 0;
    for (int i = 0; i < steps; ++i) sum += watch->least[i];
    return sum;
}

double stopwatch_total(const stopwatch *watch) { return stopwatch_sum(watch, watch->count); }

double stopwatch_fastest(const stopwatch *watch, int skipped) {
    double least = INFINITY;
    for (int i = skipped; i < watch->count; ++i) least = fmin(least, watch->least[i]);
    return least;
}

void stopwatch_release(stopwatch *watch) {
    free(watch->least);
    *watch = (stopwatch){0};
}

/* ---- A straight line ---- */
line_fit fit_line(int n, const double *x, const double *y) {
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < n; ++i) mx += x[i] / n, my += y[i] / n;
    for (int i = 0; i < n; ++i) {
        xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    line_fit fit = {.slope = xx > 0 ? xy / xx : 0};
    fit.intercept = my - fit.slope * mx;
    fit.r2 = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
    return fit;
}
