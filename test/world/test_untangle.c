/* Cloth that starts tangled: `contact.untangle` parts it before the first step, and a brute-force test of all pairs of
 * triangles (intersections.h) finds no intersection then and later. What cannot be parted is refused. */
#include "base/math3.h"
#include "skin_stage.h"

static void start(stage *s, int threads, bool untangle) {
    memset(&s->skin, 0, sizeof s->skin);
    stage_start(&s->stage, context_of(threads), "exact");
    s->stage.options.contact.self = true;
    s->stage.options.contact.untangle = untangle;
    snprintf(s->stage.options.time.newton.kind, sizeof s->stage.options.time.newton.kind, "one-step");
}

/* A sheet in the plane y = 0, turned about an axis and moved. */
static sn_body_options *sheet(stage *s, double size, int cells, const double axis[3], double angle, double x, double y,
                              double z) {
    const sn_generator_value value[2] = {{"size", 2, {size, size}}, {"cells", 2, {cells, cells}}};
    sn_mesh *mesh = NULL;
    double R[9];
    assert_int_equal(sn_mesh_generate(s->stage.context, "grid", value, 2, &mesh, NULL), SN_OK);
    sn_axis_rotation3(axis, angle, R);
    for (int i = 0; i < mesh->node_count; ++i) {
        double p[3];
        sn_multiply_vector3(R, mesh->position + 3 * i, p);
        mesh->position[3 * i] = p[0] + x, mesh->position[3 * i + 1] = p[1] + y, mesh->position[3 * i + 2] = p[2] + z;
    }
    return add_cloth(s, mesh);
}

static const double level[3] = {1, 0, 0};

/* The tangles. */
enum { CORNER, BUMP, FOLD, FLAP, BALL, BOX, LINED_UP, CROSSED, CASES };
static const char *const name[CASES] = {"a corner through a sheet",   "a bump through a sheet", "a corner of a fold",
                                        "an edge of a fold",          "a sheet in a ball",      "a sheet in a box",
                                        "a sheet in line with a box", "crossed sheets"};

static void build(stage *s, int which) {
    const double slope[3] = {1, 0, 1};
    sn_mesh *mesh = NULL;
    if (which == CORNER) {
        sheet(s, 0.6, 12, level, 0, 0, 0, 0);
        sheet(s, 0.4, 8, slope, 30, 0, 0.10, 0); /* half the diagonal is 0.28 m, its corner is 0.14 m lower */
    }
    if (which == BUMP) {
        sheet(s, 0.6, 16, level, 0, 0, 0, 0);
        sn_mesh *other = (sn_mesh *)(uintptr_t)sheet(s, 0.5, 16, level, 0, 0.007, -0.05, 0.011)->mesh;
        for (int i = 0; i < other->node_count; ++i) {
            double *p = other->position + 3 * i;
            p[1] += 0.09 * exp(-40 * (p[0] * p[0] + p[2] * p[2]));
        }
    }
    if (which == FOLD || which == FLAP) sheet(s, 0.6, 16, level, 0, 0, 0, 0);
    if (which == BALL) {
        const sn_generator_value value[2] = {{"radius", 1, {0.2}}, {"cells", 1, {6}}};
        sheet(s, 0.6, 16, level, 0, 0, 0.17, 0);
        assert_int_equal(sn_mesh_generate(s->stage.context, "sphere", value, 2, &mesh, NULL), SN_OK);
        stage_add(&s->stage, mesh);
        stage_hold(&s->stage, stage_all());
    }
    if (which == BOX || which == LINED_UP) {
        if (which == BOX) sheet(s, 0.6, 15, level, 0, 0.003, -0.004, 0.007);
        if (which == LINED_UP) sheet(s, 0.6, 12, level, 0, 0, -0.01, 0); /* nodes lie in the sides of the box */
        stage_box(&s->stage, (double[3]){-0.15, -0.3, -0.15}, (double[3]){0.3, 0.3, 0.3}, (int[3]){3, 3, 3});
        stage_hold(&s->stage, stage_all());
    }
    if (which == CROSSED) {
        sheet(s, 0.4, 8, level, 0, 0, 0, 0);
        sheet(s, 0.6, 8, (double[3]){1, 0, 0}, 88, 0.003, 0, 0.004);
    }
}

