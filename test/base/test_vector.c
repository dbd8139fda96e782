/* Loops over vectors: against plain loops, and the same bits for every number of threads and every instruction set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/vector.h"
#include "simd_sets.h"

enum { MOST = 5 * SN_PIECE + 7 };
static const int sizes[] = {0, 1, 2, 7, 8, 9, 100, SN_PIECE - 1, SN_PIECE, SN_PIECE + 1, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };
static double x[MOST], y[MOST], z[MOST], out[MOST], wanted[MOST];

/* Numbers of very different sizes and signs: a sum in another order has other bits. */
static void fill(void) {
    uint64_t seed = 1;
    double *const vector[3] = {x, y, z};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < MOST; ++i) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            vector[k][i] = ldexp((double)(int64_t)seed, -63 + (int)(seed >> 33) % 40);
        }
}

static sn_context *context_of(int threads, const char *simd) {
    sn_context_options options = sn_context_options_default();
    options.threads = threads;
    options.simd = simd_or_widest(simd);
    sn_context *context = NULL;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    return context;
}

static void expect(int n) {
    assert_memory_equal(out, wanted, (size_t)n * sizeof *out);
    for (int i = n; i < MOST; ++i) assert_true(out[i] == 77); /* nothing behind the end is written */
}

static void start(int n, const double *from) {
    for (int i = 0; i < MOST; ++i) out[i] = 77;
    memcpy(out, from, (size_t)n * sizeof *out);
}

static void test_elementwise(void **state) {
    (void)state;
    fill();
    for (int threads = 1; threads <= 4; threads *= 2) {
        sn_context *context = context_of(threads, "auto");
        for (int k = 0; k < SIZES; ++k) {
            const int n = sizes[k];
            start(n, y), sn_vector_copy(context, n, x, out);
            memcpy(wanted, x, sizeof wanted), expect(n);
            start(n, y), sn_vector_zero(context, n, out);
            memset(wanted, 0, sizeof wanted), expect(n);
            start(n, x), sn_vector_scale(context, n, -1.5, out);
            for (int i = 0; i < n; ++i) wanted[i] = x[i] * -1.5;
            expect(n);
            start(n, y), sn_vector_add(context, n, 0.1, x, out);
            for (int i = 0; i < n; ++i) wanted[i] = y[i] + 0.1 * x[i];
            expect(n);
            start(n, z), sn_vector_subtract(context, n, x, y, out);
            for (int i = 0; i < n; ++i) wanted[i] = x[i] - y[i];
            expect(n);
            start(n, z), sn_vector_difference(context, n, 0.3, x, y, out);
            for (int i = 0; i < n; ++i) wanted[i] = 0.3 * (x[i] - y[i]);
            expect(n);
            for (int place = 0; place < 2; ++place) { /* in place of either operand */
                start(n, place ? y : x), sn_vector_difference(context, n, 0.3, place ? x : out, place ? out : y, out);
                expect(n);
            }
        }
        sn_context_destroy(context);
    }
}

/* Terms may be left out, and the result may stand in any of them. */
static void test_mix(void **state) {
    (void)state;
    fill();
    sn_context *context = context_of(2, "auto");
    const int n = MOST;
    for (int terms = 1; terms <= 3; ++terms) {
        for (int i = 0; i < n; ++i)
            wanted[i] = terms == 1 ? 2 * x[i] : terms == 2 ? 2 * x[i] - 0.7 * y[i] : 2 * x[i] - 0.7 * y[i] + 0.2 * z[i];
        const double *const own[3] = {x, y, z};
        for (int in_place = -1; in_place < terms; ++in_place) {
            start(n, in_place < 0 ? z : own[in_place]);
            sn_vector_mix(context, n, 2, in_place == 0 ? out : x, -0.7,
                          terms < 2       ? NULL
                          : in_place == 1 ? out
                                          : y,
                          0.2,
                          terms < 3       ? NULL
                          : in_place == 2 ? out
                                          : z,
                          out);
            expect(n);
        }
    }
    sn_context_destroy(context);
}

static void test_quotients(void **state) {
    (void)state;
    static const char *const simd[] = {"baseline", "avx2", "avx512"};
    fill();
    for (int i = 0; i < MOST; ++i) z[i] = i % 5 == 3 ? 0 : i % 11 == 4 ? -1 : fabs(z[i]);
    for (int threads = 1; threads <= 4; threads *= 2)
        for (int s = 0; s < 3; ++s) {
            sn_context *context = context_of(threads, simd[s]);
            for (int k = 0; k < 2 * SIZES; ++k) {
                const int nodes = sizes[k / 2] / 3, n = 3 * nodes;
                start(n, k % 2 ? x : y), sn_vector_divide(context, nodes, z, k % 2 ? out : x, out); /* also in place */
                for (int i = 0; i < n; ++i) wanted[i] = z[i / 3] > 0 ? x[i] / z[i / 3] : 0;
                expect(n);
            }
            sn_context_destroy(context);
        }
}

