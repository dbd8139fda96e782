/* Contact determination: the finder and its stages (determination.h). */
#include "determination.h"

#include <stdlib.h>

#include "determination_inside.h"

/* ---- Life ---- */

static sn_status add_surface(sn_context *context, sn_touch_surface *surface, sn_finder_surface *own, sn_error *error) {
    own->surface = surface;
    sn_status status = sn_box_tree_create(context, surface->rest, surface->vertex_count, surface->triangle,
                                          surface->triangle_count, &own->tree, error);
    if (!status) status = sn_touch_patches_create(surface, &own->patches, error);
    if (!status) status = sn_touch_flood_create(surface, &own->patches, &own->flood, error);
    if (status) return status;
    own->part_met = sn_allocate_zero(context, (size_t)own->patches.part_count, sizeof *own->part_met);
    return own->part_met ? SN_OK : sn_no_memory(error);
}

static int by_surfaces(const void *a, const void *b) {
    const sn_touch_pair *p = &((const struct sn_finder_allowed *)a)->pair,
                        *q = &((const struct sn_finder_allowed *)b)->pair;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static sn_status copy_pairs(sn_touch_finder *finder, const sn_touch_pair *pair, int count, sn_error *error) {
    finder->allowed = sn_allocate(finder->context, (size_t)count, sizeof *finder->allowed);
    finder->pair = sn_allocate(finder->context, (size_t)count, sizeof *finder->pair);
    if (!finder->allowed || !finder->pair) return sn_no_memory(error);
    for (int i = 0; i < count; ++i) {
        if (pair[i].a < 0 || pair[i].b < pair[i].a || pair[i].b >= finder->surface_count)
            return sn_fail(error, SN_BAD_INPUT, "pair %d of touching surfaces is %d and %d; there are %d surfaces", i,
                           pair[i].a, pair[i].b, finder->surface_count);
        finder->allowed[i] = (struct sn_finder_allowed){pair[i], i};
    }
    if (count > 0) qsort(finder->allowed, (size_t)count, sizeof *finder->allowed, by_surfaces);
    finder->allowed_count = count;
    return SN_OK;
}

sn_status sn_touch_finder_create(sn_context *context, sn_touch_surface *const *surface, int surface_count,
                                 const sn_touch_pair *pair, int pair_count, sn_touch_finder **finder, sn_error *error) {
    *finder = NULL;
    sn_touch_finder *made = sn_allocate_zero(context, 1, sizeof *made);
    if (!made) return sn_no_memory(error);
    made->context = made->candidates.context = made->curves.context = made->broad.context = context;
    made->surface_count = surface_count;
    made->surface = sn_allocate_zero(context, (size_t)surface_count, sizeof *made->surface);
    sn_status status = made->surface ? copy_pairs(made, pair, pair_count, error) : sn_no_memory(error);
    for (int i = 0; i < surface_count && !status; ++i)
        status = add_surface(context, surface[i], &made->surface[i], error);
    if (status)
        sn_touch_finder_destroy(made);
    else
        *finder = made;
    return status;
}

void sn_touch_finder_destroy(sn_touch_finder *finder) {
    if (!finder) return;
    const sn_context *context = finder->context;
    for (int i = 0; finder->surface && i < finder->surface_count; ++i) {
        sn_finder_surface *own = &finder->surface[i];
        sn_box_tree_destroy(own->tree);
        if (own->flood.context) sn_touch_flood_release(&own->flood);
        sn_touch_patches_release(context, &own->patches);
        sn_release(context, own->part_met);
    }
    sn_box_pairs_release(&finder->candidates);
    sn_broad_phase_release(&finder->broad);
    sn_touch_curves_release(&finder->curves);
    void *part[] = {finder->surface, finder->allowed, finder->pair,   finder->cut,   finder->slot,
                    finder->piece,   finder->parent,  finder->region, finder->point, finder->region_of};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) sn_release(context, part[i]);
    sn_release(context, finder);
}

const sn_touch_counts *sn_touch_finder_counts(const sn_touch_finder *finder) { return &finder->counts; }

/* ---- 1. and 2. Boxes and pairs of surfaces ---- */

