/* The state: its layout, copies, and the change from one layout to another. See state.h. */
#include "state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/simd.h"
#include "base/vector.h"
#include "inside.h"
#include "time/judge.h"

enum {
    OWN_PARTS = 10
}; /* positions, velocities, accelerations, history, rotations, memory, frames, vertex-frames, active, details */

/* ---- Layout ---- */
static void add_part(sn_state *state, const char *name, int64_t count) {
    sn_part *part = &state->part[state->part_count++];
    snprintf(part->name, sizeof part->name, "%s", name);
    part->begin = state->count, part->count = count;
    state->count += count;
}

static void add_interactions(const sn_world *world, sn_state *state, bool still) {
    for (int i = 0; i < world->interaction_count; ++i) {
        const sn_interaction *self = world->interaction[i];
        if (self->kind->still == still)
            add_part(state, self->name, self->kind->numbers ? self->kind->numbers(world, self) : 0);
    }
}

/* A step does not change accelerations (they are written when it has succeeded) and still numbers of interactions. They
 * lie between the velocities and everything else. */
static void lay_out(const sn_world *world, sn_state *state) {
    const int64_t n = 3 * (int64_t)world->model->node_count;
    add_part(state, "positions", n);
    add_part(state, "velocities", n);
    add_part(state, "accelerations", n);
    int64_t tets = 0;
    for (int i = 0; world->adaptive && i < world->adaptive->count; ++i) tets += world->adaptive->body[i].forest.count;
    if (world->adaptive) add_part(state, "active", tets);
    if (world->adaptive && world->adaptive->offset) add_part(state, "details", n);
    add_interactions(world, state, true);
    state->own = state->count;
    add_interactions(world, state, false);
    state->own_count = state->count - state->own;
    state->history_count = world->parameters.method->history((int)n) + SN_JUDGE_NUMBERS;
    add_part(state, "history", state->history_count);
    state->count = (state->count + SN_LANES - 1) / SN_LANES * SN_LANES; /* the kernels want the rotations aligned */
    state->rotation_count = world->solid->elements.rotation_state_size;
    add_part(state, "rotations", state->rotation_count);
    state->memory_begin = state->count;
    state->memory_count = world->adaptive ? world->solid->order.memory : world->solid->elements.memory_size;
    add_part(state, "memory", state->memory_count); /* multiples of SN_LANES up to here */
    state->frame_count = world->solid->elements.frame_size;
    add_part(state, "frames", state->frame_count);
    state->vertex_frame_count = world->solid->warping.block_count > 0 ? 3 * n : 0;
    add_part(state, "vertex-frames", state->vertex_frame_count);
}

/* The doubles of `value`. */
static size_t own_size(const sn_state *state) { return (size_t)(state->count - state->memory_count); }

/* Where a part has its numbers. */
static double *numbers_of(const sn_state *state, const sn_part *part) {
    const int64_t count = state->memory_count;
    if (count > 0 && part->begin == state->memory_begin && part->count == count) return state->memory;
    return state->value + part->begin - (part->begin >= state->memory_begin + count ? count : 0);
}

sn_status sn_state_create(const sn_world *world, sn_state *state, sn_error *error) {
    *state = (sn_state){0};
    state->part = sn_allocate_zero(world->context, (size_t)(world->interaction_count + OWN_PARTS), sizeof *state->part);
    if (!state->part) return sn_no_memory(error);
    lay_out(world, state);
    state->value = sn_allocate_zero(world->context, own_size(state), sizeof *state->value);
    if (state->memory_count > 0)
        state->memory = sn_allocate_zero(world->context, (size_t)state->memory_count, sizeof *state->memory);
    if (!state->value || (state->memory_count > 0 && !state->memory)) {
        sn_state_destroy(world->context, state);
        return sn_no_memory(error);
    }
    state->x = sn_state_part(state, "positions");
    state->v = sn_state_part(state, "velocities");
    state->a = sn_state_part(state, "accelerations");
    state->history = sn_state_part(state, "history");
    state->rotation = sn_state_part(state, "rotations");
    state->frame = sn_state_part(state, "frames");
    state->vertex_frame = sn_state_part(state, "vertex-frames");
    for (int64_t i = 0; i < state->vertex_frame_count; ++i) state->vertex_frame[i] = i % 9 % 4 == 0;
    memcpy(state->x, world->model->rest, (size_t)world->model->node_count * 3 * sizeof *state->x);
    return SN_OK;
}

void sn_state_destroy(sn_context *context, sn_state *state) {
    sn_release(context, state->value);
    sn_release(context, state->memory);
    sn_release(context, state->part);
    *state = (sn_state){0};
}

static const sn_part *find(const sn_state *state, const char *name) {
    for (int i = 0; i < state->part_count; ++i)
        if (strcmp(state->part[i].name, name) == 0) return &state->part[i];
    return NULL;
}

double *sn_state_part(const sn_state *state, const char *name) {
    const sn_part *part = find(state, name);
    return part ? numbers_of(state, part) : NULL;
}

