/* What Kikuuwe's experiments share: the body between floor and plate, the plate's path, runs with one scheme, and the
 * speeds of the nodes. SI units: the document's 1500 mm/s are 1.5 m/s here. */
#ifndef SINEW_EXPERIMENT_KIKUUWE_H
#define SINEW_EXPERIMENT_KIKUUWE_H

#include "experiment.h"

#define KIKUUWE_STEP 0.03 /* T, s */
#define KIKUUWE_FAST 1.5  /* m/s: a node above this speed counts as a spike */
#define KIKUUWE_WILD 100  /* m/s: a body with such a node has blown up */

/* The bodies, all about 150 mm high. */
typedef struct kikuuwe_body {
    const char *name;
    const char *mesh; /* keys of a body, JSON */
} kikuuwe_body;
enum { KIKUUWE_BODIES = 4 };
extern const kikuuwe_body kikuuwe_bodies[KIKUUWE_BODIES];
/* The dragon in 371 tets that are refined once: its limbs are at least two tets thick, and so regain their shape. */
extern const kikuuwe_body kikuuwe_thick;

/* A scheme: solver, its iterations, and the correction. */
typedef struct kikuuwe_scheme {
    const char *name, *solver;
    bool corrected;
    double speed;       /* V, m/s */
    int iterations;     /* of each solve */
    double tolerance;   /* 0: all iterations, whatever the residual */
    const char *method; /* time.method; NULL: kikuuwe */
    const char *law;    /* keys of the material; NULL: stvk-volume */
    bool measure;       /* the assumptions of the correction */
    int trial; /* above 0: the nodes start up to a micrometre beside their places, along a pattern of this number */
} kikuuwe_scheme;

/* What a run gave. */
typedef struct kikuuwe_outcome {
    double fastest;           /* m/s: the largest speed of a node */
    double fastest_at;        /* s */
    int spikes;               /* steps with a node above KIKUUWE_FAST */
    bool blew_up;             /* a node above KIKUUWE_WILD, or a step that failed */
    double reached;           /* s: the end of the run */
    double shape;             /* distance from the rest shape at the end (measure_distance); infinite after a blow-up */
    double recovered;         /* s: from this time on the distance is below 0.01; infinite: never */
    double flattest;          /* least height of the body over its height at rest */
    int inverted;             /* tets inside out at the end */
    double residual;          /* largest relative residual of a solve */
    double iterations;        /* mean of the solves */
    double least;             /* least factor of the correction */
    double commutes, squares; /* largest e1 and e2 */
    double commutes_mean, squares_mean; /* means over the steps in which a node was slowed down */
} kikuuwe_outcome;

/* The world of a body, alone or (`plate`) on a floor under the plate of equation 34, before anything is anchored. */
sn_status kikuuwe_world(experiment_run *run, const kikuuwe_body *body, const kikuuwe_scheme *scheme, bool plate,
                        sn_world **world, sn_error *error);
/* Ties the node of a body to its place plus `offset` by a spring of 1000 N/mm and a damper of 10 N s/mm. The anchor
 * moves by the keys (as in sn_tether; may be NULL). */
sn_status kikuuwe_tie(sn_world *world, int node, const double offset[3], const double *key, int key_count,
                      sn_error *error);
/* The world of the crush with its floor, plate and anchors. */
sn_status kikuuwe_crush_world(experiment_run *run, const kikuuwe_body *body, const kikuuwe_scheme *scheme,
                              sn_world **world, sn_error *error);
/* Runs the crush until `end` or until it blows up. `table` (may be NULL) gets a line per step: scheme, time, largest
 * speed, iterations, residual, least factor, e1, e2, height. */
sn_status kikuuwe_crush(experiment_run *run, const kikuuwe_body *body, const kikuuwe_scheme *scheme, double end,
                        FILE *table, kikuuwe_outcome *outcome, sn_error *error);

/* Many runs of the crush until `end`. They do not depend on each other: each runs on one thread, several at a time. */
typedef struct kikuuwe_job {
    const kikuuwe_body *body;
    kikuuwe_scheme scheme;
    kikuuwe_outcome outcome;
    sn_error error;
} kikuuwe_job;
sn_status kikuuwe_crush_all(experiment_run *run, kikuuwe_job *job, int count, double end, sn_error *error);

/* A body whose mesh is a file of the output folder: many runs then need not make the mesh again. */
typedef struct kikuuwe_kept {
    kikuuwe_body body;
    char mesh[1100];
} kikuuwe_kept;
sn_status kikuuwe_keep(experiment_run *run, const kikuuwe_body *body, kikuuwe_kept *kept, sn_error *error);

#endif
