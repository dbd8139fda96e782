/* The ready scenes: each file in scenes/ is valid, and the gallery of the page is whole: each place once, a picture for
 * each of its scenes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <dirent.h>
#include <jansson.h>

#include "sinew/sinew.h"

/* Calls `work` with the path and the name of each file with the ending in a folder of the repository. Returns how many
 * there are. */
static int for_each(const char *folder, const char *ending, void (*work)(const char *path, const char *name)) {
    char path[1024];
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", SN_SOURCE_FOLDER, folder);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        char name[300];
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ending) != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        snprintf(path, sizeof path, "%s/%s/%s", SN_SOURCE_FOLDER, folder, entry->d_name);
        work(path, name);
        ++count;
    }
    closedir(dir);
    return count;
}

static sn_context *context;

static void load(const char *path, const char *name) {
    (void)name;
    sn_scene *scene;
    sn_error error = {0};
    if (sn_scene_load(context, path, NULL, 0, &scene, &error)) fail_msg("%s", error.text);
    sn_scene_destroy(scene);
}

static void test_valid(void **state) {
    (void)state;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    assert_true(for_each("scenes", ".json", load) > 20);
    sn_context_destroy(context);
}

static const char *holder[1001]; /* of each place */
static char names[1001][300];
static int shown;

static void check_scene(const char *path, const char *name) {
    json_t *root = json_load_file(path, 0, NULL), *gallery = json_object_get(root, "gallery");
    assert_non_null(root);
    if (gallery) {
        const int place = (int)json_integer_value(json_object_get(gallery, "place"));
        assert_in_range(place, 1, 1000);
        if (holder[place]) fail_msg("scenes %s and %s both have place %d in the gallery", holder[place], name, place);
        snprintf(names[place], sizeof *names, "%s", name);
        holder[place] = names[place];
        char picture[1024];
        snprintf(picture, sizeof picture, "%s/web/pictures/%s.jpg", SN_SOURCE_FOLDER, name);
        if (access(picture, R_OK))
            fail_msg("scene %s is in the gallery, but web/pictures/%s.jpg is missing", name, name);
        ++shown;
    }
    json_decref(root);
}

static void check_picture(const char *path, const char *name) {
    (void)path;
    for (int i = 1; i <= 1000; ++i)
        if (holder[i] && strcmp(holder[i], name) == 0) return;
    fail_msg("web/pictures/%s.jpg belongs to no scene of the gallery", name);
}

static void test_gallery(void **state) {
    (void)state;
    for_each("scenes", ".json", check_scene);
    assert_true(shown >= 10);
    assert_int_equal(for_each("web/pictures", ".jpg", check_picture), shown);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_valid), cmocka_unit_test(test_gallery)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
