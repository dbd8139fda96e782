/* Constraint filters: the directions in which each node may move.
 *
 * Each constrained node has a symmetric projection S onto its free directions: 0 for a fixed node, diag(1,0,1) for a
 * node held along y, I - n n^T on a surface with normal n. The solvers work on S A S. They never change the constrained
 * components of the unknown, which the caller has set to the prescribed motion. Nodes that are not listed are free.
 *
 * A group of nodes moves only along a few modes: S = B B^T, where B has orthonormal columns. A rigid core, for example,
 * has its six rigid modes. A node is in one group at most, and a node of a group is not listed. */
#ifndef SN_LINEAR_FILTER_H
#define SN_LINEAR_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"

enum { SN_GROUP_MODES = 6 };

typedef struct sn_filter_group {
    int count;
    int32_t *node;
    int modes;     /* at most SN_GROUP_MODES */
    double *basis; /* modes x count x 3: B's columns; NULL: `arm` takes its place */
    /* A rigid body of many nodes, with consecutive numbers from node[0] on. Its modes are v_i = a + w x r_i, with the
     * arms r_i from the mean of its nodes. They need a sixth of the memory of a basis. */
    double *arm;    /* count x 3 */
    double turn[9]; /* the inverse of sum (r.r I - r r^T), symmetric */
} sn_filter_group;

typedef struct sn_filter {
    int count;
    int32_t *node;      /* ascending */
    double *projection; /* count x 9, symmetric */
    int group_count;
    const sn_filter_group *group; /* must stay valid while the filter is in use */
} sn_filter;

/* A copy of the listed nodes of a filter. */
typedef struct sn_filter_copy {
    sn_filter filter;       /* its groups are those of the original */
    int nodes, projections; /* capacities */
} sn_filter_copy;

/* Brings the copy up to date; NULL counts as an empty filter. *changed: the listed nodes or their projections differ
 * from those before. On failure the copy is empty. */
sn_status sn_filter_copy_update(sn_context *context, const sn_filter *filter, sn_filter_copy *copy, bool *changed,
                                sn_error *error);
/* Visits the copy in an archive, without its groups. `nodes`: how many nodes there are. */
sn_status sn_filter_copy_archive(sn_context *context, int nodes, sn_filter_copy *copy, sn_archive *archive,
                                 sn_error *error);
void sn_filter_copy_release(sn_context *context, sn_filter_copy *copy);

/* v <- S v; v is nodes x 3. A NULL filter leaves v unchanged. */
void sn_filter_apply(const sn_filter *filter, double *v);
/* v <- S v for the groups only. */
void sn_filter_apply_groups(const sn_filter *filter, double *v);
/* out = B (B^T M B)^-1 B^T f on the nodes of the group, with M the diagonal matrix of `mass` (per node). */
void sn_filter_group_mass_solve(const sn_filter_group *group, const double *mass, const double *f, double *out);
/* v <- S v for the nodes [begin, end) only, without the groups. */
void sn_filter_apply_range(const sn_filter *filter, int begin, int end, double *v);
/* The projection of a node; NULL when the node is free. */
const double *sn_filter_find(const sn_filter *filter, int32_t node);
/* Whether a node is held in all directions. */
bool sn_filter_holds(const sn_filter *filter, int32_t node);

#endif
