/* See hierarchy.h. */
#include "hierarchy.h"

#include <string.h>

#include "linear/direct/direct.h"
#include "preconditioner.h"

enum { ROWS = 64 }; /* rows of a level that a thread takes at once */

static void release_nested(const sn_context *context, sn_nested *n) {
    const sn_pattern *p = &n->pattern;
    void *const array[] = {p->row_begin, p->column, p->diagonal,   p->mirror,
                           n->value,     n->target, n->plan_begin, n->plan};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
}

void sn_hierarchy_destroy(sn_hierarchy *h) {
    if (!h) return;
    sn_context *context = h->context;
    for (int k = 0; h->nested && k < h->levels->count - 1; ++k) release_nested(context, &h->nested[k]);
    if (h->factor) sn_direct_ldlt_factor.release(context, h->factor);
    void *const array[] = {h->nested, h->held, h->listed, h->listed_begin, h->right, h->left};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_release(context, h);
}

/* ---- Patterns ---- */
/* A row of a level: its blocks in the matrix of the level, and their columns as places. */
typedef struct level_row {
    const int32_t *column; /* nodes on the finest level, places on others */
    const int32_t *place;  /* node -> place on the finest level; NULL on others */
    int64_t first;         /* the block of column[0] */
    int count;
} level_row;

static level_row row_of(const sn_hierarchy *h, const sn_pattern *finest, int level, int32_t at) {
    const bool top = level == h->levels->count - 1;
    const sn_pattern *p = top ? finest : &h->nested[level].pattern;
    const int32_t row = top ? h->levels->node[at] : at, first = p->row_begin[row];
    return (level_row){p->column + first, top ? h->levels->place : NULL, first, p->row_begin[row + 1] - first};
}

static int32_t column_of(const level_row *row, int e) {
    return row->place ? row->place[row->column[e]] : row->column[e];
}

/* The places on level k - 1 that a place of level k takes part in: itself, or its parents. Returns their number. */
static int parents_of(const sn_levels *l, int level, int32_t at, int32_t out[2]) {
    if (at < l->begin[level]) {
        out[0] = at;
        return 1;
    }
    for (int i = 0; i < 2; ++i) out[i] = l->place[l->parent[2 * (size_t)at + (size_t)i]];
    return 2;
}

/* The i-th place of level k that row `at` of level k - 1 collects from: the node itself, then its children. */
static int32_t source_of(const sn_levels *l, const sn_nested *n, int32_t at, int i) {
    return i == 0 ? at : l->place[l->child[l->child_begin[n->target[at]] + i - 1]];
}
static int source_count(const sn_levels *l, const sn_nested *n, int32_t at) {
    const int32_t t = n->target[at];
    return t < 0 ? 1 : 1 + l->child_begin[t + 1] - l->child_begin[t];
}

/* Calls for each block that row `at` of level k - 1 collects: first to count columns (mark[c] == at: seen) and entries
 * of the plan, then to write them. `slot` is the block of each column. */
static void visit_row(const sn_hierarchy *h, const sn_pattern *finest, int level, int32_t at, int32_t *mark,
                      int32_t *columns, int32_t *list, int64_t *entries, const int32_t *slot, int32_t *plan) {
    const sn_levels *l = h->levels;
    const sn_nested *n = &h->nested[level - 1];
    for (int s = 0; s < source_count(l, n, at); ++s) {
        const level_row row = row_of(h, finest, level, source_of(l, n, at, s));
        for (int e = 0; e < row.count; ++e) {
            const int32_t column = column_of(&row, e);
            int32_t coarse[2];
            if (column < 0) continue; /* a loose node */
            const int count = parents_of(l, level, column, coarse);
            for (int i = 0; i < count; ++i) {
                if (plan) {
                    plan[(*entries)++] = slot[coarse[i]];
                    continue;
                }
                ++*entries;
                if (mark[coarse[i]] == at) continue;
                mark[coarse[i]] = at;
                if (list) list[*columns] = coarse[i];
                ++*columns;
            }
        }
    }
}

static void sort(int32_t *value, int count) {
    for (int i = 1; i < count; ++i) {
        const int32_t keep = value[i];
        int j = i;
        for (; j > 0 && value[j - 1] > keep; --j) value[j] = value[j - 1];
        value[j] = keep;
    }
}

