/* Hauth 5.3.3: examples 3 (a hanging cube) and 4 (a cantilever) with meshes of masses, springs and dampers. Topics:
 * distortion by the mesh, wrong oscillations, three strategies of damping, and the speed compared with finite
 * elements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* The cube of example 3: lambda = mu = 1 kPa, so E = 2.5 kPa. It hangs from its top face. `body`: keys for element and
 * damping. */
static sn_status make_cube(experiment_run *run, const char *mesh, const char *element, const char *material, double h,
                           sn_world **world, sn_error *error) {
    sn_scene *scene = NULL;
    const sn_status status = experiment_scene(
        run, &scene, world, error,
        "{\"sinew\": 1, \"gravity\": [0, -10, 0], \"time\": {\"method\": \"bdf3\", \"step\": %g, \"newton\": "
        "{\"kind\": "
        "\"full\", \"iterations\": 20}},"
        " \"bodies\": [{\"mesh\": %s, \"element\": \"%s\", \"material\": {%s, \"lame\": [1000, 1000], \"density\": "
        "1000},"
        " \"fix\": [{\"select\": {\"normal\": [0, 1, 0]}}]}],"
        " \"probes\": [{\"name\": \"bottom\", \"select\": {\"normal\": [0, -1, 0]}, \"quantity\": \"displacement\"}]}",
        h, mesh, element, material);
    sn_scene_destroy(scene);
    return status;
}

typedef struct cube {
    double drop, side; /* m: drop and sideways shift of the mean of the bottom face, at rest */
    double swing;      /* m: largest sideways motion of this mean before */
    int reversals;     /* how often the drop changed direction, by more than a hundredth of itself */
    double seconds;    /* per step */
    sn_status status;
} cube;

static sn_status run_cube(experiment_run *run, const char *mesh, const char *element, const char *material, double end,
                          FILE *table, const char *name, cube *out, sn_error *error) {
    sn_world *world = NULL;
    const double h = run->quick ? 0.004 : 0.002;
    sn_status status = make_cube(run, mesh, element, material, h, &world, error);
    if (status) return status;
    *out = (cube){.seconds = INFINITY};
    double turning = 0, direction = 1; /* the last extreme, and the direction of the drop since then */
    while (sn_world_time(world) < end - 1e-9 && !out->status) {
        double value[6], seconds;
        int count;
        out->status = measure_steps(world, 1, &seconds, NULL, NULL);
        if (sn_world_steps(world) > 5) out->seconds = fmin(out->seconds, seconds);
        status = sn_world_probe(world, 0, value, &count, error);
        if (status) break;
        out->drop = -value[1], out->side = hypot(value[0], value[2]);
        out->swing = fmax(out->swing, out->side);
        if (direction * (out->drop - turning) > 0)
            turning = out->drop;
        else if (fabs(out->drop - turning) > 1.5e-4)
            turning = out->drop, direction = -direction, ++out->reversals;
        if (table && sn_world_steps(world) % 5 == 0)
            fprintf(table, "%s,%g,%.6g,%.6g\n", name, sn_world_time(world), 1e3 * out->drop, 1e3 * value[0]);
    }
    sn_world_destroy(world);
    return status;
}

/* ---- Example 3 ---- */
static sn_status distortion(experiment_run *run, sn_error *error) {
    static const struct {
        const char *name, *mesh;
    } meshes[] = {{"6", "{\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [1, 1, 1], \"split\": 6}}"},
                  {"48", "{\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [1, 1, 1], \"split\": 6}, \"refine\": 1}"},
                  {"384", "{\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [1, 1, 1], \"split\": 6}, \"refine\": 2}"},
                  {"320 (5 per cell)", "{\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [4, 4, 4], \"split\": 5}}"}};
    enum { MESHES = sizeof meshes / sizeof *meshes };
    FILE *table =
        experiment_table(run, "distortion.csv", "mesh,springs_drop_mm,springs_side_mm,fem_drop_mm,fem_side_mm", error);
    if (!table) return error->status;
    double bias[MESHES], least = INFINITY, most = 0, fem_most = 0;
    sn_status status = SN_OK;
    for (int m = 0; m < MESHES && !status; ++m) {
        cube springs, fem;
        status = run_cube(run, meshes[m].mesh, "springs", "\"law\": \"corotated\", \"springs\": {\"quality\": 0.25}", 3,
                          NULL, "", &springs, error);
        if (!status)
            status =
                run_cube(run, meshes[m].mesh, "tet4", "\"law\": \"stvk\", \"viscous\": {\"lambda\": 100, \"mu\": 100}",
                         3, NULL, "", &fem, error);
        if (status) break;
        bias[m] = springs.side / springs.drop;
        least = fmin(least, bias[m]), most = fmax(most, bias[m]), fem_most = fmax(fem_most, fem.side / fem.drop);
        fprintf(table, "%s,%.6g,%.6g,%.6g,%.6g\n", meshes[m].name, 1e3 * springs.drop, 1e3 * springs.side,
                1e3 * fem.drop, 1e3 * fem.side);
        experiment_note(run,
                        "%s tets: springs drop %.2f mm and go %.2f mm sideways; finite elements %.2f mm and %.2f mm",
                        meshes[m].name, 1e3 * springs.drop, 1e3 * springs.side, 1e3 * fem.drop, 1e3 * fem.side);
        experiment_progress(run, 0.3 * (m + 1) / MESHES);
    }
    fclose(table);
    if (status) return status;
    experiment_claim(run, "distorted", bias[2], "> 0.02", bias[2] > 0.02,
                     "sideways motion of the bottom by its drop, 384 tets from one cube of six");
    experiment_claim(run, "by-the-mesh", most - least, "> 0.1", most - least > 0.1,
                     "largest less smallest such ratio over four meshes of one cube");
    experiment_claim(run, "more-than-fem", bias[2] / fem_most, "> 1.5", bias[2] > 1.5 * fem_most,
                     "that of springs by the worst of finite elements");
    return SN_OK;
}

