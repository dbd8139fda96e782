/* Generators: numbering of the box, volumes, quality, closedness, parameters, memory. */
#include <stdio.h>

#include "mesh_test.h"

static const double PI = 3.141592653589793;

static double volume6(const sn_mesh *m, int t) {
    double e[3][3];
    const int32_t *n = m->tet + 4 * t;
    for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 3; ++a) e[i][a] = m->position[3 * n[i + 1] + a] - m->position[3 * n[0] + a];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

static bool has_corners(const sn_mesh *m, int t, const int32_t want[4]) {
    int found = 0;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k) found += m->tet[4 * t + i] == want[k];
    return found == 4;
}

static void test_box_numbering(void **state) {
    (void)state;
    const sn_generator_value v[3] = {{"size", 3, {0.3, 0.1, 0.2}}, {"cells", 3, {6, 2, 3}}, {"split", 1, {6}}};
    sn_mesh *m = make("box", v, 3);
    assert_int_equal(m->node_count, 7 * 3 * 4);
    assert_int_equal(m->tet_count, 6 * 36);
    for (int k = 0, n = 0; k <= 3; ++k)
        for (int j = 0; j <= 2; ++j)
            for (int i = 0; i <= 6; ++i, ++n)
                assert_true(distance_of(m, n, 0.3 * i / 6, 0.1 * j / 2, 0.2 * k / 3) < 1e-16);
    for (int t = 0; t < m->tet_count; ++t) {
        assert_true(fabs(volume6(m, t) - 0.006 / 36) < 1e-17);
        /* Kuhn: every tet holds the low and the high corner of its own cell; cells x fastest. */
        const int cell = t / 6, low = cell % 6 + 7 * (cell / 6 % 2) + 21 * (cell / 12), high = low + 1 + 7 + 21;
        int hits = 0;
        for (int c = 0; c < 4; ++c) hits += m->tet[4 * t + c] == low || m->tet[4 * t + c] == high;
        assert_int_equal(hits, 2);
    }
    const sn_mesh_report r = report_of(m);
    assert_healthy(&r);
    assert_true(fabs(r.volume - 0.006) < 1e-12 * 0.006);
    assert_int_equal(r.boundary_faces, 4 * (6 * 2 + 2 * 3 + 6 * 3));
    const int count[6] = {12, 12, 28, 28, 21, 21};
    const char *const name[6] = {"x-", "x+", "y-", "y+", "z-", "z+"};
    for (int s = 0; s < 6; ++s) {
        const sn_group *g = sn_mesh_find_group(m, name[s]);
        assert_non_null(g);
        assert_int_equal(g->kind, SN_GROUP_NODES);
        assert_int_equal(g->count, count[s]);
        for (int i = 0; i < g->count; ++i)
            assert_true(m->position[3 * g->member[i] + s / 2] == (s % 2 ? (const double[]){0.3, 0.1, 0.2}[s / 2] : 0));
    }
    sn_mesh_destroy(m);
}

static void test_box_five(void **state) {
    (void)state;
    sn_mesh *m = make_box(3, 3, 3, 5);
    assert_int_equal(m->tet_count, 135);
    /* Middle tets: of the cell at the origin on (0,0,0) (1,1,0) (1,0,1) (0,1,1), of its x-neighbour on the other four
     * corners. */
    int first = 0, second = 0;
    for (int t = 0; t < 5; ++t) first += has_corners(m, t, (const int32_t[]){0, 5, 17, 20});
    for (int t = 5; t < 10; ++t) second += has_corners(m, t, (const int32_t[]){2, 5, 17, 22});
    assert_int_equal(first, 1);
    assert_int_equal(second, 1);
    for (int t = 0; t < m->tet_count; ++t) assert_true(volume6(m, t) > 0.9 / 27);
    const sn_mesh_report r = report_of(m);
    assert_healthy(&r);
    assert_true(fabs(r.volume - 1) < 1e-12);
    assert_int_equal(r.boundary_faces, 6 * 9 * 2);
    sn_mesh_destroy(m);
}

