/* Mesh files: what each flavour of each format gives, and that what is written reads back to the same bits. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "sinew/mesh.h"
#include "write_as.h"

static failing_allocator counted;
static sn_context *context;
static char folder[] = "/tmp/sinew-files-XXXXXX";

static int set_up(void **state) {
    (void)state;
    counted = failing_allocator_make();
    context = failing_allocator_context(&counted);
    return !context || !mkdtemp(folder);
}

static int tear_down(void **state) {
    (void)state;
    sn_context_destroy(context);
    rmdir(folder);
    return counted.live != 0;
}

static sn_mesh *load(const char *path) {
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_read(context, path, &mesh, &error)) fail_msg("%s", error.text);
    return mesh;
}

static sn_mesh *load_data(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/mesh/%s", SN_TEST_DATA, name);
    return load(path);
}

static sn_mesh *parse(const char *format, const void *data, size_t bytes) {
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_read_memory(context, format, "memory", data, bytes, NULL, 0, &mesh, &error)) fail_msg("%s", error.text);
    return mesh;
}

/* Writes, reads back, removes. */
static sn_mesh *there_and_back(const sn_mesh *mesh, const char *name, const sn_mesh_write_options *options) {
    char path[256];
    sn_error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (sn_mesh_write(mesh, path, options, &error)) fail_msg("%s", error.text);
    sn_mesh *back = load(path);
    static const char *const endings[] = {"node", "ele", "face"};
    for (int i = 0; i < 3; ++i) {
        char other[256];
        snprintf(other, sizeof other, "%.*s.%s", (int)(strrchr(path, '.') - path), path, endings[i]);
        unlink(other);
    }
    unlink(path);
    return back;
}

static int64_t label_of(const int64_t *label, int i) { return label ? label[i] : i; }

static void assert_labels(const int64_t *a, const int64_t *b, int count, int64_t shift) {
    for (int i = 0; i < count; ++i) assert_int_equal(label_of(a, i) + shift, label_of(b, i));
}

static void assert_shape(const sn_mesh *a, const sn_mesh *b) {
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->tet_count, b->tet_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_memory_equal(a->position, b->position, (size_t)a->node_count * 24);
    if (a->tet_count) assert_int_equal(a->tet_nodes, b->tet_nodes);
    if (a->tet_count) assert_memory_equal(a->tet, b->tet, (size_t)a->tet_count * (size_t)a->tet_nodes * 4);
    if (a->triangle_count) assert_memory_equal(a->triangle, b->triangle, (size_t)a->triangle_count * 12);
}

static const sn_group *group_of(const sn_mesh *mesh, sn_group_kind kind, const char *name) {
    for (int i = 0; i < mesh->group_count; ++i) {
        if (mesh->group[i].kind == kind && strcmp(mesh->group[i].name, name) == 0) return &mesh->group[i];
    }
    fail_msg("no group '%s' of kind %d", name, kind);
    return NULL;
}

static void assert_group(const sn_mesh *mesh, sn_group_kind kind, const char *name, int count, const int32_t *member) {
    const sn_group *group = group_of(mesh, kind, name);
    assert_int_equal(group->count, count);
    assert_memory_equal(group->member, member, (size_t)count * 4);
}

static void assert_groups(const sn_mesh *a, const sn_mesh *b, sn_group_kind kind) {
    int in_a = 0, in_b = 0;
    for (int i = 0; i < b->group_count; ++i) in_b += b->group[i].kind == kind;
    for (int i = 0; i < a->group_count; ++i) {
        if (a->group[i].kind != kind) continue;
        ++in_a;
        assert_group(b, kind, a->group[i].name, a->group[i].count, a->group[i].member);
    }
    assert_int_equal(in_a, in_b);
}

static void add_group(sn_mesh *mesh, const char *name, sn_group_kind kind, int count, const int32_t *member) {
    assert_int_equal(sn_mesh_add_group(mesh, name, kind, member, count, NULL), SN_OK);
}

