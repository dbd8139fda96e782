/* Scene files: text -> tree -> options. The parts are read by scene_<part>.c; the tree and the text stay with the scene, so that messages
 * of sn_world_create can still be given a line and a column. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "locate.h"
#include "scene_internal.h"

static const char *const root_keys[] = {"sinew",  "name",      "description", "gravity", "time",   "solver",
                                        "bodies", "colliders", "probes",      "output",  "gallery"};

/* The page's gallery uses this key; here it is only checked. */
static sn_status check_gallery(const sn_place *gallery) {
    static const char *const keys[] = {"place", "time", "colour", "wire", "zoom"};
    sn_place place;
    int number;
    double value;
    bool wire;
    char colour[32];
    sn_status status = sn_place_known(gallery, keys, (int)(sizeof keys / sizeof *keys), (int)sizeof *keys);
    if (!status && !sn_place_get(gallery, "place", &place)) status = sn_place_fail(gallery, SN_BAD_INPUT, "has no 'place'");
    if (!status) status = sn_read_int(&place, 1, 1000, &number);
    if (!status && sn_place_get(gallery, "time", &place)) status = sn_read_number(&place, &sn_number_from_zero, &value);
    if (!status && sn_place_get(gallery, "colour", &place)) status = sn_read_text(&place, colour, (int)sizeof colour);
    if (!status && sn_place_get(gallery, "wire", &place)) status = sn_read_bool(&place, &wire);
    if (!status && sn_place_get(gallery, "zoom", &place)) status = sn_read_number(&place, &sn_positive_number, &value);
    return status;
}

static sn_status read_head(const sn_place *root, sn_scene *scene) {
    sn_place place;
    sn_status status = SN_OK;
    int version = 1;
    if (sn_place_get(root, "sinew", &place)) status = sn_read_int(&place, 1, 1, &version);
    if (!status && sn_place_get(root, "name", &place)) status = sn_read_text(&place, scene->name, (int)sizeof scene->name);
    if (!status && sn_place_get(root, "description", &place) && !json_is_string(place.value))
        status = sn_place_fail(&place, SN_BAD_INPUT, "must be a string");
    if (!status && sn_place_get(root, "gallery", &place)) status = check_gallery(&place);
    if (!status && sn_place_get(root, "gravity", &place)) status = sn_read_numbers(&place, &sn_any_number, scene->world.gravity, 3);
    return status;
}

static sn_status read_root(sn_scene *scene) {
    const sn_place root = {&scene->reader, NULL, NULL, 0, scene->root};
    sn_place place;
    sn_status status = sn_place_known(&root, root_keys, (int)(sizeof root_keys / sizeof *root_keys), (int)sizeof *root_keys);
    if (!status) status = read_head(&root, scene);
    if (!status && sn_place_get(&root, "time", &place)) status = sn_scene_read_time(&place, &scene->world.time);
    if (!status && sn_place_get(&root, "solver", &place)) status = sn_scene_read_solver(&place, &scene->world.solver);
    if (!status && sn_place_get(&root, "output", &place)) status = sn_scene_read_output(&place, &scene->output);
    if (status) return status;
    if (!sn_place_get(&root, "bodies", &place))
        return sn_place_fail(&root, SN_BAD_INPUT, "has no 'bodies'; a scene needs at least one body");
    status = sn_scene_read_bodies(&place, scene);
    if (!status && sn_place_get(&root, "colliders", &place)) status = sn_scene_read_colliders(&place, scene);
    if (!status && sn_place_get(&root, "probes", &place)) status = sn_scene_read_probes(&place, scene);
    return status;
}

static sn_output_options output_default(void) {
    sn_output_options output = {.every = 10, .field_count = 4, .picture = sn_picture_options_default()};
    static const char *const field[] = {"displacement", "velocity", "stress", "von_mises"};
    for (int i = 0; i < 4; ++i) snprintf(output.fields[i], sizeof output.fields[i], "%s", field[i]);
    return output;
}

/* Text of the scene's own, ending with a zero. */
static char *keep_text(sn_reader *reader, const char *text, size_t bytes) {
    char *kept = sn_scene_allocate(reader, 1, bytes + 1);
    if (kept) memcpy(kept, text, bytes);
    return kept;
}

static sn_status parse_tree(sn_reader *reader, json_t **root) {
    int line, column;
    if (!sn_json_depth(reader->text, reader->bytes, SN_SCENE_DEPTH, &line, &column))
        return sn_fail(reader->error, SN_BAD_INPUT, "%.200s:%d:%d: brackets nest deeper than %d", reader->name, line, column,
                       SN_SCENE_DEPTH);
    json_error_t problem;
    *root = json_loadb(reader->text, reader->bytes, JSON_REJECT_DUPLICATES, &problem);
    if (*root) return SN_OK;
    return sn_fail(reader->error, SN_BAD_INPUT, "%.200s:%d:%d: not valid JSON: %.200s", reader->name, problem.line, problem.column,
                   problem.text);
}

