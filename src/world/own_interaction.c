/* Interactions that the caller supplies (sinew/interaction.h): an adapter from the public table to the internal one
 * (interaction_kind.h). */
#include "sinew/interaction.h"

#include <stdio.h>
#include <string.h>

#include "inside.h"

enum { COOKIE = 0x494e5431 };

typedef struct supplied {
    int id;
    sn_interaction_table table;
    void *user;
    sn_block *stiffness, *damping; /* block_count each */
} supplied;

sn_interaction_table sn_interaction_table_default(void) { return (sn_interaction_table){.cookie = COOKIE}; }

static void destroy(sn_world *world, sn_interaction *self) {
    supplied *own = self->data;
    if (!own) return;
    sn_release(world->context, own->stiffness);
    sn_release(world->context, own->damping);
    sn_release(world->context, own);
}

static int64_t numbers(const sn_world *world, const sn_interaction *self) {
    (void)world;
    return ((const supplied *)self->data)->table.number_count;
}

static sn_interaction_place seen(const sn_world *world, const sn_interaction *self, double t, const double *x,
                                 const double *v) {
    return (sn_interaction_place){.time = t,
                                  .node_count = world->model->node_count,
                                  .rest = world->model->rest,
                                  .x = x,
                                  .v = v,
                                  .number = self->number};
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    const supplied *own = self->data;
    const sn_interaction_place there = seen(world, self, place->t, place->x, place->v);
    own->table.force(own->user, &there, f);
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    const supplied *own = self->data;
    const sn_interaction_place there = seen(world, self, place->t, place->x, place->v);
    if (own->table.energy) *energy += own->table.energy(own->user, &there);
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world, (void)damping;
    return ((const supplied *)self->data)->table.block_count;
}

/* Appends blocks to a list. Public blocks are row by row, internal blocks column by column. Blocks with wrong node
 * numbers are left out. */
static void append(const sn_world *world, const sn_block *block, int count, sn_block_list *list) {
    const int nodes = world->model->node_count;
    for (int i = 0; i < count; ++i) {
        if (block[i].row < 0 || block[i].row >= nodes || block[i].column < 0 || block[i].column >= nodes) continue;
        double *value = sn_block_append(list, block[i].row, block[i].column);
        for (int k = 0; k < 9; ++k) value[3 * (k % 3) + k / 3] = block[i].value[k];
    }
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)exact;
    const supplied *own = self->data;
    const int most = own->table.block_count;
    if (!own->table.blocks || most == 0) return;
    const sn_interaction_place there = seen(world, self, place->t, place->x, place->v);
    int stiffness = 0, damping = 0;
    own->table.blocks(own->user, &there, own->stiffness, &stiffness, own->damping, &damping);
    append(world, own->stiffness, stiffness < most ? stiffness : most, K);
    if (place->v) append(world, own->damping, damping < most ? damping : most, D);
}

static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    const supplied *own = self->data;
    const sn_interaction_place there = seen(world, self, t, x, v);
    if (own->table.begin) own->table.begin(own->user, &there);
    return false;
}

static void end(sn_world *world, sn_interaction *self, const sn_place *place) {
    const supplied *own = self->data;
    const bool still = world->parameters.no_inertia;
    const sn_interaction_place there =
        place ? seen(world, self, place->t, place->x, place->v)
              : seen(world, self, world->state.time, world->state.x, still ? NULL : world->state.v);
    if (own->table.end) own->table.end(own->user, &there, place != NULL, self->number);
}

static const sn_interaction_kind kind = {.destroy = destroy,
                                         .numbers = numbers,
                                         .force = force,
                                         .energy = energy,
                                         .block_count = block_count,
                                         .blocks = blocks,
                                         .begin = begin,
                                         .end = end};

