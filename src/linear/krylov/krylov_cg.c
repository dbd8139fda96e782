/* Preconditioned conjugate gradients (Hestenes and Stiefel 1952), filtered as in Baraff and Witkin 1998: r, z and p
 * stay in the free directions.
 *
 *   q = A p,  alpha = r.z / p.q,  x += alpha p,  r -= alpha q,  z = P r,  beta = r.z / (r.z before),  p = z + beta p
 *
 * An iteration makes three passes over memory. The first computes the product and p.q. The second computes r, z, r.r
 * and r.z piece by piece, if the preconditioner treats each node separately. The third computes x and p; x is one step
 * late, so that p is read only once.
 *
 * The residual of CG may rise while the error in the norm of A falls. When the iterations or the time run out, the
 * result is therefore the last iterate. After a breakdown, the result is the iterate with the smallest residual. It is
 * kept without a copy: when a step moves away from the best x, the new x is written to the other of two buffers.
 *
 * Without options.guard the method is that of the textbook: it goes on at negative curvature, where its iterates may go
 * anywhere, and returns the last one. */
#include <math.h>
#include <string.h>

#include "linear/matrix/kernels.h"
#include "linear/solver.h"

/* The true residual replaces r when r.r has fallen by this factor since the last replacement. This is often enough that
 * the change stays small compared with r. A strong preconditioner needs fewer iterations, which drift less, so it
 * replaces r less often. */
#define REPLACE 1e-4
#define REPLACE_STRONG 1e-6

typedef struct cg_work {
    const sn_vector_kernels *kernels;
    const sn_preconditioner *preconditioner;
    void *data;
    const sn_filter *filter;
    int n, pieces;
    double alpha, beta;
    double *r, *z, *p, *q;
    const double *x;
    double *x_out;
    double *square, *product; /* r.r and r.z per piece */
} cg_work;

/* r -= alpha S q for one piece, and z = P r if the preconditioner is local. */
static void residual_piece(void *data, int piece) {
    const cg_work *w = data;
    const int begin = piece * SN_PIECE, end = begin + SN_PIECE < w->n ? begin + SN_PIECE : w->n;
    sn_filter_apply_range(w->filter, begin / 3, end / 3, w->q);
    w->square[piece] = w->kernels->residual(end - begin, w->alpha, w->q + begin, w->r + begin);
    if (!w->preconditioner->apply_range) return;
    w->preconditioner->apply_range(w->data, begin / 3, end / 3, w->r, w->z);
    w->product[piece] = w->kernels->dot(end - begin, w->r + begin, w->z + begin);
}

static void direction_piece(void *data, int piece) {
    const cg_work *w = data;
    const int begin = piece * SN_PIECE, end = begin + SN_PIECE < w->n ? begin + SN_PIECE : w->n;
    w->kernels->direction(end - begin, w->alpha, w->beta, w->z + begin, w->p + begin, w->x + begin, w->x_out + begin);
}

/* Computes r after the step alpha, and z if the preconditioner is local. Returns r.r. */
static double advance(const sn_operator *op, cg_work *w) {
    sn_parallel_pieces(op->context, w->pieces, residual_piece, w);
    return sn_sum_pieces(w->pieces, w->square);
}

/* Computes z if `advance` did not. Returns r.z. */
static double precondition(const sn_operator *op, cg_work *w) {
    if (w->preconditioner->apply_range) return sn_sum_pieces(w->pieces, w->product);
    w->preconditioner->apply(w->data, w->r, w->z);
    return sn_dot(op->context, w->n, w->r, w->z, w->product);
}

/* Takes the step of x now, and replaces the residual of the recursion by the true residual (van der Vorst and Ye 2000).
 * The error of the operator's copy then affects only later steps. The change of r is not orthogonal to the last
 * directions. The next direction is therefore made conjugate to the last one by the definition, beta = -z.q / p.q,
 * instead of the recursion. */
