/* Laws against formulas: equal stiffness at small strains, closed forms of simple deformations, limits of the
 * orthotropic laws, and the truncated differentials. */
#include "law_samples.h"

/* young and poisson mean the same stiffness at rest in every isotropic law, also with lambda or both moduli zero. */
static void same_small_strain_stiffness(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    static const double pairs[5][2] = {{1000, 0.3}, {1000, 0}, {2000, 0.49}, {500, -0.4}, {0, 0.3}};
    for (int k = 0; k < 5; ++k)
        for (int m = 0; m < tried_count; ++m) {
            if (tried[m].name[0]) continue;
            sn_material material = material_of(&tried[m]);
            sn_material_set(&material, "young", &pairs[k][0], 1, NULL);
            sn_material_set(&material, "poisson", &pairs[k][1], 1, NULL);
            /* Cloth: plane stress, and nothing in the third column. */
            const bool cloth = sn_law_find(NULL, tried[m].law)->flags & SN_LAW_CLOTH;
            const double nu = pairs[k][1], mu = pairs[k][0] / (2 * (1 + nu)),
                         lambda = pairs[k][0] * nu / ((1 + nu) * (1 - (cloth ? nu : 2 * nu)));
            double F[9], psi, P[9], dP[81];
            deformation(0, F);
            assert_int_equal(sn_material_evaluate(context, &material, F, &psi, P, dP, NULL), SN_OK);
            for (int a = 0; a < 9; ++a)
                for (int b = 0; b < 9; ++b) {
                    const int i = a / 3, j = a % 3, r = b / 3, l = b % 3;
                    const double whole = mu * ((i == r && j == l) + (i == l && j == r)) + lambda * (i == j && r == l),
                                 expected = cloth && (j == 2 || l == 2 || i == 2 || r == 2) ? 0 : whole;
                    if (!(fabs(dP[9 * a + b] - expected) <= 1e-11 * (mu + fabs(lambda))))
                        fail_msg("%s: dP[%d][%d] %g against %g", tried[m].law, a, b, dP[9 * a + b], expected);
                }
            deformation(9, F); /* no division by a zero modulus far from rest either */
            assert_int_equal(sn_material_evaluate(context, &material, F, &psi, P, dP, NULL), SN_OK);
            assert_true(isfinite(psi) && isfinite(largest(P, 9)) && isfinite(largest(dP, 81)));
        }
    sn_context_destroy(context);
}

static void stress_of(sn_context *context, const sn_material *material, const double F[9], double P[9]) {
    sn_error error = {0};
    if (sn_material_evaluate(context, material, F, NULL, P, NULL, &error)) fail_msg("%s", error.text);
}

/* The lateral stretch that leaves the sides free, by bisection. */
static double free_stretch(sn_context *context, const sn_material *material, double l, double *along) {
    double low = 0.3, high = 2, P[9];
    for (int i = 0; i < 100; ++i) {
        const double t = 0.5 * (low + high), F[9] = {l, 0, 0, 0, t, 0, 0, 0, t};
        stress_of(context, material, F, P);
        *(P[4] < 0 ? &low : &high) = t;
        *along = P[0];
    }
    return low;
}

