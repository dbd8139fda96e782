/* Contact determination: known overlaps, brute force, bodies inside bodies, complex regions, sheets, ties,
 * self-contact, threads, memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../failing_allocator.h"
#include "base/math3.h"
#include "contact/box_tree_query.h"
#include "contact/determination_inside.h"
#include "contact/touch_cut.h"
#include "touch_bodies.h"

static sn_context *context;

/* Surfaces, all pairs of which may touch, their finder and its rows. */
enum { MOST = 4 };
typedef struct scene {
    int count;
    sn_touch_surface *surface[MOST];
    sn_touch_finder *finder;
    sn_touch_rows rows;
    sn_touch_counts counts;
} scene;

static scene scene_of(sn_context *own, const touch_shape *shape, int count, bool self) {
    scene s = {.count = count, .rows = {.context = own}};
    sn_touch_pair pair[MOST * MOST];
    int pairs = 0;
    for (int i = 0; i < count; ++i) {
        s.surface[i] = touch_surface(own, shape[i], i, 100000 * i);
        assert_non_null(s.surface[i]);
        for (int j = 0; j <= i; ++j)
            if (i != j || self) pair[pairs++] = (sn_touch_pair){j, i};
    }
    assert_int_equal(sn_touch_finder_create(own, s.surface, count, pair, pairs, &s.finder, NULL), SN_OK);
    return s;
}

/* What holds for every row: finite, a unit normal, the gap between the two points. A row of the last fallback has one
 * point on both surfaces; its depth is that of a corner. */
static void check_rows(const scene *s) {
    for (int i = 0; i < s->rows.count; ++i) {
        const sn_touch_row *row = &s->rows.row[i];
        if (!isfinite(row->gap) || !(row->area > 0))
            print_message("row %d: gap %g area %g n %g %g %g at %g %g %g feature %d %d\n", i, row->gap, row->area,
                          row->n[0], row->n[1], row->n[2], row->point[0], row->point[1], row->point[2], row->feature[0],
                          row->feature[1]);
        assert_true(isfinite(row->gap) && row->area > 0 && row->area < 1e6);
        assert_true(fabs(sn_norm3(row->n) - 1) < 1e-12);
        double sum = 0, apart[3] = {0, 0, 0};
        for (int k = row->first; k < row->first + row->count; ++k) {
            const int32_t node = s->rows.node[k];
            const sn_touch_surface *carrier = s->surface[node / 100000];
            sum += s->rows.weight[k];
            for (int c = 0; c < 3; ++c) apart[c] += s->rows.weight[k] * carrier->position[3 * (node % 100000) + c];
        }
        assert_true(fabs(sum) < 1e-12); /* as much on A as on B */
        const bool crossing = row->feature[1] == -1;
        if (crossing) assert_true(sn_norm3(apart) < 1e-9);
        if (!crossing) assert_true(fabs(sn_dot3(apart, row->n) - row->gap) < 1e-9);
        for (int k = 0; k < i && s->rows.count < 500; ++k) /* features tell contacts apart */
            assert_true(row->a != s->rows.row[k].a || row->b != s->rows.row[k].b ||
                        row->feature[0] != s->rows.row[k].feature[0] || row->feature[1] != s->rows.row[k].feature[1]);
    }
}

static void determine(scene *s) {
    sn_error error = {0};
    if (sn_touch_determine(s->finder, &s->rows, &error)) fail_msg("%s", error.text);
    s->counts = *sn_touch_finder_counts(s->finder);
    assert_int_equal(s->counts.rows, s->rows.count);
}

static void release(scene *s) {
    sn_touch_rows_release(&s->rows);
    sn_touch_finder_destroy(s->finder);
    for (int i = 0; i < s->count; ++i) sn_touch_surface_destroy(s->surface[i]);
}

static touch_shape placed(touch_shape shape, double scale, double x, double y, double z) {
    touch_shape_place(&shape, scale, scale, scale, x, y, z);
    return shape;
}

static double area_of(const scene *s) {
    double sum = 0;
    for (int i = 0; i < s->rows.count; ++i) sum += s->rows.row[i].area;
    return sum;
}

