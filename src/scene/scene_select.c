/* Selectors of a scene: {"box": [[..], [..]]}, {"and": [..]}, "all". The world tries them on its meshes: a selector
 * that picks nothing is an error. */
#include <stdio.h>
#include <string.h>

#include "scene_internal.h"

static const sn_listing kinds[] = {{"all", ""},       {"surface", ""}, {"box", ""},   {"sphere", ""},
                                   {"halfspace", ""}, {"normal", ""},  {"nodes", ""}, {"group", ""},
                                   {"and", ""},       {"or", ""},      {"not", ""},   {"angle", ""}};
enum {
    KINDS = sizeof kinds / sizeof *kinds,
    ANGLE = KINDS - 1
}; /* in the order of sn_select_kind; angle belongs to normal */

static sn_status read_box(const sn_place *place, sn_selector *selector) {
    sn_status status = sn_place_list(place, 2);
    if (status) return status;
    if (sn_place_count(place) != 2)
        return sn_place_fail(place, SN_BAD_INPUT, "is a list of %d; it must be [[low x, y, z], [high x, y, z]]",
                             sn_place_count(place));
    for (int i = 0; i < 2 && !status; ++i) {
        const sn_place corner = sn_place_at(place, i);
        status = sn_read_numbers(&corner, &sn_any_number, selector->box[i], 3);
    }
    for (int k = 0; k < 3 && !status; ++k)
        if (selector->box[0][k] > selector->box[1][k])
            status = sn_place_fail(place, SN_BAD_INPUT, "is empty: its low %c %g is above its high %g", 'x' + k,
                                   selector->box[0][k], selector->box[1][k]);
    return status;
}

/* {"center": [..], "radius": r} or [[..], r]. */
static sn_status read_sphere(const sn_place *place, sn_selector *selector) {
    sn_status status;
    sn_place center, radius;
    if (json_is_array(place->value) && sn_place_count(place) == 2) {
        center = sn_place_at(place, 0), radius = sn_place_at(place, 1);
    } else {
        static const char *const keys[] = {"center", "radius", "point"};
        status = sn_place_known(place, keys, 3, (int)sizeof *keys);
        if (status) return status;
        if (!sn_place_get(place, "center", &center) && !sn_place_get(place, "point", &center))
            return sn_place_fail(place, SN_BAD_INPUT, "needs 'center'");
        if (!sn_place_get(place, "radius", &radius)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'radius'");
    }
    status = sn_read_numbers(&center, &sn_any_number, selector->point, 3);
    return status ? status : sn_read_number(&radius, &sn_number_from_zero, &selector->radius);
}

/* {"point": [..], "normal": [..]} or [[..], [..]]. */
static sn_status read_halfspace(const sn_place *place, sn_selector *selector) {
    sn_status status;
    sn_place point, normal;
    if (json_is_array(place->value) && sn_place_count(place) == 2) {
        point = sn_place_at(place, 0), normal = sn_place_at(place, 1);
    } else {
        static const char *const keys[] = {"point", "normal"};
        status = sn_place_known(place, keys, 2, (int)sizeof *keys);
        if (status) return status;
        if (!sn_place_get(place, "point", &point)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'point'");
        if (!sn_place_get(place, "normal", &normal)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'normal'");
    }
    status = sn_read_numbers(&point, &sn_any_number, selector->point, 3);
    return status ? status : sn_read_direction(&normal, selector->normal);
}

static sn_status read_nodes(const sn_place *place, sn_selector *selector) {
    sn_status status = sn_place_list(place, 1);
    if (status) return status;
    const int count = sn_place_count(place);
    int64_t *label = sn_scene_allocate(place->reader, (size_t)count, sizeof *label);
    if (!label) return sn_no_memory(place->reader->error);
    for (int i = 0; i < count; ++i) {
        const json_t *item = json_array_get(place->value, (size_t)i);
        const sn_place at = sn_place_at(place, i);
        if (!json_is_integer(item)) return sn_place_fail(&at, SN_BAD_INPUT, "must be the number of a node");
        label[i] = (int64_t)json_integer_value(item);
    }
    selector->nodes = label;
    selector->node_count = count;
    return SN_OK;
}

static sn_status read_children(const sn_place *place, bool list, sn_selector *selector) {
    if (list) {
        const sn_status status = sn_place_list(place, 1);
        if (status) return status;
    }
    const int count = list ? sn_place_count(place) : 1;
    sn_selector *child = sn_scene_allocate(place->reader, (size_t)count, sizeof *child);
    if (!child) return sn_no_memory(place->reader->error);
    for (int i = 0; i < count; ++i) {
        const sn_place at = list ? sn_place_at(place, i) : *place;
        const sn_status status = sn_read_selector(&at, &child[i]);
        if (status) return status;
    }
    selector->child = child;
    selector->child_count = count;
    return SN_OK;
}

static sn_status read_true(const sn_place *place) {
    if (json_is_true(place->value)) return SN_OK;
    return sn_place_fail(place, SN_BAD_INPUT, "must be true");
}

static sn_status read_kind(const sn_place *place, sn_selector *selector) {
    switch (selector->kind) {
    case SN_SELECT_ALL:
    case SN_SELECT_SURFACE:
        return read_true(place);
    case SN_SELECT_BOX:
        return read_box(place, selector);
    case SN_SELECT_SPHERE:
        return read_sphere(place, selector);
    case SN_SELECT_HALFSPACE:
        return read_halfspace(place, selector);
    case SN_SELECT_NORMAL:
        return sn_read_direction(place, selector->normal);
    case SN_SELECT_NODES:
        return read_nodes(place, selector);
    case SN_SELECT_GROUP:
        return sn_read_text(place, selector->group, (int)sizeof selector->group);
    case SN_SELECT_AND:
    case SN_SELECT_OR:
        return read_children(place, true, selector);
    case SN_SELECT_NOT:
        return read_children(place, false, selector);
    }
    return SN_OK;
}

sn_status sn_read_selector(const sn_place *place, sn_selector *selector) {
    *selector = (sn_selector){.angle = 1};
    if (json_is_string(place->value)) { /* "all", "surface" */
        int kind = 0;
        const sn_status status = sn_read_choice(place, kinds, 2, &kind);
        selector->kind = (sn_select_kind)kind;
        return status;
    }
    sn_status status = sn_place_known(place, kinds, KINDS, (int)sizeof *kinds);
    if (status) return status;
    int found = -1;
    sn_place child;
    for (int i = 0; i < ANGLE; ++i) {
        if (!sn_place_get(place, kinds[i].name, &child)) continue;
        if (found >= 0)
            return sn_place_fail(place, SN_BAD_INPUT, "has both '%s' and '%s'; join them with \"and\": [{...}, {...}]",
                                 kinds[found].name, kinds[i].name);
        found = i;
    }
    if (found < 0)
        return sn_place_fail(
            place, SN_BAD_INPUT,
            "is empty; known are all, surface, box, sphere, halfspace, normal, nodes, group, and, or, not");
    selector->kind = (sn_select_kind)found;
    if (sn_place_get(place, "angle", &child)) {
        static const sn_range degrees = {0, 180, false, false, "degrees"};
        if (found != SN_SELECT_NORMAL) return sn_place_fail_key(&child, SN_BAD_INPUT, "only goes with 'normal'");
        status = sn_read_number(&child, &degrees, &selector->angle);
    }
    if (!status && sn_place_get(place, kinds[found].name, &child)) status = read_kind(&child, selector);
    return status;
}
