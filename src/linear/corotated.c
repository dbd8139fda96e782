/* See corotated.h. */
#include "corotated.h"

#include <math.h>

#include "coarse_newton.h"
#include "linear/krylov/krylov.h"
#include "solver_inside.h"

enum { ROUNDS = 40 };

struct sn_corotated {
    sn_context *context;
    int n; /* scalars */
    sn_coarse_newton *coarse;
    int64_t number; /* the place that the matrix of `coarse` was made for, with these m, d, k; 0: none */
    double m, d, k;
    double *rho, *y, *e, *image; /* n */
    double *best;
};

sn_status sn_corotated_create(sn_context *context, const sn_linear_model *model, sn_corotated **out, sn_error *error) {
    *out = NULL;
    sn_corotated *w = sn_allocate_zero(context, 1, sizeof *w);
    if (!w) return sn_no_memory(error);
    w->context = context, w->n = 3 * model->nodes;
    const size_t n = (size_t)w->n;
    const sn_array array[] = {SN_ARRAY(w->rho, n), SN_ARRAY(w->y, n), SN_ARRAY(w->e, n), SN_ARRAY(w->image, n),
                              SN_ARRAY(w->best, n)};
    sn_status status = sn_allocate_arrays(context, array, sizeof array / sizeof *array, error);
    if (!status) status = sn_coarse_newton_create(context, model, &w->coarse, error);
    if (status)
        sn_corotated_destroy(w);
    else
        *out = w;
    return status;
}

void sn_corotated_destroy(sn_corotated *w) {
    if (!w) return;
    sn_coarse_newton_destroy(w->coarse);
    void *const array[] = {w->rho, w->y, w->e, w->image, w->best};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(w->context, array[i]);
    sn_release(w->context, w);
}

void sn_corotated_forget(sn_corotated *w) {
    if (w) w->number = 0;
}

/* One solve. */
typedef struct solve {
    sn_corotated *w;
    sn_linear *linear;
    const sn_choice *choice;
    const sn_filter *filter;
    const double *at, *b;
    double *x;
    sn_linear_report *report;
    double size;    /* |rho| */
    int iterations; /* of the method with A alone, and the digits that they gained */
    double digits;
} solve;

static void measure(solve *s) {
    sn_filter_apply(s->filter, s->w->rho);
    s->size = sn_vector_norm(s->w->context, s->w->n, s->w->rho);
}

static void move(const solve *s) {
    sn_vector_mix(s->w->context, s->w->n, 1, s->at, 1, s->x, 0, NULL, s->w->y);
    sn_coarse_newton_move(s->w->coarse, s->w->y);
}

/* rho by the exact operator. */
static void true_residual(solve *s) {
    sn_corotated *w = s->w;
    move(s);
    sn_linear_product(s->linear, w->m, w->d, w->k, s->x, w->rho);
    sn_vector_subtract(w->context, w->n, s->b, w->rho, w->rho);
    sn_coarse_newton_add(w->coarse, false, w->rho);
    measure(s);
}

/* out = b - A u, with the matrix where there is one. */
static void subtract_product(const solve *s, const double *b, const double *u, double *out) {
    sn_corotated *w = s->w;
    if (s->choice->assembled && !s->choice->mixed && s->linear->operator_symmetric)
        sn_matrix_product(w->context, &s->linear->matrix, u, w->image);
    else
        sn_linear_product(s->linear, w->m, w->d, w->k, u, w->image);
    sn_vector_subtract(w->context, w->n, b, w->image, out);
}

/* x += e, and rho follows. left: rho - A e, or NULL. */
static void take(solve *s, const double *left) {
    sn_corotated *w = s->w;
    if (left)
        sn_vector_copy(w->context, w->n, left, w->rho);
    else
        subtract_product(s, w->rho, w->e, w->rho);
    sn_vector_add(w->context, w->n, 1, w->e, s->x);
    move(s);
    sn_coarse_newton_add(w->coarse, true, w->rho);
    measure(s);
}

/* Starts without a motion of the free directions, which gives the size that solves are measured against; then with the
 * given x, and the best point from there in the span of the expected directions. */
static double start(solve *s) {
    sn_corotated *w = s->w;
    sn_linear *linear = s->linear;
    sn_vector_copy(w->context, w->n, s->x, w->e);
    sn_filter_apply(s->filter, w->e);
    sn_vector_subtract(w->context, w->n, s->x, w->e, s->x);
    if (sn_vector_largest(w->context, w->n, s->x) == 0) {
        sn_vector_copy(w->context, w->n, s->b, w->rho);
    } else {
        subtract_product(s, s->b, s->x, w->rho);
        move(s);
        sn_coarse_newton_add(w->coarse, false, w->rho);
    }
    measure(s);
    const double reference = s->size;
    if (sn_vector_largest(w->context, w->n, w->e) > 0) take(s, NULL);
    if (linear->span > 0 && s->choice->krylov && s->choice->single && linear->symmetric) {
        double *scratch = (double *)(((uintptr_t)linear->scratch + 63) & ~(uintptr_t)63);
        sn_span span =
            sn_span_create(linear->context, &linear->matrix, s->filter, linear->span, linear->direction, scratch);
        sn_span_improve(&span, s->x, w->rho);
        move(s);
        sn_coarse_newton_add(w->coarse, true, w->rho);
        measure(s);
    }
    return reference;
}

static sn_status coarse(solve *s, sn_error *error) {
    const sn_status status = sn_coarse_newton_correct(s->w->coarse, s->w->rho, s->w->e, error);
    if (status) return status;
    sn_filter_apply(s->filter, s->w->e);
    take(s, NULL);
    return SN_OK;
}

