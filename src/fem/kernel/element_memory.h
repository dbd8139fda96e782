/* Memory of elements (fem/prony.h): the stress without rotation, its recalled part and the update after a step.
 *
 * Six numbers per point: xx, yy, zz, xy, yz, zx of a symmetric matrix. */
#ifndef SN_FEM_KERNEL_ELEMENT_MEMORY_H
#define SN_FEM_KERNEL_ELEMENT_MEMORY_H

#include "element_point.h"

enum { SIX = SN_MEMORY_ITEMS };

INLINE int64_t recalled_at(const slice *s, const int Q, int q) {
    return s->batch->recalled + (s->block * Q + q) * SIX * SN_LANES + s->lane;
}

INLINE int64_t memory_at(const slice *s, const int Q, int q) {
    return s->batch->memory + (s->block * Q + q) * s->batch->terms * SIX * SN_LANES + s->lane;
}

INLINE int has_memory(const slice *s) { return s->batch->terms > 0 && s->view->recalled; }

static inline void symmetric_of(const vd *six, vd *m) {
    m[0] = six[0], m[4] = six[1], m[8] = six[2];
    m[1] = m[3] = six[3], m[5] = m[7] = six[4], m[2] = m[6] = six[5];
}

static inline void six_of(const vd *m, vd *six) {
    const vd half = vd_set(0.5);
    six[0] = m[0], six[1] = m[4], six[2] = m[8];
    six[3] = half * (m[1] + m[3]), six[4] = half * (m[5] + m[7]), six[5] = half * (m[2] + m[6]);
}

/* Whether G is F: Green's strain, and the law whose R^T P is not symmetric. */
static inline int remembers_by_F(const sn_law *law) {
    return law->strain == SN_STRAIN_GREEN || law->flags & SN_LAW_NO_POTENTIAL;
}

INLINE void load_symmetric(const int Q, const slice *s, int q, const double *recalled, vd *H) {
    vd six[SIX];
    load_rows(recalled + recalled_at(s, Q, q), SIX, six);
    symmetric_of(six, H);
}

INLINE void load_recalled(const int Q, const slice *s, int q, vd *H) { load_symmetric(Q, s, q, s->view->recalled, H); }

/* P += G H. R is the identity for laws without rotation; it is not read for the linear law. */
INLINE void add_turned(const sn_law *law, const vd *H, const vd *F, const vd *R, vd *P) {
    vd out[9];
    if (law->strain == SN_STRAIN_CAUCHY) {
        for (int i = 0; i < 9; ++i) P[i] += H[i];
        return;
    }
    vm_multiply(remembers_by_F(law) ? F : R, H, out);
    for (int i = 0; i < 9; ++i) P[i] += out[i];
}

APART void add_recalled(const int Q, const slice *s, int q, const double *recalled, const vd *F, const vd *R, vd *P) {
    vd H[9];
    load_symmetric(Q, s, q, recalled, H);
    add_turned(s->batch->law, H, F, R, P);
}

/* The work of the recalled stress from rest: H : E, H : (sym(R^T F) - I) or H : (sym F - I). */
APART vd recalled_energy(const int Q, const slice *s, int q, const vd *F, const vd *R) {
    const sn_law *law = s->batch->law;
    vd H[9], E[9];
    load_recalled(Q, s, q, H);
    if (remembers_by_F(law)) {
        vm_transpose_multiply(F, F, E);
        for (int i = 0; i < 9; ++i) E[i] = vd_set(0.5) * (E[i] - vd_set(i % 4 == 0));
    } else if (law->strain == SN_STRAIN_CAUCHY) {
        for (int i = 0; i < 9; ++i) E[i] = F[i] - vd_set(i % 4 == 0);
    } else {
        vm_transpose_multiply(R, F, E);
        for (int i = 0; i < 9; i += 4) E[i] -= vd_set(1);
    }
    return vm_dot(H, E);
}

/* A += k d(G H) / dF. Only the exact differential takes it: the others stay definite without it. */
APART void add_recalled_tangent(const int Q, const slice *s, int q, const vd *dR, double k, vd *A) {
    const sn_law *law = s->batch->law;
    if (law->strain == SN_STRAIN_CAUCHY || sn_batch_differential(s->batch, s->view->projected) != SN_DIFFERENTIAL_EXACT)
        return;
    vd H[9];
    load_recalled(Q, s, q, H);
    const vd scale = vd_set(remembers_by_F(law) || s->view->unsymmetric ? k : 0.5 * k);
    for (int i = 0; i < 9; ++i) H[i] *= scale;
    if (remembers_by_F(law)) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 3; ++l) A[9 * (3 * i + j) + 3 * i + l] += H[3 * l + j];
        return;
    }
    if (!dR) return;
    vd T[81];
    for (int i = 0; i < 3; ++i)
        for (int b = 0; b < 9; ++b) {
            const vd *d = dR + 27 * i + b;
            for (int j = 0; j < 3; ++j) T[27 * i + 9 * j + b] = d[0] * H[j] + d[9] * H[3 + j] + d[18] * H[6 + j];
        }
    if (s->view->unsymmetric) {
        for (int i = 0; i < 81; ++i) A[i] += T[i];
        return;
    }
    for (int a = 0; a < 9; ++a) {
        A[10 * a] += T[10 * a] + T[10 * a];
        for (int b = 0; b < a; ++b) {
            const vd change = T[9 * a + b] + T[9 * b + a];
            A[9 * a + b] += change, A[9 * b + a] += change;
        }
    }
}

