/* Blocks of the matrix that have no place in its pattern.
 *
 * The pattern is fixed when the system is compiled. Contacts couple nodes of different bodies, and other nodes in each
 * step. Their blocks form a second, small matrix C beside the one of the pattern: the whole matrix is A = pattern + C.
 * C is built again with each matrix, from the lists of the interactions. It is stored by rows, with ascending rows and
 * columns, and has each block (i, j) together with its mirror (j, i). Blocks of a list with equal (i, j) are added in
 * the order of the list. So sums have a fixed order, and a product is cut into the same pieces as that of the pattern.
 *
 * Memory grows to the largest number of blocks so far and stays. */
#ifndef SN_LINEAR_COUPLING_H
#define SN_LINEAR_COUPLING_H

#include <stdbool.h>

#include "matrix.h"

/* A block on its way into C. */
typedef struct sn_coupled {
    int32_t row, column;
    const double *value; /* 9 numbers; NULL: zero, the mirror of another block */
    double factor;
} sn_coupled;

struct sn_coupling {
    int row_count;
    int32_t *row;   /* row_count nodes that have blocks, ascending */
    int32_t *begin; /* row_count + 1: the blocks of a row */
    int block_count;
    int32_t *column; /* block_count, ascending in a row */
    int32_t *mirror; /* block_count: the place of block (j, i) */
    double *value;   /* block_count x 9, column by column */
    /* ---- Memory ---- */
    int rows, begins, columns, mirrors, values, entries[2], counters; /* capacities */
    sn_coupled *entry[2];
    int32_t *counter; /* nodes + 1 */
};

/* Builds C = k stiffness + d damping, without the blocks that have a place in the pattern. The lists may be NULL.
 * place: the places of the blocks, as in sn_listed; NULL: they are looked for. */
sn_status sn_coupling_build(const sn_context *context, const sn_pattern *pattern, const sn_block_list *stiffness,
                            double k, const sn_block_list *damping, double d, const int32_t *place,
                            sn_coupling *coupling, sn_error *error);
void sn_coupling_release(sn_context *context, sn_coupling *coupling);
/* Whether C equals its transpose up to this part of its entries. */
bool sn_coupling_symmetric(const sn_coupling *coupling, double slack);
/* C = (C + C^T) / 2. */
void sn_coupling_symmetrise(sn_coupling *coupling);
/* The index of the first row that is not smaller than `node`. */
int sn_coupling_row(const sn_coupling *coupling, int32_t node);
/* y += C x for the nodes [begin, end); NULL counts as C = 0. */
void sn_coupling_product(const sn_context *context, const sn_coupling *coupling, const double *x, double *y, int begin,
                         int end);
/* y += C^T x for the nodes [begin, end). */
void sn_coupling_product_transpose(const sn_coupling *coupling, const double *x, double *y, int begin, int end);

#endif
