/* Block Jacobi: z_i = S (S A_ii S + s (I - S))^-1 S r_i with 3 x 3 blocks. S is the projection of the node (the
 * identity for free nodes).
 *
 * A block that is not positive definite is replaced by its positive diagonal, so the preconditioner is always positive
 * definite. The inverses are stored in the precision of the operator's matrix. */
#include <math.h>
#include <string.h>

#include "linear/matrix/kernels.h"
#include "preconditioner.h"

typedef struct block_jacobi {
    sn_context *context;
    const sn_linear_kernels *kernels;
    int nodes;
    bool single;     /* `single_` is in use, otherwise `double_` */
    float *single_;  /* nodes x 9 + 4 */
    double *double_; /* the same */
    const sn_filter *filter;
    const sn_operator *op; /* only during an update */
} block_jacobi;

static void release(sn_context *context, void *data) {
    block_jacobi *j = data;
    if (!j) return;
    sn_release(context, j->single_);
    sn_release(context, j->double_);
    sn_release(context, j);
}

static sn_status create(sn_context *context, int nodes, void **data, sn_error *error) {
    block_jacobi *j = sn_allocate_zero(context, 1, sizeof *j);
    if (!j) return sn_no_memory(error);
    j->context = context;
    j->kernels = sn_linear_kernels_for(context);
    j->nodes = nodes;
    *data = j;
    return SN_OK;
}

static void update_piece(void *data, int piece) {
    const block_jacobi *j = data;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < j->nodes ? begin + SN_PIECE_NODES : j->nodes;
    for (int i = begin; i < end; ++i) {
        double block[9];
        sn_invert_node_block(j->op->diagonal + 9 * (ptrdiff_t)i, sn_filter_find(j->filter, i), j->single ? 1e-5 : 1e-13,
                             block);
        for (int k = 0; k < 9; ++k) {
            if (j->single)
                j->single_[9 * (ptrdiff_t)i + k] = (float)block[k];
            else
                j->double_[9 * (ptrdiff_t)i + k] = block[k];
        }
    }
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    if (!*data) {
        const sn_status status = create(context, op->n / 3, data, error);
        if (status) return status;
    }
    block_jacobi *j = *data;
    const size_t values = (size_t)j->nodes * 9 + 4;
    j->single = op->matrix && op->matrix->single_;
    if (j->single && !j->single_) j->single_ = sn_allocate_zero(context, values, sizeof *j->single_);
    if (!j->single && !j->double_) j->double_ = sn_allocate_zero(context, values, sizeof *j->double_);
    if (j->single ? !j->single_ : !j->double_) return sn_no_memory(error);
    j->op = op;
    j->filter = filter;
    sn_parallel_pieces(context, sn_pieces(j->nodes, SN_PIECE_NODES), update_piece, j);
    j->op = NULL;
    return SN_OK;
}

static void apply_range(void *data, int begin, int end, const double *r, double *z) {
    const block_jacobi *j = data;
    if (j->single)
        j->kernels->blocks_single(j->single_, r, z, begin, end);
    else
        j->kernels->blocks_double(j->double_, r, z, begin, end);
    sn_filter_apply_range(j->filter, begin, end, z); /* remove rounding in the constrained directions */
}

static void apply(void *data, const double *r, double *z) {
    const block_jacobi *j = data;
    sn_apply_ranges(j->context, &sn_preconditioner_block_jacobi, data, j->nodes, r, z);
}

const sn_preconditioner sn_preconditioner_block_jacobi = {
    SN_LISTED(preconditioner_block_jacobi),
    .needs_diagonal = true,
    .update = update,
    .apply = apply,
    .apply_range = apply_range,
    .release = release,
};
