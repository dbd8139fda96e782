/* See locate_point.h.
 *
 * A point outside of all tets belongs to the tet with the smallest violation: the largest distance of the point beyond
 * one of the tet's face planes. For convex cells this is the nearest tet up to a small factor. The search goes over
 * rings of grid cells around the point until a ring has tets, and then over one more ring. */
#include "locate_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"

static const double *corner(const sn_mesh *mesh, int tet, int i) {
    return mesh->position + 3 * (size_t)mesh->tet[(size_t)tet * (size_t)mesh->tet_nodes + (size_t)i];
}

/* Six times the signed volume of a tet. */
static double volume6(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3], n[3];
    for (int k = 0; k < 3; ++k) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
    sn_cross3(u, v, n);
    return sn_dot3(n, w);
}

bool sn_tet_weights(const sn_mesh *mesh, int tet, const double p[3], double weight[4]) {
    const double *a = corner(mesh, tet, 0), *b = corner(mesh, tet, 1), *c = corner(mesh, tet, 2),
                 *d = corner(mesh, tet, 3);
    const double whole = volume6(a, b, c, d);
    if (!(fabs(whole) > 0)) return false;
    weight[0] = volume6(p, b, c, d) / whole;
    weight[1] = volume6(a, p, c, d) / whole;
    weight[2] = volume6(a, b, p, d) / whole;
    weight[3] = 1 - weight[0] - weight[1] - weight[2];
    return true;
}

/* Height of the tet over the face opposite to corner i. */
static double height(const sn_mesh *mesh, int tet, int i) {
    const double *x[4];
    for (int k = 0; k < 4; ++k) x[k] = corner(mesh, tet, k);
    const double *a = x[(i + 1) & 3], *b = x[(i + 2) & 3], *c = x[(i + 3) & 3];
    double u[3], v[3], n[3];
    for (int k = 0; k < 3; ++k) u[k] = b[k] - a[k], v[k] = c[k] - a[k];
    sn_cross3(u, v, n);
    return fabs(volume6(x[0], x[1], x[2], x[3])) / sqrt(fmax(sn_dot3(n, n), 1e-300));
}

static int clamp(double value, int count) { return value < 0 ? 0 : value >= count ? count - 1 : (int)value; }

/* The range of cells that a tet's box meets. */
static void tet_range(const sn_locator *l, int tet, int low[3], int high[3]) {
    for (int k = 0; k < 3; ++k) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (int i = 0; i < 4; ++i)
            least = fmin(least, corner(l->mesh, tet, i)[k]), most = fmax(most, corner(l->mesh, tet, i)[k]);
        low[k] = clamp((least - l->low[k]) / l->size, l->count[k]);
        high[k] = clamp((most - l->low[k]) / l->size, l->count[k]);
    }
}

static size_t cell(const sn_locator *l, int i, int j, int k) {
    return (size_t)i + (size_t)l->count[0] * ((size_t)j + (size_t)l->count[1] * (size_t)k);
}

/* Visits the cells of all tets: counts them (pass 0) or writes the tets (pass 1). */
static void fill(sn_locator *l, int pass) {
    for (int t = 0; t < l->mesh->tet_count; ++t) {
        int low[3], high[3];
        tet_range(l, t, low, high);
        for (int k = low[2]; k <= high[2]; ++k)
            for (int j = low[1]; j <= high[1]; ++j)
                for (int i = low[0]; i <= high[0]; ++i) {
                    const size_t c = cell(l, i, j, k);
                    if (pass == 0)
                        ++l->first[c + 1];
                    else
                        l->tet[l->first[c]++] = t;
                }
    }
}

