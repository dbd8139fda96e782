/* See slaves.h. */
#include "slaves.h"

#include <math.h>
#include <string.h>

enum { STENCIL = 2 * SN_ELEMENT_NODES };

/* Per node: its number in the list of slaves; -1 for other nodes. */
static int32_t *number_slaves(const sn_context *context, const sn_slaves *slaves, int nodes) {
    int32_t *slave_of = sn_allocate(context, (size_t)nodes, sizeof *slave_of);
    for (int i = 0; slave_of && i < nodes; ++i) slave_of[i] = -1;
    for (int i = 0; slave_of && i < slaves->count; ++i) slave_of[slaves->node[i]] = i;
    return slave_of;
}

/* ---- Pairs ---- */
static void add_once(int32_t node, int32_t *list, int *count) {
    for (int i = 0; i < *count; ++i)
        if (list[i] == node) return;
    list[(*count)++] = node;
}

/* The nodes that carry an element; 0 when none of its corners is a slave. `slave_of`: per node, its number or -1. */
static int stencil(const sn_slaves *slaves, const int32_t *slave_of, const int32_t *node, int nodes,
                   int32_t list[STENCIL]) {
    int count = 0;
    bool any = false;
    for (int i = 0; i < nodes; ++i) any = any || slave_of[node[i * SN_LANES]] >= 0;
    for (int i = 0; i < nodes && any; ++i) {
        const int32_t own = node[i * SN_LANES], s = slave_of[own];
        if (s < 0) {
            add_once(own, list, &count);
            continue;
        }
        for (int k = 0; k < 2; ++k) add_once(slaves->parent[s][k], list, &count);
    }
    return count;
}

/* Writes the pairs of all elements with slaves, or counts them when `pair` is NULL. */
static int64_t visit_pairs(const sn_elements_model *elements, const sn_slaves *slaves, const int32_t *slave_of,
                           const sn_kept_rows *kept, int32_t (*pair)[2]) {
    int64_t count = 0;
    for (int b = 0; b < elements->batch_count; ++b) {
        const sn_batch *batch = &elements->batch[b];
        const int nodes = batch->element->nodes;
        for (int64_t n = 0; n < (int64_t)batch->block_count * SN_LANES; ++n) {
            if (batch->element_of[n] < 0) continue;
            int32_t list[STENCIL];
            const int size =
                stencil(slaves, slave_of, batch->node + n / SN_LANES * nodes * SN_LANES + n % SN_LANES, nodes, list);
            for (int i = 0; i < size; ++i)
                for (int j = i + 1; j < size; ++j) {
                    if (sn_row_kept(kept, list[i]) && sn_row_kept(kept, list[j])) continue;
                    if (pair) pair[count][0] = list[i], pair[count][1] = list[j];
                    ++count;
                }
        }
    }
    return count;
}

sn_status sn_slaves_pairs(const sn_context *context, const sn_elements_model *elements, const sn_slaves *slaves,
                          const sn_kept_rows *kept, int32_t (**pair)[2], int *count, sn_error *error) {
    *pair = NULL, *count = 0;
    int32_t *slave_of = number_slaves(context, slaves, elements->node_count);
    if (!slave_of) return sn_no_memory(error);
    const int64_t wanted = visit_pairs(elements, slaves, slave_of, kept, NULL);
    sn_status status = SN_OK;
    if (wanted > INT32_MAX) status = sn_fail(error, SN_UNSUPPORTED, "the mesh has too many hanging nodes");
    if (!status) {
        *pair = sn_allocate(context, (size_t)wanted + 1, sizeof **pair);
        status = *pair ? SN_OK : sn_no_memory(error);
    }
    if (!status) *count = (int)visit_pairs(elements, slaves, slave_of, kept, *pair);
    sn_release(context, slave_of);
    return status;
}

/* ---- Folding ---- */
/* The nodes that carry a node. Returns how many they are. */
static int carriers(const sn_slaves *slaves, int slave, int32_t node, int32_t list[2]) {
    if (slave < 0) {
        list[0] = node;
        return 1;
    }
    list[0] = slaves->parent[slave][0], list[1] = slaves->parent[slave][1];
    return 2;
}

/* Adds the shares of the block (row, column) at a place, or counts them. */
static void fold_block(const sn_pattern *pattern, const sn_slaves *slaves, int32_t row, int32_t place, int row_slave,
                       int column_slave, sn_folding *f) {
    int32_t r[2], c[2];
    const int rows = slaves->one_sided && row_slave >= 0 ? 0 : carriers(slaves, row_slave, row, r),
              columns = carriers(slaves, column_slave, pattern->column[place], c);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j, ++f->count) {
            if (!f->from) continue;
            f->from[f->count] = place;
            f->to[f->count] = sn_pattern_find(pattern, r[i], c[j]);
            f->weight[f->count] = 1.0 / (rows * columns);
        }
    if (pattern->column[place] == row) return;
    if (f->clear) f->clear[f->cleared] = place;
    ++f->cleared;
}

