/* The scalar matrix of the linearised tension: its product and its preconditioners against dense matrices, and solves
 * of a world with it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linear/solver_inside.h"
#include "scene_text.h"
#include "world/inside.h"

static sn_context *context;

static const char sheet[] =
    "{\"bodies\": [{\"mesh\": {\"grid\": {\"size\": [1, 1], \"cells\": [6, 5]}}, \"thickness\": 0.001, \"material\": "
    "{\"law\": \"cloth-particles\", \"stretch\": [4e4, 5e4], \"shear\": 1e3, \"damping\": 20, \"area_density\": 0.2, "
    "\"rayleigh\": {\"mass\": 0.5, \"stiffness\": 0.001}, \"bending\": {\"stiffness\": 1e-5}}, \"fix\": [{\"select\": "
    "{\"group\": \"x-\"}}, {\"select\": {\"group\": \"x+\"}, \"axes\": \"y\"}]}], \"time\": {\"step\": 0.01, "
    "\"newton\": "
    "{\"jacobian\": \"approximate\", \"kind\": \"inexact\", \"iterations\": 1000, \"tolerance\": 1e-9}}, \"solver\": "
    "{\"tolerance\": 1e-10, "
    "\"preconditioner\": \"%s\"}}";

static sn_world *make(const char *preconditioner) {
    char text[1200];
    snprintf(text, sizeof text, sheet, preconditioner);
    return world_of_text(context, text);
}

static sn_linearisation *linearise(sn_world *world, double *force) {
    sn_system *system = &world->workspace.system.base;
    sn_result result = {0};
    sn_error error = {0};
    const sn_request request = {
        .x = world->state.x, .v = world->state.v, .force = force, .linearise = SN_LINEARISE_TENSION};
    if (system->table->evaluate(system, &request, &result, &error)) fail_msg("%s", error.text);
    return result.linearisation;
}

/* At rest and flat, the exact K of edges has the tension along them alone. So the scalar matrix is the exact one for
 * motions along the edges of a line, and its D is exact for all motions but for Rayleigh's and bending. */
static void products(void **state) {
    (void)state;
    sn_world *world = make("ic0");
    const int n = 3 * world->model->node_count;
    double *f = calloc(6 * (size_t)n, sizeof *f), *u = f + n, *Au = u + n, *Bu = Au + n, *w = Bu + n, *Aw = w + n;
    sn_linearisation *A = linearise(world, f);
    for (int i = 0; i < n; ++i) u[i] = sin(3 * i), w[i] = cos(2 * i);
    /* K u sums to zero for rigid moves; M is the mass */
    for (int i = 0; i < n; ++i) Bu[i] = i % 3 == 1 ? 0.7 : -0.2;
    sn_linearisation_product(A, 3, 0, 1, Bu, Au);
    for (int i = 0; i < n; ++i) assert_true(fabs(Au[i] - 3 * world->solid->mass[i / 3] * Bu[i]) < 1e-11);
    /* symmetric, linear in m, d, k, and definite */
    double left = 0, right = 0, own = 0;
    sn_linearisation_product(A, 3, 2, 1, u, Au);
    sn_linearisation_product(A, 3, 2, 1, w, Aw);
    for (int i = 0; i < n; ++i) left += w[i] * Au[i], right += u[i] * Aw[i], own += u[i] * Au[i];
    assert_true(fabs(left - right) < 1e-12 * fabs(own) && own > 0);
    for (int part = 0; part < 3; ++part) {
        sn_linearisation_product(A, part == 0 ? 3 : 0, part == 1 ? 2 : 0, part == 2, u, Bu);
        for (int i = 0; i < n; ++i) Au[i] -= Bu[i];
    }
    for (int i = 0; i < n; ++i) assert_true(fabs(Au[i]) < 1e-10);
    /* the force of a stretch along one line of the grid */
    sn_world *exact = make("ic0");
    const sn_request request = {.x = exact->state.x, .v = exact->state.v, .force = f, .linearise = SN_LINEARISE_EXACT};
    sn_result result = {0};
    assert_int_equal(
        exact->workspace.system.base.table->evaluate(&exact->workspace.system.base, &request, &result, NULL), SN_OK);
    for (int i = 0; i < n; ++i) u[i] = i % 3 == 0 ? exact->model->rest[i] : 0; /* all stretched along x */
    sn_linearisation_product(result.linearisation, 0, 0, 1, u, Au);
    sn_linearisation_product(A, 0, 0, 1, u, Bu);
    for (int i = 0; i < n; ++i) assert_true(fabs(Au[i] - Bu[i]) < 1e-9);
    sn_world_destroy(exact);
    sn_world_destroy(world);
    free(f);
}

