/* Tables of option fields: defaults, ranges, choices, and messages that name the field, the value and what is allowed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fields.h"

typedef struct sample {
    double plain, above, unit[3], most, open;
    int count;
    bool flag;
    char method[SN_NAME], automatic[SN_NAME];
    int guard; /* not in the table */
} sample;

static const sn_listing *methods(int *count) {
    static const sn_listing list[] = {{"euler", ""}, {"midpoint", ""}, {"verlet", ""}};
    *count = 3;
    return list;
}

#define HUGE_RANGE .low = -1e300, .high = 1e300
static const sn_field table[] = {
    {.name = "plain",
     .type = SN_FIELD_DOUBLE,
     .offset = offsetof(sample, plain),
     .count = 1,
     HUGE_RANGE,
     .value = -2.5,
     .unit = "",
     .text = ""},
    {.name = "above",
     .type = SN_FIELD_DOUBLE,
     .offset = offsetof(sample, above),
     .count = 1,
     .low = 0,
     .low_open = 1,
     .high = 1e300,
     .value = 0.01,
     .unit = "s",
     .text = ""},
    {.name = "unit",
     .type = SN_FIELD_DOUBLE,
     .offset = offsetof(sample, unit),
     .count = 3,
     .low = 0,
     .high = 1,
     .value = 0.5,
     .unit = "",
     .text = ""},
    {.name = "most",
     .type = SN_FIELD_DOUBLE,
     .offset = offsetof(sample, most),
     .count = 1,
     .low = -1e300,
     .high = 4,
     .value = 1,
     .unit = "",
     .text = ""},
    {.name = "open",
     .type = SN_FIELD_DOUBLE,
     .offset = offsetof(sample, open),
     .count = 1,
     .low = -INFINITY,
     .high = INFINITY,
     .unit = "",
     .text = ""},
    {.name = "count",
     .type = SN_FIELD_INT,
     .offset = offsetof(sample, count),
     .count = 1,
     .low = 1,
     .high = 100,
     .value = 10,
     .unit = "",
     .text = ""},
    {.name = "flag",
     .type = SN_FIELD_BOOL,
     .offset = offsetof(sample, flag),
     .count = 1,
     .value = 1,
     .unit = "",
     .text = ""},
    {.name = "method",
     .type = SN_FIELD_CHOICE,
     .offset = offsetof(sample, method),
     .count = 1,
     .choice = "euler",
     .choices = methods,
     .unit = "",
     .text = ""},
    {.name = "automatic",
     .type = SN_FIELD_CHOICE,
     .offset = offsetof(sample, automatic),
     .count = 1,
     .choices = methods,
     .unit = "",
     .text = ""},
};
enum { FIELDS = sizeof table / sizeof *table };

static sample defaults(void) {
    sample s;
    memset(&s, 0x5a, sizeof s);
    sn_fields_default(table, FIELDS, &s);
    return s;
}

static void test_defaults(void **state) {
    (void)state;
    const sample s = defaults();
    assert_true(s.plain == -2.5 && s.above == 0.01 && s.most == 1);
    for (int i = 0; i < 3; ++i) assert_true(s.unit[i] == 0.5);
    assert_int_equal(s.count, 10);
    assert_true(s.flag);
    assert_string_equal(s.method, "euler");
    assert_string_equal(s.automatic, "");
    assert_int_equal(s.guard, 0x5a5a5a5a); /* untouched */
    assert_int_equal(sn_fields_check(table, FIELDS, &s, NULL), SN_OK);
}

static void expect_message(const sample *s, const char *text) {
    sn_error error = {0};
    assert_int_equal(sn_within(&error, sn_fields_check(table, FIELDS, s, &error), "time"), SN_BAD_INPUT);
    assert_int_equal(error.status, SN_BAD_INPUT);
    assert_string_equal(error.text, text);
}

static void test_ranges(void **state) {
    (void)state;
    sample s = defaults();
    s.unit[0] = 0, s.unit[1] = 1, s.most = 4, s.count = 1, s.above = 1e-300, s.plain = 1e299; /* bounds are allowed */
    assert_int_equal(sn_fields_check(table, FIELDS, &s, NULL), SN_OK);
    s.count = 100;
    assert_int_equal(sn_fields_check(table, FIELDS, &s, NULL), SN_OK);

    s = defaults(), s.above = 0;
    expect_message(&s, "time.above: above is 0; it must be above 0 s");
    s = defaults(), s.unit[2] = 1.5;
    expect_message(&s, "time.unit.2: unit.2 is 1.5; it must be at least 0 and at most 1");
    s = defaults(), s.unit[0] = -0.25;
    expect_message(&s, "time.unit.0: unit.0 is -0.25; it must be at least 0 and at most 1");
    s = defaults(), s.most = 5;
    expect_message(&s, "time.most: most is 5; it must be at most 4");
    s = defaults(), s.count = 0;
    expect_message(&s, "time.count: count is 0; it must be at least 1 and at most 100");
    s = defaults(), s.count = 101;
    expect_message(&s, "time.count: count is 101; it must be at least 1 and at most 100");
}

/* Not a number lies in no range, although no comparison says so; infinity lies in none either. */
static void test_numbers_must_be_finite(void **state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        sample s = defaults();
        s.plain = bad[i];
        sn_error error = {0};
        assert_int_equal(sn_fields_check(table, FIELDS, &s, &error), SN_BAD_INPUT);
        assert_non_null(strstr(error.text, "plain is "));
        assert_non_null(strstr(error.text, "it must be finite"));
        s = defaults(), s.above = bad[i];
        assert_int_equal(sn_fields_check(table, FIELDS, &s, NULL), SN_BAD_INPUT);
        s = defaults(), s.open = bad[i];
        assert_int_equal(sn_fields_check(table, FIELDS, &s, NULL), SN_BAD_INPUT);
        s = defaults(), s.unit[1] = bad[i];
        assert_int_equal(sn_fields_check(table, FIELDS, &s, NULL), SN_BAD_INPUT);
    }
}

static void test_choices(void **state) {
    (void)state;
    sample s = defaults();
    strcpy(s.method, "verlet");
    strcpy(s.automatic, "midpoint");
    assert_int_equal(sn_fields_check(table, FIELDS, &s, NULL), SN_OK);
    strcpy(s.method, ""); /* automatic */
    assert_int_equal(sn_fields_check(table, FIELDS, &s, NULL), SN_OK);
    strcpy(s.method, "verlett");
    expect_message(
        &s, "time.method: method 'verlett' is unknown; did you mean 'verlet'? known are euler, midpoint, verlet");
    strcpy(s.method, "leapfrog");
    expect_message(&s, "time.method: method 'leapfrog' is unknown; known are euler, midpoint, verlet");
    strcpy(s.method, "Euler"); /* names are exact; the message helps */
    expect_message(&s,
                   "time.method: method 'Euler' is unknown; did you mean 'euler'? known are euler, midpoint, verlet");
}

static void test_first_wrong_field_is_named(void **state) {
    (void)state;
    sample s = defaults();
    s.above = -1, s.count = -1;
    expect_message(&s, "time.above: above is -1; it must be above 0 s");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_numbers_must_be_finite),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_first_wrong_field_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
