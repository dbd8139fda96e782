/* Compilation of elements into batches, cut into coloured chunks (chunk.c). */
#include "batch.h"

#include <stdio.h>
#include <string.h>

#include "base/math3.h"
#include "chunk.h"
#include "coarse.h"
#include "patch.h"
#include "prony.h"

/* What a material asks for. */
typedef struct choice {
    const sn_law *law;
    const sn_rotation *rotation;
    sn_differential differential;
    bool projects;
    double alpha, beta, every;
    int level;
    bool green;
    int warping;
    int terms; /* of the Prony series */
    bool on_shear, by_coefficient;
    bool vertex_matrix;
    bool muscle;
    bool viscous; /* has a viscous or Rayleigh stress, on the frames of the rotation */
} choice;

/* Scratch of a compilation. */
typedef struct work {
    sn_context *context;
    const sn_batch_source *source;
    int source_count;
    int32_t **batch_of; /* per source: batch of each material, -1 unused */
    sn_batch_item *item;
    int64_t item_count;
    int64_t *batch_begin; /* batch_count + 1, into item */
    int64_t *ranks;       /* per batch: of the order of its elements; 0: they have none */
    int32_t *length;      /* per chunk: its elements */
} work;

/* ---- Choices ---- */
static bool can_be_exact(const sn_law *law, const sn_rotation *rotation) {
    return law->differentials & 1u << SN_DIFFERENTIAL_EXACT && (!rotation || rotation->differential);
}

static bool is_muscle(const sn_batch_source *source, int e) {
    const double *fibre = source->fibre ? source->fibre + 3 * (int64_t)e : NULL;
    return fibre && (fibre[0] != 0 || fibre[1] != 0 || fibre[2] != 0);
}

/* The default of a law is definite. A muscle is so only when it is projected, as its stress falls beyond the optimal
 * length. */
static sn_differential default_of(const sn_law *law, bool muscle) {
    const bool projects = law->differentials & 1u << SN_DIFFERENTIAL_PROJECTED;
    return muscle && projects && law->default_differential == SN_DIFFERENTIAL_EXACT ? SN_DIFFERENTIAL_PROJECTED
                                                                                    : law->default_differential;
}

static sn_status choose(const sn_context *context, const sn_material *material, const sn_batch_source *source,
                        bool muscle, choice *out, sn_error *error) {
    const char *body = source->name;
    bool exact = source->exact;
    *out = (choice){.law = sn_law_find(context, material->law), .muscle = muscle};
    const sn_law *law = out->law;
    if (!law) return sn_fail(error, SN_BAD_INPUT, "body '%s': unknown law '%s'", body, material->law);
    const sn_status divided = sn_patch_check(source->element, law, material, error);
    if (divided) return divided;
    out->differential = default_of(law, muscle);
    out->warping = sn_warping_find(material->warping);
    out->terms = source->element->constants ? 0 : material->prony_count; /* constants of their own have no memory */
    out->on_shear = sn_prony_on_shear(material);
    out->by_coefficient = sn_prony_on_coefficients(material);
    out->vertex_matrix = out->warping && strcmp(material->warping_matrix, "vertex") == 0;
    if (material->differential[0]) {
        const int d = sn_differential_find(material->differential);
        if (d < 0 || !(law->differentials & 1u << d))
            return sn_fail(error, SN_BAD_INPUT, "body '%s': law '%s' has no differential '%s'", body, law->name,
                           material->differential);
        out->differential = (sn_differential)d;
        exact = false;
    }
    out->green = source->green;
    out->every = source->green ? source->green_every : material->frames_every;
    out->level = source->green ? source->green_level : material->frames_level;
    out->viscous = material->viscous[0] != 0 || material->viscous[1] != 0 || material->rayleigh[1] != 0;
    if (exact && can_be_exact(law, NULL)) out->differential = SN_DIFFERENTIAL_EXACT;
    out->projects = exact && out->differential == SN_DIFFERENTIAL_EXACT && (muscle || law->flags & SN_LAW_INDEFINITE) &&
                    law->differentials & 1u << SN_DIFFERENTIAL_PROJECTED;
    if (source->element->derive) return SN_OK; /* springs and hinges turn without a rotation */
    if (!(law->flags & SN_LAW_ROTATION)) {
        if (!material->rotation[0]) return SN_OK;
        return sn_fail(error, SN_BAD_INPUT, "body '%s': law '%s' uses no rotation, but '%s' is given", body, law->name,
                       material->rotation);
    }
    const char *name = material->rotation[0] ? material->rotation : "polar";
    out->rotation = sn_rotation_find(context, name);
    if (!out->rotation) return sn_fail(error, SN_BAD_INPUT, "body '%s': unknown rotation '%s'", body, name);
    const bool stays = out->every > 0; /* then dR is 0 */
    if (exact && !stays && !can_be_exact(law, out->rotation))
        out->differential = law->default_differential, out->projects = false;
    if (stays) out->projects = false;
    if (stays && !material->differential[0] && law->flags & SN_LAW_WARPED)
        out->differential = SN_DIFFERENTIAL_TRUNCATED_2; /* is then the exact one */
    if (out->differential == SN_DIFFERENTIAL_EXACT && !stays && !out->rotation->differential)
        return sn_fail(error, SN_BAD_INPUT,
                       "body '%s': the rotation '%s' has no derivative: the exact differential needs one", body, name);
    if (out->rotation->uses_history) out->alpha = material->alpha, out->beta = material->beta;
    return SN_OK;
}