static sn_status damping(experiment_run *run, sn_error *error) {
    static const struct {
        const char *name, *element, *material;
    } tries[] = {{"uniform high", "springs", "\"law\": \"corotated\", \"springs\": {\"damper\": %g}"},
                 {"uniform low", "springs", "\"law\": \"corotated\", \"springs\": {\"damper\": %g}"},
                 {"stiffness high", "springs", "\"law\": \"corotated\", \"rayleigh\": {\"stiffness\": %g}"},
                 {"stiffness low", "springs", "\"law\": \"corotated\", \"rayleigh\": {\"stiffness\": %g}"},
                 {"quality high", "springs", "\"law\": \"corotated\", \"springs\": {\"quality\": %g}"},
                 {"quality low", "springs", "\"law\": \"corotated\", \"springs\": {\"quality\": %g}"},
                 {"fem low", "tet4", "\"law\": \"stvk\", \"viscous\": {\"lambda\": %g, \"mu\": 5}"}};
    enum { TRIES = sizeof tries / sizeof *tries };
    const double E = 2500;
    /* Three strategies. Uniform: d = c E, where c is chosen for this mesh. By stiffness: d = k/3 and k/15. By quality:
     * 0.1 and 0.25 as printed. */
    const double value[TRIES] = {E / 1000, E / 15000, 1.0 / 3, 1.0 / 15, 0.1, 0.25, 5};
    static const char mesh[] =
        "{\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [1, 1, 1], \"split\": 6}, \"refine\": 2}";
    FILE *table = experiment_table(run, "damping.csv", "strategy,time,drop_mm,side_mm", error);
    if (!table) return error->status;
    cube result[TRIES];
    sn_status status = SN_OK;
    for (int i = 0; i < TRIES && !status; ++i) {
        char material[160];
        snprintf(material, sizeof material, tries[i].material, value[i]);
        status = run_cube(run, mesh, tries[i].element, material, run->quick ? 2 : 5, table, tries[i].name, &result[i],
                          error);
        experiment_progress(run, 0.3 + 0.4 * (i + 1) / TRIES);
    }
    fclose(table);
    if (status) return status;
    experiment_plot(run, "damping.svg",
                    "set xlabel 'time (s)'; set ylabel 'drop of the bottom (mm)'\n"
                    "plot for [s in '\"uniform high\" \"uniform low\" \"stiffness high\" \"stiffness low\" \"quality "
                    "high\" \"quality "
                    "low\" \"fem low\"']"
                    " 'damping.csv' using (strcol(1) eq s ? $2 : 1/0):3 skip 1 with lines title s");
    double least = INFINITY;
    for (int s = 0; s < 3; ++s) {
        char id[40];
        snprintf(id, sizeof id, "%.*s-damps", (int)(strchr(tries[2 * s].name, ' ') - tries[2 * s].name),
                 tries[2 * s].name);
        const int high = result[2 * s].reversals, low = result[2 * s + 1].reversals;
        experiment_claim(run, id, high, "fewer than, or none as, with low",
                         !result[2 * s].status && !result[2 * s + 1].status && (high < low || high + low == 0),
                         "reversals of the drop in %g s with high damping; low: %d", run->quick ? 2.0 : 5.0, low);
        least = fmin(least, result[2 * s + 1].swing / result[2 * s + 1].drop);
    }
    const double fem = result[6].swing / result[6].drop;
    experiment_claim(run, "wrong-oscillations", least / fem, "> 1.5", least > 1.5 * fem,
                     "sideways motion of springs on the way, least over the strategies (%.3g of the drop), by that of "
                     "finite elements (%.3g)",
                     least, fem);
    return SN_OK;
}

