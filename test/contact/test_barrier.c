/* The barrier of the response "exact": forces against differences of the energy, the limit of motions, lists of pairs
 * that are made for different tubes, and starts that intersect. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/barrier.h"
#include "failing_allocator.h"
#include "touch_bodies.h"

static uint64_t seed;
static double random_unit(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

static bool others(const void *user, int a, int b) {
    (void)user;
    return a != b;
}
static bool every(const void *user, int a, int b) {
    (void)user, (void)a, (void)b;
    return true;
}

/* Two bodies of the size 2: a box, and a box or a ball above it. Each vertex is a node. */
typedef struct pair {
    sn_context *context;
    sn_touch_surface *surface[2];
    int nodes;
    double *x;
    sn_barrier barrier;
} pair;

static void pair_of(pair *p, sn_context *context, touch_shape low, touch_shape high, const double thickness[2],
                    double gap, bool self) {
    const int first = low.vertex_count;
    *p = (pair){.context = context, .nodes = first + high.vertex_count};
    p->x = malloc(3 * (size_t)p->nodes * sizeof *p->x);
    memcpy(p->x, low.position, 3 * (size_t)first * sizeof *p->x);
    memcpy(p->x + 3 * first, high.position, 3 * (size_t)high.vertex_count * sizeof *p->x);
    p->surface[0] = touch_surface(context, low, 0, 0);
    p->surface[1] = touch_surface(context, high, 1, first);
    for (int i = 0; i < 2; ++i) p->surface[i]->thickness = thickness[i];
    assert_int_equal(sn_barrier_create(context, p->surface, 2, self ? every : others, NULL, gap, &p->barrier, NULL),
                     SN_OK);
    p->barrier.stiffness[0] = 1e5, p->barrier.stiffness[1] = 3e5;
}

static void pair_start(pair *p, sn_context *context, touch_shape high, double gap, bool self) {
    pair_of(p, context, touch_cube(3), high, (const double[2]){0, 0}, gap, self);
}

static void pair_end(pair *p) {
    sn_barrier_release(&p->barrier);
    for (int i = 0; i < 2; ++i) sn_touch_surface_destroy(p->surface[i]);
    free(p->x);
}

static touch_shape placed(touch_shape shape, double x, double y, double z) {
    touch_shape_place(&shape, 1, 1, 1, x, y, z);
    return shape;
}

static double energy_at(pair *p) {
    assert_int_equal(sn_barrier_visit(&p->barrier, p->x, NULL), SN_OK);
    return sn_barrier_energy(&p->barrier);
}

static void test_function(void **state) {
    (void)state;
    for (double y = 0.05; y < 1.2; y += 0.05) {
        double b[3], low[3], high[3];
        const double e = 1e-6;
        sn_barrier_function(y, b), sn_barrier_function(y - e, low), sn_barrier_function(y + e, high);
        assert_true(fabs((high[0] - low[0]) / (2 * e) - b[1]) < 1e-6 * (1 + fabs(b[1])));
        assert_true(fabs((high[1] - low[1]) / (2 * e) - b[2]) < 1e-5 * (1 + fabs(b[2])));
        assert_true(b[0] >= 0 && b[1] <= 0 && b[2] >= 0);
    }
    double b[3];
    sn_barrier_function(0, b);
    assert_true(isinf(b[0]) && b[0] > 0);
}