static int64_t *labels(int count, const int64_t *value) {
    int64_t *copy = failing_allocate(&counted, (size_t)count * 8);
    memcpy(copy, value, (size_t)count * 8);
    return copy;
}

/* Two tets, the second of negative volume, with numbers out of order and groups that overlap. */
static sn_mesh *two_tets(int tet_nodes, bool named) {
    static const double position[14][3] = {{0.1, 1.0 / 3, -0.0},
                                           {1, 1e-300, 2.0 / 7},
                                           {0, 1, 5e-324},
                                           {0.3, 0.2, 1.7e308},
                                           {1, 1, 1.5},
                                           {0.5, 0, 0},
                                           {0.5, 0.5, 0},
                                           {0, 0.5, 0.25},
                                           {0, 0, 0.5},
                                           {0.5, 0, 0.5},
                                           {0, 0.5, 0.5},
                                           {1, 0, 1},
                                           {0, 1, 1},
                                           {1, 1, 3}};
    static const int32_t tet[20] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 1, 3, 2, 4, 9, 10, 6, 11, 13, 12};
    static const int64_t node_label[14] = {10, 20, 35, 7, 100, 36, 37, 38, 39, 40, 41, 42, 43, 4000000000};
    sn_mesh *mesh;
    assert_int_equal(sn_mesh_create(context, tet_nodes == 4 ? 5 : 14, 2, tet_nodes, 2, &mesh, NULL), SN_OK);
    memcpy(mesh->position, position, (size_t)mesh->node_count * 24);
    for (int i = 0; i < 2; ++i) memcpy(mesh->tet + i * tet_nodes, tet + 10 * i, (size_t)tet_nodes * 4);
    memcpy(mesh->triangle, (const int32_t[6]){0, 2, 1, 1, 2, 4}, 24);
    mesh->node_label = labels(mesh->node_count, node_label);
    mesh->tet_label = labels(2, (const int64_t[2]){30, 9});
    mesh->triangle_label = labels(2, (const int64_t[2]){2, 1});
    if (named) {
        add_group(mesh, "upper part", SN_GROUP_TETS, 1, (const int32_t[]){1});
        add_group(mesh, "all", SN_GROUP_TETS, 2, (const int32_t[]){0, 1});
        add_group(mesh, "wall", SN_GROUP_TRIANGLES, 2, (const int32_t[]){0, 1});
        add_group(mesh, "clamp", SN_GROUP_TRIANGLES, 1, (const int32_t[]){1});
        add_group(mesh, "pinned", SN_GROUP_NODES, 2, (const int32_t[]){0, 2});
        add_group(mesh, "tip", SN_GROUP_NODES, 2, (const int32_t[]){2, 4});
        add_group(mesh, "nothing", SN_GROUP_NODES, 0, NULL);
    } else {
        add_group(mesh, "tet-3", SN_GROUP_TETS, 1, (const int32_t[]){1});
        add_group(mesh, "tri--2", SN_GROUP_TRIANGLES, 1, (const int32_t[]){0});
        add_group(mesh, "tri-5", SN_GROUP_TRIANGLES, 1, (const int32_t[]){1});
        add_group(mesh, "node-1", SN_GROUP_NODES, 2, (const int32_t[]){2, 4});
    }
    return mesh;
}

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

/* ---- Files as other programs write them ---- */

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
        cmocka_unit_test(test_gmsh_2),
        cmocka_unit_test(test_gmsh_4),
        cmocka_unit_test(test_gmsh_2_binary),
        cmocka_unit_test(test_gmsh_4_binary),
        cmocka_unit_test(test_gmsh_tet10),
        cmocka_unit_test(test_tetgen),
        cmocka_unit_test(test_medit_and_vega),
        cmocka_unit_test(test_obj),
        cmocka_unit_test(test_stl_ply_off),
        cmocka_unit_test(test_ply_binary),
        cmocka_unit_test(test_stl_binary_solid),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
