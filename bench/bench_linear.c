/* The linear solver on the clamped beam of 15 x 15 x 45 cells (50,625 tets), one implicit Euler step of 0.01 s:
 * assembly per tet, the product and one CG iteration beside the time of streaming the matrix once, and whole solves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../test/linear/beam.h"
#include "linear/matrix/assembly.h"
#include "linear/matrix/kernels.h"
#include "linear/multigrid/multigrid.h"

static double least(double a, double b) { return a < b ? a : b; }

typedef struct stream_work {
    const float *value;
    int64_t count;
    float *sum;
} stream_work;

/* Reads the values of one piece of the matrix and adds them up, as fast as memory gives them. */
__attribute__((target_clones("avx512f", "avx2", "default"))) static float stream_sum(const float *value,
                                                                                     int64_t count) {
    float lane[128] = {0}, sum = 0;
    for (int64_t i = 0; i + 128 <= count; i += 128)
        for (int l = 0; l < 128; ++l) lane[l] += value[i + l];
    for (int l = 0; l < 128; ++l) sum += lane[l];
    return sum;
}

enum { STREAM_PIECE = 65536 };
static void stream_piece(void *data, int piece) {
    const stream_work *w = data;
    const int64_t begin = (int64_t)piece * STREAM_PIECE, left = w->count - begin;
    w->sum[piece] = stream_sum(w->value + begin, left < STREAM_PIECE ? left : STREAM_PIECE);
}

typedef struct system {
    beam b;
    sn_pattern pattern;
    sn_scatter_map map;
    sn_mass mass;
    sn_matrix matrix;
    double *diagonal;
    sn_element_view view;
} matrix_system;

static sn_status system_create(sn_context *context, int a, int c, matrix_system *s, sn_error *error) {
    sn_status status = beam_create(&s->b, context, a, c, 0.33, error);
    if (!status) status = sn_pattern_create(context, &s->b.elements, NULL, 0, NULL, &s->pattern, error);
    if (!status) status = sn_scatter_map_create(context, &s->b.elements, &s->pattern, NULL, &s->map, error);
    if (status) return status;
    s->mass = (sn_mass){&s->pattern, s->b.mass, NULL};
    s->matrix =
        (sn_matrix){.pattern = &s->pattern,
                    .single_ = sn_allocate_zero(context, (size_t)s->pattern.block_count * 9 + 4, sizeof(float))};
    s->diagonal = sn_allocate(context, (size_t)s->pattern.nodes * 9, sizeof(double));
    s->view = (sn_element_view){.settings = &s->b.settings, .x = s->b.x};
    return s->matrix.single_ && s->diagonal ? SN_OK : sn_no_memory(error);
}

static void system_destroy(sn_context *context, matrix_system *s) {
    sn_release(context, s->matrix.single_);
    sn_release(context, s->diagonal);
    sn_scatter_map_release(context, &s->map);
    sn_pattern_release(context, &s->pattern);
    beam_destroy(&s->b);
}

