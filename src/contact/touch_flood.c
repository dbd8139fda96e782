/* The flood over a surface; see touch_flood.h. */
#include "touch_flood.h"

/* States of vertices and patches; inside: INSIDE + label. */
enum { UNKNOWN = 0, OUTSIDE = 1, CROSSED = 1, INSIDE = 2 };

/* One run of the flood. */
typedef struct run {
    sn_touch_flood *flood;
    const sn_touch_cut *cut; /* the first cut of the run */
    int count;
    int32_t *parent;
} run;

/* ---- Life ---- */

sn_status sn_touch_flood_create(const sn_touch_surface *surface, const sn_touch_patches *patches, sn_touch_flood *flood,
                                sn_error *error) {
    sn_context *context = surface->context;
    const size_t triangles = (size_t)surface->triangle_count, vertices = (size_t)surface->vertex_count,
                 count = (size_t)patches->count;
    *flood = (sn_touch_flood){.context = context, .surface = surface, .patches = patches, .by_patch = true};
    flood->crossing = sn_allocate_zero(context, triangles, sizeof *flood->crossing);
    flood->inside = sn_allocate_zero(context, triangles, sizeof *flood->inside);
    flood->vertex = sn_allocate_zero(context, vertices, sizeof *flood->vertex);
    flood->patch = sn_allocate_zero(context, count, sizeof *flood->patch);
    flood->spot_of = sn_allocate_zero(context, count, sizeof *flood->spot_of);
    flood->triangles = sn_allocate(context, triangles, sizeof *flood->triangles);
    flood->whole = sn_allocate(context, count, sizeof *flood->whole);
    flood->vertices = sn_allocate(context, vertices, sizeof *flood->vertices);
    flood->marked = sn_allocate(context, count, sizeof *flood->marked);
    if (flood->crossing && flood->inside && flood->vertex && flood->patch && flood->spot_of && flood->triangles &&
        flood->whole && flood->vertices && flood->marked)
        return SN_OK;
    sn_touch_flood_release(flood);
    return sn_no_memory(error);
}

void sn_touch_flood_release(sn_touch_flood *flood) {
    void *part[] = {flood->crossing, flood->inside,    flood->vertex, flood->patch,    flood->spot_of,
                    flood->crossed,  flood->link,      flood->whole,  flood->vertices, flood->marked,
                    flood->spot,     flood->triangles, flood->chain};
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) sn_release(flood->context, part[i]);
    *flood = (sn_touch_flood){0};
}

/* ---- Labels and states ---- */

static void merge(run *r, int32_t a, int32_t b) { sn_touch_merge(r->parent, a, b); }

/* Gives a vertex a state. Returns whether the state is new. */
static bool set_vertex(run *r, int32_t vertex, int32_t state) {
    int32_t *known = &r->flood->vertex[vertex];
    if (*known == UNKNOWN) {
        *known = state;
        r->flood->vertices[r->flood->vertex_count++] = vertex;
        return true;
    }
    if ((*known >= INSIDE) != (state >= INSIDE))
        ++r->flood->conflicts;
    else if (state >= INSIDE)
        merge(r, *known - INSIDE, state - INSIDE);
    return false;
}

static int32_t corner_of(const run *r, int32_t triangle, int k) {
    return r->flood->surface->triangle[3 * (size_t)triangle + (size_t)(k % 3)];
}

static int32_t label_of(const run *r, int32_t link) { return 2 * r->cut[link / 2].curve + link % 2; }

/* ---- 1. Corners of crossed triangles ---- */

