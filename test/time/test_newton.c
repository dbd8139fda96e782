/* Newton, line search, statics, step control and options, on toys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run.h"
#include "time/line_search.h"

static void test_options(void **state) {
    (void)state;
    sn_error error;
    sn_time_options options = sn_time_options_default();
    assert_int_equal(sn_time_options_check(&options, &error), SN_OK);
    assert_string_equal(options.mode, "dynamic");
    assert_string_equal(options.method, "implicit-euler");
    assert_string_equal(options.newton.kind, "full");
    assert_true(options.newton.iterations == 10 && options.newton.tolerance == 1e-6 && options.newton.line_search &&
                options.load_steps == 1);
    options.step = 0;
    assert_int_equal(sn_time_options_check(&options, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "step: step is 0"));
    options = sn_time_options_default();
    strcpy(options.method, "implicit-eular");
    assert_int_equal(sn_time_options_check(&options, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "implicit-euler"));
    options = sn_time_options_default();
    options.newton.iterations = 0;
    assert_int_equal(sn_time_options_check(&options, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.path, "newton.iterations"));
    int count;
    const sn_listing *listing = sn_methods(&count);
    for (int i = 0; i < count; ++i) {
        assert_non_null(sn_method_find(listing[i].name));
        assert_string_equal(sn_method_find(listing[i].name)->name, listing[i].name);
        assert_true(strlen(listing[i].name) < 32 && strlen(listing[i].text) > 10);
    }
    assert_null(sn_method_find("none"));
    assert_ptr_equal(sn_method_find(""), sn_method_find("implicit-euler"));
}

static void test_line_search(void **state) {
    (void)state;
    /* phi(s) = 1 - 2 s + 10 s^2 has its minimum at 0.1: found in one trial. */
    sn_line_search search = sn_line_search_start(1, -2);
    assert_false(sn_line_search_good(&search, 9));
    sn_line_search_next(&search, 9);
    assert_true(fabs(search.s - 0.1) < 1e-14);
    assert_true(sn_line_search_good(&search, 0.9));
    /* phi(s) = 1 - s + 6 s^3 from two trials: minimum at sqrt(1/18). */
    search = sn_line_search_start(1, -1);
    sn_line_search_next(&search, 6);
    search.s = 0.45;
    sn_line_search_next(&search, 1 - 0.45 + 6 * 0.45 * 0.45 * 0.45);
    assert_true(fabs(search.s - 0.225) < 1e-12); /* 0.2357 is above half of 0.45 */
    search = sn_line_search_start(1, -1);
    sn_line_search_next(&search, 6);
    search.s = 0.5;
    sn_line_search_next(&search, 1 - 0.5 + 6 * 0.125);
    assert_true(fabs(search.s - sqrt(1.0 / 18)) < 1e-12);
    search = sn_line_search_start(1, -1);
    sn_line_search_next(&search, NAN);
    assert_true(search.s == 0.5);
    assert_false(sn_line_search_good(&search, NAN));
}

/* One implicit Euler step with a given number of Newton iterations. */
static double residual_after(int iterations, const char *kind, sn_step_info *info, toy *q) {
    double x[TOY_MOST], v[TOY_MOST];
    toy_chain(q, 10, x, v);
    sn_time_options options = strict_options();
    strcpy(options.newton.kind, kind);
    options.newton.iterations = iterations;
    const run result = run_method(sn_method_find("implicit-euler"), &q->system, &options, false, 0, 0.2, 1, x, v);
    *info = result.info;
    return result.info.newton_residual;
}

static void test_quadratic(void **state) {
    (void)state;
    toy q;
    sn_step_info info;
    double last = residual_after(1, "full", &info, &q);
    bool fast = false;
    for (int i = 2; i < 8; ++i) {
        const double next = residual_after(i, "full", &info, &q);
        if (last < 1e-2 && next > 1e-12) {
            assert_true(next < 10 * last * last);
            fast = true;
        }
        last = next;
    }
    assert_true(fast);
    assert_true(last < 1e-13);
}

