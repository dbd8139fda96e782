/* Bodies with muscle: isometric and isotonic closed forms, work of a changing activation, fibres between selections and
 * from files, saving, threads, edits and bad input. */
#include "scene.h"

static const double SIDE = 0.1, PEAK = 3e4, YOUNG = 5e4;

static sn_fibre fibre;

/* A bar along x with fibres along x, held so that it is free to contract sideways. */
static void bar(scene *s, const sn_context_options *context, const char *law, const char *element) {
    free_box(s, context, 3 * SIDE, SIDE, 6, 2, law, element);
    set_constant(&s->material, "young", YOUNG);
    set_constant(&s->material, "poisson", 0);
    s->material.muscle.stress = PEAK, s->material.muscle.passive = 2e4;
    fibre = (sn_fibre){.kind = SN_FIBRE_CONSTANT, .direction = {-3, 0, 0}};
    s->body.material_fibre = &fibre;
    s->options.time.newton.tolerance = 1e-9;
    add_probe(s, SN_QUANTITY_DISPLACEMENT, 3 * SIDE, SIDE, SIDE);
}

static double active(double stretch) {
    const double u = (stretch - 1) / 0.6;
    return fabs(u) < 1 ? (1 - u * u) * (1 - u * u) : 0;
}

static const char *const laws[] = {"corotated", "stvk", "neo-hookean", "stable-neo-hookean", "linear"};

static const char *const elements[] = {"tet4", "tet10", "tet4-smooth"};

/* Both ends held: the supports feel the active stress times the area, and nothing moves. */
static void test_isometric(void **state) {
    (void)state;
    for (int k = 0; k < 15; ++k) {
        scene s;
        bar(&s, NULL, laws[k % 5], elements[k / 5]);
        strcpy(s.options.time.mode, "quasi-static");
        s.fix[3].select = box_selector(3 * SIDE - 1e-9, -1, -1, 1, 1, 1);
        s.fix[3].axis[1] = s.fix[3].axis[2] = false;
        s.body.fix_count = 4;
        static const double key[] = {0, 0, 1, 1};
        s.material.muscle.key = key, s.material.muscle.key_count = 2;
        s.options.time.step = 0.25;
        scene_create(&s);
        for (int i = 1; i <= 4; ++i) {
            double value[6], moved[6];
            step(&s, 1);
            probe(&s, 0, value), probe(&s, 1, moved);
            assert_near(value[0], -0.25 * i * PEAK * SIDE * SIDE, 1e-6 * PEAK * SIDE * SIDE);
            assert_near(fabs(moved[0]) + fabs(moved[1]) + fabs(moved[2]), 0, 1e-9);
        }
        scene_end(&s);
    }
}

/* A free end with a load: E (l - 1) + activation peak A(l) = load, for laws with this stress in a bar. */
static void test_isotonic(void **state) {
    (void)state;
    static const double activation[] = {0.3, 1}, load[] = {0, 1e4};
    for (int k = 0; k < 24; ++k) {
        scene s;
        bar(&s, NULL, k % 2 ? "corotated" : "linear", elements[k / 2 % 3]);
        strcpy(s.options.time.mode, "static");
        s.material.muscle.activation = activation[k / 6 % 2];
        s.load[0].select = normal_selector(1, 0, 0);
        s.load[0].value[0] = load[k / 12];
        s.body.load_count = 1;
        scene_create(&s);
        double value[6], low = 0.2, high = 1.4;
        step(&s, 1);
        probe(&s, 1, value);
        for (int i = 0; i < 60; ++i) {
            const double l = 0.5 * (low + high), x = fmax((l - 1) / 0.4, 0),
                         T = YOUNG * (l - 1) + s.material.muscle.activation * PEAK * active(l) + 2e4 * x * x;
            *(T > load[k / 12] ? &high : &low) = l;
        }
        assert_near(1 + value[0] / (3 * SIDE), low, 1e-6);
        scene_end(&s);
    }
}

