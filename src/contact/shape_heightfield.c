/* Ground over a grid of heights: everything below the surface y = h(x, z).
 *
 * The grid has `rows` along z and `columns` along x. Each cell is cut into two triangles; h is linear on them. Beyond
 * its border the ground goes on level: h(x, z) is the height of the nearest point of the border. For this the grid gets
 * one more ring of cells that reaches very far. So the solid has no side walls and no other side to pass to.
 *
 *   gap = +-d, with d the distance from the nearest point of the triangles; minus where y < h(x, z)
 *   n, grad n: as for the surface of a mesh (shape_mesh.c)
 *
 * The search for the nearest point runs over a pyramid of lowest and highest heights: level 0 has one pair per cell,
 * and each further level joins 2 x 2. It starts with the cell below x. The pyramid costs a few numbers per cell, and a
 * point high above the ground costs next to nothing (`least`): a million cells at rest cost only where something is
 * near them. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math3.h"
#include "mesh/triangle_tree.h"
#include "shape.h"

enum { LEVELS = 20, NEAR_LEVEL = 3 /* `least` looks at tiles of 8 x 8 cells */, DRAWN = 400 };

typedef struct level {
    int rows, columns;
    float *low, *high; /* of each block of cells, m; rounded outwards */
} level;

typedef struct field {
    int rows, columns; /* of heights, with the ring */
    double *x, *z;     /* columns, rows: places of the lines of the grid */
    double *height;    /* rows x columns */
    int levels;
    level level[LEVELS];
    double top;  /* the largest height */
    double size; /* of the grid without the ring */
    bool turned; /* false: R is not used */
    double R[9]; /* its columns are the axes of the grid */
} field;

static const sn_shape_parameter parameters[] = {
    {"size", NULL, SN_ROLE_NUMBER, 2, 0, 1e300, true, true, {0}, "m", "lengths of the grid along x and z"},
    {"center",
     NULL,
     SN_ROLE_PLACE,
     3,
     -1e300,
     1e300,
     false,
     false,
     {0, 0, 0},
     "m",
     "the middle of the grid, where the heights are 0"},
    {"scale", NULL, SN_ROLE_NUMBER, 1, -1e300, 1e300, false, false, {1}, "", "factor of the heights"},
    SN_SHAPE_ROTATE("about the center: axis x, y, z and degrees"),
};

static sn_status check(const sn_collider *c, sn_error *error) {
    if (c->inside) return sn_fail_at(error, SN_BAD_INPUT, "inside", "ground has no inside");
    if (c->rows < 2 || c->columns < 2)
        return sn_fail_at(error, SN_BAD_INPUT, "heights", "a grid of %d x %d heights; it needs at least 2 x 2", c->rows,
                          c->columns);
    if ((int64_t)c->rows * c->columns > INT32_MAX / 4)
        return sn_fail_at(error, SN_UNSUPPORTED, "heights", "a grid of %d x %d heights is too large", c->rows,
                          c->columns);
    for (int64_t i = 0; i < (int64_t)c->rows * c->columns; ++i)
        if (!isfinite(c->height[i]))
            return sn_fail_at(error, SN_BAD_INPUT, "heights", "the height in row %d, column %d is not finite",
                              (int)(i / c->columns), (int)(i % c->columns));
    return SN_OK;
}

/* ---- Creation ---- */
static int within(int i, int count) { return i < 0 ? 0 : i < count ? i : count - 1; }

/* Places of `count` lines over the length, and one far away on each side. */
static void place_lines(int count, double length, double far, double *at) {
    for (int i = 0; i < count; ++i) at[i + 1] = length * ((double)i / (count - 1) - 0.5);
    at[0] = -0.5 * length - far, at[count + 1] = 0.5 * length + far;
}

static double height_at(const field *f, int row, int column) {
    return f->height[(size_t)row * (size_t)f->columns + (size_t)column];
}

static void fill_cells(field *f) {
    const level *own = &f->level[0];
    for (int i = 0; i < own->rows; ++i)
        for (int j = 0; j < own->columns; ++j) {
            const double h[4] = {height_at(f, i, j), height_at(f, i, j + 1), height_at(f, i + 1, j),
                                 height_at(f, i + 1, j + 1)};
            const double low = fmin(fmin(h[0], h[1]), fmin(h[2], h[3])),
                         high = fmax(fmax(h[0], h[1]), fmax(h[2], h[3]));
            own->low[(size_t)i * (size_t)own->columns + (size_t)j] = nextafterf((float)low, -INFINITY);
            own->high[(size_t)i * (size_t)own->columns + (size_t)j] = nextafterf((float)high, INFINITY);
        }
}

