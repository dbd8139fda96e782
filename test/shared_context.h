/* A context that all tests of a file share: cmocka_run_group_tests(tests, start, end). */
#ifndef TEST_SHARED_CONTEXT_H
#define TEST_SHARED_CONTEXT_H

#include "sinew/sinew.h"

static sn_context *context;
static int start(void **state) {
    (void)state;
    return sn_context_create(NULL, &context, NULL) ? -1 : 0;
}
static int end(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

#endif
