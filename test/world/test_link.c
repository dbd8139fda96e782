/* Links: held to rounding with the right force, moving places, two bodies, redundant and contradicting ones, both
 * stabilisations, tet10, every solver, statics, save and restore, bad input. */
#include "scene.h"

static const double weight = 1000 * 0.3 * 0.1 * 0.1 * 9.81;

static void start(scene *s, sn_link *link, int count) {
    scene_start(s, NULL, 0.3, 0.1, 0.1, 3, 1, 1);
    set_constant(&s->material, "young", 1e5);
    s->material.rayleigh[0] = 4;
    for (int i = 0; i < count; ++i) link[i] = sn_link_default();
    s->body.link = link, s->body.link_count = count;
}

static double size3(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void place(sn_link *link, double x, double y, double z) {
    const double at[3] = {x, y, z};
    memcpy(link->point, at, sizeof at);
    memcpy(link->to, at, sizeof at);
}

/* Hung from a point inside an element: it swings about it, held to rounding at each step; in the end the force is the
 * weight. */
static void test_hang(void **state) {
    (void)state;
    const char *solver[4] = {"cg", "eisenstat", "ldlt", "minres"};
    const char *element[2] = {"tet4", "tet10"};
    for (int k = 0; k < 5; ++k) {
        sn_link link[1];
        scene s;
        start(&s, link, 1);
        place(link, 0.13, 0.06, 0.03);
        strcpy(s.body.element, element[k == 4]);
        snprintf(s.options.solver.method, sizeof s.options.solver.method, "%s", solver[k % 4]);
        s.material.rayleigh[0] = 12;
        scene_create(&s);
        double error[3], force[3];
        for (int i = 0; i < (k ? 20 : 400); ++i) {
            step(&s, 1);
            sn_world_link(s.world, 0, error, force);
            assert_near(size3(error), 0, 1e-9);
        }
        if (k == 0) {
            assert_near(force[1], weight, 1e-2 * weight);
            assert_near(force[0], 0, 1e-2 * weight);
        }
        scene_end(&s);
    }
}

/* A place that moves takes the point along. */
static void test_keys(void **state) {
    (void)state;
    static const double key[] = {0, 0, 0, 0, 0.5, 0.2, 0.3, 0};
    sn_link link[1];
    scene s;
    start(&s, link, 1);
    place(link, 0.2, 0.05, 0.05);
    link->key = key, link->key_count = 2;
    link->rate = 1;
    scene_create(&s);
    double error[3];
    for (int i = 0; i < 60; ++i) {
        step(&s, 1);
        sn_world_link(s.world, 0, error, NULL);
        assert_near(size3(error), 0, 1e-9);
    }
    scene_end(&s);
}

/* Two bodies tied to each other: the second hangs from the first, momentum from the link cancels. */
static void test_bodies(void **state) {
    (void)state;
    sn_link link[1];
    scene s;
    start(&s, link, 0);
    link[0] = sn_link_default();
    sn_mesh *mesh = box_mesh(s.context, 0.1, 0.1, 0.1, 1, 1, 1, 5);
    const double move[3] = {0.2, -0.15, 0};
    sn_mesh_move(mesh, move);
    sn_body_options body[2] = {s.body, s.body};
    clamp_left(&s);
    body[0].fix = s.fix, body[0].fix_count = 1;
    strcpy(body[0].name, "bar");
    strcpy(body[1].name, "block");
    body[1].mesh = mesh;
    body[1].fix_count = 0;
    snprintf(link->body, sizeof link->body, "bar");
    place(link, 0.25, -0.06, 0.05);
    link->to[0] = 0.26, link->to[1] = 0.04, link->to[2] = 0.05;
    link->rate = 1; /* drawn together in the first step */
    body[1].link = link, body[1].link_count = 1;
    s.options.body = body, s.options.body_count = 2;
    scene_create(&s);
    double error[3], force[3];
    step(&s, 2);
    sn_world_link(s.world, 0, error, NULL);
    assert_near(size3(error), 0, 1e-9);
    step(&s, 300);
    sn_world_link(s.world, 0, error, force);
    assert_near(size3(error), 0, 1e-9);
    assert_near(force[1], 1000 * 1e-3 * 9.81, 0.05 * 9.81);
    sn_mesh_destroy(mesh);
    scene_end(&s);
}

/* The same link three times shares the force; two that contradict each other meet in the middle. */
static void test_redundant(void **state) {
    (void)state;
    sn_link link[3];
    scene s;
    start(&s, link, 3);
    for (int i = 0; i < 3; ++i) place(&link[i], 0.15, 0.07, 0.05);
    scene_create(&s);
    double error[3], force[3][3];
    step(&s, 40);
    for (int i = 0; i < 3; ++i) {
        sn_world_link(s.world, i, error, force[i]);
        assert_near(size3(error), 0, 1e-8);
        assert_near(force[i][1], force[0][1], 1e-6 * weight);
    }
    assert_true(force[0][1] > 0.2 * weight && force[0][1] < 0.5 * weight);
    scene_end(&s);

    start(&s, link, 2);
    for (int i = 0; i < 2; ++i) place(&link[i], 0.15, 0.07, 0.05), link[i].rate = 1;
    link[0].to[0] -= 0.01, link[1].to[0] += 0.01;
    scene_create(&s);
    step(&s, 20);
    for (int i = 0; i < 2; ++i) {
        sn_world_link(s.world, i, error, force[0]);
        assert_near(error[0], i ? -0.01 : 0.01, 1e-6);
        assert_near(error[1], 0, 1e-6);
        assert_true(size3(force[0]) < 10 * weight);
    }
    scene_end(&s);
}

/* An error at the start fades by `rate` per step, in the motion or after it; afterwards no velocity is left by `post`.
 */
static void test_stabilise(void **state) {
    (void)state;
    const char *name[2] = {"baumgarte", "post"};
    for (int k = 0; k < 2; ++k) {
        sn_link link[2];
        scene s;
        start(&s, link, 2);
        s.options.gravity[1] = 0;
        for (int i = 0; i < 2; ++i) { /* the second: redundant */
            place(&link[i], 0.15, 0.05, 0.05);
            link[i].to[2] += 0.001;
            link[i].rate = 0.3;
            snprintf(link[i].stabilise, sizeof link[i].stabilise, "%s", name[k]);
        }
        scene_create(&s);
        double error[3], before = 0.001;
        for (int i = 0; i < 10; ++i) {
            step(&s, 1);
            sn_world_link(s.world, 0, error, NULL);
            assert_near(size3(error), 0.7 * before, 1e-6 * 0.001 + 1e-3 * before);
            before = size3(error);
        }
        scene_end(&s);
    }
}

/* Statics: a clamped bar whose tip is drawn to a place. */
static void test_static(void **state) {
    (void)state;
    sn_link link[1];
    scene s;
    start(&s, link, 1);
    clamp_left(&s);
    place(link, 0.3, 0.05, 0.05);
    link->to[1] += 0.02;
    link->rate = 1;
    s.options.gravity[1] = 0;
    snprintf(s.options.time.mode, sizeof s.options.time.mode, "static");
    scene_create(&s);
    step(&s, 1);
    double error[3], force[3];
    sn_world_link(s.world, 0, error, force);
    assert_near(size3(error), 0, 1e-9);
    assert_true(force[1] > 0.1);
    scene_end(&s);
}

static void test_save(void **state) {
    (void)state;
    sn_link link[1];
    scene s;
    start(&s, link, 1);
    place(link, 0.13, 0.06, 0.03);
    scene_create(&s);
    step(&s, 10);
    const size_t size = sn_world_state_size(s.world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s.world, bytes, size, NULL), SN_OK);
    char one[17], two[17];
    step(&s, 10);
    sn_world_hash(s.world, one);
    sn_world_destroy(s.world);
    scene_create(&s);
    assert_int_equal(sn_world_restore_state(s.world, bytes, size, NULL), SN_OK);
    step(&s, 10);
    sn_world_hash(s.world, two);
    assert_string_equal(one, two);
    free(bytes);
    scene_end(&s);
}

static void test_errors(void **state) {
    (void)state;
    sn_link link[1];
    scene s;
    start(&s, link, 1);
    const struct {
        double x, rate;
        const char *body, *stabilise, *method, *word;
    } bad[] = {{0.5, 0.2, "", "post", "", "not inside"},
               {0.1, 1.5, "", "post", "", "rate"},
               {0.1, 0.2, "nobody", "post", "", "nobody"},
               {0.1, 0.2, "", "glue", "", "glue"},
               {0.1, 0.2, "", "post", "rk4", "rk4"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        link[0] = sn_link_default();
        place(link, bad[i].x, 0.05, 0.05);
        link->rate = bad[i].rate;
        snprintf(link->body, sizeof link->body, "%s", bad[i].body);
        snprintf(link->stabilise, sizeof link->stabilise, "%s", bad[i].stabilise);
        snprintf(s.options.time.method, sizeof s.options.time.method, "%s", bad[i].method);
        assert_int_not_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_OK);
        assert_non_null(strstr(s.error.text, bad[i].word));
    }
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hang),      cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_bodies),    cmocka_unit_test(test_redundant),
                                       cmocka_unit_test(test_stabilise), cmocka_unit_test(test_static),
                                       cmocka_unit_test(test_save),      cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
