/* The pattern of the factor of a symmetric matrix, by nodes, before it is computed. */
#ifndef SN_LINEAR_SYMBOLIC_H
#define SN_LINEAR_SYMBOLIC_H

#include "linear/matrix/matrix.h"

/* place[i]: when node i is eliminated; order[k]: who is k-th. parent[k] (nodes): the elimination tree, -1 at roots; count[k] (nodes):
 * blocks below the diagonal in column k of the factor. All in the order of elimination. work: 2 x nodes numbers. */
void sn_symbolic_count(const sn_pattern *pattern, const int32_t *order, const int32_t *place, int32_t *parent, int32_t *count,
                       int32_t *work);
/* The columns of row i of the factor: their numbers are stack[top] ... stack[nodes - 1], each after all that it depends on. Returns top.
 * entry[0..entries): the columns of row i of the matrix, below i. mark[k] == i for those met; starts at -1. */
int sn_symbolic_row(int nodes, int32_t i, const int32_t *entry, int entries, const int32_t *parent, int32_t *mark, int32_t *stack);

#endif
