/* A sheet that falls on a ball, beside Bullet, MuJoCo and Jolt: one run, one table for each sheet.
 *
 * A square sheet of 1 m x 1 m (bench/cloth/scene.c) of 900 vertices for 0.6 s, of 10,000 vertices for 0.3 s; then
 * Sinew alone with 9,800 triangles at 60 steps a second, and with 100,352 triangles. All engines get the same sheet,
 * mass, ball, friction and time. Nobody sleeps. Times are processor time, without the set-up. Each peer runs with
 * settings that carry the sheet, at the largest step for them; bench/cloth/peers.c says which row the ratios count
 * against. Sinew takes one linear solve to a hundredth per step, and touches itself.
 *
 *   bench_cloth [--peers FOLDER] [--alone] [--verbose] [--sheet 0|1|2|3] [--threads N] [--seconds S] [--step S]
 *               [--tolerance T] [--stretch N/m] [--friction F] [--ball collider|held] [--no-self]
 *
 * --peers is where scripts/peers.sh installed MuJoCo and Jolt; without it both are left out. --alone leaves out all
 * peers. The others change the runs of Sinew. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cloth/measure.h"
#include "cloth/peers.h"
#include "peers/node.h"
#include "shared.h"

typedef struct choice {
    const char *peers, *ball;
    int alone, verbose, sheet, threads, self;
    double seconds, step, tolerance, stretch, friction;
} choice;

enum { SHEETS = 4 };
/* seconds must be a multiple of frame, frame one of step */
static const struct sheet {
    const char *text;
    int side;
    double seconds, frame, step;
    double stretch; /* N/m */
    bool peers;
} sheets[SHEETS] = {{"900 vertices", 30, 0.6, 0.1, 1. / 60, 8000, true},
                    {"10,000 vertices", 100, 0.3, 0.1, 1. / 60, 5000, true},
                    {"9,800 triangles", 71, 1, 0.1, 1. / 60, 5000, false},
                    {"100,352 triangles", 225, 0.2, 0.1, 1. / 60, 5000, false}};

/* ---- Sinew ---- */

static sn_mesh *sheet_mesh(sn_context *context, const cloth_scene *scene) {
    sn_error error;
    sn_mesh *mesh;
    bench_check(sn_mesh_create(context, scene->node_count, 0, 4, scene->triangle_count, &mesh, &error), &error);
    memcpy(mesh->position, scene->position, sizeof(double) * 3 * (size_t)scene->node_count);
    memcpy(mesh->triangle, scene->triangle, sizeof(int32_t) * 3 * (size_t)scene->triangle_count);
    return mesh;
}

static sn_material sheet_material(const cloth_scene *scene) {
    sn_error error;
    sn_material material = sn_material_default();
    const double young = scene->stretch / scene->thickness;
    strcpy(material.law, "cloth-stvk");
    material.area_density = scene->area_density;
    material.bending_stiffness = scene->bending;
    material.rayleigh[1] = scene->damping;
    bench_check(sn_material_set(&material, "young", &young, 1, &error), &error);
    bench_check(sn_material_set(&material, "poisson", &scene->poisson, 1, &error), &error);
    return material;
}

static sn_mesh *ball_mesh(sn_context *context, const cloth_scene *scene) {
    sn_error error;
    sn_mesh *mesh;
    const sn_generator_value value[] = {{"radius", 1, {scene->radius}}, {"cells", 1, {8}}};
    bench_check(sn_mesh_generate(context, "sphere", value, 2, &mesh, &error), &error);
    return mesh;
}

static sn_world *make_world(sn_context *context, const cloth_scene *scene, const choice *c, double step) {
    sn_error error;
    const sn_material material[2] = {sheet_material(scene), sn_material_default()};
    sn_mesh *mesh[2] = {sheet_mesh(context, scene), ball_mesh(context, scene)};
    const sn_fix fix = sn_fix_default();
    sn_body_options body[2];
    for (int b = 0; b < 2; ++b) {
        body[b] = sn_body_options_default();
        strcpy(body[b].name, b ? "ball" : "sheet");
        body[b].mesh = mesh[b];
        body[b].material = &material[b];
        body[b].material_count = 1;
    }
    body[0].thickness = scene->thickness;
    body[1].fix = &fix, body[1].fix_count = 1;
    const bool held = strcmp(c->ball, "held") == 0;
    sn_collider ball = sn_collider_sphere((double[3]){0, 0, 0}, scene->radius);
    ball.friction = scene->friction;
    /* The spring of a node that touches the ball is as stiff as the sheet around it; by default it is ten times as
     * stiff, and nodes that gravity takes inside within a long step bounce. */
    ball.stiffness = scene->stretch * scene->node_count / (scene->size * scene->size);
    sn_world_options options = sn_world_options_default();
    options.gravity[1] = -scene->gravity;
    options.body = body, options.body_count = held ? 2 : 1;
    options.collider = &ball, options.collider_count = held ? 0 : 1;
    options.contact.use = held || c->self;
    options.contact.self = c->self;
    options.contact.friction = scene->friction;
    strcpy(options.contact.response, "exact");
    options.time.step = step;
    strcpy(options.time.newton.kind, "one-step");
    options.solver.tolerance = c->tolerance;
    sn_world *world;
    bench_check(sn_world_create(context, &options, &world, &error), &error);
    for (int b = 0; b < 2; ++b) sn_mesh_destroy(mesh[b]);
    return world;
}

