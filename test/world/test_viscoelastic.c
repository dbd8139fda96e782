/* Materials with a memory: relaxation, creep and vibration against closed forms, turned and unturned; limits, order of
 * the methods, energy and bad input. */
#include "memory_stage.h"

#include <complex.h>

enum { SPAN = 200 }; /* steps per time of relaxation */

/* A cube that is free to contract, with its face x = SIDE pulled. Quasi-static: no inertia disturbs the closed forms.
 */
static void cube(scene *s, const char *law, const char *element, double step) {
    free_box(s, NULL, SIDE, SIDE, 2, 2, law, element);
    set_constant(&s->material, "young", YOUNG);
    set_constant(&s->material, "poisson", 0.3);
    if (strcmp(law, "stvk-volume") == 0) set_constant(&s->material, "penalty", 0); /* it stiffens the bulk */
    strcpy(s->options.time.mode, "quasi-static");
    s->options.time.step = step;
    s->options.time.newton.tolerance = 1e-10;
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

/* No cube is made of cloth; test/cloth/test_cloth.c relaxes it. */
static bool is_cloth(const char *law) { return strncmp(law, "cloth-", 6) == 0; }

/* Standard solid, Maxwell and two terms on every law that takes young and poisson. */
static void test_relaxation(void **state) {
    (void)state;
    const double time = 0.5, h = time / SPAN, key[8] = {0, 0, 0, 0, h, 1e-4 * SIDE, 0, 0};
    int laws;
    const sn_listing *law = sn_laws(&laws);
    static const char *const elements[] = {"tet4", "tet10", "tet4-smooth"};
    for (int l = 0; l < laws; ++l)
        for (int k = 0; k < 9; ++k) {
            if (strncmp(law[l].name, "orthotropic", 11) == 0 || is_cloth(law[l].name)) continue;
            scene s;
            cube(&s, law[l].name, elements[k % 3], h);
            set_term(&s.material, k / 3 == 1 ? 1 : 0.7, time);
            if (k / 3 == 1) strcpy(s.material.prony_moduli, "instantaneous");
            if (k / 3 == 2) set_term(&s.material, 2, 0.1 * time);
            pull(&s, key, 2);
            scene_create(&s);
            for (int i = 1; i <= 3 * SPAN; ++i) {
                step(&s, 1);
                if (i % SPAN) continue;
                const double expected = relaxation(&s.material, k / 3 == 1 ? 0 : 1, 1e-4, h, i * h);
                assert_near(reaction(&s), expected, 1e-3 * expected);
            }
            scene_end(&s);
        }
}

enum { MAXWELL, STANDARD, KELVIN_VOIGT };

static void set_model(sn_material *m, int model, double ratio, double time) {
    if (model != KELVIN_VOIGT) set_term(m, model == MAXWELL ? 1 : ratio, time);
    if (model == MAXWELL) strcpy(m->prony_moduli, "instantaneous");
    if (model != KELVIN_VOIGT) return;
    m->viscous[0] = YOUNG * 0.3 / (1.3 * 0.4) * time;
    m->viscous[1] = YOUNG / 2.6 * time;
}

/* The strain of a constant traction by traction / E. Maxwell: 1 + t / time. Standard solid with ratio r:
 * 1 - r / (1 + r) exp(-t / (time (1 + r))). Kelvin-Voigt: 1 - exp(-t / time). */
static double creep(int model, double ratio, double time, double t) {
    if (model == MAXWELL) return 1 + t / time;
    if (model == KELVIN_VOIGT) return -expm1(-t / time);
    return 1 - ratio / (1 + ratio) * exp(-t / (time * (1 + ratio)));
}

/* Creep of the three models. Kelvin-Voigt has a rate in its force, so its error is that of the method: it takes bdf2
 * and a light body in the place of the quasi-static steps, which are of first order in a rate. */
static void test_creep(void **state) {
    (void)state;
    static const char *const laws[] = {"linear", "corotated", "stvk", "neo-hookean"}, *const element[] = {"tet4",
                                                                                                          "tet10"};
    const double time = 0.5, h = time / SPAN, ratio = 2, traction = 3;
    for (int k = 0; k < 3 * 4 * 2; ++k) {
        const int model = k % 3;
        scene s;
        cube(&s, laws[k / 3 % 4], element[k / 12], h);
        set_model(&s.material, model, ratio, time);
        if (model == KELVIN_VOIGT) {
            strcpy(s.options.time.mode, "dynamic"), strcpy(s.options.time.method, "bdf2");
            s.material.density = 1e-3;
        }
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
            /* The load begins with the first step and grows within it, so the memory counts from its middle. */
            const double t = (model == KELVIN_VOIGT ? i : i - 0.5) * h,
                         expected = traction / YOUNG * creep(model, ratio, time, t);
            assert_near(u[0] / SIDE, expected, 1e-3 * expected);
        }
        scene_end(&s);
    }
}

