/* The version and the parts of the build: one number everywhere, and the licences that the build really has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/base.h"

static void test_version_is_three_numbers(void **state) {
    (void)state;
    int major, minor, patch, length = 0;
    assert_int_equal(sscanf(sn_version(), "%d.%d.%d%n", &major, &minor, &patch, &length), 3);
    assert_int_equal(length, strlen(sn_version()));
    assert_int_equal(major, SN_VERSION_MAJOR); /* of the headers */
    assert_int_equal(minor, SN_VERSION_MINOR);
    assert_int_equal(patch, SN_VERSION_PATCH);
}

/* The newest release of CHANGELOG.md is this one. */
static void test_changes_name_the_version(void **state) {
    (void)state;
    FILE *file = fopen(SN_SOURCE_FOLDER "/CHANGELOG.md", "r");
    assert_non_null(file);
    char line[1000], version[100] = "";
    while (!*version && fgets(line, sizeof line, file)) (void)!sscanf(line, "## %99s", version);
    fclose(file);
    assert_string_equal(version, sn_version());
}

static void test_parts(void **state) {
    (void)state;
    const char *parts = sn_build_parts();
    char first[100];
    snprintf(first, sizeof first, "sinew %s (MIT)\n", sn_version());
    assert_memory_equal(parts, first, strlen(first));
    assert_int_equal(parts[strlen(parts) - 1], '\n');
#if defined(SN_HAVE_CHOLMOD)
    assert_non_null(strstr(parts, "GPL"));
#else
    assert_null(strstr(parts, "GPL"));
#endif
#if defined(SN_HAVE_X86_KERNELS)
    assert_non_null(strstr(parts, "AVX-512"));
#else
    assert_null(strstr(parts, "AVX"));
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_version_is_three_numbers),
                                       cmocka_unit_test(test_changes_name_the_version), cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
