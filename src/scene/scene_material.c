/* Materials of a scene: the law, its constants, its damping. Which constants there are is the law's business (sn_law_parameters). */
#include <stdio.h>
#include <string.h>

#include "scene_internal.h"

static const char *const common_keys[] = {"law",    "density", "rotation", "differential", "viscous", "rayleigh",         "prony",
                                          "select", "young",   "poisson",  "lame",         "warping", "ghost_correction", "springs"};
enum { COMMON = sizeof common_keys / sizeof *common_keys, KEYS = COMMON + 26 };

static bool is_common(const char *name) {
    for (int i = 0; i < COMMON; ++i)
        if (strcmp(common_keys[i], name) == 0) return true;
    return false;
}

/* True when the law has a constant of this name: alpha of ogden is not alpha of the rotation dapd. */
static bool is_constant(const sn_parameter *parameter, int parameters, const char *name) {
    for (int i = 0; i < parameters; ++i)
        if (strcmp(parameter[i].name, name) == 0) return true;
    return false;
}

/* {"keys": [[t, value], ...]} of a scalar constant: its value is the first one, the keys do the rest. */
static sn_status read_keyed(const sn_place *place, const char *name, sn_material *material) {
    static const char *const keys[] = {"keys"};
    sn_place list;
    const double *key;
    int count;
    sn_status status = sn_place_known(place, keys, 1, (int)sizeof *keys);
    if (status) return status;
    if (!sn_place_get(place, "keys", &list))
        return sn_place_fail(place, SN_BAD_INPUT, "is an object; it must be a number or {\"keys\": [[t, value], ...]}");
    status = sn_read_keys(&list, 2, &key, &count);
    if (status) return status;
    sn_error inner = {0};
    if (sn_material_set(material, name, &key[1], 1, &inner)) return sn_place_wrap(place->parent, &inner);
    for (int i = 0; i < material->constant_count; ++i) {
        if (strcmp(material->constant[i].name, name) != 0) continue;
        material->constant[i].key = key;
        material->constant[i].key_count = count;
    }
    return SN_OK;
}

static sn_status read_constant(const sn_place *place, const char *name, sn_material *material) {
    if (json_is_object(place->value)) return read_keyed(place, name, material);
    double value[SN_CONSTANT_VALUES] = {0};
    int count = 1;
    sn_status status;
    if (json_is_array(place->value)) {
        count = sn_place_count(place);
        if (count < 1 || count > SN_CONSTANT_VALUES)
            return sn_place_fail(place, SN_BAD_INPUT, "is a list of %d; allowed are 1 to %d numbers", count, SN_CONSTANT_VALUES);
        status = sn_read_numbers(place, &sn_any_number, value, count);
    } else {
        status = sn_read_number(place, &sn_any_number, value);
    }
    if (status) return status;
    sn_error inner = {0};
    if (sn_material_set(material, name, value, count, &inner)) return sn_place_wrap(place->parent, &inner);
    return SN_OK;
}

/* young and poisson, lame, or the law's own constants; members of two groups contradict each other. */
static sn_status read_constants(const sn_place *place, const sn_parameter *parameter, int parameters, sn_material *material) {
    static const char *const moduli[] = {"young", "poisson", "lame"};
    const char *name[KEYS];
    int names = 0;
    bool keep_default = true;
    sn_place child;
    for (int i = 0; i < 3; ++i) name[names++] = moduli[i];
    for (int i = 0; i < parameters && names < KEYS; ++i)
        if (!is_common(parameter[i].name)) name[names++] = parameter[i].name;
    for (int i = 2; i < names; ++i)
        if (sn_place_get(place, name[i], &child)) keep_default = false;
    if (!keep_default) material->constant_count = 0;
    for (int i = 0; i < names; ++i) {
        if (!sn_place_get(place, name[i], &child)) continue;
        const sn_status status = read_constant(&child, name[i], material);
        if (status) return status;
    }
    for (int i = 0; i < names; ++i) {
        bool kept = false;
        for (int k = 0; k < material->constant_count && !kept; ++k) kept = strcmp(material->constant[k].name, name[i]) == 0;
        if (!kept && sn_place_get(place, name[i], &child))
            return sn_place_fail_key(
                &child, SN_BAD_INPUT,
                "is given beside '%s'; give young and poisson, or lame, or the law's own constants, not several of them",
                material->constant_count ? material->constant[material->constant_count - 1].name : "");
    }
    return SN_OK;
}

