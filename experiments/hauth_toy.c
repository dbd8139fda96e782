/* Hauth's toy: a mass on a damped spring, m z'' = -k (z - l0) - d z' + m g, with every method (Hauth 3.2.2, after
 * Hauth, Etzmuss and Strasser 2003).
 *
 * m 0.1, k 100, l0 -1, d 1, g -10, z(0) -1, z'(0) -5. Exact: z = -(33 sqrt 39 / 1300) e^-5t sin(5 sqrt(39) t) + e^-5t
 * cos(5 sqrt(39) t) / 100
 * - 1.01. The error is the error of the position, and of the velocity over the frequency, at t = 0.4 s. Work counts
 * force evaluations and linear solves, because the run time of a system with one unknown says nothing. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hauth.h"
#include "time/methods.h"
#include "time/system.h"

static const double mass = 0.1, spring = 100, damper = 1, gravity = -10;

typedef struct toy {
    sn_system system; /* comes first, so that the functions of the table can cast */
    sn_linearisation linearisation;
    int solves;
} toy;

static toy *toy_at(sn_linearisation *self) { return (toy *)(void *)((char *)self - offsetof(toy, linearisation)); }

static void toy_mass_product(sn_system *s, const double *v, double *out) { (void)s, out[0] = mass * v[0]; }
static sn_status toy_mass_solve(sn_system *s, const double *f, double *out, sn_error *error) {
    (void)s, (void)error;
    out[0] = f[0] / mass;
    return SN_OK;
}
static sn_status toy_evaluate(sn_system *s, const sn_request *request, sn_result *result, sn_error *error) {
    (void)error;
    toy *q = (toy *)(void *)s;
    result->linearisation = &q->linearisation;
    if (request->check) return SN_OK;
    if (request->force) {
        const double inner = -spring * (request->x[0] + 1) - damper * request->v[0];
        request->force[0] = inner + mass * gravity;
        result->scale = fmax(fabs(inner), fabs(mass * gravity));
    }
    if (request->rate) request->rate[0] = 0;
    if (request->linearise) sn_linearisation_renew(&q->linearisation, true, false);
    return SN_OK;
}
static void toy_constrain(sn_system *s, double t, double *x, double *v, double *a) {
    (void)s, (void)t, (void)x, (void)v, (void)a;
}
static void toy_filter(sn_system *s, double *u) { (void)s, (void)u; }

static void toy_product(sn_linearisation *self, double m, double d, double k, const double *u, double *out) {
    (void)self;
    out[0] = (m * mass + d * damper + k * spring) * u[0];
}
static sn_status toy_solve(sn_linearisation *self, const sn_solve *s, sn_linear_report *report, sn_error *error) {
    (void)error;
    ++toy_at(self)->solves;
    s->x[0] = s->b[0] / (s->m * mass + s->d * damper + s->k * spring);
    report->iterations = 1, report->method = "division", report->preconditioner = "";
    return SN_OK;
}
static void toy_trace(sn_linearisation *self, double m, double d, double k, double *out) {
    (void)self;
    out[0] = m * mass + d * damper + k * spring;
}
static sn_status toy_spectrum(sn_linearisation *self, double *stiffness, double *damping, sn_error *error) {
    (void)self, (void)error;
    *stiffness = spring / mass, *damping = damper / mass;
    return SN_OK;
}

static const sn_linearisation_table toy_linearisation = {
    .product = toy_product, .solve = toy_solve, .trace = toy_trace, .spectrum = toy_spectrum};
static const sn_system_table toy_table = {.mass_product = toy_mass_product,
                                          .mass_solve = toy_mass_solve,
                                          .evaluate = toy_evaluate,
                                          .constrain = toy_constrain,
                                          .filter = toy_filter};

typedef struct flight {
    sn_status status;
    double error, largest; /* error at the end; largest |z + 1.01| of the run */
    int work;
    double suggestion;
} flight;

static double exact_error(double t, double x, double v) {
    const double w = 5 * sqrt(39.0), a = -33 * sqrt(39.0) / 1300, b = 0.01, e = exp(-5 * t), s = sin(w * t),
                 c = cos(w * t);
    return hypot(x - (e * (a * s + b * c) - 1.01), (v - e * ((-5 * a - w * b) * s + (w * a - 5 * b) * c)) / w);
}

static flight fly(const sn_method *method, double h, int steps) {
    toy q = {.system = {.table = &toy_table, .count = 1, .size = 1}, .linearisation = {.table = &toy_linearisation}};
    sn_time_options options = sn_time_options_default();
    options.newton.tolerance = 1e-14, options.newton.iterations = 30, options.tolerance = 0;
    double x[1] = {-1}, v[1] = {-5};
    flight f = {0};
    sn_step_info info = {0};
    sn_error error;
    double *history = calloc((size_t)method->history(1) + 1, sizeof *history),
           *scratch = calloc((size_t)method->scratch(1) + 1, sizeof *scratch);
    for (int i = 0; i < steps && !f.status && history && scratch; ++i) {
        sn_step step = {.system = &q.system,
                        .options = &options,
                        .tolerance = 1e-14,
                        .warm_start = true,
                        .t = i * h,
                        .h = h,
                        .x = x,
                        .v = v,
                        .history = history,
                        .scratch = scratch,
                        .info = &info,
                        .error = &error};
        f.status = method->step(&step);
        f.largest = fmax(f.largest, fabs(x[0] + 1.01));
    }
    free(history);
    free(scratch);
    f.error = exact_error(steps * h, x[0], v[0]), f.work = info.force_evaluations + q.solves,
    f.suggestion = info.suggested_step;
    return f;
}

