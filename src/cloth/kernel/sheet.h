/* What the laws of cloth share. F has two columns f1 (warp) and f2 (weft); the third is zero, and so are those of P.
 *
 *   E = (F^T F - I) / 2 in the plane,   e1 = |f1| - 1,   e2 = |f2| - 1
 * Constants, in Pa: c11, c12, c22 of the stretches along warp and weft, and the shear modulus G.
 *
 * The derivative of an objective stress of a sheet falls into two parts that do not see each other: motions along the
 * normal n of the sheet, 2 x 2, and motions in its plane, 4 x 4. So its nearest definite matrix is that of each part.
 */
#ifndef SN_CLOTH_KERNEL_SHEET_H
#define SN_CLOTH_KERNEL_SHEET_H

#include "fem/law.h"

enum { SHEET_C11, SHEET_C12, SHEET_C22, SHEET_SHEAR, SHEET_CONSTANTS };
enum { SHEET_DAMPING = SHEET_CONSTANTS }; /* Pa s, of particles; their law sets it, and no kernel of a law reads it */

/* C <- bulk C + (shear - bulk) D C D, D the projection on the deviator in the plane. */
static inline void sheet_scale(const sn_law *law, double shear, double bulk, double *c) {
    const double part = (shear - bulk) * (c[SHEET_C11] - 2 * c[SHEET_C12] + c[SHEET_C22]) / 4;
    c[SHEET_C11] = bulk * c[SHEET_C11] + part;
    c[SHEET_C12] = bulk * c[SHEET_C12] - part;
    c[SHEET_C22] = bulk * c[SHEET_C22] + part;
    c[SHEET_SHEAR] *= shear;
}

static inline sn_status sheet_check_direction(const sn_material *material, sn_error *error) {
    const sn_constant *along = sn_material_constant(material, "direction");
    if (!along || along->value[0] != 0 || along->value[1] != 0 || along->value[2] != 0) return SN_OK;
    return sn_fail_at(error, SN_BAD_INPUT, "direction", "'direction' of the warp is [0, 0, 0]; it must have a length");
}

/* f . f - 1 of column k, by the distance from the unit vector: small near rest. */
static inline vd sheet_square(const vd *F, int k) {
    const vd a = F[4 * k] - vd_set(1), b = F[3 * ((k + 1) % 3) + k], c = F[3 * ((k + 2) % 3) + k];
    return vd_set(2) * a + (a * a + b * b + c * c);
}

static inline vd sheet_dot(const vd *F) { return F[0] * F[1] + F[3] * F[4] + F[6] * F[7]; }

/* P = F S for S = ((s11, s12), (s12, s22)). */
static inline void sheet_stress(const vd *F, vd s11, vd s12, vd s22, vd *P) {
    for (int i = 0; i < 3; ++i) {
        P[3 * i] = F[3 * i] * s11 + F[3 * i + 1] * s12;
        P[3 * i + 1] = F[3 * i] * s12 + F[3 * i + 1] * s22;
        P[3 * i + 2] = vd_set(0);
    }
}

/* dP <- dP + G C sym(G^T dF): the stiffness C seen through the columns of G. */
static inline void sheet_add_through(const vd *c, const vd *G, vd *dP) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            const vd *a = G + 3 * i, *b = G + 3 * k;
            vd *row0 = dP + 9 * (3 * i) + 3 * k, *row1 = dP + 9 * (3 * i + 1) + 3 * k;
            row0[0] += c[SHEET_C11] * (a[0] * b[0]) + c[SHEET_SHEAR] * (a[1] * b[1]);
            row0[1] += c[SHEET_C12] * (a[0] * b[1]) + c[SHEET_SHEAR] * (a[1] * b[0]);
            row1[0] += c[SHEET_C12] * (a[1] * b[0]) + c[SHEET_SHEAR] * (a[0] * b[1]);
            row1[1] += c[SHEET_C22] * (a[1] * b[1]) + c[SHEET_SHEAR] * (a[0] * b[0]);
        }
}

/* dP <- dP + dF S */
static inline void sheet_add_stress(vd s11, vd s12, vd s22, vd *dP) {
    for (int i = 0; i < 3; ++i) {
        dP[10 * (3 * i)] += s11, dP[10 * (3 * i + 1)] += s22;
        dP[9 * (3 * i) + 3 * i + 1] += s12, dP[9 * (3 * i + 1) + 3 * i] += s12;
    }
}

static inline void sheet_clear(vd *dP) {
    for (int i = 0; i < 81; ++i) dP[i] = vd_set(0);
}

static inline void sheet_rest_stiffness(const sn_law *law, const vd *c, const vd *G, vd *dP) {
    sheet_clear(dP);
    sheet_add_through(c, G, dP);
}

