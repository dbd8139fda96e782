/* The element kernels: energy, force, assembly-free product, element matrices, stresses.
 *
 *   f_i = -sum_q w_q P g_i        K_ij = sum_q w_q g_i . dP . g_j        node 0: minus the sum over the others
 * Bodies are written for N nodes and Q points and inlined with N (and the Q of linear elements) constant.
 *
 * The linearised stress of a point is kept in one of three forms (batch->compact, batch->vertex_matrix):
 *   compact  c_i = R g_i (i = 1..N-1), w lambda, w mu, w nu:
 *            K_ij = w (lambda c_i c_j^T + mu c_j c_i^T + nu (c_i . c_j) I), so that, with H = sum_j u_j (x) c_j,
 *            (K u)_i = w (lambda tr(H) I + nu H + mu H^T) c_i
 *            truncated-2 has mu = nu; truncated-1 mu (0, 2); their blend by g, hybrid, mu (1 - g, 1 + g)
 *   vertex   R_i (i = 0..N-1), w lambda, w mu:  as compact with the frame R_i in row i, not symmetric (warping.h)
 *   general  w A, 81 numbers, A = d P / d F with damping:  (K u)_i = w (A : sum_j u_j (x) g_j) g_i
 * lambda, mu and A are those of k K + d D. */
#include "memory.h"

/* ---- Sums into nodes ---- */
/* target[node i] += value_i for each real lane, lanes in order, nodes in order. */
INLINE void scatter(const int N, const slice *s, const vd *value, double *target) {
    typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
    _Alignas(64) double node[SN_ELEMENT_NODES][SN_WIDTH][4];
    for (int i = 0; i < N; ++i) vd_spread3(value + 3 * i, node[i]);
    for (int l = 0; l < SN_WIDTH; ++l) {
        if (s->element_of[l] < 0) continue;
        for (int i = 0; i < N; ++i) {
            double *t = target + 3 * (int64_t)s->node[i * SN_LANES + l];
            *(two *)t += *(const two *)node[i][l];
            t[2] += node[i][l][2];
        }
    }
}

/* Scatters values of nodes 1..N-1 with node 0 taking minus their sum. value: [node][axis], node 0 not yet set. */
INLINE void scatter_balanced(const int N, const slice *s, vd *value, double *target) {
    for (int a = 0; a < 3; ++a) {
        vd sum = value[3 + a];
        for (int i = 2; i < N; ++i) sum += value[3 * i + a];
        value[a] = -sum;
    }
    scatter(N, s, value, target);
}

/* Real lanes with bad J. NaN counts as bad. */
static inline int count_bad(const slice *s, vi good) {
    int count = 0;
    for (int l = 0; l < SN_WIDTH; ++l) count += s->element_of[l] >= 0 && !good[l];
    return count;
}

/* F <- R^T F. */
static inline void turn_back(const vd *R, vd *F) {
    vd H[9];
    vm_transpose_multiply(R, F, H);
    for (int i = 0; i < 9; ++i) F[i] = H[i];
}

/* The gradients of all nodes; that of node 0 is minus the sum of the others. */
INLINE void all_gradients(const int N, const double *gradient, vd *g) {
    for (int a = 0; a < 3; ++a) g[a] = vd_set(0);
    for (int i = 1; i < N; ++i) {
        load_rows(gradient + 3 * (i - 1) * SN_LANES, 3, g + 3 * i);
        for (int a = 0; a < 3; ++a) g[a] -= g[3 * i + a];
    }
}

