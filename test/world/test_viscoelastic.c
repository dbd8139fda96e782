/* Materials with a memory: relaxation, creep and vibration against closed forms, turned and unturned; limits, order of
 * the methods, energy, saving and bad input. */
#include "scene.h"

#include <complex.h>

enum { SPAN = 200 }; /* steps per time of relaxation */
static const double YOUNG = 3e4, SIDE = 0.1;

static void set_term(sn_material *m, double ratio, double time) {
    m->prony[m->prony_count][0] = ratio, m->prony[m->prony_count][1] = time;
    ++m->prony_count;
}

/* A cube that is free to contract, with its face x = SIDE pulled. Quasi-static: no inertia disturbs the closed forms.
 */
static void cube(scene *s, const char *law, const char *element, double step) {
    scene_start(s, NULL, SIDE, SIDE, SIDE, 2, 2, 2);
    strcpy(s->material.law, law);
    strcpy(s->body.element, element);
    set_constant(&s->material, "young", YOUNG);
    set_constant(&s->material, "poisson", 0.3);
    strcpy(s->options.time.mode, "quasi-static");
    s->options.time.step = step;
    s->options.time.newton.tolerance = 1e-10;
    s->options.solver.tolerance = 1e-12;
    memset(s->options.gravity, 0, sizeof s->options.gravity);
    for (int a = 0; a < 3; ++a) {
        s->fix[a].select = box_selector(-1, -1, -1, a == 0 ? 1e-9 : 1, a == 1 ? 1e-9 : 1, a == 2 ? 1e-9 : 1);
        for (int b = 0; b < 3; ++b) s->fix[a].axis[b] = a == b;
    }
    s->body.fix_count = 3;
    sn_probe *p = add_probe(s, SN_QUANTITY_REACTION, 0, 0, 0);
    p->at = SN_PROBE_SELECT;
    p->select = s->fix[0].select;
    add_probe(s, SN_QUANTITY_DISPLACEMENT, SIDE, SIDE, SIDE);
}

/* Pulls the face by a strain of 1e-4 within one step. */
static void pull(scene *s, const double *key, int count) {
    s->fix[3].select = box_selector(SIDE - 1e-9, -1, -1, 1, 1, 1);
    s->fix[3].axis[0] = true, s->fix[3].axis[1] = s->fix[3].axis[2] = false;
    s->fix[3].key = key, s->fix[3].key_count = count;
    s->body.fix_count = 4;
}

static double reaction(scene *s) {
    double value[6];
    probe(s, 0, value);
    return -value[0] / (SIDE * SIDE);
}

/* Stress of a pull within `ramp`, then held: E strain (share + sum of ratio gain(ramp) exp(-(t - ramp) / time)). */
static double relaxation(const sn_material *m, double share, double strain, double ramp, double t) {
    double factor = share;
    for (int i = 0; i < m->prony_count; ++i) {
        const double z = ramp / m->prony[i][1];
        factor += m->prony[i][0] * -expm1(-z) / z * exp(-(t - ramp) / m->prony[i][1]);
    }
    return YOUNG * strain * factor;
}

/* Standard solid, Maxwell and two terms on every law that takes young and poisson. */
static void test_relaxation(void **state) {
    (void)state;
    const double time = 0.5, h = time / SPAN, key[8] = {0, 0, 0, 0, h, 1e-4 * SIDE, 0, 0};
    int laws;
    const sn_listing *law = sn_laws(&laws);
    static const char *const elements[] = {"tet4", "tet10"};
    for (int l = 0; l < laws; ++l)
        for (int k = 0; k < 6; ++k) {
            if (strncmp(law[l].name, "orthotropic", 11) == 0) continue;
            scene s;
            cube(&s, law[l].name, elements[k % 2], h);
            set_term(&s.material, k / 2 == 1 ? 1 : 0.7, time);
            if (k / 2 == 1) strcpy(s.material.prony_moduli, "instantaneous");
            if (k / 2 == 2) set_term(&s.material, 2, 0.1 * time);
            pull(&s, key, 2);
            scene_create(&s);
            for (int i = 1; i <= 3 * SPAN; ++i) {
                step(&s, 1);
                if (i % SPAN) continue;
                const double expected = relaxation(&s.material, k / 2 == 1 ? 0 : 1, 1e-4, h, i * h);
                assert_near(reaction(&s), expected, 1e-3 * expected);
            }
            scene_end(&s);
        }
}

