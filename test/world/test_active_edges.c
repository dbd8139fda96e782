/* The edges of active tets on the boundary, which the wireframe shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene_text.h"
#include "sinew/sinew.h"

/* A beam of 4 x 1 x 1 cells. Its boundary has 36 triangles. */
static const char beam[] =
    "{\"sinew\": 1, \"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}}, %s "
    "\"material\": {\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.3, \"density\": 1000}}]}";

/* Counts the drawn edges of all faces, and those whose faces lie on the half x > 0.2. -1: not adaptive. */
static int drawn(const char *adapt, int *behind, int *all) {
    char text[1000];
    sn_context *context;
    sn_world *world;
    sn_error error = {0};
    snprintf(text, sizeof text, beam, adapt);
    assert_int_equal(sn_context_create(NULL, &context, &error), SN_OK);
    if (world_from_text(context, "test", text, NULL, 0, &world, &error)) fail_msg("%s", error.text);
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    int count, sum = 0;
    int32_t *face, *owner;
    assert_int_equal(sn_mesh_boundary(mesh, &count, &face, &owner, NULL, &error), SN_OK);
    uint8_t *edge = calloc((size_t)count, 1);
    const sn_status status = sn_world_active_edges(world, 0, count, face, owner, edge);
    *behind = 0, *all = 3 * count;
    for (int f = 0; f < count; ++f)
        for (int k = 0; k < 3; ++k) {
            double least = 1;
            for (int c = 0; c < 3; ++c) {
                const double x = mesh->position[3 * (size_t)face[3 * f + c]];
                least = x < least ? x : least;
            }
            sum += edge[f] >> k & 1;
            *behind += least >= 0.2 - 1e-9 ? edge[f] >> k & 1 : 0;
        }
    free(edge);
    sn_mesh_release(mesh, face), sn_mesh_release(mesh, owner);
    sn_world_destroy(world);
    sn_context_destroy(context);
    return status ? -1 : sum;
}

static void test_counts(void **state) {
    (void)state;
    int behind, all;
    assert_int_equal(drawn("", &behind, &all), -1);
    int sum = drawn("\"adapt\": {\"levels\": 2, \"select\": \"all\"},", &behind, &all);
    assert_int_equal(all, 36 * 48);
    assert_int_equal(sum, all);
    /* A coarse triangle has 16 finest ones, and 12 of their 48 edges are on its own edges. */
    sum = drawn("\"adapt\": {\"levels\": 2},", &behind, &all);
    assert_int_equal(sum, all / 4);
    sum = drawn("\"adapt\": {\"levels\": 1},", &behind, &all);
    assert_int_equal(all, 36 * 12);
    assert_int_equal(sum, all / 2);
    /* Fine at one end. The other half has 18 coarse triangles, which nothing refines. */
    sum = drawn("\"adapt\": {\"levels\": 2, \"select\": {\"box\": [[-1, -1, -1], [0.05, 1, 1]]}},", &behind, &all);
    assert_true(sum > all / 4 && sum < all);
    assert_int_equal(behind, 18 * 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