/* Each preconditioner is symmetric and definite in the free directions, and CG with it solves to the tolerance. */
static void preconditioners(void **state) {
    (void)state;
    static const char *const name[] = {"none", "diagonal", "ssor", "ic0"};
    int iterations[4];
    for (int p = 0; p < 4; ++p) {
        sn_world *world = make(name[p]);
        const int n = 3 * world->model->node_count;
        double *f = calloc(6 * (size_t)n, sizeof *f), *x = f + n, *b = x + n, *z = b + n, *y = z + n, *w = y + n;
        sn_linearisation *A = linearise(world, f);
        const sn_filter *filter = sn_interactions_filter(world, NULL);
        for (int i = 0; i < n; ++i) b[i] = sin(5 * i);
        sn_linear_report report = {0};
        sn_error error = {0};
        const sn_solve solve = {.m = 1e4, .d = 100, .k = 1, .b = b, .x = x, .tolerance = 1e-10};
        if (sn_linearisation_solve(A, &solve, &report, &error)) fail_msg("%s", error.text);
        assert_string_equal(report.preconditioner, name[p]);
        sn_linearisation_product(A, 1e4, 100, 1, x, y);
        for (int i = 0; i < n; ++i) y[i] -= b[i];
        sn_filter_apply(filter, y), memcpy(w, b, (size_t)n * sizeof *w), sn_filter_apply(filter, w);
        double off = 0, size = 0;
        for (int i = 0; i < n; ++i) off += y[i] * y[i], size += w[i] * w[i];
        assert_true(sqrt(off) < 1e-9 * sqrt(size));
        iterations[p] = report.iterations;
        if (p > 0) {
            sn_linear *linear = world->workspace.linear;
            double left = 0, right = 0, own = 0;
            for (int i = 0; i < n; ++i) x[i] = cos(7 * i);
            sn_filter_apply(filter, x);
            linear->preconditioner->apply(linear->data, w, z);
            linear->preconditioner->apply(linear->data, x, y);
            for (int i = 0; i < n; ++i) left += x[i] * z[i], right += w[i] * y[i], own += w[i] * z[i];
            assert_true(fabs(left - right) < 1e-10 * fabs(own) && own > 0);
        }
        free(f);
        sn_world_destroy(world);
    }
    print_message("  iterations: none %d, diagonal %d, ssor %d, ic0 %d\n", iterations[0], iterations[1], iterations[2],
                  iterations[3]);
    assert_true(iterations[3] <= iterations[1] && iterations[2] <= iterations[1] && iterations[1] <= iterations[0]);
}

/* Dense matrices of one column of x, row by row. */
static void invert(int n, double *A, double *out) {
    for (int i = 0; i < n * n; ++i) out[i] = i % (n + 1) == 0;
    for (int k = 0; k < n; ++k) {
        const double pivot = A[k * n + k]; /* definite */
        for (int j = 0; j < n; ++j) A[k * n + j] /= pivot, out[k * n + j] /= pivot;
        for (int i = 0; i < n; ++i) {
            const double factor = i == k ? 0 : A[i * n + k];
            for (int j = 0; j < n && factor != 0; ++j)
                A[i * n + j] -= factor * A[k * n + j], out[i * n + j] -= factor * out[k * n + j];
        }
    }
}

