/* Closest points against a search over all places of the features, closed forms, and finite differences; continuous
 * detection against small steps along the paths. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/math3.h"
#include "contact/ccd.h"
#include "contact/closest.h"

typedef void find_closest(const double *const x[4], sn_closest *closest);
static find_closest *const FIND[2] = {sn_closest_vertex_face, sn_closest_edge_edge};

static uint64_t seed = 1;
static double random_unit(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}
static void random_corners(double x[4][3]) {
    for (int i = 0; i < 12; ++i) x[i / 3][i % 3] = 2 * random_unit() - 1;
}
static void point_at(double x[4][3], const double *at[4]) {
    for (int i = 0; i < 4; ++i) at[i] = x[i];
}
static double distance(int kind, double x[4][3]) {
    const double *at[4];
    sn_closest c;
    point_at(x, at);
    FIND[kind](at, &c);
    return sqrt(c.square);
}

/* The smallest distance over a lattice of places, refined around the best one several times. */
static double searched(int kind, double x[4][3]) {
    enum { N = 20 };
    double centre[2] = {0.5, 0.5}, width = 0.5, best = INFINITY;
    for (int round = 0; round < 30; ++round, width *= 0.6) {
        double next[2] = {centre[0], centre[1]};
        for (int k = 0; k <= N * N + 2 * N; ++k) {
            double p[2] = {centre[0] + width * (2.0 * (k % (N + 1)) / N - 1),
                           centre[1] + width * (2.0 * (k / (N + 1)) / N - 1)};
            for (int i = 0; i < 2; ++i) p[i] = fmin(fmax(p[i], 0), 1);
            if (kind == 0 && p[0] + p[1] > 1) p[1] = 1 - p[0];
            double square = 0;
            for (int a = 0; a < 3; ++a) {
                const double r = kind == 0
                                     ? x[0][a] - (1 - p[0] - p[1]) * x[1][a] - p[0] * x[2][a] - p[1] * x[3][a]
                                     : (1 - p[0]) * x[0][a] + p[0] * x[1][a] - (1 - p[1]) * x[2][a] - p[1] * x[3][a];
                square += r * r;
            }
            if (sqrt(square) < best) best = sqrt(square), next[0] = p[0], next[1] = p[1];
        }
        centre[0] = next[0], centre[1] = next[1];
    }
    return best;
}

static void test_distance_is_the_smallest(void **state) {
    (void)state;
    int seen[2][3] = {{0}};
    for (int trial = 0; trial < 400; ++trial)
        for (int kind = 0; kind < 2; ++kind) {
            double x[4][3];
            random_corners(x);
            const double *at[4];
            sn_closest c;
            point_at(x, at);
            FIND[kind](at, &c);
            ++seen[kind][c.free];
            assert_true(fabs(sqrt(c.square) - searched(kind, x)) < 1e-6);
            double sum = 0;
            for (int i = 0; i < 4; ++i) sum += c.weight[i];
            assert_true(fabs(sum) < 1e-14);
        }
    for (int k = 0; k < 6; ++k) assert_true(seen[k / 3][k % 3] > 10); /* each kind of closest points was met */
}

