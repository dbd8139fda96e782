/* Mesh files: a file that is written reads back to the same bits. Numbers, locales, and what is refused. */
#include <locale.h>

#include "mesh_files.h"
#include "write_as.h"

/* ---- There and back ---- */

static void test_msh_there_and_back(void **state) {
    (void)state;
    const sn_mesh_write_options options[] = {write_as(false, "2.2"), write_as(true, "2.2"), write_as(false, "4.1"),
                                             write_as(true, "4.1"), write_as(false, NULL)};
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
            sn_mesh *mesh = two_tets(nodes, true);
            if (options[i].binary && nodes == 10) mesh->node_label[13] = 44; /* int in 2.2 */
            sn_mesh *back = there_and_back(mesh, "a.msh", &options[i]);
            assert_shape(mesh, back);
            assert_labels(mesh->node_label, back->node_label, mesh->node_count, 0);
            assert_labels(mesh->tet_label, back->tet_label, 2, 0);
            assert_labels(mesh->triangle_label, back->triangle_label, 2, 0);
            for (int kind = 0; kind < 3; ++kind) assert_groups(mesh, back, (sn_group_kind)kind);
            sn_mesh_destroy(back);
            sn_mesh_destroy(mesh);
        }
    }
}

/* Numbers from 0 are lifted to 1; triangles whose numbers are tets' are numbered on. */
static void test_msh_numbers_from_zero(void **state) {
    (void)state;
    sn_mesh *mesh = two_tets(4, false);
    int64_t **label[3] = {&mesh->node_label, &mesh->tet_label, &mesh->triangle_label};
    for (int i = 0; i < 3; ++i) {
        failing_release(&counted, *label[i]);
        *label[i] = NULL;
    }
    sn_mesh *back = there_and_back(mesh, "a.msh", NULL);
    assert_shape(mesh, back);
    assert_labels(mesh->node_label, back->node_label, 5, 1);
    assert_labels(mesh->tet_label, back->tet_label, 2, 1);
    assert_labels(mesh->triangle_label, back->triangle_label, 2, 3);
    sn_mesh_destroy(back);
    sn_mesh_destroy(mesh);
}

static void test_tetgen_there_and_back(void **state) {
    (void)state;
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        sn_mesh *mesh = two_tets(nodes, false);
        sn_mesh *back = there_and_back(mesh, nodes == 4 ? "a.node" : "a.ele", NULL);
        assert_shape(mesh, back);
        assert_labels(mesh->node_label, back->node_label, mesh->node_count, 0);
        assert_labels(mesh->tet_label, back->tet_label, 2, 0);
        assert_labels(mesh->triangle_label, back->triangle_label, 2, 0);
        for (int kind = 0; kind < 3; ++kind) assert_groups(mesh, back, (sn_group_kind)kind);
        sn_mesh_destroy(back);
        sn_mesh_destroy(mesh);
    }
}

static void test_medit_there_and_back(void **state) {
    (void)state;
    for (int nodes = 4; nodes <= 10; nodes += 6) {
        sn_mesh *mesh = two_tets(nodes, false);
        sn_mesh *back = there_and_back(mesh, "a.mesh", NULL);
        assert_shape(mesh, back);
        assert_labels(NULL, back->node_label, mesh->node_count, 1);
        assert_labels(NULL, back->tet_label, 2, 1);
        for (int kind = 0; kind < 3; ++kind) assert_groups(mesh, back, (sn_group_kind)kind);
        sn_mesh_destroy(back);
        sn_mesh_destroy(mesh);
    }
}

/* Overlapping names become one number per combination. */
static void test_medit_numbers_combinations(void **state) {
    (void)state;
    sn_mesh *mesh = two_tets(4, true);
    sn_mesh *back = there_and_back(mesh, "a.mesh", NULL);
    assert_shape(mesh, back);
    assert_int_equal(back->group_count, 2 + 2 + 3);
    assert_group(back, SN_GROUP_TETS, "tet-1", 1, (const int32_t[]){0});
    assert_group(back, SN_GROUP_TETS, "tet-2", 1, (const int32_t[]){1});
    assert_group(back, SN_GROUP_NODES, "node-2", 1, (const int32_t[]){2});
    sn_mesh_destroy(back);
    sn_mesh_destroy(mesh);
}

