/* Sorted lists of numbers: the order for qsort, the search by halves, and the parting of a list. */
#ifndef SN_BASE_SORTED_H
#define SN_BASE_SORTED_H

#include <stdbool.h>
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

/* A thing and the number that it is sorted by. Equal keys go by index, so that the order is total. */
typedef struct sn_keyed {
    double key;
    int32_t index;
} sn_keyed;

static inline bool sn_keyed_before(const sn_keyed *p, const sn_keyed *q) {
    return p->key != q->key ? p->key < q->key : p->index < q->index;
}

/* The order for qsort. */
static inline int sn_compare_keyed(const void *a, const void *b) {
    return sn_keyed_before(b, a) - sn_keyed_before(a, b);
}

static inline void sn_keyed_exchange(sn_keyed *p, sn_keyed *q) {
    const sn_keyed kept = *p;
    *p = *q, *q = kept;
}

/* Moves the first `front` of the list in their order to its front (Hoare 1961, FIND). This is faster than to sort it.
 */
static inline void sn_keyed_part(sn_keyed *list, int count, int front) {
    int low = 0, high = count - 1;
    while (low < high) {
        sn_keyed *half = &list[low + (high - low) / 2]; /* the middle one of three keeps a sorted list fast */
        if (sn_keyed_before(half, &list[low])) sn_keyed_exchange(half, &list[low]);
        if (sn_keyed_before(&list[high], &list[low])) sn_keyed_exchange(&list[high], &list[low]);
        if (sn_keyed_before(&list[high], half)) sn_keyed_exchange(&list[high], half);
        const sn_keyed pivot = *half;
        int i = low, j = high;
        while (i <= j) {
            while (sn_keyed_before(&list[i], &pivot)) ++i;
            while (sn_keyed_before(&pivot, &list[j])) --j;
            if (i <= j) sn_keyed_exchange(&list[i++], &list[j--]);
        }
        if (front <= j)
            high = j;
        else if (front >= i)
            low = i;
        else
            return;
    }
}

#endif
