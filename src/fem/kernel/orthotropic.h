/* Linear orthotropic elasticity: sigma = C e with three planes of symmetry, shared by the laws on the corotated and on
 * the Green strain.
 *
 * Compliance in the material axes: e_xx = s_xx / E_x - nu_yx s_yy / E_y - ..., with nu_xy / E_x = nu_yx / E_y; nu_xy is
 * the contraction along y per stretch along x. Shear: s_xy = 2 G_xy e_xy. Rows of `axes` are the material axes in the
 * rest shape. Constants: the upper triangle of the 6x6 stiffness C in the rest shape's axes, order xx, yy, zz, xy, yz,
 * zx, shear strains doubled. */
#ifndef SN_FEM_KERNEL_ORTHOTROPIC_H
#define SN_FEM_KERNEL_ORTHOTROPIC_H

#include "fem/law.h"

enum { ORTHOTROPIC_CONSTANTS = 21 };

#define SN_ORTHOTROPIC_PARAMETERS                                                                                      \
    {"young", "Pa", "Young's moduli along the three material axes", 0, INFINITY, 1, 1, 3, 3},                          \
        {"poisson", "",       "nu_xy, nu_yz, nu_zx: contraction along the second axis per stretch along the first",    \
         -INFINITY, INFINITY, 1,                                                                                       \
         1,         3,        3},                                                                                      \
        {"shear", "Pa", "shear moduli xy, yz, zx", 0, INFINITY, 0, 1, 3, 3}, {                                         \
        "axes", "", "the material axes in the rest shape, row by row, orthonormal; default x, y, z", -1.000001,        \
            1.000001, 0, 0, 9, 9                                                                                       \
    }

static const int voigt_row[6] = {0, 1, 2, 0, 1, 2}, voigt_column[6] = {0, 1, 2, 1, 2, 0};
static const int voigt[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2}; /* of entry 3 i + j */

/* Index of C_ab in the upper triangle. */
static inline int upper6(int a, int b) { return a <= b ? a * 6 - a * (a - 1) / 2 + (b - a) : upper6(b, a); }

/* The 3x3 stiffness of the stretches along the axes: the inverse of the compliance, which must be positive definite. */
static inline sn_status orthotropic_stretches(const double *E, const double *nu, double K[9], sn_error *error) {
    const double xy = -nu[0] / E[0], yz = -nu[1] / E[1], zx = -nu[2] / E[2];
    const double S[9] = {1 / E[0], xy, zx, xy, 1 / E[1], yz, zx, yz, 1 / E[2]};
    const double minor[3] = {1 - E[1] * (xy * xy) * E[0], 1 - E[2] * (yz * yz) * E[1], 1 - E[0] * (zx * zx) * E[2]};
    static const char *const name[3] = {"nu_xy", "nu_yz", "nu_zx"};
    for (int i = 0; i < 3; ++i)
        if (!(minor[i] > 0))
            return sn_fail(error, SN_BAD_INPUT,
                           "'poisson': %s is %g, which is not stable; with these moduli its size must be below %g",
                           name[i], nu[i], sqrt(E[i] / E[(i + 1) % 3]));
    /* Determinant with the moduli scaled out: 1 - a^2 - b^2 - c^2 + 2 abc for the correlations a, b, c. */
    const double a = xy * sqrt(E[0] * E[1]), b = yz * sqrt(E[1] * E[2]), c = zx * sqrt(E[2] * E[0]);
    const double det = 1 - a * a - b * b - c * c + 2 * a * b * c;
    if (!(det > 0))
        return sn_fail(error, SN_BAD_INPUT,
                       "'poisson' %g, %g, %g with these moduli is not stable: the compliance must be positive definite",
                       nu[0], nu[1], nu[2]);
    const double f = E[0] * E[1] * E[2] / det;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
            K[3 * i + j] = f * (S[3 * p + r] * S[3 * q + s] - S[3 * p + s] * S[3 * q + r]);
        }
    return SN_OK;
}

static inline sn_status orthotropic_axes(const sn_material *material, double A[9], sn_error *error) {
    const sn_constant *axes = sn_material_constant(material, "axes");
    for (int i = 0; i < 9; ++i) A[i] = axes ? axes->value[i] : i % 4 == 0;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            const double d = A[3 * i] * A[3 * j] + A[3 * i + 1] * A[3 * j + 1] + A[3 * i + 2] * A[3 * j + 2];
            if (fabs(d - (i == j)) > 1e-6)
                return sn_fail(error, SN_BAD_INPUT, "'axes' must be orthonormal: the product of axes %d and %d is %g",
                               i + 1, j + 1, d);
        }
    return SN_OK;
}

