/* Colliders of a scene. */
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
