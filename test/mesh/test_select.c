/* Selectors and the boundary. */
#include "mesh_test.h"

static int count_of(const uint8_t *mask, int n) {
    int count = 0;
    for (int i = 0; i < n; ++i) count += mask[i];
    return count;
}

static uint8_t mask[4096], faces[4096];

static int pick(const sn_mesh *m, sn_selector s) {
    sn_error error = {0};
    if (sn_mesh_select(m, &s, mask, NULL, &error)) fail_msg("%s", error.text);
    return count_of(mask, m->node_count);
}

static int pick_faces(const sn_mesh *m, sn_selector s) {
    sn_error error = {0};
    int count = 0;
    int32_t *face = NULL;
    assert_int_equal(sn_mesh_boundary(m, &count, &face, NULL, NULL, NULL), SN_OK);
    sn_mesh_release(m, face);
    if (sn_mesh_select(m, &s, mask, faces, &error)) fail_msg("%s", error.text);
    return count_of(faces, count);
}

static void expect_error(const sn_mesh *m, sn_selector s, const char *word) {
    sn_error error = {0};
    assert_int_equal(sn_mesh_select(m, &s, mask, NULL, &error), SN_BAD_INPUT);
    if (!strstr(error.text, word)) fail_msg("'%s' does not name '%s'", error.text, word);
}

static void test_leaves(void **state) {
    (void)state;
    sn_mesh *m = make_box(4, 4, 4, 6); /* 5^3 nodes in the unit cube, spacing 0.25 */
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_ALL}), 125);
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_SURFACE}), 98);
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_BOX, .box = {{0.25, 0, 0}, {0.5, 1, 1}}}),
                     50); /* bounds included, exactly */
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_BOX, .box = {{0.2500001, 0, 0}, {0.5, 1, 1}}}), 25);
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_SPHERE, .point = {0.5, 0.5, 0.5}, .radius = 0.25}), 7);
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_HALFSPACE, .point = {0.5, 0, 0}, .normal = {3, 0, 0}}),
                     75);
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_NORMAL, .normal = {0, -2, 0}, .angle = 1}), 25);
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_NORMAL, .normal = {0, -2, 0}, .angle = 90}), 98 - 9);
    assert_int_equal(
        pick(m, (sn_selector){.kind = SN_SELECT_NODES, .nodes = (const int64_t[]){3, 7, 3}, .node_count = 3}), 2);
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_GROUP, .group = "z+"}), 25);
    assert_int_equal(sn_mesh_add_group(m, "two", SN_GROUP_TETS, (const int32_t[]){0, 1}, 2, NULL), SN_OK);
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_GROUP, .group = "two"}),
                     5); /* two Kuhn tets share a face */
    sn_mesh_destroy(m);
}

static void test_trees(void **state) {
    (void)state;
    sn_mesh *m = make_box(4, 4, 4, 5);
    const sn_selector x = {.kind = SN_SELECT_GROUP, .group = "x-"}, y = {.kind = SN_SELECT_GROUP, .group = "y-"};
    const sn_selector both[2] = {x, y};
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_AND, .child = both, .child_count = 2}), 5);
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_OR, .child = both, .child_count = 2}), 45);
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_NOT, .child = both, .child_count = 1}), 100);
    const sn_selector either = {.kind = SN_SELECT_OR, .child = both, .child_count = 2};
    const sn_selector inner[2] = {{.kind = SN_SELECT_NOT, .child = &either, .child_count = 1},
                                  {.kind = SN_SELECT_SURFACE}};
    assert_int_equal(pick(m, (sn_selector){.kind = SN_SELECT_AND, .child = inner, .child_count = 2}), 98 - 45);
    expect_error(m, (sn_selector){.kind = SN_SELECT_AND, .child_count = 0}, "and");
    expect_error(m, (sn_selector){.kind = SN_SELECT_NOT, .child = both, .child_count = 2}, "one");
    sn_mesh_destroy(m);
}

