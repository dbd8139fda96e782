/* GMRES with restarts (Saad and Schultz 1986). The preconditioner P is on the right, so the residuals are the true
 * ones:
 *
 *   A P V_m = V_{m+1} H,   x += P V_m y,   y minimises || ||r|| e_1 - H y ||
 *
 * by modified Gram-Schmidt and Givens rotations. The residual never grows within a cycle. The method stops after cycles
 * that gain nothing.
 *
 * The flexible form (Saad 1993) keeps P v_j and takes x += sum_j y_j P v_j. It needs twice the memory. A preconditioner
 * in single precision is not quite linear; where large y_j cancel, P V y would lose digits that the sum keeps. */
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "krylov.h"
#include "linear/matrix/kernels.h"

enum { VECTORS = 4, IDLE_CYCLES = 3 };

typedef struct gmres {
    const sn_operator *op;
    const sn_filter *filter;
    const sn_preconditioner *preconditioner;
    void *data;
    int n, restart;
    double *basis; /* restart + 1 vectors */
    double *image; /* restart vectors P v_j of the flexible form; else NULL */
    double *z, *r, *partial;
    double triangle[SN_RESTART_MAX * (SN_RESTART_MAX + 1) / 2]; /* column j begins at j (j + 1) / 2 */
    double c[SN_RESTART_MAX], s[SN_RESTART_MAX], g[SN_RESTART_MAX + 1];
} gmres;

static double *basis(const gmres *w, int j) { return w->basis + (int64_t)j * w->n; }

/* Adds a basis vector and a rotated column of H. Returns false when a number is not finite. */
static bool extend(gmres *w, int j) {
    const sn_context *context = w->op->context;
    double *next = basis(w, j + 1), *column = w->triangle + j * (j + 1) / 2;
    double *z = w->image ? w->image + (int64_t)j * w->n : w->z;
    w->preconditioner->apply(w->data, basis(w, j), z);
    sn_filtered_product(w->op, w->filter, z, next);
    const double before = sn_vector_norm(context, w->n, next);
    if (!isfinite(before)) return false;
    for (int i = 0; i <= j; ++i) {
        column[i] = sn_dot(context, w->n, next, basis(w, i), w->partial);
        sn_vector_mix(context, w->n, 1, next, -column[i], basis(w, i), 0, NULL, next);
    }
    double below = sn_vector_norm(context, w->n, next);
    if (below <= 1e-15 * before) below = 0; /* the space is complete */
    sn_vector_mix(context, w->n, below > 0 ? 1 / below : 0, next, 0, NULL, 0, NULL, next);
    for (int i = 0; i < j; ++i) {
        const double a = column[i], b = column[i + 1];
        column[i] = w->c[i] * a + w->s[i] * b;
        column[i + 1] = w->c[i] * b - w->s[i] * a;
    }
    const double length = sn_hypotenuse(column[j], below);
    w->c[j] = length > 0 ? column[j] / length : 1;
    w->s[j] = length > 0 ? below / length : 0;
    column[j] = length;
    w->g[j + 1] = -w->s[j] * w->g[j];
    w->g[j] *= w->c[j];
    return isfinite(length);
}

/* z = P V y with R y = g. Columns with a zero pivot are left out. */
static void correction(gmres *w, int columns) {
    double y[SN_RESTART_MAX];
    for (int i = columns - 1; i >= 0; --i) {
        double sum = w->g[i];
        for (int j = i + 1; j < columns; ++j) sum -= w->triangle[j * (j + 1) / 2 + i] * y[j];
        const double pivot = w->triangle[i * (i + 1) / 2 + i];
        y[i] = pivot > 0 ? sum / pivot : 0;
    }
    const double *vector = w->image ? w->image : w->basis;
    double *sum = w->image ? w->z : w->r;
    memset(sum, 0, (size_t)w->n * sizeof *sum);
    for (int j = 0; j < columns; ++j)
        sn_vector_mix(w->op->context, w->n, 1, sum, y[j], vector + (int64_t)j * w->n, 0, NULL, sum);
    if (!w->image) w->preconditioner->apply(w->data, w->r, w->z);
}

static void run(const sn_operator *op, const sn_preconditioner *preconditioner, void *data, const sn_filter *filter,
                const double *b, double *x, double goal, int iterations, double *scratch, bool flexible,
                sn_krylov_report *report) {
    const int n = op->n;
    gmres w = {.op = op, .filter = filter, .preconditioner = preconditioner, .data = data, .n = n};
    w.restart = sn_operator_options(op).restart;
    w.z = scratch + n, w.r = w.z + n, w.basis = w.r + n, w.partial = w.basis + (int64_t)(w.restart + 1) * n;
    if (flexible) w.image = w.partial, w.partial += (int64_t)w.restart * n;
    *report = (sn_krylov_report){.status = SN_NOT_CONVERGED};
    memcpy(w.basis, b, (size_t)n * sizeof(double));
    double size = sn_vector_norm(op->context, n, b);
    sn_iterate iterate = sn_iterate_begin(n, x, scratch, size);
    int idle = 0;
    while (size > goal && report->iterations < iterations && !report->trouble) {
        const double start = size;
        sn_vector_mix(op->context, n, 1 / size, w.basis, 0, NULL, 0, NULL, w.basis);
        w.g[0] = size;
        int columns = 0;
        while (columns < w.restart && size > goal && report->iterations < iterations && !report->trouble) {
            if (!extend(&w, columns)) {
                report->trouble = SN_TROUBLE_FINITE;
                break;
            }
            const bool complete = w.s[columns] == 0;
            size = fabs(w.g[++columns]);
            ++report->iterations;
            if (sn_operator_note(op, report->iterations, size)) report->trouble = SN_TROUBLE_TIME;
            if (complete) break;
        }
        correction(&w, columns);
        /* Compute the residual of the new x by a product, because the recursion has drifted a little. */
        sn_vector_mix(op->context, n, 1, iterate.now, 1, w.z, 0, NULL, w.r);
        sn_filtered_product(op, filter, w.r, w.basis);
        sn_vector_mix(op->context, n, 1, b, -1, w.basis, 0, NULL, w.basis);
        size = sn_vector_norm(op->context, n, w.basis);
        if (!isfinite(size)) {
            report->trouble = SN_TROUBLE_FINITE;
            break;
        }
        sn_iterate_step(op->context, n, &iterate, 1, w.z, size);
        idle = size > 0.999 * start ? idle + 1 : 0;
        if (idle == IDLE_CYCLES && !report->trouble)
            report->trouble = "cycles without progress: more basis vectors are needed";
    }
    sn_iterate_end(op, &iterate, size, goal, report);
}

static void solve(const sn_operator *op, const sn_preconditioner *preconditioner, void *data, const sn_filter *filter,
                  const double *b, double *x, double goal, int iterations, double *scratch, sn_krylov_report *report) {
    run(op, preconditioner, data, filter, b, x, goal, iterations, scratch, false, report);
}

void sn_gmres_flexible(const sn_operator *op, const sn_preconditioner *preconditioner, void *data,
                       const sn_filter *filter, const double *b, double *x, double goal, int iterations,
                       double *scratch, sn_krylov_report *report) {
    run(op, preconditioner, data, filter, b, x, goal, iterations, scratch, true, report);
}

const sn_krylov sn_krylov_gmres = {
    SN_LISTED(krylov_gmres),
    .vectors = VECTORS,
    .restarted = true,
    .solve = solve,
};
