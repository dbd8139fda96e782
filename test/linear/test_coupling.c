/* Blocks without a place in the pattern: their matrix against plain loops, every solver with them, direct factors that
 * follow changing pairs, the same bits, memory. */
#include "system.h"

#include "linear/matrix/assembly.h"
#include "linear/matrix/coupling.h"
#include "linear/matrix/extension.h"
#include "stack.h"

/* Contact rows: w = (1, -a, -b, -c) on a node and on the corners of a face of a far tet, along a normal n. A row adds
 * k w_i w_j n n^T to K: some of these blocks have a place, those between the node and the face have none. */
typedef struct contacts {
    sn_block_list list;
} contacts;

static double noise(int i) { return 0.5 + 0.5 * sin(12.9898 * i * i + 78.233 * i); }

static void make_contacts(contacts *c, const beam *b, int rows, int shift, double stiffness) {
    c->list = (sn_block_list){0};
    assert_int_equal(sn_block_list_reserve(b->context, &c->list, 16 * (int64_t)rows, NULL), SN_OK);
    for (int r = 0; r < rows; ++r) {
        const int tet = (int)(noise(r) * (b->tets - 1));
        const int32_t *corner = b->tet + 4 * tet,
                      node[4] = {(corner[0] + b->nodes / 2 + shift) % b->nodes, corner[0], corner[1], corner[2]};
        const double a = 0.2 + 0.3 * noise(r + 7), e = 0.1 + 0.3 * noise(r + 3), weight[4] = {1, -a, -e, a + e - 1};
        const double t = 6.28 * noise(r + 5), n[3] = {0.6 * cos(t), 0.6 * sin(t), 0.8};
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                const int at = c->list.count++;
                c->list.row[at] = node[i], c->list.column[at] = node[j];
                for (int k = 0; k < 9; ++k)
                    c->list.value[9 * at + k] = stiffness * weight[i] * weight[j] * n[k % 3] * n[k / 3];
            }
    }
}

static void release_contacts(contacts *c, sn_context *context) { sn_block_list_release(context, &c->list); }

static void open_small(fixture *f, const char *method, const char *preconditioner, const char *precision) {
    open_in(f, make_context("auto", 2), 3, 8, false, method, preconditioner, precision);
}

/* Pairs that come again share their blocks, in a list that is used twice and that grows on the way. */
static void test_pairs(void **state) {
    enum { NODES = 40, ROUNDS = 3 };
    sn_context *context = make_context("auto", 1);
    sn_block_list list = {0};
    for (int use = 0; use < 2; ++use) {
        assert_int_equal(sn_block_list_reserve(context, &list, (use + 1) * NODES * NODES, NULL), SN_OK);
        sn_block_list_clear(&list);
        for (int round = 0; round < ROUNDS; ++round)
            for (int32_t i = 0; i < NODES; ++i)
                for (int32_t j = i; j < NODES; ++j) {
                    double *block = sn_block_pair(&list, i, j);
                    for (int k = 0; k < (i == j ? 9 : 18); ++k) block[k] += k < 9 ? i : 100 + j;
                }
        assert_int_equal(list.count, NODES * NODES);
        for (int b = 0; b < list.count; ++b) {
            const int32_t i = list.row[b], j = list.column[b];
            for (int k = 0; k < 9; ++k) assert_true(list.value[9 * b + k] == ROUNDS * (i <= j ? i : 100 + i));
        }
    }
    sn_block_list_release(context, &list);
    sn_context_destroy(context);
    (void)state;
}

