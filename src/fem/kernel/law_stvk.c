/* The law `stvk` (Saint Venant-Kirchhoff): Hooke's law on Green's strain E = (F^T F - I) / 2.
 *   psi = mu E : E + lambda / 2 tr^2 E = mu/4 tr H^2 + lambda/8 tr^2 H,   H = 2 E,   P = F (2 mu E + lambda tr(E) I)
 * Softens under compression and gives way below a stretch of about 0.58. Constants: lambda, mu. */
#include "fem/names.h"

#include "invariants.h"
#include "law_parameters.h"

static const sn_parameter parameter[] = {SN_ISOTROPIC_PARAMETERS};

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *constant,
                         sn_error *error) {
    return sn_material_lame(material, time, &constant[0], &constant[1], error);
}

static void scale(const sn_law *law, double shear, double bulk, double *constant) {
    scale_lame(shear, bulk, &constant[0], &constant[1]);
}

static inline void density(const vd *c, const invariants *i, vd *psi) {
    *psi = vd_set(0.25) * c[1] * (i->k1 * i->k1 - vd_set(2) * i->h2) + vd_set(0.125) * c[0] * (i->k1 * i->k1);
}

static inline void derivatives(const vd *c, const invariants *i, derivative *d) {
    const vd half = vd_set(0.5), quarter = vd_set(0.25);
    d->p1 = quarter * c[0] * i->k1 + half * c[1] * (i->I1 - vd_set(1));
    d->p2 = -half * c[1];
    d->p11 = quarter * c[0] + half * c[1];
}

SN_INVARIANT_KERNELS(0)

const sn_law SN_ISA(sn_law_stvk) = {SN_LAW_stvk, SN_INVARIANT_LAW(0, 2)};
