/* What the Krylov methods share: vector sums, filtered products, and the best iterate kept without copies. */
#ifndef SN_LINEAR_KRYLOV_H
#define SN_LINEAR_KRYLOV_H

#include "linear/solver.h"

/* y = S A x. */
void sn_filtered_product(const sn_operator *op, const sn_filter *filter, const double *x, double *y);

/* The iterate of a method and the best so far. When a step would leave the best, the new iterate goes to the other of two buffers. */
typedef struct sn_iterate {
    double *now, *best, *one, *two;
    double residual; /* of the best */
} sn_iterate;

/* Starts at x = 0; `other` is the second buffer. */
sn_iterate sn_iterate_begin(int n, double *x, double *other, double residual);
/* now += s p, which has the given residual. */
void sn_iterate_step(const sn_context *context, int n, sn_iterate *iterate, double s, const double *p, double residual);
/* Puts the best into the first buffer and completes the report. */
void sn_iterate_end(const sn_iterate *iterate, int n, double goal, sn_krylov_report *report);

/* For methods whose recursion may drift from the truth. When the report says that the goal was missed: takes the true residual of x, and
 * gives up an x that is worse than none. r: n numbers of scratch. */
void sn_report_truth(const sn_operator *op, const sn_filter *filter, const double *b, double *x, double *r, sn_krylov_report *report);

/* Runs a method in the free directions, those of rigid groups included. As sn_krylov.solve. */
void sn_krylov_run(const sn_krylov *krylov, const sn_operator *op, const sn_preconditioner *preconditioner, void *data,
                   const sn_filter *filter, const double *b, double *x, double goal, int iterations, double *scratch,
                   sn_krylov_report *report);

#define SN_TROUBLE_FINITE "a number that is not finite"
#define SN_TROUBLE_PRECONDITIONER "a preconditioner that is not positive definite"
#define SN_TROUBLE_TIME "the end of its time budget"

#endif
