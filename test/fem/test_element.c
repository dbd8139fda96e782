/* The element kernels with every law: derivatives against central differences, invariances, and the same bits for every
 * width. */
#include "fixture.h"

static const char *const element_names[] = {"tet4",        "tet10",         "tet10-high", "tri3",
                                            "tet4-smooth", "tet10-reduced", "cloth"};
enum { ELEMENTS = 7, YOUNG = 1000 };

typedef void check(fixture *s, const sn_law *law, int state, const char *what);

/* Whether a law can be evaluated in a state. */
static int allowed(const sn_law *law, int state) {
    return state != STATE_INVERTED || !(law->flags & SN_LAW_POSITIVE_J);
}

/* Runs `run` for every element, law and state, with the given differential and damping. */
static void for_all(check *run, sn_differential differential, double viscous, double rayleigh) {
    sn_context *context = make_context("auto", 1);
    int laws;
    const sn_listing *law = sn_laws(&laws);
    for (int e = 0; e < ELEMENTS; ++e)
        for (int l = 0; l < laws; ++l) {
            const sn_element *element = sn_element_find(element_names[e]);
            if (!goes_with(element, law[l].name)) continue;
            fixture s = mesh_fixture(context, element, element->dimension == 2 ? 3 : 1, 1, 2, 0.004);
            int offered = 1;
            for (int m = 0; m < 2; ++m) {
                offered = set_law(context, &s.material[m], law[l].name, differential, YOUNG * (1 + m));
                s.material[m].viscous[0] = viscous, s.material[m].viscous[1] = 0.7 * viscous,
                s.material[m].rayleigh[1] = rayleigh;
            }
            if (offered) {
                compile_fixture(&s);
                for (int state = 0; state < STATE_COUNT; ++state) {
                    char what[128];
                    snprintf(what, sizeof what, "%s %s %s", element_names[e], law[l].name, state_name[state]);
                    const sn_law *table = sn_law_find(context, law[l].name);
                    set_state(&s, state);
                    if (allowed(table, state)) run(&s, table, state, what);
                }
            }
            free_fixture(&s);
        }
    sn_context_destroy(context);
}

/* ---- Derivatives ---- */
/* The largest force, but at least a thousandth of the modulus on a face of an element (a plane one has thickness 1). */
static double force_scale(const fixture *s, double f) {
    return fmax(f, 1e-3 * YOUNG * (s->source.element->dimension == 2 ? 0.1 : 0.01));
}

static void check_force(fixture *s, const sn_law *law, int state, const char *what) {
    if (law->flags & SN_LAW_NO_POTENTIAL) return;
    (void)state;
    const double h = 1e-6;
    double *f = doubles(3 * s->nodes), *numeric = doubles(3 * s->nodes);
    assert_int_equal(force_of(s, s->x, NULL, f), SN_OK);
    for (int i = 0; i < 3 * s->nodes; ++i) {
        const double x = s->x[i];
        double more, less;
        s->x[i] = x + h;
        assert_int_equal(energy_of(s, s->x, &more), SN_OK);
        s->x[i] = x - h;
        assert_int_equal(energy_of(s, s->x, &less), SN_OK);
        s->x[i] = x;
        numeric[i] = -(more - less) / (2 * h);
    }
    const double off = distance(f, numeric, 3 * s->nodes) / force_scale(s, largest(f, 3 * s->nodes));
    if (!(off < 1e-6)) fail_msg("%s: force differs from -dE/dx by %g", what, off);
    free(f), free(numeric);
}

/* -(f(+h) - f(-h)) / 2h along u, in positions or in velocities. */
static void numeric_product(fixture *s, const double *u, const double *v, int along_v, double *out) {
    const int n = 3 * s->nodes;
    const double h = along_v ? 1e-3 : 1e-6;
    double *at = doubles(n), *less = doubles(n);
    for (int side = 1; side >= -1; side -= 2) {
        const double *base = along_v ? v : s->x;
        for (int i = 0; i < n; ++i) at[i] = base[i] + side * h * u[i];
        assert_int_equal(force_of(s, along_v ? s->x : at, along_v ? at : v, side > 0 ? out : less), SN_OK);
    }
    for (int i = 0; i < n; ++i) out[i] = -(out[i] - less[i]) / (2 * h);
    free(at), free(less);
}

