/* Checks of a material: its constants, blocks, memory and muscle, and options that have no effect. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cookie.h"
#include "base/words.h"
#include "law.h"
#include "material_fields.h"
#include "names.h"
#include "prony.h"

static sn_status check_value(const sn_parameter *parameter, double value, sn_error *error) {
    const int low = parameter->low_open ? value > parameter->low : value >= parameter->low;
    const int high = parameter->high_open ? value < parameter->high : value <= parameter->high;
    if (low && high) return SN_OK; /* false for a NaN */
    char range[96];
    if (isinf(parameter->low) && isinf(parameter->high))
        snprintf(range, sizeof range, "a finite number");
    else if (isinf(parameter->high))
        snprintf(range, sizeof range, "finite and %s %g", parameter->low_open ? "above" : "at least", parameter->low);
    else
        snprintf(range, sizeof range, "%s %g and %s %g", parameter->low_open ? "above" : "at least", parameter->low,
                 parameter->high_open ? "below" : "at most", parameter->high);
    return sn_fail_at(error, SN_BAD_INPUT, parameter->name, "'%s' is %g; it must be %s", parameter->name, value, range);
}

static sn_status check_constant(const sn_parameter *parameter, const sn_constant *constant, sn_error *error) {
    if (constant->key) {
        if (parameter->count_max > 1 || constant->key_count < 1)
            return sn_fail_at(error, SN_BAD_INPUT, parameter->name,
                              "'%s' cannot have keys; only single numbers can, with at least one key", parameter->name);
        for (int i = 0; i < constant->key_count; ++i) {
            const double *key = constant->key + 2 * i;
            if (!isfinite(key[0]) || (i > 0 && !(key[0] > key[-2])))
                return sn_fail_at(error, SN_BAD_INPUT, parameter->name,
                                  "'%s': the time of key %d is %g; times must be finite and ascend", parameter->name,
                                  i + 1, key[0]);
            const sn_status status = check_value(parameter, key[1], error);
            if (status) return status;
        }
        return SN_OK;
    }
    if (constant->count < parameter->count_min || constant->count > parameter->count_max) {
        if (parameter->count_min == parameter->count_max)
            return sn_fail_at(error, SN_BAD_INPUT, parameter->name, "'%s' has %d values; it must have %d",
                              parameter->name, constant->count, parameter->count_min);
        return sn_fail_at(error, SN_BAD_INPUT, parameter->name, "'%s' has %d values; it must have %d to %d",
                          parameter->name, constant->count, parameter->count_min, parameter->count_max);
    }
    for (int i = 0; i < constant->count; ++i) {
        const sn_status status = check_value(parameter, constant->value[i], error);
        if (status) return status;
    }
    return SN_OK;
}

/* "unknown X 'name'; did you mean ...". */
static sn_status unknown(const char *path, const char *what, const char *name, const void *names, int count, int stride,
                         sn_error *error) {
    char text[400];
    snprintf(text, sizeof text, "unknown %s '%.40s'", what, name);
    sn_suggest(text, sizeof text, name, names, count, stride);
    return sn_fail_at(error, SN_BAD_INPUT, path, "%s", text);
}

static sn_status unknown_law(const sn_context *context, const char *name, sn_error *error) {
    int count;
    const sn_listing *laws = sn_context_laws(context, &count);
    return unknown("law", "law", name, laws, count, sizeof *laws, error);
}

sn_status sn_unknown_rotation(const char *name, sn_error *error) {
    int count;
    const sn_listing *rotations = sn_rotations(&count);
    return unknown("rotation", "rotation", name, rotations, count, sizeof *rotations, error);
}

static sn_status check_constants(const sn_material *material, const sn_law *law, sn_error *error) {
    if (material->constant_count < 0 || material->constant_count > SN_MATERIAL_CONSTANTS)
        return sn_fail(error, SN_BAD_INPUT, "a material has %d constants; allowed are 0 to %d",
                       material->constant_count, SN_MATERIAL_CONSTANTS);
    const sn_constant *first = NULL;
    for (int i = 0; i < material->constant_count; ++i) {
        const sn_constant *constant = &material->constant[i];
        const sn_parameter *parameter = NULL;
        for (int k = 0; k < law->parameter_count && !parameter; ++k)
            if (strcmp(law->parameter[k].name, constant->name) == 0) parameter = &law->parameter[k];
        if (!parameter) {
            char what[64];
            snprintf(what, sizeof what, "constant of law '%s'", law->name);
            return unknown(constant->name, what, constant->name, law->parameter, law->parameter_count,
                           sizeof *law->parameter, error);
        }
        if (sn_material_constant(material, constant->name) != constant)
            return sn_fail_at(error, SN_BAD_INPUT, constant->name, "'%s' is given twice", constant->name);
        const sn_status status = check_constant(parameter, constant, error);
        if (status) return status;
        if (sn_constant_group_of(constant->name, constant->count) == SN_GROUP_ANY) continue;
        if (!first) first = constant;
        if (sn_constant_group_of(first->name, first->count) != sn_constant_group_of(constant->name, constant->count))
            return sn_fail_at(
                error, SN_BAD_INPUT, constant->name,
                "'%s' and '%s' exclude each other; give young and poisson, or lame, or the law's own constants",
                first->name, constant->name);
    }
    return SN_OK;
}

