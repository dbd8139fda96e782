/* Scene files: text -> tree -> options. The parts are read by scene_<part>.c; the tree and the text stay with the
 * scene, so that messages of sn_world_create can still be given a line and a column. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linear/solver.h"
#include "locate.h"
#include "scene_internal.h"
#include "time/time_options.h"

static const sn_field fields[] = {
    {"sinew", SN_FIELD_INT, offsetof(sn_scene, version), 1, 1, 1, 0, 1, NULL, NULL, "", "version of the scene format"},
    {"name", SN_FIELD_TEXT, offsetof(sn_scene, name), sizeof((sn_scene *)0)->name, 0, 0, 0, 0, NULL, NULL, "",
     "name of the scene; the file's name when it is not given"},
    {"description", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "", "a string about the scene"},
    {"gravity", SN_FIELD_DOUBLE, offsetof(sn_scene, world.gravity), 3, -1e300, 1e300, 0, 0, "[0, -9.81, 0]", NULL,
     "m/s^2", "acceleration of free fall"},
    {"time", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "", "time integration"},
    {"solver", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "", "linear solver"},
    {"bodies", SN_FIELD_OWN | SN_FIELD_NEEDED, 0, 1, 0, 0, 0, 0, NULL, NULL, "", "a list of bodies, at least one"},
    {"colliders", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "", "a list of colliders"},
    {"contact", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "",
     "contact between bodies; without it bodies pass through each other"},
    {"tools", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "", "a list of tools with which a hand touches the bodies"},
    {"probes", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "", "a list of probes"},
    {"output", SN_FIELD_OWN, 0, 1, 0, 0, 0, 0, NULL, NULL, "", "files and pictures"},
    {"gallery.place", SN_FIELD_INT | SN_FIELD_NEEDED, offsetof(sn_scene, gallery.place), 1, 1, 1000, 0, 0, NULL, NULL,
     "", "order in the gallery of the page, each place once"},
    {"gallery.time", SN_FIELD_DOUBLE, offsetof(sn_scene, gallery.time), 1, 0, 1e300, 0, 0.5, NULL, NULL, "s",
     "time of the picture"},
    {"gallery.colour", SN_FIELD_TEXT, offsetof(sn_scene, gallery.colour), 32, 0, 0, 0, 0, "none", NULL, "",
     "colours of the picture"},
    {"gallery.wire", SN_FIELD_BOOL, offsetof(sn_scene, gallery.wire), 1, 0, 1, 0, 0, NULL, NULL, "",
     "draw the edges of the tets"},
    {"gallery.zoom", SN_FIELD_DOUBLE, offsetof(sn_scene, gallery.zoom), 1, 0, 1e300, 1, 1.25, NULL, NULL, "",
     "larger is nearer"},
};
enum { FIELDS = sizeof fields / sizeof *fields };

const sn_field *sn_scene_fields(int *count) {
    *count = FIELDS;
    return fields;
}

static sn_status read_root(sn_scene *scene) {
    const sn_place root = {&scene->reader, NULL, NULL, 0, scene->root};
    sn_world_options *world = &scene->world;
    int times, solvers;
    const sn_field *time = sn_time_fields(&times), *solver = sn_solver_fields(&solvers);
    sn_place place;
    sn_status status = sn_read_fields(&root, fields, FIELDS, scene);
    if (!status && sn_place_get(&root, "description", &place) && !json_is_string(place.value))
        status = sn_place_fail(&place, SN_BAD_INPUT, "must be a string");
    if (!status && sn_place_get(&root, "time", &place)) status = sn_read_fields(&place, time, times, &world->time);
    if (!status && sn_place_get(&root, "solver", &place))
        status = sn_read_fields(&place, solver, solvers, &world->solver);
    if (!status && sn_place_get(&root, "output", &place)) status = sn_scene_read_output(&place, &scene->output);
    if (!status && sn_place_get(&root, "bodies", &place)) status = sn_scene_read_bodies(&place, scene);
    if (!status && sn_place_get(&root, "colliders", &place)) status = sn_scene_read_colliders(&place, scene);
    if (!status && sn_place_get(&root, "contact", &place)) status = sn_scene_read_contact(&place, &world->contact);
    if (!status && sn_place_get(&root, "tools", &place)) status = sn_scene_read_tools(&place, scene);
    if (!status && sn_place_get(&root, "probes", &place)) status = sn_scene_read_probes(&place, world);
    return status;
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
        return sn_fail(reader->error, SN_BAD_INPUT, "%.200s:%d:%d: brackets nest deeper than %d", reader->name, line,
                       column, SN_SCENE_DEPTH);
    json_error_t problem;
    *root = json_loadb(reader->text, reader->bytes, JSON_REJECT_DUPLICATES, &problem);
    if (*root) return SN_OK;
    return sn_fail(reader->error, SN_BAD_INPUT, "%.200s:%d:%d: not valid JSON: %.200s", reader->name, problem.line,
                   problem.column, problem.text);
}

/* The file's name without folder and ending. */
static void stem_of(const char *path, char *stem, size_t capacity) {
    const char *slash = strrchr(path, '/');
    snprintf(stem, capacity, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem) *dot = 0;
}

static sn_status parse(sn_scene *s, const char *text, size_t bytes, const char *name, const char *folder,
                       const sn_override *overrides, int override_count) {
    stem_of(name, s->name, sizeof s->name);
    s->reader.text = keep_text(&s->reader, text, bytes);
    s->reader.name = keep_text(&s->reader, name, strlen(name));
    s->reader.folder = keep_text(&s->reader, folder, strlen(folder));
    if (!s->reader.text || !s->reader.name || !s->reader.folder) return sn_no_memory(s->reader.error);
    s->reader.bytes = bytes;
    sn_status status = parse_tree(&s->reader, &s->root);
    if (!status) status = sn_scene_override(&s->reader, s->root, overrides, override_count);
    if (!status) status = read_root(s);
    snprintf(s->output.picture.title, sizeof s->output.picture.title, "%.63s", s->name);
    return status;
}

sn_status sn_scene_parse(sn_context *context, const char *text, size_t bytes, const char *name, const char *folder,
                         const sn_override *overrides, int override_count, sn_scene **scene, sn_error *error) {
    sn_scene *s = sn_allocate_zero(context, 1, sizeof *s);
    if (!s) return sn_no_memory(error);
    s->context = context;
    s->world = sn_world_options_default();
    s->output = sn_output_options_default();
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

sn_status sn_scene_load(sn_context *context, const char *path, const sn_override *overrides, int override_count,
                        sn_scene **scene, sn_error *error) {
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
bool sn_scene_gives(const sn_scene *scene, const char *key) {
    const json_t *at = scene->root;
    while (at && *key) {
        const size_t length = strcspn(key, ".");
        char word[128];
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), key);
        at = json_is_array(at) ? json_array_get(at, strtoul(word, NULL, 10)) : json_object_get(at, word);
        key += length;
        key += *key == '.';
    }
    return at != NULL;
}
const sn_world_options *sn_scene_world_options(const sn_scene *scene) { return &scene->world; }
const sn_output_options *sn_scene_output(const sn_scene *scene) { return &scene->output; }

sn_status sn_scene_create_world(const sn_scene *scene, sn_world **world, sn_error *error) {
    sn_reader reader = scene->reader;
    reader.error = error;
    const sn_place root = {&reader, NULL, NULL, 0, scene->root};
    sn_error inner = {0};
    const sn_status status = sn_world_create(scene->context, &scene->world, world, &inner);
    return status ? sn_place_wrap(&root, &inner) : SN_OK;
}
