/* The memory of materials with a Prony series. See memory.h. */
#include "memory.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "fem/patch.h"
#include "fem/prony.h"
#include "inside.h"

static bool remembers(const sn_world *world) { return world->solid->elements.memory_size > 0; }

sn_status sn_memory_create(sn_context *context, const sn_elements_model *elements, int nodes, sn_memory *memory,
                           sn_error *error) {
    *memory = (sn_memory){0};
    if (elements->recalled_size == 0) return SN_OK;
    double **const array[] = {&memory->before, &memory->recalled, &memory->next_before, &memory->next_recalled,
                              &memory->next_inside};
    for (int i = 0; i < 5; ++i) {
        const size_t count = i < 4 ? (size_t)elements->recalled_size : 3 * (size_t)nodes;
        *array[i] = sn_allocate_zero(context, count, sizeof(double));
        if (*array[i]) continue;
        sn_memory_destroy(context, memory);
        return sn_no_memory(error);
    }
    return SN_OK;
}

void sn_memory_destroy(sn_context *context, sn_memory *memory) {
    double *const array[] = {memory->before, memory->recalled, memory->next_before, memory->next_recalled,
                             memory->next_inside};
    for (int i = 0; i < 5; ++i) sn_release(context, array[i]);
    *memory = (sn_memory){0};
}

/* ---- Time ---- */
/* t - begin, rounded to a billionth of itself. Equal steps then have equal moduli, whatever the rounding of t. */
static double elapsed_at(const sn_world *world, double t) {
    if (world->parameters.is_static) return INFINITY;
    const double elapsed = t - world->workspace.memory.begin;
    if (!(elapsed > 0)) return 0;
    int exponent;
    const double part = frexp(elapsed, &exponent);
    return ldexp(round(ldexp(part, 30)), exponent - 30);
}

/* Fills the settings of the elements. The materials were checked before, so this cannot fail. */
static void set_elapsed(sn_world *world, double elapsed, bool rate) {
    sn_element_settings *settings = &world->parameters.elements;
    if (settings->elapsed == elapsed && settings->rate == rate) return;
    settings->elapsed = elapsed, settings->rate = rate;
    sn_solid_settings(world, settings->time, NULL);
    world->workspace.memory.current = world->workspace.inside_known = false;
}

static void recall(sn_world *world) {
    sn_memory *memory = &world->workspace.memory;
    sn_elements_recall(world->context, &world->solid->elements, &world->parameters.elements, memory->before,
                       world->state.memory, memory->recalled);
    memory->current = true;
}

void sn_memory_recall(sn_world *world) {
    if (!remembers(world)) return;
    world->workspace.memory.read = true;
    if (!world->workspace.memory.current) recall(world);
}

void sn_memory_reach(sn_world *world, double t) {
    if (!remembers(world)) return;
    set_elapsed(world, elapsed_at(world, t), false);
    if (world->solid->elements.recalls) sn_memory_recall(world);
}

/* ---- Steps ---- */
static sn_memory_arrays arrays_of(sn_world *world) {
    const sn_memory *own = &world->workspace.memory;
    return (sn_memory_arrays){own->before, world->state.memory, own->before, world->state.memory, own->recalled};
}

static void exchange(double **a, double **b) {
    double *const old = *a;
    *a = *b, *b = old;
}

static void exchange_memory(sn_world *world) { exchange(&world->state.memory, &world->workspace.before.memory); }

/* The first part that is accepted leaves the old memory where it is, for a step that fails later. */
static sn_memory_arrays guarded_arrays(sn_world *world) {
    sn_memory_arrays arrays = arrays_of(world);
    if (!world->workspace.memory.guarded) arrays.memory = world->workspace.before.memory;
    return arrays;
}

static void take_guarded(sn_world *world) {
    if (!world->workspace.memory.guarded) exchange_memory(world);
    world->workspace.memory.guarded = true;
}

void sn_memory_guard(sn_world *world) { world->workspace.memory.guarded = false; }

void sn_memory_restore(sn_world *world) {
    if (world->workspace.memory.guarded) exchange_memory(world);
    world->workspace.memory.guarded = false;
}

/* Rotations and frames that change when a step is accepted change the forces after it: nothing is known ahead. */
bool sn_memory_look_ahead(sn_world *world, sn_memory_arrays *arrays, sn_element_view *view) {
    sn_memory *own = &world->workspace.memory;
    const sn_state *state = &world->state;
    own->ahead = false;
    if (!remembers(world)) return false;
    ++own->evaluations;
    if (own->guarded || own->expected == 0 || own->evaluations < own->expected || state->rotation_count > 0 ||
        state->frame_count > 0 || state->vertex_frame_count > 0)
        return false;
    *arrays = (sn_memory_arrays){own->before, state->memory, own->next_before, world->workspace.before.memory,
                                 own->read ? own->next_recalled : NULL};
    view->remember = arrays, view->next = world->adaptive ? world->adaptive->next : own->next_inside;
    sn_vector_zero(world->context, 3 * world->solid->elements.node_count, view->next);
    own->ahead_recalled = own->read;
    return own->ahead = true;
}

