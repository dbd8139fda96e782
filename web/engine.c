/* The engine: its life, the messages that it sends, and the table of the messages that it takes. See engine.h;
 * docs/embed-wasm.md lists the messages. To add a message, write its function (engine_command) and add a line to the
 * table. */
#include "engine_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    engine_say(e, json_pack("{s:s, s:s, s:o}", "type", "error", "status", sn_status_name(status), "text", message),
               NULL, 0);
}

/* ---- Life ---- */

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

void engine_destroy(engine *e) {
    if (!e) return;
    if (e->changes) engine_unload(e);
    json_decref(e->changes);
    if (e->context) sn_context_destroy(e->context);
    free(e->buffer);
    free(e);
}

/* ---- Messages to the engine ---- */

static void add_list(json_t *lists, const char *name, const sn_listing *entry, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; ++i)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", entry[i].name, "text", entry[i].text));
    json_object_set_new(lists, name, list);
}

/* The names that the page offers. */
static json_t *make_lists(void) {
    static const struct {
        const char *name;
        const sn_listing *(*entries)(int *count);
    } known[] = {
        {"laws", sn_laws},
        {"rotations", sn_rotations},
        {"memory_parts", sn_prony_parts},
        {"memory_moduli", sn_prony_moduli},
        {"methods", sn_methods},
        {"newton", sn_newton_kinds},
        {"solvers", sn_solvers},
        {"preconditioners", sn_preconditioners},
        {"formats", sn_mesh_formats},
    };
    json_t *lists = json_object();
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        int count;
        const sn_listing *entry = known[i].entries(&count);
        add_list(lists, known[i].name, entry, count);
    }
    add_list(lists, "colours", engine_colours, COLOURS);
    add_list(lists, "glyphs", engine_glyphs, GLYPHS);
    return lists;
}

static sn_status hello(engine *e, const engine_request *request, sn_error *error) {
    (void)request, (void)error;
    engine_say(e,
               json_pack("{s:s, s:s, s:i, s:s, s:o, s:{s:s, s:s, s:b}}", "type", "hello", "version", sn_version(),
                         "threads", sn_context_threads(e->context), "simd", sn_context_simd(e->context), "lists",
                         make_lists(), "look", "colour", engine_colours[e->colour].name, "glyphs",
                         engine_glyphs[e->glyph].name, "wire", (int)e->wire),
               NULL, 0);
    return SN_OK;
}

/* The scene again, for a page that has just come. */
static sn_status describe(engine *e, const engine_request *request, sn_error *error) {
    (void)request, (void)error;
    engine_send_scene(e);
    e->shown = false;
    return SN_OK;
}

typedef struct command {
    const char *name;
    engine_command *run;
    bool needs_scene; /* nothing happens before a scene is loaded */
} command;

static const command commands[] = {
    {"hello", hello, false},           {"load", engine_load, false},      {"file", engine_keep_file, false},
    {"mesh", engine_load_mesh, false}, {"look", engine_look, false},      {"speed", engine_speed, false},
    {"describe", describe, true},      {"play", engine_play, true},       {"advance", engine_advance, true},
    {"reset", engine_reset, true},     {"grab", engine_grab_point, true}, {"release", engine_release, true},
    {"pin", engine_pin, true},         {"unpin", engine_unpin, true},     {"set", engine_set_parameters, true},
    {"save", engine_save, true},       {"restore", engine_restore, true}, {"hash", engine_hash, true},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static sn_status unknown(const char *name, sn_error *error) {
    const char *nearest = sn_nearest(name, commands, COMMANDS, (int)sizeof *commands);
    return sn_fail(error, SN_BAD_INPUT, "there is no message '%.80s'%s%s%s", name, nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
}

static sn_status run_command(engine *e, const char *name, const engine_request *request, sn_error *error) {
    for (int i = 0; i < COMMANDS; ++i) {
        if (strcmp(commands[i].name, name) != 0) continue;
        return commands[i].needs_scene && !e->world ? SN_OK : commands[i].run(e, request, error);
    }
    return unknown(name, error);
}

void engine_message(engine *e, const char *text, size_t length, const void *bytes, size_t size) {
    json_error_t problem;
    json_t *message = json_loadb(text, length, 0, &problem);
    const char *name = json_string_value(json_object_get(message, "do"));
    const engine_request request = {message, bytes, size};
    sn_error error = {0};
    sn_status status;
    if (name)
        status = run_command(e, name, &request, &error);
    else
        status = sn_fail(&error, SN_BAD_INPUT, "%s", message ? "a message without 'do'" : problem.text);
    if (status) engine_error(e, status, error.text);
    json_decref(message);
}
