/* Sorted lists of numbers: the order for qsort, and the search by halves. */
#ifndef SN_BASE_SORTED_H
#define SN_BASE_SORTED_H

#include <stdint.h>

/* Ascending order of int32_t, for qsort. */
static inline int sn_compare_int32(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The first place in [low, high) of an ascending list whose number is not smaller than `value`; `high` when there is
 * none. */
static inline int64_t sn_lower_bound(const int32_t *list, int64_t low, int64_t high, int32_t value) {
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
