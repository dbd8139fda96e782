/* Products of slabs (sixteen blocks each) with vectors of four floats per node, for the sweeps on rows and on slices.
 * The arithmetic is the same for every instruction set. */
#ifndef SN_LINEAR_KERNEL_SLAB_H
#define SN_LINEAR_KERNEL_SLAB_H

#include <string.h>

#include "base/simd.h"
#include "linear/multigrid/multigrid.h"

typedef float v16 __attribute__((vector_size(64), aligned(64), may_alias));
typedef float v16_loose __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t i16 __attribute__((vector_size(64)));
typedef int16_t h16 __attribute__((vector_size(32), aligned(32), may_alias));

static inline v16 all(float a) { return (v16){0} + a; }

#if SN_WIDTH == 8 && defined(__AVX512BW__)
#include <immintrin.h>

/* Takes four vectors of four nodes each; vector q holds the nodes q, q + 4, q + 8, q + 12. Returns x, y and z of the
 * nodes in order. */
static inline void split(const __m512 q[4], v16 out[3]) {
    const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(q[0], q[1])),
                  b = _mm512_castps_pd(_mm512_unpacklo_ps(q[2], q[3]));
    const __m512d c = _mm512_castps_pd(_mm512_unpackhi_ps(q[0], q[1])),
                  d = _mm512_castps_pd(_mm512_unpackhi_ps(q[2], q[3]));
    out[0] = (v16)_mm512_unpacklo_pd(a, b);
    out[1] = (v16)_mm512_unpackhi_pd(a, b);
    out[2] = (v16)_mm512_unpacklo_pd(c, d);
}

static inline __m512 four(const float *a, const float *b, const float *c, const float *d) {
    const __m512 low = _mm512_insertf32x4(_mm512_castps128_ps512(_mm_load_ps(a)), _mm_load_ps(b), 1);
    return _mm512_insertf32x4(_mm512_insertf32x4(low, _mm_load_ps(c), 2), _mm_load_ps(d), 3);
}

static inline void gather(const float *vector, const int32_t *column, v16 out[3]) {
    __m512 q[4];
    for (int i = 0; i < 4; ++i)
        q[i] = four(vector + 4 * (int64_t)column[i], vector + 4 * (int64_t)column[i + 4],
                    vector + 4 * (int64_t)column[i + 8], vector + 4 * (int64_t)column[i + 12]);
    split(q, out);
}

static inline void load_rows(const float *vector, int row, v16 out[3]) {
    const float *v = vector + 4 * (int64_t)row;
    __m512 q[4];
    for (int i = 0; i < 4; ++i) q[i] = four(v + 4 * i, v + 16 + 4 * i, v + 32 + 4 * i, v + 48 + 4 * i);
    split(q, out);
}

static inline void join(const v16 in[3], float *rows) {
    const __m512 zero = _mm512_setzero_ps();
    const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps((__m512)in[0], (__m512)in[1])),
                  b = _mm512_castps_pd(_mm512_unpackhi_ps((__m512)in[0], (__m512)in[1])),
                  c = _mm512_castps_pd(_mm512_unpacklo_ps((__m512)in[2], zero)),
                  d = _mm512_castps_pd(_mm512_unpackhi_ps((__m512)in[2], zero));
    const __m512d q[4] = {_mm512_unpacklo_pd(a, c), _mm512_unpackhi_pd(a, c), _mm512_unpacklo_pd(b, d),
                          _mm512_unpackhi_pd(b, d)};
    for (int i = 0; i < 4; ++i) {
        const __m512 v = _mm512_castpd_ps(q[i]);
        _mm_store_ps(rows + 4 * i, _mm512_castps512_ps128(v));
        _mm_store_ps(rows + 16 + 4 * i, _mm512_extractf32x4_ps(v, 1));
        _mm_store_ps(rows + 32 + 4 * i, _mm512_extractf32x4_ps(v, 2));
        _mm_store_ps(rows + 48 + 4 * i, _mm512_extractf32x4_ps(v, 3));
    }
}

