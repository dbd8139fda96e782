/* See edges.h. */
#include "edges.h"

#include <stdatomic.h>
#include <string.h>

#include "kernels.h"

extern const sn_edges_kernels sn_edges_kernels_baseline, sn_edges_kernels_avx2, sn_edges_kernels_avx512;

static const sn_edges_kernels *kernels_for(const sn_context *context) { return SN_BUILD(context, sn_edges_kernels); }

bool sn_edges_serve(const sn_elements_model *elements, const sn_element_view *view) {
    if (view->unsymmetric) return false;
    for (int b = 0; b < elements->batch_count; ++b) {
        const sn_batch *batch = &elements->batch[b];
        if (batch->element != &sn_element_tet4 || batch->compact != SN_COMPACT_WARPED) return false;
    }
    return elements->batch_count > 0;
}

void sn_edges_release(sn_context *context, sn_edges *edges) {
    void *const array[] = {edges->begin, edges->end, edges->place, edges->first, edges->quad};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    *edges = (sn_edges){0};
}

/* ---- The tets around each edge ---- */
typedef struct listing {
    const sn_elements_model *elements;
    const sn_pattern *pattern;
    const int64_t *first;
    int32_t *count; /* tets of the block at each place; 0 left of and on the diagonal */
    int64_t *begin; /* the first end of the block; NULL while the ends are counted */
    int32_t (*end)[2];
    int32_t *place; /* six per lane: the block of each edge, noted while the ends are counted */
} listing;

static void list_edge(const listing *l, int32_t a, int32_t b, int32_t quad_a, int32_t quad_b, int32_t *known) {
    if (a > b) {
        list_edge(l, b, a, quad_b, quad_a, known);
        return;
    }
    const int32_t place = l->begin ? *known : sn_pattern_find(l->pattern, a, b);
    *known = place;
    if (l->begin) {
        int32_t *end = l->end[l->begin[place] + l->count[place]];
        end[0] = quad_a, end[1] = quad_b;
    }
    ++l->count[place];
}

static void list_edges(const listing *l) {
    for (int b = 0; b < l->elements->batch_count; ++b) {
        const sn_batch *batch = &l->elements->batch[b];
        for (int64_t n = 0; n < (int64_t)batch->block_count * SN_LANES; ++n) {
            if (batch->element_of[n] < 0) continue;
            const int32_t *node = batch->node + n / SN_LANES * 4 * SN_LANES + n % SN_LANES;
            const int32_t quad = (int32_t)(l->first[b] + 4 * n);
            int32_t *known = l->place + 6 * ((l->first[b] - 4) / 4 + n);
            for (int i = 0; i < 4; ++i)
                for (int j = i + 1; j < 4; ++j)
                    list_edge(l, node[i * SN_LANES], node[j * SN_LANES], quad + i, quad + j, known++);
        }
    }
}

/* ---- Groups ---- */
enum {
    WINDOW = 32 * SN_LANES
}; /* edges that are sorted together by their number of tets; they stay close in the matrix */

/* Lists the places right of the diagonal, in windows sorted by falling count. Returns the number of places. */
static int64_t order_places(const sn_pattern *pattern, const int32_t *count, int32_t *order) {
    int64_t edges = 0;
    for (int i = 0; i < pattern->nodes; ++i)
        for (int32_t k = pattern->diagonal[i] + 1; k < pattern->row_begin[i + 1]; ++k) order[edges++] = k;
    for (int64_t window = 0; window < edges; window += WINDOW) {
        const int64_t size = edges - window < WINDOW ? edges - window : WINDOW;
        for (int64_t i = 1; i < size; ++i) { /* insertion sort keeps the order of equal counts */
            const int32_t place = order[window + i];
            int64_t j = i;
            for (; j > 0 && count[order[window + j - 1]] < count[place]; --j) order[window + j] = order[window + j - 1];
            order[window + j] = place;
        }
    }
    return edges;
}

static sn_status build_groups(sn_context *context, const listing *l, const int32_t *order, int64_t edge_count,
                              sn_edges *edges, sn_error *error) {
    edges->group_count = sn_pieces(edge_count, SN_LANES);
    edges->begin = sn_allocate_zero(context, (size_t)edges->group_count + 1, sizeof *edges->begin);
    edges->place = sn_allocate(context, (size_t)edges->group_count * SN_LANES, sizeof *edges->place);
    if (!edges->begin || !edges->place) return sn_no_memory(error);
    for (int g = 0; g < edges->group_count; ++g) { /* the first edge of a group has the most tets */
        int32_t most = 0;
        for (int lane = 0; lane < SN_LANES; ++lane) {
            const int64_t i = (int64_t)g * SN_LANES + lane;
            edges->place[i] = i < edge_count ? order[i] : -1;
            if (i < edge_count && l->count[order[i]] > most) most = l->count[order[i]];
        }
        edges->begin[g + 1] = edges->begin[g] + most;
    }
    edges->end = sn_allocate_zero(context, ((size_t)edges->begin[edges->group_count] + SN_EDGES_AHEAD) * 2 * SN_LANES,
                                  sizeof *edges->end);
    if (!edges->end) return sn_no_memory(error);
    for (int64_t i = 0; i < edge_count; ++i)
        for (int32_t t = 0; t < l->count[order[i]]; ++t) {
            int32_t *row = edges->end + (edges->begin[i / SN_LANES] + t) * 2 * SN_LANES + i % SN_LANES;
            const int32_t *end = l->end[l->begin[order[i]] + t];
            row[0] = end[0], row[SN_LANES] = end[1];
        }
    return SN_OK;
}

