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
} sn_linear_kernels;

const sn_linear_kernels *sn_linear_kernels_for(const sn_context *context);

#endif
