/* A tree over boxes; see broad_phase.h. */
#include "broad_phase.h"

#include <math.h>
#include <stdlib.h>

enum { LEAF = 8 }; /* the most boxes of a node that is not divided */

/* A node: the boxes order[begin] to order[end - 1], and its place among the nodes. The two parts of node i are 2 i + 1
 * and 2 i + 2. */
typedef struct part {
    int32_t node, begin, end;
} part;

sn_status sn_broad_phase_resize(sn_broad_phase *phase, int count, sn_error *error) {
    sn_status status =
        sn_grow(phase->context, (void **)&phase->box, &phase->box_capacity, count, sizeof *phase->box, error);
    if (!status)
        status =
            sn_grow(phase->context, (void **)&phase->order, &phase->order_capacity, count, sizeof *phase->order, error);
    if (!status)
        status = sn_grow(phase->context, (void **)&phase->node, &phase->node_capacity, count + 1, sizeof *phase->node,
                         error);
    if (!status) phase->box_count = count;
    return status;
}

void sn_broad_phase_release(sn_broad_phase *phase) {
    sn_release(phase->context, phase->box);
    sn_release(phase->context, phase->order);
    sn_release(phase->context, phase->node);
    sn_release(phase->context, phase->pair);
    *phase = (sn_broad_phase){.context = phase->context};
}

/* ---- The tree ---- */

static double middle(const sn_broad_phase *phase, int32_t box, int axis) {
    return phase->box[box].low[axis] + phase->box[box].high[axis];
}

/* The axis in which the middles of the boxes of a part are most apart. */
static int widest_axis(const sn_broad_phase *phase, const part *p) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = p->begin; i < p->end; ++i)
        for (int a = 0; a < 3; ++a) {
            const double m = middle(phase, phase->order[i].index, a);
            low[a] = m < low[a] ? m : low[a], high[a] = m > high[a] ? m : high[a];
        }
    int best = 0;
    for (int a = 1; a < 3; ++a)
        if (high[a] - low[a] > high[best] - low[best]) best = a;
    return best;
}

static void grow(sn_broad_box *all, const sn_broad_box *box) {
    for (int k = 0; k < 3; ++k) {
        all->low[k] = box->low[k] < all->low[k] ? box->low[k] : all->low[k];
        all->high[k] = box->high[k] > all->high[k] ? box->high[k] : all->high[k];
    }
}

static bool is_leaf(const part *p) { return p->end - p->begin <= LEAF; }

static void divide(const part *p, part half[2]) {
    const int32_t place = p->begin + (p->end - p->begin) / 2;
    half[0] = (part){2 * p->node + 1, p->begin, place};
    half[1] = (part){2 * p->node + 2, place, p->end};
}

static void build(sn_broad_phase *phase, const part *p) {
    sn_broad_box *all = &phase->node[p->node];
    if (is_leaf(p)) {
        *all = phase->box[phase->order[p->begin].index];
        for (int i = p->begin + 1; i < p->end; ++i) grow(all, &phase->box[phase->order[i].index]);
        return;
    }
    part half[2];
    divide(p, half);
    const int axis = widest_axis(phase, p);
    for (int i = p->begin; i < p->end; ++i) phase->order[i].key = middle(phase, phase->order[i].index, axis);
    sn_keyed_part(&phase->order[p->begin], p->end - p->begin, half[1].begin - p->begin);
    build(phase, &half[0]);
    build(phase, &half[1]);
    *all = phase->node[half[0].node];
    grow(all, &phase->node[half[1].node]);
}

/* ---- Pairs ---- */

static bool overlap(sn_broad_phase *phase, const sn_broad_box *a, const sn_broad_box *b) {
    ++phase->tests;
    bool meet = true; /* without branches: nobody can guess which of six comparisons fails */
    for (int k = 0; k < 3; ++k) meet &= (a->low[k] <= b->high[k]) & (b->low[k] <= a->high[k]);
    return meet;
}

static sn_status add_pair(sn_broad_phase *phase, int32_t a, int32_t b, sn_error *error) {
    if (!overlap(phase, &phase->box[a], &phase->box[b])) return SN_OK;
    const sn_status status =
        sn_grow(phase->context, (void **)&phase->pair, &phase->capacity, phase->count + 1, sizeof *phase->pair, error);
    if (status) return status;
    phase->pair[phase->count][0] = a < b ? a : b;
    phase->pair[phase->count++][1] = a < b ? b : a;
    return SN_OK;
}

/* The pairs between the boxes of two leaves, or within one. */
static sn_status add_pairs(sn_broad_phase *phase, const part *p, const part *q, sn_error *error) {
    sn_status status = SN_OK;
    for (int i = p->begin; i < p->end; ++i) {
        if (p != q && !overlap(phase, &phase->box[phase->order[i].index], &phase->node[q->node])) continue;
        for (int k = p == q ? i + 1 : q->begin; k < q->end && !status; ++k)
            status = add_pair(phase, phase->order[i].index, phase->order[k].index, error);
    }
    return status;
}

/* The pairs with one box in p and one in q. */
static sn_status between(sn_broad_phase *phase, const part *p, const part *q, sn_error *error) {
    if (!overlap(phase, &phase->node[p->node], &phase->node[q->node])) return SN_OK;
    if (is_leaf(p) && is_leaf(q)) return add_pairs(phase, p, q, error);
    const bool first = q->end - q->begin <= p->end - p->begin;
    part half[2];
    divide(first ? p : q, half);
    const sn_status status = first ? between(phase, &half[0], q, error) : between(phase, p, &half[0], error);
    if (status) return status;
    return first ? between(phase, &half[1], q, error) : between(phase, p, &half[1], error);
}

static sn_status within(sn_broad_phase *phase, const part *p, sn_error *error) {
    if (is_leaf(p)) return add_pairs(phase, p, p, error);
    part half[2];
    divide(p, half);
    sn_status status = within(phase, &half[0], error);
    if (!status) status = within(phase, &half[1], error);
    return status ? status : between(phase, &half[0], &half[1], error);
}

static int by_number(const void *a, const void *b) {
    const int32_t *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

static bool is_empty(const sn_broad_box *box) {
    for (int k = 0; k < 3; ++k)
        if (!(box->low[k] <= box->high[k])) return true;
    return false;
}

/* Lists the boxes that are not empty. The order of the last call stays when they are the same: then little has to be
 * exchanged. */
static int list_boxes(sn_broad_phase *phase) {
    int filled = 0, listed = 0;
    for (int i = 0; i < phase->box_count; ++i) filled += !is_empty(&phase->box[i]);
    for (int i = 0; i < phase->order_count; ++i)
        listed += phase->order[i].index < phase->box_count && !is_empty(&phase->box[phase->order[i].index]);
    if (listed == filled && phase->order_count == filled) return filled;
    phase->order_count = 0;
    for (int32_t i = 0; i < phase->box_count; ++i)
        if (!is_empty(&phase->box[i])) phase->order[phase->order_count++].index = i;
    return phase->order_count;
}

sn_status sn_broad_phase_find(sn_broad_phase *phase, sn_error *error) {
    const part all = {.end = list_boxes(phase)};
    phase->count = 0, phase->tests = 0;
    if (all.end == 0) return SN_OK;
    build(phase, &all);
    const sn_status status = within(phase, &all, error);
    if (!status && phase->count > 0) qsort(phase->pair, (size_t)phase->count, sizeof *phase->pair, by_number);
    return status;
}
