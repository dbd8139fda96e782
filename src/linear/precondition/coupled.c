/* See coupled.h. The rows of c are few, so everything here runs on one thread and in a fixed order. */
#include "coupled.h"

#include <string.h>

#include "linear/direct/direct.h"
#include "linear/matrix/block.h"
#include "preconditioner.h"

void sn_coupled_release(sn_context *context, sn_coupled_block *b) {
    if (b->factor) sn_direct_ldlt_factor.release(context, b->factor);
    sn_pattern_release(context, &b->pattern);
    void *memory[] = {b->local, b->row, b->value, b->right, b->left, b->rest};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) sn_release(context, memory[i]);
    *b = (sn_coupled_block){0};
}

/* ---- The part of A between the coupled nodes ---- */
/* Visits the columns of row i of A that are coupled nodes, in ascending order: those of the pattern and those of the
 * coupling. Returns their number. Writes places and values at `out` if there is one. */
typedef struct merged {
    int32_t k, k_end; /* blocks of the pattern */
    int b, b_end;     /* blocks of the coupling */
} merged;

static merged row_of(const sn_matrix *matrix, int row) {
    const sn_coupling *c = matrix->coupling;
    const int32_t node = c->row[row];
    return (merged){matrix->pattern->row_begin[node], matrix->pattern->row_begin[node + 1], c->begin[row],
                    c->begin[row + 1]};
}

/* The next block of the row: its column, and its value in `block`. Returns false at the end. */
static bool next_block(const sn_matrix *matrix, merged *m, int32_t *column, double block[9]) {
    const sn_coupling *c = matrix->coupling;
    if (m->k == m->k_end && m->b == m->b_end) return false;
    if (m->b == m->b_end || (m->k < m->k_end && matrix->pattern->column[m->k] < c->column[m->b])) {
        *column = matrix->pattern->column[m->k];
        sn_matrix_block(matrix, m->k++, block);
    } else {
        *column = c->column[m->b];
        memcpy(block, c->value + 9 * (int64_t)m->b++, 9 * sizeof *block);
    }
    return true;
}

static sn_status reserve(sn_context *context, sn_coupled_block *b, const sn_matrix *matrix, int blocks,
                         sn_error *error) {
    sn_pattern *p = &b->pattern;
    const int n = b->count, nodes = matrix->pattern->nodes;
    sn_status status = sn_grow(context, (void **)&p->row_begin, &b->begins, n + 1, sizeof(int32_t), error);
    if (!status) status = sn_grow(context, (void **)&p->diagonal, &b->diagonals, n, sizeof(int32_t), error);
    if (!status) status = sn_grow(context, (void **)&p->column, &b->columns, blocks, sizeof(int32_t), error);
    if (!status) status = sn_grow(context, (void **)&p->mirror, &b->mirrors, blocks, sizeof(int32_t), error);
    if (!status) status = sn_grow(context, (void **)&b->value, &b->values, blocks + 1, 9 * sizeof(double), error);
    if (!status) status = sn_grow(context, (void **)&b->right, &b->rights, 3 * n, sizeof(double), error);
    if (!status) status = sn_grow(context, (void **)&b->left, &b->lefts, 3 * n, sizeof(double), error);
    if (!status) status = sn_grow(context, (void **)&b->rest, &b->rests, 3 * nodes, sizeof(double), error);
    return status;
}

/* Numbers the coupled nodes; without `all`, nodes that are coupled only with held nodes are left out. Returns the
 * number of blocks between the coupled nodes. */
