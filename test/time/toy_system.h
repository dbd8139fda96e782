/* Small systems for tests of time integration, with dense matrices.
 *
 *   toy_hauth: a mass on a spring, m z'' = -k (z - l0) - d z' + m g, Hauth's toy with its exact solution
 *   toy_chain: ten masses in space, hanging from a point, with springs k (s + c s^3) and dashpots d (r + e r^3), a
 * force that varies in time on the last one, a mass matrix that couples neighbours; optionally the first mass is moved
 * along a prescribed path toy_free:  the chain without support, load and damping: momentum and energy are kept
 *
 * K and D come from sixth-order differences of the force: right to about 1e-12. */
#ifndef TOY_SYSTEM_H
#define TOY_SYSTEM_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "time/system.h"

enum { TOY_MOST = 30 };

typedef struct toy {
    sn_system system;
    sn_linearisation linearisation;
    double place[2 * TOY_MOST]; /* x and v of the last force */
    int masses;                 /* 0: Hauth's toy */
    double mass, k, c, d, e, gravity, drive, omega;
    bool hangs;             /* the first mass is tied to the origin */
    bool consistent;        /* neighbours share mass */
    bool moved;             /* mass 0 follows a path */
    double path, path_rate; /* x = path sin(path_rate t), y = 0, z = rest */
    double limit;           /* above 0: a force further than this from where the step began is refused as inverted */
    double start[TOY_MOST];
    double M[TOY_MOST * TOY_MOST], K[TOY_MOST * TOY_MOST], D[TOY_MOST * TOY_MOST];
    int forces, solves, linearisations, begins, accepts, rejects;
    double kept_m, kept_d;
    double linear_error;      /* relative error mixed into solutions, to play an iterative solver that stops early */
    bool projected;           /* the last linearisation was asked to be projected */
    int lies;                 /* requests that promised the place of the last force and were of another one */
    double ahead;             /* longest `ahead` of a force or linearisation */
    bool lazy;                /* solutions are no better than the tolerance asks */
    double tightest, loosest; /* tolerance asked of solves */
} toy;

static inline toy *toy_of(sn_system *system) { return (toy *)(void *)system; }
static inline toy *toy_at(sn_linearisation *self) {
    return (toy *)(void *)((char *)self - offsetof(toy, linearisation));
}

/* Force of the link from a to b on a. */
static inline void toy_link(const toy *q, const double *xa, const double *xb, const double *va, const double *vb,
                            double rest, double out[3]) {
    double u[3], w[3], length = 0, rate = 0;
    for (int i = 0; i < 3; ++i) u[i] = xb[i] - xa[i], w[i] = vb[i] - va[i], length += u[i] * u[i];
    length = sqrt(length);
    for (int i = 0; i < 3; ++i) u[i] /= length, rate += u[i] * w[i];
    const double s = length - rest, f = q->k * (s + q->c * s * s * s) + q->d * (rate + q->e * rate * rate * rate);
    for (int i = 0; i < 3; ++i) out[i] = f * u[i];
}

static inline void toy_force_raw(toy *q, double t, const double *x, const double *v, double *f) {
    if (q->masses == 0) {
        f[0] = -q->k * (x[0] + 1) - q->d * v[0] + q->mass * q->gravity;
        return;
    }
    const double origin[3] = {0, 0, 0};
    double g[3];
    memset(f, 0, 3 * (size_t)q->masses * sizeof *f);
    for (int i = 0; i < q->masses; ++i) {
        f[3 * i + 2] += q->mass * q->gravity;
        if (i == 0 && !q->hangs) continue;
        toy_link(q, x + 3 * i, i ? x + 3 * i - 3 : origin, v + 3 * i, i ? v + 3 * i - 3 : origin, 1, g);
        for (int k = 0; k < 3; ++k) {
            f[3 * i + k] += g[k];
            if (i) f[3 * i - 3 + k] -= g[k];
        }
    }
    f[3 * q->masses - 2] += q->drive * sin(q->omega * t);
}

static inline sn_status toy_check(sn_system *system, double t, const double *x, sn_error *error) {
    const toy *q = toy_of(system);
    for (int i = 0; i < system->count && q->limit > 0; ++i)
        if (fabs(x[i] - q->start[i]) > q->limit) return sn_fail(error, SN_INVERTED, "moved too far at t = %g", t);
    return SN_OK;
}

