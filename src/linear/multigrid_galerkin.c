/* The Galerkin product A' = P^T A P of two levels, group by group: for each fine row the blocks of A P gather in a small local row, which
 * is then added with the row's weights to a local 8 x columns matrix, and that goes to its places in A'. Groups of one colour share no
 * coarse row. */
#include <string.h>

#include "multigrid.h"

typedef float v4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float v4a __attribute__((vector_size(16), aligned(16), may_alias));

enum { BLOCK = 12 }; /* a local block: three columns padded to four */

typedef struct job {
    const sn_mg_level *fine;
    sn_mg_level *coarse;
    int first; /* of the colour, in color_group */
} job;

/* row[columns] = sum over the blocks of row i of A times the weights of their columns' parents. Marks the columns that it meets in `met`,
 * lists them in `list`, and returns how many. */
static int gather_row(const sn_mg_level *fine, const sn_mg_group *group, int i, float *row, uint8_t *met, int16_t *list) {
    const sn_mg_transfer *d = fine->down;
    int count = 0;
    for (int32_t k = fine->row_begin[i]; k < fine->row_begin[i + 1]; ++k) {
        const sn_mg_near *near_ = &d->near_[group->near_begin + d->near_of[k]];
        const float *w = d->weight[fine->column[k]], *a = fine->value + 9 * (int64_t)k;
        const v4a a0 = *(const v4 *)a, a1 = *(const v4 *)(a + 3), a2 = *(const v4 *)(a + 6);
        for (int c = 0; c < SN_MG_PARENTS; ++c) {
            const int at = near_->column[c];
            if (at < 0 || w[c] == 0) continue;
            v4a *block = (v4a *)(row + BLOCK * at);
            const v4a s = {w[c], w[c], w[c], w[c]};
            if (!met[at]) {
                met[at] = 1;
                list[count++] = (int16_t)at;
                block[0] = a0 * s, block[1] = a1 * s, block[2] = a2 * s;
            } else {
                block[0] += a0 * s, block[1] += a1 * s, block[2] += a2 * s;
            }
        }
    }
    for (int c = 0; c < count; ++c) met[list[c]] = 0;
    return count;
}

static void multiply_group(const job *job, const sn_mg_group *group, const int32_t *target) {
    const sn_mg_transfer *d = job->fine->down;
    const int columns = group->column_end - group->column_begin;
    float local[SN_MG_PARENTS * columns * BLOCK] __attribute__((aligned(16)));
    float row[columns * BLOCK] __attribute__((aligned(16)));
    uint8_t met[columns];
    int16_t list[columns];
    memset(local, 0, sizeof local);
    memset(met, 0, sizeof met);
    for (int32_t m = group->node_begin; m < group->node_end; ++m) {
        const int i = d->member[m];
        const int count = gather_row(job->fine, group, i, row, met, list);
        for (int c = 0; c < SN_MG_PARENTS; ++c) {
            const float w = d->weight[i][c];
            if (w == 0) continue;
            const v4a s = {w, w, w, w};
            float *out = local + (int64_t)c * columns * BLOCK;
            for (int k = 0; k < count; ++k) {
                v4a *to = (v4a *)(out + BLOCK * list[k]);
                const v4a *from = (const v4a *)(row + BLOCK * list[k]);
                to[0] += from[0] * s, to[1] += from[1] * s, to[2] += from[2] * s;
            }
        }
    }
    for (int c = 0; c < SN_MG_PARENTS; ++c) {
        if (group->parent[c] < 0) continue;
        for (int k = 0; k < columns; ++k) {
            float *to = job->coarse->value + 9 * (int64_t)target[c * columns + k];
            const float *from = local + ((int64_t)c * columns + k) * BLOCK;
            for (int a = 0; a < 3; ++a)
                for (int e = 0; e < 3; ++e) to[3 * a + e] += from[4 * a + e];
        }
    }
}

static void multiply(void *data, int index) {
    const job *job = data;
    const sn_mg_transfer *d = job->fine->down;
    const int g = d->color_group[job->first + index];
    multiply_group(job, &d->group[g], d->target + d->target_begin[g]);
}

void sn_mg_galerkin(const sn_context *context, const sn_mg_level *fine, sn_mg_level *coarse) {
    memset(coarse->value, 0, sizeof *coarse->value * (size_t)(9 * coarse->blocks + 8));
    const sn_mg_transfer *d = fine->down;
    for (int c = 0; c < d->color_count; ++c) {
        job job = {fine, coarse, d->color_begin[c]};
        sn_parallel(context, d->color_begin[c + 1] - d->color_begin[c], multiply, &job);
    }
}
