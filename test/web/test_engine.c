/* The engine behind the page, by its messages: load, step, grab, pin, set, reset, save, restore, dropped meshes, bad
 * messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <jansson.h>

#include "../../web/engine.h"

static json_t *latest; /* type -> the last message of that type */
static char *state_bytes;
static size_t state_size;
static float *frame;
static size_t wire_size; /* of the last message with the edges of the wireframe, bytes */

static void receive(void *user, const char *text, size_t length, const void *bytes, size_t size) {
    (void)user;
    json_t *head = json_loadb(text, length, 0, NULL);
    assert_non_null(head);
    const char *type = json_string_value(json_object_get(head, "type"));
    if (strcmp(type, "state") == 0 || strcmp(type, "frame") == 0) {
        char **kept = strcmp(type, "state") == 0 ? &state_bytes : (char **)&frame;
        free(*kept);
        *kept = malloc(size + 1);
        memcpy(*kept, bytes, size);
        if (kept == &state_bytes) state_size = size;
    }
    if (strcmp(type, "wire") == 0) wire_size = size;
    json_object_set_new(latest, type, head);
}

static void tell(engine *e, const char *text) { engine_message(e, text, strlen(text), NULL, 0); }
static json_t *of(const char *type, const char *key) { return json_object_get(json_object_get(latest, type), key); }

static const char scene[] =
    "{\"do\": \"load\", \"name\": \"bar.json\", \"text\": \"{\\\"bodies\\\": [{\\\"name\\\": \\\"bar\\\", "
    "\\\"mesh\\\": {\\\"box\\\": {\\\"size\\\": [0.3, "
    "0.1, 0.1], \\\"cells\\\": [6, 2, 2]}}, \\\"material\\\": {\\\"law\\\": \\\"corotated\\\", \\\"young\\\": 3e4, "
    "\\\"poisson\\\": 0.4}, \\\"fix\\\": "
    "[{\\\"select\\\": {\\\"box\\\": [[-1, -1, -1], [1e-6, 1, 1]]}}]}]}\"}";

/* A frame of the present state: the engine holds back frames for a sixtieth of a second. */
static void look(engine *e) {
    json_object_del(latest, "frame");
    tell(e, "{\"do\": \"look\"}");
    for (int i = 0; i < 100 && !of("frame", "time"); ++i) usleep(2000), engine_tick(e, true);
    assert_non_null(of("frame", "time"));
}

static const char *hash(engine *e) {
    tell(e, "{\"do\": \"hash\"}");
    return json_string_value(of("hash", "hash"));
}

static void test_run(void **state) {
    engine *e = *state;
    tell(e, scene);
    assert_null(json_object_get(latest, "error"));
    assert_int_equal(json_array_size(of("scene", "bodies")), 1);
    look(e);
    tell(e, "{\"do\": \"advance\", \"steps\": 10}");
    look(e);
    assert_int_equal(json_integer_value(of("frame", "steps")), 10);
    char first[17], second[17];
    snprintf(first, sizeof first, "%s", hash(e));
    tell(e, "{\"do\": \"reset\"}"), tell(e, "{\"do\": \"advance\", \"steps\": 10}");
    assert_string_equal(hash(e), first);
    tell(e, "{\"do\": \"save\"}"), tell(e, "{\"do\": \"advance\", \"steps\": 3}");
    snprintf(second, sizeof second, "%s", hash(e));
    assert_string_not_equal(first, second);
    static const char restore[] = "{\"do\": \"restore\"}";
    engine_message(e, restore, sizeof restore - 1, state_bytes, state_size);
    tell(e, "{\"do\": \"advance\", \"steps\": 3}");
    assert_string_equal(hash(e), second);
    state_bytes[state_size - 1] ^= 1;
    engine_message(e, restore, sizeof restore - 1, state_bytes, state_size);
    assert_non_null(strstr(json_string_value(of("error", "text")), "damaged"));
}

