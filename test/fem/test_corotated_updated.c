/* The law corotated-updated: no torque with any rotation, rest, the exact differential against differences, the
 * truncated one at rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/math3.h"
#include "fem/batch.h"
#include "fem/point_kernels.h"

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

/* One tet with Nesme's frame: it follows the edges ab and ac, wherever the axes of space lie; the matrix of the
 * gradients of the present shape is the same by Nesme's 14 multiplications as by cof(F); damping exerts no torque. */
static void nesme_element(void **state) {
    sn_context *context = *state;
    static const char *const rotation[] = {"qr", "edge"};
    for (int n = 0; n < 40; ++n) {
        double rest[12] = {0, 0, 0, 1, 0.2, 0.1, 0.1, 0.9, 0, 0.3, 0.2, 1.1}, x[12], v[12], u[12], K[2][12], f[12],
               turn[9], size = 0;
        sn_axis_rotation3((double[3]){1, 2, -1}, 37 * n, turn);
        for (int i = 0; i < 12; ++i) {
            x[i] = rest[i] + (n % 4 == 3 ? 1 : 0.3) * noise(100 * n + i);
            v[i] = noise(100 * n + 20 + i), u[i] = noise(100 * n + 40 + i);
        }
        for (int i = 0; i < 4 && n % 2; ++i) {
            double turned[3];
            sn_multiply_vector3(turn, rest + 3 * i, turned);
            for (int a = 0; a < 3; ++a) rest[3 * i + a] = turned[a];
        }
        for (int r = 0; r < 2; ++r) {
            sn_material material = sn_material_default();
            snprintf(material.law, sizeof material.law, "corotated-updated");
            snprintf(material.rotation, sizeof material.rotation, "%s", rotation[r]);
            const int32_t node[4] = {0, 1, 2, 3}, of = 0;
            const sn_batch_source source = {.element = &sn_element_tet4,
                                            .element_count = 1,
                                            .node = node,
                                            .rest = rest,
                                            .material = &of,
                                            .materials = &material,
                                            .material_count = 1,
                                            .name = "tet"};
            sn_elements_model model;
            sn_element_settings settings;
            assert_int_equal(sn_elements_compile(context, &source, 1, 4, &model, NULL), SN_OK);
            assert_int_equal(sn_element_settings_create(context, &model, &material, 0, &settings, NULL), SN_OK);
            const sn_element_view view = {.settings = &settings, .x = x, .v = v};
            memset(K[r], 0, sizeof K[r]);
            sn_elements_product(context, &model, &view, 2, 0.3, NULL, u, K[r]);
            memset(f, 0, sizeof f);
            assert_int_equal(sn_elements_force(context, &model, &view, f, NULL), SN_OK);
            double torque[3] = {0}, part[3];
            for (int i = 0; i < 4; ++i) {
                sn_cross3(x + 3 * i, f + 3 * i, part);
                for (int a = 0; a < 3; ++a) torque[a] += part[a], size = fmax(size, fabs(f[3 * i + a]));
            }
            assert_true(sn_norm3(torque) < 1e-11 * size);
            if (r == 1) {
                _Alignas(64) double R[9 * SN_LANES];
                sn_element_kernels_for(context)->rotation(&model.batch[0], 0, &view, R);
                double edge[3], now[3], turned[3] = {0};
                for (int a = 0; a < 3; ++a) edge[a] = rest[3 + a] - rest[a], now[a] = x[3 + a] - x[a];
                for (int a = 0; a < 9; ++a) turned[a / 3] += R[a * SN_LANES] * edge[a % 3];
                sn_cross3(turned, now, part); /* R turns ab at rest into the direction of ab now */
                assert_true(sn_norm3(part) < 1e-13 * sn_norm3(edge) * sn_norm3(now) && sn_dot3(turned, now) > 0);
            }
            sn_element_settings_release(context, &settings);
            sn_elements_release(context, &model);
        }
        for (int i = 0; i < 12; ++i) size = fmax(size, fabs(K[0][i]));
        for (int i = 0; i < 12; ++i) assert_true(fabs(K[0][i] - K[1][i]) < 1e-12 * size);
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
                                       cmocka_unit_test(exact_differential), cmocka_unit_test(nesme_element)};
    return cmocka_run_group_tests(tests, start, end);
}
