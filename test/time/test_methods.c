/* Every method: its order on Hauth's toy and on the nonlinear chain, prescribed motion, conservation, divergence,
 * variable steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "run.h"

static double rms(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / n);
}

/* Error of position and velocity (over a typical frequency) on Hauth's toy at t = 0.4 s. */
static double hauth_error(const sn_method *method, int steps) {
    toy q;
    double x[1], v[1], ex, ev;
    toy_hauth(&q, x, v);
    const sn_time_options options = strict_options();
    const run result = run_method(method, &q.system, &options, false, 0, 0.4, steps, x, v);
    if (result.status) fail_msg("%s: %s", method->name, result.error.text);
    toy_hauth_exact(0.4, &ex, &ev);
    return hypot(x[0] - ex, (v[0] - ev) / 31);
}

/* The best slope between doublings whose errors lie above the floor of rounding, taken at the finest pair. */
static double slope(double (*error)(const sn_method *, int), const sn_method *method, int first, double floor) {
    double coarse = error(method, first), order = NAN;
    for (int steps = 2 * first; steps <= 4096; steps *= 2) {
        const double fine = error(method, steps);
        if (fine < floor) break;
        order = log2(coarse / fine);
        coarse = fine;
        if (steps >= (method->order == 1 ? 64 : 16) * first) break;
    }
    return order;
}

static int first_steps(const sn_method *method) { return method->order == 8 ? 6 : method->order >= 5 ? 24 : 32; }

static void test_order_hauth(void **state) {
    (void)state;
    int count;
    const sn_listing *listing = sn_methods(&count);
    for (int i = 0; i < count; ++i) {
        const sn_method *method = sn_method_find(listing[i].name);
        const double order = slope(hauth_error, method, first_steps(method), method->order >= 5 ? 3e-12 : 1e-11);
        print_message("  %-22s order %d, measured %.3f, error with 256 steps %.2e\n", method->name, method->order,
                      order, hauth_error(method, 256));
        assert_true(fabs(order - method->order) < 0.15);
    }
}

static double chain_x[TOY_MOST], chain_v[TOY_MOST];
static bool chain_moved;

static void make_chain(toy *q, double *x, double *v) {
    toy_chain(q, 6, x, v);
    if (chain_moved) {
        q->moved = true, q->path = 0.4, q->path_rate = 3;
        toy_constrain(&q->system, 0, x, v, NULL);
    }
}

static void chain_reference(void) {
    toy q;
    make_chain(&q, chain_x, chain_v);
    sn_time_options options = strict_options();
    options.tolerance = 1e-14;
    const run result = run_method(sn_method_find("dopri853"), &q.system, &options, false, 0, 0.8, 4, chain_x, chain_v);
    assert_int_equal(result.status, SN_OK);
}

static double chain_error(const sn_method *method, int steps) {
    toy q;
    double x[TOY_MOST], v[TOY_MOST];
    make_chain(&q, x, v);
    const sn_time_options options = strict_options();
    const run result = run_method(method, &q.system, &options, false, 0, 0.8, steps, x, v);
    if (result.status) fail_msg("%s: %s", method->name, result.error.text);
    return hypot(rms(18, x, chain_x), 0.1 * rms(18, v, chain_v));
}

static void order_chain(void) {
    chain_reference();
    int count;
    const sn_listing *listing = sn_methods(&count);
    for (int i = 0; i < count; ++i) {
        const sn_method *method = sn_method_find(listing[i].name);
        const int first = method->order == 8 ? 8 : method->order >= 5 ? 24 : 32;
        double coarse = chain_error(method, first), order = NAN, fine = coarse;
        const double floor = 1e-11;
        const int last = method->order == 1 ? 512 : method->order <= 3 ? 256 : method->order == 4 ? 256 : 192;
        for (int steps = 2 * first; steps <= last; steps *= 2) {
            fine = chain_error(method, steps);
            if (fine < floor) break;
            order = log2(coarse / fine);
            coarse = fine;
        }
        print_message("  %-22s order %d, measured %.3f, last error %.2e\n", method->name, method->order, order, fine);
        assert_true(fabs(order - method->order) < (method->order >= 5 ? 0.4 : 0.15));
    }
}

