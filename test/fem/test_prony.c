/* Prony series in the element kernels: coefficients, the split of a law's stress into shear and bulk, and force and
 * differential with a recalled stress against central differences. */
#include "fixture.h"

#include "fem/prony.h"

static sn_context *context;

static void coefficients(void **state) {
    (void)state;
    static const double z[] = {0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1, 10, 800};
    for (size_t i = 0; i < sizeof z / sizeof *z; ++i) {
        const double time = 0.3, t = z[i] * time, d = 1e-5 * (time + t);
        const sn_prony_term now = sn_prony_at(time, t, false), rate = sn_prony_at(time, t, true);
        assert_true(fabs(now.decay - exp(-z[i])) < 1e-15);
        assert_true(fabs(now.gain - (z[i] > 1e-5 ? (1 - exp(-z[i])) / z[i] : 1 - z[i] / 2)) < 1e-10);
        const sn_prony_term less = sn_prony_at(time, fmax(t - d, 0), false), more = sn_prony_at(time, t + d, false);
        const double width = t + d - fmax(t - d, 0), tolerance = 1e-4 / time;
        assert_true(fabs(rate.decay - (more.decay - less.decay) / width) < tolerance);
        assert_true(fabs(rate.gain - (more.gain - less.gain) / width) < tolerance);
    }
    const sn_prony_term end = sn_prony_at(0.3, INFINITY, false);
    assert_true(end.decay == 0 && end.gain == 0);
}

/* A body of one law with a memory, and a recalled stress of noise. */
static int start_with(fixture *s, const sn_element *element, const char *law, sn_differential differential,
                      bool by_coefficient, double **recalled) {
    *s = mesh_fixture(context, element, 2, 2, 1, 0.004);
    for (int m = 0; m < 2; ++m) {
        if (!set_law(context, &s->material[m], law, differential, 1e4 * (m + 1))) return 0;
        s->material[m].prony_count = 1 + m;
        for (int i = 0; i <= m; ++i) s->material[m].prony[i][0] = 0.5, s->material[m].prony[i][1] = 0.1;
        if (!by_coefficient) continue;
        strcpy(s->material[m].prony_on, "coefficients");
        for (int i = 0; i <= m; ++i) {
            s->material[m].prony[i][0] = 0;
            for (int n = 0; n < sn_law_find(NULL, law)->coefficient_count; ++n)
                s->material[m].prony_ratios[i][n] = 0.3 * (n + 1) + 0.2 * i;
        }
    }
    compile_fixture(s);
    *recalled = doubles((int)s->model.recalled_size);
    for (int64_t i = 0; i < s->model.recalled_size; ++i) (*recalled)[i] = 2e3 * noise((int)i);
    return 1;
}

static int start(fixture *s, const sn_element *element, const char *law, sn_differential differential,
                 double **recalled) {
    return start_with(s, element, law, differential, false, recalled);
}

static sn_element_view remembering(const fixture *s, const double *x, const double *recalled) {
    sn_element_view view = view_of(s, x, NULL);
    view.recalled = recalled;
    return view;
}

static void force_at(const fixture *s, const double *x, const double *recalled, double *f) {
    const sn_element_view view = remembering(s, x, recalled);
    memset(f, 0, (size_t)s->nodes * 3 * sizeof *f);
    assert_int_equal(sn_elements_force(context, &s->model, &view, f, NULL), SN_OK);
}

/* (K u)_i against (f(x - d u) - f(x + d u)) / 2 d. */
static void check_product(fixture *s, const char *law, const double *recalled) {
    const int n = 3 * s->nodes, plane = s->source.element->dimension == 2;
    double *u = doubles(n), *x = doubles(n), *less = doubles(n), *more = doubles(n), *out = doubles(n);
    for (int i = 0; i < n; ++i) u[i] = plane && i % 3 == 2 ? 0 : noise(31 * i + 5);
    const double d = 1e-7;
    for (int i = 0; i < n; ++i) x[i] = s->x[i] - d * u[i];
    force_at(s, x, recalled, less);
    for (int i = 0; i < n; ++i) x[i] = s->x[i] + d * u[i];
    force_at(s, x, recalled, more);
    for (int i = 0; i < n; ++i) less[i] = (less[i] - more[i]) / (2 * d);
    const sn_element_view view = remembering(s, s->x, recalled);
    sn_elements_product(context, &s->model, &view, 1, 0, NULL, u, out);
    if (!(distance(out, less, n) < 1e-6 * largest(less, n)))
        fail_msg("%s: differential off by %g of %g", law, distance(out, less, n), largest(less, n));
    free(u), free(x), free(less), free(more), free(out);
}

static void differentials(void **state) {
    (void)state;
    const sn_element *element[] = {&sn_element_tet4, &sn_element_tet10, &sn_element_tri3, &sn_element_cloth};
    int laws, tried = 0, due = 0;
    const sn_listing *law = sn_laws(&laws);
    for (int l = 0; l < laws; ++l)
        for (int e = 0; e < 4; ++e) {
            if (!goes_with(element[e], law[l].name)) continue;
            ++due;
            fixture s;
            double *recalled = NULL;
            if (start(&s, element[e], law[l].name, SN_DIFFERENTIAL_EXACT, &recalled)) {
                s.unsymmetric = true;
                static const int place[] = {STATE_REST, STATE_STRETCHED, STATE_SHEARED, STATE_SQUASHED};
                for (size_t k = 0; k < sizeof place / sizeof *place; ++k) {
                    set_state(&s, place[k]);
                    check_product(&s, law[l].name, recalled);
                }
                ++tried;
            }
            free(recalled), free_fixture(&s);
        }
    assert_int_equal(tried, due);
}

