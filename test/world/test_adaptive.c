/* Adaptive bodies: the mechanics across a border of levels, changes of the active set, and what is refused. */
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
#include "linear/matrix/assembly.h"
#include "text_world.h"
#include "world/inside.h"

/* A beam that hangs from one end and falls. */
static const char beam[] =
    "{\"sinew\": 1, \"time\": {\"step\": 0.01, \"newton\": {\"tolerance\": 1e-9}}, \"solver\": {\"method\": \"cg\", "
    "\"tolerance\": 1e-11, \"precision\": \"double\", \"iterations\": 5000}, \"bodies\": [{\"mesh\": {\"box\": "
    "{\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": %d}, %s \"material\": {\"law\": \"%s\", "
    "\"young\": 1e4, \"poisson\": 0.3, \"density\": 1000}, \"fix\": [{\"select\": {\"group\": \"x-\"}}]}]}";
/* The same, free and turning; the set changes with the strain. */
static const char turning[] =
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"newton\": {\"kind\": \"one-step\"}}, "
    "\"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": 1}, \"adapt\": "
    "{\"levels\": 2, \"measure\": \"%s\", \"refine\": %g, \"coarsen\": %g, \"every\": 2, \"wait\": 1, \"detail\": 1, "
    "\"budget\": 3000}, \"material\": {\"law\": \"corotated\", \"young\": 2e3, \"poisson\": 0.3, \"density\": 1000}, "
    "\"initial\": {\"velocity\": [0.1, 0.2, 0], \"spin\": [0, 2, 3], \"twist\": 300}}]}";
static const char part[] = "\"adapt\": {\"levels\": 2, \"select\": {\"box\": [[-1, -1, -1], [0.1, 1, 1]]}},";

static sn_world *world_with(const char *text, const sn_override *set, int sets) {
    sn_world *world;
    sn_error error = {0};
    if (world_from_text(context, "test", text, set, sets, &world, &error)) fail_msg("%s", error.text);
    return world;
}

static sn_world *beam_of(int refine, const char *adapt, const char *law) {
    char text[1200];
    snprintf(text, sizeof text, beam, refine, adapt, law);
    return world_of_text(context, text);
}

static double gap(const sn_world *a, const sn_world *b, int nodes) {
    double most = 0;
    for (int i = 0; i < nodes; ++i)
        for (int c = 0; c < 3; ++c) {
            const double x = a->state.x[3 * a->model->compiled[i] + c], y = b->state.x[3 * b->model->compiled[i] + c];
            most = fmax(most, fabs(x - y));
        }
    return most;
}

/* Everything refined is the fine mesh, nothing refined is the coarse mesh. */
static void test_ends(void **state) {
    (void)state;
    static const char *const law[] = {"neo-hookean", "corotated", "linear"};
    for (int l = 0; l < 3; ++l) {
        sn_world *coarse = beam_of(1, "", law[l]), *fine = beam_of(3, "", law[l]),
                 *none = beam_of(1, "\"adapt\": {\"levels\": 2},", law[l]),
                 *all = beam_of(1, "\"adapt\": {\"levels\": 2, \"select\": \"all\"},", law[l]),
                 *some = beam_of(1, part, law[l]);
        run(coarse, 10), run(fine, 10), run(none, 10), run(all, 10), run(some, 10);
        assert_true(gap(coarse, fine, coarse->model->node_count) > 1e-3);
        assert_true(gap(coarse, none, coarse->model->node_count) < 1e-11);
        assert_true(gap(fine, all, fine->model->node_count) < 1e-11);
        assert_true(some->solid->active->hanging.count > 20);
        assert_true(gap(some, fine, fine->model->node_count) < gap(none, fine, fine->model->node_count));
        sn_world_destroy(coarse), sn_world_destroy(fine), sn_world_destroy(none);
        sn_world_destroy(all), sn_world_destroy(some);
    }
}

