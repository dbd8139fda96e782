/* Stiffness warping: no forces under rotation, linear when small, ghost forces with and without their correction, the
 * same bits everywhere.
 */
#include "scene.h"

#include "base/math3.h"

static void warped_bar(scene *s, const sn_context_options *context, const char *element, const char *warping,
                       bool correction) {
    scene_start(s, context, 1, 0.25, 0.25, 8, 2, 2);
    strcpy(s->body.element, element);
    snprintf(s->material.law, sizeof s->material.law, "linear");
    snprintf(s->material.warping, sizeof s->material.warping, "%s", warping);
    s->material.ghost_correction = correction;
    set_constant(&s->material, "young", 1e5);
    memset(s->options.gravity, 0, sizeof s->options.gravity);
}

/* Positions of the bar wound about the z axis by `degrees` along its length. */
static void wind(const sn_mesh *mesh, double degrees, double *x) {
    const double radius = 1 / (degrees * 0.017453292519943295);
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *X = mesh->position + 3 * i, angle = X[0] / radius, r = radius - X[1];
        x[3 * i] = r * sin(angle), x[3 * i + 1] = radius - r * cos(angle), x[3 * i + 2] = X[2];
    }
}

/* A turned bar stays as it is; without warping it does not. */
static void rotation_makes_no_force(void **state) {
    static const char *const elements[] = {"tet4", "tet10", "springs"}, *const kinds[] = {"edges", "svd", ""};
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 3; ++k) {
            scene s;
            warped_bar(&s, NULL, elements[e], kinds[k], false);
            scene_create(&s);
            const sn_mesh *mesh = sn_world_body_mesh(s.world, 0);
            double *x = malloc((size_t)mesh->node_count * 3 * sizeof *x), R[9], fastest = 0;
            sn_axis_rotation3((double[3]){1, 2, -1}, 160, R);
            for (int i = 0; i < mesh->node_count; ++i) sn_multiply_vector3(R, mesh->position + 3 * i, x + 3 * i);
            assert_int_equal(sn_world_put(s.world, 0, x, NULL, &s.error), SN_OK);
            step(&s, 2);
            sn_world_get(s.world, 0, NULL, x);
            for (int i = 0; i < 3 * mesh->node_count; ++i) fastest = fmax(fastest, fabs(x[i]));
            if (*kinds[k] ? fastest > 1e-9 : fastest < 0.1) fail_msg("%s %s: %g m/s", elements[e], kinds[k], fastest);
            free(x);
            scene_end(&s);
        }
}

/* Under a small load statics agrees with the linear law; under a large one with corotated rather than linear. */
static void statics(void **state) {
    static const char *const kinds[] = {"", "edges", "svd"};
    for (int large = 0; large < 2; ++large) {
        double tip[4];
        for (int k = 0; k < 4; ++k) {
            scene s;
            warped_bar(&s, NULL, "tet4", k < 3 ? kinds[k] : "", false);
            if (k == 3) snprintf(s.material.law, sizeof s.material.law, "corotated");
            clamp_left(&s);
            s.options.gravity[1] = large ? -2 : -1e-4;
            snprintf(s.options.time.mode, sizeof s.options.time.mode, "static");
            s.options.time.load_steps = large ? 4 : 1;
            s.options.time.newton.iterations = 60;
            if (large)
                s.options.time.newton.tolerance = 1e-4; /* the frames follow the positions without a derivative */
            add_probe(&s, SN_QUANTITY_DISPLACEMENT, 1, 0.125, 0.125);
            scene_create(&s);
            step(&s, 1);
            double value[6];
            probe(&s, 0, value);
            tip[k] = value[large ? 0 : 1]; /* bent far, the axis draws back: not so in linear elasticity */
            scene_end(&s);
        }
        for (int k = 1; k < 3 && !large; ++k) assert_near(tip[k] / tip[0], 1, 1e-3);
        for (int k = 1; k < 3 && large; ++k)
            if (!(fabs(tip[k] - tip[3]) < 0.6 * fabs(tip[0] - tip[3])))
                fail_msg("warped %g, corotated %g, linear %g", tip[k], tip[3], tip[0]);
    }
}

