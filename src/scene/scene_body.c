/* Bodies of a scene: mesh, element, materials, start. Fixed nodes and loads are in scene_load.c. */
#include <stdio.h>
#include <string.h>

#include "embed/embed_options.h"
#include "fem/element.h"
#include "fem/law.h"
#include "scene_internal.h"
#include "world/world_options.h"

static const sn_range positive_length = {0, 1e300, true, false, ""};

/* ---- Mesh ---- */

enum { PARAMETERS = 16 };

/* {"size": [1, 1, 1], "split": 6}: numbers or lists of up to three. */
static sn_status generate(const sn_place *place, const char *generator, sn_mesh **mesh) {
    sn_generator_value value[PARAMETERS];
    int count = 0;
    sn_status status = sn_place_object(place);
    if (status) return status;
    const char *key;
    json_t *item;
    json_object_foreach(place->value, key, item) {
        const sn_place child = {place->reader, place, key, 0, item};
        if (count == PARAMETERS) return sn_place_fail_key(&child, SN_BAD_INPUT, "is one parameter too many");
        sn_generator_value *v = &value[count++];
        *v = (sn_generator_value){.name = key, .count = 1};
        if (json_is_array(item)) {
            v->count = sn_place_count(&child);
            if (v->count < 1 || v->count > 3)
                return sn_place_fail(&child, SN_BAD_INPUT, "is a list of %d; allowed are 1 to 3 numbers", v->count);
            status = sn_read_numbers(&child, &sn_any_number, v->value, v->count);
        } else {
            status = sn_read_number(&child, &sn_any_number, v->value);
        }
        if (status) return status;
    }
    sn_error inner = {0};
    status = sn_mesh_generate(place->reader->context, generator, value, count, mesh, &inner);
    return status ? sn_place_wrap(place, &inner) : SN_OK;
}

sn_status sn_scene_read_path(const sn_place *place, char path[SN_SCENE_PATH]) {
    char name[SN_SCENE_PATH / 2];
    const sn_status status = sn_read_text(place, name, (int)sizeof name);
    if (status) return status;
    const char *folder = place->reader->folder;
    if (name[0] == '/' || !*folder)
        snprintf(path, SN_SCENE_PATH, "%s", name);
    else
        snprintf(path, SN_SCENE_PATH, "%.1000s/%s", folder, name);
    return SN_OK;
}

static sn_status read_file(const sn_place *place, sn_mesh **mesh) {
    char path[SN_SCENE_PATH];
    sn_status status = sn_scene_read_path(place, path);
    if (status) return status;
    sn_error inner = {0};
    status = sn_mesh_read(place->reader->context, path, mesh, &inner);
    return status ? sn_place_wrap(place, &inner) : SN_OK;
}

static sn_status refine_times(const sn_place *place, int times, sn_mesh **mesh) {
    sn_status status = SN_OK;
    for (int i = 0; i < times && !status; ++i) {
        sn_mesh *finer;
        sn_error inner = {0};
        status = sn_mesh_refine(*mesh, &finer, &inner);
        if (status) return sn_place_wrap(place, &inner);
        sn_mesh_destroy(*mesh);
        *mesh = finer;
    }
    return status;
}

static sn_status refine(const sn_place *place, sn_mesh **mesh) {
    int times;
    const sn_status status = sn_read_int(place, 0, 6, &times);
    return status ? status : refine_times(place, times, mesh);
}

/* The levels that are refined only where they are needed, and the selector of the tets that are always there. */
static sn_status read_adapt(const sn_place *place, sn_mesh **mesh, sn_body_options *body) {
    sn_place child;
    sn_status status = refine_times(place, body->adapt.levels, mesh);
    if (status || !sn_place_get(place, "select", &child)) return status;
    sn_selector *select = sn_scene_allocate(place->reader, 1, sizeof *select);
    if (!select) return sn_no_memory(place->reader->error);
    *select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    body->adapt.select = select;
    return sn_read_selector(&child, select);
}

/* Only the boundary, where the key asks for it. */
static sn_status peel(const sn_place *place, sn_mesh **mesh) {
    bool shell = false;
    sn_status status = sn_read_bool(place, &shell);
    if (status || !shell) return status;
    sn_mesh *own;
    sn_error inner = {0};
    status = sn_mesh_shell(*mesh, &own, &inner);
    if (status) return sn_place_wrap(place, &inner);
    sn_mesh_destroy(*mesh);
    *mesh = own;
    return SN_OK;
}

