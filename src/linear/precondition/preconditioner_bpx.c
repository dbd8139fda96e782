/* The additive multilevel preconditioner of Bramble, Pasciak and Xu (Mathematics of Computation 55, 1990):
 *
 *   z = sum_k  P_l .. P_{k+1}  D_k^-1  P_{k+1}^T .. P_l^T r,   k = 1 .. l,   plus the same of level 0 with A_0^-1
 *
 * D_k is the block diagonal of A_k (hierarchy.h), for all nodes of level k whose function on this level is not the one
 * of level k - 1: those that were born on it and their parents. The hierarchical basis, in contrast,
 * scales each node only on the level of its birth. Level 0 is solved by a direct factor; where it has no definite one,
 * its nodes have their 3 x 3 blocks, so the preconditioner is always positive definite. Nodes of bodies without levels
 * have their 3 x 3 blocks. */
#include "hierarchy.h"

typedef struct bpx {
    sn_level_blocks blocks; /* of the new nodes of each level, and of loose nodes */
    float *target;          /* inverses of the parents of each level, as sn_levels.target */
    double *own;            /* D_k^-1 r of the new nodes, by place, 3 numbers each */
    double *shared;         /* D_k^-1 r of the parents */
} bpx;

static void release(sn_context *context, void *data) {
    bpx *p = data;
    if (!p) return;
    sn_level_blocks_release(context, &p->blocks);
    sn_release(context, p->target);
    sn_release(context, p->own);
    sn_release(context, p->shared);
    sn_release(context, p);
}

/* Makes the blocks of the parents, after those of the new nodes. */
static sn_status update_targets(sn_context *context, bpx *p, sn_error *error) {
    const sn_levels *l = p->blocks.hierarchy->levels;
    const size_t places = (size_t)l->begin[l->count], targets = (size_t)l->target_begin[l->count];
    if (!p->target) p->target = sn_allocate(context, 9 * targets, sizeof *p->target);
    if (!p->own) p->own = sn_allocate(context, 3 * places, sizeof *p->own);
    if (!p->shared) p->shared = sn_allocate(context, 3 * targets, sizeof *p->shared);
    if (!p->target || !p->own || !p->shared) return sn_no_memory(error);
    for (int k = 1; k < l->count; ++k) {
        const int32_t first = l->target_begin[k];
        sn_hierarchy_invert(p->blocks.hierarchy, k, l->target + first, l->target_begin[k + 1] - first,
                            p->target + 9 * (int64_t)first);
    }
    return SN_OK;
}

static sn_status update(sn_context *context, const sn_operator *op, const sn_filter *filter, void **data,
                        sn_error *error) {
    bpx *p = *data ? *data : sn_allocate_zero(context, 1, sizeof *p);
    sn_status status = p ? sn_level_blocks_update(context, op, filter, &p->blocks, error) : sn_no_memory(error);
    if (!status) status = update_targets(context, p, error);
    if (status) release(context, p);
    *data = status ? NULL : p;
    return status;
}

/* D_k^-1 r of the nodes of level k. */
static void scale(const bpx *p, int level, double *z) {
    const sn_levels *l = p->blocks.hierarchy->levels;
    const int32_t first = l->begin[level], target = l->target_begin[level];
    sn_hierarchy_scale(p->blocks.hierarchy->context, p->blocks.block + 9 * (int64_t)first, l->node + first,
                       l->begin[level + 1] - first, z, p->own + 3 * (int64_t)first);
    sn_hierarchy_scale(p->blocks.hierarchy->context, p->target + 9 * (int64_t)target, l->target + target,
                       l->target_begin[level + 1] - target, z, p->shared + 3 * (int64_t)target);
}

typedef struct spread_work {
    const int32_t *node;
    const double *from;
    double *z;
    int count;
    bool add;
} spread_work;

static void spread_piece(void *data, int piece) {
    const spread_work *w = data;
    const int begin = piece * SN_PIECE_NODES,
              end = begin + SN_PIECE_NODES < w->count ? begin + SN_PIECE_NODES : w->count;
    for (int i = begin; i < end; ++i) {
        double *z = w->z + 3 * (int64_t)w->node[i];
        for (int a = 0; a < 3; ++a) z[a] = (w->add ? z[a] : 0) + w->from[3 * (int64_t)i + a];
    }
}

/* z_node[i] = from_i, or += from_i. */
static void spread(const bpx *p, const int32_t *node, int count, const double *from, bool add, double *z) {
    spread_work w = {node, from, z, count, add};
    sn_parallel_pieces(p->blocks.hierarchy->context, sn_pieces(count, SN_PIECE_NODES), spread_piece, &w);
}

static void apply(void *data, const double *r, double *z) {
    const bpx *p = data;
    const sn_hierarchy *h = p->blocks.hierarchy;
    const sn_levels *l = h->levels;
    sn_vector_copy(p->blocks.hierarchy->context, 3 * l->nodes, r, z);
    for (int k = l->count - 1; k > 0; --k) {
        scale(p, k, z);
        sn_hierarchy_restrict(h, k, z);
    }
    if (h->factored)
        sn_hierarchy_solve(h, z);
    else
        sn_hierarchy_scale(p->blocks.hierarchy->context, p->blocks.block, l->node, l->begin[1], z, NULL);
    for (int k = 1; k < l->count; ++k) {
        const int32_t first = l->begin[k], target = l->target_begin[k];
        spread(p, l->node + first, l->begin[k + 1] - first, p->own + 3 * (int64_t)first, false, z);
        sn_hierarchy_prolong(h, k, z);
        spread(p, l->target + target, l->target_begin[k + 1] - target, p->shared + 3 * (int64_t)target, true, z);
    }
    sn_hierarchy_scale(p->blocks.hierarchy->context, p->blocks.loose, l->loose, l->loose_count, z, NULL);
}

const sn_preconditioner sn_preconditioner_bpx = {
    SN_LISTED(preconditioner_bpx),
    .needs_matrix = true,
    .needs_levels = true,
    .update = update,
    .apply = apply,
    .release = release,
};
