/* The engine: messages, the clock, loading. See engine.h; messages are in docs/embed-wasm.md. */
#include "engine_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double frame_seconds = 1.0 / 61, budget_seconds = 1.0 / 60, factor_seconds = 0.5, patience_seconds = 4;

double engine_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void *engine_buffer(engine *e, size_t bytes) {
    if (bytes <= e->capacity && e->buffer) return e->buffer;
    free(e->buffer);
    e->capacity = bytes + bytes / 2 + 64;
    e->buffer = malloc(e->capacity);
    if (!e->buffer) e->capacity = 0;
    return e->buffer;
}

json_t *engine_vector(const double *v, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; ++i) json_array_append_new(list, isfinite(v[i]) ? json_real(v[i]) : json_null());
    return list;
}

void engine_say(engine *e, json_t *head, const void *bytes, size_t size) {
    char *text = head ? json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(head);
    if (!text) return;
    e->send(e->user, text, strlen(text), bytes, size);
    free(text);
}

void engine_error(engine *e, sn_status status, const char *text) {
    json_t *message = json_string(text);
    if (!message) message = json_string("a message that is not valid UTF-8");
    engine_say(e, json_pack("{s:s, s:s, s:o}", "type", "error", "status", sn_status_name(status), "text", message), NULL, 0);
}

/* ---- Making ---- */

static void add_list(json_t *lists, const char *name, const sn_listing *entry, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; ++i) json_array_append_new(list, json_pack("{s:s, s:s}", "name", entry[i].name, "text", entry[i].text));
    json_object_set_new(lists, name, list);
}

static void say_hello(engine *e) {
    json_t *lists = json_object();
    int count;
    const sn_listing *entry = sn_laws(&count);
    add_list(lists, "laws", entry, count);
    entry = sn_rotations(&count), add_list(lists, "rotations", entry, count);
    entry = sn_methods(&count), add_list(lists, "methods", entry, count);
    entry = sn_solvers(&count), add_list(lists, "solvers", entry, count);
    entry = sn_preconditioners(&count), add_list(lists, "preconditioners", entry, count);
    entry = sn_newton_kinds(&count), add_list(lists, "newton", entry, count);
    add_list(lists, "colours", engine_colours, COLOURS);
    add_list(lists, "glyphs", engine_glyphs, GLYPHS);
    engine_say(e,
               json_pack("{s:s, s:s, s:i, s:s, s:o, s:{s:s, s:s, s:b}}", "type", "hello", "version", sn_version(), "threads",
                         sn_context_threads(e->context), "simd", sn_context_simd(e->context), "lists", lists, "look", "colour",
                         engine_colours[e->colour].name, "glyphs", engine_glyphs[e->glyph].name, "wire", (int)e->wire),
               NULL, 0);
}

engine *engine_create(int threads, const char *folder, engine_send *send, void *user) {
    engine *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->send = send, e->user = user, e->speed = 1;
    snprintf(e->folder, sizeof e->folder, "%s", folder);
    sn_context_options options = sn_context_options_default();
    options.threads = threads;
    e->changes = json_object();
    if (!e->changes || sn_context_create(&options, &e->context, NULL)) {
        engine_destroy(e);
        return NULL;
    }
    return e;
}

static void unload(engine *e) {
    engine_shapes_destroy(e);
    sn_world_destroy(e->world), sn_scene_destroy(e->scene);
    free(e->text);
    e->world = NULL, e->scene = NULL, e->text = NULL;
    memset(e->grab, 0, sizeof e->grab);
    json_object_clear(e->changes);
}

void engine_destroy(engine *e) {
    if (!e) return;
    if (e->changes) unload(e);
    json_decref(e->changes);
    if (e->context) sn_context_destroy(e->context);
    free(e->buffer);
    free(e);
}

/* ---- Loading ---- */

static void start_clock(engine *e) {
    e->clock = e->factor_clock = engine_seconds();
    e->lag = 0, e->shown = false, e->failed = false, e->changed = true;
    e->factor_time = e->last_time = sn_world_time(e->world);
    e->factor = 0, e->milliseconds = 0;
    e->steps_since = e->newton = e->linear = 0, e->seconds_since = 0;
}