/* Warped forces of one element: each node sees the stress in its own frame, P_i = R_i P(R_i^T F). rate: F', or NULL. */
INLINE void add_warped_forces(const int N, const int Q, const slice *s, int q, const vd *c, const vd *damping,
                              const vd *F, const vd *rate, vd *value) {
    const vd w = vd_load(s->weight + q * SN_LANES);
    vd g[3 * SN_ELEMENT_NODES];
    all_gradients(N, gradient_at(N, s, q), g);
    for (int i = 0; i < N; ++i) {
        vd R[9], H[9], S[9], P[9];
        vertex_frame(s, i, R);
        vm_transpose_multiply(R, F, H);
        s->batch->law->stress(s->batch->law, c, H, NULL, S);
        if (has_memory(s)) add_recalled(Q, s, q, F, R, S);
        vm_multiply(R, S, P);
        if (rate) add_viscous(damping[0], damping[1], R, rate, P);
        for (int a = 0; a < 3; ++a)
            value[3 * i + a] -= w * (P[3 * a] * g[3 * i] + P[3 * a + 1] * g[3 * i + 1] + P[3 * a + 2] * g[3 * i + 2]);
    }
}

APART int force_warped(const int N, const int Q, const sn_batch *batch, int begin, int end, const sn_element_view *view,
                       double *f) {
    const sn_batch_settings *settings = settings_of(batch, view);
    const int damped = view->v && settings->damped;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES], speed[EDGES], c[SN_LAW_CONSTANTS], damping[3], value[3 + EDGES];
            load_constants(&s, c);
            gather_edges(N, &s, view->x, edge);
            load_rows(settings->damping + (int64_t)block * 3 * SN_LANES + lane, 3, damping);
            if (damped) gather_edges(N, &s, view->v, speed);
            for (int i = 0; i < 3 * N; ++i) value[i] = vd_set(0);
            for (int q = 0; q < Q; ++q) {
                vd F[9], rate[9];
                deformation(N, &s, q, edge, F);
                if (damped) outer_sum(N, gradient_at(N, &s, q), speed, rate);
                add_warped_forces(N, Q, &s, q, c, damping, F, damped ? rate : NULL, value);
            }
            scatter(N, &s, value, f);
        }
    return 0;
}

/* ---- Energy and force ---- */
INLINE int energy_body(const int N, const int Q, const sn_batch *batch, int begin, int end, const sn_element_view *view,
                       double *energy) {
    const sn_law *law = batch->law;
    const sn_batch_settings *settings = settings_of(batch, view);
    int bad = 0;
    double total = *energy;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES], c[SN_LAW_CONSTANTS], sum = vd_set(0);
            vi good = sum == sum;
            load_constants(&s, c);
            gather_edges(N, &s, view->x, edge);
            for (int q = 0; q < Q; ++q) {
                vd F[9], R[9], psi;
                deformation(N, &s, q, edge, F);
                if (batch->rotation || batch->warping) rotation_at(N, Q, &s, q, F, R, NULL);
                if (batch->warping) turn_back(R, F);
                if (law->flags & SN_LAW_POSITIVE_J) good &= vm_determinant(F) > 0;
                law->energy(law, c, F, batch->rotation ? R : NULL, &psi);
                if (has_memory(&s)) psi += recalled_energy(Q, &s, q, F, R);
                sum += vd_load(s.weight + q * SN_LANES) * psi;
            }
            for (int l = 0; l < SN_WIDTH; ++l)
                if (s.element_of[l] >= 0) total += sum[l];
            bad += count_bad(&s, good);
        }
    *energy = total;
    return bad;
}

