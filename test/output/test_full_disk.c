/* A disk that is full: every format fails with the name of the file, leaves no part behind and keeps an older file. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene_text.h"

static sn_context *context;
static sn_world *world;
static char folder[] = "/tmp/sinew-full-XXXXXX";

/* Files may have this many bytes; above that a write fails as on a full disk, with another reason. */
static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int set_up(void **state) {
    (void)state;
    static const char text[] = "{\"bodies\": [{\"mesh\": {\"box\": {\"cells\": [2, 1, 1]}}}]}";
    signal(SIGXFSZ, SIG_IGN);
    if (sn_context_create(NULL, &context, NULL) || !mkdtemp(folder)) return -1;
    return world_from_text(context, "box", text, NULL, 0, &world, NULL) ? -1 : 0;
}

static int tear_down(void **state) {
    (void)state;
    sn_world_destroy(world);
    sn_context_destroy(context);
    return rmdir(folder);
}

static void put_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The text of a file, which is removed. */
static void take_text(const char *path, char *text, size_t capacity) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, capacity - 1, file)] = 0;
    fclose(file);
    unlink(path);
}

static void assert_failed(sn_status status, const sn_error *error, const char *path) {
    assert_int_equal(status, SN_IO);
    if (!strstr(error->text, path)) fail_msg("%s is not named: %s", path, error->text);
    if (!strstr(error->text, "File too large") && !strstr(error->text, "No space left"))
        fail_msg("%s: no reason: %s", path, error->text);
}

static void test_world_files(void **state) {
    (void)state;
    int count;
    const sn_listing *format = sn_output_formats(&count);
    for (int i = 0; i < count; ++i) {
        char path[128], text[64];
        snprintf(path, sizeof path, "%s/a.%s", folder, format[i].name);
        put_text(path, "older");
        limit_files(64);
        sn_error error = {0};
        const sn_status status = sn_world_write(world, path, &error);
        limit_files(RLIM_INFINITY);
        assert_failed(status, &error, path);
        take_text(path, text, sizeof text);
        assert_string_equal(text, "older");
    }
}

static void test_mesh_files(void **state) {
    (void)state;
    int count;
    const sn_listing *format = sn_mesh_formats(&count);
    for (int i = 0; i < count; ++i) {
        if (!sn_mesh_format_writes(format[i].name)) continue;
        char path[128], text[64];
        snprintf(path, sizeof path, "%s/a.%s", folder, format[i].name);
        put_text(path, "older");
        limit_files(64);
        sn_error error = {0};
        const sn_status status = sn_mesh_write(sn_world_body_mesh(world, 0), path, NULL, &error);
        limit_files(RLIM_INFINITY);
        assert_failed(status, &error, "/a."); /* TetGen has three files */
        take_text(path, text, sizeof text);
        assert_string_equal(text, "older");
    }
}

/* Writes frames until the disk is full: the index names exactly those that are there. */
static void test_series(void **state) {
    (void)state;
    sn_output_options options = sn_output_options_default();
    options.format_count = 1;
    strcpy(options.formats[0], "vtu");
    sn_writer *writer;
    sn_error error = {0};
    char path[128], before[4096], after[4096];
    assert_int_equal(sn_writer_create(context, folder, "s", &options, &writer, &error), SN_OK);
    assert_int_equal(sn_writer_frame(writer, world, &error), SN_OK);
    snprintf(path, sizeof path, "%s/s-00000.vtu", folder);
    struct stat vtu;
    assert_int_equal(stat(path, &vtu), 0);
    unlink(path);
    snprintf(path, sizeof path, "%s/s.pvd", folder);
    take_text(path, before, sizeof before);
    char *padding = calloc((size_t)vtu.st_size, 1); /* the index is as long as a frame: the next line has no room */
    memset(padding, ' ', (size_t)vtu.st_size - strlen(before) - 1);
    snprintf(after, sizeof after, "%.*s", (int)(strstr(before, "  </Collection>") - before), before);
    FILE *file = fopen(path, "wb");
    fprintf(file, "%s%s%s", padding, after, strstr(before, "  </Collection>"));
    fclose(file);
    limit_files((rlim_t)vtu.st_size + 16);
    const sn_status status = sn_writer_frame(writer, world, &error);
    limit_files(RLIM_INFINITY);
    assert_failed(status, &error, path);
    char *text = malloc((size_t)vtu.st_size + 64);
    take_text(path, text, (size_t)vtu.st_size + 64);
    const size_t length = strlen(text);
    assert_true(length > 27);
    assert_string_equal(text + length - 27, "  </Collection>\n</VTKFile>\n");
    snprintf(path, sizeof path, "%s/s-00001.vtu", folder);
    unlink(path);
    free(text);
    free(padding);
    sn_writer_destroy(writer);
}

/* A device stays what it is. */
static void test_devices(void **state) {
    (void)state;
    struct stat about;
    if (stat("/dev/full", &about) || !S_ISCHR(about.st_mode)) skip();
    if (symlink("/dev/full", "/tmp/sinew-full.png")) skip();
    sn_error error = {0};
    const sn_status status = sn_world_write(world, "/tmp/sinew-full.png", &error);
    assert_int_equal(lstat("/tmp/sinew-full.png", &about), 0);
    unlink("/tmp/sinew-full.png");
    assert_true(S_ISLNK(about.st_mode));
    assert_failed(status, &error, "/tmp/sinew-full.png");
}

static void test_picture_endings(void **state) {
    (void)state;
    static const char *const bad[] = {"x.jpg", "x", "a.png/x", "x.png.jpeg", ""};
    sn_error error = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(sn_world_picture(world, bad[i], NULL, &error), SN_BAD_INPUT);
        assert_non_null(strstr(error.text, ".png"));
        assert_int_equal(sn_picture_check(bad[i], NULL, &error), SN_BAD_INPUT);
    }
    assert_int_equal(sn_picture_check("a/x.PNG", NULL, &error), SN_OK);
    sn_picture_options options = sn_picture_options_default();
    options.width = 3;
    assert_int_equal(sn_picture_check("x.png", &options, &error), SN_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_world_files), cmocka_unit_test(test_mesh_files),
                                       cmocka_unit_test(test_series), cmocka_unit_test(test_devices),
                                       cmocka_unit_test(test_picture_endings)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
