/* See near_features.h. */
#include "near_features.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "orientation.h"
#include "touch_cut.h"

enum { GRAIN = 256 };

/* ---- Joining ---- */
typedef struct joined {
    int vertices, triangles, carriers;
    double *position, *weight;
    int32_t *triangle, *first, *node;
} joined;

static void release_joined(const sn_context *context, joined *j) {
    void *const array[] = {j->position, j->weight, j->triangle, j->first, j->node};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(context, array[i]);
}

/* Appends surface s. `body` receives its number for each of its triangles. */
static void append_surface(joined *j, const sn_touch_surface *s, int number, int32_t *body) {
    memcpy(j->position + 3 * (size_t)j->vertices, s->rest, 3 * (size_t)s->vertex_count * sizeof *j->position);
    for (int i = 0; i < 3 * s->triangle_count; ++i) j->triangle[3 * j->triangles + i] = j->vertices + s->triangle[i];
    for (int i = 0; i < s->triangle_count; ++i) body[j->triangles + i] = number;
    for (int v = 0; v < s->vertex_count; ++v) {
        for (int i = s->carrier_node ? s->carrier_first[v] : 0; s->carrier_node && i < s->carrier_first[v + 1]; ++i) {
            j->node[j->carriers] = s->carrier_node[i];
            j->weight[j->carriers++] = s->carrier_weight[i];
        }
        j->first[j->vertices + v + 1] = j->carriers;
    }
    j->vertices += s->vertex_count, j->triangles += s->triangle_count;
}

static sn_status join(sn_context *context, sn_touch_surface *const *surface, int count, sn_near_features *near,
                      sn_error *error) {
    int64_t vertices = 0, triangles = 0, carriers = 0;
    for (int i = 0; i < count; ++i) {
        vertices += surface[i]->vertex_count, triangles += surface[i]->triangle_count;
        if (surface[i]->carrier_node) carriers += surface[i]->carrier_first[surface[i]->vertex_count];
    }
    if (triangles > INT_MAX / 8 || carriers > INT_MAX / 8)
        return sn_fail(error, SN_UNSUPPORTED, "%lld triangles touch each other; at most %d", (long long)triangles,
                       INT_MAX / 8);
    joined j = {.position = sn_allocate(context, 3 * (size_t)vertices, sizeof *j.position),
                .weight = sn_allocate(context, (size_t)carriers, sizeof *j.weight),
                .triangle = sn_allocate(context, 3 * (size_t)triangles, sizeof *j.triangle),
                .first = sn_allocate_zero(context, (size_t)vertices + 1, sizeof *j.first),
                .node = sn_allocate(context, (size_t)carriers, sizeof *j.node)};
    near->body = sn_allocate(context, (size_t)triangles, sizeof *near->body);
    sn_status status = SN_OK;
    if (!j.position || !j.weight || !j.triangle || !j.first || !j.node || !near->body) status = sn_no_memory(error);
    for (int i = 0; i < count && !status; ++i) append_surface(&j, surface[i], i, near->body);
    if (!status)
        status = sn_touch_surface_create(context,
                                         &(sn_touch_surface_source){.body = -1,
                                                                    .vertex_count = j.vertices,
                                                                    .triangle_count = j.triangles,
                                                                    .position = j.position,
                                                                    .triangle = j.triangle,
                                                                    .carrier_first = j.first,
                                                                    .carrier_node = j.node,
                                                                    .carrier_weight = j.weight},
                                         &near->surface, error);
    release_joined(context, &j);
    return status;
}