/* All solvers give the same motion of a body with hanging nodes. */
static void test_solvers(void **state) {
    (void)state;
    static const sn_override set[][1] = {{{"solver.preconditioner", "diagonal"}}, {{"solver.preconditioner", "ssor"}},
                                         {{"solver.preconditioner", "ic0"}},      {{"solver.method", "ldlt"}},
                                         {{"solver.precision", "single"}},        {{"solver.method", "minres"}},
                                         {{"solver.preconditioner", "multigrid"}}};
    char text[1200];
    snprintf(text, sizeof text, beam, 1, part, "neo-hookean");
    sn_world *plain = world_of_text(context, text);
    run(plain, 5);
    for (size_t i = 0; i < sizeof set / sizeof *set; ++i) {
        sn_world *other = world_with(text, set[i], 1);
        run(other, 5);
        const double far = gap(plain, other, plain->model->node_count);
        if (!(far < 1e-10)) fail_msg("%s %s: %g m", set[i][0].key, set[i][0].value, far);
        sn_world_destroy(other);
    }
    sn_world_destroy(plain);
}

/* A block that is stretched by a tenth, with free sides. */
static const char stretched[] =
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"mode\": \"static\", \"newton\": {\"tolerance\": 1e-12}}, "
    "\"solver\": {\"tolerance\": 1e-13, \"precision\": \"double\", \"iterations\": 5000}, \"bodies\": [{\"mesh\": "
    "{\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": 1}, \"adapt\": {\"levels\": 2, "
    "\"select\": {\"sphere\": {\"center\": [0.15, 0.07, 0.03], \"radius\": 0.04}}}, \"material\": {\"law\": "
    "\"neo-hookean\", \"young\": 1e4, \"poisson\": 0.3}, \"fix\": [{\"select\": {\"group\": \"x-\"}, \"axes\": "
    "\"x\"}, {\"select\": {\"group\": \"x+\"}, \"axes\": \"x\", \"displacement\": [0.04, 0, 0]}, {\"select\": "
    "{\"group\": \"y-\"}, \"axes\": \"y\"}, {\"select\": {\"group\": \"z-\"}, \"axes\": \"z\"}]}]}";

/* A uniform stretch is a solution of statics, with any border between the levels. */
static void test_patch(void **state) {
    (void)state;
    sn_world *world = world_of_text(context, stretched);
    assert_true(world->solid->active->hanging.count > 20);
    run(world, 1);
    const double *X = world->model->rest, *x = world->state.x;
    double side = 0, height = 0;
    for (int i = 0; i < world->model->node_count; ++i)
        if (X[3 * i + 1] > 0.0999) side = x[3 * i + 1], height = X[3 * i + 1];
    const double lateral = side / height;
    assert_true(lateral < 0.99 && lateral > 0.95);
    for (int i = 0; i < world->model->node_count; ++i) {
        assert_true(fabs(x[3 * i] - 1.1 * X[3 * i]) < 1e-10);
        for (int c = 1; c < 3; ++c) assert_true(fabs(x[3 * i + c] - lateral * X[3 * i + c]) < 1e-10);
    }
    sn_world_destroy(world);
}

/* The forces on the free nodes are minus the derivative of the energy with the slaves following. */
static void test_forces(void **state) {
    (void)state;
    sn_world *world = beam_of(1, part, "neo-hookean");
    const int n = 3 * world->model->node_count;
    double *x = world->state.x, *keep = malloc((size_t)n * sizeof *keep), *d = malloc((size_t)n * sizeof *d);
    for (int i = 0; i < n; ++i) x[i] += 0.002 * sin(7.0 * i), world->state.v[i] = 0;
    sn_active_follow(world->solid->active, x);
    memcpy(keep, x, (size_t)n * sizeof *x);
    for (int trial = 0; trial < 3; ++trial) {
        for (int i = 0; i < n; ++i) d[i] = cos(3.0 * i + trial);
        sn_active_follow(world->solid->active, d);
        assert_int_equal(sn_world_forces(world, NULL), SN_OK);
        double work = 0, energy[2];
        for (int i = 0; i < n; ++i) {
            work += world->workspace.force[i] * d[i];
            if (world->solid->active->slaved[i / 3]) assert_true(world->workspace.force[i] == 0);
        }
        for (int k = 0; k < 2; ++k) {
            sn_energies e;
            for (int i = 0; i < n; ++i) x[i] = keep[i] + (k ? 1e-6 : -1e-6) * d[i];
            sn_workspace_forget(world);
            assert_int_equal(sn_world_energies(world, &e, NULL), SN_OK);
            energy[k] = e.elastic + e.gravity;
        }
        memcpy(x, keep, (size_t)n * sizeof *x);
        sn_workspace_forget(world);
        assert_true(fabs((energy[1] - energy[0]) / 2e-6 + work) < 1e-5 * fabs(work));
    }
    free(keep), free(d);
    sn_world_destroy(world);
}