void sn_touch_refit(sn_touch_finder *finder) {
    for (int i = 0; i < finder->surface_count; ++i) {
        sn_finder_surface *own = &finder->surface[i];
        sn_touch_flood_reset(&own->flood);
        own->status = SN_OK;
        if (own->fitted && own->surface->resting) continue;
        if (own->surface->resting)
            sn_box_tree_refit(own->tree, own->surface->position, NULL, 0);
        else
            sn_box_tree_refit_groups(own->tree, own->surface->position);
        sn_box_tree_bounds(own->tree, own->low, own->high);
        own->fitted = true;
    }
}

static int by_place(const void *a, const void *b) {
    const int32_t p = ((const sn_finder_pair *)a)->place, q = ((const sn_finder_pair *)b)->place;
    return p < q ? -1 : p > q;
}

/* Adds a pair of surfaces whose boxes overlap, when it is wanted and allowed. */
static void add_pair(sn_touch_finder *finder, int32_t a, int32_t b) {
    if (finder->wanted && !finder->wanted(finder->user, a, b)) return;
    const struct sn_finder_allowed wanted = {{a, b}, 0},
                                   *found = bsearch(&wanted, finder->allowed, (size_t)finder->allowed_count,
                                                    sizeof *finder->allowed, by_surfaces);
    if (found) finder->pair[finder->pair_count++] = (sn_finder_pair){.surface = {a, b}, .place = found->place};
}

static sn_status find_pairs(sn_touch_finder *finder, sn_error *error) {
    finder->pair_count = 0;
    sn_status status = sn_broad_phase_resize(&finder->broad, finder->surface_count, error);
    if (status || finder->allowed_count == 0) return status;
    for (int i = 0; i < finder->surface_count; ++i)
        for (int k = 0; k < 3; ++k) {
            finder->broad.box[i].low[k] = (double)finder->surface[i].low[k];
            finder->broad.box[i].high[k] = (double)finder->surface[i].high[k];
        }
    status = sn_broad_phase_find(&finder->broad, error);
    if (status) return status;
    for (int i = 0; i < finder->surface_count; ++i)
        if (finder->surface[i].surface->triangle_count > 0) add_pair(finder, i, i);
    for (int i = 0; i < finder->broad.count; ++i) add_pair(finder, finder->broad.pair[i][0], finder->broad.pair[i][1]);
    if (finder->pair_count > 0) qsort(finder->pair, (size_t)finder->pair_count, sizeof *finder->pair, by_place);
    return SN_OK;
}

/* ---- 3. and 4. Cuts and curves ---- */

static sn_status find_cuts(sn_touch_finder *finder, sn_error *error) {
    sn_status status = SN_OK;
    finder->cut_count = 0;
    double begin = sn_seconds();
    for (int i = 0; i < finder->pair_count && !status; ++i) {
        sn_finder_pair *pair = &finder->pair[i];
        status = sn_box_tree_pairs(finder->surface[pair->surface[0]].tree, finder->surface[pair->surface[1]].tree,
                                   &finder->candidates, error);
        const double middle = sn_seconds();
        finder->counts.search += middle - begin;
        if (status) break;
        finder->counts.candidates += finder->candidates.count;
        pair->cut_begin = finder->cut_count;
        status = sn_finder_cut(finder, pair, error);
        pair->cut_end = finder->cut_count;
        begin = sn_seconds();
        finder->counts.cut += begin - middle;
    }
    return status;
}

static sn_status find_curves(sn_touch_finder *finder, sn_error *error) {
    sn_status status = SN_OK;
    finder->curves.count = 0;
    for (int i = 0; i < finder->pair_count && !status; ++i) {
        sn_finder_pair *pair = &finder->pair[i];
        pair->curve_begin = finder->curves.count;
        status = sn_touch_join(finder->surface[pair->surface[0]].surface, finder->surface[pair->surface[1]].surface,
                               finder->cut, pair->cut_begin, pair->cut_end, &finder->curves, error);
        pair->curve_end = finder->curves.count;
    }
    if (!status && 2 * finder->curves.count > finder->parent_capacity)
        status = sn_grow(finder->context, (void **)&finder->parent, &finder->parent_capacity, 2 * finder->curves.count,
                         sizeof *finder->parent, error);
    for (int i = 0; i < 2 * finder->curves.count && !status; ++i) finder->parent[i] = i;
    for (int i = 0; i < finder->curves.count && !status; ++i)
        finder->counts.open_curves += !finder->curves.curve[i].closed;
    return status;
}

/* ---- 5. Flood: one task per surface. A task touches only the scratch and the labels of its own surface. ---- */

