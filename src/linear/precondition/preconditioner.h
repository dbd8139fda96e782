/* Functions that the preconditioners share. */
#ifndef SN_LINEAR_PRECONDITIONER_H
#define SN_LINEAR_PRECONDITIONER_H

#include "linear/solver.h"

/* out = S A T for the block between two nodes. A is column-major; a projection of NULL is the identity. */
void sn_project_pair(const double A[9], const double *S, const double *T, double out[9]);
/* out = S A S + s (I - S), where s is the mean of A's diagonal (1 when that mean is not positive). S NULL: out = A.
 * Column-major, made symmetric. */
void sn_projected_block(const double A[9], const double *S, double out[9]);
/* The inverse of a symmetric positive definite block by its Cholesky factor. Returns false when a pivot is not above
 * `clear` times the diagonal; rounding of the stored inverse could then make it indefinite. */
bool sn_invert_definite(const double A[9], double clear, double out[9]);
/* out = S (S A S + s (I - S))^-1 S, with sn_projected_block and sn_invert_definite. A block that is not definite is
 * replaced by its positive diagonal, so the result is always positive definite in the free directions. */
void sn_invert_node_block(const double A[9], const double *S, double clear, double out[9]);
/* z = P r over all nodes by apply_range, in parallel pieces. */
void sn_apply_ranges(const sn_context *context, const sn_preconditioner *preconditioner, void *data, int nodes,
                     const double *r, double *z);

#endif
