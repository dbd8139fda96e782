/* The response "exact": nothing ever intersects. A brute-force test of all pairs of triangles (intersections.h) looks
 * at each frame of motions that force bodies into each other. The experiment contact-physics has the physics. */
#include "skin_stage.h"
#include "voxels.h"

static void start(stage *s, double young, int threads) {
    memset(&s->skin, 0, sizeof s->skin);
    open_stage(&s->stage, "exact", threads);
    stage_constant(&s->stage, "young", young);
    stage_constant(&s->stage, "poisson", 0.4);
}

/* Moves the held nodes of the last body along keys. */
static void move_along(contact_stage *s, const double *key, int key_count) {
    sn_fix *fix = &s->fix[s->options.body_count - 1];
    fix->key = key, fix->key_count = key_count;
}

/* Takes steps; no frame may have an intersection. Returns the largest number of contacts. */
static int go(stage *s, int steps) {
    int most = 0;
    for (int i = 0; i < steps; ++i) {
        step_stage(&s->stage, 1);
        assert_int_equal(count_intersections(&s->skin, s->stage.world, s->stage.options.contact.self), 0);
        const int count = sn_world_contacts(s->stage.world, NULL, 0);
        if (count > most) most = count;
    }
    return most;
}

static double mean(stage *s, int body, int axis) {
    double middle[3];
    stage_middle(&s->stage, body, middle);
    return middle[axis];
}

