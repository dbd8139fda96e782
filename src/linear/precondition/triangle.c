/* See triangle.h. */
#include "triangle.h"

#include <string.h>

#include "linear/matrix/kernels.h"
#include "preconditioner.h"

void sn_triangle_release(sn_context *context, sn_triangle *t) {
    sn_release(context, t->begin);
    sn_release(context, t->column);
    sn_release(context, t->source);
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

/* The same in the order of the parts, with ascending columns. */
static void layout_parts(const sn_pattern *pattern, sn_triangle *t) {
    int32_t next = 0;
    t->nodes = pattern->nodes;
    for (int i = 0; i < pattern->nodes; ++i) {
        const int32_t node = t->parts->node[i], begin = t->begin[i] = next;
        for (int32_t k = pattern->row_begin[node]; k < pattern->row_begin[node + 1]; ++k) {
            const int32_t column = t->parts->row[pattern->column[k]];
            if (column >= i) continue;
            int32_t e = next++;
            for (; e > begin && t->column[e - 1] > column; --e)
                t->column[e] = t->column[e - 1], t->source[e] = t->source[e - 1];
            t->column[e] = column, t->source[e] = k;
        }
    }
    t->begin[pattern->nodes] = next;
}

static sn_status create(sn_context *context, const sn_pattern *pattern, sn_triangle *t, sn_error *error) {
    const size_t nodes = (size_t)pattern->nodes, blocks = ((size_t)pattern->block_count - nodes) / 2;
    t->begin = sn_allocate(context, nodes + 1, sizeof *t->begin);
    t->column = sn_allocate(context, blocks, sizeof *t->column);
    if (t->parts) t->source = sn_allocate(context, blocks, sizeof *t->source);
    if (!t->bare) t->value = sn_allocate(context, blocks * 9, sizeof *t->value);
    t->diagonal = sn_allocate(context, nodes * 9, sizeof *t->diagonal);
    if (!t->begin || !t->column || (t->parts && !t->source) || (!t->bare && !t->value) || !t->diagonal) {
        sn_triangle_release(context, t);
        return sn_no_memory(error);
    }
    if (t->parts)
        layout_parts(pattern, t);
    else
        sn_triangle_layout(pattern, t);
    return SN_OK;
}

void sn_triangle_block(const sn_operator *op, const sn_filter *filter, const sn_triangle *t, int32_t i, int32_t e,
                       double out[9]) {
    const sn_matrix *matrix = op->matrix;
    const sn_pattern *pattern = matrix->pattern;
    const int32_t node = t->parts ? t->parts->node[i] : i,
                  k = t->source ? t->source[e] : pattern->row_begin[i] + e - t->begin[i];
    const double *S = sn_filter_find(filter, node), *T = sn_filter_find(filter, pattern->column[k]);
    double block[9];
    sn_matrix_block(matrix, k, block);
    if (!op->symmetric) {
        double back[9];
        sn_matrix_block(matrix, pattern->mirror[k], back);
        for (int c = 0; c < 9; ++c) block[c] = 0.5 * (block[c] + back[3 * (c % 3) + c / 3]);
    }
    if (S || T)
        sn_project_pair(block, S, T, out);
    else
        memcpy(out, block, sizeof block);
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
        const int32_t node = t->parts ? t->parts->node[i] : i;
        const double *S = sn_filter_find(w->filter, node);
        double block[9];
        sn_matrix_block(matrix, pattern->diagonal[node], block);
        sn_projected_block(block, S, t->diagonal + 9 * (int64_t)i);
        for (int32_t e = t->begin[i]; !t->bare && e < t->begin[i + 1]; ++e)
            sn_triangle_block(w->op, w->filter, t, i, e, t->value + 9 * (int64_t)e);
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
