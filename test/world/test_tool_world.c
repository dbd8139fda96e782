/* Tools and their world: bits, saving, threads, edits, other bodies, and options that are refused. */
#include <pthread.h>
#include <stdatomic.h>

#include "tool_scene.h"
#include "world/tool_shared.h"

static const char *const buffers[] = {"still-plane", "plane", "patch", "compliance"};

/* ---- The same bits ---- */

/* A fixed motion of the hand: pokes, slides, clamps. */
static void move_about(scene *s, hand *h, int from, int to, double *sum) {
    for (int i = from; i < to; ++i) {
        sn_haptic_button(h->tool, i > 30 && i < 36);
        hand_go(s, h, 1, 0.04 + 0.001 * i, 0.06 - 0.012 * sin(0.4 * i), 0.055);
        for (int a = 0; a < 3; ++a) *sum += h->force[a] * (i + a + 1);
    }
}

static void busy_tool(sn_tool_options *tool, const char *buffer) {
    snprintf(tool->buffer, sizeof tool->buffer, "%s", buffer);
    tool->friction = 0.3, tool->damping = 0.2, tool->clamp = true, tool->radius = 0.002, tool->ramp = 0.03;
}

static void test_same_bits(void **state) {
    (void)state;
    for (size_t b = 0; b < 4; ++b) {
        char hash[3][17];
        double sum[3] = {0};
        for (int run = 0; run < 3; ++run) { /* one thread, two, and saved and restored in the middle */
            scene s;
            sn_tool_options tool;
            sn_context_options o = sn_context_options_default();
            o.threads = run == 1 ? 2 : 1;
            tool_scene_start(&s, &o, &tool);
            busy_tool(&tool, buffers[b]);
            scene_create(&s);
            hand h = hand_of(&s, 0.04, 0.07, 0.055);
            move_about(&s, &h, 0, 25, &sum[run]);
            if (run == 2) {
                const size_t size = sn_world_state_size(s.world);
                void *bytes = malloc(size);
                assert_int_equal(sn_world_save_state(s.world, bytes, size, &s.error), SN_OK);
                sn_tool *old = sn_tool_hold(sn_world_tool(s.world, 0));
                sn_world_destroy(s.world);
                scene_create(&s);
                assert_int_equal(sn_world_restore_state(s.world, bytes, size, &s.error), SN_OK);
                free(bytes);
                h.tool = sn_world_tool(s.world, 0);
                sn_exchange_take(&h.tool->buffers);
                h.tool->servo = old->servo; /* the hand did not notice; see test_restored_goes_on for one that did */
                h.tool->sample[h.tool->samples.write] = old->servo.sample;
                sn_exchange_publish(&h.tool->samples);
                sn_tool_release(old);
            }
            move_about(&s, &h, 25, 60, &sum[run]);
            sn_world_hash(s.world, hash[run]);
            scene_end(&s);
        }
        print_message("%-12s %s %s %s, forces %.17g %.17g\n", buffers[b], hash[0], hash[1], hash[2], sum[0], sum[1]);
        assert_string_equal(hash[0], hash[1]);
        assert_string_equal(hash[0], hash[2]);
        assert_true(sum[0] == sum[1]);
    }
}

/* A new program that restores a state goes on with the contact and the ramp. */
static void test_restored_goes_on(void **state) {
    (void)state;
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    tool.ramp = 0.2;
    scene_create(&s);
    hand h = hand_of(&s, 0.05, 0.07, 0.055);
    hand_go(&s, &h, 20, 0.05, 0.05, 0.055);
    step(&s, 1);
    const size_t size = sn_world_state_size(s.world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s.world, bytes, size, &s.error), SN_OK);
    hand_tick(&h, 0.001, 0.05, 0.05, 0.055);
    const double force = h.force[1];
    sn_world_destroy(s.world);
    scene_create(&s);
    assert_int_equal(sn_world_restore_state(s.world, bytes, size, &s.error), SN_OK);
    free(bytes);
    assert_true(tool_state(&s).touches);
    const double time = h.time;
    h = hand_of(&s, 0.05, 0.05, 0.055);
    h.time = time - 0.001;
    hand_tick(&h, 0.001, 0.05, 0.05, 0.055);
    print_message("force %.6f N, %.6f N after the restoration\n", force, h.force[1]);
    assert_true(fabs(h.force[1] - force) < 0.01 * force && force > 0.3);
    scene_end(&s);
}

/* ---- Threads ---- */

typedef struct caller {
    sn_tool *tool;
    atomic_bool stop;
    atomic_int calls;
    double most;
} caller;

