/* Incomplete Cholesky with a drop tolerance (Munksgaard 1980), by 3 x 3 blocks: only blocks that matter are kept
 * (incomplete.h). */
#include "incomplete.h"

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    return sn_incomplete_update(context, op, filter, true, sn_operator_options(op).drop, 0, data, error);
}

const sn_preconditioner sn_preconditioner_ict = {
    SN_LISTED(preconditioner_ict),    .needs_matrix = true, .update = update, .apply = sn_incomplete_apply,
    .release = sn_incomplete_release,
};