/* The sum of the forces of the elements at a strained place, by the largest force. */
static double unbalance(sn_world *world) {
    const int n = 3 * world->model->node_count;
    double sum[3] = {0}, most = 0;
    for (int i = 0; i < n; ++i) world->state.x[i] += 0.002 * sin(7.0 * i), world->state.v[i] = 0;
    sn_active_follow(world->solid->active, world->state.x);
    assert_int_equal(sn_world_force_inside(world, world->state.x, NULL, NULL, NULL), SN_OK);
    for (int i = 0; i < n; ++i) {
        sum[i % 3] += world->workspace.inside[i];
        most = fmax(most, fabs(world->workspace.inside[i]));
    }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / most;
}

/* Without the reaction: the forces across a border are not in balance, and a uniform stretch is no solution. All
 * methods for unsymmetric matrices find the same wrong one, in few iterations of Newton's method: the matrix is that of
 * the forces. */
static void test_reaction(void **state) {
    (void)state;
    static const sn_override set[][2] = {{{"bodies.0.adapt.reaction", "false"}, {"solver.method", "auto"}},
                                         {{"bodies.0.adapt.reaction", "false"}, {"solver.method", "gmres"}},
                                         {{"bodies.0.adapt.reaction", "false"}, {"solver.method", "qmr"}}};
    sn_world *whole = world_of_text(context, stretched), *without[3];
    for (int k = 0; k < 3; ++k) {
        sn_step_report report;
        without[k] = world_with(stretched, set[k], 2);
        assert_int_equal(sn_world_step(without[k], &report, NULL), SN_OK);
        assert_true(report.newton_iterations <= 6);
        assert_true(gap(without[0], without[k], whole->model->node_count) < 1e-9);
    }
    run(whole, 1);
    assert_true(gap(whole, without[0], whole->model->node_count) > 1e-4);
    assert_true(unbalance(whole) < 1e-12);
    assert_true(unbalance(without[0]) > 0.1);
    for (int k = 0; k < 3; ++k) sn_world_destroy(without[k]);
    sn_world_destroy(whole);
    /* A method for symmetric matrices is refused, also when nothing hangs yet. */
    sn_world *world;
    sn_error error = {0};
    char text[1200];
    snprintf(text, sizeof text, beam, 1, "\"adapt\": {\"levels\": 2, \"reaction\": false},", "neo-hookean");
    assert_int_equal(world_from_text(context, "test", text, NULL, 0, &world, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.text, "adapt.reaction"));
}

static double most_of(const double *a, const double *b) {
    return fmax(fmax(fabs(a[0] - b[0]), fabs(a[1] - b[1])), fabs(a[2] - b[2]));
}

/* Changes keep mass and momenta; refining keeps the energies of the elements too. */
static void test_momentum(void **state) {
    (void)state;
    static const char *const measure[] = {"shear", "energy", "gradient"};
    for (int k = 0; k < 3; ++k) {
        char text[1200];
        snprintf(text, sizeof text, turning, measure[k], k == 1 ? 20.0 : 0.05, k == 1 ? 15.0 : 0.04);
        sn_world *world = world_of_text(context, text);
        double mass = 0, P[3], L[3];
        int64_t seen = 0;
        for (int i = 0; i < world->model->node_count; ++i) mass += world->solid->weight[i];
        sn_world_momentum(world, P, L);
        for (int i = 0; i < 120; ++i) {
            sn_adapt_report r;
            run(world, 1);
            assert_int_equal(sn_world_adapt_report(world, 0, &r), SN_OK);
            assert_true(r.active <= 3000);
            if (r.changes == seen) continue;
            seen = r.changes;
            const double lost = most_of(r.momentum_before, r.momentum_after),
                         turned = most_of(r.angular_before, r.angular_after);
            if (!(lost < 1e-12 * mass && turned < 1e-12 * mass))
                fail_msg("%s: lost %g, turned %g of %g kg, %d refined, %d coarsened", measure[k], lost, turned, mass,
                         r.refined, r.coarsened);
            if (!r.coarsened)
                assert_true(fabs(r.energy_before.elastic - r.energy_after.elastic) < 1e-9 * r.energy_before.elastic);
            double total = 0;
            for (int n = 0; n < world->model->node_count; ++n) total += world->solid->mass[n];
            assert_true(fabs(total - mass) < 1e-12 * mass);
        }
        sn_adapt_report r;
        sn_world_adapt_report(world, 0, &r);
        if (!(r.all_refined > 20 && r.all_coarsened > 20))
            fail_msg("%s: %lld refined, %lld coarsened", measure[k], (long long)r.all_refined,
                     (long long)r.all_coarsened);
        sn_world_destroy(world);
    }
}

