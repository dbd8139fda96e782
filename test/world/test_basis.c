/* Worlds with nested levels: nodal and hierarchical unknowns move alike, bodies with and without levels share a system,
 * and what does not go together is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scene_text.h"
#include "shared_context.h"
#include "world/inside.h"

/* A cube of three levels that hangs and turns about a moved edge, a tet10 body, and a box without levels that falls
 * onto a plane; the last two touch. */
static const char scene[] =
    "{\"sinew\": 1, \"time\": {\"step\": 0.01, \"newton\": {\"tolerance\": 1e-9}}, \"solver\": {\"method\": \"cg\", "
    "\"tolerance\": 1e-11, \"precision\": \"double\", \"iterations\": 5000}, \"bodies\": ["
    "{\"name\": \"cube\", \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [1, 1, 1]}, \"refine\": 2}, "
    "\"mass\": \"consistent\", \"material\": {\"law\": \"stvk\", \"lame\": [1e3, 1e3], \"density\": 1000}, \"fix\": "
    "[{\"select\": {\"group\": \"y+\"}, \"keys\": [[0, 0, 0, 0], [0.1, 0.01, 0, 0]]}]}, "
    "{\"name\": \"ten\", \"element\": \"tet10\", \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, "
    "2]}, "
    "\"move\": [1, 0.001, 0]}, \"material\": {\"law\": \"neo-hookean\", \"young\": 1e4, \"poisson\": 0.3}}, "
    "{\"name\": \"plain\", \"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [3, 3, 3]}, \"move\": [1, 0.102, "
    "0]}, \"material\": {\"young\": 1e4, \"poisson\": 0.3}}], \"colliders\": [{\"plane\": {\"normal\": [0.1, 1, 0]}}], "
    "\"contact\": {\"between\": \"all\"}}";

