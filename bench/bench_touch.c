/* Soft bodies that fall on each other, beside Bullet and MuJoCo: one run, one table for each scene.
 *
 * Boxes of 500 tets, E 1e5, nu 0.33, rho 1000, stiffness damping 5 ms, friction 0.5, 2 s: two boxes, and a pile of
 * twenty (bench/touch/scene.c). All engines get the same meshes, masses and material, all bodies may touch each other,
 * no body touches itself. Nobody sleeps. Times are processor time per simulated second, without the set-up.
 *
 * Each peer runs with two time steps: the largest with which it carries the boxes at all, and a smaller one with which
 * they pass into each other less. The ratios count against the faster one. Sinew takes one step per frame, with one
 * linear solve to a hundredth.
 *
 *   bench_touch [--peers FOLDER] [--alone] [--verbose] [--scene 0|1] [--response NAME] [--threads N] [--seconds S]
 * [--step S]
 *
 * --peers is where scripts/peers.sh installed MuJoCo; without it MuJoCo is left out. --alone leaves out both peers. The
 * others choose one scene, one response ("none": bodies pass through each other), one number of threads, a shorter run,
 * and Sinew's step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/node.h"
#include "shared.h"
#include "touch/peer_bullet.h"
#include "touch/peer_mujoco.h"

typedef struct choice {
    const char *peers, *response;
    int alone, verbose, scene, threads;
    double seconds, step;
} choice;

typedef struct yardstick {
    bench_fastest bullet, mujoco;
} yardstick;

static const double peer_steps[2][TOUCH_SCENES][2] = {{{0.0025, 0.00125}, {0.0025, 0.00125}}, /* Bullet */
                                                      {{0.01, 0.002}, {0.01, 0.005}}};        /* MuJoCo */
/* The responses that run unless one is chosen. `penalty` does not carry the pile at this step: it divides its steps
 * until they take minutes. */
static const char *const responses[TOUCH_SCENES][3] = {{"area", "penalty", "exact"}, {"area", "exact", NULL}};
static const double rest = 0.01;   /* m/s: slower bodies are at rest */
static const double patience = 30; /* s of processor time, then a run of Sinew is given up */

/* ---- Sinew ---- */

static sn_mesh *body_mesh(sn_context *context, const touch_scene *scene, int body) {
    sn_error error;
    sn_mesh *mesh;
    bench_check(sn_mesh_create(context, scene->node_count, scene->tet_count, 4, 0, &mesh, &error), &error);
    const size_t numbers = 3 * (size_t)scene->node_count;
    memcpy(mesh->position, &scene->position[numbers * (size_t)body], sizeof(double) * numbers);
    memcpy(mesh->tet, scene->tet, sizeof(int32_t) * 4 * (size_t)scene->tet_count);
    return mesh;
}

static sn_material scene_material(const touch_scene *scene) {
    sn_error error;
    sn_material material = sn_material_default();
    material.density = scene->density;
    material.rayleigh[1] = scene->damping;
    bench_check(sn_material_set(&material, "young", &scene->young, 1, &error), &error);
    bench_check(sn_material_set(&material, "poisson", &scene->poisson, 1, &error), &error);
    return material;
}

static sn_world *make_world(sn_context *context, const touch_scene *scene, const char *response, double step) {
    sn_error error;
    const sn_material material = scene_material(scene);
    sn_body_options *body = malloc(sizeof *body * (size_t)scene->body_count);
    sn_mesh **mesh = malloc(sizeof *mesh * (size_t)scene->body_count);
    for (int b = 0; b < scene->body_count; ++b) {
        body[b] = sn_body_options_default();
        snprintf(body[b].name, sizeof body[b].name, "body-%d", b);
        body[b].mesh = mesh[b] = body_mesh(context, scene, b);
        body[b].material = &material;
        body[b].material_count = 1;
    }
    sn_collider floor = sn_collider_default();
    floor.friction = scene->friction;
    sn_world_options options = sn_world_options_default();
    options.gravity[1] = -scene->gravity;
    options.body = body;
    options.body_count = scene->body_count;
    options.collider = &floor;
    options.collider_count = 1;
    options.contact.use = strcmp(response, "none") != 0;
    options.contact.friction = scene->friction;
    if (options.contact.use) snprintf(options.contact.response, sizeof options.contact.response, "%s", response);
    options.time.step = step;
    strcpy(options.time.newton.kind, "one-step");
    options.solver.tolerance = 1e-2;
    sn_world *world;
    bench_check(sn_world_create(context, &options, &world, &error), &error);
    for (int b = 0; b < scene->body_count; ++b) sn_mesh_destroy(mesh[b]);
    free(mesh), free(body);
    return world;
}

