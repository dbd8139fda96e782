/* Forests of nested tets: the rule holds after any sequence of changes, and the counts agree with the set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/forest.h"
#include "shared_context.h"

static sn_mesh *box(int refinements) {
    const sn_generator_value value[] = {{.name = "cells", .count = 3, .value = {2, 1, 1}}};
    sn_mesh *mesh;
    assert_int_equal(sn_mesh_generate(context, "box", value, 1, &mesh, NULL), SN_OK);
    for (int i = 0; i < refinements; ++i) {
        sn_mesh *finer;
        assert_int_equal(sn_mesh_refine(mesh, &finer, NULL), SN_OK);
        sn_mesh_destroy(mesh);
        mesh = finer;
    }
    return mesh;
}

static sn_forest plant(const sn_mesh *mesh, int levels) {
    int32_t *number = malloc((size_t)mesh->node_count * sizeof *number);
    sn_forest f;
    for (int i = 0; i < mesh->node_count; ++i) number[i] = i;
    assert_int_equal(sn_forest_create(context, mesh, number, mesh->node_count, levels, &f, NULL), SN_OK);
    free(number);
    return f;
}

typedef struct tally {
    const sn_forest *forest;
    int leaves;
    double share; /* of the body, in roots */
} tally;

static void count_leaf(void *data, int tet, int level) {
    tally *t = data;
    assert_true(tet >= t->forest->first[level]);
    ++t->leaves;
    t->share += 1.0 / (double)(1 << 3 * level);
}

/* The set fills the body, its counts are right, refined tets have free corners, and so have the parents of hanging
 * nodes. */
static void check(const sn_forest *f, const sn_mesh *mesh) {
    tally t = {.forest = f};
    sn_forest_leaves(f, count_leaf, &t);
    assert_int_equal(t.leaves, f->leaf_count);
    assert_true(t.share == f->root_count);
    for (int i = 0; i < f->count; ++i) {
        if (!f->refined[i]) continue;
        const int parent = sn_forest_parent(f, i);
        assert_true(parent < 0 || f->refined[parent]);
        for (int c = 0; c < 4; ++c)
            assert_int_equal(sn_forest_kind(f, f->node[10 * (size_t)i + (size_t)c]), SN_NODE_FREE);
    }
    for (int i = 0; i < mesh->node_count; ++i)
        for (int k = 0; k < 2 && sn_forest_kind(f, i) == SN_NODE_HANGING; ++k)
            assert_int_equal(sn_forest_kind(f, mesh->node_parent[2 * i + k]), SN_NODE_FREE);
}

static void test_random_changes(void **state) {
    (void)state;
    sn_mesh *mesh = box(4);
    sn_forest f = plant(mesh, 3);
    assert_int_equal(f.root_count, 12 * 8);
    uint32_t seed = 1;
    int refined = 0, coarsened = 0, hanging = 0;
    for (int i = 0; i < 3000; ++i) {
        seed = seed * 1664525u + 1013904223u;
        const int tet = (int)(seed >> 8) % f.count;
        const int before = f.leaf_count;
        if (seed & 128) {
            assert_true(sn_forest_refine(&f, tet, INT32_MAX));
            assert_true(f.refined[tet]);
            assert_int_equal(f.leaf_count, before + 7 * f.journal_count);
            refined += f.journal_count;
        } else if (sn_forest_can_coarsen(&f, tet)) {
            sn_forest_coarsen(&f, tet);
            ++coarsened;
        }
        if (i % 50 == 0) check(&f, mesh);
        for (int n = 0; n < mesh->node_count && i % 50 == 0; ++n) hanging += sn_forest_kind(&f, n) == SN_NODE_HANGING;
    }
    assert_true(refined > 500 && coarsened > 100 && hanging > 1000);
    /* From the finest tets down to the roots. */
    for (int t = 0; t < f.count; ++t) sn_forest_refine(&f, t, INT32_MAX);
    assert_int_equal(f.leaf_count, mesh->tet_count);
    for (int t = f.count - 1; t >= 0; --t) {
        assert_true(sn_forest_can_coarsen(&f, t));
        sn_forest_coarsen(&f, t);
    }
    assert_int_equal(f.leaf_count, f.root_count);
    check(&f, mesh);
    sn_forest_release(context, &f);
    sn_mesh_destroy(mesh);
}

/* A refinement that the budget does not allow changes nothing. */
static void test_budget(void **state) {
    (void)state;
    sn_mesh *mesh = box(3);
    sn_forest f = plant(mesh, 3);
    uint8_t *before = malloc((size_t)f.count);
    const int deep = f.first[2] + 5;
    assert_true(sn_forest_refine(&f, f.first[1], INT32_MAX));
    memcpy(before, f.refined, (size_t)f.count);
    const int leaves = f.leaf_count;
    assert_false(sn_forest_refine(&f, f.count - deep % 7 - 1, leaves + 7));
    assert_int_equal(f.leaf_count, leaves);
    assert_memory_equal(before, f.refined, (size_t)f.count);
    check(&f, mesh);
    /* Flags that break the rule are refused; those of a set are taken. */
    assert_true(sn_forest_set(&f, before));
    assert_int_equal(f.leaf_count, leaves);
    memset(before, 0, (size_t)f.count);
    before[f.first[1]] = 1;
    assert_false(sn_forest_set(&f, before));
    free(before);
    sn_forest_release(context, &f);
    sn_mesh_destroy(mesh);
}

static void test_refuses(void **state) {
    (void)state;
    sn_mesh *mesh = box(1);
    int32_t number[64];
    sn_forest f;
    sn_error error;
    for (int i = 0; i < 64; ++i) number[i] = i;
    assert_true(mesh->node_count <= 64);
    assert_int_equal(sn_forest_create(context, mesh, number, mesh->node_count, 2, &f, &error), SN_BAD_INPUT);
    sn_forest_release(context, &f);
    sn_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_changes), cmocka_unit_test(test_budget),
                                       cmocka_unit_test(test_refuses)};
    return cmocka_run_group_tests(tests, start, end);
}