static void *call(void *data) {
    caller *own = data;
    for (int i = 0; !atomic_load(&own->stop); ++i) {
        const double place[3] = {0.05, 0.055 + 0.005 * sin(0.001 * i), 0.055};
        double force[3];
        sn_haptic_button(own->tool, i / 500 % 3 == 0);
        sn_haptic_force(own->tool, place, 0.0001 * i, force);
        own->most = fmax(own->most, size_of(force));
        if (i % 3000 == 2999) sn_haptic_lost(own->tool);
        atomic_fetch_add(&own->calls, 1);
    }
    return NULL;
}

static void test_world_goes_while_the_servo_calls(void **state) {
    (void)state;
    for (size_t b = 0; b < 4; ++b) {
        scene s;
        sn_tool_options tool;
        tool_scene_start(&s, NULL, &tool);
        busy_tool(&tool, buffers[b]);
        scene_create(&s);
        caller own = {.tool = sn_tool_hold(sn_world_tool(s.world, 0))};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, call, &own), 0);
        step(&s, 10);
        tool.spring = 300;
        assert_int_equal(sn_world_set_tool(s.world, 0, &tool, &s.error), SN_OK);
        step(&s, 10);
        scene_end(&s);
        const int calls = atomic_load(&own.calls);
        while (atomic_load(&own.calls) < calls + 100) continue;
        atomic_store(&own.stop, true);
        pthread_join(thread, NULL);
        double force[3] = {1, 1, 1};
        sn_haptic_force(own.tool, (double[3]){0.05, 0.05, 0.05}, 100, force);
        assert_true(size_of(force) == 0);
        sn_tool_release(own.tool);
    }
}

/* The force ends with the world, also for a tool that pressed. */
static void test_no_world_no_force(void **state) {
    (void)state;
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    scene_create(&s);
    hand h = hand_of(&s, 0.05, 0.07, 0.055);
    hand_go(&s, &h, 20, 0.05, 0.05, 0.055);
    sn_tool_hold(h.tool);
    hand_tick(&h, 0.001, 0.05, 0.05, 0.055);
    assert_true(size_of(h.force) > 0.3);
    scene_end(&s);
    hand_tick(&h, 0.001, 0.05, 0.05, 0.055);
    assert_true(size_of(h.force) == 0);
    sn_tool_release(h.tool);
}

/* ---- Allocation ---- */

/* Counts allocations; from the one with the number `fail` on there is no memory. */
typedef struct counter {
    int made, alive, fail;
} counter;

