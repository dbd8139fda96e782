/* Touching surfaces: topology from triangles, areas, and the places of carried vertices (touch_surface.h).
 *
 * The sides of all triangles are sorted by their smaller vertex (a counting sort), then by their larger one. Equal
 * sides lie next to each other after that, and each run of them is one edge. So edges are numbered by their vertices,
 * and the order of the triangles does not matter. */
#include "touch_surface.h"

#include <math.h>

#include "base/math3.h"

enum { GRAIN = 2048 }; /* vertices in a piece of the parallel loop */

typedef struct side {
    int32_t low, high; /* vertices */
    int32_t triangle;
    int8_t corner;
    bool forward; /* from low to high */
} side;

/* ---- Checks ---- */

static sn_status check_carriers(const sn_touch_surface_source *source, sn_error *error) {
    if (!source->carrier_first) return SN_OK;
    if (!source->carrier_node || !source->carrier_weight || source->carrier_first[0] != 0)
        return sn_fail(error, SN_BAD_INPUT, "the carriers of a touching surface need nodes, weights and a start of 0");
    for (int i = 0; i < source->vertex_count; ++i)
        if (source->carrier_first[i + 1] < source->carrier_first[i])
            return sn_fail(error, SN_BAD_INPUT, "the carriers of vertex %d of a touching surface end before they begin",
                           i);
    return SN_OK;
}

static sn_status check(const sn_touch_surface_source *source, sn_error *error) {
    if (source->vertex_count < 0 || source->triangle_count < 0 || source->triangle_count > INT32_MAX / 3)
        return sn_fail(error, SN_BAD_INPUT, "a touching surface has %d vertices and %d triangles", source->vertex_count,
                       source->triangle_count);
    for (int i = 0; i < 3 * source->triangle_count; ++i)
        if (source->triangle[i] < 0 || source->triangle[i] >= source->vertex_count)
            return sn_fail(error, SN_BAD_INPUT, "triangle %d of a touching surface has vertex %d; it has %d vertices",
                           i / 3, source->triangle[i], source->vertex_count);
    for (int i = 0; i < 3 * source->vertex_count; ++i)
        if (!isfinite(source->position[i]))
            return sn_fail(error, SN_BAD_INPUT, "vertex %d of a touching surface is not finite", i / 3);
    const sn_status status = check_carriers(source, error);
    if (status || !source->carrier_node) return status;
    const int carriers = source->carrier_first ? source->carrier_first[source->vertex_count] : source->vertex_count;
    for (int i = 0; i < carriers; ++i)
        if (source->carrier_node[i] < 0)
            return sn_fail(error, SN_BAD_INPUT, "carrier %d of a touching surface is node %d", i,
                           source->carrier_node[i]);
    return SN_OK;
}

/* ---- Topology ---- */

static bool after(const side *p, const side *q) {
    if (p->high != q->high) return p->high > q->high;
    return p->triangle != q->triangle ? p->triangle > q->triangle : p->corner > q->corner;
}

/* The sides, sorted by low vertex, high vertex and triangle. `first` has vertex_count + 1 places for the counting. */
static void sort_sides(const sn_touch_surface *surface, int32_t *first, side *sorted) {
    for (int i = 0; i <= surface->vertex_count; ++i) first[i] = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t t = 0; t < surface->triangle_count; ++t)
            for (int k = 0; k < 3; ++k) {
                const int32_t *corner = &surface->triangle[3 * (size_t)t];
                const int32_t from = corner[k], to = corner[(k + 1) % 3];
                const side s = {from < to ? from : to, from < to ? to : from, t, (int8_t)k, from < to};
                if (pass)
                    sorted[first[s.low]++] = s;
                else
                    ++first[s.low + 1];
            }
        if (!pass)
            for (int i = 0; i < surface->vertex_count; ++i) first[i + 1] += first[i];
    }
    /* Now first[i] is the end of the sides of vertex i. */
    for (int i = 0, begin = 0; i < surface->vertex_count; begin = first[i++])
        for (int j = begin + 1; j < first[i]; ++j) {
            const side s = sorted[j];
            int k = j;
            for (; k > begin && after(&sorted[k - 1], &s); --k) sorted[k] = sorted[k - 1];
            sorted[k] = s;
        }
}