static sn_status check_differential(const sn_material *material, const sn_law *law, const sn_rotation *rotation,
                                    sn_error *error) {
    const int kind = sn_differential_find(material->differential);
    if (!(law->differentials >> kind & 1u)) {
        char text[160] = "";
        int count;
        const sn_listing *listing = sn_differentials(&count);
        for (int i = 0; i < count; ++i)
            if (law->differentials >> i & 1u)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? ", " : "", listing[i].name);
        return sn_fail_at(error, SN_BAD_INPUT, "differential",
                          "differential '%s' does not go with law '%s', which offers %s", material->differential,
                          law->name, text);
    }
    if (kind == SN_DIFFERENTIAL_EXACT && rotation && !rotation->differential)
        return sn_fail_at(error, SN_BAD_INPUT, "differential",
                          "differential 'exact' does not go with rotation '%s', which has no derivative",
                          rotation->name);
    return SN_OK;
}

/* Refuses options that have no effect with the rotation or without warping. */
static sn_status check_used(const sn_material *material, const sn_rotation *rotation, sn_error *error) {
    const sn_material usual = sn_material_default();
    const char *name = rotation ? rotation->name : "polar";
    if (material->alpha != usual.alpha && !(rotation && rotation->uses_alpha))
        return sn_fail_at(error, SN_BAD_INPUT, "alpha",
                          "alpha has no effect with rotation '%s'; it is for dapd, project and reflect", name);
    if (material->beta != usual.beta && !(rotation && rotation->uses_beta))
        return sn_fail_at(error, SN_BAD_INPUT, "beta", "beta has no effect with rotation '%s'; it is for dapd", name);
    if (material->ghost_correction && !material->warping[0])
        return sn_fail_at(error, SN_BAD_INPUT, "ghost_correction", "ghost_correction has no effect without 'warping'");
    return SN_OK;
}

/* Cloth: one density, and options of bending and of the limit that have an effect. */
static sn_status check_cloth(const sn_material *material, sn_error *error) {
    if (material->area_density != 0 && material->density != sn_material_default().density)
        return sn_fail_at(error, SN_BAD_INPUT, "area_density",
                          "'area_density' and 'density' exclude each other: the mass is one of them");
    if (material->bending_stiffness == 0 && material->bending_damping == 0 && *material->bending_model)
        return sn_fail_at(error, SN_BAD_INPUT, "bending.model",
                          "'bending.model' has no effect without 'bending.stiffness' or 'bending.damping'");
    if (material->limit_strain == 0 && material->limit_stiffness != sn_material_default().limit_stiffness)
        return sn_fail_at(error, SN_BAD_INPUT, "limit.stiffness",
                          "'limit.stiffness' has no effect without 'limit.strain' above 0");
    return SN_OK;
}

