/* See lattice.h. Source: Civit 5.3.1, steps 1 and 2. */
#include "lattice.h"

#include <math.h>

#include "base/context.h"
#include "base/math3.h"
#include "separate.h"

/* Corners where the tets stand: tet 0 stands at the first set of an even cell, tets 1 to 4 at the second. */
static const uint8_t corner_set[2][4] = {{0, 3, 5, 6}, {1, 2, 4, 7}};

void sn_lattice_corners(const int at[3], int t, int bits[4]) {
    const int odd = (at[0] + at[1] + at[2]) & 1;
    if (t == 0) {
        for (int i = 0; i < 4; ++i) bits[i] = corner_set[odd][i];
        return;
    }
    const int c = corner_set[!odd][t - 1];
    bits[0] = c, bits[1] = c ^ 1, bits[2] = c ^ 2, bits[3] = c ^ 4;
}

/* Which of tets 1 to 4 stands at corner c. */
static int tet_at(int c) {
    static const int8_t tet[8] = {1, 1, 2, 2, 3, 3, 4, 4};
    return tet[c];
}

int sn_lattice_neighbour(const sn_lattice *l, int tet, int opposite) {
    int at[3], bits[4];
    const int c = tet / 5, t = tet % 5;
    sn_lattice_cell(l, c, at);
    sn_lattice_corners(at, t, bits);
    if (t == 0) return 5 * c + tet_at(bits[opposite] ^ 7); /* the face faces the corner across the cell */
    if (opposite == 0) return 5 * c;
    const int axis = opposite - 1, step = bits[0] >> axis & 1 ? 1 : -1;
    if (at[axis] + step < 0 || at[axis] + step >= l->count[axis]) return -1;
    const int stride = axis == 0 ? 1 : axis == 1 ? l->count[0] : l->count[0] * l->count[1];
    return 5 * (c + step * stride) + tet_at(bits[0] ^ 1 << axis);
}

/* ---- Making ---- */

/* The box is put in the middle of the cells, so that no face of the surface lies in their planes without need. */
static sn_status choose_cells(const sn_clean_surface *s, double cell, sn_lattice *l, sn_error *error) {
    double all = 1, wanted[3];
    for (int k = 0; k < 3; ++k) {
        wanted[k] = ceil((s->high[k] - s->low[k]) / cell + 0.02);
        all *= wanted[k];
    }
    if (!(all <= SN_LATTICE_CELLS))
        return sn_fail_at(error, SN_BAD_INPUT, "cell",
                          "cell is %g; the box of the surface, %g x %g x %g m, then has %g cells, and %d are allowed: "
                          "take a larger cell, or fewer elements",
                          cell, s->high[0] - s->low[0], s->high[1] - s->low[1], s->high[2] - s->low[2], all,
                          SN_LATTICE_CELLS);
    size_t nodes = 1;
    for (int k = 0; k < 3; ++k) {
        l->count[k] = (int)wanted[k];
        l->low[k] = 0.5 * (s->low[k] + s->high[k] - wanted[k] * cell);
        nodes *= (size_t)l->count[k] + 1;
    }
    l->cell = cell;
    l->margin = 1e-6 * cell;
    l->place = sn_allocate_zero(l->context, 5 * (size_t)all, 1);
    l->winding = sn_allocate(l->context, nodes, sizeof *l->winding);
    return l->place && l->winding ? SN_OK : sn_no_memory(error);
}

/* ---- Pierced tets ---- */

/* Whether the triangle's plane passes the cell by. */
static bool plane_passes(const sn_lattice *l, const int at[3], const double *const x[3], const double normal[3]) {
    double height = 0, reach = 0;
    for (int k = 0; k < 3; ++k) {
        height += normal[k] * (l->low[k] + (at[k] + 0.5) * l->cell - x[0][k]);
        reach += fabs(normal[k]) * (0.5 * l->cell + l->margin);
    }
    return fabs(height) > reach * (1 + 1e-9);
}

static void pierce_cell(sn_lattice *l, const int at[3], const double *const x[3]) {
    const size_t cell = (size_t)at[0] + (size_t)l->count[0] * ((size_t)at[1] + (size_t)l->count[1] * (size_t)at[2]);
    double corner[8][3];
    for (int b = 0; b < 8; ++b) sn_lattice_position(l, at, b, corner[b]);
    for (int t = 0; t < 5; ++t) {
        uint8_t *place = &l->place[5 * cell + (size_t)t];
        int bits[4];
        if (*place) continue;
        sn_lattice_corners(at, t, bits);
        const double *const tet[4] = {corner[bits[0]], corner[bits[1]], corner[bits[2]], corner[bits[3]]};
        if (!sn_tet_apart(tet, x, l->margin)) *place = SN_TET_PIERCED, ++l->pierced;
    }
}

static int limit(double value, int count) { return value < 0 ? 0 : value >= count ? count - 1 : (int)value; }

