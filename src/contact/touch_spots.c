/* Reduced contact points of a flood: areas, vector areas and centroids (touch_flood.h; Civit 5.5.3.2, equations 5.3 to
 * 5.7).
 *
 * A crossed triangle with origin o (its corner 0) and unit normal n has an inside with a rim of pieces vw. Piece vw
 * adds the signed triangle o v w: the area a = 1/2 ((v - o) x (w - o)) . n and the moment a (o + v + w) / 3. The pieces
 * are
 *   - the segments of its cuts;
 *   - the parts of its edges that are inside. Edges 0 and 2 run through o and add nothing. On edge 1, from p along d,
 *     the part from s to t adds A (t - s) and the moment A ((t - s) (o + 2 p) + (t^2 - s^2) d) / 3, with A the area of
 *     the triangle. Both are differences, so each place where the edge enters or leaves adds its own term, in any
 * order. */
#include "base/math3.h"
#include "touch_flood.h"

/* Finds or makes the spot of a patch and a label. In the making, its centroid is a sum of moments. A spot names the
 * first of its triangles, so that rows do not depend on the order in which cuts were found. */
static sn_status spot_for(sn_touch_flood *flood, int32_t triangle, int32_t label, sn_touch_spot **spot,
                          sn_error *error) {
    const int32_t patch = flood->patches->of[triangle];
    for (int32_t i = flood->spot_of[patch] - 1; i >= 0; i = flood->chain[i])
        if (flood->spot[i].label == label) {
            *spot = &flood->spot[i];
            if (triangle < (*spot)->triangle) (*spot)->triangle = triangle;
            return SN_OK;
        }
    sn_status status = SN_OK;
    const int needed = flood->spot_count + 1;
    if (needed > flood->spot_capacity)
        status =
            sn_grow(flood->context, (void **)&flood->spot, &flood->spot_capacity, needed, sizeof *flood->spot, error);
    if (!status && needed > flood->chain_capacity)
        status = sn_grow(flood->context, (void **)&flood->chain, &flood->chain_capacity, needed, sizeof *flood->chain,
                         error);
    if (status) return status;
    flood->chain[flood->spot_count] = flood->spot_of[patch] - 1;
    *spot = &flood->spot[flood->spot_count++];
    **spot = (sn_touch_spot){.patch = patch, .label = label, .triangle = triangle};
    flood->spot_of[patch] = flood->spot_count;
    return SN_OK;
}

/* ---- Whole triangles ---- */

static void add_triangle(const sn_touch_surface *surface, int32_t triangle, sn_touch_spot *spot) {
    const int32_t *corner = &surface->triangle[3 * (size_t)triangle];
    const double *a = surface->position + 3 * (size_t)corner[0], *b = surface->position + 3 * (size_t)corner[1],
                 *c = surface->position + 3 * (size_t)corner[2];
    double n[3];
    sn_area_vector3(a, b, c, n);
    const double area = 0.5 * sn_norm3(n);
    ++spot->triangles;
    spot->area += area;
    for (int k = 0; k < 3; ++k) {
        spot->vector_area[k] += 0.5 * n[k];
        spot->centroid[k] += area * (a[k] + b[k] + c[k]) / 3;
    }
}

static sn_status add_patch(sn_touch_flood *flood, int32_t patch, int32_t label, sn_error *error) {
    sn_touch_spot *spot;
    const sn_status status =
        spot_for(flood, flood->patches->triangle[flood->patches->first[patch]], label, &spot, error);
    if (status) return status;
    for (int32_t i = flood->patches->first[patch]; i < flood->patches->first[patch + 1]; ++i)
        add_triangle(flood->surface, flood->patches->triangle[i], spot);
    flood->interior += flood->patches->first[patch + 1] - flood->patches->first[patch];
    return SN_OK;
}

/* ---- Parts of triangles ---- */

/* A crossed triangle. */
typedef struct piece {
    const double *o, *p, *q; /* corners 0, 1 and 2 */
    double n[3], area;       /* unit normal */
} piece;

static piece piece_of(const sn_touch_surface *surface, int32_t triangle) {
    const int32_t *corner = &surface->triangle[3 * (size_t)triangle];
    piece t = {surface->position + 3 * (size_t)corner[0],
               surface->position + 3 * (size_t)corner[1],
               surface->position + 3 * (size_t)corner[2],
               {0, 0, 0},
               0};
    sn_area_vector3(t.o, t.p, t.q, t.n);
    const double twice = sn_norm3(t.n);
    for (int k = 0; k < 3 && twice > 0; ++k) t.n[k] /= twice;
    t.area = 0.5 * twice;
    return t;
}

/* Sums of one part of the inside of a triangle. */
typedef struct sums {
    double area, moment[3];
} sums;

static void add_segment(const piece *t, const double v[3], const double w[3], sums *sum) {
    double a[3], b[3], cross[3];
    sn_subtract3(v, t->o, a);
    sn_subtract3(w, t->o, b);
    sn_cross3(a, b, cross);
    const double area = 0.5 * sn_dot3(cross, t->n);
    sum->area += area;
    for (int k = 0; k < 3; ++k) sum->moment[k] += area * (t->o[k] + v[k] + w[k]) / 3;
}