INLINE int force_body(const int N, const int Q, const sn_batch *batch, int begin, int end, const sn_element_view *view,
                      double *f) {
    const sn_law *law = batch->law;
    if (batch->warping) return force_warped(N, Q, batch, begin, end, view, f);
    const sn_batch_settings *settings = settings_of(batch, view);
    const unsigned damped = view->v ? settings->damped : 0;
    int bad = 0;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES], speed[EDGES], c[SN_LAW_CONSTANTS], damping[3], value[3 + EDGES];
            load_constants(&s, c);
            gather_edges(N, &s, view->x, edge);
            if (damped) {
                gather_edges(N, &s, view->v, speed);
                load_rows(settings->damping + (int64_t)block * 3 * SN_LANES + lane, 3, damping);
            }
            for (int i = 3; i < 3 * N; ++i) value[i] = vd_set(0);
            vi good = c[0] == c[0];
            for (int q = 0; q < Q; ++q) {
                vd F[9], R[9], P[9];
                deformation(N, &s, q, edge, F);
                if (batch->rotation || damped) rotation_at(N, Q, &s, q, F, R, NULL);
                keep_rotation(N, Q, &s, q, R);
                if (law->flags & SN_LAW_POSITIVE_J) good &= vm_determinant(F) > 0;
                law->stress(law, c, F, batch->rotation ? R : NULL, P);
                complete_stress(N, Q, &s, q, F, R, P);
                if (has_memory(&s)) add_recalled(Q, &s, q, F, R, P);
                if (damped) {
                    vd rate[9];
                    outer_sum(N, gradient_at(N, &s, q), speed, rate);
                    add_damping_stress(&s, c, damping, F, R, rate, P);
                }
                const vd w = vd_load(s.weight + q * SN_LANES);
                for (int a = 0; a < 9; ++a) P[a] *= w;
                for (int i = 1; i < N; ++i) {
                    vd g[3];
                    load_rows(gradient_at(N, &s, q) + 3 * (i - 1) * SN_LANES, 3, g);
                    for (int a = 0; a < 3; ++a)
                        value[3 * i + a] -= P[3 * a] * g[0] + P[3 * a + 1] * g[1] + P[3 * a + 2] * g[2];
                }
            }
            scatter_balanced(N, &s, value, f);
            if (law->flags & SN_LAW_POSITIVE_J) bad += count_bad(&s, good);
        }
    return bad;
}

/* ---- The linearised stress ---- */
/* The warped stiffness is one of the rotation alone. */
INLINE int needs_edges(const slice *s) {
    return !s->batch->vertex_matrix && (s->batch->compact != SN_COMPACT_WARPED || !has_kept(s));
}

/* w lambda, w mu and w nu of k K + d D. */
INLINE void warped_weights(const slice *s, int q, const vd *c, const vd *damping, vd cross, vd same, double k, double d,
                           vd *out) {
    const vd w = vd_load(s->weight + q * SN_LANES);
    vd lambda = k * c[0], mu = k * cross, nu = k * same;
    if (s->settings->damped) {
        lambda += d * damping[0];
        mu += d * damping[1];
        nu += d * damping[1];
    }
    out[0] = w * lambda;
    out[1] = w * mu;
    out[2] = w * nu;
}

/* c_i = cof(F) g_i: the gradients of the present shape times its volume over that at rest. */
static void present_gradients(const int N, const slice *s, int q, const vd *F, vd *out) {
    vd C[9];
    vm_cofactor(F, C);
    turn_gradients(N, s, q, C, out);
}

/* The same of a tet by Nesme's strain-displacement matrix (Nesme et al. 2005, 3.1). In the frame N of the rotation
 * `edge` the edges are b = (xb, 0, 0), c = (xc, yc, 0), d = (xd, yd, zd), so that 14 multiplications do, with 1 / 6 V:
 *   (yc zd, -xc zd, xc yd - xd yc),   (0, xb zd, -xb yd),   (0, 0, xb yc);  the signs in the document are misprinted.
 */
