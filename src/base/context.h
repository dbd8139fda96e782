/* Inside view of sn_context: allocation and the parallel loop.
 *
 * Determinism rule: work is cut into a number of pieces that depends on the problem only, never on the number of threads; a piece
 * is always done by one thread from front to back; what pieces produce is combined in the order of the pieces. */
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
    sn_isa isa; /* which build of the kernels runs */
    void *laws; /* of the caller (fem/own_law.c): a chain of blocks that begin with the pointer to the next one */
};

/* Of the builds of a kernel or a table of kernels, name_baseline, name_avx2 and name_avx512, the address of the one that runs. The file
 * that says this declares them. Without a context it is the baseline. */
#if defined(SN_HAVE_X86_KERNELS)
#define SN_BUILD(context, name)                                                                                                            \
    (!(context)                        ? &name##_baseline                                                                                  \
     : (context)->isa == SN_ISA_AVX512 ? &name##_avx512                                                                                    \
     : (context)->isa == SN_ISA_AVX2   ? &name##_avx2                                                                                      \
                                       : &name##_baseline)
#else
#define SN_BUILD(context, name) ((void)(context), &name##_baseline)
#endif

/* count * size bytes aligned to 64, or NULL (also on overflow). A count of 0 gives a valid pointer. */
void *sn_allocate(const sn_context *context, size_t count, size_t size);
void *sn_allocate_zero(const sn_context *context, size_t count, size_t size);
void sn_release(const sn_context *context, void *memory); /* NULL allowed */

/* Grows `*array` to hold at least `needed` items of `size` bytes, doubling; *capacity in items. Keeps the contents. */
sn_status sn_grow(const sn_context *context, void **array, int *capacity, int needed, size_t size, sn_error *error);

/* The usual message for a failed allocation. */
sn_status sn_no_memory(sn_error *error);

/* Calls task(data, i) for each i in [0, count). A call from inside a task, or while another thread uses the pool, runs
 * serially: the result is the same. */
void sn_parallel(const sn_context *context, int count, void (*task)(void *data, int index), void *data);

/* The same, in one run of neighbouring pieces per thread: loops that follow each other find their data in the cache of the same core.
 * Without a context, one after the other. */
void sn_parallel_pieces(const sn_context *context, int count, void (*task)(void *data, int piece), void *data);

/* How many pieces of about `grain` items n items make (at least 1, 0 when n is 0), and where piece i begins. */
static inline int sn_pieces(int64_t n, int64_t grain) { return (int)((n + grain - 1) / grain); }
static inline int64_t sn_piece_begin(int64_t n, int64_t grain, int64_t i) { return i * grain < n ? i * grain : n; }

/* Seconds of a monotonic clock, for reports only: no decision may depend on it. */
double sn_seconds(void);

#endif