/* ---- Known overlaps ---- */

/* A box that dips 0.05 into another one: every row has this depth and the normal of the face. The areas are exact. */
static void test_boxes(void **state) {
    (void)state;
    for (int n = 1; n < 6; ++n) {
        touch_shape shape[2] = {touch_cube(3), touch_cube(n)};
        touch_shape_place(&shape[0], 0.5, 0.4, 0.5, 0.1, 0.05, 1.45);
        scene s = scene_of(context, shape, 2, false);
        determine(&s);
        assert_int_equal(s.counts.curves, 1);
        assert_int_equal(s.counts.regions, 1);
        assert_int_equal(s.counts.complex, 0);
        check_rows(&s);
        assert_true(s.rows.count > 10);
        for (int i = 0; i < s.rows.count; ++i) {
            const sn_touch_row *row = &s.rows.row[i];
            assert_true(fabs(row->n[2] - 1) < 1e-14);
            assert_true(fabs(row->gap + 0.05) < 1e-14);
            assert_int_equal(row->kind, SN_TOUCH_REGION);
        }
        assert_true(fabs(area_of(&s) - 0.8) < 1e-12); /* half of the bottom of A, half of the same part of B's top */
        release(&s);
    }
}

/* Two unit balls at distance d: the normal joins the centres, the depth is 2 - d, the cap has the area 2 pi (1 - d /
 * 2). */
static void test_balls(void **state) {
    (void)state;
    const double c[3] = {0.1, 0.2, 1.8}, d = sqrt(0.01 + 0.04 + 3.24);
    scene s = scene_of(context, (touch_shape[]){placed(touch_ball(40), 1, c[0], c[1], c[2]), touch_ball(40)}, 2, false);
    determine(&s);
    check_rows(&s);
    double deepest = 0;
    for (int i = 0; i < s.rows.count; ++i) {
        for (int k = 0; k < 3; ++k) assert_true(fabs(s.rows.row[i].n[k] - c[k] / d) < 2e-3);
        deepest = fmin(deepest, s.rows.row[i].gap);
    }
    assert_true(fabs(deepest + 2 - d) < 2e-3);
    assert_true(fabs(area_of(&s) / (6.283185307179586 * (1 - d / 2)) - 1) < 0.01);
    release(&s);
}

/* A pyramid whose tip dents the inside of one large triangle: only the island rule sees that its corners are outside.
 */
static void test_dent(void **state) {
    (void)state;
    for (int order = 0; order < 2; ++order) {
        touch_shape tip = touch_cube(1), floor = placed(touch_cube(1), 10, 0, 0, -10);
        for (int i = 0; i < tip.vertex_count; ++i) { /* the bottom shrinks to the size 0.02 */
            double *x = &tip.position[3 * i];
            if (x[2] < 0) x[0] *= 0.01, x[1] *= 0.01;
            x[0] += 3, x[1] -= 2, x[2] += 0.9; /* the bottom is at -0.1 */
        }
        scene s = scene_of(context, (touch_shape[]){order ? floor : tip, order ? tip : floor}, 2, false);
        determine(&s);
        check_rows(&s);
        assert_int_equal(s.counts.curves, 1);
        assert_int_equal(s.counts.interior, 2); /* the bottom of the tip; a flood of the floor would give 10 or more */
        for (int i = 0; i < s.rows.count; ++i) {
            assert_true(fabs(s.rows.row[i].n[2] - (order ? -1 : 1)) < 1e-9);
            assert_true(s.rows.row[i].gap >= -0.1 - 1e-9 && s.rows.row[i].gap <= 1e-9);
        }
        assert_true(s.rows.count >= 3 && area_of(&s) < 0.05);
        release(&s);
    }
}

/* ---- Brute force ---- */

static uint64_t seed = 7;
static double uniform(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) / 4503599627370496.0 - 1;
}

