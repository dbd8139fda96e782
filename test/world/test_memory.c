/* Memory: a step takes none after the first, every failing request is a clean error, nothing leaks. */
#include "scene.h"

#include "failing_allocator.h"

static sn_context_options options_of(failing_allocator *f) {
    sn_context_options o = sn_context_options_default();
    o.allocator = (sn_allocator){failing_allocate, failing_release, f};
    o.threads = 1;
    return o;
}

static sn_link tie[1];
static sn_fibre fibre;
static const double rise[8] = {0, 0, 0, 0, 1, 0, 0.1, 0};

static void busy_scene(scene *s, failing_allocator *f) {
    const sn_context_options o = options_of(f);
    scene_start(s, &o, 0.3, 0.2, 0.2, 2, 1, 1);
    clamp_left(s);
    s->fix[0].key = rise, s->fix[0].key_count = 2;
    strcpy(s->body.element, "tet10");
    strcpy(s->body.mass, "consistent");
    s->material.rayleigh[0] = 1, s->material.rayleigh[1] = 0.01;
    s->load[0].kind = SN_LOAD_PRESSURE;
    s->load[0].select = normal_selector(0, 1, 0);
    s->load[0].scalar = 100;
    s->load[0].follow = true;
    static const double key[] = {0, 0.5, 1, 1};
    s->load[0].key = s->load[1].key = s->load[2].key = key;
    s->load[0].key_count = s->load[1].key_count = s->load[2].key_count = 2;
    s->load[1].kind = SN_LOAD_BODY;
    s->load[1].value[0] = 10;
    s->load[2].select = normal_selector(1, 0, 0);
    s->load[2].value[0] = 10;
    s->body.load_count = 3;
    set_place(&s->collider[0], "point", 0, -0.01, 0);
    s->collider[0].key = rise, s->collider[0].key_count = 2;
    s->collider[0].friction = 0.3;
    set_place(&s->collider[1], "point", 0, -0.005, 0);
    strcpy(s->collider[1].response, "projection");
    s->collider[1].friction = 0.3;
    s->collider[1].key = rise, s->collider[1].key_count = 2;
    s->options.collider_count = 2;
    tie[0] = sn_link_default();
    tie->point[0] = tie->to[0] = 0.25, tie->point[1] = tie->to[1] = 0.1, tie->point[2] = tie->to[2] = 0.12;
    tie->key = rise, tie->key_count = 2;
    s->body.link = tie, s->body.link_count = 1;
    fibre = (sn_fibre){.kind = SN_FIBRE_BETWEEN,
                       .from = box_selector(-1, -1, -1, 1e-9, 1, 1),
                       .to = box_selector(0.2999, -1, -1, 1, 1, 1)};
    s->body.material_fibre = &fibre;
    s->material.muscle.key = key, s->material.muscle.key_count = 2;
    s->material.muscle.stress = 1e3;
    s->body.wind = (sn_wind){.density = 10, .drag = 1, .lift = 1};
    add_probe(s, SN_QUANTITY_STRESS, 0.1, 0.1, 0.1);
    add_probe(s, SN_QUANTITY_REACTION, 0, 0, 0);
}

static void test_step_takes_none(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        failing_allocator f = failing_allocator_make();
        scene s;
        busy_scene(&s, &f);
        if (k == 1) strcpy(s.options.solver.operator_, "assembly-free");
        if (k == 2) strcpy(s.options.time.newton.kind, "one-step");
        if (k == 3) strcpy(s.body.mass, "lumped"), strcpy(s.body.element, "tet4");
        scene_create(&s);
        step(&s, 1);
        const int64_t before = f.requests;
        step(&s, 10);
        double v[6];
        probe(&s, 0, v);
        probe(&s, 1, v);
        char text[17];
        sn_world_hash(s.world, text);
        assert_int_equal(f.requests, before);
        scene_end(&s);
        assert_int_equal(f.live, 0);
    }
}

static void test_every_request_fails(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make();
    scene s;
    busy_scene(&s, &f);
    const int64_t before = f.live;
    for (int64_t n = 1;; ++n) {
        failing_allocator_arm(&f, n);
        sn_status status = sn_world_create(s.context, &s.options, &s.world, &s.error);
        if (!status) status = sn_world_step(s.world, NULL, &s.error);
        const bool whole = !f.failed;
        failing_allocator_disarm(&f);
        if (whole) {
            assert_int_equal(status, SN_OK);
            break;
        }
        /* Some requests are for speed alone: the step may succeed without. */
        if (status) assert_int_equal(status, SN_NO_MEMORY);
        if (s.world) { /* the step failed: the state is whole, and with memory it goes on */
            if (status) assert_near(sn_world_time(s.world), 0, 0);
            assert_int_equal(sn_world_step(s.world, NULL, &s.error), SN_OK);
        }
        sn_world_destroy(s.world);
        s.world = NULL;
        assert_int_equal(f.live, before);
        assert_true(n < 5000);
    }
    scene_end(&s);
    assert_int_equal(f.live, 0);
}

/* Edits under failing memory leave the world as it was. */
static void test_edits_fail(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make();
    scene s;
    busy_scene(&s, &f);
    s.material.rayleigh[0] = s.material.rayleigh[1] = 0; /* mode "quasi-static" refuses them */
    scene_create(&s);
    step(&s, 1);
    sn_material m = sn_material_default();
    m.density = 900;
    strcpy(m.law, "linear");
    bool done[4] = {false};
    for (int64_t n = 1; !done[0] || !done[1] || !done[2] || !done[3]; ++n)
        for (int k = 0; k < 4; ++k) {
            if (done[k]) continue;
            char before[17], after[17];
            sn_world_hash(s.world, before);
            failing_allocator_arm(&f, n);
            sn_status status = SN_OK;
            sn_time_options t = sn_world_time_options(s.world);
            if (k == 0) status = sn_world_set_material(s.world, 0, 0, &m, NULL);
            if (k == 1) status = sn_world_pin(s.world, 0, 5, true, NULL);
            if (k == 2) strcpy(t.mode, "quasi-static"), status = sn_world_set_time(s.world, &t, NULL);
            if (k == 3) status = sn_world_save(s.world, "test_memory.state", NULL);
            done[k] = !f.failed;
            failing_allocator_disarm(&f);
            assert_int_equal(status, done[k] ? SN_OK : SN_NO_MEMORY);
            sn_world_hash(s.world, after);
            if (status || k != 1) assert_string_equal(before, after); /* a pin stops its node */
        }
    remove("test_memory.state");
    step(&s, 1);
    scene_end(&s);
    assert_int_equal(f.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_step_takes_none),
                                       cmocka_unit_test(test_every_request_fails), cmocka_unit_test(test_edits_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