static double replace(const sn_operator *op, cg_work *w, const double *b) {
    if (w->x_out != w->x) memcpy(w->x_out, w->x, (size_t)w->n * sizeof(double));
    sn_vector_add(op->context, w->n, w->alpha, w->p, w->x_out);
    op->residual(op->self, b, w->x_out, w->r);
    sn_filter_apply(w->filter, w->r);
    w->x = w->x_out;
    w->alpha = 0;
    return advance(op, w);
}

static void solve(const sn_operator *op, const sn_preconditioner *preconditioner, void *data, const sn_filter *filter,
                  const double *b, double *x, double goal, int iterations, double *scratch, sn_krylov_report *report) {
    const int n = op->n;
    const size_t bytes = (size_t)n * sizeof(double);
    cg_work w = {sn_vector_kernels_for(op->context),
                 preconditioner,
                 data,
                 filter,
                 n,
                 sn_pieces(n, SN_PIECE),
                 0,
                 0,
                 NULL,
                 NULL,
                 NULL,
                 NULL,
                 NULL,
                 NULL,
                 NULL,
                 NULL};
    double *other = scratch;
    w.r = other + n, w.z = w.r + n, w.p = w.z + n, w.q = w.p + n;
    w.square = w.q + n, w.product = w.square + w.pieces;
    double *curvature = w.product + w.pieces;
    sn_vector_zero(op->context, n, x);
    sn_vector_zero(op->context, n, w.q);
    sn_vector_copy(op->context, n, b, w.r);
    *report = (sn_krylov_report){.status = SN_NOT_CONVERGED};

    double rr = advance(op, &w), rz = precondition(op, &w); /* alpha = 0, so z = P b */
    sn_vector_copy(op->context, n, w.z, w.p);
    double *now = x, *best = x, best_rr = rr;
    const double goal2 = goal * goal;
    const double drop = preconditioner->apply_range ? REPLACE : REPLACE_STRONG;
    double due = drop * rr;
    const bool guard = sn_operator_options(op).guard;
    bool late = false;
    while (rr > goal2 && report->iterations < iterations && !report->trouble) {
        const double pq = sn_operator_apply_dot(op, w.p, w.q, curvature);
        if (!isfinite(pq) || !isfinite(rz))
            report->trouble = "a number that is not finite";
        else if (!guard ? rz == 0 || pq == 0 : !(rz > 0))
            report->trouble = "a preconditioner that is not positive definite";
        else if (guard && !(pq > 0))
            report->trouble = "a direction of zero or negative curvature: the matrix is not positive definite";
        if (report->trouble) break;
        const double rz_before = rz;
        w.alpha = rz / pq;
        rr = advance(op, &w);
        if (!isfinite(rr)) {
            report->trouble = "a number that is not finite";
            break;
        }
        w.x = now;
        if (rr > best_rr && now == best) now = now == x ? other : x;
        w.x_out = now;
        const bool replaced = op->residual && rr < due && rr > 4 * goal2;
        if (replaced) {
            rr = replace(op, &w, b);
            due = drop * rr;
        }
        rz = rr > goal2 ? precondition(op, &w) : rz_before;
        w.beta = replaced ? -sn_dot(op->context, n, w.z, w.q, w.product) / pq : rz / rz_before;
        sn_parallel_pieces(op->context, w.pieces, direction_piece, &w);
        if (rr <= best_rr) best = now, best_rr = rr;
        ++report->iterations;
        late = sn_operator_note(op, report->iterations, sqrt(rr));
        if (late) report->trouble = "the end of its time budget";
    }
    const bool spent = rr > goal2 && (!report->trouble || late || (!guard && isfinite(rr)));
    if (spent) best = now, best_rr = rr, report->last = true;
    if (best != x) memcpy(x, best, bytes);
    report->residual = sqrt(best_rr);
    if (best == now && !report->trouble) report->left = w.r;
    if (best_rr <= goal2) report->status = SN_OK;
}

const sn_krylov sn_krylov_cg = {
    SN_LISTED(krylov_cg), .needs_definite = true, .needs_symmetric = true, .vectors = 5, .solve = solve,
};