/* Cuts by all pairs of triangles. Triangles without cuts: inside when their centre is. */
static void count_by_force(const scene *s, int *cuts, int *inside) {
    bool *crossed[2];
    *cuts = *inside = 0;
    for (int i = 0; i < 2; ++i) crossed[i] = calloc((size_t)s->surface[i]->triangle_count, 1);
    for (int i = 0; i < s->surface[0]->triangle_count; ++i)
        for (int j = 0; j < s->surface[1]->triangle_count; ++j) {
            sn_touch_cut cut;
            if (!sn_touch_cut_triangles(s->surface[0], i, s->surface[1], j, &cut)) continue;
            ++*cuts, crossed[0][i] = crossed[1][j] = true;
        }
    for (int i = 0; i < 2; ++i) {
        const sn_touch_surface *own = s->surface[i], *other = s->surface[1 - i];
        sn_box_tree *tree = NULL;
        assert_int_equal(sn_box_tree_create(context, other->position, other->vertex_count, other->triangle,
                                            other->triangle_count, &tree, NULL),
                         SN_OK);
        sn_box_tree_refit(tree, other->position, NULL, 0);
        for (int t = 0; t < own->triangle_count; ++t) {
            double centre[3] = {0, 0, 0};
            for (int k = 0; k < 9; ++k) centre[k % 3] += own->position[3 * own->triangle[3 * t + k / 3] + k % 3] / 3;
            const sn_box_surface boxes = {tree, other->position, other->triangle};
            *inside += !crossed[i][t] && sn_box_tree_holds(&boxes, centre);
        }
        sn_box_tree_destroy(tree);
        free(crossed[i]);
    }
}

static void test_brute_force(void **state) {
    (void)state;
    int total = 0;
    for (int trial = 0; trial < 40; ++trial) {
        touch_shape shape[2] = {touch_ball(9), trial % 2 ? touch_cube(8) : touch_ball(7)};
        const double bumps = 0.3 * uniform(), x = uniform(), y = uniform(), z = uniform();
        for (int i = 0; i < 2; ++i)
            for (int v = 0; v < shape[i].vertex_count; ++v) { /* radial bumps: the surface does not meet itself */
                double *p = &shape[i].position[3 * v];
                const double r = 1 + bumps * sin(4 * p[0] + i) * cos(5 * p[1]) + 0.02 * sin(31 * v);
                for (int k = 0; k < 3; ++k) p[k] *= r;
            }
        touch_shape_place(&shape[1], 1, 0.7, 0.8, x, y, z);
        scene s = scene_of(context, shape, 2, false);
        determine(&s);
        check_rows(&s);
        int cuts, inside;
        count_by_force(&s, &cuts, &inside);
        assert_int_equal(s.counts.intersecting, cuts);
        assert_int_equal(s.counts.interior, inside);
        assert_int_equal(s.counts.open_curves, 0);
        assert_true(cuts == 0 || s.rows.count > 0);
        total += cuts;
        release(&s);
    }
    assert_true(total > 5000);
}

/* ---- Bodies inside bodies, complex regions, sheets ---- */

static void test_contained(void **state) {
    (void)state;
    for (int order = 0; order < 2; ++order) {
        touch_shape small = placed(touch_cube(2), 0.1, 0.7, 0.1, 0), large = touch_cube(3);
        scene s = scene_of(context, (touch_shape[]){order ? large : small, order ? small : large}, 2, false);
        determine(&s);
        check_rows(&s);
        assert_int_equal(s.counts.contained, 1);
        assert_int_equal(s.counts.interior, 48);
        assert_true(s.rows.count > 0);
        for (int i = 0; i < s.rows.count; ++i) { /* out along x; the far side of the small box is 0.4 deep */
            assert_true(fabs(s.rows.row[i].n[0] - (order ? -1 : 1)) < 1e-12);
            assert_true(fabs(s.rows.row[i].gap + 0.4) < 1e-12);
        }
        release(&s);
        scene apart = scene_of(context, (touch_shape[]){touch_cube(2), placed(touch_cube(2), 1, 1.9, 1.9, 2.1)}, 2, 0);
        determine(&apart);
        assert_int_equal(apart.rows.count, 0);
        release(&apart);
    }
}