/* Two triangles are neighbours when they are the only ones at an edge and run through it in opposite directions. */
static bool are_neighbours(const side *s, int count) {
    return count == 2 && s[0].triangle != s[1].triangle && s[0].forward != s[1].forward;
}

static void connect(sn_touch_surface *surface, const side *sorted) {
    const int sides = 3 * surface->triangle_count;
    surface->closed = sides > 0;
    for (int i = 0, count; i < sides; i += count) {
        for (count = 1;
             i + count < sides && sorted[i + count].low == sorted[i].low && sorted[i + count].high == sorted[i].high;)
            ++count;
        const int32_t edge = surface->edge_count++;
        surface->edge[2 * (size_t)edge] = sorted[i].low, surface->edge[2 * (size_t)edge + 1] = sorted[i].high;
        const bool pair = are_neighbours(&sorted[i], count);
        surface->closed = surface->closed && pair;
        surface->owns[sorted[i].triangle] |= (uint8_t)(8 << sorted[i].corner);
        for (int j = 0; j < count; ++j) {
            const size_t place = 3 * (size_t)sorted[i + j].triangle + (size_t)sorted[i + j].corner;
            surface->triangle_edge[place] = edge;
            surface->neighbour[place] = pair ? sorted[i + 1 - j].triangle : -1;
        }
    }
}

/* Gives each vertex to its first triangle. `taken` has vertex_count places. */
static void own_vertices(sn_touch_surface *surface, int32_t *taken) {
    for (int i = 0; i < surface->vertex_count; ++i) taken[i] = 0;
    for (int32_t t = 0; t < surface->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            const int32_t vertex = surface->triangle[3 * (size_t)t + (size_t)k];
            if (!taken[vertex]) surface->owns[t] |= (uint8_t)(1 << k);
            taken[vertex] = 1;
        }
}

static sn_status find_topology(sn_touch_surface *surface, sn_error *error) {
    int32_t *first = sn_allocate(surface->context, (size_t)surface->vertex_count + 1, sizeof *first);
    side *sorted = sn_allocate(surface->context, 3 * (size_t)surface->triangle_count, sizeof *sorted);
    const bool enough = first && sorted;
    if (enough) {
        sort_sides(surface, first, sorted);
        connect(surface, sorted);
        own_vertices(surface, first);
    }
    sn_release(surface->context, first);
    sn_release(surface->context, sorted);
    return enough ? SN_OK : sn_no_memory(error);
}

/* ---- Creation ---- */

static bool reserve(sn_touch_surface *surface) {
    const sn_context *context = surface->context;
    const size_t vertices = (size_t)surface->vertex_count, sides = 3 * (size_t)surface->triangle_count;
    surface->triangle = sn_allocate(context, sides, sizeof *surface->triangle);
    surface->neighbour = sn_allocate(context, sides, sizeof *surface->neighbour);
    surface->triangle_edge = sn_allocate(context, sides, sizeof *surface->triangle_edge);
    surface->edge = sn_allocate(context, 2 * sides, sizeof *surface->edge);
    surface->owns = sn_allocate_zero(context, (size_t)surface->triangle_count, sizeof *surface->owns);
    surface->rest = sn_allocate(context, 3 * vertices, sizeof *surface->rest);
    surface->position = sn_allocate(context, 3 * vertices, sizeof *surface->position);
    surface->area = sn_allocate_zero(context, vertices, sizeof *surface->area);
    return surface->triangle && surface->neighbour && surface->triangle_edge && surface->edge && surface->owns &&
           surface->rest && surface->position && surface->area;
}

