/* The solver of a system: refinement, direct against iterative, prescribed motion, sameness of bits, memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "beam.h"
#include "failing_allocator.h"

typedef struct fixture {
    sn_context *context;
    beam b;
    sn_solver_options options;
    sn_linear *linear;
    sn_element_view view;
    double *f, *x, *y;
    int n;
} fixture;

static void open_in(fixture *f, sn_context *context, int a, int c, bool is_static, const char *method, const char *precision) {
    memset(f, 0, sizeof *f);
    f->context = context;
    assert_int_equal(beam_create(&f->b, f->context, a, c, 0.33, NULL), SN_OK);
    f->n = 3 * f->b.nodes;
    f->f = calloc((size_t)f->n * 3, sizeof(double)), f->x = f->f + f->n, f->y = f->x + f->n;
    for (int i = 0; i < f->b.nodes; ++i) f->f[3 * i + 1] = -9.81 * f->b.mass[i];
    f->options = sn_solver_options_default();
    f->options.iterations = 5000;
    snprintf(f->options.method, sizeof f->options.method, "%s", method);
    snprintf(f->options.precision, sizeof f->options.precision, "%s", precision);
    f->view = (sn_element_view){.x = f->b.x};
    const sn_linear_model model = beam_model(&f->b);
    assert_int_equal(sn_linear_create(f->context, &model, &f->options, is_static, &f->linear, NULL), SN_OK);
    sn_linear_linearise(f->linear, &f->view, NULL, NULL, NULL);
}

static sn_context *make_context(const char *simd, int threads) {
    sn_context_options options = sn_context_options_default();
    options.threads = threads;
    options.simd = simd;
    sn_context *context = NULL;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

static void open_fixture(fixture *f, bool is_static, const char *method, const char *precision) {
    open_in(f, make_context("auto", 1), 4, 12, is_static, method, precision);
}

static void close_fixture(fixture *f) {
    sn_linear_destroy(f->linear);
    free(f->f);
    beam_destroy(&f->b);
    sn_context_destroy(f->context);
}

static double norm(int n, const double *v) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += v[i] * v[i];
    return sqrt(sum);
}

/* ||S (b - A x)|| by the exact product. */
static double residual(fixture *f, double m, double k, const sn_filter *filter) {
    sn_linear_product(f->linear, m, 0, k, f->x, f->y);
    for (int i = 0; i < f->n; ++i) f->y[i] = f->f[i] - f->y[i];
    sn_filter_apply(filter, f->y);
    return norm(f->n, f->y);
}

static void test_refinement(void **state) {
    const char *precision[] = {"single", "double", "auto"};
    for (int p = 0; p < 3; ++p)
        for (int is_static = 0; is_static < 2; ++is_static) {
            fixture f;
            open_fixture(&f, is_static, "cg", precision[p]);
            const double m = is_static ? 0 : 1e4;
            sn_linear_report report;
            assert_int_equal(sn_linear_solve(f.linear, m, 0, 1, &f.b.filter, f.f, f.x, 1e-12, &report, NULL), SN_OK);
            assert_true(report.residual <= 1e-12);
            double *b = calloc((size_t)f.n, sizeof *b);
            memcpy(b, f.f, (size_t)f.n * sizeof *b);
            sn_filter_apply(&f.b.filter, b);
            assert_true(residual(&f, m, 1, &f.b.filter) <= 1.5e-12 * norm(f.n, b));
            assert_string_equal(report.method, "cg");
            assert_string_equal(report.preconditioner, "block-jacobi");
            /* Warm start: nothing is left to do. */
            assert_int_equal(sn_linear_solve(f.linear, m, 0, 1, &f.b.filter, f.f, f.x, 1e-11, &report, NULL), SN_OK);
            assert_int_equal(report.iterations, 0);
            free(b);
            close_fixture(&f);
        }
    (void)state;
}

static void test_assembly_free(void **state) {
    fixture f, g;
    open_fixture(&f, false, "cg", "auto");
    open_fixture(&g, false, "cg", "double");
    snprintf(f.options.operator_, sizeof f.options.operator_, "assembly-free");
    assert_int_equal(sn_linear_options(f.linear, &f.options, NULL), SN_OK);
    sn_linear_report report;
    assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-12, &report, NULL), SN_OK);
    assert_int_equal(sn_linear_solve(g.linear, 1e4, 0, 1, &g.b.filter, g.f, g.x, 1e-12, &report, NULL), SN_OK);
    for (int i = 0; i < f.n; ++i) assert_float_equal(f.x[i], g.x[i], 1e-10 * 1e-3);
    close_fixture(&f);
    close_fixture(&g);
    (void)state;
}

