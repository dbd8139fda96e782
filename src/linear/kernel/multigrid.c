/* Gauss-Seidel sweeps of the multigrid levels: see multigrid.h.
 *
 * The scaled matrix is stored in 16-bit whole numbers, nine per block, column by column: the sweeps run at the speed of memory. A row times
 * a vector sums its blocks in ascending order, even and odd ones apart so that additions need not wait for each other; both forms below do
 * so in the same way, number by number, and give the same bits. */
#include "linear/multigrid.h"
#include "base/simd.h"

typedef float v4 __attribute__((vector_size(16), aligned(16), may_alias));
typedef int32_t i4 __attribute__((vector_size(16)));

static inline v4 splat(float a) { return (v4){a, a, a, a}; }

#if SN_WIDTH == 8 && defined(__AVX512BW__)
#include <immintrin.h>

/* Nine lanes: column c of the block in lanes 3 c to 3 c + 2. The lanes behind hold rubbish that no one reads. */
static inline __m512 block_times(const int16_t *a, const float *u) {
    const __m512i spread = _mm512_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3);
    const __m512 m = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)a)));
    return _mm512_mul_ps(m, _mm512_permutexvar_ps(spread, _mm512_castps128_ps512(_mm_load_ps(u))));
}

static inline v4 row_sum(const int16_t *restrict value, const int32_t *restrict column, int32_t begin, int32_t end, const float *x) {
    __m512 s = _mm512_setzero_ps(), t = _mm512_setzero_ps();
    int32_t k = begin;
    for (; k + 2 <= end; k += 2) {
        const int16_t *a = value + 9 * (int64_t)k;
        s = _mm512_add_ps(s, block_times(a, x + 4 * (int64_t)column[k]));
        t = _mm512_add_ps(t, block_times(a + 9, x + 4 * (int64_t)column[k + 1]));
    }
    if (k < end) s = _mm512_add_ps(s, block_times(value + 9 * (int64_t)k, x + 4 * (int64_t)column[k]));
    const __m512i w = _mm512_castps_si512(_mm512_add_ps(s, t));
    const v4 c0 = (v4)_mm512_castps512_ps128(_mm512_castsi512_ps(w));
    const v4 c1 = (v4)_mm512_castps512_ps128(_mm512_castsi512_ps(_mm512_alignr_epi32(w, w, 3)));
    const v4 c2 = (v4)_mm512_castps512_ps128(_mm512_castsi512_ps(_mm512_alignr_epi32(w, w, 6)));
    return (c0 + c1) + c2;
}
#else
typedef int16_t h4 __attribute__((vector_size(8), aligned(2), may_alias));

static inline v4 column_of(const int16_t *a) { return (v4) __builtin_convertvector(*(const h4 *)a, v4); }

static inline v4 row_sum(const int16_t *restrict value, const int32_t *restrict column, int32_t begin, int32_t end, const float *x) {
    v4 s0 = splat(0), s1 = splat(0), s2 = splat(0), t0 = splat(0), t1 = splat(0), t2 = splat(0);
    int32_t k = begin;
    for (; k + 2 <= end; k += 2) {
        const int16_t *a = value + 9 * (int64_t)k;
        const float *u = x + 4 * (int64_t)column[k], *w = x + 4 * (int64_t)column[k + 1];
        s0 += column_of(a) * splat(u[0]);
        s1 += column_of(a + 3) * splat(u[1]);
        s2 += column_of(a + 6) * splat(u[2]);
        t0 += column_of(a + 9) * splat(w[0]);
        t1 += column_of(a + 12) * splat(w[1]);
        t2 += column_of(a + 15) * splat(w[2]);
    }
    if (k < end) {
        const int16_t *a = value + 9 * (int64_t)k;
        const float *u = x + 4 * (int64_t)column[k];
        s0 += column_of(a) * splat(u[0]);
        s1 += column_of(a + 3) * splat(u[1]);
        s2 += column_of(a + 6) * splat(u[2]);
    }
    return ((s0 + t0) + (s1 + t1)) + (s2 + t2);
}
#endif

static inline v4 times_inverse(const float *inverse, v4 r) {
    const v4 *m = (const v4 *)inverse;
    return (m[0] * splat(r[0]) + m[1] * splat(r[1])) + m[2] * splat(r[2]);
}

static inline v4 at(const float *vector, int i) { return *(const v4 *)(vector + 4 * (int64_t)i); }

