/* The graph of a coarse matrix. For each group of fine nodes, the coarse nodes that its rows of A P reach; then the
 * rows of P^T A P; then their order for the sweeps. */
#include <stdlib.h>
#include <string.h>

#include "multigrid_lattice.h"

typedef struct reaching {
    /* The place of a group, and of a coarse node, in the list of the present group. A place is only valid when it is
     * not below the begin of that list. */
    int32_t *group_stamp, *column_stamp;
    int near_capacity, near_count, column_capacity, parents_capacity, column_count;
} reaching;

/* Finds or adds another group in the list of the present group. */
static sn_status reach_group(sn_mg_builder *b, reaching *r, int g, int other, sn_mg_near **near_, sn_error *error) {
    sn_mg_transfer *d = b->down;
    if (r->group_stamp[other] < d->group[g].near_begin) {
        const int most = d->group[g].column_begin + 8 * (r->near_count + 1 - d->group[g].near_begin);
        sn_status status =
            sn_grow(b->context, (void **)&d->near_, &r->near_capacity, r->near_count + 1, sizeof *d->near_, error);
        if (!status)
            status = sn_grow(b->context, (void **)&d->column, &r->column_capacity, most, sizeof *d->column, error);
        if (!status) status = sn_grow(b->context, (void **)&d->column_parents, &r->parents_capacity, most, 1, error);
        if (status) return status;
        r->group_stamp[other] = r->near_count;
        d->near_[r->near_count++] = (sn_mg_near){other, {-1, -1, -1, -1, -1, -1, -1, -1}};
    }
    *near_ = &d->near_[r->group_stamp[other]];
    return SN_OK;
}

/* Notes that the rows of the group's parents in `rows` (bits) reach corner c of the near group. */
static void reach_corner(sn_mg_builder *b, reaching *r, int g, sn_mg_near *near_, int c, unsigned rows) {
    sn_mg_transfer *d = b->down;
    const int begin = d->group[g].column_begin, parent = d->group[near_->group].parent[c];
    if (parent < 0) return;
    if (r->column_stamp[parent] < begin) {
        r->column_stamp[parent] = r->column_count;
        d->column_parents[r->column_count] = 0;
        d->column[r->column_count++] = parent;
    }
    near_->column[c] = (int16_t)(r->column_stamp[parent] - begin);
    d->column_parents[r->column_stamp[parent]] |= (uint8_t)rows;
}

static unsigned parents_of(const sn_mg_transfer *d, int node) {
    unsigned bits = 0;
    for (int c = 0; c < 8; ++c) bits |= d->weight[node][c] != 0 ? 1u << c : 0;
    return bits;
}

static sn_status reach_of_group(sn_mg_builder *b, reaching *r, int g, sn_error *error) {
    sn_mg_transfer *d = b->down;
    const sn_mg_level *fine = b->fine;
    sn_mg_group *group = &d->group[g];
    sn_mg_near *near_;
    group->near_begin = r->near_count;
    group->column_begin = r->column_count;
    sn_status status = reach_group(b, r, g, g, &near_, error); /* the group itself comes first */
    for (int c = 0; c < 8 && d->cells && !status; ++c) reach_corner(b, r, g, near_, c, 255);
    for (int32_t m = group->node_begin; m < group->node_end; ++m) {
        const int i = d->member[m];
        for (int32_t k = fine->row_begin[i]; k < fine->row_begin[i + 1] && !status; ++k) {
            const int j = fine->column[k];
            d->near_of[k] = -1;
            if (d->cells && d->cells->edge_group[fine->source[k]] >= 0) continue;
            if ((status = reach_group(b, r, g, d->group_of[j], &near_, error))) break;
            d->near_of[k] = (int16_t)(near_ - d->near_ - group->near_begin);
            for (int c = 0; c < 8; ++c)
                if (d->weight[j][c] != 0) reach_corner(b, r, g, near_, c, parents_of(d, i));
        }
    }
    group->near_end = r->near_count;
    group->column_end = r->column_count;
    if (!status && group->column_end - group->column_begin > SN_MG_COLUMNS)
        status = sn_fail(error, SN_UNSUPPORTED,
                         "the mesh is graded too sharply for multigrid (%d coarse nodes meet in one cell)",
                         group->column_end - group->column_begin);
    return status;
}

/* For each group: the groups and the coarse nodes that its rows of A reach. For each fine block: the place of its
 * column's group in that list. */
static sn_status reach_columns(sn_mg_builder *b, sn_error *error) {
    sn_mg_transfer *d = b->down;
    d->near_of = sn_allocate(b->context, (size_t)b->fine->blocks, sizeof *d->near_of);
    reaching r = {.group_stamp = b->stamp,
                  .column_stamp = sn_allocate(b->context, (size_t)b->coarse_count, sizeof *r.column_stamp)};
    sn_status status = d->near_of && r.column_stamp ? SN_OK : sn_no_memory(error);
    if (!status) {
        for (int g = 0; g < d->group_count; ++g) r.group_stamp[g] = -1;
        for (int c = 0; c < b->coarse_count; ++c) r.column_stamp[c] = -1;
    }
    for (int g = 0; g < d->group_count && !status; ++g) status = reach_of_group(b, &r, g, error);
    sn_release(b->context, r.column_stamp);
    return status;
}

