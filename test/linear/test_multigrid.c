/* Multigrid as a preconditioner: iterations hardly grow with the mesh; graded, thin and divided shapes, statics and
 * held directions converge; the same bits on any number of threads and any instruction set; clean failures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "beam.h"
#include "failing_allocator.h"
#include "simd_sets.h"

/* How the box becomes the shape: moves the rest positions, and says which tets stay (by their centre). */
typedef struct shape {
    void (*move)(double p[3]);
    bool (*keep)(const double centre[3]);
} shape;

static void graded(double p[3]) {
    p[2] = p[2] * p[2] * p[2];
    p[0] = 0.3 * pow(p[0] / 0.3, 2);
}
/* Two fingers, one cell apart, joined at the far end. */
static bool fingers(const double c[3]) { return c[2] > 0.8 || c[1] < 0.12 || c[1] > 0.18; }

/* Turned against the lattice, so that its surface cuts cells anyhow. */
static void slanted(double p[3]) {
    const double x = 0.8 * p[0] - 0.6 * p[1], y = 0.6 * p[0] + 0.8 * p[1], z = p[2];
    p[0] = 0.9 * x - sqrt(0.19) * z, p[1] = y, p[2] = sqrt(0.19) * x + 0.9 * z;
}
/* Many parts that do not touch: every other layer in two directions. */
static bool pieces(const double c[3]) { return (int)(c[2] * 21) % 2 == 0 && (int)(c[0] * 7 / 0.3) % 2 == 0; }

static int solve(const sn_context_options *options, int a, int c, double poisson, double m, const shape *shape,
                 const char *preconditioner, uint64_t *hash, double *residual) {
    sn_context *context;
    sn_error error = {0};
    assert_int_equal(sn_context_create(options, &context, &error), SN_OK);
    beam b;
    assert_int_equal(beam_create(&b, context, a, c, poisson, &error), SN_OK);
    int32_t *all = calloc((size_t)b.nodes + 1, sizeof *all);
    if (shape) { /* compiled again from the changed shape */
        sn_elements_release(context, &b.elements);
        int kept = 0;
        for (int t = 0; t < b.tets; ++t) {
            double centre[3] = {0};
            for (int k = 0; k < 4; ++k)
                for (int e = 0; e < 3; ++e) centre[e] += b.rest[3 * b.tet[4 * t + k] + e] / 4;
            if (shape->keep && !shape->keep(centre)) continue;
            memmove(b.tet + 4 * kept++, b.tet + 4 * t, 4 * sizeof *b.tet);
        }
        b.tets = b.source.element_count = kept;
        b.filter.count = 0;
        for (int i = 0; i < b.nodes; ++i)
            if (b.rest[3 * i + 2] < 1e-9) b.filter.node[b.filter.count++] = i;
        for (int i = 0; i < b.nodes && shape->move; ++i) shape->move(b.rest + 3 * i);
        memset(b.mass, 0, (size_t)b.nodes * sizeof *b.mass);
        sn_element_settings_release(context, &b.settings);
        assert_int_equal(sn_elements_compile(context, &b.source, 1, b.nodes, &b.elements, &error), SN_OK);
        assert_int_equal(sn_element_settings_create(context, &b.elements, &b.parameters, 0, &b.settings, &error),
                         SN_OK);
        assert_int_equal(sn_mass_lumped(&b.source, b.mass, &error), SN_OK);
        const int held = b.filter.count;
        b.filter.count = 0;
        for (int i = 0, next = 0; i < b.nodes; ++i) { /* and nodes without elements */
            const bool clamped = next < held && b.filter.node[next] == i;
            next += clamped;
            all[b.filter.count] = i;
            b.filter.count += clamped || b.mass[i] == 0;
        }
        memcpy(b.filter.node, all, (size_t)b.filter.count * sizeof *all);
    }
    const int n = 3 * b.nodes;
    double *f = calloc((size_t)n * 2, sizeof *f), *x = f + n;
    for (int i = 0; i < b.nodes; ++i) f[3 * i + 1] = -9.81 * b.mass[i];
    const sn_element_view view = {.settings = &b.settings, .x = b.rest};
    sn_solver_options solver = sn_solver_options_default();
    snprintf(solver.method, sizeof solver.method, "cg");
    snprintf(solver.preconditioner, sizeof solver.preconditioner, "%s", preconditioner);
    solver.iterations = 5000;
    const sn_linear_model model = beam_model(&b);
    sn_linear *linear;
    assert_int_equal(sn_linear_create(context, &model, &solver, m == 0, &linear, &error), SN_OK);
    sn_linear_linearise(linear, &view, NULL, NULL, NULL);
    sn_linear_report report;
    const sn_status status = sn_linear_solve(linear, m, 0, 1, &b.filter, f, x, 1e-6, &report, &error);
    if (status) print_error("%s\n", error.text);
    assert_int_equal(status, SN_OK);
    if (hash) *hash = sn_hash(SN_HASH_START, x, (size_t)n * sizeof *x);
    if (residual) *residual = report.residual;
    sn_linear_destroy(linear);
    free(f);
    free(all);
    beam_destroy(&b);
    sn_context_destroy(context);
    return report.iterations;
}

