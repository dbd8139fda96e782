/* The splitting A = L + D + L^T by 3 x 3 blocks, for the sweeps of SSOR and of Eisenstat's method.
 *
 *   W = D / omega + L,   K = (2 - omega) / omega D,   M = W K^-1 W^T
 *
 * A block of D that is not positive definite is replaced by one that is, so M is always positive definite. The sweeps
 * visit the nodes in their order, on one thread. */
#ifndef SN_LINEAR_SSOR_H
#define SN_LINEAR_SSOR_H

#include "triangle.h"

typedef struct sn_ssor {
    sn_context *context;
    sn_triangle triangle; /* the diagonal of the triangle is D */
    double *inverse;      /* nodes x 9: omega D^-1 */
    double omega;
    bool definite; /* no block of D was replaced: L + D + L^T is A itself */
    const sn_filter *filter;
    int64_t halves; /* how often half of the matrix was read: once by each sweep and product */
} sn_ssor;

/* y = W^-1 r; y may be r. */
void sn_ssor_forward(sn_ssor *ssor, const double *r, double *y);
/* z = W^-T z. `Kz` (NULL: not wanted) becomes K z. The sweep yields it at no cost, since z_i = omega D_i^-1 s_i and K_i
 * z_i = (2 - omega) s_i. */
void sn_ssor_backward(sn_ssor *ssor, double *z, double *Kz);
/* y = K x. */
void sn_ssor_scale(const sn_ssor *ssor, const double *x, double *y);
/* y = W x. */
void sn_ssor_product(sn_ssor *ssor, const double *x, double *y);

#endif
