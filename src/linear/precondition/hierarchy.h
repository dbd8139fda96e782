/* The matrices of nested levels, for preconditioners and for hierarchical unknowns (mesh/levels.h; docs/levels.md).
 *
 * With A_l = A on the finest level l, F the projections of the filter and P_k the prolongation to level k (a new node
 * has the mean of its parents),
 *
 *   A_{k-1} = P_k^T F A_k F P_k.
 *
 * A_k is the matrix of the nodal basis of level k, in which functions vanish at held nodes of this and of all finer
 * levels. Its diagonal block at a node that was born on level k is that of the hierarchical matrix S^T A S.
 *
 * Rows and columns of the level matrices are places (sn_levels.place): level k has the places below begin[k + 1]. A row
 * of A_{k-1} collects from the rows of its node and of its children, so rows are independent of each other. Where each
 * block goes is worked out once (`plan`). A product reads each block of A_k twice and adds it to up to two blocks;
 * making all levels takes about the time of an assembly by elements. */
#ifndef SN_LINEAR_HIERARCHY_H
#define SN_LINEAR_HIERARCHY_H

#include "linear/solver.h"

/* The matrix of a level below the finest, and how it is made from the next finer one. */
typedef struct sn_nested {
    sn_pattern pattern;  /* `mirror` on level 0 only */
    double *value;       /* blocks x 9 */
    int32_t *target;     /* rows: the place of the node among the targets of the next level; -1: no children there */
    int64_t *plan_begin; /* rows + 1 */
    int32_t *plan;       /* the block of this level for each block that the row collects, in the order of the visits */
} sn_nested;

typedef struct sn_hierarchy {
    sn_context *context;
    const sn_levels *levels;
    const sn_matrix *matrix; /* only during an update, as the filter's places in `held` */
    const sn_filter *filter;
    sn_nested *nested; /* levels->count - 1 */
    int32_t *held;     /* nodes: the place in the filter's list; -1: free */
    int32_t *listed;   /* the filter's places by level; loose nodes are not in it */
    int capacity;
    int32_t *listed_begin; /* levels->count + 1 */
    void *factor;          /* of level 0 */
    bool factored;         /* level 0 is positive definite and has a factor */
    double *right, *left;  /* level 0: 3 numbers per node */
} sn_hierarchy;

sn_status sn_hierarchy_create(sn_context *context, const sn_levels *levels, const sn_pattern *pattern,
                              sn_hierarchy **hierarchy, sn_error *error);
void sn_hierarchy_destroy(sn_hierarchy *hierarchy); /* NULL: does nothing */
/* Makes the matrices of all levels. The filter must stay valid until the next update. */
void sn_hierarchy_update(sn_hierarchy *hierarchy, const sn_matrix *matrix, const sn_filter *filter);
/* Factors level 0. Without a usable factor (singular, indefinite, not finite) `factored` is false. */
sn_status sn_hierarchy_factor(sn_hierarchy *hierarchy, bool symmetric, sn_error *error);
/* Makes room for the filter, before an update. */
sn_status sn_hierarchy_reserve(sn_hierarchy *hierarchy, const sn_filter *filter, sn_error *error);

/* The diagonal block of level k at a place, without the projection of the node itself. Loose nodes: sn_matrix_block. */
void sn_hierarchy_block(const sn_hierarchy *hierarchy, int level, int32_t place, double block[9]);

/* x <- F x at the nodes that were born on the level. */
void sn_hierarchy_hold(const sn_hierarchy *hierarchy, int level, double *x);
/* The factor of level k of (F S)^T: holds the new nodes and adds half of them to their parents. */
void sn_hierarchy_restrict(const sn_hierarchy *hierarchy, int level, double *x);
/* The factor of level k of F S: adds the mean of their parents to the new nodes, and holds them. */
void sn_hierarchy_prolong(const sn_hierarchy *hierarchy, int level, double *x);
/* x <- A_0^-1 x at the nodes of level 0, by the factor. */
void sn_hierarchy_solve(const sn_hierarchy *hierarchy, double *x);

/* ---- Inverse diagonal blocks, for the two preconditioners ---- */
typedef struct sn_level_blocks {
    sn_hierarchy *hierarchy;
    float *block; /* by place, 9 numbers each: of each node on the level of its birth */
    float *loose; /* the same of the loose nodes, from the matrix itself */
} sn_level_blocks;

/* Makes the hierarchy for the levels of the operator if there is none, then its matrices, its factor and the blocks. */
sn_status sn_level_blocks_update(sn_context *context, const sn_operator *op, const sn_filter *filter,
                                 sn_level_blocks *blocks, sn_error *error);
void sn_level_blocks_release(sn_context *context, sn_level_blocks *blocks);
/* block[i] = the inverse of the diagonal block of node[i] on the level: count x 9. Right after an update. */
void sn_hierarchy_invert(const sn_hierarchy *hierarchy, int level, const int32_t *node, int count, float *block);
/* out_i = block[i] x_node[i]; out has 3 numbers for each i. NULL: the result replaces x_node[i]. */
void sn_hierarchy_scale(const sn_context *context, const float *block, const int32_t *node, int count, double *x,
                        double *out);

#endif
