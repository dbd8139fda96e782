/* QMR by coupled two-term recurrences (Freund and Nachtigal 1994), without look-ahead. The preconditioner P is on the
 * right. It is the solver of Kikuuwe (2008), 3.1, for stiffness matrices that are not definite.
 *
 * Any matrix, with P symmetric:
 *   v, w biorthogonal bases of A P and its transpose;
 *   p = P v - (xi delta / epsilon) p,  q = P w - (rho delta / epsilon) q,
 *   epsilon = q.A p,  beta = epsilon / delta,  v~ = A p - beta v,  w~ = A^T q - beta w,  delta = (P w).v.
 * For a symmetric matrix, w is v up to scale. The simplified QMR of the same authors then needs one product and one P
 * per iteration:
 *   alpha = rho / q.A q,  r -= alpha A q,  q = P r + (r.P r / rho) q.
 * In both cases theta, c and the step d make x quasi-minimal. The residual of that x has a recurrence too.
 *
 * An iteration makes few passes over its vectors: numbers that need the same vectors are made in one pass.
 *
 * A product that vanishes against its factors is a breakdown. The method then restarts from x. After a few restarts it
 * reports the breakdown. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "krylov.h"

enum { VECTORS = 12, RESTARTS = 20 };

typedef struct qmr {
    const sn_operator *op;
    const sn_filter *filter;
    const sn_preconditioner *preconditioner;
    void *data;
    const sn_context *context;
    const sn_vector_kernels *kernels;
    int n, pieces;
    double *residual;    /* the residual of x */
    double *d, *s;       /* the step of x and A d */
    double *v, *w;       /* Lanczos vectors; symmetric: v is the residual of the underlying recursion */
    double *p, *q;       /* directions; symmetric: only p */
    double *Ap, *z, *t;  /* A p, P w or P r, A^T q */
    double *partial;     /* three numbers per piece */
    const double *a, *b; /* of the products */
    double alpha, from, to;
    double size; /* of the residual */
    double rho, xi, delta, epsilon, theta, gamma, eta;
    bool fresh;
} qmr;

static double dot(const qmr *k, const double *a, const double *b) { return sn_dot(k->context, k->n, a, b, k->partial); }
static double norm(const qmr *k, const double *a) { return sqrt(dot(k, a, a)); }

static int length(const qmr *k, int piece) {
    return k->n - piece * SN_PIECE < SN_PIECE ? k->n - piece * SN_PIECE : SN_PIECE;
}

static void products_piece(void *data, int piece) {
    const qmr *k = data;
    double out[3];
    k->kernels->products(length(k, piece), k->a + piece * SN_PIECE, k->b + piece * SN_PIECE, out);
    for (int i = 0; i < 3; ++i) k->partial[i * k->pieces + piece] = out[i];
}

/* *product = a.b. Returns whether it vanishes against |a| |b|. */
static bool vanishes(qmr *k, const double *a, const double *b, double *product) {
    k->a = a, k->b = b;
    sn_parallel_pieces(k->context, k->pieces, products_piece, k);
    double sum[3];
    for (int i = 0; i < 3; ++i) sum[i] = sn_sum_pieces(k->pieces, k->partial + i * k->pieces);
    *product = sum[0];
    return !(fabs(sum[0]) > 16 * DBL_EPSILON * sqrt(sum[1]) * sqrt(sum[2]));
}

static void step_piece(void *data, int piece) {
    const qmr *k = data;
    const int at = piece * SN_PIECE;
    k->partial[piece] = k->kernels->quasi(length(k, piece), k->to, k->p + at, k->Ap + at, k->from, k->d + at, k->s + at,
                                          k->residual + at);
}

/* d = a d + e p, s = a s + e A p, residual -= s, and its size. */
static void step(qmr *k, double a, double e) {
    k->from = k->fresh ? 0 : a, k->to = e;
    sn_parallel_pieces(k->context, k->pieces, step_piece, k);
    k->size = sqrt(sn_sum_pieces(k->pieces, k->partial));
}

