/* The law `ogden`, on the isochoric stretches l_i = J^-1/3 s_i:
 *   psi = sum_p 2 mu_p / a_p^2 (l0^a_p + l1^a_p + l2^a_p - 3) + (J - 1)^2 / d1
 *
 * Let e_i = ln l_i (their sum is zero), T_i = sum_p 2 mu_p / a_p (exp(a_p e_i) - 1), t_i = T_i - mean T and k = 1 / d1:
 *   psi_i  = t_i / s_i + 2 k (J - 1) s_j s_k
 *   psi_ij = (T'_i d_ij - (T'_i + T'_j) / 3 + sum T' / 9) / (s_i s_j) - d_ij t_i / s_i^2 + volume part
 *   (psi_i - psi_j) / (s_i - s_j) = ((T_i - T_j) / (s_i - s_j) s_j - t_j) / (s_i s_j) - 2 k (J - 1) s_k
 * The last quotient goes over e_i - e_j = log(1 + (s_i - s_j) / s_j) and (exp(z) - 1) / z, so equal stretches are no
 * special case.
 *
 * Small strains: mu = sum mu_p, bulk modulus 2 / d1. From young and poisson: one term with a = 2. Needs J > 0.
 * Constants: mu_1 to mu_4, a_1 to a_4, k. */
#include "fem/law.h"
#include "fem/names.h"

#include "law_parameters.h"
#include "modes.h"
#include "scalar_functions.h"
#include "svd3.h"

enum { TERMS = 4 };

static const sn_parameter parameter[] = {
    SN_ISOTROPIC_PARAMETERS,
    {"mu", "Pa", "shear moduli of the terms; their sum at least 0", -INFINITY, INFINITY, 1, 1, 1, TERMS},
    {"alpha", "", "exponents of the terms, not 0", -INFINITY, INFINITY, 1, 1, 1, TERMS},
    {"d1", "1/Pa", "2 / bulk modulus", 0, INFINITY, 1, 1, 1, 1},
};

static sn_status own_constants(const sn_material *material, double time, double *constant, sn_error *error) {
    const sn_constant *mu = sn_material_constant(material, "mu"), *alpha = sn_material_constant(material, "alpha");
    if (!mu || !alpha || !sn_material_constant(material, "d1"))
        return sn_fail_at(error, SN_BAD_INPUT,
                          !mu      ? "mu"
                          : !alpha ? "alpha"
                                   : "d1",
                          "law 'ogden' lacks '%s'; give mu, alpha and d1",
                          !mu      ? "mu"
                          : !alpha ? "alpha"
                                   : "d1");
    if (mu->count != alpha->count)
        return sn_fail_at(error, SN_BAD_INPUT, "alpha", "'mu' has %d values and 'alpha' %d; they must have as many",
                          mu->count, alpha->count);
    double sum = 0;
    for (int i = 0; i < mu->count && i < TERMS; ++i) {
        if (alpha->value[i] == 0)
            return sn_fail_at(error, SN_BAD_INPUT, "alpha", "value %d of 'alpha' is 0; it must not be", i + 1);
        constant[i] = mu->value[i];
        constant[TERMS + i] = alpha->value[i];
        sum += mu->value[i];
    }
    if (sum < 0) return sn_fail_at(error, SN_BAD_INPUT, "mu", "the sum of 'mu' is %g; it must be at least 0", sum);
    constant[2 * TERMS] = 1 / sn_material_value(material, "d1", time, 0);
    return SN_OK;
}

static sn_status prepare(const sn_law *law, const sn_material *material, double time, double *constant,
                         sn_error *error) {
    for (int i = 0; i < TERMS; ++i) constant[i] = 0, constant[TERMS + i] = 2;
    if (sn_material_constant(material, "mu") || sn_material_constant(material, "alpha") ||
        sn_material_constant(material, "d1"))
        return own_constants(material, time, constant, error);
    double lambda, mu;
    const sn_status status = sn_material_lame(material, time, &lambda, &mu, error);
    if (status) return status;
    constant[0] = mu;
    constant[2 * TERMS] = 0.5 * (lambda + 2.0 / 3.0 * mu);
    return SN_OK;
}

static void scale(const sn_law *law, double shear, double bulk, double *constant) {
    for (int i = 0; i < TERMS; ++i) constant[i] *= shear;
    constant[2 * TERMS] *= bulk;
}

/* What all three kernels start from. Lanes with J <= 0 are evaluated at some positive stretches: finite, and reported
 * by the caller. */
typedef struct state {
    vd U[9], V[9], s[3], e[3], j;
} state;

static inline void evaluate(const vd *F, state *x) {
    svd3(F, x->U, x->s, x->V);
    const vd tiny = vd_set(1e-100), one = vd_set(1);
    vd log_s[3];
    for (int i = 0; i < 3; ++i) {
        x->s[i] = vd_select((vi)(x->s[i] > tiny), x->s[i], one);
        log_s[i] = log_near_one(x->s[i] - one, x->s[i]);
    }
    const vd mean = (log_s[0] + log_s[1] + log_s[2]) / vd_set(3);
    for (int i = 0; i < 3; ++i) x->e[i] = log_s[i] - mean;
    x->j = volume_change(F);
}