static void test_large_box_keeps_its_volume(void **state) {
    (void)state;
    sn_mesh *m = make_box(30, 20, 25, 5);
    assert_true(fabs(report_of(m).volume - 1) < 1e-12);
    sn_mesh_destroy(m);
}

static void check_solid(const char *name, const sn_generator_value *v, int count, double volume, double quality) {
    sn_mesh *m = make(name, v, count);
    const sn_mesh_report r = report_of(m);
    assert_healthy(&r);
    if (volume > 0) assert_true(fabs(r.volume - volume) < 1e-12 * volume);
    if (!(r.quality_min > quality)) fail_msg("%s: quality %g", name, r.quality_min);
    sn_mesh_destroy(m);
}

static void test_solids(void **state) {
    (void)state;
    for (int n = 1; n <= 8; ++n) {
        check_solid("sphere", (const sn_generator_value[]){{"cells", 1, {n}}}, 1, 0, 0.65);
        check_solid("sphere", (const sn_generator_value[]){{"cells", 1, {n}}, {"radius", 3, {1, 2, 0.5}}}, 2, 0, 0.1);
        /* Prisms of a polygon with 6 n corners, whatever the rings inside. */
        const double polygon = 3.0 * n * sin(2 * PI / (6 * n));
        check_solid("cylinder",
                    (const sn_generator_value[]){{"cells", 2, {n, 2 * n}}, {"radius", 1, {0.5}}, {"length", 1, {1}}}, 3,
                    0.25 * polygon, 0.25);
        check_solid("torus", (const sn_generator_value[]){{"cells", 2, {n + 2, n}}}, 1, 0, 1e-3);
        const double around = n + 2, area = 0.5 * around * sin(2 * PI / around) * (0.25 - 0.09);
        check_solid("tube",
                    (const sn_generator_value[]){{"cells", 3, {n + 2, n, n}}, {"inner", 1, {0.3}}, {"length", 1, {3}}},
                    3, 3 * area, 1e-3);
    }
    check_solid("torus", NULL, 0, 0, 0.3);
    check_solid("tube", NULL, 0, 0, 0.3);
    check_solid("cylinder", NULL, 0, 0, 0.3);
    check_solid("sphere", NULL, 0, 0, 0.7);
    check_solid("tube", (const sn_generator_value[]){{"inner", 1, {0.4995}}}, 1, 0, 0);
    check_solid("tube", (const sn_generator_value[]){{"inner", 1, {0.0005}}}, 1, 0, 0);
    check_solid("torus", (const sn_generator_value[]){{"minor", 1, {0.99}}}, 1, 0, 0);
}

static void test_sphere_is_round(void **state) {
    (void)state;
    sn_mesh *m = make("sphere", (const sn_generator_value[]){{"cells", 1, {12}}, {"radius", 1, {2}}}, 2);
    assert_int_equal(m->tet_count, 20 * 12 * 12 * 12);
    const sn_group *g = sn_mesh_find_group(m, "surface");
    assert_int_equal(g->count, 10 * 12 * 12 + 2);
    for (int i = 0; i < g->count; ++i) assert_true(fabs(distance_of(m, g->member[i], 0, 0, 0) - 2) < 1e-14);
    assert_true(fabs(report_of(m).volume / (32 * PI / 3) - 1) < 0.01);
    assert_int_equal(report_of(m).boundary_faces, 20 * 144);
    sn_mesh_destroy(m);
}

