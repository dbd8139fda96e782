/* Kikuuwe 4.3, experiment B: how the speed V of the correction changes the number of spikes. The crush of experiment A
 * with QMR+NC, six values of V, four bodies, ten trials. */
#include <math.h>

#include "kikuuwe.h"

enum { SPEEDS = 6, HUNDRED = 3, TRIALS = 10, ITERATIONS = 70 };
static const double END = 7;                                                /* s: the plate is gone */
static const double speed[SPEEDS] = {0.8e-3, 4e-3, 20e-3, 100e-3, 1, 12.5}; /* V, m/s */

typedef struct tally {
    double spikes, square; /* mean and mean square over the trials */
    int blown;
} tally;

/* All bodies and trials with one V. One tally per body. */
static sn_status try_speed(experiment_run *run, double V, int bodies, int count, tally *tallies, sn_error *error) {
    kikuuwe_job job[KIKUUWE_BODIES * TRIALS];
    for (int i = 0; i < bodies * count; ++i)
        job[i] = (kikuuwe_job){.body = &kikuuwe_bodies[i / count],
                               .scheme = {.name = "QMR+NC",
                                          .solver = "qmr",
                                          .corrected = true,
                                          .speed = V,
                                          .iterations = ITERATIONS,
                                          .trial = i % count + 1}};
    const sn_status status = kikuuwe_crush_all(run, job, bodies * count, END, error);
    for (int i = 0; i < bodies * count && !status; ++i) {
        tally *y = &tallies[i / count];
        const kikuuwe_outcome *o = &job[i].outcome;
        y->spikes += (double)o->spikes / count, y->square += (double)o->spikes * o->spikes / count;
        y->blown += o->blew_up;
    }
    return status;
}

/* A quick run takes the two ends and 100 mm/s, two bodies and one trial. */
static bool skipped(const experiment_run *run, int s) {
    return run->quick && s != 0 && s != HUNDRED && s != SPEEDS - 1;
}

static sn_status run_v(experiment_run *run, sn_error *error) {
    const int bodies = run->quick ? 2 : KIKUUWE_BODIES, trials = run->quick ? 1 : TRIALS;
    FILE *table = experiment_table(run, "spikes.csv", "body,V,mean,deviation,blown", error);
    if (!table) return error->status;
    double mean[SPEEDS] = {0};
    int blown = 0;
    sn_status status = SN_OK;
    for (int s = 0; s < SPEEDS && !status; ++s) {
        tally tallies[KIKUUWE_BODIES] = {{0}};
        if (skipped(run, s)) continue;
        status = try_speed(run, speed[s], bodies, trials, tallies, error);
        for (int b = 0; b < bodies && !status; ++b) {
            const tally *t = &tallies[b];
            mean[s] += t->spikes / bodies;
            if (s <= HUNDRED) blown += t->blown;
            fprintf(table, "%s,%g,%g,%g,%d\n", kikuuwe_bodies[b].name, speed[s], t->spikes,
                    sqrt(fmax(t->square - t->spikes * t->spikes, 0)), t->blown);
        }
        experiment_progress(run, (s + 1.0) / SPEEDS);
    }
    fclose(table);
    if (status) return status;
    experiment_plot(run, "spikes.svg",
                    "set datafile missing NaN; set key left top; set logscale x; set xlabel 'V (m/s)'; set ylabel "
                    "'steps with a node "
                    "above 1.5 m/s'\nplot for [b in 'dragon octopus cylinder block'] 'spikes.csv' using "
                    "2:(strcol(1) eq b ? $3 : NaN):4 skip 1 with errorlines title b");
    experiment_claim(run, "almost-none-at-100", mean[HUNDRED], "<= 2", mean[HUNDRED] <= 2,
                     "V = 100 mm/s: steps with a node above 1500 mm/s, of 233, mean over %d bodies and %d trials",
                     bodies, trials);
    experiment_claim(run, "grow-with-v", mean[SPEEDS - 1], "> 3 times those at 100 mm/s, and > 3",
                     mean[SPEEDS - 1] > 3 * fmax(mean[HUNDRED], 1), "V = 12500 mm/s: the same; V = 0.8 mm/s: %.2f",
                     mean[0]);
    experiment_claim(run, "no-blow-up", blown, "0", blown == 0, "runs with V of at most 100 mm/s that blow up");
    experiment_note(run, "runs are deterministic here; a trial moves the nodes by up to a micrometre at the start");
    return SN_OK;
}

const experiment experiment_kikuuwe_v = {"kikuuwe-v",
                                         "the crush with six speeds V of the correction: spikes grow with V",
                                         "Kikuuwe 4.3", run_v, "almost-none-at-100 grow-with-v no-blow-up"};
