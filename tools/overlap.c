/* Whether two bodies overlap: two convex elements are apart when some axis separates them (separating axis theorem).
 * For tets the axes are the normals of faces and the products of two edges; for triangles in a plane, the normals of
 * edges. Elements that only touch, up to a billionth of the size of the bodies, do not overlap. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"

typedef struct shape {
    int corners; /* 4: a tet; 3: a triangle */
    double point[4][3], low[3], high[3];
} shape;

typedef struct shapes {
    shape *item;
    int count;
    double low[3], high[3];
} shapes;

static void add_box(const double *x, double low[3], double high[3]) {
    for (int a = 0; a < 3; ++a) low[a] = fmin(low[a], x[a]), high[a] = fmax(high[a], x[a]);
}

static bool boxes_meet(const double low[3], const double high[3], const double other_low[3], const double other_high[3],
                       int axes, double margin) {
    for (int a = 0; a < axes; ++a)
        if (low[a] + margin >= other_high[a] || other_low[a] + margin >= high[a]) return false;
    return true;
}

static bool take_shapes(const sn_world *world, int body, shapes *s) {
    const sn_mesh *mesh = sn_world_body_mesh(world, body);
    const bool plane = mesh->tet_nodes == 3 || mesh->tet_count == 0;
    const int count = mesh->tet_count ? mesh->tet_count : mesh->triangle_count, corners = plane ? 3 : 4;
    double *x = malloc(3 * (size_t)mesh->node_count * sizeof *x);
    s->item = malloc((size_t)count * sizeof *s->item);
    if (!x || !s->item) {
        free(x);
        return false;
    }
    sn_world_get(world, body, x, NULL);
    for (int a = 0; a < 3; ++a) s->low[a] = INFINITY, s->high[a] = -INFINITY;
    for (int e = 0; e < count; ++e) {
        const int32_t *node =
            mesh->tet_count ? mesh->tet + (size_t)e * (size_t)mesh->tet_nodes : mesh->triangle + (size_t)e * 3;
        shape *own = &s->item[s->count++];
        *own = (shape){
            .corners = corners, .low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
        for (int i = 0; i < corners; ++i) {
            memcpy(own->point[i], x + 3 * (size_t)node[i], sizeof own->point[i]);
            add_box(own->point[i], own->low, own->high);
        }
        add_box(own->low, s->low, s->high), add_box(own->high, s->low, s->high);
    }
    free(x);
    return true;
}

/* ---- Two elements ---- */

static bool separates(const double axis[3], const shape *p, const shape *q, double margin) {
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (!(length > 0)) return false;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int s = 0; s < 2; ++s) {
        const shape *own = s ? q : p;
        for (int i = 0; i < own->corners; ++i) {
            const double *x = own->point[i], at = (axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2]) / length;
            low[s] = fmin(low[s], at), high[s] = fmax(high[s], at);
        }
    }
    return low[0] + margin >= high[1] || low[1] + margin >= high[0];
}

static void edge_of(const shape *s, int i, int k, double edge[3]) {
    for (int a = 0; a < 3; ++a) edge[a] = s->point[k][a] - s->point[i][a];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The edges of an element from its corners: 6 of a tet, 3 of a triangle. */
static int edges_of(const shape *s, double edge[6][3]) {
    int count = 0;
    for (int i = 0; i < s->corners; ++i)
        for (int k = i + 1; k < s->corners; ++k) edge_of(s, i, k, edge[count++]);
    return count;
}

static bool tets_overlap(const shape *p, const shape *q, double margin) {
    double edge[2][6][3], axis[3];
    for (int s = 0; s < 2; ++s) {
        edges_of(s ? q : p, edge[s]);
        static const int face[4][2] = {{0, 1}, {0, 2}, {1, 2}, {3, 4}}; /* two edges of each face */
        for (int f = 0; f < 4; ++f) {
            cross(edge[s][face[f][0]], edge[s][face[f][1]], axis);
            if (separates(axis, p, q, margin)) return false;
        }
    }
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) {
            cross(edge[0][i], edge[1][k], axis);
            if (separates(axis, p, q, margin)) return false;
        }
    return true;
}

static bool triangles_overlap(const shape *p, const shape *q, double margin) {
    for (int s = 0; s < 2; ++s) {
        double edge[6][3];
        edges_of(s ? q : p, edge);
        for (int i = 0; i < 3; ++i) {
            const double axis[3] = {edge[i][1], -edge[i][0], 0};
            if (separates(axis, p, q, margin)) return false;
        }
    }
    return true;
}

