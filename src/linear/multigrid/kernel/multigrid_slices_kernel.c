/* Gauss-Seidel sweeps on slices of sixteen independent rows, one row per lane (multigrid_slices.c).
 *
 * A slab holds one block of each of the sixteen rows. A row adds its blocks in ascending order, s += (a0 x + a1 y) + a2
 * z with a the columns of the block. This order is the same for every instruction set. */
#include <math.h>

#include "slab.h"

static inline void store_rows(float *vector, int row, int count, const v16 in[3]) {
    if (count == SN_MG_SLICE) {
        join(in, vector + 4 * (int64_t)row);
    } else {
        _Alignas(64) float rows[4 * SN_MG_SLICE];
        join(in, rows);
        memcpy(vector + 4 * (int64_t)row, rows, 4 * (size_t)count * sizeof *rows);
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

static void forward_slices(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    for (int i = begin; i < end; ++i) {
        v16 s[3] = {all(0), all(0), all(0)};
        add_slabs(d->slab, d->begin[i], d->begin[i + 1], level->x, AHEAD, s);
        correct(level, i, s);
    }
}

static void backward_slices(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    for (int i = end - 1; i >= begin; --i) {
        v16 s[3] = {all(0), all(0), all(0)};
        add_slabs(d->slab, d->begin[i], d->begin[i + 1], level->x, -AHEAD, s);
        add_slabs(d->slab, d->begin[d->count + i], d->begin[d->count + i + 1], level->x, -AHEAD, s);
        correct(level, i, s);
    }
}

static void residual_slices(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    for (int i = begin; i < end; ++i) {
        v16 s[3] = {all(0), all(0), all(0)};
        add_slabs(d->slab, d->begin[d->count + i], d->begin[d->count + i + 1], level->x, AHEAD, s);
        const v16 factor = *(const v16_loose *)(level->unscale + d->row[i]) * all(-SN_MG_UNIT);
        for (int a = 0; a < 3; ++a) s[a] *= factor;
        store_rows(level->r, d->row[i], d->row[i + 1] - d->row[i], s);
    }
}

/* Makes the 16-bit values of the slices, or rows, [begin, end) from blocks of nine numbers, rounded to the nearest. s_i
 * s_j is computed first, so that the copy of a symmetric matrix is symmetric to the bit. */
static void quantise_slices(const sn_mg_level *level, const float *value, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    const v16 most = all(32767.0f), half = all(0.5f);
    const i16 sign = (i16)all(-0.0f);
    const int last = d->begin[2 * d->count];
    for (int part = 2 * begin; part < 2 * end; ++part) {
        const int i = part / 2, from_part = i + part % 2 * d->count;
        for (int k = d->begin[from_part]; k < d->begin[from_part + 1]; ++k) {
            const int32_t *block = d->source + SN_MG_SLICE * (int64_t)k, *next = block + 3 * SN_MG_SLICE;
            for (int l = 0; l < SN_MG_SLICE && k + 3 < last; ++l) __builtin_prefetch(value + 9 * (int64_t)next[l] + 4);
            _Alignas(64) float factor[SN_MG_SLICE];
            const float *from[SN_MG_SLICE];
            for (int l = 0; l < SN_MG_SLICE; ++l) {
                const bool there = block[l] >= 0;
                factor[l] = there ? level->scale[d->row ? d->row[i] + l : i] * level->scale[d->slab[k].column[l]] *
                                        (1 / SN_MG_UNIT)
                                  : 0;
                from[l] = value + 9 * (int64_t)(there ? block[l] : 0);
            }
            v16 entry[9];
            entries(from, entry);
            for (int e = 0; e < 9; ++e) {
                v16 v = entry[e] * *(const v16 *)factor;
                const i16 too_high = v > most, too_low = v < -most;
                v = (v16)(((i16)v & ~(too_high | too_low)) | ((i16)most & too_high) | ((i16)-most & too_low));
                v += (v16)(((i16)v & sign) | (i16)half);
                *(h16 *)d->slab[k].value[e] = __builtin_convertvector(__builtin_convertvector(v, i16), h16);
            }
        }
    }
}

/* ---- Diagonal blocks ---- */
typedef double d8 __attribute__((vector_size(64)));
typedef int64_t l8 __attribute__((vector_size(64)));
enum { ROWS = 8 };

static inline d8 choose(l8 mask, d8 a, d8 b) { return (d8)((mask & (l8)a) | (~mask & (l8)b)); }

/* The inverses of symmetric positive semidefinite blocks, times `factor`, in the directions where they have stiffness.
 * Directions without stiffness (held ones, corners without support) get no correction. The method is a shifted
 * adjugate, which is exact for regular blocks. */
static inline void invert_blocks(d8 m[9], d8 factor, d8 out[9]) {
    const d8 zero = {0}, one = zero + 1, trace = m[0] + m[4] + m[8];
    l8 held[3];
    for (int i = 0; i < 3; ++i) {
        held[i] = m[4 * i] < 1e-12 * trace;
        m[4 * i] += choose(held[i], trace, 1e-7 * trace);
    }
    out[0] = m[4] * m[8] - m[5] * m[7], out[1] = m[2] * m[7] - m[1] * m[8], out[2] = m[1] * m[5] - m[2] * m[4];
    out[3] = m[5] * m[6] - m[3] * m[8], out[4] = m[0] * m[8] - m[2] * m[6], out[5] = m[2] * m[3] - m[0] * m[5];
    out[6] = m[3] * m[7] - m[4] * m[6], out[7] = m[1] * m[6] - m[0] * m[7], out[8] = m[0] * m[4] - m[1] * m[3];
    const d8 det = m[0] * out[0] + m[1] * out[3] + m[2] * out[6];
    const l8 regular = det > 0, some = trace > 0;
    const d8 scale = factor / choose(regular, det, one);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            /* Where rounding made the block indefinite, use only the diagonal. */
            const d8 alone = i == j ? factor / choose(some, m[4 * i], one) : zero;
            out[3 * i + j] = choose(some & ~held[i] & ~held[j], choose(regular, scale * out[3 * i + j], alone), zero);
        }
}

/* Makes the scales and inverse diagonal blocks of the rows [begin, end). */
static void invert(const sn_mg_level *level, const float *value, const uint8_t *fixed, int begin, int end) {
    sn_mg_slices *slices = level->slices;
    for (int first = begin; first < end; first += ROWS) {
        const int count = end - first < ROWS ? end - first : ROWS;
        _Alignas(64) double a[9][ROWS] = {{0}}, factor[ROWS] = {0};
        for (int l = 0; l < count; ++l) {
            const int32_t k = level->diagonal[first + l];
            const float *from = value + 9 * (int64_t)(level->source ? level->source[k] : k);
            if (fixed && fixed[first + l]) continue;
            const float mean = (from[0] + from[4] + from[8]) / 3;
            if (!(mean > 0) || !isfinite(mean)) continue;
            for (int e = 0; e < 9; ++e) a[e][l] = from[e];
            factor[l] = mean;
        }
        d8 m[9], inverse[9], f;
        memcpy(m, a, sizeof m);
        memcpy(&f, factor, sizeof f);
        invert_blocks(m, f, inverse);
        for (int l = 0; l < count; ++l) {
            const int i = first + l;
            const float root = sqrtf((float)factor[l]);
            float out[12] = {0};
            level->unscale[i] = root;
            level->scale[i] = root > 0 ? 1 / root : 0;
            for (int e = 0; e < 9; ++e) out[4 * (e / 3) + e % 3] = (float)inverse[e][l];
            if (slices->row)
                sn_mg_slice_inverse(slices, i, out);
            else
                memcpy(level->inverse + 12 * (int64_t)i, out, sizeof out);
        }
    }
}

extern const sn_mg_slice_kernels SN_ISA(sn_mg_slice_kernels);
const sn_mg_slice_kernels SN_ISA(sn_mg_slice_kernels) = {forward_slices, residual_slices, backward_slices,
                                                         quantise_slices, invert};
