/* Worlds with colliders: resting, sliding and stopping, moving colliders, spheres; stable at a step of 0.01. */
#include "scene.h"

/* A box on a plane: it sinks by its pressure over the stiffness, and the plane carries its weight. */
static void test_rest(void **state) {
    (void)state;
    for (int quadratic = 0; quadratic < 2; ++quadratic) {
        scene s;
        scene_start(&s, NULL, 0.2, 0.2, 0.2, 2, 2, 2);
        strcpy(s.body.element, quadratic ? "tet10" : "tet4");
        s.material.rayleigh[0] = 2;
        set_constant(&s.material, "young", 1e5);
        set_place(&s.collider[0], "point", 0, -0.05, 0);
        s.options.collider_count = 1;
        sn_probe *p = add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0);
        p->at = SN_PROBE_SELECT, p->select = box_selector(-1, -1e-9, -1, 1, 1e-9, 1);
        p = add_probe(&s, SN_QUANTITY_REACTION, 0, 0, 0);
        p->at = SN_PROBE_SELECT, p->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
        scene_create(&s);
        double v[6];
        sn_step_report report;
        for (int i = 0; i < 200; ++i) {
            step(&s, 1);
            probe(&s, 0, v);
            assert_true(v[1] > -0.05 - 0.02 && v[1] < 0.01);
        }
        assert_int_equal(sn_world_step(s.world, &report, &s.error), SN_OK);
        assert_true(report.contacts > 0);
        assert_true(v[1] < -0.05 && v[1] > -0.05 - 0.2e-3); /* invisible: under a thousandth of the size */
        sn_energies e;
        sn_world_energies(s.world, &e, NULL);
        assert_true(e.kinetic < 1e-6);
        const int nodes = sn_world_body_mesh(s.world, 0)->node_count;
        double *force = calloc(3 * (size_t)nodes, sizeof *force), sum[3] = {0};
        assert_int_equal(sn_world_reactions(s.world, 0, force, &s.error), SN_OK);
        for (int i = 0; i < 3 * nodes; ++i) sum[i % 3] += force[i];
        assert_near(sum[0], 0, 1e-3);
        assert_near(sum[2], 0, 1e-3);
        assert_near(sum[1], 8 * 9.81, 0.1);
        probe(&s, 1, v);
        assert_near(v[1], sum[1], 1e-9);
        assert_int_equal(sn_world_reactions(s.world, 1, force, &s.error), SN_BAD_INPUT);
        assert_false(sn_world_pinned(s.world, 0, 0));
        assert_int_equal(sn_world_pin(s.world, 0, 0, true, &s.error), SN_OK);
        assert_true(sn_world_pinned(s.world, 0, 0) && !sn_world_pinned(s.world, 0, -1) &&
                    !sn_world_pinned(s.world, 1, 0));
        free(force);
        scene_end(&s);
    }
}

/* With a stiffness of one's own: depth = rho g H / k. */
static void test_given_stiffness(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.2, 0.1, 0.2, 2, 1, 2);
    s.material.rayleigh[0] = 20;
    s.collider[0].stiffness = 2e5;
    s.options.collider_count = 1;
    sn_probe *p = add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0);
    p->at = SN_PROBE_SELECT, p->select = box_selector(-1, -1e-9, -1, 1, 1e-9, 1);
    scene_create(&s);
    step(&s, 300);
    double x[3 * 64], mean = 0, area[64] = {0};
    sn_world_get(s.world, 0, x, NULL);
    /* Pressure balance: sum of A_i k d_i = weight, with the areas of the base's nodes: corners of 2x2 cells, thirds of
     * triangles. */
    int count;
    int32_t *face;
    assert_int_equal(sn_mesh_boundary(s.mesh, &count, &face, NULL, NULL, NULL), SN_OK);
    for (int f = 0; f < count; ++f) /* every face counts: those at the side touch with their lowest nodes too */
        for (int i = 0; i < 3; ++i) {
            const double *a = s.mesh->position + 3 * face[3 * f], *b = s.mesh->position + 3 * face[3 * f + 1],
                         *c = s.mesh->position + 3 * face[3 * f + 2];
            const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, w[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
            const double n[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]};
            area[face[3 * f + i]] += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 6;
        }
    sn_mesh_release(s.mesh, face);
    for (int i = 0; i < s.mesh->node_count; ++i)
        if (x[3 * i + 1] < 0) mean += area[i] * 2e5 * -x[3 * i + 1];
    assert_near(mean, 4 * 9.81, 0.05);
    scene_end(&s);
}

