/* Products and vector loops cut into pieces, and the choice of the kernels. */
#include "matrix.h"

#include <math.h>
#include <string.h>

#include "kernels.h"

extern const sn_linear_kernels sn_linear_kernels_baseline, sn_linear_kernels_avx2, sn_linear_kernels_avx512;

const sn_linear_kernels *sn_linear_kernels_for(const sn_context *context) { return SN_BUILD(context, sn_linear_kernels); }

/* ---- Product ---- */
typedef struct product_work {
    const sn_linear_kernels *kernels;
    const sn_matrix *matrix;
    const double *x;
    double *y, *partial; /* partial: NULL, or x . y per piece */
} product_work;

static void product_piece(void *data, int piece) {
    const product_work *w = data;
    const sn_pattern *pattern = w->matrix->pattern;
    const int begin = piece * SN_PIECE_NODES;
    const int end = begin + SN_PIECE_NODES < pattern->nodes ? begin + SN_PIECE_NODES : pattern->nodes;
    if (w->matrix->single_)
        w->kernels->product_single(pattern, w->matrix->single_, w->x, w->y, begin, end);
    else
        w->kernels->product_double(pattern, w->matrix->double_, w->x, w->y, begin, end);
    if (w->partial) w->partial[piece] = w->kernels->dot(3 * (end - begin), w->x + 3 * (int64_t)begin, w->y + 3 * (int64_t)begin);
}

void sn_matrix_product(const sn_context *context, const sn_matrix *matrix, const double *x, double *y) {
    product_work w = {sn_linear_kernels_for(context), matrix, x, y, NULL};
    sn_parallel_pieces(context, sn_pieces(matrix->pattern->nodes, SN_PIECE_NODES), product_piece, &w);
}

double sn_matrix_product_dot(const sn_context *context, const sn_matrix *matrix, const double *x, double *y, double *partial) {
    product_work w = {sn_linear_kernels_for(context), matrix, x, y, partial};
    const int pieces = sn_pieces(matrix->pattern->nodes, SN_PIECE_NODES);
    sn_parallel_pieces(context, pieces, product_piece, &w);
    return sn_sum_pieces(pieces, partial);
}

/* ---- Vectors ---- */
typedef struct vector_work {
    const sn_linear_kernels *kernels;
    int n;
    double s;
    const double *a, *b;
    double *out;
} vector_work;

static int piece_length(int n, int piece) { return n - piece * SN_PIECE < SN_PIECE ? n - piece * SN_PIECE : SN_PIECE; }

static void dot_piece(void *data, int piece) {
    const vector_work *w = data;
    const int64_t begin = (int64_t)piece * SN_PIECE;
    w->out[piece] = w->kernels->dot(piece_length(w->n, piece), w->a + begin, w->b + begin);
}

int sn_dot_scratch(int n) { return sn_pieces(n, SN_PIECE); }

double sn_dot(const sn_context *context, int n, const double *a, const double *b, double *partial) {
    vector_work w = {sn_linear_kernels_for(context), n, 0, a, b, partial};
    const int pieces = sn_pieces(n, SN_PIECE);
    sn_parallel_pieces(context, pieces, dot_piece, &w);
    return sn_sum_pieces(pieces, partial);
}

static void add_piece(void *data, int piece) {
    const vector_work *w = data;
    const int64_t begin = (int64_t)piece * SN_PIECE, end = begin + piece_length(w->n, piece);
    for (int64_t i = begin; i < end; ++i) w->out[i] += w->s * w->a[i];
}

static void subtract_piece(void *data, int piece) {
    const vector_work *w = data;
    const int64_t begin = (int64_t)piece * SN_PIECE, end = begin + piece_length(w->n, piece);
    for (int64_t i = begin; i < end; ++i) w->out[i] = w->a[i] - w->b[i];
}

static void copy_piece(void *data, int piece) {
    const vector_work *w = data;
    const int64_t begin = (int64_t)piece * SN_PIECE;
    memcpy(w->out + begin, w->a + begin, (size_t)piece_length(w->n, piece) * sizeof *w->out);
}

