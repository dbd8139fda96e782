/* Loops over derived elements: springs, hinges and the elements of particles.
 *
 * A kernel file writes the physics of one slice as functions. The loops here gather the slices, call these functions
 * and scatter the results. The loops take the functions as arguments. The compiler inlines both. */
#ifndef SN_FEM_KERNEL_DERIVED_LOOPS_H
#define SN_FEM_KERNEL_DERIVED_LOOPS_H

#include "element_matrix.h"

enum { DERIVED_NODES = 4, DERIVED_ITEMS = 81 }; /* the most that a derived element has */

/* The physics of one slice of elements with N nodes. Values: [node][axis], of all nodes. Items: the numbers of a
 * linearised element, from which the product and the matrix of k K + d D follow. */
typedef vd energy_at(const int N, const slice *s);
typedef void force_at(const int N, const slice *s, int damped, vd *value);
typedef void linearise_at(const int N, const slice *s, double k, double d, vd *item);
typedef void product_at(const int N, const slice *s, const vd *item, const double *u, vd *value);
typedef void matrix_at(const int N, const slice *s, vd *item, int upper, double *out); /* may change the items */

/* ---- Parts that several elements share ---- */
INLINE vd weighed_constant(const slice *s) {
    return vd_load(s->weight) * vd_load(s->settings->constant + s->block * SN_LANES + s->lane);
}

INLINE vd weighed_damping(const slice *s) {
    return vd_load(s->weight) * vd_load(s->settings->damping + s->block * 3 * SN_LANES + s->lane);
}

INLINE vd dot(const int count, const vd *a, const vd *b) {
    vd sum = a[0] * b[0];
    for (int i = 1; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

/* The force -(stress + r c') dc of an element that measures a number c. g: dc over the nodes from 1 on. */
INLINE void force_along(const int N, const slice *s, int damped, vd stress, vd r, const vd *g, vd *value) {
    vd speed[3 * (DERIVED_NODES - 1)];
    if (damped) {
        gather_edges(N, s, s->view->v, speed);
        stress += r * dot(3 * (N - 1), g, speed);
    }
    for (int i = 0; i < 3 * (N - 1); ++i) value[3 + i] = -stress * g[i];
    balance(N, value);
}

/* Dense elements: the items are k K + d D over the nodes from 1 on, row-major and symmetric. */
INLINE void dense_product(const int N, const slice *s, const vd *item, const double *u, vd *value) {
    const int side = 3 * (N - 1);
    vd du[3 * (DERIVED_NODES - 1)];
    gather_edges(N, s, u, du);
    for (int i = 0; i < side; ++i) value[3 + i] = dot(side, item + side * i, du);
    balance(N, value);
}

INLINE void dense_matrix(const int N, const slice *s, vd *item, int upper, double *out) {
    const int M = N - 1;
    vd K[DERIVED_ITEMS];
    if (N == 2) { /* one block, whose rows are its columns */
        store_matrix(2, item, 0, upper, out);
        return;
    }
    for (int i = 0; i < M; ++i)
        for (int j = i; j < M; ++j)
            for (int e = 0; e < 9; ++e) K[9 * (M * i + j) + e] = item[3 * M * (3 * j + e / 3) + 3 * i + e % 3];
    store_matrix(N, K, 0, upper, out);
}

/* ---- Loops ---- */
INLINE int sum_energy(const int N, energy_at *energy, const sn_batch *batch, int begin, int end,
                      const sn_element_view *view, double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    double total = *out;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, 1, batch, settings, view, block, lane);
            const vd each = energy(N, &s);
            for (int l = 0; l < SN_WIDTH; ++l)
                if (s.element_of[l] >= 0) total += each[l];
        }
    *out = total;
    return 0;
}

INLINE int add_forces(const int N, force_at *force, const sn_batch *batch, int begin, int end,
                      const sn_element_view *view, double *f) {
    const sn_batch_settings *settings = settings_of(batch, view);
    const int damped = view->v && settings->damped;
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, 1, batch, settings, view, block, lane);
            vd value[3 * DERIVED_NODES];
            force(N, &s, damped, value);
            scatter(N, &s, value, f);
        }
    return 0;
}

INLINE int keep_items(const int N, const int items, linearise_at *linearise, const sn_batch *batch, int begin, int end,
                      const sn_element_view *view, double k, double d, double *linearised) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, 1, batch, settings, view, block, lane);
            vd item[DERIVED_ITEMS];
            linearise(N, &s, k, d, item);
            store_rows(item, items, linearised_at(1, &s, 0, linearised));
        }
    return 0;
}