static sn_status speed(experiment_run *run, sn_error *error) {
    const char *mesh = run->quick ? "{\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [8, 8, 8], \"split\": 6}}"
                                  : "{\"box\": {\"size\": [0.1, 0.1, 0.1], \"cells\": [8, 8, 8], \"split\": 6}}";
    double seconds[3];
    static const char *const material[3] = {"\"law\": \"corotated\", \"springs\": {\"quality\": 0.25}",
                                            "\"law\": \"stvk\", \"viscous\": {\"lambda\": 100, \"mu\": 100}",
                                            "\"law\": \"corotated\", \"viscous\": {\"lambda\": 100, \"mu\": 100}"};
    for (int k = 0; k < 3; ++k) {
        cube out;
        const sn_status status =
            run_cube(run, mesh, k ? "tet4" : "springs", material[k], run->quick ? 0.1 : 0.2, NULL, "", &out, error);
        if (status) return status;
        seconds[k] = out.seconds;
    }
    experiment_claim(
        run, "faster", seconds[1] / seconds[0], ">= 2 (document 2 to 3)", seconds[1] >= 2 * seconds[0],
        "step of finite elements (stvk, %.2f ms) by one of springs (%.2f ms), 3072 tets; corotated elements: %.2f",
        1e3 * seconds[1], 1e3 * seconds[0], seconds[2] / seconds[0]);
    return SN_OK;
}

/* ---- Example 4 ---- */
static sn_status cantilever(experiment_run *run, sn_error *error) {
    FILE *table = experiment_table(run, "cantilever.csv", "cells_along,springs_tip_mm", error);
    if (!table) return error->status;
    const double reference = 0.1337; /* quadratic tets, converged */
    double tip[2] = {0};
    sn_status status = SN_OK;
    for (int fine = 0; fine < 2 && !status; ++fine) {
        sn_scene *scene = NULL;
        sn_world *world = NULL;
        const int n = fine ? (run->quick ? 9 : 12) : 6;
        status = experiment_scene(
            run, &scene, &world, error,
            "{\"sinew\": 1, \"gravity\": [0, -1, 0], \"time\": {\"step\": 0.02}, \"bodies\": [{\"mesh\": {\"box\": "
            "{\"size\": [0.3, 0.1, "
            "0.1],"
            " \"cells\": [%d, %d, %d], \"split\": 6}}, \"element\": \"springs\", \"material\": {\"lame\": [3e5, 3e3], "
            "\"density\": 1000,"
            " \"springs\": {\"quality\": 0.5}}, \"fix\": [{\"select\": {\"box\": [[-1, -1, -1], [1e-6, 1, 1]]}}]}],"
            " \"probes\": [{\"name\": \"tip\", \"nearest\": [0.3, 0.05, 0.05], \"quantity\": \"displacement\"}]}",
            n, n / 3, n / 3);
        sn_scene_destroy(scene);
        if (status) break;
        for (int i = 0; i < (run->quick ? 300 : 1000) && !status; ++i) status = sn_world_step(world, NULL, error);
        double value[6];
        int count;
        if (!status) status = sn_world_probe(world, 0, value, &count, error);
        tip[fine] = -value[1];
        if (!status) fprintf(table, "%d,%.6g\n", n, 1e3 * tip[fine]);
        sn_world_destroy(world);
        experiment_progress(run, 0.9 + 0.05 * fine);
    }
    fclose(table);
    if (status) return status;
    experiment_claim(run, "coarse-too-stiff", tip[0] / reference, "< 0.9", tip[0] < 0.9 * reference,
                     "tip drop of the coarse spring beam (%.1f mm; finer: %.1f mm) by the converged 133.7 mm",
                     1e3 * tip[0], 1e3 * tip[1]);
    const double off = fabs(tip[1] / reference - 1);
    experiment_claim(run, "not-the-beam", off, "> 0.05", off > 0.05,
                     "error of the finer spring beam's drop: the constants do not make it the material");
    return SN_OK;
}

static sn_status run_springs(experiment_run *run, sn_error *error) {
    sn_status status = distortion(run, error);
    if (!status) status = damping(run, error);
    if (!status) status = speed(run, error);
    if (!status) status = cantilever(run, error);
    experiment_note(run, "damping: the uniform dampers are E/1000 and E/15000 N s/m here (the document's E/100 and "
                         "E/1500 belong to its own units of k); "
                         "the two free triangulations of the document are replaced by a mesh of five tets per cell");
    return status;
}

const experiment experiment_hauth_springs = {"hauth-springs",
                                             "a hung cube and a cantilever of springs: what the mesh does to them",
                                             "Hauth 5.3.3, appendix B", run_springs};