static void fill_level(const level *fine, const level *own) {
    for (int i = 0; i < own->rows; ++i)
        for (int j = 0; j < own->columns; ++j) {
            float low = INFINITY, high = -INFINITY;
            for (int k = 0; k < 4; ++k) {
                const int row = within(2 * i + k / 2, fine->rows), column = within(2 * j + k % 2, fine->columns);
                const size_t at = (size_t)row * (size_t)fine->columns + (size_t)column;
                low = fminf(low, fine->low[at]), high = fmaxf(high, fine->high[at]);
            }
            own->low[(size_t)i * (size_t)own->columns + (size_t)j] = low;
            own->high[(size_t)i * (size_t)own->columns + (size_t)j] = high;
        }
}

static sn_status build_pyramid(sn_context *context, field *f, sn_error *error) {
    for (int rows = f->rows - 1, columns = f->columns - 1;; rows = (rows + 1) / 2, columns = (columns + 1) / 2) {
        level *own = &f->level[f->levels++];
        const size_t count = (size_t)rows * (size_t)columns;
        *own = (level){rows, columns, sn_allocate(context, count, sizeof *own->low),
                       sn_allocate(context, count, sizeof *own->high)};
        if (!own->low || !own->high) return sn_no_memory(error);
        if (f->levels == 1)
            fill_cells(f);
        else
            fill_level(own - 1, own);
        if (count == 1 || f->levels == LEVELS) return SN_OK;
    }
}

static sn_status create(sn_context *context, const sn_collider *collider, void *data, double centre[3],
                        sn_error *error) {
    field *f = data;
    const double *size = sn_collider_get(collider, "size"), scale = *sn_collider_get(collider, "scale");
    memcpy(centre, sn_collider_get(collider, "center"), 3 * sizeof *centre);
    f->rows = collider->rows + 2, f->columns = collider->columns + 2;
    f->x = sn_allocate(context, (size_t)f->columns, sizeof *f->x);
    f->z = sn_allocate(context, (size_t)f->rows, sizeof *f->z);
    f->height = sn_allocate(context, (size_t)f->rows * (size_t)f->columns, sizeof *f->height);
    if (!f->x || !f->z || !f->height) return sn_no_memory(error);
    f->top = -INFINITY;
    for (int i = 0; i < f->rows; ++i)
        for (int j = 0; j < f->columns; ++j) {
            const double h =
                scale * collider->height[(size_t)within(i - 1, collider->rows) * (size_t)collider->columns +
                                         (size_t)within(j - 1, collider->columns)];
            f->height[(size_t)i * (size_t)f->columns + (size_t)j] = h;
            f->top = fmax(f->top, h);
        }
    f->size = sn_hypotenuse(size[0], size[1]);
    const double *rotate = sn_collider_get(collider, "rotate");
    f->turned = rotate[3] != 0;
    sn_axis_rotation3(rotate, rotate[3], f->R);
    place_lines(collider->columns, size[0], 1e3 * f->size, f->x);
    place_lines(collider->rows, size[1], 1e3 * f->size, f->z);
    return build_pyramid(context, f, error);
}

static void destroy(sn_context *context, void *data) {
    field *f = data;
    sn_release(context, f->x), sn_release(context, f->z), sn_release(context, f->height);
    for (int l = 0; l < f->levels; ++l) sn_release(context, f->level[l].low), sn_release(context, f->level[l].high);
}

/* ---- The nearest point ---- */
/* The cell that holds x along one axis: line[i] <= x < line[i + 1]. */
static int cell_of(const double *line, int count, double x) {
    const double step = line[2] - line[1];
    int i = x < line[1] ? 0 : x >= line[count - 2] ? count - 2 : 1 + (int)((x - line[1]) / step);
    i = within(i, count - 1);
    while (i > 0 && x < line[i]) --i; /* the division was rounded */
    while (i + 2 < count && x >= line[i + 1]) ++i;
    return i;
}

static void corner(const field *f, int row, int column, double out[3]) {
    out[0] = f->x[column], out[1] = height_at(f, row, column), out[2] = f->z[row];
}

