/* Dynamics of worlds: free fall, momentum, prescribed motion, reactions, starts, pins, grabs, edits. */
#include "scene.h"

/* x = x0 + g h^2 (n (n + 1) / 2) exactly at every node with implicit Euler, for every mass. */
static void test_free_fall(void **state) {
    (void)state;
    static const char *const elements[] = {"tet4", "tet10", "tet4", "tet10"}, *const masses[] = {"lumped", "lumped",
                                                                                                 "consistent",
                                                                                                 "consistent"};
    for (int k = 0; k < 4; ++k) {
        scene s;
        scene_start(&s, NULL, 0.3, 0.2, 0.2, 2, 2, 1);
        strcpy(s.body.element, elements[k]), strcpy(s.body.mass, masses[k]);
        s.options.solver.tolerance = 1e-12;
        scene_create(&s);
        step(&s, 10);
        const int n = sn_world_node_count(s.world);
        double *x = malloc((size_t)n * 6 * sizeof *x);
        sn_world_get(s.world, 0, x, x + 3 * n);
        const double *X = sn_world_body_mesh(s.world, 0)->position;
        for (int i = 0; i < n; ++i) {
            assert_near(x[3 * i + 1] - X[3 * i + 1], -9.81 * 1e-4 * 55, 1e-10);
            assert_near(x[3 * i] - X[3 * i], 0, 1e-10);
            assert_near(x[3 * n + 3 * i + 1], -9.81 * 0.1, 1e-9);
        }
        free(x);
        assert_near(sn_world_time(s.world), 0.1, 1e-16);
        sn_energies e;
        assert_int_equal(sn_world_energies(s.world, &e, NULL), SN_OK);
        assert_near(e.kinetic, 0.5 * 12 * 0.981 * 0.981, 1e-8);
        assert_near(e.elastic, 0, 1e-10);
        assert_near(e.gravity, 12 * 9.81 * (0.1 - 9.81 * 1e-4 * 55), 1e-8);
        assert_near(e.total, e.kinetic + e.elastic + e.gravity, 1e-12);
        scene_end(&s);
    }
}

/* A free, spinning, twisted and stretched body: linear momentum stays to rounding, angular momentum to what implicit
 * Euler leaves of it. */
static void test_momentum(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.6, 0.2, 0.2, 4, 2, 2);
    s.options.gravity[1] = 0;
    s.options.solver.tolerance = 1e-10;
    s.options.time.newton.tolerance = 1e-10;
    s.options.time.step = 1e-3;
    s.body.initial.velocity[0] = 1, s.body.initial.velocity[2] = -2;
    s.body.initial.spin[0] = 1, s.body.initial.spin[1] = 2;
    s.body.initial.twist = 40;
    s.body.initial.scale = 1.1;
    scene_create(&s);
    double p0[3], L0[3], p1[3], L1[3];
    sn_world_momentum(s.world, p0, L0);
    assert_near(p0[0], 24, 1e-10);
    assert_near(p0[2], -48, 1e-10);
    step(&s, 20);
    sn_world_momentum(s.world, p1, L1);
    for (int a = 0; a < 3; ++a) {
        assert_near(p1[a], p0[a], 1e-7);
        assert_near(L1[a], L0[a], 0.02);
    }
    scene_end(&s);
}

static void test_prescribed_motion(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.5, 0.2, 0.2, 2, 1, 1);
    const double key[12] = {0, 0, 0, 0, 0.05, 0.1, 0, 0, 0.1, 0.1, 0.2, 0};
    clamp_left(&s);
    s.fix[0].key = key, s.fix[0].key_count = 3;
    s.fix[1].select = box_selector(0.5 - 1e-9, -1, -1, 1, 1, 1);
    s.fix[1].turning = true;
    s.fix[1].turn_axis[1] = 0, s.fix[1].turn_axis[0] = 1;
    s.fix[1].turn_point[1] = s.fix[1].turn_point[2] = 0.1;
    s.fix[1].turn_degrees = 45;
    s.fix[1].ramp = (sn_ramp){.begin = 0, .end = 0.1, .given = true};
    s.body.fix_count = 2;
    add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0, 0, 0);
    add_probe(&s, SN_QUANTITY_VELOCITY, 0, 0, 0);
    add_probe(&s, SN_QUANTITY_POSITION, 0.5, 0.2, 0.2);
    add_probe(&s, SN_QUANTITY_VELOCITY, 0.5, 0.2, 0.2);
    scene_create(&s);
    double v[6];
    step(&s, 5);
    probe(&s, 0, v);
    assert_near(v[0], 0.1, 1e-15);
    probe(&s, 1, v);
    assert_near(v[0], 2, 1e-12);
    step(&s, 5);
    probe(&s, 0, v);
    assert_near(v[0], 0.1, 1e-15);
    assert_near(v[1], 0.2, 1e-15);
    probe(&s, 1, v);
    assert_near(v[0], 0, 1e-12);
    assert_near(v[1], 4, 1e-12);
    probe(&s, 2, v); /* the corner (0.1, 0.1) from the axis turned by 45 degrees: straight up in z */
    assert_near(v[1], 0.1, 1e-12);
    assert_near(v[2], 0.1 + 0.1 * sqrt(2), 1e-12);
    probe(&s, 3, v);
    assert_near(v[1], -0.1 * sqrt(2) * 7.853981633974483, 1e-12);
    assert_near(v[2], 0, 1e-12);
    scene_end(&s);
}

