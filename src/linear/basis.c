/* See basis.h. */
#include "basis.h"

#include <string.h>

void sn_basis_release(sn_context *context, sn_basis *b) {
    sn_hierarchy_destroy(b->hierarchy);
    sn_release(context, b->vector);
    sn_release(context, b->right);
    sn_release(context, b->diagonal);
    *b = (sn_basis){0};
}

static sn_status ensure(sn_context *context, const sn_levels *levels, const sn_pattern *pattern, sn_basis *b,
                        sn_error *error) {
    const size_t n = 3 * (size_t)levels->nodes;
    if (!b->vector) b->vector = sn_allocate(context, n, sizeof *b->vector);
    if (!b->right) b->right = sn_allocate(context, n, sizeof *b->right);
    if (!b->diagonal) b->diagonal = sn_allocate(context, 3 * n, sizeof *b->diagonal);
    if (!b->vector || !b->right || !b->diagonal) return sn_no_memory(error);
    return b->hierarchy ? SN_OK : sn_hierarchy_create(context, levels, pattern, &b->hierarchy, error);
}

sn_status sn_basis_update(sn_context *context, const sn_levels *levels, const sn_matrix *matrix,
                          const sn_filter *filter, sn_basis *b, sn_error *error) {
    sn_status status = ensure(context, levels, matrix->pattern, b, error);
    if (!status) status = sn_hierarchy_reserve(b->hierarchy, filter, error);
    if (status) return status;
    sn_hierarchy_update(b->hierarchy, matrix, filter);
    for (int k = 0; k < levels->count; ++k)
        for (int32_t at = levels->begin[k]; at < levels->begin[k + 1]; ++at)
            sn_hierarchy_block(b->hierarchy, k, at, b->diagonal + 9 * (int64_t)levels->node[at]);
    for (int i = 0; i < levels->loose_count; ++i)
        sn_matrix_block(matrix, matrix->pattern->diagonal[levels->loose[i]],
                        b->diagonal + 9 * (int64_t)levels->loose[i]);
    return SN_OK;
}

void sn_basis_to_nodal(const sn_basis *b, double *x) {
    for (int k = 1; k < b->hierarchy->levels->count; ++k) sn_hierarchy_prolong(b->hierarchy, k, x);
}

void sn_basis_from_nodal(const sn_basis *b, double *x) {
    for (int k = b->hierarchy->levels->count - 1; k > 0; --k) sn_hierarchy_restrict(b->hierarchy, k, x);
    sn_hierarchy_hold(b->hierarchy, 0, x);
}

static void apply(const void *self, const double *x, double *y) {
    const sn_basis *b = self;
    sn_vector_copy(b->inside.context, b->inside.n, x, b->vector);
    sn_basis_to_nodal(b, b->vector);
    sn_operator_apply(&b->inside, b->vector, y);
    sn_basis_from_nodal(b, y);
}

static void apply_transpose(const void *self, const double *x, double *y) {
    const sn_basis *b = self;
    sn_vector_copy(b->inside.context, b->inside.n, x, b->vector);
    sn_basis_to_nodal(b, b->vector);
    sn_operator_apply_transpose(&b->inside, b->vector, y);
    sn_basis_from_nodal(b, y);
}

sn_operator sn_basis_operator(sn_basis *basis, const sn_operator *nodal) {
    basis->inside = *nodal;
    return (sn_operator){.context = nodal->context,
                         .n = nodal->n,
                         .apply = apply,
                         .apply_transpose = nodal->matrix || nodal->apply_transpose ? apply_transpose : NULL,
                         .self = basis,
                         .diagonal = basis->diagonal,
                         .symmetric = nodal->symmetric,
                         .options = nodal->options,
                         .watch = nodal->watch};
}
