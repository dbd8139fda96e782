/* Loads: ramps, consistent shares, and the linearisation of what follows the surface against central differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/math3.h"
#include "fem/load.h"

static const double rest6[18] = {0, 0, 0, 1.2, 0.1, 0, 0.2, 0.9, 0.3, 0.6, 0.05, 0, 0.7, 0.5, 0.15, 0.1, 0.45, 0.15};
static const int32_t face6[6] = {0, 1, 2, 3, 4, 5};

/* A bent, stretched and turned place of the six nodes. */
static void bend(const double *rest, double *x) {
    double R[9];
    const double axis[3] = {0.3, -1, 0.5};
    sn_axis_rotation3(axis, 70, R);
    for (int i = 0; i < 6; ++i) {
        double p[3] = {rest[3 * i] * 1.3 + 0.02 * i * i, rest[3 * i + 1] * 0.8 - 0.03 * i,
                       rest[3 * i + 2] + 0.05 * sin(3.0 * i)};
        sn_multiply_vector3(R, p, x + 3 * i);
    }
}

static void close_to(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) {
        print_message("%.17g, expected %.17g\n", a, b);
        fail();
    }
}

static sn_load_term make(sn_context *context, sn_load_kind kind, int nodes, bool follow) {
    sn_load load = {.kind = kind, .value = {3, -2, 5}, .scalar = 7, .follow = follow};
    sn_load_term term;
    assert_int_equal(sn_load_surface(context, &load, 1, nodes, face6, 6, rest6, &term, NULL), SN_OK);
    return term;
}

static void test_linearisation(void **state) {
    sn_context *context = *state;
    static const sn_load_kind kinds[] = {SN_LOAD_PRESSURE, SN_LOAD_TRACTION, SN_LOAD_FORCE, SN_LOAD_SHEAR};
    for (int n = 3; n <= 6; n += 3)
        for (int k = 0; k < 4; ++k) {
            sn_load_term term = make(context, kinds[k], n, true);
            double x[18], value[36 * 9];
            int32_t row[36], column[36];
            bend(rest6, x);
            assert_int_equal(sn_load_blocks(&term, 0.7, x, false, row, column, value), n * n);
            assert_int_equal(sn_load_block_count(&term), n * n);
            for (int j = 0; j < 3 * n; ++j) {
                const double h = 1e-6, keep = x[j];
                double plus[18] = {0}, minus[18] = {0};
                x[j] = keep + h;
                sn_load_force(&term, 0.7, x, plus);
                x[j] = keep - h;
                sn_load_force(&term, 0.7, x, minus);
                x[j] = keep;
                for (int b = 0; b < n * n; ++b)
                    for (int r = 0; r < 3 && column[b] == j / 3; ++r)
                        close_to(value[9 * b + 3 * (j % 3) + r],
                                 -(plus[3 * row[b] + r] - minus[3 * row[b] + r]) / (2 * h), 1e-8);
            }
            sn_load_release(context, &term);
        }
}

static void test_symmetric_part(void **state) {
    sn_context *context = *state;
    sn_load_term term = make(context, SN_LOAD_TRACTION, 3, true);
    double x[18], exact[81], half[81];
    int32_t row[9], column[9];
    bend(rest6, x);
    sn_load_blocks(&term, 1, x, false, row, column, exact);
    sn_load_blocks(&term, 1, x, true, row, column, half);
    double differs = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    const double a = exact[9 * (3 * i + j) + 3 * c + r], b = exact[9 * (3 * j + i) + 3 * r + c];
                    close_to(half[9 * (3 * i + j) + 3 * c + r], 0.5 * (a + b), 1e-15);
                    differs = fmax(differs, fabs(a - b));
                }
    assert_true(differs > 1e-3);
    sn_load_release(context, &term);
}

