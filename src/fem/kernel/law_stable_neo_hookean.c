/* The law `stable-neo-hookean` (Smith, de Goes and Kim 2018), finite under inversion and collapse:
 *   psi = m/2 (I1 - 3) + l/2 (J - a)^2 - m/2 ln(I1 + 1),   a = 1 + m/l - m/(4 l),   m = 4/3 mu,   l = lambda + 5/6 mu,
 * less its value at rest. Written out, so that no modulus is divided by:
 *   psi = m/2 (3/4 (I1 - 3 - 2 (J - 1)) + x - ln(1 + x)) + l/2 (J - 1)^2,   x = (I1 - 3) / 4.
 * Constants: l, m. */
#include "fem/names.h"

#include "invariants.h"
#include "law_parameters.h"
#include "scalar_functions.h"

static const sn_parameter parameter[] = {SN_ISOTROPIC_PARAMETERS};

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *constant,
                         sn_error *error) {
    double lambda, mu;
    const sn_status status = sn_material_lame(material, time, &lambda, &mu, error);
    if (status) return status;
    constant[0] = lambda + 5.0 / 6.0 * mu;
    constant[1] = 4.0 / 3.0 * mu;
    return SN_OK;
}

static void scale(const sn_law *law, double shear, double bulk, double *constant) {
    double mu = 0.75 * constant[1], lambda = constant[0] - 5.0 / 6.0 * mu;
    scale_lame(shear, bulk, &lambda, &mu);
    constant[0] = lambda + 5.0 / 6.0 * mu;
    constant[1] = 4.0 / 3.0 * mu;
}

static inline void density(const vd *c, const invariants *i, vd *psi) {
    const vd half = vd_set(0.5), x = vd_set(0.25) * i->k1;
    *psi = half * c[1] * (vd_set(0.75) * i->q + log_remainder(x, log_near_one(x, vd_set(1) + x))) +
           half * c[0] * (i->j * i->j);
}

static inline void derivatives(const vd *c, const invariants *i, derivative *d) {
    const vd half = vd_set(0.5), one = vd_set(1), inverse = one / (i->I1 + one);
    d->p1 = half * c[1] * (one - inverse);
    d->pJ = c[0] * i->j - vd_set(0.75) * c[1];
    d->p11 = half * c[1] * (inverse * inverse);
    d->pJJ = c[0];
}

SN_INVARIANT_KERNELS(0)

const sn_law SN_ISA(sn_law_stable_neo_hookean) = {SN_LAW_stable_neo_hookean, SN_INVARIANT_LAW(0, 2)};
