/* Iterative refinement.
 *
 *   r = S (b - A x)       with the exact operator in double precision
 *   A~ e = r              by the method, on its copy A~ of the operator (single precision, symmetrised, ...)
 *   x += e                until ||r|| <= tolerance ||S (b - A x_c)||, x_c the constrained part of x
 *
 * The exact operator replaces the copy when a round with the copy does not halve the true residual, or when the method
 * breaks down on the copy. */
#include <math.h>
#include <string.h>

#include "linear/krylov/krylov.h"
#include "solver_inside.h"

enum { ROUNDS = 60, LIGHT = 50 }; /* LIGHT: the most iterations without the correction for coupled bodies */

#define STRICTEST 1e-6 /* of refinement.strict */

typedef struct refinement {
    sn_linear *linear;
    const double *b;
    double *x;
    double *r, *e, *rhs, *best, *krylov;
    int n;
    double reference;
    double strict; /* hierarchical unknowns: the part of the goal that the method must reach in its own norm */
} refinement;

static double norm(const refinement *w, const double *v) { return sn_vector_norm(w->linear->context, w->n, v); }

/* r = S (b - A x). */
static void true_residual(const refinement *w, const double *x, double *r) {
    sn_linear_residual(w->linear, w->b, x, r);
}

/* e -= B B^T e on the nodes of a group. A remainder that is only rounding becomes 0. */
static bool constrained_group(const sn_filter_group *group, const double *x, double *e) {
    double size = 0, left = 0;
    for (int i = 0; i < group->count; ++i)
        for (int a = 0; a < 3; ++a) e[3 * (int64_t)group->node[i] + a] = x[3 * (int64_t)group->node[i] + a];
    const sn_filter one = {.group_count = 1, .group = group};
    sn_filter_apply_groups(&one, e);
    for (int i = 0; i < group->count; ++i)
        for (int64_t at = 3 * (int64_t)group->node[i]; at < 3 * (int64_t)group->node[i] + 3; ++at) {
            e[at] = x[at] - e[at];
            size = fmax(size, fabs(x[at])), left = fmax(left, fabs(e[at]));
        }
    if (left > 1e-12 * size) return true;
    for (int i = 0; i < group->count; ++i) memset(e + 3 * (int64_t)group->node[i], 0, 3 * sizeof *e);
    return false;
}

/* e = x - S x, which is zero at free nodes. Returns whether e is non-zero anywhere. */
static bool constrained_part(const sn_context *context, const sn_filter *filter, int n, const double *x, double *e) {
    bool any = false;
    sn_vector_zero(context, n, e);
    for (int i = 0; i < filter->count; ++i) {
        const double *S = filter->projection + 9 * (int64_t)i;
        const double *u = x + 3 * (int64_t)filter->node[i];
        double *out = e + 3 * (int64_t)filter->node[i];
        for (int a = 0; a < 3; ++a) {
            out[a] = u[a] - (S[3 * a] * u[0] + S[3 * a + 1] * u[1] + S[3 * a + 2] * u[2]);
            any = any || out[a] != 0;
        }
    }
    for (int g = 0; g < filter->group_count; ++g) any = constrained_group(&filter->group[g], x, e) || any;
    return any;
}

/* Computes the right-hand side of the free directions, and the constrained part of x in e. */
static void find_reference(refinement *w) {
    sn_linear *linear = w->linear;
    if (constrained_part(linear->context, &linear->filter.filter, w->n, w->x, w->e)) {
        true_residual(w, w->e, w->rhs);
    } else {
        sn_vector_copy(linear->context, w->n, w->b, w->rhs);
        sn_filter_apply(&linear->filter.filter, w->rhs);
    }
    w->reference = norm(w, w->rhs);
}

/* Starts with zero in the free directions. */
static double start_empty(refinement *w) {
    sn_vector_copy(w->linear->context, w->n, w->e, w->x);
    sn_vector_copy(w->linear->context, w->n, w->rhs, w->r);
    return w->reference;
}

