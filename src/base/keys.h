/* Values that are given at certain times. They are linear between these times, and constant before the first and after
 * the last. */
#ifndef SN_BASE_KEYS_H
#define SN_BASE_KEYS_H

#include <stdbool.h>

/* `key` has key_count rows. A row is a time and `count` values; times ascend. `rate` is the slope of the piece that
 * ends at t, and 0 outside the given times. */
static inline void sn_key_values_at(const double *key, int key_count, int count, double t, double *value,
                                    double *rate) {
    const int width = count + 1;
    for (int a = 0; a < count; ++a) value[a] = rate[a] = 0;
    if (!key || key_count == 0) return;
    int i = 0;
    while (i < key_count && key[width * i] < t) ++i;
    const double *to = key + width * (i < key_count ? i : key_count - 1), *from = key + width * (i > 0 ? i - 1 : 0);
    if (i == 0 || i == key_count || to[0] <= from[0]) {
        for (int a = 0; a < count; ++a) value[a] = to[1 + a];
        return;
    }
    const double s = (t - from[0]) / (to[0] - from[0]);
    for (int a = 0; a < count; ++a) {
        rate[a] = (to[1 + a] - from[1 + a]) / (to[0] - from[0]);
        value[a] = s == 1 ? to[1 + a] : from[1 + a] + s * (to[1 + a] - from[1 + a]);
    }
}

/* The same for rows of time, x, y, z. */
static inline void sn_keys_at(const double *key, int key_count, double t, double value[3], double rate[3]) {
    sn_key_values_at(key, key_count, 3, t, value, rate);
}

#endif