/* P of SSOR is (D + w L) D^-1 (D + w L^T) / (w (2 - w)); that of IC(0) is A on the pattern of A. */
static void forms(void **state) {
    (void)state;
    for (int p = 0; p < 2; ++p) {
        sn_world *world = make(p ? "ssor" : "ic0");
        sn_error error = {0};
        sn_solver_options solver = sn_world_solver_options(world);
        if (p) solver.omega = 1.3;
        assert_int_equal(sn_world_set_solver(world, &solver, &error), SN_OK);
        sn_linear *linear = world->workspace.linear;
        const int nodes = world->model->node_count;
        const size_t square = (size_t)nodes * (size_t)nodes;
        double *f = calloc(6 * (size_t)nodes + 3 * square, sizeof *f), *z = f + 3 * nodes, *A = z + 3 * nodes,
               *P = A + square, *B = P + square;
        linearise(world, f);
        /* without constraints */
        sn_linear_report report = {0};
        for (int i = 0; i < 3 * nodes; ++i) f[i] = sin(i);
        if (sn_linear_solve(linear, 1e4, 100, 1, NULL, f, z, 1e-8, &report, &error)) fail_msg("%s", error.text);
        const sn_scalar *s = &linear->scalar;
        for (int i = 0; i < nodes; ++i) {
            A[i * nodes + i] = s->diagonal[i];
            for (int32_t e = s->begin[i]; e < s->begin[i + 1]; ++e) A[i * nodes + s->column[e]] = s->value[e];
            memset(f, 0, 3 * (size_t)nodes * sizeof *f);
            f[3 * i + 1] = 1;
            linear->preconditioner->apply(linear->data, f, z);
            for (int j = 0; j < nodes; ++j) B[j * nodes + i] = z[3 * j + 1], assert_true(z[3 * j] == 0);
        }
        invert(nodes, B, P);
        for (int i = 0; i < nodes; ++i)
            for (int j = 0; j < nodes; ++j) {
                double right = A[i * nodes + j];
                for (int k = 0; k < nodes && p; ++k) {
                    const double w = 1.3, left = (k < i ? w : k == i) * A[i * nodes + k],
                                 other = (k < j ? w : k == j) * A[j * nodes + k];
                    right = (k ? right : 0) + left * other / A[k * nodes + k] / (w * (2 - w));
                }
                if (p || A[i * nodes + j] != 0) assert_true(fabs(P[i * nodes + j] - right) < 1e-8 * A[0]);
            }
        free(f);
        sn_world_destroy(world);
    }
}