/* After a pull, the stress of Kelvin-Voigt is that of its spring. */
static void test_kelvin_voigt_relaxes(void **state) {
    (void)state;
    const double time = 0.5, h = time / SPAN, key[8] = {0, 0, 0, 0, h, 1e-4 * SIDE, 0, 0};
    static const char *const elements[] = {"tet4", "tet10"};
    for (int k = 0; k < 2; ++k) {
        scene s;
        cube(&s, "stvk", elements[k], h);
        set_model(&s.material, KELVIN_VOIGT, 0, time);
        strcpy(s.options.time.mode, "dynamic"), strcpy(s.options.time.method, "bdf2");
        s.material.density = 1e-3;
        pull(&s, key, 2);
        scene_create(&s);
        step(&s, SPAN);
        assert_near(reaction(&s), YOUNG * 1e-4, 1e-3 * YOUNG * 1e-4);
        scene_end(&s);
    }
}

/* Quasi-statics has no velocities: what acts on them is refused, in whatever way it comes in. Statics takes it: the
 * equilibrium is that after a long time. */
static void test_quasi_static_refuses_viscosity(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        scene s;
        cube(&s, "stvk", "tet4", 0.01);
        const sn_material elastic = s.material;
        sn_material viscous = elastic;
        *(k < 2 ? &viscous.viscous[k] : &viscous.rayleigh[k - 2]) = 1;
        const char *const path = k < 2 ? "bodies.0.material.0.viscous" : "bodies.0.material.0.rayleigh";
        s.material = viscous;
        assert_int_equal(sn_world_create(s.context, &s.options, &s.world, &s.error), SN_BAD_INPUT);
        assert_string_equal(s.error.path, path);
        assert_non_null(strstr(s.error.text, "quasi-static"));
        strcpy(s.options.time.mode, "static");
        scene_create(&s);
        sn_time_options time = s.options.time;
        strcpy(time.mode, "quasi-static");
        assert_int_equal(sn_world_set_time(s.world, &time, &s.error), SN_BAD_INPUT);
        assert_string_equal(s.error.path, path);
        assert_int_equal(sn_world_set_material(s.world, 0, 0, &elastic, &s.error), SN_OK);
        assert_int_equal(sn_world_set_time(s.world, &time, &s.error), SN_OK);
        assert_int_equal(sn_world_set_material(s.world, 0, 0, &viscous, &s.error), SN_BAD_INPUT);
        assert_string_equal(s.error.path, path);
        step(&s, 1);
        scene_end(&s);
    }
}

/* The stretch of a free cube of one model after 2 times, pulled at both ends by tractions that turn with it. The body
 * is so light that no inertia shows. */
static double stretch_of(int model, const char *law, const char *element, double spin) {
    const double time = 0.5, h = time / SPAN;
    scene s;
    double a[6], b[6];
    cube(&s, law, element, h);
    s.body.fix_count = 0, s.options.probe_count = 0;
    set_model(&s.material, model, 2, time);
    s.material.density = 1;
    strcpy(s.options.time.mode, "dynamic"), strcpy(s.options.time.method, "bdf2");
    for (int i = 0; i < 2; ++i) {
        s.load[i].select = normal_selector(i ? -1 : 1, 0, 0);
        s.load[i].kind = SN_LOAD_PRESSURE, s.load[i].scalar = -300, s.load[i].follow = true;
        s.load[i].ramp = (sn_ramp){0, 10 * h, true};
    }
    s.body.load_count = 2;
    s.body.initial.spin[1] = spin;
    add_probe(&s, SN_QUANTITY_POSITION, 0, 0, 0);
    add_probe(&s, SN_QUANTITY_POSITION, SIDE, 0, 0);
    scene_create(&s);
    step(&s, 2 * SPAN);
    probe(&s, 0, a), probe(&s, 1, b);
    scene_end(&s);
    assert_near(atan2(a[2] - b[2], b[0] - a[0]), 2 * time * spin, 0.02);
    return hypot(b[0] - a[0], b[2] - a[2]) / SIDE - 1;
}

/* A cube that spins creeps as one that does not. Kelvin-Voigt takes Green's strain: a viscosity this large on the
 * corotated strain is not free of torque. */
