/* Civit 3.3.5, experiments 1 to 3: cost and energy loss of the approximate stress differentials.
 *
 * A beam is held at its upper left corner (plane) or edge (solid). It swings under 100 m/s2 without damping. The
 * experiment records the total energy over time for every differential, step and number of Newton iterations. Implicit
 * Euler can only lose energy, so a rise of the energy is a sign of instability. */
#include "civit.h"
#include "timing.h"

static const char *const kinds[] = {"exact", "truncated-1", "truncated-2", "hybrid", "projected"};
enum { EXACT, FIRST, SECOND, HYBRID, PROJECTED, KINDS, SOLID = 2, BEAMS, STEPS = 4, NEWTON = 4, SAMPLES = 151 };
static const int rate[STEPS] = {30, 60, 120, 240}, newton[NEWTON] = {1, 2, 4, 8};

typedef struct beam {
    const char *name, *body;
    int linear; /* most iterations of the linear solver; 0: unlimited */
} beam;

static const beam beams[BEAMS] = {
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
    double gain;            /* sum of all rises of the energy */
    double loss;            /* lost energy, mean over time */
    int retries, linear;
    stopwatch watch; /* keeps its times when the run is repeated */
    bool refused;    /* the judge of a step ended the run: the energy grew and no force explained it */
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
    *out = (swing){.watch = out->watch};
    stopwatch_rewind(&out->watch);
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
            status = stopwatch_step(&out->watch, world, &report, error);
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

/* ---- One beam ---- */
typedef struct study {
    experiment_run *run;
    const beam *beam;
    const char *tag; /* of the claims */
    int index, iterations;
    double end, scale; /* s; m g l in J */
    swing *all;        /* KINDS x STEPS x NEWTON */
} study;

static swing *at(const study *y, int kind, int step, int iterations) {
    return &y->all[(kind * STEPS + step) * NEWTON + iterations];
}

static sn_status swing_all(const study *y, FILE *courses, FILE *table, sn_error *error) {
    for (int k = 0; k < KINDS; ++k)
        for (int s = 0; s < STEPS; ++s) {
            for (int n = 0; n < y->iterations; ++n) {
                swing *w = at(y, k, s, n);
                const sn_status status = follow(y->run, y->index, k, rate[s], newton[n], y->end, w, error);
                if (status) return status;
                fprintf(table, "\"%s\",%s,%d,%d,%g,%g,%g,%d,%d\n", y->beam->name, kinds[k], rate[s], newton[n], w->loss,
                        w->gain, stopwatch_total(&w->watch), w->linear, w->retries);
                for (int i = 0; i < SAMPLES; ++i)
                    fprintf(courses, "\"%s\",%s,%d,%d,%g,%g\n", y->beam->name, kinds[k], rate[s], newton[n],
                            y->end * i / (SAMPLES - 1), w->energy[i]);
            }
            experiment_progress(y->run, (y->index + (k * STEPS + s) / (double)(KINDS * STEPS)) / BEAMS);
        }
    return SN_OK;
}

/* Energy of hybrid against exact, and of exact with one Newton step. */
static void claim_energy(const study *y) {
    double difference[STEPS * NEWTON], worst = 0, once = 0, back = 0;
    int runs = 0, refused = 0;
    char id[60];
    for (int s = 0; s < STEPS; ++s) {
        back = fmax(back, at(y, EXACT, s, 0)->gain / y->scale);
        for (int n = 0; n < y->iterations; ++n) {
            const swing *exact = at(y, EXACT, s, n), *hybrid = at(y, HYBRID, s, n);
            const double d = apart(hybrid, exact, y->scale);
            refused += exact->refused + hybrid->refused;
            worst = fmax(worst, d);
            if (n > 0) once = fmax(once, apart(exact, at(y, EXACT, s, 0), y->scale));
            int place = runs++;
            for (; place > 0 && difference[place - 1] > d; --place) difference[place] = difference[place - 1];
            difference[place] = d;
        }
    }
    const double median = difference[runs / 2];
    snprintf(id, sizeof id, "%s-hybrid-as-exact", y->tag);
    experiment_claim(y->run, id, median, "< 0.05, no run of full solves refused",
                     median < 0.05 && (y->beam->linear || refused == 0),
                     "%s: energy of hybrid against exact, mean over time by m g l, median of %d steps and "
                     "iterations (worst %.3g)",
                     y->beam->name, runs, worst);
    if (y->beam->linear) return;
    snprintf(id, sizeof id, "%s-hybrid-worst", y->tag);
    experiment_claim(y->run, id, worst, "< 0.2", worst < 0.2,
                     "%s: the same, the worst of all steps and iterations; with 10 linear iterations every "
                     "differential gains energy at some step",
                     y->beam->name);
    snprintf(id, sizeof id, "%s-exact-once", y->tag);
    experiment_claim(y->run, id, once, "< 0.05", once < 0.05,
                     "%s: energy of exact with one Newton step against that with more, mean over time by m g l, "
                     "the worst of all steps (document: more iterations gain nothing); energy that comes back with "
                     "one Newton step: %.3g m g l",
                     y->beam->name, back);
}

/* The cost of runs with the same number of solves. They run again in turn, for their time. A run that the judge ended
 * counts with the steps that the other one took too. */
static sn_status claim_cost(const study *y, sn_error *error) {
    enum { REPEATS = 3, COMPARED = 2 }; /* with 1 and 2 Newton iterations */
    static const int pair[2] = {EXACT, HYBRID};
    double seconds[2] = {0}, linear[2] = {0}, solves[2] = {0};
    sn_status status = SN_OK;
    for (int s = 0; s < STEPS; ++s)
        for (int n = 0; n < COMPARED; ++n) {
            for (int i = 0; i < 2 * REPEATS && !status; ++i)
                status =
                    follow(y->run, y->index, pair[i % 2], rate[s], newton[n], y->end, at(y, pair[i % 2], s, n), error);
            if (status) return status;
            const stopwatch *a = &at(y, EXACT, s, n)->watch, *b = &at(y, HYBRID, s, n)->watch;
            const int steps = a->count < b->count ? a->count : b->count;
            seconds[0] += stopwatch_sum(a, steps), seconds[1] += stopwatch_sum(b, steps);
            for (int i = 0; i < 2; ++i) {
                linear[i] += at(y, pair[i], s, n)->linear;
                solves[i] += (double)at(y, pair[i], s, n)->watch.count * newton[n];
            }
        }
    const double ratio = seconds[1] / seconds[0], by_hybrid = linear[1] / solves[1], by_exact = linear[0] / solves[0];
    if (y->index == SOLID) {
        experiment_note(y->run,
                        "%s: the document's claim that hybrid is cheaper than exact does not hold here: hybrid with CG "
                        "takes %.3g of the time of exact with MINRES (document: about 0.5), %.3g over %.3g linear "
                        "iterations per solve. It was a claim with the limit 0.8, and the ratio was below 0.77, until "
                        "the exact differential of a tet got a compact form: 17 numbers instead of 81. Its set-up now "
                        "takes less time than the eigenvalues in the weight of hybrid",
                        y->beam->name, ratio, by_hybrid, by_exact);
        return SN_OK;
    }
    char id[60];
    snprintf(id, sizeof id, "%s-hybrid-cheaper", y->tag);
    experiment_claim(y->run, id, ratio, "< 0.8", ratio < 0.8,
                     "%s: cost of hybrid with CG over exact with MINRES (document: about 0.5, most of it by the terms "
                     "of dR), %.3g over %.3g linear iterations per solve",
                     y->beam->name, by_hybrid, by_exact);
    return SN_OK;
}

/* Energy that comes back, and runs that the judge ended. */
static void claim_stability(const study *y) {
    double second = 0, calm = 0;
    for (int s = 0; s < STEPS; ++s)
        for (int n = 0; n < y->iterations; ++n) {
            second = fmax(second, at(y, SECOND, s, n)->gain / y->scale);
            calm = fmax(calm, at(y, HYBRID, s, n)->gain / y->scale);
        }
    if (y->index < 2) {
        char id[60];
        snprintf(id, sizeof id, "%s-truncated-2-unstable", y->tag);
        experiment_claim(y->run, id, second, "> 0.05 and twice hybrid's", second > 0.05 && second > 2 * calm,
                         "%s: energy that comes back with truncated-2, in m g l, the worst of all steps and "
                         "iterations (hybrid %.3g)",
                         y->beam->name, calm);
    } else {
        experiment_note(y->run, "%s: energy that comes back, in m g l: truncated-2 %.3g, hybrid %.3g", y->beam->name,
                        second, calm);
    }
    for (int k = 0; k < KINDS; ++k) {
        int refused = 0;
        for (int s = 0; s < STEPS; ++s)
            for (int n = 0; n < y->iterations; ++n) refused += at(y, k, s, n)->refused;
        if (refused)
            experiment_note(y->run,
                            "%s: the judge of a step ended %d of %d runs of %s, because their energy grew and no "
                            "force explained it; their energy counts until there",
                            y->beam->name, refused, STEPS * y->iterations, kinds[k]);
    }
}

/* Two ways to spend the same number of solves: a quarter of the step with one iteration, or four iterations (quick:
 * half and two). */
static void claim_small_steps(const study *y) {
    const int finer = y->run->quick || y->index > 0 ? 1 : 2;
    const double small = at(y, HYBRID, finer, 0)->loss, many = at(y, HYBRID, 0, finer)->loss;
    char id[60];
    snprintf(id, sizeof id, "%s-small-steps", y->tag);
    experiment_claim(y->run, id, small / many, "< 1", small < many,
                     "%s: energy lost by hybrid with 1/%d s and 1 iteration over that with 1/30 s and %d, at the "
                     "same number of solves",
                     y->beam->name, rate[finer], newton[finer]);
}

static sn_status study_beam(const study *y, FILE *courses, FILE *table, sn_error *error) {
    sn_status status = swing_all(y, courses, table, error);
    if (status) return status;
    claim_energy(y);
    status = claim_cost(y, error);
    if (status) return status;
    claim_stability(y);
    claim_small_steps(y);
    plot(y->run, y->beam->name, STEPS, y->iterations);
    return SN_OK;
}

static void add_notes(experiment_run *run) {
    experiment_note(run,
                    "the limit of hybrid-cheaper is 0.8 again; it was 0.9 for a while, with ratios of 0.41 to 0.77. "
                    "hybrid-as-exact also asks that the judge of steps refused no run of full linear solves; with 10 "
                    "linear iterations refused runs count until they end");
    experiment_note(
        run, "hybrid-cheaper takes the processor time of one thread, the least of four runs for each step. Until "
             "version 0.2.0 it took the processor time of all threads, with the waiting of idle ones: 0.884 for "
             "the plane beam on a busy machine with two threads. Hybrid takes more linear iterations than exact "
             "because of its method: MINRES makes the residual least, by which both stop, and CG does not. At "
             "60 steps per second and one Newton iteration, hybrid takes 32.6 iterations with CG and 27.5 with "
             "MINRES; exact takes 27.2 with MINRES");
    if (strcmp(civit_indefinite_solver(), "cg") == 0)
        experiment_note(run, "this build has no MINRES: the exact differential is solved by CG, which stops at "
                             "negative curvature with its best iterate");
    experiment_note(run, "products without an assembled matrix, as in the document; with one, all differentials cost "
                         "about the same per iteration");
}

static sn_status run_beams(experiment_run *run, sn_error *error) {
    static const char *const tag[BEAMS] = {"plane", "plane-10", "solid-10"};
    FILE *courses = experiment_table(run, "energy.csv", "beam,differential,rate,newton,time,energy", error);
    FILE *table = courses ? experiment_table(run, "differentials.csv",
                                             "beam,differential,rate,newton,loss,gain,seconds,linear,retries", error)
                          : NULL;
    swing *all = calloc((size_t)KINDS * STEPS * NEWTON, sizeof *all);
    sn_status status = courses && table && all ? SN_OK : SN_IO;
    for (int b = 0; b < BEAMS && !status; ++b) {
        const study y = {.run = run,
                         .beam = &beams[b],
                         .tag = tag[b],
                         .index = b,
                         .iterations = b > 0 || run->quick ? 2 : NEWTON, /* with a limited linear solver: 1 and 2 */
                         .end = run->quick ? 1.5 : 4,
                         .scale = mass[b] * 100 * 2.1,
                         .all = all};
        status = study_beam(&y, courses, table, error);
        for (int i = 0; i < KINDS * STEPS * NEWTON; ++i) stopwatch_release(&all[i].watch);
    }
    free(all);
    if (courses) fclose(courses);
    if (table) fclose(table);
    if (!status) add_notes(run);
    return status;
}

static sn_status run_differentials(experiment_run *run, sn_error *error) {
    return run_on_one_thread(run, run_beams, error);
}

const experiment experiment_civit_differentials = {
    "civit-differentials", "energy and cost of exact, truncated, hybrid and projected stress differentials",
    "Civit 3.3.5, experiments 1 to 3", run_differentials,
    "plane-hybrid-as-exact plane-hybrid-worst plane-exact-once time:plane-hybrid-cheaper "
    "plane-truncated-2-unstable plane-small-steps "
    "plane-10-hybrid-as-exact time:plane-10-hybrid-cheaper plane-10-truncated-2-unstable "
    "plane-10-small-steps solid-10-hybrid-as-exact solid-10-small-steps"};