/* The support carries what the momentum does not take: sum over a step of reaction + gravity = change of momentum. */
static void test_reaction(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.5, 0.2, 0.2, 4, 2, 2);
    clamp_left(&s);
    s.options.time.newton.tolerance = 1e-10;
    s.options.solver.tolerance = 1e-10;
    s.options.time.newton.iterations = 30;
    s.material.rayleigh[0] = 0;
    sn_probe *p = add_probe(&s, SN_QUANTITY_REACTION, 0, 0, 0);
    p->at = SN_PROBE_SELECT;
    scene_create(&s);
    for (int i = 0; i < 5; ++i) {
        double before[3], after[3], angular[3], v[6];
        sn_world_momentum(s.world, before, angular);
        step(&s, 1);
        sn_world_momentum(s.world, after, angular);
        probe(&s, 0, v);
        for (int a = 0; a < 3; ++a) assert_near(v[a], (after[a] - before[a]) / 0.01 + (a == 1 ? 20 * 9.81 : 0), 1e-5);
    }
    scene_end(&s);
}

static void test_starts(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.4, 0.2, 0.2, 2, 1, 1);
    const int n = s.mesh->node_count;
    double *x = malloc((size_t)n * 6 * sizeof *x), *v = x + 3 * n;
    s.body.initial.scale = 2;
    s.body.initial.flatten = 2;
    s.body.initial.mirror = 1;
    scene_create(&s);
    sn_world_get(s.world, 0, x, NULL);
    for (int i = 0; i < n; ++i) {
        const double *X = s.mesh->position + 3 * i;
        assert_near(x[3 * i], 0.2 - 2 * (X[0] - 0.2), 1e-14);
        assert_near(x[3 * i + 1], 0.1, 1e-14);
        assert_near(x[3 * i + 2], 0.1 + 2 * (X[2] - 0.1), 1e-14);
    }
    sn_world_destroy(s.world);
    s.body.initial = sn_initial_default();
    s.body.initial.collapse = true;
    scene_create(&s);
    sn_world_get(s.world, 0, x, NULL);
    for (int i = 0; i < 3 * n; ++i) assert_near(x[i], i % 3 ? 0.1 : 0.2, 1e-14);
    step(&s, 3); /* from a point and still finite */
    sn_world_destroy(s.world);
    s.body.initial = sn_initial_default();
    s.body.initial.scrambled = true;
    s.body.initial.scramble = 7;
    scene_create(&s);
    sn_world_get(s.world, 0, x, NULL);
    double spread = 0;
    for (int i = 0; i < 3 * n; ++i) {
        assert_true(x[i] >= 0 && x[i] <= (i % 3 ? 0.2 : 0.4));
        spread = fmax(spread, fabs(x[i] - s.mesh->position[i]));
    }
    assert_true(spread > 0.05);
    step(&s, 3);
    sn_world_destroy(s.world);
    s.body.initial = sn_initial_default();
    s.body.initial.spin[2] = 3;
    s.body.initial.velocity[1] = 1;
    scene_create(&s);
    sn_world_get(s.world, 0, x, v);
    for (int i = 0; i < n; ++i) {
        assert_near(v[3 * i], -3 * (x[3 * i + 1] - 0.1), 1e-14);
        assert_near(v[3 * i + 1], 1 + 3 * (x[3 * i] - 0.2), 1e-14);
    }
    free(x);
    scene_end(&s);
}