static void test_grab_and_pin(void **state) {
    engine *e = *state;
    tell(e, scene);
    tell(e, "{\"do\": \"grab\", \"handle\": 0, \"body\": 0, \"triangle\": 7, \"share\": [0.2, 0.3, 0.5], \"target\": "
            "[0.5, 0.5, 0]}");
    tell(e, "{\"do\": \"advance\", \"steps\": 5}");
    look(e);
    assert_int_equal(json_array_size(of("frame", "grabs")), 1);
    tell(e, "{\"do\": \"release\", \"handle\": -1}");
    tell(e, "{\"do\": \"pin\", \"body\": 0, \"triangle\": 3, \"share\": [1, 0, 0], \"radius\": 0.06}");
    look(e);
    assert_int_equal(json_array_size(of("frame", "grabs")), 0);
    const json_int_t pins = json_integer_value(json_object_get(of("frame", "counts"), "pins"));
    assert_true(pins > 1);
    tell(
        e,
        "{\"do\": \"pin\", \"body\": 0, \"triangle\": 3, \"share\": [1, 0, 0], \"radius\": 0.06}"); /* again: lets go */
    look(e);
    assert_int_equal(json_integer_value(json_object_get(of("frame", "counts"), "pins")), 0);
    assert_null(json_object_get(latest, "error"));
    tell(e, "{\"do\": \"grab\", \"handle\": 99, \"body\": 0, \"triangle\": 7, \"share\": [1, 0, 0], \"target\": [0, 0, "
            "0]}");
    assert_non_null(strstr(json_string_value(of("error", "text")), "handle 99"));
    tell(e, "{\"do\": \"grab\", \"handle\": 0, \"body\": 0, \"triangle\": 123456, \"share\": [1, 0, 0], \"target\": "
            "[0, 0, 0]}");
    assert_non_null(strstr(json_string_value(of("error", "text")), "123456"));
}

static void test_hello(void **state) {
    engine *e = *state;
    static const char *const list[] = {"laws",    "rotations", "methods", "newton", "solvers", "preconditioners",
                                       "formats", "colours",   "glyphs"};
    tell(e, "{\"do\": \"hello\"}");
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i)
        assert_true(json_array_size(json_object_get(of("hello", "lists"), list[i])) > 2);
    assert_non_null(of("hello", "version"));
}

/* A muscle shows its activation, or that keys move it; the slider takes the place of the keys. */
static void test_activation(void **state) {
    engine *e = *state;
    static const char muscle[] =
        "{\"do\": \"load\", \"name\": \"muscle.json\", \"text\": \"{\\\"bodies\\\": [{\\\"mesh\\\": {\\\"box\\\": "
        "{\\\"size\\\": [0.3, 0.1, 0.1], \\\"cells\\\": [3, 1, 1]}}, \\\"material\\\": {\\\"muscle\\\": "
        "{\\\"fibre\\\": "
        "[1, 0, 0], \\\"activation\\\": {\\\"keys\\\": [[0, 0], [1, 1]]}}}}]}\"}";
    tell(e, muscle), tell(e, "{\"do\": \"set\"}");
    json_t *material = json_array_get(json_object_get(of("parameters", "parameters"), "materials"), 0);
    assert_true(json_is_true(json_object_get(material, "muscle")));
    assert_null(json_object_get(material, "activation"));
    tell(e, "{\"do\": \"set\", \"body\": 0, \"index\": 0, \"activation\": 0.25}");
    tell(e, "{\"do\": \"reset\"}"), tell(e, "{\"do\": \"set\"}");
    material = json_array_get(json_object_get(of("parameters", "parameters"), "materials"), 0);
    assert_true(json_number_value(json_object_get(material, "activation")) == 0.25);
    tell(e, "{\"do\": \"set\", \"body\": 0, \"index\": 0, \"activation\": 1.5}");
    assert_non_null(strstr(json_string_value(of("error", "text")), "activation"));
    tell(e, scene), tell(e, "{\"do\": \"set\"}");
    material = json_array_get(json_object_get(of("parameters", "parameters"), "materials"), 0);
    assert_true(json_is_false(json_object_get(material, "muscle")));
}

