/* The thread pool: a fixed set of workers that take indices of one loop at a time. */
#ifndef SN_BASE_POOL_H
#define SN_BASE_POOL_H

#include "context.h"

sn_status sn_pool_create(const sn_allocator *allocator, int threads, struct sn_pool **pool, sn_error *error);
void sn_pool_destroy(const sn_allocator *allocator, struct sn_pool *pool);
void sn_pool_run(struct sn_pool *pool, int count, void (*task)(void *data, int index), void *data);

#endif