/* What each kind promises of one step of the chain. A kind that is not here fails the tests below. */
static const struct promise {
    const char *name;
    int iterations, most; /* allowed; taken at most */
    double residual;      /* reached */
    bool converges;       /* to the solution: all that do go to the same place */
    bool keeps;           /* linearisations serve many iterations; the others take one for each */
    bool ahead;           /* the first solve is told how long the step is */
} promise[] = {
    {"full", 30, 30, 1e-13, true, false, false},    {"simplified", 60, 60, 1e-12, true, true, false},
    {"inexact", 30, 30, 1e-13, true, false, false}, {"one-step", 30, 1, 1e2, false, false, true},
    {"fixed", 3, 3, 1e2, false, false, true},
};

static const struct promise *promise_of(const char *name) {
    for (size_t i = 0; i < sizeof promise / sizeof *promise; ++i)
        if (strcmp(promise[i].name, name) == 0) return &promise[i];
    fail_msg("the kind '%s' of Newton's method is not tested", name);
    return NULL;
}

static void test_kinds(void **state) {
    (void)state;
    int count;
    const sn_listing *listing = sn_newton_kinds(&count);
    assert_int_equal(count, sizeof promise / sizeof *promise);
    for (int i = 0; i < count; ++i) {
        const struct promise *p = promise_of(listing[i].name);
        toy q;
        sn_step_info info;
        assert_true(residual_after(p->iterations, p->name, &info, &q) < p->residual);
        assert_true(info.newton_iterations > 0 && info.newton_iterations <= p->most);
        assert_true(p->keeps ? info.linearisations < info.newton_iterations
                             : info.linearisations == info.newton_iterations);
        assert_true(p->ahead ? fabs(q.ahead - 0.2) < 1e-15 : q.ahead == 0);
        assert_true(strlen(listing[i].text) > 10);
    }
}

/* All kinds that converge go to the same place; the bounded ones stay near it when the steps are small. */
static void test_kinds_agree(void **state) {
    (void)state;
    int count;
    const sn_listing *listing = sn_newton_kinds(&count);
    assert_string_equal(listing[0].name, "full");
    double end[2][TOY_MOST];
    for (int i = 0; i < count; ++i) {
        const struct promise *p = promise_of(listing[i].name);
        toy q;
        double v[TOY_MOST], *x = end[i > 0];
        toy_chain(&q, 10, x, v);
        sn_time_options options = strict_options();
        strcpy(options.newton.kind, p->name);
        const run result = run_method(sn_method_find("implicit-euler"), &q.system, &options, false, 0, 1, 50, x, v);
        assert_int_equal(result.status, SN_OK);
        if (p->keeps) assert_true(result.info.linearisations * 3 < result.info.newton_iterations);
        for (int k = 0; k < 30; ++k) assert_true(fabs(x[k] - end[0][k]) < (p->converges ? 1e-10 : 5e-3));
    }
}

/* A linearisation that was forgotten is made anew, one that was not is kept over the steps. */
static void test_forget(void **state) {
    (void)state;
    int made[2];
    for (int forget = 0; forget < 2; ++forget) {
        toy q;
        double x[TOY_MOST], v[TOY_MOST];
        toy_chain(&q, 10, x, v);
        sn_time_options options = strict_options();
        strcpy(options.newton.kind, "simplified");
        options.newton.tolerance = 1e-8;
        for (int i = 0; i < 10; ++i) {
            assert_int_equal(
                run_method(sn_method_find("implicit-euler"), &q.system, &options, false, 0, 1e-3, 1, x, v).status,
                SN_OK);
            assert_true(q.linearisation.served > 0);
            if (forget) sn_linearisation_forget(&q.linearisation);
        }
        made[forget] = q.linearisations;
    }
    assert_true(made[0] <= 2);
    assert_true(made[1] >= 10);
}