static void refused(scene *s, const char *path, const char *word) {
    sn_world *world = NULL;
    sn_error error = {0};
    assert_int_equal(sn_world_create(s->context, &s->options, &world, &error), SN_BAD_INPUT);
    assert_null(world);
    if (strcmp(error.path, path) != 0 || !strstr(error.text, word)) {
        print_message("'%s' at '%s' should be '%s' at '%s'\n", error.text, error.path, word, path);
        fail();
    }
}

/* A plane bar of triangles shortens as much. */
static void test_plane(void **state) {
    (void)state;
    scene s;
    bar(&s, NULL, "corotated", "tri3");
    sn_mesh_destroy(s.mesh);
    const sn_generator_value value[2] = {{"size", 2, {3 * SIDE, SIDE}}, {"cells", 2, {6, 2}}};
    assert_int_equal(sn_mesh_generate(s.context, "rectangle", value, 2, &s.mesh, &s.error), SN_OK);
    s.body.mesh = s.mesh;
    s.body.fix_count = 2;
    s.options.probe_count = 0;
    add_probe(&s, SN_QUANTITY_DISPLACEMENT, 3 * SIDE, SIDE, 0);
    strcpy(s.options.time.mode, "static");
    s.material.muscle.activation = 0.5;
    memcpy(fibre.direction, (double[3]){0, 0, 1}, sizeof fibre.direction);
    refused(&s, "bodies.0.material.0.muscle.fibre", "normal to the plane");
    memcpy(fibre.direction, (double[3]){1, 0, 0}, sizeof fibre.direction);
    scene_create(&s);
    step(&s, 1);
    double moved[6], low = 0.2, high = 1;
    probe(&s, 0, moved);
    for (int i = 0; i < 60; ++i) {
        const double l = 0.5 * (low + high);
        *(YOUNG * (l - 1) + 0.5 * PEAK * active(l) > 0 ? &high : &low) = l;
    }
    assert_near(1 + moved[0] / (3 * SIDE), low, 1e-6);
    scene_end(&s);
}

/* Newmark's method without damping: kinetic and elastic energy change by the work of the activation, which is the
 * change of the elastic energy when the activation of the resting shape changes. The judge refuses no step. */
static void test_work(void **state) {
    (void)state;
    scene s;
    bar(&s, NULL, "stable-neo-hookean", "tet4");
    strcpy(s.options.time.method, "newmark");
    s.options.time.step = 2e-4;
    s.material.muscle.speed = 0;
    scene_create(&s);
    sn_energies now;
    double work = 0, most = 0;
    for (int i = 0; i < 400; ++i) {
        sn_energies before, after;
        sn_step_report report;
        assert_int_equal(sn_world_energies(s.world, &before, NULL), SN_OK);
        assert_int_equal(sn_world_set_activation(s.world, 0, 0, 0.5 - 0.5 * cos(0.05 * i), &s.error), SN_OK);
        assert_int_equal(sn_world_energies(s.world, &after, NULL), SN_OK);
        work += after.elastic - before.elastic;
        assert_int_equal(sn_world_step(s.world, &report, &s.error), SN_OK);
        assert_int_equal(report.retries, 0);
        assert_int_equal(sn_world_energies(s.world, &now, NULL), SN_OK);
        most = fmax(most, now.kinetic);
    }
    assert_true(most > 1e-3);
    assert_near(now.kinetic + now.elastic, work, 2e-3 * most);
    scene_end(&s);
}

/* A sudden full activation of a free body, large steps, every implicit method: no step is refused, no energy explodes.
 */
static void test_jumps(void **state) {
    (void)state;
    static const char *const methods[] = {"implicit-euler", "bdf2", "newmark", "trapezoidal", "rosenbrock2-w"};
    int count;
    const sn_listing *known = sn_methods(&count);
    for (int k = 0; k < 10; ++k) {
        scene s;
        bool found = false;
        for (int i = 0; i < count; ++i) found = found || strcmp(known[i].name, methods[k % 5]) == 0;
        if (!found) continue;
        bar(&s, NULL, "corotated", k < 5 ? "tet4" : "tet4-smooth");
        strcpy(s.options.time.method, methods[k % 5]);
        s.options.time.step = 5e-3;
        s.body.fix_count = 0;
        scene_create(&s);
        for (int i = 0; i < 40; ++i) {
            sn_energies now;
            double linear[3], angular[3];
            assert_int_equal(sn_world_set_activation(s.world, 0, 0, i / 5 % 2, &s.error), SN_OK);
            step(&s, 1);
            assert_int_equal(sn_world_energies(s.world, &now, NULL), SN_OK);
            assert_true(now.kinetic < 2 * PEAK * 3 * SIDE * SIDE * SIDE);
            sn_world_momentum(s.world, linear, angular); /* a body cannot push itself */
            assert_near(fabs(linear[0]) + fabs(linear[1]) + fabs(linear[2]), 0, 1e-6);
        }
        scene_end(&s);
    }
}

