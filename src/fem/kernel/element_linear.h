/* The linearised stress of elements and the product with it. A point keeps it in one of four forms (batch->compact,
 * batch->vertex_matrix):
 *   compact  c_i = R g_i (i = 1..N-1), w lambda, w mu, w nu:
 *            K_ij = w (lambda c_i c_j^T + mu c_j c_i^T + nu (c_i . c_j) I), so that, with H = sum_j u_j (x) c_j,
 *            (K u)_i = w (lambda tr(H) I + nu H + mu H^T) c_i
 *            truncated-2 has mu = nu; truncated-1 mu (0, 2); their blend by g, hybrid, mu (1 - g, 1 + g)
 *   turned   that of the exact differential of the corotated law: element_turned.h
 *   vertex   R_i (i = 0..N-1), w lambda, w mu:  as compact with the frame R_i in row i, not symmetric (warping.h)
 *   general  w A, 81 numbers, A = d P / d F with damping:  (K u)_i = w (A : sum_j u_j (x) g_j) g_i
 * lambda, mu and A are those of k K + d D. */
#ifndef SN_FEM_KERNEL_ELEMENT_LINEAR_H
#define SN_FEM_KERNEL_ELEMENT_LINEAR_H

#include "element_force.h"
#include "element_turned.h"

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
    vd F[9], R[9], dR[81], rate[9], H[9];
    const int with_dR = wants_dR(s->batch);
    deformation(N, s, q, edge, F);
    if (with_dR || !kept_rotation(Q, s, q, R)) rotation_at(N, Q, s, q, F, R, with_dR ? dR : NULL);
    if (speed) outer_sum(N, gradient_at(N, s, q), speed, rate);
    tangent(s, c, damping, F, R, with_dR ? dR : NULL, speed ? rate : NULL, recalled_of_tangent(Q, s, q, H), k, d, out);
    if (s->batch->muscle) add_muscle_tangent(s, F, speed ? rate : NULL, k, d, out);
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
    if (s->batch->compact == SN_COMPACT_TURNED)
        linearise_turned(N, Q, s, q, edge, c, k, out);
    else if (s->batch->compact)
        linearise_warped(N, Q, s, q, edge, c, damping, k, d, out);
    else if (s->batch->vertex_matrix)
        linearise_vertex(N, s, q, c, damping, k, d, out);
    else
        linearise_general(N, Q, s, q, edge, speed, c, damping, k, d, out);
}

/* What linearise_point takes of the slice. Returns whether velocities matter. */
INLINE int linearise_input(const int N, const slice *s, vd *edge, vd *speed, vd *c, vd *damping) {
    const sn_batch *batch = s->batch;
    const unsigned damped = s->settings->damped;
    const int matters = (s->view->unsymmetric && damped & SN_DAMPED_VISCOUS) || damped & SN_DAMPED_MUSCLE,
              moving = !batch->compact && !batch->vertex_matrix && matters && s->view->v;
    load_constants(s, c);
    if (needs_edges(s)) gather_edges(N, s, s->view->x, edge);
    if (moving) gather_edges(N, s, s->view->v, speed);
    if (s->settings->damped) load_rows(s->settings->damping + s->block * 3 * SN_LANES + s->lane, 3, damping);
    return moving;
}

