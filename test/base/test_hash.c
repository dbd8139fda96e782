/* FNV-1a against its published values: saved states and golden hashes rest on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"

static uint64_t hash_of(const char *text) { return sn_hash(SN_HASH_START, text, strlen(text)); }

static void test_published_values(void **state) {
    (void)state;
    assert_true(hash_of("") == 0xcbf29ce484222325u);
    assert_true(hash_of("a") == 0xaf63dc4c8601ec8cu);
    assert_true(hash_of("foobar") == 0x85944171f73967e8u);
    assert_true(sn_hash(SN_HASH_START, "\xff", 1) == 0xaf64724c8602eb6eu); /* bytes above 127 are not negative */
}

static void test_parts_make_the_whole(void **state) {
    (void)state;
    assert_true(sn_hash(hash_of("foo"), "bar", 3) == hash_of("foobar"));
    assert_true(hash_of("ab") != hash_of("ba"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_values),
                                       cmocka_unit_test(test_parts_make_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
