/* Materials with a memory in adaptive bodies: the ends, what a change of the active set gives on, and saved runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "text_world.h"
#include "world/inside.h"

/* A beam that hangs from one end and falls. */
static const char beam[] =
    "{\"sinew\": 1, \"time\": {\"step\": 0.01, \"newton\": {\"tolerance\": 1e-9}}, \"solver\": {\"method\": \"cg\", "
    "\"tolerance\": 1e-11, \"precision\": \"double\", \"iterations\": 5000}, \"bodies\": [{\"mesh\": {\"box\": "
    "{\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": %d}, %s \"material\": {%s, \"density\": 1000}, "
    "\"fix\": [{\"select\": {\"group\": \"x-\"}}]}]}";
/* A free bar that turns and twists; the set changes with the strain. */
static const char turning[] =
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"newton\": {\"kind\": \"one-step\"}}, "
    "\"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": 1}, \"adapt\": "
    "{\"levels\": 2, \"measure\": \"shear\", \"refine\": 0.05, \"coarsen\": 0.04, \"every\": 2, \"wait\": 1, "
    "\"detail\": 1, \"budget\": 3000}, \"material\": [{%s, \"density\": 1000}, {\"law\": \"corotated\", \"young\": "
    "3e3, \"poisson\": 0.4, \"density\": 1000, \"select\": {\"sphere\": {\"center\": [0.2, 0.05, 0.05], \"radius\": "
    "0.06}}, \"prony\": [{\"ratio\": 1, \"time\": 0.2}, {\"ratio\": 2, \"time\": 0.02}, {\"ratio\": 0.3, \"time\": "
    "3}]}], \"initial\": {\"velocity\": [0.1, 0.2, 0], \"spin\": [0, 2, 3], \"twist\": 300}}]}";

#define TERMS "\"terms\": [{\"ratio\": 1, \"time\": 0.05}, {\"ratio\": 0.5, \"time\": 1}]"
static const char *const form[] = {
    "\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.3, \"prony\": {" TERMS "}",
    "\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.3, \"prony\": {\"on\": \"shear\", " TERMS "}",
    "\"law\": \"stvk\", \"young\": 1e4, \"poisson\": 0.3, \"prony\": {\"on\": \"shear\", " TERMS "}",
    "\"law\": \"linear\", \"young\": 1e4, \"poisson\": 0.3, \"prony\": {" TERMS "}",
    "\"law\": \"neo-hookean\", \"young\": 1e4, \"poisson\": 0.3, \"prony\": {\"model\": \"standard\", \"ratio\": 2, "
    "\"time\": 0.1}, \"viscous\": {\"lambda\": 10, \"mu\": 5}, \"rayleigh\": {\"mass\": 0.2, \"stiffness\": 0.002}",
    "\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.3, \"prony\": {\"model\": \"maxwell\", \"time\": 0.3}",
    "\"law\": \"mooney-rivlin\", \"c10\": 1500, \"c01\": 500, \"d1\": 2e-4, \"prony\": {\"on\": \"coefficients\", "
    "\"terms\": [{\"ratios\": [0.6, 0.1], \"time\": 0.5}, {\"ratios\": [0.2, 0.8], \"time\": 0.05}]}"};
enum { FORMS = sizeof form / sizeof *form };

static sn_world *beam_of(int refine, const char *adapt, const char *material) {
    char text[1600];
    snprintf(text, sizeof text, beam, refine, adapt, material);
    return world_of_text(context, text);
}

static sn_world *turning_on(sn_context *on, const char *material) {
    char text[1800];
    snprintf(text, sizeof text, turning, material);
    return world_of_text(on, text);
}

static double gap(const sn_world *a, const sn_world *b, int nodes) {
    double most = 0;
    for (int i = 0; i < nodes; ++i)
        for (int c = 0; c < 3; ++c)
            most =
                fmax(most, fabs(a->state.x[3 * a->model->compiled[i] + c] - b->state.x[3 * b->model->compiled[i] + c]));
    return most;
}

/* Everything refined is the fine mesh, nothing refined is the coarse mesh; and the memory matters. */
static void test_ends(void **state) {
    (void)state;
    for (int f = 0; f < FORMS; ++f) {
        sn_world *coarse = beam_of(1, "", form[f]), *fine = beam_of(3, "", form[f]),
                 *none = beam_of(1, "\"adapt\": {\"levels\": 2},", form[f]),
                 *all = beam_of(1, "\"adapt\": {\"levels\": 2, \"select\": \"all\"},", form[f]);
        run(coarse, 8), run(fine, 8), run(none, 8), run(all, 8);
        assert_true(all->solid->elements.memory_size > 0);
        assert_true(gap(coarse, fine, coarse->model->node_count) > 1e-4);
        const double low = gap(coarse, none, coarse->model->node_count), high = gap(fine, all, fine->model->node_count);
        if (!(low < 1e-11 && high < 1e-11)) fail_msg("%s: %g m from coarse, %g from fine", form[f], low, high);
        sn_world_destroy(coarse), sn_world_destroy(fine), sn_world_destroy(none), sn_world_destroy(all);
    }
}