static void test_pins_and_grabs(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.4, 0.2, 0.2, 2, 1, 1);
    s.options.gravity[1] = 0;
    s.material.rayleigh[0] = 5;
    scene_create(&s);
    const int n = s.mesh->node_count;
    double x[3 * 64], v[3 * 64];
    assert_true(n <= 64);
    assert_int_equal(sn_world_pin(s.world, 0, 0, true, &s.error), SN_OK);
    const int32_t near[4] = {n - 1, 0, 0, 0}, far[4] = {n - 1, 1, n - 2, 2};
    const double whole[4] = {1, 0, 0, 0}, parts[4] = {0.25, 0.25, 0.25, 0.25}, target[3] = {0.2, 0.4, 0.2};
    assert_int_equal(sn_world_grab(s.world, 3, 0, near, whole, target, 2000, 20, &s.error), SN_OK);
    step(&s, 200);
    sn_world_get(s.world, 0, x, v);
    for (int a = 0; a < 3; ++a) {
        assert_near(x[a], s.mesh->position[a], 0); /* pinned */
        assert_near(x[3 * (n - 1) + a], target[a], 0.01);
    }
    /* Let go of both: the body is free again. */
    assert_int_equal(sn_world_grab(s.world, 3, 0, near, whole, target, 0, 0, &s.error), SN_OK);
    assert_int_equal(sn_world_pin(s.world, 0, 0, false, &s.error), SN_OK);
    const double gravity[3] = {0, -10, 0};
    sn_world_set_gravity(s.world, gravity, NULL);
    step(&s, 20);
    sn_world_get(s.world, 0, x, v);
    assert_true(x[1] < s.mesh->position[1] - 0.05);
    /* Nodes that share no element. */
    assert_int_equal(sn_world_grab(s.world, 0, 0, far, parts, target, 5e4, 200, &s.error), SN_OK);
    sn_world_set_gravity(s.world, (double[3]){0, 0, 0}, NULL);
    step(&s, 200);
    sn_world_get(s.world, 0, x, v);
    for (int a = 0; a < 3; ++a) {
        double mean = 0;
        for (int i = 0; i < 4; ++i) mean += 0.25 * x[3 * far[i] + a];
        assert_near(mean, target[a], 0.01);
    }
    for (int handle = 0; handle < 40; ++handle) /* any number of grabs */
        assert_int_equal(sn_world_grab(s.world, 100 * handle, 0, near, whole, target, 1e3, 1, &s.error), SN_OK);
    step(&s, 2);
    assert_int_equal(sn_world_grab(s.world, 0, 0, (int32_t[4]){n, 0, 0, 0}, whole, target, 1, 0, &s.error),
                     SN_BAD_INPUT);
    assert_int_equal(sn_world_pin(s.world, 0, -1, true, &s.error), SN_BAD_INPUT);
    assert_int_equal(sn_world_pin(s.world, 1, 0, true, &s.error), SN_BAD_INPUT);
    scene_end(&s);
}

/* Rayleigh mass damping: v' = -a v for a rigid slide, implicit Euler: v_n = v_0 / (1 + a h)^n, with either mass. */
static void test_rayleigh(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_start(&s, NULL, 0.4, 0.2, 0.2, 2, 1, 1);
        strcpy(s.body.mass, k ? "consistent" : "lumped");
        s.options.gravity[1] = 0;
        s.options.solver.tolerance = 1e-12;
        s.options.time.newton.tolerance = 1e-12;
        s.material.rayleigh[0] = 5;
        s.body.initial.velocity[0] = 1;
        add_probe(&s, SN_QUANTITY_VELOCITY, 0, 0, 0);
        scene_create(&s);
        step(&s, 10);
        double v[6];
        probe(&s, 0, v);
        assert_near(v[0], pow(1.05, -10), 1e-10);
        scene_end(&s);
    }
}

