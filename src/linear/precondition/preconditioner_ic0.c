/* IC(0): the incomplete Cholesky factor on the pattern of the matrix, by 3 x 3 blocks (Meijerink and van der Vorst
 * 1977), in the form L D L^T; see incomplete.h. */
#include "incomplete.h"

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    return sn_incomplete_update(context, op, filter, false, 0, 0, data, error);
}

const sn_preconditioner sn_preconditioner_ic0 = {
    SN_LISTED(preconditioner_ic0),
    .scalar = &sn_scalar_ic0,
    .needs_matrix = true,
    .knows_held = true,
    .update = update,
    .apply = sn_incomplete_apply,
    .release = sn_incomplete_release,
};