/* Constrained components with given values, some of them oblique: kept, and the free ones in balance with them. */
static void test_prescribed(void **state) {
    const char *method[] = {
        "cg",
#if defined(SN_HAVE_CHOLMOD)
        "cholesky"
#endif
    };
    for (unsigned k = 0; k < sizeof method / sizeof *method; ++k) {
        fixture f;
        open_fixture(&f, true, method[k], "auto");
        for (int i = 1; i < f.b.filter.count; i += 4) { /* I - n n^T */
            const double normal[3] = {0.48, 0.6, 0.64};
            for (int e = 0; e < 9; ++e) f.b.filter.projection[9 * i + e] = (e % 4 == 0) - normal[e / 3] * normal[e % 3];
        }
        memset(f.f, 0, (size_t)f.n * sizeof(double)); /* no force: only the motion drives it */
        double given[3] = {0.01, -0.02, 0.03};
        for (int i = 0; i < f.b.filter.count; ++i) memcpy(f.x + 3 * f.b.filter.node[i], given, sizeof given);
        double before[3 * 64];
        for (int i = 0; i < f.b.filter.count; ++i) memcpy(before + 3 * i, given, sizeof given);
        sn_linear_report report;
        assert_int_equal(sn_linear_solve(f.linear, 0, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, NULL), SN_OK);
        /* Away from equilibrium the matrix does not see rigid motion as free of force for rotations, but for translations it does. */
        for (int i = 0; i < f.b.nodes; ++i)
            for (int c = 0; c < 3; ++c) assert_float_equal(f.x[3 * i + c], given[c], 1e-6);
        for (int i = 0; i < f.b.filter.count; ++i) { /* (I - S) x is as given to rounding */
            const double *S = f.b.filter.projection + 9 * i, *u = f.x + 3 * f.b.filter.node[i];
            for (int r = 0; r < 3; ++r) {
                double now = u[r] - given[r];
                for (int c = 0; c < 3; ++c) now -= S[3 * r + c] * (u[c] - given[c]);
                assert_float_equal(now, 0, 1e-15);
            }
        }
        close_fixture(&f);
    }
    (void)state;
}

#if defined(SN_HAVE_CHOLMOD)
static void test_cholesky(void **state) {
    for (int oblique = 0; oblique < 2; ++oblique)
        for (int is_static = 0; is_static < 2; ++is_static) {
            fixture f, g;
            open_fixture(&f, is_static, "cholesky", "auto");
            open_fixture(&g, is_static, "cg", "double");
            for (int i = 0; i < f.b.filter.count && oblique; i += 2)
                for (int e = 0; e < 9; ++e) {
                    const double normal[3] = {0.48, 0.6, 0.64};
                    f.b.filter.projection[9 * i + e] = g.b.filter.projection[9 * i + e] = (e % 4 == 0) - normal[e / 3] * normal[e % 3];
                }
            const double m = is_static ? 0 : 1e4;
            sn_linear_report report;
            for (int twice = 0; twice < 2; ++twice) { /* the second time with the kept symbolic factor */
                memset(f.x, 0, (size_t)f.n * sizeof(double));
                sn_linear_linearise(f.linear, &f.view, NULL, NULL, NULL);
                assert_int_equal(sn_linear_solve(f.linear, m, 0, 1, &f.b.filter, f.f, f.x, 1e-12, &report, NULL), SN_OK);
            }
            assert_string_equal(report.method, "cholesky");
            assert_int_equal(sn_linear_solve(g.linear, m, 0, 1, &g.b.filter, g.f, g.x, 1e-12, &report, NULL), SN_OK);
            const double size = norm(g.n, g.x);
            for (int i = 0; i < f.n; ++i) assert_float_equal(f.x[i], g.x[i], 1e-10 * size);
            close_fixture(&f);
            close_fixture(&g);
        }
    (void)state;
}

static void test_singular(void **state) {
    fixture f;
    open_fixture(&f, true, "auto", "auto");
    f.view.x = f.b.rest; /* all six rigid modes */
    sn_error error = {0};
    sn_linear_report report;
    for (int held = 0; held < 2; ++held) { /* free; held at one node, free to turn */
        const sn_filter filter = {.count = held, .node = f.b.filter.node, .projection = f.b.filter.projection};
        sn_linear_linearise(f.linear, &f.view, NULL, NULL, NULL);
        assert_int_equal(sn_linear_solve(f.linear, 0, 0, 1, &filter, f.f, f.x, 1e-8, &report, &error), SN_SINGULAR);
        assert_string_equal(report.method, "cholesky");
        assert_non_null(strstr(error.text, "held"));
        for (int i = 0; i < f.n; ++i) assert_true(isfinite(f.x[i]));
    }
    /* Held properly, the same solver works. */
    assert_int_equal(sn_linear_solve(f.linear, 0, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, &error), SN_OK);
    /* Indefinite. */
    assert_int_equal(sn_linear_solve(f.linear, -1e5, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, &error), SN_SINGULAR);
    close_fixture(&f);
    (void)state;
}
#endif

