/* A correction for preconditioners when stiff contacts couple bodies.
 *
 * A contact between the nodes i and j adds k to their diagonal blocks and -k to the block between them. Preconditioners
 * see the diagonal, but not the block between bodies: it has no place in the pattern. So they take both nodes as held,
 * although the two are free to move together, and the iterations grow like sqrt(k). The cure is to treat all coupled
 * nodes at once. With c these nodes, R the restriction to them, Q = R^T (R A R^T)^-1 R and P the preconditioner,
 *
 *   P' = Q + (I - Q A) P (I - A Q)
 *
 * is symmetric and definite if P is. It solves for the coupled nodes exactly, by a sparse factor of their part of A, so
 * the iteration goes on with the other nodes, whose equations know nothing of k. An application costs one of P, two
 * solves with the factor and two products with the rows of c.
 *
 * Block-Jacobi needs less. It takes each node by itself, so all coupled nodes become one more block of it: P' has
 * (R A R^T)^-1 for them and the 3x3 blocks for the others. An application costs one solve. On a pile of twenty bodies
 * the iterations grow from 44 to 45, and a step takes two thirds of the time.
 *
 * Where contacts are about as stiff as the bodies, block-Jacobi converges without the correction too: on the same pile
 * in 31 iterations instead of 19, and each iteration costs less and runs on all threads. So solves with block-Jacobi
 * start without it. When 50 iterations are not enough, this solve continues with the correction, and so do the next 100
 * linearisations (solver_refine.c). */
#ifndef SN_LINEAR_COUPLED_H
#define SN_LINEAR_COUPLED_H

#include "linear/matrix/coupling.h"
#include "linear/solver.h"

typedef struct sn_coupled_block {
    sn_context *context;
    /* ---- The preconditioner and the operator that it serves; set before each use ---- */
    const sn_preconditioner *base;
    void *data;
    const sn_matrix *matrix;
    const sn_filter *filter;
    /* ---- The part of A between the coupled nodes ---- */
    bool usable;
    int count;      /* coupled nodes */
    int32_t *row;   /* their rows of the coupling */
    int32_t *local; /* node -> place among the coupled nodes; -1: none */
    sn_pattern pattern;
    double *value; /* blocks x 9 */
    void *factor;
    double *right, *left;                                                                /* 3 count */
    double *rest;                                                                        /* 3 nodes: r - A Q r */
    int locals, rows, begins, columns, diagonals, mirrors, values, rights, lefts, rests; /* capacities */
} sn_coupled_block;

/* Makes the factor for a symmetric matrix with a coupling. Without a usable factor (the part is singular), the
 * correction is left out. all: nodes that are coupled only with held nodes take part too. Incomplete factors do without
 * them: the own blocks of such nodes know their contacts. Multigrid needs them, because its coarse levels do not. */
sn_status sn_coupled_update(sn_context *context, const sn_operator *op, const sn_filter *filter, bool all,
                            sn_coupled_block *block, sn_error *error);
/* The table of the corrected preconditioner; its data is the block. */
sn_preconditioner sn_coupled_preconditioner(sn_coupled_block *block, const sn_preconditioner *base, void *data);
void sn_coupled_release(sn_context *context, sn_coupled_block *block);

#endif
