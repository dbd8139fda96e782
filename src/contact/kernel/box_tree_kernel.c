/* The loops of box_tree.h, built once per instruction set. They only compare, and round towards the outside, so every
 * vector width gives the same pairs. */
#include "base/simd.h"
#include "contact/box_tree.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef float float8 __attribute__((vector_size(32), aligned(32), may_alias));
typedef int32_t int8 __attribute__((vector_size(32), aligned(32), may_alias));

/* ---- Fitting ---- */
/* A float at or below v. |f| 2^-23 is at least the distance to the next float. */
static inline float below(double v) {
    const float f = (float)v;
    return f - (fabsf(f) * 0x1p-23f + 0x1p-126f);
}
static inline float above(double v) { return -below(-v); }

/* The same for all lanes. */
typedef float vs __attribute__((vector_size(4 * SN_WIDTH), aligned(4), may_alias));
typedef int32_t vsi __attribute__((vector_size(4 * SN_WIDTH), aligned(4), may_alias));
static inline vs below_by(vd v, float part) {
    const vs f = __builtin_convertvector(v, vs);
    return f - ((vs)((vsi)f & 0x7fffffff) * part + 0x1p-126f);
}
static inline vs below_all(vd v) { return below_by(v, 0x1p-23f); }

static inline vd extreme(vd a, vd b, int side) { return side ? vd_max(a, b) : vd_min(a, b); }

/* ---- Boxes as one vector: low x, y, z, 0, then minus high x, y, z, 0. The least of two vectors holds both boxes ----
 */
#if defined(__AVX__)
static inline float8 lesser(float8 a, float8 b) { return (float8)_mm256_min_ps((__m256)a, (__m256)b); }
#else
static inline float8 lesser(float8 a, float8 b) {
    const int8 mask = a < b;
    return (float8)((mask & (int8)a) | (~mask & (int8)b));
}
#endif

