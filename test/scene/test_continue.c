/* Three runs end with the same bits: one without a stop, one that is saved half-way and goes on, and one that starts
 * from the saved state. All ready scenes, and all solvers, preconditioners, kinds of Newton's method and methods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>

#include "scene_text.h"

static sn_context *context;
static int compared;

/* Makes the world of a scene; NULL when the overrides do not suit the scene. */
static sn_world *make(const char *path, const sn_override *overrides, int count) {
    sn_world *world;
    sn_error error = {0};
    (void)world_from_file(context, path, overrides, count, &world, &error);
    return world;
}

/* A step that fails leaves the state as it was, and both runs must fail alike. */
static void run(sn_world *world, int steps) {
    for (int i = 0; i < steps; ++i) (void)sn_world_step(world, NULL, NULL);
}

static void compare(const char *path, const sn_override *overrides, int count, int before, int after) {
    sn_world *whole = make(path, overrides, count), *saved = make(path, overrides, count),
             *restored = make(path, overrides, count);
    if (!whole || !saved || !restored) return;
    char hash[3][17], label[400] = "";
    sn_error error = {0};
    for (int i = 0; i < count; ++i)
        snprintf(label + strlen(label), sizeof label - strlen(label), " %s=%s", overrides[i].key, overrides[i].value);
    run(whole, before);
    run(saved, before);
    const size_t size = sn_world_state_size(saved);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(sn_world_save_state(saved, bytes, size, &error), SN_OK);
    if (sn_world_restore_state(restored, bytes, size, &error)) fail_msg("%s%s: %s", path, label, error.text);
    free(bytes);
    run(whole, after);
    run(saved, after);
    run(restored, after);
    sn_world_hash(whole, hash[0]);
    sn_world_hash(saved, hash[1]);
    sn_world_hash(restored, hash[2]);
    if (strcmp(hash[0], hash[1]) != 0) fail_msg("%s%s: the run that was saved differs", path, label);
    if (strcmp(hash[0], hash[2]) != 0) fail_msg("%s%s: the run that was restored differs", path, label);
    sn_world_destroy(whole);
    sn_world_destroy(saved);
    sn_world_destroy(restored);
    ++compared;
}

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

static void test_solvers(void **state) {
    (void)state;
    static const char *const scenes[] = {"bar", "linked-blocks", "falling-tube"};
    int solvers, preconditioners, kinds;
    const sn_listing *solver = sn_solvers(&solvers), *preconditioner = sn_preconditioners(&preconditioners),
                     *kind = sn_newton_kinds(&kinds);
    compared = 0;
    for (int i = 0; i < 3; ++i)
        for (int s = 0; s < solvers; ++s)
            for (int k = 0; k < (i ? 1 : kinds); ++k) {
                char path[1024];
                snprintf(path, sizeof path, "%s/scenes/%s.json", SN_SOURCE_FOLDER, scenes[i]);
                const sn_override o[] = {{"solver.method", solver[s].name},
                                         {"time.newton.kind", i ? "simplified" : kind[k].name}};
                compare(path, o, 2, 3, 2);
            }
    for (int p = 0; p < preconditioners; ++p)
        for (int k = 0; k < 2; ++k)
            for (int d = 0; d < 2; ++d) {
                const sn_override o[] = {{"solver.method", "cg"},
                                         {"solver.preconditioner", preconditioner[p].name},
                                         {"time.newton.kind", k ? "simplified" : "full"},
                                         {"solver.precision", d ? "double" : "single"},
                                         {"bodies.0.mesh.box.cells", "[5,5,5]"}}; /* sanitizers need a small body */
                compare(SN_SOURCE_FOLDER "/scenes/pressed-block.json", o, 5, 3, 2);
            }
    assert_true(compared > 70);
}

static void test_methods(void **state) {
    (void)state;
    int methods;
    const sn_listing *method = sn_methods(&methods);
    compared = 0;
    for (int i = 0; i < methods; ++i)
        for (int k = 0; k < 2; ++k) {
            const sn_override o[] = {{"time.method", method[i].name},
                                     {"time.newton.kind", k ? "simplified" : "full"},
                                     {"solver", k ? "{\"method\": \"ldlt\"}" : "{}"},
                                     {"time.step", "1e-4"}};
            compare(SN_SOURCE_FOLDER "/scenes/bar.json", o, 4, 5, 5);
        }
    assert_true(compared > 20);
}

static int start(void **state) {
    (void)state;
    return sn_context_create(NULL, &context, NULL) != SN_OK;
}

static int end(void **state) {
    (void)state;
    sn_context_destroy(context);
    return 0;
}

/* A material with a memory keeps its linearisation over steps too. */
static void test_memory(void **state) {
    (void)state;
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/bar.json", SN_SOURCE_FOLDER);
    for (int k = 0; k < 2; ++k) {
        const sn_override o[] = {{"time.newton.kind", "simplified"},
                                 {"time.method", "bdf2"},
                                 {"solver.operator", k ? "assembly-free" : "assembled"},
                                 {"bodies.0.material.law", "stvk"},
                                 {"bodies.0.material.prony", "[{\"ratio\": 1, \"time\": 0.1}]"}};
        compare(path, o, 5, 6, 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes), cmocka_unit_test(test_solvers),
                                       cmocka_unit_test(test_methods), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, start, end);
}
