/* hauth-solvers: iterations, work and fill-in of the linear solvers on the matrices of three scenes (Hauth 3.4.2
 * to 3.4.4, tables 3.3 to 3.5).
 *
 * The scenes are a sphere that touches a table, a liver-like ellipsoid that is held and sags, and a cube under shear.
 * The matrix is the matrix of the next step, M / h^2 + D / h + K; the right-hand side is the residual of this step.
 *
 * Work is counted while the solvers run: a pass is a product with the matrix, or a forward and a backward sweep, which
 * read half of the matrix each. CG with SSOR needs two passes per iteration, Eisenstat's implementation one, and half a
 * pass whenever it looks at its true residual.
 *
 * The diagonal suits meshes whose edges lie along the axes. It needs more iterations when such a mesh is turned, while
 * the number of the diagonal blocks stays. So the meshes of this experiment do not lie along the axes: the sphere is
 * turned, the liver has a fitted mesh, the cube is octasected as in the document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "linear/direct/fill_order.h"
#include "linear/direct/symbolic.h"
#include "linear/krylov/krylov.h"
#include "linear/precondition/ssor.h"
#include "linear/solver_inside.h"
#include "timing.h"
#include "world/inside.h"

enum { SOLVERS = 8, SOLVES = 20, CASES = 5 };

typedef struct solver_name {
    const char *label, *method, *preconditioner;
} solver_name;

static const solver_name solver[SOLVERS] = {{"diag", "cg", "diagonal"}, {"block-diag", "cg", "block-jacobi"},
                                            {"IC(0)", "cg", "ic0"},     {"IC(1e-2)", "cg", "ict"},
                                            {"SSOR", "cg", "ssor"},     {"Eisenstat", "eisenstat", ""},
                                            {"direct", "cholesky", ""}, {"direct (own)", "ldlt", ""}};
enum { DIAG, BLOCK, IC0, ICT, SSOR, EISENSTAT, CHOLESKY, LDLT };

typedef struct solver_case {
    const char *name;
    double step, young;
    const char *body, *world; /* keys of the body and of the scene */
    int matrices;             /* the matrices of this many steps */
    double printed[6];        /* iterations in the document, 0: none */
} solver_case;

#define CUBE(mesh, turn)                                                                                               \
    "\"mesh\": {\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": " mesh ", \"rotate\": [1, 0.3, 0.7, " turn             \
    "]}, \"fix\": [{\"select\": {\"group\": \"y-\"}}], \"loads\": [{\"select\": {\"group\": \"y+\"}, \"traction\": "   \
    "[200, 0, 0]}]"
enum { SPHERE, LIVER, OCTASECTED, ALONG, TURNED };
static const solver_case cases[CASES] = {
    {"sphere",
     0.03,
     2e5,
     "\"mesh\": {\"sphere\": {\"radius\": 0.1, \"cells\": 2}, \"rotate\": [1, 0.3, 0.7, 35], \"move\": [0, 0.13, 0]}",
     ", \"colliders\": [{\"plane\": {\"normal\": [0.3, 1, 0.2]}, \"response\": \"projection\"}]",
     20,
     {75, 72, 27, 22, 37, 38}},
    {"liver",
     0.008,
     2e4,
     "\"mesh\": {\"embed\": {\"surface\": {\"file\": \"%s/liver.obj\"}, \"elements\": 2616}}, \"fix\": [{\"select\": "
     "{\"box\": [[-1, 0.09, -1], [1, 1, 1]]}}]",
     "",
     2,
     {42, 39, 14, 7, 17, 23}},
    {"cube", 0.003, 2e4, CUBE("[1, 1, 1], \"split\": 6}, \"refine\": 4", "0"), "", 2, {90, 81, 27, 14, 33, 51}},
    {"cube along the axes", 0.004, 2e4, CUBE("[16, 16, 16], \"split\": 6}", "0"), "", 2, {0}},
    {"cube turned", 0.004, 2e4, CUBE("[16, 16, 16], \"split\": 6}", "35"), "", 2, {0}}};

