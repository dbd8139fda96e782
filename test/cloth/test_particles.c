/* Particles: force and differential against central differences, rigid motions, degenerate states, the mass, the
 * stress that pictures show, meshes that are refused, and a hung sheet beside cloth-baraff-witkin. */
#include "sheet.h"

#include "scene_text.h"
#include "world/inside.h"

static void set_material(sn_material *m, double k, const char *differential) {
    const double stretch[2] = {k, 1.5 * k}, shear = 0.3 * k, damping = 0.01 * k;
    strcpy(m->law, "cloth-particles");
    assert_int_equal(sn_material_set(m, "stretch", stretch, 2, NULL), SN_OK);
    assert_int_equal(sn_material_set(m, "shear", &shear, 1, NULL), SN_OK);
    assert_int_equal(sn_material_set(m, "damping", &damping, 1, NULL), SN_OK);
    m->bending_stiffness = 5e-5 * k, m->bending_damping = 1e-6 * k;
    m->rayleigh[1] = 0.001;
    strcpy(m->differential, differential);
}

static void start(sheet *s, sn_context *context, const char *differential) {
    sheet_start_particles(s, context, 4);
    for (int m = 0; m < 2; ++m) set_material(&s->f.material[m], 1000 * (m + 1), differential);
    sheet_compile(s);
}

static void derivatives(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    sheet s;
    start(&s, context, "exact");
    for (int i = 0; i < 3; ++i) assert_true(s.source[i].element_count > 0);
    for (int k = 0; k < STATES; ++k) {
        sheet_state_set(&s, k);
        check_force(&s, sheet_state[k]);
        check_product(&s, 1, 0, sheet_state[k]);
        check_product(&s, 0, 1, sheet_state[k]);
    }
    sheet_end(&s);
    sn_context_destroy(context);
}

/* Edges without length and a sheet in one point have finite numbers. */
static void degenerate(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    for (int k = 0; k < 3; ++k) {
        sheet s;
        start(&s, context, "exact");
        sheet_state_set(&s, BENT);
        double *x = s.f.x;
        if (k == 0) /* a particle in the middle between its neighbours */
            for (int a = 0; a < 3; ++a) x[3 * 6 + a] = 0.5 * (x[3 * 5 + a] + x[3 * 7 + a]);
        if (k == 1) memcpy(x + 3 * 6, x + 3 * 5, 3 * sizeof *x);
        if (k == 2) memset(x, 0, (size_t)s.f.nodes * 3 * sizeof *x);
        check_finite(&s);
        if (k == 0) check_force(&s, "a corner without angle"), check_product(&s, 1, 0, "the same");
        sheet_end(&s);
    }
    sn_context_destroy(context);
}

static void rigid_motions(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    const double axis[3] = {1, -2, 0.7};
    double R[9], energy;
    sn_axis_rotation3(axis, 130, R);
    sheet s;
    start(&s, context, "exact");
    double *f = doubles(3 * s.f.nodes);
    for (int n = 0; n < s.f.nodes; ++n) {
        sn_multiply_vector3(R, s.f.rest + 3 * n, s.f.x + 3 * n);
        for (int a = 0; a < 3; ++a) s.f.x[3 * n + a] += 0.3 * (a + 1), s.f.v[3 * n + a] = a + 1;
    }
    assert_int_equal(force_of(&s.f, s.f.x, s.f.v, f), SN_OK);
    assert_int_equal(energy_of(&s.f, s.f.x, &energy), SN_OK);
    assert_true(largest(f, 3 * s.f.nodes) < 1e-11 && fabs(energy) < 1e-12);
    free(f);
    sheet_end(&s);
    sn_context_destroy(context);
}

/* The projected differential is never negative, and the exact one where the sheet is stretched and has no shear. */
static void projected(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    sheet s;
    start(&s, context, "projected");
    check_projected(&s);
    sheet_end(&s);
    sn_context_destroy(context);
}

