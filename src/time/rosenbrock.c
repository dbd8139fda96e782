/* Rosenbrock and W-methods on M x'' = f(t, x, v): one linear solve of half size per stage (Hauth 3.2.6 and 3.4.1).
 *
 * For y = (x, v) and g = 1/(h gamma) a stage (implicit.h) reads
 *   g ux - uv = V + sum (c_ij/h) ux_j + h d_i dV/dt      =: p
 *   M g uv + K ux + D uv = f + M sum (c_ij/h) uv_j + h d_i df/dt  =: q
 * and with ux = (p + uv)/g it is (g M + D + K/g) uv = q - K p / g. All stages share the matrix.
 * In the constrained directions x' = V(t), v' = A(t) are given functions of time: there J = 0 and u follows at once; p is bent there so
 * that ux = (p + uv)/g holds. */
#include "base/context.h"
#include "implicit.h"
#include "vector.h"

int sn_rosenbrock_scratch(const sn_rosenbrock *method, int count) { return (2 * method->stages + 12) * count; }

typedef struct work {
    double *ux, *uv;  /* stages x count */
    double *X, *V;    /* the stage's state */
    double *f, *rate; /* f of the stage; df/dt at t */
    double *p, *q, *sum, *spare;
    double *A, *jerk; /* prescribed acceleration and its rate, 0 in the free directions */
    double *cx, *cv;
} work;

static sn_status evaluate(sn_step *step, double t, const double *x, const double *v, double *f) {
    sn_system *system = step->system;
    const double start = sn_seconds();
    const sn_status status = system->table->force(system, t, x, v, f, step->error);
    step->info->assembly_seconds += sn_seconds() - start;
    ++step->info->force_evaluations;
    return status;
}

/* df/dt at the start, from the system or by a one-sided quotient of second order (a load may start or end at t). */
static sn_status take_rate(sn_step *step, const work *w) {
    sn_system *system = step->system;
    const int n = system->count;
    if (system->table->force_rate) return system->table->force_rate(system, step->t, step->x, step->v, w->rate, step->error);
    const double e = 1e-4 * step->h;
    sn_status status = evaluate(step, step->t + e, step->x, step->v, w->p);
    if (!status) status = evaluate(step, step->t + 2 * e, step->x, step->v, w->q);
    if (status) return status;
    for (int i = 0; i < n; ++i) w->rate[i] = (4 * (w->p[i] - w->f[i]) - (w->q[i] - w->f[i])) / (2 * e);
    return SN_OK;
}

/* u -> its constrained components alone. */
static void constrained_part(sn_system *system, double *u, double *spare) {
    sn_vec_copy(system->count, u, spare);
    system->table->filter(system, spare);
    sn_vec_add(system->count, -1, spare, u);
}

/* Prescribed velocity and acceleration at t, zero in the free directions. */
static void prescribed(sn_system *system, double t, double *V, double *A, double *spare) {
    const int n = system->count;
    sn_vec_zero(n, V);
    sn_vec_zero(n, A);
    system->table->constrain(system, t, NULL, V);
    if (system->table->acceleration) system->table->acceleration(system, t, A);
    constrained_part(system, V, spare);
    constrained_part(system, A, spare);
}

/* u = (F(t_i) + sum (c/h) u_j + h d dF/dt) / g in the constrained directions, for both halves: into cx and cv. */
static void constrained_stage(sn_step *step, const sn_rosenbrock *method, const work *w, int i, double g) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h;
    prescribed(system, step->t + method->alpha[i] * h, w->cx, w->cv, w->spare);
    sn_vec_add(n, h * method->d[i], w->A, w->cx);
    sn_vec_add(n, h * method->d[i], w->jerk, w->cv);
    for (int j = 0; j < i; ++j) {
        sn_vec_add(n, method->c[i][j] / h, w->ux + j * n, w->cx);
        sn_vec_add(n, method->c[i][j] / h, w->uv + j * n, w->cv);
    }
    constrained_part(system, w->cx, w->spare);
    constrained_part(system, w->cv, w->spare);
    sn_vec_scale(n, 1 / g, w->cx);
    sn_vec_scale(n, 1 / g, w->cv);
}