/* A modulus with keys, a material set by hand, and another law: each bar ends where its modulus says. */
static void test_material_edits(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 1, 0.2, 0.2, 3, 1, 1);
    strcpy(s.material.law, "linear");
    set_constant(&s.material, "poisson", 0);
    double key[4] = {0, 1e5, 0.1, 2e5};
    for (int i = 0; i < s.material.constant_count; ++i)
        if (strcmp(s.material.constant[i].name, "young") == 0)
            s.material.constant[i].key = key, s.material.constant[i].key_count = 2;
    strcpy(s.options.time.mode, "quasi-static");
    s.options.gravity[1] = 0;
    s.options.time.newton.tolerance = 1e-10;
    s.options.solver.tolerance = 1e-12;
    clamp_left(&s);
    s.load[0].select = normal_selector(1, 0, 0);
    s.load[0].value[0] = 1e3;
    s.body.load_count = 1;
    add_probe(&s, SN_QUANTITY_DISPLACEMENT, 1, 0.2, 0.2);
    scene_create(&s);
    memset(key, 0xff, sizeof key); /* the world has its own copy */
    double v[6];
    step(&s, 5);
    probe(&s, 0, v);
    assert_near(v[0], 1e3 / 1.5e5, 1e-10);
    step(&s, 10);
    probe(&s, 0, v);
    assert_near(v[0], 1e3 / 2e5, 1e-10);
    sn_material m = sn_material_default();
    strcpy(m.law, "linear");
    set_constant(&m, "young", 5e4);
    set_constant(&m, "poisson", 0);
    assert_int_equal(sn_world_set_material(s.world, 0, 0, &m, &s.error), SN_OK);
    step(&s, 1);
    probe(&s, 0, v);
    assert_near(v[0], 1e3 / 5e4, 1e-10);
    strcpy(m.law, "corotated"); /* the model is compiled again, the state stays */
    m.density = 500;
    assert_int_equal(sn_world_set_material(s.world, 0, 0, &m, &s.error), SN_OK);
    probe(&s, 0, v);
    assert_near(v[0], 1e3 / 5e4, 1e-10);
    step(&s, 1);
    probe(&s, 0, v);
    assert_near(v[0], 1e3 / 5e4, 1e-9);
    assert_string_equal(sn_world_material(s.world, 0, 0)->law, "corotated");
    set_constant(&m, "poisson", 0.5);
    assert_int_equal(sn_world_set_material(s.world, 0, 0, &m, &s.error), SN_BAD_INPUT);
    assert_int_equal(sn_world_set_material(s.world, 0, 1, &m, &s.error), SN_BAD_INPUT);
    step(&s, 1);
    scene_end(&s);
}

/* Two materials by selectors: springs in series. */
static void test_two_materials(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 1, 0.2, 0.2, 4, 1, 1);
    sn_material m[2] = {sn_material_default(), sn_material_default()};
    const sn_selector where[2] = {{.kind = SN_SELECT_ALL},
                                  {.kind = SN_SELECT_HALFSPACE, .point = {0.5, 0, 0}, .normal = {1, 0, 0}}};
    for (int i = 0; i < 2; ++i) {
        strcpy(m[i].law, "linear");
        set_constant(&m[i], "young", i ? 4e5 : 1e5);
        set_constant(&m[i], "poisson", 0);
    }
    s.body.material = m, s.body.material_select = where, s.body.material_count = 2;
    strcpy(s.options.time.mode, "static");
    s.options.gravity[1] = 0;
    clamp_left(&s);
    s.load[0].kind = SN_LOAD_FORCE;
    s.load[0].select = normal_selector(1, 0, 0);
    s.load[0].value[0] = 40;
    s.body.load_count = 1;
    add_probe(&s, SN_QUANTITY_DISPLACEMENT, 1, 0.2, 0.2);
    scene_create(&s);
    step(&s, 1);
    double v[6];
    probe(&s, 0, v);
    assert_near(v[0], 1e3 * (0.5 / 1e5 + 0.5 / 4e5), 1e-9);
    scene_end(&s);
}

/* A node that no element uses stays put and is in every output. */
static void test_isolated_node(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.4, 0.2, 0.2, 1, 1, 1);
    sn_mesh *mesh;
    const int n = s.mesh->node_count;
    assert_int_equal(sn_mesh_create(s.context, n + 1, s.mesh->tet_count, 4, 0, &mesh, NULL), SN_OK);
    const double lone[3] = {5, 6, 7};
    memcpy(mesh->position, lone, sizeof lone); /* node 0: all others move up by one */
    memcpy(mesh->position + 3, s.mesh->position, (size_t)n * 3 * sizeof(double));
    for (int i = 0; i < 4 * s.mesh->tet_count; ++i) mesh->tet[i] = s.mesh->tet[i] + 1;
    s.body.mesh = mesh;
    for (int k = 0; k < 4; ++k) {
        strcpy(s.body.mass, k % 2 ? "consistent" : "lumped");
        strcpy(s.options.solver.operator_, k / 2 ? "assembly-free" : "assembled");
        scene_create(&s);
        step(&s, 5);
        double x[3 * 40], p[3], L[3];
        sn_world_get(s.world, 0, x, NULL);
        for (int a = 0; a < 3; ++a) assert_near(x[a], lone[a], 0);
        assert_near(x[4] - s.mesh->position[1], -9.81 * 15e-4, 1e-6);
        sn_world_momentum(s.world, p, L);
        assert_near(p[1], -16 * 9.81 * 0.05, 1e-3);
        sn_world_destroy(s.world);
        s.world = NULL;
    }
    sn_mesh_destroy(mesh);
    scene_end(&s);
}

