/* The lower triangle of the projected matrix S A S + s (I - S), by 3 x 3 blocks in double: what factorisations and sweeps start from.
 *
 * An unsymmetric matrix counts with its symmetric part. Constrained directions decouple and have a pivot of their own size. */
#ifndef SN_LINEAR_TRIANGLE_H
#define SN_LINEAR_TRIANGLE_H

#include "linear/solver.h"

typedef struct sn_triangle {
    int nodes;
    int32_t *begin;   /* nodes + 1 */
    int32_t *column;  /* below the row's own number, ascending */
    double *value;    /* blocks left of the diagonal, 9 numbers each, column-major */
    double *diagonal; /* nodes x 9, symmetric */
} sn_triangle;

/* Creates it when it is empty, and fills in the values. The operator must have a matrix. */
sn_status sn_triangle_update(sn_context *context, const sn_operator *op, const sn_filter *filter, sn_triangle *triangle, sn_error *error);
void sn_triangle_release(sn_context *context, sn_triangle *triangle);

#endif