/* Whether the chosen blocks go with each other. */
/* Green's strain on a coarse level (coarse.h). */
static sn_status check_corotate(const sn_material *material, const sn_rotation *rotation, sn_error *error) {
    if (material->corotate_from < 0 && material->corotate_every > 0)
        return sn_fail_at(error, SN_BAD_INPUT, "corotate.every",
                          "'corotate.every' has no effect without 'corotate.from'; give both or none");
    if (material->corotate_from < 0) return SN_OK;
    if (!(material->corotate_every > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "corotate.every",
                          "'corotate.every' is %g s; with 'corotate.from' it must be above 0",
                          material->corotate_every);
    if (strcmp(material->law, "corotated") != 0)
        return sn_fail_at(error, SN_BAD_INPUT, "corotate.from",
                          "'corotate' goes with law 'corotated' only, not with '%s'", material->law);
    const char *other = material->frames_every > 0           ? "frames"
                        : material->differential[0]          ? "differential"
                        : material->prony_count              ? "prony"
                        : rotation && rotation->uses_history ? "rotation"
                                                             : NULL;
    if (!other) return SN_OK;
    return sn_fail_at(error, SN_UNSUPPORTED, "corotate.from",
                      strcmp(other, "rotation") == 0 ? "'corotate' does not go with a rotation that has a history"
                                                     : "'corotate' does not go with '%s' of the material",
                      other);
}

static sn_status check_blocks(const sn_material *material, const sn_law *law, sn_error *error) {
    const sn_rotation *rotation = material->rotation[0] ? sn_rotation_find(NULL, material->rotation) : NULL;
    if (rotation && !(law->flags & SN_LAW_ROTATION))
        return sn_fail_at(error, SN_BAD_INPUT, "rotation",
                          "rotation '%s' does not go with law '%s', which uses no rotation", rotation->name, law->name);
    if (rotation && rotation->turning && !(law->flags & SN_LAW_ISOTROPIC))
        return sn_fail_at(
            error, SN_BAD_INPUT, "rotation",
            "rotation '%s' does not go with law '%s': the exact stress is for isotropic laws with an energy",
            rotation->name, law->name);
    if (!(material->alpha < 1))
        return sn_fail_at(error, SN_BAD_INPUT, "alpha", "alpha is %g; it must be at least 0 and below 1",
                          material->alpha);
    if (material->warping[0] && strcmp(material->law, "linear") != 0)
        return sn_fail_at(error, SN_BAD_INPUT, "warping", "'warping' goes with law 'linear' only, not with '%s'",
                          material->law);
    if (material->frames_every > 0 && !(law->flags & SN_LAW_ROTATION) && !material->warping[0])
        return sn_fail_at(error, SN_BAD_INPUT, "frames.every",
                          "'frames.every' has no effect with law '%s', which uses no rotation", law->name);
    if (material->frames_level >= 0 && !(material->frames_every > 0))
        return sn_fail_at(error, SN_BAD_INPUT, "frames.level",
                          "'frames.level' has no effect without 'frames.every'; give both or none");
    if (material->frames_level >= 0 && (material->warping[0] || (rotation && rotation->uses_history)))
        return sn_fail_at(error, SN_UNSUPPORTED, "frames.level", "'frames.level' does not go with %s '%s'",
                          material->warping[0] ? "warping" : "rotation",
                          material->warping[0] ? material->warping : rotation->name);
    const sn_status coarse = check_corotate(material, rotation, error);
    if (coarse) return coarse;
    if (material->warping_matrix[0] && !material->warping[0])
        return sn_fail_at(error, SN_BAD_INPUT, "warping_matrix",
                          "'warping_matrix' has no effect without 'warping'; give both or none");
    const sn_status status = check_used(material, rotation, error);
    return status || !material->differential[0] ? status : check_differential(material, law, rotation, error);
}

/* The ratios of the coefficients: for `on`: `coefficients` alone, and then instead of one ratio for the stress. */
static sn_status check_coefficients(const sn_material *material, const sn_law *law, sn_error *error) {
    const bool on = sn_prony_on_coefficients(material), parts = strcmp(material->prony_moduli, "instantaneous") == 0;
    if (on && law->coefficient_count == 0)
        return sn_fail_at(error, SN_BAD_INPUT, "prony.on",
                          "'on': 'coefficients' does not go with law '%s'; laws with coefficients are mooney-rivlin, "
                          "reduced-polynomial and ogden",
                          law->name);
    double sum[SN_PRONY_COEFFICIENTS] = {0};
    for (int i = 0; i < material->prony_count; ++i) {
        sn_status status = SN_OK;
        if (on && material->prony[i][0] != 0)
            status =
                sn_fail_at(error, SN_BAD_INPUT, "ratio",
                           "'prony' term %d: a ratio has no effect beside 'on': 'coefficients'; give 'ratios'", i + 1);
        for (int n = 0; n < SN_PRONY_COEFFICIENTS && !status; ++n) {
            const double ratio = material->prony_ratios[i][n];
            sum[n] += ratio;
            if (!on && ratio != 0)
                status = sn_fail_at(error, SN_BAD_INPUT, "ratios",
                                    "'prony' term %d: 'ratios' have no effect without 'on': 'coefficients'", i + 1);
            else if (n >= law->coefficient_count && ratio != 0)
                status = sn_fail_at(error, SN_BAD_INPUT, "ratios",
                                    "'prony' term %d has a ratio for coefficient %d; law '%s' has %d coefficients",
                                    i + 1, n + 1, law->name, law->coefficient_count);
            else if (!(ratio >= 0 && isfinite(ratio)))
                status = sn_fail_at(error, SN_BAD_INPUT, "ratios",
                                    "'prony' term %d: ratio %d is %g; it must be finite and at least 0", i + 1, n + 1,
                                    ratio);
            else if (parts && sum[n] > 1 + 1e-12)
                status = sn_fail_at(error, SN_BAD_INPUT, "ratios",
                                    "the instantaneous ratios of coefficient %d have the sum %g; it must be at most 1",
                                    n + 1, sum[n]);
        }
        if (status) return sn_within(error, status, "prony.terms.%d", i);
    }
    return SN_OK;
}

static sn_status check_prony(const sn_material *material, const sn_law *law, sn_error *error) {
    if (material->prony_count < 0 || material->prony_count > SN_PRONY_TERMS)
        return sn_fail_at(error, SN_BAD_INPUT, "prony", "'prony' has %d terms; allowed are 0 to %d",
                          material->prony_count, SN_PRONY_TERMS);
    if (material->prony_count == 0 && (material->prony_on[0] || material->prony_moduli[0]))
        return sn_fail_at(error, SN_BAD_INPUT, "prony.terms",
                          "'on' and 'moduli' of 'prony' have no effect without terms; give terms, or none of them");
    double sum = 0;
    for (int i = 0; i < material->prony_count; ++i) {
        const double *term = material->prony[i];
        sn_status status = SN_OK;
        if (!(term[0] >= 0 && isfinite(term[0])))
            status = sn_fail_at(error, SN_BAD_INPUT, "ratio",
                                "'prony' term %d: the ratio is %g; it must be finite and at least 0", i + 1, term[0]);
        else if (!(term[1] > 0 && isfinite(term[1])))
            status = sn_fail_at(error, SN_BAD_INPUT, "time",
                                "'prony' term %d: the time is %g; it must be finite and above 0", i + 1, term[1]);
        if (status) return sn_within(error, status, "prony.terms.%d", i);
        sum += term[0];
    }
    if (strcmp(material->prony_moduli, "instantaneous") == 0 && sum > 1 + 1e-12)
        return sn_fail_at(error, SN_BAD_INPUT, "prony.terms",
                          "the instantaneous ratios of 'prony' have the sum %g; it must be at most 1", sum);
    const sn_status status = check_coefficients(material, law, error);
    if (status) return status;
    if (law->table && strcmp(material->prony_on, "shear") == 0)
        return sn_fail_at(error, SN_BAD_INPUT, "prony.on",
                          "'on': 'shear' does not go with law '%s': nobody knows the deviatoric part of its stress",
                          law->name);
    return SN_OK;
}

sn_status sn_muscle_check_activation(double activation, sn_error *error) {
    if (activation >= 0 && activation <= 1) return SN_OK; /* false for a NaN */
    return sn_fail_at(error, SN_BAD_INPUT, "muscle.activation",
                      "the activation is %g; it must be at least 0 and at most 1", activation);
}

/* The table has checked that the keys are finite and ascend. */
static sn_status check_muscle(const sn_material *material, sn_error *error) {
    const sn_muscle *muscle = &material->muscle;
    const double *key = muscle->key;
    for (int i = 0; i < muscle->key_count; ++i) {
        const sn_status status = sn_muscle_check_activation(key[2 * i + 1], error);
        if (status)
            return sn_fail_at(error, status, "muscle.activation.keys",
                              "key %d: the activation is %g; it must be at least 0 and at most 1", i + 1,
                              key[2 * i + 1]);
    }
    if (muscle->period == 0) return SN_OK;
    if (muscle->key_count <= 0)
        return sn_fail_at(error, SN_BAD_INPUT, "muscle.period",
                          "'period' has no effect without keys of the activation; give both or none");
    if (key[0] < 0 || key[2 * muscle->key_count - 2] > muscle->period)
        return sn_fail_at(
            error, SN_BAD_INPUT, "muscle.period",
            "the keys of the activation are from %g s to %g s; with a period they must be from 0 s to %g s", key[0],
            key[2 * muscle->key_count - 2], muscle->period);
    return SN_OK;
}

sn_status sn_material_check(const sn_context *context, const sn_material *material, sn_error *error) {
    sn_status status = sn_cookie_check(material->cookie, "sn_material", error);
    if (status) return status;
    const sn_law *law = sn_law_find(context, material->law);
    if (!law) return unknown_law(context, material->law, error);
    int fields;
    const sn_field *field = sn_material_fields(&fields);
    status = sn_fields_check(field, fields, material, error);
    if (!status) status = check_constants(material, law, error);
    if (!status) status = check_blocks(material, law, error);
    if (!status) status = check_prony(material, law, error);
    if (!status) status = check_cloth(material, error);
    if (!status) status = check_muscle(material, error);
    double constant[SN_LAW_CONSTANTS];
    if (!status) status = law->prepare(law, material, 0, constant, error);
    return status;
}
