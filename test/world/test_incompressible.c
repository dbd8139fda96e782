/* Elements that do not lock, in a world: what they are for, the same bits, saving, solvers, refusals. */
#include "scene.h"

static void start(scene *s, int threads, const char *element, const char *law, double poisson, int nx, int ny, int nz,
                  int split) {
    sn_context_options o = sn_context_options_default();
    o.threads = threads;
    scene_start(s, &o, 0.3, 0.1, 0.1, nx, ny, nz);
    sn_mesh_destroy(s->mesh);
    s->body.mesh = s->mesh = box_mesh(s->context, 0.3, 0.1, 0.1, nx, ny, nz, split);
    snprintf(s->body.element, sizeof s->body.element, "%s", element);
    snprintf(s->material.law, sizeof s->material.law, "%s", law);
    set_constant(&s->material, "young", 1e4);
    set_constant(&s->material, "poisson", poisson);
    clamp_left(s);
}

/* ---- Locking ---- */
/* The drop of the tip of Hauth's fourth example in mm; 133.7 on a fine mesh. */
static double cantilever(const char *element, int cells) {
    scene s;
    start(&s, 0, element, "stvk", 0.4, 3 * cells, cells, cells, 6);
    const double lame[2] = {3e5, 3e3};
    s.material.constant_count = 0;
    s.material.density = 1000;
    assert_int_equal(sn_material_set(&s.material, "lame", lame, 2, NULL), SN_OK);
    strcpy(s.options.time.mode, "static");
    s.options.time.newton.iterations = 60;
    s.options.time.load_steps = 2;
    s.options.gravity[1] = -1;
    add_probe(&s, SN_QUANTITY_DISPLACEMENT, 0.3, 0.1, 0.1);
    scene_create(&s);
    step(&s, 1);
    double value[6];
    probe(&s, 0, value);
    scene_end(&s);
    return -1000 * value[1];
}

static void a_cantilever_does_not_lock(void **state) {
    (void)state;
    const double reference = 133.7, locked = cantilever("tet4", 4), smooth = cantilever("tet4-smooth", 4),
                 finer = cantilever("tet4-smooth", 6), reduced = cantilever("tet10-reduced", 3);
    assert_true(locked < 0.3 * reference);
    assert_near(smooth, reference, 0.12 * reference);
    assert_near(finer, reference, 0.06 * reference);
    assert_near(reduced, reference, 0.03 * reference);
}

/* A block that is held all around and pressed on a part of its top: the stiffness must not depend on how near to 1/2
 * Poisson's ratio is, and the pressure under the press must not change sign from element to element. */
static void the_pressure_has_no_checkerboard(void **state) {
    (void)state;
    scene s;
    start(&s, 1, "tet4-smooth", "linear", 0.4999, 9, 6, 6, 6);
    for (int i = 0; i < 4; ++i) s.fix[i].axis[0] = s.fix[i].axis[1] = s.fix[i].axis[2] = false;
    s.fix[0].select = box_selector(-1, -1, -1, 1, 1e-9, 1), s.fix[0].axis[1] = true;
    s.fix[1].select = box_selector(-1, -1, -1, 1e-9, 1, 1), s.fix[1].axis[0] = true;
    s.fix[2].select = box_selector(0.3 - 1e-9, -1, -1, 1, 1, 1), s.fix[2].axis[0] = true;
    s.fix[3].axis[2] = true;
    s.body.fix_count = 4;
    s.load[0].select = box_selector(-1, 0.1 - 1e-9, -1, 0.1 + 1e-9, 1, 1);
    s.load[0].value[1] = -100;
    s.body.load_count = 1;
    strcpy(s.options.time.mode, "static");
    s.options.gravity[1] = 0;
    scene_create(&s);
    step(&s, 1);
    const int tets = s.mesh->tet_count;
    double *stress = calloc((size_t)tets * 6, sizeof *stress), least = INFINITY, most = -INFINITY;
    assert_int_equal(sn_world_element_fields(s.world, 0, stress, NULL, NULL, NULL, NULL), SN_OK);
    int under = 0;
    for (int e = 0; e < tets; ++e) {
        double x = 0, y = 0;
        for (int i = 0; i < 4; ++i)
            x += s.mesh->position[3 * s.mesh->tet[4 * e + i]] / 4,
                y += s.mesh->position[3 * s.mesh->tet[4 * e + i] + 1] / 4;
        if (x > 0.06 || y < 0.05) continue;
        const double pressure = -(stress[6 * e] + stress[6 * e + 1] + stress[6 * e + 2]) / 3;
        least = fmin(least, pressure), most = fmax(most, pressure);
        ++under;
    }
    assert_true(under > 50);
    assert_true(least > 40 && most < 130);
    free(stress);
    scene_end(&s);
}

