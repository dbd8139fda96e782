/* The list of near_features.h: the pairs of features that can come near each other in the tube.
 *
 * Triangles that share a corner are always near each other. The pairs of their features are found once; each list only
 * asks for their distances. The other pairs come from the tree of boxes. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "near_inside.h"

enum { GRAIN = 256, BESIDE_GRAIN = 128, SWEEP_GRAIN = 2048, ROOM = 256 };

typedef struct listing {
    sn_near_features *near;
    const sn_closest_kernels *kernels;
    const double *to; /* of the tube; NULL: nothing moves */
    int beside;       /* pieces of the pairs beside each other */
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

/* The pairs of the features that two triangles own and that share no vertex, at most 15. */
static int owned_pairs(const sn_near_features *near, const int32_t triangle[2], sn_near_pair *out) {
    const sn_touch_surface *s = near->surface;
    int count = 0;
    int32_t corner[4];
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            if (s->owns[triangle[side]] & 1 << k) {
                out[count] = (sn_near_pair){s->triangle[3 * (size_t)triangle[side] + (size_t)k], triangle[!side], 0, 0};
                sn_near_corners(near, &out[count], corner);
                count += !incident(corner, false);
            }
    for (int k = 0; k < 9; ++k)
        if (s->owns[triangle[0]] & 8 << k / 3 && s->owns[triangle[1]] & 8 << k % 3) {
            const int32_t a = s->triangle_edge[3 * (size_t)triangle[0] + (size_t)(k / 3)],
                          b = s->triangle_edge[3 * (size_t)triangle[1] + (size_t)(k % 3)];
            out[count] = (sn_near_pair){a < b ? a : b, a < b ? b : a, 1, 0};
            sn_near_corners(near, &out[count], corner);
            count += !incident(corner, true);
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

/* The pairs of one piece that can meet, written behind those of the pieces before: first come the pieces of the pairs
 * beside each other, then those of the boxes. */
static void list_beside(const listing *l, int piece, sn_near_pair *out) {
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
    near->piece[piece] = kept;
}

static void list_piece(void *data, int piece) {
    const listing *l = data;
    sn_near_features *near = l->near;
    sn_near_pair *out = near->pair + near->piece[piece], found[ROOM];
    if (piece < l->beside) {
        list_beside(l, piece, out);
        return;
    }
    const int boxes = piece - l->beside, end = (int)sn_piece_begin(near->boxes.count, GRAIN, boxes + 1);
    int kept = 0, count = 0;
    for (int i = (int)sn_piece_begin(near->boxes.count, GRAIN, boxes); i < end; ++i) {
        const int32_t *triangle = near->boxes.pair[i];
        count += owned_pairs(near, triangle, found + count);
        if (count + 15 <= ROOM && i + 1 < end) continue;
        kept += keep(l, found, count, out + kept);
        count = 0;
    }
    near->piece[piece] = kept;
}

static int bits(unsigned v) { return (int)(v & 1) + (int)(v >> 1 & 1) + (int)(v >> 2 & 1); }

/* ---- Triangles that stay apart ---- */
/* Boxes along the whole way of triangles overlap often when all triangles move together. So the box of each triangle at
 * the start is compared, with the way of the two relative to each other. */
struct sn_near_sweep {
    double low[3], high[3]; /* at the start */
    double way[3];          /* the mean way of the corners */
    double spread;          /* how much the way of a corner differs from it at most */
};

static void sweep_piece(void *data, int piece) {
    const listing *l = data;
    const sn_near_features *near = l->near;
    const int count = near->surface->triangle_count, end = (int)sn_piece_begin(count, SWEEP_GRAIN, piece + 1);
    for (int t = (int)sn_piece_begin(count, SWEEP_GRAIN, piece); t < end; ++t) {
        struct sn_near_sweep *out = &near->sweep[t];
        double way[3][3], square = 0;
        for (int a = 0; a < 3; ++a) {
            out->low[a] = INFINITY, out->high[a] = -INFINITY;
            for (int k = 0; k < 3; ++k) {
                const size_t i = 3 * (size_t)near->surface->triangle[3 * (size_t)t + (size_t)k] + (size_t)a;
                const double x = near->from[i];
                out->low[a] = x < out->low[a] ? x : out->low[a];
                out->high[a] = x > out->high[a] ? x : out->high[a];
                way[k][a] = near->to[i] - x;
            }
            out->way[a] = (way[0][a] + way[1][a] + way[2][a]) / 3;
        }
        for (int k = 0; k < 3; ++k) {
            double own[3];
            sn_subtract3(way[k], out->way, own);
            square = fmax(square, sn_dot3(own, own));
        }
        out->spread = sqrt(square);
    }
}

/* Whether two triangles can come nearer than `within` on their ways. */
static bool sweeps_meet(const listing *l, const int32_t triangle[2]) {
    static const double ROUNDING = 1e-9;
    const struct sn_near_sweep *p = &l->near->sweep[triangle[0]], *q = &l->near->sweep[triangle[1]];
    double relative[3], apart = 0;
    for (int a = 0; a < 3; ++a) {
        const double gap = fmax(fmax(p->low[a] - q->high[a], q->low[a] - p->high[a]), 0);
        apart += gap * gap;
    }
    sn_subtract3(p->way, q->way, relative);
    const double within = (1 + ROUNDING) * (l->within + p->spread + q->spread + sn_norm3(relative));
    return apart <= within * within;
}

/* Keeps the pairs of a piece that can meet, at its front. */
static void sift_piece(void *data, int piece) {
    const listing *l = data;
    sn_near_features *near = l->near;
    const int begin = (int)sn_piece_begin(near->boxes.count, SWEEP_GRAIN, piece),
              end = (int)sn_piece_begin(near->boxes.count, SWEEP_GRAIN, piece + 1);
    int kept = begin;
    for (int i = begin; i < end; ++i) {
        const int32_t pair[2] = {near->boxes.pair[i][0], near->boxes.pair[i][1]};
        if (!sweeps_meet(l, pair)) continue;
        near->boxes.pair[kept][0] = pair[0], near->boxes.pair[kept][1] = pair[1];
        ++kept;
    }
    near->piece[piece] = kept - begin;
}

/* Takes pairs of triangles that cannot meet out of the pairs of boxes. */
static sn_status sift(listing *l, sn_error *error) {
    sn_near_features *near = l->near;
    const int pieces = sn_pieces(near->boxes.count, SWEEP_GRAIN), triangles = near->surface->triangle_count;
    sn_status status =
        sn_grow(near->context, (void **)&near->sweep, &near->sweep_capacity, triangles, sizeof *near->sweep, error);
    if (!status)
        status =
            sn_grow(near->context, (void **)&near->piece, &near->piece_capacity, pieces, sizeof *near->piece, error);
    if (status) return status;
    sn_parallel_pieces(near->context, sn_pieces(triangles, SWEEP_GRAIN), sweep_piece, l);
    sn_parallel_pieces(near->context, pieces, sift_piece, l);
    int count = 0;
    for (int i = 0; i < pieces; ++i) {
        memmove(near->boxes.pair + count, near->boxes.pair + sn_piece_begin(near->boxes.count, SWEEP_GRAIN, i),
                (size_t)near->piece[i] * sizeof *near->boxes.pair);
        count += near->piece[i];
    }
    near->boxes.count = count;
    return SN_OK;
}

/* ---- The list ---- */
/* Makes room for all features; piece[i] is where piece i writes, and so is piece[pieces + i]. */
static sn_status make_room(sn_near_features *near, int beside, int pieces, sn_error *error) {
    sn_status status =
        sn_grow(near->context, (void **)&near->piece, &near->piece_capacity, 2 * pieces, sizeof *near->piece, error);
    if (status) return status;
    for (int i = 0; i < beside; ++i)
        near->piece[i] = near->piece[pieces + i] = 8 * (int)sn_piece_begin(beside_blocks(near), BESIDE_GRAIN, i);
    int64_t total = 8 * (int64_t)beside_blocks(near);
    for (int i = 0; i < near->boxes.count; ++i) {
        if (i % GRAIN == 0) near->piece[beside + i / GRAIN] = near->piece[pieces + beside + i / GRAIN] = (int)total;
        const unsigned p = near->surface->owns[near->boxes.pair[i][0]], q = near->surface->owns[near->boxes.pair[i][1]];
        total += bits(p) + bits(q) + bits(p >> 3) * bits(q >> 3);
        if (total > INT_MAX) return sn_fail(error, SN_NO_MEMORY, "too many pairs of features");
    }
    return sn_grow(near->context, (void **)&near->pair, &near->capacity, (int)total, sizeof *near->pair, error);
}

sn_status sn_near_list(sn_near_features *near, bool moves, sn_error *error) {
    near->count = 0;
    listing l = {near, sn_closest_kernels_for(near->context), moves ? near->to : NULL, 0, 2 * near->margin};
    sn_status status = sn_box_tree_pairs(near->tree, NULL, &near->boxes, error);
    if (!status && moves) status = sift(&l, error);
    const int beside = sn_pieces(beside_blocks(near), BESIDE_GRAIN),
              pieces = beside + sn_pieces(near->boxes.count, GRAIN);
    if (!status) status = make_room(near, beside, pieces, error);
    if (status) return status;
    l.beside = beside;
    if (sn_near_crew(near, pieces))
        sn_parallel(near->context, pieces, list_piece, &l);
    else
        sn_parallel_runs(NULL, pieces, list_piece, &l);
    for (int i = 0; i < pieces; ++i) {
        memmove(near->pair + near->count, near->pair + near->piece[pieces + i],
                (size_t)near->piece[i] * sizeof *near->pair);
        near->count += near->piece[i];
    }
    return SN_OK;
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
    sn_status status = sn_grow(near->context, (void **)&near->beside, &near->beside_capacity, near->beside_count + 15,
                               sizeof *near->beside, error);
    if (!status)
        status = sn_grow(near->context, (void **)&near->facing, &near->facing_capacity, near->facing_count + 2,
                         sizeof *near->facing, error);
    if (status) return status;
    const int count = owned_pairs(near, t, near->beside + near->beside_count);
    for (int i = 0; i < count; ++i, ++near->beside_count)
        near->beside[near->beside_count].gap = gap_of(near, &near->beside[near->beside_count]);
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
