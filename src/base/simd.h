/* Vectors of doubles with any number of lanes, for the element kernels.
 *
 * Data is stored in blocks of SN_LANES elements for every vector width, so one model serves every instruction set. A
 * kernel file is compiled once per instruction set, with SN_WIDTH lanes per vector (8, 4, 2, or 1 for the scalar
 * reference). It loops over a block in steps of SN_WIDTH. Lanes never mix, and floating-point contraction is off, so
 * every width gives the same bits.
 *
 * SN_ISA(name) appends the suffix of the instruction set to the name. */
#ifndef SN_BASE_SIMD_H
#define SN_BASE_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef SN_WIDTH
#define SN_WIDTH 2
#endif
#if SN_WIDTH > 1 && defined(__SSE2__)
#include <immintrin.h>
#endif
#ifndef SN_ISA_SUFFIX
#define SN_ISA_SUFFIX baseline
#endif
#define SN_JOIN_(a, b) a##_##b
#define SN_JOIN(a, b) SN_JOIN_(a, b)
#define SN_ISA(name) SN_JOIN(name, SN_ISA_SUFFIX)

enum { SN_LANES = 8 };

typedef double vd __attribute__((vector_size(8 * SN_WIDTH), aligned(8 * SN_WIDTH), may_alias));
typedef int64_t vi __attribute__((vector_size(8 * SN_WIDTH), aligned(8 * SN_WIDTH), may_alias));

/* f(0), f(1), ... for all lanes, in braces. Compilers make better code of it than of a loop over the lanes. */
#if SN_WIDTH == 8
#define SN_PER_LANE(f)                                                                                                 \
    { f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7) }
#elif SN_WIDTH == 4
#define SN_PER_LANE(f)                                                                                                 \
    { f(0), f(1), f(2), f(3) }
#elif SN_WIDTH == 2
#define SN_PER_LANE(f)                                                                                                 \
    { f(0), f(1) }
#else
#define SN_PER_LANE(f)                                                                                                 \
    { f(0) }
#endif

static inline vd vd_set(double a) {
#define SN_SAME(lane) a
    return (vd)SN_PER_LANE(SN_SAME);
#undef SN_SAME
}
/* p is aligned to the vector, as every row of a block of SN_LANES doubles is. */
static inline vd vd_load(const double *p) { return *(const vd *)p; }
static inline void vd_store(double *p, vd a) { *(vd *)p = a; }
/* A store for arrays that are larger than the caches and not read again soon. A vector that fills a cache line goes
 * past the caches, and the processor does not read the line first. Before another thread may read the numbers, the
 * writer calls vd_stream_end. */
#if SN_WIDTH == 8 && defined(__AVX512F__)
static inline void vd_stream(double *p, vd a) { _mm512_stream_pd(p, (__m512d)a); }
static inline void vd_stream_end(void) { _mm_sfence(); }
#else
static inline void vd_stream(double *p, vd a) { vd_store(p, a); }
static inline void vd_stream_end(void) {}
#endif
static inline vd vd_gather(const double *p, const int32_t *index, int64_t stride) {
#define SN_AT(lane) p[index[lane] * stride]
    return (vd)SN_PER_LANE(SN_AT);
#undef SN_AT
}

/* Transposes 4 x 4 numbers at a time in vectors of eight. The columns are FRONT and BACK of the LOW results, then of
 * the HIGH results. */
#define SN_LOW8(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define SN_HIGH8(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define SN_FRONT8(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SN_BACK8(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)

/* Gathers three neighbouring numbers of each node: out[axis], lane by lane, is p[stride index + axis]. With wide
 * vectors, the three numbers of a node are loaded at once. */
#if SN_WIDTH == 8 && defined(__AVX512VL__)
static inline vd vd_pair3(const double *low, const double *high) {
    const __m512d a = _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, low));
    return (vd)_mm512_insertf64x4(a, _mm256_maskz_loadu_pd(7, high), 1);
}
static inline void vd_gather_rows(const double *p, const int32_t *index, int64_t stride, vd out[3]) {
    const vd a = vd_pair3(p + stride * index[0], p + stride * index[4]);
    const vd b = vd_pair3(p + stride * index[1], p + stride * index[5]);
    const vd c = vd_pair3(p + stride * index[2], p + stride * index[6]);
    const vd d = vd_pair3(p + stride * index[3], p + stride * index[7]);
    const vd xy0 = SN_LOW8(a, b),
             xy1 = SN_LOW8(c, d); /* x0 x1 y0 y1 | x4 x5 y4 y5, and the same for the nodes 2, 3, 6, 7 */
    out[0] = SN_FRONT8(xy0, xy1);
    out[1] = SN_BACK8(xy0, xy1);
    out[2] = SN_FRONT8(SN_HIGH8(a, b), SN_HIGH8(c, d));
}
#elif SN_WIDTH == 4 && defined(__AVX2__)
static inline vd vd_load3(const double *p) { return (vd)_mm256_maskload_pd(p, _mm256_setr_epi64x(-1, -1, -1, 0)); }
static inline void vd_gather_rows(const double *p, const int32_t *index, int64_t stride, vd out[3]) {
    const vd a = vd_load3(p + stride * index[0]), b = vd_load3(p + stride * index[1]);
    const vd c = vd_load3(p + stride * index[2]), d = vd_load3(p + stride * index[3]);
    const vd xz0 = __builtin_shufflevector(a, b, 0, 4, 2, 6), xz1 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const vd y0 = __builtin_shufflevector(a, b, 1, 5, 3, 7), y1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(xz0, xz1, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(y0, y1, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(xz0, xz1, 2, 3, 6, 7);
}
#else
static inline void vd_gather_rows(const double *p, const int32_t *index, int64_t stride, vd out[3]) {
    for (int a = 0; a < 3; ++a) out[a] = vd_gather(p + a, index, stride);
}
#endif
/* The same for vectors of nodes: out[axis] is p[3 index + axis]. */
static inline void vd_gather3(const double *p, const int32_t *index, vd out[3]) { vd_gather_rows(p, index, 3, out); }

/* The pairs a, b of all lanes. Even lanes come first, then odd lanes, which takes two shuffles: lane l is at
 * SN_PAIR(l). */
#define SN_PAIR(l) ((l) % 2 * (SN_WIDTH / 2) + (l) / 2)
static inline void vd_pairs(vd a, vd b, double out[SN_WIDTH][2]) {
#if SN_WIDTH == 8
    vd_store(out[0], __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14));
    vd_store(out[4], __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15));
#elif SN_WIDTH == 4
    vd_store(out[0], __builtin_shufflevector(a, b, 0, 4, 2, 6));
    vd_store(out[2], __builtin_shufflevector(a, b, 1, 5, 3, 7));
#else
    for (int l = 0; l < SN_WIDTH; ++l) out[SN_PAIR(l)][0] = a[l], out[SN_PAIR(l)][1] = b[l];
#endif
}