/* The file's name without folder and ending. */
static void stem_of(const char *path, char *stem, size_t capacity) {
    const char *slash = strrchr(path, '/');
    snprintf(stem, capacity, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem) *dot = 0;
}

static sn_status parse(sn_scene *s, const char *text, size_t bytes, const char *name, const char *folder, const sn_override *overrides,
                       int override_count) {
    stem_of(name, s->name, sizeof s->name);
    s->reader.text = keep_text(&s->reader, text, bytes);
    s->reader.name = keep_text(&s->reader, name, strlen(name));
    s->reader.folder = keep_text(&s->reader, folder, strlen(folder));
    if (!s->reader.text || !s->reader.name || !s->reader.folder) return sn_no_memory(s->reader.error);
    s->reader.bytes = bytes;
    sn_status status = parse_tree(&s->reader, &s->root);
    if (!status) status = sn_scene_override(&s->reader, s->root, overrides, override_count);
    return status ? status : read_root(s);
}

sn_status sn_scene_parse(sn_context *context, const char *text, size_t bytes, const char *name, const char *folder,
                         const sn_override *overrides, int override_count, sn_scene **scene, sn_error *error) {
    sn_scene *s = sn_allocate_zero(context, 1, sizeof *s);
    if (!s) return sn_no_memory(error);
    s->context = context;
    s->world = sn_world_options_default();
    s->output = output_default();
    s->reader = (sn_reader){.context = context, .blocks = &s->blocks, .error = error};
    const sn_status status = parse(s, text, bytes, name, folder ? folder : "", overrides, override_count);
    s->reader.error = NULL;
    if (status) {
        sn_scene_destroy(s);
        return status;
    }
    *scene = s;
    return SN_OK;
}

/* The whole file; *text comes from the context. */
static sn_status read_file(sn_context *context, const char *path, char **text, size_t *bytes, sn_error *error) {
    FILE *file = fopen(path, "rb");
    if (!file) return sn_fail(error, SN_NOT_FOUND, "%.300s: cannot open the scene: %s", path, strerror(errno));
    char *buffer = NULL;
    int used = 0, capacity = 0;
    sn_status status = SN_OK;
    for (;;) {
        void *grown = buffer;
        status = used > 1 << 28 ? sn_fail(error, SN_BAD_INPUT, "%.300s: the scene is larger than 256 MB", path)
                                : sn_grow(context, &grown, &capacity, used + 65536, 1, error);
        buffer = grown;
        if (status) break;
        const size_t got = fread(buffer + used, 1, 65536, file);
        used += (int)got;
        if (got == 0) break;
    }
    if (!status && ferror(file)) status = sn_fail(error, SN_IO, "%.300s: reading failed: %s", path, strerror(errno));
    fclose(file);
    if (status) {
        sn_release(context, buffer);
        return status;
    }
    *text = buffer;
    *bytes = (size_t)used;
    return SN_OK;
}

sn_status sn_scene_load(sn_context *context, const char *path, const sn_override *overrides, int override_count, sn_scene **scene,
                        sn_error *error) {
    char *text = NULL;
    size_t bytes = 0;
    sn_status status = read_file(context, path, &text, &bytes, error);
    if (status) return status;
    char folder[4096] = "";
    const char *slash = strrchr(path, '/');
    if (slash) snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    if (slash == path) strcpy(folder, "/");
    status = sn_scene_parse(context, text, bytes, path, folder, overrides, override_count, scene, error);
    sn_release(context, text);
    return status;
}

void sn_scene_destroy(sn_scene *scene) {
    if (!scene) return;
    for (int i = 0; i < scene->mesh_count; ++i) sn_mesh_destroy(scene->mesh[i]), sn_mesh_destroy(scene->surface[i]);
    for (int i = 0; i < scene->collider_mesh_count; ++i) sn_mesh_destroy(scene->collider_mesh[i]);
    json_decref(scene->root);
    for (sn_scene_block *block = scene->blocks; block;) {
        sn_scene_block *next = block->next;
        sn_release(scene->context, block);
        block = next;
    }
    sn_release(scene->context, scene);
}

const char *sn_scene_name(const sn_scene *scene) { return scene->name; }
const sn_mesh *sn_scene_surface(const sn_scene *scene, int body) {
    return body >= 0 && body < scene->mesh_count ? scene->surface[body] : NULL;
}
const sn_world_options *sn_scene_world_options(const sn_scene *scene) { return &scene->world; }
const sn_output_options *sn_scene_output(const sn_scene *scene) { return &scene->output; }
