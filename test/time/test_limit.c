/* Limits of Newton's corrections, on a piston: a mass (x0) between a floor at 0 and a piston (x1) whose motion is
 * prescribed. Both gaps have a barrier (Li et al. 2020)
 *
 *   b(g) = -k (g - r)^2 ln(g / r)   for 0 < g < r,   0 for g >= r,
 *
 * and no force at all for g <= 0: a correction that jumps over a gap finds nothing on the other side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "time/system.h"

enum { COUNT = 2 };

typedef struct piston {
    sn_system system;
    sn_linearisation linearisation;
    double mass, stiffness, range, gravity;
    double from, rate; /* x1 = from + rate t */
    double K;          /* d^2 energy / d x0^2 */
    double coupling;   /* d^2 energy / d x0 d x1 */
    double most;       /* the limit is at most this */
    int passed;        /* evaluations behind the floor or the piston */
    int limits;        /* how often the limit was below 1 */
} piston;

static piston *of(sn_system *system) { return (piston *)(void *)system; }
static piston *at(sn_linearisation *self) { return (piston *)(void *)((char *)self - offsetof(piston, linearisation)); }

/* b'(g) and b''(g). */
static void barrier(const piston *p, double g, double *first, double *second) {
    *first = *second = 0;
    if (g <= 0 || g >= p->range) return;
    const double e = g - p->range, l = log(g / p->range);
    *first = -p->stiffness * (2 * e * l + e * e / g);
    *second = -p->stiffness * (2 * l + 4 * e / g - e * e / (g * g));
}

static void mass_product(sn_system *system, const double *v, double *out) {
    for (int i = 0; i < COUNT; ++i) out[i] = of(system)->mass * v[i];
}

static sn_status mass_solve(sn_system *system, const double *f, double *out, sn_error *error) {
    (void)error;
    out[0] = f[0] / of(system)->mass, out[1] = 0;
    return SN_OK;
}

static sn_status evaluate(sn_system *system, const sn_request *request, sn_result *result, sn_error *error) {
    piston *p = of(system);
    (void)error;
    result->linearisation = &p->linearisation;
    double below[2], above[2];
    barrier(p, request->x[0], &below[0], &below[1]);
    barrier(p, request->x[1] - request->x[0], &above[0], &above[1]);
    if (request->x[0] <= 0 || request->x[1] <= request->x[0]) ++p->passed;
    if (request->force) {
        request->force[0] = -p->mass * p->gravity - below[0] + above[0];
        request->force[1] = -above[0];
        result->scale = p->mass * p->gravity;
    }
    if (request->linearise) {
        p->K = below[1] + above[1], p->coupling = -above[1];
        sn_linearisation_renew(&p->linearisation, false, false);
    }
    return SN_OK;
}

static void constrain(sn_system *system, double t, double *x, double *v, double *a) {
    const piston *p = of(system);
    if (x) x[1] = p->from + p->rate * t;
    if (v) v[1] = p->rate;
    if (a) a[1] = 0;
}

static void filter(sn_system *system, double *u) { (void)system, u[1] = 0; }

static bool begin(sn_system *system, double t, const double *x, const double *v) {
    (void)system, (void)t, (void)x, (void)v;
    return false;
}

/* Nine tenths of the way to the first contact. */
static double limit(sn_system *system, double t, const double *x, double *d, bool *cut) {
    piston *p = of(system);
    (void)t, (void)cut;
    double part = p->most;
    const double gap[2] = {x[0], x[1] - x[0]}, change[2] = {d[0], d[1] - d[0]};
    for (int i = 0; i < 2; ++i)
        if (gap[i] + change[i] < 0.1 * gap[i]) part = fmin(part, 0.9 * gap[i] / -change[i]);
    if (part < 1) ++p->limits;
    return part;
}

static void product(sn_linearisation *self, double m, double d, double k, const double *u, double *out) {
    const piston *p = at(self);
    (void)d;
    out[0] = (m * p->mass + k * p->K) * u[0] + k * p->coupling * u[1];
    out[1] = m * p->mass * u[1] + k * p->coupling * u[0];
}

static sn_status solve(sn_linearisation *self, const sn_solve *s, sn_linear_report *report, sn_error *error) {
    const piston *p = at(self);
    (void)error;
    *report = (sn_linear_report){.iterations = 1, .method = "division", .preconditioner = ""};
    s->x[0] = (s->b[0] - s->k * p->coupling * s->x[1]) / (s->m * p->mass + s->k * p->K);
    return SN_OK;
}

static const sn_linearisation_table linearisation_table = {.product = product, .solve = solve};
static const sn_system_table limited = {.mass_product = mass_product,
                                        .mass_solve = mass_solve,
                                        .evaluate = evaluate,
                                        .constrain = constrain,
                                        .filter = filter,
                                        .begin = begin,
                                        .limit = limit};

static piston make(double from, double rate) {
    return (piston){.system = {.table = &limited, .count = COUNT, .size = 1},
                    .linearisation = {.table = &linearisation_table},
                    .mass = 1,
                    .stiffness = 1e5,
                    .range = 0.05,
                    .gravity = 10,
                    .from = from,
                    .rate = rate,
                    .most = 1};
}

