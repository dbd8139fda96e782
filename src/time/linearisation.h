/* A linearisation: M, D = -df/dv and K = -df/dx of a system at one place (t, x, v).
 *
 * The system makes it when a request asks for one (system.h) and owns it. There is one per system: the next one takes its place. It keeps
 * its own copies of x and v, so that it may serve many solves and steps while the positions move on (simplified Newton). */
#ifndef SN_TIME_LINEARISATION_H
#define SN_TIME_LINEARISATION_H

#include "linear/solver.h"

typedef struct sn_linearisation sn_linearisation;

/* (m M + d D + k K) x = b in the free directions; the constrained components of x are given and stay. */
typedef struct sn_solve {
    double m, d, k;
    const double *b;
    double *x;        /* in: the start, and the given components; out: the solution, or the best that was found */
    double tolerance; /* of |b - A x| / |b| */
    /* Directions that likely hold much of the solution (sn_linear_expect). */
    int expected;
    const double *const *direction;
} sn_solve;

typedef struct sn_linearisation_table {
    /* out = (m M + d D + k K) u, unfiltered. */
    void (*product)(sn_linearisation *self, double m, double d, double k, const double *u, double *out);
    /* SN_NOT_CONVERGED leaves the best x. `report` comes in as zeros. */
    sn_status (*solve)(sn_linearisation *self, const sn_solve *problem, sn_linear_report *report, sn_error *error);
    /* Upper bounds of the spectral radius of M^-1 K and of M^-1 D. NULL: the system knows none. */
    sn_status (*spectrum)(sn_linearisation *self, double *stiffness, double *damping, sn_error *error);
} sn_linearisation_table;

struct sn_linearisation {
    const sn_linearisation_table *table;
    bool damped; /* it may have a D */
    int served;  /* solves since it was made; 0 also when it was forgotten */
};

/* The content was replaced. For systems. */
static inline void sn_linearisation_renew(sn_linearisation *self, bool damped) { self->damped = damped, self->served = 0; }

/* Nobody keeps it any longer: parameters were edited, or the state was saved or restored. */
static inline void sn_linearisation_forget(sn_linearisation *self) { self->served = 0; }

static inline void sn_linearisation_product(sn_linearisation *self, double m, double d, double k, const double *u, double *out) {
    self->table->product(self, m, d, k, u, out);
}

/* Solves, and counts it. */
sn_status sn_linearisation_solve(sn_linearisation *self, const sn_solve *problem, sn_linear_report *report, sn_error *error);

#endif
