/* Bad worlds: each gets its own message that names what is wrong. */
#include "scene.h"

static void refused(scene *s, const char *word) {
    s->error.text[0] = 0;
    s->world = (sn_world *)s;
    assert_int_equal(sn_world_create(s->context, &s->options, &s->world, &s->error), SN_BAD_INPUT);
    assert_null(s->world);
    if (!strstr(s->error.text, word) && !strstr(s->error.path, word)) {
        print_message("'%s' should name '%s'\n", s->error.text, word);
        fail();
    }
}

static void fresh(scene *s) {
    if (s->context) scene_end(s);
    scene_start(s, NULL, 0.4, 0.2, 0.2, 2, 1, 1);
    strcpy(s->body.name, "log");
}

static void test_bodies(void **state) {
    (void)state;
    scene s = {0};
    fresh(&s);
    s.options.body_count = 0, refused(&s, "at least one body");
    fresh(&s), s.body.mesh = NULL, refused(&s, "'log' has no mesh");
    fresh(&s), strcpy(s.body.element, "tet5"), refused(&s, "tet5");
    fresh(&s), strcpy(s.body.mass, "heavy"), refused(&s, "heavy");
    fresh(&s), s.mesh->tet[3] = 999, refused(&s, "999");
    fresh(&s), s.mesh->position[7] = NAN, refused(&s, "node 2");
    fresh(&s), s.body.initial.scale = NAN, refused(&s, "scale");
    fresh(&s), s.body.initial.flatten = 4, refused(&s, "flatten");
    fresh(&s), s.options.gravity[0] = INFINITY, refused(&s, "gravity");
    fresh(&s), s.options.time.step = 0, refused(&s, "step");
    fresh(&s), strcpy(s.options.time.mode, "dynamik"), refused(&s, "dynamic");
    fresh(&s), s.options.solver.tolerance = -1, refused(&s, "tolerance");
    fresh(&s);
    const sn_material pair[2] = {sn_material_default(), sn_material_default()};
    s.body.material = pair, s.body.material_count = 2, refused(&s, "selectors");
    /* An inverted and a flat element, by label. */
    fresh(&s);
    s.mesh->tet_label = NULL;
    const int32_t swap = s.mesh->tet[4];
    s.mesh->tet[4] = s.mesh->tet[5], s.mesh->tet[5] = swap;
    refused(&s, "log");
    assert_non_null(strstr(s.error.text, "1"));
    fresh(&s);
    /* tet4 on a mesh of ten nodes. */
    sn_mesh *quadratic;
    assert_int_equal(sn_mesh_to_tet10(s.mesh, &quadratic, NULL), SN_OK);
    s.body.mesh = quadratic;
    refused(&s, "tet10");
    strcpy(s.body.element, "tet10");
    scene_create(&s);
    assert_int_equal(sn_world_node_count(s.world), quadratic->node_count);
    sn_mesh_destroy(quadratic);
    scene_end(&s);
}

static void test_materials(void **state) {
    (void)state;
    scene s = {0};
    fresh(&s), set_constant(&s.material, "poisson", 0.5), refused(&s, "poisson");
    assert_string_equal(s.error.path, "bodies.0.material.0.poisson");
    fresh(&s), set_constant(&s.material, "young", -1), refused(&s, "young");
    fresh(&s), s.material.density = 0, refused(&s, "density");
    fresh(&s), strcpy(s.material.law, "corotatet"), refused(&s, "corotated");
    fresh(&s);
    clamp_left(&s), strcpy(s.options.time.mode, "static"), set_constant(&s.material, "young", 0),
        refused(&s, "modulus of 0");
    strcpy(s.options.time.mode, "dynamic");
    scene_create(&s);
    step(&s, 2);
    fresh(&s);
    const sn_selector left = box_selector(-1, -1, -1, 0.2, 1, 1);
    s.body.material_select = &left;
    refused(&s, "no material");
    const sn_selector nowhere = box_selector(5, 5, 5, 6, 6, 6);
    s.body.material_select = &nowhere;
    refused(&s, "material.0");
    scene_end(&s);
}