/* What the steps of a run needed in all. */
typedef struct effort {
    double newton, linear, retries, assembly, solve, steps;
    char solver[80];
} effort;

/* The state's hash at the end is the same for any number of threads. */
static touch_run run_sinew(const touch_scene *scene, const char *response, int threads, double step, effort *effort,
                           char hash[17]) {
    sn_error error;
    sn_context *context = bench_context(threads);
    sn_world *world = make_world(context, scene, response, step);
    touch_run run = touch_run_make(scene);
    run.step = step;
    const int frames = touch_frame_count(scene), steps = (int)lround(scene->frame / step);
    const size_t numbers = 3 * (size_t)scene->node_count;
    for (int f = 0; f < frames; ++f) {
        const bench_clock start = bench_start();
        for (int i = 0; i < steps; ++i) {
            sn_step_report report;
            bench_check(sn_world_step(world, &report, &error), &error);
            effort->newton += report.newton_iterations, effort->linear += report.linear_iterations;
            effort->retries += report.retries, effort->assembly += report.assembly_seconds;
            effort->solve += report.solve_seconds, ++effort->steps;
            snprintf(effort->solver, sizeof effort->solver, "%s/%s", report.solver, report.preconditioner);
        }
        bench_stop(start, &run.processor, &run.real);
        for (int b = 0; b < scene->body_count; ++b)
            sn_world_get(world, b, &run.frame[numbers * (size_t)(f * scene->body_count + b)], NULL);
        if (run.processor > patience) {
            run.stopped = (f + 1) * scene->frame;
            break;
        }
    }
    sn_world_hash(world, hash);
    sn_world_destroy(world);
    sn_context_destroy(context);
    return run;
}

/* ---- The table ---- */

static void print_head(const touch_scene *scene) {
    printf("\n%s: %d bodies, %d tets and %d nodes in all, %g s\n", scene->name, scene->body_count,
           scene->body_count * scene->tet_count, scene->body_count * scene->node_count, scene->seconds);
    printf("%-16s %7s %7s %9s %9s %9s %9s %9s %9s %9s %5s %9s %9s\n", "engine", "threads", "step ms", "cpu s/s",
           "real s/s", "depth mm", "end mm", "floor mm", "speed m/s", "height m", "rest", "x Bullet", "x MuJoCo");
}

/* Prints the row of a run, and returns its times; 0 when the run is of no use. */
static bench_fastest print_row(const touch_scene *scene, const char *name, int threads, const touch_run *run,
                               const yardstick *peer) {
    if (run->stopped > 0) {
        printf("%-16s %7d %7.3g given up at %.2f s after %.0f s of processor time\n", name, threads, 1e3 * run->step,
               run->stopped, run->processor);
        return (bench_fastest){0};
    }
    const touch_measure m = touch_measure_run(scene, run);
    const bench_fastest own = {run->processor / scene->seconds, run->real / scene->seconds};
    printf("%-16s %7d %7.3g %9.4f %9.4f", name, threads, 1e3 * run->step, own.processor, own.real);
    if (m.finite)
        printf(" %9.2f %9.2f %9.2f %9.4f %9.4f %5s", 1e3 * m.depth, 1e3 * m.depth_end, 1e3 * m.floor, m.speed_end,
               m.height_end, m.speed_end < rest ? "yes" : "no");
    else
        printf(" not finite%50s", "");
    if (peer != NULL) bench_print_ratio(&peer->bullet, threads, &own);
    if (peer != NULL) bench_print_ratio(&peer->mujoco, threads, &own);
    printf("\n");
    fflush(stdout);
    return m.finite ? own : (bench_fastest){0};
}

