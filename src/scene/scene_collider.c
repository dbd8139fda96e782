/* Colliders and probes of a scene. */
#include <stdio.h>
#include <string.h>

#include "scene_internal.h"

static sn_status read_plane(const sn_place *place, sn_collider *collider) {
    static const char *const keys[] = {"point", "normal"};
    sn_place child;
    sn_status status = sn_place_known(place, keys, 2, (int)sizeof *keys);
    collider->kind = SN_COLLIDER_PLANE;
    collider->normal[0] = 0, collider->normal[1] = 1, collider->normal[2] = 0;
    if (!status && sn_place_get(place, "point", &child)) status = sn_read_numbers(&child, &sn_any_number, collider->point, 3);
    if (!status && sn_place_get(place, "normal", &child)) status = sn_read_direction(&child, collider->normal);
    return status;
}

static sn_status read_sphere(const sn_place *place, sn_collider *collider) {
    static const char *const keys[] = {"center", "radius", "inside", "point"};
    sn_place child;
    sn_status status = sn_place_known(place, keys, 4, (int)sizeof *keys);
    collider->kind = SN_COLLIDER_SPHERE;
    if (status) return status;
    if (sn_place_get(place, "center", &child) || sn_place_get(place, "point", &child))
        status = sn_read_numbers(&child, &sn_any_number, collider->point, 3);
    if (status) return status;
    if (!sn_place_get(place, "radius", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'radius'");
    status = sn_read_number(&child, &sn_positive_number, &collider->radius);
    if (!status && sn_place_get(place, "inside", &child)) status = sn_read_bool(&child, &collider->inside);
    return status;
}

static sn_status read_collider(const sn_place *place, sn_collider *collider) {
    static const char *const keys[] = {"plane", "sphere", "friction", "response", "stiffness", "damping", "keys"};
    static const sn_range stiffness = {0, 1e300, false, false, "Pa/m"};
    sn_place plane, sphere, child;
    sn_status status = sn_place_known(place, keys, 7, (int)sizeof *keys);
    if (status) return status;
    const bool has_plane = sn_place_get(place, "plane", &plane), has_sphere = sn_place_get(place, "sphere", &sphere);
    if (has_plane == has_sphere) return sn_place_fail(place, SN_BAD_INPUT, "must have one of 'plane' and 'sphere'");
    status = has_plane ? read_plane(&plane, collider) : read_sphere(&sphere, collider);
    if (!status && sn_place_get(place, "friction", &child)) status = sn_read_number(&child, &sn_number_from_zero, &collider->friction);
    if (!status && sn_place_get(place, "response", &child)) {
        int count;
        const sn_listing *choice = sn_responses(&count);
        status = sn_read_name(&child, choice, count, collider->response, (int)sizeof collider->response);
    }
    if (!status && sn_place_get(place, "stiffness", &child)) status = sn_read_number(&child, &stiffness, &collider->stiffness);
    if (!status && sn_place_get(place, "damping", &child)) status = sn_read_number(&child, &sn_number_from_zero, &collider->damping);
    if (!status && sn_place_get(place, "keys", &child)) status = sn_read_keys(&child, 4, &collider->key, &collider->key_count);
    return status;
}

sn_status sn_scene_read_colliders(const sn_place *place, sn_world_options *world) {
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    const int count = sn_place_count(place);
    sn_collider *collider = sn_scene_allocate(place->reader, (size_t)count, sizeof *collider);
    if (!collider) return sn_no_memory(place->reader->error);
    for (int i = 0; i < count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        collider[i] = sn_collider_default();
        status = read_collider(&item, &collider[i]);
    }
    world->collider = collider;
    world->collider_count = count;
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
