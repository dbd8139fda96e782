/* Rosenbrock and W-methods on M x'' = f(t, x, v): one linear solve of half size per stage (Hauth 3.2.6 and 3.4.1).
 *
 * For y = (x, v) and g = 1/(h gamma), a stage (implicit.h) is
 *   g ux - uv = V + sum (c_ij/h) ux_j + h d_i dV/dt      =: p
 *   M g uv + K ux + D uv = f + M sum (c_ij/h) uv_j + h d_i df/dt  =: q
 * With ux = (p + uv)/g this becomes (g M + D + K/g) uv = q - K p / g. All stages share this matrix.
 *
 * In the constrained directions, x' = V(t) and v' = A(t) are given functions of time. There J = 0, and u follows
 * directly. p is changed there so that ux = (p + uv)/g holds. */
#include "base/context.h"
#include "implicit.h"
#include "loop.h"

int sn_rosenbrock_scratch(const sn_rosenbrock *method, int count) { return (2 * method->stages + 12) * count; }

typedef struct work {
    double *ux, *uv;  /* stages x count */
    double *X, *V;    /* the stage's state */
    double *f, *rate; /* f of the stage; df/dt at t */
    double *p, *q, *sum, *spare;
    double *A, *jerk; /* prescribed acceleration and its rate, 0 in the free directions */
    double *cx, *cv;
    sn_linearisation *linearisation; /* at the start */
} work;

/* The force at a place. For the first stage also its rate and the linearisation. */
static sn_status evaluate(sn_step *step, const sn_request *request, sn_result *result) {
    const double start = sn_seconds();
    const sn_status status = step->system->table->evaluate(step->system, request, result, step->error);
    step->info->assembly_seconds += sn_seconds() - start;
    ++step->info->force_evaluations;
    return status;
}

/* Reduces u to its constrained components. */
static void constrained_part(sn_system *system, double *u, double *spare) {
    sn_vector_copy(system->context, system->count, u, spare);
    system->table->filter(system, spare);
    sn_vector_add(system->context, system->count, -1, spare, u);
}

/* Prescribed velocity and acceleration at t, zero in the free directions. */
static void prescribed(sn_system *system, double t, double *V, double *A, double *spare) {
    const int n = system->count;
    sn_vector_zero(system->context, n, V);
    sn_vector_zero(system->context, n, A);
    system->table->constrain(system, t, NULL, V, A);
    constrained_part(system, V, spare);
    constrained_part(system, A, spare);
}

/* u = (F(t_i) + sum (c/h) u_j + h d dF/dt) / g in the constrained directions, for x into cx and for v into cv. */
static void constrained_stage(sn_step *step, const sn_rosenbrock *method, const work *w, int i, double g) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h;
    prescribed(system, step->t + method->alpha[i] * h, w->cx, w->cv, w->spare);
    sn_vector_add(system->context, n, h * method->d[i], w->A, w->cx);
    sn_vector_add(system->context, n, h * method->d[i], w->jerk, w->cv);
    for (int j = 0; j < i; ++j) {
        sn_vector_add(system->context, n, method->c[i][j] / h, w->ux + j * n, w->cx);
        sn_vector_add(system->context, n, method->c[i][j] / h, w->uv + j * n, w->cv);
    }
    constrained_part(system, w->cx, w->spare);
    constrained_part(system, w->cv, w->spare);
    sn_vector_scale(system->context, n, 1 / g, w->cx);
    sn_vector_scale(system->context, n, 1 / g, w->cv);
}

/* out += p a - b */
SN_LOOP(bend, l.out[i] += l.p * l.a[i] - l.b[i])
/* out += a + p b - c */
SN_LOOP(add_forces, l.out[i] += l.a[i] + l.p * l.b[i] - l.c[i])
/* out = (a + b) / p */
SN_LOOP(divide_sum, l.out[i] = (l.a[i] + l.b[i]) / l.p)
/* out = (out - a) / p */
SN_LOOP(divide_change, l.out[i] = (l.out[i] - l.a[i]) / l.p)

