/* Hierarchical unknowns (Hauth 3.1.2): a solve of A x = b works on
 *
 *   (S^T A S) eta = S^T b,   x = S eta
 *
 * in the bodies whose basis is hierarchical; S is the identity in the others. The forces, masses and matrices stay
 * those of the nodal basis, so both give the same x up to the tolerance, which is that of the nodal residual. Filters
 * act on each level (precondition/hierarchy.h): a coefficient of a held node stays 0.
 *
 * The preconditioners that treat each node separately take the diagonal blocks of S^T A S. */
#ifndef SN_LINEAR_BASIS_H
#define SN_LINEAR_BASIS_H

#include "linear/precondition/hierarchy.h"

typedef struct sn_basis {
    sn_hierarchy *hierarchy;
    sn_operator inside; /* the nodal operator */
    double *vector;     /* 3 numbers per node */
    double *right;      /* the same: S^T b */
    double *diagonal;   /* nodes x 9 */
} sn_basis;

/* Makes the diagonal blocks for a new matrix or filter. */
sn_status sn_basis_update(sn_context *context, const sn_levels *levels, const sn_matrix *matrix,
                          const sn_filter *filter, sn_basis *basis, sn_error *error);
void sn_basis_release(sn_context *context, sn_basis *basis);
/* S^T A S for a nodal operator A. */
sn_operator sn_basis_operator(sn_basis *basis, const sn_operator *nodal);
/* x <- S x, and x <- S^T x. */
void sn_basis_to_nodal(const sn_basis *basis, double *x);
void sn_basis_from_nodal(const sn_basis *basis, double *x);

#endif
