/* Incomplete factorisation, row by row (up-looking). With U_ij = L_ij D_j:
 *
 *   U_ij = A_ij - sum_{k<j} U_ik L_jk^T,   L_ij = U_ij D_j^-1,   D_i = A_ii - sum_{k<i} U_ik L_ik^T
 *
 * Row i visits its columns k in ascending order. With fill they are in a heap, because fill adds columns on the way;
 * without fill they are a list in this order. For each k, U_ik L_jk^T is subtracted along column k of the finished
 * rows. A block is measured by trace(U_ik L_ik^T), its share of the pivot's trace. This measure does not change when
 * nodes are scaled.
 *
 * When a pivot is not positive definite or lost nearly everything, the factorisation restarts with a larger shift of
 * the diagonal (Manteuffel 1980). When no shift helps, only the diagonal is used.
 *
 * Without fill, the parts of the matrix are factored at the same time, and then the joint on one thread. The same holds
 * for the substitutions: forward the joint comes last, backward it comes first. */
#include "incomplete.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "linear/matrix/block.h"
#include "linear/matrix/kernels.h"
#include "preconditioner.h"

enum { TRIES = 12 };
enum { BLOCK = 9 };   /* numbers of a block */
enum { STRIDE = 12 }; /* numbers of a block in the row that is being computed: three columns of four */
typedef double v4 __attribute__((vector_size(32), aligned(8), may_alias));
#define FIRST_SHIFT 1e-2 /* a smaller one mostly breaks down again, and each try costs up to a whole factor */
#define LEAST_PIVOT 1e-6 /* relative to the diagonal that the pivot came from */

void sn_incomplete_release(sn_context *context, void *data) {
    sn_incomplete *f = data;
    if (!f) return;
    sn_triangle_release(context, &f->triangle);
    sn_parts_release(context, &f->parts);
    void *memory[] = {f->begin, f->column, f->row,  f->next,   f->value,  f->turned, f->inverse, f->head,
                      f->tail,  f->work,   f->mark, f->vector, f->scaled, f->heap,   f};
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
    /* the last column is read as four numbers: room for one block more */
    if (!status) status = sn_grow(context, (void **)&f->value, &f->values, needed + 1, BLOCK * sizeof *f->value, error);
    if (!status)
        status = sn_grow(context, (void **)&f->turned, &f->turns, needed + 1, BLOCK * sizeof *f->turned, error);
    return status;
}

static sn_status create(sn_context *context, int nodes, sn_incomplete *f, sn_error *error) {
    const size_t n = (size_t)nodes;
    if (!f->begin) f->begin = sn_allocate(context, n + 1, sizeof *f->begin);
    if (!f->inverse) f->inverse = sn_allocate(context, n * 9 + 1, sizeof *f->inverse);
    if (!f->work) f->work = sn_allocate_zero(context, n * STRIDE, sizeof *f->work);
    if (!f->vector) f->vector = sn_allocate_zero(context, n * 4, sizeof *f->vector);
    if (!f->scaled) f->scaled = sn_allocate_zero(context, n * 4, sizeof *f->scaled);
    if (!f->head) f->head = sn_allocate(context, n, sizeof *f->head);
    if (!f->tail) f->tail = sn_allocate(context, n, sizeof *f->tail);
    if (!f->mark) f->mark = sn_allocate(context, n, sizeof *f->mark);
    if (!f->heap) f->heap = sn_allocate(context, n, sizeof *f->heap);
    return f->begin && f->inverse && f->work && f->vector && f->scaled && f->head && f->tail && f->mark && f->heap
               ? SN_OK
               : sn_no_memory(error);
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
    float *value = f->value + BLOCK * (int64_t)place, *turned = f->turned + BLOCK * (int64_t)place;
    f->column[place] = k, f->row[place] = i, f->next[place] = -1;
    for (int c = 0; c < BLOCK; ++c) {
        value[c] = (float)L[c];
        turned[c] = (float)L[3 * (c % 3) + c / 3];
    }
    if (f->head[k] < 0)
        f->head[k] = place;
    else
        f->next[f->tail[k]] = place;
    f->tail[k] = place;
}

/* w -= U L^T */
static void subtract(const v4 U[3], const float L[BLOCK], double w[STRIDE]) {
    for (int c = 0; c < 3; ++c)
        *(v4 *)(w + 4 * c) -= U[0] * (double)L[c] + U[1] * (double)L[3 + c] + U[2] * (double)L[6 + c];
}

typedef struct factoring {
    sn_context *context;
    sn_incomplete *f;
    const sn_operator *op;
    bool fill;
    double drop;
    bool good[SN_PARTS_MOST + 1];
    sn_status status[SN_PARTS_MOST + 1];
    sn_error error[SN_PARTS_MOST + 1];
} factoring;

