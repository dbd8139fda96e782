/* Materials of a scene. The law says which constants there are (sn_law_parameters). A table says which options there
 * are (sn_material_fields). */
#include <stdio.h>
#include <string.h>

#include "fem/material_fields.h"
#include "scene_internal.h"

enum { KEYS = 48 };

/* The keys of a material: the table of its options, and the keys that this file reads. */
typedef struct key_table {
    sn_field field[KEYS];
    int count;
} key_table;

static bool is_known(const key_table *table, const char *name) {
    for (int i = 0; i < table->count; ++i)
        if (strcmp(table->field[i].name, name) == 0) return true;
    return false;
}

static void add_key(key_table *table, const char *name) {
    if (table->count < KEYS && !is_known(table, name))
        table->field[table->count++] = (sn_field){.name = name, .type = SN_FIELD_OWN};
}

/* A constant of the law hides an option of the same name: alpha of ogden is not alpha of the rotation dapd. */
static key_table make_table(const sn_parameter *parameter, int parameters) {
    static const char *const own[] = {"law", "select", "prony", "young", "poisson", "lame"};
    key_table table = {0};
    int count;
    const sn_field *option = sn_material_fields(&count);
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i) add_key(&table, own[i]);
    for (int i = 0; i < parameters; ++i) add_key(&table, parameter[i].name);
    for (int i = 0; i < count && table.count < KEYS; ++i)
        if (!is_known(&table, option[i].name)) table.field[table.count++] = option[i];
    return table;
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
            return sn_place_fail(place, SN_BAD_INPUT, "is a list of %d; allowed are 1 to %d numbers", count,
                                 SN_CONSTANT_VALUES);
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
static sn_status read_constants(const sn_place *place, const sn_parameter *parameter, int parameters,
                                sn_material *material) {
    static const char *const moduli[] = {"young", "poisson", "lame"};
    const char *name[KEYS];
    int names = 0;
    bool keep_default = true;
    sn_place child;
    for (int i = 0; i < 3; ++i) name[names++] = moduli[i];
    for (int i = 0; i < parameters && names < KEYS; ++i) {
        bool twice = false;
        for (int k = 0; k < 3; ++k) twice = twice || strcmp(parameter[i].name, moduli[k]) == 0;
        if (!twice) name[names++] = parameter[i].name;
    }
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
        for (int k = 0; k < material->constant_count && !kept; ++k)
            kept = strcmp(material->constant[k].name, name[i]) == 0;
        if (!kept && sn_place_get(place, name[i], &child))
            return sn_place_fail_key(&child, SN_BAD_INPUT,
                                     "is given beside '%s'; give young and poisson, or lame, or the law's own "
                                     "constants, not several of them",
                                     material->constant_count ? material->constant[material->constant_count - 1].name
                                                              : "");
    }
    return SN_OK;
}

static sn_status read_prony(const sn_place *place, sn_material *material) {
    static const char *const keys[] = {"modulus", "time"};
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    const int count = sn_place_count(place);
    if (count > SN_PRONY_TERMS)
        return sn_place_fail(place, SN_BAD_INPUT, "has %d terms; at most %d", count, SN_PRONY_TERMS);
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

sn_status sn_scene_read_material(const sn_place *place, sn_material *material) {
    *material = sn_material_default();
    sn_status status = sn_place_object(place);
    if (status) return status;
    sn_place child;
    int count;
    const sn_listing *laws = sn_context_laws(place->reader->context, &count);
    if (sn_place_get(place, "law", &child))
        status = sn_read_name(&child, laws, count, material->law, (int)sizeof material->law);
    if (status) return status;
    int parameters = 0;
    const sn_parameter *parameter = sn_law_parameters(place->reader->context, material->law, &parameters);
    const key_table table = make_table(parameter, parameters);
    status = sn_read_fields(place, table.field, table.count, material);
    if (!status && sn_place_get(place, "prony", &child)) status = read_prony(&child, material);
    if (!status) status = read_constants(place, parameter, parameters, material);
    if (status) return status;
    sn_error inner = {0};
    return sn_material_check(place->reader->context, material, &inner) ? sn_place_wrap(place, &inner) : SN_OK;
}
