/* Statics of worlds against closed forms: gravity column, uniaxial bar, body load, pressure, turned nodes, the check of
 * rigid motions. */
#include "scene.h"

/* Symmetry planes x = 0 and z = 0 and the base y = 0: a column that stretches freely. */
static void stand(scene *s) {
    s->fix[0].select = box_selector(-10, -1e-9, -10, 10, 1e-9, 10);
    s->fix[1].select = box_selector(-1e-9, -10, -10, 1e-9, 10, 10);
    s->fix[2].select = box_selector(-10, -10, -1e-9, 10, 10, 1e-9);
    const bool axes[3][3] = {{false, true, false}, {true, false, false}, {false, false, true}};
    for (int i = 0; i < 3; ++i) memcpy(s->fix[i].axis, axes[i], sizeof axes[i]);
    s->body.fix_count = 3;
}

static void linear_law(scene *s, double young, double poisson) {
    strcpy(s->material.law, "linear");
    set_constant(&s->material, "young", young);
    set_constant(&s->material, "poisson", poisson);
    s->material.density = 1000;
    strcpy(s->options.time.mode, "static");
    s->options.solver.tolerance = 1e-12;
    s->options.time.newton.tolerance = 1e-10;
}

/* Traction T on top: strain T / E along, -nu T / E across; exact for every element. Reaction -T A. */
static void test_uniaxial_bar(void **state) {
    (void)state;
    static const char *const elements[] = {"tet4", "tet10", "tet10-high"};
    for (int e = 0; e < 3; ++e) {
        scene s;
        scene_start(&s, NULL, 0.5, 2, 0.4, 2, 3, 2);
        linear_law(&s, 1e5, 0.3);
        stand(&s);
        strcpy(s.body.element, elements[e]);
        s.options.gravity[1] = 0;
        s.load[0].select = normal_selector(0, 1, 0);
        s.load[0].value[1] = 1e3;
        s.body.load_count = 1;
        s.options.time.load_steps = 2;
        add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0.5, 2, 0.4);
        sn_probe *p = add_probe(&s, SN_QUANTITY_REACTION, 0, 0, 0);
        p->at = SN_PROBE_SELECT, p->select = s.fix[0].select;
        add_probe(&s, SN_QUANTITY_STRESS, 0.2, 1, 0.2);
        p = add_probe(&s, SN_QUANTITY_VOLUME, 0, 0, 0);
        p->at = SN_PROBE_SELECT;
        scene_create(&s);
        step(&s, 1);
        double v[6];
        assert_int_equal(probe(&s, 0, v), 3);
        assert_near(v[0], -0.3 * 0.01 * 0.5, 1e-12);
        assert_near(v[1], 0.02, 1e-12);
        assert_near(v[2], -0.3 * 0.01 * 0.4, 1e-12);
        probe(&s, 1, v);
        assert_near(v[1], -1e3 * 0.2, 1e-8);
        assert_int_equal(probe(&s, 2, v), 6);
        assert_near(v[1], 1e3, 1e-6);
        assert_near(v[0], 0, 1e-6);
        assert_near(v[3], 0, 1e-6);
        assert_int_equal(probe(&s, 3, v), 1);
        assert_near(v[0], 0.4 * 1.01 * (1 - 0.003) * (1 - 0.003), 1e-12);
        assert_near(sn_world_time(s.world), 1, 0);
        double stress[6 * 60], mises[60], density[60], J[60];
        assert_int_equal(sn_world_element_fields(s.world, 0, stress, mises, density, J, NULL), SN_OK);
        assert_near(mises[7], 1e3, 1e-6);
        assert_near(density[7], 0.5 * 1e3 * 0.01, 1e-9); /* half stress times strain */
        assert_near(J[7], 1.01 * 0.997 * 0.997, 1e-12);
        scene_end(&s);
    }
}

/* Under its own weight with nu = 0: u(y) = -rho g (H y - y^2 / 2) / E; nodal values are exact for tet10 alone, the base
 * carries the weight.
 */
