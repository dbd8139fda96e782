/* Every law with each of its differentials: rest, finite differences, objectivity, symmetry, positive projection, equal
 * small-strain stiffness, closed forms, and the same bits on every instruction set. */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/math3.h"
#include "fem/point.h"
#include "matrices.h"

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
    {.law = "stvk-volume", .name = {"penalty"}, .count = {1}, .value = {{0.1}}},
    {.law = "stvk-volume", .name = {"penalty"}, .count = {1}, .value = {{2}}},
};
enum { SAMPLES = sizeof samples / sizeof *samples, ROOM = 128 };

/* What is tried: every law of the registry, with its samples or, when it has none, with young and poisson. A new law is
 * tried at once. */
static sample tried[ROOM];
static int tried_count;

static void collect(void) {
    int laws;
    const sn_listing *law = sn_laws(&laws);
    for (int i = 0; i < laws; ++i) {
        const int before = tried_count;
        for (int m = 0; m < SAMPLES && tried_count < ROOM; ++m)
            if (strcmp(samples[m].law, law[i].name) == 0) tried[tried_count++] = samples[m];
        if (tried_count == before && tried_count < ROOM) tried[tried_count++] = (sample){.law = law[i].name};
    }
}

static void every_law_is_tried(void **state) {
    (void)state;
    int laws, found = 0;
    const sn_listing *law = sn_laws(&laws);
    for (int i = 0; i < laws; ++i)
        for (int m = 0; m < tried_count; ++m)
            if (strcmp(tried[m].law, law[i].name) == 0) {
                ++found;
                break;
            }
    assert_int_equal(found, laws);
    for (int m = 0; m < SAMPLES; ++m) { /* and no sample is of a law that is no more */
        int known = 0;
        for (int i = 0; i < laws; ++i) known += strcmp(samples[m].law, law[i].name) == 0;
        assert_int_equal(known, 1);
    }
}

