/* Tools: the force on the hand and on the body, and everything that makes it zero. */
#include "tool_scene.h"

static const char *const buffers[] = {"still-plane", "plane", "patch", "compliance"};

static void choose(sn_tool_options *tool, const char *buffer) {
    snprintf(tool->buffer, sizeof tool->buffer, "%s", buffer);
}

/* ---- Forces ---- */

static void check_agreement(scene *s, const char *what) {
    sn_interaction_errors errors;
    assert_int_equal(sn_world_check_interaction(s->world, "tools", &errors, &s->error), SN_OK);
    print_message("%-12s energy %.1e stiffness %.1e damping %.1e\n", what, errors.energy, errors.stiffness,
                  errors.damping);
    assert_true(errors.energy < 1e-6 && errors.stiffness < 1e-6 && errors.damping < 1e-6);
}

/* The energy's gradient, the force and the blocks agree: pressing, with friction that sticks and that slips, clamped,
 * and above the limit. */
static void test_force_agrees(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double friction, limit, way;
        bool clamp;
    } cases[] = {{"press", 0, 10, 0, false},    {"stick", 1, 10, 0.002, false}, {"slip", 0.2, 10, 0.006, false},
                 {"clamp", 0, 10, 0.006, true}, {"limit", 0, 0.4, 0, false},    {"clamp limit", 0, 0.4, 0.004, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        scene s;
        sn_tool_options tool;
        tool_scene_start(&s, NULL, &tool);
        tool.friction = cases[i].friction, tool.limit = cases[i].limit, tool.clamp = cases[i].clamp;
        tool.damping = 0.5, tool.radius = 0.004;
        scene_create(&s);
        hand h = hand_of(&s, 0.05, 0.08, 0.055);
        hand_go(&s, &h, 10, 0.05, 0.055, 0.055);
        sn_haptic_button(h.tool, true);
        hand_go(&s, &h, 3, 0.05, 0.054, 0.055);
        hand_go(&s, &h, 2, 0.05 + cases[i].way, 0.053, 0.055);
        hand_go(&s, &h, 1, 0.0505 + cases[i].way, 0.053, 0.055);
        const sn_tool_state now = tool_state(&s);
        assert_true(now.touches && now.clamped == cases[i].clamp);
        assert_true(size_of(now.force) > 0.2);
        check_agreement(&s, cases[i].name);
        scene_end(&s);
    }
}

/* Held still, the force on the hand is the one on the body, and the one that the ground gives back. */
static void check_equilibrium(scene *s, const char *name, double x, double y, double z) {
    sn_probe *probe_of_ground = add_probe(s, SN_QUANTITY_REACTION, 0, 0, 0);
    probe_of_ground->at = SN_PROBE_SELECT, probe_of_ground->select = box_selector(-1, -1, -1, 1, 1e-9, 1);
    scene_create(s);
    hand h = hand_of(s, x, 0.09, z);
    hand_go(s, &h, 10, x, y, z);
    hand_go(s, &h, 150, x, y, z);
    const sn_tool_state now = tool_state(s);
    double ground[9];
    probe(s, 0, ground);
    double apart = 0, unbalanced = 0;
    for (int a = 0; a < 3; ++a) {
        apart = fmax(apart, fabs(h.force[a] - now.force[a]));
        unbalanced = fmax(unbalanced, fabs(h.force[a] - ground[a]));
    }
    print_message("%-12s force %.4f N, from the simulation %.2e, from the ground %.2e of it\n", name, size_of(h.force),
                  apart / size_of(h.force), unbalanced / size_of(h.force));
    assert_true(size_of(h.force) > 0.3);
    assert_true(apart < 0.005 * size_of(h.force) && unbalanced < 0.005 * size_of(h.force));
}

static void test_equilibrium(void **state) {
    (void)state;
    for (size_t b = 0; b < 4; ++b)
        for (int element = 0; element < 2; ++element) {
            scene s;
            sn_tool_options tool;
            tool_scene_start(&s, NULL, &tool);
            if (element) snprintf(s.body.element, sizeof s.body.element, "tet10");
            choose(&tool, buffers[b]);
            tool.radius = b % 2 ? 0.003 : 0;
            check_equilibrium(&s, buffers[b], 0.055, 0.05, 0.052);
            scene_end(&s);
        }
}

/* The same on a detailed surface, which tets carry. */
static void test_equilibrium_embedded(void **state) {
    (void)state;
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    sn_mesh *detail = box_mesh(s.context, 0.11, 0.055, 0.11, 9, 5, 9, 5);
    s.body.surface = detail;
    check_equilibrium(&s, "embedded", 0.053, 0.045, 0.052);
    sn_mesh_destroy(detail);
    scene_end(&s);
}

static void test_outside_and_pressing(void **state) {
    (void)state;
    for (size_t b = 0; b < 4; ++b) {
        scene s;
        sn_tool_options tool;
        tool_scene_start(&s, NULL, &tool);
        choose(&tool, buffers[b]);
        scene_create(&s);
        hand h = hand_of(&s, 0.05, 0.09, 0.055);
        for (int i = 0; i < 20; ++i) {
            hand_go(&s, &h, 1, 0.05, 0.09 - 0.001 * i, 0.055);
            assert_true(size_of(h.force) == 0);
        }
        /* in, and out again: it never pulls */
        double most = 0;
        for (int i = 0; i < 400; ++i) {
            if (i % 10 == 0) step(&s, 1);
            hand_tick(&h, 0.001, 0.05, 0.071 - 0.025 * sin(i * 3.14159265 / 400), 0.055);
            assert_true(h.force[1] >= 0);
            most = fmax(most, h.force[1]);
        }
        assert_true(most > 0.5);
        hand_go(&s, &h, 3, 0.05, 0.08, 0.055);
        assert_true(size_of(h.force) == 0 && size_of(tool_state(&s).force) == 0);
        scene_end(&s);
    }
}

