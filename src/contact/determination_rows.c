/* Stage 6 of contact determination, second half: counterparts of the contact points, and rows (Civit 5.5.4).
 *
 * A point of A (role 0) looks along n, a point of B (role 1) along -n. This direction d leads back into the body of
 * the point. The point counts when its surface looks against d, and when a ray along d leaves the other body. The ray
 * begins a little behind the point, because nearly equal surfaces may have changed places there. When the ray leaves
 * the body of the point first, the point is on the far side of something thin: it does not count. A body that is inside
 * as a whole is an exception: it has to leave with its far side too.
 *
 * Fallback. Points of a region without a simple normal, or of a region in which no point counts, take the nearest point
 * of the other surface instead: each point has a separate normal. Within one surface the nearest point is the point
 * itself, so there the points look against their normals. A region that has no row after that, like two sheets that
 * cross each other, gives one row for each patch of A at its longest segment: at the middle of the segment, along the
 * normal of the triangle of B, as deep as the deepest corner of the triangle of A. */
#include <math.h>

#include "base/math3.h"
#include "determination_inside.h"

enum { GRAIN = 256 };               /* points in a piece: fewer are not worth a second thread */
static const double BEHIND = 0.1;   /* times the root of the area of the point */
static const double NEAR = 0.5;     /* times the root of the area of the point: most rays end within this length */
static const double NEAREST = 1e-9; /* times the root of the area of the point: no direction below this distance */
static const double ON = 1e-9; /* times the root of the area of the point: a point on its triangle, but for rounding */
static const double FLATTEST = 1e-6; /* a surface along d looks neither way, also with rounding errors */

/* ---- Points ---- */

static const sn_finder_surface *surface_of(const sn_touch_finder *finder, const sn_finder_point *point, int role) {
    return &finder->surface[finder->pair[finder->region[point->region].pair].surface[role]];
}

/* Spots of a surface that touches itself lie in its one flood, with both roles. */
static const sn_touch_spot *spot_of(const sn_touch_finder *finder, const sn_finder_point *point) {
    return &surface_of(finder, point, point->role)->flood.spot[point->spot];
}

static sn_touch_point at_hit(const sn_box_hit *hit) {
    return (sn_touch_point){hit->triangle, {hit->share[0], hit->share[1], hit->share[2]}};
}

/* The centroid of a bent part does not lie on the surface. Walks from a triangle of the part to neighbours that are
 * nearer to the centroid, until there is none: the nearest point there stays on the sheet of the part. */
static void find_own(const sn_finder_surface *own, const sn_touch_spot *spot, sn_touch_point *at, double x[3]) {
    const sn_box_surface boxes = sn_finder_box_surface(own);
    sn_box_hit best;
    sn_box_triangle_nearest(&boxes, spot->triangle, spot->centroid, &best);
    for (bool nearer = true; nearer && best.distance > ON * sqrt(spot->area);) {
        nearer = false;
        const int32_t *neighbour = &own->surface->neighbour[3 * (size_t)best.triangle];
        const int32_t around[3] = {neighbour[0], neighbour[1], neighbour[2]};
        for (int k = 0; k < 3; ++k) {
            if (around[k] < 0) continue;
            sn_box_hit here;
            sn_box_triangle_nearest(&boxes, around[k], spot->centroid, &here);
            if (here.distance < best.distance) best = here, nearer = true;
        }
    }
    *at = at_hit(&best);
    sn_touch_point_place(own->surface, at, x);
}

static void finish(sn_touch_finder *finder, sn_finder_point *point, const double n[3], double gap) {
    const sn_finder_region *region = &finder->region[point->region];
    const sn_finder_pair *pair = &finder->pair[region->pair];
    const sn_touch_spot *spot = spot_of(finder, point);
    point->row = (sn_touch_row){.a = pair->surface[0],
                                .b = pair->surface[1],
                                .kind = SN_TOUCH_REGION,
                                .feature = {point->role ? -1 - spot->patch : spot->patch, point->ordinal},
                                .n = {n[0], n[1], n[2]},
                                .gap = gap,
                                .area = 0.5 * spot->area};
    sn_touch_point_place(finder->surface[pair->surface[0]].surface, &point->at[0], point->row.point);
    point->found = true;
}

/* ---- Rays ---- */

/* Within one surface, a ray must meet the other sheet of its region. So the patches of a region are marked for the time
 * of the rays; a patch with several points has the mark of the last one. */
static int32_t mark_of(int32_t region, int32_t role) { return 1 + 2 * region + role; }

