/* The broad phase: the pairs of brute force, in the same order whatever came before, and few comparisons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact/broad_phase.h"

static double noise(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 0x1000000;
}

/* Boxes of a size of 0.5 to 1.5 in a cube of this edge. Every tenth box is empty. */
static void fill(sn_broad_phase *phase, double edge, unsigned seed) {
    for (int i = 0; i < phase->box_count; ++i)
        for (int k = 0; k < 3; ++k) {
            const double low = edge * noise(&seed), size = 0.5 + noise(&seed);
            phase->box[i].low[k] = i % 10 == 9 ? INFINITY : low;
            phase->box[i].high[k] = i % 10 == 9 ? -INFINITY : low + size;
        }
}

static void check(const sn_broad_phase *phase) {
    int found = 0;
    for (int a = 0; a < phase->box_count; ++a)
        for (int b = a + 1; b < phase->box_count; ++b) {
            bool meet = true;
            for (int k = 0; k < 3; ++k)
                meet = meet && phase->box[a].low[k] <= phase->box[b].high[k] &&
                       phase->box[b].low[k] <= phase->box[a].high[k];
            if (!meet) continue;
            assert_true(found < phase->count);
            assert_int_equal(phase->pair[found][0], a);
            assert_int_equal(phase->pair[found][1], b);
            ++found;
        }
    assert_int_equal(found, phase->count);
}

static void test_brute_force(void **state) {
    sn_context *context = *state;
    sn_broad_phase phase = {.context = context};
    static const int count[] = {0, 1, 2, 40, 200, 7};
    for (int i = 0; i < 6; ++i)
        for (unsigned seed = 1; seed < 6; ++seed) {
            assert_int_equal(sn_broad_phase_resize(&phase, count[i], NULL), SN_OK);
            fill(&phase, seed * 2.0, seed);
            assert_int_equal(sn_broad_phase_find(&phase, NULL), SN_OK);
            check(&phase);
        }
    sn_broad_phase_release(&phase);
}

/* Puts `side` boxes along each of `axes` axes; each overlaps with its neighbours. Returns the comparisons. */
static int64_t tests_of_lattice(sn_broad_phase *phase, int side, int axes) {
    int count = 1;
    for (int k = 0; k < axes; ++k) count *= side;
    assert_int_equal(sn_broad_phase_resize(phase, count, NULL), SN_OK);
    for (int b = 0; b < count; ++b) {
        sn_broad_box *box = &phase->box[b * 7 % count];
        for (int k = 0, rest = b; k < 3; rest /= side, ++k) {
            box->low[k] = k < axes ? 0.9 * (rest % side) : 0;
            box->high[k] = box->low[k] + 1;
        }
    }
    assert_int_equal(sn_broad_phase_find(phase, NULL), SN_OK);
    check(phase);
    return phase->tests;
}

/* In a row and in a pile, many boxes need few comparisons: about as many per box as a few boxes do. */
static void test_cost(void **state) {
    sn_context *context = *state;
    sn_broad_phase phase = {.context = context};
    const int64_t row = tests_of_lattice(&phase, 200, 1), twice = tests_of_lattice(&phase, 400, 1);
    assert_int_equal(phase.count, 399);
    assert_true(row < 200 * 8 && (double)twice < 2.3 * (double)row);
    const int64_t pile = tests_of_lattice(&phase, 6, 3), eight = tests_of_lattice(&phase, 12, 3);
    print_message("a row of 200 and 400 boxes: %lld and %lld comparisons; a pile of 216 and 1728: %lld and %lld\n",
                  (long long)row, (long long)twice, (long long)pile, (long long)eight);
    assert_true((double)eight < 12 * (double)pile); /* a sweep along one axis needs 32 times as many */
    sn_broad_phase_release(&phase);
}

static int start(void **state) {
    sn_context *context = NULL;
    *state = NULL;
    if (sn_context_create(NULL, &context, NULL)) return 1;
    *state = context;
    return 0;
}

static int end(void **state) {
    sn_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_brute_force), cmocka_unit_test(test_cost)};
    return cmocka_run_group_tests(tests, start, end);
}
