/* See polygon.h. Ear clipping (Meisters 1975): a corner is an ear when it is convex, and when no other corner lies in
 * the triangle with its two neighbours. An ear is cut off, and so on. The search begins at the second corner. A polygon
 * without an ear crosses itself or has no area; then the second corner is cut off.
 *
 * Areas are measured along the vector area of the polygon, so that it need not be plane. */
#include "polygon.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/math3.h"

/* Twice the area of a triangle, seen along n. */
static double area_along(const double *position, const double n[3], int32_t a, int32_t b, int32_t c) {
    double u[3], v[3], cross[3];
    sn_subtract3(position + 3 * (size_t)b, position + 3 * (size_t)a, u);
    sn_subtract3(position + 3 * (size_t)c, position + 3 * (size_t)a, v);
    sn_cross3(u, v, cross);
    return sn_dot3(cross, n);
}

static bool holds(const double *position, const double n[3], const int32_t t[3], int32_t node) {
    for (int k = 0; k < 3; ++k)
        if (node == t[k] || area_along(position, n, t[k], t[(k + 1) % 3], node) < 0) return false;
    return true;
}

/* Only corners that are not convex can lie in an ear. Cutting makes no further ones. */
static int find_bends(const double *position, const double n[3], const int32_t *ring, int count, int32_t *bend) {
    int bends = 0;
    for (int i = 0; i < count; ++i)
        if (!(area_along(position, n, ring[(i + count - 1) % count], ring[i], ring[(i + 1) % count]) > 0))
            bend[bends++] = ring[i];
    return bends;
}

static bool is_ear(const double *position, const double n[3], const int32_t *bend, int bends, const int32_t t[3]) {
    if (!(area_along(position, n, t[0], t[1], t[2]) > 0)) return false;
    for (int i = 0; i < bends; ++i)
        if (holds(position, n, t, bend[i])) return false;
    return true;
}

void sn_polygon_cut(const double *position, int32_t *ring, int count, int32_t *bend, int32_t *triangle) {
    double n[3] = {0}, wide = 0; /* wide: the largest squared distance from the first corner */
    for (int i = 1; i + 1 < count; ++i) {
        double part[3], side[3];
        sn_subtract3(position + 3 * (size_t)ring[i], position + 3 * (size_t)ring[0], side);
        wide = fmax(wide, sn_dot3(side, side));
        sn_area_vector3(position + 3 * (size_t)ring[0], position + 3 * (size_t)ring[i],
                        position + 3 * (size_t)ring[i + 1], part);
        for (int k = 0; k < 3; ++k) n[k] += part[k];
    }
    if (!(sn_norm3(n) > 1e-12 * wide)) n[0] = n[1] = n[2] = 0; /* no area but rounding errors */
    const int bends = find_bends(position, n, ring, count, bend);
    for (; count >= 3; --count, triangle += 3) {
        int at = 1;
        for (int i = 1; i <= count; ++i) {
            const int32_t t[3] = {ring[i - 1], ring[i % count], ring[(i + 1) % count]};
            if (!is_ear(position, n, bend, bends, t)) continue;
            at = i % count;
            break;
        }
        const int32_t t[3] = {ring[(at + count - 1) % count], ring[at], ring[(at + 1) % count]};
        memcpy(triangle, t, sizeof t);
        memmove(ring + at, ring + at + 1, (size_t)(count - at - 1) * sizeof *ring);
    }
}