/* A free bar that springs back from being wound up: its linear momentum stays with the correction and goes astray
 * without. */
static void ghost_forces(void **state) {
    for (int correction = 0; correction < 2; ++correction) {
        scene s;
        warped_bar(&s, NULL, "tet4", "edges", correction);
        s.options.time.step = 0.005;
        scene_create(&s);
        const sn_mesh *mesh = sn_world_body_mesh(s.world, 0);
        double *x = malloc((size_t)mesh->node_count * 3 * sizeof *x), p[3], l[3];
        wind(mesh, 120, x);
        assert_int_equal(sn_world_put(s.world, 0, x, NULL, &s.error), SN_OK);
        step(&s, 20);
        sn_world_momentum(s.world, p, l);
        sn_energies energies;
        assert_int_equal(sn_world_energies(s.world, &energies, NULL), SN_OK);
        assert_true(energies.kinetic > 1);
        const double drift = sn_norm3(p) / sqrt(2 * energies.kinetic * 1000 / 16.0);
        if (correction ? drift > 1e-5 : drift < 1e-3) fail_msg("correction %d: drift %g", correction, drift);
        free(x);
        scene_end(&s);
    }
}

/* With frames that stay for a step the forces are linear, and the vertex matrix is their derivative: Newton's method
 * ends after one iteration, with every solver for such matrices. With the element matrix it does not. */
static void vertex_matrix(void **state) {
    static const char *const elements[] = {"tet4", "tet10", "springs"}, *const kinds[] = {"edges", "svd"};
    static const struct {
        const char *method, *operator_, *precision;
    } solvers[] = {{"auto", "assembled", "auto"},
                   {"gmres", "assembly-free", "auto"},
                   {"qmr", "assembled", "double"},
                   {"bicgstab", "assembled", "single"}};
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 9; ++k) {
            scene s;
            warped_bar(&s, NULL, elements[e], kinds[k % 2], false);
            snprintf(s.material.warping_matrix, sizeof s.material.warping_matrix, k < 8 ? "vertex" : "element");
            s.material.rayleigh[1] = 0.01;
            if (e < 2) s.material.viscous[0] = 3, s.material.viscous[1] = 20;
            clamp_left(&s);
            s.options.gravity[1] = -9.81;
            s.options.solver.tolerance = 1e-11;
            s.options.time.newton.tolerance = 1e-9;
            snprintf(s.options.time.newton.kind, sizeof s.options.time.newton.kind, "full");
            if (k < 8) {
                snprintf(s.options.solver.method, sizeof s.options.solver.method, "%s", solvers[k / 2].method);
                snprintf(s.options.solver.operator_, sizeof s.options.solver.operator_, "%s", solvers[k / 2].operator_);
                snprintf(s.options.solver.precision, sizeof s.options.solver.precision, "%s", solvers[k / 2].precision);
            }
            scene_create(&s);
            const sn_mesh *mesh = sn_world_body_mesh(s.world, 0);
            double *x = malloc((size_t)mesh->node_count * 3 * sizeof *x);
            wind(mesh, 90, x);
            assert_int_equal(sn_world_put(s.world, 0, x, NULL, &s.error), SN_OK);
            free(x);
            for (int n = 0; n < 3; ++n) {
                sn_step_report report;
                if (sn_world_step(s.world, &report, &s.error)) fail_msg("%s", s.error.text);
                if (k < 8 ? report.newton_iterations != 1 : report.newton_iterations < 3)
                    fail_msg("%s %s %s: %d iterations in step %d", elements[e], kinds[k % 2],
                             k < 8 ? solvers[k / 2].method : "element", report.newton_iterations, n);
            }
            scene_end(&s);
        }
}

