/* Wind: the force of a fluid on bodies that move and rest, its two coefficients, gusts, falling plates, bad input.
 * test_interaction.c compares its derivatives with differences. */
#include "scene.h"

static const double SIDE = 0.1, DENSITY = 800;

/* A free bar of 3 x 1 x 1 sides in a fluid, with a probe of the force of the fluid. */
static void bar(scene *s, const char *element) {
    scene_start(s, NULL, 3 * SIDE, SIDE, SIDE, 3, 1, 1);
    strcpy(s->body.element, element);
    memset(s->options.gravity, 0, sizeof s->options.gravity);
    s->body.wind = (sn_wind){.density = DENSITY, .drag = 1, .lift = 1};
    sn_probe *p = add_probe(s, SN_QUANTITY_FORCE, 0, 0, 0);
    p->at = SN_PROBE_SELECT;
    p->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    strcpy(p->interaction, "wind");
}

static double total_energy(scene *s) {
    sn_energies energies;
    assert_int_equal(sn_world_energies(s->world, &energies, &s->error), SN_OK);
    return energies.total;
}

/* A bar that moves: rho / 2 v^2 on its front and on its back. A fluid that rests never drives it. */
static void test_fluid_at_rest(void **state) {
    (void)state;
    static const char *const element[] = {"tet4", "tet10"};
    for (int k = 0; k < 2; ++k) {
        scene s;
        bar(&s, element[k]);
        s.body.initial.velocity[0] = 0.5, s.body.initial.velocity[1] = -0.2;
        scene_create(&s);
        double value[6];
        probe(&s, 0, value);
        assert_near(value[0], -DENSITY * 0.25 * SIDE * SIDE, 1e-9);
        assert_near(value[1], DENSITY * 0.04 * 3 * SIDE * SIDE, 1e-9);
        assert_near(value[2], 0, 1e-9);
        double before = total_energy(&s);
        const double start = before;
        for (int i = 0; i < 20; ++i) {
            step(&s, 1);
            const double after = total_energy(&s);
            assert_true(after <= before * (1 + 1e-9));
            before = after;
        }
        assert_true(before < 0.9 * start);
        scene_end(&s);
    }
}

/* Only relative motion counts: the wind on a bar at rest is the drag of a bar that moves the other way. */
static void test_fluid_that_moves(void **state) {
    (void)state;
    scene s;
    bar(&s, "tet4");
    s.body.wind.velocity[0] = -0.5, s.body.wind.velocity[1] = 0.2;
    scene_create(&s);
    double value[6];
    probe(&s, 0, value);
    assert_near(value[0], -DENSITY * 0.25 * SIDE * SIDE, 1e-9);
    assert_near(value[1], DENSITY * 0.04 * 3 * SIDE * SIDE, 1e-9);
    assert_near(value[2], 0, 1e-9);
    scene_end(&s);
}

/* The two parts of the force on faces that the stream meets at an angle: the drag along the stream with the power
 * rho / 2 A |u_n|^3, the lift across it. */
static void test_coefficients(void **state) {
    (void)state;
    const double u[2] = {0.5, -0.2}, area[2] = {SIDE * SIDE, 3 * SIDE * SIDE};
    for (int k = 0; k < 3; ++k) {
        scene s;
        bar(&s, "tet4");
        s.body.wind.drag = k == 1 ? 0 : 1.5, s.body.wind.lift = k == 0 ? 0 : 0.7;
        memcpy(s.body.initial.velocity, u, sizeof u);
        scene_create(&s);
        double value[6], expected[2] = {0, 0}, normal[2], power = 0;
        for (int a = 0; a < 2; ++a) {
            normal[a] = -DENSITY * area[a] * fabs(u[a]) * u[a]; /* both faces */
            power += normal[a] * u[a];
        }
        for (int a = 0; a < 2; ++a) {
            const double along = power * u[a] / (u[0] * u[0] + u[1] * u[1]);
            expected[a] = s.body.wind.drag * along + s.body.wind.lift * (normal[a] - along);
        }
        probe(&s, 0, value);
        for (int a = 0; a < 2; ++a) assert_near(value[a], expected[a], 1e-9);
        assert_near(value[2], 0, 1e-9);
        scene_end(&s);
    }
}