static void present_gradients_edge(const slice *s, int q, const vd *edge, vd *out) {
    vd N[9], g[9];
    load_rows(gradient_at(4, s, q), 9, g);
    orthonormal_basis(edge, edge + 3, N);
    const vd scale = vm_determinant(g); /* 1 / 6 V at rest */
    vd at[9];                           /* axis a of edge i at 3 a + i */
    for (int a = 0; a < 3; ++a)
        for (int i = 0; i < 3; ++i)
            at[3 * a + i] = N[a] * edge[3 * i] + N[3 + a] * edge[3 * i + 1] + N[6 + a] * edge[3 * i + 2];
    const vd xb = at[0] * scale, xc = at[1], xd = at[2], yc = at[4], yd = at[5], zd = at[8] * scale;
    const vd b[3] = {yc * zd, -xc * zd, (xc * yd - xd * yc) * scale}, c[2] = {xb * at[8], -xb * yd}, d = xb * yc;
    for (int a = 0; a < 3; ++a) {
        out[a] = N[3 * a] * b[0] + N[3 * a + 1] * b[1] + N[3 * a + 2] * b[2];
        out[3 + a] = N[3 * a + 1] * c[0] + N[3 * a + 2] * c[1];
        out[6 + a] = N[3 * a + 2] * d;
    }
}

INLINE void linearise_warped(const int N, const int Q, const slice *s, int q, const vd *edge, const vd *c,
                             const vd *damping, double k, double d, vd *out) {
    const sn_batch *batch = s->batch;
    vd F[9], R[9];
    if (!batch->rotation && !batch->warping) {
        load_rows(gradient_at(N, s, q), 3 * (N - 1), out);
    } else if (batch->compact == SN_COMPACT_UPDATED) {
        deformation(N, s, q, edge, F);
        if (N == 4 && batch->rotation->uses_edges)
            present_gradients_edge(s, q, edge, out);
        else
            present_gradients(N, s, q, F, out);
    } else if (!kept_gradients(N, Q, s, q, out)) {
        if (needs_edges(s)) deformation(N, s, q, edge, F);
        if (!kept_rotation(Q, s, q, R)) rotation_at(N, Q, s, q, F, R, NULL);
        turn_gradients(N, s, q, R, out);
    }
    vd cross = c[1], same = c[1];
    if (batch->compact == SN_COMPACT_BLENDED) {
        vd blend = vd_set(1);
        if (batch->differential == SN_DIFFERENTIAL_HYBRID) blend = batch->law->blend(batch->element->dimension, F, R);
        cross = c[1] * (1 - blend), same = c[1] * (1 + blend);
    }
    warped_weights(s, q, c, damping, cross, same, k, d, out + 3 * (N - 1));
}

APART void linearise_general(const int N, const int Q, const slice *s, int q, const vd *edge, const vd *speed,
                             const vd *c, const vd *damping, double k, double d, vd *out) {
    vd F[9], R[9], dR[81], rate[9];
    const int with_dR = wants_dR(s->batch);
    deformation(N, s, q, edge, F);
    if (with_dR || !kept_rotation(Q, s, q, R)) rotation_at(N, Q, s, q, F, R, with_dR ? dR : NULL);
    if (speed) outer_sum(N, gradient_at(N, s, q), speed, rate);
    tangent(s, c, damping, F, R, with_dR ? dR : NULL, speed ? rate : NULL, k, d, out);
    if (has_memory(s)) add_recalled_tangent(Q, s, q, with_dR ? dR : NULL, k, out);
    const vd w = vd_load(s->weight + q * SN_LANES);
    for (int i = 0; i < 81; ++i) out[i] *= w;
}

/* The frames of all nodes, w lambda and w mu. */
APART void linearise_vertex(const int N, const slice *s, int q, const vd *c, const vd *damping, double k, double d,
                            vd *out) {
    vd weight[3];
    for (int i = 0; i < N; ++i) vertex_frame(s, i, out + 9 * i);
    warped_weights(s, q, c, damping, c[1], c[1], k, d, weight);
    out[9 * N] = weight[0], out[9 * N + 1] = weight[1];
}

/* At one point, into `out` (batch->linearised_items vectors), w included. edge, speed (may be NULL): of x and v. */
INLINE void linearise_point(const int N, const int Q, const slice *s, int q, const vd *edge, const vd *speed,
                            const vd *c, const vd *damping, double k, double d, vd *out) {
    if (s->batch->compact)
        linearise_warped(N, Q, s, q, edge, c, damping, k, d, out);
    else if (s->batch->vertex_matrix)
        linearise_vertex(N, s, q, c, damping, k, d, out);
    else
        linearise_general(N, Q, s, q, edge, speed, c, damping, k, d, out);
}

