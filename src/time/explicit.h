/* What explicit methods share: accelerations, Runge-Kutta tableaus, and the end of a step that looks for divergence. */
#ifndef SN_TIME_EXPLICIT_H
#define SN_TIME_EXPLICIT_H

#include "system.h"

/* a = M^-1 f(t, x, v) in the free directions, the prescribed acceleration in the others. work: 2 count doubles. */
sn_status sn_acceleration(sn_step *step, double t, const double *x, const double *v, double *a, double *work);

/* Upper bounds of the spectral radius of M^-1 K and of M^-1 D at (step->t, x, step->v). */
sn_status sn_step_spectrum(sn_step *step, const double *x, double *stiffness, double *damping, sn_error *error);

/* Ends a step of an explicit method: sn_step_finish, but refuses a state that runs away: not finite, or an acceleration `a` (may be NULL)
 * that would carry it ten times its size in one step. `limit`: the stable step for a mode of frequency omega (1/s) and damping delta (1/s),
 * for the message. */
sn_status sn_explicit_finish(sn_step *step, const char *name, double (*limit)(const void *self, double omega, double delta),
                             const void *self, double *x, double *v, const double *a);
/* The message alone: at a failure that is a divergence. */
sn_status sn_explicit_diverged(sn_step *step, const char *name, double (*limit)(const void *self, double omega, double delta),
                               const void *self);

/* An explicit Runge-Kutta method for y' = F(t, y), y = (x, v), F = (v, M^-1 f):
 *   Y_i = y + h sum a_ij F(t + c_j h, Y_j),   y1 = y + h sum b_i F_i,   errors h sum e_i F_i */
typedef struct sn_tableau {
    const char *name;
    int stages; /* of the solution */
    int all;    /* with those that only the error needs, a last one at (t + h, y1) */
    int order;
    const double *a;     /* all x all, row by row, strictly lower; row `stages` (when there is one) equals b */
    const double *b, *c; /* stages, all */
    const double *e;     /* all; NULL: fixed steps only */
    const double *e3;    /* all; a second error of lower order that damps the first (dop853), or NULL */
    double exponent;     /* of the step control: 1 / (order of e + 1) */
} sn_tableau;

int sn_tableau_scratch(const sn_tableau *tableau, int count);
/* One step of h. */
sn_status sn_tableau_step(sn_step *step, const sn_tableau *tableau);
/* From t to t + h in steps that keep the error of each within options->tolerance, relative to the size of the body and to the largest speed
 * (at least 1e-3 sizes per second). step->history[0] holds the length of the next one. A tolerance of 0: one step of h. */
sn_status sn_tableau_step_adaptive(sn_step *step, const sn_tableau *tableau);
/* The longest stable step of a tableau (self) for a damped mode. */
double sn_tableau_limit(const void *self, double omega, double delta);

/* The tables, for tests of their order conditions. */
extern const sn_tableau sn_tableau_explicit_euler, sn_tableau_explicit_midpoint, sn_tableau_rk4, sn_tableau_rk38, sn_tableau_dopri5,
    sn_tableau_dopri853;

#endif
