/* Mueller 4.1: three bars under gravity: linear, warped per vertex, and nonlinear (Green's strain). The experiment
 * measures the volume over time and the cost of a step; also for a longer bar. */
#include <math.h>
#include <stdlib.h>

#include "measure.h"

enum { KINDS = 3, EDGES = 3 }; /* the last kind: warped by rotations from edges, as in the document */
static const char *const kind_name[KINDS] = {"linear", "warped", "green"};
static const char *const kind_law[KINDS + 1] = {"\"law\": \"linear\"", "\"law\": \"linear\", \"warping\": \"svd\"",
                                                "\"law\": \"stvk\", \"differential\": \"exact\"",
                                                "\"law\": \"linear\", \"warping\": \"edges\""};

static sn_status make_bar(experiment_run *run, int cells, int kind, double damping, double step, sn_world **world,
                          sn_error *error) {
    sn_scene *scene = NULL;
    const sn_status status = experiment_scene(
        run, &scene, world, error,
        "{\"sinew\": 1, \"time\": {\"step\": %g, \"newton\": {\"kind\": \"one-step\"}}, \"solver\": {\"method\": "
        "\"cg\", "
        "\"tolerance\": 1e-4},"
        " \"bodies\": [{\"mesh\": {\"box\": {\"size\": [%g, 0.3, 0.3], \"cells\": [%d, 3, 3], \"split\": 5}},"
        " \"material\": {%s, \"young\": %g, \"poisson\": 0.33, \"density\": 1000, \"rayleigh\": {\"mass\": %g}},"
        " \"fix\": [{\"select\": {\"box\": [[-1, -1, -1], [1e-6, 1, 1]]}}]}]}",
        step, 0.1 * cells, cells, kind_law[kind], kind == EDGES ? 1e6 : 3e5, damping);
    sn_scene_destroy(scene);
    return status;
}

typedef struct bar {
    double growth, shrink; /* largest and smallest V / V0 - 1 */
    double drop;           /* m: drop of the tip at the end */
    double seconds, fastest;
    int retries;
    sn_status status;
} bar;

/* Runs a bar. Writes the volume after each step to `volume` (may be NULL). */
static sn_status run_bar(experiment_run *run, int cells, int kind, double damping, double h, int steps, double *volume,
                         bar *out, sn_error *error) {
    sn_world *world = NULL;
    sn_status status = make_bar(run, cells, kind, damping, h, &world, error);
    *out = (bar){.seconds = INFINITY};
    if (status) return status;
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    const double rest = measure_volume(mesh, mesh->position);
    for (int i = 0; i < steps && !out->status && out->fastest < 1e3; ++i) {
        double seconds;
        out->status = measure_steps(world, 1, &seconds, &out->retries, NULL);
        if (i >= 5) out->seconds = fmin(out->seconds, seconds);
        double *x = measure_positions(world, 0);
        if (!x) return sn_fail(error, SN_NO_MEMORY, "out of memory");
        const double change = measure_volume(mesh, x) / rest - 1;
        out->growth = fmax(out->growth, change), out->shrink = fmin(out->shrink, change);
        out->drop = mesh->position[3 * (mesh->node_count - 1) + 1] - x[3 * (mesh->node_count - 1) + 1];
        if (volume) volume[i] = 1 + change;
        free(x);
        out->fastest = fmax(out->fastest, measure_speed(world, 0));
    }
    sn_world_destroy(world);
    return SN_OK;
}