static void mark_own_sheets(sn_touch_finder *finder, bool on) {
    for (int i = 0; i < finder->point_count; ++i) {
        const sn_finder_point *point = &finder->point[i];
        const sn_finder_pair *pair = &finder->pair[finder->region[point->region].pair];
        if (pair->surface[0] != pair->surface[1]) continue;
        sn_touch_flood *flood = &finder->surface[pair->surface[0]].flood;
        flood->spot_of[flood->spot[point->spot].patch] = on ? mark_of(point->region, point->role) : 0;
    }
}

/* Looks from x along d for the place where the other body ends. */
static bool look(const sn_touch_finder *finder, sn_finder_point *point, const double x[3], const double d[3],
                 double *depth) {
    const sn_finder_surface *own = surface_of(finder, point, point->role),
                            *other = surface_of(finder, point, 1 - point->role);
    const double behind = BEHIND * sqrt(spot_of(finder, point)->area);
    const double start[3] = {x[0] - behind * d[0], x[1] - behind * d[1], x[2] - behind * d[2]};
    const double near = behind + NEAR * sqrt(spot_of(finder, point)->area);
    const sn_box_surface boxes = sn_finder_box_surface(other);
    sn_box_hit hit, exit;
    if (!sn_box_tree_cast(&boxes, start, d, near, SN_BOX_LEAVING, &hit) &&
        !sn_box_tree_cast(&boxes, start, d, INFINITY, SN_BOX_LEAVING, &hit))
        return false;
    *depth = hit.distance - behind;
    const sn_box_surface mine = sn_finder_box_surface(own);
    if (own == other && own->flood.spot_of[own->patches.of[hit.triangle]] != mark_of(point->region, 1 - point->role))
        return false; /* it has passed by */
    const bool may_be_thin = own != other && finder->region[point->region].contained < 0;
    if (may_be_thin && *depth > 0 && sn_box_tree_cast(&mine, x, d, *depth, SN_BOX_LEAVING, &exit)) return false;
    point->at[1 - point->role] = at_hit(&hit);
    return true;
}

static void cast(sn_touch_finder *finder, sn_finder_point *point) {
    const sn_finder_region *region = &finder->region[point->region];
    const sn_touch_spot *spot = spot_of(finder, point);
    const double sign = point->role ? -1 : 1, d[3] = {sign * region->n[0], sign * region->n[1], sign * region->n[2]};
    double x[3], depth;
    if (!(sn_dot3(d, spot->vector_area) < -FLATTEST * sn_norm3(spot->vector_area))) return;
    find_own(surface_of(finder, point, point->role), spot, &point->at[point->role], x);
    if (look(finder, point, x, d, &depth)) finish(finder, point, region->n, -depth);
}

/* The fallback of a point: the nearest point of the other surface, or a ray against its own normal. */
static void fall_back(sn_touch_finder *finder, sn_finder_point *point) {
    const sn_touch_spot *spot = spot_of(finder, point);
    const sn_finder_surface *own = surface_of(finder, point, point->role),
                            *other = surface_of(finder, point, 1 - point->role);
    double x[3], y[3], d[3], depth = sn_norm3(spot->vector_area);
    find_own(own, spot, &point->at[point->role], x);
    for (int k = 0; k < 3 && depth > 0; ++k) d[k] = -spot->vector_area[k] / depth;
    if (own == other) {
        if (!(depth > 0) || !look(finder, point, x, d, &depth)) return;
    } else {
        const sn_box_surface boxes = sn_finder_box_surface(other);
        sn_box_hit hit;
        if (!sn_box_tree_nearest(&boxes, x, INFINITY, &hit)) return;
        point->at[1 - point->role] = at_hit(&hit);
        sn_touch_point_place(other->surface, &point->at[1 - point->role], y);
        double way[3];
        sn_subtract3(y, x, way);
        const double length = sn_norm3(way);
        const bool near = !(length > NEAREST * sqrt(spot->area)); /* then rounding has turned the way */
        if (near && !(depth > 0)) return;
        for (int k = 0; k < 3 && !near; ++k) d[k] = way[k] / length;
        depth = length;
    }
    const double sign = point->role ? -1 : 1, n[3] = {sign * d[0], sign * d[1], sign * d[2]};
    finish(finder, point, n, -depth);
}

/* Below 0: the row comes before the rows of the pair; 0: it is one of them. */
static int compare(const sn_touch_row *row, const sn_finder_pair *pair) {
    if (row->a != pair->surface[0]) return row->a < pair->surface[0] ? -1 : 1;
    return row->b < pair->surface[1] ? -1 : row->b > pair->surface[1];
}