/* The numbers of the state, with the memory. */
static double *numbers_of(const sn_world *world) {
    double *numbers = malloc((size_t)world->state.count * sizeof *numbers);
    sn_state_write(&world->state, numbers);
    return numbers;
}

static void same_state(const sn_world *a, const sn_world *b) {
    double *p = numbers_of(a), *q = numbers_of(b);
    assert_int_equal(a->state.count, b->state.count);
    assert_memory_equal(p, q, (size_t)a->state.count * sizeof *p);
    free(p), free(q);
}

/* Splits or joins a tet between two steps. */
static void change(sn_world *world, int tet, bool split) {
    sn_forest *f = &world->adaptive->body[0].forest;
    if (split)
        assert_true(sn_forest_refine(f, tet, INT32_MAX));
    else
        sn_forest_coarsen(f, tet);
    assert_int_equal(sn_world_reactivate(world, true, NULL), SN_OK);
    memcpy(world->workspace.x_before, world->state.x, 3 * (size_t)world->model->node_count * sizeof(double));
    sn_memory_refresh(world);
}

static double elastic(sn_world *world) {
    sn_energies e;
    sn_workspace_forget(world);
    assert_int_equal(sn_world_energies(world, &e, NULL), SN_OK);
    return e.elastic;
}

/* The energy of the memory alone. */
static double remembered(sn_world *world) {
    const size_t size = (size_t)world->state.memory_count * sizeof(double);
    double *keep = malloc(size);
    const double with = elastic(world);
    memcpy(keep, world->state.memory, size);
    memset(world->state.memory, 0, size);
    const double without = elastic(world);
    memcpy(world->state.memory, keep, size);
    free(keep);
    return with - without;
}

static void stresses(sn_world *world, double *stress) {
    sn_element_sample sample;
    sn_element_values_begin(world, SN_SAMPLE_STRESS);
    for (int e = 0; e < world->model->element_count; ++e) {
        sn_element_values(world, e, SN_SAMPLE_STRESS, &sample);
        memcpy(stress + 6 * e, sample.stress, sizeof sample.stress);
    }
}

static double most_gap(const double *a, const double *b, int count) {
    double most = 0, size = 0;
    for (int i = 0; i < count; ++i) most = fmax(most, fabs(a[i] - b[i])), size = fmax(size, fabs(a[i]));
    return most / size;
}

/* At a split neither stress nor energy jumps. When eight tets join again, the energy of the memory does not rise. */
static void test_change(void **state) {
    (void)state;
    for (int f = 0; f < FORMS; ++f) {
        sn_world *world = beam_of(1, "\"adapt\": {\"levels\": 2},", form[f]);
        const int count = 6 * world->model->element_count;
        double *before = malloc((size_t)count * sizeof *before), *after = malloc((size_t)count * sizeof *after);
        run(world, 12);
        const double energy = elastic(world), memory = remembered(world);
        stresses(world, before);
        for (int tet = 0; tet < 40; tet += 7) change(world, tet, true);
        stresses(world, after);
        assert_true(fabs(elastic(world) - energy) < 1e-12 * energy);
        assert_true(memory > 0 && fabs(remembered(world) - memory) < 1e-10 * memory);
        const double jump = most_gap(before, after, count);
        if (!(jump < 1e-11)) fail_msg("%s: the stress jumps by %g", form[f], jump);
        run(world, 12);
        int joined = 0;
        for (int tet = 0; tet < 40; ++tet) {
            if (!sn_forest_can_coarsen(&world->adaptive->body[0].forest, tet)) continue;
            const double split = remembered(world);
            change(world, tet, false);
            const double whole = remembered(world);
            if (!(whole < (1 + 1e-12) * split && whole > 0.8 * split))
                fail_msg("%s: the memory had %g J, has %g", form[f], split, whole);
            ++joined;
        }
        assert_true(joined > 3);
        for (int i = 0; i < 3; ++i) {
            run(world, 1);
            for (int64_t n = world->solid->elements.memory_size; n < world->state.memory_count; ++n)
                assert_true(world->state.memory[n] == 0);
        }
        free(before), free(after);
        sn_world_destroy(world);
    }
}