/* At rest a following load is the dead one; turned rigidly, it turns along. */
static void test_follow_turns(void **state) {
    sn_context *context = *state;
    static const sn_load_kind kinds[] = {SN_LOAD_PRESSURE, SN_LOAD_TRACTION, SN_LOAD_FORCE, SN_LOAD_SHEAR};
    double R[9], x[18];
    const double axis[3] = {1, 2, -1};
    sn_axis_rotation3(axis, 130, R);
    for (int i = 0; i < 6; ++i) {
        sn_multiply_vector3(R, rest6 + 3 * i, x + 3 * i);
        x[3 * i] += 4;
    }
    for (int n = 3; n <= 6; n += 3)
        for (int k = 0; k < 4; ++k) {
            sn_load_term dead = make(context, kinds[k], n, false), follow = make(context, kinds[k], n, true);
            double a[18] = {0}, b[18] = {0}, c[18] = {0};
            sn_load_force(&dead, 1, rest6, a);
            sn_load_force(&follow, 1, rest6, b);
            sn_load_force(&follow, 1, x, c);
            for (int i = 0; i < 6; ++i) {
                double turned[3];
                sn_multiply_vector3(R, a + 3 * i, turned);
                for (int d = 0; d < 3; ++d) {
                    close_to(b[3 * i + d], a[3 * i + d], 1e-14);
                    close_to(c[3 * i + d], turned[d], 1e-14);
                }
            }
            sn_load_release(context, &dead);
            sn_load_release(context, &follow);
        }
}

/* Constant traction: thirds on three nodes; nothing at the corners and thirds at the middles of six. */
/* Four shear loads on the sides of a block balance, in force and in moment, in every uniform deformation of its plane:
 * their areas and directions follow the sides. The sides have unequal triangles. */
static void test_shear_balances(void **state) {
    sn_context *context = *state;
    static const double corner[27] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,   0,  0,
                                      1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 0.3, 0.6};
    static const int32_t right[12] = {1, 2, 8, 2, 6, 8, 6, 5, 8, 5, 1, 8}, left[6] = {0, 4, 7, 0, 7, 3};
    static const int32_t top[6] = {2, 3, 7, 2, 7, 6}, bottom[6] = {0, 1, 4, 1, 5, 4};
    static const struct {
        const int32_t *face;
        int count;
        double value[3];
    } side[4] = {{right, 4, {0, 2, 0}}, {left, 2, {0, -2, 0}}, {top, 2, {2, 0, 0}}, {bottom, 2, {-2, 0, 0}}};
    double x[27], R[9], force[27] = {0}, sum[3] = {0}, moment[3] = {0}, size = 0;
    sn_axis_rotation3((const double[3]){0, 0, 1}, 25, R);
    for (int i = 0; i < 9; ++i) {
        const double *X = corner + 3 * i, p[3] = {1.1 * X[0] + 0.3 * X[1], 0.1 * X[0] + 0.8 * X[1], X[2]};
        sn_multiply_vector3(R, p, x + 3 * i);
    }
    for (int k = 0; k < 4; ++k) {
        sn_load load = {.kind = SN_LOAD_SHEAR, .follow = true};
        sn_load_term term;
        memcpy(load.value, side[k].value, sizeof side[k].value);
        assert_int_equal(sn_load_surface(context, &load, side[k].count, 3, side[k].face, 9, corner, &term, NULL),
                         SN_OK);
        sn_load_force(&term, 1, x, force);
        sn_load_release(context, &term);
    }
    for (int i = 0; i < 9; ++i) {
        double turn[3];
        sn_cross3(x + 3 * i, force + 3 * i, turn);
        for (int a = 0; a < 3; ++a) sum[a] += force[3 * i + a], moment[a] += turn[a];
        size += sn_norm3(force + 3 * i);
    }
    assert_true(size > 1);
    for (int a = 0; a < 3; ++a) close_to(sum[a], 0, 1e-14), close_to(moment[a], 0, 1e-14);
}

