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
    vm_multiply(sn_law_remembers_by_F(law) ? F : R, H, out);
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
    if (sn_law_remembers_by_F(law)) {
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

/* The H of the tangent; NULL where it has none. Only the exact differential takes it: the others stay definite without
 * it. */
INLINE const vd *recalled_of_tangent(const int Q, const slice *s, int q, vd *H) {
    if (!has_memory(s) || s->batch->law->strain == SN_STRAIN_CAUCHY ||
        sn_batch_differential(s->batch, s->view->projected) != SN_DIFFERENTIAL_EXACT)
        return NULL;
    if (s->lane == 0) ask_ahead(s->view->recalled + recalled_at(s, Q, q), SIX);
    load_recalled(Q, s, q, H);
    return H;
}

/* A stress P of the law without rotation: G^-1 P. F^-1 is bounded near det F = 0. */
static inline void unrotate(const slice *s, const vd *F, const vd *R, const vd *P, vd *six) {
    const sn_law *law = s->batch->law;
    vd T[9];
    if (s->batch->warping || law->strain == SN_STRAIN_CAUCHY) {
        six_of(P, six);
        return;
    }
    if (sn_law_remembers_by_F(law)) {
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

/* The stress of the part of the law that has a memory, without rotation. */
static inline void unrotated_stress(const slice *s, const vd *c, const vd *F, const vd *R, vd *six) {
    const sn_law *law = s->batch->law;
    vd P[9], T[9];
    if (law->unrotated && !s->batch->warping) {
        law->unrotated(law, c, F, R, six);
        return;
    }
    if (s->batch->warping) vm_transpose_multiply(R, F, T);
    law->stress(law, c, s->batch->warping ? T : F, s->batch->rotation ? R : NULL, P);
    unrotate(s, F, R, P, six);
}

INLINE const double *base_at(const slice *s, int count) {
    return s->settings->base + (int64_t)s->settings->term_row[s->block] * count * SN_LANES + s->lane;
}

INLINE void load_base(const slice *s, vd *c) {
    const int count = s->batch->constants;
    load_rows(base_at(s, count), count, c);
}

/* The row of a block: the factor of the law's stress, then decay, gain and ratio of each term. */
INLINE const double *row_at(const slice *s) {
    const int rows = SN_TERM_ROWS(s->batch->terms);
    return s->settings->term + (int64_t)s->settings->term_row[s->block] * rows * SN_LANES + s->lane;
}

INLINE const double *terms_at(const slice *s) { return row_at(s) + SN_LANES; }

/* H += ratio (decay h - gain S) of one term; the first one sets H. */
INLINE void add_term(const double *term, const vd *h, const vd *S, const int first, vd *H) {
    const vd ratio = vd_load(term + 2 * SN_LANES), decay = ratio * vd_load(term),
             gain = ratio * vd_load(term + SN_LANES);
    for (int i = 0; i < SIX; ++i) accumulate(&H[i], decay * h[i] - gain * S[i], first);
}

/* `streams`: a constant; the caller ends with vd_stream_end. */
INLINE void store_memory(const int streams, double *p, vd a) {
    if (streams)
        vd_stream(p, a);
    else
        vd_store(p, a);
}

/* h = decay h + gain change of one term, and the recalled stress H after it and (`old` may be NULL) before it. */
INLINE void remember_term(const double *term, const double *from, double *to, const int streams, const vd *before,
                          const vd *S, const int first, vd *H, vd *old) {
    const vd decay = vd_load(term), gain = vd_load(term + SN_LANES);
    vd h[SIX];
    load_rows(from, SIX, h);
    if (old) add_term(term, h, before, first, old);
    for (int i = 0; i < SIX; ++i) {
        h[i] = decay * h[i] + gain * (S[i] - before[i]);
        store_memory(streams, to + i * SN_LANES, h[i]);
    }
    add_term(term, h, S, first, H);
}

INLINE void remember_terms(const int Q, const slice *s, int q, const vd *before, const vd *S,
                           const sn_memory_arrays *to, const int streams, vd *H, vd *old) {
    const int64_t first = memory_at(s, Q, q);
    const double *term = terms_at(s);
    remember_term(term, to->old_memory + first, to->memory + first, streams, before, S, 1, H, old);
    for (int t = 1; t < s->batch->terms; ++t) {
        const int64_t at = first + t * SIX * SN_LANES;
        remember_term(term + 3 * t * SN_LANES, to->old_memory + at, to->memory + at, streams, before, S, 0, H, old);
    }
}

/* h = decay h + gain (S - S_before) for all terms of a point, S_before = S, and the recalled stress H = sum of ratio
 * (decay h - gain S). `old` (may be NULL): gets H before the update. `updates`: a constant; 1 for a
 * pass that streams all of it; 0 when to->memory may be NULL, and then only S_before is set. */
INLINE void remember_point(const int Q, const slice *s, int q, const vd *S, const sn_memory_arrays *to,
                           const int updates, vd *H, vd *old) {
    const int64_t point = recalled_at(s, Q, q);
    vd before[SIX];
    load_rows(to->old_before + point, SIX, before);
    if (updates || to->memory) {
        remember_terms(Q, s, q, before, S, to, updates, H, old);
        for (int i = 0; i < SIX && to->recalled; ++i) vd_store(to->recalled + point + i * SN_LANES, H[i]);
    }
    for (int i = 0; i < SIX; ++i) store_memory(updates, to->before + point + i * SN_LANES, S[i]);
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
    const double *term = terms_at(s),
                 *base =
                     s->settings->base + (int64_t)s->settings->term_row[s->block] * terms * count * SN_LANES + s->lane;
    vd c[SN_LAW_CONSTANTS], S[SIX], H[SIX];
    for (int i = 0; i < SIX; ++i) H[i] = vd_set(0);
    for (int t = 0; t < terms; ++t, term += 3 * SN_LANES) {
        const vd decay = vd_load(term), gain = vd_load(term + SN_LANES);
        const int64_t begins = begins_at(s, Q, q, t), first = memory_at(s, Q, q) + t * SIX * SN_LANES;
        vd h[SIX];
        load_rows(base + t * count * SN_LANES, count, c);
        unrotated_stress(s, c, F, R, S);
        for (int i = 0; i < SIX; ++i) {
            if (memory) {
                h[i] = decay * vd_load(to->old_memory + first + i * SN_LANES) +
                       gain * (S[i] - vd_load(to->old_before + begins + i * SN_LANES));
                vd_store(memory + first + i * SN_LANES, h[i]);
            }
            vd_store(to->before + begins + i * SN_LANES, S[i]);
        }
        if (memory) add_term(term, h, S, 0, H);
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
    remember_point(Q, s, q, S, to, 0, H, NULL);
}

/* Whether the stress of a step is a factor times the stress of the part with a memory: that part is the whole law. */
INLINE int remembers_whole(const slice *s) {
    return has_memory(s) && !s->batch->by_coefficient && !s->batch->on_shear && !s->batch->warping;
}

/* Asks memory for the arrays of an update, which are larger than the caches: those of all first blocks at the begin of
 * a chunk, then those of the block that lies AHEAD further on. Nothing behind the chunk: that comes much later. */
INLINE void ask_memory(const int Q, const slice *s, int begin, int end, const sn_memory_arrays *from) {
    const int64_t point = recalled_at(s, Q, 0), first = memory_at(s, Q, 0);
    const int rows = SIX * Q, all = rows * s->batch->terms,
              last = s->block + AHEAD < end ? AHEAD : end - 1 - (int)s->block;
    for (int b = s->block == begin ? 1 : AHEAD; b <= last; ++b) {
        for (int i = 0; i < rows; ++i) __builtin_prefetch(from->old_before + point + (b * rows + i) * SN_LANES);
        for (int i = 0; i < all; ++i) __builtin_prefetch(from->old_memory + first + (b * all + i) * SN_LANES);
    }
}

/* Whether the stress of a step is R S with a sum S of symmetric parts, which the law gives without rotation. */
INLINE int sums_unrotated(const slice *s) {
    return remembers_whole(s) && s->batch->law->unrotated && !s->batch->rotation->turning;
}

/* P = R (factor S + recalled stress). With `next` the update, and P_next = R (factor S + recalled stress after it). */
INLINE void sum_unrotated(const int Q, const slice *s, int q, const vd *S, const vd *R, int next, vd *P, vd *P_next) {
    const sn_memory_arrays *to = s->view->remember;
    const vd factor = vd_load(row_at(s));
    vd H[SIX] = {{0}}, old[SIX], full[9];
    if (next) {
        remember_point(Q, s, q, S, to, 1, H, old);
    } else {
        if (to) remember_point(Q, s, q, S, to, 0, H, NULL);
        load_rows(s->view->recalled + recalled_at(s, Q, q), SIX, old);
    }
    for (int i = 0; i < SIX; ++i) old[i] += factor * S[i];
    symmetric_of(old, full);
    vm_multiply(R, full, P);
    if (!next) return;
    for (int i = 0; i < SIX; ++i) H[i] += factor * S[i];
    symmetric_of(H, full);
    vm_multiply(R, full, P_next);
}

/* S: the stress of the part with a memory. The same update; adds the recalled stress to P and the one after the update
 * to P_next. */
INLINE void remember_stress(const int Q, const slice *s, int q, const vd *F, const vd *R, const vd *S,
                            const sn_memory_arrays *to, vd *P, vd *P_next) {
    vd H[SIX], old[SIX], full[9];
    remember_point(Q, s, q, S, to, 1, H, old);
    symmetric_of(old, full);
    add_turned(s->batch->law, full, F, R, P);
    symmetric_of(H, full);
    add_turned(s->batch->law, full, F, R, P_next);
}

/* The same for batches whose part with a memory is not the whole law. Apart, as remember_shape. */
APART void remember_both(const int Q, const slice *s, int q, const vd *F, const vd *R, const sn_memory_arrays *to,
                         vd *P, vd *P_next) {
    if (s->batch->by_coefficient) {
        remember_coefficients(Q, s, q, F, R, to);
        add_recalled(Q, s, q, s->view->recalled, F, R, P);
        add_recalled(Q, s, q, to->recalled, F, R, P_next);
        return;
    }
    vd c[SN_LAW_CONSTANTS], S[SIX];
    load_base(s, c);
    unrotated_stress(s, c, F, R, S);
    remember_stress(Q, s, q, F, R, S, to, P, P_next);
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
                    add_term(term + 3 * t * SN_LANES, h, S, 0, H);
                }
                for (int i = 0; i < SIX; ++i) vd_store(recalled + recalled_at(&s, Q, q) + i * SN_LANES, H[i]);
            }
        }
    return 0;
}

#endif