static sn_status parts(sn_context *context, int a, int c, sn_error *error) {
    matrix_system s = {0};
    sn_status status = system_create(context, a, c, &s, error);
    if (status) return status;
    const int n = 3 * s.b.nodes;
    sn_edges edges;
    double *linearised = sn_allocate(context, (size_t)s.b.elements.linearised_size, sizeof *linearised);
    if (!linearised) return sn_no_memory(error);
    status = sn_edges_create(context, &s.b.elements, &s.pattern, &edges, error);
    if (status) return status;
    sn_assembly assembly = {.context = context,
                            .elements = &s.b.elements,
                            .map = &s.map,
                            .mass = &s.mass,
                            .view = &s.view,
                            .m = 1 / 1e-4,
                            .k = 1};
    double seconds = 1e9, by_edges = 1e9, kernel = 1e9;
    bool symmetric;
    for (int i = 0; i < 40; ++i) {
        const double start = sn_seconds();
        sn_assemble(&assembly, &s.matrix, &symmetric);
        seconds = least(seconds, sn_seconds() - start);
    }
    assembly.linearised = linearised, assembly.edges = &edges;
    sn_elements_linearise(context, &s.b.elements, &s.view, 1, 0, linearised);
    for (int i = 0; i < 40; ++i) {
        const double start = sn_seconds();
        sn_assemble(&assembly, &s.matrix, &symmetric);
        by_edges = least(by_edges, sn_seconds() - start);
    }
    sn_edges_release(context, &edges);
    for (int i = 0; i < 10 && sn_context_threads(context) == 1; ++i) { /* element matrices alone */
        _Alignas(64) static double out[16 * 9 * SN_LANES];
        const double start = sn_seconds();
        for (int k = 0; k < s.b.elements.batch[0].block_count; ++k)
            sn_element_kernels_for(context)->stiffness(&s.b.elements.batch[0], k, &s.view, 1, 0, 1, NULL, out);
        kernel = least(kernel, sn_seconds() - start);
    }
    printf("%d threads: %d tets, %d nodes, %lld blocks, matrix %.2f MB, %d chunks in %d colours\n",
           sn_context_threads(context), s.b.tets, s.b.nodes, (long long)s.pattern.block_count,
           (double)s.pattern.block_count * 36e-6, s.b.elements.chunk_count, s.b.elements.color_count);
    printf("  assembly       %8.3f ms  %6.1f ns/tet by edges from linearised elements\n", 1e3 * by_edges,
           1e9 * by_edges / s.b.tets);
    printf("  by elements    %8.3f ms  %6.1f ns/tet from positions", 1e3 * seconds, 1e9 * seconds / s.b.tets);
    if (kernel < 1e9) printf("  (element matrices alone %.1f ns/tet)", 1e9 * kernel / s.b.tets);

    double *work = sn_allocate(context, (size_t)n * 8 + 8 * (size_t)sn_dot_scratch(n), sizeof *work);
    if (!work) return sn_no_memory(error);
    double *x = work, *y = x + n, *scratch = y + n;
    for (int i = 0; i < n; ++i) x[i] = sin(0.37 * i);
    sn_filter_apply(&s.b.filter, x);
    stream_work stream = {s.matrix.single_, s.pattern.block_count * 9, (float *)scratch};
    double once = 1e9, product = 1e9, iteration = 1e9, element = 1e9, cached = 1e9, linearise = 1e9;
    for (int i = 0; i < 30; ++i) {
        double start = sn_seconds();
        sn_parallel(context, sn_pieces(stream.count, STREAM_PIECE), stream_piece, &stream);
        once = least(once, sn_seconds() - start);
        start = sn_seconds();
        sn_matrix_product(context, &s.matrix, x, y);
        product = least(product, sn_seconds() - start);
    }
    for (int i = 0; i < 5; ++i) {
        double start = sn_seconds();
        sn_elements_product(context, &s.b.elements, &s.view, 1, 0, NULL, x, y);
        element = least(element, sn_seconds() - start);
        start = sn_seconds();
        sn_elements_linearise(context, &s.b.elements, &s.view, 1, 0, linearised);
        linearise = least(linearise, sn_seconds() - start);
        start = sn_seconds();
        sn_elements_product(context, &s.b.elements, &s.view, 1, 0, linearised, x, y);
        cached = least(cached, sn_seconds() - start);
    }
    sn_release(context, linearised);
    sn_matrix_diagonal(context, &s.matrix, s.diagonal);
    const sn_operator op = sn_operator_of_matrix(context, &s.matrix, s.diagonal, true);
    void *data = NULL;
    status = sn_preconditioner_block_jacobi.update(context, &op, &s.b.filter, &data, error);
    for (int i = 0; i < 100 && !status; ++i) { /* short runs: the least one was not interrupted */
        sn_krylov_report report;
        const double start = sn_seconds();
        sn_krylov_cg.solve(&op, &sn_preconditioner_block_jacobi, data, &s.b.filter, x, y, 0, 12, scratch, &report);
        iteration = least(iteration, (sn_seconds() - start) / report.iterations);
    }
    sn_preconditioner_block_jacobi.release(context, data);
    sn_multigrid *multigrid = NULL;
    const sn_multigrid_options mg_options = {.spacing = 2.0};
    double cycle = 1e9, fresh = 1e9, kept = 1e9;
    if (!status)
        status = sn_multigrid_create(context, &s.pattern, s.b.rest, &s.b.elements, &mg_options, &multigrid, error);
    for (int i = 0; i < 10 && !status; ++i) {
        double start = sn_seconds();
        sn_multigrid_update(multigrid, &s.matrix, &assembly, &s.b.filter, s.b.rest, true);
        fresh = least(fresh, sn_seconds() - start);
        start = sn_seconds();
        sn_multigrid_update(multigrid, &s.matrix, &assembly, &s.b.filter, s.b.rest, false);
        kept = least(kept, sn_seconds() - start);
        for (int k = 0; k < 10; ++k) {
            start = sn_seconds();
            sn_multigrid_apply(multigrid, x, y);
            cycle = least(cycle, sn_seconds() - start);
        }
    }
    sn_multigrid_destroy(multigrid);
    printf("\n  matrix stream  %8.3f ms  %6.1f GB/s\n", 1e3 * once, (double)stream.count * 4e-9 / once);
    printf("  product        %8.3f ms  %6.2f x the stream\n", 1e3 * product, product / once);
    printf("  CG iteration   %8.3f ms  %6.2f x the stream\n", 1e3 * iteration, iteration / once);
    printf("  multigrid cycle%8.3f ms  %6.2f x the stream; new matrix %.3f ms, with its coarse levels %.3f ms\n",
           1e3 * cycle, cycle / once, 1e3 * kept, 1e3 * fresh);
    printf("  element product %7.3f ms; cached %.3f ms after %.3f ms\n", 1e3 * element, 1e3 * cached, 1e3 * linearise);
    sn_release(context, work);
    system_destroy(context, &s);
    return status;
}