/* Sums of all listed blocks off the pattern in a dense matrix. */
static void test_build(void **state) {
    fixture f;
    contacts stiff, damped;
    open_small(&f, "cg", "auto", "auto");
    make_contacts(&stiff, &f.b, 40, 0, 3);
    make_contacts(&damped, &f.b, 25, 5, 2);
    sn_pattern pattern;
    assert_int_equal(sn_pattern_create(f.context, &f.b.elements, NULL, 0, NULL, &pattern, NULL), SN_OK);
    sn_coupling c = {0};
    for (int round = 0; round < 2; ++round) { /* the second build uses the memory of the first */
        assert_int_equal(sn_coupling_build(f.context, &pattern, &stiff.list, 2, &damped.list, 0.5, NULL, &c, NULL),
                         SN_OK);
        double *dense = calloc((size_t)f.n * (size_t)f.n, sizeof *dense), *u = calloc((size_t)f.n * 3, sizeof *u),
               *y = u + f.n, *z = y + f.n;
        for (int l = 0; l < 2; ++l) {
            const sn_block_list *list = l ? &damped.list : &stiff.list;
            for (int i = 0; i < list->count; ++i)
                for (int k = 0; k < 9 && sn_pattern_find(&pattern, list->row[i], list->column[i]) < 0; ++k)
                    dense[(3 * list->row[i] + k % 3) * f.n + 3 * list->column[i] + k / 3] +=
                        (l ? 0.5 : 2) * list->value[9 * i + k];
        }
        for (int b = 0; b < c.block_count; ++b) assert_true(c.mirror[c.mirror[b]] == b);
        for (int i = 0; i < f.n; ++i) u[i] = cos(0.7 * i);
        sn_coupling_product(f.context, &c, u, y, 0, 100);
        sn_coupling_product(f.context, &c, u, y, 100, f.b.nodes);
        sn_coupling_product_transpose(&c, u, z, 0, f.b.nodes);
        bool any = false;
        for (int i = 0; i < f.n; ++i) {
            double there = 0, back = 0;
            for (int j = 0; j < f.n; ++j) there += dense[i * f.n + j] * u[j], back += dense[j * f.n + i] * u[j];
            assert_float_equal(y[i], there, 1e-12);
            assert_float_equal(z[i], back, 1e-12);
            any = any || there != 0;
        }
        assert_true(any && sn_coupling_symmetric(&c, 1e-12) == (round == 0));
        stiff.list.value[9 * 1 + 3] += 1; /* no longer symmetric */
        free(dense), free(u);
    }
    sn_coupling_symmetrise(&c);
    assert_true(sn_coupling_symmetric(&c, 0));
    sn_coupling_release(f.context, &c);
    sn_pattern_release(f.context, &pattern);
    release_contacts(&stiff, f.context), release_contacts(&damped, f.context);
    close_fixture(&f);
    (void)state;
}

/* Every solver with every preconditioner, contacts as stiff as the body and a thousand times stiffer. */
static void test_solvers(void **state) {
    int solvers, preconditioners;
    const sn_listing *solver = sn_solvers(&solvers), *p = sn_preconditioners(&preconditioners);
    for (int i = 1; i < solvers; ++i)
        for (int j = 0; j < preconditioners; ++j)
            for (int stiff = 0; stiff < 2; ++stiff) {
                const sn_krylov *krylov = sn_krylov_find(solver[i].name);
                if ((!krylov || krylov->own) && j > 0) continue;
                fixture f;
                contacts c;
                open_small(&f, solver[i].name, p[j].name, "auto");
                f.options.iterations = 20000;
                assert_int_equal(sn_linear_options(f.linear, &f.options, NULL), SN_OK);
                make_contacts(&c, &f.b, 30, 0, stiff ? 1e8 : 1e5);
                sn_linear_linearise(f.linear, &f.view, &c.list, NULL, NULL);
                sn_linear_report report;
                sn_error error = {0};
                const sn_status status =
                    sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-8, &report, &error);
                if (status) fail_msg("%s with %s: %s", solver[i].name, p[j].name, error.text);
                /* The residual by the lists themselves. */
                sn_linear_linearise(f.linear, &f.view, NULL, NULL, NULL);
                sn_linear_product(f.linear, 1e4, 0, 1, f.x, f.y);
                sn_block_list_product(&c.list, 1, f.x, f.y);
                for (int e = 0; e < f.n; ++e) f.y[e] = f.f[e] - f.y[e];
                sn_filter_apply(&f.b.filter, f.y);
                const double gap = norm(f.n, f.y);
                memcpy(f.y, f.f, (size_t)f.n * sizeof(double));
                sn_filter_apply(&f.b.filter, f.y);
                if (!(gap <= 1.01e-8 * norm(f.n, f.y)))
                    fail_msg("%s with %s: %g", solver[i].name, p[j].name, gap / norm(f.n, f.y));
                release_contacts(&c, f.context);
                close_fixture(&f);
            }
    (void)state;
}

