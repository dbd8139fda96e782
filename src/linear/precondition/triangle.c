/* See triangle.h. */
#include "triangle.h"

#include "linear/matrix/kernels.h"
#include "preconditioner.h"

void sn_triangle_release(sn_context *context, sn_triangle *t) {
    sn_release(context, t->begin);
    sn_release(context, t->column);
    sn_release(context, t->value);
    sn_release(context, t->diagonal);
    *t = (sn_triangle){0};
}

void sn_triangle_layout(const sn_pattern *pattern, sn_triangle *t) {
    int32_t next = 0;
    t->nodes = pattern->nodes;
    for (int i = 0; i < pattern->nodes; ++i) {
        t->begin[i] = next;
        for (int32_t k = pattern->row_begin[i]; k < pattern->diagonal[i]; ++k) t->column[next++] = pattern->column[k];
    }
    t->begin[pattern->nodes] = next;
}

static sn_status create(sn_context *context, const sn_pattern *pattern, sn_triangle *t, sn_error *error) {
    const size_t nodes = (size_t)pattern->nodes, blocks = ((size_t)pattern->block_count - nodes) / 2;
    t->begin = sn_allocate(context, nodes + 1, sizeof *t->begin);
    t->column = sn_allocate(context, blocks, sizeof *t->column);
    t->value = sn_allocate(context, blocks * 9, sizeof *t->value);
    t->diagonal = sn_allocate(context, nodes * 9, sizeof *t->diagonal);
    if (!t->begin || !t->column || !t->value || !t->diagonal) {
        sn_triangle_release(context, t);
        return sn_no_memory(error);
    }
    sn_triangle_layout(pattern, t);
    return SN_OK;
}

typedef struct fill_work {
    const sn_operator *op;
    const sn_filter *filter;
    sn_triangle *triangle;
} fill_work;

static void fill_piece(void *data, int piece) {
    const fill_work *w = data;
    sn_triangle *t = w->triangle;
    const sn_matrix *matrix = w->op->matrix;
    const sn_pattern *pattern = matrix->pattern;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < t->nodes ? begin + SN_PIECE_NODES : t->nodes;
    for (int i = begin; i < end; ++i) {
        const double *S = sn_filter_find(w->filter, i);
        double block[9], back[9];
        sn_matrix_block(matrix, pattern->diagonal[i], block);
        sn_projected_block(block, S, t->diagonal + 9 * (int64_t)i);
        for (int32_t e = t->begin[i], k = pattern->row_begin[i]; e < t->begin[i + 1]; ++e, ++k) {
            sn_matrix_block(matrix, k, block);
            if (!w->op->symmetric) {
                sn_matrix_block(matrix, pattern->mirror[k], back);
                for (int c = 0; c < 9; ++c) block[c] = 0.5 * (block[c] + back[3 * (c % 3) + c / 3]);
            }
            sn_project_pair(block, S, sn_filter_find(w->filter, t->column[e]), t->value + 9 * (int64_t)e);
        }
    }
}

sn_status sn_triangle_update(sn_context *context, const sn_operator *op, const sn_filter *filter, sn_triangle *t,
                             sn_error *error) {
    if (!t->begin) {
        const sn_status status = create(context, op->matrix->pattern, t, error);
        if (status) return status;
    }
    fill_work w = {op, filter, t};
    sn_parallel_pieces(context, sn_pieces(t->nodes, SN_PIECE_NODES), fill_piece, &w);
    return SN_OK;
}
