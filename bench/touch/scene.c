/* The scenes of bench_touch, and their JSON form. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

/* Where a body starts: the place of its centre, and its turn about the vertical, then about x, in degrees. */
typedef struct place {
    double center[3], turn, tilt;
} place;

static const double box_size[3] = {0.25, 0.2, 0.25};
static const double box_cells[3] = {5, 4, 5}; /* of five tets each: 500 */

static const place two[] = {{{0, 0.12, 0}, 0, 0}, {{0.03, 0.4, 0.02}, 30, 6}};

/* Four layers of 9, 6, 4 and 1. Each layer lies over the gaps of the layer below and falls a little further. */
static const place pile[] = {
    {{-0.36, 0.125, -0.36}, 5, 2},  {{0.00, 0.125, -0.37}, -8, 2}, {{0.37, 0.125, -0.36}, 12, -2},
    {{-0.36, 0.125, 0.01}, -12, 2}, {{0.01, 0.125, 0.00}, 3, -2},  {{0.36, 0.125, 0.01}, 9, 2},
    {{-0.37, 0.125, 0.36}, 7, -2},  {{0.00, 0.125, 0.36}, -5, 2},  {{0.36, 0.125, 0.37}, -10, 2},
    {{-0.18, 0.39, -0.36}, 10, 4},  {{0.18, 0.39, -0.36}, -6, -4}, {{-0.18, 0.39, 0.00}, -9, 4},
    {{0.18, 0.39, 0.00}, 6, 4},     {{-0.18, 0.39, 0.36}, 4, -4},  {{0.18, 0.39, 0.36}, 11, 4},
    {{-0.17, 0.66, -0.18}, 14, 5},  {{0.18, 0.66, -0.18}, -11, 5}, {{-0.18, 0.66, 0.18}, -7, -5},
    {{0.18, 0.66, 0.18}, 8, 5},     {{0.02, 0.94, 0.01}, 25, 8},
};

/* Turns the box about its centre and moves it to its place. */
static void put(const sn_mesh *mesh, const place *at, double *position) {
    const double degree = acos(-1) / 180, c = cos(at->turn * degree), s = sin(at->turn * degree);
    const double ct = cos(at->tilt * degree), st = sin(at->tilt * degree);
    for (int i = 0; i < mesh->node_count; ++i) {
        double p[3];
        for (int a = 0; a < 3; ++a) p[a] = mesh->position[3 * i + a] - 0.5 * box_size[a];
        const double q[3] = {c * p[0] + s * p[2], p[1], -s * p[0] + c * p[2]};
        position[3 * i] = at->center[0] + q[0];
        position[3 * i + 1] = at->center[1] + ct * q[1] - st * q[2];
        position[3 * i + 2] = at->center[2] + st * q[1] + ct * q[2];
    }
}

static double tet_volume(const double *position, const int32_t *n) {
    double e[3][3];
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3; ++a) e[k][a] = position[3 * n[k + 1] + a] - position[3 * n[0] + a];
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static void take_mesh(touch_scene *scene, const sn_mesh *mesh) {
    sn_error error;
    int32_t *face;
    bench_check(sn_mesh_boundary(mesh, &scene->triangle_count, &face, NULL, NULL, &error), &error);
    const size_t corners = 3 * (size_t)scene->triangle_count;
    scene->triangle = bench_need(malloc(sizeof(int32_t) * corners));
    memcpy(scene->triangle, face, sizeof(int32_t) * corners);
    sn_mesh_release(mesh, face);

    scene->node_count = mesh->node_count;
    scene->tet_count = mesh->tet_count;
    scene->tet = bench_need(malloc(sizeof(int32_t) * 4 * (size_t)mesh->tet_count));
    memcpy(scene->tet, mesh->tet, sizeof(int32_t) * 4 * (size_t)mesh->tet_count);
    scene->mass = bench_need(calloc((size_t)mesh->node_count, sizeof(double)));
    for (int t = 0; t < mesh->tet_count; ++t)
        for (int k = 0; k < 4; ++k)
            scene->mass[mesh->tet[4 * t + k]] += scene->density * tet_volume(mesh->position, &mesh->tet[4 * t]) / 4;
}

touch_scene *touch_scene_make(int which) {
    touch_scene *scene = bench_need(calloc(1, sizeof *scene));
    const place *at = which == 0 ? two : pile;
    scene->name = which == 0 ? "two" : "pile";
    scene->body_count = which == 0 ? (int)(sizeof two / sizeof *two) : (int)(sizeof pile / sizeof *pile);
    scene->density = 1000;
    scene->young = 1e5;
    scene->poisson = 0.33;
    scene->damping = 0.005;
    scene->friction = 0.5;
    scene->gravity = 9.81;
    scene->seconds = 2;
    scene->frame = 0.02;

    sn_error error;
    sn_context *context;
    bench_check(sn_context_create(NULL, &context, &error), &error);
    const sn_generator_value value[] = {{"size", 3, {box_size[0], box_size[1], box_size[2]}},
                                        {"cells", 3, {box_cells[0], box_cells[1], box_cells[2]}},
                                        {"split", 1, {5, 0, 0}}};
    sn_mesh *mesh;
    bench_check(sn_mesh_generate(context, "box", value, 3, &mesh, &error), &error);
    take_mesh(scene, mesh);
    const size_t numbers = 3 * (size_t)mesh->node_count;
    scene->position = bench_need(malloc(sizeof(double) * numbers * (size_t)scene->body_count));
    for (int b = 0; b < scene->body_count; ++b) put(mesh, &at[b], &scene->position[numbers * (size_t)b]);
    sn_mesh_destroy(mesh);
    sn_context_destroy(context);
    return scene;
}

void touch_scene_free(touch_scene *scene) {
    if (scene == NULL) return;
    free(scene->position), free(scene->mass), free(scene->tet), free(scene->triangle);
    free(scene);
}

int touch_scene_write(const touch_scene *scene, const char *path) {
    FILE *file = fopen(path, "w");
    if (file == NULL) return -1;
    fprintf(file, "{\n  \"name\": \"%s\",\n  \"bodies\": %d, \"nodes\": %d,\n", scene->name, scene->body_count,
            scene->node_count);
    bench_write_numbers(file, "position", scene->position, 3 * scene->node_count * scene->body_count);
    bench_write_numbers(file, "mass", scene->mass, scene->node_count);
    bench_write_indices(file, "tet", scene->tet, 4 * scene->tet_count);
    bench_write_indices(file, "triangle", scene->triangle, 3 * scene->triangle_count);
    fprintf(file, "  \"density\": %.17g, \"young\": %.17g, \"poisson\": %.17g, \"damping\": %.17g,\n", scene->density,
            scene->young, scene->poisson, scene->damping);
    fprintf(file, "  \"friction\": %.17g, \"gravity\": %.17g, \"seconds\": %.17g, \"frame\": %.17g\n}\n",
            scene->friction, scene->gravity, scene->seconds, scene->frame);
    return fclose(file);
}

int touch_frame_count(const touch_scene *scene) { return (int)lround(scene->seconds / scene->frame); }
