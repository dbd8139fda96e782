/* Kernels of hinges that measure the angle between two triangles (cloth/hinges.h, hinge.h).
 *
 *   f = -(k w (theta - theta0) + c w theta') d theta,    theta' = d theta . v
 *   K = k w (d theta d theta^T + (theta - theta0) d2 theta),    D = c w d theta d theta^T
 * The differential `projected` leaves the second derivative out and is so definite. The change of the damping force
 * with x is in neither. Numbers: theta0. Constants: k. Damping: c. */
#include "cloth/hinges.h"

#include "hinge.h"

#include "fem/kernel/derived_loops.h"

/* What one slice of hinges knows. */
typedef struct angles {
    hinge h;
    vd k, c, bend, g[9];
} angles;

INLINE void look_at(const int N, const slice *s, angles *a) {
    vd edge[9];
    gather_edges(N, s, s->view->x, edge);
    hinge_at(edge, &a->h);
    hinge_gradient(&a->h, a->g);
    a->k = weighed_constant(s);
    a->c = weighed_damping(s);
    a->bend = hinge_bend(&a->h, vd_load(number_at(s)));
}

INLINE vd hinge_energy(const int N, const slice *s) {
    angles a;
    look_at(N, s, &a);
    return vd_set(0.5) * a.k * a.bend * a.bend;
}

INLINE void hinge_force(const int N, const slice *s, int damped, vd *value) {
    angles a;
    look_at(N, s, &a);
    force_along(N, s, damped, a.k * a.bend, a.c, a.g, value);
}

APART void hinge_linearise(const int N, const slice *s, double k, double d, vd *A) {
    angles a;
    look_at(N, s, &a);
    const vd same = k * a.k + d * a.c;
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 9; ++j) A[9 * i + j] = same * (a.g[i] * a.g[j]);
    if (k == 0 || sn_batch_differential(s->batch, s->view->projected) != SN_DIFFERENTIAL_EXACT) return;
    hinge_add_second(&a.h, k * a.k * a.bend, A);
    for (int i = 0; i < 9; ++i) /* symmetric but for rounding */
        for (int j = 0; j < i; ++j) A[9 * i + j] = A[9 * j + i] = vd_set(0.5) * (A[9 * i + j] + A[9 * j + i]);
}

DERIVED_KERNELS(4, 81, hinge_energy, hinge_force, hinge_linearise, dense_product, dense_matrix)

static int serves(const sn_element *element) { return element == &sn_element_hinge; }

extern const sn_element_kernels SN_ISA(sn_hinge_kernels);
const sn_element_kernels SN_ISA(sn_hinge_kernels) = {.serves = serves, DERIVED_FIELDS, .recall = without_memory};