static uint64_t seed;
static double random_unit(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* ---- Starts ---- */

static void test_an_intersecting_start_is_refused(void **state) {
    (void)state;
    stage s;
    start(&s, 1e5, 1);
    stage_box(&s.stage, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, (int[3]){2, 2, 2});
    stage_box(&s.stage, (double[3]){3, 0, 0}, (double[3]){1, 1, 1}, (int[3]){2, 2, 2});
    stage_box(&s.stage, (double[3]){3.5, 0.3, 0.2}, (double[3]){1, 1, 1}, (int[3]){2, 2, 2});
    assert_int_equal(sn_world_create(s.stage.context, &s.stage.options, &s.stage.world, &s.stage.error), SN_BAD_INPUT);
    assert_non_null(strstr(s.stage.error.text, "'body1' and 'body2'"));
    assert_null(strstr(s.stage.error.text, "'body0'"));
    assert_string_equal(s.stage.error.path, "contact.response");
    s.stage.options.contact.pair = &(sn_contact_pair){{"body0", "body1"}}; /* pairs that do not touch may intersect */
    s.stage.options.contact.pair_count = 1;
    assert_int_equal(sn_world_create(s.stage.context, &s.stage.options, &s.stage.world, &s.stage.error), SN_OK);
    s.skin = skin_make(s.stage.world);
    finish(&s);
}

/* The same when a world changes its response: the next step names the bodies, and the state stays. */
static void test_an_intersecting_state_is_refused(void **state) {
    (void)state;
    stage s;
    start(&s, 1e5, 1);
    sn_contact_options *contact = &s.stage.options.contact;
    strcpy(contact->response, "area");
    stage_box(&s.stage, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, (int[3]){2, 2, 2});
    stage_box(&s.stage, (double[3]){0.5, 0.3, 0.2}, (double[3]){1, 1, 1}, (int[3]){2, 2, 2});
    assert_int_equal(sn_world_create(s.stage.context, &s.stage.options, &s.stage.world, &s.stage.error), SN_OK);
    s.skin = skin_make(s.stage.world);
    char before[17], after[17];
    sn_world_hash(s.stage.world, before);
    strcpy(contact->response, "exact");
    assert_int_equal(sn_world_set_contact(s.stage.world, contact, &s.stage.error), SN_OK);
    assert_int_equal(sn_world_step(s.stage.world, NULL, &s.stage.error), SN_BAD_INPUT);
    assert_non_null(strstr(s.stage.error.text, "'body0' and 'body1'"));
    sn_world_hash(s.stage.world, after);
    assert_string_equal(before, after);
    finish(&s);
}

static void test_thickness_keeps_bodies_apart(void **state) {
    (void)state;
    stage s;
    start(&s, 1e5, 1);
    s.stage.options.contact.thickness = 0.01;
    stage_box(&s.stage, (double[3]){-0.2, -0.1, -0.2}, (double[3]){0.4, 0.1, 0.4}, (int[3]){2, 1, 2});
    stage_hold(&s.stage, stage_all());
    stage_box(&s.stage, (double[3]){-0.05, 0.012, -0.05}, (double[3]){0.1, 0.1, 0.1}, (int[3]){2, 2, 2});
    create(&s);
    assert_true(go(&s, 20) > 0);
    for (int i = s.skin.first[1]; i < s.skin.first[2]; ++i) assert_true(s.skin.position[3 * i + 1] > 0.01);
    finish(&s);

    start(&s, 1e5, 1);
    s.stage.options.contact.thickness = 0.5;
    s.stage.options.contact.self = true;
    stage_box(&s.stage, (double[3]){0, 0, 0}, (double[3]){0.1, 0.1, 0.1}, (int[3]){2, 2, 2});
    assert_int_equal(sn_world_create(s.stage.context, &s.stage.options, &s.stage.world, &s.stage.error), SN_BAD_INPUT);
    assert_string_equal(s.stage.error.path, "contact.thickness");
    assert_non_null(strstr(s.stage.error.text, "at rest, near ["));
    finish(&s);
}

/* ---- No intersections ---- */

static void test_pressed_cubes(void **state) {
    (void)state;
    static const double key[] = {0, 0, 0, 0, 0.2, 0, -0.08, 0, 0.4, 0.03, -0.08, 0.02};
    stage s;
    start(&s, 1e5, 1);
    stage_box(&s.stage, (double[3]){0, 0, 0}, (double[3]){0.1, 0.1, 0.1}, (int[3]){2, 2, 2});
    stage_hold(&s.stage, normal_selector(0, -1, 0));
    stage_box(&s.stage, (double[3]){0.02, 0.102, 0.01}, (double[3]){0.1, 0.1, 0.1}, (int[3]){3, 3, 3});
    stage_hold(&s.stage, normal_selector(0, 1, 0));
    move_along(&s.stage, key, 3);
    create(&s);
    assert_true(go(&s, 40) > 10);
    assert_true(mean(&s, 0, 1) < 0.045); /* both gave way */
    finish(&s);
}

static bool teeth_up(int i, int j, int k) {
    (void)k;
    return j == 0 || i % 2 == 0;
}
static bool teeth_down(int i, int j, int k) {
    (void)k;
    return j == 4 || i % 2 == 1;
}

/* Two combs whose teeth do not quite fit into the gaps of the other. */
static void test_combs(void **state) {
    (void)state;
    static const double key[] = {0, 0, 0, 0, 0.3, 0.004, -0.06, 0};
    const int cells[3] = {5, 5, 1};
    stage s;
    start(&s, 1e5, 1);
    stage_add(&s.stage, voxel_mesh(s.stage.context, cells, 0.02, (double[3]){0, 0, 0}, teeth_up));
    stage_hold(&s.stage, normal_selector(0, -1, 0));
    stage_add(&s.stage, voxel_mesh(s.stage.context, cells, 0.0199, (double[3]){0.0005, 0.102, 0.004}, teeth_down));
    stage_hold(&s.stage, normal_selector(0, 1, 0));
    move_along(&s.stage, key, 2);
    create(&s);
    assert_true(go(&s, 30) > 20);
    finish(&s);
}

static bool bars(int i, int j, int k) {
    (void)j;
    return i % 3 == 0 || k % 3 == 0;
}

/* A soft sheet is pressed through the holes of a grid. */
static void test_sheet_through_grid(void **state) {
    (void)state;
    static const double key[] = {0, 0, 0, 0, 0.4, 0, -0.05, 0};
    stage s;
    start(&s, 5e4, 1);
    stage_add(&s.stage, voxel_mesh(s.stage.context, (const int[3]){7, 1, 7}, 0.02, (double[3]){0, 0, 0}, bars));
    stage_hold(&s.stage, stage_all());
    stage_box(&s.stage, (double[3]){0.011, 0.0205, 0.012}, (double[3]){0.12, 0.01, 0.12}, (int[3]){8, 1, 8});
    stage_hold(&s.stage, box_selector(0.08, 0.0304, 0.08, 0.11, 0.0306, 0.11));
    move_along(&s.stage, key, 2);
    create(&s);
    assert_true(go(&s, 25) > 20);
    finish(&s);
}

static bool walls(int i, int j, int k) { return i == 0 || i == 5 || j == 0 || j == 5 || k == 0 || k == 5; }

static sn_mesh *creature(sn_context *context, const char *kind, double size, double x, double y, double z) {
    const bool ring = strcmp(kind, "torus") == 0;
    const sn_generator_value value[3] = {
        {"radius", 1, {size}}, {"cells", ring ? 2 : 1, {ring ? 8 : 2, 1}}, {"minor", 1, {0.4 * size}}};
    sn_mesh *mesh = NULL;
    sn_error error = {0};
    if (sn_mesh_generate(context, kind, value, ring ? 3 : 2, &mesh, &error)) print_message("%s\n", error.text);
    assert_non_null(mesh);
    for (int i = 0; i < mesh->node_count; ++i)
        mesh->position[3 * i] += x, mesh->position[3 * i + 1] += y, mesh->position[3 * i + 2] += z;
    return mesh;
}

/* Three soft bodies in a closed box that is shaken. The experiment contact-shaken is a long run. */
static void test_shaken_box(void **state) {
    (void)state;
    enum { KEYS = 41 };
    static double key[4 * KEYS];
    seed = 11;
    for (int i = 0; i < KEYS; ++i) {
        key[4 * i] = 0.05 * i;
        for (int a = 1; a < 4 && i > 0; ++a) key[4 * i + a] = 0.06 * (random_unit() - 0.5);
    }
    stage s;
    start(&s, 2e4, 1);
    s.stage.options.contact.self = true;
    stage_add(&s.stage,
              voxel_mesh(s.stage.context, (const int[3]){6, 6, 6}, 0.05, (double[3]){-0.15, -0.15, -0.15}, walls));
    stage_hold(&s.stage, stage_all());
    move_along(&s.stage, key, KEYS);
    stage_add(&s.stage, creature(s.stage.context, "sphere", 0.04, -0.045, 0.01, 0));
    stage_add(&s.stage, creature(s.stage.context, "sphere", 0.045, 0.048, 0, 0.02));
    stage_add(&s.stage, creature(s.stage.context, "torus", 0.04, 0, -0.07, 0));
    create(&s);
    assert_true(go(&s, 30) > 0);
    for (int b = 1; b < 4; ++b) /* all are still inside */
        for (int a = 0; a < 3; ++a) assert_true(fabs(mean(&s, b, a) - mean(&s, 0, a)) < 0.1);
    finish(&s);
}

/* A held plate moves against two boxes, one behind the other, with one linear solve in a step. It takes them along: no
 * step is divided. The way of the plate in a step is 10 times as long as the reach of the barrier. */
static void take_along(int threads, char hash[17]) {
    static const double key[] = {0, 0, 0, 0, 0.2, 0, 0, 0.2};
    stage s;
    sn_step_report report;
    start(&s, 1e5, threads);
    memset(s.stage.options.gravity, 0, sizeof s.stage.options.gravity);
    strcpy(s.stage.options.time.newton.kind, "one-step");
    stage_box(&s.stage, (double[3]){-0.2, -0.2, -0.1}, (double[3]){0.4, 0.4, 0.1}, (int[3]){3, 3, 1});
    stage_hold(&s.stage, stage_all());
    move_along(&s.stage, key, 2);
    stage_box(&s.stage, (double[3]){-0.05, -0.05, 0.02}, (double[3]){0.1, 0.1, 0.1}, (int[3]){2, 2, 2});
    stage_box(&s.stage, (double[3]){-0.04, -0.05, 0.13}, (double[3]){0.1, 0.1, 0.1}, (int[3]){2, 2, 2});
    create(&s);
    for (int i = 0; i < 20; ++i) {
        assert_int_equal(sn_world_step(s.stage.world, &report, &s.stage.error), SN_OK);
        assert_int_equal(report.retries, 0);
        assert_int_equal(count_intersections(&s.skin, s.stage.world, false), 0);
    }
    assert_true(mean(&s, 1, 2) > 0.25 && mean(&s, 2, 2) > 0.35); /* both are in front of the plate, at 0.2 */
    sn_world_hash(s.stage.world, hash);
    finish(&s);
}

static void test_a_prescribed_motion_takes_bodies_along(void **state) {
    (void)state;
    char one[17], three[17];
    take_along(1, one);
    take_along(3, three);
    assert_string_equal(one, three);
}

/* A box that is tilted stands on a corner, so near to a held plate that the force of this contact is some thousand
 * times the weight. Takes a step with one linear solve, and returns the mean velocity of the box. */
static void stand_on_corner(const char *method, double tolerance, double velocity[3]) {
    enum { NODES = 64 };
    double v[3 * NODES];
    stage s;
    start(&s, 1e5, 1);
    strcpy(s.stage.options.time.newton.kind, "one-step");
    strcpy(s.stage.options.solver.method, method);
    s.stage.options.solver.tolerance = tolerance;
    stage_box(&s.stage, (double[3]){-0.2, -0.1, -0.2}, (double[3]){0.4, 0.1, 0.4}, (int[3]){2, 1, 2});
    stage_hold(&s.stage, stage_all());
    stage_box(&s.stage, (double[3]){0.003, 0, 0.001}, (double[3]){0.1, 0.1, 0.1}, (int[3]){3, 3, 3});
    sn_mesh_rotate(s.stage.mesh[1], (double[3]){1, 0, 0.4}, 10);
    double low = 1;
    for (int i = 0; i < NODES; ++i) low = fmin(low, s.stage.mesh[1]->position[3 * i + 1]);
    sn_mesh_move(s.stage.mesh[1], (double[3]){0, 1e-7 - low, 0});
    create(&s);
    go(&s, 1);
    assert_int_equal(s.stage.mesh[1]->node_count, NODES);
    assert_int_equal(sn_world_get(s.stage.world, 1, NULL, v), SN_OK);
    for (int a = 0; a < 3; ++a) velocity[a] = 0;
    for (int i = 0; i < 3 * NODES; ++i) velocity[i % 3] += v[i] / NODES;
    finish(&s);
}

/* The tolerance of the solver counts against the other forces, not against that of the barrier. */
static void test_a_small_gap_does_not_hide_other_forces(void **state) {
    (void)state;
    double exact[3], rough[3];
    stand_on_corner("ldlt", 1e-10, exact);
    stand_on_corner("cg", 1e-3, rough);
    for (int a = 0; a < 3; ++a) assert_true(fabs(rough[a] - exact[a]) < 0.02 * 9.81 * 0.01);
}

/* A rope with a knot whose ends are pulled: it touches itself. */
static void test_knot(void **state) {
    (void)state;
    static const double left[] = {0, 0, 0, 0, 0.3, -0.12, 0.01, -0.12}, right[] = {0, 0, 0, 0, 0.3, 0.12, 0.01, 0.12};
    const sn_generator_value value[3] = {{"radius", 1, {0.005}}, {"length", 1, {1}}, {"cells", 2, {1, 90}}};
    stage s;
    start(&s, 1e5, 1);
    memset(s.stage.options.gravity, 0, sizeof s.stage.options.gravity);
    s.stage.options.contact.self = true;
    s.stage.material[0].rayleigh[0] = 5;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_generate(s.stage.context, "knot", value, 3, &mesh, &s.stage.error), SN_OK);
    stage_add(&s.stage, mesh);
    sn_fix fix[2] = {sn_fix_default(), sn_fix_default()};
    for (int i = 0; i < 2; ++i) {
        fix[i].select = (sn_selector){.kind = SN_SELECT_GROUP};
        strcpy(fix[i].select.group, i ? "end" : "start");
        fix[i].key = i ? right : left, fix[i].key_count = 2;
    }
    s.stage.body[0].fix = fix, s.stage.body[0].fix_count = 2;
    create(&s);
    assert_true(go(&s, 30) > 0);
    finish(&s);
}