static void test_sums_are_right(void **state) {
    (void)state;
    fill();
    sn_context *context = context_of(2, "auto");
    for (int k = 0; k < SIZES; ++k) {
        const int n = sizes[k];
        long double dot = 0, size = 0, square = 0;
        double largest = 0;
        for (int i = 0; i < n; ++i) {
            dot += (long double)x[i] * y[i];
            size += fabsl((long double)x[i] * y[i]);
            square += (long double)x[i] * x[i];
            largest = fmax(largest, fabs(x[i]));
        }
        assert_true(fabsl((long double)sn_vector_dot(context, n, x, y) - dot) <= 1e-14L * size);
        assert_true(fabsl((long double)sn_vector_norm(context, n, x) - sqrtl(square)) <= 1e-14L * sqrtl(square));
        assert_true(sn_vector_largest(context, n, x) == largest);
    }
    sn_context_destroy(context);
}

static void test_sums_over_nodes_are_right(void **state) {
    (void)state;
    fill();
    sn_context *context = context_of(2, "auto");
    for (int k = 0; k < SIZES; ++k) {
        const int nodes = sizes[k] / 3;
        long double moment[3] = {0}, weighted = 0, size = 0, moment_size = 0, work = 0, work_size = 0;
        for (int i = 0; i < 3 * nodes; ++i) {
            moment[i % 3] += (long double)z[i / 3] * x[i];
            moment_size += fabsl((long double)z[i / 3] * x[i]);
            weighted += (long double)z[i / 3] * x[i] * y[i];
            size += fabsl((long double)z[i / 3] * x[i] * y[i]);
            work += ((long double)x[i] + z[i]) * ((long double)y[i] - x[i]);
            work_size += (fabsl((long double)x[i]) + fabs(z[i])) * (fabsl((long double)y[i]) + fabs(x[i]));
        }
        double found[3];
        sn_vector_moment(context, nodes, z, x, found);
        for (int c = 0; c < 3; ++c) assert_true(fabsl(found[c] - moment[c]) <= 1e-14L * moment_size);
        assert_true(fabsl(sn_vector_weighted(context, nodes, z, x, y) - weighted) <= 1e-14L * size);
        assert_true(fabsl(sn_vector_work(context, 3 * nodes, x, z, x, y) - work) <= 1e-14L * work_size);
    }
    sn_context_destroy(context);
}

static void test_sums_have_the_same_bits(void **state) {
    (void)state;
    static const char *const simd[] = {"baseline", "avx2", "avx512"};
    fill();
    for (int k = 0; k < SIZES; ++k) {
        const int n = sizes[k];
        const double dot = sn_vector_dot(NULL, n, x, y), norm = sn_vector_norm(NULL, n, x),
                     work = sn_vector_work(NULL, n, x, y, z, y), weighted = sn_vector_weighted(NULL, n / 3, z, x, y);
        double moment[3], same[3];
        sn_vector_moment(NULL, n / 3, z, x, moment);
        for (int threads = 1; threads <= 4; threads *= 2)
            for (int s = 0; s < 3; ++s) {
                sn_context *context = context_of(threads, simd[s]);
                assert_true(sn_vector_dot(context, n, x, y) == dot);
                assert_true(sn_vector_norm(context, n, x) == norm);
                assert_true(sn_vector_work(context, n, x, y, z, y) == work);
                assert_true(sn_vector_weighted(context, n / 3, z, x, y) == weighted);
                sn_vector_moment(context, n / 3, z, x, same);
                assert_memory_equal(same, moment, sizeof same);
                static double partial[MOST];
                assert_true(sn_dot_scratch(n) <= MOST);
                assert_true(sn_dot(context, n, x, y, partial) == dot);
                sn_context_destroy(context);
            }
    }
}

/* A number that is not finite must not hide behind a larger one. */
static void test_largest_shows_what_is_not_finite(void **state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    static const int places[] = {0, 3, 8, SN_PIECE, MOST - 1};
    sn_context *context = context_of(2, "auto");
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < (int)(sizeof places / sizeof *places); ++k) {
            fill();
            x[places[k]] = bad[i];
            assert_true(isnan(sn_vector_largest(context, MOST, x)));
        }
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elementwise),
        cmocka_unit_test(test_mix),
        cmocka_unit_test(test_quotients),
        cmocka_unit_test(test_sums_are_right),
        cmocka_unit_test(test_sums_over_nodes_are_right),
        cmocka_unit_test(test_sums_have_the_same_bits),
        cmocka_unit_test(test_largest_shows_what_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
