/* Elements with a constant matrix: flat hinges of four nodes and second differences of three.
 *
 *   s = sum_i a_i x_i with sum a_i = 0,   E = k w |s|^2 / 2,   f_i = -w a_i (k s + c s'),   K_ij = k w a_i a_j I
 * Numbers: a_1, a_2 and, of hinges, a_3. Constants: k. Damping: c. A linearised element is the one number w (k K + d
 * D). */
#ifndef SN_CLOTH_KERNEL_NODE_SUM_H
#define SN_CLOTH_KERNEL_NODE_SUM_H

#include "fem/kernel/derived_loops.h"

/* sum a_i u_i by the edges of u. */
INLINE void weigh_nodes(const int N, const slice *s, const double *u, vd *a, vd *sum) {
    vd edge[9];
    gather_edges(N, s, u, edge);
    load_rows(number_at(s), N - 1, a);
    for (int i = 0; i < 3; ++i) {
        sum[i] = a[0] * edge[i] + a[1] * edge[3 + i];
        if (N == 4) sum[i] += a[2] * edge[6 + i];
    }
}

INLINE vd weighed(const slice *s, double k, double d) { return k * weighed_constant(s) + d * weighed_damping(s); }

INLINE void spread_nodes(const int N, const vd *a, const vd *sum, vd *value) {
    for (int i = 0; i < 3 * (N - 1); ++i) value[3 + i] = a[i / 3] * sum[i % 3];
    balance(N, value);
}

INLINE vd node_sum_energy(const int N, const slice *s) {
    vd a[3], sum[3];
    weigh_nodes(N, s, s->view->x, a, sum);
    return weighed(s, 0.5, 0) * dot(3, sum, sum);
}

INLINE void node_sum_force(const int N, const slice *s, int damped, vd *value) {
    vd a[3], sum[3], rate[3];
    weigh_nodes(N, s, s->view->x, a, sum);
    const vd k = weighed(s, -1, 0), d = weighed(s, 0, -1);
    for (int i = 0; i < 3; ++i) sum[i] *= k;
    if (damped) {
        weigh_nodes(N, s, s->view->v, a, rate);
        for (int i = 0; i < 3; ++i) sum[i] += d * rate[i];
    }
    spread_nodes(N, a, sum, value);
}

INLINE void node_sum_linearise(const int N, const slice *s, double k, double d, vd *scale) {
    *scale = weighed(s, k, d);
}

INLINE void node_sum_product(const int N, const slice *s, const vd *scale, const double *u, vd *value) {
    vd a[3], sum[3];
    weigh_nodes(N, s, u, a, sum);
    for (int i = 0; i < 3; ++i) sum[i] *= *scale;
    spread_nodes(N, a, sum, value);
}

INLINE void node_sum_matrix(const int N, const slice *s, vd *scale, int upper, double *out) {
    vd a[3], K[81];
    load_rows(number_at(s), N - 1, a);
    for (int i = 0; i < N - 1; ++i)
        for (int j = i; j < N - 1; ++j)
            for (int e = 0; e < 9; ++e) K[9 * ((N - 1) * i + j) + e] = vd_set(e % 4 == 0) * *scale * (a[i] * a[j]);
    store_matrix(N, K, 0, upper, out);
}

#endif
