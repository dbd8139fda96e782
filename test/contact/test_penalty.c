/* The penalty response: forces against their definition, K and D against central differences, checks of colliders. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/math3.h"
#include "contact/penalty.h"

static void close_to(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) {
        print_message("%.17g, expected %.17g\n", a, b);
        fail();
    }
}

static int32_t one_node[1] = {0};
static double one_area[1] = {0.04}, one_mass[1] = {0.7};
static const sn_contact_nodes one = {1, one_node, one_area, one_mass};

static void check_blocks(const sn_collider *c, const sn_penalty *p, const double x0[3], const double v0[3]) {
    double x[3], v[3], K[9], D[9];
    int32_t node[1];
    memcpy(x, x0, sizeof x);
    memcpy(v, v0, sizeof v);
    assert_int_equal(sn_penalty_blocks(c, p, &one, 0.5, x, v, SN_PENALTY_EXACT, node, K, D), 1);
    for (int j = 0; j < 3; ++j) {
        const double h = 1e-7;
        double plus[3] = {0}, minus[3] = {0};
        x[j] = x0[j] + h, sn_penalty_force(c, p, &one, 0.5, x, v, plus);
        x[j] = x0[j] - h, sn_penalty_force(c, p, &one, 0.5, x, v, minus);
        x[j] = x0[j];
        for (int r = 0; r < 3; ++r) close_to(K[3 * j + r], -(plus[r] - minus[r]) / (2 * h), 1e-5);
        memset(plus, 0, sizeof plus), memset(minus, 0, sizeof minus);
        v[j] = v0[j] + h, sn_penalty_force(c, p, &one, 0.5, x, v, plus);
        v[j] = v0[j] - h, sn_penalty_force(c, p, &one, 0.5, x, v, minus);
        v[j] = v0[j];
        for (int r = 0; r < 3; ++r) close_to(D[3 * j + r], -(plus[r] - minus[r]) / (2 * h), 1e-5);
    }
    /* The definite ones: symmetric, not negative. */
    for (int t = 0; t < 30; ++t) {
        const double u[3] = {sin(1.0 * t), cos(2.3 * t), sin(0.7 * t + 1)};
        sn_penalty_blocks(c, p, &one, 0.5, x, v, t % 2 ? SN_PENALTY_DEFINITE : SN_PENALTY_SECANT, node, K, D);
        double k = 0, d = 0;
        for (int r = 0; r < 3; ++r)
            for (int s = 0; s < 3; ++s) {
                k += u[r] * K[3 * s + r] * u[s], d += u[r] * D[3 * s + r] * u[s];
                close_to(K[3 * s + r], K[3 * r + s], 1e-12);
                close_to(D[3 * s + r], D[3 * r + s], 1e-12);
            }
        assert_true(k >= -1e-9 && d >= -1e-9);
    }
}

static void test_blocks(void **state) {
    (void)state;
    const double key[8] = {0, 0, 0, 0, 1, 0.1, 0.02, -0.05};
    sn_collider plane = sn_collider_default(), ball = plane, bowl = plane;
    plane.normal[0] = 0.6, plane.normal[1] = 0.8;
    plane.key = key, plane.key_count = 2;
    ball.kind = bowl.kind = SN_COLLIDER_SPHERE;
    ball.radius = 1, bowl.radius = 1, bowl.inside = true;
    const sn_penalty p = {.stiffness = 2000, .damping = 0.3, .friction = 0.6, .slip = 0.05};
    const double slow[3] = {0.01, -0.2, 0.015}, fast[3] = {0.4, -0.3, -0.5}, away[3] = {0.1, 0.05, 0.1};
    const double *const speeds[] = {slow, fast, away};
    const double deep[3] = {0.2, -0.3, 0.1}, barely[3] = {-0.0001, 0, 0.1};
    const double in_ball[3] = {0.3, 0.6, 0.5}, out_of_bowl[3] = {0.5, -0.9, 0.4};
    for (int i = 0; i < 3; ++i) {
        check_blocks(&plane, &p, deep, speeds[i]);
        check_blocks(&ball, &p, in_ball, speeds[i]);
        check_blocks(&bowl, &p, out_of_bowl, speeds[i]);
    }
    plane.key_count = 0;
    check_blocks(&plane, &p, barely, slow); /* where the damper grips gradually */
}