/* A rod through a plate has two curves with opposite vector areas: no simple normal, but rows. The coarse rod has no
 * vertex inside the plate. The sides of the wedge are not quite opposite: the vector areas add up to something, but
 * disagree. */
static void test_rod(void **state) {
    (void)state;
    for (int trial = 0; trial < 3; ++trial) {
        touch_shape shape[2] = {touch_cube(trial == 1 ? 1 : 4), touch_cube(5)};
        touch_shape_place(&shape[0], 0.2, 0.2, 2, 0.05, 0.02, 0.1);
        touch_shape_place(&shape[1], 1, 1, 0.3, 0, 0, 0);
        for (int i = 0; i < shape[1].vertex_count && trial == 2; ++i)
            shape[1].position[3 * i + 2] *= 1 + 0.8 * shape[1].position[3 * i];
        scene s = scene_of(context, shape, 2, false);
        determine(&s);
        check_rows(&s);
        assert_int_equal(s.counts.curves, 2);
        assert_int_equal(s.counts.regions, 1);
        assert_int_equal(s.counts.complex, 1);
        assert_true(s.rows.count > 8);
        for (int i = 0; i < s.rows.count; ++i) assert_true(s.rows.row[i].gap <= 0);
        release(&s);
    }
}

/* A ball in a clasp, a bar that is bent around three quarters of it: one curve, whose vector area fits no point. Each
 * row has the normal of its place, and its depth is that of the gap. */
static void test_clasp(void **state) {
    (void)state;
    touch_shape shape[2] = {touch_cube(24), touch_ball(12)};
    for (int i = 0; i < shape[0].vertex_count; ++i) {
        double *x = &shape[0].position[3 * i];
        const double angle = -2.4 * x[0], radius = 1 + 0.3 * x[1], z = 0.3 * x[2];
        x[0] = radius * cos(angle), x[1] = radius * sin(angle), x[2] = z;
    }
    touch_shape_place(&shape[1], 0.76, 0.76, 0.76, 0.003, 0.002, 0.001);
    scene s = scene_of(context, shape, 2, false);
    determine(&s);
    check_rows(&s);
    assert_int_equal(s.counts.regions, 1);
    assert_int_equal(s.counts.complex, 1);
    assert_true(s.rows.count > 100);
    for (int i = 0; i < s.rows.count; ++i) {
        const sn_touch_row *row = &s.rows.row[i];
        const double outwards = sn_dot3(row->n, row->point) / sn_norm3(row->point);
        assert_true(row->gap <= 0 && row->gap > -0.1);
        /* Beside the end faces of the bar (angles of 2.4) and its sides (z of 0.3) the nearest way out is over these.
         */
        const bool inner = fabs(atan2(row->point[1], row->point[0])) < 2.3 && fabs(row->point[2]) < 0.25;
        assert_true(!inner || outwards > 0.7);
    }
    release(&s);
}

/* A long beam on a slab is long but not bent, two cubes far inside each other are bent but not long: one normal. */
static void test_long_and_deep(void **state) {
    (void)state;
    for (int deep = 0; deep < 2; ++deep) {
        touch_shape shape[2] = {touch_cube(6), touch_cube(7)};
        touch_shape_place(&shape[0], deep ? 1 : 3, deep ? 1 : 0.1, deep ? 1 : 0.1, 0.01, 0.02, deep ? 0.8 : 0.35);
        touch_shape_place(&shape[1], deep ? 1.1 : 4, deep ? 1.1 : 1, deep ? 1 : 0.3, 0, 0, 0);
        scene s = scene_of(context, shape, 2, false);
        determine(&s);
        check_rows(&s);
        assert_int_equal(s.counts.regions, 1);
        assert_int_equal(s.counts.complex, 0);
        for (int i = 0; i < s.rows.count; ++i) assert_true(s.rows.row[i].n[2] > 0.999);
        release(&s);
    }
}

/* A slab inside a box whose top has a deep pit. The pit goes through the slab: two holes in large triangles, whose
 * corners are inside. */
