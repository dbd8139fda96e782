/* The positive semi-definite matrix nearest to a symmetric 9x9 one: its negative eigenvalues set to zero. For laws
 * without a principal frame. Lanes whose matrix is positive definite (Cholesky's pivots) keep it; the others take
 * cyclic Jacobi. */
#ifndef SN_FEM_KERNEL_PROJECT9_H
#define SN_FEM_KERNEL_PROJECT9_H

#include "base/simd.h"

static inline vi definite9(const vd m[81]) {
    vd a[81];
    memcpy(a, m, sizeof a);
    const vd zero = vd_set(0), one = vd_set(1);
    vi good = (vi)(zero == zero);
    for (int k = 0; k < 9; ++k) {
        good &= (vi)(a[10 * k] > zero);
        const vd inverse = one / vd_select(good, a[10 * k], one);
        for (int i = k + 1; i < 9; ++i) {
            const vd f = a[9 * i + k] * inverse;
            for (int j = k + 1; j <= i; ++j) a[9 * i + j] -= f * a[9 * j + k];
        }
    }
    return good;
}

/* One Jacobi rotation in the plane (i, j); returns the lanes that turned. Both halves of a are kept. */
static inline vi turn9(vd a[81], vd V[81], int i, int j, vd small) {
    const vd one = vd_set(1), zero = vd_set(0), x = a[9 * i + j];
    const vi turns = (vi)(vd_abs(x) > small);
    if (!vi_any(turns)) return turns;
    const vd zeta = (a[10 * j] - a[10 * i]) / vd_select(turns, x + x, one);
    const vd t = vd_select(turns, vd_copysign(one / (vd_abs(zeta) + vd_sqrt(one + zeta * zeta)), zeta), zero);
    const vd c = one / vd_sqrt(one + t * t), s = t * c;
    a[10 * i] -= t * x;
    a[10 * j] += t * x;
    a[9 * i + j] = a[9 * j + i] = vd_select(turns, zero, x);
    for (int k = 0; k < 9; ++k) {
        if (k != i && k != j) {
            const vd p = a[9 * i + k], q = a[9 * j + k];
            a[9 * i + k] = a[9 * k + i] = c * p - s * q;
            a[9 * j + k] = a[9 * k + j] = s * p + c * q;
        }
        const vd u = V[9 * k + i], v = V[9 * k + j];
        V[9 * k + i] = c * u - s * v;
        V[9 * k + j] = s * u + c * v;
    }
    return turns;
}

static inline void project9(vd m[81]) {
    const vi keep = definite9(m);
    if (vi_all(keep)) return;
    vd a[81], V[81], size = vd_set(0);
    for (int i = 0; i < 81; ++i) {
        a[i] = m[i];
        V[i] = vd_set(i % 10 == 0);
        size = vd_max(vd_abs(m[i]), size);
    }
    const vd small = vd_set(1e-16) * size;
    for (int sweep = 0; sweep < 16; ++sweep) {
        vi turned = turn9(a, V, 0, 1, small);
        for (int j = 2; j < 9; ++j)
            for (int i = 0; i < j; ++i) turned |= turn9(a, V, i, j, small);
        if (!vi_any(turned)) break;
    }
    for (int i = 0; i < 9; ++i)
        for (int j = i; j < 9; ++j) {
            vd sum = vd_set(0);
            for (int k = 0; k < 9; ++k) sum += vd_max(a[10 * k], vd_set(0)) * V[9 * i + k] * V[9 * j + k];
            m[9 * i + j] = m[9 * j + i] = vd_select(keep, m[9 * i + j], sum);
        }
}

#endif
