/* The pattern of the sparse matrix: the pairs of nodes that share an element or an extra coupling.
 *
 * Every node lists the nodes of its elements and its extra partners, skips duplicates, and sorts the list. The columns
 * of each row are thus ascending. */
#include <stdlib.h>
#include <string.h>

#include "fem/patch.h"
#include "matrix.h"

#include "base/sorted.h"

/* For each node, the elements around it and its extra partners. */
typedef struct incidence {
    int64_t *begin; /* nodes + 1 */
    int64_t *item;  /* offset of the element's first node in its batch's node array; extra partners as ~node */
    int32_t *batch; /* batch of the item, -1 for a partner */
    const sn_patches *patches; /* NULL: none count */
    const sn_kept_rows *kept;  /* their nodes have no items; NULL: none */
} incidence;

static void incidence_release(sn_context *context, incidence *in) {
    sn_release(context, in->begin);
    sn_release(context, in->item);
    sn_release(context, in->batch);
}

/* Visits each pair of node and element. When item is NULL, only counts into begin[node + 1]. */
static void visit_elements(const sn_elements_model *elements, incidence *in, int64_t *next) {
    for (int b = 0; b < elements->batch_count; ++b) {
        const sn_batch *batch = &elements->batch[b];
        const int nodes = batch->element->nodes;
        for (int block = 0; block < batch->block_count; ++block)
            for (int l = 0; l < SN_LANES; ++l) {
                if (batch->element_of[(int64_t)block * SN_LANES + l] < 0) continue;
                const int64_t offset = (int64_t)block * nodes * SN_LANES + l;
                for (int i = 0; i < nodes; ++i) {
                    const int32_t node = batch->node[offset + (int64_t)i * SN_LANES];
                    if (sn_row_kept(in->kept, node)) continue;
                    if (!next) {
                        ++in->begin[node + 1];
                    } else {
                        in->item[next[node]] = offset;
                        in->batch[next[node]++] = b;
                    }
                }
            }
    }
}

static void visit_pairs(const int32_t (*pair)[2], int pair_count, incidence *in, int64_t *next) {
    for (int i = 0; i < pair_count; ++i)
        for (int side = 0; side < 2; ++side) {
            const int32_t node = pair[i][side];
            if (sn_row_kept(in->kept, node)) continue;
            if (!next) {
                ++in->begin[node + 1];
            } else {
                in->item[next[node]] = pair[i][1 - side];
                in->batch[next[node]++] = -1;
            }
        }
}

static sn_status incidence_create(sn_context *context, const sn_elements_model *elements, const int32_t (*pair)[2],
                                  int pair_count, incidence *in, sn_error *error) {
    const int nodes = elements->node_count;
    in->begin = sn_allocate_zero(context, (size_t)nodes + 1, sizeof *in->begin);
    if (!in->begin) return sn_no_memory(error);
    visit_elements(elements, in, NULL);
    visit_pairs(pair, pair_count, in, NULL);
    for (int i = 0; i < nodes; ++i) in->begin[i + 1] += in->begin[i];
    in->item = sn_allocate(context, (size_t)in->begin[nodes], sizeof *in->item);
    in->batch = sn_allocate(context, (size_t)in->begin[nodes], sizeof *in->batch);
    int64_t *next = sn_allocate(context, (size_t)nodes + 1, sizeof *next);
    if (!in->item || !in->batch || !next) {
        sn_release(context, next);
        return sn_no_memory(error);
    }
    memcpy(next, in->begin, ((size_t)nodes + 1) * sizeof *next);
    visit_elements(elements, in, next);
    visit_pairs(pair, pair_count, in, next);
    sn_release(context, next);
    return SN_OK;
}

/* Adds a column unless the row has it. */
static void add_column(int32_t other, int32_t node, int32_t *seen, int32_t *row, int *count) {
    if (seen[other] == node) return;
    seen[other] = node;
    if (row) row[*count] = other;
    ++*count;
}

