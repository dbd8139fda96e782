/* Conformance of the solver of a system: every name of the tables, to the true tolerance; indefinite systems, limits,
 * `auto`, sameness of bits, memory. */
#include "system.h"

static void open_small(fixture *f, bool is_static, const char *method, const char *preconditioner,
                       const char *precision) {
    open_in(f, make_context("auto", 0), 3, 8, is_static, method, preconditioner, precision);
}

static void test_system(void **state) {
    int solvers, preconditioners;
    const sn_listing *solver = sn_solvers(&solvers), *p = sn_preconditioners(&preconditioners);
    for (int i = 1; i < solvers; ++i)
        for (int j = 0; j < preconditioners; ++j)
            for (int single = 0; single < 2; ++single) {
                const sn_krylov *krylov = sn_krylov_find(solver[i].name);
                if ((!krylov || krylov->own) && j > 0) continue;
                if (!krylov && single) continue;
                fixture s;
                open_small(&s, false, solver[i].name, p[j].name, single ? "single" : "auto");
                sn_linear_report report;
                sn_error error = {0};
                const sn_status status =
                    sn_linear_solve(s.linear, 1e4, 0, 1, &s.b.filter, s.f, s.x, 1e-9, &report, &error);
                if (status) fail_msg("%s with %s: %s", solver[i].name, p[j].name, error.text);
                assert_true(relative_residual(&s, 1e4) <= 1.01e-9);
                assert_string_equal(report.method, solver[i].name);
                int count;
                const double *history = sn_linear_history(s.linear, &count);
                assert_int_equal(count, report.iterations + 1);
                assert_true(history[0] == 1 && history[count - 1] <= 1e-9);
                close_fixture(&s);
            }
    (void)state;
}

/* The same bits from every instruction set and number of threads. */
static void test_same_bits(void **state) {
    const struct {
        const char *simd;
        int threads;
    } way[] = {{"baseline", 1}, {"avx2", 2}, {"avx512", 4}, {"avx512", 1}};
    const char *const kind[][3] = {
        {"cg", "auto", "single"},   {"cg", "auto", "double"},        {"cg", "ssor", "auto"},
        {"cg", "ic0", "auto"},      {"cg", "ict", "auto"},           {"cg", "ic0-lumps", "auto"},
        {"minres", "auto", "auto"}, {"qmr", "auto", "auto"},         {"bicgstab", "auto", "auto"},
        {"gmres", "auto", "auto"},  {"ldlt", "auto", "auto"},        {"eisenstat", "auto", "auto"},
        {"cg", "bpx", "auto"},      {"cg", "hierarchical", "double"}};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; ++i) {
        double *first = NULL;
        int iterations = 0;
        for (int w = 0; w < 4; ++w) {
            fixture f;
            open_in(&f, make_context(way[w].simd, way[w].threads), 6, 14, false, kind[i][0], kind[i][1], kind[i][2]);
            sn_linear_report report;
            assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-8, &report, NULL), SN_OK);
            if (!first) {
                first = malloc((size_t)f.n * sizeof *first);
                memcpy(first, f.x, (size_t)f.n * sizeof *first);
                iterations = report.iterations;
            }
            assert_int_equal(report.iterations, iterations);
            assert_memory_equal(first, f.x, (size_t)f.n * sizeof *first);
            close_fixture(&f);
        }
        free(first);
    }
    (void)state;
}

/* The N-th allocation fails: said, nothing lost, and the next solve works. A second solve with other constraints meets
 * the kept factor. */
static void failing_memory(const char *name, const char *with) {
    failing_allocator failing = failing_allocator_make();
    fixture f;
    open_in(&f, failing_allocator_context(&failing), 2, 4, false, name, with, "auto");
    const sn_linear_model model = beam_model(&f.b);
    sn_filter fewer = f.b.filter;
    fewer.count -= 2;
    const int64_t live = failing.live;
    int n = 1;
    for (sn_status status = SN_NO_MEMORY; status; ++n) {
        sn_linear *linear = NULL;
        sn_error error = {0};
        failing_allocator_arm(&failing, n);
        status = sn_linear_create(f.context, &model, &f.options, false, &linear, &error);
        if (!status) {
            sn_linear_linearise(linear, &f.view, NULL, NULL, NULL);
            memset(f.x, 0, (size_t)f.n * sizeof(double));
            status = sn_linear_solve(linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-8, NULL, &error);
            if (!status) status = sn_linear_solve(linear, 1e4, 0, 1, &fewer, f.f, f.x, 1e-8, NULL, &error);
        }
        failing_allocator_disarm(&failing);
        /* CHOLMOD allocates by itself and is not in this test. */
        if (!(status == SN_OK || (status == SN_NO_MEMORY && error.text[0])))
            fail_msg("%s with %s: %s", name, with, error.text);
        if (status && linear) {
            memset(f.x, 0, (size_t)f.n * sizeof(double));
            assert_int_equal(sn_linear_solve(linear, 1e4, 0, 1, &fewer, f.f, f.x, 1e-8, NULL, &error), SN_OK);
        }
        sn_linear_destroy(linear);
        assert_int_equal(failing.live, live);
    }
    assert_true(n > 10);
    close_fixture(&f);
    assert_int_equal(failing.live, 0);
}

