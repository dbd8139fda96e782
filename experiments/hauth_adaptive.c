/* hauth-adaptive: adaptive refinement of a poked pad (Hauth 3.1.2, 5.3.4; the rules of Krysl, Grinspun and Schroeder).
 *
 * The pad measures 25 x 25 x 5 cm, with mu = 0.4 kPa and nu = 0.3, and with a nearly incompressible ball inside. There
 * is no gravity: the document does not print the density, and with that of water so soft a pad sags by a third, more
 * than the finger presses. A ball of 3 cm radius presses 1.5 cm deep and stays. The fully refined pad has 76,800 tets
 * on two levels above the first; multigrid solves it. The adaptive pad uses block-Jacobi, which has no lattices to make
 * anew after a change. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "timing.h"

#define PAD                                                                                                            \
    "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"newton\": {\"kind\": \"one-step\"}}, "        \
    "\"solver\": {\"tolerance\": 1e-4, \"preconditioner\": \"%s\"}, \"bodies\": [{\"mesh\": {\"box\": {\"size\": "     \
    "[0.25, 0.05, 0.25], \"cells\": "                                                                                  \
    "[10, 2, 10], \"split\": 6}, \"refine\": %d, \"move\": [-0.125, 0, -0.125]}, \"adapt\": {\"levels\": %d, "         \
    "\"measure\": \"%s\", \"refine\": %g, \"coarsen\": %g, \"budget\": %d}, \"material\": [{\"law\": \"corotated\", "  \
    "\"young\": 1040, \"poisson\": 0.3, \"density\": 1000, \"rayleigh\": {\"stiffness\": 0.01}}, {\"law\": "           \
    "\"corotated\", \"young\": 1200, \"poisson\": 0.49, \"density\": 1000, \"rayleigh\": {\"stiffness\": 0.01}, "      \
    "\"select\": {\"sphere\": {\"center\": [0, 0.025, 0], \"radius\": 0.02}}}], \"fix\": [{\"select\": {\"normal\": "  \
    "[0, -1, 0]}}]}], \"colliders\": [{\"sphere\": {\"center\": [0, 0.08, 0], \"radius\": 0.03}, \"keys\": [[0, 0, "   \
    "0, 0], [0.3, 0, -0.015, 0], [9, 0, -0.015, 0]]}], \"probes\": [{\"name\": \"under\", \"nearest\": [0, 0.05, "     \
    "0]}, "                                                                                                            \
    "{\"name\": \"finger\", \"select\": \"all\", \"quantity\": \"force\", \"interaction\": \"penalty\"}]}"

typedef struct poke {
    double force, under; /* N, m */
    double step;         /* processor time of a step at the end, s: the least of several groups */
    double change;       /* the least time of a change of the set, s, with what the next step must make anew */
    int changed;         /* active tets after it */
    int64_t late;        /* changes after 2 s */
    sn_adapt_report adapt;
} poke;

static sn_status step_for(sn_world *world, int steps, sn_error *error) {
    sn_status status = SN_OK;
    for (int i = 0; i < steps && !status; ++i) status = sn_world_step(world, NULL, error);
    return status;
}

static int64_t changes_of(const sn_world *world) {
    sn_adapt_report report = {0};
    sn_world_adapt_report(world, 0, &report);
    return report.changes;
}

