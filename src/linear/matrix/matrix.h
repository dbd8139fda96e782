/* The sparse matrix of 3x3 blocks, and its assembly from the elements.
 *
 * Rows of blocks, columns ascending, the full pattern (both triangles) fixed at compile time. A block has 9 numbers column by column, so
 * that a product is three scaled columns in one vector of four lanes (the fourth is thrown away; the value array has room for 8 numbers
 * more at its end). Single or double precision; vectors are always double. */
#ifndef SN_LINEAR_MATRIX_H
#define SN_LINEAR_MATRIX_H

#include "base/vector.h"
#include "fem/batch.h"

typedef struct sn_pattern {
    int nodes;
    int64_t block_count;
    int32_t *row_begin; /* nodes + 1 */
    int32_t *column;    /* block_count, ascending in a row */
    int32_t *diagonal;  /* nodes: place of block (i, i) */
    int32_t *mirror;    /* block_count: place of block (j, i) */
} sn_pattern;

/* Blocks outside the elements: contact, springs, loads that follow. Row and column are nodes, value is column-major. */
typedef struct sn_block_list {
    int count, capacity;
    int32_t *row, *column;
    double *value; /* count x 9 */
} sn_block_list;

typedef struct sn_matrix {
    const sn_pattern *pattern;
    float *single_; /* one of the two is set */
    double *double_;
} sn_matrix;

/* The pattern of the elements plus `pair_count` more node pairs (both triangles are added). */
sn_status sn_pattern_create(sn_context *context, const sn_elements_model *elements, const int32_t (*pair)[2], int pair_count,
                            sn_pattern *pattern, sn_error *error);
void sn_pattern_release(sn_context *context, sn_pattern *pattern);
/* The place of block (row, column), or -1. */
int32_t sn_pattern_find(const sn_pattern *pattern, int32_t row, int32_t column);

/* The block at a place, in double. */
static inline void sn_matrix_block(const sn_matrix *matrix, int64_t place, double block[9]) {
    for (int k = 0; k < 9; ++k) block[k] = matrix->single_ ? (double)matrix->single_[9 * place + k] : matrix->double_[9 * place + k];
}

/* y = A x. */
void sn_matrix_product(const sn_context *context, const sn_matrix *matrix, const double *x, double *y);
/* The same, and returns x . y. `partial`: sn_dot_scratch(3 nodes) doubles. */
double sn_matrix_product_dot(const sn_context *context, const sn_matrix *matrix, const double *x, double *y, double *partial);

#endif
