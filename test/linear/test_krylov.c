/* Conformance of the iterative methods with every preconditioner: each system is solved to its tolerance, or the report says why not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "beam.h"
#include "linear/assembly.h"

typedef struct fixture {
    sn_context *context;
    beam b;
    sn_pattern pattern;
    sn_matrix matrix;
    double *diagonal, *rhs, *x, *y, *scratch;
    int n;
} fixture;

static const sn_preconditioner *const preconditioner[] = {&sn_preconditioner_none, &sn_preconditioner_diagonal,
                                                          &sn_preconditioner_block_jacobi};

static void open_fixture(fixture *f, double m, double k) {
    memset(f, 0, sizeof *f);
    assert_int_equal(sn_context_create(NULL, &f->context, NULL), SN_OK);
    assert_int_equal(beam_create(&f->b, f->context, 3, 8, 0.33, NULL), SN_OK);
    assert_int_equal(sn_pattern_create(f->context, &f->b.elements, NULL, 0, &f->pattern, NULL), SN_OK);
    sn_scatter_map map;
    assert_int_equal(sn_scatter_map_create(f->context, &f->b.elements, &f->pattern, &map, NULL), SN_OK);
    f->n = 3 * f->b.nodes;
    f->matrix = (sn_matrix){.pattern = &f->pattern, .double_ = calloc((size_t)f->pattern.block_count * 9 + 4, sizeof(double))};
    f->diagonal = calloc((size_t)f->n * 3, sizeof(double));
    f->rhs = calloc((size_t)f->n * 3, sizeof(double)), f->x = f->rhs + f->n, f->y = f->x + f->n;
    f->scratch = calloc((size_t)f->n * sn_krylov_cg.vectors + 4 * (size_t)sn_dot_scratch(f->n), sizeof(double));
    const sn_mass mass = {&f->pattern, f->b.mass, NULL};
    const sn_element_view view = {.x = f->b.rest};
    const sn_assembly a = {.context = f->context, .elements = &f->b.elements, .map = &map, .mass = &mass, .view = &view, .m = m, .k = k};
    bool symmetric;
    int missing;
    sn_assemble(&a, &f->matrix, &symmetric, &missing);
    sn_scatter_map_release(f->context, &map);
    for (int i = 0; i < f->n; ++i) f->rhs[i] = sin(0.3 * i * i);
}

static void close_fixture(fixture *f) {
    free(f->matrix.double_), free(f->diagonal), free(f->rhs), free(f->scratch);
    sn_pattern_release(f->context, &f->pattern);
    beam_destroy(&f->b);
    sn_context_destroy(f->context);
}

/* Solves with filter; returns the true relative residual. */
static double run(fixture *f, const sn_preconditioner *p, const sn_filter *filter, double tolerance, int iterations,
                  sn_krylov_report *report) {
    sn_matrix_diagonal(f->context, &f->matrix, f->diagonal);
    const sn_operator op = sn_operator_of_matrix(f->context, &f->matrix, f->diagonal, true);
    void *data = NULL;
    assert_int_equal(p->update(f->context, &op, filter, &data, NULL), SN_OK);
    sn_filter_apply(filter, f->rhs);
    double size = 0, gap = 0;
    for (int i = 0; i < f->n; ++i) size += f->rhs[i] * f->rhs[i];
    sn_krylov_cg.solve(&op, p, data, filter, f->rhs, f->x, tolerance * sqrt(size), iterations, f->scratch, report);
    p->release(f->context, data);
    sn_matrix_product(f->context, &f->matrix, f->x, f->y);
    sn_filter_apply(filter, f->y);
    for (int i = 0; i < f->n; ++i) {
        assert_true(isfinite(f->x[i]));
        gap += (f->rhs[i] - f->y[i]) * (f->rhs[i] - f->y[i]);
    }
    return sqrt(gap / size);
}

static void test_definite(void **state) {
    int before = 1 << 30;
    for (int p = 0; p < 3; ++p) {
        fixture f;
        open_fixture(&f, 1e4, 1);
        sn_krylov_report report;
        assert_true(run(&f, preconditioner[p], NULL, 1e-10, 2000, &report) < 2e-10);
        assert_int_equal(report.status, SN_OK);
        assert_null(report.trouble);
        assert_true(report.iterations < before); /* each preconditioner is better than the one before */
        before = report.iterations;
        const int whole = report.iterations;
        run(&f, preconditioner[p], NULL, 1e-10, whole / 2, &report); /* too few: reported */
        assert_int_equal(report.status, SN_NOT_CONVERGED);
        assert_int_equal(report.iterations, whole / 2);
        close_fixture(&f);
    }
    (void)state;
}

