/* Loops over plain vectors, in a fixed order: the same bits from every build. Sums have eight virtual lanes and a fixed tree. */
#ifndef SN_TIME_VECTOR_H
#define SN_TIME_VECTOR_H

#include <math.h>
#include <string.h>

static inline void sn_vec_copy(int n, const double *a, double *out) {
    if (n > 0) memcpy(out, a, (size_t)n * sizeof *a); /* an empty history may be NULL */
}
static inline void sn_vec_zero(int n, double *out) { memset(out, 0, (size_t)n * sizeof *out); }
static inline void sn_vec_scale(int n, double s, double *a) {
    for (int i = 0; i < n; ++i) a[i] *= s;
}
/* y += s x */
static inline void sn_vec_add(int n, double s, const double *x, double *y) {
    for (int i = 0; i < n; ++i) y[i] += s * x[i];
}
/* out = a + s b; out may be a or b. */
static inline void sn_vec_sum(int n, const double *a, double s, const double *b, double *out) {
    for (int i = 0; i < n; ++i) out[i] = a[i] + s * b[i];
}
static inline double sn_vec_dot(int n, const double *a, const double *b) {
    double lane[8] = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; ++k) lane[k] += a[i + k] * b[i + k];
    for (int k = 0; i < n; ++i, ++k) lane[k] += a[i] * b[i];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

#endif
