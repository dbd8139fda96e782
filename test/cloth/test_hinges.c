/* Membrane and hinges of cloth: force and differential against central differences, rigid motions, degenerate
 * triangles, weights of hinges, and the same bits on every instruction set. */
#include "sheet.h"

#include "cloth/hinge_weights.h"

static const char *const laws[] = {"cloth-stvk", "cloth-orthotropic", "cloth-baraff-witkin"};
static const char *const models[] = {"", "dihedral", "quadratic"};

/* Law l with bending model b, which is stiff enough to count beside the membrane. `even`: one material for all. */
static void start_with(sheet *s, sn_context *context, int cells, int l, int b, const char *differential, bool round,
                       bool even) {
    sheet_start(s, context, cells, round);
    for (int e = 0; e < s->f.elements && even; ++e) s->f.material_of[e] = 0;
    for (int m = 0; m < 2; ++m) {
        assert_int_equal(set_law(context, &s->f.material[m], laws[l], SN_DIFFERENTIAL_EXACT, 1000 * (m + 1)), 1);
        snprintf(s->f.material[m].differential, sizeof s->f.material[m].differential, "%s", differential);
        if (b == 0) continue;
        s->f.material[m].bending_stiffness = 0.05 * (m + 1);
        s->f.material[m].bending_damping = 0.001;
        snprintf(s->f.material[m].bending_model, sizeof s->f.material[m].bending_model, "%s", models[b]);
    }
    sheet_compile(s);
}

static void start(sheet *s, sn_context *context, int l, int b, const char *differential, bool round) {
    start_with(s, context, 3, l, b, differential, round, false);
}

static void derivatives(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    for (int l = 0; l < 3; ++l)
        for (int b = 0; b < 3; ++b)
            for (int round = 0; round < (b == 2 ? 1 : 2); ++round) {
                sheet s;
                start(&s, context, l, b, "exact", round);
                assert_int_equal(s.source[1].element_count > 0, b == 1);
                assert_int_equal(s.source[2].element_count > 0, b == 2);
                for (int k = 0; k < STATES; ++k) {
                    char what[128];
                    snprintf(what, sizeof what, "%s %s %s%s", laws[l], models[b], sheet_state[k],
                             round ? ", round at rest" : "");
                    sheet_state_set(&s, k);
                    check_force(&s, what);
                    check_product(&s, 1, 0, what);
                    if (b) check_product(&s, 0, 1, what);
                }
                sheet_end(&s);
            }
    sn_context_destroy(context);
}

/* Triangles without area: everything is finite. Membrane and quadratic hinges still have their exact derivatives, but
 * for cloth-baraff-witkin where a stretch is 0; angles have none there. */
static void degenerate(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    for (int l = 0; l < 3; ++l)
        for (int b = 0; b < 3; ++b)
            for (int k = 0; k < 3; ++k) {
                sheet s;
                start(&s, context, l, b, "exact", false);
                sheet_state_set(&s, BENT);
                double *x = s.f.x;
                const int32_t *t = s.f.node + 3 * 5;
                if (k == 0) /* a corner in the middle of the edge */
                    for (int a = 0; a < 3; ++a) x[3 * t[2] + a] = 0.5 * (x[3 * t[0] + a] + x[3 * t[1] + a]);
                if (k == 1) memcpy(x + 3 * t[1], x + 3 * t[0], 3 * sizeof *x); /* an edge without length */
                if (k == 2) memset(x, 0, (size_t)s.f.nodes * 3 * sizeof *x);   /* all in one point */
                check_finite(&s);
                if (b != 1 && (k == 0 || strcmp(laws[l], "cloth-baraff-witkin") != 0)) {
                    char what[128];
                    snprintf(what, sizeof what, "%s %s degenerate %d", laws[l], models[b], k);
                    check_force(&s, what);
                    check_product(&s, 1, 0, what);
                }
                sheet_end(&s);
            }
    sn_context_destroy(context);
}

/* A turned and moved sheet has no force and no energy, flat or round at rest. */
static void rigid_motions(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    const double axis[3] = {1, -2, 0.7};
    double R[9];
    sn_axis_rotation3(axis, 130, R);
    for (int l = 0; l < 3; ++l)
        for (int b = 0; b < 3; ++b)
            for (int round = 0; round < (b == 2 ? 1 : 2); ++round) {
                sheet s;
                start(&s, context, l, b, "exact", round);
                for (int n = 0; n < s.f.nodes; ++n) {
                    sn_multiply_vector3(R, s.f.rest + 3 * n, s.f.x + 3 * n);
                    for (int a = 0; a < 3; ++a) s.f.x[3 * n + a] += 0.3 * (a + 1);
                }
                double *f = doubles(3 * s.f.nodes), energy;
                assert_int_equal(force_of(&s.f, s.f.x, NULL, f), SN_OK);
                assert_int_equal(energy_of(&s.f, s.f.x, &energy), SN_OK);
                /* 1000 Pa on a side of 0.1 m x 0.01 m is 1 N, a moment of 0.05 N m 0.5 N */
                if (!(largest(f, 3 * s.f.nodes) < 1e-11 && fabs(energy) < 1e-12))
                    fail_msg("%s %s: force %g, energy %g", laws[l], models[b], largest(f, 3 * s.f.nodes), energy);
                free(f);
                sheet_end(&s);
            }
    sn_context_destroy(context);
}

