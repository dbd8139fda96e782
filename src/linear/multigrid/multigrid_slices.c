/* The scaled matrix of a level in slabs of sixteen blocks. The rows of the mesh are many and short: they go into slices
 * of sixteen rows that do not touch, for sweeps with one row per lane. The rows of the coarse levels are long: each is
 * cut into slabs by itself.
 *
 * Nodes are coloured greedily in mesh order, and rows are sorted by colour. Inside a colour, windows follow the mesh.
 * Inside a window, rows are sorted by the number of their neighbours before and after them, so that the rows of a slice
 * have nearly equal numbers of blocks.
 *
 * A slice keeps the blocks left of the diagonal, then those right of it, as slabs: one block of each row side by side.
 * Shorter rows are padded with zeros that point to a node behind the last one, which is zero. All slabs left of the
 * diagonal come first, then all right of it, so sweeps read memory in one or two streams. Threads may share the slices
 * of a colour in any way without an effect on the result. */
#include <stdlib.h>
#include <string.h>

#include "multigrid.h"

/* FULL: least mean number of slices per colour. WINDOW: rows that are sorted by length together. */
enum { COLORS = 64, FULL = 4, WINDOW = 128 };

extern const sn_mg_slice_kernels sn_mg_slice_kernels_baseline, sn_mg_slice_kernels_avx2, sn_mg_slice_kernels_avx512;

const sn_mg_slice_kernels *sn_mg_slice_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_mg_slice_kernels);
}

typedef struct row_key {
    int32_t color, window, lower, upper, node;
} row_key;