/* Marks the patches of rows, one bit per role, or takes the marks away. */
static void mark_patches(const sn_touch_finder *finder, const sn_touch_rows *rows, int begin, int end, bool on) {
    for (int i = begin; i < end; ++i) {
        const sn_touch_row *row = &rows->row[i];
        const int role = row->feature[0] < 0;
        const sn_touch_flood *flood = &finder->surface[role ? row->b : row->a].flood;
        int32_t *mark = &flood->spot_of[role ? -1 - row->feature[0] : row->feature[0]];
        *mark = on ? *mark | 1 << role : 0;
    }
}

/* Notes the points of patches that have a row in `known`. Points and rows go through the pairs of surfaces in the same
 * order. Rows of the last fallback, which come behind all others, need not be found: their patches look again. */
static void note_known(const sn_touch_finder *finder, const sn_touch_rows *known) {
    int begin = 0, end = 0;
    for (int i = 0; i < finder->point_count;) {
        const int32_t index = finder->region[finder->point[i].region].pair;
        const sn_finder_pair *pair = &finder->pair[index];
        for (begin = end; begin < known->count && compare(&known->row[begin], pair) < 0;) ++begin;
        for (end = begin; end < known->count && compare(&known->row[end], pair) == 0;) ++end;
        mark_patches(finder, known, begin, end, true);
        for (; i < finder->point_count && finder->region[finder->point[i].region].pair == index; ++i) {
            sn_finder_point *point = &finder->point[i];
            const int32_t mark = surface_of(finder, point, point->role)->flood.spot_of[spot_of(finder, point)->patch];
            point->known = mark >> point->role & 1;
        }
        mark_patches(finder, known, begin, end, false);
    }
}

/* One pass over the points, in parallel: the rays of new points first, then the fallback of those regions that need
 * it. */
typedef struct pass {
    sn_touch_finder *finder;
    bool fallback;
} pass;

static void pass_piece(void *data, int piece) {
    const pass *p = data;
    const int end = (int)sn_piece_begin(p->finder->point_count, GRAIN, piece + 1);
    for (int i = (int)sn_piece_begin(p->finder->point_count, GRAIN, piece); i < end; ++i) {
        sn_finder_point *point = &p->finder->point[i];
        const sn_finder_region *region = &p->finder->region[point->region];
        if (!p->fallback && region->simple && !point->known) cast(p->finder, point);
        if (p->fallback && region->rows == 0) fall_back(p->finder, point);
    }
}

static void count_rows(sn_touch_finder *finder) {
    for (int r = 0; r < finder->region_count; ++r) finder->region[r].rows = 0;
    for (int k = 0; k < finder->point_count; ++k)
        finder->region[finder->point[k].region].rows += finder->point[k].found;
}

/* A region whose other points have found nothing asks the known ones, until one counts. */
static void cast_known(sn_touch_finder *finder) {
    for (int i = 0; i < finder->point_count; ++i) {
        sn_finder_point *point = &finder->point[i];
        sn_finder_region *region = &finder->region[point->region];
        if (!point->known || !region->simple || region->rows > 0) continue;
        cast(finder, point);
        region->rows += point->found;
    }
}

static void find_counterparts(sn_touch_finder *finder) {
    const int pieces = sn_pieces(finder->point_count, GRAIN);
    mark_own_sheets(finder, true);
    pass p = {finder, false};
    sn_parallel(finder->context, pieces, pass_piece, &p);
    count_rows(finder);
    cast_known(finder);
    p.fallback = true;
    sn_parallel(finder->context, pieces, pass_piece, &p);
    count_rows(finder);
    mark_own_sheets(finder, false);
}

/* ---- Regions without points ---- */

static double length_of(const sn_touch_cut *cut) {
    double d[3];
    sn_subtract3(cut->end[1].point, cut->end[0].point, d);
    return sn_norm3(d);
}

/* The point of a triangle that is nearest to x. */
static sn_touch_point at_place(const sn_touch_surface *surface, int32_t triangle, const double x[3]) {
    const sn_box_surface boxes = {NULL, surface->position, surface->triangle};
    sn_box_hit hit;
    sn_box_triangle_nearest(&boxes, triangle, x, &hit);
    return at_hit(&hit);
}