static void test_failing_memory(void **state) {
    failing_memory("cg", "auto");
    failing_memory("gmres", "auto");
    failing_memory("qmr", "ssor");
    failing_memory("minres", "ict");
    failing_memory("cg", "ic0-lumps");
    failing_memory("ldlt", "auto");
    failing_memory("cg", "hierarchical");
    failing_memory("cg", "bpx");
    (void)state;
}

/* No allocation once everything has been there. */
static void test_no_allocation(void **state) {
    const char *name[] = {"cg", "cg", "cg", "cg", "cg", "cg", "cg", "ldlt", "gmres", "eisenstat", "cg"};
    const char *with[] = {"auto", "auto", "ssor", "ic0",  "ict",      "hierarchical",
                          "bpx",  "auto", "auto", "auto", "ic0-lumps"};
    for (int i = 0; i < 11; ++i) {
        failing_allocator failing = failing_allocator_make();
        fixture f;
        open_in(&f, failing_allocator_context(&failing), 2, 4, false, name[i], with[i], "auto");
        if (i == 0) snprintf(f.options.operator_, sizeof f.options.operator_, "assembly-free");
        assert_int_equal(sn_linear_options(f.linear, &f.options, NULL), SN_OK);
        int64_t requests = 0;
        for (int round = 0; round < 3; ++round) {
            if (round == 1) requests = failing.requests;
            memset(f.x, 0, (size_t)f.n * sizeof(double));
            sn_linear_linearise(f.linear, &f.view, NULL, NULL, NULL);
            assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-8, NULL, NULL), SN_OK);
        }
        assert_int_equal(failing.requests, requests);
        close_fixture(&f);
        assert_int_equal(failing.live, 0);
    }
    (void)state;
}

/* An indefinite system: who can solves it, the others say why not. */
static void test_system_indefinite(void **state) {
    const char *name[] = {"minres", "qmr", "ldlt", "cg", "eisenstat", "bicgstab", "gmres"};
    for (int i = 0; i < 7; ++i) {
        fixture s;
        open_small(&s, false, name[i], "auto", "double");
        sn_error error = {0};
        const sn_status status = sn_linear_solve(s.linear, -2e4, 0, 1, &s.b.filter, s.f, s.x, 1e-8, NULL, &error);
        if (i < 3 && status) fail_msg("%s: %s", name[i], error.text);
        if (status) assert_true(status == SN_NOT_CONVERGED && error.text[0]);
        if (!status) assert_true(relative_residual(&s, -2e4) <= 1.01e-8);
        close_fixture(&s);
    }
    (void)state;
}

/* `auto` looks at symmetry and at the law, and says what it took. */
static void test_auto(void **state) {
    for (int kind = 0; kind < 4; ++kind) {
        fixture s;
        open_small(&s, kind == 3, "auto", "auto", "auto");
        int32_t row[] = {100}, column[] = {100};
        double value[9] = {500, 60, 0, -60, 500, 0, 0, 20, 500};
        const sn_block_list stiffness = {.count = 1, .capacity = 1, .row = row, .column = column, .value = value};
        if (kind == 1 || kind == 3) sn_linear_linearise(s.linear, &s.view, &stiffness, NULL, NULL);
        if (kind == 2) s.b.elements.batch[0].differential = SN_DIFFERENTIAL_EXACT;
        sn_linear_report report;
        sn_error error = {0};
        const sn_status status =
            sn_linear_solve(s.linear, kind == 3 ? 0 : 1e4, 0, 1, &s.b.filter, s.f, s.x, 1e-9, &report, &error);
        if (status) fail_msg("auto %d: %s", kind, error.text);
        const char *expected[] = {"cg", "bicgstab", "minres", "gmres"};
        assert_string_equal(report.method, expected[kind]);
        assert_true(relative_residual(&s, kind == 3 ? 0 : 1e4) <= 1.01e-9);
        if (kind == 3) assert_true(report.iterations < 20); /* the factor preconditions */
        close_fixture(&s);
    }
    (void)state;
}

