/* Pattern, products, sums and filters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "beam.h"
#include "linear/matrix/kernels.h"
#include "simd_sets.h"

static sn_context *make_context(const char *simd, int threads) {
    sn_context_options options = sn_context_options_default();
    options.simd = simd_or_widest(simd);
    options.threads = threads;
    sn_context *context = NULL;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

static double noise(uint64_t i) {
    uint64_t h = i * 0x9E3779B97F4A7C15u + 12345;
    h ^= h >> 29, h *= 0xBF58476D1CE4E5B9u, h ^= h >> 32;
    return (double)(int64_t)(h >> 11) / 9007199254740992.0 * 2 - 1;
}

static void test_pattern(void **state) {
    sn_context *context = make_context("auto", 1);
    beam b;
    assert_int_equal(beam_create(&b, context, 2, 5, 0.3, NULL), SN_OK);
    const int32_t pair[2][2] = {{0, (int32_t)b.nodes - 1}, {3, 3}};
    sn_pattern p;
    assert_int_equal(sn_pattern_create(context, &b.elements, pair, 2, NULL, &p, NULL), SN_OK);
    assert_true(sn_pattern_find(&p, 0, b.nodes - 1) >= 0 && sn_pattern_find(&p, b.nodes - 1, 0) >= 0);
    assert_int_equal(sn_pattern_find(&p, -1, 0), -1);
    assert_int_equal(sn_pattern_find(&p, 0, b.nodes), -1);
    for (int e = 0; e < b.tets; ++e)
        for (int i = 0; i < 16; ++i) assert_true(sn_pattern_find(&p, b.tet[4 * e + i / 4], b.tet[4 * e + i % 4]) >= 0);
    /* Every block is an element's or the pair's. */
    int64_t expected = 0;
    for (int i = 0; i < p.nodes; ++i)
        for (int j = 0; j < p.nodes; ++j) {
            int together = i == j || (i + j == p.nodes - 1 && (i == 0 || j == 0));
            for (int e = 0; e < b.tets && !together; ++e) {
                int found = 0;
                for (int k = 0; k < 4; ++k) found += (b.tet[4 * e + k] == i) + (b.tet[4 * e + k] == j);
                together = found == 2;
            }
            expected += together;
        }
    assert_int_equal(p.block_count, expected);
    for (int i = 0; i < p.nodes; ++i) {
        assert_int_equal(p.column[p.diagonal[i]], i);
        for (int32_t k = p.row_begin[i]; k < p.row_begin[i + 1]; ++k) {
            if (k > p.row_begin[i]) assert_true(p.column[k - 1] < p.column[k]);
            assert_int_equal(p.column[p.mirror[k]], i);
            assert_int_equal(p.mirror[p.mirror[k]], k);
        }
    }
    sn_pattern_release(context, &p);
    beam_destroy(&b);
    sn_context_destroy(context);
    (void)state;
}

/* Products of random blocks in both precisions against plain sums, with the same bits from every instruction set and
 * thread count. */
static void test_product(void **state) {
    sn_context *first = make_context("baseline", 1);
    beam b;
    assert_int_equal(beam_create(&b, first, 5, 30, 0.3, NULL), SN_OK);
    sn_pattern p;
    assert_int_equal(sn_pattern_create(first, &b.elements, NULL, 0, NULL, &p, NULL), SN_OK);
    const int n = 3 * p.nodes;
    assert_true(n > 2 * SN_PIECE);
    double *value = calloc((size_t)p.block_count * 9 + 4, sizeof *value), *x = calloc((size_t)n * 3, sizeof *x),
           *y = x + n, *z = y + n;
    float *single = calloc((size_t)p.block_count * 9 + 4, sizeof *single);
    for (int64_t i = 0; i < 9 * p.block_count; ++i) value[i] = single[i] = (float)noise((uint64_t)i);
    for (int i = 0; i < n; ++i) x[i] = noise((uint64_t)i + 999);
    const sn_matrix wide = {.pattern = &p, .double_ = value}, narrow = {.pattern = &p, .single_ = single};
    sn_matrix_product(first, &wide, x, y);
    for (int i = 0; i < p.nodes; ++i)
        for (int r = 0; r < 3; ++r) {
            double sum = 0;
            for (int32_t k = p.row_begin[i]; k < p.row_begin[i + 1]; ++k)
                for (int c = 0; c < 3; ++c) sum += value[9 * k + 3 * c + r] * x[3 * p.column[k] + c];
            assert_float_equal(y[3 * i + r], sum, 1e-13);
        }
    const char *simd[] = {"baseline", "avx2", "avx512"};
    double partial[64], dot = 0;
    for (int s = 0; s < 3; ++s)
        for (int threads = 1; threads <= 4; threads *= 2) {
            sn_context *context = make_context(simd[s], threads);
            sn_matrix_product(context, &narrow, x, z);
            assert_memory_equal(y, z, (size_t)n * sizeof *y);
            const double now = sn_matrix_product_dot(context, &wide, x, z, partial);
            assert_memory_equal(y, z, (size_t)n * sizeof *y);
            assert_true(now == sn_dot(context, n, x, z, partial));
            assert_true(dot == 0 || now == dot);
            dot = now;
            sn_context_destroy(context);
        }
    free(value), free(single), free(x);
    sn_pattern_release(first, &p);
    beam_destroy(&b);
    sn_context_destroy(first);
    (void)state;
}

static void test_dot_lengths(void **state) {
    const char *simd[] = {"baseline", "avx2", "avx512"};
    double a[5000], b[5000], partial[8];
    for (int i = 0; i < 5000; ++i) a[i] = noise((uint64_t)i), b[i] = noise((uint64_t)i + 7);
    for (int n = 0; n < 5000; n += n < 40 ? 1 : 617) {
        long double exact = 0;
        for (int i = 0; i < n; ++i) exact += (long double)a[i] * b[i];
        double first = 0;
        for (int s = 0; s < 3; ++s) {
            sn_context *context = make_context(simd[s], 1);
            const double d = sn_dot(context, n, a, b, partial);
            assert_float_equal(d, (double)exact, 1e-13 * (1 + n));
            assert_true(s == 0 || d == first);
            first = d;
            sn_context_destroy(context);
        }
    }
    (void)state;
}

static void test_filter(void **state) {
    int32_t node[] = {1, 4};
    double projection[18] = {0,   0,    0, 0,    0,   0, 0, 0, 0,
                             0.5, -0.5, 0, -0.5, 0.5, 0, 0, 0, 1}; /* fixed; normal (1, 1, 0) / sqrt 2 */
    const sn_filter filter = {.count = 2, .node = node, .projection = projection};
    double v[18], expected[18];
    for (int i = 0; i < 18; ++i) v[i] = expected[i] = i + 1;
    expected[3] = expected[4] = expected[5] = 0;
    expected[12] = -0.5, expected[13] = 0.5, expected[14] = 15;
    sn_filter_apply(NULL, v);
    assert_float_equal(v[3], 4, 0);
    sn_filter_apply_range(&filter, 2, 4, v);
    assert_float_equal(v[3], 4, 0);
    assert_float_equal(v[12], 13, 0);
    sn_filter_apply(&filter, v);
    assert_memory_equal(v, expected, sizeof v);
    assert_ptr_equal(sn_filter_find(&filter, 4), projection + 9);
    assert_null(sn_filter_find(&filter, 5));
    assert_null(sn_filter_find(NULL, 5));
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pattern), cmocka_unit_test(test_product),
                                       cmocka_unit_test(test_dot_lengths), cmocka_unit_test(test_filter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
