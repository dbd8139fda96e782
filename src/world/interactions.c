/* The list of interactions: its kinds, and the functions that call all interactions of the list. See
 * interaction_kind.h. */
#include "interaction_kind.h"

#include <math.h>
#include <stdio.h>

#include "inside.h"

#define ENTRY(symbol, name, text) {name, text},
static const sn_listing listing[] = {SN_INTERACTIONS(ENTRY)};
#undef ENTRY
#define ENTRY(symbol, name, text) &sn_kind_##symbol,
static const sn_interaction_kind *const kind[] = {SN_INTERACTIONS(ENTRY)};
#undef ENTRY
enum { KINDS = sizeof kind / sizeof *kind };

const sn_listing *sn_interactions(int *count) {
    *count = KINDS;
    return listing;
}

/* Runs the statement that follows for each interaction whose kind has the function. */
#define EACH(world, self, function)                                                                                    \
    for (int i_ = 0; i_ < (world)->having[SN_FUNCTION_NUMBER(function)].count; ++i_)                                   \
        for (sn_interaction *self = (world)->having[SN_FUNCTION_NUMBER(function)].item[i_]; self; self = NULL)

/* ---- Life ---- */
/* Whether the kind has the function of this number. */
static bool has(const sn_interaction_kind *own, int number) {
    void (*function)(void);
    memcpy(&function, (const char *)own + (size_t)number * sizeof function, sizeof function);
    return function != NULL;
}

void sn_interactions_sort(sn_world *world) {
    const int room = world->having_capacity / SN_INTERACTION_FUNCTION_COUNT;
    if (!room) return;
    for (int f = 0; f < SN_INTERACTION_FUNCTION_COUNT; ++f) {
        sn_interaction_list *list = &world->having[f];
        *list = (sn_interaction_list){.item = world->having_room + f * room};
        for (int i = 0; i < world->interaction_count; ++i)
            if (has(world->interaction[i]->kind, f)) list->item[list->count++] = world->interaction[i];
    }
}

/* Makes room for one more interaction. */
static sn_status reserve_one(sn_world *world, sn_error *error) {
    const sn_status status = sn_grow(world->context, (void **)&world->interaction, &world->interaction_capacity,
                                     world->interaction_count + 1, sizeof *world->interaction, error);
    if (status) return status;
    return sn_grow(world->context, (void **)&world->having_room, &world->having_capacity,
                   SN_INTERACTION_FUNCTION_COUNT * world->interaction_capacity, sizeof *world->having_room, error);
}

sn_status sn_interactions_append(sn_world *world, const sn_interaction_kind *own, const char *name, void *data,
                                 sn_error *error) {
    const sn_status status = reserve_one(world, error);
    sn_interaction *self = status ? NULL : sn_allocate_zero(world->context, 1, sizeof *self);
    if (self) {
        *self = (sn_interaction){.kind = own, .data = data};
        snprintf(self->name, sizeof self->name, "%s", name);
        world->interaction[world->interaction_count++] = self;
    }
    sn_interactions_sort(world); /* also without memory for it: the room may have moved */
    return status || self ? status : sn_no_memory(error);
}

sn_status sn_interactions_create(sn_world *world, const sn_world_options *options, sn_error *error) {
    sn_status status = SN_OK;
    for (int i = 0; i < KINDS && !status; ++i) {
        status = sn_interactions_append(world, kind[i], listing[i].name, NULL, error);
        if (!status && kind[i]->create) status = kind[i]->create(world, options, world->interaction[i], error);
    }
    return status ? status : sn_interactions_allow(world, world->parameters.method, error);
}

void sn_interaction_release(sn_world *world, sn_interaction *self) {
    if (self->kind->destroy) self->kind->destroy(world, self);
    sn_release(world->context, self);
}

void sn_interactions_destroy(sn_world *world) {
    for (int i = world->interaction_count - 1; i >= 0; --i) sn_interaction_release(world, world->interaction[i]);
    sn_release(world->context, world->interaction);
    sn_release(world->context, world->having_room);
}

sn_interaction *sn_interaction_of(const sn_world *world, const sn_interaction_kind *own) {
    for (int i = 0; i < world->interaction_count; ++i)
        if (world->interaction[i]->kind == own) return world->interaction[i];
    return NULL;
}

void sn_interactions_adapt(sn_world *world) { EACH(world, self, adapt) self->kind->adapt(world, self); }

sn_status sn_interactions_start(sn_world *world, sn_error *error) {
    sn_status status = SN_OK;
    EACH(world, self, start) if (!status) status = self->kind->start(world, self, error);
    return status;
}

sn_status sn_interactions_allow(const sn_world *world, const sn_method *method, sn_error *error) {
    sn_status status = SN_OK;
    EACH(world, self, allows) if (!status) status = self->kind->allows(world, self, method, error);
    return status;
}

void sn_interactions_refresh(sn_world *world) { EACH(world, self, refresh) self->kind->refresh(world, self); }

void sn_interactions_remember(const sn_world *world, sn_archive *archive) {
    EACH(world, self, remember) self->kind->remember(world, self, archive);
}

/* ---- Constraints ---- */
const sn_filter *sn_interactions_filter(const sn_world *world, const sn_interaction *end) {
    static const sn_filter none = {0};
    const sn_filter *filter = &none;
    EACH(world, self, filter) {
        if (self == end) return filter;
        filter = self->kind->filter(world, self, filter);
    }
    return filter;
}

