/* Fixes, loads, links, tethers and seams of a body. Their keys are the fields of their tables; this file adds the few
 * rules between keys. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "scene_internal.h"
#include "world/world_options.h"

static sn_status read_fix(const sn_place *place, sn_fix *fix) {
    int count;
    const sn_field *field = sn_fix_fields(&count);
    const sn_status status = sn_read_fields(place, field, count, fix);
    sn_place child, other;
    if (status) return status;
    fix->turning = sn_place_get(place, "turn", &child);
    if (sn_place_get(place, "displacement", &child) && sn_place_get(place, "keys", &other))
        return sn_place_fail_key(&other, SN_BAD_INPUT, "is given beside 'displacement'; give one of them");
    return SN_OK;
}

sn_status sn_scene_read_fixes(const sn_place *place, sn_body_options *body) {
    sn_fix *fix = NULL;
    sn_status status = sn_place_items(place, sizeof *fix, (void **)&fix, &body->fix_count);
    for (int i = 0; !status && i < body->fix_count; ++i) {
        const sn_place item = sn_place_at(place, i);
        fix[i] = sn_fix_default();
        status = read_fix(&item, &fix[i]);
    }
    body->fix = fix;
    return status;
}

/* The direction may have any length; with "value" it gets that length in Pa. */
static sn_status read_shear(const sn_place *place, sn_load *load) {
    sn_place child;
    double value = 0;
    if (!json_is_object(place->value)) return SN_OK; /* three numbers, read as all vectors are */
    if (!sn_place_get(place, "direction", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'direction'");
    sn_status status = sn_read_direction(&child, load->value);
    if (status || !sn_place_get(place, "value", &child)) return status;
    status = sn_read_number(&child, &sn_any_number, &value);
    const double length = sn_norm3(load->value);
    for (int k = 0; k < 3; ++k) load->value[k] *= value / length;
    return status;
}

static sn_status read_load(const sn_place *place, sn_load *load) {
    int count, kind = -1;
    const sn_field *field = sn_load_fields(&count);
    sn_place child;
    sn_status status = sn_read_fields(place, field, count, load);
    if (status) return status;
    for (int i = 0; i <= SN_LOAD_SHEAR; ++i) {
        if (!sn_place_get(place, field[i].name, &child)) continue;
        if (kind >= 0)
            return sn_place_fail(place, SN_BAD_INPUT, "has both '%s' and '%s'; give each load its own entry",
                                 field[kind].name, field[i].name);
        kind = i;
        if (i == SN_LOAD_SHEAR) status = read_shear(&child, load);
    }
    if (kind < 0) return sn_place_fail(place, SN_BAD_INPUT, "needs one of traction, pressure, force, body, shear");
    load->kind = (sn_load_kind)kind;
    if (!status && !sn_place_get(place, "select", &child)) {
        load->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
        if (kind != SN_LOAD_BODY) status = sn_place_fail(place, SN_BAD_INPUT, "needs 'select'");
    }
    return status;
}

sn_status sn_scene_read_loads(const sn_place *place, sn_body_options *body) {
    sn_load *load = NULL;
    sn_status status = sn_place_items(place, sizeof *load, (void **)&load, &body->load_count);
    for (int i = 0; !status && i < body->load_count; ++i) {
        const sn_place item = sn_place_at(place, i);
        load[i] = sn_load_default();
        status = read_load(&item, &load[i]);
    }
    body->load = load;
    return status;
}

/* Whether a link or a tether names a place: "to", or "to.at". Without one the place is the point itself. */
static bool names_place(const sn_place *place) {
    sn_place to, at;
    return sn_place_get(place, "to", &to) && (!json_is_object(to.value) || sn_place_get(&to, "at", &at));
}

static sn_status read_link(const sn_place *place, sn_link *link) {
    int count;
    const sn_field *field = sn_link_fields(&count);
    const sn_status status = sn_read_fields(place, field, count, link);
    if (!status && !names_place(place)) memcpy(link->to, link->point, sizeof link->to);
    return status;
}

static sn_status read_tether(const sn_place *place, sn_tether *tether) {
    int count;
    const sn_field *field = sn_tether_fields(&count);
    const sn_status status = sn_read_fields(place, field, count, tether);
    if (!status && !names_place(place)) memcpy(tether->to, tether->point, sizeof tether->to);
    return status;
}

sn_status sn_scene_read_links(const sn_place *place, sn_body_options *body) {
    sn_link *link = NULL;
    sn_status status = sn_place_items(place, sizeof *link, (void **)&link, &body->link_count);
    for (int i = 0; !status && i < body->link_count; ++i) {
        const sn_place item = sn_place_at(place, i);
        link[i] = sn_link_default();
        status = read_link(&item, &link[i]);
    }
    body->link = link;
    return status;
}

sn_status sn_scene_read_tethers(const sn_place *place, sn_body_options *body) {
    sn_tether *tether = NULL;
    sn_status status = sn_place_items(place, sizeof *tether, (void **)&tether, &body->tether_count);
    for (int i = 0; !status && i < body->tether_count; ++i) {
        const sn_place item = sn_place_at(place, i);
        tether[i] = sn_tether_default();
        status = read_tether(&item, &tether[i]);
    }
    body->tether = tether;
    return status;
}

sn_status sn_scene_read_seams(const sn_place *place, sn_body_options *body) {
    sn_seam *seam = NULL;
    int fields;
    const sn_field *field = sn_seam_fields(&fields);
    sn_status status = sn_place_items(place, sizeof *seam, (void **)&seam, &body->seam_count);
    for (int i = 0; !status && i < body->seam_count; ++i) {
        const sn_place item = sn_place_at(place, i);
        sn_place to;
        seam[i] = sn_seam_default();
        status = sn_read_fields(&item, field, fields, &seam[i]);
        if (!status && !sn_place_get(&item, "to", &to)) status = sn_place_fail(&item, SN_BAD_INPUT, "needs 'to'");
    }
    body->seam = seam;
    return status;
}
