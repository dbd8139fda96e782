/* What Hauth's experiments on time integration share: runs of one scene with many methods, errors against a reference, orders, plots. */
#ifndef SINEW_EXPERIMENT_HAUTH_H
#define SINEW_EXPERIMENT_HAUTH_H

#include "experiment.h"

/* How a scene is run. */
typedef struct hauth_setting {
    const char *method;
    int steps;        /* equal ones from 0 to the end */
    double tolerance; /* of adaptive methods; 0: fixed steps */
    double newton;    /* tolerance of Newton's method */
    const char *solver, *preconditioner;
    double linear; /* tolerance of the linear solver */
} hauth_setting;

typedef struct hauth_outcome {
    sn_status status; /* of the last step */
    char message[200];
    double reached;        /* s */
    double seconds;        /* of the processor */
    double newton, linear; /* iterations per step */
    int retries;
    double error; /* RMS of the positions against the reference, m; NaN without */
} hauth_outcome;

/* A scene: its bodies and what stands beside them, as JSON without braces ("gravity": ..., "bodies": [...]), the end, and the positions to
 * compare with. */
typedef struct hauth_case {
    const char *scene;
    double end;
    int nodes;
    double *position;  /* of the last run, nodes x 3 */
    double *reference; /* nodes x 3, or NULL */
} hauth_case;

/* A context with one thread: for bodies so small that threads only get in each other's way. */
sn_status hauth_context(sn_context **context, sn_error *error);
/* Runs the scene. A step that fails is told in the outcome; the status is for scenes that cannot be built. `progress` (may be NULL) is
 * called after each step with the time and the world. */
sn_status hauth_simulate(sn_context *context, hauth_case *scene, const hauth_setting *setting, hauth_outcome *outcome,
                         void (*progress)(void *user, double time, sn_world *world), void *user, sn_error *error);
/* Keeps the positions of the last run as the reference. */
sn_status hauth_keep_reference(hauth_case *scene, sn_error *error);
void hauth_release(hauth_case *scene);

/* The order between the two finest of `count` errors, each of half the step of the one before, that lie above the floor. NaN when there
 * are not two. */
double hauth_order(const double *error, int count, double floor);

/* Families of methods, for plots: each list ends with NULL. */
extern const char *const hauth_newton_methods[], *const hauth_rosenbrock_methods[], *const hauth_explicit_methods[];
/* A double logarithmic plot of column y against column x of a table whose first column names the method, one curve per method of the list.
 * `extra`: further lines of gnuplot before the plot. */
void hauth_plot(experiment_run *run, const char *file, const char *table, const char *title, const char *const *method, int x, int y,
                const char *x_label, const char *y_label, const char *extra);

#endif