/* Four numbers, repeated four times. */
static inline v16 four_times(const float *a) { return (v16)_mm512_broadcast_f32x4(_mm_load_ps(a)); }

/* The entries e to e + 3 of sixteen blocks. */
static inline void entries4(const float *const *block, int e, v16 out[4]) {
    __m512 q[4];
    for (int i = 0; i < 4; ++i) {
        const __m512 low =
            _mm512_insertf32x4(_mm512_castps128_ps512(_mm_loadu_ps(block[i] + e)), _mm_loadu_ps(block[i + 4] + e), 1);
        q[i] = _mm512_insertf32x4(_mm512_insertf32x4(low, _mm_loadu_ps(block[i + 8] + e), 2),
                                  _mm_loadu_ps(block[i + 12] + e), 3);
    }
    split(q, out);
    const __m512d c = _mm512_castps_pd(_mm512_unpackhi_ps(q[0], q[1])),
                  d = _mm512_castps_pd(_mm512_unpackhi_ps(q[2], q[3]));
    out[3] = (v16)_mm512_unpackhi_pd(c, d);
}
static inline v16 number(const int16_t *a) {
    return (v16)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_load_si256((const __m256i *)a)));
}
#else
static inline v16 four_times(const float *a) {
    return (v16){a[0], a[1], a[2], a[3], a[0], a[1], a[2], a[3], a[0], a[1], a[2], a[3], a[0], a[1], a[2], a[3]};
}

static inline void entries4(const float *const *block, int e, v16 out[4]) {
    _Alignas(64) float v[4][SN_MG_SLICE];
    for (int l = 0; l < SN_MG_SLICE; ++l)
        for (int a = 0; a < 4; ++a) v[a][l] = block[l][e + a];
    for (int a = 0; a < 4; ++a) out[a] = *(const v16 *)v[a];
}
static inline v16 number(const int16_t *a) {
    return __builtin_convertvector(__builtin_convertvector(*(const h16 *)a, i16), v16);
}

static inline void gather(const float *vector, const int32_t *column, v16 out[3]) {
    _Alignas(64) float v[3][SN_MG_SLICE];
    for (int l = 0; l < SN_MG_SLICE; ++l)
        for (int a = 0; a < 3; ++a) v[a][l] = vector[4 * (int64_t)column[l] + a];
    for (int a = 0; a < 3; ++a) out[a] = *(const v16 *)v[a];
}

static inline void load_rows(const float *vector, int row, v16 out[3]) {
    _Alignas(64) float v[3][SN_MG_SLICE];
    for (int l = 0; l < SN_MG_SLICE; ++l)
        for (int a = 0; a < 3; ++a) v[a][l] = vector[4 * (int64_t)(row + l) + a];
    for (int a = 0; a < 3; ++a) out[a] = *(const v16 *)v[a];
}

static inline void join(const v16 in[3], float *rows) {
    for (int l = 0; l < SN_MG_SLICE; ++l) {
        for (int a = 0; a < 3; ++a) rows[4 * l + a] = in[a][l];
        rows[4 * l + 3] = 0;
    }
}
#endif

/* The nine entries of sixteen blocks. */
static inline void entries(const float *const *block, v16 out[9]) {
    v16 last[4];
    entries4(block, 0, out);
    entries4(block, 4, out + 4);
    entries4(block, 5, last);
    out[8] = last[3];
}

/* Prefetch distance in slabs. Sweeps run forward or backward, so the sign varies. */
enum { AHEAD = 16 };

/* s += the slabs [begin, end) times x. */
static inline void add_slabs(const sn_mg_slab *slab, int begin, int end, const float *x, const int ahead, v16 s[3]) {
    for (int k = begin; k < end; ++k) {
        v16 u[3];
        for (size_t line = 0; line < sizeof *slab; line += 64)
            __builtin_prefetch((const char *)(slab + k + ahead) + line);
        gather(x, slab[k].column, u);
        for (int r = 0; r < 3; ++r)
            s[r] += (number(slab[k].value[r]) * u[0] + number(slab[k].value[3 + r]) * u[1]) +
                    number(slab[k].value[6 + r]) * u[2];
    }
}

#endif
