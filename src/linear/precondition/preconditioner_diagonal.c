/* Jacobi: z_i = r_i / A_ii. At a constrained node, the diagonal is that of the projected block S A S + (I - S), and z
 * is projected. A diagonal entry that is zero, negative or not finite counts as 1. */
#include <math.h>

#include "linear/matrix/kernels.h"
#include "preconditioner.h"

typedef struct diagonal {
    sn_context *context;
    int nodes;
    const sn_filter *filter;
    double *inverse; /* nodes x 3 */
} diagonal;

static void release(sn_context *context, void *data) {
    if (data) sn_release(context, ((diagonal *)data)->inverse);
    sn_release(context, data);
}

static sn_status create(sn_context *context, int nodes, void **data, sn_error *error) {
    diagonal *d = sn_allocate_zero(context, 1, sizeof *d);
    if (!d) return sn_no_memory(error);
    *d = (diagonal){
        .context = context, .nodes = nodes, .inverse = sn_allocate(context, (size_t)nodes * 3, sizeof *d->inverse)};
    if (!d->inverse) {
        release(context, d);
        return sn_no_memory(error);
    }
    *data = d;
    return SN_OK;
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    if (!*data) {
        const sn_status status = create(context, op->n / 3, data, error);
        if (status) return status;
    }
    diagonal *d = *data;
    d->filter = filter;
    for (int i = 0; i < d->nodes; ++i) {
        double block[9];
        sn_projected_block(op->diagonal + 9 * (ptrdiff_t)i, sn_filter_find(filter, i), block);
        for (int k = 0; k < 3; ++k) {
            const double a = block[4 * k];
            d->inverse[3 * (ptrdiff_t)i + k] = a > 0 && isfinite(1 / a) ? 1 / a : 1;
        }
    }
    return SN_OK;
}

static void apply_range(void *data, int begin, int end, const double *r, double *z) {
    const diagonal *d = data;
    for (int64_t i = 3 * (int64_t)begin; i < 3 * (int64_t)end; ++i) z[i] = d->inverse[i] * r[i];
    sn_filter_apply_range(d->filter, begin, end, z);
}

static void apply(void *data, const double *r, double *z) {
    sn_apply_ranges(((const diagonal *)data)->context, &sn_preconditioner_diagonal, data,
                    ((const diagonal *)data)->nodes, r, z);
}

const sn_preconditioner sn_preconditioner_diagonal = {SN_LISTED(preconditioner_diagonal),
                                                      .scalar = &sn_scalar_diagonal,
                                                      .needs_diagonal = true,
                                                      .update = update,
                                                      .apply = apply,
                                                      .apply_range = apply_range,
                                                      .release = release};
