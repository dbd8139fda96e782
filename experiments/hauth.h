/* Functions that Hauth's experiments on time integration share: runs of one scene with many methods, errors against a
 * reference, orders, plots. */
#ifndef SINEW_EXPERIMENT_HAUTH_H
#define SINEW_EXPERIMENT_HAUTH_H

#include "experiment.h"

/* The method, steps and solver of a run. */
typedef struct hauth_setting {
    const char *method;
    int steps;        /* how many equal steps from 0 to the end */
    double tolerance; /* of adaptive methods; 0: fixed steps */
    double newton;    /* tolerance of Newton's method */
    const char *kind; /* of Newton's method; NULL: full */
    const char *solver, *preconditioner;
    double linear; /* tolerance of the linear solver */
    int repeats;   /* more runs, only to measure the time (timing.h) */
} hauth_setting;

typedef struct hauth_outcome {
    sn_status status; /* of the last step */
    char message[200];
    double reached;        /* s */
    double seconds;        /* s of processor time; each step as in the fastest of the runs */
    double newton, linear; /* iterations per step */
    int retries;
    double error; /* RMS difference of the positions from the reference, m; NaN without a reference */
} hauth_outcome;

/* A scene: its keys as JSON without the outer braces ("gravity": ..., "bodies": [...]), its end time, and the positions
 * to compare with. */
typedef struct hauth_case {
    const char *scene;
    double end;
    int nodes;
    double *position;  /* nodes x 3: at the end of the last run, m */
    double *reference; /* nodes x 3, or NULL */
} hauth_case;

/* Runs the scene. The context has one thread (timing.h), because the bodies are so small that more would be slower. The
 * outcome says when a step failed; the returned status says when the scene could not be built. `progress` (may be NULL)
 * is called after each step with the time and the world. */
sn_status hauth_simulate(sn_context *context, hauth_case *scene, const hauth_setting *setting, hauth_outcome *outcome,
                         void (*progress)(void *user, double time, sn_world *world), void *user, sn_error *error);
/* Keeps the positions of the last run as the reference. */
sn_status hauth_keep_reference(hauth_case *scene, sn_error *error);
void hauth_release(hauth_case *scene);

/* The order of convergence. Each of the `count` errors belongs to half the step of the error before. The order is
 * computed from the last two errors above the floor; NaN when there are not two. */
double hauth_order(const double *error, int count, double floor);

/* Families of methods, for plots. Each list ends with NULL. */
extern const char *const hauth_newton_methods[], *const hauth_rosenbrock_methods[], *const hauth_explicit_methods[];
/* Makes a double logarithmic plot of column y against column x of a table. The first column of the table has the name
 * of the method; each method of the list gets a curve. `extra`: lines for gnuplot before the plot. */
void hauth_plot(experiment_run *run, const char *file, const char *table, const char *title, const char *const *method,
                int x, int y, const char *x_label, const char *y_label, const char *extra);

#endif
