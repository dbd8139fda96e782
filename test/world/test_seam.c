/* Seams: two sides of different fineness meet in the given time and stay together, momentum is kept, a body can be sewn
 * to itself, and bad input is refused at its place. */
#include "scene.h"
#include "scene_text.h"

#define BLOCK(name, cells, x, sew)                                                                                     \
    "{\"name\": \"" name "\", \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.4], \"cells\": [1, 1, " cells                \
    "]}, \"move\": [" x ", 0, 0]}, \"material\": {\"young\": 1e5, \"poisson\": 0.3, \"rayleigh\": {\"stiffness\": "    \
    "0.05}}" sew "}"
#define EDGE(x) "{\"box\": [[" x ", 0.0999, -1], [" x "1, 1, 1]]}"
#define SEW(extra)                                                                                                     \
    ", \"sew\": [{\"select\": " EDGE("0.1") ", \"to\": {\"body\": \"b\", \"select\": " EDGE("0.2") "}" extra "}]"
#define WORLD(bodies) "{\"gravity\": [0, 0, 0], \"time\": {\"step\": 0.02}, \"bodies\": [" bodies "]}"

static sn_context *context;

static void run(sn_world *world, int steps) {
    sn_error error = {0};
    for (int i = 0; i < steps; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("step %d: %s", i, error.text);
}

/* The place of the node of a body that is nearest to `at` at rest. */
static void node_at(const sn_world *world, int body, const double at[3], double x[3]) {
    const sn_mesh *mesh = sn_world_body_mesh(world, body);
    double *now = malloc(3 * (size_t)mesh->node_count * sizeof *now), least = INFINITY;
    assert_non_null(now);
    assert_int_equal(sn_world_get(world, body, now, NULL), SN_OK);
    for (int i = 0; i < mesh->node_count; ++i) {
        double d = 0;
        for (int a = 0; a < 3; ++a) d += pow(mesh->position[3 * i + a] - at[a], 2);
        if (d < least) least = d, memcpy(x, now + 3 * i, 3 * sizeof *x);
    }
    free(now);
}

/* The largest distance between the two edges at the places that both of them have nodes at. */
static double opening(const sn_world *world) {
    double largest = 0;
    for (int i = 0; i <= 2; ++i) {
        double a[3], b[3], d = 0;
        node_at(world, 0, (double[3]){0.1, 0.1, 0.2 * i}, a), node_at(world, 1, (double[3]){0.2, 0.1, 0.2 * i}, b);
        for (int k = 0; k < 3; ++k) d += (a[k] - b[k]) * (a[k] - b[k]);
        largest = fmax(largest, sqrt(d));
    }
    return largest;
}

static void test_meets_and_holds(void **state) {
    (void)state;
    static const char *const text[] = {
        WORLD(BLOCK("a", "8", "0", SEW(", \"time\": 0.4")) ", " BLOCK("b", "6", "0.2", "")),
        WORLD(BLOCK("a", "2", "0", SEW(", \"time\": 0.4")) ", " BLOCK("b", "6", "0.2", ""))};
    for (int k = 0; k < 2; ++k) {
        sn_world *world = world_of_text(context, text[k]);
        double linear[3], angular[3];
        assert_near(opening(world), 0.1, 1e-12);
        run(world, 10);
        assert_true(opening(world) > 0.02 && opening(world) < 0.08);
        run(world, 40);
        print_message("gap after 1 s: %.2e m\n", opening(world));
        assert_true(opening(world) < 2e-3);
        run(world, 50);
        assert_true(opening(world) < 5e-4);
        sn_world_momentum(world, linear, angular);
        for (int a = 0; a < 3; ++a) assert_near(linear[a], 0, 1e-6);
        sn_world_destroy(world);
    }
}

/* The two ends of a plate are sewn together: the plate becomes a tube. */
static void test_sewn_to_itself(void **state) {
    (void)state;
    sn_world *world = world_of_text(
        context,
        "{\"gravity\": [0, 0, 0], \"time\": {\"step\": 0.02}, \"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.6, 0.02, "
        "0.1], \"cells\": [24, 1, 2]}}, \"material\": {\"young\": 1e5, \"poisson\": 0.3, \"rayleigh\": {\"mass\": 2, "
        "\"stiffness\": 0.02}}, \"initial\": {\"spin\": [0, 0, 0]}, \"sew\": [{\"select\": {\"box\": [[-1, 0.0199, "
        "-1], [1e-6, 1, 1]]}, \"to\": {\"select\": {\"box\": [[0.5999, 0.0199, -1], [1, 1, 1]]}}, \"time\": 2}]}]}");
    double a[3], b[3];
    run(world, 200);
    node_at(world, 0, (double[3]){0, 0.02, 0.05}, a), node_at(world, 0, (double[3]){0.6, 0.02, 0.05}, b);
    for (int k = 0; k < 3; ++k) assert_near(a[k], b[k], 2e-3);
    sn_world_destroy(world);
}

static void refused(const char *text, const char *path) {
    sn_world *world = NULL;
    sn_error error = {0};
    assert_int_equal(world_from_text(context, "seam", text, NULL, 0, &world, &error), SN_BAD_INPUT);
    if (!strstr(error.text, path)) fail_msg("'%s' does not name %s", error.text, path);
}

static void test_bad_input(void **state) {
    (void)state;
    const char *const nobody = WORLD(BLOCK("a", "2", "0", SEW("")));
    refused(nobody, "bodies.0.sew.0.to.body");
    refused(WORLD(BLOCK("a", "2", "0", SEW(", \"time\": -1")) ", " BLOCK("b", "2", "0.2", "")), "bodies.0.sew.0.time");
    refused(WORLD(BLOCK("a", "2", "0", SEW("")) ", " BLOCK("b", "2", "0.5", "")), "bodies.0.sew.0.to.select");
    refused(WORLD(BLOCK("a", "2", "0", ", \"sew\": [{\"select\": " EDGE("0.1") "}]")), "to");
    refused(WORLD(BLOCK("a", "2", "0",
                        ", \"sew\": [{\"select\": " EDGE("0.1") ", \"to\": {\"select\": " EDGE("0.1") "}}]")),
            "bodies.0.sew.0.to");
}

/* A cloth whose side x- is sewn to the selection. */
static const char *cloth(const char *select) {
    static char text[800];
    snprintf(text, sizeof text,
             "{\"bodies\": [{\"mesh\": {\"grid\": {\"size\": [0.4, 0.4], \"cells\": [4, 4]}}, \"thickness\": 0.001, "
             "\"material\": {\"law\": \"cloth-stvk\", \"young\": 1e4, \"poisson\": 0.3}, \"sew\": [{\"select\": %s, "
             "\"to\": {\"select\": {\"group\": \"x-\"}}}]}]}",
             select);
    return text;
}

/* Areas and lines with holes are no sides; straight lines, lines around a corner and those of 10-node tets are. */
static void test_lines(void **state) {
    (void)state;
    static const char no_line[] = "bodies.0.sew.0.select: the nodes form no line";
    static const char *const line[] = {"{\"group\": \"x+\"}", "{\"or\": [{\"group\": \"x+\"}, {\"group\": \"z+\"}]}",
                                       "{\"or\": [{\"group\": \"x+\"}, {\"group\": \"z-\"}]}"};
    for (int i = 0; i < 3; ++i) sn_world_destroy(world_of_text(context, cloth(line[i])));
    refused(cloth("{\"all\": true}"), no_line);
    refused(cloth("{\"or\": [{\"group\": \"x+\"}, {\"group\": \"x-\"}]}"), "share no edge");
    refused(WORLD(BLOCK("a", "2", "0",
                        ", \"sew\": [{\"select\": {\"group\": \"x+\"}, \"to\": {\"body\": \"b\", \"select\": " EDGE(
                            "0.2") "}}]") ", " BLOCK("b", "2", "0.2", "")),
            no_line);
    sn_world_destroy(world_of_text(
        context, WORLD(BLOCK("a", "8", "0", ", \"element\": \"tet10\"" SEW("")) ", " BLOCK("b", "6", "0.2", ""))));
}

static int start(void **state) {
    (void)state;
    sn_context_options options = sn_context_options_default();
    options.threads = 2;
    return sn_context_create(&options, &context, NULL);
}

static int end(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meets_and_holds),
        cmocka_unit_test(test_sewn_to_itself),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, start, end);
}
