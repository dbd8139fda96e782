/* Solves with coarse tets that have Green's strain (fem/coarse.h; Hauth 5.3.5).
 *
 * The force of the coarse tets is a nonlinear function N of few means. Everything else is linear between two renewals
 * of the frames, and A = m M + d D + k K is its matrix, which stays. A step solves, from the positions y,
 *
 *   A x + k (N(y + x) - N(y)) = b   in the free directions.
 *
 * With rho = b - A x - k (N(y + x) - N(y)), a round is
 *
 *   coarse: x += P c, where c solves the problem of the few coarse nodes by a full Newton method (coarse_newton.h);
 *           after slow rounds, unless interactions have blocks in A, which this problem lacks
 *   fine:   A e = rho by the method of the solver, a few iterations with the matrix and the preconditioner that it
 *           keeps; x += e
 *
 * N changes the stiffness of the means by about the strain, so a round mostly shrinks rho to the fifth that it aims at.
 * After a round that left more than a half, the fine rounds take A + k dN/dx, with the preconditioner of A.
 *
 * The start and the rounds take rho from products with the matrix, which may be in single precision. For tolerances
 * that this rounding spoils, a rho that seems small enough is computed with the exact operator. */
#ifndef SN_LINEAR_COROTATED_H
#define SN_LINEAR_COROTATED_H

#include "solver.h"

typedef struct sn_corotated sn_corotated;

sn_status sn_corotated_create(sn_context *context, const sn_linear_model *model, sn_corotated **corotated,
                              sn_error *error);
void sn_corotated_destroy(sn_corotated *corotated); /* NULL: does nothing */
/* The matrix of the coarse nodes is made anew by the next solve. */
void sn_corotated_forget(sn_corotated *corotated);

#endif
