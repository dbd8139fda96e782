/* See near_features.h. */
#include "near_features.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/math3.h"
#include "near_inside.h"

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
        near->edge_most = fmax(near->edge_most, sqrt(near->edge_square[e]));
    }
}

/* Whether the features of two triangles are looked for by the tree: those of neighbours are known (near_list.c). */
static bool may_touch(const void *user, const int32_t pair[2]) {
    const sn_near_features *near = user;
    return sn_near_shared(near->surface, pair) == 0 && near->may(near->user, near->body[pair[0]], near->body[pair[1]]);
}

sn_status sn_near_features_create(sn_context *context, sn_touch_surface *const *surface, int count,
                                  bool (*may)(const void *user, int a, int b), const void *user, double gap,
                                  sn_near_features *near, sn_error *error) {
    *near = (sn_near_features){.context = context, .may = may, .user = user, .gap = gap, .boxes = {.context = context}};
    near->boxes.keep = may_touch, near->boxes.user = near;
    sn_status status = join(context, surface, count, near, error);
    if (status) return status;
    const sn_touch_surface *s = near->surface;
    const size_t vertices = (size_t)s->vertex_count, edges = (size_t)s->edge_count;
    const sn_array array[] = {SN_ARRAY(near->thickness, (size_t)count), SN_ARRAY(near->vertex_place, vertices),
                              SN_ARRAY(near->edge_place, edges),        SN_ARRAY(near->edge_area, edges),
                              SN_ARRAY(near->edge_square, edges),       SN_ARRAY(near->from, 3 * vertices),
                              SN_ARRAY(near->to, 3 * vertices),         SN_ARRAY(near->at, 3 * vertices),
                              SN_ARRAY(near->end, 3 * vertices)};
    status = sn_allocate_arrays(context, array, sizeof array / sizeof *array, error);
    if (status) return status;
    measure(near);
    near->gap_most = gap;
    for (int i = 0; i < count; ++i) {
        near->thickness[i] = surface[i]->thickness;
        near->gap_most = fmax(near->gap_most, gap + near->thickness[i]);
    }
    status = sn_near_find_beside(near, error);
    if (status) return status;
    status = sn_box_tree_create_groups(context, s->rest, s->vertex_count, s->triangle, s->triangle_count, near->body,
                                       &near->tree, error);
    return status ? status : sn_box_tree_follow(near->tree, error);
}

void sn_near_features_release(sn_near_features *near) {
    void *const array[] = {near->body,        near->vertex_place, near->edge_place,    near->edge_area,
                           near->edge_square, near->pair,         near->piece,         near->from,
                           near->to,          near->at,           near->end,           near->thickness,
                           near->beside,      near->facing,       near->beside_corner, near->facing_corner,
                           near->found};
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
static void flush(const sn_closest_kernels *kernels, sn_near_lanes *l, int edges, const double *position,
                  double *square) {
    double out[8];
    if (l->count == 0) return;
    sn_near_lanes_pad(l);
    kernels->squares(position, l->corner[0], edges, out);
    for (int i = 0; i < l->count; ++i) square[l->index[i]] = out[i];
    l->count = 0;
}

void sn_near_squares(const sn_near_features *near, const sn_near_pair *pair, int count, const double *position,
                     double *square) {
    const sn_closest_kernels *kernels = sn_closest_kernels_for(near->context);
    sn_near_lanes kind[2] = {{0}, {0}};
    for (int i = 0; i < count; ++i)
        if (sn_near_lanes_add(near, &pair[i], i, &kind[pair[i].edges]))
            flush(kernels, &kind[pair[i].edges], pair[i].edges, position, square);
    for (int edges = 0; edges < 2; ++edges) flush(kernels, &kind[edges], edges, position, square);
}

/* ---- The tube ---- */
/* The time, 0 to 1, at which the motion of the tube is nearest to x. */
static double time_of(const sn_near_features *near, const double *x) {
    double along = 0, square = 0;
    for (size_t i = 0; i < 3 * (size_t)near->surface->vertex_count; ++i) {
        const double way = near->to[i] - near->from[i];
        along += way * (x[i] - near->from[i]), square += way * way;
    }
    const double t = square > 0 ? along / square : 0;
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

/* Whether all vertices at x are so far inside the tube that pairs within `reach` are in the list. */
static bool inside(const sn_near_features *near, const double *x, double reach) {
    const double room = near->margin - 0.5 * reach;
    if (!near->known || !(room > 0)) return false;
    const double t = time_of(near, x);
    for (size_t i = 0; i < 3 * (size_t)near->surface->vertex_count; i += 3) {
        double r[3];
        for (size_t a = 0; a < 3; ++a) r[a] = x[i + a] - near->from[i + a] - t * (near->to[i + a] - near->from[i + a]);
        if (!(sn_dot3(r, r) <= room * room)) return false;
    }
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
    const sn_status status = sn_near_list(near, to != NULL, error);
    near->known = status == SN_OK;
    ++near->queries;
    return status;
}
