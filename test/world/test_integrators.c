/* Every time integration method on a finite element body: order, conservation, divergence, prescribed motion, kept
 * linearisations. */
#include "scene.h"

enum { NODES = 16 };

/* A soft, mildly damped StVK bar, clamped at the left, 0.1 s of fall. */
static void soft_bar(scene *s, const char *method, int steps) {
    scene_start(s, NULL, 0.3, 0.1, 0.1, 3, 1, 1);
    assert_int_equal(s->mesh->node_count, NODES);
    strcpy(s->material.law, "stvk");
    const double lame[2] = {3e3, 3e3};
    assert_int_equal(sn_material_set(&s->material, "lame", lame, 2, NULL), SN_OK);
    s->material.viscous[0] = 6, s->material.viscous[1] = 6;
    clamp_left(s);
    strcpy(s->options.time.method, method);
    s->options.time.step = 0.1 / steps;
    set_newton(s, "full", 30, 1e-12);
    s->options.time.tolerance = 0;
    set_solver(s, "ldlt", 1e-13);
    s->body.initial.velocity[0] = 0.2, s->body.initial.twist = 60;
}

static void positions(scene *s, double *x) { sn_world_get(s->world, 0, x, NULL); }

static double distance(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < 3 * NODES; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / (3 * NODES));
}

static void reference(double *x) {
    scene s;
    soft_bar(&s, "dopri853", 1);
    s.options.time.tolerance = 1e-14;
    scene_create(&s);
    step(&s, 1);
    positions(&s, x);
    scene_end(&s);
}

static double error_of(const char *method, int steps, const double *exact) {
    scene s;
    double x[3 * NODES];
    soft_bar(&s, method, steps);
    scene_create(&s);
    step(&s, steps);
    positions(&s, x);
    scene_end(&s);
    return distance(x, exact);
}

/* name, order, steps of the coarser run */
static const struct {
    const char *name;
    int order, steps;
} method[] = {
    {"implicit-euler", 1, 400},
    {"kikuuwe", 1, 400},
    {"implicit-midpoint", 2, 160},
    {"trapezoidal", 2, 160},
    {"newmark", 2, 160},
    {"bdf2", 2, 200},
    {"bdf3", 3, 100},
    {"bdf4", 4, 100},
    {"bdf5", 5, 60},
    {"bdf6", 6, 40},
    {"rosenbrock2-w", 2, 200},
    {"ros34pw2", 3, 160},
    {"rosenbrock4-shampine", 4, 80},
    {"rosenbrock4-grk4a", 4, 80},
    {"rosenbrock4-grk4t", 4, 80},
    {"rosenbrock4-veldd", 4, 80},
    {"rosenbrock4-velds", 4, 80},
    {"rosenbrock4-lstab", 4, 80},
    {"explicit-euler", 1, 400},
    {"symplectic-euler", 1, 400},
    {"explicit-midpoint", 2, 200},
    {"verlet", 2, 200},
    {"rk4", 4, 60},
    {"rk38", 4, 60},
    {"dopri5", 5, 40},
    {"dopri853", 8, 14},
    {"rock2", 2, 200},
};
enum { METHODS = sizeof method / sizeof *method };

static void test_order(void **state) {
    (void)state;
    double exact[3 * NODES];
    reference(exact);
    int count;
    int split = 0; /* those of cloth alone: test/linear/test_scalar.c */
    const sn_listing *listing = sn_methods(&count);
    for (int i = 0; i < count; ++i) split += strncmp(listing[i].name, "imex-", 5) == 0;
    assert_int_equal(count - split, METHODS);
    for (int i = 0; i < METHODS; ++i) {
        const double coarse = error_of(method[i].name, method[i].steps, exact),
                     fine = error_of(method[i].name, 2 * method[i].steps, exact);
        const double order = log2(coarse / fine);
        print_message("  %-22s order %d, measured %.3f, errors %.2e and %.2e m\n", method[i].name, method[i].order,
                      order, coarse, fine);
        assert_true(fabs(order - method[i].order) < (method[i].order >= 8 ? 0.5 : 0.2));
    }
}

/* A free body without load: momentum to rounding, energy without drift, over 10,000 steps. */
static void test_conservation(void **state) {
    (void)state;
    static const char *const names[] = {"implicit-midpoint", "verlet"};
    for (int m = 0; m < 2; ++m) {
        scene s;
        soft_bar(&s, names[m], 100);
        s.body.fix_count = 0;
        s.material.viscous[0] = s.material.viscous[1] = 0;
        set_newton(&s, "full", 30, 1e-14);
        memset(s.options.gravity, 0, sizeof s.options.gravity);
        s.body.initial.spin[1] = 3, s.body.initial.spin[2] = 2;
        scene_create(&s);
        double p0[3], L0[3], p[3], L[3], first = 0, last = 0;
        sn_energies e0, e;
        sn_world_momentum(s.world, p0, L0);
        assert_int_equal(sn_world_energies(s.world, &e0, &s.error), SN_OK);
        for (int i = 0; i < 10000; ++i) {
            step(&s, 1);
            assert_int_equal(sn_world_energies(s.world, &e, &s.error), SN_OK);
            const double drift = fabs(e.total / e0.total - 1);
            if (i < 2000) first = fmax(first, drift);
            if (i >= 8000) last = fmax(last, drift);
        }
        sn_world_momentum(s.world, p, L);
        double dp = 0, dL = 0, size_p = 0, size_L = 0;
        for (int a = 0; a < 3; ++a) {
            dp += (p[a] - p0[a]) * (p[a] - p0[a]), dL += (L[a] - L0[a]) * (L[a] - L0[a]);
            size_p += p0[a] * p0[a], size_L += L0[a] * L0[a];
        }
        dp = sqrt(dp / size_p), dL = sqrt(dL / size_L);
        print_message("  %s, 10000 steps: momentum changes by %.1e, angular momentum by %.1e of itself; energy stays "
                      "within %.2e in the first 2000 "
                      "steps, %.2e in the last 2000\n",
                      names[m], dp, dL, first, last);
        assert_true(dp < 1e-10 && dL < 1e-10);
        assert_true(first < 0.05 && last < 3 * first);
        scene_end(&s);
    }
}