static sn_world *run(const sn_override *set, int sets, int steps) {
    sn_world *world;
    sn_error error = {0};
    if (world_from_text(context, "test", scene, set, sets, &world, &error)) fail_msg("%s", error.text);
    for (int i = 0; i < steps; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("%s: %s", sets ? set[0].value : "nodal", error.text);
    return world;
}

static double gap(const sn_world *a, const sn_world *b) {
    double most = 0;
    for (int i = 0; i < 3 * a->model->node_count; ++i) most = fmax(most, fabs(a->state.x[i] - b->state.x[i]));
    return most;
}

static void test_alike(void **state) {
    (void)state;
    const sn_override set[][3] = {
        {{"bodies.0.basis", "hierarchical"}, {"bodies.1.basis", "nodal"}, {"time.step", "0.01"}},
        {{"bodies.0.basis", "hierarchical"}, {"bodies.1.basis", "hierarchical"}, {"time.step", "0.01"}},
        {{"solver.preconditioner", "bpx"}, {"bodies.1.basis", "nodal"}, {"time.step", "0.01"}},
        {{"solver.preconditioner", "hierarchical"}, {"bodies.1.basis", "nodal"}, {"time.step", "0.01"}}};
    sn_world *nodal = run(NULL, 0, 12), *rest = run(NULL, 0, 0);
    assert_true(gap(nodal, rest) > 0.01);
    assert_int_equal(nodal->model->levels.count, 3);
    assert_int_equal(nodal->model->levels.loose_count, 64);
    assert_int_equal(nodal->model->basis.count, 0);
    for (int k = 0; k < 4; ++k) {
        sn_world *other = run(set[k], 3, 12);
        const double far = gap(nodal, other);
        if (!(far < 1e-8 * 0.1)) fail_msg("%s=%s: %g m", set[k][0].key, set[k][0].value, far);
        sn_world_destroy(other);
    }
    sn_world_destroy(nodal), sn_world_destroy(rest);
}

static void test_refuses(void **state) {
    (void)state;
    static const struct {
        sn_override set;
        const char *path, *says;
    } trial[] = {{{"bodies.2.basis", "hierarchical"}, "bodies.2.basis", "refine"},
                 {{"bodies.0.basis", "wavelet"}, "bodies.0.basis", "hierarchical"},
                 {{"bodies.0.rigid", "[{\"select\": {\"box\": [[-1, -1, -1], [1, 0.01, 1]]}}]"},
                  "bodies.0.basis",
                  "rigid cores"},
                 {{"solver.method", "ldlt"}, "solver.method", "hierarchical"},
                 {{"solver.preconditioner", "ic0"}, "solver.preconditioner", "hierarchical"}};
    for (size_t i = 0; i < sizeof trial / sizeof *trial; ++i) {
        const sn_override set[] = {{"bodies.0.basis", "hierarchical"}, trial[i].set};
        sn_world *world;
        sn_error error = {0};
        assert_true(world_from_text(context, "test", scene, set, 2, &world, &error) != SN_OK);
        assert_non_null(strstr(error.text, trial[i].says));
        assert_string_equal(error.path, trial[i].path);
    }
}

/* ---- Frames of a level ---- */
static const char turning[] =
    "{\"sinew\": 1, \"time\": {\"step\": 0.02}, \"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], "
    "\"cells\": [1, 1, 1], \"split\": 6}, \"refine\": 2}, \"material\": {\"law\": \"corotated\", \"young\": 3000, "
    "\"poisson\": 0.3, \"frames\": {\"every\": 0.04, \"level\": 0}}, \"fix\": [{\"select\": {\"group\": \"y+\"}, "
    "\"turn\": {\"point\": [0, 0, 0], \"axis\": [0, 1, 0.2], \"degrees\": 40, \"ramp\": [0, 0.3]}}]}]}";

/* The number of frames that differ by more than rounding. */
static int distinct(const sn_world *world) {
    enum { MOST = 400 };
    double seen[MOST][9];
    int count = 0;
    const sn_batch *batch = &world->solid->elements.batch[0];
    assert_int_equal(world->solid->elements.batch_count, 1);
    assert_true(batch->frames >= 0);
    for (int i = 0; i < batch->block_count * SN_LANES; ++i) {
        double R[9];
        if (batch->element_of[i] < 0) continue;
        for (int e = 0; e < 9; ++e)
            R[e] = world->state
                       .frame[batch->frames + (int64_t)(i / SN_LANES) * 9 * SN_LANES + e * SN_LANES + i % SN_LANES];
        bool known = false;
        for (int k = 0; k < count && !known; ++k) {
            double far = 0;
            for (int e = 0; e < 9; ++e) far = fmax(far, fabs(R[e] - seen[k][e]));
            known = far < 1e-10;
        }
        if (!known && count < MOST) memcpy(seen[count++], R, sizeof R);
    }
    return count;
}

/* All tets in one coarse tet share its frame; on the finest level each element has its own. Tets with a face in the
 * held plane and the same fourth node have equal frames, so there may be fewer than tets. */
static void test_frames(void **state) {
    (void)state;
    const char *const level[] = {"0", "1", "2", "-1"};
    const int most[] = {6, 48, 384, 384}, least[] = {4, 30, 200, 200};
    sn_world *world[4];
    for (int k = 0; k < 4; ++k) {
        const sn_override set = {"bodies.0.material.frames.level", level[k]};
        sn_error error = {0};
        if (world_from_text(context, "test", turning, &set, 1, &world[k], &error)) fail_msg("%s", error.text);
        for (int i = 0; i < 10; ++i) assert_int_equal(sn_world_step(world[k], NULL, NULL), SN_OK);
        const int frames = distinct(world[k]);
        if (frames < least[k] || frames > most[k]) fail_msg("level %s: %d frames", level[k], frames);
    }
    assert_true(gap(world[2], world[3]) < 1e-9);
    assert_true(gap(world[0], world[3]) > 1e-6 && gap(world[0], world[3]) < 0.01);
    for (int k = 0; k < 4; ++k) sn_world_destroy(world[k]);
}

static void test_frames_refused(void **state) {
    (void)state;
    static const struct {
        sn_override set;
        const char *path, *says;
    } trial[] = {{{"bodies.0.material.frames.every", "0"}, "bodies.0.material.0.frames.level", "frames.every"},
                 {{"bodies.0.material.frames.level", "3"}, "bodies.0.material.0.frames.level", "3 levels"},
                 {{"bodies.0.mesh.refine", "0"}, "bodies.0.material.0.frames.level", "refine"},
                 {{"bodies.0.material.rotation", "dapd"}, "bodies.0.material.0.frames.level", "dapd"}};
    for (size_t i = 0; i < sizeof trial / sizeof *trial; ++i) {
        sn_world *world;
        sn_error error = {0};
        assert_true(world_from_text(context, "test", turning, &trial[i].set, 1, &world, &error) != SN_OK);
        if (!strstr(error.text, trial[i].says)) fail_msg("%s", error.text);
        assert_non_null(strstr(error.path, "frames.level"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alike), cmocka_unit_test(test_refuses),
                                       cmocka_unit_test(test_frames), cmocka_unit_test(test_frames_refused)};
    return cmocka_run_group_tests(tests, start, end);
}
