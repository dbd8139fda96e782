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
typedef double v2 __attribute__((vector_size(16)));
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

enum { PREFETCH = 8192 }; /* prefetch distance in bytes; the matrix is read once from end to end */
enum { NEAR = 1 << 20 };  /* bytes of a matrix that stays in the cache of a core from one product to the next */

/* A row, column by column. One definition for both precisions; T is the stored type, COLUMN loads four numbers of it.
 */
#define DEFINE_ROW(NAME, T, COLUMN)                                                                                    \
    static inline void NAME(const int32_t *column, int count, const T *v, const double *x, bool far, double *y) {      \
        v4 a0 = {0}, a1 = {0}, a2 = {0}, b0 = {0}, b1 = {0}, b2 = {0};                                                 \
        int k = 0;                                                                                                     \
        for (; k + 1 < count; k += 2, v += 18) {                                                                       \
            const double *p = x + 3 * (int64_t)column[k], *q = x + 3 * (int64_t)column[k + 1];                         \
            if (far) __builtin_prefetch((const char *)v + PREFETCH);                                                   \
            a0 += COLUMN(v) * spread(p[0]);                                                                            \
            a1 += COLUMN(v + 3) * spread(p[1]);                                                                        \
            a2 += COLUMN(v + 6) * spread(p[2]);                                                                        \
            b0 += COLUMN(v + 9) * spread(q[0]);                                                                        \
            b1 += COLUMN(v + 12) * spread(q[1]);                                                                       \
            b2 += COLUMN(v + 15) * spread(q[2]);                                                                       \
        }                                                                                                              \
        if (k < count) {                                                                                               \
            const double *p = x + 3 * (int64_t)column[k];                                                              \
            a0 += COLUMN(v) * spread(p[0]);                                                                            \
            a1 += COLUMN(v + 3) * spread(p[1]);                                                                        \
            a2 += COLUMN(v + 6) * spread(p[2]);                                                                        \
        }                                                                                                              \
        store3(y, ((a0 + a1) + a2) + ((b0 + b1) + b2));                                                                \
    }

#if defined(__AVX512F__)
/* The same chains with every lane in use: the 18 numbers of two blocks lie in two vectors and a quarter. EIGHT and TWO
 * load that many numbers of T as doubles. */
#define EIGHT_SINGLE(p) _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define TWO_SINGLE(p) _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadu_si64(p)))
#define DEFINE_WIDE_ROW(NAME, T, EIGHT, TWO)                                                                           \
    static inline void NAME(const int32_t *column, int count, const T *v, const double *x, bool far, double *y) {      \
        const __m512i first = _mm512_setr_epi64(0, 0, 0, 1, 1, 1, 2, 2),                                               \
                      second = _mm512_setr_epi64(2, 8, 8, 8, 9, 9, 9, 10),                                             \
                      c0 = _mm512_setr_epi64(0, 1, 2, 2, 9, 10, 11, 11),                                               \
                      c1 = _mm512_setr_epi64(3, 4, 5, 5, 12, 13, 14, 14),                                              \
                      c2 = _mm512_setr_epi64(6, 7, 8, 8, 15, 15, 15, 15);                                              \
        __m512d s0 = _mm512_setzero_pd(), s1 = s0;                                                                     \
        __m128d s2 = _mm_setzero_pd();                                                                                 \
        int k = 0;                                                                                                     \
        for (; k + 1 < count; k += 2, v += 18) {                                                                       \
            const double *p = x + 3 * (int64_t)column[k], *q = x + 3 * (int64_t)column[k + 1];                         \
            const __m512d P = _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, p)),                                     \
                          Q = _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, q));                                     \
            for (int ahead = 0; far && ahead < 17 * (int)sizeof *v; ahead += 64)                                       \
                __builtin_prefetch((const char *)v + PREFETCH + ahead);                                                \
            s0 += EIGHT(v) * _mm512_permutexvar_pd(first, P);                                                          \
            s1 += EIGHT(v + 8) * _mm512_permutex2var_pd(P, second, Q);                                                 \
            s2 += TWO(v + 16) * _mm_loaddup_pd(q + 2);                                                                 \
        }                                                                                                              \
        if (k < count) {                                                                                               \
            const double *p = x + 3 * (int64_t)column[k];                                                              \
            const __m512d P = _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, p));                                     \
            s0 += EIGHT(v) * _mm512_permutexvar_pd(first, P);                                                          \
            s1 = _mm512_mask_add_pd(s1, 1, s1, _mm512_castpd128_pd512(_mm_set_sd((double)v[8] * p[2])));               \
        }                                                                                                              \
        const __m512d last =                                                                                           \
            _mm512_mask_expand_pd(_mm512_permutex2var_pd(s0, c2, s1), 96, _mm512_castpd128_pd512(s2));                 \
        const __m512d sum = (_mm512_permutex2var_pd(s0, c0, s1) + _mm512_permutex2var_pd(s0, c1, s1)) + last;          \
        store3(y, (v4)(_mm512_castpd512_pd256(sum) + _mm512_extractf64x4_pd(sum, 1)));                                 \
    }