static void test_not_converged(void **state) {
    (void)state;
    toy q;
    double x[TOY_MOST], v[TOY_MOST], x0[TOY_MOST];
    toy_chain(&q, 10, x, v);
    memcpy(x0, x, sizeof x);
    sn_time_options options = strict_options();
    options.newton.iterations = 2;
    const run result = run_method(sn_method_find("implicit-euler"), &q.system, &options, false, 0, 1, 1, x, v);
    assert_int_equal(result.status, SN_NOT_CONVERGED);
    assert_non_null(strstr(result.error.text, "residual"));
    assert_non_null(strstr(result.error.text, "smaller step"));
    assert_memory_equal(x, x0, sizeof(double) * 30);
}

/* Small steps begin at the extrapolated place, so that one or two corrections suffice (Hauth 3.3.3), and simplified
 * Newton keeps one linearisation for many steps (Hauth 3.3.4). */
static void test_extrapolated_start(void **state) {
    (void)state;
    static const char *const method[2] = {"implicit-euler", "bdf3"}, *const kind[2] = {"full", "simplified"};
    for (int m = 0; m < 2; ++m)
        for (int k = 0; k < 2; ++k) {
            toy q;
            double x[TOY_MOST], v[TOY_MOST];
            toy_chain(&q, 10, x, v);
            sn_time_options options = strict_options();
            options.newton.tolerance = 1e-6;
            strcpy(options.newton.kind, kind[k]);
            const run result = run_method(sn_method_find(method[m]), &q.system, &options, true, 0, 0.5, 500, x, v);
            assert_int_equal(result.status, SN_OK);
            print_message("  %s, %s: %.2f iterations per step, %d linearisations\n", method[m], kind[k],
                          result.info.newton_iterations / 500.0, result.info.linearisations);
            assert_true(result.info.newton_iterations < 500 * 1.3);
            if (k) assert_true(result.info.linearisations < 50);
        }
}

/* Forcing terms: loose solves at first, tight ones near the end, and the same place. The kind "full" solves more
 * exactly than Newton's tolerance needs, but not by much. */
static void test_inexact(void **state) {
    (void)state;
    double end[2][TOY_MOST];
    for (int i = 0; i < 2; ++i) {
        toy q;
        double v[TOY_MOST];
        toy_chain(&q, 10, end[i], v);
        q.lazy = true;
        sn_time_options options = strict_options();
        options.newton.tolerance = 1e-9;
        strcpy(options.newton.kind, i ? "inexact" : "full");
        const run result =
            run_method(sn_method_find("implicit-euler"), &q.system, &options, false, 0, 1, 20, end[i], v);
        assert_int_equal(result.status, SN_OK);
        print_message("  %s: %d iterations, tolerances %.1e to %.1e\n", options.newton.kind,
                      result.info.newton_iterations, q.tightest, q.loosest);
        assert_true(i ? q.loosest >= 0.1 && q.loosest <= 0.5 && q.tightest < 1e-2
                      : q.loosest <= 0.1 && q.tightest < 1e-9 && q.tightest >= 1e-12);
        for (int k = 0; k < 30; ++k) assert_true(fabs(end[i][k] - end[0][k]) < 1e-7);
    }
}

/* A linear solver that stops early: the direction still serves, the iteration takes longer. */
static void test_early_solver(void **state) {
    (void)state;
    toy q;
    double x[TOY_MOST], v[TOY_MOST];
    toy_chain(&q, 10, x, v);
    q.linear_error = -0.1;
    sn_time_options options = strict_options();
    options.newton.tolerance = 1e-10;
    const run result = run_method(sn_method_find("implicit-euler"), &q.system, &options, false, 0, 0.05, 1, x, v);
    assert_int_equal(result.status, SN_OK);
    assert_true(result.info.newton_residual < 1e-8);
    assert_true(result.info.newton_iterations > 5);
}