/* Whether the mass is at rest after 4000 steps of length h. */
static bool stable(const sn_method *method, double h) {
    const flight f = fly(method, h, 4000);
    return !f.status && f.error < 1e-3 && f.largest < 10;
}

/* The largest stable h up to 1 s: an upward scan to the first unstable h, then bisection. */
static double largest_stable(const sn_method *method) {
    double low = 1e-3;
    for (double h = low; h < 1; h *= 1.05) {
        if (stable(method, h)) {
            low = h;
            continue;
        }
        double high = h;
        for (int i = 0; i < 12; ++i) {
            const double middle = 0.5 * (low + high);
            if (stable(method, middle))
                low = middle;
            else
                high = middle;
        }
        return low;
    }
    return 1;
}

static void order_of(experiment_run *run, FILE *table, const sn_method *method) {
    enum { MOST = 16 };
    const int first = method->order == 8 ? 3 : 4;
    double error[MOST] = {0};
    int count = 0;
    const double floor = method->order >= 5 ? 3e-12 : 1e-11;
    for (int steps = first; count < MOST && steps <= 8192; steps *= 2) {
        const flight f = fly(method, 0.4 / steps, steps);
        error[count++] = f.status ? NAN : f.error;
        fprintf(table, "%s,%d,%g,%d,%g\n", method->name, method->order, 0.4 / steps, f.work, f.status ? NAN : f.error);
        if (!f.status && f.error < floor) break;
    }
    const double order = hauth_order(error, count, floor);
    char expected[40], id[60];
    snprintf(expected, sizeof expected, "within 0.15 of %d", method->order);
    snprintf(id, sizeof id, "order-%s", method->name);
    experiment_claim(run, id, order, expected, fabs(order - method->order) < 0.15, "order of %s", method->name);
}

static void limit_of(experiment_run *run, FILE *table, const sn_method *method) {
    const double limit = largest_stable(method), omega = sqrt(spring / mass);
    fprintf(table, "%s,%g,%g,%s\n", method->name, limit, limit * omega, method->stability);
    char id[60];
    const bool fixed = !method->implicit && strcmp(method->name, "rock2") != 0;
    if (fixed) {
        snprintf(id, sizeof id, "limit-%s", method->name);
        const double advised = fly(method, 3 * limit, 100000).suggestion;
        experiment_claim(run, id, limit / advised, "1 to 2", limit >= advised && limit < 2 * advised,
                         "%s is stable to %.4g s; it advises %.4g s when it diverges", method->name, limit, advised);
    } else if (strcmp(method->stability, "A") == 0 || strcmp(method->stability, "L") == 0 || !method->implicit) {
        snprintf(id, sizeof id, "stable-%s", method->name);
        experiment_claim(run, id, limit, "1 s, 32 times 1/omega", limit >= 1, "%s bears steps of 1 s", method->name);
    }
}

static sn_status run_toy(experiment_run *run, sn_error *error) {
    int count;
    const sn_listing *listing = sn_methods(&count);
    FILE *table = experiment_table(run, "work-precision.csv", "method,order,step,work,error", error);
    if (!table) return error->status;
    for (int i = 0; i < count; ++i) {
        order_of(run, table, sn_method_find(listing[i].name));
        experiment_progress(run, 0.5 * (i + 1) / count);
    }
    fclose(table);
    table = experiment_table(run, "stability.csv", "method,largest stable step,times omega,stability", error);
    if (!table) return error->status;
    for (int i = 0; i < count; ++i) {
        limit_of(run, table, sn_method_find(listing[i].name));
        experiment_progress(run, 0.5 + 0.5 * (i + 1) / count);
    }
    fclose(table);
    static const struct {
        const char *file, *title;
        const char *const *method;
    } plot[] = {{"newton.svg", "A mass on a spring: methods with Newton", hauth_newton_methods},
                {"rosenbrock.svg", "A mass on a spring: Rosenbrock and W-methods", hauth_rosenbrock_methods},
                {"explicit.svg", "A mass on a spring: explicit methods", hauth_explicit_methods}};
    for (int i = 0; i < 3; ++i)
        hauth_plot(run, plot[i].file, "work-precision.csv", plot[i].title, plot[i].method, 4, 5,
                   "force evaluations and linear solves", "error at 0.4 s (m)", "set yrange [1e-13:10]");
    experiment_note(run, "bdf4 to bdf6 have limits too (stability.csv): they are A(alpha)-stable with 73, 52, 18 "
                         "degrees, and this spring "
                         "stands 81 degrees off the real axis");
    return SN_OK;
}

/* Each method of the list has a claim on its order. */
#define ORDER(name, symbol, order, kind, adaptive, stability, text) "order-" name " "

const experiment experiment_hauth_toy = {
    "hauth-toy", "a mass on a spring with every method: order and stability", "Hauth 3.2.2", run_toy,
    SN_METHODS(ORDER) "stable-implicit-euler stable-kikuuwe "
                      "stable-implicit-midpoint stable-trapezoidal stable-newmark stable-bdf2 "
                      "stable-rosenbrock2-w stable-ros34pw2 stable-rosenbrock4-shampine stable-rosenbrock4-grk4a "
                      "stable-rosenbrock4-velds stable-rosenbrock4-lstab limit-explicit-euler "
                      "limit-symplectic-euler limit-explicit-midpoint limit-verlet limit-rk4 limit-rk38 "
                      "limit-dopri5 limit-dopri853 stable-rock2"};