/* Explicit methods with too long a step end with a status and a step that works. */
static void test_divergence(void **state) {
    (void)state;
    static const char *const names[] = {"explicit-euler", "symplectic-euler", "explicit-midpoint", "verlet", "rk4",
                                        "rk38",           "dopri5",           "dopri853"};
    for (int m = 0; m < 8; ++m) {
        scene s;
        double x[3 * NODES], stable = 0;
        soft_bar(&s, names[m], 2);
        scene_create(&s);
        sn_status status = SN_OK;
        for (int i = 0; i < 1000 && !status; ++i) status = sn_world_step(s.world, NULL, &s.error);
        assert_int_equal(status, SN_NOT_CONVERGED);
        assert_non_null(strstr(s.error.text, names[m]));
        const char *advice = strstr(s.error.text, "stable up to about ");
        assert_non_null(advice);
        assert_int_equal(sscanf(advice, "stable up to about %lf", &stable), 1);
        positions(&s, x);
        for (int i = 0; i < 3 * NODES; ++i) assert_true(isfinite(x[i]));
        scene_end(&s);
        soft_bar(&s, names[m], (int)ceil(0.1 / stable));
        scene_create(&s);
        step(&s, 5 * (int)ceil(0.1 / stable));
        positions(&s, x);
        for (int i = 0; i < 3 * NODES; ++i) assert_true(fabs(x[i]) < 1);
        print_message("  %s advises %g s\n", names[m], stable);
        scene_end(&s);
    }
}

/* Moved supports accelerate, and with a consistent mass their neighbours feel it: explicit and implicit methods must
 * agree. */
static void test_turned(void **state) {
    (void)state;
    static const char *const names[] = {"dopri853", "bdf4", "implicit-midpoint", "rosenbrock4-grk4t"};
    double x[4][3 * NODES];
    for (int m = 0; m < 4; ++m) {
        scene s;
        soft_bar(&s, names[m], 1000);
        strcpy(s.body.mass, "consistent");
        s.body.initial = sn_initial_default();
        s.fix[0].turning = true;
        s.fix[0].turn_axis[0] = 0, s.fix[0].turn_axis[1] = 0, s.fix[0].turn_axis[2] = 1;
        s.fix[0].turn_degrees = 120;
        s.fix[0].turn_point[1] = -0.5;
        s.fix[0].ramp = (sn_ramp){.begin = -1e-9, .end = 0.2, .given = true}; /* in motion at the start already */
        scene_create(&s);
        step(&s, 1000);
        positions(&s, x[m]);
        scene_end(&s);
        print_message("  %s: %.2e m from dopri853\n", names[m], distance(x[m], x[0]));
        assert_true(distance(x[m], x[0]) < (m == 2 ? 2e-6 : 1e-8));
    }
}

/* Simplified Newton keeps its linearisation over many steps: the answer is that of full Newton. */
static void test_kept(void **state) {
    (void)state;
    double x[2][3 * NODES];
    for (int k = 0; k < 2; ++k) {
        scene s;
        soft_bar(&s, "bdf2", 100);
        set_newton(&s, k ? "simplified" : "full", 30, 1e-10);
        scene_create(&s);
        step(&s, 100);
        positions(&s, x[k]);
        scene_end(&s);
    }
    print_message("  simplified and full Newton end %.1e m apart\n", distance(x[0], x[1]));
    assert_true(distance(x[0], x[1]) < 1e-9);
}

/* Another method in the middle of a run, from the approximate to the exact Jacobian and back. */
static void test_change(void **state) {
    (void)state;
    double x[3 * NODES], exact[3 * NODES];
    reference(exact);
    scene s;
    soft_bar(&s, "bdf2", 400);
    scene_create(&s);
    static const char *const names[] = {"rosenbrock4-grk4t", "verlet", "bdf3", "rosenbrock4-lstab"};
    for (int i = 0; i < 4; ++i) {
        sn_time_options o = sn_world_time_options(s.world);
        strcpy(o.method, names[i]);
        assert_int_equal(sn_world_set_time(s.world, &o, &s.error), SN_OK);
        step(&s, 100);
    }
    positions(&s, x);
    assert_near(sn_world_time(s.world), 0.1, 1e-12);
    print_message("  four methods in one run: error %.2e m\n", distance(x, exact));
    assert_true(distance(x, exact) < 1e-5);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),  cmocka_unit_test(test_conservation), cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_turned), cmocka_unit_test(test_kept),         cmocka_unit_test(test_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
