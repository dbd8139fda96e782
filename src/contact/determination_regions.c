/* Stage 6 of contact determination, first half: curves and spots become regions, and regions get normals.
 *
 * Curves that bound one part of the inside, on either surface, belong to one region. The normal of a region, from B to
 * A, is -N / |N| with the sum N of the vector areas of its curves (out of A and into B; Civit 5.5.4.1). When a curve
 * ends at a rim, N is taken from the vector areas of the flooded parts instead: both are equal for a closed curve.
 *
 * A region is simple when its curves agree: |N| is at least half the sum of the lengths of their vector areas, and not
 * tiny against the area inside. A rod through a plate is not simple: its two curves have opposite vector areas.
 *
 * A region that runs around a body, like the collar of a ball in a ring, is not simple either, also when it is not
 * closed to a ring and has one curve only. It is bent on both surfaces: |N| is less than BENT times the smaller of the
 * areas inside. And it is long: 4 pi |N| is less than LONG times the square of the length of its curves (a disk has 1,
 * a square 0.79). A deep but compact region, like that of two boxes far inside each other, is bent but not long; a
 * beam on a plane is long but not bent. Both keep their normal. With these values the ball of the scene
 * ball-through-ring is at most 16 mm deep (BENT 0.6: 67 mm; without the test: 174 mm). */
#include "base/math3.h"
#include "determination_inside.h"

enum { UNSET = -1 };
static const double AGREEMENT = 0.5, SMALLEST_SHARE = 0.02, BENT = 0.8, LONG = 0.25;

/* Makes region_of a forest over the curves: curves with one root belong together. The root is the smallest curve. */
static void group_curves(sn_touch_finder *finder) {
    int32_t *of = finder->region_of;
    for (int32_t c = 0; c < finder->curves.count; ++c) of[c] = c;
    for (int32_t label = 0; label < 2 * finder->curves.count; ++label)
        sn_touch_merge(of, label / 2, sn_touch_root(finder->parent, label) / 2);
}

static sn_status add_region(sn_touch_finder *finder, int32_t pair, int32_t contained, sn_error *error) {
    if (finder->region_count == finder->region_capacity) {
        const sn_status status = sn_grow(finder->context, (void **)&finder->region, &finder->region_capacity,
                                         finder->region_count + 1, sizeof *finder->region, error);
        if (status) return status;
    }
    finder->region[finder->region_count++] = (sn_finder_region){.pair = pair, .closed = true, .contained = contained};
    return SN_OK;
}

/* Numbers the regions of the curves of a pair. Afterwards region_of[curve] is the region. */
static sn_status number_curves(sn_touch_finder *finder, int32_t index, sn_error *error) {
    const sn_finder_pair *pair = &finder->pair[index];
    for (int32_t c = pair->curve_end - 1; c >= pair->curve_begin; --c) /* later curves have earlier roots */
        finder->region_of[c] = sn_touch_root(finder->region_of, c);
    for (int32_t c = pair->curve_begin; c < pair->curve_end; ++c) {
        const int32_t root = finder->region_of[c];
        if (root == c) {
            const sn_status status = add_region(finder, index, UNSET, error);
            if (status) return status;
            finder->region_of[c] = finder->region_count - 1;
        } else {
            finder->region_of[c] = finder->region_of[root];
        }
        sn_finder_region *region = &finder->region[finder->region_of[c]];
        const sn_touch_curve *curve = &finder->curves.curve[c];
        ++region->curves;
        region->closed = region->closed && curve->closed;
        region->length_sum += sn_norm3(curve->vector_area);
        for (int k = 0; k < 3; ++k) region->vector_area[k] += curve->vector_area[k];
    }
    return SN_OK;
}

static sn_status add_point(sn_touch_finder *finder, int32_t region, int32_t role, int32_t index,
                           const sn_touch_spot *spot, sn_error *error) {
    if (finder->point_count == finder->point_capacity) {
        const sn_status status = sn_grow(finder->context, (void **)&finder->point, &finder->point_capacity,
                                         finder->point_count + 1, sizeof *finder->point, error);
        if (status) return status;
    }
    const int32_t *chain = finder->surface[finder->pair[finder->region[region].pair].surface[role]].flood.chain;
    int32_t ordinal = 0;
    for (int32_t i = chain[index]; i >= 0; i = chain[i]) ++ordinal;
    finder->point[finder->point_count++] =
        (sn_finder_point){.region = region, .role = role, .spot = index, .ordinal = ordinal};
    sn_finder_region *own = &finder->region[region];
    ++own->spots;
    own->area[role] += spot->area;
    for (int k = 0; k < 3; ++k) own->spot_area[k] += (role ? -1 : 1) * spot->vector_area[k];
    return SN_OK;
}