/* scale, rotate, move: always in this order; the order of the keys does not matter. */
static sn_status put(const sn_place *place, sn_mesh *mesh) {
    sn_place child;
    double value[4];
    sn_status status = SN_OK;
    if (sn_place_get(place, "scale", &child)) {
        status = sn_read_number(&child, &positive_length, value);
        if (!status) sn_mesh_scale(mesh, value[0]);
    }
    if (!status && sn_place_get(place, "rotate", &child)) {
        status = sn_read_numbers(&child, &sn_any_number, value, 4);
        if (!status && value[0] == 0 && value[1] == 0 && value[2] == 0)
            status = sn_place_fail(&child, SN_BAD_INPUT, "has the axis [0, 0, 0]; it must be [axis x, y, z, degrees]");
        if (!status) sn_mesh_rotate(mesh, value, value[3]);
    }
    if (!status && sn_place_get(place, "move", &child)) {
        status = sn_read_numbers(&child, &sn_any_number, value, 3);
        if (!status) sn_mesh_move(mesh, value);
    }
    return status;
}

static sn_status transform(const sn_place *place, sn_mesh **mesh) {
    sn_place child;
    const sn_status status = sn_place_get(place, "refine", &child) ? refine(&child, mesh) : SN_OK;
    return status ? status : put(place, *mesh);
}

/* What a shape must bring. */
typedef enum shape_need { NEED_ANY, NEED_TETS, NEED_TRIANGLES, NEED_ALONE } shape_need;

static sn_status check_shape(const sn_place *source, shape_need need, const sn_mesh *mesh) {
    if (need == NEED_TETS && mesh->tet_count == 0)
        return sn_place_fail(source, SN_BAD_INPUT,
                             "gives a mesh without tets; a body needs a volume: lay tets around it with the mesh "
                             "{\"embed\": {\"surface\": ..., \"elements\": 2000}} (or take a law of cloth, or the "
                             "element tri3, for plane triangles)");
    if (need == NEED_TRIANGLES && mesh->triangle_count == 0)
        return sn_place_fail(source, SN_BAD_INPUT, "gives a mesh without triangles");
    if (need == NEED_ALONE && (mesh->tet_count > 0 || mesh->triangle_count == 0))
        return sn_place_fail(source, SN_BAD_INPUT,
                             "gives a mesh of %d tets and %d triangles; the elements tri3, cloth and particles need a "
                             "mesh of only triangles",
                             mesh->tet_count, mesh->triangle_count);
    return SN_OK;
}

/* As sn_scene_read_source, and where the mesh was named. */
static sn_status read_source(const sn_place *place, const char *const *own, int own_count, sn_place *source,
                             sn_mesh **mesh) {
    const char *name[96];
    int names = 0, generators;
    const sn_listing *generator = sn_generators(&generators);
    for (int i = 0; i < generators && names < 56; ++i) name[names++] = generator[i].name;
    name[names++] = "file";
    const int sources = names;
    for (int i = 0; i < own_count && names < 96; ++i) name[names++] = own[i];
    sn_status status = sn_place_known(place, name, names, (int)sizeof *name);
    if (status) return status;
    sn_place child;
    *source = (sn_place){0};
    for (int i = 0; i < sources; ++i) {
        if (!sn_place_get(place, name[i], &child)) continue;
        if (source->key)
            return sn_place_fail(place, SN_BAD_INPUT, "has both '%s' and '%s'; give one generator or one file",
                                 source->key, name[i]);
        *source = child;
    }
    if (!source->key)
        return sn_place_fail(place, SN_BAD_INPUT, "names no shape; give a generator such as 'box' or a 'file'");
    return strcmp(source->key, "file") == 0 ? read_file(source, mesh) : generate(source, source->key, mesh);
}

sn_status sn_scene_read_source(const sn_place *place, const char *const *own, int own_count, sn_mesh **mesh) {
    sn_place source;
    return read_source(place, own, own_count, &source, mesh);
}

