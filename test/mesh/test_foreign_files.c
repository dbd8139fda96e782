/* Files of other programs: what VTU, VTK and Abaqus files give, decompression beside zlib, and that sn_mesh_losses says
 * exactly what a format loses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <cmocka.h>

#include "mesh/inflate.h"
#include "mesh_test.h"
#include "write_as.h"

static sn_mesh *read_sample(const char *name) {
    char path[300];
    sn_error error = {0};
    sn_mesh *mesh;
    snprintf(path, sizeof path, "%s/mesh/%s", SN_TEST_DATA, name);
    if (sn_mesh_read(context, path, &mesh, &error)) fail_msg("%s", error.text);
    return mesh;
}

static void assert_group(const sn_mesh *mesh, const char *name, sn_group_kind kind, int count, const int32_t *member) {
    for (int i = 0; i < mesh->group_count; ++i) {
        const sn_group *g = &mesh->group[i];
        if (g->kind != kind || strcmp(g->name, name) != 0) continue;
        assert_int_equal(g->count, count);
        assert_memory_equal(g->member, member, (size_t)count * sizeof *member);
        return;
    }
    fail_msg("there is no group %s", name);
}

/* The same two tets and triangle in every flavour. */
static void test_vtk(void **state) {
    (void)state;
    static const char *const name[] = {"text.vtu", "zlib.vtu", "raw.vtu", "text.vtk", "binary.vtk"};
    static const double position[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const int32_t tet[8] = {0, 1, 2, 3, 1, 4, 2, 3}, triangle[3] = {0, 2, 1}, zero = 0, one = 1;
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        sn_mesh *mesh = read_sample(name[i]);
        assert_int_equal(mesh->node_count, 5);
        assert_memory_equal(mesh->position, position, sizeof position);
        assert_int_equal(mesh->tet_count, 2);
        assert_int_equal(mesh->tet_nodes, 4);
        assert_memory_equal(mesh->tet, tet, sizeof tet);
        assert_int_equal(mesh->triangle_count, 1);
        assert_memory_equal(mesh->triangle, triangle, sizeof triangle);
        assert_int_equal(mesh->group_count, 3);
        assert_group(mesh, "part-1", SN_GROUP_TETS, 1, &zero);
        assert_group(mesh, "part-2", SN_GROUP_TETS, 1, &one);
        assert_group(mesh, "part-2", SN_GROUP_TRIANGLES, 1, &zero);
        assert_string_equal(mesh->left_out, "1 lines");
        sn_mesh_destroy(mesh);
    }
}

static void test_inp(void **state) {
    (void)state;
    static const int64_t label[5] = {10, 20, 30, 40, 50}, tets[2] = {1, 2}, triangles[2] = {101, 102};
    static const int32_t tet[8] = {0, 1, 2, 3, 1, 4, 2, 3}, shell[6] = {0, 2, 1, 0, 3, 2}, all[5] = {0, 1, 2, 3, 4},
                         both[4] = {0, 1, 2, 4};
    sn_mesh *mesh = read_sample("cube.inp");
    assert_memory_equal(mesh->node_label, label, sizeof label);
    assert_memory_equal(mesh->tet_label, tets, sizeof tets);
    assert_memory_equal(mesh->triangle_label, triangles, sizeof triangles);
    assert_memory_equal(mesh->tet, tet, sizeof tet);
    assert_memory_equal(mesh->triangle, shell, sizeof shell);
    assert_group(mesh, "ALL", SN_GROUP_NODES, 5, all);
    assert_group(mesh, "Low", SN_GROUP_NODES, 3, all);
    assert_group(mesh, "Both", SN_GROUP_NODES, 4, both);
    assert_group(mesh, "Solid", SN_GROUP_TETS, 2, all);
    assert_group(mesh, "Shell", SN_GROUP_TRIANGLES, 2, all);
    assert_group(mesh, "Picked", SN_GROUP_TETS, 1, all + 1);
    assert_group(mesh, "Picked", SN_GROUP_TRIANGLES, 1, all);
    assert_string_equal(mesh->left_out, "1 lines, 2 keywords of the analysis");
    sn_mesh_destroy(mesh);
}

/* Every kind of block of deflate, against zlib. */
static void test_inflate(void **state) {
    (void)state;
    enum { MOST = 70000 };
    static uint8_t data[MOST], packed[2 * MOST], back[MOST];
    for (int kind = 0; kind < 3; ++kind)
        for (size_t size = 0; size <= MOST; size = size * 5 + 3)
            for (int level = 0; level <= 9; level += 3) {
                uint32_t seed = 7;
                for (size_t i = 0; i < size; ++i) {
                    seed = seed * 1664525 + 1013904223;
                    data[i] = kind == 0   ? 0
                              : kind == 1 ? (uint8_t)(seed >> 24)
                                          : (uint8_t)("abcab"[i % 5] + (seed >> 31));
                }
                uLongf length = sizeof packed;
                assert_int_equal(compress2(packed, &length, data, size, level), Z_OK);
                memset(back, 1, sizeof back);
                assert_true(sn_inflate(packed, length, back, size));
                assert_memory_equal(back, data, size);
                assert_false(sn_inflate(packed, length, back, size + 1));
                if (size) assert_false(sn_inflate(packed, length, back, size - 1));
                assert_false(sn_inflate(packed, length - 1, back, size));
                packed[length - 1] ^= 1; /* the check sum */
                assert_false(sn_inflate(packed, length, back, size));
            }
}

/* ---- Losses ---- */

/* Tets, triangles, odd numbers, and groups of each kind that overlap. */
static sn_mesh *rich_mesh(void) {
    sn_mesh *mesh = read_sample("cube.inp");
    static const int32_t members[2] = {0, 1};
    assert_int_equal(sn_mesh_add_group(mesh, "twice", SN_GROUP_TETS, members, 2, NULL), SN_OK);
    return mesh;
}