/* A run that is saved, restored into a new world and continued has the bits of the run itself, with any number of
 * threads. */
static void test_save(void **state) {
    (void)state;
    char text[1200], hash[2][17];
    snprintf(text, sizeof text, turning, "shear", 0.05, 0.04);
    sn_world *world = world_of_text(context, text);
    run(world, 20);
    const size_t size = sn_world_state_size(world);
    void *bytes = malloc(size);
    assert_int_equal(sn_world_save_state(world, bytes, size, NULL), SN_OK);
    const int active = world->adaptive->body[0].forest.leaf_count;
    run(world, 20);
    sn_world_hash(world, hash[0]);
    sn_context_options o = sn_context_options_default();
    sn_context *other;
    o.threads = 3;
    assert_int_equal(sn_context_create(&o, &other, NULL), SN_OK);
    sn_world *again = world_of_text(other, text);
    assert_true(again->adaptive->body[0].forest.leaf_count != active);
    assert_int_equal(sn_world_restore_state(again, bytes, size, NULL), SN_OK);
    assert_int_equal(again->adaptive->body[0].forest.leaf_count, active);
    run(again, 20);
    sn_world_hash(again, hash[1]);
    assert_string_equal(hash[0], hash[1]);
    assert_int_equal(again->adaptive->body[0].forest.leaf_count, world->adaptive->body[0].forest.leaf_count);
    /* And back in time in the same world. */
    assert_int_equal(sn_world_restore_state(world, bytes, size, NULL), SN_OK);
    run(world, 20);
    sn_world_hash(world, hash[1]);
    assert_string_equal(hash[0], hash[1]);
    free(bytes);
    sn_world_destroy(again), sn_world_destroy(world);
    sn_context_destroy(other);
}

/* ---- What a change compiles ---- */
static void same_bytes(const void *a, const void *b, size_t size) {
    if (size) assert_memory_equal(a, b, size);
}

