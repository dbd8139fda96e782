/* Times in fixed bins, for their mean, their largest and their 99.9 % mark. One thread adds, others may read.
 *
 * A time of n ns is in a bin of 1/32 of its power of two, so a mark is right to 3 %. Times of 2^40 ns (18 minutes) and
 * more share the last bin. */
#ifndef SN_HAPTIC_HISTOGRAM_H
#define SN_HAPTIC_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

enum { SN_HISTOGRAM_FINE = 5, SN_HISTOGRAM_BINS = (40 - SN_HISTOGRAM_FINE + 1) << SN_HISTOGRAM_FINE };

typedef struct sn_histogram {
    _Atomic int64_t count[SN_HISTOGRAM_BINS], all, sum, most; /* sum and most: ns */
} sn_histogram;

static inline int sn_histogram_bin(int64_t ns) {
    if (ns < 1 << SN_HISTOGRAM_FINE) return ns < 0 ? 0 : (int)ns;
    if (ns >> 40) return SN_HISTOGRAM_BINS - 1;
    const int power = 63 - __builtin_clzll((unsigned long long)ns), shift = power - SN_HISTOGRAM_FINE;
    return (shift << SN_HISTOGRAM_FINE) + (int)(ns >> shift);
}

/* The first time above a bin, in ns. */
static inline int64_t sn_histogram_end(int bin) {
    const int shift = bin < 2 << SN_HISTOGRAM_FINE ? 0 : (bin >> SN_HISTOGRAM_FINE) - 1;
    return (int64_t)(bin - (shift << SN_HISTOGRAM_FINE) + 1) << shift;
}

static inline void sn_histogram_raise(_Atomic int64_t *number, int64_t by) { /* by the only writer */
    atomic_store_explicit(number, atomic_load_explicit(number, memory_order_relaxed) + by, memory_order_relaxed);
}

static inline void sn_histogram_add(sn_histogram *h, int64_t ns) {
    sn_histogram_raise(&h->count[sn_histogram_bin(ns)], 1);
    sn_histogram_raise(&h->all, 1);
    sn_histogram_raise(&h->sum, ns);
    if (ns > atomic_load_explicit(&h->most, memory_order_relaxed))
        atomic_store_explicit(&h->most, ns, memory_order_relaxed);
}

/* Mean, 99.9 % mark and largest, in s; zeros when there are no times. */
static inline void sn_histogram_marks(const sn_histogram *h, double *mean, double *high, double *most) {
    const int64_t all = atomic_load_explicit(&h->all, memory_order_relaxed);
    *mean = *high = *most = 0;
    if (all == 0) return;
    const int64_t largest = atomic_load_explicit(&h->most, memory_order_relaxed);
    int64_t above = all / 1000; /* so many may be above the mark */
    int bin = SN_HISTOGRAM_BINS - 1;
    for (; bin > 0; --bin) {
        above -= atomic_load_explicit(&h->count[bin], memory_order_relaxed);
        if (above < 0) break;
    }
    const int64_t end = sn_histogram_end(bin);
    *mean = 1e-9 * (double)atomic_load_explicit(&h->sum, memory_order_relaxed) / (double)all;
    *high = 1e-9 * (double)(end < largest ? end : largest);
    *most = 1e-9 * (double)largest;
}

#endif