/* Two boxes with contacts 1e4 times as stiff as the material take few more iterations than without contact.
 * Block-Jacobi learns from the first solve that they are stiff, and this solve may take 50 iterations more. */
static void test_stiff(void **state) {
    const char *const kind[][2] = {{"cg", "block-jacobi"}, {"cg", "multigrid"}, {"cg", "ic0"}, {"eisenstat", "auto"}};
    sn_context *context = make_context("auto", 1);
    stack s;
    assert_int_equal(stack_create(&s, context, 6, 0.3 / 6, NULL), SN_OK);
    const int rows = stack_rows(&s, 1000, 1e4 * 1e5 / 6, false);
    assert_int_equal(rows, 36);
    const size_t n = 3 * (size_t)s.b.nodes;
    double *f = calloc(2 * n, sizeof *f), *x = f + n;
    for (int i = 0; i < s.b.nodes; ++i) f[3 * i] = 3 * s.b.mass[i], f[3 * i + 2] = -9.81 * s.b.mass[i];
    const sn_element_view view = {.settings = &s.b.settings, .x = s.b.x};
    for (int k = 0; k < 4; ++k) {
        sn_solver_options options = sn_solver_options_default();
        snprintf(options.method, sizeof options.method, "%s", kind[k][0]);
        snprintf(options.preconditioner, sizeof options.preconditioner, "%s", kind[k][1]);
        const sn_linear_model model = beam_model(&s.b);
        sn_linear *linear;
        assert_int_equal(sn_linear_create(context, &model, &options, false, &linear, NULL), SN_OK);
        int iterations[3];
        for (int touching = 0; touching < 3; ++touching) {
            sn_linear_report report;
            memset(x, 0, n * sizeof *x);
            sn_linear_linearise(linear, &view, touching ? &s.list : NULL, NULL, NULL);
            assert_int_equal(sn_linear_solve(linear, 1e4, 0, 1, &s.b.filter, f, x, 1e-6, &report, NULL), SN_OK);
            iterations[touching] = report.iterations;
        }
        const int learns = k == 0 ? 50 : 0, most = 2 * iterations[0] + 2;
        if (iterations[1] > most + learns || iterations[2] > most)
            fail_msg("%s with %s: %d iterations, %d and %d with contacts", kind[k][0], kind[k][1], iterations[0],
                     iterations[1], iterations[2]);
        sn_linear_destroy(linear);
    }
    free(f);
    stack_destroy(&s);
    sn_context_destroy(context);
    (void)state;
}