typedef struct solver_result {
    double iterations[SOLVERS];            /* mean over the matrices of the case */
    double setup[SOLVERS], solve[SOLVERS]; /* s, last matrix; setup includes the assembly */
    double passes[SOLVERS],
        krylov[SOLVERS];              /* SSOR and Eisenstat, last matrix: counted passes; s of the method alone */
    double product, sweeps;           /* s: one product with the last matrix, a forward and a backward sweep */
    int64_t natural, reduced, matrix; /* numbers of blocks below the diagonal */
    int nodes, tets;
} solver_result;

/* How many blocks the factor has below the diagonal, for a given order of elimination. */
static int64_t fill_of(const sn_pattern *pattern, const int32_t *order) {
    const int nodes = pattern->nodes;
    int32_t *place = calloc((size_t)nodes * 6, sizeof *place);
    if (!place) return -1;
    int32_t *parent = place + nodes, *count = parent + nodes, *work = count + nodes;
    int64_t sum = 0;
    for (int k = 0; k < nodes; ++k) place[order[k]] = k;
    sn_symbolic_count(pattern, order, place, parent, count, work);
    for (int k = 0; k < nodes; ++k) sum += count[k];
    free(place);
    return sum;
}

/* The natural order is the order of the nodes in the mesh file. */
static sn_status measure_fill(const sn_world *world, solver_result *result, sn_error *error) {
    sn_pattern pattern = {0};
    sn_status status = sn_pattern_create(world->context, &world->solid->elements, NULL, 0, NULL, &pattern, error);
    if (status) return status;
    int32_t *order = malloc((size_t)pattern.nodes * sizeof *order);
    if (!order) {
        sn_pattern_release(world->context, &pattern);
        return sn_no_memory(error);
    }
    result->matrix = (pattern.block_count - pattern.nodes) / 2;
    result->natural = fill_of(&pattern, world->model->compiled);
    sn_room room = {0};
    status = sn_order_minimum_degree(world->context, &pattern, &room, order, error);
    sn_room_release(world->context, &room);
    if (!status) result->reduced = fill_of(&pattern, order);
    free(order);
    sn_pattern_release(world->context, &pattern);
    return status;
}

/* ---- The work of SSOR and of Eisenstat's implementation ---- */
typedef struct counted {
    const sn_context *context;
    const sn_matrix *matrix;
    int64_t *products;
} counted;

static void counted_product(const void *self, const double *x, double *y) {
    const counted *c = self;
    ++*c->products;
    sn_matrix_product(c->context, c->matrix, x, y);
}

/* Runs a method on the prepared matrix; returns its seconds. */
static double run_method(sn_linear *linear, const sn_krylov *krylov, const sn_operator *op, const double *b, double *x,
                         double *scratch) {
    const double goal = linear->options.tolerance * sn_vector_norm(linear->context, op->n, b);
    sn_krylov_report report;
    const double start = thread_seconds();
    sn_krylov_run(krylov, op, &sn_preconditioner_ssor, linear->data, &linear->filter.filter, b, x, goal, 5000, scratch,
                  &report);
    return thread_seconds() - start;
}

