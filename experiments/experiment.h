/* Experiments of the source documents, with their claims. `sinew experiment` runs them.
 *
 * An experiment is one file experiments/<name>.c with one table, and a line in experiments/experiments.c. It simulates,
 * writes tables (CSV) and plots (SVG) to the output folder, and compares each claim with a measured number. It may use
 * internal headers. */
#ifndef SINEW_EXPERIMENT_H
#define SINEW_EXPERIMENT_H

#include <stdbool.h>
#include <stdio.h>

#include "sinew/sinew.h"

typedef struct experiment_run {
    sn_context *context;
    const char *out; /* the output folder, which exists */
    bool quick;      /* use smaller meshes and shorter runs, for automatic tests; check the same claims */
    struct experiment_report *report;
} experiment_run;

typedef struct experiment {
    const char *name;
    const char *text;   /* one line */
    const char *source; /* document and section */
    /* Returns SN_OK when it ran to its end, also when claims do not hold; otherwise a status with a message. */
    sn_status (*run)(experiment_run *run, sn_error *error);
    /* The ids of its claims with blanks between them (claims.h), and "time:" in front of those that compare times. A
     * run checks each of them once, quick or not; a claim that is missing or that is not in the list counts as one that
     * does not hold. */
    const char *claims;
} experiment;

extern const experiment *const experiments[];
extern const int experiment_count;

/* Records a claim: its id in the list of claims, the measured value, the expected value ("within 0.15 of 2", "< 0.05"),
 * whether the claim holds, and the text of the claim (printf-like). The value must be measured. */
void experiment_claim(experiment_run *run, const char *id, double value, const char *expected, bool pass,
                      const char *text, ...) __attribute__((format(printf, 6, 7)));
/* Adds a remark for the reader, such as a difference from the document and its reason. */
void experiment_note(experiment_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Progress in [0, 1], shown on a terminal. */
void experiment_progress(experiment_run *run, double fraction);

/* Opens a CSV table in the output folder and writes its header line. The caller writes the rows and closes the file. */
FILE *experiment_table(experiment_run *run, const char *file, const char *header, sn_error *error);
/* Runs gnuplot with `script`; the plot is the SVG file <out>/<file>. The working folder is the output folder, so that
 * the script can use the names of the tables. When gnuplot is missing, a note says so; the tables are there in any
 * case. */
void experiment_plot(experiment_run *run, const char *file, const char *script);

/* Runs a scene to its end. The scene is a text with printf-like arguments. `world` may be NULL when it is not
 * needed. */
sn_status experiment_scene(experiment_run *run, sn_scene **scene, sn_world **world, sn_error *error, const char *format,
                           ...) __attribute__((format(printf, 5, 6)));

#endif