/* The gradients of the present shape, without a viscous stress, which has those of the rotation. */
static bool updates(const choice *c) {
    return c->law->flags & SN_LAW_UPDATED && c->differential == SN_DIFFERENTIAL_TRUNCATED_2 && !c->viscous &&
           !c->muscle;
}

/* The exact differential of a rotation that follows the shape. The change of a viscous stress has another form. */
static bool turns(const sn_element *element, const choice *c) {
    return c->law->flags & SN_LAW_TURNED && c->differential == SN_DIFFERENTIAL_EXACT && c->rotation &&
           c->rotation->polar && c->every == 0 && element->dimension == 3 && !c->viscous && !c->warping;
}

static bool is_warped(const choice *c) {
    return c->law->flags & SN_LAW_WARPED &&
           (c->differential == SN_DIFFERENTIAL_TRUNCATED_2 || c->law->flags & SN_LAW_CONSTANT);
}

static bool is_blended(const choice *c) {
    return c->law->flags & SN_LAW_WARPED && (c->differential == SN_DIFFERENTIAL_TRUNCATED_1 ||
                                             (c->differential == SN_DIFFERENTIAL_HYBRID && c->law->blend));
}

static int compact_of(const sn_element *element, const choice *c) {
    if (c->muscle || element->derive || c->vertex_matrix) return SN_COMPACT_NONE; /* fibres have another form */
    if (updates(c)) return SN_COMPACT_UPDATED;
    if (is_warped(c)) return SN_COMPACT_WARPED;
    if (is_blended(c)) return SN_COMPACT_BLENDED;
    return turns(element, c) ? SN_COMPACT_TURNED : SN_COMPACT_NONE;
}

/* Numbers of a point in the linearised stress (kernel/element_linear.h, kernel/element_turned.h). */
static int linearised_items(const sn_element *element, const choice *c) {
    if (c->vertex_matrix) return 9 * element->nodes + (element->derive ? 0 : 2);
    if (element->derive) return element->linearised;
    switch (compact_of(element, c)) {
    case SN_COMPACT_NONE:
        return 81;
    case SN_COMPACT_TURNED:
        return 3 * element->nodes + 5 + (c->terms ? 7 : 0);
    default:
        return 3 * element->nodes;
    }
}

static int same_choice(const sn_batch *batch, const sn_element *element, const choice *c) {
    return batch->element == element && batch->law == c->law && batch->rotation == c->rotation &&
           batch->differential == c->differential && batch->projects == c->projects && batch->alpha == c->alpha &&
           batch->beta == c->beta && batch->every == c->every && batch->level == c->level && batch->green == c->green &&
           batch->warping == c->warping && batch->vertex_matrix == c->vertex_matrix &&
           batch->compact == compact_of(element, c) && batch->terms == c->terms && batch->on_shear == c->on_shear &&
           batch->by_coefficient == c->by_coefficient && batch->muscle == c->muscle;
}