/* Gives the spots of a pair to their regions. A part that is inside as a whole has a separate region. */
static sn_status add_points(sn_touch_finder *finder, int32_t index, sn_error *error) {
    const sn_finder_pair *pair = &finder->pair[index];
    const bool self = pair->surface[0] == pair->surface[1];
    for (int role = 0; role < 2; ++role) {
        int32_t last = 0; /* label of the last part inside; 0: none */
        for (int32_t i = pair->spot_begin[role]; i < pair->spot_end[role]; ++i) {
            const sn_touch_spot *spot = &finder->surface[pair->surface[role]].flood.spot[i];
            sn_status status = SN_OK;
            if (spot->label < 0 && spot->label != last) {
                status = add_region(finder, index, role, error);
                last = spot->label;
                ++finder->counts.contained;
            }
            if (status) return status;
            const int32_t region = spot->label < 0 ? finder->region_count - 1 : finder->region_of[spot->label / 2];
            status = add_point(finder, region, self ? spot->label % 2 : role, i, spot, error);
            if (status) return status;
        }
    }
    return SN_OK;
}

/* A part inside another body leaves it on the shortest way, from its centre to the nearest point of the other surface.
 */
static void find_way_out(sn_touch_finder *finder, sn_finder_region *region, const double centre[3]) {
    const sn_finder_pair *pair = &finder->pair[region->pair];
    const sn_box_surface other = sn_finder_box_surface(&finder->surface[pair->surface[1 - region->contained]]);
    sn_box_hit hit;
    if (!sn_box_tree_nearest(&other, centre, INFINITY, &hit)) return;
    double way[3] = {-centre[0], -centre[1], -centre[2]};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            way[i] += hit.share[k] *
                      other.position[3 * (size_t)other.triangle[3 * (size_t)hit.triangle + (size_t)k] + (size_t)i];
    const double length = sn_norm3(way);
    if (!(length > 0)) return;
    for (int k = 0; k < 3; ++k) region->n[k] = (region->contained ? -1 : 1) * way[k] / length;
    region->simple = true;
}

static void measure_rims(sn_touch_finder *finder) {
    for (int i = 0; i < finder->cut_count; ++i) {
        const sn_touch_cut *cut = &finder->cut[i];
        double way[3];
        sn_subtract3(cut->end[1].point, cut->end[0].point, way);
        finder->region[finder->region_of[cut->curve]].rim += sn_norm3(way);
    }
}

/* Whether a region runs around a body. */
static bool runs_around(const sn_finder_region *region, double length) {
    const double pi = 3.14159265358979323846;
    return length < BENT * fmin(region->area[0], region->area[1]) && 4 * pi * length < LONG * region->rim * region->rim;
}

static void find_normals(sn_touch_finder *finder) {
    measure_rims(finder);
    for (int i = 0; i < finder->region_count; ++i) {
        sn_finder_region *region = &finder->region[i];
        if (region->contained >= 0) continue;
        const double *N = region->closed ? region->vector_area : region->spot_area;
        const double length = sn_norm3(N), inside = fmax(region->area[0], region->area[1]);
        const double sum = region->closed ? region->length_sum : 0;
        region->simple = length > 0 && length >= AGREEMENT * sum && length >= SMALLEST_SHARE * inside &&
                         !runs_around(region, length);
        for (int k = 0; k < 3 && region->simple; ++k) region->n[k] = -N[k] / length;
    }
    /* The points of a part inside follow each other: their centroids give the centre. */
    for (int i = 0, end; i < finder->point_count; i = end) {
        sn_finder_region *region = &finder->region[finder->point[i].region];
        double centre[3] = {0, 0, 0}, area = 0;
        for (end = i; end < finder->point_count && finder->point[end].region == finder->point[i].region; ++end) {
            const sn_finder_pair *pair = &finder->pair[region->pair];
            const sn_touch_spot *spot =
                &finder->surface[pair->surface[finder->point[end].role]].flood.spot[finder->point[end].spot];
            area += spot->area;
            for (int k = 0; k < 3; ++k) centre[k] += spot->area * spot->centroid[k];
        }
        for (int k = 0; k < 3; ++k) centre[k] /= area > 0 ? area : 1;
        if (region->contained >= 0) find_way_out(finder, region, centre);
    }
}

sn_status sn_finder_regions(sn_touch_finder *finder, sn_error *error) {
    finder->region_count = finder->point_count = 0;
    sn_status status = SN_OK;
    if (finder->curves.count > finder->region_of_capacity)
        status = sn_grow(finder->context, (void **)&finder->region_of, &finder->region_of_capacity,
                         finder->curves.count, sizeof *finder->region_of, error);
    if (status) return status;
    group_curves(finder);
    for (int i = 0; i < finder->pair_count && !status; ++i) {
        status = number_curves(finder, i, error);
        if (!status) status = add_points(finder, i, error);
    }
    if (status) return status;
    find_normals(finder);
    finder->counts.regions = finder->region_count;
    for (int i = 0; i < finder->region_count; ++i) finder->counts.complex += !finder->region[i].simple;
    return SN_OK;
}
