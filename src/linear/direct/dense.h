/* Small dense systems, stored row by row: LU with row exchanges. */
#ifndef SN_LINEAR_DENSE_H
#define SN_LINEAR_DENSE_H

#include <stdbool.h>

/* Factors the m x m matrix A in place; pivot has m numbers. Returns false when A is singular. */
bool sn_dense_factor(double *A, int m, int *pivot);
/* y = A^-1 y with the factor. */
void sn_dense_solve(const double *A, int m, const int *pivot, double *y);

#endif
