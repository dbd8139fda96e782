/* The functions of haptic.h that make, edit and show the tools of a world. See tools.h. */
#include "tools_edit.h"

#include <stdio.h>
#include <string.h>

#include "base/math3.h"
#include "inside.h"

/* ---- Making ---- */

int sn_world_find_tool(const sn_world *world, const char *name) {
    const sn_tools *own = sn_world_tools(world);
    for (int i = 0; own && i < own->count; ++i)
        if (strcmp(own->item[i].options.name, name) == 0) return i;
    return -1;
}

static bool is_taken(const sn_tools *own, int at, const char *name) {
    for (int i = 0; i < own->count; ++i)
        if (i != at && strcmp(own->item[i].options.name, name) == 0) return true;
    return false;
}

/* The name that tool `at` gets: its own, or "tool" and the first number that is free. */
static sn_status take_name(const sn_tools *own, int at, sn_tool_options *options, sn_error *error) {
    if (options->name[0] && is_taken(own, at, options->name))
        return sn_fail_at(error, SN_BAD_INPUT, "name", "two tools have the name '%.63s'; each needs its own",
                          options->name);
    for (int number = at; !options->name[0] || is_taken(own, at, options->name); ++number)
        snprintf(options->name, sizeof options->name, "tool%d", number);
    return SN_OK;
}

/* Finds the body; makes the surfaces that the tool may touch. */
static sn_status take_bodies(const sn_world *world, sn_tools *own, const sn_tool_options *options, int *body,
                             sn_error *error) {
    const sn_model *model = world->model;
    *body = options->body[0] ? sn_model_find_body(model, options->body) : -1;
    if (options->body[0] && *body < 0)
        return sn_fail_at(error, SN_BAD_INPUT, "body", "there is no body '%s'", options->body);
    if (!own->ground) own->ground = sn_allocate_zero(world->context, (size_t)model->body_count, sizeof *own->ground);
    if (!own->ground) return sn_no_memory(error);
    bool any = false;
    for (int b = 0; b < model->body_count; ++b) {
        if (*body >= 0 && b != *body) continue;
        if (model->body[b].element->face_nodes == 0) continue;
        const sn_status status = sn_tools_ground(world, own, b, error);
        if (status) return status;
        any = true;
    }
    if (any) return SN_OK;
    return sn_fail_at(error, SN_UNSUPPORTED, "body", "body '%s' is plane; a tool touches bodies of tets or cloth",
                      model->body[*body >= 0 ? *body : 0].name);
}

/* Fills an item with options, which become those of tool `at`. What it held before stays the caller's. */
static sn_status make(const sn_world *world, sn_tools *own, int at, const sn_tool_options *options, sn_tool_item *item,
                      sn_error *error) {
    sn_status status = sn_tool_check(options, error);
    if (status) return status;
    item->options = *options;
    item->options.name[sizeof options->name - 1] = item->options.body[sizeof options->body - 1] = 0;
    status = take_name(own, at, &item->options, error);
    if (!status) status = take_bodies(world, own, &item->options, &item->body, error);
    if (status || strcmp(item->options.buffer, "compliance") != 0 || own->solution) return status;
    own->solution = sn_allocate(world->context, 3 * (size_t)world->model->node_count, sizeof *own->solution);
    return own->solution ? SN_OK : sn_no_memory(error);
}

sn_status sn_tools_append(const sn_world *world, sn_tools *own, const sn_tool_options *options, sn_error *error) {
    sn_status status =
        sn_grow(world->context, (void **)&own->item, &own->capacity, own->count + 1, sizeof *own->item, error);
    if (status) return status;
    sn_tool_item *item = &own->item[own->count];
    *item = (sn_tool_item){0};
    status = make(world, own, own->count, options, item, error);
    if (!status) item->shared = sn_tool_create();
    if (!status && !item->shared) status = sn_no_memory(error);
    if (status) return status;
    ++own->count;
    sn_tools_publish(own, item, NULL, NULL);
    return SN_OK;
}

void sn_tool_item_release(const sn_world *world, sn_tool_item *item) {
    if (item->shared) atomic_store_explicit(&item->shared->gone, true, memory_order_release);
    sn_tool_release(item->shared);
    sn_release(world->context, item->node);
    sn_release(world->context, item->weight);
}

/* ---- Editing ---- */

int sn_world_tool_count(const sn_world *world) { return sn_world_tools(world)->count; }

sn_tool *sn_world_tool(const sn_world *world, int tool) {
    const sn_tools *own = sn_world_tools(world);
    return tool >= 0 && tool < own->count ? own->item[tool].shared : NULL;
}

static sn_status check_number(const sn_tools *own, int tool, sn_error *error) {
    if (tool >= 0 && tool < own->count) return SN_OK;
    return sn_fail(error, SN_BAD_INPUT, "tool %d; the world has %d", tool, own->count);
}

