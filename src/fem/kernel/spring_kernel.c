/* Kernels of springs, two nodes each (fem/springs.h).
 *
 *   d = x_1 - x_0, n = d / |d|, d0 and n0 at rest, k = E w with w the van Gelder factor
 *   turning (law corotated)  f_1 = -k (|d| - |d0|) n,              K = k (n n^T + max(0, 1 - |d0| / |d|) (I - n n^T))
 *   linear  (law linear)     f_1 = -k n0 (n0 . (d - d0)),          K = k n0 n0^T
 *   warped  (with warping)   f_i as linear in the frame R_i of each end; K with the mean frame of the two, or (vertex
 *                            matrix) the rows of each end with its own frame
 *   damper                   f_1 = -r n (n . (v_1 - v_0)),         D = r n n^T
 * and f_0 = -f_1 but for warped springs. The differential `exact` leaves the max out: a pressed spring then pushes
 * sideways. */
#include "derived_loops.h"

/* What one slice of springs knows. */
typedef struct spring {
    vd d[3], rest[3], k, r, length, n[3];
} spring;

/* Young's modulus from lambda, mu; 0 for a material without stiffness. */
INLINE vd young_of(const vd *c) {
    const vd sum = c[0] + c[1];
    return vd_select((vi)(sum > 0), c[1] * (3 * c[0] + 2 * c[1]) / vd_select((vi)(sum > 0), sum, vd_set(1)), vd_set(0));
}

INLINE spring spring_at(const slice *s, const double *x) {
    spring p;
    vd c[SN_LAW_CONSTANTS], damping[3];
    load_constants(s, c);
    load_rows(s->settings->damping + s->block * 3 * SN_LANES + s->lane, 3, damping);
    load_rows(number_at(s), 3, p.rest);
    gather_edges(2, s, x, p.d);
    p.k = young_of(c) * vd_load(s->weight);
    p.r = damping[0] + damping[2] * p.k;
    p.length = vd_load(number_at(s) + 4 * SN_LANES);
    return p;
}

/* The direction now; a spring of no length has none. Returns the length. */
INLINE vd point_along(spring *p) {
    const vd now = vd_sqrt(dot(3, p->d, p->d)), by = vd_set(1) / vd_max(now, vd_set(1e-12) * p->length);
    for (int a = 0; a < 3; ++a) p->n[a] = p->d[a] * by;
    return now;
}

/* The rest direction in a frame. */
INLINE void point_turned(spring *p, const vd *R) {
    for (int a = 0; a < 3; ++a) {
        p->n[a] = p->rest[a] / p->length;
        if (R) p->n[a] = (R[3 * a] * p->rest[0] + R[3 * a + 1] * p->rest[1] + R[3 * a + 2] * p->rest[2]) / p->length;
    }
}

static inline int is_turning(const sn_batch *batch) { return !(batch->law->flags & SN_LAW_CONSTANT); }

/* How much longer than at rest, seen along n. */
INLINE vd stretch_of(spring *p, const sn_batch *batch, const vd *R) {
    if (is_turning(batch)) return point_along(p) - p->length;
    point_turned(p, R);
    return dot(3, p->n, p->d) - p->length;
}

/* The recalled tension; 0 without memory. */
INLINE vd recalled_tension(const slice *s) {
    return has_memory(s) ? vd_load(s->view->recalled + recalled_at(s, 1, 0)) : vd_set(0);
}

INLINE vd spring_energy(const int N, const slice *s) {
    const sn_batch *batch = s->batch;
    spring p = spring_at(s, s->view->x);
    vd R[9];
    if (batch->warping) mean_frame(N, s, R);
    const vd stretch = stretch_of(&p, batch, batch->warping ? R : NULL);
    return (vd_set(0.5) * p.k * stretch + recalled_tension(s)) * stretch;
}

/* The first of the six numbers is the tension of the part with a memory; the others are 0. */
static int remember(const sn_batch *batch, int begin, int end, const sn_element_view *view,
                    const sn_memory_arrays *memory) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(2, 1, batch, settings, view, block, lane);
            spring p = spring_at(&s, view->x);
            vd c[SN_LAW_CONSTANTS], R[9], now[SIX], H[SIX];
            load_base(&s, c);
            if (batch->warping) mean_frame(2, &s, R);
            for (int i = 1; i < SIX; ++i) now[i] = vd_set(0);
            now[0] = young_of(c) * vd_load(s.weight) * stretch_of(&p, batch, batch->warping ? R : NULL);
            remember_point(1, &s, 0, now, memory, 0, H, NULL);
        }
    return 0;
}