/* The pressures of the elements of a panel in plane strain, clamped on the left and sheared on the right. */
enum { PANEL = 8, PANEL_TETS = 6 * 3 * PANEL * PANEL };
static void panel_pressures(scene *s, const char *element, double *pressure) {
    start(s, 1, element, "linear", 0.4999, 3 * PANEL, PANEL, 1, 6);
    s->fix[s->body.fix_count].axis[0] = s->fix[s->body.fix_count].axis[1] = false;
    s->fix[s->body.fix_count++].axis[2] = true;
    s->load[0].select = box_selector(0.3 - 1e-9, -1, -1, 1, 1, 1);
    s->load[0].value[1] = 100;
    s->body.load_count = 1;
    strcpy(s->options.time.mode, "static");
    s->options.gravity[1] = 0;
    scene_create(s);
    step(s, 1);
    double stress[6 * PANEL_TETS];
    assert_int_equal(s->mesh->tet_count, PANEL_TETS);
    assert_int_equal(sn_world_element_fields(s->world, 0, stress, NULL, NULL, NULL, NULL), SN_OK);
    for (int e = 0; e < PANEL_TETS; ++e) pressure[e] = -(stress[6 * e] + stress[6 * e + 1] + stress[6 * e + 2]) / 3;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool near_clamp(const sn_mesh *mesh, int e) {
    double x = 0;
    for (int i = 0; i < 4; ++i) x += mesh->position[3 * mesh->tet[4 * e + i]] / 4;
    return x < 2 * 0.1 / PANEL;
}

/* The median of the jumps between neighbouring tets, within two cells of the clamp. */
static double jump_near_clamp(const sn_mesh *mesh, const double *pressure) {
    double jump[4 * PANEL_TETS];
    int count = 0;
    for (int e = 0; e < PANEL_TETS; ++e)
        for (int f = e + 1; f < PANEL_TETS && near_clamp(mesh, e); ++f) {
            int shared = 0;
            for (int i = 0; i < 16; ++i) shared += mesh->tet[4 * e + i / 4] == mesh->tet[4 * f + i % 4];
            if (shared == 3 && near_clamp(mesh, f)) jump[count++] = fabs(pressure[e] - pressure[f]);
        }
    assert_true(count > PANEL);
    qsort(jump, (size_t)count, sizeof *jump, by_size);
    return jump[count / 2];
}

/* Near a clamp, too, pressures do not alternate: tet4-smooth has about those of tet10-reduced. */
static void the_pressure_is_smooth_at_a_clamp(void **state) {
    (void)state;
    double smooth[PANEL_TETS], reduced[PANEL_TETS], off = 0, size = 0;
    scene s, r;
    panel_pressures(&s, "tet4-smooth", smooth);
    panel_pressures(&r, "tet10-reduced", reduced);
    const double jump = jump_near_clamp(s.mesh, smooth), least = jump_near_clamp(s.mesh, reduced);
    for (int e = 0; e < PANEL_TETS; ++e)
        if (near_clamp(s.mesh, e))
            off += (smooth[e] - reduced[e]) * (smooth[e] - reduced[e]), size += reduced[e] * reduced[e];
    printf("jump at the clamp %g Pa, tet10-reduced %g Pa; pressures differ by %g\n", jump, least, sqrt(off / size));
    assert_true(jump < 1.5 * least);
    assert_true(off < 0.4 * 0.4 * size);
    scene_end(&s);
    scene_end(&r);
}

/* The energies of the elements, with their shares of the patches, sum up to the energy of the body; under a uniform
 * stretch the stress is that of the material. */
static void the_fields_have_the_share_of_the_patches(void **state) {
    (void)state;
    static const char *const element[] = {"tet4-smooth", "tet10-reduced"};
    for (int k = 0; k < 2; ++k) {
        scene s;
        start(&s, 1, element[k], "neo-hookean", 0.49, 3, 2, 2, 5);
        s.body.fix_count = 0;
        add_probe(&s, SN_QUANTITY_ELASTIC, 0, 0, 0)->at = SN_PROBE_SELECT;
        scene_create(&s);
        const sn_mesh *mesh = sn_world_body_mesh(s.world, 0);
        const double F[9] = {1.02, 0, 0, 0, 0.99, 0, 0, 0, 1.01}, volume = 0.3 * 0.1 * 0.1;
        double *x = calloc((size_t)mesh->node_count * 3, sizeof *x),
               *stress = calloc((size_t)mesh->tet_count * 6, sizeof *stress),
               *density = calloc((size_t)mesh->tet_count, sizeof *density), psi, P[9], value[6];
        for (int i = 0; i < 3 * mesh->node_count; ++i) x[i] = F[4 * (i % 3)] * mesh->position[i];
        assert_int_equal(sn_world_put(s.world, 0, x, NULL, NULL), SN_OK);
        assert_int_equal(sn_world_element_fields(s.world, 0, stress, NULL, density, NULL, NULL), SN_OK);
        assert_int_equal(sn_material_evaluate(s.context, &s.material, F, &psi, P, NULL, NULL), SN_OK);
        const double J = F[0] * F[4] * F[8];
        for (int e = 0; e < mesh->tet_count; ++e) {
            assert_near(density[e], psi, 1e-9 * psi);
            for (int a = 0; a < 3; ++a) assert_near(stress[6 * e + a], P[4 * a] * F[4 * a] / J, 1e-9 * fabs(P[0]));
        }
        probe(&s, 0, value);
        assert_near(value[0], psi * volume, 1e-9 * psi * volume);
        free(x), free(stress), free(density);
        scene_end(&s);
    }
}

/* ---- Bits ---- */
static void moving(scene *s, int threads, const char *element) {
    start(s, threads, element, "stable-neo-hookean", 0.49, 12, 4, 4, 5);
    s->material.density = 1000;
    s->material.rayleigh[1] = 0.001;
    s->options.time.step = 0.01;
    scene_create(s);
}

static void every_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    static const char *const element[] = {"tet4-smooth", "tet10-reduced"};
    for (int e = 0; e < 2; ++e) {
        char one[17], other[17];
        for (int threads = 1; threads <= 4; threads *= 2) {
            scene s;
            moving(&s, threads, element[e]);
            step(&s, 4);
            sn_world_hash(s.world, threads == 1 ? one : other);
            if (threads > 1) assert_string_equal(one, other);
            scene_end(&s);
        }
    }
}

