/* Constraint filters: which directions of which nodes may move.
 *
 * Each constrained node has a symmetric projection S onto its free directions: 0 for a fixed node, diag(1,0,1) for a node held along y,
 * I - n n^T on a surface with normal n. The solvers work on S A S and never touch the constrained components of the unknown, which the
 * caller has set to the wanted motion. Nodes that are not listed are free. */
#ifndef SN_LINEAR_FILTER_H
#define SN_LINEAR_FILTER_H

#include <stdint.h>

typedef struct sn_filter {
    int count;
    int32_t *node;      /* ascending */
    double *projection; /* count x 9, symmetric */
} sn_filter;

/* v <- S v; v is nodes x 3. A NULL filter leaves v alone. */
void sn_filter_apply(const sn_filter *filter, double *v);
/* The same for the nodes [begin, end) alone. */
void sn_filter_apply_range(const sn_filter *filter, int begin, int end, double *v);
/* The projection of a node, or NULL when it is free. */
const double *sn_filter_find(const sn_filter *filter, int32_t node);

#endif
