/* Loading: scenes from text and from files, and dropped mesh files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_internal.h"

void engine_unload(engine *e) {
    engine_shapes_destroy(e);
    sn_world_destroy(e->world), sn_scene_destroy(e->scene);
    free(e->text);
    e->world = NULL, e->scene = NULL, e->text = NULL;
    memset(e->grab, 0, sizeof e->grab);
    json_object_clear(e->changes);
}

/* Takes the scene and its text over. When the new scene fails, the scene before it stays. */
static sn_status adopt(engine *e, sn_scene *scene, char *text, sn_error *error) {
    sn_world *world = NULL;
    engine next = {.context = e->context, .scene = scene};
    sn_status status = sn_scene_create_world(scene, &world, error);
    next.world = world;
    if (!status) status = engine_shapes_create(&next, error);
    if (status) {
        engine_shapes_destroy(&next);
        sn_world_destroy(world), sn_scene_destroy(scene), free(text);
        return status;
    }
    engine_unload(e);
    e->scene = scene, e->world = world, e->shape = next.shape, e->bodies = next.bodies, e->text = text;
    e->is_static = strcmp(sn_world_time_options(world).mode, "static") == 0;
    engine_start_clock(e);
    engine_send_scene(e);
    return SN_OK;
}

static sn_status load_text(engine *e, const char *text, size_t length, const char *name, sn_error *error) {
    sn_scene *scene;
    const sn_status status = sn_scene_parse(e->context, text, length, name, e->folder, NULL, 0, &scene, error);
    return status ? status : adopt(e, scene, strdup(text), error);
}

sn_status engine_load(engine *e, const engine_request *request, sn_error *error) {
    json_t *text = json_object_get(request->message, "text"), *play = json_object_get(request->message, "playing");
    const char *name = json_string_value(json_object_get(request->message, "name"));
    if (!json_is_string(text)) return sn_fail(error, SN_BAD_INPUT, "load: 'text' is not a string");
    const bool playing = e->playing;
    if (play) e->playing = json_is_true(play);
    const sn_status status =
        load_text(e, json_string_value(text), json_string_length(text), name ? name : "scene", error);
    if (status) e->playing = playing;
    return status;
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
    sn_status status = sn_scene_load(e->context, path, NULL, 0, &scene, &error);
    if (!status) status = adopt(e, scene, read_text(path), &error);
    if (status) engine_error(e, status, error.text);
}

/* ---- Dropped files ---- */

/* The path of a file in the engine's folder. The message's 'name' must be a plain file name, which cannot leave the
 * folder. */
static sn_status own_path(const engine *e, const engine_request *request, const char *what, char *path, size_t capacity,
                          sn_error *error) {
    const char *name = json_string_value(json_object_get(request->message, "name"));
    const bool plain = name && *name && name[0] != '.' && !strpbrk(name, "/\\");
    if (plain && snprintf(path, capacity, "%s/%s", e->folder, name) < (int)capacity) return SN_OK;
    return sn_fail(error, SN_BAD_INPUT, "%s: 'name' must be a plain file name", what);
}

sn_status engine_keep_file(engine *e, const engine_request *request, sn_error *error) {
    char path[1400];
    const sn_status status = own_path(e, request, "file", path, sizeof path, error);
    if (status) return status;
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(request->bytes, 1, request->size, file) == request->size;
    if ((file && fclose(file)) || !written) return sn_fail(error, SN_IO, "file: it cannot be stored");
    return SN_OK;
}

/* The text of a scene of one mesh, scaled to a metre and half a metre above the ground. Tets are laid around a
 * surface. Free the text. */
static char *scene_of_mesh(const char *name, const sn_mesh_report *r) {
    const double longest = fmax(r->high[0] - r->low[0], fmax(r->high[1] - r->low[1], r->high[2] - r->low[2])),
                 scale = longest > 0 ? 1 / longest : 1;
    json_t *shape = json_pack("{s:s, s:f, s:[f, f, f]}", "file", name, "scale", scale, "move",
                              -scale * (r->low[0] + r->high[0]) / 2, 0.5 - scale * r->low[1],
                              -scale * (r->low[2] + r->high[2]) / 2);
    json_t *body = json_pack("{s:s, s:{s:s, s:f, s:f, s:{s:f}}}", "name", "body", "material", "law", "corotated",
                             "young", 5e4, "poisson", 0.4, "rayleigh", "stiffness", 0.003);
    if (r->tets) {
        json_object_set_new(body, "mesh", shape);
    } else {
        json_object_set_new(body, "mesh", json_pack("{s:{s:o, s:i}}", "embed", "surface", shape, "elements", 2500));
    }
    json_t *scene = json_pack("{s:i, s:s, s:{s:f, s:{s:s}}, s:[o], s:[{s:{s:[f, f, f]}, s:f}]}", "sinew", 1, "name",
                              name, "time", "step", 0.01, "newton", "kind", "one-step", "bodies", body, "colliders",
                              "plane", "point", 0.0, 0.0, 0.0, "friction", 0.5);
    char *text = scene ? json_dumps(scene, JSON_INDENT(2)) : NULL;
    json_decref(scene);
    return text;
}

sn_status engine_load_mesh(engine *e, const engine_request *request, sn_error *error) {
    char path[1400];
    sn_mesh *mesh = NULL;
    sn_mesh_report report;
    sn_status status = own_path(e, request, "mesh", path, sizeof path, error);
    if (status) return status;
    status = sn_mesh_read(e->context, path, &mesh, error);
    if (!status) status = sn_mesh_inspect(mesh, &report, error);
    sn_mesh_destroy(mesh);
    if (status) return status;
    const char *name = json_string_value(json_object_get(request->message, "name"));
    char *text = scene_of_mesh(name, &report);
    if (!text) return sn_fail(error, SN_NO_MEMORY, "mesh: out of memory");
    status = load_text(e, text, strlen(text), name, error);
    free(text);
    return status;
}