static void test_order_chain(void **state) {
    (void)state;
    chain_moved = false;
    order_chain();
}

static void test_order_moved(void **state) {
    (void)state;
    chain_moved = true;
    order_chain();
    chain_moved = false;
}

/* Linear and angular momentum of the free chain, and its energy over many steps. */
static void momentum(toy *q, const double *x, const double *v, double out[6]) {
    double p[TOY_MOST];
    toy_mass_product(&q->system, v, p);
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < q->masses; ++i) {
        const double *a = x + 3 * i, *b = p + 3 * i;
        for (int k = 0; k < 3; ++k) {
            out[k] += b[k];
            out[3 + k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        }
    }
}

static void test_conservation(void **state) {
    (void)state;
    static const char *const names[] = {"implicit-midpoint", "verlet"};
    for (int m = 0; m < 2; ++m) {
        toy q;
        double x[TOY_MOST], v[TOY_MOST], before[6], after[6], most = 0;
        toy_free(&q, 4, x, v);
        q.consistent = false;
        toy_masses(&q);
        momentum(&q, x, v, before);
        const double energy = toy_energy(&q, x, v);
        const sn_time_options options = strict_options();
        for (int k = 0; k < 100; ++k) {
            const run result = run_method(sn_method_find(names[m]), &q.system, &options, false, 0, 1, 100, x, v);
            assert_int_equal(result.status, SN_OK);
            most = fmax(most, fabs(toy_energy(&q, x, v) / energy - 1));
        }
        momentum(&q, x, v, after);
        print_message("  %s: 10000 steps, energy within %.2e, momentum change %.1e, angular %.1e\n", names[m], most,
                      fabs(after[0] - before[0]), fabs(after[3] - before[3]));
        assert_true(most < 0.02);
        for (int k = 0; k < 6; ++k) assert_true(fabs(after[k] - before[k]) < 1e-9);
    }
}

/* Explicit methods beyond their limit: a status, a suggestion that works, and the last good state. */
static void test_divergence(void **state) {
    (void)state;
    static const char *const names[] = {"explicit-euler", "symplectic-euler", "explicit-midpoint", "verlet", "rk4",
                                        "rk38",           "dopri5",           "dopri853"};
    for (int m = 0; m < 8; ++m) {
        const sn_method *method = sn_method_find(names[m]);
        toy q;
        double x[1], v[1];
        toy_hauth(&q, x, v);
        sn_time_options options = strict_options();
        run result = run_method(method, &q.system, &options, true, 0, 400, 1000, x, v);
        assert_int_equal(result.status, SN_NOT_CONVERGED);
        assert_non_null(strstr(result.error.text, names[m]));
        assert_true(isfinite(x[0]) && isfinite(v[0]));
        const double step = result.info.suggested_step;
        print_message("  %s: %s\n", names[m], result.error.text);
        assert_true(step > 0 && step < 0.4);
        toy_hauth(&q, x, v);
        result = run_method(method, &q.system, &options, true, 0, 500 * step, 500, x, v);
        assert_int_equal(result.status, SN_OK);
        assert_true(fabs(x[0] + 1.01) < 0.5);
        /* And three times the suggestion does not. */
        toy_hauth(&q, x, v);
        result = run_method(method, &q.system, &options, true, 0, 6000 * step, 2000, x, v);
        assert_int_not_equal(result.status, SN_OK);
    }
}

/* Adaptive methods meet what is asked of them, and pay for it. */
static void test_adaptive(void **state) {
    (void)state;
    static const char *const names[] = {"dopri5", "dopri853"};
    for (int m = 0; m < 2; ++m) {
        int work = 0;
        for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-2) {
            toy q;
            double x[1], v[1], ex, ev;
            toy_hauth(&q, x, v);
            sn_time_options options = strict_options();
            options.tolerance = tolerance;
            const run result = run_method(sn_method_find(names[m]), &q.system, &options, true, 0, 0.5, 3, x, v);
            assert_int_equal(result.status, SN_OK);
            toy_hauth_exact(0.5, &ex, &ev);
            assert_true(fabs(x[0] - ex) < 20 * tolerance);
            assert_true(result.info.force_evaluations > work && result.info.suggested_step > 0);
            work = result.info.force_evaluations;
        }
        assert_true(work < 3000);
    }
}