static void test_growth(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const double poisson = k ? 0.45 : 0.33;
        const int small = solve(NULL, 7, 21, poisson, 1e4, NULL, "multigrid", NULL, NULL);
        const int large = solve(NULL, 12, 36, poisson, 1e4, NULL, "multigrid", NULL, NULL);
        const int jacobi = solve(NULL, 7, 21, poisson, 1e4, NULL, "block-jacobi", NULL, NULL);
        print_message("poisson %g: %d iterations at 5,145 tets, %d at 25,920; block Jacobi %d at 5,145\n", poisson,
                      small, large, jacobi);
        assert_true(2 * large <= 3 * small);
        assert_true(3 * small < jacobi);
    }
}

static void test_shapes(void **state) {
    (void)state;
    const shape grade = {graded, NULL}, divided = {NULL, fingers};
    double residual;
    const int plain = solve(NULL, 7, 21, 0.33, 0, NULL, "multigrid", NULL, &residual);
    assert_true(residual <= 1e-6);
    const int fine = solve(NULL, 7, 21, 0.33, 0, &grade, "multigrid", NULL, &residual);
    assert_true(residual <= 1e-6);
    const int two = solve(NULL, 7, 21, 0.33, 0, &divided, "multigrid", NULL, &residual);
    assert_true(residual <= 1e-6);
    const int two_jacobi = solve(NULL, 7, 21, 0.33, 0, &divided, "block-jacobi", NULL, NULL);
    const int fine_jacobi = solve(NULL, 7, 21, 0.33, 0, &grade, "block-jacobi", NULL, NULL);
    print_message("statics: beam %d, graded %d (block Jacobi %d), two fingers %d (block Jacobi %d)\n", plain, fine,
                  fine_jacobi, two, two_jacobi);
    assert_true(plain < 40);
    assert_true(two < 60 && 5 * two < two_jacobi);
    assert_true(3 * fine < fine_jacobi);
    const shape slant = {slanted, NULL}, many = {NULL, pieces};
    const int straight = solve(NULL, 7, 21, 0.45, 1e4, NULL, "multigrid", NULL, NULL);
    const int slanting = solve(NULL, 7, 21, 0.45, 1e4, &slant, "multigrid", NULL, NULL);
    const int parted = solve(NULL, 7, 21, 0.33, 1e4, &many, "multigrid", NULL, NULL);
    print_message("poisson 0.45: slanted %d, straight %d; 44 parts %d\n", slanting, straight, parted);
    assert_true(slanting <= straight + 2);
    assert_true(parted <= 20);
}

/* What comes to the elements: constraints in some directions, blocks of a list, a mass that couples nodes. */
typedef struct extra {
    bool slide;     /* the clamped nodes may move along the plane */
    double springs; /* stiffness of springs along edges, N/m; 0 for none */
    bool consistent;
} extra;