DEFINE_WIDE_ROW(row_single, float, EIGHT_SINGLE, TWO_SINGLE)
DEFINE_WIDE_ROW(dense_row_double, double, _mm512_loadu_pd, _mm_loadu_pd)
#else
DEFINE_ROW(row_single, float, column_single)

#if defined(__AVX__)
/* The same chains with every lane in use: the 18 numbers of two blocks lie in four vectors and a half. It is faster for
 * doubles, and slower for floats, which have to be converted. The loads decide, so a vector of x is loaded twice, (x0
 * x1 x0 x1) and (x1 x2 x1 x2), and the rest is shuffled from these. */
#define PICK(p, q, i, j, k, l) __builtin_shufflevector(p, q, i, j, k, l)
static inline v4 twice(const double *p) { return (v4)_mm256_broadcast_pd((const __m128d *)p); }
static inline void dense_row_double(const int32_t *column, int count, const double *v, const double *x, bool far,
                                    double *y) {
    v4 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    v2 s4 = {0};
    int k = 0;
    for (; k + 1 < count; k += 2, v += 18) {
        const double *p = x + 3 * (int64_t)column[k], *q = x + 3 * (int64_t)column[k + 1];
        const v4 p01 = twice(p), p12 = twice(p + 1), q01 = twice(q), q12 = twice(q + 1);
        for (int ahead = 0; far && ahead < 18 * (int)sizeof *v; ahead += 64)
            __builtin_prefetch((const char *)v + PREFETCH + ahead);
        s0 += column_double(v) * PICK(p01, p01, 0, 0, 2, 3);
        s1 += column_double(v + 4) * PICK(p12, p12, 0, 0, 3, 3);
        s2 += column_double(v + 8) * PICK((v4)_mm256_blend_pd((__m256d)p12, (__m256d)q01, 12), q01, 1, 4, 2, 6);
        s3 += column_double(v + 12) * PICK(q12, q12, 0, 0, 2, 3);
        s4 += *(const v2_loose *)(v + 16) * __builtin_shufflevector(q12, q12, 1, 1);
    }
    if (k < count) {
        const double *p = x + 3 * (int64_t)column[k];
        const v4 p01 = twice(p), p12 = twice(p + 1);
        s0 += column_double(v) * PICK(p01, p01, 0, 0, 2, 3);
        s1 += column_double(v + 4) * PICK(p12, p12, 0, 0, 3, 3);
        s2[0] += v[8] * p[2];
    }
    const v4 end = __builtin_shufflevector(s4, s4, 0, 1, -1, -1), a1 = PICK(s0, s1, 3, 4, 5, 5),
             a2 = PICK(s1, s2, 2, 3, 4, 4), b0 = PICK(s2, s2, 1, 2, 3, 3), b2 = PICK(s3, end, 3, 4, 5, 5);
    store3(y, ((s0 + a1) + a2) + ((b0 + s3) + b2));
}
#else
DEFINE_ROW(dense_row_double, double, column_double)
#endif
#endif