/* {first: x, second: y}, both at least 0. */
static sn_status read_pair(const sn_place *place, const char *first, const char *second, const char *unit_first, const char *unit_second,
                           double value[2]) {
    const char *const keys[] = {first, second};
    const sn_range range[2] = {{0, 1e300, false, false, unit_first}, {0, 1e300, false, false, unit_second}};
    sn_status status = sn_place_known(place, keys, 2, (int)sizeof *keys);
    sn_place child;
    for (int i = 0; i < 2 && !status; ++i)
        if (sn_place_get(place, keys[i], &child)) status = sn_read_number(&child, &range[i], &value[i]);
    return status;
}

static sn_status read_prony(const sn_place *place, sn_material *material) {
    static const char *const keys[] = {"modulus", "time"};
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    const int count = sn_place_count(place);
    if (count > SN_PRONY_TERMS) return sn_place_fail(place, SN_BAD_INPUT, "has %d terms; at most %d", count, SN_PRONY_TERMS);
    for (int i = 0; i < count && !status; ++i) {
        const sn_place term = sn_place_at(place, i);
        sn_place child;
        status = sn_place_known(&term, keys, 2, (int)sizeof *keys);
        for (int k = 0; k < 2 && !status; ++k) {
            if (!sn_place_get(&term, keys[k], &child)) return sn_place_fail(&term, SN_BAD_INPUT, "needs '%s'", keys[k]);
            status = sn_read_number(&child, &sn_positive_number, &material->prony[i][k]);
        }
    }
    material->prony_count = count;
    return status;
}

static sn_status read_springs(const sn_place *place, sn_material *material) {
    double value[2] = {0, 0};
    const sn_status status = read_pair(place, "damper", "quality", "N s/m", "", value);
    material->spring_damper = value[0], material->spring_quality = value[1];
    return status;
}

static sn_status read_behaviour(const sn_place *place, bool own_alpha, sn_material *material) {
    static const sn_range density = {0, 1e300, true, false, "kg/m^3"};
    sn_place child;
    sn_status status = SN_OK;
    int count;
    const sn_listing *choice;
    if (sn_place_get(place, "density", &child)) status = sn_read_number(&child, &density, &material->density);
    if (!status && sn_place_get(place, "rotation", &child)) {
        choice = sn_rotations(&count);
        status = sn_read_name(&child, choice, count, material->rotation, (int)sizeof material->rotation);
    }
    if (!status && sn_place_get(place, "differential", &child)) {
        choice = sn_differentials(&count);
        status = sn_read_name(&child, choice, count, material->differential, (int)sizeof material->differential);
    }
    if (!status && sn_place_get(place, "viscous", &child)) status = read_pair(&child, "lambda", "mu", "Pa s", "Pa s", material->viscous);
    if (!status && sn_place_get(place, "rayleigh", &child)) status = read_pair(&child, "mass", "stiffness", "1/s", "s", material->rayleigh);
    if (!status && sn_place_get(place, "prony", &child)) status = read_prony(&child, material);
    if (!status && sn_place_get(place, "warping", &child)) {
        choice = sn_warpings(&count);
        status = sn_read_name(&child, choice, count, material->warping, (int)sizeof material->warping);
    }
    if (!status && sn_place_get(place, "ghost_correction", &child)) status = sn_read_bool(&child, &material->ghost_correction);
    if (!status && sn_place_get(place, "springs", &child)) status = read_springs(&child, material);
    if (!status && !own_alpha && sn_place_get(place, "alpha", &child)) status = sn_read_number(&child, &sn_any_number, &material->alpha);
    if (!status && sn_place_get(place, "beta", &child)) status = sn_read_number(&child, &sn_any_number, &material->beta);
    return status;
}

sn_status sn_scene_read_material(const sn_place *place, sn_material *material) {
    *material = sn_material_default();
    sn_status status = sn_place_object(place);
    if (status) return status;
    sn_place child;
    int count;
    const sn_listing *laws = sn_context_laws(place->reader->context, &count);
    if (sn_place_get(place, "law", &child)) status = sn_read_name(&child, laws, count, material->law, (int)sizeof material->law);
    if (status) return status;
    int parameters = 0, names = 0;
    const sn_parameter *parameter = sn_law_parameters(place->reader->context, material->law, &parameters);
    const char *name[KEYS];
    for (int i = 0; i < COMMON; ++i) name[names++] = common_keys[i];
    const bool own_alpha = is_constant(parameter, parameters, "alpha");
    if (!own_alpha) name[names++] = "alpha";
    name[names++] = "beta";
    for (int i = 0; i < parameters && names < KEYS; ++i)
        if (!is_common(parameter[i].name)) name[names++] = parameter[i].name;
    status = sn_place_known(place, name, names, (int)sizeof *name);
    if (!status) status = read_behaviour(place, own_alpha, material);
    if (!status) status = read_constants(place, parameter, parameters, material);
    if (status) return status;
    sn_error inner = {0};
    return sn_material_check(place->reader->context, material, &inner) ? sn_place_wrap(place, &inner) : SN_OK;
}
