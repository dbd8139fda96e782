/* The tree of boxes against a comparison of all pairs of boxes, for every instruction set and several numbers of
 * threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/box_tree.h"
#include "failing_allocator.h"

static uint64_t seed;
static double random_unit(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* A soup of small triangles in the unit cube. */
enum { MOST = 700 };
typedef struct soup {
    int count;
    double position[9 * MOST], target[9 * MOST];
    int32_t triangle[3 * MOST];
} soup;

static void make(soup *s, int count, double size) {
    s->count = count;
    for (int i = 0; i < count; ++i) {
        double centre[3], step[3];
        for (int a = 0; a < 3; ++a) centre[a] = random_unit(), step[a] = 0.2 * (random_unit() - 0.5);
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) {
                const int at = 3 * (3 * i + k) + a;
                s->position[at] = centre[a] + size * (random_unit() - 0.5);
                s->target[at] = s->position[at] + step[a];
            }
        for (int k = 0; k < 3; ++k) s->triangle[3 * i + k] = 3 * i + k;
    }
}

/* How far apart the boxes of two triangles are, with their paths when `swept`; below 0: they overlap. */
static double apart(const soup *s, int i, const soup *t, int j, bool swept) {
    double most = -INFINITY;
    for (int a = 0; a < 3; ++a) {
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < 3; ++k) {
                const soup *u = side ? t : s;
                const int at = 3 * u->triangle[3 * (side ? j : i) + k] + a;
                low[side] = fmin(low[side], swept ? fmin(u->position[at], u->target[at]) : u->position[at]);
                high[side] = fmax(high[side], swept ? fmax(u->position[at], u->target[at]) : u->position[at]);
            }
        most = fmax(most, fmax(low[1] - high[0], low[0] - high[1]));
    }
    return most;
}

static sn_box_tree *tree_of(sn_context *context, const soup *s) {
    sn_box_tree *tree;
    assert_int_equal(sn_box_tree_create(context, s->position, 3 * s->count, s->triangle, s->count, &tree, NULL), SN_OK);
    return tree;
}

/* Every pair that must be there is there once, and no other but those that rounding explains. */
static void check(const soup *s, const soup *t, const sn_box_pairs *pairs, double margin, bool swept) {
    static uint8_t seen[MOST][MOST];
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < pairs->count; ++i) {
        int a = pairs->pair[i][0], b = pairs->pair[i][1];
        if (s == t && a > b) a = pairs->pair[i][1], b = pairs->pair[i][0];
        assert_false(seen[a][b]);
        seen[a][b] = 1;
    }
    for (int i = 0; i < s->count; ++i)
        for (int j = s == t ? i + 1 : 0; j < t->count; ++j) {
            const double gap = apart(s, i, t, j, swept) - 2 * margin;
            if (gap <= 0) assert_true(seen[i][j]);
            if (gap > 1e-5) assert_false(seen[i][j]);
        }
}

static soup one, two;

static bool is_odd(const void *user, const int32_t pair[2]) {
    (void)user;
    return (pair[0] + pair[1]) % 2 == 1;
}

/* A search that keeps some pairs gives these pairs, in the same order. */
static void check_kept(sn_context *context, sn_box_tree *tree, const sn_box_pairs *all) {
    sn_box_pairs kept = {.context = context, .keep = is_odd};
    int count = 0;
    assert_int_equal(sn_box_tree_pairs(tree, NULL, &kept, NULL), SN_OK);
    for (int i = 0; i < all->count; ++i) {
        if (!is_odd(NULL, all->pair[i])) continue;
        assert_true(count < kept.count);
        assert_memory_equal(kept.pair[count++], all->pair[i], sizeof *all->pair);
    }
    assert_int_equal(count, kept.count);
    sn_box_pairs_release(&kept);
}

