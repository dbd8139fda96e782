/* Chunks by recursive bisection: a set of more than one chunk is cut across the longest side of the box of its centres,
 * so that either side makes whole chunks. Compact chunks have few neighbours, so they need few colours, and few nodes
 * for the elements in them.
 *
 * Colours are given greedily in the order of the chunks, each chunk the permitted colour with the fewest chunks so far.
 */
#include "chunk.h"

#include <stdlib.h>
#include <string.h>

int64_t sn_chunk_size(const sn_element *element, int64_t elements) {
    const int64_t most = element->nodes <= 4 ? 256 : element->points <= 4 ? 64 : 32;
    const int64_t share = (elements / 16 + SN_LANES - 1) / SN_LANES * SN_LANES;
    return share > most ? most : share < 2 * SN_LANES ? 2 * SN_LANES : share;
}

/* ---- Bisection ---- */
/* A total order along an axis: the result of a selection is one set, whatever the algorithm. */
static int before(const sn_batch_item *a, const sn_batch_item *b, int axis) {
    if (a->center[axis] < b->center[axis]) return 1;
    if (a->center[axis] > b->center[axis]) return 0;
    if (a->source != b->source) return a->source < b->source;
    return a->element < b->element;
}

static void swap(sn_batch_item *a, sn_batch_item *b) {
    const sn_batch_item keep = *a;
    *a = *b;
    *b = keep;
}

/* Brings the `first` smallest items along the axis to the front. */
static void select_first(sn_batch_item *item, int64_t count, int64_t first, int axis) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        swap(&item[low + (high - low) / 2], &item[high]);
        int64_t edge = low;
        for (int64_t i = low; i < high; ++i)
            if (before(&item[i], &item[high], axis)) swap(&item[i], &item[edge++]);
        swap(&item[edge], &item[high]);
        if (edge == first) return;
        if (edge < first)
            low = edge + 1;
        else
            high = edge - 1;
    }
}

static int longest_axis(const sn_batch_item *item, int64_t count) {
    double extent[3];
    for (int a = 0; a < 3; ++a) {
        double low = item[0].center[a], high = low;
        for (int64_t i = 1; i < count; ++i) low = fmin(low, item[i].center[a]), high = fmax(high, item[i].center[a]);
        extent[a] = high - low;
    }
    const int axis = extent[1] > extent[0];
    return extent[2] > extent[axis] ? 2 : axis;
}

static int compare_place(const void *left, const void *right) {
    const sn_batch_item *a = left, *b = right;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

/* How many of so many items the first half has. */
static int64_t front_of(int64_t count, int64_t size) { return (count + size - 1) / size / 2 * size; }

void sn_chunk_order(sn_batch_item *item, int64_t count, int64_t size) {
    while (count > size) { /* recursion on the front, loop on the back */
        const int64_t front = front_of(count, size);
        select_first(item, count, front, longest_axis(item, count));
        sn_chunk_order(item, front, size);
        item += front;
        count -= front;
    }
    if (count > 1) qsort(item, (size_t)count, sizeof *item, compare_place);
}

/* ---- Cuts ---- */
/* Follows the bisection of all ranks until the items of a part make one chunk. So a chunk depends on no item outside of
 * the part. */
static int cut_ranks(const sn_batch_item *item, int64_t count, int64_t first, int64_t ranks, int64_t size,
                     int32_t *length) {
    if (count == 0) return 0;
    if (count <= size) {
        *length = (int32_t)count;
        return 1;
    }
    const int64_t front = front_of(ranks, size);
    int64_t low = 0, high = count; /* items of the front */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (item[middle].place < first + front)
            low = middle + 1;
        else
            high = middle;
    }
    const int chunks = cut_ranks(item, low, first, front, size, length);
    return chunks + cut_ranks(item + low, count - low, first + front, ranks - front, size, length + chunks);
}

int sn_chunk_cut(const sn_batch_item *item, int64_t count, int64_t ranks, int64_t size, int32_t *length) {
    if (ranks > 0) return cut_ranks(item, count, 0, ranks, size, length);
    int chunks = 0;
    for (; count > 0; count -= size) length[chunks++] = (int32_t)(count < size ? count : size);
    return chunks;
}

/* ---- Colours ---- */
/* Collects the colours that the chunk's nodes have met, or gives them one more. */
static uint64_t met_colors(const sn_batch *batch, const sn_chunk *chunk, const uint64_t *mask) {
    const int64_t row = (int64_t)batch->element->nodes * SN_LANES;
    uint64_t met = 0;
    for (int64_t i = chunk->block_begin * row; i < chunk->block_end * row; ++i) met |= mask[batch->node[i]];
    return met;
}

static void add_color(const sn_batch *batch, const sn_chunk *chunk, uint64_t *mask, uint64_t color) {
    const int64_t row = (int64_t)batch->element->nodes * SN_LANES;
    for (int64_t i = chunk->block_begin * row; i < chunk->block_end * row; ++i) mask[batch->node[i]] |= color;
}

/* The permitted colour from `base` on with the fewest chunks; a new one when none is; -1 when 64 do not do. */
static int pick_color(uint64_t met, const int *size, int base, int *colors) {
    int best = -1;
    for (int c = 0; c < *colors - base; ++c)
        if (!(met >> c & 1) && (best < 0 || size[base + c] < size[base + best])) best = c;
    if (best < 0 && *colors - base < 64) best = (*colors)++ - base;
    return best < 0 ? -1 : base + best;
}

/* In rounds of 64 colours, one bit each per node; one round does but for absurd meshes. */
static void give_colors(sn_elements_model *model, uint64_t *mask, int *color, int *size) {
    for (int i = 0; i < model->chunk_count; ++i) color[i] = -1;
    for (int left = model->chunk_count; left > 0;) {
        const int base = model->color_count;
        memset(mask, 0, (size_t)model->node_count * sizeof *mask);
        for (int i = 0; i < model->chunk_count; ++i) {
            if (color[i] >= 0) continue;
            const sn_batch *batch = &model->batch[model->chunk[i].batch];
            color[i] = pick_color(met_colors(batch, &model->chunk[i], mask), size, base, &model->color_count);
            if (color[i] < 0) continue;
            ++size[color[i]];
            --left;
            add_color(batch, &model->chunk[i], mask, (uint64_t)1 << (color[i] - base));
        }
    }
}

sn_status sn_chunk_color(const sn_context *context, sn_elements_model *model, sn_error *error) {
    const int chunks = model->chunk_count;
    uint64_t *mask = sn_allocate(context, (size_t)model->node_count, sizeof *mask);
    int *color = sn_allocate(context, (size_t)chunks, sizeof *color);
    int *size = sn_allocate_zero(context, (size_t)chunks + 1, sizeof *size);
    sn_chunk *sorted = sn_allocate(context, (size_t)chunks, sizeof *sorted);
    model->color_begin = sn_allocate_zero(context, (size_t)chunks + 1, sizeof *model->color_begin);
    const int complete = mask && color && size && sorted && model->color_begin;
    if (complete) {
        give_colors(model, mask, color, size);
        for (int c = 0; c < model->color_count; ++c) model->color_begin[c + 1] = model->color_begin[c] + size[c];
        for (int c = 0; c < model->color_count; ++c) size[c] = model->color_begin[c];
        for (int i = 0; i < chunks; ++i) sorted[size[color[i]]++] = model->chunk[i];
        memcpy(model->chunk, sorted, (size_t)chunks * sizeof *sorted);
    }
    sn_release(context, mask);
    sn_release(context, color);
    sn_release(context, size);
    sn_release(context, sorted);
    return complete ? SN_OK : sn_no_memory(error);
}