static void *counted_allocate(void *user, size_t bytes) {
    counter *own = user;
    if (own->made++ >= own->fail) return NULL;
    ++own->alive;
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void counted_release(void *user, void *memory) {
    if (memory) --((counter *)user)->alive;
    free(memory);
}

static void test_steps_allocate_nothing(void **state) {
    (void)state;
    for (size_t b = 0; b < 4; ++b) {
        counter own = {.fail = INT32_MAX};
        scene s;
        sn_tool_options tool;
        sn_context_options o = sn_context_options_default();
        o.threads = 1;
        o.allocator = (sn_allocator){.allocate = counted_allocate, .release = counted_release, .user = &own};
        tool_scene_start(&s, &o, &tool);
        busy_tool(&tool, buffers[b]);
        scene_create(&s);
        hand h = hand_of(&s, 0.04, 0.07, 0.055);
        double sum = 0;
        move_about(&s, &h, 0, 20, &sum);
        const int made = own.made;
        move_about(&s, &h, 20, 60, &sum);
        assert_int_equal(own.made, made);
        scene_end(&s);
        assert_int_equal(own.alive, 0);
    }
}

/* Without memory for a tool there is no world, or no new tool, and nothing leaks. */
static void test_no_memory(void **state) {
    (void)state;
    counter own = {.fail = INT32_MAX};
    scene s;
    sn_tool_options tool;
    sn_context_options o = sn_context_options_default();
    o.threads = 1;
    o.allocator = (sn_allocator){.allocate = counted_allocate, .release = counted_release, .user = &own};
    tool_scene_start(&s, &o, &tool);
    s.options.tool_count = 0;
    scene_create(&s);
    busy_tool(&tool, "compliance");
    sn_status status = SN_NO_MEMORY;
    int number = -1, tries = 0;
    for (; status == SN_NO_MEMORY; ++tries) {
        own.fail = own.made + tries;
        status = sn_world_add_tool(s.world, &tool, &number, &s.error);
        own.fail = INT32_MAX;
        if (status == SN_NO_MEMORY) assert_int_equal(sn_world_tool_count(s.world), 0);
        step(&s, 1);
    }
    print_message("%d tries\n", tries);
    assert_int_equal(status, SN_OK);
    assert_true(tries > 5);
    hand h = hand_of(&s, 0.05, 0.07, 0.055);
    hand_go(&s, &h, 20, 0.05, 0.05, 0.055);
    assert_true(size_of(h.force) > 0.3);
    scene_end(&s);
    assert_int_equal(own.alive, 0);
}

/* ---- Edits ---- */

static void test_edits(void **state) {
    (void)state;
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    scene_create(&s);
    sn_tool_options more = tool;
    int second = -1;
    snprintf(more.name, sizeof more.name, "needle");
    hand h = hand_of(&s, 0.05, 0.07, 0.055);
    hand_go(&s, &h, 20, 0.05, 0.05, 0.055);
    const double force = tool_state(&s).force[1];
    assert_int_equal(sn_world_add_tool(s.world, &more, &second, &s.error), SN_OK);
    assert_int_equal(second, 1);
    const size_t size = sn_world_state_size(s.world); /* the first one keeps its numbers, also in the state */
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s.world, bytes, size, &s.error), SN_OK);
    assert_int_equal(sn_world_restore_state(s.world, bytes, size, &s.error), SN_OK);
    free(bytes);
    assert_true(tool_state(&s).force[1] == force && force > 0.3);
    hand other = {.tool = sn_world_tool(s.world, 1), .place = {0.09, 0.07, 0.09}, .time = h.time};
    for (int i = 0; i < 100; ++i) {
        if (i % 10 == 0) step(&s, 1);
        hand_tick(&h, 0.001, 0.05, 0.05, 0.055);
        hand_tick(&other, 0.001, 0.09, 0.07 - 0.0002 * i, 0.09);
    }
    assert_true(h.force[1] > 0.3 && other.force[1] > 0.3);
    assert_int_equal(sn_world_remove_tool(s.world, 0, &s.error), SN_OK);
    assert_int_equal(sn_world_tool_count(s.world), 1);
    sn_tool_state state_of_other = tool_state(&s);
    assert_true(state_of_other.touches && state_of_other.force[1] > 0.3);
    other.time = sn_world_time(s.world);
    hand_go(&s, &other, 3, 0.09, 0.05, 0.09);
    assert_true(other.force[1] > 0.3);
    /* the body goes away, and comes back */
    const sn_mesh *mesh = s.mesh;
    double *place = malloc(3 * (size_t)mesh->node_count * sizeof *place);
    assert_int_equal(sn_world_get(s.world, 0, place, NULL), SN_OK);
    for (int i = 0; i < mesh->node_count; ++i) place[3 * i + 1] *= 0.5;
    assert_int_equal(sn_world_put(s.world, 0, place, NULL, &s.error), SN_OK);
    step(&s, 1);
    assert_true(isfinite(size_of(tool_state(&s).force)));
    free(place);
    /* what cannot be */
    assert_int_equal(sn_world_remove_tool(s.world, 1, &s.error), SN_BAD_INPUT);
    assert_int_equal(sn_world_add_tool(s.world, &more, NULL, &s.error), SN_BAD_INPUT);
    print_message("%s\n", s.error.text);
    assert_non_null(strstr(s.error.text, "needle"));
    assert_int_equal(sn_world_remove_tool(s.world, 0, &s.error), SN_OK);
    assert_null(sn_world_tool(s.world, 0));
    step(&s, 2);
    scene_end(&s);
}

/* ---- Bodies and methods ---- */

