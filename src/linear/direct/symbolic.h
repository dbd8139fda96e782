/* The pattern of the factor of a symmetric matrix, by nodes. It is found before the factor itself is computed. */
#ifndef SN_LINEAR_SYMBOLIC_H
#define SN_LINEAR_SYMBOLIC_H

#include "linear/matrix/matrix.h"

/* place[i]: the step at which node i is eliminated. order[k]: the node that is eliminated k-th. parent[k] (nodes): the
 * elimination tree, -1 at roots. count[k] (nodes): the number of blocks below the diagonal in column k of the factor.
 * parent and count are numbered in the order of elimination. work: 2 x nodes numbers. */
void sn_symbolic_count(const sn_pattern *pattern, const int32_t *order, const int32_t *place, int32_t *parent,
                       int32_t *count, int32_t *work);
/* Finds the columns of row i of the factor. Their numbers are stack[top] ... stack[nodes - 1]; each column comes after
 * all columns that it depends on. Returns top. entry[0..entries): the columns of row i of the matrix, below i. mark[k]
 * == i for the columns that were visited; mark starts at -1. */
int sn_symbolic_row(int nodes, int32_t i, const int32_t *entry, int entries, const int32_t *parent, int32_t *mark,
                    int32_t *stack);

#endif
