/* Kernels of the corners of a grid of particles, three nodes each (cloth/particles.h).
 *
 *   a = x_1 - x_0, b = x_2 - x_0 over the root of their rest lengths' product,  c = a . b,  k = modulus times factor
 *   E = k c^2 / 2,  f = -(k c + r c') dc,  dc / dx_1 = b, dc / dx_2 = a  (over the root),  x_0: minus the sum
 *   K = k (dc dc^T + c d2c),  d2c = ((0, I), (I, 0)) / (l_1 l_2),   D = r dc dc^T
 * d2c is P+ - P- over l_1 l_2, with the projections P+ on x_1 = x_2 and P- on x_1 = -x_2. The differential `projected`
 * has the one of them that is positive. Numbers: 1 / (l_1 l_2). Constants: the modulus. Damping: that per area. */
#include "cloth/particles.h"

#include "fem/kernel/element_matrix.h"

/* What one slice of corners knows; g: dc over the nodes 1 and 2. */
typedef struct angle {
    vd k, r, c, scale, g[6];
} angle;

INLINE angle angle_at(const slice *s) {
    angle t;
    vd e[6];
    const vd w = vd_load(s->weight);
    gather_edges(3, s, s->view->x, e);
    t.k = w * vd_load(s->settings->constant + s->block * SN_LANES + s->lane);
    t.r = w * vd_load(s->settings->damping + s->block * 3 * SN_LANES + s->lane);
    t.scale = vd_load(number_at(s));
    t.c = t.scale * (e[0] * e[3] + e[1] * e[4] + e[2] * e[5]);
    for (int a = 0; a < 3; ++a) t.g[a] = t.scale * e[3 + a], t.g[3 + a] = t.scale * e[a];
    return t;
}

INLINE vd along(const vd *g, const vd *u) {
    vd sum = g[0] * u[0];
    for (int i = 1; i < 6; ++i) sum += g[i] * u[i];
    return sum;
}

static int energy(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    double total = *out;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(3, 1, batch, settings, view, block, lane);
            const angle t = angle_at(&s);
            const vd each = vd_set(0.5) * t.k * t.c * t.c;
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
            const slice s = slice_at(3, 1, batch, settings, view, block, lane);
            const angle t = angle_at(&s);
            vd value[9], speed[6], stress = t.k * t.c;
            if (damped) {
                gather_edges(3, &s, view->v, speed);
                stress += t.r * along(t.g, speed);
            }
            for (int i = 0; i < 6; ++i) value[3 + i] = -stress * t.g[i];
            scatter_balanced(3, &s, value, f);
        }
    return 0;
}

/* k K + d D over the nodes 1 and 2, 6 x 6, row-major and symmetric. */
INLINE void matrix_of(const slice *s, double k, double d, vd *A) {
    const angle t = angle_at(s);
    const vd same = k * t.k + d * t.r;
    vd cross = k * t.k * t.c * t.scale, own = vd_set(0); /* of nodes 1 and 2, and of each with itself */
    if (sn_batch_differential(s->batch, s->view->projected) != SN_DIFFERENTIAL_EXACT) {
        cross = vd_set(0.5) * cross;
        own = vd_max(cross, -cross);
    }
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            A[6 * i + j] = same * (t.g[i] * t.g[j]);
            if (i == j) A[6 * i + j] += own;
            if (i == j + 3 || j == i + 3) A[6 * i + j] += cross;
        }
}

INLINE void keep(const slice *s, const vd *A, double *linearised) {
    double *out = linearised_at(1, s, 0, linearised);
    for (int i = 0; i < 36; ++i) vd_store(out + i * SN_LANES, A[i]);
}

static int linearise(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                     double *linearised) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(3, 1, batch, settings, view, block, lane);
            vd A[36];
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
            const slice s = slice_at(3, 1, batch, settings, view, block, lane);
            vd A[36], du[6], value[9];
            if (linearised)
                load_rows(linearised_at(1, &s, 0, (double *)(uintptr_t)linearised), 36, A);
            else
                matrix_of(&s, k, d, A);
            gather_edges(3, &s, u, du);
            for (int i = 0; i < 6; ++i) value[3 + i] = along(A + 6 * i, du);
            scatter_balanced(3, &s, value, out);
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
        const slice s = slice_at(3, 1, batch, settings, view, block, lane);
        vd A[36], K[36];
        matrix_of(&s, k, d, A);
        if (linearised) keep(&s, A, linearised);
        for (int i = 0; i < 2; ++i)
            for (int j = i; j < 2; ++j)
                for (int e = 0; e < 9; ++e) K[9 * (2 * i + j) + e] = A[6 * (3 * i + e % 3) + 3 * j + e / 3];
        store_matrix(3, K, 0, upper, out + lane);
    }
    return 0;
}

static int serves(const sn_element *element) { return element == &sn_element_corners; }

extern const sn_element_kernels SN_ISA(sn_corner_kernels);
const sn_element_kernels SN_ISA(sn_corner_kernels) = {.serves = serves,
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
