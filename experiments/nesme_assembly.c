/* nesme-assembly: time of a step against the number of CG iterations, with the matrix assembled and without (Nesme, 3).
 *
 * Assembly costs time before the first iteration. Then a product with the matrix costs less than a product through the
 * elements. So there are two straight lines that cross. The body has 8x8x8 nodes. There is no preconditioner. A
 * tolerance that cannot be reached forces the same number of iterations. The law is Nesme's: a frame on the edges of
 * the element, and the strain-displacement matrix of the present shape. */
#include <math.h>
#include <stdlib.h>

#include "experiment.h"
#include "timing.h"

enum { COUNTS = 7 };

static sn_status make_body(experiment_run *run, bool assembled, int iterations, sn_world **world, sn_error *error) {
    sn_scene *scene = NULL;
    const sn_status status = experiment_scene(
        run, &scene, world, error,
        "{\"sinew\": 1, \"time\": {\"step\": 0.03, \"newton\": {\"kind\": "
        "\"one-step\"}}, \"solver\": {\"method\": \"cg\", "
        "\"preconditioner\": \"none\", \"operator\": \"%s\", \"precision\": "
        "\"%s\", \"tolerance\": 1e-13, \"iterations\": %d, "
        "\"warm_start\": false}, \"bodies\": [{\"mesh\": {\"box\": {\"size\": [1, 1, "
        "1], \"cells\": [7, 7, 7], \"split\": 6}}, "
        "\"material\": "
        "{\"law\": \"corotated-updated\", \"rotation\": \"edge\", \"young\": 1e7, \"poisson\": 0.45, \"density\": "
        "1000}, \"fix\": [{\"select\": {\"box\": [[-1, -1, -1], "
        "[0.001, 2, "
        "2]]}}]}]}",
        assembled ? "assembled" : "assembly-free", assembled ? "double" : "auto", iterations);
    sn_scene_destroy(scene);
    return status;
}

/* A point of a line: a body and the times of its steps. */
typedef struct point {
    sn_world *world;
    stopwatch watch;
    int iterations; /* that a step really took */
} point;

/* All bodies take their steps in turn. */
static sn_status take_steps(point points[2][COUNTS], int repeats, sn_error *error) {
    sn_status status = SN_OK;
    for (int r = 0; r < repeats && !status; ++r)
        for (int n = 0; n < 2 * COUNTS && !status; ++n) {
            point *p = &points[n / COUNTS][n % COUNTS];
            sn_step_report report;
            status = stopwatch_step(&p->watch, p->world, &report, error);
            p->iterations = report.linear_iterations;
        }
    return status;
}

static sn_status measure(experiment_run *run, sn_error *error) {
    static const int count[COUNTS] = {5, 10, 20, 40, 60, 80, 100};
    point points[2][COUNTS] = {0};
    double x[2][COUNTS], y[2][COUNTS];
    int tets = 0;
    FILE *table = experiment_table(
        run, "steps.csv", "assembled_iterations,assembled_seconds,assembly_free_iterations,assembly_free_seconds",
        error);
    if (!table) return SN_IO;
    sn_status status = SN_OK;
    for (int n = 0; n < 2 * COUNTS && !status; ++n) {
        point *p = &points[n / COUNTS][n % COUNTS];
        status = make_body(run, n < COUNTS, count[n % COUNTS], &p->world, error);
        if (!status) tets = sn_world_element_count(p->world);
    }
    if (!status) status = take_steps(points, run->quick ? 25 : 100, error);
    for (int n = 0; n < 2 * COUNTS; ++n) {
        point *p = &points[n / COUNTS][n % COUNTS];
        x[n / COUNTS][n % COUNTS] = p->iterations;
        y[n / COUNTS][n % COUNTS] = stopwatch_fastest(&p->watch, 1);
        stopwatch_release(&p->watch);
        sn_world_destroy(p->world);
    }
    for (int i = 0; i < COUNTS && !status; ++i) fprintf(table, "%g,%.8g,%g,%.8g\n", x[0][i], y[0][i], x[1][i], y[1][i]);
    fclose(table);
    if (status) return status;
    const line_fit with = fit_line(COUNTS, x[0], y[0]), without = fit_line(COUNTS, x[1], y[1]);
    const double crossing = (with.intercept - without.intercept) / (without.slope - with.slope);
    experiment_plot(
        run, "steps.svg",
        "set xlabel 'CG iterations'\nset ylabel 'time of a step, ms'\nset key left top\nplot 'steps.csv' using "
        "1:($2*1000) skip 1 with "
        "linespoints title 'assembled', '' using 3:($4*1000) skip 1 with linespoints title 'assembly-free'");
    experiment_claim(run, "assembled-line", with.r2, "> 0.95", with.r2 > 0.95,
                     "assembled: %.3f ms and %.4f ms per iteration; squared correlation with a straight line",
                     1e3 * with.intercept, 1e3 * with.slope);
    experiment_claim(run, "assembly-free-line", without.r2, "> 0.95", without.r2 > 0.95,
                     "assembly-free: %.3f ms and %.4f ms per iteration; squared correlation with a straight line",
                     1e3 * without.intercept, 1e3 * without.slope);
    experiment_claim(run, "slopes", without.slope / with.slope, "> 1", without.slope > with.slope,
                     "an iteration through the elements by one with the matrix");
    experiment_claim(
        run, "crossing", crossing, "0 to 50", crossing > 0 && crossing < 50,
        "iterations from which assembling pays: about 50 in the document, fewer here, where assembling costs little");
    experiment_note(
        run,
        "%d tets, 6 per cell (the document: 3430, both 5-splits overlaid); assembly-free products use stresses and "
        "rotations that are prepared once per linearisation",
        tets);
    experiment_note(run, "the law is corotated-updated with the rotation edge, the document's method; with the law "
                         "corotated and polar rotations, as before version 0.2.0, the crossing was at 5.6 iterations");
    return SN_OK;
}

static sn_status run_experiment(experiment_run *run, sn_error *error) { return run_on_one_thread(run, measure, error); }

const experiment experiment_nesme_assembly = {
    "nesme-assembly", "time of a step against CG iterations, assembled and assembly-free", "Nesme 3", run_experiment,
    "time:assembled-line time:assembly-free-line time:slopes time:crossing"};
