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
typedef double v4 __attribute__((vector_size(32), aligned(32), may_alias));
typedef double v4_loose __attribute__((vector_size(32), aligned(8), may_alias));

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

/* Transposes four rows of four doubles. */
static inline void transpose4(v4 a[4]) {
    const v4 b[4] = {__builtin_shufflevector(a[0], a[1], 0, 4, 2, 6), __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7),
                     __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6), __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7)};
    for (int i = 0; i < 2; ++i) {
        a[i] = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 4, 5);
        a[i + 2] = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 6, 7);
    }
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
            for (int half = 0; half < SN_LANES; half += 4) {
                v4 first[4], second[4];
                for (int k = 0; k < 4; ++k) {
                    first[k] = *(const v4 *)(block + k * SN_LANES + half);
                    second[k] = *(const v4 *)(block + (4 + k) * SN_LANES + half);
                }
                transpose4(first);
                transpose4(second);
                for (int l = 0; l < 4; ++l) {
                    if (place[half + l] < 0) continue;
                    double *target = value + 9 * (int64_t)place[half + l];
                    *(v4_loose *)target += first[l];
                    *(v4_loose *)(target + 4) += second[l];
                    target[8] += block[8 * SN_LANES + half + l];
                }
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
            const v4 first = *(const v4_loose *)b, second = *(const v4_loose *)(b + 4);
            const v4 sum = *(const v4_loose *)a + __builtin_shufflevector(first, second, 0, 3, 6, 1),
                     more = *(const v4_loose *)(a + 4) + __builtin_shufflevector(first, second, 4, 7, 2, 5);
            *(v4_loose *)a = sum;
            *(v4_loose *)(a + 4) = more;
            *(v4_loose *)b = __builtin_shufflevector(sum, more, 0, 3, 6, 1);
            *(v4_loose *)(b + 4) = __builtin_shufflevector(sum, more, 4, 7, 2, 5);
            a[8] = b[8] = a[8] + b[8];
        }
    }
}
