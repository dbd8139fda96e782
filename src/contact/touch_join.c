/* Curves of intersection; see touch_join.h. */
#include "touch_join.h"

#include "base/math3.h"

void sn_touch_curves_release(sn_touch_curves *curves) {
    sn_release(curves->context, curves->curve);
    sn_release(curves->context, curves->table);
    sn_release(curves->context, curves->parent);
    sn_release(curves->context, curves->next);
    *curves = (sn_touch_curves){.context = curves->context};
}

/* The cuts of two surfaces, and the scratch for them. Cut i has the places i - begin in `parent` and 2 (i - begin) in
 * `next`. */
typedef struct joining {
    const sn_touch_surface *surface[2];
    sn_touch_cut *cut;
    int32_t begin, end;
    sn_touch_curves *curves;
    uint32_t size; /* of the table */
} joining;

/* ---- The table of cuts ---- */

static uint32_t hash(int32_t ta, int32_t tb) {
    const uint64_t h = ((uint64_t)(uint32_t)ta << 32 | (uint32_t)tb) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(h >> 32);
}

/* The place of the cut (ta, tb) in the table, or the free place where it belongs. */
static int32_t *place_of(const joining *j, int32_t ta, int32_t tb) {
    uint32_t place = hash(ta, tb) & (j->size - 1);
    for (;; place = (place + 1) & (j->size - 1)) {
        int32_t *at = &j->curves->table[place];
        if (*at < 0 || (j->cut[*at].triangle[0] == ta && j->cut[*at].triangle[1] == tb)) return at;
    }
}

static void fill_table(joining *j) {
    for (uint32_t i = 0; i < j->size; ++i) j->curves->table[i] = -1;
    for (int32_t i = j->begin; i < j->end; ++i) *place_of(j, j->cut[i].triangle[0], j->cut[i].triangle[1]) = i;
}

/* The cut behind an end of cut i, or -1. Within one surface the pair may be stored the other way round. */
static int32_t look_over(const joining *j, int32_t i, const sn_touch_end *end) {
    int32_t triangle[2] = {j->cut[i].triangle[0], j->cut[i].triangle[1]};
    const int32_t over = j->surface[end->side]->neighbour[3 * (size_t)triangle[end->side] + (size_t)end->corner];
    if (over < 0) return -1;
    triangle[end->side] = over;
    const int32_t next = *place_of(j, triangle[0], triangle[1]);
    if (next >= 0 || j->surface[0] != j->surface[1]) return next;
    return *place_of(j, triangle[1], triangle[0]);
}

/* ---- Sets ---- */

static void join(joining *j) {
    int32_t *parent = j->curves->parent, *next = j->curves->next;
    for (int32_t i = 0; i < j->end - j->begin; ++i) parent[i] = i;
    for (int32_t i = j->begin; i < j->end; ++i)
        for (int e = 0; e < 2; ++e) {
            const int32_t over = look_over(j, i, &j->cut[i].end[e]);
            next[2 * (i - j->begin) + e] = over;
            if (over >= 0) sn_touch_merge(parent, i - j->begin, over - j->begin);
        }
}

/* ---- One sheet along a curve, within one surface ---- */

/* Swaps the roles of the two triangles. The segment turns round, because it is clockwise around B. */
static void turn(joining *j, int32_t i) {
    sn_touch_cut *cut = &j->cut[i];
    int32_t *next = &j->curves->next[2 * (i - j->begin)];
    const int32_t triangle = cut->triangle[0], over = next[0];
    const sn_touch_end end = cut->end[0];
    cut->triangle[0] = cut->triangle[1], cut->triangle[1] = triangle;
    cut->end[0] = cut->end[1], cut->end[1] = end;
    next[0] = next[1], next[1] = over;
    for (int e = 0; e < 2; ++e) cut->end[e].side = (int8_t)!cut->end[e].side;
}