static int number_nodes(sn_coupled_block *b, const sn_matrix *matrix, const sn_filter *filter, bool all) {
    const sn_coupling *c = matrix->coupling;
    int blocks = 0;
    memset(b->local, 0xff, (size_t)matrix->pattern->nodes * sizeof *b->local);
    for (int r = 0; r < c->row_count; ++r) b->local[c->row[r]] = !all && sn_filter_holds(filter, c->row[r]) ? -1 : 0;
    b->count = 0;
    for (int r = 0; r < c->row_count; ++r) {
        bool coupled = false;
        for (int k = c->begin[r]; k < c->begin[r + 1]; ++k) coupled = coupled || b->local[c->column[k]] >= 0;
        if (coupled && b->local[c->row[r]] >= 0) b->row[b->count++] = r;
    }
    for (int r = 0; r < c->row_count; ++r) b->local[c->row[r]] = -1;
    for (int i = 0; i < b->count; ++i) b->local[c->row[b->row[i]]] = i;
    for (int i = 0; i < b->count; ++i) {
        double block[9];
        int32_t column;
        for (merged m = row_of(matrix, b->row[i]); next_block(matrix, &m, &column, block);)
            blocks += b->local[column] >= 0;
    }
    return blocks;
}

/* Fills pattern and values. Returns whether the pattern is a new one. */
static bool fill(sn_coupled_block *b, const sn_matrix *matrix, bool fresh) {
    sn_pattern *p = &b->pattern;
    int32_t next = 0;
    bool changed = fresh || p->nodes != b->count;
    for (int r = 0; r < b->count; ++r) {
        double block[9];
        int32_t column;
        changed = changed || p->row_begin[r] != next;
        p->row_begin[r] = next;
        for (merged m = row_of(matrix, b->row[r]); next_block(matrix, &m, &column, block);) {
            const int32_t local = b->local[column];
            if (local < 0) continue;
            changed = changed || p->column[next] != local;
            p->column[next] = local;
            if (local == r) p->diagonal[r] = next;
            memcpy(b->value + 9 * (int64_t)next++, block, sizeof block);
        }
    }
    changed = changed || p->block_count != next;
    p->row_begin[b->count] = next;
    p->nodes = b->count, p->block_count = next;
    for (int r = 0; r < b->count && changed; ++r)
        for (int32_t k = p->row_begin[r]; k < p->row_begin[r + 1]; ++k)
            p->mirror[k] = sn_pattern_find(p, p->column[k], r);
    return changed;
}

/* A_ij <- S_i A_ij S_j between coupled nodes, with a pivot in held directions. */
static void project(sn_coupled_block *b, const sn_coupling *c, const sn_filter *filter) {
    const sn_pattern *p = &b->pattern;
    for (int r = 0; r < b->count; ++r)
        for (int32_t k = p->row_begin[r]; k < p->row_begin[r + 1]; ++k) {
            const double *S = sn_filter_find(filter, c->row[b->row[r]]),
                         *T = sn_filter_find(filter, c->row[b->row[p->column[k]]]);
            double *value = b->value + 9 * (int64_t)k, block[9];
            if (!S && !T) continue;
            memcpy(block, value, sizeof block);
            if (p->column[k] == r)
                sn_projected_block(block, S, value);
            else
                sn_project_pair(block, S, T, value);
        }
}

sn_status sn_coupled_update(sn_context *context, const sn_operator *op, const sn_filter *filter, bool all,
                            sn_coupled_block *b, sn_error *error) {
    const sn_matrix *matrix = op->matrix;
    b->usable = false;
    b->context = context;
    if (!matrix || !matrix->coupling || !matrix->coupling->row_count || !op->symmetric) return SN_OK;
    const bool fresh = b->count == 0;
    b->matrix = matrix, b->filter = filter;
    sn_status status =
        sn_grow(context, (void **)&b->local, &b->locals, matrix->pattern->nodes, sizeof *b->local, error);
    if (!status)
        status = sn_grow(context, (void **)&b->row, &b->rows, matrix->coupling->row_count, sizeof *b->row, error);
    if (!status) status = reserve(context, b, matrix, number_nodes(b, matrix, filter, all), error);
    if (status || b->count == 0) return status;
    const bool changed = fill(b, matrix, fresh);
    project(b, matrix->coupling, filter);
    if (changed) sn_direct_ldlt_forget(b->factor);
    const sn_matrix part = {.pattern = &b->pattern, .double_ = b->value};
    const sn_operator inside = {.context = context, .n = 3 * b->count, .matrix = &part, .symmetric = true};
    status = sn_direct_ldlt_factor.update(context, &inside, NULL, &b->factor, NULL);
    b->usable = status == SN_OK;
    return status == SN_NO_MEMORY ? sn_no_memory(error) : SN_OK;
}

