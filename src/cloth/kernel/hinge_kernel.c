/* Kernels of hinges that measure the angle between two triangles (cloth/hinges.h, hinge.h).
 *
 *   f = -(k w (theta - theta0) + c w theta') d theta,    theta' = d theta . v
 *   K = k w (d theta d theta^T + (theta - theta0) d2 theta),    D = c w d theta d theta^T
 * The differential `projected` leaves the second derivative out and is so definite. The change of the damping force
 * with x is in neither. Numbers: theta0. Constants: k. Damping: c. */
#include "cloth/hinges.h"

#include "hinge.h"

/* What one slice of hinges knows. */
typedef struct angles {
    hinge h;
    vd k, c, bend, g[9];
} angles;

INLINE void look_at(const slice *s, angles *a) {
    vd edge[9];
    gather_edges(4, s, s->view->x, edge);
    hinge_at(edge, &a->h);
    hinge_gradient(&a->h, a->g);
    const vd w = vd_load(s->weight);
    a->k = w * vd_load(s->settings->constant + s->block * SN_LANES + s->lane);
    a->c = w * vd_load(s->settings->damping + s->block * 3 * SN_LANES + s->lane);
    a->bend = hinge_bend(&a->h, vd_load(number_at(s)));
}

static int energy(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    double total = *out;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(4, 1, batch, settings, view, block, lane);
            angles a;
            look_at(&s, &a);
            const vd sum = vd_set(0.5) * a.k * a.bend * a.bend;
            for (int l = 0; l < SN_WIDTH; ++l)
                if (s.element_of[l] >= 0) total += sum[l];
        }
    *out = total;
    return 0;
}

static inline vd along(const vd *g, const vd *u) {
    vd sum = g[0] * u[0];
    for (int i = 1; i < 9; ++i) sum += g[i] * u[i];
    return sum;
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
            const slice s = slice_at(4, 1, batch, settings, view, block, lane);
            angles a;
            vd value[12], speed[9];
            look_at(&s, &a);
            vd moment = a.k * a.bend;
            if (damped) {
                gather_edges(4, &s, view->v, speed);
                moment += a.c * along(a.g, speed);
            }
            for (int i = 0; i < 9; ++i) value[3 + i] = -moment * a.g[i];
            scatter_balanced(4, &s, value, f);
        }
    return 0;
}

/* k K + d D over the nodes 1, 2 and 3, row-major and symmetric. */
APART void matrix_of(const slice *s, double k, double d, vd *A) {
    angles a;
    look_at(s, &a);
    const vd same = k * a.k + d * a.c;
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9; ++j) A[9 * i + j] = same * (a.g[i] * a.g[j]);
    if (k == 0 || sn_batch_differential(s->batch, s->view->projected) != SN_DIFFERENTIAL_EXACT) return;
    hinge_add_second(&a.h, k * a.k * a.bend, A);
    for (int i = 0; i < 9; ++i) /* symmetric but for rounding */
        for (int j = 0; j < i; ++j) A[9 * i + j] = A[9 * j + i] = vd_set(0.5) * (A[9 * i + j] + A[9 * j + i]);
}

INLINE void keep(const slice *s, const vd *A, double *linearised) {
    double *out = linearised_at(1, s, 0, linearised);
    for (int i = 0; i < 81; ++i) vd_store(out + i * SN_LANES, A[i]);
}

static int linearise(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                     double *linearised) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(4, 1, batch, settings, view, block, lane);
            vd A[81];
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
            const slice s = slice_at(4, 1, batch, settings, view, block, lane);
            vd A[81], du[9], value[12];
            if (linearised)
                load_rows(linearised_at(1, &s, 0, (double *)(uintptr_t)linearised), 81, A);
            else
                matrix_of(&s, k, d, A);
            gather_edges(4, &s, u, du);
            for (int i = 0; i < 9; ++i) value[3 + i] = along(A + 9 * i, du);
            scatter_balanced(4, &s, value, out);
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
        const slice s = slice_at(4, 1, batch, settings, view, block, lane);
        vd A[81], K[81];
        matrix_of(&s, k, d, A);
        if (linearised) keep(&s, A, linearised);
        for (int i = 0; i < 3; ++i)
            for (int j = i; j < 3; ++j)
                for (int e = 0; e < 9; ++e) K[9 * (3 * i + j) + e] = A[9 * (3 * i + e % 3) + 3 * j + e / 3];
        store_matrix(4, K, 0, upper, out + lane);
    }
    return 0;
}

static int serves(const sn_element *element) { return element == &sn_element_hinge; }

extern const sn_element_kernels SN_ISA(sn_hinge_kernels);
const sn_element_kernels SN_ISA(sn_hinge_kernels) = {.serves = serves,
                                                     .energy = energy,
                                                     .force = force,
                                                     .linearise = linearise,
                                                     .product = product,
                                                     .damp = damp,
                                                     .stiffness = stiffness,
                                                     .stress = without_stress,
                                                     .rotation = without_rotation,
                                                     .accept = without_history,
                                                     .recall = without_memory};
