/* Tools that move along surfaces: the force has no jumps, edges do not rattle, thin bodies hold, and the hand gets no
 * energy out of nothing. */
#include "tool_scene.h"
#include "world/tool_shared.h"

/* ---- A ball ---- */

static void ball_start(scene *s, sn_tool_options *tool, double cells) {
    tool_scene_start(s, NULL, tool);
    sn_mesh_destroy(s->mesh);
    const sn_generator_value value[2] = {{"radius", 3, {0.05, 0.05, 0.05}}, {"cells", 1, {cells}}};
    assert_int_equal(sn_mesh_generate(s->context, "sphere", value, 2, &s->mesh, &s->error), SN_OK);
    s->body.mesh = s->mesh;
    s->fix[0].select = box_selector(-0.02, -0.02, -0.02, 0.02, 0.02, 0.02);
    s->options.time.step = 0.015;
    tool->ramp = 0;
}

typedef struct jumps {
    double tick, update, force; /* N: the largest ones, and the largest force */
    int turns;                  /* how often the change of the force along y changed its sign */
} jumps;

static double apart(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Moves the tool straight to a place in `ticks` ticks of 1 ms, and measures the force. */
static jumps slide(scene *s, hand *h, int ticks, double x, double y, double z, FILE *out) {
    const double from[3] = {h->place[0], h->place[1], h->place[2]}, to[3] = {x, y, z}, dt = 0.001;
    const int each = (int)(s->options.time.step / dt + 0.5);
    jumps j = {0};
    double last_change = 0;
    for (int i = 0; i < ticks; ++i) {
        const double part = (i + 1.0) / ticks;
        double before[3];
        memcpy(before, h->force, sizeof before);
        if (i % each == 0) {
            step(s, 1);
            hand_tick(h, 0, h->place[0], h->place[1], h->place[2]); /* the same place and time, after the update */
            j.update = fmax(j.update, apart(h->force, before));
            memcpy(before, h->force, sizeof before);
        }
        hand_tick(h, dt, from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1]),
                  from[2] + part * (to[2] - from[2]));
        j.tick = fmax(j.tick, apart(h->force, before));
        j.force = fmax(j.force, size_of(h->force));
        const double change = h->force[1] - before[1];
        if (fabs(change) > 1e-3) j.turns += change * last_change < 0, last_change = change;
        if (out)
            fprintf(out, "%g %g %g %g %g %g %g\n", h->time, h->place[0], h->place[1], h->place[2], h->force[0],
                    h->force[1], h->force[2]);
    }
    return j;
}

static void test_slide_over_ball(void **state) {
    (void)state;
    static const char *const buffers[] = {"plane", "patch", "compliance"};
    for (size_t b = 0; b < 3; ++b)
        for (int radius = 0; radius < 2; ++radius) {
            scene s;
            sn_tool_options tool;
            ball_start(&s, &tool, 5);
            snprintf(tool.buffer, sizeof tool.buffer, "%s", buffers[b]);
            tool.radius = radius ? 0.005 : 0;
            scene_create(&s);
            hand h = hand_of(&s, -0.02, 0.06 + tool.radius, 0.004);
            slide(&s, &h, 300, -0.02, 0.041 + tool.radius, 0.004, NULL);
            slide(&s, &h, 300, -0.02, 0.041 + tool.radius, 0.004, NULL);
            const jumps j = slide(&s, &h, 400, 0.02, 0.041 + tool.radius, 0.004, NULL);
            print_message("%-10s radius %.3f: force %.3f N, jump per tick %.2f %%, at an update %.2f %%\n", buffers[b],
                          tool.radius, j.force, 100 * j.tick / j.force, 100 * j.update / j.force);
            assert_true(j.force > 0.3);
            assert_true(j.tick < 0.02 * j.force && j.update < 0.01 * j.force);
            scene_end(&s);
        }
}

/* ---- Edges ---- */

/* Over the edge of the block, down into its side, and along the edge. */
static void test_edge_does_not_rattle(void **state) {
    (void)state;
    static const char *const buffers[] = {"plane", "patch", "compliance"};
    for (size_t b = 0; b < 3; ++b)
        for (int radius = 0; radius < 2; ++radius) {
            scene s;
            sn_tool_options tool;
            tool_scene_start(&s, NULL, &tool);
            snprintf(tool.buffer, sizeof tool.buffer, "%s", buffers[b]);
            tool.radius = radius ? 0.006 : 0;
            scene_create(&s);
            hand h = hand_of(&s, 0.116, 0.07 + tool.radius, 0.02);
            slide(&s, &h, 300, 0.116, 0.055 + tool.radius, 0.02, NULL);
            slide(&s, &h, 300, 0.116, 0.055 + tool.radius, 0.02, NULL);
            const jumps along = slide(&s, &h, 500, 0.116, 0.055 + tool.radius, 0.08, NULL);
            const jumps over = slide(&s, &h, 300, 0.14, 0.055 + tool.radius, 0.08, NULL);
            print_message(
                "%-10s radius %.3f: %d turns along the edge, %d over it; force %.3f N, jump per tick %.1f %%\n",
                buffers[b], tool.radius, along.turns, over.turns, along.force, 100 * along.tick / along.force);
            assert_true(along.force > 0.1 && along.turns <= 12 && over.turns <= 6);
            assert_true(along.tick < 0.05 * along.force);
            scene_end(&s);
        }
}

/* ---- Thin bodies ---- */