/* The same for series on the coefficients of a law. */
static void coefficient_differentials(void **state) {
    (void)state;
    static const char *const laws[] = {"mooney-rivlin", "reduced-polynomial", "ogden"};
    const sn_element *element[] = {&sn_element_tet4, &sn_element_tet10};
    for (int l = 0; l < 3; ++l)
        for (int e = 0; e < 2; ++e) {
            fixture s;
            double *recalled = NULL;
            assert_int_equal(start_with(&s, element[e], laws[l], SN_DIFFERENTIAL_EXACT, true, &recalled), 1);
            set_state(&s, STATE_SHEARED);
            check_product(&s, laws[l], recalled);
            free(recalled), free_fixture(&s);
        }
}

/* Laws on Green's strain and the linear law: the force is the gradient of the energy, with the recalled stress too. */
static void energies(void **state) {
    (void)state;
    static const char *const laws[] = {"linear",
                                       "stvk",
                                       "neo-hookean",
                                       "stable-neo-hookean",
                                       "orthotropic-green",
                                       "cloth-stvk",
                                       "cloth-orthotropic",
                                       "cloth-baraff-witkin"};
    for (size_t l = 0; l < sizeof laws / sizeof *laws; ++l) {
        fixture s;
        double *recalled;
        const sn_element *element = goes_with(&sn_element_tet4, laws[l]) ? &sn_element_tet4 : &sn_element_cloth;
        assert_int_equal(start(&s, element, laws[l], SN_DIFFERENTIAL_EXACT, &recalled), 1);
        set_state(&s, STATE_SHEARED);
        double *f = doubles(3 * s.nodes);
        force_at(&s, s.x, recalled, f);
        for (int i = 0; i < 3 * s.nodes; i += 7) {
            const double x = s.x[i], d = 1e-6;
            double energy[2];
            for (int k = 0; k < 2; ++k) {
                s.x[i] = k ? x + d : x - d;
                const sn_element_view view = remembering(&s, s.x, recalled);
                assert_int_equal(sn_elements_energy(context, &s.model, &view, s.partial, &energy[k], NULL), SN_OK);
            }
            s.x[i] = x;
            assert_true(fabs((energy[0] - energy[1]) / (2 * d) - f[i]) < 1e-6 * largest(f, 3 * s.nodes));
        }
        free(f), free(recalled), free_fixture(&s);
    }
}

/* The stress is linear in both moduli, and at small strains shear = 1, bulk = 0 leaves a stress without pressure. */
static void scales(void **state) {
    (void)state;
    int laws;
    const sn_listing *list = sn_laws(&laws);
    static const double F[2][9] = {{1.2, 0.1, -0.05, 0.2, 0.9, 0.15, 0, 0.1, 1.1},
                                   {1 + 2e-7, 1e-7, 0, 3e-7, 1 + 1e-7, -1e-7, 2e-7, 0, 1 - 5e-7}};
    static const double factor[3][2] = {{1, 0}, {0, 1}, {2.5, 0.4}};
    for (int l = 0; l < laws; ++l)
        for (int at = 0; at < 2; ++at) {
            sn_material m = sn_material_default();
            double constant[SN_LAW_CONSTANTS], scaled[SN_LAW_CONSTANTS], P[3][9];
            const sn_law *law = sn_law_find(NULL, list[l].name);
            set_law(context, &m, list[l].name, law->default_differential, 1e5);
            assert_int_equal(law->prepare(law, &m, 0, constant, NULL), SN_OK);
            for (int k = 0; k < 3; ++k) {
                memcpy(scaled, constant, sizeof scaled);
                law->scale(law, factor[k][0], factor[k][1], scaled);
                vd c[SN_LAW_CONSTANTS], f[9], R[9], p[9];
                for (int i = 0; i < law->constant_count; ++i) c[i] = vd_set(scaled[i]);
                for (int i = 0; i < 9; ++i) f[i] = vd_set(F[at][i]), R[i] = vd_set(i % 4 == 0);
                law->stress(law, c, f, law->flags & SN_LAW_ROTATION ? R : NULL, p);
                for (int i = 0; i < 9; ++i) P[k][i] = p[i][0];
            }
            const double size = largest(P[2], 9);
            for (int i = 0; i < 9; ++i) assert_true(fabs(2.5 * P[0][i] + 0.4 * P[1][i] - P[2][i]) < 1e-9 * size);
            if (at == 1 && !law->rest_stiffness) /* the pressure in the plane of cloth, where P_zz is zero */
                assert_true(fabs(P[0][0] + P[0][4] + P[0][8]) < 1e-5 * size);
        }
}

int main(void) {
    context = make_context("auto", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(coefficients), cmocka_unit_test(differentials),
                                       cmocka_unit_test(coefficient_differentials), cmocka_unit_test(energies),
                                       cmocka_unit_test(scales)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sn_context_destroy(context);
    return failed;
}
