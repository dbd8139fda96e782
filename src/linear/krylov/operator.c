/* Operators: see solver.h. */
#include "linear/solver.h"

#include <string.h>

#include "linear/matrix/coupling.h"
#include "linear/matrix/kernels.h"

void sn_operator_apply(const sn_operator *op, const double *x, double *y) {
    if (op->matrix)
        sn_matrix_product(op->context, op->matrix, x, y);
    else
        op->apply(op->self, x, y);
}

double sn_operator_apply_dot(const sn_operator *op, const double *x, double *y, double *partial) {
    if (op->matrix) return sn_matrix_product_dot(op->context, op->matrix, x, y, partial);
    op->apply(op->self, x, y);
    return sn_dot(op->context, op->n, x, y, partial);
}

sn_operator sn_operator_of_matrix(const sn_context *context, const sn_matrix *matrix, const double *diagonal,
                                  bool symmetric) {
    return (sn_operator){.context = context,
                         .n = 3 * matrix->pattern->nodes,
                         .matrix = matrix,
                         .diagonal = diagonal,
                         .symmetric = symmetric};
}

/* y_j = sum of A_ij^T x_i. Row j knows its neighbours i and the places of the blocks (i, j). One thread can therefore
 * sum a row, always in the same order. */
typedef struct transpose_work {
    const sn_matrix *matrix;
    const double *x;
    double *y;
} transpose_work;

static void transpose_piece(void *data, int piece) {
    const transpose_work *w = data;
    const sn_pattern *pattern = w->matrix->pattern;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < pattern->nodes ? begin + SN_PIECE_NODES : pattern->nodes;
    for (int j = begin; j < end; ++j) {
        double sum[3] = {0};
        for (int32_t k = pattern->row_begin[j]; k < pattern->row_begin[j + 1]; ++k) {
            const double *x = w->x + 3 * (int64_t)pattern->column[k];
            double block[9];
            sn_matrix_block(w->matrix, pattern->mirror[k], block);
            for (int c = 0; c < 3; ++c)
                sum[c] += block[3 * c] * x[0] + block[3 * c + 1] * x[1] + block[3 * c + 2] * x[2];
        }
        memcpy(w->y + 3 * (int64_t)j, sum, sizeof sum);
    }
    sn_coupling_product_transpose(w->matrix->coupling, w->x, w->y, begin, end);
}

bool sn_operator_apply_transpose(const sn_operator *op, const double *x, double *y) {
    if (op->symmetric) {
        sn_operator_apply(op, x, y);
    } else if (op->matrix) {
        transpose_work w = {op->matrix, x, y};
        sn_parallel_pieces(op->context, sn_pieces(op->matrix->pattern->nodes, SN_PIECE_NODES), transpose_piece, &w);
    } else if (op->apply_transpose) {
        op->apply_transpose(op->self, x, y);
    } else {
        return false;
    }
    return true;
}

sn_solver_options sn_operator_options(const sn_operator *op) {
    return op->options ? *op->options : sn_solver_options_default();
}

bool sn_operator_note(const sn_operator *op, int iteration, double residual) {
    enum { EVERY = 8 };
    sn_watch *watch = op->watch;
    if (!watch) return false;
    if (watch->count == watch->capacity && watch->capacity > 1) { /* drop the older half to make room */
        const int gone = watch->capacity / 2;
        watch->count -= gone;
        memmove(watch->history, watch->history + gone, (size_t)watch->count * sizeof *watch->history);
    }
    if (watch->count < watch->capacity) watch->history[watch->count++] = residual;
    if (watch->deadline > 0 && iteration % EVERY == 0 && sn_seconds() > watch->deadline) watch->late = true;
    return watch->late;
}
