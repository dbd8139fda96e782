/* Incomplete factors A + shift diag |A| = about L D L^T of the projected matrix, by 3 x 3 blocks, in the order of parts
 * (parts.h), or in that of the nodes when there is fill. */
#ifndef SN_LINEAR_INCOMPLETE_H
#define SN_LINEAR_INCOMPLETE_H

#include "triangle.h"

/* L has unit diagonal blocks and is stored by rows. D is stored as D^-1. The product is positive definite. The blocks
 * of L are in single precision; everything else is in double precision. */
typedef struct sn_incomplete {
    const sn_context *context;
    const sn_filter *filter;
    sn_parts parts;
    sn_triangle triangle;
    int32_t *begin;               /* nodes + 1 */
    int32_t *column, *row, *next; /* per block of L; next: the next lower block in the same column, -1 at the end */
    float *value, *turned;        /* per block of L: 9 numbers by columns; the same of its transpose */
    int columns, rows, nexts, values, turns; /* capacities */
    double *inverse;                         /* nodes x 9, D^-1; room for one number more */
    int32_t *head, *tail;                    /* per column of L: its first and last block */
    double *work;                            /* nodes x 12, the row that is being computed */
    double *vector, *scaled;                 /* nodes x 4: y = L^-1 r, and D^-1 y */
    int32_t *mark, *heap;                    /* nodes each; mark[j] == i: block (i, j) exists */
    double shift;                            /* the shift that was needed */
} sn_incomplete;

/* `fill`: the factor may have blocks outside the pattern of the matrix. Every block that adds less than drop^2 of
 * A_ii's trace to the pivot's trace is then left out. The diagonal is shifted by `shift`, and by more until all pivots
 * are positive. */
sn_status sn_incomplete_update(sn_context *context, const sn_operator *op, const sn_filter *filter, bool fill,
                               double drop, double shift, void **data, sn_error *error);
/* The same for a matrix in which only diagonal blocks have changed: L stays, and each pivot takes the change of its
 * block. It costs next to nothing, and the factor differs from A only where the changes are. Returns false when a pivot
 * would not be good; the factor is then of no use. */
bool sn_incomplete_relist(sn_incomplete *f, const sn_operator *op, const sn_filter *filter);
void sn_incomplete_apply(void *data, const double *r, double *z);
/* The same in three steps: `forward` for each part, then `middle`, then `back` for each part. Calls for two parts may
 * run at the same time. z is complete after `back`, that of the joint after `middle`. The filter is left to the caller.
 */
void sn_incomplete_forward(const sn_incomplete *f, int part, const double *r);
void sn_incomplete_middle(const sn_incomplete *f, const double *r, double *z);
void sn_incomplete_back(const sn_incomplete *f, int part, double *z);
void sn_incomplete_release(sn_context *context, void *data);

#endif
