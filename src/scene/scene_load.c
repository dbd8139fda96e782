/* Fixed and moved nodes, and the loads of a body. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "scene_internal.h"

sn_status sn_scene_read_ramp(const sn_place *place, sn_ramp *ramp) {
    double value[2];
    const sn_status status = sn_read_numbers(place, &sn_any_number, value, 2);
    if (status) return status;
    if (value[0] > value[1]) return sn_place_fail(place, SN_BAD_INPUT, "ends at %g before it begins at %g", value[1], value[0]);
    *ramp = (sn_ramp){value[0], value[1], true};
    return SN_OK;
}

/* ---- Fixed and moved nodes ---- */

static sn_status read_axes(const sn_place *place, bool axis[3]) {
    const char *text = json_string_value(place->value);
    axis[0] = axis[1] = axis[2] = false;
    for (const char *at = text; at && *at; ++at) {
        const int i = *at - 'x';
        if (i < 0 || i > 2 || axis[i])
            text = NULL;
        else
            axis[i] = true;
        if (!text) break;
    }
    if (text && *text) return SN_OK;
    return sn_place_fail(place, SN_BAD_INPUT, "must be a string of the held axes, such as \"xyz\", \"xy\" or \"z\"");
}

static sn_status read_turn(const sn_place *place, sn_fix *fix) {
    static const char *const keys[] = {"point", "axis", "degrees", "ramp"};
    sn_place child;
    sn_status status = sn_place_known(place, keys, 4, (int)sizeof *keys);
    if (status) return status;
    fix->turning = true;
    if (sn_place_get(place, "point", &child)) status = sn_read_numbers(&child, &sn_any_number, fix->turn_point, 3);
    if (status) return status;
    if (!sn_place_get(place, "axis", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'axis'");
    status = sn_read_direction(&child, fix->turn_axis);
    if (status) return status;
    if (!sn_place_get(place, "degrees", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'degrees'");
    status = sn_read_number(&child, &sn_any_number, &fix->turn_degrees);
    if (!status && sn_place_get(place, "ramp", &child)) status = sn_scene_read_ramp(&child, &fix->ramp);
    return status;
}

static sn_status read_fix(const sn_place *place, const sn_mesh *mesh, sn_fix *fix) {
    static const char *const keys[] = {"select", "axes", "displacement", "ramp", "keys", "turn"};
    sn_place child, other;
    sn_status status = sn_place_known(place, keys, 6, (int)sizeof *keys);
    if (status) return status;
    if (!sn_place_get(place, "select", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'select'");
    status = sn_scene_read_select(&child, mesh, SN_NEED_NODES, &fix->select);
    if (!status && sn_place_get(place, "axes", &child)) status = read_axes(&child, fix->axis);
    if (!status && sn_place_get(place, "displacement", &child)) {
        status = sn_read_numbers(&child, &sn_any_number, fix->displacement, 3);
        if (!status && sn_place_get(place, "keys", &other))
            status = sn_place_fail_key(&other, SN_BAD_INPUT, "is given beside 'displacement'; give one of them");
    }
    if (!status && sn_place_get(place, "ramp", &child)) status = sn_scene_read_ramp(&child, &fix->ramp);
    if (!status && sn_place_get(place, "keys", &child)) status = sn_read_keys(&child, 4, &fix->key, &fix->key_count);
    if (!status && sn_place_get(place, "turn", &child)) status = read_turn(&child, fix);
    return status;
}

sn_status sn_scene_read_fixes(const sn_place *place, const sn_mesh *mesh, sn_body_options *body) {
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    const int count = sn_place_count(place);
    sn_fix *fix = sn_scene_allocate(place->reader, (size_t)count, sizeof *fix);
    if (!fix) return sn_no_memory(place->reader->error);
    for (int i = 0; i < count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        fix[i] = sn_fix_default();
        status = read_fix(&item, mesh, &fix[i]);
    }
    body->fix = fix;
    body->fix_count = count;
    return status;
}

/* ---- Loads ---- */

/* {"direction": [..]} in Pa, or a direction of any length with its "value" in Pa. */
static sn_status read_shear(const sn_place *place, sn_load *load) {
    static const char *const keys[] = {"direction", "value"};
    sn_place child;
    double value;
    sn_status status = sn_place_known(place, keys, 2, (int)sizeof *keys);
    if (status) return status;
    if (!sn_place_get(place, "direction", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'direction'");
    status = sn_read_direction(&child, load->value);
    if (status || !sn_place_get(place, "value", &child)) return status;
    status = sn_read_number(&child, &sn_any_number, &value);
    const double length = sn_norm3(load->value);
    for (int k = 0; k < 3; ++k) load->value[k] *= value / length;
    return status;
}

static const sn_listing load_kinds[] = {
    {"traction", ""}, {"pressure", ""}, {"force", ""}, {"body", ""}, {"shear", ""}}; /* as sn_load_kind */

static sn_status read_value(const sn_place *place, sn_load *load) {
    switch (load->kind) {
    case SN_LOAD_TRACTION:
    case SN_LOAD_FORCE:
    case SN_LOAD_BODY:
        return sn_read_numbers(place, &sn_any_number, load->value, 3);
    case SN_LOAD_PRESSURE:
        return sn_read_number(place, &sn_any_number, &load->scalar);
    case SN_LOAD_SHEAR:
        return read_shear(place, load);
    }
    return SN_OK;
}

static sn_status read_load(const sn_place *place, const sn_mesh *mesh, sn_load *load) {
    static const char *const keys[] = {"traction", "pressure", "force", "body", "shear", "select", "follow", "ramp"};
    static const sn_select_need need[] = {SN_NEED_FACES, SN_NEED_FACES, SN_NEED_NODES, SN_NEED_ELEMENTS, SN_NEED_FACES};
    sn_place child;
    sn_status status = sn_place_known(place, keys, 8, (int)sizeof *keys);
    if (status) return status;
    int kind = -1;
    for (int i = 0; i < 5; ++i) {
        if (!sn_place_get(place, load_kinds[i].name, &child)) continue;
        if (kind >= 0)
            return sn_place_fail(place, SN_BAD_INPUT, "has both '%s' and '%s'; give each load its own entry", load_kinds[kind].name,
                                 keys[i]);
        kind = i;
    }
    if (kind < 0) return sn_place_fail(place, SN_BAD_INPUT, "needs one of traction, pressure, force, body, shear");
    load->kind = (sn_load_kind)kind;
    if (sn_place_get(place, keys[kind], &child)) status = read_value(&child, load);
    if (status) return status;
    if (sn_place_get(place, "select", &child))
        status = sn_scene_read_select(&child, mesh, need[kind], &load->select);
    else if (kind == SN_LOAD_BODY)
        load->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    else
        return sn_place_fail(place, SN_BAD_INPUT, "needs 'select'");
    if (!status && sn_place_get(place, "follow", &child)) status = sn_read_bool(&child, &load->follow);
    if (!status && sn_place_get(place, "ramp", &child)) status = sn_scene_read_ramp(&child, &load->ramp);
    return status;
}

sn_status sn_scene_read_loads(const sn_place *place, const sn_mesh *mesh, sn_body_options *body) {
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    const int count = sn_place_count(place);
    sn_load *load = sn_scene_allocate(place->reader, (size_t)count, sizeof *load);
    if (!load) return sn_no_memory(place->reader->error);
    for (int i = 0; i < count && !status; ++i) {
        const sn_place item = sn_place_at(place, i);
        load[i] = sn_load_default();
        status = read_load(&item, mesh, &load[i]);
    }
    body->load = load;
    body->load_count = count;
    return status;
}
