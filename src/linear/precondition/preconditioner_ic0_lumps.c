/* IC(0) and rigid motions of lumps (lumps.h): two levels. */
#include "incomplete.h"
#include "lumps.h"

typedef struct two_levels {
    const sn_context *context;
    const sn_filter *filter;
    void *fine;
    sn_lumps lumps;
} two_levels;

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    two_levels *t = *data ? *data : sn_allocate_zero(context, 1, sizeof *t);
    if (!t) return sn_no_memory(error);
    *data = t;
    t->context = context, t->filter = filter;
    const sn_status status = sn_incomplete_update(context, op, filter, false, 0, &t->fine, error);
    return status ? status : sn_lumps_update(context, op, filter, &t->lumps, error);
}

static void apply(void *data, const double *r, double *z) {
    const two_levels *t = data;
    sn_incomplete_apply(t->fine, r, z);
    sn_lumps_add(t->context, &t->lumps, t->filter, r, z);
}

static void release(sn_context *context, void *data) {
    two_levels *t = data;
    if (!t) return;
    sn_incomplete_release(context, t->fine);
    sn_lumps_release(context, &t->lumps);
    sn_release(context, t);
}

const sn_preconditioner sn_preconditioner_ic0_lumps = {
    SN_LISTED(preconditioner_ic0_lumps),
    .needs_matrix = true,
    .knows_held = true,
    .update = update,
    .apply = apply,
    .release = release,
};
