/* Civit 3.3.5, experiment 4: with too few iterations of the linear solver a stiff body moves in slow motion. The solid
 * beam has E from 1e3 to 1e6 and the hybrid differential. CG has 10, 20, 40 or unlimited iterations. The experiment
 * records the gravitational energy over time and the time of its first minimum.
 *
 * At E = 1e6 the beam creeps: within 4 s it reaches a tenth of m g l by its slow motion or by an instability. There the
 * measure of the slow motion is the gravitational energy that was lost in the first quarter of a second. */
#include "civit.h"

enum { MODULI = 4, LIMITS = 4 };
static const double young[MODULI] = {1e3, 1e4, 1e5, 1e6};
static const int limit[LIMITS] = {10, 20, 40, 5000};

typedef struct course {
    double low;   /* s: first minimum of the gravitational energy */
    double fall;  /* s: until the energy has fallen by a tenth of m g l */
    double early; /* J: energy that was lost until `EARLY` */
} course;

static const double EARLY = 0.25; /* s */

static sn_status follow(experiment_run *run, double E, int iterations, int newton, double end, FILE *courses,
                        course *out, sn_error *error) {
    sn_scene *scene;
    sn_world *world;
    sn_status status = experiment_scene(
        run, &scene, &world, error,
        "{\"sinew\": 1, \"gravity\": [0, -100, 0], \"time\": {\"method\": \"implicit-euler\", \"step\": "
        "0.016666666666666666, \"end\": %g,"
        " \"newton\": {\"kind\": \"fixed\", \"iterations\": %d}},"
        " \"solver\": {\"method\": \"%s\", \"preconditioner\": \"none\", \"iterations\": %d, \"tolerance\": 1e-3},"
        " \"bodies\": [{\"mesh\": {\"box\": {\"size\": [2.1, 0.6, 0.6], \"cells\": [6, 3, 3], \"split\": 6}, \"move\": "
        "[0, -0.6, 0]},"
        " \"fix\": [{\"select\": {\"box\": [[-1e-6, -1e-6, -1], [1e-6, 1e-6, 1]]}}],"
        " \"material\": {\"law\": \"corotated\", \"young\": %g, \"poisson\": 0.35, \"density\": %.17g, \"rotation\": "
        "\"isvd\", "
        "\"differential\": \"hybrid\"}}]}",
        end, newton, "cg", iterations, E, 1.6 / (2.1 * 0.6 * 0.6));
    if (status) return status;
    double before = 0, first = 0;
    double *low = &out->low, *fall = &out->fall;
    *low = *fall = -1;
    while (!status) {
        sn_energies e;
        status = sn_world_energies(world, &e, error);
        const double t = sn_world_time(world);
        if (t == 0) first = before = e.gravity;
        fprintf(courses, "%g,%d,%d,%g,%g\n", E, iterations, newton, t, e.gravity);
        if (*fall < 0 && e.gravity < first - 0.1 * 1.6 * 100 * 2.1) *fall = t;
        if (*low < 0 && *fall >= 0 && e.gravity > before) *low = t;
        before = e.gravity;
        if (t <= EARLY + 1e-9) out->early = first - e.gravity;
        if (t > end - 1e-9) break;
        if (!status) status = sn_world_step(world, NULL, error);
    }
    if (*low < 0) *low = end;
    if (*fall < 0) *fall = end;
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static sn_status run_stiffness(experiment_run *run, sn_error *error) {
    const double end = run->quick ? 1.5 : 4;
    FILE *courses = experiment_table(run, "stiffness.csv", "young,iterations,newton,time,gravity", error);
    FILE *table = courses ? experiment_table(run, "lows.csv", "young,iterations,newton,low,fall,early", error) : NULL;
    if (!courses || !table) return SN_IO;
    double low[MODULI][LIMITS][2], fall[MODULI][LIMITS][2], early[MODULI][LIMITS][2];
    sn_status status = SN_OK;
    enum { NEWTONS = 2 }; /* 1 and 4 Newton iterations */
    for (int m = 0; m < MODULI && !status; ++m)
        for (int l = 0; l < LIMITS && !status; ++l)
            for (int n = 0; n < NEWTONS && !status; ++n) {
                course c = {0};
                status = follow(run, young[m], limit[l], n ? 4 : 1, end, courses, &c, error);
                low[m][l][n] = c.low, fall[m][l][n] = c.fall, early[m][l][n] = c.early;
                fprintf(table, "%g,%d,%d,%g,%g,%g\n", young[m], limit[l], n ? 4 : 1, c.low, c.fall, c.early);
                experiment_progress(run, (m * LIMITS + l + 1) / (double)(MODULI * LIMITS));
            }
    fclose(courses);
    fclose(table);
    if (status) return status;
    const int stiff = 2; /* E = 1e5 */
    experiment_claim(run, "few-slow-down", fall[stiff][0][0] / fall[stiff][3][0], "> 1.1",
                     fall[stiff][0][0] > 1.1 * fall[stiff][3][0],
                     "E = 1e5: time to fall by a tenth of m g l with 10 iterations (%.3g s; the run ends at %g s) over "
                     "unlimited (%.3g s)",
                     fall[stiff][0][0], end, fall[stiff][3][0]);
    const bool restores = fall[stiff][2][0] < fall[stiff][1][0] && fall[stiff][1][0] <= fall[stiff][0][0] &&
                          fall[stiff][3][0] <= fall[stiff][2][0];
    experiment_claim(run, "more-restore", fall[stiff][2][0] / fall[stiff][0][0], "< 1, falling 10, 20, 40", restores,
                     "E = 1e5: the same time with 40 iterations over 10 (20: %.3g s, 40: %.3g s)", fall[stiff][1][0],
                     fall[stiff][2][0]);
    experiment_claim(run, "frequency-restored", fabs(low[1][2][0] - low[1][3][0]), "< 0.02, one step",
                     fabs(low[1][2][0] - low[1][3][0]) < 0.02,
                     "E = 1e4: s between the first low of the swing with 40 iterations and unlimited (10: %.3g s, 20: "
                     "%.3g s, unlimited: %.3g s)",
                     low[1][0][0], low[1][1][0], low[1][3][0]);
    experiment_claim(run, "soft-needs-few", fabs(low[0][0][0] - low[0][3][0]), "< 0.02, one step",
                     fabs(low[0][0][0] - low[0][3][0]) < 0.02,
                     "E = 1e3: s between the first low with 10 iterations and unlimited (%.3g s)", low[0][3][0]);
    bool grows = true;
    for (int m = 1; m < MODULI; ++m) grows = grows && fall[m][0][0] >= fall[m - 1][0][0];
    experiment_claim(
        run, "grows-with-stiffness", fall[3][0][0] / fall[0][0][0], "> 1, rising with E",
        grows && fall[3][0][0] > fall[0][0][0],
        "the slow-down by 10 iterations grows with E: time to fall at 1e6 over 1e3 (%.3g, %.3g, %.3g, %.3g s)",
        fall[0][0][0], fall[1][0][0], fall[2][0][0], fall[3][0][0]);
    experiment_claim(run, "linear-before-newton", fall[stiff][2][0] / fall[stiff][0][1], "<= 1",
                     fall[stiff][2][0] <= fall[stiff][0][1],
                     "E = 1e5: time to fall with 40 iterations of one Newton step over that with 10 iterations of "
                     "four, the same work");
    double(*slow)[2] = early[3];
    experiment_claim(run, "few-slow-down-1e6", slow[0][0] / slow[3][0], "< 0.1", slow[0][0] < 0.1 * slow[3][0],
                     "E = 1e6: energy lost by %g s with 10 iterations (%.3g J) over unlimited (%.3g J)", EARLY,
                     slow[0][0], slow[3][0]);
    experiment_claim(
        run, "more-restore-1e6", slow[2][0] / slow[0][0], "> 2, rising 10, 20, 40, unlimited",
        slow[2][0] > 2 * slow[0][0] && slow[1][0] > slow[0][0] && slow[2][0] > slow[1][0] && slow[3][0] > slow[2][0],
        "E = 1e6: the same energy with 40 iterations over 10 (20: %.3g J, 40: %.3g J)", slow[1][0], slow[2][0]);
    experiment_claim(run, "linear-before-newton-1e6", slow[2][0] / slow[0][1], ">= 1", slow[2][0] >= slow[0][1],
                     "E = 1e6: the same energy with 40 iterations of one Newton step over that with 10 iterations of "
                     "four (%.3g J), the same work",
                     slow[0][1]);
    experiment_note(run,
                    "the claims at E = 1e6 judge the first %g s: the time to fall by a tenth of m g l is %.3g, %.3g, "
                    "%.3g and %.3g s with 10, 20, 40 and unlimited iterations, because 20 iterations turn unstable",
                    EARLY, fall[3][0][0], fall[3][1][0], fall[3][2][0], fall[3][3][0]);
    char script[4000];
    int at = snprintf(
        script, sizeof script,
        "set terminal svg size 1300,900 font 'sans,12' background '#ffffff'\nset output 'stiffness.svg'\nset multiplot "
        "layout 2,2\nset xlabel 'time in s'\nset ylabel 'gravitational energy in J'\n");
    for (int m = 0; m < MODULI; ++m) {
        at += snprintf(script + at, sizeof script - (size_t)at,
                       "set title 'E = %g Pa, one Newton step of 1/60 s'\nplot ", young[m]);
        for (int l = 0; l < LIMITS; ++l)
            at += snprintf(
                script + at, sizeof script - (size_t)at,
                "%s'stiffness.csv' using ($1 == %g && $2 == %d && $3 == 1 ? $4 : NaN):5 with lines lw 1.5 title '%s'",
                l ? ", " : "", young[m], limit[l],
                l == 0   ? "10 iterations"
                : l == 1 ? "20"
                : l == 2 ? "40"
                         : "unlimited");
        at += snprintf(script + at, sizeof script - (size_t)at, "\n");
    }
    experiment_plot(run, "stiffness.svg", script);
    return SN_OK;
}

const experiment experiment_civit_stiffness = {
    "civit-stiffness", "slow motion of stiff bodies with too few solver iterations", "Civit 3.3.5, experiment 4",
    run_stiffness,
    "few-slow-down more-restore frequency-restored soft-needs-few grows-with-stiffness "
    "linear-before-newton few-slow-down-1e6 more-restore-1e6 linear-before-newton-1e6"};