static void test_against_all_pairs(void **state) {
    (void)state;
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    sn_box_pairs pairs = {.context = context};
    const int counts[] = {0, 1, 7, 8, 9, 64, 65, 512, 700};
    for (int c = 0; c < 9; ++c)
        for (int swept = 0; swept < 2; ++swept) {
            seed = (uint64_t)c;
            make(&one, counts[c], 0.1);
            make(&two, counts[(c + 4) % 9], 0.05);
            sn_box_tree *a = tree_of(context, &one), *b = tree_of(context, &two);
            sn_box_tree_refit(a, one.position, swept ? one.target : NULL, 0.01);
            sn_box_tree_refit(b, two.position, swept ? two.target : NULL, 0.01);
            assert_int_equal(sn_box_tree_pairs(a, b, &pairs, NULL), SN_OK);
            check(&one, &two, &pairs, 0.01, swept);
            assert_int_equal(sn_box_tree_pairs(a, NULL, &pairs, NULL), SN_OK);
            check(&one, &one, &pairs, 0.01, swept);
            check_kept(context, a, &pairs);
            sn_box_tree_destroy(a), sn_box_tree_destroy(b);
        }
    sn_box_pairs_release(&pairs);
    sn_context_destroy(context);
}

/* The same list, in the same order, for every instruction set and number of threads. */
static void test_same_order(void **state) {
    (void)state;
    seed = 5;
    make(&one, MOST, 0.2);
    int count = -1;
    int32_t(*first)[2] = NULL;
    for (int threads = 1; threads <= 3; ++threads)
        for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
            sn_context *context;
            sn_context_options options = sn_context_options_default();
            options.threads = threads;
            assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
            if ((int)context->isa > isa) context->isa = (sn_isa)isa;
            sn_box_pairs pairs = {.context = context};
            sn_box_tree *tree = tree_of(context, &one);
            sn_box_tree_refit(tree, one.position, one.target, 0.01);
            assert_int_equal(sn_box_tree_pairs(tree, tree, &pairs, NULL), SN_OK);
            if (count < 0) {
                count = pairs.count;
                first = malloc((size_t)count * sizeof *first);
                memcpy(first, pairs.pair, (size_t)count * sizeof *first);
            }
            assert_int_equal(pairs.count, count);
            assert_memory_equal(pairs.pair, first, (size_t)count * sizeof *first);
            sn_box_tree_destroy(tree);
            sn_box_pairs_release(&pairs);
            sn_context_destroy(context);
        }
    assert_true(count > 1000);
    free(first);
}

/* The least distance of two corners at some times on their ways. */
static double least_on_way(const soup *s, int i, int j) {
    enum { TIMES = 16 };
    double least = INFINITY;
    for (int time = 0; time <= TIMES; ++time)
        for (int k = 0; k < 9; ++k) {
            const size_t p = 9 * (size_t)i + 3 * (size_t)(k / 3), q = 9 * (size_t)j + 3 * (size_t)(k % 3);
            const double t = (double)time / TIMES;
            double square = 0;
            for (size_t a = 0; a < 3; ++a) {
                const double d =
                    (1 - t) * (s->position[p + a] - s->position[q + a]) + t * (s->target[p + a] - s->target[q + a]);
                square += d * d;
            }
            least = fmin(least, sqrt(square));
        }
    return least;
}

/* A tree that follows ways leaves out pairs that stay apart, and no others: here all triangles move together, and each
 * a little by itself. */
