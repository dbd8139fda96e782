/* The law `mooney-rivlin`:
 *   psi = c10 (J^-2/3 I1 - 3) + c01 (J^-4/3 I2 - 3) + (J - 1)^2 / d1
 * c01 = 0 gives the isochoric neo-Hookean law. Small strains: mu = 2 (c10 + c01), bulk modulus 2 / d1. From young and
 * poisson: c01 = 0. Needs J > 0. Constants: c10, c01, 1 / d1. */
#include "fem/names.h"

#include "isochoric.h"
#include "law_parameters.h"

static const sn_parameter parameter[] = {
    SN_ISOTROPIC_PARAMETERS,
    {"c10", "Pa", "factor of the first isochoric invariant", 0, INFINITY, 0, 1, 1, 1},
    {"c01", "Pa", "factor of the second isochoric invariant; default 0", 0, INFINITY, 0, 1, 1, 1},
    {"d1", "1/Pa", "2 / bulk modulus", 0, INFINITY, 1, 1, 1, 1},
};

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *constant,
                         sn_error *error) {
    constant[1] = sn_material_value(material, "c01", time, 0);
    const sn_constant *c10 = sn_material_constant(material, "c10"), *d1 = sn_material_constant(material, "d1");
    if (c10 || d1 || sn_material_constant(material, "c01")) {
        if (!c10 || !d1)
            return sn_fail_at(error, SN_BAD_INPUT, c10 ? "d1" : "c10",
                              "law 'mooney-rivlin' lacks '%s'; give c10, d1 and perhaps c01", c10 ? "d1" : "c10");
        constant[0] = sn_material_value(material, "c10", time, 0);
        constant[2] = 1 / sn_material_value(material, "d1", time, 0);
        return SN_OK;
    }
    double lambda, mu;
    const sn_status status = sn_material_lame(material, time, &lambda, &mu, error);
    if (status) return status;
    constant[0] = 0.5 * mu;
    constant[2] = volume_factor(lambda, mu);
    return SN_OK;
}

static void scale(const sn_law *law, double shear, double bulk, double *constant) {
    constant[0] *= shear, constant[1] *= shear, constant[2] *= bulk;
}

static inline void density(const vd *c, const invariants *i, vd *psi) {
    *psi = c[0] * isochoric_first(i) + c[1] * isochoric_second(i) + c[2] * (i->j * i->j);
}

static inline void derivatives(const vd *c, const invariants *i, derivative *d) {
    add_first(i, c[0], vd_set(0), d);
    add_second(i, c[1], d);
    add_volume(i, c[2], d);
}

SN_INVARIANT_KERNELS(1)

const sn_law SN_ISA(sn_law_mooney_rivlin) = {SN_LAW_mooney_rivlin, SN_INVARIANT_LAW(SN_LAW_POSITIVE_J, 3),
                                             .coefficient_count = 2};