/* Keys give the velocity of the fluid at the present time. */
static void test_gusts(void **state) {
    (void)state;
    static const double key[] = {0, 0, 0, 0, 1, 4, 0, 0, 2, 4, 0, 0};
    scene s;
    bar(&s, "tet4");
    clamp_left(&s);
    s.material.rayleigh[1] = 0.05;
    set_constant(&s.material, "young", 1e7);
    s.body.wind.key = key, s.body.wind.key_count = 3;
    s.options.time.step = 0.05;
    scene_create(&s);
    double value[6];
    step(&s, 10);
    probe(&s, 0, value);
    assert_near(value[0], DENSITY * 4 * SIDE * SIDE, 1e-2 * DENSITY * 4 * SIDE * SIDE);
    step(&s, 30);
    probe(&s, 0, value);
    assert_near(value[0], DENSITY * 16 * SIDE * SIDE, 1e-2 * DENSITY * 16 * SIDE * SIDE);
    scene_end(&s);
}

/* A plate that falls flat reaches the speed at which both of its sides together carry its weight. */
static void test_terminal_speed(void **state) {
    (void)state;
    scene s;
    bar(&s, "tet4");
    s.options.gravity[1] = -9.81;
    s.options.time.step = 0.01;
    s.body.wind.drag = s.body.wind.lift = 1.3;
    scene_create(&s);
    step(&s, 300);
    const double area = 3 * SIDE * SIDE, mass = s.material.density * area * SIDE,
                 speed = sqrt(mass * 9.81 / (1.3 * DENSITY * area));
    double value[6];
    probe(&s, 0, value);
    assert_near(value[1], mass * 9.81, 1e-6 * mass * 9.81);
    double kinetic = 0.5 * mass * speed * speed;
    sn_energies energies;
    assert_int_equal(sn_world_energies(s.world, &energies, &s.error), SN_OK);
    assert_near(energies.kinetic, kinetic, 1e-6 * kinetic);
    scene_end(&s);
}

static void refused(const sn_wind *wind, const char *element, const char *path) {
    scene s;
    bar(&s, element);
    s.body.wind = *wind;
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
    assert_string_equal(s.error.path, path);
    scene_end(&s);
}

static void test_bad_input(void **state) {
    (void)state;
    static const double key[] = {1, 0, 0, 0, 0, 1, 1, 1};
    refused(&(sn_wind){.density = 1.2, .drag = -1}, "tet4", "bodies.0.wind.drag");
    refused(&(sn_wind){.density = 1.2, .drag = 1, .lift = NAN}, "tet4", "bodies.0.wind.lift");
    refused(&(sn_wind){.density = 0, .drag = 1}, "tet4", "bodies.0.wind.density");
    refused(&(sn_wind){.density = 1.2, .velocity = {1, 0, 0}}, "tet4", "bodies.0.wind.velocity");
    refused(&(sn_wind){.density = 1000}, "tet4", "bodies.0.wind.density");
    refused(&(sn_wind){.density = 1.2, .key = key, .key_count = 2, .drag = 1}, "tet4", "bodies.0.wind.keys.1");
    refused(&(sn_wind){.density = 1.2, .velocity = {1, 0, 0}, .key = key, .key_count = 1, .drag = 1}, "tet4",
            "bodies.0.wind.velocity");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fluid_at_rest),  cmocka_unit_test(test_fluid_that_moves),
        cmocka_unit_test(test_coefficients),   cmocka_unit_test(test_gusts),
        cmocka_unit_test(test_terminal_speed), cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
