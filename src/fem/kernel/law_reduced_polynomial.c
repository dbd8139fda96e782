/* The law `reduced-polynomial` (with three terms: Yeoh's law):
 *   psi = sum_i c_i Y^i + (J - 1)^2 / d1,   Y = J^-2/3 I1 - 3
 * Small strains: mu = 2 c_1, bulk modulus 2 / d1. From young and poisson: one term. Needs J > 0. Constants: c_1 to c_6,
 * 1 / d1. */
#include "fem/names.h"

#include "isochoric.h"
#include "law_parameters.h"

enum { TERMS = 6 };

static const sn_parameter parameter[] = {
    SN_ISOTROPIC_PARAMETERS,
    {"c", "Pa", "factors of the powers of the first isochoric invariant; the first at least 0", -INFINITY, INFINITY, 1,
     1, 1, TERMS},
    {"d1", "1/Pa", "2 / bulk modulus", 0, INFINITY, 1, 1, 1, 1},
};

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *constant,
                         sn_error *error) {
    for (int i = 0; i < TERMS; ++i) constant[i] = 0;
    const sn_constant *c = sn_material_constant(material, "c"), *d1 = sn_material_constant(material, "d1");
    if (c || d1) {
        if (!c || !d1)
            return sn_fail_at(error, SN_BAD_INPUT, c ? "d1" : "c", "law 'reduced-polynomial' lacks '%s'; give c and d1",
                              c ? "d1" : "c");
        if (c->value[0] < 0)
            return sn_fail_at(error, SN_BAD_INPUT, "c", "the first of 'c' is %g; it must be at least 0", c->value[0]);
        for (int i = 0; i < c->count && i < TERMS; ++i) constant[i] = c->value[i];
        constant[TERMS] = 1 / sn_material_value(material, "d1", time, 0);
        return SN_OK;
    }
    double lambda, mu;
    const sn_status status = sn_material_lame(material, time, &lambda, &mu, error);
    if (status) return status;
    constant[0] = 0.5 * mu;
    constant[TERMS] = volume_factor(lambda, mu);
    return SN_OK;
}

static void scale(const sn_law *law, double shear, double bulk, double *constant) {
    for (int i = 0; i < TERMS; ++i) constant[i] *= shear;
    constant[TERMS] *= bulk;
}

static inline void density(const vd *c, const invariants *i, vd *psi) {
    const vd Y = isochoric_first(i);
    vd sum = c[TERMS - 1];
    for (int n = TERMS - 2; n >= 0; --n) sum = c[n] + Y * sum;
    *psi = Y * sum + c[TERMS] * (i->j * i->j);
}

static inline void derivatives(const vd *c, const invariants *i, derivative *d) {
    const vd Y = isochoric_first(i);
    vd first = vd_set(0), second = vd_set(0); /* of sum c_n Y^n */
    for (int n = TERMS; n >= 1; --n) first = vd_set(n) * c[n - 1] + Y * first;
    for (int n = TERMS; n >= 2; --n) second = vd_set(n * (n - 1)) * c[n - 1] + Y * second;
    add_first(i, first, second, d);
    add_volume(i, c[TERMS], d);
}

SN_INVARIANT_KERNELS(1)

const sn_law SN_ISA(sn_law_reduced_polynomial) = {
    SN_LAW_reduced_polynomial, SN_INVARIANT_LAW(SN_LAW_POSITIVE_J, TERMS + 1), .coefficient_count = TERMS};
