/* Cloth falls by about a meter on a collider of each shape, with one linear solve in a step. In each frame `projection`
 * keeps all nodes half the thickness away, but for 1e-4 of the size of the body (projection.h). The springs of
 * `penalty` give way in the impact, and no node passes through. */
#include "../contact/shape_trials.h"

#include "scene_text.h"
#include "world/inside.h"

static const double thickness = 0.01, size = 2.83; /* m: of the fabric, and of the sheet across */

/* A level sheet of 2 m above the colliders. */
static sn_world *make(const sn_collider *collider, const char *response) {
    const sn_generator_value value[2] = {{"size", 2, {2, 2}}, {"cells", 2, {12, 12}}};
    sn_error error = {0};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_generate(context, "grid", value, 2, &mesh, NULL), SN_OK);
    for (int i = 0; i < mesh->node_count; ++i) mesh->position[3 * i + 1] += 1.2;
    sn_material material = sn_material_default();
    const double young = 1e5, poisson = 0.3;
    snprintf(material.law, sizeof material.law, "cloth-stvk");
    sn_material_set(&material, "young", &young, 1, NULL), sn_material_set(&material, "poisson", &poisson, 1, NULL);
    material.density = 50, material.rayleigh[0] = 1, material.rayleigh[1] = 0.003, material.bending_stiffness = 1e-4;
    sn_body_options body = sn_body_options_default();
    body.mesh = mesh, body.material = &material, body.material_count = 1, body.thickness = thickness;
    sn_collider own = *collider;
    snprintf(own.response, sizeof own.response, "%s", response);
    own.friction = 0.3;
    sn_world_options options = sn_world_options_default();
    options.body = &body, options.body_count = 1, options.collider = &own, options.collider_count = 1;
    options.time.step = 0.01;
    snprintf(options.time.newton.kind, sizeof options.time.newton.kind, "one-step");
    sn_world *world = NULL;
    if (sn_world_create(context, &options, &world, &error)) fail_msg("%s: %s", collider->shape, error.text);
    sn_mesh_destroy(mesh);
    return world;
}

static void falls(const trial *t, const char *response, double allowed) {
    sn_collider_model model = {0};
    sn_error error = {0};
    sn_pose pose;
    const sn_collider collider = t->make();
    sn_world *world = make(&collider, response);
    assert_int_equal(sn_collider_model_create(context, &collider, &model, &error), SN_OK);
    sn_collider_at(&model, 0, &pose);
    double least = INFINITY;
    for (int i = 0; i < 80; ++i) {
        if (sn_world_step(world, NULL, &error)) fail_msg("%s, %s: %s", t->shape, response, error.text);
        for (int k = 0; k < world->model->node_count; ++k) {
            double n[3];
            least = fmin(least, sn_collider_gap(&model, &pose, world->state.x + 3 * (size_t)k, 1, n, NULL));
        }
    }
    if (!(least > 0.5 * thickness - allowed && least < 0.6 * thickness))
        fail_msg("%s, %s: a node comes to %g m", t->shape, response, least);
    sn_collider_model_destroy(context, &model);
    sn_world_destroy(world);
}

static void on_every_collider(void **state) {
    (void)state;
    for (int i = 0; i < TRIALS; ++i) falls(&trials[i], "projection", 1e-4 * size), falls(&trials[i], "penalty", 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_every_collider)};
    return cmocka_run_group_tests(tests, start, end);
}
