/* Isochoric invariants, for laws that treat shape and volume apart. Both are of second order in the strain; J > 0.
 *   Y1 = J^-2/3 I1 - 3,   Y2 = J^-4/3 I2 - 3
 *
 * They are computed as Y = 3 (exp(u) - 1), with the remainders of second order written out:
 *   u1 = ln(I1 / 3) - 2/3 ln J,   u2 = ln(I2 / 3) - 4/3 ln J */
#ifndef SN_FEM_KERNEL_ISOCHORIC_H
#define SN_FEM_KERNEL_ISOCHORIC_H

#include "invariants.h"
#include "scalar_functions.h"

static inline vd isochoric_first(const invariants *i) {
    const vd third = vd_set(1.0 / 3.0), x = third * i->k1, L = log_near_one(i->j, i->J);
    const vd u =
        third * i->q - log_remainder(x, log_near_one(x, third * i->I1)) + vd_set(2.0 / 3.0) * log_remainder(i->j, L);
    return vd_set(3) * vd_expm1(u);
}

static inline vd isochoric_second(const invariants *i) {
    const vd third = vd_set(1.0 / 3.0), two = vd_set(2), x = third * (two * i->k1 + i->h2),
             L = log_near_one(i->j, i->J);
    const vd u = third * (two * i->q + i->h2) - log_remainder(x, log_near_one(x, third * i->I2)) +
                 vd_set(4.0 / 3.0) * log_remainder(i->j, L);
    return vd_set(3) * vd_expm1(u);
}

/* Adds the derivatives of f(Y1), given f' and f''. */
static inline void add_first(const invariants *i, vd f1, vd f2, derivative *d) {
    const vd inverse = vd_set(1) / i->J, a = vd_exp(vd_set(-2.0 / 3.0) * log_near_one(i->j, i->J));
    const vd y1 = a, yJ = vd_set(-2.0 / 3.0) * a * i->I1 * inverse;
    d->p1 += f1 * y1;
    d->pJ += f1 * yJ;
    d->p11 += f2 * y1 * y1;
    d->p1J += f2 * y1 * yJ + f1 * (vd_set(-2.0 / 3.0) * a * inverse);
    d->pJJ += f2 * yJ * yJ + f1 * (vd_set(10.0 / 9.0) * a * i->I1 * inverse * inverse);
}

/* Adds the derivatives of f Y2, f constant. */
static inline void add_second(const invariants *i, vd f, derivative *d) {
    const vd inverse = vd_set(1) / i->J, a = vd_exp(vd_set(-4.0 / 3.0) * log_near_one(i->j, i->J));
    d->p2 += f * a;
    d->pJ += f * (vd_set(-4.0 / 3.0) * a * i->I2 * inverse);
    d->p2J += f * (vd_set(-4.0 / 3.0) * a * inverse);
    d->pJJ += f * (vd_set(28.0 / 9.0) * a * i->I2 * inverse * inverse);
}

/* Adds those of k (J - 1)^2. */
static inline void add_volume(const invariants *i, vd k, derivative *d) {
    d->pJ += vd_set(2) * k * i->j;
    d->pJJ += vd_set(2) * k;
}

/* 1 / D1, the factor of (J - 1)^2: from d1, or from lambda and mu as half the bulk modulus. */
static inline double volume_factor(double lambda, double mu) { return 0.5 * (lambda + 2.0 / 3.0 * mu); }

#endif
