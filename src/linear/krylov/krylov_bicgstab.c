/* BiCGStab (van der Vorst 1992). The preconditioner P is on the right, so the residuals are the true ones:
 *
 *   p = r + beta (p - omega v),  v = A P p,  alpha = rho / (r~.v),  s = r - alpha v,  t = A P s,  omega = t.s / t.t
 *   x += alpha P p + omega P s,  r = s - omega t,  rho = r~.r
 *
 * The recurrences break down when rho, r~.v or omega vanish against the vectors that they are made from. The method
 * then restarts from x with the present residual as r~. After a few restarts it reports the breakdown. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "krylov.h"

enum { VECTORS = 8, RESTARTS = 20 };

typedef struct bicgstab {
    const sn_operator *op;
    const sn_filter *filter;
    const sn_preconditioner *preconditioner;
    void *data;
    int n;
    double *r, *shadow, *p, *v, *t, *z, *y, *partial;
    double rho, alpha, omega;
} bicgstab;

/* out = S A P in; `z` receives P in. */
static void product(const bicgstab *w, const double *in, double *z, double *out) {
    w->preconditioner->apply(w->data, in, z);
    sn_filtered_product(w->op, w->filter, z, out);
}

static double dot(const bicgstab *w, const double *a, const double *b) {
    return sn_dot(w->op->context, w->n, a, b, w->partial);
}

/* Whether a . b is only rounding. */
static bool vanishes(double product, double a, double b) { return !(fabs(product) > 16 * DBL_EPSILON * a * b); }

/* One iteration; x moves by alpha z + omega y. Returns false when the recurrences broke down before anything
 * changed. */
static bool advance(bicgstab *w, double *size) {
    const sn_context *context = w->op->context;
    product(w, w->p, w->z, w->v);
    const double along = dot(w, w->shadow, w->v);
    if (vanishes(along, sqrt(dot(w, w->shadow, w->shadow)), sqrt(dot(w, w->v, w->v))) && isfinite(along)) return false;
    w->alpha = w->rho / along;
    sn_vector_mix(context, w->n, 1, w->r, -w->alpha, w->v, 0, NULL, w->r); /* r is now s */
    product(w, w->r, w->y, w->t);
    const double tt = dot(w, w->t, w->t), ts = dot(w, w->t, w->r);
    w->omega = tt > 0 ? ts / tt : 0;
    sn_vector_mix(context, w->n, 1, w->r, -w->omega, w->t, 0, NULL, w->r);
    *size = sqrt(dot(w, w->r, w->r));
    return true;
}

static void solve(const sn_operator *op, const sn_preconditioner *preconditioner, void *data, const sn_filter *filter,
                  const double *b, double *x, double goal, int iterations, double *scratch, sn_krylov_report *report) {
    const int n = op->n;
    const size_t bytes = (size_t)n * sizeof(double);
    bicgstab w = {.op = op, .filter = filter, .preconditioner = preconditioner, .data = data, .n = n, .r = scratch + n};
    w.shadow = w.r + n, w.p = w.shadow + n, w.v = w.p + n, w.t = w.v + n, w.z = w.t + n, w.y = w.z + n,
    w.partial = w.y + n;
    *report = (sn_krylov_report){.status = SN_NOT_CONVERGED};
    memcpy(w.r, b, bytes);
    double size = sqrt(dot(&w, b, b));
    sn_iterate iterate = sn_iterate_begin(n, x, scratch, size);
    bool fresh = true;
    int restarts = 0;
    while (size > goal && report->iterations < iterations && !report->trouble) {
        if (fresh) {
            memcpy(w.shadow, w.r, bytes), memcpy(w.p, w.r, bytes);
            w.rho = size * size;
        }
        const bool good = advance(&w, &size);
        if (!isfinite(size) || !isfinite(w.alpha) || !isfinite(w.omega)) {
            report->trouble = SN_TROUBLE_FINITE;
            break;
        }
        if (good) {
            sn_vector_mix(op->context, n, w.alpha, w.z, w.omega, w.y, 0, NULL, w.z);
            sn_iterate_step(op->context, n, &iterate, 1, w.z, size);
            ++report->iterations;
            if (sn_operator_note(op, report->iterations, size)) report->trouble = SN_TROUBLE_TIME;
        }
        const double rho = dot(&w, w.shadow, w.r);
        const bool lost = !good || w.omega == 0 || vanishes(rho, size, sqrt(dot(&w, w.shadow, w.shadow)));
        if (lost && (++restarts > RESTARTS || (fresh && !good))) {
            report->trouble = "a breakdown of the biorthogonal recurrences";
            break;
        }
        fresh = lost;
        if (lost) continue;
        const double beta = rho / w.rho * (w.alpha / w.omega);
        sn_vector_mix(op->context, n, 1, w.r, beta, w.p, -beta * w.omega, w.v, w.p);
        w.rho = rho;
    }
    sn_iterate_end(op, &iterate, size, goal, report);
    sn_report_truth(op, filter, b, x, w.r, report);
}

const sn_krylov sn_krylov_bicgstab = {
    SN_LISTED(krylov_bicgstab),
    .vectors = VECTORS,
    .solve = solve,
};
