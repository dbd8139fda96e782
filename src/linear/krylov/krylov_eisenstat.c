/* Conjugate gradients with SSOR in the implementation of Eisenstat (1981; Hauth 5.4.1), filtered. It needs half the
 * work of CG with SSOR.
 *
 * With W, K, M = W K^-1 W^T of ssor.h and A = W + W^T - K, CG on the scaled system  (W^-1 A W^-T) (W^T x) = W^-1 b
 * needs no product with A:
 *
 *   W^-1 A W^-T p = t + W^-1 (p - K t),   t = W^-T p.
 *
 * A block without a place in the pattern is no part of W. For the matrix C of these blocks, the right side becomes
 * t + W^-1 (p - K t + C t).
 *
 * These are two sweeps, which together cost as much as one product. CG with SSOR needs the product and two sweeps. With
 * r the residual of the scaled system:
 *   q = t + W^-1 (p - K t),  alpha = r.K r / p.q,  x += alpha t,  r -= alpha q,  p = K r + beta p.
 *
 * The true residual is W r and costs half a product. It is computed every CHECK iterations. It is also computed when
 * the energy norm, scaled by the last true residual, suggests that the goal is met. Only then is the best x updated. As
 * in krylov_cg.c, the result is the last iterate when iterations or time run out. */
#include <math.h>
#include <string.h>

#include "krylov.h"
#include "linear/matrix/coupling.h"
#include "linear/precondition/ssor.h"

enum { VECTORS = 7, CHECK = 16 };

typedef struct eisenstat {
    sn_ssor *ssor;
    const sn_context *context;
    int n;
    double *r, *Kr, *p, *t, *q, *best, *extra, *partial;
    const sn_coupling *coupling;
} eisenstat;

static double dot(const eisenstat *w, const double *a, const double *b) {
    return sn_dot(w->context, w->n, a, b, w->partial);
}

/* ||W r||, filtered; q is scratch. */
static double true_size(const eisenstat *w) {
    sn_ssor_product(w->ssor, w->r, w->q);
    sn_filter_apply(w->ssor->filter, w->q);
    return sqrt(dot(w, w->q, w->q));
}

/* q += S C S t for the blocks C without a place in the pattern. t is filtered already. */
static void couple(const eisenstat *w) {
    if (!w->coupling || !w->coupling->row_count) return;
    memset(w->extra, 0, (size_t)w->n * sizeof *w->extra);
    sn_coupling_product(w->context, w->coupling, w->t, w->extra, 0, w->n / 3);
    sn_filter_apply(w->ssor->filter, w->extra);
    sn_vector_add(w->context, w->n, 1, w->extra, w->q);
}

/* t = W^-T p, q = t + W^-1 (p - K t); returns p.q. */
static double product(const eisenstat *w) {
    memcpy(w->t, w->p, (size_t)w->n * sizeof(double));
    sn_ssor_backward(w->ssor, w->t, w->q);
    sn_vector_mix(w->context, w->n, 1, w->p, -1, w->q, 0, NULL, w->q);
    couple(w);
    sn_ssor_forward(w->ssor, w->q, w->q);
    sn_vector_mix(w->context, w->n, 1, w->q, 1, w->t, 0, NULL, w->q);
    return dot(w, w->p, w->q);
}

static void solve(const sn_operator *op, const sn_preconditioner *preconditioner, void *data, const sn_filter *filter,
                  const double *b, double *x, double goal, int iterations, double *scratch, sn_krylov_report *report) {
    (void)preconditioner;
    const int n = op->n;
    const size_t bytes = (size_t)n * sizeof(double);
    eisenstat w = {.ssor = data, .context = op->context, .n = n, .r = scratch};
    w.Kr = w.r + n, w.p = w.Kr + n, w.t = w.p + n, w.q = w.t + n, w.best = w.q + n, w.extra = w.best + n,
    w.partial = w.extra + n;
    w.coupling = op->matrix ? op->matrix->coupling : NULL;
    *report = (sn_krylov_report){.status = SN_NOT_CONVERGED};
    memset(x, 0, bytes), memset(w.best, 0, bytes);
    double size = sqrt(dot(&w, b, b)), best = size, ratio = 0;
    sn_ssor_forward(w.ssor, b, w.r);
    sn_ssor_scale(w.ssor, w.r, w.Kr);
    memcpy(w.p, w.Kr, bytes);
    double rr = dot(&w, w.r, w.Kr);
    if (rr > 0) ratio = size / sqrt(rr);
    if (!w.ssor->definite) report->trouble = "a diagonal block that is not positive definite";
    bool late = false;
    while (size > goal && report->iterations < iterations && !report->trouble) {
        const double pq = product(&w);
        if (!isfinite(pq) || !isfinite(rr))
            report->trouble = SN_TROUBLE_FINITE;
        else if (!(pq > 0) || !(rr > 0))
            report->trouble = "a direction of zero or negative curvature: the matrix is not positive definite";
        if (report->trouble) break;
        const double alpha = rr / pq, before = rr;
        sn_vector_add(op->context, n, alpha, w.t, x);
        sn_vector_add(op->context, n, -alpha, w.q, w.r);
        sn_ssor_scale(w.ssor, w.r, w.Kr);
        rr = dot(&w, w.r, w.Kr);
        ++report->iterations;
        size = ratio * sqrt(rr);
        late = sn_operator_note(op, report->iterations, size);
        if (late) report->trouble = SN_TROUBLE_TIME;
        if (size <= goal || report->iterations % CHECK == 0 || report->iterations == iterations || late ||
            !isfinite(rr)) {
            size = true_size(&w);
            if (!isfinite(size)) {
                report->trouble = SN_TROUBLE_FINITE;
                break;
            }
            ratio = rr > 0 ? size / sqrt(rr) : 0;
            if (size < best) best = size, memcpy(w.best, x, bytes);
        }
        sn_vector_mix(op->context, n, 1, w.Kr, rr / before, w.p, 0, NULL, w.p);
    }
    if (report->trouble) { /* the method stopped between two checks */
        size = true_size(&w);
        if (isfinite(size) && size < best) best = size, memcpy(w.best, x, bytes);
    }
    const bool spent = size > goal && (!report->trouble || late);
    if (spent)
        best = size, report->last = true;
    else
        memcpy(x, w.best, bytes);
    sn_filter_apply(filter, x);
    report->residual = best;
    report->status = best <= goal ? SN_OK : SN_NOT_CONVERGED;
}

const sn_krylov sn_krylov_eisenstat = {
    SN_LISTED(krylov_eisenstat),    .needs_definite = true, .needs_symmetric = true,
    .own = &sn_preconditioner_ssor, .vectors = VECTORS,     .solve = solve,
};
