/* Tethers and material points: momentum, effective mass, dampers relative to a moving anchor. Differences of their
 * force, energy and blocks are in test_interaction.c. */
#include "scene.h"
#include "scene_text.h"

#include "world/inside.h"

static void near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.15g instead of %.15g", a, b);
}

static double node_mass(const scene *s, int body, int node) {
    return s->world->solid->weight[sn_model_node(s->world->model, body, node)];
}

/* A free bar without gravity. */
static void free_bar(scene *s, const char *element) {
    scene_start(s, NULL, 0.3, 0.1, 0.1, 3, 1, 1);
    strcpy(s->body.element, element);
    s->options.gravity[1] = 0;
    scene_create(s);
}

static void test_impulse(void **state) {
    (void)state;
    scene s;
    free_bar(&s, "tet4");
    const double at[3] = {0.13, 0.02, 0.07}, j[3] = {0.3, -0.2, 0.5};
    sn_point p;
    assert_int_equal(sn_world_find_point(s.world, 0, at, &p, &s.error), SN_OK);
    double x[3], v[3], inverse[9], sum = 0, mass = 0, total[3], turn[3];
    assert_int_equal(sn_world_point_motion(s.world, &p, x, v, &s.error), SN_OK);
    for (int a = 0; a < 3; ++a) near(x[a], at[a], 1e-14);
    assert_int_equal(sn_world_point_inverse_mass(s.world, &p, inverse, &s.error), SN_OK);
    for (int i = 0; i < p.count; ++i) sum += p.weight[i] * p.weight[i] / node_mass(&s, 0, p.node[i]);
    near(inverse[0], sum, 1e-12 * sum); /* (3.30) */
    near(inverse[1], 0, 1e-12 * sum);
    assert_int_equal(sn_world_add_impulse(s.world, &p, j, &s.error), SN_OK);
    sn_world_momentum(s.world, total, turn);
    for (int a = 0; a < 3; ++a) near(total[a], j[a], 1e-13);
    sn_world_point_motion(s.world, &p, NULL, v, &s.error);
    for (int a = 0; a < 3; ++a) near(v[a], j[a] * sum, 1e-10); /* (3.31) */
    /* (3.33): the point gets the change of velocity, and each node its share. */
    const double change[3] = {1, 2, -1};
    double before[3] = {v[0], v[1], v[2]};
    assert_int_equal(sn_world_change_velocity(s.world, &p, change, &s.error), SN_OK);
    sn_world_point_motion(s.world, &p, NULL, v, &s.error);
    for (int a = 0; a < 3; ++a) near(v[a] - before[a], change[a], 1e-12);
    /* (3.34), and the centre of mass moves as an impulse would move it. */
    assert_int_equal(sn_world_change_position(s.world, &p, (double[3]){0.01, 0, 0.02}, &s.error), SN_OK);
    sn_world_point_motion(s.world, &p, x, NULL, &s.error);
    near(x[0], at[0] + 0.01, 1e-14), near(x[2], at[2] + 0.02, 1e-14);
    double *position = malloc(3 * (size_t)s.mesh->node_count * sizeof *position), centre = 0;
    sn_world_get(s.world, 0, position, NULL);
    for (int i = 0; i < s.mesh->node_count; ++i) {
        const double m = node_mass(&s, 0, i);
        mass += m, centre += m * (position[3 * i] - s.mesh->position[3 * i]);
    }
    near(centre, 0.01 / sum, 1e-12 * mass);
    free(position);
    /* A force at the point: after one step from rest the momentum is f h. */
    step(&s, 1);
    scene_end(&s);
    free_bar(&s, "tet10");
    assert_int_equal(sn_world_find_point(s.world, 0, at, &p, &s.error), SN_OK);
    assert_int_equal(sn_world_add_force(s.world, &p, j, &s.error), SN_OK);
    step(&s, 1);
    assert_int_equal(sn_world_point_motion(s.world, &p, NULL, v, &s.error), SN_OK);
    assert_true(v[0] > 0 && v[1] < 0 && v[2] > 0);
    scene_end(&s);
}

static void test_held(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.3, 0.1, 0.1, 3, 1, 1);
    clamp_left(&s);
    scene_create(&s);
    sn_point p;
    double inverse[9];
    assert_int_equal(sn_world_find_point(s.world, 0, (double[3]){0, 0.05, 0.05}, &p, &s.error), SN_OK);
    assert_int_equal(sn_world_point_inverse_mass(s.world, &p, inverse, &s.error), SN_OK);
    for (int i = 0; i < 9; ++i) near(inverse[i], 0, 0);
    assert_int_equal(sn_world_change_position(s.world, &p, (double[3]){1, 0, 0}, &s.error), SN_SINGULAR);
    assert_int_equal(sn_world_find_point(s.world, 0, (double[3]){9, 0, 0}, &p, &s.error), SN_BAD_INPUT);
    assert_int_equal(sn_world_find_point(s.world, 1, (double[3]){0, 0, 0}, &p, &s.error), SN_BAD_INPUT);
    scene_end(&s);
}