/* ---- Life ---- */
/* Which triangle owns each vertex and edge, and the sizes of the edges at rest. */
static void measure(sn_near_features *near) {
    const sn_touch_surface *s = near->surface;
    for (int t = 0; t < s->triangle_count; ++t) {
        const int32_t *corner = s->triangle + 3 * (size_t)t;
        double area[3];
        sn_area_vector3(s->rest + 3 * (size_t)corner[0], s->rest + 3 * (size_t)corner[1],
                        s->rest + 3 * (size_t)corner[2], area);
        for (int k = 0; k < 3; ++k) {
            const int32_t edge = s->triangle_edge[3 * (size_t)t + (size_t)k];
            near->edge_area[edge] += sn_norm3(area) / 6;
            if (s->owns[t] & 1 << k) near->vertex_place[corner[k]] = 3 * t + k;
            if (s->owns[t] & 8 << k) near->edge_place[edge] = 3 * t + k;
        }
    }
    for (int e = 0; e < s->edge_count; ++e) {
        double side[3];
        sn_subtract3(s->rest + 3 * (size_t)s->edge[2 * e], s->rest + 3 * (size_t)s->edge[2 * e + 1], side);
        near->edge_square[e] = sn_dot3(side, side);
        near->edge_length += sqrt(near->edge_square[e]) / s->edge_count;
    }
}

sn_status sn_near_features_create(sn_context *context, sn_touch_surface *const *surface, int count,
                                  bool (*may)(const void *user, int a, int b), const void *user, double gap,
                                  sn_near_features *near, sn_error *error) {
    *near = (sn_near_features){.context = context, .may = may, .user = user, .gap = gap, .boxes = {.context = context}};
    sn_status status = join(context, surface, count, near, error);
    if (status) return status;
    const sn_touch_surface *s = near->surface;
    const size_t vertices = (size_t)s->vertex_count, edges = (size_t)s->edge_count;
    near->thickness = sn_allocate_zero(context, (size_t)count, sizeof *near->thickness);
    near->vertex_place = sn_allocate_zero(context, vertices, sizeof *near->vertex_place);
    near->edge_place = sn_allocate_zero(context, edges, sizeof *near->edge_place);
    near->edge_area = sn_allocate_zero(context, edges, sizeof *near->edge_area);
    near->edge_square = sn_allocate_zero(context, edges, sizeof *near->edge_square);
    near->from = sn_allocate_zero(context, 3 * vertices, sizeof *near->from);
    near->to = sn_allocate_zero(context, 3 * vertices, sizeof *near->to);
    near->at = sn_allocate_zero(context, 3 * vertices, sizeof *near->at);
    near->end = sn_allocate_zero(context, 3 * vertices, sizeof *near->end);
    near->way = sn_allocate_zero(context, vertices, sizeof *near->way);
    if (!near->thickness || !near->vertex_place || !near->edge_place || !near->edge_area || !near->edge_square ||
        !near->from || !near->to || !near->at || !near->end || !near->way)
        return sn_no_memory(error);
    measure(near);
    near->gap_most = gap;
    for (int i = 0; i < count; ++i) {
        near->thickness[i] = surface[i]->thickness;
        near->gap_most = fmax(near->gap_most, gap + near->thickness[i]);
    }
    return sn_box_tree_create_groups(context, s->rest, s->vertex_count, s->triangle, s->triangle_count, near->body,
                                     &near->tree, error);
}

void sn_near_features_release(sn_near_features *near) {
    void *const array[] = {near->body, near->vertex_place, near->edge_place, near->edge_area, near->edge_square,
                           near->pair, near->piece,        near->from,       near->to,        near->at,
                           near->end,  near->thickness,    near->way};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) sn_release(near->context, array[i]);
    sn_touch_surface_destroy(near->surface);
    sn_box_tree_destroy(near->tree);
    sn_box_pairs_release(&near->boxes);
    *near = (sn_near_features){.context = near->context, .boxes = {.context = near->context}};
}

void sn_near_corners(const sn_near_features *near, const sn_near_pair *pair, int32_t corner[4]) {
    const sn_touch_surface *s = near->surface;
    if (pair->edges) {
        memcpy(corner, s->edge + 2 * (size_t)pair->a, 2 * sizeof *corner);
        memcpy(corner + 2, s->edge + 2 * (size_t)pair->b, 2 * sizeof *corner);
    } else {
        corner[0] = pair->a;
        memcpy(corner + 1, s->triangle + 3 * (size_t)pair->b, 3 * sizeof *corner);
    }
}

