/* Products of 3 x 3 blocks. A block is stored column by column: B[3 * column + row]. */
#ifndef SN_LINEAR_BLOCK_H
#define SN_LINEAR_BLOCK_H

/* out = A B. */
static inline void sn_block_multiply(const double A[9], const double B[9], double out[9]) {
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
            out[3 * c + r] = A[r] * B[3 * c] + A[3 + r] * B[3 * c + 1] + A[6 + r] * B[3 * c + 2];
}
/* out -= A B^T. */
static inline void sn_block_subtract(const double A[9], const double B[9], double out[9]) {
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) out[3 * c + r] -= A[r] * B[c] + A[3 + r] * B[3 + c] + A[6 + r] * B[6 + c];
}
/* out = B x. */
static inline void sn_block_apply(const double B[9], const double x[3], double out[3]) {
    for (int r = 0; r < 3; ++r) out[r] = B[r] * x[0] + B[3 + r] * x[1] + B[6 + r] * x[2];
}
/* y -= B x, then y -= B^T x. */
static inline void sn_block_take(const double B[9], const double x[3], double y[3]) {
    for (int r = 0; r < 3; ++r) y[r] -= B[r] * x[0] + B[3 + r] * x[1] + B[6 + r] * x[2];
}
static inline void sn_block_take_transpose(const double B[9], const double x[3], double y[3]) {
    for (int c = 0; c < 3; ++c) y[c] -= B[3 * c] * x[0] + B[3 * c + 1] * x[1] + B[3 * c + 2] * x[2];
}

#endif