/* A point whose weights do not have the sum 1 would add a force of another size. */
static void test_wrong_weights(void **state) {
    (void)state;
    scene s;
    free_bar(&s, "tet4");
    const double force[3] = {1, 0, 0};
    sn_point p = {.count = 2, .node = {0, 1}, .weight = {0.5, 0.25}};
    double x[3];
    assert_int_equal(sn_world_add_force(s.world, &p, force, &s.error), SN_BAD_INPUT);
    assert_non_null(strstr(s.error.text, "0.75"));
    assert_int_equal(sn_world_add_impulse(s.world, &p, force, &s.error), SN_BAD_INPUT);
    assert_int_equal(sn_world_point_motion(s.world, &p, x, NULL, &s.error), SN_BAD_INPUT);
    p.weight[1] = NAN;
    assert_int_equal(sn_world_add_force(s.world, &p, force, &s.error), SN_NOT_FINITE);
    p.weight[1] = 0.5;
    assert_int_equal(sn_world_add_force(s.world, &p, force, &s.error), SN_OK);
    scene_end(&s);
}

/* Two bodies that a tether joins: its forces cancel, so the momentum of both stays 0. */
static void test_momentum(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.1, 0.1, 0.1, 1, 1, 1);
    sn_mesh *second = box_mesh(s.context, 0.1, 0.1, 0.1, 1, 1, 1, 5);
    sn_mesh_move(second, (double[3]){0.3, 0, 0});
    sn_tether tether = sn_tether_default();
    memcpy(tether.point, (double[3]){0.1, 0.05, 0.05}, sizeof tether.point);
    strcpy(tether.body, "other");
    memcpy(tether.to, (double[3]){0.3, 0.05, 0.05}, sizeof tether.to);
    tether.stiffness = 500, tether.damping = 2;
    sn_body_options body[2] = {s.body, s.body};
    body[0].tether = &tether, body[0].tether_count = 1;
    strcpy(body[1].name, "other"), body[1].mesh = second;
    s.options.body = body, s.options.body_count = 2;
    s.options.gravity[1] = 0;
    s.options.time.newton.tolerance = 1e-12, s.options.solver.tolerance = 1e-12;
    s.options.time.newton.iterations = 60;
    scene_create(&s);
    step(&s, 10);
    double p[2] = {0};
    for (int b = 0; b < 2; ++b) {
        double *v = malloc(3 * (size_t)s.mesh->node_count * sizeof *v);
        sn_world_get(s.world, b, NULL, v);
        for (int i = 0; i < s.mesh->node_count; ++i) p[b] += node_mass(&s, b, i) * v[3 * i];
        free(v);
    }
    assert_true(p[0] > 0.1); /* pulled to the other */
    near(p[0], -p[1], 1e-8 * p[0]);
    sn_world_destroy(s.world), s.world = NULL;
    sn_mesh_destroy(second);
    scene_end(&s);
}

/* A stiff damper to an anchor that moves at a steady speed: the body takes the speed of the anchor. A damper against
 * rest would hold it back. */
static void test_moving_anchor(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.1, 0.1, 0.1, 1, 1, 1);
    const double key[8] = {0, 0, 0, 0, 10, 5, 0, 0}; /* 0.5 m/s */
    sn_tether tether = sn_tether_default();
    memcpy(tether.point, (double[3]){0.05, 0.05, 0.05}, sizeof tether.point);
    memcpy(tether.to, tether.point, sizeof tether.to);
    tether.key = key, tether.key_count = 2;
    tether.stiffness = 1e-3, tether.damping = 200;
    s.body.tether = &tether, s.body.tether_count = 1;
    s.options.gravity[1] = 0;
    scene_create(&s);
    step(&s, 100);
    sn_point p;
    double v[3];
    assert_int_equal(sn_world_find_point(s.world, 0, tether.point, &p, &s.error), SN_OK);
    assert_int_equal(sn_world_point_motion(s.world, &p, NULL, v, &s.error), SN_OK);
    near(v[0], 0.5, 1e-3);
    /* Without the tether it goes on by itself; changed and removed tethers are gone. */
    int id;
    assert_int_equal(sn_world_remove_tether(s.world, 0, &s.error), SN_OK);
    assert_int_equal(sn_world_remove_tether(s.world, 0, &s.error), SN_BAD_INPUT);
    tether.stiffness = 1e4, tether.damping = 0;
    assert_int_equal(sn_world_add_tether(s.world, 0, &tether, &id, &s.error), SN_OK);
    assert_int_equal(id, 1);
    tether.stiffness = 0;
    assert_int_equal(sn_world_change_tether(s.world, id, 0, &tether, &s.error), SN_BAD_INPUT);
    tether.stiffness = 2e4;
    assert_int_equal(sn_world_change_tether(s.world, id, 0, &tether, &s.error), SN_OK);
    step(&s, 2);
    scene_end(&s);
}

/* Links and tethers on plane bodies. */
static void test_plane(void **state) {
    (void)state;
    static const char text[] =
        "{\"bodies\": [{\"mesh\": {\"rectangle\": {\"size\": [0.3, 0.1], \"cells\": [3, 1]}}, \"element\": \"tri3\","
        "\"links\": [{\"point\": [0.05, 0.02, 0]}], \"tethers\": [{\"point\": [0.2, 0.02, 0]}]}]}";
    sn_context *context;
    sn_error error = {0};
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    sn_world *world = world_of_text(context, text);
    for (int i = 0; i < 5; ++i) assert_int_equal(sn_world_step(world, NULL, &error), SN_OK);
    double gap[3];
    assert_int_equal(sn_world_link(world, 0, gap, NULL), SN_OK);
    for (int a = 0; a < 3; ++a) near(gap[a], 0, 1e-5);
    sn_world_destroy(world);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_impulse),       cmocka_unit_test(test_held),
                                       cmocka_unit_test(test_wrong_weights), cmocka_unit_test(test_momentum),
                                       cmocka_unit_test(test_moving_anchor), cmocka_unit_test(test_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
