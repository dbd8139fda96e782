/* Direct methods: the plain factorisations that woodbury.c wraps for changing constraints, and counters for tests. */
#ifndef SN_LINEAR_DIRECT_H
#define SN_LINEAR_DIRECT_H

#include "linear/solver.h"

/* The plain factorisations. Each update makes a new factor. */
extern const sn_preconditioner sn_factor_ldlt;
/* The next update meets another pattern. It uses the memory of the data again. */
void sn_factor_ldlt_forget(void *data);
#if defined(SN_HAVE_CHOLMOD)
extern const sn_preconditioner sn_factor_cholesky;
#endif

/* Counters in the data of a direct method: the number of directions in which the filter differs from the filter of the
 * kept factor, and the number of factorisations so far. */
int sn_direct_corrections(const void *data);
int sn_direct_factorisations(const void *data);

#endif