/* Steps of 0.1 s from (x, v). */
static sn_status run(piston *p, const char *method, const char *kind, int steps, double x[COUNT], double v[COUNT],
                     sn_step_info *info, sn_error *error) {
    const sn_method *m = sn_method_find(method);
    sn_time_options options = sn_time_options_default();
    snprintf(options.newton.kind, sizeof options.newton.kind, "%s", kind);
    options.newton.iterations = 40;
    double *history = calloc((size_t)m->history(COUNT) + 1, sizeof *history),
           *scratch = calloc((size_t)sn_control_scratch(m, COUNT), sizeof *scratch);
    sn_status status = SN_OK;
    for (int i = 0; i < steps && !status; ++i) {
        sn_step step = {.system = &p->system,
                        .options = &options,
                        .tolerance = 1e-12,
                        .warm_start = true,
                        .t = 0.1 * i,
                        .h = 0.1,
                        .x = x,
                        .v = v,
                        .history = history,
                        .scratch = scratch,
                        .info = info,
                        .error = error};
        status = sn_step_controlled(m, &step);
    }
    free(history), free(scratch);
    return status;
}

static const char *const kinds[] = {"full", "inexact", "simplified", "fixed", "one-step"};
static const char *const methods[] = {"implicit-euler", "implicit-midpoint", "trapezoidal", "newmark", "bdf2"};

/* A mass that falls at 20 m/s covers 2 m in a step. It never gets behind the floor, whatever the kind and the method.
 * Without the limit it does. */
static void test_fall(void **state) {
    (void)state;
    for (int k = 0; k < 5; ++k)
        for (int m = 0; m < 5; ++m)
            for (int free_ = 0; free_ < 2; ++free_) {
                piston p = make(100, 0);
                sn_system_table table = limited;
                if (free_) table.limit = NULL, p.system.table = &table;
                double x[COUNT] = {1.3, 100}, v[COUNT] = {-20, 0};
                sn_step_info info = {0};
                sn_error error = {0};
                const sn_status status = run(&p, methods[m], kinds[k], 20, x, v, &info, &error);
                if (free_) {
                    assert_true(p.passed > 0);
                    continue;
                }
                if (status) fail_msg("%s, %s: %s", methods[m], kinds[k], error.text);
                assert_int_equal(p.passed, 0);
                assert_true(p.limits > 0 && x[0] > 0);
            }
}

/* The piston moves 0.3 m in a step, through the place of the mass. The prescribed motion arrives in full, in front of
 * it the mass. */
static void test_prescribed(void **state) {
    (void)state;
    for (int k = 0; k < 5; ++k) {
        piston p = make(1, -3);
        double x[COUNT] = {0.9, 1}, v[COUNT] = {0, -3};
        sn_step_info info = {0};
        sn_error error = {0};
        const sn_status status = run(&p, "implicit-euler", kinds[k], 2, x, v, &info, &error);
        if (status) fail_msg("%s: %s", kinds[k], error.text);
        assert_int_equal(p.passed, 0);
        assert_true(p.limits > 0);
        assert_float_equal(x[1], 1 - 3 * 0.2, 1e-12);
        assert_true(x[0] > 0 && x[0] < x[1]);
    }
}

/* The piston goes through the floor: no kind can follow it. Nothing passes, and the state stays as it was. */
static void test_impossible(void **state) {
    (void)state;
    for (int k = 0; k < 5; ++k) {
        piston p = make(1, -15);
        double x[COUNT] = {0.5, 1}, v[COUNT] = {0, -15};
        sn_step_info info = {0};
        sn_error error = {0};
        assert_int_equal(run(&p, "implicit-euler", kinds[k], 1, x, v, &info, &error), SN_NOT_CONVERGED);
        assert_true(strlen(error.text) > 0);
        assert_int_equal(p.passed, 0);
        assert_true(x[0] == 0.5 && x[1] == 1);
    }
}

/* Limited to a tiny part, the corrections are small but the iteration has not converged. */
static void test_tiny(void **state) {
    (void)state;
    for (int k = 0; k < 5; ++k) {
        piston p = make(100, 0);
        p.most = 1e-9;
        double x[COUNT] = {1.3, 100}, v[COUNT] = {-1, 0};
        sn_step_info info = {0};
        sn_error error = {0};
        assert_int_equal(run(&p, "implicit-euler", kinds[k], 1, x, v, &info, &error), SN_NOT_CONVERGED);
        assert_true(x[0] == 1.3 && v[0] == -1);
    }
}

/* Every correction is cut to four tenths, so "one-step" fails in parts of any length.
 * The small parts are then solved by "full", which goes on until it has converged. */
static void test_otherwise(void **state) {
    (void)state;
    piston p = make(100, 0);
    p.most = 0.4;
    double x[COUNT] = {1.3, 100}, v[COUNT] = {-1, 0};
    sn_step_info info = {0};
    sn_error error = {0};
    if (run(&p, "implicit-euler", "one-step", 1, x, v, &info, &error)) fail_msg("%s", error.text);
    assert_true(info.retries > 0 && info.loose == 0);
    assert_float_equal(v[0], -2, 1e-5);
}

/* A weight between floor and piston comes to rest where the barrier carries it: b'(x0) = -m g. */
static void test_rest(void **state) {
    (void)state;
    piston p = make(100, 0);
    double x[COUNT] = {0.3, 100}, v[COUNT] = {0, 0};
    sn_step_info info = {0};
    sn_error error = {0};
    assert_int_equal(run(&p, "implicit-euler", "full", 100, x, v, &info, &error), SN_OK);
    double first, second;
    barrier(&p, x[0], &first, &second);
    assert_float_equal(-first, p.mass * p.gravity, 1e-3);
    assert_float_equal(v[0], 0, 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fall),       cmocka_unit_test(test_prescribed),
                                       cmocka_unit_test(test_impossible), cmocka_unit_test(test_tiny),
                                       cmocka_unit_test(test_otherwise),  cmocka_unit_test(test_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