/* Makes the coarse graph from the groups, in the numbering that `number` gives, with ascending columns. */
static int by_index(const void *a, const void *b) {
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

static sn_status coarse_graph(sn_mg_builder *b, sn_error *error) {
    const sn_mg_transfer *d = b->down;
    sn_mg_level *coarse = b->coarse;
    const int n = coarse->nodes;
    coarse->row_begin = sn_allocate_zero(b->context, (size_t)n + 1, sizeof *coarse->row_begin);
    int32_t *begin = sn_allocate_zero(b->context, (size_t)n + 2, sizeof *begin), *list = NULL,
            *stamp = sn_allocate(b->context, (size_t)n, sizeof *stamp);
    int capacity = 0, count = 0;
    sn_status status = coarse->row_begin && begin && stamp ? SN_OK : sn_no_memory(error);
    if (!status) {
        for (int g = 0; g < d->group_count; ++g)
            for (int c = 0; c < 8; ++c)
                if (d->group[g].parent[c] >= 0) ++begin[d->group[g].parent[c] + 2];
        for (int i = 0; i < n; ++i) begin[i + 2] += begin[i + 1], stamp[i] = -1;
        list = sn_allocate(b->context, (size_t)begin[n + 1] + 1, sizeof *list);
        if (!list) status = sn_no_memory(error);
    }
    if (!status)
        for (int g = 0; g < d->group_count; ++g)
            for (int c = 0; c < 8; ++c)
                if (d->group[g].parent[c] >= 0) list[begin[d->group[g].parent[c] + 1]++] = g;
    for (int i = 0; i < n && !status; ++i) {
        coarse->row_begin[i] = count;
        for (int32_t k = begin[i]; k < begin[i + 1] && !status; ++k) {
            const sn_mg_group *group = &d->group[list[k]];
            int own = 0;
            while (group->parent[own] != i) ++own;
            status = sn_grow(b->context, (void **)&coarse->column, &capacity,
                             count + group->column_end - group->column_begin, sizeof *coarse->column, error);
            for (int32_t c = group->column_begin; c < group->column_end && !status; ++c) {
                if (stamp[d->column[c]] == i || !(d->column_parents[c] >> own & 1)) continue;
                stamp[d->column[c]] = i;
                coarse->column[count++] = d->column[c];
            }
        }
        if (!status)
            qsort(coarse->column + coarse->row_begin[i], (size_t)(count - coarse->row_begin[i]), sizeof *coarse->column,
                  by_index);
    }
    if (!status) coarse->row_begin[n] = count, coarse->blocks = count;
    sn_release(b->context, begin);
    sn_release(b->context, list);
    sn_release(b->context, stamp);
    return status;
}

/* Reorders a level. order: new row -> old row. */
static sn_status permute(sn_mg_builder *b, const int32_t *order, sn_error *error) {
    sn_mg_level *coarse = b->coarse;
    const int n = coarse->nodes;
    int32_t *begin = sn_allocate(b->context, (size_t)n + 1, sizeof *begin),
            *column = sn_allocate(b->context, (size_t)coarse->blocks, sizeof *column);
    double *position = sn_allocate(b->context, (size_t)n * 3, sizeof *position),
           *reach = sn_allocate(b->context, (size_t)n, sizeof *reach);
    coarse->diagonal = sn_allocate(b->context, (size_t)n, sizeof *coarse->diagonal);
    if (!begin || !column || !position || !reach || !coarse->diagonal) {
        sn_release(b->context, begin);
        sn_release(b->context, column);
        sn_release(b->context, position);
        sn_release(b->context, reach);
        return sn_no_memory(error);
    }
    for (int i = 0; i < n; ++i) b->renumber[order[i]] = i;
    int32_t count = 0;
    for (int i = 0; i < n; ++i) {
        const int old = order[i];
        begin[i] = count;
        for (int32_t k = coarse->row_begin[old]; k < coarse->row_begin[old + 1]; ++k)
            column[count++] = b->renumber[coarse->column[k]];
        qsort(column + begin[i], (size_t)(count - begin[i]), sizeof *column, by_index);
        for (int32_t k = begin[i]; k < count; ++k)
            if (column[k] == i) coarse->diagonal[i] = k;
        memcpy(position + 3 * i, coarse->position + 3 * old, 3 * sizeof *position);
        reach[i] = coarse->reach[old];
    }
    begin[n] = count;
    sn_release(b->context, coarse->row_begin);
    sn_release(b->context, coarse->column);
    sn_release(b->context, coarse->position);
    sn_release(b->context, coarse->reach);
    coarse->row_begin = begin, coarse->column = column, coarse->position = position, coarse->reach = reach;
    sn_mg_transfer *d = b->down;
    for (int g = 0; g < d->group_count; ++g) {
        for (int c = 0; c < 8; ++c)
            if (d->group[g].parent[c] >= 0) d->group[g].parent[c] = b->renumber[d->group[g].parent[c]];
        for (int32_t c = d->group[g].column_begin; c < d->group[g].column_end; ++c)
            d->column[c] = b->renumber[d->column[c]];
    }
    return SN_OK;
}

sn_status sn_mg_build_graph(sn_mg_builder *b, sn_error *error) {
    sn_status status = reach_columns(b, error);
    if (!status) status = coarse_graph(b, error);
    if (status) return status;
    b->renumber = sn_allocate(b->context, (size_t)b->coarse_count * 2, sizeof *b->renumber);
    if (!b->renumber) return sn_no_memory(error);
    int32_t *order = b->renumber + b->coarse_count;
    if ((status = sn_mg_order_slices(b->context, b->coarse, order, &b->coarse->slices, error))) return status;
    if (!b->coarse->slices && (status = sn_mg_order_rows(b->context, b->coarse, order, error))) return status;
    return permute(b, order, error);
}
