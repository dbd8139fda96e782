/* Green's strain on a coarse level over linear fine elements (fem/coarse.h, linear/corotated.h): the energy and its
 * derivatives, rigid motion, the solution of a step, the same bits, saving, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/math3.h"
#include "failing_allocator.h"
#include "fem/coarse.h"
#include "scene_text.h"
#include "shared_context.h"
#include "world/inside.h"

/* Two materials share coarse tets; the held side turns. */
static const char bar[] =
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.03, \"newton\": {\"kind\": \"simplified\"}}, "
    "\"bodies\": [{\"name\": \"bar\", \"mesh\": {\"box\": {\"size\": [0.1, 0.2, 0.1], \"cells\": [1, 2, 1], "
    "\"split\": 5}, \"refine\": 2}, \"corotate\": {\"from\": 0, \"every\": 0.15}, \"material\": [{\"law\": "
    "\"corotated\", \"lame\": [1500, "
    "1000], \"viscous\": {\"lambda\": 10, \"mu\": 1}}, {\"law\": "
    "\"corotated\", \"lame\": [3000, 2000], \"select\": {\"box\": [[-1, "
    "-1, -1], [1, 0.07, 1]]}}], \"fix\": [{\"select\": {\"group\": \"y-\"}, \"turn\": {\"point\": [0.05, 0, 0.05], "
    "\"axis\": [0, 1, 0.2], \"degrees\": 90, \"ramp\": [0, 1.5]}}], \"loads\": [{\"select\": {\"normal\": [0, 1, 0]}, "
    "\"traction\": [0, 0, 60], \"ramp\": [0, 1]}]}]}";

static sn_world *world_in(sn_context *in, const sn_override *set, int sets) {
    sn_world *world;
    sn_error error = {0};
    if (world_from_text(in, "test", bar, set, sets, &world, &error)) fail_msg("%s", error.text);
    return world;
}

static void step(sn_world *world, int steps) {
    sn_error error = {0};
    for (int i = 0; i < steps; ++i)
        if (sn_world_step(world, NULL, &error)) fail_msg("%s", error.text);
}

static uint64_t seed = 1;
static double noise(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / (double)(1ull << 53) - 0.5;
}

static double energy_at(sn_world *world, const double *x) {
    const sn_element_view view = sn_world_view(world, x, NULL);
    double energy = 0;
    assert_int_equal(
        sn_elements_energy(context, &world->solid->elements, &view, world->workspace.partial, &energy, NULL), SN_OK);
    return energy;
}

static void force_at(sn_world *world, const double *x, double *f) {
    const sn_element_view view = sn_world_view(world, x, NULL);
    memset(f, 0, 3 * (size_t)world->model->node_count * sizeof *f);
    assert_int_equal(sn_elements_force(context, &world->solid->elements, &view, f, NULL), SN_OK);
}

static double length(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += v[i] * v[i];
    return sqrt(sum);
}

/* The weights of the groups add up to the volume, and a linear field has its own gradient in each. */
static void test_groups(void **state) {
    (void)state;
    sn_world *world = world_in(context, NULL, 0);
    const sn_coarse *c = world->solid->elements.coarse;
    assert_int_equal(c->count, 10 + 5); /* the lower five tets hold both materials */
    const int n = 3 * world->model->node_count;
    double *x = malloc((size_t)n * sizeof *x), volume = 0, A[9], F[9];
    for (int i = 0; i < 9; ++i) A[i] = noise();
    for (int i = 0; i < n; i += 3)
        for (int a = 0; a < 3; ++a) {
            const double *r = world->model->rest + i;
            x[i + a] = 0.3 + A[3 * a] * r[0] + A[3 * a + 1] * r[1] + A[3 * a + 2] * r[2];
        }
    for (int g = 0; g < c->count; ++g) {
        sn_coarse_mean(c, g, x, F);
        for (int i = 0; i < 9; ++i) assert_true(fabs(F[i] - A[i]) < 1e-12);
        volume += c->weight[g];
    }
    assert_true(fabs(volume - 0.002) < 1e-15);
    free(x);
    sn_world_destroy(world);
}