/* k K + d D of a node against itself, row-major and symmetric; the frame of warped springs is R. */
INLINE void spring_matrix_in(const slice *s, double k, double d, const vd *R, vd *A) {
    const sn_batch *batch = s->batch;
    spring p = spring_at(s, s->view->x);
    vd across = vd_set(0), recalled = vd_set(0);
    if (is_turning(batch)) {
        const vd now = point_along(&p), least = vd_max(now, vd_set(1e-12) * p.length);
        across = vd_set(1) - p.length / least;
        if (sn_batch_differential(batch, s->view->projected) != SN_DIFFERENTIAL_EXACT)
            across = vd_max(across, vd_set(0));
        else
            recalled = recalled_tension(s) / least;
    } else {
        point_turned(&p, R);
    }
    vd along = k * (p.k * (vd_set(1) - across) - recalled);
    if (s->settings->damped) along += d * p.r;
    const vd same = k * (p.k * across + recalled);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            A[3 * a + b] = along * (p.n[a] * p.n[b]);
            if (a == b) A[3 * a + b] += same;
        }
}

INLINE void spring_linearise(const int N, const slice *s, double k, double d, vd *A) {
    vd R[9];
    if (s->batch->warping) mean_frame(N, s, R);
    spring_matrix_in(s, k, d, s->batch->warping ? R : NULL, A);
}

/* ---- Springs with a vertex matrix: the items are the matrices of both nodes ---- */
INLINE void vertex_linearise(const int N, const slice *s, double k, double d, vd *A) {
    for (int i = 0; i < N; ++i) {
        vd R[9];
        vertex_frame(s, i, R);
        spring_matrix_in(s, k, d, R, A + 9 * i);
    }
}

INLINE void vertex_product(const int N, const slice *s, const vd *A, const double *u, vd *value) {
    vd du[3];
    gather_edges(N, s, u, du);
    for (int a = 0; a < 3; ++a) {
        value[a] = -dot(3, A + 3 * a, du);
        value[3 + a] = dot(3, A + 9 + 3 * a, du);
    }
}

INLINE void vertex_matrix(const int N, const slice *s, vd *A, int upper, double *out) {
    for (int i = 0; i < 4; ++i)
        for (int e = 0; e < 9; ++e) {
            const vd a = A[9 * (i / 2) + e];
            vd_store(out + (9 * i + e) * SN_LANES, i == 0 || i == 3 ? a : -a);
        }
}

/* ---- Kernels ---- */
static int energy(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *out) {
    return sum_energy(2, spring_energy, batch, begin, end, view, out);
}

/* It has its own loop, which is faster with AVX2. */
static int force(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *f) {
    const sn_batch_settings *settings = settings_of(batch, view);
    const int damped = view->v && settings->damped;
    if (view->remember && batch->terms) remember(batch, begin, end, view, view->remember);
    if (view->next) {
        const sn_element_view after = sn_view_after(view);
        force(batch, begin, end, &after, view->next);
    }
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(2, 1, batch, settings, view, block, lane);
            spring p = spring_at(&s, view->x);
            vd value[6], speed[3], R[9];
            if (damped) gather_edges(2, &s, view->v, speed);
            for (int i = 0; i < 6; ++i) value[i] = vd_set(0);
            vd tension = vd_set(0);
            for (int i = 0; i < 2; ++i) {
                if (batch->warping) vertex_frame(&s, i, R);
                if (batch->warping || i == 0) { /* without frames both ends see the same */
                    tension = p.k * stretch_of(&p, batch, batch->warping ? R : NULL) + recalled_tension(&s);
                    if (damped) tension += p.r * dot(3, p.n, speed);
                }
                for (int a = 0; a < 3; ++a) value[3 * i + a] = i ? -tension * p.n[a] : tension * p.n[a];
            }
            scatter(2, &s, value, f);
        }
    return 0;
}

static int linearise(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                     double *linearised) {
    return batch->vertex_matrix ? keep_items(2, 18, vertex_linearise, batch, begin, end, view, k, d, linearised)
                                : keep_items(2, 9, spring_linearise, batch, begin, end, view, k, d, linearised);
}

static int product(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                   const double *linearised, const double *u, double *out) {
    return batch->vertex_matrix
               ? add_product(2, 18, vertex_linearise, vertex_product, batch, begin, end, view, k, d, linearised, u, out)
               : add_product(2, 9, spring_linearise, dense_product, batch, begin, end, view, k, d, linearised, u, out);
}

static int damp(const sn_batch *batch, int begin, int end, const sn_element_view *view, double d, const double *u,
                double *out) {
    return product(batch, begin, end, view, 0, d, NULL, u, out);
}

static int stiffness(const sn_batch *batch, int block, const sn_element_view *view, double k, double d, int upper,
                     double *linearised, double *out) {
    return batch->vertex_matrix
               ? fill_matrices(2, 18, vertex_linearise, vertex_matrix, batch, block, view, k, d, upper, linearised, out)
               : fill_matrices(2, 9, spring_linearise, dense_matrix, batch, block, view, k, d, upper, linearised, out);
}

static int recall(const sn_batch *batch, int begin, int end, const sn_element_settings *settings, const double *before,
                  const double *memory, double *recalled) {
    return recall_body(batch, begin, end, settings, before, memory, recalled);
}

static int serves(const sn_element *element) { return element->nodes == 2 && element->derive != NULL; }

extern const sn_element_kernels SN_ISA(sn_spring_kernels);
const sn_element_kernels SN_ISA(sn_spring_kernels) = {
    .serves = serves, DERIVED_FIELDS, .remember = remember, .recall = recall};
