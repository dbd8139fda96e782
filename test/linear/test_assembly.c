/* Assembly against the sum of element matrices and against the assembly-free product; symmetry; masses; listed blocks.
 */
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
    sn_mass mass;
    sn_matrix wide, narrow;
    sn_element_view view;
    double *v, *a;
    int n;
} fixture;

static void open_fixture(fixture *f, int threads) {
    memset(f, 0, sizeof *f);
    sn_context_options options = sn_context_options_default();
    options.threads = threads;
    assert_int_equal(sn_context_create(&options, &f->context, NULL), SN_OK);
    assert_int_equal(beam_create(&f->b, f->context, 3, 7, 0.4, NULL), SN_OK);
    const int32_t pair[1][2] = {{2, 90}};
    assert_int_equal(sn_pattern_create(f->context, &f->b.elements, pair, 1, NULL, &f->pattern, NULL), SN_OK);
    assert_int_equal(sn_scatter_map_create(f->context, &f->b.elements, &f->pattern, NULL, &f->map, NULL), SN_OK);
    f->n = 3 * f->b.nodes;
    f->mass = (sn_mass){&f->pattern, f->b.mass, NULL};
    f->wide =
        (sn_matrix){.pattern = &f->pattern, .double_ = calloc((size_t)f->pattern.block_count * 9 + 4, sizeof(double))};
    f->narrow =
        (sn_matrix){.pattern = &f->pattern, .single_ = calloc((size_t)f->pattern.block_count * 9 + 4, sizeof(float))};
    f->v = calloc((size_t)f->n, sizeof(double)), f->a = calloc((size_t)f->b.nodes, sizeof(double));
    for (int i = 0; i < f->n; ++i) f->v[i] = 0.1 * sin(i);
    for (int i = 0; i < f->b.nodes; ++i) f->a[i] = 0.5 + 0.4 * cos(i);
    f->view = (sn_element_view){.settings = &f->b.settings, .x = f->b.x, .v = f->v};
}

static void close_fixture(fixture *f) {
    free(f->wide.double_), free(f->narrow.single_), free(f->v), free(f->a);
    sn_scatter_map_release(f->context, &f->map);
    sn_pattern_release(f->context, &f->pattern);
    beam_destroy(&f->b);
    sn_context_destroy(f->context);
}

static sn_assembly assembly_of(const fixture *f) {
    return (sn_assembly){.context = f->context,
                         .elements = &f->b.elements,
                         .map = &f->map,
                         .mass = &f->mass,
                         .view = &f->view,
                         .m = 30,
                         .d = 0.2,
                         .k = 1.5};
}

static double entry(const sn_matrix *m, int i, int r, int j, int c) {
    const int32_t k = sn_pattern_find(m->pattern, i, j);
    return k < 0 ? 0 : m->double_[9 * k + 3 * c + r];
}

static void test_sum_of_elements(void **state) {
    fixture f;
    open_fixture(&f, 1);
    sn_assembly a = assembly_of(&f);
    bool symmetric;
    sn_assemble(&a, &f.wide, &symmetric);
    assert_true(symmetric);
    /* Dense sum, element by element. */
    double *dense = calloc((size_t)f.n * f.n, sizeof *dense), size = 0;
    for (int i = 0; i < f.n; ++i) dense[(size_t)i * f.n + i] = a.m * f.b.mass[i / 3];
    for (int q = 0; q < f.b.elements.batch_count; ++q) {
        const sn_batch *batch = &f.b.elements.batch[q];
        _Alignas(64) double out[16 * 9 * SN_LANES];
        for (int block = 0; block < batch->block_count; ++block) {
            sn_element_kernels_for(f.context)->stiffness(batch, block, &f.view, a.k, a.d, 0, NULL, out);
            for (int l = 0; l < SN_LANES; ++l)
                for (int s = 0; s < 144 && batch->element_of[block * SN_LANES + l] >= 0; ++s) {
                    const int i = s / 36, j = s / 9 % 4, c = s % 9 / 3, r = s % 3;
                    const int32_t *node = batch->node + (size_t)block * 4 * SN_LANES + l;
                    dense[(size_t)(3 * node[i * SN_LANES] + r) * f.n + 3 * node[j * SN_LANES] + c] +=
                        out[s * SN_LANES + l];
                }
        }
    }
    for (size_t i = 0; i < (size_t)f.n * f.n; ++i) size = fmax(size, fabs(dense[i]));
    for (int i = 0; i < f.n; ++i)
        for (int j = 0; j < f.n; ++j) {
            assert_float_equal(dense[(size_t)i * f.n + j], entry(&f.wide, i / 3, i % 3, j / 3, j % 3), 1e-13 * size);
            assert_true(entry(&f.wide, i / 3, i % 3, j / 3, j % 3) == entry(&f.wide, j / 3, j % 3, i / 3, i % 3));
        }
    /* Single precision is the same to its rounding, and symmetric to the last bit. */
    sn_assemble(&a, &f.narrow, &symmetric);
    for (int32_t k = 0; k < f.pattern.block_count; ++k)
        for (int e = 0; e < 9; ++e) {
            assert_float_equal(f.narrow.single_[9 * k + e], f.wide.double_[9 * k + e], 1e-6 * size);
            assert_true(f.narrow.single_[9 * k + e] == f.narrow.single_[9 * f.pattern.mirror[k] + 3 * (e % 3) + e / 3]);
        }
    double *diagonal = calloc((size_t)f.n * 3, sizeof *diagonal);
    for (int linearised = 0; linearised < 2;
         ++linearised) { /* from element matrices, and from the linearised elements */
        sn_assemble_diagonal(&a, diagonal);
        for (int i = 0; i < 9 * f.b.nodes; ++i)
            assert_float_equal(diagonal[i], entry(&f.wide, i / 9, i % 3, i / 9, i % 9 / 3), 1e-13 * size);
        if (linearised) break;
        a.linearised = sn_allocate(f.context, (size_t)f.b.elements.linearised_size, sizeof(double));
        sn_elements_linearise(f.context, a.elements, a.view, a.k, a.d, a.linearised);
    }
    sn_release(f.context, a.linearised);
    free(dense), free(diagonal);
    close_fixture(&f);
    (void)state;
}