/* f = -dE/dx at a strained place with old frames, and E >= 0 however the nodes move. */
static void test_energy(void **state) {
    (void)state;
    sn_world *world = world_in(context, NULL, 0);
    step(world, 12);
    const int n = 3 * world->model->node_count;
    double *x = malloc(4 * (size_t)n * sizeof *x), *f = x + n, *u = f + n, *y = u + n;
    for (int i = 0; i < n; ++i) x[i] = world->state.x[i] + 2e-3 * noise();
    force_at(world, x, f);
    for (int k = 0; k < 8; ++k) {
        const double h = 1e-6;
        double slope = 0, size = 0;
        for (int i = 0; i < n; ++i) u[i] = noise(), slope -= f[i] * u[i];
        for (int i = 0; i < n; ++i) y[i] = x[i] + h * u[i];
        size = energy_at(world, y);
        for (int i = 0; i < n; ++i) y[i] = x[i] - h * u[i];
        const double found = (size - energy_at(world, y)) / (2 * h);
        if (!(fabs(found - slope) < 1e-7 * length(f, n))) fail_msg("%g instead of %g", found, slope);
    }
    for (int k = 0; k < 40; ++k) {
        for (int i = 0; i < n; ++i) {
            const bool corner = world->solid->elements.coarse->above[4 * (i / 3) + 1] < 0;
            x[i] = world->state.x[i] + (k % 2 && !corner ? 0 : 0.01 * (k + 1) * noise()); /* odd: corners alone */
        }
        assert_true(energy_at(world, x) > 0);
    }
    free(x);
    sn_world_destroy(world);
}

static void test_tangent(void **state) {
    (void)state;
    sn_coarse_group g = {.lambda = 1500, .mu = 1000};
    const double axis[3] = {0.3, 1, -0.5};
    sn_axis_rotation3(axis, 40, g.R);
    for (int k = 0; k < 20; ++k) {
        double F[9], T[81], D[81], A[9], B[9], Q[9], P[9];
        const double h = 1e-6;
        for (int i = 0; i < 9; ++i) F[i] = (i % 4 == 0) + 0.8 * noise();
        sn_coarse_tangent(&g, F, false, T);
        sn_coarse_tangent(&g, F, true, D);
        sn_coarse_stress(&g, F, Q);
        for (int b = 0; b < 9; ++b) {
            memcpy(A, F, sizeof A), memcpy(B, F, sizeof B);
            A[b] += h, B[b] -= h;
            const double slope = (sn_coarse_energy(&g, A) - sn_coarse_energy(&g, B)) / (2 * h);
            assert_true(fabs(slope - Q[b]) < 1e-5);
            double S[9];
            sn_coarse_stress(&g, A, S);
            sn_coarse_stress(&g, B, P);
            for (int a = 0; a < 9; ++a) assert_true(fabs((S[a] - P[a]) / (2 * h) - T[9 * a + b]) < 1e-4);
        }
        /* definite: with the tangent of the elements in the frame, no direction has negative curvature. */
        for (int i = 0; i < 9; ++i) A[i] = noise();
        double bend = 0, half[9] = {0}, sum = 0;
        for (int a = 0; a < 9; ++a)
            for (int b = 0; b < 9; ++b) bend += A[a] * D[9 * a + b] * A[b];
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int l = 0; l < 3; ++l)
                    half[3 * i + j] += 0.5 * (g.R[3 * l + i] * A[3 * l + j] + g.R[3 * l + j] * A[3 * l + i]);
        for (int i = 0; i < 9; ++i) sum += 2 * g.mu * half[i] * half[i];
        const double t = half[0] + half[4] + half[8];
        assert_true(bend + sum + g.lambda * t * t > -1e-9);
    }
}

/* A rigid motion of the rest shape has no energy and no force, with the frames of the rest shape. */
static void test_rigid_motion(void **state) {
    (void)state;
    sn_world *world = world_in(context, NULL, 0);
    const int n = 3 * world->model->node_count;
    double *x = malloc(2 * (size_t)n * sizeof *x), *f = x + n, R[9];
    const double axis[3] = {1, 2, -0.5};
    for (int degrees = 0; degrees <= 170; degrees += 34) {
        sn_axis_rotation3(axis, degrees, R);
        for (int i = 0; i < n; i += 3) {
            sn_multiply_vector3(R, world->model->rest + i, x + i);
            x[i] += 2;
        }
        force_at(world, x, f);
        assert_true(fabs(energy_at(world, x)) < 1e-14);
        assert_true(length(f, n) < 1e-11);
    }
    free(x);
    sn_world_destroy(world);
}

static double gap(const sn_world *a, const sn_world *b) {
    double most = 0;
    for (int i = 0; i < 3 * a->model->node_count; ++i) most = fmax(most, fabs(a->state.x[i] - b->state.x[i]));
    return most;
}

