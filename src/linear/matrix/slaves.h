/* Slave nodes: hanging nodes of a mesh that is refined in places. A slave h lies in the middle of an edge of a coarser
 * element and follows the ends of this edge, its parents p and q, which are no slaves themselves:
 *
 *   x = T u,   x_h = (u_p + u_q) / 2,   x_i = u_i elsewhere
 *
 * The forces on a slave go back to its parents: f_u = T^T f_x. The matrix of the unknowns u is T^T A T (Krysl,
 * Grinspun, Schroeder, Natural hierarchical refinement for finite element methods, 2003, give the same space by its
 * basis). The pattern then couples the parents with all nodes of the elements around their slave. A slave keeps its
 * number; its row and column are empty but for the diagonal, and the filter holds it.
 *
 * `one_sided` leaves out the reaction, as Hauth does (5.3.4): slaves follow, but the forces on them are dropped. With P
 * the rows of the nodes that are no slaves, f_u = P f_x, and the matrix is P A T, which is not symmetric. The forces
 * across a border of levels are then not in balance. */
#ifndef SN_LINEAR_SLAVES_H
#define SN_LINEAR_SLAVES_H

#include "matrix.h"

typedef struct sn_slaves {
    int count;
    int32_t *node;        /* count, ascending */
    int32_t (*parent)[2]; /* count */
    bool one_sided;
} sn_slaves;

/* How the blocks at slaves are added to those of their parents, for one pattern. */
typedef struct sn_folding {
    int64_t count, cleared;
    int32_t *from, *to; /* count: places in the pattern, in a fixed order */
    double *weight;     /* count */
    int32_t *clear;     /* cleared: the places right and left of the diagonal of slaves */
} sn_folding;

/* The pairs of nodes that T^T A T couples in addition to those of the elements, but for those between kept rows.
 * Release *pair with sn_release. */
sn_status sn_slaves_pairs(const sn_context *context, const sn_elements_model *elements, const sn_slaves *slaves,
                          const sn_kept_rows *kept, int32_t (**pair)[2], int *count, sn_error *error);
sn_status sn_folding_create(const sn_context *context, const sn_pattern *pattern, const sn_slaves *slaves,
                            sn_folding *folding, sn_error *error);
void sn_folding_release(const sn_context *context, sn_folding *folding);
/* A <- T^T A T, or P A T. The diagonal blocks of slaves become positive multiples of the identity. */
void sn_folding_apply(const sn_folding *folding, const sn_slaves *slaves, const sn_matrix *matrix);

/* x <- T x, and f <- T^T f or P f. */
void sn_slaves_follow(const sn_slaves *slaves, double *x);
void sn_slaves_give(const sn_slaves *slaves, double *f);
/* Sets the numbers of slaves to 0. */
void sn_slaves_clear(const sn_slaves *slaves, double *f);

#endif
