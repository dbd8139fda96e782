/* Points that nodes carry; see carried.h. */
#include "carried.h"

#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t key_of(const sn_carried *c, int32_t k, int32_t l) { return (int64_t)c->node[k] << 32 | c->node[l]; }

/* The pairs of nodes of all points, each once, ascending. */
static sn_status collect(sn_context *context, sn_carried *c, int64_t *key, sn_error *error) {
    int64_t total = 0, count = 0;
    for (int i = 0; i < c->count; ++i)
        for (int32_t k = c->first[i]; k < c->first[i + 1]; ++k)
            for (int32_t l = c->first[i]; l < c->first[i + 1]; ++l) key[total++] = key_of(c, k, l);
    qsort(key, (size_t)total, sizeof *key, by_key);
    for (int64_t i = 0; i < total; ++i)
        if (i == 0 || key[i] != key[i - 1]) key[count++] = key[i];
    c->pair_count = (int)count;
    c->row = sn_allocate(context, (size_t)count, sizeof *c->row);
    c->column = sn_allocate(context, (size_t)count, sizeof *c->column);
    c->slot = sn_allocate(context, (size_t)count, sizeof *c->slot);
    if (!c->row || !c->column || !c->slot) return sn_no_memory(error);
    for (int64_t i = 0; i < count; ++i)
        c->row[i] = (int32_t)(key[i] >> 32), c->column[i] = (int32_t)(key[i] & 0xffffffff);
    return SN_OK;
}

sn_status sn_carried_pair(sn_context *context, sn_carried *c, sn_error *error) {
    c->square = sn_allocate_zero(context, (size_t)c->count + 1, sizeof *c->square);
    if (!c->square) return sn_no_memory(error);
    for (int i = 0; i < c->count; ++i) {
        const int64_t n = c->first[i + 1] - c->first[i];
        c->square[i + 1] = c->square[i] + n * n;
    }
    const size_t total = (size_t)c->square[c->count];
    int64_t *key = sn_allocate(context, total, sizeof *key);
    c->pair = sn_allocate(context, total, sizeof *c->pair);
    sn_status status = key && c->pair ? collect(context, c, key, error) : sn_no_memory(error);
    int64_t at = 0;
    for (int i = 0; i < c->count && !status; ++i)
        for (int32_t k = c->first[i]; k < c->first[i + 1]; ++k)
            for (int32_t l = c->first[i]; l < c->first[i + 1]; ++l) {
                const int64_t wanted = key_of(c, k, l);
                const int64_t *found = bsearch(&wanted, key, (size_t)c->pair_count, sizeof *key, by_key);
                c->pair[at++] = (int32_t)(found - key);
            }
    sn_release(context, key);
    return status;
}

void sn_carried_release(sn_context *context, sn_carried *c) {
    void *const array[] = {c->first, c->node, c->weight, c->square, c->pair, c->row, c->column, c->slot};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    *c = (sn_carried){0};
}

void sn_carried_begin(const sn_carried *c) {
    if (c->pair_count > 0) memset(c->slot, -1, (size_t)c->pair_count * sizeof *c->slot);
}

int sn_carried_blocks(const sn_carried *c, int point, const double K[9], const double D[9], int count, int32_t *row,
                      int32_t *column, double *to_K, double *to_D) {
    const int32_t first = c->first[point], end = c->first[point + 1];
    int64_t at = c->square[point];
    for (int32_t k = first; k < end; ++k)
        for (int32_t l = first; l < end; ++l, ++at) {
            const int32_t pair = c->pair[at];
            if (c->slot[pair] < 0) {
                c->slot[pair] = count;
                row[count] = c->row[pair], column[count] = c->column[pair];
                memset(to_K + 9 * (size_t)count, 0, 9 * sizeof *to_K);
                memset(to_D + 9 * (size_t)count, 0, 9 * sizeof *to_D);
                ++count;
            }
            const double both = c->weight[k] * c->weight[l];
            double *own_K = to_K + 9 * (size_t)c->slot[pair], *own_D = to_D + 9 * (size_t)c->slot[pair];
            for (int i = 0; i < 9; ++i) own_K[i] += both * K[i], own_D[i] += both * D[i];
        }
    return count;
}
