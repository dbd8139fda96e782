/* Sums over all elements of a model: chunk by chunk, the chunks of one colour at the same time, colours one after the
 * other. */
#include <math.h>
#include <stdatomic.h>

#include "base/math3.h"
#include "batch.h"
#include "coarse.h"
#include "patch.h"

extern const sn_element_kernels sn_element_kernels_baseline;
extern const sn_element_kernels sn_element_kernels_avx2, sn_element_kernels_avx512;
extern const sn_element_kernels sn_spring_kernels_baseline;
extern const sn_element_kernels sn_spring_kernels_avx2, sn_spring_kernels_avx512;

const sn_element_kernels *sn_element_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_element_kernels);
}

const sn_element_kernels *sn_spring_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_spring_kernels);
}

/* One parallel loop. `first`: of the chunks that the loop's index counts from. */
typedef struct sum {
    const sn_elements_model *model;
    const sn_element_view *view;
    const sn_element_settings *settings; /* without a view */
    int first;
    atomic_int bad; /* elements with J <= 0 */
    double k, d;
    const double *linearised, *u;
    double *out;
    const double *before;
    const sn_memory_arrays *memory;
} sum;

static const sn_chunk *chunk_of(const sum *s, int index) { return &s->model->chunk[s->first + index]; }

static void energy_task(void *data, int index) {
    sum *s = data;
    const sn_chunk *c = chunk_of(s, index);
    double *energy = &s->out[s->first + index];
    *energy = 0;
    const sn_batch *batch = &s->model->batch[c->batch];
    const int bad = batch->kernels->energy(batch, c->block_begin, c->block_end, s->view, energy);
    if (bad) atomic_fetch_add_explicit(&s->bad, bad, memory_order_relaxed);
}

static void force_task(void *data, int index) {
    sum *s = data;
    const sn_chunk *c = chunk_of(s, index);
    const sn_batch *batch = &s->model->batch[c->batch];
    if (s->view->settings->rate && !batch->terms) return; /* without a memory the rate is zero */
    const int bad = batch->kernels->force(batch, c->block_begin, c->block_end, s->view, s->out);
    if (bad) atomic_fetch_add_explicit(&s->bad, bad, memory_order_relaxed);
}

static void linearise_task(void *data, int index) {
    sum *s = data;
    const sn_chunk *c = chunk_of(s, index);
    const sn_batch *batch = &s->model->batch[c->batch];
    batch->kernels->linearise(batch, c->block_begin, c->block_end, s->view, s->k, s->d, s->out);
}

static void weigh_task(void *data, int index) {
    sum *s = data;
    const sn_chunk *c = chunk_of(s, index);
    const sn_batch *batch = &s->model->batch[c->batch];
    batch->kernels->weigh(batch, c->block_begin, c->block_end, s->settings, s->k, s->d, s->out);
}

static void product_task(void *data, int index) {
    sum *s = data;
    const sn_chunk *c = chunk_of(s, index);
    const sn_batch *batch = &s->model->batch[c->batch];
    if (s->k == 0 && s->view && !s->view->settings->batch[c->batch].damped) return;
    batch->kernels->product(batch, c->block_begin, c->block_end, s->view, s->k, s->d, s->linearised, s->u, s->out);
}

static void damp_task(void *data, int index) {
    sum *s = data;
    const sn_chunk *c = chunk_of(s, index);
    const sn_batch *batch = &s->model->batch[c->batch];
    if (!s->view->settings->batch[c->batch].damped) return;
    batch->kernels->damp(batch, c->block_begin, c->block_end, s->view, s->d, s->u, s->out);
}

static void accept_task(void *data, int index) {
    sum *s = data;
    const sn_chunk *c = chunk_of(s, index);
    const sn_batch *batch = &s->model->batch[c->batch];
    batch->kernels->accept(batch, c->block_begin, c->block_end, s->view, s->out);
}

static void remember_task(void *data, int index) {
    sum *s = data;
    const sn_chunk *c = chunk_of(s, index);
    const sn_batch *batch = &s->model->batch[c->batch];
    if (batch->terms) batch->kernels->remember(batch, c->block_begin, c->block_end, s->view, s->memory);
}

static void recall_task(void *data, int index) {
    sum *s = data;
    const sn_chunk *c = chunk_of(s, index);
    const sn_batch *batch = &s->model->batch[c->batch];
    batch->kernels->recall(batch, c->block_begin, c->block_end, s->settings, s->before, s->u, s->out);
}

/* The context for loops over the elements; NULL when there are so few that another thread would take longer to wake
 * than to do its share. */
static const sn_context *worth(const sn_context *context, const sn_elements_model *model) {
    enum { FEW = 2048 / SN_LANES };
    int64_t blocks = 0;
    for (int b = 0; b < model->batch_count; ++b) blocks += model->batch[b].block_count;
    return blocks < FEW ? NULL : context;
}

