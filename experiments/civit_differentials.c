/* Civit 3.3.5, experiments 1 to 3: cost and energy loss of the approximate stress differentials.
 *
 * A beam is held at its upper left corner (plane) or edge (solid). It swings under 100 m/s2 without damping. The
 * experiment records the total energy over time for every differential, step and number of Newton iterations. Implicit
 * Euler can only lose energy, so a rise of the energy is a sign of instability. */
#include <time.h>

#include "civit.h"

static const char *const kinds[] = {"exact", "truncated-1", "truncated-2", "hybrid", "projected"};
enum { EXACT, FIRST, SECOND, HYBRID, PROJECTED, KINDS, STEPS = 4, NEWTON = 4, SAMPLES = 151 };
static const int rate[STEPS] = {30, 60, 120, 240}, newton[NEWTON] = {1, 2, 4, 8};

typedef struct beam {
    const char *name, *body;
    int linear; /* most iterations of the linear solver; 0: unlimited */
} beam;

static const beam beams[] = {
    {"plane",
     "\"mesh\": {\"rectangle\": {\"size\": [2.1, 0.6], \"cells\": [24, 12]}, \"move\": [0, -0.6, 0]}, \"element\": "
     "\"tri3\","
     " \"fix\": [{\"select\": {\"box\": [[-1e-6, -1e-6, -1], [1e-6, 1e-6, 1]]}}], ",
     0},
    {"plane 10",
     "\"mesh\": {\"rectangle\": {\"size\": [2.1, 0.6], \"cells\": [24, 12]}, \"move\": [0, -0.6, 0]}, \"element\": "
     "\"tri3\","
     " \"fix\": [{\"select\": {\"box\": [[-1e-6, -1e-6, -1], [1e-6, 1e-6, 1]]}}], ",
     10},
    {"solid 10",
     "\"mesh\": {\"box\": {\"size\": [2.1, 0.6, 0.6], \"cells\": [6, 3, 3], \"split\": 6}, \"move\": [0, -0.6, 0]},"
     " \"fix\": [{\"select\": {\"box\": [[-1e-6, -1e-6, -1], [1e-6, 1e-6, 1]]}}], ",
     10},
};
static const double mass[] = {5, 5, 1.6}, poisson[] = {0.3, 0.3, 0.35};

typedef struct swing {
    double energy[SAMPLES]; /* J, at equal times */
    double seconds, gain;   /* processor time in s; sum of all rises of the energy */
    double loss;            /* lost energy, mean over time */
    int retries, linear;
    bool refused; /* the judge of a step ended the run: the energy grew and no force explained it */
} swing;

