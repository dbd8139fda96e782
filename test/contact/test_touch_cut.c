/* Exact signs, cuts of triangles and curves: ties, grazing faces, degenerate triangles, random surfaces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/math3.h"
#include "contact/orientation.h"
#include "contact/touch_join.h"
#include "touch_bodies.h"

static sn_context *context;

static uint64_t seed = 1;
static double uniform(void) { /* -1 to 1 */
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) / 4503599627370496.0 - 1;
}

/* Points on a lattice of tiny integers shifted by a large one: products are exact in integers, not in doubles. */
static void test_signs(void **state) {
    (void)state;
    int zeros = 0, hard = 0;
    for (int i = 0; i < 200000; ++i) {
        double p[4][3];
        int64_t n[4][3];
        for (int k = 0; k < 12; ++k) {
            n[k / 3][k % 3] = (int64_t)floor(uniform() * 5);
            p[k / 3][k % 3] = ldexp((double)n[k / 3][k % 3], -40) + 1; /* exact: 2^-40 steps at 1 */
        }
        int64_t u[3], v[3], w[3];
        for (int k = 0; k < 3; ++k) u[k] = n[1][k] - n[0][k], v[k] = n[2][k] - n[0][k], w[k] = n[3][k] - n[0][k];
        const int64_t volume = u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
                               u[2] * (v[0] * w[1] - v[1] * w[0]);
        const int sign = (volume > 0) - (volume < 0);
        assert_int_equal(sn_orientation(p[0], p[1], p[2], p[3]), sign);
        assert_int_equal(sn_orientation(p[1], p[0], p[2], p[3]), -sign);
        const int64_t cross = u[1] * v[2] - u[2] * v[1];
        assert_int_equal(sn_cross_sign(p[0], p[1], p[0], p[2], 0), (cross > 0) - (cross < 0));
        zeros += volume == 0;
        /* Coordinates that differ in magnitude: the sign must not change when the same shift is inexact in products. */
        double big[4][3];
        for (int k = 0; k < 12; ++k) big[k / 3][k % 3] = (double)n[k / 3][k % 3] * 0x1p30 + (double)(k % 3);
        hard += sn_orientation(big[0], big[1], big[2], big[3]) != sign;
    }
    assert_true(zeros > 1000);
    assert_int_equal(hard, 0);
}

/* A point that is nearly in the plane: the double result is noise, the exact sign is that of the last bit. */
static void test_last_bit(void **state) {
    (void)state;
    int noise = 0;
    for (int i = 0; i < 1000; ++i) {
        double a[3], b[3], c[3], d[3];
        for (int k = 0; k < 3; ++k) a[k] = uniform(), b[k] = uniform(), c[k] = uniform();
        for (int k = 0; k < 3; ++k) d[k] = (a[k] + b[k] + c[k]) / 3;
        const int sign = sn_orientation(a, b, c, d);
        assert_int_equal(sn_orientation(b, c, a, d), sign);
        assert_int_equal(sn_orientation(b, a, c, d), -sign);
        assert_int_equal(sn_orientation(d, a, c, b), sign); /* an even permutation */
        const double plain = sn_volume6(a, b, c, d);
        noise += (plain > 0) - (plain < 0) != sign;
    }
    assert_true(noise > 100); /* the trial is hard enough */
}

/* All cuts by brute force, then the curves. Every curve must close. Returns the number of cuts. */
static int join_all(sn_touch_surface *a, sn_touch_surface *b, sn_touch_curves *curves, sn_touch_cut **all) {
    int count = 0, capacity = 64;
    sn_touch_cut *cut = malloc((size_t)capacity * sizeof *cut);
    for (int i = 0; i < a->triangle_count; ++i)
        for (int j = 0; j < b->triangle_count; ++j) {
            if (count == capacity) cut = realloc(cut, (size_t)(capacity *= 2) * sizeof *cut);
            count += sn_touch_cut_triangles(a, i, b, j, &cut[count]);
        }
    curves->context = context;
    assert_int_equal(sn_touch_join(a, b, cut, 0, count, curves, NULL), SN_OK);
    if (all)
        *all = cut;
    else
        free(cut);
    return count;
}

static void check_closed(touch_shape p, touch_shape q, int curves_expected) {
    sn_touch_surface *a = touch_surface(context, p, 0, 0), *b = touch_surface(context, q, 1, 0);
    sn_touch_curves curves = {0};
    const int cuts = join_all(a, b, &curves, NULL);
    int sum = 0;
    for (int i = 0; i < curves.count; ++i) {
        assert_true(curves.curve[i].closed);
        assert_true(curves.curve[i].count >= 3);
        sum += curves.curve[i].count;
    }
    assert_int_equal(sum, cuts);
    if (curves_expected >= 0) assert_int_equal(curves.count, curves_expected);
    sn_touch_curves_release(&curves);
    sn_touch_surface_destroy(a);
    sn_touch_surface_destroy(b);
}

