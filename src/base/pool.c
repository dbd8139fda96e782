/* A loop is opened with a new generation number; the caller and every worker that comes in time take indices from an atomic counter until it
 * runs out. The caller then closes the loop and waits for those workers only that had joined: one that is asleep or has no core of
 * its own holds nobody up. A worker first says that it joins and then looks whether a loop is open, the caller first closes and then looks whether anybody
 * has joined: one of the two sees the other. Workers spin briefly before they sleep: the loops of one step follow each other within
 * microseconds. A caller that finds the pool busy (a nested loop, another host thread) runs its loop alone. */
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { SPINS = 10000 };

struct sn_pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_uint generation; /* of the last loop that was opened */
    atomic_bool open, stop;
    atomic_int next;   /* index to take */
    atomic_int joined; /* workers that may look at task, data and count */
    atomic_int sleeping;
    atomic_flag busy;
    int count, worker_count;
    void (*task)(void *data, int index);
    void *data;
    pthread_t worker[63];
};

static inline void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}

static void take(struct sn_pool *pool) {
    const int count = pool->count;
    for (int i; (i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed)) < count;) pool->task(pool->data, i);
}

static void sleep_until_new(struct sn_pool *pool, unsigned seen) {
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleeping, 1);
    while (atomic_load(&pool->generation) == seen) pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *work(void *argument) {
    struct sn_pool *pool = argument;
    unsigned seen = 0;
    while (!atomic_load(&pool->stop)) {
        for (int spin = 0; spin < SPINS && atomic_load_explicit(&pool->generation, memory_order_relaxed) == seen; ++spin) relax();
        if (atomic_load(&pool->generation) == seen) sleep_until_new(pool, seen);
        seen = atomic_load(&pool->generation);
        atomic_fetch_add(&pool->joined, 1);
        if (atomic_load(&pool->open)) take(pool);
        atomic_fetch_sub(&pool->joined, 1);
    }
    return NULL;
}

/* A new generation; the mutex is needed only when somebody sleeps. */
static void announce(struct sn_pool *pool) {
    atomic_fetch_add(&pool->generation, 1);
    if (atomic_load(&pool->sleeping) == 0) return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

void sn_pool_run(struct sn_pool *pool, int count, void (*task)(void *data, int index), void *data) {
    if (count < 2 || atomic_flag_test_and_set_explicit(&pool->busy, memory_order_acquire)) {
        for (int i = 0; i < count; ++i) task(data, i);
        return;
    }
    pool->task = task;
    pool->data = data;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store(&pool->open, true);
    announce(pool);
    take(pool);
    atomic_store(&pool->open, false);
    for (int spin = 0; atomic_load(&pool->joined) > 0; ++spin) {
        if (spin < SPINS) relax();
        else sched_yield(); /* more threads than cores: let the worker run */
    }
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
        if (pthread_create(&pool->worker[pool->worker_count], NULL, work, pool) != 0) break;
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
    announce(pool);
    for (int i = 0; i < pool->worker_count; ++i) pthread_join(pool->worker[i], NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    allocator->release(allocator->user, pool);
}