/* Appends a batch, or finds one alike. model->batch has room. */
static int32_t batch_for(const sn_context *context, sn_elements_model *model, const sn_element *element,
                         const choice *c) {
    for (int b = 0; b < model->batch_count; ++b)
        if (same_choice(&model->batch[b], element, c)) return b;
    sn_batch *batch = &model->batch[model->batch_count];
    *batch = (sn_batch){.index = model->batch_count,
                        .element = element,
                        .kernels = element->kernels(context),
                        .law = c->law,
                        .constants = element->constants ? element->constants : c->law->constant_count,
                        .rotation = c->rotation,
                        .differential = c->differential,
                        .projects = c->projects,
                        .part = element->patches ? SN_PART_OWN : SN_PART_WHOLE,
                        .rotation_state = -1,
                        .frames = -1,
                        .every = c->every,
                        .level = c->level,
                        .green = c->green,
                        .alpha = c->alpha,
                        .beta = c->beta,
                        .warping = c->warping,
                        .vertex_matrix = c->vertex_matrix,
                        .terms = c->terms,
                        .on_shear = c->on_shear,
                        .by_coefficient = c->by_coefficient,
                        .muscle = c->muscle};
    batch->compact = compact_of(element, c);
    batch->warped = is_warped(c) && !c->muscle && !element->derive;
    batch->linearised_items = linearised_items(element, c);
    if (batch->vertex_matrix) model->unsymmetric = true;
    return model->batch_count++;
}

/* ---- Input ---- */
static int64_t label_of(const sn_batch_source *source, int element) {
    return source->label ? source->label[element] : element;
}

static sn_status check_source(const sn_context *context, const sn_batch_source *source, int node_count,
                              sn_error *error) {
    if (!source->element->kernels(context)->serves(source->element))
        return sn_fail(error, SN_UNSUPPORTED, "body '%s': element '%s' of %d nodes and %d points has no kernels",
                       source->name, source->element->name, source->element->nodes, source->element->points);
    const int nodes = source->element->nodes;
    for (int e = 0; e < source->element_count; ++e) {
        if (source->material[e] < 0 || source->material[e] >= source->material_count)
            return sn_fail(error, SN_BAD_INPUT, "body '%s': element %lld has material %d of %d", source->name,
                           (long long)label_of(source, e), source->material[e], source->material_count);
        for (int i = 0; i < nodes; ++i)
            if (source->node[(int64_t)e * nodes + i] < 0 || source->node[(int64_t)e * nodes + i] >= node_count)
                return sn_fail(error, SN_BAD_INPUT, "body '%s': element %lld has node %d of %d", source->name,
                               (long long)label_of(source, e), source->node[(int64_t)e * nodes + i], node_count);
    }
    return SN_OK;
}

/* Batches of all used materials; fills work->batch_of. */
static sn_status make_batches(work *w, sn_elements_model *model, sn_error *error) {
    for (int s = 0; s < w->source_count; ++s) {
        const sn_batch_source *source = &w->source[s];
        sn_status status = check_source(w->context, source, model->node_count, error);
        if (status) return sn_within(error, status, "%d.mesh", s);
        int32_t *of = w->batch_of[s] = sn_allocate(w->context, (size_t)source->material_count, sizeof *of);
        if (!of) return sn_no_memory(error);
        for (int m = 0; m < source->material_count; ++m) of[m] = -1;
        for (int e = 0; e < source->element_count; ++e) {
            const int m = source->material[e];
            if (of[m] >= 0) continue;
            choice c;
            status = choose(w->context, &source->materials[m], source, is_muscle(source, e), &c, error);
            if (!status && c.every > 0 && source->element->derive && !c.warping)
                status =
                    sn_fail_at(error, SN_BAD_INPUT, "frames.every",
                               "'frames.every' has no effect on element '%s' without warping", source->element->name);
            if (status) return sn_within(error, status, "%d.material.%d", s, m);
            if (c.terms && source->element->derive && sn_prony_on_shear(&source->materials[m]))
                return sn_within(
                    error,
                    sn_fail_at(error, SN_BAD_INPUT, "prony.on",
                               "'on': 'shear' does not go with springs, whose stress has no deviatoric part"),
                    "%d.material.%d", s, m);
            of[m] = batch_for(w->context, model, source->element, &c);
        }
    }
    return SN_OK;
}

static int64_t count_of(const work *w, int batch) { return w->batch_begin[batch + 1] - w->batch_begin[batch]; }

