/* Plane bodies: statics against the closed form of plane strain, mass and free fall, the plane kept, every law and
 * rotation, errors. */
#include "scene.h"

static void plane_start(scene *s, double x, double y, int nx, int ny) {
    scene_start(s, NULL, 1, 1, 1, 1, 1, 1);
    sn_mesh_destroy(s->mesh);
    const sn_generator_value value[2] = {{"size", 2, {x, y}}, {"cells", 2, {nx, ny}}};
    assert_int_equal(sn_mesh_generate(s->context, "rectangle", value, 2, &s->mesh, NULL), SN_OK);
    s->body.mesh = s->mesh;
    strcpy(s->body.element, "tri3");
}

/* A strip on rollers, pulled: u = F L / (thickness height E / (1 - nu^2)). */
static void stretched_strip(void **state) {
    (void)state;
    scene s;
    plane_start(&s, 2, 0.5, 8, 2);
    s.body.thickness = 0.25;
    snprintf(s.material.law, sizeof s.material.law, "linear");
    set_constant(&s.material, "young", 1e5), set_constant(&s.material, "poisson", 0.3);
    s.fix[0].select = box_selector(-1e-9, -1, -1, 1e-9, 1, 1), s.fix[0].axis[1] = s.fix[0].axis[2] = false;
    s.fix[1].select = box_selector(-1, -1e-9, -1, 3, 1e-9, 1), s.fix[1].axis[0] = s.fix[1].axis[2] = false;
    s.body.fix_count = 2;
    /* the right edge: half shares at its ends, as a traction would have */
    for (int i = 0; i < 2; ++i) {
        s.load[i].select =
            i == 0 ? box_selector(2 - 1e-9, -1, -1, 3, 1, 1) : box_selector(2 - 1e-9, 0.2, -1, 3, 0.3, 1);
        s.load[i].kind = SN_LOAD_FORCE;
    }
    s.load[0].value[0] = 75, s.load[1].value[0] = 25; /* 25 25 25 + 25 in the middle: 25 50 25 of 100 N */
    s.body.load_count = 2;
    s.options.gravity[1] = 0;
    snprintf(s.options.time.mode, sizeof s.options.time.mode, "static");
    add_probe(&s, SN_QUANTITY_DISPLACEMENT, 2, 0.5, 0);
    add_probe(&s, SN_QUANTITY_STRESS, 1, 0.25, 0);
    scene_create(&s);
    step(&s, 1);
    double u[6], stress[6];
    probe(&s, 0, u);
    probe(&s, 1, stress);
    const double area = 0.25 * 0.5, modulus = 1e5 / (1 - 0.09), along = 100 * 2 / (area * modulus);
    assert_near(u[0], along, 1e-6 * along);
    assert_near(u[1], -0.3 / 0.7 * along / 2 * 0.5, 1e-6 * along); /* -nu / (1 - nu) of the strain */
    assert_near(u[2], 0, 0);
    assert_near(stress[0], 100 / area, 1e-3);
    assert_near(stress[2], 0.3 * 100 / area, 1e-3);
    scene_end(&s);
}

/* A link finds its point by the triangle's shape functions, and holds it. */
static void linked(void **state) {
    (void)state;
    scene s;
    plane_start(&s, 0.3, 0.2, 3, 2);
    sn_link link = sn_link_default();
    link.point[0] = link.to[0] = 0.17, link.point[1] = link.to[1] = 0.13;
    s.body.link = &link, s.body.link_count = 1;
    scene_create(&s);
    step(&s, 20);
    double p[3], l[3];
    sn_world_momentum(s.world, p, l);
    const double mass = 1000 * 0.3 * 0.2;
    assert_true(fabs(p[1]) < 0.2 * 9.81 * sn_world_time(s.world) * mass); /* it hangs and swings, and does not fall */
    scene_end(&s);
    plane_start(&s, 0.3, 0.2, 3, 2);
    link.point[0] = 0.31;
    s.body.link = &link, s.body.link_count = 1;
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, NULL), SN_BAD_INPUT); /* outside */
    scene_end(&s);
}

