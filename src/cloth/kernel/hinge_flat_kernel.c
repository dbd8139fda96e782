/* Kernels of elements with a constant matrix: flat hinges of four nodes (cloth/hinges.h) and second differences of
 * three (cloth/particles.h).
 *
 *   s = sum_i a_i x_i with sum a_i = 0,   E = k w |s|^2 / 2,   f_i = -w a_i (k s + c s'),   K_ij = k w a_i a_j I
 * Numbers: a_1, a_2 and, of hinges, a_3. Constants: k. Damping: c. A linearised element is the one number w (k K + d
 * D). */
#include "cloth/hinges.h"
#include "cloth/particles.h"

#include "fem/kernel/element_matrix.h"

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

INLINE vd weighed(const slice *s, double k, double d) {
    const vd w = vd_load(s->weight);
    return k * (w * vd_load(s->settings->constant + s->block * SN_LANES + s->lane)) +
           d * (w * vd_load(s->settings->damping + s->block * 3 * SN_LANES + s->lane));
}

INLINE void spread_nodes(const int N, const slice *s, const vd *a, const vd *sum, double *out) {
    vd value[12];
    for (int i = 0; i < 3 * (N - 1); ++i) value[3 + i] = a[i / 3] * sum[i % 3];
    scatter_balanced(N, s, value, out);
}

INLINE int energy_of(const int N, const sn_batch *batch, int begin, int end, const sn_element_view *view, double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    double total = *out;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, 1, batch, settings, view, block, lane);
            vd a[3], sum[3];
            weigh_nodes(N, &s, view->x, a, sum);
            const vd each = weighed(&s, 0.5, 0) * (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
            for (int l = 0; l < SN_WIDTH; ++l)
                if (s.element_of[l] >= 0) total += each[l];
        }
    *out = total;
    return 0;
}

INLINE int force_of(const int N, const sn_batch *batch, int begin, int end, const sn_element_view *view, double *f) {
    const sn_batch_settings *settings = settings_of(batch, view);
    const int damped = view->v && settings->damped;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, 1, batch, settings, view, block, lane);
            vd a[3], sum[3], rate[3];
            weigh_nodes(N, &s, view->x, a, sum);
            const vd k = weighed(&s, -1, 0), d = weighed(&s, 0, -1);
            for (int i = 0; i < 3; ++i) sum[i] *= k;
            if (damped) {
                weigh_nodes(N, &s, view->v, a, rate);
                for (int i = 0; i < 3; ++i) sum[i] += d * rate[i];
            }
            spread_nodes(N, &s, a, sum, f);
        }
    return 0;
}

INLINE int linearise_of(const int N, const sn_batch *batch, int begin, int end, const sn_element_view *view, double k,
                        double d, double *linearised) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, 1, batch, settings, view, block, lane);
            vd_store(linearised_at(1, &s, 0, linearised), weighed(&s, k, d));
        }
    return 0;
}

INLINE int product_of(const int N, const sn_batch *batch, int begin, int end, const sn_element_view *view, double k,
                      double d, const double *linearised, const double *u, double *out) {
    const sn_batch_settings *settings = linearised ? NULL : settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, 1, batch, settings, view, block, lane);
            vd a[3], sum[3];
            const vd scale =
                linearised ? vd_load(linearised_at(1, &s, 0, (double *)(uintptr_t)linearised)) : weighed(&s, k, d);
            weigh_nodes(N, &s, u, a, sum);
            for (int i = 0; i < 3; ++i) sum[i] *= scale;
            spread_nodes(N, &s, a, sum, out);
        }
    return 0;
}

INLINE int stiffness_of(const int N, const sn_batch *batch, int block, const sn_element_view *view, double k, double d,
                        int upper, double *linearised, double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(N, 1, batch, settings, view, block, lane);
        vd a[3], K[81];
        load_rows(number_at(&s), N - 1, a);
        const vd scale = weighed(&s, k, d);
        if (linearised) vd_store(linearised_at(1, &s, 0, linearised), scale);
        for (int i = 0; i < N - 1; ++i)
            for (int j = i; j < N - 1; ++j)
                for (int e = 0; e < 9; ++e) K[9 * ((N - 1) * i + j) + e] = vd_set(e % 4 == 0) * scale * (a[i] * a[j]);
        store_matrix(N, K, 0, upper, out + lane);
    }
    return 0;
}

/* ---- By the number of nodes ---- */
static int energy(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *out) {
    return batch->element->nodes == 4 ? energy_of(4, batch, begin, end, view, out)
                                      : energy_of(3, batch, begin, end, view, out);
}

static int force(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *f) {
    if (view->next) {
        const sn_element_view after = sn_view_after(view);
        force(batch, begin, end, &after, view->next);
    }
    return batch->element->nodes == 4 ? force_of(4, batch, begin, end, view, f)
                                      : force_of(3, batch, begin, end, view, f);
}

static int linearise(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                     double *linearised) {
    return batch->element->nodes == 4 ? linearise_of(4, batch, begin, end, view, k, d, linearised)
                                      : linearise_of(3, batch, begin, end, view, k, d, linearised);
}

static int product(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                   const double *linearised, const double *u, double *out) {
    return batch->element->nodes == 4 ? product_of(4, batch, begin, end, view, k, d, linearised, u, out)
                                      : product_of(3, batch, begin, end, view, k, d, linearised, u, out);
}

static int stiffness(const sn_batch *batch, int block, const sn_element_view *view, double k, double d, int upper,
                     double *linearised, double *out) {
    return batch->element->nodes == 4 ? stiffness_of(4, batch, block, view, k, d, upper, linearised, out)
                                      : stiffness_of(3, batch, block, view, k, d, upper, linearised, out);
}

static int damp(const sn_batch *batch, int begin, int end, const sn_element_view *view, double d, const double *u,
                double *out) {
    return product(batch, begin, end, view, 0, d, NULL, u, out);
}

static int serves(const sn_element *element) {
    return element == &sn_element_hinge_flat || element == &sn_element_second_differences;
}

extern const sn_element_kernels SN_ISA(sn_hinge_flat_kernels);
const sn_element_kernels SN_ISA(sn_hinge_flat_kernels) = {.serves = serves,
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
