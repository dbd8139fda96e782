/* A linearisation: M, D = -df/dv and K = -df/dx of a system at one place (t, x, v).
 *
 * A request can ask the system for a linearisation (system.h). The system makes it and owns it. A system has only one
 * linearisation: a new one replaces the old one. A linearisation keeps copies of x and v. It can therefore serve many
 * solves and steps while the positions change (simplified Newton). */
#ifndef SN_TIME_LINEARISATION_H
#define SN_TIME_LINEARISATION_H

#include "linear/solver.h"

typedef struct sn_linearisation sn_linearisation;

/* One linear problem: (m M + d D + k K) x = b in the free directions. The constrained components of x are given and do
 * not change. */
typedef struct sn_solve {
    double m, d, k;
    const double *b;
    double *x; /* in: the start, and the given components; out: the solution, or the best x that was found */
    /* The positions that b belongs to: a part of the forces that K leaves out is taken from here to the positions + x.
     * NULL: it is left out. */
    const double *at;
    double tolerance; /* for |b - A x| / |b| */
    /* Directions that likely contain much of the solution (sn_linear_expect). */
    int expected;
    const double *const *direction;
} sn_solve;

typedef struct sn_linearisation_table {
    /* out = (m M + d D + k K) u, unfiltered. */
    void (*product)(sn_linearisation *self, double m, double d, double k, const double *u, double *out);
    /* Solves the problem. SN_NOT_CONVERGED leaves the best x. `report` comes in as zeros. */
    sn_status (*solve)(sn_linearisation *self, const sn_solve *problem, sn_linear_report *report, sn_error *error);
    /* out = (d D + k K) u, only of the elements. NULL: all forces are those of elements. */
    void (*inside)(sn_linearisation *self, double d, double k, const double *u, double *out);
    /* One number per node (3 scalars; the last node may have fewer): the trace of its diagonal block of m M + d D +
     * k K. */
    void (*trace)(sn_linearisation *self, double m, double d, double k, double *out);
    /* Upper bounds of the spectral radius of M^-1 K and of M^-1 D. NULL: the system knows none. */
    sn_status (*spectrum)(sn_linearisation *self, double *stiffness, double *damping, sn_error *error);
} sn_linearisation_table;

struct sn_linearisation {
    const sn_linearisation_table *table;
    bool damped;      /* D may be non-zero */
    bool projectable; /* K may be indefinite, and the system can make a projected one (SN_LINEARISE_PROJECTED) */
    int served;       /* number of solves since it was made; 0 also after it was forgotten */
    /* How fast the corrections shrank when it was used last: the size of a correction by that of the one before it.
     * 1: not known. Simplified Newton sets it. */
    double contraction;
};

/* Called by a system when it has replaced the content. */
static inline void sn_linearisation_renew(sn_linearisation *self, bool damped, bool projectable) {
    self->damped = damped, self->projectable = projectable, self->served = 0, self->contraction = 1;
}

/* Marks the linearisation as out of date: it failed, or parameters were edited. No method then uses it again. */
static inline void sn_linearisation_forget(sn_linearisation *self) { self->served = 0; }

static inline void sn_linearisation_product(sn_linearisation *self, double m, double d, double k, const double *u,
                                            double *out) {
    self->table->product(self, m, d, k, u, out);
}

/* The product with the matrices of only the elements. */
static inline void sn_linearisation_inside(sn_linearisation *self, double d, double k, const double *u, double *out) {
    if (self->table->inside)
        self->table->inside(self, d, k, u, out);
    else
        self->table->product(self, 0, d, k, u, out);
}

/* Solves, and counts the solve in `served`. */
sn_status sn_linearisation_solve(sn_linearisation *self, const sn_solve *problem, sn_linear_report *report,
                                 sn_error *error);

#endif
