/* The list of near_features.h: the pairs of features that can come near each other in the tube.
 *
 * Triangles that share a corner are always near each other. The pairs of their features are found once; each list only
 * asks for their distances. The other pairs come from the tree of boxes. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "near_inside.h"

enum {
    GRAIN = 256,           /* pairs of triangles of a piece */
    BESIDE_GRAIN = 256,    /* blocks of eight pairs beside each other of a piece */
    OWNED = 15,            /* pairs of features that two triangles own, at most */
    SLOTS = OWNED * GRAIN, /* pairs that a piece can find */
    ROUND = 32,            /* pieces that write side by side */
    ROOM = 256             /* pairs that wait for the kernels */
};

typedef struct listing {
    sn_near_features *near;
    const sn_closest_kernels *kernels;
    const double *to; /* of the tube; NULL: nothing moves */
    int beside;       /* pieces of the pairs beside each other */
    int first;        /* piece of the round */
    double within;    /* m: pairs that come nearer than this are listed */
} listing;

static bool incident(const int32_t corner[4], bool edges) {
    if (!edges) return corner[0] == corner[1] || corner[0] == corner[2] || corner[0] == corner[3];
    return corner[0] == corner[2] || corner[0] == corner[3] || corner[1] == corner[2] || corner[1] == corner[3];
}

/* The distance that a pair keeps. */
static double gap_of(const sn_near_features *near, const sn_near_pair *pair) {
    int32_t corner[4];
    sn_near_corners(near, pair, corner);
    const int a = near->body[near->vertex_place[corner[0]] / 3], b = near->body[near->vertex_place[corner[3]] / 3];
    const double thickness = 0.5 * (near->thickness[a] + near->thickness[b]);
    if (a != b || !(thickness > 0)) return near->gap + thickness;
    const double *x[4];
    double apart[3];
    sn_closest c;
    sn_near_places(corner, near->surface->rest, x);
    sn_subtract3(x[0], x[3], apart); /* no point of the features is farther from these corners than the longest edge */
    if (sn_norm3(apart) > 2 * (near->edge_most + thickness) + near->gap) return near->gap + thickness;
    sn_near_closest(pair, x, &c);
    return near->gap + fmax(fmin(thickness, 0.5 * (sqrt(c.square) - near->gap)), 0);
}

/* The pairs of the features that two triangles own, at most OWNED. */
static int owned_pairs(const sn_near_features *near, const int32_t triangle[2], sn_near_pair *out) {
    const sn_touch_surface *s = near->surface;
    const unsigned owns[2] = {s->owns[triangle[0]], s->owns[triangle[1]]};
    int count = 0;
    for (int side = 0; side < 2; ++side)
        for (unsigned left = owns[side] & 7; left; left &= left - 1) {
            const size_t vertex = 3 * (size_t)triangle[side] + (size_t)__builtin_ctz(left);
            out[count++] = (sn_near_pair){s->triangle[vertex], triangle[!side], 0, 0};
        }
    for (unsigned mine = owns[0] >> 3; mine; mine &= mine - 1)
        for (unsigned other = owns[1] >> 3; other; other &= other - 1) {
            const int32_t a = s->triangle_edge[3 * (size_t)triangle[0] + (size_t)__builtin_ctz(mine)],
                          b = s->triangle_edge[3 * (size_t)triangle[1] + (size_t)__builtin_ctz(other)];
            out[count++] = (sn_near_pair){a < b ? a : b, a < b ? b : a, 1, 0};
        }
    return count;
}

/* Marks the pairs of the lanes that can meet. */
static void flush(const listing *l, sn_near_lanes *lanes, int edges, bool *met) {
    if (lanes->count == 0) return;
    sn_near_lanes_pad(lanes);
    const unsigned bits = l->kernels->meets(l->near->from, l->to, lanes->corner[0], edges, l->within);
    for (int i = 0; i < lanes->count; ++i) met[lanes->index[i]] = bits >> i & 1;
    lanes->count = 0;
}

