/* Hauth's third example: a cube that hangs from its top face, on finer and finer meshes (Hauth 5.3.1, table 5.3).
 *
 * Cube of 0.1 m, density 1000, StVK with lambda = mu = 1 kPa, viscous 0.1 kPa s each, g = 10, cells of six tets (Kuhn):
 * 6, 48, 384, 3072, 24576. The document runs bdf3 with steps of 1 ms to 10 s, when the cube is at rest. Here statics
 * finds the equilibrium on every mesh. On the coarse meshes bdf3 runs to 10 s too, to show that it reaches the
 * equilibrium. The reference, 13.78 mm, comes from another program with quadratic tets.
 *
 * The split into tets breaks the symmetry of the four lower corners. Two corners lie on the diagonal direction of the
 * cells; their drops are an upper and a lower bound of the answer. The other two corners (mixed) are equal by symmetry.
 * The comparison uses a mixed corner. */
#include <math.h>

#include "hauth.h"
#include "timing.h"

static const double reference = 13.78;

#define CUBE(mesh)                                                                                                     \
    "\"gravity\": [0, -10, 0], \"bodies\": [ { \"name\": \"cube\", \"mesh\": { \"box\": { \"size\": [0.1, 0.1, 0.1], " \
    "\"cells\": [" mesh "], \"split\": 6 } }, \"material\": { \"law\": \"stvk\", \"lame\": [1e3, 1e3], \"density\": "  \
    "1000, \"viscous\": { \"lambda\": 100, "                                                                           \
    "\"mu\": 100 } }, \"fix\": [ { \"select\": { \"box\": [[-1, 0.0999999, -1], [1, 1, 1]] } } ] } ]"

