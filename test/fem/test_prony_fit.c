/* Fits of Prony series: a known series from its own curve, constant Q with falling errors, bad data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "sinew/fit.h"

enum { POINTS = 80 };

static const sn_fit known = {.long_term = 2000, .count = 3, .modulus = {9e3, 4e3, 1.5e3}, .time = {0.004, 0.09, 2.5}};

static void recovered(const sn_fit *fit) {
    assert_int_equal(fit->count, known.count);
    assert_true(fabs(fit->long_term / known.long_term - 1) < 0.01);
    for (int i = 0; i < known.count; ++i) {
        assert_true(fabs(fit->modulus[i] / known.modulus[i] - 1) < 0.01);
        assert_true(fabs(fit->time[i] / known.time[i] - 1) < 0.01);
    }
}

static void test_known(void **state) {
    (void)state;
    double x[POINTS], a[POINTS], b[POINTS];
    sn_fit fit;
    for (int terms = 0; terms <= 3; terms += 3) {
        for (int i = 0; i < POINTS; ++i) {
            x[i] = 1e-4 * pow(1e6, i / (POINTS - 1.0));
            a[i] = sn_fit_relaxed(&known, x[i]);
        }
        assert_int_equal(sn_fit_relaxation(POINTS, x, a, terms, 1e-6, &fit, NULL), SN_OK);
        recovered(&fit);
        x[0] = 0, a[0] = sn_fit_relaxed(&known, 0); /* measured curves often begin at time 0 */
        assert_int_equal(sn_fit_relaxation(POINTS, x, a, terms, 1e-6, &fit, NULL), SN_OK);
        recovered(&fit);
        for (int i = 0; i < POINTS; ++i) {
            x[i] = 1e-2 * pow(1e5, i / (POINTS - 1.0));
            sn_fit_modulus(&known, x[i], &a[i], &b[i]);
        }
        assert_int_equal(sn_fit_frequency(POINTS, x, a, b, terms, 1e-6, &fit, NULL), SN_OK);
        recovered(&fit);
    }
}

static void test_constant_q(void **state) {
    (void)state;
    double last = INFINITY, last_q = INFINITY;
    for (int terms = 2; terms <= 5; ++terms) {
        sn_fit fit;
        assert_int_equal(sn_fit_constant_q(4.8, 2500, 2, 0.1, 1e4, terms, 0, &fit, NULL), SN_OK);
        double worst = 0;
        for (int i = 0; i <= 100; ++i) {
            double storage, loss;
            sn_fit_modulus(&fit, 0.1 * pow(1e5, i / 100.0), &storage, &loss);
            worst = fmax(worst, fabs(storage / loss / 4.8 - 1));
        }
        print_message("%d terms: error %.4f, worst %.4f, of Q %.3f\n", terms, fit.error, fit.worst, worst);
        assert_true(fit.error < 0.75 * last && worst < last_q);
        last = fit.error, last_q = worst;
        for (int i = 0; i < terms; ++i) assert_true(fit.modulus[i] > 0 && fit.time[i] > 0);
    }
    assert_true(last < 0.02);
    double storage, loss;
    sn_constant_q_modulus(4.8, 2500, 2, 2, &storage, &loss);
    assert_true(fabs(hypot(storage, loss) - 2500) < 1e-9 && fabs(storage / loss - 4.8) < 1e-9);
}

static void refused(sn_status status, const sn_error *error, const char *word) {
    assert_int_equal(status, SN_BAD_INPUT);
    if (!strstr(error->text, word)) fail_msg("'%s' lacks '%s'", error->text, word);
}

static void test_bad_data(void **state) {
    (void)state;
    sn_error error = {0};
    sn_fit fit;
    double x[4] = {1, 2, 3, 4}, y[4] = {4, 3, 2, 1}, z[4] = {1, 1, 1, 1};
    refused(sn_fit_relaxation(4, x, y, 2, 0, &fit, &error), &error, "too few");
    refused(sn_fit_relaxation(4, x, y, 9, 0, &fit, &error), &error, "1 to 8");
    refused(sn_fit_constant_q(4.8, 2500, 2, 10, 1, 3, 0, &fit, &error), &error, "band");
    refused(sn_fit_constant_q(-1, 2500, 2, 1, 10, 3, 0, &fit, &error), &error, "q is -1");
    const double rising[4] = {1, 2, 3, 4}, drifting[4] = {1, 1.001, 1.002, 1.003};
    refused(sn_fit_relaxation(4, x, rising, 1, 0, &fit, &error), &error, "point 4: the curve rises");
    assert_string_equal(error.path, "point 4");
    assert_int_equal(sn_fit_relaxation(4, x, drifting, 1, 0, &fit, &error), SN_OK);
    x[0] = -1;
    refused(sn_fit_relaxation(4, x, y, 1, 0, &fit, &error), &error, "point 1: the time is -1");
    x[0] = 0;
    refused(sn_fit_frequency(4, x, y, z, 1, 0, &fit, &error), &error, "point 1: the frequency is 0");
    x[0] = 1, x[2] = 1.5;
    refused(sn_fit_relaxation(4, x, y, 1, 0, &fit, &error), &error, "sorted");
    x[2] = 3, y[3] = -1;
    refused(sn_fit_relaxation(4, x, y, 1, 0, &fit, &error), &error, "point 4: the modulus is -1");
    refused(sn_fit_frequency(4, x, z, y, 1, 0, &fit, &error), &error, "loss modulus");
    y[3] = NAN;
    refused(sn_fit_relaxation(4, x, y, 1, 0, &fit, &error), &error, "finite");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_constant_q),
                                       cmocka_unit_test(test_bad_data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
