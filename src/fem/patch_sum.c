/* Sums over the patches of a model: a loop over blocks of patches, then a loop over nodes (patch.h). */
#include <stdatomic.h>
#include <string.h>

#include "base/math3.h"
#include "base/vector.h"
#include "patch.h"

extern const sn_patch_kernels sn_patch_kernels_baseline, sn_patch_kernels_avx2, sn_patch_kernels_avx512;

const sn_patch_kernels *sn_patch_kernels_for(const sn_context *context) { return SN_BUILD(context, sn_patch_kernels); }

enum { GRAIN = 8 }; /* blocks of patches that one thread takes at a time */

typedef struct sum {
    const sn_patch_kernels *kernels;
    const sn_patches *patches;
    const sn_element_view *view;
    double k, d, sign;
    const double *tangent, *u;
    const sn_memory_arrays *memory;
    double *stress, *out;
    void (*block)(struct sum *s, int block);
    atomic_int bad;
} sum;

static void blocks_task(void *data, int piece) {
    sum *s = data;
    for (int b = piece * GRAIN; b < (piece + 1) * GRAIN && b < s->patches->block_count; ++b) s->block(s, b);
}

static void over_blocks(const sn_context *context, sum *s, void (*block)(sum *s, int block)) {
    s->block = block;
    sn_parallel_pieces(context, sn_pieces(s->patches->block_count, GRAIN), blocks_task, s);
}

static double *tangent_of(double *tangent, int block) { return tangent + (int64_t)block * 81 * SN_LANES; }

static void energy_block(sum *s, int b) {
    const int bad = s->kernels->energy(s->patches, b, s->view, s->stress + (int64_t)b * SN_LANES);
    if (bad) atomic_fetch_add_explicit(&s->bad, bad, memory_order_relaxed);
}
/* The rate of a batch without a memory is zero. */
static void stress_block(sum *s, int b) {
    if (s->view->settings->rate && !s->patches->batch[s->patches->batch_of[b]].terms) {
        memset(s->stress + (int64_t)b * 9 * SN_LANES, 0, 9 * SN_LANES * sizeof *s->stress);
        return;
    }
    const int bad = s->kernels->stress(s->patches, b, s->view, false, s->stress + (int64_t)b * 9 * SN_LANES);
    if (bad) atomic_fetch_add_explicit(&s->bad, bad, memory_order_relaxed);
}
static void cauchy_block(sum *s, int b) {
    s->kernels->stress(s->patches, b, s->view, true, s->stress + (int64_t)b * 9 * SN_LANES);
}
static void linearise_block(sum *s, int b) {
    s->kernels->linearise(s->patches, b, s->view, s->k, s->d, tangent_of(s->out, b));
}
static void remember_block(sum *s, int b) {
    if (s->patches->batch[s->patches->batch_of[b]].terms) s->kernels->remember(s->patches, b, s->view, s->memory);
}
static void product_block(sum *s, int b) {
    s->kernels->product(s->patches, b, s->tangent + (int64_t)b * 81 * SN_LANES, s->u,
                        s->stress + (int64_t)b * 9 * SN_LANES);
}

/* out_i += sign sum_a P_a g_i^a */
static void nodes_task(void *data, int piece) {
    const sum *s = data;
    const sn_patches *p = s->patches;
    for (int i = piece * SN_PIECE_NODES; i < (piece + 1) * SN_PIECE_NODES && i < p->node_count; ++i) {
        double total[3] = {0};
        for (int64_t k = p->row_begin[i]; k < p->row_begin[i + 1]; ++k) {
            const double *P = s->stress + 9 * (int64_t)p->row_patch[k], *g = p->gradient + 3 * p->row_entry[k];
            for (int a = 0; a < 3; ++a) total[a] += P[3 * a] * g[0] + P[3 * a + 1] * g[1] + P[3 * a + 2] * g[2];
        }
        for (int a = 0; a < 3; ++a) s->out[3 * (int64_t)i + a] += s->sign * total[a];
    }
}

static void to_nodes(const sn_context *context, sum *s) {
    sn_parallel_pieces(context, sn_pieces(s->patches->node_count, SN_PIECE_NODES), nodes_task, s);
}

static sn_status collapsed(int bad, sn_error *error) {
    if (!bad) return SN_OK;
    return sn_fail(error, SN_INVERTED, "%d patches of elements have J <= 0 in the mean, but their law needs J > 0",
                   bad);
}

sn_status sn_patches_energy(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                            double *energy, sn_error *error) {
    sum s = {.kernels = sn_patch_kernels_for(context),
             .patches = model->patches,
             .view = view,
             .stress = view->settings->patch_stress};
    over_blocks(context, &s, energy_block);
    double total = 0;
    for (int64_t i = 0; i < (int64_t)model->patches->block_count * SN_LANES; ++i) total += s.stress[i];
    *energy += total;
    return collapsed(atomic_load(&s.bad), error);
}

