/* contact-pile: twenty creatures fall on each other in a tub, with the response `exact`.
 *
 * The creatures are like those of the scene creature-pile: octopuses and dragons with surfaces of 1,500 triangles in
 * tets, rings, balls and boxes. They touch each other and themselves. One linear solve in a step of 10 ms.
 *
 * Brute force (intersections.h), which shares no code with the response, looks for intersections. */
#include <math.h>
#include <string.h>

#include "contact_stage.h"
#include "experiment.h"
#include "intersections.h"
#include "timing.h"

enum { STEPS = 300, QUICK_STEPS = 36, BODIES = 20 };

/* A number in [-1, 1). */
static double next_number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* Four creatures are in a layer. */
static void add_creature(contact_stage *s, int number, uint64_t *seed) {
    static const char *const kinds[] = {"octopus", "torus", "sphere", "box", "dragon"};
    static const sn_generator_value values[][3] = {
        {{"triangles", 1, {1500}}, {"size", 1, {0.14}}},
        {{"radius", 1, {0.07}}, {"minor", 1, {0.03}}, {"cells", 2, {14, 2}}},
        {{"radius", 3, {0.09, 0.06, 0.075}}, {"cells", 1, {3}}},
        {{"size", 3, {0.15, 0.09, 0.12}}, {"cells", 3, {4, 3, 3}}, {"split", 1, {5}}},
        {{"triangles", 1, {1500}}, {"size", 1, {0.14}}},
    };
    static const int counts[] = {2, 3, 2, 3, 2};
    const int kind = number % 5;
    const double axis[3] = {next_number(seed), 1, next_number(seed)}, degrees = 180 * next_number(seed),
                 middle[3] = {number & 1 ? 0.125 : -0.125, 0.2 + 0.25 * (number / 4), number & 2 ? 0.125 : -0.125};
    sn_mesh *mesh = stage_generate(s, kinds[kind], values[kind], counts[kind],
                                   kind == 3 ? (const double[3]){-0.075, -0.045, -0.06} : (const double[3]){0});
    if (mesh) sn_mesh_rotate(mesh, axis, degrees), sn_mesh_move(mesh, middle);
    if (kind % 4 == 0)
        stage_embed(s, mesh, 500);
    else
        stage_add(s, mesh);
}

static void make_stage(experiment_run *run, contact_stage *s) {
    uint64_t seed = 3;
    sn_collider tub = sn_collider_default();
    stage_start(s, run->context, "exact");
    stage_constant(s, "young", 4e4);
    stage_constant(s, "poisson", 0.35);
    for (int i = 0; i < STAGE_BODIES; ++i) s->material[i].rayleigh[0] = 0.3, s->material[i].rayleigh[1] = 0.003;
    snprintf(s->options.time.newton.kind, sizeof s->options.time.newton.kind, "one-step");
    s->options.solver.tolerance = 1e-4;
    s->options.contact.self = true;
    s->options.contact.friction = tub.friction = 0.4;
    snprintf(tub.shape, sizeof tub.shape, "box");
    tub.inside = true;
    s->status = sn_collider_set(&tub, "size", (const double[3]){0.56, 4, 0.56}, 3, &s->error);
    if (!s->status) s->status = sn_collider_set(&tub, "center", (const double[3]){0, 2, 0}, 3, &s->error);
    s->options.collider = &tub, s->options.collider_count = 1;
    for (int i = 0; i < BODIES; ++i) add_creature(s, i, &seed);
    stage_create(s);
}

static void claim(experiment_run *run, contact_stage *s, int steps, int every, FILE *table) {
    skin skin = skin_make(s->world);
    sn_step_report report;
    int done = 0, looks = 0, dirty = 0, contacts = 0, divided = 0;
    const double began = thread_seconds();
    double looking = 0;
    for (; done < steps && !s->status; ++done) {
        s->status = sn_world_step(s->world, &report, &s->error);
        if (s->status) break;
        divided += report.retries > 0;
        contacts = sn_world_contacts(s->world, NULL, 0);
        experiment_progress(run, (done + 1.0) / steps);
        if ((done + 1) % every != 0) continue;
        const double start = thread_seconds();
        const int found = count_intersections(&skin, s->world, true);
        ++looks, dirty += found > 0;
        looking += thread_seconds() - start;
        fprintf(table, "%d,%d,%d,%.6g\n", done + 1, found, contacts, stage_kinetic(s));
    }
    experiment_claim(run, "steps", done, "= all", done == steps, "steps done, of %d", steps);
    experiment_claim(run, "clean", dirty, "= 0", dirty == 0 && looks == steps / every,
                     "frames with intersections, of %d (each %d. frame), by brute force", looks, every);
    experiment_claim(run, "touch", contacts, "> 20", contacts > 20, "contacts at the end");
    experiment_note(run, "%.3g s of processor time for the steps; %d steps were divided",
                    thread_seconds() - began - looking, divided);
    skin_release(&skin);
}

static void plot(experiment_run *run) {
    experiment_plot(run, "pile.svg",
                    "set multiplot layout 2,1\nset lmargin 11\nset xlabel 'time, s'\nset xrange [0:*]\n"
                    "set ylabel 'kinetic energy, J'\nset logscale y\nset format y '%g'\nunset key\n"
                    "plot 'pile.csv' using ($1 * 0.01):4 skip 1 with linespoints pt 7 ps 0.4 lw 2\n"
                    "unset logscale y\nset ylabel 'number in the frame'\nset yrange [-5:*]\nset key right center\n"
                    "plot 'pile.csv' using ($1 * 0.01):3 skip 1 with linespoints pt 7 ps 0.4 lw 2 title 'contacts', "
                    "'' using ($1 * 0.01):2 skip 1 with linespoints pt 7 ps 0.4 lw 2 title 'intersections'\n"
                    "unset multiplot");
}

static sn_status measure(experiment_run *run, sn_error *error) {
    contact_stage s;
    FILE *table = experiment_table(run, "pile.csv", "steps,intersections,contacts,kinetic", error);
    if (!table) return SN_IO;
    make_stage(run, &s);
    if (!s.status) claim(run, &s, run->quick ? QUICK_STEPS : STEPS, run->quick ? 6 : 5, table);
    fclose(table);
    if (!s.status) plot(run);
    return stage_end(&s, error);
}

static sn_status run_experiment(experiment_run *run, sn_error *error) { return run_on_one_thread(run, measure, error); }

const experiment experiment_contact_pile = {"contact-pile", "a pile of twenty creatures: nothing intersects",
                                            "beyond the documents", run_experiment, "steps clean touch"};
