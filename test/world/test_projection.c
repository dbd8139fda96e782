/* The collider response `projection`: on the surface to rounding, carries the weight, lets go, sticks and slips by
 * Coulomb's law, on moving and curved colliders, with every way to solve; saved and restored to the same bits. */
#include "scene.h"

static void start(scene *s, double friction) {
    scene_start(s, NULL, 0.2, 0.1, 0.2, 2, 1, 2);
    set_constant(&s->material, "young", 2e5);
    s->material.rayleigh[0] = 1;
    snprintf(s->collider[0].response, sizeof s->collider[0].response, "projection");
    s->collider[0].friction = friction;
    s->options.collider_count = 1;
}

static double lowest(scene *s) {
    double x[3 * 64], low = INFINITY;
    sn_world_get(s->world, 0, x, NULL);
    for (int i = 0; i < sn_world_node_count(s->world); ++i) low = fmin(low, x[3 * i + 1]);
    return low;
}

/* Dropped, it never penetrates, is never pulled, comes to rest with all of its weight on the plane and no jitter. */
static void test_drop(void **state) {
    (void)state;
    scene s;
    start(&s, 0);
    set_place(&s.collider[0], "point", 0, -0.2, 0);
    sn_probe *p = add_probe(&s, SN_QUANTITY_REACTION, 0, 0, 0);
    p->at = SN_PROBE_SELECT, p->select = box_selector(-1, -1e-9, -1, 1, 1e-9, 1);
    scene_create(&s);
    double v[6];
    bool touched = false;
    const double weight = 1000 * 0.2 * 0.1 * 0.2 * 9.81;
    for (int i = 0; i < 250; ++i) {
        step(&s, 1);
        const double low = lowest(&s);
        assert_true(low > -0.2 - 1e-8);
        if (low < -0.2 + 1e-8) touched = true;
        probe(&s, 0, v);
        assert_true(v[1] > -1e-3 * weight); /* it never pulls */
    }
    assert_true(touched);
    sn_step_report report;
    for (int i = 0; i < 20; ++i) {
        assert_int_equal(sn_world_step(s.world, &report, &s.error), SN_OK);
        assert_true(report.contacts > 0);
    }
    probe(&s, 0, v);
    assert_near(v[1], weight, 2e-3 * weight);
    sn_energies e;
    sn_world_energies(s.world, &e, NULL);
    assert_true(e.kinetic < 1e-7);
    scene_end(&s);
}

/* On a slope of 1 in 2: friction above holds without any creep, friction below lets it slide with g (sin - mu cos). */
static void test_slope(void **state) {
    (void)state;
    const double mu[2] = {0.6, 0.3};
    for (int k = 0; k < 2; ++k) {
        scene s;
        start(&s, mu[k]);
        /* The slope is in gravity; the plane stays level. */
        const double g = 9.81 / sqrt(1.25);
        s.options.gravity[0] = 0.5 * g, s.options.gravity[1] = -g;
        s.options.time.step = 0.01;
        s.material.rayleigh[0] = 0;
        s.material.rayleigh[1] = 0.01;
        sn_probe *p = add_probe(&s, SN_QUANTITY_VELOCITY, 0, 0, 0);
        p->at = SN_PROBE_SELECT, p->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
        add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0);
        scene_create(&s);
        double v0[6], v1[6], x0[6], x1[6];
        step(&s, 60);
        probe(&s, 0, v0), probe(&s, 1, x0);
        step(&s, 40);
        probe(&s, 0, v1), probe(&s, 1, x1);
        if (k == 0) {
            assert_near(x1[0], x0[0], 1e-9);
            assert_near(v1[0], 0, 1e-5);
        } else {
            assert_near((v1[0] - v0[0]) / 0.4, (0.5 - 0.3) * g, 0.02 * g);
        }
        scene_end(&s);
    }
}

/* Sliding, it stops within v^2 / (2 mu g) and then stays. */
static void test_stop(void **state) {
    (void)state;
    scene s;
    start(&s, 0.4);
    s.body.initial.velocity[0] = 1;
    s.material.rayleigh[0] = 0;
    s.material.rayleigh[1] = 0.01;
    sn_probe *p = add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0);
    p->at = SN_PROBE_SELECT, p->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0);
    scene_create(&s);
    double v[6], w[6], begin[6];
    probe(&s, 0, begin);
    step(&s, 60);
    probe(&s, 0, v);
    assert_near(v[0] - begin[0], 1 / (2 * 0.4 * 9.81), 0.03);
    probe(&s, 1, v);
    step(&s, 20);
    probe(&s, 1, w);
    assert_near(w[0], v[0], 1e-9);
    scene_end(&s);
}

/* A plane that rises carries the body up at its own speed; the surface is met to rounding at each step. */
static void test_moving(void **state) {
    (void)state;
    static const double key[] = {0, 0, 0, 0, 0.2, 0, 0, 0, 1.2, 0.1, 0.5, 0};
    scene s;
    start(&s, 1);
    s.material.rayleigh[0] = 5;
    s.collider[0].key = key, s.collider[0].key_count = 3;
    add_probe(&s, SN_QUANTITY_POSITION, 0.1, 0, 0.1);
    scene_create(&s);
    double v[6];
    for (int i = 0; i < 119; ++i) {
        step(&s, 1);
        const double t = sn_world_time(s.world), height = t > 0.2 ? 0.5 * (t - 0.2) : 0;
        assert_true(lowest(&s) > height - 1e-8);
    }
    probe(&s, 0, v);
    assert_near(v[1], 0.495, 1e-3);
    assert_near(v[0], 0.1 + 0.099, 2e-3); /* friction takes it along */
    scene_end(&s);
}