/* A slope by tilted gravity: with friction mu the box stays when tan(angle) < mu, and above slides with g (sin - mu
 * cos). */
static void test_friction_angle(void **state) {
    (void)state;
    const double mu = 0.5, tangents[2] = {0.4, 0.7};
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_start(&s, NULL, 0.2, 0.1, 0.2, 2, 1, 2);
        const double angle = atan(tangents[k]);
        s.options.gravity[0] = 9.81 * sin(angle), s.options.gravity[1] = -9.81 * cos(angle);
        s.collider[0].friction = mu;
        s.options.collider_count = 1;
        s.material.rayleigh[1] = 0.01;
        sn_probe *p = add_probe(&s, SN_QUANTITY_VELOCITY, 0, 0, 0);
        p->at = SN_PROBE_SELECT;
        p = add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0, 0, 0);
        p->at = SN_PROBE_SELECT;
        scene_create(&s);
        double v0[6], v1[6], u[6];
        step(&s, 20);
        probe(&s, 0, v0);
        step(&s, 50);
        probe(&s, 0, v1);
        probe(&s, 1, u);
        if (k == 0) {
            assert_near(v1[0], 0, 1e-3 * 0.3);
            assert_true(fabs(u[0]) < 5e-3);
        } else {
            const double expected = 9.81 * (sin(angle) - mu * cos(angle));
            assert_near((v1[0] - v0[0]) / 0.5, expected, 0.01 * expected);
        }
        scene_end(&s);
    }
}

/* One correction per step must not feed on friction: what falls askew and slides never gains energy. */
static void test_one_step_friction(void **state) {
    (void)state;
    const char *const kind[] = {"one-step", "fixed"};
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_start(&s, NULL, 0.2, 0.2, 0.2, 4, 4, 4);
        set_constant(&s.material, "young", 1e5);
        snprintf(s.options.time.newton.kind, sizeof s.options.time.newton.kind, "%s", kind[k]);
        if (k == 1) s.options.time.newton.iterations = 2;
        s.collider[0].friction = 0.6;
        set_place(&s.collider[0], "point", 0, -0.1, 0);
        s.options.collider_count = 1;
        s.body.initial.velocity[0] = 3, s.body.initial.velocity[1] = -4;
        s.body.initial.spin[2] = 5;
        scene_create(&s);
        sn_energies start, e;
        sn_world_energies(s.world, &start, NULL);
        for (int i = 0; i < 150; ++i) {
            step(&s, 1);
            assert_int_equal(sn_world_energies(s.world, &e, NULL), SN_OK);
            assert_true(e.total < 1.1 * start.total);
        }
        assert_true(e.total < 0.5 * start.total);
        scene_end(&s);
    }
}

/* One solve per step meets a contact in the step that makes it: a fast body does not pass into the plane by the way of
 * a step (20 mm). */
static void test_one_step_depth(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.2, 0.2, 0.2, 4, 4, 4);
    set_constant(&s.material, "young", 1e5);
    strcpy(s.options.time.newton.kind, "one-step");
    set_place(&s.collider[0], "point", 0, -0.05, 0);
    s.options.collider_count = 1;
    s.body.initial.velocity[1] = -2;
    scene_create(&s);
    double x[3 * 125], lowest = 0;
    for (int i = 0; i < 60; ++i) {
        step(&s, 1);
        sn_world_get(s.world, 0, x, NULL);
        for (int k = 0; k < 125; ++k) lowest = fmin(lowest, x[3 * k + 1]);
    }
    assert_true(lowest < -0.05 && lowest > -0.052);
    scene_end(&s);
}

/* What lies on the plane at the start is met there in the first step, so that its friction is not that of an impact: on
 * a slope of 40 degrees it slides with g (sin - mu cos), less what friction lags. */
