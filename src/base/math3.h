/* 3-vectors and row-major 3x3 matrices of doubles, for all code outside the kernels. */
#ifndef SN_BASE_MATH3_H
#define SN_BASE_MATH3_H

#include <math.h>

static inline double sn_dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline double sn_norm3(const double a[3]) { return sqrt(sn_dot3(a, a)); }
static inline void sn_cross3(const double a[3], const double b[3], double out[3]) {
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y, out[2] = z;
}
static inline void sn_subtract3(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = a[i] - b[i];
}
/* Twice the vector area of triangle abc: the unit normal times twice the area. */
static inline void sn_area_vector3(const double a[3], const double b[3], const double c[3], double out[3]) {
    double u[3], v[3];
    sn_subtract3(b, a, u);
    sn_subtract3(c, a, v);
    sn_cross3(u, v, out);
}
/* Six times the signed volume of tet abcd. */
static inline double sn_volume6(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double n[3], w[3];
    sn_area_vector3(a, b, c, n);
    sn_subtract3(d, a, w);
    return sn_dot3(n, w);
}
static inline void sn_multiply_vector3(const double m[9], const double a[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = m[3 * i] * a[0] + m[3 * i + 1] * a[1] + m[3 * i + 2] * a[2];
}
static inline double sn_determinant3(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}
/* The inverse. Returns the determinant; a determinant of 0 leaves `out` unchanged. */
static inline double sn_inverse3(const double m[9], double out[9]) {
    const double d = sn_determinant3(m);
    if (d == 0) return 0;
    const double c[9] = {m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                         m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                         m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int i = 0; i < 9; ++i) out[i] = c[i] / d;
    return d;
}
/* hypot and cbrt differ in the last digit from one C library to the next. These two have the same bits everywhere. */
static inline double sn_hypotenuse(double a, double b) {
    const double large = fmax(fabs(a), fabs(b)), ratio = fmin(fabs(a), fabs(b)) / large;
    if (!isfinite(a) || !isfinite(b) || large == 0) return fabs(a) + fabs(b);
    return large * sqrt(1 + ratio * ratio);
}
static inline double sn_cube_root(double a) {
    if (a == 0 || !isfinite(a)) return a;
    int power;
    double part = frexp(fabs(a), &power); /* 0.5 to 1 */
    for (; power % 3; ++power) part *= 0.5;
    double root = 0.6 + 0.4 * part; /* part is 0.125 to 1, so this is within 0.15 of its root */
    for (int i = 0; i < 5; ++i) root -= (root - part / (root * root)) / 3;
    return copysign(ldexp(root, power / 3), a);
}
/* The rotation by `degrees` about `axis`. The axis may have any length except zero. */
static inline void sn_axis_rotation3(const double axis[3], double degrees, double out[9]) {
    const double length = sn_norm3(axis), a = degrees * 0.017453292519943295, c = cos(a), s = sin(a), t = 1 - c;
    const double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
    const double r[9] = {t * x * x + c,     t * x * y - s * z, t * x * z + s * y, t * x * y + s * z, t * y * y + c,
                         t * y * z - s * x, t * x * z - s * y, t * y * z + s * x, t * z * z + c};
    for (int i = 0; i < 9; ++i) out[i] = r[i];
}

#endif