/* A plane that falls away faster than the body leaves it in free fall. */
static void test_release(void **state) {
    (void)state;
    static const double key[] = {0, 0, 0, 0, 0.3, 0, 0, 0, 1.3, 0, -5, 0};
    scene s;
    start(&s, 0.5);
    s.material.rayleigh[0] = 0;
    s.material.rayleigh[1] = 0.01;
    s.collider[0].key = key, s.collider[0].key_count = 3;
    sn_probe *p = add_probe(&s, SN_QUANTITY_VELOCITY, 0, 0, 0);
    p->at = SN_PROBE_SELECT, p->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    scene_create(&s);
    double v[6];
    step(&s, 60);
    probe(&s, 0, v);
    assert_near(v[1], -9.81 * 0.3, 0.03);
    assert_true(lowest(&s) > -1.4);
    scene_end(&s);
}

/* Inside a sphere: it slides to the lowest place and stays inside. */
static void test_bowl(void **state) {
    (void)state;
    scene s;
    start(&s, 0);
    make_ball(&s.collider[0], 0.25, 0.38, 0.1, 0.5);
    s.collider[0].inside = true;
    s.material.rayleigh[0] = 8;
    sn_probe *p = add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0);
    p->at = SN_PROBE_SELECT, p->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    scene_create(&s);
    double x[3 * 64], v[6];
    for (int i = 0; i < 200; ++i) {
        step(&s, 1);
        sn_world_get(s.world, 0, x, NULL);
        for (int k = 0; k < sn_world_node_count(s.world); ++k) {
            const double d[3] = {x[3 * k] - 0.25, x[3 * k + 1] - 0.38, x[3 * k + 2] - 0.1};
            assert_true(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) < 0.5 + 1e-4);
        }
    }
    probe(&s, 0, v);
    assert_near(v[0], 0.25, 0.01);
    assert_near(v[2], 0.1, 0.01);
    scene_end(&s);
}

/* Filtered CG, filtered Eisenstat and a kept factor with Woodbury's correction walk the same way through an impact. */
static void test_solvers(void **state) {
    (void)state;
    const char *name[3] = {"cg", "eisenstat", "ldlt"};
    double x[3][3 * 64];
    for (int k = 0; k < 3; ++k) {
        scene s;
        start(&s, 0.3);
        set_place(&s.collider[0], "point", 0, -0.05, 0);
        set_place(&s.collider[0], "normal", 0.2, 1, 0);
        s.options.solver.tolerance = 1e-10;
        s.options.time.newton.tolerance = 1e-9;
        snprintf(s.options.solver.method, sizeof s.options.solver.method, "%s", name[k]);
        scene_create(&s);
        step(&s, 40);
        sn_world_get(s.world, 0, x[k], NULL);
        scene_end(&s);
    }
    for (int k = 1; k < 3; ++k)
        for (int i = 0; i < 3 * 18; ++i) assert_near(x[k][i], x[0][i], 1e-6);
}

/* The contacts are in the state: a run that is restored in the middle of one goes on with the same bits. */
static void test_save(void **state) {
    (void)state;
    scene s;
    start(&s, 0.3);
    set_place(&s.collider[0], "point", 0, -0.05, 0);
    s.body.initial.velocity[0] = 0.5;
    scene_create(&s);
    step(&s, 18);
    const size_t size = sn_world_state_size(s.world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s.world, bytes, size, NULL), SN_OK);
    char one[17], two[17];
    step(&s, 15);
    sn_world_hash(s.world, one);
    assert_int_equal(sn_world_restore_state(s.world, bytes, size, NULL), SN_OK);
    step(&s, 15);
    sn_world_hash(s.world, two);
    assert_string_equal(one, two);
    sn_world_destroy(s.world);
    scene_create(&s);
    assert_int_equal(sn_world_restore_state(s.world, bytes, size, NULL), SN_OK);
    step(&s, 15);
    sn_world_hash(s.world, two);
    assert_string_equal(one, two);
    free(bytes);
    scene_end(&s);
}

/* Statics: a held block pressed on a plane; what the plane carries and the support carry is the weight. */
static void test_static(void **state) {
    (void)state;
    scene s;
    start(&s, 0);
    snprintf(s.options.time.mode, sizeof s.options.time.mode, "static");
    clamp_left(&s);
    set_place(&s.collider[0], "point", 0, -1e-4, 0);
    sn_probe *p = add_probe(&s, SN_QUANTITY_REACTION, 0, 0, 0);
    p->at = SN_PROBE_SELECT, p->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    scene_create(&s);
    step(&s, 1);
    double v[6];
    probe(&s, 0, v);
    const double weight = 1000 * 0.2 * 0.1 * 0.2 * 9.81;
    assert_near(v[1], weight, 1e-4 * weight);
    assert_near(lowest(&s), -1e-4, 1e-9);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop),    cmocka_unit_test(test_slope),   cmocka_unit_test(test_stop),
        cmocka_unit_test(test_moving),  cmocka_unit_test(test_release), cmocka_unit_test(test_bowl),
        cmocka_unit_test(test_solvers), cmocka_unit_test(test_save),    cmocka_unit_test(test_static)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