static void test_one_step_slope(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.2, 0.1, 0.2, 4, 2, 4);
    set_constant(&s.material, "young", 1e6);
    strcpy(s.options.time.newton.kind, "one-step");
    s.collider[0].friction = 0.3;
    s.options.collider_count = 1;
    const double sine = sin(40 * M_PI / 180), cosine = cos(40 * M_PI / 180), g = 9.81;
    s.options.gravity[0] = g * sine, s.options.gravity[1] = -g * cosine;
    sn_probe *p = add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0, 0, 0);
    p->at = SN_PROBE_SELECT, p->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
    scene_create(&s);
    step(&s, 100);
    double v[6];
    probe(&s, 0, v);
    const double way = 0.5 * g * (sine - 0.3 * cosine);
    assert_near(v[0], way, 0.05 * way);
    scene_end(&s);
}

/* Thrown along the plane, it stops after v^2 / (2 mu g). */
static void test_friction_stops(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.2, 0.1, 0.2, 2, 1, 2);
    s.collider[0].friction = 0.4;
    s.options.collider_count = 1;
    s.body.initial.velocity[0] = 1;
    s.material.rayleigh[1] = 0.01;
    sn_probe *p = add_probe(&s, SN_QUANTITY_VELOCITY, 0, 0, 0);
    p->at = SN_PROBE_SELECT;
    p = add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0, 0, 0);
    p->at = SN_PROBE_SELECT;
    scene_create(&s);
    double v[6], u[6];
    step(&s, 60);
    probe(&s, 0, v);
    probe(&s, 1, u);
    assert_near(v[0], 0, 1e-3);
    assert_near(u[0], 1 / (2 * 0.4 * 9.81), 0.02);
    scene_end(&s);
}

/* A plane that rises carries the box along; a bowl keeps it in; a ball throws it off, and nothing blows up. */
static void test_other_colliders(void **state) {
    (void)state;
    scene s;
    scene_start(&s, NULL, 0.2, 0.2, 0.2, 2, 2, 2);
    const double key[8] = {0, 0, 0, 0, 0.5, 0, 0.25, 0};
    s.collider[0].key = key, s.collider[0].key_count = 2;
    s.options.collider_count = 1;
    s.material.rayleigh[0] = 2;
    add_probe(&s, SN_QUANTITY_POSITION, 0.1, 0.1, 0.1);
    add_probe(&s, SN_QUANTITY_VELOCITY, 0.1, 0.1, 0.1);
    scene_create(&s);
    double v[6];
    step(&s, 50);
    probe(&s, 0, v);
    assert_near(v[1], 0.35, 0.02);
    sn_world_destroy(s.world);

    s.collider[0] = sn_collider_default();
    make_ball(&s.collider[0], 0, 0, 0, 0.5);
    s.collider[0].inside = true;
    s.collider[0].friction = 0.3;
    scene_create(&s);
    for (int i = 0; i < 150; ++i) {
        step(&s, 1);
        double x[3 * 64];
        sn_world_get(s.world, 0, x, NULL);
        for (int n = 0; n < s.mesh->node_count; ++n)
            assert_true(x[3 * n] * x[3 * n] + x[3 * n + 1] * x[3 * n + 1] + x[3 * n + 2] * x[3 * n + 2] < 0.53 * 0.53);
    }
    probe(&s, 1, v);
    assert_near(v[1], 0, 0.05);
    sn_world_destroy(s.world);

    s.collider[0].inside = false;
    set_place(&s.collider[0], "center", 0, -0.6, 0);
    s.body.initial.velocity[1] = -5;
    scene_create(&s);
    step(&s, 100);
    probe(&s, 0, v);
    assert_true(isfinite(v[1]) && v[1] < 0);
    scene_end(&s);
}

/* A block that strikes a rough floor at a slant: nodes slide, stick and let go; every step converges, and friction
 * takes speed away. */