static void test_gravity_column(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.5, 2, 0.5, 1, 4, 1);
    linear_law(&s, 1e7, 0);
    stand(&s);
    strcpy(s.body.element, "tet10");
    add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0, 2, 0);
    add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0, 1, 0);
    sn_probe *p = add_probe(&s, SN_QUANTITY_REACTION, 0, 0, 0);
    p->at = SN_PROBE_SELECT, p->select = s.fix[0].select;
    scene_create(&s);
    step(&s, 1);
    double v[6];
    probe(&s, 0, v);
    assert_near(v[1], -1000 * 9.81 * 2 / 1e7, 1e-12);
    probe(&s, 1, v);
    assert_near(v[1], -1000 * 9.81 * 1.5 / 1e7, 1e-12);
    probe(&s, 2, v);
    assert_near(v[1], 1000 * 9.81 * 0.5, 1e-7);
    scene_end(&s);

    /* A body load of the same size does the same. */
    scene_start(&s, NULL, 0.5, 2, 0.5, 1, 4, 1);
    linear_law(&s, 1e7, 0);
    stand(&s);
    strcpy(s.body.element, "tet10");
    s.options.gravity[1] = 0;
    s.load[0].kind = SN_LOAD_BODY;
    s.load[0].value[1] = -9810;
    s.body.load_count = 1;
    add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0, 2, 0);
    scene_create(&s);
    step(&s, 1);
    probe(&s, 0, v);
    assert_near(v[1], -1000 * 9.81 * 2 / 1e7, 1e-12);
    scene_end(&s);
}

/* Pressure all around: strain -p (1 - 2 nu) / E, dead or following (small strain). A force spreads to the same as its
 * traction. */
static void test_pressure(void **state) {
    (void)state;
    for (int follow = 0; follow < 2; ++follow) {
        scene s;
        scene_start(&s, NULL, 0.5, 2, 0.5, 1, 3, 1);
        linear_law(&s, 1e5, 0.3);
        stand(&s);
        s.options.gravity[1] = 0;
        s.load[0].kind = SN_LOAD_PRESSURE;
        s.load[0].select.kind = SN_SELECT_SURFACE;
        s.load[0].scalar = follow ? 1e-3 : 1e3;
        s.load[0].follow = follow;
        s.body.load_count = 1;
        add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0.5, 2, 0.5);
        scene_create(&s);
        step(&s, 1);
        double v[6];
        probe(&s, 0, v);
        const double strain = -s.load[0].scalar * 0.4 / 1e5;
        assert_near(v[1], 2 * strain, 1e-6 * fabs(strain));
        assert_near(v[0], 0.5 * strain, 1e-6 * fabs(strain));
        scene_end(&s);
    }
}

/* Both ends turned by 90 degrees about the length: the whole bar turns and is free of stress. */
static void test_turn(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 1, 0.2, 0.2, 5, 2, 2);
    strcpy(s.options.time.mode, "quasi-static");
    s.options.time.step = 0.05;
    s.options.time.newton.tolerance = 1e-9;
    s.options.time.newton.iterations = 30;
    s.options.solver.tolerance = 1e-10;
    s.options.gravity[1] = 0;
    for (int i = 0; i < 2; ++i) {
        s.fix[i].select = box_selector(i - 1e-9, -10, -10, i + 1e-9, 10, 10);
        s.fix[i].turning = true;
        s.fix[i].turn_point[1] = 0.1;
        s.fix[i].turn_point[2] = 0.1;
        s.fix[i].turn_axis[0] = 2, s.fix[i].turn_axis[1] = 0;
        s.fix[i].turn_degrees = 90;
        s.fix[i].ramp = (sn_ramp){.begin = 0, .end = 0.5, .given = true};
    }
    s.body.fix_count = 2;
    scene_create(&s);
    step(&s, 10);
    const int n = sn_world_node_count(s.world);
    double *x = malloc((size_t)n * 3 * sizeof *x);
    sn_world_get(s.world, 0, x, NULL);
    for (int i = 0; i < n; ++i) {
        const double *X = s.mesh->position + 3 * i;
        assert_near(x[3 * i], X[0], 1e-6);
        assert_near(x[3 * i + 1], 0.1 - (X[2] - 0.1), 1e-6);
        assert_near(x[3 * i + 2], 0.1 + (X[1] - 0.1), 1e-6);
    }
    free(x);
    sn_energies e;
    assert_int_equal(sn_world_energies(s.world, &e, NULL), SN_OK);
    assert_near(e.elastic, 0, 1e-6);
    scene_end(&s);
}

