/* Bodies that are rigid as a whole: exact mass and inertia, from tets and from closed surfaces; a free top against
 * Euler's equations; a block on the ground; what is refused; saving. */
#include "base/math3.h"
#include "scene.h"

static const double size[3] = {0.4, 0.2, 0.1};
enum { DENSITY = 500 };

/* The box of `size` with a corner at the origin, as a closed surface; inside out if `turned`, with a hole if `open`. */
static sn_mesh *box_surface(sn_context *context, bool turned, bool open) {
    static const int32_t triangle[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                            {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    sn_mesh *mesh = NULL;
    assert_int_equal(sn_mesh_create(context, 8, 0, 4, open ? 11 : 12, &mesh, NULL), SN_OK);
    for (int i = 0; i < 8; ++i)
        for (int a = 0; a < 3; ++a) mesh->position[3 * i + a] = i >> a & 1 ? size[a] : 0;
    for (int t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) mesh->triangle[3 * t + k] = triangle[t][turned ? 2 - k : k];
    return mesh;
}

static void start(scene *s) {
    scene_start(s, NULL, size[0], size[1], size[2], 4, 2, 1);
    s->body.rigid_body = true;
    s->material.density = DENSITY;
    memset(s->options.gravity, 0, sizeof s->options.gravity);
}

static double inertia(int axis) {
    const double p = size[(axis + 1) % 3], q = size[(axis + 2) % 3];
    return DENSITY * size[0] * size[1] * size[2] * (p * p + q * q) / 12;
}

/* Momentum M v and angular momentum I w about the centre, for tets and surfaces of either orientation. */
static void has_the_inertia_of_its_shape(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind)
        for (int axis = 0; axis < 3; ++axis) {
            scene s;
            start(&s);
            if (kind) {
                sn_mesh_destroy(s.mesh);
                s.mesh = box_surface(s.context, kind == 2, false);
                s.body.mesh = s.mesh;
            }
            s.body.initial.spin[axis] = 3;
            s.body.initial.velocity[axis] = 2;
            scene_create(&s);
            const double mass = DENSITY * size[0] * size[1] * size[2];
            double p[3], l[3];
            sn_world_momentum(s.world, p, l);
            for (int a = 0; a < 3; ++a) {
                const double u[3] = {axis == 0 ? 2 : 0, axis == 1 ? 2 : 0, axis == 2 ? 2 : 0};
                const int b = (a + 1) % 3, c = (a + 2) % 3;
                const double orbit = mass * 0.5 * (size[b] * u[c] - size[c] * u[b]);
                assert_near(p[a], mass * u[a], 1e-12);
                assert_near(l[a], orbit + (a == axis ? 3 * inertia(a) : 0), 1e-12);
            }
            scene_end(&s);
        }
}

/* ---- A free top ---- */
typedef struct top {
    double w[3], q[4]; /* spin in the frame of the body, and its turn */
} top;

static top rate(const top *s) {
    top d;
    for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        d.w[a] = (inertia(b) - inertia(c)) / inertia(a) * s->w[b] * s->w[c];
    }
    const double *q = s->q, *w = s->w;
    d.q[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    d.q[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    d.q[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    d.q[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    return d;
}

static top moved(const top *s, double h, const top *d) {
    top out;
    for (int i = 0; i < 3; ++i) out.w[i] = s->w[i] + h * d->w[i];
    for (int i = 0; i < 4; ++i) out.q[i] = s->q[i] + h * d->q[i];
    return out;
}

/* Euler's equations by the classical method of Runge and Kutta. The image of the body's x axis goes to `image`. */
static void reference(const double spin[3], double time, double image[3]) {
    top s = {.w = {spin[0], spin[1], spin[2]}, .q = {1}};
    enum { STEPS = 20000 };
    for (int i = 0; i < STEPS; ++i) {
        const double h = time / STEPS;
        const top a = rate(&s), s2 = moved(&s, h / 2, &a), b = rate(&s2), s3 = moved(&s, h / 2, &b), c = rate(&s3),
                  s4 = moved(&s, h, &c), d = rate(&s4);
        for (int k = 0; k < 3; ++k) s.w[k] += h / 6 * (a.w[k] + 2 * b.w[k] + 2 * c.w[k] + d.w[k]);
        for (int k = 0; k < 4; ++k) s.q[k] += h / 6 * (a.q[k] + 2 * b.q[k] + 2 * c.q[k] + d.q[k]);
    }
    const double *q = s.q;
    image[0] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]);
    image[1] = 2 * (q[1] * q[2] + q[0] * q[3]);
    image[2] = 2 * (q[1] * q[3] - q[0] * q[2]);
}

/* A body that turns about its middle axis tumbles. Returns the error of the direction of its long edge. */
static double tumble(const char *method, double h, double *energy_drift, double *momentum_drift) {
    const double spin[3] = {0.2, 6, 0.1}, time = 1;
    scene s;
    start(&s);
    snprintf(s.options.time.method, sizeof s.options.time.method, "%s", method);
    s.options.time.step = h;
    set_newton(&s, "full", 30, 1e-12);
    memcpy(s.body.initial.spin, spin, sizeof spin);
    scene_create(&s);
    sn_energies before, after;
    double p[3], l0[3], l[3], image[3];
    assert_int_equal(sn_world_energies(s.world, &before, NULL), SN_OK);
    sn_world_momentum(s.world, p, l0);
    step(&s, (int)lround(time / h));
    assert_int_equal(sn_world_energies(s.world, &after, NULL), SN_OK);
    sn_world_momentum(s.world, p, l);
    *energy_drift = fabs(after.kinetic / before.kinetic - 1);
    *momentum_drift = 0;
    for (int a = 0; a < 3; ++a) *momentum_drift = fmax(*momentum_drift, fabs(l[a] - l0[a]) / l0[1]);
    reference(spin, time, image);
    const sn_mesh *mesh = sn_world_body_mesh(s.world, 0);
    double *x = calloc(3 * (size_t)mesh->node_count, sizeof *x), error = 0;
    sn_world_get(s.world, 0, x, NULL);
    int from = 0, to = 0; /* corners of the long edge */
    for (int i = 0; i < mesh->node_count - 4; ++i) {
        const double *X = mesh->position + 3 * i;
        if (X[1] > 1e-9 || X[2] > 1e-9) continue;
        if (X[0] < 1e-9) from = i;
        if (X[0] > size[0] - 1e-9) to = i;
    }
    for (int a = 0; a < 3; ++a) error = fmax(error, fabs((x[3 * to + a] - x[3 * from + a]) / size[0] - image[a]));
    free(x);
    scene_end(&s);
    return error;
}

static void tumbles_as_euler_says(void **state) {
    (void)state;
    double energy, momentum;
    const double coarse = tumble("implicit-midpoint", 0.004, &energy, &momentum);
    assert_true(energy < 1e-6 && momentum < 1e-9);
    const double fine = tumble("implicit-midpoint", 0.002, &energy, &momentum);
    assert_true(fine < 2e-4 && coarse / fine > 3.5 && coarse / fine < 4.5); /* order 2 */
    const double euler = tumble("implicit-euler", 0.0005, &energy, &momentum);
    assert_true(euler < 0.1 && energy < 0.05 && momentum < 1e-9);
}

/* Two boxes meet off centre, one of them spins. The forces between them have no torque together. */
static void keeps_angular_momentum_in_impacts(void **state) {
    (void)state;
    static const char *const response[] = {"area", "penalty", "exact"};
    for (int kind = 0; kind < 3; ++kind) {
        scene s;
        start(&s);
        s.options.time.step = 0.005;
        set_newton(&s, "full", 60, 1e-10);
        set_solver(&s, "cg", 1e-12);
        s.options.contact.use = true;
        snprintf(s.options.contact.response, sizeof s.options.contact.response, "%s", response[kind]);
        set_constant(&s.material, "young", 1e5);
        sn_body_options body[2] = {s.body, s.body};
        snprintf(body[1].name, sizeof body[1].name, "second");
        body[1].mesh = box_mesh(s.context, size[0], size[1], size[2], 3, 2, 2, 5);
        for (int i = 0; i < body[1].mesh->node_count; ++i) {
            double *at = body[1].mesh->position + 3 * i;
            at[0] += 0.43, at[1] += 0.05, at[2] += 0.03;
        }
        const double spin[3] = {1, 0, 3};
        memcpy(body[0].initial.spin, spin, sizeof spin);
        body[0].initial.velocity[0] = 1, body[1].initial.velocity[0] = -1;
        s.options.body = body, s.options.body_count = 2;
        scene_create(&s);
        double p0[3], l0[3], p[3], l[3], own[3];
        sn_world_momentum(s.world, p0, l0);
        step(&s, 30);
        sn_world_momentum(s.world, p, l);
        double speed = 0, nodes = 0;
        double *v = calloc(3 * (size_t)sn_world_body_mesh(s.world, 0)->node_count, sizeof *v);
        sn_world_get(s.world, 0, NULL, v);
        for (int i = 0; i < s.mesh->node_count; ++i) speed += v[3 * i], ++nodes;
        free(v);
        assert_true(speed / nodes < 0.5); /* they have met */
        for (int a = 0; a < 3; ++a) own[a] = fabs(l[a] - l0[a]) / sn_norm3(l0);
        if (!(fmax(own[0], fmax(own[1], own[2])) < 1e-8))
            fail_msg("%s: the angular momentum changes by %g, %g, %g", response[kind], own[0], own[1], own[2]);
        for (int a = 0; a < 3; ++a) assert_near(p[a], p0[a], 1e-9);
        sn_mesh_destroy((sn_mesh *)(uintptr_t)body[1].mesh);
        scene_end(&s);
    }
}

/* A block falls a little and rests: the ground carries its weight. Its elements do not matter, only its density. */
static void rests_on_the_ground(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.options.gravity[2] = -9.81;
    s.options.collider_count = 1;
    snprintf(s.collider[0].shape, sizeof s.collider[0].shape, "plane");
    snprintf(s.collider[0].response, sizeof s.collider[0].response, "penalty");
    set_place(&s.collider[0], "normal", 0, 0, 1);
    set_place(&s.collider[0], "point", 0, 0, -0.01);
    set_constant(&s.material, "young", 1);
    sn_probe *force = add_probe(&s, SN_QUANTITY_FORCE, 0, 0, 0);
    snprintf(force->interaction, sizeof force->interaction, "penalty");
    force->at = SN_PROBE_SELECT;
    force->select = (sn_selector){.kind = SN_SELECT_ALL};
    scene_create(&s);
    step(&s, 200);
    double value[6], p[3], l[3];
    probe(&s, 0, value);
    sn_world_momentum(s.world, p, l);
    assert_near(value[2], 9.81 * DENSITY * size[0] * size[1] * size[2], 1e-3);
    assert_near(p[2], 0, 1e-6);
    scene_end(&s);
}

static void expect_refusal(scene *s, const char *path, const char *word) {
    sn_error error = {0};
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(s->context, &s->options, &world, &error), SN_BAD_INPUT);
    if (strcmp(error.path, path) != 0 || !strstr(error.text, word)) fail_msg("%s: %s", error.path, error.text);
}

static void refuses_what_has_no_meaning(void **state) {
    (void)state;
    scene s;
    start(&s);
    s.body.fix_count = 1;
    expect_refusal(&s, "bodies.0.fix", "rigid");
    s.body.fix_count = 0;
    s.body.initial.twist = 1;
    expect_refusal(&s, "bodies.0.initial", "rigid");
    s.body.initial.twist = 0;
    snprintf(s.options.time.mode, sizeof s.options.time.mode, "static");
    expect_refusal(&s, "bodies.0.rigid", "free");
    s.options.time = sn_time_options_default();
    sn_mesh_destroy(s.mesh);
    s.body.mesh = s.mesh = box_surface(s.context, false, true);
    expect_refusal(&s, "bodies.0.mesh", "not closed");
    sn_mesh_destroy(s.mesh);
    s.body.mesh = s.mesh = box_surface(s.context, false, false);
    for (int i = 0; i < 8; ++i) s.mesh->position[3 * i + 2] = 0;
    expect_refusal(&s, "bodies.0.mesh", "volume");
    s.world = NULL;
    scene_end(&s);
}

/* A soft body beside a rigid one, a change of the density, and saving in the middle. */
static void lives_beside_soft_bodies(void **state) {
    (void)state;
    char hash[2][17];
    void *bytes = NULL;
    size_t length = 0;
    for (int run = 0; run < 2; ++run) {
        scene s;
        start(&s);
        sn_body_options body[2] = {s.body, s.body};
        body[1].rigid_body = false;
        snprintf(body[1].name, sizeof body[1].name, "soft");
        body[0].initial.spin[1] = 2;
        body[1].initial.velocity[0] = 1;
        s.options.body = body, s.options.body_count = 2;
        scene_create(&s);
        if (run == 0) {
            step(&s, 5);
            length = sn_world_state_size(s.world);
            bytes = malloc(length);
            assert_int_equal(sn_world_save_state(s.world, bytes, length, NULL), SN_OK);
        } else {
            assert_int_equal(sn_world_restore_state(s.world, bytes, length, NULL), SN_OK);
        }
        step(&s, 5);
        sn_world_hash(s.world, hash[run]);
        scene_end(&s);
    }
    free(bytes);
    assert_string_equal(hash[0], hash[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_inertia_of_its_shape),      cmocka_unit_test(tumbles_as_euler_says),
        cmocka_unit_test(keeps_angular_momentum_in_impacts), cmocka_unit_test(rests_on_the_ground),
        cmocka_unit_test(refuses_what_has_no_meaning),       cmocka_unit_test(lives_beside_soft_bodies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
