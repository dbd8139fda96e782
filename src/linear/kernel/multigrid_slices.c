/* Gauss-Seidel sweeps on slices of sixteen independent rows, one row per lane: see multigrid_slices.c.
 *
 * A slab holds one block of each of the sixteen rows. A row adds its blocks in ascending order, s += (a0 x + a1 y) + a2 z with a the
 * columns of the block, in every build alike. */
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
        add_slabs(d->slab, d->begin[2 * i], d->begin[2 * i + 1], level->x, s);
        correct(level, i, s);
    }
}

static void backward_slices(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    for (int i = end - 1; i >= begin; --i) {
        v16 s[3] = {all(0), all(0), all(0)};
        add_slabs(d->slab, d->begin[2 * i], d->begin[2 * i + 2], level->x, s);
        correct(level, i, s);
    }
}

static void residual_slices(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    for (int i = begin; i < end; ++i) {
        v16 s[3] = {all(0), all(0), all(0)};
        add_slabs(d->slab, d->begin[2 * i + 1], d->begin[2 * i + 2], level->x, s);
        const v16 factor = *(const v16_loose *)(level->unscale + d->row[i]) * all(-SN_MG_UNIT);
        for (int a = 0; a < 3; ++a) s[a] *= factor;
        store_rows(level->r, d->row[i], d->row[i + 1] - d->row[i], s);
    }
}

/* The 16-bit values of the slices, or rows, [begin, end), to the nearest, from blocks of nine numbers; `source`: level block -> block
 * there, NULL when they are the level's own. s_i s_j is taken first, so that the copy is symmetric to the bit when the matrix is. */
static void quantise_slices(const sn_mg_level *level, const float *value, const int32_t *source, int begin, int end) {
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
                factor[l] = there ? level->scale[d->row ? d->row[i] + l : i] * level->scale[d->slab[k].column[l]] * (1 / SN_MG_UNIT) : 0;
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
const sn_mg_slice_kernels SN_ISA(sn_mg_slice_kernels) = {forward_slices, residual_slices, backward_slices, quantise_slices};