/* ---- Frames that stay for a time ---- */
/* A bar that swings down; `kind`: corotated, warped, hybrid-strain, dapd with history. */
static void swinging_bar(scene *s, const sn_context_options *context, int kind, double every) {
    static const char *const law[] = {"corotated", "linear", "hybrid-strain", "corotated"};
    warped_bar(s, context, "tet4", kind == 1 ? "svd" : "", false);
    snprintf(s->material.law, sizeof s->material.law, "%s", law[kind]);
    if (kind == 3) snprintf(s->material.rotation, sizeof s->material.rotation, "dapd");
    s->material.frames_every = every;
    clamp_left(s);
    s->options.gravity[1] = -9.81;
    s->options.time.step = 0.02;
    s->options.time.newton.tolerance = 1e-9;
    snprintf(s->options.time.newton.kind, sizeof s->options.time.newton.kind, "full");
    s->options.solver.tolerance = 1e-10;
    scene_create(s);
}

static double tip_of(scene *s) {
    const sn_mesh *mesh = sn_world_body_mesh(s->world, 0);
    double *x = malloc((size_t)mesh->node_count * 3 * sizeof *x);
    sn_world_get(s->world, 0, x, NULL);
    const double y = x[3 * mesh->node_count - 2];
    free(x);
    return y;
}

/* Between updates the corotated force is linear: one Newton iteration per step also from a bent shape, and the same
 * linearisation serves. A frame that is renewed in each step is that of its beginning. Seldom renewed frames change the
 * result, a little when they are renewed every other step and much when they never are. */
static void frames_stay(void **state) {
    for (int kind = 0; kind < 4; ++kind) {
        double tip[4];
        const double every[4] = {0, 0.02, 0.04, 100};
        for (int e = 0; e < 4; ++e) {
            scene s;
            swinging_bar(&s, NULL, kind, every[e]);
            int most = 0;
            for (int n = 0; n < 20; ++n) {
                sn_step_report report;
                if (sn_world_step(s.world, &report, &s.error)) fail_msg("%s", s.error.text);
                most = report.newton_iterations > most ? report.newton_iterations : most;
            }
            if (kind % 3 == 0 && e > 0) assert_int_equal(most, 1);
            if (kind % 3 == 0 && e == 0) assert_true(most > 1);
            tip[e] = tip_of(&s);
            scene_end(&s);
        }
        const double near = fabs(tip[2] - tip[1]), far = fabs(tip[3] - tip[1]);
        if (kind == 1) assert_true(tip[0] == tip[1]); /* warping takes its frames at each step anyway */
        if (!(near > 1e-7 && far > 3 * near)) fail_msg("kind %d: %g %g %g %g", kind, tip[0], tip[1], tip[2], tip[3]);
    }
}

/* The frames are a part of the state: a run that was saved between two updates goes on with the same bits, on any
 * number of threads and with any instruction set. */
static void frames_are_saved(void **state) {
    for (int kind = 0; kind < 4; ++kind) {
        char one[17], text[17];
        for (int w = 0; w < 4; ++w) {
            sn_context_options o = sn_context_options_default();
            o.simd = w == 1 ? "baseline" : "auto", o.threads = w == 2 ? 3 : 1;
            scene s, t;
            swinging_bar(&s, &o, kind, 0.1);
            step(&s, 7); /* the last update was after step 5 */
            if (w == 3) {
                const size_t size = sn_world_state_size(s.world);
                void *bytes = malloc(size);
                assert_int_equal(sn_world_save_state(s.world, bytes, size, NULL), SN_OK);
                swinging_bar(&t, &o, kind, 0.1);
                step(&t, 2);
                assert_int_equal(sn_world_restore_state(t.world, bytes, size, &t.error), SN_OK);
                step(&t, 6);
                sn_world_hash(t.world, text);
                scene_end(&t);
                free(bytes);
            } else {
                step(&s, 6);
                sn_world_hash(s.world, text);
            }
            if (w == 0) memcpy(one, text, sizeof one);
            if (strcmp(one, text) != 0) fail_msg("kind %d way %d: %s instead of %s", kind, w, text, one);
            scene_end(&s);
        }
    }
}

