/* See filter.h. */
#include "filter.h"

#include <stddef.h>

static void project(const double S[9], double *v) {
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; ++i) v[i] = S[3 * i] * x + S[3 * i + 1] * y + S[3 * i + 2] * z;
}

/* First listed node that is not below `node`. */
static int lower_bound(const sn_filter *filter, int32_t node) {
    int low = 0, high = filter->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (filter->node[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sn_filter_apply_range(const sn_filter *filter, int begin, int end, double *v) {
    if (!filter) return;
    for (int i = lower_bound(filter, begin); i < filter->count && filter->node[i] < end; ++i)
        project(filter->projection + 9 * (ptrdiff_t)i, v + 3 * (ptrdiff_t)filter->node[i]);
}

void sn_filter_apply(const sn_filter *filter, double *v) { sn_filter_apply_range(filter, 0, INT32_MAX, v); }

const double *sn_filter_find(const sn_filter *filter, int32_t node) {
    if (!filter) return NULL;
    const int i = lower_bound(filter, node);
    return i < filter->count && filter->node[i] == node ? filter->projection + 9 * (ptrdiff_t)i : NULL;
}
