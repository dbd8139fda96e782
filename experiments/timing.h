/* Time, for all experiments with claims on it. A claim must not depend on other work of the machine. So all experiments
 * measure in the same way:
 *   - They take the processor time of the thread that takes the steps, in a context of one thread.
 *   - Work that is repeated counts with its fastest repetition, because other work on the machine can only add time.
 *     Runs are deterministic: step i does the same work in every run. A *stopwatch* keeps the least time of each step
 *     over the runs.
 *   - Things to compare are measured in turn, so that a slow minute of the machine meets all of them.
 * Also a straight line by least squares. */
#ifndef SINEW_EXPERIMENT_TIMING_H
#define SINEW_EXPERIMENT_TIMING_H

#include "experiment.h"

/* Processor time of this thread, s. */
double thread_seconds(void);

/* A context of one thread, with the instruction set of the run. */
sn_status one_thread(const experiment_run *run, sn_context **context, sn_error *error);
/* Runs `body` with a context of one thread in the place of the context of the run. */
sn_status run_on_one_thread(const experiment_run *run, sn_status (*body)(experiment_run *run, sn_error *error),
                            sn_error *error);

/* The times of the steps of a run that may be repeated. Starts as {0}; release it with stopwatch_release. */
typedef struct stopwatch {
    int at;       /* the next step of this run */
    int count;    /* steps with a time */
    int capacity; /* of `least` */
    double *least;
} stopwatch;

/* Takes a step of the world and notes its time. */
sn_status stopwatch_step(stopwatch *watch, sn_world *world, sn_step_report *report, sn_error *error);
/* The next step is the first one of another run. */
void stopwatch_rewind(stopwatch *watch);
/* The sum over the first `steps` steps, and over all steps, s. */
double stopwatch_sum(const stopwatch *watch, int steps);
double stopwatch_total(const stopwatch *watch);
/* The fastest step after the first `skipped` ones, s; infinite when there is none. */
double stopwatch_fastest(const stopwatch *watch, int skipped);
void stopwatch_release(stopwatch *watch);

typedef struct line_fit {
    double intercept, slope;
    double r2; /* 1: all points are on the line */
} line_fit;

line_fit fit_line(int n, const double *x, const double *y);

#endif