/* Forces are minus the gradient of the energy, and have neither a sum nor a torque. */
static void check_forces(pair *p, int rows) {
    double *f = calloc(3 * (size_t)p->nodes, sizeof *f), sum[3] = {0}, torque[3] = {0}, most = 0;
    assert_true(energy_at(p) > 0);
    assert_true(p->barrier.rows.count >= rows);
    sn_barrier_force(&p->barrier, f);
    for (int i = 0; i < 3 * p->nodes; ++i) {
        const double e = 1e-4 * p->barrier.reach, before = p->x[i];
        p->x[i] = before + e;
        const double above = energy_at(p);
        p->x[i] = before - e;
        const double below = energy_at(p);
        p->x[i] = before;
        most = fmax(most, fabs(f[i]));
        if (!(fabs((above - below) / (2 * e) + f[i]) <= 1e-4 * (1 + most)))
            print_message("%d: force %g, difference %g\n", i, f[i], -(above - below) / (2 * e));
        assert_true(fabs((above - below) / (2 * e) + f[i]) <= 1e-4 * (1 + most));
    }
    for (int i = 0; i < p->nodes; ++i)
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            sum[a] += f[3 * i + a];
            torque[a] += p->x[3 * i + b] * f[3 * i + c] - p->x[3 * i + c] * f[3 * i + b];
        }
    for (int a = 0; a < 3; ++a) assert_true(fabs(sum[a]) < 1e-10 * most && fabs(torque[a]) < 1e-9 * most);
    free(f);
}

/* Faces on each other: vertices, edges, crossing and nearly parallel ones, all at once. */
static void test_forces(void **state) {
    (void)state;
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    for (int trial = 0; trial < 3; ++trial) {
        pair p;
        seed = (uint64_t)trial + 1;
        const double gap = trial == 2 ? 0.02 : 0;
        pair_start(&p, context, placed(touch_cube(2), 0.1 * trial, -0.13, 2), gap, false);
        for (int i = 0; i < 3 * p.nodes; ++i) p.x[i] += 0.02 * p.barrier.reach * random_unit();
        for (int i = p.nodes - 26; i < p.nodes; ++i) p.x[3 * i + 2] += gap + 0.5 * p.barrier.reach;
        check_forces(&p, 21);
        pair_end(&p);
    }
    sn_context_destroy(context);
}

/* The same for cloth: a sheet on a box, on a sheet of another thickness, and one that is folded onto itself and has
 * triangles that are smaller than its thickness. */
static void test_forces_of_cloth(void **state) {
    (void)state;
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    for (int trial = 0; trial < 3; ++trial) {
        pair p;
        seed = (uint64_t)trial + 7;
        const double thickness[2] = {trial == 0 ? 0 : 0.04, trial == 2 ? 0.9 : 0.06},
                     apart = 0.01 + 0.5 * (thickness[0] + thickness[1]), low = trial == 0 ? 1 : 0;
        touch_shape sheet = touch_sheet(3);
        pair_of(&p, context, trial == 0 ? touch_cube(2) : touch_sheet(2), placed(sheet, 0.1, -0.13, low), thickness,
                0.01, trial == 2);
        const int first = p.nodes - 16;
        for (int i = 0; i < 3 * p.nodes; ++i) p.x[i] += 0.02 * p.barrier.reach * random_unit();
        for (int i = first; i < p.nodes; ++i) p.x[3 * i + 2] += trial == 2 ? 5 : apart + 0.5 * p.barrier.reach;
        for (int i = first + 8; i < p.nodes && trial == 2; ++i) { /* fold the second half over the first one */
            p.x[3 * i] = 0.2 - p.x[3 * i];
            p.x[3 * i + 2] += p.barrier.near.gap_most + 0.4 * p.barrier.reach;
        }
        check_forces(&p, trial == 2 ? 5 : 40);
        for (int i = 0; i < p.barrier.rows.count; ++i) {
            const sn_touch_row *row = &p.barrier.rows.row[i];
            if (trial < 2) assert_true(fabs(row->gap - 0.5 * p.barrier.reach) < 0.1 * p.barrier.reach);
        }
        pair_end(&p);
    }
    sn_context_destroy(context);
}