/* out = (A + k dN/dx) u. */
static void product(const void *self, const double *u, double *out) {
    const solve *s = self;
    const sn_operator op = sn_linear_operator(s->linear, s->choice->assembled);
    sn_operator_apply(&op, u, out);
    sn_coarse_newton_product(s->w->coarse, u, out);
}

/* Whether a method can take this operator in the place of A. */
static bool takes_tangents(const solve *s) {
    const sn_krylov *krylov = s->choice->krylov;
    return !s->linear->model.basis && !s->linear->coupled.usable && !(krylov && (krylov->own || krylov->mixed));
}

/* A e = rho, to a part of rho; `hard`: (A + k dN/dx) e = rho, with the preconditioner or factor of A. */
static sn_status fine(solve *s, bool hard, double goal, sn_error *error) {
    sn_linear *linear = s->linear;
    const sn_operator op = sn_linear_operator(linear, s->choice->assembled);
    const double now = sn_seconds();
    const sn_status status = sn_linear_ensure_data(linear, s->choice, &op, error);
    s->report->setup_seconds += sn_seconds() - now;
    if (status) return status;
    sn_krylov_report k;
    sn_operator whole = op;
    sn_choice choice = *s->choice;
    hard = hard && takes_tangents(s);
    if (hard) {
        sn_coarse_newton_tangents(s->w->coarse);
        whole.matrix = NULL, whole.apply = product, whole.self = s, whole.residual = NULL;
        if (!choice.krylov) choice.krylov = &sn_krylov_cg;
        const sn_status room = sn_linear_ensure_scratch(linear, SN_REFINE_VECTORS + choice.krylov->vectors, error);
        if (room) return room;
    }
    sn_linear_method(linear, &choice, &whole, s->w->rho, s->w->e, 0.3, goal,
                     linear->options.iterations - s->report->iterations, linear->scratch, &k);
    s->report->iterations += k.iterations;
    s->report->rounds += 1;
    if (!hard && k.residual > 0) s->iterations += k.iterations, s->digits += log10(s->size / k.residual);
    take(s, hard ? NULL : k.left);
    return SN_OK;
}

static sn_status rounds(solve *s, double goal, bool rough, const char **trouble, sn_error *error) {
    const double part = 0.2, much = 0.5; /* of rho: what a round aims at, and what is slow */
    sn_corotated *w = s->w;
    double best = s->size, before = INFINITY;
    bool exact = rough; /* rho is from the exact operator, or good enough for the tolerance */
    bool hard = false;  /* N changes much */
    const sn_block_list *listed = s->linear->place.stiffness;
    const bool touched = listed && listed->count > 0; /* the coarse problem does not know the blocks of interactions */
    sn_status status = SN_OK;
    sn_vector_copy(w->context, w->n, s->x, w->best);
    for (int round = 0; round < ROUNDS && !status && s->report->iterations < s->linear->options.iterations; ++round) {
        if (s->size <= goal && !exact) true_residual(s), exact = true;
        if (s->size <= goal) break;
        const bool slow = !(s->size <= much * before);
        hard = hard || (slow && round > 0);
        if (slow && !touched) status = coarse(s, error), exact = rough;
        if (status) break;
        before = s->size;
        if (s->size > goal)
            status = fine(s, hard, fmax((hard ? part * part : part) * s->size, 0.5 * goal), error), exact = rough;
        if (!isfinite(s->size)) break;
        if (s->size < best) sn_vector_copy(w->context, w->n, s->x, w->best), best = s->size;
    }
    if (!status && s->size <= goal) return SN_OK;
    sn_vector_copy(w->context, w->n, w->best, s->x);
    s->size = best;
    *trouble = "a coarse level that changes much";
    return status ? status : SN_NOT_CONVERGED;
}

sn_status sn_linear_solve_corotated(sn_linear *linear, double m, double d, double k, const sn_filter *filter,
                                    const double *at, const double *b, double *x, double tolerance,
                                    sn_linear_report *report, sn_error *error) {
    sn_corotated *w = linear->corotated;
    sn_choice choice;
    sn_status status = sn_linear_ready(linear, m, d, k, filter, false, &choice, report, error);
    if (status) return status;
    const double begin = sn_seconds();
    sn_linear_ensure_cache(linear);
    solve s = {w, linear, &choice, &linear->filter.filter, at, b, x, report, 0, 0, 0};
    if (w->number != linear->place.number || w->m != m || w->d != d || w->k != k) {
        sn_coarse_newton_matrix(w->coarse, &linear->place.view, linear->place.rayleigh_mass, m, d, k);
        w->number = linear->place.number, w->m = m, w->d = d, w->k = k;
    }
    sn_coarse_newton_begin(w->coarse, s.filter, at);
    const double reference = start(&s);
    const double rounding = 1e-5; /* of products in single precision */
    const char *trouble = NULL;
    if (!isfinite(reference))
        return sn_fail(error, SN_NOT_FINITE, "the right-hand side of the linear system is not finite");
    status = rounds(&s, tolerance * reference, tolerance >= rounding, &trouble, error);
    linear->span = 0;
    if (linear->data && choice.preconditioner->feedback && s.iterations > 0)
        choice.preconditioner->feedback(linear->data, s.iterations, s.digits);
    report->residual = reference > 0 ? s.size / reference : 0;
    report->solve_seconds = sn_seconds() - begin - report->setup_seconds;
    if (status != SN_NOT_CONVERGED) return status;
    return sn_fail(
        error, status,
        "%s%s%s ended after %d iterations at a relative residual of %.3g, above the tolerance %.3g: the cause is %s",
        report->method, *report->preconditioner ? " with " : "", report->preconditioner, report->iterations,
        report->residual, tolerance, trouble);
}
