/* Tets around a surface. Kept are the cells of a grid that a triangle meets (separating axes: Akenine-Moeller 2001),
 * and the cells that a flood from outside does not reach. Each cell is cut into five tets with alternating diagonals,
 * like a box with split 5. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/math3.h"
#include "mesh/mesh_internal.h"
#include "sinew/embed.h"

typedef struct grid {
    double low[3], size;
    int count[3];  /* with one empty cell around */
    uint8_t *cell; /* 0 unknown, 1 kept, 2 outside */
} grid;

static size_t at(const grid *g, int i, int j, int k) {
    return (size_t)i + (size_t)g->count[0] * ((size_t)j + (size_t)g->count[1] * (size_t)k);
}

/* True when the projections of triangle and cube (half side h, about the origin) on the axis are apart. */
static bool apart(const double axis[3], double v[3][3], double h) {
    const double p0 = sn_dot3(axis, v[0]), p1 = sn_dot3(axis, v[1]), p2 = sn_dot3(axis, v[2]);
    const double r = h * (fabs(axis[0]) + fabs(axis[1]) + fabs(axis[2]));
    return fmin(fmin(p0, p1), p2) > r || fmax(fmax(p0, p1), p2) < -r;
}

static bool meets(const double centre[3], double h, const double *corner[3]) {
    double v[3][3], edge[3][3], normal[3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) v[i][k] = corner[i][k] - centre[k];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) edge[i][k] = v[(i + 1) % 3][k] - v[i][k];
    for (int k = 0; k < 3; ++k) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        if (apart(axis, v, h)) return false;
        for (int i = 0; i < 3; ++i) {
            double cross[3];
            sn_cross3(axis, edge[i], cross);
            if (apart(cross, v, h)) return false;
        }
    }
    sn_cross3(edge[0], edge[1], normal);
    return !apart(normal, v, h);
}

static void mark_surface(grid *g, const sn_mesh *surface) {
    for (int t = 0; t < surface->triangle_count; ++t) {
        const double *corner[3];
        int low[3], high[3];
        for (int i = 0; i < 3; ++i)
            corner[i] = surface->position + 3 * (size_t)surface->triangle[3 * (size_t)t + (size_t)i];
        for (int k = 0; k < 3; ++k) {
            low[k] = (int)floor((fmin(fmin(corner[0][k], corner[1][k]), corner[2][k]) - g->low[k]) / g->size);
            high[k] = (int)floor((fmax(fmax(corner[0][k], corner[1][k]), corner[2][k]) - g->low[k]) / g->size);
        }
        for (int k = low[2]; k <= high[2]; ++k)
            for (int j = low[1]; j <= high[1]; ++j)
                for (int i = low[0]; i <= high[0]; ++i) {
                    const double centre[3] = {g->low[0] + (i + 0.5) * g->size, g->low[1] + (j + 0.5) * g->size,
                                              g->low[2] + (k + 0.5) * g->size};
                    uint8_t *cell = &g->cell[at(g, i, j, k)];
                    if (!*cell && meets(centre, 0.5 * g->size * (1 + 1e-9), corner)) *cell = 1;
                }
    }
}

/* Sweeps until nothing changes: a cell beside an outside one is outside. The first cell of the empty border starts. */
static void mark_outside(grid *g) {
    const int *n = g->count;
    const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    g->cell[0] = 2;
    for (bool changed = true; changed;) {
        changed = false;
        for (int backward = 0; backward < 2; ++backward) {
            const ptrdiff_t cells = stride[2] * n[2];
            for (ptrdiff_t s = 0; s < cells; ++s) {
                const ptrdiff_t c = backward ? cells - 1 - s : s;
                if (g->cell[c]) continue;
                const int p[3] = {(int)(c % n[0]), (int)(c / n[0] % n[1]), (int)(c / stride[2])};
                for (int k = 0; k < 3 && !g->cell[c]; ++k)
                    if ((p[k] > 0 && g->cell[c - stride[k]] == 2) || (p[k] + 1 < n[k] && g->cell[c + stride[k]] == 2))
                        g->cell[c] = 2, changed = true;
            }
        }
    }
}

static sn_status make_grid(const sn_mesh *surface, int cells, grid *g, sn_error *error) {
    double high[3], longest = 0;
    for (int k = 0; k < 3; ++k) {
        g->low[k] = HUGE_VAL, high[k] = -HUGE_VAL;
        for (int i = 0; i < 3 * surface->triangle_count; ++i) {
            const double x = surface->position[3 * (size_t)surface->triangle[i] + (size_t)k];
            g->low[k] = fmin(g->low[k], x), high[k] = fmax(high[k], x);
        }
        longest = fmax(longest, high[k] - g->low[k]);
    }
    if (!(longest > 0) || !isfinite(longest)) return sn_fail(error, SN_BAD_INPUT, "the surface has no extent");
    g->size = longest * (1 + 1e-6) / cells;
    size_t all = 1;
    for (int k = 0; k < 3; ++k) {
        const int inner = (int)ceil((high[k] - g->low[k]) / g->size + 1e-9);
        g->low[k] -= 0.5 * (inner * g->size - (high[k] - g->low[k])) + g->size;
        g->count[k] = inner + 2;
        all *= (size_t)g->count[k];
    }
    g->cell = sn_allocate_zero(surface->context, all, 1);
    return g->cell ? SN_OK : sn_no_memory(error);
}

