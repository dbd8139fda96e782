/* Probes of energies, momentum, contacts, forces by kind, strain and F, against closed forms and against the sums of
 * the world. Loads with keys. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene_text.h"

typedef struct run {
    sn_context *context;
    sn_world *world;
} run;

static run open_text(const char *text) {
    run r = {0};
    const sn_context_options options = sn_context_options_default();
    assert_int_equal(sn_context_create(&options, &r.context, NULL), SN_OK);
    r.world = world_of_text(r.context, text);
    return r;
}

static void close_run(run *r) {
    sn_world_destroy(r->world);
    sn_context_destroy(r->context);
}

static void step(run *r, int count) {
    sn_error error = {0};
    for (int i = 0; i < count; ++i)
        if (sn_world_step(r->world, NULL, &error)) fail_msg("%s", error.text);
}

static int probe(run *r, const char *name, double *value) {
    sn_error error = {0};
    int count = 0;
    for (int i = 0; i < sn_world_probe_count(r->world); ++i) {
        if (strcmp(sn_world_probe_name(r->world, i), name) != 0) continue;
        if (sn_world_probe(r->world, i, value, &count, &error)) fail_msg("%s: %s", name, error.text);
        return count;
    }
    fail_msg("no probe %s", name);
    return 0;
}

static double one(run *r, const char *name) {
    double value[SN_PROBE_VALUES];
    assert_int_equal(probe(r, name, value), 1);
    return value[0];
}

static void near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g", a, b);
}

static const char *sentence(const char *text) {
    static char kept[512];
    sn_error error = {0};
    sn_context *context;
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    const sn_context_options options = sn_context_options_default();
    assert_int_equal(sn_context_create(&options, &context, NULL), SN_OK);
    if (!sn_scene_parse(context, text, strlen(text), "test", "", NULL, 0, &scene, &error) &&
        !sn_scene_create_world(scene, &world, &error))
        fail_msg("the scene is accepted");
    strcpy(kept, error.text);
    sn_scene_destroy(scene);
    sn_context_destroy(context);
    return kept;
}

#define BODY(name, move, more)                                                                                         \
    "{\"name\": \"" name "\", \"mesh\": {\"box\": {\"size\": [0.2, 0.1, 0.1], \"cells\": [3, 2, 2]}, \"move\": " move  \
    "}, \"material\": {\"law\": \"neo-hookean\", \"young\": 2e4, \"poisson\": 0.3, \"density\": 1000}" more "}"
#define OF(body, quantity)                                                                                             \
    "{\"name\": \"" quantity "-" body "\", \"body\": \"" body "\", \"quantity\": \"" quantity "\"}"

/* The probes of the two bodies add up to the values of the world. */
static void test_sums(void **state) {
    (void)state;
    run r = open_text(
        "{\"time\": {\"step\": 0.01}, \"bodies\": [" BODY("a", "[0, 1, 0]", ", \"mass\": \"consistent\", \"initial\": {\"velocity\": [1, 2, 3], \"spin\": [3, 2, 1]}") "," BODY("b", "[1, 2, 0]", ", \"initial\": {\"scale\": 1.2}") "], \"probes\": [" OF(
            "a",
            "kinetic") "," OF("b",
                              "kinetic") "," OF("a",
                                                "elastic") "," OF("b",
                                                                  "elastic") "," OF("a",
                                                                                    "gravity") "," OF("b",
                                                                                                      "gravity") "," OF("a",
                                                                                                                        "en"
                                                                                                                        "er"
                                                                                                                        "g"
                                                                                                                        "y") "," OF("b",
                                                                                                                                    "energy") "," OF("a",
                                                                                                                                                     "momentum") "," OF("b",
                                                                                                                                                                        "momentum") "," OF("a",
                                                                                                                                                                                           "angular_momentum") "," OF("b",
                                                                                                                                                                                                                      "angular_momentum") "]}");
    step(&r, 5);
    sn_energies e;
    double p[3], l[3], a[SN_PROBE_VALUES], b[SN_PROBE_VALUES];
    assert_int_equal(sn_world_energies(r.world, &e, NULL), SN_OK);
    sn_world_momentum(r.world, p, l);
    near(one(&r, "kinetic-a") + one(&r, "kinetic-b"), e.kinetic, 1e-12 * e.kinetic);
    near(one(&r, "elastic-a") + one(&r, "elastic-b"), e.elastic, 1e-12 * e.elastic);
    near(one(&r, "gravity-a") + one(&r, "gravity-b"), e.gravity, 1e-12 * e.gravity);
    near(one(&r, "energy-a") + one(&r, "energy-b"), e.total, 1e-12 * e.total);
    assert_true(e.elastic > 1e-3 && e.kinetic > 1e-3);
    assert_int_equal(probe(&r, "momentum-a", a), 3);
    probe(&r, "momentum-b", b);
    for (int k = 0; k < 3; ++k) near(a[k] + b[k], p[k], 1e-12);
    near(a[0], 2 * 1, 1e-4); /* 2 kg at 1 m/s */
    probe(&r, "angular_momentum-a", a), probe(&r, "angular_momentum-b", b);
    for (int k = 0; k < 3; ++k) near(a[k] + b[k], l[k], 1e-11);
    close_run(&r);
}

