/* The cases of test_simd_1.c, _2, _4 and _8: each lane of the vectors of simd.h does as the plain number does. The
 * including file sets SN_WIDTH. */
#ifndef SN_TEST_SIMD_CASES_H
#define SN_TEST_SIMD_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/math3.h"
#include "base/simd.h"

#define ALIGNED _Alignas(64)

static const double one[8] = {0.5, -2, 3, -0.0, 1e300, -7, 2.25, 4}, other[8] = {0.25, -3, 3, 1, -1e300, 8, -2.25, 0};

/* In two halves so that a vector reads its rows as kernels do, from aligned places. */
static vd load(const double p[8], int lane) {
    ALIGNED double row[8];
    memcpy(row, p, sizeof row);
    return vd_load(row + lane);
}

static void expect(vd a, int lane, const double wanted[8]) {
    for (int l = 0; l < SN_WIDTH; ++l)
        assert_memory_equal(&(double){a[l]}, &wanted[lane + l], sizeof(double)); /* the same bits */
}

#define EACH(name, expression)                                                                                         \
    static void name(void **state) {                                                                                   \
        (void)state;                                                                                                   \
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {                                                        \
            double wanted[8];                                                                                          \
            for (int l = 0; l < 8; ++l) {                                                                              \
                const double a = one[l], b = other[l];                                                                 \
                (void)a, (void)b;                                                                                      \
                wanted[l] = expression;                                                                                \
            }                                                                                                          \
            const vd a = load(one, lane), b = load(other, lane);                                                       \
            (void)b;                                                                                                   \
            expect(name##_vector(a, b), lane, wanted);                                                                 \
        }                                                                                                              \
    }

static inline vd test_select_vector(vd a, vd b) { return vd_select((vi)(a > b), a, vd_set(9)); }
static inline vd test_abs_vector(vd a, vd b) { return vd_abs(a); }
static inline vd test_min_vector(vd a, vd b) { return vd_min(a, b); }
static inline vd test_max_vector(vd a, vd b) { return vd_max(a, b); }
static inline vd test_sqrt_vector(vd a, vd b) { return vd_sqrt(vd_abs(a)); }
static inline vd test_copysign_vector(vd a, vd b) { return vd_copysign(a, b); }
EACH(test_select, a > b ? a : 9)
EACH(test_abs, fabs(a))
EACH(test_min, a < b ? a : b)
EACH(test_max, a > b ? a : b)
EACH(test_sqrt, sqrt(fabs(a)))
EACH(test_copysign, copysign(a, b))

/* The second one of two zeros counts, and the second one when one of the two is not a number. */
static void test_min_and_max_of_no_numbers(void **state) {
    (void)state;
    const vd zero = vd_set(0.0), minus = vd_set(-0.0), none = vd_set(NAN), some = vd_set(1);
    for (int l = 0; l < SN_WIDTH; ++l) {
        assert_true(signbit(vd_min(zero, minus)[l]) && signbit(vd_max(zero, minus)[l]));
        assert_false(signbit(vd_min(minus, zero)[l]) || signbit(vd_max(minus, zero)[l]));
        assert_true(vd_min(none, some)[l] == 1 && vd_max(none, some)[l] == 1);
        assert_true(isnan(vd_min(some, none)[l]) && isnan(vd_max(some, none)[l]));
    }
}

static void test_store(void **state) {
    (void)state;
    ALIGNED double out[8] = {0};
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) vd_store(out + lane, load(one, lane));
    assert_memory_equal(out, one, sizeof out);
}

/* Masks: one lane is enough for any, and one is missing for all. */
static void test_masks(void **state) {
    (void)state;
    const vi none = (vi)(vd_set(0) > vd_set(1));
    assert_false(vi_any(none));
    assert_false(vi_all(none));
    assert_true(vi_all(~none));
    for (int l = 0; l < SN_WIDTH; ++l) {
        vi mask = none;
        mask[l] = -1;
        assert_true(vi_any(mask));
        assert_int_equal(vi_all(mask), SN_WIDTH == 1);
        assert_int_equal(vi_all(~mask), 0);
        assert_int_equal(vi_any(~mask), SN_WIDTH != 1);
    }
}

/* Nodes in any order, the first and the last of the array among them: nothing before or behind it is read into a lane.
 */
