/* No preconditioner: z = r. */
#include <string.h>

#include "linear/solver.h"

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    (void)filter;
    int *n = *data ? *data : sn_allocate(context, 1, sizeof *n);
    if (!n) return sn_no_memory(error);
    *n = op->n;
    *data = n;
    return SN_OK;
}

static void apply(void *data, const double *r, double *z) { memcpy(z, r, (size_t) * (const int *)data * sizeof *z); }

static void apply_range(void *data, int begin, int end, const double *r, double *z) {
    (void)data;
    memcpy(z + 3 * (ptrdiff_t)begin, r + 3 * (ptrdiff_t)begin, (size_t)(end - begin) * 3 * sizeof *z);
}

static void release(sn_context *context, void *data) { sn_release(context, data); }

const sn_preconditioner sn_preconditioner_none = {
    SN_LISTED(preconditioner_none),
    .scalar = &sn_preconditioner_none,
    .update = update,
    .apply = apply,
    .apply_range = apply_range,
    .identity = true,
    .release = release,
};
