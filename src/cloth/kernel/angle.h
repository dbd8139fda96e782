/* The angle of a vector (x, y) in the plane, from -pi to pi; 0 for no vector. Without the C library, so that every
 * build gives the same bits. The rational function is that of S. Moshier's Cephes (atan.c), with errors of 2e-16. */
#ifndef SN_CLOTH_KERNEL_ANGLE_H
#define SN_CLOTH_KERNEL_ANGLE_H

#include "base/simd.h"

static inline vd angle_of(vd y, vd x) {
    static const double P[5] = {-8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1,
                                -1.228866684490136173410e2, -6.485021904942025371773e1},
                        Q[5] = {2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2,
                                4.853903996359136964868e2, 1.945506571482613964425e2};
    const vd one = vd_set(1), zero = vd_set(0), half = vd_set(1.57079632679489661923), a = vd_abs(x), b = vd_abs(y);
    const vi steep = (vi)(b > a);
    const vd top = vd_select(steep, a, b), bottom = vd_select(steep, b, a);
    const vd ratio = top / vd_select((vi)(bottom > zero), bottom, one); /* 0 to 1 */
    const vi wide = (vi)(ratio > vd_set(0.66));
    const vd t = vd_select(wide, (ratio - one) / (ratio + one), ratio), z = t * t;
    vd p = vd_set(P[0]), q = z + vd_set(Q[0]);
    for (int i = 1; i < 5; ++i) p = p * z + vd_set(P[i]), q = q * z + vd_set(Q[i]);
    vd angle = t + t * (z * p / q) + vd_select(wide, vd_set(0.78539816339744830962), zero);
    angle = vd_select(steep, half - angle, angle);
    angle = vd_select((vi)(x < zero), vd_set(3.14159265358979323846) - angle, angle);
    return vd_copysign(angle, y);
}

#endif