static void test_gather_and_pairs(void **state) {
    (void)state;
    enum { NODES = 9 };
    double node[3 * NODES];
    for (int i = 0; i < 3 * NODES; ++i) node[i] = 100 + i;
    const int32_t index[8] = {8, 0, 3, 3, 7, 1, 0, 5};
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        vd x[3];
        vd_gather3(node, index + lane, x);
        ALIGNED double pair[SN_WIDTH][2];
        vd_pairs(x[0], x[1], pair);
        const vd second = vd_gather(node + 1, index + lane, 3);
        for (int l = 0; l < SN_WIDTH; ++l) {
            for (int a = 0; a < 3; ++a) assert_true(x[a][l] == 100 + 3 * index[lane + l] + a);
            for (int a = 0; a < 2; ++a) assert_true(pair[SN_PAIR(l)][a] == x[a][l]);
            assert_true(second[l] == x[1][l]);
        }
        /* Three numbers of each node, nodes nine numbers apart: the second rows of three matrices. */
        const int32_t matrix[8] = {2, 0, 1, 1, 0, 2, 2, 1};
        vd row[3];
        vd_gather_rows(node + 3, matrix + lane, 9, row);
        for (int l = 0; l < SN_WIDTH; ++l)
            for (int a = 0; a < 3; ++a) assert_true(row[a][l] == 100 + 9 * matrix[lane + l] + 3 + a);
    }
}

/* A different matrix in every lane, against plain numbers. */
static void matrices(vd a[9], double plain[SN_WIDTH][9], int seed) {
    for (int l = 0; l < SN_WIDTH; ++l)
        for (int i = 0; i < 9; ++i) a[i][l] = plain[l][i] = ((seed + 7 * l + 5 * i + i * i * (l + 1)) % 23 - 11) / 4.0;
}

static void test_products(void **state) {
    (void)state;
    vd a[9], b[9], ab[9], atb[9], abt[9];
    double p[SN_WIDTH][9], q[SN_WIDTH][9];
    matrices(a, p, 1);
    matrices(b, q, 6);
    vm_multiply(a, b, ab);
    vm_transpose_multiply(a, b, atb);
    vm_multiply_transpose(a, b, abt);
    const vd dot = vm_dot(a, b), trace = vm_trace(a);
    for (int l = 0; l < SN_WIDTH; ++l) { /* quarters: exact in any order */
        double sum = 0;
        for (int i = 0; i < 9; ++i) sum += p[l][i] * q[l][i];
        assert_true(dot[l] == sum);
        assert_true(trace[l] == p[l][0] + p[l][4] + p[l][8]);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double plain = 0, first = 0, second = 0;
                for (int k = 0; k < 3; ++k) {
                    plain += p[l][3 * i + k] * q[l][3 * k + j];
                    first += p[l][3 * k + i] * q[l][3 * k + j];
                    second += p[l][3 * i + k] * q[l][3 * j + k];
                }
                assert_true(ab[3 * i + j][l] == plain);
                assert_true(atb[3 * i + j][l] == first);
                assert_true(abt[3 * i + j][l] == second);
            }
    }
}

/* a cof(a)^T = det(a) 1, and the determinant is that of math3.h. */
static void test_cofactors(void **state) {
    (void)state;
    vd a[9], cofactor[9], product[9];
    double p[SN_WIDTH][9];
    matrices(a, p, 3);
    vm_cofactor(a, cofactor);
    vm_multiply_transpose(a, cofactor, product);
    const vd determinant = vm_determinant(a);
    for (int l = 0; l < SN_WIDTH; ++l) {
        assert_true(determinant[l] == sn_determinant3(p[l]));
        assert_true(determinant[l] != 0);
        for (int i = 0; i < 9; ++i) assert_true(product[i][l] == (i % 4 == 0 ? determinant[l] : 0));
    }
}

static const struct CMUnitTest simd_tests[] = {
    cmocka_unit_test(test_select),
    cmocka_unit_test(test_abs),
    cmocka_unit_test(test_min),
    cmocka_unit_test(test_max),
    cmocka_unit_test(test_sqrt),
    cmocka_unit_test(test_copysign),
    cmocka_unit_test(test_min_and_max_of_no_numbers),
    cmocka_unit_test(test_store),
    cmocka_unit_test(test_masks),
    cmocka_unit_test(test_gather_and_pairs),
    cmocka_unit_test(test_products),
    cmocka_unit_test(test_cofactors),
};

#endif