static inline double toy_force_scale(const toy *q) {
    return q->mass * fabs(q->gravity) * sqrt((double)(q->masses > 0 ? q->masses : 1)) + q->drive;
}

static inline void toy_mass_product(sn_system *system, const double *v, double *out) {
    toy *q = toy_of(system);
    const int n = system->count;
    for (int i = 0; i < n; ++i) {
        out[i] = 0;
        for (int j = 0; j < n; ++j) out[i] += q->M[i * n + j] * v[j];
    }
}

static inline bool toy_held(const toy *q, int i) { return q->moved && i < 3; }

/* Dense Gauss with pivoting on the free components. */
static inline sn_status toy_gauss(const toy *q, int n, double *A, double *b) {
    for (int i = 0; i < n; ++i)
        if (toy_held(q, i)) {
            for (int j = 0; j < n; ++j) {
                if (!toy_held(q, j)) b[j] -= A[j * n + i] * b[i];
                A[j * n + i] = A[i * n + j] = 0;
            }
            A[i * n + i] = 1;
        }
    for (int c = 0; c < n; ++c) {
        int p = c;
        for (int r = c + 1; r < n; ++r)
            if (fabs(A[r * n + c]) > fabs(A[p * n + c])) p = r;
        if (A[p * n + c] == 0) return SN_SINGULAR;
        for (int j = 0; j < n && p != c; ++j) {
            const double swap = A[c * n + j];
            A[c * n + j] = A[p * n + j], A[p * n + j] = swap;
        }
        const double swap = b[c];
        b[c] = b[p], b[p] = swap;
        for (int r = c + 1; r < n; ++r) {
            const double m = A[r * n + c] / A[c * n + c];
            for (int j = c; j < n; ++j) A[r * n + j] -= m * A[c * n + j];
            b[r] -= m * b[c];
        }
    }
    for (int c = n - 1; c >= 0; --c) {
        for (int j = c + 1; j < n; ++j) b[c] -= A[c * n + j] * b[j];
        b[c] /= A[c * n + c];
    }
    return SN_OK;
}

static inline sn_status toy_mass_solve(sn_system *system, const double *f, double *out, sn_error *error) {
    toy *q = toy_of(system);
    (void)error;
    double A[TOY_MOST * TOY_MOST];
    memcpy(A, q->M, sizeof A);
    for (int i = 0; i < system->count; ++i) out[i] = toy_held(q, i) ? 0 : f[i];
    return toy_gauss(q, system->count, A, out);
}

