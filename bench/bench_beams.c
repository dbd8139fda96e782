/* The clamped beams beside Bullet: one run, one table.
 *
 * Box 0.3 x 0.3 x 1 m clamped at z = 0, gravity across (-y), 5 tets per cell, E 5e5, nu 0.33, rho 1000, step 0.01, no
 * damping, corotated, implicit Euler with one Newton step. The drop is that of the node in the middle of the free end
 * after 0.4 s.
 *
 *   bench_beams [--large] [--quick] [--alone] [--size 0..4] [--preconditioner NAME] [--threads N]
 *
 * --large adds the two largest beams, without block Jacobi, --alone leaves the peer out, --size runs one beam,
 * --threads one number of them. Last comes how the time per tet grows from 50,625 to 501,760 tets. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peer_bullet.h"
#include "sinew/sinew.h"

enum { STEPS = 40 };
static const double young = 5e5, poisson = 0.33, density = 1000, step = 0.01, gravity = 9.81;

static void die(const sn_error *error) {
    fprintf(stderr, "bench_beams: %s\n", error->text);
    exit(1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static sn_mesh *make_beam(sn_context *context, const int cells[3]) {
    sn_error error;
    const sn_generator_value value[] = {
        {"size", 3, {0.3, 0.3, 1}}, {"cells", 3, {cells[0], cells[1], cells[2]}}, {"split", 1, {5, 0, 0}}};
    sn_mesh *mesh;
    if (sn_mesh_generate(context, "box", value, 3, &mesh, &error)) die(&error);
    return mesh;
}

static int middle_of_free_end(const sn_mesh *mesh) {
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *p = &mesh->position[3 * i], d = hypot(hypot(p[0] - 0.15, p[1] - 0.15), p[2] - 1);
        if (d < least) least = d, best = i;
    }
    return best;
}

typedef struct measured {
    double seconds, assembly, solve, iterations, drop;
    char solver[80];
} measured;

static measured run_sinew(int threads, const int cells[3], double tolerance, const char *preconditioner, int steps) {
    sn_error error;
    sn_context_options co = sn_context_options_default();
    co.threads = threads;
    sn_context *context;
    if (sn_context_create(&co, &context, &error)) die(&error);
    sn_mesh *mesh = make_beam(context, cells);
    const int probe = middle_of_free_end(mesh);

    sn_material material = sn_material_default();
    material.density = density;
    if (sn_material_set(&material, "young", &young, 1, &error) ||
        sn_material_set(&material, "poisson", &poisson, 1, &error))
        die(&error);
    sn_fix clamp = sn_fix_default();
    clamp.select = (sn_selector){.kind = SN_SELECT_BOX, .box = {{-1, -1, -1e-6}, {1, 1, 1e-6}}};
    sn_body_options body = sn_body_options_default();
    body.mesh = mesh;
    body.material = &material;
    body.material_count = 1;
    body.fix = &clamp;
    body.fix_count = 1;
    sn_world_options options = sn_world_options_default();
    options.gravity[1] = -gravity;
    options.body = &body;
    options.body_count = 1;
    options.time.step = step;
    strcpy(options.time.newton.kind, "one-step");
    strcpy(options.solver.method, strcmp(preconditioner, "auto") == 0 ? "auto" : "cg");
    strcpy(options.solver.preconditioner, preconditioner);
    options.solver.tolerance = tolerance;
    options.solver.iterations = 5000;
    sn_world *world;
    if (sn_world_create(context, &options, &world, &error)) die(&error);

    measured m = {0};
    int counted = 0;
    for (int i = 0; i < steps; ++i) {
        sn_step_report report;
        const double begin = now();
        if (sn_world_step(world, &report, &error)) die(&error);
        if (i == 0) continue; /* warm-up */
        ++counted;
        m.seconds += now() - begin;
        m.assembly += report.assembly_seconds;
        m.solve += report.solve_seconds;
        m.iterations += report.linear_iterations;
        snprintf(m.solver, sizeof m.solver, "%s/%s", report.solver, report.preconditioner);
    }
    m.seconds /= counted, m.assembly /= counted, m.solve /= counted, m.iterations /= counted;
    double *position = malloc(sizeof(double) * 3 * (size_t)mesh->node_count);
    sn_world_get(world, 0, position, NULL);
    m.drop = mesh->position[3 * probe + 1] - position[3 * probe + 1];
    free(position);
    sn_world_destroy(world);
    sn_mesh_destroy(mesh);
    sn_context_destroy(context);
    return m;
}