static void closed_forms(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    const double mu = E / (2 * (1 + NU)), lambda = E * NU / ((1 + NU) * (1 - 2 * NU)), l = 1.4, g = 0.6;
    double along;

    /* Uniaxial, corotated and StVK: the ordinary Young's modulus in their own strain. */
    sn_material material = material_of(&(sample){.law = "corotated"});
    double t = free_stretch(context, &material, l, &along);
    assert_true(fabs(along - E * (l - 1)) < 1e-9 * E);
    assert_true(fabs((t - 1) + NU * (l - 1)) < 1e-12);
    material = material_of(&(sample){.law = "stvk"});
    t = free_stretch(context, &material, l, &along);
    assert_true(fabs(along - l * E * 0.5 * (l * l - 1)) < 1e-9 * E);
    assert_true(fabs((t * t - 1) + NU * (l * l - 1)) < 1e-12);

    /* stvk-volume: the energy of stvk and 0.1 E theta^2 / (6 (1 - 2 nu)), theta = J - 1 (Kikuuwe 4.1), also mirrored.
     */
    const double mirrored[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, squashed[9] = {1.2, 0.1, 0, 0, 0.4, 0.3, 0.2, 0, 0.9};
    const double *const places[2] = {mirrored, squashed};
    for (int i = 0; i < 2; ++i) {
        double plain, whole;
        const double theta = sn_determinant3(places[i]) - 1, penalty = 0.1 * E * theta * theta / (6 * (1 - 2 * NU));
        material = material_of(&(sample){.law = "stvk"});
        assert_int_equal(sn_material_evaluate(context, &material, places[i], &plain, NULL, NULL, NULL), SN_OK);
        material = material_of(&(sample){.law = "stvk-volume"}); /* 0.1 is the default */
        assert_int_equal(sn_material_evaluate(context, &material, places[i], &whole, NULL, NULL, NULL), SN_OK);
        assert_true(fabs(whole - plain - penalty) < 1e-12 * E);
    }

    /* Neo-Hookean: free sides mean mu (t^2 - 1) + lambda ln(l t^2) = 0, and then the pull is mu (l - t^2 / l). */
    material = material_of(&(sample){.law = "neo-hookean"});
    t = free_stretch(context, &material, l, &along);
    assert_true(fabs(mu * (t * t - 1) + lambda * log(l * t * t)) < 1e-9 * E);
    assert_true(fabs(along - mu * (l - t * t / l)) < 1e-9 * E);

    /* Simple shear of volume-preserving laws: Cauchy shear stress 2 (c10 + c01) g, and the normal stress difference sxx
     * - syy = g sxy. */
    const sample mooney = {
        .law = "mooney-rivlin", .name = {"c10", "c01", "d1"}, .count = {1, 1, 1}, .value = {{150}, {60}, {2e-3}}};
    material = material_of(&mooney);
    const double F[9] = {1, g, 0, 0, 1, 0, 0, 0, 1}, Ft[9] = {1, 0, 0, g, 1, 0, 0, 0, 1};
    double P[9], sigma[9];
    stress_of(context, &material, F, P);
    multiply(P, Ft, sigma); /* J = 1 */
    assert_true(fabs(sigma[1] - 2 * (150 + 60) * g) < 1e-10);
    assert_true(fabs(sigma[1] - sigma[3]) < 1e-10);
    assert_true(fabs((sigma[0] - sigma[4]) - g * sigma[1]) < 1e-10);
    assert_true(fabs(sigma[0] - sigma[8] - 2 * 150 * g * g) < 1e-10); /* sxx - szz = 2 c10 g^2 */
    assert_true(fabs(sigma[8] - sigma[4] - 2 * 60 * g * g) < 1e-10);  /* szz - syy = 2 c01 g^2 */

    /* StVK in simple shear: P = F (2 mu E + lambda tr E). */
    material = material_of(&(sample){.law = "stvk"});
    stress_of(context, &material, F, P);
    const double tr = 0.5 * g * g, sxy = mu * g, syy = mu * g * g + lambda * tr, sxx = lambda * tr;
    assert_true(fabs(P[0] - (sxx + g * sxy)) < 1e-10 && fabs(P[1] - (sxy + g * syy)) < 1e-10 &&
                fabs(P[3] - sxy) < 1e-10);

    /* Ogden, a volume-preserving stretch: s_i - s_j = sum 2 mu / a (l_i^a - l_j^a) of the Cauchy stresses. */
    const sample ogden = {.law = "ogden",
                          .name = {"mu", "alpha", "d1"},
                          .count = {3, 3, 1},
                          .value = {{300, 50, -20}, {1.3, 5, -2}, {1e-3}}};
    material = material_of(&ogden);
    const double b = 0.9, c = 1 / (l * b), D[9] = {l, 0, 0, 0, b, 0, 0, 0, c};
    stress_of(context, &material, D, P);
    double expected = 0;
    for (int k = 0; k < 3; ++k) {
        const double a = ogden.value[1][k];
        expected += 2 * ogden.value[0][k] / a * (pow(l, a) - pow(b, a));
    }
    assert_true(fabs(P[0] * l - P[4] * b - expected) < 1e-9);

    /* Ogden with one term of exponent 2 is the isochoric neo-Hookean. */
    sn_material one = material_of(&(sample){.law = "ogden"}), same = material_of(&(sample){.law = "mooney-rivlin"});
    for (int s = 0; s < VALID_STATES; ++s) {
        double f[9], P2[9], d1[81], d2[81], e1, e2;
        deformation(s, f);
        assert_int_equal(sn_material_evaluate(context, &one, f, &e1, P, d1, NULL), SN_OK);
        assert_int_equal(sn_material_evaluate(context, &same, f, &e2, P2, d2, NULL), SN_OK);
        assert_true(fabs(e1 - e2) < 1e-12 * e1 + 1e-13 && apart(P, P2, 9) < 1e-11 * E &&
                    apart(d1, d2, 81) < 1e-11 * largest(d1, 81));
    }
    sn_context_destroy(context);
}

/* Stable neo-Hookean as published, up to a constant. */
static void stable_neo_hookean_formula(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    const double muL = E / (2 * (1 + NU)), lambdaL = E * NU / ((1 + NU) * (1 - 2 * NU)), mu = 4.0 / 3 * muL,
                 lambda = lambdaL + 5.0 / 6 * muL;
    const double a = 1 + mu / lambda - mu / (4 * lambda), rest = lambda / 2 * (1 - a) * (1 - a) - mu / 2 * log(4);
    const sn_material material = material_of(&(sample){.law = "stable-neo-hookean"});
    for (int s = 0; s < STATES; ++s) {
        double F[9], psi;
        deformation(s, F);
        const double I1 = dot(F, F, 9), J = det(F);
        assert_int_equal(sn_material_evaluate(context, &material, F, &psi, NULL, NULL, NULL), SN_OK);
        assert_true(fabs(psi - (mu / 2 * (I1 - 3) + lambda / 2 * (J - a) * (J - a) - mu / 2 * log(I1 + 1) - rest)) <
                    1e-10);
    }
    sn_context_destroy(context);
}

/* An orthotropic material with the constants of an isotropic one is that; its moduli are measured by pulling along its
 * axes. */
static void orthotropic_limits(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    const double G = E / (2 * (1 + NU));
    const char *const laws[2][2] = {{"orthotropic", "corotated"}, {"orthotropic-green", "stvk"}};
    for (int k = 0; k < 2; ++k) {
        sn_material mine = sn_material_default(), theirs = material_of(&(sample){.law = laws[k][1]});
        snprintf(mine.law, sizeof mine.law, "%s", laws[k][0]);
        sn_material_set(&mine, "young", (double[]){E, E, E}, 3, NULL);
        sn_material_set(&mine, "poisson", (double[]){NU, NU, NU}, 3, NULL);
        sn_material_set(&mine, "shear", (double[]){G, G, G}, 3, NULL);
        sn_material_set(&mine, "axes", (double[]){0.6, 0.8, 0, -0.8, 0.6, 0, 0, 0, 1}, 9, NULL);
        for (int s = 0; s < STATES; ++s) {
            double F[9], e1, e2, P1[9], P2[9], d1[81], d2[81];
            deformation(s, F);
            assert_int_equal(sn_material_evaluate(context, &mine, F, &e1, P1, d1, NULL), SN_OK);
            assert_int_equal(sn_material_evaluate(context, &theirs, F, &e2, P2, d2, NULL), SN_OK);
            assert_true(fabs(e1 - e2) < 1e-10 && apart(P1, P2, 9) < 1e-9 && apart(d1, d2, 81) < 1e-9 * largest(d1, 81));
        }
    }
    /* Pull along the second material axis, (0, 1, 0) turned by the axes: strain s / E_y, -nu_yz s / E_y along z, -nu_xy
     * s / E_x along x. */
    const sample *o = &samples[15];
    const sn_material material = material_of(o);
    double I[9], dP[81];
    deformation(0, I);
    assert_int_equal(sn_material_evaluate(context, &material, I, NULL, NULL, dP, NULL), SN_OK);
    const double *A = o->value[3], *Y = o->value[0], *nu = o->value[1], s = 7;
    const double strain[3] = {-nu[0] * s / Y[0], s / Y[1], -nu[1] * s / Y[1]};
    double e[9] = {0};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 9; ++i) e[i] += strain[k] * A[3 * k + i / 3] * A[3 * k + i % 3];
    for (int a = 0; a < 9; ++a) assert_true(fabs(dot(dP + 9 * a, e, 9) - s * A[3 + a / 3] * A[3 + a % 3]) < 1e-12);
    sn_context_destroy(context);
}

