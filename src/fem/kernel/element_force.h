/* Energy and forces of elements: f_i = -sum_q w_q P g_i, node 0 minus the sum of the others. */
#ifndef SN_FEM_KERNEL_ELEMENT_FORCE_H
#define SN_FEM_KERNEL_ELEMENT_FORCE_H

#include "element_memory.h"
#include "muscle.h"

/* ---- Sums into nodes ---- */
/* target[node i] += value_i for each real lane, lanes in order, nodes in order. */
INLINE void scatter(const int N, const slice *s, const vd *value, double *target) {
    typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
    _Alignas(64) double xy[SN_ELEMENT_NODES][SN_WIDTH][2], z[SN_ELEMENT_NODES][SN_WIDTH];
    for (int i = 0; i < N; ++i) {
        vd_pairs(value[3 * i], value[3 * i + 1], xy[i]);
        vd_store(z[i], value[3 * i + 2]);
    }
    for (int l = 0; l < SN_WIDTH; ++l) {
        if (s->element_of[l] < 0) continue;
        for (int i = 0; i < N; ++i) {
            double *t = target + 3 * (int64_t)s->node[i * SN_LANES + l];
            *(two *)t += *(const two *)xy[i][SN_PAIR(l)];
            t[2] += z[i][l];
        }
    }
}

/* Gives node 0 minus the sum of the values of nodes 1..N-1. value: [node][axis]. */
INLINE void balance(const int N, vd *value) {
    for (int a = 0; a < 3; ++a) {
        vd sum = value[3 + a];
        for (int i = 2; i < N; ++i) sum += value[3 * i + a];
        value[a] = -sum;
    }
}

INLINE void scatter_balanced(const int N, const slice *s, vd *value, double *target) {
    balance(N, value);
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
        if (has_memory(s)) add_recalled(Q, s, q, s->view->recalled, F, R, S);
        vm_multiply(R, S, P);
        if (rate) add_viscous(damping[0], damping[1], R, rate, P);
        for (int a = 0; a < 3; ++a)
            value[3 * i + a] -= w * (P[3 * a] * g[3 * i] + P[3 * a + 1] * g[3 * i + 1] + P[3 * a + 2] * g[3 * i + 2]);
    }
}

/* What forces take of a slice beside the constants; velocities and damping only with damping. */
INLINE void force_input(const int N, const slice *s, unsigned damped, vd *edge, vd *speed, vd *damping) {
    gather_edges(N, s, s->view->x, edge);
    if (!damped) return;
    gather_edges(N, s, s->view->v, speed);
    load_rows(s->settings->damping + s->block * 3 * SN_LANES + s->lane, 3, damping);
}

APART int force_warped(const int N, const int Q, const sn_batch *batch, int begin, int end, const sn_element_view *view,
                       double *f) {
    const sn_batch_settings *settings = settings_of(batch, view);
    const unsigned damped = view->v ? settings->damped : 0;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES], speed[EDGES], c[SN_LAW_CONSTANTS], damping[3] = {{0}}, value[3 + EDGES];
            load_constants(&s, c);
            force_input(N, &s, damped, edge, speed, damping);
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
                if (batch->muscle) psi += muscle_energy(&s, F);
                sum += vd_load(s.weight + q * SN_LANES) * psi;
            }
            for (int l = 0; l < SN_WIDTH; ++l)
                if (s.element_of[l] >= 0) total += sum[l];
            bad += count_bad(&s, good);
        }
    *energy = total;
    return bad;
}

/* value_i -= w P g_i for the nodes from 1 on. */
INLINE void add_nodal(const int N, const slice *s, int q, vd *P, vd *value) {
    const vd w = vd_load(s->weight + q * SN_LANES);
    for (int a = 0; a < 9; ++a) P[a] *= w;
    for (int i = 1; i < N; ++i) {
        vd g[3];
        load_rows(gradient_at(N, s, q) + 3 * (i - 1) * SN_LANES, 3, g);
        for (int a = 0; a < 3; ++a) value[3 * i + a] -= P[3 * a] * g[0] + P[3 * a + 1] * g[1] + P[3 * a + 2] * g[2];
    }
}

/* The forces of the most common memory: linear tets of the law `corotated` with the polar rotation, without damping and
 * muscles; with `next` both forces and the update. This is force_body without its other cases. Their branches and calls
 * through pointers keep vectors out of registers. */
extern const sn_law SN_ISA(sn_law_corotated);

INLINE int is_common(const sn_batch *batch, const sn_element_view *view) {
    const slice s = {.batch = batch, .view = view};
    return (view->next || !view->remember) && remembers_whole(&s) && batch->law == &SN_ISA(sn_law_corotated) &&
           batch->rotation == &SN_ISA(sn_rotation_polar) && batch->element->nodes == 4 && batch->frames < 0 &&
           !batch->muscle && !(view->v && settings_of(batch, view)->damped);
}