/* The hanging chain at rest: each link carries what hangs below it. */
static void test_static(void **state) {
    (void)state;
    for (int steps = 1; steps <= 4; steps += 3) {
        toy q;
        double x[TOY_MOST], v[TOY_MOST];
        toy_chain(&q, 10, x, v);
        q.drive = 0;
        sn_time_options options = strict_options();
        options.load_steps = steps;
        double *scratch = calloc((size_t)sn_control_scratch(sn_method_equilibrium(), 30), sizeof *scratch);
        sn_step_info info = {0};
        sn_error error = {0};
        sn_step step = {.system = &q.system,
                        .options = &options,
                        .tolerance = 1e-12,
                        .x = x,
                        .v = v,
                        .scratch = scratch,
                        .info = &info,
                        .error = &error};
        assert_int_equal(sn_static_solve(&step, NULL, NULL), SN_OK);
        assert_true(step.t == 1);
        double z = 0;
        for (int i = 0; i < 10; ++i) {
            const double s = z - x[3 * i + 2] - 1, load = (10 - i) * 0.5 * 3;
            assert_true(fabs(q.k * (s + q.c * s * s * s) - load) < 1e-9);
            assert_true(fabs(x[3 * i]) < 1e-9 && fabs(x[3 * i + 1]) < 1e-9);
            assert_true(v[3 * i] == 0);
            z = x[3 * i + 2];
        }
        free(scratch);
    }
}

/* A stiff chain pulled sideways in one load step: the links turn far, the first corrections stretch them wildly.
 * Default options get there.
 */
static void test_static_hard(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        toy q;
        double x[TOY_MOST], v[TOY_MOST], f[TOY_MOST], zero[TOY_MOST] = {0};
        toy_chain(&q, 10, x, v);
        for (int i = 0; i < 10; ++i) x[3 * i] = x[3 * i + 1] = 0, x[3 * i + 2] = -(i + 1) * 1.00015;
        q.k = 1e5, q.drive = 30, q.omega = 1.5707963267948966;
        sn_time_options options = sn_time_options_default();
        if (kind) strcpy(options.newton.kind, "simplified");
        double *scratch = calloc((size_t)sn_control_scratch(sn_method_equilibrium(), 30), sizeof *scratch);
        sn_step_info info = {0};
        sn_error error = {0};
        sn_step step = {.system = &q.system,
                        .options = &options,
                        .tolerance = 1e-12,
                        .x = x,
                        .v = v,
                        .scratch = scratch,
                        .info = &info,
                        .error = &error};
        const sn_status status = sn_static_solve(&step, NULL, NULL);
        print_message("  %s: %d iterations, %d linearisations, %d trials, %d retries, %s\n", options.newton.kind,
                      info.newton_iterations, info.linearisations, info.line_searches, info.retries, error.text);
        assert_int_equal(status, SN_OK);
        toy_force_raw(&q, 1, x, zero, f);
        for (int i = 0; i < 30; ++i) assert_true(fabs(f[i]) < 1e-3 * 30);
        assert_true(x[28] > 8);
        free(scratch);
    }
}

/* Prescribed motion: the moved mass is where it should be, the rest balances, by dynamics and by equilibrium. */
static void test_prescribed(void **state) {
    (void)state;
    toy q;
    double x[TOY_MOST], v[TOY_MOST], f[TOY_MOST], zero[TOY_MOST] = {0};
    toy_chain(&q, 10, x, v);
    q.moved = true, q.path = 0.8, q.path_rate = 1.5;
    sn_time_options options = strict_options();
    run result = run_method(sn_method_equilibrium(), &q.system, &options, true, 0, 1, 5, x, v);
    assert_int_equal(result.status, SN_OK);
    assert_true(x[0] == 0.8 * sin(1.5) && x[1] == 0 && x[2] == -1);
    toy_force_raw(&q, 1, x, zero, f);
    for (int i = 3; i < 30; ++i) assert_true(fabs(f[i]) < 1e-9);

    toy_chain(&q, 10, x, v);
    q.moved = true, q.path = 0.8, q.path_rate = 1.5;
    result = run_method(sn_method_find("implicit-euler"), &q.system, &options, false, 0, 1, 20, x, v);
    assert_int_equal(result.status, SN_OK);
    assert_true(x[0] == 0.8 * sin(1.5) && v[0] == 0.8 * 1.5 * cos(1.5));
}

/* The first iteration of a step with prescribed motion solves, in the free directions,
 *   M a + K d + D (w - u) = f(t1, y, u)   at the last place and velocity (y, u),
 * where a, d and w at the moved mass are those of its path. */
