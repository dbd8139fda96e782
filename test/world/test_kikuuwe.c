/* The method "kikuuwe" on bodies: no correction without need, the correction by its formula, small V, prescribed nodes,
 * its report, an indefinite matrix, and the switch of the judge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene_text.h"

static sn_context *context;

/* A block of 3 x 5 x 3 cells, 6 cm x 10 cm x 6 cm, with more keys for its body, the time and the scene. */
static sn_world *make(const char *body, const char *time, const char *scene_keys) {
    char text[2000];
    snprintf(text, sizeof text,
             "{\"gravity\": [0, -9.8, 0], \"time\": {\"method\": \"kikuuwe\", \"step\": 0.03%s}, \"solver\": "
             "{\"method\": \"qmr\", \"precision\": \"double\", \"tolerance\": 1e-10, \"iterations\": 2000}, "
             "\"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.06, 0.1, 0.06], \"cells\": [3, 5, 3], \"split\": 5}}, "
             "\"material\": {\"law\": \"stvk-volume\", \"young\": 1e6, \"poisson\": 0.45, \"density\": 1000, "
             "\"rayleigh\": {\"stiffness\": 0.001}}%s}]%s}",
             time, body, scene_keys);
    return world_of_text(context, text);
}

static double speed_of(const sn_world *world) {
    const int n = sn_world_body_mesh(world, 0)->node_count;
    double *v = calloc((size_t)n * 3, sizeof *v), most = 0;
    sn_world_get(world, 0, NULL, v);
    for (int i = 0; i < n; ++i)
        most = fmax(most, sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]));
    free(v);
    return most;
}

static sn_step_report step(sn_world *world) {
    sn_step_report report;
    sn_error error = {0};
    if (sn_world_step(world, &report, &error)) fail_msg("%s", error.text);
    return report;
}

/* A body that falls freely needs no correction: the run is that of implicit Euler with one linear solve. */
static void test_free_fall(void **state) {
    (void)state;
    sn_world *world = make("", "", "");
    double t = 0;
    for (int i = 0; i < 5; ++i) {
        const sn_step_report report = step(world);
        assert_int_equal(report.correction.nodes, 0);
        assert_true(report.correction.least == 1);
        assert_int_equal(report.newton_iterations, 1);
        t += 0.03;
        assert_true(fabs(speed_of(world) - 9.8 * t) < 1e-6);
    }
    sn_world_destroy(world);
}

static const char crushed[] = ", \"initial\": {\"scramble\": 3}", unjudged[] = ", \"judge\": false",
                  uncorrected[] = ", \"judge\": false, \"correction\": {\"use\": false}",
                  tiny[] = ", \"judge\": false, \"correction\": {\"speed\": 1e-6, \"measure\": true}";

/* Takes five steps. Adds up the nodes that were slowed down; the least factor; the largest speed. */
static void watch(sn_world *world, sn_correction_report *all, double *fastest) {
    *all = (sn_correction_report){.least = 2};
    *fastest = 0;
    for (int i = 0; i < 5; ++i) {
        const sn_correction_report one = step(world).correction;
        all->nodes += one.nodes;
        all->least = fmin(all->least, one.least);
        all->commutes = fmax(all->commutes, one.commutes), all->squares = fmax(all->squares, one.squares);
        *fastest = fmax(*fastest, speed_of(world));
    }
    sn_world_destroy(world);
}

/* A scrambled body: the correction makes it slower, the more the smaller V is; the report tells. */
static void test_correction(void **state) {
    (void)state;
    sn_correction_report none, some, much;
    double wild, tame, slow;
    watch(make(crushed, uncorrected, ""), &none, &wild);
    watch(make(crushed, unjudged, ""), &some, &tame);
    watch(make(crushed, tiny, ""), &much, &slow);
    assert_int_equal(none.nodes, 0);
    assert_true(none.least == 0);
    assert_true(some.nodes > 0 && much.nodes > some.nodes);
    assert_true(some.least < 1 && much.least < 1);
    assert_true(some.commutes == 0 && some.squares == 0);
    assert_true(much.commutes > 0 && isfinite(much.commutes) && much.squares > 0 && isfinite(much.squares));
    assert_true(tame < wild && slow < wild);
    const double power = log(some.least) / log(0.9); /* the factors are powers of 0.9 */
    assert_true(fabs(power - round(power)) < 1e-6);
}