/* What the steps of a run needed in all. */
typedef struct effort {
    double newton, linear, retries, assembly, solve, steps, real_worst;
    char solver[80], hash[17];
} effort;

static cloth_run run_sinew(const cloth_scene *scene, const choice *c, int threads, double step, effort *e) {
    sn_error error;
    sn_context *context = bench_context(threads);
    sn_world *world = make_world(context, scene, c, step);
    cloth_run run = cloth_run_make(scene);
    run.step = step;
    const int frames = cloth_frame_count(scene), steps = (int)lround(scene->frame / step);
    for (int f = 0; f < frames; ++f) {
        const bench_clock start = bench_start();
        for (int i = 0; i < steps; ++i) {
            sn_step_report report;
            bench_check(sn_world_step(world, &report, &error), &error);
            e->newton += report.newton_iterations, e->linear += report.linear_iterations;
            e->retries += report.retries, e->assembly += report.assembly_seconds;
            e->solve += report.solve_seconds, ++e->steps;
            e->real_worst = fmax(e->real_worst, report.seconds);
            snprintf(e->solver, sizeof e->solver, "%s/%s", report.solver, report.preconditioner);
        }
        bench_stop(start, &run.processor, &run.real);
        sn_world_get(world, 0, &run.frame[3 * (size_t)scene->node_count * (size_t)f], NULL);
    }
    sn_world_hash(world, e->hash);
    sn_world_destroy(world);
    sn_context_destroy(context);
    return run;
}

/* ---- The table ---- */

static void print_head(const cloth_scene *scene, const char *text) {
    printf("\n%s: %d vertices, %d triangles, %g s\n", text, scene->node_count, scene->triangle_count, scene->seconds);
    printf("%-22s %5s %7s %7s %9s %9s %9s %9s %9s %9s %6s %9s %9s %9s %9s\n", "engine", "self", "threads", "step ms",
           "cpu s/s", "real s/s", "ms/step", "stretch %", "strain %", "depth mm", "cuts", "low m", "x Jolt", "x Bullet",
           "x MuJoCo");
}

/* Prints the row of a run, and returns its times; 0 when the run is of no use. */
static bench_fastest print_row(const cloth_scene *scene, const char *name, bool self, int threads, const cloth_run *run,
                               const bench_fastest peer[CLOTH_PEERS]) {
    const cloth_measure m = cloth_measure_run(scene, run);
    const bench_fastest own = {run->processor / scene->seconds, run->real / scene->seconds};
    printf("%-22s %5s %7d %7.3g %9.4f %9.4f %9.3f", name, self ? "yes" : "no", threads, 1e3 * run->step, own.processor,
           own.real, 1e3 * run->step * (threads > 1 ? own.real : own.processor));
    if (m.finite)
        printf(" %9.2f %9.2f %9.2f %6d %9.3f", 1e2 * m.stretch, 1e2 * m.strain, 1e3 * m.depth, m.cuts, m.height_end);
    else
        printf(" not finite%36s", "");
    for (int i = 0; peer != NULL && i < CLOTH_PEERS; ++i) bench_print_ratio(&peer[i], threads, &own);
    printf("\n");
    fflush(stdout);
    return m.finite ? own : (bench_fastest){0};
}