/* The matrix is filled once while constants and step stay, and the end of a step does not depend on the Jacobian. */
static void kept(void **state) {
    (void)state;
    sn_world *world = make("ic0");
    sn_error error = {0};
    sn_time_options time = sn_world_time_options(world);
    for (int i = 0; i < 5; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("%s", error.text);
    assert_int_equal(world->workspace.linear->scalar.version, 1);
    time.step = 0.005;
    assert_int_equal(sn_world_set_time(world, &time, &error), SN_OK);
    if (sn_world_step(world, NULL, &error)) fail_msg("%s", error.text);
    assert_int_equal(world->workspace.linear->scalar.version, 2);
    sn_world *exact = make("ic0");
    time = sn_world_time_options(exact);
    strcpy(time.newton.jacobian, "exact");
    assert_int_equal(sn_world_set_time(exact, &time, &error), SN_OK);
    sn_world *other = make("ssor");
    for (int i = 0; i < 10; ++i) {
        if (sn_world_step(exact, NULL, &error)) fail_msg("%s", error.text);
        if (sn_world_step(other, NULL, &error)) fail_msg("%s", error.text);
    }
    double worst = 0, moved = 0;
    for (int i = 0; i < 3 * exact->model->node_count; ++i) {
        worst = fmax(worst, fabs(exact->state.x[i] - other->state.x[i]));
        moved = fmax(moved, fabs(exact->state.x[i] - exact->model->rest[i]));
    }
    print_message("  after 10 steps apart by %.1e m of %.2g m\n", worst, moved);
    assert_true(worst < 1e-4 * moved);
    sn_world_destroy(world), sn_world_destroy(exact), sn_world_destroy(other);
}

static void refuse(const char *text, const char *path, const char *words) {
    sn_world *world = NULL;
    sn_error error = {0};
    assert_true(world_from_text(context, "test", text, NULL, 0, &world, &error) != SN_OK);
    if (!strstr(error.text, words)) fail_msg("%s", error.text);
    if (!strstr(error.path, path)) fail_msg("%s: %s", error.path, error.text);
}

static void refused(void **state) {
    (void)state;
#define BOX "{\"bodies\": [{\"mesh\": {\"box\": {\"cells\": [1, 1, 1]}}}], \"time\": "
#define GRID                                                                                                           \
    "{\"bodies\": [{\"mesh\": {\"grid\": {\"cells\": [2, 2]}}, \"thickness\": 0.001, \"material\": {\"law\": "         \
    "\"cloth-particles\", \"stretch\": 1, \"shear\": 1}}], "
    refuse(BOX "{\"newton\": {\"jacobian\": \"approximate\"}}}", "time.newton.jacobian", "cloth-particles");
    refuse(BOX "{\"method\": \"imex-euler\"}}", "time.method", "cloth-particles");
    refuse(GRID "\"time\": {\"updates\": 2}}", "time.updates", "imex-euler");
    refuse(GRID "\"time\": {\"method\": \"imex-euler\", \"newton\": {\"iterations\": 3}}}", "time.newton", "no effect");
    refuse(GRID "\"time\": {\"newton\": {\"jacobian\": \"approximate\"}}, \"solver\": {\"preconditioner\": "
                "\"multigrid\"}}",
           "solver.preconditioner", "diagonal, ssor and ic0");
    refuse(GRID "\"time\": {\"newton\": {\"jacobian\": \"approximate\"}}, \"solver\": {\"method\": \"ldlt\"}}",
           "solver.method", "use cg");
    refuse(GRID "\"time\": {\"newton\": {\"jacobian\": \"approximate\", \"kind\": \"simplified\"}}}", "newton.jacobian",
           "stays the same");
}

/* IMEX methods: order on a gentle motion, and updates go towards the implicit methods. */
static double *end_of(const char *method, int steps, int updates) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"bodies\": [{\"mesh\": {\"grid\": {\"size\": [1, 1], \"cells\": [4, 4]}}, \"thickness\": 0.001, "
             "\"material\": {\"law\": \"cloth-particles\", \"stretch\": 100, \"shear\": 10, \"damping\": 0.5, "
             "\"area_density\": 0.2, \"bending\": {\"stiffness\": 1e-4}}, \"fix\": [{\"select\": {\"group\": "
             "\"x-\"}}]}], \"time\": {\"judge\": false, \"method\": \"%s\", \"step\": "
             "%.17g%s}}",
             method, 0.2 / steps,
             strncmp(method, "implicit", 8) != 0 ? "" : ", \"newton\": {\"tolerance\": 1e-12, \"iterations\": 30}");
    sn_world *world = world_of_text(context, text);
    sn_error error = {0};
    sn_time_options time = sn_world_time_options(world);
    time.updates = updates;
    assert_int_equal(sn_world_set_time(world, &time, &error), SN_OK);
    for (int i = 0; i < steps; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("%s", error.text);
    double *x = malloc(3 * (size_t)world->model->node_count * sizeof *x);
    assert_int_equal(sn_world_get(world, 0, x, NULL), SN_OK);
    sn_world_destroy(world);
    return x;
}

static double apart(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < 75; ++i) sum = fmax(sum, fabs(a[i] - b[i]));
    return sum;
}

static void imex(void **state) {
    (void)state;
    static const char *const name[2] = {"imex-euler", "imex-midpoint"}, *const whole[2] = {"implicit-euler",
                                                                                           "implicit-midpoint"};
    double *reference = end_of("rk4", 4000, 0);
    for (int m = 0; m < 2; ++m) {
        double *coarse = end_of(name[m], 200, 0), *fine = end_of(name[m], 400, 0);
        const double order = log2(apart(coarse, reference) / apart(fine, reference));
        double *implicit = end_of(whole[m], 20, 0), *plain = end_of(name[m], 20, 0), *updated = end_of(name[m], 20, 20);
        print_message("  %s: order %.2f; from %s by %.1e m, with 20 updates %.1e m\n", name[m], order, whole[m],
                      apart(plain, implicit), apart(updated, implicit));
        assert_true(fabs(order - (m + 1)) < 0.2);
        assert_true(apart(updated, implicit) < 1e-3 * apart(plain, implicit));
        free(coarse), free(fine), free(implicit), free(plain), free(updated);
    }
    free(reference);
}

int main(void) {
    if (sn_context_create(NULL, &context, NULL)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(preconditioners),
                                       cmocka_unit_test(forms),    cmocka_unit_test(kept),
                                       cmocka_unit_test(refused),  cmocka_unit_test(imex)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sn_context_destroy(context);
    return failed;
}
