/* Materials: setting and checking constants, the lists of laws, rotations and differentials, and single-point
 * evaluation.
 *
 * Constants come in groups that exclude each other: young and poisson; lame; and the law's own (c10, mu, ...). Setting
 * a member of one group through sn_material_set drops the other groups, so that edits never contradict each other;
 * sn_material_check refuses a material that was filled with members of several. */
#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

#include "base/cookie.h"
#include "base/words.h"
#include "law.h"
#include "material_fields.h"
#include "names.h"
#include "point.h"
#include "prony.h"

/* ---- Lookup ---- */
#if defined(SN_HAVE_X86_KERNELS)
#define BY_ISA(context, name)                                                                                          \
    ((context)->isa == SN_ISA_AVX512 ? name##_avx512 : (context)->isa == SN_ISA_AVX2 ? name##_avx2 : name##_baseline)
#else
#define BY_ISA(context, name) (name##_baseline)
#endif

extern const sn_point_kernels sn_point_kernels_baseline, sn_point_kernels_avx2, sn_point_kernels_avx512;

const sn_point_kernels *sn_point_kernels_for(const sn_context *context) { return BY_ISA(context, &sn_point_kernels); }

static const sn_law *law_in(const sn_law *const *laws, const char *name) {
    for (int i = 0; i < sn_law_count_baseline; ++i)
        if (strcmp(laws[i]->name, name) == 0) return laws[i];
    return NULL;
}

static const sn_rotation *rotation_in(const sn_rotation *const *rotations, const char *name) {
    for (int i = 0; i < sn_rotation_count_baseline; ++i)
        if (strcmp(rotations[i]->name, name) == 0) return rotations[i];
    return NULL;
}

const sn_law *sn_law_find(const sn_context *context, const char *name) {
    if (!context) return law_in(sn_laws_baseline, name);
    const sn_law *law = law_in(BY_ISA(context, sn_laws), name);
    return law ? law : sn_own_law_find(context, name);
}

const sn_rotation *sn_rotation_find(const sn_context *context, const char *name) {
    return rotation_in(BY_ISA(context, sn_rotations), name);
}

/* In the order of sn_differential. */
static const sn_listing differential_listing[SN_DIFFERENTIAL_COUNT] = {
    {"exact", "the derivative of the stress"},
    {"projected", "the exact one with its negative eigenvalues set to zero"},
    {"truncated-1", "corotational laws: the rotation held fixed in the stress, 2 mu dF + lambda tr(R^T dF) R"},
    {"truncated-2", "corotational laws: the warped stiffness R K R^T"},
    {"hybrid", "corotational laws: from truncated-2 to truncated-1 with growing stretch"},
};

int sn_differential_find(const char *name) {
    for (int i = 0; i < SN_DIFFERENTIAL_COUNT; ++i)
        if (strcmp(differential_listing[i].name, name) == 0) return i;
    return -1;
}

const sn_listing *sn_differentials(int *count) {
    if (count) *count = SN_DIFFERENTIAL_COUNT;
    return differential_listing;
}

#define LAW(id) {SN_LAW_##id},
#define ROTATION(id) {SN_ROTATION_##id},
static const sn_listing law_listing[] = {SN_LAWS(LAW)};
static const sn_listing rotation_listing[] = {SN_ROTATIONS(ROTATION)};

const sn_listing *sn_laws(int *count) {
    if (count) *count = sizeof law_listing / sizeof *law_listing;
    return law_listing;
}

const sn_listing *sn_rotations(int *count) {
    if (count) *count = sizeof rotation_listing / sizeof *rotation_listing;
    return rotation_listing;
}

const sn_listing *sn_warpings(int *count) {
    static const sn_listing listing[] = {
        {"edges", "frames of vertices from three of their edges"},
        {"svd", "the nearest rotation to all edges of a vertex"},
    };
    if (count) *count = sizeof listing / sizeof *listing;
    return listing;
}

const sn_listing *sn_warping_matrices(int *count) {
    static const sn_listing listing[] = {
        {"element", "R_e k_ij R_e^T with one mean frame per element: symmetric, for any solver"},
        {"vertex", "R_i k_ij R_i^T, the derivative of the forces at fixed frames: not symmetric"},
    };
    if (count) *count = sizeof listing / sizeof *listing;
    return listing;
}

int sn_warping_find(const char *name) {
    int count;
    const sn_listing *listing = sn_warpings(&count);
    for (int i = 0; i < count; ++i)
        if (strcmp(listing[i].name, name) == 0) return i + 1;
    return 0;
}

const sn_parameter *sn_law_parameters(const sn_context *context, const char *law, int *count) {
    const sn_law *found = sn_law_find(context, law);
    if (count) *count = found ? found->parameter_count : 0;
    return found ? found->parameter : NULL;
}

/* ---- Options ---- */
#define NUMBER(key, member, minimum, open, standard, unit_text, about)                                                 \
    {                                                                                                                  \
        .name = key, .type = SN_FIELD_DOUBLE, .offset = offsetof(sn_material, member), .count = 1, .low = minimum,     \
        .low_open = open, .high = 1e300, .value = standard, .unit = unit_text, .text = about                           \
    }
#define PART(key, member, open, standard, unit_text, about)                                                            \
    {                                                                                                                  \
        .name = key, .type = SN_FIELD_DOUBLE, .offset = offsetof(sn_material, member), .count = 1, .low_open = open,   \
        .high = 1, .value = standard, .unit = unit_text, .text = about                                                 \
    }
#define CHOICE(key, member, list, about)                                                                               \
    {                                                                                                                  \
        .name = key, .type = SN_FIELD_CHOICE, .offset = offsetof(sn_material, member), .count = 1, .choices = list,    \
        .unit = "", .text = about                                                                                      \
    }

static const sn_listing prony_on_listing[] = {{"all", "the whole stress"},
                                              {"shear", "the deviatoric part"},
                                              {"coefficients", "each coefficient of the law, by `ratios`"}};
static const sn_listing prony_moduli_listing[] = {{"long-term", "the terms add to the constants of the law"},
                                                  {"instantaneous", "the terms are parts of the constants of the law"}};
const sn_listing *sn_prony_parts(int *count) {
    *count = 3;
    return prony_on_listing;
}
const sn_listing *sn_prony_moduli(int *count) {
    *count = 2;
    return prony_moduli_listing;
}
const sn_listing *sn_bending_models(int *count) {
    static const sn_listing listing[] = {
        {"dihedral", "the angle between neighbouring triangles, against that at rest (discrete shells)"},
        {"quadratic", "a constant matrix, for cloth that is flat at rest and hardly stretches: faster"},
    };
    *count = 2;
    return listing;
}

static const sn_field material_field[] = {
    CHOICE("rotation", rotation, sn_rotations, "how a corotational law takes the rotation out; default: polar"),
    CHOICE("differential", differential, sn_differentials,
           "how the stress is linearised; default: the law's own choice"),
    NUMBER("density", density, 0, 1, 1000, "kg/m^3", "mass per rest volume"),
    NUMBER("area_density", area_density, 0, 0, 0, "kg/m^2", "cloth: mass per rest area; 0: density times thickness"),
    NUMBER("viscous.lambda", viscous[0], 0, 0, 0, "Pa s", "viscosity against the rate of volume"),
    NUMBER("viscous.mu", viscous[1], 0, 0, 0, "Pa s", "viscosity against the rate of shape"),
    NUMBER("rayleigh.mass", rayleigh[0], 0, 0, 0, "1/s", "a of the damping D = a M + b K"),
    NUMBER("rayleigh.stiffness", rayleigh[1], 0, 0, 0, "s", "b of the damping D = a M + b K"),
    CHOICE("prony.on", prony_on, sn_prony_parts, "the part of the stress that remembers; default: all"),
    CHOICE("prony.moduli", prony_moduli, sn_prony_moduli, "the meaning of the law's constants; default: long-term"),
    {.name = "alpha",
     .type = SN_FIELD_DOUBLE,
     .offset = offsetof(sn_material, alpha),
     .count = 1,
     .high = 1,
     .value = 0.1,
     .unit = "",
     .text = "rotations dapd, project and reflect: an element is degenerate when det F is below alpha"},
    NUMBER("beta", beta, 1, 0, 3, "", "rotation dapd: how far a degenerate element is moved back"),
    NUMBER("frames.every", frames_every, 0, 0, 0, "s",
           "corotational laws and warping: a frame is taken anew when the time passes a multiple of this; 0: laws at "
           "each evaluation, warping at each step"),
    CHOICE("warping", warping, sn_warpings, "law linear: stiffness warping per vertex; default: none"),
    CHOICE("warping_matrix", warping_matrix, sn_warping_matrices,
           "warping: the matrix of the linear systems; default: element"),
    {.name = "ghost_correction",
     .type = SN_FIELD_BOOL,
     .offset = offsetof(sn_material, ghost_correction),
     .count = 1,
     .unit = "",
     .text = "warping: take the net force and torque out of a body's elastic forces"},
    NUMBER("springs.damper", spring_damper, 0, 0, 0, "N s/m", "element springs: the damper of every spring"),
    NUMBER("springs.quality", spring_quality, 0, 0, 0, "",
           "element springs: the quality factor of every spring and damper; 0: no such damper"),
    NUMBER("bending.stiffness", bending_stiffness, 0, 0, 0, "N m",
           "cloth: moment per width and curvature; 0: it bends freely"),
    NUMBER("bending.damping", bending_damping, 0, 0, 0, "N m s", "cloth: moment per width and rate of curvature"),
    CHOICE("bending.model", bending_model, sn_bending_models, "cloth: how bending is measured; default: dihedral"),
    {.name = "muscle.fibre",
     .type = SN_FIELD_OWN | SN_FIELD_NEEDED,
     .count = 1,
     .unit = "",
     .text = "where the fibres run: a direction [x, y, z], {\"field\": name} of the mesh file, or "
             "{\"from\": selector, \"to\": selector}"},
    PART("muscle.activation", muscle.activation, 0, 0, "", "how much of the active stress the fibres have"),
    {.name = "muscle.activation.keys",
     .type = SN_FIELD_KEYS,
     .offset = offsetof(sn_material, muscle.key),
     .count = 2,
     .low = 0,
     .high = 1,
     .unit = "s, 1",
     .text = "the activation at each time, linear between"},
    NUMBER("muscle.period", muscle.period, 0, 0, 0, "s", "the keys of the activation repeat after this time; 0: no"),
    NUMBER("muscle.stress", muscle.stress, 0, 0, 3e5, "Pa", "active stress at activation 1 and optimal length"),
    NUMBER("muscle.passive", muscle.passive, 0, 0, 2e5, "Pa", "passive stress at 1.4 times the rest length"),
    NUMBER("muscle.optimal", muscle.optimal, 0, 1, 1, "", "the stretch of largest active stress"),
    PART("muscle.width", muscle.width, 1, 0.6, "",
         "active stress vanishes at 1 - width and 1 + width times the optimal stretch"),
    NUMBER("muscle.speed", muscle.speed, 0, 0, 10, "1/s",
           "optimal lengths per second at which the active stress vanishes; 0: speed has no influence"),
};
enum { FIELDS = sizeof material_field / sizeof *material_field };

const sn_field *sn_material_fields(int *count) {
    *count = FIELDS;
    return material_field;
}

/* ---- Constants ---- */
typedef enum group { GROUP_ANY, GROUP_YOUNG, GROUP_LAME, GROUP_OWN } group;

/* Which group a constant belongs to. Several moduli of an orthotropic law, its shear, axes and direction, and the
 * penalty of stvk-volume exclude nothing. */
static group group_of(const char *name, int count) {
    if (strcmp(name, "young") == 0 || strcmp(name, "poisson") == 0) return count == 1 ? GROUP_YOUNG : GROUP_ANY;
    if (strcmp(name, "lame") == 0) return GROUP_LAME;
    static const char *const free[] = {"shear", "axes", "penalty", "direction"};
    for (size_t i = 0; i < sizeof free / sizeof *free; ++i)
        if (strcmp(name, free[i]) == 0) return GROUP_ANY;
    return GROUP_OWN;
}

const sn_constant *sn_material_constant(const sn_material *material, const char *name) {
    for (int i = 0; i < material->constant_count; ++i)
        if (strcmp(material->constant[i].name, name) == 0) return &material->constant[i];
    return NULL;
}

static double keyed(const double *key, int n, double time) {
    if (time <= key[0]) return key[1];
    for (int i = 1; i < n; ++i) {
        const double *a = key + 2 * (i - 1), *b = key + 2 * i;
        if (time < b[0]) return a[1] + (b[1] - a[1]) * ((time - a[0]) / (b[0] - a[0]));
    }
    return key[2 * n - 1];
}

double sn_material_value(const sn_material *material, const char *name, double time, double fallback) {
    const sn_constant *constant = sn_material_constant(material, name);
    if (!constant) return fallback;
    return constant->key && constant->key_count > 0 ? keyed(constant->key, constant->key_count, time)
                                                    : constant->value[0];
}

double sn_material_activation(const sn_material *material, double time) {
    const sn_muscle *muscle = &material->muscle;
    if (muscle->key_count <= 0) return muscle->activation;
    if (muscle->period > 0) time -= muscle->period * floor(time / muscle->period);
    return keyed(muscle->key, muscle->key_count, time);
}

sn_status sn_material_lame(const sn_material *material, double time, double *lambda, double *mu, sn_error *error) {
    const sn_constant *lame = sn_material_constant(material, "lame");
    if (lame) {
        *lambda = lame->value[0], *mu = lame->value[1];
        if (*mu < 0) return sn_fail_at(error, SN_BAD_INPUT, "lame", "lame: mu is %g; it must be at least 0", *mu);
        if (3 * *lambda + 2 * *mu < 0)
            return sn_fail_at(error, SN_BAD_INPUT, "lame",
                              "lame: lambda is %g with mu %g; lambda must be at least -2/3 mu", *lambda, *mu);
        return SN_OK;
    }
    for (int i = 0; i < 2; ++i) {
        const char *name = i ? "poisson" : "young";
        if (!sn_material_constant(material, name))
            return sn_fail_at(error, SN_BAD_INPUT, name,
                              "material of law '%s' lacks '%s'; give young and poisson, or lame", material->law, name);
    }
    const double young = sn_material_value(material, "young", time, 0),
                 nu = sn_material_value(material, "poisson", time, 0);
    *mu = young / (2 * (1 + nu));
    *lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    return SN_OK;
}

sn_material sn_material_default(void) {
    sn_material material = {
        .cookie = SN_COOKIE,
        .law = "corotated",
        .constant_count = 2,
        .constant = {{.name = "young", .count = 1, .value = {5e5}}, {.name = "poisson", .count = 1, .value = {0.33}}},
    };
    sn_fields_default(material_field, FIELDS, &material);
    return material;
}

static void drop_constant(sn_material *material, int index) {
    for (int i = index + 1; i < material->constant_count; ++i) material->constant[i - 1] = material->constant[i];
    --material->constant_count;
}

sn_status sn_material_set(sn_material *material, const char *name, const double *value, int count, sn_error *error) {
    const size_t room = sizeof material->constant[0].name;
    if (!name[0] || strlen(name) >= room)
        return sn_fail(error, SN_BAD_INPUT, "'%s' is not the name of a constant", name);
    if (count < 1 || count > SN_CONSTANT_VALUES)
        return sn_fail(error, SN_BAD_INPUT, "'%s' has %d values; allowed are 1 to %d", name, count, SN_CONSTANT_VALUES);
    const group mine = group_of(name, count);
    for (int i = material->constant_count - 1; i >= 0; --i) {
        const sn_constant *other = &material->constant[i];
        const group theirs = group_of(other->name, other->count);
        const int excluded = mine != GROUP_ANY && theirs != GROUP_ANY && mine != theirs;
        if (excluded || strcmp(other->name, name) == 0) drop_constant(material, i);
    }
    if (material->constant_count == SN_MATERIAL_CONSTANTS)
        return sn_fail(error, SN_BAD_INPUT, "'%s' is one constant too many; at most %d are allowed", name,
                       SN_MATERIAL_CONSTANTS);
    sn_constant *constant = &material->constant[material->constant_count++];
    *constant = (sn_constant){.count = count};
    memcpy(constant->name, name, strlen(name) + 1);
    memcpy(constant->value, value, (size_t)count * sizeof *value);
    return SN_OK;
}

/* ---- Checks ---- */
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

static sn_status unknown_rotation(const char *name, sn_error *error) {
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
        if (group_of(constant->name, constant->count) == GROUP_ANY) continue;
        if (!first) first = constant;
        if (group_of(first->name, first->count) != group_of(constant->name, constant->count))
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
        for (int i = 0; i < SN_DIFFERENTIAL_COUNT; ++i)
            if (law->differentials >> i & 1u)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? ", " : "",
                         differential_listing[i].name);
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

/* Cloth: one density, and options of bending that have an effect. */
static sn_status check_cloth(const sn_material *material, sn_error *error) {
    if (material->area_density != 0 && material->density != sn_material_default().density)
        return sn_fail_at(error, SN_BAD_INPUT, "area_density",
                          "'area_density' and 'density' exclude each other: the mass is one of them");
    if (material->bending_stiffness == 0 && material->bending_damping == 0 && *material->bending_model)
        return sn_fail_at(error, SN_BAD_INPUT, "bending.model",
                          "'bending.model' has no effect without 'bending.stiffness' or 'bending.damping'");
    return SN_OK;
}

/* Whether the chosen blocks go with each other. */
static sn_status check_blocks(const sn_material *material, const sn_law *law, sn_error *error) {
    const sn_rotation *rotation = material->rotation[0] ? rotation_in(sn_rotations_baseline, material->rotation) : NULL;
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
    status = sn_fields_check(material_field, FIELDS, material, error);
    if (!status) status = check_constants(material, law, error);
    if (!status) status = check_blocks(material, law, error);
    if (!status) status = check_prony(material, law, error);
    if (!status) status = check_cloth(material, error);
    if (!status) status = check_muscle(material, error);
    double constant[SN_LAW_CONSTANTS];
    if (!status) status = law->prepare(law, material, 0, constant, error);
    return status;
}

/* ---- Single points ---- */
static void spread(const double F[9], double out[9 * SN_LANES]) {
    for (int i = 0; i < 9; ++i)
        for (int l = 0; l < SN_LANES; ++l) out[SN_LANES * i + l] = F[i];
}

static void first_lane(const double *block, int count, double *out) {
    for (int i = 0; i < count; ++i) out[i] = block[SN_LANES * i];
}

static sn_status check_matrix(const double F[9], sn_error *error) {
    for (int i = 0; i < 9; ++i)
        if (!isfinite(F[i]))
            return sn_fail(error, SN_BAD_INPUT, "number %d of F is %g; all nine must be finite", i + 1, F[i]);
    return SN_OK;
}

static void rest_differential(const sn_law *law, const double *constant, double dP[81]) {
    const sn_law *plain = law_in(sn_laws_baseline, law->name);
    const sn_rotation *rotation = law->flags & SN_LAW_ROTATION ? rotation_in(sn_rotations_baseline, "polar") : NULL;
    const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, degenerate[2] = {0, 1};
    alignas(64) double block[9 * SN_LANES], lanes[81 * SN_LANES];
    spread(rest, block);
    sn_point_kernels_baseline.law(plain, rotation, degenerate, SN_DIFFERENTIAL_EXACT, constant, block, NULL, NULL,
                                  lanes);
    first_lane(lanes, 81, dP);
}

void sn_law_rest_moduli(const sn_law *law, const double *constant, double *lambda, double *mu) {
    double dP[81];
    rest_differential(law, constant, dP);
    *lambda = dP[4], *mu = dP[10]; /* d P_xx / d F_yy, d P_xy / d F_xy */
}

/* Voigt's means: C_iijj = 9 bulk, C_ijij = 3 bulk + 10 shear. */
void sn_law_mean_moduli(const sn_law *law, const double *constant, double *bulk, double *shear) {
    double dP[81], volume = 0, all = 0;
    rest_differential(law, constant, dP);
    for (int i = 0; i < 9; ++i) all += dP[10 * i];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) volume += dP[9 * (4 * i) + 4 * j];
    *bulk = volume / 9;
    *shear = (all - volume / 3) / 10;
}

