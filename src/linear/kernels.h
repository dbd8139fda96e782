/* The hot loops of the linear solver, once per instruction set (kernel/linear.c, kernel/scatter.c), and how they are cut into pieces.
 *
 * A piece is SN_PIECE_NODES nodes (rows of blocks). Sums run in eight virtual lanes over the scalars of a piece, the lanes are added as a
 * fixed tree, and the pieces in their order: the same bits for every vector width and every number of threads. */
#ifndef SN_LINEAR_KERNELS_H
#define SN_LINEAR_KERNELS_H

#include "matrix.h"

enum { SN_PIECE_NODES = 512, SN_PIECE = 3 * SN_PIECE_NODES };

typedef struct sn_linear_kernels {
    /* y = A x for the block rows [begin, end). */
    void (*product_single)(const sn_pattern *pattern, const float *value, const double *x, double *y, int begin, int end);
    void (*product_double)(const sn_pattern *pattern, const double *value, const double *x, double *y, int begin, int end);
    /* z_i = B_i r_i for the nodes [begin, end); column-major blocks, room for 4 numbers more at the end. */
    void (*blocks_single)(const float *block, const double *r, double *z, int begin, int end);
    void (*blocks_double)(const double *block, const double *r, double *z, int begin, int end);
    /* a . b over n <= SN_PIECE scalars. */
    double (*dot)(int n, const double *a, const double *b);
    /* The largest by size; NaN when one is not finite. */
    double (*largest)(int n, const double *a);
    /* r -= alpha q; returns r . r. */
    double (*residual)(int n, double alpha, const double *q, double *r);
    /* x_out = x + alpha p, then p = z + beta p. x_out may be x. */
    void (*direction)(int n, double alpha, double beta, const double *z, double *p, const double *x, double *x_out);
    /* Adds the blocks i <= j of SN_LANES element matrices [i][j][9][SN_LANES] to the values; place[pair][SN_LANES], -1: nothing to add. */
    void (*scatter_single)(int nodes, const double *in, const int32_t *place, float *value);
    void (*scatter_double)(int nodes, const double *in, const int32_t *place, double *value);
    /* For the blocks right of the diagonal of rows [begin, end): s = A_ij + A_ji^T, then A_ij = s and A_ji = s^T. */
    void (*mirror_single)(const sn_pattern *pattern, float *value, int begin, int end);
    void (*mirror_double)(const sn_pattern *pattern, double *value, int begin, int end);
} sn_linear_kernels;

const sn_linear_kernels *sn_linear_kernels_for(const sn_context *context);

/* Adds the partial sums of the pieces in order. */
static inline double sn_sum_pieces(int count, const double *partial) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += partial[i];
    return sum;
}

/* Loops over whole vectors of n scalars, in parallel. */
void sn_vector_copy(const sn_context *context, int n, const double *a, double *out);                                  /* out = a */
void sn_vector_zero(const sn_context *context, int n, double *out);                                                   /* out = 0 */
void sn_vector_add(const sn_context *context, int n, double s, const double *a, double *out);                         /* out += s a */
void sn_vector_difference(const sn_context *context, int n, double s, const double *a, const double *b, double *out); /* out = s (a - b) */
/* The 2-norm; the largest number by size, NaN when one is not finite. */
double sn_vector_norm(const sn_context *context, int n, const double *a);
double sn_vector_largest(const sn_context *context, int n, const double *a);
void sn_vector_subtract(const sn_context *context, int n, const double *a, const double *b, double *out); /* out = a - b */

#endif