static void compare_product(fixture *s, const double *v, double k, double d, const char *what) {
    const int n = 3 * s->nodes;
    double *u = doubles(n), *exact = doubles(n), *numeric = doubles(n);
    if (s->model.batch[0].law->flags & SN_LAW_NO_POTENTIAL) s->unsymmetric = true;
    const sn_element_view view = view_of(s, s->x, v);
    for (int trial = 0; trial < 3; ++trial) {
        for (int i = 0; i < n; ++i)
            u[i] = sn_element_is_plane(s->source.element) && i % 3 == 2 ? 0 : noise(31 * trial + 17 * i + 5);
        memset(exact, 0, (size_t)n * sizeof *exact);
        sn_elements_product(s->context, &s->model, &view, k, d, NULL, u, exact);
        numeric_product(s, u, v, d != 0, numeric);
        const double off = distance(exact, numeric, n) / largest(exact, n);
        if (!(off < 1e-6)) fail_msg("%s: product differs from %s by %g", what, d != 0 ? "df/dv" : "df/dx", off);
    }
    free(u), free(exact), free(numeric);
}

static void check_differential(fixture *s, const sn_law *law, int state, const char *what) {
    (void)law, (void)state;
    s->unsymmetric = true;
    compare_product(s, NULL, 1, 0, what);
    s->unsymmetric = false; /* a polar rotation gives a symmetric K anyway */
    compare_product(s, NULL, 1, 0, what);
}

static void check_damping(fixture *s, const sn_law *law, int state, const char *what) {
    (void)law, (void)state;
    compare_product(s, s->v, 0, 1, what);
    if (s->settings.batch[0].damped & SN_DAMPED_RAYLEIGH || s->model.batch[0].differential != SN_DIFFERENTIAL_EXACT)
        return;
    s->unsymmetric = true;
    compare_product(s, s->v, 1, 0, what);
    s->unsymmetric = false;
}

static void force_is_minus_the_gradient_of_energy(void **state) {
    (void)state;
    for_all(check_force, SN_DIFFERENTIAL_EXACT, 0, 0);
}
static void product_is_the_differential_of_force(void **state) {
    (void)state;
    for_all(check_differential, SN_DIFFERENTIAL_EXACT, 0, 0);
}
static void viscous_force_and_its_differentials_agree(void **state) {
    (void)state;
    for_all(check_damping, SN_DIFFERENTIAL_EXACT, 20, 0);
}
static void rayleigh_force_and_its_differential_agree(void **state) {
    (void)state;
    for (int d = 0; d < SN_DIFFERENTIAL_COUNT; ++d) for_all(check_damping, (sn_differential)d, 20, 0.01);
}

/* The Rayleigh force of every law is b K v at rest, takes energy in every state, and does not depend on the
 * differential that the matrix uses. */
static void check_rayleigh(fixture *s, const sn_law *law, int state, const char *what) {
    const int n = 3 * s->nodes;
    double *f = doubles(n), *still = doubles(n), *other = doubles(n), power = 0, size = 0;
    force_of(s, s->x, s->v, f);
    force_of(s, s->x, NULL, still);
    for (int i = 0; i < n; ++i) f[i] -= still[i], power += f[i] * s->v[i], size = fmax(size, fabs(f[i]));
    if (!(power < 0)) fail_msg("%s: Rayleigh damping has a power of %g", what, power);
    for (int d = 0; d < SN_DIFFERENTIAL_COUNT; ++d) {
        if (!(law->differentials >> d & 1u) || s->model.batch[0].compact) continue;
        const sn_differential own = s->model.batch[0].differential;
        s->model.batch[0].differential = (sn_differential)d;
        force_of(s, s->x, s->v, other);
        s->model.batch[0].differential = own;
        for (int i = 0; i < n; ++i) other[i] -= still[i];
        if (distance(f, other, n) != 0) fail_msg("%s: the Rayleigh force follows the differential", what);
    }
    if (state == STATE_REST) {
        product_of(s, 1, 0, s->v, other);
        for (int i = 0; i < n; ++i) other[i] *= -0.01;
        const double off = distance(f, other, n) / size;
        if (!(off < 1e-9)) fail_msg("%s: the Rayleigh force at rest is off b K v by %g", what, off);
    }
    free(f), free(still), free(other);
}