/* Counts the passes of both methods, and times them and their parts. The last solve was one with SSOR. */
static sn_status measure_work(sn_linear *linear, const double *b, int repeats, solver_result *result, sn_error *error) {
    const size_t n = 3 * (size_t)linear->model.nodes;
    const int vectors =
        sn_krylov_eisenstat.vectors > sn_krylov_cg.vectors ? sn_krylov_eisenstat.vectors : sn_krylov_cg.vectors;
    /* Aligned as the library aligns its own: otherwise chance decides over a quarter of the time of small matrices. */
    double *right = sn_allocate_zero(linear->context, (size_t)(vectors + 3) * n + 4 * (size_t)sn_dot_scratch((int)n),
                                     sizeof *right);
    if (!right) return sn_no_memory(error);
    double *x = right + n, *scratch = right + 3 * n;
    sn_ssor *ssor = linear->data;
    memcpy(right, b, n * sizeof *right);
    sn_filter_apply(&linear->filter.filter, right);
    int64_t products = 0;
    const counted self = {linear->context, &linear->matrix, &products};
    const sn_operator op = sn_operator_of_matrix(linear->context, &linear->matrix, linear->diagonal, true);
    const sn_operator counting = {
        .context = linear->context, .n = (int)n, .apply = counted_product, .self = &self, .symmetric = true};
    const sn_krylov *const krylov[] = {[SSOR] = &sn_krylov_cg, [EISENSTAT] = &sn_krylov_eisenstat};
    for (int s = SSOR; s <= EISENSTAT; ++s) {
        const int64_t before = ssor->halves;
        products = 0;
        run_method(linear, krylov[s], &counting, right, x, scratch);
        result->passes[s] = (double)products + 0.5 * (double)(ssor->halves - before);
        result->krylov[s] = INFINITY;
    }
    for (int k = 0; k < repeats; ++k) /* in turn: other work on the machine disturbs both */
        for (int s = SSOR; s <= EISENSTAT; ++s)
            result->krylov[s] = fmin(result->krylov[s], run_method(linear, krylov[s], &op, right, x, scratch));
    result->product = result->sweeps = INFINITY;
    for (int k = 0; k < repeats; ++k) {
        double start = thread_seconds();
        sn_matrix_product(linear->context, &linear->matrix, right, x);
        result->product = fmin(result->product, thread_seconds() - start);
        start = thread_seconds();
        sn_ssor_forward(ssor, right, x);
        sn_ssor_backward(ssor, x, NULL);
        result->sweeps = fmin(result->sweeps, thread_seconds() - start);
    }
    sn_release(linear->context, right);
    return SN_OK;
}

/* ---- One matrix ---- */
/* Solves with one solver: the first solve makes the matrix and the factor or preconditioner, the second has them. */
static sn_status solve_one(sn_world *world, int s, double h, const double *b, double *x, int times,
                           solver_result *result, sn_linear_report *report, sn_error *error) {
    sn_linear *linear = world->workspace.linear;
    const size_t n = 3 * (size_t)result->nodes;
    sn_solver_options options = sn_world_solver_options(world);
    snprintf(options.method, sizeof options.method, "%s", solver[s].method);
    snprintf(options.preconditioner, sizeof options.preconditioner, "%s",
             *solver[s].preconditioner ? solver[s].preconditioner : "auto");
    sn_status status = sn_linear_options(linear, &options, error);
    result->setup[s] = result->solve[s] = INFINITY;
    for (int k = 0; k < times && !status; ++k) {
        double seconds[2] = {0};
        sn_linear_refresh(linear);
        for (int again = 0; again < 2 && !status; ++again) {
            memset(x, 0, n * sizeof *x);
            const double start = thread_seconds();
            status = sn_linear_solve(linear, 1 / (h * h), 1 / h, 1, sn_interactions_filter(world, NULL), b, x,
                                     options.tolerance, report, error);
            seconds[again] = thread_seconds() - start;
        }
        result->setup[s] = fmin(result->setup[s], seconds[0] - seconds[1]);
        result->solve[s] = fmin(result->solve[s], seconds[1]);
    }
    return status;
}

/* Solves the system of the next step. The last matrix of a case is solved by all solvers, with times; the others by the
 * iterative ones. */
static sn_status solve_all(experiment_run *run, sn_world *world, double h, const solver_case *c, bool last,
                           solver_result *result, sn_error *error) {
    sn_system *system = &world->workspace.system.base;
    const size_t n = (size_t)system->count;
    double *b = calloc(2 * n, sizeof *b), *x = b + n;
    if (!b) return sn_no_memory(error);
    system->table->begin(system, world->state.time, world->state.x, world->state.v);
    const sn_request request = {.t = world->state.time + h,
                                .x = world->state.x,
                                .v = world->state.v,
                                .force = b,
                                .linearise = SN_LINEARISE_EXACT};
    sn_status status = system->table->evaluate(system, &request, &(sn_result){0}, error);
    system->table->mass_product(system, world->state.v, x);
    for (size_t i = 0; i < n; ++i) b[i] += x[i] / h;
    const bool large = result->nodes > 1000;
    for (int s = 0; s < (last && c->printed[0] > 0 ? SOLVERS : CHOLESKY) && !status; ++s) {
        if (s == CHOLESKY && !sn_direct_find("cholesky")) continue;
        const int times = !last || (s >= CHOLESKY && large) ? 1 : run->quick ? 3 : 10;
        sn_linear_report report;
        status = solve_one(world, s, h, b, x, times, result, &report, error);
        result->iterations[s] += (double)report.iterations / (s < CHOLESKY ? c->matrices : 1);
        if (!status && s == SSOR && last)
            status = measure_work(world->workspace.linear, b, large ? 10 : 100, result, error);
    }
    system->table->end(system, NULL);
    free(b);
    return status;
}

