/* See clean_surface.h. */
#include "clean_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math3.h"
#include "mesh/mesh_internal.h"
#include "mesh/weld.h"
#include "orient.h"
#include "separate.h"

/* ---- Points and triangles ---- */

static sn_status take_vertices(const sn_mesh *mesh, const int32_t *triangle, int count, sn_clean_surface *s,
                               sn_embed_report *report, sn_error *error) {
    int32_t *new_of_old = sn_allocate(s->context, (size_t)mesh->node_count, sizeof *new_of_old);
    s->triangle = sn_allocate(s->context, 3 * (size_t)count, sizeof *s->triangle);
    sn_status status = new_of_old && s->triangle ? SN_OK : sn_no_memory(error);
    if (!status)
        status =
            sn_weld(s->context, mesh->position, mesh->node_count, triangle, count, new_of_old, &s->vertices, error);
    if (!status && !(s->position = sn_allocate(s->context, 3 * (size_t)s->vertices, sizeof *s->position)))
        status = sn_no_memory(error);
    for (int i = 0; i < mesh->node_count && !status; ++i) {
        report->unused_vertices += new_of_old[i] < 0;
        if (new_of_old[i] >= 0)
            memcpy(s->position + 3 * (size_t)new_of_old[i], mesh->position + 3 * (size_t)i, 3 * sizeof(double));
    }
    report->vertices = s->vertices;
    report->joined_vertices = mesh->node_count - report->unused_vertices - s->vertices;
    for (int i = 0; i < 3 * count && !status; ++i) s->triangle[i] = new_of_old[triangle[i]];
    s->triangles = count;
    sn_release(s->context, new_of_old);
    return status;
}

typedef struct corners {
    int32_t node[3], triangle; /* the nodes ascend */
} corners;