/* The corners of triangle `half` (0 or 1) of a cell, counter-clockwise seen from above. */
static void triangle_of(const field *f, int row, int column, int half, double p[3][3]) {
    corner(f, row + half, column + half, p[half ? 2 : 0]);
    corner(f, row + 1, column, p[1]);
    corner(f, row, column + 1, p[half ? 0 : 2]);
}

typedef struct search {
    const field *f;
    const double *x;
    sn_nearest_point best;
    int row, column, half; /* of the best triangle */
} search;

static void try_cell(search *s, int row, int column) {
    for (int half = 0; half < 2; ++half) {
        double p[3][3];
        sn_nearest_point at;
        triangle_of(s->f, row, column, half, p);
        sn_triangle_nearest(p[0], p[1], p[2], s->x, &at);
        if (at.square < s->best.square) s->best = at, s->row = row, s->column = column, s->half = half;
    }
}

static double outside(double x, double low, double high) { return x < low ? low - x : x > high ? x - high : 0; }

/* The squared distance of x from the box of a block. */
static double block_square(const search *s, int l, int row, int column) {
    const field *f = s->f;
    const level *own = &f->level[l];
    const size_t at = (size_t)row * (size_t)own->columns + (size_t)column;
    const int row_end = (row + 1) << l, column_end = (column + 1) << l;
    const double d[3] = {
        outside(s->x[0], f->x[column << l], f->x[column_end < f->columns ? column_end : f->columns - 1]),
        outside(s->x[1], own->low[at], own->high[at]),
        outside(s->x[2], f->z[row << l], f->z[row_end < f->rows ? row_end : f->rows - 1])};
    return sn_dot3(d, d);
}

static void descend(search *s, int l, int row, int column) {
    const level *own = &s->f->level[l];
    if (row >= own->rows || column >= own->columns || block_square(s, l, row, column) >= s->best.square) return;
    if (l == 0) {
        try_cell(s, row, column);
        return;
    }
    for (int k = 0; k < 4; ++k) descend(s, l - 1, 2 * row + k / 2, 2 * column + k % 2);
}

/* The height of the surface at (x, z), which is in the cell. */
static double surface_height(const field *f, int row, int column, const double x[3]) {
    const double u = (x[0] - f->x[column]) / (f->x[column + 1] - f->x[column]),
                 v = (x[2] - f->z[row]) / (f->z[row + 1] - f->z[row]);
    const double a = height_at(f, row, column), b = height_at(f, row + 1, column), c = height_at(f, row, column + 1),
                 d = height_at(f, row + 1, column + 1);
    return u + v <= 1 ? a + u * (c - a) + v * (b - a) : d + (1 - u) * (b - d) + (1 - v) * (c - d);
}

/* To the axes of the grid, and back. */
static void turn_in(const field *f, const double x[3], double own[3]) {
    for (int a = 0; a < 3; ++a) own[a] = f->turned ? f->R[a] * x[0] + f->R[3 + a] * x[1] + f->R[6 + a] * x[2] : x[a];
}
static void turn_out(const field *f, double v[3]) {
    const double own[3] = {v[0], v[1], v[2]};
    if (f->turned) sn_multiply_vector3(f->R, own, v);
}

static double gap(const void *data, const double place[3], double n[3], sn_bend *bend) {
    const field *f = data;
    double x[3];
    turn_in(f, place, x);
    const int row = cell_of(f->z, f->rows, x[2]), column = cell_of(f->x, f->columns, x[0]);
    search s = {.f = f, .x = x, .best = {.square = INFINITY}};
    try_cell(&s, row, column);
    descend(&s, f->levels - 1, 0, 0);
    const double distance = sqrt(s.best.square), sign = x[1] < surface_height(f, row, column, x) ? -1 : 1;
    double p[3][3], d[3], area[3];
    triangle_of(f, s.row, s.column, s.half, p);
    if (bend) bend->curvature = 0;
    if (s.best.part == SN_PART_FACE || !(distance > 1e-12 * f->size)) {
        sn_area_vector3(p[0], p[1], p[2], area);
        const double length = sn_norm3(area);
        for (int a = 0; a < 3; ++a) n[a] = area[a] / length;
        turn_out(f, n);
        return sign * distance;
    }
    sn_subtract3(x, s.best.point, d);
    for (int a = 0; a < 3; ++a) n[a] = sign * d[a] / distance;
    turn_out(f, n);
    if (bend && s.best.part == SN_PART_CORNER) sn_bend_round(sign / distance, n, bend);
    if (bend && s.best.part == SN_PART_EDGE) {
        double e[3];
        sn_subtract3(p[(s.best.k + 1) % 3], p[s.best.k], e);
        const double along = sn_norm3(e);
        for (int a = 0; a < 3; ++a) e[a] /= along;
        turn_out(f, e);
        sn_bend_edge(sign / distance, n, e, bend);
    }
    return sign * distance;
}