static inline void transpose(const float8 in[8], float8 out[8]) {
    float8 half[2][4]; /* the columns of the first four rows, and those of the others: columns k | k + 4 */
    for (int h = 0; h < 2; ++h) {
        const float8 *r = in + 4 * h;
        const float8 low0 = SN_LOW8(r[0], r[1]), low1 = SN_LOW8(r[2], r[3]);
        const float8 high0 = SN_HIGH8(r[0], r[1]), high1 = SN_HIGH8(r[2], r[3]);
        half[h][0] = SN_FRONT8(low0, low1), half[h][1] = SN_BACK8(low0, low1);
        half[h][2] = SN_FRONT8(high0, high1), half[h][3] = SN_BACK8(high0, high1);
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = __builtin_shufflevector(half[0][k], half[1][k], 0, 1, 2, 3, 8, 9, 10, 11);
        out[k + 4] = __builtin_shufflevector(half[0][k], half[1][k], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* The boxes of eight vertices on their way, as vectors. */
static inline void vertex_boxes(const int32_t *vertex, const double *position, const double *target, double margin,
                                float8 box[SN_BOX_FAN]) {
    float8 row[8] = {{0}};
    for (int part = 0; part < SN_BOX_FAN; part += SN_WIDTH) {
        vd low[3], high[3], x[3];
        vd_gather3(position, vertex + part, low);
        for (int a = 0; a < 3; ++a) high[a] = low[a];
        if (target) {
            vd_gather3(target, vertex + part, x);
            for (int a = 0; a < 3; ++a) low[a] = extreme(low[a], x[a], 0), high[a] = extreme(high[a], x[a], 1);
        }
        for (int a = 0; a < 3; ++a) {
            *(vs *)((float *)&row[a] + part) = below_all(low[a] - margin);
            *(vs *)((float *)&row[a + 4] + part) = below_all(-(high[a] + margin));
        }
    }
    transpose(row, box);
}

/* The places of eight vertices and their ways, as boxes. They are rounded so far that the comparison of ways may round
 * too. */
static inline void vertex_ways(const int32_t *vertex, const double *position, const double *target,
                               float8 start[SN_BOX_FAN], float8 way[SN_BOX_FAN]) {
    const float FAR = 0x1p-20f;
    float8 row[2][8] = {{{0}}, {{0}}};
    for (int part = 0; part < SN_BOX_FAN; part += SN_WIDTH) {
        vd x[3], end[3];
        vd_gather3(position, vertex + part, x);
        vd_gather3(target, vertex + part, end);
        for (int a = 0; a < 3; ++a) {
            *(vs *)((float *)&row[0][a] + part) = below_by(x[a], FAR);
            *(vs *)((float *)&row[0][a + 4] + part) = below_by(-x[a], FAR);
            *(vs *)((float *)&row[1][a] + part) = below_by(end[a] - x[a], FAR);
            *(vs *)((float *)&row[1][a + 4] + part) = below_by(x[a] - end[a], FAR);
        }
    }
    transpose(row[0], start);
    transpose(row[1], way);
}

/* Eight boxes become a block. */
static inline void store_block(const float8 box[SN_BOX_FAN], sn_box_block *block) {
    float8 row[8];
    transpose(box, row);
    for (int a = 0; a < 3; ++a) *(float8 *)block->low[a] = row[a], *(float8 *)block->high[a] = -row[a + 4];
}

/* The ways of the triangles of a group. */
static void fit_ways(sn_box_tree *tree, const double *position, const double *target, int group) {
    const float8 none = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    float8 start[3 * SN_BOX_GROUP], way[3 * SN_BOX_GROUP], box[2][SN_BOX_FAN];
    const int32_t *list = tree->group_vertex + tree->group_first[group];
    for (int v = 0; v < tree->group_first[group + 1] - tree->group_first[group]; v += SN_BOX_FAN)
        vertex_ways(list + v, position, target, start + v, way + v);
    for (int p = group * SN_BOX_GROUP; p < (group + 1) * SN_BOX_GROUP && p < tree->triangle_count; p += SN_BOX_FAN) {
        const uint8_t *corner = tree->corner + 3 * (size_t)p;
        for (int t = 0; t < SN_BOX_FAN; ++t, corner += 3) {
            box[0][t] = box[1][t] = none;
            if (p + t >= tree->triangle_count) continue;
            box[0][t] = lesser(lesser(start[corner[0]], start[corner[1]]), start[corner[2]]);
            box[1][t] = lesser(lesser(way[corner[0]], way[corner[1]]), way[corner[2]]);
        }
        store_block(box[0], &tree->way[p / SN_BOX_FAN].start);
        store_block(box[1], &tree->way[p / SN_BOX_FAN].way);
    }
}

/* A vertex belongs to about four triangles of its group, so its box is computed once. */
static void fit_inside(sn_box_tree *tree, const double *position, const double *target, double margin, int begin,
                       int end) {
    const float8 none = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    for (int i = begin; i < end; ++i) {
        float8 vertex[3 * SN_BOX_GROUP], child[SN_BOX_FAN], box[SN_BOX_FAN];
        const int32_t *list = tree->group_vertex + tree->group_first[i];
        for (int v = 0; v < tree->group_first[i + 1] - tree->group_first[i]; v += SN_BOX_FAN)
            vertex_boxes(list + v, position, target, margin, vertex + v);
        for (int c = 0; c < SN_BOX_FAN; ++c) {
            const int p = (i * SN_BOX_FAN + c) * SN_BOX_FAN, left = tree->triangle_count - p;
            const uint8_t *corner = tree->corner + 3 * (size_t)p;
            child[c] = none;
            if (left <= 0) continue;
            for (int t = 0; t < SN_BOX_FAN; ++t, corner += 3) {
                box[t] = t < left ? lesser(lesser(vertex[corner[0]], vertex[corner[1]]), vertex[corner[2]]) : none;
                child[c] = lesser(child[c], box[t]);
            }
            store_block(box, &tree->block[p / SN_BOX_FAN]);
        }
        store_block(child, &tree->block[tree->first[1] + i]);
        if (target && tree->way) fit_ways(tree, position, target, i);
    }
}

/* The least of eight numbers. */
static inline float least(const float *v) {
    float m[4];
    for (int l = 0; l < 4; ++l) m[l] = v[l + 4] < v[l] ? v[l + 4] : v[l];
    const float a = m[2] < m[0] ? m[2] : m[0], b = m[3] < m[1] ? m[3] : m[1];
    return b < a ? b : a;
}
static inline float most(const float *v) {
    float m[4];
    for (int l = 0; l < 4; ++l) m[l] = v[l + 4] > v[l] ? v[l + 4] : v[l];
    const float a = m[2] > m[0] ? m[2] : m[0], b = m[3] > m[1] ? m[3] : m[1];
    return b > a ? b : a;
}

static void fit_level(sn_box_tree *tree, int level, int begin, int end) {
    const sn_box_block *below_it = tree->block + tree->first[level - 1];
    const int children = tree->first[level] - tree->first[level - 1];
    for (int i = begin; i < end; ++i) {
        sn_box_block *block = &tree->block[tree->first[level] + i];
        for (int c = 0; c < SN_BOX_FAN; ++c) {
            const int child = i * SN_BOX_FAN + c;
            for (int a = 0; a < 3; ++a) {
                block->low[a][c] = child < children ? least(below_it[child].low[a]) : INFINITY;
                block->high[a][c] = child < children ? most(below_it[child].high[a]) : -INFINITY;
            }
        }
    }
}

static void fit_groups(sn_box_tree *tree, const double *position, int begin, int end) {
    for (int i = begin; i < end; ++i) {
        sn_box_block *block = &tree->block[tree->first[2] + i / SN_BOX_FAN];
        const int32_t *vertex = tree->group_vertex;
        vd low[3], high[3], x[3];
        vd_gather3(position, vertex + tree->group_first[i], x);
        for (int a = 0; a < 3; ++a) low[a] = high[a] = x[a];
        for (int v = tree->group_first[i] + SN_WIDTH; v < tree->group_first[i + 1]; v += SN_WIDTH) {
            vd_gather3(position, vertex + v, x);
            for (int a = 0; a < 3; ++a) low[a] = extreme(low[a], x[a], 0), high[a] = extreme(high[a], x[a], 1);
        }
        for (int a = 0; a < 3; ++a) {
            double first = low[a][0], last = high[a][0];
            for (int l = 1; l < SN_WIDTH; ++l) {
                first = low[a][l] < first ? low[a][l] : first;
                last = high[a][l] > last ? high[a][l] : last;
            }
            block->low[a][i % SN_BOX_FAN] = below(first), block->high[a][i % SN_BOX_FAN] = above(last);
        }
    }
}

/* ---- Pairs ---- */
/* The boxes of `block` that box c of `one` touches, one bit each. */
#if defined(__AVX__)
static inline unsigned bits(const int8 *lanes) { return (unsigned)_mm256_movemask_ps(*(const __m256 *)lanes); }
static inline __m256 within(const sn_box_block *one, int c, const sn_box_block *block, int a) {
    return _mm256_and_ps(_mm256_cmp_ps(_mm256_load_ps(block->low[a]), _mm256_set1_ps(one->high[a][c]), _CMP_LE_OQ),
                         _mm256_cmp_ps(_mm256_load_ps(block->high[a]), _mm256_set1_ps(one->low[a][c]), _CMP_GE_OQ));
}
static inline unsigned overlap(const sn_box_block *one, int c, const sn_box_block *block) {
    const __m256 xy = _mm256_and_ps(within(one, c, block, 0), within(one, c, block, 1));
    return (unsigned)_mm256_movemask_ps(_mm256_and_ps(xy, within(one, c, block, 2)));
}
#else
/* One bit per lane of a mask. */
static inline unsigned bits(const int8 *lanes) {
#if defined(__SSE2__)
    const __m128 *half = (const __m128 *)lanes;
    return (unsigned)_mm_movemask_ps(half[0]) | (unsigned)_mm_movemask_ps(half[1]) << 4;
#else
    unsigned r = 0;
    for (int l = 0; l < SN_BOX_FAN; ++l) r |= (unsigned)((*lanes)[l] & 1) << l;
    return r;
#endif
}
static inline unsigned overlap(const sn_box_block *one, int c, const sn_box_block *block) {
    int8 mask = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (int a = 0; a < 3; ++a) {
        const float l = one->low[a][c], h = one->high[a][c];
        const float8 low = {l, l, l, l, l, l, l, l}, high = {h, h, h, h, h, h, h, h};
        mask &= (int8)(*(const float8 *)block->low[a] <= high) & (int8)(*(const float8 *)block->high[a] >= low);
    }
    return bits(&mask);
}
#endif

static inline float8 spread8(float v) { return (float8){v, v, v, v, v, v, v, v}; }

/* The triangles of `block` that triangle c of `one` may come nearer to than the root of `square`, one bit each. Along
 * an axis, the distance of two boxes shrinks at most by the largest difference of the ways of their corners. */
static inline unsigned approach(const sn_box_way *one, int c, const sn_box_way *block, float square) {
    const float8 zero = {0};
    float8 apart = {0};
    for (int a = 0; a < 3; ++a) {
        const float8 low = *(const float8 *)block->start.low[a], high = *(const float8 *)block->start.high[a],
                     from = *(const float8 *)block->way.low[a], to = *(const float8 *)block->way.high[a];
        const float8 over = (high - spread8(one->start.low[a][c])) - lesser(spread8(one->way.low[a][c]) - to, zero),
                     under = (spread8(one->start.high[a][c]) - low) - lesser(from - spread8(one->way.high[a][c]), zero),
                     gap = lesser(lesser(over, under), zero); /* with the opposite sign */
        apart += gap * gap;
    }
    const int8 near = apart <= spread8(square);
    return bits(&near);
}

/* Where the pairs of a piece go. */
typedef struct found {
    int32_t (*pair)[2];
    int count, room;
    bool ways;    /* they are followed */
    float square; /* m^2: how near triangles must come */
} found;

static found begin_pairs(const sn_box_tree *a, const sn_box_tree *b, int32_t (*pair)[2], int room) {
    static const double ROUNDING = 1e-5;
    const double within = (1 + ROUNDING) * (a->margin + b->margin);
    return (found){pair, 0, room, a->moves && b->moves, (float)(within * within)};
}

/* The pairs between block p of level 0 of A and block q of level 0 of B. `mine`: the triangles of A to look at. */
static void meet(const sn_box_tree *a, int p, unsigned mine, const sn_box_tree *b, int q, found *out) {
    for (; mine; mine &= mine - 1) {
        const int s = __builtin_ctz(mine);
        unsigned theirs = overlap(&a->block[p], s, &b->block[q]);
        if (a == b && p == q) theirs &= ~((2u << s) - 1);
        if (out->ways && theirs) theirs &= approach(&a->way[p], s, &b->way[q], out->square);
        for (; theirs; theirs &= theirs - 1, ++out->count)
            if (out->count < out->room) {
                out->pair[out->count][0] = a->order[p * SN_BOX_FAN + s];
                out->pair[out->count][1] = b->order[q * SN_BOX_FAN + __builtin_ctz(theirs)];
            }
    }
}

/* The groups of B that group g of A touches: walks down the tree of B, from the last child to the first. Within one
 * surface only groups from g on count. */
static void walk(const sn_box_tree *a, int g, const sn_box_tree *b, found *out) {
    const sn_box_block *parent = &a->block[a->first[2] + g / SN_BOX_FAN];
    struct {
        int level, block;
    } stack[SN_BOX_LEVELS * SN_BOX_FAN];
    int depth = 0;
    stack[depth].level = b->levels - 1, stack[depth++].block = 0;
    while (depth > 0) {
        const int level = stack[--depth].level, i = stack[depth].block;
        unsigned hit = overlap(parent, g % SN_BOX_FAN, &b->block[b->first[level] + i]);
        for (; level > 2 && hit; hit &= hit - 1)
            stack[depth].level = level - 1, stack[depth++].block = i * SN_BOX_FAN + __builtin_ctz(hit);
        for (int c = SN_BOX_FAN - 1; hit && c >= 0; --c) {
            if (!(hit >> c & 1) || (a == b && i * SN_BOX_FAN + c < g)) continue;
            if (out->count < out->room) out->pair[out->count][0] = g, out->pair[out->count][1] = i * SN_BOX_FAN + c;
            ++out->count;
        }
    }
}

static int groups(const sn_box_tree *a, const sn_box_tree *b, int begin, int end, int32_t (*pair)[2], int room) {
    found out = {pair, 0, room, false, 0};
    for (int g = begin; g < end; ++g) walk(a, g, b, &out);
    return out.count;
}

static int pairs(const sn_box_tree *a, const sn_box_tree *b, int32_t (*group)[2], int count, int32_t (*pair)[2],
                 int room) {
    enum { KNOWN = 128 };
    found out = begin_pairs(a, b, pair, room);
    const int g = group[0][0];
    const sn_box_block *parent = &a->block[a->first[1] + g], *above_b = b->block + b->first[2];
    const sn_box_block *above_a = &a->block[a->first[2] + g / SN_BOX_FAN];
    uint8_t near[KNOWN]; /* the blocks of A that touch the first groups of B, one bit each */
    for (int i = 0; i < count && i < KNOWN; ++i) {
        near[i] = (uint8_t)overlap(&above_b[group[i][1] / SN_BOX_FAN], group[i][1] % SN_BOX_FAN, parent);
        if (!overlap(above_a, g % SN_BOX_FAN, &b->block[b->first[1] + group[i][1]])) near[i] = 0;
    }
    for (int s = 0; s < SN_BOX_FAN; ++s) {
        const int p = g * SN_BOX_FAN + s; /* a slot without a block has a box that meets none */
        for (int i = 0; i < count; ++i) {
            if (i < KNOWN && !(near[i] >> s & 1)) continue;
            const sn_box_block *block = &b->block[b->first[1] + group[i][1]];
            for (unsigned hit = overlap(parent, s, block); hit; hit &= hit - 1) {
                const int c = __builtin_ctz(hit), child = group[i][1] * SN_BOX_FAN + c;
                if (a == b && child < p) continue;
                meet(a, p, overlap(block, c, &a->block[p]), b, child, &out);
            }
        }
    }
    return out.count;
}

/* ---- Rays and nearest points ---- */
static inline vd widened(const float *p) { return __builtin_convertvector(*(const vs *)p, vd); }

/* A little more than the rounding of the products is left at both ends: of the largest begin, which is at least 0, and
 * of the least end. */
static unsigned enter(const sn_box_block *block, const double origin[3], const double inverse[3], double reach,
                      double key[SN_BOX_FAN]) {
    unsigned entered = 0;
    for (int part = 0; part < SN_BOX_FAN; part += SN_WIDTH) {
        vd low = vd_set(0), high = vd_set(reach);
        for (int a = 0; a < 3; ++a) {
            const float *near = inverse[a] < 0 ? block->high[a] : block->low[a],
                        *far = inverse[a] < 0 ? block->low[a] : block->high[a];
            const vd from = vd_set(origin[a]), scale = vd_set(inverse[a]);
            low = vd_max((widened(near + part) - from) * scale, low);
            high = vd_min((widened(far + part) - from) * scale, high);
        }
        low *= vd_set(1 - 1e-15), high *= vd_set(1 + 1e-15);
        entered |= vi_bits((vi)(low <= high)) << part;
        vd_store(key + part, low);
    }
    return entered;
}

static void squares(const sn_box_block *block, const double x[3], double square[SN_BOX_FAN]) {
    for (int part = 0; part < SN_BOX_FAN; part += SN_WIDTH) {
        vd sum = vd_set(0);
        for (int a = 0; a < 3; ++a) {
            const vd low = widened(block->low[a] + part), high = widened(block->high[a] + part);
            const vd d = vd_max(vd_max(low - vd_set(x[a]), vd_set(x[a]) - high), vd_set(0));
            sum += d * d;
        }
        vd_store(square + part, sum);
    }
}

extern const sn_box_kernels SN_ISA(sn_box_kernels);
const sn_box_kernels SN_ISA(sn_box_kernels) = {fit_inside, fit_level, fit_groups, groups, pairs, enter, squares};
