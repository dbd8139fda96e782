/* Newton's method: its kinds, and the parts that all kinds share.
 *
 * A kind is one file newton_<symbol>.c with one function sn_newton_<symbol>, and one line in SN_NEWTON_KINDS. */
#ifndef SN_TIME_NEWTON_H
#define SN_TIME_NEWTON_H

#include "system.h"

/* X(name, symbol, converges, text). `converges`: the kind iterates until the tolerance is met. Such a kind takes the
 * exact differential of a law. The others accept whatever a bounded number of solves gives; they take the law's default
 * differential, which is definite. */
#define SN_NEWTON_KINDS(X)                                                                                             \
    X("full", full, true, "a fresh Jacobian in each iteration, until the tolerance is met")                            \
    X("one-step", one_step, false,                                                                                     \
      "one linear solve per step, the semi-implicit method; never reports that it did not converge")                   \
    X("inexact", inexact, true,                                                                                        \
      "linear solves only as exact as the progress requires (forcing terms of Eisenstat and Walker)")                  \
    X("fixed", fixed, false,                                                                                           \
      "at most `iterations` whole corrections without line search; accepts the result as it is, so the work of a "     \
      "step is bounded")                                                                                               \
    X("simplified", simplified, true,                                                                                  \
      "Jacobian and factor kept, also across steps, while the corrections shrink fast (Hauth 3.3.4)")

/* How the iteration ended. */
typedef struct sn_newton_result {
    sn_status status;
    double residual; /* relative to the forces */
    bool loose;      /* not converged, but good enough for `loose` of the problem */
} sn_newton_result;

/* The state of the work on one problem. */
typedef struct sn_newton {
    const sn_newton_problem *problem;
    sn_system *system;
    int n;
    double *r, *f, *d, *trial, *velocity, *best, *work, *room;
    const double *tried; /* the correction of a solve that is taken again, where the next solve starts; NULL: none */
    sn_linearisation *linearisation; /* the last linearisation of the system; NULL: none yet */
    sn_wanted wanted;                /* kind of the next linearisations */
    double ahead;                    /* `ahead` of the next requests */
    bool again;                      /* `again` of the next linearisation */
    double residual;                 /* |r| at the last evaluated point */
    double scale;                    /* the size of the forces at that point */
    double calm;                     /* the same without steep forces */
    double best_residual;            /* |r| of `best`; negative: none yet */
    double best_relative;
    int climbs;        /* number of uphill steps since `best` */
    double last;       /* |r| before the last iteration */
    double eta;        /* "inexact": the last forcing term */
    double correction; /* "simplified": size of the last correction with the present linearisation; 0: none */
    bool fresh;        /* the linearisation is at the present y */
    bool undamped;     /* r lacks a D d of the prescribed correction d */
    bool predicted;    /* the iteration began at the extrapolated place, so `guess` is used up */
} sn_newton;

#define SN_NEWTON_DECLARE(name, symbol, converges, text) sn_newton_result sn_newton_##symbol(sn_newton *w, double *y);
SN_NEWTON_KINDS(SN_NEWTON_DECLARE)
#undef SN_NEWTON_DECLARE

/* The step of "one-step", for kinds that go on from there. `last`: they do not. */
sn_newton_result sn_newton_first_step(sn_newton *w, double *y, bool last);

/* Work on a problem, for methods that call a kind themselves; sn_newton_end closes it. */
sn_newton sn_newton_begin(const sn_newton_problem *problem);
sn_status sn_newton_end(sn_newton *w, const sn_newton_result *result);

/* The relative tolerance of a linear solve after which |r| is half of what Newton's tolerance allows. */
double sn_newton_enough(const sn_newton *w);
/* |r| relative to the size of the forces. */
double sn_newton_relative(const sn_newton *w);
/* Computes r at y, filtered, with its norm and its scale. The force is taken at the velocity that belongs to y. */
sn_status sn_newton_evaluate(sn_newton *w, const double *y, sn_error *error);
/* Linearises at the place of the last evaluation. y must be the argument of that evaluation. */
sn_status sn_newton_linearise(sn_newton *w, const double *y);
/* The first iteration of dynamics: computes r and the linearisation at (y, u), where u is the velocity of the problem.
 * `keeps`: the old linearisation stays in use unless it was forgotten. */
sn_status sn_newton_expand(sn_newton *w, const double *y, bool keeps);
/* Solves for one whole correction w->d from y, with the tolerance of a solve that no other follows. The linearisation
 * must be at y. A solve of a steep system that misses its tolerance gives SN_NOT_CONVERGED, unless `loose` is above 0.
 */
sn_status sn_newton_find_correction(sn_newton *w, const double *y);
/* Takes the correction w->d without a line search: the whole one, or the part that is safe. Where single nodes run into
 * something, only they stop. When it is the `last` one and cut for all nodes, the step must be divided
 * (SN_NOT_CONVERGED), unless nothing is prescribed and at most `loose` of the correction was cut off. */
sn_status sn_newton_take_correction(sn_newton *w, double *y, bool last);
/* The part of the correction d from y that is safe; 1 for a system without limits. With `cut`, the system may first
 * shorten d where single nodes run into something (system.h). */
double sn_newton_limit(sn_newton *w, const double *y, double *d, bool *cut);
/* out = y + s d, moved back onto curved constraints, with s at most *s. When the curved way is not safe, a smaller s is
 * taken and stored in *s. Returns false when no s is safe. w->work is scratch. */
bool sn_newton_go(sn_newton *w, const double *y, double *s, const double *d, double *out);

/* ---- Kinds that iterate until the tolerance is met (newton_converge.c) ---- */
typedef struct sn_newton_rules {
    /* The tolerance of the linear solve of an iteration. NULL: the tolerance of the problem. */
    double (*tolerance)(sn_newton *w, int iteration);
    /* Judges the last correction of a kind that keeps its linearisations. `done`: the correction is below the goal, and
     * so is the error that remains. The function forgets the linearisation when it is not worth keeping. NULL: a
     * correction below the goal ends the iteration, and each iteration has a new linearisation. */
    bool (*monitor)(sn_newton *w, double largest, double s, int number);
} sn_newton_rules;

sn_newton_result sn_newton_converge(sn_newton *w, double *y, const sn_newton_rules *rules);

/* ---- For newton_converge.c ---- */
void sn_newton_forget(sn_newton *w);
/* The velocity that belongs to y. */
void sn_newton_velocity(sn_newton *w, const double *y);
/* Writes the prescribed part of the correction into d. Returns its largest component. */
double sn_newton_prescribe(sn_newton *w, const double *y);
/* Whether a prescribed correction of this size needs an iteration. */
bool sn_newton_carries(const sn_newton *w, double prescribed);
/* Solves for d from y. SN_NOT_CONVERGED leaves the best d that the linear solver found. */
sn_status sn_newton_correct(sn_newton *w, const double *y, bool first, double prescribed, double tolerance);

#endif
