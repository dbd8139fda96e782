/* Meshes for the tests of cloth: strips whose triangles lie in several directions, and the surface of a ball. */
#ifndef TEST_CLOTH_STRIPS_H
#define TEST_CLOTH_STRIPS_H

#include <math.h>
#include <stdlib.h>

#include "sinew/sinew.h"

enum { STRIP_GRID, STRIP_CROSSED, STRIP_ROWS, STRIP_COLUMNS, STRIPS };
static const char *const strip_name[STRIPS] = {"grid with alternating diagonals", "the same turned by 45 degrees",
                                               "equilateral triangles, edges along the strip",
                                               "equilateral triangles, edges across the strip"};

/* A level strip of the length 1 from x = 0 and a width of about 1, and two cells more for the clamp. The nodes up to
 * x = STRIP_CLAMP(cells), half a cell, are to be held: the hinges there stand for half a cell on either side. */
#define STRIP_CLAMP(cells) (0.6 / ((cells) + 0.5))
static inline sn_mesh *strip_mesh(sn_context *context, int kind, int cells) {
    const double h = 1 / (cells + 0.5);
    const double tall = kind == STRIP_ROWS ? h * sqrt(0.75) : kind == STRIP_COLUMNS ? h / sqrt(0.75) : h;
    const int columns = cells + 2, rows = (int)(0.5 / tall + 0.5) * 2;
    const int crossed = kind == STRIP_CROSSED;
    sn_mesh *mesh = NULL;
    /* Rows of nodes; every second row (or column) of equilateral meshes is moved by half a cell and keeps its ends. */
    const int nodes = (columns + 1) * (rows + 1) + (crossed ? columns * rows : 0),
              count = (crossed ? 4 : 2) * columns * rows;
    if (sn_mesh_create(context, nodes, 0, 4, count, &mesh, NULL)) return NULL;
    int32_t *t = mesh->triangle;
    for (int j = 0; j <= rows; ++j)
        for (int i = 0; i <= columns; ++i) {
            double *x = mesh->position + 3 * (size_t)(j * (columns + 1) + i);
            x[0] = (i - 1.5) * h, x[1] = 0, x[2] = -j * tall;
            if (kind == STRIP_ROWS && j % 2 && i > 2 && i < columns) x[0] += 0.5 * h;
            if (kind == STRIP_COLUMNS && i % 2 && j > 0 && j < rows) x[2] -= 0.5 * tall;
        }
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) {
            const int32_t a = j * (columns + 1) + i, b = a + 1, c = a + columns + 1, d = c + 1;
            if (crossed) {
                const int32_t m = (columns + 1) * (rows + 1) + j * columns + i;
                double *x = mesh->position + 3 * (size_t)m;
                x[0] = (i - 1) * h, x[1] = 0, x[2] = -(j + 0.5) * tall;
                const int32_t four[12] = {a, b, m, b, d, m, d, c, m, c, a, m};
                for (int k = 0; k < 12; ++k) *t++ = four[k];
                continue;
            }
            const int first = kind == STRIP_GRID ? (i + j) % 2 == 0 : kind == STRIP_ROWS ? j % 2 : i % 2;
            const int32_t one[6] = {a, b, d, a, d, c}, other[6] = {a, b, c, b, d, c};
            for (int k = 0; k < 6; ++k) *t++ = first ? one[k] : other[k];
        }
    return mesh;
}

/* The surface of a ball of tets, outward. */
static inline sn_mesh *ball_surface(sn_context *context, double radius, int cells) {
    const sn_generator_value value[2] = {{"radius", 1, {radius}}, {"cells", 1, {cells}}};
    sn_mesh *ball = NULL, *mesh = NULL;
    int faces = 0, nodes = 0;
    int32_t *face = NULL;
    if (sn_mesh_generate(context, "sphere", value, 2, &ball, NULL) ||
        sn_mesh_boundary(ball, &faces, &face, NULL, NULL, NULL))
        return NULL;
    int32_t *number = malloc((size_t)ball->node_count * sizeof *number);
    for (int i = 0; i < ball->node_count; ++i) number[i] = -1;
    for (int i = 0; i < 3 * faces; ++i)
        if (number[face[i]] < 0) number[face[i]] = nodes++;
    if (!sn_mesh_create(context, nodes, 0, 4, faces, &mesh, NULL)) {
        for (int i = 0; i < ball->node_count; ++i)
            for (int a = 0; a < 3 && number[i] >= 0; ++a)
                mesh->position[3 * (size_t)number[i] + (size_t)a] = ball->position[3 * (size_t)i + (size_t)a];
        for (int i = 0; i < 3 * faces; ++i) mesh->triangle[i] = number[face[i]];
    }
    free(number);
    sn_mesh_release(ball, face);
    sn_mesh_destroy(ball);
    return mesh;
}

#endif
