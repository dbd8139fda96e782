/* See orient.h.
 *
 * Triangles that share an edge should run along it in opposite directions. A flood over the edges of two triangles
 * finds, for each patch, which triangles face one side and which the other. The side with less area is turned around.
 */
#include "orient.h"

#include <math.h>
#include <string.h>

#include "base/math3.h"

static void turn(int32_t *triangle) {
    const int32_t swap = triangle[1];
    triangle[1] = triangle[2], triangle[2] = swap;
}

static double area_of(const double *position, const int32_t *t) {
    double A[3];
    sn_area_vector3(position + 3 * (size_t)t[0], position + 3 * (size_t)t[1], position + 3 * (size_t)t[2], A);
    return 0.5 * sn_norm3(A);
}

/* Floods the patch of triangle `first`. side: 0 not reached, 1 as the first triangle, 2 the other way round. Turns the
 * side with less area. */
static void orient_patch(const double *position, int32_t *triangle, const int32_t *partner, int first, uint8_t *side,
                         int32_t *queue, sn_orientation *orientation) {
    int count = 0, turned[3] = {0};
    double area[3] = {0};
    queue[count++] = first;
    side[first] = 1;
    for (int i = 0; i < count; ++i) {
        const int32_t t = queue[i];
        area[side[t]] += area_of(position, triangle + 3 * (size_t)t), ++turned[side[t]];
        for (int k = 0; k < 3; ++k) {
            const int32_t edge = 3 * t + k, other = partner[edge];
            if (other < 0 || side[other / 3]) continue;
            const bool agree = triangle[edge] != triangle[other];
            side[other / 3] = agree ? side[t] : (uint8_t)(3 - side[t]);
            queue[count++] = other / 3;
        }
    }
    const int wrong = area[1] < area[2] ? 1 : 2;
    for (int i = 0; i < count; ++i)
        if (side[queue[i]] == wrong) turn(triangle + 3 * (size_t)queue[i]);
    orientation->turned += turned[wrong];
    ++orientation->patches;
}

sn_status sn_orient(const sn_context *context, const double *position, int32_t *triangle, int triangles,
                    sn_orientation *orientation, sn_error *error) {
    *orientation = (sn_orientation){0};
    int32_t *partner = sn_allocate(context, 3 * (size_t)triangles, sizeof *partner),
            *queue = sn_allocate(context, (size_t)triangles, sizeof *queue);
    uint8_t *side = sn_allocate_zero(context, (size_t)triangles, 1);
    sn_edge_counts *edges = &orientation->edges;
    sn_status status = partner && queue && side ? SN_OK : sn_no_memory(error);
    if (!status) status = sn_pair_edges(context, triangle, triangles, partner, edges, error);
    for (int t = 0; t < triangles && !status; ++t)
        if (!side[t]) orient_patch(position, triangle, partner, t, side, queue, orientation);
    bool closed = !status && edges->open + edges->crowded == 0;
    for (int32_t i = 0; i < 3 * triangles && closed; ++i) closed = triangle[i] != triangle[partner[i]];
    orientation->closed = closed;
    sn_release(context, partner), sn_release(context, queue), sn_release(context, side);
    return status;
}

/* ---- Outwards ---- */

/* Six times the volume inside, from the middle of the box, and the longest side of the box. */
static double volume_of(const double *position, const int32_t *triangle, int triangles, double *size) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, middle[3], volume = 0;
    for (int i = 0; i < 3 * triangles; ++i)
        for (int k = 0; k < 3; ++k) {
            const double x = position[3 * (size_t)triangle[i] + (size_t)k];
            low[k] = fmin(low[k], x), high[k] = fmax(high[k], x);
        }
    *size = 0;
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (low[k] + high[k]), *size = fmax(*size, high[k] - low[k]);
    for (int t = 0; t < triangles; ++t) {
        const int32_t *n = triangle + 3 * (size_t)t;
        volume +=
            sn_volume6(middle, position + 3 * (size_t)n[0], position + 3 * (size_t)n[1], position + 3 * (size_t)n[2]);
    }
    return volume;
}

sn_status sn_face_outwards(const sn_context *context, const double *position, int nodes, int32_t *triangle,
                           int triangles, sn_error *error) {
    int points, proper = 0;
    double size;
    sn_orientation orientation;
    int32_t *point = sn_allocate(context, (size_t)nodes, sizeof *point),
            *first = sn_allocate(context, (size_t)nodes, sizeof *first),
            *number = sn_allocate(context, (size_t)triangles, sizeof *number),
            *joined = sn_allocate(context, 3 * (size_t)triangles, sizeof *joined);
    double *place = sn_allocate(context, 3 * (size_t)nodes, sizeof *place);
    sn_status status = point && first && number && joined && place ? SN_OK : sn_no_memory(error);
    if (!status) status = sn_weld(context, position, nodes, triangle, triangles, point, &points, error);
    for (int i = 0; i < nodes && !status; ++i)
        if (point[i] >= 0) memcpy(place + 3 * (size_t)point[i], position + 3 * (size_t)i, 3 * sizeof *place);
    for (int i = nodes - 1; i >= 0 && !status; --i)
        if (point[i] >= 0) first[point[i]] = i;
    for (int t = 0; t < triangles && !status; ++t) {
        int32_t *n = joined + 3 * (size_t)proper, *own = triangle + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) n[k] = point[own[k]], own[k] = first[n[k]];
        if (n[0] != n[1] && n[1] != n[2] && n[2] != n[0]) number[proper++] = t;
    }
    if (!status) status = sn_orient(context, place, joined, proper, &orientation, error);
    const bool inwards = !status && volume_of(place, joined, proper, &size) < -1e-9 * size * size * size;
    for (int t = 0; t < proper && !status; ++t) {
        int32_t *own = triangle + 3 * (size_t)number[t];
        const bool turned = joined[3 * (size_t)t + 1] != point[own[1]];
        if (turned != inwards) turn(own);
    }
    void *const array[] = {point, first, number, joined, place};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
    return status;
}
