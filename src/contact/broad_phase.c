/* Sweep and prune; see broad_phase.h. */
#include "broad_phase.h"

#include <stdlib.h>

sn_status sn_broad_phase_resize(sn_broad_phase *phase, int count, sn_error *error) {
    sn_status status =
        sn_grow(phase->context, (void **)&phase->box, &phase->box_capacity, count, sizeof *phase->box, error);
    if (!status)
        status =
            sn_grow(phase->context, (void **)&phase->order, &phase->order_capacity, count, sizeof *phase->order, error);
    if (status) return status;
    if (phase->order_count != count)
        for (int i = 0; i < count; ++i) phase->order[i] = i;
    phase->box_count = phase->order_count = count;
    return SN_OK;
}

void sn_broad_phase_release(sn_broad_phase *phase) {
    sn_release(phase->context, phase->box);
    sn_release(phase->context, phase->order);
    sn_release(phase->context, phase->pair);
    *phase = (sn_broad_phase){.context = phase->context};
}

/* The axis in which the middles of the boxes have the largest variance. */
static int spread_axis(const sn_broad_phase *phase) {
    int best = 0;
    double most = -1;
    for (int a = 0; a < 3; ++a) {
        double sum = 0, squares = 0, n = 0;
        for (int i = 0; i < phase->box_count; ++i) {
            const sn_broad_box *box = &phase->box[i];
            if (!(box->low[a] <= box->high[a])) continue;
            const double middle = 0.5 * (box->low[a] + box->high[a]);
            n += 1, sum += middle, squares += middle * middle;
        }
        const double variance = n > 0 ? squares / n - sum / n * (sum / n) : 0;
        if (variance > most) most = variance, best = a;
    }
    return best;
}

/* Sorts by insertion: the order of the last call is nearly right. */
static void sort(sn_broad_phase *phase, int axis) {
    for (int i = 1; i < phase->box_count; ++i) {
        const int32_t box = phase->order[i];
        const double low = phase->box[box].low[axis];
        int k = i;
        for (; k > 0 && phase->box[phase->order[k - 1]].low[axis] > low; --k) phase->order[k] = phase->order[k - 1];
        phase->order[k] = box;
    }
}

static bool overlap(const sn_broad_box *a, const sn_broad_box *b) {
    for (int k = 0; k < 3; ++k)
        if (!(a->low[k] <= b->high[k] && b->low[k] <= a->high[k])) return false;
    return true;
}

static int by_number(const void *a, const void *b) {
    const int32_t *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

sn_status sn_broad_phase_find(sn_broad_phase *phase, sn_error *error) {
    const int axis = spread_axis(phase);
    phase->count = 0, phase->tests = 0;
    sort(phase, axis);
    for (int i = 0; i < phase->box_count; ++i) {
        const int32_t a = phase->order[i];
        for (int k = i + 1; k < phase->box_count; ++k) {
            const int32_t b = phase->order[k];
            if (!(phase->box[b].low[axis] <= phase->box[a].high[axis])) break;
            ++phase->tests;
            if (!overlap(&phase->box[a], &phase->box[b])) continue;
            const sn_status status = sn_grow(phase->context, (void **)&phase->pair, &phase->capacity, phase->count + 1,
                                             sizeof *phase->pair, error);
            if (status) return status;
            phase->pair[phase->count][0] = a < b ? a : b;
            phase->pair[phase->count++][1] = a < b ? b : a;
        }
    }
    if (phase->count > 0) qsort(phase->pair, (size_t)phase->count, sizeof *phase->pair, by_number);
    return SN_OK;
}
