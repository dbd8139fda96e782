/* Preconditioned MINRES (Paige and Saunders 1975), for symmetric matrices, definite or not, with a positive definite
 * preconditioner P.
 *
 * The Lanczos process in the inner product of P makes vectors r_k = beta_k v_k with z_k = P r_k, and the tridiagonal
 * matrix T of
 *   A z_k / beta_k = (beta_k / beta_{k-1}) r_{k-1} + (alpha_k / beta_k) r_k + r_{k+1}.
 * Reflections (c, s) make T triangular. x follows the directions w of the inverse of that triangle. ||b - A x||_P is
 * then the smallest possible.
 *
 * All methods stop by the 2-norm of the residual. It comes from the residual itself, with u_k the last reflected basis
 * vector of T:
 *   u_k = s_k u_{k-1} - c_k v_{k+1},   b - A x_k = phi_k u_k. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "krylov.h"
#include "linear/matrix/kernels.h"

enum { VECTORS = 10 };

static void rotate(double **a, double **b, double **c) {
    double *first = *a;
    *a = *b, *b = *c, *c = first;
}

static void solve(const sn_operator *op, const sn_preconditioner *preconditioner, void *data, const sn_filter *filter,
                  const double *b, double *x, double goal, int iterations, double *scratch, sn_krylov_report *report) {
    const sn_context *context = op->context;
    const int n = op->n;
    const size_t bytes = (size_t)n * sizeof(double);
    double *vector[VECTORS];
    for (int i = 0; i < VECTORS; ++i) vector[i] = scratch + (int64_t)i * n;
    double *r_before = vector[0], *r = vector[1], *r_next = vector[2], *z = vector[3], *v = vector[4], *w = vector[5],
           *w_before = vector[6], *w_next = vector[7], *u = vector[8], *partial = scratch + (int64_t)VECTORS * n;
    *report = (sn_krylov_report){.status = SN_NOT_CONVERGED};
    memcpy(r, b, bytes);
    memset(r_before, 0, bytes), memset(w, 0, bytes), memset(w_before, 0, bytes);
    double size = sn_vector_norm(context, n, b);
    sn_iterate iterate = sn_iterate_begin(n, x, vector[9], size);
    preconditioner->apply(data, r, z);
    double square = sn_dot(context, n, r, z, partial), beta = sqrt(square), beta_before = 0;
    double d_bar = 0, epsilon = 0, phi_bar = beta, c = -1, s = 0;
    if (!isfinite(square))
        report->trouble = SN_TROUBLE_FINITE;
    else if (size > goal && !(square > 0))
        report->trouble = SN_TROUBLE_PRECONDITIONER;
    else
        sn_vector_mix(context, n, 1 / beta, r, 0, NULL, 0, NULL, u);
    while (size > goal && report->iterations < iterations && !report->trouble) {
        /* Lanczos. */
        sn_vector_mix(context, n, 1 / beta, z, 0, NULL, 0, NULL, v);
        sn_filtered_product(op, filter, v, r_next);
        const double alpha = sn_dot(context, n, v, r_next, partial); /* r_before is orthogonal to v */
        sn_vector_mix(context, n, 1, r_next, -alpha / beta, r, beta_before > 0 ? -beta / beta_before : 0, r_before,
                      r_next);
        preconditioner->apply(data, r_next, z);
        square = sn_dot(context, n, r_next, z, partial);
        if (!isfinite(square) || !isfinite(alpha)) {
            report->trouble = SN_TROUBLE_FINITE;
            break;
        }
        if (square < 0) {
            report->trouble = SN_TROUBLE_PRECONDITIONER;
            break;
        }
        rotate(&r_before, &r, &r_next);
        beta_before = beta;
        beta = sqrt(square);
        /* The next column of the triangle. */
        const double epsilon_before = epsilon, delta = c * d_bar + s * alpha, g_bar = s * d_bar - c * alpha;
        epsilon = s * beta;
        d_bar = -c * beta;
        const double gamma = sn_hypotenuse(g_bar, beta);
        if (!(gamma > 0)) {
            report->trouble = "a singular matrix whose range does not hold the right-hand side";
            break;
        }
        c = g_bar / gamma, s = beta / gamma;
        const double phi = c * phi_bar;
        phi_bar *= s;
        sn_vector_mix(context, n, s, u, beta > 0 ? -c / beta : 0, r, 0, NULL, u);
        size = fabs(phi_bar) * sn_vector_norm(context, n, u);
        sn_vector_mix(context, n, 1 / gamma, v, -epsilon_before / gamma, w_before, -delta / gamma, w, w_next);
        rotate(&w_before, &w, &w_next);
        if (!isfinite(size) || !isfinite(phi)) {
            report->trouble = SN_TROUBLE_FINITE;
            break;
        }
        sn_iterate_step(context, n, &iterate, phi, w, size);
        ++report->iterations;
        if (sn_operator_note(op, report->iterations, size)) report->trouble = SN_TROUBLE_TIME;
        if (beta == 0 && size > goal) report->trouble = "the end of its Krylov space";
    }
    sn_iterate_end(op, &iterate, size, goal, report);
    sn_report_truth(op, filter, b, x, r_next, report);
}

const sn_krylov sn_krylov_minres = {
    SN_LISTED(krylov_minres),
    .needs_symmetric = true,
    .vectors = VECTORS,
    .solve = solve,
};