/* A constant traction on a standard solid: strain = s / E (1 - r / (1 + r) exp(-t / (time (1 + r)))). */
static void test_creep(void **state) {
    (void)state;
    static const char *const laws[] = {"linear", "corotated", "stvk", "neo-hookean"};
    const double time = 0.5, h = time / SPAN, ratio = 2, traction = 3;
    for (int l = 0; l < 4; ++l) {
        scene s;
        cube(&s, laws[l], l % 2 ? "tet10" : "tet4", h);
        set_term(&s.material, ratio, time);
        s.load[0].select = normal_selector(1, 0, 0);
        s.load[0].value[0] = traction;
        s.load[0].ramp = (sn_ramp){0, 1e-9, true};
        s.body.load_count = 1;
        scene_create(&s);
        for (int i = 1; i <= 3 * SPAN; ++i) {
            step(&s, 1);
            if (i % SPAN) continue;
            double u[6];
            probe(&s, 1, u);
            /* The load begins with the first step and grows within it, so the time is counted from its middle. */
            const double expected =
                traction / YOUNG * (1 - ratio / (1 + ratio) * exp(-(i - 0.5) * h / (time * (1 + ratio))));
            assert_near(u[0] / SIDE, expected, 1e-3 * expected);
        }
        scene_end(&s);
    }
}

/* A stretched cube that relaxes while it turns by half a turn: its stress, seen in its own axes, is that of a cube that
 * does not turn. All nodes are prescribed. */
static void test_turned(void **state) {
    (void)state;
    static const char *const laws[] = {"corotated", "stvk", "stable-neo-hookean", "corotated-updated", "hybrid-strain"};
    const double time = 0.5, h = time / SPAN, stretch = 0.02 * SIDE, pi = acos(-1);
    static double key[4 * (SPAN + 1)];
    for (int l = 0; l < 5; ++l) {
        double stress[2][6];
        for (int turned = 0; turned < 2; ++turned) {
            scene s;
            scene_start(&s, NULL, SIDE, SIDE, SIDE, 1, 1, 1);
            strcpy(s.material.law, laws[l]);
            set_term(&s.material, 1.5, time);
            strcpy(s.options.time.mode, "quasi-static");
            s.options.time.step = h;
            for (int i = 0; i <= SPAN; ++i) { /* the far face is pulled in the first step */
                const double angle = turned * pi * i / SPAN, pull = i ? stretch : 0;
                key[4 * i] = i * h, key[4 * i + 1] = pull * cos(angle);
                key[4 * i + 2] = 0, key[4 * i + 3] = -pull * sin(angle);
            }
            for (int f = 0; f < 2; ++f) {
                s.fix[f].select = f ? box_selector(SIDE - 1e-9, -1, -1, 1, 1, 1) : box_selector(-1, -1, -1, 1e-9, 1, 1);
                s.fix[f].turning = turned;
                s.fix[f].turn_degrees = 180;
                s.fix[f].ramp = (sn_ramp){0, time, true};
            }
            s.fix[1].key = key, s.fix[1].key_count = SPAN + 1;
            s.body.fix_count = 2;
            add_probe(&s, SN_QUANTITY_STRESS, 0, 0, 0);
            scene_create(&s);
            step(&s, SPAN);
            probe(&s, 0, stress[turned]);
            scene_end(&s);
        }
        assert_true(stress[0][0] > 1e3);
        /* Half a turn about y leaves xx, yy and zz. */
        for (int k = 0; k < 3; ++k) assert_near(stress[1][k], stress[0][k], 1e-9 * stress[0][0]);
    }
}