/* The stress of the part of the law that has a memory, without rotation: G^-1 P. F^-1 is bounded near det F = 0. */
static inline void unrotated_stress(const slice *s, const vd *c, const vd *F, const vd *R, vd *six) {
    const sn_law *law = s->batch->law;
    vd P[9], T[9];
    if (s->batch->warping) {
        vm_transpose_multiply(R, F, T);
        law->stress(law, c, T, NULL, P);
        six_of(P, six);
        return;
    }
    law->stress(law, c, F, s->batch->rotation ? R : NULL, P);
    if (law->strain == SN_STRAIN_CAUCHY) {
        six_of(P, six);
        return;
    }
    if (remembers_by_F(law)) {
        vd C[9], G[9];
        memcpy(G, F, sizeof G);
        if (law->flags & SN_LAW_CLOTH) add_normal(G);
        const vd J = vm_determinant(G), scale = J / (J * J + vd_set(1e-6));
        vm_cofactor(G, C); /* F^-1 = cof(F)^T / J */
        vm_transpose_multiply(C, P, T);
        for (int i = 0; i < 9; ++i) T[i] *= scale;
    } else {
        vm_transpose_multiply(R, P, T);
    }
    six_of(T, six);
}

INLINE void load_base(const slice *s, vd *c) {
    const int count = s->batch->constants;
    load_rows(s->settings->base + s->block * count * SN_LANES + s->lane, count, c);
}

INLINE const double *terms_at(const slice *s) {
    return s->settings->term + (int64_t)s->settings->term_row[s->block] * 3 * s->batch->terms * SN_LANES + s->lane;
}

/* H += ratio (decay h - gain S) of one term. */
INLINE void add_term(const double *term, const vd *h, const vd *S, vd *H) {
    const vd ratio = vd_load(term + 2 * SN_LANES), decay = ratio * vd_load(term),
             gain = ratio * vd_load(term + SN_LANES);
    for (int i = 0; i < SIX; ++i) H[i] += decay * h[i] - gain * S[i];
}

/* h = decay h + gain (S - S_before) for all terms of a point, S_before = S, and the recalled stress H = sum of ratio
 * (decay h - gain S). `old` (may be NULL): gets H before the update. */
INLINE void remember_point(const int Q, const slice *s, int q, const vd *S, const sn_memory_arrays *to, vd *H,
                           vd *old) {
    const int64_t point = recalled_at(s, Q, q);
    double *const memory = to->memory;
    const double *term = terms_at(s);
    vd before[SIX], change[SIX];
    load_rows(to->old_before + point, SIX, before);
    for (int i = 0; i < SIX; ++i) {
        change[i] = S[i] - before[i], H[i] = vd_set(0);
        vd_store(to->before + point + i * SN_LANES, S[i]);
    }
    for (int i = 0; old && i < SIX; ++i) old[i] = vd_set(0);
    for (int t = 0; memory && t < s->batch->terms; ++t, term += 3 * SN_LANES) {
        const int64_t first = memory_at(s, Q, q) + t * SIX * SN_LANES;
        const vd decay = vd_load(term), gain = vd_load(term + SN_LANES);
        vd h[SIX];
        load_rows(to->old_memory + first, SIX, h);
        if (old) add_term(term, h, before, old);
        for (int i = 0; i < SIX; ++i) {
            h[i] = decay * h[i] + gain * change[i];
            vd_store(memory + first + i * SN_LANES, h[i]);
        }
        add_term(term, h, S, H);
    }
    if (!to->recalled) return;
    for (int i = 0; i < SIX; ++i) vd_store(to->recalled + point + i * SN_LANES, H[i]);
}

/* Where term t of a point has its own S_before, in a series on coefficients. */
INLINE int64_t begins_at(const slice *s, const int Q, int q, int t) {
    return s->batch->begins + ((s->block * Q + q) * s->batch->terms + t) * SIX * SN_LANES + s->lane;
}

/* Series on coefficients: each term has its own part of the law and its own S_before; the ratios are 1. Apart, so that
 * the loop of all other batches stays as it is. */