/* The energies of uniform states: those of the law as a continuum, and of a cylinder for bending. */
static void uniform_states(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    sheet s;
    start(&s, context, "exact");
    for (int e = 0; e < s.f.elements; ++e) s.f.material_of[e] = 0;
    sheet_end(&s);
    sheet_start_particles(&s, context, 4);
    for (int e = 0; e < s.f.elements; ++e) s.f.material_of[e] = 0;
    for (int m = 0; m < 2; ++m) set_material(&s.f.material[m], 1000, "exact");
    s.f.material[0].bending_stiffness = 0;
    sheet_compile(&s);
    const double F[9] = {1.1, 0.2, 0, -0.1, 0.9, 0, 0.05, 0.3, 1}, volume = 0.4 * 0.48 * 0.01;
    double psi, energy;
    for (int n = 0; n < s.f.nodes; ++n) sn_multiply_vector3(F, s.f.rest + 3 * n, s.f.x + 3 * n);
    assert_int_equal(energy_of(&s.f, s.f.x, &energy), SN_OK);
    assert_int_equal(sn_material_evaluate(context, &s.f.material[0], F, &psi, NULL, NULL, NULL), SN_OK);
    assert_true(fabs(energy - psi * volume) < 1e-12 * energy);
    sheet_end(&s);
    sheet_start_particles(&s, context, 4);
    for (int e = 0; e < s.f.elements; ++e) s.f.material_of[e] = 0;
    for (int m = 0; m < 2; ++m) set_material(&s.f.material[m], 1e-3, "exact");
    s.f.material[0].bending_stiffness = 2;
    sheet_compile(&s);
    for (int n = 0; n < s.f.nodes; ++n) s.f.x[3 * n + 2] = 0.05 * s.f.rest[3 * n] * s.f.rest[3 * n];
    assert_int_equal(energy_of(&s.f, s.f.x, &energy), SN_OK);
    /* The lines through the three inner rows of nodes across have the area of 3 of 4 cells; curvature 0.1. */
    assert_true(fabs(energy - 0.5 * 2 * 0.1 * 0.1 * 0.75 * 0.4 * 0.48) < 1e-6 * energy);
    sheet_end(&s);
    sn_context_destroy(context);
}

/* The patch test: an affine map leaves the inner particles in balance, also with bending. */
static void affine_maps(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    const double F[9] = {1.1, 0.05, -0.3, 0.2, 0.95, 0.08, 0, 0, 0};
    sheet s;
    sheet_start_particles(&s, context, 5);
    for (int e = 0; e < s.f.elements; ++e) s.f.material_of[e] = 0;
    for (int m = 0; m < 2; ++m) set_material(&s.f.material[m], 1000, "exact");
    sheet_compile(&s);
    for (int n = 0; n < s.f.nodes; ++n) sn_multiply_vector3(F, s.f.rest + 3 * n, s.f.x + 3 * n);
    double *f = doubles(3 * s.f.nodes), inside = 0;
    assert_int_equal(force_of(&s.f, s.f.x, NULL, f), SN_OK);
    assert_int_equal(s.f.nodes, 36);
    for (int n = 0; n < s.f.nodes; ++n)
        if (n % 6 > 0 && n % 6 < 5 && n / 6 > 0 && n / 6 < 5) inside = fmax(inside, largest(f + 3 * n, 3));
    assert_true(largest(f, 3 * s.f.nodes) > 0.1 && inside < 1e-12 * largest(f, 3 * s.f.nodes));
    free(f);
    sheet_end(&s);
    sn_context_destroy(context);
}

/* ---- Worlds ---- */
static sn_context *shared;

