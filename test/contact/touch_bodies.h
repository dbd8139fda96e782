/* Surfaces for the tests of contact between bodies: a box and a ball of 12 n^2 triangles, and an open sheet. */
#ifndef SN_TEST_TOUCH_BODIES_H
#define SN_TEST_TOUCH_BODIES_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "contact/touch_surface.h"
#include "sinew/mesh.h"

typedef struct touch_shape {
    int vertex_count, triangle_count;
    double *position;
    int32_t *triangle;
} touch_shape;

static inline void touch_shape_release(touch_shape *shape) {
    free(shape->position);
    free(shape->triangle);
    *shape = (touch_shape){0};
}

/* The number of the vertex at a place of the lattice (0 to n on each axis); new places get the next number. */
static inline int32_t touch_lattice_vertex(touch_shape *shape, int32_t *number, int n, const int place[3]) {
    int32_t *at = &number[(place[0] * (n + 1) + place[1]) * (n + 1) + place[2]];
    if (*at < 0) {
        for (int k = 0; k < 3; ++k) shape->position[3 * shape->vertex_count + k] = 2.0 * place[k] / n - 1;
        *at = shape->vertex_count++;
    }
    return *at;
}

/* The surface of the cube [-1, 1]^3 with n x n cells on each face, two triangles in a cell. */
static inline touch_shape touch_cube(int n) {
    touch_shape shape = {0};
    shape.position = malloc(3 * (size_t)(6 * n * n + 8) * sizeof *shape.position);
    shape.triangle = malloc(36 * (size_t)(n * n) * sizeof *shape.triangle);
    const size_t places = (size_t)((n + 1) * (n + 1) * (n + 1));
    int32_t *number = malloc(places * sizeof *number);
    memset(number, -1, places * sizeof *number);
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end)
            for (int cell = 0; cell < n * n; ++cell) {
                int32_t v[4];
                for (int k = 0; k < 4; ++k) {
                    int place[3];
                    const int di = k == 1 || k == 2, dj = k >= 2;
                    place[axis] = end * n;
                    place[(axis + 1) % 3] = cell / n + di, place[(axis + 2) % 3] = cell % n + dj;
                    v[k] = touch_lattice_vertex(&shape, number, n, place);
                }
                const int32_t two[2][6] = {{v[0], v[2], v[1], v[0], v[3], v[2]}, {v[0], v[1], v[2], v[0], v[2], v[3]}};
                memcpy(&shape.triangle[3 * shape.triangle_count], two[end], sizeof two[end]);
                shape.triangle_count += 2;
            }
    free(number);
    return shape;
}

/* The unit ball: the cube, pushed out to radius 1. */
static inline touch_shape touch_ball(int n) {
    touch_shape shape = touch_cube(n);
    for (int i = 0; i < shape.vertex_count; ++i) {
        double *x = &shape.position[3 * i];
        for (int k = 0; k < 3; ++k) x[k] = tan(0.78539816339744831 * x[k]); /* cells of about equal size */
        const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        for (int k = 0; k < 3; ++k) x[k] /= length;
    }
    return shape;
}

/* The open square [-1, 1]^2 at z = 0, its normal along z. */
static inline touch_shape touch_sheet(int n) {
    touch_shape shape = {.vertex_count = (n + 1) * (n + 1), .triangle_count = 2 * n * n};
    shape.position = malloc(3 * (size_t)shape.vertex_count * sizeof *shape.position);
    shape.triangle = malloc(3 * (size_t)shape.triangle_count * sizeof *shape.triangle);
    for (int i = 0; i < shape.vertex_count; ++i) {
        const double x[3] = {2.0 * (i / (n + 1)) / n - 1, 2.0 * (i % (n + 1)) / n - 1, 0};
        memcpy(&shape.position[3 * i], x, sizeof x);
    }
    for (int cell = 0; cell < n * n; ++cell) {
        const int32_t a = cell / n * (n + 1) + cell % n, b = a + n + 1;
        const int32_t two[6] = {a, b, b + 1, a, b + 1, a + 1};
        memcpy(&shape.triangle[6 * cell], two, sizeof two);
    }
    return shape;
}

/* A box of tets around the shapes above: [-1.3, 1.3]^3, each cell cut into five tets. NULL when that fails. */
static inline sn_mesh *touch_tets(sn_context *context, int cells) {
    const sn_generator_value value[] = {
        {"cells", 3, {cells, cells, cells}}, {"split", 1, {5}}, {"size", 3, {2.6, 2.6, 2.6}}};
    sn_mesh *mesh = NULL;
    if (sn_mesh_generate(context, "box", value, 3, &mesh, NULL)) return NULL;
    for (int i = 0; i < 3 * mesh->node_count; ++i) mesh->position[i] -= 1.3;
    return mesh;
}

/* x -> scale x + shift. */
static inline void touch_shape_place(touch_shape *shape, double sx, double sy, double sz, double x, double y,
                                     double z) {
    const double scale[3] = {sx, sy, sz}, shift[3] = {x, y, z};
    for (int i = 0; i < 3 * shape->vertex_count; ++i)
        shape->position[i] = scale[i % 3] * shape->position[i] + shift[i % 3];
}

/* The surface of a body. Vertex i is carried by node first_node + i; below 0: a collider. The shape is released. */
static inline sn_touch_surface *touch_surface(sn_context *context, touch_shape shape, int body, int first_node) {
    int32_t *node = malloc((size_t)(shape.vertex_count + 1) * sizeof *node);
    for (int i = 0; i < shape.vertex_count; ++i) node[i] = first_node + i;
    const sn_touch_surface_source source = {.body = body,
                                            .vertex_count = shape.vertex_count,
                                            .triangle_count = shape.triangle_count,
                                            .position = shape.position,
                                            .triangle = shape.triangle,
                                            .carrier_node = first_node < 0 ? NULL : node};
    sn_touch_surface *surface = NULL;
    const sn_status status = sn_touch_surface_create(context, &source, &surface, NULL);
    free(node);
    touch_shape_release(&shape);
    return status ? NULL : surface;
}

#endif
