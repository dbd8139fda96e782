/* What the benchmarks beside other engines share: clocks, errors that end the program, and scenes as JSON for engines
 * in other processes. */
#ifndef BENCH_SHARED_H
#define BENCH_SHARED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sinew/sinew.h"

#ifdef __cplusplus
extern "C" {
#endif

double bench_processor_time(void); /* s, of all threads of this process so far */
double bench_real_time(void);      /* s, since some moment */

/* Ends the program when there is no memory, or with the message of an error. */
void *bench_need(void *memory);
void bench_check(sn_status status, const sn_error *error);

sn_context *bench_context(int threads);

/* One member of a JSON object, with a comma behind it. */
void bench_write_numbers(FILE *file, const char *name, const double *value, int count);
void bench_write_indices(FILE *file, const char *name, const int32_t *value, int count);

/* Clocks around the steps of one frame. */
typedef struct bench_clock {
    double processor, real; /* s */
} bench_clock;
bench_clock bench_start(void);
/* Adds the time since the start. */
void bench_stop(bench_clock start, double *processor, double *real);

/* The fastest run of an engine: s of processor time and of real time per simulated second; 0: none. */
typedef struct bench_fastest {
    double processor, real;
} bench_fastest;
bench_fastest bench_faster(bench_fastest a, bench_fastest b);
/* Prints how many times as fast `own` is as the peer: by processor time for one thread, by real time for more. */
void bench_print_ratio(const bench_fastest *peer, int threads, const bench_fastest *own);

#ifdef __cplusplus
}
#endif
#endif