/* The pattern of level k - 1 and the plan of its product. mark, slot: one number per node of the system. */
static sn_status lay_out(sn_hierarchy *h, const sn_pattern *finest, int level, int32_t *mark, int32_t *slot,
                         sn_error *error) {
    const sn_levels *l = h->levels;
    sn_nested *n = &h->nested[level - 1];
    sn_pattern *p = &n->pattern;
    const int rows = l->begin[level];
    p->nodes = rows;
    p->row_begin = sn_allocate_zero(h->context, (size_t)rows + 1, sizeof *p->row_begin);
    p->diagonal = sn_allocate(h->context, (size_t)rows, sizeof *p->diagonal);
    n->target = sn_allocate(h->context, (size_t)rows, sizeof *n->target);
    n->plan_begin = sn_allocate_zero(h->context, (size_t)rows + 1, sizeof *n->plan_begin);
    if (!p->row_begin || !p->diagonal || !n->target || !n->plan_begin) return sn_no_memory(error);
    for (int i = 0; i < rows; ++i) n->target[i] = -1;
    for (int32_t t = l->target_begin[level]; t < l->target_begin[level + 1]; ++t) n->target[l->place[l->target[t]]] = t;
    for (int i = 0; i < rows; ++i) mark[i] = -1;
    int64_t blocks = 0;
    for (int i = 0; i < rows; ++i) {
        int32_t columns = 0;
        int64_t entries = 0;
        visit_row(h, finest, level, i, mark, &columns, NULL, &entries, NULL, NULL);
        blocks += columns;
        if (blocks > INT32_MAX)
            return sn_fail(error, SN_UNSUPPORTED, "a level of the mesh has more than %d blocks", INT32_MAX);
        p->row_begin[i + 1] = (int32_t)blocks;
        n->plan_begin[i + 1] = n->plan_begin[i] + entries;
    }
    p->block_count = blocks;
    p->column = sn_allocate(h->context, (size_t)blocks, sizeof *p->column);
    n->plan = sn_allocate(h->context, (size_t)n->plan_begin[rows], sizeof *n->plan);
    n->value = sn_allocate_zero(h->context, 9 * (size_t)blocks + 8, sizeof *n->value);
    if (!p->column || !n->plan || !n->value) return sn_no_memory(error);
    for (int i = 0; i < rows; ++i) mark[i] = -1;
    for (int i = 0; i < rows; ++i) {
        int32_t columns = 0, *list = p->column + p->row_begin[i];
        int64_t entries = 0, next = n->plan_begin[i];
        visit_row(h, finest, level, i, mark, &columns, list, &entries, NULL, NULL);
        sort(list, columns);
        for (int32_t c = 0; c < columns; ++c) slot[list[c]] = p->row_begin[i] + c;
        p->diagonal[i] = slot[i];
        visit_row(h, finest, level, i, mark, NULL, NULL, &next, slot, n->plan);
    }
    return SN_OK;
}

static sn_status create_levels(sn_hierarchy *h, const sn_pattern *pattern, sn_error *error) {
    const size_t nodes = (size_t)h->levels->nodes, coarse = 3 * (size_t)h->levels->begin[1];
    h->nested = sn_allocate_zero(h->context, (size_t)h->levels->count - 1, sizeof *h->nested);
    h->held = sn_allocate(h->context, nodes, sizeof *h->held);
    h->listed_begin = sn_allocate_zero(h->context, (size_t)h->levels->count + 1, sizeof *h->listed_begin);
    h->right = sn_allocate(h->context, coarse, sizeof *h->right);
    h->left = sn_allocate(h->context, coarse, sizeof *h->left);
    int32_t *mark = sn_allocate(h->context, 2 * nodes, sizeof *mark);
    sn_status status =
        h->nested && h->held && h->listed_begin && h->right && h->left && mark ? SN_OK : sn_no_memory(error);
    for (size_t i = 0; i < nodes && !status; ++i) h->held[i] = -1;
    for (int k = h->levels->count - 1; k > 0 && !status; --k)
        status = lay_out(h, pattern, k, mark, mark + nodes, error);
    sn_release(h->context, mark);
    if (status) return status;
    sn_pattern *p = &h->nested[0].pattern;
    p->mirror = sn_allocate(h->context, (size_t)p->block_count, sizeof *p->mirror);
    if (!p->mirror) return sn_no_memory(error);
    for (int i = 0; i < p->nodes; ++i)
        for (int32_t e = p->row_begin[i]; e < p->row_begin[i + 1]; ++e)
            p->mirror[e] = sn_pattern_find(p, p->column[e], i);
    return SN_OK;
}

