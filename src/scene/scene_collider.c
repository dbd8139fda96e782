/* Colliders and probes of a scene. */
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
    return status ? sn_place_wrap(&child, &inner) : SN_OK;
}

/* The object of a shape: its parameters, and its mesh when the shape takes one. */
static sn_status read_shape(const sn_place *place, const sn_shape *shape, sn_collider *collider, sn_mesh **mesh) {
    const char *key[2 * SN_COLLIDER_VALUES + 1];
    const int keys = shape_keys(shape, key);
    snprintf(collider->shape, sizeof collider->shape, "%s", place->key);
    sn_status status =
        shape->takes_mesh ? sn_scene_read_source(place, key, keys, mesh) : sn_place_known(place, key, keys, (int)sizeof *key);
    collider->mesh = *mesh;
    for (int i = 0; i < shape->parameter_count && !status; ++i) status = read_parameter(place, &shape->parameter[i], collider);
    sn_place child;
    if (!status && sn_place_get(place, "inside", &child)) status = sn_read_bool(&child, &collider->inside);
    return status;
}

/* "turn": {"axis": [0, 1, 0], "point": [0, 0, 0], "keys": [[t, degrees], ...]} */
static sn_status read_turn(const sn_place *place, sn_collider_turn *turn) {
    static const char *const keys[] = {"axis", "point", "keys"};
    sn_place child;
    sn_status status = sn_place_known(place, keys, 3, (int)sizeof *keys);
    if (!status && sn_place_get(place, "axis", &child)) status = sn_read_direction(&child, turn->axis);
    if (!status && sn_place_get(place, "point", &child)) {
        turn->has_point = true;
        status = sn_read_numbers(&child, &sn_any_number, turn->point, 3);
    }
    if (status) return status;
    if (!sn_place_get(place, "keys", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'keys'");
    return sn_read_keys(&child, 2, &turn->key, &turn->key_count);
}

/* What is the same for all shapes. */
static sn_status read_rest(const sn_place *place, sn_collider *collider) {
    static const sn_range stiffness = {0, 1e300, false, false, "Pa/m"};
    sn_place child;
    sn_status status = SN_OK;
    if (sn_place_get(place, "friction", &child)) status = sn_read_number(&child, &sn_number_from_zero, &collider->friction);
    if (!status && sn_place_get(place, "response", &child)) {
        int count;
        const sn_listing *choice = sn_responses(&count);
        status = sn_read_name(&child, choice, count, collider->response, (int)sizeof collider->response);
    }
    if (!status && sn_place_get(place, "stiffness", &child)) status = sn_read_number(&child, &stiffness, &collider->stiffness);
    if (!status && sn_place_get(place, "damping", &child)) status = sn_read_number(&child, &sn_number_from_zero, &collider->damping);
    if (!status && sn_place_get(place, "keys", &child)) status = sn_read_keys(&child, 4, &collider->key, &collider->key_count);
    if (!status && sn_place_get(place, "turn", &child)) status = read_turn(&child, &collider->turn);
    return status;
}

static sn_status read_collider(const sn_place *place, sn_collider *collider, sn_mesh **mesh) {
    static const char *const own[] = {"friction", "response", "stiffness", "damping", "keys", "turn"};
    const char *key[64];
    int keys = 0, shapes;
    const sn_listing *shape = sn_shapes(&shapes);
    for (int i = 0; i < shapes && keys < 56; ++i) key[keys++] = shape[i].name;
    for (int i = 0; i < 6; ++i) key[keys++] = own[i];
    sn_status status = sn_place_known(place, key, keys, (int)sizeof *key);
    if (status) return status;
    sn_place found = {0}, child;
    for (int i = 0; i < keys - 6; ++i) {
        if (!sn_place_get(place, key[i], &child)) continue;
        if (found.key) return sn_place_fail(place, SN_BAD_INPUT, "has both '%s' and '%s'; it must have one shape", found.key, key[i]);
        found = child;
    }
    if (!found.key) {
        char text[300] = "has no shape; give one of ";
        for (int i = 0; i < keys - 6; ++i) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s'%s'", i ? ", " : "", key[i]);
        }
        return sn_place_fail(place, SN_BAD_INPUT, "%s", text);
    }
    status = read_shape(&found, sn_shape_find(found.key), collider, mesh);
    if (!status) status = read_rest(place, collider);
    sn_error inner = {0};
    if (!status && sn_collider_check(collider, &inner)) status = sn_place_wrap(&found, &inner);
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

/* ---- Probes ---- */

static const sn_listing quantities[] = {{"displacement", ""}, {"position", ""}, {"velocity", ""},
                                        {"reaction", ""},     {"volume", ""},   {"stress", ""}};

static sn_status read_body(const sn_place *place, const sn_world_options *world, sn_probe *probe, int *index) {
    const sn_status status = sn_read_text(place, probe->body, (int)sizeof probe->body);
    if (status) return status;
    sn_listing name[64];
    int count = 0;
    for (int i = 0; i < world->body_count && count < 64; ++i) name[count++] = (sn_listing){world->body[i].name, ""};
    if (world->body_count <= 64) return sn_read_choice(place, name, count, index);
    for (*index = 0; *index < world->body_count; ++*index)
        if (strcmp(world->body[*index].name, probe->body) == 0) return SN_OK;
    return sn_place_fail(place, SN_BAD_INPUT, "is '%.60s', which is no body's name", probe->body);
}

static bool has_label(const sn_mesh *mesh, int64_t label) {
    if (!mesh->node_label) return label >= 0 && label < mesh->node_count;
    for (int i = 0; i < mesh->node_count; ++i)
        if (mesh->node_label[i] == label) return true;
    return false;
}

/* One of nearest, node, select; a reaction or a volume without any is over the whole body. */
static sn_status read_where(const sn_place *place, const sn_body_options *body, sn_probe *probe) {
    sn_place nearest, node, select;
    const bool has_nearest = sn_place_get(place, "nearest", &nearest), has_node = sn_place_get(place, "node", &node),
               has_select = sn_place_get(place, "select", &select);
    if (has_nearest + has_node + has_select > 1) return sn_place_fail(place, SN_BAD_INPUT, "has more than one of nearest, node, select");
    if (has_nearest) {
        probe->at = SN_PROBE_NEAREST;
        return sn_read_numbers(&nearest, &sn_any_number, probe->nearest, 3);
    }
    if (has_node) {
        probe->at = SN_PROBE_NODE;
        if (!json_is_integer(node.value)) return sn_place_fail(&node, SN_BAD_INPUT, "must be the number of a node");
        probe->node = (int64_t)json_integer_value(node.value);
        const bool linear = !body->element || strcmp(body->element, "tet4") == 0; /* other elements have nodes that the mesh does not */
        if (linear && !has_label(body->mesh, probe->node))
            return sn_place_fail(&node, SN_BAD_INPUT, "is %lld; the body '%.60s' has no node of this number", (long long)probe->node,
                                 body->name);
        return SN_OK;
    }
    probe->at = SN_PROBE_SELECT;
    if (has_select) return sn_scene_read_select(&select, body->mesh, SN_NEED_NODES, &probe->select);
    if (probe->quantity != SN_QUANTITY_REACTION && probe->quantity != SN_QUANTITY_VOLUME)
        return sn_place_fail(place, SN_BAD_INPUT, "needs one of nearest, node, select");
    probe->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    return SN_OK;
}

static sn_status read_probe(const sn_place *place, const sn_world_options *world, int index, sn_probe *probe) {
    static const char *const keys[] = {"name", "body", "quantity", "nearest", "node", "select"};
    sn_place child;
    int body = 0, quantity = 0;
    sn_status status = sn_place_known(place, keys, 6, (int)sizeof *keys);
    snprintf(probe->name, sizeof probe->name, "probe%d", index);
    if (!status && sn_place_get(place, "name", &child)) status = sn_read_text(&child, probe->name, (int)sizeof probe->name);
    if (!status && sn_place_get(place, "body", &child)) status = read_body(&child, world, probe, &body);
    if (!status && sn_place_get(place, "quantity", &child)) status = sn_read_choice(&child, quantities, 6, &quantity);
    probe->quantity = (sn_quantity)quantity;
    return status ? status : read_where(place, &world->body[body], probe);
}

sn_status sn_scene_read_probes(const sn_place *place, sn_scene *scene) {
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    const int count = sn_place_count(place);
    sn_probe *probe = sn_scene_allocate(place->reader, (size_t)count, sizeof *probe);
    if (!probe) return sn_no_memory(place->reader->error);
    for (int i = 0; i < count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        status = read_probe(&item, &scene->world, i, &probe[i]);
        for (int k = 0; k < i && !status; ++k)
            if (strcmp(probe[k].name, probe[i].name) == 0)
                status = sn_place_fail(&item, SN_BAD_INPUT, "has the name '%.60s' of another probe", probe[i].name);
    }
    scene->world.probe = probe;
    scene->world.probe_count = count;
    return status;
}