void sn_vector_copy(const sn_context *context, int n, const double *a, double *out) {
    vector_work w = {NULL, n, 0, a, NULL, out};
    sn_parallel_pieces(context, sn_pieces(n, SN_PIECE), copy_piece, &w);
}

static void zero_piece(void *data, int piece) {
    const vector_work *w = data;
    memset(w->out + (int64_t)piece * SN_PIECE, 0, (size_t)piece_length(w->n, piece) * sizeof *w->out);
}

void sn_vector_zero(const sn_context *context, int n, double *out) {
    vector_work w = {NULL, n, 0, NULL, NULL, out};
    sn_parallel_pieces(context, sn_pieces(n, SN_PIECE), zero_piece, &w);
}

void sn_vector_add(const sn_context *context, int n, double s, const double *a, double *out) {
    vector_work w = {NULL, n, s, a, NULL, out};
    sn_parallel_pieces(context, sn_pieces(n, SN_PIECE), add_piece, &w);
}

static void difference_piece(void *data, int piece) {
    const vector_work *w = data;
    const int64_t begin = (int64_t)piece * SN_PIECE, end = begin + piece_length(w->n, piece);
    for (int64_t i = begin; i < end; ++i) w->out[i] = w->s * (w->a[i] - w->b[i]);
}

void sn_vector_difference(const sn_context *context, int n, double s, const double *a, const double *b, double *out) {
    vector_work w = {NULL, n, s, a, b, out};
    sn_parallel_pieces(context, sn_pieces(n, SN_PIECE), difference_piece, &w);
}

void sn_vector_subtract(const sn_context *context, int n, const double *a, const double *b, double *out) {
    vector_work w = {NULL, n, 0, a, b, out};
    sn_parallel_pieces(context, sn_pieces(n, SN_PIECE), subtract_piece, &w);
}

/* ---- One number from a vector: at most RUNS runs of pieces, whatever the number of threads ---- */
enum { RUNS = 64 };

typedef struct reduce_work {
    const sn_linear_kernels *kernels;
    int n, pieces, runs;
    const double *a;
    double run[RUNS];
} reduce_work;

static reduce_work reduction(const sn_context *context, int n, const double *a) {
    const int pieces = sn_pieces(n, SN_PIECE);
    return (reduce_work){
        .kernels = sn_linear_kernels_for(context), .n = n, .pieces = pieces, .runs = pieces < RUNS ? pieces : RUNS, .a = a};
}

static int run_begin(const reduce_work *w, int run) { return (int)((int64_t)w->pieces * run / w->runs); }

static void square_run(void *data, int run) {
    reduce_work *w = data;
    double sum = 0;
    for (int i = run_begin(w, run); i < run_begin(w, run + 1); ++i) {
        const double *a = w->a + (int64_t)i * SN_PIECE;
        sum += w->kernels->dot(piece_length(w->n, i), a, a);
    }
    w->run[run] = sum;
}

static double larger(double a, double b) { return isnan(a) || b <= a ? a : b; }

static void largest_run(void *data, int run) {
    reduce_work *w = data;
    double most = 0;
    for (int i = run_begin(w, run); i < run_begin(w, run + 1); ++i)
        most = larger(most, w->kernels->largest(piece_length(w->n, i), w->a + (int64_t)i * SN_PIECE));
    w->run[run] = most;
}

double sn_vector_norm(const sn_context *context, int n, const double *a) {
    if (n <= SN_PIECE) return sqrt(sn_linear_kernels_for(context)->dot(n, a, a));
    reduce_work w = reduction(context, n, a);
    sn_parallel_pieces(context, w.runs, square_run, &w);
    return sqrt(sn_sum_pieces(w.runs, w.run));
}

double sn_vector_largest(const sn_context *context, int n, const double *a) {
    if (n <= SN_PIECE) return sn_linear_kernels_for(context)->largest(n, a);
    reduce_work w = reduction(context, n, a);
    sn_parallel_pieces(context, w.runs, largest_run, &w);
    double most = 0;
    for (int run = 0; run < w.runs; ++run) most = larger(most, w.run[run]);
    return most;
}