/* In dynamics the largest body decides about multigrid, not the sum of all. A pair of nodes joins two bodies to one. */
static void test_auto(void **state) {
    const struct {
        int side, pairs, largest;
        const char *preconditioner;
    } trial[] = {{6, 0, 343, "block-jacobi"}, {6, 1, 686, "multigrid"}, {8, 0, 729, "multigrid"}};
    sn_context *context = make_context("auto", 1);
    for (int k = 0; k < 3; ++k) {
        stack s;
        assert_int_equal(stack_create(&s, context, trial[k].side, 0, NULL), SN_OK);
        const int32_t pair[1][2] = {{0, (int32_t)s.b.nodes - 1}};
        sn_pattern pattern;
        int largest = 0;
        assert_int_equal(sn_pattern_create(context, &s.b.elements, pair, trial[k].pairs, NULL, &pattern, NULL), SN_OK);
        assert_int_equal(sn_pattern_largest_part(context, &pattern, &largest, NULL), SN_OK);
        assert_int_equal(largest, trial[k].largest);
        sn_pattern_release(context, &pattern);

        sn_linear_model model = beam_model(&s.b);
        model.pair = pair, model.pair_count = trial[k].pairs;
        const sn_solver_options options = sn_solver_options_default();
        sn_linear *linear;
        sn_linear_report report;
        double *f = calloc(6 * (size_t)s.b.nodes, sizeof *f);
        f[3 * s.b.nodes - 1] = 1;
        const sn_element_view view = {.settings = &s.b.settings, .x = s.b.x};
        assert_int_equal(sn_linear_create(context, &model, &options, false, &linear, NULL), SN_OK);
        sn_linear_linearise(linear, &view, NULL, NULL, NULL);
        assert_int_equal(sn_linear_solve(linear, 1e4, 0, 1, &s.b.filter, f, f + 3 * s.b.nodes, 1e-4, &report, NULL),
                         SN_OK);
        assert_string_equal(report.preconditioner, trial[k].preconditioner);
        sn_linear_destroy(linear);
        free(f);
        stack_destroy(&s);
    }
    sn_context_destroy(context);
    (void)state;
}

/* A factor follows contacts that come, stay, change and go; it is analysed anew only for new pairs. */
static void test_direct(void **state) {
    static const struct { int rows, shift; } round[] = {{0, 0}, {20, 0}, {10, 0}, {0, 0}, {20, 0}, {20, 9}, {20, 0}};
    const char *name[] = {"ldlt", "cholesky"};
    for (int m = 0; m < 2 && sn_direct_find(name[m]); ++m) {
        fixture f;
        open_small(&f, name[m], "auto", "auto");
        for (size_t r = 0; r < sizeof round / sizeof *round; ++r) {
            contacts c;
            make_contacts(&c, &f.b, round[r].rows, round[r].shift, 1e7);
            sn_linear_linearise(f.linear, &f.view, round[r].rows ? &c.list : NULL, NULL, NULL);
            memset(f.x, 0, (size_t)f.n * sizeof(double));
            sn_linear_report report;
            assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-11, &report, NULL), SN_OK);
            assert_true(relative_residual(&f, 1e4) <= 1e-11);
            assert_true(report.iterations <= 3);
            release_contacts(&c, f.context);
        }
        close_fixture(&f);
    }
    (void)state;
}

/* The pattern of an extension is made anew for new pairs only. */
static void test_extension(void **state) {
    fixture f;
    open_small(&f, "cg", "auto", "auto");
    sn_pattern pattern;
    assert_int_equal(sn_pattern_create(f.context, &f.b.elements, NULL, 0, NULL, &pattern, NULL), SN_OK);
    sn_coupling coupling = {0};
    sn_extension e = {0};
    sn_matrix matrix = {.pattern = &pattern, .coupling = &coupling};
    matrix.double_ = calloc((size_t)pattern.block_count * 9 + 8, sizeof(double));
    for (int64_t i = 0; i < 9 * pattern.block_count; ++i) matrix.double_[i] = sin((double)i);
    static const struct {
        int rows, shift;
        bool changed;
    } round[] = {{0, 0, false}, {20, 0, true}, {10, 0, false}, {20, 9, true}, {20, 0, false}, {0, 0, false}};
    double *u = calloc((size_t)f.n * 3, sizeof *u), *y = u + f.n, *z = y + f.n;
    for (int i = 0; i < f.n; ++i) u[i] = cos(0.7 * i);
    for (size_t r = 0; r < sizeof round / sizeof *round; ++r) {
        contacts c;
        make_contacts(&c, &f.b, round[r].rows, round[r].shift, 1e3);
        bool changed;
        assert_int_equal(sn_coupling_build(f.context, &pattern, &c.list, 1, NULL, 0, NULL, &coupling, NULL), SN_OK);
        assert_int_equal(sn_extension_update(f.context, &matrix, &e, &changed, NULL), SN_OK);
        assert_int_equal(changed, round[r].changed);
        const sn_matrix *whole = sn_extension_fill(&e, &matrix);
        assert_ptr_equal(whole->pattern, sn_extension_pattern(&e, &pattern));
        sn_matrix_product(f.context, &matrix, u, y);
        sn_matrix_product(f.context, whole, u, z);
        for (int i = 0; i < f.n; ++i) assert_float_equal(y[i], z[i], 1e-9);
        release_contacts(&c, f.context);
    }
    free(u), free(matrix.double_);
    sn_extension_release(f.context, &e);
    sn_coupling_release(f.context, &coupling);
    sn_pattern_release(f.context, &pattern);
    close_fixture(&f);
    (void)state;
}