/* The approximate differentials of the corotational laws, against their formulas applied to each unit dF. */
static void truncated_formulas(void **state) {
    (void)state;
    sn_context *context = context_for("auto");
    const double mu = E / (2 * (1 + NU)), lambda = E * NU / ((1 + NU) * (1 - 2 * NU));
    const sn_material material = material_of(&(sample){.law = "corotated"});
    const point p = point_of(context, &material);
    for (int s = 0; s < STATES; ++s) {
        double F[9], R[9], S[9], one[81], two[81], hybrid[81];
        deformation(s, F);
        assert_int_equal(sn_rotation_evaluate(context, "polar", NULL, F, R, S, NULL), SN_OK);
        at(&p, SN_DIFFERENTIAL_TRUNCATED_1, F, NULL, NULL, one);
        at(&p, SN_DIFFERENTIAL_TRUNCATED_2, F, NULL, NULL, two);
        at(&p, SN_DIFFERENTIAL_HYBRID, F, NULL, NULL, hybrid);
        for (int b = 0; b < 9; ++b) {
            double dF[9] = {0}, Rt[9], local[9], sym[9], warped[9];
            dF[b] = 1;
            transpose(R, Rt);
            multiply(Rt, dF, local);
            for (int i = 0; i < 9; ++i) sym[i] = 0.5 * (local[i] + local[i % 3 * 3 + i / 3]);
            multiply(R, sym, warped);
            const double trace = local[0] + local[4] + local[8];
            for (int a = 0; a < 9; ++a) {
                assert_true(fabs(one[9 * a + b] - (2 * mu * dF[a] + lambda * trace * R[a])) < 1e-11);
                assert_true(fabs(two[9 * a + b] - (2 * mu * warped[a] + lambda * trace * R[a])) < 1e-11);
            }
        }
        /* The weight from the singular values, which are the sizes of the eigenvalues of S; only the third can be
         * negative. */
        alignas(64) double f[72], U[72], d[24], V[72];
        for (int i = 0; i < 72; ++i) f[i] = F[i / SN_LANES];
        sn_point_kernels_for(context)->svd(f, U, d, V);
        const double mean = (fabs(d[0] - 1) + fabs(d[SN_LANES] - 1) + fabs(d[2 * SN_LANES] - 1)) / 3,
                     weight = mean < 1 ? mean : 1;
        for (int i = 0; i < 81; ++i) assert_true(fabs(hybrid[i] - (weight * one[i] + (1 - weight) * two[i])) < 1e-11);
    }
    /* A solid that is stretched along one axis has three axes, although its F looks like that of a plane element. */
    double stretched[9] = {1.5, 0, 0, 0, 1, 0, 0, 0, 1}, first[81], second[81], both[81];
    at(&p, SN_DIFFERENTIAL_TRUNCATED_1, stretched, NULL, NULL, first);
    at(&p, SN_DIFFERENTIAL_TRUNCATED_2, stretched, NULL, NULL, second);
    at(&p, SN_DIFFERENTIAL_HYBRID, stretched, NULL, NULL, both);
    for (int i = 0; i < 81; ++i) assert_true(fabs(both[i] - (first[i] + 5 * second[i]) / 6) < 1e-11);
    /* The warped orthotropic stiffness: at a rotation all differentials are the exact one. */
    const sn_material ortho = material_of(&samples[15]);
    const point o = point_of(context, &ortho);
    double F[9], exact[81], warped[81];
    deformation(4, F);
    at(&o, SN_DIFFERENTIAL_EXACT, F, NULL, NULL, exact);
    at(&o, SN_DIFFERENTIAL_TRUNCATED_2, F, NULL, NULL, warped);
    assert_true(apart(exact, warped, 81) < 1e-10);
    sn_context_destroy(context);
}

int main(void) {
    collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_small_strain_stiffness), cmocka_unit_test(closed_forms),
        cmocka_unit_test(stable_neo_hookean_formula),  cmocka_unit_test(orthotropic_limits),
        cmocka_unit_test(truncated_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
