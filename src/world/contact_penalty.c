/* Contacts between bodies that push: the penalty response (contact/touch_penalty.h) on rows of near vertices
 * (contact/touch_near.h). During a step, friction uses normal forces that it remembers from the last solve
 * (contact/friction.h). */
#include <string.h>

#include "contact/touch_near.h"
#include "contact/touch_penalty.h"
#include "inside.h"
#include "row_memory.h"
#include "touching.h"

static const double FORGET = 0.9; /* the part of a left-out depth that the next step still leaves out */

typedef struct pushing {
    sn_touching *touching;
    sn_touch_near *near;      /* NULL: this response is not used */
    sn_touch_penalty penalty; /* its arrays have room for `capacity` rows */
    int capacity;
    sn_row_memory memory; /* of each row: the depth that its spring leaves out, and the gap, m */
    int rounds;           /* how often this step has renewed the normal forces */
    int acting;           /* how many rows acted at the last call of `force` */
} pushing;

/* ---- Life ---- */

static bool used(const sn_touching *touching) { return sn_contact_responds(&touching->options, "penalty"); }

static sn_status create(sn_world *world, const sn_world_options *options, sn_interaction *self, sn_error *error) {
    (void)options;
    pushing *own = self->data = sn_allocate_zero(world->context, 1, sizeof *own);
    if (!own) return sn_no_memory(error);
    own->touching = sn_world_touching(world);
    own->penalty.rows = &own->touching->rows;
    return SN_OK;
}

static void destroy(sn_world *world, sn_interaction *self) {
    pushing *own = self->data;
    if (!own) return;
    sn_touch_near_destroy(own->near);
    sn_row_memory_release(world->context, &own->memory);
    void *const array[] = {own->penalty.start, own->penalty.left_out, own->penalty.mass,
                           own->penalty.held,  own->penalty.friction, own};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(world->context, array[i]);
}

/* Stiffness and friction, after an edit. The surfaces may be others too: their trees are made in the next step. */
static void adapt(sn_world *world, sn_interaction *self) {
    pushing *own = self->data;
    const sn_contact_options *options = &own->touching->options;
    sn_touch_near_destroy(own->near);
    own->near = NULL;
    own->penalty.law = (sn_penalty){
        .chord = true,
        .stiffness = options->stiffness > 0 ? options->stiffness : sn_touching_stiffness(world, own->touching),
        .depth = options->stiffness > 0 ? 0 : 0.01 * world->model->size,
        .damping = options->damping,
        .friction = options->friction,
        .slip = 1e-3 * world->model->size,
    };
    own->penalty.thickness = options->thickness;
}

static void refresh(sn_world *world, sn_interaction *self) {
    (void)world;
    ((pushing *)self->data)->memory.count = 0;
}

static void remember(const sn_world *world, const sn_interaction *self, sn_archive *archive) {
    sn_row_memory_visit(world->context, &((pushing *)self->data)->memory, archive);
}

/* ---- Steps ---- */

static sn_status reserve(const sn_world *world, pushing *own, int count, sn_error *error) {
    if (count <= own->capacity) return SN_OK;
    sn_touch_penalty *p = &own->penalty;
    int capacity[5] = {own->capacity, own->capacity, own->capacity, own->capacity, own->capacity};
    sn_status status = sn_grow(world->context, (void **)&p->start, &capacity[0], count, sizeof *p->start, error);
    if (!status) status = sn_grow(world->context, (void **)&p->mass, &capacity[1], count, sizeof *p->mass, error);
    if (!status) status = sn_grow(world->context, (void **)&p->held, &capacity[2], count, sizeof *p->held, error);
    if (!status)
        status = sn_grow(world->context, (void **)&p->friction, &capacity[3], count, sizeof *p->friction, error);
    if (!status)
        status = sn_grow(world->context, (void **)&p->left_out, &capacity[4], count, sizeof *p->left_out, error);
    if (!status) own->capacity = capacity[0];
    return status;
}

static sn_status find_rows(sn_world *world, pushing *own, const double *v, sn_error *error) {
    sn_touching *touching = own->touching;
    sn_status status = SN_OK;
    if (!own->near)
        status = sn_touch_near_create(world->context, touching->surface, touching->surface_count, &own->near, error);
    if (status) return status;
    sn_touch_near_update(own->near, v);
    for (int a = 0; a < touching->surface_count; ++a)
        for (int b = a; b < touching->surface_count && !status; ++b)
            if (sn_touching_may(touching, a, b))
                status = sn_touch_near_rows(own->near, a, b, touching->options.thickness,
                                            v ? 2 * world->parameters.time.step : 0, &touching->rows, error);
    if (!status) status = reserve(world, own, touching->rows.count, error);
    if (!status) status = sn_row_memory_reserve(world->context, &own->memory, touching->rows.count, error);
    return status ? status : sn_touching_forces(touching, error);
}

static void key_of(const sn_touch_row *row, int32_t key[4]) {
    key[0] = row->a, key[1] = row->b, key[2] = row->feature[0], key[3] = 0;
}

/* The depth that the spring of a row leaves out. Between two steps nothing moves, so that a depth can only grow because
 * the row is new, or because another triangle is the nearest one now. The spring leaves this growth out, and no energy
 * appears from nowhere. What it leaves out shrinks from step to step. */
static double left_out(const pushing *own, const sn_touch_row *row) {
    int32_t key[4];
    key_of(row, key);
    const double *old = sn_row_memory_find(&own->memory, key), depth = own->penalty.thickness - row->gap,
                 was = old ? fmax(own->penalty.thickness - old[1], 0) : 0;
    return fmin((old ? FORGET * old[0] : 0) + fmax(depth - was, 0), fmax(depth, 0));
}

