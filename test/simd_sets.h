/* The instruction sets of this processor, for tests that run with each of them. */
#ifndef TEST_SIMD_SETS_H
#define TEST_SIMD_SETS_H

#include "sinew/base.h"

/* The set itself, or "auto" when this processor or this build does not have it. */
static inline const char *simd_or_widest(const char *wish) {
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    options.simd = wish;
    sn_context *context = NULL;
    const sn_status status = sn_context_create(&options, &context, NULL);
    sn_context_destroy(context);
    return status ? "auto" : wish;
}

#endif
