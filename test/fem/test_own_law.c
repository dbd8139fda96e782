/* Laws of the caller: the example of docs/own-law.md runs; a copy of one of ours gives its numbers; wrong tables and
 * wrong laws are refused.
 */
#define main example_main
#include "../../docs/own-law.c"
#undef main

#include "fixture.h"

static sn_law_table changed(const char *name) {
    sn_law_table table = rubber_table();
    table.name = name;
    return table;
}

static sn_material rubber_material(const char *law) {
    sn_material material = sn_material_default();
    snprintf(material.law, sizeof material.law, "%s", law);
    assert_int_equal(sn_material_set(&material, "stiffness", (double[]){1e5}, 1, NULL), SN_OK);
    assert_int_equal(sn_material_set(&material, "bulk", (double[]){1e6}, 1, NULL), SN_OK);
    return material;
}

static void the_example_runs(void **state) {
    (void)state;
    assert_int_equal(example_main(), 0);
}

/* ---- Tables ---- */
static void refused(const sn_law_table *table, const char *path, const char *word) {
    sn_context *context = make_context("auto", 1);
    sn_error error = {0};
    assert_int_equal(sn_context_add_law(context, table, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, path);
    if (!strstr(error.text, word)) fail_msg("'%s' lacks '%s'", error.text, word);
    int ours, all;
    sn_laws(&ours), sn_context_laws(context, &all);
    assert_int_equal(all, ours);
    sn_context_destroy(context);
}

static void wrong_tables_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {NULL,      "",         "Rubber",
                                        "9rubber", "a rubber", "rubber-with-a-name-that-is-far-too-long"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const sn_law_table table = changed(names[i]);
        refused(&table, "name", "allowed are");
    }
    sn_law_table table = changed("corotated");
    refused(&table, "name", "already");
    table = rubber_table(), table.cookie = 0;
    refused(&table, "", "sn_law_table_default");
    table = rubber_table(), table.energy = NULL;
    refused(&table, "energy", "lacks");
    table = rubber_table(), table.stress = NULL;
    refused(&table, "stress", "lacks");
    table = rubber_table(), table.parameter_count = 13;
    refused(&table, "parameter_count", "0 to 12");
    sn_parameter parameter[2];
    memcpy(parameter, rubber_parameter, sizeof parameter);
    table = rubber_table(), table.parameter = parameter;
    parameter[1].name = "density";
    refused(&table, "parameter.1", "'density'");
    parameter[1].name = "young";
    refused(&table, "parameter.1", "'young'");
    parameter[1].name = "stiffness";
    refused(&table, "parameter.1", "two parameters");
    parameter[1].name = "bulk", parameter[1].count_max = 10;
    refused(&table, "parameter.1", "1 to 10");
    parameter[1].count_max = 1, parameter[1].high = -1;
    refused(&table, "parameter.1", "empty range");
}

static void names_and_constants_are_checked(void **state) {
    (void)state;
    sn_context *context = make_context("auto", 1);
    sn_law_table table = rubber_table();
    char name[] = "rubber";
    table.name = name;
    assert_int_equal(sn_context_add_law(context, &table, NULL), SN_OK);
    name[0] = 'x'; /* the context has a copy */
    sn_error error = {0};
    const sn_law_table again = rubber_table();
    assert_int_equal(sn_context_add_law(context, &again, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "already"));
    table = changed("second");
    int count, before;
    sn_context_laws(context, &before);
    assert_int_equal(sn_context_add_law(context, &table, NULL), SN_OK);
    const sn_listing *law = sn_context_laws(context, &count);
    assert_int_equal(count, before + 1);
    assert_string_equal(law[count - 2].name, "rubber");
    assert_string_equal(law[count - 1].name, "second");
    assert_string_equal(sn_law_parameters(context, "rubber", &count)[1].name, "bulk");
    assert_int_equal(count, 2);
    assert_null(sn_law_parameters(NULL, "rubber", NULL));

    sn_material material = rubber_material("rubber");
    assert_int_equal(sn_material_check(context, &material, NULL), SN_OK);
    assert_int_equal(sn_material_check(NULL, &material, &error), SN_BAD_INPUT); /* only this context knows it */
    sn_material_set(&material, "bulk", (double[]){-1}, 1, NULL);
    assert_int_equal(sn_material_check(context, &material, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "bulk");
    material.constant_count = 1;
    assert_int_equal(sn_material_check(context, &material, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "lacks 'bulk'"));
    material = rubber_material("ruber");
    assert_int_equal(sn_material_check(context, &material, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "'rubber'"));
    material = rubber_material("rubber");
    const double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
    assert_int_equal(sn_material_evaluate(context, &material, F, NULL, NULL, NULL, &error), SN_INVERTED);
    sn_context_destroy(context);
}

/* ---- The check ---- */
static double lifted_energy(void *user, const double *c, const double F[9]) { return rubber_energy(user, c, F) + 1; }
static void sheared_stress(void *user, const double *c, const double F[9], double P[9]) {
    rubber_stress(user, c, F, P);
    P[1] += 0.2 * c[0] * F[1];
}
static double fixed_energy(void *user, const double *c, const double F[9]) { /* sees x: a turn changes it */
    return 0.5 * c[0] * (F[0] - 1) * (F[0] - 1);
}
static void fixed_stress(void *user, const double *c, const double F[9], double P[9]) {
    memset(P, 0, 9 * sizeof *P);
    P[0] = c[0] * (F[0] - 1);
}
static void no_differential(void *user, const double *c, const double F[9], double dP[81]) {
    memset(dP, 0, 81 * sizeof *dP);
}
static double infinite_energy(void *user, const double *c, const double F[9]) {
    return F[0] > 1.5 ? NAN : rubber_energy(user, c, F);
}

static void the_check_finds_mistakes(void **state) {
    (void)state;
    const struct {
        double (*energy)(void *, const double *, const double *);
        void (*stress)(void *, const double *, const double *, double *);
        void (*differential)(void *, const double *, const double *, double *);
        const char *word;
    } mistake[] = {
        {lifted_energy, rubber_stress, NULL, "energy at rest"},
        {rubber_energy, sheared_stress, NULL, "its stress"},
        {fixed_energy, fixed_stress, NULL, "rigid turn"},
        {rubber_energy, rubber_stress, no_differential, "its differential"},
        {infinite_energy, rubber_stress, NULL, "energy"},
    };
    for (size_t i = 0; i < sizeof mistake / sizeof *mistake; ++i) {
        sn_context *context = make_context("auto", 1);
        sn_law_table table = rubber_table();
        table.energy = mistake[i].energy, table.stress = mistake[i].stress,
        table.differential = mistake[i].differential;
        assert_int_equal(sn_context_add_law(context, &table, NULL), SN_OK);
        const sn_material material = rubber_material("rubber");
        sn_error error = {0};
        assert_int_equal(sn_law_check(context, &material, &error), SN_BAD_INPUT);
        if (!strstr(error.text, mistake[i].word)) fail_msg("'%s' lacks '%s'", error.text, mistake[i].word);
        sn_context_destroy(context);
    }
}

/* ---- Our own neo-Hookean through the table ---- */
static double copy_energy(void *user, const double *c, const double F[9]) {
    const double J = volume(F), L = log(J);
    double square = 0;
    for (int i = 0; i < 9; ++i) square += F[i] * F[i];
    return 0.5 * c[1] * (square - 3) - c[1] * L + 0.5 * c[0] * L * L;
}
static void copy_stress(void *user, const double *c, const double F[9], double P[9]) {
    const double J = volume(F);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int r = (i + 1) % 3, s = (i + 2) % 3, a = (j + 1) % 3, b = (j + 2) % 3;
            P[3 * i + j] = c[1] * F[3 * i + j] +
                           (c[0] * log(J) - c[1]) / J * (F[3 * r + a] * F[3 * s + b] - F[3 * r + b] * F[3 * s + a]);
        }
}

