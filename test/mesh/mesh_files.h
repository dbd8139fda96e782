/* Helpers of the tests of mesh files: a counted context and a folder, reading and writing, comparing meshes. */
#ifndef SN_TEST_MESH_FILES_H
#define SN_TEST_MESH_FILES_H

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

static failing_allocator counted;
static sn_context *context;
static char folder[] = "/tmp/sinew-files-XXXXXX";

static inline int set_up(void **state) {
    (void)state;
    counted = failing_allocator_make();
    context = failing_allocator_context(&counted);
    return !context || !mkdtemp(folder);
}

static inline int tear_down(void **state) {
    (void)state;
    sn_context_destroy(context);
    rmdir(folder);
    return counted.live != 0;
}

static inline sn_mesh *load(const char *path) {
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_read(context, path, &mesh, &error)) fail_msg("%s", error.text);
    return mesh;
}

static inline sn_mesh *load_data(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/mesh/%s", SN_TEST_DATA, name);
    return load(path);
}

static inline sn_mesh *parse(const char *format, const void *data, size_t bytes) {
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_read_memory(context, format, "memory", data, bytes, NULL, 0, &mesh, &error)) fail_msg("%s", error.text);
    return mesh;
}

/* Writes, reads back, removes. */
static inline sn_mesh *there_and_back(const sn_mesh *mesh, const char *name, const sn_mesh_write_options *options) {
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

static inline int64_t label_of(const int64_t *label, int i) { return label ? label[i] : i; }

static inline void assert_labels(const int64_t *a, const int64_t *b, int count, int64_t shift) {
    for (int i = 0; i < count; ++i) assert_int_equal(label_of(a, i) + shift, label_of(b, i));
}

static inline void assert_shape(const sn_mesh *a, const sn_mesh *b) {
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->tet_count, b->tet_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_memory_equal(a->position, b->position, (size_t)a->node_count * 24);
    if (a->tet_count) assert_int_equal(a->tet_nodes, b->tet_nodes);
    if (a->tet_count) assert_memory_equal(a->tet, b->tet, (size_t)a->tet_count * (size_t)a->tet_nodes * 4);
    if (a->triangle_count) assert_memory_equal(a->triangle, b->triangle, (size_t)a->triangle_count * 12);
}

static inline const sn_group *group_of(const sn_mesh *mesh, sn_group_kind kind, const char *name) {
    for (int i = 0; i < mesh->group_count; ++i) {
        if (mesh->group[i].kind == kind && strcmp(mesh->group[i].name, name) == 0) return &mesh->group[i];
    }
    fail_msg("no group '%s' of kind %d", name, kind);
    return NULL;
}

static inline void assert_group(const sn_mesh *mesh, sn_group_kind kind, const char *name, int count,
                                const int32_t *member) {
    const sn_group *group = group_of(mesh, kind, name);
    assert_int_equal(group->count, count);
    assert_memory_equal(group->member, member, (size_t)count * 4);
}

static inline void assert_groups(const sn_mesh *a, const sn_mesh *b, sn_group_kind kind) {
    int in_a = 0, in_b = 0;
    for (int i = 0; i < b->group_count; ++i) in_b += b->group[i].kind == kind;
    for (int i = 0; i < a->group_count; ++i) {
        if (a->group[i].kind != kind) continue;
        ++in_a;
        assert_group(b, kind, a->group[i].name, a->group[i].count, a->group[i].member);
    }
    assert_int_equal(in_a, in_b);
}

static inline void add_group(sn_mesh *mesh, const char *name, sn_group_kind kind, int count, const int32_t *member) {
    assert_int_equal(sn_mesh_add_group(mesh, name, kind, member, count, NULL), SN_OK);
}

static inline int64_t *labels(int count, const int64_t *value) {
    int64_t *copy = failing_allocate(&counted, (size_t)count * 8);
    memcpy(copy, value, (size_t)count * 8);
    return copy;
}

/* Two tets, the second of negative volume, with numbers out of order and groups that overlap. */
static inline sn_mesh *two_tets(int tet_nodes, bool named) {
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

#endif
