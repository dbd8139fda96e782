/* Adds element matrices to the sparse matrix.
 *
 * Element matrices come as structure of arrays, eight elements side by side. A block (i, j), i <= j in the order of the
 * element's nodes, is added unchanged at the place of its two nodes, which may be in either triangle. After all
 * elements, `mirror` adds the two triangles:
 *   s = A_ij + A_ji^T,   A_ij = s,   A_ji = s^T.
 * It also copies the upper triangle of each diagonal block to the lower one. The matrix is then symmetric to the last
 * bit. */
#include "linear/matrix/kernels.h"

typedef float v8f __attribute__((vector_size(32)));
typedef float v8f_loose __attribute__((vector_size(32), aligned(4), may_alias));
typedef double v8 __attribute__((vector_size(64), aligned(64), may_alias));

/* Transposes eight rows of eight floats. */
static inline void transpose8(v8f a[8]) {
    v8f b[8];
    for (int i = 0; i < 8; i += 2) {
        b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; ++k) {
            a[i + k] = __builtin_shufflevector(b[i + k], b[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[i + k + 2] = __builtin_shufflevector(b[i + k], b[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; ++k) {
        b[k] = __builtin_shufflevector(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        b[k + 4] = __builtin_shufflevector(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (int k = 0; k < 8; ++k) a[k] = b[k];
}

void SN_ISA(sn_scatter_single)(int nodes, const double *in, const int32_t *place, float *value);
void SN_ISA(sn_scatter_single)(int nodes, const double *in, const int32_t *place, float *value) {
    for (int i = 0; i < nodes; ++i)
        for (int j = i; j < nodes; ++j, place += SN_LANES) {
            const double *block = in + (int64_t)(i * nodes + j) * 9 * SN_LANES;
            v8f row[8];
            for (int k = 0; k < 8; ++k) row[k] = __builtin_convertvector(*(const v8 *)(block + k * SN_LANES), v8f);
            transpose8(row);
            for (int l = 0; l < SN_LANES; ++l) {
                if (place[l] < 0) continue;
                float *target = value + 9 * (int64_t)place[l];
                *(v8f_loose *)target += row[l];
                target[8] += (float)block[8 * SN_LANES + l];
            }
        }
}

void SN_ISA(sn_scatter_double)(int nodes, const double *in, const int32_t *place, double *value);
void SN_ISA(sn_scatter_double)(int nodes, const double *in, const int32_t *place, double *value) {
    for (int i = 0; i < nodes; ++i)
        for (int j = i; j < nodes; ++j, place += SN_LANES) {
            const double *block = in + (int64_t)(i * nodes + j) * 9 * SN_LANES;
            for (int l = 0; l < SN_LANES; ++l) {
                if (place[l] < 0) continue;
                double *target = value + 9 * (int64_t)place[l];
                for (int k = 0; k < 9; ++k) target[k] += block[k * SN_LANES + l];
            }
        }
}

void SN_ISA(sn_mirror_single)(const sn_pattern *pattern, float *value, int begin, int end);
void SN_ISA(sn_mirror_single)(const sn_pattern *pattern, float *value, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        float *own = value + 9 * (int64_t)pattern->diagonal[i];
        own[1] = own[3], own[2] = own[6], own[5] = own[7];
        for (int32_t k = pattern->diagonal[i] + 1; k < pattern->row_begin[i + 1]; ++k) {
            float *a = value + 9 * (int64_t)k, *b = value + 9 * (int64_t)pattern->mirror[k];
            const v8f lower = *(const v8f_loose *)b;
            const v8f sum = *(const v8f_loose *)a + __builtin_shufflevector(lower, lower, 0, 3, 6, 1, 4, 7, 2, 5);
            *(v8f_loose *)a = sum;
            *(v8f_loose *)b = __builtin_shufflevector(sum, sum, 0, 3, 6, 1, 4, 7, 2, 5);
            a[8] = b[8] = a[8] + b[8];
        }
    }
}

void SN_ISA(sn_mirror_double)(const sn_pattern *pattern, double *value, int begin, int end);
void SN_ISA(sn_mirror_double)(const sn_pattern *pattern, double *value, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        double *own = value + 9 * (int64_t)pattern->diagonal[i];
        own[1] = own[3], own[2] = own[6], own[5] = own[7];
        for (int32_t k = pattern->diagonal[i] + 1; k < pattern->row_begin[i + 1]; ++k) {
            double *a = value + 9 * (int64_t)k, *b = value + 9 * (int64_t)pattern->mirror[k];
            for (int c = 0; c < 3; ++c)
                for (int r = 0; r < 3; ++r) a[3 * c + r] = b[3 * r + c] = a[3 * c + r] + b[3 * r + c];
        }
    }
}
