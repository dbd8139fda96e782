/* Shared by the tests of this folder: a context, generators in one line, a mesh from literals. */
#ifndef SN_MESH_TEST_H
#define SN_MESH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "failing_allocator.h"
#include "sinew/mesh.h"

static failing_allocator memory;
static sn_context *context;

/* Every group of tests runs on one context and must give back all memory. */
static int set_up(void **state) {
    (void)state;
    memory = failing_allocator_make();
    context = failing_allocator_context(&memory);
    return context ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    sn_context_destroy(context);
    return memory.live == 0 ? 0 : -1;
}

static inline sn_mesh *make(const char *generator, const sn_generator_value *value, int count) {
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_generate(context, generator, value, count, &mesh, &error)) fail_msg("%s", error.text);
    return mesh;
}

static inline sn_mesh *make_box(int x, int y, int z, int split) {
    const sn_generator_value v[2] = {{"cells", 3, {x, y, z}}, {"split", 1, {split}}};
    return make("box", v, 2);
}

static inline sn_mesh_report report_of(const sn_mesh *mesh) {
    sn_mesh_report report;
    sn_error error = {0};
    if (sn_mesh_inspect(mesh, &report, &error)) fail_msg("%s", error.text);
    return report;
}

static inline sn_mesh *mesh_of(int nodes, const double *position, int tets, const int32_t *tet, int triangles,
                               const int32_t *triangle) {
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(context, nodes, tets, 4, triangles, &mesh, NULL), SN_OK);
    memcpy(mesh->position, position, (size_t)nodes * 3 * sizeof(double));
    if (tets) memcpy(mesh->tet, tet, (size_t)tets * 4 * sizeof *tet);
    if (triangles) memcpy(mesh->triangle, triangle, (size_t)triangles * 3 * sizeof *triangle);
    return mesh;
}

static inline double distance_of(const sn_mesh *mesh, int node, double x, double y, double z) {
    const double *p = mesh->position + (size_t)node * 3;
    return sqrt((p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) + (p[2] - z) * (p[2] - z));
}

/* A face, an edge or a tet of healthy meshes. */
static inline void assert_healthy(const sn_mesh_report *r) {
    assert_int_equal(r->inverted, 0);
    assert_int_equal(r->flat, 0);
    assert_int_equal(r->duplicate_tets, 0);
    assert_int_equal(r->duplicate_nodes, 0);
    assert_int_equal(r->isolated_nodes, 0);
    assert_int_equal(r->nonmanifold_faces, 0);
    assert_int_equal(r->open_edges, 0);
    assert_int_equal(r->components, 1);
}

/* Runs `work` with the 1st, 2nd, ... request failing until it succeeds: each failure is SN_NO_MEMORY and leaves nothing
 * behind. */
static inline int fail_each(sn_status (*work)(void *data), void *data, int64_t step) {
    int failures = 0;
    for (int64_t n = 1;; n += step) {
        const int64_t before = memory.live;
        failing_allocator_arm(&memory, n);
        const sn_status status = work(data);
        const int failed = memory.failed;
        failing_allocator_disarm(&memory);
        assert_int_equal(memory.live, before);
        if (!failed) {
            assert_int_equal(status, SN_OK);
            return failures;
        }
        assert_int_equal(status, SN_NO_MEMORY);
        ++failures;
    }
}

#endif
