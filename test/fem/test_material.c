/* Materials: setting and replacing constants, keyed constants, listings, and a clear message for every mistake. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fem/law.h"
#include "fem/material_fields.h"
#include "simd_sets.h"

static sn_material with_law(const char *law) {
    sn_material material = sn_material_default();
    snprintf(material.law, sizeof material.law, "%s", law);
    return material;
}

static sn_status set(sn_material *material, const char *name, double value) {
    return sn_material_set(material, name, &value, 1, NULL);
}

/* Appends without replacing anything, as a careless host would. */
static void append(sn_material *material, const char *name, double value) {
    sn_constant *constant = &material->constant[material->constant_count++];
    *constant = (sn_constant){.count = 1, .value = {value}};
    snprintf(constant->name, sizeof constant->name, "%s", name);
}

static void refused(const sn_material *material, const char *word, const char *other) {
    sn_error error = {0};
    assert_int_equal(sn_material_check(NULL, material, &error), SN_BAD_INPUT);
    if (!strstr(error.text, word) || !strstr(error.text, other))
        fail_msg("'%s' lacks '%s' or '%s'", error.text, word, other);
    assert_int_equal(error.status, SN_BAD_INPUT);
}

/* The same, and the error names the option. */
static void refused_at(const sn_material *material, const char *path, const char *word, const char *other) {
    sn_error error = {0};
    assert_int_equal(sn_material_check(NULL, material, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, path);
    refused(material, word, other);
}

/* One table drives defaults and ranges: every option of it has its default in a default material, and refuses what is
 * out of range. */
static void options_come_from_the_table(void **state) {
    (void)state;
    int count;
    const sn_field *field = sn_material_fields(&count);
    assert_true(count >= 13);
    for (int i = 0; i < count; ++i) {
        sn_material material = sn_material_default();
        void *place = (char *)&material + field[i].offset;
        assert_true(field[i].text && field[i].text[0] && field[i].unit);
        if (field[i].type == SN_FIELD_CHOICE) {
            assert_string_equal(place, "");
            strcpy(place, "nonsense");
            refused_at(&material, field[i].name, "nonsense", field[i].name);
        } else if (field[i].type == SN_FIELD_DOUBLE) {
            assert_true(*(double *)place == field[i].value);
            *(double *)place = field[i].low - 1;
            refused_at(&material, field[i].name, field[i].name, field[i].low_open ? "above" : "at least");
            *(double *)place = NAN;
            refused_at(&material, field[i].name, "nan", field[i].name);
        } else if (field[i].type == SN_FIELD_INT) {
            assert_true(*(int *)place == (int)field[i].value);
            *(int *)place = (int)field[i].low - 1;
            refused_at(&material, field[i].name, field[i].name, "at least");
        } else if (field[i].type == SN_FIELD_KEYS) {
            static const double back[] = {1, 0, 0, 0};
            assert_null(*(const double **)place);
            *(sn_field_keys *)place = (sn_field_keys){back, 2};
            refused_at(&material, "muscle.activation.keys.1", "ascend", "1");
        } else if (field[i].type == (SN_FIELD_OWN | SN_FIELD_NEEDED)) { /* a scene reads it */
            assert_string_equal(field[i].name, "muscle.fibre");
        } else {
            assert_int_equal(field[i].type, SN_FIELD_BOOL);
            assert_true(*(bool *)place == (field[i].value != 0));
        }
    }
    sn_material material = sn_material_default();
    material.alpha = 1;
    refused_at(&material, "alpha", "alpha is 1", "below 1");
}

static void default_is_valid(void **state) {
    (void)state;
    const sn_material material = sn_material_default();
    assert_int_equal(sn_material_check(NULL, &material, NULL), SN_OK);
    double lambda, mu;
    assert_int_equal(sn_material_lame(&material, 0, &lambda, &mu, NULL), SN_OK);
    assert_true(fabs(mu - 5e5 / 2.66) < 1e-9 && fabs(lambda - 5e5 * 0.33 / (1.33 * 0.34)) < 1e-9);
}

static void pairs_replace_each_other(void **state) {
    (void)state;
    sn_material material = sn_material_default();
    assert_int_equal(sn_material_set(&material, "lame", (double[]){3e5, 3e3}, 2, NULL), SN_OK);
    assert_null(sn_material_constant(&material, "young"));
    assert_null(sn_material_constant(&material, "poisson"));
    double lambda, mu;
    assert_int_equal(sn_material_lame(&material, 0, &lambda, &mu, NULL), SN_OK);
    assert_true(lambda == 3e5 && mu == 3e3);
    set(&material, "young", 1e6);
    assert_null(sn_material_constant(&material, "lame"));
    refused(&material, "poisson", "lacks");
    set(&material, "poisson", 0.2);
    assert_int_equal(material.constant_count, 2);
    set(&material, "young", 2e6);
    assert_int_equal(material.constant_count, 2);
    assert_true(sn_material_value(&material, "young", 0, 0) == 2e6);
    material = with_law("mooney-rivlin");
    set(&material, "c10", 100);
    refused(&material, "d1", "lacks");
    set(&material, "d1", 1e-3);
    assert_int_equal(sn_material_check(NULL, &material, NULL), SN_OK);
    assert_int_equal(material.constant_count, 2);
    set(&material, "young", 1e4), set(&material, "poisson", 0.4);
    assert_int_equal(material.constant_count, 2);
    assert_int_equal(sn_material_check(NULL, &material, NULL), SN_OK);
}

static void too_much(void **state) {
    (void)state;
    sn_error error = {0};
    sn_material material = sn_material_default();
    const double many[10] = {0};
    assert_int_equal(sn_material_set(&material, "axes", many, 10, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "10 values"));
    assert_int_equal(sn_material_set(&material, "a-name-that-is-too-long", many, 1, &error), SN_BAD_INPUT);
    assert_int_equal(sn_material_set(&material, "", many, 1, &error), SN_BAD_INPUT);
    material.constant_count = 0;
    for (int i = 0; i < SN_MATERIAL_CONSTANTS; ++i) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        assert_int_equal(set(&material, name, 1), SN_OK);
    }
    assert_int_equal(sn_material_set(&material, "more", many, 1, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "more"));
}

