/* Loops over whole vectors of n scalars, shared among the threads of the context.
 *
 * A piece is SN_PIECE scalars (SN_PIECE_NODES nodes). A sum uses eight virtual lanes over the scalars of a piece. The
 * lanes are added as a fixed tree, and the pieces in their order. The result has the same bits for every vector width
 * and every number of threads. With a context of NULL, the pieces run one after the other. */
#ifndef SN_BASE_VECTOR_H
#define SN_BASE_VECTOR_H

#include "context.h"

enum { SN_PIECE_NODES = 512, SN_PIECE = 3 * SN_PIECE_NODES };

void sn_vector_copy(const sn_context *context, int n, const double *a, double *out);          /* out = a */
void sn_vector_zero(const sn_context *context, int n, double *out);                           /* out = 0 */
void sn_vector_scale(const sn_context *context, int n, double s, double *out);                /* out *= s */
void sn_vector_add(const sn_context *context, int n, double s, const double *a, double *out); /* out += s a */
void sn_vector_subtract(const sn_context *context, int n, const double *a, const double *b,
                        double *out); /* out = a - b */
void sn_vector_difference(const sn_context *context, int n, double s, const double *a, const double *b,
                          double *out); /* out = s (a - b); out may be a or b */
/* out_i = a_i / w_i for each node, and 0 where w_i is not above 0. a and out have 3 numbers per node. */
void sn_vector_divide(const sn_context *context, int nodes, const double *w, const double *a, double *out);
/* out = a x + b y + c z. y and z may be NULL; out may be x, y or z. */
void sn_vector_mix(const sn_context *context, int n, double a, const double *x, double b, const double *y, double c,
                   const double *z, double *out);

double sn_vector_dot(const sn_context *context, int n, const double *a, const double *b);
double sn_vector_work(const sn_context *context, int n, const double *f, const double *g, const double *x,
                      const double *y); /* (f + g) . (y - x) */
/* sum over the nodes of w_i a_i . b_i; a and b have 3 numbers per node. */
double sn_vector_weighted(const sn_context *context, int nodes, const double *w, const double *a, const double *b);
/* sum over the nodes of w_i a_i */
void sn_vector_moment(const sn_context *context, int nodes, const double *w, const double *a, double out[3]);
double sn_vector_norm(const sn_context *context, int n, const double *a); /* the 2-norm */
double sn_vector_largest(const sn_context *context, int n,
                         const double *a); /* largest absolute value; NaN when a number is not finite */

/* The dot product with one partial sum per piece, for methods that fuse it with other loops. `partial`:
 * sn_dot_scratch(n) doubles. */
int sn_dot_scratch(int n);
double sn_dot(const sn_context *context, int n, const double *a, const double *b, double *partial);
/* Adds the partial sums of the pieces in order. */
static inline double sn_sum_pieces(int count, const double *partial) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += partial[i];
    return sum;
}

/* The loops over one piece of n <= SN_PIECE scalars, for one instruction set (kernel/vector_kernel.c). */
typedef struct sn_vector_kernels {
    double (*dot)(int n, const double *a, const double *b);
    double (*work)(int n, const double *f, const double *g, const double *x, const double *y); /* (f + g) . (y - x) */
    /* The sums over `nodes` nodes of w_i a_ic b_ic, for each component c. b may be NULL: then it is 1. */
    void (*moment)(int nodes, const double *w, const double *a, const double *b, double out[3]);
    /* a . b, a . a and b . b. */
    void (*products)(int n, const double *a, const double *b, double out[3]);
    /* out = a x + b y + c z, as sn_vector_mix. */
    void (*mix)(int n, double a, const double *x, double b, const double *y, double c, const double *z, double *out);
    /* out = s (a - b), and the quotients of sn_vector_divide. */
    void (*difference)(int n, double s, const double *a, const double *b, double *out);
    void (*divide)(int nodes, const double *w, const double *a, double *out);
    /* The largest absolute value; NaN when a number is not finite. */
    double (*largest)(int n, const double *a);
    /* r -= alpha q; returns r . r. */
    double (*residual)(int n, double alpha, const double *q, double *r);
    /* x_out = x + alpha p, then p = z + beta p. x_out may be x. */
    void (*direction)(int n, double alpha, double beta, const double *z, double *p, const double *x, double *x_out);
    /* d = e p + a d, s = e q + a s, r -= s; returns r . r. */
    double (*quasi)(int n, double e, const double *p, const double *q, double a, double *d, double *s, double *r);
} sn_vector_kernels;

const sn_vector_kernels *sn_vector_kernels_for(const sn_context *context);

#endif
