/* The law corotated-updated: no torque with any rotation, rest, the exact differential against differences, the
 * truncated one at rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/math3.h"
#include "fem/law.h"
#include "fem/point.h"

static double noise(int i) {
    uint32_t h = (uint32_t)i * 2654435761u + 12345u;
    h ^= h >> 15, h *= 2246822519u, h ^= h >> 13, h *= 3266489917u, h ^= h >> 16;
    return (double)h / 2147483648.0 - 1;
}

static const double constant[2] = {3000, 1000}; /* lambda, mu */

static void evaluate(sn_context *context, const char *law, const char *rotation, sn_differential kind,
                     const double F[9], double *psi, double P[9], double dP[81]) {
    _Alignas(64) double f[9 * SN_LANES], e[SN_LANES], p[9 * SN_LANES], d[81 * SN_LANES];
    for (int i = 0; i < 9 * SN_LANES; ++i) f[i] = F[i / SN_LANES];
    sn_point_kernels_for(context)->law(sn_law_find(context, law), sn_rotation_find(context, rotation),
                                       (const double[2]){0.1, 3}, kind, constant, f, e, p, dP ? d : NULL);
    if (psi) *psi = e[3];
    for (int i = 0; i < 9; ++i) P[i] = p[i * SN_LANES + 3];
    for (int i = 0; i < 81 && dP; ++i) dP[i] = d[i * SN_LANES + 3];
}

static double torque_of(const double F[9], const double P[9]) {
    double worst = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j) {
            double a = 0, b = 0;
            for (int k = 0; k < 3; ++k) a += P[3 * i + k] * F[3 * j + k], b += P[3 * j + k] * F[3 * i + k];
            worst = fmax(worst, fabs(a - b));
        }
    return worst;
}

/* P F^T is symmetric: also with qr, where that of the stale matrix is not. */
static void no_torque(void **state) {
    sn_context *context = *state;
    double stale = 0;
    for (int n = 0; n < 50; ++n) {
        double F[9], P[9];
        for (int i = 0; i < 9; ++i) F[i] = (i % 4 == 0 ? 1 : 0) + 0.8 * noise(9 * n + i);
        for (int r = 0; r < 2; ++r) {
            evaluate(context, "corotated-updated", r ? "polar" : "qr", SN_DIFFERENTIAL_TRUNCATED_2, F, NULL, P, NULL);
            assert_true(torque_of(F, P) < 1e-10);
        }
        evaluate(context, "corotated", "qr", SN_DIFFERENTIAL_TRUNCATED_2, F, NULL, P, NULL);
        stale = fmax(stale, torque_of(F, P));
    }
    assert_true(stale > 100);
}

static void rest_and_rotation(void **state) {
    sn_context *context = *state;
    double R[9], P[9], psi, dP[81], dL[81];
    for (int k = 0; k < 2; ++k) {
        sn_axis_rotation3((double[3]){1, -1, 2}, k ? 0 : 130, R);
        evaluate(context, "corotated-updated", "qr", SN_DIFFERENTIAL_TRUNCATED_2, R, &psi, P, dP);
        assert_true(fabs(psi) < 1e-10);
        for (int i = 0; i < 9; ++i) assert_float_equal(P[i], 0, 1e-10);
    }
    evaluate(context, "corotated", "polar", SN_DIFFERENTIAL_TRUNCATED_2, R, NULL, P, dL); /* R = I now */
    for (int i = 0; i < 81; ++i) assert_float_equal(dP[i], dL[i], 1e-9);
}

static void exact_differential(void **state) {
    sn_context *context = *state;
    for (int n = 0; n < 10; ++n) {
        double F[9], P[9], Q[9], dP[81];
        for (int i = 0; i < 9; ++i) F[i] = (i % 4 == 0 ? 1 : 0) + 0.3 * noise(9 * n + i);
        evaluate(context, "corotated-updated", "polar", SN_DIFFERENTIAL_EXACT, F, NULL, P, dP);
        for (int b = 0; b < 9; ++b) {
            const double h = 1e-6, keep = F[b];
            F[b] = keep + h;
            evaluate(context, "corotated-updated", "polar", SN_DIFFERENTIAL_EXACT, F, NULL, P, NULL);
            F[b] = keep - h;
            evaluate(context, "corotated-updated", "polar", SN_DIFFERENTIAL_EXACT, F, NULL, Q, NULL);
            F[b] = keep;
            for (int a = 0; a < 9; ++a) assert_float_equal(dP[9 * a + b], (P[a] - Q[a]) / (2 * h), 2e-3);
        }
    }
}

static int start(void **state) {
    const sn_context_options options = sn_context_options_default();
    return sn_context_create(&options, (sn_context **)state, NULL);
}
static int end(void **state) {
    sn_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_torque), cmocka_unit_test(rest_and_rotation),
                                       cmocka_unit_test(exact_differential)};
    return cmocka_run_group_tests(tests, start, end);
}