static void ranges(void **state) {
    (void)state;
    static const double bad_ratio[] = {0.5, 0.6, -1, -1.5, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad_ratio / sizeof *bad_ratio; ++i) {
        sn_material material = sn_material_default();
        set(&material, "poisson", bad_ratio[i]);
        refused(&material, "'poisson'", "above -1 and below 0.5");
    }
    sn_material material = sn_material_default();
    set(&material, "young", -5);
    refused_at(&material, "young", "'young' is -5", "at least 0");
    set(&material, "young", INFINITY);
    refused(&material, "'young'", "finite");
    set(&material, "young", 0);
    assert_int_equal(sn_material_check(NULL, &material, NULL), SN_OK);
    sn_material_set(&material, "lame", (double[]){1, -2}, 2, NULL);
    refused(&material, "mu is -2", "at least 0");
    sn_material_set(&material, "lame", (double[]){-3, 3}, 2, NULL);
    refused(&material, "lambda is -3", "-2/3 mu");
    sn_material_set(&material, "lame", (double[]){1}, 1, NULL);
    refused(&material, "'lame' has 1 values", "must have 2");
    static const double bad_density[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; ++i) {
        material = sn_material_default();
        material.density = bad_density[i];
        refused_at(&material, "density", "density is", isfinite(bad_density[i]) ? "above 0" : "finite");
    }
    material = sn_material_default();
    material.viscous[1] = -1;
    refused_at(&material, "viscous.mu", "viscous.mu", "-1");
    material = sn_material_default();
    material.rayleigh[0] = NAN;
    refused_at(&material, "rayleigh.mass", "rayleigh.mass", "finite");
    material.rayleigh[0] = -1;
    refused_at(&material, "rayleigh.mass", "rayleigh.mass", "at least 0");
    material = sn_material_default();
    material.prony_count = 1;
    refused_at(&material, "prony.terms.0.time", "prony", "time is 0");
}

static void mixtures(void **state) {
    (void)state;
    sn_material material = sn_material_default();
    append(&material, "lame", 1);
    material.constant[2].count = 2;
    refused(&material, "'young' and 'lame'", "exclude");
    material = with_law("mooney-rivlin");
    append(&material, "c10", 1);
    refused(&material, "'young' and 'c10'", "exclude");
    material = sn_material_default();
    append(&material, "young", 1);
    refused(&material, "'young'", "twice");
}