/* The patch test: an affine map leaves the inner nodes of an uneven flat sheet in balance. Flat hinges do not act. */
static void affine_maps(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    const double F[9] = {1.1, 0.05, -0.3, 0.2, 0.95, 0.08, 0, 0, 0};
    for (int l = 0; l < 3; ++l)
        for (int b = 0; b < 3; ++b) {
            sheet s;
            start_with(&s, context, 5, l, b, "exact", false, true);
            for (int n = 0; n < s.f.nodes; ++n) sn_multiply_vector3(F, s.f.rest + 3 * n, s.f.x + 3 * n);
            double *f = doubles(3 * s.f.nodes), inside = 0;
            assert_int_equal(force_of(&s.f, s.f.x, NULL, f), SN_OK);
            assert_int_equal(s.f.nodes, 36);
            for (int n = 0; n < s.f.nodes; ++n)
                if (n % 6 > 0 && n % 6 < 5 && n / 6 > 0 && n / 6 < 5) inside = fmax(inside, largest(f + 3 * n, 3));
            const double all = largest(f, 3 * s.f.nodes);
            if (!(all > 0.1 && inside < 1e-12 * all))
                fail_msg("%s %s: %g N inside, %g N at the rim", laws[l], models[b], inside, all);
            free(f);
            sheet_end(&s);
        }
    sn_context_destroy(context);
}

/* The projected differential is never negative, and is the exact one where the sheet is flat and stretched. */
static void projected(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    for (int l = 0; l < 3; ++l)
        for (int b = 0; b < 3; ++b) {
            sheet s;
            start(&s, context, l, b, "projected", false);
            check_projected(&s);
            sheet_end(&s);
        }
    sn_context_destroy(context);
}

/* ---- Weights ---- */
/* The energy of a cylinder of curvature 1 in a direction over that of the plate, on the inner part of a lattice that is
 * spanned by two vectors and cut into triangles. */
static double cylinder(int kind, double angle, const char *model) {
    sn_context *context = make_context("auto", 1);
    enum { N = 24 };
    fixture f = {.context = context};
    const double h = 0.01;
    f.nodes = (N + 1) * (N + 1), f.elements = 2 * N * N;
    f.rest = doubles(3 * f.nodes), f.x = doubles(3 * f.nodes), f.v = doubles(3 * f.nodes);
    f.node = calloc((size_t)f.elements * 3, sizeof *f.node);
    f.material_of = calloc((size_t)f.elements, sizeof *f.material_of);
    for (int i = 0; i < f.nodes; ++i) {
        double *X = f.rest + 3 * i;
        const double column = i % (N + 1), row = (int)(i / (N + 1));
        X[0] = h * column, X[1] = h * row;
        if (kind == 1) X[0] = h * (column + 0.5 * ((i / (N + 1)) % 2)), X[1] = h * row * sqrt(0.75);
        if (kind == 2) X[0] += 0.2 * h * noise(2 * i), X[1] += 0.2 * h * noise(2 * i + 1);
    }
    for (int c = 0; c < N * N; ++c) {
        const int row = c / N, column = c % N, a = row * (N + 1) + column;
        const int turn = kind == 1 ? row & 1 : (row + column) & 1; /* alternating diagonals; rows of equilateral ones */
        const int first[6] = {a, a + 1, a + N + 2, a, a + N + 2, a + N + 1},
                  second[6] = {a, a + 1, a + N + 1, a + 1, a + N + 2, a + N + 1};
        for (int i = 0; i < 6; ++i) f.node[6 * c + i] = (kind == 1 ? turn : !turn) ? first[i] : second[i];
    }
    f.material[0] = sn_material_default();
    strcpy(f.material[0].law, "cloth-stvk");
    f.material[0].bending_stiffness = 2;
    snprintf(f.material[0].bending_model, sizeof f.material[0].bending_model, "%s", model);
    f.source = (sn_batch_source){.element = &sn_element_cloth,
                                 .element_count = f.elements,
                                 .node = f.node,
                                 .rest = f.rest,
                                 .material = f.material_of,
                                 .materials = f.material,
                                 .material_count = 1,
                                 .name = "sheet",
                                 .thickness = 0.001};
    sn_batch_source hinges;
    const int which = strcmp(model, "quadratic") == 0;
    assert_int_equal(sn_element_cloth.beside[which]->derive(context, &f.source, NULL, &hinges, NULL), SN_OK);
    /* Only hinges of the inner part, where each triangle has its neighbours; x stays as it is, z is bent. */
    /* whole periods of the lattice */
    const double tall = kind == 1 ? sqrt(0.75) : 1, low = 6.1 * h, high = 14.1 * h;
    double energy = 0, area = (high - low) * (high - low) * tall;
    for (int i = 0; i < f.nodes; ++i) {
        const double s = cos(angle) * f.rest[3 * i] + sin(angle) * f.rest[3 * i + 1];
        f.rest[3 * i + 2] = 0.5 * s * s; /* the hinges have their rest shape already */
    }
    double inside = 0;
    for (int i = 0; i < hinges.element_count; ++i) {
        const int32_t *n = hinges.node + 4 * i;
        double middle[2], e[3], N0[3], N1[3], f0[3], f1[3];
        for (int a = 0; a < 2; ++a) middle[a] = 0.5 * (f.rest[3 * n[0] + a] + f.rest[3 * n[1] + a]);
        if (middle[0] < low || middle[0] >= high || middle[1] < tall * low || middle[1] >= tall * high) continue;
        sn_subtract3(f.rest + 3 * n[1], f.rest + 3 * n[0], e);
        sn_subtract3(f.rest + 3 * n[2], f.rest + 3 * n[0], f0);
        sn_subtract3(f.rest + 3 * n[3], f.rest + 3 * n[0], f1);
        sn_cross3(e, f0, N0), sn_cross3(f1, e, N1);
        /* small slopes: the jump of the slope, without the tilt of the sheet */
        const double g0[2] = {-N0[0] / N0[2], -N0[1] / N0[2]}, g1[2] = {-N1[0] / N1[2], -N1[1] / N1[2]};
        const double jump = hypot(g0[0] - g1[0], g0[1] - g1[1]);
        energy += 0.5 * 2 * hinges.factor[i] * jump * jump;
        ++inside;
    }
    assert_true(inside > 100);
    sn_element_cloth.beside[which]->release(context, &hinges);
    free(f.rest), free(f.x), free(f.v), free(f.node), free(f.material_of);
    sn_context_destroy(context);
    return energy / (0.5 * 2 * area);
}

