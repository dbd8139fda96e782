/* See span.h. */
#include "span.h"

#include <math.h>
#include <string.h>

#include "linear/matrix/coupling.h"
#include "linear/matrix/filter.h"
#include "linear/matrix/kernels.h"

extern const sn_span_kernels sn_span_kernels_baseline, sn_span_kernels_avx2, sn_span_kernels_avx512;

static const sn_span_kernels *kernels_for(const sn_context *context) { return SN_BUILD(context, sn_span_kernels); }

int64_t sn_span_scratch(int nodes) {
    return (int64_t)SN_SPAN_NODE * nodes + (int64_t)SN_SPAN_DOTS * sn_pieces(nodes, SN_PIECE_NODES);
}

static void range(const sn_span *s, int piece, int *begin, int *end) {
    const int nodes = s->matrix->pattern->nodes;
    *begin = piece * SN_PIECE_NODES;
    *end = *begin + SN_PIECE_NODES < nodes ? *begin + SN_PIECE_NODES : nodes;
}

static void pack_piece(void *data, int piece) {
    const sn_span *s = data;
    int begin, end;
    range(s, piece, &begin, &end);
    for (int64_t i = begin; i < end; ++i) {
        float *w = s->w + SN_SPAN_NODE * i;
        w[SN_SPAN_NODE - 1] = 0;
        for (int a = 0; a < 3; ++a)
            for (int k = 0; k < SN_SPAN; ++k)
                w[SN_SPAN * a + k] = k < s->count ? (float)(s->direction[k][3 * i + a] * s->scale[k]) : 0;
    }
}

/* W <- S W at the nodes that are not free. */
static void filter_nodes(const sn_span *s, const sn_filter *filter) {
    for (int f = 0; filter && f < filter->count; ++f) {
        const double *p = filter->projection + 9 * (int64_t)f;
        float *w = s->w + SN_SPAN_NODE * (int64_t)filter->node[f];
        for (int k = 0; k < SN_SPAN; ++k) {
            const double u[3] = {w[k], w[SN_SPAN + k], w[2 * SN_SPAN + k]};
            for (int a = 0; a < 3; ++a)
                w[SN_SPAN * a + k] = (float)(p[3 * a] * u[0] + p[3 * a + 1] * u[1] + p[3 * a + 2] * u[2]);
        }
    }
}

/* q += C w for the blocks without a place in the pattern. */
static void couple(const sn_span *s, int begin, int end) {
    const sn_coupling *c = s->matrix->coupling;
    if (!c || !c->row_count) return;
    for (int r = sn_coupling_row(c, begin); r < c->row_count && c->row[r] < end; ++r)
        for (int b = c->begin[r]; b < c->begin[r + 1]; ++b) {
            const double *V = c->value + 9 * (int64_t)b;
            const float *w = s->w + SN_SPAN_NODE * (int64_t)c->column[b];
            float *q = s->q + SN_SPAN_NODE * (int64_t)c->row[r];
            for (int a = 0; a < 3; ++a)
                for (int k = 0; k < SN_SPAN; ++k)
                    q[SN_SPAN * a + k] += (float)(V[a] * (double)w[k] + V[3 + a] * (double)w[SN_SPAN + k] +
                                                  V[6 + a] * (double)w[2 * SN_SPAN + k]);
        }
}

static void product_piece(void *data, int piece) {
    const sn_span *s = data;
    int begin, end;
    range(s, piece, &begin, &end);
    s->kernels->product(s->matrix->pattern, s->matrix->single_, s->w, s->q, begin, end);
    couple(s, begin, end);
    s->kernels->gram(s->w, s->q, s->partial + (int64_t)piece * SN_SPAN_DOTS, begin, end);
}

static void project_piece(void *data, int piece) {
    const sn_span *s = data;
    int begin, end;
    range(s, piece, &begin, &end);
    s->kernels->project(s->w, s->r, s->partial + (int64_t)piece * SN_SPAN_DOTS, begin, end);
}

static void move_piece(void *data, int piece) {
    const sn_span *s = data;
    int begin, end;
    range(s, piece, &begin, &end);
    s->kernels->move(s->c, s->w, s->q, s->x, s->r, begin, end);
}

/* Runs a loop whose pieces produce `count` numbers each, and adds these up. */
static void add_pieces(sn_span *s, void (*task)(void *data, int piece), int count, double *sum) {
    const int pieces = sn_pieces(s->matrix->pattern->nodes, SN_PIECE_NODES);
    sn_parallel_pieces(s->context, pieces, task, s);
    for (int i = 0; i < count; ++i) {
        sum[i] = 0;
        for (int p = 0; p < pieces; ++p) sum[i] += s->partial[(int64_t)p * SN_SPAN_DOTS + i];
    }
}

/* Solves G c = g by a Cholesky factorisation of the scaled G. Directions that are (nearly) in the span of the earlier
 * ones are left out. */
static void solve_small(int count, const double *G, const double *g, double *c) {
    const double smallest = 1e-6; /* of the original pivot; the rounding of single precision is below this */
    double L[SN_SPAN][SN_SPAN] = {{0}}, scale[SN_SPAN];
    for (int i = 0; i < count; ++i) {
        const double d = G[SN_SPAN * i + i];
        scale[i] = d > 0 && isfinite(d) ? 1 / sqrt(d) : 0;
        double pivot = scale[i] > 0 ? 1 : 0;
        for (int j = 0; j < i; ++j) {
            double s = 0.5 * (G[SN_SPAN * i + j] + G[SN_SPAN * j + i]) * scale[i] * scale[j];
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

sn_span sn_span_create(const sn_context *context, const sn_matrix *matrix, const sn_filter *filter, int count,
                       const double *const *direction, double *scratch) {
    const int nodes = matrix->pattern->nodes, pieces = sn_pieces(nodes, SN_PIECE_NODES);
    sn_span s = {.context = context,
                 .kernels = kernels_for(context),
                 .matrix = matrix,
                 .filter = filter,
                 .count = count,
                 .direction = direction};
    s.w = (float *)scratch, s.q = s.w + SN_SPAN_NODE * (int64_t)nodes,
    s.partial = scratch + SN_SPAN_NODE * (int64_t)nodes;

    for (int k = 0; k < count; ++k) {
        const double most = sn_vector_largest(context, 3 * nodes, direction[k]);
        int exponent = 0;
        if (most > 0 && isfinite(most)) frexp(most, &exponent);
        s.scale[k] = ldexp(1, -exponent);
    }
    sn_parallel_pieces(context, pieces, pack_piece, &s);
    filter_nodes(&s, filter);
    add_pieces(&s, product_piece, SN_SPAN * SN_SPAN, s.gram);
    return s;
}

void sn_span_improve(sn_span *s, double *x, double *r) {
    double g[SN_SPAN];
    s->x = x, s->r = r;
    add_pieces(s, project_piece, SN_SPAN, g);
    solve_small(s->count, s->gram, g, s->c);
    bool any = false;
    for (int k = 0; k < s->count; ++k) {
        if (!isfinite(s->c[k])) return;
        any = any || s->c[k] != 0;
    }
    if (!any) return;
    sn_parallel_pieces(s->context, sn_pieces(s->matrix->pattern->nodes, SN_PIECE_NODES), move_piece, s);
    sn_filter_apply(s->filter, r);
}
