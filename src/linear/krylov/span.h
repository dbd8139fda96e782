/* A better start for a solve: the best combination of a few likely directions, such as the last solutions and their differences.
 *
 *   x += W c,  r -= A W c   with c = argmin ||x + W c - A^-1 b||_A, that is (W^T A W) c = W^T r
 *
 * (Fischer 1998, for successive right-hand sides). What moves smoothly in time starts with an error of the order that as many points of
 * the past can give; what does not has lost one pass over the matrix.
 *
 * The directions are kept in single precision side by side, three times SN_SPAN numbers and an empty one per node, so that a block of the
 * matrix multiplies all of them at once. */
#ifndef SN_LINEAR_SPAN_H
#define SN_LINEAR_SPAN_H

#include "linear/matrix/matrix.h"

struct sn_filter;

enum { SN_SPAN = 5, SN_SPAN_NODE = 3 * SN_SPAN + 1, SN_SPAN_DOTS = SN_SPAN * (SN_SPAN + 1) }; /* of a node; W^T A W by rows, then W^T r */

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
    double *x, *r; /* what is improved now, and by how much of each direction */
    double c[SN_SPAN];
} sn_span;

/* Scratch in doubles for a matrix of this many nodes. */
int64_t sn_span_scratch(int nodes);
/* At most SN_SPAN directions. A is symmetric and in single precision, the filter without groups. All pointers, and the scratch, which is
 * 64-byte aligned, stay in use. */
sn_span sn_span_create(const sn_context *context, const sn_matrix *matrix, const struct sn_filter *filter, int count,
                       const double *const *direction, double *scratch);
/* Improves x and its residual r = S (b - A x); both stay what they are where nothing better is found. Directions along which A is not
 * positive, and those that the ones before hold already, are left out. r is then wrong by the rounding of single precision: with the true
 * one, a second time finds what that had hidden. */
void sn_span_improve(sn_span *span, double *x, double *r);

/* ---- Kernels (kernel/span.c) for the nodes [begin, end) ---- */
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
