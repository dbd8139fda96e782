/* The matrices of nested levels, the preconditioners that use them, and hierarchical unknowns. */
#include "linear/basis.h"
#include "linear/matrix/assembly.h"
#include "system.h"

typedef struct nested_beam {
    beam b;
    sn_pattern pattern;
    sn_matrix matrix;
    int n;
} nested_beam;

static void open_beam(nested_beam *s, sn_context *context, int a, int c, int refine, double m) {
    assert_int_equal(beam_create_refined(&s->b, context, &sn_element_tet4, a, c, refine, 0.33, NULL), SN_OK);
    assert_int_equal(sn_pattern_create(context, &s->b.elements, NULL, 0, NULL, &s->pattern, NULL), SN_OK);
    sn_scatter_map map;
    assert_int_equal(sn_scatter_map_create(context, &s->b.elements, &s->pattern, NULL, &map, NULL), SN_OK);
    s->matrix =
        (sn_matrix){.pattern = &s->pattern, .double_ = calloc((size_t)s->pattern.block_count * 9 + 8, sizeof(double))};
    const sn_mass mass = {&s->pattern, s->b.mass, NULL};
    const sn_element_view view = {.settings = &s->b.settings, .x = s->b.x};
    const sn_assembly assembly = {
        .context = context, .elements = &s->b.elements, .map = &map, .mass = &mass, .view = &view, .m = m, .k = 1};
    bool symmetric;
    sn_assemble(&assembly, &s->matrix, &symmetric);
    sn_scatter_map_release(context, &map);
    s->n = 3 * s->b.nodes;
}

static void close_beam(nested_beam *s, sn_context *context) {
    free(s->matrix.double_);
    sn_pattern_release(context, &s->pattern);
    beam_destroy(&s->b);
}

/* Every second node of the filter is held along one direction only; more nodes inside are held by a plane, so that
 * parents and children are held differently. */
static void mix_filter(beam *b) {
    sn_filter *f = &b->filter;
    f->count = 0;
    for (int i = 0; i < b->nodes; ++i) {
        const bool end = b->rest[3 * i + 2] < 1e-9;
        if (!end && i % 7) continue;
        const double t = 0.4 * i, normal[3] = {cos(t) * 0.6, sin(t) * 0.6, 0.8};
        for (int e = 0; e < 9; ++e)
            f->projection[9 * f->count + e] = end && i % 2 ? 0 : (e % 4 == 0) - normal[e / 3] * normal[e % 3];
        f->node[f->count++] = i;
    }
}

/* x <- F x for all nodes up to a level, by the filter itself. */
static void hold_all(const beam *b, double *x) { sn_filter_apply(&b->filter, x); }