/* What linearise_point takes of the slice. Returns whether velocities matter. */
INLINE int linearise_input(const int N, const slice *s, vd *edge, vd *speed, vd *c, vd *damping) {
    const sn_batch *batch = s->batch;
    const int moving = !batch->compact && !batch->vertex_matrix && s->view->unsymmetric &&
                       (s->settings->damped & SN_DAMPED_VISCOUS) && s->view->v;
    load_constants(s, c);
    if (needs_edges(s)) gather_edges(N, s, s->view->x, edge);
    if (moving) gather_edges(N, s, s->view->v, speed);
    if (s->settings->damped) load_rows(s->settings->damping + s->block * 3 * SN_LANES + s->lane, 3, damping);
    return moving;
}

INLINE void store_items(const sn_batch *batch, const vd *item, double *out) {
    for (int i = 0; i < batch->linearised_items; ++i) vd_store(out + i * SN_LANES, item[i]);
}

INLINE int linearise_body(const int N, const int Q, const sn_batch *batch, int begin, int end,
                          const sn_element_view *view, double k, double d, double *linearised) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES], speed[EDGES], c[SN_LAW_CONSTANTS], damping[3], item[ITEMS];
            const int moving = linearise_input(N, &s, edge, speed, c, damping);
            for (int q = 0; q < Q; ++q) {
                linearise_point(N, Q, &s, q, edge, moving ? speed : NULL, c, damping, k, d, item);
                store_items(batch, item, linearised_at(Q, &s, q, linearised));
            }
        }
    return 0;
}

INLINE int weigh_body(const int N, const int Q, const sn_batch *batch, int begin, int end,
                      const sn_batch_settings *settings, double k, double d, double *linearised) {
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, NULL, block, lane);
            vd c[SN_LAW_CONSTANTS], damping[3], weight[3];
            load_constants(&s, c);
            if (settings->damped) load_rows(settings->damping + s.block * 3 * SN_LANES + lane, 3, damping);
            for (int q = 0; q < Q; ++q) {
                double *out = linearised_at(Q, &s, q, linearised) + 3 * (N - 1) * SN_LANES;
                warped_weights(&s, q, c, damping, c[1], c[1], k, d, weight);
                for (int i = 0; i < 3; ++i) vd_store(out + i * SN_LANES, weight[i]);
            }
        }
    return 0;
}

/* ---- Product ---- */
/* value_i += (w lambda tr(H) I + w nu H + w mu H^T) c_i, H = sum_j u_j (x) c_j; the items lie `stride` vectors apart.
 */
INLINE void apply_warped(const int N, const double *item, const int stride, const vd *u, vd *value) {
    vd H[9], S[9];
    for (int i = 0; i < N - 1; ++i) {
        vd c[3];
        for (int b = 0; b < 3; ++b) c[b] = vd_load(item + (3 * i + b) * stride);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) accumulate(&H[3 * a + b], u[3 * i + a] * c[b], i == 0);
    }
    const vd mu = vd_load(item + (3 * (N - 1) + 1) * stride), nu = vd_load(item + (3 * (N - 1) + 2) * stride);
    const vd trace = vd_load(item + 3 * (N - 1) * stride) * vm_trace(H);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) S[3 * a + b] = nu * H[3 * a + b] + mu * H[3 * b + a];
    S[0] += trace, S[4] += trace, S[8] += trace;
    for (int i = 0; i < N - 1; ++i) {
        vd c[3];
        for (int b = 0; b < 3; ++b) c[b] = vd_load(item + (3 * i + b) * stride);
        for (int a = 0; a < 3; ++a) value[3 * i + a] += S[3 * a] * c[0] + S[3 * a + 1] * c[1] + S[3 * a + 2] * c[2];
    }
}

