/* Gauss-Seidel sweeps of the multigrid levels by rows, and the transfers between levels (multigrid.h).
 *
 * The blocks of a row lie in slabs of sixteen (multigrid_slices.c). The sum of a row has sixteen lanes, which are added
 * as a tree. */
#include "slab.h"

typedef float v4 __attribute__((vector_size(16), aligned(16), may_alias));
typedef int32_t i4 __attribute__((vector_size(16)));

static inline v4 splat(float a) { return (v4){a, a, a, a}; }

typedef float v8 __attribute__((vector_size(32)));

/* The sum of the lanes, as a tree. */
static inline float lane_sum(v16 a) {
    const v8 b = __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7) +
                 __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15);
    const v4 c = __builtin_shufflevector(b, b, 0, 1, 2, 3) + __builtin_shufflevector(b, b, 4, 5, 6, 7);
    return (c[0] + c[2]) + (c[1] + c[3]);
}

/* One or two parts of a row times x. */
static inline v4 row_sum(const sn_mg_slices *d, int part, int other, const float *x, const int ahead) {
    v16 s[3] = {all(0), all(0), all(0)};
    add_slabs(d->slab, d->begin[part], d->begin[part + 1], x, ahead, s);
    if (other != part) add_slabs(d->slab, d->begin[other], d->begin[other + 1], x, ahead, s);
    return (v4){lane_sum(s[0]), lane_sum(s[1]), lane_sum(s[2]), 0};
}

static inline v4 times_block(const float *block, v4 r) {
    const v4 *m = (const v4 *)block;
    return (m[0] * splat(r[0]) + m[1] * splat(r[1])) + m[2] * splat(r[2]);
}

static inline v4 at(const float *vector, int i) { return *(const v4 *)(vector + 4 * (int64_t)i); }

static void forward(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    const v4 unit = splat(SN_MG_UNIT);
    for (int i = begin; i < end; ++i) {
        const v4 s = row_sum(d, i, i, level->x, AHEAD);
        *(v4 *)(level->x + 4 * (int64_t)i) = times_block(level->inverse + 12 * (int64_t)i, at(level->b, i) - s * unit);
    }
}

static void residual(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    const i4 keep = {-1, -1, -1, 0};
    for (int i = begin; i < end; ++i) {
        const v4 s = row_sum(d, d->count + i, d->count + i, level->x, AHEAD);
        *(v4 *)(level->r + 4 * (int64_t)i) = (v4)((i4)(s * splat(-SN_MG_UNIT * level->unscale[i])) & keep);
    }
}

static void backward(const sn_mg_level *level, int begin, int end) {
    const sn_mg_slices *d = level->slices;
    const v4 unit = splat(SN_MG_UNIT);
    for (int i = end - 1; i >= begin; --i) {
        const v4 s = row_sum(d, i, d->count + i, level->x, -AHEAD);
        *(v4 *)(level->x + 4 * (int64_t)i) = times_block(level->inverse + 12 * (int64_t)i, at(level->b, i) - s * unit);
    }
}

static inline float dot3(v4 a, v4 b) {
    const v4 c = a * b;
    return (c[0] + c[1]) + c[2];
}

static inline v4 turned_back(const float *frame, v4 a) {
    const v4 *q = (const v4 *)frame;
    return (v4){dot3(q[0], a), dot3(q[1], a), dot3(q[2], a), 0};
}

/* Four of the weights, each repeated four times. */
#define EACH(a, c)                                                                                                     \
    __builtin_shufflevector(a, a, c, c, c, c, c + 1, c + 1, c + 1, c + 1, c + 2, c + 2, c + 2, c + 2, c + 3, c + 3,    \
                            c + 3, c + 3)

/* The sums of P^T r over the members of each group, one per parent. */
static void collect(const sn_mg_level *level, const sn_mg_level *coarse, int begin, int end) {
    (void)coarse;
    const sn_mg_transfer *d = level->down;
    for (int g = begin; g < end; ++g) {
        v16 low = all(0), high = all(0);
        for (int32_t m = d->group[g].node_begin; m < d->group[g].node_end; ++m) {
            const v16 w = *(const v16_loose *)d->member_weight[m], r = four_times(level->r + 4 * (int64_t)d->member[m]);
            low += EACH(w, 0) * r;
            high += EACH(w, 4) * r;
        }
        v16 *sum = (v16 *)(d->sum + 4 * SN_MG_PARENTS * (int64_t)g);
        sum[0] = low, sum[1] = high;
    }
}

