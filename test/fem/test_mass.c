/* Masses: totals, positivity, the linear field's kinetic energy, and the rules' degrees. */
#include "fixture.h"

static const char *const element_names[] = {"tet4", "tet10", "tet10-high", "tri3"};

static void the_total_mass_is_density_times_volume(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    for (int e = 0; e < 4; ++e) {
        fixture s = mesh_fixture(context, sn_element_find(element_names[e]), 3, 3, 3, 0);
        s.material[0].density = s.material[1].density = 1100;
        s.source.materials = s.material;
        double *mass = doubles(s.nodes), total = 0;
        assert_int_equal(sn_mass_lumped(&s.source, mass, NULL), SN_OK);
        for (int n = 0; n < s.nodes; ++n) {
            assert_true(mass[n] > 0);
            total += mass[n];
        }
        const double volume = e == 3 ? 0.3 * 0.36 : 0.3 * 0.36 * 0.27;
        assert_true(fabs(total - 1100 * volume) < 1e-12 * total);
        free(mass);
        free_fixture(&s);
    }
    sn_context_destroy(context);
}

/* Integral over a simplex of the product of powers of L, over its volume: d! prod(p_i!) / (d + sum p_i)!. */
static double monomial(int dimension, const int *power) {
    double value = 1, n = 0;
    for (int i = 1; i <= dimension; ++i) value *= i;
    for (int i = 0; i <= dimension; ++i)
        for (int k = 1; k <= power[i]; ++k) value *= k, ++n;
    for (int i = 1; i <= dimension + (int)n; ++i) value /= i;
    return value;
}

static void check_rule(int dimension, int degree, int points, const double (*point)[4], const double *weight) {
    for (int a = 0; a <= degree; ++a)
        for (int b = 0; a + b <= degree; ++b)
            for (int c = 0; a + b + c <= degree; ++c)
                for (int d = 0; a + b + c + d <= degree && (d == 0 || dimension == 3); ++d) {
                    const int power[4] = {a, b, c, d};
                    double sum = 0;
                    for (int q = 0; q < points; ++q)
                        sum += weight[q] * pow(point[q][0], a) * pow(point[q][1], b) * pow(point[q][2], c) *
                               pow(point[q][3], d);
                    assert_true(fabs(sum - monomial(dimension, power)) < 1e-14);
                }
}

static void rules_have_their_degree(void **state) {
    (void)state;
    check_rule(3, 1, sn_element_tet4.points, sn_element_tet4.point, sn_element_tet4.weight);
    check_rule(3, 2, sn_element_tet4.mass_points, sn_element_tet4.mass_point, sn_element_tet4.mass_weight);
    check_rule(3, 2, sn_element_tet10.points, sn_element_tet10.point, sn_element_tet10.weight);
    check_rule(3, 5, sn_element_tet10.mass_points, sn_element_tet10.mass_point, sn_element_tet10.mass_weight);
    check_rule(3, 5, sn_element_tet10_high.points, sn_element_tet10_high.point, sn_element_tet10_high.weight);
    check_rule(2, 1, sn_element_tri3.points, sn_element_tri3.point, sn_element_tri3.weight);
    check_rule(2, 2, sn_element_tri3.mass_points, sn_element_tri3.mass_point, sn_element_tri3.mass_weight);
}

