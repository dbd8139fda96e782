/* VTU files read back: the appended arrays are decoded, inflated and compared with the world; pictures and surfaces
 * come out whole. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "scene_text.h"

static char *read_file(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*bytes + 1);
    assert_int_equal(fread(text, 1, *bytes, file), *bytes);
    text[*bytes] = 0;
    fclose(file);
    return text;
}

static int value_of(char c) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(letters, c);
    return c && at ? (int)(at - letters) : 0;
}

/* Decodes `bytes` bytes from base64; returns the characters used. */
static size_t decode(const char *text, unsigned char *out, size_t bytes) {
    const size_t groups = (bytes + 2) / 3;
    for (size_t i = 0; i < groups; ++i) {
        const unsigned word = (unsigned)value_of(text[4 * i]) << 18 | (unsigned)value_of(text[4 * i + 1]) << 12 |
                              (unsigned)value_of(text[4 * i + 2]) << 6 | (unsigned)value_of(text[4 * i + 3]);
        for (size_t k = 0; k < 3 && 3 * i + k < bytes; ++k) out[3 * i + k] = (unsigned char)(word >> (16 - 8 * k));
    }
    return 4 * groups;
}

/* The array's bytes, inflated. */
static void *array_of(const char *text, const char *name, size_t *bytes) {
    char wanted[80];
    snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
    const char *at = strstr(text, wanted);
    assert_non_null(at);
    size_t offset;
    assert_int_equal(sscanf(strstr(at, "offset="), "offset=\"%zu\"", &offset), 1);
    const char *data = strchr(strstr(text, "<AppendedData"), '_') + 1 + offset;
    uint64_t head[64];
    decode(data, (unsigned char *)head, 24);
    const size_t blocks = head[0], last = head[2] ? head[2] : head[1];
    assert_true(blocks >= 1 && blocks < 60);
    data += decode(data, (unsigned char *)head, (3 + blocks) * 8);
    *bytes = (blocks - 1) * head[1] + last;
    size_t packed = 0;
    for (size_t i = 0; i < blocks; ++i) packed += head[3 + i];
    unsigned char *squeezed = malloc(packed), *out = malloc(*bytes);
    decode(data, squeezed, packed);
    size_t from = 0, to = 0;
    for (size_t i = 0; i < blocks; ++i) {
        uLongf length = (uLongf)(i + 1 < blocks ? head[1] : last);
        assert_int_equal(uncompress(out + to, &length, squeezed + from, (uLong)head[3 + i]), Z_OK);
        from += head[3 + i], to += length;
    }
    assert_int_equal(to, *bytes);
    free(squeezed);
    return out;
}

