/* Surfaces of colliders for display. */
#include <math.h>

#include "base/context.h"
#include "base/math3.h"
#include "shape.h"

enum { QUARTER = 20 }; /* a quarter of a circle has so many pieces */

void sn_drawing_destroy(sn_drawing *drawing) {
    if (!drawing) return;
    sn_release(drawing->context, drawing->position);
    sn_release(drawing->context, drawing->normal);
    sn_release(drawing->context, drawing->triangle);
    sn_release(drawing->context, drawing);
}

sn_status sn_drawing_room(sn_drawing *drawing, int vertices, int triangles, sn_error *error) {
    drawing->position = sn_allocate(drawing->context, 3 * (size_t)vertices, sizeof *drawing->position);
    drawing->normal = sn_allocate(drawing->context, 3 * (size_t)vertices, sizeof *drawing->normal);
    drawing->triangle = sn_allocate(drawing->context, 3 * (size_t)triangles, sizeof *drawing->triangle);
    if (!drawing->position || !drawing->normal || !drawing->triangle) return sn_no_memory(error);
    drawing->vertex_count = vertices;
    drawing->triangle_count = triangles;
    return SN_OK;
}

/* Cosine and sine at the start of piece i of quarter q. They are exact at the ends of a quarter, so that faces are
 * flat. */
static void quarter_circle(int q, int i, double *c, double *s) {
    const double angle = 1.5707963267948966 * i / QUARTER;
    const double a = i == QUARTER ? 0 : cos(angle), b = i == 0 ? 0 : i == QUARTER ? 1 : sin(angle);
    *c = q == 0 ? a : q == 1 ? -b : q == 2 ? -a : b;
    *s = q == 0 ? b : q == 1 ? a : q == 2 ? -b : -a;
}

/* Adds the triangle, unless two of its corners are at the same place. */
static void add_triangle(sn_drawing *drawing, int a, int b, int c) {
    const int corner[3] = {a, b, c};
    for (int i = 0; i < 3; ++i) {
        double d[3];
        sn_subtract3(drawing->position + 3 * (size_t)corner[i], drawing->position + 3 * (size_t)corner[(i + 1) % 3], d);
        if (!(sn_dot3(d, d) > 0)) return;
    }
    for (int i = 0; i < 3; ++i) drawing->triangle[3 * (size_t)drawing->triangle_count + (size_t)i] = corner[i];
    ++drawing->triangle_count;
}

/* Makes a globe of directions d, cut into eight parts (one per corner of the box). A vertex is at (+-half) + radius d,
 * with the signs of its part. Strips between two parts become the edges and faces of the box. */
sn_status sn_drawing_rounded(sn_drawing *drawing, const double half[3], double radius, const double R[9],
                             sn_error *error) {
    enum { COLUMNS = 4 * (QUARTER + 1), ROWS = 2 * (QUARTER + 1) };
    const sn_status status = sn_drawing_room(drawing, COLUMNS * ROWS, 2 * COLUMNS * (ROWS - 1) + 4, error);
    if (status) return status;
    for (int row = 0; row < ROWS; ++row)
        for (int column = 0; column < COLUMNS; ++column) {
            const int q = column / (QUARTER + 1), south = row > QUARTER;
            const double sign[3] = {q == 0 || q == 3 ? 1 : -1, south ? -1 : 1, q < 2 ? -1 : 1};
            double c, s, up, out;
            quarter_circle(q, column % (QUARTER + 1), &c, &s);
            quarter_circle(0, south ? row - QUARTER - 1 : row, &up, &out); /* from the north pole or the equator */
            const double level = south ? -out : up, ring = south ? up : out;
            const double d[3] = {ring * c, level, -ring * s};
            double own[3];
            for (int a = 0; a < 3; ++a) own[a] = sign[a] * half[a] + radius * d[a];
            const size_t at = 3 * (size_t)(row * COLUMNS + column);
            sn_multiply_vector3(R, own, drawing->position + at);
            sn_multiply_vector3(R, d, drawing->normal + at);
        }
    drawing->triangle_count = 0;
    for (int row = 0; row + 1 < ROWS; ++row)
        for (int column = 0; column < COLUMNS; ++column) {
            const int right = (column + 1) % COLUMNS, a = row * COLUMNS + column, b = row * COLUMNS + right;
            add_triangle(drawing, a, a + COLUMNS, b + COLUMNS);
            add_triangle(drawing, a, b + COLUMNS, b);
        }
    for (int pole = 0; pole < 2; ++pole) { /* the upper and the lower face: one vertex of each quarter */
        const int first = pole ? (ROWS - 1) * COLUMNS : 0, turn = pole ? 3 * (QUARTER + 1) : QUARTER + 1;
        const int other = pole ? QUARTER + 1 : 3 * (QUARTER + 1);
        add_triangle(drawing, first, first + turn, first + 2 * (QUARTER + 1));
        add_triangle(drawing, first, first + 2 * (QUARTER + 1), first + other);
    }
    return SN_OK;
}
