/* Backward Euler with one linear solve and a correction of nonlinearity (Kikuuwe 2 and 3): for bodies that are crushed
 * flat, in real time.
 *
 *   A v1 = b,   A = M / h + D + h K,   b = M v / h + f(t1, x, v) + D v,   x1 = x + h v1
 *
 * K and D are exact at (x, v), so A may be indefinite; the solver starts from v. This is the document's equation 17
 * with both sides multiplied by h + beta, and the document's Rayleigh damping is a part of D.
 *
 * The solve does not see how the forces of the elements bend along its way:
 *
 *   e = f(x, v) + D v - f(x1, v1) - (h K + D) v1   forces, K and D of the elements only
 *
 * With e the equation reads A v1 + e = b. The correction multiplies the velocity of each node j by a factor l, 0 < l <=
 * 1, so that no node has a left-hand side that is much larger than its right-hand side (equation 32):
 *
 *   l^2 |b_j + l e_j|^2 <= |b_j|^2 + (tr A_jj V)^2,   l = 1, 0.9, 0.81, ...
 *
 * It assumes that A and the diagonal matrix L of the factors nearly commute, and that e grows with the square of the
 * factors. V = correction.speed: a node may have about this speed even when e is large.
 *
 * The code works with d = h v1 as the other methods do: A d / h = b. */
#include <math.h>

#include "implicit.h"
#include "loop.h"
#include "methods.h"
#include "newton.h"

enum { VECTORS = 9, NODE = 3 };

static int nodes_of(int count) { return (count + NODE - 1) / NODE; }

int sn_kikuuwe_history(int count) {
    (void)count;
    return 0;
}

int sn_kikuuwe_scratch(int count) { return VECTORS * count + 2 * nodes_of(count) + sn_newton_scratch(count); }

typedef struct correction {
    sn_step *step;
    sn_system *system;
    sn_linearisation *linearisation;
    int n;
    double m, a, limit;   /* A / h = m M + a D + K; V h */
    const double *b;      /* -b in fact: the residual at the start, filtered */
    double *y, *v;        /* x1 and v1; the correction changes them */
    double *u;            /* the velocity at which b was made */
    double *force;        /* f(x, u) + D u of the elements */
    double *e;            /* the error */
    double *lost;         /* what the velocities lose */
    double *work, *other; /* to work with */
    double *kept;         /* A v1 before the correction, for correction.measure */
    double *factor;       /* one per node */
    double *trace;        /* of A / h, one per node */
} correction;

/* ---- The error of the linear forces ---- */
static sn_status force_inside(const correction *c, const double *x, const double *v, double *out) {
    sn_system *system = c->system;
    sn_request request = {.t = c->step->t + c->step->h, .x = x, .v = v, .inside = true};
    sn_result result = {0};
    ++c->step->info->force_evaluations;
    const sn_status status = system->table->evaluate(system, &request, &result, c->step->error);
    if (status) return status;
    if (result.inside) {
        sn_vector_copy(system->context, c->n, result.inside, out);
        return SN_OK;
    }
    request.force = out; /* all forces count as forces of the elements */
    return system->table->evaluate(system, &request, &result, c->step->error);
}

/* out = e at (y, v) = -(f(y, v) - f(x, u) + (K + a D) (y - x) - D u) of the elements; v = a (y - x). */
static sn_status find_error(const correction *c, double *out) {
    const sn_context *context = c->system->context;
    const sn_status status = force_inside(c, c->y, c->v, out);
    if (status) return status;
    sn_vector_subtract(context, c->n, c->force, out, out);
    sn_vector_subtract(context, c->n, c->y, c->step->x, c->work);
    sn_linearisation_inside(c->linearisation, c->a, 1, c->work, c->other);
    sn_vector_add(context, c->n, -1, c->other, out);
    return SN_OK;
}

/* ---- The factors ---- */
/* The largest of 1, 0.9, 0.81, ... that meets the condition for a node of `count` scalars; `size` = tr A_jj V. */
static double factor_of(int count, const double *b, const double *e, double size) {
    const double smallest = 1e-9; /* reached only when forces are not finite */
    double allowed = size * size, l = 1;
    for (int i = 0; i < count; ++i) allowed += b[i] * b[i];
    for (; l > smallest; l *= 0.9) {
        double square = 0;
        for (int i = 0; i < count; ++i) square += (l * e[i] - b[i]) * (l * e[i] - b[i]); /* b has the other sign */
        if (!(l * l * square > allowed)) break;
    }
    return l;
}

static void factors_piece(void *data, int piece) {
    const correction *c = data;
    const int begin = piece * SN_PIECE, end = begin + SN_PIECE < c->n ? begin + SN_PIECE : c->n;
    for (int i = begin; i < end; i += NODE) {
        const int count = end - i < NODE ? end - i : NODE, node = i / NODE;
        const double l = factor_of(count, c->b + i, c->e + i, c->trace[node] * c->limit);
        c->factor[node] = l;
        for (int k = i; k < i + count; ++k) c->lost[k] = (1 - l) * c->v[k];
    }
}