static void test_vega_there_and_back(void **state) {
    (void)state;
    sn_mesh *mesh = two_tets(4, true);
    sn_mesh *back = there_and_back(mesh, "a.veg", NULL);
    mesh->triangle_count = 0;
    assert_shape(mesh, back);
    assert_labels(mesh->node_label, back->node_label, mesh->node_count, 0);
    assert_labels(mesh->tet_label, back->tet_label, 2, 0);
    assert_groups(mesh, back, SN_GROUP_TETS);
    sn_mesh_destroy(back);
    sn_mesh_destroy(mesh);
}

/* Three triangles about a node, two of them in groups. The nodes come up in their order, as STL needs. */
static sn_mesh *three_triangles(void) {
    sn_mesh *mesh;
    assert_int_equal(sn_mesh_create(context, 4, 0, 4, 3, &mesh, NULL), SN_OK);
    memcpy(mesh->position, (const double[12]){0, 0, 0.1, 1.0 / 3, 0, 0, 0, 1e-7, 0, 0, 0, 1e30}, 96);
    memcpy(mesh->triangle, (const int32_t[9]){0, 1, 2, 0, 2, 3, 3, 1, 0}, 36);
    add_group(mesh, "a", SN_GROUP_TRIANGLES, 2, (const int32_t[]){0, 1});
    add_group(mesh, "b", SN_GROUP_TRIANGLES, 1, (const int32_t[]){1});
    return mesh;
}

static void test_surfaces_there_and_back(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool binary;
        int base, groups;
    } flavour[] = {{"a.obj", false, 1, 2},
                   {"a.off", false, 0, 0},
                   {"a.ply", false, 0, 0},
                   {"a.ply", true, 0, 0},
                   {"a.stl", false, 0, 1}};
    for (size_t i = 0; i < sizeof flavour / sizeof *flavour; ++i) {
        sn_mesh *mesh = three_triangles();
        const sn_mesh_write_options options = write_as(flavour[i].binary, NULL);
        sn_mesh *back = there_and_back(mesh, flavour[i].name, &options);
        assert_shape(mesh, back);
        assert_labels(NULL, back->node_label, 4, flavour[i].base);
        if (flavour[i].groups == 2) assert_groups(mesh, back, SN_GROUP_TRIANGLES);
        if (flavour[i].groups == 1) assert_group(back, SN_GROUP_TRIANGLES, "b", 1, (const int32_t[]){1});
        if (flavour[i].groups == 0) assert_int_equal(back->group_count, 0);
        sn_mesh_destroy(back);
        sn_mesh_destroy(mesh);
    }
    sn_mesh *mesh = three_triangles();
    for (int i = 0; i < 12; ++i) mesh->position[i] = (double)(float)mesh->position[i];
    sn_mesh *back = there_and_back(mesh, "a.stl", NULL); /* binary */
    assert_shape(mesh, back);
    sn_mesh_destroy(back);
    sn_mesh_destroy(mesh);
}

/* Tets give their boundary, all nodes stay. */
static void test_boundary_of_tets(void **state) {
    (void)state;
    static const char *const name[] = {"a.obj", "a.off", "a.ply"};
    for (int i = 0; i < 3; ++i) {
        sn_mesh *mesh = two_tets(10, true);
        mesh->position[11] = 2;
        sn_mesh *back = there_and_back(mesh, name[i], NULL);
        assert_int_equal(back->node_count, 14);
        assert_int_equal(back->tet_count, 0);
        assert_int_equal(back->triangle_count, 6);
        sn_mesh_destroy(back);
        sn_mesh_destroy(mesh);
    }
}