static void test_follows_ways(void **state) {
    (void)state;
    enum { COUNT = 300 };
    static uint8_t seen[COUNT][COUNT];
    const double margin = 0.02;
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        sn_context *context;
        assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
        if ((int)context->isa > isa) context->isa = (sn_isa)isa;
        seed = 11;
        make(&one, COUNT, 0.03);
        for (int i = 0; i < 9 * COUNT; ++i)
            one.target[i] = one.position[i] + 0.5 * (one.target[i] - one.position[i]) + 0.7;
        sn_box_pairs whole = {.context = context}, pairs = {.context = context};
        sn_box_tree *tree = tree_of(context, &one);
        sn_box_tree_refit(tree, one.position, one.target, margin);
        assert_int_equal(sn_box_tree_pairs(tree, NULL, &whole, NULL), SN_OK);
        assert_int_equal(sn_box_tree_follow(tree, NULL), SN_OK);
        sn_box_tree_refit(tree, one.position, one.target, margin);
        assert_int_equal(sn_box_tree_pairs(tree, NULL, &pairs, NULL), SN_OK);
        assert_in_range(pairs.count, 1, whole.count / 4);
        int at = 0;
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < pairs.count; ++i, ++at) { /* in the same order */
            while (at < whole.count && memcmp(whole.pair[at], pairs.pair[i], sizeof *pairs.pair) != 0) ++at;
            assert_true(at < whole.count);
            seen[pairs.pair[i][0]][pairs.pair[i][1]] = seen[pairs.pair[i][1]][pairs.pair[i][0]] = 1;
        }
        for (int i = 0; i < COUNT; ++i)
            for (int j = i + 1; j < COUNT; ++j)
                if (least_on_way(&one, i, j) <= 2 * margin) assert_true(seen[i][j]);
        sn_box_tree_refit(tree, one.position, NULL, margin); /* nothing moves: boxes alone */
        assert_int_equal(sn_box_tree_pairs(tree, NULL, &pairs, NULL), SN_OK);
        check(&one, &one, &pairs, margin, false);
        sn_box_tree_destroy(tree);
        sn_box_pairs_release(&whole), sn_box_pairs_release(&pairs);
        sn_context_destroy(context);
    }
}

/* Boxes hold their triangles also far from the origin, where single precision is coarse. */
static void test_rounds_outwards(void **state) {
    (void)state;
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    seed = 9;
    make(&one, 300, 0.01);
    for (int i = 0; i < 9 * one.count; ++i) one.position[i] = 1e4 * (one.position[i] - 0.5);
    sn_box_tree *tree = tree_of(context, &one);
    sn_box_tree_refit(tree, one.position, NULL, 0);
    for (int p = 0; p < one.count; ++p)
        for (int k = 0; k < 9; ++k) {
            const double x = one.position[3 * one.triangle[3 * tree->order[p] + k / 3] + k % 3];
            assert_true(tree->block[p / 8].low[k % 3][p % 8] <= x && x <= tree->block[p / 8].high[k % 3][p % 8]);
        }
    float low[3], high[3];
    sn_box_tree_bounds(tree, low, high);
    for (int i = 0; i < 9 * one.count; ++i)
        assert_true(low[i % 3] <= one.position[i] && one.position[i] <= high[i % 3]);
    assert_false(sn_box_tree_moved(tree, one.position, 0));
    one.position[100] += 0.5;
    assert_true(sn_box_tree_moved(tree, one.position, 0.49));
    assert_false(sn_box_tree_moved(tree, one.position, 0.51));
    sn_box_tree_destroy(tree);
    sn_context_destroy(context);
}

/* The N-th allocation fails: a status, and no leak. */
static void test_without_memory(void **state) {
    (void)state;
    seed = 3;
    make(&one, 200, 0.3);
    failing_allocator f = failing_allocator_make();
    sn_context *context = failing_allocator_context(&f);
    const int64_t live = f.live;
    int64_t n = 0;
    for (bool ended = false; !ended;) {
        sn_box_pairs pairs = {.context = context};
        sn_box_tree *tree = NULL;
        failing_allocator_arm(&f, ++n);
        sn_status status =
            sn_box_tree_create(context, one.position, 3 * one.count, one.triangle, one.count, &tree, NULL);
        if (status == SN_OK) {
            sn_box_tree_refit(tree, one.position, NULL, 0);
            status = sn_box_tree_pairs(tree, NULL, &pairs, NULL);
        }
        ended = !f.failed;
        assert_int_equal(status, ended ? SN_OK : SN_NO_MEMORY);
        sn_box_tree_destroy(tree);
        sn_box_pairs_release(&pairs);
        assert_int_equal(f.live, live);
    }
    assert_true(n > 7);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_pairs), cmocka_unit_test(test_same_order),
        cmocka_unit_test(test_follows_ways),      cmocka_unit_test(test_rounds_outwards),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
