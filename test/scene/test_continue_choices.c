/* Runs that are saved and restored go on with the same bits (three_runs.h): all solvers, preconditioners, kinds of
 * Newton's method and methods. */
#include "linear/solver.h"
#include "three_runs.h"

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
                const sn_preconditioner *table = sn_preconditioner_find(preconditioner[p].name);
                const bool levels = table && table->needs_levels;
                const sn_override o[] = {{"solver.method", "cg"},
                                         {"solver.preconditioner", preconditioner[p].name},
                                         {"time.newton.kind", k ? "simplified" : "full"},
                                         {"solver.precision", d ? "double" : "single"},
                                         {"bodies.0.mesh.refine", levels ? "1" : "0"},
                                         /* sanitizers need a small body */
                                         {"bodies.0.mesh.box.cells", levels ? "[2,2,2]" : "[5,5,5]"}};
                compare(SN_SOURCE_FOLDER "/scenes/pressed-block.json", o, 6, 3, 2);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solvers), cmocka_unit_test(test_methods),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, start, end);
}
