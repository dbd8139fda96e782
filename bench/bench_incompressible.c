/* Nearly incompressible bodies: the clamped beams of tet10-reduced and tet4-smooth, one implicit Euler step of 0.01 s
 * and statics, CG with multigrid beside the mixed form (docs/incompressible.md).
 *
 *   bench_incompressible [cells across]...       default: 7 15, that is 5,145 and 50,625 tets
 *
 * The beam is bent and twisted a little. Each row is one system solved to 1e-6 from zero, on one thread. The time is
 * that of the processor for a solve with its set-up: the least of three, or of two if they take over a second. CG
 * has at most 2000 iterations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../test/linear/beam.h"

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct solved {
    int iterations;
    double seconds, residual;
} solved;

/* Solves to 1e-6. */
static sn_status solve(beam *b, const char *method, double m, bool is_static, solved *best, sn_error *error) {
    const int n = 3 * b->nodes;
    double *f = calloc((size_t)n * 2, sizeof *f), *x = f + n;
    for (int i = 0; i < b->nodes; ++i) f[3 * i + 1] = -9.81 * b->mass[i];
    sn_element_view view = {.settings = &b->settings, .x = b->x};
    sn_solver_options options = sn_solver_options_default();
    snprintf(options.method, sizeof options.method, "%s", method);
    snprintf(options.preconditioner, sizeof options.preconditioner, "multigrid");
    options.iterations = 2000;
    const sn_linear_model model = beam_model(b);
    sn_linear *linear = NULL;
    sn_status status = sn_linear_create(b->context, &model, &options, is_static, &linear, error);
    *best = (solved){.seconds = INFINITY};
    for (int i = 0; i < 3 && !status && (i < 2 || best->seconds < 1); ++i) {
        sn_linear_report report;
        for (int k = 0; k < n; ++k) x[k] = 0;
        sn_linear_linearise(linear, &view, NULL, NULL, NULL);
        const double start = processor_seconds();
        status = sn_linear_solve(linear, m, 0, 1, &b->filter, f, x, 1e-6, &report, error);
        const double seconds = processor_seconds() - start;
        if (seconds < best->seconds) best->seconds = seconds;
        best->iterations = report.iterations, best->residual = report.residual;
        if (status == SN_NOT_CONVERGED) status = SN_OK; /* the table shows it */
    }
    sn_linear_destroy(linear);
    free(f);
    return status;
}

static sn_status table(sn_context *context, const sn_element *element, int cells, bool is_static, sn_error *error) {
    const double poisson[] = {0.33, 0.45, 0.49, 0.499, 0.4999};
    for (int i = 0; i < 5; ++i) {
        beam b;
        solved cg, mixed;
        sn_status status = beam_create_with(&b, context, element, cells, 3 * cells, poisson[i], error);
        if (status) return status;
        const double m = is_static ? 0 : 1 / 1e-4;
        status = solve(&b, "cg", m, is_static, &cg, error);
        if (!status) status = solve(&b, "mixed", m, is_static, &mixed, error);
        if (!status)
            printf("%-14s %6d tets  %-7s  nu %-6g  cg %4d in %8.1f ms%s  mixed %3d in %7.1f ms%s  %5.2f x\n",
                   element->name, b.tets, is_static ? "statics" : "0.01 s", poisson[i], cg.iterations, 1e3 * cg.seconds,
                   cg.residual > 1e-6 ? "!" : " ", mixed.iterations, 1e3 * mixed.seconds,
                   mixed.residual > 1e-6 ? "!" : " ", cg.seconds / mixed.seconds);
        fflush(stdout);
        beam_destroy(&b);
        if (status) return status;
    }
    return SN_OK;
}

int main(int argc, char **argv) {
    sn_error error = {0};
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    sn_context *context;
    sn_status status = sn_context_create(&options, &context, &error);
    if (status) return 1;
    printf(
        "iterations to 1e-6 and processor time of a solve with its set-up, one thread; ! marks a missed tolerance\n");
    for (int i = 1; i < (argc > 1 ? argc : 3) && !status; ++i) {
        const int cells = argc > 1 ? atoi(argv[i]) : i == 1 ? 7 : 15;
        status = table(context, &sn_element_tet10_reduced, cells, false, &error);
        if (!status) status = table(context, &sn_element_tet10_reduced, cells, true, &error);
        if (!status) status = table(context, &sn_element_tet4_smooth, cells, false, &error);
    }
    sn_context_destroy(context);
    if (status) fprintf(stderr, "bench_incompressible: %s\n", error.text);
    return status != SN_OK;
}
