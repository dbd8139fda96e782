/* The lower triangle of the projected matrix S A S + s (I - S), by 3 x 3 blocks in double precision. Factorisations and
 * sweeps start from it.
 *
 * Of an unsymmetric matrix, the symmetric part is used. Constrained directions are decoupled; their pivot s is the mean
 * diagonal entry of the node. */
#ifndef SN_LINEAR_TRIANGLE_H
#define SN_LINEAR_TRIANGLE_H

#include "linear/solver.h"
#include "parts.h"

typedef struct sn_triangle {
    int nodes;
    const sn_parts *parts; /* the order of the rows; NULL: that of the nodes */
    int32_t *begin;        /* nodes + 1 */
    int32_t *column;       /* smaller than the number of the row, ascending */
    int32_t *source;       /* with parts: the place of each block in the pattern */
    bool bare;             /* without `value`: the caller takes each block from the matrix, once */
    double *value;         /* blocks left of the diagonal, 9 numbers each, column-major */
    double *diagonal;      /* nodes x 9, symmetric */
} sn_triangle;

/* Fills in the values. An empty triangle, in which only `parts` and `bare` are set, is created first. The operator must
 * have a matrix. */
sn_status sn_triangle_update(sn_context *context, const sn_operator *op, const sn_filter *filter, sn_triangle *triangle,
                             sn_error *error);
/* Block e of row i of a triangle. The matrix and the filter are those of the last update. */
void sn_triangle_block(const sn_operator *op, const sn_filter *filter, const sn_triangle *triangle, int32_t i,
                       int32_t e, double block[9]);
/* Fills `begin` and `column` of a triangle whose arrays belong to the caller. */
void sn_triangle_layout(const sn_pattern *pattern, sn_triangle *triangle);
void sn_triangle_release(sn_context *context, sn_triangle *triangle);

#endif