/* ---- What makes the force zero ---- */

static void test_ramp(void **state) {
    (void)state;
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    tool.ramp = 0.1;
    scene_create(&s);
    hand h = hand_of(&s, 0.05, 0.05, 0.055); /* it comes inside */
    double last = -1;
    for (int i = 0; i < 20; ++i) {
        hand_go(&s, &h, 1, 0.05, 0.05, 0.055);
        assert_true(h.force[1] <= 200 * 0.01 * (i + 1) * 0.1 + 1e-9);
        assert_true(i > 2 || h.force[1] > last);
        last = h.force[1];
    }
    assert_true(last > 0.3);
    hand_go(&s, &h, 10, 0.05, 0.07, 0.055);
    hand_go(&s, &h, 10, 0.05, 0.05, 0.055); /* from outside there is no ramp */
    assert_true(h.force[1] > 0.8 * last);
    scene_end(&s);
}

static void test_limit(void **state) {
    (void)state;
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    tool.limit = 0.25, tool.friction = 0.5;
    scene_create(&s);
    hand h = hand_of(&s, 0.05, 0.08, 0.055);
    for (int i = 0; i < 40; ++i) {
        hand_go(&s, &h, 1, 0.05 + 0.0005 * i, 0.08 - 0.001 * i, 0.055);
        assert_true(size_of(h.force) <= 0.25 + 1e-12);
        assert_true(size_of(tool_state(&s).force) <= 0.25 * 1.01);
    }
    assert_true(size_of(h.force) > 0.249);
    scene_end(&s);
}

static void press_in(scene *s, hand *h) {
    *h = hand_of(s, 0.05, 0.07, 0.055);
    hand_go(s, h, 20, 0.05, 0.052, 0.055);
    assert_true(size_of(h->force) > 0.2);
    assert_true(size_of(tool_state(s).force) > 0.2);
}

static void test_jump(void **state) {
    (void)state;
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    tool.ramp = 0.1;
    scene_create(&s);
    hand h;
    press_in(&s, &h);
    hand_tick(&h, 0.001, 0.11, 0.045, 0.055);
    assert_true(size_of(h.force) == 0);
    step(&s, 1);
    assert_true(size_of(tool_state(&s).force) == 0);
    hand_tick(&h, 0.001, 0.11, 0.045, 0.055);
    assert_true(size_of(h.force) < 0.1 * 200 * 0.015); /* it rises again */
    scene_end(&s);
}

static void test_nan_and_lost(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        scene s;
        sn_tool_options tool;
        tool_scene_start(&s, NULL, &tool);
        scene_create(&s);
        hand h;
        press_in(&s, &h);
        if (kind == 0) hand_tick(&h, 0.001, NAN, 0.05, 0.05);
        if (kind == 1) hand_tick(&h, 0.001, 0.05, INFINITY, 0.05);
        if (kind == 2) hand_tick(&h, NAN, 0.05, 0.05, 0.05);
        if (kind == 3) sn_haptic_lost(h.tool);
        if (kind < 3) assert_true(size_of(h.force) == 0);
        step(&s, 1);
        assert_false(tool_state(&s).present);
        assert_true(size_of(tool_state(&s).force) == 0);
        h = hand_of(&s, 0.05, 0.052, 0.055);
        hand_go(&s, &h, 5, 0.05, 0.052, 0.055); /* it comes back */
        assert_true(size_of(h.force) > 0.2);
        scene_end(&s);
    }
}

static void test_friction(void **state) {
    (void)state;
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    tool.friction = 0.4;
    scene_create(&s);
    hand h;
    press_in(&s, &h);
    hand_go(&s, &h, 5, 0.0503, 0.052, 0.055); /* sticks */
    hand_go(&s, &h, 20, 0.0503, 0.052, 0.055);
    const double stuck = -h.force[0] / h.force[1];
    hand_go(&s, &h, 20, 0.065, 0.052, 0.055); /* slips */
    const double slipped = -h.force[0] / h.force[1];
    print_message("ratio %.3f stuck, %.3f slipped\n", stuck, slipped);
    assert_true(stuck > 0.01 && stuck < 0.39);
    assert_true(fabs(slipped - 0.4) < 0.06); /* the surface is not level any more */
    const sn_tool_state now = tool_state(&s);
    assert_true(now.proxy[0] > 0.055);
    scene_end(&s);
}

static void test_clamp(void **state) {
    (void)state;
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    tool.clamp = true;
    scene_create(&s);
    hand h;
    press_in(&s, &h);
    const double pressed = h.force[1];
    sn_haptic_button(h.tool, true);
    hand_go(&s, &h, 2, 0.05, 0.052, 0.055);
    assert_true(tool_state(&s).clamped);
    assert_true(fabs(h.force[1] - pressed) < 0.05 * pressed);
    hand_go(&s, &h, 30, 0.05, 0.08, 0.055); /* lifts the point */
    assert_true(h.force[1] < -0.3 && tool_state(&s).proxy[1] > 0.062);
    sn_haptic_button(h.tool, false);
    hand_go(&s, &h, 2, 0.05, 0.08, 0.055);
    assert_false(tool_state(&s).clamped);
    assert_true(size_of(h.force) == 0);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force_agrees),
        cmocka_unit_test(test_equilibrium),
        cmocka_unit_test(test_equilibrium_embedded),
        cmocka_unit_test(test_outside_and_pressing),
        cmocka_unit_test(test_ramp),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_jump),
        cmocka_unit_test(test_nan_and_lost),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_clamp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