static void test_pit(void **state) {
    (void)state;
    touch_shape slab = touch_cube(1), box = touch_cube(8);
    touch_shape_place(&slab, 0.7, 0.7, 0.05, 0, 0, 0);
    for (int i = 0; i < box.vertex_count; ++i) {
        double *x = &box.position[3 * i];
        if (x[0] == 0.25 && x[1] == -0.25 && x[2] == 1) x[2] = -0.5;
    }
    scene s = scene_of(context, (touch_shape[]){slab, box}, 2, false);
    determine(&s);
    check_rows(&s);
    assert_int_equal(s.counts.curves, 2);
    assert_int_equal(s.counts.regions, 1);
    assert_int_equal(s.counts.interior, 10); /* all triangles of the slab but two */
    double area = 0;                         /* the whole slab has 4.48; the holes are small */
    const sn_touch_flood *flood = &s.finder->surface[0].flood;
    for (int i = 0; i < flood->spot_count; ++i) area += flood->spot[i].area;
    assert_true(area > 4.4 && area < 4.48);
    assert_true(s.rows.count > 0);
    release(&s);
}

static void test_sheets(void **state) {
    (void)state;
    /* A sheet just under the top of a box: its rim is outside, or inside. */
    for (int rim = 0; rim < 2; ++rim) {
        touch_shape sheet = touch_sheet(8);
        touch_shape_place(&sheet, rim ? 0.5 : 2, rim ? 0.5 : 2, 1, rim ? 0.9 : 0, 0.03, 0.93);
        scene s = scene_of(context, (touch_shape[]){sheet, touch_cube(4)}, 2, false);
        determine(&s);
        check_rows(&s);
        assert_int_equal(s.counts.curves, 1);
        assert_int_equal(s.counts.open_curves, rim);
        assert_true(s.rows.count > 0);
        release(&s);
    }
    /* Two sheets that cross. */
    touch_shape upright = touch_sheet(5);
    for (int i = 0; i < upright.vertex_count; ++i) {
        double *x = &upright.position[3 * i];
        x[2] = x[0], x[0] = 0.05, x[1] *= 0.7;
    }
    scene s = scene_of(context, (touch_shape[]){touch_sheet(6), upright}, 2, false);
    determine(&s);
    check_rows(&s);
    assert_int_equal(s.counts.open_curves, 1);
    assert_true(s.rows.count > 5);
    release(&s);
}

/* ---- Ties ---- */

/* Boxes that touch with whole faces, edges or corners, and equal boxes: all rows are finite, and no deeper than 0 when
 * the boxes do not overlap. */
static void test_ties(void **state) {
    (void)state;
    for (int way = 0; way < 27; ++way) {
        const double x = way % 3 - 1, y = way / 3 % 3 - 1, z = way / 9 - 1;
        for (int step = 1; step < 3; ++step) {
            scene s = scene_of(context,
                               (touch_shape[]){touch_cube(3), placed(touch_cube(2), 1, step * x, step * y, step * z)},
                               2, false);
            determine(&s);
            check_rows(&s);
            assert_int_equal(s.counts.open_curves, 0);
            if (step == 2 && way != 13)
                for (int i = 0; i < s.rows.count; ++i) assert_true(s.rows.row[i].gap >= -1e-12);
            if (step == 1) assert_true(s.rows.count > 0);
            release(&s);
        }
    }
}

/* ---- Self-contact ---- */

/* A bar of length 2 bent to a ring that closes over itself: the last part of it lies in the first part, `shift` higher.
 */
static touch_shape ring(int n, double turns, double shift) {
    touch_shape shape = touch_cube(n);
    for (int i = 0; i < shape.vertex_count; ++i) {
        double *x = &shape.position[3 * i];
        const double angle = 3.14159265358979 * turns * x[0], radius = 1 - 0.1 * x[1] + 0.02 * x[0], z = 0.1 * x[2];
        const double rise = shift * x[0];
        x[0] = radius * cos(angle), x[1] = radius * sin(angle), x[2] = z + rise;
    }
    return shape;
}