static void run_peers(const cloth_scene *scene, const char *folder, bench_fastest fastest[CLOTH_PEERS]) {
    for (int i = 0; i < cloth_peer_count; ++i) {
        const cloth_peer *peer = &cloth_peers[i];
        if (peer->most > 0 && scene->node_count > peer->most) {
            printf("%-22s left out: it takes too long for this sheet\n", peer->name);
            continue;
        }
        if (peer->module && (folder == NULL || !peer_node_ready(folder, peer->module))) {
            printf("%-22s left out: node or its package %s is missing (scripts/peers.sh installs it)\n", peer->name,
                   peer->module);
            continue;
        }
        cloth_run run = cloth_run_make(scene);
        if (peer->run(peer, folder, scene, &run)) {
            const bench_fastest own = print_row(scene, peer->name, peer->self, 1, &run, NULL);
            if (peer->engine != CLOTH_OTHER) fastest[peer->engine] = bench_faster(fastest[peer->engine], own);
        } else {
            printf("%-22s failed\n", peer->name);
        }
        cloth_run_free(&run);
    }
}

static void run_sinew_rows(const cloth_scene *scene, const choice *c, double step,
                           const bench_fastest peer[CLOTH_PEERS]) {
    char hash[2][17] = {"", ""};
    for (int k = 0; k < (c->threads ? 1 : 2); ++k) {
        const int threads = c->threads ? c->threads : k + 1;
        effort e = {0};
        cloth_run run = run_sinew(scene, c, threads, step, &e);
        print_row(scene, "Sinew", c->self, threads, &run, peer);
        if (c->verbose)
            printf("%22s per step: %.2f solves, %.1f iterations (%s), %.2f retries, %.3f ms assembly, %.3f ms solve, "
                   "worst %.2f ms, hash %s\n",
                   "", e.newton / e.steps, e.linear / e.steps, e.solver, e.retries / e.steps,
                   1e3 * e.assembly / e.steps, 1e3 * e.solve / e.steps, 1e3 * e.real_worst, e.hash);
        strcpy(hash[k], e.hash);
        cloth_run_free(&run);
    }
    if (c->threads == 0 && strcmp(hash[0], hash[1]) != 0) printf("Sinew: one and two threads differ\n");
}

static int usage(void) {
    fprintf(stderr, "usage: bench_cloth [--peers FOLDER] [--alone] [--verbose] [--sheet 0|1|2|3] [--threads N] "
                    "[--seconds S] [--step S] [--tolerance T] [--stretch N/m] [--friction F] [--ball collider|held] "
                    "[--no-self]\n");
    return 2;
}

static bool read_number(const char *word, const char *value, choice *c) {
    if (strcmp(word, "--sheet") == 0)
        c->sheet = atoi(value);
    else if (strcmp(word, "--threads") == 0)
        c->threads = atoi(value);
    else if (strcmp(word, "--seconds") == 0)
        c->seconds = atof(value);
    else if (strcmp(word, "--step") == 0)
        c->step = atof(value);
    else if (strcmp(word, "--tolerance") == 0)
        c->tolerance = atof(value);
    else if (strcmp(word, "--stretch") == 0)
        c->stretch = atof(value);
    else if (strcmp(word, "--friction") == 0)
        c->friction = atof(value);
    else
        return false;
    return true;
}

int main(int argc, char **argv) {
    choice c = {.sheet = -1, .ball = "collider", .self = 1, .friction = -1, .tolerance = 1e-2};
    for (int i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--alone") == 0)
            c.alone = 1;
        else if (strcmp(argv[i], "--verbose") == 0)
            c.verbose = 1;
        else if (strcmp(argv[i], "--no-self") == 0)
            c.self = 0;
        else if (value == NULL)
            return usage();
        else if (strcmp(argv[i], "--peers") == 0)
            c.peers = value, ++i;
        else if (strcmp(argv[i], "--ball") == 0)
            c.ball = value, ++i;
        else if (read_number(argv[i], value, &c))
            ++i;
        else
            return usage();
    }
    for (int i = 0; i < SHEETS; ++i) {
        const struct sheet *s = &sheets[i];
        if (c.sheet >= 0 && c.sheet != i) continue;
        cloth_scene *scene = cloth_scene_make(s->side, c.seconds > 0 ? c.seconds : s->seconds, s->frame);
        scene->stretch = c.stretch > 0 ? c.stretch : s->stretch;
        if (c.friction >= 0) scene->friction = c.friction;
        bench_fastest peer[CLOTH_PEERS] = {{0}};
        print_head(scene, s->text);
        if (!c.alone && s->peers) run_peers(scene, c.peers, peer);
        run_sinew_rows(scene, &c, c.step > 0 ? c.step : s->step, peer);
        cloth_scene_free(scene);
    }
    return 0;
}