/* ---- The list ---- */
static sn_status check(const sn_world *world, const sn_interaction_table *table, sn_error *error) {
    if (table->cookie != COOKIE)
        return sn_fail(error, SN_BAD_INPUT, "sn_interaction_table was not made by sn_interaction_table_default()");
    if (!table->name[0] || !memchr(table->name, 0, sizeof table->name))
        return sn_fail_at(error, SN_BAD_INPUT, "name", "an interaction needs a name of at most %zu characters",
                          sizeof table->name - 1);
    for (int i = 0; i < world->state.part_count; ++i)
        if (strcmp(world->state.part[i].name, table->name) == 0)
            return sn_fail_at(error, SN_BAD_INPUT, "name", "the name '%s' is taken already", table->name);
    if (table->number_count < 0 || table->block_count < 0)
        return sn_fail(error, SN_BAD_INPUT, "number_count is %d and block_count is %d; neither may be negative",
                       table->number_count, table->block_count);
    if (!table->force) return sn_fail_at(error, SN_BAD_INPUT, "force", "an interaction needs a force");
    return SN_OK;
}

static sn_status make(const sn_world *world, const sn_interaction_table *table, void *user, supplied **out,
                      sn_error *error) {
    supplied *own = *out = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    *own = (supplied){.table = *table, .user = user};
    own->stiffness = sn_allocate_zero(world->context, (size_t)table->block_count, sizeof *own->stiffness);
    own->damping = sn_allocate_zero(world->context, (size_t)table->block_count, sizeof *own->damping);
    return own->stiffness && own->damping ? SN_OK : sn_no_memory(error);
}

/* Takes an interaction out of the list. The caller releases it. */
static sn_interaction *take_out(sn_world *world, int at) {
    sn_interaction *self = world->interaction[at];
    memmove(world->interaction + at, world->interaction + at + 1,
            (size_t)(world->interaction_count - at - 1) * sizeof *world->interaction);
    --world->interaction_count;
    sn_interactions_sort(world);
    return self;
}

/* Puts it back to its place. There is room. */
static void put_back(sn_world *world, int at, sn_interaction *self) {
    memmove(world->interaction + at + 1, world->interaction + at,
            (size_t)(world->interaction_count - at) * sizeof *world->interaction);
    world->interaction[at] = self;
    ++world->interaction_count;
    sn_interactions_sort(world);
}

static void release(sn_world *world, sn_interaction *self) {
    destroy(world, self);
    sn_release(world->context, self);
}

sn_status sn_world_add_interaction(sn_world *world, const sn_interaction_table *table, void *user, int *id,
                                   sn_error *error) {
    sn_status status = check(world, table, error);
    if (status) return status;
    supplied *own = NULL;
    status = make(world, table, user, &own, error);
    if (!status) status = sn_interactions_append(world, &kind, table->name, own, error);
    if (status) {
        sn_interaction unlisted = {.data = own};
        destroy(world, &unlisted);
        return status;
    }
    for (int i = 0; i < world->interaction_count - 1; ++i)
        if (world->interaction[i]->kind == &kind && ((supplied *)world->interaction[i]->data)->id >= own->id)
            own->id = ((supplied *)world->interaction[i]->data)->id + 1;
    status = sn_world_relayout(world, error);
    if (status) {
        release(world, take_out(world, world->interaction_count - 1));
        return status;
    }
    sn_world_edited(world);
    if (id) *id = own->id;
    return SN_OK;
}

sn_status sn_world_remove_interaction(sn_world *world, int id, sn_error *error) {
    for (int i = 0; i < world->interaction_count; ++i) {
        if (world->interaction[i]->kind != &kind || ((supplied *)world->interaction[i]->data)->id != id) continue;
        sn_interaction *self = take_out(world, i);
        const sn_status status = sn_world_relayout(world, error);
        if (status) {
            put_back(world, i, self);
            return status;
        }
        release(world, self);
        sn_world_edited(world);
        return SN_OK;
    }
    return sn_fail(error, SN_BAD_INPUT, "there is no interaction %d of the caller's", id);
}