/* Sorts the items of a batch by their ranks. room: as many items; at: as many numbers as there are ranks. */
static void sort_ranks(sn_batch_item *item, int64_t count, int64_t ranks, sn_batch_item *room, int32_t *at) {
    int64_t next = 0;
    for (int64_t r = 0; r < ranks; ++r) at[r] = -1;
    for (int64_t i = 0; i < count; ++i) at[item[i].place] = (int32_t)i;
    for (int64_t r = 0; r < ranks; ++r)
        if (at[r] >= 0) room[next++] = item[at[r]];
    if (count > 0) memcpy(item, room, (size_t)count * sizeof *item);
}

static sn_status order_batches(work *w, const sn_elements_model *model, sn_error *error) {
    int64_t most = 0, ranks = 0;
    for (int b = 0; b < model->batch_count; ++b) {
        if (!w->ranks[b]) continue;
        most = count_of(w, b) > most ? count_of(w, b) : most;
        ranks = w->ranks[b] > ranks ? w->ranks[b] : ranks;
    }
    sn_batch_item *room = sn_allocate(w->context, (size_t)most, sizeof *room);
    int32_t *at = sn_allocate(w->context, (size_t)ranks, sizeof *at);
    const bool complete = room && at;
    for (int b = 0; b < model->batch_count && complete; ++b) {
        sn_batch_item *item = &w->item[w->batch_begin[b]];
        const int64_t count = count_of(w, b);
        if (w->ranks[b])
            sort_ranks(item, count, w->ranks[b], room, at);
        else
            sn_chunk_order(item, count, sn_chunk_size(model->batch[b].element, count));
    }
    sn_release(w->context, room);
    sn_release(w->context, at);
    return complete ? SN_OK : sn_no_memory(error);
}

/* An item goes by its rank, or by its place in space. */
static sn_batch_item item_of(const sn_batch_source *source, int s, int e) {
    const int nodes = source->element->nodes, corners = source->element->corners;
    sn_batch_item item = {.source = s, .element = e};
    if (source->order) {
        item.place = source->order->rank[source->stands_for[e]];
        return item;
    }
    for (int i = 0; i < corners; ++i) {
        const int32_t n = source->node[(int64_t)e * nodes + i];
        item.place += n;
        for (int a = 0; a < 3; ++a) item.center[a] += source->rest[3 * (int64_t)n + a] / corners;
    }
    return item;
}

static void place_items(work *w, int64_t *end) {
    for (int s = 0; s < w->source_count; ++s) {
        const sn_batch_source *source = &w->source[s];
        const sn_element_order *order = source->order;
        for (int m = 0; m < source->material_count && order; ++m)
            if (w->batch_of[s][m] >= 0) w->ranks[w->batch_of[s][m]] = order->count[source->material_offset + m];
        for (int e = 0; e < source->element_count; ++e)
            w->item[end[w->batch_of[s][source->material[e]]]++] = item_of(source, s, e);
    }
}

/* Lists the elements batch by batch, in the order of the chunks to be; fills work->batch_begin. */
static sn_status sort_items(work *w, const sn_elements_model *model, sn_error *error) {
    w->item = sn_allocate(w->context, (size_t)w->item_count, sizeof *w->item);
    w->batch_begin = sn_allocate_zero(w->context, (size_t)model->batch_count + 2, sizeof *w->batch_begin);
    w->ranks = sn_allocate_zero(w->context, (size_t)model->batch_count, sizeof *w->ranks);
    if (!w->item || !w->batch_begin || !w->ranks) return sn_no_memory(error);
    int64_t *end = w->batch_begin + 1; /* while filling: where the next item of a batch goes */
    for (int s = 0; s < w->source_count; ++s)
        for (int e = 0; e < w->source[s].element_count; ++e) ++end[w->batch_of[s][w->source[s].material[e]] + 1];
    for (int b = 0; b < model->batch_count; ++b) end[b + 1] += end[b];
    place_items(w, end);
    return order_batches(w, model, error);
}

/* ---- Chunks ---- */
/* The elements that the size of the chunks of a batch is made for. */
static int64_t ordered_of(const work *w, int batch) { return w->ranks[batch] ? w->ranks[batch] : count_of(w, batch); }

