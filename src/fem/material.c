/* Materials: the lists of laws, rotations and differentials, the options, and setting constants. material_check.c
 * checks a material, material_point.c evaluates it at a single point.
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
#include "point_kernels.h"
#include "prony.h"

/* ---- Lookup ---- */
#if defined(SN_HAVE_X86_KERNELS)
#define BY_ISA(context, name)                                                                                          \
    ((context)->isa == SN_ISA_AVX512 ? name##_avx512 : (context)->isa == SN_ISA_AVX2 ? name##_avx2 : name##_baseline)
#else
#define BY_ISA(context, name) (name##_baseline)
#endif

extern const sn_point_kernels sn_point_kernels_baseline, sn_point_kernels_avx2, sn_point_kernels_avx512;

const sn_point_kernels *sn_point_kernels_for(const sn_context *context) {
    return context ? BY_ISA(context, &sn_point_kernels) : &sn_point_kernels_baseline;
}

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
    return rotation_in(context ? BY_ISA(context, sn_rotations) : sn_rotations_baseline, name);
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
    {.name = "frames.level",
     .type = SN_FIELD_INT,
     .offset = offsetof(sn_material, frames_level),
     .count = 1,
     .low = -1,
     .high = 255,
     .value = -1,
     .unit = "",
     .text =
         "with frames.every, on refined meshes: the level whose tets have the frames; -1: each element has its own"},
    {.name = "corotate.from",
     .type = SN_FIELD_INT,
     .offset = offsetof(sn_material, corotate_from),
     .count = 1,
     .low = -1,
     .high = 255,
     .value = -1,
     .unit = "",
     .text =
         "law corotated, on refined meshes: the level with Green's strain, whose tets give the finer elements their "
         "frames; -1: none"},
    NUMBER("corotate.every", corotate_every, 0, 0, 0, "s", "with corotate.from: how long these frames stay, above 0"),
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
    PART("limit.strain", limit_strain, 0, 0, "",
         "cloth: principal strain beyond which it hardly gives way; 0: no limit"),
    NUMBER("limit.stiffness", limit_stiffness, 0, 1, 100, "",
           "cloth: stiffness beyond the limit, times the largest modulus of the law"),
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
sn_constant_group sn_constant_group_of(const char *name, int count) {
    if (strcmp(name, "young") == 0 || strcmp(name, "poisson") == 0) return count == 1 ? SN_GROUP_YOUNG : SN_GROUP_ANY;
    if (strcmp(name, "lame") == 0) return SN_GROUP_LAME;
    static const char *const free[] = {"shear", "axes", "penalty", "direction"};
    for (size_t i = 0; i < sizeof free / sizeof *free; ++i)
        if (strcmp(name, free[i]) == 0) return SN_GROUP_ANY;
    return SN_GROUP_OWN;
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
    const sn_constant_group mine = sn_constant_group_of(name, count);
    for (int i = material->constant_count - 1; i >= 0; --i) {
        const sn_constant *other = &material->constant[i];
        const sn_constant_group theirs = sn_constant_group_of(other->name, other->count);
        const int excluded = mine != SN_GROUP_ANY && theirs != SN_GROUP_ANY && mine != theirs;
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