static void free_fall(void **state) {
    (void)state;
    scene s;
    plane_start(&s, 0.3, 0.2, 3, 2);
    s.body.thickness = 0.5;
    s.body.initial.velocity[0] = 1, s.body.initial.velocity[2] = 5; /* z is held */
    s.options.solver.tolerance = 1e-12;                             /* the default keeps the momentum to about 1e-8 */
    scene_create(&s);
    step(&s, 10);
    double p[3], l[3];
    sn_world_momentum(s.world, p, l);
    const double mass = 1000 * 0.3 * 0.2 * 0.5;
    assert_near(p[0], mass, 1e-9 * mass);
    assert_near(p[1], -9.81 * 0.1 * mass, 1e-9 * mass);
    assert_near(p[2], 0, 0);
    scene_end(&s);
}

/* Every law and rotation swings a clamped strip for a while and stays in the plane. */
static void laws_and_rotations(void **state) {
    (void)state;
    int laws, rotations;
    const sn_listing *law = sn_laws(&laws), *rotation = sn_rotations(&rotations);
    for (int i = 0; i < laws + rotations; ++i) {
        if (i < laws && strncmp(law[i].name, "orthotropic", 11) == 0) continue; /* other constants */
        if (i < laws && strcmp(law[i].name, "ciarlet") == 0) continue;
        if (i < laws && strncmp(law[i].name, "cloth-", 6) == 0) continue; /* test/cloth */
        scene s;
        plane_start(&s, 0.4, 0.1, 8, 2);
        snprintf(s.material.law, sizeof s.material.law, "%s", i < laws ? law[i].name : "corotated");
        if (i >= laws) snprintf(s.material.rotation, sizeof s.material.rotation, "%s", rotation[i - laws].name);
        clamp_left(&s);
        add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0.4, 0, 0);
        scene_create(&s);
        step(&s, 10);
        double u[6];
        probe(&s, 0, u);
        assert_true(u[1] < -1e-4 && u[1] > -0.1 && u[2] == 0);
        scene_end(&s);
    }
}

/* A plane body falls on a plane collider by its rim. */
static void falls_on_ground(void **state) {
    (void)state;
    scene s;
    plane_start(&s, 0.2, 0.2, 4, 4);
    set_place(&s.collider[0], "point", 0, -0.05, 0);
    s.options.collider_count = 1;
    add_probe(&s, SN_QUANTITY_POSITION, 0.1, 0, 0);
    scene_create(&s);
    step(&s, 100);
    double x[6];
    probe(&s, 0, x);
    assert_near(x[1], -0.05, 0.02);
    scene_end(&s);
}

static void refused(scene *s, const char *word) {
    assert_int_not_equal(sn_world_create(s->context, &s->options, &s->world, &s->error), SN_OK);
    if (!strstr(s->error.text, word)) fail_msg("'%s' should name '%s'", s->error.text, word);
    scene_end(s);
}

static void errors(void **state) {
    (void)state;
    scene s;
    plane_start(&s, 1, 1, 2, 2);
    strcpy(s.body.element, "tet4");
    refused(&s, "needs tets");
    plane_start(&s, 1, 1, 2, 2);
    s.body.thickness = 0;
    refused(&s, "thickness is 0");
    plane_start(&s, 1, 1, 2, 2);
    s.mesh->position[2] = 0.1;
    refused(&s, "plane z = constant");
    plane_start(&s, 1, 1, 2, 2);
    s.load[0].select = (sn_selector){.kind = SN_SELECT_ALL}, s.load[0].kind = SN_LOAD_PRESSURE, s.load[0].scalar = 1;
    s.body.load_count = 1;
    refused(&s, "no faces");
    scene_start(&s, NULL, 1, 1, 1, 1, 1, 1);
    strcpy(s.body.element, "tri3");
    refused(&s, "needs only triangles");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stretched_strip), cmocka_unit_test(linked),
                                       cmocka_unit_test(free_fall),       cmocka_unit_test(laws_and_rotations),
                                       cmocka_unit_test(falls_on_ground), cmocka_unit_test(errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
