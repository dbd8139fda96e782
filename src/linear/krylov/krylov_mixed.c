/* The mixed form: displacements and pressures as unknowns, for nearly incompressible bodies (volume.h). GMRES solves
 *
 *   | A'  B^T | | x |   | b |
 *   | B   -C  | | p | = | 0 |
 *
 * with the preconditioner of A' and a diagonal S for the pressures, as a triangle on the right:
 *
 *   p = -S^-1 r_p,   x = P (r_x - B^T p)
 *
 * (Murphy, Golub and Wathen 2000; S near C + B A'^-1 B^T). A' has a moderate Poisson's ratio, so P is as good for
 * nearly incompressible bodies as for others. One iteration is one product with A', one with B, two with B^T and one
 * application of P. Without volumes the method is GMRES. */
#include <string.h>

#include "krylov.h"
#include "linear/matrix/kernels.h"
#include "linear/matrix/volume.h"

typedef struct mixed {
    const sn_operator *op;
    const sn_preconditioner *preconditioner;
    void *data;
    const sn_filter *filter;
    double *rest; /* n numbers of scratch */
} mixed;

static void mixed_apply(const void *self, const double *x, double *y) {
    const mixed *m = self;
    const sn_context *context = m->op->context;
    const int n = m->op->n;
    sn_operator_apply(m->op, x, y);
    sn_volumes_spread(context, m->op->volumes, 1, x + n, y);
    sn_filter_apply(m->filter, y);
    sn_volumes_measure(context, m->op->volumes, x, x + n, y + n);
}

static void triangle_apply(void *data, const double *r, double *z) {
    const mixed *m = data;
    const sn_volumes *volumes = m->op->volumes;
    const int n = m->op->n;
    for (int a = 0; a < volumes->count; ++a) z[n + a] = -r[n + a] / volumes->schur[a];
    memcpy(m->rest, r, (size_t)n * sizeof *r);
    sn_volumes_spread(m->op->context, volumes, -1, z + n, m->rest);
    sn_filter_apply(m->filter, m->rest);
    m->preconditioner->apply(m->data, m->rest, z);
}

static const sn_preconditioner triangle = {.name = "triangle", .apply = triangle_apply};

static void solve(const sn_operator *op, const sn_preconditioner *preconditioner, void *data, const sn_filter *filter,
                  const double *b, double *x, double goal, int iterations, double *scratch, sn_krylov_report *report) {
    if (!op->volumes) {
        sn_krylov_gmres.solve(op, preconditioner, data, filter, b, x, goal, iterations, scratch, report);
        return;
    }
    const int n = op->n, all = n + op->volumes->count;
    double *right = scratch, *both = right + all;
    mixed m = {op, preconditioner, data, filter, .rest = both + all};
    const sn_operator whole = {
        .context = op->context, .n = all, .apply = mixed_apply, .self = &m, .options = op->options, .watch = op->watch};
    memcpy(right, b, (size_t)n * sizeof *b);
    memset(right + n, 0, (size_t)op->volumes->count * sizeof *b);
    sn_gmres_flexible(&whole, &triangle, &m, filter, right, both, goal, iterations, m.rest + all, report);
    memcpy(x, both, (size_t)n * sizeof *x);
}

const sn_krylov sn_krylov_mixed = {
    SN_LISTED(krylov_mixed), .mixed = true,  .vectors = 4, /* of gmres */
    .restarted = true,       .solve = solve,
};
