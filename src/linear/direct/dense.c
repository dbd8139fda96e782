/* See dense.h. */
#include "dense.h"

#include <math.h>

bool sn_dense_factor(double *A, int m, int *pivot) {
    double largest = 0;
    for (int i = 0; i < m * m; ++i) largest = fmax(largest, fabs(A[i]));
    for (int k = 0; k < m; ++k) {
        int row = k;
        for (int i = k + 1; i < m; ++i)
            if (fabs(A[i * m + k]) > fabs(A[row * m + k])) row = i;
        pivot[k] = row;
        if (!(fabs(A[row * m + k]) > 1e-13 * largest)) return false;
        for (int j = 0; j < m && row != k; ++j) {
            const double keep = A[k * m + j];
            A[k * m + j] = A[row * m + j], A[row * m + j] = keep;
        }
        for (int i = k + 1; i < m; ++i) {
            const double s = A[i * m + k] /= A[k * m + k];
            for (int j = k + 1; j < m; ++j) A[i * m + j] -= s * A[k * m + j];
        }
    }
    return true;
}

void sn_dense_solve(const double *A, int m, const int *pivot, double *y) {
    for (int k = 0; k < m; ++k) {
        const double keep = y[k];
        y[k] = y[pivot[k]], y[pivot[k]] = keep;
    }
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < i; ++j) y[i] -= A[i * m + j] * y[j];
    for (int i = m - 1; i >= 0; --i) {
        for (int j = i + 1; j < m; ++j) y[i] -= A[i * m + j] * y[j];
        y[i] /= A[i * m + i];
    }
}