static peer_result run_bullet(const int cells[3], int steps) {
    sn_error error;
    sn_context_options co = sn_context_options_default();
    co.threads = 1;
    sn_context *context;
    if (sn_context_create(&co, &context, &error)) die(&error);
    sn_mesh *mesh = make_beam(context, cells);
    double *mass = calloc((size_t)mesh->node_count, sizeof *mass);
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int32_t *n = &mesh->tet[4 * t];
        double e[3][3];
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) e[k][a] = mesh->position[3 * n[k + 1] + a] - mesh->position[3 * n[0] + a];
        const double volume =
            (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
             e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
            6;
        for (int k = 0; k < 4; ++k) mass[n[k]] += density * volume / 4;
    }
    for (int i = 0; i < mesh->node_count; ++i)
        if (mesh->position[3 * i + 2] < 1e-6) mass[i] = 0;
    const double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const peer_result result = peer_bullet_run(mesh->node_count, mesh->position, mesh->tet_count, mesh->tet, mass,
                                               lambda, mu, gravity, step, steps, middle_of_free_end(mesh));
    free(mass);
    sn_mesh_destroy(mesh);
    sn_context_destroy(context);
    return result;
}

int main(int argc, char **argv) {
    static const int cells[][3] = {{3, 3, 10}, {7, 7, 21}, {15, 15, 45}, {27, 27, 82}, {32, 32, 98}};
    int first = 0, sizes = 3, quick = 0, peers = 1;
    const char *preconditioner[] = {"block-jacobi", "auto"};
    int kinds = 2, least = 1, most = 2;
    double per_tet[5][3] = {{0}}; /* ns of the last kind, to 1e-6, by threads */
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--large") == 0)
            sizes = 5;
        else if (strcmp(argv[i], "--quick") == 0)
            quick = 1;
        else if (strcmp(argv[i], "--alone") == 0)
            peers = 0;
        else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
            first = atoi(argv[++i]), sizes = first + 1;
        else if (strcmp(argv[i], "--preconditioner") == 0 && i + 1 < argc)
            preconditioner[0] = argv[++i], kinds = 1;
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            least = most = atoi(argv[++i]);
        else
            return fprintf(stderr, "usage: bench_beams [--large] [--quick] [--alone] [--size 0..4] [--preconditioner "
                                   "NAME] [--threads N]\n"),
                   2;
    }
    printf("%9s %8s %7s %-24s %9s %6s %9s %9s %7s %7s %8s\n", "tets", "residual", "threads", "solver", "ms/step",
           "iter", "assembly", "solve", "ns/tet", "drop m", "x Bullet");
    for (int s = first; s < sizes; ++s) {
        const double tets = 5.0 * cells[s][0] * cells[s][1] * cells[s][2];
        const int peer_steps = quick ? 3 : s < 3 ? STEPS : 4, steps = quick ? 6 : STEPS;
        const peer_result peer = peers ? run_bullet(cells[s], peer_steps) : (peer_result){0, 0};
        if (peers)
            printf("%9.0f %8s %7d %-24s %9.3f %6s %9s %9s %7.0f %7.4f %8.2f\n", tets, "3.5e-4", 1, "Bullet",
                   1e3 * peer.seconds_per_step, "", "", "", 1e9 * peer.seconds_per_step / tets, peer.drop, 1.0);
        for (int k = s < 3 ? 0 : kinds - 1; k < kinds; ++k)
            for (int r = 0; r < 2; ++r)
                for (int threads = least; threads <= most; ++threads) {
                    const double tolerance = r ? 1e-3 : 1e-6;
                    const measured m = run_sinew(threads, cells[s], tolerance, preconditioner[k], steps);
                    printf("%9.0f %8.0e %7d %-24s %9.3f %6.1f %9.3f %9.3f %7.0f %7.4f %8.2f\n", tets, tolerance,
                           threads, m.solver, 1e3 * m.seconds, m.iterations, 1e3 * m.assembly, 1e3 * m.solve,
                           1e9 * m.seconds / tets, m.drop, peer.seconds_per_step / m.seconds);
                    fflush(stdout);
                    if (r == 0 && threads <= 2) per_tet[s][threads] = 1e9 * m.seconds / tets;
                }
    }
    for (int threads = 1; threads <= 2; ++threads)
        if (per_tet[2][threads] > 0 && per_tet[4][threads] > 0)
            printf("time per tet to 1e-06 at 501760 tets by that at 50625, threads %d: %.2f\n", threads,
                   per_tet[4][threads] / per_tet[2][threads]);
    return 0;
}
