/* Colliders and detailed surfaces: a collider meets the vertices of the surface that is drawn, not the tets around
 * it. */
#include "scene.h"

typedef struct ball {
    scene scene;
    sn_mesh *cage, *surface;
} ball;

static sn_mesh *sphere(sn_context *context, double radius, int cells, double height) {
    const sn_generator_value value[2] = {{"radius", 1, {radius}}, {"cells", 1, {cells}}};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_generate(context, "sphere", value, 2, &mesh, NULL), SN_OK);
    for (int i = 0; i < mesh->node_count; ++i) mesh->position[3 * i + 1] += height;
    return mesh;
}

/* A sphere of radius 0.1 m in a coarse box of tets of side 0.3 m. It hangs 1 mm above the ground, y = 0. */
static void ball_start(ball *b, const char *embedding, const char *response, double friction) {
    scene *s = &b->scene;
    scene_start(s, NULL, 1, 1, 1, 1, 1, 1);
    b->cage = box_mesh(s->context, 0.3, 0.3, 0.3, 3, 3, 3, 5);
    for (int i = 0; i < 3 * b->cage->node_count; ++i) b->cage->position[i] -= 0.15;
    for (int i = 0; i < b->cage->node_count; ++i) b->cage->position[3 * i + 1] += 0.101;
    b->surface = sphere(s->context, 0.1, 5, 0.101);
    s->body.mesh = b->cage;
    s->body.surface = b->surface;
    strcpy(s->body.embedding, embedding);
    s->body.fix_count = s->body.load_count = 0;
    set_constant(&s->material, "young", 1e5);
    s->material.rayleigh[0] = 5;
    s->options.collider_count = 1;
    s->collider[0].friction = friction;
    strcpy(s->collider[0].response, response);
    if (strcmp(response, "spring-damper") == 0) {
        s->collider[0].spring.stiffness = 5000;
        s->collider[0].spring.damping = 50;
    }
    scene_create(s);
}

static void ball_end(ball *b) {
    sn_mesh_destroy(b->cage);
    sn_mesh_destroy(b->surface);
    scene_end(&b->scene);
}

/* The lowest vertex of the surface and the lowest node of the tets, m. */
static void lowest(const ball *b, double *vertex, double *node) {
    const sn_embedding *e = sn_world_body_surface(b->scene.world, 0);
    const int nodes = b->cage->node_count;
    double *x = malloc(3 * (size_t)nodes * sizeof *x);
    float *p = malloc(3 * (size_t)e->vertex_count * sizeof *p);
    assert_int_equal(sn_world_get(b->scene.world, 0, x, NULL), SN_OK);
    sn_embedding_positions(e, x, p);
    *vertex = *node = 1;
    for (int i = 0; i < e->vertex_count; ++i) *vertex = fmin(*vertex, p[3 * i + 1]);
    for (int i = 0; i < nodes; ++i) *node = fmin(*node, x[3 * i + 1]);
    free(x);
    free(p);
}

static double weight_on_ground(const ball *b) {
    const int nodes = b->cage->node_count;
    double *f = malloc(3 * (size_t)nodes * sizeof *f), sum = 0;
    assert_int_equal(sn_world_reactions(b->scene.world, 0, f, NULL), SN_OK);
    for (int i = 0; i < nodes; ++i) sum += f[3 * i + 1];
    free(f);
    return sum;
}

static void test_rests_on_its_surface(void **state) {
    const char *response = *state;
    for (int smooth = 0; smooth < 2; ++smooth) {
        ball b;
        ball_start(&b, smooth ? "mls" : "barycentric", response, 0.5);
        step(&b.scene, 120);
        double vertex, node;
        lowest(&b, &vertex, &node);
        const double up = weight_on_ground(&b), weight = 9.81 * 1000 * 0.027;
        print_message("%s, %s: lowest vertex %.2f mm, lowest node %.1f mm, %.3f of %.3f N\n", response,
                      smooth ? "mls" : "barycentric", 1e3 * vertex, 1e3 * node, up, weight);
        assert_true(vertex > -0.003 && vertex < 0); /* the surface is on the ground */
        assert_true(node < -0.03);                  /* the tets go below it */
        assert_true(fabs(up - weight) < 0.005 * weight);
        ball_end(&b);
    }
}

