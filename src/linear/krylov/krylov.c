/* See krylov.h. */
#include "krylov.h"

#include <math.h>
#include <string.h>

#include "linear/matrix/kernels.h"

void sn_filtered_product(const sn_operator *op, const sn_filter *filter, const double *x, double *y) {
    sn_operator_apply(op, x, y);
    sn_filter_apply(filter, y);
}

sn_iterate sn_iterate_begin(int n, double *x, double *other, double residual) {
    memset(x, 0, (size_t)n * sizeof *x);
    return (sn_iterate){.now = x, .best = x, .one = x, .two = other, .residual = residual};
}

void sn_iterate_step(const sn_context *context, int n, sn_iterate *iterate, double s, const double *p,
                     double residual) {
    const double *from = iterate->now;
    if (residual > iterate->residual && iterate->now == iterate->best)
        iterate->now = iterate->now == iterate->one ? iterate->two : iterate->one;
    sn_vector_mix(context, n, 1, from, s, p, 0, NULL, iterate->now);
    if (residual <= iterate->residual) {
        iterate->best = iterate->now;
        iterate->residual = residual;
    }
}

void sn_iterate_end(const sn_operator *op, sn_iterate *iterate, double residual, double goal,
                    sn_krylov_report *report) {
    const int n = op->n;
    if (!sn_operator_options(op).guard && isfinite(residual))
        iterate->best = iterate->now, iterate->residual = residual;
    if (iterate->best != iterate->one) memcpy(iterate->one, iterate->best, (size_t)n * sizeof(double));
    report->residual = iterate->residual;
    report->status = iterate->residual <= goal ? SN_OK : SN_NOT_CONVERGED;
}

void sn_report_truth(const sn_operator *op, const sn_filter *filter, const double *b, double *x, double *r,
                     sn_krylov_report *report) {
    if (report->status == SN_OK) return;
    sn_filtered_product(op, filter, x, r);
    sn_vector_mix(op->context, op->n, 1, b, -1, r, 0, NULL, r);
    const double none = sn_vector_norm(op->context, op->n, b), size = sn_vector_norm(op->context, op->n, r);
    if (size > 2 * report->residual && !report->trouble)
        report->trouble = "rounding: its residuals drifted from the true ones";
    if (!sn_operator_options(op).guard) {
        report->residual = size;
        return;
    }
    report->residual = size < none ? size : none;
    if (!(size < none)) memset(x, 0, (size_t)op->n * sizeof *x);
}

/* ---- Groups ---- */
/* Methods and preconditioners treat each node separately, but a group spans many nodes. The groups are therefore
 * handled around them: the method sees S A and S P S, with S the projection onto the modes of the groups. */
typedef struct grouped {
    const sn_operator *op;
    const sn_preconditioner *preconditioner;
    void *data;
    const sn_filter *filter;
} grouped;

static void grouped_apply(const void *self, const double *x, double *y) {
    const grouped *g = self;
    sn_operator_apply(g->op, x, y);
    sn_filter_apply_groups(g->filter, y);
}

static void grouped_transpose(const void *self, const double *x, double *y) {
    const grouped *g = self;
    sn_operator_apply_transpose(g->op, x, y);
    sn_filter_apply_groups(g->filter, y);
}

static void grouped_residual(const void *self, const double *b, const double *x, double *r) {
    const grouped *g = self;
    g->op->residual(g->op->self, b, x, r);
    sn_filter_apply_groups(g->filter, r);
}

static void grouped_precondition(void *data, const double *r, double *z) {
    const grouped *g = data;
    g->preconditioner->apply(g->data, r, z);
    sn_filter_apply_groups(g->filter, z);
}

void sn_krylov_run(const sn_krylov *krylov, const sn_operator *op, const sn_preconditioner *preconditioner, void *data,
                   const sn_filter *filter, const double *b, double *x, double goal, int iterations, double *scratch,
                   sn_krylov_report *report) {
    if (!filter || filter->group_count == 0) {
        krylov->solve(op, preconditioner, data, filter, b, x, goal, iterations, scratch, report);
        return;
    }
    grouped g = {op, preconditioner, data, filter};
    sn_operator inside = *op;
    inside.matrix = NULL;
    inside.apply = grouped_apply;
    inside.self = &g;
    if (op->matrix || op->apply_transpose) inside.apply_transpose = grouped_transpose;
    if (op->residual) inside.residual = grouped_residual;
    sn_preconditioner around = *preconditioner;
    around.apply = grouped_precondition;
    around.apply_range = NULL;
    around.identity = false;
    krylov->solve(&inside, &around, &g, filter, b, x, goal, iterations, scratch, report);
}