/* A_k v is P_{k+1}^T F .. P_l^T F A F P_l .. F P_{k+1} v, on every level, by whole vectors. */
static void test_galerkin(void **state) {
    sn_context *context = make_context("auto", 2);
    nested_beam s;
    open_beam(&s, context, 1, 2, 3, 1e3);
    mix_filter(&s.b);
    const sn_levels *l = &s.b.levels;
    assert_int_equal(l->count, 4);
    sn_hierarchy *h = NULL;
    assert_int_equal(sn_hierarchy_create(context, l, &s.pattern, &h, NULL), SN_OK);
    assert_int_equal(sn_hierarchy_reserve(h, &s.b.filter, NULL), SN_OK);
    sn_hierarchy_update(h, &s.matrix, &s.b.filter);
    double *x = calloc(3 * (size_t)s.n, sizeof *x), *v = x + s.n, *y = v + s.n;
    for (int k = 0; k < l->count - 1; ++k) {
        for (int i = 0; i < s.n; ++i) x[i] = v[i] = l->place[i / 3] < l->begin[k + 1] ? sin(0.7 * i) : 0;
        for (int level = k + 1; level < l->count; ++level) {
            sn_levels_map_level(context, l, SN_LEVEL_S, level, v);
            hold_all(&s.b, v);
        }
        sn_matrix_product(context, &s.matrix, v, y);
        for (int level = l->count - 1; level > k; --level) {
            hold_all(&s.b, y);
            sn_levels_map_level(context, l, SN_LEVEL_TRANSPOSE, level, y);
        }
        double gap = 0, size = 0;
        const sn_nested *n = &h->nested[k];
        for (int32_t i = 0; i < n->pattern.nodes; ++i)
            for (int a = 0; a < 3; ++a) {
                double sum = 0;
                for (int32_t e = n->pattern.row_begin[i]; e < n->pattern.row_begin[i + 1]; ++e)
                    for (int c = 0; c < 3; ++c)
                        sum += n->value[9 * e + 3 * c + a] * x[3 * l->node[n->pattern.column[e]] + c];
                size = fmax(size, fabs(sum));
                gap = fmax(gap, fabs(sum - y[3 * l->node[i] + a]));
            }
        assert_true(size > 0);
        if (!(gap < 1e-12 * size)) fail_msg("level %d: %g of %g", k, gap, size);
    }
    free(x);
    sn_hierarchy_destroy(h);
    close_beam(&s, context);
    sn_context_destroy(context);
    (void)state;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* r.P s = s.P r, r.P r > 0, and P r is in the free directions: with and without a factor of level 0. */
static void test_symmetric(void **state) {
    sn_context *context = make_context("auto", 1);
    const sn_preconditioner *const p[] = {&sn_preconditioner_hierarchical, &sn_preconditioner_bpx};
    for (int free_body = 0; free_body < 2; ++free_body)
        for (int k = 0; k < 2; ++k) {
            nested_beam s;
            open_beam(&s, context, 1, 3, 2, 0);
            if (free_body)
                s.b.filter.count = 0; /* singular */
            else
                mix_filter(&s.b);
            const sn_source source = {.rest = s.b.rest, .now = s.b.x, .levels = &s.b.levels};
            sn_operator op = sn_operator_of_matrix(context, &s.matrix, NULL, true);
            op.source = &source;
            void *data = NULL;
            assert_int_equal(p[k]->update(context, &op, &s.b.filter, &data, NULL), SN_OK);
            double *r = malloc(5 * (size_t)s.n * sizeof *r), *t = r + s.n, *Pr = t + s.n, *Pt = Pr + s.n,
                   *held = Pt + s.n;
            for (int i = 0; i < s.n; ++i) r[i] = sin(i), t[i] = cos(0.3 * i);
            sn_filter_apply(&s.b.filter, r), sn_filter_apply(&s.b.filter, t);
            p[k]->apply(data, r, Pr), p[k]->apply(data, t, Pt);
            assert_float_equal(dot(s.n, t, Pr), dot(s.n, r, Pt), 1e-9 * sqrt(dot(s.n, r, Pr) * dot(s.n, t, Pt)));
            assert_true(dot(s.n, r, Pr) > 0 && dot(s.n, t, Pt) > 0);
            memcpy(held, Pr, (size_t)s.n * sizeof *held);
            sn_filter_apply(&s.b.filter, held);
            for (int i = 0; i < s.n; ++i) assert_float_equal(held[i], Pr[i], 1e-12 * (1 + fabs(Pr[i])));
            free(r);
            p[k]->release(context, data);
            close_beam(&s, context);
        }
    sn_context_destroy(context);
    (void)state;
}

/* The iterations over levels: bpx grows far less than block-jacobi, which doubles; the hierarchical one lies between.
 */
static void test_growth(void **state) {
    sn_context *context = make_context("auto", 1);
    const char *const name[] = {"block-jacobi", "hierarchical", "bpx"};
    int iterations[3][4] = {{0}};
    for (int refine = 1; refine < 4; ++refine) {
        beam b;
        assert_int_equal(beam_create_refined(&b, context, &sn_element_tet4, 1, 3, refine, 0.33, NULL), SN_OK);
        const sn_linear_model model = beam_model(&b);
        const size_t n = 3 * (size_t)b.nodes;
        double *f = calloc(2 * n, sizeof *f), *x = f + n;
        for (size_t i = 0; i < n; ++i) f[i] = sin(0.3 * (double)(i * i % 1000)) * b.mass[i / 3];
        const sn_element_view view = {.settings = &b.settings, .x = b.rest};
        for (int k = 0; k < 3; ++k) {
            sn_solver_options options = sn_solver_options_default();
            snprintf(options.method, sizeof options.method, "cg");
            snprintf(options.preconditioner, sizeof options.preconditioner, "%s", name[k]);
            sn_linear *linear;
            assert_int_equal(sn_linear_create(context, &model, &options, true, &linear, NULL), SN_OK);
            sn_linear_linearise(linear, &view, NULL, NULL, NULL);
            memset(x, 0, n * sizeof *x);
            sn_linear_report report;
            assert_int_equal(sn_linear_solve(linear, 0, 0, 1, &b.filter, f, x, 1e-6, &report, NULL), SN_OK);
            iterations[k][refine] = report.iterations;
            sn_linear_destroy(linear);
        }
        free(f);
        beam_destroy(&b);
    }
    for (int k = 0; k < 3; ++k)
        print_message("cg with %s: %d, %d, %d iterations\n", name[k], iterations[k][1], iterations[k][2],
                      iterations[k][3]);
    assert_true(iterations[2][3] <= 1.4 * iterations[2][2]);
    assert_true(iterations[0][3] >= 1.7 * iterations[0][2]);
    assert_true(iterations[1][3] < iterations[0][3] && iterations[2][3] < 0.6 * iterations[1][3]);
    sn_context_destroy(context);
    (void)state;
}

/* Hierarchical unknowns: the solution of the nodal system to its tolerance, with every method and preconditioner that
 * goes with them, from loose to tight. */
static void test_basis(void **state) {
    sn_context *context = make_context("auto", 2);
    const char *const method[] = {"auto", "cg", "minres", "qmr", "bicgstab", "gmres"};
    const char *const with[] = {"auto", "none", "diagonal", "block-jacobi"};
    const double tolerance[] = {0.5, 1e-2, 1e-9};
    beam b;
    assert_int_equal(beam_create_refined(&b, context, &sn_element_tet4, 1, 3, 2, 0.33, NULL), SN_OK);
    mix_filter(&b);
    const size_t n = 3 * (size_t)b.nodes;
    double *f = calloc(3 * n, sizeof *f), *x = f + n, *y = x + n;
    for (int i = 0; i < b.nodes; ++i) f[3 * i + 1] = -9.81 * b.mass[i];
    const sn_element_view view = {.settings = &b.settings, .x = b.x};
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 6; ++k) {
                sn_linear_model model = beam_model(&b);
                model.basis = &b.levels;
                sn_solver_options options = sn_solver_options_default();
                options.iterations = 20000;
                snprintf(options.method, sizeof options.method, "%s", method[i]);
                snprintf(options.preconditioner, sizeof options.preconditioner, "%s", with[j]);
                sn_linear *linear;
                assert_int_equal(sn_linear_create(context, &model, &options, k > 2, &linear, NULL), SN_OK);
                sn_linear_linearise(linear, &view, NULL, NULL, NULL);
                memset(x, 0, n * sizeof *x);
                sn_linear_report report;
                sn_error error = {0};
                if (sn_linear_solve(linear, 1e4, 0, 1, &b.filter, f, x, tolerance[k % 3], &report, &error))
                    fail_msg("%s with %s, %g: %s", method[i], with[j], tolerance[k % 3], error.text);
                sn_linear_product(linear, 1e4, 0, 1, x, y);
                for (size_t e = 0; e < n; ++e) y[e] = f[e] - y[e];
                sn_filter_apply(&b.filter, y);
                const double gap = norm((int)n, y);
                memcpy(y, f, n * sizeof *y);
                sn_filter_apply(&b.filter, y);
                assert_true(gap <= 1.01 * tolerance[k % 3] * norm((int)n, y));
                sn_linear_destroy(linear);
            }
    free(f);
    beam_destroy(&b);
    sn_context_destroy(context);
    (void)state;
}

