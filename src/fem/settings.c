/* Settings of batches: constants and damping of every lane, from the materials. */
#include <string.h>

#include "batch.h"
#include "patch.h"
#include "prony.h"

/* The viscosities and Rayleigh's b of a law with these constants. The damping b K of an isotropic stiffness at rest is
 * a viscosity of b lambda and b mu. */
static void damping_of(const sn_law *law, const sn_material *material, int part, const double *constant,
                       double damping[3]) {
    const double b = material->rayleigh[1], own = part == SN_PART_PATCH ? 0 : 1; /* viscosity is of the elements */
    damping[0] = own * material->viscous[0], damping[1] = own * material->viscous[1], damping[2] = b;
    if (b == 0 || law->rest_stiffness) return;
    double lambda, mu;
    sn_law_rest_moduli(law, constant, &lambda, &mu);
    damping[0] += b * lambda, damping[1] += b * mu, damping[2] = 0;
}

/* The part of the law that has a memory, and the law's moduli during a step (prony.h). */
static void relax(const sn_law *law, const sn_material *material, double elapsed, bool rate, double *constant,
                  double *base) {
    if (sn_prony_on_coefficients(material)) {
        for (int i = 0; i < material->prony_count; ++i)
            sn_prony_base(law, material, i, constant, base + (ptrdiff_t)i * law->constant_count);
        sn_prony_relax(law, material, elapsed, rate, constant);
        return;
    }
    const bool shear = sn_prony_on_shear(material);
    const double factor = sn_prony_factor(material, elapsed, rate);
    memcpy(base, constant, (size_t)law->constant_count * sizeof *base);
    law->scale(law, 1, shear ? 0 : 1, base);
    law->scale(law, factor, shear ? !rate : factor, constant);
}

/* A lane of an array of block_count x rows x SN_LANES. */
static double *lane_of(double *array, int64_t n, int rows) {
    return array + n / SN_LANES * rows * SN_LANES + n % SN_LANES;
}

static void take_terms(const sn_material *material, double elapsed, bool rate,
                       double row[SN_TERM_ROWS(SN_PRONY_TERMS)]) {
    double *term = row + 1;
    row[0] = sn_prony_factor(material, elapsed, rate);
    for (int i = 0; i < material->prony_count; ++i) {
        const sn_prony_term now = sn_prony_at(material->prony[i][1], elapsed, rate);
        term[3 * i] = now.decay, term[3 * i + 1] = now.gain,
                 term[3 * i + 2] = sn_prony_on_coefficients(material) ? 1 : material->prony[i][0];
    }
}

/* Gives block n / SN_LANES its row: that of the block before when the materials of all lanes are the same. */
static void choose_row(const sn_batch *batch, int64_t n, sn_batch_settings *settings) {
    const int64_t block = n / SN_LANES;
    const int32_t *own = batch->material_of + n, *before = own - SN_LANES;
    int32_t *row = settings->term_row + block;
    *row = block == 0 ? 0 : row[-1] + (memcmp(own, before, SN_LANES * sizeof *own) != 0);
}

/* The numbers of a muscle in the order of kernel/muscle.h. A muscle has no memory: its `rate` is 0. */
static void muscle_of(const sn_material *material, const sn_element_settings *all, double number[SN_MUSCLE_ITEMS]) {
    const sn_muscle *muscle = &material->muscle;
    const double share = muscle->key_count > 0 ? 1 : all->share;
    number[0] = all->rate ? 0 : share * sn_material_activation(material, all->time) * muscle->stress;
    number[1] = all->rate ? 0 : muscle->passive;
    number[2] = 1 / (muscle->optimal * muscle->width);
    number[3] = 1 / muscle->width;
    number[4] = muscle->speed > 0 ? 1 / (muscle->optimal * muscle->speed) : 0;
}

