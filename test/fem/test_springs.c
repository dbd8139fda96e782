/* Springs: van Gelder's constants, the quality formula, finite differences of energy and force, balance, and laws that
 * do not go with them.
 */
#include "fixture.h"

#include "fem/springs.h"
#include "fem/warping.h"

typedef struct net {
    fixture tets;
    sn_batch_source springs;
    sn_elements_model model;
    sn_element_settings settings;
    double *mass, *partial, *frame;
} net;

static void start_net(net *n, const char *law, const char *differential, const char *warping) {
    memset(n, 0, sizeof *n);
    n->tets = mesh_fixture(make_context("auto", 1), &sn_element_tet4, 2, 2, 2, 0.005);
    for (int m = 0; m < 2; ++m) {
        sn_material *material = &n->tets.material[m];
        *material = sn_material_default();
        const double young = m ? 3000 : 1000, poisson = 0.3;
        sn_material_set(material, "young", &young, 1, NULL);
        sn_material_set(material, "poisson", &poisson, 1, NULL);
        snprintf(material->law, sizeof material->law, "%s", law);
        snprintf(material->differential, sizeof material->differential, "%s", differential);
        snprintf(material->warping, sizeof material->warping, "%s", warping);
        material->spring_quality = 2;
        material->spring_damper = 0.5;
        material->rayleigh[1] = 0.01;
    }
    n->mass = doubles(n->tets.nodes);
    n->tets.source.materials = n->tets.material;
    assert_int_equal(sn_mass_lumped(&n->tets.source, n->mass, NULL), SN_OK);
    assert_int_equal(sn_springs_create(n->tets.context, &n->tets.source, n->mass, &n->springs, NULL), SN_OK);
    assert_int_equal(sn_elements_compile(n->tets.context, &n->springs, 1, n->tets.nodes, &n->model, NULL), SN_OK);
    assert_int_equal(sn_element_settings_create(n->tets.context, &n->model, n->tets.material, 0, &n->settings, NULL),
                     SN_OK);
    n->partial = doubles(n->model.chunk_count);
    n->frame = doubles(9 * n->tets.nodes);
}

static void end_net(net *n) {
    sn_element_settings_release(n->tets.context, &n->settings);
    sn_elements_release(n->tets.context, &n->model);
    sn_springs_release(n->tets.context, &n->springs);
    free(n->mass), free(n->partial), free(n->frame);
    sn_context *context = n->tets.context;
    free_fixture(&n->tets);
    sn_context_destroy(context);
}

static sn_element_view net_view(const net *n, const double *x, const double *v) {
    return (sn_element_view){.settings = &n->settings, .x = x, .v = v, .vertex_rotation = n->frame};
}

static double energy_at(const net *n, const double *x) {
    const sn_element_view view = net_view(n, x, NULL);
    double energy;
    assert_int_equal(sn_elements_energy(n->tets.context, &n->model, &view, n->partial, &energy, NULL), SN_OK);
    return energy;
}

static void force_at(const net *n, const double *x, const double *v, double *f) {
    const sn_element_view view = net_view(n, x, v);
    memset(f, 0, (size_t)n->tets.nodes * 3 * sizeof *f);
    assert_int_equal(sn_elements_force(n->tets.context, &n->model, &view, f, NULL), SN_OK);
}

static void deform(const net *n, double amount) {
    for (int i = 0; i < 3 * n->tets.nodes; ++i) {
        n->tets.x[i] = n->tets.rest[i] * (1 + 0.1 * (i % 3)) + amount * noise(i);
        n->tets.v[i] = noise(1000 + i);
    }
}

