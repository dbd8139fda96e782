/* The response "exact": nothing ever intersects. A brute-force test of all pairs of triangles (intersections.h) looks
 * at each frame of motions that force bodies into each other. */
#include "intersections.h"
#include "scene.h"
#include "voxels.h"

enum { BODIES = 4 };

typedef struct stage {
    sn_context *context;
    sn_mesh *mesh[BODIES];
    sn_material material[BODIES];
    sn_body_options body[BODIES];
    sn_fix fix[BODIES];
    sn_world_options options;
    sn_world *world;
    sn_error error;
    skin skin;
} stage;

static void stage_start(stage *s, double young, int threads) {
    memset(s, 0, sizeof *s);
    sn_context_options o = sn_context_options_default();
    o.threads = threads;
    assert_int_equal(sn_context_create(&o, &s->context, NULL), SN_OK);
    s->options = sn_world_options_default();
    s->options.body = s->body;
    s->options.time.step = 0.01;
    s->options.contact.use = true;
    s->options.contact.friction = 0.3;
    strcpy(s->options.contact.response, "exact");
    for (int i = 0; i < BODIES; ++i) {
        s->material[i] = sn_material_default();
        set_constant(&s->material[i], "young", young);
        set_constant(&s->material[i], "poisson", 0.4);
    }
}

static sn_body_options *add_mesh(stage *s, sn_mesh *mesh) {
    const int at = s->options.body_count++;
    assert_non_null(mesh);
    s->mesh[at] = mesh;
    s->body[at] = sn_body_options_default();
    snprintf(s->body[at].name, sizeof s->body[at].name, "body%d", at);
    s->body[at].mesh = mesh;
    s->body[at].material = &s->material[at];
    s->body[at].material_count = 1;
    return &s->body[at];
}

static sn_body_options *add_box(stage *s, const double low[3], const double size[3], int nx, int ny, int nz) {
    sn_mesh *mesh = box_mesh(s->context, size[0], size[1], size[2], nx, ny, nz, 5);
    for (int i = 0; i < 3 * mesh->node_count; ++i) mesh->position[i] += low[i % 3];
    return add_mesh(s, mesh);
}

/* Holds nodes of the last body, and moves them along keys (NULL: they stay). */
static void hold(stage *s, sn_selector select, const double *key, int key_count) {
    const int at = s->options.body_count - 1;
    s->fix[at] = sn_fix_default();
    s->fix[at].select = select;
    s->fix[at].key = key, s->fix[at].key_count = key_count;
    s->body[at].fix = &s->fix[at], s->body[at].fix_count = 1;
}

static const sn_selector all = {.kind = SN_SELECT_ALL};

static void stage_create(stage *s) {
    if (sn_world_create(s->context, &s->options, &s->world, &s->error)) print_message("%s\n", s->error.text);
    assert_non_null(s->world);
    s->skin = skin_make(s->world);
}

static void stage_end(stage *s) {
    if (s->world) skin_release(&s->skin);
    sn_world_destroy(s->world);
    for (int i = 0; i < s->options.body_count; ++i) sn_mesh_destroy(s->mesh[i]);
    sn_context_destroy(s->context);
}

/* Takes steps; no frame may have an intersection. Returns the largest number of contacts. */
static int go(stage *s, int steps) {
    int most = 0;
    for (int i = 0; i < steps; ++i) {
        sn_step_report report;
        const sn_status status = sn_world_step(s->world, &report, &s->error);
        if (status) print_message("step %d: %s\n", i, s->error.text);
        assert_int_equal(status, SN_OK);
        assert_int_equal(count_intersections(&s->skin, s->world, s->options.contact.self), 0);
        if (report.body_contacts > most) most = report.body_contacts;
    }
    return most;
}

static double mean(const stage *s, int body, int axis) {
    double sum = 0;
    skin *k = (skin *)&s->skin;
    skin_move(k, s->world);
    for (int i = k->first[body]; i < k->first[body + 1]; ++i) sum += k->position[3 * i + axis];
    return sum / (k->first[body + 1] - k->first[body]);
}