/* Boxes with faces, edges and corners exactly on each other; sizes that are exact and sizes that are not. */
static void test_ties(void **state) {
    (void)state;
    for (int n = 1; n < 4; ++n)
        for (int way = 0; way < 27; ++way)
            for (int inexact = 0; inexact < 2; ++inexact) {
                const double x = way % 3 - 1, y = way / 3 % 3 - 1, z = way / 9 - 1, s = inexact ? 1.0 / 3 : 1;
                touch_shape a = touch_cube(2), b = touch_cube(n);
                touch_shape_place(&a, s, s, s, 0, 0, 0);
                touch_shape_place(&b, s, s, s, s * x, s * y, s * z);
                check_closed(a, b, -1);
                a = touch_cube(2), b = touch_cube(n);
                touch_shape_place(&a, s, s, s, 0, 0, 0);
                touch_shape_place(&b, s, s, s, 2 * s * x, 2 * s * y, 2 * s * z);
                check_closed(a, b, -1);
            }
}

/* Random closed surfaces with crumpled vertices (they intersect themselves, which does not matter here), partly snapped
 * to a coarse lattice so that ties are common, and with triangles that have lost their area. */
static void test_random(void **state) {
    (void)state;
    for (int trial = 0; trial < 60; ++trial) {
        touch_shape s[2] = {touch_ball(3), touch_cube(2)};
        for (int i = 0; i < 2; ++i)
            for (int k = 0; k < 3 * s[i].vertex_count; ++k) {
                const double x = s[i].position[k] + 0.4 * uniform() + 0.5 * i;
                s[i].position[k] = trial % 3 == 0 ? x : floor(x * 4) / 4;
            }
        if (trial % 3 == 2) memcpy(&s[1].position[3], &s[1].position[0], 3 * sizeof(double)); /* flat triangles */
        check_closed(s[0], s[1], -1);
    }
}

/* The vector area of the curve of a box that dips into a box: the normal is exact, the area is that of the overlap. */
static void test_vector_area(void **state) {
    (void)state;
    touch_shape upper = touch_cube(3);
    touch_shape_place(&upper, 0.5, 0.4, 0.5, 0.1, 0.05, 1.45); /* its bottom is at 0.95 */
    sn_touch_surface *a = touch_surface(context, upper, 0, 0), *b = touch_surface(context, touch_cube(4), 1, 0);
    sn_touch_curves curves = {0};
    assert_true(join_all(a, b, &curves, NULL) > 20);
    assert_int_equal(curves.count, 1);
    const sn_touch_curve *curve = curves.curve;
    assert_true(fabs(curve->vector_area[0]) < 1e-14 && fabs(curve->vector_area[1]) < 1e-14);
    assert_true(fabs(curve->vector_area[2] + 4 * 0.5 * 0.4) < 1e-14); /* out of A: down */
    assert_true(fabs(curve->length - 4 * 0.9) < 1e-14);
    sn_touch_curves_release(&curves);
    sn_touch_surface_destroy(a);
    sn_touch_surface_destroy(b);
}

/* A sheet through a box: the curve closes. A sheet whose rim ends in the box: it does not. */
static void test_open(void **state) {
    (void)state;
    for (int inside = 0; inside < 2; ++inside) {
        touch_shape sheet = touch_sheet(7);
        touch_shape_place(&sheet, 2, 2, 1, inside ? 1.5 : 0, 0.1, 0.3);
        sn_touch_surface *a = touch_surface(context, sheet, 0, 0), *b = touch_surface(context, touch_cube(3), 1, 0);
        sn_touch_curves curves = {0};
        assert_true(join_all(a, b, &curves, NULL) > 8);
        assert_int_equal(curves.count, 1);
        assert_true(curves.curve[0].closed == !inside);
        sn_touch_curves_release(&curves);
        sn_touch_surface_destroy(a);
        sn_touch_surface_destroy(b);
    }
}

static int set_up(void **state) {
    (void)state;
    return sn_context_create(NULL, &context, NULL);
}
static int tear_down(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signs),       cmocka_unit_test(test_last_bit),
                                       cmocka_unit_test(test_ties),        cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_vector_area), cmocka_unit_test(test_open)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