/* Takes the scene over; what was loaded before stays when the new one fails. */
static void adopt(engine *e, sn_scene *scene, char *text) {
    sn_world *world = NULL;
    sn_error error = {0};
    engine next = {.context = e->context, .scene = scene};
    sn_status status = sn_scene_create_world(scene, &world, &error);
    next.world = world;
    if (!status) status = engine_shapes_create(&next, &error);
    if (status) {
        engine_shapes_destroy(&next);
        sn_world_destroy(world), sn_scene_destroy(scene), free(text);
        engine_error(e, status, error.text);
        return;
    }
    unload(e);
    e->scene = scene, e->world = world, e->shape = next.shape, e->bodies = next.bodies, e->text = text;
    e->is_static = strcmp(sn_world_time_options(world).mode, "static") == 0;
    start_clock(e);
    engine_send_scene(e);
}

static void load(engine *e, json_t *message) {
    json_t *text = json_object_get(message, "text");
    const char *name = json_string_value(json_object_get(message, "name"));
    if (!json_is_string(text)) {
        engine_error(e, SN_BAD_INPUT, "load: 'text' is not a string");
        return;
    }
    sn_scene *scene;
    sn_error error = {0};
    const sn_status status = sn_scene_parse(e->context, json_string_value(text), json_string_length(text), name ? name : "scene", e->folder,
                                            NULL, 0, &scene, &error);
    if (status) {
        engine_error(e, status, error.text);
        return;
    }
    json_t *play = json_object_get(message, "playing");
    if (play) e->playing = json_is_true(play);
    adopt(e, scene, strdup(json_string_value(text)));
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    size_t used = 0, capacity = 1 << 16;
    char *text = malloc(capacity + 1);
    for (size_t got; text && (got = fread(text + used, 1, capacity - used, file)) > 0;) {
        used += got;
        if (used < capacity) continue;
        char *larger = realloc(text, (capacity *= 2) + 1);
        if (!larger) free(text);
        text = larger;
    }
    fclose(file);
    if (text) text[used] = 0;
    return text;
}

void engine_open(engine *e, const char *path) {
    sn_scene *scene;
    sn_error error = {0};
    const sn_status status = sn_scene_load(e->context, path, NULL, 0, &scene, &error);
    if (status)
        engine_error(e, status, error.text);
    else
        adopt(e, scene, read_text(path));
}

/* "a/b.msh" -> a path in the engine's folder; false for names that leave it. */
static bool own_path(const engine *e, const char *name, char *path, size_t capacity) {
    return name && *name && name[0] != '.' && !strpbrk(name, "/\\") && snprintf(path, capacity, "%s/%s", e->folder, name) < (int)capacity;
}

static void keep_file(engine *e, json_t *message, const void *bytes, size_t size) {
    char path[1400];
    const char *name = json_string_value(json_object_get(message, "name"));
    if (!own_path(e, name, path, sizeof path)) {
        engine_error(e, SN_BAD_INPUT, "file: 'name' must be a plain file name");
        return;
    }
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(bytes, 1, size, file) == size;
    if ((file && fclose(file)) || !written) engine_error(e, SN_IO, "file: it cannot be stored");
}