/* ---- Starts ---- */

static void test_an_intersecting_start_is_refused(void **state) {
    (void)state;
    stage s;
    stage_start(&s, 1e5, 1);
    add_box(&s, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, 2, 2, 2);
    add_box(&s, (double[3]){3, 0, 0}, (double[3]){1, 1, 1}, 2, 2, 2);
    add_box(&s, (double[3]){3.5, 0.3, 0.2}, (double[3]){1, 1, 1}, 2, 2, 2);
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
    assert_non_null(strstr(s.error.text, "'body1' and 'body2'"));
    assert_null(strstr(s.error.text, "'body0'"));
    assert_string_equal(s.error.path, "contact.response");
    s.options.contact.pair = &(sn_contact_pair){{"body0", "body1"}}; /* pairs that do not touch may intersect */
    s.options.contact.pair_count = 1;
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_OK);
    s.skin = skin_make(s.world);
    stage_end(&s);
}

static void test_thickness_keeps_bodies_apart(void **state) {
    (void)state;
    stage s;
    stage_start(&s, 1e5, 1);
    s.options.contact.thickness = 0.01;
    add_box(&s, (double[3]){-0.2, -0.1, -0.2}, (double[3]){0.4, 0.1, 0.4}, 2, 1, 2);
    hold(&s, all, NULL, 0);
    add_box(&s, (double[3]){-0.05, 0.012, -0.05}, (double[3]){0.1, 0.1, 0.1}, 2, 2, 2);
    stage_create(&s);
    assert_true(go(&s, 20) > 0);
    for (int i = s.skin.first[1]; i < s.skin.first[2]; ++i) assert_true(s.skin.position[3 * i + 1] > 0.01);
    stage_end(&s);

    stage_start(&s, 1e5, 1);
    s.options.contact.thickness = 0.5;
    s.options.contact.self = true;
    add_box(&s, (double[3]){0, 0, 0}, (double[3]){0.1, 0.1, 0.1}, 2, 2, 2);
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
    assert_string_equal(s.error.path, "contact.thickness");
    stage_end(&s);
}

/* ---- Physics ---- */

/* A block at rest presses with its weight. */
static void test_weight(void **state) {
    (void)state;
    stage s;
    stage_start(&s, 1e5, 1);
    s.material[1].rayleigh[0] = 20;
    add_box(&s, (double[3]){-0.15, -0.1, -0.15}, (double[3]){0.3, 0.1, 0.3}, 3, 1, 3);
    hold(&s, all, NULL, 0);
    add_box(&s, (double[3]){-0.05, 0.002, -0.05}, (double[3]){0.1, 0.1, 0.1}, 2, 2, 2);
    stage_create(&s);
    go(&s, 100);
    double force[3 * 200], sum[3] = {0};
    assert_true(s.mesh[1]->node_count <= 200);
    assert_int_equal(sn_world_contact_forces(s.world, 1, force), SN_OK);
    for (int i = 0; i < 3 * s.mesh[1]->node_count; ++i) sum[i % 3] += force[i];
    const double weight = 9.81 * 1000 * 1e-3;
    assert_true(fabs(sum[1] - weight) < 0.005 * weight);
    assert_true(fabs(sum[0]) < 0.005 * weight && fabs(sum[2]) < 0.005 * weight);
    stage_end(&s);
}

