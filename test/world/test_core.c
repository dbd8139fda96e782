/* Rigid cores: they keep their shape, and the body its momentum, whatever the method; wrong selections are refused. */
#include "scene.h"

static sn_selector middle;

/* A bar with a rigid middle, no gravity, with the given method. */
static void bar_with_core(scene *s, const char *method, double h) {
    scene_start(s, NULL, 1, 0.3, 0.3, 8, 2, 2);
    middle = box_selector(0.3, -1, -1, 0.7, 1, 1);
    s->body.rigid = &middle;
    s->body.rigid_count = 1;
    set_constant(&s->material, "young", 2e4);
    memset(s->options.gravity, 0, sizeof s->options.gravity);
    snprintf(s->options.time.method, sizeof s->options.time.method, "%s", method);
    s->options.time.step = h;
}

/* Largest change of a distance between two nodes of the core, relative to it. */
static double distortion(const scene *s) {
    const sn_mesh *mesh = sn_world_body_mesh(s->world, 0);
    double x[3 * 400], worst = 0;
    assert_true(mesh->node_count <= 400);
    sn_world_get(s->world, 0, x, NULL);
    for (int i = 0; i < mesh->node_count; ++i)
        for (int j = 0; j < i; ++j) {
            const double *X = mesh->position + 3 * i, *Y = mesh->position + 3 * j;
            if (X[0] < 0.3 || X[0] > 0.7 || Y[0] < 0.3 || Y[0] > 0.7) continue;
            double rest = 0, now = 0;
            for (int a = 0; a < 3; ++a) {
                rest += (X[a] - Y[a]) * (X[a] - Y[a]);
                now += (x[3 * i + a] - x[3 * j + a]) * (x[3 * i + a] - x[3 * j + a]);
            }
            worst = fmax(worst, fabs(sqrt(now / rest) - 1));
        }
    return worst;
}

/* Spinning, thrown and twisted at the start: the core stays rigid, the ends swing, linear momentum stays to rounding.
 */
static void keeps_shape_and_momentum(void **state) {
    static const struct {
        const char *method;
        double h, drift; /* of the angular momentum, relative, in 0.5 s */
    } tries[] = {{"implicit-midpoint", 0.005, 2e-3},
                 {"implicit-euler", 0.001, 0.03},
                 {"newmark", 0.005, 0.02},
                 {"rk4", 0.0005, 1e-3}};
    for (size_t k = 0; k < sizeof tries / sizeof *tries; ++k) {
        scene s;
        bar_with_core(&s, tries[k].method, tries[k].h);
        s.body.initial.velocity[0] = 1;
        s.body.initial.spin[1] = 3;
        s.body.initial.spin[2] = 1;
        s.body.initial.twist = 20;
        scene_create(&s);
        double p0[3], l0[3], p[3], l[3];
        sn_world_momentum(s.world, p0, l0);
        assert_true(distortion(&s) < 1e-12);
        step(&s, (int)lround(0.5 / tries[k].h));
        sn_world_momentum(s.world, p, l);
        assert_true(distortion(&s) < 1e-12);
        const double length = sqrt(l0[0] * l0[0] + l0[1] * l0[1] + l0[2] * l0[2]);
        for (int a = 0; a < 3; ++a) {
            assert_near(p[a], p0[a], 1e-5 * fabs(p0[0]));
            if (fabs(l[a] - l0[a]) > tries[k].drift * length)
                fail_msg("%s: angular momentum %d went from %g to %g of %g", tries[k].method, a, l0[a], l[a], length);
        }
        scene_end(&s);
    }
}

/* Everything rigid: a body that turns about a principal axis goes on doing so, with its energy. */
static void whole_body_turns(void **state) {
    scene s;
    bar_with_core(&s, "implicit-midpoint", 0.01);
    middle = (sn_selector){.kind = SN_SELECT_ALL};
    s.body.initial.spin[1] = 2;
    scene_create(&s);
    sn_energies before, after;
    assert_int_equal(sn_world_energies(s.world, &before, NULL), SN_OK);
    step(&s, 100);
    assert_int_equal(sn_world_energies(s.world, &after, NULL), SN_OK);
    assert_near(after.kinetic, before.kinetic, 1e-3 * before.kinetic);
    double x[3 * 400];
    sn_world_get(s.world, 0, x, NULL);
    const sn_mesh *mesh = sn_world_body_mesh(s.world, 0);
    int first = -1, last = -1;
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *X = mesh->position + 3 * i;
        if (X[1] != 0 || X[2] != 0) continue;
        if (X[0] == 0) first = i;
        if (X[0] == 1) last = i;
    }
    const double angle = atan2(-(x[3 * last + 2] - x[3 * first + 2]), x[3 * last] - x[3 * first]);
    assert_near(angle, 2.0, 0.01); /* 2 rad/s for 1 s */
    scene_end(&s);
}

