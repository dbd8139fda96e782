/* Adaptive bodies with all integrators: the bits of the fine mesh when all is split, an accurate motion with hanging
 * nodes, and momentum over changes of the active set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text_world.h"
#include "world/inside.h"

/* A beam that hangs from one end and falls, with a memory and a load that grows: the forces change with time. */
static const char beam[] =
    "{\"sinew\": 1, \"time\": {\"method\": \"%s\", \"step\": %g%s, \"bodies\": [{\"mesh\": {\"box\": {\"size\": "
    "[0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": %d}, %s \"material\": {\"law\": \"stvk\", \"young\": 5e3, "
    "\"poisson\": 0.3, \"density\": 1000, \"rayleigh\": {\"mass\": 0.5, \"stiffness\": 0.0005}, \"prony\": "
    "[{\"ratio\": 0.5, \"time\": 0.05}]}, \"fix\": "
    "[{\"select\": {\"group\": \"x-\"}}], \"loads\": [{\"select\": {\"group\": \"x+\"}, \"traction\": [50, 0, 80], "
    "\"keys\": [[0, 0], [1, 100]]}]}]}";
/* A free bar that turns and twists; the set changes with the strain. */
static const char turning[] =
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"method\": \"%s\", \"step\": 0.001%s, \"bodies\": [{\"mesh\": "
    "{\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": 1}, \"adapt\": {\"levels\": 2, "
    "\"measure\": \"shear\", \"refine\": 0.05, \"coarsen\": 0.04, \"every\": 10, \"wait\": 1, \"detail\": 1, "
    "\"details\": \"%s\"}, \"material\": {\"law\": \"corotated\", \"young\": 2e3, \"poisson\": 0.3, \"density\": "
    "1000, \"rayleigh\": {\"stiffness\": 0.0005}}, \"initial\": {\"velocity\": [0.1, 0.2, 0], \"spin\": [0, 2, 3], "
    "\"twist\": 300}}]}";
static const char part[] = "\"adapt\": {\"levels\": 1, \"select\": {\"box\": [[-1, -1, -1], [0.1, 1, 1]]}},";

/* The rest of "time", and the solver. */
static const char *rest_of(const sn_method *method) {
    if (!method->implicit) return "}";
    return method->newton ? ", \"newton\": {\"tolerance\": 1e-9}}, \"solver\": {\"tolerance\": 1e-11, \"precision\": "
                            "\"double\", \"iterations\": 5000}"
                          : "}, \"solver\": {\"tolerance\": 1e-11, \"precision\": \"double\", \"iterations\": 5000}";
}

static sn_world *beam_by(const sn_method *method, double step, int refine, const char *adapt) {
    char text[1600];
    snprintf(text, sizeof text, beam, method->name, step, rest_of(method), refine, adapt);
    return world_of_text(context, text);
}

static double gap(const sn_world *a, const sn_world *b) {
    double most = 0;
    for (int i = 0; i < 3 * a->model->node_count; ++i) most = fmax(most, fabs(a->state.x[i] - b->state.x[i]));
    return most;
}

/* The methods for bodies of tets. */
static const sn_method *method_at(int i) {
    int count;
    const sn_listing *list = sn_methods(&count);
    if (i >= count) return NULL;
    return sn_method_find(list[i].name);
}
static bool is_of_cloth(const sn_method *method) { return strncmp(method->name, "imex", 4) == 0; }

static void test_ends(void **state) {
    (void)state;
    const sn_method *method;
    for (int i = 0; (method = method_at(i)); ++i) {
        if (is_of_cloth(method)) continue;
        sn_world *fine = beam_by(method, 1e-3, 2, ""),
                 *all = beam_by(method, 1e-3, 1, "\"adapt\": {\"levels\": 1, \"select\": \"all\"},");
        run(fine, 6), run(all, 6);
        if (!(gap(fine, all) < 1e-14)) fail_msg("%s: %g m", method->name, gap(fine, all));
        sn_world_destroy(fine), sn_world_destroy(all);
    }
}

/* With hanging nodes a method is as accurate as on the fine mesh. */
static void test_order(void **state) {
    (void)state;
    const sn_method *best = sn_method_find("dopri853"), *method;
    sn_world *exact[2] = {beam_by(best, 2.5e-4, 2, ""), beam_by(best, 2.5e-4, 1, part)};
    assert_true(exact[1]->solid->active->hanging.count > 10);
    run(exact[0], 40), run(exact[1], 40);
    for (int i = 0; (method = method_at(i)); ++i) {
        if (is_of_cloth(method)) continue;
        double far[2];
        for (int k = 0; k < 2; ++k) {
            sn_world *world = beam_by(method, 5e-4, k ? 1 : 2, k ? part : "");
            run(world, 20);
            far[k] = gap(world, exact[k]);
            sn_world_destroy(world);
        }
        if (!(far[1] < 2 * far[0] + 1e-11)) fail_msg("%s: %g m, fine mesh %g", method->name, far[1], far[0]);
    }
    sn_world_destroy(exact[0]), sn_world_destroy(exact[1]);
}

static void test_momentum(void **state) {
    (void)state;
    const sn_method *method;
    for (int i = 0; (method = method_at(i)); ++i) {
        if (is_of_cloth(method)) continue;
        char text[1600];
        sn_adapt_report r;
        double P[3], L[3], now[3], gained = 0, mass = 0;
        snprintf(text, sizeof text, turning, method->name, rest_of(method), i % 2 ? "freeze" : "drop");
        sn_world *world = world_of_text(context, text);
        for (int n = 0; n < world->model->node_count; ++n) mass += world->solid->weight[n];
        sn_world_momentum(world, P, L);
        run(world, 40);
        sn_world_momentum(world, now, L);
        for (int c = 0; c < 3; ++c) gained = fmax(gained, fabs(now[c] - P[c]));
        assert_int_equal(sn_world_adapt_report(world, 0, &r), SN_OK);
        if (!(r.changes > 2 && r.all_refined > 10)) fail_msg("%s: %d changes", method->name, (int)r.changes);
        if (!(gained < 1e-10 * mass)) fail_msg("%s gains %g Ns", method->name, gained);
        sn_world_destroy(world);
    }
}

/* A method with a history starts anew after a change, also in a run that was saved and restored just then. */
static void test_history(void **state) {
    (void)state;
    static const char *const name[] = {"bdf2", "newmark", "verlet", "bdf4"};
    for (int k = 0; k < 4; ++k) {
        char text[1600];
        const sn_method *method = sn_method_find(name[k]);
        snprintf(text, sizeof text, turning, name[k], rest_of(method), "drop");
        sn_world *world = world_of_text(context, text), *again = world_of_text(context, text);
        run(world, 39);
        assert_true(world->state.history[0] != 0);
        run(world, 1);
        sn_adapt_report r;
        sn_world_adapt_report(world, 0, &r);
        assert_true(r.refined + r.coarsened > 0);
        for (int64_t i = 0; i < world->state.history_count - 2; ++i) assert_true(world->state.history[i] == 0);
        for (int more = 0; more < 2; ++more) {
            const size_t size = sn_world_state_size(world);
            void *bytes = malloc(size);
            assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
            assert_int_equal(sn_world_restore_state(again, bytes, size, NULL), SN_OK);
            run(world, 15), run(again, 15);
            assert_true(gap(world, again) == 0);
            free(bytes);
        }
        sn_world_destroy(world), sn_world_destroy(again);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_momentum), cmocka_unit_test(test_history)};
    return cmocka_run_group_tests(tests, start, end);
}
