/* Clipping a surface at its tets: closed, same area, one tet per triangle, motion; patches; bad input; memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../failing_allocator.h"
#include "base/math3.h"
#include "contact/touch_clip.h"
#include "contact/touch_patches.h"
#include "sinew/sinew.h"
#include "touch_bodies.h"

static double area_of(const sn_touch_surface *s) {
    double sum = 0;
    for (int i = 0; i < s->vertex_count; ++i) sum += s->area[i];
    return sum;
}

static void check(sn_context *context, touch_shape shape, int cells, bool bent) {
    touch_shape_place(&shape, 1, 0.95, 0.97, 0.0131, 0.0272, -0.0413); /* no ties */
    sn_mesh *tets = touch_tets(context, cells);
    sn_touch_surface *plain = NULL, *s = NULL;
    sn_error error = {0};
    if (sn_touch_clip(tets, shape.position, shape.vertex_count, shape.triangle, shape.triangle_count, 0, 0, &s, &error))
        fail_msg("%s", error.text);
    plain = touch_surface(context, shape, 0, 0);
    assert_true(s->closed);
    assert_true(s->triangle_count > plain->triangle_count);
    assert_true(fabs(area_of(s) / area_of(plain) - 1) < 1e-12);
    if (bent)
        for (int i = 0; i < tets->node_count; ++i) tets->position[3 * i] += 0.2 * tets->position[3 * i + 1];
    sn_touch_surface_move(s, tets->position);
    for (int i = 0; i < s->vertex_count; ++i) { /* the motion is affine: so is that of the surface */
        const double x = s->rest[3 * i] + (bent ? 0.2 * s->rest[3 * i + 1] : 0);
        assert_true(fabs(s->position[3 * i] - x) < 1e-9);
        for (int c = s->carrier_first[i]; c < s->carrier_first[i + 1]; ++c) assert_true(s->carrier_weight[c] > -1e-9);
    }
    sn_touch_patches patches;
    assert_int_equal(sn_touch_patches_create(s, &patches, NULL), SN_OK);
    assert_true(patches.count < 8 * tets->tet_count && patches.count > 8);
    for (int t = 0; t < s->triangle_count; ++t) { /* all carriers of a triangle belong to one tet */
        int32_t node[12];
        int count = 0;
        for (int k = 0; k < 3; ++k) {
            const int v = s->triangle[3 * t + k];
            for (int c = s->carrier_first[v]; c < s->carrier_first[v + 1]; ++c) {
                int i = 0;
                while (i < count && node[i] != s->carrier_node[c]) ++i;
                if (i == count) node[count++] = s->carrier_node[c];
            }
        }
        assert_true(count <= 4);
    }
    sn_touch_patches_release(context, &patches);
    sn_touch_surface_destroy(s);
    sn_touch_surface_destroy(plain);
    sn_mesh_destroy(tets);
}

static void test_clip(void **state) {
    sn_context *context = *state;
    check(context, touch_ball(6), 3, true);
    check(context, touch_ball(20), 4, true);
    check(context, touch_ball(3), 9, false); /* triangles larger than tets */
    check(context, touch_cube(4), 4, true);
}

/* Vertices, edges and faces of the cube lie on those of the tets. */
static void test_ties(void **state) {
    sn_context *context = *state;
    touch_shape cube = touch_cube(2);
    touch_shape_place(&cube, 0.65, 0.65, 0.65, 0, 0, 0);
    sn_mesh *tets = touch_tets(context, 4);
    sn_touch_surface *s = NULL;
    assert_int_equal(
        sn_touch_clip(tets, cube.position, cube.vertex_count, cube.triangle, cube.triangle_count, 0, 0, &s, NULL),
        SN_OK);
    for (int i = 0; i < 3 * s->vertex_count; ++i) assert_true(isfinite(s->position[i]));
    sn_touch_surface_destroy(s);
    sn_mesh_destroy(tets);
    touch_shape_release(&cube);
}

static void test_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *own = failing_allocator_context(&failing);
    sn_mesh *tets = touch_tets(own, 2);
    touch_shape ball = touch_ball(2);
    const int64_t before = failing.live;
    int n = 0;
    for (sn_status status = SN_NO_MEMORY; status; ++n) {
        sn_touch_surface *s = NULL;
        failing_allocator_arm(&failing, n + 1);
        status =
            sn_touch_clip(tets, ball.position, ball.vertex_count, ball.triangle, ball.triangle_count, 0, 0, &s, NULL);
        failing_allocator_disarm(&failing);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_touch_surface_destroy(s);
        assert_int_equal(failing.live, before);
    }
    assert_true(n > 15);
    touch_shape_release(&ball);
    sn_mesh_destroy(tets);
    sn_context_destroy(own);
}

static int set_up(void **state) { return sn_context_create(NULL, (sn_context **)state, NULL); }
static int tear_down(void **state) {
    sn_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clip), cmocka_unit_test(test_ties),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
