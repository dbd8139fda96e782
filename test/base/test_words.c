/* The nearest word and the help in messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/words.h"

static const sn_listing list[] = {{"box", ""}, {"sphere", ""}, {"capsule", ""}, {"heightfield", ""}};
enum { COUNT = sizeof list / sizeof *list };

static const char *nearest(const char *word) { return sn_nearest(word, list, COUNT, (int)sizeof *list); }

static void test_nearest(void **state) {
    (void)state;
    assert_string_equal(nearest("sphere"), "sphere");
    assert_string_equal(nearest("shpere"), "sphere");          /* two letters swapped */
    assert_string_equal(nearest("spher"), "sphere");           /* one left out */
    assert_string_equal(nearest("spheree"), "sphere");         /* one too many */
    assert_string_equal(nearest("SPHERE"), "sphere");          /* case does not count */
    assert_string_equal(nearest("hightfeild"), "heightfield"); /* longer words bear more errors */
    assert_null(nearest("torus"));
    assert_null(nearest(""));
}

static void test_neighbours_in_a_list(void **state) {
    (void)state;
    const char *const words[] = {"bdf2", "bdf3", "bdf4"};
    assert_string_equal(sn_nearest("bdf3", words, 3, (int)sizeof *words),
                        "bdf3"); /* the exact one, not the first near one */
    assert_string_equal(sn_nearest("bdf9", words, 3, (int)sizeof *words), "bdf2"); /* of equals the first */
    assert_null(sn_nearest("bdf3", words, 0, (int)sizeof *words));
}

static void test_endless_words(void **state) {
    (void)state;
    char word[500];
    memset(word, 'x', sizeof word);
    word[sizeof word - 1] = 0;
    assert_null(nearest(word));
    const char *const words[] = {word};
    assert_null(sn_nearest("box", words, 1, (int)sizeof *words));
}

static void test_suggestions(void **state) {
    (void)state;
    char text[200] = "shape 'bax'";
    sn_suggest(text, (int)sizeof text, "bax", list, COUNT, (int)sizeof *list);
    assert_string_equal(text, "shape 'bax'; did you mean 'box'? known are box, sphere, capsule, heightfield");
    strcpy(text, "shape 'torus'");
    sn_suggest(text, (int)sizeof text, "torus", list, COUNT, (int)sizeof *list);
    assert_string_equal(text, "shape 'torus'; known are box, sphere, capsule, heightfield");
}

/* Whatever the room: the text stays closed and inside, and a list that does not fit is left out when there is a nearest
 * word. */
static void test_little_room(void **state) {
    (void)state;
    for (int room = 4; room < 100; ++room) {
        char text[101];
        memset(text, '#', sizeof text);
        strcpy(text, "bax");
        sn_suggest(text, room, "bax", list, COUNT, (int)sizeof *list);
        assert_true(strlen(text) < (size_t)room);
        for (int i = room; i < 101; ++i) assert_int_equal(text[i], '#');
        if (strstr(text, "known are")) assert_non_null(strstr(text, "heightfield"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),       cmocka_unit_test(test_neighbours_in_a_list),
        cmocka_unit_test(test_endless_words), cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_little_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