static void unknown_names(void **state) {
    (void)state;
    sn_material material = with_law("corotatd");
    refused_at(&material, "law", "corotatd", "'corotated'");
    material = with_law("jelly");
    refused(&material, "jelly", "known are linear, corotated");
    material = sn_material_default();
    append(&material, "yung", 1);
    refused(&material, "yung", "'young'");
    material = sn_material_default();
    append(&material, "c10", 1);
    refused(&material, "c10", "corotated");
    material = sn_material_default();
    strcpy(material.rotation, "polr");
    refused_at(&material, "rotation", "polr", "'polar'");
    strcpy(material.rotation, "qr");
    assert_int_equal(sn_material_check(NULL, &material, NULL), SN_OK);
    strcpy(material.differential, "exact");
    refused(&material, "exact", "'qr'");
    strcpy(material.differential, "exat");
    strcpy(material.rotation, "");
    refused_at(&material, "differential", "exat", "'exact'");
    material = with_law("stvk");
    strcpy(material.rotation, "polar");
    refused(&material, "polar", "uses no rotation");
    strcpy(material.rotation, "");
    strcpy(material.differential, "truncated-2");
    refused(&material, "truncated-2", "exact, projected");
}

static void own_constants(void **state) {
    (void)state;
    sn_material material = with_law("ogden");
    sn_material_set(&material, "mu", (double[]){1, 2}, 2, NULL);
    sn_material_set(&material, "alpha", (double[]){1, 2, 3}, 3, NULL);
    refused(&material, "lacks 'd1'", "alpha");
    set(&material, "d1", 1e-3);
    refused(&material, "'mu' has 2", "3");
    sn_material_set(&material, "alpha", (double[]){1, 0}, 2, NULL);
    refused(&material, "alpha", "is 0");
    sn_material_set(&material, "alpha", (double[]){1, 2}, 2, NULL);
    assert_int_equal(sn_material_check(NULL, &material, NULL), SN_OK);
    sn_material_set(&material, "mu", (double[]){1, -2}, 2, NULL);
    refused(&material, "sum of 'mu' is -1", "at least 0");
    set(&material, "d1", 0);
    refused(&material, "'d1' is 0", "above 0");
    material = with_law("ciarlet");
    set(&material, "a1", -1);
    refused(&material, "shear modulus -2", "at least 0");
    material = with_law("reduced-polynomial");
    sn_material_set(&material, "c", (double[]){-1, 2}, 2, NULL);
    set(&material, "d1", 1);
    refused(&material, "first of 'c' is -1", "at least 0");
}

static void orthotropic(void **state) {
    (void)state;
    sn_material material = with_law("orthotropic");
    refused(&material, "'young' has 1 values", "must have 3");
    sn_material_set(&material, "young", (double[]){1000, 600, 300}, 3, NULL);
    sn_material_set(&material, "poisson", (double[]){0.3, 0.2, 0.1}, 3, NULL);
    refused(&material, "shear", "three values");
    sn_material_set(&material, "shear", (double[]){100, 100, 100}, 3, NULL);
    assert_int_equal(sn_material_check(NULL, &material, NULL), SN_OK);
    sn_material_set(&material, "poisson", (double[]){0.3, 1.5, 0.1}, 3, NULL);
    refused(&material, "nu_yz is 1.5", "below 1.41421"); /* sqrt(600 / 300) */
    sn_material_set(&material, "young", (double[]){1000, 1000, 1000}, 3, NULL);
    sn_material_set(&material, "poisson", (double[]){0.6, 0.6, 0.6}, 3, NULL);
    refused(&material, "0.6, 0.6, 0.6", "positive definite");
    sn_material_set(&material, "poisson", (double[]){0.1, 0.1, 0.1}, 3, NULL);
    sn_material_set(&material, "axes", (double[]){1, 0, 0, 0, 1, 0, 0, 0.6, 0.8}, 9, NULL);
    refused(&material, "'axes'", "axes 2 and 3 is 0.6");
}

static void keys(void **state) {
    (void)state;
    sn_material material = sn_material_default();
    const double key[6] = {0, 100, 2, 300, 3, 50};
    material.constant[0].key = key;
    material.constant[0].key_count = 3;
    assert_int_equal(sn_material_check(NULL, &material, NULL), SN_OK);
    static const double at[6][2] = {{-1, 100}, {0, 100}, {1, 200}, {2, 300}, {2.5, 175}, {9, 50}};
    for (int i = 0; i < 6; ++i)
        assert_true(fabs(sn_material_value(&material, "young", at[i][0], -1) - at[i][1]) < 1e-12);
    assert_true(sn_material_value(&material, "absent", 0, -7) == -7);
    double lambda, mu;
    assert_int_equal(sn_material_lame(&material, 1, &lambda, &mu, NULL), SN_OK);
    assert_true(fabs(mu - 200 / 2.66) < 1e-12);
    const double backwards[4] = {1, 100, 1, 200}, negative[4] = {0, 100, 1, -3};
    material.constant[0].key_count = 2;
    material.constant[0].key = backwards;
    refused(&material, "key 2", "ascend");
    material.constant[0].key = negative;
    refused(&material, "'young' is -3", "at least 0");
}

