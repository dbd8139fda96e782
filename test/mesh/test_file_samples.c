/* Mesh files as other programs write them: what each flavour of each format gives. */
#include "mesh_files.h"

static const double five_nodes[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1.5};
static const int32_t five_tets[8] = {0, 1, 2, 3, 1, 2, 3, 4};

static void assert_five(const sn_mesh *mesh) {
    assert_int_equal(mesh->node_count, 5);
    assert_int_equal(mesh->tet_count, 2);
    assert_int_equal(mesh->tet_nodes, 4);
    assert_memory_equal(mesh->position, five_nodes, sizeof five_nodes);
    assert_memory_equal(mesh->tet, five_tets, sizeof five_tets);
}

static void test_gmsh_2(void **state) {
    (void)state;
    sn_mesh *mesh = load_data("gmsh-2.2.msh");
    assert_five(mesh);
    assert_labels((const int64_t[]){1, 2, 3, 4, 17}, mesh->node_label, 5, 0);
    assert_labels((const int64_t[]){10, 12}, mesh->tet_label, 2, 0);
    assert_labels((const int64_t[]){4, 6}, mesh->triangle_label, 2, 0);
    assert_int_equal(mesh->triangle_count, 2); /* 5 is 4 again, for another group */
    assert_group(mesh, SN_GROUP_TETS, "body", 2, (const int32_t[]){0, 1});
    assert_group(mesh, SN_GROUP_TRIANGLES, "wall", 1, (const int32_t[]){0});
    assert_group(mesh, SN_GROUP_TRIANGLES, "tri-9", 1, (const int32_t[]){0});
    assert_group(mesh, SN_GROUP_NODES, "edge of the wall", 3, (const int32_t[]){0, 1, 2});
    assert_group(mesh, SN_GROUP_NODES, "corner", 1, (const int32_t[]){0});
    sn_mesh_destroy(mesh);
}

static void test_gmsh_4(void **state) {
    (void)state;
    sn_mesh *mesh = load_data("gmsh-4.1.msh");
    assert_five(mesh);
    assert_labels((const int64_t[]){1, 2, 3, 4, 17}, mesh->node_label, 5, 0);
    assert_labels((const int64_t[]){10, 12}, mesh->tet_label, 2, 0);
    assert_group(mesh, SN_GROUP_TETS, "body", 2, (const int32_t[]){0, 1});
    assert_group(mesh, SN_GROUP_TRIANGLES, "wall", 1, (const int32_t[]){0});
    assert_group(mesh, SN_GROUP_TRIANGLES, "tri-5", 1, (const int32_t[]){0});
    assert_group(mesh, SN_GROUP_NODES, "rim", 2, (const int32_t[]){0, 1});
    assert_group(mesh, SN_GROUP_NODES, "node-4", 1, (const int32_t[]){0});
    sn_mesh_destroy(mesh);
}

/* Bytes of a file, put together by hand. */
typedef struct bytes {
    char data[4096];
    size_t count;
    bool big;
} bytes;

static void put(bytes *b, const void *value, size_t size) {
    const uint16_t one = 1;
    const bool little_machine = *(const uint8_t *)&one == 1;
    for (size_t i = 0; i < size; ++i)
        b->data[b->count++] = ((const char *)value)[b->big == little_machine ? size - 1 - i : i];
}
static void put_text(bytes *b, const char *text) {
    memcpy(b->data + b->count, text, strlen(text));
    b->count += strlen(text);
}
static void put_int(bytes *b, int32_t value) { put(b, &value, 4); }
static void put_size(bytes *b, uint64_t value) { put(b, &value, 8); }
static void put_double(bytes *b, double value) { put(b, &value, 8); }
static void put_float(bytes *b, float value) { put(b, &value, 4); }