/* Folds the first sheet over, with a corner, or the whole edge, of the upper layer through the lower one. */
static void fold(stage *s, int which) {
    const sn_mesh *mesh = sn_world_body_mesh(s->stage.world, 0);
    double *x = calloc(3 * (size_t)mesh->node_count, sizeof *x);
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *p = mesh->position + 3 * i, r = 0.02, turn = p[0] / r;
        x[3 * i] = p[0], x[3 * i + 1] = 0, x[3 * i + 2] = p[2];
        if (p[0] <= 0) continue;
        if (turn < 3.14159265)
            x[3 * i] = r * sin(turn), x[3 * i + 1] = r - r * cos(turn);
        else
            x[3 * i] = 3.14159265 * r - p[0],
                  x[3 * i + 1] = 2 * r - (which == FOLD ? 1.6 * fmax(p[0] - 0.15, 0) * fmax(p[2] - 0.05, 0)
                                                        : 0.2 * (p[0] - 3.14159265 * r));
    }
    assert_int_equal(sn_world_put(s->stage.world, 0, x, NULL, NULL), SN_OK);
    free(x);
    double moved;
    sn_error error = {0};
    assert_true(count_intersections(&s->skin, s->stage.world, true) > 0);
    if (sn_world_untangle(s->stage.world, &moved, &error)) fail_msg("%s: %s", name[which], error.text);
    print_message("  %s: moved by %.4f m\n", name[which], moved);
    assert_true(moved > 0 && moved < 0.05);
}

static void expect_clean(stage *s, const char *what) {
    const int count = count_intersections(&s->skin, s->stage.world, true);
    if (count) fail_msg("%s: %d intersections", what, count);
}

/* The largest way of a node from its place in the mesh, m. */
static double way_of(stage *s) {
    double most = 0;
    skin_move(&s->skin, s->stage.world);
    for (int b = 0; b < s->skin.body_count; ++b) {
        const sn_mesh *mesh = sn_world_body_mesh(s->stage.world, b);
        for (int i = 0; i < mesh->node_count; ++i) {
            double d[3];
            sn_subtract3(s->skin.position + 3 * (s->skin.first[b] + i), mesh->position + 3 * i, d);
            most = fmax(most, sn_norm3(d));
        }
    }
    return most;
}

/* Cells are 0.03 to 0.05 m wide, and the tangles up to 0.04 m deep: nothing has to move farther than 0.05 m. Sheets
 * that go all the way through each other move by up to half of their size. */
static void run(stage *s, int which, int threads, char hash[17]) {
    start(s, threads, true);
    build(s, which);
    create(s);
    if (which == FOLD || which == FLAP) fold(s, which);
    expect_clean(s, name[which]);
    if (which != FOLD && which != FLAP) {
        const double way = way_of(s);
        print_message("  %s: moved by %.4f m\n", name[which], way);
        assert_true(way > 0 && way < (which == CROSSED ? 0.3 : 0.05));
    }
    for (int i = 0; i < 20; ++i) {
        step_stage(&s->stage, 1);
        expect_clean(s, name[which]);
    }
    sn_world_hash(s->stage.world, hash);
    finish(s);
}

static void test_untangled(void **state) {
    (void)state;
    for (int c = 0; c < CASES; ++c) {
        stage s;
        char one[17], two[17];
        run(&s, c, 1, one);
        run(&s, c, 2, two);
        assert_string_equal(one, two);
    }
}