/* sum over springs of k l^2 / E is six times the volume: each tet gives its volume to six edges. */
static void van_gelder(void **state) {
    net n;
    start_net(&n, "corotated", "", "");
    double volume = 0, total = 0;
    for (int e = 0; e < n.tets.elements; ++e) {
        const int32_t *t = n.tets.node + 4 * e;
        volume +=
            sn_volume6(n.tets.rest + 3 * t[0], n.tets.rest + 3 * t[1], n.tets.rest + 3 * t[2], n.tets.rest + 3 * t[3]) /
            6;
    }
    for (int s = 0; s < n.springs.element_count; ++s) {
        double d[3];
        sn_subtract3(n.tets.rest + 3 * n.springs.node[2 * s + 1], n.tets.rest + 3 * n.springs.node[2 * s], d);
        total += n.springs.factor[s] * sn_dot3(d, d);
    }
    assert_float_equal(total, 6 * volume, 1e-12 * volume);
    /* A uniform stretch of a net of one modulus: every spring by the same strain, E / 2 strain^2 6 V. */
    const double young = 1000;
    for (int m = 0; m < 2; ++m) sn_material_set(&n.tets.material[m], "young", &young, 1, NULL);
    assert_int_equal(sn_elements_parameters(&n.model, n.tets.material, 0, &n.settings, NULL), SN_OK);
    for (int i = 0; i < 3 * n.tets.nodes; ++i) n.tets.x[i] = 1.05 * n.tets.rest[i];
    assert_float_equal(energy_at(&n, n.tets.x), 0.5 * young * 0.05 * 0.05 * 6 * volume, 1e-10 * young * volume);
    end_net(&n);
}

static void quality(void **state) {
    const double k = 37, m = 0.2;
    for (double Q = 0.01; Q < 2000; Q *= 3) {
        const double r = sn_spring_damper(k, m, Q), w = 0.5 * sqrt(4 * k / m + r * r / (m * m));
        assert_float_equal(k / (w * r) / Q, 1, 1e-12);
    }
    assert_true(sn_spring_damper(k, m, 0) == 0);
}

/* Force = -grad energy, K = -df/dx with the exact differential, D = -df/dv; product, linearised product and matrices
 * agree. */
static void differences(void **state) {
    static const char *const laws[] = {"corotated", "linear"};
    for (int l = 0; l < 2; ++l) {
        net n;
        start_net(&n, laws[l], "exact", "");
        const int size = 3 * n.tets.nodes;
        double *f = doubles(size), *g = doubles(size), *u = doubles(size), *out = doubles(size), *x = doubles(size);
        deform(&n, 0.005);
        force_at(&n, n.tets.x, NULL, f);
        const double h = 1e-6;
        for (int i = 0; i < size; i += 7) {
            memcpy(x, n.tets.x, (size_t)size * sizeof *x);
            x[i] += h;
            const double up = energy_at(&n, x);
            x[i] -= 2 * h;
            assert_float_equal(f[i], -(up - energy_at(&n, x)) / (2 * h), 1e-4);
        }
        for (int i = 0; i < size; ++i) u[i] = noise(50 + i);
        const sn_element_view view = net_view(&n, n.tets.x, NULL);
        sn_elements_product(n.tets.context, &n.model, &view, 1, 0, NULL, u, out);
        for (int i = 0; i < size; ++i) x[i] = n.tets.x[i] + h * u[i];
        force_at(&n, x, NULL, f);
        for (int i = 0; i < size; ++i) x[i] = n.tets.x[i] - h * u[i];
        force_at(&n, x, NULL, g);
        for (int i = 0; i < size; ++i) assert_float_equal(out[i], -(f[i] - g[i]) / (2 * h), 1e-4);
        memset(out, 0, (size_t)size * sizeof *out);
        sn_elements_product(n.tets.context, &n.model, &view, 0, 1, NULL, u, out);
        for (int i = 0; i < size; ++i) x[i] = n.tets.v[i] + u[i];
        force_at(&n, n.tets.x, x, f);
        force_at(&n, n.tets.x, n.tets.v, g);
        for (int i = 0; i < size; ++i) assert_float_equal(out[i], -(f[i] - g[i]), 1e-8);
        double *linearised = doubles((int)n.model.linearised_size), *again = doubles(size);
        sn_elements_linearise(n.tets.context, &n.model, &view, 0, 1, linearised);
        sn_elements_product(n.tets.context, &n.model, &view, 0, 1, linearised, u, again);
        assert_memory_equal(out, again, (size_t)size * sizeof *out);
        free(f), free(g), free(u), free(out), free(x), free(linearised), free(again);
        end_net(&n);
    }
}

