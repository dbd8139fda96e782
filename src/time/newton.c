/* Newton's method for r(y) = m M (y - base) - f(t1, y, a (y - origin) + w) - extra = 0.
 *
 *   (m M + a D + K) d = -r(y),   y <- y + s d,   0 < s <= 1
 *
 * In the constrained directions, position, velocity and acceleration are known functions of time, and r uses these
 * values. Prescribed motion enters as given components of d, in the first iteration and as long as a part of it is
 * left. This file has the parts that the kinds share, and the table of the kinds (newton.h). */
#include "newton.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/vector.h"
#include "linear/krylov/span.h"

enum { VECTORS = 8 };

int sn_newton_scratch(int count) { return VECTORS * count; }

double sn_newton_relative(const sn_newton *w) { return w->residual > 0 ? w->residual / w->scale : w->residual; }

double sn_newton_enough(const sn_newton *w) {
    return w->residual > 0 ? 0.5 * w->problem->options->tolerance * w->scale / w->residual : 1;
}

void sn_newton_forget(sn_newton *w) {
    if (w->linearisation) sn_linearisation_forget(w->linearisation);
}

/* ---- Evaluation ---- */
void sn_newton_velocity(sn_newton *w, const double *y) {
    const sn_newton_problem *p = w->problem;
    const sn_context *context = w->system->context;
    if (p->a != 0)
        sn_vector_difference(context, w->n, p->a, y, p->origin, w->velocity);
    else
        sn_vector_zero(context, w->n, w->velocity);
    if (p->offset) sn_vector_add(context, w->n, 1, p->offset, w->velocity);
    if (p->a != 0) w->system->table->constrain(w->system, p->t1, NULL, w->velocity, NULL);
}

/* m (y - base) in the free directions, and the prescribed value in the constrained ones. */
static void take_inertia(sn_newton *w, const double *y, double *out) {
    const sn_newton_problem *p = w->problem;
    const sn_system_table *table = w->system->table;
    sn_vector_difference(w->system->context, w->n, p->m, y, p->base, out);
    if (p->inertia) {
        table->filter(w->system, out);
        sn_vector_add(w->system->context, w->n, 1, p->inertia, out);
    } else {
        table->constrain(w->system, p->t1, NULL, NULL, out);
    }
}

/* Sends a request for the place (t1, y, w->velocity). */
static sn_status ask(sn_newton *w, sn_request request, const double *y, sn_result *result, sn_error *error) {
    const double start = sn_seconds();
    request.t = w->problem->t1, request.x = y, request.v = w->velocity, request.ahead = w->ahead;
    const sn_status status = w->system->table->evaluate(w->system, &request, result, error);
    w->problem->info->assembly_seconds += sn_seconds() - start;
    w->linearisation = result->linearisation;
    return status;
}

/* Computes r at y with the force at (y, w->velocity), filtered, with its norm and its scale. */
static sn_status evaluate_there(sn_newton *w, const double *y, sn_error *error) {
    const sn_newton_problem *p = w->problem;
    const sn_system_table *table = w->system->table;
    const sn_context *context = w->system->context;
    sn_result result = {0};
    const sn_status status = ask(w, (sn_request){.force = w->f, .scale = true}, y, &result, error);
    ++p->info->force_evaluations;
    if (status) return status;
    double inertia = 0;
    if (p->m != 0) {
        take_inertia(w, y, w->work);
        table->mass_product(w->system, w->work, w->r);
        inertia = sn_vector_norm(context, w->n, w->r);
    } else {
        sn_vector_zero(context, w->n, w->r);
    }
    w->undamped = false;
    w->scale = result.scale > inertia ? result.scale : inertia;
    w->calm = result.calm > inertia ? result.calm : inertia;
    sn_vector_add(context, w->n, -1, w->f, w->r);
    if (p->extra) sn_vector_add(context, w->n, -1, p->extra, w->r);
    table->filter(w->system, w->r);
    w->residual = sn_vector_norm(context, w->n, w->r);
    if (!isfinite(w->residual)) return sn_fail(error, SN_NOT_FINITE, "the force is not finite at t = %g s", p->t1);
    return SN_OK;
}

sn_status sn_newton_evaluate(sn_newton *w, const double *y, sn_error *error) {
    sn_newton_velocity(w, y);
    return evaluate_there(w, y, error);
}

sn_status sn_newton_linearise(sn_newton *w, const double *y) {
    sn_result result = {0};
    const sn_status status =
        ask(w, (sn_request){.here = true, .again = w->again, .linearise = w->wanted}, y, &result, w->problem->error);
    ++w->problem->info->linearisations;
    w->correction = 0;
    w->fresh = status == SN_OK;
    return status;
}

/* The force at y and its velocity q is approximated by f(y, u) - D (q - u). Forces that are not linear in the velocity
 * are thus evaluated at the present velocity u (Baraff and Witkin 1998). The system mostly knows f(y, u) from the end
 * of the last step. The part a d of q that belongs to the prescribed correction d is left out, because the solve would
 * take it away again. */