/* The elements and the pattern that took parts of the set before over are those that are made from nothing. */
static void check_compiled(sn_world *world) {
    const sn_solid *fresh;
    sn_linear *linear;
    assert_int_equal(sn_solid_create(world, NULL, &fresh, NULL), SN_OK);
    assert_int_equal(sn_linear_create(context, &fresh->linear, &world->parameters.solver, false, &linear, NULL), SN_OK);
    const sn_elements_model *a = &world->solid->elements, *b = &fresh->elements;
    assert_int_equal(a->chunk_count, b->chunk_count);
    same_bytes(a->chunk, b->chunk, (size_t)a->chunk_count * sizeof *a->chunk);
    assert_int_equal(a->batch_count, b->batch_count);
    for (int k = 0; k < a->batch_count; ++k) {
        const size_t lanes = (size_t)a->batch[k].block_count * SN_LANES;
        assert_int_equal(a->batch[k].block_count, b->batch[k].block_count);
        same_bytes(a->batch[k].node, b->batch[k].node, 4 * lanes * sizeof(int32_t));
        same_bytes(a->batch[k].element_of, b->batch[k].element_of, lanes * sizeof(int32_t));
        same_bytes(a->batch[k].gradient, b->batch[k].gradient, 9 * lanes * sizeof(double));
        same_bytes(a->batch[k].weight, b->batch[k].weight, lanes * sizeof(double));
    }
    const sn_pattern *p = sn_linear_pattern(world->workspace.linear), *q = sn_linear_pattern(linear);
    assert_int_equal(p->nodes, q->nodes);
    assert_int_equal(p->block_count, q->block_count);
    same_bytes(p->row_begin, q->row_begin, (size_t)(p->nodes + 1) * sizeof *p->row_begin);
    same_bytes(p->diagonal, q->diagonal, (size_t)p->nodes * sizeof *p->diagonal);
    same_bytes(p->column, q->column, (size_t)p->block_count * sizeof *p->column);
    same_bytes(p->mirror, q->mirror, (size_t)p->block_count * sizeof *p->mirror);
    const sn_scatter_map *map = sn_linear_map(world->workspace.linear);
    for (int k = 0; map && k < a->batch_count; ++k)
        for (int64_t n = 0; n < (int64_t)a->batch[k].block_count * SN_LANES; ++n)
            for (int i = 0, pair = 0; i < 4 && a->batch[k].element_of[n] >= 0; ++i)
                for (int j = i; j < 4; ++j, ++pair) {
                    const int32_t *node = a->batch[k].node + n / SN_LANES * 4 * SN_LANES + n % SN_LANES;
                    assert_int_equal(map->place[k][(n / SN_LANES * 10 + pair) * SN_LANES + n % SN_LANES],
                                     sn_pattern_find(q, node[i * SN_LANES], node[j * SN_LANES]));
                }
    sn_linear_destroy(linear);
    sn_solid_destroy(context, fresh);
}

static void test_compiled(void **state) {
    (void)state;
    char text[1200];
    snprintf(text, sizeof text, turning, "shear", 0.05, 0.04);
    sn_world *world = world_of_text(context, text);
    sn_adapt_report r = {0};
    for (int i = 0, kept = 0; i < 60 || kept < 3; ++i) {
        const int64_t before = r.changes;
        run(world, 1);
        sn_world_adapt_report(world, 0, &r);
        if (r.changes == before) continue;
        check_compiled(world);
        kept += r.made_tets < r.active && r.made_rows < world->solid->active->count;
        assert_true(i < 200);
    }
    sn_world_destroy(world);
}

/* The root that is nearest to a place in a long beam. */
static int root_at(const sn_world *world, const double place[3]) {
    const sn_forest *f = &world->adaptive->body[0].forest;
    int best = -1;
    double least = INFINITY;
    for (int t = 0; t < f->root_count; ++t) {
        double d[3] = {-place[0], -place[1], -place[2]};
        for (int i = 0; i < 4; ++i)
            for (int c = 0; c < 3; ++c)
                d[c] += 0.25 * world->model->rest[3 * (size_t)f->node[10 * (size_t)t + (size_t)i] + (size_t)c];
        const double own = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (own < least) least = own, best = t;
    }
    return best;
}

/* A tet is refined and coarsened again in a beam of so many cells. */
static void change_of(int cells, sn_adapt_report report[2]) {
    char text[1200];
    snprintf(text, sizeof text,
             "{\"sinew\": 1, \"bodies\": [{\"mesh\": {\"box\": {\"size\": [%g, 0.1, 0.1], \"cells\": [%d, 1, 1]}, "
             "\"refine\": 1}, \"adapt\": {\"levels\": 2, \"select\": {\"box\": [[0.3, -1, -1], [9, 1, 1]]}}, "
             "\"material\": {\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.3, \"density\": 1000}, \"fix\": "
             "[{\"select\": {\"group\": \"x-\"}}]}]}",
             0.1 * cells, cells);
    sn_world *world = world_of_text(context, text);
    sn_forest *f = &world->adaptive->body[0].forest;
    const int tet = root_at(world, (const double[]){0.131, 0.043, 0.038});
    assert_true(!f->refined[tet]);
    assert_true(sn_forest_refine(f, tet, INT32_MAX));
    assert_int_equal(f->journal_count, 1);
    for (int i = 0; i < 2; ++i) {
        if (i) sn_forest_coarsen(f, tet);
        assert_int_equal(sn_world_reactivate(world, false, NULL), SN_OK);
        sn_world_adapt_report(world, 0, &report[i]);
        check_compiled(world);
    }
    run(world, 1);
    sn_world_destroy(world);
}