/* The inside of edge 1 ends (sign 1) or begins (sign -1) at `part` of the edge. */
static void add_place(const piece *t, double part, double sign, sums *sum) {
    sum->area += sign * t->area * part;
    for (int k = 0; k < 3; ++k)
        sum->moment[k] += sign * t->area * (part * (t->o[k] + 2 * t->p[k]) + part * part * (t->q[k] - t->p[k])) / 3;
}

static void add_link(const piece *t, const sn_touch_cut *cut, int role, sums *sum) {
    add_segment(t, cut->end[role].point, cut->end[1 - role].point, sum);
    for (int e = 0; e < 2; ++e)
        if (cut->end[e].side == role && cut->end[e].corner == 1)
            add_place(t, cut->end[e].part, sn_touch_enters(e, role) ? -1 : 1, sum);
}

double sn_touch_flood_area(const sn_touch_flood *flood, const sn_touch_cut *cut, const sn_touch_crossed *crossed) {
    const piece t = piece_of(flood->surface, crossed->triangle);
    sums sum = {0, {0, 0, 0}};
    for (int32_t link = crossed->link; link >= 0; link = flood->link[link])
        add_link(&t, &cut[link / 2], link % 2, &sum);
    return sum.area;
}

/* The part of the inside with this root label, in a crossed triangle. */
static sums part_of(sn_touch_flood *flood, const sn_touch_cut *cut, const sn_touch_crossed *crossed, const piece *t,
                    int32_t *parent, int32_t root) {
    sums sum = {0, {0, 0, 0}};
    for (int32_t link = crossed->link; link >= 0; link = flood->link[link])
        if (sn_touch_root(parent, 2 * cut[link / 2].curve + link % 2) == root)
            add_link(t, &cut[link / 2], link % 2, &sum);
    const int32_t state = flood->vertex[flood->surface->triangle[3 * (size_t)crossed->triangle + 2]];
    if (state >= 2 && sn_touch_root(parent, state - 2) == root) add_place(t, 1, 1, &sum);
    return sum;
}

static sn_status add_part(sn_touch_flood *flood, const sn_touch_crossed *crossed, const piece *t, const sums *sum,
                          int32_t root, sn_error *error) {
    if (!(sum->area > 0)) return SN_OK; /* nothing, or rounding */
    sn_touch_spot *spot;
    const sn_status status = spot_for(flood, crossed->triangle, root, &spot, error);
    if (status) return status;
    ++spot->triangles;
    spot->area += sum->area;
    for (int k = 0; k < 3; ++k) {
        spot->vector_area[k] += sum->area * t->n[k];
        spot->centroid[k] += sum->moment[k];
    }
    return SN_OK;
}

/* Adds the parts of a crossed triangle: one for each set of labels at its cuts. A set is taken at its first link. */
static sn_status add_crossed(sn_touch_flood *flood, const sn_touch_cut *cut, const sn_touch_crossed *crossed,
                             int32_t *parent, sn_error *error) {
    const piece t = piece_of(flood->surface, crossed->triangle);
    for (int32_t link = crossed->link; link >= 0; link = flood->link[link]) {
        const int32_t root = sn_touch_root(parent, 2 * cut[link / 2].curve + link % 2);
        bool met = false;
        for (int32_t i = crossed->link; i != link && !met; i = flood->link[i])
            met = sn_touch_root(parent, 2 * cut[i / 2].curve + i % 2) == root;
        if (met) continue;
        const sums sum = part_of(flood, cut, crossed, &t, parent, root);
        const sn_status status = add_part(flood, crossed, &t, &sum, root, error);
        if (status) return status;
    }
    return SN_OK;
}

/* ---- All ---- */

/* Turns moments into centroids and forgets which spots belong to which patches. */
static void finish(sn_touch_flood *flood, int first) {
    for (int i = first; i < flood->spot_count; ++i) {
        sn_touch_spot *spot = &flood->spot[i];
        flood->spot_of[spot->patch] = 0;
        for (int k = 0; k < 3 && spot->area > 0; ++k) spot->centroid[k] /= spot->area;
    }
}

sn_status sn_touch_flood_spots(sn_touch_flood *flood, const sn_touch_cut *cut, int32_t *parent, sn_error *error) {
    const int first = flood->spot_count;
    sn_status status = SN_OK;
    for (int i = 0; i < flood->crossed_count && !status; ++i)
        status = add_crossed(flood, cut, &flood->crossed[i], parent, error);
    for (int i = 0; i < flood->triangle_count && !status; ++i) {
        const int32_t triangle = flood->triangles[i];
        sn_touch_spot *spot;
        status = spot_for(flood, triangle, sn_touch_root(parent, flood->inside[triangle] - 1), &spot, error);
        if (!status) add_triangle(flood->surface, triangle, spot), ++flood->interior;
    }
    for (int i = 0; i < flood->whole_count && !status; ++i) {
        const int32_t patch = flood->whole[i];
        status = add_patch(flood, patch, sn_touch_root(parent, flood->patch[patch] - 2), error);
    }
    finish(flood, first);
    return status;
}

sn_status sn_touch_flood_part(sn_touch_flood *flood, int32_t part, int32_t label, sn_error *error) {
    const int first = flood->spot_count;
    sn_status status = SN_OK;
    for (int32_t p = 0; p < flood->patches->count && !status; ++p)
        if (flood->patches->part[flood->patches->triangle[flood->patches->first[p]]] == part)
            status = add_patch(flood, p, label, error);
    finish(flood, first);
    return status;
}