static sn_status follow(experiment_run *run, int b, int kind, int hertz, int iterations, double end, swing *out,
                        sn_error *error) {
    sn_scene *scene;
    sn_world *world;
    const double volume = b < 2 ? 2.1 * 0.6 : 2.1 * 0.6 * 0.6;
    sn_status status = experiment_scene(
        run, &scene, &world, error,
        "{\"sinew\": 1, \"gravity\": [0, -100, 0], \"time\": {\"method\": \"implicit-euler\", \"step\": %.17g, "
        "\"end\": %g,"
        " \"newton\": {\"kind\": \"fixed\", \"iterations\": %d}},"
        " \"solver\": {\"method\": \"%s\", \"preconditioner\": \"none\", \"operator\": \"assembly-free\", "
        "\"iterations\": %d, "
        "\"tolerance\": 1e-3},"
        " \"bodies\": [{%s \"material\": {\"law\": \"corotated\", \"young\": 1000, \"poisson\": %g, \"density\": %.17g,"
        " \"rotation\": \"isvd\", \"differential\": \"%s\"}}]}",
        1.0 / hertz, end, iterations, kind == EXACT ? civit_indefinite_solver() : "cg",
        beams[b].linear ? beams[b].linear : 5000, beams[b].body, poisson[b], mass[b] / volume, kinds[kind]);
    if (status) return status;
    *out = (swing){0};
    const int steps = (int)lround(end * hertz);
    double last = 0, first = 0;
    int sample = 0;
    for (int i = 0; i <= steps && !status && !out->refused; ++i) {
        sn_energies e;
        status = sn_world_energies(world, &e, error);
        if (i == 0) first = last = e.total;
        out->gain += fmax(0, e.total - last);
        last = e.total;
        for (; sample <= (int64_t)i * (SAMPLES - 1) / steps; ++sample) out->energy[sample] = e.total;
        sn_step_report report;
        if (!status && i < steps) {
            const clock_t began = clock();
            status = sn_world_step(world, &report, error);
            out->seconds += (double)(clock() - began) / CLOCKS_PER_SEC;
            out->retries += report.retries, out->linear += report.linear_iterations;
            out->refused = status == SN_NOT_CONVERGED;
            if (out->refused) status = SN_OK;
        }
    }
    for (; sample < SAMPLES; ++sample) out->energy[sample] = last;
    for (int i = 0; i < SAMPLES; ++i) out->loss += (first - out->energy[i]) / SAMPLES;
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

/* The difference of two energy curves, relative to the largest possible swing: m g times the length. */
static double apart(const swing *a, const swing *b, double scale) {
    double sum = 0;
    for (int i = 0; i < SAMPLES; ++i) sum += fabs(a->energy[i] - b->energy[i]) / SAMPLES;
    return sum / scale;
}

static void plot(experiment_run *run, const char *name, int steps, int iterations) {
    char script[40000], file[60];
    snprintf(file, sizeof file, "energy_%.5s_%s.svg", name, strstr(name, "10") ? "limited" : "unlimited");
    int at = snprintf(script, sizeof script,
                      "set terminal svg size 1500,1100 font 'sans,11' background '#ffffff'\nset output '%s'\nset "
                      "multiplot layout %d,%d "
                      "title 'Total energy in J over time in s: %s'\n",
                      file, steps, iterations, name);
    for (int s = 0; s < steps; ++s)
        for (int n = 0; n < iterations; ++n) {
            at += snprintf(script + at, sizeof script - (size_t)at, "set title 'step 1/%d s, Newton %d'\n%s\nplot ",
                           rate[s], newton[n], s + n ? "unset key" : "set key bottom left");
            for (int k = 0; k < KINDS; ++k)
                at += snprintf(script + at, sizeof script - (size_t)at,
                               "%s'energy.csv' using (strcol(1) eq '%s' && strcol(2) eq '%s' && $3 == %d && $4 == %d ? "
                               "$5 : NaN):6 with "
                               "lines lw 1.5 title '%s'",
                               k ? ", " : "", name, kinds[k], rate[s], newton[n], kinds[k]);
            at += snprintf(script + at, sizeof script - (size_t)at, "\n");
        }
    experiment_plot(run, file, script);
}

static sn_status run_differentials(experiment_run *run, sn_error *error) {
    const double end = run->quick ? 1.5 : 4;
    const int steps = STEPS, most = run->quick ? 2 : NEWTON;
    FILE *courses = experiment_table(run, "energy.csv", "beam,differential,rate,newton,time,energy", error);
    FILE *table = courses ? experiment_table(run, "differentials.csv",
                                             "beam,differential,rate,newton,loss,gain,seconds,linear,retries", error)
                          : NULL;
    swing *all = calloc((size_t)KINDS * STEPS * NEWTON, sizeof *all);
    if (!courses || !table || !all) {
        free(all);
        return SN_IO;
    }
    sn_status status = SN_OK;
    enum { BEAMS = 3 };
    for (int b = 0; b < BEAMS && !status; ++b) {
        const int iterations = b == 0 ? most : 2; /* with a limited linear solver: 1 and 2 */
        const double scale = mass[b] * 100 * 2.1;
        for (int k = 0; k < KINDS && !status; ++k)
            for (int s = 0; s < steps && !status; ++s)
                for (int n = 0; n < iterations && !status; ++n) {
                    swing *w = &all[(k * STEPS + s) * NEWTON + n];
                    status = follow(run, b, k, rate[s], newton[n], end, w, error);
                    if (status) break;
                    fprintf(table, "\"%s\",%s,%d,%d,%g,%g,%g,%d,%d\n", beams[b].name, kinds[k], rate[s], newton[n],
                            w->loss, w->gain, w->seconds, w->linear, w->retries);
                    for (int i = 0; i < SAMPLES; ++i)
                        fprintf(courses, "\"%s\",%s,%d,%d,%g,%g\n", beams[b].name, kinds[k], rate[s], newton[n],
                                end * i / (SAMPLES - 1), w->energy[i]);
                    experiment_progress(run, (b + (k * steps + s) / (double)(KINDS * steps)) / BEAMS);
                }
        if (status) break;
#define AT(k, s, n) (&all[((k)*STEPS + (s)) * NEWTON + (n)])
        double difference[STEPS * NEWTON], worst = 0, exact_cost = 0, hybrid_cost = 0, second = 0, calm = 0;
        double exact_linear = 0, hybrid_linear = 0, solves = 0, once = 0;
        int runs = 0, refused[KINDS] = {0};
        for (int s = 0; s < steps; ++s)
            for (int n = 0; n < iterations; ++n) {
                for (int k = 0; k < KINDS; ++k) refused[k] += AT(k, s, n)->refused;
                if (n > 0) once = fmax(once, apart(AT(EXACT, s, n), AT(EXACT, s, 0), scale));
                const double d = apart(AT(HYBRID, s, n), AT(EXACT, s, n), scale);
                worst = fmax(worst, d);
                int at = runs++;
                for (; at > 0 && difference[at - 1] > d; --at) difference[at] = difference[at - 1];
                difference[at] = d;
                if (newton[n] <= 2) { /* compare runs with the same number of solves */
                    exact_cost += AT(EXACT, s, n)->seconds, hybrid_cost += AT(HYBRID, s, n)->seconds;
                    exact_linear += AT(EXACT, s, n)->linear, hybrid_linear += AT(HYBRID, s, n)->linear;
                    solves += end * rate[s] * newton[n];
                }
                second = fmax(second, AT(SECOND, s, n)->gain / scale),
                calm = fmax(calm, AT(HYBRID, s, n)->gain / scale);
            }
        const double median = difference[runs / 2];
        char id[60];
        const char *tag = b == 0 ? "plane" : b == 1 ? "plane-10" : "solid-10";
        snprintf(id, sizeof id, "%s-hybrid-as-exact", tag);
        const bool whole = beams[b].linear || refused[HYBRID] + refused[EXACT] == 0;
        experiment_claim(run, id, median, "< 0.05, no run of full solves refused", median < 0.05 && whole,
                         "%s: energy of hybrid against exact, mean over time by m g l, median of %d steps and "
                         "iterations (worst %.3g)",
                         beams[b].name, runs, worst);
        if (!beams[b].linear) {
            double back = 0;
            snprintf(id, sizeof id, "%s-hybrid-worst", tag);
            experiment_claim(run, id, worst, "< 0.2", worst < 0.2,
                             "%s: the same, the worst of all steps and iterations; with 10 linear iterations every "
                             "differential gains energy at some step",
                             beams[b].name);
            for (int s = 0; s < steps; ++s) back = fmax(back, AT(EXACT, s, 0)->gain / scale);
            snprintf(id, sizeof id, "%s-exact-once", tag);
            experiment_claim(
                run, id, once, "< 0.05", once < 0.05,
                "%s: energy of exact with one Newton step against that with more, mean over time by m g l, "
                "the worst of all steps (document: more iterations gain nothing); energy that comes back with "
                "one Newton step: %.3g m g l",
                beams[b].name, back);
        }
        snprintf(id, sizeof id, "%s-hybrid-cheaper", tag);
        experiment_claim(run, id, hybrid_cost / exact_cost, "< 0.8", hybrid_cost < 0.8 * exact_cost,
                         "%s: cost of hybrid with CG over exact with MINRES (document: about 0.5, most of it by the "
                         "terms of dR; here these "
                         "are in a closed form), %.3g over %.3g linear iterations per solve",
                         beams[b].name, hybrid_linear / solves, exact_linear / solves);
        if (b < 2) {
            snprintf(id, sizeof id, "%s-truncated-2-unstable", tag);
            experiment_claim(run, id, second, "> 0.05 and twice hybrid's", second > 0.05 && second > 2 * calm,
                             "%s: energy that comes back with truncated-2, in m g l, the worst of all steps and "
                             "iterations (hybrid %.3g)",
                             beams[b].name, calm);
        } else {
            experiment_note(run, "%s: energy that comes back, in m g l: truncated-2 %.3g, hybrid %.3g", beams[b].name,
                            second, calm);
        }
        for (int k = 0; k < KINDS; ++k)
            if (refused[k])
                experiment_note(run,
                                "%s: the judge of a step ended %d of %d runs of %s, because their energy grew and no "
                                "force explained it; their energy counts until there",
                                beams[b].name, refused[k], runs, kinds[k]);
        /* Two ways to spend the same number of solves: a quarter of the step with one iteration, or four iterations
         * (quick: half and two). */
        const int finer = run->quick || b > 0 ? 1 : 2;
        const double small = AT(HYBRID, finer, 0)->loss, many = AT(HYBRID, 0, finer)->loss;
        snprintf(id, sizeof id, "%s-small-steps", tag);
        experiment_claim(run, id, small / many, "< 1", small < many,
                         "%s: energy lost by hybrid with 1/%d s and 1 iteration over that with 1/30 s and %d, at the "
                         "same number of solves",
                         beams[b].name, rate[finer], newton[finer]);
        plot(run, beams[b].name, steps, iterations);
    }
    free(all);
    fclose(courses);
    fclose(table);
    experiment_note(run,
                    "the limit of hybrid-cheaper is 0.8 again; it was 0.9 for a while, with ratios of 0.41 to 0.77. "
                    "hybrid-as-exact also asks that the judge of steps refused no run of full linear solves; with 10 "
                    "linear iterations refused runs count until they end");
    if (strcmp(civit_indefinite_solver(), "cg") == 0)
        experiment_note(run, "this build has no MINRES: the exact differential is solved by CG, which stops at "
                             "negative curvature with its best iterate");
    experiment_note(run, "products without an assembled matrix, as in the document; with one, all differentials cost "
                         "about the same per iteration");
    return status;
}

const experiment experiment_civit_differentials = {
    "civit-differentials", "energy and cost of exact, truncated, hybrid and projected stress differentials",
    "Civit 3.3.5, experiments 1 to 3", run_differentials,
    "plane-hybrid-as-exact plane-hybrid-worst plane-exact-once plane-hybrid-cheaper "
    "plane-truncated-2-unstable plane-small-steps "
    "plane-10-hybrid-as-exact plane-10-hybrid-cheaper plane-10-truncated-2-unstable "
    "plane-10-small-steps solid-10-hybrid-as-exact solid-10-hybrid-cheaper solid-10-small-steps"};