/* The constants of "spring-damper" are per node: it meets the nodes of the tets. */
static void test_springs_meet_nodes(void **state) {
    (void)state;
    ball b;
    ball_start(&b, "barycentric", "spring-damper", 0);
    step(&b.scene, 200);
    double vertex, node;
    lowest(&b, &vertex, &node);
    const double up = weight_on_ground(&b), weight = 9.81 * 1000 * 0.027;
    print_message("spring-damper: lowest vertex %.2f mm, lowest node %.2f mm, %.3f of %.3f N\n", 1e3 * vertex,
                  1e3 * node, up, weight);
    assert_true(node > -0.01 && node < 0);
    assert_true(vertex > 0.03);
    assert_true(fabs(up - weight) < 0.005 * weight);
    ball_end(&b);
}

/* Forces, energy and blocks agree while the ball slides over the ground. */
static void test_derivatives(void **state) {
    (void)state;
    for (int smooth = 0; smooth < 2; ++smooth) {
        ball b;
        ball_start(&b, smooth ? "mls" : "barycentric", "penalty", 0.5);
        const int nodes = b.cage->node_count;
        double *v = calloc(3 * (size_t)nodes, sizeof *v), *x = malloc(3 * (size_t)nodes * sizeof *x);
        memcpy(x, b.cage->position, 3 * (size_t)nodes * sizeof *x);
        for (int i = 0; i < nodes; ++i) v[3 * i] = 0.3, v[3 * i + 1] = -0.1, x[3 * i + 1] -= 0.004;
        assert_int_equal(sn_world_put(b.scene.world, 0, x, v, &b.scene.error), SN_OK);
        sn_interaction_errors errors;
        assert_int_equal(sn_world_check_interaction(b.scene.world, "penalty", &errors, &b.scene.error), SN_OK);
        print_message("energy %.1e stiffness %.1e damping %.1e\n", errors.energy, errors.stiffness, errors.damping);
        assert_true(errors.energy > 0 && errors.energy < 1e-6);
        assert_true(errors.stiffness > 0 && errors.stiffness < 1e-6);
        assert_true(errors.damping > 0 && errors.damping < 1e-6);
        free(v);
        free(x);
        ball_end(&b);
    }
}

/* A push along the ground: friction brakes the surface. */
static void test_friction(void **state) {
    (void)state;
    double way[2];
    for (int rough = 0; rough < 2; ++rough) {
        ball b;
        ball_start(&b, "barycentric", "penalty", rough ? 2 : 0.02);
        step(&b.scene, 50);
        const int nodes = b.cage->node_count;
        double *x = malloc(3 * (size_t)nodes * sizeof *x), *v = calloc(3 * (size_t)nodes, sizeof *v), before = 0;
        assert_int_equal(sn_world_get(b.scene.world, 0, x, v), SN_OK);
        for (int i = 0; i < nodes; ++i) v[3 * i] += 0.5, before += x[3 * i] / nodes;
        assert_int_equal(sn_world_put(b.scene.world, 0, x, v, &b.scene.error), SN_OK);
        step(&b.scene, 50);
        assert_int_equal(sn_world_get(b.scene.world, 0, x, NULL), SN_OK);
        way[rough] = -before;
        for (int i = 0; i < nodes; ++i) way[rough] += x[3 * i] / nodes;
        free(x);
        free(v);
        ball_end(&b);
    }
    /* It slides with friction 0.02; with friction 2 the contact holds and the body can only roll a little. */
    print_message("way: smooth %.3f m, rough %.3f m\n", way[0], way[1]);
    assert_true(way[0] > 1.5 * fabs(way[1]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_rests_on_its_surface, (void *)(uintptr_t) "penalty"),
        cmocka_unit_test_prestate(test_rests_on_its_surface, (void *)(uintptr_t) "projection"),
        cmocka_unit_test(test_springs_meet_nodes),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
