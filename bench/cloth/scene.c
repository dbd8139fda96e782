/* The scenes of bench_cloth, and their JSON form. */
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

static const double TURN = 20;                /* degrees */
static const double MOVE[2] = {0.013, 0.007}; /* m, along x and z */

static int by_edge(const void *a, const void *b) {
    const int32_t *p = a, *q = b;
    return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : p[1] < q[1] ? -1 : p[1] > q[1];
}

/* The edges of the triangles, each once. */
static void find_edges(cloth_scene *scene) {
    const int count = 3 * scene->triangle_count;
    int32_t(*edge)[2] = bench_need(malloc(sizeof *edge * (size_t)count));
    for (int i = 0; i < count; ++i) {
        const int32_t a = scene->triangle[i], b = scene->triangle[i / 3 * 3 + (i + 1) % 3];
        edge[i][0] = a < b ? a : b, edge[i][1] = a < b ? b : a;
    }
    qsort(edge, (size_t)count, sizeof *edge, by_edge);
    for (int i = 0; i < count; ++i)
        if (i == 0 || by_edge(edge[i], edge[i - 1]) != 0) memmove(edge[scene->edge_count++], edge[i], sizeof *edge);
    scene->edge = (int32_t *)edge;
}

/* Takes the sheet from a mesh, turns it and lifts it over the ball. */
static void take_mesh(cloth_scene *scene, const sn_mesh *mesh) {
    const double angle = TURN * acos(-1) / 180, c = cos(angle), s = sin(angle),
                 gap = 2 * scene->thickness + scene->radius;
    const size_t numbers = 3 * (size_t)mesh->node_count, corners = 3 * (size_t)mesh->triangle_count;
    scene->node_count = mesh->node_count, scene->triangle_count = mesh->triangle_count;
    scene->position = bench_need(malloc(sizeof *scene->position * numbers));
    scene->triangle = bench_need(malloc(sizeof *scene->triangle * corners));
    scene->mass = bench_need(calloc((size_t)mesh->node_count, sizeof *scene->mass));
    memcpy(scene->triangle, mesh->triangle, sizeof *scene->triangle * corners);
    for (int i = 0; i < mesh->node_count; ++i) {
        const double *p = &mesh->position[3 * i];
        scene->position[3 * i] = MOVE[0] + c * p[0] + s * p[2];
        scene->position[3 * i + 1] = gap + p[1];
        scene->position[3 * i + 2] = MOVE[1] - s * p[0] + c * p[2];
    }
    const double mass = scene->area_density * scene->size * scene->size / mesh->triangle_count; /* of a triangle */
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) scene->mass[mesh->triangle[i]] += mass / 3;
}

cloth_scene *cloth_scene_make(int side, double seconds, double frame) {
    cloth_scene *scene = bench_need(calloc(1, sizeof *scene));
    *scene = (cloth_scene){.side = side,
                           .size = 1,
                           .radius = 0.3,
                           .thickness = 0.002,
                           .area_density = 0.2,
                           .stretch = 5000,
                           .poisson = 0.3,
                           .bending = 1e-5,
                           .damping = 0.002,
                           .friction = 0.3,
                           .gravity = 9.81,
                           .seconds = seconds,
                           .frame = frame};
    snprintf(scene->name, sizeof scene->name, "sheet-%d", side);
    sn_error error;
    sn_context *context = bench_context(1);
    const sn_generator_value value[] = {{"size", 2, {scene->size, scene->size}}, {"cells", 2, {side - 1, side - 1}}};
    sn_mesh *mesh;
    bench_check(sn_mesh_generate(context, "grid", value, 2, &mesh, &error), &error);
    take_mesh(scene, mesh);
    find_edges(scene);
    sn_mesh_destroy(mesh);
    sn_context_destroy(context);
    return scene;
}

void cloth_scene_free(cloth_scene *scene) {
    if (scene == NULL) return;
    free(scene->position), free(scene->mass), free(scene->triangle), free(scene->edge);
    free(scene);
}

int cloth_scene_write(const cloth_scene *scene, const char *path) {
    FILE *file = fopen(path, "w");
    if (file == NULL) return -1;
    fprintf(file, "{\n  \"name\": \"%s\", \"side\": %d, \"nodes\": %d,\n", scene->name, scene->side, scene->node_count);
    bench_write_numbers(file, "position", scene->position, 3 * scene->node_count);
    bench_write_numbers(file, "mass", scene->mass, scene->node_count);
    bench_write_indices(file, "triangle", scene->triangle, 3 * scene->triangle_count);
    bench_write_indices(file, "edge", scene->edge, 2 * scene->edge_count);
    fprintf(file, "  \"radius\": %.17g, \"thickness\": %.17g, \"stretch\": %.17g, \"poisson\": %.17g,\n", scene->radius,
            scene->thickness, scene->stretch, scene->poisson);
    fprintf(file, "  \"bending\": %.17g, \"damping\": %.17g, \"friction\": %.17g, \"gravity\": %.17g,\n",
            scene->bending, scene->damping, scene->friction, scene->gravity);
    fprintf(file, "  \"seconds\": %.17g, \"frame\": %.17g\n}\n", scene->seconds, scene->frame);
    return fclose(file);
}

int cloth_frame_count(const cloth_scene *scene) { return (int)lround(scene->seconds / scene->frame); }

cloth_run cloth_run_make(const cloth_scene *scene) {
    const size_t numbers = 3 * (size_t)scene->node_count * (size_t)cloth_frame_count(scene);
    return (cloth_run){.frame = bench_need(calloc(numbers, sizeof(double)))};
}

void cloth_run_free(cloth_run *run) {
    free(run->frame);
    run->frame = NULL;
}