static void test_not_converged(void **state) {
    fixture f;
    open_fixture(&f, false, "cg", "single");
    f.options.iterations = 5;
    assert_int_equal(sn_linear_options(f.linear, &f.options, NULL), SN_OK);
    sn_error error = {0};
    sn_linear_report report;
    assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, &error), SN_NOT_CONVERGED);
    assert_non_null(strstr(error.text, "after 5 iterations"));
    assert_true(report.residual < 1 && report.residual > 1e-10);
    f.options.iterations = 500;
    assert_int_equal(sn_linear_options(f.linear, &f.options, NULL), SN_OK);
    assert_int_equal(sn_linear_solve(f.linear, -1e5, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, &error), SN_NOT_CONVERGED);
    assert_non_null(strstr(error.text, "curvature"));
    for (int i = 0; i < f.n; ++i) assert_true(isfinite(f.x[i]));
    f.f[7] = NAN;
    assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, &error), SN_NOT_FINITE);
    memset(f.f, 0, (size_t)f.n * sizeof(double));
    assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, &error), SN_OK);
    assert_true(norm(f.n, f.x) == 0);
    close_fixture(&f);
    (void)state;
}

/* A follower load's unsymmetric block and a coupling that the pattern does not hold: refinement carries both. */
static void test_lists(void **state) {
    const char *method[] = {
        "cg",
#if defined(SN_HAVE_CHOLMOD)
        "cholesky"
#endif
    };
    for (unsigned k = 0; k < sizeof method / sizeof *method; ++k) {
        fixture f;
        open_fixture(&f, false, method[k], "auto");
        int32_t row[] = {100, 100, 3, 200}, column[] = {100, 100, 200, 3};
        double value[36] = {500, 0, 0, 0, 500, 0, 0, 0, 500, 0, 60, 0, 0, 0, 90, 20, 0, 0};
        for (int i = 0; i < 3; ++i) value[18 + 4 * i] = value[27 + 4 * i] = -30;
        const sn_block_list stiffness = {4, 4, row, column, value};
        sn_linear_linearise(f.linear, &f.view, &stiffness, NULL, NULL);
        sn_linear_report report;
        sn_error error = {0};
        assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-9, &report, &error), SN_OK);
        assert_true(report.rounds > 1);
        double *b = calloc((size_t)f.n, sizeof *b);
        memcpy(b, f.f, (size_t)f.n * sizeof *b);
        sn_filter_apply(&f.b.filter, b);
        assert_true(residual(&f, 1e4, 1, &f.b.filter) <= 2e-9 * norm(f.n, b));
        free(b);
        close_fixture(&f);
    }
    (void)state;
}

