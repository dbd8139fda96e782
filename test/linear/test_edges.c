/* Assembly by edges against assembly by elements, and what force evaluations leave for the linearisation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "beam.h"
#include "linear/matrix/assembly.h"

typedef struct fixture {
    sn_context *context;
    beam b;
    sn_pattern pattern;
    sn_scatter_map map;
    sn_edges edges;
    sn_mass mass;
    sn_matrix by_elements, by_edges;
    double *linearised, *coupled;
    sn_element_view view;
} fixture;

static void open_fixture(fixture *f, int threads, const char *simd) {
    memset(f, 0, sizeof *f);
    sn_context_options options = sn_context_options_default();
    options.threads = threads, options.simd = simd;
    assert_int_equal(sn_context_create(&options, &f->context, NULL), SN_OK);
    assert_int_equal(beam_create(&f->b, f->context, 4, 9, 0.4, NULL), SN_OK);
    f->b.parameters.viscous[0] = 3, f->b.parameters.viscous[1] = 5, f->b.parameters.rayleigh[1] = 0.01;
    assert_int_equal(sn_elements_parameters(&f->b.elements, &f->b.parameters, 0, &f->b.settings, NULL), SN_OK);
    f->view = (sn_element_view){.settings = &f->b.settings, .x = f->b.x};
    const int32_t pair[1][2] = {{2, 150}};
    assert_int_equal(sn_pattern_create(f->context, &f->b.elements, pair, 1, NULL, &f->pattern, NULL), SN_OK);
    assert_int_equal(sn_scatter_map_create(f->context, &f->b.elements, &f->pattern, NULL, &f->map, NULL), SN_OK);
    assert_true(sn_edges_serve(&f->b.elements, &f->view));
    assert_int_equal(sn_edges_create(f->context, &f->b.elements, &f->pattern, &f->edges, NULL), SN_OK);
    const size_t values = (size_t)f->pattern.block_count * 9 + 8;
    f->by_elements = (sn_matrix){.pattern = &f->pattern, .single_ = calloc(values, sizeof(float))};
    f->by_edges = (sn_matrix){.pattern = &f->pattern, .single_ = malloc(values * sizeof(float))};
    memset(f->by_edges.single_, 0x7f, values * sizeof(float)); /* every number must be written */
    f->linearised = sn_allocate(f->context, (size_t)f->b.elements.linearised_size, sizeof(double));
    f->coupled = calloc((size_t)f->pattern.block_count, sizeof(double));
    for (int64_t k = 0; k < f->pattern.block_count; ++k)
        f->coupled[k] = 1e-3 * (1 + (double)(k < f->pattern.mirror[k] ? k : f->pattern.mirror[k]));
    f->mass = (sn_mass){&f->pattern, f->b.mass, NULL};
}

static void close_fixture(fixture *f) {
    free(f->by_elements.single_), free(f->by_edges.single_), free(f->coupled);
    sn_release(f->context, f->linearised);
    sn_edges_release(f->context, &f->edges);
    sn_scatter_map_release(f->context, &f->map);
    sn_pattern_release(f->context, &f->pattern);
    beam_destroy(&f->b);
    sn_context_destroy(f->context);
}

/* Both ways; `edges` may refuse and leave it to the elements. */
static void assemble_both(fixture *f) {
    const double k = 1.5, d = 0.2;
    sn_assembly a = {.context = f->context,
                     .elements = &f->b.elements,
                     .map = &f->map,
                     .mass = &f->mass,
                     .view = &f->view,
                     .m = 30,
                     .d = d,
                     .k = k};
    bool symmetric;
    sn_assemble(&a, &f->by_elements, &symmetric);
    assert_true(symmetric);
    sn_elements_linearise(f->context, &f->b.elements, &f->view, k, d, f->linearised);
    a.linearised = f->linearised, a.edges = &f->edges;
    sn_assemble(&a, &f->by_edges, &symmetric);
    assert_true(symmetric);
}

static void assert_same(const fixture *f) {
    double size = 0, gap = 0;
    for (int64_t i = 0; i < 9 * f->pattern.block_count; ++i) {
        const double a = f->by_elements.single_[i], b = f->by_edges.single_[i];
        size = fmax(size, fabs(a));
        gap = fmax(gap, fabs(a - b));
        const int64_t turned = 9 * (int64_t)f->pattern.mirror[i / 9] + 3 * (i % 3) + i % 9 / 3;
        assert_true(f->by_edges.single_[turned] == f->by_edges.single_[i]);
    }
    assert_true(size > 1e3);
    if (!(gap < 1e-6 * size)) fail_msg("the matrices differ by %g of %g", gap, size);
}

static void test_same_matrix(void **state) {
    static const char *const simd[] = {"auto", "baseline"};
    for (int i = 0; i < 2; ++i) {
        fixture f;
        open_fixture(&f, 1 + i, simd[i]);
        assemble_both(&f);
        assert_same(&f);
        f.mass.coupled = f.coupled;
        assemble_both(&f);
        assert_same(&f);
        close_fixture(&f);
    }
}