sn_status sn_world_get_tool(const sn_world *world, int tool, sn_tool_options *options, sn_error *error) {
    const sn_tools *own = sn_world_tools(world);
    const sn_status status = check_number(own, tool, error);
    if (!status) *options = own->item[tool].options;
    return status;
}

/* The tool lets go of what it touched when it may no longer touch it. */
static void let_go(sn_tool_item *item) {
    if (item->body < 0 || item->now.near == 0 || item->body == (int)item->now.body) return;
    item->now.near = item->now.touches = item->now.clamped = 0;
    item->count = 0;
}

sn_status sn_world_set_tool(sn_world *world, int tool, const sn_tool_options *options, sn_error *error) {
    sn_tools *own = sn_world_tools(world);
    sn_status status = check_number(own, tool, error);
    if (status) return status;
    sn_tool_item *item = &own->item[tool], old = *item, made = *item;
    status = make(world, own, tool, options, &made, error);
    if (status) return status;
    *item = made;
    status = sn_interactions_allow(world, world->parameters.method, error);
    if (status) {
        *item = old;
        return status;
    }
    let_go(item);
    memcpy(sn_interaction_of(world, &sn_kind_tools)->number + (size_t)tool * SN_TOOL_NUMBERS, &item->now,
           sizeof item->now);
    sn_tools_publish(own, item, NULL, NULL);
    sn_workspace_forget(world);
    return SN_OK;
}

/* Makes the layout of the state for another number of tools, and writes their numbers there. */
static sn_status relayout(sn_world *world, const sn_tools *own, sn_error *error) {
    const sn_status status = sn_world_relayout(world, error);
    if (status) return status;
    double *number = sn_interaction_of(world, &sn_kind_tools)->number;
    for (int i = 0; i < own->count; ++i)
        memcpy(number + (size_t)i * SN_TOOL_NUMBERS, &own->item[i].now, sizeof own->item[i].now);
    sn_world_edited(world);
    return SN_OK;
}

sn_status sn_world_add_tool(sn_world *world, const sn_tool_options *options, int *tool, sn_error *error) {
    sn_tools *own = sn_world_tools(world);
    sn_status status = sn_tools_append(world, own, options, error);
    if (status) return status;
    status = sn_interactions_allow(world, world->parameters.method, error);
    if (!status) status = relayout(world, own, error);
    if (status) {
        sn_tool_item_release(world, &own->item[--own->count]);
        return status;
    }
    if (tool) *tool = own->count - 1;
    return SN_OK;
}

sn_status sn_world_remove_tool(sn_world *world, int tool, sn_error *error) {
    sn_tools *own = sn_world_tools(world);
    sn_status status = check_number(own, tool, error);
    if (status) return status;
    const sn_tool_item out = own->item[tool];
    const size_t after = (size_t)(own->count - tool - 1) * sizeof *own->item;
    memmove(&own->item[tool], &own->item[tool + 1], after);
    --own->count;
    status = relayout(world, own, error);
    if (status) {
        memmove(&own->item[tool + 1], &own->item[tool], after);
        own->item[tool] = out;
        ++own->count;
        return status;
    }
    sn_tool_item gone = out;
    sn_tool_item_release(world, &gone);
    return SN_OK;
}

/* ---- Looking ---- */

sn_status sn_world_tool_state(const sn_world *world, int tool, sn_tool_state *state, sn_error *error) {
    const sn_tools *own = sn_world_tools(world);
    const sn_status status = check_number(own, tool, error);
    if (status) return status;
    const sn_tool_item *item = &own->item[tool];
    const sn_tool_numbers *now = &item->now;
    *state = (sn_tool_state){.present = now->present != 0, .body = -1, .triangle = -1};
    memcpy(state->position, now->position, sizeof state->position);
    memcpy(state->proxy, now->position, sizeof state->proxy);
    if (!state->present || now->near == 0) return SN_OK;
    state->body = (int)now->body, state->triangle = (int32_t)now->triangle;
    memcpy(state->share, now->share, sizeof state->share);
    memcpy(state->normal, now->normal, sizeof state->normal);
    double gap[3];
    for (int a = 0; a < 3; ++a) {
        state->proxy[a] = 0;
        for (int i = 0; i < item->count; ++i)
            state->proxy[a] += item->weight[i] * world->state.x[3 * (size_t)item->node[i] + (size_t)a];
        gap[a] = state->proxy[a] - state->position[a] + now->radius * state->normal[a];
    }
    state->depth = sn_dot3(gap, state->normal);
    state->clamped = now->clamped != 0, state->touches = state->clamped || state->depth > 0;
    sn_tool_hand_force(item, world->state.x, world->parameters.no_inertia ? NULL : world->state.v, state->force);
    return SN_OK;
}
