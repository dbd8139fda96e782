/* cloth-motion: ten seconds of cloth that touches, with the response `exact`, and no intersection in any frame.
 *
 * - ball: a sheet falls on a soft ball that lies on a floor, and hangs down around it in folds.
 * - ring: the middle of a sheet is pulled down through a ring until the whole sheet is through. It hangs there.
 * - stack: ten sheets, each turned against the others, fall on each other and on a floor.
 *
 * Floor, ball and ring are bodies. Brute force (intersections.h), which shares no code with the response, looks at each
 * frame at all pairs of triangles, also those of one sheet. Surfaces are connected and nothing moves by more than the
 * size of a body in a step, so that nothing passes through anything when no frame has an intersection. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "intersections.h"
#include "timing.h"

#define THICKNESS 0.002 /* m */
enum { SHEETS = 10 };
static const double duration = 10, quick_duration = 0.8, step_length = 0.01; /* s */

/* What a run has seen. */
typedef struct course {
    int steps, dirty, pairs, contacts; /* frames with intersections, pairs at the end, the largest number of contacts */
    int64_t divided;
    double seconds, fastest; /* processor time; the largest speed of a node at the end, m/s */
    double nearest;          /* at the end: a vertex from another body, over the distance that they keep */
    double low[SHEETS + 2], high[SHEETS + 2], mean[SHEETS + 2]; /* heights of the bodies at the end, m */
} course;

/* ---- What is measured ---- */

/* The smallest distance of a vertex from a triangle of another body, over the distance that they keep: half the
 * thickness of each cloth. Pairs farther than twice that are left out. */
static double nearest(const skin *s) {
    double least = 2;
    for (int i = 0; i < 3 * s->count; ++i)
        for (int j = 0; j < s->count; ++j) {
            const int a = s->owner[i / 3], b = s->owner[j];
            const double kept = 0.5 * THICKNESS * (!s->solid[a] + !s->solid[b]), *t[3];
            const double *p = s->position + 3 * s->corner[i];
            if (a == b || kept == 0) continue;
            bool far = false;
            for (int c = 0; c < 3; ++c) t[c] = s->position + 3 * s->corner[3 * j + c];
            for (int k = 0; k < 3; ++k)
                far = far || fmin(t[0][k], fmin(t[1][k], t[2][k])) > p[k] + 2 * kept ||
                      fmax(t[0][k], fmax(t[1][k], t[2][k])) < p[k] - 2 * kept;
            if (!far) least = fmin(least, sqrt(square_from_triangle(p, t)) / kept);
        }
    return least;
}

static double fastest(sn_world *world, int body) {
    const int nodes = sn_world_body_mesh(world, body)->node_count;
    double *v = malloc(3 * (size_t)nodes * sizeof *v), most = 0;
    if (!v || sn_world_get(world, body, NULL, v)) abort();
    for (int i = 0; i < nodes; ++i) most = fmax(most, hypot(hypot(v[3 * i], v[3 * i + 1]), v[3 * i + 2]));
    free(v);
    return most;
}

static void heights(const skin *s, course *c) {
    for (int b = 0; b < s->body_count; ++b) {
        const int first = s->first[b], count = s->first[b + 1] - first;
        c->low[b] = INFINITY, c->high[b] = -INFINITY, c->mean[b] = 0;
        for (int i = first; i < first + count; ++i) {
            const double y = s->position[3 * i + 1];
            c->low[b] = fmin(c->low[b], y), c->high[b] = fmax(c->high[b], y), c->mean[b] += y / count;
        }
    }
}

/* ---- A run ---- */

typedef struct trial {
    const char *name;
    double from, to; /* of the progress */
} trial;

static sn_status take_steps(experiment_run *run, const trial *t, sn_world *world, skin *skin, FILE *table, course *c,
                            sn_error *error) {
    const double end = run->quick ? quick_duration : duration;
    const int bodies = sn_world_body_count(world);
    sn_status status = SN_OK;
    while (sn_world_time(world) < end - 0.5 * step_length && !status) {
        const double began = thread_seconds();
        sn_step_report report;
        status = sn_world_step(world, &report, error);
        if (status) break;
        c->seconds += thread_seconds() - began;
        c->divided += report.retries > 0;
        ++c->steps;
        const int contacts = sn_world_contacts(world, NULL, 0);
        c->contacts = contacts > c->contacts ? contacts : c->contacts;
        c->pairs = count_intersections(skin, world, true);
        c->dirty += c->pairs > 0;
        if (c->steps % 10 != 0) continue;
        c->fastest = 0;
        for (int b = 0; b < bodies; ++b) c->fastest = fmax(c->fastest, fastest(world, b));
        fprintf(table, "%s,%.4g,%d,%d,%.4g,%.4g\n", t->name, sn_world_time(world), contacts, c->pairs, c->fastest,
                c->seconds / c->steps);
        fflush(table);
        experiment_progress(run, t->from + (t->to - t->from) * sn_world_time(world) / end);
    }
    heights(skin, c);
    c->nearest = nearest(skin);
    return status;
}