void sn_state_forget(sn_state *state, const char *name) {
    const sn_part *part = find(state, name);
    if (part) memset(numbers_of(state, part), 0, (size_t)part->count * sizeof *state->value);
}

/* ---- Copies ---- */
static void copy_counters(const sn_state *from, sn_state *to) {
    to->time = from->time, to->steps = from->steps;
    to->base_time = from->base_time, to->base_steps = from->base_steps;
}

void sn_state_copy_motion(const sn_context *context, const sn_state *from, sn_state *to) {
    copy_counters(from, to);
    const int64_t still = from->a - from->value;
    sn_vector_copy(context, (int)still, from->value, to->value);
    sn_vector_copy(context, (int)((int64_t)own_size(from) - from->own), from->value + from->own, to->value + from->own);
}

void sn_state_copy(const sn_context *context, const sn_state *from, sn_state *to) {
    copy_counters(from, to);
    sn_vector_copy(context, (int)own_size(from), from->value, to->value);
    if (from->memory) sn_vector_copy(context, (int)from->memory_count, from->memory, to->memory);
}

void sn_state_write(const sn_state *state, void *numbers) {
    const size_t first = (size_t)state->memory_begin * sizeof(double), all = own_size(state) * sizeof(double),
                 memory = (size_t)state->memory_count * sizeof(double);
    char *to = numbers;
    memcpy(to, state->value, first);
    if (memory) memcpy(to + first, state->memory, memory);
    memcpy(to + first + memory, state->value + state->memory_begin, all - first);
}

void sn_state_read(sn_state *state, const void *numbers) {
    const size_t first = (size_t)state->memory_begin * sizeof(double), all = own_size(state) * sizeof(double),
                 memory = (size_t)state->memory_count * sizeof(double);
    const char *from = numbers;
    memcpy(state->value, from, first);
    if (memory) memcpy(state->memory, from + first, memory);
    memcpy(state->value + state->memory_begin, from + first + memory, all - first);
}

void sn_state_carry(const sn_state *from, sn_state *to) {
    copy_counters(from, to);
    for (int i = 0; i < to->part_count; ++i) {
        const sn_part *part = &to->part[i], *old = find(from, part->name);
        if (old && old->count == part->count)
            memcpy(numbers_of(to, part), numbers_of(from, old), (size_t)part->count * sizeof *to->value);
    }
}

bool sn_state_finite(const sn_context *context, const sn_state *state) {
    /* positions, velocities */
    return isfinite(state->time) && isfinite(sn_vector_largest(context, (int)(state->a - state->x), state->x));
}

/* ---- The state of a world ---- */
void sn_world_adopt(sn_world *world, sn_state *state) {
    sn_state_destroy(world->context, &world->state);
    world->state = *state;
    *state = (sn_state){0};
    sn_workspace_forget(world); /* the linearisation points to frames of the old state */
    for (int i = 0; i < world->interaction_count; ++i)
        world->interaction[i]->number = sn_state_part(&world->state, world->interaction[i]->name);
}

sn_status sn_world_relayout(sn_world *world, sn_error *error) {
    sn_state state;
    sn_status status = sn_state_create(world, &state, error);
    if (!status) status = sn_workspace_fit(world, error);
    if (status) {
        sn_state_destroy(world->context, &state);
        return status;
    }
    sn_state_carry(&world->state, &state);
    sn_world_adopt(world, &state);
    return SN_OK;
}

void sn_world_rotations(sn_world *world) {
    sn_state *state = &world->state;
    const size_t n = (size_t)world->model->node_count * 3;
    if (state->rotation_count > 0) {
        memset(state->rotation, 0, (size_t)state->rotation_count * sizeof *state->rotation);
        memcpy(world->workspace.x_before, world->model->rest, n * sizeof(double));
        const sn_element_view view = sn_world_view(world, state->x, NULL);
        sn_elements_accept(world->context, &world->solid->elements, &view, state->rotation);
        memcpy(world->workspace.x_before, state->x, n * sizeof(double));
    }
    sn_world_frames(world, -INFINITY, INFINITY, state->x);
}

bool sn_world_frames(sn_world *world, double from, double to, const double *x) {
    sn_state *state = &world->state;
    const sn_solid *solid = world->solid;
    sn_element_view view = sn_world_view(world, x, NULL);
    const bool vertices = sn_warping_rotations(world->context, &solid->warping, from, to, x, state->vertex_frame);
    bool due = sn_elements_frames(world->context, &solid->elements, &view, -1, from, to, state->frame) || vertices;
    for (int level = sn_elements_frame_level(&solid->elements); level >= 0; --level) {
        /* The displacement without the details of finer levels has one gradient in each coarse tet. */
        const int n = 3 * world->model->node_count;
        double *coarse = world->workspace.scaled;
        sn_vector_subtract(world->context, n, x, world->model->rest, coarse);
        sn_levels_interpolate(world->context, &world->model->levels, level, coarse);
        sn_vector_add(world->context, n, 1, world->model->rest, coarse);
        view.x = coarse;
        due = sn_elements_frames(world->context, &solid->elements, &view, level, from, to, state->frame) || due;
    }
    if (due) world->workspace.inside_known = false;
    return due;
}