sn_status sn_material_evaluate(sn_context *context, const sn_material *material, const double F[9], double *energy,
                               double stress[9], double differential[81], sn_error *error) {
    sn_status status = sn_material_check(context, material, error);
    if (!status) status = check_matrix(F, error);
    if (status) return status;
    const sn_law *law = sn_law_find(context, material->law);
    const sn_rotation *rotation = NULL;
    if (law->flags & SN_LAW_ROTATION)
        rotation = sn_rotation_find(context, material->rotation[0] ? material->rotation : "polar");
    if (differential && rotation && !rotation->differential)
        return sn_fail(error, SN_UNSUPPORTED, "there is no exact differential with rotation '%s'", rotation->name);
    double constant[SN_LAW_CONSTANTS];
    status = law->prepare(law, material, 0, constant, error);
    if (status) return status;
    const double J =
        F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
    if ((law->flags & SN_LAW_POSITIVE_J) && !(J > 0))
        return sn_fail(error, SN_INVERTED, "law '%s' needs det F above 0; it is %g", law->name, J);
    const double degenerate[2] = {material->alpha, material->beta};
    alignas(64) double block[9 * SN_LANES], psi[SN_LANES], P[9 * SN_LANES], dP[81 * SN_LANES];
    spread(F, block);
    sn_point_kernels_for(context)->law(law, rotation, degenerate, SN_DIFFERENTIAL_EXACT, constant, block, psi, P,
                                       differential ? dP : NULL);
    if (energy) *energy = psi[0];
    if (stress) first_lane(P, 9, stress);
    if (differential) first_lane(dP, 81, differential);
    return SN_OK;
}