/* How far a stiff block has slid down a slope of tan 0.5 between two times. */
static double slide(double friction) {
    stage s;
    stage_start(&s, 1e7, 1);
    const double angle = atan(0.5);
    s.options.gravity[0] = 9.81 * sin(angle), s.options.gravity[1] = -9.81 * cos(angle), s.options.gravity[2] = 0;
    s.options.contact.friction = friction;
    add_box(&s, (double[3]){-0.2, -0.1, -0.15}, (double[3]){0.6, 0.1, 0.3}, 3, 1, 2);
    hold(&s, all, NULL, 0);
    add_box(&s, (double[3]){-0.05, 0.001, -0.05}, (double[3]){0.1, 0.05, 0.1}, 2, 1, 2);
    stage_create(&s);
    go(&s, 20);
    const double before = mean(&s, 1, 0);
    go(&s, 50);
    const double way = mean(&s, 1, 0) - before;
    stage_end(&s);
    return way;
}

static void test_slope(void **state) {
    (void)state;
    /* 9.81 cos(angle) (0.5 - 0.49) t^2 / 2 = 0.011 m for t = 0.5 s from rest; friction holds up to a creep of less than
     * the slip speed, 0.07 mm/s. */
    const double slides = slide(0.49), stays = slide(0.51);
    print_message("slope: slides %.3g m, stays %.3g m\n", slides, stays);
    assert_true(slides > 0.01);
    assert_true(fabs(stays) < 0.5 * 0.07e-3);
}

static double energy(stage *s) {
    sn_energies e;
    assert_int_equal(sn_world_energies(s->world, &e, &s->error), SN_OK);
    return e.kinetic + e.elastic;
}

static uint64_t seed;
static double random_unit(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) * 0x1p-53;
}

/* Two cubes meet a hundred times, each time in another way. No impact adds energy; linear momentum is kept. */
static void test_impacts(void **state) {
    (void)state;
    enum { IMPACTS = 100 };
    stage s;
    stage_start(&s, 1e5, 1);
    memset(s.options.gravity, 0, sizeof s.options.gravity);
    set_constant(&s.material[0], "young", 1e5);
    s.options.time.newton.tolerance = 1e-11;
    s.options.solver.tolerance = 1e-8;
    add_box(&s, (double[3]){0, 0, 0}, (double[3]){0.1, 0.1, 0.1}, 1, 1, 1);
    add_box(&s, (double[3]){0.2, 0, 0}, (double[3]){0.1, 0.1, 0.1}, 1, 1, 1);
    stage_create(&s);
    seed = 7;
    int met = 0;
    for (int i = 0; i < IMPACTS; ++i) {
        double x[24], v[24];
        const double turn = random_unit(), c = cos(turn), w = sin(turn);
        for (int body = 0; body < 2; ++body) {
            const double side = body ? 1 : -1, off = 0.04 * (random_unit() - 0.5), speed = 1 + 4 * random_unit();
            for (int n = 0; n < 8; ++n) {
                const double *rest = s.mesh[body]->position + 3 * n;
                const double local[3] = {rest[0] - (body ? 0.25 : 0.05), rest[1] - 0.05, rest[2] - 0.05};
                x[3 * n] = side * 0.08 + (body ? c * local[0] - w * local[1] : local[0]);
                x[3 * n + 1] = off + (body ? w * local[0] + c * local[1] : local[1]);
                x[3 * n + 2] = local[2];
                v[3 * n] = -side * speed, v[3 * n + 1] = 0, v[3 * n + 2] = 0.5 * side;
            }
            assert_int_equal(sn_world_put(s.world, body, x, v, &s.error), SN_OK);
        }
        double before[3], after[3], angular[3];
        const double had = energy(&s);
        sn_world_momentum(s.world, before, angular);
        met += go(&s, 8) > 0;
        sn_world_momentum(s.world, after, angular);
        assert_true(energy(&s) <= had * (1 + 1e-9));
        for (int a = 0; a < 3; ++a) assert_true(fabs(after[a] - before[a]) < 1e-10 * 5);
    }
    assert_true(met > 95);
    stage_end(&s);
}

/* ---- No intersections ---- */

