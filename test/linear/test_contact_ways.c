/* The ways to enforce contact in a linear system, filtered CG, filtered Eisenstat, and a direct factor kept through
 * changes of the contacts by Sherman, Morrison and Woodbury's formula, agree to the solver's tolerance on each system
 * of a sequence with changing contacts (Hauth 5.4.2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "beam.h"

static double noise(int i, int k) { return (double)((i * 7919 + k * 104729 + i * k * 31) % 1009) / 504.5 - 1; }

/* The clamped end, and contacts: a patch of nodes that wanders, with normals that turn; x gets their prescribed motion.
 */
static void make_contacts(const beam *b, int round, sn_filter *filter, double *x) {
    filter->count = 0;
    memset(x, 0, 3 * (size_t)b->nodes * sizeof *x);
    for (int i = 0; i < b->nodes; ++i) {
        const double *p = b->rest + 3 * i;
        double *S = filter->projection + 9 * filter->count;
        if (p[2] < 1e-9) {
            memset(S, 0, 9 * sizeof *S);
        } else if (p[1] < 1e-9 && fabs(p[2] - 0.15 * round) < 0.2) {
            const double angle = 0.4 * noise(i, round / 2), n[3] = {sin(angle), cos(angle), 0};
            const bool stick = (i + round) % 3 == 0;
            for (int k = 0; k < 9; ++k) S[k] = stick ? 0 : (k % 4 == 0) - n[k / 3] * n[k % 3];
            for (int a = 0; a < 3; ++a) x[3 * i + a] = (stick || a < 2) ? 1e-3 * n[a] * (2 + noise(i, 3)) : 0;
        } else {
            continue;
        }
        filter->node[filter->count++] = i;
    }
}

/* What the solver measures its residual against: the filtered right-hand side without the work of the prescribed
 * motion. */
static double reference(sn_linear *linear, double m, double d, double k, const sn_filter *filter, const double *rhs,
                        const double *x, size_t n, double *given, double *out) {
    memcpy(given, x, n * sizeof *x);
    sn_filter_apply(filter, given);
    for (size_t i = 0; i < n; ++i) given[i] = x[i] - given[i];
    sn_linear_product(linear, m, d, k, given, out);
    for (size_t i = 0; i < n; ++i) out[i] = rhs[i] - out[i];
    sn_filter_apply(filter, out);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += out[i] * out[i];
    return sqrt(sum);
}

static void test_agree(void **state) {
    (void)state;
    enum { ROUNDS = 6, WAYS = 5 };
    static const char *const way[WAYS][2] = {
        {"cg", "none"}, {"cg", "block-jacobi"}, {"eisenstat", ""}, {"ldlt", ""}, {"cholesky", ""}};
    const double tolerance = 1e-8;
    const struct { double m, d, k; } system[3] = {{1e4, 1e2, 1}, {1e6, 0, 1}, {0, 0, 1}}; /* two steps and statics */
    sn_context_options o = sn_context_options_default();
    o.threads = 1;
    sn_context *context;
    assert_int_equal(sn_context_create(&o, &context, NULL), SN_OK);
    beam b;
    assert_int_equal(beam_create(&b, context, 3, 9, 0.4, NULL), SN_OK);
    const size_t n = 3 * (size_t)b.nodes;
    double *rhs = malloc(n * sizeof *rhs), *x = malloc(n * sizeof *x), *first = malloc(n * sizeof *first),
           *product = malloc(n * sizeof *x);
    const sn_element_view view = {.settings = &b.settings, .x = b.x, .x_before = b.x};
    for (int s = 0; s < 3; ++s)
        for (int w = 0; w < WAYS; ++w) {
            if (strcmp(way[w][0], "cholesky") == 0 && !sn_direct_find("cholesky")) continue;
            sn_solver_options options = sn_solver_options_default();
            snprintf(options.method, sizeof options.method, "%s", way[w][0]);
            if (*way[w][1]) snprintf(options.preconditioner, sizeof options.preconditioner, "%s", way[w][1]);
            snprintf(options.precision, sizeof options.precision, "double");
            options.iterations = 20000;
            const sn_linear_model model = beam_model(&b);
            sn_linear *linear;
            assert_int_equal(sn_linear_create(context, &model, &options, system[s].m == 0, &linear, NULL), SN_OK);
            sn_linear_linearise(linear, &view, NULL, NULL, NULL);
            static double kept[ROUNDS][3 * 4000];
            for (int round = 0; round < ROUNDS; ++round) {
                make_contacts(&b, round, &b.filter, x);
                memcpy(first, x, n * sizeof *x);
                for (size_t i = 0; i < n; ++i) rhs[i] = noise((int)i, round);
                sn_error error = {0};
                const sn_status status = sn_linear_solve(linear, system[s].m, system[s].d, system[s].k, &b.filter, rhs,
                                                         x, tolerance, NULL, &error);
                if (status) print_message("%s: %s\n", way[w][0], error.text);
                assert_int_equal(status, SN_OK);
                /* The prescribed motion is there to rounding... */
                double difference = 0;
                for (size_t i = 0; i < n; ++i) product[i] = x[i] - first[i];
                for (int f = 0; f < b.filter.count; ++f) {
                    const double *S = b.filter.projection + 9 * f, *u = product + 3 * b.filter.node[f];
                    for (int a = 0; a < 3; ++a)
                        assert_true(fabs(u[a] - S[3 * a] * u[0] - S[3 * a + 1] * u[1] - S[3 * a + 2] * u[2]) < 1e-15);
                }
                /* ... and the ways agree: |x - y|_A = |r_x - r_y| in the dual norm; here by the residual of the
                 * difference. */
                if (w == 0) memcpy(kept[round], x, n * sizeof *x);
                for (size_t i = 0; i < n; ++i) first[i] = x[i] - kept[round][i];
                sn_linear_product(linear, system[s].m, system[s].d, system[s].k, first, product);
                sn_filter_apply(&b.filter, product);
                for (size_t i = 0; i < n; ++i) difference += product[i] * product[i];
                const double goal =
                    2.1 * tolerance *
                    reference(linear, system[s].m, system[s].d, system[s].k, &b.filter, rhs, x, n, first, product);
                if (!(sqrt(difference) <= goal))
                    print_message("%s, round %d: %g > %g\n", way[w][0], round, sqrt(difference), goal);
                assert_true(sqrt(difference) <= goal);
            }
            sn_linear_destroy(linear);
        }
    free(rhs), free(x), free(first), free(product);
    beam_destroy(&b);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