static sn_status build(sn_context *context, listing *l, int32_t *order, sn_edges *edges, sn_error *error) {
    list_edges(l);
    const int64_t places = l->pattern->block_count;
    l->begin = sn_allocate(context, (size_t)places + 1, sizeof *l->begin);
    if (!l->begin) return sn_no_memory(error);
    l->begin[0] = 0;
    for (int64_t k = 0; k < places; ++k) l->begin[k + 1] = l->begin[k] + l->count[k];
    l->end = sn_allocate(context, (size_t)l->begin[places] + 1, sizeof *l->end);
    if (!l->end) return sn_no_memory(error);
    memset(l->count, 0, (size_t)places * sizeof *l->count);
    list_edges(l);
    return build_groups(context, l, order, order_places(l->pattern, l->count, order), edges, error);
}

sn_status sn_edges_create(sn_context *context, const sn_elements_model *elements, const sn_pattern *pattern,
                          sn_edges *edges, sn_error *error) {
    *edges = (sn_edges){0};
    edges->first = sn_allocate(context, (size_t)elements->batch_count, sizeof *edges->first);
    if (!edges->first) return sn_no_memory(error);
    int64_t quads = 4; /* starts with the four quads of the empty tet */
    for (int b = 0; b < elements->batch_count; ++b) {
        edges->first[b] = quads;
        quads += (int64_t)elements->batch[b].block_count * 4 * SN_LANES;
    }
    listing l = {.elements = elements, .pattern = pattern, .first = edges->first};
    l.count = sn_allocate_zero(context, (size_t)pattern->block_count, sizeof *l.count);
    l.place = sn_allocate(context, 6 * (size_t)(quads / 4), sizeof *l.place);
    int32_t *order = sn_allocate(context, (size_t)pattern->block_count, sizeof *order);
    edges->quad = sn_allocate_zero(context, (size_t)quads * 4, sizeof *edges->quad);
    sn_status status = l.count && l.place && order && edges->quad && quads <= INT32_MAX ? SN_OK : sn_no_memory(error);
    if (!status) status = build(context, &l, order, edges, error);
    void *const scratch[] = {l.count, l.begin, l.end, l.place, order};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; ++i) sn_release(context, scratch[i]);
    if (status) sn_edges_release(context, edges);
    return status;
}

/* ---- Assembly ---- */
enum { GROUPS = 256 }; /* per piece */

typedef struct sweep {
    const sn_edges_kernels *kernels;
    const sn_edges *edges;
    const sn_elements_model *elements;
    const double *linearised;
    const sn_pattern *pattern;
    float *value;
    atomic_int bad;
} sweep;

static void pack_chunk(void *data, int index) {
    sweep *s = data;
    const sn_chunk *chunk = &s->elements->chunk[index];
    const int64_t first = chunk->block_begin;
    const double *linearised =
        s->linearised + s->elements->batch[chunk->batch].linearised + first * SN_EDGES_ITEMS * SN_LANES;
    float *quad = s->edges->quad + 4 * (s->edges->first[chunk->batch] + first * 4 * SN_LANES);
    const int bad = s->kernels->pack(chunk->block_end - chunk->block_begin, linearised, quad);
    if (bad) atomic_fetch_add_explicit(&s->bad, bad, memory_order_relaxed);
}

static void sum_piece(void *data, int piece) {
    const sweep *s = data;
    const int begin = piece * GROUPS,
              end = begin + GROUPS < s->edges->group_count ? begin + GROUPS : s->edges->group_count;
    s->kernels->sum(s->edges, s->pattern, begin, end, s->value);
}

bool sn_edges_assemble(const sn_context *context, const sn_edges *edges, const sn_elements_model *elements,
                       const double *linearised, const sn_pattern *pattern, float *value) {
    sweep s = {kernels_for(context), edges, elements, linearised, pattern, value, 0};
    sn_elements_chunks(context, elements, pack_chunk, &s);
    if (atomic_load(&s.bad)) return false;
    sn_parallel_pieces(context, sn_pieces(edges->group_count, GROUPS), sum_piece, &s);
    return true;
}

void sn_edges_diagonal(const sn_context *context, const sn_pattern *pattern, int begin, int end, float *value) {
    kernels_for(context)->diagonal(pattern, begin, end, value);
}