/* Lists the crossed triangles with their cuts, and marks their patches. */
static void collect(run *r, unsigned roles) {
    sn_touch_flood *flood = r->flood;
    flood->crossed_count = 0;
    for (int32_t link = 0; link < 2 * r->count; ++link) {
        if (!(roles & 1u << link % 2)) continue;
        const int32_t triangle = r->cut[link / 2].triangle[link % 2];
        if (!flood->crossing[triangle]) {
            flood->crossed[flood->crossed_count] = (sn_touch_crossed){.triangle = triangle, .link = -1};
            flood->crossing[triangle] = ++flood->crossed_count;
            const int32_t patch = flood->patches->of[triangle];
            if (!flood->patch[patch]) flood->marked[flood->marked_count++] = patch;
            flood->patch[patch] = CROSSED;
        }
        sn_touch_crossed *crossed = &flood->crossed[flood->crossing[triangle] - 1];
        flood->link[link] = crossed->link, crossed->link = link;
        for (int e = 0; e < 2; ++e) {
            const sn_touch_end *end = &r->cut[link / 2].end[e];
            if (end->side != link % 2) continue;
            crossed->pierced[end->corner] = true;
            crossed->net[end->corner] = (int8_t)(crossed->net[end->corner] + (sn_touch_enters(e, link % 2) ? 1 : -1));
        }
    }
}

/* The label of the place nearest to an end of edge k of a crossed triangle: to its begin or to its end. */
static int32_t nearest_label(const run *r, const sn_touch_crossed *crossed, int k, bool at_end) {
    int32_t label = -1;
    double best = 0;
    for (int32_t link = crossed->link; link >= 0; link = r->flood->link[link])
        for (int e = 0; e < 2; ++e) {
            const sn_touch_end *end = &r->cut[link / 2].end[e];
            if (end->side != link % 2 || end->corner != k) continue;
            const double part = at_end ? 1 - end->part : end->part;
            if (label < 0 || part < best) label = label_of(r, link), best = part;
        }
    return label;
}

/* The next place behind `from` where the same edge leaves: its link, or -1. */
static int32_t next_leaving(const run *r, const sn_touch_crossed *crossed, const sn_touch_end *from) {
    int32_t found = -1;
    double best = 2;
    for (int32_t link = crossed->link; link >= 0; link = r->flood->link[link])
        for (int e = 0; e < 2; ++e) {
            const sn_touch_end *end = &r->cut[link / 2].end[e];
            if (end->side != link % 2 || end->corner != from->corner || sn_touch_enters(e, link % 2)) continue;
            if (end->part >= from->part && end->part < best) found = link, best = end->part;
        }
    return found;
}

/* Edges that enter once more than they leave end inside; the others of them begin inside. */
static void decide_by_edges(run *r) {
    for (int i = 0; i < r->flood->crossed_count; ++i) {
        const sn_touch_crossed *crossed = &r->flood->crossed[i];
        for (int k = 0; k < 3; ++k) {
            if (crossed->net[k] == 0) continue;
            if (crossed->net[k] != 1 && crossed->net[k] != -1) ++r->flood->conflicts;
            const bool enters = crossed->net[k] > 0;
            const int32_t begin = corner_of(r, crossed->triangle, k), end = corner_of(r, crossed->triangle, k + 1);
            set_vertex(r, enters ? end : begin, INSIDE + nearest_label(r, crossed, k, enters));
            set_vertex(r, enters ? begin : end, OUTSIDE);
        }
    }
}

/* Passes states along edges that enter as often as they leave, until nothing is new. Most vertices have a state
 * already, so that one or two rounds are enough. */
static void decide_alike(run *r) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < r->flood->crossed_count; ++i) {
            const sn_touch_crossed *crossed = &r->flood->crossed[i];
            for (int k = 0; k < 3; ++k) {
                if (crossed->net[k] != 0) continue;
                const int32_t v[2] = {corner_of(r, crossed->triangle, k), corner_of(r, crossed->triangle, k + 1)};
                for (int to = 0; to < 2; ++to) {
                    int32_t state = r->flood->vertex[v[1 - to]];
                    if (state == UNKNOWN || r->flood->vertex[v[to]] != UNKNOWN) continue;
                    if (state >= INSIDE && crossed->pierced[k]) state = INSIDE + nearest_label(r, crossed, k, to);
                    changed = set_vertex(r, v[to], state) || changed;
                }
            }
        }
    }
}