/* The public lists and the kernels' tables name the same blocks in the same order, on every instruction set. */
static void listings(void **state) {
    (void)state;
    static const char *const needed[] = {
        "linear",      "corotated",          "corrected-corotated", "stvk",  "stvk-volume",
        "neo-hookean", "stable-neo-hookean", "mooney-rivlin",       "ogden", "reduced-polynomial",
        "ciarlet",     "orthotropic"};
    int laws, rotations, differentials;
    const sn_listing *law = sn_laws(&laws), *rotation = sn_rotations(&rotations),
                     *differential = sn_differentials(&differentials);
    assert_int_equal(laws, sn_law_count_baseline);
    assert_int_equal(rotations, sn_rotation_count_baseline);
    assert_int_equal(differentials, SN_DIFFERENTIAL_COUNT);
    assert_string_equal(rotation[0].name, "polar");
    for (int i = 0; i < differentials; ++i) assert_int_equal(sn_differential_find(differential[i].name), i);
    assert_int_equal(sn_differential_find("none"), -1);
    for (size_t k = 0; k < sizeof needed / sizeof *needed; ++k) {
        int found = 0;
        for (int i = 0; i < laws; ++i) found += strcmp(law[i].name, needed[k]) == 0;
        assert_int_equal(found, 1);
    }
    static const char *const simd[] = {"baseline", "avx2", "avx512"};
    for (int v = 0; v < 3; ++v) {
        sn_context_options options = sn_context_options_default();
        options.simd = simd_or_widest(simd[v]);
        options.threads = 1;
        sn_context *context;
        assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
        for (int i = 0; i < laws; ++i) {
            const sn_law *found = sn_law_find(context, law[i].name);
            assert_non_null(found);
            assert_string_equal(found->text, law[i].text);
            assert_true(found->constant_count <= SN_LAW_CONSTANTS);
            assert_true(found->differentials >> found->default_differential & 1u);
            int count;
            const sn_parameter *parameter = sn_law_parameters(NULL, law[i].name, &count);
            assert_int_equal(count, found->parameter_count);
            for (int k = 0; k < count; ++k)
                assert_true(parameter[k].name[0] && parameter[k].text[0] &&
                            parameter[k].count_max >= parameter[k].count_min);
        }
        assert_null(sn_law_find(context, "none"));
        for (int i = 0; i < rotations; ++i) assert_non_null(sn_rotation_find(context, rotation[i].name));
        assert_null(sn_rotation_find(context, "none"));
        sn_context_destroy(context);
    }
    int count = -1;
    assert_null(sn_law_parameters(NULL, "none", &count));
    assert_int_equal(count, 0);
}

static void evaluation_errors(void **state) {
    (void)state;
    sn_context *context;
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    sn_error error = {0};
    sn_material material = with_law("neo-hookean");
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, -0.5}, P[9], dP[81];
    assert_int_equal(sn_material_evaluate(context, &material, F, NULL, P, NULL, &error), SN_INVERTED);
    assert_non_null(strstr(error.text, "-0.5"));
    F[8] = NAN;
    assert_int_equal(sn_material_evaluate(context, &material, F, NULL, P, NULL, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "number 9"));
    F[8] = 1;
    set(&material, "poisson", 0.5);
    assert_int_equal(sn_material_evaluate(context, &material, F, NULL, P, NULL, &error), SN_BAD_INPUT);
    material = sn_material_default();
    strcpy(material.rotation, "qr");
    assert_int_equal(sn_material_evaluate(context, &material, F, NULL, P, NULL, &error), SN_OK);
    assert_int_equal(sn_material_evaluate(context, &material, F, NULL, P, dP, &error), SN_UNSUPPORTED);
    assert_non_null(strstr(error.text, "'qr'"));
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_is_valid),
        cmocka_unit_test(options_come_from_the_table),
        cmocka_unit_test(pairs_replace_each_other),
        cmocka_unit_test(too_much),
        cmocka_unit_test(ranges),
        cmocka_unit_test(mixtures),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(own_constants),
        cmocka_unit_test(orthotropic),
        cmocka_unit_test(keys),
        cmocka_unit_test(listings),
        cmocka_unit_test(evaluation_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