static sn_status run_bars(experiment_run *run, sn_error *error) {
    const int steps = run->quick ? 100 : 300;
    bar bars[KINDS];
    double *volume = calloc((size_t)(KINDS * steps), sizeof *volume);
    if (!volume) return sn_fail(error, SN_NO_MEMORY, "out of memory");
    sn_status status = SN_OK;
    for (int k = 0; k < KINDS && !status; ++k) {
        status = run_bar(run, 10, k, 0.5, 0.01, steps, volume + (size_t)(k * steps), &bars[k], error);
        experiment_progress(run, (k + 1) / 6.0);
    }
    FILE *table = status ? NULL : experiment_table(run, "volume.csv", "time,linear,warped,green", error);
    for (int i = 0; i < steps && table; ++i)
        fprintf(table, "%g,%.9g,%.9g,%.9g\n", 0.01 * (i + 1), volume[i], volume[steps + i], volume[2 * steps + i]);
    free(volume);
    if (!table) return status ? status : error->status;
    fclose(table);
    experiment_plot(
        run, "volume.svg",
        "set xlabel 'time (s)'; set ylabel 'volume / rest volume'; set key top left\n"
        "plot for [i=2:4] 'volume.csv' using 1:i skip 1 with lines lw 2 title word('linear warped green', i-1)");
    experiment_note(run,
                    "bar 1 x 0.3 x 0.3 m, 450 tets, 4 x 4 x 11 vertices; E 3e5 Pa (not legible in the document); tip "
                    "drop %.3g m linear, %.3g m warped",
                    bars[0].drop, bars[1].drop);
    experiment_claim(run, "linear-grows", bars[0].growth, "> 0.05", bars[0].growth > 0.05,
                     "largest growth of the linear bar's volume");
    for (int k = 1; k < KINDS; ++k) {
        const double off = fmax(bars[k].growth, -bars[k].shrink);
        char id[32];
        snprintf(id, sizeof id, "%s-keeps", kind_name[k]);
        experiment_claim(run, id, off, "< 0.25 of linear", off < 0.25 * bars[0].growth,
                         "largest change of the %s bar's volume", kind_name[k]);
    }
    const double warped = bars[1].seconds / bars[0].seconds, green = bars[2].seconds / bars[0].seconds;
    experiment_claim(run, "cost-warped", warped, "1 to the nonlinear one (document 1.2)",
                     warped > 0.8 && warped < green, "time of a warped step by that of a linear one (%.2f ms)",
                     1e3 * bars[0].seconds);
    experiment_claim(run, "cost-green", green, "> warped (document 2.4)", green > warped,
                     "time of a nonlinear step by that of a linear one");
    bar longer[KINDS];
    for (int k = 0; k < KINDS; ++k) {
        status = run_bar(run, 17, k, 0.5, 0.01, run->quick ? 150 : 500, NULL, &longer[k], error);
        if (status) return status;
        experiment_progress(run, (k + 4) / 6.0);
    }
    for (int k = 0; k < 2; ++k) {
        char id[32];
        snprintf(id, sizeof id, "long-%s-stable", kind_name[k]);
        const bool stable = !longer[k].status && longer[k].retries == 0 && longer[k].fastest < 20;
        experiment_claim(run, id, longer[k].fastest, "no failed step, < 20 m/s", stable,
                         "largest node speed, 765 tets at 10 ms (%d cut steps)", longer[k].retries);
    }
    bar damped[2], free_bar;
    for (int k = 0; k < 2 && !status; ++k)
        status = run_bar(run, k ? 17 : 10, EDGES, 5, 0.01, run->quick ? 150 : 500, NULL, &damped[k], error);
    if (!status) status = run_bar(run, 17, EDGES, 0.5, 0.01, run->quick ? 150 : 500, NULL, &free_bar, error);
    if (status) return status;
    for (int k = 0; k < 2; ++k)
        experiment_claim(
            run, k ? "edges-long-stable" : "edges-stable", damped[k].fastest, "no failed step, < 20 m/s",
            !damped[k].status && damped[k].retries == 0 && damped[k].fastest < 20,
            "frames from edges, 1e6 Pa, a damping of 5/s, %d tets at 10 ms: largest node speed (tip drop %.3g m)",
            k ? 765 : 450, damped[k].drop);
    experiment_note(run,
                    "frames from edges are the document's for its bars, with a modulus that may be read as 1e6 Pa and "
                    "a damping without a "
                    "number. With 0.5/s, which frames from all edges (svd) bear, the long bar reaches %.3g m/s: these "
                    "forces have no energy, "
                    "and neither other edges nor smaller steps keep them from feeding the motion",
                    free_bar.fastest);
    experiment_note(
        run,
        "the long nonlinear bar with one exact Newton step at 10 ms: status %s, %d cut steps, fastest node %.3g m/s",
        sn_status_name(longer[2].status), longer[2].retries, longer[2].fastest);
    return SN_OK;
}

const experiment experiment_muller_bars = {
    "muller-bars", "bars under gravity: linear, warped stiffness, nonlinear", "Mueller 4.1", run_bars,
    "linear-grows warped-keeps green-keeps cost-warped cost-green long-linear-stable "
    "long-warped-stable edges-stable edges-long-stable"};
