/* The law `ciarlet` (Ciarlet and Geymonat; Hauth 2.5.4), less its value at rest:
 *   psi = a1 tr C + a2 tr C^2 + b tr cof C + c J^2 - d ln J,   d = 2 (a1 + 2 a2 + 2 b + c)
 * This d leaves rest free of stress. With H = C - I, h2 its second invariant and m = a1 + 2 a2 + 2 b,
 *   psi = m (tr H - 2 (J - 1)) + a2 tr H^2 + b h2 + c (J - 1)^2 + d ((J - 1) - ln J)
 * where each term is of second order.
 *
 * Small strains: mu = 2 a1 + 8 a2 + 2 b, lambda = 4 (b + c). From young and poisson: a1 = mu / 2, a2 = b = 0,
 * c = lambda / 4. Needs J > 0. Constants: a1, a2, b, c. */
#include "fem/names.h"

#include "invariants.h"
#include "law_parameters.h"
#include "scalar_functions.h"

static const sn_parameter parameter[] = {
    SN_ISOTROPIC_PARAMETERS,
    {"a1", "Pa", "factor of tr C; default 0", -INFINITY, INFINITY, 1, 1, 1, 1},
    {"a2", "Pa", "factor of tr C^2; default 0", -INFINITY, INFINITY, 1, 1, 1, 1},
    {"b", "Pa", "factor of tr cof C; default 0", -INFINITY, INFINITY, 1, 1, 1, 1},
    {"c", "Pa", "factor of J^2; default 0", -INFINITY, INFINITY, 1, 1, 1, 1},
};

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *constant,
                         sn_error *error) {
    int own = 0;
    for (int i = 0; i < 4; ++i) {
        own += sn_material_constant(material, parameter[3 + i].name) != NULL;
        constant[i] = sn_material_value(material, parameter[3 + i].name, time, 0);
    }
    if (own) {
        const double mu = 2 * constant[0] + 8 * constant[1] + 2 * constant[2], lambda = 4 * (constant[2] + constant[3]);
        if (mu < 0 || 3 * lambda + 2 * mu < 0)
            return sn_fail(
                error, SN_BAD_INPUT,
                "a1, a2, b, c give the shear modulus %g and the bulk modulus %g at rest; both must be at least 0", mu,
                lambda + 2.0 / 3.0 * mu);
        return SN_OK;
    }
    double lambda, mu;
    const sn_status status = sn_material_lame(material, time, &lambda, &mu, error);
    if (status) return status;
    constant[0] = 0.5 * mu;
    constant[3] = 0.25 * lambda;
    return SN_OK;
}

static void scale(const sn_law *law, double shear, double bulk, double *constant) {
    double mu = 2 * constant[0] + 8 * constant[1] + 2 * constant[2], lambda = 4 * (constant[2] + constant[3]);
    scale_lame(shear, bulk, &lambda, &mu);
    for (int i = 0; i < 3; ++i) constant[i] *= shear;
    constant[3] = 0.25 * lambda - constant[2];
}

static inline vd log_factor(const vd *c) { return vd_set(2) * (c[0] + vd_set(2) * (c[1] + c[2]) + c[3]); }

static inline void density(const vd *c, const invariants *i, vd *psi) {
    const vd two = vd_set(2), m = c[0] + two * (c[1] + c[2]);
    *psi = m * i->q + c[1] * (i->k1 * i->k1 - two * i->h2) + c[2] * i->h2 + c[3] * (i->j * i->j) +
           log_factor(c) * log_remainder(i->j, log_near_one(i->j, i->J));
}

static inline void derivatives(const vd *c, const invariants *i, derivative *d) {
    const vd two = vd_set(2), f = log_factor(c), inverse = vd_set(1) / i->J;
    d->p1 = c[0] + two * c[1] * i->I1; /* tr C^2 = I1^2 - 2 I2 */
    d->p2 = c[2] - two * c[1];
    d->pJ = two * c[3] * i->J - f * inverse;
    d->p11 = two * c[1];
    d->pJJ = two * c[3] + f * (inverse * inverse);
}

SN_INVARIANT_KERNELS(1)

const sn_law SN_ISA(sn_law_ciarlet) = {SN_LAW_ciarlet, SN_INVARIANT_LAW(SN_LAW_POSITIVE_J, 4)};
