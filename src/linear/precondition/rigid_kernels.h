/* The hot loops over rigid motions, once per instruction set: those of the factor of 6x6 blocks (rigid_factor.h), and
 * those between nodes and lumps (lumps.h). A padded block or vector has columns of eight numbers, of which the last two
 * are zero. An arm a has four numbers, of which the last is zero. W is the matrix with W w = w x a. */
#ifndef SN_LINEAR_RIGID_KERNELS_H
#define SN_LINEAR_RIGID_KERNELS_H

#include "base/context.h"

enum {
    SN_RIGID = 6,      /* unknowns of a rigid motion */
    SN_RIGID_WIDE = 8, /* numbers of a padded vector */
    SN_RIGID_BLOCK = SN_RIGID * SN_RIGID,
    SN_RIGID_PADDED = SN_RIGID * SN_RIGID_WIDE
};

typedef struct sn_rigid_kernels {
    /* work[row[e] - base] -= U L_e^T for e in [first, end). U and work: padded blocks; L: blocks. */
    void (*eliminate)(const double *U, int first, int end, const int32_t *row, int base, const double *L, double *work);
    /* For each column k in [first, end), from the first to the last: y_row[e] -= L_e y_k for e from begin[k] to before
     * turn[k], and other[row[e] - base] -= L_e y_k from there to before begin[k + 1]. L: padded. */
    void (*forward)(int first, int end, const int32_t *begin, const int32_t *turn, const int32_t *row, int base,
                    const float *L, double *y, double *other);
    /* y_k = inverse_k y_k - sum L_e^T y_row[e] over the column k, from the last column to the first. */
    void (*back)(int first, int end, const int32_t *begin, const int32_t *row, const float *L, const double *inverse,
                 double *y);
    /* out = sum of (f, a x f) over nodes, f = r_node: a padded vector. */
    void (*gather)(int count, const int32_t *node, const float *arm, const double *r, double *out);
    /* z_node += t + w x a for nodes with (t, w) = motion[lump[node]], padded; without a lump (-1): nothing. */
    void (*move)(int count, const int32_t *node, const int32_t *lump, const float *arm, const double *motion,
                 double *z);
    /* sum += B_k and turned += B_k W with the arm of column[k], for `count` blocks of 9 numbers. B has room for one
     * number more. sum and turned: three columns of four numbers, of which the last is ignored. */
    void (*turn)(int count, const int32_t *column, const float *arm, const double *B, double *sum, double *turned);
} sn_rigid_kernels;

#endif