/* A mesh file becomes a scene: scaled to a metre, half a metre above the ground; a surface gets a cage. */
static void load_mesh(engine *e, json_t *message) {
    char path[1400], *text = NULL;
    const char *name = json_string_value(json_object_get(message, "name"));
    sn_mesh *mesh = NULL;
    sn_mesh_report r;
    sn_error error = {0};
    if (!own_path(e, name, path, sizeof path)) {
        engine_error(e, SN_BAD_INPUT, "mesh: 'name' must be a plain file name");
        return;
    }
    sn_status status = sn_mesh_read(e->context, path, &mesh, &error);
    if (!status) status = sn_mesh_inspect(mesh, &r, &error);
    if (!status) {
        const double longest = fmax(r.high[0] - r.low[0], fmax(r.high[1] - r.low[1], r.high[2] - r.low[2])),
                     scale = longest > 0 ? 1 / longest : 1;
        json_t *shape = json_pack("{s:s, s:f, s:[f, f, f]}", "file", name, "scale", scale, "move", -scale * (r.low[0] + r.high[0]) / 2,
                                  0.5 - scale * r.low[1], -scale * (r.low[2] + r.high[2]) / 2);
        json_t *body = json_pack("{s:s, s:{s:s, s:f, s:f, s:{s:f}}}", "name", "body", "material", "law", "corotated", "young", 5e4,
                                 "poisson", 0.4, "rayleigh", "stiffness", 0.003);
        if (r.tets) {
            json_object_set_new(body, "mesh", shape);
        } else {
            json_object_set_new(body, "surface", shape);
            json_object_set_new(body, "mesh", json_pack("{s:{s:i}}", "cage", "cells", 14));
        }
        json_t *scene =
            json_pack("{s:i, s:s, s:{s:f, s:{s:s}}, s:[o], s:[{s:{s:[f, f, f]}, s:f}]}", "sinew", 1, "name", name, "time", "step", 0.01,
                      "newton", "kind", "one-step", "bodies", body, "colliders", "plane", "point", 0.0, 0.0, 0.0, "friction", 0.5);
        text = scene ? json_dumps(scene, JSON_INDENT(2)) : NULL;
        json_decref(scene);
    }
    sn_mesh_destroy(mesh);
    if (status) {
        engine_error(e, status, error.text);
        return;
    }
    json_t *next = json_pack("{s:s, s:s}", "name", name, "text", text ? text : "");
    load(e, next);
    json_decref(next), free(text);
}

/* ---- Grabs and pins ---- */

static double body_mass(const engine_shape *s) {
    double sum = 0;
    for (int i = 0; i < s->mesh->node_count; ++i) sum += s->mass[i];
    return sum;
}

/* A spring pulls towards the target, but never from farther away than the body is long: a pull has a limit, and elements at the hand stay
 * recognisable however far and fast it goes. */
static sn_status apply_grab(engine *e, int handle, sn_error *error) {
    const engine_grab *g = &e->grab[handle];
    const engine_shape *s = &e->shape[g->body];
    double at[3] = {0}, target[3], far = 0;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3 && g->weight[i] != 0; ++k) at[k] += g->weight[i] * s->position[3 * (size_t)g->node[i] + (size_t)k];
    for (int k = 0; k < 3; ++k) far += (g->target[k] - at[k]) * (g->target[k] - at[k]);
    const double share = far > s->length * s->length ? s->length / sqrt(far) : 1;
    for (int k = 0; k < 3; ++k) target[k] = at[k] + share * (g->target[k] - at[k]);
    e->changed = true, e->shown = false;
    return sn_world_grab(e->world, handle, g->body, g->node, g->weight, target, g->on ? g->stiffness : 0, g->damping, error);
}

/* Before a step: the limit moves with the body. */
static void renew_grabs(engine *e) {
    for (int h = 0; h < ENGINE_HANDLES; ++h) {
        if (!e->grab[h].on) continue;
        sn_world_get(e->world, e->grab[h].body, e->shape[e->grab[h].body].position, NULL);
        apply_grab(e, h, NULL);
    }
}

static bool read_vector(json_t *list, double *v, int count) {
    if ((int)json_array_size(list) != count) return false;
    for (int i = 0; i < count; ++i) {
        v[i] = json_number_value(json_array_get(list, (size_t)i));
        if (!json_is_number(json_array_get(list, (size_t)i)) || !isfinite(v[i])) return false;
    }
    return true;
}

/* The point of the skin that a message names. */
static sn_status read_point(engine *e, json_t *message, int *body, int32_t node[4], double weight[4], sn_error *error) {
    double share[3];
    *body = (int)json_integer_value(json_object_get(message, "body"));
    if (*body < 0 || *body >= e->bodies) return sn_fail(error, SN_BAD_INPUT, "body %d; the scene has %d", *body, e->bodies);
    if (!read_vector(json_object_get(message, "share"), share, 3)) return sn_fail(error, SN_BAD_INPUT, "'share' must be three numbers");
    return sn_embedding_point(e->shape[*body].skin, (int)json_integer_value(json_object_get(message, "triangle")), share, node, weight,
                              error);
}

/* A spring that moves the whole body at about 2 Hz and deforms it as much as it is moved, whichever is stiffer: E V^(1/3) against (2 pi
 * f)^2 m. */