/* `far`: a constant. Matrices that fit into a cache near the core are not prefetched. */
#define DEFINE_PRODUCT(NAME, T, ROW)                                                                                   \
    static inline __attribute__((always_inline)) void NAME##_rows(                                                     \
        const sn_pattern *pattern, const T *value, const double *x, bool far, double *y, int begin, int end) {         \
        for (int i = begin; i < end; ++i) {                                                                            \
            const int32_t first = pattern->row_begin[i];                                                               \
            ROW(pattern->column + first, pattern->row_begin[i + 1] - first, value + 9 * (int64_t)first, x, far,        \
                y + 3 * (int64_t)i);                                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    static void NAME(const sn_pattern *pattern, const T *value, const double *x, double *y, int begin, int end) {      \
        if (9 * sizeof *value * (size_t)pattern->row_begin[pattern->nodes] > NEAR)                                     \
            NAME##_rows(pattern, value, x, true, y, begin, end);                                                       \
        else                                                                                                           \
            NAME##_rows(pattern, value, x, false, y, begin, end);                                                      \
    }
DEFINE_PRODUCT(product_single, float, row_single)
DEFINE_PRODUCT(product_double, double, dense_row_double)

static void add_rows(int first, int end, const int32_t *row, const int32_t *begin, const int32_t *column,
                     const double *B, const double *x, double *y) {
    for (int r = first; r < end; ++r) {
        double sum[3], *out = y + 3 * (int64_t)row[r];
        dense_row_double(column + begin[r], begin[r + 1] - begin[r], B + 9 * (int64_t)begin[r], x, false, sum);
        for (int i = 0; i < 3; ++i) out[i] += sum[i];
    }
}

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

/* y - B x */
static inline v4 take(const float *B, v4 x, v4 y) {
    return y - ((column_single(B) * spread(x[0]) + column_single(B + 3) * spread(x[1])) +
                column_single(B + 6) * spread(x[2]));
}

static void substitute(int first, int end, const int32_t *begin, const int32_t *column, const float *B, double *y) {
    for (int i = first; i < end; ++i) {
        v4 sum = column_double(y + 4 * (int64_t)i);
        for (int32_t e = begin[i]; e < begin[i + 1]; ++e)
            sum = take(B + 9 * (int64_t)e, column_double(y + 4 * (int64_t)column[e]), sum);
        *(v4_loose *)(y + 4 * (int64_t)i) = sum;
    }
}

static void substitute_back(int first, int end, const int32_t *begin, const int32_t *column, const float *B,
                            double *y) {
    for (int i = end - 1; i >= first; --i) {
        const v4 own = column_double(y + 4 * (int64_t)i);
        for (int32_t e = begin[i]; e < begin[i + 1]; ++e) {
            double *other = y + 4 * (int64_t)column[e];
            *(v4_loose *)other = take(B + 9 * (int64_t)e, own, column_double(other));
        }
    }
}

static void scale(int first, int end, const double *B, const double *y, double *z) {
    for (int64_t i = first; i < end; ++i) {
        const double *own = y + 4 * i, *b = B + 9 * i;
        *(v4_loose *)(z + 4 * i) = (column_double(b) * spread(own[0]) + column_double(b + 3) * spread(own[1])) +
                                   column_double(b + 6) * spread(own[2]);
    }
}

/* Most rows have the node before as their last neighbour. Its value stays in a register: to store and to load it again
 * would take longer than the sum. */
static void sweep(int nodes, const int32_t *begin, const int32_t *column, const double *l, const double *scale,
                  double *y, const double *r, double *z) {
    v4 own = {0};
    for (int i = 0; i < nodes; ++i) {
        const double *b = r + 3 * (int64_t)i;
        const v4 before = own;
        own = (v4){b[0], b[1], b[2], 0};
        for (int32_t e = begin[i]; e < begin[i + 1]; ++e)
            if (column[e] == i - 1)
                own -= spread(l[e]) * before;
            else
                own -= spread(l[e]) * column_double(y + 4 * (int64_t)column[e]);
        *(v4_loose *)(y + 4 * (int64_t)i) = own;
    }
    for (int i = 0; i < nodes; ++i) *(v4_loose *)(y + 4 * (int64_t)i) *= spread(scale[i]);
    own = nodes ? column_double(y + 4 * (int64_t)(nodes - 1)) : own;
    for (int i = nodes - 1; i >= 0; --i) {
        v4 next = i ? column_double(y + 4 * (int64_t)(i - 1)) : own;
        for (int32_t e = begin[i]; e < begin[i + 1]; ++e)
            if (column[e] == i - 1)
                next -= spread(l[e]) * own;
            else
                *(v4_loose *)(y + 4 * (int64_t)column[e]) -= spread(l[e]) * own;
        store3(z + 3 * (int64_t)i, own);
        own = next;
    }
}

void SN_ISA(sn_scatter_single)(int nodes, const double *in, const int32_t *place, float *value);
void SN_ISA(sn_scatter_double)(int nodes, const double *in, const int32_t *place, double *value);
void SN_ISA(sn_mirror_single)(const sn_pattern *pattern, float *value, int begin, int end);
void SN_ISA(sn_mirror_double)(const sn_pattern *pattern, double *value, int begin, int end);

extern const sn_linear_kernels SN_ISA(sn_linear_kernels);
const sn_linear_kernels SN_ISA(sn_linear_kernels) = {
    .product_single = product_single,
    .product_double = product_double,
    .add_rows = add_rows,
    .blocks_single = blocks_single,
    .blocks_double = blocks_double,
    .scatter_single = SN_ISA(sn_scatter_single),
    .scatter_double = SN_ISA(sn_scatter_double),
    .mirror_single = SN_ISA(sn_mirror_single),
    .mirror_double = SN_ISA(sn_mirror_double),
    .substitute = substitute,
    .substitute_back = substitute_back,
    .scale = scale,
    .sweep = sweep,
};