static inline void toy_linearise(toy *q, double t, const double *x, const double *v) {
    ++q->linearisations;
    const int n = q->system.count;
    const double h = 4e-3, weight[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    double p[TOY_MOST], f[TOY_MOST];
    for (int part = 0; part < 2; ++part) {
        double *out = part ? q->D : q->K;
        memset(out, 0, sizeof q->K);
        for (int j = 0; j < n; ++j)
            for (int s = -3; s <= 3; ++s) {
                if (s == 0) continue;
                memcpy(p, part ? v : x, (size_t)n * sizeof *p);
                p[j] += s * h;
                toy_force_raw(q, t, part ? x : p, part ? p : v, f);
                for (int i = 0; i < n; ++i)
                    out[i * n + j] -= (s > 0 ? 1 : -1) * weight[(s > 0 ? s : -s) - 1] * f[i] / h;
            }
    }
    sn_linearisation_renew(&q->linearisation, true, !q->projected);
}

/* Whether a request is of the place of the last force, as `here` promises. */
static inline bool toy_is_here(const toy *q, const sn_request *request) {
    const size_t size = (size_t)q->system.count * sizeof(double);
    return memcmp(q->place, request->x, size) == 0 && memcmp(q->place + q->system.count, request->v, size) == 0;
}

static inline sn_status toy_evaluate(sn_system *system, const sn_request *request, sn_result *result, sn_error *error) {
    toy *q = toy_of(system);
    const int n = system->count;
    const double *x = request->x, *v = request->v;
    result->linearisation = &q->linearisation;
    if (request->check) return toy_check(system, request->t, x, error);
    if (request->here && !toy_is_here(q, request)) ++q->lies;
    q->ahead = fmax(q->ahead, request->ahead);
    if (request->force) {
        ++q->forces;
        const sn_status status = toy_check(system, request->t, x, error);
        if (status) return status;
        memcpy(q->place, x, (size_t)n * sizeof *x);
        memcpy(q->place + n, v, (size_t)n * sizeof *v);
        toy_force_raw(q, request->t, x, v, request->force);
        result->scale = toy_force_scale(q);
    }
    if (request->rate) {
        memset(request->rate, 0, (size_t)n * sizeof *request->rate);
        if (q->masses > 0) request->rate[n - 2] = q->drive * q->omega * cos(q->omega * request->t);
    }
    if (request->linearise) {
        q->projected = request->linearise == SN_LINEARISE_PROJECTED;
        toy_linearise(q, request->t, x, v);
    }
    return SN_OK;
}

static inline void toy_product(sn_linearisation *self, double m, double d, double k, const double *u, double *out) {
    const toy *q = toy_at(self);
    const int n = q->system.count;
    for (int i = 0; i < n; ++i) {
        out[i] = 0;
        for (int j = 0; j < n; ++j) out[i] += (m * q->M[i * n + j] + d * q->D[i * n + j] + k * q->K[i * n + j]) * u[j];
    }
}

static inline sn_status toy_solve(sn_linearisation *self, const sn_solve *solve, sn_linear_report *report,
                                  sn_error *error) {
    toy *q = toy_at(self);
    const double m = solve->m, d = solve->d, k = solve->k, *b = solve->b, tolerance = solve->tolerance;
    double *x = solve->x;
    ++q->solves;
    if (q->solves == 1 || tolerance < q->tightest) q->tightest = tolerance;
    if (tolerance > q->loosest) q->loosest = tolerance;
    const int n = q->system.count;
    double A[TOY_MOST * TOY_MOST];
    for (int i = 0; i < n * n; ++i) A[i] = m * q->M[i] + d * q->D[i] + k * q->K[i];
    for (int i = 0; i < n; ++i)
        if (!toy_held(q, i)) x[i] = b[i];
    report->iterations = 1, report->method = "gauss", report->preconditioner = "none";
    if (toy_gauss(q, n, A, x)) return sn_fail(error, SN_SINGULAR, "the toy's matrix is singular");
    for (int i = 0; i < n; ++i)
        if (!toy_held(q, i)) x[i] *= 1 + q->linear_error;
    for (int i = 0; i < n && q->lazy; ++i)
        if (!toy_held(q, i)) x[i] *= 1 - 0.9 * tolerance;
    report->residual = q->lazy ? 0.9 * tolerance : fabs(q->linear_error);
    if (q->linear_error != 0) return sn_fail(error, SN_NOT_CONVERGED, "the toy's solver stopped early");
    return SN_OK;
}

static inline void toy_trace(sn_linearisation *self, double m, double d, double k, double *out) {
    const toy *q = toy_at(self);
    const int n = q->system.count;
    for (int i = 0; i < n; ++i) {
        if (i % 3 == 0) out[i / 3] = 0;
        out[i / 3] += m * q->M[i * n + i] + d * q->D[i * n + i] + k * q->K[i * n + i];
    }
}

static inline void toy_constrain(sn_system *system, double t, double *x, double *v, double *a) {
    const toy *q = toy_of(system);
    if (!q->moved) return;
    if (x) x[0] = q->path * sin(q->path_rate * t), x[1] = 0, x[2] = -1;
    if (v) v[0] = q->path * q->path_rate * cos(q->path_rate * t), v[1] = 0, v[2] = 0;
    if (a) a[0] = -q->path * q->path_rate * q->path_rate * sin(q->path_rate * t), a[1] = a[2] = 0;
}

static inline void toy_filter(sn_system *system, double *u) {
    for (int i = 0; i < system->count; ++i)
        if (toy_held(toy_of(system), i)) u[i] = 0;
}

static inline sn_status toy_spectrum(sn_linearisation *self, double *stiffness, double *damping, sn_error *error) {
    (void)error;
    const toy *q = toy_at(self);
    const int n = q->system.count;
    double A[TOY_MOST * TOY_MOST], column[TOY_MOST], sum[2][TOY_MOST] = {{0}};
    /* Row sums of |M^-1 K| and |M^-1 D|. */
    for (int part = 0; part < 2; ++part)
        for (int j = 0; j < n; ++j) {
            memcpy(A, q->M, sizeof A);
            for (int i = 0; i < n; ++i) column[i] = (part ? q->D : q->K)[i * n + j];
            toy_gauss(q, n, A, column);
            for (int i = 0; i < n; ++i) sum[part][i] += fabs(column[i]);
        }
    *stiffness = *damping = 0;
    for (int i = 0; i < n; ++i) *stiffness = fmax(*stiffness, sum[0][i]), *damping = fmax(*damping, sum[1][i]);
    return SN_OK;
}

static inline bool toy_begin(sn_system *system, double t, const double *x, const double *v) {
    (void)t, (void)v;
    toy *q = toy_of(system);
    ++q->begins;
    memcpy(q->start, x, (size_t)system->count * sizeof *x);
    return false;
}
static inline void toy_end(sn_system *system, const sn_trial *trial) {
    ++*(trial ? &toy_of(system)->accepts : &toy_of(system)->rejects);
}

static const sn_linearisation_table toy_linearisation_table = {
    .product = toy_product, .solve = toy_solve, .trace = toy_trace, .spectrum = toy_spectrum};

static const sn_system_table toy_table = {.mass_product = toy_mass_product,
                                          .mass_solve = toy_mass_solve,
                                          .evaluate = toy_evaluate,
                                          .constrain = toy_constrain,
                                          .filter = toy_filter,
                                          .begin = toy_begin,
                                          .end = toy_end};

static inline void toy_masses(toy *q) {
    const int n = q->system.count;
    memset(q->M, 0, sizeof q->M);
    for (int i = 0; i < n; ++i) {
        q->M[i * n + i] = q->mass;
        if (q->consistent && i + 3 < n) q->M[i * n + i + 3] = q->M[(i + 3) * n + i] = 0.2 * q->mass;
    }
}

static inline void toy_hauth(toy *q, double *x, double *v) {
    *q = (toy){.system = {.table = &toy_table, .count = 1, .size = 1},
               .linearisation = {.table = &toy_linearisation_table},
               .mass = 0.1,
               .k = 100,
               .d = 1,
               .gravity = -10};
    toy_masses(q);
    x[0] = -1, v[0] = -5;
}
static inline void toy_hauth_exact(double t, double *x, double *v) {
    const double w = 5 * sqrt(39.0), a = -33 * sqrt(39.0) / 1300, b = 0.01, e = exp(-5 * t), s = sin(w * t),
                 c = cos(w * t);
    *x = e * (a * s + b * c) - 1.01;
    *v = e * ((-5 * a - w * b) * s + (w * a - 5 * b) * c);
}

static inline void toy_chain(toy *q, int masses, double *x, double *v) {
    *q = (toy){.system = {.table = &toy_table, .count = 3 * masses, .size = masses},
               .linearisation = {.table = &toy_linearisation_table},
               .masses = masses,
               .mass = 0.5,
               .k = 40,
               .c = 2,
               .d = 0.6,
               .e = 0.5,
               .gravity = -3,
               .drive = 2,
               .omega = 5,
               .hangs = true,
               .consistent = true};
    toy_masses(q);
    for (int i = 0; i < masses; ++i) {
        x[3 * i] = 0.2 * sin(0.7 * i), x[3 * i + 1] = 0.1 * cos(1.1 * i), x[3 * i + 2] = -(1 + i) * 1.02;
        v[3 * i] = 0.5 * cos(0.9 * i), v[3 * i + 1] = -0.3 * sin(0.4 * i), v[3 * i + 2] = 0.2 * sin(1.7 * i);
    }
}

static inline void toy_free(toy *q, int masses, double *x, double *v) {
    toy_chain(q, masses, x, v);
    q->hangs = false, q->drive = 0, q->gravity = 0, q->d = 0;
}

/* Kinetic plus spring energy (lumped or not), without gravity and drive. */
static inline double toy_energy(toy *q, const double *x, const double *v) {
    double p[TOY_MOST], energy = 0;
    toy_mass_product(&q->system, v, p);
    for (int i = 0; i < q->system.count; ++i) energy += 0.5 * p[i] * v[i];
    for (int i = q->hangs ? 0 : 1; i < q->masses; ++i) {
        double length = 0;
        for (int k = 0; k < 3; ++k) {
            const double u = x[3 * i + k] - (i ? x[3 * i - 3 + k] : 0);
            length += u * u;
        }
        const double s = sqrt(length) - 1;
        energy += q->k * (s * s / 2 + q->c * s * s * s * s / 4);
    }
    return energy;
}

#endif