/* ---- Two bodies ---- */

static int by_low(const void *a, const void *b) {
    const double x = ((const shape *)a)->low[0], y = ((const shape *)b)->low[0];
    return (x > y) - (x < y);
}

/* Keeps the elements that reach into the other body's box, sorted along x. */
static void keep_near(shapes *s, const shapes *other, int axes, double margin) {
    int kept = 0;
    for (int i = 0; i < s->count; ++i)
        if (boxes_meet(s->item[i].low, s->item[i].high, other->low, other->high, axes, margin))
            s->item[kept++] = s->item[i];
    s->count = kept;
    qsort(s->item, (size_t)kept, sizeof *s->item, by_low);
}

static bool any_overlap(const shapes *p, const shapes *q, int axes, double margin) {
    double widest = 0; /* of the elements of q, along x */
    for (int k = 0; k < q->count; ++k) widest = fmax(widest, q->item[k].high[0] - q->item[k].low[0]);
    for (int i = 0, first = 0; i < p->count; ++i) {
        const shape *own = &p->item[i];
        while (first < q->count && q->item[first].low[0] < own->low[0] - widest) ++first;
        for (int k = first; k < q->count && q->item[k].low[0] < own->high[0]; ++k) {
            const shape *other = &q->item[k];
            if (!boxes_meet(own->low, own->high, other->low, other->high, axes, margin)) continue;
            if (axes == 2 ? triangles_overlap(own, other, margin) : tets_overlap(own, other, margin)) return true;
        }
    }
    return false;
}

static bool bodies_overlap(const sn_world *world, int a, int b) {
    shapes p = {0}, q = {0};
    bool overlap = false;
    if (take_shapes(world, a, &p) && take_shapes(world, b, &q) && p.count && q.count &&
        p.item[0].corners == q.item[0].corners) {
        double size = 0;
        for (int k = 0; k < 3; ++k) size = fmax(size, fmax(p.high[k] - p.low[k], q.high[k] - q.low[k]));
        const int axes = p.item[0].corners == 3 ? 2 : 3;
        const double margin = 1e-9 * size;
        /* Triangles overlap in a plane; those of cloth only cut each other, and nobody looks for that here. */
        for (int k = 0; k < p.count && axes == 2; ++k) p.count = p.item[k].high[2] - p.low[2] > margin ? 0 : p.count;
        keep_near(&p, &q, axes, margin), keep_near(&q, &p, axes, margin);
        overlap = any_overlap(&p, &q, axes, margin);
    }
    free(p.item), free(q.item);
    return overlap;
}

/* ---- All bodies ---- */

/* The box of each body: low and high corner. */
static double (*take_boxes(const sn_world *world))[6] {
    const int bodies = sn_world_body_count(world);
    double(*box)[6] = malloc((size_t)bodies * sizeof *box);
    for (int b = 0; b < bodies && box; ++b) {
        const int nodes = sn_world_body_mesh(world, b)->node_count;
        double *x = malloc(3 * (size_t)nodes * sizeof *x);
        for (int a = 0; a < 3; ++a) box[b][a] = INFINITY, box[b][3 + a] = -INFINITY;
        if (x) sn_world_get(world, b, x, NULL);
        for (int i = 0; i < nodes && x; ++i) add_box(x + 3 * (size_t)i, box[b], box[b] + 3);
        free(x);
    }
    return box;
}

int tool_find_overlaps(const sn_world *world, char (*warning)[TOOL_WARNING], int room) {
    const int bodies = sn_world_body_count(world);
    const bool touch = sn_world_contact_options(world).use; /* then the response deals with it */
    int count = 0;
    double(*box)[6] = bodies > 1 && !touch ? take_boxes(world) : NULL;
    for (int a = 0; a < bodies && box; ++a)
        for (int b = a + 1; b < bodies && count < room; ++b) {
            bool near = true;
            for (int k = 0; k < 3; ++k) near = near && box[a][k] <= box[b][3 + k] && box[b][k] <= box[a][3 + k];
            if (near && bodies_overlap(world, a, b))
                snprintf(
                    warning[count++], TOOL_WARNING,
                    "the bodies '%.60s' and '%.60s' overlap; without the key 'contact' they pass through each other",
                    sn_world_body_name(world, a), sn_world_body_name(world, b));
        }
    free(box);
    return count;
}
