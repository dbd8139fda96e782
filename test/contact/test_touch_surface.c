/* Touching surfaces: topology of closed, open and broken meshes, owners, areas, motion, bad input, memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../failing_allocator.h"
#include "touch_bodies.h"

static sn_context *context;

/* The edge of side k of triangle t has the vertices of the side, and the neighbour knows t behind the same edge. */
static void check_topology(const sn_touch_surface *s) {
    int *owned_vertex = calloc((size_t)s->vertex_count, sizeof *owned_vertex),
        *owned_edge = calloc((size_t)s->edge_count, sizeof *owned_edge);
    for (int t = 0; t < s->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            const int32_t a = s->triangle[3 * t + k], b = s->triangle[3 * t + (k + 1) % 3];
            const int32_t edge = s->triangle_edge[3 * t + k], other = s->neighbour[3 * t + k];
            assert_int_equal(s->edge[2 * edge], a < b ? a : b);
            assert_int_equal(s->edge[2 * edge + 1], a < b ? b : a);
            if (s->owns[t] & 1 << k) ++owned_vertex[a];
            if (s->owns[t] & 8 << k) ++owned_edge[edge];
            if (other < 0) continue;
            int back = 0;
            for (int j = 0; j < 3; ++j)
                back += s->neighbour[3 * other + j] == t && s->triangle_edge[3 * other + j] == edge &&
                        s->triangle[3 * other + j] == b;
            assert_int_equal(back, 1);
        }
    for (int i = 0; i < s->vertex_count; ++i) assert_int_equal(owned_vertex[i], 1);
    for (int i = 0; i < s->edge_count; ++i) assert_int_equal(owned_edge[i], 1);
    free(owned_vertex);
    free(owned_edge);
}

static double total_area(const sn_touch_surface *s) {
    double sum = 0;
    for (int i = 0; i < s->vertex_count; ++i) sum += s->area[i];
    return sum;
}

static void test_closed(void **state) {
    (void)state;
    sn_touch_surface *s = touch_surface(context, touch_cube(5), 3, 0);
    assert_non_null(s);
    assert_int_equal(s->body, 3);
    assert_true(s->closed);
    assert_int_equal(s->vertex_count - s->edge_count + s->triangle_count, 2); /* Euler */
    check_topology(s);
    assert_true(fabs(total_area(s) - 24) < 1e-12);
    sn_touch_surface_destroy(s);
}

static void test_open(void **state) {
    (void)state;
    sn_touch_surface *s = touch_surface(context, touch_sheet(4), 0, 0);
    assert_non_null(s);
    assert_false(s->closed);
    check_topology(s);
    int rim = 0;
    for (int i = 0; i < 3 * s->triangle_count; ++i) rim += s->neighbour[i] < 0;
    assert_int_equal(rim, 16);
    assert_true(fabs(total_area(s) - 4) < 1e-12);
    sn_touch_surface_destroy(s);
}

/* Three triangles at one edge, two that turn differently, and a triangle with one vertex twice: no neighbours there. */
static void test_broken(void **state) {
    (void)state;
    const double position[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 2, 0, 0};
    const int32_t triangle[] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 1, 2, 5, 1, 5, 4, 3, 3, 4};
    const sn_touch_surface_source source = {
        .body = -1, .vertex_count = 6, .triangle_count = 6, .position = position, .triangle = triangle};
    sn_touch_surface *s = NULL;
    assert_int_equal(sn_touch_surface_create(context, &source, &s, NULL), SN_OK);
    assert_false(s->closed);
    assert_null(s->carrier_node);
    check_topology(s);
    for (int t = 0; t < 3; ++t) assert_int_equal(s->neighbour[3 * t], -1); /* the edge of three triangles */
    assert_int_equal(s->neighbour[1], -1);                                 /* 1 2 and again 1 2 */
    assert_int_equal(s->neighbour[9 + 2], 4);                              /* 5 1 and 1 5 are fine */
    sn_touch_surface_destroy(s);
}

static void test_motion(void **state) {
    (void)state;
    touch_shape ball = touch_ball(30);
    int32_t *first = malloc(sizeof *first * (size_t)(ball.vertex_count + 1)),
            *node = malloc(sizeof *node * 2 * (size_t)ball.vertex_count);
    double *weight = malloc(sizeof *weight * 2 * (size_t)ball.vertex_count);
    for (int i = 0; i < ball.vertex_count; ++i) {
        first[i] = 2 * i, node[2 * i] = i % 7, node[2 * i + 1] = 7 + i % 5;
        weight[2 * i] = 1.25, weight[2 * i + 1] = -0.25;
    }
    first[ball.vertex_count] = 2 * ball.vertex_count;
    const sn_touch_surface_source source = {
        0, ball.vertex_count, ball.triangle_count, ball.position, ball.triangle, first, node, weight, 0};
    sn_touch_surface *s = NULL;
    assert_int_equal(sn_touch_surface_create(context, &source, &s, NULL), SN_OK);
    double x[36];
    for (int i = 0; i < 36; ++i) x[i] = sin(i);
    sn_touch_surface_move(s, x);
    for (int i = 0; i < s->vertex_count; ++i)
        for (int k = 0; k < 3; ++k)
            assert_true(s->position[3 * i + k] == 1.25 * x[3 * (i % 7) + k] + -0.25 * x[3 * (7 + i % 5) + k]);
    assert_true(s->rest[0] == ball.position[0]);
    sn_touch_surface_destroy(s);
    free(first), free(node), free(weight);
    touch_shape_release(&ball);
}

static void test_bad_input(void **state) {
    (void)state;
    double position[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int32_t triangle[] = {0, 1, 3};
    const int32_t node[] = {0, -1, 2};
    sn_touch_surface_source source = {
        .vertex_count = 3, .triangle_count = 1, .position = position, .triangle = triangle};
    sn_touch_surface *s = NULL;
    sn_error error = {0};
    assert_int_equal(sn_touch_surface_create(context, &source, &s, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "vertex 3"));
    assert_null(s);
    triangle[2] = 2, position[4] = NAN;
    assert_int_equal(sn_touch_surface_create(context, &source, &s, &error), SN_BAD_INPUT);
    position[4] = 0, source.carrier_node = node;
    assert_int_equal(sn_touch_surface_create(context, &source, &s, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "node -1"));
    source.carrier_node = NULL, source.triangle_count = source.vertex_count = 0; /* an empty surface is fine */
    assert_int_equal(sn_touch_surface_create(context, &source, &s, &error), SN_OK);
    assert_false(s->closed);
    sn_touch_surface_destroy(s);
}

static void test_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *own = failing_allocator_context(&failing);
    const int64_t before = failing.live;
    int failures = 0;
    for (sn_touch_surface *s = NULL; !s; ++failures) {
        failing_allocator_arm(&failing, failures + 1);
        s = touch_surface(own, touch_cube(2), 0, 0);
        failing_allocator_disarm(&failing);
        sn_touch_surface_destroy(s);
        assert_int_equal(failing.live, before);
        if (s) break;
    }
    assert_true(failures > 10);
    sn_context_destroy(own);
}

static int set_up(void **state) {
    (void)state;
    sn_context_options options = sn_context_options_default();
    options.threads = 2;
    return sn_context_create(&options, &context, NULL);
}
static int tear_down(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_closed),    cmocka_unit_test(test_open),
                                       cmocka_unit_test(test_broken),    cmocka_unit_test(test_motion),
                                       cmocka_unit_test(test_bad_input), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
