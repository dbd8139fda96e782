/* contact-physics: which response of contact between bodies passes which physical test.
 *
 * The trials are in contact_trials.h. A claim is made for what a response promises; the table has all figures, also
 * those that miss the limit. A quick run leaves out trials of which a response promises nothing. */
#include <math.h>

#include "contact_trials.h"
#include "experiment.h"

enum { ROOM = 64 };

/* A figure as text: a start that is refused and a failed step have none. */
static void write_figure(char text[ROOM], sn_status status, double figure) {
    if (status)
        snprintf(text, ROOM, "%s", status == SN_UNSUPPORTED ? "-" : sn_status_name(status));
    else
        snprintf(text, ROOM, "%.3g", figure);
}

/* The results of one figure: a row of the table and a note, and a claim for each response that promises it. */
static void tell(experiment_run *run, const contact_figure *figure, int index,
                 double value[CONTACT_RESPONSES][CONTACT_FIGURES], const sn_status *status, const sn_error *error,
                 FILE *table) {
    char row[CONTACT_RESPONSES][ROOM], id[ROOM], expected[ROOM];
    snprintf(expected, sizeof expected, "%s %g", figure->above ? ">" : "<=", figure->limit);
    for (int r = 0; r < CONTACT_RESPONSES; ++r) {
        const double measured = status[r] ? NAN : value[r][index];
        write_figure(row[r], status[r], measured);
        if (!(figure->promised & 1 << r)) continue;
        snprintf(id, sizeof id, "%s-%s", figure->id, contact_response[r]);
        experiment_claim(run, id, measured, expected, contact_passes(figure, measured), "%s%s%s", figure->text,
                         status[r] ? ": " : "", status[r] ? error[r].text : "");
    }
    fprintf(table, "%s,%s,%s,%s,%s\n", figure->id, expected, row[0], row[1], row[2]);
    experiment_note(run, "%-20s %-8s  area %-10s penalty %-10s exact %-10s %s", figure->id, expected, row[0], row[1],
                    row[2], figure->text);
}

/* Runs a trial with each response. */
static void run_trial(experiment_run *run, const contact_trial *trial, FILE *table) {
    double value[CONTACT_RESPONSES][CONTACT_FIGURES];
    sn_status status[CONTACT_RESPONSES];
    sn_error error[CONTACT_RESPONSES] = {0};
    for (int r = 0; r < CONTACT_RESPONSES; ++r) {
        const contact_run one = {run->context, contact_response[r], run->quick};
        status[r] = SN_UNSUPPORTED;
        if (!run->quick || contact_promised(trial, r)) status[r] = trial->run(&one, value[r], &error[r]);
    }
    for (int i = 0; i < trial->figure_count; ++i) tell(run, &trial->figure[i], i, value, status, error, table);
}

static sn_status run_experiment(experiment_run *run, sn_error *error) {
    FILE *table = experiment_table(run, "responses.csv", "trial,limit,area,penalty,exact", error);
    if (!table) return SN_IO;
    for (int i = 0; i < contact_trial_count; ++i) {
        run_trial(run, &contact_trials[i], table);
        experiment_progress(run, (i + 1.0) / contact_trial_count);
    }
    fclose(table);
    experiment_note(
        run, "pile-rest with penalty was promised when the ground took the chord of its spring (0.005 quick). The "
             "ground takes the slope again, because the chord makes muller-tube unstable: 0.0165 quick, not "
             "promised.");
    return SN_OK;
}

#define EACH(id) id "-area " id "-penalty " id "-exact "

const experiment experiment_contact_physics = {
    "contact-physics", "which response of contact between bodies passes which physical test", "Civit 3.4 and 5",
    run_experiment,
    EACH("weight") EACH("slides-stiff") EACH("slides-soft") EACH("stays-stiff") EACH("stays-soft") EACH("stack")
        EACH("hertz-plane-radius") EACH("hertz-plane-force") EACH("hertz-spheres-radius") EACH("hertz-spheres-force")
            EACH("linear") EACH("angular")
                EACH("energy") "pile-gain-area pile-gain-penalty pile-rest-area patch-mean-penalty "
                               "patch-mean-exact "
                               "patch-worst-exact clean-impacts-exact clean-fall-exact deep-area fast-area fast-exact"};