static bool copy_carriers(sn_touch_surface *surface, const sn_touch_surface_source *source) {
    if (!source->carrier_node) return true;
    const size_t vertices = (size_t)surface->vertex_count;
    const size_t carriers = source->carrier_first ? (size_t)source->carrier_first[vertices] : vertices;
    surface->carrier_first = sn_allocate(surface->context, vertices + 1, sizeof *surface->carrier_first);
    surface->carrier_node = sn_allocate(surface->context, carriers, sizeof *surface->carrier_node);
    surface->carrier_weight = sn_allocate(surface->context, carriers, sizeof *surface->carrier_weight);
    if (!surface->carrier_first || !surface->carrier_node || !surface->carrier_weight) return false;
    for (size_t i = 0; i <= vertices; ++i)
        surface->carrier_first[i] = source->carrier_first ? source->carrier_first[i] : (int32_t)i;
    for (size_t i = 0; i < carriers; ++i) {
        surface->carrier_node[i] = source->carrier_node[i];
        surface->carrier_weight[i] = source->carrier_first ? source->carrier_weight[i] : 1;
    }
    return true;
}

/* A third of the area of each triangle at rest belongs to each of its vertices. */
static void find_areas(sn_touch_surface *surface) {
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        const int32_t *corner = &surface->triangle[3 * (size_t)t];
        double normal[3];
        sn_area_vector3(surface->rest + 3 * (size_t)corner[0], surface->rest + 3 * (size_t)corner[1],
                        surface->rest + 3 * (size_t)corner[2], normal);
        const double third = sn_norm3(normal) / 6;
        for (int k = 0; k < 3; ++k) surface->area[corner[k]] += third;
    }
}

sn_status sn_touch_surface_create(sn_context *context, const sn_touch_surface_source *source,
                                  sn_touch_surface **surface, sn_error *error) {
    *surface = NULL;
    sn_status status = check(source, error);
    if (status) return status;
    sn_touch_surface *made = sn_allocate_zero(context, 1, sizeof *made);
    if (!made) return sn_no_memory(error);
    made->context = context, made->body = source->body, made->thickness = source->thickness;
    made->vertex_count = source->vertex_count, made->triangle_count = source->triangle_count;
    if (reserve(made) && copy_carriers(made, source)) {
        for (int i = 0; i < 3 * made->triangle_count; ++i) made->triangle[i] = source->triangle[i];
        for (int i = 0; i < 3 * made->vertex_count; ++i) made->position[i] = made->rest[i] = source->position[i];
        find_areas(made);
        status = find_topology(made, error);
    } else {
        status = sn_no_memory(error);
    }
    if (status) {
        sn_touch_surface_destroy(made);
        return status;
    }
    *surface = made;
    return SN_OK;
}

void sn_touch_surface_destroy(sn_touch_surface *surface) {
    if (!surface) return;
    const sn_context *context = surface->context;
    void *part[] = {surface->triangle,      surface->neighbour,      surface->edge,        surface->triangle_edge,
                    surface->owns,          surface->rest,           surface->area,        surface->position,
                    surface->carrier_first, surface->carrier_weight, surface->carrier_node};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) sn_release(context, part[i]);
    sn_release(context, surface);
}

/* ---- Motion ---- */

typedef struct carry_task {
    const sn_touch_surface *surface;
    const double *x;
    double *out;
} carry_task;

static void carry_piece(void *data, int piece) {
    const carry_task *task = data;
    const sn_touch_surface *surface = task->surface;
    const int end = (int)sn_piece_begin(surface->vertex_count, GRAIN, piece + 1);
    for (int i = (int)sn_piece_begin(surface->vertex_count, GRAIN, piece); i < end; ++i) {
        double sum[3] = {0, 0, 0};
        for (int32_t c = surface->carrier_first[i]; c < surface->carrier_first[i + 1]; ++c) {
            const double *node = task->x + 3 * (size_t)surface->carrier_node[c];
            for (int k = 0; k < 3; ++k) sum[k] += surface->carrier_weight[c] * node[k];
        }
        for (int k = 0; k < 3; ++k) task->out[3 * (size_t)i + (size_t)k] = sum[k];
    }
}

void sn_touch_surface_carry(const sn_touch_surface *surface, const double *x, double *out) {
    if (!surface->carrier_node) return;
    carry_task task = {surface, x, out};
    sn_parallel_pieces(surface->context, sn_pieces(surface->vertex_count, GRAIN), carry_piece, &task);
}

void sn_touch_surface_move(sn_touch_surface *surface, const double *x) {
    sn_touch_surface_carry(surface, x, surface->position);
}
