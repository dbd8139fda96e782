/* Kernels of the edges of particles, two nodes each (cloth/particles.h).
 *
 *   d = x_1 - x_0, n = d / |d|, k = modulus times factor, r = damping times factor
 *   E = k (|d| - l)^2 / 2,  f_1 = -k (|d| - l) n - r (v_1 - v_0),   f_0 = -f_1
 *   K = k (n n^T + (1 - l / |d|) (I - n n^T)),   D = r I
 * The differential `projected` has max(0, 1 - l / |d|): a pressed edge does not push sideways. Numbers: l, and 1 for
 * the weft. Constants: the modulus. Damping: that per area. */
#include "cloth/particles.h"

#include "fem/kernel/element_matrix.h"

/* What one slice of edges knows. */
typedef struct tension {
    vd d[3], n[3], k, r, length, now;
} tension;

INLINE vd dot3(const vd *a, const vd *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

INLINE tension tension_at(const slice *s) {
    tension t;
    const vd w = vd_load(s->weight);
    gather_edges(2, s, s->view->x, t.d);
    t.k = w * vd_load(s->settings->constant + s->block * SN_LANES + s->lane);
    t.r = w * vd_load(s->settings->damping + s->block * 3 * SN_LANES + s->lane);
    t.length = vd_load(number_at(s));
    t.now = vd_max(vd_sqrt(dot3(t.d, t.d)), vd_set(1e-12) * t.length); /* an edge without length has no direction */
    for (int a = 0; a < 3; ++a) t.n[a] = t.d[a] / t.now;
    return t;
}

static int energy(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    double total = *out;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(2, 1, batch, settings, view, block, lane);
            const tension t = tension_at(&s);
            const vd stretch = t.now - t.length, each = vd_set(0.5) * t.k * stretch * stretch;
            for (int l = 0; l < SN_WIDTH; ++l)
                if (s.element_of[l] >= 0) total += each[l];
        }
    *out = total;
    return 0;
}

static int force(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *f) {
    const sn_batch_settings *settings = settings_of(batch, view);
    const int damped = view->v && settings->damped;
    if (view->next) {
        const sn_element_view after = sn_view_after(view);
        force(batch, begin, end, &after, view->next);
    }
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(2, 1, batch, settings, view, block, lane);
            const tension t = tension_at(&s);
            vd value[6], speed[3];
            for (int a = 0; a < 3; ++a) value[3 + a] = -t.k * (t.now - t.length) * t.n[a];
            if (damped) {
                gather_edges(2, &s, view->v, speed);
                for (int a = 0; a < 3; ++a) value[3 + a] -= t.r * speed[a];
            }
            scatter_balanced(2, &s, value, f);
        }
    return 0;
}

/* k K + d D of node 1 against itself, row-major and symmetric. */
INLINE void matrix_of(const slice *s, double k, double d, vd *A) {
    const tension t = tension_at(s);
    vd across = vd_set(1) - t.length / t.now;
    if (sn_batch_differential(s->batch, s->view->projected) != SN_DIFFERENTIAL_EXACT)
        across = vd_max(across, vd_set(0));
    const vd along = k * t.k * (vd_set(1) - across), same = k * t.k * across + d * t.r;
    for (int e = 0; e < 9; ++e) {
        A[e] = along * (t.n[e / 3] * t.n[e % 3]);
        if (e % 4 == 0) A[e] += same;
    }
}

INLINE void keep(const slice *s, const vd *A, double *linearised) {
    double *out = linearised_at(1, s, 0, linearised);
    for (int i = 0; i < 9; ++i) vd_store(out + i * SN_LANES, A[i]);
}

static int linearise(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                     double *linearised) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(2, 1, batch, settings, view, block, lane);
            vd A[9];
            matrix_of(&s, k, d, A);
            keep(&s, A, linearised);
        }
    return 0;
}

static int product(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                   const double *linearised, const double *u, double *out) {
    const sn_batch_settings *settings = linearised ? NULL : settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(2, 1, batch, settings, view, block, lane);
            vd A[9], du[3], value[6];
            if (linearised)
                load_rows(linearised_at(1, &s, 0, (double *)(uintptr_t)linearised), 9, A);
            else
                matrix_of(&s, k, d, A);
            gather_edges(2, &s, u, du);
            for (int a = 0; a < 3; ++a) value[3 + a] = dot3(A + 3 * a, du);
            scatter_balanced(2, &s, value, out);
        }
    return 0;
}

static int damp(const sn_batch *batch, int begin, int end, const sn_element_view *view, double d, const double *u,
                double *out) {
    return product(batch, begin, end, view, 0, d, NULL, u, out);
}

static int stiffness(const sn_batch *batch, int block, const sn_element_view *view, double k, double d, int upper,
                     double *linearised, double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(2, 1, batch, settings, view, block, lane);
        vd A[9];
        matrix_of(&s, k, d, A);
        if (linearised) keep(&s, A, linearised);
        store_matrix(2, A, 0, upper, out + lane);
    }
    return 0;
}

static void linearised_tension(const sn_batch *batch, int block, const sn_element_settings *settings, double k,
                               double d, double *out) {
    const sn_batch_settings *own = &settings->batch[batch->index];
    for (int l = 0; l < SN_LANES; ++l)
        out[l] = batch->weight[block * SN_LANES + l] *
                 (k * own->constant[block * SN_LANES + l] + d * own->damping[block * 3 * SN_LANES + l]);
}

static int serves(const sn_element *element) { return element == &sn_element_particles; }

extern const sn_element_kernels SN_ISA(sn_tension_kernels);
const sn_element_kernels SN_ISA(sn_tension_kernels) = {.serves = serves,
                                                       .energy = energy,
                                                       .force = force,
                                                       .linearise = linearise,
                                                       .product = product,
                                                       .damp = damp,
                                                       .stiffness = stiffness,
                                                       .tension = linearised_tension,
                                                       .stress = without_stress,
                                                       .rotation = without_rotation,
                                                       .accept = without_history,
                                                       .recall = without_memory};
