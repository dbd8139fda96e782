/* Loops over rigid motions. A column of a block of 6x6 numbers is one vector of eight lanes. Sums over the six columns
 * are ((0 + 1) + (2 + 3)) + (4 + 5), which is the same for every instruction set. The numbers of a node are the first
 * three of four lanes. */
#include "base/simd.h"
#include "linear/precondition/rigid_kernels.h"

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed only between functions of this file */

typedef double v8 __attribute__((vector_size(64), aligned(64), may_alias));
typedef float v8f __attribute__((vector_size(32), aligned(32), may_alias));

static inline v8 all(double a) { return (v8){a, a, a, a, a, a, a, a}; }
static inline v8 column(const double *p) { return *(const v8 *)p; }
static inline v8 widened(const float *p) { return __builtin_convertvector(*(const v8f *)p, v8); }

static void eliminate(const double *U, int first, int end, const int32_t *row, int base, const double *L,
                      double *work) {
    const v8 u0 = column(U), u1 = column(U + 8), u2 = column(U + 16), u3 = column(U + 24), u4 = column(U + 32),
             u5 = column(U + 40);
    for (int e = first; e < end; ++e) {
        const double *l = L + SN_RIGID_BLOCK * (int64_t)e;
        v8 *w = (v8 *)(work + SN_RIGID_PADDED * (int64_t)(row[e] - base));
        for (int c = 0; c < SN_RIGID; ++c, ++l)
            w[c] -= ((u0 * all(l[0]) + u1 * all(l[6])) + (u2 * all(l[12]) + u3 * all(l[18]))) +
                    (u4 * all(l[24]) + u5 * all(l[30]));
    }
}

/* y -= L x */
static inline void take(const float *L, const double *x, double *y) {
    *(v8 *)y -= ((widened(L) * all(x[0]) + widened(L + 8) * all(x[1])) +
                 (widened(L + 16) * all(x[2]) + widened(L + 24) * all(x[3]))) +
                (widened(L + 32) * all(x[4]) + widened(L + 40) * all(x[5]));
}

static void forward(int first, int end, const int32_t *begin, const int32_t *turn, const int32_t *row, int base,
                    const float *L, double *y, double *other) {
    for (int k = first; k < end; ++k) {
        const double *x = y + SN_RIGID_WIDE * (int64_t)k;
        for (int e = begin[k]; e < turn[k]; ++e)
            take(L + SN_RIGID_PADDED * (int64_t)e, x, y + SN_RIGID_WIDE * (int64_t)row[e]);
        for (int e = turn[k]; e < begin[k + 1]; ++e)
            take(L + SN_RIGID_PADDED * (int64_t)e, x, other + SN_RIGID_WIDE * (int64_t)(row[e] - base));
    }
}

static void back(int first, int end, const int32_t *begin, const int32_t *row, const float *L, const double *inverse,
                 double *y) {
    for (int k = end - 1; k >= first; --k) {
        double *own = y + SN_RIGID_WIDE * (int64_t)k, lane[SN_RIGID][SN_RIGID_WIDE];
        const double *D = inverse + SN_RIGID_PADDED * (int64_t)k;
        v8 sum[SN_RIGID] = {{0}};
        for (int e = begin[k]; e < begin[k + 1]; ++e) {
            const float *l = L + SN_RIGID_PADDED * (int64_t)e;
            const v8 x = column(y + SN_RIGID_WIDE * (int64_t)row[e]);
            for (int c = 0; c < SN_RIGID; ++c) sum[c] += widened(l + SN_RIGID_WIDE * c) * x;
        }
        const v8 scaled = ((column(D) * all(own[0]) + column(D + 8) * all(own[1])) +
                           (column(D + 16) * all(own[2]) + column(D + 24) * all(own[3]))) +
                          (column(D + 32) * all(own[4]) + column(D + 40) * all(own[5]));
        memcpy(lane, sum, sizeof lane);
        *(v8 *)own = scaled;
        for (int c = 0; c < SN_RIGID; ++c)
            own[c] -= ((lane[c][0] + lane[c][1]) + (lane[c][2] + lane[c][3])) + (lane[c][4] + lane[c][5]);
    }
}

/* ---- Between nodes and lumps ---- */
typedef double v4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double v2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef float v4f __attribute__((vector_size(16), may_alias));

#define PICK(a, i, j, k) __builtin_shufflevector(a, a, i, j, k, 3)
static inline v4 three(const double *p) { return (v4){p[0], p[1], p[2], 0}; }
static inline v4 arm_of(const float *arm, int32_t node) {
    return __builtin_convertvector(*(const v4f *)(arm + 4 * (int64_t)node), v4);
}
static inline v4 cross(v4 a, v4 b) { return PICK(a, 1, 2, 0) * PICK(b, 2, 0, 1) - PICK(a, 2, 0, 1) * PICK(b, 1, 2, 0); }
static inline v4 spread(double a) { return (v4){a, a, a, a}; }

static void gather(int count, const int32_t *node, const float *arm, const double *r, double *out) {
    v4 force = {0}, moment = {0};
    for (int k = 0; k < count; ++k) {
        const v4 f = three(r + 3 * (int64_t)node[k]);
        force += f;
        moment += cross(arm_of(arm, node[k]), f);
    }
    for (int c = 0; c < 3; ++c) out[c] = force[c], out[3 + c] = moment[c];
}

static void move(int count, const int32_t *node, const int32_t *lump, const float *arm, const double *motion,
                 double *z) {
    for (int k = 0; k < count; ++k) {
        if (lump[node[k]] < 0) continue;
        const double *m = motion + SN_RIGID_WIDE * (int64_t)lump[node[k]];
        double *own = z + 3 * (int64_t)node[k];
        const v4 sum = three(own) + (*(const v4 *)m + cross(*(const v4 *)(m + 3), arm_of(arm, node[k])));
        *(v2 *)own = (v2){sum[0], sum[1]};
        own[2] = sum[2];
    }
}

static void turn(int count, const int32_t *column, const float *arm, const double *B, double *sum, double *turned) {
    v4 s0 = *(v4 *)sum, s1 = *(v4 *)(sum + 4), s2 = *(v4 *)(sum + 8);
    v4 t0 = *(v4 *)turned, t1 = *(v4 *)(turned + 4), t2 = *(v4 *)(turned + 8);
    for (int k = 0; k < count; ++k, B += 9) {
        const v4 a = arm_of(arm, column[k]), x = spread(a[0]), y = spread(a[1]), z = spread(a[2]);
        const v4 b0 = *(const v4 *)B, b1 = *(const v4 *)(B + 3), b2 = *(const v4 *)(B + 6);
        s0 += b0, s1 += b1, s2 += b2;
        t0 += y * b2 - z * b1;
        t1 += z * b0 - x * b2;
        t2 += x * b1 - y * b0;
    }
    *(v4 *)sum = s0, *(v4 *)(sum + 4) = s1, *(v4 *)(sum + 8) = s2;
    *(v4 *)turned = t0, *(v4 *)(turned + 4) = t1, *(v4 *)(turned + 8) = t2;
}

extern const sn_rigid_kernels SN_ISA(sn_rigid_kernels);
const sn_rigid_kernels SN_ISA(sn_rigid_kernels) = {
    .eliminate = eliminate, .forward = forward, .back = back, .gather = gather, .move = move, .turn = turn};
