/* Direct methods as they are wrapped for changing constraints (woodbury.c), and what tests ask them. */
#ifndef SN_LINEAR_DIRECT_H
#define SN_LINEAR_DIRECT_H

#include "linear/solver.h"

/* The factorisations alone: a new factor at each update. */
extern const sn_preconditioner sn_factor_ldlt;
#if defined(SN_HAVE_CHOLMOD)
extern const sn_preconditioner sn_factor_cholesky;
#endif

/* Of the data of a direct method: by how many directions the filter differs from that of the kept factor; how often it factored. */
int sn_direct_corrections(const void *data);
int sn_direct_factorisations(const void *data);

#endif