/* A mask has all bits set or none per lane, as comparisons return it. */
static inline vd vd_select(vi mask, vd a, vd b) { return (vd)((mask & (vi)a) | (~mask & (vi)b)); }
static inline vd vd_abs(vd a) { return (vd)((vi)a & ~(vi)vd_set(-0.0)); }
/* a < b ? a : b and a > b ? a : b, which is also what the instructions do: b counts when a or b is not a number. */
#if SN_WIDTH == 8 && defined(__AVX512F__)
static inline vd vd_min(vd a, vd b) { return (vd)_mm512_min_pd((__m512d)a, (__m512d)b); }
static inline vd vd_max(vd a, vd b) { return (vd)_mm512_max_pd((__m512d)a, (__m512d)b); }
#elif SN_WIDTH == 4 && defined(__AVX__)
static inline vd vd_min(vd a, vd b) { return (vd)_mm256_min_pd((__m256d)a, (__m256d)b); }
static inline vd vd_max(vd a, vd b) { return (vd)_mm256_max_pd((__m256d)a, (__m256d)b); }
#elif SN_WIDTH == 2 && defined(__SSE2__)
static inline vd vd_min(vd a, vd b) { return (vd)_mm_min_pd((__m128d)a, (__m128d)b); }
static inline vd vd_max(vd a, vd b) { return (vd)_mm_max_pd((__m128d)a, (__m128d)b); }
#else
static inline vd vd_min(vd a, vd b) { return vd_select((vi)(a < b), a, b); }
static inline vd vd_max(vd a, vd b) { return vd_select((vi)(a > b), a, b); }
#endif
static inline vd vd_sqrt(vd a) {
    vd r;
    for (int l = 0; l < SN_WIDTH; ++l) r[l] = sqrt(a[l]);
    return r;
}
/* |a| with the sign of b. */
static inline vd vd_copysign(vd a, vd b) {
    const vi sign = (vi)vd_set(-0.0);
    return (vd)(((vi)a & ~sign) | ((vi)b & sign));
}
static inline int vi_any(vi mask) {
    int64_t any = 0;
    for (int l = 0; l < SN_WIDTH; ++l) any |= mask[l];
    return any != 0;
}
/* One bit per lane. */
static inline unsigned vi_bits(vi mask) {
#if SN_WIDTH == 8 && defined(__AVX512DQ__)
    return _mm512_movepi64_mask((__m512i)mask);
#elif SN_WIDTH == 4 && defined(__AVX__)
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#elif SN_WIDTH == 2 && defined(__SSE2__)
    return (unsigned)_mm_movemask_pd((__m128d)mask);
#else
    unsigned bits = 0;
    for (int l = 0; l < SN_WIDTH; ++l) bits |= (unsigned)(mask[l] & 1) << l;
    return bits;
#endif
}
static inline int vi_all(vi mask) { return !vi_any(~mask); }

/* ---- 3x3 matrices, row-major: m[3 * row + column] ---- */
static inline void vm_multiply(const vd a[9], const vd b[9], vd out[9]) { /* a b */
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}
static inline void vm_transpose_multiply(const vd a[9], const vd b[9], vd out[9]) { /* a^T b */
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
}
static inline void vm_multiply_transpose(const vd a[9], const vd b[9], vd out[9]) { /* a b^T */
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
}
/* Cofactors: d det / d a, so det = sum a cof / 3 and a^-T = cof / det. */
static inline void vm_cofactor(const vd a[9], vd out[9]) {
    for (int i = 0; i < 3; ++i) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const int r = (j + 1) % 3, s = (j + 2) % 3;
            out[3 * i + j] = a[3 * p + r] * a[3 * q + s] - a[3 * p + s] * a[3 * q + r];
        }
    }
}
static inline vd vm_determinant(const vd a[9]) {
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}
static inline vd vm_dot(const vd a[9], const vd b[9]) {
    vd sum = a[0] * b[0];
    for (int i = 1; i < 9; ++i) sum += a[i] * b[i];
    return sum;
}
static inline vd vm_trace(const vd a[9]) { return a[0] + a[4] + a[8]; }

#endif