/* The surface of the liver-like body, for a mesh that is fitted to it. */
static sn_status write_liver(experiment_run *run, sn_error *error) {
    const sn_generator_value value[2] = {{.name = "radius", .count = 3, .value = {0.1, 0.15, 0.1}},
                                         {.name = "cells", .count = 1, .value = {8}}};
    char path[1100];
    snprintf(path, sizeof path, "%s/liver.obj", run->out);
    sn_mesh *mesh = NULL;
    sn_status status = sn_mesh_generate(run->context, "sphere", value, 2, &mesh, error);
    if (!status) status = sn_mesh_write(mesh, path, NULL, error);
    sn_mesh_destroy(mesh);
    return status;
}

static sn_status run_case(experiment_run *run, const solver_case *c, solver_result *result, sn_error *error) {
    char body[2000];
    snprintf(body, sizeof body, c->body, run->out);
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_status status = experiment_scene(
        run, &scene, &world, error,
        "{\"sinew\": 1, \"time\": {\"step\": %g, \"newton\": {\"kind\": \"one-step\"}}, \"solver\": {\"tolerance\": "
        "1e-6, \"precision\": \"double\", \"iterations\": 5000}, \"bodies\": [{%s, \"material\": {\"law\": "
        "\"corotated\", \"young\": %g, \"poisson\": 0.45, \"density\": 1000}}]%s}",
        c->step, body, c->young, c->world);
    if (status) return status;
    *result = (solver_result){.nodes = sn_world_node_count(world), .tets = sn_world_element_count(world)};
    if (c->printed[0] > 0) status = measure_fill(world, result, error);
    for (int i = 0; i < c->matrices && !status; ++i) {
        status = sn_world_step(world, NULL, error);
        if (!status) status = solve_all(run, world, c->step, c, i == c->matrices - 1, result, error);
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static sn_status write_tables(experiment_run *run, const solver_result *result, sn_error *error) {
    FILE *table = experiment_table(run, "solvers.csv",
                                   "scene,nodes,tets,solver,iterations,passes,setup_seconds,solve_seconds", error);
    if (!table) return SN_IO;
    for (int c = 0; c < CASES; ++c)
        for (int s = 0; s < (c <= OCTASECTED ? SOLVERS : CHOLESKY); ++s)
            fprintf(table, "%s,%d,%d,%s,%.4g,%g,%.6g,%.6g\n", cases[c].name, result[c].nodes, result[c].tets,
                    solver[s].label, result[c].iterations[s], result[c].passes[s], result[c].setup[s],
                    result[c].solve[s]);
    fclose(table);
    table = experiment_table(run, "iterations.csv", "scene,diag,block,ic0,ict,ssor,eisenstat", error);
    if (!table) return SN_IO;
    for (int c = 0; c < CASES; ++c) {
        const double *i = result[c].iterations;
        fprintf(table, "%s,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g\n", cases[c].name, i[DIAG], i[BLOCK], i[IC0], i[ICT], i[SSOR],
                i[EISENSTAT]);
    }
    fclose(table);
    table = experiment_table(run, "fill.csv", "scene,matrix_blocks,natural,minimum_degree", error);
    if (!table) return SN_IO;
    for (int c = 0; c <= OCTASECTED; ++c)
        fprintf(table, "%s,%lld,%lld,%lld\n", cases[c].name, (long long)result[c].matrix, (long long)result[c].natural,
                (long long)result[c].reduced);
    fclose(table);
    experiment_plot(
        run, "iterations.svg",
        "set style data histogram\nset style fill solid 0.8\nset ylabel 'iterations to 1e-6'\nset key outside\n"
        "plot for [i=2:7] 'iterations.csv' using i:xtic(1) title columnheader(i)");
    return SN_OK;
}

static void claim_pattern(experiment_run *run, const solver_result *r, const solver_case *c) {
    char id[64];
    const double *i = r->iterations, *printed = c->printed;
    const bool order = i[DIAG] > i[BLOCK] && i[BLOCK] > i[SSOR] && i[SSOR] > i[IC0] && i[IC0] > i[ICT];
    snprintf(id, sizeof id, "%s-order", c->name);
    experiment_claim(run, id, i[BLOCK] / i[DIAG], "diag > block > SSOR > IC(0) > IC(1e-2)", order,
                     "%s (document): diag %.4g (%g), block-diag %.4g (%g), IC(0) %.4g (%g), IC(1e-2) %.4g (%g), SSOR "
                     "%.4g (%g), Eisenstat %.4g (%g) iterations",
                     c->name, i[DIAG], printed[DIAG], i[BLOCK], printed[BLOCK], i[IC0], printed[IC0], i[ICT],
                     printed[ICT], i[SSOR], printed[SSOR], i[EISENSTAT], printed[EISENSTAT]);
    const double half = i[SSOR] / i[DIAG], third = i[IC0] / i[DIAG];
    snprintf(id, sizeof id, "%s-ssor", c->name);
    experiment_claim(run, id, half, "0.3 to 0.55", half > 0.3 && half < 0.55,
                     "iterations of SSOR by those of the diagonal (the document: 0.37 to 0.49)");
    snprintf(id, sizeof id, "%s-ic0", c->name);
    experiment_claim(run, id, third, "0.2 to 0.4", third > 0.2 && third < 0.4,
                     "iterations of IC(0), here by 3x3 blocks, by those of the diagonal (the document: 0.30 to 0.36)");
    const double work = r->passes[EISENSTAT] / r->passes[SSOR], time = r->krylov[EISENSTAT] / r->krylov[SSOR];
    snprintf(id, sizeof id, "%s-eisenstat-work", c->name);
    experiment_claim(
        run, id, work, "< 0.63", work < 0.63,
        "counted passes over the matrix, Eisenstat's implementation (%g) by CG with SSOR (%g) (work in the "
        "document: 0.46 to 0.63)",
        r->passes[EISENSTAT], r->passes[SSOR]);
    snprintf(id, sizeof id, "%s-eisenstat-time", c->name);
    experiment_claim(run, id, time, "< 0.95", time < 0.95,
                     "processor time of the same two; a pass of sweeps takes %.2f times as long as a product, because "
                     "each node waits for its neighbours: by the parts %.2f",
                     r->sweeps / r->product, r->sweeps / (r->sweeps + r->product));
    snprintf(id, sizeof id, "%s-fill", c->name);
    const double fill = (double)r->reduced / (double)r->natural;
    experiment_claim(run, id, fill, "< 0.75", fill < 0.75,
                     "fill-in of minimum degree by that of the natural order (blocks: matrix %lld, %lld, %lld)",
                     (long long)r->matrix, (long long)r->natural, (long long)r->reduced);
}

/* The cause of more iterations of the diagonal blocks than of the diagonal. */
static void claim_turn(experiment_run *run, const solver_result *along, const solver_result *turned) {
    const double *a = along->iterations, *t = turned->iterations;
    const double diagonal = t[DIAG] / a[DIAG], block = t[BLOCK] / a[BLOCK];
    experiment_claim(run, "diagonal-by-axes", diagonal, "> 1.05, blocks within 0.03 of 1",
                     diagonal > 1.05 && fabs(block - 1) < 0.03 && a[BLOCK] > a[DIAG] && t[BLOCK] < t[DIAG],
                     "a cube of 24576 tets turned by 35 degrees, over the same along the axes: diag %g over %g, "
                     "block-diag %g over %g",
                     t[DIAG], a[DIAG], t[BLOCK], a[BLOCK]);
    experiment_note(run, "until now all meshes lay along the axes; diag and block-diag needed 93 and 102 iterations "
                         "(sphere), 41 and 42 (liver), 104 and 111 (cube), and the limit was block < 1.15 diag; the "
                         "limits of SSOR were 0.3 to 0.65, of IC(0) 0.1 to 0.5");
    experiment_note(run, "until now Eisenstat's work was a formula, 8 dim + nnz against 6 dim + 2 nnz per iteration, "
                         "which gave 0.56 to 0.57 whatever the solver did; its limits were 0.4 to 0.66");
    experiment_note(
        run, "until now the vectors of the timed solves were not aligned as those of the library are: "
             "sphere-eisenstat-time was 0.76 or 0.96, by chance. The two methods were timed one after the other: "
             "cube-eisenstat-time was 0.68 to 1.09 on a busy machine. Both are 0.68 to 0.79 in six runs now");
}

static double best_iterative(const solver_result *r, int solves) {
    double best = INFINITY;
    for (int s = DIAG; s <= EISENSTAT; ++s) best = fmin(best, r->setup[s] + solves * r->solve[s]);
    return best;
}

static double best_direct(const solver_result *r, int solves) {
    double best = r->setup[LDLT] + solves * r->solve[LDLT];
    if (r->iterations[CHOLESKY] > 0) best = fmin(best, r->setup[CHOLESKY] + solves * r->solve[CHOLESKY]);
    return best;
}

static sn_status measure(experiment_run *run, sn_error *error) {
    solver_result result[CASES];
    sn_status status = write_liver(run, error);
    for (int c = 0; c < CASES && !status; ++c) {
        status = run_case(run, &cases[c], &result[c], error);
        experiment_progress(run, (c + 1.0) / CASES);
    }
    if (!status) status = write_tables(run, result, error);
    if (status) return status;
    for (int c = 0; c <= OCTASECTED; ++c) claim_pattern(run, &result[c], &cases[c]);
    claim_turn(run, &result[ALONG], &result[TURNED]);
    const solver_result *sphere = &result[SPHERE], *cube = &result[OCTASECTED];
    const double small = best_direct(sphere, SOLVES) / best_iterative(sphere, SOLVES);
    const double large = best_direct(cube, 1) / best_iterative(cube, 1);
    experiment_claim(run, "direct-small", small, "< 1", small < 1,
                     "sphere: time of a factor with %d solves by that of the best iterative solver", SOLVES);
    experiment_claim(run, "iterative-large", large, "> 1", large > 1,
                     "cube: time of a factor with one solve by that of the best iterative solver; with %d solves %.2f",
                     SOLVES, best_direct(cube, SOLVES) / best_iterative(cube, SOLVES));
    experiment_note(
        run,
        "meshes: sphere %d tets, %d nodes (document 175, 70), liver-like ellipsoid %d, %d (2616, 739), cube "
        "%d, %d (24576, 4913); material and step are ours, the document does not print them; the sphere has "
        "the mean of 20 matrices of its fall",
        sphere->tets, sphere->nodes, result[LIVER].tets, result[LIVER].nodes, cube->tets, cube->nodes);
    experiment_note(run, "Eisenstat's method here stops by the true residual, so that its iterations are those of "
                         "SSOR; the document's go on a little longer");
    return SN_OK;
}

static sn_status run_experiment(experiment_run *run, sn_error *error) { return run_on_one_thread(run, measure, error); }

const experiment experiment_hauth_solvers = {
    "hauth-solvers", "iterations, work and fill-in of the linear solvers on three matrices",
    "Hauth 3.4, tables 3.3 to 3.5", run_experiment,
    "sphere-order sphere-ssor sphere-ic0 sphere-eisenstat-work time:sphere-eisenstat-time "
    "sphere-fill liver-order liver-ssor liver-ic0 liver-eisenstat-work time:liver-eisenstat-time "
    "liver-fill cube-order cube-ssor cube-ic0 cube-eisenstat-work time:cube-eisenstat-time cube-fill "
    "diagonal-by-axes time:direct-small time:iterative-large"};