/* The same bits for 1, 2 and 4 threads, and when a state is restored in the middle. */
static void test_bits(void **state) {
    (void)state;
    static const double key[] = {0, 0, 0.03, 1, 0.06, 0.2, 0.1, 0};
    char hash[4][17];
    void *bytes = NULL;
    size_t size = 0;
    for (int k = 0; k < 4; ++k) {
        scene s;
        sn_context_options o = sn_context_options_default();
        o.threads = k < 3 ? 1 << k : 2;
        bar(&s, &o, "corotated", k == 9 ? "tet10" : "tet4");
        s.material.muscle.key = key, s.material.muscle.key_count = 4;
        s.material.muscle.period = 0.1;
        scene_create(&s);
        if (k == 3) {
            assert_int_equal(sn_world_restore_state(s.world, bytes, size, &s.error), SN_OK);
        } else {
            step(&s, 7);
            size = sn_world_state_size(s.world);
            bytes = realloc(bytes, size);
            assert_int_equal(sn_world_save_state(s.world, bytes, size, &s.error), SN_OK);
        }
        step(&s, 8);
        sn_world_hash(s.world, hash[k]);
        assert_string_equal(hash[k], hash[0]);
        scene_end(&s);
    }
    free(bytes);
}

/* A material with fibres and without activation, without a passive stress: the same motion as without fibres. */
static void test_rest(void **state) {
    (void)state;
    double x[2][6];
    for (int k = 0; k < 2; ++k) {
        scene s;
        bar(&s, NULL, "corotated", "tet4");
        if (k) s.body.material_fibre = NULL;
        s.material.muscle.passive = 0;
        s.options.gravity[0] = 5, s.options.gravity[1] = -3;
        scene_create(&s);
        step(&s, 10);
        probe(&s, 1, x[k]);
        scene_end(&s);
    }
    for (int a = 0; a < 3; ++a) assert_near(x[0][a], x[1][a], 1e-9);
    scene s; /* without loads a muscle rests exactly */
    bar(&s, NULL, "corotated", "tet4");
    scene_create(&s);
    step(&s, 5);
    probe(&s, 1, x[0]);
    assert_true(x[0][0] == 0 && x[0][1] == 0 && x[0][2] == 0);
    scene_end(&s);
}

/* Fibres between the ends of a bar run along the bar, and around a bent one: the isometric force is that of constant
 * fibres, up to the error of the mesh. */
static void test_between(void **state) {
    (void)state;
    double force[2];
    for (int k = 0; k < 2; ++k) {
        scene s;
        bar(&s, NULL, "corotated", k ? "tet10" : "tet4");
        fibre = (sn_fibre){.kind = SN_FIBRE_BETWEEN,
                           .from = box_selector(-1, -1, -1, 1e-9, 1, 1),
                           .to = box_selector(3 * SIDE - 1e-9, -1, -1, 1, 1, 1)};
        s.fix[3].select = fibre.to;
        s.body.fix_count = 4;
        s.material.muscle.activation = 1;
        strcpy(s.options.time.mode, "static");
        scene_create(&s);
        step(&s, 1);
        double value[6];
        probe(&s, 0, value);
        force[k] = value[0];
        assert_near(force[k], -PEAK * SIDE * SIDE, 1e-8 * PEAK);
        scene_end(&s);
    }
}