/* R h R^T of the first term of a finest tet. */
static void in_space(const sn_world *world, int finest, double out[9]) {
    const int64_t place = world->solid->place[finest], lane = place % SN_LANES,
                  block = (place & (((int64_t)1 << 40) - 1)) / SN_LANES;
    const sn_batch *batch = &world->solid->elements.batch[place >> 40];
    const double *m = world->state.memory + batch->memory + block * batch->terms * 6 * SN_LANES + lane;
    static const int entry[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
    _Alignas(64) double R[9 * SN_LANES];
    const sn_element_view view = sn_world_view(world, world->state.x, NULL);
    batch->kernels->rotation(batch, (int)block, &view, R);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double sum = 0;
            for (int k = 0; k < 9; ++k)
                sum += R[(3 * i + k / 3) * SN_LANES + lane] * m[entry[k] * SN_LANES] *
                       R[(3 * j + k % 3) * SN_LANES + lane];
            out[3 * i + j] = sum;
        }
}

/* A frame on two edges differs between a tet and its children. The memory is turned from the one into the others. */
static void test_frames(void **state) {
    (void)state;
    sn_world *world = beam_of(1, "\"adapt\": {\"levels\": 2},",
                              "\"law\": \"corotated\", \"rotation\": \"edge\", \"young\": 1e4, \"poisson\": 0.3, "
                              "\"prony\": {\"on\": \"shear\", " TERMS "}");
    run(world, 15);
    const int per = world->model->element_count / world->adaptive->body[0].forest.root_count;
    double before[3 * 64][9], after[9];
    assert_int_equal(per, 64);
    for (int e = 0; e < 3 * per; ++e) in_space(world, e, before[e]);
    for (int tet = 0; tet < 3; ++tet) change(world, tet, true);
    change(world, world->adaptive->body[0].forest.first[1] + 8 + 5, true);
    for (int e = 0; e < 3 * per; ++e) {
        in_space(world, e, after);
        assert_true(most_gap(before[e], after, 9) < 1e-13);
    }
    sn_world_destroy(world);
}

/* Changes while the body moves keep the momenta, also between materials of two and three terms; the bits do not depend
 * on the threads, nor on whether the run was saved and restored. */
static void test_run(void **state) {
    (void)state;
    for (int f = 0; f < 2; ++f) {
        sn_context_options o = sn_context_options_default();
        sn_context *other;
        o.threads = 3;
        assert_int_equal(sn_context_create(&o, &other, NULL), SN_OK);
        sn_world *world = turning_on(context, form[f]), *again = turning_on(other, form[f]);
        int64_t seen = 0;
        size_t size = 0;
        void *bytes = NULL;
        sn_adapt_report r;
        for (int i = 0; i < 80; ++i) {
            run(world, 1);
            if (i == 39) {
                size = sn_world_state_size(world), bytes = malloc(size);
                assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
            }
            assert_int_equal(sn_world_adapt_report(world, 0, &r), SN_OK);
            if (r.changes == seen) continue;
            seen = r.changes;
            assert_true(most_gap(r.momentum_before, r.momentum_after, 3) < 1e-10);
            assert_true(most_gap(r.angular_before, r.angular_after, 3) < 1e-10);
        }
        assert_true(r.all_refined > 20 && r.all_coarsened > 20);
        run(again, 80);
        same_state(world, again);
        assert_int_equal(sn_world_restore_state(again, bytes, size, NULL), SN_OK); /* back in time */
        run(again, 40);
        same_state(world, again);
        sn_world *fresh = turning_on(other, form[f]);
        assert_int_equal(sn_world_restore_state(fresh, bytes, size, NULL), SN_OK);
        run(fresh, 40);
        same_state(world, fresh);
        free(bytes);
        sn_world_destroy(world), sn_world_destroy(again), sn_world_destroy(fresh);
        sn_context_destroy(other);
    }
}

/* Without room for a change the step is taken back, and what the material remembers with it. */
static void test_no_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *own = failing_allocator_context(&failing);
    const int64_t before = failing.live;
    char hash[2][17];
    sn_world *world = turning_on(own, form[0]), *calm = turning_on(own, form[0]);
    run(world, 9), run(calm, 9);
    int failures = 0;
    for (int64_t n = 1; sn_world_steps(world) == 9; n += 7) {
        failing_allocator_arm(&failing, n);
        const sn_status status = sn_world_step(world, NULL, NULL);
        failing_allocator_disarm(&failing);
        if (!status) break;
        assert_int_equal(status, SN_NO_MEMORY);
        sn_world_hash(world, hash[0]), sn_world_hash(calm, hash[1]);
        assert_string_equal(hash[0], hash[1]);
        assert_memory_equal(world->state.memory, calm->state.memory, (size_t)calm->state.memory_count * sizeof(double));
        ++failures;
    }
    assert_true(failures > 2);
    run(world, 5);
    sn_world_destroy(world), sn_world_destroy(calm);
    assert_int_equal(failing.live, before);
    sn_context_destroy(own);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends), cmocka_unit_test(test_change),
                                       cmocka_unit_test(test_frames), cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, start, end);
}