static void test_same_bits(void **state) {
    const char *simd[] = {"baseline", "avx2", "avx512"}, *precision[] = {"single", "double"};
    for (int p = 0; p < 2; ++p) {
        double *first = NULL;
        int iterations = 0;
        for (int s = 0; s < 3; ++s)
            for (int threads = 1; threads <= 4; threads *= 2) {
                fixture f;
                open_in(&f, make_context(simd[s], threads), 7, 21, false, "cg", precision[p]);
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

static void test_no_allocation(void **state) {
    for (int free_of_assembly = 0; free_of_assembly < 2; ++free_of_assembly) {
        failing_allocator failing = failing_allocator_make();
        fixture f;
        open_in(&f, failing_allocator_context(&failing), 3, 8, false, "cg", "auto");
        if (free_of_assembly) snprintf(f.options.operator_, sizeof f.options.operator_, "assembly-free");
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

static void test_failing_memory(void **state) {
    failing_allocator failing = failing_allocator_make();
    fixture f;
    open_in(&f, failing_allocator_context(&failing), 2, 4, false, "cg", "auto");
    const sn_linear_model model = beam_model(&f.b);
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
        }
        failing_allocator_disarm(&failing);
        assert_true(status == SN_OK || (status == SN_NO_MEMORY && error.text[0]));
        if (status && linear) { /* it recovers when memory is back */
            memset(f.x, 0, (size_t)f.n * sizeof(double));
            assert_int_equal(sn_linear_solve(linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-8, NULL, &error), SN_OK);
        }
        sn_linear_destroy(linear);
        assert_int_equal(failing.live, live);
    }
    assert_true(n > 10);
    close_fixture(&f);
    assert_int_equal(failing.live, 0);
    (void)state;
}

static void test_mass(void **state) {
    fixture f;
    open_fixture(&f, false, "cg", "auto");
    sn_linear_mass_product(f.linear, f.f, f.y);
    for (int i = 0; i < f.n; ++i) assert_float_equal(f.y[i], f.b.mass[i / 3] * f.f[i], 0);
    assert_int_equal(sn_linear_mass_solve(f.linear, &f.b.filter, f.y, f.x, NULL), SN_OK);
    sn_filter_apply(&f.b.filter, f.f);
    for (int i = 0; i < f.n; ++i) assert_float_equal(f.x[i], f.f[i], 1e-15);
    close_fixture(&f);

    /* Consistent: total mass, and the solve undoes the product in the free directions. */
    open_fixture(&f, false, "cg", "auto");
    const uint8_t consistent = 1;
    double *none = calloc((size_t)f.b.nodes, sizeof *none), total = 0, expected = 0;
    sn_linear_model model = beam_model(&f.b);
    model.mass = none, model.source = &f.b.source, model.source_count = 1, model.source_consistent = &consistent;
    sn_linear *linear;
    assert_int_equal(sn_linear_create(f.context, &model, &f.options, false, &linear, NULL), SN_OK);
    for (int i = 0; i < f.n; ++i) f.x[i] = i % 3 == 0, expected += i % 3 == 0 ? f.b.mass[i / 3] : 0;
    sn_linear_mass_product(linear, f.x, f.y);
    for (int i = 0; i < f.n; ++i) total += f.y[i];
    assert_float_equal(total, expected, 1e-12 * expected);
    for (int i = 0; i < f.n; ++i) f.f[i] = sin(i);
    sn_filter_apply(&f.b.filter, f.f);
    sn_linear_mass_product(linear, f.f, f.y);
    assert_int_equal(sn_linear_mass_solve(linear, &f.b.filter, f.y, f.x, NULL), SN_OK);
    for (int i = 0; i < f.n; ++i) assert_float_equal(f.x[i], f.f[i], 1e-11);
    /* In the step matrix it counts the same assembled and not. */
    f.view.x = f.b.x;
    sn_linear_linearise(linear, &f.view, NULL, NULL, NULL);
    sn_linear_report report;
    memset(f.x, 0, (size_t)f.n * sizeof(double));
    assert_int_equal(sn_linear_solve(linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, NULL), SN_OK);
    assert_true(report.rounds <= 3 && !report.fallback);
    sn_linear_destroy(linear);
    free(none);
    close_fixture(&f);
    (void)state;
}

static void test_options(void **state) {
    sn_solver_options o = sn_solver_options_default();
    sn_error error = {0};
    assert_int_equal(sn_solver_options_check(&o, &error), SN_OK);
    assert_string_equal(o.method, "auto");
    assert_true(o.tolerance == 1e-6 && o.iterations == 500 && o.warm_start);
    snprintf(o.method, sizeof o.method, "cgg");
    assert_int_equal(sn_solver_options_check(&o, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "did you mean 'cg'"));
    o = sn_solver_options_default();
    o.tolerance = 0;
    assert_int_equal(sn_solver_options_check(&o, &error), SN_BAD_INPUT);
    o = sn_solver_options_default();
    o.iterations = 0;
    assert_int_equal(sn_solver_options_check(&o, &error), SN_BAD_INPUT);
#if defined(SN_HAVE_CHOLMOD)
    o = sn_solver_options_default();
    snprintf(o.method, sizeof o.method, "cholesky");
    snprintf(o.operator_, sizeof o.operator_, "assembly-free");
    assert_int_equal(sn_solver_options_check(&o, &error), SN_BAD_INPUT);
#endif
    /* Every listed name is found. */
    int count;
    const sn_listing *list = sn_solvers(&count);
    for (int i = 1; i < count; ++i) assert_true(sn_krylov_find(list[i].name) || sn_direct_find(list[i].name));
    list = sn_preconditioners(&count);
    for (int i = 1; i < count; ++i) assert_non_null(sn_preconditioner_find(list[i].name));
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refinement),
        cmocka_unit_test(test_assembly_free),
        cmocka_unit_test(test_prescribed),
#if defined(SN_HAVE_CHOLMOD)
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_singular),
#endif
        cmocka_unit_test(test_not_converged),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
