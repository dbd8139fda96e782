/* Newton's method: its kinds, and the parts that they share.
 *
 * A kind is one file newton_<symbol>.c with one function sn_newton_<symbol>, and one line in SN_NEWTON_KINDS. */
#ifndef SN_TIME_NEWTON_H
#define SN_TIME_NEWTON_H

#include "system.h"

/* X(name, symbol, text) */
#define SN_NEWTON_KINDS(X)                                                                                                                 \
    X("full", full, "a fresh Jacobian in each iteration, until the tolerance is met")                                                      \
    X("one-step", one_step, "one linear solve per step, the semi-implicit method; never reports that it did not converge")                 \
    X("inexact", inexact, "linear solves only as exact as the progress deserves (forcing terms of Eisenstat and Walker)")                  \
    X("fixed", fixed,                                                                                                                      \
      "at most `iterations` whole corrections without line search; takes what it reached, so that a step's work is bounded")               \
    X("simplified", simplified, "Jacobian and factor kept while the iteration contracts, renewed when it does not")

/* How it ended. */
typedef struct sn_newton_result {
    sn_status status;
    double residual; /* relative to the forces */
    bool loose;      /* not converged, but good enough for the problem's `loose` */
} sn_newton_result;

/* The work on one problem. */
typedef struct sn_newton {
    const sn_newton_problem *problem;
    sn_system *system;
    int n;
    double *r, *f, *d, *trial, *velocity, *best, *work;
    sn_linearisation *linearisation; /* the last one of the system; NULL: none yet */
    sn_wanted wanted;                /* of the linearisations to come */
    double ahead;                    /* of the requests to come */
    double residual;                 /* |r| at the last evaluated point */
    double scale;                    /* the size of the forces there */
    double best_residual;            /* |r| of `best`; negative: none yet */
    double best_relative;
    int climbs;  /* steps since `best` that went uphill */
    double last; /* |r| before the last iteration */
    double eta;  /* of "inexact": the last forcing term */
    bool fresh;  /* the linearisation is of the present y */
} sn_newton;

#define SN_NEWTON_DECLARE(name, symbol, text) sn_newton_result sn_newton_##symbol(sn_newton *w, double *y);
SN_NEWTON_KINDS(SN_NEWTON_DECLARE)
#undef SN_NEWTON_DECLARE

/* |r| over the size of the forces. */
double sn_newton_relative(const sn_newton *w);
/* r at y, filtered, with its norm and its scale; the force at the velocity that belongs to y. */
sn_status sn_newton_evaluate(sn_newton *w, const double *y, sn_error *error);
/* The linearisation at the place of the last evaluation, which was of y. */
sn_status sn_newton_linearise(sn_newton *w, const double *y);
/* The first iteration of dynamics: r and the linearisation at (y, u), u the velocity of the problem. `keeps`: the old linearisation serves
 * while it has not been forgotten. */
sn_status sn_newton_expand(sn_newton *w, const double *y, bool keeps);
/* One whole correction without a search, from a linearised y. */
sn_status sn_newton_take_correction(sn_newton *w, double *y);

/* ---- Kinds that iterate until the tolerance is met (newton_converge.c) ---- */
typedef struct sn_newton_rules {
    /* The tolerance of the linear solve of an iteration. NULL: that of the problem. */
    double (*tolerance)(sn_newton *w, int iteration);
    /* Whether a correction of size `correction`, below the goal, may end the iteration, when |r| fell to `rate` of itself. NULL: always.
     * A kind that has this function keeps linearisations until they are forgotten. */
    bool (*sure)(const sn_newton *w, double correction, double rate);
} sn_newton_rules;

sn_newton_result sn_newton_converge(sn_newton *w, double *y, const sn_newton_rules *rules);

/* ---- For newton_converge.c ---- */
void sn_newton_forget(sn_newton *w);
/* The velocity that belongs to y. */
void sn_newton_velocity(sn_newton *w, const double *y);
/* The prescribed part of the correction into d; returns its largest component. */
double sn_newton_prescribe(sn_newton *w, const double *y);
/* Whether a prescribed correction of this size is worth an iteration. */
bool sn_newton_carries(const sn_newton *w, double prescribed);
/* Solves for d. SN_NOT_CONVERGED leaves the best that the linear solver found. */
sn_status sn_newton_correct(sn_newton *w, bool first, double prescribed, double tolerance);

#endif