static void test_refuses(void **state) {
    sn_context *context = make_context("auto", 1);
    beam plain, nested;
    assert_int_equal(beam_create(&plain, context, 2, 3, 0.33, NULL), SN_OK);
    assert_int_equal(beam_create_refined(&nested, context, &sn_element_tet4, 1, 2, 1, 0.33, NULL), SN_OK);
    const struct {
        bool basis;
        const char *method, *preconditioner, *operator_, *path, *says;
    } trial[] = {{false, "cg", "bpx", "assembled", "solver.preconditioner", "refine"},
                 {false, "cg", "hierarchical", "assembled", "solver.preconditioner", "refine"},
                 {true, "ldlt", "auto", "assembled", "solver.method", "hierarchical"},
                 {true, "eisenstat", "auto", "assembled", "solver.method", "hierarchical"},
                 {true, "mixed", "auto", "assembled", "solver.method", "hierarchical"},
                 {true, "cg", "multigrid", "assembled", "solver.preconditioner", "block-jacobi"},
                 {true, "cg", "bpx", "assembled", "solver.preconditioner", "block-jacobi"},
                 {true, "cg", "auto", "assembly-free", "solver.operator", "assembled"}};
    for (size_t i = 0; i < sizeof trial / sizeof *trial; ++i) {
        sn_linear_model model = beam_model(trial[i].basis ? &nested : &plain);
        if (trial[i].basis) model.basis = &nested.levels;
        sn_solver_options options = sn_solver_options_default();
        snprintf(options.method, sizeof options.method, "%s", trial[i].method);
        snprintf(options.preconditioner, sizeof options.preconditioner, "%s", trial[i].preconditioner);
        snprintf(options.operator_, sizeof options.operator_, "%s", trial[i].operator_);
        sn_linear *linear = NULL;
        sn_error error = {0};
        assert_true(sn_linear_create(context, &model, &options, false, &linear, &error) != SN_OK);
        assert_null(linear);
        assert_string_equal(error.path, trial[i].path);
        assert_non_null(strstr(error.text, trial[i].says));
    }
    beam_destroy(&plain), beam_destroy(&nested);
    sn_context_destroy(context);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_galerkin), cmocka_unit_test(test_symmetric),
                                       cmocka_unit_test(test_growth), cmocka_unit_test(test_basis),
                                       cmocka_unit_test(test_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
