/* A sparse direct solver without dependencies: L D L^T by 3 x 3 blocks, up-looking (after Davis's LDL), in the order of
 * approximate minimum degree on the nodes.
 *
 *   U_ik = A_ik - sum_{j<k} U_ij L_kj^T,   L_ik = U_ik D_k^-1,   D_i = A_ii - sum_{k<i} U_ik L_ik^T
 *
 * A is the projected matrix of triangle.h. L is stored by columns. The order, the elimination tree and the places of
 * the blocks stay as long as the pattern stays. D may be indefinite. There is no pivoting across nodes: a pivot block
 * that is near zero relative to the diagonal is reported as SN_SINGULAR. Growth of the factor shows in the residual,
 * which the refinement checks. The solver runs on one thread and is meant for small bodies and coarse levels. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "base/room.h"
#include "direct.h"
#include "fill_order.h"
#include "linear/matrix/block.h"
#include "linear/precondition/preconditioner.h"
#include "linear/precondition/triangle.h"
#include "symbolic.h"

enum { STRIDE = 12 }; /* numbers of a block in the row that is being computed: three columns of four */
typedef double v4 __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct ldlt {
    int nodes;
    const sn_filter *filter;
    sn_triangle triangle;
    int32_t *order, *place, *parent;
    int32_t *a_begin, *a_column,
        *a_source;    /* rows of A in the new order; source: place in the triangle, ~place when transposed */
    int64_t *l_begin; /* nodes + 1 */
    int64_t *l_end;   /* nodes: the end of the filled part of a column */
    int32_t *l_row;
    double *l_value; /* 9 numbers each */
    double *inverse; /* nodes x 9: D^-1 */
    double *work;    /* nodes x STRIDE */
    int32_t *mark, *stack;
    double *vector; /* 3 nodes */
    sn_room room;   /* the memory of all of these, and of the analysis */
    bool analysed;  /* order, tree and places belong to the pattern */
} ldlt;

static void release(sn_context *context, void *data) {
    ldlt *f = data;
    if (!f) return;
    sn_room_release(context, &f->room);
    sn_release(context, f);
}

/* Rows of A in the new order. */
static void permute(ldlt *f) {
    const sn_triangle *t = &f->triangle;
    memset(f->a_begin, 0, ((size_t)f->nodes + 1) * sizeof *f->a_begin);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < f->nodes; ++i)
            for (int32_t e = t->begin[i]; e < t->begin[i + 1]; ++e) {
                const int32_t a = f->place[i], b = f->place[t->column[e]], row = a > b ? a : b;
                if (pass == 0) {
                    ++f->a_begin[row + 1];
                } else {
                    const int32_t next = f->mark[row]++;
                    f->a_column[next] = a > b ? b : a;
                    f->a_source[next] = a > b ? e : ~e;
                }
            }
        for (int i = 0; i < f->nodes && pass == 0; ++i) f->a_begin[i + 1] += f->a_begin[i], f->mark[i] = f->a_begin[i];
    }
}

/* Takes the arrays whose sizes follow from the pattern. */
static bool take_arrays(const sn_context *context, const sn_pattern *pattern, ldlt *f) {
    const size_t n = (size_t)pattern->nodes, blocks = ((size_t)pattern->block_count - n) / 2;
    sn_triangle *t = &f->triangle;
    const struct {
        void **array;
        size_t count, size;
    } list[] = {{(void **)&f->order, n + 1, sizeof(int32_t)},     {(void **)&f->place, n + 1, sizeof(int32_t)},
                {(void **)&f->parent, n + 1, sizeof(int32_t)},    {(void **)&f->mark, n + 1, sizeof(int32_t)},
                {(void **)&f->a_begin, n + 1, sizeof(int32_t)},   {(void **)&f->stack, 2 * n, sizeof(int32_t)},
                {(void **)&f->a_column, blocks, sizeof(int32_t)}, {(void **)&f->a_source, blocks, sizeof(int32_t)},
                {(void **)&f->l_begin, n + 1, sizeof(int64_t)},   {(void **)&f->l_end, n, sizeof(int64_t)},
                {(void **)&f->inverse, 9 * n, sizeof(double)},    {(void **)&f->work, STRIDE * n, sizeof(double)},
                {(void **)&f->vector, 3 * n, sizeof(double)},     {(void **)&t->begin, n + 1, sizeof(int32_t)},
                {(void **)&t->column, blocks, sizeof(int32_t)},   {(void **)&t->value, 9 * blocks, sizeof(double)},
                {(void **)&t->diagonal, 9 * n, sizeof(double)}};
    bool good = true;
    sn_room_rewind(&f->room);
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        *list[i].array = sn_room_take(context, &f->room, list[i].count, list[i].size);
        good = good && *list[i].array;
    }
    return good;
}

