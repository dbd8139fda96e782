/* contact-shaken: a closed box with soft creatures is shaken for a hundred thousand steps, with the response `exact`.
 *
 * The box is a held body that moves along random keys: about once in a fifth of a second it takes another way. The
 * creatures are an octopus and a dragon with surfaces of 500 triangles in coarse tets, a ring and a ball. They touch
 * the box, each other and themselves. One linear solve in a step of 5 ms, so that contacts are met by stops.
 *
 * Brute force (intersections.h), which shares no code with the response, looks for intersections. All else is looked at
 * after each step. The walls work on the creatures, so energy is not kept. But without a source of energy nothing can
 * get faster than the walls and gravity make it: the mean speed is the figure. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact_stage.h"
#include "experiment.h"
#include "intersections.h"
#include "timing.h"
#include "voxels.h"

enum { STEPS = 100000, QUICK_STEPS = 300, WALLS = 0, BODIES = 5 };
static const double step_length = 0.005, key_length = 0.2, shake = 0.15, /* s, s, m: the width of the shaking */
    cell = 0.1, half = 0.1;                                              /* m: of the box, and of its inside */

static bool is_wall(int i, int j, int k) { return i == 0 || i == 3 || j == 0 || j == 3 || k == 0 || k == 3; }

/* Random keys for so many steps; release with free(). The box starts at rest at its place. */
static double *make_keys(int steps, int *count) {
    uint64_t seed = 7;
    *count = 2 + (int)ceil(steps * step_length / key_length);
    double *key = calloc(4 * (size_t)*count, sizeof *key);
    for (int i = 1; key && i < *count; ++i) {
        key[4 * i] = i * key_length;
        for (int a = 1; a < 4; ++a) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            key[4 * i + a] = shake * ((double)(seed >> 11) * 0x1p-53 - 0.5);
        }
    }
    return key;
}

static void add_bodies(contact_stage *s) {
    const sn_generator_value detailed[] = {{"triangles", 1, {500}}, {"size", 1, {0.06}}},
                             ring[] = {{"radius", 1, {0.035}}, {"minor", 1, {0.014}}, {"cells", 2, {9, 1}}},
                             ball[] = {{"radius", 1, {0.03}}, {"cells", 1, {2}}};
    stage_add(s, voxel_mesh(s->context, (const int[3]){4, 4, 4}, cell,
                            (const double[3]){-2 * cell, -2 * cell, -2 * cell}, is_wall));
    stage_hold(s, stage_all());
    stage_embed(s, stage_generate(s, "octopus", detailed, 2, (const double[3]){0, -0.095, 0}), 100);
    stage_embed(s, stage_generate(s, "dragon", detailed, 2, (const double[3]){0, -0.02, 0}), 100);
    stage_add(s, stage_generate(s, "torus", ring, 3, (const double[3]){-0.045, 0.07, -0.04}));
    stage_add(s, stage_generate(s, "sphere", ball, 2, (const double[3]){0.06, 0.066, 0.05}));
}

static void make_stage(experiment_run *run, contact_stage *s, int steps, double **key) {
    stage_start(s, run->context, "exact");
    stage_constant(s, "young", 1e5);
    stage_constant(s, "poisson", 0.35);
    for (int i = 0; i < STAGE_BODIES; ++i) s->material[i].rayleigh[1] = 0.002;
    s->options.time.step = step_length;
    snprintf(s->options.time.newton.kind, sizeof s->options.time.newton.kind, "one-step");
    /* A direct solver needs no tolerance. Barriers of small gaps have such large forces that the tolerance of an
     * iterative one must be very small (sole_tolerance in time/newton.c). */
    snprintf(s->options.solver.method, sizeof s->options.solver.method, "ldlt");
    s->options.contact.self = true;
    s->options.contact.friction = 0.3;
    add_bodies(s);
    *key = make_keys(steps, &s->fix[WALLS].key_count);
    s->fix[WALLS].key = *key;
    stage_create(s);
}

/* What the run has seen. */
typedef struct course {
    int steps, looks, dirty, escapes, touched;
    double fastest, walls; /* m/s: the largest mean speed of a creature, and the largest speed of the walls */
    double seconds;        /* processor time of the steps */
    int64_t divided;
} course;

/* Looks at the creatures after a step. */
static void look(contact_stage *s, double *room, course *c) {
    double middle[3], walls[3];
    bool out = false;
    stage_middle(s, WALLS, walls);
    for (int b = 1; b < BODIES && !s->status; ++b) {
        const int nodes = s->mesh[b]->node_count;
        double momentum[3] = {0};
        stage_middle(s, b, middle);
        for (int a = 0; a < 3; ++a) out = out || !(fabs(middle[a] - walls[a]) < half);
        s->status = sn_world_get(s->world, b, NULL, room);
        for (int i = 0; i < 3 * nodes; ++i) momentum[i % 3] += room[i] / nodes;
        c->fastest =
            fmax(c->fastest, sqrt(momentum[0] * momentum[0] + momentum[1] * momentum[1] + momentum[2] * momentum[2]));
    }
    c->escapes += out;
    c->touched += sn_world_contacts(s->world, NULL, 0) > 0;
}