/* Forces and products of a body with the copied law are those of ours, on every instruction set, and the same bits on
 * all. */
static void a_copy_of_ours_is_ours(void **state) {
    (void)state;
    static const sn_parameter pair[] = {{"moduli", "Pa", "lambda and mu", 0, INFINITY, 0, 1, 2, 2}};
    const sn_law_table table = {.cookie = sn_law_table_default().cookie,
                                .name = "copy",
                                .text = "neo-Hookean again",
                                .parameter = pair,
                                .parameter_count = 1,
                                .needs_positive_volume = true,
                                .energy = copy_energy,
                                .stress = copy_stress};
    static const char *const simd[] = {"baseline", "avx2", "avx512"};
    double *first = NULL;
    for (int v = 0; v < 3; ++v) {
        sn_context *context = make_context(simd[v], 1);
        assert_int_equal(sn_context_add_law(context, &table, NULL), SN_OK);
        double *f[2], *y[2], energy[2];
        int n = 0;
        for (int k = 0; k < 2; ++k) {
            fixture s = mesh_fixture(context, &sn_element_tet4, 2, 2, 2, 0.004);
            for (int m = 0; m < 2; ++m) {
                snprintf(s.material[m].law, sizeof s.material[m].law, "%s", k ? "neo-hookean" : "copy");
                assert_int_equal(
                    sn_material_set(&s.material[m], k ? "lame" : "moduli", (double[]){2e5 * (1 + m), 1e5}, 2, NULL),
                    SN_OK);
            }
            compile_fixture(&s);
            set_state(&s, STATE_SHEARED);
            n = 3 * s.nodes;
            f[k] = doubles(n), y[k] = doubles(n);
            assert_int_equal(energy_of(&s, s.x, &energy[k]), SN_OK);
            assert_int_equal(force_of(&s, s.x, NULL, f[k]), SN_OK);
            double *u = doubles(n);
            for (int i = 0; i < n; ++i) u[i] = noise(i);
            product_of(&s, 1, 0, u, y[k]);
            free(u);
            free_fixture(&s);
        }
        assert_true(fabs(energy[0] - energy[1]) < 1e-10 * energy[1]);
        assert_true(distance(f[0], f[1], n) < 1e-9 * largest(f[1], n));
        assert_true(distance(y[0], y[1], n) < 1e-7 * largest(y[1], n)); /* by differences */
        if (!first) {
            first = doubles(n);
            memcpy(first, y[0], (size_t)n * sizeof *first);
        }
        assert_memory_equal(first, y[0], (size_t)n * sizeof *first);
        for (int k = 0; k < 2; ++k) free(f[k]), free(y[k]);
        sn_context_destroy(context);
    }
    free(first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_runs),
        cmocka_unit_test(wrong_tables_are_refused),
        cmocka_unit_test(names_and_constants_are_checked),
        cmocka_unit_test(the_check_finds_mistakes),
        cmocka_unit_test(a_copy_of_ours_is_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
