/* Materials of a scene. The law says which constants there are (sn_law_parameters). A table says which options there
 * are (sn_material_fields). */
#include <math.h>
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
    static const char *const own[] = {"file", "law", "select", "prony", "young", "poisson", "lame"};
    key_table table = {0};
    int count;
    const sn_field *option = sn_material_fields(&count);
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i) add_key(&table, own[i]);
    for (int i = 0; i < parameters; ++i) add_key(&table, parameter[i].name);
    for (int i = 0; i < count && table.count < KEYS; ++i)
        if (!is_known(&table, option[i].name) && strncmp(option[i].name, "prony.", 6) != 0)
            table.field[table.count++] = option[i];
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

/* ---- Memory ---- */
/* lambda and mu of the material at small strains, without its memory, which is only half read. */
static sn_status moduli_at_rest(const sn_place *place, const sn_material *material, double *lambda, double *mu) {
    sn_material plain = *material;
    plain.prony_count = 0, plain.prony_on[0] = plain.prony_moduli[0] = 0;
    const double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double dP[81];
    sn_error inner = {0};
    if (sn_material_evaluate(place->reader->context, &plain, F, NULL, NULL, dP, &inner))
        return sn_place_wrap(place->parent, &inner);
    *lambda = dP[4], *mu = dP[10];
    return SN_OK;
}

/* {"ratios": [...], "time": ...} of a series on coefficients. */
static sn_status read_ratios(const sn_place *place, double ratios[SN_PRONY_COEFFICIENTS]) {
    sn_place child;
    if (!sn_place_get(place, "ratios", &child))
        return sn_place_fail(place, SN_BAD_INPUT, "needs 'ratios', one per coefficient of the law");
    const sn_status status = sn_place_list(&child, 0);
    const int count = status ? 0 : sn_place_count(&child);
    if (status) return status;
    if (count < 1 || count > SN_PRONY_COEFFICIENTS)
        return sn_place_fail(&child, SN_BAD_INPUT, "has %d numbers; allowed are 1 to %d", count, SN_PRONY_COEFFICIENTS);
    memset(ratios, 0, SN_PRONY_COEFFICIENTS * sizeof *ratios);
    return sn_read_numbers(&child, &sn_number_from_zero, ratios, count);
}

