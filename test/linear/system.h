/* A beam and the solver of its linear system. */
#ifndef SN_TEST_LINEAR_SYSTEM_H
#define SN_TEST_LINEAR_SYSTEM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "beam.h"
#include "failing_allocator.h"
#include "simd_sets.h"

typedef struct fixture {
    sn_context *context;
    beam b;
    sn_solver_options options;
    sn_linear *linear;
    sn_element_view view;
    double *f, *x, *y;
    int n;
} fixture;

static inline void open_in(fixture *f, sn_context *context, int a, int c, bool is_static, const char *method,
                           const char *preconditioner, const char *precision) {
    memset(f, 0, sizeof *f);
    f->context = context;
    assert_int_equal(beam_create_for(&f->b, f->context, preconditioner, a, c, 0.33, NULL), SN_OK);
    f->n = 3 * f->b.nodes;
    f->f = calloc((size_t)f->n * 3, sizeof(double)), f->x = f->f + f->n, f->y = f->x + f->n;
    for (int i = 0; i < f->b.nodes; ++i) f->f[3 * i + 1] = -9.81 * f->b.mass[i];
    f->options = sn_solver_options_default();
    f->options.iterations = 5000;
    snprintf(f->options.method, sizeof f->options.method, "%s", method);
    snprintf(f->options.preconditioner, sizeof f->options.preconditioner, "%s", preconditioner);
    snprintf(f->options.precision, sizeof f->options.precision, "%s", precision);
    f->view = (sn_element_view){.settings = &f->b.settings, .x = f->b.x};
    const sn_linear_model model = beam_model(&f->b);
    assert_int_equal(sn_linear_create(f->context, &model, &f->options, is_static, &f->linear, NULL), SN_OK);
    sn_linear_linearise(f->linear, &f->view, NULL, NULL, NULL);
}

static inline sn_context *make_context(const char *simd, int threads) {
    sn_context_options options = sn_context_options_default();
    options.threads = threads;
    options.simd = simd_or_widest(simd);
    sn_context *context = NULL;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

static inline void open_fixture(fixture *f, bool is_static, const char *method, const char *precision) {
    open_in(f, make_context("auto", 1), 4, 12, is_static, method, "auto", precision);
}

static inline void close_fixture(fixture *f) {
    sn_linear_destroy(f->linear);
    free(f->f);
    beam_destroy(&f->b);
    sn_context_destroy(f->context);
}

static inline double norm(int n, const double *v) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += v[i] * v[i];
    return sqrt(sum);
}

/* ||S (b - A x)|| by the exact product. */
static inline double residual(fixture *f, double m, double k, const sn_filter *filter) {
    sn_linear_product(f->linear, m, 0, k, f->x, f->y);
    for (int i = 0; i < f->n; ++i) f->y[i] = f->f[i] - f->y[i];
    sn_filter_apply(filter, f->y);
    return norm(f->n, f->y);
}

/* ||S (b - A x)|| / ||S b||. */
static inline double relative_residual(fixture *f, double m) {
    const double gap = residual(f, m, 1, &f->b.filter);
    memcpy(f->y, f->f, (size_t)f->n * sizeof(double));
    sn_filter_apply(&f->b.filter, f->y);
    return gap / norm(f->n, f->y);
}

#endif
