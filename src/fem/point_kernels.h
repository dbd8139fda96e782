/* Laws, rotations and the singular value decomposition at single points, for everything outside the element kernels: a
 * block of SN_LANES matrices at a time, [entry][SN_LANES], aligned to 64 bytes. One table per instruction set. */
#ifndef SN_FEM_POINT_KERNELS_H
#define SN_FEM_POINT_KERNELS_H

#include "law.h"

typedef struct sn_point_kernels {
    /* constant: law->constant_count values, the same in all lanes. rotation: NULL for laws without. degenerate: its
     * alpha and beta; the path runs from rest to F. psi 1, P 9, dP 81 rows of SN_LANES; outputs may be NULL. dP with
     * `exact` needs a rotation with a differential. */
    void (*law)(const sn_law *law, const sn_rotation *rotation, const double degenerate[2], sn_differential kind,
                const double *constant, const double *F, double *psi, double *P, double *dP);
    /* The rotation on a path from rest to F; dR (81 rows) may be NULL. */
    void (*rotation)(const sn_rotation *rotation, double alpha, double beta, const double *F, double *R, double *dR);
    void (*svd)(const double *F, double *U, double *s, double *V);
} sn_point_kernels;

const sn_point_kernels *sn_point_kernels_for(const sn_context *context); /* NULL: the baseline */

#endif
