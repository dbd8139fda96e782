/* The document's trees: b-DOPs hold what they should, and the pairs hold all cuts, at rest and deformed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../failing_allocator.h"
#include "contact/bdop.h"
#include "contact/touch_clip.h"
#include "contact/touch_cut.h"
#include "sinew/sinew.h"
#include "touch_bodies.h"

/* A clipped ball in a box of tets; the nodes of body i begin at 1000 i. */
static sn_touch_surface *ball(sn_context *context, sn_mesh *tets, int n, int body) {
    touch_shape shape = touch_ball(n);
    touch_shape_place(&shape, 1, 0.95, 0.97, 0.0131, 0.0272, -0.0413);
    sn_touch_surface *s = NULL;
    const sn_status status = sn_touch_clip(tets, shape.position, shape.vertex_count, shape.triangle,
                                           shape.triangle_count, body, 1000 * body, &s, NULL);
    touch_shape_release(&shape);
    assert_true(status == SN_OK || s == NULL);
    return s;
}

/* Positions of the nodes: the second body is shifted, both are bent and sheared. */
static void move(const sn_mesh *tets, double bend, double *x) {
    for (int b = 0; b < 2; ++b)
        for (int i = 0; i < tets->node_count; ++i) {
            const double *X = &tets->position[3 * i];
            double *y = &x[3 * (1000 * b + i)];
            y[0] = X[0] + bend * X[1] * X[1] + 0.7 * b, y[1] = X[1] + bend * sin(3 * X[2]) - 0.5 * b;
            y[2] = X[2] - 0.5 * bend * X[0] + 0.9 * b;
        }
}

static void test_pack(void **state) {
    sn_mesh *tets = touch_tets(*state, 3);
    sn_touch_surface *s = ball(*state, tets, 12, 0);
    sn_bdop_tree *tree = NULL;
    assert_int_equal(sn_bdop_tree_create(s, &tree, NULL), SN_OK);
    int seen = 0;
    for (int t = 0; t < tree->tet_count; ++t)
        for (int p = tree->tet[t].first; p < tree->tet[t].last; ++p) {
            const int first = tree->patches.first[tree->patch[p]], last = tree->patches.first[tree->patch[p] + 1];
            const sn_bdop root = sn_bdop_unpack(&tree->triangle[first]);
            for (int i = first; i < last; ++i, ++seen)
                for (int k = 0; k < 3; ++k) {
                    const int32_t v = sn_bdop_vertex(&tree->triangle[i], k);
                    assert_int_equal(v, s->triangle[3 * tree->source[i] + k]);
                    assert_int_equal((int32_t)(tree->triangle[i].word[3 + k] & (SN_BDOP_FEATURES - 1)),
                                     s->neighbour[3 * tree->source[i] + k]);
                    for (int c = s->carrier_first[v]; c < s->carrier_first[v + 1]; ++c)
                        for (int m = 0; m < 4; ++m)
                            if (tree->tet[t].node[m] == s->carrier_node[c]) {
                                assert_true(root.low[m] <= s->carrier_weight[c] + 1e-9);
                                assert_true(root.high[m] >= s->carrier_weight[c] - 1e-9);
                                assert_true(root.high[m] <= 1 && root.low[m] >= 0);
                            }
                }
        }
    assert_int_equal(seen, s->triangle_count);
    sn_bdop_tree_destroy(tree);
    sn_touch_surface_destroy(s);
    sn_mesh_destroy(tets);
}

static int compare_pairs(const void *a, const void *b) {
    const int32_t *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

/* Every pair of triangles that intersects is found once, with every way of searching. */
static void test_pairs(void **state) {
    sn_context *context = *state;
    sn_mesh *tets = touch_tets(context, 3);
    sn_touch_surface *a = ball(context, tets, 9, 0), *b = ball(context, tets, 8, 1);
    sn_bdop_tree *ta = NULL, *tb = NULL;
    assert_int_equal(sn_bdop_tree_create(a, &ta, NULL), SN_OK);
    assert_int_equal(sn_bdop_tree_create(b, &tb, NULL), SN_OK);
    double *x = calloc(3 * 2000, sizeof *x);
    for (int trial = 0; trial < 3; ++trial) {
        move(tets, 0.2 * trial, x);
        sn_touch_surface_move(a, x), sn_touch_surface_move(b, x);
        sn_bdop_tree_refit(ta, x), sn_bdop_tree_refit(tb, x);
        sn_touch_cut cut;
        int expected = 0, last = 1 << 30;
        for (int i = 0; i < a->triangle_count; ++i)
            for (int j = 0; j < b->triangle_count; ++j) expected += sn_touch_cut_triangles(a, i, b, j, &cut);
        assert_true(expected > 100);
        static const sn_bdop_search search[] = {{0, true}, {8, false}, {1, false}};
        for (int way = 0; way < 3; ++way) {
            sn_box_pairs pairs = {.context = context};
            int64_t tet_pairs;
            assert_int_equal(sn_bdop_tree_pairs(ta, tb, x, &search[way], &pairs, &tet_pairs, NULL), SN_OK);
            qsort(pairs.pair, (size_t)pairs.count, sizeof *pairs.pair, compare_pairs);
            int found = 0;
            for (int i = 0; i < pairs.count; ++i) {
                found += sn_touch_cut_triangles(a, pairs.pair[i][0], b, pairs.pair[i][1], &cut);
                assert_true(i == 0 || compare_pairs(pairs.pair[i - 1], pairs.pair[i]) < 0);
            }
            assert_int_equal(found, expected);
            assert_true(pairs.count < last && tet_pairs > 10); /* each way is tighter than the one before */
            last = pairs.count;
            sn_box_pairs_release(&pairs);
        }
    }
    free(x);
    sn_bdop_tree_destroy(ta), sn_bdop_tree_destroy(tb);
    sn_touch_surface_destroy(a), sn_touch_surface_destroy(b);
    sn_mesh_destroy(tets);
}

static void test_refused(void **state) {
    sn_touch_surface *s = touch_surface(*state, touch_ball(4), -1, -1);
    sn_bdop_tree *tree = NULL;
    sn_error error = {0};
    assert_int_equal(sn_bdop_tree_create(s, &tree, &error), SN_UNSUPPORTED);
    assert_null(tree);
    sn_touch_surface_destroy(s);
}

static void test_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *own = failing_allocator_context(&failing);
    sn_mesh *tets = touch_tets(own, 2);
    sn_touch_surface *s = ball(own, tets, 3, 0);
    const int64_t before = failing.live;
    int n = 0;
    for (sn_status status = SN_NO_MEMORY; status; ++n) {
        sn_bdop_tree *tree = NULL;
        failing_allocator_arm(&failing, n + 1);
        status = sn_bdop_tree_create(s, &tree, NULL);
        failing_allocator_disarm(&failing);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_bdop_tree_destroy(tree);
        assert_int_equal(failing.live, before);
    }
    assert_true(n > 15);
    sn_touch_surface_destroy(s);
    sn_mesh_destroy(tets);
    sn_context_destroy(own);
}

static int set_up(void **state) { return sn_context_create(NULL, (sn_context **)state, NULL); }
static int tear_down(void **state) {
    sn_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pack), cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
