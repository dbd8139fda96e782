/* Muscle in the element kernels: force and differential against central differences for all laws, projection, turns,
 * dissipation, the curves of Hill's model, and degenerate elements. */
#include "fixture.h"

static sn_context *context;

/* A body of one law whose elements are all muscle, with fibres of noise. A plane body has fibres in its plane. */
static int start(fixture *s, const sn_element *element, const char *law, sn_differential differential,
                 double activation) {
    *s = mesh_fixture(context, element, 2, 2, 1, element->dimension == 2 ? 0 : 0.004);
    double *fibre = doubles(3 * s->elements);
    for (int e = 0; e < s->elements; ++e) {
        double *a = fibre + 3 * e;
        for (int i = 0; i < 3; ++i) a[i] = element->dimension == 2 && i == 2 ? 0 : noise(17 * e + i) + (i == 0);
        const double length = sn_norm3(a);
        for (int i = 0; i < 3; ++i) a[i] /= length;
    }
    s->source.fibre = fibre;
    for (int m = 0; m < 2; ++m) {
        if (!set_law(context, &s->material[m], law, differential, 1e4 * (m + 1))) return 0;
        s->material[m].muscle.activation = activation;
        s->material[m].muscle.stress = 3e4, s->material[m].muscle.passive = 2e4;
        s->material[m].muscle.optimal = m ? 0.9 : 1.1;
        s->material[m].muscle.speed = m ? 0 : 3;
    }
    compile_fixture(s);
    return 1;
}

static void end(fixture *s) {
    free((void *)(uintptr_t)s->source.fibre);
    free_fixture(s);
}

/* (k K + d D) u against differences of the force: along u in x for K, along u in v for D. */
static void check_product(fixture *s, const char *law, bool by_speed) {
    const int n = 3 * s->nodes, plane = s->source.element->dimension == 2;
    double *u = doubles(n), *at = doubles(n), *less = doubles(n), *more = doubles(n), *out = doubles(n);
    const double *base = by_speed ? s->v : s->x;
    for (int i = 0; i < n; ++i) u[i] = plane && i % 3 == 2 ? 0 : noise(31 * i + 5);
    const double d = 1e-8; /* the slopes of the curves have kinks at rest: the error is of first order in d */
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < n; ++i) at[i] = base[i] + (k ? d : -d) * u[i];
        force_of(s, by_speed ? s->x : at, by_speed ? at : s->v, k ? more : less);
    }
    for (int i = 0; i < n; ++i) less[i] = (less[i] - more[i]) / (2 * d);
    product_of(s, !by_speed, by_speed, u, out);
    if (!(distance(out, less, n) < 2e-6 * largest(less, n)))
        fail_msg("%s: differential by %s off by %g of %g", law, by_speed ? "v" : "x", distance(out, less, n),
                 largest(less, n));
    free(u), free(at), free(less), free(more), free(out);
}

static const sn_element *const solids[] = {&sn_element_tet4, &sn_element_tet10, &sn_element_tri3};

static void differentials(void **state) {
    (void)state;
    int laws, tried = 0;
    const sn_listing *law = sn_laws(&laws);
    for (int l = 0; l < laws; ++l)
        for (int e = 0; e < 3; ++e) {
            if (!goes_with(solids[e], law[l].name)) continue; /* cloth has no muscle */
            fixture s;
            if (start(&s, solids[e], law[l].name, SN_DIFFERENTIAL_EXACT, 0.7)) {
                s.unsymmetric = true;
                static const int place[] = {STATE_REST, STATE_STRETCHED, STATE_SHEARED, STATE_SQUASHED};
                for (size_t k = 0; k < sizeof place / sizeof *place; ++k) {
                    set_state(&s, place[k]);
                    check_product(&s, law[l].name, false);
                    check_product(&s, law[l].name, true);
                }
                ++tried;
            }
            end(&s);
        }
    assert_true(tried >= 3 * (laws - 4));
}

/* The force at rest is the gradient of the energy. */
static void energies(void **state) {
    (void)state;
    int laws;
    const sn_listing *law = sn_laws(&laws);
    for (int l = 0; l < laws; ++l)
        for (int e = 0; e < 3; ++e) {
            if (!goes_with(solids[e], law[l].name)) continue; /* cloth has no muscle */
            fixture s;
            const sn_law *found = sn_law_find(context, law[l].name);
            const int full = start(&s, solids[e], law[l].name, SN_DIFFERENTIAL_EXACT, 0.7);
            if (full && !(found->flags & SN_LAW_NO_POTENTIAL)) {
                set_state(&s, STATE_STRETCHED);
                double *f = doubles(3 * s.nodes);
                force_of(&s, s.x, NULL, f);
                for (int i = 0; i < 3 * s.nodes; i += 7) {
                    const double x = s.x[i], d = 1e-6;
                    double energy[2];
                    if (solids[e]->dimension == 2 && i % 3 == 2) continue;
                    for (int k = 0; k < 2; ++k) {
                        s.x[i] = k ? x + d : x - d;
                        assert_int_equal(energy_of(&s, s.x, &energy[k]), SN_OK);
                    }
                    s.x[i] = x;
                    assert_true(fabs((energy[0] - energy[1]) / (2 * d) - f[i]) < 1e-6 * largest(f, 3 * s.nodes));
                }
                free(f);
            }
            end(&s);
        }
}