void sn_interactions_prescribe(sn_world *world, double t, double *x, double *v, double *a) {
    EACH(world, self, prescribe) self->kind->prescribe(world, self, t, x, v, a);
}

void sn_interactions_retract(const sn_world *world, double *x) {
    EACH(world, self, retract) self->kind->retract(world, self, x);
}

void sn_interactions_holds(const sn_world *world, sn_hold *hold, void *user) {
    EACH(world, self, holds) self->kind->holds(world, self, hold, user);
}

/* ---- Forces ---- */
void sn_interactions_arrive(sn_world *world, const double *x) {
    EACH(world, self, arrive) self->kind->arrive(world, self, x);
}

void sn_interactions_correct(const sn_world *world, const double *x, double *f) {
    EACH(world, self, correct) self->kind->correct(world, self, x, f);
}

void sn_interactions_force(sn_world *world, const sn_place *place, bool steep, double *f) {
    EACH(world, self, force) if (self->kind->steep == steep) self->kind->force(world, self, place, f);
}

void sn_interactions_energy(const sn_world *world, const sn_place *place, double *energy) {
    EACH(world, self, energy) self->kind->energy(world, self, place, energy);
}

void sn_interactions_rate(sn_world *world, const sn_place *place, double *rate) {
    EACH(world, self, rate) self->kind->rate(world, self, place, rate);
}

static sn_status reserve(const sn_world *world, bool damping, sn_block_list *list, sn_error *error) {
    int64_t wanted = 0;
    EACH(world, self, block_count) wanted += self->kind->block_count(world, self, damping);
    return sn_block_list_reserve(world->context, list, wanted, error);
}

sn_status sn_interactions_reserve(const sn_world *world, sn_block_list *K, sn_block_list *D, sn_error *error) {
    const sn_status status = reserve(world, false, K, error);
    return status ? status : reserve(world, true, D, error);
}

void sn_interactions_blocks(sn_world *world, const sn_place *place, bool exact, sn_block_list *K, sn_block_list *D) {
    EACH(world, self, blocks) self->kind->blocks(world, self, place, exact, K, D);
}

void sn_interactions_product(const sn_world *world, double k, const double *u, double *out) {
    EACH(world, self, product) self->kind->product(world, self, k, u, out);
}

sn_status sn_interactions_solve(sn_world *world, const sn_bordered *system, sn_linear_report *report, sn_error *error) {
    sn_status status = SN_OK;
    EACH(world, self, solve) if (!status) status = self->kind->solve(world, self, system, report, error);
    return status;
}

/* ---- Steps ---- */
bool sn_interactions_begin(sn_world *world, double t, const double *x, const double *v) {
    bool settles = false;
    EACH(world, self, begin) settles = self->kind->begin(world, self, t, x, v) || settles;
    return settles;
}

double sn_interactions_limit(sn_world *world, double t, const double *x, const double *d) {
    double part = 1;
    EACH(world, self, limit) part = fmin(part, self->kind->limit(world, self, t, x, d));
    return part;
}

bool sn_interactions_stop(sn_world *world, double t, const double *x, double *d) {
    bool cut = false;
    EACH(world, self, stop) cut = self->kind->stop(world, self, t, x, d) || cut;
    return cut;
}

void sn_interactions_keep(sn_world *world, const double *x, const double *d, uint8_t *stay) {
    EACH(world, self, keep) self->kind->keep(world, self, x, d, stay);
}

bool sn_interactions_keeps(const sn_world *world) {
    EACH(world, self, keep) return true;
    return false;
}

bool sn_interactions_renew(sn_world *world, double t, const double *x, const double *v) {
    bool changed = false;
    EACH(world, self, renew) changed = self->kind->renew(world, self, t, x, v) || changed;
    return changed;
}

bool sn_interactions_release(sn_world *world, double t, const double *x) {
    bool released = false;
    EACH(world, self, release) released = self->kind->release(world, self, t, x) || released;
    return released;
}

sn_status sn_interactions_settle(sn_world *world, const sn_trial *trial, bool *settled, sn_error *error) {
    sn_status status = SN_OK;
    *settled = true;
    EACH(world, self, settle) if (!status && *settled) status = self->kind->settle(world, self, trial, settled, error);
    return status;
}

bool sn_interactions_touch(const sn_world *world, double t, const double *x) {
    EACH(world, self, touches) if (self->kind->touches(world, self, t, x)) return true;
    return false;
}

void sn_interactions_end(sn_world *world, const sn_place *place) {
    EACH(world, self, end) self->kind->end(world, self, place);
}

/* ---- Looking ---- */
void sn_interactions_report(const sn_world *world, sn_step_report *report) {
    EACH(world, self, report) self->kind->report(world, self, report);
}

void sn_interactions_support(const sn_world *world, const double *balance, double *force) {
    EACH(world, self, support) self->kind->support(world, self, balance, force);
}

int sn_world_glyphs(const sn_world *world, sn_glyph *glyph, int room) {
    int count = 0;
    EACH(world, self, draw) {
        const int left = room > count ? room - count : 0;
        const int more = self->kind->draw(world, self, glyph + (left ? count : 0), left);
        for (int i = count; i < count + more && i < room; ++i) glyph[i].name = self->name;
        count += more;
    }
    return count;
}