/* value_i += (A : H) g_i, H = sum_j u_j (x) g_j */
INLINE void apply_general(const int N, const double *item, const int stride, const double *gradient, const vd *u,
                          vd *value) {
    vd H[9], P[9];
    outer_sum(N, gradient, u, H);
    for (int a = 0; a < 9; ++a) {
        P[a] = vd_load(item + 9 * a * stride) * H[0];
        for (int b = 1; b < 9; ++b) P[a] += vd_load(item + (9 * a + b) * stride) * H[b];
    }
    for (int i = 0; i < N - 1; ++i) {
        vd g[3];
        load_rows(gradient + 3 * i * SN_LANES, 3, g);
        for (int a = 0; a < 3; ++a) value[3 * i + a] += P[3 * a] * g[0] + P[3 * a + 1] * g[1] + P[3 * a + 2] * g[2];
    }
}

/* value_i += w (lambda (R_i : H) R_i + mu (H + R_i H^T R_i)) g_i, H = sum_j u_j (x) g_j, for all nodes. */
APART void apply_vertex(const int N, const double *item, const int stride, const double *gradient, const vd *u,
                        vd *value) {
    vd H[9], g[3 * SN_ELEMENT_NODES];
    outer_sum(N, gradient, u, H);
    all_gradients(N, gradient, g);
    const vd lambda = vd_load(item + 9 * N * stride), mu = vd_load(item + (9 * N + 1) * stride);
    for (int i = 0; i < N; ++i) {
        vd R[9], P[9];
        for (int e = 0; e < 9; ++e) R[e] = vd_load(item + (9 * i + e) * stride), P[e] = vd_set(0);
        add_viscous(lambda, mu, R, H, P);
        for (int a = 0; a < 3; ++a)
            value[3 * i + a] += P[3 * a] * g[3 * i] + P[3 * a + 1] * g[3 * i + 1] + P[3 * a + 2] * g[3 * i + 2];
    }
}

