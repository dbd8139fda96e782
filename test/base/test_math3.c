/* 3-vectors and 3x3 matrices against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math3.h"

static void expect(const double *a, const double *b, int count, double tolerance) {
    for (int i = 0; i < count; ++i)
        if (!(fabs(a[i] - b[i]) <= tolerance)) fail_msg("number %d is %.17g and not %.17g", i, a[i], b[i]);
}

static void test_products(void **state) {
    (void)state;
    const double a[3] = {1, 2, 3}, b[3] = {-4, 5, 0.5};
    double c[3], alias[3] = {1, 2, 3};
    assert_true(sn_dot3(a, b) == 7.5);
    assert_true(sn_norm3((double[]){2, -3, 6}) == 7);
    sn_cross3(a, b, c);
    expect(c, (double[]){-14, -12.5, 13}, 3, 0);
    sn_cross3(alias, b, alias); /* in place */
    expect(alias, c, 3, 0);
    sn_subtract3(a, b, c);
    expect(c, (double[]){5, -3, 2.5}, 3, 0);
    sn_multiply_vector3((double[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, a, c); /* rows */
    expect(c, (double[]){14, 32, 50}, 3, 0);
}

/* A right-handed corner: normal along +z, positive volume; swapping two corners turns both around. */
static void test_area_and_volume(void **state) {
    (void)state;
    const double o[3] = {1, 1, 1}, x[3] = {3, 1, 1}, y[3] = {1, 4, 1}, z[3] = {1, 1, 5};
    double n[3];
    sn_area_vector3(o, x, y, n);
    expect(n, (double[]){0, 0, 6}, 3, 0);
    sn_area_vector3(o, y, x, n);
    expect(n, (double[]){0, 0, -6}, 3, 0);
    assert_true(sn_volume6(o, x, y, z) == 24);
    assert_true(sn_volume6(o, y, x, z) == -24);
}

static void test_inverse(void **state) {
    (void)state;
    const double m[9] = {2, -1, 0.5, 3, 4, -2, 1, 0.25, 5};
    double inverse[9], identity[9];
    const double determinant = sn_inverse3(m, inverse);
    /* 2 (20 + 0.5) + 1 (15 + 2) + 0.5 (0.75 - 4) */
    assert_true(fabs(determinant - 56.375) < 1e-13);
    assert_true(sn_determinant3(m) == determinant);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            identity[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k) identity[3 * i + j] += m[3 * i + k] * inverse[3 * k + j];
        }
    expect(identity, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9, 1e-15);
    sn_inverse3((double[]){0, 0, 4, 2, 0, 0, 0, 5, 0}, inverse);
    expect(inverse, (double[]){0, 0.5, 0, 0, 0, 0.2, 0.25, 0, 0}, 9, 0);
}

static void test_singular_matrix_leaves_the_inverse(void **state) {
    (void)state;
    double out[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const double before[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_true(sn_inverse3((double[]){1, 2, 3, 2, 4, 6, 1, 0, 1}, out) == 0);
    expect(out, before, 9, 0);
}

static void test_inverse_in_place(void **state) {
    (void)state;
    double m[9] = {2, 0, 0, 0, 4, 0, 0, 1, 8};
    sn_inverse3(m, m);
    expect(m, (double[]){0.5, 0, 0, 0, 0.25, 0, 0, -0.03125, 0.125}, 9, 0);
}

static void test_rotations(void **state) {
    (void)state;
    double r[9], out[3];
    sn_axis_rotation3((double[]){0, 0, 7}, 90, r); /* x to y, whatever the length of the axis */
    expect(r, (double[]){0, -1, 0, 1, 0, 0, 0, 0, 1}, 9, 1e-15);
    sn_axis_rotation3((double[]){1, 1, 1}, 120, r); /* x to y to z to x */
    expect(r, (double[]){0, 0, 1, 1, 0, 0, 0, 1, 0}, 9, 1e-15);
    sn_axis_rotation3((double[]){0, -2, 0}, 180, r);
    expect(r, (double[]){-1, 0, 0, 0, 1, 0, 0, 0, -1}, 9, 1e-15);
    sn_axis_rotation3((double[]){0.3, -0.2, 0.9}, 0, r);
    expect(r, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9, 0);

    /* Any axis: it stays where it is, the trace is 1 + 2 cos, the matrix is orthogonal and proper. */
    const double axis[3] = {0.3, -0.2, 0.9};
    sn_axis_rotation3(axis, 37, r);
    sn_multiply_vector3(r, axis, out);
    expect(out, axis, 3, 1e-15);
    assert_true(fabs(r[0] + r[4] + r[8] - 1 - 2 * cos(37 * acos(-1.0) / 180)) < 1e-14);
    assert_true(fabs(sn_determinant3(r) - 1) < 1e-14);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) assert_true(fabs(sn_dot3(r + 3 * i, r + 3 * j) - (i == j)) < 1e-14);
}

static void test_roots(void **state) {
    (void)state;
    assert_true(sn_hypotenuse(3, -4) == 5 && sn_hypotenuse(0, 0) == 0 && sn_hypotenuse(0, -2) == 2);
    assert_true(sn_hypotenuse(3e300, 4e300) == 5e300 && sn_hypotenuse(5e-320, 0) == 5e-320);
    assert_true(isnan(sn_hypotenuse(NAN, 1)) && isnan(sn_hypotenuse(1, NAN)) && isinf(sn_hypotenuse(-INFINITY, 1)));
    for (int i = -300; i <= 300; ++i) {
        const double a = (1 + 0.37 * abs(i % 7)) * pow(10, i);
        assert_true(fabs(sn_cube_root(a) - cbrt(a)) <= 4.5e-16 * cbrt(a)); /* a last digit of each */
        assert_true(sn_cube_root(-a) == -sn_cube_root(a));
        assert_true(fabs(sn_hypotenuse(a, 1) - hypot(a, 1)) <= 4e-16 * hypot(a, 1));
    }
    assert_true(sn_cube_root(0) == 0 && isnan(sn_cube_root(NAN)) && isinf(sn_cube_root(INFINITY)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_area_and_volume),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_singular_matrix_leaves_the_inverse),
        cmocka_unit_test(test_inverse_in_place),
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