/* Presses and holds until 3 s; the fully refined pad until 1 s. */
static sn_status press(experiment_run *run, int refine, int levels, poke *result, sn_error *error) {
    enum { GROUPS = 5, GROUP = 4 };
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_status status = experiment_scene(run, &scene, &world, error, PAD, levels ? "block-jacobi" : "auto", refine,
                                        levels, levels ? "gradient" : "none", 0.01, 0.00125, 19200);
    if (status) return status;
    const int held = levels ? 200 : 80;
    result->change = 1e30;
    double change = 1e30, next = 0;
    for (int i = 0, since = 2; i < held && !status; ++i) {
        const int64_t known = changes_of(world);
        const double start = thread_seconds();
        status = sn_world_step(world, NULL, error);
        const double now = thread_seconds() - start;
        sn_adapt_report r;
        if (sn_world_adapt_report(world, 0, &r)) continue;
        since = r.changes == known ? since + 1 : 0;
        if (since == 0) change = r.seconds;
        if (since == 1) next = now; /* it makes edges and coarse lattices anew */
        if (since == 2 && r.active > 5000 && change + next - now < result->change)
            result->change = change + next - now, result->changed = r.active;
    }
    const int64_t before = changes_of(world);
    if (levels && !status) status = step_for(world, 80, error);
    result->step = 1e30;
    for (int g = 0; g < GROUPS && !status; ++g) {
        const double start = thread_seconds();
        status = step_for(world, GROUP, error);
        result->step = fmin(result->step, (thread_seconds() - start) / GROUP);
    }
    double value[SN_PROBE_VALUES];
    int count;
    if (!status) status = sn_world_probe(world, 0, value, &count, error);
    if (!status) result->under = value[1];
    if (!status) status = sn_world_probe(world, 1, value, &count, error);
    if (!status) result->force = -value[1];
    sn_world_adapt_report(world, 0, &result->adapt);
    result->late = changes_of(world) - before;
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static sn_status compare_pads(experiment_run *run, sn_error *error) {
    poke fine = {0}, adaptive = {0}, coarse = {0};
    sn_status status = press(run, 2, 0, &fine, error);
    experiment_progress(run, 0.3);
    if (!status) status = press(run, 0, 2, &adaptive, error);
    if (!status) status = press(run, 0, 0, &coarse, error);
    if (status) return status;
    FILE *table = experiment_table(run, "pads.csv", "pad,tets,force (N),under the finger (mm),step (ms)", error);
    if (!table) return SN_IO;
    fprintf(table, "fully refined,76800,%.6g,%.6g,%.4g\n", fine.force, 1e3 * fine.under, 1e3 * fine.step);
    fprintf(table, "adaptive,%d,%.6g,%.6g,%.4g\n", adaptive.adapt.active, adaptive.force, 1e3 * adaptive.under,
            1e3 * adaptive.step);
    fprintf(table, "coarse,1200,%.6g,%.6g,%.4g\n", coarse.force, 1e3 * coarse.under, 1e3 * coarse.step);
    fclose(table);
    const double force = fabs(adaptive.force / fine.force - 1), under = fabs(adaptive.under / fine.under - 1),
                 part = adaptive.adapt.active / 76800.0;
    experiment_claim(run, "force", force, "< 0.03", force < 0.03,
                     "error of the force on the finger against the fully refined pad; %.5f and %.5f N, coarsest mesh "
                     "%.5f N",
                     adaptive.force, fine.force, coarse.force);
    experiment_claim(run, "displacement", under, "< 0.03", under < 0.03,
                     "the same of the displacement under the finger; %.4f and %.4f mm", 1e3 * adaptive.under,
                     1e3 * fine.under);
    experiment_claim(run, "elements", part, "<= 0.25", part <= 0.25,
                     "active tets by those of the fully refined pad; %d, with %d unknowns and %d hanging nodes",
                     adaptive.adapt.active, adaptive.adapt.unknowns, adaptive.adapt.hanging);
    experiment_claim(
        run, "speed", fine.step / adaptive.step, ">= 3", fine.step >= 3 * adaptive.step,
        "processor time of a step with the finger held on one thread, fully refined by adaptive; %.2f and %.2f ms",
        1e3 * fine.step, 1e3 * adaptive.step);
    experiment_claim(run, "steady", (double)adaptive.late, "0", adaptive.late == 0,
                     "changes of the active set while the finger is held, from 2 to 3 s; %lld before",
                     (long long)(adaptive.adapt.changes - adaptive.late));
    experiment_claim(
        run, "change", adaptive.change / fine.step, "< 1", adaptive.change < fine.step,
        "processor time of a change of the active set by that of a step of the fully refined pad, %.1f and "
        "%.1f ms; with %d active tets, and with what the next step must make anew. It is %.1f times an "
        "adaptive step with the finger held",
        1e3 * adaptive.change, 1e3 * fine.step, adaptive.changed, adaptive.change / adaptive.step);
    return SN_OK;
}

/* ---- Many changes ---- */
typedef struct ledger {
    atomic_llong bytes;
} ledger;

enum { HEAD = 64 };

static void *count_allocate(void *user, size_t bytes) {
    const size_t whole = (bytes + HEAD + 63) / 64 * 64;
    char *block = aligned_alloc(64, whole);
    if (!block) return NULL;
    memcpy(block, &whole, sizeof whole);
    atomic_fetch_add(&((ledger *)user)->bytes, (long long)whole);
    return block + HEAD;
}

static void count_release(void *user, void *memory) {
    if (!memory) return;
    char *block = (char *)memory - HEAD;
    size_t whole;
    memcpy(&whole, block, sizeof whole);
    atomic_fetch_sub(&((ledger *)user)->bytes, (long long)whole);
    free(block);
}

typedef struct losses {
    double linear, angular;  /* the largest change of a momentum, by that of the body */
    double refined, dropped; /* the largest change of the energy, by the energy: refining alone; with coarsening */
    sn_energies start, end;
    int64_t changes, tets;
} losses;

static double distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* A free block that turns and twists; its set follows the strain until so many tets were coarsened. */
static sn_status twist(experiment_run *own, const char *details, int tets, losses *l, sn_error *error) {
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    const double zero[3] = {0};
    sn_status status = experiment_scene(
        own, &scene, &world, error,
        "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"newton\": {\"kind\": \"one-step\"}}, "
        "\"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": 1}, "
        "\"adapt\": {\"levels\": 2, \"measure\": \"shear\", \"refine\": 0.05, \"coarsen\": 0.045, \"every\": 1, "
        "\"wait\": 1, \"detail\": 1, \"details\": \"%s\", \"budget\": 3000}, \"material\": {\"law\": \"corotated\", "
        "\"young\": 2e3, \"poisson\": 0.3, \"density\": 1000}, \"initial\": {\"velocity\": [0.1, 0.2, 0], \"spin\": "
        "[0, "
        "2, 3], \"twist\": 300}}]}",
        details);
    if (!status) status = sn_world_energies(world, &l->start, error);
    for (int i = 0; i < 1000 && !status && l->tets < tets; ++i) {
        sn_adapt_report r;
        const int64_t before = changes_of(world);
        status = sn_world_step(world, NULL, error);
        if (status || changes_of(world) == before) continue;
        sn_world_adapt_report(world, 0, &r);
        const double change = fabs(r.energy_after.total - r.energy_before.total) / r.energy_before.total;
        l->linear = fmax(l->linear, distance(r.momentum_after, r.momentum_before) / distance(r.momentum_before, zero));
        l->angular = fmax(l->angular, distance(r.angular_after, r.angular_before) / distance(r.angular_before, zero));
        if (r.coarsened)
            l->dropped = fmax(l->dropped, change);
        else
            l->refined = fmax(l->refined, change);
        l->changes = r.changes, l->tets = r.all_coarsened;
    }
    if (!status) status = sn_world_energies(world, &l->end, error);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static sn_status count_losses(experiment_run *run, sn_error *error) {
    ledger book = {0};
    losses l = {0}, frozen = {0};
    experiment_run own = *run;
    sn_context_options options = sn_context_options_default();
    options.allocator = (sn_allocator){count_allocate, count_release, &book};
    sn_status status = sn_context_create(&options, &own.context, error);
    if (status) return status;
    status = twist(&own, "drop", 1000, &l, error);
    if (!status) status = twist(&own, "freeze", 1000, &frozen, error);
    sn_context_destroy(own.context);
    if (status) return status;
    experiment_claim(run, "no-leak", (double)atomic_load(&book.bytes), "0 after 1000 coarsened tets",
                     atomic_load(&book.bytes) == 0 && l.tets >= 1000,
                     "bytes that are left after %lld changes with %lld coarsened tets", (long long)l.changes,
                     (long long)l.tets);
    experiment_claim(run, "momentum", l.linear, "< 1e-10", l.linear < 1e-10,
                     "largest change of the momentum of a free block at a change of its set, by the momentum");
    experiment_claim(run, "angular-momentum", l.angular, "< 1e-10", l.angular < 1e-10,
                     "the same of the angular momentum");
    experiment_note(run,
                    "energy at a change, by the energy: at most %.3g when tets are only refined, %.3g when some are "
                    "coarsened. Refining keeps the elastic energy and lowers the kinetic energy of the lumped mass; "
                    "coarsening drops details with their energy",
                    l.refined, l.dropped);
    experiment_claim(run, "frozen", fmax(frozen.linear, frozen.angular), "< 1e-10",
                     fmax(frozen.linear, frozen.angular) < 1e-10 && frozen.tets >= 1000,
                     "largest change of a momentum of the same block at a change of its set, by that of the body, when "
                     "details are frozen");
    experiment_note(run,
                    "with frozen details the energy changes by at most %.3g when tets are only refined, which brings "
                    "the energy of their details back, and %.3g when some are coarsened. From start to end it goes "
                    "from %.4g to %.4g J in %lld changes, and from %.4g to %.4g J in %lld with dropped details",
                    frozen.refined, frozen.dropped, frozen.start.total, frozen.end.total, (long long)frozen.changes,
                    l.start.total, l.end.total, (long long)l.changes);
    return SN_OK;
}

/* ---- The reaction of hanging nodes, which the document leaves out ---- */
/* A block that is stretched by a tenth with free sides: the largest distance from the uniform stretch, m, and the
 * elastic energy, J. */
static sn_status stretch(experiment_run *run, const char *reaction, double *far, double *energy, sn_error *error) {
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_energies e = {0};
    sn_status status = experiment_scene(
        run, &scene, &world, error,
        "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"mode\": \"static\", \"newton\": {\"tolerance\": "
        "1e-11}}, \"solver\": {\"tolerance\": 1e-12, \"precision\": \"double\", \"iterations\": 5000}, "
        "\"bodies\": [{\"mesh\": {\"box\": {\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": 1}, "
        "\"adapt\": {\"levels\": 2, \"reaction\": %s, \"select\": {\"sphere\": {\"center\": [0.15, 0.07, 0.03], "
        "\"radius\": 0.04}}}, \"material\": {\"law\": \"corotated\", \"young\": 1e4, \"poisson\": 0.3}, \"fix\": "
        "[{\"select\": {\"group\": \"x-\"}, \"axes\": \"x\"}, {\"select\": {\"group\": \"x+\"}, \"axes\": "
        "\"x\", \"displacement\": [0.04, 0, 0]}, {\"select\": {\"group\": \"y-\"}, \"axes\": \"y\"}, "
        "{\"select\": {\"group\": \"z-\"}, \"axes\": \"z\"}]}]}",
        reaction);
    if (!status) status = sn_world_step(world, NULL, error);
    if (!status) status = sn_world_energies(world, &e, error);
    *energy = e.elastic, *far = 0;
    const int nodes = status ? 0 : sn_world_node_count(world);
    double *x = calloc(3 * (size_t)nodes + 1, sizeof *x);
    if (x && nodes) status = sn_world_get(world, 0, x, NULL);
    const sn_mesh *mesh = nodes ? sn_world_body_mesh(world, 0) : NULL;
    const double wide[3] = {1.1, 0.97, 0.97}; /* this law keeps Hooke's ratio of 0.3 */
    for (int i = 0; i < 3 * nodes && x; ++i) *far = fmax(*far, fabs(x[i] - wide[i % 3] * mesh->position[i]));
    free(x);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

/* A free block, half of it refined, that twists: its momentum after 1 s, by the square root of 2 m E at the start. */
static sn_status drift(experiment_run *run, const char *reaction, double *part, sn_error *error) {
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_energies start = {0};
    const double mass = 0.4 * 0.1 * 0.1 * 1000, zero[3] = {0};
    double P[3] = {0}, L[3];
    sn_status status = experiment_scene(
        run, &scene, &world, error,
        "{\"sinew\": 1, \"gravity\": [0, 0, 0], \"time\": {\"step\": 0.01, \"newton\": {\"tolerance\": 1e-10}}, "
        "\"solver\": {\"tolerance\": 1e-12, \"precision\": \"double\", \"iterations\": 5000}, \"bodies\": [{\"mesh\": "
        "{\"box\": "
        "{\"size\": [0.4, 0.1, 0.1], \"cells\": [4, 1, 1]}, \"refine\": 1}, \"adapt\": {\"levels\": 2, "
        "\"reaction\": %s, \"select\": {\"box\": [[-1, -1, -1], [0.2, 1, 1]]}}, \"material\": {\"law\": "
        "\"corotated\", \"young\": 2e3, \"poisson\": 0.3, \"density\": 1000}, \"initial\": {\"twist\": 300}}]}",
        reaction);
    if (!status) status = sn_world_energies(world, &start, error);
    if (!status) status = step_for(world, 100, error);
    if (!status) sn_world_momentum(world, P, L);
    *part = distance(P, zero) / sqrt(2 * mass * start.total);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static sn_status leave_out(experiment_run *run, sn_error *error) {
    static const char *const reaction[2] = {"true", "false"};
    double far[2], energy[2], part[2];
    sn_status status = SN_OK;
    for (int k = 0; k < 2 && !status; ++k) {
        status = stretch(run, reaction[k], &far[k], &energy[k], error);
        if (!status) status = drift(run, reaction[k], &part[k], error);
    }
    if (status) return status;
    FILE *table = experiment_table(run, "reaction.csv",
                                   "reaction,distance from the uniform stretch (m),elastic energy (J),momentum after 1 "
                                   "s by (2 m E)^0.5",
                                   error);
    if (!table) return SN_IO;
    for (int k = 0; k < 2; ++k) fprintf(table, "%s,%.4g,%.6g,%.4g\n", reaction[k], far[k], energy[k], part[k]);
    fclose(table);
    experiment_claim(run, "patch", far[0], "< 1e-9, and 1e5 times that without the reaction",
                     far[0] < 1e-9 && far[1] > 1e5 * far[0],
                     "largest distance of a node from the uniform stretch of a block that is refined in a part, m; "
                     "without the reaction, as in the document, %.3g m in a block of 0.4 m, and %.3g times the energy",
                     far[1], energy[1] / energy[0]);
    experiment_claim(run, "balance", part[0], "< 1e-9, and 1e5 times that without the reaction",
                     part[0] < 1e-9 && part[1] > 1e5 * part[0],
                     "momentum that a free block with half of it refined has gained after 1 s of twisting, by the "
                     "square root of 2 m E; without the reaction %.3g",
                     part[1]);
    return SN_OK;
}

static sn_status run_adaptive(experiment_run *run, sn_error *error) {
    sn_status status = run_on_one_thread(run, compare_pads, error);
    experiment_progress(run, 0.6);
    if (!status) status = count_losses(run, error);
    experiment_progress(run, 0.8);
    if (!status) status = run_on_one_thread(run, leave_out, error);
    return status;
}

const experiment experiment_hauth_adaptive = {
    "hauth-adaptive", "adaptive refinement of a poked pad", "Hauth 3.1.2, 5.3.4", run_adaptive,
    "force displacement elements time:speed steady no-leak momentum angular-momentum frozen time:change patch balance"};
