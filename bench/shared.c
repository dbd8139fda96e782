/* See shared.h. */
#include "shared.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_processor_time(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
double bench_real_time(void) { return seconds_of(CLOCK_MONOTONIC); }

bench_clock bench_start(void) { return (bench_clock){bench_processor_time(), bench_real_time()}; }

void bench_stop(bench_clock start, double *processor, double *real) {
    *processor += bench_processor_time() - start.processor;
    *real += bench_real_time() - start.real;
}

void *bench_need(void *memory) {
    if (memory != NULL) return memory;
    fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
    exit(1);
}

void bench_check(sn_status status, const sn_error *error) {
    if (status == SN_OK) return;
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, error->text);
    exit(1);
}

sn_context *bench_context(int threads) {
    sn_error error;
    sn_context_options options = sn_context_options_default();
    options.threads = threads;
    sn_context *context;
    bench_check(sn_context_create(&options, &context, &error), &error);
    return context;
}

void bench_write_numbers(FILE *file, const char *name, const double *value, int count) {
    fprintf(file, "  \"%s\": [", name);
    for (int i = 0; i < count; ++i) fprintf(file, "%s%.17g", i ? "," : "", value[i]);
    fprintf(file, "],\n");
}

void bench_write_indices(FILE *file, const char *name, const int32_t *value, int count) {
    fprintf(file, "  \"%s\": [", name);
    for (int i = 0; i < count; ++i) fprintf(file, "%s%d", i ? "," : "", value[i]);
    fprintf(file, "],\n");
}

bench_fastest bench_faster(bench_fastest a, bench_fastest b) {
    if (a.processor == 0) return b;
    return b.processor == 0 || a.processor < b.processor ? a : b;
}

void bench_print_ratio(const bench_fastest *peer, int threads, const bench_fastest *own) {
    if (peer->processor > 0)
        printf(" %9.2f", threads > 1 ? peer->real / own->real : peer->processor / own->processor);
    else
        printf(" %9s", "-");
}