static void a_saved_run_continues_with_the_same_bits(void **state) {
    (void)state;
    scene s;
    char one[17], two[17];
    moving(&s, 2, "tet4-smooth");
    step(&s, 3);
    const size_t size = sn_world_state_size(s.world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(s.world, bytes, size, NULL), SN_OK);
    step(&s, 4);
    sn_world_hash(s.world, one);
    sn_world_destroy(s.world);
    scene_create(&s);
    assert_int_equal(sn_world_restore_state(s.world, bytes, size, NULL), SN_OK);
    step(&s, 4);
    sn_world_hash(s.world, two);
    assert_string_equal(one, two);
    free(bytes);
    scene_end(&s);
}

/* ---- Solvers ---- */
static void tip_of(const char *element, const char *method, const char *operator_, double tip[6]) {
    scene s;
    start(&s, 1, element, "corotated", 0.49, 6, 2, 2, 5);
    s.options.time.step = 0.02;
    s.options.time.newton.iterations = 30;
    s.options.time.newton.tolerance = 1e-10;
    s.options.solver.tolerance = 1e-12;
    s.options.solver.iterations = 5000;
    snprintf(s.options.solver.method, sizeof s.options.solver.method, "%s", method);
    snprintf(s.options.solver.operator_, sizeof s.options.solver.operator_, "%s", operator_);
    add_probe(&s, SN_QUANTITY_POSITION, 0.3, 0.1, 0.1);
    scene_create(&s);
    step(&s, 3);
    probe(&s, 0, tip);
    scene_end(&s);
}

static void matrix_products_and_factors_agree(void **state) {
    (void)state;
    static const char *const element[] = {"tet4-smooth", "tet10-reduced"};
    for (int e = 0; e < 2; ++e) {
        double assembled[6], free_[6], direct[6];
        tip_of(element[e], "minres", "assembled", assembled);
        tip_of(element[e], "minres", "assembly-free", free_);
        tip_of(element[e], "ldlt", "assembled", direct);
        for (int a = 0; a < 3; ++a) {
            assert_near(free_[a], assembled[a], 1e-9);
            assert_near(direct[a], assembled[a], 1e-9);
        }
    }
}

/* ---- Refusals ---- */
static void refused(scene *s, const char *path, const char *word) {
    assert_int_equal(sn_world_create(s->context, &s->options, &s->world, &s->error), SN_BAD_INPUT);
    if (!strstr(s->error.path, path) || !strstr(s->error.text, word)) fail_msg("%s: %s", s->error.path, s->error.text);
    scene_end(s);
}

static void what_cannot_be_divided_is_refused(void **state) {
    (void)state;
    scene s;
    start(&s, 1, "tet4-smooth", "corotated", 0.49, 2, 1, 1, 5);
    s.material.frames_every = 0.1;
    refused(&s, "frames.every", "tet4-smooth");
    start(&s, 1, "tet4-smooth", "linear", 0.49, 2, 1, 1, 5);
    strcpy(s.material.warping, "edges");
    refused(&s, "warping", "tet4-smooth");
    start(&s, 1, "tet10-reduced", "stvk", 0.49, 2, 1, 1, 5);
    s.material.prony_count = 1, s.material.prony[0][0] = 0.5, s.material.prony[0][1] = 1;
    refused(&s, "prony.on", "shear");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_does_not_lock),
        cmocka_unit_test(the_pressure_has_no_checkerboard),
        cmocka_unit_test(the_pressure_is_smooth_at_a_clamp),
        cmocka_unit_test(the_fields_have_the_share_of_the_patches),
        cmocka_unit_test(every_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_saved_run_continues_with_the_same_bits),
        cmocka_unit_test(matrix_products_and_factors_agree),
        cmocka_unit_test(what_cannot_be_divided_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
