/* Products cut into pieces, and the choice of the kernels. */
#include "matrix.h"

#include <string.h>

#include "coupling.h"
#include "kernels.h"

extern const sn_linear_kernels sn_linear_kernels_baseline, sn_linear_kernels_avx2, sn_linear_kernels_avx512;

const sn_linear_kernels *sn_linear_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_linear_kernels);
}

sn_status sn_block_list_reserve(const sn_context *context, sn_block_list *list, int64_t count, sn_error *error) {
    if (count <= list->capacity) return SN_OK;
    if (count > INT32_MAX / 2)
        return sn_fail(error, SN_UNSUPPORTED, "the interactions give more than %d blocks of the matrix", INT32_MAX / 2);
    int rows = list->capacity, columns = list->capacity, values = list->capacity;
    sn_status status = sn_grow(context, (void **)&list->row, &rows, (int)count, sizeof *list->row, error);
    if (!status) status = sn_grow(context, (void **)&list->column, &columns, (int)count, sizeof *list->column, error);
    if (!status) status = sn_grow(context, (void **)&list->value, &values, (int)count, 9 * sizeof *list->value, error);
    int slots = 64;
    while (slots < 2 * count) slots *= 2;
    int32_t *slot = status || slots <= list->slots ? NULL : sn_allocate_zero(context, (size_t)slots, sizeof *slot);
    if (!status && !slot && slots > list->slots) status = sn_no_memory(error);
    if (status) return status;
    if (slot) {
        sn_release(context, list->slot);
        list->slot = slot, list->slots = slots;
    }
    list->capacity = rows;
    return SN_OK;
}

void sn_block_list_release(const sn_context *context, sn_block_list *list) {
    void *memory[] = {list->row, list->column, list->value, list->slot};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) sn_release(context, memory[i]);
    *list = (sn_block_list){0};
}

void sn_block_list_clear(sn_block_list *list) {
    if (list->slots) memset(list->slot, 0, (size_t)list->slots * sizeof *list->slot);
    list->count = 0;
}

double *sn_block_pair(sn_block_list *list, int32_t i, int32_t j) {
    const uint32_t mask = (uint32_t)list->slots - 1;
    uint32_t at = (uint32_t)i * 0x9e3779b1u ^ (uint32_t)j * 0x85ebca6bu;
    for (at = (at ^ (at >> 15)) & mask; list->slot[at]; at = (at + 1) & mask) {
        const int32_t there = list->slot[at] - 1;
        if (list->row[there] == i && list->column[there] == j) return list->value + 9 * (size_t)there;
    }
    list->slot[at] = list->count + 1;
    double *block = sn_block_append(list, i, j);
    if (i != j) sn_block_append(list, j, i);
    memset(block, 0, (i != j ? 18 : 9) * sizeof *block);
    return block;
}

void sn_block_list_mirror(sn_block_list *list, int first) {
    for (int i = first; i < list->count; ++i) {
        if (list->row[i] == list->column[i]) continue;
        const double *there = list->value + 9 * (size_t)i++;
        double *back = list->value + 9 * (size_t)i;
        for (int k = 0; k < 9; ++k) back[k] = there[3 * (k % 3) + k / 3];
    }
}

/* ---- Product ---- */
typedef struct product_work {
    const sn_context *context;
    const sn_linear_kernels *kernels;
    const sn_matrix *matrix;
    const double *x;
    double *y, *partial; /* partial: NULL, or x . y per piece */
    double (*dot)(int n, const double *a, const double *b);
} product_work;

static void product_piece(void *data, int piece) {
    const product_work *w = data;
    const sn_pattern *pattern = w->matrix->pattern;
    const int begin = piece * SN_PIECE_NODES;
    const int end = begin + SN_PIECE_NODES < pattern->nodes ? begin + SN_PIECE_NODES : pattern->nodes;
    if (w->matrix->single_)
        w->kernels->product_single(pattern, w->matrix->single_, w->x, w->y, begin, end);
    else
        w->kernels->product_double(pattern, w->matrix->double_, w->x, w->y, begin, end);
    sn_coupling_product(w->context, w->matrix->coupling, w->x, w->y, begin, end);
    if (w->partial) w->partial[piece] = w->dot(3 * (end - begin), w->x + 3 * (int64_t)begin, w->y + 3 * (int64_t)begin);
}

void sn_matrix_product(const sn_context *context, const sn_matrix *matrix, const double *x, double *y) {
    product_work w = {context, sn_linear_kernels_for(context), matrix, x, y, NULL, NULL};
    sn_parallel_pieces(context, sn_pieces(matrix->pattern->nodes, SN_PIECE_NODES), product_piece, &w);
}

double sn_matrix_product_dot(const sn_context *context, const sn_matrix *matrix, const double *x, double *y,
                             double *partial) {
    product_work w = {context, sn_linear_kernels_for(context),     matrix, x, y,
                      partial, sn_vector_kernels_for(context)->dot};
    const int pieces = sn_pieces(matrix->pattern->nodes, SN_PIECE_NODES);
    sn_parallel_pieces(context, pieces, product_piece, &w);
    return sn_sum_pieces(pieces, partial);
}