static void test_slanting_impact(void **state) {
    (void)state;
    static const char *const response[] = {"penalty", "projection"};
    for (int r = 0; r < 2; ++r) {
        scene s;
        scene_start(&s, NULL, 0.2, 0.1, 0.2, 4, 2, 4);
        set_place(&s.collider[0], "point", 0, -0.01, 0);
        s.collider[0].friction = 0.5;
        strcpy(s.collider[0].response, response[r]);
        s.options.collider_count = 1;
        s.body.initial.velocity[0] = 1;
        s.body.initial.velocity[1] = -2;
        add_probe(&s, SN_QUANTITY_VELOCITY, 0.1, 0.1, 0.1)->at = SN_PROBE_SELECT;
        s.probe[0].select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
        scene_create(&s);
        step(&s, 25);
        double v[6];
        probe(&s, 0, v);
        assert_true(v[0] < 0.8 && v[0] > -0.3);
        scene_end(&s);
    }
}

/* A cube thrown at a plane and at a ball, 1 to 50 m/s, soft to stiff, with friction and without, by both responses:
 * every step is taken, energy is never gained, and the surface stays out, also where a step is longer than the ball is
 * thick. */
static void impact(const char *response, double friction, bool ball, double young, double speed, double h) {
    scene s;
    scene_start(&s, NULL, 0.2, 0.2, 0.2, 2, 2, 2);
    set_constant(&s.material, "young", young);
    s.options.time.step = h;
    s.options.collider_count = 1;
    snprintf(s.collider[0].response, sizeof s.collider[0].response, "%s", response);
    s.collider[0].friction = friction;
    const double c[3] = {0.08, ball ? -0.501 : -0.001, 0.07};
    set_place(&s.collider[0], "point", c[0], c[1], c[2]);
    if (ball) make_ball(&s.collider[0], c[0], c[1], c[2], 0.5);
    s.body.initial.velocity[0] = 0.5, s.body.initial.velocity[1] = -speed;
    scene_create(&s);
    sn_energies e;
    sn_world_energies(s.world, &e, NULL);
    const double first = e.total;
    const int steps = h > 0.03 ? 4 : 15;
    for (int i = 0; i < steps; ++i) {
        step(&s, 1);
        sn_world_energies(s.world, &e, NULL);
        assert_true(e.total <= first * (1 + 1e-6));
        double x[3 * 27];
        sn_world_get(s.world, 0, x, NULL);
        for (int n = 0; n < 27; ++n) {
            const double d[3] = {x[3 * n] - c[0], x[3 * n + 1] - c[1], x[3 * n + 2] - c[2]};
            const double gap = ball ? sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 0.5 : d[1];
            if (n != 13) assert_true(gap > -0.03); /* 13: the middle, not of the surface */
        }
    }
    scene_end(&s);
}

static void test_impacts(void **state) {
    (void)state;
    const double young[3] = {1e4, 1e6, 1e8}, speed[4] = {1, 5, 20, 50};
    for (int kind = 0; kind < 8; ++kind)
        for (int e = 0; e < 3; ++e)
            for (int v = 0; v < 4; ++v) {
                const char *response = kind & 1 ? "projection" : "penalty";
                impact(response, kind & 2 ? 0.3 : 0, kind & 4, young[e], speed[v], 0.01);
                if (kind & 2) impact(response, 1, kind & 4, young[e], speed[v], 0.05);
            }
}

/* A block falls on a ball, a capsule, a box and a mesh of a box, by both responses: it stays out, and rests or slides
 * off without gaining energy. */
