/* Conformance of result formats: every format that sn_output_formats() lists writes a file and a series; bad options
 * are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene_text.h"

static sn_context *context;
static sn_world *world;
static char folder[] = "/tmp/sinew-writer-XXXXXX";

static int set_up(void **state) {
    (void)state;
    static const char text[] =
        "{\"bodies\": [{\"mesh\": {\"box\": {\"cells\": [2, 1, 1]}}, \"material\": {\"law\": \"corotated\", \"young\": "
        "1e5, \"poisson\": 0.3}}]}";
    if (sn_context_create(NULL, &context, NULL) || !mkdtemp(folder)) return -1;
    return world_from_text(context, "box", text, NULL, 0, &world, NULL) ? -1 : 0;
}

static int tear_down(void **state) {
    (void)state;
    sn_world_destroy(world);
    sn_context_destroy(context);
    return rmdir(folder);
}

/* The size of a file, which is removed; -1 when there is none. */
static long take(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fclose(file);
    unlink(path);
    return size;
}

static void test_one_file(void **state) {
    (void)state;
    int count;
    const sn_listing *format = sn_output_formats(&count);
    assert_true(count > 0);
    for (int i = 0; i < count; ++i) {
        char path[128];
        sn_error error = {0};
        snprintf(path, sizeof path, "%s/a.%s", folder, format[i].name);
        if (sn_world_write(world, path, &error)) fail_msg("%s: %s", format[i].name, error.text);
        assert_true(take(path) > 100);
        snprintf(path, sizeof path, "%s/missing/a.%s", folder, format[i].name);
        assert_int_equal(sn_world_write(world, path, &error), SN_IO);
        assert_non_null(strstr(error.text, "missing"));
    }
}

static void test_series(void **state) {
    (void)state;
    int count;
    const sn_listing *format = sn_output_formats(&count);
    for (int i = 0; i < count; ++i) {
        sn_output_options options = sn_output_options_default();
        options.format_count = options.field_count = 1;
        snprintf(options.formats[0], sizeof *options.formats, "%s", format[i].name);
        snprintf(options.fields[0], sizeof *options.fields, "displacement");
        options.picture.width = options.picture.height = 32;
        sn_writer *writer;
        assert_int_equal(sn_writer_create(context, folder, "box", &options, &writer, NULL), SN_OK);
        for (int frame = 0; frame < 2; ++frame) {
            char path[128];
            assert_int_equal(sn_writer_frame(writer, world, NULL), SN_OK);
            snprintf(path, sizeof path, "%s/box-%05d.%s", folder, frame, format[i].name);
            assert_true(take(path) > 100);
        }
        sn_writer_destroy(writer);
        char index[128];
        snprintf(index, sizeof index, "%s/box.pvd", folder);
        assert_int_equal(take(index) > 0, strcmp(format[i].name, "vtu") == 0);
    }
}

static void test_refusals(void **state) {
    (void)state;
    sn_error error = {0};
    sn_writer *writer = NULL;
    assert_int_equal(sn_world_write(world, "a.vtuu", &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "did you mean 'vtu'?"));
    assert_int_equal(sn_world_write(world, "a.vtu/b", &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "png")); /* the list of all */
    sn_output_options options = {.field_count = 0};
    assert_int_equal(sn_writer_create(context, folder, "a", &options, &writer, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "sn_output_options was not made by sn_output_options_default()"));
    options = sn_output_options_default();
    options.format_count = 1, strcpy(options.formats[0], "onj");
    assert_int_equal(sn_writer_create(context, folder, "a", &options, &writer, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "did you mean 'obj'?"));
    options = sn_output_options_default();
    strcpy(options.fields[0], "stres");
    assert_int_equal(sn_writer_create(context, folder, "a", &options, &writer, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "did you mean 'stress'?"));
    static const int count[] = {-1, 9, 13};
    for (int i = 0; i < 3; ++i) {
        options = sn_output_options_default();
        *(i < 2 ? &options.format_count : &options.field_count) = count[i];
        assert_int_equal(sn_writer_create(context, folder, "a", &options, &writer, &error), SN_BAD_INPUT);
        assert_non_null(strstr(error.text, "_count is "));
    }
    assert_null(writer);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_file), cmocka_unit_test(test_series),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