static int by_key(const void *a, const void *b) {
    const row_key *x = a, *y = b;
    if (x->color != y->color) return x->color < y->color ? -1 : 1;
    if (x->window != y->window) return x->window < y->window ? -1 : 1;
    if (x->lower != y->lower) return x->lower < y->lower ? -1 : 1;
    if (x->upper != y->upper) return x->upper < y->upper ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Colours the nodes greedily in mesh order. Returns the number of colours, or 0 when there are too many. */
static int color_nodes(const sn_mg_level *level, row_key *key) {
    int count = 0, size[COLORS] = {0};
    for (int i = 0; i < level->nodes; ++i) {
        uint64_t used = 0;
        for (int32_t k = level->row_begin[i]; k < level->row_begin[i + 1]; ++k)
            if (level->column[k] < i) used |= (uint64_t)1 << key[level->column[k]].color;
        int c = 0;
        while (c < COLORS && (used >> c & 1)) ++c;
        if (c == COLORS) return 0;
        key[i] = (row_key){.color = c, .window = size[c]++ / WINDOW, .node = i};
        if (c + 1 > count) count = c + 1;
    }
    for (int i = 0; i < level->nodes; ++i)
        for (int32_t k = level->row_begin[i]; k < level->row_begin[i + 1]; ++k) {
            const int other = key[level->column[k]].color;
            if (other < key[i].color) ++key[i].lower;
            if (other > key[i].color) ++key[i].upper;
        }
    return count;
}

void sn_mg_release_slices(sn_context *context, sn_mg_slices *s) {
    if (!s) return;
    void *const array[] = {s->color_begin, s->row, s->begin, s->slab, s->source, s->inverse, s->slice_of};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    sn_release(context, s);
}

/* Cuts the coloured rows into slices. */
static sn_status cut(sn_context *context, const row_key *key, int nodes, int colors, sn_mg_slices *s, sn_error *error) {
    const int most = nodes / SN_MG_SLICE + colors + 1;
    s->color_count = colors;
    s->color_begin = sn_allocate(context, (size_t)colors + 1, sizeof *s->color_begin);
    s->row = sn_allocate(context, (size_t)most + 1, sizeof *s->row);
    if (!s->color_begin || !s->row) return sn_no_memory(error);
    int color = -1;
    for (int i = 0, begin = 0; i < nodes; ++i) {
        if (key[i].color != color || i == begin + SN_MG_SLICE) {
            while (color < key[i].color) s->color_begin[++color] = s->count;
            s->row[s->count++] = begin = i;
        }
    }
    s->color_begin[colors] = s->count;
    s->row[s->count] = nodes;
    return SN_OK;
}

/* Whether the slices, including their padding, hold at most twice the blocks of the level. */
static bool well_filled(const sn_mg_level *level, const row_key *key, const sn_mg_slices *s) {
    int64_t slabs = 0;
    for (int i = 0; i < s->count; ++i) {
        int lower = 0, upper = 0;
        for (int row = s->row[i]; row < s->row[i + 1]; ++row) {
            lower = key[row].lower > lower ? key[row].lower : lower;
            upper = key[row].upper > upper ? key[row].upper : upper;
        }
        slabs += lower + upper;
    }
    return slabs * SN_MG_SLICE <= 2 * (int64_t)level->row_begin[level->nodes];
}

sn_status sn_mg_order_slices(sn_context *context, const sn_mg_level *level, int32_t *order, sn_mg_slices **out,
                             sn_error *error) {
    *out = NULL;
    row_key *key = sn_allocate(context, (size_t)level->nodes, sizeof *key);
    if (!key) return sn_no_memory(error);
    const int colors = color_nodes(level, key);
    sn_status status = SN_OK;
    if (colors > 0 && level->nodes >= FULL * SN_MG_SLICE * colors) {
        qsort(key, (size_t)level->nodes, sizeof *key, by_key);
        for (int i = 0; i < level->nodes; ++i) order[i] = key[i].node;
        sn_mg_slices *s = sn_allocate_zero(context, 1, sizeof *s);
        status = s ? cut(context, key, level->nodes, colors, s, error) : sn_no_memory(error);
        if (status || !well_filled(level, key, s))
            sn_mg_release_slices(context, s);
        else
            *out = s;
    }
    sn_release(context, key);
    return status;
}

/* The blocks of a row left or right of the diagonal. */
static int32_t part_begin(const sn_mg_level *level, int row, bool right) {
    return right ? level->diagonal[row] + 1 : level->row_begin[row];
}
static int32_t part_end(const sn_mg_level *level, int row, bool right) {
    return right ? level->row_begin[row + 1] : level->diagonal[row];
}

/* The number of slabs that part i of the slices or rows needs. */
static int slabs_of(const sn_mg_level *level, int i) {
    const sn_mg_slices *s = level->slices;
    const bool right = i >= s->count;
    i -= right ? s->count : 0;
    if (!s->row) return (part_end(level, i, right) - part_begin(level, i, right) + SN_MG_SLICE - 1) / SN_MG_SLICE;
    int most = 0;
    for (int row = s->row[i]; row < s->row[i + 1]; ++row) {
        const int length = part_end(level, row, right) - part_begin(level, row, right);
        most = length > most ? length : most;
    }
    return most;
}

/* The block in lane l of the k-th slab of part i; -1 when there is none. */
static int32_t block_at(const sn_mg_level *level, int i, int k, int l) {
    const sn_mg_slices *s = level->slices;
    const bool right = i >= s->count;
    i -= right ? s->count : 0;
    const int row = s->row ? s->row[i] + l : i;
    if (s->row && row >= s->row[i + 1]) return -1;
    const int32_t block = part_begin(level, row, right) + (s->row ? k : SN_MG_SLICE * k + l);
    return block < part_end(level, row, right) ? block : -1;
}

sn_status sn_mg_fill_slices(sn_context *context, sn_mg_level *level, sn_error *error) {
    if (!level->slices) {
        level->slices = sn_allocate_zero(context, 1, sizeof *level->slices);
        if (!level->slices) return sn_no_memory(error);
        level->slices->count = level->nodes;
    }
    sn_mg_slices *s = level->slices;
    s->begin = sn_allocate(context, 2 * (size_t)s->count + 1, sizeof *s->begin);
    s->inverse = sn_allocate_zero(context, s->row ? (size_t)s->count * 6 * SN_MG_SLICE : 1, sizeof *s->inverse);
    s->slice_of = sn_allocate(context, (size_t)level->nodes, sizeof *s->slice_of);
    if (!s->begin || !s->inverse || !s->slice_of) return sn_no_memory(error);
    for (int i = 0; i < s->count && s->row; ++i)
        for (int row = s->row[i]; row < s->row[i + 1]; ++row) s->slice_of[row] = i;
    int32_t slabs = 0;
    for (int i = 0; i < 2 * s->count; ++i) {
        s->begin[i] = slabs;
        slabs += slabs_of(level, i);
    }
    s->begin[2 * s->count] = slabs;
    s->slab = sn_allocate_zero(context, (size_t)slabs, sizeof *s->slab);
    s->source = sn_allocate(context, (size_t)slabs * SN_MG_SLICE, sizeof *s->source);
    if (!s->slab || !s->source) return sn_no_memory(error);
    for (int i = 0; i < 2 * s->count; ++i)
        for (int k = s->begin[i]; k < s->begin[i + 1]; ++k)
            for (int l = 0; l < SN_MG_SLICE; ++l) {
                const int32_t block = block_at(level, i, k - s->begin[i], l);
                s->slab[k].column[l] = block >= 0 ? level->column[block] : level->nodes;
                s->source[SN_MG_SLICE * (int64_t)k + l] = block >= 0 && level->source ? level->source[block] : block;
            }
    return SN_OK;
}

void sn_mg_slice_inverse(sn_mg_slices *s, int row, const float *inverse) {
    static const int entry[6] = {0, 5, 10, 1, 6, 2};
    const int32_t slice = s->slice_of[row];
    float *to = s->inverse + 6 * (int64_t)SN_MG_SLICE * slice + (row - s->row[slice]);
    for (int e = 0; e < 6; ++e) to[SN_MG_SLICE * e] = inverse[entry[e]];
}