/* Multistep methods with steps of changing length keep their order. */
static double uneven_error(const sn_method *method, int pairs) {
    toy q;
    double x[TOY_MOST], v[TOY_MOST], history[400] = {0},
                                     *scratch = calloc((size_t)method->scratch(18), sizeof *scratch);
    make_chain(&q, x, v);
    const sn_time_options options = strict_options();
    sn_step_info info = {0};
    sn_error error = {0};
    double t = 0;
    for (int i = 0; i < 2 * pairs; ++i) {
        const double h = 0.8 / pairs * (i % 2 ? 0.6 : 0.4);
        sn_step step = {.system = &q.system,
                        .options = &options,
                        .tolerance = 1e-12,
                        .t = t,
                        .h = h,
                        .x = x,
                        .v = v,
                        .history = history,
                        .scratch = scratch,
                        .info = &info,
                        .error = &error};
        assert_true(method->history(18) <= 400);
        if (method->step(&step)) fail_msg("%s: %s", method->name, error.text);
        t += h;
    }
    free(scratch);
    return hypot(rms(18, x, chain_x), 0.1 * rms(18, v, chain_v));
}

/* One Newton step per time step keeps order 1 and 2, with damping that is not linear and with prescribed motion too. */
static double one_step_error(const sn_method *method, const char *kind, int steps) {
    toy q;
    double x[TOY_MOST], v[TOY_MOST];
    make_chain(&q, x, v);
    sn_time_options options = sn_time_options_default();
    strcpy(options.newton.kind, kind);
    assert_int_equal(run_method(method, &q.system, &options, false, 0, 0.8, steps, x, v).status, SN_OK);
    return rms(18, x, chain_x);
}

static void test_one_step(void **state) {
    (void)state;
    static const char *const names[] = {"implicit-euler", "implicit-midpoint", "trapezoidal", "newmark", "bdf2"};
    for (int moved = 0; moved < 2; ++moved) {
        chain_moved = moved;
        chain_reference();
        for (int m = 0; m < 5; ++m) {
            const sn_method *method = sn_method_find(names[m]);
            const double order =
                log2(one_step_error(method, "one-step", 256) / one_step_error(method, "one-step", 512));
            print_message("  %s with one Newton step, %s: order %.3f\n", names[m], moved ? "moved" : "free", order);
            assert_true(fabs(order - method->order) < 0.15);
            /* With the default tolerance small steps end on their correction: that must not cost accuracy. */
            const double full = one_step_error(method, "full", 512), strict = chain_error(method, 512);
            assert_true(full < 1.5 * strict + 1e-6);
        }
    }
    chain_moved = false;
}

static void test_variable(void **state) {
    (void)state;
    static const char *const names[] = {"bdf2", "bdf3", "bdf4", "newmark", "verlet"};
    chain_moved = false;
    chain_reference();
    for (int m = 0; m < 5; ++m) {
        const sn_method *method = sn_method_find(names[m]);
        const double order = log2(uneven_error(method, 64) / uneven_error(method, 128));
        print_message("  %s with uneven steps: order %.3f\n", names[m], order);
        assert_true(fabs(order - method->order) < 0.25);
    }
}

/* A stiff, overdamped chain: rock2 takes steps far beyond the explicit limit with many stages. */
static void test_rock2(void **state) {
    (void)state;
    double errors[2], ref[TOY_MOST], ref_v[TOY_MOST], start[TOY_MOST], start_v[TOY_MOST];
    toy q;
    toy_chain(&q, 6, ref, ref_v);
    q.d = 60, q.e = 0;
    sn_time_options options = strict_options();
    options.tolerance = 1e-12;
    /* Fast modes have died away at t = 1. */
    assert_int_equal(run_method(sn_method_find("dopri853"), &q.system, &options, false, 0, 1, 1, ref, ref_v).status,
                     SN_OK);
    memcpy(start, ref, sizeof ref), memcpy(start_v, ref_v, sizeof ref_v);
    assert_int_equal(run_method(sn_method_find("dopri853"), &q.system, &options, false, 1, 2, 1, ref, ref_v).status,
                     SN_OK);
    options.tolerance = 0;
    for (int k = 0; k < 2; ++k) {
        double x[TOY_MOST], v[TOY_MOST];
        memcpy(x, start, sizeof x), memcpy(v, start_v, sizeof v);
        const int steps = 20 << k;
        const run result = run_method(sn_method_find("rock2"), &q.system, &options, true, 1, 2, steps, x, v);
        assert_int_equal(result.status, SN_OK);
        errors[k] = rms(18, x, ref);
        print_message("  rock2: %d steps, %d forces, error %.2e\n", steps, result.info.force_evaluations, errors[k]);
        assert_true(result.info.force_evaluations >= 5 * steps);
    }
    assert_true(errors[1] < 0.35 * errors[0]);
    double x[TOY_MOST], v[TOY_MOST];
    toy_chain(&q, 6, x, v);
    q.d = 60, q.e = 0;
    assert_int_equal(run_method(sn_method_find("rk4"), &q.system, &options, true, 0, 1, 20, x, v).status,
                     SN_NOT_CONVERGED);
}