static void test_pressed_cubes(void **state) {
    (void)state;
    static const double key[] = {0, 0, 0, 0, 0.2, 0, -0.08, 0, 0.4, 0.03, -0.08, 0.02};
    stage s;
    stage_start(&s, 1e5, 1);
    add_box(&s, (double[3]){0, 0, 0}, (double[3]){0.1, 0.1, 0.1}, 2, 2, 2);
    hold(&s, normal_selector(0, -1, 0), NULL, 0);
    add_box(&s, (double[3]){0.02, 0.102, 0.01}, (double[3]){0.1, 0.1, 0.1}, 3, 3, 3);
    hold(&s, normal_selector(0, 1, 0), key, 3);
    stage_create(&s);
    assert_true(go(&s, 40) > 10);
    assert_true(mean(&s, 0, 1) < 0.045); /* both gave way */
    stage_end(&s);
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
    stage_start(&s, 1e5, 1);
    add_mesh(&s, voxel_mesh(s.context, cells, 0.02, (double[3]){0, 0, 0}, teeth_up));
    hold(&s, normal_selector(0, -1, 0), NULL, 0);
    add_mesh(&s, voxel_mesh(s.context, cells, 0.0199, (double[3]){0.0005, 0.102, 0.004}, teeth_down));
    hold(&s, normal_selector(0, 1, 0), key, 2);
    stage_create(&s);
    assert_true(go(&s, 30) > 20);
    stage_end(&s);
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
    stage_start(&s, 5e4, 1);
    add_mesh(&s, voxel_mesh(s.context, (const int[3]){7, 1, 7}, 0.02, (double[3]){0, 0, 0}, bars));
    hold(&s, all, NULL, 0);
    add_box(&s, (double[3]){0.011, 0.0205, 0.012}, (double[3]){0.12, 0.01, 0.12}, 8, 1, 8);
    hold(&s, box_selector(0.08, 0.0304, 0.08, 0.11, 0.0306, 0.11), key, 2);
    stage_create(&s);
    assert_true(go(&s, 25) > 20);
    stage_end(&s);
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

/* Three soft bodies in a closed box that is shaken. SINEW_SHAKES=100000 in the environment makes a long run. */
static void test_shaken_box(void **state) {
    (void)state;
    enum { KEYS = 41 };
    static double key[4 * KEYS];
    const char *text = getenv("SINEW_SHAKES");
    const int steps = text ? atoi(text) : 30;
    seed = 11;
    for (int i = 0; i < KEYS; ++i) {
        key[4 * i] = 0.05 * i * (steps > 200 ? steps / 200.0 : 1);
        for (int a = 1; a < 4 && i > 0; ++a) key[4 * i + a] = 0.06 * (random_unit() - 0.5);
    }
    stage s;
    stage_start(&s, 2e4, 1);
    s.options.contact.self = true;
    add_mesh(&s, voxel_mesh(s.context, (const int[3]){6, 6, 6}, 0.05, (double[3]){-0.15, -0.15, -0.15}, walls));
    hold(&s, all, key, KEYS);
    add_mesh(&s, creature(s.context, "sphere", 0.04, -0.045, 0.01, 0));
    add_mesh(&s, creature(s.context, "sphere", 0.045, 0.048, 0, 0.02));
    add_mesh(&s, creature(s.context, "torus", 0.04, 0, -0.07, 0));
    stage_create(&s);
    assert_true(go(&s, steps) > 0);
    for (int b = 1; b < 4; ++b) /* all are still inside */
        for (int a = 0; a < 3; ++a) assert_true(fabs(mean(&s, b, a) - mean(&s, 0, a)) < 0.1);
    stage_end(&s);
}

/* A rope with a knot whose ends are pulled: it touches itself. */
static void test_knot(void **state) {
    (void)state;
    static const double start[] = {0, 0, 0, 0, 0.3, -0.12, 0.01, -0.12}, end[] = {0, 0, 0, 0, 0.3, 0.12, 0.01, 0.12};
    const sn_generator_value value[3] = {{"radius", 1, {0.005}}, {"length", 1, {1}}, {"cells", 2, {1, 90}}};
    stage s;
    stage_start(&s, 1e5, 1);
    memset(s.options.gravity, 0, sizeof s.options.gravity);
    s.options.contact.self = true;
    s.material[0].rayleigh[0] = 5;
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_generate(s.context, "knot", value, 3, &mesh, &s.error), SN_OK);
    add_mesh(&s, mesh);
    sn_fix fix[2] = {sn_fix_default(), sn_fix_default()};
    for (int i = 0; i < 2; ++i) {
        fix[i].select = (sn_selector){.kind = SN_SELECT_GROUP};
        strcpy(fix[i].select.group, i ? "end" : "start");
        fix[i].key = i ? end : start, fix[i].key_count = 2;
    }
    s.body[0].fix = fix, s.body[0].fix_count = 2;
    stage_create(&s);
    assert_true(go(&s, 30) > 0);
    stage_end(&s);
}

