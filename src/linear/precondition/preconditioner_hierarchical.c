/* The hierarchical basis as a preconditioner (Yserentant 1986; Hauth 3.1.2 has the basis): z = S D^-1 S^T r.
 *
 * D is the block diagonal of the hierarchical matrix S^T A S with one difference: the nodes of level 0 are one block,
 * which a direct factor solves. Filters act on each level (hierarchy.h). Where level 0 has no definite factor, its
 * nodes have their 3 x 3 blocks too, so the preconditioner is always positive definite. Nodes of bodies without levels
 * have their 3 x 3 blocks, as with block-jacobi.
 *
 * In three dimensions the condition of D^-1 S^T A S grows like 2^levels. `bpx` grows far less. */
#include "hierarchy.h"

static void release(sn_context *context, void *data) {
    if (data) sn_level_blocks_release(context, data);
    sn_release(context, data);
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    if (!*data) *data = sn_allocate_zero(context, 1, sizeof(sn_level_blocks));
    const sn_status status = *data ? sn_level_blocks_update(context, op, filter, *data, error) : sn_no_memory(error);
    if (!status) return SN_OK;
    release(context, *data);
    *data = NULL;
    return status;
}

/* z <- D^-1 z at the nodes that were born on the level. */
static void scale(const sn_level_blocks *b, int level, double *z) {
    const sn_levels *l = b->hierarchy->levels;
    sn_hierarchy_scale(b->hierarchy->context, b->block + 9 * (int64_t)l->begin[level], l->node + l->begin[level],
                       l->begin[level + 1] - l->begin[level], z, NULL);
}

static void apply(void *data, const double *r, double *z) {
    const sn_level_blocks *b = data;
    const sn_hierarchy *h = b->hierarchy;
    const sn_levels *l = h->levels;
    sn_vector_copy(h->context, 3 * l->nodes, r, z);
    for (int k = l->count - 1; k > 0; --k) {
        sn_hierarchy_restrict(h, k, z);
        scale(b, k, z);
    }
    if (h->factored)
        sn_hierarchy_solve(h, z);
    else
        scale(b, 0, z);
    for (int k = 1; k < l->count; ++k) sn_hierarchy_prolong(h, k, z);
    sn_hierarchy_scale(h->context, b->loose, l->loose, l->loose_count, z, NULL);
}

const sn_preconditioner sn_preconditioner_hierarchical = {
    SN_LISTED(preconditioner_hierarchical),
    .needs_matrix = true,
    .needs_levels = true,
    .update = update,
    .apply = apply,
    .release = release,
};
