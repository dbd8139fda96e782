/* Gauss-Seidel sweeps of the multigrid levels: see multigrid.h. A block times a vector is three scaled columns in four lanes; the fourth lane holds
 * rubbish from the next column and is never stored into a used place. Sums run over columns in ascending order in three accumulators. */
#include "base/simd.h"
#include "linear/multigrid.h"

typedef float v4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float v4a __attribute__((vector_size(16), aligned(16), may_alias));
typedef int32_t i4 __attribute__((vector_size(16)));

static inline v4a splat(float a) { return (v4a){a, a, a, a}; }

/* sum over blocks [begin, end) of A x. */
static inline v4a row_sum(const float *restrict value, const int32_t *restrict column, int32_t begin, int32_t end, const float *x) {
    v4a s0 = splat(0), s1 = splat(0), s2 = splat(0);
    for (int32_t k = begin; k < end; ++k) {
        const float *a = value + 9 * (int64_t)k, *u = x + 4 * (int64_t)column[k];
        s0 += *(const v4 *)a * splat(u[0]);
        s1 += *(const v4 *)(a + 3) * splat(u[1]);
        s2 += *(const v4 *)(a + 6) * splat(u[2]);
    }
    return (s0 + s1) + s2;
}

static inline v4a times_inverse(const float *inverse, v4a r) {
    const v4a *m = (const v4a *)inverse;
    return (m[0] * splat(r[0]) + m[1] * splat(r[1])) + m[2] * splat(r[2]);
}

static void forward(const sn_mg_level *level, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        const v4a s = row_sum(level->value, level->column, level->row_begin[i], level->diagonal[i], level->x);
        *(v4a *)(level->x + 4 * (int64_t)i) = times_inverse(level->inverse + 12 * (int64_t)i, *(const v4a *)(level->b + 4 * (int64_t)i) - s);
    }
}

static void residual(const sn_mg_level *level, int begin, int end) {
    const i4 keep = {-1, -1, -1, 0};
    for (int i = begin; i < end; ++i) {
        const v4a s = row_sum(level->value, level->column, level->diagonal[i] + 1, level->row_begin[i + 1], level->x);
        *(v4a *)(level->r + 4 * (int64_t)i) = (v4a)((i4)(-s) & keep);
    }
}

static void backward(const sn_mg_level *level, int begin, int end) {
    for (int i = end - 1; i >= begin; --i) {
        const v4a lower = row_sum(level->value, level->column, level->row_begin[i], level->diagonal[i], level->x);
        const v4a upper = row_sum(level->value, level->column, level->diagonal[i] + 1, level->row_begin[i + 1], level->x);
        *(v4a *)(level->x + 4 * (int64_t)i) =
            times_inverse(level->inverse + 12 * (int64_t)i, (*(const v4a *)(level->b + 4 * (int64_t)i) - lower) - upper);
    }
}

const sn_mg_kernels SN_ISA(sn_mg_kernels) = {forward, residual, backward};