static sn_status grab(engine *e, json_t *message, sn_error *error) {
    const int handle = (int)json_integer_value(json_object_get(message, "handle"));
    if (handle < 0 || handle >= ENGINE_HANDLES)
        return sn_fail(error, SN_BAD_INPUT, "handle %d; allowed are 0 to %d", handle, ENGINE_HANDLES - 1);
    engine_grab *g = &e->grab[handle];
    if (json_object_get(message, "triangle")) {
        sn_status status = read_point(e, message, &g->body, g->node, g->weight, error);
        if (status) return status;
        const sn_material *material = sn_world_material(e->world, g->body, 0);
        const double mass = body_mass(&e->shape[g->body]), size = cbrt(mass / material->density);
        g->stiffness = fmax(0.25 * engine_young(material) * size, 160 * mass);
        g->damping = 0.2 * sqrt(g->stiffness * mass);
        g->on = true;
    }
    if (!g->on) return SN_OK;
    json_t *target = json_object_get(message, "target");
    if (!target)
        g->on = false;
    else if (!read_vector(target, g->target, 3))
        return sn_fail(error, SN_BAD_INPUT, "'target' must be three numbers");
    return apply_grab(e, handle, error);
}

static void release(engine *e, json_t *message) {
    const int handle = (int)json_integer_value(json_object_get(message, "handle"));
    for (int h = 0; h < ENGINE_HANDLES; ++h) {
        if (!e->grab[h].on || (handle >= 0 && h != handle)) continue;
        e->grab[h].on = false;
        apply_grab(e, h, NULL);
    }
}

static sn_status pin_node(engine *e, int body, int32_t node, bool on, sn_error *error) {
    engine_shape *s = &e->shape[body];
    const sn_status status = sn_world_pin(e->world, body, node, on, error);
    if (status) return status;
    s->held_count -= s->held[node] != 0;
    s->held[node] = (uint8_t)(on ? s->held[node] | 2 : s->held[node] & 1);
    s->held_count += s->held[node] != 0;
    return SN_OK;
}