INLINE int product_body(const int N, const int Q, const sn_batch *batch, int begin, int end,
                        const sn_element_view *view, double k, double d, const double *linearised, const double *u,
                        double *out) {
    const sn_batch_settings *settings = linearised ? NULL : settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES], speed[EDGES], c[SN_LAW_CONSTANTS], damping[3], du[EDGES], value[3 + EDGES];
            const int moving = linearised ? 0 : linearise_input(N, &s, edge, speed, c, damping);
            gather_edges(N, &s, u, du);
            for (int i = 0; i < 3 * N; ++i) value[i] = vd_set(0);
            for (int q = 0; q < Q; ++q) {
                vd local[ITEMS];
                const double *item = (const double *)local;
                if (linearised) {
                    item = linearised_at(Q, &s, q, (double *)(uintptr_t)linearised);
                    if (lane == 0) ask_ahead(item, batch->linearised_items);
                } else
                    linearise_point(N, Q, &s, q, edge, moving ? speed : NULL, c, damping, k, d, local);
                const int stride = linearised ? SN_LANES : SN_WIDTH;
                if (batch->compact)
                    apply_warped(N, item, stride, du, value + 3);
                else if (batch->vertex_matrix)
                    apply_vertex(N, item, stride, gradient_at(N, &s, q), du, value);
                else
                    apply_general(N, item, stride, gradient_at(N, &s, q), du, value + 3);
            }
            if (batch->vertex_matrix)
                scatter(N, &s, value, out);
            else
                scatter_balanced(N, &s, value, out);
        }
    return 0;
}

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
    const int full = !batch->compact && view->unsymmetric;
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(N, Q, batch, settings, view, block, lane);
        vd edge[EDGES], speed[EDGES], c[SN_LAW_CONSTANTS], damping[3], item[81];
        vd K[9 * (SN_ELEMENT_NODES - 1) * (SN_ELEMENT_NODES - 1)];
        const int moving = linearise_input(N, &s, edge, speed, c, damping);
        for (int q = 0; q < Q; ++q) {
            linearise_point(N, Q, &s, q, edge, moving ? speed : NULL, c, damping, k, d, item);
            if (linearised) store_items(batch, item, linearised_at(Q, &s, q, linearised));
            if (batch->compact)
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

/* ---- Stress and rotation ---- */
static void cauchy_stress(const sn_law *law, const vd *F, const vd *P, vd *sigma) {
    if (law->strain == SN_STRAIN_CAUCHY) {
        for (int i = 0; i < 9; ++i) sigma[i] = P[i];
        return;
    }
    const vd J = vm_determinant(F), least = vd_set(1e-12);
    const vd scale = 1 / vd_select(vd_abs(J) < least, vd_copysign(least, J), J);
    vm_multiply_transpose(P, F, sigma);
    for (int i = 0; i < 9; ++i) sigma[i] *= scale;
}

INLINE void store_matrices(const vd *m, int q, int lane, double *out) {
    for (int i = 0; i < 9 && out; ++i) vd_store(out + (9 * q + i) * SN_LANES + lane, m[i]);
}

INLINE int stress_body(const int N, const int Q, const sn_batch *batch, int block, const sn_element_view *view,
                       double *out_F, double *out_P, double *out_cauchy, double *out_psi) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(N, Q, batch, settings, view, block, lane);
        vd edge[EDGES], c[SN_LAW_CONSTANTS];
        load_constants(&s, c);
        gather_edges(N, &s, view->x, edge);
        for (int q = 0; q < Q; ++q) {
            vd F[9], R[9], P[9], sigma[9];
            deformation(N, &s, q, edge, F);
            store_matrices(F, q, lane, out_F);
            if (!out_P && !out_cauchy && !out_psi) continue;
            rotation_at(N, Q, &s, q, F, R, NULL);
            vd H[9];
            for (int i = 0; i < 9; ++i) H[i] = F[i];
            if (batch->warping) turn_back(R, H);
            if (out_psi) {
                vd psi;
                batch->law->energy(batch->law, c, H, batch->rotation ? R : NULL, &psi);
                vd_store(out_psi + q * SN_LANES + lane, psi);
            }
            batch->law->stress(batch->law, c, H, batch->rotation ? R : NULL, P);
            complete_stress(N, Q, &s, q, F, R, P);
            if (has_memory(&s)) add_recalled(Q, &s, q, F, R, P);
            if (batch->warping) {
                for (int i = 0; i < 9; ++i) H[i] = P[i];
                vm_multiply(R, H, P);
                vm_multiply_transpose(P, R, sigma);
            } else {
                cauchy_stress(batch->law, F, P, sigma);
            }
            store_matrices(P, q, lane, out_P);
            store_matrices(sigma, q, lane, out_cauchy);
        }
    }
    return 0;
}

INLINE int rotation_body(const int N, const int Q, const sn_batch *batch, int block, const sn_element_view *view,
                         double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(N, Q, batch, settings, view, block, lane);
        vd edge[EDGES];
        gather_edges(N, &s, view->x, edge);
        for (int q = 0; q < Q; ++q) {
            vd F[9], R[9];
            deformation(N, &s, q, edge, F);
            rotation_at(N, Q, &s, q, F, R, NULL);
            store_matrices(R, q, lane, out);
        }
    }
    return 0;
}

INLINE int accept_body(const int N, const int Q, const sn_batch *batch, int begin, int end, const sn_element_view *view,
                       double *state) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES];
            gather_edges(N, &s, view->x, edge);
            for (int q = 0; q < Q; ++q) {
                vd F[9];
                history buffer;
                deformation(N, &s, q, edge, F);
                const sn_rotation_view r = rotation_view(N, Q, &s, q, F, &buffer);
                batch->rotation->accept(&r);
                double *place = state + state_at(&s, Q, q);
                for (int i = 0; i < SN_ROTATION_STATE; ++i) vd_store(place + i * SN_LANES, buffer.state[i]);
            }
        }
    return 0;
}