/* `ahead`: a constant, whether the view has a `next`. */
INLINE int common_body(const int ahead, const sn_batch *batch, int begin, int end, const sn_element_view *view,
                       double *f) {
    enum { N = 4, Q = 1 };
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[9], F[9], R[9], full[9], S[SIX], P[9], P_next[9], value[3 * N], later[3 * N];
            if (lane == 0) ask_ahead(s.weight, Q);
            if (lane == 0 && ahead) ask_memory(Q, &s, begin, end, view->remember);
            if (lane == 0 && !ahead) ask_ahead(view->recalled + recalled_at(&s, Q, 0), SIX);
            gather_edges(N, &s, view->x, edge);
            deformation(N, &s, 0, edge, F);
            polar3(F, R);
            keep_rotation(N, Q, &s, 0, R);
            vd lame[2];
            load_rows(base_at(&s, 2), 2, lame);
            corotated_hooke(lame, F, R, full);
            corotated_six(full, S);
            sum_unrotated(Q, &s, 0, S, R, ahead, P, P_next);
            for (int i = 3; i < 3 * N; ++i) value[i] = later[i] = vd_set(0);
            add_nodal(N, &s, 0, P, value);
            if (ahead) add_nodal(N, &s, 0, P_next, later);
            scatter_balanced(N, &s, value, f);
            if (ahead) scatter_balanced(N, &s, later, view->next);
        }
    if (ahead) vd_stream_end();
    return 0;
}

APART int force_common(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *f) {
    return view->next ? common_body(1, batch, begin, end, view, f) : common_body(0, batch, begin, end, view, f);
}

/* `remembers`: a constant. It is 0 for a batch without memory when nobody looks ahead. */
INLINE int force_body(const int N, const int Q, const int remembers, const sn_batch *batch, int begin, int end,
                      const sn_element_view *view, double *f) {
    const sn_law *law = batch->law;
    if (batch->warping) {
        if (view->remember && batch->terms) remember_body(N, Q, batch, begin, end, view, view->remember);
        if (view->next) {
            const sn_element_view after = sn_view_after(view);
            force_warped(N, Q, batch, begin, end, &after, view->next);
        }
        return force_warped(N, Q, batch, begin, end, view, f);
    }
    const sn_batch_settings *settings = settings_of(batch, view);
    const unsigned damped = view->v ? settings->damped : 0;
    double *const next = remembers ? view->next : NULL;
    int bad = 0;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            const int memory = remembers && has_memory(&s), whole = memory && remembers_whole(&s),
                      sums = memory && sums_unrotated(&s);
            if (lane == 0) ask_ahead(s.weight, Q);
            if (lane == 0 && memory && next) ask_memory(Q, &s, begin, end, view->remember);
            vd edge[EDGES], speed[EDGES], c[SN_LAW_CONSTANTS], damping[3], value[3 + EDGES], later[3 + EDGES];
            vd base[SN_LAW_CONSTANTS], factor = vd_set(1);
            if (!whole || damped) load_constants(&s, c);
            if (whole) load_base(&s, base), factor = vd_load(row_at(&s));
            force_input(N, &s, damped, edge, speed, damping);
            for (int i = 3; i < 3 * N; ++i) value[i] = vd_set(0);
            for (int i = 3; i < 3 * N && next; ++i) later[i] = vd_set(0);
            vi good = factor == factor;
            for (int q = 0; q < Q; ++q) {
                vd F[9], R[9], P[9], P_next[9], S[SIX] = {{0}}, rate[9];
                deformation(N, &s, q, edge, F);
                if (batch->rotation || damped) rotation_at(N, Q, &s, q, F, R, NULL);
                keep_rotation(N, Q, &s, q, R);
                if (law->flags & SN_LAW_POSITIVE_J) good &= vm_determinant(F) > 0;
                if (damped) outer_sum(N, gradient_at(N, &s, q), speed, rate);
                if (sums) {
                    law->unrotated(law, base, F, R, S);
                    sum_unrotated(Q, &s, q, S, R, next != NULL, P, P_next);
                } else {
                    law->stress(law, whole ? base : c, F, batch->rotation ? R : NULL, P);
                    if (whole && next) unrotate(&s, F, R, P, S);
                    complete_stress(N, Q, &s, q, F, R, P);
                    for (int i = 0; i < 9 && whole; ++i) P[i] *= factor;
                    for (int i = 0; i < 9 && next; ++i) P_next[i] = P[i];
                    if (whole && next) {
                        remember_stress(Q, &s, q, F, R, S, view->remember, P, P_next);
                    } else if (memory && next) {
                        remember_both(Q, &s, q, F, R, view->remember, P, P_next);
                    } else if (memory) {
                        if (view->remember) remember_shape(Q, &s, q, F, R, view->remember);
                        add_recalled(Q, &s, q, view->recalled, F, R, P);
                    }
                }
                if (damped) add_damping_stress(&s, c, damping, F, R, rate, P);
                if (batch->muscle) add_muscle_stress(&s, F, damped ? rate : NULL, P);
                add_nodal(N, &s, q, P, value);
                if (!next) continue;
                if (damped) add_damping_stress(&s, c, damping, F, R, rate, P_next);
                if (batch->muscle) add_muscle_stress(&s, F, damped ? rate : NULL, P_next);
                add_nodal(N, &s, q, P_next, later);
            }
            scatter_balanced(N, &s, value, f);
            if (next) scatter_balanced(N, &s, later, next);
            if (law->flags & SN_LAW_POSITIVE_J) bad += count_bad(&s, good);
        }
    if (next) vd_stream_end();
    return bad;
}

#endif
