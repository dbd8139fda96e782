/* The hot loops of a factor of 6x6 blocks (rigid_factor.h), once per instruction set. A padded block or vector has
 * columns of eight numbers, of which the last two are zero. */
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
} sn_rigid_kernels;

#endif