static int groups_of(const sn_mesh *mesh, sn_group_kind kind) {
    int count = 0;
    for (int i = 0; i < mesh->group_count; ++i) count += mesh->group[i].kind == kind;
    return count;
}

/* Whether every group of a kind comes back with its name and members. */
static bool same_groups(const sn_mesh *mesh, const sn_mesh *back, sn_group_kind kind) {
    for (int i = 0; i < mesh->group_count; ++i) {
        const sn_group *g = &mesh->group[i];
        bool found = g->kind != kind;
        for (int k = 0; !found && k < back->group_count; ++k) {
            const sn_group *h = &back->group[k];
            found = h->kind == kind && strcmp(h->name, g->name) == 0 && h->count == g->count &&
                    memcmp(h->member, g->member, (size_t)g->count * sizeof *g->member) == 0;
        }
        if (!found) return false;
    }
    return true;
}

/* A mesh without labels has no numbers to lose: a format may count from 1. */
static bool same_labels(const int64_t *a, const int64_t *b, int count) {
    for (int i = 0; a && i < count; ++i)
        if (a[i] != (b ? b[i] : i)) return false;
    return true;
}

static void compare(const char *format, const sn_mesh *mesh, const sn_mesh *back, const char *lost) {
    static const char *const noun[3] = {"node group", "tet group", "triangle group"};
    const bool tets = mesh->tet_count == 0 || back->tet_count > 0;
    const bool triangles = mesh->triangle_count == back->triangle_count && tets;
#define SAYS(word, truth)                                                                                              \
    if ((strstr(lost, word) != NULL) != (truth))                                                                       \
    fail_msg("%s: '%s' is %s: %s", format, word, (truth) ? "lost" : "kept", lost)
    SAYS("the tets inside", !tets);
    if (mesh->tet_count) SAYS(" triangles", !triangles);
    for (int kind = 0; kind < 3; ++kind)
        if (groups_of(mesh, (sn_group_kind)kind)) SAYS(noun[kind], !same_groups(mesh, back, (sn_group_kind)kind));
    const bool nodes = mesh->node_count == back->node_count;
    SAYS("node numbers", !nodes || !same_labels(mesh->node_label, back->node_label, mesh->node_count));
    if (tets && triangles)
        SAYS("element numbers", !same_labels(mesh->tet_label, back->tet_label, mesh->tet_count) ||
                                    !same_labels(mesh->triangle_label, back->triangle_label, mesh->triangle_count));
#undef SAYS
}

static void try_format(const char *format, const sn_mesh *mesh, const sn_mesh_write_options *options) {
    char path[80], lost[400];
    sn_error error = {0};
    sn_mesh *back;
    snprintf(path, sizeof path, "/tmp/sinew-losses-%d.%s", (int)getpid(), format);
    if (sn_mesh_write(mesh, path, options, &error)) return; /* refused: nothing is lost in silence */
    assert_int_equal(sn_mesh_losses(mesh, format, options, lost, sizeof lost, &error), SN_OK);
    if (sn_mesh_read(context, path, &back, &error)) fail_msg("%s", error.text);
    compare(format, mesh, back, lost);
    sn_mesh_destroy(back);
    for (int i = 0; i < 4; ++i) {
        static const char *const more[] = {"node", "ele", "face"};
        if (i < 3)
            snprintf(path, sizeof path, "/tmp/sinew-losses-%d.%s", (int)getpid(), more[i]);
        else
            snprintf(path, sizeof path, "/tmp/sinew-losses-%d.%s", (int)getpid(), format);
        unlink(path);
    }
}

static void test_losses(void **state) {
    (void)state;
    int count;
    const sn_listing *format = sn_mesh_formats(&count);
    sn_mesh *rich = rich_mesh(), *plain = make_box(1, 1, 1, 6), *surface = read_sample("cube.obj");
    const sn_mesh_write_options text = write_as(false, NULL), binary = write_as(true, NULL);
    for (int i = 0; i < count; ++i) {
        if (!sn_mesh_format_writes(format[i].name)) continue;
        const sn_mesh *const mesh[] = {rich, surface};
        for (int k = 0; k < 2; ++k)
            try_format(format[i].name, mesh[k], &text), try_format(format[i].name, mesh[k], &binary);
    }
    char lost[400], little[8];
    sn_error error = {0};
    assert_int_equal(sn_mesh_losses(plain, "msh", NULL, lost, sizeof lost, &error), SN_OK);
    assert_string_equal(lost, "");
    assert_int_equal(sn_mesh_losses(rich, "off", NULL, little, sizeof little, &error), SN_OK);
    assert_string_equal(little, "the tet");
    assert_int_equal(sn_mesh_losses(rich, "docx", NULL, lost, sizeof lost, &error), SN_BAD_INPUT);
    sn_mesh *fine;
    assert_int_equal(sn_mesh_to_tet10(plain, &fine, &error), SN_OK);
    assert_int_equal(sn_mesh_losses(fine, "stl", NULL, lost, sizeof lost, &error), SN_OK);
    assert_non_null(strstr(lost, "mid-edge nodes"));
    assert_int_equal(sn_mesh_losses(fine, "mesh", NULL, lost, sizeof lost, &error), SN_OK);
    assert_null(strstr(lost, "mid-edge"));
    sn_mesh_destroy(rich), sn_mesh_destroy(plain), sn_mesh_destroy(surface), sn_mesh_destroy(fine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vtk), cmocka_unit_test(test_inp),
                                       cmocka_unit_test(test_inflate), cmocka_unit_test(test_losses)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
