/* See sweep.h. */
#include "sweep.h"

#include <math.h>

#include "base/math3.h"

double sn_sweep_size(const sn_touch_surface *surface) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * surface->vertex_count; ++i)
        low[i % 3] = fmin(low[i % 3], surface->rest[i]), high[i % 3] = fmax(high[i % 3], surface->rest[i]);
    return fmin(high[0] - low[0], fmin(high[1] - low[1], high[2] - low[2]));
}

void sn_sweep_take(int count, const double *start, const double *end, sn_sweep *sweep) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, mean[3] = {0},
           most = 0;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const double from = start[3 * (size_t)i + (size_t)k], to = end[3 * (size_t)i + (size_t)k];
            const double least = from < to ? from : to, largest = from < to ? to : from;
            low[k] = least < low[k] ? least : low[k], high[k] = largest > high[k] ? largest : high[k];
            mean[k] += to - from;
        }
    for (int k = 0; k < 3; ++k)
        sweep->box.low[k] = low[k], sweep->box.high[k] = high[k], sweep->mean[k] = mean[k] / count;
    for (int i = 0; i < count; ++i) {
        double square = 0;
        for (int k = 0; k < 3; ++k) {
            const size_t at = 3 * (size_t)i + (size_t)k;
            const double way = end[at] - start[at] - sweep->mean[k];
            square += way * way;
        }
        most = square > most ? square : most;
    }
    sweep->most = sqrt(most);
}

double sn_sweep_way(const sn_sweep *a, const sn_sweep *b) {
    double apart[3];
    sn_subtract3(a->mean, b->mean, apart);
    return sn_norm3(apart) + a->most + b->most;
}
