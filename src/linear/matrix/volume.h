/* The volumes of nearly incompressible bodies, taken out of the matrix.
 *
 * The patches of elements that do not lock (fem/patch.h) hold nearly all of the bulk modulus. The tangent T of a patch
 * then has one large eigenvalue t with the eigenvector N: the change of volume. Towards Poisson's ratio 1/2 it grows
 * without bound, and every preconditioner of the whole matrix suffers. Here each tangent is divided:
 *
 *   T = T' + D N N^T,   D = (1 - s) t
 *
 * s is the share that a softer body has too (sn_patch_divide). T' goes into the matrix A'. The rest becomes a separate
 * equation with the pressure p of the patch as an unknown:
 *
 *   A = A' + B^T D B,   A x = b   <=>   A' x + B^T p = b,   B x - D^-1 p = 0
 *
 * Row a of B is b_a . x = N : sum_i x_i (x) g_i. The rows and the pressures are scaled by l_a = D_a |b_a|, so that a
 * residual of the second equation is about as large as the error that it makes in A x = b:
 *
 *   row = l b,   compliance = l^2 / D */
#ifndef SN_LINEAR_VOLUME_H
#define SN_LINEAR_VOLUME_H

#include "fem/patch.h"

typedef struct sn_volumes {
    const sn_patches *patches;
    int count;          /* patches, with padding; those without a stiff volume have rows of zeros */
    double *row;        /* per entry of the patches x 3 */
    double *column;     /* the same numbers in the order of patches->row_patch, for sums over nodes */
    double *compliance; /* count; 1 where the row is zero */
    double *schur;      /* count: about B A'^-1 B^T + D^-1, scaled; 1 where the row is zero */
} sn_volumes;

sn_status sn_volumes_create(sn_context *context, const sn_patches *patches, sn_volumes *volumes, sn_error *error);
void sn_volumes_release(sn_context *context, sn_volumes *volumes);
/* Divides the tangents of all patches. `rest`: the tangents T', which may be the same array. */
void sn_volumes_divide(const sn_context *context, sn_volumes *volumes, const sn_element_settings *settings,
                       const double *tangent, double *rest);
/* Fills `column` from `row`. */
void sn_volumes_order(const sn_context *context, sn_volumes *volumes);
/* out = B u - C p with C the compliance; p: NULL for 0. */
void sn_volumes_measure(const sn_context *context, const sn_volumes *volumes, const double *u, const double *p,
                        double *out);
/* f += sign B^T p */
void sn_volumes_spread(const sn_context *context, const sn_volumes *volumes, double sign, const double *p, double *f);
/* Whether a patch that is a whole element has a volume so stiff that pressures as unknowns pay. */
bool sn_volumes_pay(const sn_elements_model *elements, const sn_element_settings *settings);

#endif
