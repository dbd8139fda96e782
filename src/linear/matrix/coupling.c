/* See coupling.h. The blocks are sorted by two stable counting sorts, first by columns, then by rows. */
#include "coupling.h"

#include <math.h>
#include <string.h>

#include "kernels.h"

void sn_coupling_release(sn_context *context, sn_coupling *c) {
    void *memory[] = {c->row, c->begin, c->column, c->mirror, c->value, c->entry[0], c->entry[1], c->counter};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) sn_release(context, memory[i]);
    *c = (sn_coupling){0};
}

/* ---- Building ---- */
/* The most entries that a list makes. */
static int room_for(const sn_block_list *list, double factor) { return list && factor != 0 ? 2 * list->count : 0; }

/* Appends the listed blocks without a place, and their mirrors, to the entries. Returns how many these are. Contacts
 * list a block and its mirror one behind the other. */
static int visit(const sn_pattern *pattern, const sn_block_list *list, const int32_t *place, double factor,
                 sn_coupled *entry) {
    int count = 0;
    for (int i = 0; list && factor != 0 && i < list->count; ++i) {
        if ((place ? place[i] : sn_pattern_find(pattern, list->row[i], list->column[i])) >= 0) continue;
        const bool pair = i + 1 < list->count && list->row[i] == list->column[i + 1] &&
                          list->column[i] == list->row[i + 1] && list->row[i] != list->column[i];
        entry[count] = (sn_coupled){list->row[i], list->column[i], list->value + 9 * (int64_t)i, factor};
        entry[count + 1] = (sn_coupled){list->column[i], list->row[i], NULL, 0};
        if (pair) ++i, entry[count + 1].value = list->value + 9 * (int64_t)i, entry[count + 1].factor = factor;
        count += 2;
    }
    return count;
}

/* Sorts the entries by their column or row into the other array. Entries with the same key keep their order. */
static void sort(sn_coupling *c, int nodes, int count, bool by_row, const sn_coupled *from, sn_coupled *to) {
    memset(c->counter, 0, ((size_t)nodes + 1) * sizeof *c->counter);
    for (int i = 0; i < count; ++i) ++c->counter[(by_row ? from[i].row : from[i].column) + 1];
    for (int i = 0; i < nodes; ++i) c->counter[i + 1] += c->counter[i];
    for (int i = 0; i < count; ++i) to[c->counter[by_row ? from[i].row : from[i].column]++] = from[i];
}

static sn_status reserve(const sn_context *context, int nodes, int count, sn_coupling *c, sn_error *error) {
    sn_status status = sn_grow(context, (void **)&c->counter, &c->counters, nodes + 1, sizeof *c->counter, error);
    if (!status) status = sn_grow(context, (void **)&c->entry[1], &c->entries[1], count, sizeof *c->entry[1], error);
    if (!status) status = sn_grow(context, (void **)&c->row, &c->rows, count, sizeof *c->row, error);
    if (!status) status = sn_grow(context, (void **)&c->begin, &c->begins, count + 1, sizeof *c->begin, error);
    if (!status) status = sn_grow(context, (void **)&c->column, &c->columns, count, sizeof *c->column, error);
    if (!status) status = sn_grow(context, (void **)&c->mirror, &c->mirrors, count, sizeof *c->mirror, error);
    if (!status) status = sn_grow(context, (void **)&c->value, &c->values, count + 1, 9 * sizeof *c->value, error);
    return status;
}

/* Makes the rows from the sorted entries, and adds up entries of the same block. */
static void gather(sn_coupling *c, int count, const sn_coupled *entry) {
    for (int i = 0; i < count; ++i) {
        const bool new_row = i == 0 || entry[i].row != entry[i - 1].row;
        if (new_row) {
            c->row[c->row_count] = entry[i].row;
            c->begin[c->row_count++] = c->block_count;
        }
        if (new_row || entry[i].column != entry[i - 1].column) {
            memset(c->value + 9 * (int64_t)c->block_count, 0, 9 * sizeof *c->value);
            c->column[c->block_count++] = entry[i].column;
        }
        double *value = c->value + 9 * (int64_t)(c->block_count - 1);
        for (int k = 0; k < 9 && entry[i].value; ++k) value[k] += entry[i].factor * entry[i].value[k];
    }
    c->begin[c->row_count] = c->block_count;
}