/* ---- Symmetric ---- */
static void begin_symmetric(qmr *k) {
    memcpy(k->v, k->residual, (size_t)k->n * sizeof(double));
    k->xi = norm(k, k->v); /* tau, the quasi-residual */
    k->theta = 0;
    k->preconditioner->apply(k->data, k->v, k->p);
    k->rho = dot(k, k->v, k->p);
}

/* v -= alpha A p and |v|^2; a preconditioner that treats each node separately gives z = P v and v.z here too. Without a
 * preconditioner z is v itself. */
static void residual_piece(void *data, int piece) {
    const qmr *k = data;
    const int at = piece * SN_PIECE, n = length(k, piece);
    k->partial[piece] = k->kernels->residual(n, k->alpha, k->Ap + at, k->v + at);
    if (k->preconditioner->identity || !k->preconditioner->apply_range) return;
    k->preconditioner->apply_range(k->data, at / 3, (at + n) / 3, k->v, k->z);
    k->partial[k->pieces + piece] = k->kernels->dot(n, k->v + at, k->z + at);
}

static bool advance_symmetric(qmr *k) {
    sn_filtered_product(k->op, k->filter, k->p, k->Ap);
    double sigma, rho = 0;
    if (vanishes(k, k->p, k->Ap, &sigma) || k->rho == 0) return false;
    k->alpha = k->rho / sigma;
    sn_parallel_pieces(k->context, k->pieces, residual_piece, k);
    const bool identity = k->preconditioner->identity, local = identity || k->preconditioner->apply_range;
    const double before = k->theta, square = sn_sum_pieces(k->pieces, k->partial), *z = identity ? k->v : k->z;
    k->theta = sqrt(square) / k->xi;
    if (local) rho = identity ? square : sn_sum_pieces(k->pieces, k->partial + k->pieces);
    const double c2 = 1 / (1 + k->theta * k->theta);
    k->xi *= k->theta * sqrt(c2);
    step(k, c2 * before * before, c2 * k->alpha);
    if (!local) {
        k->preconditioner->apply(k->data, k->v, k->z);
        rho = dot(k, k->v, k->z);
    }
    if (isfinite(rho)) sn_vector_mix(k->context, k->n, 1, z, rho / k->rho, k->p, 0, NULL, k->p);
    k->rho = rho;
    return true;
}

/* ---- Any matrix ---- */
static void begin_general(qmr *k) {
    k->rho = norm(k, k->residual);
    sn_vector_mix(k->context, k->n, 1 / k->rho, k->residual, 0, NULL, 0, NULL, k->v);
    memcpy(k->w, k->v, (size_t)k->n * sizeof(double));
    k->preconditioner->apply(k->data, k->w, k->z);
    k->xi = norm(k, k->z);
    k->gamma = 1, k->eta = -1, k->theta = 0, k->epsilon = 1;
}