/* Starts with the given x, or with zero if that is better and options.guard is on. Returns the norm of the residual. */
static double start_given(refinement *w) {
    if (memcmp(w->x, w->e, (size_t)w->n * sizeof(double)) == 0) return start_empty(w);
    true_residual(w, w->x, w->r);
    const double size = norm(w, w->r);
    return size < w->reference || !w->linear->options.guard ? size : start_empty(w);
}

/* Starts with the best point in the span of the expected directions. The span leaves a residual with the rounding error
 * of single precision. That is accurate enough when the rounding is far below the tolerance. */
static double start_spanned(refinement *w, double tolerance) {
    sn_linear *linear = w->linear;
    const double rounding = 1e-5;
    double *scratch = (double *)(((uintptr_t)w->krylov + 63) & ~(uintptr_t)63);
    sn_span span = sn_span_create(linear->context, &linear->matrix, &linear->filter.filter, linear->span,
                                  linear->direction, scratch);
    start_empty(w);
    sn_span_improve(&span, w->x, w->r);
    if (tolerance < rounding) {
        true_residual(w, w->x, w->r);
        sn_span_improve(&span, w->x, w->r);
    }
    const double size = norm(w, w->r);
    if (!(size > tolerance * w->reference))
        return start_given(w); /* it seems to meet the tolerance: check with the true residual */
    return size < w->reference ? size : start_empty(w);
}

void sn_linear_method(sn_linear *linear, const sn_choice *c, const sn_operator *op, const double *r, double *e,
                      double strict, double goal, int iterations, double *krylov, sn_krylov_report *report) {
    const int n = 3 * linear->model.nodes;
    const sn_filter *filter = &linear->filter.filter;
    if (linear->model.basis) {
        double *right = linear->basis.right;
        sn_vector_copy(linear->context, n, r, right);
        sn_basis_from_nodal(&linear->basis, right);
        const double scale = sn_vector_norm(linear->context, n, right) /
                             sn_vector_norm(linear->context, n, r); /* the same part of the other norm */
        sn_krylov_run(c->krylov, op, c->preconditioner, linear->data, filter, right, e, strict * scale * goal,
                      iterations, krylov, report);
        sn_basis_to_nodal(&linear->basis, e);
        report->left = NULL; /* it is not nodal */
    } else if (c->krylov && linear->coupled.usable) {
        const sn_preconditioner corrected =
            sn_coupled_preconditioner(&linear->coupled, c->preconditioner, linear->data);
        /* Eisenstat's method is CG with SSOR at half the work. It cannot take the correction, and CG can. */
        const sn_krylov *method = c->krylov->own ? &sn_krylov_cg : c->krylov;
        sn_krylov_run(method, op, &corrected, &linear->coupled, filter, r, e, goal, iterations, krylov, report);
    } else if (c->krylov) {
        sn_krylov_run(c->krylov, op, c->preconditioner, linear->data, filter, r, e, goal, iterations, krylov, report);
    } else {
        c->preconditioner->apply(linear->data, r, e);
        *report = (sn_krylov_report){.iterations = 1, .status = SN_OK};
        sn_operator_note(op, 1, goal);
    }
    sn_filter_apply(filter, e);
}

/* Repeats rounds until the tolerance is met, the iterations are used up, or there is no more progress. Leaves the best
 * x. */