static void shake_box(experiment_run *run, contact_stage *s, int steps, int every, FILE *table, course *c) {
    skin skin = skin_make(s->world);
    int most = 0;
    for (int b = 0; b < BODIES; ++b) most = s->mesh[b]->node_count > most ? s->mesh[b]->node_count : most;
    double *room = malloc(3 * (size_t)most * sizeof *room);
    while (c->steps < steps && !s->status) {
        const double began = thread_seconds();
        sn_step_report report;
        s->status = sn_world_step(s->world, &report, &s->error);
        if (s->status) break;
        c->seconds += thread_seconds() - began;
        c->divided += report.retries > 0;
        ++c->steps;
        look(s, room, c);
        if (c->steps % every == 0) ++c->looks, c->dirty += count_intersections(&skin, s->world, true) > 0;
        if (c->steps % (steps / 100) != 0) continue;
        fprintf(table, "%d,%d,%d,%d,%.4g,%lld,%.4g\n", c->steps, c->looks, c->dirty, c->escapes, c->fastest,
                (long long)c->divided, c->seconds);
        fflush(table);
        experiment_progress(run, (double)c->steps / steps);
    }
    free(room);
    skin_release(&skin);
}

static double fastest_key(const double *key, int count) {
    double most = 0;
    for (int i = 1; i < count; ++i) {
        double way = 0;
        for (int a = 1; a < 4; ++a) way += pow(key[4 * i + a] - key[4 * i - 4 + a], 2);
        most = fmax(most, sqrt(way) / key_length);
    }
    return most;
}

/* Elastic walls would return twice their speed, the fall through the whole box adds the rest. */
static double speed_limit(const course *c) { return 2 * c->walls + sqrt(2 * 9.81 * 4 * half); }

static void claim(experiment_run *run, const course *c, int steps, int every) {
    experiment_claim(run, "steps", c->steps, "= all", c->steps == steps, "steps done, of %d; contacts in %d of them",
                     steps, c->touched);
    experiment_claim(run, "clean", c->dirty, "= 0", c->dirty == 0 && c->looks == c->steps / every && c->looks > 0,
                     "frames with intersections, of %d (each %d. frame), by brute force", c->looks, every);
    experiment_claim(run, "escapes", c->escapes, "= 0", c->escapes == 0, "frames with a creature outside of the box");
    const double limit = speed_limit(c);
    experiment_claim(
        run, "speed", c->fastest, "< 2 walls + fall", c->fastest < limit,
        "largest mean speed of a creature, m/s: less than %.3g, twice the largest speed of the walls (%.3g) "
        "and that of a fall through the box",
        limit, c->walls);
    experiment_note(run, "%.4g s of processor time, %.3g ms for a step; %lld steps were divided", c->seconds,
                    1e3 * c->seconds / fmax(c->steps, 1), (long long)c->divided);
}

/* Speeds and counts so far, over the steps. */
static void plot(experiment_run *run, const course *c) {
    char script[1200];
    snprintf(script, sizeof script,
             "set multiplot layout 2,1\nset lmargin 9\nset xlabel 'steps of %g ms'\nset xrange [0:*]\n"
             "set ylabel 'largest speed so far, m/s'\nset yrange [0:%g]\nset key right center\n"
             "plot %g with lines dashtype 2 lw 2 lc rgb '#555555' title 'limit: twice the walls, and a fall', "
             "'shaken.csv' using 1:5 skip 1 with lines lw 2 title 'mean of a creature', "
             "%g with lines dashtype 3 lw 2 title 'walls'\n"
             "set ylabel 'number so far'\nset yrange [-0.2:2<*]\nset key outside top center horizontal\n"
             "plot 'shaken.csv' using 1:6 skip 1 with lines lw 2 title 'divided steps', "
             "'' using 1:3 skip 1 with lines lw 5 title 'frames with intersections', "
             "'' using 1:4 skip 1 with lines lw 2 dashtype 2 title 'frames with a creature outside'\n"
             "unset multiplot",
             1e3 * step_length, 1.15 * speed_limit(c), speed_limit(c), c->walls);
    experiment_plot(run, "shaken.svg", script);
}

static sn_status measure(experiment_run *run, sn_error *error) {
    const int steps = run->quick ? QUICK_STEPS : STEPS, every = run->quick ? 5 : 50;
    contact_stage s;
    course c = {0};
    double *key = NULL;
    FILE *table = experiment_table(run, "shaken.csv", "steps,looks,dirty,escapes,fastest,divided,seconds", error);
    if (!table) return SN_IO;
    make_stage(run, &s, steps, &key);
    if (!s.status) {
        int tets = 0;
        for (int b = 1; b < BODIES; ++b) tets += s.mesh[b]->tet_count;
        experiment_note(run, "creatures of %d tets in all; the walls take a new way each %g s", tets, key_length);
        c.walls = fastest_key(key, s.fix[WALLS].key_count);
        shake_box(run, &s, steps, every, table, &c);
        claim(run, &c, steps, every);
    }
    fclose(table);
    if (!s.status) plot(run, &c);
    const sn_status status = stage_end(&s, error);
    free(key);
    return status;
}

static sn_status run_experiment(experiment_run *run, sn_error *error) { return run_on_one_thread(run, measure, error); }

const experiment experiment_contact_shaken = {
    "contact-shaken", "a box of creatures that is shaken for a hundred thousand steps: nothing intersects",
    "beyond the documents", run_experiment, "steps clean escapes speed"};