/* A later fix wins per axis; displacement goes with the load fraction. */
static void test_fixes_combine(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 1, 0.2, 0.2, 3, 1, 1);
    linear_law(&s, 1e5, 0);
    s.options.gravity[1] = 0;
    clamp_left(&s);
    s.fix[1].select = box_selector(1 - 1e-9, -10, -10, 2, 10, 10);
    s.fix[1].displacement[0] = 0.5, s.fix[1].displacement[1] = 0.3;
    s.fix[2] = s.fix[1];
    s.fix[2].displacement[0] = 0.1;
    s.fix[2].axis[1] = s.fix[2].axis[2] = false;
    s.body.fix_count = 3;
    add_probe(&s, SN_QUANTITY_POSITION, 1, 0.2, 0.2);
    sn_probe *p = add_probe(&s, SN_QUANTITY_REACTION, 0, 0, 0);
    p->at = SN_PROBE_SELECT, p->select = s.fix[1].select;
    scene_create(&s);
    step(&s, 1);
    double v[6];
    probe(&s, 0, v);
    assert_near(v[0], 1.1, 1e-15);
    assert_near(v[1], 0.5, 1e-15);
    assert_near(v[2], 0.2, 1e-15);
    probe(&s, 1, v);
    assert_near(v[0], 1e5 * 0.1 * 0.04, 1e-6); /* the support pulls */
    scene_end(&s);
}

static void refused(scene *s, const char *word) {
    s->error.text[0] = 0;
    sn_world_destroy(s->world);
    s->world = NULL;
    assert_int_equal(sn_world_create(s->context, &s->options, &s->world, &s->error), SN_BAD_INPUT);
    assert_null(s->world);
    if (!strstr(s->error.text, word)) {
        print_message("'%s' should name '%s'\n", s->error.text, word);
        fail();
    }
}

static void test_rigid_motions(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 1, 0.2, 0.2, 3, 1, 1);
    strcpy(s.body.name, "raft");
    strcpy(s.options.time.mode, "static");
    refused(&s, "raft");
    refused(&s, "6 of 6");
    s.fix[0].select = (sn_selector){.kind = SN_SELECT_BOX,
                                    .box = {{-1e-9, -1e-9, -1e-9}, {1e-9, 1e-9, 1e-9}}}; /* a corner: spins about it */
    s.body.fix_count = 1;
    refused(&s, "3 of 6");
    s.fix[0].select.box[1][0] = 10; /* an edge: spins about the edge */
    refused(&s, "1 of 6");
    s.fix[0].select.box[1][1] = 10; /* a face */
    scene_create(&s);
    /* Two boxes, one held: the other one is named. */
    sn_body_options two[2] = {s.body, s.body};
    strcpy(two[1].name, "drift");
    two[1].fix_count = 0;
    s.options.body = two;
    s.options.body_count = 2;
    refused(&s, "drift");
    strcpy(s.options.time.mode, "dynamic");
    scene_create(&s);
    sn_time_options t = sn_world_time_options(s.world);
    strcpy(t.mode, "static");
    assert_int_equal(sn_world_set_time(s.world, &t, &s.error), SN_BAD_INPUT);
    assert_string_equal(sn_world_time_options(s.world).mode, "dynamic");
    step(&s, 1);
    scene_end(&s);
}

static bool count_and_stop(void *user, double fraction) {
    (void)fraction;
    return --*(int *)user > 0;
}

static void test_watch(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 1, 0.2, 0.2, 3, 1, 1);
    clamp_left(&s);
    strcpy(s.options.time.mode, "static");
    s.options.time.load_steps = 5;
    scene_create(&s);
    char before[17], after[17];
    sn_world_hash(s.world, before);
    int left = 3;
    sn_world_watch(s.world, count_and_stop, &left);
    assert_int_equal(sn_world_step(s.world, NULL, &s.error), SN_STOPPED);
    assert_int_equal(left, 0);
    assert_non_null(strstr(s.error.text, "stopped"));
    sn_world_hash(s.world, after);
    assert_string_equal(before, after);
    left = 100;
    step(&s, 1);
    assert_int_equal(left, 95);
    scene_end(&s);
}