static void test_fixes_and_loads(void **state) {
    (void)state;
    scene s = {0};
    fresh(&s), s.body.fix_count = 1, s.fix[0].select = box_selector(5, 5, 5, 6, 6, 6), refused(&s, "fix.0");
    assert_string_equal(s.error.path, "bodies.0.fix.0.select");
    fresh(&s), clamp_left(&s), s.fix[0].axis[0] = s.fix[0].axis[1] = s.fix[0].axis[2] = false, refused(&s, "axis");
    fresh(&s), clamp_left(&s), s.fix[0].ramp = (sn_ramp){2, 1, true}, refused(&s, "ramp [2, 1]");
    fresh(&s), clamp_left(&s), s.fix[0].turning = true, s.fix[0].turn_axis[1] = 0, refused(&s, "turn");
    const double key[8] = {1, 0, 0, 0, 1, 0, 0, 0};
    fresh(&s), clamp_left(&s), s.fix[0].key = key, s.fix[0].key_count = 2, refused(&s, "ascend");
    fresh(&s), s.body.load_count = 1, s.load[0].select = box_selector(5, 5, 5, 6, 6, 6), refused(&s, "loads.0");
    fresh(&s), s.body.load_count = 1, s.load[0].select = box_selector(-1, -1, -1, 1e-9, 1e-9, 1e-9),
               refused(&s, "no boundary face");
    s.load[0].kind = SN_LOAD_BODY, refused(&s, "no whole element");
    s.load[0].follow = true, refused(&s, "follow");
    s.load[0].kind = SN_LOAD_FORCE, refused(&s, "needs a face");
    s.load[0].follow = false, scene_create(&s);
    fresh(&s), s.body.load_count = 1, s.load[0].value[0] = NAN,
               refused(&s, "loads.0.traction.0: traction.0 is nan; it must be finite");
    fresh(&s), s.body.load_count = 1, s.load[0].ramp = (sn_ramp){3, 1, true}, refused(&s, "ramp [3, 1]");
    fresh(&s), s.options.collider_count = 1, s.collider[0].friction = -1, refused(&s, "colliders.0");
    fresh(&s), add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0), strcpy(s.probe[0].body, "lag"), refused(&s, "'lag'");
    fresh(&s), add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0)->at = SN_PROBE_NODE, s.probe[0].node = 777,
                                                         refused(&s, "777");
    fresh(&s), add_probe(&s, SN_QUANTITY_POSITION, NAN, 0, 0), refused(&s, "probes.0");
    scene_end(&s);
}

/* A step that cannot be taken keeps the state: a body pressed flat by its own supports with a law that needs J > 0 or,
 * failing that, no iterations. */
static void test_failing_step(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.4, 0.2, 0.2, 3, 2, 2);
    clamp_left(&s);
    strcpy(s.options.time.mode, "static");
    s.options.time.newton.iterations = 1;
    s.options.time.newton.tolerance = 1e-14;
    s.options.solver.tolerance = 1e-3;
    strcpy(s.options.solver.method, "cg");
    s.options.solver.iterations = 1;
    scene_create(&s);
    char before[17], after[17];
    sn_world_hash(s.world, before);
    sn_step_report report;
    assert_int_not_equal(sn_world_step(s.world, &report, &s.error), SN_OK);
    assert_int_not_equal(report.status, SN_OK);
    assert_true(strlen(s.error.text) > 10);
    sn_world_hash(s.world, after);
    assert_string_equal(before, after);
    assert_near(sn_world_time(s.world), 0, 0);
    scene_end(&s);
}

/* Structs that no default function made are refused, wherever they stand. */
static void test_cookies(void **state) {
    (void)state;
    scene s = {0};
    fresh(&s), s.options.cookie = 0, refused(&s, "sn_world_options was not made by sn_world_options_default()");
    fresh(&s), s.options.time.cookie = 0, refused(&s, "time: sn_time_options was not");
    fresh(&s), s.options.solver.cookie = 0, refused(&s, "solver: sn_solver_options was not");
    fresh(&s), s.body.cookie = 0, refused(&s, "bodies.0: sn_body_options was not");
    fresh(&s), s.body.initial.cookie = 0, refused(&s, "bodies.0.initial: sn_initial was not");
    fresh(&s), s.material.cookie = 0, refused(&s, "bodies.0.material.0: sn_material was not");
    fresh(&s), clamp_left(&s), s.fix[0].cookie = 0, refused(&s, "bodies.0.fix.0: sn_fix was not");
    fresh(&s), s.body.load_count = 1, s.load[0].cookie = 0, refused(&s, "bodies.0.loads.0: sn_load was not");
    fresh(&s), s.options.collider_count = 1, s.collider[0].cookie = 0, refused(&s, "colliders.0: sn_collider was not");
    fresh(&s), add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0)->cookie = 0, refused(&s, "probes.0: sn_probe was not");
    fresh(&s);
    sn_link link = {.rate = 0.2};
    s.body.link = &link, s.body.link_count = 1, refused(&s, "bodies.0.links.0: sn_link was not");
    scene_end(&s);
    sn_context *context = NULL;
    sn_context_options options = sn_context_options_default();
    options.cookie = 0;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_BAD_INPUT);
}

static void test_lists(void **state) {
    (void)state;
    int count;
    const sn_listing *list = sn_element_names(&count);
    bool found = false;
    for (int i = 0; i < count; ++i) found = found || strcmp(list[i].name, "tet10-high") == 0;
    assert_true(found);
    list = sn_responses(&count);
    assert_int_equal(count, 3);
    assert_string_equal(list[0].name, "penalty");
    assert_string_equal(list[1].name, "spring-damper");
    assert_string_equal(list[2].name, "projection");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bodies),          cmocka_unit_test(test_materials),
                                       cmocka_unit_test(test_fixes_and_loads), cmocka_unit_test(test_failing_step),
                                       cmocka_unit_test(test_cookies),         cmocka_unit_test(test_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