static sn_status append_crossing(sn_touch_finder *finder, const sn_finder_pair *pair, const sn_touch_cut *cut,
                                 sn_touch_rows *rows, sn_error *error) {
    const sn_finder_surface *own = &finder->surface[pair->surface[0]];
    const sn_touch_surface *a = own->surface, *b = finder->surface[pair->surface[1]].surface;
    const double *p[3], *q[3];
    double n[3], way[3], height[3], sum = 0;
    for (int k = 0; k < 3; ++k) {
        p[k] = a->position + 3 * (size_t)a->triangle[3 * (size_t)cut->triangle[0] + (size_t)k];
        q[k] = b->position + 3 * (size_t)b->triangle[3 * (size_t)cut->triangle[1] + (size_t)k];
    }
    sn_area_vector3(q[0], q[1], q[2], n);
    const double size = sn_norm3(n), length = length_of(cut);
    if (!(size > 0) || !(length > 0)) return SN_OK; /* the triangles share no more than a point */
    for (int k = 0; k < 3; ++k) {
        sn_subtract3(p[k], q[0], way);
        height[k] = sn_dot3(n, way) / size, sum += height[k];
    }
    /* Out of a body; at a sheet, to the side with the larger part of the triangle of A. */
    const double sign = !b->closed && sum < 0 ? -1 : 1;
    int deepest = 0;
    for (int k = 1; k < 3; ++k)
        if (sign * height[k] < sign * height[deepest]) deepest = k;
    double middle[3];
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (cut->end[0].point[k] + cut->end[1].point[k]);
    const sn_touch_point at[2] = {at_place(a, cut->triangle[0], middle), at_place(b, cut->triangle[1], middle)};
    const sn_touch_row row = {.a = pair->surface[0],
                              .b = pair->surface[1],
                              .kind = SN_TOUCH_REGION,
                              .feature = {own->patches.of[cut->triangle[0]], -1},
                              .n = {sign * n[0] / size, sign * n[1] / size, sign * n[2] / size},
                              .gap = sign * height[deepest],
                              .area = length * length,
                              .point = {middle[0], middle[1], middle[2]}};
    return sn_touch_rows_append(rows, a, &at[0], b, &at[1], &row, error);
}

/* Appends rows for the regions of a pair that have none: for each patch of A its longest segment. */
static sn_status append_crossings(sn_touch_finder *finder, const sn_finder_pair *pair, sn_touch_rows *rows,
                                  sn_error *error) {
    sn_finder_surface *own = &finder->surface[pair->surface[0]];
    int32_t *best = own->flood.spot_of; /* per patch: 1 + cut; 0 between calls */
    sn_status status = SN_OK;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t i = pair->cut_begin; i < pair->cut_end; ++i) {
            const sn_touch_cut *cut = &finder->cut[i];
            const sn_finder_region *region = &finder->region[finder->region_of[cut->curve]];
            if (region->rows > 0) continue;
            int32_t *chosen = &best[own->patches.of[cut->triangle[0]]];
            if (pass == 0 && (!*chosen || length_of(cut) > length_of(&finder->cut[*chosen - 1]))) *chosen = i + 1;
            if (pass == 0 || *chosen != i + 1) continue;
            *chosen = 0;
            if (!status) status = append_crossing(finder, pair, cut, rows, error);
        }
    return status;
}

/* ---- All ---- */

sn_status sn_finder_rows(sn_touch_finder *finder, const sn_touch_rows *known, sn_touch_rows *rows, sn_error *error) {
    sn_status status = SN_OK;
    if (known) note_known(finder, known);
    find_counterparts(finder);
    for (int i = 0; i < finder->point_count && !status; ++i) {
        const sn_finder_point *point = &finder->point[i];
        if (!point->found || point->known) continue;
        const sn_touch_surface *a = surface_of(finder, point, 0)->surface, *b = surface_of(finder, point, 1)->surface;
        status = sn_touch_rows_append(rows, a, &point->at[0], b, &point->at[1], &point->row, error);
    }
    for (int i = 0; i < finder->pair_count && !status; ++i)
        status = append_crossings(finder, &finder->pair[i], rows, error);
    finder->counts.rows = rows->count;
    return status;
}

sn_status sn_touch_look_again(const sn_touch_finder *finder, const sn_touch_row *row, double reach, sn_touch_rows *rows,
                              sn_error *error) {
    const int role = row->feature[0] < 0 ? 1 : 0;
    const sn_finder_surface *side[2] = {&finder->surface[row->a], &finder->surface[row->b]};
    const double sign = role ? 1 : -1, d[3] = {sign * row->n[0], sign * row->n[1], sign * row->n[2]};
    const sn_box_surface other = sn_finder_box_surface(side[1 - role]);
    sn_touch_row again = *row;
    sn_box_hit hit;
    double x[3];
    sn_touch_point_place(side[role]->surface, &row->at[role], x);
    if (!sn_box_tree_cast(&other, x, d, reach, SN_BOX_ENTERING, &hit)) return SN_OK;
    again.at[1 - role] = at_hit(&hit);
    again.gap = hit.distance;
    sn_touch_point_place(side[0]->surface, &again.at[0], again.point);
    return sn_touch_rows_append(rows, side[0]->surface, &again.at[0], side[1]->surface, &again.at[1], &again, error);
}
