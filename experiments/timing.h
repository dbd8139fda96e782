/* Functions for experiments that measure time. They use one thread and its processor time, because other work on the
 * machine disturbs it least. Also a straight line by least squares. */
#ifndef SINEW_EXPERIMENT_TIMING_H
#define SINEW_EXPERIMENT_TIMING_H

#include <time.h>

#include "experiment.h"

/* Processor time of this thread, s. */
static inline double thread_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Runs `body` with a context of one thread in the place of the context of the run. */
static inline sn_status run_on_one_thread(const experiment_run *run,
                                          sn_status (*body)(experiment_run *run, sn_error *error), sn_error *error) {
    experiment_run own = *run;
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    sn_status status = sn_context_create(&options, &own.context, error);
    if (status) return status;
    status = body(&own, error);
    sn_context_destroy(own.context);
    return status;
}

typedef struct line_fit {
    double intercept, slope;
    double r2; /* 1: all points are on the line */
} line_fit;

static inline line_fit fit_line(int n, const double *x, const double *y) {
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

#endif