/* The scene of the gallery: one linear solve in a step, until the knot is tight. The contacts of a single step vary
 * between 0 and 40 there, and rounding decides how many it has, so their mean over the last second counts. */
static void test_scene_knot(void **state) {
    (void)state;
    sn_context *context;
    sn_scene *scene;
    sn_world *world;
    sn_error error = {0};
    int contacts = 0;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    if (sn_scene_load(context, SN_SOURCE_FOLDER "/scenes/knot.json", NULL, 0, &scene, &error) ||
        sn_scene_create_world(scene, &world, &error))
        fail_msg("%s", error.text);
    skin skin = skin_make(world);
    for (int i = 1; i <= 300; ++i) {
        if (sn_world_step(world, NULL, &error)) fail_msg("%s", error.text);
        if (i % 3 == 0) assert_int_equal(count_intersections(&skin, world, true), 0);
        if (i > 200) contacts += sn_world_contacts(world, NULL, 0);
    }
    assert_true(contacts > 10 * 100);
    skin_release(&skin);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    sn_context_destroy(context);
}

/* 50 m/s at steps of 10 ms: a step is five times as long as a body. */
static void test_fast_impact(void **state) {
    (void)state;
    stage s;
    start(&s, 1e7, 1);
    memset(s.stage.options.gravity, 0, sizeof s.stage.options.gravity);
    stage_box(&s.stage, (double[3]){0, 0, 0}, (double[3]){0.1, 0.1, 0.1}, (int[3]){1, 1, 1})->initial.velocity[0] = 25;
    stage_box(&s.stage, (double[3]){0.9, 0.02, 0.01}, (double[3]){0.1, 0.1, 0.1}, (int[3]){2, 2, 2})
        ->initial.velocity[0] = -25;
    create(&s);
    go(&s, 4);
    assert_true(mean(&s, 0, 0) < mean(&s, 1, 0)); /* neither went through the other */
    double linear[3], angular[3];
    sn_world_momentum(s.stage.world, linear, angular);
    assert_true(fabs(linear[0]) < 1e-4);
    finish(&s);
}