/* Blocks in the order of (column, row) are the mirrors of blocks in the order of (row, column). */
static void fill_mirror(sn_coupling *c, int nodes) {
    memset(c->counter, 0, ((size_t)nodes + 1) * sizeof *c->counter);
    for (int r = 0; r < c->row_count; ++r) c->counter[c->row[r]] = c->begin[r];
    for (int r = 0; r < c->row_count; ++r)
        for (int b = c->begin[r]; b < c->begin[r + 1]; ++b) c->mirror[b] = c->counter[c->column[b]]++;
}

sn_status sn_coupling_build(const sn_context *context, const sn_pattern *pattern, const sn_block_list *stiffness,
                            double k, const sn_block_list *damping, double d, const int32_t *place, sn_coupling *c,
                            sn_error *error) {
    c->row_count = c->block_count = 0;
    const int stiff = room_for(stiffness, k), most = stiff + room_for(damping, d);
    if (!most) return SN_OK;
    sn_status status = sn_grow(context, (void **)&c->entry[0], &c->entries[0], most, sizeof *c->entry[0], error);
    if (status) return status;
    const int first = visit(pattern, stiffness, place, k, c->entry[0]),
              count = first + visit(pattern, damping, place ? place + stiff / 2 : NULL, d, c->entry[0] + first);
    if (!count) return SN_OK;
    status = reserve(context, pattern->nodes, count, c, error);
    if (status) return status;
    sort(c, pattern->nodes, count, false, c->entry[0], c->entry[1]);
    sort(c, pattern->nodes, count, true, c->entry[1], c->entry[0]);
    gather(c, count, c->entry[0]);
    fill_mirror(c, pattern->nodes);
    return SN_OK;
}

/* ---- Symmetry ---- */
static int turned(int k) { return 3 * (k % 3) + k / 3; }

bool sn_coupling_symmetric(const sn_coupling *c, double slack) {
    for (int b = 0; b < c->block_count; ++b) {
        const double *there = c->value + 9 * (int64_t)b, *back = c->value + 9 * (int64_t)c->mirror[b];
        double size = 0, gap = 0;
        bool equal = true;              /* most are, to the last bit */
        if (c->mirror[b] < b) continue; /* looked at from the other side */
        for (int k = 0; k < 9; ++k) equal = equal & (there[k] == back[turned(k)]);
        if (equal) continue;
        for (int k = 0; k < 9; ++k) {
            const double one = fabs(there[k]), other = fabs(back[turned(k)]), apart = fabs(there[k] - back[turned(k)]);
            const double most = one > other ? one : other;
            size = most > size ? most : size; /* no fmax: it is a call, and this runs for every contact */
            gap = apart > gap ? apart : gap;
        }
        if (gap > slack * size) return false;
    }
    return true;
}

void sn_coupling_symmetrise(sn_coupling *c) {
    for (int b = 0; b < c->block_count; ++b)
        for (int k = 0; k < 9 && c->mirror[b] > b; ++k) {
            double *there = c->value + 9 * (int64_t)b + k, *back = c->value + 9 * (int64_t)c->mirror[b] + turned(k);
            *there = *back = 0.5 * (*there + *back);
        }
}

/* ---- Products ---- */
int sn_coupling_row(const sn_coupling *c, int32_t node) {
    int low = 0, high = c->row_count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (c->row[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sn_coupling_product(const sn_context *context, const sn_coupling *c, const double *x, double *y, int begin,
                         int end) {
    if (!c || !c->row_count) return;
    sn_linear_kernels_for(context)->add_rows(sn_coupling_row(c, begin), sn_coupling_row(c, end), c->row, c->begin,
                                             c->column, c->value, x, y);
}

void sn_coupling_product_transpose(const sn_coupling *c, const double *x, double *y, int begin, int end) {
    if (!c || !c->row_count) return;
    for (int r = sn_coupling_row(c, begin); r < c->row_count && c->row[r] < end; ++r) {
        double sum[3] = {0};
        for (int b = c->begin[r]; b < c->begin[r + 1]; ++b) {
            const double *V = c->value + 9 * (int64_t)c->mirror[b], *u = x + 3 * (int64_t)c->column[b];
            for (int i = 0; i < 3; ++i) sum[i] += V[3 * i] * u[0] + V[3 * i + 1] * u[1] + V[3 * i + 2] * u[2];
        }
        for (int i = 0; i < 3; ++i) y[3 * (int64_t)c->row[r] + i] += sum[i];
    }
}