static sn_status solves(sn_context *context, int a, int c, sn_error *error) {
    beam b;
    sn_status status = beam_create(&b, context, a, c, 0.33, error);
    if (status) return status;
    const int n = 3 * b.nodes;
    double *f = calloc((size_t)n * 2, sizeof *f), *x = f + n;
    for (int i = 0; i < b.nodes; ++i) f[3 * i + 1] = -9.81 * b.mass[i];
    sn_element_view view = {.settings = &b.settings, .x = b.rest};
    sn_solver_options options = sn_solver_options_default();
    snprintf(options.method, sizeof options.method, "cg");
    if (getenv("SINEW_PRECONDITIONER"))
        snprintf(options.preconditioner, sizeof options.preconditioner, "%s", getenv("SINEW_PRECONDITIONER"));
    const sn_linear_model model = beam_model(&b);
    sn_linear *linear = NULL;
    status = sn_linear_create(context, &model, &options, false, &linear, error);
    const double tolerance[] = {1e-6, 1e-3, 1e-10};
    for (int t = 0; t < 3 && !status; ++t) {
        double best = 1e9;
        sn_linear_report report = {0}, least_report = {0};
        for (int i = 0; i < 4 && !status; ++i) {
            for (int k = 0; k < n; ++k) x[k] = 0;
            sn_linear_linearise(linear, &view, NULL, NULL, NULL);
            const double start = sn_seconds();
            status = sn_linear_solve(linear, 1 / 1e-4, 0, 1, &b.filter, f, x, tolerance[t], &report, error);
            const double seconds = sn_seconds() - start;
            if (seconds < best) best = seconds, least_report = report;
        }
        printf("  %s %s to %.0e: %8.2f ms = assembly %.2f + setup %.2f + solve %.2f, %d iterations in %d rounds, "
               "residual %.2e%s\n",
               report.method, report.preconditioner, tolerance[t], 1e3 * best, 1e3 * least_report.assembly_seconds,
               1e3 * least_report.setup_seconds, 1e3 * least_report.solve_seconds, report.iterations, report.rounds,
               report.residual, report.fallback ? ", fallback" : "");
    }
    sn_linear_destroy(linear);
    free(f);
    beam_destroy(&b);
    return status;
}

int main(int argc, char **argv) {
    const int a = argc > 1 ? atoi(argv[1]) : 15, c = argc > 2 ? atoi(argv[2]) : 45;
    sn_error error = {0};
    for (int threads = 1; threads <= 2; ++threads) {
        sn_context_options options = sn_context_options_default();
        options.threads = threads;
        options.simd = getenv("SINEW_SIMD") ? getenv("SINEW_SIMD") : "auto";
        sn_context *context;
        if (sn_context_create(&options, &context, &error)) break;
        sn_status status = parts(context, a, c, &error);
        if (!status) status = solves(context, a, c, &error);
        sn_context_destroy(context);
        if (status) break;
    }
    if (error.text[0]) fprintf(stderr, "bench_linear: %s\n", error.text);
    return error.text[0] != 0;
}
