/* Contact between the bodies of a scene. */
#include "contact/contact_options.h"
#include "scene_internal.h"

static sn_status read_pair(const sn_place *place, sn_contact_pair *pair) {
    sn_status status = sn_place_list(place, 2);
    if (!status && sn_place_count(place) != 2)
        status = sn_place_fail(place, SN_BAD_INPUT, "must be a pair of names of bodies");
    for (int k = 0; k < 2 && !status; ++k) {
        const sn_place item = sn_place_at(place, k);
        status = sn_read_text(&item, pair->body[k], (int)sizeof pair->body[k]);
    }
    return status;
}

/* "all", or a list of pairs. */
static sn_status read_between(const sn_place *place, sn_contact_options *contact) {
    static const sn_listing all[] = {{"all", "each body touches each other one"}};
    int index, count = 0;
    if (json_is_string(place->value)) return sn_read_choice(place, all, 1, &index);
    sn_contact_pair *pair = NULL;
    sn_status status = sn_place_list(place, 1);
    if (!status) status = sn_place_items(place, sizeof *pair, (void **)&pair, &count);
    for (int i = 0; i < count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        status = read_pair(&item, &pair[i]);
    }
    contact->pair = pair, contact->pair_count = count;
    return status;
}

sn_status sn_scene_read_contact(const sn_place *place, sn_contact_options *contact) {
    int count;
    const sn_field *field = sn_contact_fields(&count);
    sn_place child;
    sn_status status = sn_read_fields(place, field, count, contact);
    contact->use = true;
    if (!status && sn_place_get(place, "between", &child)) status = read_between(&child, contact);
    sn_error inner = {0};
    if (!status && sn_contact_options_check(contact, &inner)) status = sn_place_wrap(place, &inner);
    return status;
}