static void test_gmsh_2_binary(void **state) {
    (void)state;
    for (int big = 0; big < 2; ++big) {
        bytes b = {.big = big};
        put_text(&b, "$MeshFormat\n2.2 1 8\n");
        put_int(&b, 1);
        put_text(&b, "\n$EndMeshFormat\n$PhysicalNames\n1\n3 2 \"body\"\n$EndPhysicalNames\n$Nodes\n5\n");
        for (int i = 0; i < 5; ++i) {
            put_int(&b, 10 + i);
            for (int j = 0; j < 3; ++j) put_double(&b, five_nodes[3 * i + j]);
        }
        put_text(&b, "\n$EndNodes\n$Elements\n3\n");
        const int32_t line[] = {1, 1, 2, 1, 0, 1, 10, 11},
                      tets[] = {4, 2, 2, 2, 2, 1, 10, 11, 12, 13, 3, 0, 1, 11, 12, 13, 14};
        for (size_t i = 0; i < sizeof line / 4; ++i) put_int(&b, line[i]);
        for (size_t i = 0; i < sizeof tets / 4; ++i) put_int(&b, tets[i]);
        put_text(&b, "\n$EndElements\n");
        sn_mesh *mesh = parse("msh", b.data, b.count);
        assert_five(mesh);
        assert_labels(NULL, mesh->node_label, 5, 10);
        assert_labels(NULL, mesh->tet_label, 2, 2);
        assert_group(mesh, SN_GROUP_TETS, "body", 1, (const int32_t[]){0});
        sn_mesh_destroy(mesh);
    }
}

static void test_gmsh_4_binary(void **state) {
    (void)state;
    for (int big = 0; big < 2; ++big) {
        bytes b = {.big = big};
        put_text(&b, "$MeshFormat\n4.1 1 8\n");
        put_int(&b, 1);
        put_text(&b, "\n$EndMeshFormat\n$Entities\n");
        for (int i = 0; i < 4; ++i) put_size(&b, i == 3);
        put_int(&b, 8);
        for (int i = 0; i < 6; ++i) put_double(&b, i);
        put_size(&b, 1);
        put_int(&b, 5);
        put_size(&b, 2);
        put_int(&b, 1);
        put_int(&b, -2);
        put_text(&b, "\n$EndEntities\n$Nodes\n");
        for (int i = 0; i < 4; ++i) put_size(&b, (const uint64_t[]){1, 5, 10, 14}[i]);
        for (int i = 0; i < 3; ++i) put_int(&b, (const int32_t[]){3, 8, 1}[i]);
        put_size(&b, 5);
        for (int i = 0; i < 5; ++i) put_size(&b, 10 + (uint64_t)i);
        for (int i = 0; i < 5; ++i) {
            for (int j = 0; j < 6; ++j) put_double(&b, j < 3 ? five_nodes[3 * i + j] : 0.5);
        }
        put_text(&b, "\n$EndNodes\n$Elements\n");
        for (int i = 0; i < 4; ++i) put_size(&b, (const uint64_t[]){1, 2, 1, 2}[i]);
        for (int i = 0; i < 3; ++i) put_int(&b, (const int32_t[]){3, 8, 4}[i]);
        put_size(&b, 2);
        for (int i = 0; i < 10; ++i) put_size(&b, (const uint64_t[]){1, 10, 11, 12, 13, 2, 11, 12, 13, 14}[i]);
        put_text(&b, "\n$EndElements\n");
        sn_mesh *mesh = parse("msh", b.data, b.count);
        assert_five(mesh);
        assert_labels(NULL, mesh->node_label, 5, 10);
        assert_group(mesh, SN_GROUP_TETS, "tet-5", 2, (const int32_t[]){0, 1});
        sn_mesh_destroy(mesh);
    }
}