/* Storage and loss modulus under a sine, three decades of frequency. */
static void test_sine(void **state) {
    (void)state;
    enum { PER_CYCLE = 256, CYCLES = 4, KEYS = PER_CYCLE * CYCLES + 1 };
    const double time = 0.1, ratio = 1.5, pi = acos(-1);
    for (int k = 0; k < 4; ++k) {
        const double omega = pow(10, k) / 3.2, h = 2 * pi / omega / PER_CYCLE;
        static double key[4 * KEYS];
        for (int i = 0; i < KEYS; ++i) {
            key[4 * i] = i * h, key[4 * i + 1] = 1e-5 * SIDE * sin(omega * i * h);
            key[4 * i + 2] = key[4 * i + 3] = 0;
        }
        scene s;
        cube(&s, "corotated", "tet4", h);
        set_term(&s.material, ratio, time);
        pull(&s, key, KEYS);
        scene_create(&s);
        double storage = 0, loss = 0;
        for (int i = 1; i < KEYS; ++i) {
            step(&s, 1);
            if (i <= PER_CYCLE * (CYCLES - 1)) continue; /* after the start has faded */
            storage += 2.0 / PER_CYCLE * reaction(&s) * sin(omega * i * h) / 1e-5;
            loss += 2.0 / PER_CYCLE * reaction(&s) * cos(omega * i * h) / 1e-5;
        }
        const double complex z = I * omega * time, M = YOUNG * (1 + ratio * z / (1 + z));
        assert_near(storage, creal(M), 5e-3 * cabs(M));
        assert_near(loss, cimag(M), 5e-3 * cabs(M));
        scene_end(&s);
    }
}

static void use_law(sn_material *m, const char *law) {
    strcpy(m->law, law);
    if (strncmp(law, "orthotropic", 11) != 0) return;
    const double young[3] = {YOUNG, YOUNG, YOUNG}, poisson[3] = {0.3, 0.3, 0.3},
                 shear[3] = {YOUNG / 2.6, YOUNG / 2.6, YOUNG / 2.6};
    m->constant_count = 0;
    assert_int_equal(sn_material_set(m, "young", young, 3, NULL), SN_OK);
    assert_int_equal(sn_material_set(m, "poisson", poisson, 3, NULL), SN_OK);
    assert_int_equal(sn_material_set(m, "shear", shear, 3, NULL), SN_OK);
}

/* On the deviatoric part only: under pressure a cube does not creep. Under tension it begins with the Young's modulus
 * of the stiff shear modulus and ends with its own. */
static void test_shear_part(void **state) {
    (void)state;
    const double time = 0.1, ratio = 3, traction = 3, mu = (1 + ratio) * YOUNG / 2.6, bulk = YOUNG / 1.2;
    int laws;
    const sn_listing *law = sn_laws(&laws);
    for (int l = 0; l < laws; ++l)
        for (int pressed = 0; pressed < 2; ++pressed) {
            scene s;
            cube(&s, law[l].name, "tet4", 1e-3 * time);
            use_law(&s.material, law[l].name);
            set_term(&s.material, ratio, time);
            strcpy(s.material.prony_on, "shear");
            for (int a = 0; a < (pressed ? 3 : 1); ++a) {
                s.load[a].select = normal_selector(a == 0, a == 1, a == 2);
                s.load[a].value[a] = traction;
                s.load[a].ramp = (sn_ramp){0, 1e-9, true};
            }
            s.body.load_count = pressed ? 3 : 1;
            scene_create(&s);
            double begin[6], end[6];
            step(&s, 1);
            probe(&s, 1, begin);
            sn_time_options later = sn_world_time_options(s.world);
            later.step = 10 * time;
            assert_int_equal(sn_world_set_time(s.world, &later, NULL), SN_OK);
            step(&s, 20);
            probe(&s, 1, end);
            const double stiff = 9 * bulk * mu / (3 * bulk + mu), soft = pressed ? YOUNG / 0.4 : YOUNG;
            assert_near(end[0] / SIDE, traction / soft, 1e-3 * traction / soft);
            assert_near(begin[0] / SIDE, pressed ? end[0] / SIDE : traction / stiff, 2e-3 * traction / stiff);
            scene_end(&s);
        }
}

