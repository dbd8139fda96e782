/* The hierarchical basis as a preconditioner (Yserentant 1986; Hauth 3.1.2 has the basis): z = S D^-1 S^T r.
 *
 * D is the block diagonal of the hierarchical matrix S^T A S with one difference: the nodes of level 0 are one block,
 * which a direct factor solves. Filters act on each level (hierarchy.h). Where level 0 has no definite factor, its
 * nodes have their 3 x 3 blocks too, so the preconditioner is always positive definite. Nodes of bodies without levels
 * have their 3 x 3 blocks, as with block-jacobi.
 *
 * In three dimensions the condition of D^-1 S^T A S grows like 2^levels. `bpx` grows far less. */
#include "hierarchy.h"

typedef struct hierarchical {
    sn_context *context;
    sn_hierarchy *hierarchy;
    float *block, *loose; /* inverses by place, and of the loose nodes: 9 numbers each */
} hierarchical;

static void release(sn_context *context, void *data) {
    hierarchical *p = data;
    if (!p) return;
    sn_hierarchy_destroy(p->hierarchy);
    sn_release(context, p->block);
    sn_release(context, p->loose);
    sn_release(context, p);
}

static sn_status ensure(sn_context *context, const sn_operator *op, hierarchical *p, sn_error *error) {
    const sn_levels *l = op->source->levels;
    if (!p->block) p->block = sn_allocate(context, 9 * (size_t)l->begin[l->count], sizeof *p->block);
    if (!p->loose) p->loose = sn_allocate(context, 9 * (size_t)l->loose_count, sizeof *p->loose);
    return p->block && p->loose ? SN_OK : sn_no_memory(error);
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    hierarchical *p = *data ? *data : sn_allocate_zero(context, 1, sizeof *p);
    if (!p) return sn_no_memory(error);
    *data = p;
    p->context = context;
    sn_status status = sn_hierarchy_prepare(context, op, filter, &p->hierarchy, error);
    if (!status) status = ensure(context, op, p, error);
    if (status) {
        release(context, p);
        *data = NULL;
        return status;
    }
    const sn_levels *l = p->hierarchy->levels;
    for (int k = 0; k < l->count; ++k)
        sn_hierarchy_invert(p->hierarchy, k, l->node + l->begin[k], l->begin[k + 1] - l->begin[k],
                            p->block + 9 * (int64_t)l->begin[k]);
    sn_hierarchy_invert(p->hierarchy, 0, l->loose, l->loose_count, p->loose);
    return SN_OK;
}

static void scale(const hierarchical *p, int level, double *z) {
    const sn_levels *l = p->hierarchy->levels;
    sn_hierarchy_scale(p->context, p->block + 9 * (int64_t)l->begin[level], l->node + l->begin[level],
                       l->begin[level + 1] - l->begin[level], z, NULL);
}

static void apply(void *data, const double *r, double *z) {
    const hierarchical *p = data;
    const sn_hierarchy *h = p->hierarchy;
    const sn_levels *l = h->levels;
    sn_vector_copy(p->context, 3 * l->nodes, r, z);
    for (int k = l->count - 1; k > 0; --k) {
        sn_hierarchy_restrict(h, k, z);
        scale(p, k, z);
    }
    if (h->factored)
        sn_hierarchy_solve(h, z);
    else
        scale(p, 0, z);
    for (int k = 1; k < l->count; ++k) sn_hierarchy_prolong(h, k, z);
    sn_hierarchy_scale(p->context, p->loose, l->loose, l->loose_count, z, NULL);
}

const sn_preconditioner sn_preconditioner_hierarchical = {
    SN_LISTED(preconditioner_hierarchical),
    .needs_matrix = true,
    .needs_levels = true,
    .update = update,
    .apply = apply,
    .release = release,
};