/* Slows the nodes down. Components that are prescribed stay as they are. */
static void slow_down(const correction *c) {
    sn_system *system = c->system;
    sn_correction_report *report = &c->step->info->correction;
    c->linearisation->table->trace(c->linearisation, c->m, c->a, 1, c->trace);
    sn_parallel_pieces(system->context, sn_pieces(c->n, SN_PIECE), factors_piece, (void *)(uintptr_t)c);
    *report = (sn_correction_report){.least = 1};
    for (int i = 0; i < nodes_of(c->n); ++i)
        if (c->factor[i] < 1) ++report->nodes, report->least = fmin(report->least, c->factor[i]);
    if (report->nodes == 0) return;
    system->table->filter(system, c->lost);
    sn_vector_add(system->context, c->n, -1, c->lost, c->v);
    sn_vector_add(system->context, c->n, -c->step->h, c->lost, c->y);
    if (system->table->retract) system->table->retract(system, c->y);
}

/* ---- The assumptions behind the correction (equations 35 and 36) ---- */
/* out = l a, and other = l l b, with the factor l of each node. */
SN_LOOP(scale_nodes, const double f = l.c[i / NODE]; l.out[i] = f * l.a[i]; l.other[i] = f * f * l.b[i])

static double relative(const correction *c, double *a, const double *b) {
    const double size = sn_vector_norm(c->system->context, c->n, b);
    sn_vector_add(c->system->context, c->n, -1, b, a);
    return size > 0 ? sn_vector_norm(c->system->context, c->n, a) / size : 0;
}

/* Compares A L v with L A v, and e of L v with L^2 e. */
static sn_status measure(const correction *c) {
    sn_correction_report *report = &c->step->info->correction;
    const sn_context *context = c->system->context;
    if (report->nodes == 0) return SN_OK;
    sn_loop(context, c->n, scale_nodes,
            (sn_operands){.a = c->kept, .b = c->e, .c = c->factor, .out = c->kept, .other = c->e});
    sn_linearisation_product(c->linearisation, c->m, c->a, 1, c->v, c->work);
    report->commutes = relative(c, c->work, c->kept);
    const sn_status status = find_error(c, c->lost);
    if (!status) report->squares = relative(c, c->lost, c->e);
    return status;
}

static sn_status correct(correction *c) {
    sn_system *system = c->system;
    const sn_correction_options *options = &c->step->options->correction;
    sn_vector_copy(system->context, c->n, c->step->v, c->u);
    system->table->constrain(system, c->step->t + c->step->h, NULL, c->u, NULL);
    sn_status status = force_inside(c, c->step->x, c->u, c->force);
    if (!status && c->linearisation->damped) {
        sn_linearisation_inside(c->linearisation, 1, 0, c->u, c->other);
        sn_vector_add(system->context, c->n, 1, c->other, c->force);
    }
    if (!status) status = find_error(c, c->e);
    if (status) return status;
    if (options->measure) sn_linearisation_product(c->linearisation, c->m, c->a, 1, c->v, c->kept);
    slow_down(c);
    return options->measure ? measure(c) : SN_OK;
}

/* ---- The step ---- */
static correction layout(sn_step *step, double **rest) {
    const int n = step->system->count;
    const double h = step->h;
    correction c = {.step = step,
                    .system = step->system,
                    .n = n,
                    .m = 1 / (h * h),
                    .a = 1 / h,
                    .limit = h * step->options->correction.speed};
    double *room = step->scratch;
    double **vector[VECTORS] = {&c.y, &c.v, &c.u, &c.force, &c.e, &c.lost, &c.work, &c.other, &c.kept};
    for (int i = 0; i < VECTORS; ++i) *vector[i] = room, room += n;
    c.factor = room, c.trace = room + nodes_of(n);
    *rest = room + 2 * nodes_of(n);
    return c;
}

sn_status sn_kikuuwe_step(sn_step *step) {
    sn_system *system = step->system;
    const int n = system->count;
    const double h = step->h;
    double *rest;
    correction c = layout(step, &rest);
    double *base = c.force, *guess = c.e;
    step->info->correction = (sn_correction_report){0};
    sn_vector_copy(system->context, n, step->x, c.y);
    sn_vector_mix(system->context, n, 1, step->x, h, step->v, 0, NULL, base);
    sn_vector_mix(system->context, n, h, step->v, 0, NULL, 0, NULL, guess);
    sn_newton_problem problem = sn_step_problem(step, guess, rest);
    problem.t1 = step->t + h;
    problem.m = c.m, problem.a = c.a;
    problem.base = base, problem.origin = step->x;
    sn_newton newton = sn_newton_begin(&problem);
    const sn_newton_result result = sn_newton_one_step(&newton, c.y);
    sn_status status = sn_newton_end(&newton, &result);
    if (status) return status;
    c.b = newton.r, c.linearisation = newton.linearisation;
    sn_vector_difference(system->context, n, 1 / h, c.y, step->x, c.v);
    if (step->options->correction.use) status = correct(&c);
    return status ? status : sn_step_finish(step, c.y, c.v);
}