static void colour_by_colour(const sn_context *context, sum *s, void (*task)(void *data, int index)) {
    context = worth(context, s->model);
    for (int c = 0; c < s->model->color_count; ++c) {
        s->first = s->model->color_begin[c];
        sn_parallel_pieces(context, s->model->color_begin[c + 1] - s->first, task, s);
    }
}

typedef struct share_work {
    const sn_elements_model *model;
    void (*task)(void *data, int chunk);
    void *data;
    int shares;
} share_work;

static void share_task(void *data, int share) {
    const share_work *w = data;
    for (int c = 0; c < w->model->color_count; ++c) {
        const int64_t first = w->model->color_begin[c], count = w->model->color_begin[c + 1] - first;
        for (int64_t i = count * share / w->shares; i < count * (share + 1) / w->shares; ++i)
            w->task(w->data, (int)(first + i));
    }
}

void sn_elements_chunks(const sn_context *context, const sn_elements_model *model, void (*task)(void *data, int chunk),
                        void *data) {
    if (!worth(context, model)) {
        sn_parallel_runs(NULL, model->chunk_count, task, data);
    } else if (context->parallel_for) {
        sn_parallel(context, model->chunk_count, task, data);
    } else {
        share_work w = {model, task, data, context->threads};
        sn_parallel(context, w.shares, share_task, &w);
    }
}

/* ---- Inverted elements ---- */
/* The worst J over the points of each lane of a block. */
static void lowest_J(const sn_batch *batch, int block, const sn_element_view *view, double *J) {
    _Alignas(64) double F[SN_ELEMENT_POINTS * 9 * SN_LANES];
    batch->kernels->stress(batch, block, view, F, NULL, NULL, NULL);
    for (int l = 0; l < SN_LANES; ++l) {
        J[l] = INFINITY;
        for (int q = 0; q < batch->element->points; ++q) {
            double m[9];
            for (int i = 0; i < 9; ++i) m[i] = F[(9 * q + i) * SN_LANES + l];
            const double j = sn_determinant3(m);
            if (!(j >= J[l])) J[l] = j; /* a NaN gets through */
        }
    }
}

/* Names the first bad element in the order of sources and elements. */
static sn_status report_inverted(const sn_elements_model *model, const sn_element_view *view, int count,
                                 sn_error *error) {
    int source = -1, element = -1;
    double worst = 0;
    for (int b = 0; b < model->batch_count; ++b) {
        const sn_batch *batch = &model->batch[b];
        for (int64_t block = 0; block < batch->block_count && batch->law->flags & SN_LAW_POSITIVE_J; ++block) {
            double J[SN_LANES];
            lowest_J(batch, (int)block, view, J);
            for (int l = 0; l < SN_LANES; ++l) {
                const int s = batch->source_of[block * SN_LANES + l], e = batch->element_of[block * SN_LANES + l];
                if (s < 0 || J[l] > 0 || (source >= 0 && (s > source || (s == source && e > element)))) continue;
                source = s, element = e, worst = J[l];
            }
        }
    }
    if (source < 0) return sn_fail(error, SN_INVERTED, "%d elements have J <= 0", count);
    const sn_batch_origin *origin = &model->origin[source];
    const int64_t index = element - origin->element_offset;
    return sn_fail(error, SN_INVERTED, "body '%s': element %lld has J = %g, but its law needs J > 0 (%d such elements)",
                   origin->name, (long long)(origin->label ? origin->label[index] : index), worst, count);
}

/* ---- The sums ---- */
sn_status sn_elements_energy(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                             double *partial, double *energy, sn_error *error) {
    sum s = {.model = model, .view = view, .out = partial};
    sn_elements_chunks(context, model, energy_task, &s);
    double total = 0;
    for (int i = 0; i < model->chunk_count; ++i) total += partial[i];
    *energy = total;
    if (model->coarse) sn_coarse_add_energy(model, view, energy);
    const int bad = atomic_load(&s.bad);
    if (model->patches && !bad) return sn_patches_energy(context, model, view, energy, error);
    return bad ? report_inverted(model, view, bad, error) : SN_OK;
}

sn_status sn_elements_force(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                            double *f, sn_error *error) {
    sum s = {.model = model, .view = view, .out = f};
    colour_by_colour(context, &s, force_task);
    if (model->coarse && !view->settings->rate) sn_coarse_add_force(model, view, f);
    const int bad = atomic_load(&s.bad);
    if (model->patches && !bad) return sn_patches_force(context, model, view, f, error);
    return bad ? report_inverted(model, view, bad, error) : SN_OK;
}