/* Shape functions: one at their own node, zero at the others, sum one, derivatives by differences. */
static void shapes_interpolate(void **state) {
    (void)state;
    static const double mid[10][4] = {{1, 0, 0, 0},   {0, 1, 0, 0},   {0, 0, 1, 0},   {0, 0, 0, 1},   {.5, .5, 0, 0},
                                      {0, .5, .5, 0}, {.5, 0, .5, 0}, {.5, 0, 0, .5}, {0, .5, 0, .5}, {0, 0, .5, .5}};
    for (int e = 0; e < 4; ++e) {
        const sn_element *element = sn_element_find(element_names[e]);
        double value[10], more[10], less[10], derivative[40], ignored[40], sum = 0;
        for (int n = 0; n < element->nodes; ++n) {
            element->shape(mid[n], value, derivative);
            for (int i = 0; i < element->nodes; ++i) assert_true(fabs(value[i] - (i == n)) < 1e-15);
        }
        const double L[4] = {0.1, 0.2, 0.7 - (element->dimension == 3 ? 0.3 : 0), element->dimension == 3 ? 0.3 : 0},
                     h = 1e-6;
        element->shape(L, value, derivative);
        for (int i = 0; i < element->nodes; ++i) sum += value[i];
        assert_true(fabs(sum - 1) < 1e-14);
        for (int k = 0; k < 4; ++k) {
            double A[4], B[4];
            memcpy(A, L, sizeof A), memcpy(B, L, sizeof B);
            A[k] += h, B[k] -= h;
            element->shape(A, more, ignored);
            element->shape(B, less, ignored);
            for (int i = 0; i < element->nodes; ++i)
                assert_true(fabs((more[i] - less[i]) / (2 * h) - derivative[4 * i + k]) < 1e-8);
        }
    }
}

/* Consistent mass: the kinetic energy of a linear velocity field is exact: sum M_ij v_i v_j = rho integral of v^2. */
static void the_consistent_mass_is_exact(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    for (int e = 0; e < 4; ++e) {
        fixture s = mesh_fixture(context, sn_element_find(element_names[e]), 2, 2, 2, 0);
        const int N = s.source.element->nodes;
        s.source.materials = s.material;
        double twice = 0, M[100], total = 0;
        for (int t = 0; t < s.elements; ++t) {
            sn_mass_element(&s.source, t, M);
            for (int i = 0; i < N; ++i)
                for (int j = 0; j < N; ++j) {
                    twice += M[N * i + j] * s.rest[3 * s.node[N * t + i]] * s.rest[3 * s.node[N * t + j]];
                    total += M[N * i + j];
                    assert_true(fabs(M[N * i + j] - M[N * j + i]) < 1e-18);
                }
        }
        const double other = e == 3 ? 0.24 : 0.24 * 0.18, length = 0.2;
        assert_true(fabs(total - 1000 * length * other) < 1e-12 * total);
        assert_true(fabs(twice - 1000 * other * length * length * length / 3) < 1e-12 * twice);
        free_fixture(&s);
    }
    /* Of a straight quadratic tet: 1/70 at corners, 8/105 = 16/210 at mid-edges, of its volume (times 6 / 6). */
    fixture s = mesh_fixture(context, &sn_element_tet10, 1, 1, 1, 0);
    s.source.materials = s.material;
    double M[100], volume = 0;
    sn_mass_element(&s.source, 0, M);
    for (int i = 0; i < 100; ++i) volume += M[i];
    assert_true(fabs(M[0] - volume / 70) < 1e-13 * volume);
    assert_true(fabs(M[44] - volume * 8 / 105) < 1e-13 * volume);
    double *mass = doubles(s.nodes);
    s.source.element_count = 1;
    assert_int_equal(sn_mass_lumped(&s.source, mass, NULL), SN_OK);
    assert_true(fabs(mass[s.node[0]] - volume / 36) < 1e-13 * volume); /* HRZ: 1/36 and 4/27 */
    assert_true(fabs(mass[s.node[4]] - volume * 4 / 27) < 1e-13 * volume);
    free(mass);
    free_fixture(&s);
    sn_context_destroy(context);
}

static void a_mass_that_is_not_positive_is_refused(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    fixture s = mesh_fixture(context, &sn_element_tet4, 1, 1, 1, 0);
    s.source.materials = s.material;
    s.material[1].density = 0;
    double *mass = doubles(s.nodes);
    sn_error error;
    assert_int_equal(sn_mass_lumped(&s.source, mass, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "element 1"));
    free(mass);
    free_fixture(&s);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_total_mass_is_density_times_volume),
        cmocka_unit_test(rules_have_their_degree),
        cmocka_unit_test(shapes_interpolate),
        cmocka_unit_test(the_consistent_mass_is_exact),
        cmocka_unit_test(a_mass_that_is_not_positive_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
