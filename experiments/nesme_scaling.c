/* nesme-scaling: the time of a step grows linearly with the number of tets, with a fixed number of CG iterations
 * (Nesme, 4). The law is Nesme's: a frame on the edges of the element, and the strain-displacement matrix of the
 * present shape. */
#include <math.h>

#include "experiment.h"
#include "timing.h"

enum { SIZES = 7, QUICK = 5, ROUNDS = 2 };

static sn_status time_step(experiment_run *run, const char *operator_, int cells, int repeats, double *seconds,
                           int *tets, sn_error *error) {
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_status status =
        experiment_scene(run, &scene, &world, error,
                         "{\"sinew\": 1, \"time\": {\"step\": 0.03, \"newton\": {\"kind\": "
                         "\"one-step\"}}, \"solver\": {\"method\": \"cg\", "
                         "\"preconditioner\": \"diagonal\", \"operator\": \"%s\", \"tolerance\": 1e-13, "
                         "\"iterations\": 20, \"warm_start\": false}, "
                         "\"bodies\": [{\"mesh\": {\"box\": {\"size\": [1, 1, 1], \"cells\": [%d, %d, "
                         "%d], \"split\": 5}}, \"material\": {\"law\": \"corotated-updated\", \"rotation\": \"edge\", "
                         "\"young\": 1e7, \"poisson\": 0.45, \"density\": 1000}, \"fix\": [{\"select\": "
                         "{\"box\": [[-1, -1, -1], [0.001, 2, 2]]}}]}]}",
                         operator_, cells, cells, cells);
    if (status) return status;
    *tets = sn_world_element_count(world);
    stopwatch watch = {0};
    sn_step_report report;
    for (int i = 0; i < repeats && !status; ++i) status = stopwatch_step(&watch, world, &report, error);
    *seconds = fmin(*seconds, stopwatch_fastest(&watch, 1));
    stopwatch_release(&watch);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static sn_status measure(experiment_run *run, sn_error *error) {
    static const int cells[SIZES] = {5, 7, 9, 12, 16, 20, 26};
    static const char *const name[2] = {"assembled", "assembly-free"};
    const int sizes = run->quick ? QUICK : SIZES;
    double x[SIZES], y[2][SIZES], lx[SIZES], ly[SIZES];
    FILE *table = experiment_table(run, "scaling.csv", "tets,assembled_seconds,assembly_free_seconds", error);
    if (!table) return SN_IO;
    sn_status status = SN_OK;
    for (int i = 0; i < sizes && !status; ++i) {
        int tets = 0;
        y[0][i] = y[1][i] = INFINITY;
        for (int k = 0; k < 2 * ROUNDS && !status; ++k)
            status = time_step(run, name[k % 2], cells[i], run->quick ? 5 : 10, &y[k % 2][i], &tets, error);
        x[i] = tets, lx[i] = log(x[i]);
        fprintf(table, "%d,%.8g,%.8g\n", tets, y[0][i], y[1][i]);
        experiment_progress(run, (i + 1.0) / sizes);
    }
    fclose(table);
    if (status) return status;
    experiment_plot(run, "scaling.svg",
                    "set logscale xy\nset xlabel 'tets'\nset ylabel 'time of a step, ms'\nset key left top\nplot "
                    "'scaling.csv' using 1:($2*1000) "
                    "skip 1 with linespoints title 'assembled', '' using 1:($3*1000) skip 1 with linespoints title "
                    "'assembly-free'");
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < sizes; ++i) ly[i] = log(y[k][i]);
        const line_fit power = fit_line(sizes, lx, ly);
        experiment_claim(
            run, name[k], power.slope, "0.8 to 1.25", power.slope > 0.8 && power.slope < 1.25,
            "time of a step with 20 CG iterations grows as tets to this power; %.2f ms at %.0f tets, %.2f ms at %.0f",
            1e3 * y[k][0], x[0], 1e3 * y[k][sizes - 1], x[sizes - 1]);
    }
    return SN_OK;
}

static sn_status run_experiment(experiment_run *run, sn_error *error) { return run_on_one_thread(run, measure, error); }

const experiment experiment_nesme_scaling = {"nesme-scaling", "time of a step against the number of tets", "Nesme 4",
                                             run_experiment, "time:assembled time:assembly-free"};
