/* Worlds whose memory runs out at each of many allocations. Include cmocka.h before this file. */
#ifndef TEST_CLOTH_OUT_OF_MEMORY_H
#define TEST_CLOTH_OUT_OF_MEMORY_H

#include "failing_allocator.h"
#include "scene_text.h"

/* Creates the world of a text and takes its first step if `step` is set, with the n-th allocation failing, for growing
 * n until none fails. A failed creation must say so. A step may do without the memory. Nothing may leak. */
static inline void run_out_of_memory(const char *text, bool step) {
    for (int64_t n = 1;; n += n < 200 ? 7 : 41) {
        failing_allocator failing = failing_allocator_make();
        sn_context *own = failing_allocator_context(&failing);
        sn_world *world = NULL;
        sn_error error = {0};
        failing_allocator_arm(&failing, n);
        sn_status status = world_from_text(own, "test", text, NULL, 0, &world, &error);
        if (!status && step) status = sn_world_step(world, NULL, &error);
        const int failed = failing.failed;
        failing_allocator_disarm(&failing);
        if (failed && (status || !step)) assert_int_equal(status, SN_NO_MEMORY);
        if (!failed) assert_int_equal(status, SN_OK);
        sn_world_destroy(world);
        sn_context_destroy(own);
        assert_int_equal(failing.live, 0);
        if (!failed) break;
    }
}

#endif