/* The part of an edge between a place where it enters and the next one where it leaves joins their labels. */
static void merge_along_edges(run *r) {
    for (int i = 0; i < r->flood->crossed_count; ++i)
        for (int32_t link = r->flood->crossed[i].link; link >= 0; link = r->flood->link[link])
            for (int e = 0; e < 2; ++e) {
                const sn_touch_end *end = &r->cut[link / 2].end[e];
                if (end->side != link % 2 || !sn_touch_enters(e, link % 2)) continue;
                const int32_t other = next_leaving(r, &r->flood->crossed[i], end);
                if (other >= 0) merge(r, label_of(r, link), label_of(r, other));
            }
}

/* A closed curve inside a triangle whose corners are inside is a hole: it bounds the same part. */
static void merge_holes(run *r) {
    for (int i = 0; i < r->flood->crossed_count; ++i) {
        const sn_touch_crossed *crossed = &r->flood->crossed[i];
        const int32_t state = r->flood->vertex[corner_of(r, crossed->triangle, 0)];
        if (state < INSIDE || crossed->pierced[0] || crossed->pierced[1] || crossed->pierced[2]) continue;
        for (int32_t link = crossed->link; link >= 0; link = r->flood->link[link])
            merge(r, label_of(r, link), state - INSIDE);
    }
}

/* ---- 2. Triangles and patches without cuts ---- */

static void visit(run *r, int32_t triangle, int32_t label) {
    sn_touch_flood *flood = r->flood;
    const int32_t patch = flood->patches->of[triangle];
    int32_t *state = &flood->patch[patch];
    if (flood->by_patch && *state != CROSSED) {
        if (*state == UNKNOWN)
            *state = INSIDE + label, flood->whole[flood->whole_count++] = patch;
        else
            merge(r, *state - INSIDE, label);
        return;
    }
    if (flood->inside[triangle]) {
        merge(r, flood->inside[triangle] - 1, label);
        return;
    }
    flood->inside[triangle] = 1 + label;
    flood->triangles[flood->triangle_count++] = triangle;
}

/* Goes over side k of a triangle that is inside. A crossed triangle there gets two corners inside. Returns whether they
 * are new. */
static bool go_over(run *r, int32_t triangle, int k, int32_t label) {
    const int32_t over = r->flood->surface->neighbour[3 * (size_t)triangle + (size_t)k];
    if (over < 0) return false;
    if (!r->flood->crossing[over]) {
        visit(r, over, label);
        return false;
    }
    const bool first = set_vertex(r, corner_of(r, triangle, k), INSIDE + label);
    return set_vertex(r, corner_of(r, triangle, k + 1), INSIDE + label) || first;
}

static bool spread(run *r) {
    sn_touch_flood *flood = r->flood;
    bool changed = false;
    for (int i = 0; i < flood->crossed_count; ++i) {
        const sn_touch_crossed *crossed = &flood->crossed[i];
        for (int k = 0; k < 3; ++k) {
            const int32_t state = flood->vertex[corner_of(r, crossed->triangle, k)];
            const int32_t over = flood->surface->neighbour[3 * (size_t)crossed->triangle + (size_t)k];
            if (crossed->pierced[k] || state < INSIDE || over < 0) continue;
            const int32_t end = flood->vertex[corner_of(r, crossed->triangle, k + 1)];
            if (end >= INSIDE) merge(r, state - INSIDE, end - INSIDE);
            if (!flood->crossing[over]) visit(r, over, state - INSIDE);
        }
    }
    while (flood->triangle_done < flood->triangle_count || flood->whole_done < flood->whole_count) {
        for (; flood->triangle_done < flood->triangle_count; ++flood->triangle_done) {
            const int32_t triangle = flood->triangles[flood->triangle_done];
            for (int k = 0; k < 3; ++k) changed = go_over(r, triangle, k, flood->inside[triangle] - 1) || changed;
        }
        for (; flood->whole_done < flood->whole_count; ++flood->whole_done) {
            const int32_t patch = flood->whole[flood->whole_done], label = flood->patch[patch] - INSIDE;
            for (int32_t i = flood->patches->side_first[patch]; i < flood->patches->side_first[patch + 1]; ++i) {
                const int32_t side = flood->patches->side[i];
                changed = go_over(r, side / 3, side % 3, label) || changed;
            }
        }
    }
    return changed;
}

