/* Every law: rest, finite differences, objectivity, states without volume, and the same bits on every instruction set.
 * The differentials that are projected are in test_law_projection.c, closed forms in test_law_forms.c. */
#include "law_samples.h"

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
        cmocka_unit_test(every_law_is_tried), cmocka_unit_test(conformance),        cmocka_unit_test(rest_is_free),
        cmocka_unit_test(small_energies),     cmocka_unit_test(finite_differences), cmocka_unit_test(objectivity),
        cmocka_unit_test(same_bits),          cmocka_unit_test(degenerate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