static void test_faces(void **state) {
    (void)state;
    sn_mesh *m = make_box(4, 4, 4, 6);
    const sn_selector normal = {.kind = SN_SELECT_NORMAL, .normal = {1, 0, 0}, .angle = 1};
    assert_int_equal(pick_faces(m, normal), 32);
    assert_int_equal(pick_faces(m, (sn_selector){.kind = SN_SELECT_SURFACE}), 192);
    assert_int_equal(pick_faces(m, (sn_selector){.kind = SN_SELECT_GROUP, .group = "x+"}), 32);
    assert_int_equal(pick_faces(m, (sn_selector){.kind = SN_SELECT_BOX, .box = {{0, 0, 0}, {1, 0.5, 0}}}), 16);
    /* A strip one cell wide: its nodes are all on x+ and y+; `normal` picks only the faces that look along it. */
    const sn_selector pair[2] = {normal, {.kind = SN_SELECT_BOX, .box = {{0, 0, 0}, {1, 1, 0.25}}}};
    assert_int_equal(pick_faces(m, (sn_selector){.kind = SN_SELECT_AND, .child = pair, .child_count = 2}), 8);
    assert_int_equal(pick_faces(m, (sn_selector){.kind = SN_SELECT_NOT, .child = pair, .child_count = 1}), 192 - 32);
    const sn_selector ends[2] = {normal, {.kind = SN_SELECT_NORMAL, .normal = {-1, 0, 0}, .angle = 1}};
    assert_int_equal(pick_faces(m, (sn_selector){.kind = SN_SELECT_OR, .child = ends, .child_count = 2}), 64);
    sn_mesh_destroy(m);
}

/* A group of triangles in a tet mesh picks the boundary faces with the same nodes, whatever their order; in a tet10
 * mesh with their middles. */
static void test_triangle_groups(void **state) {
    (void)state;
    sn_mesh *box = make_box(2, 2, 2, 6), *m = NULL, *ten = NULL;
    assert_int_equal(sn_mesh_create(context, box->node_count, box->tet_count, 4, 2, &m, NULL), SN_OK);
    memcpy(m->position, box->position, (size_t)box->node_count * 24);
    memcpy(m->tet, box->tet, (size_t)box->tet_count * 16);
    int count = 0;
    int32_t *face = NULL, *owner = NULL;
    uint8_t *opposite = NULL;
    assert_int_equal(sn_mesh_boundary(m, &count, &face, &owner, &opposite, NULL), SN_OK);
    assert_int_equal(count, 48);
    const int32_t turned[6] = {face[3 * 5 + 1], face[3 * 5 + 2], face[3 * 5],
                               face[3 * 9 + 2], face[3 * 9],     face[3 * 9 + 1]};
    memcpy(m->triangle, turned, sizeof turned);
    assert_int_equal(sn_mesh_add_group(m, "patch", SN_GROUP_TRIANGLES, (const int32_t[]){0, 1}, 2, NULL), SN_OK);
    const sn_selector patch = {.kind = SN_SELECT_GROUP, .group = "patch"};
    assert_int_equal(pick_faces(m, patch), 2);
    assert_true(faces[5] && faces[9]);
    const int corners = pick(m, patch);
    assert_int_equal(sn_mesh_to_tet10(m, &ten, NULL), SN_OK);
    assert_int_equal(pick_faces(ten, patch), 2);
    assert_int_equal(pick(ten, patch), corners + (corners == 6 ? 6 : corners == 5 ? 6 : 5));
    const sn_selector side = {.kind = SN_SELECT_NORMAL, .normal = {0, 0, 1}, .angle = 1};
    assert_int_equal(pick(ten, side), 25);
    assert_int_equal(pick(ten, (sn_selector){.kind = SN_SELECT_SURFACE}), 98);
    sn_mesh_release(m, face);
    sn_mesh_release(m, owner);
    sn_mesh_release(m, opposite);
    sn_mesh_destroy(ten);
    sn_mesh_destroy(m);
    sn_mesh_destroy(box);
}

static void test_labels(void **state) {
    (void)state;
    sn_mesh *m = make_box(1, 1, 1, 5), *copy = NULL;
    assert_int_equal(sn_mesh_copy(m, &copy, NULL), SN_OK);
    copy->node_label = context ? aligned_alloc(64, 64) : NULL;
    ++memory.live;
    for (int i = 0; i < 8; ++i) copy->node_label[i] = 100 - 3 * i;
    assert_int_equal(
        pick(copy, (sn_selector){.kind = SN_SELECT_NODES, .nodes = (const int64_t[]){100, 79, 100}, .node_count = 3}),
        2);
    assert_true(mask[0] && mask[7]);
    expect_error(copy, (sn_selector){.kind = SN_SELECT_NODES, .nodes = (const int64_t[]){100, 80}, .node_count = 2},
                 "80");
    expect_error(m, (sn_selector){.kind = SN_SELECT_NODES, .nodes = (const int64_t[]){8}, .node_count = 1}, "8");
    sn_mesh *ten = NULL;
    assert_int_equal(sn_mesh_to_tet10(copy, &ten, NULL), SN_OK); /* new labels come after the largest */
    assert_int_equal(ten->node_label[7], 79);
    assert_int_equal(ten->node_label[8], 101);
    sn_mesh_destroy(ten);
    sn_mesh_destroy(copy);
    sn_mesh_destroy(m);
}

