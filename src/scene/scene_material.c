/* Materials of a scene: the law, its constants, its damping. Which constants there are is the law's business (sn_law_parameters). */
#include <stdio.h>
#include <string.h>

#include "scene_internal.h"

static const char *const common_keys[] = {"law",     "density",  "rotation", "differential", "viscous", "rayleigh",
                                          "prony",   "alpha",    "beta",     "select",       "young",   "poisson", "lame"};
enum { COMMON = sizeof common_keys / sizeof *common_keys, FIRST_MODULUS = COMMON - 3, KEYS = COMMON + 24 };

static bool is_common(const char *name) {
    for (int i = 0; i < COMMON; ++i)
        if (strcmp(common_keys[i], name) == 0) return true;
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
    if (!sn_place_get(place, "keys", &list)) return sn_place_fail(place, SN_BAD_INPUT, "is an object; it must be a number or {\"keys\": [[t, value], ...]}");
    status = sn_read_keys(&list, 2, &key, &count);
    if (status) return status;
    sn_error inner = {0};
    for (int i = 0; i < count; ++i) { /* each value has to be allowed */
        if (sn_material_set(material, name, &key[2 * i + 1], 1, &inner)) return sn_place_wrap(place, &inner);
        if (sn_material_check(material, &inner) && inner.status == SN_BAD_INPUT && strstr(inner.text, name)) return sn_place_wrap(place, &inner);
    }
    if (sn_material_set(material, name, &key[1], 1, &inner)) return sn_place_wrap(place, &inner);
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
    if (sn_material_set(material, name, value, count, &inner)) return sn_place_wrap(place, &inner);
    return SN_OK;
}

/* young and poisson, lame, or the law's own constants. */
static sn_status read_constants(const sn_place *place, const sn_parameter *parameter, int parameters, sn_material *material) {
    sn_place young, poisson, lame, own;
    const bool has_young = sn_place_get(place, "young", &young), has_poisson = sn_place_get(place, "poisson", &poisson);
    const bool has_lame = sn_place_get(place, "lame", &lame);
    const bool orthotropic = strncmp(material->law, "orthotropic", 11) == 0; /* its young and poisson are its own, three each */
    if ((has_young || has_poisson) && has_lame)
        return sn_place_fail_key(&lame, SN_BAD_INPUT, "is given beside '%s'; give young and poisson, or lame, not both", has_young ? "young" : "poisson");
    bool has_own = false;
    for (int i = 0; i < parameters; ++i)
        if (!is_common(parameter[i].name) && sn_place_get(place, parameter[i].name, &own)) has_own = true;
    if (has_own || has_lame || orthotropic) material->constant_count = 0; /* the default moduli make room */
    sn_status status = SN_OK;
    if (has_young) status = read_constant(&young, "young", material);
    if (!status && has_poisson) status = read_constant(&poisson, "poisson", material);
    if (!status && has_lame) status = read_constant(&lame, "lame", material);
    for (int i = 0; i < parameters && !status; ++i)
        if (!is_common(parameter[i].name) && sn_place_get(place, parameter[i].name, &own)) status = read_constant(&own, parameter[i].name, material);
    return status;
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

static sn_status read_behaviour(const sn_place *place, sn_material *material) {
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
    if (!status && sn_place_get(place, "alpha", &child) && json_is_number(child.value)) material->alpha = json_number_value(child.value);
    if (!status && sn_place_get(place, "beta", &child)) status = sn_read_number(&child, &sn_any_number, &material->beta);
    return status;
}

sn_status sn_scene_read_material(const sn_place *place, sn_material *material) {
    *material = sn_material_default();
    sn_status status = sn_place_object(place);
    if (status) return status;
    sn_place child;
    int count;
    const sn_listing *laws = sn_laws(&count);
    if (sn_place_get(place, "law", &child)) status = sn_read_name(&child, laws, count, material->law, (int)sizeof material->law);
    if (status) return status;
    int parameters = 0, names = 0;
    const sn_parameter *parameter = sn_law_parameters(material->law, &parameters);
    const char *name[KEYS];
    for (int i = 0; i < COMMON; ++i) name[names++] = common_keys[i];
    for (int i = 0; i < parameters && names < KEYS; ++i)
        if (!is_common(parameter[i].name)) name[names++] = parameter[i].name;
    status = sn_place_known(place, name, names, (int)sizeof *name);
    if (!status) status = read_behaviour(place, material);
    if (!status) status = read_constants(place, parameter, parameters, material);
    if (status) return status;
    sn_error inner = {0};
    return sn_material_check(material, &inner) ? sn_place_wrap(place, &inner) : SN_OK;
}
