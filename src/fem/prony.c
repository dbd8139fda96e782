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
