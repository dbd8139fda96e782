/* Prony series on the coefficients of a law: each relaxes as its closed form says, also in a body that turns; equal
 * ratios are the series on shear; bad input. */
#include "scene.h"

static const char *const laws[] = {"mooney-rivlin", "reduced-polynomial", "ogden"};
static const double SIDE = 0.1, TIME = 0.5, STRETCH = 0.3;
enum { LAWS = 3, STEPS = 20 };

/* The coefficients of a law times their factors, and a volume. */
static void set_coefficients(sn_material *m, const char *law, const double *factor) {
    strcpy(m->law, law);
    m->constant_count = 0;
    const double c[] = {4e3 * factor[0], 1e3 * factor[1], 7e2 * factor[2]}, alpha[] = {2, -3, 5}, d1 = 1e-5;
    sn_error error;
    if (strcmp(law, "mooney-rivlin") == 0) {
        assert_int_equal(sn_material_set(m, "c10", &c[0], 1, &error), SN_OK);
        assert_int_equal(sn_material_set(m, "c01", &c[1], 1, &error), SN_OK);
    } else if (strcmp(law, "ogden") == 0) {
        assert_int_equal(sn_material_set(m, "mu", c, 3, &error), SN_OK);
        assert_int_equal(sn_material_set(m, "alpha", alpha, 3, &error), SN_OK);
    } else {
        assert_int_equal(sn_material_set(m, "c", c, 3, &error), SN_OK);
    }
    assert_int_equal(sn_material_set(m, "d1", &d1, 1, &error), SN_OK);
}

static void set_series(sn_material *m, const char *law, bool instantaneous) {
    static const double ratio[2][3] = {{0.6, 0.1, 0}, {0.2, 0.8, 0.9}};
    strcpy(m->prony_on, "coefficients");
    if (instantaneous) strcpy(m->prony_moduli, "instantaneous");
    m->prony_count = 2;
    for (int i = 0; i < 2; ++i) {
        m->prony[i][0] = 0, m->prony[i][1] = i ? 0.1 * TIME : TIME;
        for (int n = 0; n < (strcmp(law, "mooney-rivlin") == 0 ? 2 : 3); ++n) m->prony_ratios[i][n] = ratio[i][n];
    }
}

/* A cube whose nodes are all prescribed: its face x = SIDE is pulled within one step, while the cube turns by half a
 * turn about y in STEPS steps, if at all. */
static void pulled_cube(scene *s, const char *element, bool turned, double *key) {
    const double h = TIME / STEPS, pi = acos(-1);
    scene_start(s, NULL, SIDE, SIDE, SIDE, 1, 1, 1);
    strcpy(s->body.element, element);
    strcpy(s->options.time.mode, "quasi-static");
    s->options.time.step = h;
    for (int i = 0; i <= STEPS; ++i) {
        const double angle = turned * pi * i / STEPS, pull = i ? STRETCH * SIDE : 0;
        key[4 * i] = i * h, key[4 * i + 1] = pull * cos(angle), key[4 * i + 2] = 0, key[4 * i + 3] = -pull * sin(angle);
    }
    for (int f = 0; f < 2; ++f) {
        s->fix[f].select = f ? box_selector(SIDE - 1e-9, -1, -1, 1, 1, 1) : box_selector(-1, -1, -1, 1e-9, 1, 1);
        s->fix[f].turning = turned;
        s->fix[f].turn_degrees = 180;
        if (turned) s->fix[f].ramp = (sn_ramp){0, TIME, true};
    }
    s->fix[1].key = key, s->fix[1].key_count = STEPS + 1;
    s->body.fix_count = 2;
    if (!turned) { /* the middle nodes of tet10 */
        s->fix[2].select = box_selector(-1, -1, -1, 1, 1, 1);
        s->fix[2].axis[0] = false;
        s->body.fix_count = 3;
    }
    s->options.time.newton.tolerance = 1e-10;
    s->options.solver.tolerance = 1e-12;
    add_probe(s, SN_QUANTITY_STRESS, 0, 0, 0);
}

/* xx and yy of Cauchy's stress at time t after a pull within `ramp`: the law with the coefficients a_n(t). */
static void closed_form(sn_context *context, const sn_material *m, const char *law, double ramp, double t,
                        double stress[2]) {
    const double F[9] = {1 + STRETCH, 0, 0, 0, 1, 0, 0, 0, 1};
    double factor[3], P[9];
    sn_error error;
    for (int n = 0; n < 3; ++n) {
        factor[n] = 1;
        for (int i = 0; i < m->prony_count; ++i) {
            const double time = m->prony[i][1], z = ramp / time, ratio = m->prony_ratios[i][n];
            factor[n] += ratio * -expm1(-z) / z * exp(-(t - ramp) / time);
            if (m->prony_moduli[0]) factor[n] -= ratio;
        }
    }
    sn_material now = sn_material_default();
    set_coefficients(&now, law, factor);
    assert_int_equal(sn_material_evaluate(context, &now, F, NULL, P, NULL, &error), SN_OK);
    stress[0] = P[0], stress[1] = P[4] / (1 + STRETCH);
}

