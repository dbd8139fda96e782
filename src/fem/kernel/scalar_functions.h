/* Functions of one variable that keep their digits near zero, lane by lane. */
#ifndef SN_FEM_KERNEL_SCALAR_FUNCTIONS_H
#define SN_FEM_KERNEL_SCALAR_FUNCTIONS_H

#include "base/simd.h"

static inline vd vd_expm1(vd x) {
    vd r = x;
    for (int l = 0; l < SN_WIDTH; ++l) r[l] = expm1(x[l]);
    return r;
}
static inline vd vd_exp(vd x) {
    vd r = x;
    for (int l = 0; l < SN_WIDTH; ++l) r[l] = exp(x[l]);
    return r;
}
static inline vd vd_log(vd x) {
    vd r = x;
    for (int l = 0; l < SN_WIDTH; ++l) r[l] = log(x[l]);
    return r;
}

/* log of a number `full` = 1 + x, by x where that has more digits. */
static inline vd log_near_one(vd x, vd full) {
    vd r = x;
    for (int l = 0; l < SN_WIDTH; ++l) r[l] = fabs(x[l]) < 0.5 ? log1p(x[l]) : log(full[l]);
    return r;
}

/* x - log(1 + x) = x^2/2 - x^3/3 + ..., second order in x; `logarithm` is log(1 + x). */
static inline vd log_remainder(vd x, vd logarithm) {
    vd sum = vd_set(1.0 / 14);
    for (int n = 13; n >= 2; --n) sum = vd_set(1.0 / n) - x * sum;
    return vd_select((vi)(vd_abs(x) < vd_set(0.05)), x * x * sum, x - logarithm);
}

/* exp(x) - 1 - x = x^2/2 + x^3/6 + ... */
static inline vd exp_remainder(vd x) {
    vd sum = vd_set(1);
    for (int n = 13; n >= 3; --n) sum = vd_set(1) + x * sum / vd_set(n);
    return vd_select((vi)(vd_abs(x) < vd_set(0.1)), vd_set(0.5) * (x * x) * sum, vd_expm1(x) - x);
}

#endif