/* ---- The nearest definite matrix ---- */
static inline vd sheet_dot3(const vd *a, const vd *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* A unit vector at right angles to the unit vector a. */
static inline void sheet_normal_to(const vd *a, vd *out) {
    const vi flat = (vi)(vd_abs(a[0]) < vd_set(0.6));
    const vd x = vd_select(flat, vd_set(1), vd_set(0)), y = vd_set(1) - x; /* the x or the y axis */
    const vd along = x * a[0] + y * a[1];
    out[0] = x - along * a[0], out[1] = y - along * a[1], out[2] = -along * a[2];
    const vd size = vd_sqrt(sheet_dot3(out, out));
    for (int i = 0; i < 3; ++i) out[i] /= size;
}

/* Rows t1, t2, n: an orthonormal frame with f1 and f2 in the plane of t1 and t2, for every F. */
static inline void sheet_frame(const vd *F, vd T[9]) {
    const vd f[2][3] = {{F[0], F[3], F[6]}, {F[1], F[4], F[7]}};
    const vd s0 = sheet_dot3(f[0], f[0]), s1 = sheet_dot3(f[1], f[1]), most = vd_max(s0, s1);
    const vi second = (vi)(s1 > s0), any = (vi)(most > vd_set(1e-200));
    const vd size = vd_sqrt(vd_select(any, most, vd_set(1)));
    vd other[3], perpendicular[3], rest[3];
    for (int i = 0; i < 3; ++i) {
        T[i] = vd_select(any, vd_select(second, f[1][i], f[0][i]) / size, vd_set(i == 0));
        other[i] = vd_select(second, f[0][i], f[1][i]);
    }
    const vd along = sheet_dot3(other, T);
    for (int i = 0; i < 3; ++i) rest[i] = other[i] - along * T[i];
    const vd length = vd_sqrt(sheet_dot3(rest, rest));
    const vi wide = (vi)(length > vd_set(1e-12) * size) & any;
    sheet_normal_to(T, perpendicular);
    for (int i = 0; i < 3; ++i)
        T[3 + i] = vd_select(wide, rest[i] / vd_select(wide, length, vd_set(1)), perpendicular[i]);
    for (int i = 0; i < 3; ++i) T[6 + i] = T[(i + 1) % 3] * T[3 + (i + 2) % 3] - T[(i + 2) % 3] * T[3 + (i + 1) % 3];
}

/* One Jacobi rotation of the symmetric 4 x 4 matrix a in the plane (i, j); V collects the eigenvectors. */
static inline vi sheet_turn(vd a[16], vd V[16], int i, int j, vd small) {
    const vd one = vd_set(1), zero = vd_set(0), x = a[4 * i + j];
    const vi turns = (vi)(vd_abs(x) > small);
    if (!vi_any(turns)) return turns;
    const vd zeta = (a[5 * j] - a[5 * i]) / vd_select(turns, x + x, one);
    const vd t = vd_select(turns, vd_copysign(one / (vd_abs(zeta) + vd_sqrt(one + zeta * zeta)), zeta), zero);
    const vd c = one / vd_sqrt(one + t * t), s = t * c;
    a[5 * i] -= t * x, a[5 * j] += t * x;
    a[4 * i + j] = a[4 * j + i] = vd_select(turns, zero, x);
    for (int k = 0; k < 4; ++k) {
        if (k != i && k != j) {
            const vd p = a[4 * i + k], q = a[4 * j + k];
            a[4 * i + k] = a[4 * k + i] = c * p - s * q;
            a[4 * j + k] = a[4 * k + j] = s * p + c * q;
        }
        const vd u = V[4 * k + i], v = V[4 * k + j];
        V[4 * k + i] = c * u - s * v, V[4 * k + j] = s * u + c * v;
    }
    return turns;
}

/* Whether a symmetric 4 x 4 matrix is definite: all pivots of L D L^T are positive. */
static inline vi sheet_definite4(const vd m[16]) {
    vd a[16];
    for (int i = 0; i < 16; ++i) a[i] = m[i];
    vi definite = (vi)(a[0] > vd_set(0));
    for (int i = 0; i < 3; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            const vd l = a[4 * i + j] / a[5 * i];
            for (int k = j; k < 4; ++k) a[4 * j + k] -= l * a[4 * i + k];
        }
        definite &= (vi)(a[5 * i + 5] > vd_set(0));
    }
    return definite;
}

/* The symmetric 4 x 4 matrix without its negative eigenvalues. Near rest it has two large pairs off the diagonal: shear
 * (1, 2) and stretch (0, 3). They are turned first, which saves sweeps. */
