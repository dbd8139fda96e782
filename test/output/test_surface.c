/* The detailed surface of a body: pictures and surface files show it, and it follows the tets. Pictures do not depend
 * on the number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sinew/sinew.h"

enum { WIDTH = 160, HEIGHT = 120, BYTES = WIDTH * HEIGHT * 3 };

static sn_mesh *generate(sn_context *context, const char *generator, const sn_generator_value *value, int count) {
    sn_error error = {0};
    sn_mesh *mesh;
    if (sn_mesh_generate(context, generator, value, count, &mesh, &error)) fail_msg("%s", error.text);
    return mesh;
}

/* A tall box. Its detailed surface, if wanted, is a ball in its middle. */
static sn_world *make_world(sn_context *context, bool ball) {
    static const sn_generator_value size[] = {{"size", 3, {1, 2, 1}}, {"cells", 3, {2, 4, 2}}},
                                    radius = {"radius", 1, {0.25}};
    static const double middle[3] = {0.5, 1, 0.5};
    sn_mesh *box = generate(context, "box", size, 2), *sphere = generate(context, "sphere", &radius, 1);
    sn_mesh_move(sphere, middle);
    sn_body_options body = sn_body_options_default();
    body.mesh = box;
    if (ball) body.surface = sphere;
    sn_world_options options = sn_world_options_default();
    options.body = &body, options.body_count = 1;
    sn_error error = {0};
    sn_world *world;
    if (sn_world_create(context, &options, &world, &error)) fail_msg("%s", error.text);
    sn_mesh_destroy(box);
    sn_mesh_destroy(sphere);
    return world;
}

/* Stretches the body to twice its height. */
static void stretch(sn_world *world) {
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    double *x = malloc(3 * (size_t)mesh->node_count * sizeof *x);
    for (int i = 0; i < 3 * mesh->node_count; ++i) x[i] = mesh->position[i] * (i % 3 == 1 ? 2 : 1);
    assert_int_equal(sn_world_put(world, 0, x, NULL, NULL), SN_OK);
    free(x);
}

static void test_files(void **state) {
    (void)state;
    static const char *const ending[] = {"obj", "ply", "stl"};
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    sn_world *world = make_world(context, true);
    const sn_embedding *surface = sn_world_body_surface(world, 0);
    assert_non_null(surface);
    assert_null(sn_world_body_surface(world, 1));
    stretch(world);
    for (int i = 0; i < 3; ++i) {
        char path[64];
        sn_error error = {0};
        sn_mesh *mesh;
        sn_mesh_report report;
        snprintf(path, sizeof path, "/tmp/sinew-surface-%d.%s", (int)getpid(), ending[i]);
        if (sn_world_write(world, path, &error)) fail_msg("%s", error.text);
        if (sn_mesh_read(context, path, &mesh, &error)) fail_msg("%s", error.text);
        assert_int_equal(mesh->triangle_count, surface->triangle_count);
        assert_int_equal(mesh->node_count, surface->vertex_count);
        assert_int_equal(sn_mesh_inspect(mesh, &report, &error), SN_OK);
        assert_int_equal(report.open_edges, 0);
        assert_float_equal(report.low[0], 0.25, 1e-6);
        assert_float_equal(report.high[2], 0.75, 1e-6);
        assert_float_equal(report.low[1], 1.5, 1e-6); /* twice 0.75 */
        assert_float_equal(report.high[1], 2.5, 1e-6);
        sn_mesh_destroy(mesh);
        unlink(path);
    }
    sn_world_destroy(world);
    sn_context_destroy(context);
}

/* The picture of a world with a fixed view; returns how many pixels show the coloured body. */
static int render_titled(sn_world *world, const char *field, const char *title, unsigned char *rgb) {
    sn_picture_options options = sn_picture_options_default();
    snprintf(options.title, sizeof options.title, "%s", title);
    options.width = WIDTH, options.height = HEIGHT;
    snprintf(options.field, sizeof options.field, "%s", field);
    const double view[2][3] = {{0, 0, 0}, {1, 2, 1}};
    memcpy(options.view, view, sizeof view);
    sn_error error = {0};
    if (sn_world_render(world, &options, rgb, &error)) fail_msg("%s", error.text);
    int coloured = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) coloured += abs(rgb[3 * i] - rgb[3 * i + 2]) > 30;
    return coloured;
}