static void test_shares(void **state) {
    sn_context *context = *state;
    const double flat[18] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 1, 0, 0, 1, 1.5, 0, 0, 1.5, 0};
    sn_load load = {.kind = SN_LOAD_TRACTION, .value = {0, 0, 5}};
    for (int n = 3; n <= 6; n += 3) {
        sn_load_term term;
        double f[18] = {0};
        assert_int_equal(sn_load_surface(context, &load, 1, n, face6, 6, flat, &term, NULL), SN_OK);
        sn_load_force(&term, 1, flat, f);
        for (int i = 0; i < n; ++i) close_to(f[3 * i + 2], n == 3 || i >= 3 ? 5.0 : 0.0, 1e-14);
        sn_load_release(context, &term);
    }
    close_to(sn_face_area(6, face6, flat), 3, 1e-14);
    load.kind = SN_LOAD_FORCE;
    sn_load_term term;
    double f[18] = {0}, total = 0;
    assert_int_equal(sn_load_surface(context, &load, 1, 6, face6, 6, flat, &term, NULL), SN_OK);
    sn_load_force(&term, 1, flat, f);
    for (int i = 0; i < 6; ++i) total += f[3 * i + 2];
    close_to(total, 5, 1e-14);
    sn_load_release(context, &term);
}

static void test_volume_shares(void **state) {
    (void)state;
    const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
    const int32_t node[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    double share[10] = {0}, x[30];
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    sn_load_volume_shares(&sn_element_tet4, 1, node, corner, share);
    for (int i = 0; i < 4; ++i) close_to(share[i], 0.25, 1e-15);
    memcpy(x, corner, sizeof corner);
    for (int e = 0; e < 6; ++e)
        for (int a = 0; a < 3; ++a) x[12 + 3 * e + a] = 0.5 * (corner[3 * edge[e][0] + a] + corner[3 * edge[e][1] + a]);
    memset(share, 0, sizeof share);
    sn_load_volume_shares(&sn_element_tet10, 1, node, x, share);
    for (int i = 0; i < 10; ++i) close_to(share[i], i < 4 ? -0.05 : 0.2, 1e-14);
}

static void test_ramps(void **state) {
    (void)state;
    const sn_ramp none = {0}, ramp = {.begin = 1, .end = 3, .given = true}, zero = {.given = true},
                  jump = {.begin = 2, .end = 2, .given = true};
    double rate;
    close_to(sn_ramp_value(&none, 0.2, false, &rate), 1, 0);
    close_to(sn_ramp_value(&none, 0.2, true, &rate), 0.2, 0);
    close_to(rate, 1, 0);
    close_to(sn_ramp_value(&ramp, 0.5, false, &rate), 0, 0);
    close_to(sn_ramp_value(&ramp, 2, false, &rate), 0.5, 0);
    close_to(rate, 0.5, 0);
    close_to(sn_ramp_value(&ramp, 3, false, &rate), 1, 0);
    close_to(rate, 0.5, 0);
    close_to(sn_ramp_value(&ramp, 4, false, &rate), 1, 0);
    close_to(rate, 0, 0);
    close_to(sn_ramp_value(&zero, 0, false, &rate), 1, 0);
    close_to(sn_ramp_value(&zero, 0.3, true, &rate), 0.3, 0);
    close_to(sn_ramp_value(&jump, 1.9, false, &rate), 0, 0);
    close_to(sn_ramp_value(&jump, 2, false, &rate), 1, 0);
}

static int setup(void **state) {
    sn_context_options o = sn_context_options_default();
    o.threads = 1;
    return sn_context_create(&o, (sn_context **)state, NULL);
}
static int teardown(void **state) {
    sn_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_linearisation), cmocka_unit_test(test_symmetric_part),
                                       cmocka_unit_test(test_follow_turns),  cmocka_unit_test(test_shear_balances),
                                       cmocka_unit_test(test_shares),        cmocka_unit_test(test_volume_shares),
                                       cmocka_unit_test(test_ramps)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