/* Follows the curve from cut i to its end and turns the cuts that it meets. A cut was met when its parent is negative;
 * the parents are set anew afterwards. */
static void follow(joining *j, int32_t i) {
    int32_t *parent = j->curves->parent;
    parent[i - j->begin] = -1;
    for (int32_t next = j->curves->next[2 * (i - j->begin) + 1]; next >= 0 && parent[next - j->begin] >= 0;
         i = next, next = j->curves->next[2 * (i - j->begin) + 1]) {
        parent[next - j->begin] = -1;
        if (j->curves->next[2 * (next - j->begin)] != i) turn(j, next);
    }
}

static void turn_alike(joining *j) {
    /* First the curves that end, from their begins; then the closed ones. */
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t i = j->begin; i < j->end; ++i) {
            if (j->curves->parent[i - j->begin] < 0) continue;
            const int32_t *next = &j->curves->next[2 * (i - j->begin)];
            if (pass == 0 && next[0] >= 0 && next[1] >= 0) continue;
            if (pass == 0 && next[1] < 0) turn(j, i);
            follow(j, i);
        }
    int32_t *parent = j->curves->parent;
    for (int32_t i = 0; i < j->end - j->begin; ++i) parent[i] = i;
    for (int32_t i = 0; i < j->end - j->begin; ++i)
        for (int e = 0; e < 2; ++e)
            if (j->curves->next[2 * i + e] >= 0) sn_touch_merge(parent, i, j->curves->next[2 * i + e] - j->begin);
}

/* ---- Curves ---- */

static sn_status reserve(joining *j, sn_error *error) {
    sn_touch_curves *curves = j->curves;
    const int count = j->end - j->begin;
    j->size = 16;
    while (j->size < 2 * (uint32_t)count) j->size *= 2;
    sn_status status = SN_OK;
    if ((int)j->size > curves->table_capacity)
        status = sn_grow(curves->context, (void **)&curves->table, &curves->table_capacity, (int)j->size,
                         sizeof *curves->table, error);
    if (!status && count > curves->parent_capacity)
        status = sn_grow(curves->context, (void **)&curves->parent, &curves->parent_capacity, count,
                         sizeof *curves->parent, error);
    if (!status && 2 * count > curves->next_capacity)
        status = sn_grow(curves->context, (void **)&curves->next, &curves->next_capacity, 2 * count,
                         sizeof *curves->next, error);
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
static sn_status number(joining *j, sn_error *error) {
    sn_touch_curves *curves = j->curves;
    for (int32_t i = j->begin; i < j->end; ++i) {
        const int32_t root = j->begin + sn_touch_root(curves->parent, i - j->begin);
        if (root == i) {
            if (curves->count == curves->capacity) {
                const sn_status status = sn_grow(curves->context, (void **)&curves->curve, &curves->capacity,
                                                 curves->count + 1, sizeof *curves->curve, error);
                if (status) return status;
            }
            j->cut[i].curve = curves->count;
            curves->curve[curves->count++] = (sn_touch_curve){.first = i, .closed = true};
        }
        j->cut[i].curve = j->cut[root].curve;
        sn_touch_curve *curve = &curves->curve[j->cut[i].curve];
        add_segment(curve, j->cut[curve->first].end[0].point, &j->cut[i]);
        const int32_t *next = &curves->next[2 * (i - j->begin)];
        if (next[0] < 0 || next[1] < 0) curve->closed = false;
    }
    return SN_OK;
}

sn_status sn_touch_join(const sn_touch_surface *a, const sn_touch_surface *b, sn_touch_cut *cut, int begin, int end,
                        sn_touch_curves *curves, sn_error *error) {
    joining j = {{a, b}, cut, begin, end, curves, 0};
    const sn_status status = reserve(&j, error);
    if (status) return status;
    fill_table(&j);
    join(&j);
    if (a == b) turn_alike(&j);
    return number(&j, error);
}