/* Adds the spots of the parts of the surface that have no cuts and lie inside the partner. */
static sn_status find_contained(sn_finder_surface *own, const sn_finder_surface *other, const sn_touch_cut *cut,
                                int begin, int end, int role) {
    const sn_touch_patches *patches = &own->patches;
    const sn_box_surface partner = sn_finder_box_surface(other);
    sn_status status = SN_OK;
    for (int i = begin; i < end; ++i) own->part_met[patches->part[cut[i].triangle[role]]] = true;
    for (int32_t part = 0; part < patches->part_count && !status; ++part) {
        const int32_t vertex = own->surface->triangle[3 * (size_t)patches->part_begin[part]];
        const double *x = own->surface->position + 3 * (size_t)vertex;
        bool near = !own->part_met[part];
        for (int k = 0; k < 3; ++k) near = near && x[k] >= (double)other->low[k] && x[k] <= (double)other->high[k];
        if (near && sn_box_tree_holds(&partner, x))
            status = sn_touch_flood_part(&own->flood, part, -1 - part, &own->error);
    }
    for (int i = begin; i < end; ++i) own->part_met[patches->part[cut[i].triangle[role]]] = false;
    return status;
}

static void flood_surface(void *data, int index) {
    sn_touch_finder *finder = data;
    sn_finder_surface *own = &finder->surface[index];
    for (int i = 0; i < finder->pair_count && !own->status; ++i) {
        sn_finder_pair *pair = &finder->pair[i];
        if (pair->surface[0] != index && pair->surface[1] != index) continue;
        const bool self = pair->surface[0] == pair->surface[1];
        const int role = pair->surface[0] == index ? 0 : 1;
        const sn_finder_surface *other = &finder->surface[pair->surface[1 - role]];
        pair->spot_begin[role] = pair->spot_end[role] = own->flood.spot_count;
        if (self) pair->spot_begin[1] = pair->spot_end[1] = 0;
        if (!other->surface->closed) continue; /* it has no inside */
        if (pair->cut_end > pair->cut_begin)
            own->status = sn_touch_flood_run(&own->flood, finder->cut, pair->cut_begin, pair->cut_end,
                                             self ? 3u : 1u << role, finder->parent, &own->error);
        if (!own->status && !self)
            own->status = find_contained(own, other, finder->cut, pair->cut_begin, pair->cut_end, role);
        pair->spot_end[role] = own->flood.spot_count;
    }
}

static sn_status flood(sn_touch_finder *finder, sn_error *error) {
    enum { FEW = 512 }; /* cuts: a second thread would take longer to wake than to do its share */
    if (finder->cut_count < FEW)
        sn_parallel_runs(NULL, finder->surface_count, flood_surface, finder);
    else
        sn_parallel(finder->context, finder->surface_count, flood_surface, finder);
    for (int i = 0; i < finder->surface_count; ++i) {
        if (finder->surface[i].status) return sn_no_memory(error);
        finder->counts.interior += finder->surface[i].flood.interior;
        finder->counts.points += finder->surface[i].flood.spot_count;
    }
    return SN_OK;
}

/* ---- All stages ---- */

sn_status sn_touch_determine(sn_touch_finder *finder, sn_touch_rows *rows, sn_error *error) {
    return sn_touch_determine_beyond(finder, NULL, NULL, NULL, rows, error);
}

sn_status sn_touch_determine_beyond(sn_touch_finder *finder, sn_touch_wanted *wanted, const void *user,
                                    const sn_touch_rows *known, sn_touch_rows *rows, sn_error *error) {
    finder->wanted = wanted, finder->user = user;
    sn_touch_counts *counts = &finder->counts;
    *counts = (sn_touch_counts){0};
    sn_touch_rows_clear(rows);
    double begin = sn_seconds();
    sn_touch_refit(finder);
    counts->refit = sn_seconds() - begin;
    sn_status status = find_pairs(finder, error);
    counts->surface_pairs = finder->pair_count;
    if (!status) status = find_cuts(finder, error);
    if (status) return status;
    counts->intersecting = finder->cut_count;
    begin = sn_seconds();
    status = find_curves(finder, error);
    counts->curves = finder->curves.count;
    counts->join = sn_seconds() - begin, begin = sn_seconds();
    if (!status) status = flood(finder, error);
    counts->flood = sn_seconds() - begin, begin = sn_seconds();
    if (!status) status = sn_finder_regions(finder, error);
    if (!status) status = sn_finder_rows(finder, known, rows, error);
    counts->rays = sn_seconds() - begin;
    return status;
}
