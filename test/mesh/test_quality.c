/* The report on good and deliberately bad meshes, and the order of nodes. */
#include "mesh_test.h"

static const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

static void test_regular_tet(void **state) {
    (void)state;
    const double x[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    const int32_t t[4] = {0, 1, 3, 2};
    sn_mesh *m = mesh_of(4, x, 1, t, 0, NULL);
    sn_mesh_report r = report_of(m);
    assert_healthy(&r);
    assert_true(fabs(r.volume - 8.0 / 3) < 1e-14);
    assert_true(fabs(r.quality_min - 1) < 1e-14 && fabs(r.quality_mean - 1) < 1e-14);
    assert_true(fabs(r.dihedral_min - 70.528779365509308) < 1e-9 && fabs(r.dihedral_max - r.dihedral_min) < 1e-9);
    assert_true(fabs(r.edge_min - sqrt(8)) < 1e-14 && fabs(r.edge_max - sqrt(8)) < 1e-14 &&
                fabs(r.edge_mean - sqrt(8)) < 1e-14);
    assert_int_equal(r.boundary_faces, 4);
    assert_int_equal(r.worst_tet, 0);
    assert_true(r.low[0] == -1 && r.high[2] == 1);
    assert_int_equal(r.first_inverted, -1);
    sn_mesh_scale(m, 1e-60); /* no underflow in the quality */
    r = report_of(m);
    assert_true(fabs(r.quality_min - 1) < 1e-12);
    assert_int_equal(r.flat, 0);
    sn_mesh_destroy(m);
}

static void test_inverted_and_flat(void **state) {
    (void)state;
    const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.3, 0.3, 0};
    const int32_t t[12] = {0, 1, 2, 3, 0, 2, 1, 3, 0, 1, 2, 4};
    sn_mesh *m = mesh_of(5, x, 3, t, 0, NULL);
    const sn_mesh_report r = report_of(m);
    assert_int_equal(r.inverted, 1);
    assert_int_equal(r.first_inverted, 1);
    assert_int_equal(r.flat, 1);
    assert_int_equal(r.first_flat, 2);
    assert_int_equal(r.worst_tet, 1);
    assert_true(r.quality_min < -0.5);
    assert_true(fabs(r.volume) < 1e-15);
    assert_int_equal(r.duplicate_tets, 1); /* 0 and 1 have the same corners */
    assert_int_equal(r.first_duplicate, 1);
    sn_mesh_destroy(m);
}

static void test_doubles_and_isolated(void **state) {
    (void)state;
    const double x[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5, 1, -0.0, 0, 0, 0, 0, 7, 7, 7};
    const int32_t t[12] = {0, 1, 2, 3, 3, 2, 1, 0, 1, 0, 3, 2};
    sn_mesh *m = mesh_of(8, x, 3, t, 0, NULL);
    const sn_mesh_report r = report_of(m);
    assert_int_equal(r.duplicate_nodes, 2); /* node 5 on 1 (with a negative zero), node 6 on 0 */
    assert_int_equal(r.isolated_nodes, 4);
    assert_int_equal(r.first_isolated, 4);
    assert_int_equal(r.duplicate_tets, 2);
    assert_int_equal(r.first_duplicate, 1);
    assert_int_equal(r.nonmanifold_faces, 4);
    assert_int_equal(r.boundary_faces, 0);
    assert_int_equal(r.components, 1);
    sn_mesh_destroy(m);
}

static void test_nonmanifold_and_pieces(void **state) {
    (void)state;
    const double x[30] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 1, 1, 1, 9, 0, 0, 10, 0, 0, 9, 1, 0, 9, 0, 1};
    const int32_t t[16] = {0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 5, 6, 7, 8, 9};
    sn_mesh *m = mesh_of(10, x, 4, t, 0, NULL);
    const sn_mesh_report r = report_of(m);
    assert_int_equal(r.nonmanifold_faces, 1);
    assert_int_equal(r.components, 2);
    assert_int_equal(r.boundary_faces, 13);
    assert_int_equal(r.duplicate_tets, 0);
    sn_mesh_destroy(m);
}

/* Two tets that share only an edge, or only a node, turn freely about it. */
static void test_hinges(void **state) {
    (void)state;
    const double x[30] = {0, 0, 0,  1,  0, 0, 0,  1, 0, 0,  0, 1, 0, -1, 0,
                          0, 0, -1, -1, 0, 0, -1, 1, 0, -1, 0, 1, 1, 1,  1};
    const int32_t edge[8] = {0, 1, 2, 3, 0, 1, 4, 5}, node[8] = {0, 1, 2, 3, 0, 7, 6, 8},
                  face[8] = {0, 1, 2, 3, 1, 3, 2, 9};
    const int32_t *const tets[] = {edge, node, face};
    for (int i = 0; i < 3; ++i) {
        sn_mesh *m = mesh_of(10, x, 2, tets[i], 0, NULL);
        const sn_mesh_report r = report_of(m);
        assert_int_equal(r.components, 1);
        assert_int_equal(r.hinges, i < 2);
        sn_mesh_destroy(m);
    }
}