static void test_errors(void **state) {
    (void)state;
    sn_mesh *m = make_box(2, 2, 2, 6);
    expect_error(m, (sn_selector){.kind = SN_SELECT_BOX, .box = {{2, 2, 2}, {3, 3, 3}}}, "[0 0 0] to [1 1 1]");
    expect_error(m, (sn_selector){.kind = SN_SELECT_BOX, .box = {{2, 2, 2}, {3, 3, 3}}}, "box [2 2 2] to [3 3 3]");
    expect_error(m, (sn_selector){.kind = SN_SELECT_SPHERE, .point = {5, 5, 5}, .radius = 1}, "sphere");
    expect_error(m, (sn_selector){.kind = SN_SELECT_NORMAL, .normal = {1, 1, 1}, .angle = 5}, "normal");
    expect_error(m, (sn_selector){.kind = SN_SELECT_NORMAL, .normal = {0, 0, 0}, .angle = 5}, "zero");
    expect_error(m, (sn_selector){.kind = SN_SELECT_NORMAL, .normal = {1, 0, 0}, .angle = -5}, "angle");
    expect_error(m, (sn_selector){.kind = SN_SELECT_SPHERE, .radius = NAN}, "radius");
    assert_int_equal(sn_mesh_add_group(m, "left side", SN_GROUP_NODES, (const int32_t[]){0}, 1, NULL), SN_OK);
    expect_error(m, (sn_selector){.kind = SN_SELECT_GROUP, .group = "left sid"}, "'left side'");
    const sn_selector all = {.kind = SN_SELECT_ALL};
    expect_error(m, (sn_selector){.kind = SN_SELECT_NOT, .child = &all, .child_count = 1}, "not");
    sn_mesh_destroy(m);
}

