/* The exact differential of SN_LAW_TURNED with a polar rotation, in a compact form (batch->compact SN_COMPACT_TURNED).
 *
 * With Y = dF R^T, S = F R^T (symmetric) and t = tr(S) - 3 the rotation changes by dR = [w] R,
 *   w = G ax(Y),   G = (tr(S) I - S)^-1,   ax(Y) the axial vector of Y - Y^T,
 * and the law with a recalled stress H (prony.h; 0 without memory) by
 *   dP R^T = lambda tr(Y) I + 2 mu Y + [w] T,   T = (lambda t - 2 mu) I + R H R^T.
 * T is no multiple of I with a memory, so that the last part is not symmetric. The mean with its transpose is
 *   ([w] T + [G ax(Y T)]) / 2.
 * With c_i = R g_i, a_i = T c_i and [c] x = c x x the element matrix is
 *   K_ij = w (lambda c_i c_j^T + 2 mu (c_i . c_j) I + [a_i]^T G [c_j]),  or ([a_i]^T G [c_j] + [c_i]^T G [a_j]) / 2.
 *
 * A point keeps c_i (i = 1..N-1), w lambda, 2 w mu and
 *   without memory  w (lambda t - 2 mu) G as xx, yy, zz, xy, yz, zx
 *   with memory     w G; T or, for the mean, T / 2, likewise; how much of [G ax(Y T)] counts: 0 or, for the mean, 1
 * Two more differentials have this form. Where R does not change (G = 0), mu (Y + Y^T) = 2 mu Y - mu [ax(Y)] takes the
 * place of 2 mu Y. The projected differential has no H, and each eigenvalue e of 2 mu + 2 (lambda t - 2 mu) G that is
 * negative is cut at zero (law_corotated.c). w includes the factor k of k K + d D. D is 0. */
#ifndef SN_FEM_KERNEL_ELEMENT_TURNED_H
#define SN_FEM_KERNEL_ELEMENT_TURNED_H

#include "element_force.h"
#include "modes.h"

/* Where the parts of a point begin. */
#define TURNED_WEIGHTS(N) (3 * ((N)-1))
#define TURNED_G(N) (TURNED_WEIGHTS(N) + 2)
#define TURNED_T(N) (TURNED_G(N) + 6)
#define TURNED_MEAN(N) (TURNED_T(N) + 6)

/* (lambda t - 2 mu) G of the projected differential, which has a bounded lambda too. */
APART void projected_turns(const vd *c, const vd *S, vd turning, vd *lambda, vd *G) {
    vd s[3], U[9], cut[3];
    symmetric_eigen(S, s, U);
    const vd half = vd_set(0.5), zero = vd_set(0), twice = c[1] + c[1],
             least = vd_set(1e-10) * (vd_abs(s[0]) + vd_abs(s[1]) + vd_abs(s[2])) + vd_set(1e-100);
    for (int e = 0; e < 3; ++e) {
        const vd turn = twice + (turning + turning) / vd_max(s[(e + 1) % 3] + s[(e + 2) % 3], least);
        cut[e] = half * (vd_max(turn, zero) - twice);
    }
    for (int e = 0; e < 6; ++e) {
        const vd *a = U + 3 * (e % 3), *b = U + 3 * (e < 3 ? e : (e - 2) % 3);
        G[e] = cut[0] * (a[0] * b[0]) + cut[1] * (a[1] * b[1]) + cut[2] * (a[2] * b[2]);
    }
    *lambda = vd_max(c[0], twice / vd_set(-3)); /* bulk modulus at least 0 */
}

/* T = R H R^T + diagonal I */
INLINE void turned_stress(const vd *R, const vd *H, vd diagonal, vd *T) {
    vd RH[9];
    vm_multiply(R, H, RH);
    for (int e = 0; e < 6; ++e) {
        const vd *a = RH + 3 * (e % 3), *b = R + 3 * (e < 3 ? e : (e - 2) % 3);
        T[e] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        if (e < 3) T[e] += diagonal;
    }
}