/* ---- 3. Crossed triangles that nothing reached ---- */

/* Finds the crossed triangles without states that hang together with crossed triangle `first`, and decides whether
 * their corners are inside. Uses the free end of the queue of triangles. */
static void decide_island(run *r, int first) {
    sn_touch_flood *flood = r->flood;
    int32_t *list = flood->triangles + flood->triangle_count;
    double area = 0;
    int count = 0;
    const int32_t label = label_of(r, flood->crossed[first].link);
    list[count++] = flood->crossed[first].triangle;
    flood->inside[list[0]] = 1;
    for (int i = 0; i < count; ++i) {
        area += sn_touch_flood_area(flood, r->cut, &flood->crossed[flood->crossing[list[i]] - 1]);
        for (int k = 0; k < 3; ++k) {
            const int32_t over = flood->surface->neighbour[3 * (size_t)list[i] + (size_t)k];
            if (over < 0 || !flood->crossing[over] || flood->inside[over]) continue;
            list[count++] = over, flood->inside[over] = 1;
        }
    }
    for (int i = 0; i < count; ++i) {
        flood->inside[list[i]] = 0;
        for (int k = 0; k < 3; ++k)
            if (flood->vertex[corner_of(r, list[i], k)] == UNKNOWN)
                set_vertex(r, corner_of(r, list[i], k), area < 0 ? INSIDE + label : OUTSIDE);
    }
}

static bool decide_islands(run *r) {
    for (int i = 0; i < r->flood->crossed_count; ++i)
        if (r->flood->vertex[corner_of(r, r->flood->crossed[i].triangle, 0)] == UNKNOWN) {
            decide_island(r, i);
            return true;
        }
    return false;
}

/* ---- The run ---- */

/* Sets everything that was touched to 0 again. */
static void clean(sn_touch_flood *flood) {
    for (int i = 0; i < flood->crossed_count; ++i) flood->crossing[flood->crossed[i].triangle] = 0;
    for (int i = 0; i < flood->triangle_count; ++i) flood->inside[flood->triangles[i]] = 0;
    for (int i = 0; i < flood->vertex_count; ++i) flood->vertex[flood->vertices[i]] = UNKNOWN;
    for (int i = 0; i < flood->whole_count; ++i) flood->patch[flood->whole[i]] = UNKNOWN;
    for (int i = 0; i < flood->marked_count; ++i) flood->patch[flood->marked[i]] = UNKNOWN;
    flood->triangle_count = flood->triangle_done = flood->whole_count = flood->whole_done = 0;
    flood->vertex_count = flood->marked_count = flood->crossed_count = 0;
}

sn_status sn_touch_flood_run(sn_touch_flood *flood, const sn_touch_cut *cut, int begin, int end, unsigned roles,
                             int32_t *parent, sn_error *error) {
    run r = {flood, cut + begin, end - begin, parent};
    sn_status status = SN_OK;
    if (2 * r.count > flood->crossed_capacity)
        status = sn_grow(flood->context, (void **)&flood->crossed, &flood->crossed_capacity, 2 * r.count,
                         sizeof *flood->crossed, error);
    if (!status && 2 * r.count > flood->link_capacity)
        status = sn_grow(flood->context, (void **)&flood->link, &flood->link_capacity, 2 * r.count, sizeof *flood->link,
                         error);
    if (status) return status;
    collect(&r, roles);
    decide_by_edges(&r);
    merge_along_edges(&r);
    do {
        decide_alike(&r);
        while (spread(&r)) decide_alike(&r);
    } while (decide_islands(&r));
    merge_holes(&r);
    status = sn_touch_flood_spots(flood, r.cut, parent, error);
    clean(flood);
    return status;
}