/* Appends the pairs that can meet to `out`. */
static int keep(const listing *l, const sn_near_pair *pair, int count, sn_near_pair *out) {
    bool met[ROOM];
    int kept = 0;
    sn_near_lanes kind[2] = {{0}, {0}};
    for (int i = 0; i < count; ++i)
        if (sn_near_lanes_add(l->near, &pair[i], i, &kind[pair[i].edges]))
            flush(l, &kind[pair[i].edges], pair[i].edges, met);
    for (int edges = 0; edges < 2; ++edges) flush(l, &kind[edges], edges, met);
    for (int i = 0; i < count; ++i) {
        if (!met[i]) continue;
        out[kept] = pair[i];
        out[kept].gap = gap_of(l->near, &pair[i]);
        ++kept;
    }
    return kept;
}

/* The blocks of eight pairs beside each other: those of a vertex and a triangle, and all of them. */
static int face_blocks(const sn_near_features *near) { return (near->beside_faces + 7) / 8; }
static int beside_blocks(const sn_near_features *near) {
    return face_blocks(near) + (near->beside_count - near->beside_faces + 7) / 8;
}

/* The pairs of one piece that can meet. First come the pieces of the pairs beside each other, then those of the boxes.
 */
static int list_beside(const listing *l, int piece, sn_near_pair *out) {
    sn_near_features *near = l->near;
    const int faces = face_blocks(near), end = (int)sn_piece_begin(beside_blocks(near), BESIDE_GRAIN, piece + 1);
    int kept = 0;
    for (int b = (int)sn_piece_begin(beside_blocks(near), BESIDE_GRAIN, piece); b < end; ++b) {
        const int edges = b >= faces, first = edges ? near->beside_faces + 8 * (b - faces) : 8 * b,
                  last = edges ? near->beside_count : near->beside_faces;
        const unsigned bits =
            l->kernels->meets(near->from, l->to, near->beside_corner + 32 * (size_t)b, edges, l->within);
        for (int i = 0; bits >> i && first + i < last; ++i)
            if (bits >> i & 1) out[kept++] = near->beside[first + i];
    }
    return kept;
}

static int list_boxes(const listing *l, int boxes, sn_near_pair *out) {
    const sn_near_features *near = l->near;
    sn_near_pair found[ROOM];
    const int end = (int)sn_piece_begin(near->boxes.count, GRAIN, boxes + 1);
    int kept = 0, count = 0;
    for (int i = (int)sn_piece_begin(near->boxes.count, GRAIN, boxes); i < end; ++i) {
        const int32_t *triangle = near->boxes.pair[i];
        count += owned_pairs(near, triangle, found + count);
        if (count + OWNED <= ROOM && i + 1 < end) continue;
        kept += keep(l, found, count, out + kept);
        count = 0;
    }
    return kept;
}

static void list_piece(void *data, int index) {
    const listing *l = data;
    sn_near_pair *out = l->near->found + (size_t)index * SLOTS;
    const int piece = l->first + index;
    l->near->piece[index] = piece < l->beside ? list_beside(l, piece, out) : list_boxes(l, piece - l->beside, out);
}

/* ---- The list ---- */
/* Makes room for one round. */
static sn_status make_room(sn_near_features *near, int pieces, sn_error *error) {
    const int round = pieces < ROUND ? pieces : ROUND;
    const sn_status status =
        sn_grow(near->context, (void **)&near->piece, &near->piece_capacity, ROUND, sizeof *near->piece, error);
    if (status) return status;
    return sn_grow(near->context, (void **)&near->found, &near->found_capacity, SLOTS * round, sizeof *near->found,
                   error);
}