static void fill_muscle(const sn_batch *batch, const sn_material *materials, const sn_element_settings *all,
                        sn_batch_settings *settings) {
    double number[SN_MUSCLE_ITEMS] = {0};
    int last = -1;
    settings->damped &= ~(unsigned)SN_DAMPED_MUSCLE;
    for (int64_t n = 0; n < (int64_t)batch->block_count * SN_LANES; ++n) {
        if (batch->material_of[n] != last) {
            last = batch->material_of[n];
            muscle_of(&materials[last], all, number);
            if (number[0] > 0 && number[4] > 0) settings->damped |= SN_DAMPED_MUSCLE;
        }
        double *lane = lane_of(settings->muscle, n, SN_MUSCLE_ITEMS);
        for (int i = 0; i < SN_MUSCLE_ITEMS; ++i) lane[i * SN_LANES] = number[i];
    }
}

/* How many parts of the law have a memory. */
static int base_count(const sn_batch *batch) { return batch->by_coefficient ? batch->terms : 1; }

static sn_status fill_batch(const sn_batch *batch, const sn_material *materials, double time,
                            const sn_element_settings *all, sn_batch_settings *settings, sn_error *error) {
    const int count = batch->constants, bases = count * base_count(batch);
    double constant[SN_LAW_CONSTANTS] = {0}, base[SN_PRONY_TERMS * SN_LAW_CONSTANTS] = {0}, damping[3] = {0}, soft = 1;
    double term[SN_TERM_ROWS(SN_PRONY_TERMS)] = {0};
    const sn_material *material = NULL;
    int last = -1;
    settings->damped = 0;
    for (int64_t n = 0; n < (int64_t)batch->block_count * SN_LANES; ++n) {
        if (batch->material_of[n] != last) {
            last = batch->material_of[n];
            material = &materials[last];
            if (strcmp(material->law, batch->law->name) != 0)
                return sn_fail_at(error, SN_BAD_INPUT, "law",
                                  "the law of a material cannot change from '%s' to '%s' while running",
                                  batch->law->name, material->law);
            const sn_status status = batch->law->prepare(batch->law, material, time, constant, error);
            if (status) return status;
            soft = sn_patch_divide(batch->element, batch->law, batch->part, constant);
            damping_of(batch->law, material, batch->part, constant, damping);
            if (batch->terms) {
                relax(batch->law, material, all->elapsed, all->rate, constant, base);
                take_terms(material, all->elapsed, all->rate, term);
            }
        }
        if (settings->soft) settings->soft[n] = soft;
        double own[SN_LAW_CONSTANTS];
        memcpy(own, constant, sizeof own);
        if (batch->element->settle) batch->element->settle(batch, n, material, own, damping);
        if (damping[0] != 0 || damping[1] != 0) settings->damped |= SN_DAMPED_VISCOUS;
        if (damping[2] != 0) settings->damped |= SN_DAMPED_RAYLEIGH;
        for (int i = 0; i < 3; ++i) lane_of(settings->damping, n, 3)[i * SN_LANES] = damping[i];
        for (int i = 0; i < count; ++i) lane_of(settings->constant, n, count)[i * SN_LANES] = own[i];
        if (!batch->terms) continue;
        if (n % SN_LANES == 0) choose_row(batch, n, settings);
        const int rows = SN_TERM_ROWS(batch->terms);
        const int64_t lane = (int64_t)settings->term_row[n / SN_LANES] * SN_LANES + n % SN_LANES;
        for (int i = 0; i < bases; ++i) lane_of(settings->base, lane, bases)[i * SN_LANES] = base[i];
        for (int i = 0; i < rows; ++i) lane_of(settings->term, lane, rows)[i * SN_LANES] = term[i];
    }
    if (batch->muscle) fill_muscle(batch, materials, all, settings);
    return SN_OK;
}

void sn_elements_activate(const sn_elements_model *model, const sn_material *materials, double time,
                          sn_element_settings *settings) {
    ++settings->revision;
    settings->time = time;
    for (int b = 0; b < model->batch_count; ++b)
        if (model->batch[b].muscle) fill_muscle(&model->batch[b], materials, settings, &settings->batch[b]);
}