/* A step of 100 times of relaxation gives the long-term answer, and statics too. */
static void test_long_term(void **state) {
    (void)state;
    for (int is_static = 0; is_static < 2; ++is_static) {
        const double time = 1e-3, key[8] = {0, 0, 0, 0, 0.1, 1e-4 * SIDE, 0, 0};
        scene s;
        cube(&s, "corotated", "tet4", 100 * time);
        set_term(&s.material, 5, time);
        pull(&s, key, is_static ? 0 : 2);
        s.fix[3].displacement[0] = is_static ? 1e-4 * SIDE : 0;
        if (is_static) strcpy(s.options.time.mode, "static");
        scene_create(&s);
        step(&s, is_static ? 1 : 3);
        assert_near(reaction(&s), YOUNG * 1e-4, is_static ? 1e-9 : 1e-3);
        scene_end(&s);
    }
}

/* ---- Dynamics ---- */
/* A swinging cantilever with a memory. */
static void cantilever(scene *s, const sn_context_options *context, const char *method, double h) {
    scene_start(s, context, 0.4, 0.1, 0.1, 4, 1, 1);
    strcpy(s->material.law, "corotated");
    strcpy(s->material.differential, "exact");
    set_constant(&s->material, "young", YOUNG);
    set_term(&s->material, 1, 0.05);
    set_term(&s->material, 0.5, 0.4);
    strcpy(s->options.time.method, method);
    s->options.time.step = h;
    s->options.time.tolerance = 0;
    set_newton(s, "full", 10, 1e-9);
    s->options.solver.tolerance = 1e-11;
    clamp_left(s);
    add_probe(s, SN_QUANTITY_POSITION, 0.4, 0, 0);
}

static double tip(const char *method, double h, double end) {
    scene s;
    double value[6];
    cantilever(&s, NULL, method, h);
    scene_create(&s);
    step(&s, (int)lround(end / h));
    probe(&s, 0, value);
    scene_end(&s);
    return value[1];
}

/* The recursion is of second order at most. */
static void test_order(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double h, order;
    } t[] = {
        {"implicit-euler", 4e-3, 1}, {"implicit-midpoint", 8e-3, 2},    {"trapezoidal", 8e-3, 2}, {"bdf2", 4e-3, 2},
        {"bdf3", 4e-3, 2},           {"rosenbrock4-shampine", 2e-2, 2}, {"rk4", 4e-3, 2}};
    const double end = 0.08, reference = tip("rk4", 2e-4, end);
    for (size_t i = 0; i < sizeof t / sizeof *t; ++i) {
        const double coarse = fabs(tip(t[i].method, t[i].h, end) - reference),
                     fine = fabs(tip(t[i].method, t[i].h / 2, end) - reference);
        print_message("%-22s error %.3g, %.3g: order %.2f\n", t[i].method, coarse, fine, log2(coarse / fine));
        assert_true(log2(coarse / fine) > t[i].order - 0.35);
    }
}

/* A free body that was stretched: its energy with that of the memory falls, and never rises. */
static void test_energy_falls(void **state) {
    (void)state;
    static const char *const laws[] = {"linear", "corotated", "stvk", "stable-neo-hookean"};
    for (int l = 0; l < 4; ++l) {
        scene s;
        scene_start(&s, NULL, 0.2, 0.1, 0.1, 2, 1, 1);
        strcpy(s.material.law, laws[l]);
        set_constant(&s.material, "young", YOUNG);
        set_term(&s.material, 1, 0.05);
        memset(s.options.gravity, 0, sizeof s.options.gravity);
        s.options.time.step = 2e-3;
        s.body.initial.scale = 1.01;
        scene_create(&s);
        sn_energies e;
        assert_int_equal(sn_world_energies(s.world, &e, NULL), SN_OK);
        const double start = e.total;
        double last = start;
        for (int i = 0; i < 300; ++i) {
            step(&s, 1);
            assert_int_equal(sn_world_energies(s.world, &e, NULL), SN_OK);
            assert_true(e.total <= last + 1e-6 * start);
            last = e.total;
        }
        assert_true(start > 0 && last < 0.05 * start);
        scene_end(&s);
    }
}