static sn_status make_chunks(work *w, sn_elements_model *model, sn_error *error) {
    int64_t most = 0;
    for (int b = 0; b < model->batch_count; ++b)
        most += sn_pieces(ordered_of(w, b), sn_chunk_size(model->batch[b].element, ordered_of(w, b)));
    model->chunk = sn_allocate(w->context, (size_t)most, sizeof *model->chunk);
    w->length = sn_allocate(w->context, (size_t)most, sizeof *w->length);
    if (!model->chunk || !w->length) return sn_no_memory(error);
    for (int b = 0; b < model->batch_count; ++b) {
        const int64_t size = sn_chunk_size(model->batch[b].element, ordered_of(w, b));
        int block = 0;
        for (int left = sn_chunk_cut(&w->item[w->batch_begin[b]], count_of(w, b), w->ranks[b], size,
                                     w->length + model->chunk_count);
             left > 0; --left) {
            const int blocks = (w->length[model->chunk_count] + SN_LANES - 1) / SN_LANES;
            model->chunk[model->chunk_count++] = (sn_chunk){b, block, block + blocks};
            block += blocks;
        }
        model->batch[b].block_count = block;
    }
    return SN_OK;
}

/* ---- Filling ---- */
static sn_status allocate_batch(const sn_context *context, sn_batch *batch, sn_error *error) {
    const size_t lanes = (size_t)batch->block_count * SN_LANES;
    const size_t nodes = (size_t)batch->element->nodes, points = (size_t)batch->element->points;
    const int edges = batch->rotation && (batch->rotation->uses_history || batch->rotation->uses_edges);
    batch->node = sn_allocate(context, lanes * nodes, sizeof *batch->node);
    const size_t numbers = batch->element->derive ? (size_t)batch->element->numbers : points * (nodes - 1) * 3;
    double **shape = batch->element->derive ? &batch->number : &batch->gradient;
    *shape = sn_allocate(context, lanes * numbers, sizeof **shape);
    batch->weight = sn_allocate(context, lanes * points, sizeof *batch->weight);
    batch->element_of = sn_allocate(context, lanes, sizeof *batch->element_of);
    batch->material_of = sn_allocate(context, lanes, sizeof *batch->material_of);
    batch->source_of = sn_allocate(context, lanes, sizeof *batch->source_of);
    if (edges) batch->rest_edge = sn_allocate(context, lanes * 9, sizeof *batch->rest_edge);
    if (batch->muscle) {
        batch->fibre = sn_allocate(context, lanes * 3, sizeof *batch->fibre);
        if (!batch->fibre) return sn_no_memory(error);
    }
    const int complete = batch->node && *shape && batch->weight && batch->element_of && batch->material_of &&
                         batch->source_of && (!edges || batch->rest_edge);
    return complete ? SN_OK : sn_no_memory(error);
}

static double longest_edge(const double *X, int corners) {
    double longest = 0;
    for (int i = 0; i < corners; ++i)
        for (int j = 0; j < i; ++j) {
            double d[3];
            sn_subtract3(&X[3 * i], &X[3 * j], d);
            longest = fmax(longest, sn_norm3(d));
        }
    return longest;
}

/* The numbers and the factor of a derived element in its lane. */
static void fill_derived(sn_batch *batch, const sn_batch_source *source, int e, int64_t block, int lane, int padded) {
    const int numbers = batch->element->numbers;
    for (int i = 0; i < numbers; ++i)
        batch->number[(numbers * block + i) * SN_LANES + lane] = source->number[(int64_t)e * numbers + i];
    batch->weight[block * SN_LANES + lane] = padded ? 0 : source->factor[e];
}

/* Gradients, weights and rest edges of one element in its lane. Flat: a volume below 1e-12 of the cube on its longest
 * edge. */