/* Step control over every implicit method: a system that refuses long moves is still brought to the end. */
static void test_control_all(void **state) {
    (void)state;
    int count;
    const sn_listing *listing = sn_methods(&count);
    chain_moved = false;
    chain_reference();
    for (int i = 0; i < count; ++i) {
        const sn_method *method = sn_method_find(listing[i].name);
        toy q;
        double x[TOY_MOST], v[TOY_MOST];
        make_chain(&q, x, v);
        q.limit = 0.05;
        const sn_time_options options = strict_options();
        const run result = run_method(method, &q.system, &options, true, 0, 0.8, 4, x, v);
        if (result.status) fail_msg("%s: %s", method->name, result.error.text);
        if (rms(18, x, chain_x) > (method->order == 1 ? 0.4 : 0.1))
            fail_msg("%s: error %g", method->name, rms(18, x, chain_x));
        assert_true(result.info.retries > 0);
    }
}

/* A step depends on t, x, v and history alone: scratch full of NaN, and a run that is saved and goes on elsewhere, give
 * the same bits. */
static void go(const sn_method *method, toy *q, int from, int to, double *x, double *v, double *history) {
    const size_t room = (size_t)sn_control_scratch(method, 18);
    double *scratch = calloc(room, sizeof *scratch);
    for (size_t i = 0; i < room; ++i) scratch[i] = NAN;
    sn_time_options options = sn_time_options_default();
    sn_step_info info = {0};
    sn_error error = {0};
    for (int i = from; i < to; ++i) {
        sn_step step = {.system = &q->system,
                        .options = &options,
                        .tolerance = 1e-12,
                        .warm_start = true,
                        .t = 0.01 * i,
                        .h = 0.01,
                        .x = x,
                        .v = v,
                        .history = history,
                        .scratch = scratch,
                        .info = &info,
                        .error = &error};
        if (sn_step_controlled(method, &step)) fail_msg("%s: %s", method->name, error.text);
    }
    free(scratch);
}

static void test_state(void **state) {
    (void)state;
    int count;
    const sn_listing *listing = sn_methods(&count);
    for (int i = 0; i < count; ++i) {
        const sn_method *method = sn_method_find(listing[i].name);
        toy q;
        double x[2][TOY_MOST], v[2][TOY_MOST], history[2][400] = {{0}};
        for (int k = 0; k < 2; ++k) {
            make_chain(&q, x[k], v[k]);
            go(method, &q, 0, k ? 9 : 20, x[k], v[k], history[k]);
            if (k)
                make_chain(&q, (double[TOY_MOST]){0}, (double[TOY_MOST]){0}),
                    go(method, &q, 9, 20, x[k], v[k], history[k]);
        }
        assert_memory_equal(x[0], x[1], 18 * sizeof(double));
        assert_memory_equal(v[0], v[1], 18 * sizeof(double));
        assert_memory_equal(history[0], history[1], (size_t)method->history(18) * sizeof(double));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_hauth),  cmocka_unit_test(test_order_chain), cmocka_unit_test(test_order_moved),
        cmocka_unit_test(test_conservation), cmocka_unit_test(test_divergence),  cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_variable),     cmocka_unit_test(test_rock2),       cmocka_unit_test(test_control_all),
        cmocka_unit_test(test_state),        cmocka_unit_test(test_one_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