/* Statics: a clamped bar with a rigid middle sags less than one without, and its middle stays straight. */
static void statics_with_a_core(void **state) {
    double tip[2];
    for (int rigid = 0; rigid < 2; ++rigid) {
        scene s;
        bar_with_core(&s, "implicit-euler", 0.01);
        s.body.rigid_count = rigid;
        clamp_left(&s);
        set_constant(&s.material, "young", 1e6);
        s.options.gravity[1] = -9.81;
        snprintf(s.options.time.mode, sizeof s.options.time.mode, "static");
        add_probe(&s, SN_QUANTITY_DISPLACEMENT, 1, 0.15, 0.15);
        scene_create(&s);
        step(&s, 1);
        double value[6];
        probe(&s, 0, value);
        tip[rigid] = value[1];
        if (rigid) assert_true(distortion(&s) < 1e-12);
        scene_end(&s);
    }
    assert_true(tip[0] < 0 && tip[1] < 0 && tip[1] > 0.9 * tip[0]);
}

static void wrong_selections(void **state) {
    scene s;
    bar_with_core(&s, "implicit-euler", 0.01);
    s.fix[0].select = box_selector(0.5, -1, -1, 1, 1, 1);
    s.body.fix_count = 1;
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
    assert_non_null(strstr(s.error.text, "rigid.0"));
    assert_non_null(strstr(s.error.text, "held by a fix"));
    s.body.fix_count = 0;
    const sn_selector twice[2] = {middle, box_selector(0.6, -1, -1, 1, 1, 1)};
    s.body.rigid = twice;
    s.body.rigid_count = 2;
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
    assert_non_null(strstr(s.error.text, "rigid.1"));
    s.body.rigid_count = 1;
    static const char *const methods[] = {"ldlt", "eisenstat"};
    for (int i = 0; i < 2; ++i) {
        snprintf(s.options.solver.method, sizeof s.options.solver.method, "%s", methods[i]);
        assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_UNSUPPORTED);
        assert_string_equal(s.error.path, "solver.method");
    }
    s.options.solver = sn_solver_options_default();
    scene_create(&s);
    assert_int_equal(sn_world_pin(s.world, 0, 4, true, &s.error), SN_BAD_INPUT);
    sn_solver_options solver = s.options.solver;
    snprintf(solver.method, sizeof solver.method, "ldlt");
    assert_int_equal(sn_world_set_solver(s.world, &solver, &s.error), SN_UNSUPPORTED);
    scene_end(&s);
}

/* A core at the base of a body stands on a collider of either response. */
static void test_core_on_collider(void **state) {
    (void)state;
    for (int projects = 0; projects < 2; ++projects) {
        scene s;
        scene_start(&s, NULL, 0.2, 0.1, 0.2, 2, 2, 2);
        set_constant(&s.material, "young", 1e5);
        s.material.rayleigh[0] = 2;
        const sn_selector base = box_selector(-1, -1, -1, 1, 1e-9, 1);
        s.body.rigid = &base;
        s.body.rigid_count = 1;
        set_place(&s.collider[0], "point", 0, -0.02, 0);
        if (projects) strcpy(s.collider[0].response, "projection");
        s.options.collider_count = 1;
        sn_probe *p = add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0);
        p->at = SN_PROBE_SELECT, p->select = base;
        p = add_probe(&s, SN_QUANTITY_REACTION, 0, 0, 0);
        p->at = SN_PROBE_SELECT, p->select = base;
        scene_create(&s);
        step(&s, 150);
        double v[6];
        probe(&s, 0, v);
        assert_near(v[1], -0.02, 2e-4);
        probe(&s, 1, v);
        assert_near(v[1], 4 * 9.81, 0.05);
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_shape_and_momentum), cmocka_unit_test(whole_body_turns),
                                       cmocka_unit_test(statics_with_a_core), cmocka_unit_test(wrong_selections),
                                       cmocka_unit_test(test_core_on_collider)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
