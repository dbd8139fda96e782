/* The state of the world: saved, restored, reset, hashed. */
#include <stdlib.h>
#include <string.h>

#include "engine_internal.h"

sn_status engine_save(engine *e, const engine_request *request, sn_error *error) {
    (void)request;
    const size_t size = sn_world_state_size(e->world);
    void *bytes = malloc(size);
    if (!bytes) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    const sn_status status = sn_world_save_state(e->world, bytes, size, error);
    if (!status) engine_say(e, json_pack("{s:s, s:s}", "type", "state", "name", sn_scene_name(e->scene)), bytes, size);
    free(bytes);
    return status;
}

/* A state brings its pins along. */
sn_status engine_restore(engine *e, const engine_request *request, sn_error *error) {
    const sn_status status = sn_world_restore_state(e->world, request->bytes, request->size, error);
    if (status) return status;
    for (int b = 0; b < e->bodies; ++b) {
        engine_shape *s = &e->shape[b];
        s->held_count = 0;
        for (int i = 0; i < s->mesh->node_count; ++i) {
            s->held[i] = (uint8_t)((s->held[i] & 1) | (sn_world_pinned(e->world, b, i) ? 2 : 0));
            s->held_count += s->held[i] != 0;
        }
    }
    engine_start_clock(e);
    return SN_OK;
}

/* Applies parameters as engine_parameters gives them. */
static sn_status apply_parameters(engine *e, json_t *parameters, sn_error *error) {
    sn_status status = engine_set(e, parameters, error);
    size_t i;
    json_t *material;
    json_array_foreach(json_object_get(parameters, "materials"), i, material) if (!status) status =
        engine_set(e, material, error);
    return status;
}

/* Back to the start of the scene. Parameters that were changed stay changed. */
sn_status engine_reset(engine *e, const engine_request *request, sn_error *error) {
    (void)request;
    json_t *parameters = json_is_true(json_object_get(e->changes, "edited")) ? engine_parameters(e) : NULL;
    sn_world *world = NULL, *old = e->world;
    sn_status status = sn_scene_create_world(e->scene, &world, error);
    if (!status) {
        e->world = world;
        for (int b = 0; b < e->bodies; ++b) {
            engine_shape *s = &e->shape[b];
            s->mesh = sn_world_body_mesh(world, b);
            if (s->embedded) s->skin = sn_world_body_surface(world, b);
            s->held_count = 0;
            for (int i = 0; i < s->mesh->node_count; ++i) s->held[i] &= 1, s->held_count += s->held[i];
        }
        memset(e->grab, 0, sizeof e->grab);
        sn_world_destroy(old);
        if (parameters) status = apply_parameters(e, parameters, error);
        engine_start_clock(e);
    }
    json_decref(parameters);
    return status;
}

sn_status engine_hash(engine *e, const engine_request *request, sn_error *error) {
    (void)request, (void)error;
    char hash[17];
    sn_world_hash(e->world, hash);
    engine_say(e,
               json_pack("{s:s, s:s, s:I, s:f}", "type", "hash", "hash", hash, "steps",
                         (json_int_t)sn_world_steps(e->world), "time", sn_world_time(e->world)),
               NULL, 0);
    return SN_OK;
}