/* Fast through a thin plate and deep: the proxy stays on the side from which the tool came. */
static void test_thin_plate_holds(void **state) {
    (void)state;
    for (int fast = 0; fast < 2; ++fast) {
        scene s;
        sn_tool_options tool;
        tool_scene_start(&s, NULL, &tool);
        sn_mesh_destroy(s.mesh);
        s.body.mesh = s.mesh = box_mesh(s.context, 0.2, 0.004, 0.2, 10, 1, 10, 5);
        s.fix[0].select = box_selector(-1, -1, -1, 1e-9, 1, 1);
        s.fix[1].select = box_selector(0.2 - 1e-9, -1, -1, 1, 1, 1);
        s.body.fix_count = 2;
        set_constant(&s.material, "young", 1e6);
        scene_create(&s);
        hand h = hand_of(&s, 0.11, 0.03, 0.11);
        hand_go(&s, &h, 2, 0.11, 0.02, 0.11);
        hand_go(&s, &h, fast ? 1 : 40, 0.11, -0.02, 0.11);
        hand_go(&s, &h, 30, 0.11, -0.02, 0.11);
        const sn_tool_state now = tool_state(&s);
        print_message("plate: depth %.4f m, normal y %.2f, force %.3f N\n", now.depth, now.normal[1], h.force[1]);
        assert_true(now.touches && now.normal[1] > 0.8 && h.force[1] > 0.1);
        scene_end(&s);
    }
}

/* ---- Energy ---- */

static void test_hand_gets_no_energy(void **state) {
    (void)state;
    static const char *const buffers[] = {"still-plane", "plane", "patch", "compliance"};
    for (size_t b = 0; b < 4; ++b)
        for (int speed = 0; speed < 3; ++speed) {
            scene s;
            sn_tool_options tool;
            tool_scene_start(&s, NULL, &tool);
            snprintf(tool.buffer, sizeof tool.buffer, "%s", buffers[b]);
            scene_create(&s);
            hand h = hand_of(&s, 0.052, 0.075, 0.055);
            hand_go(&s, &h, 5, 0.052, 0.07, 0.055);
            const int ticks = 200 << speed; /* of one cycle */
            double work = 0, in = 0, least = 0;
            for (int cycle = 0; cycle < 3; ++cycle)
                for (int i = 0; i < ticks; ++i) {
                    const double was = h.place[1], force = h.force[1];
                    if (i % 10 == 0) step(&s, 1);
                    hand_tick(&h, 0.001, 0.052, 0.07 - 0.01 * (1 - cos((i + 1) * 2 * 3.14159265358979 / ticks)), 0.055);
                    const double done = -0.5 * (force + h.force[1]) * (h.place[1] - was); /* by the hand */
                    work += done, in += fmax(done, 0);
                    least = fmin(least, work);
                }
            print_message("%-12s %4d ms: %.3e J put in, %.3e J kept\n", buffers[b], ticks, in, work);
            assert_true(in > 1e-3 && work >= 0 && least >= 0);
            scene_end(&s);
        }
}

/* ---- What the buffers add ---- */

/* The largest force by which a new buffer differs from what the old one foretold, over some steps of 20 ms after
 * the first ones. The servo
 * lets this difference fade. */
static double surprise(const char *buffer, int motion) {
    scene s;
    sn_tool_options tool;
    ball_start(&s, &tool, 5);
    snprintf(tool.buffer, sizeof tool.buffer, "%s", buffer);
    s.options.time.step = 0.02;
    scene_create(&s);
    hand h = hand_of(&s, -0.02, 0.06, 0.004);
    hand_go(&s, &h, 40, -0.02, 0.041, 0.004);
    hand_go(&s, &h, 20, -0.02, 0.041, 0.004);
    double most = 0;
    for (int i = 0; i < 24; ++i) {
        step(&s, 1);
        hand_tick(&h, 0, h.place[0], h.place[1], h.place[2]); /* the update */
        if (i >= 8 && h.tool->servo.fades) most = fmax(most, 200 * fabs(h.tool->servo.missing_depth));
        for (int k = 1; k <= 10; ++k) {
            const double part = (i + 0.1 * k) / 24;
            hand_tick(&h, 0.002, motion == 0 ? -0.02 + 0.04 * part : -0.02,
                      0.041 - (motion == 1   ? 0.006 * part
                               : motion == 2 ? 0.004 * sin(12.56 * part)
                                             : 0),
                      0.004);
        }
    }
    scene_end(&s);
    return most;
}

static void test_what_buffers_add(void **state) {
    (void)state;
    static const char *const buffers[] = {"still-plane", "plane", "patch", "compliance"};
    double value[4][3]; /* a slide, a steady push, pokes */
    for (int b = 0; b < 4; ++b) {
        for (int motion = 0; motion < 3; ++motion) value[b][motion] = surprise(buffers[b], motion);
        print_message("%-12s largest surprise: %.4f N in a slide, %.4f N in a steady push, %.4f N in pokes\n",
                      buffers[b], value[b][0], value[b][1], value[b][2]);
    }
    assert_true(value[1][1] < 0.5 * value[0][1]); /* the plane moves */
    assert_true(value[2][0] < 0.9 * value[1][0]); /* the patch is curved */
    assert_true(value[3][2] < 0.2 * value[1][2]); /* the surface yields */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slide_over_ball),  cmocka_unit_test(test_edge_does_not_rattle),
        cmocka_unit_test(test_thin_plate_holds), cmocka_unit_test(test_hand_gets_no_energy),
        cmocka_unit_test(test_what_buffers_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
