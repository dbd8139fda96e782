/* Sums over the nodes of a group of coarse.h, with the three components of a vector in one register. */
#include "base/simd.h"
#include "fem/coarse.h"

typedef double v4 __attribute__((vector_size(32), aligned(8), may_alias));

static inline v4 spread(double a) { return (v4){a, a, a, a}; }

static void mean(int count, const int32_t *node, const double *gradient, const double *x, double out[9]) {
    v4 F[3] = {{0}};
    const double *x0 = x + 3 * (int64_t)node[0];
    for (int k = 0; k < count; ++k) {
        const double *p = x + 3 * (int64_t)node[k];
        const v4 g = *(const v4 *)(gradient + 4 * (int64_t)k);
        for (int a = 0; a < 3; ++a) F[a] += spread(p[a] - x0[a]) * g;
    }
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) out[3 * a + b] = F[a][b];
}

static void give(int count, const int32_t *node, const double *gradient, const double Q[9], double *out) {
    v4 column[3];
    for (int b = 0; b < 3; ++b) column[b] = (v4){Q[b], Q[3 + b], Q[6 + b], 0};
    for (int k = 0; k < count; ++k) {
        const double *g = gradient + 4 * (int64_t)k;
        double *f = out + 3 * (int64_t)node[k];
        const v4 s = column[0] * spread(g[0]) + column[1] * spread(g[1]) + column[2] * spread(g[2]);
        for (int a = 0; a < 3; ++a) f[a] += s[a];
    }
}

extern const sn_coarse_kernels SN_ISA(sn_coarse_kernels);
const sn_coarse_kernels SN_ISA(sn_coarse_kernels) = {mean, give};
