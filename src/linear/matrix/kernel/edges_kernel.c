/* See linear/matrix/edges.h. */
#include "linear/matrix/edges.h"

#include "base/simd.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed only between functions of this file */

#define INLINE static inline __attribute__((always_inline))

/* W lanes side by side: a whole block, or half a block with short vectors. The shuffles transpose 4 x 4 numbers; with
 * eight lanes, two such squares at once. */
#if SN_WIDTH >= 4
enum { W = 8 };
#define LOW SN_LOW8
#define HIGH SN_HIGH8
#define FRONT SN_FRONT8
#define BACK SN_BACK8
#else
enum { W = 4 };
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define FRONT(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define BACK(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif
typedef float vf __attribute__((vector_size(4 * W), may_alias));
typedef float quad __attribute__((vector_size(16), may_alias));
typedef float quad_loose __attribute__((vector_size(16), aligned(4), may_alias));
typedef double wide __attribute__((vector_size(8 * W), may_alias));

/* The quads of lanes k and k + 4; `at` points to the first of them. */
INLINE vf quads(const float *base, const int32_t *at) {
    const quad a = *(const quad *)(base + 4 * (int64_t)at[0]);
#if SN_WIDTH >= 4
    return (vf)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)a), _mm_load_ps(base + 4 * (int64_t)at[4]), 1);
#else
    return a;
#endif
}

/* Transposes 4 x 4 numbers at a time. */
INLINE void turn(vf a, vf b, vf c, vf d, vf out[4]) {
    out[0] = FRONT(LOW(a, b), LOW(c, d));
    out[1] = BACK(LOW(a, b), LOW(c, d));
    out[2] = FRONT(HIGH(a, b), HIGH(c, d));
    out[3] = BACK(HIGH(a, b), HIGH(c, d));
}

/* The numbers of W quads: out[which]. */
INLINE void gather(const float *base, const int32_t *at, vf out[4]) {
    turn(quads(base, at), quads(base, at + 1), quads(base, at + 2), quads(base, at + 3), out);
}

/* The quad of one lane, from transposed numbers. */
INLINE quad quad_of(const vf *turned, int lane) {
#if SN_WIDTH >= 4
    const vf v = turned[lane % 4];
    return lane < 4 ? __builtin_shufflevector(v, v, 0, 1, 2, 3) : __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
    return turned[lane];
#endif
}

static inline vf root(vf a) {
    for (int l = 0; l < W; ++l) a[l] = sqrtf(a[l]);
    return a;
}

static int pack(int blocks, const double *linearised, float *out) {
    int bad = 0;
    for (int block = 0; block < blocks; ++block, out += 16 * SN_LANES)
        for (int lane = 0; lane < SN_LANES; lane += W) {
            const double *item = linearised + (int64_t)block * SN_EDGES_ITEMS * SN_LANES + lane;
            vf row[SN_EDGES_ITEMS - 1], node[4][4];
            for (int i = 0; i < SN_EDGES_ITEMS - 1; ++i)
                row[i] = __builtin_convertvector(*(const wide *)(item + i * SN_LANES), vf);
            const vf lambda = row[9], mu = row[10], scale = root(mu);
            vf ratio;
            for (int l = 0; l < W; ++l) {
                ratio[l] = mu[l] > 0 ? lambda[l] / mu[l] : 0;
                bad += !(mu[l] > 0) && (mu[l] != 0 || lambda[l] != 0);
            }
            for (int i = 0; i < 9; ++i) row[i] *= scale;
            turn(-((row[0] + row[3]) + row[6]), -((row[1] + row[4]) + row[7]), -((row[2] + row[5]) + row[8]), ratio,
                 node[0]);
            for (int i = 0; i < 3; ++i) turn(row[3 * i], row[3 * i + 1], row[3 * i + 2], ratio, node[i + 1]);
            for (int l = 0; l < W; ++l)
                for (int i = 0; i < 4; ++i) *(quad *)(out + 16 * (lane + l) + 4 * i) = quad_of(node[i], l);
        }
    return bad;
}

