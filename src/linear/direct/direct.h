/* Direct methods: the plain factorisations that woodbury.c wraps for changing constraints, and counters for tests. */
#ifndef SN_LINEAR_DIRECT_H
#define SN_LINEAR_DIRECT_H

#include "linear/solver.h"

/* The plain factorisation sn_<symbol>_factor of each line of SN_DIRECTS. One file defines it. Each update makes a new
 * factor. Name and text stand in the list. */
#define SN_DECLARE_FACTOR(symbol, name, text) extern const sn_preconditioner sn_##symbol##_factor;
SN_DIRECTS(SN_DECLARE_FACTOR)
/* The next update meets another pattern. It uses the memory of the data again. */
void sn_direct_ldlt_forget(void *data);
/* Whether the factored matrix is positive definite. */
bool sn_direct_ldlt_definite(const void *data);

/* Counters in the data of a direct method: the number of directions in which the filter differs from the filter of the
 * kept factor, and the number of factorisations so far. */
int sn_direct_corrections(const void *data);
int sn_direct_factorisations(const void *data);

#endif