static void forward(const sn_mg_level *level, int begin, int end) {
    const v4 unit = splat(SN_MG_UNIT);
    for (int i = begin; i < end; ++i) {
        const v4 s = row_sum(level->scaled, level->column, level->row_begin[i], level->diagonal[i], level->x);
        *(v4 *)(level->x + 4 * (int64_t)i) = times_inverse(level->inverse + 12 * (int64_t)i, at(level->b, i) - s * unit);
    }
}

static void residual(const sn_mg_level *level, int begin, int end) {
    const i4 keep = {-1, -1, -1, 0};
    for (int i = begin; i < end; ++i) {
        const v4 s = row_sum(level->scaled, level->column, level->diagonal[i] + 1, level->row_begin[i + 1], level->x);
        *(v4 *)(level->r + 4 * (int64_t)i) = (v4)((i4)(s * splat(-SN_MG_UNIT * level->unscale[i])) & keep);
    }
}

static void backward(const sn_mg_level *level, int begin, int end) {
    const v4 unit = splat(SN_MG_UNIT);
    for (int i = end - 1; i >= begin; --i) {
        const v4 lower = row_sum(level->scaled, level->column, level->row_begin[i], level->diagonal[i], level->x);
        const v4 upper = row_sum(level->scaled, level->column, level->diagonal[i] + 1, level->row_begin[i + 1], level->x);
        *(v4 *)(level->x + 4 * (int64_t)i) = times_inverse(level->inverse + 12 * (int64_t)i, at(level->b, i) - (lower + upper) * unit);
    }
}

typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t i16 __attribute__((vector_size(64)));
typedef int16_t h16 __attribute__((vector_size(32)));

/* The 16-bit copy, to the nearest. s_i s_j is taken first, so that the copy is symmetric to the bit when the matrix is. */
static void quantise(const sn_mg_level *level, int begin, int end) {
    const v16 most = (v16){0} + 32767.0f, half = (v16){0} + 0.5f;
    const i16 sign = (i16)((v16){0} - 0.0f);
    for (int i = begin; i < end; ++i)
        for (int32_t k = level->row_begin[i]; k < level->row_begin[i + 1]; ++k) {
            const float factor = level->scale[i] * level->scale[level->column[k]] * (1 / SN_MG_UNIT);
            v16 v = *(const v16 *)(level->value + 9 * (int64_t)k) * factor;
            const i16 too_high = v > most, too_low = v < -most;
            v = (v16)(((i16)v & ~(too_high | too_low)) | ((i16)most & too_high) | ((i16)-most & too_low));
            v += (v16)(((i16)v & sign) | (i16)half);
            const h16 whole = __builtin_convertvector(__builtin_convertvector(v, i16), h16);
            memcpy(level->scaled + 9 * (int64_t)k, &whole, 9 * sizeof(int16_t));
        }
}

/* b of the coarse nodes [begin, end) = scale P^T r. */
static void restrict_(const sn_mg_level *level, const sn_mg_level *coarse, int begin, int end) {
    const sn_mg_transfer *d = level->down;
    for (int i = begin; i < end; ++i) {
        v4 s = splat(0), t = splat(0);
        int32_t k = d->child_begin[i];
        for (; k + 2 <= d->child_begin[i + 1]; k += 2) {
            s += at(level->r, d->child[k]) * splat(d->child_weight[k]);
            t += at(level->r, d->child[k + 1]) * splat(d->child_weight[k + 1]);
        }
        if (k < d->child_begin[i + 1]) s += at(level->r, d->child[k]) * splat(d->child_weight[k]);
        *(v4 *)(coarse->b + 4 * (int64_t)i) = (s + t) * splat(coarse->scale[i]);
    }
}

/* x of the nodes [begin, end) += P x of the coarse level. */
static void prolong(const sn_mg_level *level, const sn_mg_level *coarse, int begin, int end) {
    const sn_mg_transfer *d = level->down;
    const i4 keep = {-1, -1, -1, 0};
    for (int i = begin; i < end; ++i) {
        const sn_mg_group *group = &d->group[d->group_of[i]];
        v4 s = splat(0);
        for (int c = 0; c < SN_MG_PARENTS; ++c) {
            const int parent = group->parent[c] < 0 ? 0 : group->parent[c]; /* its weight is 0 then */
            s += at(coarse->x, parent) * splat(d->weight[i][c] * coarse->scale[parent]);
        }
        *(v4 *)(level->x + 4 * (int64_t)i) = (v4)((i4)(at(level->x, i) + s * splat(level->unscale[i])) & keep);
    }
}

extern const sn_mg_kernels SN_ISA(sn_mg_kernels);
const sn_mg_kernels SN_ISA(sn_mg_kernels) = {forward, residual, backward, quantise, restrict_, prolong};