/* Collects the columns of one row, unsorted. seen[node]: the last row that found this node. Returns the number of
 * columns; `row` may be NULL. */
static int gather_row(const sn_elements_model *elements, const incidence *in, int32_t node, int32_t *seen,
                      int32_t *row) {
    int count = 0;
    add_column(node, node, seen, row, &count);
    for (int64_t k = in->begin[node]; k < in->begin[node + 1]; ++k) {
        const sn_batch *batch = in->batch[k] < 0 ? NULL : &elements->batch[in->batch[k]];
        const int nodes = batch ? batch->element->nodes : 1;
        for (int i = 0; i < nodes; ++i) {
            const int32_t other = batch ? batch->node[in->item[k] + (int64_t)i * SN_LANES] : (int32_t)in->item[k];
            add_column(other, node, seen, row, &count);
        }
    }
    const sn_patches *patches = in->patches;
    for (int64_t k = patches ? patches->row_begin[node] : 0; patches && k < patches->row_begin[node + 1]; ++k)
        for (int64_t e = patches->begin[patches->row_patch[k]]; e < patches->begin[patches->row_patch[k] + 1]; ++e)
            add_column(patches->node[e], node, seen, row, &count);
    return count;
}

/* Rows come in ascending order, so the blocks (j, i) of a row j are met from its left to its right. `next` has a number
 * per row. */
static void fill_mirror(sn_pattern *pattern, int32_t *next) {
    memcpy(next, pattern->row_begin, (size_t)pattern->nodes * sizeof *next);
    for (int32_t i = 0; i < pattern->nodes; ++i)
        for (int32_t k = pattern->row_begin[i]; k < pattern->row_begin[i + 1]; ++k)
            pattern->mirror[k] = next[pattern->column[k]]++;
}

/* Rows are short. */
static void sort_row(int32_t *row, int count) {
    enum { SHORT = 48 };
    if (count > SHORT) {
        qsort(row, (size_t)count, sizeof *row, sn_compare_int32);
        return;
    }
    for (int i = 1; i < count; ++i) {
        const int32_t own = row[i];
        int j = i;
        for (; j > 0 && row[j - 1] > own; --j) row[j] = row[j - 1];
        row[j] = own;
    }
}

/* A row in the numbers of now: they ascend as those before did. Returns the number of columns; `row` may be NULL. */
static int take_row(const sn_kept_rows *kept, int32_t node, int32_t *row) {
    const sn_pattern *before = kept->before;
    const int32_t begin = before->row_begin[kept->row[node]], count = before->row_begin[kept->row[node] + 1] - begin;
    for (int32_t k = 0; k < count && row; ++k) row[k] = kept->node[before->column[begin + k]];
    return count;
}

static sn_status fill(sn_context *context, const sn_elements_model *elements, const incidence *in, int32_t *seen,
                      sn_pattern *pattern, sn_error *error) {
    const int nodes = pattern->nodes;
    for (int i = 0; i < nodes; ++i) seen[i] = -1;
    pattern->row_begin[0] = 0;
    for (int32_t i = 0; i < nodes; ++i) {
        const bool kept = sn_row_kept(in->kept, i);
        const int count = kept ? take_row(in->kept, i, NULL) : gather_row(elements, in, i, seen, NULL);
        const int64_t end = pattern->row_begin[i] + (int64_t)count;
        pattern->made += !kept;
        if (end > INT32_MAX / 9)
            return sn_fail(error, SN_UNSUPPORTED, "the matrix of %d nodes has too many blocks", nodes);
        pattern->row_begin[i + 1] = (int32_t)end;
    }
    pattern->block_count = pattern->row_begin[nodes];
    pattern->column = sn_allocate(context, (size_t)pattern->block_count, sizeof *pattern->column);
    pattern->mirror = sn_allocate(context, (size_t)pattern->block_count, sizeof *pattern->mirror);
    if (!pattern->column || !pattern->mirror) return sn_no_memory(error);
    for (int i = 0; i < nodes; ++i) seen[i] = -1;
    for (int32_t i = 0; i < nodes; ++i) {
        int32_t *row = pattern->column + pattern->row_begin[i];
        if (sn_row_kept(in->kept, i)) {
            const int32_t old = in->kept->row[i];
            take_row(in->kept, i, row);
            pattern->diagonal[i] =
                pattern->row_begin[i] + in->kept->before->diagonal[old] - in->kept->before->row_begin[old];
            continue;
        }
        const int count = gather_row(elements, in, i, seen, row);
        sort_row(row, count);
        pattern->diagonal[i] = sn_pattern_find(pattern, i, i);
    }
    fill_mirror(pattern, seen);
    return SN_OK;
}