static void visit(const sn_pattern *pattern, const sn_slaves *slaves, const int32_t *slave_of, sn_folding *f) {
    f->count = f->cleared = 0;
    for (int s = 0; s < slaves->count; ++s) {
        const int32_t row = slaves->node[s];
        for (int32_t k = pattern->row_begin[row]; k < pattern->row_begin[row + 1]; ++k) {
            const int other = slave_of[pattern->column[k]];
            fold_block(pattern, slaves, row, k, s, other, f);
            /* The mirror in the row of a node that is no slave. */
            if (other < 0) fold_block(pattern, slaves, pattern->column[k], pattern->mirror[k], -1, s, f);
        }
    }
}

void sn_folding_release(const sn_context *context, sn_folding *f) {
    sn_release(context, f->from);
    sn_release(context, f->to);
    sn_release(context, f->weight);
    sn_release(context, f->clear);
    *f = (sn_folding){0};
}

sn_status sn_folding_create(const sn_context *context, const sn_pattern *pattern, const sn_slaves *slaves,
                            sn_folding *f, sn_error *error) {
    *f = (sn_folding){0};
    int32_t *slave_of = number_slaves(context, slaves, pattern->nodes);
    if (!slave_of) return sn_no_memory(error);
    visit(pattern, slaves, slave_of, f);
    const size_t count = (size_t)f->count + 1;
    f->clear = sn_allocate(context, (size_t)f->cleared + 1, sizeof *f->clear);
    f->to = sn_allocate(context, count, sizeof *f->to);
    f->weight = sn_allocate(context, count, sizeof *f->weight);
    f->from = sn_allocate(context, count, sizeof *f->from);
    if (!f->clear || !f->to || !f->weight || !f->from) {
        sn_release(context, slave_of);
        sn_folding_release(context, f);
        return sn_no_memory(error);
    }
    visit(pattern, slaves, slave_of, f);
    sn_release(context, slave_of);
    return SN_OK;
}

static void apply_single(const sn_folding *f, float *value) {
    for (int64_t i = 0; i < f->count; ++i) {
        const float w = (float)f->weight[i], *from = value + 9 * (int64_t)f->from[i];
        float *to = value + 9 * (int64_t)f->to[i];
        for (int k = 0; k < 9; ++k) to[k] += w * from[k];
    }
    for (int64_t i = 0; i < f->cleared; ++i) memset(value + 9 * (int64_t)f->clear[i], 0, 9 * sizeof *value);
}

static void apply_double(const sn_folding *f, double *value) {
    for (int64_t i = 0; i < f->count; ++i) {
        const double *from = value + 9 * (int64_t)f->from[i];
        double *to = value + 9 * (int64_t)f->to[i];
        for (int k = 0; k < 9; ++k) to[k] += f->weight[i] * from[k];
    }
    for (int64_t i = 0; i < f->cleared; ++i) memset(value + 9 * (int64_t)f->clear[i], 0, 9 * sizeof *value);
}

void sn_folding_apply(const sn_folding *f, const sn_slaves *slaves, const sn_matrix *matrix) {
    if (matrix->single_)
        apply_single(f, matrix->single_);
    else
        apply_double(f, matrix->double_);
    for (int s = 0; s < slaves->count; ++s) {
        const int64_t place = matrix->pattern->diagonal[slaves->node[s]];
        double block[9];
        sn_matrix_block(matrix, place, block);
        const double size = fabs(block[0]) + fabs(block[4]) + fabs(block[8]);
        for (int k = 0; k < 9; ++k) {
            const double value = k % 4 == 0 ? (size > 0 ? size / 3 : 1) : 0;
            if (matrix->single_)
                matrix->single_[9 * place + k] = (float)value;
            else
                matrix->double_[9 * place + k] = value;
        }
    }
}

/* ---- Vectors ---- */
void sn_slaves_follow(const sn_slaves *slaves, double *x) {
    for (int s = 0; s < slaves->count; ++s) {
        const double *p = x + 3 * (size_t)slaves->parent[s][0], *q = x + 3 * (size_t)slaves->parent[s][1];
        double *own = x + 3 * (size_t)slaves->node[s];
        for (int a = 0; a < 3; ++a) own[a] = 0.5 * (p[a] + q[a]);
    }
}

void sn_slaves_give(const sn_slaves *slaves, double *f) {
    if (slaves->one_sided) {
        sn_slaves_clear(slaves, f);
        return;
    }
    for (int s = 0; s < slaves->count; ++s) {
        double *p = f + 3 * (size_t)slaves->parent[s][0], *q = f + 3 * (size_t)slaves->parent[s][1];
        double *own = f + 3 * (size_t)slaves->node[s];
        for (int a = 0; a < 3; ++a) p[a] += 0.5 * own[a], q[a] += 0.5 * own[a], own[a] = 0;
    }
}

void sn_slaves_clear(const sn_slaves *slaves, double *f) {
    for (int s = 0; s < slaves->count; ++s) memset(f + 3 * (size_t)slaves->node[s], 0, 3 * sizeof *f);
}
