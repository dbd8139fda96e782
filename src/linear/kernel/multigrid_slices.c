/* Gauss-Seidel sweeps on slices of sixteen independent rows, one row per lane: see multigrid_slices.c.
 *
 * A slab holds one block of each of the sixteen rows. A row adds its blocks in ascending order, s += (a0 x + a1 y) + a2 z with a the
 * columns of the block, in every build alike. */
#include <string.h>

#include "base/simd.h"
#include "linear/multigrid.h"

typedef float v16 __attribute__((vector_size(64), aligned(64), may_alias));
typedef float v16_loose __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t i16 __attribute__((vector_size(64)));
typedef int16_t h16 __attribute__((vector_size(32), aligned(32), may_alias));

static inline v16 all(float a) { return (v16){0} + a; }

#if SN_WIDTH == 8 && defined(__AVX512BW__)
#include <immintrin.h>

/* Four vectors of four nodes each, nodes q, q + 4, q + 8, q + 12 in vector q, to x, y and z of the nodes in order. */
static inline void split(const __m512 q[4], v16 out[3]) {
    const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(q[0], q[1])), b = _mm512_castps_pd(_mm512_unpacklo_ps(q[2], q[3]));
    const __m512d c = _mm512_castps_pd(_mm512_unpackhi_ps(q[0], q[1])), d = _mm512_castps_pd(_mm512_unpackhi_ps(q[2], q[3]));
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
        q[i] = four(vector + 4 * (int64_t)column[i], vector + 4 * (int64_t)column[i + 4], vector + 4 * (int64_t)column[i + 8],
                    vector + 4 * (int64_t)column[i + 12]);
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
    const __m512d q[4] = {_mm512_unpacklo_pd(a, c), _mm512_unpackhi_pd(a, c), _mm512_unpacklo_pd(b, d), _mm512_unpackhi_pd(b, d)};
    for (int i = 0; i < 4; ++i) {
        const __m512 v = _mm512_castpd_ps(q[i]);
        _mm_store_ps(rows + 4 * i, _mm512_castps512_ps128(v));
        _mm_store_ps(rows + 16 + 4 * i, _mm512_extractf32x4_ps(v, 1));
        _mm_store_ps(rows + 32 + 4 * i, _mm512_extractf32x4_ps(v, 2));
        _mm_store_ps(rows + 48 + 4 * i, _mm512_extractf32x4_ps(v, 3));
    }
}
#else
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

static inline void store_rows(float *vector, int row, int count, const v16 in[3]) {
    if (count == SN_MG_SLICE) {
        join(in, vector + 4 * (int64_t)row);
    } else {
        _Alignas(64) float rows[4 * SN_MG_SLICE];
        join(in, rows);
        memcpy(vector + 4 * (int64_t)row, rows, 4 * (size_t)count * sizeof *rows);
    }
}

static inline v16 number(const int16_t *a) { return __builtin_convertvector(__builtin_convertvector(*(const h16 *)a, i16), v16); }

/* s += the slabs [begin, end) times x. */
static inline void add_slabs(const sn_mg_slab *slab, int begin, int end, const float *x, v16 s[3]) {
    for (int k = begin; k < end; ++k) {
        v16 u[3];
        gather(x, slab[k].column, u);
        for (int r = 0; r < 3; ++r)
            s[r] += (number(slab[k].value[r]) * u[0] + number(slab[k].value[3 + r]) * u[1]) + number(slab[k].value[6 + r]) * u[2];
    }
}

/* x of a slice = D^-1 (b - unit s). */
static inline void correct(const sn_mg_level *level, int slice, const v16 s[3]) {
    const sn_mg_slices *d = level->slices;
    const v16 *m = (const v16 *)(d->inverse + 6 * (int64_t)SN_MG_SLICE * slice), unit = all(SN_MG_UNIT);
    v16 r[3], x[3];
    load_rows(level->b, d->row[slice], r);
    for (int a = 0; a < 3; ++a) r[a] -= s[a] * unit;
    x[0] = (m[0] * r[0] + m[3] * r[1]) + m[5] * r[2];
    x[1] = (m[3] * r[0] + m[1] * r[1]) + m[4] * r[2];
    x[2] = (m[5] * r[0] + m[4] * r[1]) + m[2] * r[2];
    store_rows(level->x, d->row[slice], d->row[slice + 1] - d->row[slice], x);
}

static void forward(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    for (int i = begin; i < end; ++i) {
        v16 s[3] = {all(0), all(0), all(0)};
        add_slabs(d->slab, d->begin[2 * i], d->begin[2 * i + 1], level->x, s);
        correct(level, i, s);
    }
}

static void backward(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    for (int i = end - 1; i >= begin; --i) {
        v16 s[3] = {all(0), all(0), all(0)};
        add_slabs(d->slab, d->begin[2 * i], d->begin[2 * i + 2], level->x, s);
        correct(level, i, s);
    }
}

static void residual(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    for (int i = begin; i < end; ++i) {
        v16 s[3] = {all(0), all(0), all(0)};
        add_slabs(d->slab, d->begin[2 * i + 1], d->begin[2 * i + 2], level->x, s);
        const v16 factor = *(const v16_loose *)(level->unscale + d->row[i]) * all(-SN_MG_UNIT);
        for (int a = 0; a < 3; ++a) s[a] *= factor;
        store_rows(level->r, d->row[i], d->row[i + 1] - d->row[i], s);
    }
}

/* The 16-bit values of the slices [begin, end), to the nearest, from blocks of nine numbers; `source`: level block -> block there, NULL
 * when they are the level's own. s_i s_j is taken first, so that the copy is symmetric to the bit when the matrix is. */
static void quantise(const sn_mg_level *level, const float *value, const int32_t *source, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    const v16 most = all(32767.0f), half = all(0.5f);
    const i16 sign = (i16)all(-0.0f);
    for (int i = begin; i < end; ++i)
        for (int k = d->begin[2 * i]; k < d->begin[2 * i + 2]; ++k) {
            const int32_t *block = d->source + SN_MG_SLICE * (int64_t)k;
            _Alignas(64) float factor[SN_MG_SLICE];
            const float *from[SN_MG_SLICE];
            for (int l = 0; l < SN_MG_SLICE; ++l) {
                const bool there = block[l] >= 0;
                const int32_t at = !there ? 0 : source ? source[block[l]] : block[l];
                factor[l] = there ? level->scale[d->row[i] + l] * level->scale[d->slab[k].column[l]] * (1 / SN_MG_UNIT) : 0;
                from[l] = value + 9 * (int64_t)at;
            }
            for (int e = 0; e < 9; ++e) {
                _Alignas(64) float number[SN_MG_SLICE];
                for (int l = 0; l < SN_MG_SLICE; ++l) number[l] = from[l][e];
                v16 v = *(const v16 *)number * *(const v16 *)factor;
                const i16 too_high = v > most, too_low = v < -most;
                v = (v16)(((i16)v & ~(too_high | too_low)) | ((i16)most & too_high) | ((i16)-most & too_low));
                v += (v16)(((i16)v & sign) | (i16)half);
                *(h16 *)d->slab[k].value[e] = __builtin_convertvector(__builtin_convertvector(v, i16), h16);
            }
        }
}

extern const sn_mg_slice_kernels SN_ISA(sn_mg_slice_kernels);
const sn_mg_slice_kernels SN_ISA(sn_mg_slice_kernels) = {forward, residual, backward, quantise};