static sn_status fill_shape(sn_batch *batch, const sn_batch_source *source, int e, int64_t block, int lane, int padded,
                            sn_error *error) {
    const sn_element *element = batch->element;
    const int nodes = element->nodes, points = element->points, corners = element->corners;
    double X[3 * SN_ELEMENT_NODES], gradient[3 * SN_ELEMENT_NODES];
    sn_element_rest(source, e, X);
    const double thickness = element->dimension == 2 && source->thickness > 0 ? source->thickness : 1;
    const double edge = longest_edge(X, corners), least = 1e-12 * edge * edge * (corners == 4 ? edge : 1);
    for (int i = 1; i < nodes && sn_element_is_plane(element); ++i)
        if (fabs(X[3 * i + 2] - X[2]) > 1e-12 * edge)
            return sn_fail(error, SN_BAD_INPUT, "body '%s': plane element %lld does not lie in a plane z = constant",
                           source->name, (long long)label_of(source, e));
    for (int q = 0; q < points; ++q) {
        const double volume = sn_element_gradient(element, X, element->point[q], NULL, gradient);
        if (!(volume > least))
            return sn_fail(error, SN_BAD_INPUT, "body '%s': element %lld is %s at rest (volume %g)", source->name,
                           (long long)label_of(source, e), volume < -least ? "inverted" : "flat", volume);
        batch->weight[(block * points + q) * SN_LANES + lane] = padded ? 0 : thickness * volume * element->weight[q];
        for (int i = 0; i < 3 * (nodes - 1); ++i)
            batch->gradient[((block * points + q) * (nodes - 1) * 3 + i) * SN_LANES + lane] = gradient[3 + i];
    }
    for (int a = 0; a < 3 && batch->rest_edge; ++a)
        for (int i = 0; i < 3; ++i)
            batch->rest_edge[(block * 9 + 3 * a + i) * SN_LANES + lane] =
                i + 1 < corners ? X[3 * (i + 1) + a] - X[a] : a == 2;
    return SN_OK;
}

/* The same of an element that was compiled before, with the same shape. */
static void copy_shape(sn_batch *batch, const sn_elements_model *before, int64_t place, int64_t block, int lane,
                       int padded) {
    const sn_batch *old = &before->batch[place >> 40];
    const int64_t lanes = place & (((int64_t)1 << 40) - 1), old_block = lanes / SN_LANES, old_lane = lanes % SN_LANES;
    const int points = batch->element->points, gradients = points * (batch->element->nodes - 1) * 3;
    for (int i = 0; i < gradients; ++i)
        batch->gradient[(block * gradients + i) * SN_LANES + lane] =
            old->gradient[(old_block * gradients + i) * SN_LANES + old_lane];
    for (int q = 0; q < points; ++q)
        batch->weight[(block * points + q) * SN_LANES + lane] =
            padded ? 0 : old->weight[(old_block * points + q) * SN_LANES + old_lane];
    for (int i = 0; i < 9 && batch->rest_edge; ++i)
        batch->rest_edge[(block * 9 + i) * SN_LANES + lane] = old->rest_edge[(old_block * 9 + i) * SN_LANES + old_lane];
}

static sn_status fill_chunk(const work *w, sn_elements_model *model, sn_batch *batch, const sn_chunk *chunk,
                            const sn_batch_item *items, int64_t count, sn_error *error) {
    const int nodes = batch->element->nodes;
    for (int64_t n = 0; n < (int64_t)(chunk->block_end - chunk->block_begin) * SN_LANES; ++n) {
        const int padded = n >= count, lane = (int)(n % SN_LANES);
        const int64_t block = chunk->block_begin + n / SN_LANES, at = block * SN_LANES + lane;
        const sn_batch_item *it = &items[padded ? count - 1 : n];
        const sn_batch_source *source = &w->source[it->source];
        for (int i = 0; i < nodes; ++i)
            batch->node[(block * nodes + i) * SN_LANES + lane] = source->node[(int64_t)it->element * nodes + i];
        batch->element_of[at] = padded ? -1 : it->element + source->element_offset;
        batch->source_of[at] = padded ? -1 : it->source;
        batch->material_of[at] = source->material[it->element] + source->material_offset;
        for (int a = 0; a < 3 && batch->fibre; ++a)
            batch->fibre[(block * 3 + a) * SN_LANES + lane] = source->fibre[3 * (int64_t)it->element + a];
        if (batch->number) {
            fill_derived(batch, source, it->element, block, lane, padded);
            continue;
        }
        if (source->before && source->place_before[it->element] >= 0) {
            copy_shape(batch, source->before, source->place_before[it->element], block, lane, padded);
            continue;
        }
        model->made += !padded;
        const sn_status status = fill_shape(batch, source, it->element, block, lane, padded, error);
        if (status) return sn_within(error, status, "%d.mesh", it->source);
    }
    return SN_OK;
}