#include "spring.h"

/* ---- One copy per number of nodes ---- */
#define SPECIALISED(body, ...)                                                                                         \
    switch (batch->element->nodes) {                                                                                   \
    case 4:                                                                                                            \
        return body(4, 1, __VA_ARGS__);                                                                                \
    case 10:                                                                                                           \
        return body(10, batch->element->points, __VA_ARGS__);                                                          \
    case 3:                                                                                                            \
        return body(3, 1, __VA_ARGS__);                                                                                \
    default: /* `serves` keeps others out */                                                                           \
        return 0;                                                                                                      \
    }

static int serves(const sn_element *element) {
    switch (element->nodes) {
    case 2:
        return element->derive != NULL;
    case 3:
    case 4:
        return element->points == 1;
    default:
        return element->nodes == 10 && element->points <= SN_ELEMENT_POINTS;
    }
}

static int energy(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *sum) {
    if (batch->element->nodes == 2) return spring_energy(batch, begin, end, view, sum);
    SPECIALISED(energy_body, batch, begin, end, view, sum)
}
static int force(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *f) {
    if (batch->element->nodes == 2) return spring_force(batch, begin, end, view, f);
    SPECIALISED(force_body, batch, begin, end, view, f)
}
static int linearise(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                     double *linearised) {
    if (batch->element->nodes == 2) return spring_linearise(batch, begin, end, view, k, d, linearised);
    SPECIALISED(linearise_body, batch, begin, end, view, k, d, linearised)
}
static int weigh(const sn_batch *batch, int begin, int end, const sn_element_settings *settings, double k, double d,
                 double *linearised) {
    return weigh_body(4, 1, batch, begin, end, &settings->batch[batch->index], k, d, linearised);
}
static int product(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                   const double *linearised, const double *u, double *out) {
    if (batch->element->nodes == 2) return spring_product(batch, begin, end, view, k, d, linearised, u, out);
    SPECIALISED(product_body, batch, begin, end, view, k, d, linearised, u, out)
}
static int stiffness(const sn_batch *batch, int block, const sn_element_view *view, double k, double d, int upper,
                     double *linearised, double *out) {
    if (batch->element->nodes == 2) return spring_stiffness(batch, block, view, k, d, linearised, out);
    SPECIALISED(stiffness_body, batch, block, view, k, d, upper, linearised, out)
}
static int diagonal(const sn_batch *batch, int block, const double *linearised, double *out) {
    SPECIALISED(diagonal_body, batch, block, linearised, out)
}
static int stress(const sn_batch *batch, int block, const sn_element_view *view, double *F, double *P, double *cauchy,
                  double *psi) {
    if (batch->element->nodes == 2) return spring_stress(F, P, cauchy, psi);
    SPECIALISED(stress_body, batch, block, view, F, P, cauchy, psi)
}
static int rotation(const sn_batch *batch, int block, const sn_element_view *view, double *R) {
    if (batch->element->nodes == 2) return spring_stress(R, NULL, NULL, NULL);
    SPECIALISED(rotation_body, batch, block, view, R)
}
static int accept(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *state) {
    if (!batch->rotation || !batch->rotation->uses_history || !batch->rotation->accept) return 0;
    SPECIALISED(accept_body, batch, begin, end, view, state)
}
static int remember(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *before,
                    double *memory) {
    if (batch->element->nodes == 2) return spring_remember(batch, begin, end, view, before, memory);
    SPECIALISED(remember_body, batch, begin, end, view, before, memory)
}

extern const sn_element_kernels SN_ISA(sn_element_kernels);
const sn_element_kernels SN_ISA(sn_element_kernels) = {
    serves, energy, force, linearise, weigh, product, stiffness, diagonal, stress, rotation, accept, remember, recall};
