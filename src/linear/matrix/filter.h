/* Constraint filters: which directions of which nodes may move.
 *
 * Each constrained node has a symmetric projection S onto its free directions: 0 for a fixed node, diag(1,0,1) for a node held along y,
 * I - n n^T on a surface with normal n. The solvers work on S A S and never touch the constrained components of the unknown, which the
 * caller has set to the wanted motion. Nodes that are not listed are free.
 *
 * A group of nodes may move along a few modes only: S = B B^T with B's orthonormal columns, the six rigid modes of a rigid core say. A
 * node is in one group at most, and then not listed. */
#ifndef SN_LINEAR_FILTER_H
#define SN_LINEAR_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

enum { SN_GROUP_MODES = 6 };

typedef struct sn_filter_group {
    int count;
    int32_t *node;
    int modes;     /* at most SN_GROUP_MODES */
    double *basis; /* modes x count x 3: B's columns */
} sn_filter_group;

typedef struct sn_filter {
    int count;
    int32_t *node;      /* ascending */
    double *projection; /* count x 9, symmetric */
    int group_count;
    const sn_filter_group *group; /* must stay while the filter is in use */
} sn_filter;

/* A copy of the listed nodes of a filter. */
typedef struct sn_filter_copy {
    sn_filter filter;       /* its groups are those of the original */
    int nodes, projections; /* capacities */
} sn_filter_copy;

/* Brings the copy up to date; NULL counts as an empty filter. *changed: the listed nodes or their projections are others than before. On
 * failure the copy is empty. */
sn_status sn_filter_copy_update(sn_context *context, const sn_filter *filter, sn_filter_copy *copy, bool *changed, sn_error *error);
void sn_filter_copy_release(sn_context *context, sn_filter_copy *copy);

/* v <- S v; v is nodes x 3. A NULL filter leaves v alone. */
void sn_filter_apply(const sn_filter *filter, double *v);
/* The groups alone. */
void sn_filter_apply_groups(const sn_filter *filter, double *v);
/* out = B (B^T M B)^-1 B^T f on the group's nodes, M the diagonal of `mass` (per node). */
void sn_filter_group_mass_solve(const sn_filter_group *group, const double *mass, const double *f, double *out);
/* The same for the nodes [begin, end) alone, without the groups. */
void sn_filter_apply_range(const sn_filter *filter, int begin, int end, double *v);
/* The projection of a node, or NULL when it is free. */
const double *sn_filter_find(const sn_filter *filter, int32_t node);

#endif