/* A block at rest on the ground: weight, push of the ground and contacts. The same for both responses. */
static void test_forces(void **state) {
    (void)state;
    static const char *const response[] = {"penalty", "projection"};
    for (int i = 0; i < 2; ++i) {
        char text[2048];
        snprintf(text, sizeof text,
                 "{\"time\": {\"step\": 0.01}, \"bodies\": [" BODY(
                     "a", "[0, 0, 0]",
                     ", \"loads\": [{\"select\": {\"normal\": [0, 1, 0]}, "
                     "\"force\": [0, -3, 0]}]") "], \"colliders\": "
                                                "[{\"plane\": {\"point\": "
                                                "[0, 0, 0], \"normal\": [0, "
                                                "1, 0]}, \"response\": "
                                                "\"%s\"}], \"probes\": [" OF("a", "contacts") ","
                                                                                              "{\"name\": "
                                                                                              "\"weight\", "
                                                                                              "\"quantity\":"
                                                                                              " \"force\", "
                                                                                              "\"interaction"
                                                                                              "\": "
                                                                                              "\"gravity\"},"
                                                                                              "{\"name\": "
                                                                                              "\"push\", "
                                                                                              "\"quantity\":"
                                                                                              " \"force\", "
                                                                                              "\"interaction"
                                                                                              "\": \"%s\"},"
                                                                                              "{\"name\": "
                                                                                              "\"load\", "
                                                                                              "\"quantity\":"
                                                                                              " \"force\", "
                                                                                              "\"interaction"
                                                                                              "\": "
                                                                                              "\"loads\"},"
                                                                                              "{\"name\": "
                                                                                              "\"fixes\", "
                                                                                              "\"quantity\":"
                                                                                              " \"force\", "
                                                                                              "\"interaction"
                                                                                              "\": "
                                                                                              "\"fixes\"},"
                                                                                              "{\"name\": "
                                                                                              "\"top\", "
                                                                                              "\"quantity\":"
                                                                                              " \"contacts\""
                                                                                              ", "
                                                                                              "\"select\": "
                                                                                              "{\"box\": "
                                                                                              "[[-1, 0.05, "
                                                                                              "-1], [1, 1, "
                                                                                              "1]]}}]}",
                 response[i], response[i]);
        run r = open_text(text);
        step(&r, 400);
        double value[SN_PROBE_VALUES];
        sn_step_report report;
        assert_int_equal(sn_world_step(r.world, &report, NULL), SN_OK);
        assert_int_equal(probe(&r, "weight", value), 3);
        near(value[1], -2 * 9.81, 1e-9);
        probe(&r, "load", value), near(value[1], -3, 1e-12);
        probe(&r, "push", value), near(value[1], 2 * 9.81 + 3, 0.05);
        probe(&r, "fixes", value), near(value[1], 0, 0);
        near(one(&r, "contacts-a"), 12, 0);
        near(one(&r, "contacts-a"), report.contacts, 0);
        near(one(&r, "top"), 0, 0);
        close_run(&r);
    }
}

/* A homogeneous deformation, set from outside: x = F X with a shear. */
static void test_strain(void **state) {
    (void)state;
    static const char *const element[] = {"tet4", "tet10"};
    for (int i = 0; i < 2; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"bodies\": [" BODY(
                     "a", "[0, 0, 0]",
                     ", \"element\": \"%s\"") "], \"probes\": [{\"name\": \"E\", \"nearest\": [0.1, 0.1, 0], "
                                              "\"quantity\": \"strain\"}, "
                                              "{\"name\": \"F\", \"select\": \"all\", \"quantity\": \"deformation\"}]}",
                 element[i]);
        run r = open_text(text);
        static const double F[9] = {1.1, 0.2, 0, 0, 0.9, 0.1, 0.05, 0, 1.2};
        const sn_mesh *mesh = sn_world_body_mesh(r.world, 0);
        double x[3 * 1000], value[SN_PROBE_VALUES];
        assert_true(mesh->node_count <= 1000);
        for (int n = 0; n < mesh->node_count; ++n)
            for (int a = 0; a < 3; ++a) {
                x[3 * n + a] = 0;
                for (int b = 0; b < 3; ++b) x[3 * n + a] += F[3 * a + b] * mesh->position[3 * n + b];
            }
        assert_int_equal(sn_world_put(r.world, 0, x, NULL, NULL), SN_OK);
        assert_int_equal(probe(&r, "F", value), 9);
        for (int k = 0; k < 9; ++k) near(value[k], F[k], 1e-12);
        assert_int_equal(probe(&r, "E", value), 6);
        static const int place[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
        for (int k = 0; k < 6; ++k) {
            double E = place[k][0] == place[k][1] ? -0.5 : 0;
            for (int a = 0; a < 3; ++a) E += 0.5 * F[3 * a + place[k][0]] * F[3 * a + place[k][1]];
            near(value[k], E, 1e-12);
        }
        close_run(&r);
    }
}