/* The lowest point of a sheet of 1 m between two held edges, at rest under its weight. */
static double sag_of(const char *law) {
    char text[800];
    snprintf(text, sizeof text,
             "{\"bodies\": [{\"mesh\": {\"grid\": {\"size\": [1, 0.2], \"cells\": [80, 16]}}, \"thickness\": 0.001,"
             " \"material\": {\"law\": \"%s\", \"stretch\": 4e5, \"shear\": 1e5, \"density\": 400,"
             " \"rayleigh\": {\"mass\": 4}}, \"fix\": [{\"select\": {\"group\": \"x-\"}}, {\"select\": {\"group\": "
             "\"x+\"}}]}], \"time\": {\"step\": 0.1, \"newton\": {\"tolerance\": 1e-8}}}",
             law);
    sn_world *world = world_of_text(shared, text);
    sn_error error = {0};
    for (int i = 0; i < 60; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("step %d: %s", i, error.text);
    const int nodes = sn_world_node_count(world);
    double *x = doubles(3 * nodes), lowest = 0;
    assert_int_equal(sn_world_get(world, 0, x, NULL), SN_OK);
    for (int i = 0; i < nodes; ++i) lowest = fmin(lowest, x[3 * i + 1]);
    free(x);
    sn_world_destroy(world);
    return -lowest;
}

/* Span and sag of a heavy thread of length 1 with the stretch 1 + tension: its horizontal tension and weight are over
 * its stiffness. */
static void thread(double H, double weight, double *span, double *sag) {
    enum { N = 20000 };
    *span = *sag = 0;
    for (int i = 0; i < N; ++i) { /* the right half, from the middle */
        const double V = weight * (i + 0.5) / N / 2, T = sqrt(H * H + V * V), l = (1 + T) / (2 * N);
        *span += 2 * l * H / T, *sag += l * V / T;
    }
}

static void hanging_sheet(void **state) {
    (void)state;
    const double weight = 400 * 9.81 / 4e5;
    double low = 1e-6, high = 1, span, sag;
    for (int i = 0; i < 60; ++i) {
        const double H = 0.5 * (low + high);
        thread(H, weight, &span, &sag);
        *(span > 1 ? &high : &low) = H;
    }
    const double own = sag_of("cloth-particles"), triangles = sag_of("cloth-baraff-witkin");
    print_message("  sag %.5f m, of cloth-baraff-witkin %.5f m, of the heavy thread %.5f m\n", own, triangles, sag);
    assert_true(fabs(own / sag - 1) < 0.01 && fabs(own / triangles - 1) < 0.002);
}

/* Particles have the stress, the energy and the area of the sheet for which they stand: those of cloth-baraff-witkin.
 * The warp runs along z. The sheet is stretched, sheared and turned. */
static void fields(void **state) {
    (void)state;
    enum { TRIANGLES = 2 * 3 * 4 };
    double stress[2][6 * TRIANGLES], mises[2][TRIANGLES], energy[2][TRIANGLES], ratio[2][TRIANGLES];
    const char *const law[2] = {"cloth-particles", "cloth-baraff-witkin"};
    for (int k = 0; k < 2; ++k) {
        char text[600];
        snprintf(text, sizeof text,
                 "{\"bodies\": [{\"mesh\": {\"grid\": {\"size\": [1, 2], \"cells\": [3, 4]}}, \"thickness\": 0.001, "
                 "\"material\": {\"law\": \"%s\", \"stretch\": [1e4, 3e4], \"shear\": 2e3, \"direction\": [0, 0, 1], "
                 "\"area_density\": 0.3}}], \"time\": {\"step\": 0.01}}",
                 law[k]);
        sn_world *world = world_of_text(shared, text);
        const int nodes = sn_world_node_count(world);
        double *x = doubles(3 * nodes);
        assert_int_equal(sn_world_get(world, 0, x, NULL), SN_OK);
        for (int i = 0; i < nodes; ++i) {
            const double a = x[3 * i], b = x[3 * i + 2];
            x[3 * i] = 1.1 * a + 0.2 * b, x[3 * i + 1] = 0.4 * a - 0.3 * b, x[3 * i + 2] = 0.9 * b;
        }
        assert_int_equal(sn_world_put(world, 0, x, NULL, NULL), SN_OK);
        assert_int_equal(sn_world_element_fields(world, 0, stress[k], mises[k], energy[k], ratio[k], NULL), SN_OK);
        free(x);
        sn_world_destroy(world);
    }
    assert_true(mises[0][0] > 1000 && energy[0][0] > 100 && ratio[0][0] > 1);
    for (int t = 0; t < TRIANGLES; ++t) {
        for (int i = 0; i < 6; ++i) assert_true(fabs(stress[0][6 * t + i] - stress[1][6 * t + i]) < 1e-9 * mises[1][t]);
        assert_true(fabs(mises[0][t] / mises[1][t] - 1) < 1e-9 && fabs(energy[0][t] / energy[1][t] - 1) < 1e-9);
        assert_true(fabs(ratio[0][t] - ratio[1][t]) < 1e-12);
    }
}

/* Every particle inside has the mass of a cell, wherever the diagonals of the triangles run. */
static void mass(void **state) {
    (void)state;
    sn_world *world = world_of_text(
        shared, "{\"gravity\": [0, -10, 0], \"bodies\": [{\"mesh\": {\"grid\": {\"size\": [1, 2], \"cells\": [4, 4]}},"
                " \"thickness\": 0.001, \"material\": {\"law\": \"cloth-particles\", \"stretch\": 1e4, \"shear\": 1e3,"
                " \"area_density\": 0.3}}], \"time\": {\"step\": 0.01}}");
    int inner = 0;
    const int nodes = sn_world_node_count(world);
    double *x = doubles(3 * nodes);
    assert_int_equal(sn_world_get(world, 0, x, NULL), SN_OK);
    for (int i = 0; i < nodes; ++i) {
        const double rim = (fabs(x[3 * i]) < 0.49 ? 1 : 0.5) * (fabs(x[3 * i + 2]) < 0.99 ? 1 : 0.5);
        const double m = world->solid->mass[world->model->compiled[i]];
        inner += rim == 1;
        assert_true(fabs(m - 0.3 * 0.25 * 0.5 * rim) < 1e-15);
    }
    assert_int_equal(inner, 9);
    free(x);
    sn_world_destroy(world);
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *more, *part;
    } wrong[] = {
        {"{\"sphere\": {\"radius\": 1}}", "", "triangles"},
        {"{\"rectangle\": {\"size\": [1, 1], \"cells\": [3, 3]}}",
         ", \"prony\": {\"terms\": "
         "[{\"ratio\": 1, \"time\": 1}]}",
         "'prony' has no effect on element particles"},
        {"{\"grid\": {\"cells\": [3, 3]}}", ", \"viscous\": {\"mu\": 1}", "'viscous' has no effect"},
        {"{\"grid\": {\"cells\": [3, 3]}}", ", \"bending\": {\"stiffness\": 1, \"model\": \"quadratic\"}",
         "'bending.model' has no effect"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        char text[800], message[512];
        snprintf(text, sizeof text,
                 "{\"bodies\": [{\"mesh\": %s, \"thickness\": 0.001, \"material\": {\"law\": \"cloth-particles\", "
                 "\"stretch\": 1e4, \"shear\": 1e3%s}}]}",
                 wrong[i].mesh, wrong[i].more);
        sn_error error = {0};
        sn_world *world = NULL;
        assert_true(world_from_text(shared, "test", text, NULL, 0, &world, &error) != SN_OK);
        snprintf(message, sizeof message, "%s", error.text);
        if (!strstr(message, wrong[i].part)) fail_msg("%s", message);
    }
    /* triangles that make no even grid */
    for (int k = 0; k < 3; ++k) {
        sheet s;
        sn_error error = {0};
        sheet_start_particles(&s, shared, 3);
        for (int m = 0; m < 2; ++m) set_material(&s.f.material[m], 1000, "");
        s.f.source.materials = s.f.material;
        for (int n = 0; n < s.f.nodes; ++n) {
            double *X = s.f.rest + 3 * n;
            if (k == 0) X[0] += 0.3 * X[1];                       /* slanted */
            if (k == 1 && X[0] > 0.25) X[0] += 0.05;              /* a wider column: no even lines */
            if (k == 2 && X[0] > 0.15) X[2] += 0.1, X[0] -= 0.02; /* bent at rest */
        }
        sn_batch_source edges = {0}, lines = {0};
        sn_status status = sn_element_particles.derive(shared, &s.f.source, NULL, &edges, &error);
        if (!status) status = sn_element_second_differences.derive(shared, &s.f.source, NULL, &lines, &error);
        assert_int_equal(status, SN_BAD_INPUT);
        assert_non_null(strstr(error.text, "flat grid of equal rectangles"));
        sn_element_particles.release(shared, &edges);
        free_fixture(&s.f);
    }
}

static int setup(void **state) {
    (void)state;
    shared = make_context("auto", 1);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    sn_context_destroy(shared);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives),    cmocka_unit_test(degenerate),
                                       cmocka_unit_test(rigid_motions),  cmocka_unit_test(projected),
                                       cmocka_unit_test(uniform_states), cmocka_unit_test(affine_maps),
                                       cmocka_unit_test(hanging_sheet),  cmocka_unit_test(fields),
                                       cmocka_unit_test(mass),           cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