static int all_turned(const sn_elements_model *model) {
    for (int b = 0; b < model->batch_count; ++b) {
        const sn_batch *batch = &model->batch[b];
        if (batch->element != &sn_element_tet4 || batch->compact != SN_COMPACT_WARPED || !batch->rotation ||
            batch->warping)
            return 0;
    }
    return model->batch_count > 0;
}

static sn_status fill_batches(const work *w, sn_elements_model *model, sn_error *error) {
    model->turned = all_turned(model);
    model->splits = model->batch_count > 0;
    for (int b = 0; b < model->batch_count; ++b) model->splits = model->splits && model->batch[b].element->splits;
    for (int b = 0; b < model->batch_count; ++b) {
        model->positive = model->positive || model->batch[b].law->flags & SN_LAW_POSITIVE_J;
        model->projects = model->projects || model->batch[b].projects;
        model->muscle = model->muscle || model->batch[b].muscle;
    }
    for (int b = 0; b < model->batch_count; ++b) {
        sn_batch *batch = &model->batch[b];
        const sn_status status = allocate_batch(w->context, batch, error);
        if (status) return status;
        const int64_t points = (int64_t)batch->block_count * batch->element->points * SN_LANES;
        batch->linearised = model->linearised_size;
        model->linearised_size += points * batch->linearised_items;
        batch->kept = -1;
        if (batch->rotation && !batch->warping && !model->turned) {
            batch->kept = model->kept_size;
            model->kept_size += points * 9;
        }
        sn_batch_place_memory(model, batch);
        if (batch->rotation && batch->every > 0 && !batch->element->derive) {
            batch->frames = model->frame_size;
            model->frame_size += points * 9;
        }
        if (!batch->rotation || !batch->rotation->uses_history) continue;
        batch->rotation_state = model->rotation_state_size;
        model->rotation_state_size += points * SN_ROTATION_STATE;
    }
    int64_t first = 0;
    for (int i = 0; i < model->chunk_count; ++i) {
        const sn_chunk *chunk = &model->chunk[i];
        const sn_status status =
            fill_chunk(w, model, &model->batch[chunk->batch], chunk, &w->item[first], w->length[i], error);
        if (status) return status;
        first += w->length[i];
    }
    return SN_OK;
}

static sn_status copy_origins(const work *w, sn_elements_model *model, sn_error *error) {
    model->origin = sn_allocate_zero(w->context, (size_t)w->source_count, sizeof *model->origin);
    if (!model->origin) return sn_no_memory(error);
    model->source_count = w->source_count;
    for (int s = 0; s < w->source_count; ++s) {
        const sn_batch_source *source = &w->source[s];
        snprintf(model->origin[s].name, sizeof model->origin[s].name, "%s", source->name);
        model->origin[s].element_offset = source->element_offset;
        if (!source->label) continue;
        model->origin[s].label = sn_allocate(w->context, (size_t)source->element_count, sizeof *source->label);
        if (!model->origin[s].label) return sn_no_memory(error);
        memcpy(model->origin[s].label, source->label, (size_t)source->element_count * sizeof *source->label);
    }
    return SN_OK;
}

/* ---- The whole ---- */
static sn_status start_work(work *w, sn_elements_model *model, sn_error *error) {
    int64_t batches = 0;
    for (int s = 0; s < w->source_count; ++s) {
        const sn_batch_source *source = &w->source[s];
        batches += source->material_count;
        w->item_count += source->element_count;
    }
    w->batch_of = sn_allocate_zero(w->context, (size_t)w->source_count, sizeof *w->batch_of);
    model->batch = sn_allocate_zero(w->context, (size_t)batches, sizeof *model->batch);
    return w->batch_of && model->batch ? SN_OK : sn_no_memory(error);
}

static void end_work(work *w) {
    for (int s = 0; s < w->source_count && w->batch_of; ++s) sn_release(w->context, w->batch_of[s]);
    sn_release(w->context, w->batch_of);
    sn_release(w->context, w->item);
    sn_release(w->context, w->batch_begin);
    sn_release(w->context, w->ranks);
    sn_release(w->context, w->length);
}