static bool advance_general(qmr *k) {
    const int n = k->n;
    /* v has length one; w~ and z = P w~ have the length xi. */
    if (!(k->xi > 0)) return false;
    sn_vector_mix(k->context, n, 1 / k->xi, k->w, 0, NULL, 0, NULL, k->w);
    sn_vector_mix(k->context, n, 1 / k->xi, k->z, 0, NULL, 0, NULL, k->z);
    if (vanishes(k, k->z, k->v, &k->delta)) return false;
    k->preconditioner->apply(k->data, k->v, k->t);
    const double to_p = k->fresh ? 0 : -k->xi * k->delta / k->epsilon,
                 to_q = k->fresh ? 0 : -k->rho * k->delta / k->epsilon;
    sn_vector_mix(k->context, n, 1, k->t, to_p, k->p, 0, NULL, k->p);
    sn_vector_mix(k->context, n, 1, k->z, to_q, k->q, 0, NULL, k->q);
    sn_filtered_product(k->op, k->filter, k->p, k->Ap);
    if (vanishes(k, k->q, k->Ap, &k->epsilon)) return false;
    const double beta = k->epsilon / k->delta, rho_before = k->rho;
    sn_vector_mix(k->context, n, 1, k->Ap, -beta, k->v, 0, NULL, k->v);
    k->rho = norm(k, k->v);
    if (!sn_operator_apply_transpose(k->op, k->q, k->t)) return false;
    sn_filter_apply(k->filter, k->t);
    sn_vector_mix(k->context, n, 1, k->t, -beta, k->w, 0, NULL, k->w);
    k->preconditioner->apply(k->data, k->w, k->z);
    k->xi = norm(k, k->z);
    const double theta_before = k->theta, gamma_before = k->gamma;
    k->theta = k->rho / (gamma_before * fabs(beta));
    k->gamma = 1 / sqrt(1 + k->theta * k->theta);
    k->eta *= -rho_before * k->gamma * k->gamma / (beta * gamma_before * gamma_before);
    const double a = theta_before * k->gamma;
    step(k, a * a, k->eta);
    if (k->rho > 0) sn_vector_mix(k->context, n, 1 / k->rho, k->v, 0, NULL, 0, NULL, k->v);
    return true;
}

static void solve(const sn_operator *op, const sn_preconditioner *preconditioner, void *data, const sn_filter *filter,
                  const double *b, double *x, double goal, int iterations, double *scratch, sn_krylov_report *report) {
    const int n = op->n;
    qmr k = {.op = op,
             .filter = filter,
             .preconditioner = preconditioner,
             .data = data,
             .context = op->context,
             .kernels = sn_vector_kernels_for(op->context),
             .n = n,
             .pieces = sn_pieces(n, SN_PIECE),
             .fresh = true};
    double **const vector[] = {&k.residual, &k.d, &k.s, &k.p, &k.q, &k.v, &k.w, &k.Ap, &k.z, &k.t};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i) *vector[i] = scratch + (int64_t)(i + 1) * n;
    k.partial = scratch + (int64_t)VECTORS * n;
    *report = (sn_krylov_report){.status = SN_NOT_CONVERGED};
    /* A factor of zero multiplies d, s, p and q at the start, so they must be finite. */
    memset(k.d, 0, 4 * (size_t)n * sizeof(double));
    memcpy(k.residual, b, (size_t)n * sizeof(double));
    double size = norm(&k, b);
    sn_iterate iterate = sn_iterate_begin(n, x, scratch, size);
    if (!op->symmetric && !op->matrix && !op->apply_transpose)
        report->trouble = "an unsymmetric operator without products with its transpose";
    int restarts = 0;
    while (size > goal && report->iterations < iterations && !report->trouble) {
        if (k.fresh) op->symmetric ? begin_symmetric(&k) : begin_general(&k);
        const bool good = op->symmetric ? advance_symmetric(&k) : advance_general(&k);
        if (good) {
            size = k.size;
            if (!isfinite(size) || !isfinite(k.rho)) {
                report->trouble = SN_TROUBLE_FINITE;
                break;
            }
            sn_iterate_step(op->context, n, &iterate, 1, k.d, size);
            ++report->iterations;
            if (sn_operator_note(op, report->iterations, size)) report->trouble = SN_TROUBLE_TIME;
        } else if (k.fresh || ++restarts > RESTARTS) {
            report->trouble = isfinite(k.rho) ? "a breakdown of the Lanczos recurrences" : SN_TROUBLE_FINITE;
        }
        k.fresh = !good;
    }
    sn_iterate_end(op, &iterate, size, goal, report);
    sn_report_truth(op, filter, b, x, k.residual, report);
}

const sn_krylov sn_krylov_qmr = {
    SN_LISTED(krylov_qmr),
    .needs_transpose = true,
    .vectors = VECTORS,
    .solve = solve,
};
