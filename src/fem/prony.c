/* Coefficients of Prony series. */
#include "prony.h"

#include <math.h>
#include <string.h>

/* (1 - exp(-z)) / z and its derivative by z. Both are smooth at 0. */
static double gain_of(double z) { return z > 1e-8 ? -expm1(-z) / z : 1 - 0.5 * z; }
static double gain_slope(double z) {
    return z > 1e-4 ? (exp(-z) * (1 + z) - 1) / (z * z) : -0.5 + z * (1.0 / 3.0 - z / 8.0);
}

sn_prony_term sn_prony_at(double time, double elapsed, bool rate) {
    const double z = elapsed / time;
    if (isinf(z)) return (sn_prony_term){0, 0};
    if (rate) return (sn_prony_term){-exp(-z) / time, gain_slope(z) / time};
    return (sn_prony_term){exp(-z), gain_of(z)};
}

double sn_prony_share(const sn_material *material) {
    double share = 1;
    for (int i = 0; i < material->prony_count && strcmp(material->prony_moduli, "instantaneous") == 0; ++i)
        share -= material->prony[i][0];
    return fmax(share, 0);
}

double sn_prony_factor(const sn_material *material, double elapsed, bool rate) {
    double factor = rate ? 0 : sn_prony_share(material);
    for (int i = 0; i < material->prony_count; ++i)
        factor += material->prony[i][0] * sn_prony_at(material->prony[i][1], elapsed, rate).gain;
    return factor;
}

bool sn_prony_on_shear(const sn_material *material) { return strcmp(material->prony_on, "shear") == 0; }

/* ---- Series on coefficients ---- */
bool sn_prony_on_coefficients(const sn_material *material) { return strcmp(material->prony_on, "coefficients") == 0; }

double sn_prony_share_of(const sn_material *material, int n) {
    double share = 1;
    for (int i = 0; i < material->prony_count && strcmp(material->prony_moduli, "instantaneous") == 0; ++i)
        share -= material->prony_ratios[i][n];
    return fmax(share, 0);
}

void sn_prony_relax(const sn_law *law, const sn_material *material, double elapsed, bool rate, double *constant) {
    for (int n = 0; n < law->coefficient_count; ++n) {
        double factor = rate ? 0 : sn_prony_share_of(material, n);
        for (int i = 0; i < material->prony_count; ++i)
            factor += material->prony_ratios[i][n] * sn_prony_at(material->prony[i][1], elapsed, rate).gain;
        constant[n] *= factor;
    }
    if (rate) law->scale(law, 1, 0, constant);
}

void sn_prony_base(const sn_law *law, const sn_material *material, int term, const double *constant, double *base) {
    memcpy(base, constant, (size_t)law->constant_count * sizeof *base);
    for (int n = 0; n < law->coefficient_count; ++n) base[n] *= material->prony_ratios[term][n];
    law->scale(law, 1, 0, base);
}

double sn_prony_rest_ratio(const sn_law *law, const sn_material *material, int term, const double *constant) {
    double base[SN_LAW_CONSTANTS], bulk, whole, part;
    sn_prony_base(law, material, term, constant, base);
    sn_law_mean_moduli(law, constant, &bulk, &whole);
    sn_law_mean_moduli(law, base, &bulk, &part);
    return whole > 0 && part > 0 ? part / whole : 0;
}