static void test_set_and_look(void **state) {
    engine *e = *state;
    tell(e, scene);
    tell(e, "{\"do\": \"set\", \"body\": 0, \"index\": 0, \"law\": \"stvk\", \"young\": 5e4}");
    tell(e, "{\"do\": \"set\", \"step\": 0.005, \"gravity\": [0, 1, 0], \"solver\": \"cg\"}");
    assert_null(json_object_get(latest, "error"));
    tell(e, "{\"do\": \"reset\"}"), tell(e, "{\"do\": \"set\"}");
    json_t *p = of("parameters", "parameters"), *material = json_array_get(json_object_get(p, "materials"), 0);
    assert_string_equal(json_string_value(json_object_get(material, "law")), "stvk");
    assert_true(json_number_value(json_object_get(material, "young")) == 5e4);
    assert_true(json_number_value(json_object_get(p, "step")) == 0.005);
    /* A memory is set, shown and kept through a reset; a bad one gets the library's message and changes nothing. */
    tell(e, "{\"do\": \"set\", \"body\": 0, \"index\": 0, \"memory\": {\"on\": \"shear\", \"moduli\": \"long-term\", "
            "\"terms\": [{\"ratio\": 2, \"time\": 0.5}, {\"ratio\": 1, \"time\": 4}]}}");
    assert_null(json_object_get(latest, "error"));
    tell(e, "{\"do\": \"set\", \"body\": 0, \"index\": 0, \"memory\": {\"terms\": [{\"ratio\": 2, \"time\": -1}]}}");
    assert_non_null(strstr(json_string_value(of("error", "text")), "time is -1"));
    json_object_del(latest, "error");
    tell(e, "{\"do\": \"reset\"}"), tell(e, "{\"do\": \"set\"}");
    json_t *memory =
        json_object_get(json_array_get(json_object_get(of("parameters", "parameters"), "materials"), 0), "memory");
    assert_string_equal(json_string_value(json_object_get(memory, "on")), "shear");
    assert_int_equal(json_array_size(json_object_get(memory, "terms")), 2);
    assert_true(json_number_value(json_object_get(json_array_get(json_object_get(memory, "terms"), 1), "time")) == 4);
    tell(e, "{\"do\": \"set\", \"body\": 0, \"index\": 0, \"poisson\": 0.7}");
    assert_non_null(strstr(json_string_value(of("error", "text")), "poisson"));
    tell(e, "{\"do\": \"advance\", \"steps\": 3}");
    static const char *const colour[] = {"displacement", "von_mises", "strain", "energy", "quality"}, *const glyph[] = {
                                                                                                          "force",
                                                                                                          "constraint",
                                                                                                          "stress"};
    for (int i = 0; i < 5; ++i) {
        char text[128];
        snprintf(text, sizeof text, "{\"do\": \"look\", \"colour\": \"%s\", \"glyphs\": \"%s\", \"wire\": true}",
                 colour[i], glyph[i % 3]);
        tell(e, text), tell(e, "{\"do\": \"advance\"}"), look(e);
        json_t *counts = of("frame", "counts");
        assert_true(json_integer_value(json_object_get(counts, "values")) > 0 &&
                    json_integer_value(json_object_get(counts, "wire")) > 0);
        assert_true(json_integer_value(json_object_get(counts, "glyphs")) > 0);
        assert_true(json_number_value(json_array_get(of("frame", "range"), 1)) > 0);
    }
}

