/* Kernels of the limit of strain, three nodes each (cloth/limit.h).
 *
 *   f_1 = b_0 e_1,  f_2 = b_1 e_1 + b_2 e_2: the columns of F by the edges e_i = x_i - x_0
 *   C = F^T F has the eigenvalues l_i = s_i^2 and the unit eigenvectors v_i;   g_i = F v_i,   h_i = phi'(s_i) / s_i
 *   dE = sum_i h_i g_i . a_i,   a_i = dF v_i
 *   d2E = sum_i [ h_i |a_i|^2 + m_i (g_i . a_i)^2 ] + b (g_1 . a_2 + g_2 . a_1)^2
 *   m_i = (phi''(s_i) - h_i) / l_i,   b = (h_1 - h_2) / (l_1 - l_2), which is m / 2 where both are equal
 * Numbers: b_0, b_1, b_2. Constants: k and the limit e. No damping. */
#include "cloth/limit.h"

#include "fem/kernel/derived_loops.h"

/* What one slice of triangles knows. w: a_i = w[i][0] de_1 + w[i][1] de_2. */
typedef struct stretches {
    vd g[2][3], w[2][2], l[2];
    vd psi, h[2], m[2];
} stretches;

/* phi, h and m at the squared stretch l. */
INLINE void stiffen(vd k, vd limit, vd l, vd *psi, vd *h, vd *m) {
    const vd zero = vd_set(0), one = vd_set(1), half = vd_set(0.5), width = half * limit;
    const vd s = vd_sqrt(vd_max(l, zero)), t = vd_max((s - one - width) / width, zero);
    const vi whole = (vi)(t > one);
    const vd bounded = vd_max(s, half); /* below that there is no stress */
    const vd first = k * width * vd_select(whole, t - half, half * t * t), second = k * vd_select(whole, one, t);
    *psi += k * width * width * vd_select(whole, vd_set(1.0 / 6) + half * t * (t - one), t * t * t / vd_set(6));
    *h = first / bounded;
    *m = (second - *h) / (bounded * bounded);
}

INLINE void stretches_at(const int N, const slice *s, stretches *t) {
    vd edge[6], number[3], f[6], v[4];
    gather_edges(N, s, s->view->x, edge);
    load_rows(number_at(s), 3, number);
    for (int a = 0; a < 3; ++a) f[a] = number[0] * edge[a], f[3 + a] = number[1] * edge[a] + number[2] * edge[3 + a];
    const vd zero = vd_set(0), one = vd_set(1), half = vd_set(0.5);
    const vd c11 = dot(3, f, f), c22 = dot(3, f + 3, f + 3), c12 = dot(3, f, f + 3);
    const vd mean = half * (c11 + c22), gap = half * (c11 - c22), radius = vd_sqrt(gap * gap + c12 * c12);
    /* v_1 = (cos, sin) of half the angle of (gap, c12); the larger of the two by the root, the other by the product. */
    const vi turned = (vi)(radius > zero), steep = (vi)(gap < zero);
    const vd size = vd_select(turned, radius, one), large = vd_sqrt(half * (one + vd_abs(gap) / size)),
             small = half * c12 / (size * large);
    v[0] = vd_select(turned, vd_select(steep, small, large), one);
    v[1] = vd_select(turned, vd_select(steep, large, small), zero);
    v[2] = -v[1], v[3] = v[0];
    t->l[0] = mean + radius, t->l[1] = mean - radius;
    t->psi = zero;
    const double *c = s->settings->constant + 2 * s->block * SN_LANES + s->lane;
    const vd k = vd_load(s->weight) * vd_load(c), limit = vd_load(c + SN_LANES);
    for (int i = 0; i < 2; ++i) {
        for (int a = 0; a < 3; ++a) t->g[i][a] = v[2 * i] * f[a] + v[2 * i + 1] * f[3 + a];
        t->w[i][0] = number[0] * v[2 * i] + number[1] * v[2 * i + 1];
        t->w[i][1] = number[2] * v[2 * i + 1];
        stiffen(k, limit, t->l[i], &t->psi, &t->h[i], &t->m[i]);
    }
}

INLINE vd limit_energy(const int N, const slice *s) {
    stretches t;
    stretches_at(N, s, &t);
    return t.psi;
}

INLINE void limit_force(const int N, const slice *s, int damped, vd *value) {
    stretches t;
    (void)damped;
    stretches_at(N, s, &t);
    for (int i = 0; i < 6; ++i)
        value[3 + i] = -(t.h[0] * t.w[0][i / 3] * t.g[0][i % 3] + t.h[1] * t.w[1][i / 3] * t.g[1][i % 3]);
    balance(N, value);
}

INLINE void limit_linearise(const int N, const slice *s, double k, double d, vd *A) {
    stretches t;
    vd cross[6];
    (void)d;
    stretches_at(N, s, &t);
    const vd apart = t.l[0] - t.l[1], quarter = vd_set(0.25);
    const vi equal = (vi)(apart <= vd_set(1e-5) * t.l[0]); /* the quotient would lose its digits */
    const vd both =
        vd_select(equal, quarter * (t.m[0] + t.m[1]), (t.h[0] - t.h[1]) / vd_select(equal, vd_set(1), apart));
    for (int i = 0; i < 6; ++i) cross[i] = t.w[1][i / 3] * t.g[0][i % 3] + t.w[0][i / 3] * t.g[1][i % 3];
    for (int i = 0; i < 6; ++i)
        for (int j = i; j < 6; ++j) {
            vd sum = both * (cross[i] * cross[j]);
            for (int p = 0; p < 2; ++p) {
                vd part = t.m[p] * (t.g[p][i % 3] * t.g[p][j % 3]);
                if (i % 3 == j % 3) part += t.h[p];
                sum += t.w[p][i / 3] * t.w[p][j / 3] * part;
            }
            A[6 * i + j] = A[6 * j + i] = vd_set(k) * sum;
        }
}

DERIVED_KERNELS(3, 36, limit_energy, limit_force, limit_linearise, dense_product, dense_matrix)

static int serves(const sn_element *element) {
    return element == &sn_element_limit || element == &sn_element_limit_grid;
}

extern const sn_element_kernels SN_ISA(sn_limit_kernels);
const sn_element_kernels SN_ISA(sn_limit_kernels) = {.serves = serves, DERIVED_FIELDS, .recall = without_memory};
