/* Loops over vectors, cut into pieces. See vector.h. */
#include "vector.h"

#include <math.h>
#include <string.h>

extern const sn_vector_kernels sn_vector_kernels_baseline, sn_vector_kernels_avx2, sn_vector_kernels_avx512;

const sn_vector_kernels *sn_vector_kernels_for(const sn_context *context) {
    return SN_BUILD(context, sn_vector_kernels);
}

typedef struct vector_work {
    const sn_vector_kernels *kernels;
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

/* Vectors of a few pieces stay on the calling thread: another one would take longer to wake than to do its share. */
static inline void share(const sn_context *context, int n, int count, void (*task)(void *data, int index), void *data) {
    enum { FEW = 8 };
    sn_parallel_pieces(n < FEW * SN_PIECE ? NULL : context, count, task, data);
}

double sn_dot(const sn_context *context, int n, const double *a, const double *b, double *partial) {
    vector_work w = {sn_vector_kernels_for(context), n, 0, a, b, partial};
    const int pieces = sn_pieces(n, SN_PIECE);
    share(context, n, pieces, dot_piece, &w);
    return sn_sum_pieces(pieces, partial);
}

static void copy_piece(void *data, int piece) {
    const vector_work *w = data;
    const int64_t begin = (int64_t)piece * SN_PIECE;
    memcpy(w->out + begin, w->a + begin, (size_t)piece_length(w->n, piece) * sizeof *w->out);
}

void sn_vector_copy(const sn_context *context, int n, const double *a, double *out) {
    vector_work w = {NULL, n, 0, a, NULL, out};
    share(context, n, sn_pieces(n, SN_PIECE), copy_piece, &w);
}

static void zero_piece(void *data, int piece) {
    const vector_work *w = data;
    memset(w->out + (int64_t)piece * SN_PIECE, 0, (size_t)piece_length(w->n, piece) * sizeof *w->out);
}

void sn_vector_zero(const sn_context *context, int n, double *out) {
    vector_work w = {NULL, n, 0, NULL, NULL, out};
    share(context, n, sn_pieces(n, SN_PIECE), zero_piece, &w);
}

static void difference_piece(void *data, int piece) {
    const vector_work *w = data;
    const int64_t begin = (int64_t)piece * SN_PIECE;
    w->kernels->difference(piece_length(w->n, piece), w->s, w->a + begin, w->b + begin, w->out + begin);
}

void sn_vector_difference(const sn_context *context, int n, double s, const double *a, const double *b, double *out) {
    vector_work w = {sn_vector_kernels_for(context), n, s, a, b, out};
    share(context, n, sn_pieces(n, SN_PIECE), difference_piece, &w);
}

void sn_vector_subtract(const sn_context *context, int n, const double *a, const double *b, double *out) {
    sn_vector_difference(context, n, 1, a, b, out);
}

static void divide_piece(void *data, int piece) {
    const vector_work *w = data;
    const int64_t begin = (int64_t)piece * SN_PIECE;
    w->kernels->divide(piece_length(w->n, piece) / 3, w->b + begin / 3, w->a + begin, w->out + begin);
}

void sn_vector_divide(const sn_context *context, int nodes, const double *w, const double *a, double *out) {
    vector_work work = {sn_vector_kernels_for(context), 3 * nodes, 0, a, w, out};
    share(context, 3 * nodes, sn_pieces(3 * nodes, SN_PIECE), divide_piece, &work);
}

typedef struct mix_work {
    const sn_vector_kernels *kernels;
    int n;
    double a, b, c;
    const double *x, *y, *z;
    double *out;
} mix_work;

static void mix_piece(void *data, int piece) {
    const mix_work *w = data;
    const int64_t begin = (int64_t)piece * SN_PIECE;
    w->kernels->mix(piece_length(w->n, piece), w->a, w->x + begin, w->b, w->y ? w->y + begin : NULL, w->c,
                    w->z ? w->z + begin : NULL, w->out + begin);
}

void sn_vector_mix(const sn_context *context, int n, double a, const double *x, double b, const double *y, double c,
                   const double *z, double *out) {
    mix_work w = {sn_vector_kernels_for(context), n, a, b, c, x, y, z, out};
    share(context, n, sn_pieces(n, SN_PIECE), mix_piece, &w);
}

void sn_vector_add(const sn_context *context, int n, double s, const double *a, double *out) {
    sn_vector_mix(context, n, 1, out, s, a, 0, NULL, out);
}

void sn_vector_scale(const sn_context *context, int n, double s, double *out) {
    sn_vector_mix(context, n, s, out, 0, NULL, 0, NULL, out);
}

/* ---- One number from a vector: at most RUNS runs of pieces, for any number of threads ---- */
enum { RUNS = 64 };

typedef struct reduce_work {
    const sn_vector_kernels *kernels;
    int n, pieces, runs;
    const double *a, *b, *x, *y;
    double run[RUNS], moment[RUNS][3];
} reduce_work;

static reduce_work reduction(const sn_context *context, int n, const double *a, const double *b) {
    const int pieces = sn_pieces(n, SN_PIECE);
    return (reduce_work){.kernels = sn_vector_kernels_for(context),
                         .n = n,
                         .pieces = pieces,
                         .runs = pieces < RUNS ? pieces : RUNS,
                         .a = a,
                         .b = b};
}

static int run_begin(const reduce_work *w, int run) { return (int)((int64_t)w->pieces * run / w->runs); }

static void dot_run(void *data, int run) {
    reduce_work *w = data;
    double sum = 0;
    for (int i = run_begin(w, run); i < run_begin(w, run + 1); ++i) {
        const int64_t begin = (int64_t)i * SN_PIECE;
        sum += w->kernels->dot(piece_length(w->n, i), w->a + begin, w->b + begin);
    }
    w->run[run] = sum;
}

static void work_run(void *data, int run) {
    reduce_work *w = data;
    double sum = 0;
    for (int i = run_begin(w, run); i < run_begin(w, run + 1); ++i) {
        const int64_t begin = (int64_t)i * SN_PIECE;
        sum += w->kernels->work(piece_length(w->n, i), w->a + begin, w->b + begin, w->x + begin, w->y + begin);
    }
    w->run[run] = sum;
}

static void moment_run(void *data, int run) {
    reduce_work *w = data;
    for (int i = run_begin(w, run); i < run_begin(w, run + 1); ++i) {
        const int64_t begin = (int64_t)i * SN_PIECE;
        double sum[3];
        w->kernels->moment(piece_length(w->n, i) / 3, w->x + begin / 3, w->a + begin, w->b ? w->b + begin : NULL, sum);
        for (int c = 0; c < 3; ++c) w->moment[run][c] += sum[c];
    }
}

static void add_moments(const sn_context *context, int nodes, const double *w, const double *a, const double *b,
                        double out[3]) {
    if (nodes <= SN_PIECE_NODES) {
        sn_vector_kernels_for(context)->moment(nodes, w, a, b, out);
        return;
    }
    reduce_work work = reduction(context, 3 * nodes, a, b);
    work.x = w;
    share(context, 3 * nodes, work.runs, moment_run, &work);
    for (int c = 0; c < 3; ++c) {
        out[c] = 0;
        for (int run = 0; run < work.runs; ++run) out[c] += work.moment[run][c];
    }
}

static double larger(double a, double b) { return isnan(a) || b <= a ? a : b; }

static void largest_run(void *data, int run) {
    reduce_work *w = data;
    double most = 0;
    for (int i = run_begin(w, run); i < run_begin(w, run + 1); ++i)
        most = larger(most, w->kernels->largest(piece_length(w->n, i), w->a + (int64_t)i * SN_PIECE));
    w->run[run] = most;
}

double sn_vector_dot(const sn_context *context, int n, const double *a, const double *b) {
    if (n <= SN_PIECE) return sn_vector_kernels_for(context)->dot(n, a, b);
    reduce_work w = reduction(context, n, a, b);
    share(context, n, w.runs, dot_run, &w);
    return sn_sum_pieces(w.runs, w.run);
}

double sn_vector_work(const sn_context *context, int n, const double *f, const double *g, const double *x,
                      const double *y) {
    if (n <= SN_PIECE) return sn_vector_kernels_for(context)->work(n, f, g, x, y);
    reduce_work w = reduction(context, n, f, g);
    w.x = x, w.y = y;
    share(context, n, w.runs, work_run, &w);
    return sn_sum_pieces(w.runs, w.run);
}

double sn_vector_weighted(const sn_context *context, int nodes, const double *w, const double *a, const double *b) {
    double sum[3];
    add_moments(context, nodes, w, a, b, sum);
    return sum[0] + sum[1] + sum[2];
}

void sn_vector_moment(const sn_context *context, int nodes, const double *w, const double *a, double out[3]) {
    add_moments(context, nodes, w, a, NULL, out);
}

double sn_vector_norm(const sn_context *context, int n, const double *a) {
    return sqrt(sn_vector_dot(context, n, a, a));
}

double sn_vector_largest(const sn_context *context, int n, const double *a) {
    if (n <= SN_PIECE) return sn_vector_kernels_for(context)->largest(n, a);
    reduce_work w = reduction(context, n, a, NULL);
    share(context, n, w.runs, largest_run, &w);
    double most = 0;
    for (int run = 0; run < w.runs; ++run) most = larger(most, w.run[run]);
    return most;
}