static void test_relaxation(void **state) {
    (void)state;
    static const char *const elements[] = {"tet4", "tet10"};
    static const double whole[3] = {1, 1, 1};
    double key[4 * (STEPS + 1)];
    for (int l = 0; l < LAWS; ++l)
        for (int k = 0; k < 4; ++k) {
            scene s;
            pulled_cube(&s, elements[k % 2], false, key);
            set_coefficients(&s.material, laws[l], whole);
            set_series(&s.material, laws[l], k / 2);
            scene_create(&s);
            double first = 0, last = 0;
            for (int i = 1; i <= 3 * STEPS; ++i) {
                double stress[6], expected[2];
                step(&s, 1);
                probe(&s, 0, stress);
                closed_form(s.context, &s.material, laws[l], TIME / STEPS, i * TIME / STEPS, expected);
                assert_near(stress[0], expected[0], 1e-6 * fabs(expected[0]));
                assert_near(stress[1], expected[1], 1e-6 * fabs(expected[0]));
                *(i == 1 ? &first : &last) = stress[0] - stress[1];
            }
            assert_true(last < 0.9 * first);
            scene_end(&s);
        }
}

/* The stress of a cube that turns, after half a turn, is that of a cube that does not turn. */
static void test_turned(void **state) {
    (void)state;
    static const double whole[3] = {1, 1, 1};
    double key[4 * (STEPS + 1)], stress[2][6];
    for (int l = 0; l < LAWS; ++l) {
        for (int turned = 0; turned < 2; ++turned) {
            scene s;
            pulled_cube(&s, "tet4", turned, key);
            set_coefficients(&s.material, laws[l], whole);
            set_series(&s.material, laws[l], false);
            scene_create(&s);
            step(&s, STEPS);
            probe(&s, 0, stress[turned]);
            scene_end(&s);
        }
        assert_true(stress[0][0] > 1e3);
        for (int k = 0; k < 3; ++k) assert_near(stress[1][k], stress[0][k], 1e-9 * stress[0][0]);
    }
}

/* Equal ratios for all coefficients are the series on shear: the motion, the energy, and the rate of the forces that
 * Rosenbrock's methods ask for. */
static void test_equal_ratios(void **state) {
    (void)state;
    static const char *const methods[] = {"implicit-euler", "rosenbrock4-shampine"};
    static const double whole[3] = {1, 1, 1};
    for (int l = 0; l < LAWS; ++l)
        for (int m = 0; m < 2; ++m) {
            double tip[2][6], energy[2];
            for (int k = 0; k < 2; ++k) {
                scene s;
                scene_start(&s, NULL, 0.4, 0.1, 0.1, 4, 1, 1);
                clamp_left(&s);
                set_coefficients(&s.material, laws[l], whole);
                s.material.prony_count = 1;
                s.material.prony[0][0] = k ? 0 : 0.8, s.material.prony[0][1] = 0.05;
                for (int n = 0; k && n < (l == 0 ? 2 : l == 2 ? 4 : 6); ++n) s.material.prony_ratios[0][n] = 0.8;
                strcpy(s.material.prony_on, k ? "coefficients" : "shear");
                strcpy(s.options.time.method, methods[m]);
                s.options.time.step = 2e-3;
                s.options.solver.tolerance = 1e-12;
                add_probe(&s, SN_QUANTITY_POSITION, 0.4, 0, 0);
                scene_create(&s);
                step(&s, 20);
                probe(&s, 0, tip[k]);
                sn_energies e;
                assert_int_equal(sn_world_energies(s.world, &e, NULL), SN_OK);
                energy[k] = e.elastic;
                scene_end(&s);
            }
            assert_true(fabs(tip[0][1]) > 1e-3);
            for (int a = 0; a < 3; ++a) assert_near(tip[1][a], tip[0][a], 1e-9);
            assert_near(energy[1], energy[0], 1e-6 * energy[0]);
        }
}

static void refuse(const sn_material *m, const char *path) {
    sn_error error = {0};
    assert_int_equal(sn_material_check(NULL, m, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, path);
}

static void test_bad_input(void **state) {
    (void)state;
    static const double whole[3] = {1, 1, 1};
    sn_material good = sn_material_default();
    sn_error error = {0};
    set_coefficients(&good, "mooney-rivlin", whole);
    set_series(&good, "mooney-rivlin", true);
    assert_int_equal(sn_material_check(NULL, &good, &error), SN_OK);
    sn_material m = good;
    const sn_material plain = sn_material_default();
    m.prony_ratios[1][0] = -0.1;
    refuse(&m, "prony.terms.1.ratios");
    m = good, m.prony_ratios[1][0] = 0.5; /* 0.6 + 0.5 of an instantaneous coefficient */
    refuse(&m, "prony.terms.1.ratios");
    m = good, m.prony_ratios[0][2] = 0.1; /* a third coefficient */
    refuse(&m, "prony.terms.0.ratios");
    m = good, m.prony[0][0] = 0.5;
    refuse(&m, "prony.terms.0.ratio");
    m = good, strcpy(m.prony_on, "all");
    refuse(&m, "prony.terms.0.ratios");
    m = good, strcpy(m.law, "stvk"), m.constant_count = plain.constant_count;
    memcpy(m.constant, plain.constant, sizeof m.constant);
    refuse(&m, "prony.on");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_relaxation), cmocka_unit_test(test_turned),
                                       cmocka_unit_test(test_equal_ratios), cmocka_unit_test(test_bad_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