static void test_same_bits(void **state) {
    const char *const kind[][2] = {
        {"cg", "block-jacobi"}, {"cg", "multigrid"}, {"eisenstat", "auto"}, {"ldlt", "auto"}};
    for (int k = 0; k < 4; ++k) {
        double *first = NULL;
        for (int threads = 1; threads <= 3; threads += 2) {
            fixture f;
            contacts c;
            open_in(&f, make_context(threads == 1 ? "baseline" : "auto", threads), 6, 14, false, kind[k][0], kind[k][1],
                    "auto");
            make_contacts(&c, &f.b, 60, 0, 1e6);
            sn_linear_linearise(f.linear, &f.view, &c.list, NULL, NULL);
            assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-8, NULL, NULL), SN_OK);
            if (!first) {
                first = malloc((size_t)f.n * sizeof *first);
                memcpy(first, f.x, (size_t)f.n * sizeof *first);
            }
            assert_memory_equal(first, f.x, (size_t)f.n * sizeof *first);
            release_contacts(&c, f.context);
            close_fixture(&f);
        }
        free(first);
    }
    (void)state;
}

/* Memory grows with the first contacts and with a new maximum, and not in between. */
static void test_allocations(void **state) {
    failing_allocator failing = failing_allocator_make();
    fixture f;
    contacts c[3];
    open_in(&f, failing_allocator_context(&failing), 3, 8, false, "cg", "block-jacobi", "auto");
    for (int i = 0; i < 3; ++i) make_contacts(&c[i], &f.b, 20, 3 * i, 1e6);
    for (int i = 0; i < 6; ++i) {
        const int64_t before = failing.requests;
        sn_linear_linearise(f.linear, &f.view, &c[i % 3].list, NULL, NULL);
        assert_int_equal(sn_linear_solve(f.linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-8, NULL, NULL), SN_OK);
        if (i >= 3) assert_int_equal(failing.requests, before);
    }
    for (int n = 1; n < 40; ++n) { /* the N-th allocation fails: reported, and the next solve works */
        sn_linear *linear = NULL;
        const sn_linear_model model = beam_model(&f.b);
        assert_int_equal(sn_linear_create(f.context, &model, &f.options, false, &linear, NULL), SN_OK);
        sn_linear_linearise(linear, &f.view, &c[0].list, NULL, NULL);
        failing_allocator_arm(&failing, n);
        const sn_status status = sn_linear_solve(linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-8, NULL, NULL);
        failing_allocator_disarm(&failing);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        assert_int_equal(sn_linear_solve(linear, 1e4, 0, 1, &f.b.filter, f.f, f.x, 1e-8, NULL, NULL), SN_OK);
        sn_linear_destroy(linear);
    }
    for (int i = 0; i < 3; ++i) release_contacts(&c[i], f.context);
    close_fixture(&f);
    assert_int_equal(failing.live, 0);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),     cmocka_unit_test(test_build),       cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_stiff),     cmocka_unit_test(test_direct),      cmocka_unit_test(test_extension),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_allocations), cmocka_unit_test(test_auto)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