/* A beam of St. Venant-Kirchhoff that its weight bends by most of its length: the projected differential alone creeps
 * here and gives up. */
static void test_soft_beam(void **state) {
    (void)state;
    for (int load_steps = 1; load_steps <= 10; load_steps += 9) {
        scene s;
        scene_start(&s, NULL, 0.5, 0.3, 0.3, 5, 3, 3);
        clamp_left(&s);
        strcpy(s.material.law, "stvk");
        set_constant(&s.material, "young", 3e4);
        set_constant(&s.material, "poisson", 0.3);
        strcpy(s.options.time.mode, "static");
        s.options.time.load_steps = load_steps;
        s.options.time.newton.iterations = 40;
        s.options.time.newton.tolerance = 1e-9;
        add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0.5, 0.3, 0.3);
        scene_create(&s);
        sn_step_report report;
        assert_int_equal(sn_world_step(s.world, &report, &s.error), SN_OK);
        assert_true(report.newton_iterations < 200);
        double v[6];
        probe(&s, 0, v);
        assert_true(v[1] < -0.3);
        scene_end(&s);
    }
}

static void soft_beam(scene *s, const char *law, double young, int cells) {
    scene_start(s, NULL, 0.3, 0.1, 0.1, 3 * cells, cells, cells);
    clamp_left(s);
    strcpy(s->material.law, law);
    set_constant(&s->material, "young", young);
    set_constant(&s->material, "poisson", 0.4);
    strcpy(s->options.time.mode, "static");
}

/* Past the load that it can carry: given up after a bounded number of attempts, with the fractions between which the
 * limit lies. */
static void test_limit_load(void **state) {
    (void)state;
    scene s;
    soft_beam(&s, "stvk", 2e3, 2);
    s.options.time.load_steps = 10;
    scene_create(&s);
    sn_step_report report;
    char before[17], after[17];
    sn_world_hash(s.world, before);
    assert_int_equal(sn_world_step(s.world, &report, &s.error), SN_NOT_CONVERGED);
    assert_non_null(strstr(s.error.text, "no equilibrium was found between load fractions 0."));
    assert_true(report.newton_iterations < 250);
    sn_world_hash(s.world, after);
    assert_string_equal(before, after);
    scene_end(&s);
}

/* `auto` says what it chose: a factor for a small body, CG with multigrid for a larger one; the history falls from the
 * start to the tolerance. */
static void test_auto(void **state) {
    (void)state;
    for (int large = 0; large < 2; ++large) {
        scene s;
        soft_beam(&s, "corotated", 1e6, large ? 6 : 2);
        scene_create(&s);
        sn_step_report report;
        assert_int_equal(sn_world_step(s.world, &report, &s.error), SN_OK);
        if (large) assert_string_equal(report.solver, "cg");
        assert_string_equal(report.preconditioner, large ? "multigrid" : "");
        assert_int_equal(report.linear_misses, 0);
        assert_true(report.linear_history_count >= 2);
        assert_true(report.linear_history[0] <= 1);
        assert_true(report.linear_history[report.linear_history_count - 1] <= s.options.solver.tolerance);
        assert_true(report.linear_history[report.linear_history_count - 1] == report.linear_residual);
        scene_end(&s);
    }
}

/* Attempts at too large a load meet indefinite matrices; what multigrid made of them must not outlive them. */
static void test_after_indefinite(void **state) {
    (void)state;
    scene s;
    soft_beam(&s, "neo-hookean", 1e4, 4);
    strcpy(s.options.solver.method, "minres");
    strcpy(s.options.solver.preconditioner, "multigrid");
    scene_create(&s);
    step(&s, 1);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_uniaxial_bar),    cmocka_unit_test(test_gravity_column),
                                       cmocka_unit_test(test_pressure),        cmocka_unit_test(test_turn),
                                       cmocka_unit_test(test_fixes_combine),   cmocka_unit_test(test_rigid_motions),
                                       cmocka_unit_test(test_watch),           cmocka_unit_test(test_soft_beam),
                                       cmocka_unit_test(test_limit_load),      cmocka_unit_test(test_auto),
                                       cmocka_unit_test(test_after_indefinite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