INLINE int add_product(const int N, const int items, linearise_at *linearise, product_at *product,
                       const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,
                       const double *linearised, const double *u, double *out) {
    const sn_batch_settings *settings = linearised ? NULL : settings_of(batch, view);
    for (int block = begin; block < end; ++block)
        for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
            const slice s = slice_at(N, 1, batch, settings, view, block, lane);
            vd item[DERIVED_ITEMS], value[3 * DERIVED_NODES];
            if (linearised)
                load_rows(linearised_at(1, &s, 0, (double *)(uintptr_t)linearised), items, item);
            else
                linearise(N, &s, k, d, item);
            product(N, &s, item, u, value);
            scatter(N, &s, value, out);
        }
    return 0;
}

INLINE int fill_matrices(const int N, const int items, linearise_at *linearise, matrix_at *matrix,
                         const sn_batch *batch, int block, const sn_element_view *view, double k, double d, int upper,
                         double *linearised, double *out) {
    const sn_batch_settings *settings = settings_of(batch, view);
    for (int lane = 0; lane < SN_LANES; lane += SN_WIDTH) {
        const slice s = slice_at(N, 1, batch, settings, view, block, lane);
        vd item[DERIVED_ITEMS];
        linearise(N, &s, k, d, item);
        if (linearised) store_rows(item, items, linearised_at(1, &s, 0, linearised));
        matrix(N, &s, item, upper, out + lane);
    }
    return 0;
}

/* ---- Derived elements have no deformation gradient, no stress and no rotation ---- */
static inline int without_stress(const sn_batch *batch, int block, const sn_element_view *view, double *F, double *P,
                                 double *cauchy, double *psi) {
    for (int l = 0; l < SN_LANES && psi; ++l) psi[l] = 0;
    for (int i = 0; i < 9 * SN_LANES; ++i) {
        if (F) F[i] = i / SN_LANES % 4 == 0;
        if (P) P[i] = 0;
        if (cauchy) cauchy[i] = 0;
    }
    return 0;
}

static inline int without_rotation(const sn_batch *batch, int block, const sn_element_view *view, double *R) {
    return without_stress(batch, block, view, R, NULL, NULL, NULL);
}

static inline int without_memory(const sn_batch *batch, int begin, int end, const sn_element_settings *settings,
                                 const double *before, const double *memory, double *recalled) {
    return 0;
}

static inline int without_history(const sn_batch *batch, int begin, int end, const sn_element_view *view,
                                  double *state) {
    return 0;
}

/* ---- Kernels ---- */
/* Defines the kernels of elements with N nodes from the functions of their physics. */
#define DERIVED_KERNELS(N, items, energy_of, force_of, linearise_of, product_of, matrix_of)                            \
    static int energy(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *out) {           \
        return sum_energy(N, energy_of, batch, begin, end, view, out);                                                 \
    }                                                                                                                  \
    static int force(const sn_batch *batch, int begin, int end, const sn_element_view *view, double *f) {              \
        if (view->next) {                                                                                              \
            const sn_element_view after = sn_view_after(view);                                                         \
            force(batch, begin, end, &after, view->next);                                                              \
        }                                                                                                              \
        return add_forces(N, force_of, batch, begin, end, view, f);                                                    \
    }                                                                                                                  \
    static int linearise(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,   \
                         double *linearised) {                                                                         \
        return keep_items(N, items, linearise_of, batch, begin, end, view, k, d, linearised);                          \
    }                                                                                                                  \
    static int product(const sn_batch *batch, int begin, int end, const sn_element_view *view, double k, double d,     \
                       const double *linearised, const double *u, double *out) {                                       \
        return add_product(N, items, linearise_of, product_of, batch, begin, end, view, k, d, linearised, u, out);     \
    }                                                                                                                  \
    static int stiffness(const sn_batch *batch, int block, const sn_element_view *view, double k, double d, int upper, \
                         double *linearised, double *out) {                                                            \
        return fill_matrices(N, items, linearise_of, matrix_of, batch, block, view, k, d, upper, linearised, out);     \
    }                                                                                                                  \
    static int damp(const sn_batch *batch, int begin, int end, const sn_element_view *view, double d, const double *u, \
                    double *out) {                                                                                     \
        return product(batch, begin, end, view, 0, d, NULL, u, out);                                                   \
    }

/* The fields of their table that are the same for all derived elements. */
#define DERIVED_FIELDS                                                                                                 \
    .energy = energy, .force = force, .linearise = linearise, .product = product, .damp = damp,                        \
    .stiffness = stiffness, .stress = without_stress, .rotation = without_rotation, .accept = without_history

#endif