static void remember(sn_world *world, const double *x, const sn_memory_arrays *arrays) {
    const sn_element_view view = sn_world_view(world, x, NULL);
    sn_elements_remember(world->context, &world->solid->elements, &view, arrays);
    world->workspace.memory.current = arrays->recalled != NULL;
}

void sn_memory_begin(sn_world *world, double t) {
    world->workspace.memory.begin = t;
    world->workspace.memory.evaluations = 0;
    world->workspace.memory.read = world->solid->elements.recalls;
}

/* The place is that of the last evaluation, which looked ahead. */
static void take_ahead(sn_world *world) {
    sn_workspace *work = &world->workspace;
    sn_memory *own = &work->memory;
    exchange(&own->before, &own->next_before);
    exchange(&work->inside, &own->next_inside);
    own->current = own->ahead_recalled;
    if (!own->ahead_recalled) return;
    exchange(&own->recalled, &own->next_recalled);
    sn_linear_recalled(work->linear, own->recalled);
}

void sn_memory_accept(sn_world *world, double t, const double *x, const double *v) {
    if (!remembers(world)) return;
    sn_workspace *work = &world->workspace;
    sn_memory *own = &work->memory;
    set_elapsed(world, elapsed_at(world, t), false);
    const bool here = sn_world_inside_at(world, x, v);
    const sn_memory_arrays arrays = guarded_arrays(world);
    own->expected = here ? own->evaluations : 0;
    /* The forces depend on the recalled stress. A kept linearisation may be older than it: it is an approximation.
     * Whoever asked for the force at the end of the step asks for the force of the next step at the same place: it is
     * computed together with the memory. */
    if (here && own->ahead) {
        take_ahead(world);
    } else if (work->inside_known) {
        if (sn_world_force_inside(world, x, v, &arrays, NULL)) work->inside_known = false;
        own->current = true;
    } else {
        remember(world, x, &arrays);
        work->inside_known = false;
    }
    take_guarded(world);
    own->ahead = false;
    own->begin = t;
}

void sn_memory_end(sn_world *world) { world->workspace.memory.begin = world->state.time; }

/* ---- Starts ---- */
void sn_memory_start(sn_world *world) {
    if (!remembers(world)) return;
    sn_memory *memory = &world->workspace.memory;
    memory->begin = world->state.time;
    memset(memory->before, 0, (size_t)world->solid->elements.recalled_size * sizeof(double));
    sn_state_forget(&world->state, "memory");
    set_elapsed(world, elapsed_at(world, memory->begin), false);
    const sn_memory_arrays arrays = arrays_of(world);
    remember(world, world->state.x, &arrays);
}

void sn_memory_refresh(sn_world *world) {
    if (!remembers(world)) return;
    world->workspace.memory.begin = world->state.time;
    world->workspace.memory.expected = 0;
    world->workspace.inside_known = false;
    sn_memory_arrays arrays = arrays_of(world); /* only the stress at the begin of the step */
    arrays.memory = arrays.recalled = NULL;
    remember(world, world->state.x, &arrays);
    /* The next step writes there. Behind the elements of an adaptive world it must be zero. */
    const int64_t used = world->solid->elements.memory_size;
    memset(world->workspace.before.memory + used, 0, (size_t)(world->state.memory_count - used) * sizeof(double));
}

void sn_memory_forget(sn_world *world) {
    sn_state_forget(&world->state, "memory");
    sn_memory_refresh(world);
}

/* ---- Forces and energy ---- */
void sn_memory_rate(sn_world *world, double t, const double *x, double *rate) {
    if (!remembers(world)) return;
    set_elapsed(world, elapsed_at(world, t), true);
    recall(world);
    const sn_element_view view = sn_world_view(world, x, NULL);
    const sn_elements_model *elements = &world->solid->elements;
    double *compact = world->adaptive ? world->adaptive->force : NULL;
    if (compact) sn_vector_zero(world->context, 3 * elements->node_count, compact);
    sn_elements_force(world->context, elements, &view, compact ? compact : rate, NULL);
    if (compact) sn_world_collect(world, compact, rate);
    set_elapsed(world, elapsed_at(world, t), false);
}

/* The inverse of the 6x6 stiffness of a material at rest (shear strains doubled), for stresses in the order of the
 * memory. Zero when the material has no stiffness. */