sn_status sn_hierarchy_create(sn_context *context, const sn_levels *levels, const sn_pattern *pattern,
                              sn_hierarchy **hierarchy, sn_error *error) {
    sn_hierarchy *h = sn_allocate_zero(context, 1, sizeof *h);
    if (!h) return sn_no_memory(error);
    h->context = context, h->levels = levels;
    const sn_status status = create_levels(h, pattern, error);
    if (status)
        sn_hierarchy_destroy(h);
    else
        *hierarchy = h;
    return status;
}

/* ---- Values ---- */
static const double *projection(const sn_hierarchy *h, int32_t node) {
    return h->held[node] < 0 ? NULL : h->filter->projection + 9 * (int64_t)h->held[node];
}

typedef struct product_work {
    const sn_hierarchy *h;
    int level;
} product_work;

/* Adds weight times the block to the `count` next blocks of the plan. */
static void add_block(double *value, const int32_t *plan, int count, double weight, const double B[9]) {
    for (int i = 0; i < count; ++i) {
        double *out = value + 9 * (int64_t)plan[i];
        for (int c = 0; c < 9; ++c) out[c] += weight * B[c];
    }
}

/* Row `at` of A_{k-1}. */
static void collect_row(const sn_hierarchy *h, int level, int32_t at) {
    const sn_levels *l = h->levels;
    const sn_nested *n = &h->nested[level - 1];
    const sn_pattern *p = &n->pattern;
    const int32_t *plan = n->plan + n->plan_begin[at];
    const bool top = level == l->count - 1;
    const float *single = top ? h->matrix->single_ : NULL;
    const double *values = top ? h->matrix->double_ : h->nested[level].value;
    memset(n->value + 9 * (int64_t)p->row_begin[at], 0,
           9 * sizeof *n->value * (size_t)(p->row_begin[at + 1] - p->row_begin[at]));
    for (int s = 0; s < source_count(l, n, at); ++s) {
        const int32_t source = source_of(l, n, at, s);
        const level_row row = row_of(h, top ? h->matrix->pattern : NULL, level, source);
        const double *S = projection(h, l->node[source]);
        for (int e = 0; e < row.count; ++e) {
            const int32_t column = column_of(&row, e);
            if (column < 0) continue;
            const int64_t first = 9 * (row.first + e);
            double block[9];
            if (single)
                for (int c = 0; c < 9; ++c) block[c] = (double)single[first + c];
            else
                memcpy(block, values + first, sizeof block);
            const double *T = projection(h, top ? row.column[e] : l->node[column]);
            if (S || T) {
                const double whole[9] = {block[0], block[1], block[2], block[3], block[4],
                                         block[5], block[6], block[7], block[8]};
                sn_project_pair(whole, S, T, block);
            }
            const int count = column < l->begin[level] ? 1 : 2;
            add_block(n->value, plan, count, (s ? 0.5 : 1) * (count == 2 ? 0.5 : 1), block);
            plan += count;
        }
    }
}

static void collect_piece(void *data, int piece) {
    const product_work *w = data;
    const int rows = w->h->nested[w->level - 1].pattern.nodes, begin = piece * ROWS,
              end = begin + ROWS < rows ? begin + ROWS : rows;
    for (int i = begin; i < end; ++i) collect_row(w->h, w->level, i);
}

/* Notes which nodes the filter holds, and sorts them by level. */
static void note_held(sn_hierarchy *h, const sn_filter *filter) {
    const sn_levels *l = h->levels;
    const int count = filter ? filter->count : 0;
    for (int i = 0; i < l->nodes; ++i) h->held[i] = -1;
    for (int i = 0; i < count; ++i) h->held[filter->node[i]] = i;
    int32_t next = 0;
    for (int k = 0; k < l->count; ++k) {
        h->listed_begin[k] = next;
        for (int i = 0; i < count; ++i) {
            const int32_t at = l->place[filter->node[i]];
            if (at >= l->begin[k] && at < l->begin[k + 1]) h->listed[next++] = i;
        }
    }
    h->listed_begin[l->count] = next;
}