static sn_material material_of(const sample *s) {
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

static sn_context *context_for(const char *simd) {
    sn_context_options options = sn_context_options_default();
    options.simd = simd;
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

static point point_of(sn_context *context, const sn_material *material) {
    point p = {.context = context, .law = sn_law_find(context, material->law)};
    assert_non_null(p.law);
    if (p.law->flags & SN_LAW_ROTATION) p.rotation = sn_rotation_find(context, "polar");
    assert_int_equal(p.law->prepare(p.law, material, 0, p.constant, NULL), SN_OK);
    return p;
}

static void at(const point *p, sn_differential kind, const double F[9], double *psi, double *P, double *dP) {
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
static void deformation(int state, double F[9]) {
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
static int state_count(const sn_law *law) { return law->flags & SN_LAW_POSITIVE_J ? VALID_STATES : STATES; }

static void rest_is_free(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    uint64_t seed = 1;
    for (int m = 0; m < tried_count; ++m) {
        const sn_material material = material_of(&tried[m]);
        double F[9], psi, P[9];
        deformation(0, F);
        assert_int_equal(sn_material_evaluate(context, &material, F, &psi, P, NULL, NULL), SN_OK);
        if (psi != 0 || largest(P, 9) > 1e-12)
            fail_msg("%s at rest: energy %g stress %g", tried[m].law, psi, largest(P, 9));
        if (strcmp(tried[m].law, "linear") == 0) continue;
        for (int n = 0; n < 50; ++n) {
            random_rotation(&seed, F);
            assert_int_equal(sn_material_evaluate(context, &material, F, &psi, P, NULL, NULL), SN_OK);
            if (fabs(psi) > 1e-11 || largest(P, 9) > 2e-11)
                fail_msg("%s rotated: energy %g stress %g", tried[m].law, psi, largest(P, 9));
        }
    }
    sn_context_destroy(context);
}

/* Energies near rest keep their digits: psi(h) / h^2 tends to the quadratic form, down to strains of 1e-7. */
static void small_energies(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    for (int m = 0; m < tried_count; ++m) {
        const sn_material material = material_of(&tried[m]);
        const point p = point_of(context, &material);
        const double A[9] = {0.3, 0.2, -0.1, 0.2, -0.4, 0.15, -0.1, 0.15, 0.25};
        double F[9], dP[81], psi, quadratic = 0;
        deformation(0, F);
        at(&p, SN_DIFFERENTIAL_EXACT, F, NULL, NULL, dP);
        for (int i = 0; i < 81; ++i) quadratic += 0.5 * A[i / 9] * dP[i] * A[i % 9];
        for (double h = 1e-3; h > 5e-8; h /= 10) {
            for (int i = 0; i < 9; ++i) F[i] = (i % 4 == 0) + h * A[i];
            at(&p, SN_DIFFERENTIAL_EXACT, F, &psi, NULL, NULL);
            /* third-order terms, and the rounding of h A in F */
            if (!(fabs(psi / (h * h) - quadratic) < quadratic * (4 * h + 4e-16 / h)))
                fail_msg("%s at strain %g: energy %g h^2 against %g", tried[m].law, h, psi / (h * h), quadratic);
        }
    }
    sn_context_destroy(context);
}

static void finite_differences(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    for (int m = 0; m < tried_count; ++m) {
        const sn_material material = material_of(&tried[m]);
        const point p = point_of(context, &material);
        for (int s = 0; s < state_count(p.law); ++s) {
            double F[9], P[9], dP[81], stress[9], rate[81];
            deformation(s, F);
            at(&p, SN_DIFFERENTIAL_EXACT, F, NULL, P, dP);
            const double h = 1e-5;
            for (int b = 0; b < 9; ++b) {
                double e[4], s1[9], s2[9], s3[9], s4[9]; /* fourth order */
                const double x = F[b];
                F[b] = x - 2 * h, at(&p, 0, F, &e[0], s1, NULL);
                F[b] = x - h, at(&p, 0, F, &e[1], s2, NULL);
                F[b] = x + h, at(&p, 0, F, &e[2], s3, NULL);
                F[b] = x + 2 * h, at(&p, 0, F, &e[3], s4, NULL);
                F[b] = x;
                stress[b] = (8 * (e[2] - e[1]) - (e[3] - e[0])) / (12 * h);
                for (int a = 0; a < 9; ++a) rate[9 * a + b] = (8 * (s3[a] - s2[a]) - (s4[a] - s1[a])) / (12 * h);
            }
            const double size = largest(dP, 81);
            for (int i = 0; i < 9 && !(p.law->flags & SN_LAW_NO_POTENTIAL); ++i)
                if (!(fabs(stress[i] - P[i]) < 1e-6 * fmax(largest(P, 9), 1e-3 * size)))
                    fail_msg("%s %s: P[%d] is %.12g, dE/dF %.12g", tried[m].law, state_name[s], i, P[i], stress[i]);
            for (int i = 0; i < 81; ++i)
                if (!(fabs(rate[i] - dP[i]) < 1e-6 * size))
                    fail_msg("%s %s: dP[%d][%d] is %.12g, difference %.12g", tried[m].law, state_name[s], i / 9, i % 9,
                             dP[i], rate[i]);
        }
    }
    sn_context_destroy(context);
}

/* psi(Q F) = psi(F) and P(Q F) = Q P(F). */
static void objectivity(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    uint64_t seed = 2;
    for (int m = 0; m < tried_count; ++m) {
        if (strcmp(tried[m].law, "linear") == 0) continue;
        const sn_material material = material_of(&tried[m]);
        const point p = point_of(context, &material);
        for (int s = 0; s < state_count(p.law); ++s)
            for (int n = 0; n < 10; ++n) {
                double F[9], Q[9], QF[9], psi, turned, P[9], QP[9], Pt[9];
                deformation(s, F);
                random_rotation(&seed, Q);
                multiply(Q, F, QF);
                at(&p, 0, F, &psi, P, NULL);
                at(&p, 0, QF, &turned, Pt, NULL);
                multiply(Q, P, QP);
                assert_true(fabs(psi - turned) < 1e-10 + 1e-12 * psi);
                for (int i = 0; i < 9; ++i) assert_true(fabs(QP[i] - Pt[i]) < 1e-10 + 1e-11 * largest(P, 9));
            }
    }
    sn_context_destroy(context);
}

/* The smallest eigenvalue of a symmetric 9x9 matrix, by shifted Cholesky: is m + shift positive definite? */
static int definite(const double m[81], double shift) {
    double a[81];
    memcpy(a, m, sizeof a);
    for (int k = 0; k < 9; ++k) {
        double pivot = a[10 * k] + shift;
        for (int j = 0; j < k; ++j) pivot -= a[9 * k + j] * a[9 * k + j];
        if (!(pivot > 0)) return 0;
        a[10 * k] = sqrt(pivot);
        for (int i = k + 1; i < 9; ++i) {
            for (int j = 0; j < k; ++j) a[9 * i + k] -= a[9 * i + j] * a[9 * k + j];
            a[9 * i + k] /= a[10 * k];
        }
    }
    return 1;
}

static double apart(const double *a, const double *b, int n) {
    double m = 0;
    for (int i = 0; i < n; ++i) m = fmax(m, fabs(a[i] - b[i]));
    return m;
}

static void projection(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    uint64_t seed = 3;
    int indefinite = 0, kept = 0;
    for (int m = 0; m < tried_count; ++m) {
        const sn_material material = material_of(&tried[m]);
        const point p = point_of(context, &material);
        if (!(p.law->differentials >> SN_DIFFERENTIAL_PROJECTED & 1u)) continue;
        int mine = 0;
        for (int n = 0; n < 400; ++n) {
            double F[9], exact[81], projected[81], other[81];
            if (n < state_count(p.law))
                deformation(n, F);
            else if (p.law->flags & SN_LAW_POSITIVE_J)
                from_singular(&seed, 1 + 0.8 * draw(&seed), 1 + 0.8 * draw(&seed), 1 + 0.8 * draw(&seed), F);
            else
                from_singular(&seed, 2 * draw(&seed), 2 * draw(&seed), 2 * draw(&seed), F);
            at(&p, SN_DIFFERENTIAL_EXACT, F, NULL, NULL, exact);
            at(&p, SN_DIFFERENTIAL_PROJECTED, F, NULL, NULL, projected);
            const double size = largest(exact, 81);
            for (int a = 0; a < 9; ++a)
                for (int b = 0; b < a; ++b)
                    if (fabs(exact[9 * a + b] - exact[9 * b + a]) > 1e-10 * size ||
                        projected[9 * a + b] != projected[9 * b + a])
                        fail_msg("%s: not symmetric", tried[m].law);
            if (!definite(projected, 1e-9 * size))
                fail_msg("%s: the projected differential is not positive", tried[m].law);
            const int positive = definite(exact, 1e-13 * size);
            if (positive && apart(exact, projected, 81) > 1e-8 * size)
                fail_msg("%s: a positive differential was changed by %g", tried[m].law,
                         apart(exact, projected, 81) / size);
            mine += !definite(exact, 1e-9 * size);
            kept += positive;
            for (int k = SN_DIFFERENTIAL_TRUNCATED_1; k < SN_DIFFERENTIAL_COUNT; ++k) {
                if (!(p.law->differentials >> k & 1u)) continue;
                at(&p, (sn_differential)k, F, NULL, NULL, other);
                if (!definite(other, 1e-10 * size)) fail_msg("%s: differential %d is not positive", tried[m].law, k);
            }
        }
        indefinite += mine;
        assert_true((mine > 0) == ((p.law->flags & SN_LAW_INDEFINITE) != 0));
    }
    assert_true(indefinite > 100 && kept > 100);
    sn_context_destroy(context);
}

/* The projection of an indefinite matrix changes nothing on the positive side: exact - projected is negative, and their
 * product is zero. */
static void projection_is_nearest(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    for (int m = 0; m < tried_count; ++m) {
        const sn_material material = material_of(&tried[m]);
        const point p = point_of(context, &material);
        if (!(p.law->differentials >> SN_DIFFERENTIAL_PROJECTED & 1u)) continue;
        for (int s = 0; s < state_count(p.law); ++s) {
            double F[9], exact[81], projected[81], rest[81];
            deformation(s, F);
            at(&p, SN_DIFFERENTIAL_EXACT, F, NULL, NULL, exact);
            at(&p, SN_DIFFERENTIAL_PROJECTED, F, NULL, NULL, projected);
            const double size = largest(exact, 81);
            for (int i = 0; i < 81; ++i) rest[i] = projected[i] - exact[i];
            if (!definite(rest, 1e-9 * size))
                fail_msg("%s %s: the projection takes away too much", tried[m].law, state_name[s]);
            for (int a = 0; a < 9; ++a)
                for (int b = 0; b < 9; ++b) {
                    double sum = 0;
                    for (int k = 0; k < 9; ++k) sum += projected[9 * a + k] * rest[9 * k + b];
                    if (fabs(sum) > 1e-9 * size * size)
                        fail_msg("%s %s: the projection is not the nearest", tried[m].law, state_name[s]);
                }
        }
    }
    sn_context_destroy(context);
}

/* young and poisson mean the same stiffness at rest in every isotropic law, also with lambda or both moduli zero. */
static void same_small_strain_stiffness(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    static const double pairs[5][2] = {{1000, 0.3}, {1000, 0}, {2000, 0.49}, {500, -0.4}, {0, 0.3}};
    for (int k = 0; k < 5; ++k)
        for (int m = 0; m < tried_count; ++m) {
            if (tried[m].name[0]) continue;
            sn_material material = material_of(&tried[m]);
            sn_material_set(&material, "young", &pairs[k][0], 1, NULL);
            sn_material_set(&material, "poisson", &pairs[k][1], 1, NULL);
            const double nu = pairs[k][1], mu = pairs[k][0] / (2 * (1 + nu)),
                         lambda = pairs[k][0] * nu / ((1 + nu) * (1 - 2 * nu));
            double F[9], psi, P[9], dP[81];
            deformation(0, F);
            assert_int_equal(sn_material_evaluate(context, &material, F, &psi, P, dP, NULL), SN_OK);
            for (int a = 0; a < 9; ++a)
                for (int b = 0; b < 9; ++b) {
                    const int i = a / 3, j = a % 3, r = b / 3, l = b % 3;
                    const double expected =
                        mu * ((i == r && j == l) + (i == l && j == r)) + lambda * (i == j && r == l);
                    if (!(fabs(dP[9 * a + b] - expected) <= 1e-11 * (mu + fabs(lambda))))
                        fail_msg("%s: dP[%d][%d] %g against %g", tried[m].law, a, b, dP[9 * a + b], expected);
                }
            deformation(9, F); /* no division by a zero modulus far from rest either */
            assert_int_equal(sn_material_evaluate(context, &material, F, &psi, P, dP, NULL), SN_OK);
            assert_true(isfinite(psi) && isfinite(largest(P, 9)) && isfinite(largest(dP, 81)));
        }
    sn_context_destroy(context);
}

static void stress_of(sn_context *context, const sn_material *material, const double F[9], double P[9]) {
    sn_error error = {0};
    if (sn_material_evaluate(context, material, F, NULL, P, NULL, &error)) fail_msg("%s", error.text);
}

/* The lateral stretch that leaves the sides free, by bisection. */
static double free_stretch(sn_context *context, const sn_material *material, double l, double *along) {
    double low = 0.3, high = 2, P[9];
    for (int i = 0; i < 100; ++i) {
        const double t = 0.5 * (low + high), F[9] = {l, 0, 0, 0, t, 0, 0, 0, t};
        stress_of(context, material, F, P);
        *(P[4] < 0 ? &low : &high) = t;
        *along = P[0];
    }
    return low;
}

static void closed_forms(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    const double mu = E / (2 * (1 + NU)), lambda = E * NU / ((1 + NU) * (1 - 2 * NU)), l = 1.4, g = 0.6;
    double along;

    /* Uniaxial, corotated and StVK: the ordinary Young's modulus in their own strain. */
    sn_material material = material_of(&(sample){.law = "corotated"});
    double t = free_stretch(context, &material, l, &along);
    assert_true(fabs(along - E * (l - 1)) < 1e-9 * E);
    assert_true(fabs((t - 1) + NU * (l - 1)) < 1e-12);
    material = material_of(&(sample){.law = "stvk"});
    t = free_stretch(context, &material, l, &along);
    assert_true(fabs(along - l * E * 0.5 * (l * l - 1)) < 1e-9 * E);
    assert_true(fabs((t * t - 1) + NU * (l * l - 1)) < 1e-12);

    /* stvk-volume: the energy of stvk and 0.1 E theta^2 / (6 (1 - 2 nu)), theta = J - 1 (Kikuuwe 4.1), also mirrored.
     */
    const double mirrored[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, squashed[9] = {1.2, 0.1, 0, 0, 0.4, 0.3, 0.2, 0, 0.9};
    const double *const places[2] = {mirrored, squashed};
    for (int i = 0; i < 2; ++i) {
        double plain, whole;
        const double theta = sn_determinant3(places[i]) - 1, penalty = 0.1 * E * theta * theta / (6 * (1 - 2 * NU));
        material = material_of(&(sample){.law = "stvk"});
        assert_int_equal(sn_material_evaluate(context, &material, places[i], &plain, NULL, NULL, NULL), SN_OK);
        material = material_of(&(sample){.law = "stvk-volume"}); /* 0.1 is the default */
        assert_int_equal(sn_material_evaluate(context, &material, places[i], &whole, NULL, NULL, NULL), SN_OK);
        assert_true(fabs(whole - plain - penalty) < 1e-12 * E);
    }

    /* Neo-Hookean: free sides mean mu (t^2 - 1) + lambda ln(l t^2) = 0, and then the pull is mu (l - t^2 / l). */
    material = material_of(&(sample){.law = "neo-hookean"});
    t = free_stretch(context, &material, l, &along);
    assert_true(fabs(mu * (t * t - 1) + lambda * log(l * t * t)) < 1e-9 * E);
    assert_true(fabs(along - mu * (l - t * t / l)) < 1e-9 * E);

    /* Simple shear of volume-preserving laws: Cauchy shear stress 2 (c10 + c01) g, and the normal stress difference sxx
     * - syy = g sxy. */
    const sample mooney = {
        .law = "mooney-rivlin", .name = {"c10", "c01", "d1"}, .count = {1, 1, 1}, .value = {{150}, {60}, {2e-3}}};
    material = material_of(&mooney);
    const double F[9] = {1, g, 0, 0, 1, 0, 0, 0, 1}, Ft[9] = {1, 0, 0, g, 1, 0, 0, 0, 1};
    double P[9], sigma[9];
    stress_of(context, &material, F, P);
    multiply(P, Ft, sigma); /* J = 1 */
    assert_true(fabs(sigma[1] - 2 * (150 + 60) * g) < 1e-10);
    assert_true(fabs(sigma[1] - sigma[3]) < 1e-10);
    assert_true(fabs((sigma[0] - sigma[4]) - g * sigma[1]) < 1e-10);
    assert_true(fabs(sigma[0] - sigma[8] - 2 * 150 * g * g) < 1e-10); /* sxx - szz = 2 c10 g^2 */
    assert_true(fabs(sigma[8] - sigma[4] - 2 * 60 * g * g) < 1e-10);  /* szz - syy = 2 c01 g^2 */

    /* StVK in simple shear: P = F (2 mu E + lambda tr E). */
    material = material_of(&(sample){.law = "stvk"});
    stress_of(context, &material, F, P);
    const double tr = 0.5 * g * g, sxy = mu * g, syy = mu * g * g + lambda * tr, sxx = lambda * tr;
    assert_true(fabs(P[0] - (sxx + g * sxy)) < 1e-10 && fabs(P[1] - (sxy + g * syy)) < 1e-10 &&
                fabs(P[3] - sxy) < 1e-10);

    /* Ogden, a volume-preserving stretch: s_i - s_j = sum 2 mu / a (l_i^a - l_j^a) of the Cauchy stresses. */
    const sample ogden = {.law = "ogden",
                          .name = {"mu", "alpha", "d1"},
                          .count = {3, 3, 1},
                          .value = {{300, 50, -20}, {1.3, 5, -2}, {1e-3}}};
    material = material_of(&ogden);
    const double b = 0.9, c = 1 / (l * b), D[9] = {l, 0, 0, 0, b, 0, 0, 0, c};
    stress_of(context, &material, D, P);
    double expected = 0;
    for (int k = 0; k < 3; ++k) {
        const double a = ogden.value[1][k];
        expected += 2 * ogden.value[0][k] / a * (pow(l, a) - pow(b, a));
    }
    assert_true(fabs(P[0] * l - P[4] * b - expected) < 1e-9);

    /* Ogden with one term of exponent 2 is the isochoric neo-Hookean. */
    sn_material one = material_of(&(sample){.law = "ogden"}), same = material_of(&(sample){.law = "mooney-rivlin"});
    for (int s = 0; s < VALID_STATES; ++s) {
        double f[9], P2[9], d1[81], d2[81], e1, e2;
        deformation(s, f);
        assert_int_equal(sn_material_evaluate(context, &one, f, &e1, P, d1, NULL), SN_OK);
        assert_int_equal(sn_material_evaluate(context, &same, f, &e2, P2, d2, NULL), SN_OK);
        assert_true(fabs(e1 - e2) < 1e-12 * e1 + 1e-13 && apart(P, P2, 9) < 1e-11 * E &&
                    apart(d1, d2, 81) < 1e-11 * largest(d1, 81));
    }
    sn_context_destroy(context);
}

/* Stable neo-Hookean as published, up to a constant. */
static void stable_neo_hookean_formula(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    const double muL = E / (2 * (1 + NU)), lambdaL = E * NU / ((1 + NU) * (1 - 2 * NU)), mu = 4.0 / 3 * muL,
                 lambda = lambdaL + 5.0 / 6 * muL;
    const double a = 1 + mu / lambda - mu / (4 * lambda), rest = lambda / 2 * (1 - a) * (1 - a) - mu / 2 * log(4);
    const sn_material material = material_of(&(sample){.law = "stable-neo-hookean"});
    for (int s = 0; s < STATES; ++s) {
        double F[9], psi;
        deformation(s, F);
        const double I1 = dot(F, F, 9), J = det(F);
        assert_int_equal(sn_material_evaluate(context, &material, F, &psi, NULL, NULL, NULL), SN_OK);
        assert_true(fabs(psi - (mu / 2 * (I1 - 3) + lambda / 2 * (J - a) * (J - a) - mu / 2 * log(I1 + 1) - rest)) <
                    1e-10);
    }
    sn_context_destroy(context);
}

/* An orthotropic material with the constants of an isotropic one is that; its moduli are measured by pulling along its
 * axes. */
static void orthotropic_limits(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    const double G = E / (2 * (1 + NU));
    const char *const laws[2][2] = {{"orthotropic", "corotated"}, {"orthotropic-green", "stvk"}};
    for (int k = 0; k < 2; ++k) {
        sn_material mine = sn_material_default(), theirs = material_of(&(sample){.law = laws[k][1]});
        snprintf(mine.law, sizeof mine.law, "%s", laws[k][0]);
        sn_material_set(&mine, "young", (double[]){E, E, E}, 3, NULL);
        sn_material_set(&mine, "poisson", (double[]){NU, NU, NU}, 3, NULL);
        sn_material_set(&mine, "shear", (double[]){G, G, G}, 3, NULL);
        sn_material_set(&mine, "axes", (double[]){0.6, 0.8, 0, -0.8, 0.6, 0, 0, 0, 1}, 9, NULL);
        for (int s = 0; s < STATES; ++s) {
            double F[9], e1, e2, P1[9], P2[9], d1[81], d2[81];
            deformation(s, F);
            assert_int_equal(sn_material_evaluate(context, &mine, F, &e1, P1, d1, NULL), SN_OK);
            assert_int_equal(sn_material_evaluate(context, &theirs, F, &e2, P2, d2, NULL), SN_OK);
            assert_true(fabs(e1 - e2) < 1e-10 && apart(P1, P2, 9) < 1e-9 && apart(d1, d2, 81) < 1e-9 * largest(d1, 81));
        }
    }
    /* Pull along the second material axis, (0, 1, 0) turned by the axes: strain s / E_y, -nu_yz s / E_y along z, -nu_xy
     * s / E_x along x. */
    const sample *o = &samples[15];
    const sn_material material = material_of(o);
    double I[9], dP[81];
    deformation(0, I);
    assert_int_equal(sn_material_evaluate(context, &material, I, NULL, NULL, dP, NULL), SN_OK);
    const double *A = o->value[3], *Y = o->value[0], *nu = o->value[1], s = 7;
    const double strain[3] = {-nu[0] * s / Y[0], s / Y[1], -nu[1] * s / Y[1]};
    double e[9] = {0};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 9; ++i) e[i] += strain[k] * A[3 * k + i / 3] * A[3 * k + i % 3];
    for (int a = 0; a < 9; ++a) assert_true(fabs(dot(dP + 9 * a, e, 9) - s * A[3 + a / 3] * A[3 + a % 3]) < 1e-12);
    sn_context_destroy(context);
}

/* The approximate differentials of the corotational laws, against their formulas applied to each unit dF. */
static void truncated_formulas(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    const double mu = E / (2 * (1 + NU)), lambda = E * NU / ((1 + NU) * (1 - 2 * NU));
    const sn_material material = material_of(&(sample){.law = "corotated"});
    const point p = point_of(context, &material);
    for (int s = 0; s < STATES; ++s) {
        double F[9], R[9], S[9], one[81], two[81], hybrid[81];
        deformation(s, F);
        assert_int_equal(sn_rotation_evaluate(context, "polar", NULL, F, R, S, NULL), SN_OK);
        at(&p, SN_DIFFERENTIAL_TRUNCATED_1, F, NULL, NULL, one);
        at(&p, SN_DIFFERENTIAL_TRUNCATED_2, F, NULL, NULL, two);
        at(&p, SN_DIFFERENTIAL_HYBRID, F, NULL, NULL, hybrid);
        for (int b = 0; b < 9; ++b) {
            double dF[9] = {0}, Rt[9], local[9], sym[9], warped[9];
            dF[b] = 1;
            transpose(R, Rt);
            multiply(Rt, dF, local);
            for (int i = 0; i < 9; ++i) sym[i] = 0.5 * (local[i] + local[i % 3 * 3 + i / 3]);
            multiply(R, sym, warped);
            const double trace = local[0] + local[4] + local[8];
            for (int a = 0; a < 9; ++a) {
                assert_true(fabs(one[9 * a + b] - (2 * mu * dF[a] + lambda * trace * R[a])) < 1e-11);
                assert_true(fabs(two[9 * a + b] - (2 * mu * warped[a] + lambda * trace * R[a])) < 1e-11);
            }
        }
        /* The weight from the singular values, which are the sizes of the eigenvalues of S; only the third can be
         * negative. */
        alignas(64) double f[72], U[72], d[24], V[72];
        for (int i = 0; i < 72; ++i) f[i] = F[i / SN_LANES];
        sn_point_kernels_for(context)->svd(f, U, d, V);
        const double mean = (fabs(d[0] - 1) + fabs(d[SN_LANES] - 1) + fabs(d[2 * SN_LANES] - 1)) / 3,
                     weight = mean < 1 ? mean : 1;
        for (int i = 0; i < 81; ++i) assert_true(fabs(hybrid[i] - (weight * one[i] + (1 - weight) * two[i])) < 1e-11);
    }
    /* A solid that is stretched along one axis has three axes, although its F looks like that of a plane element. */
    double stretched[9] = {1.5, 0, 0, 0, 1, 0, 0, 0, 1}, first[81], second[81], both[81];
    at(&p, SN_DIFFERENTIAL_TRUNCATED_1, stretched, NULL, NULL, first);
    at(&p, SN_DIFFERENTIAL_TRUNCATED_2, stretched, NULL, NULL, second);
    at(&p, SN_DIFFERENTIAL_HYBRID, stretched, NULL, NULL, both);
    for (int i = 0; i < 81; ++i) assert_true(fabs(both[i] - (first[i] + 5 * second[i]) / 6) < 1e-11);
    /* The warped orthotropic stiffness: at a rotation all differentials are the exact one. */
    const sn_material ortho = material_of(&samples[15]);
    const point o = point_of(context, &ortho);
    double F[9], exact[81], warped[81];
    deformation(4, F);
    at(&o, SN_DIFFERENTIAL_EXACT, F, NULL, NULL, exact);
    at(&o, SN_DIFFERENTIAL_TRUNCATED_2, F, NULL, NULL, warped);
    assert_true(apart(exact, warped, 81) < 1e-10);
    sn_context_destroy(context);
}

static void same_bits(void **state) {
    (void)state;
    static const char *const isa[] = {"baseline", "avx2", "avx512"};
    sn_context *context[3];
    for (int v = 0; v < 3; ++v) context[v] = context_for(isa[v]);
    uint64_t seed = 4;
    unsigned seen = 0;
    for (int m = 0; m < tried_count; ++m) {
        const sn_material material = material_of(&tried[m]);
        for (int block = 0; block < 40; ++block) {
            alignas(64) double F[72], F1[72], psi[3][SN_LANES], P[3][72], dP[3][81 * SN_LANES], one[81 * SN_LANES];
            for (int l = 0; l < SN_LANES; ++l) {
                double f[9];
                from_singular(&seed, 1 + 0.9 * draw(&seed), 1 + 0.9 * draw(&seed), draw(&seed) + (l < 4), f);
                if (l == 5) deformation(block % STATES, f);
                for (int i = 0; i < 9; ++i) F[SN_LANES * i + l] = f[i];
            }
            for (int kind = 0; kind < SN_DIFFERENTIAL_COUNT; ++kind) {
                const int lane = (block + kind) % SN_LANES;
                for (int v = 0; v < 3; ++v) {
                    const point p = point_of(context[v], &material);
                    if (!(p.law->differentials >> kind & 1u)) continue;
                    sn_point_kernels_for(context[v])
                        ->law(p.law, p.rotation, usual, (sn_differential)kind, p.constant, F, psi[v], P[v], dP[v]);
                    seen |= 1u << kind;
                    for (int i = 0; i < 81 * SN_LANES; ++i) assert_true(isfinite(dP[v][i]));
                    assert_memory_equal(psi[v], psi[0], sizeof psi[0]);
                    assert_memory_equal(P[v], P[0], sizeof P[0]);
                    assert_memory_equal(dP[v], dP[0], sizeof dP[0]);
                    for (int i = 0; i < 72; ++i) F1[i] = F[i / SN_LANES * SN_LANES + lane];
                    sn_point_kernels_for(context[v])
                        ->law(p.law, p.rotation, usual, (sn_differential)kind, p.constant, F1, NULL, NULL, one);
                    for (int i = 0; i < 81; ++i)
                        assert_memory_equal(&one[SN_LANES * i + lane], &dP[v][SN_LANES * i + lane], sizeof(double));
                }
            }
        }
    }
    assert_int_equal(seen, (1u << SN_DIFFERENTIAL_COUNT) - 1); /* every differential of the registry */
    for (int v = 0; v < 3; ++v) sn_context_destroy(context[v]);
}

/* The check that a caller runs on a law of its own says yes to each of ours. */
static void conformance(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    for (int m = 0; m < tried_count; ++m) {
        const sn_material material = material_of(&tried[m]);
        sn_error error = {0};
        if (sn_law_check(context, &material, &error)) fail_msg("%s", error.text);
    }
    sn_context_destroy(context);
}

/* Laws that need J > 0 say so; the others stay finite when flat, collapsed and inverted. */
static void degenerate(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    for (int m = 0; m < tried_count; ++m) {
        const sn_material material = material_of(&tried[m]);
        const point p = point_of(context, &material);
        static const double list[4][9] = {
            {0}, {1, 0, 0, 0, 1, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, -1}};
        for (int s = 0; s < 4; ++s) {
            double psi, P[9], dP[81];
            sn_error error = {0};
            const sn_status status = sn_material_evaluate(context, &material, list[s], &psi, P, dP, &error);
            if (p.law->flags & SN_LAW_POSITIVE_J) {
                assert_int_equal(status, SN_INVERTED);
                assert_non_null(strstr(error.text, p.law->name));
                at(&p, SN_DIFFERENTIAL_PROJECTED, list[s], &psi, P, dP);
            } else {
                assert_int_equal(status, SN_OK);
            }
            if (!isfinite(psi) || !isfinite(largest(P, 9)) || !isfinite(largest(dP, 81)))
                fail_msg("%s: not finite", tried[m].law);
        }
    }
    sn_context_destroy(context);
}

int main(void) {
    collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_tried),
        cmocka_unit_test(conformance),
        cmocka_unit_test(rest_is_free),
        cmocka_unit_test(small_energies),
        cmocka_unit_test(finite_differences),
        cmocka_unit_test(objectivity),
        cmocka_unit_test(projection),
        cmocka_unit_test(projection_is_nearest),
        cmocka_unit_test(same_small_strain_stiffness),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(stable_neo_hookean_formula),
        cmocka_unit_test(orthotropic_limits),
        cmocka_unit_test(truncated_formulas),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(degenerate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
