/* The sparse matrix of 3x3 blocks and its pattern.
 *
 * The matrix is stored by rows of blocks, with ascending columns. The pattern holds both triangles and is fixed when
 * the system is compiled. A block has 9 numbers, column by column, so that a product is three scaled columns in one
 * vector of four lanes. The fourth lane is ignored; the value array therefore has room for 8 more numbers at its end.
 * Values are single or double precision; vectors are always double.
 *
 * Blocks that have no place in the pattern are kept beside it (coupling.h). Products count them. */
#ifndef SN_LINEAR_MATRIX_H
#define SN_LINEAR_MATRIX_H

#include <stdbool.h>

#include "base/vector.h"
#include "fem/batch.h"

typedef struct sn_pattern {
    int nodes;
    int64_t block_count;
    int32_t *row_begin; /* nodes + 1 */
    int32_t *column;    /* block_count, ascending in a row */
    int32_t *diagonal;  /* nodes: the place of block (i, i) */
    int32_t *mirror;    /* block_count: the place of block (j, i) */
    int made;           /* rows that were made from elements; all others were taken over */
} sn_pattern;

/* Rows that a new pattern takes over from one for other elements, which has the same columns in other numbers. */
typedef struct sn_kept_rows {
    const sn_pattern *before;
    const int32_t *row;               /* per node: its number before; -1: the row is made from the elements */
    const int32_t *node;              /* per node before: its number now, ascending; -1: no longer there */
    const struct sn_scatter_map *map; /* of the pattern before (assembly.h); NULL: none */
    const int64_t *place; /* per element: its place before, batch << 40 | block << 3 | lane; -1: it is new */
} sn_kept_rows;
static inline bool sn_row_kept(const sn_kept_rows *kept, int32_t node) { return kept && kept->row[node] >= 0; }

/* Blocks that do not come from elements: contact, springs, loads that follow the body. Row and column are nodes, value
 * is column-major. */
typedef struct sn_block_list {
    int count, capacity;
    int32_t *row, *column;
    double *value; /* count x 9 */
    int slots;     /* a power of two; 0: no room yet */
    int32_t *slot; /* hash table of the blocks of sn_block_pair: their number + 1, or 0 */
} sn_block_list;

/* Adds a block to a list that has room for it. Returns the 9 numbers of the block, which the caller fills column by
 * column. */
static inline double *sn_block_append(sn_block_list *list, int32_t row, int32_t column) {
    list->row[list->count] = row, list->column[list->count] = column;
    return list->value + 9 * (size_t)list->count++;
}

/* The blocks (i, j) and (j, i) of a list that has room for them, i < j: 9 numbers each, one behind the other. For i ==
 * j the block (i, i) alone. New blocks are zero, and the caller ADDS to them. A pair that comes again gets the same
 * blocks, so the many contacts between a few nodes make few blocks. */
double *sn_block_pair(sn_block_list *list, int32_t i, int32_t j);
/* Block (j, i) <- the transpose of (i, j) for all pairs from block `first` on, where all blocks are of sn_block_pair.
 */
void sn_block_list_mirror(sn_block_list *list, int first);
/* Empties a list. */
void sn_block_list_clear(sn_block_list *list);

typedef struct sn_coupling sn_coupling;

typedef struct sn_matrix {
    const sn_pattern *pattern;
    float *single_; /* one of the two is set */
    double *double_;
    const sn_coupling *coupling; /* blocks without a place in the pattern (coupling.h); NULL: none */
} sn_matrix;

/* Makes room for `count` blocks in all. */
sn_status sn_block_list_reserve(const sn_context *context, sn_block_list *list, int64_t count, sn_error *error);

void sn_block_list_release(const sn_context *context, sn_block_list *list);

/* Makes the pattern of the elements and their patches plus `pair_count` more node pairs. Both triangles are added.
 * kept: rows that need not be made; NULL: none. */
sn_status sn_pattern_create(sn_context *context, const sn_elements_model *elements, const int32_t (*pair)[2],
                            int pair_count, const sn_kept_rows *kept, sn_pattern *pattern, sn_error *error);
void sn_pattern_release(sn_context *context, sn_pattern *pattern);
/* The number of nodes in the largest set of nodes that hang together. */
sn_status sn_pattern_largest_part(sn_context *context, const sn_pattern *pattern, int *nodes, sn_error *error);
/* The place of block (row, column); -1 when the pattern has no such block. */
int32_t sn_pattern_find(const sn_pattern *pattern, int32_t row, int32_t column);

/* The block at a place, in double precision. */
static inline void sn_matrix_block(const sn_matrix *matrix, int64_t place, double block[9]) {
    for (int k = 0; k < 9; ++k)
        block[k] = matrix->single_ ? (double)matrix->single_[9 * place + k] : matrix->double_[9 * place + k];
}

/* y = A x. */
void sn_matrix_product(const sn_context *context, const sn_matrix *matrix, const double *x, double *y);
/* y = A x; returns x . y. `partial`: sn_dot_scratch(3 nodes) doubles. */
double sn_matrix_product_dot(const sn_context *context, const sn_matrix *matrix, const double *x, double *y,
                             double *partial);

#endif