/* b of the coarse nodes [begin, end) = scale Q^T P^T r. */
static void restrict_(const sn_mg_level *level, const sn_mg_level *coarse, int begin, int end) {
    const sn_mg_transfer *d = level->down;
    for (int i = begin; i < end; ++i) {
        v4 s = splat(0);
        for (int32_t k = d->giver_begin[i]; k < d->giver_begin[i + 1]; ++k) s += at(d->sum, d->giver[k]);
        s *= splat(coarse->scale[i]);
        *(v4 *)(coarse->b + 4 * (int64_t)i) = coarse->frame ? turned_back(coarse->frame + 12 * (int64_t)i, s) : s;
    }
}

/* r = scale Q x. It is done once here, since the prolongation reads each parent's value eight times or more. */
static void unscale(const sn_mg_level *level, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        const v4 x = at(level->x, i) * splat(level->scale[i]);
        *(v4 *)(level->r + 4 * (int64_t)i) = level->frame ? times_block(level->frame + 12 * (int64_t)i, x) : x;
    }
}

/* x of the members of the groups [begin, end) += P r of the coarse level. */
static void prolong(const sn_mg_level *level, const sn_mg_level *coarse, int begin, int end) {
    const sn_mg_transfer *d = level->down;
    const i4 keep = {-1, -1, -1, 0};
    for (int g = begin; g < end; ++g) {
        _Alignas(64) float parents[4 * SN_MG_PARENTS];
        for (int c = 0; c < SN_MG_PARENTS; ++c)
            *(v4 *)(parents + 4 * c) = at(coarse->r, d->parent[g][c]); /* a missing parent has weight 0 */
        const v16 low = *(const v16 *)parents, high = *(const v16 *)(parents + 16);
        for (int32_t m = d->group[g].node_begin; m < d->group[g].node_end; ++m) {
            const v16 w = *(const v16_loose *)d->member_weight[m];
            const v16 s = EACH(w, 0) * low + EACH(w, 4) * high;
            const v8 t = __builtin_shufflevector(s, s, 0, 1, 2, 3, 4, 5, 6, 7) +
                         __builtin_shufflevector(s, s, 8, 9, 10, 11, 12, 13, 14, 15);
            const v4 u = __builtin_shufflevector(t, t, 0, 1, 2, 3) + __builtin_shufflevector(t, t, 4, 5, 6, 7);
            const int i = d->member[m];
            *(v4 *)(level->x + 4 * (int64_t)i) = (v4)((i4)(at(level->x, i) + u * splat(level->unscale[i])) & keep);
        }
    }
}

typedef double d2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double d4 __attribute__((vector_size(32), aligned(8), may_alias));

/* b = scale * factor * r of the rows [begin, end). Returns the largest |factor r|. Four numbers are read per node, but
 * only three at the last node. */
static float take(const sn_mg_level *level, const int32_t *order, const double *r, double factor, int begin, int end) {
    const i4 keep = {-1, -1, -1, 0}, positive = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    v4 most = splat(0);
    for (int i = begin; i < end; ++i) {
        const double *from = r + 3 * (int64_t)order[i];
        const d4 v = order[i] + 1 < level->nodes ? *(const d4 *)from : (d4){from[0], from[1], from[2], 0};
        const v4 b = (v4)((i4) __builtin_convertvector(v * (d4){factor, factor, factor, factor}, v4) & keep),
                 size = (v4)((i4)b & positive);
        const i4 more = size > most;
        most = (v4)(((i4)size & more) | ((i4)most & ~more));
        *(v4 *)(level->b + 4 * (int64_t)i) = b * splat(level->scale[i]);
    }
    const float xy = most[0] > most[1] ? most[0] : most[1];
    return xy > most[2] ? xy : most[2];
}

/* z = factor * scale * x of the rows [begin, end). */
static void give(const sn_mg_level *level, const int32_t *order, double *z, double factor, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        const d4 v = __builtin_convertvector(at(level->x, i) * splat(level->scale[i]), d4) *
                     (d4){factor, factor, factor, factor};
        double *to = z + 3 * (int64_t)order[i];
        *(d2 *)to = __builtin_shufflevector(v, v, 0, 1);
        to[2] = v[2];
    }
}

void SN_ISA(sn_mg_galerkin)(const sn_mg_level *fine, const sn_mg_level *coarse, int group);
void SN_ISA(sn_mg_cell)(int nodes, const double *matrix, const double (*f)[3], float *sum);

extern const sn_mg_kernels SN_ISA(sn_mg_kernels);
const sn_mg_kernels SN_ISA(sn_mg_kernels) = {forward,           residual, backward, collect, restrict_,
                                             unscale,           prolong,  take,     give,    SN_ISA(sn_mg_galerkin),
                                             SN_ISA(sn_mg_cell)};