/* 50 m/s at steps of 10 ms: a step is five times as long as a body. */
static void test_fast_impact(void **state) {
    (void)state;
    stage s;
    stage_start(&s, 1e7, 1);
    memset(s.options.gravity, 0, sizeof s.options.gravity);
    add_box(&s, (double[3]){0, 0, 0}, (double[3]){0.1, 0.1, 0.1}, 1, 1, 1)->initial.velocity[0] = 25;
    add_box(&s, (double[3]){0.9, 0.02, 0.01}, (double[3]){0.1, 0.1, 0.1}, 2, 2, 2)->initial.velocity[0] = -25;
    stage_create(&s);
    go(&s, 4);
    assert_true(mean(&s, 0, 0) < mean(&s, 1, 0)); /* neither went through the other */
    double linear[3], angular[3];
    sn_world_momentum(s.world, linear, angular);
    assert_true(fabs(linear[0]) < 1e-4);
    stage_end(&s);
}

/* ---- The same bits ---- */

static void fall(stage *s, int threads) {
    stage_start(s, 1e5, threads);
    add_box(s, (double[3]){-0.2, -0.1, -0.2}, (double[3]){0.4, 0.1, 0.4}, 3, 1, 3);
    hold(s, all, NULL, 0);
    add_box(s, (double[3]){-0.05, 0.002, -0.05}, (double[3]){0.1, 0.1, 0.1}, 3, 3, 3);
    add_box(s, (double[3]){-0.03, 0.105, -0.06}, (double[3]){0.1, 0.1, 0.1}, 2, 2, 2);
    stage_create(s);
}

static void test_same_bits(void **state) {
    (void)state;
    char hash[4][17];
    for (int threads = 1; threads <= 3; ++threads) {
        stage s;
        fall(&s, threads);
        go(&s, 12);
        if (threads == 1) {
            const size_t size = sn_world_state_size(s.world);
            char *bytes = malloc(size);
            assert_int_equal(sn_world_save_state(s.world, bytes, size, &s.error), SN_OK);
            stage other;
            fall(&other, 2);
            assert_int_equal(sn_world_restore_state(other.world, bytes, size, &other.error), SN_OK);
            go(&other, 8);
            sn_world_hash(other.world, hash[3]);
            stage_end(&other);
            free(bytes);
        }
        go(&s, 8);
        sn_world_hash(s.world, hash[threads - 1]);
        stage_end(&s);
    }
    for (int i = 1; i < 4; ++i) assert_string_equal(hash[i], hash[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_intersecting_start_is_refused),
        cmocka_unit_test(test_thickness_keeps_bodies_apart),
        cmocka_unit_test(test_weight),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_impacts),
        cmocka_unit_test(test_pressed_cubes),
        cmocka_unit_test(test_combs),
        cmocka_unit_test(test_sheet_through_grid),
        cmocka_unit_test(test_shaken_box),
        cmocka_unit_test(test_knot),
        cmocka_unit_test(test_fast_impact),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