/* A sheet is equally stiff in all directions: exactly on the grid with alternating diagonals and on equilateral
 * triangles, nearly on a distorted grid. Where nodes give way, the hinges are stiffer than the plate: by a third on the
 * grid, whose nodes of four neighbours give way by a quarter, and not at all on equilateral triangles. */
static void weights(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        double low = INFINITY, high = 0, mean = 0;
        for (int i = 0; i < 12; ++i) {
            const double ratio = cylinder(kind, 0.2 + M_PI * i / 12, i % 2 ? "quadratic" : "dihedral");
            low = fmin(low, ratio), high = fmax(high, ratio), mean += ratio / 12;
        }
        print_message("  mesh %d: stiffness over that of the plate %.4f to %.4f, mean %.4f\n", kind, low, high, mean);
        assert_true(high / low < (kind == 2 ? 1.2 : 1 + 1e-9));
        if (kind < 2) assert_true(fabs(mean / (kind == 0 ? 4.0 / 3 : 1) - 1) < 0.01);
    }
}

/* ---- Errors and bits ---- */
static void round_cloth_is_not_quadratic(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    sheet s;
    sheet_start(&s, context, 3, true);
    for (int m = 0; m < 2; ++m) {
        set_law(context, &s.f.material[m], "cloth-stvk", SN_DIFFERENTIAL_EXACT, 1000);
        s.f.material[m].bending_stiffness = 1;
        strcpy(s.f.material[m].bending_model, "quadratic");
    }
    s.f.source.materials = s.f.material;
    sn_error error = {0};
    sn_batch_source hinges;
    assert_int_equal(sn_element_hinge_flat.derive(context, &s.f.source, NULL, &hinges, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "flat at rest"));
    assert_non_null(strstr(error.path, "bending.model"));
    free_fixture(&s.f);
    sn_context_destroy(context);
}

static void same_bits(void **state) {
    (void)state;
    static const char *const isa[] = {"baseline", "avx2", "avx512"};
    for (int l = 0; l < 3; ++l)
        for (int b = 1; b < 3; ++b) {
            double *first = NULL;
            for (int v = 0; v < 3; ++v) {
                sn_context *context = make_context(isa[v], v + 1);
                sheet s;
                start(&s, context, l, b, "exact", false);
                sheet_state_set(&s, FOLDED);
                const int n = 3 * s.f.nodes;
                double *out = doubles(2 * n);
                force_of(&s.f, s.f.x, s.f.v, out);
                product_of(&s.f, 1, 0.1, s.f.v, out + n);
                if (first) assert_memory_equal(first, out, (size_t)(2 * n) * sizeof *out);
                if (first)
                    free(out);
                else
                    first = out;
                sheet_end(&s);
                sn_context_destroy(context);
            }
            free(first);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives),
        cmocka_unit_test(degenerate),
        cmocka_unit_test(rigid_motions),
        cmocka_unit_test(affine_maps),
        cmocka_unit_test(projected),
        cmocka_unit_test(weights),
        cmocka_unit_test(round_cloth_is_not_quadratic),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
