/* The private view of sn_context: memory allocation and the parallel loop.
 *
 * Rule of determinism: work is cut into pieces. The number of pieces depends on the problem only, never on the number
 * of threads. One thread does a piece from front to back. Results of pieces are combined in the order of the pieces. */
#ifndef SN_BASE_CONTEXT_H
#define SN_BASE_CONTEXT_H

#include "sinew/base.h"

typedef enum sn_isa { SN_ISA_BASELINE, SN_ISA_AVX2, SN_ISA_AVX512, SN_ISA_COUNT } sn_isa;

struct sn_pool;

struct sn_context {
    sn_allocator allocator;
    sn_parallel_for *parallel_for;
    void *parallel_host;
    struct sn_pool *pool; /* NULL with a host scheduler or one thread */
    int threads;
    sn_isa isa; /* the instruction set of the kernels that run */
    void
        *laws; /* laws of the caller (fem/own_law.c): a chain of blocks. Each begins with the pointer to the next one */
};

/* A kernel, or a table of kernels, is built once per instruction set: name_baseline, name_avx2 and name_avx512.
 * SN_BUILD is the address of the build that runs. The file that uses SN_BUILD declares the builds. Without a context,
 * the baseline runs. */
#if defined(SN_HAVE_X86_KERNELS)
#define SN_BUILD(context, name)                                                                                        \
    (!(context)                        ? &name##_baseline                                                              \
     : (context)->isa == SN_ISA_AVX512 ? &name##_avx512                                                                \
     : (context)->isa == SN_ISA_AVX2   ? &name##_avx2                                                                  \
                                       : &name##_baseline)
#else
#define SN_BUILD(context, name) ((void)(context), &name##_baseline)
#endif

/* Allocates count * size bytes, aligned to 64. Returns NULL on failure, also on overflow. A count of 0 gives a valid
 * pointer. */
void *sn_allocate(const sn_context *context, size_t count, size_t size);
void *sn_allocate_zero(const sn_context *context, size_t count, size_t size);
void sn_release(const sn_context *context, void *memory); /* NULL allowed */

/* Grows `*array` by doubling until it holds at least `needed` items of `size` bytes, and keeps the contents. *capacity
 * is in items. */
sn_status sn_grow(const sn_context *context, void **array, int *capacity, int needed, size_t size, sn_error *error);
/* Allocates several arrays of zeros. `pointer` is the address of the pointer to an array. After SN_NO_MEMORY some of
 * the pointers are NULL; the caller releases all of them. */
typedef struct sn_array {
    void *pointer;
    size_t count, size;
} sn_array;
#define SN_ARRAY(array, count) ((sn_array){&(array), count, sizeof *(array)})
sn_status sn_allocate_arrays(const sn_context *context, const sn_array *array, size_t count, sn_error *error);

/* Sets the usual message for a failed allocation, and returns the status. */
sn_status sn_no_memory(sn_error *error);

/* Calls task(data, i) for each i in [0, count). A call from inside a task, or while another thread uses the pool, runs
 * serially. The result is the same. */
void sn_parallel(const sn_context *context, int count, void (*task)(void *data, int index), void *data);

/* Like sn_parallel, but each thread takes one run of neighbouring pieces. Loops that follow each other then find their
 * data in the cache of the same core. Without a context, the pieces run one after the other. */
void sn_parallel_runs(const sn_context *context, int count, void (*task)(void *data, int piece), void *data);
/* The same. A small problem is one piece, which there is no one to share with; the compiler puts the task in place. */
static inline void sn_parallel_pieces(const sn_context *context, int count, void (*task)(void *data, int piece),
                                      void *data) {
    if (count == 1)
        task(data, 0);
    else
        sn_parallel_runs(context, count, task, data);
}

/* The number of pieces of about `grain` items that n items make (at least 1; 0 when n is 0), and the begin of piece
 * i. */
static inline int sn_pieces(int64_t n, int64_t grain) { return (int)((n + grain - 1) / grain); }
static inline int64_t sn_piece_begin(int64_t n, int64_t grain, int64_t i) { return i * grain < n ? i * grain : n; }

/* Seconds of a monotonic clock. They are for reports and for the time budget of a solve. No other
 * decision may depend on them. */
double sn_seconds(void);

#endif
