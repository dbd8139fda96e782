/* The loops of vector.h over one piece, built once per instruction set. Sums have SN_LANES virtual lanes: scalar i of
 * the piece belongs to lane i % SN_LANES. The lanes are added as a fixed tree, so every vector width gives the same
 * bits. */
#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "base/vector.h"

enum { PARTS = SN_LANES / SN_WIDTH };
typedef double loose __attribute__((vector_size(8 * SN_WIDTH), aligned(8), may_alias));

static double add_lanes(const double s[SN_LANES]) {
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

static double dot(int n, const double *a, const double *b) {
    loose sum[PARTS] = {0};
    int i = 0;
    for (; i + SN_LANES <= n; i += SN_LANES)
        for (int k = 0; k < PARTS; ++k)
            sum[k] += *(const loose *)(a + i + k * SN_WIDTH) * *(const loose *)(b + i + k * SN_WIDTH);
    double lane[SN_LANES];
    memcpy(lane, sum, sizeof lane);
    for (int l = 0; i < n; ++i, ++l) lane[l] += a[i] * b[i];
    return add_lanes(lane);
}

static double work(int n, const double *f, const double *g, const double *x, const double *y) {
    loose sum[PARTS] = {0};
    int i = 0;
    for (; i + SN_LANES <= n; i += SN_LANES)
        for (int k = 0; k < PARTS; ++k) {
            const int at = i + k * SN_WIDTH;
            sum[k] += (*(const loose *)(f + at) + *(const loose *)(g + at)) *
                      (*(const loose *)(y + at) - *(const loose *)(x + at));
        }
    double lane[SN_LANES];
    memcpy(lane, sum, sizeof lane);
    for (int l = 0; i < n; ++i, ++l) lane[l] += (f[i] + g[i]) * (y[i] - x[i]);
    return add_lanes(lane);
}

/* Four chains for each component: node i belongs to chain i % 4. */
enum { CHAINS = 4 };
static inline __attribute__((always_inline)) void add_moment(int nodes, const double *w, const double *a,
                                                             const double *b, double out[3]) {
    double sum[3 * CHAINS] = {0};
    int i = 0;
    for (; i + CHAINS <= nodes; i += CHAINS) {
        const double *p = a + 3 * i, *q = b ? b + 3 * i : NULL;
        for (int k = 0; k < 3 * CHAINS; ++k) sum[k] += b ? w[i + k / 3] * (p[k] * q[k]) : w[i + k / 3] * p[k];
    }
    for (int k = 0; i + k / 3 < nodes; ++k) sum[k] += w[i + k / 3] * (b ? a[3 * i + k] * b[3 * i + k] : a[3 * i + k]);
    for (int c = 0; c < 3; ++c) out[c] = (sum[c] + sum[3 + c]) + (sum[6 + c] + sum[9 + c]);
}

static void moment(int nodes, const double *w, const double *a, const double *b, double out[3]) {
    if (b)
        add_moment(nodes, w, a, b, out);
    else
        add_moment(nodes, w, a, NULL, out);
}

static double largest(int n, const double *a) {
    vd most[PARTS] = {0}, zero[PARTS] = {0}; /* zero times a number that is not finite is NaN */
    int i = 0;
    for (; i + SN_LANES <= n; i += SN_LANES)
        for (int k = 0; k < PARTS; ++k) {
            const vd value = *(const loose *)(a + i + k * SN_WIDTH);
            most[k] = vd_max(vd_abs(value), most[k]);
            zero[k] += 0 * value;
        }
    double lane[SN_LANES], not_finite[SN_LANES], out = 0;
    memcpy(lane, most, sizeof lane);
    memcpy(not_finite, zero, sizeof not_finite);
    for (int l = 0; i < n; ++i, ++l) {
        lane[l] = fabs(a[i]) > lane[l] ? fabs(a[i]) : lane[l];
        not_finite[l] += 0 * a[i];
    }
    for (int l = 0; l < SN_LANES; ++l) {
        if (!(not_finite[l] == 0)) return NAN;
        out = lane[l] > out ? lane[l] : out;
    }
    return out;
}

static double residual(int n, double alpha, const double *q, double *r) {
    loose sum[PARTS] = {0}, step;
    for (int l = 0; l < SN_WIDTH; ++l) step[l] = alpha;
    int i = 0;
    for (; i + SN_LANES <= n; i += SN_LANES)
        for (int k = 0; k < PARTS; ++k) {
            loose *place = (loose *)(r + i + k * SN_WIDTH);
            const loose value = *place - step * *(const loose *)(q + i + k * SN_WIDTH);
            *place = value;
            sum[k] += value * value;
        }
    double lane[SN_LANES];
    memcpy(lane, sum, sizeof lane);
    for (int l = 0; i < n; ++i, ++l) {
        r[i] -= alpha * q[i];
        lane[l] += r[i] * r[i];
    }
    return add_lanes(lane);
}

/* All vectors are loaded before the first store, because x_out may be x. */
static void direction(int n, double alpha, double beta, const double *z, double *p, const double *x, double *x_out) {
    loose a, b;
    for (int l = 0; l < SN_WIDTH; ++l) a[l] = alpha, b[l] = beta;
    int i = 0;
    for (; i + SN_WIDTH <= n; i += SN_WIDTH) {
        const loose old = *(const loose *)(p + i), from = *(const loose *)(x + i),
                    next = *(const loose *)(z + i) + b * old;
        *(loose *)(x_out + i) = from + a * old;
        *(loose *)(p + i) = next;
    }
    for (; i < n; ++i) {
        const double old = p[i];
        x_out[i] = x[i] + alpha * old;
        p[i] = z[i] + beta * old;
    }
}

static void products(int n, const double *a, const double *b, double out[3]) {
    loose sum[3][PARTS] = {0};
    int i = 0;
    for (; i + SN_LANES <= n; i += SN_LANES)
        for (int k = 0; k < PARTS; ++k) {
            const loose x = *(const loose *)(a + i + k * SN_WIDTH), y = *(const loose *)(b + i + k * SN_WIDTH);
            sum[0][k] += x * y;
            sum[1][k] += x * x;
            sum[2][k] += y * y;
        }
    double lane[3][SN_LANES];
    memcpy(lane, sum, sizeof lane);
    for (int l = 0; i < n; ++i, ++l) {
        lane[0][l] += a[i] * b[i];
        lane[1][l] += a[i] * a[i];
        lane[2][l] += b[i] * b[i];
    }
    for (int m = 0; m < 3; ++m) out[m] = add_lanes(lane[m]);
}

static void mix(int n, double a, const double *x, double b, const double *y, double c, const double *z, double *out) {
    if (z)
        for (int i = 0; i < n; ++i) out[i] = a * x[i] + b * y[i] + c * z[i];
    else if (y)
        for (int i = 0; i < n; ++i) out[i] = a * x[i] + b * y[i];
    else
        for (int i = 0; i < n; ++i) out[i] = a * x[i];
}

static void difference(int n, double s, const double *a, const double *b, double *out) {
    for (int i = 0; i < n; ++i) out[i] = s * (a[i] - b[i]);
}

static void divide(int nodes, const double *w, const double *a, double *out) {
    int i = 0;
    for (; i + SN_LANES <= nodes; i += SN_LANES)
        for (int k = 0; k < 3 * SN_LANES; k += SN_WIDTH) {
            vd weight;
            for (int l = 0; l < SN_WIDTH; ++l) weight[l] = w[i + (k + l) / 3];
            const vd quotient = *(const loose *)(a + 3 * i + k) / weight;
            *(loose *)(out + 3 * i + k) = vd_select((vi)(weight > vd_set(0)), quotient, vd_set(0));
        }
    for (int k = 3 * i; k < 3 * nodes; ++k) out[k] = w[k / 3] > 0 ? a[k] / w[k / 3] : 0;
}

static double quasi(int n, double e, const double *p, const double *q, double a, double *d, double *s, double *r) {
    loose sum[PARTS] = {0}, from, to;
    for (int l = 0; l < SN_WIDTH; ++l) from[l] = a, to[l] = e;
    int i = 0;
    for (; i + SN_LANES <= n; i += SN_LANES)
        for (int k = 0; k < PARTS; ++k) {
            const int at = i + k * SN_WIDTH;
            const loose step = to * *(const loose *)(p + at) + from * *(const loose *)(d + at),
                        change = to * *(const loose *)(q + at) + from * *(const loose *)(s + at),
                        rest = *(const loose *)(r + at) - change;
            *(loose *)(d + at) = step;
            *(loose *)(s + at) = change;
            *(loose *)(r + at) = rest;
            sum[k] += rest * rest;
        }
    double lane[SN_LANES];
    memcpy(lane, sum, sizeof lane);
    for (int l = 0; i < n; ++i, ++l) {
        d[i] = e * p[i] + a * d[i];
        s[i] = e * q[i] + a * s[i];
        r[i] -= s[i];
        lane[l] += r[i] * r[i];
    }
    return add_lanes(lane);
}

extern const sn_vector_kernels SN_ISA(sn_vector_kernels);
const sn_vector_kernels SN_ISA(sn_vector_kernels) = {
    .dot = dot,
    .work = work,
    .moment = moment,
    .products = products,
    .largest = largest,
    .mix = mix,
    .difference = difference,
    .divide = divide,
    .residual = residual,
    .direction = direction,
    .quasi = quasi,
};
