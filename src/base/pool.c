/* The thread pool.
 *
 * A loop has as many shares as there are threads: one for the caller, and one per worker. Each worker has a slot. The
 * description of a loop is in one cache line, which ends with the ticket (number) of the loop. A worker that sees a new
 * ticket claims its slot, does its share and marks the share as done. When the caller has done its share, it claims the
 * shares that nobody has claimed yet, and waits only for the others. A worker that sleeps, or that has no core to run
 * on, therefore delays nobody. Tickets and claims only grow, so a worker that comes late always finds its slot claimed.
 *
 * A loop with at most as many indices as threads gives index i to thread i. Loops that follow each other then find
 * their data in the same cache. In longer loops, all shares take indices from one counter. Workers spin briefly before
 * they sleep, because the loops of one step follow each other within microseconds. A caller that finds the pool busy (a
 * nested loop, another thread of the host) runs its loop by itself. */
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { SPINS = 10000, WORKERS = 63, LINE = 64 };

typedef struct slot {
    _Alignas(LINE) atomic_ullong claim; /* the ticket of the last claimed share */
    atomic_ullong done;                 /* the ticket of the last share that is done */
} slot;

struct sn_pool {
    _Alignas(LINE) atomic_ullong ticket; /* of the last loop; it contains a number and how many slots take part */
    void (*task)(void *data, int index);
    void *data;
    int count;
    bool counted;                   /* indices come from `next` */
    _Alignas(LINE) atomic_int next; /* the next index */
    _Alignas(LINE) atomic_int sleeping;
    atomic_bool stop;
    atomic_flag busy;
    int worker_count;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t worker[WORKERS];
    slot slot[WORKERS];
    struct worker {
        struct sn_pool *pool;
        int index;
    } argument[WORKERS];
};

static inline void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}

/* The number of slots that take part in the loop of a ticket. */
static int slots_of(unsigned long long ticket) { return (int)(ticket % (WORKERS + 1)); }

static void do_share(struct sn_pool *pool, int share) {
    if (!pool->counted) {
        pool->task(pool->data, share);
        return;
    }
    const int count = pool->count;
    for (int i; (i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed)) < count;)
        pool->task(pool->data, i);
}

static bool claim(slot *s, unsigned long long ticket) {
    unsigned long long last = atomic_load_explicit(&s->claim, memory_order_relaxed);
    return last < ticket && atomic_compare_exchange_strong(&s->claim, &last, ticket);
}

static void sleep_until_new(struct sn_pool *pool, unsigned long long seen) {
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleeping, 1);
    while (atomic_load(&pool->ticket) == seen && !atomic_load(&pool->stop))
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *work(void *argument) {
    const struct worker *self = argument;
    struct sn_pool *pool = self->pool;
    slot *own = &pool->slot[self->index];
    unsigned long long seen = 0;
    while (!atomic_load_explicit(&pool->stop, memory_order_relaxed)) {
        for (int spin = 0; spin < SPINS && atomic_load_explicit(&pool->ticket, memory_order_relaxed) == seen; ++spin)
            relax();
        if (atomic_load(&pool->ticket) == seen) sleep_until_new(pool, seen);
        seen = atomic_load(&pool->ticket);
        if (self->index >= slots_of(seen) || !claim(own, seen)) continue;
        do_share(pool, self->index + 1);
        atomic_store_explicit(&own->done, seen, memory_order_release);
    }
    return NULL;
}

static void wake_sleepers(struct sn_pool *pool) {
    if (atomic_load(&pool->sleeping) == 0) return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

/* Finishes the share of a worker: waits for the worker, or does the share here if the worker has not claimed it. */
static void finish(struct sn_pool *pool, int worker, unsigned long long ticket) {
    slot *s = &pool->slot[worker];
    if (atomic_load_explicit(&s->done, memory_order_acquire) == ticket) return;
    if (claim(s, ticket)) {
        do_share(pool, worker + 1);
        return;
    }
    for (int spin = 0; atomic_load_explicit(&s->done, memory_order_acquire) != ticket; ++spin) {
        if (spin < SPINS)
            relax();
        else
            sched_yield(); /* more threads than cores: let the worker run */
    }
}

void sn_pool_run(struct sn_pool *pool, int count, void (*task)(void *data, int index), void *data) {
    if (count < 2 || atomic_flag_test_and_set_explicit(&pool->busy, memory_order_acquire)) {
        for (int i = 0; i < count; ++i) task(data, i);
        return;
    }
    const int workers = count - 1 < pool->worker_count ? count - 1 : pool->worker_count;
    const unsigned long long last = atomic_load_explicit(&pool->ticket, memory_order_relaxed);
    const unsigned long long ticket = (last / (WORKERS + 1) + 1) * (WORKERS + 1) + (unsigned)workers;
    pool->task = task;
    pool->data = data;
    pool->count = count;
    pool->counted = count > workers + 1;
    if (pool->counted) atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store(&pool->ticket, ticket);
    wake_sleepers(pool);
    do_share(pool, 0);
    for (int i = 0; i < workers; ++i) finish(pool, i, ticket);
    atomic_flag_clear_explicit(&pool->busy, memory_order_release);
}

sn_status sn_pool_create(const sn_allocator *allocator, int threads, struct sn_pool **out, sn_error *error) {
    struct sn_pool *pool = allocator->allocate(allocator->user, sizeof *pool);
    if (!pool) return sn_no_memory(error);
    memset(pool, 0, sizeof *pool);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    atomic_flag_clear(&pool->busy);
    const int wanted = threads - 1;
    for (int i = 0; i < wanted; ++i) {
        struct worker *argument = &pool->argument[pool->worker_count];
        *argument = (struct worker){pool, pool->worker_count};
        if (pthread_create(&pool->worker[pool->worker_count], NULL, work, argument) != 0) break;
        ++pool->worker_count;
    }
    if (pool->worker_count < wanted) {
        sn_pool_destroy(allocator, pool);
        return sn_fail(error, SN_NO_MEMORY, "cannot start %d threads", threads);
    }
    *out = pool;
    return SN_OK;
}

void sn_pool_destroy(const sn_allocator *allocator, struct sn_pool *pool) {
    if (!pool) return;
    atomic_store(&pool->stop, true);
    wake_sleepers(pool);
    for (int i = 0; i < pool->worker_count; ++i) pthread_join(pool->worker[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    allocator->release(allocator->user, pool);
}