/* {"ratio": ..., "time": ...}, or {"modulus": ..., "time": ...} with a modulus in Pa. */
static sn_status read_term(const sn_place *place, const sn_material *material, double term[2],
                           double ratios[SN_PRONY_COEFFICIENTS]) {
    static const char *const keys[] = {"ratio", "modulus", "time"}, *const own[] = {"ratios", "time"};
    sn_place child, other;
    double lambda, mu;
    const bool one_by_one = strcmp(material->prony_on, "coefficients") == 0;
    sn_status status = sn_place_known(place, one_by_one ? own : keys, one_by_one ? 2 : 3, (int)sizeof *keys);
    if (status) return status;
    if (!sn_place_get(place, "time", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'time'");
    status = sn_read_number(&child, &sn_positive_number, &term[1]);
    if (!status && one_by_one) {
        term[0] = 0;
        return read_ratios(place, ratios);
    }
    const bool by_modulus = sn_place_get(place, "modulus", &other), by_ratio = sn_place_get(place, "ratio", &child);
    if (!status && by_modulus == by_ratio)
        return sn_place_fail(place, SN_BAD_INPUT, "needs either 'ratio' or 'modulus'%s",
                             by_ratio ? "; it has both" : "");
    if (!status) status = sn_read_number(by_ratio ? &child : &other, &sn_number_from_zero, &term[0]);
    if (status || by_ratio) return status;
    status = moduli_at_rest(&other, material, &lambda, &mu);
    if (!status && !(mu > 0))
        return sn_place_fail(&other, SN_BAD_INPUT, "needs a material with a shear modulus above 0; give a 'ratio'");
    term[0] /= mu;
    return status;
}

static sn_status read_terms(const sn_place *place, sn_material *material) {
    sn_status status = sn_place_list(place, 0);
    if (status) return status;
    const int count = sn_place_count(place);
    if (count > SN_PRONY_TERMS)
        return sn_place_fail(place, SN_BAD_INPUT, "has %d terms; at most %d", count, SN_PRONY_TERMS);
    for (int i = 0; i < count && !status; ++i) {
        const sn_place term = sn_place_at(place, i);
        status = read_term(&term, material, material->prony[i], material->prony_ratios[i]);
    }
    material->prony_count = count;
    return status;
}

/* Short forms: {"model": "maxwell", "time": 1}, {"model": "standard", "ratio": 2, "time": 1},
 * {"model": "kelvin-voigt", "time": 1}. */
static sn_status read_model(const sn_place *place, const sn_place *model, sn_material *material) {
    static const sn_listing models[] = {{"maxwell", ""}, {"standard", ""}, {"kelvin-voigt", ""}};
    sn_place child;
    double time = 0, ratio = 1, lambda, mu;
    int choice;
    sn_status status = sn_read_choice(model, models, 3, &choice);
    if (status) return status;
    if (!sn_place_get(place, "time", &child)) return sn_place_fail(place, SN_BAD_INPUT, "needs 'time'");
    status = sn_read_number(&child, &sn_positive_number, &time);
    const bool has_ratio = sn_place_get(place, "ratio", &child);
    if (!status && has_ratio != (choice == 1))
        return sn_place_fail(place, SN_BAD_INPUT, "%s",
                             choice == 1 ? "needs 'ratio'" : "takes no 'ratio'; only the model 'standard' does");
    if (!status && has_ratio) status = sn_read_number(&child, &sn_number_from_zero, &ratio);
    if (status) return status;
    if (choice < 2) {
        if (choice == 0) strcpy(material->prony_moduli, "instantaneous");
        material->prony_count = 1;
        material->prony[0][0] = ratio, material->prony[0][1] = time;
        return SN_OK;
    }
    if (material->viscous[0] != 0 || material->viscous[1] != 0)
        return sn_place_fail(place, SN_BAD_INPUT, "is a viscosity; the material has another one in 'viscous'");
    status = moduli_at_rest(place, material, &lambda, &mu);
    material->viscous[0] = strcmp(material->prony_on, "shear") == 0 ? 0 : fmax(lambda, 0) * time;
    material->viscous[1] = mu * time;
    material->prony_on[0] = 0; /* the viscosity says it */
    return status;
}

/* A list of terms, or an object with `on`, `moduli` and either `terms` or a short form. */
static sn_status read_prony(const sn_place *place, sn_material *material) {
    static const char *const keys[] = {"on", "moduli", "terms", "model", "time", "ratio"};
    if (json_is_array(place->value)) return read_terms(place, material);
    if (!json_is_object(place->value))
        return sn_place_fail(place, SN_BAD_INPUT, "must be an object { ... } or a list of terms");
    sn_place terms, model, child;
    sn_status status = sn_place_known(place, keys, 6, (int)sizeof *keys);
    static const char *const choices[] = {"prony.on", "prony.moduli"};
    char *const name[] = {material->prony_on, material->prony_moduli};
    for (int i = 0; i < 2 && !status; ++i) {
        int fields, count;
        const sn_field *field = sn_material_fields(&fields);
        if (!sn_place_get(place, keys[i], &child)) continue;
        const sn_listing *choice = sn_field_find(field, fields, choices[i])->choices(&count);
        status = sn_read_name(&child, choice, count, name[i], SN_NAME);
    }
    if (status) return status;
    const bool has_terms = sn_place_get(place, "terms", &terms), has_model = sn_place_get(place, "model", &model);
    if (has_terms == has_model)
        return sn_place_fail(place, SN_BAD_INPUT, "needs either 'terms' or 'model'%s",
                             has_terms ? "; it has both" : "");
    if (has_model && sn_place_get(place, "moduli", &child))
        return sn_place_fail_key(&child, SN_BAD_INPUT, "does not go with 'model', which has its own meaning");
    if (has_terms && (sn_place_get(place, "time", &child) || sn_place_get(place, "ratio", &child)))
        return sn_place_fail_key(&child, SN_BAD_INPUT, "belongs to 'model'; a term has its own");
    return has_model ? read_model(place, &model, material) : read_terms(&terms, material);
}

/* ---- Muscle ---- */
/* [x, y, z], {"field": "name"} or {"from": selector, "to": selector}. The table has read the numbers of the muscle. */
sn_status sn_scene_read_fibre(const sn_place *material, sn_fibre *fibre) {
    static const char *const keys[] = {"field", "from", "to"};
    sn_place muscle, place, field, from, to;
    if (!sn_place_get(material, "muscle", &muscle) || !sn_place_get(&muscle, "fibre", &place)) return SN_OK;
    fibre->kind = SN_FIBRE_CONSTANT;
    if (json_is_array(place.value)) return sn_read_direction(&place, fibre->direction);
    if (!json_is_object(place.value))
        return sn_place_fail(&place, SN_BAD_INPUT,
                             "must be a direction [x, y, z], {\"field\": name} or {\"from\": ..., \"to\": ...}");
    sn_status status = sn_place_known(&place, keys, 3, (int)sizeof *keys);
    if (status) return status;
    const bool has_field = sn_place_get(&place, "field", &field), has_from = sn_place_get(&place, "from", &from),
               has_to = sn_place_get(&place, "to", &to);
    if (has_from != has_to || has_field == has_from)
        return sn_place_fail(&place, SN_BAD_INPUT, "needs either 'field', or both 'from' and 'to'");
    fibre->kind = has_field ? SN_FIBRE_FIELD : SN_FIBRE_BETWEEN;
    if (has_field) return sn_read_text(&field, fibre->field, (int)sizeof fibre->field);
    status = sn_read_selector(&from, &fibre->from);
    return status ? status : sn_read_selector(&to, &fibre->to);
}

/* Takes the keys of the file that the key "file" names. The material's own keys go before them. */
static sn_status include(const sn_place *place) {
    sn_place child;
    char path[SN_SCENE_PATH];
    if (!sn_place_get(place, "file", &child)) return SN_OK;
    const sn_status status = sn_scene_read_path(&child, path);
    if (status) return status;
    json_error_t problem;
    json_t *keys = json_load_file(path, JSON_REJECT_DUPLICATES, &problem);
    if (!keys && problem.line < 0) return sn_place_fail(&child, SN_BAD_INPUT, "'%.500s' cannot be read", path);
    if (!keys)
        return sn_place_fail(&child, SN_BAD_INPUT, "%.500s:%d:%d: not valid JSON: %.200s", path, problem.line,
                             problem.column, problem.text);
    const bool object = json_is_object(keys), nested = json_object_get(keys, "file") != NULL,
               done = object && !nested && json_object_update_missing(place->value, keys) == 0;
    json_decref(keys);
    if (!object) return sn_place_fail(&child, SN_BAD_INPUT, "'%.500s' must hold the keys of a material", path);
    if (nested) return sn_place_fail(&child, SN_BAD_INPUT, "'%.500s' must not name a further file", path);
    return done ? SN_OK : sn_no_memory(place->reader->error);
}

static sn_status read_keys(const sn_place *place, sn_material *material) {
    sn_place child;
    sn_status status = SN_OK;
    int count;
    const sn_listing *laws = sn_context_laws(place->reader->context, &count);
    if (sn_place_get(place, "law", &child))
        status = sn_read_name(&child, laws, count, material->law, (int)sizeof material->law);
    if (status) return status;
    int parameters = 0;
    const sn_parameter *parameter = sn_law_parameters(place->reader->context, material->law, &parameters);
    const key_table table = make_table(parameter, parameters);
    status = sn_read_fields(place, table.field, table.count, material);
    if (!status) status = read_constants(place, parameter, parameters, material);
    if (!status && sn_place_get(place, "prony", &child)) status = read_prony(&child, material);
    if (status) return status;
    sn_error inner = {0};
    return sn_material_check(place->reader->context, material, &inner) ? sn_place_wrap(place, &inner) : SN_OK;
}

/* A message about a key has the place of the scene. When the key may be one of the file, it names the file as well. */
static sn_status name_file(const sn_place *place, sn_status status) {
    sn_place child;
    sn_error *error = place->reader->error;
    if (!status || !error || !sn_place_get(place, "file", &child)) return status;
    const size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, "; keys of the material come from '%.100s', too",
             json_string_value(child.value));
    return status;
}

/* A number for `bending` is its stiffness. */
static sn_status widen_bending(const sn_place *place) {
    json_t *value = json_object_get(place->value, "bending");
    if (!json_is_number(value)) return SN_OK;
    json_t *object = json_pack("{s:O}", "stiffness", value);
    return json_object_set_new(place->value, "bending", object) == 0 ? SN_OK : sn_no_memory(place->reader->error);
}

sn_status sn_scene_read_material(const sn_place *place, sn_material *material) {
    *material = sn_material_default();
    sn_status status = sn_place_object(place);
    if (!status) status = include(place);
    if (!status) status = widen_bending(place);
    return status ? status : name_file(place, read_keys(place, material));
}
