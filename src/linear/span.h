/* A better start for a solve: the best combination of a few likely directions, such as the last solutions and their differences.
 *
 *   x += W c,  r -= A W c   with c = argmin ||x + W c - A^-1 b||_A, that is (W^T A W) c = W^T r
 *
 * (Fischer 1998, for successive right-hand sides). What moves smoothly in time starts with an error of the order that as many points of
 * the past can give, and what does not loses the products alone. */
#ifndef SN_LINEAR_SPAN_H
#define SN_LINEAR_SPAN_H

#include "solver.h"

/* Scratch in doubles for `count` directions of n scalars. */
int64_t sn_span_scratch(int count, int n);
/* Improves x and its residual r = S (b - A x); both stay what they are where nothing better is found. Returns whether they changed. A is
 * symmetric; directions along which it is not positive, and those that the ones before them hold already, are left out. */
bool sn_span_start(const sn_operator *op, const sn_filter *filter, int count, const double *const *direction, double *x, double *r,
                   double *scratch);

#endif
