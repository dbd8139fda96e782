/* The solver of a system: refinement, direct against iterative, prescribed motion, lists, mass, options. */
#include "system.h"

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
        /* Away from equilibrium the matrix does not see rigid motion as free of force for rotations, but for
         * translations it does. */
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
                    f.b.filter.projection[9 * i + e] = g.b.filter.projection[9 * i + e] =
                        (e % 4 == 0) - normal[e / 3] * normal[e % 3];
                }
            const double m = is_static ? 0 : 1e4;
            sn_linear_report report;
            for (int twice = 0; twice < 2; ++twice) { /* the second time with the kept symbolic factor */
                memset(f.x, 0, (size_t)f.n * sizeof(double));
                sn_linear_linearise(f.linear, &f.view, NULL, NULL, NULL);
                assert_int_equal(sn_linear_solve(f.linear, m, 0, 1, &f.b.filter, f.f, f.x, 1e-12, &report, NULL),
                                 SN_OK);
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
    assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, &error),
                     SN_NOT_CONVERGED);
    assert_non_null(strstr(error.text, "after 5 iterations"));
    assert_true(report.residual < 1 && report.residual > 1e-10);
    f.options.iterations = 500;
    assert_int_equal(sn_linear_options(f.linear, &f.options, NULL), SN_OK);
    assert_int_equal(sn_linear_solve(f.linear, -1e5, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, &error),
                     SN_NOT_CONVERGED);
    assert_non_null(strstr(error.text, "curvature"));
    for (int i = 0; i < f.n; ++i) assert_true(isfinite(f.x[i]));
    f.f[7] = NAN;
    assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, &error),
                     SN_NOT_FINITE);
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
        const sn_block_list stiffness = {.count = 4, .capacity = 4, .row = row, .column = column, .value = value};
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

/* `auto` in statics: a factor takes over where the iterations do not suffice, at once after three such solves. */
static void test_rescue(void **state) {
    fixture f;
    sn_linear_report report;
    open_in(&f, make_context("auto", 1), 7, 21, true, "auto", "auto", "auto");
    assert_int_equal(sn_linear_solve(f.linear, 0, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, NULL), SN_OK);
    assert_string_equal(report.method, "cg");
    assert_string_equal(report.preconditioner, "multigrid");
    memcpy(f.y, f.x, (size_t)f.n * sizeof(double));
    f.options.iterations = 3;
    assert_int_equal(sn_linear_options(f.linear, &f.options, NULL), SN_OK);
    for (int i = 0; i < 4; ++i) {
        memset(f.x, 0, (size_t)f.n * sizeof(double));
        assert_int_equal(sn_linear_solve(f.linear, 0, 0, 1, &f.b.filter, f.f, f.x, 1e-10, &report, NULL), SN_OK);
        assert_non_null(sn_direct_find(report.method));
        assert_true(report.residual <= 1e-10);
        assert_int_equal(report.iterations > 3, i < 3); /* the spent ones count; the fourth time none are */
        for (int k = 0; k < f.n; ++k) assert_float_equal(f.x[k], f.y[k], 1e-7);
    }
    close_fixture(&f);
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
        cmocka_unit_test(test_rescue),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_options)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
