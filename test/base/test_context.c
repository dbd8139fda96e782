/* The context: its hooks and options, allocation through them, messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "failing_allocator.h"

/* Whichever request of a creation fails, nothing is left behind and the caller's pointer is as it was. */
static void test_every_request_of_a_creation_fails(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        failing_allocator f = failing_allocator_make();
        sn_context_options options = sn_context_options_default();
        options.allocator = (sn_allocator){failing_allocate, failing_release, &f};
        options.threads = threads;
        int64_t n = 0;
        for (bool created = false; !created;) {
            sn_context *context = NULL;
            sn_error error = {0};
            failing_allocator_arm(&f, ++n);
            const sn_status status = sn_context_create(&options, &context, &error);
            created = !f.failed;
            assert_int_equal(status, created ? SN_OK : SN_NO_MEMORY);
            if (created) {
                assert_int_equal(sn_context_threads(context), threads);
                sn_context_destroy(context);
            } else {
                assert_null(context);
                assert_int_equal(error.status, SN_NO_MEMORY);
                assert_string_equal(error.text, "out of memory");
            }
            assert_int_equal(f.live, 0);
        }
        assert_int_equal(n, threads > 1 ? 3 : 2); /* the context, and the pool of several threads: one request each */
    }
}

static void test_bad_options_are_named(void **state) {
    (void)state;
    static const struct {
        int threads;
        const char *simd, *word;
    } bad[] = {{-1, "auto", "-1"}, {65, "auto", "65"}, {1, "avx3", "'avx3'"}, {1, "", "''"}};
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); ++i) {
        sn_context_options options = sn_context_options_default();
        options.threads = bad[i].threads;
        options.simd = bad[i].simd;
        sn_context *context = NULL;
        sn_error error = {0};
        assert_int_equal(sn_context_create(&options, &context, &error), SN_BAD_INPUT);
        assert_null(context);
        assert_non_null(strstr(error.text, bad[i].word));
        assert_int_equal(sn_context_create(&options, &context, NULL), SN_BAD_INPUT);
    }
}

static int width(const char *simd) { return strcmp(simd, "baseline") == 0 ? 0 : strcmp(simd, "avx2") == 0 ? 1 : 2; }

static const char *simd_of(const char *wish) {
    sn_context_options options = sn_context_options_default();
    options.threads = 1;
    options.simd = wish;
    sn_context *context = NULL;
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    const char *name = sn_context_simd(context);
    sn_context_destroy(context);
    return name;
}

/* A set is used or refused. The message names the widest set. */
static void test_instruction_set(void **state) {
    (void)state;
    static const char *const set[] = {"baseline", "avx2", "avx512"};
    const char *widest = simd_of("auto");
    for (int i = 0; i < 3; ++i) {
        if (i <= width(widest)) {
            assert_string_equal(simd_of(set[i]), set[i]);
            continue;
        }
        sn_context_options options = sn_context_options_default();
        options.simd = set[i];
        sn_context *context = NULL;
        sn_error error = {0};
        assert_int_equal(sn_context_create(&options, &context, &error), SN_BAD_INPUT);
        assert_null(context);
        assert_non_null(strstr(error.text, set[i]));
        assert_non_null(strstr(error.text, widest));
    }
    assert_string_equal(simd_of(NULL), widest);
}

static void test_allocation(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make();
    sn_context *context = failing_allocator_context(&f);
    const int64_t live = f.live, requests = f.requests;
    assert_null(sn_allocate(context, SIZE_MAX / 2, 4));
    assert_null(sn_allocate_zero(context, SIZE_MAX, SIZE_MAX));
    assert_int_equal(f.requests, requests); /* the product does not fit: the hook is not asked */

    void *empty = sn_allocate(context, 0, 8);
    unsigned char *zeros = sn_allocate_zero(context, 1000, 3);
    assert_non_null(empty);
    assert_non_null(zeros);
    for (int i = 0; i < 3000; ++i) assert_int_equal(zeros[i], 0);
    memset(zeros, 0xff, 3000); /* what a used block leaves must not be seen by the next */
    sn_release(context, zeros);
    zeros = sn_allocate_zero(context, 1000, 3);
    for (int i = 0; i < 3000; ++i) assert_int_equal(zeros[i], 0);
    assert_int_equal(f.live, live + 2);
    sn_release(context, zeros);
    sn_release(context, empty);
    sn_release(context, NULL);
    assert_int_equal(f.live, live);
    sn_context_destroy(context);
    assert_int_equal(f.live, 0);
}