static void test_closed_forms(void **state) {
    (void)state;
    double face[4][3] = {{0.2, 0.3, 0.7}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    double corner[4][3] = {{-3, -4, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    double cross[4][3] = {{-1, 0, 0.5}, {1, 0, 0.5}, {0, -1, 0}, {0, 1, 0}};
    double parallel[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.25, 0}, {2, 0.25, 0}};
    double line[4][3] = {{0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {2, 0, 0}};
    assert_true(fabs(distance(0, face) - 0.7) < 1e-15);
    assert_true(fabs(distance(0, corner) - 5) < 1e-15);
    assert_true(fabs(distance(1, cross) - 0.5) < 1e-15);
    assert_true(fabs(distance(1, parallel) - 0.25) < 1e-15);
    assert_true(fabs(distance(1, line) - 1) < 1e-15);
    const double *at[4];
    double slope, dc[4][3];
    point_at(parallel, at);
    assert_true(sn_closest_mollifier(at, 1e-3, &slope, dc) == 0);
    point_at(cross, at);
    assert_true(sn_closest_mollifier(at, 1e-3, &slope, dc) == 1);
}

/* Degenerate triangles and edges: still a distance, never NaN. */
static void test_degenerate(void **state) {
    (void)state;
    double point[4][3] = {{1, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double needle[4][3] = {{0.5, 2, 0}, {0, 0, 0}, {1, 0, 0}, {0.25, 0, 0}};
    assert_true(fabs(distance(0, point) - 1) < 1e-12);
    assert_true(fabs(distance(0, needle) - 2) < 1e-12);
    assert_true(fabs(distance(1, point)) < 1e-12);
    double dot[4][3] = {{0, 3, 0}, {0, 3, 0}, {0, 0, 0}, {1, 0, 0}};
    assert_true(fabs(distance(1, dot) - 3) < 1e-12);
}

static double half_square(int kind, double x[4][3]) {
    const double d = distance(kind, x);
    return 0.5 * d * d;
}

/* The gradient w_i r and the Hessian of |r|^2 / 2 against central differences. Places where the kind of the closest
 * points changes within the difference are left out. */
static void test_derivatives(void **state) {
    (void)state;
    const double e = 1e-4;
    int checked = 0;
    for (int trial = 0; trial < 200; ++trial)
        for (int kind = 0; kind < 2; ++kind) {
            double x[4][3], H[144], gradient[12];
            random_corners(x);
            const double *at[4];
            sn_closest c, moved;
            point_at(x, at);
            FIND[kind](at, &c);
            sn_closest_hessian(&c, at, H);
            for (int i = 0; i < 12; ++i) gradient[i] = c.weight[i / 3] * c.r[i % 3];
            for (int i = 0; i < 12; ++i) {
                double *place = &x[i / 3][i % 3], high[12], low[12];
                const double before = *place;
                int same = 1;
                *place = before + e;
                const double above = half_square(kind, x);
                FIND[kind](at, &moved);
                same = same && moved.free == c.free && !memcmp(moved.slope, c.slope, (size_t)c.free * sizeof *c.slope);
                for (int j = 0; j < 12; ++j) high[j] = moved.weight[j / 3] * moved.r[j % 3];
                *place = before - e;
                const double below = half_square(kind, x);
                FIND[kind](at, &moved);
                same = same && moved.free == c.free && !memcmp(moved.slope, c.slope, (size_t)c.free * sizeof *c.slope);
                for (int j = 0; j < 12; ++j) low[j] = moved.weight[j / 3] * moved.r[j % 3];
                *place = before;
                if (!same) continue;
                ++checked;
                assert_true(fabs((above - below) / (2 * e) - gradient[i]) < 1e-5);
                for (int j = 0; j < 12; ++j)
                    assert_true(fabs((high[j] - low[j]) / (2 * e) - H[12 * i + j]) < 2e-4 * (1 + fabs(H[12 * i + j])));
            }
        }
    assert_true(checked > 3000);
}

static void test_mollifier_derivative(void **state) {
    (void)state;
    for (int trial = 0; trial < 50; ++trial) {
        double x[4][3], dc[4][3], unused[4][3], slope, other;
        random_corners(x);
        for (int a = 0; a < 3; ++a) x[3][a] = x[2][a] + 2 * (x[1][a] - x[0][a]) + 0.05 * random_unit();
        const double *at[4];
        point_at(x, at);
        const double m = sn_closest_mollifier(at, 0.1, &slope, dc);
        assert_true(m > 0 && m < 1);
        for (int i = 0; i < 12; ++i) {
            const double e = 1e-6, before = x[i / 3][i % 3];
            x[i / 3][i % 3] = before + e;
            const double above = sn_closest_mollifier(at, 0.1, &other, unused);
            x[i / 3][i % 3] = before - e;
            const double below = sn_closest_mollifier(at, 0.1, &other, unused);
            x[i / 3][i % 3] = before;
            assert_true(fabs((above - below) / (2 * e) - slope * dc[i / 3][i % 3]) < 1e-4);
        }
    }
}

/* Along the part of the path that is allowed, the distance stays above what was promised; and the part is not much
 * shorter than it could be. */
static void test_continuous(void **state) {
    (void)state;
    enum { SAMPLES = 400 };
    int met = 0;
    double wasted = 0;
    for (int trial = 0; trial < 400; ++trial)
        for (int kind = 0; kind < 2; ++kind) {
            double x[4][3], d[4][3], moved[4][3];
            random_corners(x), random_corners(d);
            for (int i = 0; i < 12; ++i) d[i / 3][i % 3] = 3 * d[i / 3][i % 3] + 10;
            const double *at[4], *way[4];
            point_at(x, at), point_at(d, way);
            const double start = distance(kind, x), gap = trial % 2 ? 0 : 0.3 * start;
            const double part = (kind ? sn_ccd_edge_edge : sn_ccd_vertex_face)(at, way, gap, 0.5 * start, 1);
            double met_at = 1; /* the first time at which the distance is nearly as small as allowed */
            for (int s = 0; s <= SAMPLES; ++s) {
                const double t = (double)s / SAMPLES;
                for (int i = 0; i < 12; ++i) moved[i / 3][i % 3] = x[i / 3][i % 3] + t * d[i / 3][i % 3];
                const double now = distance(kind, moved) - gap;
                if (t <= part) assert_true(now >= 0.2 * (start - gap) * (1 - 1e-9));
                if (now < 0.3 * (start - gap)) met_at = fmin(met_at, t);
            }
            assert_true(part > 0);
            if (part < 1) ++met;
            if (start > 0.2) wasted = fmax(wasted, met_at - part); /* the samples miss a short meeting */
        }
    assert_true(met > 50);
    assert_true(wasted < 0.02);
}

/* A fast vertex cannot pass a triangle, whatever the length of its path. */
static void test_no_tunnel(void **state) {
    (void)state;
    for (double far = 1; far < 1e9; far *= 10) {
        double x[4][3] = {{0.2, 0.2, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, d[4][3] = {{0, 0, -far}, {0}, {0}, {0}};
        const double *at[4], *way[4];
        point_at(x, at), point_at(d, way);
        const double part = sn_ccd_vertex_face(at, way, 0, 1, 1);
        assert_true(part * far < 1 && part * far > 0.7);
    }
    double touching[4][3] = {{0.2, 0.2, 0.1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, d[4][3] = {{0, 0, -1}, {0}, {0}, {0}};
    const double *at[4], *way[4];
    point_at(touching, at), point_at(d, way);
    assert_true(sn_ccd_vertex_face(at, way, 0.2, 1, 1) == 0);
}

/* Eight at a time, in each build of the kernel: the same distances up to rounding, also of degenerate features; the
 * same bits in all builds. */
static void test_kernels(void **state) {
    (void)state;
    for (int trial = 0; trial < 2000; ++trial) {
        double x[32][3], square[3][8];
        int32_t corner[4][8];
        const int kind = trial % 2;
        int builds = 0;
        for (int i = 0; i < 96; ++i) x[i / 3][i % 3] = 2 * random_unit() - 1;
        for (int l = 0; l < 8; ++l) {
            for (int i = 0; i < 4; ++i) corner[i][l] = 4 * l + i;
            if (trial % 5 == 1) memcpy(x[4 * l + 3], x[4 * l + 2], sizeof x[0]); /* no area; an edge without a length */
            for (int a = 0; a < 3 && trial % 5 == 2; ++a)                        /* parallel edges */
                x[4 * l + 3][a] = x[4 * l + 2][a] + 0.7 * (x[4 * l + 1][a] - x[4 * l][a]);
            for (int i = 0; i < 4 && trial % 5 == 3; ++i) x[4 * l + i][2] = 0; /* all in one plane */
        }
        for (int isa = 0; isa < 3; ++isa) {
            sn_context_options options = sn_context_options_default();
            sn_context *context = NULL;
            static const char *const name[] = {"baseline", "avx2", "avx512"};
            options.simd = name[isa], options.threads = 1;
            if (sn_context_create(&options, &context, NULL)) continue;
            sn_closest_kernels_for(context)->squares(x[0], corner[0], kind, square[builds++]);
            sn_context_destroy(context);
        }
        for (int l = 0; l < 8; ++l) {
            const double exact = distance(kind, x + 4 * l);
            assert_true(fabs(sqrt(square[0][l]) - exact) < 1e-7);
            for (int i = 1; i < builds; ++i) assert_true(square[i][l] == square[0][l]);
        }
    }
}

/* The distance that the corners of a pair can lose on their ways, less their common motion. */
static double approach(int kind, double from[4][3], double to[4][3]) {
    double most[2] = {0, 0}, mean[3];
    for (int a = 0; a < 3; ++a) {
        mean[a] = 0;
        for (int i = 0; i < 4; ++i) mean[a] += 0.25 * (to[i][a] - from[i][a]);
    }
    for (int i = 0; i < 4; ++i) {
        double way[3];
        for (int a = 0; a < 3; ++a) way[a] = to[i][a] - from[i][a] - mean[a];
        most[i > kind] = fmax(most[i > kind], sn_norm3(way));
    }
    return most[0] + most[1];
}

/* The pairs that can meet on their ways, and the boxes of edges and triangles that touch: each kernel against a scalar
 * answer. */
static void test_kernels_of_lists(void **state) {
    (void)state;
    static const char *const name[] = {"baseline", "avx2", "avx512"};
    int met = 0, apart = 0, near = 0, far = 0;
    for (int isa = 0; isa < 3; ++isa) {
        sn_context_options options = sn_context_options_default();
        sn_context *context = NULL;
        options.simd = name[isa], options.threads = 1;
        if (sn_context_create(&options, &context, NULL)) continue;
        for (int trial = 0; trial < 400; ++trial) {
            double from[40][3], to[40][3];
            int32_t corner[5][8];
            const int kind = trial % 2;
            const bool moves = trial % 3 > 0;
            for (int i = 0; i < 120; ++i) {
                from[i / 3][i % 3] = 2 * random_unit() - 1;
                to[i / 3][i % 3] = from[i / 3][i % 3] + 0.2 * random_unit() + 3;
            }
            for (int i = 0; i < 40; ++i) corner[i / 8][i % 8] = 5 * (i % 8) + i / 8;
            const unsigned meets =
                sn_closest_kernels_for(context)->meets(from[0], moves ? to[0] : NULL, corner[0], kind, 0.3);
            const unsigned boxes = sn_closest_kernels_for(context)->overlap(from[0], corner[0]);
            for (int l = 0; l < 8; ++l) {
                double(*x)[3] = from + 5 * l;
                const double room = 0.3 + (moves ? approach(kind, x, to + 5 * l) : 0) - distance(kind, from + 5 * l);
                if (fabs(room) > 1e-6) assert_int_equal(meets >> l & 1, room > 0);
                *(room > 0 ? &met : &apart) += 1;
                bool touch = true;
                for (int a = 0; a < 3; ++a)
                    touch = touch && fmax(x[0][a], x[1][a]) >= fmin(fmin(x[2][a], x[3][a]), x[4][a]) &&
                            fmin(x[0][a], x[1][a]) <= fmax(fmax(x[2][a], x[3][a]), x[4][a]);
                assert_int_equal(boxes >> l & 1, touch);
                *(touch ? &near : &far) += 1;
            }
        }
        sn_context_destroy(context);
    }
    assert_true(met > 100 && apart > 100 && near > 100 && far > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_is_the_smallest),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_mollifier_derivative),
        cmocka_unit_test(test_continuous),
        cmocka_unit_test(test_no_tunnel),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_kernels_of_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