static void test_shapes(void **state) {
    (void)state;
    static const char *const response[] = {"penalty", "projection"};
    const double zero[3] = {0.1, -0.35, 0.1}, radius = 0.3, from[3] = {0.1, -0.35, -0.5}, to[3] = {0.1, -0.35, 0.7},
                 size[3] = {1, 0.6, 1}, round = 0.1;
    for (int kind = 0; kind < 8; ++kind) {
        scene s;
        scene_start(&s, NULL, 0.2, 0.1, 0.2, 3, 1, 3);
        set_constant(&s.material, "young", 5e4);
        s.material.rayleigh[1] = 0.005;
        sn_collider *c = &s.collider[0];
        sn_mesh *mesh = box_mesh(s.context, 1, 0.6, 1, 2, 2, 2, 6);
        if (kind / 2 == 0) make_ball(c, zero[0], zero[1], zero[2], radius);
        if (kind / 2 == 1) {
            strcpy(c->shape, "capsule");
            sn_collider_set(c, "from", from, 3, NULL), sn_collider_set(c, "to", to, 3, NULL),
                sn_collider_set(c, "radius", &radius, 1, NULL);
        }
        if (kind / 2 == 2) {
            strcpy(c->shape, "box");
            sn_collider_set(c, "center", zero, 3, NULL), sn_collider_set(c, "size", size, 3, NULL),
                sn_collider_set(c, "radius", &round, 1, NULL);
        }
        if (kind / 2 == 3) {
            const double move[3] = {-0.4, -0.65, -0.4};
            strcpy(c->shape, "mesh");
            c->mesh = mesh;
            sn_collider_set(c, "move", move, 3, NULL);
        }
        strcpy(c->response, response[kind % 2]);
        c->friction = 0.4;
        s.options.collider_count = 1;
        scene_create(&s);
        sn_mesh_destroy(mesh);
        sn_energies e;
        sn_world_energies(s.world, &e, NULL);
        const double first = e.total;
        for (int i = 0; i < 60; ++i) {
            step(&s, 1);
            double x[3 * 64];
            sn_world_get(s.world, 0, x, NULL);
            for (int n = 0; n < s.mesh->node_count; ++n) {
                const double dx = x[3 * n] - 0.1, dy = x[3 * n + 1] + 0.35, dz = x[3 * n + 2] - 0.1;
                const double gap = kind / 2 == 0   ? sqrt(dx * dx + dy * dy + dz * dz) - 0.3
                                   : kind / 2 == 1 ? sqrt(dx * dx + dy * dy) - 0.3
                                                   : dy - 0.3;
                assert_true(gap > (kind % 2 ? -2e-3 : -5e-3));
            }
        }
        sn_world_energies(s.world, &e, NULL);
        assert_true(e.total < first);
        sn_step_report report;
        assert_int_equal(sn_world_step(s.world, &report, &s.error), SN_OK);
        assert_true(report.contacts > 0);
        scene_end(&s);
    }
}

/* A turntable takes a block along by friction, with both responses: after the start it turns as the table does. */
static void test_turntable(void **state) {
    (void)state;
    static const char *const response[] = {"penalty", "projection"};
    static const double turn[] = {0, 0, 0.2, 0, 1.2, 60, 2.2, 150};
    for (int r = 0; r < 2; ++r) {
        scene s;
        scene_start(&s, NULL, 0.1, 0.05, 0.1, 2, 1, 2);
        set_constant(&s.material, "young", 1e5);
        s.material.rayleigh[1] = 0.01;
        sn_collider *c = &s.collider[0];
        const double size[3] = {1, 0.2, 1}, center[3] = {-0.2, -0.1, 0.05};
        strcpy(c->shape, "box");
        sn_collider_set(c, "size", size, 3, NULL), sn_collider_set(c, "center", center, 3, NULL);
        strcpy(c->response, response[r]);
        c->friction = 1;
        c->turn.key = turn, c->turn.key_count = 4;
        s.options.collider_count = 1;
        sn_probe *p = add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0);
        p->at = SN_PROBE_SELECT, p->select = (sn_selector){.kind = SN_SELECT_ALL, .angle = 1};
        scene_create(&s);
        double before[6], after[6];
        probe(&s, 0, before);
        step(&s, 220);
        probe(&s, 0, after);
        const double x = before[0] + 0.2, z = before[2] - 0.05, a = 150 * 0.017453292519943295;
        /* The friction of the penalty is regularised: at this step the block stays behind by 5.1 mm of 0.5 m. */
        assert_near(after[0], -0.2 + cos(a) * x + sin(a) * z, 6e-3);
        assert_near(after[2], 0.05 - sin(a) * x + cos(a) * z, 6e-3);
        assert_near(after[1], before[1], 2e-3);
        scene_end(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest),
                                       cmocka_unit_test(test_given_stiffness),
                                       cmocka_unit_test(test_friction_angle),
                                       cmocka_unit_test(test_friction_stops),
                                       cmocka_unit_test(test_other_colliders),
                                       cmocka_unit_test(test_impacts),
                                       cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_turntable),
                                       cmocka_unit_test(test_slanting_impact),
                                       cmocka_unit_test(test_one_step_friction),
                                       cmocka_unit_test(test_one_step_depth),
                                       cmocka_unit_test(test_one_step_slope)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