/* Writes entries e0 to e3 of the blocks, four numbers from `offset` on. */
INLINE void store_entries(vf a, vf b, vf c, vf d, const int32_t *place, const int32_t *map, int offset, float *value) {
    vf entry[4];
    turn(a, b, c, d, entry);
    for (int l = 0; l < W; ++l)
        if (place[l] >= 0)
            *(quad_loose *)(value + 9 * (int64_t)(map ? map[place[l]] : place[l]) + offset) = quad_of(entry, l);
}

/* Prefetches the blocks that later groups write. */
enum { GROUPS_AHEAD = 8 };
INLINE void ask_ahead(const int32_t *place, const int32_t *mirror, const float *value) {
    for (int l = 0; l < W; ++l) {
        if (place[l] < 0) continue;
        __builtin_prefetch(value + 9 * (int64_t)place[l] + 4, 1);
        __builtin_prefetch(value + 9 * (int64_t)mirror[place[l]] + 4, 1);
    }
}

static void sum(const sn_edges *edges, const sn_pattern *pattern, int begin, int end, float *value) {
    for (int64_t group = begin; group < end; ++group)
        for (int lane = 0; lane < SN_LANES; lane += W) {
            vf K[9];
            if (group + GROUPS_AHEAD < end)
                ask_ahead(edges->place + (group + GROUPS_AHEAD) * SN_LANES + lane, pattern->mirror, value);
            for (int i = 0; i < 9; ++i) K[i] = (vf){0};
            for (int64_t row = edges->begin[group]; row < edges->begin[group + 1]; ++row) {
                const int32_t *at = edges->end + row * 2 * SN_LANES + lane;
                vf a[4], b[4];
                for (int l = 0; l < W; ++l)
                    __builtin_prefetch(edges->quad + 4 * (int64_t)at[SN_EDGES_AHEAD * 2 * SN_LANES + l]);
                gather(edges->quad, at, a);
                gather(edges->quad, at + SN_LANES, b);
                const vf dot = (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
                for (int r = 0; r < 3; ++r) {
                    const vf scaled = a[3] * a[r];
                    for (int c = 0; c < 3; ++c) K[3 * c + r] += scaled * b[c] + b[r] * a[c];
                    K[4 * r] += dot;
                }
            }
            const int32_t *place = edges->place + group * SN_LANES + lane, *mirror = pattern->mirror;
            store_entries(K[0], K[1], K[2], K[3], place, NULL, 0, value);
            store_entries(K[4], K[5], K[6], K[7], place, NULL, 4, value);
            store_entries(K[0], K[3], K[6], K[1], place, mirror, 0, value);
            store_entries(K[4], K[7], K[2], K[5], place, mirror, 4, value);
            for (int l = 0; l < W; ++l)
                if (place[l] >= 0)
                    value[9 * (int64_t)place[l] + 8] = value[9 * (int64_t)mirror[place[l]] + 8] = K[8][l];
        }
}

static void diagonal(const sn_pattern *pattern, int begin, int end, float *value) {
    for (int i = begin; i < end; ++i) {
        quad a = {0}, b = {0};
        float last = 0;
        for (int32_t k = pattern->row_begin[i]; k < pattern->row_begin[i + 1]; ++k) {
            if (k == pattern->diagonal[i]) continue;
            const float *block = value + 9 * (int64_t)k;
            a += *(const quad_loose *)block, b += *(const quad_loose *)(block + 4), last += block[8];
        }
        float *own = value + 9 * (int64_t)pattern->diagonal[i];
        *(quad_loose *)own = -a, *(quad_loose *)(own + 4) = -b, own[8] = -last;
        own[1] = own[3], own[2] = own[6], own[5] = own[7]; /* symmetric to the last bit */
    }
}

extern const sn_edges_kernels SN_ISA(sn_edges_kernels);
const sn_edges_kernels SN_ISA(sn_edges_kernels) = {pack, sum, diagonal};
