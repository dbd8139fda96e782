/* Kikuuwe 4.4, experiment C: a body hangs from an anchor that rises with 1000 mm/s for 0.3 s. A correction with a small
 * V holds the lower end back. */
#include <math.h>
#include <stdlib.h>

#include "kikuuwe.h"
#include "measure.h"

enum { SPEEDS = 6, HUNDRED = 3, ITERATIONS = 70 };
static const double speed[SPEEDS] = {0.8e-3, 4e-3, 20e-3, 100e-3, 1, 12.5}; /* V, m/s */
static const double HANG = 1.5, WATCH = 1.5;                                /* s: to come to rest, and then */

static double lowest(sn_world *world) {
    double *x = measure_positions(world, 0), low = INFINITY;
    for (int i = 0; x && i < sn_world_body_mesh(world, 0)->node_count; ++i) low = fmin(low, x[3 * i + 1]);
    free(x);
    return low;
}

/* Ties the highest node over the middle of the body to the anchor, so that it does not hang from the tip of a wing. The
 * anchor rises from the time HANG on. */
static sn_status hang(sn_world *world, sn_error *error) {
    static const double still[3] = {0};
    const sn_mesh *mesh = sn_world_body_mesh(world, 0);
    const double key[] = {0, 0, 0, 0, HANG, 0, 0, 0, HANG + 0.3, 0, 0.3, 0};
    const double *x = mesh->position, near = 0.1 * measure_diagonal(mesh);
    double middle[2] = {0};
    int top = -1;
    for (int i = 0; i < mesh->node_count; ++i)
        middle[0] += x[3 * i] / mesh->node_count, middle[1] += x[3 * i + 2] / mesh->node_count;
    for (int i = 0; i < mesh->node_count; ++i)
        if (hypot(x[3 * i] - middle[0], x[3 * i + 2] - middle[1]) < near && (top < 0 || x[3 * i + 1] > x[3 * top + 1]))
            top = i;
    if (top < 0) return sn_fail(error, SN_BAD_INPUT, "no node is over the middle of the body");
    return kikuuwe_tie(world, top, still, key, 3, error);
}

/* *t50: s until the lowest node is 50 mm higher, linear between steps; infinite: not within WATCH. */
static sn_status lift(experiment_run *run, int body, double V, FILE *table, double *t50, sn_error *error) {
    kikuuwe_scheme scheme = {
        .name = "QMR+NC", .solver = "qmr", .corrected = true, .speed = 0.1, .iterations = ITERATIONS};
    sn_world *world = NULL;
    sn_status status = kikuuwe_world(run, &kikuuwe_bodies[body], &scheme, false, &world, error);
    if (!status) status = hang(world, error);
    while (!status && sn_world_time(world) < HANG - 0.5 * KIKUUWE_STEP) status = sn_world_step(world, NULL, error);
    if (!status) { /* it hangs still: now with the V of the trial */
        sn_time_options options = sn_world_time_options(world);
        options.correction.speed = V;
        status = sn_world_set_time(world, &options, error);
    }
    const double start = status ? 0 : lowest(world);
    double before = 0;
    *t50 = INFINITY;
    while (!status && sn_world_time(world) < HANG + WATCH) {
        status = sn_world_step(world, NULL, error);
        if (status) break;
        const double rise = lowest(world) - start, t = sn_world_time(world) - HANG;
        if (rise >= 0.05 && isinf(*t50)) *t50 = t - KIKUUWE_STEP * (rise - 0.05) / (rise - before);
        before = rise;
        fprintf(table, "%s,%g,%g,%g\n", kikuuwe_bodies[body].name, V, t, rise);
    }
    sn_world_destroy(world);
    return status;
}

static sn_status run_lift(experiment_run *run, sn_error *error) {
    const int bodies = run->quick ? 1 : KIKUUWE_BODIES;
    FILE *table = experiment_table(run, "rise.csv", "body,V,t,rise", error), *times = NULL;
    if (table) times = experiment_table(run, "t50.csv", "body,V,t50", error);
    if (!times) {
        if (table) fclose(table);
        return error->status;
    }
    double late = INFINITY, spread = 0, mean[SPEEDS] = {0};
    sn_status status = SN_OK;
    for (int b = 0; b < bodies && !status; ++b) {
        double t50[SPEEDS];
        for (int s = 0; s < SPEEDS && !status; ++s) {
            status = lift(run, b, speed[s], table, &t50[s], error);
            if (status) break;
            fprintf(times, "%s,%g,%g\n", kikuuwe_bodies[b].name, speed[s], t50[s]);
            mean[s] += t50[s] / bodies;
            experiment_progress(run, (b + (s + 1.0) / SPEEDS) / bodies);
        }
        if (status) break;
        late = fmin(late, t50[0] / t50[HUNDRED]);
        for (int s = HUNDRED; s < SPEEDS; ++s) spread = fmax(spread, fabs(t50[s] / t50[SPEEDS - 1] - 1));
    }
    fclose(table), fclose(times);
    if (status) return status;
    experiment_plot(
        run, "t50.svg",
        "set datafile separator ','; set logscale x; set xlabel 'V (m/s)'; set ylabel 't50 (s)'; set yrange "
        "[0:*]\nplot for [b in 'dragon octopus cylinder block'] 't50.csv' using 2:(strcol(1) eq b ? $3 : "
        "NaN) skip 1 with linespoints title b");
    experiment_claim(run, "small-v-delays", late, "> 1.2", late > 1.2,
                     "t50 with V = 0.8 mm/s over t50 with 100 mm/s, least of %d bodies; means %.3f s and %.3f s",
                     bodies, mean[0], mean[HUNDRED]);
    experiment_claim(
        run, "large-v-does-not", spread, "< 0.1", spread < 0.1,
        "V of 100, 1000 and 12500 mm/s: largest relative difference of t50 from that with 12500 mm/s; means "
        "%.3f, %.3f, %.3f s",
        mean[HUNDRED], mean[HUNDRED + 1], mean[HUNDRED + 2]);
    return SN_OK;
}

const experiment experiment_kikuuwe_lift = {"kikuuwe-lift", "a hanging body is lifted: a small V delays its lower end",
                                            "Kikuuwe 4.4", run_lift, "small-v-delays large-v-does-not"};
