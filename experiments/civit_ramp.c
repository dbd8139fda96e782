/* civit-ramp: bodies fall on a ramp, slide and come to rest by friction (Civit 3.4.2.2, figures 3.19 and 3.20).
 *
 * A beam falls from a height of 2 m on a ramp of 30 degrees with friction 0.75. The linear solver stops after 10 or 20
 * iterations, Newton's method after 1, 2, 4 or 8. Then four bodies with detailed surfaces of 1e4 triangles fall from
 * 1 m. The ramp is a body that is held. The response is `area`. */
#include <math.h>
#include <stdlib.h>

#include "experiment.h"

enum { BEAMS = 8, CREATURES = 4, ROOM = 20000 };
static const double step_length = 0.01;

/* A ramp whose upper side goes through the origin and falls in the direction of x. */
#define RAMP                                                                                                           \
    "{\"name\": \"ramp\", \"mesh\": {\"box\": {\"size\": [5, 0.5, 2], \"cells\": [10, 1, 4]}, \"move\": [%g, %g, "     \
    "-1], "                                                                                                            \
    "\"rotate\": [0, 0, 1, -30]}, \"fix\": [{\"select\": \"all\"}], \"material\": {\"density\": 1000}}"

typedef struct fall {
    double speed;      /* m/s: largest speed of a node at the end */
    double pull;       /* N: the strongest normal force that pulls; 0: none */
    double most, last; /* contact points: the most, and at the end */
    double way;        /* m: mean way of the body in the last quarter of a second */
    double farthest;   /* m: the farthest that the body went from its first place */
} fall;

/* The mean over the nodes: of positions the middle of the body, of velocities its velocity. */
static void mean_of(const sn_world *world, const double *x, double out[3]) {
    const int nodes = sn_world_body_mesh(world, 0)->node_count;
    for (int k = 0; k < 3; ++k) out[k] = 0;
    for (int i = 0; i < 3 * nodes; ++i) out[i % 3] += x[i] / nodes;
}

static double distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Looks at the contacts of a step. */
static void look(const sn_world *world, sn_contact *contact, fall *out) {
    const int count = sn_world_contacts(world, contact, ROOM);
    out->last = count;
    out->most = fmax(out->most, count);
    for (int i = 0; i < count && i < ROOM; ++i) {
        double normal = 0;
        for (int k = 0; k < 3; ++k) normal += contact[i].force[k] * contact[i].normal[k];
        out->pull = fmax(out->pull, -normal);
    }
}

static sn_status follow(sn_world *world, double end, FILE *table, const char *name, fall *out, sn_error *error) {
    const int nodes = sn_world_body_mesh(world, 0)->node_count, steps = (int)lround(end / step_length);
    double *x = malloc(6 * (size_t)nodes * sizeof *x), *v = x + 3 * (size_t)nodes;
    const double zero[3] = {0};
    double first[3], before[3] = {0}, now[3], velocity[3];
    sn_contact *contact = malloc(ROOM * sizeof *contact);
    sn_status status = x && contact ? sn_world_get(world, 0, x, v) : SN_NO_MEMORY;
    *out = (fall){0};
    if (!status) mean_of(world, x, first);
    for (int i = 1; i <= steps && !status; ++i) {
        status = sn_world_step(world, NULL, error);
        if (status) break;
        look(world, contact, out);
        sn_world_get(world, 0, x, v);
        mean_of(world, x, now);
        mean_of(world, v, velocity);
        out->farthest = fmax(out->farthest, distance(now, first));
        if (i == steps - 25) mean_of(world, x, before);
        if (i % 5 == 0)
            fprintf(table, "%s,%.3f,%.6f,%.6f,%.6f,%.0f\n", name, i * step_length, now[0], now[1],
                    distance(velocity, zero), out->last);
    }
    for (int i = 0; i < nodes && !status; ++i) out->speed = fmax(out->speed, distance(v + 3 * (size_t)i, zero));
    if (!status) out->way = distance(now, before);
    free(x), free(contact);
    return status;
}