static void run_bullet_rows(const touch_scene *scene, int which, yardstick *peer) {
    for (int k = 0; k < 2; ++k) {
        touch_run run = touch_run_make(scene);
        bullet_options options = bullet_options_default();
        options.step = peer_steps[0][which][k];
        peer_bullet_touch(scene, &options, &run);
        peer->bullet = bench_faster(peer->bullet, print_row(scene, "Bullet", 1, &run, NULL));
        touch_run_free(&run);
    }
}

static void run_mujoco_rows(const touch_scene *scene, int which, const char *folder, yardstick *peer) {
    if (folder == NULL || !peer_node_ready(folder, "@mujoco/mujoco")) {
        printf("%-16s left out: node or its package @mujoco/mujoco is missing (scripts/peers.sh installs it)\n",
               "MuJoCo");
        return;
    }
    for (int k = 0; k < 2; ++k) {
        touch_run run = touch_run_make(scene);
        if (peer_mujoco_touch(folder, scene, peer_steps[1][which][k], &run))
            peer->mujoco = bench_faster(peer->mujoco, print_row(scene, "MuJoCo (wasm)", 1, &run, NULL));
        else
            printf("%-16s failed\n", "MuJoCo (wasm)");
        touch_run_free(&run);
    }
}

static void run_sinew_rows(const touch_scene *scene, int which, const choice *c, const yardstick *peer) {
    for (int r = 0; r < (c->response != NULL ? 1 : 3); ++r) {
        const char *response = c->response != NULL ? c->response : responses[which][r];
        if (response == NULL) continue;
        char name[48], hash[2][17] = {"", ""};
        snprintf(name, sizeof name, "Sinew %s", response);
        for (int k = 0; k < (c->threads ? 1 : 2); ++k) {
            const int threads = c->threads ? c->threads : k + 1;
            effort e = {0};
            touch_run run = run_sinew(scene, response, threads, c->step, &e, hash[k]);
            print_row(scene, name, threads, &run, peer);
            if (c->verbose)
                printf(
                    "%16s per step: %.2f solves, %.1f iterations (%s), %.2f retries, %.3f ms assembly, %.3f ms solve, "
                    "hash %s\n",
                    "", e.newton / e.steps, e.linear / e.steps, e.solver, e.retries / e.steps,
                    1e3 * e.assembly / e.steps, 1e3 * e.solve / e.steps, hash[k]);
            touch_run_free(&run);
        }
        if (c->threads == 0 && strcmp(hash[0], hash[1]) != 0) printf("%-16s one and two threads differ\n", name);
    }
}

static int usage(void) {
    fprintf(stderr,
            "usage: bench_touch [--peers FOLDER] [--alone] [--verbose] [--scene 0|1] [--response NAME] [--threads N] "
            "[--seconds S] [--step S]\n");
    return 2;
}

int main(int argc, char **argv) {
    choice c = {.scene = -1, .step = 0.02};
    for (int i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--alone") == 0 || strcmp(argv[i], "--verbose") == 0) {
            *(argv[i][2] == 'a' ? &c.alone : &c.verbose) = 1;
            continue;
        }
        if (value == NULL) return usage();
        if (strcmp(argv[i], "--peers") == 0)
            c.peers = value;
        else if (strcmp(argv[i], "--scene") == 0)
            c.scene = atoi(value);
        else if (strcmp(argv[i], "--response") == 0)
            c.response = value;
        else if (strcmp(argv[i], "--threads") == 0)
            c.threads = atoi(value);
        else if (strcmp(argv[i], "--seconds") == 0)
            c.seconds = atof(value);
        else if (strcmp(argv[i], "--step") == 0)
            c.step = atof(value);
        else
            return usage();
        ++i;
    }
    for (int which = 0; which < TOUCH_SCENES; ++which) {
        if (c.scene >= 0 && c.scene != which) continue;
        touch_scene *scene = touch_scene_make(which);
        if (c.seconds > 0) scene->seconds = c.seconds;
        yardstick peer = {0};
        print_head(scene);
        if (!c.alone) run_bullet_rows(scene, which, &peer);
        if (!c.alone) run_mujoco_rows(scene, which, c.peers, &peer);
        run_sinew_rows(scene, which, &c, &peer);
        touch_scene_free(scene);
    }
    return 0;
}