static void choose_grid(sn_locator *l) {
    double high[3], largest = 0;
    for (int k = 0; k < 3; ++k) {
        l->low[k] = HUGE_VAL, high[k] = -HUGE_VAL;
        for (int i = 0; i < l->mesh->node_count; ++i) {
            const double x = l->mesh->position[3 * (size_t)i + (size_t)k];
            l->low[k] = fmin(l->low[k], x), high[k] = fmax(high[k], x);
        }
        largest = fmax(largest, high[k] - l->low[k]);
    }
    double volume = 1;
    for (int k = 0; k < 3; ++k) volume *= fmax(high[k] - l->low[k], 1e-3 * largest);
    l->size = fmax(sn_cube_root(3 * volume / fmax(l->mesh->tet_count, 1)), largest / 256);
    if (!(l->size > 0)) l->size = 1;
    for (int k = 0; k < 3; ++k) l->count[k] = 1 + (int)((high[k] - l->low[k]) / l->size);
}

sn_status sn_locator_create(const sn_mesh *mesh, sn_locator *l, sn_error *error) {
    *l = (sn_locator){.mesh = mesh};
    if (mesh->tet_count == 0) return SN_OK;
    choose_grid(l);
    const size_t cells = (size_t)l->count[0] * (size_t)l->count[1] * (size_t)l->count[2];
    l->first = sn_allocate_zero(mesh->context, cells + 2, sizeof *l->first);
    if (!l->first) return sn_no_memory(error);
    ++l->first; /* one behind while counting: filling moves each start to the next cell's */
    fill(l, 0);
    for (size_t c = 0; c < cells; ++c) l->first[c + 1] += l->first[c];
    l->tet = sn_allocate(mesh->context, (size_t)l->first[cells] + 1, sizeof *l->tet);
    if (l->tet) fill(l, 1);
    --l->first;
    if (!l->tet) {
        sn_locator_destroy(l);
        return sn_no_memory(error);
    }
    return SN_OK;
}

void sn_locator_destroy(sn_locator *l) {
    if (l->first) sn_release(l->mesh->context, l->first);
    if (l->tet) sn_release(l->mesh->context, l->tet);
    l->first = l->tet = NULL;
}

/* Tries the tets of one cell. */
static void try_cell(const sn_locator *l, size_t c, const double point[3], int *best, double best_weight[4],
                     double *best_outside) {
    for (int32_t i = l->first[c]; i < l->first[c + 1]; ++i) {
        double w[4], outside = 0;
        if (!sn_tet_weights(l->mesh, l->tet[i], point, w)) continue;
        for (int k = 0; k < 4; ++k)
            if (w[k] < 0) outside = fmax(outside, -w[k] * height(l->mesh, l->tet[i], k));
        if (*best >= 0 && outside >= *best_outside) continue;
        *best = l->tet[i], *best_outside = outside;
        memcpy(best_weight, w, sizeof w);
    }
}

int sn_locator_find(const sn_locator *l, const double point[3], double weight[4], double *outside) {
    int best = -1, centre[3], most = 0, found = -1;
    *outside = HUGE_VAL;
    if (!l->first) return -1;
    for (int k = 0; k < 3; ++k) {
        centre[k] = clamp((point[k] - l->low[k]) / l->size, l->count[k]);
        if (l->count[k] > most) most = l->count[k];
    }
    for (int ring = 0; ring <= most && (found < 0 || ring <= found + 1); ++ring) {
        for (int k = centre[2] - ring; k <= centre[2] + ring; ++k)
            for (int j = centre[1] - ring; j <= centre[1] + ring; ++j)
                for (int i = centre[0] - ring; i <= centre[0] + ring; ++i) {
                    const bool shell =
                        abs(i - centre[0]) == ring || abs(j - centre[1]) == ring || abs(k - centre[2]) == ring;
                    if (!shell || i < 0 || j < 0 || k < 0 || i >= l->count[0] || j >= l->count[1] || k >= l->count[2])
                        continue;
                    try_cell(l, cell(l, i, j, k), point, &best, weight, outside);
                }
        if (best >= 0 && *outside == 0) return best;
        if (best >= 0 && found < 0) found = ring;
    }
    return best;
}