sn_status sn_patches_force(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                           double *f, sn_error *error) {
    sum s = {.kernels = sn_patch_kernels_for(context),
             .patches = model->patches,
             .view = view,
             .sign = -1,
             .stress = view->settings->patch_stress,
             .out = f};
    if (view->remember) sn_patches_remember(context, model->patches, view, view->remember);
    if (view->next) {
        const sn_element_view after = sn_view_after(view);
        const sn_status status = sn_patches_force(context, model, &after, view->next, error);
        if (status) return status;
    }
    over_blocks(context, &s, stress_block);
    to_nodes(context, &s);
    return collapsed(atomic_load(&s.bad), error);
}

void sn_patches_remember(const sn_context *context, const sn_patches *patches, const sn_element_view *view,
                         const sn_memory_arrays *memory) {
    sum s = {.kernels = sn_patch_kernels_for(context), .patches = patches, .view = view, .memory = memory};
    over_blocks(context, &s, remember_block);
}

void sn_patches_linearise(const sn_context *context, const sn_elements_model *model, const sn_element_view *view,
                          double k, double d, double *tangent) {
    sum s = {.kernels = sn_patch_kernels_for(context),
             .patches = model->patches,
             .view = view,
             .k = k,
             .d = d,
             .out = tangent};
    over_blocks(context, &s, linearise_block);
}

void sn_patches_product(const sn_context *context, const sn_patches *patches, double *tangent, const double *u,
                        double *out) {
    sum s = {.kernels = sn_patch_kernels_for(context),
             .patches = patches,
             .sign = 1,
             .tangent = tangent,
             .u = u,
             .stress = tangent_of(tangent, patches->block_count),
             .out = out};
    over_blocks(context, &s, product_block);
    to_nodes(context, &s);
}

/* ---- Fields ---- */
static double share_of(const sn_element *element, int point, int corner) {
    return element->patches == 1 ? 1 : element->point[point][corner];
}

static const int32_t *patches_of(const sn_batch *batch, int block, int lane) {
    return batch->patch + (int64_t)block * batch->element->patches * SN_LANES + lane;
}

static double pressure_of(const double stress[9]) { return -(stress[0] + stress[4] + stress[8]) / 3; }

/* sum[patch] += sum_q w_q L_a(q) p(q) over the points of a batch. */
static void interpolate(const sn_batch *batch, const double *stress, double *total) {
    const sn_element *element = batch->element;
    for (int64_t i = 0; batch->patch && i < (int64_t)batch->block_count * SN_LANES; ++i) {
        const int block = (int)(i / SN_LANES), lane = (int)(i % SN_LANES);
        const int32_t *patch = patches_of(batch, block, lane);
        for (int q = 0; q < element->points && batch->element_of[i] >= 0; ++q) {
            double p = 0;
            for (int c = 0; c < element->patches; ++c)
                p += share_of(element, q, c) * pressure_of(stress + 9 * (int64_t)patch[c * SN_LANES]);
            p *= batch->weight[((int64_t)block * element->points + q) * SN_LANES + lane];
            for (int c = 0; c < element->patches; ++c) total[patch[c * SN_LANES]] += share_of(element, q, c) * p;
        }
    }
}

void sn_patches_stress(const sn_context *context, const sn_elements_model *model, const sn_element_view *view) {
    const sn_patches *patches = model->patches;
    const int64_t count = (int64_t)patches->block_count * SN_LANES;
    double *stress = view->settings->patch_stress, *total = view->settings->patch_tangent;
    sum s = {.kernels = sn_patch_kernels_for(context), .patches = patches, .view = view, .stress = stress};
    over_blocks(context, &s, cauchy_block);
    memset(total, 0, (size_t)count * sizeof *total);
    for (int b = 0; b < model->batch_count; ++b) interpolate(&model->batch[b], stress, total);
    for (int64_t i = 0; i < count; ++i) {
        const double change = patches->weight[i] > 0 ? pressure_of(stress + 9 * i) - total[i] / patches->weight[i] : 0;
        for (int k = 0; k < 9; k += 4) stress[9 * i + k] += change;
    }
}

void sn_patches_look(const sn_context *context, const sn_elements_model *model, const sn_batch *batch, int block,
                     int lane, const sn_element_view *view, double *cauchy, double *psi) {
    const sn_patch_kernels *kernels = sn_patch_kernels_for(context);
    const sn_patches *p = model->patches;
    const sn_element *element = batch->element;
    for (int c = 0; c < element->patches; ++c) {
        const int32_t patch = patches_of(batch, block, lane)[c * SN_LANES];
        const double *stress = view->settings->patch_stress + 9 * (int64_t)patch;
        _Alignas(64) double energy[SN_LANES];
        if (psi) kernels->energy(p, patch / SN_LANES, view, energy);
        for (int q = 0; q < element->points; ++q) {
            const double share = share_of(element, q, c);
            for (int i = 0; i < 9 && cauchy; ++i) cauchy[(9 * q + i) * SN_LANES + lane] += share * stress[i];
            if (psi && p->weight[patch] > 0)
                psi[q * SN_LANES + lane] += share * energy[patch % SN_LANES] / p->weight[patch];
        }
    }
}