/* Turning springs with dampers: no net force, no net torque, none at all under rigid motion. */
static void balance(void **state) {
    net n;
    start_net(&n, "corotated", "", "");
    const int size = 3 * n.tets.nodes;
    double *f = doubles(size);
    deform(&n, 0.02);
    force_at(&n, n.tets.x, n.tets.v, f);
    double net_force[3] = {0}, torque[3] = {0}, largest = 0;
    for (int i = 0; i < n.tets.nodes; ++i) {
        double t[3];
        sn_cross3(n.tets.x + 3 * i, f + 3 * i, t);
        for (int a = 0; a < 3; ++a)
            net_force[a] += f[3 * i + a], torque[a] += t[a], largest = fmax(largest, fabs(f[3 * i + a]));
    }
    assert_true(largest > 0.5);
    assert_true(sn_norm3(net_force) < 1e-12 * largest * size && sn_norm3(torque) < 1e-12 * largest * size);
    double R[9], spin[3] = {1, -2, 0.5};
    sn_axis_rotation3((double[3]){1, 2, 3}, 100, R);
    for (int i = 0; i < n.tets.nodes; ++i) {
        sn_multiply_vector3(R, n.tets.rest + 3 * i, n.tets.x + 3 * i);
        sn_cross3(spin, n.tets.x + 3 * i, n.tets.v + 3 * i);
    }
    force_at(&n, n.tets.x, n.tets.v, f);
    for (int i = 0; i < size; ++i) assert_float_equal(f[i], 0, 1e-10);
    free(f);
    end_net(&n);
}

/* Warped springs are at rest in any rotated pose, and linear ones are not. */
static void warped(void **state) {
    static const char *const kinds[] = {"edges", "svd", ""};
    for (int k = 0; k < 3; ++k) {
        net n;
        start_net(&n, "linear", "", kinds[k]);
        const int size = 3 * n.tets.nodes;
        double *f = doubles(size), R[9], largest = 0;
        sn_axis_rotation3((double[3]){1, 2, 3}, 140, R);
        for (int i = 0; i < n.tets.nodes; ++i) sn_multiply_vector3(R, n.tets.rest + 3 * i, n.tets.x + 3 * i);
        sn_warping w;
        assert_int_equal(sn_warping_create(n.tets.context, &n.model, n.tets.rest, &w, NULL), SN_OK);
        if (w.block_count) sn_warping_rotations(n.tets.context, &w, 0, 0, n.tets.x, n.frame);
        for (int i = 0; i < 9 * n.tets.nodes && k < 2; ++i) assert_float_equal(n.frame[i], R[i % 9], 1e-12);
        force_at(&n, n.tets.x, NULL, f);
        for (int i = 0; i < size; ++i) largest = fmax(largest, fabs(f[i]));
        assert_true(k < 2 ? largest < 1e-10 : largest > 1);
        sn_warping_release(n.tets.context, &w);
        free(f);
        end_net(&n);
    }
}

static void wrong_law(void **state) {
    (void)state;
    sn_error error = {0};
    sn_material material = sn_material_default();
    assert_int_equal(sn_element_check_material(&sn_element_springs, &material, &error), SN_OK);
    snprintf(material.law, sizeof material.law, "stvk");
    assert_int_equal(sn_element_check_material(&sn_element_springs, &material, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "stvk"));
    assert_string_equal(error.path, "law");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(van_gelder),  cmocka_unit_test(quality),
                                       cmocka_unit_test(differences), cmocka_unit_test(balance),
                                       cmocka_unit_test(warped),      cmocka_unit_test(wrong_law)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