static void compliance_of(const sn_world *world, const sn_material *material, double out[36]) {
    static const int entry[6] = {0, 4, 8, 1, 5, 6};
    const double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double dP[81], A[6][12] = {{0}};
    memset(out, 0, 36 * sizeof *out);
    if (sn_material_evaluate(world->context, material, F, NULL, NULL, dP, NULL)) return;
    for (int a = 0; a < 6; ++a) {
        for (int b = 0; b < 6; ++b) A[a][b] = dP[9 * entry[a] + entry[b]];
        A[a][6 + a] = 1;
    }
    for (int p = 0; p < 6; ++p) { /* Gauss-Jordan; the matrix is positive definite */
        if (!(A[p][p] > 0)) return;
        for (int r = 0; r < 6; ++r) {
            const double f = A[r][p] / A[p][p];
            for (int c = 0; c < 12 && r != p; ++c) A[r][c] -= f * A[p][c];
        }
    }
    for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) out[6 * a + b] = A[a][6 + b] / A[a][a];
}

/* The factors of the terms in the energy: their ratios. A series on coefficients keeps ratio h, so it has 1 / ratio,
 * and 0 for terms without a modulus at small strains. */
static void factors_of(const sn_world *world, const sn_law *law, const sn_material *material,
                       double factor[SN_PRONY_TERMS]) {
    double constant[SN_LAW_CONSTANTS] = {0};
    const bool one_by_one = sn_prony_on_coefficients(material);
    if (one_by_one && law->prepare(law, material, world->state.time, constant, NULL)) return;
    for (int t = 0; t < material->prony_count; ++t) {
        const double ratio = one_by_one ? sn_prony_rest_ratio(law, material, t, constant) : material->prony[t][0];
        factor[t] = one_by_one && ratio > 0 ? 1 / ratio : ratio;
    }
}

/* A part of a law that is divided between elements and patches (fem/patch.h) is softer than the law: its compliance is
 * that of the law over the shares of the part in the moduli, for shear and for volume. */
static void divide_compliance(const sn_world *world, const sn_batch *batch, const sn_material *material,
                              double compliance[36]) {
    double constant[SN_LAW_CONSTANTS] = {0}, bulk, shear, part_bulk, part_shear;
    if (batch->element->patch_shear == 0 ||
        batch->law->prepare(batch->law, material, world->state.time, constant, NULL))
        return;
    sn_law_mean_moduli(batch->law, constant, &bulk, &shear);
    sn_patch_divide(batch->element, batch->law, batch->part, constant);
    sn_law_mean_moduli(batch->law, constant, &part_bulk, &part_shear);
    if (!(part_bulk > 0 && part_shear > 0)) return;
    for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) {
            double *c = &compliance[6 * a + b];
            const double volume = a < 3 && b < 3 && bulk > 0 ? 1 / (9 * bulk) : 0;
            *c = (*c - volume) * shear / part_shear + volume * bulk / part_bulk;
        }
}

/* factor / 2 h C^-1 h, over the terms of one point of one lane. `h` is the first number of the point. */
static double point_energy(int terms, const double *factor, const double *compliance, const double *h) {
    double energy = 0;
    for (int t = 0; t < terms; ++t)
        for (int a = 0; a < 6; ++a)
            for (int b = 0; b < 6; ++b)
                energy +=
                    0.5 * factor[t] * compliance[6 * a + b] * h[(6 * t + a) * SN_LANES] * h[(6 * t + b) * SN_LANES];
    return energy;
}

/* Springs remember a tension: its energy is tension^2 / (2 k). */
static double batch_energy(const sn_world *world, const sn_batch *batch) {
    const double *memory = world->state.memory + batch->memory;
    const int points = sn_batch_points(batch), last_term = 6 * batch->terms;
    const sn_material *material = NULL;
    double compliance[36] = {0}, factor[SN_PRONY_TERMS] = {0}, energy = 0;
    for (int64_t n = 0; n < (int64_t)batch->block_count * SN_LANES; ++n) {
        const int64_t block = n / SN_LANES, lane = n % SN_LANES;
        if (batch->element_of && batch->element_of[n] < 0) continue;
        if (material != &world->parameters.material[batch->material_of[n]]) {
            material = &world->parameters.material[batch->material_of[n]];
            compliance_of(world, material, compliance);
            divide_compliance(world, batch, material, compliance);
            factors_of(world, batch->law, material, factor);
        }
        for (int q = 0; q < points; ++q) {
            const int64_t point = block * points + q;
            const double w = batch->weight[point * SN_LANES + lane],
                         e = point_energy(batch->terms, factor, compliance,
                                          memory + point * last_term * SN_LANES + lane);
            energy += batch->number ? (w > 0 ? e / w : 0) : w * e;
        }
    }
    return energy;
}

sn_status sn_memory_energy(sn_world *world, double *energy, sn_error *error) {
    sn_element_view view = sn_world_view(world, world->state.x, NULL);
    view.recalled = NULL;
    if (remembers(world)) set_elapsed(world, INFINITY, false);
    const sn_status status =
        sn_elements_energy(world->context, &world->solid->elements, &view, world->workspace.partial, energy, error);
    for (int b = 0; b < world->parameters.elements.batch_count && !status; ++b) {
        const sn_batch *batch = sn_settings_batch(&world->solid->elements, b);
        if (batch->terms) *energy += batch_energy(world, batch);
    }
    return status;
}