sn_status sn_newton_expand(sn_newton *w, const double *y, bool keeps) {
    const sn_newton_problem *p = w->problem;
    const sn_system_table *table = w->system->table;
    const sn_context *context = w->system->context;
    const bool elsewhere = p->velocity && p->a != 0;
    if (elsewhere) {
        sn_vector_copy(context, w->n, p->velocity, w->velocity);
    } else {
        sn_newton_velocity(w, y);
    }
    sn_status status = evaluate_there(w, y, p->error);
    if (!status && !(keeps && w->linearisation && w->linearisation->served > 0)) status = sn_newton_linearise(w, y);
    if (status || !elsewhere) return status;
    if (!w->linearisation->damped) {
        sn_newton_velocity(w, y);
        return SN_OK;
    }
    sn_vector_copy(context, w->n, w->velocity, w->trial);
    sn_newton_velocity(w, y);
    sn_vector_subtract(context, w->n, w->velocity, w->trial, w->work);
    if (sn_newton_prescribe(w, y) > 0) sn_vector_add(context, w->n, -p->a, w->d, w->work);
    sn_linearisation_product(w->linearisation, 0, 1, 0, w->work, w->trial);
    w->undamped = true;
    table->filter(w->system, w->trial);
    sn_vector_add(context, w->n, 1, w->trial, w->r);
    w->residual = sn_vector_norm(context, w->n, w->r);
    return SN_OK;
}

/* ---- Correction ---- */
double sn_newton_prescribe(sn_newton *w, const double *y) {
    const sn_context *context = w->system->context;
    sn_vector_copy(context, w->n, y, w->trial);
    w->system->table->constrain(w->system, w->problem->t1, w->trial, NULL, NULL);
    sn_vector_subtract(context, w->n, w->trial, y, w->d);
    return sn_vector_largest(context, w->n, w->d);
}

bool sn_newton_carries(const sn_newton *w, double prescribed) { return prescribed > 1e-10 * w->system->size; }

static void count_solve(sn_step_info *info, const sn_linear_report *report, sn_status status, double seconds) {
    info->solve_seconds += seconds - report->assembly_seconds;
    info->assembly_seconds += report->assembly_seconds;
    info->linear_iterations += report->iterations;
    info->linear_residual = report->residual;
    info->linear_misses += status == SN_NOT_CONVERGED;
    info->solver = report->method, info->preconditioner = report->preconditioner;
}

sn_status sn_newton_correct(sn_newton *w, const double *y, bool first, double prescribed, double tolerance) {
    const sn_newton_problem *p = w->problem;
    const sn_context *context = w->system->context;
    sn_solve solve = {.m = p->m, .d = p->a, .k = 1, .b = w->work, .x = w->d, .at = y, .tolerance = tolerance};
    /* b = -r. Velocity and inertia of the prescribed motion are already correct in r. Only its K d is missing, and its
     * a D d when r is `undamped`. The other parts of A d are therefore subtracted. */
    if (prescribed > 1e-14 * w->system->size && p->a != 0)
        sn_linearisation_product(w->linearisation, p->m, w->undamped ? 0 : p->a, 0, w->d, w->work);
    else
        sn_vector_zero(context, w->n, w->work);
    sn_vector_add(context, w->n, -1, w->r, w->work);
    const double *direction[SN_SPAN] = {w->tried};
    if (first && p->guess) {
        solve.expected = p->expected, solve.direction = p->direction;
        if (w->tried && p->expected > 0) {
            solve.expected = p->expected < SN_SPAN ? p->expected + 1 : SN_SPAN;
            for (int i = 1; i < solve.expected; ++i) direction[i] = p->direction[i - 1];
            solve.direction = direction;
        }
        sn_vector_copy(context, w->n, w->tried ? w->tried : p->guess, w->trial);
        w->system->table->filter(w->system, w->trial);
        if (!w->predicted) sn_vector_add(context, w->n, 1, w->trial, w->d);
    }
    sn_linear_report report;
    const double start = sn_seconds();
    const sn_status status = sn_linearisation_solve(w->linearisation, &solve, &report, p->error);
    count_solve(p->info, &report, status, sn_seconds() - start);
    if (status && status != SN_NOT_CONVERGED) return status;
    if (!isfinite(sn_vector_largest(context, w->n, w->d)))
        return sn_fail(p->error, SN_NOT_FINITE, "the linear solver gave a value that is not finite at t = %g s", p->t1);
    return status;
}

/* ---- Limits ---- */
double sn_newton_limit(sn_newton *w, const double *y, double *d, bool *cut) {
    const sn_system_table *table = w->system->table;
    if (!table->limit) return 1;
    const double s = table->limit(w->system, w->problem->t1, y, d, cut);
    return s < 1 ? (s > 0 ? s : 0) : 1;
}