void sn_elements_linearise(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                           double k, double d, double *linearised) {
    sum s = {.model = model, .view = view, .k = k, .d = d, .out = linearised};
    sn_elements_chunks(context, model, linearise_task, &s);
    if (model->patches) sn_patches_linearise(context, model, view, k, d, linearised + model->patches->linearised);
}

void sn_elements_weigh(const sn_context *context, const sn_elements_model *model, const sn_element_settings *settings,
                       double k, double d, double *linearised) {
    sum s = {.model = model, .settings = settings, .k = k, .d = d, .out = linearised};
    sn_elements_chunks(context, model, weigh_task, &s);
}

void sn_elements_product(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                         double k, double d, const double *linearised, const double *u, double *out) {
    sum s = {.model = model, .view = view, .k = k, .d = d, .linearised = linearised, .u = u, .out = out};
    colour_by_colour(context, &s, product_task);
    if (!model->patches) return;
    double *tangent =
        linearised ? (double *)(uintptr_t)linearised + model->patches->linearised : view->settings->patch_tangent;
    if (!linearised) sn_patches_linearise(context, model, view, k, d, tangent);
    sn_patches_product(context, model->patches, tangent, u, out);
}

void sn_elements_damp(const sn_context *context, const sn_elements_model *model, const sn_element_view *view, double d,
                      const double *u, double *out) {
    if (model->patches) {
        sn_elements_product(context, model, view, 0, d, NULL, u, out);
        return;
    }
    sum s = {.model = model, .view = view, .d = d, .u = u, .out = out};
    colour_by_colour(context, &s, damp_task);
}

/* ---- Stress ---- */
void sn_elements_look(const sn_context *context, const sn_elements_model *model, const sn_element_view *view) {
    if (model->patches) sn_patches_stress(context, model, view);
}

void sn_elements_stress(const sn_context *context, const sn_elements_model *model, const sn_batch *batch, int block,
                        int lane, const sn_element_view *view, double *F, double *cauchy, double *psi) {
    batch->kernels->stress(batch, block, view, F, NULL, cauchy, psi);
    if (batch->patch) sn_patches_look(context, model, batch, block, lane, view, cauchy, psi);
}

/* ---- Frames that stay ---- */
bool sn_frames_due(double every, double from, double to) {
    const double slack = 1e-9; /* times are multiples of a step up to rounding */
    return !(every > 0) || floor(to / every + slack) > floor(from / every + slack);
}

typedef struct frames_work {
    const sn_elements_model *model;
    const sn_element_view *view;
    int level;
    double from, to, *frame;
} frames_work;

static bool takes(const frames_work *w, const sn_batch *batch) {
    return batch->frames >= 0 && batch->level == w->level && sn_frames_due(batch->every, w->from, w->to);
}

static void frames_task(void *data, int index) {
    const frames_work *w = data;
    const sn_chunk *c = &w->model->chunk[index];
    const sn_batch *batch = &w->model->batch[c->batch];
    const int64_t block_size = (int64_t)batch->element->points * 9 * SN_LANES;
    for (int block = c->block_begin; block < c->block_end && takes(w, batch); ++block)
        batch->kernels->rotation(batch, block, w->view, w->frame + batch->frames + block * block_size);
}

int sn_elements_frame_level(const sn_elements_model *model) {
    int level = -1;
    for (int b = 0; b < model->batch_count; ++b)
        if (model->batch[b].frames >= 0 && model->batch[b].level > level) level = model->batch[b].level;
    return level;
}

bool sn_elements_frames(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                        int level, double from, double to, double *frame) {
    sn_element_view now = *view;
    now.frame = NULL;
    frames_work w = {model, &now, level, from, to, frame};
    bool any = false;
    for (int b = 0; b < model->batch_count; ++b) any = any || takes(&w, &model->batch[b]);
    if (any) sn_elements_chunks(context, model, frames_task, &w);
    return any;
}

void sn_elements_accept(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                        double *state) {
    sum s = {.model = model, .view = view, .out = state};
    if (model->rotation_state_size > 0) sn_parallel(context, model->chunk_count, accept_task, &s);
}

void sn_elements_remember(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                          const sn_memory_arrays *memory) {
    sum s = {.model = model, .view = view, .memory = memory};
    sn_elements_chunks(context, model, remember_task, &s);
    if (model->patches) sn_patches_remember(context, model->patches, view, memory);
}

void sn_elements_recall(const sn_context *context, const sn_elements_model *model, const sn_element_settings *settings,
                        const double *before, const double *memory, double *recalled) {
    sum s = {.model = model, .settings = settings, .before = before, .u = memory, .out = recalled};
    sn_elements_chunks(context, model, recall_task, &s);
    for (int b = 0; model->patches && b < model->patches->batch_count; ++b) {
        const sn_batch *batch = &model->patches->batch[b];
        batch->kernels->recall(batch, 0, batch->block_count, settings, before, memory, recalled);
    }
}