/* Gmsh's own ten-node order: the last two on edges 23 and 13. */
static void test_gmsh_tet10(void **state) {
    (void)state;
    static const char text[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 0 0 0\n2 2 0 0\n3 0 2 0\n4 0 0 2\n5 1 0 0\n6 1 1 0\n"
        "7 0 1 0\n8 0 0 1\n9 0 1 1\n10 1 0 1\n$EndNodes\n$Elements\n2\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n"
        "2 9 0 1 2 3 5 6 7\n$EndElements\n";
    static const uint8_t edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    sn_mesh *gmsh = parse("msh", text, sizeof text - 1), *tetgen = load_data("tetgen-1.ele");
    for (int which = 0; which < 2; ++which) {
        const sn_mesh *mesh = which ? tetgen : gmsh;
        assert_int_equal(mesh->tet_nodes, 10);
        assert_int_equal(mesh->triangle_count, 1);
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 3; ++j) {
                const double a = mesh->position[3 * mesh->tet[edge[i][0]] + j],
                             b = mesh->position[3 * mesh->tet[edge[i][1]] + j];
                assert_true(mesh->position[3 * mesh->tet[4 + i] + j] == 0.5 * (a + b));
            }
        }
    }
    assert_memory_equal(gmsh->triangle, ((const int32_t[]){0, 1, 2}), 12);
    assert_memory_equal(tetgen->triangle, ((const int32_t[]){0, 2, 1}), 12);
    assert_group(tetgen, SN_GROUP_TRIANGLES, "tri-4", 1, (const int32_t[]){0});
    assert_labels(NULL, tetgen->node_label, 10, 1);
    sn_mesh_destroy(gmsh);
    sn_mesh_destroy(tetgen);
}

static void test_tetgen(void **state) {
    (void)state;
    static const char *const name[] = {"tetgen-0.node", "tetgen-0.ele"};
    for (int i = 0; i < 2; ++i) {
        sn_mesh *mesh = load_data(name[i]);
        assert_five(mesh);
        assert_null(mesh->node_label);
        assert_null(mesh->tet_label);
        assert_memory_equal(mesh->triangle, ((const int32_t[]){0, 2, 1}), 12);
        assert_group(mesh, SN_GROUP_NODES, "node-1", 2, (const int32_t[]){0, 4});
        assert_group(mesh, SN_GROUP_NODES, "node--3", 1, (const int32_t[]){3});
        assert_group(mesh, SN_GROUP_TETS, "tet-1", 1, (const int32_t[]){0});
        assert_group(mesh, SN_GROUP_TETS, "tet-2.5", 1, (const int32_t[]){1});
        assert_group(mesh, SN_GROUP_TRIANGLES, "tri-8", 1, (const int32_t[]){0});
        sn_mesh_destroy(mesh);
    }
}

static void test_medit_and_vega(void **state) {
    (void)state;
    sn_mesh *mesh = load_data("medit.mesh");
    assert_five(mesh);
    assert_int_equal(mesh->group_count, 3);
    assert_group(mesh, SN_GROUP_TETS, "tet-3", 1, (const int32_t[]){0});
    assert_group(mesh, SN_GROUP_TRIANGLES, "tri-2", 1, (const int32_t[]){0});
    assert_group(mesh, SN_GROUP_NODES, "node-6", 2, (const int32_t[]){1, 2});
    assert_labels(NULL, mesh->node_label, 5, 1);
    sn_mesh_destroy(mesh);
    mesh = load_data("vega.veg");
    assert_five(mesh);
    assert_int_equal(mesh->group_count, 2);
    assert_group(mesh, SN_GROUP_TETS, "lower", 1, (const int32_t[]){0});
    assert_group(mesh, SN_GROUP_TETS, "both", 2, (const int32_t[]){0, 1});
    assert_labels(NULL, mesh->tet_label, 2, 1);
    sn_mesh_destroy(mesh);
}

static void test_obj(void **state) {
    (void)state;
    static const int32_t triangle[] = {3, 2, 1, 3, 1, 0, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4};
    sn_mesh *mesh = load_data("cube.obj");
    assert_int_equal(mesh->node_count, 8);
    assert_int_equal(mesh->triangle_count, 6);
    assert_memory_equal(mesh->triangle, triangle, sizeof triangle);
    assert_group(mesh, SN_GROUP_TRIANGLES, "Cube", 6, (const int32_t[]){0, 1, 2, 3, 4, 5});
    assert_group(mesh, SN_GROUP_TRIANGLES, "bottom", 2, (const int32_t[]){0, 1});
    assert_group(mesh, SN_GROUP_TRIANGLES, "sides", 2, (const int32_t[]){0, 1});
    assert_group(mesh, SN_GROUP_TRIANGLES, "top", 2, (const int32_t[]){2, 3});
    assert_labels(NULL, mesh->node_label, 8, 1);
    sn_mesh_destroy(mesh);
}