static void test_self(void **state) {
    (void)state;
    scene s = scene_of(context, (touch_shape[]){ring(24, 1.07, 0.085)}, 1, true);
    determine(&s);
    check_rows(&s);
    assert_true(s.counts.curves >= 1);
    assert_int_equal(s.counts.open_curves, 0);
    assert_true(s.rows.count > 10);
    double deepest = 0;
    int along = 0;
    for (int i = 0; i < s.rows.count; ++i) {
        deepest = fmin(deepest, s.rows.row[i].gap);
        along += fabs(s.rows.row[i].n[2]) > 0.5;
    }
    assert_true(along * 2 > s.rows.count); /* the parts go apart along z, where they overlap by 0.03 */
    assert_true(deepest < -0.02 && deepest > -0.05);
    release(&s);
    scene open = scene_of(context, (touch_shape[]){ring(24, 0.9, 0)}, 1, true);
    determine(&open);
    assert_int_equal(open.rows.count, 0);
    assert_int_equal(open.counts.intersecting, 0);
    release(&open);
}

/* ---- Rows beyond known ones ---- */

static void three(touch_shape shape[3]) {
    shape[0] = placed(touch_ball(30), 1, 0.9, 0.3, 1.2), shape[1] = touch_ball(25);
    shape[2] = placed(touch_cube(20), 0.7, -0.9, 0.4, 0.8);
}

static bool patch_among(const sn_touch_rows *rows, const sn_touch_row *row) {
    for (int i = 0; i < rows->count; ++i)
        if (rows->row[i].a == row->a && rows->row[i].b == row->b && rows->row[i].feature[0] == row->feature[0])
            return true;
    return false;
}

static void move(const scene *s, int surface, const double way[3]) {
    for (int i = 0; i < 3 * s->surface[surface]->vertex_count; ++i) s->surface[surface]->position[i] += way[i % 3];
}

/* Body 0 moves. The rows beyond those of the old place are the rows of the new place, in their order and bit for bit,
 * without those of known patches. */
static void check_beyond(scene s, const double way[3]) {
    sn_touch_rows beyond = {.context = s.rows.context}, known = beyond;
    determine(&s);
    assert_int_equal(sn_touch_rows_copy(&s.rows, &known, NULL), SN_OK);
    assert_true(known.count > 0);
    move(&s, 0, way);
    assert_int_equal(sn_touch_determine_beyond(s.finder, NULL, NULL, &known, &beyond, NULL), SN_OK);
    determine(&s);
    int found = 0, dropped = 0;
    for (int i = 0; i < s.rows.count; ++i) {
        const sn_touch_row *row = &s.rows.row[i];
        if (patch_among(&known, row) && row->feature[1] >= 0) {
            ++dropped;
            continue;
        }
        assert_true(found < beyond.count);
        const sn_touch_row *other = &beyond.row[found++];
        assert_true(row->a == other->a && row->b == other->b && row->feature[0] == other->feature[0]);
        assert_true(row->gap == other->gap && row->area == other->area);
        assert_memory_equal(row->n, other->n, sizeof row->n);
        assert_memory_equal(row->point, other->point, sizeof row->point);
    }
    assert_int_equal(found, beyond.count);
    assert_true(dropped > 0);
    determine(&s); /* the marks of known patches are gone */
    assert_int_equal(s.rows.count, found + dropped);
    sn_touch_rows_release(&beyond), sn_touch_rows_release(&known);
    release(&s);
}

static void test_beyond(void **state) {
    (void)state;
    touch_shape boxes[2] = {touch_cube(3), touch_cube(5)}, balls[3];
    touch_shape_place(&boxes[0], 0.5, 0.4, 0.5, 0.1, 0.05, 1.45);
    three(balls);
    check_beyond(scene_of(context, boxes, 2, false), (double[3]){0, 0, 0});
    boxes[0] = touch_cube(3), boxes[1] = touch_cube(5);
    touch_shape_place(&boxes[0], 0.5, 0.4, 0.5, 0.1, 0.05, 1.45);
    check_beyond(scene_of(context, boxes, 2, false), (double[3]){0.3, 0.1, -0.02});
    check_beyond(scene_of(context, balls, 3, true), (double[3]){0.05, 0, -0.1});
    touch_shape rod[2] = {touch_cube(4), touch_cube(5)}; /* a region without a simple normal */
    touch_shape_place(&rod[0], 0.2, 0.2, 2, 0.05, 0.02, 0.1);
    touch_shape_place(&rod[1], 1, 1, 0.3, 0, 0, 0);
    check_beyond(scene_of(context, rod, 2, false), (double[3]){0.1, 0, 0.2});
}