/* Every kind of Newton's method, solver and preconditioner finds the same motion. */
static void test_solution(void **state) {
    (void)state;
    const sn_override strict[] = {{"time.newton.tolerance", "1e-11"}, {"solver.tolerance", "1e-9"}};
    static const sn_override other[][2] = {
        {{"time.newton.kind", "full"}, {"solver.precision", "double"}},
        {{"time.newton.kind", "inexact"}, {"solver.preconditioner", "bpx"}},
        {{"solver.method", "ldlt"}, {"solver.guard", "true"}},
        {{"solver.method", "cg"}, {"solver.preconditioner", "ic0"}},
        {{"solver.method", "minres"}, {"solver.operator", "assembly-free"}},
        {{"bodies.0.basis", "hierarchical"}, {"solver.method", "cg"}},
    };
    sn_world *first = world_in(context, strict, 2), *rest = world_in(context, NULL, 0);
    step(first, 20);
    assert_true(gap(first, rest) > 0.03);
    for (size_t k = 0; k < sizeof other / sizeof *other; ++k) {
        const sn_override set[] = {strict[0], strict[1], other[k][0], other[k][1]};
        sn_world *world = world_in(context, set, 4);
        step(world, 20);
        const double far = gap(first, world);
        if (!(far < 1e-7)) fail_msg("%s %s: %g m", other[k][0].value, other[k][1].value, far);
        sn_world_destroy(world);
    }
    sn_world_destroy(first), sn_world_destroy(rest);
}

/* Against Green's strain everywhere: the frames alone are farther away. */
static void test_near_green(void **state) {
    (void)state;
    static const sn_override green[] = {{"bodies.0.material", "{\"law\": \"stvk\", \"lame\": [1500, 1000]}"},
                                        {"bodies.0.corotate", "{}"}},
                             mixed[] = {{"bodies.0.material", "{\"law\": \"corotated\", \"lame\": [1500, 1000]}"}},
                             frames[] = {{"bodies.0.material", "{\"law\": \"corotated\", \"lame\": [1500, 1000], "
                                                               "\"frames\": {\"level\": 0, \"every\": 0.15}}"},
                                         {"bodies.0.corotate", "{}"}};
    sn_world *a = world_in(context, green, 2), *b = world_in(context, mixed, 1), *c = world_in(context, frames, 2);
    double mean[2] = {0};
    for (int i = 0; i < 40; ++i) {
        step(a, 1), step(b, 1), step(c, 1);
        mean[0] += gap(a, b) / 40, mean[1] += gap(a, c) / 40;
    }
    if (!(mean[0] < 0.005 && mean[0] < mean[1])) fail_msg("%g m, frames alone %g m", mean[0], mean[1]);
    sn_world_destroy(a), sn_world_destroy(b), sn_world_destroy(c);
}

static void test_bits(void **state) {
    (void)state;
    static const char *const method[] = {"implicit-euler", "bdf2"};
    for (int m = 0; m < 2; ++m) {
        const sn_override set = {"time.method", method[m]};
        char first[17], hash[17];
        for (int k = 0; k < 5; ++k) {
            sn_context_options options = sn_context_options_default();
            options.threads = k == 1 ? 2 : k == 2 ? 4 : 1, options.simd = k == 3 ? "baseline" : "auto";
            sn_context *own;
            assert_int_equal(sn_context_create(&options, &own, NULL), SN_OK);
            sn_world *world = world_in(own, &set, 1);
            step(world, 7);
            if (k == 4) { /* saved between two renewals of the frames */
                const size_t size = sn_world_state_size(world);
                void *bytes = malloc(size);
                assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
                sn_world_destroy(world);
                world = world_in(own, &set, 1);
                step(world, 2);
                assert_int_equal(sn_world_restore_state(world, bytes, size, NULL), SN_OK);
                free(bytes);
            }
            step(world, 8);
            sn_world_hash(world, hash);
            if (k == 0) memcpy(first, hash, sizeof first);
            if (strcmp(first, hash) != 0) fail_msg("%s, way %d: %s instead of %s", method[m], k, hash, first);
            sn_world_destroy(world);
            sn_context_destroy(own);
        }
    }
}

static void test_no_allocation(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *own = failing_allocator_context(&failing);
    sn_world *world = world_in(own, NULL, 0);
    step(world, 12);
    const int64_t requests = failing.requests;
    step(world, 12);
    assert_int_equal(failing.requests, requests);
    sn_world_destroy(world);
    sn_context_destroy(own);
    assert_int_equal(failing.live, 0);
}

