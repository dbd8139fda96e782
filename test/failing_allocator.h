/* An allocator for tests: counts live blocks and bytes, and fails the N-th request.
 *
 *     failing_allocator failing = failing_allocator_make();
 *     sn_context *context = failing_allocator_context(&failing);   // one thread
 *     failing_allocator_arm(&failing, n);                          // the n-th request from now on (1, 2, ...) and all
 * after it fail
 *     ... call; expect SN_NO_MEMORY until n exceeds the requests of a whole call ...
 *     failing_allocator_disarm(&failing);
 *     assert_int_equal(failing.live, blocks_before); */
#ifndef SN_TEST_FAILING_ALLOCATOR_H
#define SN_TEST_FAILING_ALLOCATOR_H

#include <stdint.h>
#include <stdlib.h>

#include "sinew/base.h"

typedef struct failing_allocator {
    int64_t live;      /* blocks not yet released */
    int64_t requests;  /* since the start */
    int64_t countdown; /* requests until one fails; 0: never */
    int failed;        /* set once a request has failed since arming */
} failing_allocator;

static inline void *failing_allocate(void *user, size_t bytes) {
    failing_allocator *f = user;
    ++f->requests;
    if (f->failed) return NULL;
    if (f->countdown > 0 && --f->countdown == 0) {
        f->failed = 1;
        return NULL;
    }
    const size_t rounded = (bytes + 63u) & ~(size_t)63u;
    void *memory = rounded < bytes ? NULL : aligned_alloc(64, rounded ? rounded : 64);
    if (memory) ++f->live;
    return memory;
}

static inline void failing_release(void *user, void *memory) {
    if (memory) --((failing_allocator *)user)->live;
    free(memory);
}

static inline failing_allocator failing_allocator_make(void) { return (failing_allocator){0}; }

static inline void failing_allocator_arm(failing_allocator *f, int64_t n) {
    f->countdown = n;
    f->failed = 0;
}

static inline void failing_allocator_disarm(failing_allocator *f) { f->countdown = 0, f->failed = 0; }

/* A context of one thread on this allocator, or NULL. Destroy it with sn_context_destroy. */
static inline sn_context *failing_allocator_context(failing_allocator *f) {
    sn_context_options options = sn_context_options_default();
    options.allocator = (sn_allocator){failing_allocate, failing_release, f};
    options.threads = 1;
    sn_context *context = NULL;
    return sn_context_create(&options, &context, NULL) ? NULL : context;
}

#endif
