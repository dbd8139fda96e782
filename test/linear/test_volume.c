/* The volumes of nearly incompressible bodies as unknowns: the division of the matrix, and the method `mixed`. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* */
#include <cmocka.h>

#include "beam.h"
#include "linear/matrix/assembly.h"
#include "linear/matrix/volume.h"

static sn_context *context_of(int threads) {
    sn_context_options options = sn_context_options_default();
    sn_context *context;
    sn_error error;
    options.threads = threads;
    assert_int_equal(sn_context_create(&options, &context, &error), SN_OK);
    return context;
}

/* ---- A = A' + B^T D B ---- */
typedef struct divided {
    beam b;
    sn_pattern pattern;
    sn_scatter_map map;
    sn_mass mass;
    sn_volumes volumes;
    sn_matrix whole, rest;
} divided;

static void make(divided *d, sn_context *context, const sn_element *element, double poisson) {
    sn_error error;
    bool symmetric;
    assert_int_equal(beam_create_with(&d->b, context, element, 2, 5, poisson, &error), SN_OK);
    assert_int_equal(sn_pattern_create(context, &d->b.elements, NULL, 0, NULL, &d->pattern, &error), SN_OK);
    assert_int_equal(sn_scatter_map_create(context, &d->b.elements, &d->pattern, NULL, &d->map, &error), SN_OK);
    assert_int_equal(sn_volumes_create(context, d->b.elements.patches, &d->volumes, &error), SN_OK);
    d->mass = (sn_mass){&d->pattern, d->b.mass, NULL};
    const size_t values = (size_t)d->pattern.block_count * 9 + 8;
    d->whole = (sn_matrix){.pattern = &d->pattern, .double_ = sn_allocate_zero(context, values, sizeof(double))};
    d->rest = (sn_matrix){.pattern = &d->pattern, .double_ = sn_allocate_zero(context, values, sizeof(double))};
    const sn_element_view view = {.settings = &d->b.settings, .x = d->b.x};
    sn_assembly assembly = {.context = context,
                            .elements = &d->b.elements,
                            .map = &d->map,
                            .mass = &d->mass,
                            .view = &view,
                            .patches = true,
                            .m = 1e4,
                            .k = 1};
    sn_assemble(&assembly, &d->whole, &symmetric);
    assembly.volumes = &d->volumes;
    sn_assemble(&assembly, &d->rest, &symmetric);
}

static void release(divided *d) {
    sn_context *context = d->b.context;
    sn_release(context, d->whole.double_);
    sn_release(context, d->rest.double_);
    sn_volumes_release(context, &d->volumes);
    sn_scatter_map_release(context, &d->map);
    sn_pattern_release(context, &d->pattern);
    beam_destroy(&d->b);
}

static void some_field(int n, double *u) {
    for (int i = 0; i < n; ++i) u[i] = sin(12.9898 * i + 3.1) * cos(0.731 * i);
}

/* The two equations with the pressures eliminated give the whole matrix; without a stiff volume nothing is taken out.
 */
static void division_keeps_the_matrix(void **unused) {
    (void)unused;
    const sn_element *element[] = {&sn_element_tet10_reduced, &sn_element_tet4_smooth};
    sn_context *context = context_of(1);
    for (int e = 0; e < 2; ++e)
        for (int stiff = 0; stiff < 2; ++stiff) {
            divided d;
            make(&d, context, element[e], stiff ? 0.4995 : 0.35);
            const int n = 3 * d.b.nodes;
            double *u = calloc((size_t)n * 3, sizeof *u), *whole = u + n, *sum = whole + n, gap = 0, size = 0,
                   least = 0;
            double *p = calloc((size_t)d.volumes.count, sizeof *p);
            some_field(n, u);
            sn_matrix_product(context, &d.whole, u, whole);
            sn_matrix_product(context, &d.rest, u, sum);
            for (int i = 0; i < n; ++i) least = fmax(least, fabs(whole[i] - sum[i]));
            sn_volumes_measure(context, &d.volumes, u, NULL, p);
            for (int a = 0; a < d.volumes.count; ++a) p[a] /= d.volumes.compliance[a];
            sn_volumes_spread(context, &d.volumes, 1, p, sum);
            for (int i = 0; i < n; ++i) gap = fmax(gap, fabs(whole[i] - sum[i])), size = fmax(size, fabs(whole[i]));
            assert_true(gap < 1e-12 * size);
            assert_true(stiff ? least > 0.5 * size : least == 0);
            free(u), free(p);
            release(&d);
        }
    sn_context_destroy(context);
}