/* A file with a vector per cell, turned by the scene: the fibres of tet 0 along x and those of the others along y. */
static void test_field(void **state) {
    (void)state;
    static const char text[] =
        "# vtk DataFile Version 3.0\nfibres\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
        "0 0 0  1 0 0  0 1 0  0 0 1  1 1 1\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n"
        "CELL_DATA 2\nVECTORS grain double\n2 0 0\n0 -3 0\n";
    FILE *file = fopen("test_muscle.vtk", "w");
    assert_non_null(file);
    fputs(text, file), fclose(file);
    scene s;
    bar(&s, NULL, "corotated", "tet4");
    sn_mesh_destroy(s.mesh);
    s.mesh = NULL;
    assert_int_equal(sn_mesh_read(s.context, "test_muscle.vtk", &s.mesh, &s.error), SN_OK);
    assert_string_equal(s.mesh->left_out, "");
    const double axis[3] = {0, 0, 1};
    sn_mesh_rotate(s.mesh, axis, 90); /* x to y, y to -x */
    sn_mesh *fine = NULL;
    assert_int_equal(sn_mesh_refine(s.mesh, &fine, &s.error), SN_OK);
    const sn_mesh_field *field = sn_mesh_find_field(fine, "grain");
    assert_non_null(field);
    assert_near(field->value[3 * 7 + 1], 2, 1e-12);
    assert_near(field->value[3 * 8], 3, 1e-12);
    sn_mesh_destroy(fine);
    char lost[200];
    assert_int_equal(sn_mesh_losses(s.mesh, "vtk", NULL, lost, sizeof lost, NULL), SN_OK);
    assert_non_null(strstr(lost, "1 field of vectors"));
    s.body.mesh = s.mesh;
    s.body.fix_count = s.options.probe_count = 0;
    fibre = (sn_fibre){.kind = SN_FIBRE_FIELD, .field = "grain"};
    s.material.muscle.activation = 1;
    scene_create(&s);
    double stress[12];
    assert_int_equal(sn_world_element_fields(s.world, 0, stress, NULL, NULL, NULL, NULL), SN_OK);
    for (int i = 0; i < 12; ++i) assert_near(stress[i], i == 1 || i == 6 ? PEAK : 0, 1e-9 * PEAK);
    scene_end(&s);
    remove("test_muscle.vtk");
}

static void test_bad_input(void **state) {
    (void)state;
    scene s;
    bar(&s, NULL, "corotated", "tet4");
    static const double outside[] = {0, 0, 1, 1.5}, back[] = {0, 0, 1, 1};
    s.material.muscle.activation = 1.1, refused(&s, "bodies.0.material.0.muscle.activation", "1.1");
    s.material.muscle.activation = -0.1, refused(&s, "bodies.0.material.0.muscle.activation", "-0.1");
    s.material.muscle.activation = 0;
    s.material.muscle.key = outside, s.material.muscle.key_count = 2;
    refused(&s, "bodies.0.material.0.muscle.activation.keys", "1.5");
    s.material.muscle.key = back, s.material.muscle.period = 0.5;
    refused(&s, "bodies.0.material.0.muscle.period", "0.5");
    s.material.muscle.key_count = 0, refused(&s, "bodies.0.material.0.muscle.period", "without keys");
    s.material.muscle.period = 0;
    s.material.muscle.width = 1.2, refused(&s, "bodies.0.material.0.muscle.width", "1.2");
    s.material.muscle.width = 0.6;
    fibre.direction[0] = 0, refused(&s, "bodies.0.material.0.muscle.fibre", "no direction");
    fibre.direction[0] = NAN, refused(&s, "bodies.0.material.0.muscle.fibre", "no direction");
    fibre.kind = (sn_fibre_kind)7, refused(&s, "bodies.0.material.0.muscle.fibre", "unknown");
    fibre.kind = SN_FIBRE_FIELD;
    strcpy(fibre.field, "grain"), refused(&s, "bodies.0.material.0.muscle.fibre.field", "grain");
    fibre.kind = SN_FIBRE_BETWEEN;
    fibre.from = box_selector(-2, -2, -2, -1, -1, -1), fibre.to = box_selector(0.299, -1, -1, 1, 1, 1);
    refused(&s, "bodies.0.material.0.muscle.fibre.from", "");
    fibre.from = box_selector(-1, -1, -1, 1, 1, 1);
    refused(&s, "bodies.0.material.0.muscle.fibre.to", "touch");
    fibre.from = box_selector(-1, -1, -1, 0.12, 1, 1);
    refused(&s, "bodies.0.material.0.muscle.fibre", "no fibre");
    fibre.kind = SN_FIBRE_NONE;
    s.material.muscle.activation = 0.5, refused(&s, "bodies.0.material.0.muscle.activation", "without fibres");
    s.material.muscle.activation = 0;
    fibre = (sn_fibre){.kind = SN_FIBRE_CONSTANT, .direction = {1, 0, 0}};
    strcpy(s.body.element, "springs");
    set_constant(&s.material, "poisson", 0.25);
    refused(&s, "bodies.0.material.0.muscle", "springs");
    strcpy(s.body.element, "tet4");
    strcpy(s.material.law, "linear"), strcpy(s.material.warping, "svd");
    refused(&s, "bodies.0.material.0.muscle", "warping");
    scene_end(&s);
}