static double distance2(const double *a, const double *b) {
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

/* Pins the nodes within `radius` of the point, at least its heaviest one; a point that is pinned lets all pins within the radius go. */
static sn_status pin(engine *e, json_t *message, sn_error *error) {
    int body, heaviest = 0;
    int32_t node[4];
    double weight[4];
    sn_status status = read_point(e, message, &body, node, weight, error);
    if (status) return status;
    for (int i = 1; i < 4; ++i)
        if (weight[i] > weight[heaviest]) heaviest = i;
    engine_shape *s = &e->shape[body];
    const double *centre = s->position + 3 * (size_t)node[heaviest], radius = json_number_value(json_object_get(message, "radius"));
    bool on = true;
    for (int i = 0; i < s->mesh->node_count; ++i)
        if ((s->held[i] & 2) && (i == node[heaviest] || distance2(s->position + 3 * (size_t)i, centre) <= radius * radius)) on = false;
    for (int i = 0; i < s->mesh->node_count && !status; ++i)
        if (i == node[heaviest] || distance2(s->position + 3 * (size_t)i, centre) <= radius * radius)
            if (on || (s->held[i] & 2)) status = pin_node(e, body, i, on, error);
    e->changed = true, e->shown = false;
    return status;
}

static void unpin(engine *e) {
    for (int b = 0; b < e->bodies; ++b)
        for (int i = 0; i < e->shape[b].mesh->node_count; ++i)
            if (e->shape[b].held[i] & 2) pin_node(e, b, i, false, NULL);
    e->changed = true, e->shown = false;
}

/* ---- The state ---- */

static sn_status save(engine *e, sn_error *error) {
    const size_t size = sn_world_state_size(e->world);
    void *bytes = malloc(size);
    if (!bytes) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    const sn_status status = sn_world_save_state(e->world, bytes, size, error);
    if (!status) engine_say(e, json_pack("{s:s, s:s}", "type", "state", "name", sn_scene_name(e->scene)), bytes, size);
    free(bytes);
    return status;
}

/* Pins come with a state. */
static sn_status restore(engine *e, const void *bytes, size_t size, sn_error *error) {
    const sn_status status = sn_world_restore_state(e->world, bytes, size, error);
    if (status) return status;
    for (int b = 0; b < e->bodies; ++b) {
        engine_shape *s = &e->shape[b];
        s->held_count = 0;
        for (int i = 0; i < s->mesh->node_count; ++i) {
            s->held[i] = (uint8_t)((s->held[i] & 1) | (sn_world_pinned(e->world, b, i) ? 2 : 0));
            s->held_count += s->held[i] != 0;
        }
    }
    start_clock(e);
    return SN_OK;
}

/* Applies parameters as engine_parameters gives them. */
static sn_status apply_parameters(engine *e, json_t *parameters, sn_error *error) {
    sn_status status = engine_set(e, parameters, error);
    size_t i;
    json_t *material;
    json_array_foreach(json_object_get(parameters, "materials"), i, material) if (!status) status = engine_set(e, material, error);
    return status;
}

/* The start of the scene with the parameters of now. */
static sn_status reset(engine *e, sn_error *error) {
    json_t *parameters = json_is_true(json_object_get(e->changes, "edited")) ? engine_parameters(e) : NULL;
    sn_world *world = NULL, *old = e->world;
    sn_status status = sn_scene_create_world(e->scene, &world, error);
    if (!status) {
        e->world = world;
        for (int b = 0; b < e->bodies; ++b) {
            engine_shape *s = &e->shape[b];
            s->mesh = sn_world_body_mesh(world, b);
            s->held_count = 0;
            for (int i = 0; i < s->mesh->node_count; ++i) s->held[i] &= 1, s->held_count += s->held[i];
        }
        memset(e->grab, 0, sizeof e->grab);
        sn_world_destroy(old);
        if (parameters) status = apply_parameters(e, parameters, error);
        start_clock(e);
    }
    json_decref(parameters);
    return status;
}

/* ---- Steps ---- */

/* A step that has to be divided again and again is given up: who watches waits. */
static bool go_on(void *user, double fraction) {
    (void)fraction;
    return engine_seconds() - ((engine *)user)->step_clock < patience_seconds;
}

static bool step(engine *e) {
    sn_step_report report = {0};
    sn_error error = {0};
    renew_grabs(e);
    e->step_clock = engine_seconds();
    if (!e->is_static) sn_world_watch(e->world, go_on, e);
    const sn_status status = sn_world_step(e->world, &report, &error);
    e->shown = false, e->changed = false;
    ++e->steps_since, e->seconds_since += report.seconds, e->newton += report.newton_iterations, e->linear += report.linear_iterations;
    e->contacts = report.contacts;
    if (!status) return true;
    e->playing = false, e->failed = true;
    engine_error(e, status, error.text);
    return false;
}

static void advance(engine *e, json_t *message) {
    json_int_t steps = json_integer_value(json_object_get(message, "steps"));
    if (steps < 1) steps = 1;
    while (steps-- > 0 && step(e)) continue;
}

static void say_hash(engine *e) {
    char hash[17];
    sn_world_hash(e->world, hash);
    engine_say(e,
               json_pack("{s:s, s:s, s:I, s:f}", "type", "hash", "hash", hash, "steps", (json_int_t)sn_world_steps(e->world), "time",
                         sn_world_time(e->world)),
               NULL, 0);
}

static void look(engine *e, json_t *message) {
    const char *colour = json_string_value(json_object_get(message, "colour")),
               *glyph = json_string_value(json_object_get(message, "glyphs"));
    for (int i = 0; colour && i < COLOURS; ++i)
        if (strcmp(engine_colours[i].name, colour) == 0) e->colour = (engine_colour)i;
    for (int i = 0; glyph && i < GLYPHS; ++i)
        if (strcmp(engine_glyphs[i].name, glyph) == 0) e->glyph = (engine_glyph)i;
    json_t *wire = json_object_get(message, "wire");
    if (wire) e->wire = json_is_true(wire);
    e->shown = false;
}

/* Messages that need a loaded scene. False when there is no such message. */
static bool act(engine *e, const char *what, json_t *message, const void *bytes, size_t size, sn_error *error) {
    sn_status status = SN_OK;
    if (strcmp(what, "play") == 0) {
        e->playing = json_is_true(json_object_get(message, "on"));
        e->clock = e->factor_clock = engine_seconds(), e->factor_time = sn_world_time(e->world), e->lag = 0, e->shown = false;
    } else if (strcmp(what, "advance") == 0)
        advance(e, message);
    else if (strcmp(what, "reset") == 0)
        status = reset(e, error);
    else if (strcmp(what, "grab") == 0)
        status = grab(e, message, error);
    else if (strcmp(what, "release") == 0)
        release(e, message);
    else if (strcmp(what, "pin") == 0)
        status = pin(e, message, error);
    else if (strcmp(what, "unpin") == 0)
        unpin(e);
    else if (strcmp(what, "save") == 0)
        status = save(e, error);
    else if (strcmp(what, "restore") == 0)
        status = restore(e, bytes, size, error);
    else if (strcmp(what, "set") == 0) {
        status = engine_set(e, message, error);
        json_object_set_new(e->changes, "edited", json_true());
        e->changed = true, e->shown = false;
        engine_say(e, json_pack("{s:s, s:o}", "type", "parameters", "parameters", engine_parameters(e)), NULL, 0);
    } else if (strcmp(what, "hash") == 0)
        say_hash(e);
    else if (strcmp(what, "describe") == 0)
        engine_send_scene(e), e->shown = false;
    else
        return false;
    if (status) engine_error(e, status, error->text);
    return true;
}

void engine_message(engine *e, const char *text, size_t length, const void *bytes, size_t size) {
    json_error_t problem;
    json_t *message = json_loadb(text, length, 0, &problem);
    const char *what = json_string_value(json_object_get(message, "do"));
    sn_error error = {0};
    if (!what)
        engine_error(e, SN_BAD_INPUT, message ? "a message without 'do'" : problem.text);
    else if (strcmp(what, "hello") == 0)
        say_hello(e);
    else if (strcmp(what, "load") == 0)
        load(e, message);
    else if (strcmp(what, "file") == 0)
        keep_file(e, message, bytes, size);
    else if (strcmp(what, "mesh") == 0)
        load_mesh(e, message);
    else if (strcmp(what, "look") == 0)
        look(e, message);
    else if (strcmp(what, "speed") == 0) {
        const double speed = json_number_value(json_object_get(message, "value"));
        if (speed > 0 && speed <= 100) e->speed = speed;
    } else if (e->world && !act(e, what, message, bytes, size, &error)) {
        char line[160];
        snprintf(line, sizeof line, "there is no message '%.80s'", what);
        engine_error(e, SN_BAD_INPUT, line);
    }
    json_decref(message);
}

/* ---- The clock ---- */

static void measure_factor(engine *e, double now) {
    if (now - e->factor_clock < factor_seconds) return;
    e->factor = (sn_world_time(e->world) - e->factor_time) / (now - e->factor_clock);
    e->factor_clock = now, e->factor_time = sn_world_time(e->world);
}

/* Steps that are due, within the budget of a frame. What cannot be done in time is dropped: slow motion. */
static double run_due(engine *e, double now) {
    const double h = sn_world_time_options(e->world).step, most = fmax(h, 2 * budget_seconds * e->speed);
    e->lag = fmin(e->lag + (now - e->clock) * e->speed, most);
    e->clock = now;
    while (e->lag >= h && step(e)) {
        e->lag -= h;
        if (engine_seconds() - now > budget_seconds) break;
    }
    return e->lag >= h ? 0 : (h - e->lag) / e->speed;
}

double engine_tick(engine *e, bool wants_frame) {
    if (!e->world) return 0.1;
    const double now = engine_seconds();
    double wait = 0.1;
    if (e->playing && !e->is_static)
        wait = run_due(e, now);
    else if (e->playing && e->is_static && e->changed)
        step(e);
    measure_factor(e, engine_seconds());
    if (e->shown) return wait;
    if (!wants_frame) return wait > 0.004 ? 0.004 : wait;
    const double later = frame_seconds - (engine_seconds() - e->frame_clock);
    if (later > 0.0005) return wait < later ? wait : later;
    e->frame_clock = engine_seconds();
    e->shown = true;
    engine_send_frame(e);
    return wait < frame_seconds ? wait : frame_seconds;
}