static void test_force(void **state) {
    (void)state;
    sn_collider plane = sn_collider_default();
    const sn_penalty p = {.stiffness = 1000, .damping = 0, .friction = 0.5, .slip = 0.01};
    double x[3] = {0, -0.1, 0}, v[3] = {3, 0, 4}, f[3] = {0};
    assert_int_equal(sn_penalty_force(&plane, &p, &one, 0, x, v, f), 1);
    const double normal = 0.04 * 1000 * 0.1; /* area stiffness depth */
    close_to(f[1], normal, 1e-12);
    close_to(f[0], -0.5 * normal * 0.6, 1e-12);
    close_to(f[2], -0.5 * normal * 0.8, 1e-12);
    close_to(sn_penalty_energy(&plane, &p, &one, 0, x), 0.5 * 0.04 * 1000 * 0.01, 1e-12);
    /* Without velocity: the spring alone. */
    memset(f, 0, sizeof f);
    sn_penalty_force(&plane, &p, &one, 0, x, NULL, f);
    close_to(f[0], 0, 0);
    close_to(f[1], normal, 1e-12);
    /* Out of reach. */
    x[1] = 1e-9;
    memset(f, 0, sizeof f);
    assert_int_equal(sn_penalty_force(&plane, &p, &one, 0, x, v, f), 0);
    close_to(f[1], 0, 0);
    /* A damper never pulls. */
    const sn_penalty damped = {.stiffness = 1000, .damping = 5, .slip = 0.01};
    x[1] = -0.01, v[1] = 100;
    sn_penalty_force(&plane, &damped, &one, 0, x, v, f);
    close_to(f[1], 0, 0);
}

static void test_motion(void **state) {
    (void)state;
    const double key[12] = {1, 0, 0, 0, 2, 0, 2, 0, 4, 0, 3, 0};
    sn_collider plane = sn_collider_default();
    plane.key = key, plane.key_count = 3;
    double offset[3], velocity[3];
    sn_collider_at(&plane, 0.5, offset, velocity);
    close_to(offset[1], 0, 0), close_to(velocity[1], 0, 0);
    sn_collider_at(&plane, 1.5, offset, velocity);
    close_to(offset[1], 1, 1e-15), close_to(velocity[1], 2, 1e-15);
    sn_collider_at(&plane, 2, offset, velocity);
    close_to(offset[1], 2, 0), close_to(velocity[1], 2, 1e-15);
    sn_collider_at(&plane, 3, offset, velocity);
    close_to(offset[1], 2.5, 1e-15), close_to(velocity[1], 0.5, 1e-15);
    sn_collider_at(&plane, 9, offset, velocity);
    close_to(offset[1], 3, 0), close_to(velocity[1], 0, 0);
}

static void refused(const sn_collider *c, const char *word) {
    sn_error error = {0};
    assert_int_equal(sn_collider_check(c, 3, &error), SN_BAD_INPUT);
    if (!strstr(error.text, word) || !strstr(error.text, "colliders.3")) {
        print_message("'%s' should name '%s'\n", error.text, word);
        fail();
    }
}

static void test_checks(void **state) {
    (void)state;
    const double key[8] = {1, 0, 0, 0, 1, 0, 2, 0};
    sn_collider c = sn_collider_default();
    assert_int_equal(sn_collider_check(&c, 0, NULL), SN_OK);
    c.friction = -1, refused(&c, "friction");
    c = sn_collider_default(), c.normal[1] = 0, refused(&c, "normal");
    c = sn_collider_default(), c.kind = SN_COLLIDER_SPHERE, c.radius = 0, refused(&c, "radius");
    c = sn_collider_default(), strcpy(c.response, "penalti"), refused(&c, "'penalty'");
    c = sn_collider_default(), c.stiffness = -2, refused(&c, "stiffness");
    c = sn_collider_default(), c.damping = NAN, refused(&c, "damping");
    c = sn_collider_default(), c.key = key, c.key_count = 2, refused(&c, "ascend");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks), cmocka_unit_test(test_force), cmocka_unit_test(test_motion),
                                       cmocka_unit_test(test_checks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
