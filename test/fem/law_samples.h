/* What the tests of laws share: every law with samples of its constants, a law at single points, deformations. */
#ifndef TEST_FEM_LAW_SAMPLES_H
#define TEST_FEM_LAW_SAMPLES_H

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/math3.h"
#include "fem/point_kernels.h"
#include "matrices.h"
#include "simd_sets.h"

static const double usual[2] = {0.1, 3}; /* alpha, beta */

static const double E = 1000, NU = 0.3;

typedef struct sample {
    const char *law;
    const char *name[5]; /* constants, NULL for young and poisson */
    int count[5];
    double value[5][9];
} sample;

static const sample samples[] = {
    {.law = "linear"},
    {.law = "corotated"},
    {.law = "corrected-corotated"},
    {.law = "stvk"},
    {.law = "neo-hookean"},
    {.law = "stable-neo-hookean"},
    {.law = "mooney-rivlin"},
    {.law = "mooney-rivlin", .name = {"c10", "c01", "d1"}, .count = {1, 1, 1}, .value = {{150}, {60}, {2e-3}}},
    {.law = "ogden"},
    {.law = "ogden",
     .name = {"mu", "alpha", "d1"},
     .count = {3, 3, 1},
     .value = {{300, 50, -20}, {1.3, 5, -2}, {1e-3}}},
    {.law = "reduced-polynomial"},
    {.law = "reduced-polynomial", .name = {"c", "d1"}, .count = {3, 1}, .value = {{180, -10, 3}, {1.5e-3}}},
    {.law = "ciarlet"},
    {.law = "ciarlet", .name = {"a1", "a2", "b", "c"}, .count = {1, 1, 1, 1}, .value = {{60}, {15}, {40}, {80}}},
    {.law = "orthotropic",
     .name = {"young", "poisson", "shear"},
     .count = {3, 3, 3},
     .value = {{1000, 600, 300}, {0.3, 0.2, 0.1}, {250, 180, 140}}},
    {.law = "orthotropic",
     .name = {"young", "poisson", "shear", "axes"},
     .count = {3, 3, 3, 9},
     .value = {{1000, 600, 300}, {0.3, 0.2, 0.1}, {250, 180, 140}, {0.6, 0.8, 0, -0.8, 0.6, 0, 0, 0, 1}}},
    {.law = "orthotropic-green",
     .name = {"young", "poisson", "shear", "axes"},
     .count = {3, 3, 3, 9},
     .value = {{1000, 600, 300}, {0.3, 0.2, 0.1}, {250, 180, 140}, {0.6, 0, 0.8, 0, 1, 0, -0.8, 0, 0.6}}},
    {.law = "cloth-stvk"},
    {.law = "cloth-orthotropic",
     .name = {"young", "poisson", "shear", "direction"},
     .count = {2, 1, 1, 3},
     .value = {{1000, 400}, {0.2}, {150}, {1, 1, 0}}},
    {.law = "cloth-baraff-witkin", .name = {"stretch", "shear"}, .count = {2, 1}, .value = {{1000, 500}, {200}}},
    {.law = "cloth-particles", .name = {"stretch", "shear"}, .count = {2, 1}, .value = {{1000, 500}, {200}}},
    {.law = "stvk-volume", .name = {"penalty"}, .count = {1}, .value = {{0.1}}},
    {.law = "stvk-volume", .name = {"penalty"}, .count = {1}, .value = {{2}}},
};
enum { SAMPLES = sizeof samples / sizeof *samples, ROOM = 128 };

/* What is tried: every law of the registry, with its samples or, when it has none, with young and poisson. A new law is
 * tried at once. */
static sample tried[ROOM];
static int tried_count;

static inline void collect(void) {
    int laws;
    const sn_listing *law = sn_laws(&laws);
    for (int i = 0; i < laws; ++i) {
        const int before = tried_count;
        for (int m = 0; m < SAMPLES && tried_count < ROOM; ++m)
            if (strcmp(samples[m].law, law[i].name) == 0) tried[tried_count++] = samples[m];
        if (tried_count == before && tried_count < ROOM) tried[tried_count++] = (sample){.law = law[i].name};
    }
}
static inline sn_material material_of(const sample *s) {
    sn_material material = sn_material_default();
    snprintf(material.law, sizeof material.law, "%s", s->law);
    assert_int_equal(sn_material_set(&material, "young", &E, 1, NULL), SN_OK);
    assert_int_equal(sn_material_set(&material, "poisson", &NU, 1, NULL), SN_OK);
    for (int i = 0; i < 5 && s->name[i]; ++i)
        assert_int_equal(sn_material_set(&material, s->name[i], s->value[i], s->count[i], NULL), SN_OK);
    sn_error error = {0};
    if (sn_material_check(NULL, &material, &error)) fail_msg("%s: %s", s->law, error.text);
    return material;
}

