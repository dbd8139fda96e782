/* Links of a body: "links": [{ "point": [x, y, z], "to": [x, y, z] or { "body": name, "at": [x, y, z] }, "keys", "stabilise", "rate" }].
 * Whether the points are inside the bodies is the world's to say. */
#include <string.h>

#include "scene_internal.h"

static sn_status read_other(const sn_place *place, sn_link *link) {
    static const char *const keys[] = {"body", "at"};
    sn_place child;
    sn_status status = sn_place_known(place, keys, 2, (int)sizeof *keys);
    if (status) return status;
    if (!sn_place_get(place, "body", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'body'");
    status = sn_read_text(&child, link->body, (int)sizeof link->body);
    if (!status && sn_place_get(place, "at", &child)) status = sn_read_numbers(&child, &sn_any_number, link->to, 3);
    return status;
}

static sn_status read_link(const sn_place *place, sn_link *link) {
    static const char *const keys[] = {"point", "to", "keys", "stabilise", "rate"};
    static const sn_listing choice[] = {{"baumgarte", ""}, {"post", ""}};
    static const sn_range part = {0, 1, false, false, ""};
    sn_place child;
    sn_status status = sn_place_known(place, keys, 5, (int)sizeof *keys);
    if (status) return status;
    if (!sn_place_get(place, "point", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'point'");
    status = sn_read_numbers(&child, &sn_any_number, link->point, 3);
    memcpy(link->to, link->point, sizeof link->to); /* where it is, unless 'to' says otherwise */
    if (!status && sn_place_get(place, "to", &child))
        status = json_is_object(child.value) ? read_other(&child, link) : sn_read_numbers(&child, &sn_any_number, link->to, 3);
    if (!status && sn_place_get(place, "keys", &child)) status = sn_read_keys(&child, 4, &link->key, &link->key_count);
    if (!status && sn_place_get(place, "stabilise", &child))
        status = sn_read_name(&child, choice, 2, link->stabilise, (int)sizeof link->stabilise);
    if (!status && sn_place_get(place, "rate", &child)) status = sn_read_number(&child, &part, &link->rate);
    return status;
}

sn_status sn_scene_read_links(const sn_place *place, sn_body_options *body) {
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    const int count = sn_place_count(place);
    sn_link *link = sn_scene_allocate(place->reader, (size_t)count, sizeof *link);
    if (!link) return sn_no_memory(place->reader->error);
    for (int i = 0; i < count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        link[i] = sn_link_default();
        status = read_link(&item, &link[i]);
    }
    body->link = link;
    body->link_count = count;
    return status;
}