static void rayleigh_force_is_of_the_law_alone(void **state) {
    (void)state;
    for_all(check_rayleigh, SN_DIFFERENTIAL_EXACT, 0, 0.01);
}

/* ---- Element matrices and cached products against the product ---- */
static void matrix_product(const fixture *s, double k, double d, int upper, const double *u, double *out) {
    const sn_element_view view = view_of(s, s->x, s->v);
    const int N = s->source.element->nodes;
    double *K = doubles(N * N * 9 * SN_LANES);
    memset(out, 0, (size_t)s->nodes * 3 * sizeof *out);
    for (int b = 0; b < s->model.batch_count; ++b) {
        const sn_batch *batch = &s->model.batch[b];
        for (int block = 0; block < batch->block_count; ++block) {
            batch->kernels->stiffness(batch, block, &view, k, d, upper, NULL, K);
            for (int l = 0; l < SN_LANES; ++l) {
                if (batch->element_of[block * SN_LANES + l] < 0) continue;
                for (int i = 0; i < N; ++i)
                    for (int j = 0; j < N; ++j)
                        for (int e = 0; e < 9; ++e) {
                            const int swap = upper && i > j;
                            const double a = swap ? K[(9 * (N * j + i) + 3 * (e % 3) + e / 3) * SN_LANES + l]
                                                  : K[(9 * (N * i + j) + e) * SN_LANES + l];
                            const int row = batch->node[(block * N + i) * SN_LANES + l],
                                      column = batch->node[(block * N + j) * SN_LANES + l];
                            out[3 * row + e % 3] += a * u[3 * column + e / 3];
                        }
            }
        }
    }
    free(K);
}

static void check_matrix(fixture *s, const sn_law *law, int state, const char *what) {
    (void)law, (void)state;
    const int n = 3 * s->nodes;
    const double k = 0.7, d = 0.3;
    double *u = doubles(n), *y = doubles(n), *z = doubles(n);
    for (int i = 0; i < n; ++i) u[i] = noise(i + 1000);
    for (int symmetric = 1; symmetric >= 0; --symmetric) {
        s->unsymmetric = !symmetric;
        const sn_element_view view = view_of(s, s->x, s->v);
        product_of(s, k, d, u, y);
        for (int upper = 0; upper <= symmetric && !s->model.patches; ++upper) { /* test_assembly.c has patches */
            matrix_product(s, k, d, upper, u, z);
            const double off = distance(y, z, n) / largest(y, n);
            if (!(off < 1e-11))
                fail_msg("%s: element matrices (symmetric %d, upper %d) differ from the product by %g", what, symmetric,
                         upper, off);
        }
        memset(z, 0, (size_t)n * sizeof *z);
        sn_elements_linearise(s->context, &s->model, &view, k, d, s->linearised);
        sn_elements_product(s->context, &s->model, NULL, 0, 0, s->linearised, u, z);
        if (memcmp(y, z, (size_t)n * sizeof *y) != 0) fail_msg("%s: the kept linearisation gives other bits", what);
    }
    s->unsymmetric = false;
    free(u), free(y), free(z);
}

static void element_matrices_equal_the_product(void **state) {
    (void)state;
    for (int d = 0; d < SN_DIFFERENTIAL_COUNT; ++d) for_all(check_matrix, (sn_differential)d, 20, 0.01);
}

/* The closed form of a warped batch against the law's own 81 numbers. */
static void check_warped(fixture *s, const sn_law *law, int state, const char *what) {
    (void)state;
    sn_batch *batch = &s->model.batch[0];
    if (!batch->compact) return;
    assert_true(law->flags & (SN_LAW_WARPED | SN_LAW_UPDATED));
    const int n = 3 * s->nodes, items = batch->linearised_items, compact = batch->compact, warped = batch->warped;
    double *u = doubles(n), *y = doubles(n), *z = doubles(n);
    for (int i = 0; i < n; ++i) u[i] = noise(i + 77);
    product_of(s, 0.7, 0.3, u, y);
    batch->warped = batch->compact = 0, batch->linearised_items = 81;
    product_of(s, 0.7, 0.3, u, z);
    batch->warped = warped, batch->compact = compact, batch->linearised_items = items;
    const double off = distance(y, z, n) / largest(y, n);
    if (!(off < 1e-12)) fail_msg("%s: closed form differs by %g", what, off);
    free(u), free(y), free(z);
}

