/* Creation, groups, motions, tet10, octasection. */
#include <stdio.h>

#include "mesh_test.h"

static void test_create_refuses(void **state) {
    (void)state;
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    assert_int_equal(sn_mesh_create(context, 4, 1, 5, 0, &mesh, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "5"));
    assert_int_equal(sn_mesh_create(context, -1, 0, 4, 0, &mesh, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_create(context, 0, 0, 4, 0, &mesh, &error), SN_OK);
    sn_mesh_report r = report_of(mesh);
    assert_int_equal(r.nodes, 0);
    assert_int_equal(r.components, 0);
    sn_mesh_destroy(mesh);
    sn_mesh_destroy(NULL);
}

static void test_groups(void **state) {
    (void)state;
    sn_mesh *mesh = make_box(2, 2, 2, 6);
    sn_error error = {0};
    const int32_t member[5] = {9, 3, 3, 26, 0};
    assert_int_equal(sn_mesh_add_group(mesh, "mine", SN_GROUP_NODES, member, 5, &error), SN_OK);
    const sn_group *g = sn_mesh_find_group(mesh, "mine");
    assert_non_null(g);
    assert_int_equal(g->count, 4);
    const int32_t sorted[4] = {0, 3, 9, 26};
    assert_memory_equal(g->member, sorted, sizeof sorted);
    assert_int_equal(sn_mesh_add_group(mesh, "bad", SN_GROUP_NODES, (const int32_t[]){27}, 1, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "27"));
    assert_int_equal(sn_mesh_add_group(mesh, "bad", SN_GROUP_NODES, (const int32_t[]){-1}, 1, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_add_group(mesh, "bad", SN_GROUP_TETS, (const int32_t[]){48}, 1, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_add_group(mesh, "bad", SN_GROUP_TRIANGLES, (const int32_t[]){0}, 1, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_add_group(mesh, "bad", SN_GROUP_NODES, member, -1, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_add_group(mesh, "bad", SN_GROUP_NODES, NULL, 1, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_add_group(mesh, "bad", (sn_group_kind)7, member, 1, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "kind 7"));
    assert_null(sn_mesh_find_group(mesh, "bad"));
    assert_int_equal(sn_mesh_add_group(mesh, "empty", SN_GROUP_NODES, NULL, 0, &error), SN_OK);
    char name[80];
    memset(name, 'a', 79);
    name[79] = 0;
    assert_int_equal(sn_mesh_add_group(mesh, name, SN_GROUP_NODES, member, 1, &error), SN_BAD_INPUT);
    assert_null(sn_mesh_find_group(mesh, "none"));
    for (int i = 0; i < 40; ++i) {
        snprintf(name, sizeof name, "g%d", i);
        assert_int_equal(sn_mesh_add_group(mesh, name, SN_GROUP_TETS, (const int32_t[]){i}, 1, NULL), SN_OK);
    }
    assert_int_equal(sn_mesh_find_group(mesh, "g39")->member[0], 39);
    int32_t many[48];
    for (int i = 0; i < 48; ++i) many[i] = (i * 29 + 7) % 48; /* a permutation */
    assert_int_equal(sn_mesh_add_group(mesh, "all", SN_GROUP_TETS, many, 48, NULL), SN_OK);
    for (int i = 0; i < 48; ++i) assert_int_equal(sn_mesh_find_group(mesh, "all")->member[i], i);
    sn_mesh_destroy(mesh);
}

static void test_copy_and_motions(void **state) {
    (void)state;
    sn_mesh *mesh = make_box(2, 3, 1, 5), *copy = NULL;
    mesh->node_label = NULL;
    assert_int_equal(sn_mesh_copy(mesh, &copy, NULL), SN_OK);
    assert_int_equal(copy->group_count, mesh->group_count);
    assert_memory_equal(copy->position, mesh->position, (size_t)mesh->node_count * 24);
    assert_memory_equal(copy->tet, mesh->tet, (size_t)mesh->tet_count * 16);
    sn_mesh_scale(copy, 2);
    assert_true(fabs(report_of(copy).volume - 8) < 1e-12);
    sn_mesh_scale(copy, -0.5); /* a mirror keeps volumes positive */
    assert_true(fabs(report_of(copy).volume - 1) < 1e-12);
    assert_healthy(&(sn_mesh_report){.components = 1});
    assert_int_equal(report_of(copy).inverted, 0);
    sn_mesh_scale(copy, -1);
    sn_mesh_rotate(copy, (const double[]){0, 0, 2}, 90);
    assert_true(distance_of(copy, 2, 0, 1, 0) < 1e-14); /* (1,0,0) goes to (0,1,0) */
    sn_mesh_move(copy, (const double[]){1, 2, 3});
    assert_true(distance_of(copy, 2, 1, 3, 3) < 1e-14);
    assert_true(distance_of(mesh, 2, 1, 0, 0) == 0); /* the original stays */
    sn_mesh_destroy(copy);
    sn_mesh_destroy(mesh);
}

static void test_tet10(void **state) {
    (void)state;
    static const uint8_t edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    sn_mesh *mesh = make_box(2, 2, 2, 6), *ten = NULL;
    assert_int_equal(sn_mesh_to_tet10(mesh, &ten, NULL), SN_OK);
    assert_int_equal(ten->tet_nodes, 10);
    assert_int_equal(ten->node_count, 125); /* the nodes of the grid of half the spacing */
    assert_memory_equal(ten->position, mesh->position, (size_t)mesh->node_count * 24);
    int next = mesh->node_count;
    for (int t = 0; t < ten->tet_count; ++t) {
        const int32_t *n = ten->tet + t * 10;
        for (int e = 0; e < 6; ++e) {
            const double *a = ten->position + 3 * n[edge[e][0]], *b = ten->position + 3 * n[edge[e][1]];
            assert_true(distance_of(ten, n[4 + e], (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2) == 0);
            assert_true(n[4 + e] <= next); /* numbered in the order of first appearance */
            if (n[4 + e] == next) ++next;
        }
    }
    assert_int_equal(next, ten->node_count);
    assert_int_equal(sn_mesh_find_group(ten, "x-")->count, 25);
    sn_mesh_report r = report_of(ten);
    assert_healthy(&r);
    assert_true(fabs(r.volume - 1) < 1e-12);
    sn_mesh *again = NULL;
    assert_int_equal(sn_mesh_to_tet10(ten, &again, NULL), SN_OK);
    assert_int_equal(again->node_count, ten->node_count);
    sn_mesh_scale(again, -1);
    for (int t = 0; t < again->tet_count; ++t) { /* a mirrored tet10 keeps each middle on its edge */
        const int32_t *n = again->tet + t * 10;
        for (int e = 0; e < 6; ++e) {
            const double *a = again->position + 3 * n[edge[e][0]], *b = again->position + 3 * n[edge[e][1]];
            assert_true(distance_of(again, n[4 + e], (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2) < 1e-15);
        }
    }
    sn_mesh_destroy(again);
    sn_mesh_destroy(ten);
    sn_mesh_destroy(mesh);
}

/* A conforming refinement has no face of one tet inside: as many boundary faces as four times those before, no doubled
 * nodes. */
static void check_refined(const sn_mesh *mesh, sn_mesh **fine) {
    assert_int_equal(sn_mesh_refine(mesh, fine, NULL), SN_OK);
    const sn_mesh_report a = report_of(mesh), b = report_of(*fine);
    assert_int_equal(b.tets, 8 * a.tets);
    assert_int_equal(b.boundary_faces, 4 * a.boundary_faces);
    assert_true(fabs(b.volume - a.volume) < 1e-12 * a.volume);
    assert_healthy(&b);
    assert_memory_equal((*fine)->position, mesh->position, (size_t)mesh->node_count * 24);
}

static void test_refine(void **state) {
    (void)state;
    sn_mesh *box = make_box(2, 1, 3, 5), *fine = NULL, *finer = NULL;
    const int32_t tets[2] = {3, 7};
    assert_int_equal(sn_mesh_add_group(box, "hard", SN_GROUP_TETS, tets, 2, NULL), SN_OK);
    box->node_label = NULL;
    check_refined(box, &fine);
    assert_int_equal(sn_mesh_find_group(fine, "x-")->count, 3 * 7);
    const sn_group *hard = sn_mesh_find_group(fine, "hard");
    assert_int_equal(hard->count, 16);
    assert_int_equal(hard->member[0], 24);
    assert_int_equal(hard->member[8], 56);
    check_refined(fine, &finer);
    sn_mesh_destroy(finer);
    sn_mesh_destroy(fine);
    sn_mesh_destroy(box);
    sn_mesh *ball = make("sphere", NULL, 0);
    check_refined(ball, &fine);
    assert_true(report_of(fine).quality_min > 0.5);
    sn_mesh_destroy(fine);
    sn_mesh_destroy(ball);
}

/* A tet10 keeps its curved map: the refined nodes of x -> x + q(x), q quadratic, lie on the same map. */
static void curve(double *x) {
    const double y[3] = {x[0] + 0.2 * x[1] * x[1], x[1] - 0.1 * x[0] * x[2], x[2] + 0.15 * x[0] * x[0]};
    memcpy(x, y, sizeof y);
}

static void test_refine_tet10(void **state) {
    (void)state;
    sn_mesh *box = make_box(2, 2, 1, 6), *ten = NULL, *curved = NULL, *straight = NULL, *fine = NULL;
    assert_int_equal(sn_mesh_to_tet10(box, &ten, NULL), SN_OK);
    assert_int_equal(sn_mesh_refine(ten, &straight, NULL), SN_OK);
    assert_int_equal(sn_mesh_copy(ten, &curved, NULL), SN_OK);
    for (int i = 0; i < curved->node_count; ++i) curve(curved->position + 3 * i);
    assert_int_equal(sn_mesh_refine(curved, &fine, NULL), SN_OK);
    assert_int_equal(fine->tet_nodes, 10);
    assert_int_equal(straight->node_count, 9 * 9 * 5);
    const sn_mesh_report r = report_of(straight);
    assert_healthy(&r);
    assert_int_equal(r.tets, ten->tet_count * 8);
    assert_true(fabs(r.volume - 1) < 1e-12);
    /* The diagonals may differ, so compare as sets: every curved node has its straight partner. */
    for (int i = 0; i < ten->node_count; ++i) {
        double x[3];
        memcpy(x, straight->position + 3 * i, sizeof x);
        curve(x);
        assert_true(distance_of(fine, i, x[0], x[1], x[2]) < 1e-14);
    }
    for (int i = ten->node_count; i < fine->node_count; ++i) {
        double best = 1;
        for (int k = ten->node_count; k < straight->node_count; ++k) {
            double x[3];
            memcpy(x, straight->position + 3 * k, sizeof x);
            curve(x);
            best = fmin(best, distance_of(fine, i, x[0], x[1], x[2]));
        }
        assert_true(best < 1e-14);
    }
    sn_mesh_destroy(fine);
    sn_mesh_destroy(curved);
    sn_mesh_destroy(straight);
    sn_mesh_destroy(ten);
    sn_mesh_destroy(box);
}

static void test_refine_surface(void **state) {
    (void)state;
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t t[12] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1};
    sn_mesh *mesh = mesh_of(4, x, 0, NULL, 4, t), *fine = NULL;
    assert_int_equal(sn_mesh_add_group(mesh, "slope", SN_GROUP_TRIANGLES, (const int32_t[]){0}, 1, NULL), SN_OK);
    mesh->node_label = NULL;
    assert_int_equal(sn_mesh_refine(mesh, &fine, NULL), SN_OK);
    const sn_mesh_report r = report_of(fine);
    assert_int_equal(r.triangles, 16);
    assert_int_equal(r.nodes, 10);
    assert_healthy(&r);
    assert_true(fabs(r.volume - 1.0 / 6) < 1e-15);
    assert_int_equal(sn_mesh_find_group(fine, "slope")->count, 4);
    assert_int_equal(sn_mesh_find_group(fine, "slope")->member[3], 3);
    sn_mesh_destroy(fine);
    sn_mesh_destroy(mesh);
}

static void test_bad_index_is_reported(void **state) {
    (void)state;
    sn_mesh *mesh = make_box(1, 1, 1, 5), *out = NULL;
    mesh->tet[7] = 8;
    sn_error error = {0};
    sn_mesh_report r;
    int32_t order[8];
    assert_int_equal(sn_mesh_refine(mesh, &out, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "tet 1"));
    assert_int_equal(sn_mesh_to_tet10(mesh, &out, NULL), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_inspect(mesh, &r, NULL), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_order(mesh, order, NULL), SN_BAD_INPUT);
    mesh->tet[7] = 7;
    mesh->group[1].member[0] = 8;
    assert_int_equal(sn_mesh_inspect(mesh, &r, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "has node 8"));
    mesh->group[1].member[0] = 1;
    const int keep = mesh->tet_nodes;
    mesh->tet_nodes = 5;
    assert_int_equal(sn_mesh_inspect(mesh, &r, &error), SN_BAD_INPUT);
    mesh->tet_nodes = 3; /* as the mesh of a plane body has */
    assert_int_equal(sn_mesh_inspect(mesh, &r, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "plane"));
    assert_int_equal(sn_mesh_refine(mesh, &out, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_to_tet10(mesh, &out, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_copy(mesh, &out, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_write(mesh, "/tmp/never.msh", NULL, &error), SN_BAD_INPUT);
    mesh->tet_nodes = keep;
    mesh->triangle_count = -1;
    assert_int_equal(sn_mesh_inspect(mesh, &r, &error), SN_BAD_INPUT);
    mesh->triangle_count = 0;
    assert_int_equal(sn_mesh_inspect(mesh, &r, &error), SN_OK);
    sn_mesh_destroy(mesh);
}

static sn_status work_copy(void *data) {
    sn_mesh *out = NULL;
    const sn_status status = sn_mesh_copy(data, &out, NULL);
    sn_mesh_destroy(out);
    return status;
}
static sn_status work_tet10(void *data) {
    sn_mesh *out = NULL;
    const sn_status status = sn_mesh_to_tet10(data, &out, NULL);
    sn_mesh_destroy(out);
    return status;
}
static sn_status work_refine(void *data) {
    sn_mesh *out = NULL;
    const sn_status status = sn_mesh_refine(data, &out, NULL);
    sn_mesh_destroy(out);
    return status;
}

static void test_memory(void **state) {
    (void)state;
    sn_mesh *mesh = make_box(3, 2, 2, 6), *ten = NULL;
    assert_true(fail_each(work_copy, mesh, 1) > 5);
    assert_true(fail_each(work_tet10, mesh, 1) > 5);
    assert_true(fail_each(work_refine, mesh, 1) > 5);
    assert_int_equal(sn_mesh_to_tet10(mesh, &ten, NULL), SN_OK);
    assert_true(fail_each(work_refine, ten, 1) > 5);
    sn_mesh_destroy(ten);
    sn_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_create_refuses),
                                       cmocka_unit_test(test_groups),
                                       cmocka_unit_test(test_copy_and_motions),
                                       cmocka_unit_test(test_tet10),
                                       cmocka_unit_test(test_refine),
                                       cmocka_unit_test(test_refine_tet10),
                                       cmocka_unit_test(test_refine_surface),
                                       cmocka_unit_test(test_bad_index_is_reported),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