static inline void sheet_project4(vd m[16]) {
    const vi definite = sheet_definite4(m);
    if (vi_all(definite)) return;
    vd a[16], V[16], size = vd_set(0);
    for (int i = 0; i < 16; ++i) a[i] = m[i], V[i] = vd_set(i % 5 == 0), size = vd_max(vd_abs(m[i]), size);
    const vd small = vd_select(definite, size, vd_set(1e-13) * size);
    for (int sweep = 0; sweep < 12; ++sweep) {
        vi turned = sheet_turn(a, V, 1, 2, small);
        turned |= sheet_turn(a, V, 0, 3, small);
        turned |= sheet_turn(a, V, 0, 1, small);
        turned |= sheet_turn(a, V, 0, 2, small);
        turned |= sheet_turn(a, V, 1, 3, small);
        turned |= sheet_turn(a, V, 2, 3, small);
        if (!vi_any(turned)) break;
    }
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) {
            vd sum = vd_set(0);
            for (int k = 0; k < 4; ++k) sum += vd_max(a[5 * k], vd_set(0)) * V[4 * i + k] * V[4 * j + k];
            m[4 * i + j] = m[4 * j + i] = vd_select(definite, m[4 * i + j], sum);
        }
}

/* ((a, b), (b, d)) without its negative eigenvalues. */
static inline void sheet_project2(vd *a, vd *b, vd *d) {
    const vd half = vd_set(0.5), zero = vd_set(0), mean = half * (*a + *d), gap = half * (*a - *d);
    const vd radius = vd_sqrt(gap * gap + *b * *b);
    const vi none = (vi)(mean + radius <= zero), both = (vi)(mean - radius >= zero);
    /* One eigenvalue is positive: l (I + (A - mean) / radius) / 2 with l = mean + radius. */
    const vd l = half * (mean + radius), scale = l / vd_select((vi)(radius > zero), radius, vd_set(1));
    *a = vd_select(both, *a, vd_select(none, zero, l + scale * gap));
    *d = vd_select(both, *d, vd_select(none, zero, l - scale * gap));
    *b = vd_select(both, *b, vd_select(none, zero, scale * *b));
}

/* The derivative of an objective stress of a sheet without its negative eigenvalues. */
static inline void sheet_project(const vd *F, vd *dP) {
    vd T[9], m[16], normal[3] = {vd_set(0), vd_set(0), vd_set(0)};
    sheet_frame(F, T);
    for (int i = 0; i < 16; ++i) m[i] = vd_set(0);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            const vd *row0 = dP + 9 * (3 * i) + 3 * k, *row1 = row0 + 9;
            for (int p = 0; p < 2; ++p)
                for (int q = 0; q < 2; ++q) {
                    const vd f = T[3 * p + i] * T[3 * q + k];
                    m[4 * (2 * p) + 2 * q] += f * row0[0], m[4 * (2 * p) + 2 * q + 1] += f * row0[1];
                    m[4 * (2 * p + 1) + 2 * q] += f * row1[0], m[4 * (2 * p + 1) + 2 * q + 1] += f * row1[1];
                }
            const vd f = T[6 + i] * T[6 + k];
            normal[0] += f * row0[0], normal[1] += f * row0[1], normal[2] += f * row1[1];
        }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j) m[4 * i + j] = m[4 * j + i];
    sheet_project4(m);
    sheet_project2(&normal[0], &normal[1], &normal[2]);
    const vd n[4] = {normal[0], normal[1], normal[1], normal[2]};
    for (int a = 0; a < 6; ++a) /* rows (i, alpha), then columns from the diagonal on */
        for (int b = a; b < 6; ++b) {
            const int i = a / 2, alpha = a % 2, k = b / 2, gamma = b % 2;
            vd sum = T[6 + i] * T[6 + k] * n[2 * alpha + gamma];
            for (int p = 0; p < 2; ++p)
                for (int q = 0; q < 2; ++q) sum += T[3 * p + i] * T[3 * q + k] * m[4 * (2 * p + alpha) + 2 * q + gamma];
            const int row = 3 * i + alpha, column = 3 * k + gamma;
            dP[9 * row + column] = dP[9 * column + row] = sum;
        }
}

#define SN_SHEET_LAW                                                                                                   \
    .flags = SN_LAW_CLOTH | SN_LAW_INDEFINITE,                                                                         \
    .differentials = 1u << SN_DIFFERENTIAL_EXACT | 1u << SN_DIFFERENTIAL_PROJECTED,                                    \
    .default_differential = SN_DIFFERENTIAL_PROJECTED, .constant_count = SHEET_CONSTANTS, .scale = sheet_scale,        \
    .strain = SN_STRAIN_GREEN

#endif
