/* The law `neo-hookean` (compressible, Bonet and Wood): psi = mu/2 (I1 - 3) - mu ln J + lambda/2 ln^2 J.
 * Needs J > 0. Constants: lambda, mu. */
#include "fem/names.h"

#include "invariants.h"
#include "law_parameters.h"
#include "scalar_functions.h"

static const sn_parameter parameter[] = {SN_ISOTROPIC_PARAMETERS};

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *constant,
                         sn_error *error) {
    return sn_material_lame(material, time, &constant[0], &constant[1], error);
}

static void scale(const sn_law *law, double shear, double bulk, double *constant) {
    scale_lame(shear, bulk, &constant[0], &constant[1]);
}

static inline void density(const vd *c, const invariants *i, vd *psi) {
    const vd half = vd_set(0.5), L = log_near_one(i->j, i->J);
    *psi = c[1] * (half * i->q + log_remainder(i->j, L)) + half * c[0] * (L * L);
}

static inline void derivatives(const vd *c, const invariants *i, derivative *d) {
    const vd L = log_near_one(i->j, i->J), inverse = vd_set(1) / i->J;
    d->p1 = vd_set(0.5) * c[1];
    d->pJ = (c[0] * L - c[1]) * inverse;
    d->pJJ = (c[0] + c[1] - c[0] * L) * (inverse * inverse);
}

SN_INVARIANT_KERNELS(1)

const sn_law SN_ISA(sn_law_neo_hookean) = {SN_LAW_neo_hookean, SN_INVARIANT_LAW(SN_LAW_POSITIVE_J, 2)};