/* ---- Bits, edits, other elements ---- */
static void test_same_bits(void **state) {
    (void)state;
    char text[3][17];
    for (int k = 0; k < 3; ++k) {
        sn_context_options o = sn_context_options_default();
        o.threads = k == 1 ? 3 : 1;
        o.simd = k == 1 ? "baseline" : "auto";
        scene s;
        cantilever(&s, &o, "bdf2", 4e-3);
        scene_create(&s);
        step(&s, 10);
        if (k == 2) { /* save, go on, restore */
            const size_t size = sn_world_state_size(s.world);
            void *bytes = malloc(size);
            assert_int_equal(sn_world_save_state(s.world, bytes, size, NULL), SN_OK);
            step(&s, 7);
            assert_int_equal(sn_world_restore_state(s.world, bytes, size, NULL), SN_OK);
            free(bytes);
        }
        step(&s, 10);
        sn_world_hash(s.world, text[k]);
        scene_end(&s);
    }
    assert_string_equal(text[1], text[0]);
    assert_string_equal(text[2], text[0]);
}

/* Springs and plane triangles relax too. */
static void test_other_elements(void **state) {
    (void)state;
    static const char *const laws[] = {"linear", "corotated"};
    for (int l = 0; l < 2; ++l) {
        const double time = 0.5, h = time / SPAN, key[8] = {0, 0, 0, 0, h, 1e-4 * SIDE, 0, 0};
        scene s;
        cube(&s, laws[l], "springs", h);
        set_term(&s.material, 1, time);
        pull(&s, key, 2);
        scene_create(&s);
        step(&s, 1);
        const double begin = reaction(&s);
        step(&s, SPAN);
        const double gain = -expm1(-h / time) / (h / time);
        assert_near(reaction(&s) / begin, (1 + gain * exp(-1)) / (1 + gain), 1e-6);
        scene_end(&s);
    }
}

/* Numbers of the series may change while a world runs; another number of terms forgets the memory. */
static void test_edit(void **state) {
    (void)state;
    const double time = 0.5, h = time / SPAN, key[8] = {0, 0, 0, 0, h, 1e-4 * SIDE, 0, 0};
    scene s;
    cube(&s, "corotated", "tet4", h);
    set_term(&s.material, 1, time);
    pull(&s, key, 2);
    scene_create(&s);
    step(&s, SPAN);
    const double before = reaction(&s);
    s.material.prony[0][1] = 1e6;
    assert_int_equal(sn_world_set_material(s.world, 0, 0, &s.material, NULL), SN_OK);
    step(&s, SPAN);
    assert_near(reaction(&s), before, 1e-3 * before);
    s.material.prony_count = 0;
    assert_int_equal(sn_world_set_material(s.world, 0, 0, &s.material, NULL), SN_OK);
    step(&s, 1);
    assert_near(reaction(&s), YOUNG * 1e-4, 1e-6);
    scene_end(&s);
}

static void test_bad_input(void **state) {
    (void)state;
    sn_error error = {0};
    sn_material m = sn_material_default();
    set_term(&m, 1, -1);
    assert_int_equal(sn_material_check(NULL, &m, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "prony.terms.0.time");
    m = sn_material_default();
    set_term(&m, -0.5, 1);
    assert_int_equal(sn_material_check(NULL, &m, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "prony.terms.0.ratio");
    m = sn_material_default();
    set_term(&m, 0.6, 1), set_term(&m, 0.6, 2);
    assert_int_equal(sn_material_check(NULL, &m, &error), SN_OK);
    strcpy(m.prony_moduli, "instantaneous");
    assert_int_equal(sn_material_check(NULL, &m, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "1.2"));
    strcpy(m.prony_on, "bulk");
    assert_int_equal(sn_material_check(NULL, &m, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "prony.on");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relaxation),     cmocka_unit_test(test_creep),        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_sine),           cmocka_unit_test(test_shear_part),   cmocka_unit_test(test_long_term),
        cmocka_unit_test(test_order),          cmocka_unit_test(test_energy_falls), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_other_elements), cmocka_unit_test(test_edit),         cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
