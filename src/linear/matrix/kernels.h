/* The hot loops over the matrix, once per instruction set (kernel/matrix_kernel.c, kernel/scatter_kernel.c). */
#ifndef SN_LINEAR_KERNELS_H
#define SN_LINEAR_KERNELS_H

#include "matrix.h"

typedef struct sn_linear_kernels {
    /* y = A x for the block rows [begin, end). */
    void (*product_single)(const sn_pattern *pattern, const float *value, const double *x, double *y, int begin,
                           int end);
    void (*product_double)(const sn_pattern *pattern, const double *value, const double *x, double *y, int begin,
                           int end);
    /* y_row[r] += sum over e from begin[r] to before begin[r + 1] of B_e x_column[e], for r in [first, end). B has room
     * for one number more. */
    void (*add_rows)(int first, int end, const int32_t *row, const int32_t *begin, const int32_t *column,
                     const double *B, const double *x, double *y);
    /* z_i = B_i r_i for the nodes [begin, end). Blocks are column-major; the array has room for 4 more numbers at the
     * end. */
    void (*blocks_single)(const float *block, const double *r, double *z, int begin, int end);
    void (*blocks_double)(const double *block, const double *r, double *z, int begin, int end);
    /* Adds the blocks i <= j of SN_LANES element matrices [i][j][9][SN_LANES] to the values. place[pair][SN_LANES]: the
     * place of each block; -1: skip it. */
    void (*scatter_single)(int nodes, const double *in, const int32_t *place, float *value);
    void (*scatter_double)(int nodes, const double *in, const int32_t *place, double *value);
    /* For the blocks right of the diagonal of rows [begin, end): s = A_ij + A_ji^T, then A_ij = s and A_ji = s^T. */
    void (*mirror_single)(const sn_pattern *pattern, float *value, int begin, int end);
    void (*mirror_double)(const sn_pattern *pattern, double *value, int begin, int end);
    /* Substitution with the blocks B of a strict lower triangle by rows: y_i -= sum B_e y_column[e] from the first row
     * to the last one before `end`, and y_column[e] -= B_e y_i from there to the first (B holds the transposed blocks
     * then). y has four numbers per row; the fourth one is ignored. B has room for one number more. */
    void (*substitute)(int first, int end, const int32_t *begin, const int32_t *column, const float *B, double *y);
    void (*substitute_back)(int first, int end, const int32_t *begin, const int32_t *column, const float *B, double *y);
    /* z_i = B_i y_i for the rows [first, end); y and z have four numbers per row. B has room for one number more. */
    void (*scale)(int first, int end, const double *B, const double *y, double *z);
    /* z = (I + L^T)^-1 S (I + L)^-1 r for a strict lower triangle L of numbers, by rows with ascending columns, and the
     * diagonal S. y: scratch, four numbers per node. */
    void (*sweep)(int nodes, const int32_t *begin, const int32_t *column, const double *L, const double *S, double *y,
                  const double *r, double *z);
} sn_linear_kernels;

const sn_linear_kernels *sn_linear_kernels_for(const sn_context *context);

#endif