sn_status sn_elements_compile(sn_context *context, const sn_batch_source *source, int source_count, int node_count,
                              sn_elements_model *model, sn_error *error) {
    *model = (sn_elements_model){.node_count = node_count};
    work w = {.context = context, .source = source, .source_count = source_count};
    sn_status status = start_work(&w, model, error);
    if (!status) status = make_batches(&w, model, error);
    if (!status) status = sort_items(&w, model, error);
    if (!status) status = make_chunks(&w, model, error);
    if (!status) status = copy_origins(&w, model, error);
    if (!status) status = fill_batches(&w, model, error);
    if (!status) status = sn_chunk_color(context, model, error);
    if (!status) status = sn_patches_create(context, model, error);
    end_work(&w);
    if (status) sn_elements_release(context, model);
    return status;
}

void sn_element_order_release(const sn_context *context, sn_element_order *order) {
    sn_release(context, order->rank);
    sn_release(context, order->count);
    *order = (sn_element_order){0};
}

/* Cuts of a part of the elements make no more chunks than all of them do, and a chunk has whole blocks. */
static int64_t most_memory(const sn_batch *batch, int64_t elements) {
    const int64_t size = sn_chunk_size(batch->element, elements);
    return sn_pieces(elements, size) * size * batch->element->points * batch->terms * SN_MEMORY_ITEMS;
}

sn_status sn_elements_order(sn_context *context, const sn_batch_source *source, int source_count, int node_count,
                            sn_element_order *order, sn_error *error) {
    *order = (sn_element_order){0};
    sn_elements_model model = {.node_count = node_count};
    work w = {.context = context, .source = source, .source_count = source_count};
    sn_status status = start_work(&w, &model, error);
    if (!status) status = make_batches(&w, &model, error);
    if (!status) status = sort_items(&w, &model, error);
    const sn_batch_source *last = &source[source_count - 1];
    const size_t elements = (size_t)last->element_offset + (size_t)last->element_count,
                 materials = (size_t)last->material_offset + (size_t)last->material_count;
    order->rank_count = (int)elements;
    order->rank = status ? NULL : sn_allocate(context, elements, sizeof *order->rank);
    order->count = status ? NULL : sn_allocate_zero(context, materials, sizeof *order->count);
    if (!status && (!order->rank || !order->count)) status = sn_no_memory(error);
    for (int b = 0; b < model.batch_count && !status; ++b)
        for (int64_t i = w.batch_begin[b]; i < w.batch_begin[b + 1]; ++i)
            order->rank[source[w.item[i].source].element_offset + w.item[i].element] = (int32_t)(i - w.batch_begin[b]);
    for (int s = 0; s < source_count && !status; ++s)
        for (int m = 0; m < source[s].material_count; ++m)
            if (w.batch_of[s][m] >= 0) order->count[source[s].material_offset + m] = count_of(&w, w.batch_of[s][m]);
    for (int b = 0; b < model.batch_count && !status; ++b)
        order->memory += most_memory(&model.batch[b], count_of(&w, b));
    end_work(&w);
    sn_elements_release(context, &model);
    return status;
}

void sn_batch_place_memory(sn_elements_model *model, sn_batch *batch) {
    const int64_t numbers = (int64_t)batch->block_count * sn_batch_points(batch) * SN_LANES * SN_MEMORY_ITEMS;
    batch->memory = model->memory_size, batch->recalled = model->recalled_size;
    model->memory_size += numbers * batch->terms;
    if (batch->terms) model->recalled_size += numbers;
    const bool exact = batch->differential == SN_DIFFERENTIAL_EXACT, apart = batch->part != SN_PART_WHOLE;
    if (batch->terms && (exact || apart || batch->element->derive || batch->warping || batch->by_coefficient))
        model->recalls = true;
    batch->begins = model->recalled_size;
    if (batch->by_coefficient) model->recalled_size += numbers * batch->terms;
}

void sn_elements_release(sn_context *context, sn_elements_model *model) {
    for (int b = 0; b < model->batch_count; ++b) {
        sn_batch *batch = &model->batch[b];
        void *array[] = {batch->node,      batch->gradient,  batch->weight, batch->element_of, batch->material_of,
                         batch->source_of, batch->rest_edge, batch->number, batch->patch,      batch->fibre};
        for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    }
    for (int s = 0; s < model->source_count; ++s) sn_release(context, model->origin[s].label);
    sn_release(context, model->origin);
    sn_release(context, model->batch);
    sn_release(context, model->chunk);
    sn_release(context, model->color_begin);
    sn_patches_release(context, model->patches);
    sn_coarse_release(context, model->coarse);
    *model = (sn_elements_model){0};
}