INLINE void linearise_turned(const int N, const int Q, const slice *s, int q, const vd *edge, const vd *c, double k,
                             vd *out) {
    const vd zero = vd_set(0), one = vd_set(1), weight = vd_load(s->weight + q * SN_LANES) * vd_set(k);
    vd F[9], R[9], S[9], recalled[9], *G = out + TURNED_G(N), *T = out + TURNED_T(N), lambda = c[0];
    deformation(N, s, q, edge, F);
    if (!kept_rotation(Q, s, q, R)) rotation_at(N, Q, s, q, F, R, NULL);
    turn_gradients(N, s, q, R, out);
    vm_multiply_transpose(F, R, S);
    const vd *H = recalled_of_tangent(Q, s, q, recalled);
    const vd twice = c[1] + c[1], turning = c[0] * (vm_trace(S) - vd_set(3)) - twice;
    vd factor = turning; /* of I in T */
    if (sn_batch_differential(s->batch, s->view->projected) == SN_DIFFERENTIAL_PROJECTED) {
        projected_turns(c, S, turning, &lambda, G);
        factor = one;
    } else {
        turning_inverse(S, G);
        vd size = zero;
        for (int e = 0; e < 6; ++e) size += vd_abs(G[e]);
        const vi stays = (vi)(size == zero);
        for (int e = 0; e < 3; ++e) G[e] = vd_select(stays, one, G[e]);
        factor = vd_select(stays, -c[1], factor);
        for (int e = 0; e < 9 && H; ++e) recalled[e] = vd_select(stays, zero, recalled[e]);
    }
    out[TURNED_WEIGHTS(N)] = weight * lambda;
    out[TURNED_WEIGHTS(N) + 1] = weight * twice;
    if (!s->batch->terms) {
        for (int e = 0; e < 6; ++e) G[e] *= weight * factor;
        return;
    }
    const vd half = vd_set(s->view->unsymmetric ? 1 : 0.5);
    for (int e = 0; e < 6; ++e) {
        G[e] *= weight;
        T[e] = e < 3 ? factor : zero;
    }
    if (H) turned_stress(R, H, factor, T);
    for (int e = 0; e < 6; ++e) T[e] *= half;
    out[TURNED_MEAN(N)] = vd_set(s->view->unsymmetric ? 0 : 1);
}

/* ---- Product ---- */
INLINE void axial(const vd *Y, vd *w) {
    w[0] = Y[7] - Y[5];
    w[1] = Y[2] - Y[6];
    w[2] = Y[3] - Y[1];
}

/* P += [w] T */
INLINE void add_turned_columns(const vd *w, const vd *T, vd *P) {
    for (int b = 0; b < 3; ++b) {
        P[b] += w[1] * T[6 + b] - w[2] * T[3 + b];
        P[3 + b] += w[2] * T[b] - w[0] * T[6 + b];
        P[6 + b] += w[0] * T[3 + b] - w[1] * T[b];
    }
}

/* P += [w] */
INLINE void add_skew(const vd *w, vd *P) {
    P[7] += w[0], P[2] += w[1], P[3] += w[2];
    P[5] -= w[0], P[6] -= w[1], P[1] -= w[2];
}

INLINE void load_items(const double *item, const int stride, int count, vd *out) {
    for (int i = 0; i < count; ++i) out[i] = vd_load(item + i * stride);
}

/* value_i += (dP R^T) c_i at Y = sum_j u_j (x) c_j; the items lie `stride` vectors apart. */
INLINE void apply_turned(const int N, const int remembers, const double *item, const int stride, const vd *u,
                         vd *value) {
    vd Y[9], P[9], G[6], weight[2], skew[3], w[3];
    for (int i = 0; i < N - 1; ++i) {
        vd c[3];
        load_items(item + 3 * i * stride, stride, 3, c);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) accumulate(&Y[3 * a + b], u[3 * i + a] * c[b], i == 0);
    }
    load_items(item + TURNED_WEIGHTS(N) * stride, stride, 2, weight);
    load_items(item + TURNED_G(N) * stride, stride, 6, G);
    const vd trace = weight[0] * vm_trace(Y);
    for (int e = 0; e < 9; ++e) P[e] = weight[1] * Y[e];
    for (int e = 0; e < 9; e += 4) P[e] += trace;
    axial(Y, skew);
    symmetric_apply(G, skew, w);
    if (remembers) {
        vd six[6], T[9], YT[9];
        load_items(item + TURNED_T(N) * stride, stride, 6, six);
        symmetric_of(six, T);
        add_turned_columns(w, T, P);
        vm_multiply(Y, T, YT);
        axial(YT, skew);
        symmetric_apply(G, skew, w);
        const vd mean = vd_load(item + TURNED_MEAN(N) * stride);
        for (int a = 0; a < 3; ++a) w[a] *= mean;
    }
    add_skew(w, P);
    for (int i = 0; i < N - 1; ++i) {
        vd c[3];
        load_items(item + 3 * i * stride, stride, 3, c);
        for (int a = 0; a < 3; ++a) value[3 * i + a] += P[3 * a] * c[0] + P[3 * a + 1] * c[1] + P[3 * a + 2] * c[2];
    }
}