/* Each allocation of a world and its first steps fails in turn: a message, and nothing leaks. */
static void test_out_of_memory(void **state) {
    (void)state;
    failing_allocator failing = failing_allocator_make();
    sn_context *own = failing_allocator_context(&failing);
    const int64_t live = failing.live;
    int64_t failures = 0;
    for (int64_t n = 1;; n += 1 + n / 40) {
        sn_world *world;
        sn_error error = {0};
        failing_allocator_arm(&failing, n);
        sn_status status = world_from_text(own, "test", bar, NULL, 0, &world, &error);
        for (int i = 0; i < 2 && !status; ++i) status = sn_world_step(world, NULL, &error);
        const bool failed = failing.failed;
        failing_allocator_disarm(&failing);
        sn_world_destroy(world);
        assert_int_equal(failing.live, live);
        if (!failed) break;
        ++failures;
        if (status) assert_int_equal(status, SN_NO_MEMORY);
    }
    assert_true(failures > 60);
    sn_context_destroy(own);
}

static void test_refuses(void **state) {
    (void)state;
    static const struct {
        sn_override set;
        const char *path, *says;
    } trial[] = {
        {{"bodies.0.corotate.every", "0"}, "corotate.every", "above 0"},
        {{"bodies.0.corotate.every", "-0.1"}, "corotate.every", "at least 0"},
        {{"bodies.0.corotate.from", "-1"}, "corotate.every", "give both"},
        {{"bodies.0.corotate.from", "2"}, "corotate.from", "coarser"},
        {{"bodies.0.mesh.refine", "0"}, "corotate.from", "refine"},
        {{"bodies.0.material.0.law", "stvk"}, "bodies.0.corotate", "stvk"},
        {{"bodies.0.material.0.frames.every", "0.1"}, "bodies.0.corotate", "frames"},
        {{"bodies.0.material.0.differential", "exact"}, "bodies.0.corotate", "differential"},
        {{"bodies.0.material.0.rotation", "dapd"}, "bodies.0.corotate", "history"},
        {{"bodies.0.mass", "consistent"}, "bodies.0.corotate", "consistent"},
        {{"bodies.0.element", "tet4-smooth"}, "bodies.0.corotate", "tet4-smooth"},
        {{"time", "{\"mode\": \"static\"}"}, "corotate.every", "dynamic"},
        {{"time", "{\"method\": \"verlet\"}"}, "time.method", "verlet"},
        {{"time", "{\"method\": \"rosenbrock2-w\"}"}, "time.method", "rosenbrock2-w"},
        {{"bodies.0",
          "{\"element\": \"tri3\", \"mesh\": {\"rectangle\": {\"size\": [1, 1], \"cells\": [2, 2]}, \"refine\": 1}, "
          "\"material\": {\"law\": \"corotated\"}, \"corotate\": {\"from\": 0, \"every\": 0.1}}"},
         "bodies.0.corotate",
         "tets"},
        {{"bodies.0",
          "{\"mesh\": {\"rectangle\": {\"size\": [1, 1], \"cells\": [2, 2]}, \"refine\": 1}, \"thickness\": 0.001, "
          "\"material\": {\"law\": \"cloth-particles\", \"stretch\": 10, \"shear\": 1}, \"corotate\": {\"from\": 0, "
          "\"every\": 0.1}}"},
         "bodies.0.corotate",
         "cloth-particles"},
    };
    for (size_t i = 0; i < sizeof trial / sizeof *trial; ++i) {
        sn_world *world;
        sn_error error = {0};
        if (!world_from_text(context, "test", bar, &trial[i].set, 1, &world, &error))
            fail_msg("%s %s was taken", trial[i].set.key, trial[i].set.value);
        if (!strstr(error.text, trial[i].says) || !strstr(error.path, trial[i].path))
            fail_msg("%s %s: %s (%s)", trial[i].set.key, trial[i].set.value, error.text, error.path);
    }
    /* A running world too. */
    sn_world *world = world_in(context, NULL, 0);
    sn_time_options time = sn_world_time_options(world);
    sn_error error = {0};
    snprintf(time.method, sizeof time.method, "verlet");
    time.newton = sn_time_options_default().newton;
    assert_int_equal(sn_world_set_time(world, &time, &error), SN_UNSUPPORTED);
    step(world, 1);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups),        cmocka_unit_test(test_energy),
                                       cmocka_unit_test(test_tangent),       cmocka_unit_test(test_rigid_motion),
                                       cmocka_unit_test(test_solution),      cmocka_unit_test(test_near_green),
                                       cmocka_unit_test(test_bits),          cmocka_unit_test(test_no_allocation),
                                       cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_refuses)};
    return cmocka_run_group_tests(tests, start, end);
}