static sn_status drop(experiment_run *run, const char *body, const char *newton, int linear, double friction,
                      double end, FILE *table, const char *name, fall *out, sn_error *error) {
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    /* The box is turned about its corner, then moved: the middle of its upper side comes to the origin. */
    sn_status status = experiment_scene(
        run, &scene, &world, error,
        "{\"sinew\": 1, \"gravity\": [0, -9.8, 0], \"time\": {\"step\": %g, \"newton\": %s}, "
        "\"solver\": {\"method\": \"cg\", \"tolerance\": 1e-8, \"iterations\": %d}, \"bodies\": [%s, " RAMP
        "], \"contact\": {\"response\": \"area\", \"friction\": %g}}",
        step_length, newton, linear, body, -2.5 * cos(M_PI / 6) - 0.5 * sin(M_PI / 6),
        2.5 * sin(M_PI / 6) - 0.5 * cos(M_PI / 6), friction);
    if (!status) status = follow(world, end, table, name, out, error);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

/* ---- The beam ---- */

static sn_status drop_beams(experiment_run *run, FILE *table, sn_error *error) {
    static const int linear[2] = {10, 20}, newton[4] = {1, 2, 4, 8};
    sn_status status = SN_OK;
    double speed = 0, way = 0, pull = 0;
    for (int i = 0; i < BEAMS && !status; ++i) {
        if (run->quick && i != 0 && i != 6) continue; /* the cheapest, and one with more work */
        char kind[96], name[32];
        fall result;
        snprintf(kind, sizeof kind, "{\"kind\": \"fixed\", \"iterations\": %d}", newton[i % 4]);
        snprintf(name, sizeof name, "beam-%d-%d", linear[i / 4], newton[i % 4]);
        status = drop(
            run,
            "{\"name\": \"beam\", \"mesh\": {\"box\": {\"size\": [2.1, 0.6, 0.6], \"cells\": [6, 3, 3], \"split\": 6}, "
            "\"move\": [-2, 3.2, -0.3]}, \"material\": {\"law\": \"corotated\", \"young\": 1000, "
            "\"poisson\": 0.35, \"density\": 2.116, \"rayleigh\": {\"mass\": 0.5, \"stiffness\": 0.01}}}",
            kind, linear[i / 4], 0.75, 3.75, table, name, &result, error);
        speed = fmax(speed, result.speed), way = fmax(way, result.way), pull = fmax(pull, result.pull);
        experiment_progress(run, 0.5 * (i + 1) / BEAMS);
    }
    if (status) return status;
    experiment_claim(run, "beam-rest", way, "< 0.002 m", way < 0.002,
                     "way of the beam in the last quarter of a second until 3.75 s, the largest of all runs; the "
                     "largest speed of a node at the end is %.4f m/s",
                     speed);
    experiment_claim(run, "beam-normal", pull, "< 1e-9 N", pull < 1e-9,
                     "strongest normal force that pulls, over all steps");
    return SN_OK;
}

/* ---- Detailed surfaces ---- */

static sn_status drop_creatures(experiment_run *run, FILE *table, sn_error *error) {
    static const struct {
        const char *name, *generator;
        double density, friction, turn; /* kg/m3; -; degrees */
    } creature[CREATURES] = {{"armadillo", "octopus", 22, 1, 20},
                             {"dragon", "dragon", 20, 0.75, 0},
                             {"happy", "dragon", 15, 0.5, 70},
                             {"horse", "octopus", 12, 0.5, 60}};
    const int triangles = run->quick ? 2000 : 10000;
    const double end = run->quick ? 2.5 : 4.7;
    sn_status status = SN_OK;
    double pull = 0, most = 0, least = INFINITY, far = 0;
    for (int i = 0; i < CREATURES && !status; ++i) {
        if (run->quick && i > 1) continue;
        char body[700];
        fall result;
        snprintf(body, sizeof body,
                 "{\"name\": \"%s\", \"mesh\": {\"embed\": {\"surface\": {\"%s\": {\"triangles\": %d, \"size\": 0.3}, "
                 "\"rotate\": [1, 0, 0, %g], \"move\": [-0.8, 1.8, 0]}, \"elements\": 450}}, "
                 "\"material\": {\"law\": \"corotated\", \"young\": 1000, \"poisson\": 0.25, \"density\": %g, "
                 "\"rayleigh\": {\"mass\": 0.5, \"stiffness\": 0.01}}}",
                 creature[i].name, creature[i].generator, triangles, creature[i].turn, creature[i].density);
        status = drop(run, body, "{\"kind\": \"one-step\"}", 20, creature[i].friction, end, table, creature[i].name,
                      &result, error);
        pull = fmax(pull, result.pull), most = fmax(most, result.most), least = fmin(least, result.most);
        far = fmax(far, result.farthest);
        experiment_progress(run, 0.5 + 0.5 * (i + 1) / CREATURES);
    }
    if (status) return status;
    experiment_claim(run, "surface-points", most, "10 to 1000", least >= 10 && most <= 1000,
                     "most contact points of a detailed body in a step; the fewest of the bodies: %.0f. The document: "
                     "77 to 118",
                     least);
    experiment_claim(run, "surface-normal", pull, "< 1e-9 N", pull < 1e-9,
                     "strongest normal force that pulls, over all steps");
    return SN_OK;
}

/* Where the middle of each body is along the ramp, and how fast it goes. The place is positive below the origin. The
 * names of the bodies are those in the table: a quick run has fewer. */
static void plot(experiment_run *run) {
    experiment_plot(
        run, "fall.svg",
        "set terminal svg size 1200,800 font 'sans,12' background '#ffffff'\nset output 'fall.svg'\n"
        "beams = ''; others = ''\n"
        "add(list, b) = strstrt(list, b) ? list : list.' '.b\n"
        "stats 'fall.csv' using (b = strcol(1), b[1:5] eq 'beam-' ? (beams = add(beams, b)) : (others = add(others, "
        "b)), "
        "0) skip 1 nooutput\n"
        "along(x, y) = x * cos(pi / 6) - y * sin(pi / 6)\n"
        "set multiplot layout 2,2\nset lmargin 9\nset xlabel 'time, s'\nset xrange [0:*]\n"
        "set ylabel 'place along the ramp, m'\nunset key\n"
        "set title 'Beam (beam-10-2: 10 iterations of CG, 2 of Newton)'\n"
        "plot for [b in beams] 'fall.csv' using (strcol(1) eq b ? $2 : NaN):(along($3, $4)) skip 1 with lines lw 2 "
        "title "
        "b\n"
        "set title 'Bodies with detailed surfaces'\n"
        "plot for [b in others] 'fall.csv' using (strcol(1) eq b ? $2 : NaN):(along($3, $4)) skip 1 with lines lw 2 "
        "title b\n"
        "set ylabel 'speed of the middle, m/s'\nset yrange [0:*]\nset key right top\nunset title\n"
        "plot for [b in beams] 'fall.csv' using (strcol(1) eq b ? $2 : NaN):5 skip 1 with lines lw 2 title b\n"
        "plot for [b in others] 'fall.csv' using (strcol(1) eq b ? $2 : NaN):5 skip 1 with lines lw 2 title b\n"
        "unset multiplot");
}

static sn_status run_experiment(experiment_run *run, sn_error *error) {
    FILE *table = experiment_table(run, "fall.csv", "body,time,x,y,speed,contacts", error);
    if (!table) return SN_IO;
    sn_status status = drop_beams(run, table, error);
    if (!status) status = drop_creatures(run, table, error);
    fclose(table);
    if (!status) plot(run);
    experiment_note(run, "the document's models are not free: an octopus and a dragon of our own stand for them, with "
                         "its moduli and coefficients of friction, and densities of 12 to 22 kg/m3");
    experiment_note(run, "the response solves the document's conditions inside the step instead of correcting "
                         "increments node by node; docs/contact-between-bodies.md has the reason");
    return status;
}

const experiment experiment_civit_ramp = {
    "civit-ramp", "a beam and detailed bodies fall on a ramp and stay there by friction", "Civit 3.4.2.2",
    run_experiment, "beam-rest beam-normal surface-points surface-normal"};
