/* The state: one block of doubles and a few counters. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "world.h"

/* Status and load of each pair of a projecting collider and a surface node. */
static int64_t contact_numbers(const sn_world *world) {
    int64_t projecting = 0;
    for (int i = 0; i < world->parameters.collider_count; ++i) projecting += sn_collider_projects(&world->parameters.collider[i]);
    return 2 * projecting * world->model.surface.count;
}

sn_status sn_state_create(const sn_world *world, sn_state *state, sn_error *error) {
    const int64_t n = world->model.node_count;
    *state = (sn_state){.nodes = (int)n,
                        .history_count = world->parameters.method->history((int)(3 * n)),
                        .rotation_count = world->model.solid->elements.rotation_state_size,
                        .contact_count = contact_numbers(world)};
    const int64_t used = 10 * n + state->contact_count + 3 * world->model.link_count + state->history_count;
    const int64_t before = (used + SN_LANES - 1) / SN_LANES * SN_LANES; /* the kernels want it aligned */
    state->count = before + state->rotation_count;
    state->value = sn_allocate_zero(world->context, (size_t)state->count, sizeof *state->value);
    if (!state->value) return sn_no_memory(error);
    state->x = state->value;
    state->v = state->x + 3 * n;
    state->a = state->v + 3 * n;
    state->pinned = state->a + 3 * n;
    state->contact = state->pinned + n;
    state->link = state->contact + state->contact_count;
    state->history = state->link + 3 * (size_t)world->model.link_count;
    state->rotation = state->value + before;
    memcpy(state->x, world->model.rest, (size_t)n * 3 * sizeof *state->x);
    return SN_OK;
}

void sn_state_destroy(sn_context *context, sn_state *state) {
    sn_release(context, state->value);
    *state = (sn_state){0};
}

void sn_state_copy(const sn_context *context, const sn_state *from, sn_state *to) {
    to->time = from->time, to->steps = from->steps;
    to->base_time = from->base_time, to->base_steps = from->base_steps;
    sn_vector_copy(context, (int)from->count, from->value, to->value);
}

bool sn_state_finite(const sn_state *state) {
    if (!isfinite(state->time)) return false;
    double zero = 0;
    for (int64_t i = 0; i < 6 * (int64_t)state->nodes; i += 6) { /* zero times what is not finite is NaN */
        const double *a = state->value + i;
        zero += 0 * (((a[0] + a[1]) + (a[2] + a[3])) + (a[4] + a[5]));
    }
    return zero == 0;
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