/* A <- T A T with node sizes over eight orders of magnitude. */
static void test_badly_scaled(void **state) {
    for (int p = 1; p < 3; ++p) {
        fixture f;
        open_fixture(&f, 1e4, 1);
        for (int i = 0; i < f.b.nodes; ++i)
            for (int32_t k = f.pattern.row_begin[i]; k < f.pattern.row_begin[i + 1]; ++k)
                for (int e = 0; e < 9; ++e) f.matrix.double_[9 * k + e] *= pow(10, i % 5 - 2) * pow(10, f.pattern.column[k] % 5 - 2);
        sn_krylov_report report;
        assert_true(run(&f, preconditioner[p], NULL, 1e-8, 4000, &report) < 2e-8);
        assert_int_equal(report.status, SN_OK);
        close_fixture(&f);
    }
    (void)state;
}

/* Statics held by fixed nodes, and by a mixture of fixed nodes, held axes and oblique planes. */
static void test_constrained(void **state) {
    for (int p = 0; p < 3; ++p)
        for (int oblique = 0; oblique < 2; ++oblique) {
            fixture f;
            open_fixture(&f, 0, 1);
            sn_filter *filter = &f.b.filter;
            for (int i = 0; i < filter->count && oblique; ++i) {
                const double t = 0.4 * i, normal[3] = {cos(t) * 0.6, sin(t) * 0.6, 0.8};
                for (int e = 0; e < 9 && i % 3; ++e)
                    filter->projection[9 * i + e] = i % 3 == 1 ? (e == 0 || e == 8) : (e % 4 == 0) - normal[e / 3] * normal[e % 3];
            }
            sn_krylov_report report;
            assert_true(run(&f, preconditioner[p], filter, 1e-9, 4000, &report) < 2e-9);
            assert_int_equal(report.status, SN_OK);
            memcpy(f.y, f.x, (size_t)f.n * sizeof(double));
            sn_filter_apply(filter, f.y);
            for (int i = 0; i < f.n; ++i) assert_float_equal(f.x[i], f.y[i], 1e-14 * (1 + fabs(f.x[i])));
            close_fixture(&f);
        }
    (void)state;
}

/* A free body in statics with forces in balance: singular, but there are solutions. */
static void test_singular_consistent(void **state) {
    for (int p = 0; p < 3; ++p) {
        fixture f;
        open_fixture(&f, 0, 1);
        for (int i = 0; i < f.n; ++i) f.x[i] = cos(0.9 * i);
        sn_matrix_product(f.context, &f.matrix, f.x, f.rhs);
        sn_krylov_report report;
        assert_true(run(&f, preconditioner[p], NULL, 1e-8, 4000, &report) < 1e-7);
        assert_int_equal(report.status, SN_OK);
        close_fixture(&f);
    }
    (void)state;
}

static void test_indefinite(void **state) {
    for (int p = 0; p < 3; ++p) {
        fixture f;
        open_fixture(&f, -2e4, 1); /* K - w^2 M beyond the lowest modes */
        sn_krylov_report report;
        run(&f, preconditioner[p], NULL, 1e-10, 4000, &report);
        assert_int_equal(report.status, SN_NOT_CONVERGED);
        assert_non_null(report.trouble);
        for (int64_t i = 0; i < 9 * f.pattern.block_count; ++i) f.matrix.double_[i] = -f.matrix.double_[i]; /* negative diagonals */
        run(&f, preconditioner[p], NULL, 1e-10, 4000, &report);
        assert_int_equal(report.status, SN_NOT_CONVERGED);
        memset(f.matrix.double_, 0, (size_t)f.pattern.block_count * 9 * sizeof(double));
        run(&f, preconditioner[p], NULL, 1e-10, 4000, &report);
        assert_int_equal(report.status, SN_NOT_CONVERGED);
        close_fixture(&f);
    }
    (void)state;
}

static void test_not_finite(void **state) {
    for (int p = 0; p < 3; ++p) {
        fixture f;
        open_fixture(&f, 1e4, 1);
        f.matrix.double_[9 * 40 + 4] = NAN;
        sn_krylov_report report;
        run(&f, preconditioner[p], NULL, 1e-10, 100, &report); /* asserts that x is finite */
        assert_int_equal(report.status, SN_NOT_CONVERGED);
        assert_non_null(report.trouble);
        close_fixture(&f);
    }
    (void)state;
}

/* Cut short, the answer is the last iterate: x.A x / 2 - b.x falls with every iteration, though the residual rises in between. */
static void test_cut_short(void **state) {
    fixture f;
    open_fixture(&f, 0, 1);
    sn_krylov_report report;
    double lowest = 0, residual = INFINITY;
    bool rose = false;
    for (int i = 1; i < 60; ++i) {
        const double now = run(&f, &sn_preconditioner_none, &f.b.filter, 1e-12, i, &report);
        double energy = 0;
        for (int k = 0; k < f.n; ++k) energy += f.x[k] * (0.5 * f.y[k] - f.rhs[k]);
        assert_true(report.last && energy < lowest);
        lowest = energy;
        rose = rose || now > residual;
        residual = now;
    }
    assert_true(rose);
    close_fixture(&f);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definite),    cmocka_unit_test(test_badly_scaled),
                                       cmocka_unit_test(test_constrained), cmocka_unit_test(test_singular_consistent),
                                       cmocka_unit_test(test_indefinite),  cmocka_unit_test(test_not_finite),
                                       cmocka_unit_test(test_cut_short)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