/* Computes row i. *good: whether its pivot is good. Without fill the heap stays as it was filled: its columns ascend.
 */
static sn_status factor_row(const factoring *task, int32_t i, int32_t *heap, bool *good, sn_error *error) {
    sn_incomplete *f = task->f;
    const sn_triangle *t = &f->triangle;
    const bool fill = task->fill;
    const double drop = task->drop;
    const double *own = t->diagonal + 9 * (int64_t)i;
    double D[9];
    memcpy(D, own, sizeof D);
    for (int k = 0; k < 9; k += 4) D[k] += f->shift * (own[k] != 0 ? fabs(own[k]) : 1);
    int count = 0;
    for (int32_t e = t->begin[i]; e < t->begin[i + 1]; ++e) {
        const int32_t k = t->column[e];
        double *w = f->work + STRIDE * (int64_t)k;
        double block[9];
        sn_triangle_block(task->op, f->filter, t, i, e, block);
        for (int c = 0; c < 3; ++c) memcpy(w + 4 * c, block + 3 * c, 3 * sizeof *w);
        f->mark[k] = i;
        push(heap, &count, k);
    }
    int32_t place = fill ? f->begin[i] : t->begin[i];
    for (int at = 0; fill ? count > 0 : at < count; ++at) {
        const int32_t k = fill ? pop(heap, &count) : heap[at];
        double L[9], U[9], taken[9] = {0};
        v4 wide[3];
        memcpy(wide, f->work + STRIDE * (int64_t)k, sizeof wide);
        for (int c = 0; c < 9; ++c) U[c] = wide[c / 3][c % 3];
        sn_block_multiply(U, f->inverse + 9 * (int64_t)k, L);
        sn_block_subtract(U, L, taken);
        if (fill && !(-trace(taken) > drop * drop * fabs(trace(own)))) continue;
        for (int32_t e = f->head[k]; e >= 0; e = f->next[e]) {
            const int32_t j = f->row[e];
            double *target = f->work + STRIDE * (int64_t)j;
            if (f->mark[j] != i) {
                if (!fill) continue;
                f->mark[j] = i;
                memset(target, 0, STRIDE * sizeof *target);
                push(heap, &count, j);
            }
            subtract(wide, f->value + BLOCK * (int64_t)e, target);
        }
        for (int c = 0; c < 9; ++c) D[c] += taken[c];
        const sn_status status = fill ? reserve(task->context, f, (int64_t)place + 1, error) : SN_OK;
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

/* Computes the rows of a part, or of the joint behind the parts. A part has its own range of the heap, because its rows
 * have only columns of the part. */
static void factor_part(void *data, int part) {
    factoring *w = data;
    sn_incomplete *f = w->f;
    const sn_parts *parts = &f->parts;
    int32_t *heap = part < parts->count ? f->heap + parts->first[part] : f->heap;
    for (int32_t i = parts->first[part]; i < parts->first[part + 1] && w->good[part] && !w->status[part]; ++i)
        w->status[part] = factor_row(w, i, heap, &w->good[part], &w->error[part]);
}

/* Computes all rows with the present shift. *good is false when a pivot broke down. */
static sn_status factor(sn_context *context, sn_incomplete *f, const sn_operator *op, bool fill, double drop,
                        bool *good, sn_error *error) {
    const int nodes = f->triangle.nodes, joint = f->parts.count;
    factoring w = {.context = context, .f = f, .op = op, .fill = fill, .drop = drop};
    for (int i = 0; i < nodes; ++i) f->head[i] = f->tail[i] = f->mark[i] = -1;
    for (int p = 0; p <= joint; ++p) w.good[p] = true;
    f->begin[0] = 0;
    sn_parallel_pieces(context, joint, factor_part, &w);
    for (int p = 0; p < joint; ++p) w.good[joint] = w.good[joint] && w.good[p] && !w.status[p];
    factor_part(&w, joint);
    *good = w.good[joint];
    for (int p = 0; p <= joint; ++p) {
        if (!w.status[p]) continue;
        if (error) *error = w.error[p];
        return w.status[p];
    }
    return SN_OK;
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
                               double drop, double shift, void **data, sn_error *error) {
    sn_incomplete *f = *data ? *data : sn_allocate_zero(context, 1, sizeof *f);
    if (!f) return sn_no_memory(error);
    *data = f;
    f->context = context, f->filter = filter;
    sn_status status = create(context, op->n / 3, f, error);
    if (!status && !f->parts.count)
        status = sn_parts_create(context, op->matrix->pattern, fill ? 1 : SN_PARTS_MOST, &f->parts, error);
    f->triangle.parts = &f->parts, f->triangle.bare = true;
    if (!status) status = sn_triangle_update(context, op, filter, &f->triangle, error);
    if (!status) status = reserve(context, f, f->triangle.begin[f->triangle.nodes], error);
    bool good = false;
    f->shift = shift;
    for (int i = 0; i < TRIES && !good && !status; ++i) {
        if (i > 0) f->shift = f->shift > 0 ? 3 * f->shift : FIRST_SHIFT;
        status = factor(context, f, op, fill, drop, &good, error);
    }
    if (!status && !good) diagonal_only(f);
    return status;
}

/* Adds the change of a node's diagonal block to its pivot. Returns whether the pivot is still good. */
static bool move_pivot(sn_incomplete *f, int32_t i, const double own[9]) {
    double *inverse = f->inverse + 9 * (int64_t)i, *old = f->triangle.diagonal + 9 * (int64_t)i, D[9];
    if (memcmp(old, own, 9 * sizeof *own) == 0) return true;
    if (!sn_invert_definite(inverse, 0, D)) return false;
    for (int c = 0; c < 9; ++c) D[c] += own[c] - old[c];
    for (int k = 0; k < 9; k += 4)
        if (!(D[k] > LEAST_PIVOT * fabs(own[k]))) return false;
    memcpy(old, own, 9 * sizeof *own);
    return sn_invert_definite(D, 1e-13, inverse);
}

typedef struct relisting {
    sn_incomplete *f;
    const sn_operator *op;
    const sn_filter *filter;
    atomic_bool bad;
} relisting;

static void relist_piece(void *data, int piece) {
    relisting *w = data;
    const sn_pattern *pattern = w->op->matrix->pattern;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < pattern->nodes ? begin + SN_PIECE_NODES : pattern->nodes;
    for (int32_t i = begin; i < end; ++i) {
        const int32_t node = w->f->parts.node[i];
        double block[9], own[9];
        sn_matrix_block(w->op->matrix, pattern->diagonal[node], block);
        sn_projected_block(block, sn_filter_find(w->filter, node), own);
        if (!move_pivot(w->f, i, own)) atomic_store(&w->bad, true);
    }
}

bool sn_incomplete_relist(sn_incomplete *f, const sn_operator *op, const sn_filter *filter) {
    relisting w = {.f = f, .op = op, .filter = filter};
    sn_parallel_pieces(f->context, sn_pieces(f->triangle.nodes, SN_PIECE_NODES), relist_piece, &w);
    return !atomic_load(&w.bad);
}

/* y = L^-1 r and D^-1 y in the rows of a part or of the joint. */
void sn_incomplete_forward(const sn_incomplete *f, int part, const double *r) {
    const sn_linear_kernels *kernels = sn_linear_kernels_for(f->context);
    const int32_t first = f->parts.first[part], end = f->parts.first[part + 1];
    for (int32_t i = first; i < end; ++i)
        memcpy(f->vector + 4 * (int64_t)i, r + 3 * (int64_t)f->parts.node[i], 3 * sizeof *r);
    kernels->substitute(first, end, f->begin, f->column, f->value, f->vector);
    kernels->scale(first, end, f->inverse, f->vector, f->scaled);
}

/* z = L^-T D^-1 y */
void sn_incomplete_back(const sn_incomplete *f, int part, double *z) {
    const int32_t first = f->parts.first[part], end = f->parts.first[part + 1];
    sn_linear_kernels_for(f->context)->substitute_back(first, end, f->begin, f->column, f->turned, f->scaled);
    for (int32_t i = first; i < end; ++i)
        memcpy(z + 3 * (int64_t)f->parts.node[i], f->scaled + 4 * (int64_t)i, 3 * sizeof *z);
}

void sn_incomplete_middle(const sn_incomplete *f, const double *r, double *z) {
    sn_incomplete_forward(f, f->parts.count, r);
    sn_incomplete_back(f, f->parts.count, z);
}

typedef struct substitution {
    const sn_incomplete *f;
    const double *r;
    double *z;
} substitution;

static void forward_part(void *data, int part) {
    const substitution *s = data;
    sn_incomplete_forward(s->f, part, s->r);
}

static void back_part(void *data, int part) {
    const substitution *s = data;
    sn_incomplete_back(s->f, part, s->z);
}

void sn_incomplete_apply(void *data, const double *r, double *z) {
    const sn_incomplete *f = data;
    substitution s = {f, r, z};
    sn_parallel_pieces(f->context, f->parts.count, forward_part, &s);
    sn_incomplete_middle(f, r, z);
    sn_parallel_pieces(f->context, f->parts.count, back_part, &s);
    sn_filter_apply(f->filter, z); /* remove rounding in the constrained directions */
}