/* ---- The method ---- */
static sn_linear_report solve_within(beam *b, const char *method, bool is_static, double tolerance, int iterations,
                                     double *x) {
    const int n = 3 * b->nodes;
    double *f = calloc((size_t)n, sizeof *f);
    for (int i = 0; i < b->nodes; ++i) f[3 * i + 1] = -9.81 * b->mass[i];
    const sn_element_view view = {.settings = &b->settings, .x = b->x};
    sn_solver_options options = sn_solver_options_default();
    snprintf(options.method, sizeof options.method, "%s", method);
    if (strcmp(method, "auto") != 0) snprintf(options.preconditioner, sizeof options.preconditioner, "multigrid");
    options.iterations = iterations;
    const sn_linear_model model = beam_model(b);
    sn_linear *linear;
    sn_linear_report report;
    sn_error error;
    assert_int_equal(sn_linear_create(b->context, &model, &options, is_static, &linear, &error), SN_OK);
    sn_linear_linearise(linear, &view, NULL, NULL, NULL);
    memset(x, 0, (size_t)n * sizeof *x);
    const double m = is_static ? 0 : 1e4;
    assert_int_equal(sn_linear_solve(linear, m, 0, 1, &b->filter, f, x, tolerance, &report, &error), SN_OK);
    sn_linear_destroy(linear);
    free(f);
    return report;
}

static sn_linear_report solve(beam *b, const char *method, bool is_static, double tolerance, double *x) {
    return solve_within(b, method, is_static, tolerance, 3000, x);
}

/* Iterations of a beam of tet10-reduced with this Poisson's ratio; the solution of CG to compare with. */
static void iterations_of(double poisson, bool is_static, int *cg, int *mixed) {
    beam b;
    sn_error error;
    sn_context *context = context_of(1);
    assert_int_equal(beam_create_with(&b, context, &sn_element_tet10_reduced, 4, 12, poisson, &error), SN_OK);
    const int n = 3 * b.nodes;
    double *x = calloc((size_t)n * 2, sizeof *x), *y = x + n, gap = 0, size = 0;
    *cg = solve(&b, "cg", is_static, 1e-6, x).iterations;
    solve(&b, "mixed", is_static, 1e-9, x);
    *mixed = solve(&b, "mixed", is_static, 1e-6, y).iterations;
    for (int i = 0; i < n; ++i) gap = fmax(gap, fabs(x[i] - y[i])), size = fmax(size, fabs(x[i]));
    assert_true(gap < 1e-3 * size);
    solve(&b, "cg", is_static, 1e-9, y);
    gap = 0;
    for (int i = 0; i < n; ++i) gap = fmax(gap, fabs(x[i] - y[i]));
    assert_true(gap < 1e-5 * size);
    free(x);
    beam_destroy(&b);
    sn_context_destroy(context);
}

static void iterations_hardly_depend_on_poisson(void **unused) {
    (void)unused;
    for (int is_static = 0; is_static < 2; ++is_static) {
        int soft[2], stiff[2];
        iterations_of(0.45, is_static, &soft[0], &soft[1]);
        iterations_of(0.499, is_static, &stiff[0], &stiff[1]);
        assert_true(stiff[1] <= 3 * soft[1]);
        assert_true(stiff[1] <= 60);
        assert_true(stiff[0] > 3 * soft[0] && stiff[0] > 2 * stiff[1]); /* CG is the measure */
    }
}

/* `auto` takes it for stiff volumes only, and any number of threads gives the same bits. */
static void auto_chooses_it(void **unused) {
    (void)unused;
    double *first = NULL;
    for (int threads = 1; threads <= 3; threads += 2)
        for (int stiff = 0; stiff < 2; ++stiff) {
            beam b;
            sn_error error;
            sn_context *context = context_of(threads);
            assert_int_equal(
                beam_create_with(&b, context, &sn_element_tet10_reduced, 3, 9, stiff ? 0.499 : 0.45, &error), SN_OK);
            double *x = calloc((size_t)b.nodes * 3, sizeof *x);
            const sn_linear_report report = solve(&b, "auto", false, 1e-6, x);
            assert_string_equal(report.method, stiff ? "mixed" : "cg");
            assert_string_equal(report.preconditioner, "multigrid");
            if (stiff && first) assert_memory_equal(x, first, (size_t)b.nodes * 3 * sizeof *x);
            if (stiff && !first)
                first = x;
            else
                free(x);
            beam_destroy(&b);
            sn_context_destroy(context);
        }
    free(first);
}

/* When the mixed form of `auto` does not reach the tolerance, statics factors the matrix, the whole one. */
static void auto_has_a_way_out(void **unused) {
    (void)unused;
    beam b;
    sn_error error;
    sn_context *context = context_of(1);
    assert_int_equal(beam_create_with(&b, context, &sn_element_tet10_reduced, 3, 9, 0.499, &error), SN_OK);
    double *x = calloc((size_t)b.nodes * 3, sizeof *x);
    assert_string_equal(solve(&b, "auto", true, 1e-6, x).method, "mixed");
    const sn_linear_report report = solve_within(&b, "auto", true, 1e-9, 5, x);
    assert_non_null(sn_direct_find(report.method));
    assert_true(report.residual <= 1e-9 && report.iterations > 5);
    free(x);
    beam_destroy(&b);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(division_keeps_the_matrix),
        cmocka_unit_test(iterations_hardly_depend_on_poisson),
        cmocka_unit_test(auto_chooses_it),
        cmocka_unit_test(auto_has_a_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