static int by_corners(const void *a, const void *b) {
    const corners *p = a, *q = b;
    for (int k = 0; k < 3; ++k)
        if (p->node[k] != q->node[k]) return p->node[k] < q->node[k] ? -1 : 1;
    return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

/* Leaves out triangles with the corners of an earlier one. */
static sn_status drop_duplicates(sn_clean_surface *s, sn_embed_report *report, sn_error *error) {
    corners *all = sn_allocate(s->context, (size_t)s->triangles, sizeof *all);
    if (!all) return sn_no_memory(error);
    for (int t = 0; t < s->triangles; ++t) {
        memcpy(all[t].node, s->triangle + 3 * (size_t)t, sizeof all[t].node);
        sn_sort_int32(all[t].node, 3);
        all[t].triangle = t;
    }
    qsort(all, (size_t)s->triangles, sizeof *all, by_corners);
    for (int i = 1; i < s->triangles; ++i)
        if (memcmp(all[i].node, all[i - 1].node, sizeof all[i].node) == 0)
            s->triangle[3 * (size_t)all[i].triangle] = -1;
    int kept = 0;
    for (int t = 0; t < s->triangles; ++t) {
        if (s->triangle[3 * (size_t)t] < 0) continue;
        memmove(s->triangle + 3 * (size_t)kept++, s->triangle + 3 * (size_t)t, 3 * sizeof *s->triangle);
    }
    report->duplicate_triangles = s->triangles - kept;
    report->triangles = s->triangles = kept;
    sn_release(s->context, all);
    return SN_OK;
}

/* ---- Orientation ---- */

static double area_of(const sn_clean_surface *s, int t) {
    const double *x[3];
    double A[3];
    sn_clean_surface_corners(s, t, x);
    sn_area_vector3(x[0], x[1], x[2], A);
    return 0.5 * sn_norm3(A);
}

/* Triangles that use a vertex twice have no edges to speak of: they come to the end, behind *proper others. */
static void put_broken_last(sn_clean_surface *s, int *proper) {
    int end = s->triangles;
    for (int t = 0; t < end;) {
        int32_t *n = s->triangle + 3 * (size_t)t;
        if (n[0] != n[1] && n[1] != n[2] && n[2] != n[0]) {
            ++t;
            continue;
        }
        int32_t swap[3], *last = s->triangle + 3 * (size_t)--end;
        memcpy(swap, n, sizeof swap), memcpy(n, last, sizeof swap), memcpy(last, swap, sizeof swap);
    }
    *proper = end;
}

static sn_status orient(sn_clean_surface *s, sn_embed_report *report, sn_error *error) {
    int proper;
    sn_orientation orientation;
    put_broken_last(s, &proper);
    const sn_status status = sn_orient(s->context, s->position, s->triangle, proper, &orientation, error);
    s->closed = orientation.closed;
    report->turned_triangles = orientation.turned;
    report->patches = orientation.patches;
    report->open_edges = orientation.edges.open;
    report->crowded_edges = orientation.edges.crowded;
    return status;
}

/* ---- Measures ---- */

static void measure(sn_clean_surface *s, sn_embed_report *report) {
    for (int k = 0; k < 3; ++k) s->low[k] = HUGE_VAL, s->high[k] = -HUGE_VAL;
    for (int v = 0; v < s->vertices; ++v)
        for (int k = 0; k < 3; ++k) {
            const double x = s->position[3 * (size_t)v + (size_t)k];
            s->low[k] = fmin(s->low[k], x), s->high[k] = fmax(s->high[k], x);
        }
    double middle[3], volume6 = 0;
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (s->low[k] + s->high[k]);
    for (int t = 0; t < s->triangles; ++t) {
        const double *x[3], area = area_of(s, t);
        sn_clean_surface_corners(s, t, x);
        volume6 += sn_volume6(middle, x[0], x[1], x[2]);
        report->flat_triangles += !(area > 0);
        s->area += area;
    }
    report->surface_volume = s->volume = fabs(volume6) / 6;
}

enum { ENOUGH = 1000000 }; /* crossings; the count ends there */

typedef struct crossing_search {
    const sn_clean_surface *surface;
    int32_t triangle;
    int found;
} crossing_search;

/* Triangles without a common vertex cross when neither, as a flat tet, is apart from the other. */
static bool count_crossing(void *data, int32_t other) {
    crossing_search *c = data;
    const int32_t *n = c->surface->triangle + 3 * (size_t)c->triangle, *m = c->surface->triangle + 3 * (size_t)other;
    if (other <= c->triangle) return false;
    for (int i = 0; i < 9; ++i)
        if (n[i / 3] == m[i % 3]) return false;
    const double *a[4], *b[4];
    sn_clean_surface_corners(c->surface, c->triangle, a);
    sn_clean_surface_corners(c->surface, other, b);
    a[3] = a[2], b[3] = b[2];
    c->found += !sn_tet_apart(a, b, 0) && !sn_tet_apart(b, a, 0);
    return c->found >= ENOUGH;
}

static int count_crossings(const sn_clean_surface *s) {
    crossing_search c = {.surface = s};
    for (; c.triangle < s->triangles && c.found < ENOUGH; ++c.triangle) {
        const double *x[3];
        double low[3], high[3];
        sn_clean_surface_corners(s, c.triangle, x);
        for (int k = 0; k < 3; ++k)
            low[k] = fmin(x[0][k], fmin(x[1][k], x[2][k])), high[k] = fmax(x[0][k], fmax(x[1][k], x[2][k]));
        sn_triangle_tree_overlap(&s->tree, low, high, count_crossing, &c);
    }
    return c.found;
}

/* ---- All of it ---- */

sn_status sn_clean_surface_create(const sn_mesh *mesh, const int32_t *triangle, int count, sn_clean_surface *s,
                                  sn_embed_report *report, sn_error *error) {
    *s = (sn_clean_surface){.context = mesh->context};
    sn_status status = take_vertices(mesh, triangle, count, s, report, error);
    if (!status) status = drop_duplicates(s, report, error);
    if (!status) status = orient(s, report, error);
    if (!status) measure(s, report);
    if (!status) status = sn_triangle_tree_create(s->context, s->position, s->triangle, s->triangles, &s->tree, error);
    if (!status) status = sn_winding_create(s->context, &s->tree, &s->winding, error);
    if (!status) report->crossings = count_crossings(s);
    if (status) sn_clean_surface_destroy(s);
    return status;
}

void sn_clean_surface_destroy(sn_clean_surface *s) {
    sn_release(s->context, s->position), sn_release(s->context, s->triangle);
    sn_triangle_tree_destroy(s->context, &s->tree);
    sn_winding_destroy(s->context, &s->winding);
    *s = (sn_clean_surface){.context = s->context};
}

typedef struct meeting {
    const sn_clean_surface *surface;
    const double *const *tet;
    double margin;
} meeting;

static bool triangle_meets(void *data, int32_t triangle) {
    const meeting *m = data;
    const double *x[3];
    sn_clean_surface_corners(m->surface, triangle, x);
    return !sn_tet_apart(m->tet, x, m->margin);
}

bool sn_clean_surface_meets(const sn_clean_surface *s, const double *const tet[4], double margin) {
    meeting m = {s, tet, margin};
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = fmin(fmin(tet[0][k], tet[1][k]), fmin(tet[2][k], tet[3][k])) - margin;
        high[k] = fmax(fmax(tet[0][k], tet[1][k]), fmax(tet[2][k], tet[3][k])) + margin;
    }
    return sn_triangle_tree_overlap(&s->tree, low, high, triangle_meets, &m);
}