static void check_boundary(const sn_mesh *m) {
    int count = 0;
    int32_t *face = NULL, *owner = NULL;
    uint8_t *opposite = NULL;
    assert_int_equal(sn_mesh_boundary(m, &count, &face, &owner, &opposite, NULL), SN_OK);
    double volume = 0; /* outward: the divergence theorem gives the volume */
    for (int f = 0; f < count; ++f) {
        const double *a = m->position + 3 * face[3 * f], *b = m->position + 3 * face[3 * f + 1],
                     *c = m->position + 3 * face[3 * f + 2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
        if (f) assert_true(owner[f - 1] < owner[f] || (owner[f - 1] == owner[f] && opposite[f - 1] < opposite[f]));
        for (int k = 0; k < 3; ++k) assert_true(face[3 * f + k] != m->tet[owner[f] * m->tet_nodes + opposite[f]]);
    }
    assert_true(fabs(volume - fabs(report_of(m).volume)) < 1e-12);
    sn_mesh_release(m, face);
    sn_mesh_release(m, owner);
    sn_mesh_release(m, opposite);
}

static void test_bad_lists(void **state) {
    (void)state;
    sn_mesh *mesh = make_box(1, 1, 1, 6);
    uint8_t mask[8];
    sn_error error = {0};
    const int64_t label = 8;
    const sn_selector bad[] = {{.kind = SN_SELECT_NODES, .node_count = 1},
                               {.kind = SN_SELECT_NODES, .nodes = &label, .node_count = -1},
                               {.kind = SN_SELECT_NODES, .nodes = &label, .node_count = 1},
                               {.kind = SN_SELECT_AND, .child_count = 2},
                               {.kind = (sn_select_kind)99},
                               {.kind = (sn_select_kind)-1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        assert_int_equal(sn_mesh_select(mesh, &bad[i], mask, NULL, &error), SN_BAD_INPUT);
    sn_mesh_destroy(mesh);
}

static void test_boundary(void **state) {
    (void)state;
    sn_mesh *m = make_box(3, 2, 4, 5);
    check_boundary(m);
    for (int t = 0; t < m->tet_count; t += 1) { /* inside out, the faces still look outwards */
        const int32_t keep = m->tet[4 * t];
        m->tet[4 * t] = m->tet[4 * t + 1];
        m->tet[4 * t + 1] = keep;
    }
    check_boundary(m);
    sn_mesh_destroy(m);
    m = make("torus", NULL, 0);
    check_boundary(m);
    sn_mesh_destroy(m);
}

static void test_boundary_nonmanifold(void **state) {
    (void)state;
    /* Three tets on one face, one tet twice, one tet that names a node twice. */
    const double x[21] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 1, 1, 1, 2, 2, 2};
    const int32_t t[24] = {0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 5, 0, 1, 2, 5, 1, 1, 2, 6, 6, 6, 6, 6};
    sn_mesh *m = mesh_of(7, x, 6, t, 0, NULL);
    int count = 0;
    int32_t *face = NULL;
    assert_int_equal(sn_mesh_boundary(m, &count, &face, NULL, NULL, NULL), SN_OK);
    assert_true(count >= 6);
    sn_mesh_release(m, face);
    (void)report_of(m);
    sn_mesh_destroy(m);
}

/* Very many tets around one edge: the sort inside a bucket must not become quadratic, nor wrong. */
static void test_boundary_of_a_star(void **state) {
    (void)state;
    enum { N = 20000 };
    sn_mesh *m = NULL;
    assert_int_equal(sn_mesh_create(context, N + 2, N, 4, 0, &m, NULL), SN_OK);
    m->position[5] = 1;
    for (int i = 0; i < N; ++i) {
        const double a = 6.283185307179586 * i / N;
        m->position[3 * (i + 2)] = cos(a);
        m->position[3 * (i + 2) + 1] = sin(a);
        const int32_t t[4] = {0, i + 2, (i + 1) % N + 2, 1};
        memcpy(m->tet + 4 * i, t, sizeof t);
    }
    int count = 0;
    int32_t *face = NULL;
    assert_int_equal(sn_mesh_boundary(m, &count, &face, NULL, NULL, NULL), SN_OK);
    assert_int_equal(count, 2 * N);
    sn_mesh_release(m, face);
    int32_t *order = malloc((N + 2) * sizeof *order);
    assert_int_equal(sn_mesh_order(m, order, NULL), SN_OK);
    free(order);
    sn_mesh_destroy(m);
}

static void test_surface_boundary(void **state) {
    (void)state;
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int32_t t[12] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1};
    sn_mesh *m = mesh_of(4, x, 0, NULL, 4, t);
    int count = 0;
    int32_t *face = NULL, *owner = NULL;
    assert_int_equal(sn_mesh_boundary(m, &count, &face, &owner, NULL, NULL), SN_OK);
    assert_int_equal(count, 4);
    assert_memory_equal(face, t, sizeof t);
    assert_int_equal(owner[0], -1);
    sn_mesh_release(m, face);
    sn_mesh_release(m, owner);
    assert_int_equal(pick_faces(m, (sn_selector){.kind = SN_SELECT_NORMAL, .normal = {1, 1, 1}, .angle = 0}), 1);
    sn_mesh_destroy(m);
}

static sn_status work_select(void *data) {
    const sn_selector a[2] = {{.kind = SN_SELECT_NORMAL, .normal = {1, 0, 0}, .angle = 1},
                              {.kind = SN_SELECT_GROUP, .group = "x+"}};
    const sn_selector s = {.kind = SN_SELECT_AND, .child = a, .child_count = 2};
    return sn_mesh_select(data, &s, mask, faces, NULL);
}

static void test_memory(void **state) {
    (void)state;
    sn_mesh *m = make_box(2, 2, 2, 6);
    assert_true(fail_each(work_select, m, 1) > 5);
    sn_mesh_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_leaves),
                                       cmocka_unit_test(test_trees),
                                       cmocka_unit_test(test_faces),
                                       cmocka_unit_test(test_triangle_groups),
                                       cmocka_unit_test(test_labels),
                                       cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_bad_lists),
                                       cmocka_unit_test(test_boundary),
                                       cmocka_unit_test(test_boundary_nonmanifold),
                                       cmocka_unit_test(test_boundary_of_a_star),
                                       cmocka_unit_test(test_surface_boundary),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