/* The order, the elimination tree and the places of the blocks. */
static sn_status analyse(const sn_context *context, const sn_pattern *pattern, ldlt *f, sn_error *error) {
    f->nodes = pattern->nodes;
    if (!take_arrays(context, pattern, f)) return sn_no_memory(error);
    sn_triangle_layout(pattern, &f->triangle);
    /* The factor comes before the graph, whose last buffer grows, so that each array always has the same buffer. */
    const int factor = f->room.next;
    f->room.next += 2;
    const sn_status status = sn_order_minimum_degree(context, pattern, &f->room, f->order, error);
    if (status) return status;
    for (int32_t k = 0; k < f->nodes; ++k) f->place[f->order[k]] = k;
    sn_symbolic_count(pattern, f->order, f->place, f->parent, f->mark, f->stack);
    f->l_begin[0] = 0;
    for (int k = 0; k < f->nodes; ++k) f->l_begin[k + 1] = f->l_begin[k] + f->mark[k];
    f->room.next = factor;
    f->l_row = sn_room_take(context, &f->room, (size_t)f->l_begin[f->nodes], sizeof *f->l_row);
    f->l_value = sn_room_take(context, &f->room, (size_t)f->l_begin[f->nodes] * 9, sizeof *f->l_value);
    if (!f->l_row || !f->l_value) return sn_no_memory(error);
    permute(f);
    return SN_OK;
}

void sn_direct_ldlt_forget(void *data) {
    if (data) ((ldlt *)data)->analysed = false;
}

bool sn_direct_ldlt_definite(const void *data) {
    const ldlt *f = data;
    bool definite = true;
    for (int i = 0; i < f->nodes && definite; ++i) {
        double out[9];
        definite = sn_invert_definite(f->inverse + 9 * (int64_t)i, 0, out);
    }
    return definite;
}

/* The inverse of a symmetric block. Returns the smallest remaining part of the diagonal's size over all directions, or
 * NaN. */
static double invert(const double D[9], const double own[9], double out[9]) {
    double scale[3], scaled[9], inverse[9] = {0}, sum = 0;
    for (int a = 0; a < 3; ++a) {
        const double size = fmax(fabs(own[4 * a]), fmax(fabs(own[a]), fmax(fabs(own[3 + a]), fabs(own[6 + a]))));
        scale[a] = size > 0 ? 1 / sqrt(size) : 1;
    }
    for (int k = 0; k < 9; ++k) scaled[k] = D[k] * scale[k % 3] * scale[k / 3];
    const double determinant = sn_inverse3(scaled, inverse);
    if (determinant == 0) return 0;
    for (int k = 0; k < 9; ++k) {
        sum += inverse[k] * inverse[k];
        out[k] = 0.5 * (inverse[k] + inverse[3 * (k % 3) + k / 3]) * scale[k % 3] * scale[k / 3];
    }
    return isfinite(sum) ? 1 / sqrt(sum) : NAN;
}

/* w_j -= U L_jk^T for the rows j of column k. */
static void eliminate(const ldlt *f, int32_t k, const double *restrict U, double *restrict work) {
    const v4 u0 = *(const v4 *)U, u1 = *(const v4 *)(U + 4), u2 = *(const v4 *)(U + 8);
    for (int64_t e = f->l_begin[k]; e < f->l_end[k]; ++e) {
        const double *L = f->l_value + 9 * e;
        double *w = work + STRIDE * (int64_t)f->l_row[e];
        for (int c = 0; c < 3; ++c) *(v4 *)(w + 4 * c) -= u0 * L[c] + u1 * L[3 + c] + u2 * L[6 + c];
    }
}

