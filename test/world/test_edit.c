/* Edits between steps: the state survives a change that compiles the bodies again. */
#include "scene.h"

/* A bar that hangs from a link and meets a projecting ground, with a method that remembers its last steps. Half-way an
 * edit compiles the body again without changing its physics (a damping that is far below rounding). */
static void run(const char *method, bool edited, double *position) {
    sn_link link = sn_link_default();
    scene s;
    scene_start(&s, NULL, 0.3, 0.1, 0.1, 3, 1, 1);
    snprintf(s.material.law, sizeof s.material.law, "stvk");
    set_constant(&s.material, "young", 1e5);
    const double at[3] = {0.02, 0.05, 0.05};
    memcpy(link.point, at, sizeof at), memcpy(link.to, at, sizeof at);
    s.body.link = &link, s.body.link_count = 1;
    snprintf(s.options.time.method, sizeof s.options.time.method, "%s", method);
    s.options.time.step = 0.005;
    s.options.collider_count = 1;
    s.collider[0] = sn_collider_plane((double[3]){0, -0.03, 0}, (double[3]){0, 1, 0});
    snprintf(s.collider[0].response, sizeof s.collider[0].response, "projection");
    scene_create(&s);
    step(&s, 20);
    s.material.rayleigh[0] = 1e-300;
    if (edited) assert_int_equal(sn_world_set_material(s.world, 0, 0, &s.material, &s.error), SN_OK);
    step(&s, 20);
    sn_world_get(s.world, 0, position, NULL);
    scene_end(&s);
}

static void test_recompile_keeps_the_state(void **state) {
    (void)state;
    const char *method[3] = {"bdf2", "bdf4", "implicit-euler"};
    for (int k = 0; k < 3; ++k) {
        double plain[3 * 16], edited[3 * 16];
        run(method[k], false, plain);
        run(method[k], true, edited);
        for (int i = 0; i < 3 * 16; ++i) assert_near(edited[i], plain[i], 1e-5 * 0.3);
    }
}

/* A body on a plane that has no fix, load, link or collider at first: each is added, changed and removed, and has its
 * effect. */
static double mean_height(scene *s) {
    double x[3 * 16], sum = 0;
    sn_world_get(s->world, 0, x, NULL);
    for (int i = 0; i < 16; ++i) sum += x[3 * i + 1] / 16;
    return sum;
}

static void start_free(scene *s) {
    scene_start(s, NULL, 0.3, 0.1, 0.1, 3, 1, 1);
    set_constant(&s->material, "young", 1e5);
    s->options.gravity[1] = 0;
    scene_create(s);
}

static void test_loads_come_and_go(void **state) {
    (void)state;
    scene s;
    start_free(&s);
    sn_load load = sn_load_default();
    load.select = (sn_selector){.kind = SN_SELECT_ALL};
    load.kind = SN_LOAD_BODY, load.value[1] = 1000; /* 1 m/s^2 */
    int id = -1;
    assert_int_equal(sn_world_add_load(s.world, 0, &load, &id, &s.error), SN_OK);
    step(&s, 10);
    const double up = mean_height(&s);
    assert_near(up, 0.05 + 0.0001 * 55, 1e-9); /* implicit Euler: h^2 a n (n + 1) / 2 */
    load.value[1] = 0;
    assert_int_equal(sn_world_change_load(s.world, id, 0, &load, &s.error), SN_OK);
    step(&s, 10);
    assert_near(mean_height(&s), up + 0.1 * 0.1, 1e-9);
    assert_int_equal(sn_world_remove_load(s.world, id, &s.error), SN_OK);
    assert_int_equal(sn_world_remove_load(s.world, id, &s.error), SN_BAD_INPUT);
    assert_int_equal(sn_world_add_load(s.world, 1, &load, &id, &s.error), SN_BAD_INPUT);
    load.value[0] = NAN;
    assert_int_equal(sn_world_add_load(s.world, 0, &load, &id, &s.error), SN_BAD_INPUT);
    scene_end(&s);
}

static void test_forces_from_outside(void **state) {
    (void)state;
    scene s;
    start_free(&s);
    double force[3 * 16] = {0}, x[3 * 16];
    for (int i = 0; i < 16; ++i) force[3 * i + 1] = 3.0 / 16; /* 3 N on 3 kg, but not in proportion to the masses */
    assert_int_equal(sn_world_set_forces(s.world, 0, force, &s.error), SN_OK);
    step(&s, 10);
    double linear[3], angular[3];
    sn_world_momentum(s.world, linear, angular);
    assert_near(linear[1], 3 * 0.1, 1e-9);
    assert_int_equal(sn_world_set_forces(s.world, 0, NULL, &s.error), SN_OK);
    step(&s, 10);
    sn_world_momentum(s.world, linear, angular);
    assert_near(linear[1], 3 * 0.1, 1e-9);
    force[5] = INFINITY;
    assert_int_equal(sn_world_set_forces(s.world, 0, force, &s.error), SN_NOT_FINITE);
    assert_int_equal(sn_world_set_forces(s.world, -1, force, &s.error), SN_BAD_INPUT);
    assert_int_equal(sn_world_get(s.world, 3, x, NULL), SN_BAD_INPUT);
    scene_end(&s);
}