/* ---- Threads and memory ---- */

static void test_threads(void **state) {
    (void)state;
    scene s[3];
    sn_context *own[3];
    for (int i = 0; i < 3; ++i) {
        sn_context_options options = sn_context_options_default();
        options.threads = i + 1;
        assert_int_equal(sn_context_create(&options, &own[i], NULL), SN_OK);
        touch_shape shape[3];
        three(shape);
        s[i] = scene_of(own[i], shape, 3, true);
        determine(&s[i]);
        check_rows(&s[i]);
        assert_true(s[i].rows.count > 500);
        assert_int_equal(s[i].rows.count, s[0].rows.count);
        assert_memory_equal(s[i].rows.row, s[0].rows.row, (size_t)s[0].rows.count * sizeof *s[0].rows.row);
        assert_memory_equal(s[i].rows.weight, s[0].rows.weight, (size_t)s[0].rows.carrier_count * sizeof(double));
        determine(&s[i]); /* again, with the scratch of the first time */
        assert_memory_equal(s[i].rows.row, s[0].rows.row, (size_t)s[0].rows.count * sizeof *s[0].rows.row);
    }
    for (int i = 0; i < 3; ++i) release(&s[i]), sn_context_destroy(own[i]);
}

/* Every request that fails gives SN_NO_MEMORY and leaks nothing. After the first call, none is made. */
static void test_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *own = failing_allocator_context(&failing);
    touch_shape shape[3] = {placed(touch_ball(6), 1, 0.9, 0.3, 1.2), touch_ball(5),
                            placed(touch_cube(2), 0.1, 0, 0, 0)};
    sn_touch_surface *surface[3];
    for (int i = 0; i < 3; ++i) surface[i] = touch_surface(own, shape[i], i, 0);
    const sn_touch_pair pair[] = {{0, 1}, {1, 1}, {1, 2}};
    const int64_t before = failing.live;
    int requests = 0;
    for (bool done = false; !done; ++requests) {
        sn_touch_finder *finder = NULL;
        sn_touch_rows rows = {.context = own};
        failing_allocator_arm(&failing, requests + 1);
        sn_status status = sn_touch_finder_create(own, surface, 3, pair, 3, &finder, NULL);
        if (!status) status = sn_touch_determine(finder, &rows, NULL);
        done = !failing.failed;
        assert_int_equal(status, done ? SN_OK : SN_NO_MEMORY);
        failing_allocator_disarm(&failing);
        if (done) {
            const int64_t warm = failing.requests;
            assert_true(rows.count > 20);
            assert_int_equal(sn_touch_determine(finder, &rows, NULL), SN_OK);
            assert_int_equal(failing.requests, warm);
        }
        sn_touch_rows_release(&rows);
        sn_touch_finder_destroy(finder);
        assert_int_equal(failing.live, before);
    }
    assert_true(requests > 60);
    for (int i = 0; i < 3; ++i) sn_touch_surface_destroy(surface[i]);
    sn_context_destroy(own);
}

static int set_up(void **state) {
    (void)state;
    return sn_context_create(NULL, &context, NULL);
}
static int tear_down(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),       cmocka_unit_test(test_balls),         cmocka_unit_test(test_dent),
        cmocka_unit_test(test_brute_force), cmocka_unit_test(test_contained),     cmocka_unit_test(test_rod),
        cmocka_unit_test(test_clasp),       cmocka_unit_test(test_long_and_deep), cmocka_unit_test(test_pit),
        cmocka_unit_test(test_sheets),      cmocka_unit_test(test_ties),          cmocka_unit_test(test_self),
        cmocka_unit_test(test_beyond),      cmocka_unit_test(test_threads),       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