static sn_status run_trial(experiment_run *run, const trial *t, sn_scene *scene, sn_world *world, FILE *table,
                           course *c, sn_error *error) {
    skin skin = skin_make(world);
    *c = (course){0};
    const sn_status status = take_steps(run, t, world, &skin, table, c, error);
    skin_release(&skin);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    return status;
}

static void claim_clean(experiment_run *run, const trial *t, const course *c) {
    const int steps = (int)((run->quick ? quick_duration : duration) / step_length + 0.5);
    experiment_claim(run, t->name, c->dirty, "= 0", c->dirty == 0 && c->steps == steps && c->contacts > 0,
                     "%s: frames with intersections, of %d (each frame, by brute force, with those of a sheet with "
                     "itself). At most %d contacts at a time; %d pairs of triangles intersect at the end",
                     t->name, steps, c->contacts, c->pairs);
    experiment_note(
        run,
        "%s: at the end a vertex is at least %.4f of the kept distance from other bodies (2: none is near), "
        "and the fastest node has %.2g m/s. %.3g ms of processor time for a step; %lld of %d steps divided",
        t->name, c->nearest, c->fastest, 1e3 * c->seconds / c->steps, (long long)c->divided, c->steps);
}

/* ---- The scenes ---- */

#define HEAD                                                                                                           \
    "{\"sinew\": 1, \"time\": {\"step\": %g, \"newton\": {\"kind\": \"one-step\"}}, \"contact\": {\"response\": "      \
    "\"exact\", \"self\": true, \"friction\": %g}, \"bodies\": ["
#define FLOOR                                                                                                          \
    "{\"mesh\": {\"box\": {\"size\": [1, 0.05, 1], \"cells\": [5, 1, 5]}, \"move\": [-0.5, -0.05, -0.5]}, \"fix\": "   \
    "[{\"select\": \"all\"}], \"material\": {\"young\": 1e6, \"density\": 500}}, "
#define CLOTH                                                                                                          \
    "\"thickness\": %g, \"material\": {\"law\": \"cloth-stvk\", \"young\": 1e5, \"poisson\": 0.3, \"density\": 150, "  \
    "\"bending\": {\"stiffness\": 1e-5}, \"rayleigh\": {\"mass\": 0.5, \"stiffness\": 0.003}}"

/* The sheet lies on the ball, and nowhere lower than the floor. */
static sn_status ball(experiment_run *run, FILE *table, sn_error *error) {
    static const trial t = {"ball", 0, 0.4};
    course c;
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_status status = experiment_scene(
        run, &scene, &world, error,
        HEAD FLOOR "{\"mesh\": {\"sphere\": {\"radius\": 0.15, \"cells\": 4}, \"move\": [0, 0.153, 0]}, \"material\": "
                   "{\"young\": 1e5, \"poisson\": 0.35, \"density\": 300, \"rayleigh\": {\"stiffness\": 0.002}}}, "
                   "{\"mesh\": {\"grid\": {\"size\": [0.8, 0.8], \"cells\": [26, 26]}, \"rotate\": [0, 1, 0, 20], "
                   "\"move\": [0.02, 0.33, 0.01]}, " CLOTH "}]}",
        step_length, 0.3, THICKNESS);
    if (!status) status = run_trial(run, &t, scene, world, table, &c, error);
    if (status) return status;
    claim_clean(run, &t, &c);
    experiment_claim(run, "ball-drape", c.high[2] - c.low[2], "> 0.2", c.high[2] - c.low[2] > 0.2 && c.low[2] > 0,
                     "height of the sheet around the ball, m; its lowest point is at %.4g m, the floor at 0", c.low[2]);
    return SN_OK;
}