static void test_fixes_come_and_go(void **state) {
    (void)state;
    scene s;
    start_free(&s);
    const double gravity[3] = {0, -10, 0};
    assert_int_equal(sn_world_set_gravity(s.world, gravity, &s.error), SN_OK);
    sn_fix fix = sn_fix_default();
    fix.select = (sn_selector){.kind = SN_SELECT_ALL};
    int id = -1;
    assert_int_equal(sn_world_add_fix(s.world, 0, &fix, &id, &s.error), SN_OK);
    step(&s, 5);
    assert_near(mean_height(&s), 0.05, 1e-12);
    fix.displacement[1] = 0.2;
    assert_int_equal(sn_world_change_fix(s.world, id, 0, &fix, &s.error), SN_OK);
    step(&s, 1);
    assert_near(mean_height(&s), 0.25, 1e-12);
    assert_int_equal(sn_world_remove_fix(s.world, id, &s.error), SN_OK);
    step(&s, 5);
    assert_true(mean_height(&s) < 0.25 - 0.01);
    assert_int_equal(sn_world_change_fix(s.world, id, 0, &fix, &s.error), SN_BAD_INPUT);
    scene_end(&s);
}

static void test_colliders_come_and_go(void **state) {
    (void)state;
    const char *response[2] = {"penalty", "projection"};
    for (int k = 0; k < 2; ++k) {
        scene s;
        start_free(&s);
        const double gravity[3] = {0, -10, 0};
        sn_world_set_gravity(s.world, gravity, NULL);
        sn_collider ground = s.collider[0];
        snprintf(ground.response, sizeof ground.response, "%s", response[k]);
        int id = -1;
        assert_int_equal(sn_world_add_collider(s.world, &ground, &id, &s.error), SN_OK);
        sn_step_report report = {0};
        for (int i = 0; i < 20; ++i) assert_int_equal(sn_world_step(s.world, &report, &s.error), SN_OK);
        assert_near(mean_height(&s), 0.05, 0.005);
        assert_int_equal(report.contacts, 8);
        assert_int_equal(sn_world_remove_collider(s.world, id, &s.error), SN_OK);
        assert_int_equal(sn_world_collider_count(s.world), 0);
        step(&s, 10);
        assert_true(mean_height(&s) < 0.05 - 0.02);
        scene_end(&s);
    }
}

static void test_links_come_and_go(void **state) {
    (void)state;
    scene s;
    start_free(&s);
    const double gravity[3] = {0, -10, 0}, at[3] = {0.15, 0.05, 0.05};
    sn_world_set_gravity(s.world, gravity, NULL);
    int id[20];
    for (int i = 0; i < 20; ++i) { /* more than sixteen, all alike: they share the weight */
        sn_link link = sn_link_default();
        memcpy(link.point, at, sizeof at), memcpy(link.to, at, sizeof at);
        assert_int_equal(sn_world_add_link(s.world, 0, &link, &id[i], &s.error), SN_OK);
    }
    step(&s, 30);
    double error[3], force[3], total = 0;
    for (int i = 0; i < 20; ++i) {
        assert_int_equal(sn_world_link(s.world, i, error, force), SN_OK);
        assert_near(error[1], 0, 1e-8);
        total += force[1];
    }
    assert_true(total > 10 && total < 80); /* about 30 N, while the body still swings */
    for (int i = 0; i < 20; ++i) assert_int_equal(sn_world_remove_link(s.world, id[i], &s.error), SN_OK);
    assert_int_equal(sn_world_link_count(s.world), 0);
    assert_int_equal(sn_world_link(s.world, 0, error, force), SN_BAD_INPUT);
    const double before = mean_height(&s);
    step(&s, 10);
    assert_true(mean_height(&s) < before - 0.02);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recompile_keeps_the_state), cmocka_unit_test(test_loads_come_and_go),
        cmocka_unit_test(test_forces_from_outside),       cmocka_unit_test(test_fixes_come_and_go),
        cmocka_unit_test(test_colliders_come_and_go),     cmocka_unit_test(test_links_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
