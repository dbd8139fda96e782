/* Which surfaces of near_features.h intersect: edges that go through triangles with which they share no vertex. */
#include <string.h>

#include "near_inside.h"
#include "orientation.h"
#include "touch_cut.h"

enum { FACING_GRAIN = 256, BOXES_GRAIN = 256 }; /* blocks of eight */

/* Whether an edge goes through a triangle. The signs are exact, so surfaces that lie in one plane give no false
 * answers; features that overlap in one plane have the distance 0. */
static bool pierces(const double *position, const int32_t edge[2], const int32_t triangle[3]) {
    const double *p = position + 3 * (size_t)edge[0], *q = position + 3 * (size_t)edge[1];
    const double *x[3];
    for (int k = 0; k < 3; ++k) x[k] = position + 3 * (size_t)triangle[k];
    for (int a = 0; a < 3; ++a) { /* boxes that are apart: exact, and cheaper than signs */
        const double low = p[a] < q[a] ? p[a] : q[a], high = p[a] < q[a] ? q[a] : p[a];
        if ((x[0][a] < low && x[1][a] < low && x[2][a] < low) || (x[0][a] > high && x[1][a] > high && x[2][a] > high))
            return false;
    }
    const int above = sn_orientation(x[0], x[1], x[2], p), below = sn_orientation(x[0], x[1], x[2], q);
    if (above == below) return false;
    int side[3];
    for (int k = 0; k < 3; ++k) side[k] = sn_orientation(p, q, x[k], x[(k + 1) % 3]);
    return (side[0] >= 0 && side[1] >= 0 && side[2] >= 0) || (side[0] <= 0 && side[1] <= 0 && side[2] <= 0);
}

static bool triangles_cross(const sn_touch_surface *s, const double *position, const int32_t t[2]) {
    for (int k = 0; k < 6; ++k) {
        const int32_t *edge = s->edge + 2 * (size_t)s->triangle_edge[3 * (size_t)t[k < 3] + (size_t)(k % 3)];
        if (pierces(position, edge, s->triangle + 3 * (size_t)t[k >= 3])) return true;
    }
    return false;
}

bool sn_near_add_surfaces(int a, int b, int32_t (*pair)[2], int room, int *count) {
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    for (int i = 0; i < *count; ++i)
        if (pair[i][0] == low && pair[i][1] == high) return true;
    if (*count == room) return false;
    pair[*count][0] = low, pair[(*count)++][1] = high;
    return true;
}

/* Tests up to eight pairs of triangles; the filter drops most of those that are apart. */
static void test_pairs(const sn_near_features *near, const double *position, int count, const int32_t (*t)[2],
                       int32_t (*pair)[2], int room, int *found) {
    const sn_touch_surface *s = near->surface;
    int32_t corner[2][3][8];
    if (count == 0) return;
    for (int i = 0; i < 8; ++i)
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < 3; ++k)
                corner[side][k][i] = s->triangle[3 * (size_t)t[i < count ? i : count - 1][side] + (size_t)k];
    const unsigned apart =
        sn_cut_filter_for(near->context)->apart(position, corner[0][0], position, corner[1][0], NULL);
    for (int i = 0; i < count && *found < room; ++i)
        if (!(apart >> i & 1) && triangles_cross(s, position, t[i]))
            sn_near_add_surfaces(near->body[t[i][0]], near->body[t[i][1]], pair, room, found);
}

typedef struct facing_task { /* also of pairs of boxes */
    sn_near_features *near;
    const double *position;
} facing_task;

static bool facing_pierces(const sn_near_features *near, const double *position, int i) {
    const sn_touch_surface *s = near->surface;
    const int32_t *facing = near->facing[i];
    return pierces(position, s->edge + 2 * (size_t)facing[0], s->triangle + 3 * (size_t)facing[1]);
}

/* Whether an edge of a piece pierces the triangle that it faces. */
static void facing_piece(void *data, int piece) {
    const facing_task *t = data;
    sn_near_features *near = t->near;
    const sn_closest_kernels *kernels = sn_closest_kernels_for(near->context);
    const int blocks = (near->facing_count + 7) / 8, end = (int)sn_piece_begin(blocks, FACING_GRAIN, piece + 1);
    bool any = false;
    for (int b = (int)sn_piece_begin(blocks, FACING_GRAIN, piece); b < end && !any; ++b) {
        const unsigned bits = kernels->overlap(t->position, near->facing_corner + 40 * (size_t)b);
        for (int i = 0; bits >> i && 8 * b + i < near->facing_count && !any; ++i)
            any = bits >> i & 1 && facing_pierces(near, t->position, 8 * b + i);
    }
    near->piece[piece] = any;
}

