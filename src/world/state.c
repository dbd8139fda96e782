/* The state: one block of doubles and a few counters. */
#include <math.h>
#include <string.h>

#include "world.h"

sn_status sn_state_create(const sn_world *world, sn_state *state, sn_error *error) {
    const int64_t n = world->model.node_count;
    *state = (sn_state){.nodes = (int)n,
                        .history_count = world->parameters.method->history((int)(3 * n)),
                        .rotation_count = world->model.solid->elements.rotation_state_size};
    const int64_t before = (10 * n + state->history_count + SN_LANES - 1) / SN_LANES * SN_LANES; /* the kernels want it aligned */
    state->count = before + state->rotation_count;
    state->value = sn_allocate_zero(world->context, (size_t)state->count, sizeof *state->value);
    if (!state->value) return sn_no_memory(error);
    state->x = state->value;
    state->v = state->x + 3 * n;
    state->a = state->v + 3 * n;
    state->pinned = state->a + 3 * n;
    state->history = state->pinned + n;
    state->rotation = state->value + before;
    memcpy(state->x, world->model.rest, (size_t)n * 3 * sizeof *state->x);
    return SN_OK;
}

void sn_state_destroy(sn_context *context, sn_state *state) {
    sn_release(context, state->value);
    *state = (sn_state){0};
}

void sn_state_copy(const sn_state *from, sn_state *to) {
    to->time = from->time, to->steps = from->steps;
    to->base_time = from->base_time, to->base_steps = from->base_steps;
    memcpy(to->value, from->value, (size_t)from->count * sizeof *from->value);
}

bool sn_state_finite(const sn_state *state) {
    if (!isfinite(state->time)) return false;
    for (int64_t i = 0; i < 6 * (int64_t)state->nodes; ++i)
        if (!isfinite(state->value[i])) return false;
    return true;
}

void sn_state_rotations(sn_world *world) {
    sn_state *state = &world->state;
    const size_t n = (size_t)world->model.node_count * 3;
    if (state->rotation_count == 0) return;
    memset(state->rotation, 0, (size_t)state->rotation_count * sizeof *state->rotation);
    memcpy(world->workspace.x_before, world->model.rest, n * sizeof(double));
    const sn_element_view view = sn_world_view(world, state->x, NULL);
    sn_elements_accept(world->context, &world->model.solid->elements, &view, state->rotation);
    memcpy(world->workspace.x_before, state->x, n * sizeof(double));
}
