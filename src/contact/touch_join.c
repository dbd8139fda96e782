/* Curves of intersection; see touch_join.h. */
#include "touch_join.h"

#include "base/math3.h"

void sn_touch_curves_release(sn_touch_curves *curves) {
    sn_release(curves->context, curves->curve);
    sn_release(curves->context, curves->table);
    sn_release(curves->context, curves->parent);
    *curves = (sn_touch_curves){.context = curves->context};
}

/* ---- The table of cuts ---- */

static uint32_t hash(int32_t ta, int32_t tb) {
    const uint64_t h = ((uint64_t)(uint32_t)ta << 32 | (uint32_t)tb) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(h >> 32);
}

/* The place of the cut (ta, tb) in the table, or the free place where it belongs. */
static uint32_t place_of(const sn_touch_curves *curves, const sn_touch_cut *cut, uint32_t size, int32_t ta, int32_t tb) {
    uint32_t place = hash(ta, tb) & (size - 1);
    for (;; place = (place + 1) & (size - 1)) {
        const int32_t i = curves->table[place];
        if (i < 0 || (cut[i].triangle[0] == ta && cut[i].triangle[1] == tb)) return place;
    }
}

static uint32_t fill_table(sn_touch_curves *curves, const sn_touch_cut *cut, int count) {
    uint32_t size = 16;
    while (size < 2 * (uint32_t)count) size *= 2;
    for (uint32_t i = 0; i < size; ++i) curves->table[i] = -1;
    for (int32_t i = 0; i < count; ++i)
        curves->table[place_of(curves, cut, size, cut[i].triangle[0], cut[i].triangle[1])] = i;
    return size;
}

/* ---- Sets ---- */

static int32_t root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i) parent[i] = parent[parent[i]], i = parent[i];
    return i;
}

/* The smaller root wins, so that the root of a set is its first cut. */
static void merge(int32_t *parent, int32_t i, int32_t j) {
    i = root_of(parent, i), j = root_of(parent, j);
    if (i < j) parent[j] = i;
    else parent[i] = j;
}

/* The cut behind an end of a cut, or -1. Within one surface the pair of triangles may be stored the other way round. */
static int32_t next_of(const sn_touch_surface *const surface[2], const sn_touch_curves *curves, const sn_touch_cut *cut,
                       uint32_t size, int32_t i, const sn_touch_end *end) {
    int32_t triangle[2] = {cut[i].triangle[0], cut[i].triangle[1]};
    const int32_t over = surface[end->side]->neighbour[3 * (size_t)triangle[end->side] + (size_t)end->corner];
    if (over < 0) return -1;
    triangle[end->side] = over;
    const int32_t next = curves->table[place_of(curves, cut, size, triangle[0], triangle[1])];
    if (next >= 0 || surface[0] != surface[1]) return next;
    return curves->table[place_of(curves, cut, size, triangle[1], triangle[0])];
}

/* ---- Curves ---- */

static sn_status reserve(sn_touch_curves *curves, int count, sn_error *error) {
    uint32_t size = 16;
    while (size < 2 * (uint32_t)count) size *= 2;
    sn_status status = SN_OK;
    if ((int)size > curves->table_capacity)
        status = sn_grow(curves->context, (void **)&curves->table, &curves->table_capacity, (int)size,
                         sizeof *curves->table, error);
    if (!status && count > curves->parent_capacity)
        status = sn_grow(curves->context, (void **)&curves->parent, &curves->parent_capacity, count,
                         sizeof *curves->parent, error);
    return status;
}

static void add_segment(sn_touch_curve *curve, const double origin[3], const sn_touch_cut *cut) {
    double v[3], w[3], cross[3];
    sn_subtract3(cut->end[0].point, origin, v);
    sn_subtract3(cut->end[1].point, origin, w);
    sn_cross3(v, w, cross);
    for (int k = 0; k < 3; ++k) curve->vector_area[k] += 0.5 * cross[k], v[k] = w[k] - v[k];
    curve->length += sn_norm3(v);
    ++curve->count;
}

/* Numbers the sets in the order of their first cuts, and adds up their segments. */
static sn_status number(sn_touch_curves *curves, sn_touch_cut *cut, int count, sn_error *error) {
    for (int32_t i = 0; i < count; ++i) {
        const int32_t root = root_of(curves->parent, i);
        if (root == i) {
            if (curves->count == curves->capacity) {
                const sn_status status = sn_grow(curves->context, (void **)&curves->curve, &curves->capacity,
                                                 curves->count + 1, sizeof *curves->curve, error);
                if (status) return status;
            }
            cut[i].curve = curves->count;
            curves->curve[curves->count++] = (sn_touch_curve){.first = i, .closed = true};
        }
        cut[i].curve = cut[root].curve;
        sn_touch_curve *curve = &curves->curve[cut[i].curve];
        add_segment(curve, cut[curve->first].end[0].point, &cut[i]);
    }
    return SN_OK;
}

sn_status sn_touch_join(const sn_touch_surface *a, const sn_touch_surface *b, sn_touch_cut *cut, int count,
                        sn_touch_curves *curves, sn_error *error) {
    const sn_touch_surface *const surface[2] = {a, b};
    curves->count = 0;
    sn_status status = reserve(curves, count, error);
    if (status) return status;
    const uint32_t size = fill_table(curves, cut, count);
    for (int32_t i = 0; i < count; ++i) curves->parent[i] = i;
    for (int32_t i = 0; i < count; ++i)
        for (int e = 0; e < 2; ++e) {
            const int32_t next = next_of(surface, curves, cut, size, i, &cut[i].end[e]);
            if (next >= 0) merge(curves->parent, i, next);
        }
    status = number(curves, cut, count, error);
    for (int32_t i = 0; i < count && !status; ++i)
        for (int e = 0; e < 2; ++e)
            if (next_of(surface, curves, cut, size, i, &cut[i].end[e]) < 0)
                curves->curve[cut[i].curve].closed = false;
    return status;
}