static sn_status ring(experiment_run *run, FILE *table, sn_error *error) {
    static const trial t = {"ring", 0.4, 0.7};
    const double pulled = run->quick ? 0.6 : 4;
    course c;
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    sn_status status = experiment_scene(
        run, &scene, &world, error,
        HEAD "{\"mesh\": {\"torus\": {\"radius\": 0.09, \"minor\": 0.025, \"cells\": [16, 1]}}, \"fix\": "
             "[{\"select\": \"all\"}], \"material\": {\"young\": 1e6, \"density\": 500}}, "
             "{\"mesh\": {\"grid\": {\"size\": [0.5, 0.5], \"cells\": [20, 20]}, \"move\": [0, 0.03, 0]}, "
             "\"fix\": [{\"select\": {\"sphere\": {\"center\": [0, 0.03, 0], \"radius\": 0.03}}, \"keys\": "
             "[[0, 0, 0, 0], [%g, 0, %g, 0]]}], " CLOTH "}]}",
        step_length, 0.1, pulled, run->quick ? -0.1 : -0.5, THICKNESS);
    if (!status) status = run_trial(run, &t, scene, world, table, &c, error);
    if (status) return status;
    claim_clean(run, &t, &c);
    /* A short run pulls a part of the sheet. */
    experiment_claim(run, "ring-through", run->quick ? c.low[1] : c.high[1], "below the ring",
                     (run->quick ? c.low[1] : c.high[1]) < -0.025,
                     "height of the %s point of the sheet at the end, m; the ring is 0.025 m thick on either side of 0",
                     run->quick ? "lowest" : "highest");
    return SN_OK;
}

static sn_status stack(experiment_run *run, FILE *table, sn_error *error) {
    static const trial t = {"stack", 0.7, 1};
    course c;
    sn_scene *scene = NULL;
    sn_world *world = NULL;
    char sheets[SHEETS * 640];
    size_t length = 0;
    for (int i = 0; i < SHEETS; ++i)
        length +=
            (size_t)snprintf(sheets + length, sizeof sheets - length,
                             "%s{\"mesh\": {\"grid\": {\"size\": [0.24, 0.24], \"cells\": [8, 8]}, \"rotate\": "
                             "[0, 1, 0, %d], \"move\": [%g, %g, %g]}, " CLOTH "}",
                             i ? ", " : "", 13 * i, 0.01 * sin(3 * i), 0.01 + 0.01 * i, 0.01 * cos(5 * i), THICKNESS);
    sn_status status = experiment_scene(run, &scene, &world, error, HEAD FLOOR "%s]}", step_length, 0.3, sheets);
    if (!status) status = run_trial(run, &t, scene, world, table, &c, error);
    if (status) return status;
    claim_clean(run, &t, &c);
    double least = INFINITY, most = 0;
    for (int i = 2; i <= SHEETS; ++i) {
        least = fmin(least, (c.mean[i] - c.mean[i - 1]) / THICKNESS);
        most = fmax(most, (c.mean[i] - c.mean[i - 1]) / THICKNESS);
    }
    experiment_claim(run, "stack-order", least, "in [0.99, 2]", least >= 0.99 && most < 2,
                     "smallest distance of a sheet from the next one by their mean heights, in thicknesses; the "
                     "largest is %.3f",
                     most);
    return SN_OK;
}

static void plot(experiment_run *run) {
    experiment_plot(run, "motion.svg",
                    "set terminal svg size 900,700 font 'sans,13' background '#ffffff'\nset output 'motion.svg'\n"
                    "set datafile separator ','\nset multiplot layout 2,1\nset lmargin 10\nset grid\n"
                    "set key center right\nruns = 'ball ring stack'\nset logscale y\nset ylabel 'contacts'\n"
                    "plot for [r in runs] 'motion.csv' using 2:(strcol(1) eq r ? $3 : NaN) skip 1 with lines lw 2 "
                    "title r\n"
                    "set xlabel 'time (s)'\nset ylabel 'fastest node (m/s)'\nset format y '10^{%T}'\n"
                    "set key top right\n"
                    "plot for [r in runs] 'motion.csv' using 2:(strcol(1) eq r ? $5 : NaN) skip 1 with lines lw 2 "
                    "title r\nunset multiplot");
}

static sn_status measure(experiment_run *run, sn_error *error) {
    FILE *table = experiment_table(run, "motion.csv",
                                   "run,time (s),contacts,pairs that intersect,fastest node (m/s),processor time of a "
                                   "step (s)",
                                   error);
    if (!table) return SN_IO;
    sn_status status = ball(run, table, error);
    if (!status) status = ring(run, table, error);
    if (!status) status = stack(run, table, error);
    fclose(table);
    if (!status) plot(run);
    return status;
}

static sn_status run_experiment(experiment_run *run, sn_error *error) { return run_on_one_thread(run, measure, error); }

const experiment experiment_cloth_motion = {
    "cloth-motion", "cloth on a ball, through a ring and in a stack for ten seconds: nothing intersects",
    "the response exact", run_experiment, "ball ball-drape ring ring-through stack stack-order"};
