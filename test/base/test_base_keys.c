/* Values given at times: linear between, constant outside, and the rate that belongs to them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/keys.h"

static const double key[] = {1, 0, 10, -4, /* */ 3, 4, 10, -8, /* */ 4, 4, 0, -8};

static void expect(const double *keys, int count, double t, const double value[3], const double rate[3]) {
    double v[3] = {NAN, NAN, NAN}, r[3] = {NAN, NAN, NAN};
    sn_keys_at(keys, count, t, v, r);
    for (int a = 0; a < 3; ++a) {
        assert_true(fabs(v[a] - value[a]) < 1e-14);
        assert_true(fabs(r[a] - rate[a]) < 1e-14);
    }
}

static void test_between(void **state) {
    (void)state;
    expect(key, 3, 1.5, (double[]){1, 10, -5}, (double[]){2, 0, -2});
    expect(key, 3, 2, (double[]){2, 10, -6}, (double[]){2, 0, -2});
    expect(key, 3, 3.25, (double[]){4, 7.5, -8}, (double[]){0, -10, 0});
}

/* At a key: its value, bit for bit, with the rate of the piece that ends there. */
static void test_at_a_key(void **state) {
    (void)state;
    double v[3], r[3];
    sn_keys_at(key, 3, 3, v, r);
    assert_true(v[0] == 4 && v[1] == 10 && v[2] == -8);
    assert_true(r[0] == 2 && r[1] == 0 && r[2] == -2);
    sn_keys_at(key, 3, 4, v, r);
    assert_true(v[0] == 4 && v[1] == 0 && v[2] == -8);
    assert_true(r[0] == 0 && r[1] == -10 && r[2] == 0);
    const double small[] = {0, 1, 1, 1, 0.3, 1e-17, 0.7, 1.0 / 3}; /* 1 + (1e-17 - 1) is 0 */
    sn_keys_at(small, 2, 0.3, v, r);
    assert_true(v[0] == 1e-17 && v[1] == 0.7 && v[2] == 1.0 / 3);
}

static void test_outside(void **state) {
    (void)state;
    expect(key, 3, 0, (double[]){0, 10, -4}, (double[]){0, 0, 0});
    expect(key, 3, 1, (double[]){0, 10, -4}, (double[]){0, 0, 0});
    expect(key, 3, 100, (double[]){4, 0, -8}, (double[]){0, 0, 0});
    expect(key, 1, 0, (double[]){0, 10, -4}, (double[]){0, 0, 0});
    expect(key, 1, 2, (double[]){0, 10, -4}, (double[]){0, 0, 0});
    expect(NULL, 0, 2, (double[]){0, 0, 0}, (double[]){0, 0, 0});
}

/* Two keys at one time are a jump: before it the first, after it the second, never a division by zero. */
static void test_jump(void **state) {
    (void)state;
    const double jump[] = {0, 0, 0, 0, 1, 1, 0, 0, 1, 5, 0, 0, 2, 6, 0, 0};
    expect(jump, 4, 0.5, (double[]){0.5, 0, 0}, (double[]){1, 0, 0});
    expect(jump, 4, 1, (double[]){1, 0, 0}, (double[]){1, 0, 0});
    expect(jump, 4, 1.5, (double[]){5.5, 0, 0}, (double[]){1, 0, 0});
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_between), cmocka_unit_test(test_at_a_key),
                                       cmocka_unit_test(test_outside), cmocka_unit_test(test_jump)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