static int solve_with(const extra *extra) {
    sn_context *context;
    sn_error error = {0};
    assert_int_equal(sn_context_create(NULL, &context, &error), SN_OK);
    beam b;
    assert_int_equal(beam_create(&b, context, 7, 21, 0.33, &error), SN_OK);
    for (int f = 0; f < b.filter.count && extra->slide; ++f)
        b.filter.projection[9 * f] = b.filter.projection[9 * f + 4] = 1;
    const int n = 3 * b.nodes;
    double *f = calloc((size_t)n * 2, sizeof *f), *x = f + n;
    for (int i = 0; i < b.nodes; ++i) f[3 * i + 1] = -9.81 * b.mass[i];
    sn_block_list list = {.row = calloc((size_t)b.tets * 4, 4),
                          .column = calloc((size_t)b.tets * 4, 4),
                          .value = calloc((size_t)b.tets * 4, 72)};
    for (int t = 0; t < b.tets && extra->springs > 0; ++t)
        for (int k = 0; k < 4; ++k) { /* between the first two nodes of each tet */
            list.row[list.count] = b.tet[4 * t + k / 2], list.column[list.count] = b.tet[4 * t + k % 2];
            const double *p = b.rest + 3 * b.tet[4 * t], *q = b.rest + 3 * b.tet[4 * t + 1];
            double d[3], length = 0;
            for (int a = 0; a < 3; ++a) d[a] = p[a] - q[a], length += d[a] * d[a];
            for (int e = 0; e < 9; ++e)
                list.value[9 * list.count + e] =
                    (k == 0 || k == 3 ? 1 : -1) * extra->springs * d[e % 3] * d[e / 3] / length;
            ++list.count;
        }
    const sn_element_view view = {.settings = &b.settings, .x = b.rest};
    sn_solver_options solver = sn_solver_options_default();
    snprintf(solver.method, sizeof solver.method, "cg");
    snprintf(solver.preconditioner, sizeof solver.preconditioner, "multigrid");
    sn_linear_model model = beam_model(&b);
    const uint8_t consistent = 1;
    double *none = calloc((size_t)b.nodes, sizeof *none);
    if (extra->consistent)
        model.mass = none, model.source = &b.source, model.source_consistent = &consistent, model.source_count = 1;
    sn_linear *linear;
    assert_int_equal(sn_linear_create(context, &model, &solver, false, &linear, &error), SN_OK);
    sn_linear_linearise(linear, &view, &list, NULL, NULL);
    sn_linear_report report;
    const sn_status status = sn_linear_solve(linear, 1e4, 0, 1, &b.filter, f, x, 1e-6, &report, &error);
    if (status) print_error("%s\n", error.text);
    assert_int_equal(status, SN_OK);
    sn_linear_destroy(linear);
    free(f), free(none), free(list.row), free(list.column), free(list.value);
    beam_destroy(&b);
    sn_context_destroy(context);
    return report.iterations;
}

static void test_extras(void **state) {
    (void)state;
    const int plain = solve_with(&(extra){0}), slide = solve_with(&(extra){.slide = true}),
              soft = solve_with(&(extra){.springs = 1e4}), stiff = solve_with(&(extra){.springs = 1e6}),
              coupled = solve_with(&(extra){.consistent = true});
    print_message("plain %d, sliding clamp %d, springs in elements %d, hard ones %d, consistent mass %d\n", plain,
                  slide, soft, stiff, coupled);
    assert_true(slide <= plain + 3);
    assert_true(soft <= plain + 6);
    assert_true(coupled <= plain + 3);
    assert_true(stiff < 10 * plain);
}