static void test_methods(void **state) {
    (void)state;
    int count;
    const sn_listing *method = sn_methods(&count);
    for (int m = 0; m < count; ++m) {
        if (strncmp(method[m].name, "imex", 4) == 0) continue;       /* for cloth */
        if (strcmp(method[m].name, "explicit-euler") == 0) continue; /* stable for tiny steps only */
        scene s;
        sn_tool_options tool;
        tool_scene_start(&s, NULL, &tool);
        sn_mesh_destroy(s.mesh);
        s.body.mesh = s.mesh = box_mesh(s.context, 0.12, 0.06, 0.12, 3, 2, 3, 5);
        snprintf(s.options.time.method, sizeof s.options.time.method, "%s", method[m].name);
        set_constant(&s.material, "young", 1e4);
        const sn_method *chosen = sn_method_choose(&s.options.time);
        s.material.rayleigh[0] = 20,
        s.material.rayleigh[1] = chosen->implicit ? 0.005 : 0; /* for those of order 4 to 6 */
        print_message("%s\n", method[m].name);
        s.options.time.step = chosen->implicit ? 0.004 : 0.0005;
        if (sn_world_create(s.context, &s.options, &s.world, &s.error)) {
            print_message("%s: %s\n", method[m].name, s.error.text);
            fail();
        }
        hand h = hand_of(&s, 0.05, 0.062, 0.055);
        hand_go(&s, &h, chosen->implicit ? 30 : 200, 0.05, 0.052, 0.055);
        hand_go(&s, &h, chosen->implicit ? 30 : 200, 0.05, 0.052, 0.055);
        print_message("%-24s force %.3f N\n", method[m].name, h.force[1]);
        assert_true(h.force[1] > 0.2 && h.force[1] < 2);
        scene_end(&s);
    }
}

static void press_world(scene *s, double x, double y, double z, double depth, double *force, double *depth_out) {
    hand h = hand_of(s, x, y + 0.01, z);
    hand_go(s, &h, 10, x, y + 0.005, z);
    for (int i = 0; i < 10; ++i) {
        hand_go(s, &h, 1, x, y + 0.005 - 0.1 * (i + 1) * (depth + 0.005), z);
    }
    hand_go(s, &h, 25, x, y - depth, z);
    *force = h.force[1], *depth_out = tool_state(s).depth;
}

/* Rigid, adaptive and cloth; and a second body that the tool may not touch. */
static void test_bodies(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        scene s;
        sn_tool_options tool;
        sn_body_options body[2];
        double force, depth;
        tool_scene_start(&s, NULL, &tool);
        if (kind == 0) s.body.rigid_body = true, s.body.fix_count = 0;
        if (kind == 1) {
            sn_mesh *fine = NULL;
            assert_int_equal(sn_mesh_refine(s.mesh, &fine, &s.error), SN_OK);
            sn_mesh_destroy(s.mesh);
            s.body.mesh = s.mesh = fine;
            s.body.adapt.levels = 1;
            snprintf(s.body.adapt.measure, sizeof s.body.adapt.measure, "shear");
            s.body.adapt.refine = 0.05;
        }
        sn_mesh *sheet = NULL;
        if (kind == 2) {
            const sn_generator_value value[2] = {{"size", 2, {0.12, 0.12}}, {"cells", 2, {8, 8}}};
            assert_int_equal(sn_mesh_generate(s.context, "grid", value, 2, &sheet, &s.error), SN_OK);
            s.body.mesh = sheet, s.body.thickness = 0.002;
            s.fix[0].select = box_selector(-1, -1, -1, -0.06 + 1e-9, 1, 1);
            s.fix[1].select = box_selector(0.06 - 1e-9, -1, -1, 1, 1, 1);
            s.body.fix_count = 2;
            s.material = sn_material_default();
            s.material.rayleigh[0] = 20;
            snprintf(s.material.law, sizeof s.material.law, "cloth-baraff-witkin");
            const double stretch[2] = {500, 500}, shear = 100;
            assert_int_equal(sn_material_set(&s.material, "stretch", stretch, 2, NULL), SN_OK);
            assert_int_equal(sn_material_set(&s.material, "shear", &shear, 1, NULL), SN_OK);
        }
        if (kind == 3) {
            body[0] = body[1] = s.body;
            snprintf(body[0].name, sizeof body[0].name, "first");
            snprintf(body[1].name, sizeof body[1].name, "second");
            snprintf(tool.body, sizeof tool.body, "second");
            s.options.body = body, s.options.body_count = 2;
        }
        if (sn_world_create(s.context, &s.options, &s.world, &s.error)) {
            print_message("kind %d: %s\n", kind, s.error.text);
            fail();
        }
        press_world(&s, kind == 2 ? 0.005 : 0.05, kind == 2 ? 0 : 0.06, kind == 2 ? 0.005 : 0.055,
                    kind == 2 ? 0.02 : 0.006, &force, &depth);
        print_message("kind %d: force %.4f N, depth %.4f m\n", kind, force, depth);
        const sn_tool_state now = tool_state(&s);
        if (kind == 0)
            assert_true(now.proxy[1] < 0.06); /* it is free, and pushed away */
        else if (kind == 2)
            assert_true(now.proxy[1] < -0.015 && now.normal[1] > 0.9); /* it gives way, and stays below the tool */
        else
            assert_true(force > 0.01 && now.touches);
        if (kind == 3) assert_int_equal(now.body, 1);
        sn_mesh_destroy(sheet); /* its memory is the context's */
        scene_end(&s);
    }
}