/* Appends what a round of `count` pieces has found. */
static sn_status append(sn_near_features *near, int count, sn_error *error) {
    int64_t total = near->count;
    for (int i = 0; i < count; ++i) total += near->piece[i];
    if (total > INT_MAX) return sn_fail(error, SN_NO_MEMORY, "too many pairs of features");
    const sn_status status =
        sn_grow(near->context, (void **)&near->pair, &near->capacity, (int)total, sizeof *near->pair, error);
    for (int i = 0; i < count && !status; near->count += near->piece[i++])
        if (near->piece[i] > 0)
            memcpy(near->pair + near->count, near->found + (size_t)i * SLOTS,
                   (size_t)near->piece[i] * sizeof *near->pair);
    return status;
}

sn_status sn_near_list(sn_near_features *near, bool moves, sn_error *error) {
    near->count = 0;
    listing l = {near, sn_closest_kernels_for(near->context), moves ? near->to : NULL, 0, 0, 2 * near->margin};
    sn_status status = sn_box_tree_pairs(near->tree, NULL, &near->boxes, error);
    l.beside = sn_pieces(beside_blocks(near), BESIDE_GRAIN);
    const int pieces = l.beside + sn_pieces(near->boxes.count, GRAIN);
    if (!status) status = make_room(near, pieces, error);
    for (; l.first < pieces && !status; l.first += ROUND) {
        const int count = pieces - l.first < ROUND ? pieces - l.first : ROUND;
        if (sn_near_crew(near, count))
            sn_parallel(near->context, count, list_piece, &l);
        else
            sn_parallel_runs(NULL, count, list_piece, &l);
        status = append(near, count, error);
    }
    return status;
}

/* ---- Beside each other ---- */
/* The triangles around each vertex: `first` has vertex_count + 1 places, `around` three per triangle. */
static void find_around(const sn_touch_surface *s, int32_t *first, int32_t *around) {
    for (int i = 0; i < 3 * s->triangle_count; ++i) ++first[s->triangle[i] + 1];
    for (int v = 0; v < s->vertex_count; ++v) first[v + 1] += first[v];
    for (int i = 3 * s->triangle_count - 1; i >= 0; --i) around[--first[s->triangle[i] + 1]] = i / 3;
    /* Now first[v + 1] is where the triangles of v begin. */
    for (int v = 0; v < s->vertex_count; ++v) first[v] = first[v + 1];
    first[s->vertex_count] = 3 * s->triangle_count;
}

/* Whether triangle b, which is around corner k of a, is also around a corner of a before k. */
static bool seen(const sn_touch_surface *s, int32_t a, int k, int32_t b) {
    for (int i = 0; i < k; ++i)
        for (int j = 0; j < 3; ++j)
            if (s->triangle[3 * (size_t)a + (size_t)i] == s->triangle[3 * (size_t)b + (size_t)j]) return true;
    return false;
}

/* The edge of a triangle that does not touch the other one; they share one corner. */
static int32_t far_edge(const sn_touch_surface *s, int32_t a, int32_t b) {
    int shared = 0;
    for (int k = 0; k < 9; ++k)
        if (s->triangle[3 * (size_t)a + (size_t)(k / 3)] == s->triangle[3 * (size_t)b + (size_t)(k % 3)])
            shared = k / 3;
    return s->triangle_edge[3 * (size_t)a + (size_t)((shared + 1) % 3)];
}

/* Appends the pairs of two triangles that share a corner. Triangles that share two corners have no edge that could go
 * through the other one. */
static sn_status add_beside(sn_near_features *near, const int32_t t[2], sn_error *error) {
    sn_status status = sn_grow(near->context, (void **)&near->beside, &near->beside_capacity,
                               near->beside_count + OWNED, sizeof *near->beside, error);
    if (!status)
        status = sn_grow(near->context, (void **)&near->facing, &near->facing_capacity, near->facing_count + 2,
                         sizeof *near->facing, error);
    if (status) return status;
    sn_near_pair found[OWNED];
    const int count = owned_pairs(near, t, found);
    for (int i = 0; i < count; ++i) {
        int32_t corner[4];
        sn_near_corners(near, &found[i], corner);
        if (incident(corner, found[i].edges)) continue;
        found[i].gap = gap_of(near, &found[i]);
        near->beside[near->beside_count++] = found[i];
    }
    for (int side = 0; side < 2 && sn_near_shared(near->surface, t) == 1; ++side) {
        int32_t *facing = near->facing[near->facing_count++];
        facing[0] = far_edge(near->surface, t[side], t[!side]), facing[1] = t[!side];
    }
    return SN_OK;
}