/* ---- Distances ---- */
/* Eight pairs of one kind that wait for the kernel. */
typedef struct lanes {
    int count;
    int32_t corner[4][8];
    int index[8];
} lanes;

static void flush(const sn_closest_kernels *kernels, lanes *l, int edges, const double *position, double *square) {
    double out[8];
    if (l->count == 0) return;
    for (int i = l->count; i < 8; ++i)
        for (int k = 0; k < 4; ++k) l->corner[k][i] = l->corner[k][l->count - 1];
    kernels->squares(position, l->corner[0], edges, out);
    for (int i = 0; i < l->count; ++i) square[l->index[i]] = out[i];
    l->count = 0;
}

void sn_near_squares(const sn_near_features *near, const sn_near_pair *pair, int count, const double *position,
                     double *square) {
    const sn_closest_kernels *kernels = sn_closest_kernels_for(near->context);
    lanes kind[2] = {{0}, {0}};
    for (int i = 0; i < count; ++i) {
        int32_t corner[4];
        lanes *l = &kind[pair[i].edges];
        sn_near_corners(near, &pair[i], corner);
        for (int k = 0; k < 4; ++k) l->corner[k][l->count] = corner[k];
        l->index[l->count++] = i;
        if (l->count == 8) flush(kernels, l, pair[i].edges, position, square);
    }
    for (int edges = 0; edges < 2; ++edges) flush(kernels, &kind[edges], edges, position, square);
}

/* ---- The list ---- */
/* The distance within which features can come nearer than the list promises, after the boxes have been asked. */
typedef struct listing {
    sn_near_features *near;
    const double *from;
    bool moves; /* near->way is set */
    double within;
} listing;

static bool incident(const int32_t corner[4], bool edges) {
    if (!edges) return corner[0] == corner[1] || corner[0] == corner[2] || corner[0] == corner[3];
    return corner[0] == corner[2] || corner[0] == corner[3] || corner[1] == corner[2] || corner[1] == corner[3];
}

/* The distance that a pair keeps. */
static double gap_of(const sn_near_features *near, const sn_near_pair *pair, const int32_t corner[4]) {
    const int a = near->body[near->vertex_place[corner[0]] / 3], b = near->body[near->vertex_place[corner[3]] / 3];
    const double thickness = 0.5 * (near->thickness[a] + near->thickness[b]);
    if (a != b || !(thickness > 0)) return near->gap + thickness;
    const double *x[4];
    sn_closest c;
    sn_near_places(corner, near->surface->rest, x);
    sn_near_closest(pair, x, &c);
    return near->gap + fmax(fmin(thickness, 0.5 * (sqrt(c.square) - near->gap)), 0);
}