/* At rest a cloth does not push itself, however thick it is, and its pairs keep at most half of their distance. */
static void test_cloth_at_rest(void **state) {
    (void)state;
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    for (double thickness = 0.001; thickness < 3; thickness *= 3) {
        pair p;
        pair_of(&p, context, touch_sheet(5), placed(touch_sheet(4), 0, 0, 9), (const double[2]){thickness, 0}, 0, true);
        assert_true(energy_at(&p) == 0);
        assert_int_equal(p.barrier.rows.count, 0);
        for (int i = 0; i < p.barrier.near.count; ++i) {
            const sn_near_pair *pair = &p.barrier.near.pair[i];
            int32_t corner[4];
            const double *x[4];
            sn_closest c;
            sn_near_corners(&p.barrier.near, pair, corner);
            sn_near_places(corner, p.barrier.near.surface->rest, x);
            sn_near_closest(pair, x, &c);
            assert_true(pair->gap <= thickness && pair->gap <= 0.5 * sqrt(c.square));
        }
        pair_end(&p);
    }
    sn_context_destroy(context);
}

/* Single nodes stop: what runs into the box stops or slides, the rest goes its way, and all is safe afterwards. */
static void test_stop(void **state) {
    (void)state;
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    for (int trial = 0; trial < 3; ++trial) {
        pair p;
        bool cut, safe;
        double part;
        pair_of(&p, context, touch_cube(3), placed(touch_sheet(8), 0.7, 0.1, 1.3), (const double[2]){0, 0.02}, 0, true);
        const int first = p.nodes - 81;
        double *d = calloc(3 * (size_t)p.nodes, sizeof *d), *was = calloc(3 * (size_t)p.nodes, sizeof *d);
        for (int i = first; i < p.nodes; ++i) {
            d[3 * i] = trial == 1 ? 0.05 : 0, d[3 * i + 2] = trial == 2 ? 0.3 : -0.6;
        }
        memcpy(was, d, 3 * (size_t)p.nodes * sizeof *d);
        assert_int_equal(sn_barrier_stop(&p.barrier, p.x, p.nodes, &(sn_filter){0}, d, &cut, &safe, NULL), SN_OK);
        assert_true(safe && cut == (trial < 2));
        assert_int_equal(sn_barrier_limit(&p.barrier, p.x, d, &part, NULL), SN_OK);
        assert_true(part == 1);
        for (int i = 0; i < p.nodes; ++i) {
            const double *x = p.x + 3 * i, *e = d + 3 * i;
            if (i < first || trial == 2 || x[0] > 1.3) /* the box, a way up, and what is far beside the box */
                assert_memory_equal(e, was + 3 * i, 3 * sizeof *e);
            else if (x[0] < 0.9 && fabs(x[1]) < 0.9) /* above the box */
                assert_true(x[2] + e[2] > 1.01 && x[2] + e[2] < 1.05 && fabs(e[0] - was[3 * i]) < 1e-6);
        }
        free(d), free(was);
        pair_end(&p);
    }
    sn_context_destroy(context);
}

/* A motion into the other body stops before it, however long it is; a motion away is free. */
static void test_limit(void **state) {
    (void)state;
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    pair p;
    pair_start(&p, context, placed(touch_ball(4), 0.2, 0.3, 3), 0, false);
    double *d = calloc(3 * (size_t)p.nodes, sizeof *d), part;
    const double start = 1; /* between the top of the box and the bottom of the ball */
    for (double far = 0.5; far < 1e4; far *= 7) {
        for (int i = 0; i < p.nodes; ++i) d[3 * i + 2] = i < p.nodes - 98 ? 0.5 * far : -0.5 * far;
        assert_int_equal(sn_barrier_limit(&p.barrier, p.x, d, &part, NULL), SN_OK);
        if (far < 0.9)
            assert_true(part == 1);
        else
            assert_true(part * far < start && part * far > 0.9 * start);
        for (int i = 0; i < 3 * p.nodes; ++i) d[i] = -d[i];
        assert_int_equal(sn_barrier_limit(&p.barrier, p.x, d, &part, NULL), SN_OK);
        assert_true(part == 1);
    }
    free(d);
    pair_end(&p);
    sn_context_destroy(context);
}