static void check_creature(const char *name, int triangles) {
    const sn_generator_value v[2] = {{"triangles", 1, {triangles}}, {"size", 1, {0.5}}};
    sn_mesh *m = make(name, v, 2);
    const sn_mesh_report r = report_of(m);
    assert_healthy(&r);
    assert_true(abs(r.triangles - triangles) <= triangles / 20);
    assert_true(r.volume > 0.01 && r.volume < 0.1); /* outward */
    assert_true(r.quality_min > 0.2 && r.quality_mean > 0.9);
    assert_int_equal(r.nodes, 2 + r.triangles / 2); /* a sphere in topology */
    assert_true(r.low[1] == 0 && r.high[1] < 0.7);
    int grouped = 0;
    for (int g = 0; g < m->group_count; ++g) grouped += m->group[g].count;
    assert_int_equal(grouped, m->node_count);
    /* Two triangles at every edge and, in a two-manifold, one fan around every node: as many corners as the fan's
     * edges. */
    int32_t *next = calloc((size_t)m->node_count, sizeof *next), *start = calloc((size_t)m->node_count, sizeof *start);
    for (int t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) ++next[m->triangle[3 * t + k]];
    for (int i = 0; i < m->node_count; ++i)
        start[i + 1 < m->node_count ? i + 1 : 0] = i + 1 < m->node_count ? start[i] + next[i] : 0;
    int32_t *pair = malloc((size_t)m->triangle_count * 6 * sizeof *pair),
            *fill = calloc((size_t)m->node_count, sizeof *fill);
    for (int t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            const int32_t *q = m->triangle + 3 * t, v0 = q[k];
            int32_t *p = pair + 2 * (start[v0] + fill[v0]++);
            p[0] = q[(k + 1) % 3], p[1] = q[(k + 2) % 3];
        }
    for (int i = 0; i < m->node_count; ++i) {
        const int32_t *p = pair + 2 * start[i];
        int steps = 0;
        for (int32_t at = p[0]; steps <= next[i];) {
            int k = 0;
            while (k < next[i] && p[2 * k] != at) ++k;
            assert_true(k < next[i]);
            at = p[2 * k + 1];
            ++steps;
            if (at == p[0]) break;
        }
        assert_int_equal(steps, next[i]);
    }
    free(next);
    free(start);
    free(pair);
    free(fill);
    sn_mesh_destroy(m);
}

static void test_octopus(void **state) {
    (void)state;
    check_creature("octopus", 500);
    check_creature("octopus", 6001);
}
static void test_dragon(void **state) {
    (void)state;
    check_creature("dragon", 2000);
    check_creature("dragon", 40000);
}

/* The same bits with several threads. */
static void test_creature_is_deterministic(void **state) {
    (void)state;
    sn_context_options options = sn_context_options_default();
    options.threads = 3;
    sn_context *three = NULL;
    assert_int_equal(sn_context_create(&options, &three, NULL), SN_OK);
    const sn_generator_value v = {"triangles", 1, {1000}};
    sn_mesh *a = make("dragon", &v, 1), *b = NULL;
    assert_int_equal(sn_mesh_generate(three, "dragon", &v, 1, &b, NULL), SN_OK);
    assert_int_equal(a->node_count, b->node_count);
    assert_memory_equal(a->position, b->position, (size_t)a->node_count * 24);
    assert_memory_equal(a->triangle, b->triangle, (size_t)a->triangle_count * 12);
    sn_mesh_destroy(a);
    sn_mesh_destroy(b);
    sn_context_destroy(three);
}

static void expect_error(const char *generator, sn_generator_value v, sn_status status, const char *word) {
    sn_mesh *m = NULL;
    sn_error error = {0};
    assert_int_equal(sn_mesh_generate(context, generator, &v, 1, &m, &error), status);
    if (!strstr(error.text, word)) fail_msg("'%s' does not name '%s'", error.text, word);
}

