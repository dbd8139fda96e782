/* Element matrices K_ij = sum_q w_q g_i . dP . g_j from the linearised stress (element_linear.h). */
#ifndef SN_FEM_KERNEL_ELEMENT_MATRIX_H
#define SN_FEM_KERNEL_ELEMENT_MATRIX_H

#include "element_linear.h"

/* ---- Element matrices ---- */
/* K: [(N-1) i + j][3 column + row], nodes 1..N-1; only i <= j unless `full`. First: sets, else adds. */
INLINE void expand_warped(const int N, const vd *item, int first, vd *K) {
    const vd wl = item[3 * (N - 1)], wm = item[3 * (N - 1) + 1], wn = item[3 * (N - 1) + 2];
    for (int j = 0; j < N - 1; ++j) {
        const vd *cj = item + 3 * j;
        const vd l[3] = {wl * cj[0], wl * cj[1], wl * cj[2]}, m[3] = {wm * cj[0], wm * cj[1], wm * cj[2]};
        for (int i = 0; i <= j; ++i) {
            const vd *ci = item + 3 * i;
            const vd dot = wn * (ci[0] * cj[0] + ci[1] * cj[1] + ci[2] * cj[2]);
            vd *block = K + 9 * ((N - 1) * i + j);
            for (int column = 0; column < 3; ++column)
                for (int row = 0; row < 3; ++row) {
                    vd a = ci[row] * l[column] + m[row] * ci[column];
                    if (row == column) a += dot;
                    accumulate(&block[3 * column + row], a, first);
                }
        }
    }
}

INLINE void expand_general(const int N, const vd *A, const double *gradient, int full, int first, vd *K) {
    for (int j = 0; j < N - 1; ++j) {
        vd g[3], T[27]; /* T[3 a + column] = sum_l A[a][3 column + l] g_l */
        load_rows(gradient + 3 * j * SN_LANES, 3, g);
        for (int a = 0; a < 9; ++a)
            for (int column = 0; column < 3; ++column)
                T[3 * a + column] =
                    A[9 * a + 3 * column] * g[0] + A[9 * a + 3 * column + 1] * g[1] + A[9 * a + 3 * column + 2] * g[2];
        const int end = full ? N - 1 : j + 1;
        for (int i = 0; i < end; ++i) {
            vd h[3];
            load_rows(gradient + 3 * i * SN_LANES, 3, h);
            vd *block = K + 9 * ((N - 1) * i + j);
            for (int column = 0; column < 3; ++column)
                for (int row = 0; row < 3; ++row) {
                    const vd a =
                        h[0] * T[9 * row + column] + h[1] * T[9 * row + 3 + column] + h[2] * T[9 * row + 6 + column];
                    accumulate(&block[3 * column + row], a, first);
                }
        }
    }
}

INLINE vd transposed(const vd *block, int item) { return block[3 * (item % 3) + item / 3]; }

/* out[i][j] of all nodes from K of nodes 1..N-1: rows and columns of node 0 are minus the sums of the others. */
INLINE void store_matrix(const int N, vd *K, int full, int upper, double *out) {
    const int M = N - 1;
    if (!full && !upper)
        for (int i = 1; i < M; ++i)
            for (int j = 0; j < i; ++j)
                for (int e = 0; e < 9; ++e) K[9 * (M * i + j) + e] = transposed(K + 9 * (M * j + i), e);
    vd corner[9];
    for (int j = 0; j < M; ++j)
        for (int e = 0; e < 9; ++e) {
            vd sum = K[9 * j + e];
            for (int i = 1; i < M; ++i)
                sum += full || i <= j ? K[9 * (M * i + j) + e] : transposed(K + 9 * (M * j + i), e);
            vd_store(out + (9 * (j + 1) + e) * SN_LANES, -sum);
            accumulate(&corner[e], sum, j == 0);
            if (!full && !upper) { /* the column of node 0 is the transposed row */
                const int t = 3 * (e % 3) + e / 3;
                vd_store(out + (9 * N * (j + 1) + t) * SN_LANES, -sum);
            }
        }
    for (int e = 0; e < 9; ++e) vd_store(out + e * SN_LANES, corner[e]);
    for (int i = 0; i < M; ++i) {
        for (int j = upper ? i : 0; j < M; ++j)
            for (int e = 0; e < 9; ++e)
                vd_store(out + (9 * (N * (i + 1) + j + 1) + e) * SN_LANES, K[9 * (M * i + j) + e]);
        if (full && !upper)
            for (int e = 0; e < 9; ++e) {
                vd sum = K[9 * M * i + e];
                for (int j = 1; j < M; ++j) sum += K[9 * (M * i + j) + e];
                vd_store(out + (9 * N * (i + 1) + e) * SN_LANES, -sum);
            }
    }
}

/* All blocks of a vertex matrix: with c_i = R_i g_i and c_ij = R_i g_j,
 *   K_ij = w (lambda c_i c_ij^T + mu c_ij c_i^T + mu (g_i . g_j) I). First: sets, else adds. */