/* The edges that face a triangle with which their own triangle shares a corner. */
static sn_status test_facing(sn_near_features *near, const double *position, int32_t (*pair)[2], int room, int *found,
                             sn_error *error) {
    const int pieces = sn_pieces((near->facing_count + 7) / 8, FACING_GRAIN);
    const sn_status status =
        sn_grow(near->context, (void **)&near->piece, &near->piece_capacity, pieces, sizeof *near->piece, error);
    if (status) return status;
    facing_task t = {near, position};
    sn_parallel_pieces(near->context, pieces, facing_piece, &t);
    for (int p = 0; p < pieces; ++p) {
        const int end = 8 * FACING_GRAIN * (p + 1);
        for (int i = 8 * FACING_GRAIN * p; near->piece[p] && i < end && i < near->facing_count && *found < room; ++i) {
            const int32_t body = near->body[near->facing[i][1]];
            if (facing_pierces(near, position, i)) sn_near_add_surfaces(body, body, pair, room, found);
        }
    }
    return SN_OK;
}

/* The pairs of boxes of a piece, eight at a time. */
static void test_boxes(const sn_near_features *near, const double *position, int piece, int32_t (*pair)[2], int room,
                       int *found) {
    const int grain = 8 * BOXES_GRAIN, end = (int)sn_piece_begin(near->boxes.count, grain, piece + 1);
    for (int i = (int)sn_piece_begin(near->boxes.count, grain, piece); i < end && *found < room; i += 8)
        test_pairs(near, position, end - i < 8 ? end - i : 8, (const int32_t(*)[2])(near->boxes.pair + i), pair, room,
                   found);
}

/* Whether triangles of a piece cross. */
static void boxes_piece(void *data, int piece) {
    const facing_task *t = data;
    int32_t pair[1][2];
    int found = 0;
    test_boxes(t->near, t->position, piece, pair, 1, &found);
    t->near->piece[piece] = found;
}

sn_status sn_near_features_intersect(sn_near_features *near, const double *position, int32_t (*pair)[2], int room,
                                     int *count, sn_error *error) {
    sn_status status = sn_near_features_cover(near, position, NULL, 0, 0.1 * near->edge_length, error);
    if (!status) status = test_facing(near, position, pair, room, count, error);
    const int pieces = sn_pieces(near->boxes.count, 8 * BOXES_GRAIN);
    if (!status)
        status =
            sn_grow(near->context, (void **)&near->piece, &near->piece_capacity, pieces, sizeof *near->piece, error);
    if (status) return status;
    facing_task t = {near, position};
    sn_parallel_pieces(near->context, pieces, boxes_piece, &t);
    for (int p = 0; p < pieces; ++p)
        if (near->piece[p]) test_boxes(near, position, p, pair, room, count);
    return SN_OK;
}

static sn_status add_crossing(sn_near_crossings *list, const sn_near_features *near, int32_t edge, int32_t triangle,
                              const double *position, sn_error *error) {
    const sn_touch_surface *s = near->surface;
    if (!pierces(position, s->edge + 2 * (size_t)edge, s->triangle + 3 * (size_t)triangle)) return SN_OK;
    const sn_status status = sn_grow(near->context, (void **)&list->crossing, &list->capacity, list->count + 1,
                                     sizeof *list->crossing, error);
    if (status) return status;
    list->crossing[list->count][0] = edge, list->crossing[list->count++][1] = triangle;
    return SN_OK;
}

sn_status sn_near_features_crossings(sn_near_features *near, const double *position, sn_near_crossings *list,
                                     sn_error *error) {
    const sn_touch_surface *s = near->surface;
    sn_status status = sn_near_features_cover(near, position, NULL, 0, 0.1 * near->edge_length, error);
    list->count = 0;
    for (int i = 0; i < near->facing_count && !status; ++i)
        status = add_crossing(list, near, near->facing[i][0], near->facing[i][1], position, error);
    for (int i = 0; i < near->boxes.count && !status; ++i) {
        const int32_t *t = near->boxes.pair[i];
        if (sn_near_shared(s, t) > 0 || !near->may(near->user, near->body[t[0]], near->body[t[1]])) continue;
        for (int k = 0; k < 6 && !status; ++k) {
            const int32_t from = t[k >= 3], other = t[k < 3];
            if (s->owns[from] & 8 << k % 3)
                status = add_crossing(list, near, s->triangle_edge[3 * (size_t)from + (size_t)(k % 3)], other, position,
                                      error);
        }
    }
    return status;
}