sn_status sn_hierarchy_reserve(sn_hierarchy *h, const sn_filter *filter, sn_error *error) {
    return sn_grow(h->context, (void **)&h->listed, &h->capacity, filter ? filter->count : 0, sizeof *h->listed, error);
}

void sn_hierarchy_update(sn_hierarchy *h, const sn_matrix *matrix, const sn_filter *filter) {
    h->matrix = matrix, h->filter = filter;
    note_held(h, filter);
    for (int k = h->levels->count - 1; k > 0; --k) {
        product_work w = {h, k};
        sn_parallel_pieces(h->context, sn_pieces(h->nested[k - 1].pattern.nodes, ROWS), collect_piece, &w);
    }
}

sn_status sn_hierarchy_factor(sn_hierarchy *h, bool symmetric, sn_error *error) {
    sn_nested *n = &h->nested[0];
    const sn_pattern *p = &n->pattern;
    for (int i = 0; i < p->nodes; ++i)
        for (int32_t e = p->row_begin[i]; e < p->row_begin[i + 1]; ++e) {
            const double *S = projection(h, h->levels->node[i]), *T = projection(h, h->levels->node[p->column[e]]);
            double *value = n->value + 9 * (int64_t)e, block[9];
            if (!S && !T) continue;
            memcpy(block, value, sizeof block);
            if (p->column[e] == i)
                sn_projected_block(block, S, value);
            else
                sn_project_pair(block, S, T, value);
        }
    const sn_matrix matrix = {.pattern = p, .double_ = n->value};
    const sn_operator op = {.context = h->context, .n = 3 * p->nodes, .matrix = &matrix, .symmetric = symmetric};
    const sn_status status = sn_direct_ldlt_factor.update(h->context, &op, NULL, &h->factor, NULL);
    h->factored = !status && sn_direct_ldlt_definite(h->factor);
    return status == SN_NO_MEMORY ? sn_no_memory(error) : SN_OK;
}

void sn_hierarchy_block(const sn_hierarchy *h, int level, int32_t place, double block[9]) {
    if (level == h->levels->count - 1)
        sn_matrix_block(h->matrix, h->matrix->pattern->diagonal[h->levels->node[place]], block);
    else
        memcpy(block, h->nested[level].value + 9 * (int64_t)h->nested[level].pattern.diagonal[place],
               9 * sizeof *block);
}

/* ---- Transfer ---- */
void sn_hierarchy_hold(const sn_hierarchy *h, int level, double *x) {
    for (int32_t i = h->listed_begin[level]; i < h->listed_begin[level + 1]; ++i) {
        const double *S = h->filter->projection + 9 * (int64_t)h->listed[i];
        double *v = x + 3 * (int64_t)h->filter->node[h->listed[i]];
        const double u[3] = {v[0], v[1], v[2]};
        for (int a = 0; a < 3; ++a) v[a] = S[3 * a] * u[0] + S[3 * a + 1] * u[1] + S[3 * a + 2] * u[2];
    }
}

void sn_hierarchy_restrict(const sn_hierarchy *h, int level, double *x) {
    sn_hierarchy_hold(h, level, x);
    sn_levels_map_level(h->context, h->levels, SN_LEVEL_TRANSPOSE, level, x);
}

void sn_hierarchy_prolong(const sn_hierarchy *h, int level, double *x) {
    sn_levels_map_level(h->context, h->levels, SN_LEVEL_S, level, x);
    sn_hierarchy_hold(h, level, x);
}

void sn_hierarchy_solve(const sn_hierarchy *h, double *x) {
    const int nodes = h->levels->begin[1];
    const int32_t *node = h->levels->node;
    sn_hierarchy_hold(h, 0, x);
    for (int i = 0; i < nodes; ++i) memcpy(h->right + 3 * i, x + 3 * (int64_t)node[i], 3 * sizeof *x);
    sn_direct_ldlt_factor.apply(h->factor, h->right, h->left);
    for (int i = 0; i < nodes; ++i) memcpy(x + 3 * (int64_t)node[i], h->left + 3 * i, 3 * sizeof *x);
    sn_hierarchy_hold(h, 0, x);
}