sn_status sn_pattern_create(sn_context *context, const sn_elements_model *elements, const int32_t (*pair)[2],
                            int pair_count, const sn_kept_rows *kept, sn_pattern *pattern, sn_error *error) {
    const int nodes = elements->node_count;
    *pattern = (sn_pattern){.nodes = nodes};
    incidence in = {.patches = elements->patches, .kept = kept};
    int32_t *seen = sn_allocate(context, (size_t)nodes, sizeof *seen);
    pattern->row_begin = sn_allocate(context, (size_t)nodes + 1, sizeof *pattern->row_begin);
    pattern->diagonal = sn_allocate(context, (size_t)nodes, sizeof *pattern->diagonal);
    sn_status status = seen && pattern->row_begin && pattern->diagonal ? SN_OK : sn_no_memory(error);
    if (!status) status = incidence_create(context, elements, pair, pair_count, &in, error);
    if (!status) status = fill(context, elements, &in, seen, pattern, error);
    incidence_release(context, &in);
    sn_release(context, seen);
    if (status) sn_pattern_release(context, pattern);
    return status;
}

void sn_pattern_release(sn_context *context, sn_pattern *pattern) {
    sn_release(context, pattern->row_begin);
    sn_release(context, pattern->column);
    sn_release(context, pattern->diagonal);
    sn_release(context, pattern->mirror);
    *pattern = (sn_pattern){0};
}

/* Floods from each node that no flood has reached yet. `seen` and `stack` have a place for each node. */
static int largest_flood(const sn_pattern *pattern, uint8_t *seen, int32_t *stack) {
    int largest = 0;
    for (int32_t first = 0; first < pattern->nodes; ++first) {
        if (seen[first]) continue;
        int size = 0, waiting = 0;
        seen[first] = 1;
        stack[waiting++] = first;
        while (waiting) {
            const int32_t node = stack[--waiting];
            ++size;
            for (int32_t k = pattern->row_begin[node]; k < pattern->row_begin[node + 1]; ++k) {
                const int32_t other = pattern->column[k];
                if (seen[other]) continue;
                seen[other] = 1;
                stack[waiting++] = other;
            }
        }
        if (size > largest) largest = size;
    }
    return largest;
}

sn_status sn_pattern_largest_part(sn_context *context, const sn_pattern *pattern, int *nodes, sn_error *error) {
    uint8_t *seen = sn_allocate_zero(context, (size_t)pattern->nodes, sizeof *seen);
    int32_t *stack = sn_allocate(context, (size_t)pattern->nodes, sizeof *stack);
    const sn_status status = seen && stack ? SN_OK : sn_no_memory(error);
    if (!status) *nodes = largest_flood(pattern, seen, stack);
    sn_release(context, seen);
    sn_release(context, stack);
    return status;
}

int32_t sn_pattern_find(const sn_pattern *pattern, int32_t row, int32_t column) {
    if (row < 0 || row >= pattern->nodes) return -1;
    const int32_t begin = pattern->row_begin[row], end = pattern->row_begin[row + 1];
    if (begin == end || column < pattern->column[begin] || column > pattern->column[end - 1])
        return -1; /* most pairs of touching bodies end here */
    const int32_t place = (int32_t)sn_lower_bound(pattern->column, begin, end, column);
    return pattern->column[place] == column ? place : -1;
}
