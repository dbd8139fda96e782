/* Parts that the explicit methods share: accelerations, Runge-Kutta tableaus, and a check for divergence at the end of
 * a step. */
#ifndef SN_TIME_EXPLICIT_H
#define SN_TIME_EXPLICIT_H

#include "system.h"

/* a = M^-1 f(t, x, v) in the free directions, and the prescribed acceleration in the constrained ones. work: 2 count
 * doubles. */
sn_status sn_acceleration(sn_step *step, double t, const double *x, const double *v, double *a, double *work);

/* Upper bounds of the spectral radius of M^-1 K and of M^-1 D at (step->t, x, step->v). */
sn_status sn_step_spectrum(sn_step *step, const double *x, double *stiffness, double *damping, sn_error *error);

/* Ends a step of an explicit method, as sn_step_finish does. Refuses a state that diverges: one that is not finite, or
 * one whose acceleration `a` (may be NULL) would move the body by ten times its size in one step. `limit`, for the
 * message: the longest stable step for a mode of frequency omega (1/s) and damping delta (1/s). */
sn_status sn_explicit_finish(sn_step *step, const char *name,
                             double (*limit)(const void *self, double omega, double delta), const void *self, double *x,
                             double *v, const double *a);
/* Only the message: for a failure that is known to be a divergence. */
sn_status sn_explicit_diverged(sn_step *step, const char *name,
                               double (*limit)(const void *self, double omega, double delta), const void *self);

/* An explicit Runge-Kutta method for y' = F(t, y), y = (x, v), F = (v, M^-1 f):
 *   Y_i = y + h sum a_ij F(t + c_j h, Y_j),   y1 = y + h sum b_i F_i,   errors h sum e_i F_i */
typedef struct sn_tableau {
    const char *name;
    int stages; /* number of stages of the solution */
    int all;    /* also counts the stages that only the error uses: a last one at (t + h, y1) */
    int order;
    const double *a;     /* all x all, row by row, strictly lower; row `stages` (if there is one) equals b */
    const double *b, *c; /* `stages` and `all` numbers */
    const double *e;     /* `all` numbers; NULL: fixed steps only */
    const double *e3;    /* `all` numbers; a second error of lower order that damps the first (dop853); or NULL */
    double exponent;     /* of the step control: 1 / (order of e + 1) */
} sn_tableau;

int sn_tableau_scratch(const sn_tableau *tableau, int count);
/* Takes one step of h. */
sn_status sn_tableau_step(sn_step *step, const sn_tableau *tableau);
/* Goes from t to t + h in steps that keep each step's error within options->tolerance. The error is relative to the
 * size of the body and to the largest speed (at least 1e-3 sizes per second). step->history[0] holds the length of the
 * next step. With a tolerance of 0 this takes one step of h. */
sn_status sn_tableau_step_adaptive(sn_step *step, const sn_tableau *tableau);
/* The longest stable step of a tableau (`self`) for a damped mode. */
double sn_tableau_limit(const void *self, double omega, double delta);

/* The tables, for tests of their order conditions. */
extern const sn_tableau sn_tableau_explicit_euler, sn_tableau_explicit_midpoint, sn_tableau_rk4, sn_tableau_rk38,
    sn_tableau_dopri5, sn_tableau_dopri853;

#endif