/* Puts the pairs of a vertex and a triangle first, each kind in its order. */
static sn_status sort_beside(sn_near_features *near, sn_error *error) {
    sn_near_pair *sorted = sn_allocate(near->context, (size_t)near->beside_count, sizeof *sorted);
    if (!sorted) return sn_no_memory(error);
    int count = 0;
    for (int edges = 0; edges < 2; ++edges) {
        for (int i = 0; i < near->beside_count; ++i)
            if (near->beside[i].edges == edges) sorted[count++] = near->beside[i];
        if (!edges) near->beside_faces = count;
    }
    sn_release(near->context, near->beside);
    near->beside = sorted, near->beside_capacity = near->beside_count;
    return SN_OK;
}

/* Fills the corners of the blocks of eight. */
static sn_status block_beside(sn_near_features *near, sn_error *error) {
    const int faces = face_blocks(near), blocks = beside_blocks(near), facing = (near->facing_count + 7) / 8;
    near->beside_corner = sn_allocate(near->context, 32 * (size_t)blocks, sizeof *near->beside_corner);
    near->facing_corner = sn_allocate(near->context, 40 * (size_t)facing, sizeof *near->facing_corner);
    if (!near->beside_corner || !near->facing_corner) return sn_no_memory(error);
    for (int b = 0; b < blocks; ++b) {
        const int edges = b >= faces, last = (edges ? near->beside_count : near->beside_faces) - 1;
        for (int i = 0; i < 8; ++i) {
            const int at = edges ? near->beside_faces + 8 * (b - faces) + i : 8 * b + i;
            int32_t corner[4];
            sn_near_corners(near, &near->beside[at < last ? at : last], corner);
            for (int k = 0; k < 4; ++k) near->beside_corner[32 * (size_t)b + (size_t)(8 * k + i)] = corner[k];
        }
    }
    for (int i = 0; i < 8 * facing; ++i) {
        const int32_t *pair = near->facing[i < near->facing_count ? i : near->facing_count - 1];
        int32_t *out = near->facing_corner + 40 * (size_t)(i / 8) + i % 8;
        for (int k = 0; k < 5; ++k)
            out[8 * k] = k < 2 ? near->surface->edge[2 * (size_t)pair[0] + (size_t)k]
                               : near->surface->triangle[3 * (size_t)pair[1] + (size_t)(k - 2)];
    }
    return SN_OK;
}

sn_status sn_near_find_beside(sn_near_features *near, sn_error *error) {
    const sn_touch_surface *s = near->surface;
    int32_t *first = sn_allocate_zero(near->context, (size_t)s->vertex_count + 2, sizeof *first),
            *around = sn_allocate(near->context, 3 * (size_t)s->triangle_count, sizeof *around);
    sn_status status = first && around ? SN_OK : sn_no_memory(error);
    if (!status) find_around(s, first, around);
    for (int32_t a = 0; a < s->triangle_count && !status; ++a)
        for (int k = 0; k < 3 && near->may(near->user, near->body[a], near->body[a]); ++k) {
            const int32_t vertex = s->triangle[3 * (size_t)a + (size_t)k];
            for (int32_t i = first[vertex]; i < first[vertex + 1] && !status; ++i)
                if (around[i] > a && !seen(s, a, k, around[i]))
                    status = add_beside(near, (int32_t[2]){a, around[i]}, error);
        }
    sn_release(near->context, first);
    sn_release(near->context, around);
    if (!status) status = sort_beside(near, error);
    return status ? status : block_beside(near, error);
}