INLINE void store_items(const sn_batch *batch, const vd *item, double *out) {
    store_rows(item, batch->linearised_items, out);
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

/* What product_body is compiled for: the linearised stress is kept in one of the compact forms or in the general one,
 * with or without memory, or any case.
 * A body for one form holds no code of the others, so its sums stay in registers. */
enum { PRODUCT_ANY, PRODUCT_COMPACT, PRODUCT_TURNED, PRODUCT_GENERAL };

/* `form`: a constant. */
INLINE int product_body(const int N, const int Q, const int form, const sn_batch *batch, int begin, int end,
                        const sn_element_view *view, double k, double d, const double *linearised, const double *u,
                        double *out) {
    const int kept = form != PRODUCT_ANY || linearised;
    const int turned = form == PRODUCT_TURNED || (form == PRODUCT_ANY && batch->compact == SN_COMPACT_TURNED);
    const int compact = form == PRODUCT_COMPACT || (form == PRODUCT_ANY && batch->compact && !turned);
    const int vertex = form == PRODUCT_ANY && batch->vertex_matrix;
    const sn_batch_settings *settings = kept ? NULL : settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES], speed[EDGES], c[SN_LAW_CONSTANTS], damping[3], du[EDGES], value[3 + EDGES];
            const int moving = kept ? 0 : linearise_input(N, &s, edge, speed, c, damping);
            gather_edges(N, &s, u, du);
            for (int i = 0; i < 3 * N; ++i) value[i] = vd_set(0);
            for (int q = 0; q < Q; ++q) {
                vd local[ITEMS];
                const double *item = (const double *)local;
                if (kept) {
                    item = linearised_at(Q, &s, q, (double *)(uintptr_t)linearised);
                    if (lane == 0) ask_ahead(item, batch->linearised_items);
                } else
                    linearise_point(N, Q, &s, q, edge, moving ? speed : NULL, c, damping, k, d, local);
                const int stride = kept ? SN_LANES : SN_WIDTH;
                if (turned && batch->terms)
                    apply_turned(N, 1, item, stride, du, value + 3);
                else if (turned)
                    apply_turned(N, 0, item, stride, du, value + 3);
                else if (compact)
                    apply_warped(N, item, stride, du, value + 3);
                else if (vertex)
                    apply_vertex(N, item, stride, gradient_at(N, &s, q), du, value);
                else
                    apply_general(N, item, stride, gradient_at(N, &s, q), du, value + 3);
            }
            if (vertex)
                scatter(N, &s, value, out);
            else
                scatter_balanced(N, &s, value, out);
        }
    return 0;
}

/* ---- Damping ---- */
/* value_i += w d P_d g_i with the damping stress P_d at the rate H = sum_j u_j (x) g_j: the product with D alone,
 * without its tensor. */
APART void apply_damping(const int N, const int Q, const slice *s, int q, const vd *edge, const vd *c,
                         const vd *damping, double d, const vd *u, vd *value) {
    vd F[9], R[9], H[9], P[9];
    deformation(N, s, q, edge, F);
    if (!kept_rotation(Q, s, q, R)) rotation_at(N, Q, s, q, F, R, NULL);
    outer_sum(N, gradient_at(N, s, q), u, H);
    const vd w = vd_load(s->weight + q * SN_LANES) * vd_set(d);
    for (int a = 0; a < 9; ++a) P[a] = vd_set(0);
    add_damping_stress(s, c, damping, F, R, H, P);
    for (int a = 0; a < 9; ++a) P[a] *= w;
    for (int i = 0; i < N - 1; ++i) {
        vd g[3];
        load_rows(gradient_at(N, s, q) + 3 * i * SN_LANES, 3, g);
        for (int a = 0; a < 3; ++a) value[3 * i + a] += P[3 * a] * g[0] + P[3 * a + 1] * g[1] + P[3 * a + 2] * g[2];
    }
}

/* The damping stress is linear in the rate but for muscles; compact and warped batches have few numbers anyway. */
INLINE int damps_directly(const sn_batch *batch, const sn_batch_settings *settings) {
    return batch->element->nodes > 2 && !batch->compact && !batch->vertex_matrix && !batch->warping &&
           !(settings->damped & SN_DAMPED_MUSCLE);
}

INLINE int damp_body(const int N, const int Q, const sn_batch *batch, int begin, int end, const sn_element_view *view,
                     double d, const double *u, double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES], c[SN_LAW_CONSTANTS], damping[3], du[EDGES], value[3 + EDGES];
            load_constants(&s, c);
            load_rows(settings->damping + (int64_t)block * 3 * SN_LANES + lane, 3, damping);
            gather_edges(N, &s, view->x, edge);
            gather_edges(N, &s, u, du);
            for (int i = 0; i < 3 * N; ++i) value[i] = vd_set(0);
            for (int q = 0; q < Q; ++q) apply_damping(N, Q, &s, q, edge, c, damping, d, du, value + 3);
            scatter_balanced(N, &s, value, out);
        }
    return 0;
}

#endif