/* Without the option every one of these starts is refused, and names its bodies. */
static void test_refused_without(void **state) {
    (void)state;
    for (int c = 0; c < CASES; ++c) {
        stage s;
        if (c == FOLD || c == FLAP) continue;
        start(&s, 1, false);
        build(&s, c);
        sn_error *error = &s.stage.error;
        assert_int_equal(sn_world_create(s.stage.context, &s.stage.options, &s.stage.world, error), SN_BAD_INPUT);
        assert_non_null(strstr(error->text, "'body0' and 'body1'"));
        assert_non_null(strstr(error->text, "untangle"));
        assert_null(s.stage.world);
        finish(&s);
    }
}

/* Sheets that are held stay tangled: refused with the option, and when they are put there later. */
static void test_cannot(void **state) {
    (void)state;
    stage s;
    for (int later = 0; later < 2; ++later) {
        start(&s, 1, !later);
        for (int i = 0; i < 2; ++i) {
            sheet(&s, 0.4, 8, level, i ? 88 : 0, 0.003 * i, later && !i ? 0.5 : 0, 0.004 * i);
            if (!later) stage_hold(&s.stage, stage_all());
        }
        sn_error *error = &s.stage.error;
        if (!later) {
            assert_int_equal(sn_world_create(s.stage.context, &s.stage.options, &s.stage.world, error), SN_BAD_INPUT);
            assert_non_null(strstr(error->text, "'body0' and 'body1'"));
            finish(&s);
            continue;
        }
        create(&s);
        double moved = 1;
        assert_int_equal(sn_world_untangle(s.stage.world, &moved, NULL), SN_OK);
        assert_true(moved == 0); /* nothing is tangled */
        double *x = stage_places(&s.stage, 0), *y;
        const int n = 3 * sn_world_body_mesh(s.stage.world, 0)->node_count;
        for (int i = 0; i < n; ++i) x[i] = i % 3 == 1 ? 0 : x[i % 3]; /* all in one point: nothing can part this */
        assert_int_equal(sn_world_put(s.stage.world, 0, x, NULL, NULL), SN_OK);
        assert_int_equal(sn_world_untangle(s.stage.world, &moved, NULL), SN_BAD_INPUT);
        y = stage_places(&s.stage, 0);
        assert_memory_equal(x, y, (size_t)n * sizeof *x);
        assert_int_equal(sn_world_step(s.stage.world, NULL, error), SN_BAD_INPUT); /* not: "the force is not finite" */
        assert_non_null(strstr(error->text, "these intersect"));
        free(x), free(y);
        finish(&s);
    }
}

/* Held nodes stay where they are: a sheet that is held all around is not moved, the other one is. */
static void test_held(void **state) {
    (void)state;
    stage s;
    start(&s, 1, true);
    build(&s, BUMP);
    sn_fix *fix = &s.stage.fix[0];
    fix->select = stage_all();
    s.stage.body[0].fix_count = 1;
    create(&s);
    expect_clean(&s, "held");
    const sn_mesh *mesh = sn_world_body_mesh(s.stage.world, 0);
    assert_memory_equal(s.skin.position, mesh->position, 3 * (size_t)mesh->node_count * sizeof(double));
    finish(&s);
}

static void test_options(void **state) {
    (void)state;
    sn_contact_options options = sn_contact_options_default();
    sn_error error = {0};
    stage s;
    start(&s, 1, true);
    stage_cube(&s.stage, 0, 0, 0, 0.1, 2);
    snprintf(s.stage.options.contact.response, sizeof options.response, "area");
    assert_int_equal(sn_world_create(s.stage.context, &s.stage.options, &s.stage.world, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "contact.untangle");
    s.stage.options.contact.untangle = false;
    create(&s);
    assert_int_equal(sn_world_untangle(s.stage.world, NULL, &error), SN_UNSUPPORTED);
    finish(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_untangled), cmocka_unit_test(test_refused_without),
                                       cmocka_unit_test(test_cannot), cmocka_unit_test(test_held),
                                       cmocka_unit_test(test_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