/* The wireframe shows the edges of active tets, and follows them when the bent beam is refined. */
static void test_active_wire(void **state) {
    engine *e = *state;
    static const char adaptive[] =
        "{\"do\": \"load\", \"name\": \"beam.json\", \"text\": \"{\\\"bodies\\\": [{\\\"mesh\\\": {\\\"box\\\": "
        "{\\\"size\\\": [0.2, 0.1, 0.1], \\\"cells\\\": [2, 1, 1]}}, \\\"adapt\\\": {\\\"levels\\\": 1, "
        "\\\"measure\\\": "
        "\\\"shear\\\", \\\"refine\\\": 0.01, \\\"coarsen\\\": 0.001, \\\"every\\\": 1}, \\\"material\\\": "
        "{\\\"law\\\": "
        "\\\"corotated\\\", \\\"young\\\": 3e3}, \\\"fix\\\": [{\\\"select\\\": {\\\"group\\\": \\\"x-\\\"}}]}]}\"}";
    tell(e, adaptive);
    assert_null(json_object_get(latest, "error"));
    tell(e, "{\"do\": \"look\", \"wire\": true}");
    look(e);
    const int edges = 30 * 2; /* 20 triangles have 30 edges, in two parts each */
    const size_t coarse = 2 * (size_t)edges * sizeof(int32_t);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(of("scene", "bodies"), 0), "wireEdges")), edges);
    tell(e, "{\"do\": \"advance\", \"steps\": 5}");
    look(e);
    assert_true(wire_size > coarse);
    tell(e, "{\"do\": \"reset\"}");
    look(e);
    assert_int_equal(wire_size, coarse);
}

static void test_bad(void **state) {
    engine *e = *state;
    tell(e, "{\"do\": \"advance\"}"); /* nothing is loaded: nothing happens */
    assert_null(json_object_get(latest, "error"));
    tell(e, "{\"do\": \"advence\"}");
    assert_non_null(
        strstr(json_string_value(of("error", "text")), "there is no message 'advence'; did you mean 'advance'?"));
    tell(e, "{}"), assert_non_null(strstr(json_string_value(of("error", "text")), "without 'do'"));
    json_object_del(latest, "error");
    tell(e, "nonsense"), assert_non_null(of("error", "text"));
    tell(e, "{\"do\": \"load\"}"), assert_non_null(strstr(json_string_value(of("error", "text")), "text"));
    tell(e, "{\"do\": \"load\", \"name\": \"x.json\", \"text\": \"{\\\"bodies\\\": []}\"}");
    assert_non_null(strstr(json_string_value(of("error", "text")), "x.json:1:"));
    tell(e, scene), tell(e, "{\"do\": \"dance\"}");
    assert_non_null(strstr(json_string_value(of("error", "text")), "dance"));
    static const char outside[] = "{\"do\": \"file\", \"name\": \"../x.obj\"}",
                      inside[] = "{\"do\": \"file\", \"name\": \"x.obj\"}",
                      octahedron[] = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 3 5\nf 3 2 5\nf 2 4 "
                                     "5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
    engine_message(e, outside, sizeof outside - 1, octahedron, sizeof octahedron - 1);
    assert_non_null(strstr(json_string_value(of("error", "text")), "plain file name"));
    json_object_del(latest, "error");
    engine_message(e, inside, sizeof inside - 1, octahedron, sizeof octahedron - 1);
    tell(e, "{\"do\": \"mesh\", \"name\": \"x.obj\"}"), tell(e, "{\"do\": \"advance\", \"steps\": 2}");
    assert_null(json_object_get(latest, "error"));
    assert_string_equal(json_string_value(of("scene", "name")), "x.obj");
    assert_true(json_is_true(json_object_get(json_array_get(of("scene", "bodies"), 0), "embedded")));
}

static char folder[] = "/tmp/sinew-test-XXXXXX";

static int set_up(void **state) {
    latest = json_object();
    *state = engine_create(1, folder, receive, NULL);
    return *state ? 0 : -1;
}
static int tear_down(void **state) {
    engine_destroy(*state);
    json_decref(latest);
    free(state_bytes), free(frame);
    state_bytes = NULL, frame = NULL;
    return 0;
}

int main(void) {
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_hello, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_run, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_grab_and_pin, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_set_and_look, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_active_wire, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_activation, set_up, tear_down),
                                       cmocka_unit_test_setup_teardown(test_bad, set_up, tear_down)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char file[64];
    snprintf(file, sizeof file, "%s/x.obj", folder);
    unlink(file), rmdir(folder);
    return failed;
}