INLINE void expand_vertex(const int N, const vd *item, const double *gradient, int first, vd *K) {
    vd g[3 * SN_ELEMENT_NODES];
    const vd lambda = item[9 * N], mu = item[9 * N + 1];
    all_gradients(N, gradient, g);
    for (int i = 0; i < N; ++i) {
        const vd *R = item + 9 * i;
        vd turned[3 * SN_ELEMENT_NODES];
        for (int j = 0; j < 3 * N; ++j) {
            const vd *h = g + j / 3 * 3, *row = R + 3 * (j % 3);
            turned[j] = row[0] * h[0] + row[1] * h[1] + row[2] * h[2];
        }
        const vd *ci = turned + 3 * i;
        for (int j = 0; j < N; ++j) {
            const vd *cj = turned + 3 * j, dot = mu * (ci[0] * cj[0] + ci[1] * cj[1] + ci[2] * cj[2]);
            for (int column = 0; column < 3; ++column)
                for (int row = 0; row < 3; ++row) {
                    vd a = lambda * (ci[row] * cj[column]) + mu * (cj[row] * ci[column]);
                    if (row == column) a += dot;
                    accumulate(&K[9 * (N * i + j) + 3 * column + row], a, first);
                }
        }
    }
}

APART int stiffness_vertex(const int N, const int Q, const sn_batch *batch, int block, const sn_element_view *view,
                           double k, double d, double *linearised, double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(N, Q, batch, settings, view, block, lane);
        vd c[SN_LAW_CONSTANTS], damping[3], item[ITEMS], K[9 * SN_ELEMENT_NODES * SN_ELEMENT_NODES];
        load_constants(&s, c);
        if (settings->damped) load_rows(settings->damping + s.block * 3 * SN_LANES + lane, 3, damping);
        for (int q = 0; q < Q; ++q) {
            linearise_vertex(N, &s, q, c, damping, k, d, item);
            if (linearised) store_items(batch, item, linearised_at(Q, &s, q, linearised));
            expand_vertex(N, item, gradient_at(N, &s, q), q == 0, K);
        }
        for (int e = 0; e < 9 * N * N; ++e) vd_store(out + e * SN_LANES + lane, K[e]);
    }
    return 0;
}

INLINE int stiffness_body(const int N, const int Q, const sn_batch *batch, int block, const sn_element_view *view,
                          double k, double d, int upper, double *linearised, double *out) {
    if (batch->vertex_matrix) return stiffness_vertex(N, Q, batch, block, view, k, d, linearised, out);
    const sn_batch_settings *settings = settings_of(batch, view);
    const int turned = batch->compact == SN_COMPACT_TURNED;
    const int full = view->unsymmetric && (turned ? batch->terms > 0 : !batch->compact);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(N, Q, batch, settings, view, block, lane);
        vd edge[EDGES], speed[EDGES], c[SN_LAW_CONSTANTS], damping[3], item[81];
        vd K[9 * (SN_ELEMENT_NODES - 1) * (SN_ELEMENT_NODES - 1)];
        const int moving = linearise_input(N, &s, edge, speed, c, damping);
        for (int q = 0; q < Q; ++q) {
            linearise_point(N, Q, &s, q, edge, moving ? speed : NULL, c, damping, k, d, item);
            if (linearised) store_items(batch, item, linearised_at(Q, &s, q, linearised));
            if (turned && batch->terms)
                expand_turned(N, 1, item, full, q == 0, K);
            else if (turned)
                expand_turned(N, 0, item, 0, q == 0, K);
            else if (batch->compact)
                expand_warped(N, item, q == 0, K);
            else
                expand_general(N, item, gradient_at(N, &s, q), full, q == 0, K);
        }
        store_matrix(N, K, full, upper, out + lane);
    }
    return 0;
}

INLINE int diagonal_body(const int N, const int Q, const sn_batch *batch, int block, const double *linearised,
                         double *out) {
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(N, Q, batch, NULL, NULL, block, lane);
        vd K[9 * SN_ELEMENT_NODES];
        for (int q = 0; q < Q; ++q) {
            const double *item = linearised_at(Q, &s, q, (double *)(uintptr_t)linearised);
            if (batch->compact == SN_COMPACT_TURNED) {
                turned_diagonal(N, batch->terms > 0, item, q == 0, K);
                continue;
            }
            vd c[3 + EDGES], weight[3]; /* of all nodes */
            load_rows(item, 3 * (N - 1), c + 3);
            load_rows(item + 3 * (N - 1) * SN_LANES, 3, weight);
            for (int a = 0; a < 3; ++a) {
                c[a] = -c[3 + a];
                for (int i = 2; i < N; ++i) c[a] -= c[3 * i + a];
            }
            for (int i = 0; i < N; ++i) {
                const vd *ci = c + 3 * i, dot = weight[2] * (ci[0] * ci[0] + ci[1] * ci[1] + ci[2] * ci[2]);
                for (int column = 0; column < 3; ++column)
                    for (int row = 0; row < 3; ++row) {
                        vd a = (weight[0] + weight[1]) * (ci[row] * ci[column]);
                        if (row == column) a += dot;
                        accumulate(&K[9 * i + 3 * column + row], a, q == 0);
                    }
            }
        }
        for (int i = 0; i < 9 * N; ++i) vd_store(out + i * SN_LANES + lane, K[i]);
    }
    return 0;
}

#endif