sn_status sn_elements_parameters(const sn_elements_model *model, const sn_material *materials, double time,
                                 sn_element_settings *settings, sn_error *error) {
    ++settings->revision;
    settings->time = time;
    for (int b = 0; b < settings->batch_count; ++b) {
        const sn_status status =
            fill_batch(sn_settings_batch(model, b), materials, time, settings, &settings->batch[b], error);
        if (status) return status;
    }
    return SN_OK;
}

const sn_batch *sn_settings_batch(const sn_elements_model *model, int index) {
    return index < model->batch_count ? &model->batch[index] : &model->patches->batch[index - model->batch_count];
}

int sn_elements_damped(const sn_elements_model *model, const sn_element_settings *settings) {
    for (int b = 0; b < model->batch_count; ++b)
        if (settings->batch[b].damped) return 1;
    return 0;
}

static sn_status allocate(const sn_context *context, const sn_batch *batch, sn_batch_settings *own, sn_error *error) {
    const size_t lanes = (size_t)batch->block_count * SN_LANES, terms = (size_t)batch->terms,
                 constants = lanes * (size_t)batch->constants;
    own->constant = sn_allocate(context, constants, sizeof *own->constant);
    own->damping = sn_allocate(context, lanes * 3, sizeof *own->damping);
    if (terms) {
        own->base = sn_allocate(context, constants * (size_t)base_count(batch), sizeof *own->base);
        own->term = sn_allocate(context, lanes * SN_TERM_ROWS(terms), sizeof *own->term);
        own->term_row = sn_allocate(context, (size_t)batch->block_count, sizeof *own->term_row);
    }
    if (batch->part == SN_PART_PATCH) own->soft = sn_allocate(context, lanes, sizeof *own->soft);
    if (batch->muscle) own->muscle = sn_allocate(context, lanes * SN_MUSCLE_ITEMS, sizeof *own->muscle);
    const bool all = own->constant && own->damping && (!terms || (own->base && own->term && own->term_row)) &&
                     (!batch->muscle || own->muscle) && (batch->part != SN_PART_PATCH || own->soft);
    return all ? SN_OK : sn_no_memory(error);
}

sn_status sn_element_settings_create(sn_context *context, const sn_elements_model *model, const sn_material *materials,
                                     double time, sn_element_settings *settings, sn_error *error) {
    *settings = (sn_element_settings){.share = 1};
    const sn_patches *patches = model->patches;
    const int count = model->batch_count + (patches ? patches->batch_count : 0);
    settings->batch = sn_allocate_zero(context, (size_t)count, sizeof *settings->batch);
    if (!settings->batch) return sn_no_memory(error);
    settings->batch_count = count;
    sn_status status = SN_OK;
    for (int b = 0; b < count && !status; ++b)
        status = allocate(context, sn_settings_batch(model, b), &settings->batch[b], error);
    if (patches && !status) {
        const size_t lanes = (size_t)patches->block_count * SN_LANES;
        settings->patch_stress = sn_allocate(context, 9 * lanes, sizeof(double));
        settings->patch_tangent = sn_allocate(context, (size_t)patches->tangent_size, sizeof(double));
        if (!settings->patch_stress || !settings->patch_tangent) status = sn_no_memory(error);
    }
    if (!status) status = sn_elements_parameters(model, materials, time, settings, error);
    if (status) sn_element_settings_release(context, settings);
    return status;
}

void sn_element_settings_release(sn_context *context, sn_element_settings *settings) {
    for (int b = 0; b < settings->batch_count; ++b) {
        sn_release(context, settings->batch[b].constant);
        sn_release(context, settings->batch[b].damping);
        sn_release(context, settings->batch[b].base);
        sn_release(context, settings->batch[b].term);
        sn_release(context, settings->batch[b].term_row);
        sn_release(context, settings->batch[b].muscle);
        sn_release(context, settings->batch[b].soft);
    }
    sn_release(context, settings->batch);
    sn_release(context, settings->patch_stress);
    sn_release(context, settings->patch_tangent);
    *settings = (sn_element_settings){0};
}