/* ---- Element matrices, blocks column by column ---- */
/* U = G [c]: its column e is G (c x e_e). */
INLINE void turned_columns(const vd *G, const vd *c, vd *U) {
    const vd x[3] = {G[0], G[3], G[5]}, y[3] = {G[3], G[1], G[4]}, z[3] = {G[5], G[4], G[2]};
    for (int r = 0; r < 3; ++r) {
        U[r] = c[2] * y[r] - c[1] * z[r];
        U[3 + r] = c[0] * z[r] - c[2] * x[r];
        U[6 + r] = c[1] * x[r] - c[0] * y[r];
    }
}

/* B = [a]^T U */
INLINE void turned_block(const vd *a, const vd *U, vd *B) {
    for (int e = 0; e < 9; e += 3) {
        B[e] = a[2] * U[e + 1] - a[1] * U[e + 2];
        B[e + 1] = a[0] * U[e + 2] - a[2] * U[e];
        B[e + 2] = a[1] * U[e] - a[0] * U[e + 1];
    }
}

/* What a node has: c, a (c without memory) and U = G [c]. */
typedef struct turned_node {
    const vd *c, *a, *U;
} turned_node;

/* B = K_ij. mean: with the transpose of K_ji; T has the factor 1/2. */
INLINE void turned_pair(const vd *weight, const turned_node i, const turned_node j, int mean, vd *B) {
    turned_block(i.a, j.U, B);
    if (mean) {
        vd other[9];
        turned_block(j.a, i.U, other);
        for (int e = 0; e < 9; ++e) B[e] += other[e / 3 + e % 3 * 3];
    }
    const vd dot = weight[1] * (i.c[0] * j.c[0] + i.c[1] * j.c[1] + i.c[2] * j.c[2]);
    for (int column = 0; column < 3; ++column) {
        const vd l = weight[0] * j.c[column];
        for (int row = 0; row < 3; ++row) B[3 * column + row] += i.c[row] * l;
        B[4 * column] += dot;
    }
}

INLINE void turn_all(const vd *T, const vd *c, int count, vd *a) {
    for (int i = 0; i < count; ++i) symmetric_apply(T, c + 3 * i, a + 3 * i);
}

/* K as that of expand_general. */
INLINE void expand_turned(const int N, const int remembers, const vd *item, int full, int first, vd *K) {
    const vd *weight = item + TURNED_WEIGHTS(N), *G = item + TURNED_G(N), *a = item;
    vd turned[EDGES], U[3 * EDGES];
    if (remembers) {
        turn_all(item + TURNED_T(N), item, N - 1, turned);
        a = turned;
    }
    for (int j = 0; j < N - 1; ++j) turned_columns(G, item + 3 * j, U + 9 * j);
    for (int j = 0; j < N - 1; ++j) {
        const int end = full ? N - 1 : j + 1;
        for (int i = 0; i < end; ++i) {
            vd B[9], *block = K + 9 * ((N - 1) * i + j);
            turned_pair(weight, (turned_node){item + 3 * i, a + 3 * i, U + 9 * i},
                        (turned_node){item + 3 * j, a + 3 * j, U + 9 * j}, remembers && !full, B);
            for (int e = 0; e < 9; ++e) accumulate(&block[e], B[e], first);
        }
    }
}

/* K_ii of all nodes; K: [i][9]. */
INLINE void turned_diagonal(const int N, const int remembers, const double *items, int first, vd *K) {
    vd c[3 + EDGES], turned[3 + EDGES], weight[2], G[6], *a = c;
    load_rows(items, 3 * (N - 1), c + 3);
    balance(N, c);
    load_rows(items + TURNED_WEIGHTS(N) * SN_LANES, 2, weight);
    load_rows(items + TURNED_G(N) * SN_LANES, 6, G);
    vd mean = vd_set(0);
    if (remembers) {
        vd T[6];
        load_rows(items + TURNED_T(N) * SN_LANES, 6, T);
        mean = vd_load(items + TURNED_MEAN(N) * SN_LANES);
        turn_all(T, c, N, turned);
        a = turned;
    }
    for (int i = 0; i < N; ++i) {
        vd U[9], B[9], half[9];
        const turned_node node = {c + 3 * i, a + 3 * i, U};
        turned_columns(G, node.c, U);
        turned_pair(weight, node, node, 0, B);
        turned_block(node.a, U, half);
        for (int e = 0; e < 9 && remembers; ++e) B[e] += mean * half[e / 3 + e % 3 * 3];
        for (int e = 0; e < 9; ++e) accumulate(&K[9 * i + e], B[e], first);
    }
}

#endif