static void the_closed_form_equals_the_law(void **state) {
    (void)state;
    for_all(check_warped, SN_DIFFERENTIAL_TRUNCATED_1, 20, 0.01);
    for_all(check_warped, SN_DIFFERENTIAL_TRUNCATED_2, 20, 0.01);
    for_all(check_warped, SN_DIFFERENTIAL_TRUNCATED_2, 0, 0.01);
    for_all(check_warped, SN_DIFFERENTIAL_HYBRID, 20, 0.01);
    for_all(check_warped, SN_DIFFERENTIAL_EXACT, 20, 0.01);
    sn_context *context = make_context("auto", 1);
    fixture s = mesh_fixture(context, &sn_element_tet4, 1, 1, 1, 0); /* the default material takes the fast path */
    compile_fixture(&s);
    assert_int_equal(s.model.batch[0].warped, 1);
    free_fixture(&s);
    sn_context_destroy(context);
}

/* ---- Invariances ---- */
/* Corotated damping acts on sym(R^T F') and gives a moment; elastic forces and Green's damping do not. */
static void check_momentum(fixture *s, const sn_law *law, int state, const char *what) {
    (void)state;
    const int n = s->nodes;
    for (int damped = 0; damped <= (law->strain == SN_STRAIN_GREEN); ++damped) {
        double *f = doubles(3 * n), sum[3] = {0}, moment[3] = {0};
        assert_int_equal(force_of(s, s->x, damped ? s->v : NULL, f), SN_OK);
        for (int i = 0; i < n; ++i) {
            double m[3];
            sn_cross3(&s->x[3 * i], &f[3 * i], m);
            for (int a = 0; a < 3; ++a) sum[a] += f[3 * i + a], moment[a] += m[a];
        }
        const double scale = force_scale(s, largest(f, 3 * n));
        if (!(largest(sum, 3) < 1e-12 * scale))
            fail_msg("%s: forces do not balance: %g of %g", what, largest(sum, 3), scale);
        if (law->strain != SN_STRAIN_CAUCHY && !(largest(moment, 3) < 1e-11 * scale))
            fail_msg("%s: moments do not balance: %g of %g", what, largest(moment, 3), scale);
        free(f);
    }
}

static void momentum_is_kept(void **state) {
    (void)state;
    for_all(check_momentum, SN_DIFFERENTIAL_EXACT, 20, 0);
}

static void check_rigid(fixture *s, const sn_law *law, int state, const char *what) {
    if (state != STATE_REST || law->strain == SN_STRAIN_CAUCHY) return;
    const int plane = s->source.element->dimension == 2, n = 3 * s->nodes;
    const double axis[3] = {plane ? 0 : 1, plane ? 0 : -2, 0.7}, move[3] = {3, -1, plane ? 0 : 2};
    double R[9], E, *f = doubles(n);
    for (int degrees = 0; degrees < 360; degrees += 45) {
        sn_axis_rotation3(axis, degrees, R);
        for (int i = 0; i < s->nodes; ++i) {
            sn_multiply_vector3(R, &s->rest[3 * i], &s->x[3 * i]);
            for (int a = 0; a < 3; ++a) s->x[3 * i + a] += move[a];
        }
        assert_int_equal(force_of(s, s->x, NULL, f), SN_OK);
        assert_int_equal(energy_of(s, s->x, &E), SN_OK);
        /* Forces of a modulus on the faces would be YOUNG * 0.01: a relative 1e-11. */
        if (!(largest(f, n) < 1e-10 * YOUNG * 0.01))
            fail_msg("%s: turned by %d degrees it has force %g", what, degrees, largest(f, n));
        if (!(fabs(E) < 1e-13 * YOUNG)) fail_msg("%s: turned by %d degrees it has energy %g", what, degrees, E);
    }
    free(f);
}

static void rigid_motions_give_no_force(void **state) {
    (void)state;
    for_all(check_rigid, SN_DIFFERENTIAL_EXACT, 0, 0);
}