static inline sn_status orthotropic_prepare(const sn_law *law, const sn_material *material, double time,
                                            double *constant, sn_error *error) {
    static const char *const needed[3] = {"young", "poisson", "shear"};
    const sn_constant *given[3];
    for (int i = 0; i < 3; ++i) {
        given[i] = sn_material_constant(material, needed[i]);
        if (!given[i] || given[i]->count != 3)
            return sn_fail(error, SN_BAD_INPUT, "law '%s' needs three values of '%s'", material->law, needed[i]);
    }
    double K[9], A[9], T[6][6]; /* T: strain of the rest shape's axes -> strain of the material axes */
    sn_status status = orthotropic_axes(material, A, error);
    if (!status) status = orthotropic_stretches(given[0]->value, given[1]->value, K, error);
    if (status) return status;
    for (int m = 0; m < 6; ++m)
        for (int n = 0; n < 6; ++n) {
            const int p = voigt_row[m], q = voigt_column[m], i = voigt_row[n], j = voigt_column[n];
            /* e'_pq = A_pi e_ij A_qj; doubled shears on both sides */
            const double both = i == j ? A[3 * p + i] * A[3 * q + i]
                                       : 0.5 * (A[3 * p + i] * A[3 * q + j] + A[3 * p + j] * A[3 * q + i]);
            T[m][n] = m < 3 ? both : 2 * both;
        }
    for (int a = 0; a < 6; ++a)
        for (int b = a; b < 6; ++b) {
            double sum = 0;
            for (int m = 0; m < 3; ++m) {
                for (int n = 0; n < 3; ++n) sum += T[m][a] * K[3 * m + n] * T[n][b];
                sum += T[3 + m][a] * given[2]->value[m] * T[3 + m][b];
            }
            constant[upper6(a, b)] = sum;
        }
    return SN_OK;
}

/* C <- bulk C + (shear - bulk) D C D, D the projection on the deviator. */
static inline void orthotropic_scale(const sn_law *law, double shear, double bulk, double *constant) {
    double column[6], C[6][6], total = 0; /* column: mean over the three stretches */
    for (int a = 0; a < 6; ++a) {
        for (int b = 0; b < 6; ++b) C[a][b] = constant[upper6(a, b)];
        column[a] = (C[a][0] + C[a][1] + C[a][2]) / 3;
    }
    for (int a = 0; a < 3; ++a) total += column[a] / 3;
    for (int a = 0; a < 6; ++a)
        for (int b = a; b < 6; ++b) {
            double deviator = C[a][b];
            if (b < 3) deviator -= column[a];
            if (a < 3) deviator -= column[b];
            if (a < 3 && b < 3) deviator += total;
            constant[upper6(a, b)] = bulk * C[a][b] + (shear - bulk) * deviator;
        }
}

/* sigma = C e for the symmetric part of e; both 3x3. */
static inline void orthotropic_stress(const vd *c, const vd e[9], vd sigma[9]) {
    const vd g[6] = {e[0], e[4], e[8], e[1] + e[3], e[5] + e[7], e[2] + e[6]};
    vd out[6];
    for (int a = 0; a < 6; ++a) {
        out[a] = c[upper6(a, 0)] * g[0];
        for (int b = 1; b < 6; ++b) out[a] += c[upper6(a, b)] * g[b];
    }
    for (int i = 0; i < 9; ++i) sigma[i] = out[voigt[i]];
}

/* dP_ij,kl = A_ia C_ajbl A_kb, the stiffness seen through A (F, or R). */
static inline void orthotropic_through(const vd *c, const vd A[9], vd dP[81]) {
    for (int j = 0; j < 3; ++j)
        for (int l = j; l < 3; ++l) {
            vd M[9], AM[9], N[9];
            for (int a = 0; a < 3; ++a)
                for (int b = 0; b < 3; ++b) M[3 * a + b] = c[upper6(voigt[3 * a + j], voigt[3 * b + l])];
            vm_multiply(A, M, AM);
            vm_multiply_transpose(AM, A, N);
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k) {
                    dP[9 * (3 * i + j) + 3 * k + l] = N[3 * i + k];
                    dP[9 * (3 * k + l) + 3 * i + j] = N[3 * i + k];
                }
        }
}

static void orthotropic_rest_stiffness(const sn_law *law, const vd *c, const vd *G, vd *dP) {
    orthotropic_through(c, G, dP);
}

#endif