static void test_probes(void **state) {
    (void)state;
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    snprintf(add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0)->tool, 64, "tool0");
    snprintf(add_probe(&s, SN_QUANTITY_FORCE, 0, 0, 0)->tool, 64, "tool0");
    sn_probe *all = add_probe(&s, SN_QUANTITY_FORCE, 0, 0, 0);
    snprintf(all->interaction, sizeof all->interaction, "tools");
    all->at = SN_PROBE_SELECT, all->select = box_selector(-1, -1, -1, 1, 1, 1);
    scene_create(&s);
    double force, depth, value[3][9];
    press_world(&s, 0.05, 0.06, 0.055, 0.01, &force, &depth);
    for (int i = 0; i < 3; ++i) assert_int_equal(probe(&s, i, value[i]), 3);
    const sn_tool_state now = tool_state(&s);
    for (int a = 0; a < 3; ++a) {
        assert_true(value[0][a] == now.position[a] && value[1][a] == now.force[a]);
        assert_true(fabs(value[2][a] + now.force[a]) < 1e-9);
    }
    assert_true(now.force[1] > 0.3);
    sn_glyph glyph[4];
    int tools = 0;
    const int lines = sn_world_glyphs(s.world, glyph, 4);
    for (int i = 0; i < lines && i < 4; ++i)
        if (strcmp(glyph[i].name, "tools") == 0) ++tools, assert_true(glyph[i].force[1] == -now.force[1]);
    assert_int_equal(tools, 1);
    scene_end(&s);
}

/* ---- Options ---- */

static void refuse(void (*edit)(scene *, sn_tool_options *), const char *path, const char *text) {
    scene s;
    sn_tool_options tool;
    tool_scene_start(&s, NULL, &tool);
    edit(&s, &tool);
    assert_int_not_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_OK);
    print_message("%s | %s\n", s.error.path, s.error.text);
    assert_string_equal(s.error.path, path);
    assert_non_null(strstr(s.error.text, text));
    scene_end(&s);
}

static void soft(scene *s, sn_tool_options *tool) { (void)s, tool->spring = 49; }
static void hard(scene *s, sn_tool_options *tool) { (void)s, tool->spring = 501; }
static void limitless(scene *s, sn_tool_options *tool) { (void)s, tool->limit = 0; }
static void buffered(scene *s, sn_tool_options *tool) { (void)s, snprintf(tool->buffer, 32, "sponge"); }
static void embodied(scene *s, sn_tool_options *tool) { (void)s, snprintf(tool->body, 64, "liver"); }
static void twice(scene *s, sn_tool_options *tool) {
    static sn_tool_options two[2];
    snprintf(tool->name, 64, "probe");
    two[0] = two[1] = *tool;
    s->options.tool = two, s->options.tool_count = 2;
}
static void zero(scene *s, sn_tool_options *tool) { (void)s, tool->cookie = 0; }
static void explicitly(scene *s, sn_tool_options *tool) {
    snprintf(tool->buffer, 32, "compliance");
    snprintf(s->options.time.method, 32, "explicit-euler");
    s->options.time.step = 1e-4;
}
static void probed(scene *s, sn_tool_options *tool) {
    (void)tool;
    snprintf(add_probe(s, SN_QUANTITY_POSITION, 0, 0, 0)->tool, 64, "pen");
}
static void misprobed(scene *s, sn_tool_options *tool) {
    (void)tool;
    snprintf(add_probe(s, SN_QUANTITY_VELOCITY, 0, 0, 0)->tool, 64, "tool0");
}

static void test_refusals(void **state) {
    (void)state;
    refuse(soft, "tools.0.spring", "50");
    refuse(hard, "tools.0.spring", "500");
    refuse(limitless, "tools.0.limit", "limit");
    refuse(buffered, "tools.0.buffer", "plane");
    refuse(embodied, "tools.0.body", "liver");
    refuse(twice, "tools.1.name", "probe");
    refuse(zero, "tools.0", "sn_tool_options");
    refuse(explicitly, "tools.0.buffer", "compliance");
    refuse(probed, "probes.0.tool", "pen");
    refuse(misprobed, "probes.0.tool", "tool0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_restored_goes_on),
        cmocka_unit_test(test_world_goes_while_the_servo_calls),
        cmocka_unit_test(test_no_world_no_force),
        cmocka_unit_test(test_steps_allocate_nothing),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
