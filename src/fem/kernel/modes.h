/* Differentials of isotropic laws in the principal frame (Stomakhin et al. 2012; Smith et al. 2019).
 *
 * At F = U diag(s) V^T the 9x9 differential of an isotropic energy psi(s0, s1, s2) falls apart into
 *   stretch: the 3x3 matrix A_ij = d^2 psi / ds_i ds_j on the directions u_i v_i^T
 *   shear:   (psi_i - psi_j) / (s_i - s_j) on (u_i v_j^T + u_j v_i^T) / sqrt 2
 *   turn:    (psi_i + psi_j) / (s_i + s_j) on (u_i v_j^T - u_j v_i^T) / sqrt 2
 * The number k of shear and turn stands for the pair i = k + 1, j = k + 2 (modulo 3). Setting the negative eigenvalues
 * of these small pieces to zero gives the positive semi-definite differential that is nearest to the exact one. */
#ifndef SN_FEM_KERNEL_MODES_H
#define SN_FEM_KERNEL_MODES_H

#include "base/simd.h"

typedef struct principal {
    vd A[6]; /* stretch: 00, 11, 22, 01, 12, 20 */
    vd shear[3], turn[3];
} principal;

/* One Jacobi rotation of the symmetric matrix a (row-major, both halves kept) in the plane (i, j); V collects it. */
static inline vi jacobi_turn(vd a[9], vd V[9], int i, int j, vd small) {
    const int k = 3 - i - j;
    const vd one = vd_set(1), zero = vd_set(0), x = a[3 * i + j];
    const vi turns = (vi)(vd_abs(x) > small);
    if (!vi_any(turns)) return turns;
    const vd zeta = (a[3 * j + j] - a[3 * i + i]) / vd_select(turns, x + x, one);
    const vd t = vd_select(turns, vd_copysign(one / (vd_abs(zeta) + vd_sqrt(one + zeta * zeta)), zeta), zero);
    const vd c = one / vd_sqrt(one + t * t), s = t * c;
    a[3 * i + i] -= t * x;
    a[3 * j + j] += t * x;
    a[3 * i + j] = a[3 * j + i] = vd_select(turns, zero, x);
    const vd p = a[3 * i + k], q = a[3 * j + k];
    a[3 * i + k] = a[3 * k + i] = c * p - s * q;
    a[3 * j + k] = a[3 * k + j] = s * p + c * q;
    for (int r = 0; r < 9; r += 3) {
        const vd u = V[r + i], v = V[r + j];
        V[r + i] = c * u - s * v;
        V[r + j] = s * u + c * v;
    }
    return turns;
}

/* Eigenvalues and eigenvectors (columns of V, a proper rotation) of the symmetric part of m, unordered. */
static inline void symmetric_eigen(const vd m[9], vd value[3], vd V[9]) {
    vd a[9], size = vd_set(0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) a[3 * i + j] = vd_set(0.5) * (m[3 * i + j] + m[3 * j + i]);
    for (int i = 0; i < 9; ++i) {
        size = vd_max(vd_abs(a[i]), size);
        V[i] = vd_set(i % 4 == 0);
    }
    const vd small = vd_set(1e-17) * size;
    for (int sweep = 0; sweep < 12; ++sweep) {
        vi turned = jacobi_turn(a, V, 0, 1, small);
        turned |= jacobi_turn(a, V, 0, 2, small);
        turned |= jacobi_turn(a, V, 1, 2, small);
        if (!vi_any(turned)) break;
    }
    for (int i = 0; i < 9; ++i) V[i] += vd_set(0); /* zeros are positive, also where a neighbour's turns went by */
    for (int i = 0; i < 3; ++i) value[i] = a[4 * i] + vd_set(0);
}