static inline int in_use(vd mu) { return vi_any((vi)(mu != vd_set(0))); }

static void energy(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *psi) {
    state x;
    evaluate(F, &x);
    vd sum = c[2 * TERMS] * (x.j * x.j);
    for (int p = 0; p < TERMS; ++p) {
        if (!in_use(c[p])) continue;
        const vd a = c[TERMS + p];
        sum += vd_set(2) * c[p] / (a * a) *
               (exp_remainder(a * x.e[0]) + exp_remainder(a * x.e[1]) + exp_remainder(a * x.e[2]));
    }
    *psi = sum;
}

/* t, and T' when `slope` is not NULL. */
static inline void log_gradient(const vd *c, const state *x, vd t[3], vd *slope) {
    const vd two = vd_set(2);
    for (int i = 0; i < 3; ++i) {
        t[i] = vd_set(0);
        if (slope) slope[i] = vd_set(0);
    }
    for (int p = 0; p < TERMS; ++p) {
        if (!in_use(c[p])) continue;
        for (int i = 0; i < 3; ++i) {
            const vd grown = vd_expm1(c[TERMS + p] * x->e[i]);
            t[i] += two * c[p] / c[TERMS + p] * grown;
            if (slope) slope[i] += two * c[p] * (vd_set(1) + grown);
        }
    }
    const vd mean = (t[0] + t[1] + t[2]) / vd_set(3);
    for (int i = 0; i < 3; ++i) t[i] -= mean;
}

static void stress(const sn_law *law, const vd *c, const vd *F, const vd *R, vd *P) {
    state x;
    vd t[3], UD[9];
    evaluate(F, &x);
    log_gradient(c, &x, t, NULL);
    const vd pressure = vd_set(2) * c[2 * TERMS] * x.j;
    for (int i = 0; i < 9; ++i) {
        const int k = i % 3;
        UD[i] = x.U[i] * (t[k] / x.s[k] + pressure * (x.s[(k + 1) % 3] * x.s[(k + 2) % 3]));
    }
    vm_multiply_transpose(UD, x.V, P);
}

/* f(z) / z with f(0) = 0 and f'(0) = 1. */
static inline vd ratio(vd f, vd z) {
    const vi none = (vi)(z == vd_set(0));
    return vd_select(none, vd_set(1), f / vd_select(none, vd_set(1), z));
}

/* (T_i - T_j) / (s_i - s_j) s_j */
static inline vd divided_difference(const vd *c, const state *x, int i, int j) {
    const vd d = (x->s[i] - x->s[j]) / x->s[j], y = log_near_one(d, vd_set(1) + d);
    vd sum = vd_set(0);
    for (int p = 0; p < TERMS; ++p) {
        if (!in_use(c[p])) continue;
        const vd a = c[TERMS + p];
        sum += vd_set(2) * c[p] * vd_exp(a * x->e[j]) * ratio(vd_expm1(a * y), a * y);
    }
    return sum * ratio(y, d);
}

static inline void differentiate(const vd *c, const state *x, principal *p) {
    vd t[3], slope[3];
    log_gradient(c, x, t, slope);
    const vd *s = x->s, two_k = vd_set(2) * c[2 * TERMS], pressure = two_k * x->j, third = vd_set(1.0 / 3.0);
    const vd ninth = (slope[0] + slope[1] + slope[2]) / vd_set(9);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const vd area = s[i] * s[j];
        p->A[k] = (slope[k] * third + ninth - t[k]) / (s[k] * s[k]) + two_k * (area * area);
        p->shear[k] = (divided_difference(c, x, i, j) - t[j]) / area - pressure * s[k];
        p->turn[k] = (t[i] / s[i] + t[j] / s[j]) / (s[i] + s[j]) + pressure * s[k];
    }
    for (int e = 0; e < 3; ++e) {
        const int i = e, j = (e + 1) % 3, k = (e + 2) % 3;
        p->A[3 + e] = (ninth - third * (slope[i] + slope[j])) / (s[i] * s[j]) +
                      two_k * ((s[j] * s[k]) * (s[i] * s[k])) + pressure * s[k];
    }
}

static void differential(const sn_law *law, sn_differential kind, int dimension, const vd *c, const vd *F, const vd *R,
                         const vd *dR, vd *dP) {
    state x;
    principal p;
    evaluate(F, &x);
    differentiate(c, &x, &p);
    if (kind == SN_DIFFERENTIAL_PROJECTED) principal_project(&p);
    principal_assemble(&p, x.U, x.V, dP);
}

const sn_law SN_ISA(sn_law_ogden) = {
    SN_LAW_ogden,
    .flags = SN_LAW_INDEFINITE | SN_LAW_ISOTROPIC | SN_LAW_POSITIVE_J,
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_PROJECTED,
    .default_differential = SN_DIFFERENTIAL_PROJECTED,
    .parameter = parameter,
    .parameter_count = sizeof parameter / sizeof *parameter,
    .constant_count = 2 * TERMS + 1,
    .coefficient_count = TERMS,
    .prepare = prepare,
    .scale = scale,
    .energy = energy,
    .stress = stress,
    .differential = differential,
    .strain = SN_STRAIN_GREEN,
};