static int render(sn_world *world, const char *field, unsigned char *rgb) {
    return render_titled(world, field, "", rgb);
}

/* The line below the picture begins with the title, or with the name of the first body. */
static void test_title(void **state) {
    (void)state;
    static unsigned char rgb[BYTES], same[BYTES], other[BYTES];
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    sn_world *world = make_world(context, false);
    render(world, "none", rgb);
    render_titled(world, "none", sn_world_body_name(world, 0), same);
    render_titled(world, "none", "a title", other);
    assert_memory_equal(rgb, same, BYTES);
    assert_memory_not_equal(rgb, other, BYTES);
    sn_world_destroy(world);
    sn_context_destroy(context);
}

static void test_picture(void **state) {
    (void)state;
    static unsigned char rgb[BYTES];
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    sn_world *box = make_world(context, false), *ball = make_world(context, true);
    const int large = render(box, "none", rgb), small = render(ball, "none", rgb);
    assert_true(small > 50);
    assert_true(large > 8 * small); /* 2.8 m^2 against 0.2 m^2 */
    sn_world_destroy(box);
    sn_world_destroy(ball);
    sn_context_destroy(context);
}

/* The field of the nodes is interpolated: a ball in the lower part of a box whose top moves. */
static void test_colours(void **state) {
    (void)state;
    static unsigned char rgb[BYTES], again[BYTES];
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    sn_world *world = make_world(context, true);
    render(world, "displacement", rgb); /* nothing moved */
    stretch(world);
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    double *rest = malloc(3 * (size_t)mesh->node_count * sizeof *rest);
    memcpy(rest, mesh->position, 3 * (size_t)mesh->node_count * sizeof *rest);
    for (int i = 0; i < mesh->node_count; ++i) rest[3 * i] += rest[3 * i + 1]; /* sheared: 0.75 to 1.25 m at the ball */
    assert_int_equal(sn_world_put(world, 0, rest, NULL, NULL), SN_OK);
    render(world, "displacement", again);
    assert_memory_not_equal(rgb, again, BYTES);
    free(rest);
    sn_world_destroy(world);
    sn_context_destroy(context);
}

static void test_threads(void **state) {
    (void)state;
    static unsigned char first[BYTES], other[BYTES];
    for (int threads = 1; threads <= 4; ++threads) {
        sn_context_options options = sn_context_options_default();
        options.threads = threads;
        sn_context *context;
        assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
        for (int ball = 0; ball < 2; ++ball) {
            sn_world *world = make_world(context, ball);
            stretch(world);
            render(world, "von_mises", other);
            if (ball && threads == 1) memcpy(first, other, BYTES);
            if (ball) assert_memory_equal(first, other, BYTES);
            sn_world_destroy(world);
        }
        sn_context_destroy(context);
    }
}

/* Triangles carry no surface. */
static void test_plane_body(void **state) {
    (void)state;
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    sn_mesh *plane = generate(context, "rectangle", NULL, 0), *sphere = generate(context, "sphere", NULL, 0);
    sn_body_options body = sn_body_options_default();
    body.mesh = plane, body.surface = sphere;
    strcpy(body.element, "tri3");
    sn_world_options options = sn_world_options_default();
    options.body = &body, options.body_count = 1;
    sn_error error = {0};
    sn_world *world = NULL;
    assert_int_equal(sn_world_create(context, &options, &world, &error), SN_BAD_INPUT);
    assert_string_equal(error.path, "bodies.0.surface");
    assert_non_null(strstr(error.text, "tets"));
    sn_mesh_destroy(plane);
    sn_mesh_destroy(sphere);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files),   cmocka_unit_test(test_title),
                                       cmocka_unit_test(test_picture), cmocka_unit_test(test_colours),
                                       cmocka_unit_test(test_threads), cmocka_unit_test(test_plane_body)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