/* Sets the negative eigenvalues to zero. Lanes whose stretch matrix is positive definite already keep it as it is. */
static inline void principal_project(principal *p) {
    const vd zero = vd_set(0), *A = p->A;
    for (int k = 0; k < 3; ++k) {
        p->shear[k] = vd_max(p->shear[k], zero);
        p->turn[k] = vd_max(p->turn[k], zero);
    }
    const vd minor = A[0] * A[1] - A[3] * A[3];
    const vd det = A[2] * minor - A[0] * A[4] * A[4] - A[1] * A[5] * A[5] + vd_set(2) * A[3] * A[4] * A[5];
    const vi definite = (vi)(A[0] > zero) & (vi)(minor > zero) & (vi)(det > zero);
    if (vi_all(definite)) return;
    const vd full[9] = {A[0], A[3], A[5], A[3], A[1], A[4], A[5], A[4], A[2]};
    vd value[3], V[9];
    symmetric_eigen(full, value, V);
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    for (int e = 0; e < 6; ++e) {
        vd sum = zero;
        for (int k = 0; k < 3; ++k) sum += vd_max(value[k], zero) * V[3 * row[e] + k] * V[3 * column[e] + k];
        p->A[e] = vd_select(definite, p->A[e], sum);
    }
}

/* dP, 9 x 9, from the pieces and the frames. */
static inline void principal_assemble(const principal *p, const vd U[9], const vd V[9], vd dP[81]) {
    vd M[9][9], T[9][9]; /* M[3 i + j] = u_i v_j^T; T = D M with the block-diagonal D */
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) M[3 * i + j][3 * r + c] = U[3 * r + i] * V[3 * c + j];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const vd half = vd_set(0.5), same = half * (p->shear[k] + p->turn[k]),
                 cross = half * (p->shear[k] - p->turn[k]);
        for (int b = 0; b < 9; ++b) {
            const vd x = M[3 * i + j][b], y = M[3 * j + i][b];
            T[3 * i + j][b] = same * x + cross * y;
            T[3 * j + i][b] = cross * x + same * y;
        }
    }
    for (int b = 0; b < 9; ++b) {
        const vd x = M[0][b], y = M[4][b], z = M[8][b];
        T[0][b] = p->A[0] * x + p->A[3] * y + p->A[5] * z;
        T[4][b] = p->A[3] * x + p->A[1] * y + p->A[4] * z;
        T[8][b] = p->A[5] * x + p->A[4] * y + p->A[2] * z;
    }
    for (int a = 0; a < 9; ++a)
        for (int b = a; b < 9; ++b) {
            vd sum = M[0][a] * T[0][b];
            for (int m = 1; m < 9; ++m) sum += M[m][a] * T[m][b];
            dP[9 * a + b] = dP[9 * b + a] = sum;
        }
}

/* Adds scale d(cof F)/dF. */
static inline void add_cofactor_differential(const vd F[9], vd scale, vd dP[81]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
            vd *row = dP + 9 * (3 * i + j); /* cof_ij = F_pr F_qs - F_ps F_qr */
            row[3 * p + r] += scale * F[3 * q + s];
            row[3 * q + s] += scale * F[3 * p + r];
            row[3 * p + s] -= scale * F[3 * q + r];
            row[3 * q + r] -= scale * F[3 * p + s];
        }
}

/* det F - 1 from A = F - I: keeps its digits near rest. */
static inline vd volume_change(const vd F[9]) {
    vd A[9];
    for (int i = 0; i < 9; ++i) A[i] = F[i] - vd_set(i % 4 == 0);
    const vd second = (A[0] * A[4] - A[1] * A[3]) + (A[4] * A[8] - A[5] * A[7]) + (A[8] * A[0] - A[6] * A[2]);
    return vm_trace(A) + second + vm_determinant(A);
}

/* The principal frame of a rotation R: sym(R^T F) = V diag(s) V^T, U = R V. Returns a bound for sums of stretches that
 * are divided by. */
static inline vd corotated_frame(const vd F[9], const vd R[9], vd s[3], vd V[9], vd U[9]) {
    vd S[9];
    vm_transpose_multiply(R, F, S);
    symmetric_eigen(S, s, V);
    vm_multiply(R, V, U);
    return vd_set(1e-10) * (vd_abs(s[0]) + vd_abs(s[1]) + vd_abs(s[2])) + vd_set(1e-100);
}

#endif