/* What is compiled depends on what changed, not on the size of the body. */
static void test_share(void **state) {
    (void)state;
    sn_adapt_report small[2], large[2];
    change_of(4, small), change_of(16, large);
    assert_true(large[0].active > 2 * small[0].active);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(small[i].made_tets, i ? 1 : 8);
        assert_int_equal(large[i].made_tets, i ? 1 : 8);
        assert_int_equal(small[i].made_rows, large[i].made_rows);
        assert_true(small[i].made_rows > 0 && small[i].made_rows < 80);
    }
}

/* The density changes: so do the masses of the active set. */
static void test_material(void **state) {
    (void)state;
    sn_world *world = beam_of(1, part, "corotated");
    sn_material material = *sn_world_material(world, 0, 0);
    double before = 0, after = 0;
    for (int n = 0; n < world->model->node_count; ++n) before += world->solid->mass[n];
    material.density = 2000;
    assert_int_equal(sn_world_set_material(world, 0, 0, &material, NULL), SN_OK);
    for (int n = 0; n < world->model->node_count; ++n) after += world->solid->mass[n];
    assert_true(fabs(after - 2 * before) < 1e-12);
    run(world, 2);
    sn_world_destroy(world);
}

/* Without memory for a world there is none, and nothing is left. Without memory for a change the step is taken back. */
static void test_memory(void **state) {
    (void)state;
    char text[1200], hash[2][17];
    snprintf(text, sizeof text, turning, "shear", 0.05, 0.04);
    failing_allocator failing = failing_allocator_make();
    sn_context *own = failing_allocator_context(&failing);
    const int64_t before = failing.live;
    for (int64_t n = 1;; n += 29) {
        sn_world *world;
        failing_allocator_arm(&failing, n);
        const sn_status status = world_from_text(own, "test", text, NULL, 0, &world, NULL);
        const int failed = failing.failed;
        failing_allocator_disarm(&failing);
        sn_world_destroy(world);
        assert_int_equal(failing.live, before);
        assert_int_equal(status, failed ? SN_NO_MEMORY : SN_OK);
        if (!failed) break;
    }
    sn_world *world = world_of_text(own, text), *calm = world_of_text(own, text);
    run(world, 9), run(calm, 10);
    sn_adapt_report r;
    sn_world_adapt_report(calm, 0, &r);
    assert_true(r.refined + r.coarsened > 0); /* the tenth step changes the set */
    for (int64_t n = 1; sn_world_steps(world) == 9; n += 7) {
        const int active = world->adaptive->body[0].forest.leaf_count;
        sn_world_hash(world, hash[0]);
        failing_allocator_arm(&failing, n);
        const sn_status status = sn_world_step(world, NULL, NULL);
        failing_allocator_disarm(&failing);
        if (!status) break;
        assert_int_equal(status, SN_NO_MEMORY);
        sn_world_hash(world, hash[1]);
        assert_string_equal(hash[0], hash[1]);
        assert_int_equal(world->adaptive->body[0].forest.leaf_count, active);
    }
    run(world, 10), run(calm, 10);
    assert_int_equal(world->adaptive->body[0].forest.leaf_count, calm->adaptive->body[0].forest.leaf_count);
    assert_true(gap(world, calm, calm->model->node_count) < 1e-6);
    sn_world_destroy(world), sn_world_destroy(calm);
    assert_int_equal(failing.live, before);
    sn_context_destroy(own);
}