static void pierce(const sn_clean_surface *s, sn_lattice *l) {
    for (int t = 0; t < s->triangles; ++t) {
        const double *x[3];
        double normal[3];
        int low[3], high[3], at[3];
        sn_clean_surface_corners(s, t, x);
        sn_area_vector3(x[0], x[1], x[2], normal);
        for (int k = 0; k < 3; ++k) {
            const double least = fmin(fmin(x[0][k], x[1][k]), x[2][k]), most = fmax(fmax(x[0][k], x[1][k]), x[2][k]);
            low[k] = limit((least - 2 * l->margin - l->low[k]) / l->cell, l->count[k]);
            high[k] = limit((most + 2 * l->margin - l->low[k]) / l->cell, l->count[k]);
        }
        for (at[2] = low[2]; at[2] <= high[2]; ++at[2])
            for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
                for (at[0] = low[0]; at[0] <= high[0]; ++at[0])
                    if (!plane_passes(l, at, x, normal)) pierce_cell(l, at, x);
    }
}

/* ---- Inside ---- */

/* Whether the surface surely misses the edge from the node before `at` along the axis to the node at `at`. Each cell
 * around the edge has one tet at a corner that holds it. */
static bool edge_is_free(const sn_lattice *l, const int at[3], int axis) {
    for (int around = 0; around < 4; ++around) {
        const int y = (axis + 1) % 3, z = (axis + 2) % 3;
        int cell[3];
        cell[axis] = at[axis] - 1, cell[y] = at[y] - (around & 1), cell[z] = at[z] - (around >> 1);
        if (cell[y] < 0 || cell[z] < 0 || cell[y] >= l->count[y] || cell[z] >= l->count[z]) continue;
        const int bits = (around & 1) << y | (around >> 1) << z;
        const int odd = (cell[0] + cell[1] + cell[2]) & 1, uneven = (bits ^ bits >> 1 ^ bits >> 2) & 1;
        const int corner = uneven != odd ? bits : bits | 1 << axis;
        const size_t c =
            (size_t)cell[0] + (size_t)l->count[0] * ((size_t)cell[1] + (size_t)l->count[1] * (size_t)cell[2]);
        if (l->place[5 * c + (size_t)tet_at(corner)] != SN_TET_PIERCED) return true;
    }
    return false;
}

typedef struct winding_task {
    const sn_clean_surface *surface;
    sn_lattice *lattice;
} winding_task;

/* The winding numbers of the nodes of one layer. Those of a closed surface are the same at both ends of an edge that
 * the surface misses. */
static void wind_layer(void *data, int layer) {
    const winding_task *w = data;
    const sn_lattice *l = w->lattice;
    const int nx = l->count[0] + 1, ny = l->count[1] + 1;
    float *winding = l->winding + (size_t)nx * (size_t)ny * (size_t)layer;
    int at[3] = {0, 0, layer};
    for (at[1] = 0; at[1] < ny; ++at[1])
        for (at[0] = 0; at[0] < nx; ++at[0], ++winding) {
            double x[3];
            if (w->surface->closed && at[0] > 0 && edge_is_free(l, at, 0)) {
                *winding = winding[-1];
            } else if (w->surface->closed && at[1] > 0 && edge_is_free(l, at, 1)) {
                *winding = winding[-nx];
            } else {
                sn_lattice_position(l, at, 0, x);
                *winding = (float)fabs(sn_winding_number(&w->surface->winding, x));
            }
        }
}

/* A tet that the surface does not meet is inside when its nodes are, on average. */
static void find_inside(sn_lattice *l) {
    const int cells = l->count[0] * l->count[1] * l->count[2];
    for (int c = 0; c < cells; ++c) {
        int at[3], bits[4];
        sn_lattice_cell(l, c, at);
        for (int t = 0; t < 5; ++t) {
            uint8_t *place = &l->place[5 * (size_t)c + (size_t)t];
            float sum = 0;
            sn_lattice_corners(at, t, bits);
            for (int i = 0; i < 4; ++i) sum += l->winding[sn_lattice_node(l, at, bits[i])];
            if (!*place && sum > 2) *place = SN_TET_INSIDE;
            l->kept += *place != SN_TET_OUTSIDE;
        }
    }
}

sn_status sn_lattice_create(const sn_clean_surface *s, double cell, sn_lattice *l, sn_error *error) {
    *l = (sn_lattice){.context = s->context};
    const sn_status status = choose_cells(s, cell, l, error);
    if (status) {
        sn_lattice_destroy(l);
        return status;
    }
    pierce(s, l);
    winding_task w = {s, l};
    sn_parallel(l->context, l->count[2] + 1, wind_layer, &w);
    find_inside(l);
    return SN_OK;
}

void sn_lattice_destroy(sn_lattice *l) {
    sn_release(l->context, l->place), sn_release(l->context, l->winding);
    l->place = NULL, l->winding = NULL;
}