/* The constants of the rows for a step from x. */
static void start_rows(const sn_world *world, pushing *own, const double *x) {
    const sn_touch_rows *rows = &own->touching->rows;
    for (int i = 0; i < rows->count; ++i) {
        const sn_touch_row *row = &rows->row[i];
        double d[3];
        sn_touch_row_gather(rows, row, x, d);
        own->penalty.left_out[i] = left_out(own, row);
        own->penalty.start[i] = row->gap + own->penalty.left_out[i] - sn_dot3(row->n, d);
        own->penalty.mass[i] = sn_touching_mass(world, row);
        own->penalty.held[i] = SN_AHEAD_NONE;
        own->penalty.friction[i] = (sn_friction){0};
    }
}

static bool begin(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    (void)t;
    pushing *own = self->data;
    const sn_parameters *p = &world->parameters;
    own->rounds = own->acting = 0;
    if (!used(own->touching)) return false;
    own->touching->status = find_rows(world, own, p->no_inertia ? NULL : v, &own->touching->error);
    if (own->touching->status) {
        sn_touch_rows_clear(&own->touching->rows);
        return true;
    }
    start_rows(world, own, x);
    own->penalty.lagged = own->penalty.law.friction > 0 && p->method->implicit && !p->method->exact && !p->no_inertia;
    if (own->penalty.lagged) sn_touch_penalty_lag(&own->penalty, x, v);
    return false;
}

static bool renew(sn_world *world, sn_interaction *self, double t, const double *x, const double *v) {
    enum { ROUNDS = 6 };
    (void)world, (void)t;
    pushing *own = self->data;
    return own->penalty.lagged && own->rounds++ < ROUNDS && sn_touch_penalty_lag(&own->penalty, x, v);
}

static bool release(sn_world *world, sn_interaction *self, double t, const double *x) {
    (void)world, (void)t;
    const pushing *own = self->data;
    return used(own->touching) && sn_touch_penalty_release(&own->penalty, x);
}

static bool touches(const sn_world *world, const sn_interaction *self, double t, const double *x) {
    (void)world, (void)t;
    const pushing *own = self->data;
    return used(own->touching) && (own->acting > 0 || sn_touch_penalty_energy(&own->penalty, x) > 0);
}

/* Keeps the forces of the step for the list of contacts. */
static void end(sn_world *world, sn_interaction *self, const sn_place *place) {
    (void)world;
    pushing *own = self->data;
    sn_touching *touching = own->touching;
    own->penalty.lagged = false;
    if (!place || !used(touching)) return;
    own->memory.count = 0;
    for (int i = 0; i < touching->surface_count; ++i) sn_touch_surface_move(touching->surface[i], place->x);
    for (int i = 0; i < touching->rows.count; ++i) {
        sn_touch_row *row = &touching->rows.row[i];
        sn_push push;
        double d[3];
        if (sn_touch_penalty_at(&own->penalty, i, place->x, place->v, &push))
            sn_touch_penalty_pushes(&own->penalty, i, &push, place->v != NULL, touching->force + 3 * (size_t)i);
        sn_touch_row_gather(&touching->rows, row, place->x, d);
        row->gap = own->penalty.start[i] - own->penalty.left_out[i] + sn_dot3(row->n, d);
        sn_kept_row *kept = &own->memory.row[own->memory.count++];
        *kept = (sn_kept_row){.value = {own->penalty.left_out[i], row->gap}};
        key_of(row, kept->key);
        memcpy(row->point, touching->surface[row->a]->position + 3 * (size_t)row->feature[0], sizeof row->point);
    }
    sn_row_memory_sort(&own->memory);
    sn_touching_finish(touching, NULL);
}

/* ---- Forces ---- */

/* The penalty for a solve that looks ahead. */
static sn_touch_penalty looking(const pushing *own, double ahead) {
    sn_touch_penalty penalty = own->penalty;
    penalty.law.ahead = ahead;
    return penalty;
}

static void force(sn_world *world, sn_interaction *self, const sn_place *place, double *f) {
    (void)world;
    pushing *own = self->data;
    if (!used(own->touching)) return;
    const sn_touch_penalty penalty = looking(own, place->ahead);
    own->acting = sn_touch_penalty_force(&penalty, place->x, place->v, f);
}

static void energy(const sn_world *world, const sn_interaction *self, const sn_place *place, double *energy) {
    (void)world;
    const pushing *own = self->data;
    if (used(own->touching)) *energy += sn_touch_penalty_energy(&own->penalty, place->x);
}

static int64_t block_count(const sn_world *world, const sn_interaction *self, bool damping) {
    (void)world, (void)damping;
    const pushing *own = self->data;
    return used(own->touching) ? sn_touch_rows_block_count(&own->touching->rows) : 0;
}

static void blocks(sn_world *world, sn_interaction *self, const sn_place *place, bool exact, sn_block_list *K,
                   sn_block_list *D) {
    (void)world;
    const pushing *own = self->data;
    if (!used(own->touching)) return;
    const sn_touch_penalty penalty = looking(own, place->ahead);
    sn_touch_penalty_blocks(&penalty, place->x, place->v, exact, K, D);
}

const sn_interaction_kind sn_kind_contact_penalty = {.create = create,
                                                     .destroy = destroy,
                                                     .adapt = adapt,
                                                     .refresh = refresh,
                                                     .remember = remember,
                                                     .force = force,
                                                     .energy = energy,
                                                     .block_count = block_count,
                                                     .blocks = blocks,
                                                     .begin = begin,
                                                     .renew = renew,
                                                     .release = release,
                                                     .touches = touches,
                                                     .end = end};