/* `measure` changes no result. */
static void test_measure(void **state) {
    (void)state;
    sn_world *one = make(crushed, ", \"judge\": false", ""),
             *two = make(crushed, ", \"judge\": false, \"correction\": {\"measure\": true}", "");
    char first[17], second[17];
    for (int i = 0; i < 4; ++i) step(one), step(two);
    sn_world_hash(one, first), sn_world_hash(two, second);
    assert_string_equal(first, second);
    sn_world_destroy(one), sn_world_destroy(two);
}

/* Nodes that are moved stay on their path, whatever the correction does to the others. */
static void test_prescribed(void **state) {
    (void)state;
    sn_world *world =
        make(", \"initial\": {\"scramble\": 3}, \"fix\": [{\"select\": {\"normal\": [0, 1, 0]}, \"keys\": [[0, 0, "
             "0, 0], [1, 0.1, 0.2, 0]]}]",
             tiny, "");
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    double *x = calloc((size_t)mesh->node_count * 3, sizeof *x);
    int slowed = 0;
    for (int k = 1; k <= 5; ++k) {
        slowed += step(world).correction.nodes;
        sn_world_get(world, 0, x, NULL);
        for (int i = 0; i < mesh->node_count; ++i)
            if (mesh->position[3 * i + 1] > 0.0999) {
                assert_true(fabs(x[3 * i] - mesh->position[3 * i] - 0.1 * 0.03 * k) < 1e-12);
                assert_true(fabs(x[3 * i + 1] - mesh->position[3 * i + 1] - 0.2 * 0.03 * k) < 1e-12);
            }
    }
    assert_true(slowed > 0);
    free(x);
    sn_world_destroy(world);
}

/* A mirrored body turns back: plain stvk would rest mirrored. */
static void test_mirrored(void **state) {
    (void)state;
    sn_world *world =
        make(", \"initial\": {\"mirror\": \"y\"}", "",
             ", \"colliders\": [{\"plane\": {\"point\": [0, 0, 0]}, "
             "\"response\": \"spring-damper\", \"spring\": {\"stiffness\": 1e5, \"damping\": 1e3, \"drag\": 1e6}}]");
    for (int i = 0; i < 200; ++i) step(world);
    sn_energies energies;
    assert_int_equal(sn_world_energies(world, &energies, NULL), SN_OK);
    assert_true(energies.elastic < 0.05);
    sn_world_destroy(world);
}

/* Without the judge a step of plain CG is accepted whatever it gives; with the judge it is divided. */
static void test_judge_off(void **state) {
    (void)state;
    sn_world *free_ = make(crushed, uncorrected, ""), *judged = make(crushed, ", \"correction\": {\"use\": false}", "");
    int retries = 0, divided = 0;
    for (int i = 0; i < 5; ++i) {
        sn_step_report report;
        if (!sn_world_step(free_, &report, NULL)) retries += report.retries;
        sn_world_step(judged, &report, NULL);
        divided += report.retries;
    }
    assert_int_equal(retries, 0);
    assert_true(divided > 0);
    sn_world_destroy(free_), sn_world_destroy(judged);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_fall), cmocka_unit_test(test_correction),
                                       cmocka_unit_test(test_measure),   cmocka_unit_test(test_prescribed),
                                       cmocka_unit_test(test_mirrored),  cmocka_unit_test(test_judge_off)};
    return cmocka_run_group_tests(tests, start, end);
}