/* u . K u >= 0 for the projected differential beyond the optimal length, where the exact one is not definite. */
static void projected_is_definite(void **state) {
    (void)state;
    bool falls = false;
    for (int kind = 0; kind < 2; ++kind)
        for (int e = 0; e < 3; ++e) {
            fixture s;
            assert_true(start(&s, solids[e], "stable-neo-hookean",
                              kind ? SN_DIFFERENTIAL_PROJECTED : SN_DIFFERENTIAL_EXACT, 1));
            for (int m = 0; m < 2; ++m) {
                s.material[m].muscle.passive = 0;
                s.material[m].muscle.stress = 1e6;
            }
            sn_elements_activate(&s.model, s.material, 0, &s.settings);
            for (int k = 0; k < STATE_COUNT; ++k) {
                set_state(&s, k);
                for (int t = 0; t < 20; ++t) {
                    double *u = doubles(3 * s.nodes), *out = doubles(3 * s.nodes), sum = 0;
                    for (int i = 0; i < 3 * s.nodes; ++i)
                        u[i] = t            ? noise(i + 1000 * t) * !(solids[e]->dimension == 2 && i % 3 == 2)
                               : i % 3 == 0 ? s.rest[i]
                                            : 0;
                    product_of(&s, 1, 0, u, out);
                    for (int i = 0; i < 3 * s.nodes; ++i) sum += u[i] * out[i];
                    if (kind) assert_true(sum >= -1e-9 * largest(out, 3 * s.nodes));
                    falls = falls || sum < 0;
                    free(u), free(out);
                }
            }
            end(&s);
        }
    assert_true(falls);
}

/* A turned body has the same energy and turned forces. */
static void turns(void **state) {
    (void)state;
    const double axis[3] = {1, -2, 0.7};
    double Q[9];
    sn_axis_rotation3(axis, 77, Q);
    for (int e = 0; e < 2; ++e) {
        fixture s;
        assert_true(start(&s, solids[e], "neo-hookean", SN_DIFFERENTIAL_EXACT, 0.6));
        set_state(&s, STATE_STRETCHED);
        const int n = 3 * s.nodes;
        double *f = doubles(n), *g = doubles(n), *x = doubles(n), *v = doubles(n), *turned = doubles(n), energy[2];
        for (int i = 0; i < n; i += 3) {
            sn_multiply_vector3(Q, s.x + i, x + i);
            sn_multiply_vector3(Q, s.v + i, v + i);
        }
        force_of(&s, s.x, s.v, f), force_of(&s, x, v, g);
        energy_of(&s, s.x, &energy[0]), energy_of(&s, x, &energy[1]);
        for (int i = 0; i < n; i += 3) sn_multiply_vector3(Q, f + i, turned + i);
        assert_true(distance(turned, g, n) < 1e-12 * largest(g, n));
        assert_true(fabs(energy[0] - energy[1]) < 1e-12 * fabs(energy[0]));
        free(f), free(g), free(x), free(v), free(turned);
        end(&s);
    }
}

/* The part of the force that depends on the speed takes energy from every motion. */
static void speed_dissipates(void **state) {
    (void)state;
    fixture s;
    assert_true(start(&s, &sn_element_tet4, "stvk", SN_DIFFERENTIAL_EXACT, 1));
    const int n = 3 * s.nodes;
    double *f = doubles(n), *g = doubles(n), most = 0;
    for (int k = 0; k < STATE_COUNT; ++k)
        for (int t = 0; t < 50; ++t) {
            set_state(&s, k);
            for (int i = 0; i < n; ++i) s.v[i] = pow(10, t % 5 - 2) * noise(i + 777 * t);
            force_of(&s, s.x, NULL, f), force_of(&s, s.x, s.v, g);
            double power = 0;
            for (int i = 0; i < n; ++i) power += (g[i] - f[i]) * s.v[i];
            assert_true(power <= 1e-12);
            most = fmax(most, -power);
        }
    assert_true(most > 1);
    free(f), free(g);
    end(&s);
}