static sn_status rounds(refinement *w, const sn_choice *c, double size, double tolerance, sn_linear_report *report,
                        const char **trouble, sn_error *error) {
    sn_linear *linear = w->linear;
    const double goal = tolerance * w->reference;
    bool copy = c->assembled, is_best = true; /* is_best: x is the best so far */
    double best = size;
    sn_status status = SN_OK;
    while (best > goal && report->iterations < linear->options.iterations && report->rounds < ROUNDS &&
           !linear->watch.late) {
        const sn_operator op = sn_linear_operator(linear, copy);
        const double start = sn_seconds();
        status = sn_linear_ensure_data(linear, c, &op, error);
        report->setup_seconds += sn_seconds() - start;
        if (status) return status;
        const double floor = copy && c->single ? 1e-7 : 1e-13;
        sn_krylov_report k;
        if (is_best) sn_vector_copy(linear->context, w->n, w->x, w->best);
        const int left = linear->options.iterations - report->iterations;
        const bool light = copy && sn_linear_light(linear, c) && left > LIGHT;
        sn_linear_method(linear, c, &op, w->r, w->e, w->strict, fmax(0.9 * goal, floor * size), light ? LIGHT : left,
                         w->krylov, &k);
        report->iterations += k.iterations;
        report->rounds += 1;
        sn_vector_add(linear->context, w->n, 1, w->e, w->x);
        true_residual(w, w->x, w->r);
        size = norm(w, w->r);
        if (linear->watch.count) linear->watch.history[linear->watch.count - 1] = size;
        const bool slow = !(size <= 0.5 * best);
        is_best = size < best || ((k.last || !linear->options.guard) && isfinite(size));
        if (is_best) best = size;
        *trouble = k.trouble;
        if (best <= goal || linear->watch.late || (!slow && !k.trouble && !light)) continue;
        if (linear->model.basis && !k.trouble && isfinite(size) && w->strict > STRICTEST) {
            w->strict *= 0.1; /* the method met its goal in its own norm, which is not that of the nodal residual */
            continue;
        }
        if (light) { /* the contacts are stiff: the correction continues from the best x */
            sn_linear_note_stiff(linear);
            if (is_best) continue;
            sn_vector_copy(linear->context, w->n, w->best, w->x);
            true_residual(w, w->x, w->r);
            size = best, is_best = true;
            continue;
        }
        if (!copy || linear->exact || !c->krylov) break;
        copy = false; /* the exact operator continues from the best x */
        report->fallback = true;
        sn_linear_ensure_cache(linear);
        if (!is_best) sn_vector_copy(linear->context, w->n, w->best, w->x);
        true_residual(w, w->x, w->r);
        size = best, is_best = true;
    }
    if (!is_best) sn_vector_copy(linear->context, w->n, w->best, w->x);
    report->residual = best / w->reference;
    return best <= goal ? SN_OK : SN_NOT_CONVERGED;
}

sn_status sn_linear_refine(sn_linear *linear, const sn_choice *c, const double *b, double *x, double tolerance,
                           sn_linear_report *report, const char **trouble, sn_error *error) {
    const int n = 3 * linear->model.nodes;
    refinement w = {.linear = linear, .b = b, .x = x, .n = n, .r = linear->scratch, .strict = 0.3};
    w.e = w.r + n, w.rhs = w.e + n, w.best = w.rhs + n, w.krylov = w.best + n;
    find_reference(&w);
    const bool spans = linear->span > 0 && c->krylov && c->single && !c->mixed && linear->symmetric &&
                       linear->filter.filter.group_count == 0;
    double size = w.reference;
    if (!(w.reference > 0) || !isfinite(w.reference))
        start_empty(&w);
    else
        size = spans ? start_spanned(&w, tolerance) : start_given(&w);
    if (!isfinite(size)) return sn_fail(error, SN_NOT_FINITE, "the right-hand side of the linear system is not finite");
    if (w.reference == 0) return SN_OK;
    const sn_operator exact = sn_linear_operator(linear, false);
    sn_operator_note(&exact, 1, size);
    const sn_status status = rounds(&w, c, size, tolerance, report, trouble, error);
    if (linear->data && c->preconditioner->feedback && report->iterations > 0)
        c->preconditioner->feedback(linear->data, report->iterations, log10(size / (report->residual * w.reference)));
    for (int i = 0; i < linear->watch.count; ++i) linear->watch.history[i] /= w.reference;
    return status;
}