/* ---- The same bits ---- */

static void fall(stage *s, int threads) {
    start(s, 1e5, threads);
    stage_box(&s->stage, (double[3]){-0.2, -0.1, -0.2}, (double[3]){0.4, 0.1, 0.4}, (int[3]){3, 1, 3});
    stage_hold(&s->stage, stage_all());
    stage_box(&s->stage, (double[3]){-0.05, 0.002, -0.05}, (double[3]){0.1, 0.1, 0.1}, (int[3]){3, 3, 3});
    stage_box(&s->stage, (double[3]){-0.03, 0.105, -0.06}, (double[3]){0.1, 0.1, 0.1}, (int[3]){2, 2, 2});
    create(s);
}

static void test_same_bits(void **state) {
    (void)state;
    char hash[4][17];
    for (int threads = 1; threads <= 3; ++threads) {
        stage s;
        fall(&s, threads);
        go(&s, 12);
        if (threads == 1) {
            const size_t size = sn_world_state_size(s.stage.world);
            char *bytes = malloc(size);
            assert_int_equal(sn_world_save_state(s.stage.world, bytes, size, &s.stage.error), SN_OK);
            stage other;
            fall(&other, 2);
            assert_int_equal(sn_world_restore_state(other.stage.world, bytes, size, &other.stage.error), SN_OK);
            go(&other, 8);
            sn_world_hash(other.stage.world, hash[3]);
            finish(&other);
            free(bytes);
        }
        go(&s, 8);
        sn_world_hash(s.stage.world, hash[threads - 1]);
        finish(&s);
    }
    for (int i = 1; i < 4; ++i) assert_string_equal(hash[i], hash[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_intersecting_start_is_refused),
        cmocka_unit_test(test_an_intersecting_state_is_refused),
        cmocka_unit_test(test_thickness_keeps_bodies_apart),
        cmocka_unit_test(test_pressed_cubes),
        cmocka_unit_test(test_combs),
        cmocka_unit_test(test_sheet_through_grid),
        cmocka_unit_test(test_shaken_box),
        cmocka_unit_test(test_a_prescribed_motion_takes_bodies_along),
        cmocka_unit_test(test_a_small_gap_does_not_hide_other_forces),
        cmocka_unit_test(test_knot),
        cmocka_unit_test(test_scene_knot),
        cmocka_unit_test(test_fast_impact),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