/* Flat, inverted and collapsed elements have finite forces, energies and products. */
static void degenerate(void **state) {
    (void)state;
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 4; ++k) {
            fixture s;
            assert_true(start(&s, solids[e], "corotated", SN_DIFFERENTIAL_PROJECTED, 1));
            set_state(&s, STATE_INVERTED);
            for (int i = 0; i < 3 * s.nodes; ++i) {
                if (k == 1 && i % 3 == 0) s.x[i] = 0;
                if (k == 2) s.x[i] = 0;
                if (k == 3) s.x[i] *= 1e-200;
            }
            const int n = 3 * s.nodes;
            double *f = doubles(n), *u = doubles(n), *out = doubles(n), energy;
            for (int i = 0; i < n; ++i) u[i] = noise(i);
            assert_int_equal(force_of(&s, s.x, s.v, f), SN_OK);
            assert_int_equal(energy_of(&s, s.x, &energy), SN_OK);
            product_of(&s, 1, 1, u, out);
            assert_true(isfinite(energy) && isfinite(largest(f, n)) && isfinite(largest(out, n)));
            for (int i = 0; i < n; ++i) assert_true(isfinite(f[i]) && isfinite(out[i]));
            free(f), free(u), free(out);
            end(&s);
        }
}

/* Tension of a bar of muscle alone that is stretched to `stretch` and lengthens by `rate` per second. */
static double tension(double activation, double stretch, double rate, sn_material *with) {
    fixture s = mesh_fixture(context, &sn_element_tet4, 1, 1, 1, 0);
    double *fibre = doubles(3 * s.elements);
    for (int e = 0; e < s.elements; ++e) fibre[3 * e] = 1;
    s.source.fibre = fibre;
    for (int m = 0; m < 2; ++m) {
        s.material[m] = *with;
        set_law(context, &s.material[m], "linear", SN_DIFFERENTIAL_EXACT, 0);
        s.material[m].muscle.activation = activation;
    }
    compile_fixture(&s);
    for (int i = 0; i < 3 * s.nodes; i += 3) s.x[i] = stretch * s.rest[i], s.v[i] = rate * s.rest[i];
    double *f = doubles(3 * s.nodes), sum = 0;
    force_of(&s, s.x, s.v, f);
    for (int i = 0; i < 3 * s.nodes; i += 3) sum += s.rest[i] > 0.05 ? -f[i] : 0;
    free(f), end(&s);
    return sum / (0.12 * 0.09);
}

/* Hill: (T + a)(v + b) = (T0 + a) b while fibres shorten, with a = T0 / 4 and b = vmax / 4. */
static void curves(void **state) {
    (void)state;
    sn_material m = sn_material_default();
    const double peak = m.muscle.stress, fastest = m.muscle.speed;
    assert_true(fabs(tension(1, 1, 0, &m) - peak) < 1e-9 * peak);
    assert_true(fabs(tension(0.4, 1, 0, &m) - 0.4 * peak) < 1e-9 * peak);
    assert_true(fabs(tension(0, 1.4, 0, &m) - m.muscle.passive) < 1e-9 * peak);
    assert_true(fabs(tension(0, 1.6, 0, &m) - 2 * m.muscle.passive) < 1e-9 * peak);
    assert_true(tension(0, 0.7, 0, &m) == 0 && tension(1, 0.39, 0, &m) == 0);
    assert_true(fabs(tension(1, 0.7, 0, &m) - 0.5625 * peak) < 1e-9 * peak);
    for (int i = 0; i <= 10; ++i) {
        const double v = i / 10.0 * fastest, T = tension(1, 1, -v, &m);
        assert_true(fabs((T + peak / 4) * (v + fastest / 4) - 1.25 * peak * fastest / 4) < 1e-9 * peak * fastest);
    }
    assert_true(tension(1, 1, -2 * fastest, &m) == 0);
    assert_true(fabs(tension(1, 1, 1e6 * fastest, &m) - 1.4 * peak) < 1e-4 * peak);
    m.muscle.optimal = 1.2;
    assert_true(fabs(tension(1, 1.2, 0, &m) - peak - m.muscle.passive / 4) < 1e-9 * peak);
    assert_true(fabs(tension(1, 1.2, -0.6 * fastest, &m) - peak / 6 - m.muscle.passive / 4) < 1e-9 * peak);
}

int main(void) {
    context = make_context(NULL, 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differentials), cmocka_unit_test(energies),         cmocka_unit_test(projected_is_definite),
        cmocka_unit_test(turns),         cmocka_unit_test(speed_dissipates), cmocka_unit_test(degenerate),
        cmocka_unit_test(curves),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    sn_context_destroy(context);
    return failures;
}