static inline sn_context *context_for(const char *simd) {
    sn_context_options options = sn_context_options_default();
    options.simd = simd_or_widest(simd);
    options.threads = 1;
    sn_context *context = NULL;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

/* A law with its constants at single points, with any differential. */
typedef struct point {
    sn_context *context;
    const sn_law *law;
    const sn_rotation *rotation;
    double constant[SN_LAW_CONSTANTS];
} point;

static inline point point_of(sn_context *context, const sn_material *material) {
    point p = {.context = context, .law = sn_law_find(context, material->law)};
    assert_non_null(p.law);
    if (p.law->flags & SN_LAW_ROTATION) p.rotation = sn_rotation_find(context, "polar");
    assert_int_equal(p.law->prepare(p.law, material, 0, p.constant, NULL), SN_OK);
    return p;
}

static inline void at(const point *p, sn_differential kind, const double F[9], double *psi, double *P, double *dP) {
    alignas(64) double f[72], e[SN_LANES], s[72], d[81 * SN_LANES];
    for (int i = 0; i < 72; ++i) f[i] = F[i / SN_LANES];
    sn_point_kernels_for(p->context)->law(p->law, p->rotation, usual, kind, p->constant, f, e, s, dP ? d : NULL);
    if (psi) *psi = e[0];
    for (int i = 0; P && i < 9; ++i) P[i] = s[SN_LANES * i];
    for (int i = 0; dP && i < 81; ++i) dP[i] = d[SN_LANES * i];
}

/* Deformations: rest, stretched, sheared, rotated, squashed, with equal stretches, then inverted and flat. */
enum { STATES = 14, VALID_STATES = 11 };
static const char *const state_name[STATES] = {
    "rest",     "nearly rest", "stretched",         "sheared", "rotated",  "rotated and strained", "squashed",
    "blown up", "shrunk",      "strongly strained", "needle",  "inverted", "inverted twice",       "mirrored"};
static inline void deformation(int state, double F[9]) {
    static const double list[STATES][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1},
        {1.00001, 2e-5, 0, -1e-5, 0.99999, 3e-5, 0, 1e-5, 1.00002},
        {1.6, 0, 0, 0, 0.9, 0, 0, 0, 0.9},
        {1, 0.7, 0, 0, 1, 0.2, 0, 0, 1},
        {0, -1, 0, 1, 0, 0, 0, 0, 1},
        {0.3, -1.1, 0.2, 0.9, 0.1, -0.3, 0.1, 0.2, 1.2},
        {1.2, 0.05, 0, 0.1, 0.35, 0.02, 0, 0.03, 1.1},
        {1.4, 0, 0, 0, 1.4, 0, 0, 0, 1.4},
        {0.7, 0, 0, 0, 0.7, 0, 0, 0, 0.7},
        {1.9, 0.4, -0.6, 0.3, 0.8, 0.5, -0.2, 0.7, 1.3},
        {2.5, 0.1, 0.2, -0.3, 0.5, 0.1, 0.2, 0.05, 0.4},
        {1.1, 0.2, 0.1, 0, 0.9, -0.2, 0.1, 0, -0.6},
        {1.2, 0.1, 0, 0, -0.9, 0.1, 0.2, 0, 0.7},
        {-1.3, 0.1, 0, 0.1, 0.9, 0, 0, 0.2, 0.8},
    };
    memcpy(F, list[state], sizeof list[state]);
}
static inline int state_count(const sn_law *law) { return law->flags & SN_LAW_POSITIVE_J ? VALID_STATES : STATES; }

static inline double apart(const double *a, const double *b, int n) {
    double m = 0;
    for (int i = 0; i < n; ++i) m = fmax(m, fabs(a[i] - b[i]));
    return m;
}

#endif