static void test_surface(void **state) {
    (void)state;
    const int32_t t[18] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1, 0, 1, 4, 0, 2, 1};
    double x[15] = {0};
    memcpy(x, corner, sizeof corner);
    x[12] = 0.5, x[13] = -1;
    sn_mesh *closed = mesh_of(4, x, 0, NULL, 4, t);
    sn_mesh_report r = report_of(closed);
    assert_healthy(&r);
    assert_true(fabs(r.volume - 1.0 / 6) < 1e-15);
    assert_true(fabs(r.quality_min - 2 * (1 - sqrt(0.5)) / sqrt(0.5)) <
                1e-14); /* the right triangle: r = 1 - 1/sqrt 2, R = 1/sqrt 2 */
    assert_int_equal(r.boundary_faces, 4);
    assert_int_equal(r.worst_tet, -1);
    sn_mesh_destroy(closed);
    sn_mesh *open = mesh_of(4, x, 0, NULL, 3, t);
    assert_int_equal(report_of(open).open_edges, 3);
    sn_mesh_destroy(open);
    sn_mesh *fin = mesh_of(5, x, 0, NULL, 5, t);
    r = report_of(fin);
    assert_int_equal(r.nonmanifold_faces, 1);
    assert_int_equal(r.open_edges, 2);
    sn_mesh_destroy(fin);
}

static void test_extreme_positions(void **state) {
    (void)state;
    sn_mesh *m = make_box(3, 3, 3, 6);
    for (int i = 0; i < m->node_count; ++i)
        m->position[3 * i] = m->position[3 * i + 1] = m->position[3 * i + 2] = 0.5; /* all in one point */
    sn_mesh_report r = report_of(m);
    assert_int_equal(r.flat, m->tet_count);
    assert_int_equal(r.duplicate_nodes, m->node_count - 1);
    assert_true(r.quality_min == 0);
    for (int i = 0; i < 3 * m->node_count; ++i) m->position[i] = NAN;
    r = report_of(m);
    assert_int_equal(r.nodes, 64);
    sn_mesh_destroy(m);
}

/* ---- Order ---- */
static int bandwidth(const sn_mesh *m, const int32_t *place) {
    int widest = 0;
    for (int t = 0; t < m->tet_count; ++t)
        for (int i = 0; i < m->tet_nodes; ++i)
            for (int k = 0; k < i; ++k) {
                const int d = abs(place[m->tet[t * m->tet_nodes + i]] - place[m->tet[t * m->tet_nodes + k]]);
                if (d > widest) widest = d;
            }
    return widest;
}

static void check_permutation(const int32_t *place, int n) {
    uint8_t *seen = calloc((size_t)n, 1);
    for (int i = 0; i < n; ++i) {
        assert_in_range(place[i], 0, n - 1);
        assert_false(seen[place[i]]);
        seen[place[i]] = 1;
    }
    free(seen);
}

static void check_order(const char *name, const sn_generator_value *v, int count, bool ten, double gain) {
    sn_mesh *m = make(name, v, count);
    if (ten) {
        sn_mesh *higher = NULL;
        assert_int_equal(sn_mesh_to_tet10(m, &higher, NULL), SN_OK);
        sn_mesh_destroy(m);
        m = higher;
    }
    int32_t *place = malloc((size_t)m->node_count * sizeof *place),
            *same = malloc((size_t)m->node_count * sizeof *same);
    assert_int_equal(sn_mesh_order(m, place, NULL), SN_OK);
    check_permutation(place, m->node_count);
    for (int i = 0; i < m->node_count; ++i) same[i] = i;
    const int before = bandwidth(m, same), after = bandwidth(m, place);
    if (!(after * gain <= before)) fail_msg("%s: bandwidth %d, was %d", name, after, before);
    assert_int_equal(sn_mesh_order(m, same, NULL), SN_OK);
    assert_memory_equal(place, same, (size_t)m->node_count * sizeof *place);
    free(place);
    free(same);
    sn_mesh_destroy(m);
}

static void test_order(void **state) {
    (void)state;
    /* x fastest along the long side: layers across it are far smaller. */
    check_order("box", (const sn_generator_value[]){{"cells", 3, {40, 5, 5}}}, 1, false, 3);
    check_order("box", (const sn_generator_value[]){{"cells", 3, {12, 4, 4}}}, 1, true, 2);
    check_order("sphere", NULL, 0, false, 1.1);
    check_order("torus", NULL, 0, false, 5);
}

static void test_order_of_pieces(void **state) {
    (void)state;
    const double x[33] = {0};
    const int32_t t[8] = {9, 1, 2, 3, 4, 5, 7, 8};
    sn_mesh *m = mesh_of(11, x, 2, t, 0, NULL);
    int32_t place[11];
    assert_int_equal(sn_mesh_order(m, place, NULL), SN_OK);
    check_permutation(place, 11);
    assert_int_equal(place[0], 8); /* nodes of no tet come last, in their order */
    assert_int_equal(place[6], 9);
    assert_int_equal(place[10], 10);
    sn_mesh_destroy(m);
}

static sn_status work_inspect(void *data) {
    sn_mesh_report r;
    return sn_mesh_inspect(data, &r, NULL);
}
static sn_status work_order(void *data) {
    int32_t place[64];
    return sn_mesh_order(data, place, NULL);
}

static void test_memory(void **state) {
    (void)state;
    sn_mesh *m = make_box(3, 3, 3, 6);
    assert_true(fail_each(work_inspect, m, 1) > 4);
    assert_true(fail_each(work_order, m, 1) > 4);
    sn_mesh_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_regular_tet),
                                       cmocka_unit_test(test_inverted_and_flat),
                                       cmocka_unit_test(test_doubles_and_isolated),
                                       cmocka_unit_test(test_nonmanifold_and_pieces),
                                       cmocka_unit_test(test_hinges),
                                       cmocka_unit_test(test_surface),
                                       cmocka_unit_test(test_extreme_positions),
                                       cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_order_of_pieces),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