/* Ground that is not in the 3 x 3 tiles around x is at least as far as their border. Ground in these tiles is below
 * their highest point. */
static double least(const void *data, const double place[3]) {
    const field *f = data;
    double x[3];
    turn_in(f, place, x);
    const int l = f->levels - 1 < NEAR_LEVEL ? f->levels - 1 : NEAR_LEVEL;
    const level *own = &f->level[l];
    const int row = cell_of(f->z, f->rows, x[2]) >> l, column = cell_of(f->x, f->columns, x[0]) >> l;
    double high = -INFINITY, reach = INFINITY;
    for (int i = row - 1; i <= row + 1; ++i)
        for (int j = column - 1; j <= column + 1; ++j)
            if (i >= 0 && j >= 0 && i < own->rows && j < own->columns)
                high = fmax(high, (double)own->high[(size_t)i * (size_t)own->columns + (size_t)j]);
    if (row > 1) reach = fmin(reach, x[2] - f->z[(row - 1) << l]);
    if (column > 1) reach = fmin(reach, x[0] - f->x[(column - 1) << l]);
    if (row + 2 < own->rows) reach = fmin(reach, f->z[(row + 2) << l] - x[2]);
    if (column + 2 < own->columns) reach = fmin(reach, f->x[(column + 2) << l] - x[0]);
    return fmax(x[1] - f->top, fmin(reach, x[1] - high));
}

/* ---- Drawing ---- */
/* The grid without the ring. A fine grid is drawn with every k-th line. */
static sn_status draw(const void *data, sn_drawing *drawing, sn_error *error) {
    const field *f = data;
    const int rows = f->rows - 2, columns = f->columns - 2, most = rows > columns ? rows : columns;
    const int stride = (most + DRAWN - 1) / DRAWN, down = (rows - 2) / stride + 2, across = (columns - 2) / stride + 2;
    const sn_status status = sn_drawing_room(drawing, down * across, 2 * (down - 1) * (across - 1), error);
    if (status) return status;
    for (int i = 0; i < down; ++i)
        for (int j = 0; j < across; ++j) {
            const int row = 1 + within(i * stride, rows), column = 1 + within(j * stride, columns);
            const int low = row > 1 ? row - 1 : row, high = row < rows ? row + 1 : row;
            const int left = column > 1 ? column - 1 : column, right = column < columns ? column + 1 : column;
            const size_t at = 3 * ((size_t)i * (size_t)across + (size_t)j);
            double n[3] = {-(height_at(f, row, right) - height_at(f, row, left)) / (f->x[right] - f->x[left]), 1,
                           -(height_at(f, high, column) - height_at(f, low, column)) / (f->z[high] - f->z[low])};
            const double length = sn_norm3(n);
            corner(f, row, column, drawing->position + at);
            for (int a = 0; a < 3; ++a) drawing->normal[at + (size_t)a] = n[a] / length;
            turn_out(f, drawing->position + at);
            turn_out(f, drawing->normal + at);
        }
    int32_t *triangle = drawing->triangle;
    for (int i = 0; i + 1 < down; ++i)
        for (int j = 0; j + 1 < across; ++j, triangle += 6) {
            const int32_t a = i * across + j, b = a + across, pair[6] = {a, b, a + 1, a + 1, b, b + 1};
            memcpy(triangle, pair, sizeof pair);
        }
    return SN_OK;
}

const sn_shape sn_shape_heightfield = {.parameter = parameters,
                                       .parameter_count = 4,
                                       .takes_heights = true,
                                       .size = sizeof(field),
                                       .check = check,
                                       .create = create,
                                       .destroy = destroy,
                                       .gap = gap,
                                       .least = least,
                                       .draw = draw};
