/* Kernels of the corners of a grid of particles, three nodes each (cloth/particles.h).
 *
 *   a = x_1 - x_0, b = x_2 - x_0 over the root of their rest lengths' product,  c = a . b,  k = modulus times factor
 *   E = k c^2 / 2,  f = -(k c + r c') dc,  dc / dx_1 = b, dc / dx_2 = a  (over the root),  x_0: minus the sum
 *   K = k (dc dc^T + c d2c),  d2c = ((0, I), (I, 0)) / (l_1 l_2),   D = r dc dc^T
 * d2c is P+ - P- over l_1 l_2, with the projections P+ on x_1 = x_2 and P- on x_1 = -x_2. The differential `projected`
 * has the one of them that is positive. Numbers: 1 / (l_1 l_2). Constants: the modulus. Damping: that per area. */
#include "cloth/particles.h"

#include "fem/kernel/derived_loops.h"

/* What one slice of corners knows; g: dc over the nodes 1 and 2. */
typedef struct angle {
    vd k, r, c, scale, g[6];
} angle;

INLINE angle angle_at(const int N, const slice *s) {
    angle t;
    vd e[6];
    gather_edges(N, s, s->view->x, e);
    t.k = weighed_constant(s);
    t.r = weighed_damping(s);
    t.scale = vd_load(number_at(s));
    t.c = t.scale * dot(3, e, e + 3);
    for (int a = 0; a < 3; ++a) t.g[a] = t.scale * e[3 + a], t.g[3 + a] = t.scale * e[a];
    return t;
}

INLINE vd corner_energy(const int N, const slice *s) {
    const angle t = angle_at(N, s);
    return vd_set(0.5) * t.k * t.c * t.c;
}

INLINE void corner_force(const int N, const slice *s, int damped, vd *value) {
    const angle t = angle_at(N, s);
    force_along(N, s, damped, t.k * t.c, t.r, t.g, value);
}

INLINE void corner_linearise(const int N, const slice *s, double k, double d, vd *A) {
    const angle t = angle_at(N, s);
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

DERIVED_KERNELS(3, 36, corner_energy, corner_force, corner_linearise, dense_product, dense_matrix)

static int serves(const sn_element *element) { return element == &sn_element_corners; }

extern const sn_element_kernels SN_ISA(sn_corner_kernels);
const sn_element_kernels SN_ISA(sn_corner_kernels) = {.serves = serves, DERIVED_FIELDS, .recall = without_memory};
