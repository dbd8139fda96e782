/* Incomplete factorisation, row by row (up-looking). With U_ij = L_ij D_j:
 *
 *   U_ij = A_ij - sum_{k<j} U_ik L_jk^T,   L_ij = U_ij D_j^-1,   D_i = A_ii - sum_{k<i} U_ik L_ik^T
 *
 * Row i visits its columns k in ascending order. They are in a heap, because fill adds columns on the way. For each k,
 * U_ik L_jk^T is subtracted along column k of the finished rows. A block is measured by trace(U_ik L_ik^T), its share
 * of the pivot's trace. This measure does not change when nodes are scaled.
 *
 * When a pivot is not positive definite or lost nearly everything, the factorisation restarts with a larger shift of
 * the diagonal (Manteuffel 1980). When no shift helps, only the diagonal is used. The factorisation runs on one thread
 * and always gives the same bits. */
#include "incomplete.h"

#include <math.h>
#include <string.h>

#include "linear/matrix/block.h"
#include "preconditioner.h"

enum { TRIES = 12 };
#define FIRST_SHIFT 1e-3
#define LEAST_PIVOT 1e-6 /* relative to the diagonal that the pivot came from */

void sn_incomplete_release(sn_context *context, void *data) {
    sn_incomplete *f = data;
    if (!f) return;
    sn_triangle_release(context, &f->triangle);
    void *memory[] = {f->begin, f->column, f->row,  f->next, f->value, f->inverse,
                      f->head,  f->tail,   f->work, f->mark, f->heap,  f};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) sn_release(context, memory[i]);
}

/* Makes room for `blocks` blocks. */
static sn_status reserve(sn_context *context, sn_incomplete *f, int64_t blocks, sn_error *error) {
    if (blocks > INT32_MAX / 9)
        return sn_fail(error, SN_UNSUPPORTED, "the incomplete factor has too many blocks; a larger drop helps");
    const int needed = (int)blocks;
    sn_status status = sn_grow(context, (void **)&f->column, &f->columns, needed, sizeof *f->column, error);
    if (!status) status = sn_grow(context, (void **)&f->row, &f->rows, needed, sizeof *f->row, error);
    if (!status) status = sn_grow(context, (void **)&f->next, &f->nexts, needed, sizeof *f->next, error);
    if (!status) status = sn_grow(context, (void **)&f->value, &f->values, needed, 9 * sizeof *f->value, error);
    return status;
}

static sn_status create(sn_context *context, int nodes, sn_incomplete *f, sn_error *error) {
    const size_t n = (size_t)nodes;
    if (!f->begin) f->begin = sn_allocate(context, n + 1, sizeof *f->begin);
    if (!f->inverse) f->inverse = sn_allocate(context, n * 9, sizeof *f->inverse);
    if (!f->work) f->work = sn_allocate(context, n * 9, sizeof *f->work);
    if (!f->head) f->head = sn_allocate(context, n, sizeof *f->head);
    if (!f->tail) f->tail = sn_allocate(context, n, sizeof *f->tail);
    if (!f->mark) f->mark = sn_allocate(context, n, sizeof *f->mark);
    if (!f->heap) f->heap = sn_allocate(context, n, sizeof *f->heap);
    return f->begin && f->inverse && f->work && f->head && f->tail && f->mark && f->heap ? SN_OK : sn_no_memory(error);
}

