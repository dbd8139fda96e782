/* What a memory costs: the clamped beam of bench_beams with 0 to 4 terms of a Prony series (docs/memory.md).
 *
 * 50,625 tets, corotated, implicit Euler. Three kinds of step: the default options (Newton's method to its tolerance),
 * and one Newton step to a residual of 1e-6 and of 1e-3. The terms are parts of the law's own stress and slow, so the
 * stiffness of all beams is the same and the solver has the same work. The beams take their steps in turn on one
 * thread. The time of a step is the processor time of the fastest one, because other work on the machine can only add
 * time. `mean` is that of all steps: a memory may also cost iterations, which the fastest step does not show.
 *
 * `bound`: the part of `% each` that no arithmetic can save. A step reads and writes six numbers per tet for each term,
 * and six of the stress at its begin. The bound is the time to copy as many numbers, from blocks that are in no cache
 * to others past the caches, over the time of a step without memory.
 *
 *   bench_memory [--quick] [--terms N] [--simd SET]
 *
 * --quick takes a beam of 5,145 tets, --terms the largest number of terms, at most 8, --simd the kernels for this
 * instruction set: auto, baseline, avx2 or avx512. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "sinew/sinew.h"

enum { BEAMS = 9, STEPS = 41, NUMBERS = 6, ROOM = 100 << 20 };

static void die(const sn_error *error) {
    fprintf(stderr, "bench_memory: %s\n", error->text);
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sn_world *make_beam(sn_context *context, const char *cells, const char *options, int terms) {
    char series[600] = "", text[1600];
    for (int i = 0; i < terms; ++i)
        snprintf(series + strlen(series), sizeof series - strlen(series), "%s{ \"ratio\": 0.1, \"time\": %g }",
                 i ? ", " : "", 1.0 + i);
    const int length =
        snprintf(text, sizeof text,
                 "{ \"sinew\": 1, \"gravity\": [0, -9.81, 0], \"time\": { \"step\": 0.01%s, "
                 "\"bodies\": [ { \"mesh\": { \"box\": { \"size\": [0.3, 0.3, 1], "
                 "\"cells\": %s, \"split\": 5 } }, \"material\": { \"young\": 5e5, \"poisson\": 0.33%s%s%s }, "
                 "\"fix\": [ { \"select\": { \"box\": [[-1, -1, -1e-6], [1, 1, 1e-6]] } } ] } ] }",
                 options, cells, terms ? ", \"prony\": { \"moduli\": \"instantaneous\", \"terms\": [" : "", series,
                 terms ? "] }" : "");
    sn_error error;
    sn_scene *scene;
    sn_world *world;
    if (sn_scene_parse(context, text, (size_t)length, "beam", "", NULL, 0, &scene, &error)) die(&error);
    if (sn_scene_create_world(scene, &world, &error)) die(&error);
    sn_scene_destroy(scene);
    return world;
}

/* `count` is even. */
static void copy_past_caches(const double *from, double *to, size_t count) {
#ifdef __SSE2__
    for (size_t i = 0; i < count; i += 2) _mm_stream_pd(to + i, _mm_load_pd(from + i));
    _mm_sfence();
#else
    memcpy(to, from, count * sizeof *to);
#endif
}

/* The least time to copy six numbers per tet. ROOM, the bytes of all blocks, is more than the caches hold. */
static double copy_seconds(int tets) {
    const size_t count = (size_t)NUMBERS * (size_t)(tets + tets % 2), pairs = ROOM / (2 * count * sizeof(double));
    double *block = aligned_alloc(64, ROOM), best = INFINITY;
    if (!block) return NAN;
    for (size_t i = 0; i < 2 * pairs * count; ++i) block[i] = (double)i;
    for (int i = 0; i < STEPS; ++i) {
        const size_t from = 2 * ((size_t)i % pairs), to = from + 1;
        const double begin = now();
        copy_past_caches(block + from * count, block + to * count, count);
        best = fmin(best, now() - begin);
    }
    free(block);
    return best;
}

static void run(const char *cells, const char *simd, const char *name, const char *kind, int most, double copy) {
    sn_error error;
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    if (simd) options.simd = simd;
    sn_context *context;
    if (sn_context_create(&options, &context, &error)) die(&error);
    sn_world *world[BEAMS];
    double seconds[BEAMS], total[BEAMS] = {0}, iterations[BEAMS] = {0}, newton[BEAMS] = {0};
    for (int b = 0; b <= most; ++b) world[b] = make_beam(context, cells, kind, b), seconds[b] = INFINITY;
    for (int i = -2; i < STEPS; ++i) /* the first two steps warm up */
        for (int b = 0; b <= most; ++b) {
            sn_step_report report;
            const double begin = now();
            if (sn_world_step(world[b], &report, &error)) die(&error);
            if (i < 0) continue;
            const double took = now() - begin;
            seconds[b] = fmin(seconds[b], took), total[b] += took;
            iterations[b] += report.linear_iterations, newton[b] += report.newton_iterations;
        }
    for (int b = 0; b <= most; ++b) {
        const double by_none = seconds[b] / seconds[0];
        printf("%-16s %6d %9.3f %9.3f %6.1f %6.1f %9.3f %8.1f %8.1f\n", name, b, 1e3 * seconds[b],
               1e3 * total[b] / STEPS, newton[b] / STEPS, iterations[b] / STEPS, by_none,
               b ? 100 * (by_none - 1) / b : 0, b ? 100 * (b + 1) * copy / (b * seconds[0]) : 0);
    }
    for (int b = 0; b <= most; ++b) sn_world_destroy(world[b]);
    sn_context_destroy(context);
}

int main(int argc, char **argv) {
    const char *cells = "[15, 15, 45]", *simd = NULL;
    int most = 4, tets = 50625;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--quick") == 0)
            cells = "[7, 7, 21]", tets = 5145;
        else if (strcmp(argv[i], "--terms") == 0 && i + 1 < argc && atoi(argv[i + 1]) < BEAMS)
            most = atoi(argv[++i]);
        else if (strcmp(argv[i], "--simd") == 0 && i + 1 < argc)
            simd = argv[++i];
        else
            return fprintf(stderr, "usage: bench_memory [--quick] [--terms 0..8] [--simd SET]\n"), 2;
    }
    const double copy = copy_seconds(tets);
    printf("%d numbers of each tet are copied in %.3f ms: %.1f GB/s read and written\n", NUMBERS, 1e3 * copy,
           2e-9 * NUMBERS * sizeof(double) * tets / copy);
    printf("%-16s %6s %9s %9s %6s %6s %9s %8s %8s\n", "step", "terms", "ms/step", "mean", "newton", "iter", "by none",
           "% each", "bound");
    static const char one_step[] = ", \"newton\": { \"kind\": \"one-step\" } }, \"solver\": { \"tolerance\": ";
    char options[2][100];
    for (int i = 0; i < 2; ++i) snprintf(options[i], sizeof options[i], "%s%s }", one_step, i ? "1e-3" : "1e-6");
    run(cells, simd, "default", " }", most, copy);
    run(cells, simd, "one-step, 1e-6", options[0], most, copy);
    run(cells, simd, "one-step, 1e-3", options[1], most, copy);
    return 0;
}