/* ---- Patch test: an affine map leaves interior nodes without force ---- */
static void an_affine_map_leaves_the_interior_in_balance(void **state) {
    (void)state;
    const double F[9] = {1.1, 0.05, -0.02, 0.03, 0.95, 0.08, -0.04, 0.01, 1.05};
    sn_context *context = make_context("auto", 1);
    int laws;
    const sn_listing *law = sn_laws(&laws);
    for (int e = 0; e < ELEMENTS; ++e)
        for (int l = 0; l < laws; ++l) { /* of solids; that of cloth is in test/cloth */
            const sn_element *element = sn_element_find(element_names[e]);
            if (element->dimension != 3 || !goes_with(element, law[l].name)) continue;
            fixture s = mesh_fixture(context, sn_element_find(element_names[e]), 3, 3, 3, 0.01);
            for (int m = 0; m < 2; ++m) {
                const sn_law *table = sn_law_find(context, law[l].name);
                set_law(context, &s.material[m], law[l].name, table->default_differential, YOUNG);
            }
            compile_fixture(&s);
            double *f = doubles(3 * s.nodes), inside = 0;
            int counted = 0;
            for (int n = 0; n < s.nodes; ++n) sn_multiply_vector3(F, &s.rest[3 * n], &s.x[3 * n]);
            assert_int_equal(force_of(&s, s.x, NULL, f), SN_OK);
            for (int n = 0; n < s.nodes; ++n) {
                const double *X = &s.rest[3 * n], margin = 0.015;
                if (X[0] < margin || X[0] > 0.3 - margin || X[1] < margin || X[1] > 0.36 - margin || X[2] < margin ||
                    X[2] > 0.27 - margin)
                    continue;
                ++counted;
                inside = fmax(inside, largest(&f[3 * n], 3));
            }
            assert_true(counted >= 8);
            if (!(inside < 1e-12 * largest(f, 3 * s.nodes)))
                fail_msg("%s %s: interior force %g of %g", element_names[e], law[l].name, inside,
                         largest(f, 3 * s.nodes));
            free(f);
            free_fixture(&s);
        }
    sn_context_destroy(context);
}

/* ---- Stress ---- */
static void stresses_agree_with_the_material(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    const double A[9] = {1.1, 0.2, -0.02, 0.03, 0.9, 0.08, -0.04, 0.01, 1.05};
    fixture s = mesh_fixture(context, &sn_element_tet10, 1, 1, 1, 0.004);
    compile_fixture(&s);
    for (int n = 0; n < s.nodes; ++n) sn_multiply_vector3(A, &s.rest[3 * n], &s.x[3 * n]);
    double *F = doubles(4 * 9 * SN_LANES), *P = doubles(4 * 9 * SN_LANES), *cauchy = doubles(4 * 9 * SN_LANES),
           expected[9];
    const sn_element_view view = view_of(&s, s.x, NULL);
    sn_element_kernels_for(context)->stress(&s.model.batch[0], 0, &view, F, P, cauchy, NULL);
    assert_int_equal(sn_material_evaluate(context, &s.material[0], A, NULL, expected, NULL, NULL), SN_OK);
    const double J = sn_determinant3(A), scale = largest(expected, 9);
    for (int q = 0; q < 4; ++q)
        for (int i = 0; i < 9; ++i) {
            double sigma = 0;
            for (int b = 0; b < 3; ++b) sigma += expected[3 * (i / 3) + b] * A[3 * (i % 3) + b] / J;
            assert_true(fabs(F[(9 * q + i) * SN_LANES] - A[i]) < 1e-12);
            assert_true(fabs(P[(9 * q + i) * SN_LANES] - expected[i]) < 1e-11 * scale);
            assert_true(fabs(cauchy[(9 * q + i) * SN_LANES] - sigma) < 1e-11 * scale);
        }
    free(F), free(P), free(cauchy);
    free_fixture(&s);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_is_minus_the_gradient_of_energy),
        cmocka_unit_test(product_is_the_differential_of_force),
        cmocka_unit_test(viscous_force_and_its_differentials_agree),
        cmocka_unit_test(rayleigh_force_and_its_differential_agree),
        cmocka_unit_test(rayleigh_force_is_of_the_law_alone),
        cmocka_unit_test(element_matrices_equal_the_product),
        cmocka_unit_test(the_closed_form_equals_the_law),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(rigid_motions_give_no_force),
        cmocka_unit_test(an_affine_map_leaves_the_interior_in_balance),
        cmocka_unit_test(stresses_agree_with_the_material),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
