/* See scalar.h. */
#include "scalar.h"

#include <stdlib.h>
#include <string.h>

void sn_scalar_release(sn_context *context, sn_scalar *s) {
    void *const array[] = {s->begin, s->column, s->value, s->diagonal, s->place, s->added, s->stiffness, s->damping};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    *s = (sn_scalar){0};
}

/* Calls `visit` for each lane of the batches with tension. `lane` counts them. */
#define EACH_EDGE(elements, batch, at, lane)                                                                           \
    for (int b_ = 0, lane = 0; b_ < (elements)->batch_count; ++b_)                                                     \
        for (const sn_batch *batch = &(elements)->batch[b_]; batch && batch->kernels->tension; batch = NULL)           \
            for (int at = 0; at < batch->block_count * SN_LANES; ++at, ++lane)

static int32_t end_of(const sn_batch *batch, int at, int i) {
    return batch->node[((int64_t)(at / SN_LANES) * 2 + i) * SN_LANES + at % SN_LANES];
}

static int compare(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Counts the neighbours with repetitions; fills begin so that row i may have begin[i + 1] - begin[i] entries. */
static int64_t count_rows(const sn_elements_model *elements, sn_scalar *s, int *lanes) {
    *lanes = 0;
    EACH_EDGE(elements, batch, at, lane) {
        *lanes = lane + 1;
        for (int i = 0; i < 2 && batch->element_of[at] >= 0; ++i) ++s->begin[end_of(batch, at, i) + 1];
    }
    for (int i = 0; i < s->nodes; ++i) s->begin[i + 1] += s->begin[i];
    return s->begin[s->nodes];
}

/* Lists, sorts and joins the neighbours of each row. */
static void list_rows(const sn_elements_model *elements, int32_t *next, sn_scalar *s) {
    memcpy(next, s->begin, (size_t)s->nodes * sizeof *next);
    EACH_EDGE(elements, batch, at, lane) {
        (void)lane;
        for (int i = 0; i < 2 && batch->element_of[at] >= 0; ++i)
            s->column[next[end_of(batch, at, i)]++] = end_of(batch, at, 1 - i);
    }
    int32_t count = 0;
    for (int i = 0; i < s->nodes; ++i) {
        const int32_t first = s->begin[i], end = next[i];
        qsort(s->column + first, (size_t)(end - first), sizeof *s->column, compare);
        s->begin[i] = count;
        for (int32_t e = first; e < end; ++e)
            if (e == first || s->column[e] != s->column[e - 1]) s->column[count++] = s->column[e];
    }
    s->begin[s->nodes] = count;
}

static int32_t find(const sn_scalar *s, int32_t row, int32_t column) {
    for (int32_t e = s->begin[row]; e < s->begin[row + 1]; ++e)
        if (s->column[e] == column) return e;
    return -1;
}

sn_status sn_scalar_create(sn_context *context, const sn_elements_model *elements, sn_scalar *s, sn_error *error) {
    if (s->begin) return SN_OK;
    const size_t nodes = (size_t)elements->node_count;
    int lanes = 0;
    s->nodes = elements->node_count;
    s->begin = sn_allocate_zero(context, nodes + 1, sizeof *s->begin);
    const size_t entries = s->begin ? (size_t)count_rows(elements, s, &lanes) : 0;
    s->column = sn_allocate(context, entries + 1, sizeof *s->column);
    s->value = sn_allocate(context, entries + 1, sizeof *s->value);
    s->diagonal = sn_allocate(context, nodes, sizeof *s->diagonal);
    s->place = sn_allocate(context, 2 * (size_t)lanes + 1, sizeof *s->place);
    s->added = sn_allocate_zero(context, nodes, sizeof *s->added);
    s->stiffness = sn_allocate(context, entries + nodes + 1, sizeof *s->stiffness);
    s->damping = sn_allocate(context, entries + nodes + 1, sizeof *s->damping);
    s->taken = -1;
    int32_t *next = sn_allocate(context, nodes, sizeof *next);
    const bool all =
        s->begin && s->column && s->value && s->diagonal && s->place && s->added && s->stiffness && s->damping && next;
    if (all) list_rows(elements, next, s);
    sn_release(context, next);
    if (!all) {
        sn_scalar_release(context, s);
        return sn_no_memory(error);
    }
    EACH_EDGE(elements, batch, at, lane) {
        for (int i = 0; i < 2; ++i)
            s->place[2 * lane + i] =
                batch->element_of[at] < 0 ? -1 : find(s, end_of(batch, at, i), end_of(batch, at, 1 - i));
    }
    return SN_OK;
}

void sn_scalar_take(const sn_elements_model *elements, const sn_element_settings *settings, sn_scalar *s) {
    if (s->taken == settings->revision) return;
    const size_t entries = (size_t)s->begin[s->nodes], all = entries + (size_t)s->nodes;
    s->taken = settings->revision, s->valid = false;
    for (int part = 0; part < 2; ++part) {
        double *out = part ? s->damping : s->stiffness, *diagonal = out + entries;
        _Alignas(64) double edge[SN_LANES];
        memset(out, 0, all * sizeof *out);
        EACH_EDGE(elements, batch, at, lane) {
            if (at % SN_LANES == 0) batch->kernels->tension(batch, at / SN_LANES, settings, !part, part, edge);
            for (int i = 0; i < 2 && s->place[2 * lane] >= 0; ++i) {
                out[s->place[2 * lane + i]] -= edge[at % SN_LANES];
                diagonal[end_of(batch, at, i)] += edge[at % SN_LANES];
            }
        }
    }
}

static double mass_at(const double *mass, const double *rayleigh, double m, double d, int i) {
    return (m + (rayleigh ? d * rayleigh[i] : 0)) * mass[i];
}

void sn_scalar_fill(const double *mass, const double *rayleigh, double m, double d, double k, sn_scalar *s) {
    if (s->valid && s->m == m && s->d == d && s->k == k) return;
    const int32_t entries = s->begin[s->nodes];
    s->valid = true, s->m = m, s->d = d, s->k = k, ++s->version;
    for (int32_t e = 0; e < entries; ++e) s->value[e] = k * s->stiffness[e] + d * s->damping[e];
    for (int i = 0; i < s->nodes; ++i)
        s->diagonal[i] =
            mass_at(mass, rayleigh, m, d, i) + (k * s->stiffness[entries + i] + d * s->damping[entries + i]);
}

void sn_scalar_product_of(const sn_scalar *s, const double *mass, const double *rayleigh, double m, double d, double k,
                          const double *x, double *y) {
    const int32_t entries = s->begin[s->nodes];
    for (int i = 0; i < s->nodes; ++i)
        for (int a = 0; a < 3; ++a) {
            double sum =
                (mass_at(mass, rayleigh, m, d, i) + (k * s->stiffness[entries + i] + d * s->damping[entries + i])) *
                x[3 * (int64_t)i + a];
            for (int32_t e = s->begin[i]; e < s->begin[i + 1]; ++e)
                sum += (k * s->stiffness[e] + d * s->damping[e]) * x[3 * (int64_t)s->column[e] + a];
            y[3 * (int64_t)i + a] = sum;
        }
}

void sn_scalar_note(const sn_block_list *stiffness, const sn_block_list *damping, sn_scalar *s) {
    const sn_block_list *const list[2] = {stiffness, damping};
    const double factor[2] = {s->k, s->d};
    bool any = false;
    for (int i = 0; i < s->nodes; ++i) any = any || s->added[i] != 0;
    if (!any && !(stiffness && stiffness->count) && !(damping && damping->count)) return;
    memset(s->added, 0, (size_t)s->nodes * sizeof *s->added);
    for (int n = 0; n < 2; ++n)
        for (int b = 0; list[n] && b < list[n]->count; ++b) {
            const double *V = list[n]->value + 9 * (int64_t)b;
            if (list[n]->row[b] == list[n]->column[b])
                s->added[list[n]->row[b]] += factor[n] * (V[0] + V[4] + V[8]) / 3;
        }
    ++s->version;
}

typedef struct product_work {
    const sn_scalar *s;
    const double *x;
    double *y;
} product_work;

static void product_piece(void *data, int piece) {
    const product_work *w = data;
    const sn_scalar *s = w->s;
    const int first = piece * SN_PIECE_NODES,
              end = first + SN_PIECE_NODES < s->nodes ? first + SN_PIECE_NODES : s->nodes;
    for (int i = first; i < end; ++i) {
        const double a = s->diagonal[i], *own = w->x + 3 * (int64_t)i;
        double sum[3] = {a * own[0], a * own[1], a * own[2]};
        for (int32_t e = s->begin[i]; e < s->begin[i + 1]; ++e) {
            const double v = s->value[e], *x = w->x + 3 * (int64_t)s->column[e];
            sum[0] += v * x[0], sum[1] += v * x[1], sum[2] += v * x[2];
        }
        memcpy(w->y + 3 * (int64_t)i, sum, sizeof sum);
    }
}

void sn_scalar_product(const sn_context *context, const sn_scalar *scalar, const double *x, double *y) {
    product_work w = {scalar, x, y};
    sn_parallel_pieces(context, sn_pieces(scalar->nodes, SN_PIECE_NODES), product_piece, &w);
}