/* The alpha and beta of a rotation, from a material with the defaults for those that are not given. */
static sn_status degenerate_options(const sn_rotation *rotation, const double *given, sn_material *usual,
                                    sn_error *error) {
    *usual = sn_material_default();
    if (!given) return SN_OK;
    if (!rotation->uses_history)
        return sn_fail_at(error, SN_BAD_INPUT, "alpha", "rotation '%s' has no alpha and no beta", rotation->name);
    snprintf(usual->rotation, sizeof usual->rotation, "%s", rotation->name);
    usual->alpha = given[0], usual->beta = given[1];
    return sn_material_check(NULL, usual, error);
}

sn_status sn_rotation_evaluate(sn_context *context, const char *method, const double *degenerate, const double F[9],
                               double R[9], double S[9], sn_error *error) {
    const sn_rotation *rotation = sn_rotation_find(context, method);
    if (!rotation) return unknown_rotation(method, error);
    sn_material usual;
    sn_status status = check_matrix(F, error);
    if (!status) status = degenerate_options(rotation, degenerate, &usual, error);
    if (status) return status;
    alignas(64) double block[9 * SN_LANES], turned[9 * SN_LANES];
    spread(F, block);
    sn_point_kernels_for(context)->rotation(rotation, usual.alpha, usual.beta, block, turned, NULL);
    double r[9];
    first_lane(turned, 9, r);
    if (R) memcpy(R, r, sizeof r);
    for (int i = 0; S && i < 3; ++i)
        for (int j = 0; j < 3; ++j) S[3 * i + j] = r[i] * F[j] + r[3 + i] * F[3 + j] + r[6 + i] * F[6 + j];
    return SN_OK;
}