/* Cache lines for small blocks and large ones, which take another path. */
static void test_default_allocator_aligns(void **state) {
    (void)state;
    const sn_allocator own = sn_context_options_default().allocator;
    static const size_t bytes[] = {0, 1, 63, 64, 65, 1000, (1 << 20) - 1, 1 << 20, (5 << 20) + 1};
    for (int i = 0; i < (int)(sizeof bytes / sizeof *bytes); ++i) {
        unsigned char *memory = own.allocate(own.user, bytes[i]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        memset(memory, 1, bytes[i]);
        own.release(own.user, memory);
    }
    assert_null(own.allocate(own.user, SIZE_MAX));
    assert_null(own.allocate(own.user, SIZE_MAX - 100));
    own.release(own.user, NULL);
}

static void test_arrays_grow(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make();
    sn_context *context = failing_allocator_context(&f);
    const int64_t live = f.live;
    int32_t *array = NULL;
    int capacity = 0, last = 0;
    for (int i = 0; i < 1000; ++i) {
        assert_int_equal(sn_grow(context, (void **)&array, &capacity, i + 1, sizeof *array, NULL), SN_OK);
        assert_true(capacity > i);
        assert_true(capacity == last || capacity >= 2 * last); /* doubling: a thousand items take few copies */
        last = capacity;
        array[i] = 3 * i;
    }
    for (int i = 0; i < 1000; ++i) assert_int_equal(array[i], 3 * i);
    assert_int_equal(f.live, live + 1);

    int32_t *before = array;
    sn_error error = {0};
    failing_allocator_arm(&f, 1);
    assert_int_equal(sn_grow(context, (void **)&array, &capacity, 100000, sizeof *array, &error), SN_NO_MEMORY);
    failing_allocator_disarm(&f);
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, last);
    assert_int_equal(array[999], 2997);

    assert_int_equal(sn_grow(context, (void **)&array, &capacity, 100000, sizeof *array, NULL), SN_OK);
    assert_true(capacity >= 100000); /* more than twice at once */
    assert_int_equal(array[999], 2997);
    sn_release(context, array);
    assert_int_equal(f.live, live);
    sn_context_destroy(context);
}

static void test_messages(void **state) {
    (void)state;
    sn_error error = {0};
    assert_int_equal(sn_fail(&error, SN_IO, "%s at byte %d", "beam.msh", 7), SN_IO);
    assert_int_equal(error.status, SN_IO);
    assert_string_equal(error.text, "beam.msh at byte 7");
    assert_int_equal(sn_fail(NULL, SN_SINGULAR, "%d", 1), SN_SINGULAR);

    char lengthy[2000];
    memset(lengthy, 'x', sizeof lengthy);
    lengthy[sizeof lengthy - 1] = 0;
    sn_fail(&error, SN_IO, "%s", lengthy);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

/* The path of an error grows from the inside to the outside. */
static void test_paths(void **state) {
    (void)state;
    sn_error error = {0};
    assert_int_equal(sn_fail_at(&error, SN_BAD_INPUT, "young", "young is %g", -1.0), SN_BAD_INPUT);
    assert_string_equal(error.path, "young");
    assert_string_equal(error.text, "young: young is -1");
    assert_int_equal(sn_within(&error, SN_BAD_INPUT, "bodies.%d", 2), SN_BAD_INPUT);
    assert_string_equal(error.path, "bodies.2.young");
    assert_string_equal(error.text, "bodies.2.young: young is -1");
    assert_string_equal(sn_error_sentence(&error), "young is -1");

    sn_fail(&error, SN_BAD_INPUT, "no option is at fault"); /* an older path is gone */
    assert_string_equal(error.path, "");
    sn_within(&error, SN_BAD_INPUT, "time");
    assert_string_equal(error.path, "time");
    assert_int_equal(sn_within(&error, SN_OK, "solver"), SN_OK);
    assert_string_equal(error.path, "time");
    assert_int_equal(sn_within(NULL, SN_IO, "solver"), SN_IO);

    for (int i = 0; i < 100; ++i) sn_within(&error, SN_BAD_INPUT, "level.%d", i);
    assert_true(strlen(error.path) < sizeof error.path);
    assert_memory_equal(error.path, "level.99.level.98.", 18); /* a path that is too long loses its end */

    sn_fail(&error, SN_IO, "inside");
    sn_fail(&error, SN_IO, "outside: %s", error.text); /* a message that quotes itself */
    assert_string_equal(error.text, "outside: inside");
}

static void test_status_names(void **state) {
    (void)state;
    for (int i = SN_OK; i <= SN_STOPPED; ++i) {
        assert_string_not_equal(sn_status_name((sn_status)i), "unknown");
        for (int j = SN_OK; j < i; ++j)
            assert_string_not_equal(sn_status_name((sn_status)i), sn_status_name((sn_status)j));
    }
    assert_string_equal(sn_status_name(SN_OK), "ok");
    assert_string_equal(sn_status_name(SN_NOT_CONVERGED), "not-converged");
    assert_string_equal(sn_status_name(SN_UNSUPPORTED), "unsupported");
    assert_string_equal(sn_status_name(SN_STOPPED), "stopped");
    assert_string_equal(sn_status_name((sn_status)(SN_STOPPED + 1)), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_request_of_a_creation_fails),
        cmocka_unit_test(test_bad_options_are_named),
        cmocka_unit_test(test_instruction_set),
        cmocka_unit_test(test_allocation),
        cmocka_unit_test(test_default_allocator_aligns),
        cmocka_unit_test(test_arrays_grow),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_status_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