static sn_status stage(sn_step *step, const sn_rosenbrock *method, const work *w, int i, double g) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h;
    if (i > 0 && !(method->reuse_last && i == method->stages - 1)) {
        sn_vector_copy(system->context, n, step->x, w->X);
        sn_vector_copy(system->context, n, step->v, w->V);
        for (int j = 0; j < i; ++j) {
            sn_vector_add(system->context, n, method->a[i][j], w->ux + j * n, w->X);
            sn_vector_add(system->context, n, method->a[i][j], w->uv + j * n, w->V);
        }
        const sn_request request = {.t = step->t + method->alpha[i] * h, .x = w->X, .v = w->V, .force = w->f};
        const sn_status status = evaluate(step, &request, &(sn_result){0});
        if (status) return status;
    }
    double *ux = w->ux + i * n, *uv = w->uv + i * n;
    constrained_stage(step, method, w, i, g);
    sn_vector_copy(system->context, n, w->V, w->p);
    sn_vector_zero(system->context, n, w->sum);
    for (int j = 0; j < i; ++j) {
        sn_vector_add(system->context, n, method->c[i][j] / h, w->ux + j * n, w->p);
        sn_vector_add(system->context, n, method->c[i][j] / h, w->uv + j * n, w->sum);
    }
    system->table->filter(system, w->p);
    sn_loop(system->context, n, bend, (sn_operands){.p = g, .a = w->cx, .b = w->cv, .out = w->p});
    system->table->mass_product(system, w->sum, w->q);
    sn_linearisation_product(w->linearisation, 0, 0, 1 / g, w->p, w->sum);
    const sn_operands right = {.p = h * method->d[i], .a = w->f, .b = w->rate, .c = w->sum, .out = w->q};
    sn_loop(system->context, n, add_forces, right);
    /* The solver starts from zero in the free directions. */
    sn_vector_copy(system->context, n, w->cv, uv);
    const sn_solve solve = {.m = g, .d = 1, .k = 1 / g, .b = w->q, .x = uv, .tolerance = step->tolerance};
    sn_linear_report report;
    const double start = sn_seconds();
    const sn_status status = sn_linearisation_solve(w->linearisation, &solve, &report, step->error);
    step->info->solve_seconds += sn_seconds() - start - report.assembly_seconds;
    step->info->assembly_seconds += report.assembly_seconds;
    step->info->linear_iterations += report.iterations;
    step->info->linear_residual = report.residual;
    step->info->solver = report.method, step->info->preconditioner = report.preconditioner;
    if (status) return status;
    sn_loop(system->context, n, divide_sum, (sn_operands){.p = g, .a = w->p, .b = uv, .out = ux});
    return SN_OK;
}

static work layout(const sn_step *step, const sn_rosenbrock *method) {
    const int n = step->system->count;
    double *a = step->scratch;
    work w = {0};
    double **member[] = {&w.X, &w.V, &w.f, &w.rate, &w.p, &w.q, &w.sum, &w.spare, &w.A, &w.jerk, &w.cx, &w.cv};
    for (int i = 0; i < 12; ++i) *member[i] = a, a += n;
    w.ux = a, w.uv = a + method->stages * n;
    return w;
}

sn_status sn_rosenbrock_step(sn_step *step, const sn_rosenbrock *method) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h, g = 1 / (h * method->gamma), e = 1e-4 * h;
    work w = layout(step, method);
    sn_result result = {0};
    const sn_request start = {
        .t = step->t, .x = step->x, .v = step->v, .force = w.f, .rate = w.rate, .linearise = SN_LINEARISE_EXACT};
    sn_status status = evaluate(step, &start, &result);
    ++step->info->linearisations;
    if (status) return status;
    w.linearisation = result.linearisation;
    sn_vector_copy(system->context, n, step->x, w.X);
    sn_vector_copy(system->context, n, step->v, w.V);
    prescribed(system, step->t + e, w.cx, w.jerk, w.spare);
    prescribed(system, step->t, w.cx, w.A, w.spare);
    sn_loop(system->context, n, divide_change, (sn_operands){.p = e, .a = w.A, .out = w.jerk});
    for (int i = 0; i < method->stages; ++i) {
        status = stage(step, method, &w, i, g);
        if (status) return status;
    }
    sn_vector_copy(system->context, n, step->x, w.X);
    sn_vector_copy(system->context, n, step->v, w.V);
    for (int i = 0; i < method->stages; ++i) {
        sn_vector_add(system->context, n, method->b[i], w.ux + i * n, w.X);
        sn_vector_add(system->context, n, method->b[i], w.uv + i * n, w.V);
    }
    status = sn_step_check(step, step->t + h, w.X);
    return status ? status : sn_step_finish(step, w.X, w.V);
}
