/* Errors: text and path, from the function that fails to the owner of its options; and the checks of the field types.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fields.h"

static void test_paths(void **state) {
    (void)state;
    sn_error error = {0};
    assert_int_equal(sn_fail(&error, SN_IO, "disk %d is full", 3), SN_IO);
    assert_string_equal(error.text, "disk 3 is full");
    assert_string_equal(error.path, "");
    assert_int_equal(sn_within(&error, SN_IO, "output"), SN_IO);
    assert_string_equal(error.text, "output: disk 3 is full");
    sn_fail_at(&error, SN_BAD_INPUT, "young", "young is %g", -3.0);
    sn_within(&error, SN_BAD_INPUT, "bodies.%d.material.%d", 2, 0);
    assert_string_equal(error.path, "bodies.2.material.0.young");
    assert_string_equal(error.text, "bodies.2.material.0.young: young is -3");
    assert_string_equal(sn_error_sentence(&error), "young is -3");
    assert_int_equal(sn_within(&error, SN_OK, "x"), SN_OK);
    assert_int_equal(sn_within(&error, SN_NO_MEMORY, "x"), SN_NO_MEMORY);
    assert_string_equal(error.path, "bodies.2.material.0.young");
    assert_int_equal(sn_within(NULL, SN_IO, "x"), SN_IO);
}

/* Texts and paths that are too long are cut, and stay strings. */
static void test_long(void **state) {
    (void)state;
    char word[1000];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    sn_error error = {0};
    sn_fail_at(&error, SN_BAD_INPUT, word, "%s", word);
    assert_int_equal(strlen(error.path), sizeof error.path - 1);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    sn_within(&error, SN_BAD_INPUT, "%s", word);
    assert_int_equal(strlen(error.path), sizeof error.path - 1);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

typedef struct thing {
    double number, vector[3], direction[3];
    int choice;
    char text[8];
    bool axes[3];
    sn_ramp ramp;
    const double *key;
    int key_count;
    int64_t large;
} thing;

static const sn_listing *colours(int *count) {
    static const sn_listing colour[] = {{"red", ""}, {"green", ""}};
    *count = 2;
    return colour;
}

#define AT(member) offsetof(thing, member)
static const sn_field field[] = {
    {"number", SN_FIELD_DOUBLE, AT(number), 1, 0, 2, 1, 1.5, NULL, NULL, "m", ""},
    {"vector", SN_FIELD_DOUBLE, AT(vector), 3, -1e300, 1e300, 0, 0, NULL, NULL, "", ""},
    {"direction", SN_FIELD_DIRECTION, AT(direction), 3, -1e300, 1e300, 0, 1, NULL, NULL, "", ""},
    {"choice", SN_FIELD_ENUM, AT(choice), 1, 1, 2, 0, 0, NULL, colours, "", ""},
    {"text", SN_FIELD_TEXT, AT(text), 8, 0, 0, 0, 0, "seven..", NULL, "", ""},
    {"axes", SN_FIELD_AXES, AT(axes), 3, 0, 0, 0, 1, NULL, NULL, "", ""},
    {"ramp", SN_FIELD_RAMP, AT(ramp), 1, 0, 0, 0, 0, NULL, NULL, "", ""},
    {"keys", SN_FIELD_KEYS, AT(key), 2, 0, 0, 0, 0, NULL, NULL, "", ""},
    {"large", SN_FIELD_LONG, AT(large), 1, 0, 1e300, 0, 7, NULL, NULL, "", ""},
};
enum { FIELDS = sizeof field / sizeof *field };

static thing fresh(void) {
    thing t;
    memset(&t, 0x55, sizeof t);
    sn_fields_default(field, FIELDS, &t);
    return t;
}

static void refused(const thing *t, const char *path, const char *word) {
    sn_error error = {0};
    assert_int_equal(sn_fields_check(field, FIELDS, t, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, path);
    if (!strstr(error.text, word)) fail_msg("'%s' should say '%s'", error.text, word);
}

static void test_fields(void **state) {
    (void)state;
    const double falling[] = {0, 1, 0, 2}, endless[] = {0, 1, 2, INFINITY};
    thing t = fresh();
    assert_int_equal(sn_fields_check(field, FIELDS, &t, NULL), SN_OK);
    assert_true(t.number == 1.5 && t.vector[2] == 0 && t.choice == 0 && t.axes[2] && !t.ramp.given && !t.key &&
                t.large == 7);
    assert_string_equal(t.text, "seven..");
    t.number = 0, refused(&t, "number", "above 0");
    t = fresh(), t.number = 3, refused(&t, "number", "at most 2 m");
    t = fresh(), t.number = NAN, refused(&t, "number", "must be finite");
    t = fresh(), t.vector[1] = INFINITY, refused(&t, "vector.1", "must be finite");
    t = fresh(), memset(t.direction, 0, sizeof t.direction), refused(&t, "direction", "no direction");
    t = fresh(), t.choice = 3, refused(&t, "choice", "red, green");
    t = fresh(), t.choice = 2, assert_int_equal(sn_fields_check(field, FIELDS, &t, NULL), SN_OK);
    t = fresh(), memset(t.text, 'x', sizeof t.text), refused(&t, "text", "at most 7");
    t = fresh(), memset(t.axes, 0, sizeof t.axes), refused(&t, "axes", "x, y, z");
    t = fresh(), t.ramp = (sn_ramp){2, 1, true}, refused(&t, "ramp", "[2, 1]");
    t = fresh(), t.key_count = 2, refused(&t, "keys", "no numbers");
    t = fresh(), t.key = falling, t.key_count = 2, refused(&t, "keys.1", "ascend");
    t = fresh(), t.key = endless, t.key_count = 2, refused(&t, "keys.1", "finite");
    t = fresh(), t.large = -1, refused(&t, "large", "at least 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_paths), cmocka_unit_test(test_long),
                                       cmocka_unit_test(test_fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