static sn_status stage(sn_step *step, const sn_rosenbrock *method, const work *w, int i, double g) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h;
    if (i > 0 && !(method->reuse_last && i == method->stages - 1)) {
        sn_vec_copy(n, step->x, w->X);
        sn_vec_copy(n, step->v, w->V);
        for (int j = 0; j < i; ++j) {
            sn_vec_add(n, method->a[i][j], w->ux + j * n, w->X);
            sn_vec_add(n, method->a[i][j], w->uv + j * n, w->V);
        }
        const sn_status status = evaluate(step, step->t + method->alpha[i] * h, w->X, w->V, w->f);
        if (status) return status;
    }
    double *ux = w->ux + i * n, *uv = w->uv + i * n;
    constrained_stage(step, method, w, i, g);
    sn_vec_copy(n, w->V, w->p);
    sn_vec_zero(n, w->sum);
    for (int j = 0; j < i; ++j) {
        sn_vec_add(n, method->c[i][j] / h, w->ux + j * n, w->p);
        sn_vec_add(n, method->c[i][j] / h, w->uv + j * n, w->sum);
    }
    system->table->filter(system, w->p);
    for (int k = 0; k < n; ++k) w->p[k] += g * w->cx[k] - w->cv[k];
    system->table->mass_product(system, w->sum, w->q);
    system->table->product(system, 0, 0, 1 / g, w->p, w->sum);
    for (int k = 0; k < n; ++k) w->q[k] += w->f[k] + h * method->d[i] * w->rate[k] - w->sum[k];
    /* The solver starts from zero in the free directions. */
    sn_vec_copy(n, w->cv, uv);
    sn_linear_report report = {0};
    const double start = sn_seconds();
    const sn_status status = system->table->solve(system, g, 1, 1 / g, w->q, uv, step->tolerance, &report, step->error);
    step->info->solve_seconds += sn_seconds() - start - report.assembly_seconds;
    step->info->assembly_seconds += report.assembly_seconds;
    step->info->linear_iterations += report.iterations;
    step->info->linear_residual = report.residual;
    step->info->solver = report.method, step->info->preconditioner = report.preconditioner;
    if (status) return status;
    for (int k = 0; k < n; ++k) ux[k] = (w->p[k] + uv[k]) / g;
    return SN_OK;
}

static work layout(const sn_step *step, const sn_rosenbrock *method) {
    const int n = step->system->count;
    double *a = step->scratch;
    work w;
    double **member[] = {&w.X, &w.V, &w.f, &w.rate, &w.p, &w.q, &w.sum, &w.spare, &w.A, &w.jerk, &w.cx, &w.cv};
    for (int i = 0; i < 12; ++i) *member[i] = a, a += n;
    w.ux = a, w.uv = a + method->stages * n;
    return w;
}

sn_status sn_rosenbrock_step(sn_step *step, const sn_rosenbrock *method) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h, g = 1 / (h * method->gamma), e = 1e-4 * h;
    const work w = layout(step, method);
    sn_vec_copy(n, step->x, w.X);
    sn_vec_copy(n, step->v, w.V);
    sn_status status = evaluate(step, step->t, w.X, w.V, w.f);
    if (!status) status = take_rate(step, &w);
    if (status) return status;
    const double start = sn_seconds();
    status = system->table->linearise(system, step->t, step->x, step->v, step->error);
    step->info->assembly_seconds += sn_seconds() - start;
    ++step->info->linearisations;
    system->kept = 0;
    if (status) return status;
    prescribed(system, step->t + e, w.cx, w.jerk, w.spare);
    prescribed(system, step->t, w.cx, w.A, w.spare);
    for (int k = 0; k < n; ++k) w.jerk[k] = (w.jerk[k] - w.A[k]) / e;
    for (int i = 0; i < method->stages; ++i) {
        status = stage(step, method, &w, i, g);
        if (status) return status;
    }
    sn_vec_copy(n, step->x, w.X);
    sn_vec_copy(n, step->v, w.V);
    for (int i = 0; i < method->stages; ++i) {
        sn_vec_add(n, method->b[i], w.ux + i * n, w.X);
        sn_vec_add(n, method->b[i], w.uv + i * n, w.V);
    }
    status = system->table->check ? system->table->check(system, step->t + h, w.X, step->error) : SN_OK;
    return status ? status : sn_step_finish(step, w.X, w.V);
}
