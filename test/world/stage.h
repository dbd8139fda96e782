/* Stages (experiments/contact_stage.h) for tests: each failure fails the test, and a stage has its own context. */
#ifndef TEST_WORLD_STAGE_H
#define TEST_WORLD_STAGE_H

#include "contact_stage.h"
#include "scene.h"

static inline void expect_fine(const contact_stage *s) {
    if (s->status) print_message("%s\n", s->error.text);
    assert_int_equal(s->status, SN_OK);
}

static inline sn_context *context_of(int threads) {
    sn_context_options o = sn_context_options_default();
    sn_context *context = NULL;
    o.threads = threads;
    assert_int_equal(sn_context_create(&o, &context, NULL), SN_OK);
    return context;
}

static inline void open_stage(contact_stage *s, const char *response, int threads) {
    stage_start(s, context_of(threads), response);
}

static inline void create_stage(contact_stage *s) {
    stage_create(s);
    expect_fine(s);
}

static inline void step_stage(contact_stage *s, int steps) {
    stage_step(s, steps);
    expect_fine(s);
}

static inline void close_stage(contact_stage *s) {
    expect_fine(s);
    stage_end(s, NULL);
    sn_context_destroy(s->context);
}

#endif