static void test_stl_ply_off(void **state) {
    (void)state;
    sn_mesh *mesh = load_data("two.stl");
    assert_int_equal(mesh->node_count, 4); /* 0 and -0 are one point */
    assert_memory_equal(mesh->triangle, ((const int32_t[]){0, 1, 2, 0, 2, 3}), 24);
    assert_int_equal(mesh->group_count, 1);
    assert_group(mesh, SN_GROUP_TRIANGLES, "first part", 1, (const int32_t[]){0});
    sn_mesh_destroy(mesh);
    mesh = load_data("quad.ply");
    assert_int_equal(mesh->node_count, 5);
    assert_memory_equal(mesh->triangle, ((const int32_t[]){0, 1, 2, 0, 2, 3, 0, 1, 4}), 36);
    assert_true(mesh->position[11] == 0.125);
    sn_mesh_destroy(mesh);
    mesh = load_data("colour.off");
    assert_int_equal(mesh->node_count, 5);
    assert_int_equal(mesh->triangle_count, 6);
    assert_memory_equal(mesh->triangle, ((const int32_t[]){3, 2, 1, 3, 1, 0, 0, 1, 4}), 36);
    sn_mesh_destroy(mesh);
    static const char counts_beside[] = "OFF 3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    mesh = parse("off", counts_beside, sizeof counts_beside - 1);
    assert_int_equal(mesh->triangle_count, 1);
    sn_mesh_destroy(mesh);
}

static void test_ply_binary(void **state) {
    (void)state;
    for (int big = 0; big < 2; ++big) {
        bytes b = {.big = big};
        put_text(&b, "ply\nformat ");
        put_text(&b, big ? "binary_big_endian" : "binary_little_endian");
        put_text(&b, " 1.0\nelement vertex 4\nproperty float x\nproperty short y\nproperty double z\nproperty uchar "
                     "red\nelement face 1\n"
                     "property list ushort uint vertex_index\nproperty list uchar float texcoord\nend_header\n");
        for (int i = 0; i < 4; ++i) {
            const int16_t y = (int16_t)(-2 * i);
            put_float(&b, 0.5f + (float)i);
            put(&b, &y, 2);
            put_double(&b, 0.1 * i);
            put_text(&b, "\377");
        }
        const uint16_t four = 4;
        put(&b, &four, 2);
        for (int i = 0; i < 4; ++i) put_int(&b, 3 - i);
        put_text(&b, "\2");
        put_float(&b, 1);
        put_float(&b, 2);
        sn_mesh *mesh = parse("ply", b.data, b.count);
        assert_memory_equal(mesh->triangle, ((const int32_t[]){3, 2, 1, 3, 1, 0}), 24);
        for (int i = 0; i < 4; ++i) {
            assert_true(mesh->position[3 * i] == 0.5 + i);
            assert_true(mesh->position[3 * i + 1] == -2 * i);
            assert_true(mesh->position[3 * i + 2] == 0.1 * i);
        }
        sn_mesh_destroy(mesh);
    }
}

/* A binary STL whose head starts with "solid". */
static void test_stl_binary_solid(void **state) {
    (void)state;
    bytes b = {0};
    put_text(&b, "solid but binary");
    while (b.count < 80) b.data[b.count++] = 0;
    put_int(&b, 1);
    for (int i = 0; i < 12; ++i) put_float(&b, (float)i * 0.1f);
    b.data[b.count++] = 1;
    b.data[b.count++] = 2;
    sn_mesh *mesh = parse("stl", b.data, b.count);
    assert_int_equal(mesh->triangle_count, 1);
    assert_true(mesh->position[8] == (double)(11 * 0.1f));
    sn_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gmsh_2),           cmocka_unit_test(test_gmsh_4),
        cmocka_unit_test(test_gmsh_2_binary),    cmocka_unit_test(test_gmsh_4_binary),
        cmocka_unit_test(test_gmsh_tet10),       cmocka_unit_test(test_tetgen),
        cmocka_unit_test(test_medit_and_vega),   cmocka_unit_test(test_obj),
        cmocka_unit_test(test_stl_ply_off),      cmocka_unit_test(test_ply_binary),
        cmocka_unit_test(test_stl_binary_solid),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
