/* Polygons as triangles: convex, concave, with corners on a line, and crossing themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/polygon.h"

enum { MOST = 12 };

/* Lifts corners of the plane into space: x, y, x + 2 y + 1. */
static void cut(int count, const double corner[][2], int32_t *triangle, double *least, double *sum) {
    double position[3 * MOST];
    int32_t ring[MOST], bend[MOST];
    for (int i = 0; i < count; ++i) {
        ring[i] = i;
        position[3 * i] = corner[i][0], position[3 * i + 1] = corner[i][1];
        position[3 * i + 2] = corner[i][0] + 2 * corner[i][1] + 1;
    }
    sn_polygon_cut(position, ring, count, bend, triangle);
    *least = INFINITY, *sum = 0;
    for (int t = 0; t < count - 2; ++t) {
        const int32_t *n = triangle + 3 * t;
        const double *a = corner[n[0]], *b = corner[n[1]], *c = corner[n[2]];
        const double area = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
        *least = fmin(*least, area), *sum += area;
    }
}

/* A convex polygon is a fan about its first corner. */
static void test_convex(void **state) {
    (void)state;
    static const double corner[][2] = {{0, 0}, {2, 0}, {3, 1}, {2, 3}, {0, 2}};
    static const int32_t fan[] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
    int32_t triangle[3 * MOST];
    double least, sum;
    cut(5, corner, triangle, &least, &sum);
    assert_memory_equal(triangle, fan, sizeof fan);
}

/* The triangles of a concave polygon lie in it: all face its side, and their areas add up to its area. */
static void test_concave(void **state) {
    (void)state;
    static const double angle[][2] = {{0, 4}, {0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}};
    static const double star[][2] = {{0, 3}, {-1, 1}, {-3, 0}, {-1, -1}, {0, -3}, {1, -1}, {3, 0}, {1, 1}};
    static const double comb[][2] = {{0, 0}, {5, 0}, {5, 3}, {4, 1}, {3, 3}, {2, 1}, {1, 3}, {0, 1}};
    static const double line[][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 2}, {1, 2}, {0, 2}};
    static const struct {
        int count;
        const double (*corner)[2];
        double area;
    } polygon[] = {{6, angle, 7}, {8, star, 12}, {8, comb, 10}, {6, line, 4}};
    for (size_t i = 0; i < sizeof polygon / sizeof *polygon; ++i) {
        int32_t triangle[3 * MOST];
        double least, sum;
        cut(polygon[i].count, polygon[i].corner, triangle, &least, &sum);
        assert_true(least > 0);
        assert_true(fabs(sum - polygon[i].area) < 1e-12);
    }
}

/* Polygons without an ear still give count - 2 triangles of their corners. */
static void test_crossing(void **state) {
    (void)state;
    static const double bow[][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}},
                        point[][2] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    int32_t triangle[3 * MOST];
    double least, sum;
    cut(4, bow, triangle, &least, &sum);
    cut(5, point, triangle, &least, &sum);
    for (int i = 0; i < 9; ++i) assert_in_range(triangle[i], 0, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_convex), cmocka_unit_test(test_concave),
                                       cmocka_unit_test(test_crossing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
