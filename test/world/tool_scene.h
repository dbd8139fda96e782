/* What the tests of tools share: a body on the ground, a tool above it, and a hand that moves the tool. */
#ifndef TEST_WORLD_TOOL_SCENE_H
#define TEST_WORLD_TOOL_SCENE_H

#include "scene.h"
#include "sinew/haptic.h"

typedef struct hand {
    sn_tool *tool;
    double place[3], time, force[3];
} hand;

/* A block of 0.12 x 0.06 x 0.12 m that stands on y = 0 without weight, and a tool. Edit s->options, then create it. */
static inline void tool_scene_start(scene *s, const sn_context_options *context, sn_tool_options *tool) {
    scene_start(s, context, 0.12, 0.06, 0.12, 6, 3, 6);
    set_constant(&s->material, "young", 2e4);
    s->options.gravity[1] = 0;
    s->options.time.step = 0.01;
    s->fix[0].select = box_selector(-1, -1, -1, 1, 1e-9, 1);
    s->body.fix_count = 1;
    *tool = sn_tool_options_default();
    tool->ramp = 0;
    s->options.tool = tool;
    s->options.tool_count = 1;
}

static inline hand hand_of(scene *s, double x, double y, double z) {
    return (hand){.tool = sn_world_tool(s->world, 0), .place = {x, y, z}, .time = sn_world_time(s->world)};
}

/* One tick: the tool goes to a place. */
static inline void hand_tick(hand *h, double dt, double x, double y, double z) {
    h->place[0] = x, h->place[1] = y, h->place[2] = z;
    h->time += dt;
    sn_haptic_force(h->tool, h->place, h->time, h->force);
}

/* Moves the tool straight to a place in `steps` steps of the world, ten ticks each; after each step come the ticks up
 * to its end. */
static inline void hand_go(scene *s, hand *h, int steps, double x, double y, double z) {
    const double from[3] = {h->place[0], h->place[1], h->place[2]}, to[3] = {x, y, z};
    const double dt = s->options.time.step / 10;
    for (int i = 0; i < 10 * steps; ++i) {
        const double part = (i + 1.0) / (10 * steps);
        if (i % 10 == 0) step(s, 1);
        hand_tick(h, dt, from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1]),
                  from[2] + part * (to[2] - from[2]));
    }
}

static inline double size_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static inline sn_tool_state tool_state(scene *s) {
    sn_tool_state state;
    assert_int_equal(sn_world_tool_state(s->world, 0, &state, &s->error), SN_OK);
    return state;
}

#endif
