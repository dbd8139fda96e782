/* Runs that are saved and restored go on with the same bits (three_runs.h): all ready scenes. */
#include <dirent.h>

#include "three_runs.h"

static void each_scene(int steps) {
    const char *const folder = SN_SOURCE_FOLDER "/scenes";
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[1024];
        if (!strstr(entry->d_name, ".json")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        compare(path, NULL, 0, steps, steps);
    }
    closedir(dir);
}

static void test_scenes(void **state) {
    (void)state;
    compared = 0;
    each_scene(2);
    assert_true(compared > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
    return cmocka_run_group_tests(tests, start, end);
}