/* Rows, in order, do not depend on the place for which the list of pairs was made. */
static void test_same_rows_for_any_tube(void **state) {
    (void)state;
    pair p[2];
    for (int i = 0; i < 2; ++i) {
        sn_context *context;
        sn_context_options o = sn_context_options_default();
        o.threads = 1 + 2 * i;
        assert_int_equal(sn_context_create(&o, &context, NULL), SN_OK);
        pair_start(&p[i], context, placed(touch_cube(4), 0.1, 0.2, 2), 0, true);
        for (int n = 0; n < 3 * p[i].nodes; ++n)
            if (n % 3 == 2 && n >= 3 * 56) p[i].x[n] += 0.5 * p[i].barrier.reach;
    }
    double *d = calloc(3 * (size_t)p[1].nodes, sizeof *d), part;
    for (int i = 56; i < p[1].nodes; ++i) d[3 * i] = 0.3;                             /* one body slides on the other */
    assert_int_equal(sn_barrier_limit(&p[1].barrier, p[1].x, d, &part, NULL), SN_OK); /* a long tube */
    for (int i = 0; i < 2; ++i) assert_int_equal(sn_barrier_visit(&p[i].barrier, p[i].x, NULL), SN_OK);
    assert_true(p[0].barrier.near.count < p[1].barrier.near.count);
    assert_true(p[0].barrier.rows.count > 20);
    assert_int_equal(p[0].barrier.rows.count, p[1].barrier.rows.count);
    for (int i = 0; i < p[0].barrier.rows.count; ++i) {
        const sn_touch_row *a = &p[0].barrier.rows.row[i], *b = &p[1].barrier.rows.row[i];
        assert_memory_equal(a->feature, b->feature, sizeof a->feature);
        assert_memory_equal(a->n, b->n, sizeof a->n);
        assert_true(p[0].barrier.touch[i].push == p[1].barrier.touch[i].push);
    }
    free(d);
    for (int i = 0; i < 2; ++i) {
        pair_end(&p[i]);
        sn_context_destroy(p[i].context);
    }
}

/* Among thousands of triangles near each other, one vertex of the upper box that goes into the lower one is found, on
 * any number of threads. */
static void test_one_intersection_is_found(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; ++threads) {
        sn_context_options options = sn_context_options_default();
        options.threads = threads;
        sn_context *context;
        assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
        pair p;
        int32_t found[3][2];
        pair_of(&p, context, touch_cube(20), placed(touch_cube(20), 0.02, 0.03, 2.003), (const double[2]){0, 0}, 0,
                true);
        for (int i = p.nodes / 2, tried = 0; i < p.nodes && tried < 8; i += 7) {
            double *x = p.x + 3 * i;
            if (x[2] > 1.01) continue; /* not on the lower side */
            const double before = x[2];
            for (int deep = 0; deep < 2; ++deep) {
                int count;
                x[2] = before - 0.01 * deep;
                assert_int_equal(sn_barrier_intersect(&p.barrier, p.x, found, 3, &count, NULL), SN_OK);
                assert_int_equal(count, deep);
                if (deep) assert_true(found[0][0] == 0 && found[0][1] == 1);
            }
            assert_true(p.barrier.near.boxes.count > 5000);
            x[2] = before, ++tried;
        }
        pair_end(&p);
        sn_context_destroy(context);
    }
}

static void test_intersections_are_found(void **state) {
    (void)state;
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    for (int deep = 0; deep < 2; ++deep) {
        pair p;
        int32_t found[2][2];
        int count;
        pair_start(&p, context, placed(touch_ball(3), 0.1, 0.2, deep ? 1.7 : 2.1), 0, true);
        assert_int_equal(sn_barrier_intersect(&p.barrier, p.x, found, 2, &count, NULL), SN_OK);
        assert_int_equal(count, deep);
        if (deep) assert_true(found[0][0] == 0 && found[0][1] == 1);
        pair_end(&p);
    }
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_function),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_forces_of_cloth),
        cmocka_unit_test(test_cloth_at_rest),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_same_rows_for_any_tube),
        cmocka_unit_test(test_one_intersection_is_found),
        cmocka_unit_test(test_intersections_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