/* Computes row i of L and its pivot. Returns the result of `invert`. */
static double factor_row(ldlt *f, int32_t i) {
    const double *own = f->triangle.diagonal + 9 * (int64_t)f->order[i];
    double D[9];
    memcpy(D, own, sizeof D);
    const int32_t first = f->a_begin[i], count = f->a_begin[i + 1] - first;
    for (int32_t e = first; e < first + count; ++e) {
        const bool turned = f->a_source[e] < 0;
        const double *A = f->triangle.value + 9 * (int64_t)(turned ? ~f->a_source[e] : f->a_source[e]);
        double *w = f->work + STRIDE * (int64_t)f->a_column[e];
        for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r) w[4 * c + r] = turned ? A[3 * r + c] : A[3 * c + r];
    }
    for (int top = sn_symbolic_row(f->nodes, i, f->a_column + first, count, f->parent, f->mark, f->stack);
         top < f->nodes; ++top) {
        const int32_t k = f->stack[top];
        double wide[STRIDE], U[9], L[9];
        memcpy(wide, f->work + STRIDE * (int64_t)k, sizeof wide);
        memset(f->work + STRIDE * (int64_t)k, 0, sizeof wide);
        for (int c = 0; c < 9; ++c) U[c] = wide[4 * (c / 3) + c % 3];
        eliminate(f, k, wide, f->work);
        sn_block_multiply(U, f->inverse + 9 * (int64_t)k, L);
        sn_block_subtract(U, L, D);
        f->l_row[f->l_end[k]] = i;
        memcpy(f->l_value + 9 * f->l_end[k]++, L, sizeof L);
    }
    return invert(D, own, f->inverse + 9 * (int64_t)i);
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    ldlt *f = *data ? *data : sn_allocate_zero(context, 1, sizeof *f);
    if (!f) return sn_no_memory(error);
    *data = f;
    f->filter = filter;
    sn_status status = f->analysed ? SN_OK : analyse(context, op->matrix->pattern, f, error);
    f->analysed = !status;
    if (!status) status = sn_triangle_update(context, op, filter, &f->triangle, error);
    if (status) return status;
    memset(f->work, 0, (size_t)f->nodes * STRIDE * sizeof *f->work);
    memcpy(f->l_end, f->l_begin, (size_t)f->nodes * sizeof *f->l_end);
    for (int i = 0; i < f->nodes; ++i) f->mark[i] = -1;
    for (int32_t i = 0; i < f->nodes; ++i) {
        const double left = factor_row(f, i);
        if (isnan(left))
            return sn_fail(error, SN_NOT_FINITE, "the matrix is not finite at compiled node %d", f->order[i]);
        if (left < 1e-13)
            return sn_fail(error, SN_SINGULAR,
                           "the matrix is singular (a pivot fell to %.1e of its diagonal): the body is not held in "
                           "every direction, has no "
                           "stiffness, or is at the point of buckling",
                           left);
    }
    return SN_OK;
}

static void apply(void *data, const double *r, double *z) {
    const ldlt *f = data;
    double *y = f->vector;
    for (int k = 0; k < f->nodes; ++k) memcpy(y + 3 * (int64_t)k, r + 3 * (int64_t)f->order[k], 3 * sizeof *y);
    for (int k = 0; k < f->nodes; ++k) {
        double own[3];
        memcpy(own, y + 3 * (int64_t)k, sizeof own);
        for (int64_t e = f->l_begin[k]; e < f->l_end[k]; ++e)
            sn_block_take(f->l_value + 9 * e, own, y + 3 * (int64_t)f->l_row[e]);
        sn_block_apply(f->inverse + 9 * (int64_t)k, own, y + 3 * (int64_t)k);
    }
    for (int k = f->nodes - 1; k >= 0; --k) {
        double own[3];
        memcpy(own, y + 3 * (int64_t)k, sizeof own);
        for (int64_t e = f->l_begin[k]; e < f->l_end[k]; ++e)
            sn_block_take_transpose(f->l_value + 9 * e, y + 3 * (int64_t)f->l_row[e], own);
        memcpy(y + 3 * (int64_t)k, own, sizeof own);
        memcpy(z + 3 * (int64_t)f->order[k], own, sizeof own);
    }
    sn_filter_apply(f->filter, z);
}

const sn_preconditioner sn_direct_ldlt_factor = {
    .needs_matrix = true, .direct = true, .update = update, .apply = apply, .release = release};