static void test_same_bits(void **state) {
    fixture f, g;
    open_fixture(&f, 1, "auto");
    open_fixture(&g, 3, "baseline");
    assemble_both(&f);
    assemble_both(&g);
    assert_memory_equal(f.by_edges.single_, g.by_edges.single_, (size_t)f.pattern.block_count * 9 * sizeof(float));
    close_fixture(&f);
    close_fixture(&g);
}

/* A tet that resists a change of volume alone has no place in the quads. */
static void test_no_shear(void **state) {
    fixture f;
    open_fixture(&f, 2, "auto");
    f.b.settings.batch[0].constant[SN_LANES + 3] = 0; /* mu of the fourth tet; its damping goes with it */
    memset(f.b.settings.batch[0].damping, 0, 3 * SN_LANES * sizeof(double));
    sn_elements_linearise(f.context, &f.b.elements, &f.view, 1.5, 0.2, f.linearised);
    assert_false(sn_edges_assemble(f.context, &f.edges, &f.b.elements, f.linearised, &f.pattern, f.by_edges.single_));
    assemble_both(&f);
    assert_same(&f);
    close_fixture(&f);
}

/* ---- What forces leave behind ---- */
typedef struct solver {
    fixture f;
    sn_linear *linear;
    double *u, *y, *expected, *force, *other;
    int n;
} solver;

static void open_solver(solver *s) {
    open_fixture(&s->f, 2, "auto");
    const sn_linear_model model = beam_model(&s->f.b);
    const sn_solver_options options = sn_solver_options_default();
    assert_int_equal(sn_linear_create(s->f.context, &model, &options, false, &s->linear, NULL), SN_OK);
    s->n = 3 * s->f.b.nodes;
    s->u = calloc(5 * (size_t)s->n, sizeof(double));
    s->y = s->u + s->n, s->expected = s->y + s->n, s->force = s->expected + s->n, s->other = s->force + s->n;
    for (int i = 0; i < s->n; ++i) s->u[i] = sin(0.37 * i);
    beam_deform(s->f.b.rest, s->f.b.nodes, 0.3, s->other);
}

static void close_solver(solver *s) {
    sn_linear_destroy(s->linear);
    free(s->u);
    close_fixture(&s->f);
}

/* As a system does: forces at x are the freshest. */
static sn_element_view force_at(solver *s, const double *x) {
    sn_element_view view = {.settings = &s->f.b.settings, .x = x, .kept = sn_linear_visit(s->linear)};
    assert_non_null(view.kept);
    memset(s->force, 0, (size_t)s->n * sizeof(double));
    assert_int_equal(sn_elements_force(s->f.context, &s->f.b.elements, &view, s->force, NULL), SN_OK);
    return view;
}

/* The product of the linearisation at x, prepared, against that of the elements themselves. */
static void assert_product(solver *s, const double *x, double d, double k) {
    const sn_element_view plain = {.settings = &s->f.b.settings, .x = x};
    memset(s->expected, 0, (size_t)s->n * sizeof(double));
    sn_elements_product(s->f.context, &s->f.b.elements, &plain, k, d, NULL, s->u, s->expected);
    sn_linear_prepare_products(s->linear, d, k);
    sn_linear_product(s->linear, 0, d, k, s->u, s->y);
    double size = 0, gap = 0;
    for (int i = 0; i < s->n; ++i)
        size = fmax(size, fabs(s->expected[i])), gap = fmax(gap, fabs(s->expected[i] - s->y[i]));
    if (!(gap <= 1e-13 * size)) fail_msg("the products differ by %g of %g", gap, size);
}

static void test_kept(void **state) {
    solver s;
    open_solver(&s);
    const double *here = s.f.b.x;
    sn_element_view view = force_at(&s, here);
    sn_linear_linearise(s.linear, &view, NULL, NULL, NULL);
    assert_product(&s, here, 0, 1);
    assert_product(&s, here, 0.3, 2); /* other weights */
    force_at(&s, s.other);            /* leaves the linearisation alone */
    assert_product(&s, here, 0.3, 2);
    assert_product(&s, here, 0, 1);
    view = force_at(&s, s.other);
    sn_linear_linearise(s.linear, &view, NULL, NULL, NULL);
    assert_product(&s, s.other, 0, 1);
    sn_linear_linearise(s.linear, &view, NULL, NULL, NULL); /* a second time: what was left is gone */
    assert_product(&s, s.other, 0, 1);
    const sn_element_view old = {.settings = &s.f.b.settings, .x = here};
    sn_linear_linearise(s.linear, &old, NULL, NULL, NULL);
    assert_product(&s, here, 0, 1);
    const double young = 2e5;
    assert_int_equal(sn_material_set(&s.f.b.parameters, "young", &young, 1, NULL), SN_OK);
    view = force_at(&s, here);
    assert_int_equal(sn_elements_parameters(&s.f.b.elements, &s.f.b.parameters, 0, &s.f.b.settings, NULL), SN_OK);
    sn_linear_linearise(s.linear, &view, NULL, NULL, NULL);
    assert_product(&s, here, 0, 1);
    close_solver(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_matrix),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_no_shear),
        cmocka_unit_test(test_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