/* A pinned node stays where it is when the mesh around it becomes coarse, although its parents are not held. */
static void test_pinned(void **state) {
    (void)state;
    sn_world *world = world_of_text(
        context,
        "{\"sinew\": 1, \"gravity\": [0, -0.02, 0], \"time\": {\"step\": 0.01}, \"bodies\": [{\"mesh\": {\"box\": "
        "{\"size\": [0.2, 0.2, 0.2], \"cells\": [2, 2, 2]}}, \"adapt\": {\"levels\": 2, \"measure\": \"shear\", "
        "\"refine\": 0.02, \"coarsen\": 0.01, \"every\": 2, \"wait\": 1}, \"material\": {\"law\": \"corotated\", "
        "\"young\": 1e4, \"poisson\": 0.3, \"density\": 300, \"rayleigh\": {\"stiffness\": 0.02}}, "
        "\"initial\": {\"twist\": 100}}]}");
    run(world, 6);
    const sn_levels *levels = &world->model->levels;
    int32_t node = 0; /* of the finest level, with parents that were born before */
    while (levels->place[world->model->compiled[node]] < levels->begin[levels->count - 1] ||
           sn_adaptive_kind(world, world->model->compiled[node]) != SN_NODE_FREE)
        ++node;
    const double *x = world->state.x + 3 * (size_t)world->model->compiled[node];
    const double before[3] = {x[0], x[1], x[2]};
    const int active = world->adaptive->body[0].forest.leaf_count;
    assert_int_equal(sn_world_pin(world, 0, node, true, NULL), SN_OK);
    run(world, 60);
    assert_true(world->adaptive->body[0].forest.leaf_count < active / 4);
    x = world->state.x + 3 * (size_t)world->model->compiled[node];
    for (int c = 0; c < 3; ++c) assert_true(x[c] == before[c]);
    sn_world_destroy(world);
}

static void test_refuses(void **state) {
    (void)state;
    static const struct {
        const char *key, *value, *path;
    } wrong[] = {
        {"bodies.0.element", "tet10", "bodies.0.adapt"},
        {"bodies.0.mass", "consistent", "bodies.0.adapt"},
        {"bodies.0.basis", "hierarchical", "bodies.0.adapt"},
        {"bodies.0.rigid", "true", "bodies.0"},
        {"bodies.0.adapt.refine", "0", "bodies.0.adapt.refine"},
        {"bodies.0.adapt.coarsen", "0.06", "bodies.0.adapt.coarsen"},
        {"bodies.0.adapt.budget", "100", "bodies.0.adapt.budget"},
        {"time.method", "imex-euler", "time.method"},
        {"time.mode", "static", "adapt.measure"},
        {"solver.operator", "assembly-free", "solver.operator"},
        {"bodies.0.material.frames", "{\"every\": 0.1}", "bodies.0.adapt"},
        {"bodies.0.links", "[{\"point\": [0, 0, 0], \"to\": [0, 0, 0], \"stabilise\": \"post\"}]", ""},
        {"colliders", "[{\"plane\": {\"point\": [0, -1, 0]}, \"response\": \"projection\"}]", "colliders.0.response"},
        {"bodies.0.fix", "[{\"select\": {\"box\": [[0.01, -1, -1], [0.02, 1, 1]]}}]", "bodies.0.fix.0.select"},
        {"bodies.0.adapt.measure", "none", "bodies.0.adapt.refine"},
        {"bodies.0.adapt", "{\"measure\": \"shear\"}", "needs 'levels'"}};
    char text[1200];
    snprintf(text, sizeof text, turning, "shear", 0.05, 0.04);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const sn_override set = {wrong[i].key, wrong[i].value};
        sn_world *world;
        sn_error error = {0};
        const sn_status status = world_from_text(context, "test", text, &set, 1, &world, &error);
        if (status != SN_UNSUPPORTED && status != SN_BAD_INPUT) fail_msg("%s was taken", wrong[i].key);
        if (*wrong[i].path && !strstr(error.text, wrong[i].path)) fail_msg("%s: %s", wrong[i].key, error.text);
        if (!*wrong[i].path && !strstr(error.text, "adapt")) fail_msg("%s: %s", wrong[i].key, error.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),     cmocka_unit_test(test_solvers),  cmocka_unit_test(test_patch),
        cmocka_unit_test(test_forces),   cmocka_unit_test(test_momentum), cmocka_unit_test(test_save),
        cmocka_unit_test(test_material), cmocka_unit_test(test_memory),   cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_compiled), cmocka_unit_test(test_share),    cmocka_unit_test(test_reaction),
        cmocka_unit_test(test_pinned)};
    return cmocka_run_group_tests(tests, start, end);
}
