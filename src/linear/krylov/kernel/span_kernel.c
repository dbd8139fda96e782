/* Kernels that treat all directions of a span at once (span.h). The numbers of a node form three rows, one per axis; a
 * row has one number per direction. The product with a block repeats the entries of the block along the rows. */
#include "linear/krylov/span.h"

#include "linear/multigrid/kernel/slab.h"

typedef double d8 __attribute__((vector_size(64)));
typedef float f8 __attribute__((vector_size(32)));

enum { S = SN_SPAN, NODE = SN_SPAN_NODE };
_Static_assert(SN_SPAN_NODE == 16, "a node is one vector");

/* ALONG: entry i of a column of the block, repeated along row i. ROW: row c of the node's numbers, three times. */
#define ALONG(a, c)                                                                                                    \
    __builtin_shufflevector(a, a, c, c, c, c, c, c + 1, c + 1, c + 1, c + 1, c + 1, c + 2, c + 2, c + 2, c + 2, c + 2, \
                            15)
#define ROW(a, c)                                                                                                      \
    __builtin_shufflevector(a, a, c, c + 1, c + 2, c + 3, c + 4, c, c + 1, c + 2, c + 3, c + 4, c, c + 1, c + 2,       \
                            c + 3, c + 4, 15)
/* Direction k of each row, repeated along the row. */
#define ONE(a, k)                                                                                                      \
    __builtin_shufflevector(a, a, k, k, k, k, k, k + S, k + S, k + S, k + S, k + S, k + 2 * S, k + 2 * S, k + 2 * S,   \
                            k + 2 * S, k + 2 * S, 15)

static void product_span(const sn_pattern *pattern, const float *value, const float *w, float *q, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        v16 sum = all(0);
        for (int32_t k = pattern->row_begin[i]; k < pattern->row_begin[i + 1]; ++k) {
            const v16 a = *(const v16_loose *)(value + 9 * (int64_t)k),
                      b = *(const v16 *)(w + NODE * (int64_t)pattern->column[k]);
            sum += (ALONG(a, 0) * ROW(b, 0) + ALONG(a, 3) * ROW(b, S)) + ALONG(a, 6) * ROW(b, 2 * S);
        }
        *(v16 *)(q + NODE * (int64_t)i) = sum;
    }
}

/* sum += a, in double. */
static inline void add_wide(d8 sum[2], v16 a) {
    sum[0] += __builtin_convertvector(__builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7), d8);
    sum[1] += __builtin_convertvector(__builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15), d8);
}

static inline void add_rows(const d8 sum[2], double *out) {
    double lane[16];
    memcpy(lane, sum, sizeof lane);
    for (int j = 0; j < S; ++j) out[j] = (lane[j] + lane[S + j]) + lane[2 * S + j];
}

static void gram(const float *w, const float *q, double *out, int begin, int end) {
    d8 sum[S][2] = {{{0}}};
    for (int i = begin; i < end; ++i) {
        const v16 a = *(const v16 *)(w + NODE * (int64_t)i), b = *(const v16 *)(q + NODE * (int64_t)i);
        add_wide(sum[0], a * ONE(b, 0));
        add_wide(sum[1], a * ONE(b, 1));
        add_wide(sum[2], a * ONE(b, 2));
        add_wide(sum[3], a * ONE(b, 3));
        add_wide(sum[4], a * ONE(b, 4));
    }
    for (int k = 0; k < S; ++k) add_rows(sum[k], out + S * k);
}

static void project(const float *w, const double *r, double *out, int begin, int end) {
    d8 sum[2] = {{0}};
    for (int i = begin; i < end; ++i) {
        const v16 a = *(const v16 *)(w + NODE * (int64_t)i);
        const double x = r[3 * (int64_t)i], y = r[3 * (int64_t)i + 1], z = r[3 * (int64_t)i + 2];
        const d8 low = __builtin_convertvector(__builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7), d8);
        const d8 high = __builtin_convertvector(__builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15), d8);
        sum[0] += low * (d8){x, x, x, x, x, y, y, y};
        sum[1] += high * (d8){y, y, z, z, z, z, z, 0};
    }
    add_rows(sum, out);
}

static void move(const double *c, const float *w, const float *q, double *x, double *r, int begin, int end) {
    for (int64_t i = begin; i < end; ++i)
        for (int a = 0; a < 3; ++a) {
            const float *u = w + NODE * i + S * a, *v = q + NODE * i + S * a;
            double s = 0, t = 0;
            for (int k = 0; k < S; ++k) s += c[k] * (double)u[k], t += c[k] * (double)v[k];
            x[3 * i + a] += s;
            r[3 * i + a] -= t;
        }
}

extern const sn_span_kernels SN_ISA(sn_span_kernels);
const sn_span_kernels SN_ISA(sn_span_kernels) = {product_span, gram, project, move};