/* The drops of the lower corners (0, 0), (1, 0) and (1, 1) in mm. The fourth drop equals the second. */
static sn_status equilibrium(experiment_run *run, int cells, double drop[3], sn_error *error) {
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_status status = experiment_scene(run, &scene, &world, error,
                                        "{ \"sinew\": 1, \"time\": { \"mode\": \"static\", \"load_steps\": 2, "
                                        "\"newton\": { \"iterations\": 40, \"tolerance\": 1e-9 "
                                        "} }, \"solver\": { \"tolerance\": 1e-10 }, " CUBE(
                                            "%d, %d, %d") ", \"probes\": [ { \"name\": \"a\", \"nearest\": [0, 0, "
                                                          "0] }, { \"name\": \"b\", \"nearest\": [0.1, 0, 0] }, { "
                                                          "\"name\": \"d\", \"nearest\": [0.1, 0, 0.1] } ] }",
                                        cells, cells, cells);
    if (status) return status;
    status = sn_world_step(world, NULL, error);
    for (int i = 0; i < 3 && !status; ++i) {
        double value[6];
        int count;
        status = sn_world_probe(world, i, value, &count, error);
        drop[i] = -1000 * value[1];
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

/* The drop of the mixed corner after 10 s with bdf3. */
static sn_status fall(experiment_run *run, const char *scene, int cells, double *drop, sn_error *error) {
    sn_context *context = NULL;
    sn_status status = one_thread(run, &context, error);
    if (status) return status;
    hauth_case cube = {.scene = scene, .end = 10};
    const hauth_setting setting = {.method = "bdf3",
                                   .steps = run->quick ? 1000 : 10000,
                                   .newton = 1e-8,
                                   .solver = "auto",
                                   .preconditioner = "auto",
                                   .linear = 1e-8};
    hauth_outcome outcome;
    status = hauth_simulate(context, &cube, &setting, &outcome, NULL, NULL, error);
    if (!status && outcome.status) status = sn_fail(error, outcome.status, "bdf3: %s", outcome.message);
    if (!status) *drop = -1000 * cube.position[3 * cells + 1];
    hauth_release(&cube);
    sn_context_destroy(context);
    return status;
}

static sn_status compare_motion(experiment_run *run, const double *drop, sn_error *error) {
    static const char *const scene[] = {CUBE("1, 1, 1"), CUBE("2, 2, 2"), CUBE("4, 4, 4")};
    double worst = 0;
    const int count = run->quick ? 2 : 3;
    for (int i = 0; i < count; ++i) {
        double at_rest = 0;
        const sn_status status = fall(run, scene[i], 1 << i, &at_rest, error);
        if (status) return status;
        worst = fmax(worst, fabs(at_rest / drop[i] - 1));
        experiment_progress(run, 0.3 + 0.6 * (i + 1) / count);
    }
    experiment_claim(run, "comes-to-rest", worst, "< 1e-5", worst < 1e-5,
                     "largest relative difference between bdf3 at 10 s (step %g s, up to %d tets) and the equilibrium",
                     run->quick ? 0.01 : 0.001, 6 << 3 * (count - 1));
    return SN_OK;
}

static sn_status run_cube(experiment_run *run, sn_error *error) {
    enum { LEVELS = 5 };
    static const double printed[LEVELS] = {4.26, 5.65, 2.95, 0.66, 0.15};
    FILE *table = experiment_table(
        run, "drops.csv", "tets,first corner (mm),mixed corner (mm),last corner (mm),error (%),printed (%)", error);
    if (!table) return error->status;
    double mixed[LEVELS] = {0}, errors[LEVELS] = {0};
    for (int i = 0; i < LEVELS; ++i) {
        double drop[3];
        const sn_status status = equilibrium(run, 1 << i, drop, error);
        if (status) {
            fclose(table);
            return status;
        }
        mixed[i] = drop[1], errors[i] = 100 * fabs(drop[1] / reference - 1);
        fprintf(table, "%d,%.5f,%.5f,%.5f,%.3f,%.2f\n", 6 << 3 * i, drop[0], drop[1], drop[2], errors[i], printed[i]);
        experiment_progress(run, 0.3 * (i + 1) / LEVELS);
    }
    fclose(table);
    bool falls = true;
    for (int i = 1; i < LEVELS; ++i) falls = falls && errors[i] < errors[i - 1];
    experiment_claim(run, "falls", errors[0] / errors[LEVELS - 1], "falls on every mesh", falls,
                     "the error of the mixed corner falls with every octasection: %.2f, %.2f, %.2f, %.2f, %.2f %%",
                     errors[0], errors[1], errors[2], errors[3], errors[4]);
    experiment_claim(run, "at-3072", mixed[3], "13.88 to 13.89 mm, rounded", mixed[3] > 13.875 && mixed[3] < 13.895,
                     "drop with 3072 tets, mm");
    experiment_claim(run, "at-24576", errors[4], "< 0.3 %", errors[4] < 0.3,
                     "error with 24576 tets: %.3f mm against %.2f mm", mixed[4], reference);
    experiment_note(run, "the first rise of the document's column (4.26 to 5.65 %%) belongs to its coarsest mesh and "
                         "does not appear here");
    const sn_status status = compare_motion(run, mixed, error);
    experiment_plot(run, "drops.svg",
                    "set title 'A hanging cube: drop of its lower corners'\nset logscale x\nset xlabel 'tets'\nset "
                    "ylabel 'drop (mm)'\nset yrange "
                    "[9:18.5]\nset xrange [4:40000]\nplot 13.78 with lines dashtype 2 lc rgb '#555555' title '13.78 "
                    "mm, another code', "
                    "'drops.csv' using 1:2 every ::1 with linespoints pt 5 ps 0.6 lc rgb '#c0392b' title 'first "
                    "corner', '' using 1:3 every ::1 "
                    "with linespoints pt 7 ps 0.8 lw 2 lc rgb '#1f4e9c' title 'mixed corners', '' using 1:4 every ::1 "
                    "with linespoints pt 9 ps 0.7 lc "
                    "rgb "
                    "'#1b8a5a' title 'last corner'");
    return status;
}

const experiment experiment_hauth_cube = {"hauth-cube", "a hanging cube on finer and finer meshes",
                                          "Hauth 5.3.1, table 5.3", run_cube, "falls at-3072 at-24576 comes-to-rest"};