/* ---- Inverse diagonal blocks ---- */
typedef struct block_work {
    const sn_hierarchy *h;
    int level, count;
    const int32_t *node;
    float *inverse;
    const float *block;
    double *x, *out;
} block_work;

static void invert_piece(void *data, int piece) {
    const block_work *w = data;
    const sn_hierarchy *h = w->h;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < w->count ? begin + SN_PIECE_NODES : w->count;
    for (int i = begin; i < end; ++i) {
        const int32_t node = w->node[i], place = h->levels->place[node];
        double block[9], inverse[9];
        if (place < 0)
            sn_matrix_block(h->matrix, h->matrix->pattern->diagonal[node], block);
        else
            sn_hierarchy_block(h, w->level, place, block);
        sn_invert_node_block(block, projection(h, node), 1e-5, inverse); /* 1e-5: it is stored in single precision */
        for (int c = 0; c < 9; ++c) w->inverse[9 * (int64_t)i + c] = (float)inverse[c];
    }
}

void sn_hierarchy_invert(const sn_hierarchy *h, int level, const int32_t *node, int count, float *block) {
    block_work w = {.h = h, .level = level, .count = count, .node = node, .inverse = block};
    sn_parallel_pieces(h->context, sn_pieces(count, SN_PIECE_NODES), invert_piece, &w);
}

static void scale_piece(void *data, int piece) {
    const block_work *w = data;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < w->count ? begin + SN_PIECE_NODES : w->count;
    for (int i = begin; i < end; ++i) {
        double *x = w->x + 3 * (int64_t)w->node[i], *out = w->out ? w->out + 3 * (int64_t)i : x;
        const float *B = w->block + 9 * (int64_t)i;
        const double u[3] = {x[0], x[1], x[2]};
        for (int a = 0; a < 3; ++a) out[a] = (double)B[a] * u[0] + (double)B[3 + a] * u[1] + (double)B[6 + a] * u[2];
    }
}

void sn_hierarchy_scale(const sn_context *context, const float *block, const int32_t *node, int count, double *x,
                        double *out) {
    block_work w = {.count = count, .node = node, .block = block, .x = x, .out = out};
    sn_parallel_pieces(context, sn_pieces(count, SN_PIECE_NODES), scale_piece, &w);
}

void sn_level_blocks_release(sn_context *context, sn_level_blocks *b) {
    sn_hierarchy_destroy(b->hierarchy);
    sn_release(context, b->block);
    sn_release(context, b->loose);
    *b = (sn_level_blocks){0};
}

sn_status sn_level_blocks_update(sn_context *context, const sn_operator *op, const sn_filter *filter,
                                 sn_level_blocks *b, sn_error *error) {
    if (!op->matrix || !op->source || !op->source->levels)
        return sn_fail(
            error, SN_UNSUPPORTED,
            "the preconditioners 'hierarchical' and 'bpx' need the assembled operator of a mesh with levels: "
            "give the mesh of a body the key 'refine'");
    const sn_levels *l = op->source->levels;
    sn_status status = SN_OK;
    if (!b->block) b->block = sn_allocate(context, 9 * (size_t)l->begin[l->count], sizeof *b->block);
    if (!b->loose) b->loose = sn_allocate(context, 9 * (size_t)l->loose_count, sizeof *b->loose);
    if (!b->block || !b->loose) return sn_no_memory(error);
    if (!b->hierarchy) status = sn_hierarchy_create(context, l, op->matrix->pattern, &b->hierarchy, error);
    if (!status) status = sn_hierarchy_reserve(b->hierarchy, filter, error);
    if (status) return status;
    sn_hierarchy_update(b->hierarchy, op->matrix, filter);
    status = sn_hierarchy_factor(b->hierarchy, op->symmetric, error);
    for (int k = 0; k < l->count && !status; ++k)
        sn_hierarchy_invert(b->hierarchy, k, l->node + l->begin[k], l->begin[k + 1] - l->begin[k],
                            b->block + 9 * (int64_t)l->begin[k]);
    if (!status) sn_hierarchy_invert(b->hierarchy, 0, l->loose, l->loose_count, b->loose);
    return status;
}
