/* Random and nasty 3x3 matrices for the tests of decompositions and laws. Row-major. */
#ifndef SN_TEST_FEM_MATRICES_H
#define SN_TEST_FEM_MATRICES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* splitmix64: uniform in [-1, 1]. */
static inline double draw(uint64_t *seed) {
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

static inline void multiply(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static inline void transpose(const double a[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out[3 * i + j] = a[3 * j + i];
}

static inline double det(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static inline double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* The largest size; NaN when one is. */
static inline double largest(const double *a, int n) {
    double m = 0;
    for (int i = 0; i < n; ++i) m = m >= fabs(a[i]) ? m : fabs(a[i]) > m ? fabs(a[i]) : NAN;
    return m;
}

/* |Q^T Q - I|, largest entry. */
static inline double orthogonality(const double Q[9]) {
    double T[9], E[9];
    transpose(Q, T);
    multiply(T, Q, E);
    for (int i = 0; i < 9; i += 4) E[i] -= 1;
    return largest(E, 9);
}

static inline void random_rotation(uint64_t *seed, double R[9]) {
    double q[4], n = 0;
    do {
        for (int i = 0; i < 4; ++i) q[i] = draw(seed);
        n = dot(q, q, 4);
    } while (n < 0.01 || n > 1);
    for (int i = 0; i < 4; ++i) q[i] /= sqrt(n);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, r, sizeof r);
}

static inline void from_singular(uint64_t *seed, double a, double b, double c, double F[9]) {
    double U[9], V[9], T[9];
    random_rotation(seed, U);
    random_rotation(seed, V);
    const double s[3] = {a, b, c};
    for (int i = 0; i < 9; ++i) T[i] = U[i] * s[i % 3];
    multiply(T, V, F);
}

enum { MATRIX_CLASSES = 24 };

/* A random member of a class of matrices, some of them hard. Returns the class's name. */
static inline const char *nasty_matrix(int class, uint64_t *seed, double F[9]) {
    const double x = draw(seed), y = draw(seed), z = draw(seed);
    for (int i = 0; i < 9; ++i) F[i] = draw(seed);
    switch (class) {
    case 0:
        return "any";
    case 1:
        from_singular(seed, 1 + 0.5 * x, 1 + 0.5 * y, 1 + 0.5 * z, F);
        return "moderate";
    case 2:
        from_singular(seed, 1, 1, 1, F);
        return "rotation";
    case 3:
        from_singular(seed, 1, 1, -1, F);
        return "reflection";
    case 4:
        from_singular(seed, 1 + 0.5 * x, 1 + 0.5 * y, -1 - 0.5 * z, F);
        return "inverted";
    case 5:
        from_singular(seed, 1, 0.5 + 0.4 * x, 0, F);
        return "rank 2";
    case 6:
        from_singular(seed, 1, 0, 0, F);
        return "rank 1 by rounding";
    case 7:
        memset(F, 0, 9 * sizeof *F);
        return "zero";
    case 8:
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) F[3 * i + j] = (i == 0 ? x : i == 1 ? y : z) * F[j];
        return "rank 1";
    case 9:
        from_singular(seed, 1, pow(10, -8 + 8 * x), pow(10, -16 + 0 * y), F);
        return "condition 1e16";
    case 10:
        from_singular(seed, 1, 1e-8 * (1 + x), -1e-16, F);
        return "condition 1e16, inverted";
    case 11:
        from_singular(seed, 1, 1e-16, 1e-16, F);
        return "two tiny values";
    case 12:
        from_singular(seed, 1, 1e-9 * x, 1e-9 * y, F);
        return "near rank 1";
    case 13:
        for (int i = 0; i < 9; ++i) F[i] *= 1e-300;
        return "1e-300";
    case 14:
        for (int i = 0; i < 9; ++i) F[i] *= 1e300;
        return "1e300";
    case 15:
        for (int i = 0; i < 9; ++i) F[i] *= 1e-315;
        return "denormal";
    case 16:
        for (int i = 0; i < 9; ++i) F[i] *= pow(10, 150 * draw(seed));
        return "entries of every size";
    case 17:
        for (int j = 0; j < 3; ++j) F[6 + j] = F[j] + 1e-13 * F[3 + j], F[3 + j] *= 1e-7;
        return "graded";
    case 18:
        from_singular(seed, 1 + 1e-9 * x, 1 + 1e-9 * y, -1 + 1e-9 * z, F);
        return "near reflection";
    case 19:
        from_singular(seed, 1 + x, 0.3 + 1e-8 * y, -0.3 + 1e-8 * z, F);
        return "smallest values cancel";
    case 20:
        from_singular(seed, 1, 1e-3 * x, 1e-3 * y, F);
        return "needle";
    case 21:
        for (int i = 0; i < 9; ++i) F[i] = (i % 4 == 0) + 1e-9 * F[i];
        return "near identity";
    case 22:
        for (int i = 0; i < 9; ++i) F[i] = i % 4 == 0 ? F[i] : 0;
        return "diagonal";
    default:
        for (int i = 0; i < 9; ++i) F[i] = rint(F[i] * 1.3);
        return "small integers";
    }
}

#endif