APART void remember_coefficients(const int Q, const slice *s, int q, const vd *F, const vd *R,
                                 const sn_memory_arrays *to) {
    const int count = s->batch->constants, terms = s->batch->terms;
    double *const memory = to->memory;
    const double *term = terms_at(s);
    vd c[SN_LAW_CONSTANTS], S[SIX], H[SIX];
    for (int i = 0; i < SIX; ++i) H[i] = vd_set(0);
    for (int t = 0; t < terms; ++t, term += 3 * SN_LANES) {
        const vd decay = vd_load(term), gain = vd_load(term + SN_LANES);
        const int64_t begins = begins_at(s, Q, q, t), first = memory_at(s, Q, q) + t * SIX * SN_LANES;
        vd h[SIX];
        load_rows(s->settings->base + (s->block * terms + t) * count * SN_LANES + s->lane, count, c);
        unrotated_stress(s, c, F, R, S);
        for (int i = 0; i < SIX; ++i) {
            if (memory) {
                h[i] = decay * vd_load(to->old_memory + first + i * SN_LANES) +
                       gain * (S[i] - vd_load(to->old_before + begins + i * SN_LANES));
                vd_store(memory + first + i * SN_LANES, h[i]);
            }
            vd_store(to->before + begins + i * SN_LANES, S[i]);
        }
        if (memory) add_term(term, h, S, H);
    }
    if (!to->recalled) return;
    for (int i = 0; i < SIX; ++i) vd_store(to->recalled + recalled_at(s, Q, q) + i * SN_LANES, H[i]);
}

/* The same from the shape of the point. Apart, because few forces follow an accepted step. */
APART void remember_shape(const int Q, const slice *s, int q, const vd *F, const vd *R, const sn_memory_arrays *to) {
    if (s->batch->by_coefficient) {
        remember_coefficients(Q, s, q, F, R, to);
        return;
    }
    vd c[SN_LAW_CONSTANTS], S[SIX], H[SIX];
    load_base(s, c);
    unrotated_stress(s, c, F, R, S);
    remember_point(Q, s, q, S, to, H, NULL);
}

/* The same, and adds the recalled stress to P and the one after the update to P_next. */
APART void remember_both(const int Q, const slice *s, int q, const vd *F, const vd *R, const sn_memory_arrays *to,
                         vd *P, vd *P_next) {
    if (s->batch->by_coefficient) {
        remember_coefficients(Q, s, q, F, R, to);
        add_recalled(Q, s, q, s->view->recalled, F, R, P);
        add_recalled(Q, s, q, to->recalled, F, R, P_next);
        return;
    }
    vd c[SN_LAW_CONSTANTS], S[SIX], H[SIX], old[SIX], full[9];
    load_base(s, c);
    unrotated_stress(s, c, F, R, S);
    remember_point(Q, s, q, S, to, H, old);
    symmetric_of(old, full);
    add_turned(s->batch->law, full, F, R, P);
    symmetric_of(H, full);
    add_turned(s->batch->law, full, F, R, P_next);
}

INLINE int remember_body(const int N, const int Q, const sn_batch *batch, int begin, int end,
                         const sn_element_view *view, const sn_memory_arrays *memory) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, Q, batch, settings, view, block, lane);
            vd edge[EDGES];
            gather_edges(N, &s, view->x, edge);
            for (int q = 0; q < Q; ++q) {
                vd F[9], R[9];
                deformation(N, &s, q, edge, F);
                rotation_at(N, Q, &s, q, F, R, NULL);
                remember_shape(Q, &s, q, F, R, memory);
            }
        }
    return 0;
}

/* H = sum of ratio (decay h - gain S_before). By coefficient each term has its own S_before, and the ratios are 1. */
INLINE int recall_body(const sn_batch *batch, int begin, int end, const sn_element_settings *all, const double *before,
                       const double *memory, double *recalled) {
    const sn_batch_settings *settings = &all->batch[batch->index];
    const int Q = sn_batch_points(batch);
    if (batch->terms == 0) return 0;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = {.batch = batch, .settings = settings, .block = block, .lane = lane};
            const double *term = terms_at(&s);
            for (int q = 0; q < Q; ++q) {
                vd S[SIX], H[SIX];
                load_rows(before + recalled_at(&s, Q, q), SIX, S);
                for (int i = 0; i < SIX; ++i) H[i] = vd_set(0);
                for (int t = 0; t < batch->terms; ++t) {
                    vd h[SIX];
                    if (batch->by_coefficient) load_rows(before + begins_at(&s, Q, q, t), SIX, S);
                    load_rows(memory + memory_at(&s, Q, q) + t * SIX * SN_LANES, SIX, h);
                    add_term(term + 3 * t * SN_LANES, h, S, H);
                }
                for (int i = 0; i < SIX; ++i) vd_store(recalled + recalled_at(&s, Q, q) + i * SN_LANES, H[i]);
            }
        }
    return 0;
}

#endif