static void frames_wrong(void **state) {
    static const struct {
        const char *law, *element, *mode, *text;
    } wrong[] = {{"stvk", "tet4", "dynamic", "no rotation"},
                 {"linear", "tet4", "dynamic", "no rotation"},
                 {"corotated", "springs", "dynamic", "springs"},
                 {"corotated", "tet4", "static", "dynamic"},
                 {"corotated", "tet4", "quasi-static", "dynamic"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        scene s;
        warped_bar(&s, NULL, wrong[i].element, "", false);
        clamp_left(&s);
        snprintf(s.material.law, sizeof s.material.law, "%s", wrong[i].law);
        snprintf(s.options.time.mode, sizeof s.options.time.mode, "%s", wrong[i].mode);
        s.material.frames_every = 0.1;
        assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
        assert_string_equal(s.error.path, "bodies.0.material.0.frames.every");
        if (!strstr(s.error.text, wrong[i].text)) fail_msg("%s", s.error.text);
        scene_end(&s);
    }
}

/* One hash for every instruction set and number of threads; a state that is put back goes on alike. */
static void same_bits(void **state) {
    static const struct {
        const char *simd;
        int threads;
    } ways[] = {{"baseline", 1}, {"auto", 1}, {"auto", 3}};
    for (int k = 0; k < 4; ++k) {
        char first[17] = "", text[17];
        for (int w = 0; w < 3; ++w) {
            sn_context_options o = sn_context_options_default();
            o.simd = ways[w].simd, o.threads = ways[w].threads;
            scene s;
            warped_bar(&s, &o, k % 2 ? "springs" : "tet4", k % 2 ? "edges" : "svd", true);
            if (k > 1) strcpy(s.material.warping_matrix, "vertex");
            clamp_left(&s);
            s.options.gravity[1] = -9.81;
            scene_create(&s);
            step(&s, 20);
            sn_world_hash(s.world, text);
            if (w == 0) memcpy(first, text, sizeof first);
            assert_string_equal(text, first);
            scene_end(&s);
        }
    }
}

static void wrong_options(void **state) {
    scene s;
    warped_bar(&s, NULL, "tet4", "edge", false);
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
    assert_non_null(strstr(s.error.text, "edges"));
    snprintf(s.material.warping, sizeof s.material.warping, "svd");
    snprintf(s.material.law, sizeof s.material.law, "stvk");
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
    assert_non_null(strstr(s.error.text, "linear"));
    strcpy(s.material.law, "linear"), strcpy(s.material.warping_matrix, "vertex");
    static const char *const symmetric[] = {"cg", "minres", "eisenstat", "ldlt"};
    for (int i = 0; i < 4; ++i) {
        strcpy(s.options.solver.method, symmetric[i]);
        assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
        assert_string_equal(s.error.path, "solver.method");
        assert_non_null(strstr(s.error.text, "bicgstab"));
    }
    strcpy(s.options.solver.method, "gmres");
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_OK);
    sn_solver_options wrong = s.options.solver;
    strcpy(wrong.method, "cg");
    assert_int_equal(sn_world_set_solver(s.world, &wrong, &s.error), SN_BAD_INPUT);
    sn_world_destroy(s.world), s.world = NULL;
    s.material.warping[0] = 0;
    assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
    assert_string_equal(s.error.path, "bodies.0.material.0.warping_matrix");
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rotation_makes_no_force),
                                       cmocka_unit_test(statics),
                                       cmocka_unit_test(ghost_forces),
                                       cmocka_unit_test(vertex_matrix),
                                       cmocka_unit_test(frames_stay),
                                       cmocka_unit_test(frames_are_saved),
                                       cmocka_unit_test(frames_wrong),
                                       cmocka_unit_test(same_bits),
                                       cmocka_unit_test(wrong_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