static void test_prescribed_first(void **state) {
    (void)state;
    const double h = 0.05, path = 0.8, rate = 1.5;
    toy q;
    double x[TOY_MOST], v[TOY_MOST], y[TOY_MOST], u[TOY_MOST], f[TOY_MOST];
    toy_chain(&q, 10, x, v);
    q.moved = true, q.path = path, q.path_rate = rate;
    toy_constrain(&q.system, 0, x, v, NULL);
    memcpy(y, x, sizeof y), memcpy(u, v, sizeof u);
    sn_time_options options = strict_options();
    strcpy(options.newton.kind, "one-step");
    const run result = run_method(sn_method_find("implicit-euler"), &q.system, &options, false, 0, h, 1, x, v);
    assert_int_equal(result.status, SN_OK);
    double w[TOY_MOST], a[TOY_MOST];
    for (int i = 0; i < 30; ++i) w[i] = (x[i] - y[i]) / h, a[i] = (w[i] - u[i]) / h;
    toy_constrain(&q.system, h, NULL, w, a);
    toy_force_raw(&q, h, y, u, f);
    for (int i = 3; i < 30; ++i) {
        double sum = -f[i];
        for (int j = 0; j < 30; ++j)
            sum += q.M[30 * i + j] * a[j] + q.K[30 * i + j] * (x[j] - y[j]) + q.D[30 * i + j] * (w[j] - u[j]);
        assert_true(fabs(sum) < 1e-8);
    }
}

/* A system that refuses to be moved far in one step: the control halves until it goes, and reaches the frame's end. */
static void test_control(void **state) {
    (void)state;
    toy q;
    double x[TOY_MOST], v[TOY_MOST], x0[TOY_MOST], v0[TOY_MOST];
    toy_chain(&q, 10, x, v);
    memcpy(x0, x, sizeof x), memcpy(v0, v, sizeof v);
    q.limit = 0.02;
    sn_time_options options = strict_options();
    const sn_method *method = sn_method_find("implicit-euler");
    run result = run_method(method, &q.system, &options, true, 0, 0.5, 1, x, v);
    assert_int_equal(result.status, SN_OK);
    assert_true(result.info.retries > 0 && q.rejects == result.info.retries && q.accepts > 4 &&
                q.begins == q.accepts + q.rejects);
    /* Near the solution with as many even steps. */
    double fine[TOY_MOST], fine_v[TOY_MOST];
    toy_chain(&q, 10, fine, fine_v);
    run_method(method, &q.system, &options, false, 0, 0.5, 64, fine, fine_v);
    for (int i = 0; i < 30; ++i) assert_true(fabs(x[i] - fine[i]) < 0.05);

    /* A step of dynamics that could only go on in tiny parts fails after 64 refusals, and keeps the state. */
    toy_chain(&q, 10, x, v);
    q.limit = 1.2e-3;
    result = run_method(method, &q.system, &options, true, 0, 0.5, 1, x, v);
    print_message("  a limit of 1.2e-3: %d retries, %d parts, %s\n", result.info.retries, q.accepts, result.error.text);
    assert_int_equal(result.status, SN_INVERTED);
    assert_true(q.accepts > 0 && strstr(result.error.text, "refused 64 times"));
    assert_memory_equal(x, x0, sizeof *x * 30);

    toy_chain(&q, 10, x, v);
    q.limit = 1e-9;
    result = run_method(method, &q.system, &options, true, 0, 0.5, 1, x, v);
    assert_int_equal(result.status, SN_INVERTED);
    assert_memory_equal(x, x0, sizeof(double) * 30);
    assert_memory_equal(v, v0, sizeof(double) * 30);
    assert_int_equal(q.rejects, 11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_line_search),
        cmocka_unit_test(test_quadratic),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_kinds_agree),
        cmocka_unit_test(test_not_converged),
        cmocka_unit_test(test_early_solver),
        cmocka_unit_test(test_inexact),
        cmocka_unit_test(test_static),
        cmocka_unit_test(test_static_hard),
        cmocka_unit_test(test_prescribed),
        cmocka_unit_test(test_prescribed_first),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_forget),
        cmocka_unit_test(test_extrapolated_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