static sn_status read_shape(const sn_place *place, shape_need need, sn_mesh **mesh) {
    static const char *const own[] = {"scale", "rotate", "move", "refine", "shell"};
    sn_place source, shell;
    sn_status status = read_source(place, own, 5, &source, mesh);
    if (!status && sn_place_get(place, "shell", &shell)) status = peel(&shell, mesh);
    if (!status) status = check_shape(&source, need, *mesh);
    return status ? status : transform(place, mesh);
}

/* "body.obj", or a shape of triangles or tets. */
static sn_status read_embedded(const sn_place *place, sn_mesh **surface) {
    return json_is_string(place->value) ? read_file(place, surface) : read_shape(place, NEED_ANY, surface);
}

/* {"embed": {"surface": "body.obj", "cell": 0.05}}: tets around a surface, which becomes the surface of the body. The
 * keys beside it change both. */
static sn_status read_embed(const sn_place *place, const sn_place *embed, sn_mesh **surface, sn_mesh **mesh) {
    static const char *const own[] = {"embed", "scale", "rotate", "move", "refine"};
    sn_place source;
    int count;
    const sn_field *field = sn_embed_fields(&count);
    sn_embed_options options = sn_embed_options_default();
    sn_status status = sn_place_known(place, own, 5, (int)sizeof *own);
    if (!status) status = sn_read_fields(embed, field, count, &options);
    if (status) return status;
    if (*surface)
        return sn_place_fail(embed, SN_BAD_INPUT, "has its own surface; remove the key 'surface' of the body");
    sn_place_get(embed, "surface", &source); /* the table makes sure that it is there */
    status = read_embedded(&source, surface);
    if (status) return status;
    sn_error inner = {0};
    if (sn_embed_surface(*surface, &options, mesh, NULL, &inner)) return sn_place_wrap(embed, &inner);
    status = transform(place, mesh);
    return status ? status : put(place, *surface);
}

/* ---- Materials ---- */

static sn_status read_materials(const sn_place *place, sn_body_options *body) {
    const bool list = json_is_array(place->value);
    sn_status status = list ? sn_place_list(place, 1) : SN_OK;
    if (status) return status;
    const int count = list ? sn_place_count(place) : 1;
    sn_material *material = sn_scene_allocate(place->reader, (size_t)count, sizeof *material);
    sn_selector *select = sn_scene_allocate(place->reader, (size_t)count, sizeof *select);
    sn_fibre *fibre = sn_scene_allocate(place->reader, (size_t)count, sizeof *fibre);
    if (!material || !select || !fibre) return sn_no_memory(place->reader->error);
    bool selecting = false;
    for (int i = 0; i < count; ++i) {
        const sn_place item = list ? sn_place_at(place, i) : *place;
        sn_place child;
        status = sn_scene_read_material(&item, &material[i]);
        if (!status) status = sn_scene_read_fibre(&item, &fibre[i]);
        if (status) return status;
        select[i] = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
        if (!sn_place_get(&item, "select", &child)) continue;
        selecting = true;
        status = sn_read_selector(&child, &select[i]);
        if (status) return status;
    }
    body->material = material;
    body->material_fibre = fibre;
    body->material_count = count;
    body->material_select = selecting || count > 1 ? select : NULL;
    return SN_OK;
}

static sn_status default_material(sn_reader *reader, sn_body_options *body) {
    sn_material *material = sn_scene_allocate(reader, 1, sizeof *material);
    if (!material) return sn_no_memory(reader->error);
    *material = sn_material_default();
    body->material = material;
    body->material_count = 1;
    return SN_OK;
}

/* ---- The body ---- */

/* true: the whole body is rigid. [{"select": ...}, ...]: rigid cores. */
static sn_status read_rigid(const sn_place *place, sn_body_options *body) {
    if (json_is_boolean(place->value)) {
        body->rigid_body = json_is_true(place->value);
        return SN_OK;
    }
    static const sn_field field = {"select",   SN_FIELD_SELECT | SN_FIELD_NEEDED, 0, 1, 0, 0, 0, 0, NULL, NULL, "",
                                   "the nodes"};
    sn_selector *select = NULL;
    sn_status status = sn_place_items(place, sizeof *select, (void **)&select, &body->rigid_count);
    for (int i = 0; !status && i < body->rigid_count; ++i) {
        const sn_place item = sn_place_at(place, i);
        status = sn_read_fields(&item, &field, 1, &select[i]);
    }
    body->rigid = select;
    return status;
}