bool sn_newton_go(sn_newton *w, const double *y, double *s, const double *d, double *out) {
    enum { TRIES = 8 };
    const sn_system_table *table = w->system->table;
    const sn_context *context = w->system->context;
    const size_t bytes = (size_t)w->n * sizeof *out;
    for (int i = 0; i<TRIES && * s> 0; ++i) {
        sn_vector_mix(context, w->n, 1, y, *s, d, 0, NULL, out);
        if (!table->retract) return true;
        if (table->limit) memcpy(w->work, out, bytes);
        table->retract(w->system, out);
        if (!table->limit || memcmp(w->work, out, bytes) == 0) return true;
        sn_vector_subtract(context, w->n, out, y, w->work);
        const double part = sn_newton_limit(w, y, w->work, NULL);
        if (part >= 1) return true;
        *s *= part < 0.5 ? 0.5 * part : 0.25; /* the retracted way is another one: stay well below */
    }
    return false;
}

/* The last correction was cut: single nodes stopped, and all went its part s. Nodes may stop, and a small part of a
 * step may leave as much as `loose` undone, but no prescribed motion. */
static sn_status judge_cut(sn_newton *w, const double *y, double s) {
    const sn_newton_problem *p = w->problem;
    const bool carries = sn_newton_carries(w, sn_newton_prescribe(w, y));
    if (!carries && 1 - s <= p->loose) {
        p->info->loose += s < 1;
        return SN_OK;
    }
    return sn_fail(p->error, SN_NOT_CONVERGED, "%s runs into a contact at t = %g s; take a smaller step",
                   carries ? "a prescribed motion" : "the correction of Newton's method", p->t1);
}

/* The tolerance of the only solve. Near a barrier |r| can be so large that all other forces are below the tolerance.
 * The tolerance counts against these others then. */
static double sole_tolerance(const sn_newton *w) {
    const double least = 1e-6, part = w->system->steep && w->residual > w->calm ? w->calm / w->residual : 1;
    return w->problem->linear_tolerance * (part > least ? part : least);
}

sn_status sn_newton_find_correction(sn_newton *w, const double *y) {
    const double prescribed = sn_newton_prescribe(w, y);
    const sn_status status = sn_newton_correct(w, y, true, prescribed, sole_tolerance(w));
    /* A solve that stopped early is still used, but not near a barrier: what is left there is large. */
    if (status && (status != SN_NOT_CONVERGED || (w->system->steep && !(w->problem->loose > 0)))) return status;
    ++w->problem->info->newton_iterations;
    return SN_OK;
}

sn_status sn_newton_take_correction(sn_newton *w, double *y, bool last) {
    const sn_newton_problem *p = w->problem;
    const sn_system_table *table = w->system->table;
    bool cut = false;
    const double s = sn_newton_limit(w, y, w->d, &cut);
    sn_vector_add(w->system->context, w->n, s, w->d, y);
    if (s == 1 && !cut) table->constrain(w->system, p->t1, y, NULL, NULL);
    const sn_status undone = (s < 1 || cut) && last ? judge_cut(w, y, s) : SN_OK;
    if (undone) return undone;
    return table->evaluate(w->system, &(sn_request){.t = p->t1, .x = y, .check = true}, &(sn_result){0}, p->error);
}

/* ---- Kinds ---- */
typedef struct newton_kind {
    const char *name;
    bool converges;
    sn_newton_result (*solve)(sn_newton *w, double *y);
} newton_kind;

#define ENTRY(name, symbol, converges, text) {name, converges, sn_newton_##symbol},
static const newton_kind kind[] = {SN_NEWTON_KINDS(ENTRY)};
#undef ENTRY
#define ENTRY(name, symbol, converges, text) {name, text},
static const sn_listing kind_listing[] = {SN_NEWTON_KINDS(ENTRY)};
#undef ENTRY

enum { KINDS = (int)(sizeof kind / sizeof *kind) };

const sn_listing *sn_newton_kinds(int *count) {
    *count = KINDS;
    return kind_listing;
}

static const newton_kind *find(const char *name) {
    for (int i = 0; i < KINDS; ++i)
        if (strcmp(kind[i].name, name) == 0) return &kind[i];
    return &kind[0];
}

bool sn_newton_converges(const char *name) { return find(name)->converges; }

bool sn_newton_splits(const sn_newton_options *options) { return strcmp(options->jacobian, "approximate") == 0; }

sn_newton sn_newton_begin(const sn_newton_problem *problem) {
    const int n = problem->system->count;
    double *a = problem->scratch;
    return (sn_newton){.problem = problem,
                       .system = problem->system,
                       .n = n,
                       .r = a,
                       .f = a + n,
                       .d = a + 2 * n,
                       .trial = a + 3 * n,
                       .velocity = a + 4 * n,
                       .best = a + 5 * n,
                       .work = a + 6 * n,
                       .room = a + 7 * n,
                       .wanted = sn_newton_splits(problem->options) ? SN_LINEARISE_TENSION : SN_LINEARISE_EXACT,
                       .best_residual = -1};
}

sn_status sn_newton_end(sn_newton *w, const sn_newton_result *result) {
    w->problem->info->newton_residual = result->residual;
    w->problem->info->loose += result->loose;
    if (result->status) sn_newton_forget(w); /* the linearisation of a failed iteration is not worth keeping */
    return result->status;
}

sn_status sn_newton_solve(const sn_newton_problem *problem, double *y) {
    sn_newton w = sn_newton_begin(problem);
    const sn_newton_result result = find(problem->options->kind)->solve(&w, y);
    return sn_newton_end(&w, &result);
}