static void test_bad_parameters(void **state) {
    (void)state;
    expect_error("bix", (sn_generator_value){"cells", 1, {2}}, SN_NOT_FOUND, "'box'");
    expect_error("box", (sn_generator_value){"cels", 1, {2}}, SN_BAD_INPUT, "'cells'");
    expect_error("box", (sn_generator_value){"split", 1, {7}}, SN_BAD_INPUT, "from 5 to 6");
    expect_error("box", (sn_generator_value){"cells", 1, {2.5}}, SN_BAD_INPUT, "whole");
    expect_error("box", (sn_generator_value){"cells", 1, {0}}, SN_BAD_INPUT, "box.cells is 0");
    expect_error("box", (sn_generator_value){"cells", 2, {2, 2}}, SN_BAD_INPUT, "2 numbers");
    expect_error("box", (sn_generator_value){"size", 3, {1, -1, 1}}, SN_BAD_INPUT, "-1");
    expect_error("box", (sn_generator_value){"size", 1, {NAN}}, SN_BAD_INPUT, "nan");
    expect_error("box", (sn_generator_value){"cells", 1, {1e9}}, SN_BAD_INPUT, "at most");
    expect_error("box", (sn_generator_value){"cells", 1, {1300}}, SN_BAD_INPUT, "at most");
    expect_error("sphere", (sn_generator_value){"cells", 1, {1e5}}, SN_BAD_INPUT, "at most");
    expect_error("cylinder", (sn_generator_value){"cells", 1, {1e5}}, SN_BAD_INPUT, "at most");
    expect_error("torus", (sn_generator_value){"cells", 1, {1e5}}, SN_BAD_INPUT, "at most");
    expect_error("tube", (sn_generator_value){"cells", 1, {1e5}}, SN_BAD_INPUT, "at most");
    expect_error("tube", (sn_generator_value){"cells", 1, {2}}, SN_BAD_INPUT, "at least 3");
    expect_error("tube", (sn_generator_value){"inner", 1, {0.6}}, SN_BAD_INPUT, "inner");
    expect_error("torus", (sn_generator_value){"minor", 1, {2}}, SN_BAD_INPUT, "minor");
    expect_error("dragon", (sn_generator_value){"triangles", 1, {10}}, SN_BAD_INPUT, "500");
    const sn_generator_value twice[2] = {{"split", 1, {5}}, {"split", 1, {6}}};
    sn_mesh *m = NULL;
    assert_int_equal(sn_mesh_generate(context, "box", twice, 2, &m, NULL), SN_BAD_INPUT);
}

static void test_listing(void **state) {
    (void)state;
    int count = 0;
    const sn_listing *list = sn_generators(&count);
    assert_true(count >= 7);
    for (int i = 0; i < count; ++i) {
        assert_true(strlen(list[i].text) > 20);
        const bool creature = strstr(list[i].text, "triangles") != NULL; /* tested above */
        if (creature) continue;
        sn_mesh *m = make(list[i].name, NULL, 0); /* every generator works with its defaults */
        assert_true(m->group_count > 0);
        sn_mesh_destroy(m);
    }
}

static sn_status work_generate(void *data) {
    const sn_generator_value few = {"triangles", 1, {500}};
    const char *name = data;
    const bool creature = strcmp(name, "octopus") == 0;
    sn_mesh *m = NULL;
    const sn_status status = sn_mesh_generate(context, name, creature ? &few : NULL, creature ? 1 : 0, &m, NULL);
    sn_mesh_destroy(m);
    return status;
}

static void test_memory(void **state) {
    (void)state;
    const char *const name[] = {"box", "sphere", "tube", "cylinder", "torus"};
    for (int i = 0; i < 5; ++i) assert_true(fail_each(work_generate, (void *)name[i], 1) > 4);
    assert_true(fail_each(work_generate, "octopus", 9) > 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_box_numbering),
                                       cmocka_unit_test(test_box_five),
                                       cmocka_unit_test(test_large_box_keeps_its_volume),
                                       cmocka_unit_test(test_solids),
                                       cmocka_unit_test(test_sphere_is_round),
                                       cmocka_unit_test(test_octopus),
                                       cmocka_unit_test(test_dragon),
                                       cmocka_unit_test(test_creature_is_deterministic),
                                       cmocka_unit_test(test_bad_parameters),
                                       cmocka_unit_test(test_listing),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
