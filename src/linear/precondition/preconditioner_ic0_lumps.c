/* Two levels, added: the incomplete Cholesky factor of ic0 (incomplete.h) for short waves, and the rigid motions of
 * lumps (lumps.h) for long ones,
 *
 *   P = (L D L^T)^-1 + Z E^-1 Z^T.
 *
 * CG with ic0 alone takes a few iterations to a tenth of the residual, and then many for the long waves of stiff
 * cloth. The matrix of cloth mostly needs a shifted diagonal for its factor. A shift costs long waves, which the lumps
 * take, so the factor begins with a shift that nearly always suffices. Where only listed blocks have changed (contacts
 * that a solve is repeated without), L and E stay. */
#include "incomplete.h"
#include "lumps.h"

#define SHIFT 0.01

typedef struct two_levels {
    void *fine; /* sn_incomplete */
    sn_lumps lumps;
} two_levels;

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    two_levels *t = *data ? *data : sn_allocate_zero(context, 1, sizeof *t);
    if (!t) return sn_no_memory(error);
    *data = t;
    if (t->fine && op->source && op->source->relisted && sn_incomplete_relist(t->fine, op, filter)) return SN_OK;
    const sn_status status = sn_incomplete_update(context, op, filter, false, 0, SHIFT, &t->fine, error);
    return status ? status : sn_lumps_update(context, op, filter, &t->lumps, error);
}

static void apply(void *data, const double *r, double *z) {
    const two_levels *t = data;
    sn_incomplete_apply(t->fine, r, z);
    sn_lumps_add(&t->lumps, r, z);
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
    .scalar = &sn_scalar_ic0,
    .needs_matrix = true,
    .knows_held = true,
    .update = update,
    .apply = apply,
    .release = release,
};