/* QMR has no transpose on an unsymmetric operator without a matrix; a budget ends a solve and says so. */
static void test_limits(void **state) {
    fixture s;
    open_small(&s, false, "qmr", "auto", "auto");
    int32_t row[] = {100}, column[] = {100};
    double value[9] = {500, 60, 0, -60, 500, 0, 0, 20, 500};
    const sn_block_list stiffness = {.count = 1, .capacity = 1, .row = row, .column = column, .value = value};
    snprintf(s.options.operator_, sizeof s.options.operator_, "assembly-free");
    assert_int_equal(sn_linear_options(s.linear, &s.options, NULL), SN_OK);
    sn_error error = {0};
    assert_int_equal(sn_linear_solve(s.linear, 1e4, 0, 1, &s.b.filter, s.f, s.x, 1e-9, NULL, &error), SN_OK);
    assert_true(relative_residual(&s, 1e4) <= 1.01e-9);
    sn_linear_linearise(s.linear, &s.view, &stiffness, NULL, NULL);
    assert_int_equal(sn_linear_solve(s.linear, 1e4, 0, 1, &s.b.filter, s.f, s.x, 1e-9, NULL, &error), SN_UNSUPPORTED);
    assert_non_null(strstr(error.text, "bicgstab"));
    const char *name[] = {"cg", "minres", "qmr", "bicgstab", "gmres", "eisenstat"};
    for (int i = 0; i < 6; ++i) {
        s.options = sn_solver_options_default();
        snprintf(s.options.method, sizeof s.options.method, "%s", name[i]);
        s.options.budget = 1e-9;
        assert_int_equal(sn_linear_options(s.linear, &s.options, NULL), SN_OK);
        sn_linear_linearise(s.linear, &s.view, NULL, NULL, NULL);
        memset(s.x, 0, (size_t)s.n * sizeof(double));
        sn_linear_report report;
        assert_int_equal(sn_linear_solve(s.linear, 0, 0, 1, &s.b.filter, s.f, s.x, 1e-9, &report, &error),
                         SN_NOT_CONVERGED);
        assert_true(report.iterations == 8 && !report.fallback);
        assert_non_null(strstr(error.text, "time budget"));
    }
    s.options = sn_solver_options_default();
    snprintf(s.options.method, sizeof s.options.method, "eisenstat");
    snprintf(s.options.preconditioner, sizeof s.options.preconditioner, "ic0");
    assert_int_equal(sn_linear_options(s.linear, &s.options, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "ssor"));
    close_fixture(&s);
    (void)state;
}

/* The product with the damping alone, which is kept for solves at the same place, is the part that d adds to the whole
 * product: for another vector, another d and another place too. */
static void test_damping_alone(void **state) {
    fixture s;
    open_small(&s, false, "cg", "auto", "double");
    sn_element_settings_release(s.context, &s.b.settings);
    s.b.parameters.rayleigh[1] = 0.01;
    assert_int_equal(sn_element_settings_create(s.context, &s.b.elements, &s.b.parameters, 0, &s.b.settings, NULL),
                     SN_OK);
    double *with = calloc(2 * (size_t)s.n, sizeof *with), *without = with + s.n;
    for (int turn = 0; turn < 12; ++turn) {
        const double d = turn % 4 < 3 ? 3 : 5, phase = turn / 2 % 2;
        if (turn % 6 == 5) { /* another place */
            for (int i = 0; i < s.n; ++i) s.b.x[i] += 0.01 * sin(5 * s.b.rest[i]);
            sn_linear_linearise(s.linear, &s.view, NULL, NULL, NULL);
        } else {
            sn_linear_relist(s.linear, NULL, NULL);
        }
        for (int i = 0; i < s.n; ++i) s.x[i] = sin(i + phase);
        for (int twice = 0; twice < 2; ++twice) sn_linear_product(s.linear, 0, d, 0, s.x, s.y);
        sn_linear_product(s.linear, 0, d, 1, s.x, with);
        sn_linear_product(s.linear, 0, 0, 1, s.x, without);
        for (int i = 0; i < s.n; ++i) with[i] -= without[i] + s.y[i];
        assert_true(norm(s.n, s.y) > 0 && norm(s.n, with) <= 1e-9 * norm(s.n, s.y));
    }
    free(with);
    close_fixture(&s);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_system),        cmocka_unit_test(test_system_indefinite),
        cmocka_unit_test(test_auto),          cmocka_unit_test(test_limits),
        cmocka_unit_test(test_same_bits),     cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_no_allocation), cmocka_unit_test(test_damping_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