static void test_edits(void **state) {
    (void)state;
    scene s;
    sn_error error = {0};
    bar(&s, NULL, "corotated", "tet4");
    scene_create(&s);
    assert_int_equal(sn_world_set_activation(s.world, 0, 0, 1.01, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "bodies.0.material.0.muscle.activation");
    assert_int_equal(sn_world_set_activation(s.world, 0, 0, NAN, &error), SN_BAD_INPUT);
    assert_int_equal(sn_world_set_activation(s.world, 0, 1, 0.5, &error), SN_BAD_INPUT);
    assert_int_equal(sn_world_set_activation(s.world, 3, 0, 0.5, &error), SN_BAD_INPUT);
    assert_int_equal(sn_world_set_activation(s.world, 0, 0, 0.5, &error), SN_OK);
    assert_true(sn_world_material(s.world, 0, 0)->muscle.activation == 0.5);
    step(&s, 50);
    double one[6], two[6];
    probe(&s, 1, one);
    assert_true(one[0] < -0.03);
    sn_material m = *sn_world_material(s.world, 0, 0);
    m.muscle.activation = 0;
    assert_int_equal(sn_world_set_material(s.world, 0, 0, &m, &error), SN_OK);
    strcpy(m.law, "stvk"); /* compiled again, with its fibres */
    m.muscle.activation = 0.5;
    assert_int_equal(sn_world_set_material(s.world, 0, 0, &m, &error), SN_OK);
    step(&s, 50);
    probe(&s, 1, two);
    assert_true(two[0] < -0.03);
    scene_end(&s);
    bar(&s, NULL, "corotated", "tet4");
    s.body.material_fibre = NULL;
    scene_create(&s);
    assert_int_equal(sn_world_set_activation(s.world, 0, 0, 0.5, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "no muscle"));
    m.muscle.activation = 0.5;
    assert_int_equal(sn_world_set_material(s.world, 0, 0, &m, &error), SN_BAD_INPUT);
    scene_end(&s);
}

/* A muscle with a Prony series on its law: only the law relaxes, so the isometric force stays. */
static void test_memory(void **state) {
    (void)state;
    scene s;
    bar(&s, NULL, "stvk", "tet4");
    s.material.prony_count = 1, s.material.prony[0][0] = 1, s.material.prony[0][1] = 0.1;
    s.fix[3].select = box_selector(3 * SIDE - 1e-9, -1, -1, 1, 1, 1);
    s.body.fix_count = 4;
    s.material.muscle.activation = 1;
    strcpy(s.options.time.mode, "quasi-static");
    scene_create(&s);
    double value[6];
    for (int i = 0; i < 5; ++i) {
        step(&s, 1);
        probe(&s, 0, value);
        assert_near(value[0], -PEAK * SIDE * SIDE, 1e-6 * PEAK * SIDE * SIDE);
    }
    scene_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isometric), cmocka_unit_test(test_isotonic), cmocka_unit_test(test_plane),
        cmocka_unit_test(test_work),      cmocka_unit_test(test_jumps),    cmocka_unit_test(test_bits),
        cmocka_unit_test(test_rest),      cmocka_unit_test(test_between),  cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_edits),     cmocka_unit_test(test_memory),   cmocka_unit_test(test_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
