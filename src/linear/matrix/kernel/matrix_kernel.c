/* Products with 3x3 blocks.
 *
 * A block row is summed in six chains: one per column and per parity of the block's place in the row. They are added as
 * ((a0 + a1) + a2) + ((b0 + b1) + b2). Short chains hide the latency of the additions, and the shape of the sum is the
 * same for every instruction set. */
#include "linear/matrix/kernels.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed only between functions of this file */

typedef double v4 __attribute__((vector_size(32)));
typedef double v4_loose __attribute__((vector_size(32), aligned(8), may_alias));
typedef float v4f_loose __attribute__((vector_size(16), aligned(4), may_alias));
typedef double v2_loose __attribute__((vector_size(16), aligned(8), may_alias));

#if defined(__AVX__)
/* This is one instruction; __builtin_convertvector would split it into two halves. */
static inline v4 column_single(const float *p) { return (v4)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
#else
static inline v4 column_single(const float *p) { return __builtin_convertvector(*(const v4f_loose *)p, v4); }
#endif
static inline v4 column_double(const double *p) { return *(const v4_loose *)p; }
static inline v4 spread(double a) { return (v4){a, a, a, a}; }
static inline void store3(double *p, v4 a) {
    *(v2_loose *)p = (v2_loose){a[0], a[1]};
    p[2] = a[2];
}

enum { PREFETCH = 2048 }; /* prefetch distance in numbers; the matrix is read once from end to end */

/* One definition for both precisions; T is the stored type, COLUMN loads three numbers of it. */
#define DEFINE_PRODUCT(NAME, T, COLUMN)                                                                                \
    static void NAME(const sn_pattern *pattern, const T *value, const double *x, double *y, int begin, int end) {      \
        const int32_t *column = pattern->column;                                                                       \
        for (int i = begin; i < end; ++i) {                                                                            \
            v4 a0 = {0}, a1 = {0}, a2 = {0}, b0 = {0}, b1 = {0}, b2 = {0};                                             \
            int32_t k = pattern->row_begin[i];                                                                         \
            const int32_t last = pattern->row_begin[i + 1];                                                            \
            const T *v = value + 9 * (int64_t)k;                                                                       \
            for (; k + 1 < last; k += 2, v += 18) {                                                                    \
                const double *p = x + 3 * (int64_t)column[k], *q = x + 3 * (int64_t)column[k + 1];                     \
                __builtin_prefetch(v + PREFETCH);                                                                      \
                a0 += COLUMN(v) * spread(p[0]);                                                                        \
                a1 += COLUMN(v + 3) * spread(p[1]);                                                                    \
                a2 += COLUMN(v + 6) * spread(p[2]);                                                                    \
                b0 += COLUMN(v + 9) * spread(q[0]);                                                                    \
                b1 += COLUMN(v + 12) * spread(q[1]);                                                                   \
                b2 += COLUMN(v + 15) * spread(q[2]);                                                                   \
            }                                                                                                          \
            if (k < last) {                                                                                            \
                const double *p = x + 3 * (int64_t)column[k];                                                          \
                a0 += COLUMN(v) * spread(p[0]);                                                                        \
                a1 += COLUMN(v + 3) * spread(p[1]);                                                                    \
                a2 += COLUMN(v + 6) * spread(p[2]);                                                                    \
            }                                                                                                          \
            store3(y + 3 * (int64_t)i, ((a0 + a1) + a2) + ((b0 + b1) + b2));                                           \
        }                                                                                                              \
    }
DEFINE_PRODUCT(product_single, float, column_single)
DEFINE_PRODUCT(product_double, double, column_double)

#define DEFINE_BLOCKS(NAME, T, COLUMN)                                                                                 \
    static void NAME(const T *block, const double *r, double *z, int begin, int end) {                                 \
        for (int i = begin; i < end; ++i) {                                                                            \
            const T *v = block + 9 * (int64_t)i;                                                                       \
            const double *p = r + 3 * (int64_t)i;                                                                      \
            store3(z + 3 * (int64_t)i,                                                                                 \
                   (COLUMN(v) * spread(p[0]) + COLUMN(v + 3) * spread(p[1])) + COLUMN(v + 6) * spread(p[2]));          \
        }                                                                                                              \
    }
DEFINE_BLOCKS(blocks_single, float, column_single)
DEFINE_BLOCKS(blocks_double, double, column_double)

void SN_ISA(sn_scatter_single)(int nodes, const double *in, const int32_t *place, float *value);
void SN_ISA(sn_scatter_double)(int nodes, const double *in, const int32_t *place, double *value);
void SN_ISA(sn_mirror_single)(const sn_pattern *pattern, float *value, int begin, int end);
void SN_ISA(sn_mirror_double)(const sn_pattern *pattern, double *value, int begin, int end);

extern const sn_linear_kernels SN_ISA(sn_linear_kernels);
const sn_linear_kernels SN_ISA(sn_linear_kernels) = {
    .product_single = product_single,
    .product_double = product_double,
    .blocks_single = blocks_single,
    .blocks_double = blocks_double,
    .scatter_single = SN_ISA(sn_scatter_single),
    .scatter_double = SN_ISA(sn_scatter_double),
    .mirror_single = SN_ISA(sn_mirror_single),
    .mirror_double = SN_ISA(sn_mirror_double),
};
