/* Two levels, added: the incomplete Cholesky factor of ic0 (incomplete.h) for short waves, and the rigid motions of
 * lumps (lumps.h) for long ones,
 *
 *   P = (L D L^T)^-1 + Z E^-1 Z^T.
 *
 * CG with ic0 alone takes a few iterations to a tenth of the residual, and then many for the long waves of stiff
 * cloth. The matrix of cloth mostly needs a shifted diagonal for its factor. A shift costs long waves, which the lumps
 * take, so the factor begins with a shift that nearly always suffices. Where only listed blocks have changed (contacts
 * that a solve is repeated without), L and E stay.
 *
 * Both levels have the same parts (parts.h). A thread substitutes a part of both, and the joint of both comes between.
 */
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
    if (status) return status;
    const sn_incomplete *fine = t->fine;
    return sn_lumps_update(context, op, filter, &fine->parts, &t->lumps, error);
}

typedef struct application {
    const sn_incomplete *fine;
    const sn_lumps *lumps;
    const double *r;
    double *z;
} application;

static void forward(void *data, int part) {
    const application *a = data;
    sn_incomplete_forward(a->fine, part, a->r);
    sn_lumps_forward(a->lumps, part, a->r);
}

static void back(void *data, int part) {
    const application *a = data;
    sn_incomplete_back(a->fine, part, a->z);
    sn_lumps_back(a->lumps, part);
    sn_lumps_move(a->lumps, part, a->z);
}

static void apply(void *data, const double *r, double *z) {
    const two_levels *t = data;
    application a = {t->fine, &t->lumps, r, z};
    const int joint = a.fine->parts.count;
    sn_parallel_pieces(a.fine->context, joint, forward, &a);
    sn_incomplete_middle(a.fine, r, z);
    sn_lumps_middle(a.lumps);
    sn_lumps_move(a.lumps, joint, z);
    sn_parallel_pieces(a.fine->context, joint, back, &a);
    sn_filter_apply(a.fine->filter, z); /* lumps move nodes in constrained directions, too */
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
