/* The Galerkin product A' = P^T A P of two levels, group by group. For each fine row, the blocks of A P are collected
 * in a small local row. This row is added, with the weights of the fine row, to a local matrix of 8 x columns. The
 * local matrix is then added to its places in A'.
 *
 * A local block is a vector of sixteen: nine numbers, and seven unused ones that belong to the next block. A block is
 * thus one load and one product. */
#include "slab.h"

/* row[columns] = sum over the blocks of row i of A times the weights of their columns' parents. Marks the columns that
 * it reaches in `met` and lists them in `list`. Returns their number. */
static int gather_row(const sn_mg_level *fine, const sn_mg_group *group, int i, v16 *row, uint8_t *met, int16_t *list) {
    const sn_mg_transfer *d = fine->down;
    int count = 0;
    for (int32_t k = fine->row_begin[i]; k < fine->row_begin[i + 1]; ++k) {
        if (d->near_of[k] < 0) continue;
        const sn_mg_near *near_ = &d->near_[group->near_begin + d->near_of[k]];
        const float *w = d->weight[fine->column[k]];
        const v16 a = *(const v16_loose *)(fine->value + 9 * (int64_t)(fine->source ? fine->source[k] : k));
        for (int c = 0; c < SN_MG_PARENTS; ++c) {
            const int at = near_->column[c];
            if (at < 0 || w[c] == 0) continue;
            if (!met[at]) {
                met[at] = 1;
                list[count++] = (int16_t)at;
                row[at] = a * all(w[c]);
            } else {
                row[at] += a * all(w[c]);
            }
        }
    }
    for (int c = 0; c < count; ++c) met[list[c]] = 0;
    return count;
}

/* Adds the matrix of the group's cell. */
static void add_cell(const sn_mg_transfer *d, int g, int columns, v16 *local) {
    static const int turned[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};
    const sn_mg_near *own = &d->near_[d->group[g].near_begin]; /* the group itself comes first */
    const v16 *sum = (const v16 *)(d->cells->sum + SN_MG_CELL * (int64_t)g);
    for (int p = 0; p < SN_MG_PARENTS; ++p)
        for (int q = p; q < SN_MG_PARENTS; ++q, ++sum) {
            if (own->column[p] < 0 || own->column[q] < 0) continue;
            local[p * columns + own->column[q]] += *sum;
            if (q == p) continue;
            float *back = (float *)&local[q * columns + own->column[p]];
            for (int e = 0; e < 9; ++e) back[turned[e]] += ((const float *)sum)[e];
        }
}

/* Adds a group's rows to the coarse matrix. target: 8 x columns places in the coarse matrix. */
void SN_ISA(sn_mg_galerkin)(const sn_mg_level *fine, const sn_mg_level *coarse, int g);
void SN_ISA(sn_mg_galerkin)(const sn_mg_level *fine, const sn_mg_level *coarse, int g) {
    const sn_mg_transfer *d = fine->down;
    const sn_mg_group *group = &d->group[g];
    const int32_t *target = d->target + d->target_begin[g];
    const int columns = group->column_end - group->column_begin;
    v16 local[SN_MG_PARENTS * columns], row[columns];
    uint8_t met[columns];
    int16_t list[columns];
    memset(local, 0, sizeof local);
    memset(met, 0, sizeof met);
    for (int32_t m = group->node_begin; m < group->node_end; ++m) {
        const int i = d->member[m];
        const int count = gather_row(fine, group, i, row, met, list);
        for (int c = 0; c < SN_MG_PARENTS; ++c) {
            const v16 w = all(d->weight[i][c]);
            v16 *out = local + c * columns;
            if (d->weight[i][c] == 0) continue;
            for (int k = 0; k < count; ++k) out[list[k]] += row[list[k]] * w;
        }
    }
    if (d->cells) add_cell(d, g, columns, local);
    for (int c = 0; c < SN_MG_PARENTS; ++c) {
        for (int k = 0; k < columns; ++k) {
            if (target[c * columns + k] < 0) continue;
            float *to = coarse->value + 9 * (int64_t)target[c * columns + k];
            const float *from = (const float *)&local[c * columns + k];
            for (int e = 0; e < 9; ++e) to[e] += from[e];
        }
    }
}
