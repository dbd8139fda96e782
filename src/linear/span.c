/* See span.h. */
#include "span.h"

#include <math.h>
#include <string.h>

#include "kernels.h"

typedef struct span_work {
    const sn_linear_kernels *kernels;
    int n, count, dots;
    const double *const *direction;
    double *w, *q; /* count x n: the directions in the free space, and A times them */
    double *x, *r;
    double *partial;
    double c[SN_SPAN_MAX];
} span_work;

int64_t sn_span_scratch(int count, int n) {
    return 2 * (int64_t)count * n + (int64_t)(count + 1) * (count + 2) / 2 * sn_dot_scratch(n);
}

static int piece_end(const span_work *s, int piece) { return (piece + 1) * SN_PIECE < s->n ? (piece + 1) * SN_PIECE : s->n; }

/* The lower triangle of W^T A W, then W^T r, then r.r, of one piece. */
static void dot_piece(void *data, int piece) {
    const span_work *s = data;
    const int begin = piece * SN_PIECE, length = piece_end(s, piece) - begin;
    double *out = s->partial + (int64_t)piece * s->dots;
    for (int i = 0; i < s->count; ++i)
        for (int j = 0; j <= i; ++j)
            *out++ = s->kernels->dot(length, s->w + (int64_t)i * s->n + begin, s->q + (int64_t)j * s->n + begin);
    for (int i = 0; i < s->count; ++i) *out++ = s->kernels->dot(length, s->w + (int64_t)i * s->n + begin, s->r + begin);
    *out = s->kernels->dot(length, s->r + begin, s->r + begin);
}

/* x += W c, r -= Q c of one piece. */
static void move_piece(void *data, int piece) {
    const span_work *s = data;
    for (int i = 0; i < s->count; ++i) {
        const double c = s->c[i], *w = s->w + (int64_t)i * s->n, *q = s->q + (int64_t)i * s->n;
        if (c == 0) continue;
        for (int k = piece * SN_PIECE; k < piece_end(s, piece); ++k) {
            s->x[k] += c * w[k];
            s->r[k] -= c * q[k];
        }
    }
}

/* G c = g by a Cholesky factorisation of the scaled G that leaves out the directions that are (nearly) in the span of those before. */
static void solve_small(int count, const double *dots, double *c) {
    enum { M = SN_SPAN_MAX };
    const double *g = dots + count * (count + 1) / 2, smallest = 1e-7;
    double L[M][M] = {{0}}, scale[M];
    for (int i = 0; i < count; ++i) {
        const double d = dots[i * (i + 1) / 2 + i];
        scale[i] = d > 0 && isfinite(d) ? 1 / sqrt(d) : 0;
        double pivot = scale[i] > 0 ? 1 : 0;
        for (int j = 0; j < i; ++j) {
            double s = dots[i * (i + 1) / 2 + j] * scale[i] * scale[j];
            for (int k = 0; k < j; ++k) s -= L[i][k] * L[j][k];
            L[i][j] = L[j][j] > 0 ? s / L[j][j] : 0;
            pivot -= L[i][j] * L[i][j];
        }
        L[i][i] = pivot > smallest ? sqrt(pivot) : 0;
    }
    for (int i = 0; i < count; ++i) {
        double s = g[i] * scale[i];
        for (int k = 0; k < i; ++k) s -= L[i][k] * c[k];
        c[i] = L[i][i] > 0 ? s / L[i][i] : 0;
    }
    for (int i = count - 1; i >= 0; --i) {
        double s = c[i];
        for (int k = i + 1; k < count; ++k) s -= L[k][i] * c[k];
        c[i] = L[i][i] > 0 ? s / L[i][i] : 0;
    }
    for (int i = 0; i < count; ++i) c[i] *= scale[i];
}

bool sn_span_start(const sn_operator *op, const sn_filter *filter, int count, const double *const *direction, double *x, double *r,
                   double *scratch) {
    const int n = op->n, pieces = sn_pieces(n, SN_PIECE);
    span_work s = {.kernels = sn_linear_kernels_for(op->context), .n = n, .x = x, .r = r, .w = scratch};
    s.q = s.w + (int64_t)count * n, s.partial = s.q + (int64_t)count * n;
    for (int i = 0; i < count; ++i) {
        double *w = s.w + (int64_t)s.count * n, *q = s.q + (int64_t)s.count * n;
        sn_vector_copy(op->context, n, direction[i], w);
        sn_filter_apply(filter, w);
        sn_operator_apply(op, w, q);
        sn_filter_apply(filter, q);
        ++s.count;
    }
    s.dots = (s.count + 1) * (s.count + 2) / 2;
    sn_parallel_pieces(op->context, pieces, dot_piece, &s);
    double dots[(SN_SPAN_MAX + 1) * (SN_SPAN_MAX + 2) / 2] = {0};
    for (int p = 0; p < pieces; ++p)
        for (int i = 0; i < s.dots; ++i) dots[i] += s.partial[(int64_t)p * s.dots + i];
    solve_small(s.count, dots, s.c);
    bool any = false;
    for (int i = 0; i < s.count; ++i) {
        if (!isfinite(s.c[i])) return false;
        any = any || s.c[i] != 0;
    }
    if (any) sn_parallel_pieces(op->context, pieces, move_piece, &s);
    return any;
}