/* The body turns by a right angle and more after the coarse matrices were made. */
static void test_turned(void **state) {
    (void)state;
    sn_context *context;
    sn_error error = {0};
    assert_int_equal(sn_context_create(NULL, &context, &error), SN_OK);
    beam b;
    assert_int_equal(beam_create(&b, context, 7, 21, 0.33, &error), SN_OK);
    b.filter.count = 0; /* free to turn */
    const int n = 3 * b.nodes;
    double *f = calloc((size_t)n * 3, sizeof *f), *x = f + n, *turned = x + n;
    sn_solver_options solver = sn_solver_options_default();
    snprintf(solver.method, sizeof solver.method, "cg");
    snprintf(solver.preconditioner, sizeof solver.preconditioner, "multigrid");
    const sn_linear_model model = beam_model(&b);
    sn_linear *linear;
    assert_int_equal(sn_linear_create(context, &model, &solver, false, &linear, &error), SN_OK);
    int fresh = 0;
    for (int k = 0; k <= 6; ++k) {
        const double angle = 0.35 * k, c = cos(angle), s = sin(angle);
        for (int i = 0; i < b.nodes; ++i) { /* in its own frame always the same load */
            const double *p = b.x + 3 * i, load[3] = {sin(0.7 * i), 1, p[2]};
            const double r[9] = {c, -s * c, s * s, s, c * c, -c * s, 0, s, c};
            for (int a = 0; a < 3; ++a) {
                turned[3 * i + a] = r[3 * a] * p[0] + r[3 * a + 1] * p[1] + r[3 * a + 2] * p[2];
                f[3 * i + a] = b.mass[i] * (r[3 * a] * load[0] + r[3 * a + 1] * load[1] + r[3 * a + 2] * load[2]);
            }
        }
        memset(x, 0, (size_t)n * sizeof *x);
        const sn_element_view view = {.settings = &b.settings, .x = turned};
        sn_linear_linearise(linear, &view, NULL, NULL, NULL);
        sn_linear_report report;
        assert_int_equal(sn_linear_solve(linear, 1e4, 0, 1, &b.filter, f, x, 1e-6, &report, &error), SN_OK);
        if (k == 0) fresh = report.iterations;
        print_message("turned by %.2f: %d iterations\n", angle, report.iterations);
        assert_true(report.iterations <= fresh + 1);
    }
    sn_linear_destroy(linear);
    free(f);
    beam_destroy(&b);
    sn_context_destroy(context);
}

static void test_same_bits(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int s = 0; s < 3; ++s)
        for (int threads = s == 2 ? 1 : 3; threads <= 3; ++threads) {
            static const char *const simd[] = {"baseline", "avx2", "avx512"};
            sn_context_options options = sn_context_options_default();
            options.threads = threads;
            options.simd = simd_or_widest(simd[s]);
            uint64_t hash;
            solve(&options, 7, 21, 0.33, 1e4, NULL, "multigrid", &hash, NULL);
            if (!first) first = hash;
            assert_true(hash == first);
        }
}

static void test_memory(void **state) {
    (void)state;
    sn_context *plain;
    sn_error error;
    for (int n = 1;; ++n) {
        failing_allocator failing = failing_allocator_make();
        plain = failing_allocator_context(&failing);
        assert_non_null(plain);
        beam b;
        assert_int_equal(beam_create(&b, plain, 3, 9, 0.33, &error), SN_OK);
        sn_solver_options solver = sn_solver_options_default();
        snprintf(solver.method, sizeof solver.method, "cg");
        snprintf(solver.preconditioner, sizeof solver.preconditioner, "multigrid");
        const sn_linear_model model = beam_model(&b);
        const sn_element_view view = {.settings = &b.settings, .x = b.rest};
        double *x = calloc((size_t)b.nodes * 6, sizeof *x), *f = x + 3 * b.nodes;
        for (int i = 0; i < b.nodes; ++i) f[3 * i + 1] = b.mass[i];
        sn_linear *linear;
        assert_int_equal(sn_linear_create(plain, &model, &solver, false, &linear, &error), SN_OK);
        sn_linear_linearise(linear, &view, NULL, NULL, NULL);
        failing_allocator_arm(&failing, n);
        const sn_status status = sn_linear_solve(linear, 1e4, 0, 1, &b.filter, f, x, 1e-6, NULL, &error);
        failing_allocator_disarm(&failing);
        sn_linear_destroy(linear);
        beam_destroy(&b);
        sn_context_destroy(plain);
        free(x);
        assert_int_equal(failing.live, 0);
        if (!status) {
            assert_true(n > 20); /* it did allocate */
            return;
        }
        assert_int_equal(status, SN_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth),    cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_extras),    cmocka_unit_test(test_turned),
                                       cmocka_unit_test(test_same_bits), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