/* Mass, Rayleigh mass, lists and elements together against the products that the solver calls exact. */
static void check_product(fixture *f, const sn_assembly *a, int expect_symmetric, double tolerance) {
    bool symmetric;
    sn_assemble(a, &f->wide, &symmetric);
    assert_int_equal(symmetric, expect_symmetric);
    double *u = calloc((size_t)f->n * 3, sizeof *u), *y = u + f->n, *z = y + f->n, size = 0;
    for (int i = 0; i < f->n; ++i) u[i] = cos(0.7 * i);
    sn_matrix_product(f->context, &f->wide, u, y);
    sn_mass_product(f->context, a->mass, a->m, a->d, a->rayleigh_mass, u, z);
    sn_elements_product(f->context, a->elements, a->view, a->k, a->d, NULL, u, z);
    sn_block_list_product(a->stiffness, a->k, u, z);
    sn_block_list_product(a->damping, a->d, u, z);
    for (int i = 0; i < f->n; ++i) size = fmax(size, fabs(z[i]));
    for (int i = 0; i < f->n; ++i) assert_float_equal(y[i], z[i], tolerance * size);
    free(u);
}

static void test_assembly_free(void **state) {
    for (int threads = 1; threads <= 2; ++threads) {
        fixture f;
        open_fixture(&f, threads);
        sn_assembly a = assembly_of(&f);
        check_product(&f, &a, 1, 1e-12);
        a.rayleigh_mass = f.a;
        check_product(&f, &a, 1, 1e-12);
        a.k = a.d = 0;
        check_product(&f, &a, 1, 1e-12);
        close_fixture(&f);
    }
    (void)state;
}

/* What was below the listed blocks comes back to the last bit, also where two blocks have one place. */
static void check_listed(fixture *f, const sn_assembly *a) {
    const size_t count = 9 * (size_t)f->pattern.block_count;
    double *bare = malloc(count * sizeof *bare);
    sn_listed listed = {0};
    bool symmetric;
    sn_assembly twice = *a;
    twice.damping = a->stiffness;
    sn_assemble_elements(a, &f->wide);
    memcpy(bare, f->wide.double_, count * sizeof *bare);
    assert_int_equal(sn_listed_keep(&twice, &f->wide, &listed, NULL), SN_OK);
    sn_assemble_lists(&twice, &f->wide, listed.place, &symmetric);
    assert_memory_not_equal(bare, f->wide.double_, count * sizeof *bare);
    sn_listed_restore(&listed, &f->wide);
    assert_memory_equal(bare, f->wide.double_, count * sizeof *bare);
    sn_listed_release(f->context, &listed);
    free(bare);
}

static void test_lists(void **state) {
    fixture f;
    open_fixture(&f, 1);
    sn_assembly a = assembly_of(&f);
    double value[36] = {0};
    int32_t row[] = {2, 90, 2, 5}, column[] = {90, 2, 2, 5};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            value[3 * c + r] = value[9 + 3 * r + c] = 1e5 * (r + 2 * c),
                          value[18 + 3 * c + r] = value[27 + 3 * c + r] = 1e5 / (1 + r + c);
    sn_block_list list = {.count = 4, .capacity = 4, .row = row, .column = column, .value = value};
    a.stiffness = &list;
    check_product(&f, &a, 1, 1e-12);
    check_listed(&f, &a);
    value[27 + 1] += 1e4; /* a diagonal block that is not symmetric */
    check_product(&f, &a, 0, 1e-12);
    a.damping = &list, a.stiffness = NULL;
    check_product(&f, &a, 0, 1e-12);
    bool symmetric;
    row[3] = 0, column[3] = f.b.nodes - 1; /* no place in the pattern */
    sn_assemble(&a, &f.wide, &symmetric);
    sn_matrix_symmetrise(f.context, &f.wide);
    for (int32_t k = 0; k < f.pattern.block_count; ++k)
        for (int e = 0; e < 9; ++e)
            assert_true(f.wide.double_[9 * k + e] == f.wide.double_[9 * f.pattern.mirror[k] + 3 * (e % 3) + e / 3]);
    close_fixture(&f);
    (void)state;
}

static void test_unsymmetric_batches(void **state) {
    fixture f;
    open_fixture(&f, 1);
    sn_assembly a = assembly_of(&f);
    f.view.unsymmetric = true;
    check_product(&f, &a, 0, 1e-12);
    f.narrow.pattern = &f.pattern;
    bool symmetric;
    sn_assemble(&a, &f.narrow, &symmetric);
    double size = 0;
    for (int64_t i = 0; i < 9 * f.pattern.block_count; ++i) size = fmax(size, fabs(f.wide.double_[i]));
    for (int64_t i = 0; i < 9 * f.pattern.block_count; ++i)
        assert_float_equal(f.narrow.single_[i], f.wide.double_[i], 1e-6 * size);
    close_fixture(&f);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sum_of_elements), cmocka_unit_test(test_assembly_free),
                                       cmocka_unit_test(test_lists), cmocka_unit_test(test_unsymmetric_batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