/* Every decimal form is the double that the C library makes of it. */
static void test_numbers(void **state) {
    (void)state;
    static const char *const number[] = {"0",
                                         "-0",
                                         "1.",
                                         ".5",
                                         "+3.25",
                                         "1e22",
                                         "1e23",
                                         "9007199254740993",
                                         "0.1e-5",
                                         "123456789012345678901234567890",
                                         "1e-400",
                                         "4.9e-324",
                                         "2.2250738585072011e-308",
                                         "00012.50",
                                         "1E+5",
                                         "0.30000000000000004",
                                         "179769313486231570e291",
                                         "1e-22",
                                         "7e-23"};
    for (size_t i = 0; i < sizeof number / sizeof *number; ++i) {
        char text[256];
        const int length = snprintf(text, sizeof text, "OFF\n3 1 0\n%s 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", number[i]);
        sn_mesh *mesh = parse("off", text, (size_t)length);
        const double expected = strtod(number[i], NULL);
        assert_memory_equal(mesh->position, &expected, 8);
        sn_mesh_destroy(mesh);
    }
}

static void test_locale(void **state) {
    (void)state;
    static const char *const name[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "de_DE"};
    bool any = false;
    for (int i = 0; !any && i < 4; ++i) any = setlocale(LC_NUMERIC, name[i]) != NULL;
    if (!any) skip();
    sn_mesh *mesh = two_tets(4, true), *back = there_and_back(mesh, "a.msh", NULL);
    assert_shape(mesh, back);
    sn_mesh_destroy(back);
    sn_mesh_destroy(mesh);
    setlocale(LC_NUMERIC, "C");
}

static void test_refusals(void **state) {
    (void)state;
    sn_mesh *mesh = NULL;
    sn_error error;
    assert_int_equal(sn_mesh_read(context, "/nowhere/x.msh", &mesh, &error), SN_NOT_FOUND);
    assert_non_null(strstr(error.text, "/nowhere/x.msh: cannot be opened"));
    assert_int_equal(sn_mesh_read(context, "x.mhs", &mesh, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "did you mean 'msh'?"));
    assert_int_equal(sn_mesh_read(context, "a.b/x", &mesh, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_read(context, folder, &mesh, &error), SN_BAD_INPUT);
    sn_mesh *tet10 = two_tets(10, true), *surface = three_triangles();
    char path[256];
    snprintf(path, sizeof path, "%s/x.veg", folder);
    assert_int_equal(sn_mesh_write(tet10, path, NULL, &error), SN_BAD_INPUT);
    assert_int_equal(sn_mesh_write(surface, path, NULL, &error), SN_BAD_INPUT);
    assert_int_not_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/x.msh", folder);
    const sn_mesh_write_options unknown = write_as(false, "3"), versioned = write_as(false, "2.2"),
                                binary = write_as(true, NULL), no_cookie = {.binary = true};
    assert_int_equal(sn_mesh_write(tet10, path, &unknown, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "3"));
    assert_int_equal(sn_mesh_write(tet10, path, &no_cookie, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "sn_mesh_write_options_default"));
    snprintf(path, sizeof path, "%s/x.mesh", folder);
    assert_int_equal(sn_mesh_write(tet10, path, &versioned, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "version"));
    assert_int_equal(sn_mesh_write(tet10, path, &binary, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "binary"));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(sn_mesh_write(tet10, "/nowhere/x.msh", NULL, &error), SN_IO);
    assert_int_equal(sn_mesh_write(tet10, "/dev/full/x.msh", NULL, &error), SN_IO);
    sn_mesh_destroy(tet10);
    sn_mesh_destroy(surface);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_msh_there_and_back),
        cmocka_unit_test(test_msh_numbers_from_zero),
        cmocka_unit_test(test_tetgen_there_and_back),
        cmocka_unit_test(test_medit_there_and_back),
        cmocka_unit_test(test_medit_numbers_combinations),
        cmocka_unit_test(test_vega_there_and_back),
        cmocka_unit_test(test_surfaces_there_and_back),
        cmocka_unit_test(test_boundary_of_tets),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