static void test_spinning_creep(void **state) {
    (void)state;
    static const char *const laws[] = {"corotated", "stvk"}, *const elements[] = {"tet4", "tet10"};
    for (int k = 0; k < 12; ++k) {
        if (k % 3 == KELVIN_VOIGT && k / 3 % 2 == 0) continue;
        const double still = stretch_of(k % 3, laws[k / 3 % 2], elements[k / 6], 0),
                     spun = stretch_of(k % 3, laws[k / 3 % 2], elements[k / 6], 1);
        assert_true(still > 5e-3);
        assert_near(spun, still, 1e-3 * still);
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
                s.fix[f].ramp = (sn_ramp){0, time, turned};
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
        assert_near(storage, creal(M), 5e-3 * creal(M));
        assert_near(loss, cimag(M), 5e-3 * cimag(M));
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
        for (int k = 0; k < 4; ++k) {
            const int pressed = k % 2;
            if (is_cloth(law[l].name)) continue;
            scene s;
            cube(&s, law[l].name, k < 2 ? "tet4" : "tet4-smooth", 1e-3 * time);
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

/* Steps that are divided, adaptive steps and multigrid give the same motion. */
static void test_company(void **state) {
    (void)state;
    const double end = 0.08, reference = tip("rk4", 2e-4, end);
    for (int k = 0; k < 3; ++k) {
        scene s;
        double value[6];
        cantilever(&s, NULL, k == 0 ? "dopri5" : "bdf2", k == 0 ? 4e-3 : 1e-3);
        if (k == 0) s.options.time.tolerance = 1e-6;
        if (k == 1) strcpy(s.options.solver.method, "cg"), strcpy(s.options.solver.preconditioner, "multigrid");
        if (k == 2) s.options.time.newton.iterations = 2, s.options.time.step = 2e-2;
        scene_create(&s);
        int retries = 0;
        const int steps = (int)lround(end / s.options.time.step);
        for (int i = 0; i < steps; ++i) {
            sn_step_report report;
            assert_int_equal(sn_world_step(s.world, &report, &s.error), SN_OK);
            retries += report.retries;
        }
        probe(&s, 0, value);
        print_message("case %d: off by %.3g m, %d retries\n", k, fabs(value[1] - reference), retries);
        assert_near(value[1], reference, k == 2 ? 5e-4 : 2e-5);
        if (k == 2) assert_true(retries > 0);
        scene_end(&s);
    }
}

/* A free body that was stretched: its energy with that of the memory falls, and never rises. */
static void test_energy_falls(void **state) {
    (void)state;
    static const char *const laws[] = {"linear", "corotated", "stvk", "stable-neo-hookean"};
    for (int l = 0; l < 8; ++l) {
        scene s;
        scene_start(&s, NULL, 0.2, 0.1, 0.1, 2, 1, 1);
        strcpy(s.material.law, laws[l % 4]);
        if (l >= 4) strcpy(s.body.element, "tet4-smooth");
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

/* ---- Edits, other elements ---- */
/* A plane strip on rollers, under plane strain, relaxes like its modulus E / (1 - nu^2). */
static void test_plane(void **state) {
    (void)state;
    const double time = 0.5, h = time / SPAN, key[8] = {0, 0, 0, 0, h, 1e-4 * SIDE, 0, 0};
    scene s;
    cube(&s, "corotated", "tri3", h);
    sn_mesh_destroy(s.mesh);
    const sn_generator_value value[2] = {{"size", 2, {SIDE, SIDE}}, {"cells", 2, {2, 2}}};
    assert_int_equal(sn_mesh_generate(s.context, "rectangle", value, 2, &s.mesh, NULL), SN_OK);
    s.body.mesh = s.mesh, s.body.thickness = SIDE;
    set_term(&s.material, 0.7, time);
    pull(&s, key, 2);
    for (int a = 2; a < 4; ++a) s.fix[a] = s.fix[a + 1 < 4 ? a + 1 : a];
    s.body.fix_count = 3;
    scene_create(&s);
    for (int i = 1; i <= 2 * SPAN; ++i) {
        step(&s, 1);
        if (i % SPAN) continue;
        const double expected = relaxation(&s.material, 1, 1e-4, h, i * h) / (1 - 0.3 * 0.3);
        assert_near(reaction(&s), expected, 1e-3 * expected);
    }
    scene_end(&s);
}

/* Springs relax too. */
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

/* A body without a memory does not notice that another body has one, also with methods that ask for the rate of the
 * forces. */
static void test_beside(void **state) {
    (void)state;
    double tip[2][6];
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_start(&s, NULL, 0.4, 0.1, 0.1, 4, 1, 1);
        clamp_left(&s);
        sn_material memory = s.material;
        set_term(&memory, 1, 0.05);
        sn_body_options body[2] = {s.body, s.body};
        body[1].material = &memory;
        strcpy(body[1].name, "other");
        s.options.body = body, s.options.body_count = 1 + k;
        strcpy(s.options.time.method, "rosenbrock4-shampine");
        s.options.time.step = 2e-3;
        s.options.solver.tolerance = 1e-12;
        add_probe(&s, SN_QUANTITY_POSITION, 0.4, 0, 0);
        scene_create(&s);
        step(&s, 20);
        probe(&s, 0, tip[k]);
        scene_end(&s);
    }
    assert_true(fabs(tip[0][1]) > 1e-4);
    for (int a = 0; a < 3; ++a) assert_float_equal(tip[0][a], tip[1][a], 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_relaxation),
                                       cmocka_unit_test(test_plane),
                                       cmocka_unit_test(test_kelvin_voigt_relaxes),
                                       cmocka_unit_test(test_quasi_static_refuses_viscosity),
                                       cmocka_unit_test(test_spinning_creep),
                                       cmocka_unit_test(test_company),
                                       cmocka_unit_test(test_creep),
                                       cmocka_unit_test(test_turned),
                                       cmocka_unit_test(test_sine),
                                       cmocka_unit_test(test_shear_part),
                                       cmocka_unit_test(test_long_term),
                                       cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_energy_falls),
                                       cmocka_unit_test(test_other_elements),
                                       cmocka_unit_test(test_edit),
                                       cmocka_unit_test(test_bad_input),
                                       cmocka_unit_test(test_beside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
