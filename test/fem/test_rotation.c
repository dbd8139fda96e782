/* Rotations: polar is the nearest proper rotation of every matrix; the others keep their promises; derivatives; the
 * same bits everywhere.
 */
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "fem/point_kernels.h"
#include "matrices.h"
#include "simd_sets.h"

static const char *const isa[] = {"baseline", "avx2", "avx512"};

static sn_context *context_for(const char *simd) {
    sn_context_options options = sn_context_options_default();
    options.simd = simd_or_widest(simd);
    options.threads = 1;
    sn_context *context = NULL;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

/* How far S = R^T F is from symmetric, relative to F. */
static double asymmetry(const double R[9], const double F[9], double S[9]) {
    double T[9], f[9];
    const double m = largest(F, 9), scale = m > 0 ? m : 1;
    for (int i = 0; i < 9; ++i) f[i] = F[i] / scale;
    transpose(R, T);
    multiply(T, f, S);
    return fmax(fabs(S[1] - S[3]), fmax(fabs(S[2] - S[6]), fabs(S[5] - S[7])));
}

/* R is nearest when S is symmetric and tr(S) I - S is positive semi-definite; as a check from outside, tr(R^T F)
 * reaches the sum of the singular values, the last one signed. */
static void polar_is_nearest(void **state) {
    (void)state;
    const char *const methods[] = {"polar", "isvd"};
    sn_context *context = context_for("auto");
    uint64_t seed = 5;
    for (int m = 0; m < 2; ++m)
        for (int class = 0; class < MATRIX_CLASSES; ++class)
            for (int n = 0; n < 1000; ++n) {
                double F[9], R[9], S[9];
                alignas(64) double block[72], U[72], s[24], V[72];
                const char *name = nasty_matrix(class, &seed, F);
                assert_int_equal(sn_rotation_evaluate(context, methods[m], NULL, F, R, NULL, NULL), SN_OK);
                const double skew = asymmetry(R, F, S), ortho = orthogonality(R);
                for (int i = 0; i < 72; ++i) block[i] = F[i / SN_LANES];
                sn_point_kernels_for(context)->svd(block, U, s, V);
                const double size = largest(F, 9) > 0 ? largest(F, 9) : 1;
                const double sum = (s[0] / size + s[SN_LANES] / size) + s[2 * SN_LANES] / size,
                             gap = sum - (S[0] + S[4] + S[8]);
                if (!(ortho < 1e-14 && skew < 1e-13 && fabs(gap) < 2e-14 + 4 * 0x1p-1074 / size && det(R) > 0))
                    fail_msg("%s of %s: orthogonality %g, asymmetry %g, trace off by %g, det %g", methods[m], name,
                             ortho, skew, gap, det(R));
            }
    sn_context_destroy(context);
}

/* Against many random rotations, and where the nearest one is unique and well-conditioned against the one F was made
 * with. */
static void polar_recovers_rotation(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    uint64_t seed = 9;
    for (int n = 0; n < 2000; ++n) {
        double Q[9], W[9], Wt[9], T[9], S[9], F[9], R[9];
        random_rotation(&seed, Q);
        random_rotation(&seed, W);
        transpose(W, Wt);
        const double s[3] = {1 + 0.9 * draw(&seed), 1 + 0.9 * draw(&seed), 0.05 + 0.04 * draw(&seed)};
        for (int i = 0; i < 9; ++i) T[i] = W[i] * (i % 3 == 2 && n % 2 ? -s[2] : s[i % 3]);
        multiply(T, Wt, S);
        multiply(Q, S, F);
        assert_int_equal(sn_rotation_evaluate(context, "polar", NULL, F, R, S, NULL), SN_OK);
        for (int i = 0; i < 9; ++i) assert_true(fabs(R[i] - Q[i]) < 1e-13 / (fmin(s[0], s[1]) - s[2] + 1e-3));
        double best = dot(R, F, 9);
        for (int k = 0; k < 20; ++k) {
            random_rotation(&seed, T);
            assert_true(dot(T, F, 9) <= best + 1e-14);
        }
    }
    sn_context_destroy(context);
}

static void others(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    uint64_t seed = 13;
    for (int class = 0; class < MATRIX_CLASSES; ++class)
        for (int n = 0; n < 300; ++n) {
            double F[9], R[9], S[9];
            const char *name = nasty_matrix(class, &seed, F);
            assert_int_equal(sn_rotation_evaluate(context, "qr", NULL, F, R, S, NULL), SN_OK);
            const double size = largest(F, 9);
            if (!(orthogonality(R) < 1e-14 && det(R) > 0))
                fail_msg("qr of %s: orthogonality %g det %g", name, orthogonality(R), det(R));
            if (class < 5) assert_true(fabs(S[3]) + fabs(S[6]) + fabs(S[7]) < 1e-13 * size / 0.1);
            assert_int_equal(sn_rotation_evaluate(context, "higham", NULL, F, R, NULL, NULL), SN_OK);
            const double skew = asymmetry(R, F, S);
            if (!(orthogonality(R) < 1e-14 && skew < 1e-13)) fail_msg("higham of %s: asymmetry %g", name, skew);
            if (class < 5) assert_true(det(R) * det(F) > 0);
        }
    sn_context_destroy(context);
}

static void derivative(void **state) {
    (void)state;
    const char *const methods[] = {"polar", "higham", "isvd"};
    sn_context *context = context_for("auto");
    uint64_t seed = 17;
    for (int m = 0; m < 3; ++m)
        for (int n = 0; n < 200; ++n) {
            const sn_rotation *rotation = sn_rotation_find(context, methods[m]);
            const sn_point_kernels *kernels = sn_point_kernels_for(context);
            alignas(64) double F[72], R[72], dR[81 * SN_LANES], ignored[72];
            double f[9];
            from_singular(&seed, 1.5 + 0.3 * draw(&seed), 1 + 0.3 * draw(&seed),
                          (n % 2 ? -0.2 : 0.3) * (1 + 0.3 * draw(&seed)), f);
            for (int i = 0; i < 72; ++i) F[i] = f[i / SN_LANES];
            kernels->rotation(rotation, 0, 0, F, ignored, dR);
            const double h = 1e-5;
            for (int b = 0; b < 9; ++b) {
                for (int l = 0; l < SN_LANES; ++l) F[SN_LANES * b + l] = f[b] + (l % 2 ? h : -h);
                kernels->rotation(rotation, 0, 0, F, R, NULL);
                for (int a = 0; a < 9; ++a) {
                    const double difference = (R[SN_LANES * a + 1] - R[SN_LANES * a]) / (2 * h);
                    assert_true(fabs(difference - dR[SN_LANES * (9 * a + b)]) < 1e-6);
                }
                for (int l = 0; l < SN_LANES; ++l) F[SN_LANES * b + l] = f[b];
            }
        }
    sn_context_destroy(context);
}

/* Finite on everything, also where two singular values cancel. */
static void derivative_is_finite(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    uint64_t seed = 19;
    for (int class = 0; class < MATRIX_CLASSES; ++class) {
        if (class == 13 || class == 14 || class == 15 || class == 16)
            continue; /* 1 / F itself leaves the range of doubles */
        for (int n = 0; n < 50; ++n) {
            alignas(64) double F[72], R[72], dR[81 * SN_LANES];
            double f[9];
            nasty_matrix(class, &seed, f);
            for (int i = 0; i < 72; ++i) F[i] = f[i / SN_LANES];
            sn_point_kernels_for(context)->rotation(sn_rotation_find(context, "polar"), 0, 0, F, R, dR);
            for (int i = 0; i < 81 * SN_LANES; ++i) assert_true(isfinite(dR[i]));
        }
    }
    sn_context_destroy(context);
}

static void same_bits(void **state) {
    (void)state;
    sn_context *context[3];
    for (int v = 0; v < 3; ++v) context[v] = context_for(isa[v]);
    int methods;
    const sn_listing *listing = sn_rotations(&methods);
    uint64_t seed = 23;
    for (int m = 0; m < methods; ++m)
        for (int block = 0; block < 300; ++block) {
            alignas(64) double F[72], R[3][72], F1[72], R1[72];
            for (int l = 0; l < SN_LANES; ++l) {
                double f[9];
                nasty_matrix((block + 5 * l) % MATRIX_CLASSES, &seed, f);
                for (int i = 0; i < 9; ++i) F[SN_LANES * i + l] = f[i];
            }
            for (int v = 0; v < 3; ++v)
                sn_point_kernels_for(context[v])
                    ->rotation(sn_rotation_find(context[v], listing[m].name), 0.1, 3, F, R[v], NULL);
            assert_memory_equal(R[1], R[0], sizeof R[0]);
            assert_memory_equal(R[2], R[0], sizeof R[0]);
            const int lane = block % SN_LANES;
            for (int i = 0; i < 72; ++i) F1[i] = F[i / SN_LANES * SN_LANES + lane];
            sn_point_kernels_for(context[2])
                ->rotation(sn_rotation_find(context[2], listing[m].name), 0.1, 3, F1, R1, NULL);
            for (int i = 0; i < 9; ++i)
                assert_memory_equal(&R1[SN_LANES * i], &R[2][SN_LANES * i + lane], sizeof(double));
        }
    for (int v = 0; v < 3; ++v) sn_context_destroy(context[v]);
}

/* Every rotation of the registry: orthogonal for every matrix, R = Q for F = Q, near it for a small strain, and the
 * derivative that it offers is that of differences. */
static void conformance(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    int methods, derived = 0;
    const sn_listing *listing = sn_rotations(&methods);
    uint64_t seed = 29;
    for (int m = 0; m < methods; ++m) {
        const char *name = listing[m].name;
        const sn_rotation *rotation = sn_rotation_find(context, name);
        for (int class = 0; class < MATRIX_CLASSES; ++class)
            for (int n = 0; n < 100; ++n) {
                double F[9], R[9];
                nasty_matrix(class, &seed, F);
                assert_int_equal(sn_rotation_evaluate(context, name, NULL, F, R, NULL, NULL), SN_OK);
                if (!(orthogonality(R) < 1e-13)) fail_msg("%s: orthogonality %g", name, orthogonality(R));
            }
        for (int n = 0; n < 100; ++n) {
            double Q[9], F[9], R[9];
            random_rotation(&seed, Q);
            assert_int_equal(sn_rotation_evaluate(context, name, NULL, Q, R, NULL, NULL), SN_OK);
            for (int i = 0; i < 9; ++i) assert_true(fabs(R[i] - Q[i]) < 1e-13);
            for (int i = 0; i < 9; ++i) F[i] = Q[i] + 1e-3 * draw(&seed);
            assert_int_equal(sn_rotation_evaluate(context, name, NULL, F, R, NULL, NULL), SN_OK);
            for (int i = 0; i < 9; ++i) assert_true(fabs(R[i] - Q[i]) < 1e-2);
            if (!rotation->differential) continue;
            alignas(64) double block[72], turned[72], dR[81 * SN_LANES];
            for (int i = 0; i < 72; ++i) block[i] = F[i / SN_LANES];
            sn_point_kernels_for(context)->rotation(rotation, 0.1, 3, block, turned, dR);
            for (int b = 0; b < 9; ++b) {
                double less[9], more[9];
                const double h = 1e-5, x = F[b];
                F[b] = x - h, sn_rotation_evaluate(context, name, NULL, F, less, NULL, NULL);
                F[b] = x + h, sn_rotation_evaluate(context, name, NULL, F, more, NULL, NULL);
                F[b] = x;
                for (int a = 0; a < 9; ++a) {
                    const double rate = (more[a] - less[a]) / (2 * h);
                    if (!(fabs(rate - dR[(9 * a + b) * SN_LANES]) < 1e-8))
                        fail_msg("%s: dR[%d][%d] is %g, by differences %g", name, a, b, dR[(9 * a + b) * SN_LANES],
                                 rate);
                }
            }
            ++derived;
        }
    }
    assert_true(derived >= 400);
    sn_context_destroy(context);
}

static void bad_input(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    sn_error error = {0};
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, R[9];
    assert_int_equal(sn_rotation_evaluate(context, "polr", NULL, F, R, NULL, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "polr"));
    assert_non_null(strstr(error.text, "'polar'"));
    F[4] = NAN;
    assert_int_equal(sn_rotation_evaluate(context, "polar", NULL, F, R, NULL, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "number 5"));
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polar_is_nearest),
        cmocka_unit_test(polar_recovers_rotation),
        cmocka_unit_test(others),
        cmocka_unit_test(derivative),
        cmocka_unit_test(derivative_is_finite),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(conformance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