/* A bar held at one end and pulled at the other from t = 0 on: a wave of speed c = sqrt(E / rho) runs to the wall and
 * back, so that the end is at 2 s L / E at t = 2 L / c, and back at 0 at 4 L / c. */
static void test_bar_wave(void **state) {
    (void)state;
    enum { STEPS = 200 };
    const double young = 1e6, density = 1000, length = 1, traction = 100, way = length / sqrt(young / density);
    scene s;
    scene_start(&s, NULL, length, 0.05, 0.05, 40, 1, 1);
    strcpy(s.material.law, "linear");
    set_constant(&s.material, "young", young);
    set_constant(&s.material, "poisson", 0);
    s.material.density = density;
    clamp_left(&s);
    s.fix[1].select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    s.fix[1].axis[0] = false;
    s.body.fix_count = 2;
    s.load[0].select = box_selector(length - 1e-9, -1, -1, 2, 1, 1);
    s.load[0].value[0] = traction;
    s.body.load_count = 1;
    s.options.gravity[1] = 0;
    strcpy(s.options.time.method, "implicit-midpoint");
    s.options.time.step = 2 * way / STEPS;
    s.options.solver.tolerance = 1e-9;
    add_probe(&s, SN_QUANTITY_DISPLACEMENT, length, 0, 0);
    scene_create(&s);
    double v[6];
    const double most = 2 * traction * length / young;
    step(&s, STEPS / 2);
    probe(&s, 0, v);
    assert_near(v[0], most / 2, 0.01 * most);
    step(&s, STEPS / 2);
    probe(&s, 0, v);
    assert_near(v[0], most, 0.03 * most);
    step(&s, STEPS);
    probe(&s, 0, v);
    assert_near(v[0], 0, 0.03 * most);
    scene_end(&s);
}

static bool count_and_stop(void *user, double fraction) {
    (void)fraction;
    return --*(int *)user > 0;
}

/* Who watches is asked between the parts of a divided step and may give it up: the state stays. A step that is not
 * divided asks nobody. */
static void test_watch(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 1, 0.2, 0.2, 3, 1, 1);
    clamp_left(&s);
    snprintf(s.options.time.newton.kind, sizeof s.options.time.newton.kind, "full");
    s.options.time.newton.iterations = 1;
    s.options.time.newton.tolerance = 1e-15;
    scene_create(&s);
    char before[17], after[17];
    sn_world_hash(s.world, before);
    int left = 3;
    sn_world_watch(s.world, count_and_stop, &left);
    assert_int_equal(sn_world_step(s.world, NULL, &s.error), SN_STOPPED);
    assert_int_equal(left, 0);
    assert_non_null(strstr(s.error.text, "stopped"));
    sn_world_hash(s.world, after);
    assert_string_equal(before, after);
    sn_time_options easy = sn_world_time_options(s.world);
    easy.newton.iterations = 30, easy.newton.tolerance = 1e-6;
    assert_int_equal(sn_world_set_time(s.world, &easy, &s.error), SN_OK);
    left = 1;
    step(&s, 1);
    assert_int_equal(left, 1);
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_fall),
                                       cmocka_unit_test(test_momentum),
                                       cmocka_unit_test(test_prescribed_motion),
                                       cmocka_unit_test(test_reaction),
                                       cmocka_unit_test(test_starts),
                                       cmocka_unit_test(test_pins_and_grabs),
                                       cmocka_unit_test(test_rayleigh),
                                       cmocka_unit_test(test_material_edits),
                                       cmocka_unit_test(test_two_materials),
                                       cmocka_unit_test(test_isolated_node),
                                       cmocka_unit_test(test_bar_wave),
                                       cmocka_unit_test(test_watch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