/* Corners of the five tets of an even and an odd cell, as bits x + 2 y + 4 z. */
static const uint8_t five[2][5][4] = {{{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}},
                                      {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}}};

static void turn_outward(sn_mesh *mesh, int32_t *tet) {
    const double *x[4];
    double u[3], v[3], w[3], n[3];
    for (int i = 0; i < 4; ++i) x[i] = mesh->position + 3 * (size_t)tet[i];
    for (int k = 0; k < 3; ++k) u[k] = x[1][k] - x[0][k], v[k] = x[2][k] - x[0][k], w[k] = x[3][k] - x[0][k];
    sn_cross3(u, v, n);
    if (sn_dot3(n, w) >= 0) return;
    const int32_t swap = tet[2];
    tet[2] = tet[3], tet[3] = swap;
}

static sn_status make_tets(const grid *g, sn_context *context, sn_mesh **cage, sn_error *error) {
    const int nx = g->count[0] + 1, ny = g->count[1] + 1, nz = g->count[2] + 1;
    int32_t *number = sn_allocate_zero(context, (size_t)nx * (size_t)ny * (size_t)nz, sizeof *number);
    if (!number) return sn_no_memory(error);
    int cells = 0, nodes = 0;
    for (int pass = 0; pass < 2; ++pass) /* mark the corners of kept cells, then count */
        for (int k = 0; k < (pass ? nz : g->count[2]); ++k)
            for (int j = 0; j < (pass ? ny : g->count[1]); ++j)
                for (int i = 0; i < (pass ? nx : g->count[0]); ++i) {
                    int32_t *here = &number[i + nx * (j + (size_t)ny * (size_t)k)];
                    if (pass) *here = *here ? nodes++ : -1;
                    if (pass || g->cell[at(g, i, j, k)] == 2) continue;
                    ++cells;
                    for (int c = 0; c < 8; ++c) here[(c & 1) + nx * ((c >> 1 & 1) + (size_t)ny * (size_t)(c >> 2))] = 1;
                }
    sn_status status = sn_mesh_create(context, nodes, 5 * cells, 4, 0, cage, error);
    int32_t *tet = status ? NULL : (*cage)->tet;
    for (int k = 0; k < nz && !status; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                const int32_t n = number[i + nx * (j + (size_t)ny * (size_t)k)];
                if (n < 0) continue;
                (*cage)->position[3 * (size_t)n] = g->low[0] + i * g->size;
                (*cage)->position[3 * (size_t)n + 1] = g->low[1] + j * g->size;
                (*cage)->position[3 * (size_t)n + 2] = g->low[2] + k * g->size;
            }
    for (int k = 0; k < g->count[2] && !status; ++k)
        for (int j = 0; j < g->count[1]; ++j)
            for (int i = 0; i < g->count[0]; ++i) {
                if (g->cell[at(g, i, j, k)] == 2) continue;
                const int32_t *here = &number[i + nx * (j + (size_t)ny * (size_t)k)];
                for (int t = 0; t < 5; ++t, tet += 4) {
                    for (int c = 0; c < 4; ++c) {
                        const int bits = five[(i + j + k) & 1][t][c];
                        tet[c] = here[(bits & 1) + nx * ((bits >> 1 & 1) + (size_t)ny * (size_t)(bits >> 2))];
                    }
                    turn_outward(*cage, tet);
                }
            }
    sn_release(context, number);
    return status;
}

sn_status sn_embedding_cage(const sn_mesh *surface, int cells, sn_mesh **cage, sn_error *error) {
    if (cells < 2 || cells > 256) return sn_fail(error, SN_BAD_INPUT, "cells is %d; it must be from 2 to 256", cells);
    if (surface->triangle_count < 1)
        return sn_fail(error, SN_BAD_INPUT, "the surface has no triangles to build a cage around");
    grid g = {0};
    sn_status status = sn_mesh_check(surface, error);
    if (!status) status = sn_mesh_check_finite(surface, error);
    if (status) return status;
    status = make_grid(surface, cells, &g, error);
    if (status) return status;
    mark_surface(&g, surface);
    mark_outside(&g);
    status = make_tets(&g, surface->context, cage, error);
    sn_release(surface->context, g.cell);
    return status;
}