/* Whether a pair at this distance can come nearer than `within` on its way. Sets its gap then. */
static bool can_meet(const listing *l, double square, sn_near_pair *pair) {
    static const double ROUNDING = 1e-9;
    int32_t corner[4];
    double most[2] = {0, 0};
    sn_near_corners(l->near, pair, corner);
    for (int i = 0; i < 4 && l->moves; ++i) {
        const int side = i >= (pair->edges ? 2 : 1);
        most[side] = fmax(most[side], l->near->way[corner[i]]);
    }
    const double within = (1 + ROUNDING) * (l->within + most[0] + most[1]);
    if (!(square <= within * within)) return false;
    pair->gap = gap_of(l->near, pair, corner);
    return true;
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

/* The features of the pairs of boxes of one piece that can meet, written behind those of the pieces before. */
static void list_piece(void *data, int piece) {
    enum { ROOM = 256 };
    const listing *l = data;
    sn_near_features *near = l->near;
    const int end = (int)sn_piece_begin(near->boxes.count, GRAIN, piece + 1);
    sn_near_pair *out = near->pair + near->piece[piece], found[ROOM];
    double square[ROOM];
    int kept = 0, count = 0;
    for (int i = (int)sn_piece_begin(near->boxes.count, GRAIN, piece); i < end; ++i) {
        const int32_t *triangle = near->boxes.pair[i];
        if (near->may(near->user, near->body[triangle[0]], near->body[triangle[1]]))
            count += owned_pairs(near, triangle, found + count);
        if (count + 15 <= ROOM && i + 1 < end) continue;
        sn_near_squares(near, found, count, l->from, square);
        for (int k = 0; k < count; ++k)
            if (can_meet(l, square[k], &found[k])) out[kept++] = found[k];
        count = 0;
    }
    near->piece[piece] = kept;
}

static int bits(unsigned v) { return (int)(v & 1) + (int)(v >> 1 & 1) + (int)(v >> 2 & 1); }

/* Makes room for all features of the pairs of boxes; piece[i] is where piece i writes. */
static sn_status make_room(sn_near_features *near, int pieces, sn_error *error) {
    sn_status status =
        sn_grow(near->context, (void **)&near->piece, &near->piece_capacity, 2 * pieces, sizeof *near->piece, error);
    if (status) return status;
    int64_t total = 0;
    for (int i = 0; i < near->boxes.count; ++i) {
        if (i % GRAIN == 0) near->piece[i / GRAIN] = near->piece[pieces + i / GRAIN] = (int)total;
        const unsigned p = near->surface->owns[near->boxes.pair[i][0]], q = near->surface->owns[near->boxes.pair[i][1]];
        total += bits(p) + bits(q) + bits(p >> 3) * bits(q >> 3);
        if (total > INT_MAX) return sn_fail(error, SN_NO_MEMORY, "too many pairs of features");
    }
    return sn_grow(near->context, (void **)&near->pair, &near->capacity, (int)total, sizeof *near->pair, error);
}

static sn_status list(sn_near_features *near, listing *l, sn_error *error) {
    near->count = 0;
    sn_status status = sn_box_tree_pairs(near->tree, NULL, &near->boxes, error);
    const int pieces = sn_pieces(near->boxes.count, GRAIN);
    if (!status) status = make_room(near, pieces, error);
    if (status) return status;
    sn_parallel(near->context, pieces, list_piece, l);
    for (int i = 0; i < pieces; ++i) {
        memmove(near->pair + near->count, near->pair + near->piece[pieces + i],
                (size_t)near->piece[i] * sizeof *near->pair);
        near->count += near->piece[i];
    }
    return SN_OK;
}

/* ---- The tube ---- */
/* The squared distance of x from the way from a to b. */
static double off_way(const double x[3], const double a[3], const double b[3]) {
    double way[3], r[3];
    sn_subtract3(b, a, way), sn_subtract3(x, a, r);
    const double square = sn_dot3(way, way);
    double s = square > 0 ? sn_dot3(way, r) / square : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    for (int k = 0; k < 3; ++k) r[k] -= s * way[k];
    return sn_dot3(r, r);
}

/* Whether all vertices at x are so far inside the tube that pairs within `reach` are in the list. */
static bool inside(const sn_near_features *near, const double *x, double reach) {
    const double room = near->margin - 0.5 * reach;
    if (!near->known || !(room > 0)) return false;
    for (size_t i = 0; i < 3 * (size_t)near->surface->vertex_count; i += 3)
        if (!(off_way(x + i, near->from + i, near->to + i) <= room * room)) return false;
    return true;
}

sn_status sn_near_features_cover(sn_near_features *near, const double *from, const double *to, double reach,
                                 double slack, sn_error *error) {
    if (inside(near, from, reach) && (!to || inside(near, to, reach))) return SN_OK;
    const size_t bytes = 3 * (size_t)near->surface->vertex_count * sizeof *from;
    near->known = false;
    near->margin = 0.5 * reach + slack;
    memcpy(near->from, from, bytes);
    memcpy(near->to, to ? to : from, bytes);
    sn_box_tree_refit(near->tree, near->from, to ? near->to : NULL, near->margin);
    for (int i = 0; i < near->surface->vertex_count && to; ++i) {
        double way[3];
        sn_subtract3(near->to + 3 * (size_t)i, near->from + 3 * (size_t)i, way);
        near->way[i] = sn_norm3(way);
    }
    listing l = {near, near->from, to != NULL, 2 * near->margin};
    const sn_status status = list(near, &l, error);
    near->known = status == SN_OK;
    ++near->queries;
    return status;
}

/* ---- Intersections ---- */
/* Whether an edge goes through a triangle. The signs are exact, so surfaces that lie in one plane give no false
 * answers; features that overlap in one plane have the distance 0. */
static bool pierces(const double *position, const int32_t edge[2], const int32_t triangle[3]) {
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k)
            if (edge[i] == triangle[k]) return false;
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

static int shared_corners(const sn_touch_surface *s, const int32_t t[2]) {
    int count = 0;
    for (int k = 0; k < 9; ++k)
        count += s->triangle[3 * (size_t)t[0] + (size_t)(k / 3)] == s->triangle[3 * (size_t)t[1] + (size_t)(k % 3)];
    return count;
}

bool sn_near_add_surfaces(int a, int b, int32_t (*pair)[2], int room, int *count) {
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    for (int i = 0; i < *count; ++i)
        if (pair[i][0] == low && pair[i][1] == high) return true;
    if (*count == room) return false;
    pair[*count][0] = low, pair[(*count)++][1] = high;
    return true;
}

/* Tests up to eight pairs of triangles; the filter drops most of those that are apart. Triangles that share a corner
 * always touch there, so that it cannot drop them. */
static void test_pairs(const sn_near_features *near, const double *position, int count, const int32_t (*t)[2],
                       int32_t (*pair)[2], int room, int *found) {
    const sn_touch_surface *s = near->surface;
    int32_t corner[2][3][8];
    if (count == 0) return;
    for (int i = 0; i < 8; ++i)
        for (int side = 0; side < 2; ++side)
            for (int k = 0; k < 3; ++k)
                corner[side][k][i] = s->triangle[3 * (size_t)t[i < count ? i : count - 1][side] + (size_t)k];
    const unsigned apart = sn_cut_filter_for(near->context)->apart(position, corner[0][0], position, corner[1][0]);
    for (int i = 0; i < count && *found < room; ++i)
        if (!(apart >> i & 1) && triangles_cross(s, position, t[i]))
            sn_near_add_surfaces(near->body[t[i][0]], near->body[t[i][1]], pair, room, found);
}

sn_status sn_near_features_intersect(sn_near_features *near, const double *position, int32_t (*pair)[2], int room,
                                     int *count, sn_error *error) {
    const sn_touch_surface *s = near->surface;
    const sn_status status = sn_near_features_cover(near, position, NULL, 0, 0.1 * near->edge_length, error);
    int32_t waiting[8][2];
    int held = 0;
    for (int i = 0; i < near->boxes.count && !status && *count < room; ++i) {
        const int32_t *t = near->boxes.pair[i], a = near->body[t[0]], b = near->body[t[1]];
        if (!near->may(near->user, a, b)) continue;
        const int shared = shared_corners(s, t);
        if (shared > 0) { /* with two corners in common, each edge shares one with the other triangle */
            if (shared == 1 && triangles_cross(s, position, t)) sn_near_add_surfaces(a, b, pair, room, count);
            continue;
        }
        memcpy(waiting[held++], t, sizeof *waiting);
        if (held < 8) continue;
        test_pairs(near, position, held, (const int32_t(*)[2])waiting, pair, room, count);
        held = 0;
    }
    if (!status) test_pairs(near, position, held, (const int32_t(*)[2])waiting, pair, room, count);
    return status;
}
