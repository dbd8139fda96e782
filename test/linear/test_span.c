/* Better starts: a solution that lies in the span is found without iterations, what does not help does no harm, held
 * directions stay held; the same bits on any number of threads and any instruction set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "beam.h"
#include "linear/krylov/span.h"
#include "simd_sets.h"

typedef struct fixture {
    sn_context *context;
    beam b;
    sn_linear *linear;
    int n;
    double *f, *x, *exact, *other;
} fixture;

static void start(fixture *s, const sn_context_options *options, const char *preconditioner) {
    memset(s, 0, sizeof *s);
    sn_error error = {0};
    assert_int_equal(sn_context_create(options, &s->context, &error), SN_OK);
    assert_int_equal(beam_create(&s->b, s->context, 5, 15, 0.33, &error), SN_OK);
    sn_solver_options solver = sn_solver_options_default();
    snprintf(solver.method, sizeof solver.method, "cg");
    snprintf(solver.preconditioner, sizeof solver.preconditioner, "%s", preconditioner);
    solver.iterations = 5000;
    const sn_linear_model model = beam_model(&s->b);
    assert_int_equal(sn_linear_create(s->context, &model, &solver, false, &s->linear, &error), SN_OK);
    s->n = 3 * s->b.nodes;
    s->f = calloc((size_t)s->n * 4, sizeof *s->f);
    s->x = s->f + s->n, s->exact = s->x + s->n, s->other = s->exact + s->n;
    for (int i = 0; i < s->b.nodes; ++i) s->f[3 * i + 1] = -9.81 * s->b.mass[i];
    for (int i = 0; i < s->n; ++i) s->other[i] = sin(0.37 * i);
    const sn_element_view view = {.settings = &s->b.settings, .x = s->b.x};
    sn_linear_linearise(s->linear, &view, NULL, NULL, NULL);
    assert_int_equal(sn_linear_solve(s->linear, 1e4, 0, 1, &s->b.filter, s->f, s->exact, 1e-12, NULL, &error), SN_OK);
}

static void stop(fixture *s) {
    sn_linear_destroy(s->linear);
    free(s->f);
    beam_destroy(&s->b);
    sn_context_destroy(s->context);
}

/* Solves from zero with the given directions; returns the iterations. */
static int solve(fixture *s, int count, const double *const *direction, double tolerance) {
    sn_linear_report report;
    sn_error error = {0};
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    if (count) sn_linear_expect(s->linear, count, direction);
    const sn_status status =
        sn_linear_solve(s->linear, 1e4, 0, 1, &s->b.filter, s->f, s->x, tolerance, &report, &error);
    if (status) print_error("%s\n", error.text);
    assert_int_equal(status, SN_OK);
    assert_true(report.residual <= tolerance);
    for (int i = 0; i < s->b.filter.count; ++i)
        for (int a = 0; a < 3; ++a) assert_true(s->x[3 * s->b.filter.node[i] + a] == 0);
    return report.iterations;
}

static double distance(const fixture *s) {
    double sum = 0, all = 0;
    for (int i = 0; i < s->n; ++i)
        sum += (s->x[i] - s->exact[i]) * (s->x[i] - s->exact[i]), all += s->exact[i] * s->exact[i];
    return sqrt(sum / all);
}

static void test_in_the_span(void **state) {
    (void)state;
    fixture s;
    start(&s, NULL, "block-jacobi");
    double *mixed = calloc((size_t)s.n, sizeof *mixed), *zero = calloc((size_t)s.n, sizeof *zero);
    for (int i = 0; i < s.n; ++i) mixed[i] = -3e5 * s.exact[i] + 1e-3 * s.other[i];
    const double *const all[] = {s.other, zero, mixed, s.other}; /* with a zero and one twice */
    const int plain = solve(&s, 0, NULL, 1e-4), helped = solve(&s, 4, all, 1e-4);
    print_message("%d iterations from nothing, %d when the solution is in the span\n", plain, helped);
    assert_true(helped == 0 && plain > 10);
    assert_true(distance(&s) < 1e-3);
    free(mixed), free(zero);
    stop(&s);
}

static void test_no_harm(void **state) {
    (void)state;
    fixture s;
    start(&s, NULL, "block-jacobi");
    double *huge = calloc((size_t)s.n * 2, sizeof *huge), *tiny = huge + s.n;
    for (int i = 0; i < s.n; ++i) huge[i] = 1e60 * cos(0.11 * i), tiny[i] = 1e-60 * cos(1.7 * i);
    const double *const all[] = {s.other, huge, tiny};
    const int plain = solve(&s, 0, NULL, 1e-8), with = solve(&s, 3, all, 1e-8);
    assert_true(with <= plain + plain / 5);
    assert_true(distance(&s) < 1e-5);
    assert_int_equal(solve(&s, 0, NULL, 1e-8), plain); /* forgotten */
    for (int i = 0; i < s.n; ++i) huge[i] = i % 7 ? INFINITY : NAN;
    assert_true(solve(&s, 2, all, 1e-8) <= plain + plain / 5);
    free(huge);
    stop(&s);
}

static void test_same_bits(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int k = 0; k < 4; ++k) {
        static const char *const simd[] = {"baseline", "avx2", "avx512", "avx512"};
        sn_context_options options = sn_context_options_default();
        options.simd = simd_or_widest(simd[k]);
        options.threads = k + 1;
        fixture s;
        start(&s, &options, "multigrid");
        const double *const all[] = {s.other, s.b.x, s.f};
        solve(&s, 3, all, 1e-8);
        const uint64_t hash = sn_hash(SN_HASH_START, s.x, (size_t)s.n * sizeof *s.x);
        if (k == 0) first = hash;
        assert_true(hash == first);
        stop(&s);
    }
}

int main(void) {
    const struct CMUnitTest test[] = {cmocka_unit_test(test_in_the_span), cmocka_unit_test(test_no_harm),
                                      cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(test, NULL, NULL);
}