/* ---- Application ---- */
/* left = (R A R^T)^-1 right, in the free directions. */
static void solve(const sn_coupled_block *b) { sn_direct_ldlt_factor.apply(b->factor, b->right, b->left); }

/* rest = r - A Q r. */
static void take_out(const sn_coupled_block *b, const double *r) {
    const sn_coupling *c = b->matrix->coupling;
    const sn_pattern *p = b->matrix->pattern;
    for (int i = 0; i < b->count; ++i) memcpy(b->right + 3 * i, r + 3 * (int64_t)c->row[b->row[i]], 3 * sizeof *r);
    solve(b);
    sn_vector_copy(b->context, 3 * p->nodes, r, b->rest);
    for (int i = 0; i < b->count; ++i) {
        const merged m = row_of(b->matrix, b->row[i]);
        const double *u = b->left + 3 * (int64_t)i;
        for (int32_t k = m.k; k < m.k_end; ++k) {
            double block[9];
            sn_matrix_block(b->matrix, k, block);
            sn_block_take_transpose(block, u, b->rest + 3 * (int64_t)p->column[k]);
        }
        for (int k = m.b; k < m.b_end; ++k)
            sn_block_take_transpose(c->value + 9 * (int64_t)k, u, b->rest + 3 * (int64_t)c->column[k]);
    }
    sn_filter_apply_range(b->filter, 0, p->nodes, b->rest);
}

/* z += Q (r - A z). */
static void put_back(const sn_coupled_block *b, const double *r, double *z) {
    const sn_coupling *c = b->matrix->coupling;
    for (int i = 0; i < b->count; ++i) {
        double *t = b->right + 3 * (int64_t)i, block[9];
        int32_t column;
        memcpy(t, r + 3 * (int64_t)c->row[b->row[i]], 3 * sizeof *t);
        for (merged m = row_of(b->matrix, b->row[i]); next_block(b->matrix, &m, &column, block);)
            sn_block_take(block, z + 3 * (int64_t)column, t);
        const double *S = sn_filter_find(b->filter, c->row[b->row[i]]);
        if (!S) continue;
        const double free[3] = {t[0], t[1], t[2]};
        for (int a = 0; a < 3; ++a) t[a] = S[3 * a] * free[0] + S[3 * a + 1] * free[1] + S[3 * a + 2] * free[2];
    }
    solve(b);
    for (int i = 0; i < b->count; ++i)
        for (int a = 0; a < 3; ++a) z[3 * (int64_t)c->row[b->row[i]] + a] += b->left[3 * i + a];
}

/* Block-Jacobi with one block of all coupled nodes. */
static void apply_as_block(void *data, const double *r, double *z) {
    sn_coupled_block *b = data;
    const sn_coupling *c = b->matrix->coupling;
    b->base->apply(b->data, r, z);
    for (int i = 0; i < b->count; ++i) memcpy(b->right + 3 * i, r + 3 * (int64_t)c->row[b->row[i]], 3 * sizeof *r);
    solve(b);
    for (int i = 0; i < b->count; ++i) memcpy(z + 3 * (int64_t)c->row[b->row[i]], b->left + 3 * i, 3 * sizeof *z);
}

static void apply(void *data, const double *r, double *z) {
    sn_coupled_block *b = data;
    take_out(b, r);
    b->base->apply(b->data, b->rest, z);
    put_back(b, r, z);
}

sn_preconditioner sn_coupled_preconditioner(sn_coupled_block *b, const sn_preconditioner *base, void *data) {
    b->base = base, b->data = data;
    sn_preconditioner table = *base;
    table.apply = base == &sn_preconditioner_block_jacobi ? apply_as_block : apply;
    table.apply_range = NULL;
    table.identity = false;
    return table;
}
