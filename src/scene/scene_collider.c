/* Colliders of a scene. */
#include <stdio.h>
#include <string.h>

#include "contact/shape.h"
#include "scene_internal.h"

/* The keys that an object of a shape may have. Returns how many. */
static int shape_keys(const sn_shape *shape, const char *key[]) {
    int count = 0;
    for (int i = 0; i < shape->parameter_count; ++i) {
        key[count++] = shape->parameter[i].name;
        if (shape->parameter[i].also) key[count++] = shape->parameter[i].also;
    }
    key[count++] = "inside";
    if (shape->takes_heights) key[count++] = "heights", key[count++] = "file";
    return count;
}

static sn_status read_parameter(const sn_place *place, const sn_shape_parameter *p, sn_collider *collider) {
    const sn_range range = {p->low, p->high, p->low_open, false, p->unit};
    sn_place child;
    double value[4];
    sn_status status;
    if (!sn_place_get(place, p->name, &child) && !(p->also && sn_place_get(place, p->also, &child)))
        return p->required ? sn_place_fail(place, SN_BAD_INPUT, "needs '%s'", p->name) : SN_OK;
    if (p->role == SN_ROLE_DIRECTION)
        status = sn_read_direction(&child, value);
    else if (p->count == 1)
        status = sn_read_number(&child, &range, value);
    else
        status = sn_read_numbers(&child, &range, value, p->count);
    if (status) return status;
    sn_error inner = {0};
    status = sn_collider_set(collider, p->name, value, p->count, &inner);
    return status ? sn_place_wrap(place->parent, &inner) : SN_OK;
}

/* The object of a shape: its parameters, and its mesh when the shape takes one. */
static sn_status read_shape(const sn_place *place, const sn_shape *shape, sn_collider *collider, sn_mesh **mesh) {
    const char *key[2 * SN_COLLIDER_VALUES + 3];
    const int keys = shape_keys(shape, key);
    snprintf(collider->shape, sizeof collider->shape, "%s", place->key);
    sn_status status = shape->takes_mesh ? sn_scene_read_source(place, key, keys, mesh)
                                         : sn_place_known(place, key, keys, (int)sizeof *key);
    if (!status && shape->takes_heights) status = sn_scene_read_heights(place, collider);
    collider->mesh = *mesh;
    for (int i = 0; i < shape->parameter_count && !status; ++i)
        status = read_parameter(place, &shape->parameter[i], collider);
    sn_place child;
    if (!status && sn_place_get(place, "inside", &child)) status = sn_read_bool(&child, &collider->inside);
    return status;
}

static sn_status read_collider(const sn_place *place, sn_collider *collider, sn_mesh **mesh) {
    int fields, shapes;
    const sn_field *field = sn_collider_fields(&fields);
    const sn_listing *shape = sn_shapes(&shapes);
    sn_status status = sn_read_fields(place, field, fields, collider);
    if (status) return status;
    sn_place found = {0}, child, turn;
    for (int i = 0; i < shapes; ++i) {
        if (!sn_place_get(place, shape[i].name, &child)) continue;
        if (found.key)
            return sn_place_fail(place, SN_BAD_INPUT, "has both '%s' and '%s'; it must have one shape", found.key,
                                 shape[i].name);
        found = child;
    }
    if (!found.key) {
        char text[300] = "has no shape; give one of ";
        for (int i = 0; i < shapes; ++i) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s'%s'", i ? ", " : "", shape[i].name);
        }
        return sn_place_fail(place, SN_BAD_INPUT, "%s", text);
    }
    status = read_shape(&found, sn_shape_find(found.key), collider, mesh);
    if (sn_place_get(place, "turn", &turn)) collider->turn.has_point = sn_place_get(&turn, "point", &child);
    sn_error inner = {0};
    if (!status && sn_collider_check(collider, &inner)) status = sn_place_wrap(place, &inner);
    return status;
}

sn_status sn_scene_read_colliders(const sn_place *place, sn_scene *scene) {
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    const int count = sn_place_count(place);
    sn_collider *collider = sn_scene_allocate(place->reader, (size_t)count, sizeof *collider);
    scene->collider_mesh = sn_scene_allocate(place->reader, (size_t)count, sizeof *scene->collider_mesh);
    if (!collider || !scene->collider_mesh) return sn_no_memory(place->reader->error);
    scene->collider_mesh_count = count;
    for (int i = 0; i < count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        collider[i] = sn_collider_default();
        status = read_collider(&item, &collider[i], &scene->collider_mesh[i]);
    }
    scene->world.collider = collider;
    scene->world.collider_count = count;
    return status;
}
