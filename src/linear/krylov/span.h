/* A better start for a solve: the best combination of a few likely directions, such as the last solutions and their
 * differences (Fischer 1998, for successive right-hand sides).
 *
 *   x += W c,  r -= A W c   with c = argmin ||x + W c - A^-1 b||_A, that is (W^T A W) c = W^T r
 *
 * A solution that moves smoothly in time is extrapolated from its past: the error of the start has the order that this
 * many past points allow. For any other solution the cost is one pass over the matrix.
 *
 * The directions are kept in single precision, side by side: 3 x SN_SPAN numbers and one empty number per node. A block
 * of the matrix thus multiplies all directions at once. */
#ifndef SN_LINEAR_SPAN_H
#define SN_LINEAR_SPAN_H

#include "linear/matrix/matrix.h"

struct sn_filter;

/* SN_SPAN_NODE: numbers of a node. SN_SPAN_DOTS: W^T A W by rows, then W^T r. */
enum { SN_SPAN = 5, SN_SPAN_NODE = 3 * SN_SPAN + 1, SN_SPAN_DOTS = SN_SPAN * (SN_SPAN + 1) };

struct sn_span_kernels;

/* The directions W and their images Q = A W. */
typedef struct sn_span {
    const sn_context *context;
    const struct sn_span_kernels *kernels;
    const sn_matrix *matrix;
    const struct sn_filter *filter;
    int count;
    const double *const *direction;
    double scale[SN_SPAN]; /* powers of two that bring the directions into the range of single precision */
    float *w, *q;          /* nodes x SN_SPAN_NODE */
    double *partial;       /* pieces x SN_SPAN_DOTS */
    double gram[SN_SPAN * SN_SPAN];
    double *x, *r; /* the x and r that are being improved, and the coefficient of each direction */
    double c[SN_SPAN];
} sn_span;

/* Scratch in doubles for a matrix of this many nodes. */
int64_t sn_span_scratch(int nodes);
/* At most SN_SPAN directions. A must be symmetric and in single precision; the filter must have no groups. All pointers
 * and the scratch (64-byte aligned) stay in use. */
sn_span sn_span_create(const sn_context *context, const sn_matrix *matrix, const struct sn_filter *filter, int count,
                       const double *const *direction, double *scratch);
/* Improves x and its residual r = S (b - A x). Both stay unchanged when the span holds nothing better. Two kinds of
 * directions are left out: those along which A is not positive, and those that depend on earlier directions.
 *
 * Afterwards r has the rounding error of single precision. A second call with the true r can find an improvement that
 * this rounding hid. */
void sn_span_improve(sn_span *span, double *x, double *r);

/* ---- Kernels (kernel/span_kernel.c) for the nodes [begin, end) ---- */
typedef struct sn_span_kernels {
    /* q = A w. */
    void (*product)(const sn_pattern *pattern, const float *value, const float *w, float *q, int begin, int end);
    /* W^T Q by rows, and W^T r. */
    void (*gram)(const float *w, const float *q, double *out, int begin, int end);
    void (*project)(const float *w, const double *r, double *out, int begin, int end);
    /* x += w c, r -= q c. */
    void (*move)(const double *c, const float *w, const float *q, double *x, double *r, int begin, int end);
} sn_span_kernels;

#endif
