/* Kernels of the edges of particles, two nodes each (cloth/particles.h).
 *
 *   d = x_1 - x_0, n = d / |d|, k = modulus times factor, r = damping times factor
 *   E = k (|d| - l)^2 / 2,  f_1 = -k (|d| - l) n - r (v_1 - v_0),   f_0 = -f_1
 *   K = k (n n^T + (1 - l / |d|) (I - n n^T)),   D = r I
 * The differential `projected` has max(0, 1 - l / |d|): a pressed edge does not push sideways. Numbers: l, and 1 for
 * the weft. Constants: the modulus. Damping: that per area. */
#include "cloth/particles.h"

#include "fem/kernel/derived_loops.h"

/* What one slice of edges knows. */
typedef struct tension {
    vd d[3], n[3], k, r, length, now;
} tension;

INLINE tension tension_at(const int N, const slice *s) {
    tension t;
    gather_edges(N, s, s->view->x, t.d);
    t.k = weighed_constant(s);
    t.r = weighed_damping(s);
    t.length = vd_load(number_at(s));
    t.now = vd_max(vd_sqrt(dot(3, t.d, t.d)), vd_set(1e-12) * t.length); /* an edge without length has no direction */
    for (int a = 0; a < 3; ++a) t.n[a] = t.d[a] / t.now;
    return t;
}

INLINE vd tension_energy(const int N, const slice *s) {
    const tension t = tension_at(N, s);
    const vd stretch = t.now - t.length;
    return vd_set(0.5) * t.k * stretch * stretch;
}

INLINE void tension_force(const int N, const slice *s, int damped, vd *value) {
    const tension t = tension_at(N, s);
    vd speed[3];
    for (int a = 0; a < 3; ++a) value[3 + a] = -t.k * (t.now - t.length) * t.n[a];
    if (damped) {
        gather_edges(N, s, s->view->v, speed);
        for (int a = 0; a < 3; ++a) value[3 + a] -= t.r * speed[a];
    }
    balance(N, value);
}

INLINE void tension_linearise(const int N, const slice *s, double k, double d, vd *A) {
    const tension t = tension_at(N, s);
    vd across = vd_set(1) - t.length / t.now;
    if (sn_batch_differential(s->batch, s->view->projected) != SN_DIFFERENTIAL_EXACT)
        across = vd_max(across, vd_set(0));
    const vd along = k * t.k * (vd_set(1) - across), same = k * t.k * across + d * t.r;
    for (int e = 0; e < 9; ++e) {
        A[e] = along * (t.n[e / 3] * t.n[e % 3]);
        if (e % 4 == 0) A[e] += same;
    }
}

static void linearised_tension(const sn_batch *batch, int block, const sn_element_settings *settings, double k,
                               double d, double *out) {
    const sn_batch_settings *own = &settings->batch[batch->index];
    for (int l = 0; l < SN_LANES; ++l)
        out[l] = batch->weight[block * SN_LANES + l] *
                 (k * own->constant[block * SN_LANES + l] + d * own->damping[block * 3 * SN_LANES + l]);
}

DERIVED_KERNELS(2, 9, tension_energy, tension_force, tension_linearise, dense_product, dense_matrix)

static int serves(const sn_element *element) { return element == &sn_element_particles; }

extern const sn_element_kernels SN_ISA(sn_tension_kernels);
const sn_element_kernels SN_ISA(sn_tension_kernels) = {
    .serves = serves, DERIVED_FIELDS, .tension = linearised_tension, .recall = without_memory};