static void test_refused(void **state) {
    (void)state;
#define WITH(probe) "{\"bodies\": [" BODY("a", "[0, 0, 0]", "") "], \"probes\": [" probe "]}"
    assert_non_null(strstr(sentence(WITH("{\"quantity\": \"force\"}")), "interaction"));
    assert_non_null(strstr(sentence(WITH("{\"quantity\": \"kinetic\", \"interaction\": \"loads\"}")), "has no effect"));
    assert_non_null(strstr(sentence(WITH("{\"quantity\": \"force\", \"interaction\": \"laods\"}")), "loads"));
    assert_non_null(strstr(sentence(WITH("{\"quantity\": \"force\", \"interaction\": \"cores\"}")), "no force"));
    assert_non_null(strstr(sentence(WITH("{\"quantity\": \"strain\"}")), "needs one of"));
    assert_non_null(strstr(sentence("{\"bodies\": [{\"mesh\": {\"box\": {}}, \"element\": \"springs\"}], \"probes\": "
                                    "[{\"quantity\": \"elastic\"}]}"),
                           "springs"));
}

/* ---- Loads with keys ---- */

#define LOADED(more)                                                                                                   \
    "\"bodies\": [" BODY("a", "[0, 0, 0]",                                                                             \
                         ", \"fix\": [{\"select\": {\"box\": [[-1, -1, -1], [1e-6, 1, 1]]}}], \"loads\": "             \
                         "[{\"select\": {\"normal\": [1, 0, 0]}, \"traction\": [100, 0, 0]" more                       \
                         "}]") "], \"gravity\": [0, 0, 0], "                                                           \
                               "\"probes\": [{\"name\": \"load\", \"quantity\": \"force\", \"interaction\": "          \
                               "\"loads\"}, {\"name\": \"tip\", "                                                      \
                               "\"nearest\": [0.2, 0, 0]}]}"

/* A triangle, a hold, a step down: the factor is linear between keys and constant outside. */
static void test_keys(void **state) {
    (void)state;
    static const char *const follow[] = {"", ", \"follow\": true"};
    for (int i = 0; i < 2; ++i) {
        char text[2048];
        snprintf(text, sizeof text,
                 "{\"time\": {\"step\": 0.05}, " LOADED(", \"keys\": [[0.1, 0], [0.3, 2], [0.4, -1], [0.6, 0.5]]%s"),
                 follow[i]);
        run r = open_text(text);
        static const double factor[] = {0, 0, 0, 0.5, 1, 1.5, 2, 0.5, -1, -0.625, -0.25, 0.125, 0.5, 0.5, 0.5};
        for (int k = 0; k < 15; ++k) {
            double value[SN_PROBE_VALUES];
            probe(&r, "load", value);
            near(value[0], factor[k] * 100 * 0.01, i ? 0.05 : 1e-12); /* a face that follows changes its area */
            step(&r, 1);
        }
        close_run(&r);
    }
}

/* Statics: load and unload within one solution. Keys up to 1 give what no keys give. */
static void test_static_keys(void **state) {
    (void)state;
    static const char *const keys[] = {"", ", \"keys\": [[0, 0], [1, 1]]", ", \"keys\": [[0, 0], [0.5, 1], [1, 0]]"};
    double tip[3];
    for (int i = 0; i < 3; ++i) {
        char text[2048];
        snprintf(text, sizeof text, "{\"time\": {\"mode\": \"static\", \"load_steps\": 4}, " LOADED("%s"), keys[i]);
        run r = open_text(text);
        double value[SN_PROBE_VALUES];
        step(&r, 1);
        probe(&r, "tip", value);
        tip[i] = value[0];
        close_run(&r);
    }
    assert_true(tip[0] > 5e-4);
    near(tip[1], tip[0], 1e-9);
    near(tip[2], 0, 1e-9);
}

static void test_bad_keys(void **state) {
    (void)state;
    assert_non_null(strstr(sentence("{" LOADED(", \"keys\": [[0, 0], [1, 1]], \"ramp\": [0, 1]")), "beside 'ramp'"));
    assert_non_null(strstr(sentence("{" LOADED(", \"keys\": [[0, 0], [0, 1]]")), "must grow"));
    assert_non_null(strstr(sentence("{" LOADED(", \"keys\": [[0, 0, 1]]")), "keys"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums),    cmocka_unit_test(test_forces),
                                       cmocka_unit_test(test_strain),  cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_keys),    cmocka_unit_test(test_static_keys),
                                       cmocka_unit_test(test_bad_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
