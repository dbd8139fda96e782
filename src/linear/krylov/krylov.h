/* Parts that the Krylov methods share: filtered products, and a store for the best iterate that avoids copies. */
#ifndef SN_LINEAR_KRYLOV_H
#define SN_LINEAR_KRYLOV_H

#include "linear/solver.h"

/* y = S A x. */
void sn_filtered_product(const sn_operator *op, const sn_filter *filter, const double *x, double *y);

/* The present iterate of a method and its best iterate so far. They may share one of two buffers. When a step makes the
 * residual worse, the new iterate goes to the other buffer, so that the best one stays. */
typedef struct sn_iterate {
    double *now, *best, *one, *two;
    double residual; /* of the best */
} sn_iterate;

/* Starts at x = 0; `other` is the second buffer. */
sn_iterate sn_iterate_begin(int n, double *x, double *other, double residual);
/* now += s p. `residual` is that of the new iterate. */
void sn_iterate_step(const sn_context *context, int n, sn_iterate *iterate, double s, const double *p, double residual);
/* Puts the best iterate (without options.guard: the last one) into the first buffer and completes the report.
 * `residual` is that of the last iterate. */
void sn_iterate_end(const sn_operator *op, sn_iterate *iterate, double residual, double goal, sn_krylov_report *report);

/* For methods whose recursion may drift away from the true residual. When the report says that the goal was missed,
 * this computes the true residual of x. An x that is worse than 0 becomes 0, unless options.guard is off. r: n numbers
 * of scratch. */
void sn_report_truth(const sn_operator *op, const sn_filter *filter, const double *b, double *x, double *r,
                     sn_krylov_report *report);

/* Runs a method in the free directions, including those of rigid groups. The arguments are those of sn_krylov.solve. */
void sn_krylov_run(const sn_krylov *krylov, const sn_operator *op, const sn_preconditioner *preconditioner, void *data,
                   const sn_filter *filter, const double *b, double *x, double goal, int iterations, double *scratch,
                   sn_krylov_report *report);

/* GMRES in its flexible form (krylov_gmres.c), as sn_krylov.solve. scratch: `restart` vectors more than gmres has. */
void sn_gmres_flexible(const sn_operator *op, const sn_preconditioner *preconditioner, void *data,
                       const sn_filter *filter, const double *b, double *x, double goal, int iterations,
                       double *scratch, sn_krylov_report *report);

#define SN_TROUBLE_FINITE "a number that is not finite"
#define SN_TROUBLE_PRECONDITIONER "a preconditioner that is not positive definite"
#define SN_TROUBLE_TIME "the end of its time budget"

#endif