/* ---- A heap of columns, the smallest first ---- */
static void push(int32_t *heap, int *count, int32_t column) {
    int i = (*count)++;
    for (; i > 0 && heap[(i - 1) / 2] > column; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = column;
}

static int32_t pop(int32_t *heap, int *count) {
    const int32_t first = heap[0], last = heap[--*count];
    int i = 0;
    for (int child; (child = 2 * i + 1) < *count; i = child) {
        if (child + 1 < *count && heap[child + 1] < heap[child]) ++child;
        if (heap[child] >= last) break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return first;
}

/* ---- Factorisation ---- */
static double trace(const double A[9]) { return A[0] + A[4] + A[8]; }

static void append(sn_incomplete *f, int32_t place, int32_t i, int32_t k, const double L[9]) {
    f->column[place] = k, f->row[place] = i, f->next[place] = -1;
    memcpy(f->value + 9 * (int64_t)place, L, 9 * sizeof *L);
    if (f->head[k] < 0)
        f->head[k] = place;
    else
        f->next[f->tail[k]] = place;
    f->tail[k] = place;
}

/* Computes row i. *good: whether its pivot is good. */
static sn_status factor_row(sn_context *context, sn_incomplete *f, int32_t i, bool fill, double drop, bool *good,
                            sn_error *error) {
    const sn_triangle *t = &f->triangle;
    const double *own = t->diagonal + 9 * (int64_t)i;
    double D[9];
    memcpy(D, own, sizeof D);
    for (int k = 0; k < 9; k += 4) D[k] += f->shift * (own[k] != 0 ? fabs(own[k]) : 1);
    int count = 0;
    for (int32_t e = t->begin[i]; e < t->begin[i + 1]; ++e) {
        const int32_t k = t->column[e];
        memcpy(f->work + 9 * (int64_t)k, t->value + 9 * (int64_t)e, 9 * sizeof(double));
        f->mark[k] = i;
        push(f->heap, &count, k);
    }
    int32_t place = f->begin[i];
    while (count) {
        const int32_t k = pop(f->heap, &count);
        const double *U = f->work + 9 * (int64_t)k;
        double L[9], taken[9] = {0};
        sn_block_multiply(U, f->inverse + 9 * (int64_t)k, L);
        sn_block_subtract(U, L, taken);
        if (fill && !(-trace(taken) > drop * drop * fabs(trace(own)))) continue;
        for (int32_t e = f->head[k]; e >= 0; e = f->next[e]) {
            const int32_t j = f->row[e];
            double *target = f->work + 9 * (int64_t)j;
            if (f->mark[j] != i) {
                if (!fill) continue;
                f->mark[j] = i;
                memset(target, 0, 9 * sizeof *target);
                push(f->heap, &count, j);
            }
            sn_block_subtract(U, f->value + 9 * (int64_t)e, target);
        }
        for (int c = 0; c < 9; ++c) D[c] += taken[c];
        const sn_status status = reserve(context, f, (int64_t)place + 1, error);
        if (status) return status;
        append(f, place++, i, k, L);
    }
    f->begin[i + 1] = place;
    for (int c = 0; c < 3; ++c) /* symmetric to the last bit */
        for (int r = c + 1; r < 3; ++r) D[3 * c + r] = D[3 * r + c] = 0.5 * (D[3 * c + r] + D[3 * r + c]);
    *good = sn_invert_definite(D, 1e-13, f->inverse + 9 * (int64_t)i);
    for (int k = 0; k < 9; k += 4) *good = *good && D[k] > LEAST_PIVOT * fabs(own[k]);
    return SN_OK;
}

/* Computes all rows with the present shift. *good is false when a pivot broke down. */
static sn_status factor(sn_context *context, sn_incomplete *f, bool fill, double drop, bool *good, sn_error *error) {
    const int nodes = f->triangle.nodes;
    for (int i = 0; i < nodes; ++i) f->head[i] = f->tail[i] = f->mark[i] = -1;
    f->begin[0] = 0;
    *good = true;
    sn_status status = SN_OK;
    for (int32_t i = 0; i < nodes && *good && !status; ++i) status = factor_row(context, f, i, fill, drop, good, error);
    return status;
}

/* Used when there is no factor: the inverse of the positive part of the diagonal. */
static void diagonal_only(sn_incomplete *f) {
    for (int64_t i = 0; i < f->triangle.nodes; ++i) {
        f->begin[i + 1] = 0;
        for (int k = 0; k < 9; ++k) {
            const double d = f->triangle.diagonal[9 * i + k];
            f->inverse[9 * i + k] = k % 4 ? 0 : d > 0 && isfinite(d) && isfinite(1 / d) ? 1 / d : 1;
        }
    }
}

sn_status sn_incomplete_update(sn_context *context, const sn_operator *op, const sn_filter *filter, bool fill,
                               double drop, void **data, sn_error *error) {
    sn_incomplete *f = *data ? *data : sn_allocate_zero(context, 1, sizeof *f);
    if (!f) return sn_no_memory(error);
    *data = f;
    f->filter = filter;
    sn_status status = create(context, op->n / 3, f, error);
    if (!status) status = sn_triangle_update(context, op, filter, &f->triangle, error);
    if (!status) status = reserve(context, f, f->triangle.begin[f->triangle.nodes], error);
    bool good = false;
    f->shift = 0;
    for (int i = 0; i < TRIES && !good && !status; ++i) {
        f->shift = i == 0 ? 0 : i == 1 ? FIRST_SHIFT : 3 * f->shift;
        status = factor(context, f, fill, drop, &good, error);
    }
    if (!status && !good) diagonal_only(f);
    return status;
}

void sn_incomplete_apply(void *data, const double *r, double *z) {
    const sn_incomplete *f = data;
    const int nodes = f->triangle.nodes;
    for (int i = 0; i < nodes; ++i) {
        double sum[3];
        memcpy(sum, r + 3 * (int64_t)i, sizeof sum);
        for (int32_t e = f->begin[i]; e < f->begin[i + 1]; ++e)
            sn_block_take(f->value + 9 * (int64_t)e, z + 3 * (int64_t)f->column[e], sum);
        memcpy(z + 3 * (int64_t)i, sum, sizeof sum);
    }
    for (int64_t i = 0; i < nodes; ++i) {
        double own[3];
        sn_block_apply(f->inverse + 9 * i, z + 3 * i, own);
        memcpy(z + 3 * i, own, sizeof own);
    }
    for (int i = nodes - 1; i >= 0; --i)
        for (int32_t e = f->begin[i]; e < f->begin[i + 1]; ++e)
            sn_block_take_transpose(f->value + 9 * (int64_t)e, z + 3 * (int64_t)i, z + 3 * (int64_t)f->column[e]);
    sn_filter_apply(f->filter, z); /* remove rounding in the constrained directions */
}