static sn_status read_initial(const sn_place *place, sn_initial *initial) {
    int count;
    const sn_field *field = sn_initial_fields(&count);
    sn_place seed;
    initial->scrambled = json_is_object(place->value) && sn_place_get(place, "scramble", &seed);
    return sn_read_fields(place, field, count, initial);
}

/* What the mesh of a body must bring. */
static shape_need need_of(const sn_body_options *body, bool rigid) {
    const sn_law *law = sn_law_find(NULL, body->material[0].law);
    const sn_element *type = sn_element_find(body->element);
    const bool cloth = *body->element ? type && sn_element_carrier(type)->lay : law && law->flags & SN_LAW_CLOTH;
    if (rigid) return NEED_ANY;
    return cloth || strcmp(body->element, "tri3") == 0 ? NEED_ALONE : NEED_TETS;
}

static sn_status read_body(const sn_place *place, sn_scene *scene, int index, sn_body_options *body) {
    int fields;
    const sn_field *field = sn_body_fields(&fields);
    sn_place child, surface, embed;
    if (index > 0) snprintf(body->name, sizeof body->name, "body%d", index);
    sn_status status = sn_read_fields(place, field, fields, body);
    if (status) return status;
    if (sn_place_get(place, "material", &child) || sn_place_get(place, "materials", &child))
        status = read_materials(&child, body);
    else
        status = default_material(place->reader, body);
    if (status) return status;
    const bool rigid = sn_place_get(place, "rigid", &child) && json_is_true(child.value);
    if (sn_place_get(place, "surface", &surface)) status = read_shape(&surface, NEED_TRIANGLES, &scene->surface[index]);
    if (!status && sn_place_get(place, "mesh", &child))
        status = json_is_object(child.value) && sn_place_get(&child, "embed", &embed)
                     ? read_embed(&child, &embed, &scene->surface[index], &scene->mesh[index])
                     : read_shape(&child, need_of(body, rigid), &scene->mesh[index]);
    if (!status && sn_place_get(place, "adapt", &child)) status = read_adapt(&child, &scene->mesh[index], body);
    if (status) return status;
    body->mesh = scene->mesh[index];
    body->surface = scene->surface[index];
    if (sn_place_get(place, "fix", &child)) status = sn_scene_read_fixes(&child, body);
    if (!status && sn_place_get(place, "loads", &child)) status = sn_scene_read_loads(&child, body);
    if (!status && sn_place_get(place, "rigid", &child)) status = read_rigid(&child, body);
    if (!status && sn_place_get(place, "links", &child)) status = sn_scene_read_links(&child, body);
    if (!status && sn_place_get(place, "tethers", &child)) status = sn_scene_read_tethers(&child, body);
    if (!status && sn_place_get(place, "sew", &child)) status = sn_scene_read_seams(&child, body);
    if (!status && sn_place_get(place, "initial", &child)) status = read_initial(&child, &body->initial);
    return status;
}

sn_status sn_scene_read_bodies(const sn_place *place, sn_scene *scene) {
    sn_status status = sn_place_list(place, 1);
    if (status) return status;
    const int count = sn_place_count(place);
    sn_body_options *body = sn_scene_allocate(place->reader, (size_t)count, sizeof *body);
    scene->mesh = sn_scene_allocate(place->reader, (size_t)count, sizeof *scene->mesh);
    scene->surface = sn_scene_allocate(place->reader, (size_t)count, sizeof *scene->surface);
    if (!body || !scene->mesh || !scene->surface) return sn_no_memory(place->reader->error);
    scene->mesh_count = count;
    for (int i = 0; i < count; ++i) {
        const sn_place item = sn_place_at(place, i);
        body[i] = sn_body_options_default();
        status = read_body(&item, scene, i, &body[i]);
        if (status) return status;
        for (int k = 0; k < i; ++k)
            if (strcmp(body[k].name, body[i].name) == 0)
                return sn_place_fail(&item, SN_BAD_INPUT, "has the name '%.60s' of another body", body[i].name);
    }
    scene->world.body = body;
    scene->world.body_count = count;
    return SN_OK;
}
