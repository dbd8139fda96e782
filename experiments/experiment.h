/* Experiments: the source documents' experiments with their claims, run by `sinew experiment`.
 *
 * An experiment is one file experiments/<name>.c with one table and a line in experiments/experiments.c. It simulates, writes its tables
 * as CSV and its plots as SVG into the output folder, and checks each claim with the figure it measured. It may use internal headers. */
#ifndef SINEW_EXPERIMENT_H
#define SINEW_EXPERIMENT_H

#include <stdbool.h>
#include <stdio.h>

#include "sinew/sinew.h"

typedef struct experiment_run {
    sn_context *context;
    const char *out; /* folder, exists */
    bool quick;      /* smaller sizes and shorter times, for continuous integration: the same claims where they still make sense */
    struct experiment_report *report;
} experiment_run;

typedef struct experiment {
    const char *name;
    const char *text;   /* one line */
    const char *source; /* document and section */
    /* SN_OK when it ran to its end, whatever the claims say; else a status with a message. */
    sn_status (*run)(experiment_run *run, sn_error *error);
} experiment;

extern const experiment *const experiments[];
extern const int experiment_count;

/* Records a claim: a short id, what is claimed, the measured value, what was expected ("within 0.15 of 2", "< 0.05") and whether it holds.
 * Never pass a value that was not measured. */
void experiment_claim(experiment_run *run, const char *id, double value, const char *expected, bool pass, const char *text, ...)
    __attribute__((format(printf, 6, 7)));
/* A remark for the reader: what differs from the document, and why. */
void experiment_note(experiment_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Progress in [0, 1], shown on a terminal. */
void experiment_progress(experiment_run *run, double fraction);

/* A CSV table in the output folder: open, rows of numbers (or text cells), close. */
FILE *experiment_table(experiment_run *run, const char *file, const char *header, sn_error *error);
/* Runs gnuplot with `script` (output SVG to <out>/<file>; the working folder is the output folder, so that the CSV names are as given).
 * Says in a note when gnuplot is missing: the CSV is always there. */
void experiment_plot(experiment_run *run, const char *file, const char *script);

/* Runs a scene given as text with printf-like arguments, to its end; NULL world to drop it. */
sn_status experiment_scene(experiment_run *run, sn_scene **scene, sn_world **world, sn_error *error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