static sn_world *make_world(sn_context *context, const char *element) {
    char text[900];
    snprintf(text, sizeof text,
             "{ \"time\": {\"step\": 0.02}, \"bodies\": [ { \"mesh\": { \"box\": { \"size\": [1, 0.3, 0.3], \"cells\": "
             "[4, 2, 2] } }, "
             "\"element\": \"%s\","
             "\"material\": { \"young\": 1e5, \"poisson\": 0.3 }, \"fix\": [ { \"select\": { \"box\": [[-1, -1, -1], "
             "[1e-6, 1, 1]] } } ] } ] }",
             element);
    sn_error error = {0};
    sn_world *world = world_of_text(context, text);
    for (int i = 0; i < 5; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("%s", error.text);
    return world;
}

static void compare(const char *text, const char *name, const void *expected, size_t bytes) {
    size_t found;
    void *array = array_of(text, name, &found);
    assert_int_equal(found, bytes);
    assert_memory_equal(array, expected, bytes);
    free(array);
}

static void check_element(const char *element, int cell_type) {
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    sn_world *world = make_world(context, element);
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    char path[64];
    snprintf(path, sizeof path, "/tmp/sinew-test-%d.vtu", (int)getpid());
    sn_error error = {0};
    if (sn_world_write(world, path, &error)) fail_msg("%s", error.text);
    size_t bytes;
    char *text = read_file(path, &bytes);
    const size_t n = (size_t)mesh->node_count, m = (size_t)mesh->tet_count;
    double *x = malloc(n * 48), *v = x + 3 * n, *stress = malloc(m * 72), *von_mises = stress + 6 * m,
           *energy = von_mises + m;
    sn_world_get(world, 0, x, v);
    assert_int_equal(sn_world_element_fields(world, 0, stress, von_mises, energy, NULL, NULL), SN_OK);
    compare(text, "Points", x, n * 24);
    compare(text, "velocity", v, n * 24);
    for (size_t i = 0; i < 3 * n; ++i) x[i] -= mesh->position[i];
    compare(text, "displacement", x, n * 24);
    compare(text, "stress", stress, m * 48);
    compare(text, "von_mises", von_mises, m * 8);
    compare(text, "energy_density", energy, m * 8);
    compare(text, "connectivity", mesh->tet, m * (size_t)mesh->tet_nodes * 4);
    uint8_t *types = array_of(text, "types", &bytes);
    assert_int_equal(bytes, m);
    for (size_t i = 0; i < m; ++i) assert_int_equal(types[i], cell_type);
    free(types);
    free(text);
    free(x);
    free(stress);
    unlink(path);
    sn_world_destroy(world);
    sn_context_destroy(context);
}

static void test_tet4(void **state) { (void)state, check_element("tet4", 10); }
static void test_tet10(void **state) { (void)state, check_element("tet10", 24); }

/* Two bodies in one piece: all cells, body and material of each, labels that are unique. */
static void test_two_bodies(void **state) {
    (void)state;
    static const char scene_text[] =
        "{ \"bodies\": [ { \"name\": \"a--b\", \"mesh\": { \"box\": { \"cells\": [2, 1, 1] } }, \"material\": [ {}, "
        "{ \"young\": 1e6, \"select\": { \"box\": [[0.5, -1, -1], [9, 9, 9]] } } ] }, { \"mesh\": { \"box\": { "
        "\"cells\": [1, 1, 1] }, \"move\": [3, 0, 0] }, \"element\": \"tet10\" } ] }";
    enum { NODES = 12 + 27, CELLS = 12 + 6 };
    sn_context *context;
    sn_error error = {0};
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    sn_world *world = world_of_text(context, scene_text);
    char path[64];
    size_t bytes;
    snprintf(path, sizeof path, "/tmp/sinew-test-%d.vtu", (int)getpid());
    if (sn_world_write(world, path, &error)) fail_msg("%s", error.text);
    char *text = read_file(path, &bytes);
    const char *piece = strstr(text, "<Piece NumberOfPoints=\"39\" NumberOfCells=\"18\">");
    assert_non_null(piece);
    assert_null(strstr(piece + 1, "<Piece"));
    assert_non_null(strstr(text, "Name=\"points_are_deformed\" NumberOfTuples=\"1\" format=\"ascii\">1<"));
    assert_non_null(strstr(text, "0 'a_-b', 1 'body1'"));
    assert_non_null(strstr(text, "Name=\"node_label_offset\" NumberOfTuples=\"2\" format=\"ascii\">0 12 <"));
    int32_t *body = array_of(text, "body", &bytes);
    assert_int_equal(bytes, CELLS * 4);
    int32_t *material = array_of(text, "material", &bytes), stiff = 0;
    assert_int_equal(bytes, CELLS * 4);
    for (int i = 0; i < CELLS; ++i) assert_int_equal(body[i], i >= 12), stiff += material[i];
    assert_int_equal(stiff, 6); /* the right half of the first body */
    int64_t *label = array_of(text, "node_label", &bytes);
    assert_int_equal(bytes, NODES * 8);
    for (int i = 0; i < NODES; ++i) assert_int_equal(label[i], i);
    int64_t *element = array_of(text, "element_label", &bytes);
    for (int i = 0; i < CELLS; ++i) assert_int_equal(element[i], i);
    int32_t *node = array_of(text, "connectivity", &bytes);
    assert_int_equal(bytes, (12 * 4 + 6 * 10) * 4);
    for (int i = 0; i < 12 * 4 + 6 * 10; ++i)
        assert_in_range(node[i], i < 48 ? 0 : 12, i < 48 ? 11 : NODES - 1); /* nodes of its own body */
    int64_t *offset = array_of(text, "offsets", &bytes);
    for (int i = 0; i < CELLS; ++i) assert_int_equal(offset[i], i < 12 ? 4 * (i + 1) : 48 + 10 * (i - 11));
    free(body), free(material), free(label), free(element), free(node), free(offset), free(text);
    unlink(path);
    sn_world_destroy(world);
    sn_context_destroy(context);
}

static void test_surface_and_picture(void **state) {
    (void)state;
    sn_context *context;
    assert_int_equal(sn_context_create(NULL, &context, NULL), SN_OK);
    sn_world *world = make_world(context, "tet10");
    static const char *const ending[] = {"obj", "ply", "stl"};
    sn_error error = {0};
    for (int i = 0; i < 3; ++i) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/sinew-test-%d.%s", (int)getpid(), ending[i]);
        if (sn_world_write(world, path, &error)) fail_msg("%s", error.text);
        sn_mesh *mesh;
        if (sn_mesh_read(context, path, &mesh, &error)) fail_msg("%s", error.text);
        assert_int_equal(mesh->triangle_count,
                         4 * 2 * (2 * (4 * 2) * 2 + 2 * 2 * 2)); /* four triangles per face of a tet10 */
        sn_mesh_report report;
        assert_int_equal(sn_mesh_inspect(mesh, &report, &error), SN_OK);
        assert_int_equal(report.open_edges, 0);
        assert_true(report.volume > 0.08 && report.volume < 0.1);
        sn_mesh_destroy(mesh);
        unlink(path);
    }
    sn_picture_options options = sn_picture_options_default();
    options.width = 160, options.height = 90;
    unsigned char *rgb = malloc(160 * 90 * 3), *again = malloc(160 * 90 * 3);
    assert_int_equal(sn_world_render(world, &options, rgb, &error), SN_OK);
    int dark = 0;
    for (int i = 0; i < 160 * 90; ++i) dark += rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2] < 450;
    assert_true(dark > 500 && dark < 160 * 90 * 9 / 10);
    assert_int_equal(sn_world_render(world, &options, again, &error), SN_OK);
    assert_memory_equal(rgb, again, 160 * 90 * 3);
    free(rgb);
    free(again);
    strcpy(options.field, "von_mise");
    assert_int_equal(sn_world_picture(world, "/tmp/never.png", &options, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "von_mises"));
    sn_world_destroy(world);
    sn_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tet4), cmocka_unit_test(test_tet10),
                                       cmocka_unit_test(test_two_bodies), cmocka_unit_test(test_surface_and_picture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
